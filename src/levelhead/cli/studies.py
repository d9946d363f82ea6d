"""levelhead reproduce: repeat the experiments of papers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.command import command, setting
from levelhead.cli.shared.inputs import InputPath, ResultPath, check_files, inputs_of
from levelhead.cli.shared.printing import below_verdict, emit, emit_folded, page_origin, print_json, screen_of

_INPUT = InputPath(Path)
_NAMES = (
    "nivre-fang-2017", "callin", "conll17", "kohita-2017", "kohita-2017-ud2", "sogaard-haulrich", "measures-2018",
    "documents-2018",
)  # fmt: skip

_EXAMPLES = Path("examples", "parallel")


@command()
@click.argument("paper", type=options.Choice(_NAMES, "study"), metavar="PAPER")
@setting("--treebanks", multiple=True, type=_INPUT, metavar="DIR")
@setting("--systems", type=_INPUT, metavar="DIR")
@setting("--judgments", type=_INPUT, metavar="DIR")
@setting("--scores", type=_INPUT, metavar="TSV")
@setting("--weights", type=_INPUT, metavar="FILE")
@click.option(
    "--quick", is_flag=True,
    help="Only check that everything works: use few resamples, and replace missing training sets by other splits. In a"
    " checkout of levelhead, --treebanks is optional",
)  # fmt: skip
@options.cluster_options
@click.option("-j", "--jobs", type=options.WHOLE["jobs"], default=1, show_default=True, help="Number of processes")
@options.store_option
@click.option(
    "--report", metavar="FILE",
    type=ResultPath("study", Path),
    help="Also write a page of results to this file: .html (requires the extra `report`), or .md with tables and"
    " figures in the same folder",
)  # fmt: skip
@setting("--outputs", type=ResultPath("folder", Path), metavar="DIR")
@setting("--seed", type=options.WHOLE["seed"])
@options.printing_options("text", "markdown", "json")
def reproduce(paper: str, treebanks: tuple[Path, ...], systems: Path | None, report: Path | None, **given: Any) -> None:
    """Repeat the experiments of PAPER on your treebanks, and compare the new results with the printed numbers.

    PAPER is nivre-fang-2017, callin, conll17, kohita-2017, kohita-2017-ud2 or sogaard-haulrich, or one of levelhead's
    own studies, measures-2018 or documents-2018. Options for other studies are ignored.

    The studies conll17, measures-2018 and documents-2018 train no parsers and need the outputs of systems.
    """
    from levelhead.studies.study import checked_page, markdown, text, write_page

    if not treebanks and paper != "conll17":
        gold = _EXAMPLES / "gold"
        if not given["quick"] or systems is not None or not gold.is_dir():
            raise click.UsageError("--treebanks is required: name a folder of treebanks")
        click.echo(f"on the treebanks in {gold}", err=True)
        treebanks = (gold,)
        systems = _EXAMPLES / "systems" if paper in {"measures-2018", "documents-2018"} else None  # train no parsers
        check_files(inputs_of(filter(None, (gold, systems))))
    if report is not None:
        checked_page(report)
    given |= {"treebanks": treebanks, "systems": systems, "jobs": options.workers_for(given, ())}
    study = options.call(given, paper)
    if report is not None:
        write_page(study, report, page_origin())
    if given["output_format"] == "json":
        print_json(study.to_dict(), given["output"])
        return
    places = 2 if given["places"] is None else given["places"]
    output = given["output"]
    if given["output_format"] == "markdown":
        emit(markdown(study), output)
    else:
        emit_folded(below_verdict(given, study, text(study, places, screen_of(output))), output)
