"""Options of parsers that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli import idle
from levelhead.cli.shared.grouped import Decorator
from levelhead.cli.shared.options import seed_option
from levelhead.extras import require

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
_OWN = "our own parsers"
_OUTSIDE = "udpipe, malt and command"
_OF = {"beam": "transition systems", "jar": "malt", "train_cmd": "command", "parse_cmd": "command",
       "more": "malt and udpipe", "dev": _OWN, "seed": _OWN, "repair": _OUTSIDE}  # fmt: skip
"""Which parsers an option is for; those that are not here are for all."""

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
    from levelhead.parsing import ALL_PARSERS, Outside, Recipe
    from levelhead.parsing.training import DEFAULT_BEAM, check_parser

    check_parser(parser, ALL_PARSERS)
    check_options(parser)
    if parser == "udpipe":
        require("ufal.udpipe", "UDPipe models")
    outside = Outside(chosen.get("jar"), chosen["train_cmd"], chosen.get("parse_cmd"), chosen["more"])
    beam = DEFAULT_BEAM if chosen["beam"] is None else chosen["beam"]
    return Recipe(parser, beam, chosen["seed"], chosen["relations"], chosen["scheme"], outside)


def check_options(parser: str) -> None:
    """Refuse options on the command line that change nothing for a parser.

    Args:
        parser: which parser.

    Raises:
        click.UsageError: an option is for other parsers.
    """
    for name, option in idle.given().items():
        if name in _OF and parser not in _parsers_of(_OF[name]):
            raise click.UsageError(f"{option} changes nothing for {parser}: it is for {_OF[name]}")


def _parsers_of(kind: str) -> tuple[str, ...]:
    from levelhead.parsing import OUTSIDE_PARSERS, PARSERS
    from levelhead.parsing.model import TRANSITION_SYSTEMS

    kinds = {"transition systems": TRANSITION_SYSTEMS, _OWN: PARSERS, _OUTSIDE: OUTSIDE_PARSERS}
    return kinds.get(kind) or tuple(kind.split(" and "))
