"""One vote per language: several treebanks of a language are not several languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from levelhead.correlation.measurements import NO_VALUE, Measurements
from levelhead.errors import Fault, InputError, listed, quoted
from levelhead.typology.languages import LANGUAGE_COLUMNS, language_cells

Votes = Literal["language", "treebank"]
"""What counts once in correlations: a language (the mean of its treebanks), or each treebank."""


def languages_of(table: Measurements) -> tuple[str, ...]:
    """Return the language of each treebank, from the column `language` or UD's code in its name, or else its name."""
    named = table.texts.get(LANGUAGE_COLUMNS[0], ("",) * len(table))
    return tuple(
        text if text.lower() not in NO_VALUE else language_cells(name)[0] or name
        for text, name in zip(named, table.treebanks)
    )


def counted_once(table: Measurements, columns: Sequence[str], votes: Votes, family: str | None = None) -> Measurements:
    """Return the treebanks with values in some columns of numbers; by language, the means of a language's treebanks."""
    known = np.logical_and.reduce([~np.isnan(table.numbers[name]) for name in columns])
    table = table.rows(np.flatnonzero(known).tolist())
    if votes == "treebank" or not len(table):
        return table
    rows_of: dict[str, list[int]] = {}
    for row, language in enumerate(languages_of(table)):
        rows_of.setdefault(language, []).append(row)
    for language, rows in rows_of.items():
        families = dict.fromkeys(table.texts[family][row] for row in rows) if family is not None else ()
        if len(families) > 1:
            found = f"treebanks of {language} have several values in the column {quoted(str(family))}"
            raise InputError(Fault("invalid-table", f"{found} ({listed([*families])}): use --votes treebank"))
    means = {
        name: np.array([table.numbers[name][rows].mean() for rows in rows_of.values()], dtype=np.float64)
        for name in columns
    }
    first = table.rows([rows[0] for rows in rows_of.values()])
    names = (language if len(rows) > 1 else table.treebanks[rows[0]] for language, rows in rows_of.items())
    return replace(first, treebanks=tuple(names), numbers=means)


def notes_on_votes(table: Measurements, votes: Votes) -> list[str]:
    """Return a note that names the languages with several treebanks, if they count once."""
    treebanks_of: dict[str, list[str]] = {}
    for name, language in zip(table.treebanks, languages_of(table)):
        treebanks_of.setdefault(language, []).append(name)
    several = [f"{language} ({', '.join(names)})" for language, names in treebanks_of.items() if len(names) > 1]
    if votes == "treebank" or not several:
        return []
    return [f"one vote per language, the mean of its treebanks: {'; '.join(several)}"]
