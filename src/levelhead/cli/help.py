"""About levelhead: levelhead measures, schema, doctor and completion."""

from __future__ import annotations

from itertools import groupby
from textwrap import fill
from typing import Any

import click

from levelhead.api import results
from levelhead.api.listings import MeasureRow, SchemeList, installation, list_measures
from levelhead.cli.program import cli, refuse_if
from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.printing import emit, emit_folded, print_json, screen_of, show


@command()
@click.argument("names", nargs=-1, metavar="[MEASURE]...")
@click.option("--schemes", is_flag=True, help="List the schemes that define classes such as FUN")
@options.definitions_option
@options.printing_options(places=False)
def measures(names: tuple[str, ...], schemes: bool, definitions: tuple[str, ...], **given: Any) -> None:
    """Show definition, formula, argument, source and example of each MEASURE (default: all), and whether to report it.

    Write a measure as NAME, NAME(argument), NAME@CLASS (only this class or relation) or NAME-CLASS-CLASS (without these
    classes or relations). Add .precision, .recall, .f1 or .aligned_accuracy to get this value, as in
    LAS-FUN-PUNCT.recall.
    """
    refuse_if(names and schemes, "--schemes cannot be combined with MEASUREs")
    from levelhead.api.inputs import registry_of

    registry = registry_of(definitions, None)
    if schemes:
        schemes_listed = SchemeList(tuple(registry.schemes.by_name.values()))
        if given["output_format"] == "text":
            emit_folded("\n".join(map(_scheme_text, schemes_listed.schemes)), given["output"])
        else:
            show(given, schemes_listed)
        return
    listed = list_measures(registry, names)
    if given["output_format"] != "text":
        show(given, listed)
        return
    blocks, width = list[str](), screen_of(given["output"]).width
    if names:
        blocks += (_measure_text(measure, width) for measure in listed.measures)
    else:  # by group, each group with advice
        for (title, advice), some in groupby(listed.measures, key=lambda measure: (measure.group, measure.advice)):
            blocks.append(fill(f"{title}: {advice}".removesuffix(": "), width) + "\n")
            blocks += [_measure_text(measure._replace(advice=""), width) for measure in some]
    emit("\n".join(blocks), given["output"])


def _measure_text(measure: MeasureRow, width: int) -> str:
    labels = (name for name in ("formula", "argument", "source", "example", "advice") if getattr(measure, name))
    lines = [measure.meaning, *(f"{name.capitalize()}: {getattr(measure, name)}" for name in labels)]
    wrapped = (
        fill(line, width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False) for line in lines
    )
    return "\n".join([measure.name, *wrapped, ""])


def _scheme_text(scheme: Any) -> str:
    version = f" (UD v{scheme.version})" if scheme.version else ""
    pairs = " ".join(f"{relation}={counterpart}" for relation, counterpart in scheme.counterparts.items())
    lines = (
        *(f"{scheme.name}{version}", f"  {scheme.source}"),
        *(f"  {label}: {' '.join(sorted(members))}" for label, members in scheme.classes.items()),
        f"  {scheme.otherwise}: every other relation",
        *([f"  looked up as: {pairs}"] if pairs else []),
    )
    return "".join(f"{line}\n" for line in lines)


_SCHEMAS = sorted((*results.kinds(), *results.OF_TASKS))


@command()
@click.argument("kind", type=options.Choice(_SCHEMAS, "schema"), metavar="[KIND]", required=False)
@options.output_option
def schema(kind: str | None, output: str | None) -> None:
    """Print the JSON Schema of a KIND of JSON output, such as score; without KIND, list the kinds.

    KIND is the value of "kind" in the output.
    """
    if kind is None:
        titles = {name: results.json_schema(name)["title"] for name in _SCHEMAS}
        width = max(map(len, titles))
        emit("".join(f"{name:{width}}  {title}\n" for name, title in titles.items()), output)
    else:
        print_json(results.json_schema(kind), output)


@command()
@options.printing_options("text", "json", "jsonl", "tsv", "markdown", places=False)
def doctor(**given: Any) -> None:
    """Show which optional dependencies are installed, and how to install the others."""
    show(given, installation())


@command()
@click.argument("shell", type=options.Choice(["bash", "zsh", "fish"], "shell"), metavar="SHELL")
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
