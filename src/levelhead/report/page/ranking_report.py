"""The report of a ranking: a page, or a folder with a page for each output, written completely or not at all."""

from __future__ import annotations

import hashlib
import os
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from levelhead.campaign import Plan, Results, score_plan
from levelhead.campaign.outputs import VisitEach
from levelhead.campaign.ranked_systems import RankedSystems
from levelhead.errors import Fault, InputError
from levelhead.evaluation.fold import CountedPiece, Fold
from levelhead.evaluation.setup import Setup
from levelhead.measures.registry import parse_measure
from levelhead.report.page.blocks import Origin, Page
from levelhead.report.page.files import render, with_links
from levelhead.report.page.folders import LONGEST_NAME, MARKER, write_report_folder
from levelhead.report.page.ranking import by_family, measures_of_page, ranking_page
from levelhead.report.page.score import score_page
from levelhead.report.page.treebank_errors import ErrorTally
from levelhead.treebank.provenance import FileSummary

INDEX = "index.html"  # the start page

_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether a report is written to a folder: an existing folder, or a name that ends in a slash."""
    name = os.fspath(path)
    return name.endswith(("/", os.sep)) or Path(name).is_dir()


def no_folder(*, partial: bool, from_scores: bool) -> str | None:
    """Return why a ranking cannot be reported to a folder; None if it can."""
    what = "partial scores" if partial else "a table of scores" if from_scores else None
    return what and f"{what} cannot be reported to a folder: give an HTML file as the report"


def file_names(names: Iterable[str]) -> Mapping[str, str]:
    """Return a unique file name for each name, which is valid on all operating systems and in URLs."""
    found: dict[str, str] = {}
    taken = {MARKER, INDEX}
    for name in dict.fromkeys(names):
        safe = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:LONGEST_NAME].strip("-.")
        safe = f"_{safe}" if _RESERVED.fullmatch(safe) else safe
        if safe != name or not safe or safe.lower() in taken:
            digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            safe = f"{safe}-{digest}" if safe else digest
        taken.add(safe.lower())
        found[name] = safe
    return found


def pages_of_outputs(plan: Plan, setup: Setup, origin: Origin) -> VisitEach:
    """Return a function that makes the page of each valid output, for the engine to call where it reads outputs."""
    folders = file_names(system.label for system in plan.systems)
    codes = file_names(test_set.code for test_set in plan.test_sets)
    pages = {}
    for test_set, system in product(plan.test_sets, plan.systems):
        sides = {"gold": test_set.gold, "system": system.outputs.get(test_set.code)}
        files = [(role, os.fspath(path)) for role, path in sides.items() if path is not None]
        address = f"{folders[system.label]}/{codes[test_set.code]}.html"
        pages[system.label, test_set.code] = address, origin._replace(files=files)
    common = [parse_measure(name, setup.registry) for name in ("UAS", "LAS", "CLAS") if not setup.rules.content]
    ranked = [measure for measure, defined in setup.defined if not defined.needs_file and "@" not in str(measure)]
    return VisitEach(partial(_PageOfOutput, setup=setup.with_measures(dict.fromkeys([*common, *ranked])), pages=pages))


class _PageOfOutput:
    """Makes the page of an output; `pages` has its address and origin, `setup` the measures of pages."""

    def __init__(
        self, code: str, name: str, *, setup: Setup, pages: Mapping[tuple[str, str], tuple[str, Origin]]
    ) -> None:
        self._code, self._name, self._setup = code, name, setup
        self._address, self._origin = pages[name, code]
        self._errors = ErrorTally(name=name, n_treebanks=1, setup=setup)

    def start(self) -> None:
        """Drop all counts, because the files are read again from the beginning."""
        self._counts = Fold(self._setup, [self._errors])

    def add(self, piece: CountedPiece) -> None:
        self._counts.add(piece.matches)

    def result(self, gold: FileSummary, system: FileSummary) -> tuple[str, bytes]:
        """Return the address of the page, and the compressed page."""
        errors, evaluation = self._errors.result(gold, system), self._counts.evaluation(gold, system)
        page = score_page(self._name, {self._code: evaluation}, {self._code: errors}, registry=self._setup.registry)
        return self._address, zlib.compress(render(page._replace(up=("Ranking", f"../{INDEX}"), origin=self._origin)))


def page_of(ranked: RankedSystems, *, folder: bool = False) -> Page:
    """Return the page of a ranking; in a folder, it has links to the pages of outputs."""
    if ranked.looked is None or (folder and not ranked.looked.results.looked):
        message = f'the ranking has no data for a page: use rank(..., prepare="{"pages" if folder else "page"}")'
        raise InputError(Fault("invalid-argument", message))
    results, origin = ranked.looked
    signed = results._replace(signature=ranked.results.signature)
    addresses = {key: address for key, (address, _) in _pages_in(results).items()} if folder else {}
    return ranking_page(signed, ranked.rankings, addresses)._replace(origin=origin)


def _pages_in(results: Results) -> Mapping[tuple[str, str], tuple[str, bytes]]:
    """The address and the compressed page of each valid output."""
    return {(name, code): page for code, some in results.looked.items() for name, page in some.items()}


def write_ranking_report(path: str | os.PathLike[str], ranked: RankedSystems, index: bytes) -> None:
    """Write the page of a ranking and a page for each valid output to a folder, with links between pages."""
    results = ranked.looked.results
    pages = _pages_in(results)
    codes = [test_set.code for test_set in by_family(results.test_sets)]
    made: dict[str, Callable[[], bytes]] = {INDEX: lambda: index}
    for system in results.systems:
        own = [code for code in codes if (system, code) in pages]
        around = [None, *((code, f"../{pages[system, code][0]}") for code in own), None]
        for code, before, after in zip(own, around, around[2:]):
            others = [other for other in results.systems if (other, code) in pages]
            systems = [(other, "" if other == system else f"../{pages[other, code][0]}") for other in others]
            name, page = pages[system, code]
            made[name] = partial(
                with_links, page, system=system, code=code, systems=systems, before=before, after=after
            )
    write_report_folder(path, made)


def score_for_report(plan: Plan, setup: Setup, *, folder: bool, origin: Origin, **how: Any) -> Results:
    """Score a plan with the measures of the ranking and of its page; for a folder, also make the pages of outputs."""
    shown = (parse_measure(name, setup.registry) for name in measures_of_page(setup.rules, setup.registry))
    extended = setup.with_measures(dict.fromkeys([*setup.measures, *shown]))
    look = pages_of_outputs(plan, setup, origin) if folder else None
    return score_plan(plan, extended, look=look, **how)
