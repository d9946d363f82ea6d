"""Tables and citations for papers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from levelhead.api.parameters import limited, public
from levelhead.arguments import choice, flag, instance

if TYPE_CHECKING:
    from levelhead.campaign.ranked_systems import RankedSystems
    from levelhead.comparison.systems import Comparison
    from levelhead.report.citation import Citation, Cited
    from levelhead.tables.writers import PaperFormat


def _formats() -> tuple[str, ...]:
    from levelhead.tables.writers import PAPER_FORMATS

    return PAPER_FORMATS


def _tested() -> tuple[type, ...]:
    from levelhead.campaign.ranked_systems import RankedSystems
    from levelhead.comparison.systems import Comparison

    return RankedSystems, Comparison


def _cited() -> tuple[type, ...]:
    from levelhead.comparison.evaluations import Evaluations
    from levelhead.evaluation.pair import Evaluation

    return *_tested(), Evaluation, Evaluations


@public(
    result=instance(_tested, "a ranking or a comparison"),
    format=choice(_formats, "format"),
    places=limited("places"),
    each=flag,
)
def paper_table(
    result: RankedSystems | Comparison,
    format: PaperFormat = "latex",
    *,
    places: int = 2,
    each: bool = False,
) -> str:
    """Return a table for a paper: best scores in bold, significance marks, intervals and a caption.

    Systems are rows and measures are columns. A ranking over several groups, such as `rank(..., groups=["each",
    "all"])`, gives one table per measure, with groups as rows and systems as columns.

    Args:
        result: the result of `rank` or `compare`. In a ranking, letters compare all pairs of systems; in a comparison,
            stars compare each system with the first.
        format: "latex" (a float that uses booktabs), "markdown" or "html".
        places: the number of decimal places.
        each: for a comparison over several treebanks, return one table per measure, with treebanks as rows.

    Raises:
        InputError: the result has another type.
    """
    from levelhead.comparison.systems import Comparison
    from levelhead.report.paper import comparison_papers, papers_text, ranking_papers

    if isinstance(result, Comparison):
        return papers_text(comparison_papers(result, places, each=each), format)
    return papers_text(ranking_papers(result, places), format)


@public(result=instance(_cited, "the result of score, compare or rank"))
def cite(result: Cited) -> Citation:
    """Return the citation of a result: a sentence on methods, and the BibTeX entries of measures and tests.

    Args:
        result: the result of `score`, `compare` or `rank`.

    Raises:
        InputError: the result has another type.
    """
    from levelhead.report.citation import citation

    return citation(result)
