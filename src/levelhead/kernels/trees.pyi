# Types of the compiled check of trees.

import numpy as np
from numpy.typing import NDArray

def bad_sentences(heads: NDArray[np.int32], starts: NDArray[np.int32], several_roots: bool) -> NDArray[np.int8]: ...
def global_heads(heads: NDArray[np.int32], starts: NDArray[np.int32]) -> NDArray[np.int32]: ...
