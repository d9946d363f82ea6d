"""Rankings of campaigns as tables: the columns of their data, and tables for readers with their notes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType

from levelhead.campaign.ranking import (
    AdjustedSystem,
    Group,
    LeftOut,
    Ranking,
    Standing,
    SystemPair,
    adjustment_notes,
    valid_trees_value,
)
from levelhead.campaign.results import Results
from levelhead.errors import listed, names_or_number, number_of
from levelhead.evaluation import score_tables
from levelhead.evaluation.score_data import PartialCoverage, ScoreNumbers
from levelhead.measures.registry import lower_is_better
from levelhead.significance.scopes import INFLUENCE, InfluencedResult, influence_notes
from levelhead.significance.units import FEWEST_UNITS, UNITS, unit_line, unit_notes
from levelhead.tables.data import MEASURE_COLUMN, SYSTEM_COLUMN, TREEBANK_COLUMN, DataColumn, Layout
from levelhead.tables.table import Cell, Column, Detail, Table, interval_head

STATE_COLUMN = DataColumn(
    "state", "text", "Whether there is an output, and whether it is valid", choices=("valid", "invalid", "missing")
)
_OUTPUT_VALUES = (  # a missing or invalid output has the value 0, and can have a score on other data
    STATE_COLUMN,
    DataColumn(
        "value_of_valid_sentences", "number",
        "The value on the valid sentences of an invalid output. It does not affect ranks", optional=True,
    ),
    DataColumn(
        "value_of_valid_trees", "number", "For partial scores, the value in which invalid trees count as wrong",
        optional=True,
    ),
    DataColumn(
        "reason", "text", "The first reason why the value is missing or 0; null otherwise", optional=True
    ),
)  # fmt: skip
_SENTENCES_OF_INVALID = tuple(
    DataColumn(name, "integer", f"The number of {what}; null unless {when}", optional=True, limits=(0,))
    for name, what, when in (
        ("n_compared", "valid sentences with the text of a gold sentence", "the output is invalid"),
        ("n_sentences", "its sentences", "it is invalid"),
        ("n_invalid", "its sentences that are not valid CoNLL-U", "it is invalid"),
    )
)
_TREEBANK_COLUMNS = (
    TREEBANK_COLUMN._replace(about="Its code"),
    *(
        DataColumn(name, "text", f"{about}; empty if unknown")
        for name, about in (
            ("language", "Its language"), ("family", "The family of the language"),
            ("genus", "The genus of the language"),
        )
    ),
    DataColumn(
        "sha256", "text",
        "The SHA-256 of gold after decompression; null for a treebank in memory, or if only scores are known",
        optional=True,
    ),
    *(
        DataColumn(of, "integer", f"The number of gold {of}; null if only scores are known", optional=True, limits=(0,))
        for of in ("sentences", "words")
    ),
)  # fmt: skip

_SYSTEM, _TREEBANK, _MEASURE = SYSTEM_COLUMN, TREEBANK_COLUMN, MEASURE_COLUMN
_GROUP = DataColumn("group", "text", "The group of treebanks")

LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "standings": (
            _GROUP,
            _MEASURE,
            Standing,
            DataColumn("unit", "text", "The unit of the value", choices=("percent", "perplexity")),
            DataColumn(
                "line_below", "boolean", "Whether it differs significantly from the next system; null without tests",
                optional=True,
            ),
        ),
        "scores": (_SYSTEM, _TREEBANK, _MEASURE, ScoreNumbers, *_OUTPUT_VALUES),
        "systems": (_GROUP, _MEASURE, AdjustedSystem),
        "outputs": (
            _SYSTEM, _TREEBANK, STATE_COLUMN,
            DataColumn("status", "text", "The status in the words of the official evaluators"), *_SENTENCES_OF_INVALID,
        ),
        "reasons": (_SYSTEM, _TREEBANK, DataColumn("reason", "text", "Why the output scores 0")),
        "pairs": (_GROUP, _MEASURE, SystemPair),
        "influence": (_GROUP, _MEASURE, _SYSTEM, DataColumn("other", "text", "The other system"), *INFLUENCE),
        "groups": (_GROUP, _TREEBANK, DataColumn("included", "boolean", "Whether the treebank was ranked")),
        "undefined": (_GROUP, _MEASURE, DataColumn("treebank", "text", "A treebank without a value, so no average")),
        "treebanks": _TREEBANK_COLUMNS,
        "units": UNITS,
        "coverage": (_SYSTEM, _TREEBANK, PartialCoverage),
        "left_out": (LeftOut,),
    }
)  # fmt: skip
"""The tables of rankings: pairs and units only with tests, coverage only of partial scores, left_out only in a task,
systems only if missing scores are predicted."""


def ranking_table(results: Results, rankings: Sequence[Ranking]) -> Table:
    """Return the leaderboard: one row per system, ordered by the first measure; groups follow each other."""
    standings = [standing for ranking in rankings for standing in ranking.standings]
    optional = ("interval", "rank_interval", "letters", "share_answered", "value_of_valid_sentences")
    shown = {name for name in optional if any(getattr(standing, name) is not None for standing in standings)}
    shown |= {"group"} if len({ranking.group for ranking in rankings}) > 1 else set()
    level = results.signature.get("level", "0.95")
    rows: list[list[tuple[Column, Cell]]] = []
    lines: set[int] = set()
    for _, of_group in groupby(rankings, key=lambda ranking: ranking.group):
        first, *others = of_group
        lines |= {len(rows)} if rows else set()
        lines |= {len(rows) + place for place in first.lines or ()}
        rows += [_row(standing, first, others, shown, level) for standing in first.standings]
    columns, notes = tuple(column for column, _ in rows[0]), tuple(_notes(results, rankings))
    table = Table(columns, tuple(tuple(cell for _, cell in row) for row in rows), notes, frozenset(lines))
    return table._replace(signature={**results.signature, "ranking": rankings[0].rule})


def _row(
    standing: Standing, first: Ranking, others: Sequence[Ranking], shown: Collection[str], level: str
) -> list[tuple[Column, Cell]]:
    measure = first.measure
    partial = "share_answered" in shown
    outputs = "Scored outputs" if partial else "Valid outputs"  # a partial score does not require valid trees
    of_valid_sentences = standing.value_of_valid_sentences
    row: list[tuple[bool, Column, Cell]] = [
        ("group" in shown, Column("Group", "text"), first.group.name),
        (True, Column("Rank", "number"), standing.rank),
        (True, Column("System", "text"), standing.system),
        (True, Column(measure, "percent"), printed(standing.exact)),
        (partial, Column(f"{measure} ({score_tables.VALID_TREES.lower()})", "percent"), standing.value_of_valid_trees),
        (partial, score_tables.COVERAGE[0], standing.share_answered),
        (partial, score_tables.COVERAGE[1], standing.share_aligned),
        (
            "interval" in shown,
            Column(interval_head(level), "percent"),
            standing.interval,
        ),
        ("rank_interval" in shown, Column("Ranks", "text"), standing.rank_interval and span(*standing.rank_interval)),
        ("letters" in shown, Column("Letters", "text"), standing.letters),
    ]
    for ranking in others:
        name = ranking.measure
        other = next(each for each in ranking.standings if each.system == standing.system)
        row += [
            (True, Column(name, "percent"), printed(other.exact)),
            (partial, Column(f"{name} ({score_tables.VALID_TREES.lower()})", "percent"), other.value_of_valid_trees),
            (True, Column(f"{name} rank", "number", rank=1), other.rank),
        ]
    row += [
        (True, Column(outputs, "text"), f"{standing.n_valid} of {standing.n_treebanks}"),
        ("value_of_valid_sentences" in shown, Column(f"{measure} of valid sentences", "percent", rank=2),
         standing.value if of_valid_sentences is None else of_valid_sentences),
    ]  # fmt: skip
    return [(column, cell) for is_shown, column, cell in row if is_shown]


def _notes(results: Results, rankings: Sequence[Ranking]) -> list[str]:
    shown = {code for ranking in rankings for code in ranking.group.codes}
    firsts = {group: next(of_group) for group, of_group in groupby(rankings, key=lambda ranking: ranking.group)}
    undefined = {ranking.measure: undefined_average(ranking) for ranking in rankings if ranking.undefined}
    of_valid_sentences = Detail(
        "of valid sentences: invalid outputs are scored on their comparable sentences, not as 0; unofficial, does"
        " not affect ranks"
    )
    has_invalid = any(
        standing.value_of_valid_sentences is not None for ranking in rankings for standing in ranking.standings
    )
    first = rankings[0]
    zeros = [(standing.system, _counted_zeros(results, first, standing.system)) for standing in first.standings]
    counted = [f"{system} counts {text}" for system, text in zeros if text]
    adjusted = bool(first.adjusted)
    return [
        *([listed(counted, MOST_NAMED)] if counted else []),
        *(adjustment_notes(first, of_files=bool(results.units)) if adjusted else []),
        *(note for system in results.systems for note in _zeros(results, system, shown, adjusted=adjusted)),
        *([of_valid_sentences] if has_invalid else []),
        *notes_on_partial_scores(results, shown),
        *test_notes(results, list(firsts.values())),
        *relation_notes(results, shown),
        *(f"{group.name}: {included_test_sets(group)}" for group in firsts if group.lacks),
        *(f"{measure}: {note}" for measure, note in undefined.items()),
    ]


def notes_on_partial_scores(results: Results, codes: Collection[str]) -> list[str]:
    return score_tables.partial_notes(
        (system, results.covered(system, code)) for system, code in results.results if code in codes
    )


def relation_notes(results: Results, codes: Collection[str]) -> list[str]:
    """Return the notes on excluded relations and on relations of the other UD version, each with its test sets."""
    return [f"{note} (on {listed(places, MOST_NAMED)})" for note, places in results.notes_on(codes).items()]


def _zeros(results: Results, system: str, shown: Collection[str], *, adjusted: bool) -> list[str]:
    codes = [test_set.code for test_set in results.test_sets if test_set.code in shown]
    outputs = {code: results.results[system, code] for code in codes}
    outputs = {code: each for code, each in outputs.items() if not (adjusted and each.state == "missing")}
    missing = [code for code, result in outputs.items() if result.state == "missing" and not result.reasons]
    notes = [Detail(f"{system}: 0 on {listed(missing, MOST_NAMED)}: no output")] if missing else list[str]()
    for code, result in outputs.items():
        if result.reasons:
            more = f" (and {len(result.reasons) - 1} more)" if len(result.reasons) > 1 else ""
            coverage = result.coverage
            valid = f"; {coverage.scored:,} of {coverage.gold:,} sentences can be compared" if coverage else ""
            notes.append(Detail(f"{system}: 0 on {code}: {result.reasons[0]}{more}{valid}"))
    return notes + [
        f"{system}: no {name} on {code}: {score.reason}"
        for code, result in outputs.items()
        for name, score in result.scores.items()
        if score.reason  # and gold has something to measure
        and any(results.results[other, code].values[name] is not None for other in results.systems)
    ]


def printed(value: Fraction | None) -> float | None:
    """Return a value for readers, rounded half-way as the official evaluators print scores: 100 times a float."""
    return None if value is None else 100 * float(value / 100)


def results_table(results: Results) -> Table:
    plain = (Column(name, "percent") for name in results.measures)
    measures = score_tables.columns_with_valid_trees(results.measures) if results.partial else plain
    columns = (Column("System", "text"), Column("Treebank", "text"), *measures)
    codes = [test_set.code for test_set in results.test_sets]
    rows = list[tuple[Cell, ...]]()
    for system in results.systems:
        for code in codes:
            result, coverage = results.results[system, code], results.covered(system, code)
            cells: list[Cell] = []
            for name, value in result.values.items():
                cells.append(printed(value))
                if coverage:
                    cells.append(None if value is None else float(valid_trees_value(result, name)))
            cells += score_tables.coverage_cells(coverage) if coverage else ()
            rows.append((system, code, *cells, result.state, "; ".join(result.reasons)))
    notes = (*relation_notes(results, codes), *notes_on_partial_scores(results, codes))
    all_columns = (*columns, Column("State", "text"), Column("Reason", "text", rank=-1))
    return Table(all_columns, tuple(rows), notes, signature=results.signature)


def left_out_notes(left_out: Sequence[LeftOut]) -> tuple[str, ...]:
    teams = [
        f"{name} (submission {', '.join(str(failed.submission) for failed in of_team)})"
        for name, of_team in groupby(sorted(left_out), attrgetter("system"))
    ]
    return (f"left out because the organizer could not run or score them: {'; '.join(teams)}",) if teams else ()


MOST_NAMED = 6
SHARED_LETTERS = "systems that share a letter do not differ significantly"


def span(first: int, last: int) -> str:
    """Return a range of numbers as text, such as `2-4`; only `2` if both ends are 2."""
    return f"{first}" if first == last else f"{first}-{last}"


def has_tests(ranking: Ranking) -> bool:
    return any(standing.rank_interval for standing in ranking.standings)


def first_place(results: Results, ranking: Ranking, *, several: bool) -> str:
    """Return which system is first, and whether significantly; with the group if there are several."""
    placed = [standing for standing in ranking.standings if standing.value is not None]
    if not placed:
        return f"No system has an average of {ranking.measure}."
    if not any(standing.n_valid for standing in placed):
        return "No output is valid."
    best = [standing.system for standing in placed if standing.rank == placed[0].rank]
    where = f" on {ranking.group.name}" if several else ""
    if ranking.adjusted and len(placed) < len(ranking.standings):
        where += f" of {number_of(len(placed), 'comparable system')}"
    how = f"{where} ({ranking.measure} {placed[0].value:.2f})"
    if len(best) > 1:
        return f"{names_or_number(best, 'system')} are tied for first place{how}."
    how += f" despite {zeros}" if (zeros := _counted_zeros(results, ranking, best[0])) else ""
    if len(placed) > 1:
        second = placed[1].system
        ahead = f", ahead of {second} ({placed[1].value:.2f})"
        if has_tests(ranking):
            how += " and is" if 1 in (ranking.lines or ()) else " but is not"
            ahead = f" significantly better than {second}"
        elif ranking.adjusted:
            ahead += _doubt(ranking)
        how += ahead + (f", which counts {zeros}" if (zeros := _counted_zeros(results, ranking, second)) else "")
    return f"{best[0]} ranks first{how}."


def _doubt(ranking: Ranking) -> str:
    """Why predictions leave open which of the first two systems is better; "" if they do not."""
    (first, second), predicted = ranking.adjusted[:2], [row for row in ranking.adjusted[:2] if row.n_missing]
    unknown = [row.system for row in predicted if row.adjusted_interval is None]
    if unknown:
        return f", but the interval of {unknown[0]} is unknown"
    if predicted and first.adjusted_interval and second.adjusted_interval:
        return ", but their intervals overlap" if first.adjusted_interval[0] <= second.adjusted_interval[1] else ""
    return ""


def _counted_zeros(results: Results, ranking: Ranking, system: str) -> str:
    """The test sets on which a system counts 0, since its output is missing or invalid, with reasons, or ""."""
    outputs = {code: results.results[system, code] for code in ranking.group.codes}
    zeros = {
        code: each
        for code, each in outputs.items()
        if each.state != "valid" and each.values[ranking.measure] == 0
        if not (ranking.adjusted and each.state == "missing")
    }
    if len(zeros) != 1:
        return f"0 on {number_of(len(zeros), 'test set')}" if zeros else ""
    ((code, output),) = zeros.items()
    fault = next(iter(output.faults), None)
    line = f", line {fault.place.line}" if fault and fault.place.line else ""
    return f"0 on {code} ({fault.slug if fault else output.state}{line})"


def undecided_ranks(ranking: Ranking) -> str:
    ranges = {standing.system: standing.rank_interval for standing in ranking.standings if standing.rank_interval}
    if not (undecided := {system: ends for system, ends in ranges.items() if ends[0] < ends[1]}):
        return f"no undecided ranks by {ranking.measure}" if ranges else ""
    ranks = {rank for first, last in undecided.values() for rank in range(first, last + 1)}
    starts = sorted(rank for rank in ranks if rank - 1 not in ranks)
    ends = sorted(rank for rank in ranks if rank + 1 not in ranks)
    spans = ", ".join(map(span, starts, ends))
    return f"undecided ranks by {ranking.measure}: {spans} ({listed(list(undecided), MOST_NAMED)})"


def undefined_average(ranking: Ranking) -> str:
    """Return a note on the test sets without a value, because of which a ranking has no averages; empty if it has."""
    reason = "no output has a value" if lower_is_better(ranking.measure) else "gold has nothing to measure"
    return f"no average, since {reason} on {listed(ranking.undefined, MOST_NAMED)}" if ranking.undefined else ""


def included_test_sets(group: Group) -> str:
    n_all = len(group.codes) + len(group.lacks)
    verb = "is" if len(group.codes) == 1 else "are"
    return f"{len(group.codes)} of the group's {number_of(n_all, 'test set')} {verb} included" if group.lacks else ""


def test_notes(results: Results, rankings: Sequence[Ranking]) -> list[str]:
    undecided = [(ranking, note) for ranking in rankings if (note := undecided_ranks(ranking))]
    failed = any_failed(results, [ranking for ranking, _ in undecided])
    return [
        *notes_on_units(results, rankings),
        *influence_notes(result for ranking in rankings for result in influenced_results(ranking)),
        *([SHARED_LETTERS, Detail("each interval is for one average only")] if undecided else []),
        *(Detail(f"{ranking.group.name}: {note}" if len(rankings) > 1 else note) for ranking, note in undecided),
        *([Detail("a missing or invalid output alone never makes a difference significant")] if failed else []),
    ]


def influenced_results(ranking: Ranking) -> Iterator[InfluencedResult]:
    for pair, influenced in ranking.influences:
        name = f"difference in {ranking.measure} between {' and '.join(pair)}"
        yield f"in {ranking.group.name}", name, influenced


def notes_on_units(results: Results, rankings: Sequence[Ranking]) -> list[str]:
    codes = {code for ranking in rankings if ranking.lines is not None for code in ranking.group.codes}
    units = {code: unit for code, unit in results.units.items() if code in codes}
    tested = any(has_tests(ranking) for ranking in rankings)
    if units:
        parallel = results.parallel(list(units))
        by_unit = [unit_line(units, averaged=parallel.averaged())] if tested else []
        return [*by_unit, *unit_notes(units, averaged=tested), *parallel.notes()]
    line = f"confidence intervals and p-values by test set: {number_of(len(codes), 'test set')}"
    few = f"fewer than {FEWEST_UNITS} test sets, so no intervals or p-values"
    return [] if not codes else [few if len(codes) < FEWEST_UNITS else line]


def any_failed(results: Results, rankings: Iterable[Ranking]) -> bool:
    codes = {code for ranking in rankings for code in ranking.group.codes}
    return bool(results.gold) and any(
        results.results[system, code].state != "valid" for system in results.systems for code in codes
    )
