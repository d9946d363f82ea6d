"""levelhead convert: content-head trees to function-head trees and back, and what a round trip restores."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import DONE, say
from levelhead.cli.shared import options
from levelhead.conversion import VARIANTS, backward, check, default_targets, forward, read_targets, ud_version
from levelhead.errors import Fault, InputError
from levelhead.progress import tracked
from levelhead.treebank import Treebank, read, write
from levelhead.treebank.source import SUFFIXES
from levelhead.treebank.write import check_file

if TYPE_CHECKING:
    from levelhead.conversion import RoundTrip

_DIRECTIONS = {"forward": forward, "backward": backward}


@click.command()
@click.argument("arguments", nargs=-1, required=True, metavar="{forward|backward} IN OUT | --check IN...")
@click.option("--check", "only_check", is_flag=True, help="Convert files forward and back, and report what is lost.")
@click.option("--failures", is_flag=True, help="With --check: list the words that are not restored.")
@click.option("--targets", type=click.Path(), metavar="FILE.toml", help="Other words than those of the paper.")
@click.option(
    "--variant", type=click.Choice(list(VARIANTS)), default="paper", show_default=True,
    help="Which reading of the paper: " + "; ".join(f"{name}: {text}" for name, text in VARIANTS.items()) + ".",
)  # fmt: skip
@click.option("--ud", type=click.Choice(["1", "2"]), help="The version of UD. Default: what the relations show, or 2.")
@click.option("--exact", is_flag=True, help="Record heads in MISC going forward, and restore them going back.")
@options.input_format_option
@options.format_option()
@options.places_option
@options.output_option
def convert(
    arguments: tuple[str, ...],
    only_check: bool,
    failures: bool,
    targets: str | None,
    variant: str,
    ud: str | None,
    exact: bool,
    input_format: str,
    output_format: str,
    places: int | None,
    output: str | None,
) -> int:
    """Convert content-head trees to function-head trees, as Kohita et al. (2017) do, or back.

    `convert forward IN OUT` and `convert backward IN OUT` change heads and nothing else; `convert --check IN...` takes
    files, or folders of them. "-" is standard input or output.
    """
    if only_check and arguments[0] in _DIRECTIONS and not os.path.exists(arguments[0]):  # noqa: PTH110
        raise click.UsageError(f"--check takes no direction, it converts there and back: leave {arguments[0]} out")
    paths = _files(arguments) if only_check else {}
    options.check_paths([*paths.values(), *filter(None, [targets])], [output, *(() if only_check else arguments[2:3])])
    chosen = read_targets(targets) if targets is not None else default_targets()
    settings: dict[str, Any] = {
        "targets": chosen,
        "variant": variant,
        "ud": int(ud) if ud is not None else None,
        "exact": exact,
    }
    if only_check:
        trips = _check_all(paths, input_format, settings)
        _print(trips, paths, failures, output_format, places, output)
    elif failures or output is not None or output_format != "text" or places is not None:
        raise click.UsageError("--failures, --format, --places and --output go with --check")
    else:
        _convert(arguments, input_format, settings)
    return DONE


def _convert(arguments: tuple[str, ...], input_format: str, settings: dict[str, Any]) -> None:
    if len(arguments) != 3 or arguments[0] not in _DIRECTIONS:
        raise click.UsageError("write convert forward IN OUT, convert backward IN OUT, or convert --check IN...")
    direction, source, target = arguments
    _refuse_target(source, target)
    treebank = read(source, format=input_format)  # type: ignore[arg-type]
    _say_version(source, treebank, settings["ud"])
    converted = _DIRECTIONS[direction](treebank, **settings)
    options.print_warnings(converted.warnings)
    write(converted, target)


def _refuse_target(source: str, target: str) -> None:
    """Refuse to write over what is read, and to write what a name says is compressed."""
    if target.endswith(SUFFIXES):
        raise click.UsageError("OUT is written as plain text: leave out the suffix of compression")
    check_file(target)
    options.check_paths([source], [target])


def _say_version(name: str, treebank: Treebank, given: int | None) -> None:
    if given is None:
        shown = ud_version(treebank)
        reason = "as its relations show" if shown else "its relations do not tell"
        say(f"{name}: UD version {shown or 2}, {reason}")


def _check_all(paths: dict[str, str], input_format: str, settings: dict[str, Any]) -> dict[str, RoundTrip]:
    """Check every file, or raise the faults of all."""
    trips: dict[str, RoundTrip] = {}
    faults: list[Fault] = []
    for name, path in tracked(paths.items(), "converting"):
        try:
            trips[name] = check(read(path, format=input_format), **settings)  # type: ignore[arg-type]
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(*faults)
    return trips


def _files(arguments: tuple[str, ...]) -> dict[str, str]:
    """Return the path of each file by its name as `levelhead profile` has it, those in folders as well."""
    from levelhead.typology.collection import files_of

    if arguments.count("-") > 1:
        raise click.UsageError("only one file can be standard input")
    return {name: path for name, (path,) in files_of(arguments).items()}


def _print(
    trips: dict[str, RoundTrip],
    paths: dict[str, str],
    failures: bool,
    output_format: str,
    places: int | None,
    output: str | None,
) -> None:
    from levelhead.report import conversion as report

    options.print_result(
        lambda: report.not_restored_table(trips) if failures else report.round_trips_table(trips),
        lambda: report.round_trips_document(trips, paths),
        output_format, places, output,
        lines=lambda: [
            {"treebank": name, **report.round_trip_document(trip, paths[name])} for name, trip in trips.items()
        ],
    )  # fmt: skip
