"""Profiles of treebanks, their similarity and selection, as tables and as JSON documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from levelhead.report.scores import SCHEMA, signature_line
from levelhead.report.table import Cell, Column, Table
from levelhead.typology import COLUMNS, Profile, ProfileColumn, Rarefied, Similarity, Verdict
from levelhead.typology.collection import File, Survey

Key = tuple[ProfileColumn, str | None]
"""A column and, where it has many values, which of them."""


def profiles_table(profiles: Mapping[str, Profile]) -> Table:
    """Return one row a treebank, one column a value; `wde:nsubj` is one of many values of a column.

    Args:
        profiles: profiles by treebank, all with the same columns.
    """
    keys = _keys(profiles.values())
    rows = [(name, *(_cell(one, key) for key in keys)) for name, one in profiles.items()]
    columns = tuple(Column(_name(key), key[0].kind) for key in keys)
    return Table((Column("Treebank", "text"), *columns), tuple(rows), _signature(profiles))


def long_table(profiles: Mapping[str, Profile]) -> Table:
    """Return one row for each value of each treebank; shares are percentages.

    Args:
        profiles: profiles by treebank, all with the same columns.
    """
    keys = _keys(profiles.values())
    rows = []
    for name, one in profiles.items():
        for key in keys:
            value, unit = _cell(one, key), "%" if key[0].kind == "ratio" else ""
            rows.append((name, key[0].name, key[1] or "", 100 * value if unit and value is not None else value, unit))
    names = ("Treebank", "Column", "Of")
    columns = (*(Column(name, "text") for name in names), Column("Value", "number"), Column("Unit", "text"))
    return Table(columns, tuple(rows), _signature(profiles))


def _keys(profiles: Iterable[Profile]) -> list[Key]:
    """The values that any profile has, in the order of columns, then by alphabet."""
    every = list(profiles)
    keys: list[Key] = []
    for name in every[0]:
        column = COLUMNS[name]
        if column.by is None:
            keys.append((column, None))
        else:
            keys += [(column, one) for one in sorted({one for profile in every for one in profile.numbers(name)})]
    return keys


def _name(key: Key) -> str:
    return key[0].name if key[1] is None else f"{key[0].name}:{key[1]}"


def _cell(profile: Profile, key: Key) -> int | float | None:
    """A value; what does not occur has a share of zero, but no mean and no entropy."""
    column, one = key
    if one is None:
        return profile.number(column.name)
    values = profile.numbers(column.name)
    return values.get(one, 0.0 if values and column.group == "frequencies" else None)


def _signature(profiles: Mapping[str, Profile]) -> tuple[str, ...]:
    return (signature_line(next(iter(profiles.values())).signature),)


def profile_documents(survey: Survey) -> list[dict[str, Any]]:
    """Return profiles for JSON, a document each: shares as percentages at full precision."""
    return [
        {
            "schema": SCHEMA,
            "kind": "profile",
            "treebank": name,
            "signature": dict(one.signature),
            "files": [_file(file) for file in survey.files[name]],
            "values": _values(one),
        }
        for name, one in survey.profiles.items()
    ]


def _values(profile: Profile) -> dict[str, Any]:
    def scaled(name: str, value: float | None) -> float | None:
        return 100 * value if value is not None and COLUMNS[name].kind == "ratio" else value

    return {
        name: {one: scaled(name, part) for one, part in value.items()}
        if isinstance(value, Mapping)
        else scaled(name, value)
        for name, value in profile.items()
    }


def profiles_document(survey: Survey) -> dict[str, Any]:
    """Return profiles for JSON, with the definitions of their columns."""
    names = list(next(iter(survey.profiles.values())))
    return {
        "schema": SCHEMA,
        "kind": "profiles",
        "columns": {name: _definition(COLUMNS[name]) for name in names},
        "treebanks": {one["treebank"]: one for one in profile_documents(survey)},
    }


def _file(file: File) -> dict[str, str | None]:
    return {"path": file.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), "sha256": file.sha256}


_FIELDS = ("name", "group", "by", "meaning", "formula", "source")


def _definition(column: ProfileColumn) -> dict[str, str | None]:
    unit = "percent" if column.kind == "ratio" else "number"
    return {**{field: getattr(column, field) for field in _FIELDS[1:]}, "unit": unit}


def columns_text() -> str:
    """Return the definitions of all columns, as paragraphs."""
    return "\n".join(map(_paragraph, COLUMNS.values()))


def _paragraph(column: ProfileColumn) -> str:
    name = f"{column.name}:{column.by}" if column.by else column.name
    unit = ", per cent" if column.kind == "ratio" else ""
    return f"{name} ({column.group}{unit})\n  {column.meaning}\n  = {column.formula}\n  {column.source}\n"


def columns_table() -> Table:
    """Return the definitions of all columns."""
    rows = tuple(tuple(getattr(column, field) or "" for field in _FIELDS) for column in COLUMNS.values())
    return Table(tuple(Column(field.capitalize(), "text") for field in _FIELDS), rows)


def columns_documents() -> list[dict[str, Any]]:
    """Return the definitions of all columns for JSON."""
    return [{"name": name, **_definition(column)} for name, column in COLUMNS.items()]


_DISTANCES = ("KLcpos3(A, B)", "KLcpos3(B, A)", "JSD(relations)", "W1(displacement)")


def similarity_table(pairs: Mapping[tuple[str, str], Similarity]) -> Table:
    """Return one row a pair of treebanks; 0 is nearest."""
    columns = (Column("A", "text"), Column("B", "text"), *(Column(name, "number") for name in _DISTANCES))
    return Table(columns, tuple((*names, *distances) for names, distances in pairs.items()))


def similarity_documents(pairs: Mapping[tuple[str, str], Similarity]) -> list[dict[str, Any]]:
    """Return the same for JSON."""
    kind = {"schema": SCHEMA, "kind": "similarity"}
    return [{**kind, "a": one, "b": other, **far._asdict()} for (one, other), far in pairs.items()]


def selection_table(verdicts: Sequence[Verdict]) -> Table:
    """Return one row a treebank, with all that speaks against it."""
    columns = tuple(Column(name, "text") for name in ("Treebank", "Language", "Selected", "Reasons"))
    rows = [(one.name, one.language, "yes" if one.selected else "no", "; ".join(one.reasons)) for one in verdicts]
    chosen = sum(one.selected for one in verdicts)
    return Table(columns, tuple(rows), (f"{chosen} of {len(verdicts)} selected",))


def selection_documents(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Return the same for JSON."""
    return [
        {
            "schema": SCHEMA,
            "kind": "selection",
            "treebank": one.name,
            "language": one.language,
            "selected": one.selected,
            "reasons": list(one.reasons),
        }
        for one in verdicts
    ]


_SAMPLE = (Column("Words", "number"), Column("Mean", "number"), Column("SD", "number"), Column("Samples", "number"))


def samples_table(samples: Mapping[str, Sequence[Rarefied]]) -> Table:
    """Return one row for each treebank, relation and size of samples."""
    rows: list[tuple[Cell, ...]] = [
        (name, one.relation, one.words, one.mean, one.deviation, one.samples)
        for name, some in samples.items()
        for one in some
    ]
    return Table((Column("Treebank", "text"), Column("Relation", "text"), *_SAMPLE), tuple(rows))


def samples_documents(samples: Mapping[str, Sequence[Rarefied]]) -> list[dict[str, Any]]:
    """Return the same for JSON."""
    kind = {"schema": SCHEMA, "kind": "rarefied"}
    return [{**kind, "treebank": name, **one._asdict()} for name, some in samples.items() for one in some]
