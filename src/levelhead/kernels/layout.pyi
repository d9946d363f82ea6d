# Types of the compiled layout of tokens.

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Codes: TypeAlias = NDArray[np.int32]
_Offsets: TypeAlias = NDArray[np.int64]
_Bytes: TypeAlias = NDArray[np.uint8]

def lay_out(
    pool: bytes,
    begins: _Offsets,
    lengths: _Offsets,
    forms: _Codes,
    first: _Codes,
    n_words: _Codes,
    multiword_forms: _Codes,
) -> tuple[_Bytes, _Offsets, _Offsets, _Offsets, _Offsets, _Bytes]: ...
