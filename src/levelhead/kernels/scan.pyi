# Types of the compiled scanner.

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Codes: TypeAlias = NDArray[np.int32]
_Offsets: TypeAlias = NDArray[np.int64]

_Scanned: TypeAlias = tuple[bytes, _Offsets, list[_Codes], _Codes, _Codes, _Codes, _Codes, _Codes, bytes, _Offsets]

class Begun: ...  # whatever `begin` returns

def begin(data: bytes, ranges: bool = ...) -> Begun: ...
def kinds_of_bytes(begun: Begun) -> tuple[bool, bool]: ...
def arrays_of(begun: Begun) -> int | _Scanned: ...
