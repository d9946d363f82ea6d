# Types of the compiled comparison of aligned words.

import numpy as np
from numpy.typing import NDArray

def compare(
    gold: NDArray[np.int32],
    system: NDArray[np.int32],
    of_system: NDArray[np.int32],
    gold_columns: tuple[NDArray[np.int32], ...],
    system_columns: tuple[NDArray[np.int32], ...],
    known: NDArray[np.int32],
    relations: tuple[NDArray[np.int32], NDArray[np.int32]],
    feats: tuple[()] | tuple[NDArray[np.int32], NDArray[np.int32]],
    heads: tuple[NDArray[np.int32], NDArray[np.int32]],
    function_words: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    missing_lemma_counts: bool,
) -> NDArray[np.uint16]: ...
def count_chosen(
    gold: NDArray[np.int32],
    system: NDArray[np.int32],
    flags: NDArray[np.uint16],
    needs: int,
    relations: tuple[NDArray[np.int32], NDArray[np.int32]],
    chosen: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    by_gold: bool,
) -> tuple[int, int, int, int]: ...
