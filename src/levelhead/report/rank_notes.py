"""Notes on the tests of a ranking: undecided ranks, letters, units, and missing outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from levelhead.campaign import Group, Ranking, Results
from levelhead.errors import listed, number_of
from levelhead.measures.registry import lower_is_better
from levelhead.significance import FEWEST_UNITS, unit_line, unit_notes

MOST_NAMED = 6
SHARED_LETTERS = "systems that share a letter do not differ significantly"


def span(first: int, last: int) -> str:
    """Return two ends as text, `2-4`, or `2` if they are equal."""
    return f"{first}" if first == last else f"{first}-{last}"


def undecided_ranks(ranking: Ranking) -> str:
    """Return a note on the undecided ranks and their systems; empty without tests."""
    open_ranks = {
        standing.system: standing.ranks
        for standing in ranking.standings
        if standing.ranks and standing.ranks[0] < standing.ranks[1]
    }
    if not any(standing.ranks for standing in ranking.standings):
        return ""
    if not open_ranks:
        return f"no undecided ranks by {ranking.measure}"
    ranks = sorted({rank for first, last in open_ranks.values() for rank in range(first, last + 1)})
    ranges = ", ".join(span(*ends) for ends in _ranges(ranks))
    return f"undecided ranks by {ranking.measure}: {ranges} ({listed(list(open_ranks), MOST_NAMED)})"


def undefined_average(ranking: Ranking) -> str:
    """Return a note on the test sets without a value, because of which a ranking has no averages; empty if it has."""
    reason = "no output has a value" if lower_is_better(ranking.measure) else "gold has nothing to measure"
    return f"no average, since {reason} on {listed(ranking.undefined, MOST_NAMED)}" if ranking.undefined else ""


def included_test_sets(group: Group) -> str:
    """Return a note on how many test sets of a group are in the campaign; empty if all are."""
    n_all = len(group.codes) + len(group.lacks)
    return f"{len(group.codes)} of the group's {number_of(n_all, 'test set')} are included" if group.lacks else ""


def test_notes(results: Results, rankings: Sequence[Ranking]) -> list[str]:
    """Return how to read the tests of rankings in a table."""
    tested = [ranking for ranking in rankings if undecided_ranks(ranking)]
    several = len(rankings) > 1
    notes = [f"{f'{ranking.group.name}: ' if several else ''}{undecided_ranks(ranking)}" for ranking in tested]
    if tested:
        notes.append(SHARED_LETTERS)
    notes += resampling_notes(results, rankings)
    if tested and any_failed(results, tested):
        notes.append("a missing or invalid output alone never makes a difference significant")
    return notes


def resampling_notes(results: Results, rankings: Sequence[Ranking]) -> list[str]:
    """Return notes on the units that were resampled on each test set, and on test sets with too few units."""
    codes = {code for ranking in rankings if ranking.lines is not None for code in ranking.group.codes}
    units = {code: unit for code, unit in results.units.items() if code in codes}
    tested = any(standing.ranks for ranking in rankings for standing in ranking.standings)
    if units:
        return [*([unit_line(units)] if tested else []), *unit_notes(units, averaged=tested)]
    line = f"confidence intervals and p-values by test set: {number_of(len(codes), 'test set')}"
    few = f"fewer than {FEWEST_UNITS} test sets, so no intervals or p-values"
    return [] if not codes else [few if len(codes) < FEWEST_UNITS else line]


def any_failed(results: Results, rankings: Iterable[Ranking]) -> bool:
    """Return whether an output in one of the rankings is missing or invalid."""
    codes = {code for ranking in rankings for code in ranking.group.codes}
    return bool(results.gold) and any(
        results.results[system, code].state != "valid" for system in results.systems for code in codes
    )


def _ranges(ranks: Sequence[int]) -> Iterable[tuple[int, int]]:
    """The first and last of each range of consecutive ranks."""
    starts = [rank for rank in ranks if rank - 1 not in ranks]
    return zip(starts, [rank for rank in ranks if rank + 1 not in ranks], strict=True)
