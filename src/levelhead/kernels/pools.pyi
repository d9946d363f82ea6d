# Types of the compiled join of pools.

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Codes: TypeAlias = NDArray[np.int32]
_Offsets: TypeAlias = NDArray[np.int64]

def translate(pool: bytes, offsets: _Offsets, other: bytes, other_offsets: _Offsets) -> _Codes: ...
def distinct(codes: _Codes, n_strings: int) -> _Codes: ...
def hashes(pool: bytes, offsets: _Offsets) -> _Offsets: ...
def strings_with(pool: bytes, offsets: _Offsets, characters: NDArray[np.uint8]) -> _Codes: ...
