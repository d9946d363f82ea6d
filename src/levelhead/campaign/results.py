"""The results of each system on each test set: counted from files, from `score`, or read from a table of scores."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.arguments import refuse
from levelhead.campaign.plan import TestSet
from levelhead.errors import Fault, InputError, Place, listed, number_of, quoted
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.partial import Coverage
from levelhead.evaluation.provenance import named_note
from levelhead.evaluation.score_data import PartialCoverage, no_coverage
from levelhead.measures.registry import lower_is_better
from levelhead.scoring import Score
from levelhead.significance.units import ParallelUnits, Units, parallel_units
from levelhead.tables.frames import cells_of_frame, is_frame
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.provenance import FileId, FileSummary, Provenance, joint_hash
from levelhead.typology.languages import language_of

CANNOT_OPEN = "Error: Cannot open generated CoNLL-U file"
"""The status of a missing output in the shared tasks, exactly: other programs read it."""

State = Literal["valid", "invalid", "missing"]


class OutputResult(NamedTuple):
    """The result of one system on one test set.

    Args:
        state: "valid", "invalid" or "missing".
        values: the exact value of each measure; None if gold lacks the measured annotation. If the output is missing or
            invalid, the value of a measure is 0, or None if the measure is a perplexity.
        status: the status message of the shared tasks' evaluator.
        reasons: at most 20 reasons why the output scores 0, as texts.
        scores: the score of each measure with its counts; empty if the counts are unknown.
        secondary: for an invalid output, the scores of its valid sentences alone.
        coverage: for an invalid output, the numbers of sentences that are scored, that are in gold, that are in the
            output, and that are invalid.
        sentences: for each measure, two numbers for every gold sentence: the numerator and the denominator of the
            measure's value; int32 or float64, shape (2, sentences). Empty if scored without `by_sentence`, or if the
            output is invalid.
        units: the sampling units, such as documents or sentences; None if scored without `by_sentence`.
        gold_hash: the hash of the gold contents; empty if scored without `by_sentence`.
        faults: all errors of an invalid output; `reasons` has the texts of the first 20 errors.
        contents: the sizes and the hash of a valid output, and warnings about it.
        measures: the entries of `Results.signature` that define the measures.
        notes: notes about the numbers, with `evaluation.provenance.SYSTEM` as a placeholder for the system's name.
        valid_trees: the scores when invalid trees count as wrong; empty without the option `partial`.
        partial_coverage: the share of gold that the output covers; None without the option `partial`.
        sentences_valid_trees: like `sentences`, but sentences without a valid tree count as wrong.
        lacks: if scores were read from a table, the measures that have no score there. Their missing scores count as 0.
    """

    state: State
    values: Mapping[str, Fraction | None]
    status: str
    reasons: tuple[str, ...] = ()
    scores: Mapping[str, Score] = {}
    secondary: Mapping[str, Score] = {}
    coverage: Coverage | None = None
    sentences: Mapping[str, NDArray[np.int32] | NDArray[np.float64]] = {}
    units: Units | None = None
    gold_hash: str = ""
    faults: tuple[Fault, ...] = ()
    contents: FileSummary | None = None
    measures: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()
    valid_trees: Mapping[str, Score] = {}
    partial_coverage: PartialCoverage | None = None
    sentences_valid_trees: Mapping[str, NDArray[np.int32] | NDArray[np.float64]] = {}
    lacks: tuple[str, ...] = ()


class Results(NamedTuple):
    """The results of systems on test sets.

    Args:
        test_sets: the test sets, in order.
        systems: the names of the systems, in order.
        measures: the names of the measures.
        results: the result of each system on each test set; keys are pairs of system name and test set code.
        gold: the sizes and the hash of each gold treebank, by code; empty if only scores are known.
        signature: the settings, versions and hashes that determine the numbers, by name.
        looked: a mapping from test set codes to the results of the function that was passed to `score_plan` as `look`.
    """

    test_sets: tuple[TestSet, ...]
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    results: Mapping[tuple[str, str], OutputResult]
    gold: Mapping[str, FileSummary]
    signature: Mapping[str, str]
    looked: Mapping[str, Any] = {}

    @property
    def units(self) -> Mapping[str, Units]:
        """The sampling units (such as documents) of each test set, by code; empty if scored without `by_sentence`."""
        by_code = {code: self.results[self.systems[0], code].units for code in self.gold}
        return {code: units for code, units in by_code.items() if units is not None}

    @property
    def declared_parallel(self) -> dict[str, str]:
        """The signature entry that names the declared groups of parallel test sets; empty if there are none."""
        names = dict.fromkeys(test_set.parallel for test_set in self.test_sets if test_set.parallel)
        return {"parallel": "+".join(names)} if names else {}

    def parallel(self, codes: Collection[str] | None = None) -> ParallelUnits:
        """Return the sampling units of the test sets with these `codes`, by default of all test sets.

        Test sets share their units if they are translations of each other, or the same test set under two names.
        """
        units = {code: units for code, units in self.units.items() if codes is None or code in codes}
        contents = {code: self.gold_hash(code) for code in units}
        declared = {test_set.code: test_set.parallel for test_set in self.test_sets if test_set.parallel}
        return parallel_units(units, contents, declared)

    def gold_hash(self, code: str) -> str:
        """Return the hash of the gold contents of a test set."""
        return self.results[self.systems[0], code].gold_hash or self.gold[code].sha256 or ""

    def provenance(self) -> Provenance:
        """Return the provenance of the numbers: signature, files (gold and valid outputs), warnings and notes."""
        files: dict[str, dict[str, FileId]] = {code: {"gold": contents.id} for code, contents in self.gold.items()}
        warnings = {fault: None for contents in self.gold.values() for fault in contents.faults}
        for (name, code), result in self.results.items():
            if result.contents is not None:
                files[code][name] = result.contents.id
                warnings |= dict.fromkeys(result.contents.warnings)
        notes = [f"{note} (on {', '.join(codes)})" for note, codes in self.notes_on(files).items()]
        return Provenance(self.signature, files, tuple(warnings), tuple(notes))

    def notes_on(self, codes: Collection[str]) -> dict[str, list[str]]:
        """Return the notes on outputs of the test sets `codes`, each with the test sets to which it applies."""
        notes: dict[str, dict[str, None]] = {}
        for (system, code), result in self.results.items():
            for note in result.notes if code in codes else ():
                notes.setdefault(named_note(note, system), {})[code] = None
        return {note: list(found) for note, found in notes.items()}

    def with_valid_trees_only(self) -> Results:
        """Return the results with invalid trees counted as wrong; outputs must be scored with the option `partial`."""
        results = {
            key: result._replace(scores=result.valid_trees, sentences=result.sentences_valid_trees)
            for key, result in self.results.items()
        }
        return self._replace(results=results)

    @property
    def partial(self) -> bool:
        """Whether outputs were scored with the option `partial`."""
        return "partial" in self.signature

    def covered(self, system: str, code: str) -> PartialCoverage | None:
        """Return the share of gold that an output covers; None without the option `partial`."""
        return self.results[system, code].partial_coverage or (no_coverage(self.gold[code]) if self.partial else None)

    def only(self, measures: Iterable[str]) -> Results:
        """Return only the results for the measures with these names."""
        requested = set(measures)
        names = tuple(name for name in self.measures if name in requested)
        results = {}
        for key, result in self.results.items():
            tables: dict[str, Any] = {field: getattr(result, field) for field in _BY_MEASURE}
            tables = {field: {name: of[name] for name in names if name in of} for field, of in tables.items()}
            results[key] = result._replace(**tables)
        return self._replace(measures=names, results=results)

    def of_systems(self, systems: Collection[str]) -> Results:
        """Return only the results of the systems with these names."""
        names = tuple(name for name in self.systems if name in systems)
        results = {key: result for key, result in self.results.items() if key[0] in names}
        return self._replace(systems=names, results=results)


_BY_MEASURE = ("values", "scores", "secondary", "sentences", "valid_trees", "sentences_valid_trees")
"""The fields of an output's result that have an entry for each measure."""

_COLUMNS = (
    ("system", "team"),
    ("treebank", "test set", "test_set", "ltcode"),
    ("measure", "metric"),
    ("score", "value", "f1"),
)
"""The names of the columns of systems, test sets, measures and scores."""

_STATE, _REASON = "state", "reason"
_FAILED: tuple[tuple[State, str], ...] = (("missing", ""), ("invalid", "the output is invalid"))
_TEXT = ("status", _REASON, "software", "rank", _STATE, "answered sentences", "aligned words")

_Cells = dict[tuple[str, str, str], Fraction | None]
_Zeros = Mapping[tuple[str, str], tuple[State, str]]
"""The outputs marked as missing or invalid in a table, by system and test set, with the reason."""


def read_scores(source: Any) -> Results:
    """Read a table of scores in percent: a tab-separated file with a header, or a data frame.

    It has columns for systems and test sets, and either columns for measures and scores, or a column for each measure
    (`_COLUMNS`). A system without a score on a test set counts as a missing output with score 0.
    """
    if is_frame(source):
        name, columns = "frame", cells_of_frame(source)
        rows = [[*columns], *map(list, zip(*columns.values(), strict=True))]
        data = "\n".join(map("\t".join, rows)).encode()
    else:
        name, data = os.fsdecode(source), read_bytes(source)
        try:
            rows = list(_rows(data.decode("utf-8-sig")))
        except UnicodeDecodeError as error:
            raise InputError(Fault("invalid-table", "the file is not UTF-8", Place(name))) from error
    cells, zeros = _read_cells([column.strip() for column in rows[0]], rows[1:], name)
    if name == "frame" and all(value <= 1 for value in filter(None, cells.values())):
        raise InputError(Fault("invalid-table", "no score is above 1: give percentages, not ratios", Place(name)))
    systems, codes, measures = (tuple(dict.fromkeys(key[i] for key in cells)) for i in range(3))
    worst = {measure: None if lower_is_better(measure) else Fraction(0) for measure in measures}
    results = {}
    for system, code in itertools.product(systems, codes):
        given = {measure: cells.get((system, code, measure)) for measure in measures}
        values = {measure: worst[measure] if value is None else value for measure, value in given.items()}
        lacking = [measure for measure, value in given.items() if value is None]
        if (system, code) in zeros:
            state, reason = zeros[system, code]
        elif len(lacking) == len(measures):
            state, reason = "missing", "no score in the table"
        else:
            state = "valid"
            reason = f"the table has no {', '.join(lacking)}" if lacking else ""
        status = "OK" if state == "valid" else CANNOT_OPEN
        results[system, code] = OutputResult(state, values, status, (reason,) if reason else (), lacks=tuple(lacking))
    test_sets = tuple(TestSet(code, language=language_of(code)) for code in codes)
    signature = {"table": hashlib.sha256(data).hexdigest()[:12], "version": VERSION}
    return Results(test_sets, systems, measures, results, {}, signature)


def _rows(text: str) -> Iterator[list[str]]:
    """Yield the cells of each row; cells can be longer than the limit of Python's CSV reader."""
    row = list[str]()
    for quoted_cell, cell, end in _CELL.findall(text):
        row.append(quoted_cell.replace('""', '"') or cell)
        if end != "\t":
            yield row
            row = []


_CELL = re.compile(r'(?:"((?:[^"]|"")*+)"|([^\t\r\n]*))(\t|\r?\n|\r|\Z)')


def _read_cells(head: Sequence[str], rows: Sequence[Sequence[str]], path: str) -> tuple[_Cells, _Zeros]:
    cells: _Cells = {}
    faults: list[tuple[str, int | None]] = []
    lower = [column.lower() for column in head]
    system, test_set, measure_at, score = (
        next((lower.index(word) for word in words if word in lower), None) for words in _COLUMNS
    )
    if system is None or test_set is None or len(set(head)) < len(head):
        message = "the header lacks the column system or treebank, or has a column twice"
        raise InputError(Fault("invalid-table", message, Place(path, 1)))
    wide = [i for i, column in enumerate(lower) if i not in {system, test_set} and column not in _TEXT]
    for number, row in enumerate(rows, 2):
        if len(row) != len(head):
            message = f"{number_of(len(row), 'column')}, but the header has {len(head)}"
            faults += [(message, number)] if row != [""] else []
            continue
        scores = [(head[i], row[i]) for i in wide]
        if measure_at is not None and score is not None:
            scores = [(row[measure_at], row[score])]
        for measure, text in scores:
            key = (row[system], row[test_set], measure)
            value = None
            try:
                value = _value(text.strip(), perplexity=lower_is_better(measure))
            except ValueError:
                faults.append((f"{quoted(text)} is not a score from 0 to 100", number))
            if not all(key):
                faults.append(("the system, the treebank or the measure has no name", number))
            elif key in cells:
                faults.append((f"duplicate score for {', '.join(map(quoted, key))}", number))
            else:
                cells[key] = value
    if faults or not any(value is not None for value in cells.values()):
        faults = faults or [("the table has no scores", None)]
        raise InputError(*(Fault("invalid-table", message, Place(path, line)) for message, line in faults))
    marked = [(row[system], row[test_set], dict(zip(lower, row))) for row in rows if len(row) == len(head)]
    zeros = {
        (name, code): (state, by_column.get(_REASON) or reason)
        for name, code, by_column in marked
        for state, reason in _FAILED
        if by_column.get(_STATE) == state
    }
    return cells, zeros


def _value(text: str, *, perplexity: bool) -> Fraction | None:
    """A percentage, or a perplexity; None for an empty cell, `ValueError` if it is neither."""
    if text in {"", "-"}:
        return None
    try:
        value = Decimal(text)
    except InvalidOperation as error:
        raise ValueError(text) from error
    # short enough to be converted to a fraction: 1e-999999999 would take hours
    is_short = value.is_finite() and abs(value.adjusted()) < 300
    if not is_short or value < 0 or (value > 100 and not perplexity):
        raise ValueError(text)
    return Fraction(value)


def exact_values(
    scores: Mapping[str, Score], measures: Iterable[str], undefined: Collection[str], perplexities: Collection[str]
) -> dict[str, Fraction | None]:
    """Return the value of each measure: 0 if only the system lacks annotation, None if gold lacks it (`undefined`)."""
    values: dict[str, Fraction | None] = {}
    for name in measures:
        value = None if name in undefined or name not in scores else scores[name].exact
        lacks_value = name in undefined or name in perplexities  # no perplexity is a maximum
        values[name] = Fraction(0) if value is None and not lacks_value else value
    return values


_ONE_TEST_SET = "gold"  # the code of the test set of a single evaluation
_OF_FILES = frozenset({"gold", "system", "gold-warnings", "system-warnings"})


def results_of_scores(systems: Mapping[str, Evaluation]) -> Results:
    """Return the results of systems that were scored one by one; lacking evaluations are missing outputs."""
    by_system = {name: own.parts or {_ONE_TEST_SET: own} for name, own in systems.items()}
    every = [(name, code, own) for name, some in by_system.items() for code, own in some.items()]
    if not every:
        refuse("scores", systems, "at least one result of levelhead.score")
    codes = tuple(dict.fromkeys(code for _, code, _ in every))
    first = every[0][2]
    gold: dict[str, FileSummary] = {}
    for name, code, own in every:
        where = f"{quoted(name)} on {code}"
        if gold.setdefault(code, own.gold).sha256 != own.gold.sha256:
            raise _refused(f"{where} was scored on a different gold file than {quoted(every[0][0])}")
        if _settings_of(own) != _settings_of(first):
            raise _refused(
                f"{where} was scored with different settings than {quoted(every[0][0])}: use the same settings for both"
            )
        if list(own) != list(first):
            raise _refused(f"{where} was scored with the measures {listed([*own])}, others with {listed([*first])}")
    undefined = {
        code: {
            measure
            for measure in first
            if any(
                (score := own[measure]).value is None and (score.reason is None or "in gold" in score.reason)
                for _, at, own in every
                if at == code
            )
        }
        for code in codes
    }
    results = {
        (name, code): _result(some.get(code), tuple(first), undefined[code])
        for name, some in by_system.items()
        for code in codes
    }
    last = {key: first.signature[key] for key in ("unicode", "version")}
    signature = {key: value for key, value in _settings_of(first).items() if key not in last}
    signature |= {
        "gold": joint_hash(gold[code].id for code in codes),
        "systems": joint_hash(own.system.id for _, _, own in every),
    }
    test_sets = tuple(TestSet(code, language=language_of(code)) for code in codes)
    return Results(test_sets, tuple(by_system), tuple(first), results, gold, signature | last)


def _refused(message: str) -> InputError:
    return InputError(Fault("invalid-argument", message))


def _settings_of(evaluation: Evaluation) -> dict[str, str]:
    return {key: value for key, value in evaluation.signature.items() if key not in _OF_FILES}


def _result(evaluation: Evaluation | None, measures: Sequence[str], undefined: set[str]) -> OutputResult:
    lower = list(filter(lower_is_better, measures))
    if evaluation is None:
        values = exact_values({}, measures, undefined, lower)
        return OutputResult("missing", values, CANNOT_OPEN, ("no evaluation was given",))
    return OutputResult(
        "valid",
        exact_values(evaluation, measures, undefined, lower),
        "OK",
        scores=evaluation.scores,
        contents=evaluation.system,
        notes=evaluation.notes,
        valid_trees=evaluation.valid_trees,
        partial_coverage=evaluation.coverage,
    )
