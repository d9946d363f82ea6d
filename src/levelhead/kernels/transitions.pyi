# Types of the compiled transitions.

import numpy as np
from numpy.typing import NDArray

def replay(
    transitions: NDArray[np.uint8], offsets: NDArray[np.int64], starts: NDArray[np.int32], system: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
def arc_eager_costs(
    stacks: NDArray[np.int32],
    sizes: NDArray[np.int32],
    fronts: NDArray[np.int32],
    assigned: NDArray[np.int32],
    gold: NDArray[np.int32],
    lengths: NDArray[np.int32],
) -> NDArray[np.int32]: ...
