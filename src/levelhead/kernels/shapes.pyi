# Types of the compiled measurement of trees.

import numpy as np
from numpy.typing import NDArray

def shapes(
    heads: NDArray[np.int32], starts: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]: ...
def lift(
    heads: NDArray[np.int32], starts: NDArray[np.int32], most_steps: int
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]: ...
