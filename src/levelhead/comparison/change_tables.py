"""Changes between two versions of treebanks as tables, text, a JSON document and a changelog."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from levelhead.comparison.changed_cells import ABSENT, KINDS
from levelhead.errors import number_of, printable
from levelhead.tables.documents import header, signature_line
from levelhead.tables.table import Cell, Column, Table
from levelhead.tables.writers import to_text
from levelhead.treebank import Treebank
from levelhead.treebank.provenance import sources_document

if TYPE_CHECKING:
    from levelhead.comparison.changes import ChangeExample, ChangePattern, Changes, SentenceChange
    from levelhead.comparison.release_changes import ReleaseChanges

AnyChanges: TypeAlias = "Changes | ReleaseChanges"
"""The changes of a file, or of the files of a folder."""

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


def changes_table(changes: AnyChanges, by: Rows = "pattern", most: int | None = None) -> Table:
    """Return the changes, one row per pattern, sentence or file."""
    notes: tuple[str, ...] = (signature_line(changes.provenance.signature),)
    if by == "file":
        return _files_table(changes, most, notes)
    if by == "sentence":
        rows = tuple(islice(_sentence_rows(changes), most))
        notes = ("Old, New: number of the sentence; Words: number of re-annotated words", *notes)
        return Table((*_file_column(changes), *_SENTENCES), rows, notes)
    return Table(_PATTERNS, tuple(_pattern_row(changes, pattern) for pattern in changes.patterns[:most]), notes)


def _file_column(changes: AnyChanges) -> tuple[Column, ...]:
    """The column for the names of files, if folders were compared."""
    return (_FILE,) if changes.of_folder is True else ()


def _sentence_rows(changes: AnyChanges) -> Iterator[tuple[Cell, ...]]:
    for name, part in changes.parts.items():
        file = (printable(name),) if _file_column(changes) else ()
        yield from ((*file, *_sentence_row(part, sentence)) for sentence in part.sentences)


def _sentence_row(changes: Changes, one: SentenceChange) -> tuple[Cell, ...]:
    numbers = (None if index is None else index + 1 for index in (one.old, one.new))
    patterns = "; ".join(_pattern_text(*key, count) for key, count in one.patterns.items())
    change = ", ".join(KINDS[kind] for kind in one.kinds)
    return (*numbers, printable(_id(changes, one) or ""), change, one.n_words, printable(patterns))


def _pattern_text(column: str, old: str, new: str, count: int) -> str:
    return f"{column} {old} -> {new}" + (f" ({count})" if count > 1 else "")


def _pattern_row(changes: AnyChanges, pattern: ChangePattern) -> tuple[Cell, ...]:
    texts = (printable(text) for text in (pattern.column, pattern.old, pattern.new))
    return (*texts, pattern.n_changes, pattern.n_sentences, printable(_example(changes, pattern.examples[0])))


def _files_table(changes: AnyChanges, most: int | None, notes: tuple[str, ...]) -> Table:
    kinds = (Column(_SHORT.get(kind, kind), "number", key=KINDS[kind], tidy_only=kind not in _SHORT) for kind in KINDS)
    columns = (_FILE, Column("Old", "number"), Column("New", "number"), Column("Unchanged", "number"), *kinds)
    rows: list[tuple[Cell, ...]] = [
        (printable(name), len(part.old), len(part.new), part.n_unchanged, *part.counts.values())
        for name, part in changes.parts.items()
    ]
    heads = "numbers of sentences; Text: text changed, Tokens: re-tokenized, Annotation: re-annotated"
    return Table(columns, tuple(rows[:most]), (heads, *notes))


def _example(changes: AnyChanges, example: ChangeExample) -> str:
    return f"{example.form} ({_place(changes, example)})"


def _place(changes: AnyChanges, example: ChangeExample) -> str:
    return _name(changes.parts[example.file].new, example.new)


def _name(treebank: Treebank, sentence: int) -> str:
    return treebank[sentence].id or f"sentence {sentence + 1}"


def _id(changes: Changes, change: SentenceChange) -> str | None:
    """The sent_id in NEW, or in OLD if the sentence was removed."""
    if change.new is not None:
        return changes.new[change.new].id
    return None if change.old is None else changes.old[change.old].id


def _names(changes: AnyChanges, kind: str) -> list[str]:
    """The names of the first sentences with a kind of change, in NEW (or OLD if removed); one more than are listed."""
    some = ((part, change) for part in changes.parts.values() for change in part.sentences if kind in change.kinds)
    return [
        _name(part.old, change.old)
        if change.new is None and change.old is not None
        else _name(part.new, change.new or 0)
        for part, change in islice(some, _MOST_LISTED + 1)
    ]


def changes_text(changes: AnyChanges, most: int | None = None) -> str:
    """Return a summary of the sentences and the most frequent patterns as text."""
    shown = most or _MOST_PATTERNS
    tables = [summary_table(changes)]
    if changes.of_folder is True:
        tables.insert(0, _shortened(changes, "file", len(changes.parts), shown))
    if changes.patterns:
        tables.append(_shortened(changes, "pattern", len(changes.patterns), shown))
    notes = (*tables[-1].notes, signature_line(changes.provenance.signature))
    tables[-1] = tables[-1]._replace(notes=notes)
    sizes = f"Old: {_size(changes, 'old')}\nNew: {_size(changes, 'new')}\n"
    return "\n".join([sizes, *(to_text(table, 2) for table in tables)])


def _shortened(changes: AnyChanges, by: Rows, n_rows: int, most: int) -> Table:
    """The first rows of a table without its signature, with a note on the number of other rows."""
    table, hidden = changes_table(changes, by, most), n_rows - most
    more = (f"{number_of(hidden, f'more {by}')}: --by {by}",) if hidden > 0 else ()
    return table._replace(notes=(*more, *table.notes[:-1]))


def _size(changes: AnyChanges, side: Literal["old", "new"]) -> str:
    sizes = _sizes(changes, side)
    files = f"{number_of(sizes['files'], 'file')}, " if "files" in sizes else ""
    return f"{files}{number_of(sizes['sentences'], 'sentence')}, {number_of(sizes['words'], 'word')}"


def _sizes(changes: AnyChanges, side: Literal["old", "new"]) -> dict[str, int]:
    """The numbers of sentences and words in one version, and of files if it is a folder."""
    treebanks = [getattr(part, side) for part in changes.parts.values()]
    files = {"files": sum(map(bool, map(len, treebanks)))} if changes.of_folder is True else {}
    return {**files, "sentences": sum(map(len, treebanks)), "words": sum(treebank.n_words for treebank in treebanks)}


def summary_table(changes: AnyChanges) -> Table:
    """Return the number of sentences with each kind of change, one per row."""
    columns = (Column("Sentences", "text"), Column("Count", "number"), Column("Which", "text"))
    counts = [(KINDS[kind], count, _listed(_names(changes, kind))) for kind, count in changes.counts.items() if count]
    rows: tuple[tuple[Cell, ...], ...] = (("unchanged", changes.n_unchanged, ""), *counts)
    return Table(columns, rows)


def _listed(names: list[str]) -> str:
    return printable(" ".join(names[:_MOST_LISTED]) + (" ..." if len(names) > _MOST_LISTED else ""))


def changes_document(changes: AnyChanges, most: int | None = None) -> dict[str, Any]:
    """Return the changes for JSON, with patterns and changed sentences."""
    return {
        **header("diff", changes.provenance.signature),
        "old": _sizes(changes, "old"),
        "new": _sizes(changes, "new"),
        **_counts(changes),
        "patterns": [_pattern_document(changes, pattern) for pattern in changes.patterns[:most]],
        **_by_part(changes, most),
        **sources_document(changes.provenance),
    }


def _counts(changes: AnyChanges) -> dict[str, Any]:
    return {
        "kept": changes.n_kept,
        "unchanged": changes.n_unchanged,
        "counts": changes.counts,
        "columns": changes.by_column,
    }


def _by_part(changes: AnyChanges, most: int | None) -> dict[str, Any]:
    """The sentences of a file, or the changes of each file of a folder."""
    if changes.of_folder is False:
        return {"sentences": [_sentence_document(changes, sentence) for sentence in changes.sentences[:most]]}
    parts = {
        name: {"old": _sizes(part, "old"), "new": _sizes(part, "new"), **_counts(part), **_by_part(part, most)}
        for name, part in changes.parts.items()
    }
    return {"treebanks": parts, "refiled": changes.n_refiled}


def _pattern_document(changes: AnyChanges, pattern: ChangePattern) -> dict[str, Any]:
    return {
        "column": pattern.column,
        "old": pattern.old,
        "new": pattern.new,
        "count": pattern.n_changes,
        "sentences": pattern.n_sentences,
        "examples": [_example_document(changes, place) for place in pattern.examples],
    }


def _example_document(changes: AnyChanges, example: ChangeExample) -> dict[str, Any]:
    file = {"treebank": example.file} if _file_column(changes) else {}
    name = changes.parts[example.file].new[example.new].id
    return {**file, "old": example.old + 1, "new": example.new + 1, "sent_id": name, "form": example.form}


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


def changelog(changes: AnyChanges, most: int | None = None) -> str:
    """Return the draft of a changelog in Markdown."""
    return "\n".join([*_changelog_of_sentences(changes), *_changelog_of_patterns(changes, most or _MOST_PATTERNS), ""])


def _changelog_of_sentences(changes: AnyChanges) -> Iterator[str]:
    yield "# Changes"
    yield ""
    yield f"{_size(changes, 'new')} (before: {_size(changes, 'old')})."
    yield ""
    yield from (f"- {_markdown(note)}" for note in changes.provenance.notes)
    yield from [""] * bool(changes.provenance.notes)
    yield "## Sentences"
    yield ""
    for kind, count in changes.counts.items():
        if count:
            names = _names(changes, kind)
            more = ", ..." if len(names) > _MOST_LISTED else ""
            yield f"- {KINDS[kind]}: {count} ({', '.join(map(_markdown, names[:_MOST_LISTED]))}{more})"
    yield f"- unchanged: {changes.n_unchanged}"


def _changelog_of_patterns(changes: AnyChanges, most: int) -> Iterator[str]:
    for column, total in changes.by_column.items():
        some = [pattern for pattern in changes.patterns if pattern.column == column]
        yield ""
        yield f"## {column}: {number_of(total, 'change')}"
        yield ""
        for pattern in some[:most]:
            names = ", ".join(f"*{_markdown(at.form)}* ({_markdown(_place(changes, at))})" for at in pattern.examples)
            yield f"- {_value(pattern.old)} → {_value(pattern.new)}: {pattern.n_changes}, for example {names}"
        if len(some) > most:
            yield f"- {number_of(len(some) - most, 'more pattern')}"


def _value(text: str) -> str:
    return "(none)" if text == ABSENT else _markdown(text)


def _markdown(text: str) -> str:
    """Text of a treebank for Markdown, with all markup escaped."""
    escaped = re.sub(r"([\\`*_\[\]#|~!])", r"\\\1", printable(text))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
