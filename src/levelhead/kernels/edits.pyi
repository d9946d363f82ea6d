# Types of the compiled alignment of words by their characters.

import numpy as np
from numpy.typing import NDArray

def align(
    gold: NDArray[np.int32],
    gold_starts: NDArray[np.int32],
    system: NDArray[np.int32],
    system_starts: NDArray[np.int32],
) -> NDArray[np.int32]: ...
