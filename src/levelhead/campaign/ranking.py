"""Macro-averages and ranks, by the rules of the shared tasks or exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from levelhead.campaign.groups import Group
from levelhead.campaign.results import OutputResult, Results
from levelhead.evaluation.partial import total_coverage
from levelhead.measures.registry import lower_is_better

RankSets = Literal["marginal", "simultaneous"]
"""Whether each confidence set of a rank holds at the level, or all sets at once."""

RANK_SETS: tuple[RankSets, ...] = get_args(RankSets)


class Standing(NamedTuple):
    """The rank of a system.

    Args:
        system: its name.
        rank: its rank, shared by systems of equal value; None without a value.
        value: its macro-average, a ratio, as the rule ranks it; None where the measure has no value on a test set.
        valid_only: the average with the score over its valid sentences instead of the 0 of an invalid output;
            None if it has no invalid output. It never decides a rank.
        n_valid: how many of its outputs count; the others are 0.
        interval: a confidence interval of the value, if one was computed.
        ranks: the best and the worst rank of the confidence set of its rank, if one was computed.
        letters: its letters: systems that share a letter do not differ significantly; None if no test was made.
        valid_trees: of partial scores, the average in which sentences without a valid tree get nothing; it never
            decides a rank.
        answered: of partial scores, the share of all gold sentences that is answered.
        aligned: of partial scores, the share of all gold words that is aligned.
    """

    system: str
    rank: int | None
    value: Fraction | None
    valid_only: Fraction | None
    n_valid: int
    interval: tuple[float, float] | None = None
    ranks: tuple[int, int] | None = None
    letters: str | None = None
    valid_trees: Fraction | None = None
    answered: Fraction | None = None
    aligned: Fraction | None = None


class Ranking(NamedTuple):
    """Systems in order of a macro-average.

    Args:
        measure: which measure.
        group: over which test sets.
        rule: by which rule.
        standings: the systems, the best first, in alphabetical order where ranks are shared.
        undefined: the test sets on which gold has nothing to measure, which leave the average undefined.
        lines: the places after which a line is drawn, between neighbors that differ significantly; None if no test
            was made.
        rank_sets: which confidence sets of ranks the standings have; None if none were computed.
    """

    measure: str
    group: Group
    rule: str
    standings: tuple[Standing, ...]
    undefined: tuple[str, ...] = ()
    lines: frozenset[int] | None = None
    rank_sets: RankSets | None = None


class _Rule(NamedTuple):
    """How averages are made: what is done to a score before, and to an average after."""

    of_score: Callable[[Fraction], Fraction]
    of_average: Callable[[Fraction], Fraction]


def _exact(value: Fraction) -> Fraction:
    return value


def _printed(value: Fraction) -> Fraction:
    """The score as the evaluators printed it: a percentage with two decimals."""
    return Fraction(Decimal(f"{100 * float(value):.2f}")) / 100


def _rounded(value: Fraction) -> Fraction:
    """An average rounded to two decimals of a percentage, halves up."""
    return Fraction(math.floor(value * 10_000 + Fraction(1, 2)), 10_000)


_RULES: Mapping[str, _Rule] = MappingProxyType(
    {
        "exact": _Rule(_exact, _exact),
        "conll17": _Rule(_printed, _exact),
        "conll18": _Rule(_printed, _rounded),
    }
)

RANKINGS = tuple(_RULES)
"""The rules of ranking: `exact`, averages of scores at full precision; `conll17`, averages of scores with two decimals,
ranked unrounded; `conll18`, the same averages rounded to two decimals and then ranked."""


def rank(results: Results, measure: str, group: Group, rule: str = "exact") -> Ranking:
    """Rank the systems of a campaign by the macro-average of a measure.

    Systems of equal value share a rank, and the next is counted on: 1, 2, 3, 4, 4, 6.

    Args:
        results: the results of the campaign.
        measure: the text of the measure.
        group: over which test sets.
        rule: `exact`, `conll17` or `conll18`.
    """
    chosen, lower = _RULES[rule], lower_is_better(measure)
    without = any if not lower else all  # a perplexity is missing where an output is; 0 would be the best
    undefined = tuple(
        code
        for code in group.codes
        if without(results.results[system, code].values[measure] is None for system in results.systems)
    )
    known = {
        system: not undefined and all(results.results[system, code].values[measure] is not None for code in group.codes)
        for system in results.systems
    }
    standings = [_standing(results, one, measure, group, chosen, known=known[one]) for one in results.systems]
    return Ranking(measure, group, rule, tuple(ranked(standings, lower=lower)), undefined)


def ranked(standings: Iterable[Standing], *, lower: bool = False) -> list[Standing]:
    """Give standings their ranks, and put them in order: by value, then by name, those without a value last.

    Args:
        standings: in any order, without ranks.
        lower: whether lower values are better.
    """
    sign = 1 if lower else -1
    ordered = sorted(standings, key=lambda one: (one.value is None, sign * (one.value or 0), one.system))
    result: list[Standing] = []
    for place, standing in enumerate(ordered, 1):
        shared = bool(result) and result[-1].value == standing.value
        number = result[-1].rank if shared else place
        result.append(standing._replace(rank=None if standing.value is None else number))
    return result


def macro_average(values: Sequence[Fraction]) -> Fraction:
    """Average values exactly, each counting the same.

    Args:
        values: at least one.
    """
    total, whole = _sum([(value.numerator, value.denominator) for value in values])
    return Fraction(total, whole * len(values))


def _sum(parts: list[tuple[int, int]]) -> tuple[int, int]:
    """Add fractions in pairs, without reducing: their numbers grow evenly, which is fast where there are hundreds."""
    while len(parts) > 1:
        unpaired = parts[-1:] if len(parts) % 2 else []
        parts = [(a * d + c * b, b * d) for (a, b), (c, d) in zip(parts[::2], parts[1::2])] + unpaired
    return parts[0]


def _standing(results: Results, system: str, measure: str, group: Group, rule: _Rule, *, known: bool) -> Standing:
    own = [results.results[system, code] for code in group.codes]
    n_valid = sum(result.state == "valid" for result in own)
    if not known:
        return Standing(system, None, None, None, n_valid)
    value = _average([result.values[measure] or Fraction(0) for result in own], rule)
    salvaged = any(result.coverage is not None for result in own)
    valid_only = _average([_secondary(result, measure) for result in own], rule) if salvaged else None
    standing = Standing(system, None, value, valid_only, n_valid)
    if not results.partial:
        return standing
    strict = _average([valid_trees_value(result, measure) for result in own], rule)
    answered, aligned = _coverage(results, system, group)
    return standing._replace(valid_trees=strict, answered=answered, aligned=aligned)


def valid_trees_value(result: OutputResult, measure: str) -> Fraction:
    """Return a partial score in which sentences without a valid tree get nothing; 0 if there is none.

    Args:
        result: the result of a system on a test set.
        measure: the text of the measure.
    """
    score = result.valid_trees.get(measure)
    return (score and score.exact) or Fraction(0)


def _coverage(results: Results, system: str, group: Group) -> tuple[Fraction, Fraction]:
    """The shares of the gold sentences and words of a group that a system covers; missing outputs cover none."""
    found = total_coverage(one for code in group.codes if (one := results.covered(system, code)))
    return Fraction(found.answered, found.sentences), Fraction(found.aligned, found.words)


def _average(values: Iterable[Fraction], rule: _Rule) -> Fraction:
    return rule.of_average(macro_average([rule.of_score(value) for value in values]))


def _secondary(result: OutputResult, measure: str) -> Fraction:
    """The value over the valid sentences of an invalid output, the official one of any other."""
    score = result.secondary.get(measure)
    value = result.values[measure] if score is None else score.exact
    return value or Fraction(0)
