# Types of the compiled conversion of heads.

import numpy as np
from numpy.typing import NDArray

def visits(heads: NDArray[np.int32]) -> NDArray[np.int32]: ...
def forward(
    heads: NDArray[np.int32],
    order: NDArray[np.int32],
    targets: NDArray[np.uint8],
    roots: NDArray[np.uint8],
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]: ...
def backward(
    heads: NDArray[np.int32],
    order: NDArray[np.int32],
    targets: NDArray[np.uint8],
    fixed: NDArray[np.uint8],
    frozen: bool,
) -> NDArray[np.int32]: ...
