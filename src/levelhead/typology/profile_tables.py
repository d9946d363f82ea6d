"""Profiles of treebanks, their similarity and selection, as tables and as JSON documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from levelhead.tables.documents import header, notes_of, path_text, signature_line
from levelhead.tables.table import Cell, Column, Table, percentage
from levelhead.treebank.provenance import MEMORY, Provenance
from levelhead.typology.profile import Profile
from levelhead.typology.profile_columns import COLUMNS, ProfileColumn
from levelhead.typology.treebank_languages import LANGUAGE_COLUMNS, language_cells

if TYPE_CHECKING:
    from levelhead.typology.collection import Samples, SelectedTreebanks, Similarities, Survey

Key = tuple[ProfileColumn, str | None]
"""A column and, where it has many values, which of them."""


def profiles_table(survey: Survey) -> Table:
    """Return one row per treebank and one column per value; `wde:nsubj` is one of several values of `wde`.

    Unknown languages, families and genera are empty; if all are unknown, only TSV has the columns.
    """
    keys = _keys(survey.values())
    rows = [(name, *language_cells(name), *(_cell(profile, key) for key in keys)) for name, profile in survey.items()]
    columns = (Column("Treebank", "text"), *_language_columns(survey), *map(_column, keys))
    percent = [_name(key) for key in keys if key[0].unit == "%" and key[1] is None]
    percent += dict.fromkeys(f"{key[0].name}:*" for key in keys if key[0].unit == "%" and key[1] is not None)
    units = (f"in percent: {', '.join(percent)}",) if percent else ()
    return Table(columns, tuple(rows), (*units, *_signed(survey.provenance)))


def _language_columns(names: Iterable[str]) -> list[Column]:
    known = zip(*map(language_cells, names))
    return [Column(name, "text", tidy_only=not any(cells)) for name, cells in zip(LANGUAGE_COLUMNS, known)]


def _column(key: Key) -> Column:
    """A column; percentages are marked in its heading, but not in its name in TSV."""
    name = _name(key)
    return Column(f"{name} (%)" if key[0].unit == "%" else name, key[0].kind, key=name)


def long_table(survey: Survey) -> Table:
    """Return one row per value of each treebank; shares are percentages. Only TSV and data frames have languages."""
    keys = _keys(survey.values())
    rows = []
    for name, profile in survey.items():
        for key in keys:
            value = _cell(profile, key)
            shown = percentage(value) if key[0].unit == "%" and value is not None else value
            rows.append((name, key[0].name, key[1] or "", shown, key[0].unit, *language_cells(name)))
    names = ("Treebank", "Column", "Of")
    columns = (*(Column(name, "text") for name in names), Column("Value", "number"), Column("Unit", "text"))
    languages = (Column(name, "text", tidy_only=True) for name in LANGUAGE_COLUMNS)
    return Table((*columns, *languages), tuple(rows), _signed(survey.provenance))


def _keys(profiles: Iterable[Profile]) -> list[Key]:
    """The values that occur in any profile, in the order of columns, then alphabetically."""
    every = list(profiles)
    keys: list[Key] = []
    for name in every[0]:
        column = COLUMNS[name]
        if column.by is None:
            keys.append((column, None))
        else:
            keys += [
                (column, text) for text in sorted({number for profile in every for number in profile.numbers(name)})
            ]
    return keys


def _name(key: Key) -> str:
    return key[0].name if key[1] is None else f"{key[0].name}:{key[1]}"


def _cell(profile: Profile, key: Key) -> int | float | None:
    """A value; a relation that does not occur has a share of zero, but no mean or entropy."""
    column, text = key
    if text is None:
        return profile.number(column.name)
    values = profile.numbers(column.name)
    return values.get(text, 0.0 if values and column.group == "frequencies" else None)


def _signed(provenance: Provenance) -> tuple[str, ...]:
    return (*provenance.notes, signature_line(provenance.signature))


def profile_documents(survey: Survey) -> list[dict[str, Any]]:
    """Return profiles for JSON, one document each: shares as percentages at full precision.

    As in tables, a relation that only occurs in other treebanks has a share of zero.
    """
    shares = [key for key in _keys(survey.profiles.values()) if key[1] and key[0].group == "frequencies"]
    return [
        {
            **header("profile"),
            "treebank": name,
            **dict(zip(LANGUAGE_COLUMNS, language_cells(name))),
            "signature": dict(profile.signature),
            "files": _files(survey.provenance.files[name]),
            "vocabulary": None if profile.vocabulary is None else profile.vocabulary._asdict(),
            "units": {column: unit for column in profile if (unit := COLUMNS[column].unit)},
            "values": _values(profile, shares),
        }
        for name, profile in survey.profiles.items()
    ]


def _values(profile: Profile, shares: Iterable[Key]) -> dict[str, Any]:
    def scaled(name: str, value: float | None) -> float | None:
        return percentage(value) if value is not None and COLUMNS[name].kind == "ratio" else value

    values: dict[str, Any] = {
        name: {text: scaled(name, part) for text, part in value.items()}
        if isinstance(value, Mapping)
        else scaled(name, value)
        for name, value in profile.items()
    }
    for column, text in shares:
        if values[column.name]:
            values[column.name].setdefault(text, 0.0)
    return values


def profiles_document(survey: Survey) -> dict[str, Any]:
    """Return profiles for JSON, with the definitions of their columns."""
    names = list(next(iter(survey.profiles.values())))
    return {
        **header("profiles"),
        "columns": {name: _definition(COLUMNS[name]) for name in names},
        "treebanks": {document["treebank"]: document for document in profile_documents(survey)},
        **notes_of(survey.provenance.notes),
    }


def _files(files: Mapping[str, str]) -> list[dict[str, str | None]]:
    return [{"path": path_text(path), "sha256": None if file == MEMORY else file} for path, file in files.items()]


_FIELDS = ("name", "group", "by", "meaning", "formula", "source")


def _definition(column: ProfileColumn) -> dict[str, str | None]:
    unit = "percent" if column.unit == "%" else column.unit or "number"
    return {**{field: getattr(column, field) for field in _FIELDS[1:]}, "unit": unit}


def columns_text() -> str:
    """Return the definitions of all columns, as paragraphs."""
    return "\n".join(map(_paragraph, COLUMNS.values()))


def _paragraph(column: ProfileColumn) -> str:
    name = f"{column.name}:{column.by}" if column.by else column.name
    unit = f", {column.unit}" if column.unit else ""
    return f"{name} ({column.group}{unit})\n  {column.meaning}\n  = {column.formula}\n  {column.source}\n"


def columns_table() -> Table:
    """Return the definitions of all columns."""
    rows = tuple(tuple(getattr(column, field) or "" for field in _FIELDS) for column in COLUMNS.values())
    return Table(tuple(Column(field.capitalize(), "text") for field in _FIELDS), rows)


def columns_documents() -> list[dict[str, Any]]:
    """Return the definitions of all columns for JSON."""
    return [{"name": name, **_definition(column)} for name, column in COLUMNS.items()]


_DISTANCES = ("KLcpos3(A, B)", "KLcpos3(B, A)", "JSD(relations)", "W1(displacement)")


def similarity_table(similarities: Similarities) -> Table:
    """Return one row per pair of treebanks with their distances; 0 means equal."""
    columns = (Column("A", "text"), Column("B", "text"), *(Column(name, "number") for name in _DISTANCES))
    rows = tuple((*names, *distances) for names, distances in similarities.pairs.items())
    return Table(columns, rows, _signed(similarities.provenance))


def similarity_document(similarities: Similarities) -> dict[str, Any]:
    """Return distances of treebanks for JSON."""
    rows = [{"a": first, "b": second, **far._asdict()} for (first, second), far in similarities.pairs.items()]
    return _rows_document("similarity", rows, similarities.provenance)


def _rows_document(kind: str, rows: list[dict[str, Any]], provenance: Provenance) -> dict[str, Any]:
    return {
        **header(kind, provenance.signature),
        "files": {name: _files(some) for name, some in provenance.files.items()},
        "notes": list(provenance.notes),
        "rows": [{**header(kind), **row} for row in rows],
    }


def row_documents(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a document for JSON lines, each with the signature."""
    return [{**row, "signature": document["signature"]} for row in document["rows"]]


def selection_table(selection: SelectedTreebanks) -> Table:
    """Return one row per treebank: whether it is selected, and all reasons against it."""
    columns = tuple(Column(name, "text") for name in ("Treebank", "Language", "Selected", "Reasons"))
    rows = [
        (decision.name, decision.language, "yes" if decision.selected else "no", "; ".join(decision.reasons))
        for decision in selection.decisions
    ]
    summary = f"{len(selection.selected)} of {len(selection.decisions)} selected"
    return Table(columns, tuple(rows), (summary, *_signed(selection.provenance)))


def selection_document(selection: SelectedTreebanks) -> dict[str, Any]:
    """Return a selection of treebanks for JSON."""
    rows = [
        {
            "treebank": decision.name,
            "language": decision.language,
            "selected": decision.selected,
            "reasons": list(decision.reasons),
        }
        for decision in selection.decisions
    ]
    return _rows_document("selection", rows, selection.provenance)


_SAMPLE = (Column("Words", "number"), Column("Mean", "number"), Column("SD", "number"), Column("Samples", "number"))


def samples_table(samples: Samples) -> Table:
    """Return one row per treebank, relation and sample size."""
    rows: list[tuple[Cell, ...]] = [
        (name, curve.relation, curve.words, curve.mean, curve.deviation, curve.samples)
        for name, some in samples.rows.items()
        for curve in some
    ]
    columns = (Column("Treebank", "text"), Column("Relation", "text"), *_SAMPLE)
    return Table(columns, tuple(rows), _signed(samples.provenance))


def samples_document(samples: Samples) -> dict[str, Any]:
    """Return entropies in samples for JSON."""
    rows = [{"treebank": name, **curve._asdict()} for name, some in samples.rows.items() for curve in some]
    return _rows_document("rarefied", rows, samples.provenance)
