"""Hypothesis strategies for treebanks, for a system's analysis of the same text, and for damaged files.

Hypothesis chooses sizes and a seed; the rest follows from the seed by plain random numbers, since to draw every column
through Hypothesis takes a hundred times as long. Failures still shrink to few sentences and words.
"""

import json
from random import Random

from hypothesis import settings, strategies as st

from oracle.damage import damaged_bytes
from oracle.drawing import some_system, some_treebank

SEEDS = st.integers(min_value=0, max_value=2**32 - 1)


def examples(n: int) -> int:
    """How many examples a test tries that tries so many where most try 20: fewer in the suite, more in scripts/full."""
    return n * settings.default.max_examples // 20


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


WORDS = st.sampled_from("a b ab ba aab bab , . 1 12 2 é the them".split())
"""Forms that are alike, so that alignments have ties."""


def answers(max_lines: int = 12) -> st.SearchStrategy[str]:
    """Draw an answer of a language model: rows good and bad, prose, fences, tables, lists, and any text."""
    cells = st.one_of(
        WORDS, st.sampled_from("_ _ _ 0 1 2 3 4 nsubj root NOUN | # ** - 1-2 1.1 x:y".split()), st.text(max_size=3)
    )
    row = st.builds(
        lambda number, form, head, relation, gap: gap.join([number, form, "_", "_", "_", "_", head, relation, "_", "_"]),
        st.sampled_from(["1", "2", "3", "4", "1.", "(2)", "7", "", "3-4"]), WORDS, st.sampled_from(["0", "1", "2", "3", "9", "_", "x"]),
        st.sampled_from(["root", "nsubj", "_", "case  ", ""]), st.sampled_from(["\t", "\t", "   ", " ", " | ", "\t "]),
    )  # fmt: skip
    loose = st.builds(
        lambda gap, parts: gap.join(parts), st.sampled_from(["\t", " ", "|", " | ", ""]), st.lists(cells, max_size=12)
    )
    lists = st.builds(
        lambda rows, dump: dump(rows),
        st.lists(st.fixed_dictionaries({"id": st.integers(0, 4), "form": WORDS, "head": st.one_of(st.integers(-1, 5), st.none())})),
        st.sampled_from([repr, json.dumps, lambda rows: json.dumps({"rows": rows})]),
    )  # fmt: skip
    fixed = st.sampled_from(
        ["```", "```conllu", "", "---", "Here it is:", "# sent_id = s1", "[", "{", "[[[", "\\", "> 1\ta"]
    )
    return st.lists(st.one_of(row, row, row, loose, lists, fixed, st.text(max_size=20)), max_size=max_lines).map(
        "\n".join
    )
