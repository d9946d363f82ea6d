"""Gold and system trees in one drawing: as SVG, as LaTeX (tikz-dependency) and on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from levelhead.comparison.contrasts import Contrasts, contrast_titles
from levelhead.comparison.system_errors import ErrorExamples
from levelhead.errors import names_or_number, number_of
from levelhead.report.page.blocks import Block, Page, Section, treebank_name
from levelhead.report.page.examples import OutputTrees, sentence
from levelhead.tables.svg import Drawing, clean, short, text, width_of
from levelhead.tables.table import MOST_ROWS
from levelhead.tables.writers import latex_text, scrolled
from levelhead.treebank.tree_drawings import (
    AGREED,
    GOLD_ONLY,
    MISLABELED,
    MOST_WORDS,
    ROW,
    SYSTEM_ONLY,
    DrawnTree,
    middles,
)

_LEGEND = "gray: both agree, blue: gold only, orange: system only"
_SMALL = 11


class TreeGroup(NamedTuple):
    """Sentences with an error or a contrast, each with gold and system trees; `heading` is empty without sentences."""

    heading: str
    outputs: Sequence[OutputTrees]
    drawn: Sequence[Mapping[str, Any]]


def groups_of(result: ErrorExamples | Contrasts, limit: int | None = None) -> list[TreeGroup]:
    """Return the first sentences of a result for a drawing or a page, without long ones; duplicates are drawn once."""
    selected: list[tuple[str, list[OutputTrees], dict[int, None]]] = []
    if isinstance(result, ErrorExamples):
        outputs = [OutputTrees(result.system, result.matches)]
        for error, examples in result.cells.items():
            title = f"{error}: {number_of(len(result.cells[error]), 'word')}"
            selected.append((title, outputs, dict.fromkeys(example.gold_sentence for example in examples[:limit])))
    else:
        for name, baseline, system, *contrasts in result.outputs:
            outputs = [OutputTrees(output.name, output.matches) for output in (baseline, system)]
            for title, some in zip(contrast_titles(system.name, baseline.name), contrasts, strict=True):
                selected.append(
                    (f"{name}: {title}", outputs, dict.fromkeys(contrast.sentence for contrast in some[:limit]))
                )
    groups = []
    for title, outputs, sentences in selected:
        starts = outputs[0].matches.gold.sentence_starts
        drawn = [sentence(outputs, index) for index in sentences if starts[index + 1] - starts[index] <= MOST_WORDS]
        left_out = len(sentences) - len(drawn)
        more = f"; {number_of(left_out, 'sentence')} too long to draw" if left_out else ""
        groups.append(TreeGroup(f"{title}{more}" if sentences else "", outputs, drawn))
    return groups


def _sides(shown: Mapping[str, Any], tree: Mapping[str, Any]) -> tuple[DrawnTree, DrawnTree]:
    """Gold's words and the system's, in the colors of pages (`trees.js`)."""
    agreed = {gold for gold, error in zip(tree.get("a", range(len(tree["e"]))), tree["e"]) if error == "o"}
    colors = [AGREED if word in agreed else GOLD_ONLY for word in range(len(shown["f"]))]
    gold = DrawnTree(shown["f"], shown["h"], shown["d"], colors)
    kinds = {"o": AGREED, "l": MISLABELED}
    colors = [kinds.get(error, SYSTEM_ONLY) for error in tree["e"]]
    return gold, DrawnTree(tree.get("f", shown["f"]), tree["h"], tree["d"], colors)


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


def trees_html(groups: Sequence[TreeGroup]) -> str:
    """Draw the first sentences for a notebook, an image for each system; wide ones can be scrolled."""
    parts, most = list[str](), max(MOST_ROWS // max(len(groups), 1), 1)
    for group in (group for group in groups if group.drawn):
        parts.append(f"<p><b>{clean(group.heading)}</b></p>\n")
        for shown in group.drawn[:most]:
            parts.append(f'<p dir="auto">{clean(shown["t"])}</p>\n')
            images = (_picture(shown, tree).image("none") for tree in shown["s"])
            parts += (scrolled(image, right_to_left=shown["r"]) for image in images)
    more = sum(len(group.drawn[most:]) for group in groups)
    notes = [_LEGEND, *([f"... {number_of(more, 'more sentence')} (print() draws all)"] if more > 0 else [])]
    return "".join([*parts, *(f"<p><small>{note}</small></p>\n" for note in notes)])


def _long_text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text class="{kind}" x="{short(x)}" y="{short(y)}">{clean(words)}</text>'


def _picture(shown: Mapping[str, Any], tree: Mapping[str, Any]) -> Drawing:
    gold, system = _sides(shown, tree)
    same = gold.forms == system.forms
    widths = [gold.widths, system.widths]
    if same:
        widths = [[max(both) for both in zip(*widths, strict=True)]] * 2
    places = [middles(of_side, right_to_left=shown["r"]) for of_side in widths]
    title = f"{shown['i']}: gold above, {tree['n']} below"
    start = ROW + gold.height
    above = start + ROW
    below = above + (0 if same else ROW)
    body = [
        _long_text(0, 12, title, "mute small"),
        *gold.arcs(places[0], start),
        *(text(x, above, form, anchor="middle") for x, form in zip(places[0], gold.forms)),
        *(text(x, below, form, "mute", "middle") for x, form in zip(places[1], system.forms) if not same),
        *system.arcs(places[1], below + 6, -1),
    ]
    return Drawing(title, max(width_of(title, _SMALL), *map(sum, widths)), below + 6 + system.height, "".join(body))


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


def _edges(side: DrawnTree, *styles: str) -> list[str]:
    edges = []
    for word, (head, relation) in enumerate(zip(side.heads, side.relations, strict=True), 1):
        options = f"[{', '.join((*styles, side.colors[word - 1].tikz))}]"
        if head == 0:
            edges.append(f"\\deproot{options}{{{word}}}{{{latex_text(relation)}}}")
        elif head and head > 0:
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
