"""Tables for analyses of your own: levelhead words and sentences."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_files, check_kinds
from levelhead.cli.shared.printing import data_writer, print_provenance, show
from levelhead.errors import Fault, InputError, unknown

_FORMATS = ("tsv", "jsonl", "json")


@command()
@options.gold_argument
@options.systems_argument
@options.scored_reading_options
@options.partial_option
@options.definitions_option
@click.option(
    "--scheme", metavar="SCHEME", help="Scheme of the column class  [default: nivre-fang]",
)  # fmt: skip
@options.split_option
@click.option(
    "-j", "--jobs", type=options.WHOLE["jobs"], default=1, show_default=True,
    help="Number of processes; several keep all rows in memory",
)  # fmt: skip
@options.cluster_options
@options.printing_options(*_FORMATS, places=False)
def words(**given: Any) -> None:
    """Print a table with a row for each gold word and SYSTEM, with what is correct.

    GOLD and SYSTEM are files or folders, as in levelhead score. TSV and JSON Lines are written while files are read, so
    files can be larger than memory.
    """
    _check(given)
    if given["output_format"] == "json":
        show(given, options.call(given, files=()))
        return
    if given["table_name"] not in {None, "words"}:
        raise InputError(Fault("unknown-table", unknown("table", given["table_name"], ["words"])))
    with data_writer(given) as write:
        result = options.call(given | {"each": write}, files=())
    print_provenance(given, result.provenance)


@command()
@options.gold_argument
@options.systems_argument
@options.measuring_options
@options.scored_reading_options
@options.partial_option
@options.split_option
@options.worker_options
@options.printing_options(*_FORMATS)
def sentences(**given: Any) -> None:
    """Print a table with a row for each gold sentence and SYSTEM, with the counts of each measure.

    GOLD and SYSTEM are files or folders, as in levelhead score.
    """
    _check(given)
    show(given, options.call(given, files=[given["gold"], *given["systems"]]))


def _check(given: dict[str, Any]) -> None:
    paths = [given["gold"], *given["systems"]]
    check_files(paths, given, [given["output"]])
    check_kinds(given["gold"], given["systems"])
