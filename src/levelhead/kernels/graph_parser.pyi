# Types of the compiled graph-based parser.

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Codes: TypeAlias = NDArray[np.int32]

class GraphParser:
    def __init__(
        self,
        templates: tuple[tuple[Any, ...], ...],
        tables: tuple[NDArray[Any], ...],
        sums: tuple[NDArray[np.float32], ...],
        n_labels: int,
        root_label: int,
        most: int,
    ) -> None: ...
    def candidates(self, columns: tuple[Any, ...], starts: _Codes, sentences: NDArray[np.int64]) -> _Codes: ...
    def parse(
        self,
        columns: tuple[Any, ...],
        starts: _Codes,
        candidates: _Codes | None = None,
        votes: NDArray[np.float32] | None = None,
    ) -> tuple[_Codes, _Codes]: ...
    def train(
        self,
        columns: tuple[Any, ...],
        starts: _Codes,
        heads: _Codes,
        labels: _Codes,
        sentences: NDArray[np.int64],
        candidates: _Codes,
        step: float,
        margin: float,
        most: float,
    ) -> tuple[float, int, int]: ...
