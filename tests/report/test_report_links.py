"""Pages of a report folder lead to the other systems on their test set, and to their system's next test set."""

import re
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES

GOLD, SYSTEMS = EXAMPLES / "parallel" / "gold", EXAMPLES / "parallel" / "systems"
AROUND = re.compile(r'<a href="([^"]+)" rel="(prev|next)">')


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of three systems; gamma's Turkish is invalid."""
    found = tmp_path_factory.mktemp("linked") / "pages"
    levelhead.write_report(
        levelhead.rank(GOLD, SYSTEMS, measures="LAS", significance=False, prepare="pages"), f"{found}/"
    )
    return found


def around(page: Path) -> dict[str, Path]:
    """Where a page says its neighbors are."""
    return {rel: (page.parent / to).resolve() for to, rel in AROUND.findall(page.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("system", ["alpha", "beta", "gamma"])
def test_all_test_sets_of_a_system_are_in_one_row(folder: Path, system: str) -> None:
    pages = {path.resolve() for path in (folder / system).iterdir()}
    (first,) = (page for page in pages if "prev" not in around(page))
    walked = [first]
    while "next" in around(walked[-1]):
        walked.append(around(walked[-1])["next"])
        assert around(walked[-1])["prev"] == walked[-2]
    assert len(walked) == len(set(walked)) == len(pages) == (7 if system == "gamma" else 8)
    assert set(walked) == pages


def test_neighbors_are_those_of_the_ranking(folder: Path) -> None:
    """By family, as in the matrix."""
    index = (folder / "index.html").read_text(encoding="utf-8")
    order = [Path(one).stem for one in re.findall(r'href="(alpha/[^"]+)"', index)]
    links = around(folder / "alpha" / f"{order[3]}.html")
    assert [links["prev"].stem, links["next"].stem] == [order[2], order[4]]


def test_only_pages_that_are_there_are_named(folder: Path) -> None:
    for code, systems in (("tr", ["beta"]), ("en", ["beta", "gamma"])):
        text = (folder / "alpha" / f"{code}.html").read_text(encoding="utf-8")
        found = re.findall(rf'href="\.\./(\w+)/{code}\.html"', text)
        assert found == systems
        assert '<strong aria-current="page"><bdi>alpha</bdi></strong>' in text
        assert "<!-- links -->" not in text
    assert "<!-- links -->" not in (folder / "index.html").read_text(encoding="utf-8")
