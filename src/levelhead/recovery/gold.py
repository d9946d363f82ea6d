"""The parts of a gold sentence that an answer uses: words, ranges, the sent_id."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from levelhead.treebank.parts import FORM, MISC
from levelhead.treebank.treebank import Treebank

_KEPT = re.compile(r"#\s*(?:(?:sent_id|text)\s*=|newdoc|newpar)")
_SENT_ID = re.compile(r"#\s*sent_id\s*=(.*)")
_NO_SPACE = "SpaceAfter=No"


class GoldSentence(NamedTuple):
    """A gold sentence without its analysis.

    Args:
        id: its sent_id, or None.
        comments: its comments `sent_id`, `text`, `newdoc` and `newpar`, each with its line feed.
        forms: the forms of its words.
        spaces: for each word `SpaceAfter=No` or `_`.
        multiword: by the index of its first word the form, the last word's id and the spaces of each multiword token.
    """

    id: str | None
    comments: str
    forms: tuple[str, ...]
    spaces: tuple[str, ...]
    multiword: dict[int, tuple[str, int, str]]

    @property
    def ranges(self) -> list[tuple[str, str]]:
        """The id and the form of each multiword token."""
        return [(f"{first + 1}-{last}", form) for first, (form, last, _) in self.multiword.items()]


def gold_sentences(gold: Treebank) -> list[GoldSentence]:
    """Return the sentences of a treebank without their analysis."""
    starts = gold.sentence_starts.tolist()
    forms, spaces = list(gold.forms), list(map(_spaces, gold.misc))
    multiword = _multiword(gold)
    return [
        _sentence(gold.comments[i], tuple(forms[start:end]), tuple(spaces[start:end]), multiword.get(i, {}))
        for i, (start, end) in enumerate(pairwise(starts))
    ]


def _sentence(
    comments: str, forms: tuple[str, ...], spaces: tuple[str, ...], multiword: dict[int, tuple[str, int, str]]
) -> GoldSentence:
    kept = [line for line in comments.split("\n") if _KEPT.match(line)]
    ids = [match[1].strip() for match in map(_SENT_ID.fullmatch, kept) if match and match[1].strip()]
    return GoldSentence(ids[0] if ids else None, "".join(f"{line}\n" for line in kept), forms, spaces, multiword)


def _spaces(misc: str) -> str:
    return _NO_SPACE if _NO_SPACE in misc.split("|") else "_"


def _multiword(gold: Treebank) -> dict[int, dict[int, tuple[str, int, str]]]:
    """The multiword tokens of each sentence."""
    found: dict[int, dict[int, tuple[str, int, str]]] = {}
    tokens, texts = gold.multiword, gold.strings.texts
    for first, n_words, sentence, cells in zip(tokens.first, tokens.n_words, tokens.sentence, tokens.cells):
        local = int(first - gold.sentence_starts[sentence])
        token = texts[cells[FORM]], local + int(n_words), _spaces(texts[cells[MISC]])
        found.setdefault(int(sentence), {})[local] = token
    return found
