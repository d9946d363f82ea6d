# Types of the compiled alignment of words.

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Offsets: TypeAlias = NDArray[np.int64]
_Flags: TypeAlias = NDArray[np.uint8]

def align_spans(
    gold_starts: _Offsets,
    gold_ends: _Offsets,
    gold_inside: _Flags,
    system_starts: _Offsets,
    system_ends: _Offsets,
    system_inside: _Flags,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def shared_spans(
    gold_starts: _Offsets, gold_ends: _Offsets, system_starts: _Offsets, system_ends: _Offsets
) -> _Flags: ...
def align_forms(
    gold: NDArray[np.int32],
    gold_starts: NDArray[np.int32],
    system: NDArray[np.int32],
    system_starts: NDArray[np.int32],
) -> NDArray[np.int32]: ...
