# Types of the compiled conversion of heads.

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Bytes: TypeAlias = NDArray[np.uint8]
_Codes: TypeAlias = NDArray[np.int32]

def visits(heads: _Codes) -> _Codes: ...
def forward(heads: _Codes, order: _Codes, targets: _Bytes, roots: _Bytes) -> tuple[_Codes, _Bytes]: ...
def backward(heads: _Codes, order: _Codes, targets: _Bytes, fixed: _Bytes, frozen: bool) -> _Codes: ...
