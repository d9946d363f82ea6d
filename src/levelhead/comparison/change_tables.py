"""Changes between two versions of treebanks as tables, text, a JSON document and a changelog."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from levelhead.comparison.changed_cells import ABSENT, KINDS, WORDS
from levelhead.errors import number_of, printable
from levelhead.tables.documents import header, signature_line
from levelhead.tables.table import Cell, Column, Table
from levelhead.tables.writers import to_text
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank
from levelhead.treebank.provenance import Provenance, sources_document
from levelhead.treebank.tokens import FIELDS

if TYPE_CHECKING:
    from levelhead.comparison.changes import ChangeExample, ChangePattern, Changes, SentenceChange

Rows = Literal["pattern", "sentence", "file"]
"""The rows of a table."""

_MOST_LISTED = 3
_MOST_PATTERNS = 10

_FILE = Column("File", "text")
_SENTENCES = (
    Column("Old", "number"), Column("New", "number"), Column("sent_id", "text"), Column("Change", "text"),
    Column("Words", "number"), Column("Patterns", "text"),
)  # fmt: skip
_PATTERNS = (
    Column("Column", "text"), Column("Old", "text"), Column("New", "text"), Column("Count", "number"),
    Column("Sentences", "number"), Column("Example", "text"),
)  # fmt: skip
_SHORT = {"added": "Added", "removed": "Removed", "text": "Text", "tokens": "Tokens", "annotation": "Annotation"}
"""The kinds of changes that have a column in the readable table of files, with the heads."""

_ORDER = (WORDS, *FIELDS)

Side = Literal["old", "new"]


class AnyChanges(Tabular):
    """The changes of a file, or of the files of a folder."""

    of_folder: ClassVar[bool] = False

    parts: Mapping[str, Changes]
    patterns: tuple[ChangePattern, ...]
    n_refiled: int
    provenance: Provenance

    @property
    def counts(self) -> dict[str, int]:
        """The number of changed sentences by kind; a sentence can have several kinds."""
        sentences = (sentence for part in self.parts.values() for sentence in part.sentences)
        counts = Counter(kind for sentence in sentences for kind in sentence.kinds)
        return {kind: counts[kind] for kind in KINDS}

    @property
    def n_kept(self) -> int:
        """The number of sentences in both versions of a file."""
        return sum(len(part.old) for part in self.parts.values()) - self.counts["removed"]

    @property
    def n_unchanged(self) -> int:
        """The number of sentences that are identical line for line."""
        n_listed = sum(len(part.sentences) for part in self.parts.values())
        return sum(len(part.old) for part in self.parts.values()) - n_listed + self.counts["added"]

    @property
    def by_column(self) -> dict[str, int]:
        """The number of changes in each column."""
        counts: Counter[str] = Counter()
        for pattern in self.patterns:
            counts[pattern.column] += pattern.n_changes
        return dict(sorted(counts.items(), key=lambda item: column_order(item[0])))

    def table(self, *, by: Rows = "pattern", most: int | None = None) -> Table:
        """Return the changes, one row per pattern, sentence or file.

        Args:
            by: what each row is.
            most: the largest number of rows.
        """
        signature = signature_line(self.provenance.signature)
        if by == "file":
            return self._files_table(most, signature)
        if by == "pattern":
            return Table(_PATTERNS, tuple(self._pattern_row(pattern) for pattern in self.patterns[:most]), (signature,))
        rows: Iterator[tuple[Cell, ...]] = (
            (*((printable(name),) if self.of_folder else ()), *_sentence_row(part, sentence))
            for name, part in self.parts.items()
            for sentence in part.sentences
        )
        note = "Old, New: number of the sentence; Words: number of re-annotated words"
        columns = (*((_FILE,) if self.of_folder else ()), *_SENTENCES)
        return Table(columns, tuple(islice(rows, most)), (note, signature))

    def _pattern_row(self, pattern: ChangePattern) -> tuple[Cell, ...]:
        texts = (printable(text) for text in (pattern.column, pattern.old, pattern.new))
        example = pattern.examples[0]
        place = printable(f"{example.form} ({self._place(example)})")
        return (*texts, pattern.n_changes, pattern.n_sentences, place)

    def _files_table(self, most: int | None, signature: str) -> Table:
        kinds = (
            Column(_SHORT.get(kind, kind), "number", key=KINDS[kind], tidy_only=kind not in _SHORT) for kind in KINDS
        )
        columns = (_FILE, *(Column(name, "number") for name in ("Old", "New", "Unchanged")), *kinds)
        rows: Iterator[tuple[Cell, ...]] = (
            (printable(name), len(part.old), len(part.new), part.n_unchanged, *part.counts.values())
            for name, part in self.parts.items()
        )
        heads = "numbers of sentences; Text: text changed, Tokens: re-tokenized, Annotation: re-annotated"
        return Table(columns, tuple(islice(rows, most)), (heads, signature))

    def summary_table(self) -> Table:
        """Return the number of sentences with each kind of change, one per row."""
        columns = (Column("Sentences", "text"), Column("Count", "number"), Column("Which", "text"))
        rows: list[tuple[Cell, ...]] = [("unchanged", self.n_unchanged, "")]
        for kind, count in self.counts.items():
            if count:
                names, more = self._names(kind)
                rows.append((KINDS[kind], count, printable(" ".join(names) + more)))
        return Table(columns, tuple(rows))

    def _place(self, example: ChangeExample) -> str:
        return _name(self.parts[example.file].new, example.new)

    def _names(self, kind: str) -> tuple[list[str], str]:
        """The names of the first sentences with a kind of change, in NEW (or OLD if removed), and dots for others."""
        some = ((part, change) for part in self.parts.values() for change in part.sentences if kind in change.kinds)
        names = [
            _name(part.old, change.old)
            if change.new is None and change.old is not None
            else _name(part.new, change.new or 0)
            for part, change in islice(some, _MOST_LISTED + 1)
        ]
        return names[:_MOST_LISTED], " ..." if len(names) > _MOST_LISTED else ""

    def text(self, most: int | None = None) -> str:
        """Return a summary of the sentences and the most frequent patterns as text.

        Args:
            most: the largest number of patterns and files; by default 10.
        """
        shown = most or _MOST_PATTERNS
        tables = [self.summary_table()]
        if self.of_folder:
            tables.insert(0, self._shortened("file", len(self.parts), shown))
        if self.patterns:
            tables.append(self._shortened("pattern", len(self.patterns), shown))
        notes = (*tables[-1].notes, signature_line(self.provenance.signature))
        tables[-1] = tables[-1]._replace(notes=notes)
        sizes = f"Old: {self._size('old')}\nNew: {self._size('new')}\n"
        return "\n".join([sizes, *(to_text(table, 2) for table in tables)])

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def _shortened(self, by: Rows, n_rows: int, most: int) -> Table:
        """The first rows of a table without its signature, with a note on the number of other rows."""
        table, hidden = self.table(by=by, most=most), n_rows - most
        more = (f"{number_of(hidden, f'more {by}')}: --by {by}",) if hidden > 0 else ()
        return table._replace(notes=(*more, *table.notes[:-1]))

    def _size(self, side: Side) -> str:
        return ", ".join(number_of(n, name.removesuffix("s")) for name, n in _sizes(self, side).items())

    def to_dict(self, *, most: int | None = None) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`.

        Args:
            most: the largest number of patterns.
        """
        parts = {name: {**_counted(part), **_sentences(part, most)} for name, part in self.parts.items()}
        return {
            **header("diff", self.provenance.signature),
            **_counted(self),
            "patterns": [self._pattern_document(pattern) for pattern in self.patterns[:most]],
            **({"treebanks": parts, "refiled": self.n_refiled} if self.of_folder else _sentences(self, most)),
            **sources_document(self.provenance),
        }

    def _pattern_document(self, pattern: ChangePattern) -> dict[str, Any]:
        return {
            "column": pattern.column,
            "old": pattern.old,
            "new": pattern.new,
            "count": pattern.n_changes,
            "sentences": pattern.n_sentences,
            "examples": [
                {
                    **({"treebank": at.file} if self.of_folder else {}),
                    "old": at.old + 1,
                    "new": at.new + 1,
                    "sent_id": self.parts[at.file].new[at.new].id,
                    "form": at.form,
                }
                for at in pattern.examples
            ],
        }

    def changelog(self, most: int | None = None) -> str:
        """Return the draft of a changelog in Markdown.

        Args:
            most: the largest number of patterns of each column; by default 10.
        """
        return "\n".join([*self._changed_sentences(), *self._changed_columns(most or _MOST_PATTERNS), ""])

    def _changed_sentences(self) -> Iterator[str]:
        yield from ("# Changes", "", f"{self._size('new')} (before: {self._size('old')}).", "")
        yield from (f"- {_markdown(note)}" for note in self.provenance.notes)
        yield from [""] * bool(self.provenance.notes)
        yield from ("## Sentences", "")
        for kind, count in self.counts.items():
            if count:
                names, more = self._names(kind)
                yield f"- {KINDS[kind]}: {count} ({', '.join(map(_markdown, names))}{',' * bool(more)}{more})"
        yield f"- unchanged: {self.n_unchanged}"

    def _changed_columns(self, most: int) -> Iterator[str]:
        for column, total in self.by_column.items():
            some = [pattern for pattern in self.patterns if pattern.column == column]
            yield from ("", f"## {column}: {number_of(total, 'change')}", "")
            for pattern in some[:most]:
                places = ((_markdown(at.form), _markdown(self._place(at))) for at in pattern.examples)
                examples = ", ".join(f"*{form}* ({place})" for form, place in places)
                change = f"{_value(pattern.old)} → {_value(pattern.new)}: {pattern.n_changes}"
                yield f"- {change}, for example {examples}"
            if len(some) > most:
                yield f"- {number_of(len(some) - most, 'more pattern')}"


def _sizes(changes: AnyChanges, side: Side) -> dict[str, int]:
    """The numbers of sentences and words in one version, and of files if it is a folder."""
    treebanks: list[Treebank] = [getattr(part, side) for part in changes.parts.values()]
    files = {"files": sum(len(treebank) > 0 for treebank in treebanks)} if changes.of_folder else {}
    words = sum(treebank.n_words for treebank in treebanks)
    return {**files, "sentences": sum(map(len, treebanks)), "words": words}


def _counted(changes: AnyChanges) -> dict[str, Any]:
    return {
        "old": _sizes(changes, "old"),
        "new": _sizes(changes, "new"),
        "kept": changes.n_kept,
        "unchanged": changes.n_unchanged,
        "counts": changes.counts,
        "columns": changes.by_column,
    }


def _sentences(changes: AnyChanges, most: int | None) -> dict[str, Any]:
    """The changed sentences of a file."""
    (part,) = changes.parts.values()
    return {"sentences": [_sentence_document(part, sentence) for sentence in part.sentences[:most]]}


def column_order(column: str) -> tuple[int, str]:
    """Return the key by which columns are sorted."""
    return (_ORDER.index(column) if column in _ORDER else len(_ORDER)), column


def _sentence_row(changes: Changes, sentence: SentenceChange) -> tuple[Cell, ...]:
    numbers = (None if index is None else index + 1 for index in (sentence.old, sentence.new))
    patterns = "; ".join(
        f"{column} {old} -> {new}{f' ({count})' if count > 1 else ''}"
        for (column, old, new), count in sentence.patterns.items()
    )
    change = ", ".join(KINDS[kind] for kind in sentence.kinds)
    return (*numbers, printable(_id(changes, sentence) or ""), change, sentence.n_words, printable(patterns))


def _name(treebank: Treebank, sentence: int) -> str:
    return treebank[sentence].id or f"sentence {sentence + 1}"


def _id(changes: Changes, change: SentenceChange) -> str | None:
    """The sent_id in NEW, or in OLD if the sentence was removed."""
    if change.new is not None:
        return changes.new[change.new].id
    return None if change.old is None else changes.old[change.old].id


def _sentence_document(changes: Changes, change: SentenceChange) -> dict[str, Any]:
    return {
        "old": None if change.old is None else change.old + 1,
        "new": None if change.new is None else change.new + 1,
        "sent_id": _id(changes, change),
        "changes": list(change.kinds),
        "words": change.n_words,
        "patterns": [
            {"column": column, "old": old, "new": new, "count": count}
            for (column, old, new), count in change.patterns.items()
        ],
    }


def _value(text: str) -> str:
    return "(none)" if text == ABSENT else _markdown(text)


def _markdown(text: str) -> str:
    """Text of a treebank for Markdown, with all markup escaped."""
    escaped = re.sub(r"([\\`*_\[\]#|~!])", r"\\\1", printable(text))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
