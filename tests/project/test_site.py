"""The documentation as a site: its pictures and example report are those of the code, and it fits the screen."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from conftest import ROOT, library
from documentation import COLUMNS, PAGES
from levelhead.cli import program

BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)
LONG = {
    "README.md": 1,  # the command that installs and runs
    "papers.md": 2,  # rows of Markdown
}
"""How many lines of code on a page may be longer, because they cannot be shorter."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_lines_of_code_blocks_fit(page: Path) -> None:
    lines = [line for block in BLOCK.findall(page.read_text(encoding="utf-8")) for line in block.splitlines()]
    too_long = [line for line in lines if len(line) > COLUMNS]
    assert len(too_long) <= LONG.get(page.name, 0), too_long


@pytest.mark.parametrize("language", ["en", "fi"])
def test_the_pictures_of_trees_are_what_the_command_draws(language: str, tmp_path: Path) -> None:
    folder, drawn = ROOT / "examples" / "nivre-fang", tmp_path / "trees.svg"
    pair = [str(folder / side / f"{language}.conllu") for side in ("gold", "system")]
    assert program.run(["trees", *pair, "--show", "obl:obl", "--format", "svg", "-o", str(drawn)]) == 0
    hashes = re.compile(r"unicode:[0-9.]+")
    committed = (ROOT / "docs" / f"trees-{language}.svg").read_text(encoding="utf-8")
    assert hashes.sub("", committed) == hashes.sub("", drawn.read_text(encoding="utf-8")), "draw it again"


def test_the_example_report_is_written_by_the_command_on_its_page() -> None:
    pytest.importorskip("mkdocs")
    page = (ROOT / "docs" / "example-report.md").read_text(encoding="utf-8")
    source = (ROOT / "scripts" / "site.py").read_text(encoding="utf-8")
    (measures,) = re.findall(r"-m (\S+) --report example-report/", page)
    assert f"-m {measures} " in source


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built without warnings."""
    library("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(build, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def opened(browser: Browser, path: Path, width: int) -> tuple[Page, list[str]]:
    """Open a file without a network; what it asks for elsewhere, and its complaints, are listed."""
    page, wrong = browser.new_context(offline=True, viewport={"width": width, "height": 900}).new_page(), []
    page.on("request", lambda request: wrong.extend([request.url] * request.url.startswith("http")))
    page.on("console", lambda message: wrong.extend([message.text] * (message.type in {"error", "warning"})))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(path.as_uri())
    return page, wrong


@pytest.mark.slow
def test_search_needs_no_server_and_prefers_how_to_pages(browser: Browser, site: Path) -> None:
    """Options are found with their dashes, which mean "not" in a query of MkDocs."""
    page, wrong = opened(browser, site / "studies/callin.html", 1400)
    page.fill(".md-search__input", "permutation")
    page.wait_for_selector(".md-search-result__link")
    assert any("/correlate.html" in address for address in found(page))
    for text, first in (
        ("--fail-under", "/ci.html"),
        ("rank", "/rank.html"),
        ("score", "/score.html"),
        ("--beam", "/parse"),
    ):
        page.fill(".md-search__input", "")
        page.locator(".md-search__input").press_sequentially(text)
        page.wait_for_function(f"document.querySelector('.md-search-result__link')?.href.includes('{first}')")
    assert "--" not in page.locator(".md-search-result__link").first.get_attribute("href")
    assert wrong == []
    page.context.close()


def found(page: Page) -> list[str]:
    """The addresses of the results of a search."""
    return [link.get_attribute("href") or "" for link in page.locator(".md-search-result__link").all()]


@pytest.mark.slow
def test_commands_are_shown_without_prompts_and_can_be_copied(browser: Browser, site: Path) -> None:
    page, wrong = opened(browser, site / "ci.html", 1400)
    command = page.locator(".highlight:has(button)", has_text="--fail-under").first
    assert command.locator("code").inner_text().startswith("cd examples/")
    assert "levelhead score " in command.locator("code").inner_text()
    output = page.locator(".output").first
    assert output.inner_text().startswith("Metric ")
    assert output.locator("button").count() == 0
    assert wrong == []
    page.context.close()
    blocks = [block for path in site.rglob("*.html") for block in CODE.findall(path.read_text(encoding="utf-8"))]
    assert len(blocks) > 300
    assert [block for block in blocks if re.search(r"^(<[^>]+>)*(\$ |&gt;&gt;&gt; )", block, re.MULTILINE)] == []


CODE = re.compile(r"<pre>(?:<span></span>)?<code>(.*?)</code>", re.DOTALL)


@pytest.mark.slow
def test_home_shows_a_command_and_its_output_at_once(browser: Browser, site: Path) -> None:
    page, wrong = opened(browser, site / "index.html", 1400)
    box = page.locator(".output").first.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 900
    assert wrong == []
    page.context.close()


KINDS = [
    "index", "tutorial", "errors", "ci", "concepts", "measures", "commands/index", "commands/rank",
    "formats", "api/scoring", "studies/callin",
    "significance", "scale", "messages", "example-report",
]  # fmt: skip
"""Pages of every kind: with sessions, pictures, long tables, generated text."""


@pytest.mark.slow
def test_pages_fit_the_screen_and_complain_of_nothing(browser: Browser, site: Path) -> None:
    """Only tables and code scroll sideways, never the page; at 1400 pixels, code of 100 columns does not either."""
    fits = "document.documentElement.scrollWidth <= innerWidth"
    wide = "[...document.querySelectorAll('pre > code')].filter(code => code.scrollWidth > code.clientWidth)"
    page, wrong = opened(browser, site / "index.html", 1400)
    for name in KINDS:
        page.set_viewport_size({"width": 1400, "height": 900})
        page.goto((site / f"{name}.html").as_uri())
        assert page.evaluate(fits), name
        assert page.evaluate(f"{wide}.map(code => code.textContent.slice(0, 80))") == [], name
        page.set_viewport_size({"width": 400, "height": 900})
        assert page.evaluate(fits), name
        assert wrong == [], name
    page.context.close()


@pytest.mark.slow
def test_the_example_report_is_part_of_the_site(browser: Browser, site: Path) -> None:
    page, wrong = opened(browser, site / "example-report.html", 1400)
    page.get_by_role("link", name="Open the report").click()
    page.get_by_role("heading", level=1).wait_for()
    assert page.url.endswith("/example-report/index.html")
    assert "swap" in page.inner_text("body")
    assert wrong == []
    page.context.close()
    n_pages = len(list((site / "example-report").rglob("*.html")))
    assert n_pages == 1 + 5  # the ranking, and each valid output
