"""Treebanks created in Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

from levelhead.arguments import checked, is_list, optional, refuse
from levelhead.errors import ConlluError, Fault

if TYPE_CHECKING:
    from levelhead.treebank.treebank import Treebank

Nested = Sequence[Sequence[str]]


def _column(name: str, value: Any) -> list[list[Any]]:
    """The values of each sentence."""
    if not is_list(value):
        refuse(name, value, _COLUMN)
    sentences = list(value)
    for sentence in sentences:
        if not is_list(sentence):
            refuse(name, sentence, _COLUMN)
    return list(map(list, sentences))


_COLUMN = "a list of sentences, each of them a list with a value for each word"
_OPTIONAL = optional(_column)


@checked(
    forms=_column,
    heads=_column,
    relations=_column,
    lemmas=_OPTIONAL,
    upos=_OPTIONAL,
    xpos=_OPTIONAL,
    feats=_OPTIONAL,
    deps=_OPTIONAL,
    misc=_OPTIONAL,
)
def build(
    forms: Nested,
    heads: Sequence[Sequence[int]],
    relations: Nested,
    *,
    lemmas: Nested | None = None,
    upos: Nested | None = None,
    xpos: Nested | None = None,
    feats: Nested | None = None,
    deps: Nested | None = None,
    misc: Nested | None = None,
) -> Treebank:
    """Return a treebank made of lists of sentences, each a list with one value per word.

    Args:
        forms: the forms.
        heads: the heads as in CoNLL-U: 1-based in the sentence, 0 for the root.
        relations: the relations.
        lemmas: the lemmas; None for "_" everywhere, as in all columns below.
        upos: the universal parts of speech.
        xpos: the language-specific parts of speech.
        feats: the features.
        deps: the enhanced edges.
        misc: the column MISC.

    Raises:
        ConlluError: the lists differ in length, a value is not valid in CoNLL-U, or a sentence is not a tree.
    """
    columns = (forms, lemmas, upos, xpos, feats, heads, relations, deps, misc)
    given = [column for column in columns if column is not None]
    sizes = {tuple(map(len, column)) for column in given}
    if len(sizes) != 1 or 0 in next(iter(sizes)):
        raise ConlluError(
            Fault("invalid-columns", "the lists differ in sentences or words, or a sentence has no words")
        )
    sentences = zip(*(column if column is not None else repeat(None) for column in columns))
    from levelhead.treebank.reader import from_conllu

    return from_conllu("".join(_sentence(list(sentence)) for sentence in sentences))


def _sentence(columns: list[Sequence[object] | None]) -> str:
    rows = zip(*(column if column is not None else repeat("_") for column in columns))
    return "".join(_line(number, map(str, row)) for number, row in enumerate(rows, 1)) + "\n"


def _line(number: int, cells: Iterable[str]) -> str:
    row = list(cells)
    if any("\t" in cell or "\n" in cell or "\r" in cell for cell in row):
        raise ConlluError(Fault("invalid-columns", f"a value of word {number} has a tab or a line end"))
    return "\t".join([str(number), *row]) + "\n"
