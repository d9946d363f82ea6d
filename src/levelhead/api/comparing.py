"""Comparisons of systems, treebanks and annotations."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial as partial_function
from pathlib import Path
from typing import Any, Literal, NamedTuple

from levelhead.api.inputs import (
    Golds,
    Input,
    MappedWeights,
    Measures,
    PathLike,
    Punctuation,
    Systems,
    as_list,
    measure_names,
    measures_or_default,
    noting,
    plan_for,
    registry_with,
    running,
    settings_for,
    without_punctuation,
)
from levelhead.api.parameters import NO_OR_MEASURES, TREEBANK, public
from levelhead.arguments import FRACTION, LIMITS, NOT_NEGATIVE, NUMBER, check, refuse
from levelhead.campaign.outputs import Output
from levelhead.comparison import power as planning
from levelhead.comparison.agreement import Agreement, agreement, named
from levelhead.comparison.annotators import annotations_in
from levelhead.comparison.changes import Changes
from levelhead.comparison.evaluations import Languages, compare_languages
from levelhead.comparison.power import Power
from levelhead.comparison.systems import Comparison, compare as compare_systems
from levelhead.comparison.trees import WorseSentence, worst_sentences
from levelhead.comparison.versions import changes, release_changes
from levelhead.errors import Fault, InputError, Place
from levelhead.evaluation.pair import load, load_pair
from levelhead.evaluation.setup import Setup
from levelhead.extras import require
from levelhead.jobs import Store, Workers
from levelhead.measures.registry import Registry, parse_measure
from levelhead.scoring.rules import Rules
from levelhead.significance.estimates import InferenceSettings
from levelhead.significance.power import checked_test
from levelhead.treebank import Treebank
from levelhead.treebank.layouts.gold import Split
from levelhead.treebank.reader import Format
from levelhead.typology.languages import Voter

Prepared = Literal["page", "summary"]


@public(
    margin=("optional", ("either", "float", NUMBER)),  # NaN and infinity: see check_margin
    votes=("one of", ("treebank", "language", "family")),
    fail_if_worse=NO_OR_MEASURES,
    prepare=("list", ("one of", ("page", "summary"))),
)
def compare(
    gold: Golds,
    systems: Systems,
    *,
    measures: Measures | None = None,
    rules: str | Rules = "ud",
    format: Format = "conllu",
    gold_format: Format | None = None,
    allow_several_roots: bool = False,
    weights: MappedWeights | None = None,
    punct: Punctuation = "keep",
    registry: Registry | None = None,
    train: Iterable[Input] = (),
    partial: bool = False,
    resample_by: str = "auto",
    level: float = 0.95,
    margin: float | None = None,
    wilcoxon: bool = False,
    votes: Voter = "treebank",
    fail_if_worse: Measures = (),
    prepare: Iterable[Prepared] = (),
    split: Split | None = None,
    as_runs: bool = False,
    jobs: int | Workers = 1,
    cluster: str | None = None,
    store: PathLike | Store | None = None,
) -> Comparison:
    """Return scores of systems with confidence intervals, and differences from the first system with p-values.

    Args:
        measures: by default UAS, LAS and CLAS; with the rules msp25: all official measures.
        margin: also test whether the difference is smaller than this margin in points (for perplexities, a ratio such
            as 1.05).
        wilcoxon: also compute Wilcoxon's test over treebanks (requires the extra `stats`).
        votes: count each "treebank", "language" or "family" as one observation in the sign test and Wilcoxon's test.
        fail_if_worse: measures that decide which systems pass. A system fails if it is significantly worse than the
            first; with `margin`, if the confidence interval of its difference includes a loss above the margin. The
            field `gates` of the result has the decisions. Invalid outputs raise no error; their systems are listed in
            the field `invalid`.
        prepare: data to collect in the field `looked` of the result: the trees for a page ("page"), or the sentences
            with the most additional errors ("summary").

    Raises:
        InputError: a file is invalid or missing; all errors are listed.
        MeasureError: a measure or the rules are unknown.
    """
    if wilcoxon:
        require("scipy", "Wilcoxon tests")
    registry = registry_with([*as_list(measures or ()), *as_list(fail_if_worse)], registry)
    chosen = without_punctuation(measures_or_default(measures, rules, "UAS", "LAS", "CLAS"), rules, punct, registry)
    gates = list(dict.fromkeys(str(parse_measure(name, registry)) for name in measure_names(fail_if_worse)))
    setup = settings_for(
        list(dict.fromkeys([*measure_names(chosen or ()), *gates])), rules=rules, format=format,
        gold_format=gold_format, weights=weights, registry=registry, train=train, partial=partial,
        allow_several_roots=allow_several_roots,
    )  # fmt: skip
    tests = InferenceSettings(level, margin, resample_by)
    plan = plan_for(gold, systems, split, as_runs=as_runs)
    prepared = {*prepare}
    worst_by = _word_measure([*gates, *setup.names], setup) if "summary" in prepared else None
    of_page: Mapping[str, Any] = {"n_treebanks": len(plan.test_sets), "resample_by": resample_by}
    page_of = of_page if "page" in prepared else None
    look = partial_function(_look_at, page_of=page_of, worst_by=worst_by, registry=setup.registry) if prepared else None
    with running(jobs, store, cluster) as how:
        result = compare_systems(
            plan, setup, settings=tests, look=look, wilcoxon=wilcoxon, votes=votes, fail_if_worse=gates, **how
        )
    return noting(result, gold, plan)


class Looked(NamedTuple):
    """What the page and the summary of a comparison show of one test set, found where the engine reads the outputs."""

    page: Any
    worst: list[WorseSentence]
    worst_by: str
    registry: Registry


def _look_at(
    code: str,
    outputs: Sequence[Output],
    *,
    page_of: Mapping[str, Any] | None,
    worst_by: Setup | None,
    registry: Registry,
) -> Looked:
    part = None
    if page_of is not None:
        from levelhead.report.page.comparison import treebank_part

        part = treebank_part(code, outputs, registry=registry, **page_of)
    if worst_by is None:
        return Looked(part, [], "", registry)

    return Looked(part, worst_sentences(code, outputs, setup=worst_by), worst_by.names[0], registry)


def _word_measure(names: Sequence[str], setup: Setup) -> Setup:
    """The settings with the first measure that counts words and needs no file; LAS by default."""
    of_words = {str(measure): measure for measure, of in setup.defined if of.selects_words and not of.needs_file}
    name = next((name for name in names if name in of_words), None)
    return setup.with_measures([of_words[name] if name else parse_measure("LAS", setup.registry)])


@public()
def languages(
    gold: Golds,
    systems: Systems | Golds,
    *,
    measures: Measures | None = None,
    rules: str | Rules = "ud",
    format: Format = "conllu",
    gold_format: Format | None = None,
    weights: MappedWeights | None = None,
    punct: Punctuation = "keep",
    registry: Registry | None = None,
    train: Iterable[Input] = (),
    parallel: bool = False,
    resample_by: str = "auto",
    level: float = 0.95,
    split: Split | None = None,
    as_runs: bool = False,
    jobs: int | Workers = 1,
    cluster: str | None = None,
    store: PathLike | Store | None = None,
) -> Languages:
    """Return how much harder one treebank is than another, for each system and pair of treebanks.

    Args:
        gold: at least two test sets, as a folder, a manifest, or a mapping of codes to treebanks or paths.
        measures: by default LAS and CLAS; with `train`, also WLAS(WDE); with the rules msp25: all official measures.
        parallel: whether to treat all treebanks as translations of each other, and pair documents, or sentences if
            gold marks no documents; by default only treebanks with the same document ids are paired.

    Raises:
        InputError: there are fewer than two treebanks, or a file is invalid or missing.
    """
    seen = list(train)
    setup = settings_for(
        measures_or_default(measures, rules, "LAS", "CLAS", *(["WLAS(WDE)"] if seen else [])),
        rules=rules, format=format, gold_format=gold_format, weights=weights, registry=registry, train=seen,
        punct=punct,
    )  # fmt: skip
    plan = plan_for(gold, systems, split, as_runs=as_runs)
    with running(jobs, store, cluster) as how:
        tests = InferenceSettings(level=level, resample_by=resample_by)
        return noting(compare_languages(plan, setup, settings=tests, parallel=parallel, **how), gold, plan)


@public(annotations=("either", ("mapping", TREEBANK, "a mapping of names to treebanks"), TREEBANK))
def agree(
    *annotations: Input | Mapping[str, Input],
    rules: str | Rules = "ud",
    format: Format = "conllu",
    gold_format: Format | None = None,
    resample_by: str = "auto",
    level: float = 0.95,
) -> Agreement:
    """Return the agreement between annotations of the same text, without treating one as gold.

    The order of the annotations does not change F1. Cohen's kappa, Fleiss' kappa and Krippendorff's alpha correct for
    chance.

    Args:
        annotations: two or more treebanks or paths; a mapping of names to treebanks or paths; a single treebank in
            which comments `# user_id` name the annotators; or a folder with a file for each annotator and document.
        gold_format: the format of the first file, if different from the others; if the others are CoNLL-X, the first
            file's multiword tokens are replaced by their words.

    Raises:
        InputError: a file is invalid, the texts differ, a path is given twice, or there are fewer than two annotations.
    """
    by_name = annotations[0] if len(annotations) == 1 and isinstance(annotations[0], Mapping) else None
    given: list[Any] = [*annotations] if by_name is None else [*by_name.values()]
    for annotation in given:
        check("annotations", annotation, TREEBANK)
    setup = settings_for((), rules=rules, format=format, gold_format=gold_format)
    note = None
    if len(given) == 1 and by_name is None:
        by_name, note = annotations_in(given[0], lambda source: load(source, setup.rules, setup.format))
        given = [*by_name.values()]
    if len(given) < 2:
        raise InputError(Fault("too-few-treebanks", "agree requires at least two annotations"))
    names = named(given) if by_name is None else [*by_name]
    first, second, *more = given
    read = [*load_pair(first, second, setup), *(load(annotation, setup.rules, setup.format) for annotation in more)]
    treebanks = dict(zip(names, read, strict=True))
    return agreement(treebanks, setup, resample_by=resample_by, level=level, notes=[note] if note else [])


@public()
def diff(old: Input, new: Input, *, rules: str | Rules = "ud", format: Format = "conllu") -> Changes:
    """Return the changes between two versions of a treebank, or between two outputs; texts can differ.

    Args:
        old: the old version, its path, or a folder of treebanks.
        new: the new version, its path, or a folder if `old` is a folder. Files in folders are paired by name.

    Raises:
        InputError: a file is invalid, only one of `old` and `new` is a folder, or the folders share no file name.
        MeasureError: the rules are unknown, or only score whole files ("msp25").
    """
    setup = settings_for((), rules=rules, format=format)
    folders = [Path(version) for version in (old, new) if not isinstance(version, Treebank) and os.path.isdir(version)]  # noqa: PTH112
    if not folders:
        return changes(*load_pair(old, new, setup), setup.rules)
    if len(folders) == 1:
        message = "this is a folder: old and new must both be treebanks or both be folders"
        raise InputError(Fault("invalid-argument", message, Place(str(folders[0]))))
    return release_changes(folders[0], folders[1], setup.rules, lambda path: load(path, setup.rules, setup.format))


@public(
    units=("list", ("whole", *LIMITS["units"])),
    runs=("list", ("whole", *LIMITS["runs"])),
    run_sd=("optional", NOT_NEGATIVE),
    alpha=FRACTION,
    power=FRACTION,
)
def power(
    gold: Golds | None = None,
    systems: Systems = (),
    *,
    measures: Measures | None = None,
    rules: str | Rules = "ud",
    format: Format = "conllu",
    gold_format: Format | None = None,
    weights: MappedWeights | None = None,
    punct: Punctuation = "keep",
    registry: Registry | None = None,
    train: Iterable[Input] = (),
    units: Sequence[int] = (),
    runs: Sequence[int] = (),
    run_sd: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    resample_by: str = "auto",
    split: Split | None = None,
    as_runs: bool = False,
    jobs: int | Workers = 1,
    cluster: str | None = None,
    store: PathLike | Store | None = None,
) -> Power:
    """Return the smallest difference that test sets of given sizes can detect between two systems.

    Args:
        gold: one or more test sets, as in `compare`. None assumes variances that are typical of CoNLL 2018 outputs.
        systems: the two systems, as a list of two paths, or a mapping of names to outputs. Folders named run or seed
            with a number, such as run1, are training runs.
        measures: by default UAS, LAS and CLAS; with the rules msp25: all official measures.
        units: sizes of test sets, in sentences or documents; by default six sizes and the size of gold.
        runs: numbers of training runs per system; by default 1, 3, 5 and 10, or only 1 if `run_sd` is unknown.
        run_sd: the standard deviation between runs, in points; by default estimated from the given runs.
        alpha: the significance level of the two-sided test.
        power: the probability of detecting the difference (statistical power).

    Raises:
        InputError: the number of systems is not two, a file is invalid, or a size is too small.
    """
    deviation = None if run_sd is None else run_sd / 100
    design = planning.Design(tuple(units), tuple(runs), deviation, checked_test(alpha, power))
    if gold is None:
        return planning.typical_power(measure_names(measures or ("UAS", "LAS", "CLAS")), design)
    setup = settings_for(
        measures_or_default(measures, rules, "UAS", "LAS", "CLAS"), rules=rules, format=format, gold_format=gold_format,
        weights=weights, registry=registry, train=train, punct=punct,
    )  # fmt: skip
    if run_sd is not None and setup.perplexities:
        refuse("run_sd", run_sd, "None for perplexities (it is in points)")
    plan = plan_for(gold, systems, split, as_runs=as_runs)
    with running(jobs, store, cluster) as how:
        return noting(planning.power(plan, setup, design, resample_by=resample_by, **how), gold, plan)
