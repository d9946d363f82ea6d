"""GOLD, SYSTEM, other inputs, and the options that choose how files are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import say
from levelhead.cli.shared import options
from levelhead.cli.shared.engine import split_option
from levelhead.cli.shared.grouped import Decorator, grouped
from levelhead.cli.shared.printing import print_notes, print_unpaired
from levelhead.errors import Fault, InputError, Place, UnreadableFile, printable
from levelhead.immutable import immutable

if TYPE_CHECKING:
    from levelhead.campaign.plan import Plan
    from levelhead.typology.profile import Files


@immutable(eq=True)
class Reading:
    """The values of the options that choose how files are read.

    Args:
        rules: the name of the rules.
        input_format: the format of files.
        gold_format: the format of gold, or None if it is the same.
        allow_several_roots: whether sentences can have several roots; only for commands with this option.
    """

    rules: str
    input_format: Any
    gold_format: Any
    allow_several_roots: bool = False

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of public functions."""
        several_roots = {"allow_several_roots": True} if self.allow_several_roots else {}
        return {"rules": self.rules, "format": self.input_format, "gold_format": self.gold_format, **several_roots}


_READING = (options.rules_option, options.input_format_option, options.gold_format_option)

reading_options: Decorator = grouped("reading", Reading, _READING)
"""The options that choose how files are read, passed to a command as the argument `reading`."""

scored_reading_options: Decorator = grouped("reading", Reading, (*_READING, options.allow_several_roots_option))
"""The same options with --allow-several-roots, for commands that score outputs."""


@contextmanager
def refused(slug: str, message: str) -> Iterator[None]:
    """Report an error of a public function as one of the options and arguments of the command."""
    try:
        yield
    except InputError as error:
        if [fault.slug for fault in error.faults] != [slug]:
            raise
        raise click.UsageError(message) from error


def pair_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add GOLD, SYSTEM and --split, passed to a command as the arguments `gold`, `system` and `split`."""
    with_split = split_option(function)
    return click.argument("gold", type=options.PATH)(click.argument("system", type=options.PATH)(with_split))


def inputs_of(paths: Iterable[str]) -> Iterator[str]:
    """Yield paths, and all files below folders."""
    for path in paths:
        yield from files_in(path)


def plan_of(gold: str, system: str, split: Any) -> Plan:
    """Return the test sets and the outputs; files that match no test set are reported."""
    from levelhead.campaign.find import find_plan
    from levelhead.campaign.plan import missing_outputs

    plan = find_plan(gold, [system], split)
    print_extra_gold(gold)
    print_unpaired([] if missing_outputs(plan) else plan.ignored, "gold treebank")
    print_notes(plan.notes)
    return plan


def check_kinds(gold: str, systems: Sequence[str]) -> None:
    """Check that gold and systems are all files or all folders."""
    folders = holds_test_sets(gold)
    for system in systems:
        if os.path.isdir(system) != folders:  # noqa: PTH112 -- pathlib is slow to load
            check_inputs([gold, *systems])
            raise click.UsageError(f"{system}: {_different_kinds(gold)}")


def _different_kinds(gold: str) -> str:
    """Return the message for a file and a folder, or for a manifest and a file."""
    if not holds_test_sets(gold):
        return "GOLD is a file, but this is a folder: give two files or two folders"
    if gold.endswith(".toml"):
        return "GOLD is a manifest, but this is a file: give a folder of outputs"
    return "GOLD is a folder, but this is a file: give two files or two folders"


def files_in(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield a path, and all files below it if it is a folder."""
    yield os.fspath(path)
    yield from (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)  # noqa: PTH118


def holds_test_sets(path: str) -> bool:
    """Return whether a path is a folder or a manifest of gold treebanks, not a single treebank."""
    return path.endswith(".toml") or os.path.isdir(path)  # noqa: PTH112 -- pathlib is slow to load


def check_paths(inputs: Iterable[str], outputs: Iterable[str | None]) -> None:
    """Refuse inputs that cannot be read, two results in one file, and results that overwrite inputs."""
    sources, (table, *others) = list(inputs), [*outputs] or [None]
    targets = [path for path in (table, *others) if path is not None]
    if sources.count("-") > 1:
        raise click.UsageError("only one file can be standard input")
    if table is None and "-" in others:
        raise click.UsageError("the table goes to standard output: use --output to write it to a file")
    if len(set(map(os.path.realpath, targets))) < len(targets):
        raise click.UsageError("two results cannot be written to the same file")
    for target in targets:
        if any(_same_file(target, source) for source in sources):
            raise click.UsageError(f"{printable(target)} is an input file: write the output to another file")
        if any(_same_folder(target, source) for source in sources):
            raise click.UsageError(f"{printable(target)} is a folder of inputs: name another folder for the results")
    check_inputs(sources)


def treebank_files(
    paths: Sequence[str], outputs: Iterable[str | None], *, merge: bool = False, others: Iterable[str] = ()
) -> Files:
    """Return the files of each treebank by its name, checked as `check_paths` does."""
    from levelhead.campaign.find import listed_gold
    from levelhead.typology.profile import files_of

    if paths.count("-") > 1:
        raise click.UsageError("only one file can be standard input")
    listed_files = {path: listed_gold(path) for path in paths}
    for path, golds in listed_files.items():
        if golds != [path]:
            print_extra_gold(path)
    files = files_of([file for golds in listed_files.values() for file in golds], merge=merge)
    check_paths([*(os.fspath(path) for some in files.values() for path in some), *others], outputs)
    return files


def check_inputs(paths: Iterable[str]) -> None:
    """Refuse inputs that cannot be read, before reading any."""
    missing = []
    for path in paths:
        if path == "-" or "{treebank}" in path:
            continue
        try:
            os.lstat(path)
        except OSError as error:
            missing.append(Fault("unreadable-file", error.strerror or str(error), Place(path)))
        if path.lower().endswith(".zst"):
            from levelhead.extras import require

            require("zstandard", ".zst files")
    if missing:
        raise UnreadableFile(*missing)


def _same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other) and os.path.isfile(one)  # noqa: PTH113, PTH121 -- pathlib is slow to load
    except (OSError, ValueError):
        return False


def _same_folder(target: str, source: str) -> bool:
    try:
        return os.path.samefile(target, source) and os.path.isdir(target)  # noqa: PTH112, PTH121 -- pathlib is slow to load
    except (OSError, ValueError):
        return False


def print_extra_gold(gold: str) -> None:
    """Warn on standard error, in one line, of treebanks in a folder of gold that are not gold."""
    if holds_test_sets(gold):
        from levelhead.campaign.find import extra_gold_warning

        for message in extra_gold_warning(gold):
            say(message)
