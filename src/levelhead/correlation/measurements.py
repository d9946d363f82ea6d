"""Numbers by treebank: columns over the same treebanks, and tables joined into one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, InputError, quoted

Missing = Literal["drop", "pairwise", "error"]
"""What is done about a treebank without a value: it is left out everywhere, or pair by pair, or refused."""

_SHOWN = 8


@dataclass(frozen=True, eq=False)
class Measurements:
    """Values by treebank.

    Args:
        treebanks: the codes or names of the treebanks.
        numbers: columns of numbers, float64, NaN where there is no value, shape (treebanks,).
        texts: columns of text, such as language families; empty where there is no value.
        sources: the SHA-256 of each file that was read, by its name.
        notes: what was left out, in sentences.
    """

    treebanks: tuple[str, ...]
    numbers: Mapping[str, NDArray[np.float64]]
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.treebanks)

    def number(self, name: str) -> NDArray[np.float64]:
        """Return a column of numbers, float64, shape (treebanks,).

        Raises:
            InputError: there is none of that name.
        """
        if name not in self.numbers:
            raise _unknown(name, self.numbers, self.texts, "numbers")
        return self.numbers[name]

    def text(self, name: str) -> tuple[str, ...]:
        """Return a column of text.

        Raises:
            InputError: there is none of that name.
        """
        if name not in self.texts:
            raise _unknown(name, self.texts, self.numbers, "text")
        return self.texts[name]

    def rows(self, chosen: Sequence[int]) -> Measurements:
        """Return some of the treebanks, in the order given.

        Args:
            chosen: the numbers of the rows.
        """
        return replace(
            self,
            treebanks=tuple(self.treebanks[i] for i in chosen),
            numbers={name: values[list(chosen)] for name, values in self.numbers.items()},
            texts={name: tuple(values[i] for i in chosen) for name, values in self.texts.items()},
        )

    def with_difference(self, one: str, other: str) -> Measurements:
        """Return the same with a column `diff(one,other)`: one minus the other.

        Args:
            one: a column of numbers.
            other: another.

        Raises:
            InputError: there is no such column.
        """
        difference = self.number(one) - self.number(other)
        return replace(self, numbers={**self.numbers, f"diff({one},{other})": difference})


def _unknown(name: str, known: Iterable[str], other: Iterable[str], kind: str) -> InputError:
    import difflib

    if name in other:
        return InputError(Fault("unknown-column", f"the column {quoted(name)} does not hold {kind}"))
    names = list(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.3) or names[:_SHOWN]
    there = f"; there are {', '.join(map(quoted, near))}" if near else f"; there is no column of {kind}"
    return InputError(Fault("unknown-column", f"there is no column {quoted(name)}{there}"))


def join(tables: Sequence[Measurements], missing: Missing = "drop") -> Measurements:
    """Join tables by treebank, in the order of the first table.

    Args:
        tables: at least one.
        missing: "drop" keeps the treebanks that all tables have; "pairwise" keeps all; "error" wants the same in all.

    Raises:
        InputError: a column is in two tables, or no treebank is in all, or some are not and all should be.
    """
    _check_columns(tables)
    everything = list(dict.fromkeys(name for table in tables for name in table.treebanks))
    shared = [name for name in everything if all(name in table.treebanks for table in tables)]
    absent = [name for name in everything if name not in shared]
    if absent and missing == "error":
        raise InputError(*(_absence(name, tables) for name in absent))
    if not shared and missing == "drop":
        message = f"no treebank is in all tables; {'; '.join(f'{_named(t)} has {_list(t.treebanks)}' for t in tables)}"
        raise InputError(Fault("missing-treebank", message))
    kept = everything if missing == "pairwise" else shared
    parts = [_aligned(table, kept) for table in tables]
    notes = [note for table in tables for note in table.notes]
    if absent and missing == "drop":
        notes.append(f"left out, not in all tables: {_list(absent, len(absent))}")
    return Measurements(
        tuple(kept),
        {name: values for part in parts for name, values in part.numbers.items()},
        {name: values for part in parts for name, values in part.texts.items()},
        {name: digest for part in parts for name, digest in part.sources.items()},
        tuple(notes),
    )


def _check_columns(tables: Sequence[Measurements]) -> None:
    owner: dict[str, Measurements] = {}
    for table in tables:
        for name in (*table.numbers, *table.texts):
            if name in owner:
                message = (
                    f"the column {quoted(name)} is both in {_named(owner[name])} and in {_named(table)};"
                    " name the tables, as in a=FIRST b=SECOND"
                )
                raise InputError(Fault("invalid-table", message))
            owner[name] = table


def _absence(name: str, tables: Sequence[Measurements]) -> Fault:
    without = [_named(table) for table in tables if name not in table.treebanks]
    return Fault("missing-treebank", f"{quoted(name)} is not in {', '.join(without)}")


def _aligned(table: Measurements, treebanks: Sequence[str]) -> Measurements:
    row_of = {name: row for row, name in enumerate(table.treebanks)}
    rows = [row_of.get(name, -1) for name in treebanks]
    numbers = {
        name: np.array([values[row] if row >= 0 else np.nan for row in rows], dtype=np.float64)
        for name, values in table.numbers.items()
    }
    texts = {name: tuple(values[row] if row >= 0 else "" for row in rows) for name, values in table.texts.items()}
    return replace(table, treebanks=tuple(treebanks), numbers=numbers, texts=texts)


def _named(table: Measurements) -> str:
    return ", ".join(table.sources) or "a table"


def _list(names: Sequence[str], longest: int = _SHOWN) -> str:
    more = f" and {len(names) - longest} more" if len(names) > longest else ""
    return ", ".join(names[:longest]) + more
