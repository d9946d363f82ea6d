# Types of the compiled lifting of arcs.

import numpy as np
from numpy.typing import NDArray

def lift(
    heads: NDArray[np.int32], starts: NDArray[np.int32], most_steps: int
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]: ...
