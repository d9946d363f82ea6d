"""Views of sentences, and treebanks as CoNLL-U, byte for byte as they were read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import TYPE_CHECKING, overload

import numpy as np

from levelhead.immutable import immutable
from levelhead.treebank.tokens import COLUMNS, MISC, Word, written_heads

if TYPE_CHECKING:
    from levelhead.treebank.strings import StringColumn
    from levelhead.treebank.treebank import Treebank


@immutable
class Sentence:
    """One sentence of a treebank.

    Args:
        treebank: its treebank.
        index: its index in the treebank, from 0.
    """

    treebank: Treebank
    index: int

    @property
    def span(self) -> range:
        """The indices of its words in the treebank."""
        return range(self.treebank.sentence_starts[self.index], self.treebank.sentence_starts[self.index + 1])

    def __len__(self) -> int:
        """Count the words."""
        return len(self.span)

    def __iter__(self) -> Iterator[Word]:
        """Yield the words."""
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, position: int) -> Word: ...
    @overload
    def __getitem__(self, position: slice) -> list[Word]: ...
    def __getitem__(self, position: int | slice) -> Word | list[Word]:
        """Return a word by its position, from 0, or a list of words."""
        if isinstance(position, slice):
            return [self[i] for i in range(len(self))[position]]
        at = self.span[position]
        form, lemma, upos, xpos, feats, relation, deps, misc = (getattr(self.treebank, name)[at] for name in COLUMNS)
        head = int(self.treebank.heads[at])
        local = head - self.span.start + 1 if head >= 0 else 0 if self.treebank.has_trees else None
        local = None if head == at else local
        return Word(at - self.span.start + 1, form, lemma, upos, xpos, feats, local, relation, deps, misc)

    @property
    def forms(self) -> list[str]:
        """The forms of its words."""
        return self._values(self.treebank.forms)

    @property
    def relations(self) -> list[str]:
        """The relations of its words to their heads."""
        return self._values(self.treebank.relations)

    @property
    def words(self) -> list[Word]:
        """Its words."""
        return list(self)

    @property
    def lemmas(self) -> list[str]:
        """The lemmas of its words."""
        return self._values(self.treebank.lemmas)

    @property
    def upos(self) -> list[str]:
        """The universal parts of speech of its words."""
        return self._values(self.treebank.upos)

    @property
    def feats(self) -> list[str]:
        """The features of its words."""
        return self._values(self.treebank.feats)

    def _values(self, column: StringColumn) -> list[str]:
        return list(column[self.span.start : self.span.stop])

    @property
    def heads(self) -> list[int | None]:
        """The heads of its words, as ids in the sentence; 0 is the root; None for words without a head."""
        start, none = self.span.start, 0 if self.treebank.has_trees else None
        heads = self.treebank.heads[start : self.span.stop].tolist()
        of_words = [head - start + 1 if head >= 0 else none for head in heads]
        return [None if head == number else head for number, head in enumerate(of_words, 1)]

    @property
    def comments(self) -> list[str]:
        """Its comment lines, without line feeds."""
        return self.treebank.comments[self.index].split("\n")[:-1]

    @property
    def metadata(self) -> dict[str, str]:
        """Its comments of the form `# name = value`."""
        return {
            match[1]: match[2]
            for line in self.comments
            if (match := re.fullmatch(r"#\s*([^=\s][^=]*?)\s*=\s*(.*)", line))
        }

    @property
    def id(self) -> str | None:
        """Its sent_id, or None."""
        return self.metadata.get("sent_id")

    @property
    def text(self) -> str:
        """Its text: the comment `# text = ...`, or its surface tokens with spaces unless MISC has SpaceAfter=No."""
        if text := self.metadata.get("text"):
            return text
        treebank = self.treebank
        tokens, multiword, strings = treebank.tokens, treebank.multiword, treebank.strings
        first, last = np.searchsorted(tokens.sentence, [self.index, self.index + 1])
        pieces = []
        for token in range(first, last):
            word = tokens.first[token]
            misc = treebank.misc.codes
            in_range = tokens.multiword[token]
            code = multiword.cells[np.searchsorted(multiword.first, word), MISC] if in_range else misc[word]
            is_joined = "SpaceAfter=No" in strings[int(code)].split("|")
            pieces += [strings[int(tokens.forms[token])], "" if is_joined else " "]
        return "".join(pieces[:-1])

    @property
    def conllu(self) -> str:
        """The sentence as CoNLL-U."""
        return to_conllu(self.treebank.select([self.index])).decode()

    def _repr_svg_(self) -> str:
        from levelhead.treebank.tree_svg import tree_drawing

        return tree_drawing(self).file()

    def __repr__(self) -> str:
        return f"<Sentence {self.index + 1}: {self.text}>"


_AT_ONCE = 5000  # sentences


def to_conllu(treebank: Treebank) -> bytes:
    """Return the treebank as CoNLL-U, or as CoNLL-U Plus if it was read from such a file."""
    return b"".join(conllu_parts(treebank))


def conllu_parts(treebank: Treebank) -> Iterator[bytes]:
    """Return the treebank as CoNLL-U, a few thousand sentences at a time."""
    if treebank.extra is None:
        return (text.encode() for _, text in _parts(treebank))
    from levelhead.treebank.plus import plus_parts

    return plus_parts(treebank, treebank.extra.layout, _parts(treebank))


def _parts(treebank: Treebank) -> Iterator[tuple[Treebank, str]]:
    for start in range(0, len(treebank), _AT_ONCE):
        part = treebank if len(treebank) <= _AT_ONCE else treebank[start : start + _AT_ONCE]
        yield part, _text_of(part)


def _text_of(treebank: Treebank) -> str:
    starts, texts = treebank.sentence_starts.tolist(), treebank.strings.texts
    heads = written_heads(treebank, "_")
    ids = chain.from_iterable(range(1, end - start + 1) for start, end in pairwise(starts))
    form, lemma, upos, xpos, feats, relation, deps, misc = (
        map(texts.__getitem__, getattr(treebank, name).codes.tolist()) for name in COLUMNS
    )
    lines = [
        f"{i}\t{a}\t{b}\t{c}\t{d}\t{e}\t{head}\t{f}\t{g}\t{h}\n"
        for i, a, b, c, d, e, head, f, g, h in zip(
            ids, form, lemma, upos, xpos, feats, heads, relation, deps, misc, strict=True
        )
    ]
    empty, multiword, first_words = treebank.empty, treebank.multiword, treebank.sentence_starts
    numbers = zip((empty.position - first_words[empty.sentence]).tolist(), empty.minor.tolist())
    first = multiword.first - first_words[multiword.sentence] + 1
    ranges = zip(first.tolist(), (first + multiword.n_words - 1).tolist())
    before: dict[tuple[int, int], str] = {}  # empty nodes and multiword tokens, by sentence and following word
    for sentence, word, number, cells in zip(
        (*empty.sentence.tolist(), *multiword.sentence.tolist()),
        (*empty.position.tolist(), *multiword.first.tolist()),
        (*(f"{n}.{minor}" for n, minor in numbers), *(f"{n}-{end}" for n, end in ranges)),
        (*empty.cells.tolist(), *multiword.cells.tolist()),
        strict=True,
    ):
        line = "\t".join([number, *(texts[code] for code in cells)])
        before[sentence, word] = f"{before.get((sentence, word), '')}{line}\n"
    last: dict[int, str] = {}
    for (sentence, word), others in before.items():
        if word < starts[sentence + 1]:
            lines[word] = others + lines[word]
        else:
            last[sentence] = others
    return "".join(
        f"{comments}{''.join(lines[start:end])}{last.get(i, '')}\n"
        for i, (comments, (start, end)) in enumerate(zip(treebank.comments, pairwise(starts), strict=True))
    )
