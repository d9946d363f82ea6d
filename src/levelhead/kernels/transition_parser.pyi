# Types of the compiled transition-based parser.

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Codes: TypeAlias = NDArray[np.int32]

class Parser:
    def __init__(
        self,
        system: int,
        templates: tuple[tuple[Any, ...], ...],
        tables: tuple[NDArray[np.int16], ...],
        sums: tuple[NDArray[np.float32], ...],
        n_labels: int,
        root_label: int,
        beam: int,
    ) -> None: ...
    def parse(self, columns: tuple[Any, ...], starts: _Codes) -> tuple[_Codes, _Codes]: ...
    def train(
        self,
        columns: tuple[Any, ...],
        starts: _Codes,
        heads: _Codes,
        labels: _Codes,
        order: _Codes,
        components: _Codes,
        sentences: NDArray[np.int64],
        step: float,
        explore: float,
        seed: int,
    ) -> tuple[float, int]: ...
