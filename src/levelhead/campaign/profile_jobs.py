"""Profiles of treebanks as jobs: on several processes or a cluster, with a store."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from levelhead.campaign.records import File, parts_of_file, unchanged
from levelhead.errors import Fault, InputError, Place, UnreadableFile
from levelhead.jobs import Job, Store, Workers
from levelhead.jobs.running import job_key, run_long_jobs
from levelhead.treebank import Treebank, input_bytes
from levelhead.treebank.input_bytes import whole_or_parts
from levelhead.typology.counts import Vocabulary, counts_from_bytes, counts_to_bytes
from levelhead.typology.profile import (
    CountedFile,
    Files,
    Profile,
    ProfiledTreebank,
    Profiles,
    ProfileTask,
    Runner,
    counted_contents,
    profile_here,
    profiled,
)

NamedFile = tuple[str, File]
"""A file, and its path as given, which is used in messages and results."""


def profile_with(workers: Workers, store: Store | None = None) -> Runner:
    """Return a function that profiles treebanks as jobs; this process profiles those from pipes or in memory."""
    if workers.here and store is None:
        return profile_here

    def run(files: Files, task: ProfileTask) -> Profiles:
        jobs = {name: _job(name, named, task) for name, sources in files.items() if (named := _named_files(sources))}
        records = dict(zip(jobs, run_long_jobs("profiling", [*jobs.values()], workers, store) if jobs else ()))
        for name, sources in files.items():
            if name in records:
                yield name, _profile_in(records[name])
            else:
                yield from profile_here({name: sources}, task)

    return run


def profile_files(files: Sequence[NamedFile], task: ProfileTask) -> bytes:
    result = profiled((_counted(*file, task) for file in files), task)
    if isinstance(result, InputError):
        return json.dumps({"faults": [asdict(fault) for fault in result.faults]}).encode()
    record: dict[str, Any] = {
        "values": result.profile.values_by_name,
        "signature": result.profile.signature,
        "vocabulary": result.profile.vocabulary and list(result.profile.vocabulary),
        "files": result.files,
        "warnings": [asdict(fault) for fault in result.warnings],
        "in_pieces": result.in_pieces,
        "counts": result.counts and base64.b64encode(counts_to_bytes(result.counts)).decode(),
    }
    return json.dumps(record).encode()


def _named_files(sources: Sequence[str | Treebank]) -> list[NamedFile]:
    """Return files with their hashes; empty if one is in memory, cannot be read, or can be read only once."""
    named = []
    for source in sources:
        if isinstance(source, Treebank) or not Path(source).is_file():
            return []
        path = Path(source).absolute()
        try:
            with path.open("rb") as file:
                named.append((source, File(str(path), hashlib.file_digest(file, "sha256").hexdigest())))
        except (OSError, ValueError):
            return []
    return named


def _job(name: str, files: Sequence[NamedFile], task: ProfileTask) -> Job:
    classes = {text: sorted(relations) for text, relations in task.scheme.classes.items()}
    scheme = [task.scheme.name, classes, task.scheme.otherwise, task.scheme.version]
    settings = [value for name, value in task._asdict().items() if name not in ("scheme", "training")]
    training = task.training and task.training.hashes
    hashes = [(path, file.sha256) for path, file in files]
    key = job_key("profile in percent", scheme, settings, training, hashes)
    return Job(key, profile_files, (tuple(files), task), name, sum(Path(file.path).stat().st_size for _, file in files))


def _counted(path: str, file: File, task: ProfileTask) -> CountedFile:
    with unchanged(file):
        try:
            with parts_of_file(file) as parts:
                return counted_contents(whole_or_parts(parts, input_bytes.SIZES.large), path, task)
        except UnreadableFile as error:
            raise UnreadableFile(*(fault.in_file(path) for fault in error.faults)) from error


def _profile_in(record: Mapping[str, Any]) -> ProfiledTreebank | InputError:
    if "faults" in record:
        return InputError(*map(_fault, record["faults"]))
    vocabulary = None if record["vocabulary"] is None else Vocabulary(*record["vocabulary"])
    return ProfiledTreebank(
        Profile(record["values"], record["signature"], vocabulary),
        tuple((path, sha256) for path, sha256 in record["files"]),
        tuple(map(_fault, record["warnings"])),
        record["in_pieces"],
        None if record["counts"] is None else counts_from_bytes(base64.b64decode(record["counts"])),
    )


def _fault(fields: Mapping[str, Any]) -> Fault:
    return Fault(**{**fields, "place": Place(*fields["place"])})
