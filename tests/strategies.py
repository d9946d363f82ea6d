"""Hypothesis strategies for treebanks, for a system's analysis of the same text, and for damaged files.

Hypothesis chooses sizes and a seed; the rest follows from the seed by plain random numbers, since to draw every column
through Hypothesis takes a hundred times as long. Failures still shrink to few sentences and words.
"""

from random import Random

from hypothesis import strategies as st

from oracle.damage import damaged_bytes
from oracle.drawing import some_system, some_treebank

SEEDS = st.integers(min_value=0, max_value=2**32 - 1)


def treebanks(max_sentences: int = 4, max_words: int = 12) -> st.SearchStrategy[str]:
    """Draw the text of a valid CoNLL-U file."""
    sizes = st.lists(st.integers(min_value=1, max_value=max_words), min_size=1, max_size=max_sentences)
    return st.builds(lambda seed, n_words: some_treebank(Random(seed), n_words), SEEDS, sizes)


def pairs(max_sentences: int = 4, max_words: int = 12) -> st.SearchStrategy[tuple[str, str]]:
    """Draw a gold file and a system's file over the same characters."""
    return st.builds(
        lambda gold, seed: (gold, some_system(Random(seed), gold)), treebanks(max_sentences, max_words), SEEDS
    )


def damaged(text: str, max_edits: int = 3) -> st.SearchStrategy[bytes]:
    """Draw a damaged version of a file; now and then it is still valid."""
    edits = st.integers(min_value=0, max_value=max_edits)
    return st.builds(lambda seed, n_edits: damaged_bytes(Random(seed), text, n_edits), SEEDS, edits)
