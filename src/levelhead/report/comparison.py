"""Comparisons as tables and JSON documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from levelhead.comparison.contrasts import AverageGain, Contrasts, Gain, Gains
from levelhead.comparison.languages import LanguagePair, Languages
from levelhead.comparison.systems import Comparison
from levelhead.errors import number_of
from levelhead.report.bucket_estimates import estimate_cells, estimate_columns, estimate_document, estimate_notes
from levelhead.report.documents import header, points, sources
from levelhead.report.partial import COVERAGE, PARTIAL_NOTE, VALID_TREES, coverage_cells, total_coverage
from levelhead.report.scores import signature_line, units_document
from levelhead.report.table import Cell, Column, Table, interval_cell, interval_head, level_text, p_text, value_cell
from levelhead.report.tree_text import draw_contrasts
from levelhead.report.verdicts import gates_document, verdict_text
from levelhead.scoring.matches import Agree
from levelhead.significance import SystemResult, Wins, unit_line

_LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


def comparison_table(comparison: Comparison, *, each: bool = False) -> Table:
    """Return one row per measure and system: its score, its difference from the baseline, intervals and p-values."""
    averages = [result for result in comparison.results if result.average]
    own = [result for result in comparison.results if not result.average]
    results = [*own, *averages] if each or not averages else averages
    layout = _Layout(
        treebank=(_TREEBANK if each else _AVERAGE) if averages else None,
        spread=any(result.spread is not None for result in results),
        runs=any(result.test == "runs" for result in results),
        margin=comparison.provenance.signature.get("margin"),
        level=comparison.provenance.signature["level"],
        partial=_partial_cells(comparison),
    )
    rows = tuple(layout.row(result, plain=result.measure in comparison.perplexities) for result in results)
    parts = [(result.average, result.treebank, result.measure) for result in results]
    rules = frozenset(i for i in range(1, len(parts)) if parts[i] != parts[i - 1])
    n_rows = len(own) if each and averages else len(rows)
    notes = _comparison_notes(comparison, layout.margin)
    return Table(layout.columns, rows[:n_rows], notes, rules, rows[n_rows:])


_Key = tuple[str | None, str, str, str]


def _key(result: SystemResult) -> _Key:
    return result.average, result.treebank, result.measure, result.system


def _partial_cells(comparison: Comparison) -> dict[_Key, tuple[Cell, ...]]:
    """The value with only valid trees and the coverage of each partial score; empty for other scores."""
    cells: dict[_Key, tuple[Cell, ...]] = {}
    for tree in comparison.valid_trees:
        codes = list(comparison.coverage) if tree.average else [tree.treebank]
        coverage = total_coverage(comparison.coverage[code][tree.system] for code in codes)
        cells[_key(tree)] = (tree.value, *coverage_cells(coverage))
    return cells


class _Layout(NamedTuple):
    """The columns of the table of a comparison.

    Args:
        treebank: the column of treebanks or averages; None for a single treebank.
        spread: whether a system has several runs.
        runs: whether p-values come from different tests.
        margin: the margin of equivalence, or None.
        level: the confidence level.
        partial: the additional cells of partial scores.
    """

    treebank: Column | None
    spread: bool
    runs: bool
    margin: str | None
    level: str
    partial: Mapping[_Key, tuple[Cell, ...]]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of `row`."""
        interval = Column(interval_head(self.level))
        columns = [self.treebank] if self.treebank else []
        columns += [Column("Measure", "text"), Column("System", "text"), Column("Score")]
        columns += [Column(VALID_TREES), *COVERAGE] if self.partial else []
        columns += [interval._replace(ends=("low", "high")), *([Column("SD")] if self.spread else [])]
        columns += [_DIFFERENCE, interval._replace(kind="difference", ends=("diff_low", "diff_high"))]
        columns += [Column("p", "probability", tidy_only=True), _HOLM, _STARS]
        columns += [Column("Test", "text", tidy_only=True)] if self.runs else []
        tost = Column("p (TOST)", "probability", tidy_only=True)
        return (*columns, *((Column("Equiv.", "text", key="Equivalent"), tost) if self.margin else ()))

    def row(self, result: SystemResult, *, plain: bool) -> tuple[Cell, ...]:
        """Return the cells of a result."""
        value, interval = partial(value_cell, perplexity=plain), partial(interval_cell, perplexity=plain)
        change: tuple[Cell, ...] = (
            value(result.difference),
            interval(result.difference_interval),
            result.p,
            result.p_holm,
        )
        return (
            *((result.average if self.treebank == _AVERAGE else result.treebank,) if self.treebank else ()),
            *(result.measure, result.system, value(result.value)),
            *(self.partial[_key(result)] if self.partial else ()),
            interval(result.interval),
            *((value(result.spread),) if self.spread else ()),
            *(("",) * len(change) if result.difference is None else change),
            mark(result.p_holm) if result.enough_runs else "",
            *((result.test or "",) if self.runs else ()),
            *(_equivalent(result) if self.margin else ()),
        )


_TREEBANK = Column("Treebank", "text")
_AVERAGE = Column("Avg.", "text", key="Average")
_DIFFERENCE = Column("Diff.", "difference", key="Diff")
_HOLM = Column("p", "probability", key="p (Holm)")
_STARS = Column("", "text", key="Stars")
_RUNS = "p: Student's t with several runs per system, otherwise the larger of Student's t and randomization"
MARKS = "* p < .05, ** p < .01, *** p < .001"


def _equivalent(result: SystemResult) -> tuple[Cell, Cell]:
    return ("", "") if result.equivalent is None else (result.equivalent, result.p_equivalent)


def _comparison_notes(comparison: Comparison, margin: str | None) -> tuple[str, ...]:
    return (
        f"differences from {comparison.systems[0]}; p corrected across systems (Holm): {MARKS}",
        *([_RUNS] if any(result.test == "runs" for result in comparison.results) else []),
        *(f"{measure}: lower is better" for measure in comparison.perplexities),
        *([_margin_note(margin, ratio=bool(comparison.perplexities))] if margin else []),
        *(wins_text(win, comparison) for win in comparison.wins),
        *(verdict_text(gate, comparison) for gate in comparison.gates),
        *([unit_line(comparison.units)] if comparison.units else []),
        *([PARTIAL_NOTE] if comparison.coverage else []),
        signature_line(comparison.provenance.signature),
    )


def _margin_note(margin: str, *, ratio: bool) -> str:
    within = f"a ratio between 1/{margin} and {margin}" if ratio else f"between -{margin} and {margin} points"
    return f"Equivalent: whether the difference is {within} (two one-sided tests at 5%)"


def mark(p: float | None) -> str:
    """Return asterisks for a p-value."""
    return "" if p is None else next((stars for level, stars in _LEVELS if p < level), "")


def wins_text(wins: Wins, comparison: Comparison) -> str:
    """Return a sentence on how many treebanks a system is better or worse than the baseline on."""
    n_treebanks = wins.won + wins.tied + wins.lost
    n_equal = n_treebanks - wins.better - wins.worse
    counts = [
        (
            f"better than {comparison.systems[0]} on {wins.better} of {number_of(n_treebanks, 'treebank')}"
            f" ({wins.won} significant)"
        ),
        f"worse on {wins.worse} ({wins.lost} significant)",
        *([f"equal on {n_equal}"] if n_equal else []),
    ]
    level = level_text(comparison.provenance.signature["level"])
    bounds = {"better": wins.better_on_at_least, "worse": wins.worse_on_at_least}
    shown = " and ".join(f"{how} on at least {bound}" for how, bound in bounds.items() if bound)
    parts = [
        f"{wins.measure}: {wins.system} is {', '.join(counts)}",
        *([f"{shown} ({level} confidence)"] if shown else []),
    ]
    return "; ".join([*parts, *_votes_text(wins, comparison.voter)])


def _votes_text(wins: Wins, voter: str) -> list[str]:
    if wins.sign_p is None:
        return []
    tests = [f"sign test p {p_text(wins.sign_p)}"]
    tests += [] if wins.wilcoxon_p is None else [f"Wilcoxon p {p_text(wins.wilcoxon_p)}"]
    return [f"{', '.join(tests)} ({wins.votes} votes, one per {voter})"]


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison for JSON: ratios as percentages, differences in points, at full precision."""
    return {
        **header("comparison", comparison.provenance.signature),
        "baseline": comparison.systems[0],
        "results": [
            _document(result, plain=result.measure in comparison.perplexities) for result in comparison.results
        ],
        **_partial_document(comparison),
        "wins": [win._asdict() for win in comparison.wins],
        "gates": gates_document(comparison),
        "units": units_document(comparison.units),
        **sources(comparison.provenance),
    }


def _partial_document(comparison: Comparison) -> dict[str, Any]:
    if not comparison.coverage:
        return {}
    coverage = {
        code: {system: one._asdict() for system, one in some.items()} for code, some in comparison.coverage.items()
    }
    strict = [_document(tree, plain=tree.measure in comparison.perplexities) for tree in comparison.valid_trees]
    return {"results_valid_trees": strict, "coverage": coverage}


def _document(result: SystemResult, *, plain: bool) -> dict[str, Any]:
    document = result._asdict()
    if plain:
        return document
    for name in ("value", "spread", "difference", "detectable"):
        document[name] = points(document[name])
    for name in ("interval", "difference_interval"):
        document[name] = None if document[name] is None else [points(end) for end in document[name]]
    return document


def languages_table(languages: Languages) -> Table:
    """Return one row for each system, pair of treebanks and measure."""
    order = {key: number for number, key in enumerate(dict.fromkeys(map(_compared, languages.pairs)))}
    pairs = sorted(languages.pairs, key=lambda pair: order[_compared(pair)])
    several = len({pair.measure for pair in pairs}) > 1
    parts = [_compared(pair) if several else (pair.system,) for pair in pairs]
    rules = frozenset(i for i in range(1, len(parts)) if parts[i] != parts[i - 1])
    notes = (
        "Diff.: A minus B; Paired: whether both treebanks have the same sentences (sent_id)",
        f"p corrected across pairs of treebanks (Holm): {MARKS}",
        *([unit_line(languages.units)] if languages.units else []),
        signature_line(languages.provenance.signature),
    )
    rows = tuple(_pair_row(pair, plain=pair.measure in languages.perplexities) for pair in pairs)
    return Table(_pair_columns(languages.provenance.signature["level"]), rows, notes, rules)


def _compared(pair: LanguagePair) -> tuple[str, ...]:
    return (pair.system, *pair.treebanks)


def _pair_columns(level: str) -> tuple[Column, ...]:
    return (
        *(Column(name, "text") for name in ("System", "A", "B", "Paired", "Measure")),
        *(Column("Score A"), Column("Score B"), _DIFFERENCE),
        Column(interval_head(level), "difference", ends=("diff_low", "diff_high")),
        *(Column("p", "probability", tidy_only=True), _HOLM, _STARS),
    )


def _pair_row(pair: LanguagePair, *, plain: bool) -> tuple[Cell, ...]:
    return (
        *(pair.system, *pair.treebanks, "yes" if pair.paired else "no", pair.measure),
        *(value_cell(number, perplexity=plain) for number in (*pair.values, pair.difference)),
        interval_cell(pair.interval, perplexity=plain),
        *(pair.p, pair.p_holm, mark(pair.p_holm)),
    )


def languages_document(languages: Languages) -> dict[str, Any]:
    """Return comparisons of treebanks for JSON."""

    def document(pair: LanguagePair) -> dict[str, Any]:
        """Return one row."""
        shown = _unscaled if pair.measure in languages.perplexities else points
        between = None if pair.interval is None else [shown(end) for end in pair.interval]
        values = [shown(value) for value in pair.values]
        return {**pair._asdict(), "values": values, "difference": shown(pair.difference), "interval": between}

    return {
        **header("languages", languages.provenance.signature),
        "units": units_document(languages.units),
        "pairs": [document(pair) for pair in languages.pairs],
        **sources(languages.provenance),
    }


def _unscaled(value: float | None) -> float | None:
    return value


def gains_table(found: Gains) -> Table:
    """Return one row per bucket and system: both scores, and the gain in correct words."""
    several = len(found.treebanks) > 1
    columns = [Column("Treebank", "text")] if several else []
    columns += [Column("System", "text"), *(Column(name, "text") for name in found.by)]
    columns += [Column("Gold", "number"), Column(found.baseline, key="Baseline score")]
    columns += [Column("System", key="System score"), _DIFFERENCE]
    every = [gain.estimate for gains in found.treebanks.values() for gain in gains if gain.estimate]
    columns += estimate_columns(found.provenance.signature["level"], every, difference=True) if every else []
    columns.append(Column("Words", "number"))
    rows = [
        (*((name,) if several else ()), gain.system, *gain.values, gain.score.gold, *_gain(gain, certain=bool(every)))
        for name, gains in found.treebanks.items()
        for gain in gains
    ]
    systems = [row[: 1 + several] for row in rows]
    rules = frozenset(i for i in range(1, len(systems)) if systems[i] != systems[i - 1])
    note = f"{found.measure}; Words: gain in correct words over {found.baseline}; largest changes first"
    units = [unit_line(found.units, "confidence intervals")] if found.units else []
    notes = (note, *estimate_notes(every), *units, signature_line(found.provenance.signature))
    averages = [_average_gain_row(average, certain=bool(every)) for average in found.averages]
    return Table(tuple(columns), tuple(rows), notes, rules, tuple(averages))


def _average_gain_row(gain: AverageGain, *, certain: bool) -> tuple[Cell, ...]:
    named = (f"Average of {gain.n_treebanks}", gain.system, *gain.values)
    between = estimate_cells(gain.estimate) if certain else ()
    return (*named, gain.gold, None, None, gain.difference, *between, gain.more_correct)


def _gain(gain: Gain, *, certain: bool) -> tuple[Cell, ...]:
    between = estimate_cells(gain.estimate) if certain else ()
    return gain.baseline.value, gain.score.value, gain.difference, *between, gain.more_correct


def gains_document(found: Gains) -> dict[str, Any]:
    """Return gains for JSON."""
    averages = [_gain_document(found.by, average) for average in found.averages]
    return {
        **header("gains", found.provenance.signature),
        "measure": found.measure,
        "by": list(found.by),
        "baseline": found.baseline,
        "treebanks": {
            name: [_gain_document(found.by, gain) for gain in gains] for name, gains in found.treebanks.items()
        },
        **({"averages": averages} if averages else {}),
        "units": units_document(found.units),
        **sources(found.provenance),
    }


def _gain_document(by: Sequence[str], gain: Gain | AverageGain) -> dict[str, Any]:
    """The gain in a bucket on a treebank, or its mean over treebanks."""
    numbers: dict[str, float | None]
    if isinstance(gain, AverageGain):
        numbers = {"treebanks": gain.n_treebanks, "gold": gain.gold}
    else:
        values = {"baseline_value": points(gain.baseline.value), "value": points(gain.score.value)}
        numbers = {"gold": gain.score.gold, **values}
    return {
        **dict(zip(by, gain.values, strict=True)),
        "system": gain.system,
        **numbers,
        "difference": points(gain.difference),
        **estimate_document(gain.estimate),
        "more_correct": gain.more_correct,
    }


def contrasts_text(contrasts: Contrasts, needs: Agree) -> str:
    """Draw the sentences in which systems gain or lose most, with the trees of gold and of both."""
    texts = [
        f"{name}: " + draw_contrasts(baseline, system, gained, lost, needs)
        for name, baseline, system, gained, lost in contrasts.drawn
    ]
    return "".join([*texts, signature_line(contrasts.provenance.signature) + "\n"])


def contrasts_document(contrasts: Contrasts) -> dict[str, Any]:
    """Return the sentences for JSON: by number and sent_id, with the numbers of correct words."""
    rows = []
    for name, baseline, system, gained, lost in contrasts.listed:
        gold = baseline.matches.gold
        kinds = {
            kind: [
                {**contrast._asdict(), "sentence": contrast.sentence + 1, "sent_id": gold[contrast.sentence].id}
                for contrast in some
            ]
            for kind, some in (("gains", gained), ("loses", lost))
        }
        rows.append({"treebank": name, "baseline": baseline.name, "system": system.name, **kinds})
    return {
        **header("contrasts", contrasts.provenance.signature),
        "measure": str(contrasts.measure),
        "systems": rows,
        **sources(contrasts.provenance),
    }
