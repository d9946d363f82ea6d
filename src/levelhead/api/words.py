"""Tables of words and of sentences, for analyses of your own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from levelhead.api.inputs import (
    Golds,
    Input,
    MappedWeights,
    Measures,
    Punctuation,
    Systems,
    noting,
    plan_for,
    running,
    settings_for,
)
from levelhead.api.parameters import public

if TYPE_CHECKING:
    from levelhead.comparison.word_tables import AlignedWords, CountedSentences
    from levelhead.jobs import Workers
    from levelhead.measures.registry import Registry
    from levelhead.scoring.rules import Rules
    from levelhead.tables.data import DataTable
    from levelhead.treebank.layouts.gold import Split
    from levelhead.treebank.reader import Format


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
    """Return a table with a row for each gold word and system, with what is correct.

    System words that are not aligned are rows of their own, after the gold words of the sentence in which they start.

    Args:
        registry: the available schemes, as `read_definitions` returns them; the column `class` has the classes of the
            default scheme.
        each: a function that gets the rows, some at a time, as a table of data; the result then has no rows. This
            takes little memory, however large files are, unless there are several jobs.

    Raises:
        InputError: a file is invalid or missing, or the texts differ; all errors are listed.
        MeasureError: the rules are unknown, or do not align words.
    """
    from levelhead.comparison.word_tables import words_of_outputs

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
    """Return a table with a row for each gold sentence and system, with the counts of each measure.

    A system word belongs to the gold sentence that has its first character.

    Args:
        measures: by default all that the official scorer of the rules prints.

    Raises:
        InputError: a file is invalid or missing, or the texts differ; all errors are listed.
        MeasureError: a measure or the rules are unknown, or the rules do not align words.
    """
    from levelhead.comparison.word_tables import sentences_of_outputs

    setup = settings_for(
        measures, rules=rules, format=format, gold_format=gold_format, weights=weights, registry=registry, train=train,
        partial=partial, allow_several_roots=allow_several_roots, punct=punct,
    )  # fmt: skip
    plan = plan_for(gold, systems, split)
    with running(jobs, None, cluster) as how:
        return noting(sentences_of_outputs(plan, setup, **how), gold, plan)
