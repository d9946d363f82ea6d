"""Pages of results, and tables and citations for papers."""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING

from levelhead.api.inputs import PathLike
from levelhead.api.parameters import public
from levelhead.arguments import is_instance
from levelhead.tables.writers import PAPER_FORMATS, PaperFormat

if TYPE_CHECKING:
    from typing import TypeAlias

    from levelhead.campaign.ranked_systems import RankedSystems
    from levelhead.comparison.agreement import Agreement
    from levelhead.comparison.changes import Changes
    from levelhead.comparison.difficulty import Difficulty
    from levelhead.comparison.suspects import Suspects
    from levelhead.comparison.systems import Comparison
    from levelhead.evaluation.pair import Evaluation
    from levelhead.report.citation import Citation, Cited
    from levelhead.report.page.blocks import Origin
    from levelhead.typology.collection import Survey

    Shown: TypeAlias = Agreement | Changes | Comparison | Difficulty | Evaluation | RankedSystems | Survey | Suspects


_PAGES: Mapping[str, str] = MappingProxyType(
    {
        "Agreement": "annotations:agreement_page",
        "Changes": "annotations:changes_page",
        "Comparison": "comparison:comparison_page",
        "Difficulty": "ranking:difficulty_page",
        "Evaluation": "score:evaluation_page",
        "RankedSystems": "ranking_report:page_of",
        "Survey": "profile:profile_page",
        "Suspects": "annotations:suspects_page",
    }
)
"""What makes the page of each result."""


@public(
    result=(
        "object",
        " ".join(_PAGES),
        "the result of agree, compare, diff, difficulty, profile, rank, score or suspects",
    )
)
def write_report(
    result: Shown,
    path: PathLike | None = None,
    *,
    title: str | None = None,
    figures: PathLike | None = None,
    origin: Origin | None = None,
) -> None:
    """Write the page of a result, with tables, charts and trees, to an HTML file.

    Args:
        result: the result of `agree`, `compare(..., prepare="page")`, `diff`, `difficulty`, `profile`,
            `rank(..., prepare="page")`, `score(..., prepare="page")` or `suspects`. A profile should have the columns
            "relation" and "upos".
        path: the HTML file; None to write only figures. A ranking with `prepare="pages"` can be written to a folder,
            with a page of errors for every output: name an existing folder, or end the name with a slash. An existing
            folder must be empty or have an older report.
        title: the heading of the page.
        figures: also write the charts (SVG, PDF, PNG) and tables (TSV, LaTeX) to this folder, which must be new, empty
            or have older figures.

    Raises:
        InputError: results of this type have no page, or the result was not prepared for a page.
        OutputError: a file cannot be written.
    """
    from levelhead.extras import require

    require("jinja2", "reports")
    from levelhead.progress import progress_bar
    from levelhead.report.page import render, write_figures
    from levelhead.report.page.folders import refuse_inside
    from levelhead.report.page.ranking_report import is_folder, write_ranking_report
    from levelhead.treebank.write import replace_file

    if figures is not None and path is not None:
        refuse_inside(figures, path)
    folder = is_instance(result, "RankedSystems") and path is not None and is_folder(path)
    with progress_bar("making the page"):
        made_by = next(function for name, function in _PAGES.items() if is_instance(result, name))
        page = resolve_name(f"levelhead.report.page.{made_by}")(result, **{"folder": True} if folder else {})
        page = page._replace(title=title or page.title, origin=origin or page.origin)
        rendered = render(page)
    if figures is not None:
        write_figures(page, figures)
    if folder:
        write_ranking_report(path, result, rendered)  # type: ignore[arg-type]
    elif path is not None:
        replace_file(path, [rendered])


@public(
    result=("object", "RankedSystems Comparison", "a ranking or a comparison"),
    format=("one of", PAPER_FORMATS, "format"),
)
def paper_table(
    result: RankedSystems | Comparison, format: PaperFormat = "latex", *, places: int = 2, each: bool = False
) -> str:
    """Return a table for a paper: best scores in bold, significance marks, intervals and a caption.

    Systems are rows and measures are columns. A ranking over several groups, such as `rank(..., groups=["each",
    "all"])`, gives one table per measure, with groups as rows and systems as columns.

    Args:
        result: the result of `rank` or `compare`. In a ranking, systems without a shared letter differ significantly;
            in a comparison, stars mark significant differences from the first system.
        format: "latex" (a float that uses booktabs), "markdown" or "html".
        places: the number of decimal places.
        each: for a comparison over several treebanks, return one table per measure, with treebanks as rows.

    Raises:
        InputError: the result is neither a ranking nor a comparison.
    """
    from levelhead.report.paper import comparison_papers, papers_text, ranking_papers

    if is_instance(result, "Comparison"):
        return papers_text(comparison_papers(result, places, each=each), format)  # type: ignore[arg-type]
    return papers_text(ranking_papers(result, places), format)  # type: ignore[arg-type]


@public(result=("object", "RankedSystems Comparison Evaluation", "the result of score, compare or rank"))
def cite(result: Cited) -> Citation:
    """Return the citation of a result: a methods sentence, and BibTeX entries for the measures and tests.

    Args:
        result: the result of `score`, `compare` or `rank`.

    Raises:
        InputError: the result is not from `score`, `compare` or `rank`.
    """
    from levelhead.report.citation import citation

    return citation(result)
