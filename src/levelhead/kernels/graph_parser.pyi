# Types of the compiled graph-based parser.

from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    def candidates(
        self, columns: tuple[Any, ...], starts: NDArray[np.int32], sentences: NDArray[np.int64]
    ) -> NDArray[np.int32]: ...
    def parse(
        self,
        columns: tuple[Any, ...],
        starts: NDArray[np.int32],
        candidates: NDArray[np.int32] | None = None,
        votes: NDArray[np.float32] | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
    def train(
        self,
        columns: tuple[Any, ...],
        starts: NDArray[np.int32],
        heads: NDArray[np.int32],
        labels: NDArray[np.int32],
        sentences: NDArray[np.int64],
        candidates: NDArray[np.int32],
        step: float,
        margin: float,
        most: float,
    ) -> tuple[float, int, int]: ...

def best_tree(scores: NDArray[np.float64]) -> NDArray[np.int32]: ...
def best_projective_tree(
    arcs: NDArray[np.float64], parts: NDArray[np.float64], candidates: NDArray[np.int32]
) -> NDArray[np.int32]: ...
