"""A command is one call of the public function of its name, with the same parameters and defaults."""

import ast
from collections.abc import Iterator
from inspect import Parameter, getsource, signature, unwrap
from typing import Any

import click
import pytest
from click.testing import CliRunner

import levelhead
from levelhead.arguments import check
from levelhead.cli.program import COMMANDS, cli
from levelhead.cli.shared.command import Setting

NO_FUNCTIONS = {"measures", "schema", "doctor", "completion", "task", "submit"}
"""Commands about the program itself, or about more than files."""

PRESENTATION = {
    "output_format", "places", "output", "report_file", "title", "figures", "figure", "draw", "by_file", "each",
    "transitions", "labeled", "sentences", "list_columns", "changelog", "conllu", "wde_table", "write_arpa",
    "strict", "failures", "report", "layout", "cite", "summary_file", "counts", "table_name", "limit", "quiet", "notes",
    "signature",
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
    "analyze": {"show": None},
    "convert": {"arguments": ("treebank", "direction"), "only_check": None},
    "correlate": {"cumulative_variance": None, "matrix": None},
    "diff": {"by": None},
    "parse": {"words": "treebank"},
    "power": {"files": ("gold", "systems")},
    "profile": {"definitions": "scheme", "scheme": "scheme", "rarefy": None, "samples": None, "seed": None},
    "rank": {"scheme": "scheme"},
    "score": {
        "enhancements": "rules",
        "under": "measures",
        "over": "measures",
        "align_sentences": None,
        "all_measures": None,
    },
    "testsets": {"names": ("names", "download")},
    "train": {"model": None},
    "validate": {"files": "paths"},
}
"""Names that differ in a single command; None for what only the command has."""

ONLY_IN_PYTHON = {"weights", "progress", "prepare", "origin", "each", "tell"}
"""Weights as a mapping (commands name a file in the measure), functions that are called meanwhile, and what a page
shows (commands know whether they write one)."""

OBJECTS = {"registry", "jobs", "cluster", "external"}
"""Parameters that are made from several options."""

OTHER_FORM = {
    "scheme", "definitions", "by", "by_treebank", "enhancements", "under", "over", "fail_if_worse",
    "quick", "significance", "systems",
}  # fmt: skip
"""Options with their own help: they hold a parameter in another form, or say what only a command does."""


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
    """Whether a command calls the public function of its name, which it may also import."""
    public = unwrap(getattr(levelhead, name))
    tree = ast.parse(getsource(unwrap(command_named(name).callback)))
    nodes = list(ast.walk(tree))
    return any(isinstance(node, ast.Call) and ast.unparse(node.func) == "options.call" for node in nodes) or any(
        isinstance(node, ast.ImportFrom)
        and node.module == public.__module__
        and any(alias.name == public.__name__ for alias in node.names)
        for node in nodes
    )


def test_commands_call_their_functions() -> None:
    assert not {name for name in functions() if not calls_its_function(name)}


@pytest.mark.parametrize("name", functions())
def test_command_and_function_have_the_same_parameters(name: str) -> None:
    of_command = {parameter for parameter, _ in options_of(name)}
    assert of_command == {*parameters_of(name)} - (ONLY_IN_PYTHON - of_command)


def values_of(kind: click.ParamType) -> Iterator[tuple[Any, bool]]:
    """Values at the limits of a type, and whether it takes them."""
    if isinstance(kind, click.Choice):
        yield from ((choice, True) for choice in kind.choices)
        yield "no such choice", False
    elif isinstance(kind, click.IntRange | click.FloatRange):
        for limit, is_open in ((kind.min, kind.min_open), (kind.max, kind.max_open)):
            if limit is not None:
                yield limit, not is_open
        if kind.min is not None:
            yield kind.min - 1, False
        if kind.max is not None:
            yield kind.max + 1, False


@pytest.mark.parametrize("name", functions())
def test_command_and_function_take_the_same_values(name: str) -> None:
    kinds = getattr(levelhead, name).kinds
    for parameter, option in options_of(name):
        if parameter in OBJECTS or parameter not in kinds:
            continue
        for value, is_valid in values_of(option.type):
            value = int(value) if parameter == "ud" and value.isdigit() else value  # noqa: PLW2901
            if is_valid:
                check(parameter, value, kinds[parameter])
            elif parameter not in {
                "rules",
                "level",
                "paper",
            }:  # names that are looked up later; a level of 100% is refused below 1
                with pytest.raises(levelhead.InputError):
                    check(parameter, value, kinds[parameter])


@pytest.mark.parametrize("name", functions())
def test_the_function_has_the_defaults_and_the_help_of_options(name: str) -> None:
    """Where an option is another form of a parameter, the command has its help, but never a default."""
    parameters = parameters_of(name)
    for parameter, option in options_of(name):
        if parameter in OBJECTS or not isinstance(option, click.Option):
            continue
        default = option.get_default(click.Context(click.Command("any")), call=True)
        if option.is_flag and default is False:
            assert parameters[parameter].default is False, parameter
        else:
            assert default is None or type(default).__name__ == "Sentinel", parameter
        assert isinstance(option, Setting) or {option.name} <= OTHER_FORM, parameter


def test_help_has_the_text_and_the_default_of_the_function() -> None:
    shown = " ".join(CliRunner().invoke(cli, ["compare", "--help"]).output.split())
    for text in (
        "Confidence level of intervals [default: 0.95; 0<NUMBER<=0.999999]",
        "Training treebanks for WLAS(WDE); can be repeated",
        "Format of the files, `conllu` or `conllx` [default: conllu]",
        "Split of UD releases to use as gold: `train`, `dev` or `test` [default: test, or the only split if test files are missing]",
        "separated by commas; can be repeated [default: UAS, LAS and CLAS; with the rules msp25: all official measures]",
    ):
        assert text in shown


@pytest.mark.parametrize(("name", "text"), [
    ("convert", "When converting forward, record the original heads in MISC; when converting backward, restore these heads"),
    ("train", "on the training and development treebanks, with the best number of passes; requires --dev"),
])  # fmt: skip
def test_help_names_options_not_parameters(name: str, text: str) -> None:
    shown = " ".join(CliRunner().invoke(cli, [name, "--help"]).output.split())
    assert text in shown
