"""Options of parsers that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.options import Decorator, seed_option

if TYPE_CHECKING:
    from levelhead.parsing import Recipe

_RUNNING = (
    click.option("--jar", type=click.Path(), help="malt: the file of MaltParser."),
    click.option(
        "--parse-cmd", metavar="COMMAND", help="command: how to parse, with {model}, {input} and {output}; no shell."
    ),
)
_TRAINING = (
    click.option("--beam", type=click.IntRange(1, 1024), help="Hypotheses a transition system keeps.  [default: 4]"),
    click.option(
        "--relations", type=click.Choice(["universal", "full"]), default="universal", show_default=True,
        help="Learn relations without or with their subtypes.",
    ),
    click.option(
        "--scheme", type=click.Choice(["content-head", "function-head"]), default="content-head", show_default=True,
        help="Learn trees as they are, or converted to function heads; the output is then converted back.",
    ),
    click.option("--train-cmd", metavar="COMMAND", help="command: how to train, with {train} and {model}; no shell."),
    click.option("--options", "more", default="", metavar="TEXT", help="malt, udpipe: more options of the parser."),
    seed_option,
)  # fmt: skip
repair_option: Decorator = click.option(
    "--repair", is_flag=True, help="Repair wrong trees of outside parsers in place of refusing them."
)


def running_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add what parsing with an outside parser takes."""
    return _with(_RUNNING, function)


def training_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add what decides which parser is trained."""
    return _with(_TRAINING, function)


def _with(decorators: tuple[Decorator, ...], function: Callable[..., Any]) -> Callable[..., Any]:
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def recipe_of(parser: str, chosen: dict[str, Any]) -> Recipe:
    """Return what the options of training say.

    Args:
        parser: which parser.
        chosen: the values of `training_options`, and of `running_options` where the verb has them.
    """
    from levelhead.parsing import ALL_PARSERS, OUTSIDE_PARSERS, Outside, Recipe
    from levelhead.parsing.training import DEFAULT_BEAM, check_parser

    check_parser(parser, ALL_PARSERS)
    outside = Outside(chosen.get("jar"), chosen["train_cmd"], chosen.get("parse_cmd"), chosen["more"])
    if parser not in OUTSIDE_PARSERS and any(outside):
        raise click.UsageError("--jar, --train-cmd, --parse-cmd and --options are for outside parsers")
    beam = DEFAULT_BEAM if chosen["beam"] is None else chosen["beam"]
    return Recipe(parser, beam, chosen["seed"], chosen["relations"], chosen["scheme"], outside)
