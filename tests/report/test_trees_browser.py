"""The trees of pages without gold, in a real browser: the legend says whose trees are above and below."""

from pathlib import Path

import pytest

from conftest import EXAMPLES
from levelhead.cli import program

pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.browser
AGREEMENT, VERSIONS = EXAMPLES / "agreement", EXAMPLES / "diff"
COMMANDS = {
    "agree": [AGREEMENT / "anna.conllu", AGREEMENT / "ben.conllu"],
    "diff": [VERSIONS / "old.conllu", VERSIONS / "new.conllu"],
    "score": [EXAMPLES / f"parallel/{part}/en.conllu" for part in ("gold", "systems/beta")],
}
LEGENDS = {"agree": ("First", "other"), "diff": ("Old", "new"), "score": ("Gold", "system")}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_legend_names_both_sides(browser, tmp_path: Path, command: str) -> None:
    path = tmp_path / "page.html"
    assert program.run([command, *map(str, COMMANDS[command]), "--report", str(path), "-o", str(tmp_path / "out")]) == 0
    page, said = browser.new_page(), []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    if command == "score":
        page.locator("[data-cell]").first.click()
    legend = page.locator("p.legend").first.inner_text()
    upper, lower = LEGENDS[command]
    assert legend.startswith(f"{upper} above the words, {lower} below.")
    assert f"{upper} only, {lower} only" in legend
    if command != "score":
        assert "gold" not in page.locator("#trees, #sentences").last.inner_text().lower()
    assert page.locator("svg .row").count() == 0 or upper.lower() in page.locator("svg .row").all_text_contents()
    assert said == []
    page.close()
