"""The changes between versions of a treebank as tables of data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from levelhead.comparison.changes import KINDS, AnyChanges, Changes, version_of

if TYPE_CHECKING:
    from levelhead.tables.data import Layout


class PatternRow(NamedTuple):
    """Changes of one kind.

    Args:
        pattern: its number, from 1; the most frequent first.
        column: the column, "words", "multiword tokens" or "empty nodes".
        old: the value in OLD; for HEAD, the tag of the head.
        new: the value in NEW.
        changes: the number of changes.
        sentences: the number of sentences with this change.
    """

    pattern: int
    column: str
    old: str
    new: str
    changes: int
    sentences: int


class ExampleRow(NamedTuple):
    """One place of a pattern.

    Args:
        pattern: the number of the pattern.
        file: the name of the file if folders are compared; otherwise empty.
        old_sentence: the number of the sentence in OLD, from 1.
        new_sentence: its number in NEW.
        sent_id: its sent_id in NEW.
        form: the word, as written in OLD.
    """

    pattern: int
    file: str
    old_sentence: int
    new_sentence: int
    sent_id: str | None
    form: str


class ChangedSentence(NamedTuple):
    """A sentence that differs between the versions.

    Args:
        file: the name of the file if folders are compared; otherwise empty.
        old_sentence: its number in OLD, from 1; null if it was added.
        new_sentence: its number in NEW; null if it was removed.
        sent_id: its sent_id in NEW, or in OLD if it was removed.
        words: the number of its words that are annotated differently in both versions.
        added: whether only NEW has it.
        removed: whether only OLD has it.
        text: whether its text changed.
        tokens: whether it has the same text, but other tokens or words.
        annotation: whether it is annotated differently.
        id: whether its sent_id changed.
        comments: whether its comments changed.
        order: whether it moved.
    """

    file: str
    old_sentence: int | None
    new_sentence: int | None
    sent_id: str | None
    words: int
    added: bool
    removed: bool
    text: bool
    tokens: bool
    annotation: bool
    id: bool
    comments: bool
    order: bool


class SentencePattern(NamedTuple):
    """A change in a sentence.

    Args:
        file: the name of the file if folders are compared; otherwise empty.
        old_sentence: the number of the sentence in OLD, from 1; null if it was added.
        new_sentence: its number in NEW; null if it was removed.
        column: the column, "words", "multiword tokens" or "empty nodes".
        old: the value in OLD; for HEAD, the tag of the head.
        new: the value in NEW.
        changes: the number of changes.
    """

    file: str
    old_sentence: int | None
    new_sentence: int | None
    column: str
    old: str
    new: str
    changes: int


class FileChanges(NamedTuple):
    """The numbers of changed sentences of a file; a sentence can have several kinds of changes.

    Args:
        file: the name of the file if folders are compared; otherwise empty.
        old_sentences: the number of sentences in OLD.
        new_sentences: the number of sentences in NEW.
        old_words: the number of words in OLD.
        new_words: the number of words in NEW.
        kept: the number of sentences in both versions.
        unchanged: the number of sentences that are identical line for line.
        added: the number of sentences that only NEW has.
        removed: the number of sentences that only OLD has.
        text: the number of sentences whose text changed.
        tokens: the number of sentences with the same text, but other tokens or words.
        annotation: the number of sentences that are annotated differently.
        id: the number of sentences whose sent_id changed.
        comments: the number of sentences whose comments changed.
        order: the number of sentences that moved.
    """

    file: str
    old_sentences: int
    new_sentences: int
    old_words: int
    new_words: int
    kept: int
    unchanged: int
    added: int
    removed: int
    text: int
    tokens: int
    annotation: int
    id: int
    comments: int
    order: int


class ColumnChanges(NamedTuple):
    """The number of changes in a column.

    Args:
        column: the column, "words", "multiword tokens" or "empty nodes".
        changes: the number of changes.
    """

    column: str
    changes: int


LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "patterns": (PatternRow,), "sentences": (ChangedSentence,), "sentence_patterns": (SentencePattern,),
        "examples": (ExampleRow,), "files": (FileChanges,), "columns": (ColumnChanges,),
    }
)  # fmt: skip


def rows_of(name: str, changes: AnyChanges) -> Iterable[Any]:
    """Return the rows of a table of changes."""
    if name == "patterns":
        return (PatternRow(number, *pattern[:5]) for number, pattern in enumerate(changes.patterns, 1))
    if name == "columns":
        return (ColumnChanges(column, count) for column, count in changes.by_column.items())
    if name == "examples":
        return _examples(changes)
    rows: Callable[[str, Changes], Iterable[Any]]
    rows = {"files": _file_rows, "sentences": _sentence_rows, "sentence_patterns": _sentence_patterns}[name]
    return (row for file, part in changes.parts.items() for row in rows(file, part))


def _examples(changes: AnyChanges) -> Iterator[ExampleRow]:
    for number, pattern in enumerate(changes.patterns, 1):
        for at in pattern.examples:
            sent_id = changes.parts[at.file].new[at.new].id
            yield ExampleRow(number, at.file, at.old + 1, at.new + 1, sent_id, at.form)


def _file_rows(file: str, part: Changes) -> Iterator[FileChanges]:
    sizes = len(part.old), len(part.new), part.old.n_words, part.new.n_words
    yield FileChanges(file, *sizes, part.n_kept, part.n_unchanged, **part.counts)


def _sentence_rows(file: str, part: Changes) -> Iterator[ChangedSentence]:
    for change in part.sentences:
        old, new = (None if number is None else number + 1 for number in (change.old, change.new))
        kinds = {kind: kind in change.kinds for kind in KINDS}
        yield ChangedSentence(file, old, new, version_of(part, change)[0].id, change.n_words, **kinds)


def _sentence_patterns(file: str, part: Changes) -> Iterator[SentencePattern]:
    for change in part.sentences:
        old, new = (None if number is None else number + 1 for number in (change.old, change.new))
        for pattern, count in change.patterns.items():
            yield SentencePattern(file, old, new, *pattern, count)
