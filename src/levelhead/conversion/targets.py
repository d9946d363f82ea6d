"""Conversion targets: the words that swap places with their heads."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, InputError, Place, unknown
from levelhead.treebank import Treebank
from levelhead.treebank.input_bytes import parsed_toml, read_bytes
from levelhead.treebank.relations import universal

Flags = NDArray[np.uint8]

Labels = Mapping[str, frozenset[str]]

_DEFAULT_FIXED: Labels = {"ud1": frozenset({"mwe"}), "ud2": frozenset({"fixed"})}
_KEYS = {"name", "subtypes", "targets", "fixed"}


class Targets(NamedTuple):
    """The set T of Kohita et al. (2017): pairs of a part of speech and a relation.

    Args:
        name: its name.
        relations: the target relations of each UPOS.
        fixed: the relations of parts of fixed expressions, under "ud1" and "ud2": backward conversion does not move
            them.
        subtypes: whether a relation written without a subtype matches all its subtypes.
    """

    name: str
    relations: Labels
    fixed: Labels = _DEFAULT_FIXED
    subtypes: bool = True

    @property
    def sha256(self) -> str:
        """A hash of everything except the name; different targets have different hashes."""
        tables = [{key: sorted(labels) for key, labels in table.items()} for table in (self.relations, self.fixed)]
        return hashlib.sha256(json.dumps([*tables, self.subtypes], sort_keys=True).encode()).hexdigest()

    def matches(self, upos: str, relation: str) -> bool:
        """Return whether words of this part of speech and relation are targets."""
        return self._is_in(relation, self.relations.get(upos, frozenset()))

    def of(self, treebank: Treebank) -> Flags:
        """Return which words are targets, uint8, shape (words,)."""
        targets = np.zeros(treebank.n_words, dtype=np.uint8)
        for code in treebank.upos.distinct.tolist():
            if relations := self.relations.get(treebank.strings[code]):
                targets |= (treebank.upos.codes == code) & self.labeled(treebank, relations)
        return targets

    def labeled(self, treebank: Treebank, relations: frozenset[str]) -> Flags:
        """Return which words have one of the relations, uint8, shape (words,)."""
        member = np.zeros(len(treebank.strings), dtype=np.uint8)
        for code in treebank.relations.distinct.tolist():
            member[code] = self._is_in(treebank.strings[code], relations)
        return member[treebank.relations.codes]

    def _is_in(self, relation: str, listed: frozenset[str]) -> bool:
        return relation in listed or (self.subtypes and universal(relation) in listed)


@cache
def default_targets() -> Targets:
    """Return the targets of Kohita et al. (2017), Table 1."""
    return read_targets(Path(__file__).with_name("targets.toml"))


def read_targets(path: str | os.PathLike[str]) -> Targets:
    """Read targets from a TOML file such as `levelhead/conversion/targets.toml`.

    Args:
        path: the file; it has a table `targets` with a list of relations for each UPOS, and optionally a table `fixed`
            with lists for `ud1` and `ud2`, a `name`, and `subtypes = false` if relations do not include their subtypes.

    Raises:
        InputError: it is not TOML, or does not have this form.
    """
    name = os.fspath(path)
    document = parsed_toml(read_bytes(path), name, "invalid-targets")
    extra = sorted(set(document) - _KEYS)
    if extra:
        raise _invalid(name, unknown("key", extra[0], sorted(_KEYS)))
    subtypes, title = document.get("subtypes", True), document.get("name", Path(name).stem)
    if not isinstance(subtypes, bool) or not isinstance(title, str):
        raise _invalid(name, "`subtypes` must be true or false, and `name` a string")
    fixed = _labels(document.get("fixed", {}), name, "fixed")
    if not set(fixed) <= {"ud1", "ud2"}:
        raise _invalid(name, "`fixed` can only have lists for ud1 and ud2")
    targets = _labels(document.get("targets", {}), name, "targets")
    if not any(targets.values()):
        raise _invalid(name, "the table `targets` has no relations")
    return Targets(title, targets, {**_DEFAULT_FIXED, **fixed}, subtypes)


def _labels(table: object, name: str, key: str) -> Labels:
    lists = table.values() if isinstance(table, dict) else [None]
    if not all(isinstance(value, list) and all(isinstance(item, str) for item in value) for value in lists):
        raise _invalid(name, f"`{key}` must be a table of lists of relations")
    return {tag: frozenset(relations) for tag, relations in table.items()}  # type: ignore[attr-defined]


def _invalid(name: str, message: str) -> InputError:
    return InputError(Fault("invalid-targets", message, Place(name)))
