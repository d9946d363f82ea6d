"""The page of one system: its scores, where its errors sit, and the sentences behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from levelhead.analysis import BUCKETS, Breakdown, break_down, error_types
from levelhead.analysis.buckets import Settings
from levelhead.evaluation import Evaluation
from levelhead.measures import STANDARD, Registry, parse_measure
from levelhead.report.analysis import breakdown_table
from levelhead.report.page.blocks import Block, Page, Section
from levelhead.report.page.charts import panels
from levelhead.report.page.examples import Shown, confused
from levelhead.report.scores import Average, score_table, scores_table
from levelhead.report.table import Column, Table, formatted, value_cell
from levelhead.scoring.matches import Matches

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


def score_page(
    name: str,
    treebanks: Iterator[tuple[str, Evaluation, Matches]],
    n_treebanks: int,
    average: Average | None = None,
    registry: Registry = STANDARD,
) -> Page:
    """Return the page of a system.

    Args:
        name: the system.
        treebanks: its scores and aligned words on each treebank; they are taken one by one, and not kept.
        n_treebanks: how many treebanks there are.
        average: the macro-average of each measure, if there are several.
        registry: the measures and schemes that there are.
    """
    evaluations: dict[str, Evaluation] = {}
    sections: dict[str, list[Block]] = {"kinds": [], "breakdowns": [], "confusion": []}
    for number, (treebank, evaluation, matches) in enumerate(treebanks, 1):
        evaluations[treebank] = evaluation
        own = f"-{number}" if n_treebanks > 1 else ""
        when = {"treebank": treebank} if n_treebanks > 1 else {}
        found = {
            "kinds": [kinds_block(matches, f"kinds{own}")],
            "breakdowns": list(_breakdowns(matches, own, registry)),
            "confusion": [confusion_block(Shown(name, matches), f"confusion{own}", n_treebanks)],
        }
        for section, blocks in found.items():
            sections[section] += [block._replace(when=when) for block in blocks]
    choices = {"treebank": list(evaluations)} if n_treebanks > 1 else {}
    first = next(iter(evaluations.values()))
    shared = first.signature if n_treebanks == 1 else {k: first.signature[k] for k in ("rules", "unicode", "version")}
    parts = _sections(evaluations, average, sections)
    return Page(name, _lead(name, evaluations, average), _facts(evaluations), choices, parts, (), shared)


def _lead(name: str, evaluations: Mapping[str, Evaluation], average: Average | None) -> str:
    treebank, scores = next(iter(evaluations.items()))
    where = f"on {treebank}: " if average is None else f"on {len(evaluations)} treebanks, macro-averages: "
    chosen = [measure for measure in scores if measure in {"UAS", "LAS", "CLAS"}] or [*scores][:3]
    told = []
    for measure in chosen:
        value = scores[measure].value if average is None else average[measure]
        cell = value_cell(value, perplexity=scores[measure].perplexity)
        told.append(f"{measure} {'–' if cell is None else formatted(cell, Column(measure))}")
    return f"{name} {where}{', '.join(told)}."


def _facts(evaluations: Mapping[str, Evaluation]) -> list[tuple[str, str]]:
    golds = [evaluation.gold for evaluation in evaluations.values()]
    facts = [("treebanks", f"{len(golds)}")] if len(golds) > 1 else []
    facts += [("gold sentences", f"{sum(map(len, golds)):,}"), ("gold words", f"{sum(g.n_words for g in golds):,}")]
    return [*facts, ("system words", f"{sum(one.system.n_words for one in evaluations.values()):,}")]


def _sections(
    evaluations: Mapping[str, Evaluation], average: Average | None, blocks: Mapping[str, Sequence[Block]]
) -> list[Section]:
    first = next(iter(evaluations.values()))
    table = score_table(first) if average is None else scores_table(evaluations, average)
    scores = Block("scores", table=table._replace(notes=()))
    return [
        Section("scores", "Scores", "", [scores]),
        Section("kinds", "Kinds of errors", "Aligned words by what is wrong with them.", blocks["kinds"]),
        Section("breakdowns", "Where errors sit", _BREAKDOWNS_LEAD, blocks["breakdowns"], narrow=True),
        Section("confusion", "Confusion of relations", CONFUSION_LEAD, blocks["confusion"]),
    ]  # fmt: skip


_BREAKDOWNS_LEAD = "LAS of words of one kind; the numbers are below each chart."
CONFUSION_LEAD = (
    "Gold relations down, the system's across. Choose a cell to see sentences behind it; on the diagonal they are words"
    " with the right relation and a wrong head."
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


def _breakdowns(matches: Matches, own: str, registry: Registry) -> Iterator[Block]:
    settings = Settings(registry.schemes.by_name[registry.schemes.default])
    for by, title in _PROPERTIES.items():
        if by in BUCKETS:
            found = break_down(matches, parse_measure("LAS", registry), [by], settings, registry=registry)
            yield _breakdown(found, by, title, own)


def _breakdown(found: Breakdown, by: str, title: str, own: str) -> Block:
    table = breakdown_table({"": [found]})
    rows = [(values[0], score) for values, score in found.rows if score.f1 is not None]
    if by in {"deprel", "upos"}:
        rows = sorted(rows, key=lambda row: -row[1].gold)[:_MOST_BARS]
    columns: dict[str, list[float | None]] = {
        "LAS (F1)": [100 * (score.f1 or 0) for _, score in rows],
        "Gold words": [float(score.gold) for _, score in rows],
    }
    drawing = panels(f"LAS by {title.lower()}", [label for label, _ in rows], {"LAS (F1)": columns["LAS (F1)"]})
    return Block(f"by-{by}{own}", title, drawing=drawing, table=table)
