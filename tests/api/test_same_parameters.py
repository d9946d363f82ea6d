"""A command is one call of the public function of its name, with the same parameters and defaults."""

import ast
from collections.abc import Iterator
from inspect import Parameter, getsource, signature, unwrap
from typing import Any

import click
import pytest

import levelhead
from levelhead.cli.program import COMMANDS, cli

NO_FUNCTIONS = {"measures", "schema", "doctor", "completion", "task", "submit"}
"""Commands about the program itself, or about more than files."""

PRESENTATION = {
    "output_format", "places", "output", "report_file", "title", "figures", "figure", "draw", "by_file", "each", "long",
    "transitions", "labeled", "sentences", "matrix", "list_columns", "changelog", "conllu", "wde_table", "write_arpa",
    "copies", "strict", "failures", "report", "layout", "cite", "summary_file", "counts",
}  # fmt: skip
"""How and where a result is printed."""

RENAMED = {
    "definitions": "registry", "scheme": "registry", "address": "cluster", "tls_ca": "jobs",
    "tls_cert": "jobs", "tls_key": "jobs", "jar": "external", "train_cmd": "external", "parse_cmd": "external",
    "more": "external",
}  # fmt: skip
"""Options with another name in Python, where an object holds several of them."""

OF_COMMAND: dict[str, dict[str, str | tuple[str, ...] | None]] = {
    "agree": {"files": "annotations", "by": None},
    "convert": {"arguments": ("treebank", "direction"), "only_check": None},
    "correlate": {"cumulative_variance": None},
    "diff": {"by": None, "limit": None},
    "parse": {"words": "treebank"},
    "power": {"files": ("gold", "systems")},
    "profile": {"definitions": "scheme", "scheme": "scheme", "rarefy": None, "samples": None, "seed": None},
    "rank": {"scheme": "scheme", "report_file": "report", "title": "title", "figures": "figures"},
    "score": {"enhancements": "rules", "under": "measures", "over": "measures"},
    "train": {"scheme": "scheme", "model": None},
    "crossval": {"scheme": "scheme"},
    "validate": {"copies": "fix", "files": "paths"},
}
"""Names that differ in a single command; None for what only the command has."""

ONLY_IN_PYTHON = {"weights", "progress", "prepare", "origin"}
"""Weights as a mapping (commands name a file in the measure), a function that is called after each pass, and what a
page shows (commands know whether they write one)."""

OBJECTS = {"registry", "jobs", "cluster", "external"}
"""Parameters that are made from several options."""

EMPTY = (None, (), [], "", False)


def functions() -> list[str]:
    return sorted({*COMMANDS} - NO_FUNCTIONS)


def command_named(name: str) -> click.Command:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return command


def options_of(name: str) -> Iterator[tuple[str, click.Parameter]]:
    """The options and arguments of a command, by the name of the parameter that they set."""
    for option in command_named(name).params:
        option_name = str(option.name)
        own = OF_COMMAND.get(name, {})
        if not getattr(option, "expose_value", True) or (option_name in PRESENTATION and option_name not in own):
            continue
        named = own[option_name] if option_name in own else RENAMED.get(option_name, option_name)
        for parameter in (named,) if isinstance(named, str) else named or ():
            yield parameter, option


def parameters_of(name: str) -> dict[str, Parameter]:
    return dict(signature(unwrap(getattr(levelhead, name))).parameters)


def calls_its_function(name: str) -> bool:
    """Whether the file of a command imports the public function of its name."""
    public = unwrap(getattr(levelhead, name))
    tree = ast.parse(getsource(unwrap(command_named(name).callback)))
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == public.__module__
        and any(alias.name == public.__name__ for alias in node.names)
        for node in ast.walk(tree)
    )


def test_commands_call_their_functions() -> None:
    assert not {name for name in functions() if not calls_its_function(name)}


@pytest.mark.parametrize("name", functions())
def test_command_and_function_have_the_same_parameters(name: str) -> None:
    of_command = {parameter for parameter, _ in options_of(name)}
    assert of_command == {*parameters_of(name)} - (ONLY_IN_PYTHON - of_command)


def default_of(option: click.Parameter) -> Any:
    value = option.get_default(click.Context(click.Command("any")), call=True)
    return None if value is not None and type(value).__name__ == "Sentinel" else value


@pytest.mark.parametrize("name", functions())
def test_command_and_function_have_the_same_defaults(name: str) -> None:
    parameters = parameters_of(name)
    for parameter, option in options_of(name):
        if parameter in OBJECTS or option.required or parameters[parameter].default is Parameter.empty:
            continue
        default = default_of(option)
        if default not in EMPTY:  # otherwise the command leaves the argument out
            assert default == parameters[parameter].default, parameter
