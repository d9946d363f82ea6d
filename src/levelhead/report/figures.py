"""Charts as Vega-Lite specifications, and the files they become.

A chart is a plain dictionary, so that drawing needs no library until a file is written; `altair.Chart.from_dict` and
every Vega-Lite viewer read it. The functions that make the figures of papers are in `figures_of_papers`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from levelhead.errors import Fault, InputError, Place
from levelhead.extras import missing_library

Chart = Mapping[str, Any]
"""A Vega-Lite specification."""

SUFFIXES = (".svg", ".png", ".pdf", ".html", ".json")
"""What a figure can be written as, by the end of its file's name."""

VEGA_LITE = "https://vega.github.io/schema/vega-lite/v5.json"


def scatter(
    points: Sequence[Mapping[str, Any]], x: str, y: str, *, label: str = "treebank", colour: str | None = None,
    title: str | None = None,
) -> Chart:  # fmt: skip
    """Return a scatter plot in which each point is labelled.

    Args:
        points: one record for each point.
        x: the field on the horizontal axis.
        y: the field on the vertical axis.
        label: the field written beside the point.
        colour: the field that colours it.
        title: what stands above.
    """
    encoding: dict[str, Any] = {"x": _number(x), "y": _number(y)}
    coloured = encoding | ({"color": _named(colour)} if colour else {})
    text = {**encoding, "text": {"field": _field(label), "type": "nominal"}}
    return {
        **_top(points, title),
        "width": 420,
        "height": 320,
        "layer": [
            {
                "mark": {"type": "point", "filled": True, "size": 45, "tooltip": {"content": "data"}},
                "encoding": coloured,
            },
            {"mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 9}, "encoding": text},
        ],
    }


def bars(
    table: Mapping[str, Mapping[str, float | None]], *, sort_by: str | None = None, horizontal: bool = False,
    axis: str = "value", title: str | None = None,
) -> Chart:  # fmt: skip
    """Return bars in groups: a group for each row, a bar in it for each column.

    Args:
        table: values by row and column.
        sort_by: the column by which rows are put in order, smallest first; the order given if None.
        horizontal: whether bars lie.
        axis: what the values are called.
        title: what stands above.
    """
    rows = list(table)
    if sort_by is not None:
        rows.sort(key=lambda row: (table[row][sort_by] is None, table[row][sort_by] or 0.0))
    columns = list(dict.fromkeys(column for row in rows for column in table[row]))
    records = [
        {"row": row, "column": column, "value": table[row][column]}
        for row in rows for column in columns if table[row].get(column) is not None
    ]  # fmt: skip
    place, size, offset = ("y", "x", "yOffset") if horizontal else ("x", "y", "xOffset")
    return {
        **_top(records, title),
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            place: {"field": "row", "type": "nominal", "sort": rows, "title": None},
            size: {"field": "value", "type": "quantitative", "title": axis},
            offset: {"field": "column", "type": "nominal", "sort": columns},
            "color": {"field": "column", "type": "nominal", "sort": columns, "title": None},
        },
    }


def lines(
    series: Mapping[str, Sequence[tuple[float, float]]], *, x: str, y: str, title: str | None = None,
    logarithmic: bool = False,
) -> Chart:  # fmt: skip
    """Return a line for each series.

    Args:
        series: the points of each line.
        x: what the horizontal axis is called.
        y: what the vertical axis is called.
        title: what stands above.
        logarithmic: whether the horizontal axis has a logarithmic scale.
    """
    scale = {"type": "log"} if logarithmic else {"zero": False}
    records = [{"series": name, "x": at, "y": value} for name, points in series.items() for at, value in points]
    return {
        **_top(records, title),
        "width": 420,
        "height": 320,
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {"field": "x", "type": "quantitative", "title": x, "scale": scale},
            "y": {"field": "y", "type": "quantitative", "title": y},
            "color": {"field": "series", "type": "nominal", "sort": list(series), "title": None},
        },
    }


def matrix(names: Sequence[str], values: Mapping[tuple[str, str], float | None], title: str | None = None) -> Chart:
    """Return a matrix of coefficients from -1 to 1 as coloured squares with their numbers.

    Args:
        names: its rows and columns, in order.
        values: by row and column, either order.
        title: what stands above.
    """
    both = {**values, **{(column, row): value for (row, column), value in values.items()}}
    records = [
        {"row": row, "column": column, "value": both[row, column], "shown": f"{both[row, column]:.2f}"}
        for row in names for column in names if both.get((row, column)) is not None
    ]  # fmt: skip
    place = {"x": {"field": "column", "type": "nominal", "sort": list(names), "title": None}}
    place["y"] = {"field": "row", "type": "nominal", "sort": list(names), "title": None}
    scale = {"domain": [-1, 0, 1], "range": ["#b2182b", "#f7f7f7", "#2166ac"]}
    colour = {"field": "value", "type": "quantitative", "scale": scale, "title": None}
    return {
        **_top(records, title),
        "width": {"step": 46},
        "height": {"step": 28},
        "encoding": place,
        "layer": [
            {"mark": "rect", "encoding": {"color": colour}},
            {"mark": {"type": "text", "fontSize": 10}, "encoding": {"text": {"field": "shown", "type": "nominal"}}},
        ],
    }


def _top(records: Sequence[Mapping[str, Any]], title: str | None) -> dict[str, Any]:
    named = {"title": title} if title else {}
    return {"$schema": VEGA_LITE, **named, "data": {"values": [dict(record) for record in records]}}


def _number(field: str) -> dict[str, Any]:
    return {"field": _field(field), "type": "quantitative", "title": field, "scale": {"zero": False, "padding": 25}}


def _named(field: str) -> dict[str, Any]:
    return {"field": _field(field), "type": "nominal", "title": field}


def _field(name: str) -> str:
    """The name of a field as Vega-Lite reads it, where dots and brackets would mean parts of a field."""
    return "".join(f"\\{character}" if character in ".[]\\'\"" else character for character in name)


def write_figure(chart: Chart, path: str | os.PathLike[str]) -> None:
    """Write a chart as SVG, PNG, PDF, a page that needs no network, or its specification, by the file's name.

    Args:
        chart: what to draw.
        path: the file, replaced whole or not at all.

    Raises:
        InputError: the name ends in nothing known, or vl-convert is not installed.
        OutputError: the file cannot be written.
    """
    from levelhead.treebank.write import replace_file

    replace_file(path, [_drawn(chart, checked_suffix(path))])


def checked_suffix(path: str | os.PathLike[str]) -> str:
    """Return the end of a figure's file name.

    Raises:
        InputError: nothing is drawn as that.
    """
    name = os.fspath(path)
    suffix = os.path.splitext(name)[1].lower()  # noqa: PTH122 -- pathlib is slow to load
    if suffix not in SUFFIXES:
        message = f"a figure's name ends in one of {', '.join(SUFFIXES)}"
        raise InputError(Fault("unknown-figure-format", message, Place(name)))
    return suffix


def _drawn(chart: Chart, suffix: str) -> bytes:
    if suffix == ".json":
        return (json.dumps(chart, ensure_ascii=False, indent=1) + "\n").encode()
    try:
        import vl_convert
    except ImportError as error:
        raise InputError(missing_library("vl_convert", "figures")) from error
    specification = dict(chart)
    if suffix == ".png":
        return bytes(vl_convert.vegalite_to_png(specification, scale=2))
    if suffix == ".pdf":
        return bytes(vl_convert.vegalite_to_pdf(specification))
    if suffix == ".svg":
        return str(vl_convert.vegalite_to_svg(specification)).encode()
    return str(vl_convert.vegalite_to_html(specification, bundle=True)).encode()
