"""levelhead convert: content-head trees to function-head trees, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import DONE, say
from levelhead.cli.shared import options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import print_result, print_warnings
from levelhead.cli.shared.reading import check_paths, treebank_files
from levelhead.cli.shared.result_paths import refuse_compressed
from levelhead.cli.shared.values import Choice
from levelhead.conversion import (
    VARIANTS,
    backward,
    check_round_trip,
    default_targets,
    forward,
    read_targets,
    ud_version,
)
from levelhead.errors import Fault, InputError, unknown
from levelhead.progress import tracked
from levelhead.treebank import Treebank, read, write
from levelhead.treebank.write import check_file

if TYPE_CHECKING:
    from levelhead.conversion import RoundTrip, Targets

_DIRECTIONS = {"forward": forward, "backward": backward}


@command()
@click.argument("arguments", nargs=-1, required=True, metavar="{forward|backward} IN OUT | --check IN...")
@click.option(
    "--check",
    "only_check",
    is_flag=True,
    help="Convert files forward and back, and report the heads that are not restored",
)
@click.option("--failures", is_flag=True, help="List the words that --check does not restore")
@click.option(
    "--targets",
    type=options.PATH,
    metavar="FILE.toml",
    help="Convert the words in this file instead of those in the paper",
)
@click.option(
    "--variant", type=Choice(list(VARIANTS), "variant"), default="paper", show_default=True,
    help="Interpretation of the paper: " + "; ".join(f"{name}: {text}" for name, text in VARIANTS.items()),
)  # fmt: skip
@click.option("--ud", type=Choice(["1", "2"]), help="UD version  [default: detected from the relations, or 2]")
@click.option("--exact", is_flag=True, help="Record heads in MISC going forward, and restore them going back")
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

    `convert forward IN OUT` and `convert backward IN OUT` change only heads. `convert --check IN...` converts files, or
    folders of files, forward and back, and only prints a table of the heads that are not restored. "-" is standard
    input or output.
    """
    settings: dict[str, Any] = {"variant": variant, "ud": None if ud is None else int(ud), "exact": exact}
    targets_read = [] if targets is None else [targets]
    if only_check:
        files = treebank_files(arguments, [output], others=targets_read)
        paths = {name: str(path) for name, (path,) in files.items()}
        trips = _check_all(paths, input_format, {**settings, "targets": _targets(targets)})
        _print(trips, paths, failures, output_format, places, output)
        return DONE
    if output is not None:
        raise click.UsageError("--output requires --check: conversions are written to OUT")
    check_paths(targets_read, arguments[2:3])
    _convert(arguments, input_format, {**settings, "targets": _targets(targets)})
    return DONE


def _targets(path: str | None) -> Targets:
    return default_targets() if path is None else read_targets(path)


def _convert(arguments: tuple[str, ...], input_format: str, settings: dict[str, Any]) -> None:
    if len(arguments) == 3 and arguments[0] not in _DIRECTIONS:
        raise click.UsageError(unknown("direction", arguments[0], _DIRECTIONS))
    if len(arguments) != 3:
        raise click.UsageError("write convert forward IN OUT, convert backward IN OUT, or convert --check IN...")
    direction, source, target = arguments
    _refuse_target(source, target)
    treebank = read(source, format=input_format)  # type: ignore[arg-type]
    _say_version(source, treebank, settings["ud"])
    converted = _DIRECTIONS[direction](treebank, **settings)
    print_warnings(converted.warnings)
    write(converted, target)


def _refuse_target(source: str, target: str) -> None:
    """Refuse to overwrite an input, and refuse names of compressed files."""
    refuse_compressed("OUT is", target)
    check_file(target)
    check_paths([source], [target])


def _say_version(name: str, treebank: Treebank, given: int | None) -> None:
    if given is None:
        shown = ud_version(treebank)
        reason = "detected from its relations" if shown else "the default: its relations do not show the version"
        say(f"{name}: UD version {shown or 2}, {reason}")


def _check_all(paths: dict[str, str], input_format: str, settings: dict[str, Any]) -> dict[str, RoundTrip]:
    """Convert every file forward and back, or raise the errors of all files."""
    trips: dict[str, RoundTrip] = {}
    faults: list[Fault] = []
    with tracked(paths.items(), "converting") as items:
        for name, path in items:
            try:
                trips[name] = check_round_trip(read(path, format=input_format), **settings)  # type: ignore[arg-type]
            except InputError as error:
                faults += error.faults
    if faults:
        raise InputError(*faults)
    return trips


def _print(
    trips: dict[str, RoundTrip],
    paths: dict[str, str],
    failures: bool,
    output_format: str,
    places: int | None,
    output: str | None,
) -> None:
    from levelhead.conversion import round_trip as report

    print_result(
        lambda: report.not_restored_table(trips) if failures else report.round_trips_table(trips),
        lambda: report.round_trips_document(trips, paths),
        output_format, places, output,
        lines=lambda: [
            {"treebank": name, **report.round_trip_document(trip, paths[name])} for name, trip in trips.items()
        ],
    )  # fmt: skip
