"""Averages with predicted scores instead of missing ones, to rank systems that were run on different test sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.ranking import Ranking, Standing, ranked
from levelhead.campaign.results import Results
from levelhead.errors import Fault, InputError, listed, number_of
from levelhead.measures.registry import lower_is_better
from levelhead.significance.abilities import FEWEST_TEST_SETS, Abilities, expected_mean, fit_abilities
from levelhead.tables.data import NOT_A_COLUMN, Percent, PercentInterval

ZEROS = "Missing and invalid outputs count as 0."
PREDICTED = "Scores of missing outputs are predicted; invalid outputs count as 0."

_MOST_NAMED = 6
_DECIMALS = 9  # of predicted averages, so that equal ones are tied


class AdjustedSystem(NamedTuple):
    """The average of a system in which missing scores are predicted.

    Args:
        system: its name.
        adjusted: its expected average over all test sets; null if it cannot be compared with other systems.
        adjusted_interval: the confidence interval, from the prediction and, if files were scored, from the sampling of
            sentences or documents; null if it is unknown.
        n_test_sets: the number of test sets with an output of the system.
    """

    system: str
    adjusted: Percent | None
    adjusted_interval: PercentInterval | None
    n_test_sets: int
    n_missing: Annotated[int, NOT_A_COLUMN] = 0


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
    """Return a ranking by expected averages over all test sets; only missing scores are predicted.

    Without missing outputs, the ranking is unchanged. Otherwise, it has no tests of pairs.
    """
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
            f"missing scores of {number_of(len(predicted), 'system')} are predicted, as if outputs were missing by"
            " chance; teams tend to leave out what they are bad at, and are then ranked too high"
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
        notes.append("intervals are those of predictions only: scores without files do not show how much they vary")
    return notes
