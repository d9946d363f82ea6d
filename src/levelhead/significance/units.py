"""The independent units of intervals and tests: sentences, documents, or sentences with the same comment.

Those of parallel test sets are paired: translations, or one test set under two names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, InputError, Place, count_text, listed, number_of, quoted
from levelhead.tables.data import TREEBANK_COLUMN, DataColumn, Layout
from levelhead.tables.table import Detail
from levelhead.treebank.documents import Documents, marks_text
from levelhead.treebank.treebank import Treebank

AUTO, SENTENCE, DOCUMENT, COMMENT = "auto", "sentence", "document", "comment:"

FEW = "few-documents"
"""In signatures: the documents in averages, and the sentences in the test set's own intervals."""

FEWEST_UNITS = 10
"""The minimum number of units for intervals and p-values."""

ENOUGH_UNITS = 20
"""With fewer units, intervals and p-values are rough."""


LABEL = "new sentences of these documents, not for new documents"
"""What intervals by sentence hold for, where gold marks documents."""

FEW_NOTE = f"fewer than {FEWEST_UNITS} documents, so {{}} are by sentence and hold for {LABEL}"


class Units(NamedTuple):
    """The sampling units of a gold treebank.

    Args:
        kind: the kind of sampling unit, which is "sentence", "document" or "comment:NAME".
        of_sentence: for each sentence, the index of its unit, from 0; int64, shape (sentences,).
        largest: the percentage of words that are in the largest unit.
        effective: the effective number of units: n ** 2 / (n_1 ** 2 + n_2 ** 2 + ...), where n is the number of all
            words, and n_1, n_2, ... are the numbers of words in each unit. It is lower than `n_units` if units differ
            in size. It is 0 if the units are sentences, for which it is not computed.
        ids: the id of each document, or the value of each comment; empty if the units are sentences. If `# newdoc` has
            no id, the document gets its number in the file as id, such as #1.
        marks: the number of sentences with `# newdoc`; 0 unless the units are documents.
        auto: whether the kind of unit was chosen by "auto".
        documents: the documents, if gold marks at least two although the units are of another kind; otherwise None.
    """

    kind: str
    of_sentence: NDArray[np.int64]
    largest: float = 0.0
    effective: float = 0.0
    ids: tuple[str, ...] = ()
    marks: int = 0
    auto: bool = False
    documents: Units | None = None

    @property
    def n_units(self) -> int:
        """The number of sampling units."""
        return int(self.of_sentence.max(initial=-1)) + 1

    @property
    def marked(self) -> bool:
        """Whether gold marks the requested units; False if "auto" chose sentences for lack of documents."""
        return self.kind != SENTENCE or not self.auto

    @property
    def few(self) -> bool:
        """Whether `resample_by="auto"` chose documents although this test set has fewer than 10 documents."""
        return self.auto and self.kind == DOCUMENT and self.n_units < FEWEST_UNITS

    def own(self) -> Units:
        """Return the units of results on this test set alone: sentences if `few` is true, otherwise these units."""
        return Units(SENTENCE, np.arange(len(self.of_sentence)), documents=self) if self.few else self

    @property
    def label(self) -> str:
        """A text that says what intervals hold for; empty unless units are sentences although gold marks documents."""
        return LABEL if self.own().kind == SENTENCE and self.own().documents else ""

    @property
    def decides(self) -> bool:
        """Whether results on this test set alone can have p-values and be significant."""
        few = self.few or (self.documents is not None and self.documents.few)
        return self.n_units >= FEWEST_UNITS and not few

    def sums(self, parts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return, for each sampling unit, the sum of its sentences' rows in `parts`; shape (units, ...)."""
        if self.kind == SENTENCE:
            return parts
        summed = np.zeros((self.n_units, *parts.shape[1:]))
        np.add.at(summed, self.of_sentence, parts)
        return summed


def units_of(gold: Treebank, resample_by: str) -> Units:
    """Return the sampling units of a gold treebank.

    With "auto", the units are documents if `# newdoc` marks at least two documents in gold. Otherwise, the units are
    sentences. If gold has only two to nine documents, averages over test sets are based on documents, but results on
    this test set alone are based on sentences (see `Units.own`). Documents with the same id count as one document; a
    `# newdoc` without an id starts a new document. Sentences before the first `# newdoc` form a document. With
    "comment:NAME", a comment applies to all sentences up to the next comment with this name, or to the end of the
    document. Sentences with the same value of the comment form a unit, and so do all sentences without the comment.

    Args:
        gold: the gold treebank.
        resample_by: "auto", "sentence", "document" or "comment:NAME".

    Raises:
        InputError: documents are requested but gold marks fewer than two, or no sentence has the requested comment.
    """
    tally = UnitTally(resample_by)
    tally.add(gold)
    return tally.units(gold.source.path)


class UnitTally:
    """Finds the units of a gold treebank that is read in pieces, see `units_of`."""

    def __init__(self, resample_by: str) -> None:
        self._resample_by = resample_by
        self._lengths: list[NDArray[np.int32]] = []  # words in each sentence
        self._documents = Documents()
        self._of_document: list[NDArray[np.int32]] = []  # of each sentence
        self._values: list[NDArray[np.int32]] = []  # the number of the value of each sentence
        self._numbers: dict[str | None, int] = {}  # of the values of the comment
        self._value: str | None = None  # of the last sentence

    def add(self, piece: Treebank) -> None:
        self._lengths.append(np.diff(piece.sentence_starts).astype(np.int32))
        before, documents = self._documents.last, self._documents.add(piece)
        self._of_document.append(documents.astype(np.int32))
        if not self._resample_by.startswith(COMMENT):
            return
        name, numbers = self._resample_by.removeprefix(COMMENT), []
        begins = np.diff(documents, prepend=before) != 0
        for sentence, is_first in zip(piece, begins.tolist(), strict=True):
            self._value = sentence.metadata.get(name, None if is_first else self._value)
            numbers.append(self._numbers.setdefault(self._value, len(self._numbers)))
        self._values.append(np.array(numbers, dtype=np.int32))

    def units(self, path: str | None) -> Units:
        kind, ids = self._resample_by, self._documents.ids
        auto, lengths = kind == AUTO, _joined(self._lengths)
        documents = None
        if len(ids) > 1:
            documents = _grouped(DOCUMENT, self._of_document, lengths, ids)._replace(
                marks=self._documents.marks, auto=auto
            )
        if kind == DOCUMENT and not documents:
            message = (
                "the gold treebank does not mark two or more documents (# newdoc): use --resample-by sentence or auto"
            )
            raise InputError(Fault("no-documents", message, Place(path)))
        if documents and kind in {AUTO, DOCUMENT}:
            return documents
        if not kind.startswith(COMMENT):
            return Units(SENTENCE, np.arange(len(lengths), dtype=np.int64), auto=auto, documents=documents)
        if not self._numbers.keys() - {None}:
            message = f"no sentence has the comment {quoted(kind.removeprefix(COMMENT))} of --resample-by"
            raise InputError(Fault("no-documents", message, Place(path)))
        values = tuple(value or "" for value in self._numbers)
        return _grouped(kind, self._values, lengths, values)._replace(documents=documents)


def _grouped(
    kind: str, numbers: Sequence[NDArray[np.int32]], lengths: NDArray[np.int64], ids: tuple[str, ...]
) -> Units:
    of_sentence = _joined(numbers)
    words = np.bincount(of_sentence, weights=lengths)
    total = max(1.0, float(words.sum()))
    return Units(kind, of_sentence, 100 * float(words.max()) / total, total**2 / max(1.0, float(words @ words)), ids)


def _joined(pieces: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(0, dtype=np.int64), *pieces], dtype=np.int64)


UNITS: Layout = (
    TREEBANK_COLUMN,
    DataColumn("unit", "text", '"sentence", "document" or "comment:NAME"'),
    DataColumn("n_units", "integer", "The number of units", limits=(0,)),
    DataColumn(
        *("n_documents", "integer", "The number of documents that gold marks; null if it marks fewer than two"),
        optional=True, limits=(0,),
    ),
)  # fmt: skip
"""The columns of `unit_rows`."""


def unit_rows(units: Mapping[str, Units]) -> list[tuple[Any, ...]]:
    """Return the units of the test sets' own results, by the code of the test set."""
    rows = []
    for code, own in ((code, unit.own()) for code, unit in units.items()):
        documents = own if own.kind == DOCUMENT else own.documents
        rows.append((code, own.kind, own.n_units, documents.n_units if documents else None))
    return rows


def unit_line(
    units: Mapping[str, Units], results: str = "confidence intervals and p-values", averaged: str = ""
) -> Detail:
    """Return a note that counts the sampling units (such as documents) on which `results` are based."""
    own = [unit.own() for unit in units.values()]
    kinds = " or ".join(dict.fromkeys(unit.kind.removeprefix(COMMENT) for unit in own))
    label = f" ({LABEL})" if own and all(unit.label for unit in own) else ""
    return Detail(f"{results} by {kinds}: {units_counted(units)}{label}{averaged}")


def with_p_values(p_values: Iterable[float | None]) -> str:
    """Return which results a note on units is about."""
    return f"confidence intervals{' and p-values' if any(p is not None for p in p_values) else ''}"


def units_counted(units: Mapping[str, Units]) -> str:
    return kinds_counted(unit.own() for unit in units.values())


def units_signature(units: Mapping[str, Units]) -> str:
    """Return the kinds of units for a signature, in alphabetical order; 2 to 9 documents by `AUTO` are a kind."""
    return "+".join(sorted({FEW if unit.few else unit.kind for unit in units.values()}))


def kinds_counted(units: Iterable[Units], n_units: int | None = None) -> str:
    """Return the numbers of units of each kind, such as `20 documents and 300 sentences`; or the given number."""
    kinds: dict[str, int] = {}
    for unit in units:
        kinds[unit.kind] = kinds.get(unit.kind, 0) + (unit.n_units if n_units is None else n_units)
    return " and ".join(_plural(kind, n) for kind, n in kinds.items())


def unit_notes(
    units: Mapping[str, Units],
    results: str = "intervals and p-values",
    *,
    averaged: bool = False,
    marked_by: str = "gold",
) -> Iterator[str]:
    """Yield notes on missing, rough or too optimistic intervals; averages have them even if a test set has none."""
    of_their_own = " of their own" if averaged and len(units) > 1 else ""
    intervals, _, p_values = results.partition(" and ")
    without = f", without {p_values} (use --resample-by sentence)" if p_values else ""
    own = {name: unit.own() for name, unit in units.items()}
    notes = {
        f"{marked_by} marks no documents, so sentences are treated as independent": [
            name for name, unit in units.items() if not unit.marked
        ],
        f"{FEW_NOTE.format(f'{intervals}{of_their_own}')}{without}": [
            f"{name} ({unit.n_units})" for name, unit in units.items() if unit.few
        ],
        f"{results} by sentence hold for {LABEL}": [
            name for name, unit in units.items() if unit.label and not unit.few
        ],
        f"fewer than {FEWEST_UNITS} units, so no {results.replace(' and ', ' or ')}{of_their_own}": [
            name for name, unit in own.items() if unit.n_units < FEWEST_UNITS
        ],
        f"fewer than {ENOUGH_UNITS} units, so {results} are rough": [
            name for name, unit in own.items() if FEWEST_UNITS <= unit.n_units < ENOUGH_UNITS
        ],
    }
    yield from (f"{note}: {listed(names, 5)}" for note, names in notes.items() if names)
    for name, unit in units.items():
        if unit.kind == DOCUMENT and (text := marks_text(unit.marks, unit.n_units)):
            yield Detail(f"{name}: {text}")
        if unit.few:
            continue
        if unit.n_units >= ENOUGH_UNITS and 0 < unit.effective < ENOUGH_UNITS:
            uneven = f"{_plural(unit.kind, unit.n_units)} of uneven size count as {unit.effective:.0f}"
            yield f"{name}: {uneven}, so {results} are rough"
        if unit.largest > 100 / 3:
            share = f"one {unit.kind.removeprefix(COMMENT)} has {unit.largest:.0f}% of the words"
            yield f"{name}: {share}, so {results} depend on it"


def _plural(kind: str, n_units: int) -> str:
    name = f"value of {kind.removeprefix(COMMENT)}" if kind.startswith(COMMENT) else kind
    if " " not in name:
        return number_of(n_units, name)
    return f"{count_text(n_units)} {name if n_units == 1 else name.replace('value', 'values')}"


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
        """The number of distinct sampling units in averages over all test sets."""
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
        """Return a text that counts the units in averages: `397 documents, each in 4 languages, and 300 sentences`."""
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
        """The ids of a test set's sampling units, sentences or documents, in averages over test sets."""
        unit = self.units[code]
        if unit.ids or unit.documents is None or self.kind(code) != DOCUMENT:
            return unit.ids
        return [unit.documents.ids[number] for number in unit.documents.of_sentence]

    def kind(self, code: str) -> str:
        """The kind of a test set's units in averages, "document" if parallel test sets are paired by document."""
        unit, numbers = self.units[code], self.joint[code]
        return DOCUMENT if unit.kind == SENTENCE and len(np.unique(numbers)) < len(numbers) else unit.kind

    def notes(self) -> Iterator[str]:
        """Return notes on parallel test sets, and on test sets that occur under several names."""
        for codes in self._members().values():
            by_content: dict[str, list[str]] = {}
            for code in codes:
                by_content.setdefault(self._content(code), []).append(code)
            for same in by_content.values():
                if len(same) > 1:
                    yield f"several names of one test set, which has one vote: {listed(same)}"
            first = [same[0] for same in by_content.values()]
            if len(first) > 1 and not self._share_units(first):
                yield f"parallel test sets without common units, treated as independent: {listed(codes)}"
            elif len(first) > 1:
                yield Detail(f"parallel test sets, whose units are paired: {listed(codes)}")

    def voters(self, voters: Mapping[str, str]) -> dict[str, str]:
        """Return the voter of each test set; if several test sets have the same contents, they share one voter."""
        first: dict[str, str] = {}
        return {code: first.setdefault(self._content(code), voter) for code, voter in voters.items()}

    def _members(self) -> dict[str, list[str]]:
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
    """Return the name of the group of each parallel test set; those that are parallel to none are left out."""
    # parallel if declared, with the same contents, or if 90% of the documents of each have the id of one of the other
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
    """The numbers of units: equal for equal ids, places or contents in parallel test sets, and in one document."""
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
