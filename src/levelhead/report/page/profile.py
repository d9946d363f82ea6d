"""The page of profiles: a panel for each column, treebanks ordered by similarity, language families as marks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import NamedTuple

from levelhead.errors import names_or_number, with_minus
from levelhead.immutable import immutable
from levelhead.report.charts.page_charts import panels
from levelhead.report.charts.point_charts import OTHER, Box, mark, placed_names, series_of
from levelhead.report.page.blocks import Block, HeatMap, Page, Section
from levelhead.tables import svg
from levelhead.tables.svg import Drawing, Scale
from levelhead.tables.table import Column, Table
from levelhead.typology import COLUMNS, Profile, ProfileColumn, Survey
from levelhead.typology.languages import LANGUAGE_COLUMNS, branch_of_treebank, language_cells, short_names
from levelhead.typology.profile import FEWEST, Quartiles, quartiles
from levelhead.typology.similarity import Cluster, Clustering, clustered

_COUNTS = [column for column in COLUMNS.values() if column.group == "sizes" and not column.unit]
_TITLES = {
    "sttr": "STTR", "sttr_sd": "STTR, standard deviation", "mattr": "MATTR", "upos": "Parts of speech",
    "relation": "Relations", "distance": "Dependency distance", "depth": "Depth of trees",
}  # fmt: skip


class _Treebanks(NamedTuple):
    """The treebanks of a page, in the order in which it shows them."""

    survey: Survey
    profiles: Mapping[str, Profile]
    clustering: Clustering | None
    rows: Sequence[PanelRow]
    scalars: Sequence[ProfileColumn]  # the columns with a single value
    panels: Mapping[ProfileColumn, Panel]  # of those that differ between treebanks


def profile_page(survey: Survey) -> Page:
    profiles = survey.of_treebanks
    clustering = None
    names = list(profiles)
    if len(profiles) > 1 and all(profile.get("relation") for profile in profiles.values()):
        clustering = clustered({name: profile.numbers("relation") for name, profile in profiles.items()})
        names = list(clustering.root.names)
    groups = {name: branch_of_treebank(name) for name in names}
    short = short_names(names)
    series = series_of(groups.values())
    rows = [PanelRow(name, short[name], series[groups[name]], groups[name]) for name in names]
    scalars = [column for name in profiles[names[0]] if (column := COLUMNS[name]).by is None]
    drawn = {}
    for column in scalars:
        values = [profiles[name].number(column.name) for name in names]
        if len({*values} - {None}) > 1:
            drawn[column] = Panel(_title(column), values, partial(_with_unit, column), counts=column in _COUNTS)
    treebanks = _Treebanks(survey, profiles, clustering, rows, scalars, drawn)
    made = (make(treebanks) for make in (_columns, _outliers, _similarity, _frequencies, _values))
    sections = [section for section in made if section.blocks]
    if len(names) == 1:
        sections.reverse()  # there is nothing to compare: values first
    labels = [row.label for row in rows]
    choices = {"highlight": ("no treebank", *labels)} if len(labels) > 1 else {}
    title = names[0] if len(names) == 1 else f"Profiles of {names_or_number(labels, 'treebank')}"
    notes, signature = survey.provenance.notes, survey.provenance.signature
    return Page(title, survey.verdict or "", _facts(treebanks), choices, sections, notes, signature, "profile")


def _title(column: ProfileColumn) -> str:
    return _TITLES.get(column.name) or column.name.replace("_", " ").capitalize()


def _with_unit(column: ProfileColumn, value: float) -> str:
    text = f"{value:,.2f}" if value != int(value) or column.unit == "percent" else f"{int(value):,}"
    return with_minus(f"{text}{'' if column.unit == 'percent' else ' '}{column.unit_text}".rstrip())


def _lower(title: str) -> str:
    return title if title.startswith(("STTR", "MATTR")) else title[:1].lower() + title[1:]


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
    groups: dict[int, set[str]] = {}
    for row in treebanks.rows:
        groups.setdefault(row.series, set()).add(row.group)
    legend = [
        (OTHER if len(names) > 1 else min(names), i, sum(row.series == i for row in treebanks.rows))
        for i, names in sorted(groups.items())
    ]
    rest = sorted(groups.get(svg.N_COLORS - 1, set()) - {OTHER})  # the groups that share the last mark
    others = f"{OTHER.capitalize()}: {', '.join(rest)}." if len(rest) > 1 else ""
    blocks = [Block("legend", caption=others, legend=legend)]
    for column, panel in treebanks.panels.items():
        unit = f" ({column.unit_text})" if column.unit else ""
        scale = " The scale is logarithmic." if panel.logarithmic else ""
        name = f"panel-{column.name.replace('_', '-')}"
        meaning = "" if column.meaning == f"{panel.title}." else column.meaning
        named = "; ".join(f"{treebanks.rows[i].label} {panel.shown(panel.values[i] or 0.0)}" for i in panel.outliers)
        caption = f"{meaning}{scale}{f' Outliers: {named}.' if named else ''}".strip()
        blocks.append(Block(name, f"{panel.title}{unit}", caption, drawing=panel_chart(panel, treebanks.rows)))
    same = [_lower(_title(column)) for column in treebanks.scalars if column not in treebanks.panels]
    lead = (
        "Each mark is a treebank, at the same position in every panel. Its shape and color show the language family"
        " (for Indo-European languages, the genus)."
    )
    order = "ordered by similarity: neighbors have similar frequencies of relations"
    lead += f" Treebanks are {'in the order given' if treebanks.clustering is None else order}."
    if len(treebanks.rows) >= FEWEST:
        lead += (
            " The band contains the middle half of the treebanks; the line in it is the median. Outliers are named:"
            " values more than 1.5 interquartile ranges below or above the band."
        )
    lead += f" No differences in: {', '.join(same)}." if same else ""
    return Section("columns", "Columns", lead, blocks if len(blocks) > 1 else [], narrow=True)


def _outliers(treebanks: _Treebanks) -> Section:
    outlying: list[tuple[PanelRow, list[str]]] = [
        (
            row,
            [
                f"{_lower(panel.title)} {'↑' if panel.outliers[i] else '↓'} {panel.shown(panel.values[i] or 0.0)}"
                for panel in treebanks.panels.values()
                if i in panel.outliers
            ],
        )
        for i, row in enumerate(treebanks.rows)
    ]
    rows = [
        (row.label, len(values), ", ".join(values), *language_cells(row.name)[:2])
        for row, values in sorted(outlying, key=lambda pair: (-len(pair[1]), pair[0].name))
        if values
    ]
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
        return Section("similarity", "Similarity", lead, [])
    clusters = Block("clusters", "Clusters", drawing=tree_chart(treebanks.clustering.root, treebanks.rows, "bits"))
    labels = {row.name: row.label for row in treebanks.rows}
    nearest = treebanks.clustering.nearest
    rows = [
        (i, row.label, *language_cells(row.name)[:2], labels[nearest[row.name][0]], nearest[row.name][1])
        for i, row in enumerate(treebanks.rows, 1)
    ]
    columns = (
        Column("Position", "position"), Column("Treebank", "text"), Column("Language", "text"),
        Column("Family", "text"), Column("Nearest", "text"), Column("JSD", "coefficient"),
    )  # fmt: skip
    table = Block("nearest", "Nearest treebank", table=Table(columns, tuple(rows)))
    return Section("similarity", "Similarity", lead, [clusters, table], narrow=True)


def _frequencies(treebanks: _Treebanks) -> Section:
    """The frequencies of relations and parts of speech: bars for a single treebank, otherwise a matrix."""
    blocks = []
    for column in (COLUMNS[name] for name in ("relation", "upos") if name in next(iter(treebanks.profiles.values()))):
        shares = [treebanks.profiles[row.name].numbers(column.name) for row in treebanks.rows]
        every = {text for some in shares for text in some}
        title = _title(column)
        mean = {text: math.fsum(some.get(text, 0.0) for some in shares) / len(shares) for text in every}
        names = sorted(every, key=lambda text: (-mean[text], text))
        if names and len(shares) == 1:
            values = {"% of words": [shares[0][name] for name in names]}
            blocks.append(Block(column.name, title, drawing=panels(title, names, values, places=2)))
        elif names:
            kept = names[:14]
            rows = [
                (row.label, [some.get(text, 0.0) if some else None for text in kept])
                for row, some in zip(treebanks.rows, shares)
            ]
            caption = f"The {len(kept)} most frequent of {len(names)}." if len(kept) < len(names) else ""
            matrix = HeatMap("", kept, rows, {}, {}, Column("", "percent"))
            blocks.append(Block(column.name, title, caption, heat=matrix))
    lead = "Percentages of words; the most frequent first."
    return Section("frequencies", "Frequencies", lead, blocks, narrow=len(treebanks.rows) == 1)


def _values(treebanks: _Treebanks) -> Section:
    """All values, with the total below if it is known."""
    if len(treebanks.rows) == 1:
        (profile,) = treebanks.profiles.values()
        values = [(column, profile.number(column.name)) for column in treebanks.scalars]
        rows = [
            (_title(column), None if value is None else _with_unit(column, value), column.meaning)
            for column, value in values
        ]
        columns = (Column("Column", "text"), Column("Value", "text"), Column("Meaning", "text"))
        return Section("values", "Values", "", [Block("values", table=Table(columns, tuple(rows)))])
    table = treebanks.survey.with_columns([column.name for column in treebanks.scalars]).table()
    by_name = {row[0]: row for row in table.every_row}
    each = tuple(by_name[row.name] for row in treebanks.rows)
    total = tuple(row for name, row in by_name.items() if name not in treebanks.profiles)
    heads = (
        column._replace(name=column.name.capitalize()) if column.name in LANGUAGE_COLUMNS else column
        for column in table.columns
    )
    ordered = Table(tuple(heads), each, summary=total)
    lead = "Treebanks in the order of the panels. Click a heading to sort."
    return Section("values", "Values", lead, [Block("values", table=ordered)])


_WIDTH, _LEFT, _RIGHT = 328.0, 46.0, 322.0
_TOP, _HEIGHT = 14.0, 124.0
_LONGEST = 12


class PanelRow(NamedTuple):
    """A treebank in the panels."""

    name: str
    label: str  # a short name
    series: int  # the number of its mark (see `point_charts`)
    group: str


@immutable
class Panel:
    """A column of values: of each row, as printed; None for a missing value."""

    title: str
    values: Sequence[float | None]
    shown: Callable[[float], str]  # prints a value with its unit
    counts: bool = False  # counts with a wide range have a logarithmic scale

    @property
    def logarithmic(self) -> bool:
        known = [value for value in self.values if value is not None]
        # on a linear scale, low values would be indistinguishable
        return self.counts and bool(known) and min(known) > 0 and max(known) > 30 * min(known)

    @cached_property
    def on_scale(self) -> list[float | None]:
        """The values on the scale: their logarithms if the scale is logarithmic."""
        return [math.log10(v) if v is not None and self.logarithmic else v for v in self.values]

    @cached_property
    def quartiles(self) -> Quartiles | None:
        """The quartiles on the scale; None with too few values."""
        return quartiles(self.on_scale)

    @cached_property
    def outliers(self) -> dict[int, bool]:
        """The rows of outliers, the farthest from the median on the scale first, and whether they are above it."""
        if (middle := self.quartiles) is None:
            return {}
        values = {i: value for i, value in enumerate(self.on_scale) if value is not None and middle.is_outlier(value)}
        ordered = sorted(values.items(), key=lambda outlier: -abs(outlier[1] - middle.median))
        return {i: value > middle.median for i, value in ordered}


def panel_chart(panel: Panel, rows: Sequence[PanelRow]) -> Drawing:
    """Draw a column: a mark for each treebank, the middle half as a band, and the names of outliers."""
    bottom = _TOP + _HEIGHT
    up = svg.scale_for((value for value in panel.on_scale if value is not None), bottom - 4, _TOP + 6)
    across = Scale(0, len(rows), _LEFT, _RIGHT)
    parts = []
    if panel.quartiles is not None:
        high, low, middle = up(panel.quartiles.high), up(panel.quartiles.low), up(panel.quartiles.median)
        size = f'width="{svg.short(_RIGHT - _LEFT)}" height="{svg.short(max(low - high, 1))}"'
        band = f'<rect class="middle" x="{svg.short(_LEFT)}" y="{svg.short(high)}" {size}/>'
        parts = [band, svg.line(_LEFT, middle, _RIGHT, middle, "axis")]
    ticks = [(at, svg.number(at)) for at in up.ticks(4)]
    if panel.logarithmic:
        values = up._replace(logarithmic=True).ticks()
        ticks = [(math.log10(value), f"{value:,g}") for value in values[:: 1 + len(values) // 7]]
    for at, shown in ticks:
        parts += [
            svg.line(_LEFT, up(at), _RIGHT, up(at), "grid"),
            svg.text(_LEFT - 6, up(at) + 4, shown, "mute small", "end"),
        ]
    points = {i: (across(i + 0.5), up(value)) for i, value in enumerate(panel.on_scale) if value is not None}
    for i, (x, y) in points.items():
        tip = f"{rows[i].name} ({rows[i].group}): {panel.shown(panel.values[i] or 0.0)}"
        parts.append(mark(x, y, rows[i].series, 3.4 if len(rows) <= 80 else 2.6, tip, f' data-t="{i}"'))
    named = [(rows[i].label, points[i]) for i in [*panel.outliers][:10]]
    parts += placed_names(named, Box(_LEFT - 4, 0, _WIDTH, bottom + 2), list(points.values()))
    drawn, depth = _below(rows, across, bottom)
    return Drawing(panel.title, _WIDTH, bottom + depth, "".join([*parts, *drawn]))


def _below(rows: Sequence[PanelRow], across: Scale, bottom: float) -> tuple[list[str], float]:
    """The names of treebanks, or their positions if there are too many; and the height of the texts."""
    step = across(1) - across(0)
    labels = [row.label for row in rows]
    # shortened in the middle: names of treebanks start with the language and end with the split
    labels = [label if len(label) <= _LONGEST else f"{label[: _LONGEST - 6]}…{label[-5:]}" for label in labels]
    longest = max(svg.width_of(label, 11) for label in labels)
    places = [across(i + 0.5) for i in range(len(rows))]
    if longest < step - 3:
        return [svg.text(x, bottom + 15, label, "mute small", "middle") for x, label in zip(places, labels)], 22.0
    if step >= 11:  # pixels between vertical names
        turned = [
            svg.text(x + 4, bottom + 5, label, "mute small", "end").replace(
                "<text ", f'<text transform="rotate(-90 {svg.short(x + 4)} {svg.short(bottom + 5)})" ', 1
            )
            for x, label in zip(places, labels)
        ]
        return turned, longest + 10
    every = next(n for n in (5, 10, 20, 50, 100, 200, 500, 1000, len(rows)) if n * step >= 24)
    numbered = [(at, places[at - 1]) for at in (1, *range(every, len(rows) + 1, every))]
    drawn = [svg.text(x, bottom + 15, str(at), "mute small", "middle") for at, x in numbered]
    return drawn + [svg.line(x, bottom, x, bottom + 4, "axis") for _, x in numbered], 22.0


def tree_chart(root: Cluster, rows: Sequence[PanelRow], axis: str) -> Drawing:
    step, top = 15.0, 30.0
    digits = svg.width_of(str(len(rows)), 11)
    left = digits + 26 + min(svg.widest(row.label for row in rows), 150.0) + 12
    bottom = top + step * len(rows)
    right = max(_WIDTH, left + 170) - 10
    across = Scale(0, root.height or 1.0, left, right)
    ticks = across.ticks(3)
    parts = [
        *(svg.line(across(at), top - 4, across(at), bottom, "grid") for at in ticks),
        *(svg.text(across(at), top - 9, svg.number(at), "mute small", "middle") for at in ticks),
        svg.text(0, top - 9, axis, "mute small"),
    ]
    for i, row in enumerate(rows):
        y = top + step * (i + 0.5)
        parts += [
            svg.text(digits, y + 4, str(i + 1), "mute small", "end"),
            mark(digits + 13, y, row.series, 4, row.group, f' data-t="{i}"'),
            svg.text(digits + 24, y + 4, row.label, "small"),
        ]
    place = {row.name: top + step * (i + 0.5) for i, row in enumerate(rows)}

    def draw(cluster: Cluster) -> float:
        """Draw the bracket of a cluster after those of its parts; return the position of its own line."""
        if not cluster.parts:
            return place[cluster.names[0]]
        (first, y1), (second, y2) = [(across(part.height), draw(part)) for part in cluster.parts]
        x = across(cluster.height)
        parts.append(svg.path([(first, y1), (x, y1), (x, y2), (second, y2)], "none branch"))
        return (y1 + y2) / 2

    draw(root)
    return Drawing("Treebanks clustered by relations", right + 10, bottom + 6, "".join(parts))
