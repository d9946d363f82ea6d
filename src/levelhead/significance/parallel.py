"""Parallel test sets, whose documents are paired: translations, or one test set under two names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import listed, number_of
from levelhead.significance.units import DOCUMENT, SENTENCE, Units, kinds_counted
from levelhead.tables.table import Detail

_EQUAL_IDS = 0.9


class ParallelUnits(NamedTuple):
    """The units of several test sets, of which some are parallel."""

    units: Mapping[str, Units]  # the units of each test set by its code
    contents: Mapping[str, str]  # the SHA-256 of the contents of gold by the code of the test set
    # the name of the group of each parallel test set; test sets that are parallel to none are left out
    groups: Mapping[str, str]
    # the number of each unit among those of all test sets, int64, shape (units,), by the code of the test set; units
    # with one number are one unit of averages
    joint: Mapping[str, NDArray[np.int64]]

    @property
    def n_units(self) -> int:
        """The number of units of averages over all test sets."""
        return 1 + max((int(numbers.max(initial=-1)) for numbers in self.joint.values()), default=-1)

    def are_paired(self, one: str, other: str) -> bool:
        """Return whether two test sets are compared by unit: they are parallel and have enough units."""
        group = self.groups.get(one)
        if group is None or group != self.groups.get(other) or not self._share_units([one, other]):
            return False
        return not (self.units[one].few or self.units[other].few)

    def without_copies(self, codes: Iterable[str]) -> list[str]:
        """Return test sets without those that have the contents of an earlier one."""
        return list({self._content(code): code for code in reversed([*codes])}.values())[::-1]

    def counted(self) -> str:
        """Return the numbers of units of averages, such as `397 documents, each in 4 languages, and 300 sentences`."""
        shared = [codes for codes in self._members().values() if self._share_units(codes)]
        in_groups = {code for codes in shared for code in codes}
        others = kinds_counted(unit for code, unit in self.units.items() if code not in in_groups)
        return ", and ".join(filter(None, (*map(self._counted, shared), others)))

    def averaged(self) -> str:
        """Return the units of averages as the end of `unit_line`; empty unless test sets are parallel."""
        return f" (averages: {self.counted()})" if any(map(self._share_units, self._members().values())) else ""

    def _numbers_of_units(self, codes: Sequence[str]) -> tuple[int, list[int]]:
        """The number of distinct units of all test sets together, and of each."""
        joint = [np.unique(self.joint[code]) for code in codes]
        return len(np.unique(np.concatenate(joint))), [*map(len, joint)]

    def _share_units(self, codes: Sequence[str]) -> bool:
        n_units, sizes = self._numbers_of_units(codes)
        return n_units < sum(sizes)

    def _counted(self, codes: Sequence[str]) -> str:
        n_units, sizes = self._numbers_of_units(codes)
        languages = {code.partition("_")[0] for code in codes}
        unit = self.units[codes[0]]._replace(kind=self.kind(codes[0]))
        are_languages = len(languages) == len({self._content(code) for code in codes}) == len(codes)
        share = "each in" if min(sizes) == n_units else "most in"
        each = number_of(len(codes), "language" if are_languages else "test set")
        return f"{kinds_counted([unit], n_units)}, {share} {each}"

    def ids(self, code: str) -> Sequence[str]:
        """The id of each unit of a test set in averages: for sentences of documents, that of the document."""
        unit = self.units[code]
        if unit.ids or unit.documents is None or self.kind(code) != DOCUMENT:
            return unit.ids
        return [unit.documents.ids[number] for number in unit.documents.of_sentence]

    def kind(self, code: str) -> str:
        """The kind of units in averages: documents if they join the sentences of parallel test sets."""
        unit, numbers = self.units[code], self.joint[code]
        return DOCUMENT if unit.kind == SENTENCE and len(np.unique(numbers)) < len(numbers) else unit.kind

    def notes(self) -> Iterator[str]:
        """Return notes on parallel test sets, and on one test set under several names."""
        for codes in self._members().values():
            by_content: dict[str, list[str]] = {}
            for code in codes:
                by_content.setdefault(self._content(code), []).append(code)
            for same in by_content.values():
                if len(same) > 1:
                    yield f"one test set under several names, which has one vote: {listed(same)}"
            first = [same[0] for same in by_content.values()]
            if len(first) > 1 and not self._share_units(first):
                yield f"parallel, but without common units, so they are treated as independent: {listed(codes)}"
            elif len(first) > 1:
                yield Detail(f"parallel test sets, whose units are paired: {listed(codes)}")

    def voters(self, voters: Mapping[str, str]) -> dict[str, str]:
        """Return the voters of test sets with one vote for equal contents: that of the first code."""
        first: dict[str, str] = {}
        return {code: first.setdefault(self._content(code), voter) for code, voter in voters.items()}

    def _members(self) -> dict[str, list[str]]:
        """The codes of the test sets of each group."""
        members: dict[str, list[str]] = {}
        for code in self.units:
            if code in self.groups:
                members.setdefault(self.groups[code], []).append(code)
        return members

    def _content(self, code: str) -> str:
        return self.contents.get(code) or code


def parallel_units(
    units: Mapping[str, Units], contents: Mapping[str, str], declared: Mapping[str, str]
) -> ParallelUnits:
    """Return the units of several test sets with their groups and joint numbers; arguments as of `parallel_groups`."""
    groups = parallel_groups(units, contents, declared)
    return ParallelUnits(units, contents, groups, _joint(units, contents, groups))


def parallel_groups(
    units: Mapping[str, Units], contents: Mapping[str, str], declared: Mapping[str, str]
) -> dict[str, str]:
    """Return the name of the group of each parallel test set; test sets that are parallel to none are left out.

    Test sets are parallel if they are declared to be, if they have the same contents, or if at least 90% of the
    documents of each have the id of a document of the other.
    """
    documents = {code: unit if unit.kind == DOCUMENT else unit.documents for code, unit in units.items()}
    ids = {code: frozenset(filter(_is_id, of.ids if of else ())) for code, of in documents.items()}
    n_documents = {code: of.n_units for code, of in documents.items() if of}
    group = {code: code for code in units}  # each group by its first test set
    for one, other in combinations(units, 2):
        most = max(n_documents.get(one, 0), n_documents.get(other, 0))
        equal_ids = len(ids[one] & ids[other]) >= max(1, _EQUAL_IDS * most)
        if equal_ids or _equal(one, other, declared) or _equal(one, other, contents):
            group = {code: group[one] if first == group[other] else first for code, first in group.items()}
    names: dict[str, str] = {}
    for first in dict.fromkeys(group.values()):
        codes = [code for code in units if group[code] == first]
        if len(codes) > 1:
            name = _name(codes, declared)
            names |= dict.fromkeys(codes, "+".join(codes) if name in names.values() else name)
    return names


def _is_id(name: str) -> bool:
    """Whether a unit has an id of its own, see `Units.ids`."""
    return bool(name) and not name.startswith("#")


def _equal(one: str, other: str, values: Mapping[str, str]) -> bool:
    return bool(values.get(one)) and values.get(one) == values.get(other)


def _name(codes: Sequence[str], declared: Mapping[str, str]) -> str:
    """The declared name, or what follows the language code in all codes, such as `pud`; otherwise all of them."""
    names = {declared[code] for code in codes if declared.get(code)} or {code.partition("_")[2] for code in codes}
    return "+".join(codes) if names == {""} or len(names) > 1 else names.pop()


def _joint(
    units: Mapping[str, Units], contents: Mapping[str, str], groups: Mapping[str, str]
) -> dict[str, NDArray[np.int64]]:
    """The numbers of units.

    Units of parallel test sets with equal ids have one number, and so have all sentences of a document. If no documents
    are marked, sentences of parallel test sets with equally many have one number if their places are equal. Test sets
    with the same contents have the same numbers.
    """
    joint: dict[str, NDArray[np.int64]] = {}
    numbers: dict[Any, int] = {}  # of the units of parallel test sets
    n_alone = 0  # the number of units of the others, of which there can be millions
    for code, unit in units.items():
        members = [other for other in units if code in groups and groups.get(other) == groups[code]]
        same = [other for other in members if other in joint and _equal(code, other, contents)]
        of_ids = unit if unit.ids else unit.documents
        if not members:
            joint[code] = np.arange(unit.n_units) + len(numbers) + n_alone
            n_alone += unit.n_units
        elif same:
            joint[code] = joint[same[0]]
        elif len({contents.get(other) or other for other in members}) > 1 and of_ids:
            ids = enumerate(of_ids.ids)
            keys = [(groups[code], of_ids.kind, name) if _is_id(name) else (code, i) for i, name in ids]
            of_unit = _numbered(keys, numbers, n_alone)
            joint[code] = of_unit if of_ids is unit else of_unit[of_ids.of_sentence]
        else:
            sizes = {None if units[other].ids or units[other].documents else units[other].n_units for other in members}
            start = ("", groups[code]) if len(sizes) == 1 else (code,)
            joint[code] = _numbered([(*start, i) for i in range(unit.n_units)], numbers, n_alone)
    return joint


def _numbered(keys: Sequence[Any], numbers: dict[Any, int], n_alone: int) -> NDArray[np.int64]:
    return np.array([numbers.setdefault(key, len(numbers) + n_alone) for key in keys], dtype=np.int64)
