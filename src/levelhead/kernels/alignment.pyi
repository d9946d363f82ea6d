# Types of the compiled alignment of words.

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Codes: TypeAlias = NDArray[np.int32]
_Offsets: TypeAlias = NDArray[np.int64]
_Flags: TypeAlias = NDArray[np.uint8]

def align_spans(
    gold_starts: _Offsets,
    gold_ends: _Offsets,
    gold_inside: _Flags,
    system_starts: _Offsets,
    system_ends: _Offsets,
    system_inside: _Flags,
) -> tuple[_Codes, _Codes]: ...
def shared_spans(
    gold_starts: _Offsets, gold_ends: _Offsets, system_starts: _Offsets, system_ends: _Offsets
) -> _Flags: ...
def align_forms(gold: _Codes, gold_starts: _Codes, system: _Codes, system_starts: _Codes) -> _Codes: ...
