"""levelhead trees: how many sentences are drawn, and drawings that hold exactly the arcs of gold and system."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import levelhead
from conftest import EXAMPLES, library
from levelhead.cli.shared.color import colored_trees
from levelhead.treebank.tree_drawings import draw, draw_both, tree_drawing

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA, BETA = (PARALLEL / part / "en.conllu" for part in ("gold", "systems/alpha", "systems/beta"))
AR = [PARALLEL / "gold/ar.conllu", PARALLEL / "systems/alpha/ar.conllu"]
SVG = "{http://www.w3.org/2000/svg}"
EDGE = re.compile(r"\\depedge(\[[^]]*\])?\{(\d+)\}\{(\d+)\}\{(.*)\}|\\deproot(\[[^]]*\])?\{(\d+)\}\{(.*)\}")


def chain(path: Path, relations: list[str]) -> Path:
    """A sentence of one word for each relation, with characters that drawings must escape."""
    word = "1\t{}\tx\tX\t_\t_\t0\troot\t_\t_\n2\ta&b<_%\tx\tX\t_\t_\t1\t{}\t_\t_\n\n"
    path.write_text("".join(word.format(f"w{i}", relation) for i, relation in enumerate(relations)), encoding="utf-8")
    return path


@pytest.fixture(name="seven")
def _seven(tmp_path: Path) -> tuple[Path, Path]:
    return chain(tmp_path / "gold.conllu", ["obl"] * 7), chain(tmp_path / "system.conllu", ["nmod"] * 7)


def test_all_words_are_drawn_unless_limit_says_otherwise(run, seven) -> None:
    code, out, _ = run("trees", *seven, "--show", "obl:nmod", "--limit", 5)
    assert (code, out.count("* a&b")) == (0, 5)
    assert out.startswith("obl:nmod: 7 words\n")
    assert "\n... 2 more (--limit 0)\n" in out
    for limit in ((), ("--limit", 0), ("--limit", 7)):
        _, out, _ = run("trees", *seven, "--show", "obl:nmod", *limit)
        assert out.count("* a&b") == 7
        assert "more (" not in out
    for limit, n in (((), 7), (("--limit", 2), 2)):
        document = json.loads(run("trees", *seven, "--show", "obl:nmod", "--format", "json", *limit)[1])
        assert len(document["tables"]["examples"]) == n


def test_contrasts_are_limited_in_text_and_complete_in_json(run) -> None:
    document = json.loads(run("trees", GOLD, ALPHA, BETA, "--format", "json")[1])
    assert sum(row["more_correct"] < 0 for row in document["tables"]["sentences"]) > 5
    _, out, _ = run("trees", GOLD, ALPHA, BETA, "--limit", 5)
    assert "en: largest gains of beta over alpha" in out
    assert "largest losses of beta against alpha: 18 sentences" in out
    assert "\n... 13 more (--limit 0)\n" in out


def arcs(path: Path, number: int) -> list[tuple[int, int, str]]:
    one = levelhead.read(path)[number]
    return [(head, word, relation) for word, (head, relation) in enumerate(zip(one.heads, one.relations), 1)]


def test_latex_has_the_arcs_of_both_sides(run) -> None:
    """Gold above, the system below; gray where they agree, gold's other arcs blue, the system's orange."""
    _, out, _ = run("trees", GOLD, ALPHA, "--show", "nsubj:obj", "--format", "tikz")
    found = {True: [], False: []}
    colors = {True: [], False: []}
    for options, head, word, relation, root_options, root, root_relation in EDGE.findall(out):
        arc = (int(head or 0), int(word or root), relation or root_relation)
        side = "edge below" in options + root_options
        found[side].append(arc)
        colors[side].append(tuple(re.findall("gray|blue|orange", options + root_options)))
    gold, system = arcs(GOLD, 17), arcs(ALPHA, 17)
    assert (found[False], found[True]) == (gold, system)
    heads = [one[0] == other[0] for one, other in zip(gold, system)]
    both = [
        same and one[2].partition(":")[0] == other[2].partition(":")[0] for same, one, other in zip(heads, gold, system)
    ]
    assert out.startswith("% \\usepackage{tikz-dependency}\n")
    assert not all(both)
    assert colors[False] == [("gray", "gray") if right else ("blue", "blue") for right in both]
    assert colors[True] == [
        ("gray" if head else "orange", "gray" if right else "orange") for head, right in zip(heads, both)
    ]


def test_svg_has_the_colors_of_pages(run) -> None:
    """One class for each color: blue for arcs of gold only, orange for those of the system; none for one tree."""
    out = run("trees", GOLD, ALPHA, "--show", "nsubj:obj", "--format", "svg")[1]
    gold, system = arcs(GOLD, 17), arcs(ALPHA, 17)
    n_heads = sum(one[0] != other[0] for one, other in zip(gold, system))
    n_wrong = sum(one[::2] != other[::2] for one, other in zip(gold, system))
    counts = [len(re.findall(f'class="{name}', out)) for name in ("l0 ", "l1 ", "small s0", "small s1")]
    assert counts == [n_wrong, n_heads, n_wrong, n_wrong]
    css = (Path(levelhead.__file__).parent / "report/page/assets/trees.css").read_text(encoding="utf-8")
    assert ".tree .gold path { stroke: var(--s0)" in css
    assert ".tree .wrong path { stroke: var(--s1)" in css
    assert ".tree .mislabeled .label { fill: var(--s1)" in css
    alone = tree_drawing(levelhead.read(GOLD)[17]).file().partition("</style>")[2]
    assert not re.search('class="[sl][01]', alone)


@pytest.mark.parametrize("pair", [(GOLD, ALPHA), AR], ids=["left to right", "right to left"])
def test_svg_has_the_words_and_relations_of_both_sides(run, pair) -> None:
    """Well-formed; one arc or root a word; Arabic runs from right to left."""
    document = json.loads(run("trees", *pair, "--show", "obl:nmod", "--format", "json", "--limit", 1)[1])
    (shown,) = document["tables"]["examples"]
    places = {"gold": shown["sentence"], "system": shown["system_sentence"]}
    words = {
        role: [row for row in document["tables"]["words"] if (row["role"], row["sentence"]) == (role, place)]
        for role, place in places.items()
    }
    root = ET.fromstring(run("trees", *pair, "--show", "obl:nmod", "--format", "svg", "--limit", 1)[1])
    texts = [(text.text, float(text.get("x"))) for text in root.iter(f"{SVG}text")]
    forms = [row["form"] for row in words["gold"]]
    assert [text for text, _ in texts if text in forms][: len(forms)] == forms
    relations = sorted(row["deprel"] for side in words.values() for row in side)
    assert sorted(text for text, _ in texts if text in relations) == relations
    assert len(list(root.iter(f"{SVG}polygon"))) == len(relations)
    places = [x for text, x in texts if text in forms]
    assert (places[0] > places[len(forms) - 1]) == (pair == AR)


def test_characters_are_escaped(run, seven) -> None:
    _, out, _ = run("trees", *seven, "--show", "obl:nmod", "--format", "tikz", "--limit", 1)
    assert "w0 \\& a\\symbol{38}b\\textless{}\\_\\% \\\\\n" in out
    _, out, _ = run("trees", *seven, "--show", "obl:nmod", "--format", "svg", "--limit", 1)
    assert ">a&amp;b&lt;_%</text>" in out


def test_a_page_of_trees(run, tmp_path: Path) -> None:
    library("jinja2")
    code, _, err = run("trees", GOLD, ALPHA, BETA, "--limit", 2, "--format", "html", "-o", tmp_path / "page.html")
    assert (code, err) == (0, "")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!")
    assert "en: largest losses of beta against alpha" in page
    assert "<title>Dependency trees" in page


def test_marked_words_are_red_on_terminals(run) -> None:
    """The lines of marked words and no others."""
    for arguments in (("--show", "obl:nmod", ALPHA), (ALPHA, BETA)):
        out = run("trees", GOLD, *arguments)[1]
        colored = colored_trees(out).splitlines()
        marked = [line for line in colored if line.startswith("\x1b[33m") and line.endswith("\x1b[0m")]
        assert len(marked) == len([line for line in out.splitlines() if " * " in line]) > 0
        assert "\x1b" not in out


_MIRROR = dict(zip("┐┘┤╴┌└├╶◄", "┌└├╶┐┘┤╴►", strict=True))


@pytest.mark.parametrize("code", [path.stem for path in sorted((PARALLEL / "gold").iterdir())])
def test_one_drawing_holds_both_analyses(code: str) -> None:
    """Gold's arcs at the left, those of the system mirrored at the right; its relation only where it differs."""
    pair = (levelhead.read(PARALLEL / part / f"{code}.conllu") for part in ("gold", "systems/alpha"))
    n_drawn = 0
    for gold, system in zip(*pair, strict=False):
        both = draw_both(gold, system, "alpha")
        assert (both is None) == (gold.forms != system.forms)
        alone = [draw(one) for one in (gold, system)]
        for form, line, own, other, one, two in zip(
            gold.forms, (both or ())[1:], *alone, gold.relations, system.relations, strict=both is not None
        ):
            left, right = (drawn.split(f"   {form}")[0] for drawn in (own, other))
            back = "".join(_MIRROR.get(mark, mark) for mark in reversed(line))
            assert line.startswith(f"{left}   {form}")
            assert back.startswith(right.lstrip())
            assert (
                line.removeprefix(f"{left}   {form}").split()[:2][: 1 + (one != two)] == [one, two][: 1 + (one != two)]
            )
            n_drawn += 1
    assert n_drawn
