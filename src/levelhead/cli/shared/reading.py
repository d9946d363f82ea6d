"""GOLD, SYSTEM, other inputs, and the options that choose how files are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import say
from levelhead.cli.shared import options
from levelhead.cli.shared.engine import split_option
from levelhead.cli.shared.grouped import Decorator, grouped
from levelhead.cli.shared.printing import print_notes, print_unpaired
from levelhead.errors import Fault, Place, UnreadableFile, listed, printable
from levelhead.immutable import immutable

if TYPE_CHECKING:
    from levelhead.campaign.plan import Plan
    from levelhead.evaluation.setup import Setup
    from levelhead.measures.registry import Registry
    from levelhead.scoring import Rules
    from levelhead.scoring.measure import Measure
    from levelhead.scoring.weights import Weights
    from levelhead.typology.profiled import Files


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

    def or_own(self, *measures: str) -> tuple[str, ...]:
        """Return the default measures of a command, or all measures of rules that define only a few."""
        from levelhead.scoring.rules import RULES

        return RULES[self.rules].or_own(*measures)

    def setup(
        self,
        measures: Iterable[str | Measure] | None = (),
        registry: Registry | None = None,
        weights: Mapping[str, Weights] | None = None,
        rules: Rules | None = None,
        *,
        partial: bool = False,
    ) -> Setup:
        """Return the settings for some measures."""
        from levelhead.evaluation.setup import setup_of
        from levelhead.measures.registry import STANDARD

        reading = {"format": self.input_format, "gold_format": self.gold_format}
        reading |= {"rules": rules or self.rules, "allow_several_roots": self.allow_several_roots}
        return setup_of(measures, registry=registry or STANDARD, weights=weights, partial=partial, **reading)


_READING = (options.rules_option, options.input_format_option, options.gold_format_option)

reading_options: Decorator = grouped("reading", Reading, _READING)
"""The options that choose how files are read, passed to a command as the argument `reading`."""

scored_reading_options: Decorator = grouped("reading", Reading, (*_READING, options.allow_several_roots_option))
"""The same options with --allow-several-roots, for commands that score outputs."""


def pair_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add GOLD, SYSTEM and --split, passed to a command as the arguments `gold`, `system` and `split`."""
    with_split = split_option(function)
    return click.argument("gold", type=options.PATH)(click.argument("system", type=options.PATH)(with_split))


def inputs_of(paths: Iterable[str]) -> Iterator[str]:
    """Yield paths, and all files below folders."""
    for path in paths:
        yield from files_in(path)


def plan_of(gold: str, systems: Sequence[str], split: Any, *, runs: bool = False, as_runs: bool = False) -> Plan:
    """Return the test sets and the outputs; files that match no test set are reported."""
    from pathlib import Path

    from levelhead.campaign.plan import find_plan, missing_outputs

    if not runs or holds_test_sets(gold):
        check_kinds(gold, systems)
    named = {name_of(gold, systems[0]): Path(systems[0])} if len(systems) == 1 else systems
    plan = find_plan(gold, named, split, as_runs=as_runs)
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


def name_of(gold: str, system: str) -> str:
    """Return the name of a system: its folder, or its file if that says more than the name of gold."""
    from pathlib import Path

    from levelhead.treebank.layouts import system_name

    own = Path(system).resolve()
    name, of_gold = (Path(path).name.partition(".conll")[0] for path in (own, gold))
    if holds_test_sets(gold):
        return system_name(own)
    return own.parent.name if name == of_gold else name


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
    from levelhead.campaign.plan import listed_gold
    from levelhead.typology.collection import files_of

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
    if not holds_test_sets(gold):
        return
    from pathlib import Path

    from levelhead.campaign.plan import extra_gold_files

    extra = [f"{path.name}/" if path.is_dir() else path.name for path in extra_gold_files(Path(gold))]
    if extra:
        say(f"warning: extra treebanks in GOLD (ignored): {listed(extra)}")
