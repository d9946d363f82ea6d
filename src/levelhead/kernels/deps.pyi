# Types of the compiled reading of DEPS.

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Numbers: TypeAlias = NDArray[np.int64]

def parse(
    pool: bytes, offsets: _Numbers, codes: NDArray[np.int32]
) -> tuple[_Numbers, _Numbers, _Numbers, _Numbers, list[str]] | None: ...
