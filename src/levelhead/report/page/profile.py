"""The page of profiles: a panel for each column, treebanks ordered by similarity, language families as marks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from levelhead.errors import with_minus
from levelhead.report.charts.multiples import Panel, PanelRow, panel_chart, tree_chart
from levelhead.report.charts.page_charts import panels
from levelhead.report.charts.point_charts import OTHER, series_of
from levelhead.report.page.blocks import Block, HeatMap, Page, Section, names_or_number
from levelhead.tables.svg import N_COLORS
from levelhead.tables.table import Cell, Column, Table, percentage
from levelhead.typology import COLUMNS, Profile, ProfileColumn
from levelhead.typology.collection import Survey
from levelhead.typology.languages import branch_of_treebank, language_cells, short_names
from levelhead.typology.profile import FEWEST
from levelhead.typology.similarity import Clustering, clustered

_FREQUENCIES = ("relation", "upos")
_TOTAL = "Total of "
_COUNTS = [column for column in COLUMNS.values() if column.group == "sizes" and not column.unit]
_FREQUENT = 14
_MOST_NAMED = 5
_ABBREVIATED = {"sttr": "STTR", "sttr_sd": "STTR, standard deviation", "mattr": "MATTR", "upos": "Parts of speech"}
_TITLES = {**_ABBREVIATED, "relation": "Relations", "distance": "Dependency distance", "depth": "Depth of trees"}


class _Treebanks(NamedTuple):
    """The treebanks of a page, in the order in which it shows them."""

    survey: Survey
    profiles: Mapping[str, Profile]
    clustering: Clustering | None
    rows: Sequence[PanelRow]
    scalars: Sequence[ProfileColumn]  # the columns with a single value
    panels: Sequence[tuple[ProfileColumn, Panel]]  # of those that differ between treebanks


def profile_page(survey: Survey) -> Page:
    """Return the page of profiles."""
    profiles = {name: profile for name, profile in survey.items() if not name.startswith(_TOTAL)}
    clustering, names = None, list(profiles)
    if len(profiles) > 1 and all(profile.get("relation") for profile in profiles.values()):
        clustering = clustered({name: profile.numbers("relation") for name, profile in profiles.items()})
        names = list(clustering.root.names)
    groups, short = {name: branch_of_treebank(name) for name in names}, short_names(names)
    series = series_of(groups.values())
    rows = [PanelRow(name, short[name], series[groups[name]], groups[name]) for name in names]
    scalars, drawn = [column for name in profiles[names[0]] if (column := COLUMNS[name]).by is None], []
    for column in scalars:
        values = [_printed(column, profiles[name].number(column.name)) for name in names]
        if len({*values} - {None}) > 1:
            panel = Panel(_title(column), values, partial(_with_unit, column), counts=column in _COUNTS)
            drawn.append((column, panel))
    treebanks = _Treebanks(survey, profiles, clustering, rows, scalars, drawn)
    made = (make(treebanks) for make in (_columns, _outliers, _similarity, _frequencies, _values))
    sections = [section for section in made if section.blocks]
    if len(names) == 1:
        sections.reverse()  # there is nothing to compare: values first
    labels = [row.label for row in rows]
    choices = {"highlight": ("no treebank", *labels)} if len(labels) > 1 else {}
    title = names[0] if len(names) == 1 else f"Profiles of {names_or_number(labels, 'treebank')}"
    notes, signature = survey.provenance.notes, survey.provenance.signature
    return Page(title, _lead(treebanks), _facts(treebanks), choices, sections, notes, signature, "profile")


def _title(column: ProfileColumn) -> str:
    return _TITLES.get(column.name) or column.name.replace("_", " ").capitalize()


def _printed(column: ProfileColumn, value: float | None) -> float | None:
    return percentage(value) if value is not None and column.unit == "%" else value


def _with_unit(column: ProfileColumn, value: float) -> str:
    text = f"{value:,.2f}" if value != int(value) or column.unit == "%" else f"{int(value):,}"
    space = "" if column.unit == "%" else " "
    return with_minus(f"{text}{space}{column.unit}".rstrip())


def _lead(treebanks: _Treebanks) -> str:
    if len(treebanks.rows) == 1:
        language = language_cells(treebanks.rows[0].name)[0]
        return f"A treebank of {language}." if language else "The profile of a treebank."
    if len(treebanks.rows) < FEWEST:
        return f"{len(treebanks.rows)} treebanks side by side."
    columns = [column for column, _ in treebanks.panels if column not in _COUNTS]
    outlying = _outlying(treebanks)
    times = {
        row.label: sum(column in columns for column, _ in outlying.get(i, ())) for i, row in enumerate(treebanks.rows)
    }
    most = max(times.values())
    if not most:
        return f"None of the {len(treebanks.rows)} treebanks is an outlier in any column, not counting sizes."
    *names, last = sorted(name for name, n in times.items() if n == most)
    of = f"of {len(treebanks.rows)} treebanks"
    outliers = f"{most} of {len(columns)} columns, not counting sizes"
    if not names:
        return f"{last} is the most unusual {of}: an outlier in {outliers}."
    if len(names) < _MOST_NAMED:
        return f"{', '.join(names)} and {last} are the most unusual {of}: outliers in {outliers}."
    return f"{len(names) + 1} {of} are outliers in {outliers}, the others in fewer."


def _lower(title: str) -> str:
    return title if title.startswith(("STTR", "MATTR")) else title[:1].lower() + title[1:]


def _outlying(treebanks: _Treebanks) -> dict[int, list[tuple[ProfileColumn, Panel]]]:
    """The columns in which a treebank is an outlier, by the number of its row."""
    outlying: dict[int, list[tuple[ProfileColumn, Panel]]] = {}
    for column, panel in treebanks.panels:
        for i in panel.outliers:
            outlying.setdefault(i, []).append((column, panel))
    return outlying


def _facts(treebanks: _Treebanks) -> list[tuple[str, str]]:
    facts = [("treebanks", f"{len(treebanks.rows):,}")] if len(treebanks.rows) > 1 else []
    for name, cells in zip(("languages", "families"), zip(*(language_cells(row.name) for row in treebanks.rows))):
        known = {cell for cell in cells if cell}
        facts += [(name, f"{len(known):,}")] if known and len(treebanks.rows) > 1 else []
    for name in ("sentences", "words"):
        if name in next(iter(treebanks.profiles.values())):
            total = sum(profile.number(name) or 0 for profile in treebanks.profiles.values())
            facts.append((name, f"{int(total):,}"))
    return facts


def _columns(treebanks: _Treebanks) -> Section:
    if len(treebanks.rows) == 1:
        return Section("columns", "Columns", "", [])
    groups: dict[int, set[str]] = {}
    for row in treebanks.rows:
        groups.setdefault(row.series, set()).add(row.group)
    legend = [
        (OTHER if len(names) > 1 else min(names), i, sum(row.series == i for row in treebanks.rows))
        for i, names in sorted(groups.items())
    ]
    rest = sorted(groups.get(N_COLORS - 1, set()) - {OTHER})  # the groups that share the last mark
    others = f"{OTHER.capitalize()}: {', '.join(rest)}." if len(rest) > 1 else ""
    blocks = [Block("legend", caption=others, legend=legend)]
    for column, panel in treebanks.panels:
        unit = f" ({column.unit})" if column.unit else ""
        scale = " The scale is logarithmic." if panel.logarithmic else ""
        name = f"panel-{column.name.replace('_', '-')}"
        meaning = "" if column.meaning == f"{panel.title}." else column.meaning
        named = "; ".join(f"{treebanks.rows[i].label} {panel.shown(panel.values[i] or 0.0)}" for i in panel.outliers)
        caption = f"{meaning}{scale}{f' Outliers: {named}.' if named else ''}".strip()
        blocks.append(Block(name, f"{panel.title}{unit}", caption, drawing=panel_chart(panel, treebanks.rows)))
    varying = [column for column, _ in treebanks.panels]
    same = [_title(column) for column in treebanks.scalars if column not in varying]
    lead = (
        "Each mark is a treebank, at the same position in every panel. Its shape and color show the language family"
        " (for Indo-European languages, the genus)."
    )
    if treebanks.clustering is None:
        lead += " Treebanks are in the order given."
    else:
        lead += " Treebanks are ordered by similarity: neighbors have similar frequencies of relations."
    if len(treebanks.rows) >= FEWEST:
        lead += (
            " The band contains the middle half of the treebanks; the line in it is the median. Outliers are named:"
            " values more than 1.5 interquartile ranges below or above the band."
        )
    lead += f" No differences in: {', '.join(map(_lower, same))}." if same else ""
    return Section("columns", "Columns", lead, blocks if len(blocks) > 1 else [], narrow=True)


def _outliers(treebanks: _Treebanks) -> Section:
    outlying = _outlying(treebanks).items()
    rows: list[tuple[Cell, ...]] = []
    for i, panels_of_row in sorted(outlying, key=lambda pair: (-len(pair[1]), treebanks.rows[pair[0]].name)):
        values = ", ".join(
            f"{_lower(panel.title)} {'↑' if panel.outliers[i] else '↓'} {panel.shown(panel.values[i] or 0.0)}"
            for _, panel in panels_of_row
        )
        rows.append((treebanks.rows[i].label, len(panels_of_row), values, *language_cells(treebanks.rows[i].name)[:2]))
    columns = (
        Column("Treebank", "text"), Column("Columns", "number"), Column("Outlier in", "text"),
        Column("Language", "text"), Column("Family", "text"),
    )  # fmt: skip
    lead = "Treebanks with unusual values, those with the most outliers first. ↑: above, ↓: below the other treebanks."
    return Section("outliers", "Outliers", lead, [Block("outliers", table=Table(columns, tuple(rows)))] if rows else [])


def _similarity(treebanks: _Treebanks) -> Section:
    lead = (
        "Treebanks are similar if their frequencies of universal relations are. The distance is the Jensen-Shannon"
        " divergence (the column JSD(relations) of levelhead similarity): 0 bits for equal frequencies, 1 bit if no"
        " relation is shared. Clusters are joined by average linkage; a bracket ends at the mean divergence of the"
        " clusters that it joins. The order from top to bottom is the order of the panels."
    )
    if treebanks.clustering is None:
        return Section("similarity", "Similarity", "", [])
    drawing = tree_chart(treebanks.clustering.root, treebanks.rows, "bits")
    labels = {row.name: row.label for row in treebanks.rows}
    nearest = treebanks.clustering.nearest
    rows = [
        (i, row.label, *language_cells(row.name)[:2], labels[nearest[row.name][0]], nearest[row.name][1])
        for i, row in enumerate(treebanks.rows, 1)
    ]
    columns = (
        Column("Position", "position"), Column("Treebank", "text"), Column("Language", "text"),
        Column("Family", "text"), Column("Nearest", "text"), Column("JSD", "probability", digits=3),
    )  # fmt: skip
    table = Block("nearest", "Nearest treebank", table=Table(columns, tuple(rows)))
    return Section(
        "similarity", "Similarity", lead, [Block("clusters", "Clusters", drawing=drawing), table], narrow=True
    )


def _frequencies(treebanks: _Treebanks) -> Section:
    """The frequencies of relations and parts of speech: bars for a single treebank, otherwise a matrix."""
    blocks = []
    for column in (COLUMNS[name] for name in _FREQUENCIES if name in next(iter(treebanks.profiles.values()))):
        shares = [treebanks.profiles[row.name].numbers(column.name) for row in treebanks.rows]
        every, title = {text for some in shares for text in some}, _title(column)
        mean = {text: math.fsum(some.get(text, 0.0) for some in shares) / len(shares) for text in every}
        names = sorted(every, key=lambda text: (-mean[text], text))
        if names and len(shares) == 1:
            values = {"% of words": [percentage(shares[0][name]) for name in names]}
            blocks.append(Block(column.name, title, drawing=panels(title, names, values, places=2)))
        elif names:
            kept = names[:_FREQUENT]
            rows = [
                (row.label, [some.get(text, 0.0) if some else None for text in kept])
                for row, some in zip(treebanks.rows, shares)
            ]
            caption = f"The {len(kept)} most frequent of {len(names)}." if len(kept) < len(names) else ""
            matrix = HeatMap("", kept, rows, {}, {}, Column("", "ratio"))
            blocks.append(Block(column.name, title, caption, heat=matrix))
    lead = "Percentages of words; the most frequent first."
    return Section("frequencies", "Frequencies", lead, blocks, narrow=len(treebanks.rows) == 1)


def _values(treebanks: _Treebanks) -> Section:
    """All values, with the total below if it is known."""
    if len(treebanks.rows) == 1:
        (profile,) = treebanks.profiles.values()
        rows: list[tuple[Cell, ...]] = []
        for column in treebanks.scalars:
            value = _printed(column, profile.number(column.name))
            rows.append((_title(column), None if value is None else _with_unit(column, value), column.meaning))
        columns = (Column("Column", "text"), Column("Value", "text"), Column("Meaning", "text"))
        return Section("values", "Values", "", [Block("values", table=Table(columns, tuple(rows)))])
    table = treebanks.survey.with_columns([column.name for column in treebanks.scalars]).table()
    by_name = {row[0]: row for row in table.rows}
    each = tuple(by_name[row.name] for row in treebanks.rows)
    total = tuple(row for name, row in by_name.items() if name not in treebanks.profiles)
    name, *origin = table.columns[:4]
    heads = (column._replace(name=column.name.capitalize()) for column in origin)
    ordered = Table((name, *heads, *table.columns[4:]), each, summary=total)
    lead = "Treebanks in the order of the panels. Click a heading to sort."
    return Section("values", "Values", lead, [Block("values", table=ordered)])
