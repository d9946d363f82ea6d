"""Charts that results show in notebooks: images, one for each chart, that can neither run nor load anything."""

import base64
import re
from collections.abc import Callable, Iterator
from xml.etree import ElementTree as ET

import pytest

import levelhead
from conftest import EXAMPLES

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
        lambda: levelhead.compare(GOLDS, {"alpha": ALPHAS, "beta": BETAS}, measures="LAS"),
        ["Differences in LAS from alpha"], ["ar · beta", "macro-average · beta"],
    ),
    "scores": (lambda: levelhead.score(GOLD, ALPHA), ["Scores"], ["UAS", "LAS", "CLAS"]),
    "scores of folders": (lambda: levelhead.score(GOLDS, ALPHAS), ["LAS"], ["ar", "tr"]),
    "breakdown": (lambda: levelhead.breakdown(GOLD, ALPHA, by="relation"), ["LAS by relation"], ["nsubj", "obl"]),
    "confusion": (lambda: levelhead.confusion(GOLD, ALPHA), ["en: gold relations by system relations"], ["obl"]),
    "examples": (lambda: levelhead.trees(GOLD, ALPHA, show="obl:nmod"), ["Trees of gold and of systems"], ["chased"]),
    "contrasts": (lambda: levelhead.trees(GOLD, TWO), ["Trees of gold and of systems"], ["teacher"]),
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
