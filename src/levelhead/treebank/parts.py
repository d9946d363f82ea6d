"""The parts of a treebank: columns of strings, tokens, empty nodes, comments, documents, its file and places in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np

from levelhead.errors import ConlluError, Fault, Place, count_text
from levelhead.immutable import immutable
from levelhead.kernels import pools

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from levelhead.treebank.treebank import Treebank

    Rows = NDArray[np.integer[Any]]

Codes: TypeAlias = "NDArray[np.int32]"

SPACES = ((0x2000, 0x200A), *((point, point) for point in (0x20, 0xA0, 0x1680, 0x202F, 0x205F, 0x3000)))
"""All space separators, the Unicode category Zs: first and last of each range."""

ANY_SPACE = dict.fromkeys(point for first, last in SPACES for point in range(first, last + 1))
"""A table for `str.translate` that deletes all space separators."""

PLAIN_SPACE = {0x20: None}  # a table for `str.translate` that deletes U+0020
UNDERSCORE = 0  # the code of "_", the first string of every pool


@immutable
class Strings(Sequence[str]):
    """A pool of distinct strings.

    Args:
        pool: the strings in UTF-8, each followed by a line feed.
        offsets: the byte at which each string starts, and finally the size of the pool; int64, shape (strings + 1,).
    """

    pool: bytes
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, code: int) -> str: ...
    @overload
    def __getitem__(self, code: slice) -> Sequence[str]: ...
    def __getitem__(self, code: int | slice) -> str | Sequence[str]:
        if isinstance(code, slice) or "texts" in vars(self) or code < 0:
            return self.texts[code]
        if code >= len(self):
            raise IndexError(f"no string has the code {code}")
        return self.pool[self.offsets[code] : self.offsets[code + 1] - 1].decode()

    @cached_property
    def texts(self) -> list[str]:
        """All strings, decoded on first use."""
        return self.text.split("\n")[:-1]

    @cached_property
    def text(self) -> str:
        """All strings joined, each followed by a line feed."""
        return self.pool.decode()

    @classmethod
    def of(cls, texts: Iterable[str]) -> Strings:
        """Return a pool of distinct strings, in the given order."""
        encoded = [text.encode() + b"\n" for text in texts]
        return cls(b"".join(encoded), np.cumsum([0, *map(len, encoded)], dtype=np.int64))

    def codes_with(self, *ranges: tuple[int, int]) -> Codes:
        """Return the codes of the strings with a character in any of the `ranges`, ascending, int32.

        The first and last character of each range are up to U+FFFF, and not from "!" to "~".
        """
        members = np.zeros(1 << 16, dtype=np.uint8)
        for first, last in ranges:
            members[first : last + 1] = True
        return pools.strings_with(self.pool, self.offsets, members)

    @cached_property
    def with_spaces(self) -> Codes:
        """The codes of the strings that have a space separator, ascending, int32."""
        return self.codes_with(*SPACES)

    def texts_of(self, codes: Codes) -> list[str]:
        """Return the strings with `codes` (int32); for a few of many strings, this is faster than `texts`."""
        starts, ends = self.offsets[codes].tolist(), (self.offsets[codes + 1] - 1).tolist()
        return [self.pool[start:end].decode() for start, end in zip(starts, ends, strict=True)]

    def with_texts(self, texts: Iterable[str]) -> tuple[Strings, Codes]:
        """Return a pool that also has the given strings, and the code of each."""
        code_of = {text: code for code, text in enumerate(self.texts)}
        codes = np.array([code_of.setdefault(text, len(code_of)) for text in texts], dtype=np.int32)
        new = Strings.of(list(code_of)[len(self) :])
        offsets = np.concatenate([self.offsets, new.offsets[1:] + self.offsets[-1]])
        return Strings(self.pool + new.pool, offsets), codes


@immutable
class StringColumn(Sequence[str]):
    """A column of a treebank as a sequence of strings, stored as codes (int32) of a pool."""

    codes: Codes
    strings: Strings

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> StringColumn: ...
    def __getitem__(self, index: int | slice) -> str | StringColumn:
        if isinstance(index, slice):
            return StringColumn(self.codes[index], self.strings)
        return self.strings[int(self.codes[index])]

    def __iter__(self) -> Iterator[str]:
        return map(self.strings.texts.__getitem__, self.codes.tolist())

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:5]))
        return f"Column([{shown}{', ...' if len(self) > 5 else ''}], length {len(self)})"

    def take(self, rows: NDArray[np.intp]) -> StringColumn:
        """Return the column of these rows."""
        return StringColumn(self.codes[rows], self.strings)

    @cached_property
    def distinct(self) -> Codes:
        """The codes that occur, ascending, int32."""
        return pools.distinct(np.ascontiguousarray(self.codes), len(self.strings))

    @cached_property
    def distinct_texts(self) -> list[str]:
        """The strings that occur, in the order of `distinct`."""
        return self.strings.texts_of(self.distinct)

    def mapped(self, function: Callable[[str], Any], dtype: DTypeLike) -> NDArray[Any]:
        """Return the number or flag that a function computes for each row, called once for each distinct string."""
        of_code = np.zeros(len(self.strings), dtype=dtype)
        of_code[self.distinct] = list(map(function, self.distinct_texts))
        return of_code[self.codes]

    @property
    def has_values(self) -> bool:
        """Whether any value is neither empty nor `_`."""
        return any(self.strings[code] not in {"", "_"} for code in self.distinct[:3].tolist())

    def frequencies(self) -> dict[str, int]:
        """Count each value, most frequent first, then by first occurrence in the pool."""
        counts = np.bincount(self.codes, minlength=len(self.strings))
        order = np.argsort(-counts, kind="stable")
        return {self.strings[int(code)]: int(counts[code]) for code in order if counts[code]}


FIELDS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
"""The ten columns of CoNLL-U."""

STRING_FIELDS = tuple(name for name in FIELDS if name not in {"ID", "HEAD"})
COLUMNS = ("forms", "lemmas", "upos", "xpos", "feats", "relations", "deps", "misc")
"""The columns of strings of a treebank, in the order of CoNLL-U (HEAD, between FEATS and DEPREL, is numbers)."""

FORM, DEPS, MISC = 0, 7, 8  # the positions of these columns in the nine cells after the ID


@immutable
class MultiwordTokens:
    """Surface tokens that consist of several words.

    Args:
        first: the index of each token's first word, int32, shape (n,), ascending.
        sentence: the index of each token's sentence, int32, shape (n,).
        n_words: the number of words of each token, int32, shape (n,); 0 is only possible with official scorers' rules.
        cells: the codes of the nine columns after ID, int32, shape (n, 9).
    """

    first: Codes
    sentence: Codes
    n_words: Codes
    cells: Codes

    def __len__(self) -> int:
        return len(self.first)


@immutable
class EmptyNodes:
    """Nodes of the enhanced graph that are not words.

    Args:
        position: the index of the word that follows each node (for 2.1, of word 3), int32, shape (n,), ascending.
        sentence: the index of each node's sentence, int32, shape (n,).
        minor: the number after the dot in each node's ID, int32, shape (n,).
        cells: the codes of the nine columns after ID, int32, shape (n, 9).
    """

    position: Codes
    sentence: Codes
    minor: Codes
    cells: Codes

    def __len__(self) -> int:
        return len(self.position)


@immutable
class Comments(Sequence[str]):
    """The comment lines above each sentence, one string per sentence, each line with its line feed.

    Args:
        text: all comments, in UTF-8.
        starts: where the comments of each sentence begin in `text`, and finally the size of `text`; int64, shape
            (sentences + 1,).
    """

    text: bytes
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, sentence: int) -> str:  # type: ignore[override]
        return self.text[self.starts[sentence] : self.starts[sentence + 1]].decode()

    def take(self, sentences: NDArray[np.intp]) -> Comments:
        """Return the comments of these sentences."""
        parts = [self.text[self.starts[i] : self.starts[i + 1]] for i in sentences]
        return Comments(b"".join(parts), np.cumsum([0, *map(len, parts)], dtype=np.int64))


@immutable
class Source:
    """The source of a treebank.

    Args:
        path: the path of the file as given, or None for a treebank created in Python.
        sha256: the hash of the file's bytes after decompression.
        lines: the line of each sentence's first word or range, int32, shape (sentences,); empty for a treebank created
            in Python.
        warnings: the warnings about the file.
        skipped: the index of the word after each empty node that an official scorer skips, int32.
        n_blank: the number of sentences without words that an official scorer reads at the end of the file.
    """

    path: str | None = None
    sha256: str | None = None
    lines: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    warnings: tuple[Fault, ...] = ()
    skipped: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    n_blank: int = 0


@immutable
class Tokens:
    """The surface tokens of a treebank, in order: single words and multiword tokens."""

    forms: Codes  # the code of each token's form, int32, shape (tokens,)
    first: Codes  # its first word, int32, shape (tokens,)
    sentence: Codes  # its sentence, int32, shape (tokens,), ascending
    n_words: Codes  # the number of its words, int32, shape (tokens,)
    multiword: NDArray[np.bool_]  # whether it is a multiword token, bool, shape (tokens,)

    def __len__(self) -> int:
        return len(self.forms)


def check_trees(treebank: Treebank) -> Treebank:
    """Return a treebank that has trees."""
    if refuse_partial(treebank).has_trees:
        return treebank
    message = "no word has a head: HEAD is always _, or the column HEAD or DEPREL is missing"
    raise ConlluError(Fault("no-trees", message, Place(treebank.source.path)))


def refuse_partial(treebank: Treebank) -> Treebank:
    """Return a treebank unless it is invalid (`read(path, partial=True)`); the error lists all faults."""
    if treebank.partial is None:
        return treebank
    message = "an invalid treebank can only be a system's output for partial scores (partial=True)"
    raise ConlluError(Fault("partial-treebank", message, Place(treebank.source.path)), *treebank.partial.faults)


def has_head(treebank: Treebank) -> NDArray[np.bool_]:
    """Return which words have a HEAD, also 0: all, or none without trees; partial scores can lack some."""
    return np.not_equal(treebank.heads, np.arange(treebank.n_words)) & treebank.has_trees


def heads_in_sentences(treebank: Treebank) -> Codes:
    """Return what `Treebank.local_heads` returns, also for a treebank with broken trees."""
    starts = np.repeat(treebank.sentence_starts[:-1], np.diff(treebank.sentence_starts))
    return np.where(treebank.heads < 0, 0, treebank.heads - starts + 1).astype(np.int32)


def written_heads(treebank: Treebank, missing: Any) -> list[Any]:
    """Return the heads as CoNLL-U writes them, with another value for words without a head."""
    heads = zip(heads_in_sentences(treebank).tolist(), has_head(treebank).tolist())
    return [head if has_value else missing for head, has_value in heads]


def place_of(treebank: Treebank, word: int) -> Place:
    return next(places_of(treebank, np.array([word])))


def place_of_sentence(treebank: Treebank, sentence: int) -> Place:
    lines = treebank.source.lines
    return Place(treebank.source.path, int(lines[sentence]) if len(lines) else None, sentence + 1)


def place_of_comment(treebank: Treebank, at: int) -> Place:
    """Return the place of a comment, computed from the lines below it."""
    comments = treebank.comments
    sentence = int(np.searchsorted(comments.starts, at, side="right")) - 1
    below = comments.text.count(b"\n", at, int(comments.starts[sentence + 1]))
    place = place_of_sentence(treebank, sentence)
    return place if place.line is None else place._replace(line=place.line - below)


Lines = Literal["words", "ranges", "empty nodes"]


def places_of(treebank: Treebank, rows: Rows, kind: Lines = "words") -> Iterator[Place]:
    """Yield the place of each of some words, multiword tokens or empty nodes, computed from the lines above it."""
    starts, multiword, empty, source = treebank.sentence_starts, treebank.multiword, treebank.empty, treebank.source
    if kind == "words":
        words = rows
        sentences = treebank.sentence_of_word[rows]
        above = np.searchsorted(multiword.first, words, side="right")
        above -= np.searchsorted(multiword.first, starts[sentences])
        ids: Iterable[str] = map(str, words - starts[sentences] + 1)
    elif kind == "ranges":
        words, sentences = multiword.first[rows], multiword.sentence[rows]
        above = rows - np.searchsorted(multiword.sentence, sentences)
        first = words - starts[sentences] + 1
        ids = (f"{number}-{last}" for number, last in zip(first, first + multiword.n_words[rows] - 1))
    else:
        words, sentences = empty.position[rows], empty.sentence[rows]
        above = rows - np.searchsorted(empty.sentence, sentences) + np.searchsorted(multiword.first, words)
        above -= np.searchsorted(multiword.first, starts[sentences])
        ids = (f"{number}.{minor}" for number, minor in zip(words - starts[sentences], empty.minor[rows]))
    if kind != "empty nodes":  # these are also above, including those that an official scorer skips
        start, end = (np.searchsorted(empty.sentence, sentences, side=side) for side in ("left", "right"))
        above += np.searchsorted(empty.position, words, side="right").clip(start, end) - start
        above += np.searchsorted(source.skipped, words, side="right")
        above -= np.searchsorted(source.skipped, starts[sentences])
    lines = source.lines[sentences] + words - starts[sentences] + above if len(source.lines) else None
    numbers = repeat(None) if lines is None else lines.tolist()
    for line, sentence, name in zip(numbers, sentences.tolist(), ids):
        yield Place(source.path, line, sentence + 1, name)


_MARK = rb"(?m)newdoc(?:(?:[^\S\n]+id|_id)?[^\S\n]*=([^\n]*)|[^\S\n][^\n]*|)$"
_PUD = rb"(?m)sent_id[^\S\n]*=[^\S\n]*([nw]0[1-5]\d{3})\d{3}[^\S\n]*$"


class Documents:
    """Numbers the documents of a treebank that is read in pieces.

    Equal ids (`# newdoc id = X`) are one document; a mark without an id opens a new one. Sentences before the first
    mark are a document. Parallel UD (PUD) has documents even where nothing marks them, since they are in its sentence
    ids: n01001011 is a sentence of n01001.
    """

    def __init__(self) -> None:
        self.marks = 0  # the number of sentences with a mark
        self._numbers: dict[str | int, int] = {}  # of each document by its id; without an id, by its number
        self.last = -1  # the document of the last sentence
        self.starts_unmarked = False  # whether sentences precede the first mark, which are then the document 0

    def add(self, piece: Treebank) -> NDArray[np.int64]:
        """Return the document of each sentence of the next piece, from 0, int64, shape (sentences,)."""
        marks = found_in_comments(_MARK, piece) if b"newdoc" in piece.comments.text else {}
        opened = {} if self.marks else found_in_comments(_PUD, piece)
        if marks:
            first = min(marks)
            opened = {sentence: name for sentence, name in opened.items() if sentence < first} | marks
        if self.last < 0 and len(piece) and 0 not in opened:
            opened = {0: "", **opened}
            self.starts_unmarked = True
        self.marks += len(marks)
        documents = [self.last]
        documents += [
            self._numbers.setdefault(name or len(self._numbers), len(self._numbers)) for name in opened.values()
        ]
        self.last = documents[-1]
        return np.repeat(np.array(documents, dtype=np.int64), np.diff([0, *opened, len(piece)]))

    @property
    def ids(self) -> tuple[str, ...]:
        """The id of each document; a document without an id is called #N if it is the N-th in the file."""
        return tuple(self._label(number) if isinstance(name, int) else name for name, number in self._numbers.items())

    def _label(self, number: int) -> str:
        label = f"#{number + 1}"
        while label in self._numbers:
            label = f"#{label}"
        return label


def found_in_comments(pattern: bytes, piece: Treebank) -> dict[int, str]:
    """The ids in the comments of the sentences that have them, "" for marks without an id."""
    comments, found = piece.comments, dict[int, str]()
    matches = [
        (match.start(), match[1] or b"")
        for match in re.finditer(pattern, comments.text)
        if comments.text[comments.text.rfind(b"\n", 0, match.start()) + 1 : match.start()].strip() == b"#"
    ]
    sentences = np.searchsorted(comments.starts, [place for place, _ in matches], side="right") - 1
    for sentence, (_, name) in zip(sentences.tolist(), matches, strict=True):
        found[sentence] = name.decode().strip() or found.get(sentence, "")
    return found


def marks_text(marks: int, n_documents: int) -> str:
    """Return how marks and documents differ; empty if they do not."""
    if marks > n_documents:
        return f"{count_text(marks)} marks (# newdoc) belong to {count_text(n_documents)} documents"
    if marks == 0 and n_documents > 1:
        return "documents are found by the sentence ids of PUD"
    return "sentences before the first mark (# newdoc) form a document" if 0 < marks < n_documents else ""
