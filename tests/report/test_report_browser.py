"""The pages in a real browser: nothing loaded, nothing foreign run, and everything that can be clicked works."""

import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from conftest import EXAMPLES, one_in
from levelhead.cli import program

GOLD, SYSTEMS = EXAMPLES / "parallel" / "gold", EXAMPLES / "parallel" / "systems"
HOSTILE = "<script>window.ran=1</script><img src=x onerror=window.ran=2>"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each kind, made of the examples."""
    folder = tmp_path_factory.mktemp("pages")
    found = {name: folder / f"{name}.html" for name in ("rank", "score", "compare")}
    alpha, beta = SYSTEMS / "alpha", SYSTEMS / "beta"
    groups = ["--group", "all", "--group", "family:Indo-European"]
    commands = {
        "rank": ["rank", GOLD, SYSTEMS, "-m", "LAS", "-m", "CLAS", *groups, "-j", "1"],
        "score": ["score", GOLD, beta],
        "compare": ["compare", GOLD, alpha, beta],
    }
    for name, command in commands.items():
        assert program.run([*map(str, command), "--report", str(found[name]), "-o", str(folder / "out")]) == 0
    return found


class Watched:
    """A page in the browser, and what it asked for and said."""

    def __init__(self, browser: Browser, path: Path, **settings: object) -> None:
        self.page: Page = browser.new_page(**settings)  # type: ignore[arg-type]
        self.asked: list[str] = []
        self.said: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.goto(path.as_uri())
        self.path = path

    def quiet(self) -> bool:
        """Whether nothing was said, and nothing but the file was asked for."""
        others = [url for url in self.asked if url != self.path.as_uri() and not url.startswith("data:")]
        assert (self.said, others) == ([], [])
        return True


@pytest.fixture
def watch(browser: Browser) -> Iterator[object]:
    """Open a page; it is closed after the test."""
    opened: list[Watched] = []

    def open_page(path: Path, **settings: object) -> Watched:
        opened.append(Watched(browser, path, **settings))
        return opened[-1]

    yield open_page
    for one in opened:
        one.page.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "name"),
    one_in(2, list(product(
        ({"color_scheme": "light"}, {"color_scheme": "dark", "viewport": {"width": 360, "height": 640}}),
        ("rank", "score", "compare"),
    )), 1),
)  # fmt: skip
def test_nothing_is_loaded_and_nothing_goes_wrong(watch, pages, name, settings) -> None:
    one = watch(pages[name], **settings)
    for select in one.page.locator("select").all():
        for value in select.locator("option").all():
            select.select_option(value.get_attribute("value"))
    one.page.locator("summary:visible").evaluate_all("nodes => nodes.forEach((node) => node.click())")
    assert one.page.locator("details[open]").count() > 0
    assert one.quiet()
    width = one.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1]  # only tables and charts scroll sideways, not the page


def column(page: Page, number: int) -> list[str]:
    return page.locator(f"#leaderboard .block:visible tbody tr > :nth-child({number})").all_inner_texts()


def test_tables_are_sorted_by_mouse_and_by_keyboard(watch, pages) -> None:
    one = watch(pages["rank"])
    assert column(one.page, 2) == ["alpha", "gamma", "beta"]
    board = one.page.locator("#leaderboard .block:visible")
    clas = board.get_by_role("button", name="CLAS", exact=True)
    assert clas.is_hidden()
    board.get_by_role("button", name="More columns").click()
    clas.click()
    assert column(one.page, 2) == ["gamma", "alpha", "beta"]
    head = clas.locator("xpath=..")
    assert head.get_attribute("aria-sort") == "descending"
    clas.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(one.page, 2) == ["beta", "alpha", "gamma"]
    board.get_by_role("button", name="System", exact=True).click()
    assert column(one.page, 2) == ["alpha", "beta", "gamma"]
    assert one.quiet()


def test_choices_show_another_group_and_measure(watch, pages) -> None:
    one = watch(pages["rank"])
    assert one.page.locator("#leaderboard .block:visible").count() == 1
    assert column(one.page, 3) == ["88.93", "77.18", "67.21"]
    one.page.get_by_label("measure").select_option(label="CLAS")
    assert column(one.page, 3) == ["82.28", "81.24", "56.37"]
    assert one.page.locator("#treebanks .block:visible tbody tr:not(.heading)").count() == 8
    one.page.get_by_label("group").select_option(label="family:Indo-European")
    assert one.page.locator("#treebanks .block:visible tbody tr:not(.heading)").count() == 4
    assert one.quiet()


def test_an_invalid_output_is_marked_with_its_reason(watch, pages) -> None:
    one = watch(pages["rank"])
    (cell,) = one.page.locator("#treebanks .block:visible td.zero").all()
    assert "cycle" in (cell.get_attribute("title") or "")
    assert "the heads form a cycle" in one.page.locator("#zeros").inner_text()


def test_a_cell_of_the_confusion_opens_its_sentences(watch, pages) -> None:
    """Arabic, by the mouse: the words stand from right to left, and where words are cut differently there are rows."""
    one = watch(pages["score"])
    one.page.locator("select[data-choice=treebank]").select_option(label="ar")
    button = one.page.locator('button[aria-label="obl mistaken for nsubj: 2"]:visible')
    button.click()
    opened = one.page.locator(".opened:visible")
    assert opened.locator(".where").inner_text() == "1 of 2"
    assert "p09" in opened.inner_text()
    assert opened.locator("figure").locator("rect.asked + text").text_content() == "الليلة"
    words = opened.locator("figure").locator("svg > text").all()
    places = [float(word.get_attribute("x") or 0) for word in words]
    assert places == sorted(places, reverse=True)
    assert opened.locator("rect.token").count() == 0
    opened.get_by_role("button", name="Next").click()
    assert opened.locator(".where").inner_text() == "2 of 2"
    assert "p20" in opened.inner_text()
    assert opened.locator("rect.token").count() == 3
    button.click()
    assert one.page.locator(".opened").count() == 0
    assert one.quiet()


def test_the_confusion_is_walked_through_with_the_keyboard(watch, pages) -> None:
    one = watch(pages["score"])
    one.page.locator("select[data-choice=treebank]").select_option(label="ar")
    cells = one.page.locator("#confusion .block:visible button[data-cell]").all()
    known = [tuple(map(int, (cell.get_attribute("data-cell") or "").split(","))) for cell in cells]
    at = known[len(known) // 2]
    cells[len(known) // 2].focus()
    for key, along, step in (("ArrowUp", 0, -1), ("ArrowRight", 1, 1), ("ArrowDown", 0, 1), ("ArrowLeft", 1, -1)) * 2:
        ahead = [cell for cell in known if cell[1 - along] == at[1 - along] and step * (cell[along] - at[along]) > 0]
        at = min(ahead, key=lambda cell: step * cell[along], default=at)
        one.page.keyboard.press(key)
        assert one.page.evaluate("document.activeElement.dataset.cell") == f"{at[0]},{at[1]}"
    one.page.keyboard.press("Enter")
    one.page.locator(".opened:visible figure").wait_for()
    assert one.quiet()


def test_errors_are_colored(watch, pages) -> None:
    """What gold and system share is grey; what only one of them has is not."""
    one = watch(pages["compare"])
    one.page.locator("#sentences .opens:visible").first.click()
    tree = one.page.locator("#sentences figure .tree svg").first
    colors = {
        kind: tree.locator(f"g.{kind} path").first.evaluate("node => getComputedStyle(node).stroke")
        for kind in ("gold", "wrong")
    }
    grey = tree.locator('g[class=""] path').first.evaluate("node => getComputedStyle(node).stroke")
    assert len({*colors.values(), grey}) == 3


def hostile(folder: Path) -> tuple[Path, Path]:
    """Treebanks whose words, names and relations are HTML."""
    rows = [
        ("1", HOSTILE, "_", "NOUN", "_", "_", "0", "root", "_", f"Gloss={HOSTILE}"),
        ("2", "</script><b>", HOSTILE, "VERB", "_", "_", "1", "obj", "_", "_"),
        ("3", "\u202eevil\u2066", "_", "X", "_", "_", "1", "obl:<svg/onload=window.ran=3>", "_", "_"),
    ]
    gold = "\n".join([f"# sent_id = {HOSTILE}", f"# text = {HOSTILE}", *("\t".join(row) for row in rows), "", ""])
    system = gold.replace("1\tobj", "3\tnsubj").replace("\tVERB", "\tNOUN")
    for name, text in (("gold", gold), ("other", gold), (HOSTILE.replace("/", ""), system)):
        (folder / name).mkdir()
        (folder / name / "x'\"<i>.conllu").write_text(text, encoding="utf-8")
    return folder / "gold", folder / HOSTILE.replace("/", "")


def test_injected_markup_is_text(watch, tmp_path: Path) -> None:
    gold, system = hostile(tmp_path)
    (tmp_path / "systems").mkdir()
    for folder in (system, tmp_path / "other"):
        shutil.copytree(folder, tmp_path / "systems" / folder.name)
    page = tmp_path / "page.html"
    commands = (["score", gold, system], ["compare", gold, tmp_path / "other", system],
                ["rank", gold, tmp_path / "systems", "-m", "LAS", "-m", "CLAS", "-j", "1"])  # fmt: skip
    for command in commands:
        assert program.run([*map(str, command), "--report", str(page), "-o", str(tmp_path / "out")]) == 0
        one = watch(page)
        for button in one.page.locator("button[data-open]:visible").all():
            button.dispatch_event("click")  # without waiting until it can be reached by the mouse
            one.page.locator(".opened:visible figure").first.wait_for()
        assert one.page.evaluate("window.ran") is None
        assert (
            one.page.locator("img, i, main b:not(.g, .w, .t, .faults b, figure b), script").count() == 2
        )  # data, and the page's own
        assert one.page.locator("[onerror], [onload]").count() == 0
        assert HOSTILE.replace("/", "") in one.page.locator("body").inner_text().replace("/", "")
        assert one.quiet()


def test_what_should_escape_all_the_same_does_not_run(watch, pages, tmp_path: Path) -> None:
    """The second line of defence: the page's policy."""
    broken = tmp_path / "broken.html"
    foreign = f"<main>{HOSTILE}<p id=x onclick='window.ran=4'>x</p><iframe src='data:text/html,x'></iframe>"
    broken.write_text(pages["rank"].read_text(encoding="utf-8").replace("<main>", foreign), encoding="utf-8")
    one = watch(broken)
    one.page.click("#x")
    assert one.page.evaluate("window.ran") is None
    assert column(one.page, 2) == ["alpha", "gamma", "beta"]
    assert any("Content Security Policy" in said for said in one.said)


def test_in_print_all_is_open_and_nothing_is_cut_off(watch, pages) -> None:
    one = watch(pages["score"])
    one.page.emulate_media(media="print")
    assert one.page.locator("nav").is_hidden()
    assert one.page.pdf(format="A4").startswith(b"%PDF")
    assert one.page.locator("details:not([open])").count() == 0


def test_without_scripts_everything_is_shown(browser, pages) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages["rank"].as_uri())
    assert page.locator("#leaderboard .block:visible").count() == 4
    context.close()
