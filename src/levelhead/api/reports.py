"""Pages of results."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from levelhead.api.inputs import PathLike
from levelhead.api.parameters import PATH, public
from levelhead.arguments import instance, optional, text
from levelhead.errors import Fault, InputError

if TYPE_CHECKING:
    from typing import TypeAlias

    from levelhead.comparison.agreement import Agreement
    from levelhead.comparison.changes import Changes, ReleaseChanges
    from levelhead.comparison.suspects import Suspects
    from levelhead.comparison.systems import Comparison
    from levelhead.measures.registry import Registry
    from levelhead.report.page import Page
    from levelhead.report.page.blocks import Origin
    from levelhead.typology.collection import Survey

    Shown: TypeAlias = Agreement | Changes | Comparison | ReleaseChanges | Survey | Suspects


def _shown() -> tuple[type, ...]:
    from levelhead.comparison.agreement import Agreement
    from levelhead.comparison.changes import Changes, ReleaseChanges
    from levelhead.comparison.suspects import Suspects
    from levelhead.comparison.systems import Comparison
    from levelhead.typology.collection import Survey

    return Agreement, Changes, Comparison, ReleaseChanges, Suspects, Survey


def _origin() -> type:
    from levelhead.report.page.blocks import Origin

    return Origin


@public(
    result=instance(_shown, "the result of agree, compare, diff, profile or suspects"),
    path=PATH,
    title=optional(text),
    figures=PATH,
    origin=optional(instance(_origin, "an origin of pages")),
)
def write_report(
    result: Shown,
    path: PathLike | None = None,
    *,
    title: str | None = None,
    figures: PathLike | None = None,
    registry: Registry | None = None,
    origin: Origin | None = None,
) -> None:
    """Write the page of a result, with tables, charts and trees, to an HTML file.

    Pages of `rank` are written by `rank(..., report=...)`.

    Args:
        result: the result of `agree`, `compare(..., prepare="page")`, `diff`, `profile` or `suspects`; the page of
            profiles shows their columns, preferably with "relation" and "upos".
        path: the file; None to write only figures.
        title: the heading of the page.
        figures: also write the charts (SVG, PDF, PNG) and tables (TSV, LaTeX) to this folder.
        origin: how the result was made, for the end of the page.

    Raises:
        InputError: the result has another type, or was not prepared for a page.
        OutputError: a file cannot be written.
    """
    from levelhead.extras import require

    require("jinja2", "reports")
    page = _page_of(result, registry)
    write_page(page if origin is None else page._replace(origin=origin), path, title, figures)


def write_page(page: Page, path: PathLike | None, title: str | None, figures: PathLike | None) -> None:
    """Write a page, and its charts and tables, if requested."""
    if path is not None:
        from levelhead.report.page import render
        from levelhead.treebank.write import replace_file

        replace_file(path, [render(page._replace(title=title or page.title))])
    if figures is not None:
        from levelhead.report.page import write_figures

        write_figures(page, os.fspath(figures))


def _page_of(result: Shown, registry: Registry | None) -> Page:
    from levelhead.comparison.agreement import Agreement
    from levelhead.comparison.suspects import Suspects
    from levelhead.comparison.systems import Comparison
    from levelhead.scoring.rules import rules_named
    from levelhead.typology.collection import Survey

    if isinstance(result, Survey):
        from levelhead.report.page.profile import profile_page

        return profile_page(result)
    if isinstance(result, Suspects):
        from levelhead.report.page.annotations import suspects_page

        return suspects_page(result)
    if isinstance(result, Comparison):
        from levelhead.measures.registry import STANDARD
        from levelhead.report.page.comparison import comparison_page

        parts = [looked.page for looked in result.looked.values()]
        if not parts or None in parts:
            message = 'the comparison has no trees for a page: use compare(..., prepare="page")'
            raise InputError(Fault("invalid-argument", message))
        return comparison_page(result, parts, registry or STANDARD)
    rules = rules_named(result.provenance.signature["rules"].partition("+")[0])
    if isinstance(result, Agreement):
        from levelhead.report.page.annotations import agreement_page

        return agreement_page(result, rules)
    from levelhead.report.page.annotations import changes_page

    return changes_page(result, rules, *_versions(result))


def _versions(changes: Changes | ReleaseChanges) -> tuple[str, str]:
    """The paths of the old and the new version."""
    pairs = [(part.old.source.path or "old", part.new.source.path or "new") for part in changes.parts.values()]
    from levelhead.comparison.changes import ReleaseChanges

    if not isinstance(changes, ReleaseChanges):
        return pairs[0]
    present = [pair for name, pair in zip(changes.parts, pairs) if name not in {*changes.only_old, *changes.only_new}]
    old, new = (os.path.commonpath([os.path.dirname(path) or "." for path in paths]) for paths in zip(*present))  # noqa: PTH120
    return old, new
