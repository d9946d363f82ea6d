"""Languages, families and genera of treebanks as columns of tables, and short names of treebanks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from levelhead.treebank.layouts import treebank_of
from levelhead.typology.languages import Language, family_of, language_of
from levelhead.typology.selection import language_code

LANGUAGE_COLUMNS = ("language", "family", "genus")
"""The names of the columns."""


def language_of_treebank(name: str) -> Language:
    """Return the language of a treebank."""
    return language_of(language_code(Path(name).name))


def language_cells(name: str) -> tuple[str | None, ...]:
    """Return the cells of `LANGUAGE_COLUMNS`; None for unknown values."""
    return tuple(value or None for value in language_of_treebank(name))


def branch_of_treebank(name: str) -> str:
    """Return the family of a treebank's language, for Indo-European languages the genus; "other" if unknown."""
    return family_of(language_code(Path(name).name))


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return short names of treebanks: without folder and split, unless two would be equal."""
    short = {name: treebank_of(Path(name).name.partition(".conll")[0]) for name in names}
    times = Counter(short.values())
    return {name: text if times[text] == 1 else name for name, text in short.items()}
