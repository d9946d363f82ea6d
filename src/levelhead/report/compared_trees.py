"""Gold and system trees in one drawing: as SVG, as LaTeX (tikz-dependency) and on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from levelhead.comparison.contrasts import Contrasts
from levelhead.comparison.system_errors import ErrorExamples
from levelhead.comparison.tree_text import MOST_WORDS, contrast_titles
from levelhead.errors import names_or_number, number_of
from levelhead.report.page.blocks import Block, Page, Section, treebank_name
from levelhead.report.page.examples import OutputTrees, sentence
from levelhead.tables.svg import Drawing, clean, cut, line, short, text, width_of
from levelhead.tables.writers import latex_text
from levelhead.treebank.tree_svg import AGREED, GOLD_ONLY, MISLABELED, SYSTEM_ONLY, ArcColor

_LEGEND = "gray: both agree, blue: gold only, orange: system only"
_STEP = 22
_ROW = 22
_SMALL = 11


class TreeGroup(NamedTuple):
    """Sentences with an error or a contrast, each with gold and system trees; `heading` is empty without sentences."""

    heading: str
    outputs: Sequence[OutputTrees]
    drawn: Sequence[Mapping[str, Any]]


def groups_of(result: ErrorExamples | Contrasts) -> list[TreeGroup]:
    """Return the sentences of a result for a drawing or a page, except very long ones; duplicates are drawn once."""
    selected: list[tuple[str, list[OutputTrees], dict[int, None]]] = []
    if isinstance(result, ErrorExamples):
        outputs = [OutputTrees(result.system, result.matches)]
        for error, examples in result.drawn.items():
            title = f"{error}: {number_of(len(result.cells[error]), 'word')}"
            selected.append((title, outputs, dict.fromkeys(example.gold_sentence for example in examples)))
    else:
        for name, baseline, system, *contrasts in result.drawn:
            outputs = [OutputTrees(output.name, output.matches) for output in (baseline, system)]
            for title, some in zip(contrast_titles(system.name, baseline.name), contrasts, strict=True):
                selected.append((f"{name}: {title}", outputs, dict.fromkeys(contrast.sentence for contrast in some)))
    groups = []
    for title, outputs, sentences in selected:
        starts = outputs[0].matches.gold.sentence_starts
        drawn = [sentence(outputs, index) for index in sentences if starts[index + 1] - starts[index] <= MOST_WORDS]
        left_out = len(sentences) - len(drawn)
        more = f"; {number_of(left_out, 'sentence')} too long to draw" if left_out else ""
        groups.append(TreeGroup(f"{title}{more}" if sentences else "", outputs, drawn))
    return groups


class _Words(NamedTuple):
    """The words of one side."""

    forms: Sequence[str]
    heads: Sequence[int]  # from 1, 0 for the root, -1 for outside
    relations: Sequence[str]
    colors: Sequence[ArcColor]


def _sides(shown: Mapping[str, Any], tree: Mapping[str, Any]) -> tuple[_Words, _Words]:
    """Gold's words and the system's, in the colors of pages (`trees.js`)."""
    agreed = {gold for gold, error in zip(tree.get("a", range(len(tree["e"]))), tree["e"]) if error == "o"}
    colors = [AGREED if word in agreed else GOLD_ONLY for word in range(len(shown["f"]))]
    gold = _Words(shown["f"], shown["h"], shown["d"], colors)
    kinds = {"o": AGREED, "l": MISLABELED}
    return gold, _Words(tree.get("f", shown["f"]), tree["h"], tree["d"], [kinds.get(e, SYSTEM_ONLY) for e in tree["e"]])


def trees_svg(groups: Sequence[TreeGroup], signature: str) -> str:
    """Draw all sentences: gold's arcs above the words, a system's below, those of one side in color."""
    parts: list[str] = []
    width, y = max(width_of(line, _SMALL) for line in (_LEGEND, signature)), 0.0
    for group in (group for group in groups if group.heading):
        y += 24
        parts.append(_long_text(8, y, group.heading, "b"))
        for shown in group.drawn:
            for tree in shown["s"]:
                picture = _picture(shown, tree)
                parts.append(f'<g transform="translate(8,{short(y + 8)})">{picture.body}</g>')
                width, y = max(width, picture.width), y + picture.height + 8
    for note in (_LEGEND, signature):
        y += 20
        parts.append(_long_text(8, y, note, "mute small"))
    return Drawing("Dependency trees", width + 16, y + 12, "".join(parts)).file() + "\n"


def _long_text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text class="{kind}" x="{short(x)}" y="{short(y)}">{clean(words)}</text>'


def _picture(shown: Mapping[str, Any], tree: Mapping[str, Any]) -> Drawing:
    gold, system = _sides(shown, tree)
    same = gold.forms == system.forms
    widths = [
        [
            16 + max(34, width_of(cut(form)), width_of(cut(relation), _SMALL))
            for form, relation in zip(side.forms, side.relations, strict=True)
        ]
        for side in (gold, system)
    ]
    if same:
        widths = [[max(both) for both in zip(*widths, strict=True)]] * 2
    places = [[sum(of_side[:i]) + width / 2 for i, width in enumerate(of_side)] for of_side in widths]
    if shown["r"]:  # right-to-left text starts at the right
        places = [[sum(of_side) - x for x in middles] for of_side, middles in zip(widths, places)]
    levels = [_levels(side.heads) for side in (gold, system)]
    above = _ROW + 34 + _STEP * max(levels[0].values(), default=0)
    below = above + (0 if same else _ROW)
    title = f"{shown['i']}: gold above, {tree['n']} below"
    body = [
        _long_text(0, 12, title, "mute small"),
        *_side(gold, places[0], levels[0], above, -1),
        *(text(x, above, form, anchor="middle") for x, form in zip(places[0], gold.forms)),
        *(text(x, below, form, "mute", "middle") for x, form in zip(places[1], system.forms) if not same),
        *_side(system, places[1], levels[1], below, 1),
    ]
    height = below + 40 + _STEP * max(levels[1].values(), default=0)
    return Drawing(shown["t"], max(width_of(title), *map(sum, widths)), height, "".join(body))


def _levels(heads: Sequence[int]) -> dict[int, int]:
    """The level of each word's arc: above all arcs that it spans."""
    arcs = [(*sorted((word, head - 1)), word) for word, head in enumerate(heads) if head > 0]
    levels: dict[tuple[int, int, int], int] = {}
    for low, high, word in sorted(arcs, key=lambda arc: (arc[1] - arc[0], arc)):
        inside = [level for (start, end, _), level in levels.items() if low <= start and end <= high]
        levels[low, high, word] = 1 + max(inside, default=0)
    return {word: level for (_, _, word), level in levels.items()}


def _side(side: _Words, places: Sequence[float], levels: Mapping[int, int], y: float, up: int) -> list[str]:
    """The arcs of one side, above the words (-1) or below (1)."""
    start = y + (-14 if up < 0 else 6)
    parts = []
    for word, (head, relation) in enumerate(zip(side.heads, side.relations, strict=True)):
        color, x = side.colors[word], places[word]
        if word not in levels:
            parts.append(line(x, start + 24 * up, x, start, f"{color.line} thin"))
            label = x, start + (26 if up < 0 else 34) * up
        else:
            peak = start + up * (10 + _STEP * levels[word])
            begin = places[head - 1] + (4 if x > places[head - 1] else -4)
            points = map(short, (begin, start, begin, peak, x, peak, x, start))
            parts.append('<path class="{} thin" d="M{},{} C{},{} {},{} {},{}"/>'.format(color.line, *points))
            label = (begin + x) / 2, start + 0.75 * (peak - start) + (-3 if up < 0 else 11)
        base = short(start + 6 * up)
        tip = f"{short(x)},{short(start)} {short(x - 3)},{base} {short(x + 3)},{base}"
        parts.append(f'<polygon class="{color.tip}" points="{tip}"/>')
        parts.append(text(*label, relation, f"small {color.label}", "middle"))
    return parts


def trees_tikz(groups: Sequence[TreeGroup], signature: str) -> str:
    """Return all sentences in LaTeX for the package tikz-dependency: gold arcs above, a system's below."""
    parts = ["% \\usepackage{tikz-dependency}"]
    for group in (group for group in groups if group.heading):
        parts.append(f"% {latex_text(group.heading)}")
        for shown in group.drawn:
            for tree in shown["s"]:
                gold, system = _sides(shown, tree)
                parts.append(f"% {latex_text(shown['i'])}: gold above, {latex_text(tree['n'])} below")
                above = _edges(gold)
                below = _edges(system, "edge below")
                same = gold.forms == system.forms
                for side, edges in [(gold, above + below)] if same else [(gold, above), (system, below)]:
                    # \\& ends a word
                    words = " \\& ".join(latex_text(form).replace("\\&", "\\symbol{38}") for form in side.forms)
                    parts += ["\\begin{dependency}", "\\begin{deptext}", f"{words} \\\\", "\\end{deptext}"]
                    parts += [*edges, "\\end{dependency}", ""]  # a separate paragraph
    return "\n".join([*parts, f"% {_LEGEND}", f"% {latex_text(signature)}"]) + "\n"


def _edges(side: _Words, *styles: str) -> list[str]:
    edges = []
    for word, (head, relation) in enumerate(zip(side.heads, side.relations, strict=True), 1):
        options = f"[{', '.join((*styles, side.colors[word - 1].tikz))}]"
        if head == 0:
            edges.append(f"\\deproot{options}{{{word}}}{{{latex_text(relation)}}}")
        elif head > 0:
            edges.append(f"\\depedge{options}{{{head}}}{{{word}}}{{{latex_text(relation)}}}")
    return edges


def trees_page(groups: Sequence[TreeGroup], signature: Mapping[str, str]) -> Page:
    blocks = [
        Block(f"trees-{n}", group.heading, sentences=group.drawn) for n, group in enumerate(groups, 1) if group.drawn
    ]
    systems = dict.fromkeys(output.name for group in groups for output in group.outputs)
    n_sentences = sum(len(group.drawn) for group in groups)
    section = Section("sentences", "Sentences", "Gold and system trees; errors are marked.", blocks)
    lead = f"{number_of(n_sentences, 'sentence')} with the trees of gold and {', '.join(systems)}."
    golds = dict.fromkeys(treebank_name(output.matches.gold) for group in groups for output in group.outputs)
    title = " on ".join(names_or_number([*names], noun) for names, noun in ((systems, "system"), (golds, "treebank")))
    return Page(f"Dependency trees of {title}", lead, (), {}, [section], (), signature)
