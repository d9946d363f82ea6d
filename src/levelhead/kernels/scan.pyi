# Types of the compiled scanner.

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Codes: TypeAlias = NDArray[np.int32]
_Offsets: TypeAlias = NDArray[np.int64]

def scan(
    data: bytes, ranges: bool = ...
) -> int | tuple[bytes, _Offsets, list[_Codes], _Codes, _Codes, _Codes, _Codes, _Codes, bytes, _Offsets]: ...
