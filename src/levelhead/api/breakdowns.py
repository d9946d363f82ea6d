"""Errors of systems: breakdowns, error analysis, confusion, trees, and tables of words and sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypedDict, Unpack, overload

from levelhead.analysis.confusion import count_confusions
from levelhead.analysis.word_properties import PropertySettings
from levelhead.api.inputs import (
    Golds,
    Input,
    MappedWeights,
    Measures,
    Punctuation,
    Systems,
    as_list,
    check_single,
    noting,
    plan_for,
    running,
    settings_for,
    training_of,
)
from levelhead.api.parameters import SYSTEMS, public
from levelhead.comparison.breakdowns import Breakdowns, break_down_outputs
from levelhead.comparison.system_errors import Confusions, ErrorAnalysis, analyze_outputs, for_each_output
from levelhead.comparison.trees import TreeExamples, compare_sentences, find_examples
from levelhead.comparison.word_tables import AlignedWords, CountedSentences, sentences_of_outputs, words_of_outputs
from levelhead.errors import Fault, InputError
from levelhead.jobs import Workers
from levelhead.measures.registry import Registry
from levelhead.scoring.rules import Rules
from levelhead.significance.estimates import InferenceSettings
from levelhead.tables.data import DataTable
from levelhead.treebank.layouts.gold import Split
from levelhead.treebank.reader import Format


class _MeasuringOptions(TypedDict, total=False):
    """The options of `breakdown`, which do not decide what it returns."""

    measures: Measures
    rules: str | Rules
    format: Format
    gold_format: Format | None
    weights: MappedWeights | None
    punct: Punctuation
    registry: Registry | None
    train: Iterable[Input]
    partial: bool
    resample_by: str
    level: float
    split: Split | None


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
    """Return how often a system confuses each gold relation with another.

    Raises:
        InputError: a file is invalid or missing, or an output's text differs from gold.
    """
    setup = settings_for((), rules=rules, format=format, gold_format=gold_format, partial=partial)
    plan = plan_for(gold, system, split, argument="system")
    return noting(Confusions(*for_each_output(plan, setup, count_confusions)), gold, plan)


@overload
def breakdown(
    gold: Golds, systems: Golds | Systems, *, by: None = None, **how: Unpack[_MeasuringOptions]
) -> ErrorAnalysis: ...
@overload
def breakdown(
    gold: Golds, systems: Golds | Systems, *, by: str | Sequence[str], **how: Unpack[_MeasuringOptions]
) -> Breakdowns: ...
@public(by=("optional", ("list", "text", 1)))
def breakdown(
    gold: Golds,
    systems: Golds | Systems,
    *,
    by: str | Sequence[str] | None = None,
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
) -> Breakdowns | ErrorAnalysis:
    """Return scores by properties of words; for several systems, also gains and losses compared with the first system.

    Args:
        by: a property of words such as "relation", "class" or "upos", or several joined by commas. All properties are
            in `levelhead.analysis.word_properties.PROPERTIES`. For one system, a list gives a separate breakdown by
            each item, and None gives the result of `analyze`.
        measures: one word-level measure, such as LAS or UPOS.
        train: training treebanks for WLAS(WDE) and for the properties "frequency", "vocabulary", "seen-sentence",
            "seen-heads" and "seen-tree".

    Raises:
        InputError: a file is invalid or missing, or an output's text differs from gold.
        MeasureError: a measure or property is unknown, or the measure cannot be broken down.
    """
    seen, properties = list(train), as_list(by or ())
    setup = settings_for(
        measures, rules=rules, format=format, gold_format=gold_format, weights=weights, registry=registry, train=seen,
        partial=partial, punct=punct,
    )  # fmt: skip
    plan = plan_for(gold, systems, split)
    schemes = setup.registry.schemes
    buckets = PropertySettings(schemes.by_name[schemes.default], training_of(seen))
    check_single(setup.names)
    tests = InferenceSettings(level=level, resample_by=resample_by)
    if by is None and len(plan.systems) == 1:
        return noting(analyze_outputs(plan, setup, tests), gold, plan)
    if len(plan.systems) != 1 and len(properties) != 1:
        raise InputError(
            Fault("invalid-argument", "with several systems, give a single property, or several joined by commas")
        )
    names = list(dict.fromkeys(tuple(dict.fromkeys(map(str.strip, text.split(",")))) for text in properties))
    return noting(break_down_outputs(plan, setup, names, buckets, tests), gold, plan)


@public(system=SYSTEMS)
def analyze(
    gold: Golds,
    system: Golds,
    *,
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
) -> ErrorAnalysis:
    """Return the costs of errors, the types of errors, and cascading errors.

    The cost of an error is how much the score would rise if all words with this error were correct. An example of an
    error is a wrong relation with gold obl and predicted nmod. Types of errors are coarser, such as "wrong label".

    Args:
        measures: one word-level measure, such as LAS or UPOS.

    Raises:
        InputError: a file is invalid or missing, or an output's text differs from gold.
        MeasureError: the measure is unknown or does not count words.
    """
    setup = settings_for(
        measures, rules=rules, format=format, gold_format=gold_format, weights=weights, registry=registry,
        train=train, partial=partial, punct=punct,
    )  # fmt: skip
    check_single(setup.names)
    plan = plan_for(gold, system, split)
    return noting(analyze_outputs(plan, setup, InferenceSettings(level=level, resample_by=resample_by)), gold, plan)


@public()
def trees(
    gold: Golds,
    systems: Golds | Systems,
    *,
    show: str | Sequence[str] = (),
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
) -> TreeExamples:
    """Return trees of sentences in which one system makes errors, or in which several systems differ most.

    Args:
        show: with one system, the errors to show, such as "nsubj:obj" (gold nsubj, predicted obj).
        measures: one word-level measure, such as LAS or UPOS; ignored if `show` is given.

    Raises:
        InputError: a file is invalid or missing, or an output's text differs from gold.
        MeasureError: the measure is unknown, or a relation in `show` does not occur.
    """
    setup = settings_for(
        () if show else measures, rules=rules, format=format, gold_format=gold_format, weights=weights,
        registry=registry, train=train, partial=partial, punct=punct,
    )  # fmt: skip
    plan = plan_for(gold, systems, split)
    if show:
        return noting(find_examples(plan, as_list(show), setup), gold, plan)
    check_single(setup.names)
    return noting(compare_sentences(plan, setup), gold, plan)


@public(each=("optional", "function"))
def words(
    gold: Golds,
    systems: Golds | Systems,
    *,
    rules: str | Rules = "ud",
    format: Format = "conllu",
    gold_format: Format | None = None,
    allow_several_roots: bool = False,
    registry: Registry | None = None,
    partial: bool = False,
    each: Callable[[DataTable], object] | None = None,
    split: Split | None = None,
    jobs: int | Workers = 1,
    cluster: str | None = None,
) -> AlignedWords:
    """Return a table that compares gold and system annotation word by word, for each system.

    Each gold word has a row, which also contains the aligned system word, if there is one. Each system word that is not
    aligned has a row of its own, after the gold words of the sentence in which the system word begins.

    Args:
        registry: the available schemes of relation classes, from `read_definitions`. The column `class` has the class
            of the gold relation in the default scheme.
        each: a function to call with each piece of the table (a `DataTable`); the returned table is then empty. With
            one job, even large files take little memory.

    Raises:
        InputError: a file is invalid or missing, or an output's text differs from gold; all errors are listed.
        MeasureError: the rules are unknown, or do not align words.
    """
    setup = settings_for(
        (), rules=rules, format=format, gold_format=gold_format, registry=registry, partial=partial,
        allow_several_roots=allow_several_roots,
    )  # fmt: skip
    plan = plan_for(gold, systems, split)
    with running(jobs, None, cluster) as how:
        return noting(words_of_outputs(plan, setup, each, **how), gold, plan)


@public()
def sentences(
    gold: Golds,
    systems: Golds | Systems,
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
    split: Split | None = None,
    jobs: int | Workers = 1,
    cluster: str | None = None,
) -> CountedSentences:
    """Return a table of the counts of each measure, with a row for each gold sentence and system.

    Counts are the numbers of correct items, of items in gold and of items in the output. A system word is counted in
    the gold sentence in which the word begins.

    Args:
        measures: by default all measures that the official scorer prints.

    Raises:
        InputError: a file is invalid or missing, or an output's text differs from gold; all errors are listed.
        MeasureError: a measure or the rules are unknown, or the rules do not align words.
    """
    setup = settings_for(
        measures, rules=rules, format=format, gold_format=gold_format, weights=weights, registry=registry, train=train,
        partial=partial, allow_several_roots=allow_several_roots, punct=punct,
    )  # fmt: skip
    plan = plan_for(gold, systems, split)
    with running(jobs, None, cluster) as how:
        return noting(sentences_of_outputs(plan, setup, **how), gold, plan)
