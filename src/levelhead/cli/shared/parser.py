"""Options of parsers that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.shared.grouped import Decorator
from levelhead.cli.shared.options import PATH, seed_option
from levelhead.cli.shared.values import Choice, limited
from levelhead.extras import require

if TYPE_CHECKING:
    from levelhead.parsing import Recipe

_RUNNING = (
    click.option("--jar", type=PATH, metavar="FILE", help="MaltParser's jar file (malt)"),
    click.option(
        "--parse-cmd",
        metavar="COMMAND",
        help="Command for parsing, with {model}, {input} and {output}; run without a shell (command)",
    ),
)
_TRAINING = (
    click.option("--beam", type=limited("beam"), help="Beam width (transition systems, ensemble)  [default: 4]"),
    click.option(
        "--relations", type=Choice(["universal", "full"]), default="universal", show_default=True,
        help="Learn relations without subtypes (universal) or with subtypes (full)",
    ),
    click.option(
        "--scheme", type=Choice(["content-head", "function-head"]), default="content-head", show_default=True,
        help="Learn the trees as annotated (content heads) or converted to function heads; parses are converted back",
    ),
    click.option(
        "--train-cmd", metavar="COMMAND",
        help="Command for training, with {train} and {model}; run without a shell (command)",
    ),
    click.option(
        "--options", "more", default="", metavar="TEXT",
        help="More options for the external parser (malt, udpipe)",
    ),
    seed_option,
)  # fmt: skip

repair_option: Decorator = click.option(
    "--repair", is_flag=True, help="Repair invalid trees of external parsers instead of rejecting them"
)


def running_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for parsing with an external parser."""
    return _with(_RUNNING, function)


def training_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that define the parser to train."""
    return _with(_TRAINING, function)


def _with(decorators: tuple[Decorator, ...], function: Callable[..., Any]) -> Callable[..., Any]:
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def recipe_of(parser: str, chosen: dict[str, Any]) -> Recipe:
    """Return the recipe of a parser from the options of training."""
    from levelhead.parsing import ALL_PARSERS, ExternalSettings, Recipe
    from levelhead.parsing.training import DEFAULT_BEAM, check_parser

    check_parser(parser, ALL_PARSERS)
    if parser == "udpipe":
        require("ufal.udpipe", "UDPipe models")
    external = ExternalSettings(chosen.get("jar"), chosen["train_cmd"], chosen.get("parse_cmd"), chosen["more"])
    beam = DEFAULT_BEAM if chosen["beam"] is None else chosen["beam"]
    return Recipe(parser, beam, chosen["seed"], chosen["relations"], chosen["scheme"], external)
