"""The page of a comparison with a baseline: significant differences, where they come from, and in which sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from levelhead.comparison.breakdowns import MARK, UNCERTAIN
from levelhead.comparison.contrasts import AverageGain, Gain, average_gains
from levelhead.comparison.regression import verdict_text
from levelhead.comparison.systems import Comparison, wins_text
from levelhead.evaluation.score_tables import LABEL, VALID_TREES_NOTE
from levelhead.measures.registry import Registry
from levelhead.report.charts.page_charts import interval_ends
from levelhead.report.charts.row_charts import ChartRow, OpenedWords, RowChart
from levelhead.report.page.blocks import Block, Page, Section, names_or_number
from levelhead.report.page.error_costs import ALL, informative
from levelhead.report.page.examples import (
    Examples,
)
from levelhead.report.page.score import CONFUSION_LEAD
from levelhead.report.page.stores import stored
from levelhead.report.page.terms import measure_terms, open_ended
from levelhead.report.page.treebank_contrasts import TITLES, TreebankPart, joined_contrasts
from levelhead.significance import ComparedScore
from levelhead.tables.table import Cell, Column, Table, formatted, interval_cell, probability, value_cell

_KINDS = (("significantly better", "s0"), ("no significant difference", "none"), ("significantly worse", "s1"))
_MOST_ROWS = 16
_DIFFERENCE = Column("", "difference")


def comparison_page(comparison: Comparison, parts: Sequence[TreebankPart], registry: Registry) -> Page:
    """Return the page of a comparison."""
    baseline, several, (first, *others) = comparison.systems[0], len(parts) > 1, parts[0].systems
    more_runs = comparison.results[0].runs[0] - 1  # of the baseline: what readers choose last
    systems = [*others[more_runs:], *others[:more_runs], first]
    choices: dict[str, Sequence[str]] = {"measure": _measures(comparison), "system": systems}
    choices |= {"treebank": [ALL, *(part.treebank for part in parts)]} if several else {}
    whole, values = joined_contrasts(parts) if several else (parts[0].contrasts, parts[0].values)
    gains = list(_gains(parts, whole, values))
    sections = [
        Section("differences", "Differences", _DIFFERENCES.format(baseline), list(_differences(comparison, systems))),
        Section("gains", "Where differences come from", _GAINS.format(first), gains, narrow=True),
        Section("sentences", "Sentences won and lost", _SENTENCES.format(first), list(_sentences(parts, whole))),
        Section("confusion", "Confusion of relations", CONFUSION_LEAD, list(_confusions(parts))),
    ]  # fmt: skip
    facts = [
        ("systems", str(len(comparison.systems))),
        ("treebanks", str(len(parts))),
        ("gold sentences", f"{sum(part.n_sentences for part in parts):,}"),
    ]
    shown = [section for section in sections if section.blocks]
    stores = [part.contrasts for part in parts] + [examples for part in parts for _, examples in part.confusions]
    data = stored(stores, whole if several else None)
    terms, signature = measure_terms(comparison.measures, registry), comparison.provenance.signature
    against = f" compared with {baseline}" if comparison.systems[1:] else ""
    where = names_or_number([part.treebank for part in parts], "treebank")
    title = f"{names_or_number(comparison.systems[1:] or comparison.systems, 'system')}{against} on {where}"
    return Page(title, _lead(comparison), facts, choices, shown, (), signature, "comparison", data, terms)


_DIFFERENCES = (
    "Differences from {} in points, with 95% confidence intervals. Colored if significant at 5% (corrected across"
    " systems by Holm's method), otherwise gray."
)
_GAINS = (
    "Differences in LAS from {} by property of words, with 95% confidence intervals; those that affect most words"
    " first. Words: how many more are correct. Treebanks: the number of treebanks in a mean. Click a value to see words"
    " that only one of the systems gets right."
)
_SENTENCES = (
    "Sentences with more or fewer correct words (LAS) than in the output of {}. Click a row to see them, largest"
    " differences first."
)


def _of_average(comparison: Comparison, measure: str) -> list[ComparedScore]:
    """The macro-averages of all systems, or their results on a single treebank."""
    own = [result for result in comparison.results if result.measure == measure]
    return [result for result in own if result.average == "macro"] or own[: len(comparison.systems)]


def _measures(comparison: Comparison) -> list[str]:
    """The measures, LAS first, since most readers look for it."""
    return sorted(comparison.measures, key=lambda name: name != "LAS")


def _significant(result: ComparedScore) -> bool:
    return result.p_holm is not None and result.p_holm < 0.05 and result.enough_runs


def _lead(comparison: Comparison) -> str:
    return f"{LABEL} {_finding(comparison)}" if comparison.coverage else _finding(comparison)


def _finding(comparison: Comparison) -> str:
    measure = _measures(comparison)[0]
    _, *others = _of_average(comparison, measure)
    real = [other for other in others if _significant(other)]
    baseline = comparison.systems[0]
    if not real:
        return f"By {measure}, no system differs significantly from {baseline}."
    plain, column = measure in comparison.perplexities, Column(measure, "difference")
    changes = ((result.system, formatted(value_cell(result.difference, perplexity=plain), column)) for result in real)
    text = [f"{system} ({change})".replace("(-", "(\N{MINUS SIGN}") for system, change in changes]
    wins = [win for win in comparison.wins if win.measure == measure] if len(others) == 1 else []
    counted = [f" {wins_text(win, comparison).partition(': ')[2].partition(';')[0]}." for win in wins]
    return f"By {measure}, significantly different from {baseline}: {', '.join(text)}.{''.join(counted)}"


def _differences(comparison: Comparison, choices: Sequence[str]) -> Iterator[Block]:
    several = any(result.average for result in comparison.results)
    for number, measure in enumerate(_measures(comparison), 1):
        own = f"-{number}" if len(comparison.measures) > 1 else ""
        when, plain = {"measure": measure}, measure in comparison.perplexities
        results = _of_average(comparison, measure)
        rows = [
            _difference_row(result, result.system, plain=plain) for result in results if result.difference is not None
        ]
        if rows and not (several and len(rows) == 1):  # the forest plot of a single system has its averages
            title = "Macro-averages" if several else ""
            whole = f"Differences in {measure} from {comparison.systems[0]}"
            chart = _differences_chart(whole, "System", rows, plain=plain)
            yield Block(f"differences{own}", title, when=when, chart=chart)
        if several:
            yield from _forests(comparison, measure, own, choices, plain=plain)
            yield from _wins(comparison, measure, own)
        values = [_value_row(result, plain=plain) for result in results if result.value is not None]
        chart = RowChart(f"{measure} with intervals", "System", measure, (measure, "95% CI"), values, "dot", zero=False)
        yield Block(f"values{own}", f"{measure} of each system", when=when, chart=chart)
        yield _numbers(comparison, measure, f"comparison{own}")._replace(when=when)


def _forests(comparison: Comparison, measure: str, own: str, choices: Sequence[str], *, plain: bool) -> Iterator[Block]:
    """The differences of each system on all treebanks, and their averages.

    Readers choose single outputs, so the mean of several runs is always shown.
    """
    for number, system in enumerate(comparison.systems[1:], 1):
        results = [result for result in comparison.results if (result.measure, result.system) == (measure, system)]
        known = [result for result in results if result.difference is not None]
        each = sorted(
            (result for result in known if not result.average), key=lambda result: -(result.difference or 0.0)
        )
        rows = [
            _difference_row(result, result.treebank, plain=plain)._replace(goes=("treebank", result.treebank, "gains"))
            for result in each
        ]
        rows += [
            _difference_row(result, result.treebank, plain=plain)._replace(total=True)
            for result in known
            if result.average
        ]
        title = f"{system} on each treebank"
        chart = _differences_chart(f"Differences in {measure}: {title}", "Treebank", rows, plain=plain)
        when = {"measure": measure} | ({"system": system} if system in choices else {})
        yield Block(f"treebanks{own}-{number}", title, _FOREST, when, chart=chart)


_FOREST = "Click a treebank to see where its differences come from."


def _differences_chart(title: str, head: str, rows: Sequence[ChartRow], *, plain: bool) -> RowChart:
    axis = "lower is better" if plain else "points"
    return RowChart(title, head, axis, ("Diff.", "95% CI", "p", ""), rows, "dot")


def _difference_row(result: ComparedScore, label: str, *, plain: bool) -> ChartRow:
    unit, change = 1 if plain else 100, result.difference or 0.0
    better = (change < 0) == plain
    color = "fade" if not _significant(result) else "s0" if better else "s1"
    interval = result.difference_interval if plain else informative(result.difference_interval)
    cells = (
        _signed(value_cell(change, perplexity=plain)),
        _signed(interval_cell(interval, perplexity=plain)),
        "" if result.p_holm is None else probability(result.p_holm, 4),
        result.stars,
    )
    return ChartRow(label, unit * change, *interval_ends(interval, unit), cells=cells, color=color)


def _signed(cell: Cell) -> str:
    return "" if cell is None else formatted(cell, _DIFFERENCE).replace("-", "\N{MINUS SIGN}")


def _value_row(result: ComparedScore, *, plain: bool) -> ChartRow:
    unit, column = 1 if plain else 100, Column("")
    between = interval_cell(result.interval, perplexity=plain)
    cells = (
        formatted(value_cell(result.value, perplexity=plain), column),
        "" if between is None else formatted(between, column).replace("-", "\N{EN DASH}"),
    )
    return ChartRow(result.system, unit * (result.value or 0.0), *interval_ends(result.interval, unit), cells=cells)


def _numbers(comparison: Comparison, measure: str, name: str) -> Block:
    """All numbers of a measure, averages last, and the verdicts of its gate."""
    own = tuple(result for result in comparison.results if result.measure == measure)
    table = replace(comparison, results=own, wins=(), gates=()).table(each=True)
    verdicts = [verdict_text(gate, comparison) for gate in comparison.gates if gate.measure == measure]
    partial = [VALID_TREES_NOTE] if comparison.coverage else []
    return Block(
        name,
        "",
        ". ".join([f"D{table.notes[0][1:]}", *verdicts, *partial]),
        table=table._replace(notes=()),
        folded=True,
    )


def _wins(comparison: Comparison, measure: str, own: str) -> Iterator[Block]:
    wins = [win for win in comparison.wins if win.measure == measure]
    rows = [ChartRow(win.system, parts=(win.won, win.tied, win.lost)) for win in wins]
    if rows:
        text = ". ".join(wins_text(win, comparison) for win in wins) + "."
        chart = RowChart(f"Won, tied, lost by {measure}", "System", "", (), rows, "parts", _KINDS)
        yield Block(f"wins{own}", "Treebanks won and lost", text, {"measure": measure}, chart=chart)


class _Opener(NamedTuple):
    """Finds the words behind the rows of a system: its number and that of the store, its words, and values by name."""

    number: int
    n_systems: int
    store: str
    words: Examples
    values: Mapping[str, Sequence[str]]

    def opened(self, by: str, value: str) -> OpenedWords | None:
        """Return the words with a value that only the system or only the baseline gets right; None without any."""
        if value not in self.values[by]:
            return None
        group = self.values[by].index(value) * self.n_systems + self.number - 1
        title = f"{TITLES[by]} {open_ended(value)}: words that only one of the systems gets right"
        return OpenedWords(self.store, by, group, title) if group in self.words.groups[by] else None


def _gains(parts: Sequence[TreebankPart], whole: Examples, values: Mapping[str, Sequence[str]]) -> Iterator[Block]:
    """The gains of each system by each property: over all treebanks, and by relation on each."""
    several, systems = len(parts) > 1, parts[0].systems[1:]
    for number, system in enumerate(systems, 1):
        opener = _Opener(number, len(systems), "0" if several else "1", whole, values)
        when = {"system": system, **({"treebank": ALL} if several else {})}
        for by in TITLES:
            gains = average_gains([part.gains[by] for part in parts]) if several else parts[0].gains[by]
            yield from _gain_blocks(f"gains-{number}-{by}", by, system, gains, when, opener)
        for place, part in enumerate(parts, 1) if several else ():
            own = {**when, "treebank": part.treebank}
            opener = opener._replace(store=str(place), words=part.contrasts, values=part.values)
            yield from _gain_blocks(
                f"gains-{number}-deprel-{place}", "deprel", system, part.gains["deprel"], own, opener
            )


def _gain_blocks(
    name: str,
    by: str,
    system: str,
    gains: Sequence[Gain] | Sequence[AverageGain],
    when: Mapping[str, str],
    opener: _Opener,
) -> Iterator[Block]:
    own, title = [gain for gain in gains if gain.system == system], TITLES[by]
    shown = [gain for gain in own if gain.difference is not None]
    shown = shown[:_MOST_ROWS] if by in {"deprel", "upos"} else sorted(shown, key=lambda gain: _natural(gain.values[0]))
    rows = [_gain_row(gain, opener.opened(by, gain.values[0])) for gain in shown]
    if not any(gain.more_correct for gain in shown):
        return
    whole, last = f"Differences in LAS of {system} by {title.lower()}", _last_column(own[0]).name
    chart = RowChart(whole, title, "points", ("Diff.", "95% CI", last), rows, "dot")
    few = any(gain.estimate is not None and gain.estimate.uncertain for gain in shown)
    yield Block(name, title, f"{UNCERTAIN}." if few else "", when, chart=chart, table=_gains_table(title, own))


def _last_column(gain: Gain | AverageGain) -> Column:
    """The column next to a difference: sums of words on one treebank; next to means, only the number of treebanks."""
    return Column("Treebanks" if isinstance(gain, AverageGain) else "Words", "number")


def _natural(value: str) -> tuple[int, str]:
    """The sort key of lengths: root first, then by number."""
    digits = value.partition("-")[0]
    return (int(digits) if digits.isdigit() else 0, value)


def _gain_row(gain: Gain | AverageGain, opens: OpenedWords | None) -> ChartRow:
    estimate, change = gain.estimate, gain.difference or 0.0
    interval = None if estimate is None else informative(estimate.interval)
    excludes_zero = interval is not None and (interval[0] > 0 or interval[1] < 0)
    uncertain = estimate is not None and estimate.uncertain
    value = open_ended(gain.values[0])
    label = f"{value} {MARK}" if uncertain else value
    color = ("s0" if change > 0 else "s1") if excludes_zero else "fade"
    of_words = "" if isinstance(gain, AverageGain) else f"{gain.more_correct:+,.0f}".replace("-", "\N{MINUS SIGN}")
    last = str(gain.n_treebanks) if isinstance(gain, AverageGain) else of_words
    cells = (_signed(change), _signed(interval_cell(interval, perplexity=False)), last)
    ends = interval_ends(interval)
    return ChartRow(label, 100 * change, *ends, cells=cells, color=color, opens=opens, uncertain=uncertain)


def _gains_table(title: str, gains: Sequence[Gain | AverageGain]) -> Table:
    of_gold = () if isinstance(gains[0], AverageGain) else (Column("Gold words", "number"),)
    columns = (
        *(Column(title, "text"), *of_gold, Column("Diff.", "difference")),
        *(Column("95% CI", "difference", ends=("diff_low", "diff_high")), _last_column(gains[0])),
        Column("", "text", key="Uncertain"),
    )
    return Table(columns, tuple(map(_gains_cells, gains)))


def _gains_cells(gain: Gain | AverageGain) -> tuple[Cell, ...]:
    interval = None if gain.estimate is None else interval_cell(informative(gain.estimate.interval), perplexity=False)
    few = MARK if gain.estimate is not None and gain.estimate.uncertain else ""
    if isinstance(gain, AverageGain):
        return gain.values[0], gain.difference, interval, gain.n_treebanks, few
    return gain.values[0], gain.score.gold, gain.difference, interval, gain.more_correct, few


def _sentences(parts: Sequence[TreebankPart], every: Examples) -> Iterator[Block]:
    """The numbers of sentences that each system wins and loses; each row opens its sentences."""
    for number, system in enumerate(parts[0].systems[1:], 1):
        if len(parts) > 1:
            totals = every.totals[str(number)]
            whole = sum(part.n_sentences for part in parts)
            yield _sentence_block(system, "0", str(number), totals, whole, {"system": system, "treebank": ALL})
        for store, part in enumerate(parts, 1):
            when = {"system": system, **({"treebank": part.treebank} if len(parts) > 1 else {})}
            own = part.contrasts.totals[str(number)]
            yield _sentence_block(system, str(store), str(number), own, part.n_sentences, when)


def _sentence_block(
    system: str, store: str, group: str, totals: Mapping[int, int], whole: int, when: Mapping[str, str]
) -> Block:
    counts = {"more correct words": (totals[0], "s0", 0), "fewer correct words": (totals[1], "s1", 1)}
    counts["equally many"] = (whole - totals[0] - totals[1], "fade", -1)
    rows = []
    for kind, (n, color, number) in counts.items():
        title = f"Sentences in which {system} has {kind}"
        opens = OpenedWords(store, group, number, title) if n and number >= 0 else None
        cells = (f"{n:,}", f"{100 * n / whole:.1f}%")
        rows.append(ChartRow(kind, float(n), cells=cells, color=color, opens=opens))
    chart = RowChart(f"Sentences won and lost by {system}", system, "Sentences", ("Sentences", "Share"), rows)
    return Block(f"sentences-{group}-{store}", when=when, chart=chart)


def _confusions(parts: Sequence[TreebankPart]) -> Iterator[Block]:
    for number, (confused, _) in enumerate(parts[0].confusions):
        when = {"system": parts[0].systems[number]}
        yield Block(f"confusion-1-{number + 1}", when=when, confused=confused._replace(store=str(number + 2)))
