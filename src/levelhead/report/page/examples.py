"""Example sentences: gold and system trees with their errors, as data for pages, as SVG and as LaTeX."""

from __future__ import annotations

import base64
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.comparison.trees import Contrasts, ErrorExamples, contrast_titles
from levelhead.errors import names_or_number, number_of, printable
from levelhead.report.page.blocks import Block, Page, Section, treebank_name
from levelhead.scoring.matches import Agree, Matches
from levelhead.tables.svg import Drawing, clean, short, text, width_of
from levelhead.tables.table import MOST_ROWS
from levelhead.tables.writers import latex_text, scrolled
from levelhead.treebank import StringColumn
from levelhead.treebank.tree_drawings import (
    AGREED,
    GOLD_ONLY,
    MISLABELED,
    MOST_WORDS,
    ROW,
    SYSTEM_ONLY,
    DrawnTree,
    is_right_to_left,
    middles,
)

ALL_WORDS = 50_000  # in the sentences of a page, over all treebanks
_FEWEST_WORDS = 600  # of each treebank
_MOST_OF_GROUP = 30  # sentences, of files with too many errors for a page


class OutputTrees:
    """A system's output, with its words aligned to gold's, prepared for showing its sentences."""

    def __init__(self, name: str, matches: Matches) -> None:
        self.name, self.matches = name, matches
        self.errors = np.full(matches.system.n_words, "u", dtype="<U1")  # not aligned
        head, label = matches.agree(Agree.HEAD), matches.agree(Agree.RELATION)
        self.errors[matches.alignment.system] = np.where(head, np.where(label, "o", "l"), np.where(label, "h", "b"))
        self._text = cache(lambda code: printable(matches.system.strings[code]))
        self._by_row = np.argsort(matches.row_of_system, kind="stable")
        self._starts = np.searchsorted(matches.row_of_system[self._by_row], np.arange(len(matches.gold) + 1))

    def tree(self, sentence: int) -> dict[str, Any]:
        system, matches = self.matches.system, self.matches
        words = self._by_row[self._starts[sentence] : self._starts[sentence + 1]]
        place = {int(word): i + 1 for i, word in enumerate(words.tolist())}
        heads = [
            0 if head < 0 else -1 if head == word else place.get(head, -1)  # a word without a HEAD is its own
            for word, head in zip(words.tolist(), system.heads[words].tolist())
        ]
        first, last = matches.gold.sentence_starts[sentence : sentence + 2].tolist()
        gold = matches.gold_of_system[words]
        inside = np.where((gold >= first) & (gold < last), gold - first, -1).tolist()
        tree = {
            "n": printable(self.name),
            "e": "".join(self.errors[words].tolist()),
            "h": heads,
            "d": self._texts(system.relations, words),
        }
        forms = self._texts(system.forms, words)
        if inside != list(range(last - first)) or forms != list(map(printable, matches.gold[sentence].forms)):
            tree |= {"f": forms, "a": inside}
        return tree

    def _texts(self, column: StringColumn, words: NDArray[np.int64]) -> list[str]:
        return [self._text(code) for code in column.codes[words].tolist()]


def sentence(
    outputs: Sequence[OutputTrees],
    index: int,
    sides: tuple[str, str] | None = None,
    marked: int | None = None,
    n_before: int = 0,
) -> dict[str, Any]:
    gold = outputs[0].matches.gold[index]
    return {
        **({} if sides is None else {"k": sides}),
        **({} if marked is None else {"m": marked}),
        "i": printable(gold.id or f"sentence {n_before + index + 1}"),
        "t": printable(gold.text),
        "r": int(is_right_to_left(gold.text)),
        "f": [printable(form) for form in gold.forms],
        "h": gold.heads,
        "d": [printable(relation) for relation in gold.relations],
        "s": [output.tree(index) for output in outputs],
    }


class Examples(NamedTuple):
    """The errors of a treebank that a page can show in their sentences."""

    sentences: Sequence[Mapping[str, Any]]  # see `sentence`
    words: Sequence[tuple[int, int]]  # the wrong words: the number of the sentence, and of the word in it
    groups: Mapping[str, Sequence[str | None]]  # by kind of grouping, the name of the group of each word
    totals: Mapping[str, Mapping[str, int]]  # the number of words in each group, including words that are not shown


# by kind of grouping, the name of each group by its number, None for groups that a page does not show
GroupNames = Mapping[str, Callable[[int], str | None]]


class ExampleTally:
    """Collects wrong words with their sentences from a file that is read in pieces; groups are numbers, -1 for none."""

    def __init__(self, n_treebanks: int) -> None:
        self._most = max(_FEWEST_WORDS, ALL_WORDS // n_treebanks)  # words
        self._n_before = self._n_words = 0
        self._sentences: dict[int, dict[str, Any]] = {}
        self._words = np.zeros((2, 0), dtype=np.int64)  # the sentence, and the word in it
        self._groups: dict[str, NDArray[np.int64]] = {}
        self._totals: dict[str, Counter[int]] = {}

    def add(self, output: OutputTrees, words: NDArray[np.int64], groups: Mapping[str, NDArray[np.int64]]) -> None:
        gold = output.matches.gold
        rows = gold.sentence_of_word[words].astype(np.int64)
        places = np.stack([self._n_before + rows, words - gold.sentence_starts[rows]])
        self._words = np.concatenate([self._words, places], axis=1)
        for name, numbers in groups.items():
            self._groups[name] = np.concatenate([self._groups.get(name, numbers[:0]), numbers])
            self._totals[name] = self._totals.get(name, Counter()) + counted(numbers)
        self._n_words += int(np.diff(gold.sentence_starts)[np.unique(rows)].sum())
        if self._n_words > self._most:
            kept = _first_places(self._words[0], self._groups.values()) < _MOST_OF_GROUP
            self._words = self._words[:, kept]
            self._groups = {name: numbers[kept] for name, numbers in self._groups.items()}
        self._sentences = {
            number: self._sentences.get(number) or sentence([output], number - self._n_before, n_before=self._n_before)
            for number in np.unique(self._words[0]).tolist()
        }
        self._n_before += len(gold)

    def examples(self, names: GroupNames) -> Examples:
        """Return the words and the sentences for a page, in the order of the file."""
        order = np.lexsort(self._words[::-1])
        words, groups, known = self._words[:, order], {}, {}
        for kind, counts in self._totals.items():
            known[kind] = {number: name for number in counts if (name := names.get(kind, str)(number)) is not None}
            groups[kind] = np.where(np.isin(self._groups[kind], [*known[kind]]), self._groups[kind], -1)[order]
        kept, rows = np.unique(words[0], return_index=True)
        if self._n_words > self._most:  # sentences of each group in turn, short ones first
            turns = _first_places(words[0], groups.values())[rows]
            lengths = np.array([len(self._sentences[number]["f"]) for number in kept.tolist()])
            chosen, left = [], self._most
            for row in np.lexsort((kept, lengths > 40, turns)).tolist():
                if left >= lengths[row]:
                    chosen.append(row)
                    left -= int(lengths[row])
            kept = kept[chosen]
        inside = np.isin(words[0], kept)
        kept, rows = np.unique(words[0, inside], return_inverse=True)
        pairs = list(zip(rows.tolist(), words[1, inside].tolist(), strict=True))
        shown = {kind: [known[kind].get(n) for n in numbers[inside].tolist()] for kind, numbers in groups.items()}
        totals = {
            kind: {name: self._totals[kind][number] for number, name in sorted(of_kind.items(), key=itemgetter(1))}
            for kind, of_kind in known.items()
        }
        return Examples([self._sentences[number] for number in kept.tolist()], pairs, shown, totals)


def counted(numbers: NDArray[np.int64]) -> Counter[int]:
    """Return how often each number occurs; negative numbers are ignored."""
    distinct, counts = np.unique(numbers[numbers >= 0], return_counts=True)
    return Counter(dict(zip(distinct.tolist(), counts.tolist(), strict=True)))


def _first_places(sentences: NDArray[np.int64], groupings: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the lowest place of each word's sentence in any group of its words, int64, shape (words,)."""
    distinct, rows = np.unique(sentences, return_inverse=True)
    n = len(distinct)
    # its place in an order that spreads sentences over the file: multiples of the golden ratio are even between 0 and 1
    at = np.argsort(np.argsort(distinct * ((5**0.5 - 1) / 2) % 1, kind="stable"))[rows]
    lowest = np.full(n, np.iinfo(np.int64).max)
    for numbers in groupings:
        _, groups = np.unique(numbers[numbers >= 0], return_inverse=True)
        keys, _ = np.unique(groups * n + at[numbers >= 0], return_counts=True)  # each sentence once in a group
        groups = keys // n
        np.minimum.at(lowest, keys % n, np.arange(len(keys)) - np.searchsorted(groups, groups))
    return lowest[at]


def joined_examples(parts: Sequence[Examples]) -> Examples:
    """Return the words of all treebanks; sentences are stored with parts."""
    kinds = [kind for kind in parts[0].groups if kind != "cell"]  # confusions are shown by treebank only
    starts = accumulate((len(part.sentences) for part in parts), initial=0)
    words = [(start + sentence, word) for start, part in zip(starts, parts) for sentence, word in part.words]
    groups = {kind: [name for part in parts for name in part.groups[kind]] for kind in kinds}
    totals = {kind: sum((Counter(part.totals[kind]) for part in parts), Counter[str]()) for kind in kinds}
    return Examples((), words, groups, totals)


def values_of_words(matches: Matches, words: NDArray[np.int64], of_pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the value of the aligned pair of each gold word, -1 if it is not aligned; int64, shape (words,)."""
    values = np.full(matches.gold.n_words, -1, dtype=np.int64)
    values[matches.alignment.gold] = of_pairs
    return values[words]


def stored(parts: Sequence[Examples], joint: Examples | None = None) -> dict[str, str]:
    """Return the sentences of all treebanks of a page in compressed form, a third of their size."""
    number: dict[str, int] = {}
    sentences: list[dict[str, Any]] = []
    stores: dict[str, Any] = {}
    for store, part in enumerate([*parts, *([] if joint is None else [joint])], 1):
        start = 0 if part is joint else len(sentences)
        words = [number for sentence, word in part.words for number in (start + sentence, word)]
        numbers = {kind: {name: i for i, name in enumerate(totals)} for kind, totals in part.totals.items()}
        stores["0" if part is joint else str(store)] = {
            "words": words,
            "names": {kind: list(map(printable, totals)) for kind, totals in part.totals.items()},
            "totals": {kind: [*totals.values()] for kind, totals in part.totals.items()},
            "groups": {kind: [numbers[kind].get(name or "", -1) for name in own] for kind, own in part.groups.items()},
        }
        sentences += [_packed(sentence, number) for sentence in part.sentences]
    every = {"relations": list(number), "sentences": sentences, "stores": stores}
    text = json.dumps(every, ensure_ascii=False, separators=(",", ":"))
    return {"packed": base64.b64encode(zlib.compress(text.encode("utf-8", "backslashreplace"), 9)).decode()}


def _packed(sentence: Mapping[str, Any], number: dict[str, int]) -> dict[str, Any]:
    """A sentence with relations by number; trees over gold's words are stored as their differences from gold."""
    gold, *systems = (
        [number.setdefault(relation, len(number)) for relation in side["d"]] for side in (sentence, *sentence["s"])
    )
    trees = []
    for tree, relations in zip(sentence["s"], systems, strict=True):
        words = enumerate(zip(tree["h"], relations, sentence["h"], gold))
        changed = [part for word, (h, d, *in_gold) in words if [h, d] != in_gold for part in (word, h, d)]
        trees.append({**tree, "d": relations} if "f" in tree else {"n": tree["n"], "e": tree["e"], "x": changed})
    return {**sentence, "d": gold, "s": trees}


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
