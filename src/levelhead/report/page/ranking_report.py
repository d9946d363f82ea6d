"""The report of a ranking: a single page, or a folder with an additional page for each output."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from levelhead.campaign.outputs import VisitEach
from levelhead.campaign.plan import Plan
from levelhead.campaign.ranked_systems import RankedSystems
from levelhead.campaign.results import Results
from levelhead.campaign.run import score_plan
from levelhead.evaluation.fold import CountedPiece, Fold
from levelhead.evaluation.setup import Setup
from levelhead.measures.registry import parse_measure
from levelhead.progress import working
from levelhead.report.page.blocks import Links, Origin
from levelhead.report.page.files import render, with_links
from levelhead.report.page.ranking import by_family, measures_of_page, ranking_page
from levelhead.report.page.report_folder import INDEX, file_names, is_folder, write_report_folder
from levelhead.report.page.score import score_page
from levelhead.report.page.treebank_errors import ErrorTally
from levelhead.treebank.contents import FileSummary

if TYPE_CHECKING:
    from levelhead.report.page.blocks import Page

_TITLE = "Ranking"
_MEASURES = ("UAS", "LAS", "CLAS")


def pages_of_outputs(plan: Plan, setup: Setup, origin: Origin) -> VisitEach:
    """Return a function that makes the page of each valid output, for the engine to call where it reads outputs."""
    folders = file_names(system.label for system in plan.systems)
    codes = file_names(test_set.code for test_set in plan.test_sets)
    pages = {}
    for test_set in plan.test_sets:
        for system in plan.systems:
            sides = {"gold": test_set.gold, "system": system.outputs.get(test_set.code)}
            files = [(role, os.fspath(path)) for role, path in sides.items() if path is not None]
            address = f"{folders[system.label]}/{codes[test_set.code]}.html"
            pages[system.label, test_set.code] = address, origin._replace(files=files)
    common = [parse_measure(name, setup.registry) for name in _MEASURES if not setup.rules.content]
    ranked = [measure for measure, defined in setup.defined if not defined.needs_file and "@" not in str(measure)]
    of_pages = setup.with_measures(dict.fromkeys([*common, *ranked]))
    return VisitEach(partial(_PageOfOutput, setup=of_pages, pages=pages))


class _PageOfOutput:
    """Makes the page of an output.

    Args:
        code: the code of the test set.
        name: the name of the output.
        setup: the settings of the page: UAS, LAS, CLAS and the measures of the ranking that need no file.
        pages: the address and the origin of the page of each output, by system and test set.
    """

    def __init__(
        self, code: str, name: str, *, setup: Setup, pages: Mapping[tuple[str, str], tuple[str, Origin]]
    ) -> None:
        self._code, self._name, self._setup = code, name, setup
        self._address, self._origin = pages[name, code]
        self._errors = ErrorTally(name=name, n_treebanks=1, setup=setup)

    def start(self) -> None:
        """Forget all pieces: the files are read from the beginning."""
        self._counts = Fold(self._setup, [self._errors])

    def add(self, piece: CountedPiece) -> None:
        """Add a piece, or whole files."""
        self._counts.add(piece.matches)

    def result(self, gold: FileSummary, system: FileSummary) -> tuple[str, bytes]:
        """Return the address and the compressed page."""
        errors, evaluation = self._errors.result(gold, system), self._counts.evaluation(gold, system)
        parts = {self._code: evaluation}, {self._code: errors}
        page = score_page(self._name, *parts, registry=self._setup.registry)
        return self._address, zlib.compress(render(page._replace(up=(_TITLE, f"../{INDEX}"), origin=self._origin)))


def page_of(
    results: Results, ranked: RankedSystems, pages: Mapping[tuple[str, str], str] = MappingProxyType({})
) -> Page:
    """Return the page of a ranking."""
    signed = results._replace(signature=ranked.results.signature)
    return ranking_page(signed, ranked.rankings, ranked.intervals, pages)


def write_ranking_report(
    path: str | os.PathLike[str], results: Results, ranked: RankedSystems, origin: Origin, title: str | None = None
) -> None:
    """Write the report of a ranking: a single page to a file, or also a page for each valid output to a folder."""
    from levelhead.treebank.write import replace_file

    made = {(name, code): page for code, some in results.looked.items() for name, page in some.items()}
    addresses = {key: address for key, (address, _) in made.items()}
    with working("making the page"):
        page = page_of(results, ranked, addresses)
        index = render(page._replace(title=title or page.title, origin=origin))
    if not is_folder(path):
        replace_file(path, [index])
        return
    links = links_of(results, addresses)
    pages = {address: partial(_linked, page, links[key]) for key, (address, page) in made.items()}
    write_report_folder(path, {INDEX: lambda: index, **pages})


def _linked(page: bytes, links: Links) -> bytes:
    return with_links(zlib.decompress(page), links)


def links_of(results: Results, addresses: Mapping[tuple[str, str], str]) -> Mapping[tuple[str, str], Links]:
    """Return the links of each page of an output: to other systems on its test set, and to the system's other pages."""
    codes = [test_set.code for test_set in by_family(results.test_sets)]
    links = {}
    for system in results.systems:
        own = [code for code in codes if (system, code) in addresses]
        around: list[tuple[str, str] | None] = [None, *((code, f"../{addresses[system, code]}") for code in own), None]
        for code, before, after in zip(own, around, around[2:]):
            others = [other for other in results.systems if (other, code) in addresses]
            systems = [(other, "" if other == system else f"../{addresses[other, code]}") for other in others]
            links[system, code] = Links(system, code, systems, before, after)
    return links


def score_for_report(plan: Plan, setup: Setup, *, folder: bool, origin: Origin, **how: Any) -> Results:
    """Score a plan with the measures of the ranking and of its page; for a folder, also make the pages of outputs."""
    shown = (parse_measure(name, setup.registry) for name in measures_of_page(setup.rules, setup.registry))
    extended = setup.with_measures(dict.fromkeys([*setup.measures, *shown]))
    look = pages_of_outputs(plan, setup, origin) if folder else None
    return score_plan(plan, extended, look=look, look_at_valid=True, **how)
