"""The tables of profiles: their columns and rows, as data and for readers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from levelhead.tables.data import DataColumn, DataTable, Layout
from levelhead.tables.table import Column, Table
from levelhead.typology.counts import Vocabulary
from levelhead.typology.languages import LANGUAGE_COLUMNS, TREEBANK_COLUMNS, language_cells
from levelhead.typology.profile import Profile
from levelhead.typology.profile_columns import COLUMNS, KINDS, ProfileColumn

Profiles = Mapping[str, Profile]


_TREEBANK = TREEBANK_COLUMNS[0]
_VALUE = (
    DataColumn("column", "text", "The column of the profile"),
    DataColumn(
        "part", "text", "The relation, part of speech ... of the value; null for a column with a single value",
        optional=True,
    ),
    DataColumn("value", "number", "The value; null if there is none", optional=True),
    DataColumn("unit", "text", "The unit of the value: percent, words, bits ...; empty without a unit"),
)  # fmt: skip
_SINGLE = tuple(column.data(column.name) for column in COLUMNS.values() if column.by is None)
_PART = DataColumn("{column}:{part}", "number", "The column's value for a relation, part of speech ...", optional=True)
_KEYS = {
    kind: DataColumn(kind, "text", about)
    for kind, about in (
        ("relation", "The relation without subtype"), ("deprel", "The relation with subtype"),
        ("class", "The class of relations"), ("upos", "The part of speech"), ("feature", "The feature: Name=Value"),
    )
}  # fmt: skip
_N_SHOWN = 3  # of the columns about languages: without codes

TABLES: Mapping[str, str] = MappingProxyType(
    {
        "treebank": "treebanks", "value": "values", "relation": "relations", "deprel": "deprels", "class": "classes",
        "upos": "upos", "feature": "features",
    }
)  # fmt: skip
"""The table of each kind of rows."""

LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "treebanks": (*TREEBANK_COLUMNS, *_SINGLE, _PART),
        "values": (_TREEBANK, *_VALUE),
        **{
            TABLES[kind]: (_TREEBANK, key, *(c.data(c.name_in_rows) for c in COLUMNS.values() if c.by == kind))
            for kind, key in _KEYS.items()
        },
        "totals": _VALUE,
        "vocabularies": (_TREEBANK, Vocabulary),
    }
)
"""The tables of profiles."""


class Key(NamedTuple):
    """A column and, if it has many values, which of them."""

    column: ProfileColumn
    part: str | None

    @property
    def name(self) -> str:
        return self.column.name if self.part is None else f"{self.column.name}:{self.part}"

    def value(self, profile: Profile) -> int | float | None:
        """Return its value; a relation that does not occur has a share of zero, but no mean or entropy."""
        if self.part is None:
            return profile.number(self.column.name)
        values = profile.numbers(self.column.name)
        return values.get(self.part, 0.0 if values and self.column.group == "frequencies" else None)

    @property
    def data(self) -> DataColumn:
        return self.column.data(self.name) if self.part is None else _PART._replace(name=self.name)


def _keys_of(profiles: Collection[Profile], by: str | None = None) -> list[Key]:
    """Return the values that occur in any profile, or those by a kind, in the order of columns, then alphabetically."""
    keys: list[Key] = []
    for column in map(COLUMNS.__getitem__, next(iter(profiles), ())):
        if by not in {None, column.by}:
            continue
        parts: Iterable[str | None] = (None,)
        if column.by is not None:
            parts = sorted({part for whole in profiles for part in whole.numbers(column.name)})
        keys += [Key(column, part) for part in parts]
    return keys


def data_of(name: str, profiles: Profiles, total: Profile | None) -> DataTable | Iterator[Any]:
    """Return a table of data, or its rows, given the profile of each treebank and that of all together."""
    if name == "values":
        return _value_rows(profiles)
    if name == "vocabularies":
        return ((code, whole.vocabulary) for code, whole in profiles.items() if whole.vocabulary is not None)
    if name == "treebanks":
        keys = sorted(_keys_of(profiles.values()), key=lambda key: key.part is not None)
        rows = [(code, *language_cells(code), *(key.value(whole) for key in keys)) for code, whole in profiles.items()]
        return DataTable((*TREEBANK_COLUMNS, *(key.data for key in keys)), rows)
    if name == "totals":
        return (row[1:] for row in _value_rows({} if total is None else {"": total}))
    return _by_kind(next(kind for kind in KINDS if TABLES[kind] == name), profiles)


def _value_rows(profiles: Profiles) -> Iterator[tuple[str, str, str | None, float | None, str]]:
    keys = _keys_of(profiles.values())
    for code, whole in profiles.items():
        for key in keys:
            yield code, key.column.name, key.part, key.value(whole), key.column.unit


def _by_kind(kind: str, profiles: Profiles) -> DataTable:
    keys = _keys_of(profiles.values(), kind)
    columns = _columns_by(kind, profiles) if keys else []
    rows = [(*start, *cells) for start, cells in _kind_rows(profiles, keys, columns)]
    return DataTable((_TREEBANK, _KEYS[kind], *(column.data(column.name_in_rows) for column in columns)), rows)


def _columns_by(kind: str, profiles: Profiles) -> list[ProfileColumn]:
    return [COLUMNS[name] for name in next(iter(profiles.values())) if COLUMNS[name].by == kind]


def _kind_rows(
    profiles: Profiles, keys: Iterable[Key], columns: Sequence[ProfileColumn]
) -> Iterator[tuple[tuple[str, str], list[float | None]]]:
    """Yield a row for each treebank and each relation, part of speech ... that occurs anywhere."""
    parts = sorted({key.part or "" for key in keys})
    for code, whole in profiles.items():
        for part in parts:
            yield (code, part), [Key(column, part).value(whole) for column in columns]


def table_by_treebank(profiles: Profiles, total: str | None) -> Table:
    """Return one row per treebank and one column per value, with the languages that are known."""
    keys = _keys_of(profiles.values())
    languages = [language_cells(name)[:_N_SHOWN] for name in profiles]
    shown = [n for n, cells in enumerate(zip(*languages)) if any(cells)]
    rows = {
        name: (name, *(cells[n] for n in shown), *(key.value(profile) for key in keys))
        for (name, profile), cells in zip(profiles.items(), languages)
    }
    summary = () if total is None else (rows.pop(total),)
    return Table(
        (
            Column("Treebank", "text"),
            *(Column(LANGUAGE_COLUMNS[n], "text", rank=1) for n in shown),
            *(key.column.display(key.name) for key in keys),
        ),
        tuple(rows.values()),
        summary=summary,
    )


def table_by_value(profiles: Profiles) -> Table:
    texts = [Column(name, "text") for name in ("Treebank", "Column", "Of", "Unit")]
    rows = ((*row[:2], row[2] or "", row[3], COLUMNS[row[1]].unit_text) for row in _value_rows(profiles))
    return Table((*texts[:3], Column("Value", "number"), texts[3]), tuple(rows))


def table_by_kind(kind: str, profiles: Profiles) -> Table:
    """Return one row for each treebank and each relation, part of speech ... that occurs anywhere."""
    columns = _columns_by(kind, profiles)
    rows = ((*start, *cells) for start, cells in _kind_rows(profiles, _keys_of(profiles.values(), kind), columns))
    heads = [Column("Treebank", "text"), Column(kind.capitalize(), "text")]
    return Table((*heads, *(column.display(column.name_in_rows) for column in columns)), tuple(rows))
