"""Systems ranked by macro-averages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from levelhead.api.inputs import Golds, Measures, PathLike, Systems, as_list, measure_names, running, settings_for
from levelhead.api.parameters import PATH, RULES, SYSTEMS, TEST_SETS, limited, public
from levelhead.arguments import choice, flag, optional, several, text
from levelhead.errors import Fault, InputError

if TYPE_CHECKING:
    from levelhead.api.inputs import MappedWeights
    from levelhead.campaign.find import Manifest
    from levelhead.campaign.plan import Plan
    from levelhead.campaign.ranked_systems import RankedSystems, RankingChoice
    from levelhead.campaign.ranking import RankSets
    from levelhead.jobs import Store, Workers
    from levelhead.measures.registry import Registry
    from levelhead.report.page.blocks import Origin
    from levelhead.scoring.rules import Rules
    from levelhead.treebank.layouts import Split


def _rankings() -> Iterable[str]:
    from levelhead.campaign.ranking import RANKINGS

    return RANKINGS


@public(
    gold=optional(TEST_SETS),
    systems=optional(SYSTEMS),
    scores=PATH,
    rules=optional(RULES),
    ranking=optional(choice(_rankings)),
    groups=several(text),
    significance=optional(flag),
    rank_sets=choice(("marginal", "simultaneous")),
    resamples=limited("draws"),
    report=PATH,
    title=optional(text),
)
def rank(
    gold: Golds | None = None,
    systems: Systems | PathLike | None = None,
    *,
    scores: PathLike | None = None,
    measures: Measures | None = None,
    ranking: str | None = None,
    groups: str | Iterable[str] = (),
    rules: str | Rules | None = None,
    allow_several_roots: bool = False,
    weights: MappedWeights | None = None,
    registry: Registry | None = None,
    partial: bool = False,
    significance: bool | None = None,
    rank_sets: RankSets = "marginal",
    resamples: int = 2000,
    resample_by: str = "auto",
    seed: int = 0,
    level: float = 0.95,
    split: Split | None = None,
    as_runs: bool = False,
    jobs: int | Workers = 1,
    cluster: str | None = None,
    store: PathLike | Store | None = None,
    report: PathLike | None = None,
    title: str | None = None,
) -> RankedSystems:
    """Return systems ranked by macro-averages; missing and invalid outputs count as 0, and the reasons are listed.

    Args:
        gold: the test sets: a folder, or a mapping of codes to treebanks or paths; or a manifest (TOML), whose
            measures, rules, groups and systems are the defaults.
        systems: a folder with one folder per system, a mapping of names to outputs, or a list of folders.
        scores: rank this table of scores (TSV) instead of files.
        measures: the measures; by default LAS, MLAS, BLEX and CLAS; LAS, UAS and CLAS under the rules conll17; MSLAS,
            LAS and Feats under msp25.
        ranking: how to average and rank: "exact" (the default), or exactly as a shared task did: "conll17" or
            "conll18".
        groups: the test sets to average over: "all" (the default), "family:NAME", "genus:NAME", "language:NAME", or a
            group of the manifest.
        significance: whether to compute confidence intervals, confidence sets of ranks, and tests; by default only
            for a report.
        rank_sets: whether confidence sets of ranks hold at the level for each system ("marginal") or for all systems
            jointly ("simultaneous").
        report: also write a page with tables and charts to this HTML file; or to this folder, if it exists or its
            name ends in a slash, together with a page of errors for every output. The folder must be new, empty or an
            older report.
        title: the heading of the page.

    Raises:
        InputError: a gold file is missing or invalid, or there is nothing to rank.
        MeasureError: a measure or the rules are unknown.
        OutputError: the report cannot be written.
    """
    given = locals()
    from levelhead.campaign.ranked_systems import RankingChoice
    from levelhead.significance import InferenceSettings

    if report is not None:
        _check_report(report, scores, partial=partial)
    written = _manifest(gold)
    tested = report is not None if significance is None else significance
    tests = InferenceSettings(resamples, seed, level, resample_by=resample_by) if tested else None
    requested = list(as_list(groups)) or list((written and written.show) or ("all",))
    own = written.groups if written else {}
    choice = RankingChoice(ranking or (written and written.ranking) or "exact", requested, own, tests, rank_sets)
    if scores is not None:
        if partial:
            raise InputError(Fault("invalid-argument", "scores cannot be combined with partial"))
        return _rank_table(scores, measures, registry, choice, given)
    from levelhead.campaign.ranked_systems import needed_plan, rank_plan
    from levelhead.scoring.rules import rules_named

    named = rules or (written and written.rules) or "ud"
    wanted = measures or (written and written.measures) or rules_named(named).main
    known = _registry(registry, written)
    lenient: dict[str, Any] = {"partial": partial, "allow_several_roots": allow_several_roots}
    setup = settings_for(wanted, rules=named, weights=weights, registry=known, **lenient)
    with running(jobs, store, cluster) as how:
        plan = needed_plan(_plan(gold, systems, written, split, as_runs=as_runs), choice, choice.groups)
        if report is None:
            return rank_plan(plan, setup, choice, **how)
        from levelhead.report.page.ranking_report import rank_with_report

        return rank_with_report(report, plan, setup, choice, _origin(given), title, **how)


def _origin(given: Mapping[str, Any]) -> Origin:
    """The call of `rank`, without arguments that do not change its result."""
    from levelhead.report.page.blocks import Origin

    defaults = signature(rank).parameters
    named = {name: value for name, value in given.items() if value is not defaults[name].default}
    texts = [f"{name}={_text(value)}" for name, value in named.items() if name not in {"jobs", "cluster", "store"}]
    read = [(name, named.get(name)) for name in ("gold", "systems", "scores")]
    files = [(name, os.fspath(path)) for name, path in read if isinstance(path, str | os.PathLike)]
    return Origin(f"levelhead.rank({', '.join(texts)})", files)


def _text(value: Any) -> str:
    """An argument as in a call; objects are left out."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{name!r}: {_text(one)}' for name, one in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_text, value))}]"
    value = os.fspath(value) if isinstance(value, os.PathLike) else value
    return repr(value) if isinstance(value, str | int | float) else "..."


def _check_report(report: PathLike, scores: PathLike | None, *, partial: bool) -> None:
    """Check that the report can be written, before anything is scored."""
    from levelhead.extras import require
    from levelhead.report.page.report_folder import check_report_folder, is_folder, no_folder
    from levelhead.treebank.write import check_file

    require("jinja2", "reports")
    if not is_folder(report):
        check_file(report)
        return
    refused = no_folder(partial=partial, from_scores=scores is not None)
    if refused:
        raise InputError(Fault("invalid-argument", refused))
    check_report_folder(report)


def _manifest(gold: Golds | None) -> Manifest | None:
    """The manifest, if gold is a manifest."""
    if gold is None or not isinstance(gold, str | os.PathLike) or Path(gold).suffix != ".toml":
        return None
    from levelhead.campaign.find import read_manifest

    return read_manifest(gold)


def _registry(registry: Registry | None, written: Manifest | None) -> Registry | None:
    """The measures and schemes; by default those of the manifest."""
    if registry is not None or written is None:
        return registry
    from levelhead.measures.registry import STANDARD
    from levelhead.measures.user_definitions import read_definitions

    found = STANDARD
    for path in written.definitions:
        found = read_definitions(path, found)
    return found if written.scheme is None else found.with_default(written.scheme)


def _plan(
    gold: Golds | None,
    systems: Systems | PathLike | None,
    written: Manifest | None,
    split: Split | None,
    *,
    as_runs: bool,
) -> Plan:
    from levelhead.campaign.find import find_plan
    from levelhead.campaign.plan import check_matched

    if written is not None and systems is None:
        plan = written.campaign(as_runs=as_runs)
    elif gold is None or systems is None:
        raise InputError(Fault("no-pairs", "give gold and systems, a manifest, or scores"))
    else:
        plan = find_plan(gold, systems, split, as_runs=as_runs)
    check_matched(plan)
    return plan


def _rank_table(
    scores: PathLike,
    measures: Measures | None,
    registry: Registry | None,
    choice: RankingChoice,
    given: Mapping[str, Any],
) -> RankedSystems:
    """Rank a table of scores."""
    from levelhead.campaign.ranked_systems import measure_in, rank_results
    from levelhead.campaign.score_tables import read_scores
    from levelhead.measures.registry import STANDARD

    results = read_scores(scores)
    texts = measure_names(measures or ())
    wanted = [measure_in(results, text, registry or STANDARD) for text in texts] or results.measures
    ranked = rank_results(results, wanted, choice)
    if given["report"] is not None:
        from levelhead.report.page.ranking_report import write_ranking_report

        write_ranking_report(given["report"], results, ranked, _origin(given), given["title"])
    return ranked
