"""The treebank: immutable columns over words, and the shapes of its trees."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from levelhead.errors import ConlluError, Fault, number_of, unknown
from levelhead.immutable import immutable
from levelhead.kernels import trees
from levelhead.treebank.strings import ANY_SPACE, Codes, StringColumn, Strings
from levelhead.treebank.tokens import (
    COLUMNS,
    FORM,
    Comments,
    EmptyNodes,
    MultiwordTokens,
    Source,
    Tokens,
    check_trees,
    heads_in_sentences,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.treebank.enhanced_graph import Graph
    from levelhead.treebank.plus import ExtraColumns
    from levelhead.treebank.sentence import Sentence


class PartialReading(NamedTuple):
    """How much of an invalid file was read."""

    intact: NDArray[np.bool_]  # whether each sentence is valid apart from its heads, bool, shape (sentences,)
    unreadable: int = 0  # the number of lines, except comments, that could not be read as rows
    faults: tuple[Fault, ...] = ()  # why the file is invalid


@immutable
class Treebank(Sequence["Sentence"]):
    """Trees in memory, with one row per word; each distinct string is stored once.

    Args:
        forms: the forms of all words. The other seven columns of strings, from `lemmas` to `misc`, have the same type.
        heads: the head of each word as an index into all words, -1 for the root; int32, shape (words,).
        sentence_starts: the index of each sentence's first word; the last element is the total number of words; int32,
            shape (sentences + 1,).
        multiword: the multiword tokens.
        empty: the empty nodes.
        comments: the comments.
        source: the file from which the treebank was read.
        has_trees: whether words have heads; if not, all `heads` are -1 and have no meaning.
        extra: the extra columns of a CoNLL-U Plus file, or None.
        partial: for an invalid file that was read with `partial=True`, how much was readable, and the faults; None for
            a valid treebank. A word without a readable HEAD is its own head in `heads`.
    """

    forms: StringColumn
    lemmas: StringColumn
    upos: StringColumn
    xpos: StringColumn
    feats: StringColumn
    relations: StringColumn
    deps: StringColumn
    misc: StringColumn
    heads: Codes
    sentence_starts: Codes
    multiword: MultiwordTokens
    empty: EmptyNodes
    comments: Comments
    source: Source = field(default_factory=Source)
    has_trees: bool = True
    extra: ExtraColumns | None = None
    partial: PartialReading | None = None

    def __post_init__(self) -> None:
        extra = () if self.extra is None else (self.extra,)
        for part in (self, *self.columns, self.multiword, self.empty, *extra):
            for value in vars(part).values():
                if isinstance(value, np.ndarray):
                    value.flags.writeable = False

    def __len__(self) -> int:
        return len(self.sentence_starts) - 1

    @property
    def n_words(self) -> int:
        """The number of syntactic words."""
        return len(self.heads)

    @property
    def n_tokens(self) -> int:
        """The number of surface tokens."""
        return self.n_words - int(self.multiword.n_words.sum()) + len(self.multiword)

    @property
    def columns(self) -> tuple[StringColumn, ...]:
        """The eight columns of strings, in the order of CoNLL-U."""
        return tuple(getattr(self, name) for name in COLUMNS)

    @property
    def strings(self) -> Strings:
        """All distinct strings. Instead of strings, the columns store indices into this sequence, called codes."""
        return self.forms.strings

    @property
    def sentences(self) -> Sequence[Sentence]:
        """The sentences, as views of this treebank."""
        return self

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """The warnings from reading the file."""
        return self.source.warnings

    def extra_column(self, name: str) -> StringColumn:
        """Return the values of the extra column `name` of a CoNLL-U Plus file, one per word.

        Raises a ConlluError if the first line of the file does not name this column.
        """
        names = () if self.extra is None else self.extra.layout.extra
        if self.extra is None or name not in names:
            raise ConlluError(Fault("invalid-columns", unknown("column", name, names)))
        return StringColumn(self.extra.words[:, names.index(name)], self.extra.strings)

    @cached_property
    def tokens(self) -> Tokens:
        """The surface tokens in order."""
        inside = np.zeros(self.n_words + 1, dtype=np.int32)
        np.add.at(inside, self.multiword.first, 1)
        np.add.at(inside, self.multiword.first + self.multiword.n_words, -1)
        alone = np.flatnonzero(np.cumsum(inside[:-1]) == 0).astype(np.int32)
        at = np.searchsorted(alone, self.multiword.first)
        return Tokens(
            np.insert(self.forms.codes[alone], at, self.multiword.cells[:, FORM]),
            np.insert(alone, at, self.multiword.first),
            np.insert(self.sentence_of_word[alone], at, self.multiword.sentence),
            np.insert(np.ones_like(alone), at, self.multiword.n_words),
            np.insert(np.zeros(len(alone), dtype=bool), at, True),
        )

    @cached_property
    def sentence_of_word(self) -> Codes:
        """The index of each word's sentence, int32, shape (words,)."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.sentence_starts))

    @cached_property
    def graph(self) -> Graph:
        """The enhanced graph in DEPS; raises MalformedDeps if DEPS is malformed."""
        from levelhead.treebank.enhanced_graph import read_graph

        return read_graph(self)

    def to_polars(self) -> Any:
        """Return the words as a polars DataFrame; see `levelhead.interop.word_table` for its columns."""
        from levelhead.treebank.frames import to_polars

        return to_polars(self)

    def to_pandas(self) -> Any:
        """Return the words as a pandas DataFrame; see `levelhead.interop.word_table` for its columns."""
        from levelhead.treebank.frames import to_pandas

        return to_pandas(self)

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> Treebank: ...
    def __getitem__(self, index: int | slice) -> Sentence | Treebank:
        """Return a view of one sentence, or a treebank of several."""
        from levelhead.treebank.sentence import Sentence

        if isinstance(index, slice):
            return self.select(range(len(self))[index])
        return Sentence(self, range(len(self))[index])

    def __iter__(self) -> Iterator[Sentence]:
        return map(self.__getitem__, range(len(self)))

    def __repr__(self) -> str:
        name = f" of {self.source.path}" if self.source.path else ""
        return f"<Treebank{name}: {number_of(len(self), 'sentence')}, {number_of(self.n_words, 'word')}>"

    def select(self, sentences: Iterable[int] | NDArray[np.bool_]) -> Treebank:
        """Return a treebank with only some sentences.

        Args:
            sentences: the indices of these sentences in the desired order, or an array of bools with one element for
                each sentence of this treebank, which says whether to keep the sentence.
        """
        wanted = np.asarray(sentences if isinstance(sentences, np.ndarray) else list(sentences))
        chosen = np.arange(len(self))[wanted if len(wanted) else slice(0)]  # negative indices count from the end
        sizes = np.diff(self.sentence_starts)[chosen]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        moved = self.sentence_starts[chosen] - starts[:-1]
        shift = np.repeat(moved, sizes)
        words = np.arange(starts[-1]) + shift
        heads = np.where(self.heads[words] < 0, -1, self.heads[words] - shift).astype(np.int32)
        lines = self.source.lines[chosen] if len(self.source.lines) else self.source.lines
        multiword, empty = self.multiword, self.empty
        ranges, of_ranges = _rows_of(multiword.sentence, len(self), chosen)
        nodes, of_nodes = _rows_of(empty.sentence, len(self), chosen)
        first = (multiword.first[ranges] - moved[of_ranges]).astype(np.int32)
        position = (empty.position[nodes] - moved[of_nodes]).astype(np.int32)
        return replace(
            self,
            **{name: getattr(self, name).take(words) for name in COLUMNS},
            heads=heads,
            sentence_starts=starts,
            multiword=MultiwordTokens(first, of_ranges, multiword.n_words[ranges], multiword.cells[ranges]),
            empty=EmptyNodes(position, of_nodes, empty.minor[nodes], empty.cells[nodes]),
            comments=self.comments.take(chosen),
            source=Source(self.source.path, None, lines),
            extra=None if self.extra is None else self.extra.take(words, ranges, nodes),
            partial=self.partial and self.partial._replace(intact=self.partial.intact[chosen]),
        )

    def without_multiword_tokens(self) -> Treebank:
        """Return a treebank in which every word is a separate surface token, as in CoNLL-X."""
        none = np.zeros(0, dtype=np.int32)
        multiword = MultiwordTokens(none, none, none, np.zeros((0, 9), dtype=np.int32))
        extra = None if self.extra is None else self.extra.take(slice(None), slice(0), slice(None))
        return replace(self, multiword=multiword, extra=extra)

    def replace(
        self, *, heads: Iterable[int] | None = None, several_roots: bool = False, **columns: Iterable[str]
    ) -> Treebank:
        """Return a treebank with new heads, relations, tags or other columns; everything else is kept.

        If `heads` is given, the new treebank has trees even if this treebank has none.

        Args:
            heads: the index of each word's head among all words, -1 for the root.
            several_roots: whether a sentence can have more than one root.
            columns: new forms, lemmas, upos, xpos, feats, relations, deps or misc, with one value for each word.

        Raises:
            ConlluError: a column has the wrong length, an unknown name or an empty value, or the heads are not trees.
        """
        strings = self.strings
        codes = {name: getattr(self, name).codes for name in COLUMNS}
        for name, values in columns.items():
            texts = list(values)
            _check_column(name, texts, self.n_words)
            strings, codes[name] = strings.with_texts(texts)
        changed: dict[str, Any] = {name: StringColumn(codes[name], strings) for name in COLUMNS}
        if heads is not None:
            valid = {"has_trees": True, "partial": None}
            changed |= {"heads": self._checked(heads, several_roots=several_roots), **valid}
        return replace(self, **changed, source=replace(self.source, sha256=None))

    def local_heads(self) -> Codes:
        """Return the heads as CoNLL-U writes them: 1-based in the sentence, 0 for the root; int32, shape (words,).

        Raises a ConlluError if the treebank has no trees, or was read with `partial=True` from an invalid file.
        """
        check_trees(self)
        return heads_in_sentences(self)

    def _checked(self, heads: Iterable[int], *, several_roots: bool) -> Codes:
        """Return heads as an array, or raise a ConlluError if they are not trees within their sentences."""
        given = []
        for word, head in enumerate(heads):
            try:
                given.append(operator.index(head))  # fractions are refused, never truncated
            except TypeError as error:
                message = f"the head {head!r} of word {word} is not an integer"
                raise ConlluError(Fault("invalid-columns", message)) from error
        if len(given) != self.n_words:
            raise ConlluError(Fault("invalid-columns", f"{len(given)} heads for {self.n_words} words"))
        starts, ends = self.sentence_starts[self.sentence_of_word], self.sentence_starts[self.sentence_of_word + 1]
        outside = [h != -1 and not start <= h < end for h, start, end in zip(given, starts.tolist(), ends.tolist())]
        if any(outside):
            word = outside.index(True)
            message = f"the head {given[word]} of word {word} is not a word of its sentence"
            raise ConlluError(Fault("head-outside-sentence", message))
        array = np.array(given, dtype=np.int32)
        local = np.where(array < 0, 0, array - starts + 1).astype(np.int32)
        for sentence, code in enumerate(trees.bad_sentences(local, self.sentence_starts, several_roots).tolist(), 1):
            if code:
                slug = ("no-root", "several-roots", "cycle")[code - 2]
                raise ConlluError(Fault(slug, f"sentence {sentence} is not a tree"))
        return array


class Shapes(NamedTuple):
    """The shapes of all trees of a treebank."""

    depths: Codes  # the number of arcs between each word and the root, int32, shape (words,)
    gap_degrees: Codes  # the number of gaps in the span of the words below each word, int32, shape (words,)
    # whether each word's arc spans a word that its head does not dominate, bool, shape (words,)
    nonprojective: NDArray[np.bool_]
    # whether each word's head is to the right and a word between them has its head outside their span (the root is
    # outside), bool, shape (words,)
    right_crossed: NDArray[np.bool_]
    # whether each sentence has two disjoint subtrees that interleave, bool, shape (sentences,)
    ill_nested: NDArray[np.bool_]


def shapes_of(treebank: Treebank) -> Shapes:
    """Return the shapes of the trees of a treebank; Kuhlmann and Nivre (2006) define gap degree and well-nestedness."""
    depths, gap_degrees, *flags = trees.shapes(treebank.local_heads(), treebank.sentence_starts)
    return Shapes(depths, gap_degrees, *(flag.view(np.bool_) for flag in flags))


def nonprojective_arcs(treebank: Treebank) -> NDArray[np.bool_]:
    """Return which words of a treebank have a non-projective arc, bool, shape (words,).

    An arc is non-projective if a word between dependent and head is not below the head. The arc of a root is always
    projective. Source: Kuhlmann and Nivre (2006).
    """
    return shapes_of(treebank).nonprojective


def _rows_of(sentence: Codes, n_sentences: int, chosen: NDArray[np.intp]) -> tuple[NDArray[np.intp], Codes]:
    """Return the rows of the chosen sentences, in order, and the chosen sentence of each row."""
    first_rows = np.searchsorted(sentence, np.arange(n_sentences + 1))
    sizes = (first_rows[1:] - first_rows[:-1])[chosen]
    target = np.repeat(np.arange(len(chosen), dtype=np.int32), sizes)
    return np.arange(len(target)) + np.repeat(first_rows[chosen] - np.cumsum(sizes) + sizes, sizes), target


def _check_column(name: str, texts: list[str], n_words: int) -> None:
    if name not in COLUMNS:
        raise ConlluError(Fault("invalid-columns", unknown("column", name, COLUMNS)))
    if len(texts) != n_words:
        raise ConlluError(Fault("invalid-columns", f"{len(texts)} {name} for {n_words} words"))
    if any(not text or re.search("[\t\n\r\0\ud800-\udfff]", text) for text in texts):
        raise ConlluError(
            Fault("invalid-columns", f"a value of {name} is empty, or has a tab, line end, NUL or surrogate")
        )
    if name == "forms" and not all(text.translate(ANY_SPACE) for text in texts):
        raise ConlluError(Fault("invalid-columns", "a form has only white space"))
