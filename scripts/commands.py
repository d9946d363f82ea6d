"""The pages of the commands: what all of them share, then a page for each with its options and its results."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import click
from formats import escaped, kinds_of, tables_of

from levelhead.cli import program
from levelhead.cli.shared.command import GROUPS, options_by_group

ABOUT_COMMANDS = f"""
Each command has a page with its options and result tables; `--help` prints the options, too. All examples
run in `examples/pud`.

Results go to standard output. Warnings, notes and errors go to standard error, in every format. Notes below a table
are not repeated on standard error.

| exit code | meaning |
| ---: | --- |
| {program.DONE} | success |
| {program.GATE} | a gate (`--fail-under`, `--fail-over`, `--fail-if-worse`) is not met |
| {program.BAD_INPUT} | invalid input or usage, or `validate` found errors |
| {program.INTERNAL} | a bug in levelhead: please report it |
| {program.INTERRUPTED} | interrupted |
| {program.BROKEN_PIPE} | the program that read the output, such as `head`, has ended |
| {program.TERMINATED} | terminated by a signal |
"""

ABOUT_SHARED = """
Several commands take these options. Each command's page lists those that it takes, and defaults that differ.
"""


def command_pages() -> Iterator[tuple[str, str, str, Iterable[str]]]:
    """Yield the file name, title, introduction and blocks of each page."""
    context = click.Context(program.cli, info_name="levelhead", **program.cli.context_settings)
    shared = shared_options(program.cli, context)
    yield "index", "Commands", ABOUT_COMMANDS, index_blocks(shared)
    for below in subcommands(program.cli, context):
        blocks = [*command_blocks(below.command, below, shared), *result_blocks(below.info_name or "")]
        yield below.info_name or "", below.command_path, "", blocks


def index_blocks(shared: Mapping[str, ListedOption]) -> Iterator[str]:
    """The commands by group, and the options that several of them share."""
    for group, commands in program.GROUPS.items():
        yield f"## {group}"
        yield "\n".join(f"- [{name}]({name}.md): {escaped(about)}" for name, about in commands.items())
    yield f"## Shared options\n{ABOUT_SHARED.rstrip()}"
    for title, names in shared_by_group(shared).items():
        yield f"### {title}"
        yield "\n".join(shared[name].described for name in names)


def shared_by_group(shared: Mapping[str, ListedOption]) -> dict[str, list[str]]:
    """The names of shared options by the heading under which they are described."""
    found: dict[str, list[str]] = {}
    for group in GROUPS:
        for name in (option.name for option in shared.values() if option.group == group):
            title = "Tables" if name in TABLES else TITLES.get(group, group)
            found.setdefault(title, []).append(name)
    return found


TITLES = {"Options": "General", "Output": "Pages", "Rules and input": "Input"}
TABLES = "--format --output --quiet --notes --signature --table --places".split()
"""The shared options of output that most commands have."""


def command_blocks(command: click.Command, context: click.Context, shared: Mapping[str, ListedOption]) -> Iterator[str]:
    """A command: what it does, an example, its options; then the commands below it."""
    path = context.command_path
    first, *more = PREFORMATTED.sub(r"```text\n\1\n```", escaped(inspect.cleandoc(command.help or ""))).split("\n\n")
    yield first
    if not isinstance(command, click.Group):
        yield f"```sh\n{program.example_of(path)}\n```"
        yield f"`{' '.join([path, *command.collect_usage_pieces(context)])}`".replace(" [OPTIONS]", "")
    yield from more
    options = listed_options(command, context)
    if own := [option.beside(shared) for option in options if shared.get(option.name) != option]:
        yield "\n".join(own)
    if taken := [option for option in options if shared.get(option.name) == option]:
        yield f"Shared options: {'; '.join(named_shared(options, taken, shared))}."
    for below in subcommands(command, context):
        yield f"## {below.command_path}"
        yield from command_blocks(below.command, below, shared)


def named_shared(
    options: list[ListedOption], taken: list[ListedOption], shared: Mapping[str, ListedOption]
) -> Iterator[str]:
    """The shared options that a command takes, by group: all of them, or their names."""
    known, same = {option.name for option in options}, {option.name for option in taken}
    for title, names in shared_by_group(shared).items():
        if some := [name for name in names if name in same]:
            listed = "all" if len(some) > 1 and known.issuperset(names) else " ".join(f"`{name}`" for name in some)
            yield f"[{title.lower()}](index.md#{title.lower().replace(' ', '-')}) {listed}"


def result_blocks(command: str) -> Iterator[str]:
    """The tables of the results that a command prints."""
    for kind in kinds_of(command):
        yield f"## Result: {kind}"
        yield from tables_of(kind)


def subcommands(command: click.Command, context: click.Context) -> Iterator[click.Context]:
    """The visible commands below a command."""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                yield click.Context(below, info_name=name, parent=context)


class ListedOption(NamedTuple):
    """An option as `--help` describes it: its long name, its group, all names, what it does, its default and limits."""

    name: str
    group: str
    names: str
    about: str
    default: str

    @property
    def described(self) -> str:
        return f"- `{self.names}`: {escaped(self.about + self.default)}"

    def beside(self, shared: Mapping[str, ListedOption]) -> str:
        """Its description, without what a shared option of the same name says."""
        same = self.name in shared and shared[self.name].about == self.about
        return f"- `{self.names}`:{escaped(self.default)}" if same else self.described


def listed_options(command: click.Command, context: click.Context) -> list[ListedOption]:
    """The options of a command in the order of their groups."""
    found = list[ListedOption]()
    for group, options in options_by_group(command, context).items():
        for option in options:
            names, text = (" ".join(part.split()) for part in option.get_help_record(context) or ("", ""))
            about, bracket, default = text.partition(" [")
            found.append(ListedOption(max(option.opts, key=len), group, names, about, bracket + default))
    return found


def shared_options(command: click.Command, context: click.Context) -> dict[str, ListedOption]:
    """The options that at least two commands have with the same text, by name: the most frequent text of each."""
    counts = Counter(every_option(command, context))
    by_name = {option.name: option for option, n in reversed(counts.most_common()) if n > 1}
    return {option.name: option for option in counts if by_name.get(option.name) == option}


def every_option(command: click.Command, context: click.Context) -> Iterator[ListedOption]:
    """The options of a command and of those below it."""
    yield from listed_options(command, context)
    for below in subcommands(command, context):
        yield from every_option(below.command, below)


PREFORMATTED = re.compile(r"^\x08\n(.*?)(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)
"""Lines of help that click does not wrap."""
