"""The job of the engine: one system's output on one test set under one setup, from bytes to counts."""

from __future__ import annotations

import hashlib
import json
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.campaign.evaluator_status import CANNOT_OPEN, status_of_other_text, status_of_refusal, status_of_scores
from levelhead.campaign.gold import (
    GoldView,
    Source,
    facts_of,
    gold_of,
    gold_pieces,
    hash_of,
    punctuation_of,
    score_pieces_of_gold,
    score_whole_gold,
    undefined_measures,
    without_files,
)
from levelhead.campaign.job_files import File, LargeFile, contents, parts_of_file, unchanged, whole_contents
from levelhead.campaign.records import (
    GOLD,
    contents_fields,
    faults_of_error,
    json_of,
    numbers_of,
    small,
    units_fields,
)
from levelhead.errors import InputError, MeasureError, TextMismatch
from levelhead.evaluation.files import can_score_in_pieces
from levelhead.evaluation.fold import score_matches
from levelhead.evaluation.pair import Evaluation, parse_as
from levelhead.evaluation.setup import Setup
from levelhead.evaluation.valid_sentences import Coverage, score_valid_sentences, valid_sentences
from levelhead.scoring import Rules
from levelhead.scoring.counts import Counts
from levelhead.scoring.measure import Measure, Resource
from levelhead.scoring.score import match_pair
from levelhead.scoring.spans import spans_of
from levelhead.scoring.weights import for_treebank, key_of, read_weights
from levelhead.significance import Run, system_counts, units_of
from levelhead.significance.units import AUTO, UnitTally
from levelhead.treebank import Treebank, blocks
from levelhead.treebank.contents import Contents, contents_hash, contents_of

if TYPE_CHECKING:
    from levelhead.evaluation.fold import CountedPiece, Visitor

_FILES_AT_ONCE = 8


class JobSetup(NamedTuple):
    """Everything that determines the counts of a job, except gold and output.

    Args:
        setup: the settings; weights that are files are read by the worker.
        files: weights and models by measure.
        treebank: the code of the test set, for measures that name a file per test set.
        by_sentence: whether the counts of every sentence are returned, for tests of significance.
        resample_by: the units of these tests, see `significance.units_of`.
    """

    setup: Setup
    files: Mapping[str, File] = {}
    treebank: str = ""
    by_sentence: bool = False
    resample_by: str = AUTO


def key_of_job(gold: Source, system: Source | None, settings: JobSetup) -> str:
    """Return the key of a result: a hash of everything that determines it."""
    parts: list[Any] = [
        *(f"counts by {settings.resample_by}" if settings.by_sentence else "counts", VERSION),
        *(unicodedata.unidata_version,),
        *(settings.setup.key, {name: file.sha256 for name, file in settings.files.items()}),
        *(hash_of(gold), hash_of(system)),
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def key_of_view(gold: Source, setup: Setup, view: GoldView) -> str:
    """Return the key of the result of a function of a gold treebank."""
    name = f"{view.__module__}.{view.__qualname__}"
    parts = ["gold", VERSION, unicodedata.unidata_version, name, setup.rules.signature, setup.format, setup.gold_format]
    parts += ["several roots"] if setup.rules.several_roots else []
    return hashlib.sha256(json.dumps([*parts, hash_of(gold)]).encode()).hexdigest()


def count_output(gold: Source, system: Source | None, settings: JobSetup) -> bytes:
    """Return the counts of an output as JSON, with the same bytes on every machine."""
    return json_of(record_of_output(gold, system, settings))


def record_of_output(
    gold: Source, output: Source | None, settings: JobSetup, visitors: Sequence[Visitor] = (), *, whole: bool = False
) -> dict[str, Any]:
    """Return the record of an output; large files are read in pieces if possible, unless they are needed whole."""
    try:
        setup = _setup_with_files(settings)
        job = OutputJob(gold, output, setup, settings.resample_by if settings.by_sentence else None, visitors)
        if whole:
            return job.record_in_memory()
        try:
            return job.record_in_memory(blocks.SIZES.large)
        except LargeFile:
            return job.record_in_pieces(blocks.SIZES.piece) or job.record_in_memory()
    except UnusableFile as error:
        return {"faults_of": error.name, "faults": faults_of_error(error.reason)}


class UnusableFile(Exception):
    """Gold, or a file that a measure names, cannot be used.

    Args:
        name: "gold", or the measure.
        reason: the reason.
    """

    def __init__(self, name: str, reason: InputError) -> None:
        super().__init__(name)
        self.name, self.reason = name, reason


class OutputJob(NamedTuple):
    """An output to be counted; `resample_by` is None if the counts of sentences are not needed."""

    gold: Source
    output: Source | None
    setup: Setup
    resample_by: str | None
    visitors: Sequence[Visitor] = ()

    def record_in_memory(self, most: int = sys.maxsize) -> dict[str, Any]:
        """Return the record, with files that have at most so many bytes read whole."""
        gold = gold_of(self.gold, self.setup, most)
        if not isinstance(gold, Treebank):
            raise UnusableFile("gold", gold)
        try:
            units = None if self.resample_by is None else units_of(gold, self.resample_by)
        except InputError as error:
            raise UnusableFile("gold", error) from error
        record: dict[str, Any] = {"state": "missing", "status": CANNOT_OPEN, "reasons": []}
        if self.output is not None:
            record = (self._partial_fields if self.setup.partial else self._strict_fields)(gold, self.output, most)
        valueless = record.get("undefined", self._measures_without_scores)
        record["undefined"] = undefined_measures(self.gold, self.setup, valueless, most, score_whole_gold)
        record["gold"] = contents_fields(contents_of(gold))
        return record if units is None else record | {"gold_hash": contents_hash(gold), "units": units_fields(units)}

    @property
    def _measures_without_scores(self) -> Sequence[str]:
        """The measures that may have no value because of gold, if an output has no scores."""
        return self.setup.names if self.setup.rules.undefined is None else ()

    def _sentences(self) -> Sequence[_SentenceParts]:
        return () if self.resample_by is None else (_SentenceParts(self.setup),)

    def _partial_fields(self, gold: Treebank, output: Source, most: int) -> dict[str, Any]:
        """The record of an output with partial scores, without fields that depend only on gold."""
        from levelhead.evaluation.partial import match_output, partial_evaluation

        source, sentences = output if isinstance(output, Treebank) else whole_contents(output, most), self._sentences()
        try:
            matched = match_output(gold, source, None, self.setup)
            evaluation = partial_evaluation(matched, self.setup, (*sentences, *self.visitors))
        except InputError as error:
            return {"state": "invalid", "status": status_of_refusal(error), "reasons": faults_of_error(error)}
        return _valid_fields(evaluation, self.setup, sentences)

    def _strict_fields(self, gold: Treebank, output: Source, most: int) -> dict[str, Any]:
        """The same for other scores; an invalid output gets a status, reasons, and the scores of valid sentences."""
        data, setup, sentences = b"", self.setup, self._sentences()
        try:
            if isinstance(output, Treebank):
                system = output
            else:
                data = whole_contents(output, most)
                system = parse_as(data, None, setup.rules, setup.format)
            matches = match_pair(gold, system, setup.rules)
            evaluation = score_matches(matches, setup, visitors=(*sentences, *self.visitors))
        except TextMismatch as error:
            status = status_of_other_text(_n_characters(system, setup.rules), _n_characters(gold, setup.rules))
            return _refused(error, status, _score_valid_sentences(gold, data, setup))
        except InputError as error:
            if error.place.file == GOLD:
                raise UnusableFile("gold", error) from error
            return _refused(error, status_of_refusal(error), _score_valid_sentences(gold, data, setup))
        return _valid_fields(evaluation, setup, sentences)

    def record_in_pieces(self, size: int) -> dict[str, Any] | None:
        """Return the record, counted in pieces; None if files must be read whole.

        An invalid output is read whole, for its valid sentences.
        """
        from levelhead.treebank.official_reader import HeadsBack

        gold, output, setup = self.gold, self.output, self.setup
        if not isinstance(gold, File) or isinstance(output, Treebank) or not can_score_in_pieces(setup):
            return None
        try:
            with unchanged(gold) if output is None else unchanged(gold, output):
                if output is None:
                    return None if setup.rules.content else self._missing_in_pieces(gold, size)
                return self._counted_in_pieces(gold, output, size)
        except (HeadsBack, MeasureError):
            return None
        except InputError as error:
            if not isinstance(error, TextMismatch) and error.place.file == GOLD:
                raise UnusableFile("gold", error) from error
            return None

    def _missing_in_pieces(self, gold: File, size: int) -> dict[str, Any]:
        units = self._units()
        measures = without_files(self.setup, self._measures_without_scores)
        perfect = score_pieces_of_gold(gold, measures, size, units)
        undefined = [name for name, score in perfect.items() if score.value is None]
        record = {"state": "missing", "status": CANNOT_OPEN, "reasons": [], "undefined": undefined}
        return record | _fields_of_gold(perfect.gold, units)

    def _counted_in_pieces(self, gold: File, output: File, size: int) -> dict[str, Any] | None:
        setup, units, sentences = self.setup, self._units(), self._sentences()
        visitors: tuple[Visitor, ...] = (*units, *sentences, *self.visitors)
        if setup.partial:
            from levelhead.evaluation.partial_pieces import partial_scores_in_pieces
            from levelhead.evaluation.partial_survey import Rereadable

            files = Rereadable(GOLD, partial(parts_of_file, gold)), Rereadable(None, partial(parts_of_file, output))
            evaluation = partial_scores_in_pieces(*files, setup, size, visitors, facts_of(gold, setup).contents)
        else:
            from levelhead.evaluation.pieces import pieces_of, score_pieces

            punctuation = punctuation_of(gold, setup, size)
            with gold_pieces(gold, setup) as reference, parts_of_file(output) as parts:
                system = pieces_of((None, parts), setup, of_gold=False)
                evaluation = score_pieces(reference, system, setup, size, visitors, punctuation=punctuation)
        if evaluation is None:
            return None
        facts_of(gold, setup).contents = evaluation.gold
        record = _valid_fields(evaluation, setup, sentences)
        record["undefined"] = undefined_measures(gold, setup, record["undefined"], size, score_pieces_of_gold)
        return record | _fields_of_gold(evaluation.gold, units)

    def _units(self) -> Sequence[_GoldUnits]:
        return () if self.resample_by is None else (_GoldUnits(self.resample_by),)


def _fields_of_gold(contents: Contents, units: Sequence[_GoldUnits]) -> dict[str, Any]:
    fields: dict[str, Any] = {"gold": contents_fields(contents)}
    for tally in units:
        fields |= {"gold_hash": contents.sha256, "units": tally.fields()}
    return fields


def _setup_with_files(settings: JobSetup) -> Setup:
    """The settings with the files of measures; a worker reads each file once while it is needed."""
    if not settings.files:
        return settings.setup
    read = dict(settings.setup.weights)
    for measure, definition in settings.setup.defined:
        file = settings.files.get(str(measure))
        if file is not None:
            argument = settings.setup.place_of(key_of(for_treebank(measure, settings.treebank)))
            try:
                read[key_of(measure)] = _resource(argument, file, definition.load or read_weights)
            except InputError as error:
                raise UnusableFile(str(measure), error) from error
    return replace(settings.setup, weights=read)


@lru_cache(maxsize=_FILES_AT_ONCE)
def _resource(argument: str, file: File, load: Callable[[str], Resource]) -> Resource:
    contents(file)  # is unchanged
    return load(argument)


def _valid_fields(evaluation: Evaluation, setup: Setup, sentences: Sequence[_SentenceParts]) -> dict[str, Any]:
    """The record of a valid output, without the fields that depend only on gold."""
    record: dict[str, Any] = {
        "state": "valid",
        "status": status_of_scores(evaluation.scores, setup.rules.name),
        "reasons": [],
        "scores": numbers_of(evaluation),
        "undefined": [name for name, score in evaluation.items() if score.value is None],
        "system": contents_fields(evaluation.system),
        "measures": setup.signature_of_measures(),
        "notes": list(evaluation.notes),
    }
    if setup.partial:
        coverage = evaluation.coverage
        record |= {"scores_valid_trees": numbers_of(evaluation.valid_trees), "partial_coverage": coverage}
    for tally in sentences:
        record |= tally.fields(evaluation)
    return record


class _GoldUnits:
    """The visitor that finds the units of gold."""

    def __init__(self, resample_by: str) -> None:
        self._resample_by = resample_by

    def start(self) -> None:
        """Forget all pieces."""
        self._tally = UnitTally(self._resample_by)

    def add(self, piece: CountedPiece) -> None:
        """Add the gold sentences of a piece."""
        self._tally.add(piece.matches.gold)

    def fields(self) -> dict[str, Any]:
        """Return the fields of a record."""
        try:
            return units_fields(self._tally.units(GOLD))
        except InputError as error:
            raise UnusableFile("gold", error) from error


class _SentenceParts:
    """The visitor that keeps numerators and denominators of every sentence: at most 16 bytes for each measure."""

    def __init__(self, setup: Setup) -> None:
        self._measures = {str(measure): measure for measure in setup.measures}
        self._kinds = ("sentences", "sentences_valid_trees") if setup.partial else ("sentences",)

    def start(self) -> None:
        """Forget all pieces."""
        self._parts: dict[tuple[str, str], list[NDArray[Any]]] = {}

    def add(self, piece: CountedPiece) -> None:
        """Add the counts of the sentences of a piece."""
        for name, counts_by_kind in piece.sentences.items():
            for kind, counts in zip(self._kinds, counts_by_kind, strict=True):
                parts = small(sentence_parts(counts, self._measures[name]))
                self._parts.setdefault((kind, name), []).append(parts)

    def fields(self, evaluation: Evaluation) -> dict[str, dict[str, list[list[float]]]]:
        """Return the fields of a record, for the measures that have a value; to be called once."""
        fields: dict[str, dict[str, list[list[float]]]] = {kind: {} for kind in self._kinds}
        for kind, name in tuple(self._parts):
            parts = self._parts.pop((kind, name))
            if evaluation[name].reason is None:
                fields[kind][name] = _lists_of(np.concatenate(parts, axis=1))
        return fields


def sentence_parts(counts: Counts, measure: Measure) -> NDArray[np.float64]:
    """Return the numerators and denominators of a measure, float64, shape (2, sentences)."""
    return system_counts([Run("", {str(measure): (counts, measure.component or "f1")})], "").parts[:, 0, 0].T


def _lists_of(parts: NDArray[Any]) -> list[list[float]]:
    """Numbers as lists, with integers if all are whole."""
    whole = np.array_equal(parts, np.rint(parts))
    lists: list[list[float]] = (parts.astype(np.int64) if whole else parts).tolist()
    return lists


def _n_characters(treebank: Treebank, rules: Rules) -> int:
    return len(spans_of(treebank, unicode_spaces=rules.unicode_spaces).text.tobytes().decode())


def _refused(error: InputError, status: str, secondary: tuple[Evaluation, Coverage] | None) -> dict[str, Any]:
    record: dict[str, Any] = {"state": "invalid", "status": status, "reasons": faults_of_error(error)}
    if secondary is not None:
        record |= {"secondary": numbers_of(secondary[0]), "coverage": secondary[1]}
    return record


def _score_valid_sentences(gold: Treebank, data: bytes, setup: Setup) -> tuple[Evaluation, Coverage] | None:
    """The scores of the sentences of an invalid output that can be compared, or None."""
    if setup.rules.content:  # sentences are only compared by number
        return None
    try:
        return score_valid_sentences(gold, *valid_sentences(data), setup)
    except InputError:
        return None
