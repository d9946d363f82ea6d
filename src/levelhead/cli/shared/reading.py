"""GOLD, SYSTEM and the options that choose how files are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.engine import split_option
from levelhead.cli.shared.grouped import Decorator, grouped
from levelhead.immutable import immutable

if TYPE_CHECKING:
    from levelhead.campaign.plan import Plan
    from levelhead.evaluation.setup import Setup
    from levelhead.measures.registry import Registry
    from levelhead.scoring import Rules
    from levelhead.scoring.measure import Measure
    from levelhead.scoring.weights import Weights


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
        """Return the default measures of a command, or all measures of rules that define only a few.

        Args:
            measures: the names of the defaults.
        """
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
        """Return the settings for some measures.

        Args:
            measures: the measures; those of the rules' scorer if None.
            registry: the available measures and schemes; the shipped ones if None.
            weights: the weights that measures name, if they were already read.
            rules: the rules, if they differ from the named rules.
            partial: whether to score outputs with different text or broken trees.
        """
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
    """Yield paths, and all files below folders.

    Args:
        paths: gold and systems.
    """
    for path in paths:
        yield from options.files_in(path)


def plan_of(gold: str, systems: Sequence[str], split: Any, *, runs: bool = False) -> Plan:
    """Return the test sets and the outputs; files that match no test set are reported.

    Args:
        gold: a file, a folder or a manifest.
        systems: files or folders.
        split: which files of UD releases are gold, or None.
        runs: whether a system can be a folder of runs on a single gold file.

    Raises:
        click.UsageError: gold is a file and a system a folder, or the other way around.
        InputError: a path does not exist, or the layout is unclear.
    """
    from pathlib import Path

    from levelhead.campaign.plan import find_plan, missing_outputs

    if not runs or options.holds_test_sets(gold):
        check_kinds(gold, systems)
    named = {name_of(gold, systems[0]): Path(systems[0])} if len(systems) == 1 else systems
    plan = find_plan(gold, named, split)
    options.print_extra_gold(gold)
    options.print_unpaired([] if missing_outputs(plan) else plan.ignored, "gold treebank")
    return plan


def check_kinds(gold: str, systems: Sequence[str]) -> None:
    """Check that gold and systems are all files or all folders.

    Args:
        gold: a file, a folder or a manifest.
        systems: files or folders.

    Raises:
        click.UsageError: one is a file and another a folder.
        InputError: a path does not exist.
    """
    folders = options.holds_test_sets(gold)
    for system in systems:
        if os.path.isdir(system) != folders:  # noqa: PTH112 -- pathlib is slow to load
            options.check_inputs([gold, *systems])
            raise click.UsageError(f"{system}: GOLD and SYSTEM must both be files or both be folders")


def name_of(gold: str, system: str) -> str:
    """Return the name of a system: its folder, or its file if that name is more informative than that of the gold file.

    Args:
        gold: a file, a folder or a manifest.
        system: a file or folder.
    """
    from pathlib import Path

    from levelhead.treebank.layouts import system_name

    own = Path(system).resolve()
    name, of_gold = (Path(path).name.partition(".conll")[0] for path in (own, gold))
    if options.holds_test_sets(gold):
        return system_name(own)
    return own.parent.name if name == of_gold else name
