"""What a page of a ranking says first: ties, no valid output, and no claim without a test."""

import re
import shutil
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.campaign.ranking_tables import undefined_average

GOLD, SYSTEMS = EXAMPLES / "parallel" / "gold", EXAMPLES / "parallel" / "systems"


def page_of(folder: Path, gold: object, systems: object) -> str:
    levelhead.write_report(levelhead.rank(gold, systems, measures="LAS", prepare="page"), folder / "page.html")
    text = (folder / "page.html").read_text(encoding="utf-8")
    return re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL)


def lead_of(page: str) -> str:
    found = re.search(r'<p class="lead">(.*?)</p>', page)
    assert found is not None
    return found[1]


def test_equal_systems_share_rank_1(tmp_path: Path) -> None:
    beta = SYSTEMS / "beta"
    assert lead_of(page_of(tmp_path, GOLD, {"a": beta, "b": beta})) == "a and b are tied for first place (LAS 67.21)."
    many = dict.fromkeys("abcdef", beta)
    assert lead_of(page_of(tmp_path, GOLD, many)) == "6 systems are tied for first place (LAS 67.21)."


def test_nobody_is_first_without_a_valid_output(tmp_path: Path) -> None:
    (tmp_path / "gold").mkdir()
    shutil.copy(GOLD / "tr.conllu", tmp_path / "gold")
    page = page_of(tmp_path, tmp_path / "gold", {"a": SYSTEMS / "gamma", "b": SYSTEMS / "gamma"})
    assert lead_of(page) == "No output is valid."


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A test set of three sentences, too few to test anything."""
    for part, name in (("gold", ""), ("systems/alpha", "alpha"), ("systems/beta", "beta")):
        sentences = (EXAMPLES / "parallel" / part / "en.conllu").read_text(encoding="utf-8").split("\n\n")[:3]
        target = tmp_path / ("systems" if name else "gold") / name
        target.mkdir(parents=True)
        (target / "en.conllu").write_text("\n\n".join(sentences) + "\n\n", encoding="utf-8")
    return tmp_path


def test_without_tests_no_claims(small: Path) -> None:
    page = page_of(small, small / "gold", small / "systems")
    assert "significantly" not in page
    assert 'id="ranks"' not in page
    assert "Fewer than 10 units, so no intervals or p-values" in page
    ranked = levelhead.rank(small / "gold", small / "systems", measures="LAS", significance=True)
    assert "confidence intervals and p-values by sentence" not in str(ranked)
    assert "fewer than 10 units, so no intervals or p-values: en" in str(ranked)


def test_the_page_says_why_there_is_no_average() -> None:
    """As below the table: gold lacks something, or for perplexities no output has a value."""
    ranking = next(iter(levelhead.rank(GOLD, SYSTEMS, measures="LAS", significance=False).rankings))
    lacking = ranking._replace(undefined=("fr",))
    assert undefined_average(ranking) == ""
    assert undefined_average(lacking) == "no average, since gold has nothing to measure on fr"
    perplexity = lacking._replace(measure="DPPL(train.conllu)")
    assert undefined_average(perplexity) == "no average, since no output has a value on fr"
