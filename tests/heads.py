"""Sentences that are given by the heads of their words."""

from collections.abc import Iterable, Sequence

import numpy as np


def arrays_of(sentences: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Join the heads of sentences as the kernel takes them."""
    starts = np.cumsum([0, *map(len, sentences)], dtype=np.int32)
    return np.array([head for sentence in sentences for head in sentence], dtype=np.int32), starts


def sentence_of(heads: Iterable[int]) -> str:
    """Write a sentence with the given heads."""
    return "".join(f"{i}\ta\t_\t_\t_\t_\t{head}\tdep\t_\t_\n" for i, head in enumerate(heads, 1)) + "\n"
