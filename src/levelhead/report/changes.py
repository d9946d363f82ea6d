"""Changes between two versions of a treebank as tables, text, a JSON document and a changelog."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from levelhead.comparison.changed_cells import ABSENT
from levelhead.comparison.changes import KINDS, ChangeExample, ChangePattern, Changes, SentenceChange
from levelhead.errors import number_of, printable
from levelhead.report.documents import header, sources
from levelhead.report.scores import signature_line
from levelhead.report.table import Cell, Column, Table
from levelhead.report.writers import to_text
from levelhead.treebank import Treebank

Rows = Literal["pattern", "sentence"]
"""What the rows of a table are."""

_MOST_LISTED = 3
_MOST_PATTERNS = 10

_SENTENCES = (
    Column("Old", "number"), Column("New", "number"), Column("sent_id", "text"), Column("Change", "text"),
    Column("Words", "number"), Column("Patterns", "text"),
)  # fmt: skip
_PATTERNS = (
    Column("Column", "text"), Column("Old", "text"), Column("New", "text"), Column("Count", "number"),
    Column("Sentences", "number"), Column("Example", "text"),
)  # fmt: skip


def changes_table(found: Changes, by: Rows = "pattern", most: int | None = None) -> Table:
    """Return what changed, one row for each pattern or each sentence.

    Args:
        found: the changes.
        by: what the rows are.
        most: how many rows to list, all if None.
    """
    notes: tuple[str, ...] = (signature_line(found.provenance.signature),)
    if by == "sentence":
        rows = tuple(_sentence_row(found, one) for one in found.sentences[:most])
        notes = ("Old, New: the number of the sentence; Words: re-annotated words", *notes)
        return Table(_SENTENCES, rows, notes)
    return Table(_PATTERNS, tuple(_pattern_row(found, one) for one in found.patterns[:most]), notes)


def _sentence_row(found: Changes, one: SentenceChange) -> tuple[Cell, ...]:
    numbers = (None if index is None else index + 1 for index in (one.old, one.new))
    patterns = "; ".join(_pattern_text(*key, count) for key, count in one.patterns.items())
    change = ", ".join(KINDS[kind] for kind in one.kinds)
    return (*numbers, printable(_id(found, one) or ""), change, one.n_words, printable(patterns))


def _pattern_text(column: str, old: str, new: str, count: int) -> str:
    return f"{column} {old} -> {new}" + (f" ({count})" if count > 1 else "")


def _pattern_row(found: Changes, one: ChangePattern) -> tuple[Cell, ...]:
    texts = (printable(text) for text in (one.column, one.old, one.new))
    return (*texts, one.n_changes, one.n_sentences, printable(_example(found, one.examples[0])))


def _example(found: Changes, one: ChangeExample) -> str:
    return f"{one.form} ({_name(found.new, one.new)})"


def _name(treebank: Treebank, sentence: int) -> str:
    return treebank[sentence].id or f"sentence {sentence + 1}"


def _id(found: Changes, one: SentenceChange) -> str | None:
    """The sent_id in NEW, or in OLD if the sentence was removed."""
    if one.new is not None:
        return found.new[one.new].id
    return None if one.old is None else found.old[one.old].id


def _names(found: Changes, kind: str) -> list[str]:
    """The sentences of one kind, by their names in NEW; removed ones in OLD."""
    some = [one for one in found.sentences if kind in one.kinds]
    return [
        _name(found.old, one.old) if one.new is None and one.old is not None else _name(found.new, one.new or 0)
        for one in some
    ]


def changes_text(found: Changes, most: int | None = None) -> str:
    """Return a summary of the sentences and the commonest patterns as text.

    Args:
        found: the changes.
        most: how many patterns to list, ten if None.
    """
    shown = most or _MOST_PATTERNS
    table = changes_table(found, "pattern", shown)
    hidden = len(found.patterns) - shown
    more = (f"{number_of(hidden, 'more pattern')}: --by pattern",) if hidden > 0 else ()
    tables = [_summary(found)._replace(notes=())]
    tables.append(table._replace(notes=(*more, *table.notes)))
    if not found.patterns:
        tables = [_summary(found)]
    sizes = f"Old: {_size(found.old)}\nNew: {_size(found.new)}\n"
    return "\n".join([sizes, *(to_text(one, 2) for one in tables)])


def _size(treebank: Treebank) -> str:
    return f"{number_of(len(treebank), 'sentence')}, {number_of(treebank.n_words, 'word')}"


def _summary(found: Changes) -> Table:
    columns = (Column("Sentences", "text"), Column("Count", "number"), Column("Which", "text"))
    counts = [(KINDS[kind], count, _listed(_names(found, kind))) for kind, count in found.counts.items() if count]
    rows: tuple[tuple[Cell, ...], ...] = (("unchanged", found.n_unchanged, ""), *counts)
    return Table(columns, rows, (signature_line(found.provenance.signature),))


def _listed(names: list[str]) -> str:
    return printable(" ".join(names[:_MOST_LISTED]) + (" ..." if len(names) > _MOST_LISTED else ""))


def changes_document(found: Changes, most: int | None = None) -> dict[str, Any]:
    """Return the same for JSON: all patterns and all sentences that changed.

    Args:
        found: the changes.
        most: how many patterns and how many sentences to list, all if None.
    """
    return {
        **header("diff", found.provenance.signature),
        "old": {"sentences": len(found.old), "words": found.old.n_words},
        "new": {"sentences": len(found.new), "words": found.new.n_words},
        "kept": found.n_kept,
        "unchanged": found.n_unchanged,
        "counts": found.counts,
        "columns": found.by_column,
        "patterns": [_pattern_document(found, one) for one in found.patterns[:most]],
        "sentences": [_sentence_document(found, one) for one in found.sentences[:most]],
        **sources(found.provenance),
    }


def _pattern_document(found: Changes, one: ChangePattern) -> dict[str, Any]:
    return {
        "column": one.column,
        "old": one.old,
        "new": one.new,
        "count": one.n_changes,
        "sentences": one.n_sentences,
        "examples": [
            {"old": place.old + 1, "new": place.new + 1, "sent_id": found.new[place.new].id, "form": place.form}
            for place in one.examples
        ],
    }


def _sentence_document(found: Changes, one: SentenceChange) -> dict[str, Any]:
    return {
        "old": None if one.old is None else one.old + 1,
        "new": None if one.new is None else one.new + 1,
        "sent_id": _id(found, one),
        "changes": list(one.kinds),
        "words": one.n_words,
        "patterns": [
            {"column": column, "old": old, "new": new, "count": count}
            for (column, old, new), count in one.patterns.items()
        ],
    }


def changelog(found: Changes, most: int | None = None) -> str:
    """Return the draft of a changelog in Markdown.

    Args:
        found: the changes.
        most: how many patterns of each column to list, ten if None.
    """
    return "\n".join([*_changelog_of_sentences(found), *_changelog_of_patterns(found, most or _MOST_PATTERNS), ""])


def _changelog_of_sentences(found: Changes) -> Iterator[str]:
    yield "# Changes"
    yield ""
    yield f"{_size(found.new)} (before: {_size(found.old)})."
    yield ""
    yield "## Sentences"
    yield ""
    for kind, count in found.counts.items():
        if count:
            names = _names(found, kind)
            more = ", ..." if len(names) > _MOST_LISTED else ""
            yield f"- {KINDS[kind]}: {count} ({', '.join(map(_markdown, names[:_MOST_LISTED]))}{more})"
    yield f"- unchanged: {found.n_unchanged}"


def _changelog_of_patterns(found: Changes, most: int) -> Iterator[str]:
    for column, total in found.by_column.items():
        some = [one for one in found.patterns if one.column == column]
        yield ""
        yield f"## {column}: {number_of(total, 'change')}"
        yield ""
        for one in some[:most]:
            names = ", ".join(f"*{_markdown(at.form)}* ({_markdown(_name(found.new, at.new))})" for at in one.examples)
            yield f"- {_value(one.old)} → {_value(one.new)}: {one.n_changes}, for example {names}"
        if len(some) > most:
            yield f"- {number_of(len(some) - most, 'more pattern')}"


def _value(text: str) -> str:
    return "(none)" if text == ABSENT else _markdown(text)


def _markdown(text: str) -> str:
    """Text of a treebank for Markdown: nothing in it is markup."""
    escaped = re.sub(r"([\\`*_\[\]#|~!])", r"\\\1", printable(text))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
