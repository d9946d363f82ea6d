"""The page of one system: its scores, where its errors sit, and the sentences behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from levelhead.analysis import PROPERTIES, Breakdown, break_down, error_types
from levelhead.analysis.word_properties import PropertySettings
from levelhead.campaign.outputs import Output
from levelhead.comparison.evaluations import average_scores
from levelhead.evaluation.pair import Evaluation
from levelhead.measures.registry import Registry, parse_measure
from levelhead.report.breakdown import breakdown_table
from levelhead.report.certainty import MARK
from levelhead.report.charts.page_charts import panels
from levelhead.report.page.blocks import Block, Page, Section
from levelhead.report.page.examples import Shown, confused
from levelhead.report.partial import LABEL, VALID_TREES_NOTE, covered
from levelhead.report.scores import Average, score_table, scores_table
from levelhead.report.table import Column, Table, formatted, value_cell
from levelhead.scoring.matches import Matches
from levelhead.significance import units_of
from levelhead.significance.bucket_estimates import IntervalSettings
from levelhead.significance.units import AUTO

_ALL_SENTENCES = 700
_MOST_SENTENCES = 60
_MOST_BARS = 16
_PROPERTIES = {
    "class": "Class of relation",
    "deprel": "Relation",
    "upos": "Part of speech",
    "direction": "Direction of the arc",
    "length": "Length of the arc",
    "sentence-length": "Length of the sentence",
}


Blocks = Mapping[str, Sequence[Block]]
"""What the page shows of one treebank, by section."""


def score_page(
    name: str, evaluations: Mapping[str, Evaluation], blocks: Mapping[str, Blocks], average: Average | None = None
) -> Page:
    """Return the page of a system.

    Args:
        name: the system.
        evaluations: its scores on each treebank.
        blocks: what `treebank_blocks` made of its output on each treebank.
        average: the macro-average of each measure, if there are several.
    """
    sections: dict[str, list[Block]] = {"kinds": [], "breakdowns": [], "confusion": []}
    several = len(evaluations) > 1
    for number, treebank in enumerate(evaluations, 1):
        own, when = (f"-{number}", {"treebank": treebank}) if several else ("", {})
        for section, found in blocks[treebank].items():
            sections[section] += [block._replace(name=f"{block.name}{own}", when=when) for block in found]
    choices = {"treebank": list(evaluations)} if several else {}
    first = next(iter(evaluations.values()))
    shared = {k: first.signature[k] for k in ("rules", "unicode", "version")} if several else first.signature
    parts = _sections(evaluations, average, sections)
    return Page(name, _lead(name, evaluations, average), _facts(evaluations), choices, parts, (), shared, "score")


def treebank_blocks(
    treebank: str,  # noqa: ARG001 -- the engine gives the code of the test set
    outputs: Sequence[Output],
    *,
    name: str,
    n_treebanks: int,
    registry: Registry,
) -> Blocks:
    """Return what the page shows of one treebank; the engine calls this where the output is read.

    Args:
        treebank: its code.
        outputs: the system's output alone.
        name: the system.
        n_treebanks: how many treebanks the page has.
        registry: the available measures and schemes.

    Raises:
        ConlluError: gold or the output has no trees.
    """
    (output,) = outputs
    matches = output.matches
    matches.check_trees()
    return {
        "kinds": [kinds_block(matches, "kinds")],
        "breakdowns": list(_breakdowns(matches, registry, "LAS.recall" if output.partial else "LAS")),
        "confusion": [confusion_block(Shown(name, matches), "confusion", n_treebanks)],
    }


def _lead(name: str, evaluations: Mapping[str, Evaluation], average: Average | None) -> str:
    treebank, scores = next(iter(evaluations.items()))
    where = f"on {treebank}: " if average is None else f"on {len(evaluations)} treebanks, macro-averages: "
    chosen = [measure for measure in scores if measure in {"UAS", "LAS", "CLAS"}] or [*scores][:3]
    values = []
    for measure in chosen:
        value = scores[measure].value if average is None else average[measure]
        cell = value_cell(value, perplexity=scores[measure].perplexity)
        values.append(f"{measure} {'–' if cell is None else formatted(cell, Column(measure))}")
    label = f"{LABEL} " if covered(evaluations) else ""
    return f"{label}{name} {where}{', '.join(values)}."


def _facts(evaluations: Mapping[str, Evaluation]) -> list[tuple[str, str]]:
    golds = [evaluation.gold for evaluation in evaluations.values()]
    facts = [("treebanks", f"{len(golds)}")] if len(golds) > 1 else []
    facts += [("gold sentences", f"{sum(one.sentences for one in golds):,}")]
    facts += [("gold words", f"{sum(one.words for one in golds):,}")]
    return [*facts, ("system words", f"{sum(one.system.words for one in evaluations.values()):,}")]


def _sections(
    evaluations: Mapping[str, Evaluation], average: Average | None, blocks: Mapping[str, Sequence[Block]]
) -> list[Section]:
    first = next(iter(evaluations.values()))
    coverage = covered(evaluations)
    strict = average_scores({code: one.valid_trees for code, one in evaluations.items()}) if coverage else None
    table = score_table(first) if average is None else scores_table(evaluations, average, strict)
    caption = f"P{str(coverage)[1:]}. {VALID_TREES_NOTE}" if coverage else ""
    scores = Block("scores", caption=caption, table=table._replace(notes=()))
    by_property = _RECALL_LEAD if coverage else _BREAKDOWNS_LEAD
    return [
        Section("scores", "Scores", "", [scores]),
        Section("kinds", "Kinds of errors", "Aligned words by what is wrong with them.", blocks["kinds"]),
        Section("breakdowns", "Where errors are", by_property, blocks["breakdowns"], narrow=True),
        Section("confusion", "Confusion of relations", CONFUSION_LEAD, blocks["confusion"]),
    ]  # fmt: skip


_BREAKDOWNS_LEAD = "LAS by property of words; the numbers are below each chart."
_RECALL_LEAD = (
    "Recall of LAS by property of gold words, of all rows that can be read; the numbers are below each chart."
)
CONFUSION_LEAD = (
    "Rows are gold relations, columns the system's. Choose a cell to see its sentences; those on the diagonal have"
    " words with the right relation and a wrong head."
)


def kinds_block(matches: Matches, name: str) -> Block:
    """Return how many words are wrong in which way.

    Args:
        matches: the aligned words.
        name: the name of the block.
    """
    kinds = {kind: n for kind, n in error_types(matches).items() if kind != "right" and n}
    table = Table((Column("Error", "text"), Column("Words", "number")), tuple(kinds.items()))
    if not kinds:
        return Block(name, caption="No aligned word is wrong.")
    drawing = panels("Kinds of errors", list(kinds), {"Words": list(map(float, kinds.values()))}, places=0)
    return Block(name, drawing=drawing, table=table)


def confusion_block(output: Shown, name: str, n_panels: int) -> Block:
    """Return the confusion of a system, with as many sentences as a page can hold.

    Args:
        output: the system.
        name: the name of the block.
        n_panels: how many such blocks the page has.
    """
    most = max(5, min(_MOST_SENTENCES, _ALL_SENTENCES // n_panels))
    return Block(name, confused=confused(output, most))


def _breakdowns(matches: Matches, registry: Registry, measure: str) -> Iterator[Block]:
    settings = PropertySettings(registry.schemes.by_name[registry.schemes.default])
    shared: dict[str, Any] = {"registry": registry, "intervals": IntervalSettings(units_of(matches.gold, AUTO))}
    for by, title in _PROPERTIES.items():
        if by in PROPERTIES:
            found = break_down(matches, parse_measure(measure, registry), [by], settings, **shared)
            yield _breakdown(found, by, title)


def _breakdown(found: Breakdown, by: str, title: str) -> Block:
    table = breakdown_table({"": [found]})
    rows = [
        (f"{values[0]} {MARK}" if found.certainties[values].uncertain else values[0], score)
        for values, score in found.rows
        if score.value is not None
    ]
    if by in {"deprel", "upos"}:
        rows = sorted(rows, key=lambda row: -row[1].gold)[:_MOST_BARS]
    name = "LAS (recall)" if found.measure.component else "LAS (F1)"
    values: list[float | None] = [100 * (score.value or 0) for _, score in rows]
    drawing = panels(f"LAS by {title.lower()}", [label for label, _ in rows], {name: values})
    return Block(f"by-{by}", title, drawing=drawing, table=table)
