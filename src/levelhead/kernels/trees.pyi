# Types of the compiled check of trees, and of lifting.

import numpy as np
from numpy.typing import NDArray

def bad_sentences(heads: NDArray[np.int32], starts: NDArray[np.int32], several_roots: bool) -> NDArray[np.int8]: ...
def global_heads(heads: NDArray[np.int32], starts: NDArray[np.int32]) -> NDArray[np.int32]: ...
def lift(
    heads: NDArray[np.int32], starts: NDArray[np.int32], most_steps: int
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]: ...
