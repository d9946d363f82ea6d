"""Checks of the files that a command reads and writes, before it reads any."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from levelhead.arguments import is_collection
from levelhead.cli.program import say
from levelhead.cli.shared.command import refuse_if
from levelhead.cli.shared.options import files_of_measures
from levelhead.errors import Fault, InputError, UnreadableFile, printable, reason_of

if TYPE_CHECKING:
    from levelhead.typology.profile import Files


@contextmanager
def refused(slug: str, message: str | None = None) -> Iterator[None]:
    """Report an error of a public function as one of the options and arguments of the command."""
    try:
        yield
    except InputError as error:
        if [fault.slug for fault in error.faults] != [slug]:
            raise
        raise click.UsageError(message or error.faults[0].message) from error


def inputs_of(paths: Iterable[str | os.PathLike[str]]) -> Iterator[str]:
    """Yield paths, and all files below folders."""
    for path in paths:
        yield os.fspath(path)
        yield from (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)  # noqa: PTH118


def check_files(
    paths: Iterable[str], given: Mapping[str, Any], targets: Iterable[str | None], measures: Iterable[str] = ()
) -> None:
    """Check files and folders, the files that the options of measures and more measures name, and the results."""
    named = files_of_measures((*given.get("measures", ()), *measures))
    check_paths([*inputs_of(paths), *given.get("train", ()), *given.get("definitions", ()), *named], targets)


def check_kinds(gold: str, systems: Sequence[str]) -> None:
    folders = is_collection(gold)
    for system in systems:
        if os.path.isdir(system) != folders:  # noqa: PTH112 -- pathlib is slow to load
            check_inputs([gold, *systems])
            message = "GOLD is a folder, but this is a file: give two files or two folders"
            if not folders:
                message = "GOLD is a file, but this is a folder: give two files or two folders"
            elif gold.endswith(".toml"):
                message = "GOLD is a manifest, but this is a file: give a folder of outputs"
            raise click.UsageError(f"{system}: {message}")


def check_paths(inputs: Iterable[str], outputs: Iterable[str | None]) -> None:
    """Refuse inputs that cannot be read, two results in one file, and results that overwrite inputs."""
    sources, (table, *others) = list(inputs), [*outputs] or [None]
    targets = [path for path in (table, *others) if path is not None]
    refuse_if(sources.count("-") > 1, "only one file can be standard input")
    refuse_if(table is None and "-" in others, "the table goes to standard output: use --output to write it to a file")
    refuse_if(len(set(map(os.path.realpath, targets))) < len(targets), "two results cannot be written to the same file")
    for target in targets:
        if not any(_is_same(target, source) for source in sources):
            continue
        if os.path.isfile(target):  # noqa: PTH113 -- pathlib is slow to load
            raise click.UsageError(f"{printable(target)} is an input file: write the output to another file")
        if os.path.isdir(target):  # noqa: PTH112
            raise click.UsageError(f"{printable(target)} is a folder of inputs: name another folder for the results")
    check_inputs(sources)


def treebank_files(
    paths: Sequence[str], outputs: Iterable[str | None], *, merge: bool = False, others: Iterable[str] = ()
) -> Files:
    from levelhead.campaign.find import extra_gold_warning, listed_gold
    from levelhead.typology.profile import files_of

    refuse_if(paths.count("-") > 1, "only one file can be standard input")
    listed_files = {path: listed_gold(path) for path in paths}
    for path, golds in listed_files.items():
        for message in extra_gold_warning(path) if golds != [path] and is_collection(path) else ():
            say(message)
    files = files_of([file for golds in listed_files.values() for file in golds], merge=merge)
    check_paths([*(os.fspath(path) for some in files.values() for path in some), *others], outputs)
    return files


def check_inputs(paths: Iterable[str]) -> None:
    from levelhead.treebank.input_bytes import cannot_open

    missing = list[Fault]()
    for path in paths:
        if path == "-" or "{treebank}" in path:
            continue
        try:
            os.lstat(path)
        except OSError as error:
            missing += cannot_open(path, reason_of(error)).faults
        if path.lower().endswith(".zst"):
            from levelhead.extras import require

            require("zstandard", ".zst files")
    if missing:
        raise UnreadableFile(*missing)


def _is_same(target: str, source: str) -> bool:
    try:
        return os.path.samefile(target, source)  # noqa: PTH121 -- pathlib is slow to load
    except (OSError, ValueError):
        return False


def refuse_compressed(path: str | None) -> None:
    from levelhead.treebank.input_bytes import SUFFIXES

    if path is not None and path.lower().endswith(SUFFIXES):
        raise click.UsageError("output cannot be compressed: use a name without .gz, .bz2, .xz or .zst")
