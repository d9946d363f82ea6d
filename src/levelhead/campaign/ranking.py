"""Groups of test sets, macro-averages over them, and rankings, also with predicted scores instead of missing ones."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.plan import TestSet
from levelhead.campaign.results import OutputResult, Results
from levelhead.errors import Fault, InputError, listed, number_of, unknown
from levelhead.evaluation.score_data import total_coverage
from levelhead.measures.registry import lower_is_better
from levelhead.significance.abilities import FEWEST_TEST_SETS, Abilities, expected_mean, fit_abilities
from levelhead.significance.scopes import Influenced
from levelhead.tables.data import NOT_A_COLUMN, Field, Percent, PercentInterval, Points, Probability

ALL = "all"

EACH = "each"
"""The name for every test set as a separate group."""


class Group(NamedTuple):
    """Test sets over which scores are averaged.

    Args:
        name: the name of the group.
        codes: the codes of its test sets that are in the campaign.
        lacks: the codes of its test sets that are not in the campaign.
    """

    name: str
    codes: tuple[str, ...]
    lacks: tuple[str, ...] = ()


@cache
def official_groups() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return tomllib.loads((files("levelhead.campaign") / "groups.toml").read_text(encoding="utf-8"))


def groups_named(
    names: Iterable[str],
    test_sets: Sequence[TestSet],
    *,
    own: Mapping[str, Sequence[str]] | None = None,
    ranking: str = "exact",
) -> tuple[Group, ...]:
    """Return the groups of test sets with the given names.

    - `all` is a single group with all test sets, and `each` makes a separate group of each test set.
    - A name in `own` is a custom group.
    - `language:Czech`, `family:Uralic` and `genus:Slavic` are the test sets of a language, family or genus.
    - `conll18:pud` is a group of the shared task of 2018, and `conll17:NAME` is a group of the shared task of 2017. If
      `ranking` is "conll18", `pud` also means `conll18:pud`; if it is "conll17", `NAME` also means `conll17:NAME`.

    Args:
        names: the names of groups.
        test_sets: all test sets that can be in groups.
        own: custom groups: a mapping from the name of each group to the codes of its test sets.
        ranking: the way of ranking, "exact", "conll17" or "conll18".

    Raises:
        InputError: a group is unknown, or contains none of the `test_sets`.
    """
    own = own or {}
    in_campaign = [test_set.code for test_set in test_sets]
    groups: dict[Group, None] = {}
    for name in names:
        kind, colon, value = name.partition(":")
        members: Iterable[str] | None
        if name in own:
            members = own[name]
        elif name == EACH:
            groups |= {Group(code, (code,)): None for code in in_campaign}
            continue
        elif name == ALL:
            members = in_campaign
        elif colon and kind in {"language", "family", "genus"}:
            field = "name" if kind == "language" else kind
            members = [test_set.code for test_set in test_sets if getattr(test_set.language, field) == value]
        else:
            task, task_group = (kind, value) if colon else (ranking, name)
            members = official_groups().get(task, {}).get(task_group)
        if members is None:
            kinds = ("language:NAME", "family:NAME", "genus:NAME", "conll17:NAME", "conll18:NAME")
            available = [ALL, EACH, *own, *official_groups().get(ranking, {}), *kinds]
            raise InputError(Fault("unknown-group", unknown("group", name, available)))
        members = dict.fromkeys(members)
        if not (codes := tuple(code for code in members if code in in_campaign)):
            raise InputError(Fault("unknown-group", f"the group {name!r} contains no test set of this campaign"))
        groups[Group(name, codes, tuple(code for code in members if code not in codes))] = None
    return tuple(groups)


class Standing(NamedTuple):
    """The rank of a system.

    Args:
        system: its name.
        rank: its rank, shared by systems with equal values; null without a value.
        value: its macro-average, a percentage or a perplexity; null if the system has no value on some treebank.
        n_valid: the number of its valid outputs (if `partial`, scored outputs); all others score 0.
        n_treebanks: the number of treebanks.
        interval: the confidence interval of the value; null if not computed.
        rank_interval: the confidence set of its rank; null if not computed.
        letters: letters such as "ab"; systems that share a letter do not differ significantly; null if not tested.
        value_of_valid_sentences: its average if invalid outputs are scored on their valid sentences; null without
            invalid outputs. It does not affect ranks.
        value_of_valid_trees: with `partial`, its average if invalid trees count as wrong; does not affect ranks.
        share_answered: with `partial`, the share of gold sentences with at least one HEAD in its outputs.
        share_aligned: with `partial`, the share of gold words that are aligned.
        exact: `value` as an exact fraction, by which systems are ranked. It is rounded if the rule is `conll18`.
    """

    system: str
    rank: int | None
    value: Annotated[float | None, Field("Macro-average: percentage or perplexity; null without a value", (0,))]
    n_valid: int
    n_treebanks: int
    interval: PercentInterval | None = None
    rank_interval: tuple[int, int] | None = None
    letters: str | None = None
    value_of_valid_sentences: float | None = None
    value_of_valid_trees: float | None = None
    share_answered: Percent | None = None
    share_aligned: Percent | None = None
    exact: Annotated[Fraction | None, NOT_A_COLUMN] = None

    def with_value(self, exact: Fraction | None) -> Standing:
        """Return the standing with another macro-average."""
        return self._replace(exact=exact, value=number(exact))


class AdjustedSystem(NamedTuple):
    """The average of a system in which missing scores are predicted.

    Args:
        system: its name.
        adjusted: its expected average over all test sets; null if it cannot be compared with other systems.
        adjusted_interval: the confidence interval, for errors of prediction and, with files, sampling; null if unknown.
        n_test_sets: the number of test sets with an output of the system.
    """

    system: str
    adjusted: Percent | None
    adjusted_interval: PercentInterval | None
    n_test_sets: int
    n_missing: Annotated[int, NOT_A_COLUMN] = 0


class SystemPair(NamedTuple):
    """The test of the difference between two systems of a ranking.

    Args:
        system: the system with the better rank.
        other: the other system.
        difference: the value of `system` minus the value of `other`.
        p: the p-value of the difference, corrected for the number of pairs; null if it cannot be tested.
        significant: whether they differ significantly.
        wins: the number of treebanks on which the system is significantly better; null if only scores are known.
        losses: the number of treebanks on which the other is significantly better; null if only scores are known.
    """

    system: str
    other: str
    difference: Points
    p: Probability | None
    significant: bool
    wins: int | None
    losses: int | None


class Ranking(NamedTuple):
    """A ranking of systems by their macro-average.

    Args:
        measure: the measure.
        group: the test sets over which the measure is averaged.
        rule: the ranking rule, one of `RANKINGS`.
        standings: the systems, the best first; systems that share a rank are in alphabetical order.
        undefined: the test sets that lack the measured annotation, so that the average is undefined.
        lines: the positions in `standings`, counted from 1, of systems that differ significantly from the next system.
            Tables have a line below these systems. `lines` is None if differences were not tested.
        pairs: the tests of all pairs of systems; empty if differences were not tested.
        influences: the pairs of systems whose difference depends strongly on a single sampling unit, such as a
            document. This unit causes more than a third of the variance of the difference. Each pair comes with the
            difference computed without the unit.
        adjusted: the average of each system, computed with predictions for missing scores; empty if not requested.
        not_averaged: the test sets that are left out of `adjusted`, since their missing scores cannot be predicted.
    """

    measure: str
    group: Group
    rule: str
    standings: tuple[Standing, ...]
    undefined: tuple[str, ...] = ()
    lines: frozenset[int] | None = None
    pairs: tuple[SystemPair, ...] = ()
    influences: tuple[tuple[tuple[str, str], Influenced], ...] = ()
    adjusted: tuple[AdjustedSystem, ...] = ()
    not_averaged: tuple[str, ...] = ()


class LeftOut(NamedTuple):
    """A submission to a shared task that the ranking leaves out, since the organizer could not run or score it.

    Args:
        system: the team.
        submission: the number of the submission.
    """

    system: str
    submission: int


RANKINGS = ("exact", "conll17", "conll18")
"""The rules of ranking: `exact`, averages of scores at full precision; `conll17`, averages of scores with two decimals,
ranked unrounded; `conll18`, the same averages rounded to two decimals and then ranked."""


def rank(results: Results, measure: str, group: Group, rule: str = "exact") -> Ranking:
    """Return the ranking of the systems in `results` by the macro-average of `measure` over `group`.

    Systems with equal averages share a rank, and the next rank is skipped, as in 1, 2, 3, 4, 4, 6. If `rule` is
    "exact", scores are averaged at full precision. With "conll17", scores are rounded to two decimals before they are
    averaged. With "conll18", the averages of the rounded scores are rounded as well, and systems are ranked by the
    rounded averages.
    """
    lower = lower_is_better(measure)
    without = any if not lower else all  # a missing output has no perplexity: 0 would be the best
    undefined = tuple(
        code
        for code in group.codes
        if without(results.results[system, code].values[measure] is None for system in results.systems)
    )
    standings = []
    for system in results.systems:
        outputs = [results.results[system, code] for code in group.codes]
        n_valid = sum(output.state == "valid" for output in outputs)
        standing = Standing(system, None, None, n_valid, len(outputs))
        if results.partial:  # missing outputs cover nothing
            total = total_coverage(coverage for code in group.codes if (coverage := results.covered(system, code)))
            answered, aligned = 100 * total.answered / total.sentences, 100 * total.aligned / total.words
            standing = standing._replace(share_answered=answered, share_aligned=aligned)
        values = [output.values[measure] for output in outputs]
        if not undefined and None not in values:
            standing = standing.with_value(_average(values, rule))
            if any(output.coverage is not None for output in outputs):
                scores = [output.secondary.get(measure) for output in outputs]
                valid = [value if score is None else score.exact for score, value in zip(scores, values)]
                standing = standing._replace(value_of_valid_sentences=float(_average(valid, rule)))
            if results.partial:
                valid_trees = _average([valid_trees_value(output, measure) for output in outputs], rule)
                standing = standing._replace(value_of_valid_trees=float(valid_trees))
        standings.append(standing)
    return Ranking(measure, group, rule, tuple(ranked(standings, lower=lower)), undefined)


def _average(values: Sequence[Fraction | None], rule: str) -> Fraction:
    percents = [value or Fraction(0) for value in values]
    if rule != "exact":  # as the evaluators print scores: 100 times a float, with two decimals
        percents = [Fraction(Decimal(f"{100 * float(percent / 100):.2f}")) for percent in percents]
    average = macro_average(percents)
    return Fraction(math.floor(100 * average + Fraction(1, 2)), 100) if rule == "conll18" else average


def ranked(standings: Iterable[Standing], *, lower: bool = False) -> list[Standing]:
    """Return standings with ranks, ordered by value, then by name; standings without a value are last."""
    sign = 1 if lower else -1
    ordered = sorted(standings, key=lambda s: (s.exact is None, sign * (s.exact or 0), s.system))
    result: list[Standing] = []
    for place, standing in enumerate(ordered, 1):
        number = result[-1].rank if result and result[-1].exact == standing.exact else place
        result.append(standing._replace(rank=None if standing.exact is None else number))
    return result


def macro_average(values: Sequence[Fraction]) -> Fraction:
    """Return the exact average of values."""
    parts = [(value.numerator, value.denominator) for value in values]
    while len(parts) > 1:  # in pairs, without reducing them, which is fast for hundreds of fractions
        unpaired = parts[-1:] if len(parts) % 2 else []
        parts = [(a * d + c * b, b * d) for (a, b), (c, d) in zip(parts[::2], parts[1::2])] + unpaired
    ((total, whole),) = parts
    return Fraction(total, whole * len(values))


def valid_trees_value(result: OutputResult, measure: str) -> Fraction:
    """Return a partial score in which invalid trees count as wrong; 0 without a score."""
    score = result.valid_trees.get(measure)
    return (score and score.exact) or Fraction(0)


def number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


ZEROS = "Missing and invalid outputs count as 0."
PREDICTED = "Scores of missing outputs are predicted; invalid outputs count as 0."

_MOST_NAMED = 6
_DECIMALS = 9  # of predicted averages, so that equal ones are tied


Sampling = Callable[[str, Sequence[str], str], float]
"""The variance of a system's average over some test sets by a measure, as a sample of sentences or documents."""


class FittedScores(NamedTuple):
    """The scores of a campaign by a measure, in percent, NaN where there is none, shape (systems, test sets)."""

    counted: NDArray[np.float64]  # those that count in averages
    given: NDArray[np.float64]  # those that the model explains; 0 is the score of an invalid output, not of ability
    model: Abilities


def fitted_scores(results: Results, measure: str) -> FittedScores:
    """Return the scores by a measure and the model of all of them, which serves the rankings of every group."""
    if lower_is_better(measure):
        message = f"missing scores can only be predicted for percentages, not for {measure}"
        raise InputError(Fault("invalid-argument", message))
    counted = np.full((len(results.systems), len(results.test_sets)), np.nan)
    for i, system in enumerate(results.systems):
        for j, test_set in enumerate(results.test_sets):
            output = results.results[system, test_set.code]
            value = output.values[measure]
            if output.state != "missing" and measure not in output.lacks and value is not None:
                counted[i, j] = float(value)
    given = np.where(counted > 0, counted, np.nan)
    return FittedScores(counted, given, fit_abilities(given))


def adjusted(
    results: Results, ranking: Ranking, scores: FittedScores, level: float, sampling: Sampling | None
) -> Ranking:
    """Return a ranking in which missing scores are predicted; with any missing, it has no tests of pairs."""
    if ranking.undefined:
        return ranking
    counted, _, model = scores
    places = [place for place, test_set in enumerate(results.test_sets) if test_set.code in ranking.group.codes]
    lacking = np.isnan(counted[:, places])
    unknown = np.isnan(model.easiness[places]) & lacking.any(axis=0)
    kept = np.array(places)[~unknown]
    by_system: dict[str, tuple[AdjustedSystem, Standing]] = {}
    for standing in ranking.standings:
        at = results.systems.index(standing.system)
        missing = np.isnan(counted[at, kept])
        n_test_sets = int((~lacking[at]).sum())
        row = AdjustedSystem(standing.system, None, None, n_test_sets, int(missing.sum()))
        exact, interval = standing.exact, standing.interval if sampling else None
        if len(kept) == 0 or missing.all():
            exact = interval = None
        elif missing.any() or unknown.any():
            known = [results.test_sets[place].code for place in kept[~missing]]
            mean = expected_mean(model, counted, at, kept)
            exact = None if mean is None else Fraction(round(mean.value, _DECIMALS))
            share = len(known) / len(kept)
            of_sample = sampling(standing.system, known, ranking.measure) * share**2 if sampling else 0.0
            interval = mean and mean.interval(level, of_sample * mean.leverage)
        elif not sampling:
            interval = (standing.value, standing.value) if standing.value is not None else None
        changed = standing.with_value(exact)._replace(interval=interval)
        row = row._replace(adjusted=changed.value, adjusted_interval=interval)
        by_system[standing.system] = row, changed
    rows = tuple(row for row, _ in by_system.values())
    left_out = tuple(results.test_sets[place].code for place in np.array(places)[unknown])
    if not lacking.any():
        return ranking._replace(adjusted=rows)
    standings = [
        standing._replace(rank_interval=None, letters=None, value_of_valid_sentences=None, value_of_valid_trees=None)
        for _, standing in by_system.values()
    ]
    lines = None if ranking.lines is None else frozenset[int]()
    ordered = tuple(ranked(standings))
    in_order = tuple(by_system[standing.system][0] for standing in ordered)
    return ranking._replace(
        standings=ordered, lines=lines, pairs=(), influences=(), adjusted=in_order, not_averaged=left_out
    )


def adjustment_notes(ranking: Ranking, *, of_files: bool) -> list[str]:
    """Return the notes on predicted scores: what they rest on, and where they are less reliable."""
    predicted = [row for row in ranking.adjusted if row.n_missing and row.adjusted is not None]
    unranked = [row.system for row in ranking.adjusted if row.adjusted is None]
    few = [f"{row.system} ({row.n_test_sets})" for row in predicted if row.n_test_sets < FEWEST_TEST_SETS]
    notes = []
    if predicted:
        notes.append(
            f"missing scores of {number_of(len(predicted), 'system')} are predicted as if outputs were missing by"
            " chance; teams that leave out the test sets they are bad at are ranked too high"
        )
    if few:
        notes.append(
            f"fewer than {FEWEST_TEST_SETS} test sets, so averages may be in the wrong order:"
            f" {listed(few, _MOST_NAMED)}"
        )
    if unranked:
        notes.append(
            "not ranked, since they have no valid output on a test set of the other systems:"
            f" {listed(unranked, _MOST_NAMED)}"
        )
    if ranking.not_averaged:
        names = listed(ranking.not_averaged, _MOST_NAMED)
        notes.append(f"not in the averages, since no score can be predicted: {names}")
    if not of_files:
        notes.append("intervals only reflect the predictions: without files, it is unknown how much scores vary")
    return notes
