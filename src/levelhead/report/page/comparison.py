"""The page of systems compared with the first: which differences are real, and where they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from levelhead.analysis.buckets import Settings
from levelhead.comparison import Comparison, Output
from levelhead.gains import contrasts, gains_by
from levelhead.measures import STANDARD, Registry, parse_measure
from levelhead.report.comparison import comparison_table
from levelhead.report.page.blocks import Block, Page, Section
from levelhead.report.page.charts import Spread, panels, shares, spreads
from levelhead.report.page.examples import Shown, sentence
from levelhead.report.page.score import CONFUSION_LEAD, confusion_block
from levelhead.report.table import Column, Table, formatted, value_cell
from levelhead.significance import Result

_KINDS = (("won for sure", "s0"), ("tied", "none"), ("lost for sure", "s1"))
_PROPERTIES = {"deprel": "Relation", "upos": "Part of speech", "direction": "Direction", "length": "Length of the arc"}
_MOST_BARS = 16
_ALL_SENTENCES = 300
_OF_A_KIND = 4
_LOOKED_AT = 40
_LONG = 25  # words; longer sentences are shown only where there are no others


def comparison_page(
    comparison: Comparison,
    treebanks: Iterable[tuple[str, Sequence[Output]]],
    n_treebanks: int,
    registry: Registry = STANDARD,
) -> Page:
    """Return the page of a comparison.

    Args:
        comparison: the comparison.
        treebanks: the outputs on each treebank, the baseline first; they are taken one by one, and not kept.
        n_treebanks: how many treebanks there are.
        registry: the measures and schemes that there are.
    """
    where = _Where(n_treebanks, registry)
    for treebank, outputs in treebanks:
        where.add(treebank, outputs)
    baseline = comparison.systems[0]
    order = [*(name for name in where.systems if name != where.baseline), where.baseline]
    choices = {"measure": _measures(comparison), "system": order}
    choices |= {"treebank": where.treebanks} if n_treebanks > 1 else {}
    sections = [
        Section("differences", "Differences", _DIFFERENCES.format(baseline), list(_differences(comparison))),
        Section("wins", "Won, tied, lost", "Over treebanks, corrected by Holm's method.", list(_wins(comparison))),
        Section("gains", "Where they come from", _GAINS.format(baseline), list(where.gains()), narrow=True),
        Section("sentences", "Sentences", _SENTENCES.format(baseline), where.contrasts),
        Section("confusion", "Confusion of relations", CONFUSION_LEAD, where.confusions),
    ]  # fmt: skip
    facts = [
        ("systems", str(len(comparison.systems))),
        ("treebanks", str(n_treebanks)),
        ("gold sentences", f"{where.n_sentences:,}"),
    ]
    filled = [section for section in sections if section.blocks]
    return Page("Comparison", _lead(comparison), facts, choices, filled, (), comparison.signature)


_DIFFERENCES = (
    "To {}, in points, with intervals by the paired bootstrap. Asterisks mark differences that the randomisation test,"
    " corrected by Holm's method, finds real."
)


_GAINS = "How many more words are right than with {} (LAS), on all treebanks."
_SENTENCES = "In which a system gains or loses most against {}."


def _of_average(comparison: Comparison, measure: str) -> list[Result]:
    """The results over all treebanks, by macro-average if there are several."""
    own = [one for one in comparison.results if one.measure == measure]
    return [one for one in own if one.average == "macro"] or own[: len(comparison.systems)]


def _measures(comparison: Comparison) -> list[str]:
    """The measures, LAS first: it is what one looks for."""
    return sorted(comparison.measures, key=lambda name: name != "LAS")


def _lead(comparison: Comparison) -> str:
    measure = _measures(comparison)[0]
    _, *others = _of_average(comparison, measure)
    real = [one for one in others if one.p_holm is not None and one.p_holm < 0.05]
    baseline = comparison.systems[0]
    if not real:
        return f"By {measure}, no system differs significantly from {baseline}."
    plain, column = measure in comparison.perplexities, Column(measure, "difference")
    changes = ((one.system, formatted(value_cell(one.difference, perplexity=plain), column)) for one in real)
    told = [f"{system} ({change})".replace("(-", "(\N{MINUS SIGN}") for system, change in changes]
    return f"By {measure}, significantly different from {baseline}: {', '.join(told)}."


def _differences(comparison: Comparison) -> Iterable[Block]:
    for number, measure in enumerate(_measures(comparison), 1):
        results, own = _of_average(comparison, measure), f"-{number}" if len(comparison.measures) > 1 else ""
        when, plain = {"measure": measure}, measure in comparison.perplexities
        rows = [
            _spread(one.system, one.difference, one.difference_interval, plain=plain)
            for one in results
            if one.difference is not None
        ]
        if rows:
            axis = f"{measure}, {'lower is better' if plain else 'points'}"
            drawing = spreads(f"Differences of {measure} to {comparison.systems[0]}", rows, axis, zero=True)
            yield Block(f"differences{own}", drawing=drawing, when=when)
        values = [_spread(one.system, one.value, one.interval, plain=plain) for one in results if one.value is not None]
        drawing = spreads(f"{measure} with intervals", values, measure)
        yield Block(f"values{own}", f"{measure} of each system", drawing=drawing, when=when)
        yield _numbers(comparison, measure, f"comparison{own}")._replace(when=when)


def _numbers(comparison: Comparison, measure: str, name: str) -> Block:
    """All numbers of a measure, those of averages last."""
    own = tuple(one for one in comparison.results if one.measure == measure)
    table = comparison_table(comparison._replace(results=own, wins=()), each=True)
    return Block(name, "Numbers", table.notes[0], table=table._replace(notes=()))


def _spread(name: str, value: float | None, interval: tuple[float, float] | None, *, plain: bool) -> Spread:
    """A ratio in percent, or a perplexity as it is."""
    unit = 1 if plain else 100
    return Spread(name, unit * (value or 0.0), *(unit * end for end in interval or ()))


def _wins(comparison: Comparison) -> Iterable[Block]:
    for number, measure in enumerate(_measures(comparison), 1):
        rows = {one.system: (one.won, one.tied, one.lost) for one in comparison.wins if one.measure == measure}
        own = f"-{number}" if len(comparison.measures) > 1 else ""
        if rows:
            yield Block(
                f"wins{own}", when={"measure": measure}, drawing=shares(f"Won, tied, lost by {measure}", rows, _KINDS)
            )


class _Where:
    """Gathers where differences come from, treebank by treebank."""

    def __init__(self, n_treebanks: int, registry: Registry) -> None:
        self.n_treebanks, self.registry = n_treebanks, registry
        self.measure = parse_measure("LAS", registry)
        self.treebanks: list[str] = []
        self.systems: list[str] = []
        self.baseline, self.n_sentences = "", 0
        self.sums: dict[tuple[str, str], dict[str, list[float]]] = {}
        self.confusions: list[Block] = []
        self.contrasts: list[Block] = []

    def add(self, treebank: str, outputs: Sequence[Output]) -> None:
        """Look at one treebank."""
        self.treebanks.append(treebank)
        self.systems, self.baseline = [output.name for output in outputs], outputs[0].name
        self.n_sentences += len(outputs[0].matches.gold)
        drawn = [Shown(output.name, output.matches) for output in outputs]
        n_panels = self.n_treebanks * len(outputs)
        for number, one in enumerate(drawn, 1):
            name = f"confusion-{len(self.treebanks)}-{number}"
            when = {"system": one.name} | ({"treebank": treebank} if self.n_treebanks > 1 else {})
            self.confusions.append(confusion_block(one, name, n_panels)._replace(when=when))
            if number > 1:
                self._contrast(drawn[0], one, f"sentences-{len(self.treebanks)}-{number}", when)
        self._sum(outputs)

    def _contrast(self, baseline: Shown, system: Shown, name: str, when: Mapping[str, str]) -> None:
        most = max(1, min(_OF_A_KIND, _ALL_SENTENCES // (2 * self.n_treebanks * len(self.systems))))
        both = contrasts(baseline.matches, system.matches, self.measure, _LOOKED_AT, self.registry)
        lengths = np.diff(baseline.matches.gold.sentence_starts)
        for title, some in zip(("gains", "loses"), both):
            shortest = sorted(some, key=lambda one: bool(lengths[one.sentence] > _LONG))[:most]
            found = [sentence([baseline, system], one.sentence) for one in shortest]
            if found:
                self.contrasts.append(
                    Block(f"{name}-{title}", f"{system.name} {title} most", sentences=found, when=when)
                )

    def _sum(self, outputs: Sequence[Output]) -> None:
        settings = Settings(self.registry.schemes.by_name[self.registry.schemes.default])
        for by in _PROPERTIES:
            for gain in gains_by(outputs, self.measure, [by], settings, self.registry):
                sums = self.sums.setdefault((gain.system, by), {}).setdefault(gain.values[0], [0.0, 0.0])
                sums[0] += gain.more_correct
                sums[1] += gain.score.gold

    def gains(self) -> Iterable[Block]:
        """Give the gains of each system by each property."""
        for number, ((system, by), sums) in enumerate(self.sums.items(), 1):
            order = (
                sorted(sums, key=lambda value: (-abs(sums[value][0]), value))
                if by in {"deprel", "upos"}
                else list(sums)
            )
            rows = [value for value in order if sums[value][0]][:_MOST_BARS]
            table = Table(
                (Column(_PROPERTIES[by], "text"), Column("Gold words", "number"), Column("More right", "number")),
                tuple((value, sums[value][1], sums[value][0]) for value in order),
            )
            values: list[float | None] = [sums[value][0] for value in rows]
            drawing = panels(f"Words gained by {system}", rows, {"words more right": values}, places=0, signed=True)
            if rows:
                yield Block(
                    f"gains-{number}-{by}", _PROPERTIES[by], when={"system": system}, drawing=drawing, table=table
                )
