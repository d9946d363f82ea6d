"""About levelhead: levelhead measures, schema, doctor and completion."""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import importlib.util
import platform
import shutil
import sys
from itertools import groupby
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from levelhead._version import VERSION
from levelhead.api import results
from levelhead.cli.program import cli
from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_paths
from levelhead.cli.shared.printing import emit, print_json, print_result
from levelhead.extras import LIBRARIES, install_command, installed
from levelhead.report.json_schemas import json_schema, schema_names
from levelhead.tables.documents import header
from levelhead.tables.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from levelhead.measures.registry import Registry

_FIELDS = ("name", "argument", "meaning", "formula", "source")


@command()
@click.argument("names", nargs=-1, metavar="[MEASURE]...")
@click.option("--schemes", is_flag=True, help="List the schemes: classes of relations for measures such as LAS-FUN")
@options.definitions_option
@options.printing_options(places=False)
def measures(names: tuple[str, ...], schemes: bool, definitions: tuple[str, ...], **given: Any) -> None:
    """Show the definition, formula, argument and source of MEASUREs (default: all), an example, and which to report.

    Write a measure as NAME, NAME(argument), NAME@CLASS (only this class or relation) or NAME-CLASS-CLASS (without these
    classes or relations). Add .precision, .recall, .f1 or .aligned_accuracy for a component: LAS-FUN-PUNCT.recall.
    """
    if names and schemes:
        raise click.UsageError("--schemes cannot be combined with MEASUREs")
    check_paths(definitions, [given["output"]])
    from levelhead.api.inputs import registry_of

    registry = registry_of(definitions, None)
    kind = "schemes" if schemes else "measures"
    documents = _schemes(registry) if schemes else _measures(registry, names)
    if given["output_format"] != "text":
        table = _classes_table if schemes else _measures_table
        document = {**header(kind), kind: documents}
        print_result(given, lambda: table(documents), lambda: document, lines=lambda: documents)
        return
    blocks: list[str] = []
    if schemes or names:
        blocks += map(_scheme_text if schemes else _measure_text, documents)
    else:  # by group, each group with advice
        for (title, advice), some in groupby(documents, key=lambda document: (document["group"], document["advice"])):
            blocks.append(fill(f"{title}: {advice}".removesuffix(": "), 100) + "\n")
            blocks += [_measure_text({**document, "advice": ""}) for document in some]
    emit("\n".join(blocks), given["output"])


def _measures_table(documents: list[dict[str, Any]]) -> Table:
    columns = tuple(Column(field.capitalize(), "text") for field in (*_FIELDS, "example", "group", "advice"))
    return Table(columns, tuple(tuple(document.values()) for document in documents))


def _classes_table(documents: list[dict[str, Any]]) -> Table:
    every = ((document["name"], *entry) for document in documents for entry in document["classes"].items())
    rows = tuple((name, label, " ".join(members)) for name, label, members in every)
    return Table(tuple(Column(name, "text") for name in ("Scheme", "Class", "Relations")), rows)


def _measures(registry: Registry, names: Iterable[str]) -> list[dict[str, Any]]:
    """Describe the named measures once each, or all if none is named, with a command for each as an example."""
    from levelhead.measures.registry import find_definition, group_of, split_measures
    from levelhead.scoring.measure import split
    from levelhead.scoring.rules import RULES, UD

    definitions = [find_definition(split(text).name, registry) for name in names for text in split_measures(name)]
    documents = []
    for definition in dict.fromkeys(definitions) if names else registry.measures.values():
        if definition.needs_file:
            measure = f"'{definition.name}({'weights.tsv' if definition.takes_weights else 'train.conllu'})'"
        elif definition.options():
            measure = f"'{definition.name},{definition.name}({definition.options()[0]})'"
        else:
            measure = definition.name
        if definition.name in UD.lacks:  # the default rules do not define it
            measure += f" --rules {next(name for name, rules in RULES.items() if rules.defines(definition.name))}"
        group = group_of(definition.name)
        documents.append(
            {
                **{field: getattr(definition, field) or "" for field in _FIELDS},
                "example": f"levelhead score GOLD SYSTEM -m {measure}",
                "group": group.title if group else "Custom",
                "advice": group.advice if group else "",
            }
        )
    return documents


def _measure_text(document: dict[str, Any]) -> str:
    """Return a description in lines of up to 100 characters."""
    labels = (name for name in ("formula", "argument", "source", "example", "advice") if document[name])
    lines = [document["meaning"], *(f"{name.capitalize()}: {document[name]}" for name in labels)]
    wrapped = (fill(line, 100, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False) for line in lines)
    return "\n".join([document["name"], *wrapped, ""])


def _schemes(registry: Registry) -> list[dict[str, Any]]:
    return [
        {
            "name": scheme.name,
            "source": scheme.source,
            "version": scheme.version,
            "classes": {label: sorted(members) for label, members in scheme.classes.items()},
            "otherwise": scheme.otherwise,
            "counterparts": dict(scheme.counterparts),
        }
        for scheme in registry.schemes.by_name.values()
    ]


def _scheme_text(document: dict[str, Any]) -> str:
    version = f" (UD v{document['version']})" if document["version"] else ""
    pairs = " ".join(f"{relation}={counterpart}" for relation, counterpart in document["counterparts"].items())
    lines = (
        *(f"{document['name']}{version}", f"  {document['source']}"),
        *(f"  {label}: {' '.join(members)}" for label, members in document["classes"].items()),
        f"  {document['otherwise']}: every other relation",
        *([f"  looked up as: {pairs}"] if pairs else []),
    )
    return "".join(f"{line}\n" for line in lines)


_SCHEMAS = sorted([*schema_names(), *results.kinds()])


@command()
@click.argument("kind", type=options.Choice(_SCHEMAS, "schema"), metavar="[KIND]", required=False)
@options.output_option
def schema(kind: str | None, output: str | None) -> None:
    """Print the JSON Schema of a KIND of JSON output, such as score; without KIND, list the kinds.

    KIND is the value of "kind" in the output. If the lines of --format jsonl have no kind, their schema is under
    $defs/line.
    """
    if kind is None:
        titles = {name: _schema(name)["title"] for name in _SCHEMAS}
        width = max(map(len, titles))
        emit("".join(f"{name:{width}}  {title}\n" for name, title in titles.items()), output)
    else:
        print_json(_schema(kind), output)


def _schema(kind: str) -> dict[str, Any]:
    return results.json_schema(kind) if kind in results.kinds() else json_schema(kind)


PROGRAMS = {
    "bwrap": "running systems of a shared task in a sandbox (on Debian: apt-get install bubblewrap)",
    "java": "MaltParser, an external parser",
}
"""The optional programs, and their purpose."""

_KERNELS = (
    "scan pools memory layout agreement trees alignment shapes oracles conversion arpa transition_parser graph_parser"
).split()


@command()
@options.printing_options("text", "json", "tsv", "markdown", places=False)
def doctor(**given: Any) -> None:
    """Show which optional dependencies are installed, and how to install the others."""
    kernels = [importlib.util.find_spec(f"levelhead.kernels.{name}") for name in _KERNELS]
    suffixes = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    compiled = all(spec is not None and spec.origin is not None and spec.origin.endswith(suffixes) for spec in kernels)
    rows = [
        ("levelhead", VERSION, ""),
        ("Python", platform.python_version(), sys.executable),
        *((name, _version(name), "") for name in ("numpy", "click", "rich")),
        ("kernels", "compiled" if compiled else "not compiled: slow", ""),  # the results are the same
        *((name, "found" if shutil.which(name) else "missing", f"for {use}") for name, use in PROGRAMS.items()),
    ]
    for name, library in LIBRARIES.items():
        missing = ("missing", f"for {library.purpose}: {install_command(library.extra)}")
        found = (_version(library.project), f"{library.purpose} (extra: {library.extra})")
        rows.append((name, *(found if installed(name) else missing)))
    columns = (Column("Part", "text"), Column("Version", "text"), Column("Note", "text"))
    document = {**header("doctor"), "installed": {name: version for name, version, _ in rows}}
    print_result(given, lambda: Table(columns, tuple(rows)), lambda: document)


def _version(project: str) -> str:
    try:
        return importlib.metadata.version(project)
    except importlib.metadata.PackageNotFoundError:
        return "missing"


@command()
@click.argument("shell", type=options.Choice(["bash", "zsh", "fish"], "shell"))
@options.output_option
def completion(shell: str, output: str | None) -> None:
    """Print a shell completion script.

    \b
    bash: eval "$(levelhead completion bash)" in ~/.bashrc
    zsh:  eval "$(levelhead completion zsh)" in ~/.zshrc
    fish: levelhead completion fish > ~/.config/fish/completions/levelhead.fish
    """  # noqa: D301 -- click reads the character, not its name
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is not None:
        template = kind(cli, {}, "levelhead", "_LEVELHEAD_COMPLETE")
        emit(template.source_template % template.source_vars(), output)
