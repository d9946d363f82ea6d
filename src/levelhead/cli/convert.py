"""levelhead convert: content-head trees to function-head trees, and back."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from levelhead.cli.program import say
from levelhead.cli.shared import options
from levelhead.cli.shared.command import command, setting
from levelhead.cli.shared.inputs import check_paths, refuse_compressed, treebank_files
from levelhead.cli.shared.option_types import PATH, Choice
from levelhead.cli.shared.printing import Printing, print_warnings, printing_options
from levelhead.conversion import VARIANTS, check_round_trip, default_targets, read_targets, round_trip, ud_version
from levelhead.errors import Fault, InputError, unknown
from levelhead.progress import tracked
from levelhead.treebank import read, write
from levelhead.treebank.write import check_file

_DIRECTIONS = ("forward", "backward")


@command()
@click.argument("arguments", nargs=-1, required=True, metavar="{forward|backward} IN OUT | --check IN...")
@click.option(
    "--check", "only_check", is_flag=True,
    help="Convert files forward and back, and report the heads that are not restored",
)  # fmt: skip
@click.option("--failures", is_flag=True, help="List the words that --check does not restore")
@setting("--targets", type=PATH, metavar="FILE.toml")
@setting(
    "--variant", type=Choice(list(VARIANTS), "variant"),
    help="Interpretation of the paper: " + "; ".join(f"{name}: {text}" for name, text in VARIANTS.items()),
)  # fmt: skip
@setting("--ud", type=Choice(["1", "2"]))
@setting("--exact", is_flag=True)
@options.input_format_option
@printing_options()
def convert(
    arguments: tuple[str, ...], only_check: bool, failures: bool, printing: Printing, ud: str | None, **given: Any
) -> None:
    """Convert content-head trees to function-head trees, as Kohita et al. (2017) do, or back.

    `convert forward IN OUT` and `convert backward IN OUT` change only heads. `convert --check IN...` converts files, or
    folders of files, forward and back, and only prints a table of the heads that are not restored. "-" is standard
    input or output.
    """
    from levelhead.api.conversion import convert as converted_treebank

    given = options.arguments_for(converted_treebank, given | {"ud": ud and int(ud)})
    if only_check:
        _check(arguments, printing, failures=failures, **given)
        return
    if printing.output is not None:
        raise click.UsageError("--output requires --check: conversions are written to OUT")
    check_paths(filter(None, [given["targets"]]), arguments[2:3])
    if len(arguments) == 3 and arguments[0] not in _DIRECTIONS:
        raise click.UsageError(unknown("direction", arguments[0], _DIRECTIONS))
    if len(arguments) != 3:
        raise click.UsageError("write convert forward IN OUT, convert backward IN OUT, or convert --check IN...")
    direction, source, target = arguments
    refuse_compressed("OUT is", target)
    check_file(target)
    check_paths([source], [target])
    treebank = read(source, format=given["format"])
    if ud is None:
        version = ud_version(treebank)
        reason = "detected from its relations" if version else "the default: its relations do not show the version"
        say(f"{source}: UD version {version or 2}, {reason}")
    converted = converted_treebank(treebank, direction, **given)  # type: ignore[arg-type]
    print_warnings(converted.warnings)
    write(converted, target)


def _check(treebanks: tuple[str, ...], printing: Printing, *, failures: bool, targets: str | None, **how: Any) -> None:
    """Convert every file forward and back, and print what is not restored, or raise the errors of all files."""
    files = treebank_files(treebanks, [printing.output], others=filter(None, [targets]))
    paths = {name: str(path) for name, (path,) in files.items()}
    read_file = partial(read, format=how.pop("format"))
    how["targets"] = default_targets() if targets is None else read_targets(targets)
    trips, faults = {}, list[Fault]()
    with tracked(paths.items(), "converting") as items:
        for name, path in items:
            try:
                trips[name] = check_round_trip(read_file(path), **how)
            except InputError as error:
                faults += error.faults
    if faults:
        raise InputError(*faults)
    documents = round_trip.round_trip_document
    printing.print(
        lambda: (round_trip.not_restored_table if failures else round_trip.round_trips_table)(trips),
        lambda: round_trip.round_trips_document(trips, paths),
        lines=lambda: [{"treebank": name, **documents(trip, paths[name])} for name, trip in trips.items()],
    )
