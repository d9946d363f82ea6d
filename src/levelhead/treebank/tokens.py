"""Parts of a treebank: multiword tokens, empty nodes, comments, its file and places in it; the check for trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from levelhead.errors import ConlluError, Fault, Place
from levelhead.immutable import immutable
from levelhead.treebank.strings import Codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.treebank.treebank import Treebank

    Rows = NDArray[np.integer[Any]]

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
        n_words: the number of words of each token, int32, shape (n,). A token can only have 0 words under the
            rules of official scorers.
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
        position: the index, among all words of the treebank, of the word that follows each node, int32, shape (n,),
            ascending. For the node 2.1, this is the index of the third word of the sentence.
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
    """One string per sentence with all its comments; every line ends with a line feed.

    Args:
        text: all comments, in UTF-8.
        starts: the position in `text` at which each sentence's comments begin; the last element is the size of `text`;
            int64, shape (sentences + 1,).
    """

    text: bytes
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, sentence: int) -> str:  # type: ignore[override]
        return self.text[self.starts[sentence] : self.starts[sentence + 1]].decode()

    def take(self, sentences: NDArray[np.intp]) -> Comments:
        """Return the comments of the sentences with the indices `sentences`."""
        parts = [self.text[self.starts[i] : self.starts[i + 1]] for i in sentences]
        return Comments(b"".join(parts), np.cumsum([0, *map(len, parts)], dtype=np.int64))


@immutable
class Source:
    """The source of a treebank.

    Args:
        path: the path of the file as given, or None for a treebank created in Python.
        sha256: the hash of the file's bytes after decompression.
        lines: the number of the line after each sentence's comments, int32, shape (sentences,); empty for a treebank
            created in Python.
        warnings: the warnings about the file.
        skipped: for each line that an official scorer skips (such as an empty node), the index of the word that follows
            this line, int32.
        n_blank: under "msp25", the number of blank lines at the end, which the official scorer reads as sentences.
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
