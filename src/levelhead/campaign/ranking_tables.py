"""Rankings of campaigns as tables and as JSON documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from levelhead.campaign.ranking import Group, Ranking, Standing, valid_trees_value
from levelhead.campaign.results import OutputResult, Results
from levelhead.errors import listed, number_of
from levelhead.evaluation.score_tables import (
    COVERAGE,
    VALID_TREES,
    columns_with_valid_trees,
    coverage_cells,
    partial_notes,
    score_numbers,
    units_document,
)
from levelhead.measures.registry import lower_is_better
from levelhead.scoring.measure_notes import named_note
from levelhead.significance import FEWEST_UNITS, unit_line, unit_notes
from levelhead.tables.documents import header, notes_of, points, signature_line
from levelhead.tables.table import Cell, Column, Table, interval_cell, interval_head, percentage, value_cell


def ranking_table(results: Results, rankings: Sequence[Ranking]) -> Table:
    """Return the leaderboard: one row per system, ordered by the first measure; groups follow each other."""
    groups = [tuple(some) for _, some in groupby(rankings, key=lambda ranking: ranking.group)]
    extras = _OptionalColumns(rankings)
    rows: list[tuple[Cell, ...]] = []
    lines = set()
    for some in groups:
        lines |= {len(rows)} if rows else set()
        lines |= {len(rows) + place for place in some[0].lines or ()}
        rows += [_row(standing, some, extras) for standing in some[0].standings]
    notes = (*_notes(results, rankings), signature_line({**results.signature, "ranking": rankings[0].rule}))
    level = results.signature.get("level", "0.95")
    return Table(_columns(groups[0], extras, level), tuple(rows), notes, frozenset(lines))


class _OptionalColumns:
    """Which optional columns a ranking has, in addition to ranks and values."""

    def __init__(self, rankings: Sequence[Ranking]) -> None:
        standings = [standing for ranking in rankings for standing in ranking.standings]
        self.group = len({ranking.group for ranking in rankings}) > 1
        self.interval = any(standing.interval for standing in standings)
        self.ranks = any(standing.ranks for standing in standings)
        self.letters = any(standing.letters for standing in standings)
        self.partial = any(standing.answered is not None for standing in standings)
        self.valid_only = any(standing.valid_only is not None for standing in standings)


def _columns(rankings: Sequence[Ranking], extras: _OptionalColumns, level: str) -> tuple[Column, ...]:
    first = rankings[0].measure
    columns = [Column("Group", "text")] if extras.group else []
    columns += [Column("Rank", "number"), Column("System", "text"), Column(first)]
    columns += [Column(f"{first} ({VALID_TREES.lower()})"), *COVERAGE] if extras.partial else []
    columns += [Column(interval_head(level), ends=("low", "high"))] if extras.interval else []
    columns += [Column("Ranks", "text")] if extras.ranks else []
    columns += [Column("Letters", "text")] if extras.letters else []
    for ranking in rankings[1:]:
        columns.append(Column(ranking.measure))
        columns += [Column(f"{ranking.measure} ({VALID_TREES.lower()})")] if extras.partial else []
        columns.append(Column(f"{ranking.measure} rank", "number"))
    columns.append(Column("Valid outputs", "text"))
    return (*columns, Column(f"{first} of valid sentences")) if extras.valid_only else tuple(columns)


def _row(standing: Standing, rankings: Sequence[Ranking], extras: _OptionalColumns) -> tuple[Cell, ...]:
    group = rankings[0].group
    cells: list[Cell] = [group.name] if extras.group else []
    cells += [standing.rank, standing.system, _value(standing.value, rankings[0].measure)]
    cells += [_value(standing.valid_trees, rankings[0].measure)] if extras.partial else []
    cells += [float(share or 0) for share in (standing.answered, standing.aligned)] if extras.partial else []
    cells += [_interval(standing, rankings[0].measure)] if extras.interval else []
    cells += [span(*standing.ranks) if standing.ranks else None] if extras.ranks else []
    cells += [standing.letters] if extras.letters else []
    for ranking in rankings[1:]:
        other = next(one for one in ranking.standings if one.system == standing.system)
        strict = [_value(other.valid_trees, ranking.measure)] if extras.partial else []
        cells += [_value(other.value, ranking.measure), *strict, other.rank]
    cells.append(f"{standing.n_valid} of {len(group.codes)}")
    if extras.valid_only:
        value = standing.value if standing.valid_only is None else standing.valid_only
        cells.append(_value(value, rankings[0].measure))
    return tuple(cells)


def _interval(standing: Standing, measure: str) -> Cell:
    return interval_cell(standing.interval, perplexity=lower_is_better(measure))


def _value(value: Fraction | None, measure: str) -> Cell:
    return value_cell(value, perplexity=lower_is_better(measure))


def _notes(results: Results, rankings: Sequence[Ranking]) -> list[str]:
    """Notes on zeros, with their reasons, on tests and on missing values."""
    shown = {code for ranking in rankings for code in ranking.group.codes}
    notes = [note for system in results.systems for note in _zeros(results, system, shown)]
    if any(standing.valid_only is not None for ranking in rankings for standing in ranking.standings):
        notes.append(
            "of valid sentences: not official and without effect on ranks; invalid outputs are scored on their"
            " comparable sentences instead of as 0"
        )
    notes += notes_on_partial_scores(results, shown)
    firsts = {ranking.group: ranking for ranking in reversed(rankings)}
    notes += test_notes(results, [firsts[group] for group in dict.fromkeys(ranking.group for ranking in rankings)])
    notes += relation_notes(results, shown)
    groups = dict.fromkeys(ranking.group for ranking in rankings)
    notes += [f"{group.name}: {included_test_sets(group)}" for group in groups if group.lacks]
    undefined = {ranking.measure: undefined_average(ranking) for ranking in rankings if ranking.undefined}
    return [*notes, *(f"{measure}: {note}" for measure, note in undefined.items())]


def notes_on_partial_scores(results: Results, codes: Collection[str]) -> list[str]:
    """Return the notes on what partial scores cover."""
    return partial_notes((system, results.covered(system, code)) for system, code in results.results if code in codes)


def relation_notes(results: Results, codes: Collection[str]) -> list[str]:
    """Return the notes on excluded relations and on relations of the other UD version, each with its test sets."""
    notes: dict[str, dict[str, None]] = {}
    for (system, code), result in results.results.items():
        for note in result.notes if code in codes else ():
            notes.setdefault(named_note(note, system), {})[code] = None
    return [f"{note} (on {listed(list(places), MOST_NAMED)})" for note, places in notes.items()]


def _sizes(results: Results, code: str) -> dict[str, Any]:
    if code not in results.gold:
        return {}
    gold = results.gold[code]
    return {"sha256": gold.sha256, "sentences": gold.sentences, "words": gold.words}


def _zeros(results: Results, system: str, shown: Collection[str]) -> list[str]:
    """A line for the missing outputs of a system on the test sets shown, and one for each invalid one."""
    own = {
        test_set.code: results.results[system, test_set.code]
        for test_set in results.test_sets
        if test_set.code in shown
    }
    missing = [code for code, result in own.items() if result.state == "missing" and not result.reasons]
    notes = [f"{system}: 0 on {listed(missing, MOST_NAMED)}: no output"] if missing else []
    notes += [f"{system}: 0 on {code}: {_reason(result)}" for code, result in own.items() if result.reasons]
    for code, one in own.items():
        others = [results.results[other, code].values for other in results.systems]
        for name, score in one.scores.items():
            if score.reason and any(values[name] is not None for values in others):  # else gold has nothing to measure
                notes.append(f"{system}: no {name} on {code}: {score.reason}")
    return notes


def _reason(result: OutputResult) -> str:
    more = len(result.reasons) - 1
    coverage = result.coverage
    valid = f"; {coverage.scored:,} of {coverage.gold:,} sentences can be compared" if coverage else ""
    return f"{result.reasons[0]}{f' (and {more} more)' if more else ''}{valid}"


def results_table(results: Results) -> Table:
    """Return one row per system and test set; `read_scores` can read the table."""
    measures = columns_with_valid_trees(results.measures) if results.partial else map(Column, results.measures)
    columns = [Column("System", "text"), Column("Treebank", "text"), *measures]
    rows = []
    for system in results.systems:
        for test_set in results.test_sets:
            result = results.results[system, test_set.code]
            values = _partial_values(results, system, test_set.code) if results.partial else _values(result)
            rows.append((system, test_set.code, *values, result.state, "; ".join(result.reasons)))
    columns += [Column("State", "text"), Column("Reason", "text")]
    notes = relation_notes(results, [one.code for one in results.test_sets])
    notes += notes_on_partial_scores(results, [one.code for one in results.test_sets])
    return Table(tuple(columns), tuple(rows), (*notes, signature_line(results.signature)))


def _values(result: OutputResult) -> Iterable[Cell]:
    return (_value(value, name) for name, value in result.values.items())


def _partial_values(results: Results, system: str, code: str) -> Iterable[Cell]:
    """Each value, its value with only valid trees, and the coverage."""
    result, coverage = results.results[system, code], results.covered(system, code)
    for name, value in result.values.items():
        yield from (_value(value, name), None if value is None else float(valid_trees_value(result, name)))
    yield from coverage_cells(coverage) if coverage else ()


def ranking_document(results: Results, rankings: Sequence[Ranking]) -> dict[str, Any]:
    """Return a campaign and its rankings for JSON: ratios as percentages at full precision."""
    return {
        **header("ranking", results.signature),
        "ranking": rankings[0].rule,
        **({"units": units_document(results.units)} if results.units else {}),
        "systems": list(results.systems),
        "measures": list(results.measures),
        "test_sets": [
            {
                "code": test_set.code,
                "language": test_set.language.name,
                "family": test_set.language.family,
                "genus": test_set.language.genus,
                **_sizes(results, test_set.code),
            }
            for test_set in results.test_sets
        ],
        "rankings": [_ranking(ranking) for ranking in rankings],
        "results": list(result_documents(results)),
    }


def result_documents(results: Results) -> Iterable[dict[str, Any]]:
    """Give the result of each system on each test set for JSON, one document each."""
    for system in results.systems:
        for test_set in results.test_sets:
            result = results.results[system, test_set.code]
            yield {
                "system": system,
                "test_set": test_set.code,
                "state": result.state,
                "status": result.status,
                "reasons": list(result.reasons),
                "values": {name: _number(value, name) for name, value in result.values.items()},
                "scores": {name: score_numbers(score) for name, score in result.scores.items()},
                **notes_of(result.notes),
                **_secondary(result),
                **_partial(results, system, test_set.code),
            }


def _secondary(result: OutputResult) -> dict[str, Any]:
    if result.coverage is None:
        return {}
    scores = {name: score_numbers(score) for name, score in result.secondary.items()}
    return {"valid_sentences": {"coverage": result.coverage._asdict(), "scores": scores}}


def _partial(results: Results, system: str, code: str) -> dict[str, Any]:
    coverage = results.covered(system, code)
    if coverage is None:
        return {}
    strict = results.results[system, code].valid_trees
    scores = {name: score_numbers(score) for name, score in strict.items()}
    return {"scores_valid_trees": scores, "coverage": coverage._asdict()}


def _partial_standing(standing: Standing, measure: str) -> dict[str, Any]:
    if standing.answered is None:
        return {}
    shares = {"answered": points(standing.answered), "aligned": points(standing.aligned)}
    return {"valid_trees": _number(standing.valid_trees, measure), **shares}


def _number(value: Fraction | None, measure: str) -> float | None:
    """A percentage, or a perplexity."""
    return float(value) if value is not None and lower_is_better(measure) else points(value)


def _ranking(ranking: Ranking) -> dict[str, Any]:
    return {
        "group": ranking.group.name,
        "measure": ranking.measure,
        "test_sets": list(ranking.group.codes),
        "lacks": list(ranking.group.lacks),
        "undefined": list(ranking.undefined),
        "lines": None if ranking.lines is None else sorted(ranking.lines),
        "rank_sets": ranking.rank_sets,
        "standings": [
            {
                "system": standing.system,
                "rank": standing.rank,
                "value": _number(standing.value, ranking.measure),
                "valid_only": _number(standing.valid_only, ranking.measure),
                "valid_outputs": standing.n_valid,
                "interval": None if standing.interval is None else [percentage(end) for end in standing.interval],
                "ranks": None if standing.ranks is None else list(standing.ranks),
                "letters": standing.letters,
                **_partial_standing(standing, ranking.measure),
            }
            for standing in ranking.standings
        ],
    }


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
    verb = "is" if len(group.codes) == 1 else "are"
    return f"{len(group.codes)} of the group's {number_of(n_all, 'test set')} {verb} included" if group.lacks else ""


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
