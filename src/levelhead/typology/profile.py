"""Profiles: the values of columns for one treebank, or for several treebanks together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from levelhead._version import VERSION
from levelhead.errors import MeasureError, unknown
from levelhead.treebank import Treebank
from levelhead.treebank.schemes import SCHEMES, Scheme
from levelhead.typology.counts import TreebankCounts, Vocabulary, count_treebank
from levelhead.typology.profile_columns import (
    COLUMNS,
    GROUPS,
    OF_TRAINING,
    SUMMARY,
    ProfileColumn,
    ProfileSettings,
    Value,
)

if TYPE_CHECKING:
    from levelhead.typology.lexical import Chunks

DEFAULT_SCHEME = "nivre-fang"


class Profile(Mapping[str, Value]):
    """The profile of a treebank: the value of each column, by name.

    Args:
        values: the values.
        signature: the settings that determine them.
        vocabulary: the size of the counts behind them, if known.
    """

    def __init__(
        self, values: Mapping[str, Value], signature: Mapping[str, str], vocabulary: Vocabulary | None = None
    ) -> None:
        self.values_by_name, self.signature, self.vocabulary = dict(values), dict(signature), vocabulary

    def __getitem__(self, name: str) -> Value:
        return self.values_by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)

    def __repr__(self) -> str:
        return f"Profile({self.values_by_name!r})"

    def number(self, name: str) -> float | None:
        """Return the value of a column with a single number."""
        value = self[name]
        if isinstance(value, Mapping):
            raise TypeError(f"{name} has many values")
        return value

    def numbers(self, name: str) -> Mapping[str, float]:
        """Return the values of a column with several numbers."""
        value = self[name]
        if not isinstance(value, Mapping):
            raise TypeError(f"{name} has one value")
        return value


def profile(
    treebank: Treebank | TreebankCounts,
    *,
    columns: Iterable[str] = ("all",),
    scheme: str | Scheme = DEFAULT_SCHEME,
    chunks: Chunks | None = None,
    least: int = 5,
) -> Profile:
    """Return the profile of a treebank, or of several treebanks together.

    Args:
        treebank: a treebank, or its counts, which can be the sum of several treebanks.
        columns: names of columns, of their groups, or "all".
        scheme: the classes of relations for the column `class`.
        chunks: how running text is cut for type/token ratios, unless counts are given.
        least: the minimum frequency of a word with its part of speech and relation for the head-word entropy.

    Raises:
        MeasureError: the column or scheme is unknown; the message suggests similar names.
    """
    wanted = columns_named(columns)
    settings = ProfileSettings(scheme_named(scheme), least)
    counts = count_treebank(treebank, chunks) if isinstance(treebank, Treebank) else treebank
    values = {column.name: column.value(counts, settings) for column in wanted}
    return Profile(values, _signature(counts, settings), counts.vocabulary)


def columns_named(names: Iterable[str]) -> tuple[ProfileColumn, ...]:
    """Return the columns with these names, in the order of `COLUMNS` inside groups, without duplicates."""
    unique = dict.fromkeys(column for name in names for column in _columns_of(name))
    return tuple(COLUMNS[name] for name in unique)


def _columns_of(name: str) -> Iterable[str]:
    if name == "all":
        return [column for column in COLUMNS if column not in OF_TRAINING]
    if name == "summary":
        return SUMMARY
    if name in GROUPS:
        return [column.name for column in COLUMNS.values() if column.group == name]
    if name not in COLUMNS:
        raise MeasureError(unknown("column", name, [*COLUMNS, *GROUPS]), "unknown-column")
    return [name]


def scheme_named(scheme: str | Scheme) -> Scheme:
    """Return a scheme of classes of relations by its name."""
    if isinstance(scheme, Scheme):
        return scheme
    if scheme not in SCHEMES:
        raise MeasureError(unknown("scheme", scheme, SCHEMES), "unknown-scheme")
    return SCHEMES[scheme]


def _signature(counts: TreebankCounts, settings: ProfileSettings) -> dict[str, str]:
    chunks = counts.lexical.chunks
    return {
        "scheme": settings.scheme.signature,
        "chunk": f"{chunks.size}{'+partial' if chunks.partial else ''}",
        "window": str(chunks.window),
        "least": str(settings.least),
        "version": VERSION,
    }
