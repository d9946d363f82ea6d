"""The files and gold treebanks of jobs, read once by a worker, and the records of jobs, which are plain values."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.results import CANNOT_OPEN, OutputResult, exact_values
from levelhead.errors import Fault, InputError, Place, UnreadableFile, printable, reason_of
from levelhead.evaluation.files import open_files
from levelhead.evaluation.fold import fold, score_treebanks
from levelhead.evaluation.pair import Evaluation, InputFile, as_gold, parse_as
from levelhead.evaluation.partial import Coverage
from levelhead.evaluation.pieces import GoldFacts
from levelhead.evaluation.score_data import PartialCoverage
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.jobs import StaleInput
from levelhead.scoring import Score
from levelhead.significance.units import SENTENCE, Units
from levelhead.treebank import Treebank, input_bytes
from levelhead.treebank.input_bytes import DEFAULT_LIMITS, decompressed, parts_of, parts_of_bytes, whole_or_parts
from levelhead.treebank.official_reader import Crash, CycleRefused, RootsRefused
from levelhead.treebank.provenance import FileSummary, contents_hash

# The messages of conll17_tira_eval.py and conll18_tira_eval.py, exactly: other programs read them.
EMPTY = "Error: The system file is empty"
_CYCLE = "Error: There is a cycle in generated CoNLL-U file"
_ROOTS = "Error: There are multiple roots in a sentence in generated CoNLL-U file"
_FORMAT = "Error: There is a format error (tabs, ID values, etc) in generated CoNLL-U file"
_OF_ERROR = {CycleRefused: _CYCLE, RootsRefused: _ROOTS, Crash: CANNOT_OPEN, UnreadableFile: CANNOT_OPEN}
_OF_SLUG = {"cycle": _CYCLE, "no-root": _ROOTS, "several-roots": _ROOTS, "empty-file": EMPTY, "encoding": CANNOT_OPEN}
_SHOWN_2018 = ("LAS", "MLAS", "BLEX")


def status_of_refusal(error: InputError) -> str:
    return _OF_ERROR.get(type(error)) or _OF_SLUG.get(error.slug, _FORMAT)


def status_of_other_text(n_system: int, n_gold: int) -> str:
    """Return the status of an output whose characters differ from gold."""
    if n_system == 0:
        return EMPTY
    percent = int(100 * n_system / max(1, n_gold))
    return (
        "Error: The concatenation of tokens in gold file and in system file differ, system file has"
        f" {n_system} nonspace characters, which is approximately {percent}% of the gold file"
    )


def status_of_scores(scores: Mapping[str, Score], rules: str) -> str:
    """Return the status of a valid output: its nonzero LAS (2017), or its main scores rounded to 5% (since 2018)."""
    if rules == "conll17":
        is_zero = "LAS" in scores and not scores["LAS"].value
        return "Error: Evaluated zero LAS F1 score" if is_zero else "OK: Evaluated non-zero LAS F1 score"
    shown = [(name, float((scores[name].exact or 0) / 100)) for name in _SHOWN_2018 if name in scores]
    numbers = " ".join(f"{name}={100 * round(f1 * 20) / 20:.0f}%" for name, f1 in shown)
    return f"OK: Result F1 scores rounded to 5% are {numbers}" if shown else "OK"


GOLD = "{gold}"
"""The placeholder for the gold file in messages; its name does not affect results, and is inserted on reading."""


Record = dict[str, Any]
"""The result of a job: plain values and arrays."""


def json_of(record: Any) -> bytes:
    """Return a record as JSON, with the same bytes on every machine."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), default=_lists_of).encode()


def _lists_of(numbers: NDArray[Any]) -> Any:
    are_whole = numbers.dtype.kind in "iu" or np.array_equal(numbers, np.rint(numbers))
    return (numbers.astype(np.int64) if are_whole else numbers).tolist()


def record_in(data: bytes) -> Any:
    """Return the record in JSON; the counts of sentences become arrays one at a time, since there can be millions."""
    record = json.loads(data)
    for kind in ("sentences", "sentences_valid_trees"):
        if isinstance(record, dict) and kind in record:
            named = record[kind]
            record[kind] = {name: small(np.array(named.pop(name))) for name in tuple(named)}
    return record


def faults_of_error(error: InputError) -> list[list[Any]]:
    return [_fault(fault) for fault in error.faults[:1000]]


def _fault(fault: Fault) -> list[Any]:
    """A fault without the name of its file, and whether it belongs to gold."""
    place = fault.place
    return [place.line, fault.slug, fault.message, fault.count, fault.severity, place.file == GOLD]


def contents_fields(contents: FileSummary) -> list[Any]:
    warnings = [_fault(fault) for fault in contents.warnings]
    return [contents.sha256, contents.sentences, contents.words, contents.tokens, warnings]


def numbers_of(scores: Mapping[str, Score]) -> dict[str, list[Any]]:
    return {name: [s.correct, s.gold, s.system, s.aligned, s.reason] for name, s in scores.items()}


def units_fields(units: Units) -> Record:
    """Return the units of a gold treebank; for sentences, only their number."""
    documents = None if units.documents is None else units_fields(units.documents)
    return (
        units._asdict()
        | {"documents": documents}
        | ({"of_sentence": len(units.of_sentence)} if units.kind == SENTENCE else {})
    )


def small(parts: NDArray[Any]) -> NDArray[np.int32] | NDArray[np.float64]:
    """Return numbers as int32 if all are small whole numbers, to save memory; otherwise as float64."""
    with np.errstate(invalid="ignore"):  # sums of huge weights
        whole = parts.astype(np.int32)
    return whole if np.array_equal(whole, parts) else parts.astype(np.float64)


def read_record(
    record: Record, setup: Setup, files: Mapping[str, str], gold: str | None, output: str | None
) -> tuple[OutputResult, FileSummary]:
    """Return the result in a record of `count_output`; `files` are the paths of the files that measures name."""
    if "faults" in record:
        path = files.get(record["faults_of"], gold)
        raise InputError(*_faults(record["faults"], path, path))
    scores, secondary = (_scores(record.get(kind, {}), setup) for kind in ("scores", "secondary"))
    result = OutputResult(
        state=record["state"],
        values=exact_values(scores, setup.names, record["undefined"], setup.perplexities),
        status=record["status"],
        reasons=tuple(_reason(*fault) for fault in record["reasons"][:20]),
        scores=scores,
        secondary=secondary,
        coverage=Coverage(*record["coverage"]) if "coverage" in record else None,
        sentences=_in_order(record.get("sentences")),
        units=units_in(record["units"]) if "units" in record else None,
        gold_hash=record.get("gold_hash", ""),
        faults=_faults(record["reasons"], output, gold),
        contents=contents_in(record["system"], output) if "system" in record else None,
        measures=_in_order(record.get("measures")),
        notes=tuple(record.get("notes", ())),
        valid_trees=_scores(record.get("scores_valid_trees", {}), setup),
        partial_coverage=PartialCoverage(*record["partial_coverage"]) if "partial_coverage" in record else None,
        sentences_valid_trees=_in_order(record.get("sentences_valid_trees")),
    )
    return result, contents_in(record["gold"], gold)


def _in_order(fields: Mapping[str, Any] | None) -> dict[str, Any]:
    """Fields in the order of their names, as in a store."""
    return dict(sorted((fields or {}).items()))


def units_in(fields: dict[str, Any]) -> Units:
    stored, documents = fields["of_sentence"], fields["documents"]  # of sentences, only their number
    of_sentence = _numbered(stored) if isinstance(stored, int) else np.array(stored, dtype=np.int64)
    documents = None if documents is None else units_in(documents)
    return Units(**{**fields, "of_sentence": of_sentence, "ids": tuple(fields["ids"]), "documents": documents})


@lru_cache(maxsize=1)
def _numbered(n_sentences: int) -> NDArray[np.int64]:
    """Units, shared by all outputs on a test set."""
    return np.arange(n_sentences, dtype=np.int64)


def contents_in(sizes: list[Any], path: str | None) -> FileSummary:
    sha256, sentences, words, tokens, warnings = sizes
    return FileSummary(sha256, sentences, words, tokens, _faults(warnings, path, path), path)


def _scores(numbers: Mapping[str, list[Any]], setup: Setup) -> dict[str, Score]:
    scores = {}
    undefined = setup.rules.undefined
    for measure, definition in setup.defined:
        if str(measure) in numbers:
            correct, gold, system, aligned, reason = numbers[str(measure)]
            perplexity = definition.lower_is_better
            score = Score(measure, correct, gold, system, aligned, undefined, reason, perplexity=perplexity)
            scores[str(measure)] = score
    return scores


def _faults(faults: list[list[Any]], path: str | None, gold: str | None = None) -> tuple[Fault, ...]:
    name = printable(gold or "this")
    return tuple(
        Fault(slug, message.replace(GOLD, name), Place(gold if of_gold else path, line), severity, n)
        for line, slug, message, n, severity, of_gold in faults
    )


def _reason(line: int | None, slug: str, message: str, count: int, *_: object) -> str:
    text = str(Fault(slug, message.replace(GOLD, "this"), count=count))
    return text if line is None else f"line {line}: {text}"


if TYPE_CHECKING:
    from levelhead.evaluation.fold import Visitor


@immutable
class File:
    """A file with the hash of its contents when the jobs were planned."""

    path: str
    sha256: str  # of its bytes on disk
    # The bytes of a pipe, which can be read only once, or of a file that this process just read and scores itself.
    data: bytes | None = field(default=None, compare=False, repr=False)


class LargeFile(Exception):
    """A file that is too large to be read whole."""


def contents(file: File) -> bytes:
    if file.data is not None:
        return file.data
    with _readable(file):
        data = Path(file.path).read_bytes()
    if hashlib.sha256(data).hexdigest() != file.sha256:
        raise _changed(file)
    return data


def whole_contents(file: File, most: int) -> bytes:
    if file.data is None and _state(file)[0] > most:
        raise LargeFile
    raw = contents(file)
    if most >= DEFAULT_LIMITS.size:
        return decompressed(raw, "")
    with parts_of_bytes(raw, "") as parts:
        whole = whole_or_parts(parts, most)
    if not isinstance(whole, bytes):
        raise LargeFile
    return whole


def parts_of_file(file: File) -> AbstractContextManager[Iterator[bytes]]:
    return parts_of(file.path) if file.data is None else parts_of_bytes(file.data, "")


@contextmanager
def unchanged(*files: File) -> Iterator[None]:
    """Check that files are unchanged since the job was planned, and remain unchanged."""
    before = {file: _state(file) for file in files if file.data is None}
    for file in before:
        with _readable(file), Path(file.path).open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        if digest != file.sha256:
            raise _changed(file)
    try:
        yield
    finally:
        for file, state in before.items():
            if _state(file) != state:
                raise _changed(file)


def _state(file: File) -> tuple[int, int, int]:
    with _readable(file):
        return state_of(Path(file.path))


def state_of(path: Path) -> tuple[int, int, int]:
    """Return what changes with a file: size, modification time and inode."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def state_if_any(path: Path) -> tuple[int, int, int]:
    """Return the state of a file; zeros if it does not exist."""
    try:
        return state_of(path)
    except (OSError, ValueError):
        return (0, 0, 0)


def _changed(file: File) -> StaleInput:
    return StaleInput("the file was written to while it was read", "changing-file", Place(file.path))


@contextmanager
def _readable(file: File) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StaleInput(reason_of(error), "changing-file", Place(file.path)) from error


_GOLDS_AT_ONCE = 2  # jobs are ordered by test set, so that a worker reads each gold file once

Source = File | Treebank
"""Gold or an output: a file, or a treebank in memory."""


def hash_of(source: Source | None) -> str | None:
    """Return the hash of a file or of the contents of a treebank in memory; None without a source."""
    if isinstance(source, Treebank):
        return contents_hash(source)
    return None if source is None else source.sha256


def input_file(file: File, name: str | None) -> InputFile:
    return InputFile(name, partial(parts_of_file, file))


def gold_of(source: Source, setup: Setup, most: int = sys.maxsize) -> Treebank | InputError:
    """Return the gold treebank of a job, or the reason why it cannot be read."""
    return as_gold(source, setup) if isinstance(source, Treebank) else _gold(source, setup.with_measures(()), most)


@lru_cache(maxsize=_GOLDS_AT_ONCE)
def _gold(file: File, setup: Setup, most: int) -> Treebank | InputError:
    try:
        treebank = parse_as(whole_contents(file, most), GOLD, setup.rules, setup.format_of_gold)
    except InputError as error:
        return error
    return as_gold(treebank, setup)


def undefined_measures(gold: Source, setup: Setup, valueless: Iterable[str], most: int | None) -> list[str]:
    """Return the measures that gold does not annotate; it is read whole up to the size `most`, else in pieces."""
    measures = tuple(valueless)
    return list(_undefined(gold, _for_gold(setup, measures), most)) if measures else []


@lru_cache(maxsize=_GOLDS_AT_ONCE)
def _undefined(gold: Source, setup: Setup, most: int | None) -> tuple[str, ...]:
    if most is None and isinstance(gold, File):
        return without_value(score_gold_in_pieces(gold, setup, ()))
    treebank = gold_of(gold, setup, sys.maxsize if most is None else most)
    return without_value(score_treebanks(treebank, treebank, setup)) if isinstance(treebank, Treebank) else ()


def without_value(scores: Mapping[str, Score]) -> tuple[str, ...]:
    return tuple(name for name, score in scores.items() if score.value is None)


def score_gold_in_pieces(
    gold: File, setup: Setup, visitors: Sequence[Visitor], measures: Sequence[str] | None = None
) -> Evaluation:
    setup = setup if measures is None else _for_gold(setup, measures)
    source = input_file(gold, GOLD)
    with open_files(source, source, setup, input_bytes.SIZES.piece, facts_of(gold, setup)) as stream:
        return fold(stream, setup, visitors)


def _for_gold(setup: Setup, measures: Sequence[str]) -> Setup:
    """Return the settings for gold with some measures, without those that name a file, which always have a value."""
    chosen = tuple(m for m, definition in setup.defined if str(m) in measures and not definition.needs_file)
    return replace(setup, measures=chosen, partial=False)


def facts_of(gold: File, setup: Setup) -> GoldFacts:
    """Return the facts about a gold file that the jobs of a worker share, so that they are found only once."""
    return _shared_facts(gold, replace(setup, measures=(), partial=False))


@lru_cache(maxsize=_GOLDS_AT_ONCE)
def _shared_facts(_gold: File, _setup: Setup) -> GoldFacts:
    return GoldFacts()
