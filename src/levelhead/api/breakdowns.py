"""Errors of systems: breakdowns, confusion, trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial as partial_function
from typing import TYPE_CHECKING

from levelhead.api.inputs import (
    Golds,
    MappedWeights,
    Measures,
    Punctuation,
    Systems,
    as_list,
    noting,
    plan_for,
    settings_for,
    training_of,
)
from levelhead.api.parameters import SYSTEMS, public
from levelhead.arguments import LIMITS
from levelhead.errors import Fault, InputError, MeasureError

if TYPE_CHECKING:
    from levelhead.comparison.breakdowns import Breakdowns, Repairs
    from levelhead.comparison.contrasts import Contrasts, Gains
    from levelhead.comparison.system_errors import (
        CascadingErrors,
        Confusions,
        ErrorExamples,
        ErrorTypes,
    )
    from levelhead.evaluation.pair import Input
    from levelhead.measures.registry import Registry
    from levelhead.scoring.rules import Rules
    from levelhead.treebank.layouts.gold import Split
    from levelhead.treebank.reader import Format


@public(system=SYSTEMS)
def confusion(
    gold: Golds,
    system: Golds,
    *,
    rules: str | Rules = "ud",
    format: Format = "conllu",
    gold_format: Format | None = None,
    partial: bool = False,
    split: Split | None = None,
) -> Confusions:
    """Return which relations of gold a system confuses with which.

    Raises:
        InputError: a file is invalid or missing, or the texts differ.
    """
    from levelhead.analysis import count_confusions
    from levelhead.comparison import system_errors

    setup = settings_for((), rules=rules, format=format, gold_format=gold_format, partial=partial)
    plan = plan_for(gold, system, split, argument="system")
    return noting(system_errors.Confusions(*system_errors.for_each_output(plan, setup, count_confusions)), gold, plan)


@public(by=("list", "text", 1))
def breakdown(
    gold: Golds,
    systems: Golds | Systems,
    *,
    by: str | Sequence[str],
    measures: Measures = "LAS",
    rules: str | Rules = "ud",
    format: Format = "conllu",
    gold_format: Format | None = None,
    weights: MappedWeights | None = None,
    punct: Punctuation = "keep",
    registry: Registry | None = None,
    train: Iterable[Input] = (),
    partial: bool = False,
    resample_by: str = "auto",
    level: float = 0.95,
    split: Split | None = None,
) -> Breakdowns | ErrorTypes | CascadingErrors | Repairs | Gains:
    """Return scores by properties of words; for several systems, the gains and losses of each compared with the first.

    Args:
        by: a property such as "deprel", "class", "upos", "length", or several joined by commas (see
            `levelhead.analysis.PROPERTIES`); for one system also "repair", "error" or "cascading", or a
            list of properties for separate breakdowns.
        measures: a single measure of words.
        train: training treebanks, for the properties frequency, vocabulary, seen-sentence, seen-heads and seen-tree,
            and for WLAS(WDE).

    Raises:
        InputError: a file is invalid or missing, or the texts differ.
        MeasureError: a measure or property is unknown or cannot be broken down.
    """
    from levelhead.analysis import cascading_errors, error_types
    from levelhead.analysis.word_properties import PropertySettings
    from levelhead.comparison import breakdowns, system_errors
    from levelhead.comparison.contrasts import compare_by
    from levelhead.significance import InferenceSettings

    seen, properties = list(train), as_list(by)
    setup = settings_for(
        () if properties in (["error"], ["cascading"]) else measures, rules=rules, format=format,
        gold_format=gold_format, weights=weights, registry=registry, train=seen, partial=partial, punct=punct,
    )  # fmt: skip
    plan = plan_for(gold, systems, split)
    schemes = setup.registry.schemes
    buckets = PropertySettings(schemes.by_name[schemes.default], training_of(seen))
    if properties == ["error"]:
        return noting(system_errors.ErrorTypes(*system_errors.for_each_output(plan, setup, error_types)), gold, plan)
    if properties == ["cascading"]:
        find = partial_function(cascading_errors, scheme=buckets.scheme)
        scheme = (buckets.scheme, "--by cascading")
        cascading = system_errors.for_each_output(plan, setup, find, scheme)
        return noting(system_errors.CascadingErrors(*cascading), gold, plan)
    _check_single(setup.names)
    tests = InferenceSettings(level=level, resample_by=resample_by)
    if properties == ["repair"]:
        return noting(breakdowns.repairs_of_outputs(plan, setup, tests), gold, plan)
    if len(plan.systems) == 1:
        names = [names.split(",") for names in properties]
        return noting(breakdowns.break_down_outputs(plan, setup, names, buckets, tests), gold, plan)
    if len(properties) > 1:
        raise InputError(
            Fault("invalid-argument", "with several systems, give a single property, or several joined by commas")
        )
    return noting(compare_by(plan, properties[0].split(","), buckets, setup, tests), gold, plan)


@public(limit=("optional", ("whole", *LIMITS["limit"])))
def trees(
    gold: Golds,
    systems: Golds | Systems,
    *,
    show: str | Sequence[str] = (),
    limit: int | None = None,
    measures: Measures = "LAS",
    rules: str | Rules = "ud",
    format: Format = "conllu",
    gold_format: Format | None = None,
    weights: MappedWeights | None = None,
    punct: Punctuation = "keep",
    registry: Registry | None = None,
    train: Iterable[Input] = (),
    partial: bool = False,
    split: Split | None = None,
) -> ErrorExamples | Contrasts:
    """Return the sentences with an error of one system, or the sentences in which several systems differ most.

    Args:
        show: for one system, show the sentences in which the first relation is confused with the second, such as
            "nsubj:obj".
        limit: the maximum number of words for each error shown, or of gains and of losses for each system and treebank;
            by default 5, but all in tables and JSON.
        measures: the measures; for several systems, a single measure of words.

    Raises:
        InputError: a file is invalid or missing, or the texts differ.
        MeasureError: an error or a measure is unknown.
    """
    from levelhead.comparison.contrasts import compare_sentences
    from levelhead.comparison.system_errors import find_examples

    setup = settings_for(
        () if show else measures, rules=rules, format=format, gold_format=gold_format, weights=weights,
        registry=registry, train=train, partial=partial, punct=punct,
    )  # fmt: skip
    plan = plan_for(gold, systems, split)
    if show:
        return noting(find_examples(plan, as_list(show), setup, limit), gold, plan)
    _check_single(setup.names)
    return noting(compare_sentences(plan, limit, setup), gold, plan)


def _check_single(measures: Sequence[str]) -> None:
    if len(measures) != 1:
        raise MeasureError(f"a breakdown requires a single measure, not {', '.join(measures)}", "unknown-measure")
