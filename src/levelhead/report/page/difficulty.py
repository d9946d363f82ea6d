"""The page of the difficulty of test sets, with a map of where systems are better or worse than expected."""

from __future__ import annotations

import numpy as np

from levelhead.comparison.difficulty import Difficulty
from levelhead.report.charts.page_charts import plotted_row, spreads
from levelhead.report.page.blocks import Block, HeatMap, Page, Section
from levelhead.tables.table import Column

_COLORED = 0.95  # the share of residuals within the ends of the colors, so that a disaster does not hide the others

_LEADS = {
    "explained": ("Properties", "How well properties of treebanks explain differences in difficulty."),
    "systems": ("Systems", "Averages over all test sets; missing scores are predicted. Ability is in logits."),
    "unusual": ("Unusual scores", "Systems that are much better or worse on a test set than expected."),
    "detectable": (
        "Detectable differences",
        "Differences detected with 80% power between systems with close scores, or half of the ranking apart.",
    ),
}


def difficulty_page(difficulty: Difficulty) -> Page:
    """Return the page of difficulties."""
    known = [row for row in difficulty.test_sets if row.difficulty is not None]
    rows = [plotted_row(row.treebank, row.difficulty, row.difficulty_interval) for row in known]
    drawing = spreads("Difficulty of test sets", rows, "points below the mean", zero=True)
    blocks = [Block("difficulty", drawing=drawing), Block("test-sets", "Numbers", table=difficulty.table())]
    lead = (
        "How many points a system of average ability is expected to score below its mean over all test sets. Intervals"
        " refer to other systems of the same kind."
    )
    residuals = {(row.treebank, row.system): row.residual for row in difficulty.residuals}
    limit = float(np.quantile(np.abs(list(residuals.values())), _COLORED))
    systems = [row.system for row, ability in difficulty.systems if ability.ability is not None]
    cells = [(row.treebank, [residuals.get((row.treebank, system)) for system in systems]) for row in known]
    heat = HeatMap("Treebank", systems, cells, {}, {}, Column("Residual", "points"), limit=limit)
    residual_lead = (
        "The score minus the expected score (from the ability of the system and the difficulty of the test set), in"
        " points. Colors are lightest at \N{MINUS SIGN}{limit:.1f} or less and darkest at +{limit:.1f} or more."
        " Empty cells have no valid output."
    )
    sections = [
        Section("difficulty", "Difficulty", lead, blocks),
        Section("map", "Better or worse than expected", residual_lead, [Block("residuals", heat=heat)]),
    ]
    tables = dict(difficulty.other_tables())
    sections += [
        Section(name, *texts, [Block(name, table=tables[name])]) for name, texts in _LEADS.items() if name in tables
    ]
    facts = [("systems", str(len(systems))), ("test sets", str(len(known))), ("scores", f"{len(residuals):,}")]
    provenance = difficulty.provenance
    title = f"Difficulty of test sets by {difficulty.measure}"
    return Page(title, difficulty.verdict, facts, {}, sections, provenance.notes, provenance.signature)
