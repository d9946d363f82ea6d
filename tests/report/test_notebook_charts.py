"""What results show in notebooks: the first rows, and charts and trees as images that can neither run nor load anything."""

import base64
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.tables.data import DataColumn, DataTable
from levelhead.tables.table import MOST_ROWS, N_FIRST, Column, Table
from levelhead.tables.writers import to_html, to_notebook

PARALLEL = EXAMPLES / "parallel"
GOLDS, ALPHAS, BETAS = (PARALLEL / part for part in ("gold", "systems/alpha", "systems/beta"))
GOLD, ALPHA, BETA = (folder / "en.conllu" for folder in (GOLDS, ALPHAS, BETAS))
TWO = {"alpha": ALPHA, "beta": BETA}
_IMAGE = re.compile(r'<img alt="([^"]*)" style="[^"]*" src="data:image/svg\+xml;base64,([^"]*)">')
_SVG = "{http://www.w3.org/2000/svg}"

RESULTS: dict[str, tuple[Callable[[], object], list[str], list[str]]] = {
    "ranking": (
        lambda: levelhead.rank(GOLDS, PARALLEL / "systems", measures="LAS", significance=True),
        ["Macro-averages of LAS, all"], ["alpha", "beta", "gamma"],
    ),
    "comparison": (
        lambda: levelhead.compare(GOLD, TWO, measures="LAS"), ["Differences in LAS from alpha"], ["beta"],
    ),
    "comparison of folders": (
        lambda: levelhead.compare(GOLDS, {"alpha": ALPHAS, "beta": BETAS}),
        ["Differences in LAS from alpha"], ["ar · beta", "macro-average · beta"],
    ),
    "scores": (lambda: levelhead.score(GOLD, ALPHA), ["Scores"], ["UAS", "LAS", "CLAS"]),
    "scores of folders": (lambda: levelhead.score(GOLDS, ALPHAS), ["LAS"], ["ar", "tr"]),
    "breakdown": (lambda: levelhead.breakdown(GOLD, ALPHA, by="relation"), ["LAS by relation"], ["nsubj", "obl"]),
    "confusion": (lambda: levelhead.confusion(GOLD, ALPHA), ["en: gold relations by system relations"], ["obl"]),
    "examples": (
        lambda: levelhead.trees(GOLD, ALPHA, show="obl:nmod"),
        [f"{sentence}: gold above, alpha below" for sentence in ("p01", "p08", "p10")], ["chased"],
    ),
    "contrasts": (
        lambda: levelhead.trees(GOLD, TWO),
        [f"{row[3]}: gold above, {name} below" for row in levelhead.trees(GOLD, TWO).table().rows for name in TWO],
        ["teacher"],
    ),
    "agreement": (lambda: levelhead.agree(GOLD, ALPHA), [], []),
}  # fmt: skip


def images(html: str) -> Iterator[tuple[str, ET.Element]]:
    for title, data in _IMAGE.findall(html):
        yield title, ET.fromstring(base64.b64decode(data))


@pytest.mark.parametrize("kind", RESULTS)
def test_charts_of_each_kind(kind: str) -> None:
    make, titles, words = RESULTS[kind]
    html = make()._repr_html_()  # type: ignore[attr-defined]
    found = list(images(html))
    assert [title for title, _ in found] == titles
    assert html.count("<img") == len(titles)
    texts = {text.text for _, root in found for text in root.iter(f"{_SVG}text")}
    assert set(words) <= texts


def test_bars_are_the_scores() -> None:
    evaluation = levelhead.score(GOLD, ALPHA, measures=["UAS", "LAS"])
    ((_, root),) = images(evaluation._repr_html_())
    texts = [text.text for text in root.iter(f"{_SVG}text")]
    assert {f"{float(evaluation[name].exact or 0):.2f}" for name in ("UAS", "LAS")} <= set(texts)


def test_names_cannot_leave_the_image() -> None:
    name = '"><script>alert(1)</script>'
    html = levelhead.compare(GOLD, {name: ALPHA, "beta": BETA}, measures="LAS")._repr_html_()
    assert "<script" not in html
    for _, root in images(html):
        assert not list(root.iter(f"{_SVG}script"))


HOSTILE = "<script>alert(1)</script>"


def test_forms_cannot_leave_trees_and_tables(tmp_path: Path) -> None:
    word = "# text = {0}\n1\t{0}\t{0}\tX\t_\t_\t0\troot\t_\t_\n2\t{0}\t{0}\tX\t_\t_\t1\t{1}\t_\t_\n\n"
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    for path, relation in ((gold, "obl"), (system, "nmod")):
        path.write_text(word.format(HOSTILE, relation) * 50, encoding="utf-8")
    found = levelhead.trees(gold, system, show="obl:nmod")
    sentence = levelhead.read(gold)[0]
    for shown in (found, levelhead.words(gold, system), sentence):
        html = shown._repr_html_()  # type: ignore[attr-defined]
        assert "<script" not in html
        assert "script" in html or shown is sentence
        assert all(not list(root.iter(f"{_SVG}script")) for _, root in images(html))
    html = found._repr_html_()
    assert html.count("<img") == MOST_ROWS
    assert "... 10 more sentences (print() draws all)" in html
    assert "... 10 more (to_frame() has all)" in html
    assert str(found).count(f"* {HOSTILE}") == 50


def test_long_tables_show_their_first_rows() -> None:
    columns, rows = (Column("name", "text"), Column("n", "number")), [(f"row {i}", i) for i in range(MOST_ROWS + 294)]
    table = Table(columns, tuple(rows), ("a note",), frozenset({2, MOST_ROWS + 1}), (("all", 7),))
    html = to_notebook(table)
    shown = re.findall(r"<tr.*", html)[1:]
    assert shown[:MOST_ROWS] == re.findall(r"<tr.*", to_html(table))[1 : MOST_ROWS + 1]
    assert "... 294 more (to_frame() has all)" in shown[MOST_ROWS]
    assert ["all</td>" in row for row in shown[MOST_ROWS:]] == [False, True]
    assert [i for i, row in enumerate(shown) if "border-top" in row] == [2, MOST_ROWS + 1]
    assert html.startswith('<div dir="ltr" style="overflow-x: auto">')
    whole = table._replace(rows=tuple(rows[:MOST_ROWS]))
    assert "more row" not in to_notebook(whole)
    assert to_notebook(whole).count("<tr") == MOST_ROWS + 2


def test_data_is_short_in_sessions() -> None:
    column = DataColumn("n", "integer", "A number")
    data = DataTable((column,), [(i,) for i in range(N_FIRST + 1)])
    assert repr(data) == "<DataTable: 11 rows, 1 column>"
    assert "... 1 more (to_frame() has all)" in data._repr_html_()
    words = levelhead.words(GOLD, ALPHA)
    assert "... 154 more (to_frame() has all)" in str(words)
    assert repr(words.table()) == f"<Table: {N_FIRST} rows, {len(words.words.columns)} columns>"


def test_wide_trees_start_with_the_first_word() -> None:
    """Drawings are as wide as their words; those of Arabic are first seen from the right."""
    for code, direction in (("ar", "rtl"), ("en", "ltr")):
        gold, system = (folder / f"{code}.conllu" for folder in (GOLDS, ALPHAS))
        trees = levelhead.trees(gold, system, show="obl:nmod")._repr_html_()
        for html in (trees, levelhead.read(gold)[0]._repr_html_()):
            assert f'<div dir="{direction}" style="overflow-x: auto">\n<img' in html
            assert 'style="max-width: none' in html


def test_sentences_print_their_trees() -> None:
    """As `levelhead trees` prints them; without a tree, their text."""
    treebank = levelhead.read(GOLD)
    printed = str(treebank[4]).split("\n")
    assert printed[0] == "p05: My sister is a teacher."
    drawn = str(levelhead.trees(GOLD, TWO | {"beta": BETA}))
    assert "\n".join(printed[1:]) in drawn
    assert repr(treebank[4]) == "<Sentence 5: My sister is a teacher.>"
    tagged = levelhead.from_conllu("1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n2\tb\t_\tX\t_\t_\t_\t_\t_\t_\n\n")
    assert str(tagged[0]) == "sentence 1: a b"
    assert "<img" in tagged[0]._repr_html_()
