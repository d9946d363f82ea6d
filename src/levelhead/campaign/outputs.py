"""One system's output on one test set: counted from bytes, shown to visitors that need its words, or kept in memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.plan import TestSet
from levelhead.campaign.records import (
    GOLD,
    File,
    LargeFile,
    Record,
    Source,
    contents,
    contents_fields,
    contents_in,
    facts_of,
    faults_of_error,
    gold_of,
    hash_of,
    input_file,
    numbers_of,
    score_gold_in_pieces,
    small,
    status_of_other_text,
    status_of_refusal,
    status_of_scores,
    unchanged,
    undefined_measures,
    units_fields,
    whole_contents,
    without_value,
)
from levelhead.campaign.results import CANNOT_OPEN
from levelhead.errors import Fault, InputError, MeasureError, Place, TextMismatch
from levelhead.evaluation.files import can_score_in_pieces, open_files, whole_pair
from levelhead.evaluation.fold import CountedPiece, fold
from levelhead.evaluation.pair import Evaluation, Input, load, load_pair, parse_as
from levelhead.evaluation.partial import score_valid_sentences, valid_sentences
from levelhead.evaluation.setup import Setup
from levelhead.jobs.running import job_key
from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import Matches, match, spans_of
from levelhead.scoring.measure import Measure, Resource
from levelhead.scoring.selection import for_treebank, key_of, read_weights
from levelhead.significance.jackknife import Run, system_counts
from levelhead.significance.units import UnitTally, units_of
from levelhead.treebank import Treebank, input_bytes
from levelhead.treebank.layouts.outputs import System
from levelhead.treebank.provenance import FileSummary, contents_hash, summary_of

if TYPE_CHECKING:
    from levelhead.evaluation.fold import Visitor
    from levelhead.evaluation.score_data import PartialCoverage

    class VisitorWithResult(Visitor, Protocol):
        """Sees the pieces of one output, and returns a result."""

        def result(self, gold: FileSummary, system: FileSummary) -> Any:
            """Return what was collected from the output, given a summary of each file."""


_MISSING: Record = {"state": "missing", "status": CANNOT_OPEN, "reasons": []}


class JobSetup(NamedTuple):
    """Everything that determines the counts of a job, except gold and output."""

    setup: Setup
    files: Mapping[str, File] = {}  # weights and models by measure, which the worker reads
    treebank: str = ""  # the code of the test set, for measures that name a file per test set
    # the units of tests of significance, see `significance.units_of`; None without the counts of sentences
    resample_by: str | None = None


def key_of_job(gold: Source, system: Source | None, settings: JobSetup) -> str:
    counted = f"counts by {settings.resample_by}, documents by id" if settings.resample_by else "counts"
    files = {name: file.sha256 for name, file in settings.files.items()}
    return job_key(counted, settings.setup.key, files, hash_of(gold), hash_of(system))


def count_output(
    gold: Source, output: Source | None, settings: JobSetup, visitors: Sequence[Visitor] = (), *, whole: bool = False
) -> Record:
    """Return the record of an output; large files are read in pieces if possible, unless they are needed whole."""
    setup = settings.setup
    faulty = "gold"  # what an error is about: gold, or a file that a measure names
    try:
        if settings.files:
            weights = dict(setup.weights)
            for measure, definition in setup.defined:
                if (file := settings.files.get(faulty := str(measure))) is not None:
                    argument = setup.place_of(key_of(for_treebank(measure, settings.treebank)))
                    weights[key_of(measure)] = _resource(argument, file, definition.load or read_weights)
            setup = replace(setup, weights=weights)
            faulty = "gold"
        job = OutputJob(gold, output, setup, settings.resample_by, visitors)
        if whole:
            return job.record_in_memory()
        try:
            return job.record_in_memory(input_bytes.SIZES.large)
        except LargeFile:
            return job.record_in_pieces() or job.record_in_memory()
    except InputError as error:
        return {"faults_of": faulty, "faults": faults_of_error(error)}
    except MeasureError as error:
        if error.slug != "invalid-measure":
            raise
        source = gold if error.place.file == GOLD else output
        place = Place(source.path) if isinstance(source, File) else None
        raise MeasureError(error.message, error.slug, place) from error


@lru_cache(maxsize=8)
def _resource(argument: str, file: File, load: Callable[[str], Resource]) -> Resource:
    """Return what a measure's file contains; a worker reads each file once while it is needed."""
    contents(file)  # is unchanged
    return load(argument)


class OutputJob(NamedTuple):
    """An output to be counted; errors are those of gold. `resample_by` is None without counts of sentences."""

    gold: Source
    output: Source | None
    setup: Setup
    resample_by: str | None
    visitors: Sequence[Visitor] = ()

    def record_in_memory(self, most: int = sys.maxsize) -> Record:
        """Return the record, with files that have at most so many bytes read whole."""
        gold = gold_of(self.gold, self.setup, most)
        if not isinstance(gold, Treebank):
            raise gold
        fields: Record = {"gold": contents_fields(summary_of(gold))}
        if self.resample_by is not None:
            fields |= {"gold_hash": contents_hash(gold), "units": units_fields(units_of(gold, self.resample_by))}
        record = dict(_MISSING) if self.output is None else self._fields_of_whole(gold, self.output, most)
        valueless = record.get("undefined", self._measures_without_scores)
        return record | {"undefined": undefined_measures(self.gold, self.setup, valueless, most)} | fields

    @property
    def _measures_without_scores(self) -> Sequence[str]:
        return self.setup.names if self.setup.rules.undefined is None else ()

    def _fields_of_whole(self, gold: Treebank, output: Source, most: int) -> Record:
        """The fields that depend on the output; if it is invalid, also scores of its valid sentences."""
        setup, sentences, data = self.setup, self._sentences(), b""
        system: Treebank | bytes = data
        try:
            if isinstance(output, Treebank):
                system = output
            else:
                data = whole_contents(output, most)
                system = data if setup.partial else parse_as(data, None, setup.rules, setup.format)
            evaluation = fold(whole_pair(gold, system, setup), setup, (*sentences, *self.visitors))
        except InputError as error:
            status = status_of_refusal(error)
            if isinstance(error, TextMismatch) and isinstance(system, Treebank):
                spans = [spans_of(side, unicode_spaces=setup.rules.unicode_spaces) for side in (system, gold)]
                status = status_of_other_text(*(len(side.text.tobytes().decode()) for side in spans))
            elif error.place.file == GOLD:
                raise
            record: Record = {"state": "invalid", "status": status, "reasons": faults_of_error(error)}
            if not (setup.partial or setup.rules.content):  # these are only compared by number
                with suppress(InputError):
                    scores, coverage = score_valid_sentences(gold, *valid_sentences(data), setup)
                    record |= {"secondary": numbers_of(scores), "coverage": coverage}
            return record
        return _valid_fields(evaluation, setup, sentences)

    def record_in_pieces(self) -> Record | None:
        """Return the record, counted in pieces; None if files must be read whole, as for invalid outputs."""
        gold, output = self.gold, self.output
        if not isinstance(gold, File) or isinstance(output, Treebank) or not can_score_in_pieces(self.setup):
            return None
        if output is None and self.setup.rules.content:
            return None
        sentences = self._sentences()
        units = () if self.resample_by is None else (_GoldUnits(self.resample_by),)
        try:
            with unchanged(gold) if output is None else unchanged(gold, output):
                if output is None:
                    evaluation = score_gold_in_pieces(gold, self.setup, units, self._measures_without_scores)
                    record = _MISSING | {"undefined": list(without_value(evaluation))}
                else:
                    sources = input_file(gold, GOLD), input_file(output, None)
                    with open_files(
                        *sources, self.setup, input_bytes.SIZES.piece, facts_of(gold, self.setup)
                    ) as stream:
                        evaluation = fold(stream, self.setup, (*units, *sentences, *self.visitors))
                    record = _valid_fields(evaluation, self.setup, sentences)
                    record["undefined"] = undefined_measures(gold, self.setup, record["undefined"], None)
        except (input_bytes.OnlyWhole, MeasureError):
            return None
        except InputError as error:
            if not isinstance(error, TextMismatch) and error.place.file == GOLD:
                raise
            return None
        record["gold"] = contents_fields(evaluation.gold)
        for visitor in units:
            record |= {"gold_hash": evaluation.gold.sha256, "units": units_fields(visitor.tally.units(GOLD))}
        return record

    def _sentences(self) -> Sequence[_SentenceParts]:
        return () if self.resample_by is None else (_SentenceParts(self.setup),)


def _valid_fields(evaluation: Evaluation, setup: Setup, sentences: Sequence[_SentenceParts]) -> Record:
    record: Record = {
        "state": "valid",
        "status": status_of_scores(evaluation.scores, setup.rules.name),
        "reasons": [],
        "scores": numbers_of(evaluation),
        "undefined": list(without_value(evaluation)),
        "system": contents_fields(evaluation.system),
        "measures": setup.signature_of_measures(),
        "notes": list(evaluation.notes),
    }
    if setup.partial:
        record |= {"scores_valid_trees": numbers_of(evaluation.valid_trees), "partial_coverage": evaluation.coverage}
    for tally in sentences:
        record |= tally.fields(evaluation)
    return record


class _GoldUnits:
    def __init__(self, resample_by: str) -> None:
        self._resample_by = resample_by

    def start(self) -> None:
        self.tally = UnitTally(self._resample_by)

    def add(self, piece: CountedPiece) -> None:
        self.tally.add(piece.matches.gold)


class _SentenceParts:
    """The visitor that keeps numerators and denominators of every sentence: at most 16 bytes for each measure."""

    def __init__(self, setup: Setup) -> None:
        self._measures = {str(measure): measure for measure in setup.measures}
        self._kinds = ("sentences", "sentences_valid_trees") if setup.partial else ("sentences",)

    def start(self) -> None:
        self._parts: dict[tuple[str, str], list[NDArray[Any]]] = {}

    def add(self, piece: CountedPiece) -> None:
        for name, counts_by_kind in piece.sentences.items():
            for kind, counts in zip(self._kinds, counts_by_kind, strict=True):
                self._parts.setdefault((kind, name), []).append(small(sentence_parts(counts, self._measures[name])))

    def fields(self, evaluation: Evaluation) -> Record:
        """Return the fields of a record, for the measures that have a value; to be called once."""
        fields: Record = {kind: {} for kind in self._kinds}
        for kind, name in tuple(self._parts):
            parts = self._parts.pop((kind, name))
            if evaluation[name].reason is None:
                fields[kind][name] = small(np.concatenate(parts, axis=1))
        return fields


def sentence_parts(counts: Counts, measure: Measure) -> NDArray[np.float64]:
    """Return the numerators and denominators of a measure, float64, shape (2, sentences)."""
    return system_counts([Run("", {str(measure): (counts, measure.component or "f1")})]).parts[:, 0, 0].T


class Output(NamedTuple):
    """One output of a system, matched with gold."""

    system: str
    name: str  # with that of the run if there are several
    matches: Matches
    contents: FileSummary | None = None  # of the whole output, of which partial scores leave out sentences
    coverage: PartialCoverage | None = None  # of partial scores

    @property
    def summary(self) -> FileSummary:
        return self.contents or summary_of(self.matches.system)


def read_outputs(test_set: TestSet, systems: Sequence[System], setup: Setup) -> list[Output]:
    """Return the outputs on a test set, matched with gold; missing ones are left out."""
    gold = load(test_set.treebank or test_set.gold or Path(), setup.rules, setup.format_of_gold)
    matched, faults = list[Output](), list[Fault]()
    for system in systems:
        if (output := system.treebanks.get(test_set.code) or system.outputs.get(test_set.code)) is None:
            continue
        try:
            matched.append(_matched(gold, output, setup)._replace(system=system.name, name=system.label))
            matched[-1].matches.check_trees()
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(*faults)
    return matched


def _matched(gold: Treebank, output: Input, setup: Setup) -> Output:
    if not setup.partial:
        matches = match(*load_pair(gold, output, setup), setup.rules)
        return Output("", "", matches)
    stream = whole_pair(gold, output, setup)
    _, contents, coverage = stream.summaries()
    return Output("", "", stream.pairs[0].matches, contents, coverage)  # type: ignore[index]


Look = Callable[[str, Sequence[Output]], Any]
"""An additional function of the code of a test set and its matched outputs, such as for parts of a page."""

OutputSource = tuple[str, str, Source | None, JobSetup]
"""The system, its name with the run, the file, and the settings of an output."""


class VisitEach(NamedTuple):
    """A function of a test set's code and an output's name that returns a visitor; files can be read in pieces."""

    start: Callable[[str, str], VisitorWithResult]


def count_and_look(
    code: str, gold: Source, outputs: Sequence[OutputSource], look: Look | VisitEach
) -> tuple[list[Record], Any]:
    """Count all outputs on one test set and look at them, with a `Look` if all are valid; no file is read twice."""
    records: list[Record] = []
    results: dict[str, Any] = {}
    for system, name, file, settings in outputs:
        visitor = look.start(code, name) if isinstance(look, VisitEach) else _Keep(system, name)
        records.append(count_output(gold, file, settings, [visitor], whole=isinstance(visitor, _Keep)))
        if records[-1].get("state") == "valid":
            contents = (contents_in(records[-1][side], None) for side in ("gold", "system"))
            with _naming(gold, file):
                results[name] = visitor.result(*contents)
    if isinstance(look, VisitEach):
        return records, results
    if len(results) < len(outputs):
        return records, None
    with _naming(gold, outputs[0][2] if len(outputs) == 1 else None):
        return records, look(code, [*results.values()])


@contextmanager
def _naming(gold: Source, output: Source | None) -> Iterator[None]:
    """Place errors in the files, whose paths a visitor does not know."""
    try:
        yield
    except InputError as error:
        sources = ((fault, gold if fault.place.file == GOLD else output) for fault in error.faults)
        raise InputError(
            *(fault.in_file(source.path if isinstance(source, File) else None) for fault, source in sources)
        ) from error


class _Keep:
    def __init__(self, system: str, name: str) -> None:
        self._names = system, name

    def start(self) -> None:
        pass

    def add(self, piece: CountedPiece) -> None:
        self._matches: Any = piece.matches

    def result(self, *_: FileSummary) -> Output:
        return Output(*self._names, self._matches)
