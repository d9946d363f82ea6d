"""Systems ranked by macro-averages, and the difficulty of test sets."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial as partial_function
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from levelhead.api.inputs import (
    Golds,
    MappedWeights,
    Measures,
    PathLike,
    Systems,
    as_list,
    check_single,
    measure_names,
    registry_of,
    registry_with,
    running,
)
from levelhead.api.parameters import public
from levelhead.arguments import check, refuse
from levelhead.campaign import RANKINGS, Manifest, read_manifest, read_scores, score_plan
from levelhead.campaign.find import about_files, find_plan
from levelhead.campaign.plan import Plan, check_matched
from levelhead.campaign.ranked_systems import RankedSystems, RankingChoice, measure_in, needed_plan, rank_results
from levelhead.campaign.ranking import ALL, EACH
from levelhead.campaign.results import results_of_scores
from levelhead.errors import Fault, InputError, unknown
from levelhead.evaluation.setup import setup_of
from levelhead.measures.registry import Registry, parse_measure, qualified
from levelhead.scoring.rules import Rules, rules_named
from levelhead.significance.estimates import InferenceSettings
from levelhead.significance.units import AUTO
from levelhead.tables.frames import is_frame
from levelhead.tabular import Tabular

if TYPE_CHECKING:
    from levelhead.campaign import Results
    from levelhead.comparison.difficulty import Difficulty
    from levelhead.evaluation.pair import Evaluation
    from levelhead.jobs import Store, Workers
    from levelhead.report.page.blocks import Origin
    from levelhead.treebank.layouts.gold import Split


def _scores(name: str, value: Any) -> Any:
    if isinstance(value, Mapping) and not isinstance(value, Tabular):
        kind = ("object", "Evaluation", "a result of levelhead.score")
        return check(name, value, ("mapping", kind, "a mapping of names of systems to results of levelhead.score"))
    if value is not None and not is_frame(value):
        return check(name, value, ("either", "path", ("object", "", "a path, a data frame, or a mapping of results")))
    return value


@public(
    ranking=("optional", ("one of", RANKINGS)),
    missing=("one of", ("zero", "adjust")),
    prepare=("list", ("one of", ("page", "pages"))),
    scores=_scores,
)
def rank(
    gold: Golds | None = None,
    systems: Systems | PathLike | None = None,
    *,
    manifest: PathLike | None = None,
    scores: PathLike | Mapping[str, Evaluation] | Any = None,
    measures: Measures | None = None,
    all_measures: bool = False,
    ranking: str | None = None,
    missing: Literal["zero", "adjust"] = "zero",
    groups: str | Iterable[str] = (),
    by_treebank: bool = False,
    only: str | Iterable[str] = (),
    rules: str | Rules | None = None,
    allow_several_roots: bool = False,
    weights: MappedWeights | None = None,
    registry: Registry | None = None,
    scheme: str | None = None,
    partial: bool = False,
    significance: bool | None = None,
    resample_by: str = "auto",
    level: float = 0.95,
    prepare: Iterable[Literal["page", "pages"]] = (),
    split: Split | None = None,
    as_runs: bool = False,
    jobs: int | Workers = 1,
    cluster: str | None = None,
    store: PathLike | Store | None = None,
    origin: Origin | None = None,
) -> RankedSystems:
    """Return systems ranked by macro-average. Missing and invalid outputs score 0; the result says why.

    With `missing="adjust"`, missing outputs get a predicted score instead of 0.

    Args:
        gold: the test sets, as a folder, a mapping of codes to treebanks or paths, or a manifest (TOML).
        systems: a folder with one folder per system, a mapping of names to outputs, or a list of folders.
        manifest: a TOML file with test sets, systems, groups, default measures and default rules.
        scores: scores to rank instead of files: a table in percent (TSV or a data frame), or a mapping of system names
            to results of `score`. Results of `score` allow no intervals and tests.
        measures: by default LAS, MLAS, BLEX and CLAS; with the rules conll17: LAS, UAS and CLAS; with msp25: MSLAS, LAS
            and Feats.
        all_measures: also rank by all measures that the official scorer prints, LAS first.
        ranking: whether to compute averages and ranks at full precision ("exact") or as a shared task did ("conll17" or
            "conll18"); by default "exact".
        missing: the score of missing outputs: 0, as in the shared tasks ("zero"), or predicted from all other scores
            ("adjust"). Invalid outputs always score 0.
        groups: the groups of test sets to average over: "all", "each" (each test set), "family:NAME", "genus:NAME",
            "language:NAME", groups of shared tasks such as "conll18:pud", or groups of the manifest; by default "all".
        by_treebank: whether to also rank separately on each test set in `groups`.
        only: the names of the systems to rank; by default all.
        rules: by default "ud".
        scheme: the scheme that defines classes such as CORE in "LAS@CORE". The result has the name of the scheme in the
            measure, as in "LAS@nivre-fang:CORE".
        significance: whether to compute confidence intervals, confidence sets of ranks, and tests. By default, they are
            computed if `prepare` is given, or if files are ranked with `missing="adjust"`.
        prepare: the pages that `write_report` should be able to write: a single page ("page"), or a folder with an
            additional page for each output ("pages"). Their data is in the field `looked` of the result.
        origin: how the result was made, to be shown at the end of pages; by default this call of `rank`.

    Raises:
        InputError: a gold file is missing or invalid, or there is nothing to rank.
        MeasureError: a measure or the rules are unknown.
    """
    origin, pages, adjust = origin or _origin(locals()), set(prepare), missing == "adjust"
    if refused := _refused(pages, scores, missing, ranking, partial=partial, significance=significance):
        raise InputError(Fault("invalid-argument", refused))
    written = _manifest_at(gold) if manifest is None else read_manifest(manifest)
    tested = bool(pages) or (adjust and scores is None) if significance is None else significance
    tests = InferenceSettings(level, resample_by=resample_by) if tested else None
    requested = as_list(groups) or list(written.show or (ALL,))
    rule = ranking or ("exact" if adjust else written.ranking) or "exact"
    shown = [EACH, *requested] if by_treebank else requested
    choice = RankingChoice(rule, shown, written.groups, tests, level if adjust else None)
    named_rules = rules_named(rules or written.rules or "ud")
    names, registry = _measures_to_rank(
        measures, registry, scheme or written.scheme, named_rules, written, all_measures=all_measures
    )
    about = tuple[str, ...]()
    if scores is not None:
        results = _results_of(scores, only)
        names = names if measures else _measures_of_scores(scores, results.measures, named_rules)
    else:
        plan = needed_plan(plan_to_rank(gold, systems, written, split, only, as_runs=as_runs), choice, requested)
        about = about_files(gold or manifest or {}, plan, "test set")
        setup = setup_of(
            names, rules=named_rules, registry=registry, weights=weights, partial=partial,
            folder=str(Path(written.path).parent) if written.path and not measures else "",
            allow_several_roots=allow_several_roots,
        )  # fmt: skip
        score: Callable[..., Results] = score_plan
        if pages:
            from levelhead.report.page.ranking_report import score_for_report

            score = partial_function(score_for_report, folder="pages" in pages, origin=origin)
        with running(jobs, store, cluster) as how:
            how |= {"by_sentence": tests is not None, "resample_by": tests.resample_by if tests else AUTO}
            results = score(plan, setup, **how)
    ranked = rank_results(results, [measure_in(results, name, registry) for name in names], choice)
    looked = ResultsForPage(results, origin) if pages else None
    return replace(ranked, provenance=replace(ranked.provenance, about_files=about), looked=looked)


def _manifest_at(path: object) -> Manifest:
    """Return the manifest that is given as gold; for anything else, one without contents."""
    is_manifest = isinstance(path, str | os.PathLike) and os.fspath(path).endswith(".toml")
    return read_manifest(path) if is_manifest else Manifest()  # type: ignore[arg-type]


def _measures_to_rank(
    measures: Measures | None,
    registry: Registry | None,
    scheme: str | None,
    rules: Rules,
    manifest: Manifest,
    *,
    all_measures: bool,
) -> tuple[list[str], Registry]:
    """Return the names of the measures, and the registry in which they are defined."""
    registry = registry_with(measures, registry or registry_of(manifest.definitions, None))
    names = measure_names(measures or manifest.measures or (() if all_measures else rules.main))
    if all_measures:
        names = list(dict.fromkeys([*names, *sorted(rules.measures, key=lambda name: name != "LAS")]))
    if scheme is not None:
        registry = registry.with_default(scheme)
        names = [str(qualified(parse_measure(name, registry), registry)) for name in names]
    return names, registry


def _refused(
    pages: Collection[str], scores: Any, missing: str, ranking: str | None, *, partial: bool, significance: bool | None
) -> str | None:
    """Why arguments of `rank` cannot be combined; None if they can."""
    if isinstance(scores, Mapping) and (pages or significance):
        return "intervals, tests and pages require counts by sentence: give files instead of results"
    if partial and scores is not None:
        return "scores cannot be combined with partial"
    if missing == "adjust" and ranking not in {None, "exact"}:
        return f"missing scores can only be predicted with the ranking exact, not {ranking}"
    if "pages" not in pages:
        return None
    from levelhead.report.page.ranking_report import no_folder

    return no_folder(partial=partial, from_scores=scores is not None)


def _measures_of_scores(scores: Any, measures: Iterable[str], rules: Rules) -> list[str]:
    """Return the measures of scores in their order, but main ones first if results have all measures."""
    found = list(measures)
    if isinstance(scores, Mapping) and {*rules.measures} <= {*found}:  # they begin with tokens, which say little
        found.sort(key=lambda name: name not in rules.main)
    return found


def _results_of(scores: Any, only: str | Iterable[str]) -> Results:
    table = results_of_scores(scores) if isinstance(scores, Mapping) else read_scores(scores)
    return table.of_systems(_known(only, table.systems))


class ResultsForPage(NamedTuple):
    """What the page of a ranking shows: the results with all their measures and pages, and how they were made."""

    results: Results
    origin: Origin


def _origin(given: Mapping[str, Any]) -> Origin:
    """Return the call of `rank`, without arguments that do not change its result."""
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


def plan_to_rank(
    gold: Golds | None,
    systems: Systems | PathLike | None,
    manifest: Manifest,
    split: Split | None,
    only: str | Iterable[str],
    *,
    as_runs: bool,
) -> Plan:
    if gold is not None and systems is not None:
        plan = find_plan(gold, systems, split, as_runs=as_runs)
    elif manifest.path and systems is None:
        plan = manifest.campaign(as_runs=as_runs)
    else:
        raise InputError(Fault("no-pairs", "give gold and systems, a manifest, or scores"))
    names = _known(only, [system.name for system in plan.systems])
    plan = plan._replace(systems=tuple(system for system in plan.systems if system.name in names))
    check_matched(plan)
    return plan


def _known(only: str | Iterable[str], systems: Sequence[str]) -> Sequence[str]:
    chosen = as_list(only) or systems
    for name in chosen:
        if name not in systems:
            raise InputError(Fault("invalid-argument", unknown("system", name, systems)))
    return chosen


def _properties(name: str, value: Any) -> Any:
    from levelhead.correlation.tables import is_table

    return value if value is None or is_table(value) else refuse(name, value, "a table by treebank, or None")


@public(scores=_scores, explain=_properties)
def difficulty(
    gold: Golds | None = None,
    systems: Systems | PathLike | None = None,
    *,
    scores: PathLike | Mapping[str, Evaluation] | Any = None,
    measure: str = "LAS",
    explain: Any = None,
    only: str | Iterable[str] = (),
    rules: str | Rules | None = None,
    weights: MappedWeights | None = None,
    registry: Registry | None = None,
    resample_by: str = "auto",
    level: float = 0.95,
    split: Split | None = None,
    as_runs: bool = False,
    jobs: int | Workers = 1,
    cluster: str | None = None,
    store: PathLike | Store | None = None,
) -> Difficulty:
    """Return how difficult each test set is, adjusted for the abilities of the systems.

    Systems need not have outputs on all test sets. Invalid outputs are ignored instead of scoring 0.

    Args:
        gold: the test sets, as a folder, a mapping of codes to treebanks or paths, or a manifest (TOML).
        systems: a folder with one folder per system, a mapping of names to outputs, or a list of folders.
        scores: scores to use instead of files: a table in percent (TSV or a data frame), or a mapping of system names
            to results of `score`.
        measure: one measure that is a percentage, such as CLAS.
        explain: a table of properties that may explain the difficulty of treebanks, such as the result of `profile`.
        only: the names of the systems to use; by default all.
        rules: by default "ud".

    Raises:
        InputError: a gold file is missing or invalid, or fewer than three systems or test sets can be compared.
        MeasureError: the measure is unknown.
    """
    from levelhead.comparison.difficulty import difficulties
    from levelhead.correlation.tables import read_tables

    check_single(measure_names(measure))
    registry = registry_with(measure, registry or registry_of((), None))
    about = tuple[str, ...]()
    if scores is not None:
        results = _results_of(scores, only)
    else:
        plan = plan_to_rank(gold, systems, Manifest(), split, only, as_runs=as_runs)
        about = about_files(gold or {}, plan, "test set")
        setup = setup_of([measure], rules=rules_named(rules or "ud"), registry=registry, weights=weights)
        with running(jobs, store, cluster) as how:
            results = score_plan(plan, setup, by_sentence=True, resample_by=resample_by, **how)
    properties = None if explain is None else read_tables([explain])
    found = difficulties(results, measure_in(results, measure, registry), level, properties)
    return replace(found, provenance=replace(found.provenance, about_files=about))
