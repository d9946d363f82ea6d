# Types of the compiled transition-based parser.

from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    def parse(
        self, columns: tuple[Any, ...], starts: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
    def train(
        self,
        columns: tuple[Any, ...],
        starts: NDArray[np.int32],
        heads: NDArray[np.int32],
        labels: NDArray[np.int32],
        order: NDArray[np.int32],
        components: NDArray[np.int32],
        sentences: NDArray[np.int64],
        step: float,
        explore: float,
        seed: int,
    ) -> tuple[float, int]: ...

def oracle_transitions(
    system: int, heads: NDArray[np.int32], starts: NDArray[np.int32]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]: ...
def dynamic_costs(
    heads: NDArray[np.int32], transitions: NDArray[np.uint8]
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]: ...
