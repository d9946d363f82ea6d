"""The engine: counts every output of a plan, with a store, and checks that files do not change meanwhile."""

from __future__ import annotations

import errno
import hashlib
import os
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from levelhead._version import VERSION
from levelhead.campaign.outputs import JobSetup, Look, OutputSource, VisitEach, count_and_look, count_output, key_of_job
from levelhead.campaign.plan import Plan, TestSet
from levelhead.campaign.records import File, Record, Source, hash_of, json_of, read_record, record_in, state_if_any
from levelhead.campaign.results import OutputResult, Results
from levelhead.errors import Fault, InputError, Place, reason_of
from levelhead.evaluation.setup import Setup
from levelhead.jobs import Job, Store, Workers, processes, run_jobs
from levelhead.jobs.running import Codec, batch_size, job_key
from levelhead.progress import progress_bar
from levelhead.scoring.measure import Measure
from levelhead.scoring.selection import for_treebank, key_of, path_of
from levelhead.significance.units import AUTO
from levelhead.treebank import Treebank, input_bytes
from levelhead.treebank.input_bytes import is_stream, read_bytes
from levelhead.treebank.layouts.gold import irregularity
from levelhead.treebank.layouts.outputs import System
from levelhead.treebank.provenance import FileId, FileSummary, joint_hash

_Source = TypeVar("_Source", Source, Source | None)

_OVERHEAD = 100_000  # the fixed cost of a job, in bytes, to estimate the time left


def score_plan(
    plan: Plan,
    setup: Setup,
    *,
    workers: Workers | None = None,
    store: Store | None = None,
    by_sentence: bool = False,
    resample_by: str = AUTO,
    look: Look | VisitEach | None = None,
) -> Results:
    """Return the scores of each system's output on each test set.

    The result of a missing or invalid output has the reason instead of scores. Scores do not depend on the workers or
    on the contents of the store: a stored result is only used if the files, the settings and the version of levelhead
    are the same. If a file changes during the run, its final contents are scored.

    Args:
        plan: the test sets and systems.
        setup: the settings.
        workers: the processes or machines that score outputs; by default, only this process.
        store: the store of results, or None.
        by_sentence: whether to return the counts of every sentence, which confidence intervals and tests require.
        resample_by: the sampling units of confidence intervals and tests; see `significance.units_of`.
        look: an importable function. Workers call it once for each test set on which all systems have valid outputs. If
            it is a `VisitEach`, workers call it once for each valid output instead. If `look` is given, every output is
            read, even if its result is in the store.

    Raises:
        InputError: a gold file is missing or invalid, a file keeps changing, or workers are not available.
        MeasureError: a measure requires training treebanks that were not given, or the rules cannot be combined with
            `look`. It is also raised if a measure is a Python function and there is a store or another process, since
            functions cannot be combined with these.
        OutputError: the store cannot be written.
    """
    setup.check_entropies()
    setup.check_functions(elsewhere=not (workers or processes(1)).here, stored=store is not None)
    if look is not None:
        setup.rules.check_words()
    settings = JobSetup(setup.with_pipes(), resample_by=resample_by if by_sentence else None)
    scoring = _Scoring(plan, settings, look)
    for _ in range(3):  # in case files change
        scoring.round(workers or processes(1), store)
        if scoring.done():
            return scoring.results()
    raise InputError(*scoring.changed)


def check_valid(results: Results) -> Results:
    """Return results, checking that every output is valid."""
    if faults := dict.fromkeys(fault for result in results.results.values() for fault in result.faults):
        raise InputError(*faults)
    return results


def _name_of(path: Path | None, treebank: Treebank | None) -> str | None:
    """The path of a file, or of the file that a treebank in memory was read from."""
    if treebank is not None:
        return treebank.source.path
    return None if path is None else os.fspath(path)


class _Scoring:
    def __init__(self, plan: Plan, settings: JobSetup, look: Look | VisitEach | None) -> None:
        self.plan, self.settings, self.look = plan, settings, look
        self.hashed: dict[Path, tuple[File, tuple[int, int, int]]] = {}  # with the state when it was hashed
        self.streams: dict[Path, File] = {}
        self.at_hand: dict[str, bytes] | None = None  # contents by path, if this process runs the jobs
        self.unreadable: dict[Path, Fault] = {}
        self.found: dict[str, Any] = {}
        self.changed: list[Fault] = []
        pairs = [(system, test_set) for test_set in plan.test_sets for system in plan.systems]
        files = {(s.label, t.code): filter(None, (t.gold, s.outputs.get(t.code))) for s, t in pairs}
        self.sizes = {key: sum(state_if_any(path)[0] for path in paths) for key, paths in files.items()}
        self.in_memory = any(t.treebank is not None for t in plan.test_sets) or any(s.treebanks for s in plan.systems)
        # The largest test sets first, so that none is left for the end; all systems of a test set together, so
        # that a worker reads gold once.
        total = {t.code: sum(self.sizes[s.label, t.code] for s in plan.systems) for t in plan.test_sets}
        self.pairs = sorted(pairs, key=lambda pair: (-total[pair[1].code], pair[1].code))
        self.with_files = [
            measure
            for measure, definition in settings.setup.defined
            if definition.needs_file and key_of(measure) not in settings.setup.weights
        ]
        faults: list[Fault] = []  # of weights and models, for all test sets at once
        for path in dict.fromkeys(self._path_of(file, t.code) for t in plan.test_sets for file in self.with_files):
            try:
                self._with_hash(path)
            except InputError as error:
                faults += error.faults
        if faults:
            raise InputError(*faults)

    def round(self, workers: Workers, store: Store | None) -> None:
        batch = batch_size(workers, len(self.pairs))
        if workers.window > 1 and len(self.plan.test_sets) >= 4 * workers.window:
            batch = max(batch, len(self.plan.systems))  # all outputs on a test set, so that one worker reads its gold
        weight = sum(self.sizes.values()) + _OVERHEAD * len(self.sizes)
        workers = processes(1) if self.in_memory else workers
        self.at_hand = {} if workers.here else None
        jobs = self._jobs() if self.look is None else self._looks(self.look)
        counts_store = store if self.look is None else None  # `look` needs outputs even if the store has their counts
        with progress_bar("scoring", len(self.pairs), weight) as advance:
            codec = Codec(json_of, record_in)
            batched = workers._replace(batch=batch)
            outcome = run_jobs(jobs, batched, store=counts_store, advance=advance, codec=codec)
        self.at_hand = None
        self.found |= outcome.results
        if self.look is not None and store is not None:
            for test_set in self.plan.test_sets:
                key, gold, outputs = self._look_arguments(test_set)
                for (_, _, output, settings), record in zip(outputs, self.found[key][0] if key in self.found else ()):
                    store.put(key_of_job(gold, output, settings), json_of(record))
            store.commit()
        self.changed = []
        for _, stale in outcome.stale:
            self.changed.append(Fault(stale.slug, stale.message, stale.place))
            self.hashed.pop(Path(stale.place.file or ""), None)

    def done(self) -> bool:
        """Return whether all results match the files as they are now; otherwise forget the files that changed."""
        for path, (file, state) in list(self.hashed.items()):
            if state_if_any(path) != state:
                del self.hashed[path]
                if not path.exists() or self._with_hash(path) != file:
                    self.changed.append(Fault("changing-file", "it changed while it was scored", Place(str(path))))
        return not self.changed

    def results(self) -> Results:
        results: dict[tuple[str, str], OutputResult] = {}
        golds: dict[str, FileSummary] = {}
        looked: dict[str, Any] = {}
        records: Sequence[Record] = ()
        faults: list[Fault] = []
        for test_set in self.plan.test_sets:
            code = test_set.code
            try:
                if self.look is not None:
                    records, looked[code] = self.found[self._look_arguments(test_set)[0]]
                settings, gold = self._settings(code), self._gold(test_set)
                files = {measure: file.path for measure, file in settings.files.items()}
                for number, system in enumerate(self.plan.systems):
                    key = key_of_job(gold, self._output(system, test_set), settings)
                    record = records[number] if records else self.found[key]
                    path = system.outputs.get(code)
                    paths = _name_of(test_set.gold, test_set.treebank), _name_of(path, system.treebanks.get(code))
                    result, golds[code] = read_record(record, settings.setup, files, *paths)
                    if paths[1] is None:
                        named = tuple(fault.in_file(f"{system.label} on {code}") for fault in result.faults)
                        result = result._replace(faults=named)
                    fault = system.faults.get(code) or (None if path is None else self.unreadable.get(path))
                    if fault is not None:
                        result = result._replace(reasons=(str(Fault(fault.slug, fault.message)),), faults=(fault,))
                    results[system.label, code] = result
            except InputError as error:
                faults += error.faults
        if faults:
            raise InputError(*faults, *(fault for result in results.values() for fault in result.faults))
        setup = self.settings.setup
        return Results(
            self.plan.test_sets,
            tuple(system.label for system in self.plan.systems),
            tuple(dict.fromkeys(setup.names)),
            results,
            golds,
            self._signature(golds),
            looked,
        )

    def _jobs(self) -> Iterator[Job]:
        for system, test_set in self.pairs:
            settings = self._settings(test_set.code)
            self._drop_contents(test_set)
            gold = self._gold(test_set)
            output = self._output(system, test_set)
            key = key_of_job(gold, output, settings)
            weight = self.sizes[system.label, test_set.code] + _OVERHEAD
            if key not in self.found:
                sources = self._with_contents(gold), self._with_contents(output)
                yield Job(key, count_output, (*sources, settings), f"{system.label} on {test_set.code}", weight)

    def _looks(self, look: Look | VisitEach) -> Iterator[Job]:
        for test_set in self.plan.test_sets:
            self._drop_contents()
            key, gold, outputs = self._look_arguments(test_set)
            if key not in self.found:
                gold = self._with_contents(gold)
                outputs = [(name, label, self._with_contents(file), how) for name, label, file, how in outputs]
                arguments = (test_set.code, gold, outputs, look)
                weight = sum(self.sizes[system.label, test_set.code] + _OVERHEAD for system in self.plan.systems)
                yield Job(key, count_and_look, arguments, test_set.code, weight)

    def _look_arguments(self, test_set: TestSet) -> tuple[str, Source, list[OutputSource]]:
        settings = self._settings(test_set.code)
        gold = self._gold(test_set)
        outputs = [
            (system.name, system.label, self._output(system, test_set), settings) for system in self.plan.systems
        ]
        keys = [key_of_job(gold, output, settings) for _, _, output, settings in outputs]
        return job_key("look", test_set.code, keys), gold, outputs

    def _path_of(self, measure: Measure, treebank: str) -> Path:
        return Path(self.settings.setup.place_of(path_of(for_treebank(measure, treebank)))).absolute()

    def _settings(self, treebank: str) -> JobSetup:
        if not self.with_files:
            return self.settings
        files = {str(file): self._with_hash(self._path_of(file, treebank)) for file in self.with_files}
        return self.settings._replace(files=files, treebank=treebank)

    def _gold(self, test_set: TestSet) -> Source:
        return self._file(test_set.gold or Path()) if test_set.treebank is None else test_set.treebank

    def _output(self, system: System, test_set: TestSet) -> Source | None:
        """An output; one that cannot be read counts as missing, with the reason."""
        if test_set.code in system.treebanks:
            return system.treebanks[test_set.code]
        if (path := system.outputs.get(test_set.code)) is None or path in self.unreadable:
            return None
        try:
            return self._file(path)
        except InputError as error:
            self.unreadable[path] = error.faults[0]
            return None

    def _file(self, path: Path) -> File:
        """A file with its hash, and with its bytes if it is a pipe or standard input, which is read once."""
        if not is_stream(path):
            try:
                return self._with_hash(path.absolute())
            except InputError as error:
                raise InputError(error.faults[0].in_file(os.fspath(path))) from error
        if path not in self.streams:
            data = read_bytes(path, unpack=False)
            self.streams[path] = File(os.fspath(path), hashlib.sha256(data).hexdigest(), data)
        return self.streams[path]

    def _drop_contents(self, of: TestSet | None = None) -> None:
        """Drop the contents of all files except the gold file of a test set, whose first job may still be pending."""
        if self.at_hand:
            gold = None if of is None or of.gold is None else os.fspath(of.gold.absolute())
            self.at_hand = {path: data for path, data in self.at_hand.items() if path == gold}

    def _with_contents(self, source: _Source) -> _Source:
        """A file with its contents, if this process just read them for the hash; otherwise the job reads it."""
        if not isinstance(source, File) or not self.at_hand or source.path not in self.at_hand:
            return source
        return replace(source, data=self.at_hand.pop(source.path))

    def _with_hash(self, path: Path) -> File:
        if path not in self.hashed:
            state = state_if_any(path)  # before it is read, so that changes are detected
            try:
                digest = self._hash_of(path, state[0])
            except (OSError, ValueError) as error:
                raise InputError(Fault("unreadable-file", reason_of(error), Place(os.fspath(path)))) from error
            self.hashed[path] = File(os.fspath(path), digest), state
        return self.hashed[path][0]

    def _hash_of(self, path: Path, size: int) -> str:
        if reason := irregularity(path):
            raise OSError(errno.EINVAL, reason)  # a device can be endless
        if self.at_hand is None or size > input_bytes.SIZES.large:  # larger files are not kept until their job
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        self.at_hand[os.fspath(path)] = data = path.read_bytes()
        return hashlib.sha256(data).hexdigest()

    def _signature(self, golds: Mapping[str, FileSummary]) -> dict[str, str]:
        test_sets = self.plan.test_sets
        in_memory = (FileId(hash_of(test_set.treebank)) for test_set in test_sets)
        gold = [given if given.sha256 else golds[t.code].id for t, given in zip(test_sets, in_memory)]
        outputs = [self._output(system, test_set) for system in self.plan.systems for test_set in test_sets]
        paths = {str(m): dict.fromkeys(self._path_of(m, t.code) for t in test_sets) for m in self.with_files}
        weights = {
            name: joint_hash(FileId(self._with_hash(path).sha256) for path in files) for name, files in paths.items()
        }
        return {
            **self.settings.setup.signature_of_rules(),
            **self.settings.setup.signature_of_measures(weights),
            "gold": joint_hash(gold),
            "systems": joint_hash(FileId(hash_of(output)) for output in outputs if output is not None),
            "unicode": unicodedata.unidata_version,
            "version": VERSION,
        }
