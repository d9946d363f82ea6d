# Types of the compiled writing of ARPA files.

import numpy as np
from numpy.typing import NDArray

DECIMALS: int

def lines(
    pool: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    words: NDArray[np.int32],
    logs: NDArray[np.int64],
    backoffs: NDArray[np.int64],
    with_backoffs: bool,
) -> bytes: ...
