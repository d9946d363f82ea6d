"""What changed between two versions of a treebank, or between two folders of treebanks such as releases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from levelhead.errors import number_of, printable
from levelhead.immutable import immutable
from levelhead.tables.data import NOT_A_COLUMN, DataColumn, Layout, columns_of
from levelhead.tables.table import Cell, Column, Detail, Table
from levelhead.tabular import Tabular
from levelhead.treebank import Sentence, Treebank
from levelhead.treebank.provenance import Provenance, releases_of_all
from levelhead.treebank.tokens import FIELDS


class ChangeExample(NamedTuple):
    """An example of a change.

    Args:
        old: the index of the sentence in the old version.
        new: the index of the sentence in the new version.
        form: the changed word, as written in the old version.
        file: the name of the file if folders are compared; otherwise "".
    """

    old: int
    new: int
    form: str
    file: str = ""


class ChangePattern(NamedTuple):
    """Changes from one value of a column to another.

    Args:
        column: the changed column, or "words", "multiword tokens" or "empty nodes".
        old: the old value; for HEAD, the tag of the head.
        new: the new value.
        changes: the number of changes.
        sentences: the number of sentences that have such changes.
        examples: up to three examples, each from a different sentence.
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


_PLACE: Layout = (
    DataColumn("file", "text", "The name of the file if folders are compared; otherwise empty"),
    DataColumn(
        *("old_sentence", "integer", "The number of the sentence in OLD, from 1; null if it was added"),
        optional=True, limits=(0,),
    ),
    DataColumn("new_sentence", "integer", "Its number in NEW; null if it was removed", optional=True, limits=(0,)),
)  # fmt: skip
_COLUMN, _OLD, _NEW, _CHANGES, _ = columns_of(ChangePattern)
_PATTERN = DataColumn("pattern", "integer", "The number of the pattern, from 1; the most frequent first", limits=(0,))

_KINDS = {  # in words, of one sentence, and of several
    "added": ("added", "only NEW has it", "that only NEW has"),
    "removed": ("removed", "only OLD has it", "that only OLD has"),
    "text": ("with changed text", "its text changed", "whose text changed"),
    "tokens": (
        *("re-tokenized", "it has the same text, but other tokens or words"),
        "with the same text, but other tokens or words",
    ),
    "annotation": ("re-annotated", "it is annotated differently", "that are annotated differently"),
    "id": ("with changed sent_id", "its sent_id changed", "whose sent_id changed"),
    "comments": ("with changed comments", "its comments changed", "whose comments changed"),
    "order": ("moved", "it moved", "that moved"),
}
KINDS: Mapping[str, str] = MappingProxyType({kind: in_words for kind, (in_words, _, _) in _KINDS.items()})
"""The kinds of changes of sentences, in words. The first two exclude all others."""

_SHOWN = ("added", "removed", "text", "tokens", "annotation")  # in the readable table of files

_CHANGED_SENTENCE = (
    DataColumn("sent_id", "text", "Its sent_id in NEW, or in OLD if it was removed", optional=True),
    DataColumn("words", "integer", "The number of its words whose annotation has changed", limits=(0,)),
    *(DataColumn(kind, "boolean", f"Whether {of_one}") for kind, (_, of_one, _) in _KINDS.items()),
)
_FILE_CHANGES = tuple(
    DataColumn(name, "integer", f"The number of {about}", limits=(0,))
    for name, about in (
        *(
            (f"{side}_{what}", f"{what} in {side.upper()}")
            for what in ("sentences", "words")
            for side in ("old", "new")
        ),
        ("kept", "sentences in both versions"),
        ("unchanged", "sentences that are identical line for line"),
        *((kind, f"sentences {of_several}") for kind, (_, _, of_several) in _KINDS.items()),
    )
)

ABSENT = "-"  # shown in a pattern for an attribute, edge, word or token that one version lacks

WORDS = "words"

Rows = Literal["pattern", "sentence", "file"]  # the rows of a table

_MOST_LISTED = 3
_MOST_PATTERNS = 10

_FILE = Column("File", "text")


class SentenceChange(NamedTuple):
    """A sentence that differs between two versions.

    Args:
        old: the index of the sentence in the old version; None if it was added.
        new: the index of the sentence in the new version; None if it was removed.
        kinds: the kinds of changes, such as "removed"; `KINDS` lists all kinds.
        n_words: the number of words whose annotation differs.
        patterns: a mapping from each pattern of changes (column, old value, new value) to the number of changes.
    """

    old: int | None
    new: int | None
    kinds: tuple[str, ...]
    n_words: int = 0
    patterns: Mapping[tuple[str, str, str], int] = MappingProxyType({})


class Changes(Tabular):
    """The changes between two versions of a treebank or of a folder.

    Args:
        parts: a mapping from the name of each file to the changes in this file; for a single treebank, the name is "".
        patterns: the patterns of changes (column, old value and new value), the most frequent first.
        provenance: the settings and files behind the numbers.
    """

    KIND: ClassVar[str] = "diff"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "patterns": (_PATTERN, ChangePattern),
        "sentences": (*_PLACE, *_CHANGED_SENTENCE),
        "sentence_patterns": (*_PLACE, _COLUMN, _OLD, _NEW, _CHANGES),
        "examples": (
            *(_PATTERN, *_PLACE, DataColumn("sent_id", "text", "Its sent_id in NEW", optional=True)),
            DataColumn("form", "text", "The word, as written in OLD"),
        ),
        "files": (_PLACE[0], *_FILE_CHANGES),
        "columns": (_COLUMN, _CHANGES),
    }
    of_folder: ClassVar[bool] = False

    parts: Mapping[str, TreebankChanges]
    patterns: tuple[ChangePattern, ...]
    provenance: Provenance

    @property
    def verdict(self) -> str:
        """A text that gives the number of changed sentences and the most frequent change."""
        kinds = [f"{n:,} {KINDS[kind]}" for kind, n in self.counts.items() if n]
        if not kinds:
            return "Nothing has changed."
        n_all = self.n_kept + self.counts["removed"] + self.counts["added"]
        most = f" The most frequent change: {self.patterns[0]}." if self.patterns else ""
        sides = [[pair[side] for pair in self.provenance.files.values() if side in pair] for side in ("old", "new")]
        old, new = map(releases_of_all, sides)
        versions = f"UD {old} to {new}: " if old and new else ""
        changed = f"{n_all - self.n_unchanged:,} of {number_of(n_all, 'sentence')} have changed"
        return f"{versions}{changed} ({', '.join(kinds)}).{most}"

    @property
    def counts(self) -> dict[str, int]:
        """The number of sentences with each kind of change. A sentence can have several kinds of changes."""
        sentences = (sentence for part in self.parts.values() for sentence in part.sentences)
        counts = Counter(kind for sentence in sentences for kind in sentence.kinds)
        return {kind: counts[kind] for kind in KINDS}

    @property
    def n_kept(self) -> int:
        """The number of sentences that are in both versions, with or without changes."""
        return sum(len(part.old) for part in self.parts.values()) - self.counts["removed"]

    @property
    def n_unchanged(self) -> int:
        """The number of sentences that are the same in both versions, line for line."""
        return sum(len(part.old) - len(part.sentences) for part in self.parts.values()) + self.counts["added"]

    @property
    def by_column(self) -> dict[str, int]:
        """The number of changed values in each column."""
        counts = {pattern.column: 0 for pattern in sorted(self.patterns, key=lambda each: column_order(each.column))}
        for pattern in self.patterns:
            counts[pattern.column] += pattern.changes
        return counts

    def table(self, *, by: Rows = "pattern") -> Table:
        """Return the table chosen with `by`: patterns of changes, changed sentences, or files."""
        rows: Iterator[tuple[Cell, ...]]
        notes: tuple[str, ...] = ()
        if by == "file":
            kinds = (Column(name.capitalize(), "number") for name in _SHOWN)
            columns = (_FILE, *(Column(name, "number") for name in ("Old", "New", "Unchanged")), *kinds)
            rows = (
                (printable(name), len(part.old), len(part.new), part.n_unchanged, *map(part.counts.get, _SHOWN))
                for name, part in self.parts.items()
            )
            notes = (
                Detail("numbers of sentences; Text: changed text, Tokens: re-tokenized, Annotation: re-annotated"),
            )
        elif by == "sentence":
            columns = (
                *[_FILE] * self.of_folder,
                *(Column("Old", "number"), Column("New", "number"), Column("sent_id", "text")),
                *(Column("Change", "text"), Column("Words", "number"), Column("Patterns", "text")),
            )
            rows = (
                (
                    *[printable(name)] * self.of_folder,
                    *numbers,
                    printable(version_of(part, change)[0].id or ""),
                    ", ".join(KINDS[kind] for kind in change.kinds),
                    change.n_words,
                    printable(
                        "; ".join(
                            f"{column} {old} -> {new}{f' ({count})' if count > 1 else ''}"
                            for (column, old, new), count in change.patterns.items()
                        )
                    ),
                )
                for (name, *numbers), part, change in self._changed()
            )
            notes = (Detail("Old, New: number of the sentence; Words: number of re-annotated words"),)
        else:
            columns = (
                *(Column("Column", "text"), Column("Old", "text"), Column("New", "text")),
                *(Column("Count", "number"), Column("Sentences", "number"), Column("Example", "text")),
            )
            rows = (
                (*map(printable, pattern[:3]), *pattern[3:5], printable(f"{first.form} ({place})"))
                for pattern in self.patterns
                for first, place in self._places(pattern.examples[:1])
            )
        return Table(columns, tuple(rows), notes).signed(self.provenance)

    def _places(self, examples: Iterable[ChangeExample]) -> Iterator[tuple[ChangeExample, str]]:
        return ((example, _name(self.parts[example.file].new[example.new], example.new)) for example in examples)

    def summary_table(self) -> Table:
        """Return a table with the number of sentences for each kind of change, and the first few of these sentences."""
        columns = (Column("Sentences", "text"), Column("Count", "number"), Column("Which", "text"))
        rows = [
            (KINDS[kind], count, printable(" ".join(names) + more))
            for kind, count, names, more in self._counted_names()
        ]
        sizes = Detail(f"Old: {_sizes_text(self, 'old')}"), Detail(f"New: {_sizes_text(self, 'new')}")
        return Table(columns, (("unchanged", self.n_unchanged, ""), *rows), sizes).signed(self.provenance)

    def _counted_names(self) -> Iterator[tuple[str, int, list[str], str]]:
        """Each kind of change, its number, the first sentences in NEW (or OLD if removed), and dots for others."""
        every = [(part, change) for part in self.parts.values() for change in part.sentences]
        for kind, count in self.counts.items():
            some = islice((pair for pair in every if kind in pair[1].kinds), _MOST_LISTED)
            if count:
                yield kind, count, [_name(*version_of(*pair)) for pair in some], " ..." * (count > _MOST_LISTED)

    def text_tables(self) -> tuple[Table, ...]:
        """Return a table of kinds of changes and a table of patterns; for folders, a table of files comes first."""
        files, patterns = self.table(by="file"), self.table(by="pattern")
        return *[files] * self.of_folder, self.summary_table(), *[patterns] * bool(self.patterns)

    def _patterns_rows(self) -> Iterator[tuple[int, ChangePattern]]:
        return enumerate(self.patterns, 1)

    def _examples_rows(self) -> Iterator[tuple[Any, ...]]:
        for number, pattern in enumerate(self.patterns, 1):
            for at in pattern.examples:
                sent_id = self.parts[at.file].new[at.new].id
                yield number, at.file, at.old + 1, at.new + 1, sent_id, at.form

    def _columns_rows(self) -> Iterable[tuple[str, int]]:
        return self.by_column.items()

    def _files_rows(self) -> Iterator[tuple[Any, ...]]:
        for file, part in self.parts.items():
            sizes = len(part.old), len(part.new), part.old.n_words, part.new.n_words
            yield file, *sizes, part.n_kept, part.n_unchanged, *part.counts.values()

    def _changed(self) -> Iterator[tuple[tuple[str, int | None, int | None], TreebankChanges, SentenceChange]]:
        for file, part in self.parts.items():
            for change in part.sentences:
                old, new = (None if index is None else index + 1 for index in (change.old, change.new))
                yield (file, old, new), part, change

    def _sentences_rows(self) -> Iterator[tuple[Any, ...]]:
        for place, part, change in self._changed():
            kinds = (kind in change.kinds for kind in KINDS)
            yield *place, version_of(part, change)[0].id, change.n_words, *kinds

    def _sentence_patterns_rows(self) -> Iterator[tuple[Any, ...]]:
        for place, _, change in self._changed():
            yield from ((*place, *pattern, count) for pattern, count in change.patterns.items())

    def changelog(self, most: int | None = _MOST_PATTERNS) -> str:
        """Return a draft changelog in Markdown with at most `most` patterns of changes per column (all if None)."""
        lines = ["# Changes", "", f"{_sizes_text(self, 'new')} (before: {_sizes_text(self, 'old')}).", ""]
        notes = [f"- {_markdown(note)}" for note in self.provenance.notes]
        lines += [*notes, *[""] * bool(notes), "## Sentences", ""]
        for kind, count, names, more in self._counted_names():
            lines.append(f"- {KINDS[kind]}: {count} ({', '.join(map(_markdown, names))}{',' * bool(more)}{more})")
        lines.append(f"- unchanged: {self.n_unchanged}")
        for column, total in self.by_column.items():
            patterns = [pattern for pattern in self.patterns if pattern.column == column]
            lines += ["", f"## {column}: {number_of(total, 'change')}", ""]
            for pattern in patterns[:most]:
                places = self._places(pattern.examples)
                examples = ", ".join(f"*{_markdown(at.form)}* ({_markdown(place)})" for at, place in places)
                old, new = ("(none)" if text == ABSENT else _markdown(text) for text in (pattern.old, pattern.new))
                lines.append(f"- {old} → {new}: {pattern.changes}, for example {examples}")
            if most is not None and len(patterns) > most:
                lines.append(f"- {number_of(len(patterns) - most, 'more pattern')}")
        return "\n".join([*lines, ""])


@immutable
class TreebankChanges(Changes):
    """The changes between two versions of a treebank.

    Args:
        old: the old version.
        new: the new version.
        sentences: the changed sentences, in the order of the new version. A removed sentence comes right after
            the sentence that preceded it in the old version.
    """

    old: Treebank
    new: Treebank
    sentences: tuple[SentenceChange, ...]
    patterns: tuple[ChangePattern, ...]
    provenance: Provenance

    @property
    def parts(self) -> Mapping[str, TreebankChanges]:  # type: ignore[override]
        """A mapping with these changes under the key "". For folders, the keys are names of files."""
        return {"": self}


@immutable
class ReleaseChanges(Changes):
    """The changes between two folders of treebanks.

    Args:
        only_old: the files that only the old folder has; all sentences in these files count as removed.
        only_new: the files that only the new folder has; all sentences in these files count as added.
        n_refiled: the number of sentences that have moved to another file without changes in their words.
    """

    of_folder = True

    parts: Mapping[str, TreebankChanges]
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    patterns: tuple[ChangePattern, ...]
    n_refiled: int
    provenance: Provenance


def _sizes_text(changes: Changes, side: Literal["old", "new"]) -> str:
    """The numbers of sentences and words in one version, and of files if it is a folder."""
    treebanks: list[Treebank] = [getattr(part, side) for part in changes.parts.values()]
    files = {"file": sum(len(treebank) > 0 for treebank in treebanks)} if changes.of_folder else {}
    sizes = {**files, "sentence": sum(map(len, treebanks)), "word": sum(treebank.n_words for treebank in treebanks)}
    return ", ".join(number_of(n, name) for name, n in sizes.items())


def column_order(column: str) -> tuple[int, str]:
    order = (WORDS, *FIELDS)
    return (order.index(column) if column in order else len(order)), column


def _name(sentence: Sentence, number: int) -> str:
    return sentence.id or f"sentence {number + 1}"


def version_of(part: TreebankChanges, change: SentenceChange) -> tuple[Sentence, int]:
    """The sentence in NEW, or in OLD if it was removed, and its index."""
    treebank, number = (part.old, change.old) if change.new is None else (part.new, change.new)
    return treebank[number or 0], number or 0


def _markdown(text: str) -> str:
    """Text of a treebank for Markdown, with all markup escaped."""
    escaped = re.sub(r"([\\`*_\[\]#|~!])", r"\\\1", printable(text))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
