"""The changes between versions of a treebank as tables of data."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, NamedTuple

from levelhead.errors import number_of
from levelhead.tables.data import NOT_A_COLUMN, DataColumn, Layout, columns_of

__all__ = ["ChangeExample", "ChangePattern"]


class ChangeExample(NamedTuple):
    """One place of a change.

    Args:
        old: the index of the sentence in OLD.
        new: its index in NEW.
        form: the word, as written in OLD.
        file: the name of the file if folders are compared; otherwise empty.
    """

    old: int
    new: int
    form: str
    file: str = ""


class ChangePattern(NamedTuple):
    """Changes of one kind.

    Args:
        column: the column, "words", "multiword tokens" or "empty nodes".
        old: the value in OLD; for HEAD, the tag of the head.
        new: the value in NEW.
        changes: the number of changes.
        sentences: the number of sentences with this change.
        examples: the first places, at most three, each in another sentence.
    """

    column: str
    old: str
    new: str
    changes: int
    sentences: int
    examples: Annotated[tuple[ChangeExample, ...], NOT_A_COLUMN]

    def __str__(self) -> str:
        other = "another " * (self.column == "HEAD" and self.old == self.new)
        return f"{self.column}: {self.old} → {other}{self.new} ({number_of(self.changes, 'change')})"


class ChangePlace(NamedTuple):
    """The place of a sentence in both versions.

    Args:
        file: the name of the file if folders are compared; otherwise empty.
        old_sentence: the number of the sentence in OLD, from 1; null if it was added.
        new_sentence: its number in NEW; null if it was removed.
    """

    file: str
    old_sentence: int | None
    new_sentence: int | None


class ChangedSentence(NamedTuple):
    """A sentence that differs between the versions.

    Args:
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


_COLUMN, _OLD, _NEW, _CHANGES, _ = columns_of(ChangePattern)
_PATTERN = DataColumn("pattern", "integer", "The number of the pattern, from 1; the most frequent first", limits=(0,))
_SENT_ID = DataColumn("sent_id", "text", "Its sent_id in NEW", optional=True)
LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "patterns": (_PATTERN, ChangePattern),
        "sentences": (ChangePlace, ChangedSentence),
        "sentence_patterns": (ChangePlace, _COLUMN, _OLD, _NEW, _CHANGES),
        "examples": (_PATTERN, ChangePlace, _SENT_ID, DataColumn("form", "text", "The word, as written in OLD")),
        "files": (FileChanges,),
        "columns": (_COLUMN, _CHANGES),
    }
)
