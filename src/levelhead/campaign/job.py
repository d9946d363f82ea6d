"""The job of the engine: one system's output on one test set under one setup, from bytes to counts."""

from __future__ import annotations

import hashlib
import json
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.campaign.evaluator_status import CANNOT_OPEN, status_of_other_text, status_of_refusal, status_of_scores
from levelhead.campaign.job_files import File, LargeFile, contents, whole_contents
from levelhead.campaign.record_fields import GOLD, contents_fields, faults_of_error, json_of, numbers_of, units_fields
from levelhead.errors import InputError, TextMismatch
from levelhead.evaluation.files import adds_up
from levelhead.evaluation.pair import Evaluation, parse_as, score_matches, score_treebanks, splits_tokens
from levelhead.evaluation.setup import Setup
from levelhead.evaluation.valid_sentences import Coverage, score_valid_sentences, valid_sentences
from levelhead.scoring import Rules
from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import TreebankPair, match_pair
from levelhead.scoring.measure import Measure, Resource
from levelhead.scoring.score import Score, count
from levelhead.scoring.spans import spans_of
from levelhead.scoring.weights import for_treebank, key_of, read_weights
from levelhead.significance import Run, system_counts, units_of
from levelhead.significance.units import AUTO, Units
from levelhead.treebank import Treebank, blocks
from levelhead.treebank.contents import contents_hash, contents_of

if TYPE_CHECKING:
    from levelhead.evaluation.pair import Looking
    from levelhead.evaluation.partial import PartialOutput

_GOLDS_AT_ONCE = 2  # jobs are ordered by test set, so that a worker reads each gold file once
_FILES_AT_ONCE = 8

Source = File | Treebank
"""Gold or an output: a file, or a treebank in memory."""


def hash_of(source: Source | None) -> str | None:
    """Return the hash of a file or of the contents of a treebank in memory; None without a source."""
    if isinstance(source, Treebank):
        return contents_hash(source)
    return None if source is None else source.sha256


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


GoldView = Callable[[Iterable[Treebank]], Any]
"""An additional function of a gold treebank, or of its pieces in order, that returns plain JSON, such as sentence ids.

It must be a function at the top level of a module.
"""


ScoreOfGold = Callable[[Any, Setup, int], Mapping[str, Score]]
"""A function that scores gold against itself, whole or in pieces of a given size."""


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


def view_gold(gold: Source, setup: Setup, view: GoldView) -> bytes:
    """Return the result of a function of a gold treebank as JSON; null if it is invalid, which its counts report."""
    try:
        return _view_whole(gold, setup, view, blocks.SIZES.large)  # as for counts, so that a worker reads it once
    except LargeFile:
        if not (isinstance(gold, File) and adds_up(setup)):
            return _view_whole(gold, setup, view)
    from levelhead.campaign.pieces_record import view_pieces_of_gold
    from levelhead.treebank.official_reader import HeadsBack

    try:
        return json.dumps(view_pieces_of_gold(gold, setup, view, blocks.SIZES.piece)).encode()
    except HeadsBack:
        return _view_whole(gold, setup, view)


def _view_whole(gold: Source, setup: Setup, view: GoldView, most: int = sys.maxsize) -> bytes:
    treebank = gold_of(gold, setup, most)
    return json.dumps(view([treebank]) if isinstance(treebank, Treebank) else None).encode()


def count_output(gold: Source, system: Source | None, settings: JobSetup) -> bytes:
    """Return the counts of an output as JSON, with the same bytes on every machine."""
    return json_of(record_of_output(gold, system, settings))


def record_of_output(
    gold: Source, system: Source | None, settings: JobSetup, look: Looking | None = None
) -> dict[str, Any]:
    """Return the record of an output; large files are read in pieces if possible."""
    try:
        record, matches = record_and_matches(gold, system, settings, blocks.SIZES.large)
    except LargeFile:
        found = _record_in_pieces(gold, system, settings, look)
        if found is not None:
            return found
        record, matches = record_and_matches(gold, system, settings)
    if look is not None and matches is not None:
        look.start()
        look.add(matches if isinstance(matches, TreebankPair) else matches.partial.matches)
    return record


def _record_in_pieces(
    gold: Source, system: Source | None, settings: JobSetup, look: Looking | None
) -> dict[str, Any] | None:
    """Count in pieces; None if files must be read whole: an invalid output is read whole for its valid sentences."""
    if not isinstance(gold, File) or isinstance(system, Treebank) or not adds_up(settings.setup):
        return None
    from levelhead.campaign.pieces_record import record_in_pieces

    unit = settings.resample_by if settings.by_sentence else None
    return record_in_pieces(gold, system, _setup_with_files(settings), unit, blocks.SIZES.piece, look)


def record_and_matches(
    gold: Source, system: Source | None, settings: JobSetup, most: int = sys.maxsize
) -> tuple[dict[str, Any], TreebankPair | PartialOutput | None]:
    """Return the record of an output that is read whole, and its aligned words; None if it is invalid."""
    try:
        return _record_of(gold, system, settings, most)
    except _UnusableFile as error:
        return {"faults_of": error.name, "faults": faults_of_error(error.reason)}, None


def _record_of(
    gold: Source, system: Source | None, settings: JobSetup, most: int
) -> tuple[dict[str, Any], TreebankPair | PartialOutput | None]:
    setup = _setup_with_files(settings)
    reference = gold_of(gold, setup, most)
    if not isinstance(reference, Treebank):
        raise _UnusableFile("gold", reference)
    units = _units(reference, settings.resample_by) if settings.by_sentence else None
    record, matches = _output_fields(reference, system, setup, most, by_sentence=settings.by_sentence)
    all_measures = setup.names if setup.rules.undefined is None else ()
    valueless = record.get("undefined", all_measures)  # without scores, no measure has a value
    record["undefined"] = undefined_measures(gold, setup, valueless, most, _score_gold)
    record["gold"] = contents_fields(contents_of(reference))
    if units is not None:
        record["gold_hash"] = contents_hash(reference)
        record["units"] = units_fields(units)
    return record, matches


def _units(gold: Treebank, resample_by: str) -> Units:
    try:
        return units_of(gold, resample_by)
    except InputError as error:
        raise _UnusableFile("gold", error) from error


def _output_fields(
    gold: Treebank, system: Source | None, setup: Setup, most: int, *, by_sentence: bool
) -> tuple[dict[str, Any], TreebankPair | PartialOutput | None]:
    """The record of an output, without fields that depend only on gold, and its aligned words."""
    if system is None:
        return {"state": "missing", "status": CANNOT_OPEN, "reasons": []}, None
    if not setup.partial:
        return _score_output(gold, system, setup, most, by_sentence=by_sentence)
    from levelhead.campaign.partial_record import partial_record

    output = system if isinstance(system, Treebank) else whole_contents(system, most)
    return partial_record(gold, output, setup, by_sentence=by_sentence)


class _UnusableFile(Exception):
    """Gold, or a file that a measure names, cannot be used.

    Args:
        name: "gold", or the measure.
        reason: the reason.
    """

    def __init__(self, name: str, reason: InputError) -> None:
        super().__init__(name)
        self.name, self.reason = name, reason


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
                raise _UnusableFile(str(measure), error) from error
    return replace(settings.setup, weights=read)


@lru_cache(maxsize=_FILES_AT_ONCE)
def _resource(argument: str, file: File, load: Callable[[str], Resource]) -> Resource:
    contents(file)  # is unchanged
    return load(argument)


def gold_of(source: Source, setup: Setup, most: int = sys.maxsize) -> Treebank | InputError:
    """Return the gold treebank of a job, or the reason why it cannot be read."""
    taken_apart = splits_tokens(setup)
    if isinstance(source, Treebank):
        return source.without_multiword_tokens() if taken_apart else source
    return _gold(source, setup.with_measures(()), most, taken_apart=taken_apart)


@lru_cache(maxsize=_GOLDS_AT_ONCE)
def _gold(file: File, setup: Setup, most: int, *, taken_apart: bool) -> Treebank | InputError:
    try:
        treebank = parse_as(whole_contents(file, most), GOLD, setup.rules, setup.format_of_gold)
    except InputError as error:
        return error
    return treebank.without_multiword_tokens() if taken_apart else treebank


def undefined_measures(
    gold: Source, setup: Setup, valueless: Iterable[str], size: int, score_gold: ScoreOfGold
) -> list[str]:
    """Return the measures that gold does not annotate: gold scored against itself has no value either."""
    measures = tuple(valueless)
    return list(_undefined(gold, setup, measures, size, score_gold)) if measures else []


@lru_cache(maxsize=_GOLDS_AT_ONCE)
def _undefined(
    gold: Source, setup: Setup, measures: tuple[str, ...], size: int, score_gold: ScoreOfGold
) -> tuple[str, ...]:
    scores = score_gold(gold, without_files(setup, measures), size)  # always with a value
    return tuple(name for name, score in scores.items() if score.value is None)


def _score_gold(gold: Source, setup: Setup, most: int) -> Mapping[str, Score]:
    """Score gold against itself; invalid gold has no scores."""
    treebank = gold_of(gold, setup, most)
    return score_treebanks(treebank, treebank, setup) if isinstance(treebank, Treebank) else {}


def without_files(setup: Setup, measures: Sequence[str]) -> Setup:
    """Return the settings with some of their measures, without measures that need a file, which always have a value."""
    chosen = [
        measure for measure, definition in setup.defined if str(measure) in measures and not definition.needs_file
    ]
    return setup.with_measures(chosen)


def _score_output(
    gold: Treebank, output: Source, setup: Setup, most: int, *, by_sentence: bool
) -> tuple[dict[str, Any], TreebankPair | None]:
    """Score an output; an invalid output gets a status, reasons, and the scores of its valid sentences."""
    data = b""
    try:
        if isinstance(output, Treebank):
            system = output
        else:
            data = whole_contents(output, most)
            system = parse_as(data, None, setup.rules, setup.format)
        matches = match_pair(gold, system, setup.rules)
        evaluation = score_matches(matches, setup)
    except TextMismatch as error:
        status = status_of_other_text(_n_characters(system, setup.rules), _n_characters(gold, setup.rules))
        return _refused(error, status, _score_valid_sentences(gold, data, setup)), None
    except InputError as error:
        if error.place.file == GOLD:
            raise _UnusableFile("gold", error) from error
        return _refused(error, status_of_refusal(error), _score_valid_sentences(gold, data, setup)), None
    record = valid_fields(evaluation, setup)
    return record | ({"sentences": _sentences(evaluation, matches, setup)} if by_sentence else {}), matches


def valid_fields(evaluation: Evaluation, setup: Setup) -> dict[str, Any]:
    """Return the record of a valid output, without the fields that depend only on gold."""
    return {
        "state": "valid",
        "status": status_of_scores(evaluation.scores, setup.rules.name),
        "reasons": [],
        "scores": numbers_of(evaluation),
        "undefined": [name for name, score in evaluation.items() if score.value is None],
        "system": contents_fields(evaluation.system),
        "measures": setup.signature_of_measures(),
        "notes": list(evaluation.notes),
    }


def _sentences(evaluation: Evaluation, matches: TreebankPair, setup: Setup) -> dict[str, list[list[float]]]:
    """The numerators and denominators of each measure with a value, for each gold sentence."""
    schemes = setup.registry.schemes
    lists = {}
    for measure, definition in setup.defined:
        if evaluation[str(measure)].reason is None:
            values = setup.values_of(measure)
            counts = count(matches, measure, definition, schemes=schemes, weights=values, by_sentence=True)
            lists[str(measure)] = lists_of(sentence_parts(counts, measure))
    return lists


def sentence_parts(counts: Counts, measure: Measure) -> NDArray[np.float64]:
    """Return the numerators and denominators of a measure, float64, shape (2, sentences)."""
    return system_counts([Run("", {str(measure): (counts, measure.component or "f1")})], "").parts[:, 0, 0].T


def lists_of(parts: NDArray[Any]) -> list[list[float]]:
    """Return numbers as lists, with integers if all are whole."""
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
