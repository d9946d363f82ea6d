"""The page of a ranking in a browser: filter, sorting, state in the address, keyboard; and the folder it links to."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from conftest import EXAMPLES
from levelhead.cli import program

GOLD, SYSTEMS = EXAMPLES / "parallel" / "gold", EXAMPLES / "parallel" / "systems"
OPENED = "#treebanks .block:visible"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the examples as a folder."""
    found = tmp_path_factory.mktemp("report") / "pages"
    command = ["rank", GOLD, SYSTEMS, "-m", "LAS", "-m", "CLAS", "-j", "1"]
    assert program.run([*map(str, command), "--report", f"{found}/", "-o", str(found.parent / "out")]) == 0
    return found


@pytest.fixture
def page(browser: Browser, folder: Path) -> Page:
    """The first page of the folder, in a context that remembers nothing of other tests."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith(("file:", "data:")) else said.append(request.url))
    page.goto((folder / "index.html").as_uri())
    yield page
    context.close()
    assert said == []


def rows(page: Page) -> list[str]:
    return page.locator(f"{OPENED} tbody tr:not(.heading) th:visible").all_inner_texts()


def test_the_filter_keeps_systems_and_test_sets(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("slavic, ALPHA nothing")
    assert rows(page) == ["cs"]
    assert page.locator(f"{OPENED} thead th:visible").all_inner_texts()[1:] == ["alpha"]
    assert page.locator("#leaderboard tbody tr:visible").count() == 1
    assert "no match for “nothing”" in page.locator(".find output").inner_text()
    page.keyboard.press("Escape")
    assert len(rows(page)) == 8
    assert page.locator(f"{OPENED} tr.heading:visible").count() > 1


def test_what_the_filter_does_not_change_says_so(page: Page) -> None:
    def notes(block: str) -> list[str]:
        return page.locator(f"{block} .block:visible .unfiltered").all_inner_texts()

    page.locator(".find input").fill("slavic")
    assert notes("#leaderboard") == notes("#ranks") == ["All test sets, not only those found."]
    assert notes("#treebanks") == []
    page.locator(".find input").fill("slavic alpha")
    assert notes("#ranks") == notes("#zeros") == ["All systems and test sets, not only those found."]
    assert notes("#leaderboard") == ["All test sets, not only those found."]
    page.locator(".find input").fill("")
    assert page.locator(".unfiltered").count() == 0


def test_an_address_opens_the_page_as_it_was(page: Page) -> None:
    by_family = rows(page)
    page.get_by_label("measure").select_option(label="CLAS")
    page.locator(OPENED).get_by_role("button", name="beta", exact=True).click()
    page.locator("#leaderboard .block:visible .more").click()
    page.locator(".find input").fill("beta")
    address, sorted_rows = page.evaluate("location.href"), rows(page)
    assert sorted_rows != by_family
    page.goto("about:blank")
    page.goto(address)
    assert page.get_by_label("measure").evaluate("node => node.selectedOptions[0].textContent") == "CLAS"
    assert page.locator(f"{OPENED} th[aria-sort=descending]").inner_text().strip() == "beta"
    assert rows(page) == sorted_rows
    assert page.locator("#leaderboard .block:visible .extra:visible").count() > 0
    assert page.locator(".find input").input_value() == "beta"
    page.locator(f"{OPENED} .corner button").click()
    assert rows(page) == by_family


def test_sorting_and_columns_are_remembered(page: Page, folder: Path) -> None:
    assert page.locator("#leaderboard .block:visible .extra:visible").count() == 0
    page.locator("#leaderboard .block:visible .more").click()
    page.locator("#leaderboard .block:visible").get_by_role("button", name="System", exact=True).click()
    page.goto("about:blank")
    page.goto((folder / "index.html").as_uri())
    assert page.locator("#leaderboard .block:visible th[aria-sort=ascending]").inner_text().strip() == "System"
    assert page.locator("#leaderboard .block:visible .extra:visible").count() > 0


def test_a_cell_opens_the_errors_behind_it(page: Page) -> None:
    """By the keyboard: one stop of the Tab key, arrow keys, Enter; and back, as it was."""
    first = page.locator(f"{OPENED} tbody a[tabindex='0']")
    assert first.count() == 1
    first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert page.locator(f"{OPENED} tbody a[tabindex='0']").evaluate("node => node === document.activeElement")
    system, name = page.evaluate("document.activeElement.getAttribute('href').split('/')")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{system}/*.html")
    assert page.locator("h1").inner_text() == f"{system} on {name.removesuffix('.html')}"
    assert page.locator("#confusion").count() == 1
    page.get_by_role("link", name="Ranking").first.click()
    page.wait_for_url("**/index.html*")


def test_the_best_of_each_row_is_marked_and_what_is_missing_is_crossed(page: Page) -> None:
    for row in page.locator(f"{OPENED} tbody tr:not(.heading)").all():
        cells = row.locator("td:not(.zero)").all_inner_texts()
        values = [float(text.split()[0]) for text in cells]
        best = [float(text.split()[0]) for text in row.locator("td.best").all_inner_texts()]
        assert set(best) == {max(values)}
    (crossed,) = page.locator(f"{OPENED} td.zero").all()
    assert "cycle" in (crossed.get_attribute("title") or "")
    crossed.locator("a").click()
    assert page.evaluate("location.hash").startswith("#zeros")


@pytest.mark.parametrize("settings", [
    {"viewport": {"width": 1400, "height": 900}}, {"viewport": {"width": 400, "height": 800}, "color_scheme": "dark"},
])  # fmt: skip
def test_no_page_of_the_folder_overflows(browser: Browser, folder: Path, settings) -> None:
    context = browser.new_context(**settings)
    page = context.new_page()
    for path in (folder / "index.html", folder / "alpha" / "ar.html"):
        page.goto(path.as_uri() + "#find=slavic%20alpha")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()
