"""The page of a comparison with a baseline: significant differences, where they come from, and in which sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from levelhead.analysis.repairs import wrong_words
from levelhead.analysis.word_properties import PROPERTIES, Buckets, PropertySettings
from levelhead.campaign.outputs import Output
from levelhead.comparison.breakdowns import AverageGain, Gain, average_gains, gains_by
from levelhead.comparison.regression import verdict_text
from levelhead.comparison.systems import Comparison, wins_text
from levelhead.comparison.trees import contrasts
from levelhead.errors import Fault, InputError, names_or_number, with_minus
from levelhead.evaluation.score_tables import LABEL, VALID_TREES_NOTE
from levelhead.evaluation.setup import Setup, setup_of
from levelhead.measures.registry import Registry
from levelhead.report.charts.page_charts import ChartRow, OpenedWords, RowChart, measured_row
from levelhead.report.page.blocks import Block, ConfusionMatrix, Page, Section, as_sentence, measure_terms, open_ended
from levelhead.report.page.examples import (
    ALL_WORDS,
    Examples,
    ExampleTally,
    OutputTrees,
    joined_examples,
    sentence,
    stored,
    values_of_words,
)
from levelhead.report.page.score import ALL, CONFUSION_LEAD, informative, marked, uncertain_note
from levelhead.report.page.treebank_errors import BY_FREQUENCY, ConfusionTally
from levelhead.significance.differences import ComparedScore
from levelhead.significance.jackknife import IntervalSettings
from levelhead.significance.units import units_of
from levelhead.tables.table import Cell, Column, Table, interval_head, probability

# the properties by which differences are shown
TITLES = {"relation": "Relation", "upos": "Part of speech", "direction": "Direction", "length": "Length of the arc"}

_CHANGES = {"more correct words": "s0", "fewer correct words": "s1"}  # the colors of sentences won and lost
_EQUAL = "equally many"


class TreebankPart(NamedTuple):
    """The data of one treebank on the page of a comparison."""

    treebank: str  # its code
    systems: tuple[str, ...]  # the names of the outputs, the baseline first
    n_sentences: int  # of gold
    gains: Mapping[str, Sequence[Gain]]  # the differences of each system from the baseline, by property
    # the sentences in which each system gains or loses most, grouped by the number of the system, and their words that
    # only the system or only the baseline gets right, grouped by property: the number of the system and the value
    contrasts: Examples
    changes: Sequence[float]  # the gain in correct words in the sentence of each of these
    confusions: Sequence[tuple[ConfusionMatrix, Examples]]  # for a single treebank, of each output with its words


def treebank_part(
    treebank: str, outputs: Sequence[Output], *, n_treebanks: int, registry: Registry, resample_by: str
) -> TreebankPart:
    """Return the data of one treebank; the engine calls this where the outputs are read."""
    for output in outputs:
        output.matches.check_trees()
    shown = [OutputTrees(output.name, output.matches) for output in outputs]
    setup = setup_of(["LAS"], rules=outputs[0].matches.rules, registry=registry)
    schemes, (measure,) = registry.schemes, setup.measures
    settings = PropertySettings(schemes.by_name[schemes.default])
    intervals = IntervalSettings(units_of(outputs[0].matches.gold, resample_by))
    gains = {by: gains_by(outputs, measure, [by], settings, registry, intervals) for by in TITLES}
    found = {by: PROPERTIES[by].of(outputs[0].matches, settings) for by in TITLES}
    examples, changes = _contrasts(shown, ALL_WORDS // (n_treebanks * len(outputs)), setup, found)
    confusions = []
    for output_trees in shown if n_treebanks == 1 else ():
        matches = output_trees.matches
        confused = ConfusionTally()
        words = wrong_words(matches, measure, registry=registry)
        shown_words = ExampleTally(2 * len(outputs))
        shown_words.add(output_trees, words, {"cell": values_of_words(matches, words, confused.add(matches))})
        confusions.append((confused.matrix(), shown_words.examples({"cell": confused.names()})))
    systems = tuple(output.name for output in outputs)
    return TreebankPart(treebank, systems, len(outputs[0].matches.gold), gains, examples, changes, confusions)


def _contrasts(
    shown: Sequence[OutputTrees], most: int, setup: Setup, values: Mapping[str, Buckets]
) -> tuple[Examples, list[float]]:
    """The sentences in which each system gains or loses most, gains first, with the words that differ."""
    starts = shown[0].matches.gold.sentence_starts
    sentences: list[dict[str, Any]] = []
    entries: list[tuple[tuple[int, int], float, Mapping[str, str]]] = []
    totals = {by: Counter[str]() for by in values}
    wrong = [wrong_words(one.matches, setup.measures[0], registry=setup.registry) for one in shown]
    for number, system in enumerate(shown[1:], 1):
        every = dict(zip(_CHANGES, contrasts(shown[0].matches, system.matches, setup)))
        totals[str(number)] = Counter({change: len(some) for change, some in every.items()})
        differing = np.setxor1d(wrong[0], wrong[number])
        groups = dict[str, list[str]]()
        for by, found in values.items():
            names = [f"{number} {value}" for value in found.names]
            groups[by] = [names[value] for value in found.gold[differing].tolist()]
            totals[by].update(groups[by])
        for kind, some in every.items():
            left = most // 2
            for n_shown, contrast in enumerate(some[:100]):
                start, end = starts[contrast.sentence : contrast.sentence + 2].tolist()
                left -= end - start
                if left < 0 and n_shown >= 3:
                    break
                place, change = len(sentences), contrast.more_correct
                sentences.append(sentence([shown[0], system], contrast.sentence))
                entries.append(((place, -1), change, {str(number): kind}))
                for row in range(*np.searchsorted(differing, [start, end])):
                    own = {by: names[row] for by, names in groups.items()}
                    entries.append(((place, int(differing[row]) - start), change, own))
    grouped = {name: [own.get(name) for _, _, own in entries] for name in totals}
    return Examples(sentences, [at for at, _, _ in entries], grouped, totals), [change for _, change, _ in entries]


def joined_contrasts(parts: Sequence[TreebankPart]) -> Examples:
    """Return the sentences and words of all treebanks, the largest differences first."""
    joint = joined_examples([part.contrasts for part in parts])
    changes = [-abs(change) for part in parts for change in part.changes]
    order = sorted(range(len(changes)), key=lambda row: (changes[row], joint.words[row]))
    groups = {kind: [names[row] for row in order] for kind, names in joint.groups.items()}
    return joint._replace(words=[joint.words[row] for row in order], groups=groups)


_KINDS = (("significantly better", "s0"), ("no significant difference", "none"), ("significantly worse", "s1"))
_POINTS = Column("", "points")
_DIFFERENCES = (
    "Differences from {} in points, with confidence intervals. Colored if significant at 5%, otherwise gray."
    " P-values and intervals of differences hold jointly for all systems; each interval of a score is for this score"
    " only."
)
_GAINS = (
    "Differences in LAS from {} by property of words; those that affect most words first. Each 95% confidence interval"
    " is for this value only, and is colored if it excludes 0. Words: how many more are correct. Treebanks: how many a"
    " mean is based on. Click a value to see words that only one of the systems gets right."
)
_SENTENCES = (
    "Sentences with more or fewer correct words (LAS) than in the output of {}. Click a row to see them, largest"
    " differences first."
)


def comparison_page(comparison: Comparison) -> Page:
    looked = [*comparison.looked.values()]
    if not looked or any(part.page is None for part in looked):
        message = 'the comparison has no trees for a page: use compare(..., prepare="page")'
        raise InputError(Fault("invalid-argument", message))
    parts = [part.page for part in looked]
    baseline, several, (first, *others) = comparison.systems[0], len(parts) > 1, parts[0].systems
    more_runs = comparison.results[0].n_runs - 1  # of the baseline: what readers choose last
    systems = [*others[more_runs:], *others[:more_runs], first]
    measures = sorted(comparison.measures, key=lambda name: name != "LAS")  # first: most readers look for it
    choices: dict[str, Sequence[str]] = {"measure": measures, "system": systems}
    choices |= {"treebank": [ALL, *(part.treebank for part in parts)]} if several else {}
    whole = joined_contrasts(parts) if several else parts[0].contrasts
    differences = [
        block
        for number, measure in enumerate(measures, 1)
        for block in _differences(comparison, measure, f"-{number}" if len(comparison.measures) > 1 else "", systems)
    ]
    confusions = [
        Block(f"confusion-1-{number}", when={"system": system}, confused=confused._replace(store=str(number + 1)))
        for number, (system, (confused, _)) in enumerate(zip(parts[0].systems, parts[0].confusions), 1)
    ]
    gains = list(_gains(parts, whole))
    sections = [
        Section("differences", "Differences", _DIFFERENCES.format(baseline), differences),
        Section("gains", "Where differences come from", _GAINS.format(first), gains, narrow=True),
        Section("sentences", "Sentences won and lost", _SENTENCES.format(first), list(_sentences(parts, whole))),
        Section("confusion", "Confusion of relations", CONFUSION_LEAD, confusions),
    ]
    facts = [
        ("systems", str(len(comparison.systems))),
        ("treebanks", str(len(parts))),
        ("gold sentences", f"{sum(part.n_sentences for part in parts):,}"),
    ]
    stores = [part.contrasts for part in parts] + [examples for part in parts for _, examples in part.confusions]
    data = stored(stores, whole if several else None)
    against = f" compared with {baseline}" if comparison.systems[1:] else ""
    where = names_or_number([part.treebank for part in parts], "treebank")
    title = f"{names_or_number(comparison.systems[1:] or comparison.systems, 'system')}{against} on {where}"
    lead = (f"{LABEL} " if comparison.coverage else "") + comparison.verdict
    shown = [section for section in sections if section.blocks]
    lines = [comparison.unit_line] if comparison.units else []
    notes = [*map(as_sentence, (*lines, *comparison.provenance.notes))]
    return Page(
        title, lead, facts, choices, shown, notes, comparison.provenance.signature, "comparison", data,
        measure_terms(comparison.measures, looked[0].registry),
    )  # fmt: skip


def _differences(comparison: Comparison, measure: str, suffix: str, choices: Sequence[str]) -> Iterator[Block]:
    of_measure = tuple(result for result in comparison.results if result.measure == measure)
    several = any(result.average for result in comparison.results)
    when, perplexity = {"measure": measure}, measure in comparison.perplexities
    axis = "lower is better" if perplexity else "points"
    head = interval_head(comparison.provenance.signature["level"])
    columns = ("Diff.", head, "p", "")
    results = comparison.of_average(measure)
    rows = [
        _difference_row(result, result.system, perplexity=perplexity)
        for result in results
        if result.difference is not None
    ]
    if rows and not (several and len(rows) == 1):  # the forest plot of a single system has its averages
        title = f"Differences in {measure} from {comparison.systems[0]}"
        chart = RowChart(title, "System", axis, columns, rows, "dot")
        yield Block(f"differences{suffix}", "Macro-averages" if several else "", when=when, chart=chart)
    for number, system in enumerate(comparison.systems[1:] if several else (), 1):
        rows = [
            _difference_row(result, result.treebank, perplexity=perplexity)._replace(
                total=bool(result.average), goes=None if result.average else ("treebank", result.treebank, "gains")
            )
            for result in of_measure
            if result.system == system and result.difference is not None
        ]
        rows.sort(key=lambda row: (row.total, not row.total and -(row.value or 0.0)))
        title = f"{system} on each treebank"
        chart = RowChart(f"Differences in {measure}: {title}", "Treebank", axis, columns, rows, "dot")
        # readers choose single outputs, so the mean of several runs is always shown
        of_system = when | ({"system": system} if system in choices else {})
        caption = "Click a treebank to see where its differences come from."
        yield Block(f"treebanks{suffix}-{number}", title, caption, of_system, chart=chart)
    wins = [win for win in comparison.wins if win.measure == measure]
    if several and wins:
        rows = [ChartRow(win.system, parts=(win.won, win.tied, win.lost)) for win in wins]
        text = ". ".join(wins_text(win, comparison) for win in wins) + "."
        chart = RowChart(f"Won, tied, lost by {measure}", "System", "", (), rows, "parts", _KINDS)
        yield Block(f"wins{suffix}", "Treebanks won and lost", text, when, chart=chart)
    values = [
        measured_row(result.system, result.value, result.interval, Column(""))
        for result in results
        if result.value is not None
    ]
    chart = RowChart(f"{measure} with intervals", "System", measure, (measure, head), values, "dot", zero=False)
    yield Block(f"values{suffix}", f"{measure} of each system", when=when, chart=chart)
    table = replace(comparison, results=of_measure, wins=(), gates=()).table(each=True)
    verdicts = [verdict_text(gate, comparison) for gate in comparison.gates if gate.measure == measure]
    caption = ". ".join([f"D{table.notes[0][1:]}", *verdicts, *([VALID_TREES_NOTE] if comparison.coverage else [])])
    yield Block(f"comparison{suffix}", "", caption, when, table=table._replace(notes=()), folded=True)


def _difference_row(result: ComparedScore, label: str, *, perplexity: bool) -> ChartRow:
    change, interval = result.difference or 0.0, result.difference_interval
    if interval and not perplexity and interval[1] - interval[0] >= 200:  # all differences, which says nothing
        interval = None
    p = "" if result.p is None else probability(result.p)
    row = measured_row(label, change, interval, _POINTS, (p, result.stars))
    return row._replace(color="fade" if not result.stars else "s0" if (change < 0) == perplexity else "s1")


def _gains(parts: Sequence[TreebankPart], whole: Examples) -> Iterator[Block]:
    """The gains of each system by each property, over all treebanks and by relation on each; rows open the words."""
    several, systems = len(parts) > 1, parts[0].systems[1:]
    every: dict[str, Sequence[Gain | AverageGain]] = {
        by: average_gains([part.gains[by] for part in parts]) if several else parts[0].gains[by] for by in TITLES
    }
    shown = [("0" if several else "1", ALL, by, gains, whole) for by, gains in every.items()]
    for place, part in enumerate(parts, 1) if several else ():
        shown.append((str(place), part.treebank, "relation", part.gains["relation"], part.contrasts))
    for (number, system), (store, treebank, by, gains, words) in product(enumerate(systems, 1), shown):
        of_system, title = [gain for gain in gains if gain.system == system], TITLES[by]
        known = [gain for gain in of_system if gain.difference is not None]
        known = known[:16] if by in BY_FREQUENCY else sorted(known, key=lambda gain: _natural(gain.values[0]))
        if not any(gain.more_correct for gain in known):
            continue
        rows = []
        for gain in known:
            (value,) = gain.values
            heading = f"{title} {open_ended(value)}: words that only one of the systems gets right"
            opened = OpenedWords(store, by, f"{number} {value}", heading)
            opens = opened if opened.name in words.groups[by] else None
            rows.append(_gain_row(gain)._replace(opens=opens))
        averages = isinstance(of_system[0], AverageGain)  # next to means, only the number of treebanks
        last = Column("Treebanks" if averages else "Words", "number")
        columns = (
            *(Column(title, "text"), *(() if averages else (Column("Gold words", "number"),))),
            *(Column("Diff.", "points"), Column("95% CI", "points"), last, Column("", "text")),
        )
        chart_title = f"Differences in LAS of {system} by {title.lower()}"
        chart = RowChart(chart_title, title, "points", ("Diff.", "95% CI", last.name), rows, "dot")
        name = f"gains-{number}-{by}" + (f"-{store}" if treebank != ALL else "")
        when = {"system": system, **({"treebank": treebank} if several else {})}
        table = Table(columns, tuple(map(_gain_cells, of_system)))
        yield Block(name, title, uncertain_note(rows), when, chart=chart, table=table)


def _natural(value: str) -> tuple[int, str]:
    """The sort key of lengths: root first, then by number."""
    digits = value.partition("-")[0]
    return (int(digits) if digits.isdigit() else 0, value)


def _gain_row(gain: Gain | AverageGain) -> ChartRow:
    estimate, change = gain.estimate, gain.difference or 0.0
    interval = None if estimate is None else informative(estimate.interval, difference=True)
    excludes_zero = interval is not None and (interval[0] > 0 or interval[1] < 0)
    last = str(gain.n_treebanks) if isinstance(gain, AverageGain) else with_minus(f"{gain.more_correct:+,.0f}")
    row = measured_row(marked(open_ended(gain.values[0]), estimate), change, interval, _POINTS, (last,))
    color = ("s0" if change > 0 else "s1") if excludes_zero else "fade"
    return row._replace(color=color, uncertain=estimate is not None and estimate.uncertain)


def _gain_cells(gain: Gain | AverageGain) -> tuple[Cell, ...]:
    interval = gain.estimate and informative(gain.estimate.interval, difference=True)
    few = marked("", gain.estimate).strip()
    if isinstance(gain, AverageGain):
        return gain.values[0], gain.difference, interval, gain.n_treebanks, few
    return gain.values[0], gain.gold, gain.difference, interval, gain.more_correct, few


def _sentences(parts: Sequence[TreebankPart], every: Examples) -> Iterator[Block]:
    """The numbers of sentences that each system wins and loses; each row opens its sentences."""
    several, n_sentences = len(parts) > 1, sum(part.n_sentences for part in parts)
    stores = [("0", ALL, every, n_sentences)] if several else []
    stores += [(str(i), part.treebank, part.contrasts, part.n_sentences) for i, part in enumerate(parts, 1)]
    for group, system in enumerate(parts[0].systems[1:], 1):
        for store, treebank, words, whole in stores:
            totals = words.totals[str(group)]
            equal = whole - sum(totals.values())
            kinds = (*((name, totals[name], color) for name, color in _CHANGES.items()), (_EQUAL, equal, "fade"))
            rows = [
                ChartRow(
                    kind, float(n), cells=(f"{n:,}", f"{100 * n / whole:.1f}%"), color=color,
                    opens=OpenedWords(store, str(group), kind, f"Sentences in which {system} has {kind}")
                    if n and kind != _EQUAL else None,
                )
                for kind, n, color in kinds
            ]  # fmt: skip
            chart = RowChart(f"Sentences won and lost by {system}", system, "Sentences", ("Sentences", "Share"), rows)
            when = {"system": system, **({"treebank": treebank} if several else {})}
            yield Block(f"sentences-{group}-{store}", when=when, chart=chart)
