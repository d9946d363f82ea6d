"""Sentences and words of a treebank, and writing of CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, overload

import numpy as np

from levelhead.arguments import refuse
from levelhead.immutable import immutable
from levelhead.treebank.relations import universal
from levelhead.treebank.tokens import COLUMNS, MISC, check_trees, written_heads

if TYPE_CHECKING:
    from levelhead.treebank.strings import StringColumn
    from levelhead.treebank.treebank import Treebank


@immutable
class Sentence:
    """A sentence of a treebank; its `index` counts from 0. Sentences with the same CoNLL-U are equal."""

    treebank: Treebank
    index: int

    @cached_property
    def span(self) -> range:
        """The indices of its words in the treebank."""
        return range(*self.treebank.sentence_starts[self.index : self.index + 2].tolist())

    def __len__(self) -> int:
        return len(self.span)

    def __iter__(self) -> Iterator[Word]:
        return (Word(self, number) for number in range(1, len(self) + 1))

    @overload
    def __getitem__(self, position: int) -> Word: ...
    @overload
    def __getitem__(self, position: slice) -> list[Word]: ...
    def __getitem__(self, position: int | slice) -> Word | list[Word]:
        """Return a word by its position, from 0, or a list of words."""
        if isinstance(position, slice):
            return [self[i] for i in range(len(self))[position]]
        return Word(self, range(1, len(self) + 1)[position])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sentence):
            return NotImplemented
        if self.treebank is other.treebank and self.index == other.index:
            return True
        return self.forms == other.forms and self.conllu == other.conllu

    def __hash__(self) -> int:
        return hash(tuple(self.forms))

    @property
    def forms(self) -> list[str]:
        """The forms of its words."""
        return self._values(self.treebank.forms)

    @property
    def relations(self) -> list[str]:
        """The relation of each of its words to the head, with the subtype."""
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
        """The heads of its words, as ids in the sentence: 0 for a root, None for a word without a head."""
        return list(self._heads)

    @cached_property
    def _heads(self) -> list[int | None]:
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
        """The text in the comment `# text = ...`. If this comment is missing, the text is made from the tokens."""
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
        from levelhead.treebank.tree_drawings import tree_drawing

        return tree_drawing(self).file()

    def _repr_html_(self) -> str:
        from levelhead.tables.writers import scrolled
        from levelhead.treebank.tree_drawings import is_right_to_left, tree_drawing

        return scrolled(tree_drawing(self).image("none"), right_to_left=is_right_to_left(self.text))

    def __str__(self) -> str:
        """Return its text and its tree, as `levelhead trees` draws trees."""
        from levelhead.treebank.tree_drawings import draw, indented, title

        drawn = draw(self) if self.treebank.has_trees and self.treebank.partial is None else []
        return "\n".join([title(self), *indented(drawn)])

    def __repr__(self) -> str:
        return f"<Sentence {self.index + 1}: {self.text}>"


@immutable
class Word:
    """A word of a sentence, with an id from 1. Words with the same id in equal sentences are equal."""

    sentence: Sentence
    id: int

    @property
    def form(self) -> str:
        """Its form."""
        return self._cell(self._treebank.forms)

    @property
    def lemma(self) -> str:
        """Its lemma."""
        return self._cell(self._treebank.lemmas)

    @property
    def upos(self) -> str:
        """Its universal part of speech."""
        return self._cell(self._treebank.upos)

    @property
    def xpos(self) -> str:
        """Its language-specific part of speech."""
        return self._cell(self._treebank.xpos)

    @property
    def feats(self) -> str:
        """Its features as written."""
        return self._cell(self._treebank.feats)

    @property
    def features(self) -> dict[str, str]:
        """A dictionary of its features, such as `{"Case": "Nom", "Number": "Sing"}`; empty if it has none."""
        if self.feats == "_":
            return {}
        parts = (feature.partition("=") for feature in self.feats.split("|"))
        return {name: value for name, _, value in parts}

    @property
    def head(self) -> int | None:
        """The id of its head, 0 for the root; None in a treebank without trees."""
        return self.sentence._heads[self.id - 1]  # noqa: SLF001 -- a word is a part of its sentence

    @property
    def deprel(self) -> str:
        """Its relation with the subtype, such as `acl:relcl`."""
        return self._cell(self._treebank.relations)

    @property
    def relation(self) -> str:
        """Its relation without the subtype, such as `acl`."""
        return universal(self.deprel)

    @property
    def deps(self) -> str:
        """Its enhanced arcs as written."""
        return self._cell(self._treebank.deps)

    @property
    def misc(self) -> str:
        """Its other annotation (MISC) as written."""
        return self._cell(self._treebank.misc)

    @property
    def parent(self) -> Word | None:
        """Its head as a word; None for the root.

        In a treebank without trees, `parent`, `children`, `descendants` and `depth` raise a ConlluError.
        """
        head = self._tree[self.id - 1]
        return Word(self.sentence, head) if head else None

    @property
    def children(self) -> list[Word]:
        """Its dependents, left to right."""
        return [Word(self.sentence, child) for child, head in enumerate(self._tree, 1) if head == self.id]

    @property
    def descendants(self) -> list[Word]:
        """All words below it in the tree, left to right."""
        below, level = [], self.children
        while level:
            below += level
            level = [child for word in level for child in word.children]
        return sorted(below, key=lambda word: word.id)

    @property
    def depth(self) -> int:
        """The number of arcs between it and the root; 0 for the root."""
        depth, tree, head = 0, self._tree, self.head
        while head:
            depth, head = depth + 1, tree[head - 1]
        return depth

    def precedes(self, other: Word) -> bool:
        """Return whether it comes before `other`; raises an `InputError` if `other` is in another sentence."""
        if not isinstance(other, Word) or self.sentence != other.sentence:
            refuse("other", other, "a word of the same sentence")
        return self.id < other.id

    @property
    def _treebank(self) -> Treebank:
        return self.sentence.treebank

    @property
    def _tree(self) -> list[int | None]:
        check_trees(self.sentence.treebank)
        return self.sentence._heads  # noqa: SLF001

    def _cell(self, column: StringColumn) -> str:
        return column[self.sentence.span.start + self.id - 1]

    def __eq__(self, other: object) -> bool:
        return self.id == other.id and self.sentence == other.sentence if isinstance(other, Word) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.id, self.form))

    def __repr__(self) -> str:
        return f"<Word {self.id}: {self.form}>"


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
