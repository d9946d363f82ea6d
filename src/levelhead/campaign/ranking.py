"""Groups of test sets, macro-averages over them, and rankings."""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from levelhead.campaign.plan import TestSet
from levelhead.campaign.results import OutputResult, Results
from levelhead.errors import Fault, InputError, unknown
from levelhead.evaluation.coverage import total_coverage
from levelhead.measures.registry import lower_is_better

ALL = "all"
"""The group of all test sets of a campaign."""

EACH = "each"
"""The name for every test set as a separate group."""


class Group(NamedTuple):
    """A group of test sets for averages.

    Args:
        name: its name.
        codes: the codes of its test sets.
        lacks: the codes of its test sets that are not in this campaign.
    """

    name: str
    codes: tuple[str, ...]
    lacks: tuple[str, ...] = ()


@cache
def official_groups() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the groups of the shared tasks: by task, `conll17` or `conll18`, then by name."""
    return tomllib.loads((files("levelhead.campaign") / "groups.toml").read_text(encoding="utf-8"))


def groups_named(
    names: Iterable[str],
    test_sets: Sequence[TestSet],
    *,
    own: Mapping[str, Sequence[str]] | None = None,
    ranking: str = "exact",
) -> tuple[Group, ...]:
    """Return groups by name.

    A name is `all`; `each` (every test set separately); a group of the campaign; `language:Czech`, `family:Uralic` or
    `genus:Slavic`; or a group of a shared task, `conll18:pud`, or just `pud` if systems are ranked as in that task.

    Args:
        names: the names.
        test_sets: the test sets of the campaign.
        own: the groups of the campaign: the codes of their test sets by name.
        ranking: the rule of ranking.

    Raises:
        InputError: the group is unknown, or none of its test sets is in the campaign.
    """
    groups = (
        [Group(test_set.code, (test_set.code,)) for test_set in test_sets]
        if name == EACH and EACH not in (own or {})
        else [_group(name, test_sets, own or {}, ranking)]
        for name in dict.fromkeys(names)
    )
    return tuple(dict.fromkeys(itertools.chain.from_iterable(groups)))


def _group(name: str, test_sets: Sequence[TestSet], own: Mapping[str, Sequence[str]], ranking: str) -> Group:
    members = _members(name, test_sets, own, ranking)
    if members is None:
        kinds = ("language:NAME", "family:NAME", "genus:NAME", "conll17:NAME", "conll18:NAME")
        known = [ALL, EACH, *own, *official_groups().get(ranking, {}), *kinds]
        raise InputError(Fault("unknown-group", unknown("group", name, known)))
    available = {test_set.code for test_set in test_sets}
    codes = tuple(code for code in dict.fromkeys(members) if code in available)
    if not codes:
        raise InputError(Fault("unknown-group", f"the group {name!r} contains no test set of this campaign"))
    return Group(name, codes, tuple(code for code in dict.fromkeys(members) if code not in available))


def _members(
    name: str, test_sets: Sequence[TestSet], own: Mapping[str, Sequence[str]], ranking: str
) -> Sequence[str] | None:
    if name in own:
        return own[name]
    if name == ALL:
        return [test_set.code for test_set in test_sets]
    kind, colon, value = name.partition(":")
    if colon and kind in {"language", "family", "genus"}:
        field = "name" if kind == "language" else kind
        return [test_set.code for test_set in test_sets if getattr(test_set.language, field) == value]
    task, wanted = (kind, value) if colon else (ranking, name)
    return official_groups().get(task, {}).get(wanted)


RankSets = Literal["marginal", "simultaneous"]
"""Whether confidence sets of ranks hold at the level separately or jointly."""

RANK_SETS: tuple[RankSets, ...] = get_args(RankSets)


class Standing(NamedTuple):
    """The rank of a system.

    Args:
        system: its name.
        rank: its rank, shared by systems of equal value; None without a value.
        value: its macro-average, a ratio, as used by the rule; None if the measure has no value on a test set.
        valid_only: the average with the score over its valid sentences instead of the 0 of an invalid output;
            None if it has no invalid output. It never affects ranks.
        n_valid: the number of its outputs that count; the others score 0.
        interval: the confidence interval of the value, if computed.
        ranks: the best and the worst rank of the confidence set of its rank, if computed.
        letters: its letters: systems that share a letter do not differ significantly; None without tests.
        valid_trees: for partial scores, the average in which invalid trees count as wrong; it never affects ranks.
        answered: for partial scores, the share of gold sentences with an answer.
        aligned: for partial scores, the share of gold words that are aligned.
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
        measure: the measure.
        group: the test sets.
        rule: the rule of ranking.
        standings: the systems, the best first; systems that share a rank are in alphabetical order.
        undefined: the test sets that do not annotate what is measured, so that the average is undefined.
        lines: the places after which a line is drawn, between neighbors that differ significantly; None without tests.
        rank_sets: the kind of confidence sets of ranks; None if not computed.
    """

    measure: str
    group: Group
    rule: str
    standings: tuple[Standing, ...]
    undefined: tuple[str, ...] = ()
    lines: frozenset[int] | None = None
    rank_sets: RankSets | None = None


class _Rule(NamedTuple):
    """A rule of averaging: the transformations of a score before averaging, and of the average."""

    of_score: Callable[[Fraction], Fraction]
    of_average: Callable[[Fraction], Fraction]


def _exact(value: Fraction) -> Fraction:
    return value


def _printed(value: Fraction) -> Fraction:
    """The score as printed by the evaluators: a percentage with two decimals."""
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
    """Return the ranking of the systems of a campaign by the macro-average of a measure.

    Systems with equal values share a rank, and the following ranks are skipped: 1, 2, 3, 4, 4, 6.

    Args:
        results: the results of the campaign.
        measure: the name of the measure.
        group: the test sets.
        rule: `exact`, `conll17` or `conll18`.
    """
    chosen, lower = _RULES[rule], lower_is_better(measure)
    without = any if not lower else all  # a missing output has no perplexity: 0 would be the best
    undefined = tuple(
        code
        for code in group.codes
        if without(results.results[system, code].values[measure] is None for system in results.systems)
    )
    known = {
        system: not undefined and all(results.results[system, code].values[measure] is not None for code in group.codes)
        for system in results.systems
    }
    standings = [_standing(results, system, measure, group, chosen, known=known[system]) for system in results.systems]
    return Ranking(measure, group, rule, tuple(ranked(standings, lower=lower)), undefined)


def ranked(standings: Iterable[Standing], *, lower: bool = False) -> list[Standing]:
    """Return standings with ranks, ordered by value, then by name; standings without a value are last."""
    sign = 1 if lower else -1
    ordered = sorted(standings, key=lambda s: (s.value is None, sign * (s.value or 0), s.system))
    result: list[Standing] = []
    for place, standing in enumerate(ordered, 1):
        shared = bool(result) and result[-1].value == standing.value
        number = result[-1].rank if shared else place
        result.append(standing._replace(rank=None if standing.value is None else number))
    return result


def macro_average(values: Sequence[Fraction]) -> Fraction:
    """Return the exact average of values.

    Args:
        values: at least one value.
    """
    total, whole = _sum([(value.numerator, value.denominator) for value in values])
    return Fraction(total, whole * len(values))


def _sum(parts: list[tuple[int, int]]) -> tuple[int, int]:
    """Add fractions in pairs, without reducing them, which is fast for hundreds of fractions."""
    while len(parts) > 1:
        unpaired = parts[-1:] if len(parts) % 2 else []
        parts = [(a * d + c * b, b * d) for (a, b), (c, d) in zip(parts[::2], parts[1::2])] + unpaired
    return parts[0]


def _standing(results: Results, system: str, measure: str, group: Group, rule: _Rule, *, known: bool) -> Standing:
    outputs = [results.results[system, code] for code in group.codes]
    n_valid = sum(output.state == "valid" for output in outputs)
    answered, aligned = _coverage(results, system, group) if results.partial else (None, None)
    if not known:
        return Standing(system, None, None, None, n_valid, answered=answered, aligned=aligned)
    value = _average([output.values[measure] or Fraction(0) for output in outputs], rule)
    valid_only = None
    if any(output.coverage is not None for output in outputs):
        valid_only = _average([_value_of_valid_sentences(output, measure) for output in outputs], rule)
    strict = _average([valid_trees_value(output, measure) for output in outputs], rule) if results.partial else None
    return Standing(system, None, value, valid_only, n_valid, valid_trees=strict, answered=answered, aligned=aligned)


def valid_trees_value(result: OutputResult, measure: str) -> Fraction:
    """Return a partial score in which invalid trees count as wrong; 0 without a score."""
    score = result.valid_trees.get(measure)
    return (score and score.exact) or Fraction(0)


def _coverage(results: Results, system: str, group: Group) -> tuple[Fraction, Fraction]:
    """The shares of the gold sentences and words of a group that a system covers; missing outputs count as 0."""
    total = total_coverage(coverage for code in group.codes if (coverage := results.covered(system, code)))
    return Fraction(total.answered, total.sentences), Fraction(total.aligned, total.words)


def _average(values: Iterable[Fraction], rule: _Rule) -> Fraction:
    return rule.of_average(macro_average([rule.of_score(value) for value in values]))


def _value_of_valid_sentences(result: OutputResult, measure: str) -> Fraction:
    """The value over the valid sentences of an invalid output; for valid outputs, the official value."""
    score = result.secondary.get(measure)
    value = result.values[measure] if score is None else score.exact
    return value or Fraction(0)
