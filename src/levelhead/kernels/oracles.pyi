# Types of the compiled static oracles.

import numpy as np
from numpy.typing import NDArray

def oracle(
    heads: NDArray[np.int32], starts: NDArray[np.int32], system: int, most_swaps: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8]]: ...
def projective_order(
    heads: NDArray[np.int32], starts: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
