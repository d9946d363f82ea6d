"""Every kind of page can be read at 1400 and 400 px, light, dark and in print; it loads nothing and logs nothing."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from conftest import EXAMPLES
from legibility import Quiet, found_on
from levelhead.cli import program

pytestmark = pytest.mark.usefixtures("few")

GOLD, SYSTEMS, AGREEMENT = Path("gold"), Path("systems"), EXAMPLES / "agreement"  # two are in the folder `few`
EN = [folder / "en.conllu" for folder in (GOLD, SYSTEMS / "alpha", SYSTEMS / "beta")]
COMMANDS = {
    "rank": ["rank", GOLD, SYSTEMS, "-m", "LAS", "-m", "CLAS", "-j", "1"],
    "rank-partial": ["rank", GOLD, SYSTEMS, "-m", "LAS", "-j", "1", "--partial"],
    "score": ["score", EN[0], EN[2]],
    "score-folders": ["score", GOLD, SYSTEMS / "beta"],
    "compare": ["compare", *EN],
    "compare-folders": ["compare", GOLD, SYSTEMS / "alpha", SYSTEMS / "beta"],
    "profile": ["profile", GOLD],
    "suspects": ["suspects", *EN],
    "agree": ["agree", *(AGREEMENT / f"{name}.conllu" for name in ("anna", "ben", "clara"))],
    "diff": ["diff", EXAMPLES / "diff/old.conllu", EXAMPLES / "diff/new.conllu"],
    "study": ["reproduce", "conll17", "--quick", "--treebanks", GOLD, "--systems", SYSTEMS],
}
OPENERS = "button[data-open], .confusion button, details > summary"
"""What shows more: a click on one of each opens sentences and tables of numbers."""


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_can_be_read(browser: Browser, tmp_path: Path, name: str) -> None:
    path = tmp_path / "page.html"
    assert program.run([*map(str, COMMANDS[name]), "--report", str(path), "-o", str(tmp_path / "out")]) == 0
    quiet = Quiet(browser, path)
    for kind in OPENERS.split(", "):
        for one in quiet.page.locator(f"{kind} >> visible=true").all()[:1]:
            one.click()
    found = list(found_on(quiet.page))
    assert quiet.close() + found == []


def test_a_figure_of_correlations_can_be_read(browser: Browser, tmp_path: Path, capsys) -> None:
    table, figure = tmp_path / "table.tsv", tmp_path / "figure.html"
    rows = ["treebank\tLAS\tCLAS", *(f"t{i}\t{60 + i % 5 + i}\t{50 + i % 3 + i}" for i in range(12))]
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert program.run(["correlate", str(table), "--figure", str(figure)]) == 0
    capsys.readouterr()
    quiet = Quiet(browser, figure)
    found = list(found_on(quiet.page))
    assert quiet.close() + found == []
