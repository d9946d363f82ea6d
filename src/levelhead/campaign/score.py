"""Score all pairs of a campaign, with a store and with files that may change under way."""

from __future__ import annotations

import errno
import hashlib
import os
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from levelhead._version import VERSION
from levelhead.campaign.pair import File, Settings, key_of, read_record, score_pair
from levelhead.campaign.plan import Plan
from levelhead.campaign.results import Gold, Result, Results
from levelhead.errors import Fault, InputError, MeasureError, Place
from levelhead.evaluation import joint_hash, measures_for
from levelhead.jobs import Job, Store, Workers, processes, run
from levelhead.measures import STANDARD, Registry
from levelhead.progress import progress_bar
from levelhead.scoring.measure import Measure
from levelhead.scoring.rules import rules_named
from levelhead.scoring.weights import ENTROPY, for_treebank, path_of
from levelhead.scoring.weights import key_of as key_of_weights
from levelhead.user_definitions import read_definitions

_MOST_ROUNDS = 3
_JOBS_FOR_A_BATCH = 500  # with so few jobs a task is one, so that every worker gets some
_OVERHEAD = 100_000  # what a job costs beside its bytes, in bytes, for the time left


class _Seen(NamedTuple):
    """A file when its hash was made, so that a later change is noticed."""

    file: File
    state: tuple[int, int, int]


def score_campaign(
    campaign: Plan,
    *,
    rules: str = "ud",
    measures: Iterable[str | Measure] | None = None,
    workers: Workers | None = None,
    store: Store | None = None,
    by_sentence: bool = False,
    definitions: Iterable[str | os.PathLike[str]] = (),
    folder: str | os.PathLike[str] = "",
) -> Results:
    """Score every system on every test set; a missing or invalid output is 0, with its reason.

    The results do not depend on the workers, nor on what a store held before. Results are stored under hashes of the
    files, the rules, the measures and the version. A file that changes under way is scored again as it is at the end.

    Args:
        campaign: the test sets and systems.
        rules: the name of the rules: `ud`, `udtools`, `conll18` or `conll17`.
        measures: which measures; those that the rules' official scorer prints if None.
        workers: who does the work; this process if None.
        store: where results are kept, if anywhere.
        by_sentence: whether the counts of every sentence are kept, for `with_intervals`.
        definitions: files of your own measures and schemes, as `read_definitions` reads them.
        folder: where relative paths in measures start; the current folder if empty.

    Raises:
        InputError: a gold file is missing or not valid, a file does not stop changing, or workers cannot be had.
        MeasureError: there is no such measure, or no such rules.
        OutputError: the store cannot be written.
    """
    chosen = rules_named(rules)
    files = tuple(Path(path).absolute() for path in definitions)
    registry = STANDARD
    for path in files:
        registry = read_definitions(path, registry)
    asked = measures_for(chosen, measures, registry)
    _refuse_entropies(asked, registry)
    names = tuple(dict.fromkeys(map(str, asked)))
    base = str(Path(folder).absolute()) if os.fspath(folder) else ""
    settings = Settings(chosen.name, names, {}, by_sentence=by_sentence, folder=base)
    scoring = _Scoring(campaign, settings, files)
    for _ in range(_MOST_ROUNDS):
        scoring.round(workers or processes(1), store)
        if scoring.done():
            return scoring.results()
    raise InputError(*scoring.restless)


def _refuse_entropies(measures: Iterable[Measure], registry: Registry) -> None:
    for measure in measures:
        if registry.measures[measure.name].takes_weights and key_of_weights(measure) == ENTROPY:
            message = (
                f"{measure} needs training treebanks, and rank has no --train: write the weights with"
                f" `levelhead profile TREEBANK... --wde-table FILE`, and ask for {measure.name}(FILE)"
            )
            raise MeasureError(message, "missing-weight")


class _Scoring:
    """The state of one call of `score_campaign`."""

    def __init__(self, campaign: Plan, settings: Settings, definitions: tuple[Path, ...]) -> None:
        self.seen: dict[Path, _Seen] = {}
        own = tuple(self._see(path).file for path in definitions)
        self.campaign, self.settings = campaign, settings._replace(definitions=own)
        registry = self.settings.registry
        self.with_files = [one for one in self.settings.asked if registry.measures[one.name].needs_file]
        self.unreadable: dict[Path, str] = {}
        self.found: dict[str, bytes] = {}
        self.restless: list[Fault] = []
        pairs = [(system, test_set) for test_set in campaign.test_sets for system in campaign.systems]
        self.sizes = {(s.name, t.code): _size(t.gold) + _size(s.outputs.get(t.code)) for s, t in pairs}
        # The largest test sets first, so that no worker is left with one at the end; all systems of one together, so
        # that a worker reads gold once.
        total = {t.code: sum(self.sizes[s.name, t.code] for s in campaign.systems) for t in campaign.test_sets}
        self.pairs = sorted(pairs, key=lambda pair: (-total[pair[1].code], pair[1].code))

    def round(self, workers: Workers, store: Store | None) -> None:
        """Do what has no result yet."""
        batch = max(1, min(workers.batch, len(self.pairs) // _JOBS_FOR_A_BATCH))
        weight = sum(self.sizes.values()) + _OVERHEAD * len(self.sizes)
        with progress_bar("scoring", len(self.pairs), weight) as advance:
            outcome = run(self._jobs(), workers._replace(batch=batch), store=store, advance=advance)
        self.found |= outcome.results
        self.restless = []
        for _, stale in outcome.stale:
            self.restless.append(Fault(stale.slug, stale.message, stale.place))
            self.seen.pop(Path(stale.place.file or ""), None)

    def done(self) -> bool:
        """Say whether all results are those of the files as they are now; else forget the files that changed."""
        for path in [path for path, seen in self.seen.items() if _state(path) != seen.state]:
            before = self.seen.pop(path)
            if not path.exists() or self._see(path).file != before.file:
                self.restless.append(Fault("changing-file", "it changed while the campaign ran", Place(str(path))))
        return not self.restless

    def results(self) -> Results:
        """Put all results together; they are read in the order of the campaign."""
        results: dict[tuple[str, str], Result] = {}
        golds: dict[str, Gold] = {}
        faults: list[Fault] = []
        for test_set in self.campaign.test_sets:
            for system in self.campaign.systems:
                output_path = system.outputs.get(test_set.code)
                gold, output = self._files(output_path, test_set.gold)
                settings = self._settings(test_set.code)
                record = self.found[key_of(gold, output, settings)]
                try:
                    result, golds[test_set.code] = read_record(record, settings, gold.path)
                except InputError as error:
                    faults += error.faults
                    break
                reason = self.unreadable.get(output_path.absolute()) if output_path is not None else None
                results[system.name, test_set.code] = result._replace(reasons=(reason,)) if reason else result
        if faults:
            raise InputError(*faults)
        names = tuple(system.name for system in self.campaign.systems)
        return Results(self.campaign.test_sets, names, self.settings.measures, results, golds, self._signature())

    def _jobs(self) -> Iterator[Job]:
        for system, test_set in self.pairs:
            gold, output = self._files(system.outputs.get(test_set.code), test_set.gold)
            settings = self._settings(test_set.code)
            key = key_of(gold, output, settings)
            name = f"{system.name} on {test_set.code}"
            weight = self.sizes[system.name, test_set.code] + _OVERHEAD
            if key not in self.found:
                yield Job(key, score_pair, (gold, output, settings), name, weight)

    def _settings(self, treebank: str) -> Settings:
        """Return the settings for a test set, with the files that measures name for it."""
        if not self.with_files:
            return self.settings
        files = {str(one): self._see(self._named(one, treebank)).file for one in self.with_files}
        return self.settings._replace(files=files, treebank=treebank)

    def _named(self, measure: Measure, treebank: str) -> Path:
        """The file that a measure names for a test set."""
        return Path(self.settings.folder, path_of(for_treebank(measure, treebank))).absolute()

    def _files(self, output: Path | None, gold: Path | None) -> tuple[File, File | None]:
        """Gold and an output; one that is there and cannot be read counts as missing, with the reason."""
        reference = self._see((gold or Path()).absolute()).file
        if output is None or output.absolute() in self.unreadable:
            return reference, None
        try:
            return reference, self._see(output.absolute()).file
        except InputError as error:
            self.unreadable[output.absolute()] = str(Fault(error.slug, error.message))
            return reference, None

    def _see(self, path: Path) -> _Seen:
        """The hash of a file, made once."""
        if path not in self.seen:
            state = _state(path)  # before it is read: a change in between shows
            try:
                digest = _hash_of(path)
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or str(error)
                raise InputError(Fault("unreadable-file", reason, Place(os.fspath(path)))) from error
            self.seen[path] = _Seen(File(os.fspath(path), digest), state)
        return self.seen[path]

    def _signature(self) -> dict[str, str]:
        codes = [test_set.code for test_set in self.campaign.test_sets]
        files = {str(one): [self._named(one, code) for code in codes] for one in self.with_files}
        weights = {name: self._digest(dict.fromkeys(paths)) for name, paths in files.items()}
        return {
            "rules": self.settings.rules,
            **weights,
            **self._definitions(),
            "gold": self._digest(test_set.gold for test_set in self.campaign.test_sets),
            "systems": self._digest(path for system in self.campaign.systems for path in system.outputs.values()),
            "unicode": unicodedata.unidata_version,
            "version": VERSION,
        }

    def _definitions(self) -> dict[str, str]:
        used = self.settings.registry.used(self.settings.asked)
        return {"definitions": "+".join(digest[:12] for digest in used)} if used else {}

    def _digest(self, paths: Iterable[Path | None]) -> str:
        """One hash for many files, in their order."""
        seen = (self.seen.get(path.absolute()) for path in paths if path is not None)
        return joint_hash(one.file.sha256 for one in seen if one)


def _hash_of(path: Path) -> str:
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, "it is neither a file nor a folder")  # a device may have no end
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _size(path: Path | None) -> int:
    return _state(path)[0] if path is not None else 0


def _state(path: Path) -> tuple[int, int, int]:
    """Size, time of the last change and number of a file; zeros if it is not there."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return (0, 0, 0)
    return (status.st_size, status.st_mtime_ns, status.st_ino)
