"""Languages of treebanks, by UD's language code, and short names of treebanks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from levelhead.errors import Fault, InputError, listed
from levelhead.tables.data import TREEBANK_COLUMN, DataColumn
from levelhead.treebank.layouts.gold import treebank_of

Voter = Literal["treebank", "language", "family"]
"""The units that vote in tests over treebanks."""


class Language(NamedTuple):
    """A language as UD classifies it.

    Args:
        name: the name; "" if unknown.
        family: the language family; "" if unknown.
        genus: the genus; "" if unknown or not given by UD.
        iso_639_3: the ISO 639-3 code; "" if unknown.
        glottocode: the language's code in Glottolog, which WALS and Grambank use too; "" if unknown.
    """

    name: str = ""
    family: str = ""
    genus: str = ""
    iso_639_3: str = ""
    glottocode: str = ""


UNKNOWN = Language()


@cache
def languages() -> Mapping[str, Language]:
    text = (files("levelhead.typology") / "languages.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return MappingProxyType({code: Language(*rest) for code, *rest in rows[1:]})


def language_of(code: str) -> Language:
    """Return the language of a treebank."""
    return languages().get(code.partition("_")[0], UNKNOWN)


def family_of(code: str) -> str:
    """Return the family of a treebank's language, for Indo-European the branch; "other" if unknown."""
    language = language_of(code)
    return (language.genus if language.family == "Indo-European" else language.family) or "other"


def treebanks_voting(languages: Mapping[str, Language], kind: Voter) -> dict[str, str]:
    if kind == "treebank":
        return {code: code for code in languages}
    voters = {code: language.name if kind == "language" else language.family for code, language in languages.items()}
    if unknown := [code for code, voter in voters.items() if not voter]:
        message = (
            f"unknown {kind} of {listed(unknown)}: start the names of treebanks with UD's language codes (en_ewt), "
            f"or give each test set a {kind} in a manifest"
        )
        raise InputError(Fault("unknown-language", message))
    return voters


TREEBANK_COLUMNS = (
    TREEBANK_COLUMN,
    DataColumn("language", "text", "The language, from the treebank's name", optional=True),
    DataColumn("family", "text", "The language family", optional=True),
    DataColumn("genus", "text", "The genus", optional=True),
    DataColumn("iso_639_3", "text", "The ISO 639-3 code of the language", optional=True),
    DataColumn("glottocode", "text", "The code of the language in Glottolog, WALS and Grambank", optional=True),
)
"""The columns of a treebank and its language in tables of data; null for unknown values."""

LANGUAGE_COLUMNS = ("language", *Language._fields[1:])


def language_code(treebank: str) -> str:
    """Return the language code at the start of a treebank's name: `cs` for `cs_cac`."""
    return code[0] if (code := re.match(r"[a-z]{2,3}(?=[_.-]|$)", treebank)) else treebank


def language_cells(name: str) -> tuple[str | None, ...]:
    return tuple(value or None for value in language_of(language_code(Path(name).name)))


def branch_of_treebank(name: str) -> str:
    """Return the family of a treebank's language, for Indo-European languages the genus; "other" if unknown."""
    return family_of(language_code(Path(name).name))


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return short names of treebanks: without folder and split, unless two would be equal."""
    short = {name: treebank_of(Path(name).name.partition(".conll")[0]) for name in names}
    times = Counter(short.values())
    return {name: text if times[text] == 1 else name for name, text in short.items()}
