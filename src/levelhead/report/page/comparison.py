"""The page of systems compared with the first: which differences are real, and where they come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from levelhead.analysis.word_properties import PropertySettings
from levelhead.campaign.outputs import Output
from levelhead.comparison.contrasts import contrasts, gains_by
from levelhead.comparison.systems import Comparison
from levelhead.evaluation.setup import Setup, setup_of
from levelhead.measures.registry import Registry
from levelhead.report.certainty import MARK, UNCERTAIN
from levelhead.report.charts.page_charts import IntervalRow, panels, shares, spreads
from levelhead.report.comparison import comparison_table, wins_text
from levelhead.report.page.blocks import Block, Page, Section
from levelhead.report.page.examples import Shown, sentence
from levelhead.report.page.score import CONFUSION_LEAD, confusion_block
from levelhead.report.partial import LABEL, VALID_TREES_NOTE
from levelhead.report.table import Column, Table, formatted, value_cell
from levelhead.report.verdicts import verdict_text
from levelhead.significance import SystemResult, units_of
from levelhead.significance.bucket_estimates import IntervalSettings
from levelhead.significance.units import AUTO, ENOUGH_UNITS

_KINDS = (("significantly better", "s0"), ("no significant difference", "none"), ("significantly worse", "s1"))
_PROPERTIES = {"deprel": "Relation", "upos": "Part of speech", "direction": "Direction", "length": "Length of the arc"}
_MOST_BARS = 16
_ALL_SENTENCES = 300
_OF_A_KIND = 4
_LOOKED_AT = 40
_LONG = 25  # words; longer sentences are shown only where there are no others


def comparison_page(comparison: Comparison, parts: Sequence[TreebankPart]) -> Page:
    """Return the page of a comparison.

    Args:
        comparison: the comparison.
        parts: what `treebank_part` made of the outputs on each treebank, in order.
    """
    where = _ContrastBlocks(parts)
    baseline = comparison.systems[0]
    order = [*where.systems[1:], where.systems[0]]
    choices = {"measure": _measures(comparison), "system": order}
    choices |= {"treebank": [part.treebank for part in parts]} if len(parts) > 1 else {}
    sections = [
        Section("differences", "Differences", _DIFFERENCES.format(baseline), list(_differences(comparison))),
        Section("wins", "Won, tied, lost", "Over treebanks, corrected by Holm's method.", list(_wins(comparison))),
        Section("gains", "Where differences come from", _GAINS.format(baseline), list(where.gains()), narrow=True),
        Section("sentences", "Sentences", _SENTENCES.format(baseline), where.blocks("contrasts")),
        Section("confusion", "Confusion of relations", CONFUSION_LEAD, where.blocks("confusions")),
    ]  # fmt: skip
    facts = [
        ("systems", str(len(comparison.systems))),
        ("treebanks", str(len(parts))),
        ("gold sentences", f"{sum(part.n_sentences for part in parts):,}"),
    ]
    shown = [section for section in sections if section.blocks]
    return Page(
        "Comparison", _lead(comparison), facts, choices, shown, (), comparison.provenance.signature, "comparison"
    )


_DIFFERENCES = (
    "To {}, in points, with confidence intervals. Asterisks mark significant differences, corrected by Holm's method."
)


_GAINS = "Increase in correct words (LAS) over {}, on all treebanks."
_SENTENCES = "Sentences in which a system gains or loses most against {}."


def _of_average(comparison: Comparison, measure: str) -> list[SystemResult]:
    """The results over all treebanks, by macro-average if there are several."""
    own = [one for one in comparison.results if one.measure == measure]
    return [one for one in own if one.average == "macro"] or own[: len(comparison.systems)]


def _measures(comparison: Comparison) -> list[str]:
    """The measures, LAS first: it is what one looks for."""
    return sorted(comparison.measures, key=lambda name: name != "LAS")


def _lead(comparison: Comparison) -> str:
    label = f"{LABEL} " if comparison.coverage else ""
    return f"{label}{_finding(comparison)}"


def _finding(comparison: Comparison) -> str:
    measure = _measures(comparison)[0]
    _, *others = _of_average(comparison, measure)
    real = [one for one in others if one.p_holm is not None and one.p_holm < 0.05 and one.enough_runs]
    baseline = comparison.systems[0]
    if not real:
        return f"By {measure}, no system differs significantly from {baseline}."
    plain, column = measure in comparison.perplexities, Column(measure, "difference")
    changes = ((one.system, formatted(value_cell(one.difference, perplexity=plain), column)) for one in real)
    text = [f"{system} ({change})".replace("(-", "(\N{MINUS SIGN}") for system, change in changes]
    return f"By {measure}, significantly different from {baseline}: {', '.join(text)}."


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
    """All numbers of a measure, those of averages last, and the verdicts of its gate."""
    own = tuple(one for one in comparison.results if one.measure == measure)
    table = comparison_table(replace(comparison, results=own, wins=(), gates=()), each=True)
    verdicts = [verdict_text(one, comparison) for one in comparison.gates if one.measure == measure]
    partial = [VALID_TREES_NOTE] if comparison.coverage else []
    return Block(name, "Numbers", ". ".join([table.notes[0], *verdicts, *partial]), table=table._replace(notes=()))


def _spread(name: str, value: float | None, interval: tuple[float, float] | None, *, plain: bool) -> IntervalRow:
    """A ratio in percent, or a perplexity as it is."""
    unit = 1 if plain else 100
    return IntervalRow(name, unit * (value or 0.0), *(unit * end for end in interval or ()))


def _wins(comparison: Comparison) -> Iterable[Block]:
    for number, measure in enumerate(_measures(comparison), 1):
        wins = [one for one in comparison.wins if one.measure == measure]
        rows = {one.system: (one.won, one.tied, one.lost) for one in wins}
        own = f"-{number}" if len(comparison.measures) > 1 else ""
        if rows:
            drawing = shares(f"Won, tied, lost by {measure}", rows, _KINDS)
            text = ". ".join(wins_text(one, comparison) for one in wins) + "."
            yield Block(f"wins{own}", "", text, {"measure": measure}, drawing)


class TreebankPart(NamedTuple):
    """What the page of a comparison shows of one treebank.

    Args:
        treebank: its code.
        systems: the names of the outputs, the baseline first.
        n_sentences: the number of gold sentences.
        sums: by system and property, for each value how many more words are right, how many words gold has, and in how
            many documents or sentences they are.
        confusions: the confusion of relations of each output; the names of blocks end in the number of the output.
        contrasts: the sentences in which each system gains or loses most.
    """

    treebank: str
    systems: tuple[str, ...]
    n_sentences: int
    sums: Mapping[tuple[str, str], Mapping[str, tuple[float, float, int]]]
    confusions: tuple[Block, ...]
    contrasts: tuple[Block, ...]


def treebank_part(treebank: str, outputs: Sequence[Output], *, n_treebanks: int, registry: Registry) -> TreebankPart:
    """Return what the page shows of one treebank; the engine calls this where the outputs are read.

    Args:
        treebank: its code.
        outputs: the outputs, the baseline first.
        n_treebanks: how many treebanks the page has.
        registry: the available measures and schemes.

    Raises:
        ConlluError: gold or an output has no trees.
    """
    for output in outputs:
        output.matches.check_trees()
    shown = [Shown(output.name, output.matches) for output in outputs]
    setup = setup_of(["LAS"], rules=outputs[0].matches.rules, registry=registry)
    n_panels = n_treebanks * len(outputs)
    confusions, contrasting = [], []
    for number, one in enumerate(shown, 1):
        when = {"system": one.name} | ({"treebank": treebank} if n_treebanks > 1 else {})
        confusions.append(confusion_block(one, str(number), n_panels)._replace(when=when))
        if number > 1:
            most = max(1, min(_OF_A_KIND, _ALL_SENTENCES // (2 * n_treebanks * len(outputs))))
            blocks = _contrasts(shown[0], one, most, setup)
            contrasting += [block._replace(name=f"{number}-{block.name}", when=when) for block in blocks]
    systems = tuple(output.name for output in outputs)
    n_sentences = len(outputs[0].matches.gold)
    return TreebankPart(treebank, systems, n_sentences, _sums(outputs, setup), tuple(confusions), tuple(contrasting))


def _contrasts(baseline: Shown, system: Shown, most: int, setup: Setup) -> Iterator[Block]:
    lengths = np.diff(baseline.matches.gold.sentence_starts)
    for title, some in zip(("gains", "loses"), contrasts(baseline.matches, system.matches, _LOOKED_AT, setup)):
        shortest = sorted(some, key=lambda one: bool(lengths[one.sentence] > _LONG))[:most]
        found = [sentence([baseline, system], one.sentence) for one in shortest]
        if found:
            yield Block(title, f"{system.name} {title} most", sentences=found)


def _sums(outputs: Sequence[Output], setup: Setup) -> dict[tuple[str, str], dict[str, tuple[float, float, int]]]:
    schemes, (measure,) = setup.registry.schemes, setup.measures
    settings = PropertySettings(schemes.by_name[schemes.default])
    intervals = IntervalSettings(units_of(outputs[0].matches.gold, AUTO))
    return {
        (system.name, by): {
            gain.values[0]: (
                gain.more_correct,
                gain.score.gold,
                0 if gain.certainty is None else gain.certainty.n_units,
            )
            for gain in gains_by(outputs, measure, [by], settings, setup.registry, intervals)
            if gain.system == system.name
        }
        for system in outputs[1:]
        for by in _PROPERTIES
    }


class _ContrastBlocks:
    """Where differences come from, over all treebanks."""

    def __init__(self, parts: Sequence[TreebankPart]) -> None:
        self.parts, self.systems = parts, parts[0].systems
        self.sums: dict[tuple[str, str], dict[str, list[float]]] = {}
        for part in parts:
            for key, values in part.sums.items():
                for value, numbers in values.items():
                    sums = self.sums.setdefault(key, {}).setdefault(value, [0.0, 0.0, 0.0])
                    self.sums[key][value] = [one + more for one, more in zip(sums, numbers, strict=True)]

    def blocks(self, kind: Literal["confusions", "contrasts"]) -> list[Block]:
        """Return the blocks of all treebanks, named by kind, treebank and output."""
        stem = {"confusions": "confusion", "contrasts": "sentences"}[kind]
        return [
            block._replace(name=f"{stem}-{number}-{block.name}")
            for number, part in enumerate(self.parts, 1)
            for block in getattr(part, kind)
        ]

    def gains(self) -> Iterable[Block]:
        """Give the gains of each system by each property."""
        for number, ((system, by), sums) in enumerate(self.sums.items(), 1):
            order = (
                sorted(sums, key=lambda value: (-abs(sums[value][0]), value))
                if by in {"deprel", "upos"}
                else list(sums)
            )
            rows = [value for value in order if sums[value][0]][:_MOST_BARS]
            few = {value for value in order if sums[value][2] < ENOUGH_UNITS}
            table = Table(
                (
                    *(Column(_PROPERTIES[by], "text"), Column("Gold words", "number"), Column("More right", "number")),
                    Column("", "text", key="Uncertain"),
                ),
                tuple((value, sums[value][1], sums[value][0], MARK if value in few else "") for value in order),
                (UNCERTAIN,) if few else (),
            )
            values: list[float | None] = [sums[value][0] for value in rows]
            names = [f"{value} {MARK}" if value in few else value for value in rows]
            drawing = panels(f"Words gained by {system}", names, {"words more right": values}, places=0, signed=True)
            if rows:
                yield Block(
                    f"gains-{number}-{by}", _PROPERTIES[by], when={"system": system}, drawing=drawing, table=table
                )
