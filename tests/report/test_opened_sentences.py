"""What rows and cells of score and comparison pages open: the right words, all of them or a sample, one at a time."""

from __future__ import annotations

import base64
import html
import json
import re
import shutil
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page

import levelhead
from conftest import EXAMPLES
from levelhead.cli import program
from levelhead.report.page import examples
from levelhead.report.page.blocks import RELATIONS
from levelhead.report.page.examples import Examples, ExampleTally, OutputTrees
from levelhead.report.page.score import informative
from levelhead.scoring.matches import match
from levelhead.scoring.rules import RULES
from levelhead.treebank.relations import UD2, universal

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA, BETA = PARALLEL / "gold", PARALLEL / "systems/alpha", PARALLEL / "systems/beta"


def page_of(path: Path, *command: object) -> Path:
    assert program.run([*map(str, command), "--report", str(path), "-o", str(path.with_suffix(".txt"))]) == 0
    return path


def data_of(page: Path) -> dict[str, Any]:
    found = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(json.loads(found[1])["packed"])))
    return data


def opened_by(data: dict[str, Any], address: str) -> list[tuple[str, int]]:
    """The words that a row opens: sent_id, and the place of the word."""
    place, kind, name = html.unescape(address).split(" ", 2)
    store = data["stores"][place]
    number = store["names"][kind].index(name)
    pairs = zip(store["words"][::2], store["words"][1::2], strict=True)
    return [
        (data["sentences"][sentence]["i"], word)
        for (sentence, word), own in zip(pairs, store["groups"][kind], strict=True)
        if own == number
    ]


def totals_of(store: dict[str, Any], kind: str) -> dict[str, int]:
    """The number of words in each group."""
    return dict(zip(store["names"][kind], store["totals"][kind], strict=True))


@pytest.fixture(scope="module")
def score_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page_of(tmp_path_factory.mktemp("score") / "page.html", "score", GOLD / "de.conllu", ALPHA / "de.conllu")


def wrong_words(language: str, system: Path) -> dict[tuple[str, int], tuple[str, str]]:
    """What gold and system say of every word whose head or universal relation is wrong; words are cut alike."""
    found = {}
    both = (levelhead.read(folder / f"{language}.conllu") for folder in (GOLD, system))
    for gold, other in zip(*both, strict=True):
        assert gold.forms == other.forms
        rows = zip(gold.heads, gold.relations, other.heads, other.relations, strict=True)
        for word, (head, relation, their_head, theirs) in enumerate(rows):
            if (head, universal(relation)) != (their_head, universal(theirs)):
                found[gold.id, word] = (relation, theirs)
    return found


def test_rows_open_every_word_with_the_error_and_no_other(score_page: Path) -> None:
    data, wrong = data_of(score_page), wrong_words("de", ALPHA)
    text = score_page.read_text(encoding="utf-8")
    rows = dict(re.findall(r'data-open="(1 repair [^"]+)" data-title="([^"]*)"', text))
    assert rows
    opened = [word for address in rows for word in opened_by(data, address)]
    assert sorted(opened) == sorted(wrong)  # each error belongs to one row
    for address, title in rows.items():
        taken = re.match(r"(\S+) \([^)]*\) mistaken for (\S+) \(", title)
        for word in opened_by(data, address):
            gold, system = map(universal, wrong[word])
            assert (gold, system) == ((taken[1], taken[2]) if taken else (gold, gold))
    by_relation = Counter(universal(gold) for gold, _ in wrong.values())
    titles = dict(re.findall(r'data-open="(1 relation \w+)" data-title="Relation: (\w+)', text))
    assert {name: len(opened_by(data, address)) for address, name in titles.items()} == by_relation


def test_trees_on_the_page_are_those_of_the_files(score_page: Path) -> None:
    """Relations by number, and of the system only what is not gold's."""
    data = data_of(score_page)
    pairs = zip(*(levelhead.read(side / "de.conllu") for side in (GOLD, ALPHA)), strict=True)
    both = {gold.id: (gold, system) for gold, system in pairs}
    for packed in data["sentences"]:
        heads, relations = list(packed["h"]), [data["relations"][one] for one in packed["d"]]
        gold, system = both[packed["i"]]
        assert (heads, relations) == (gold.heads, gold.relations)
        (tree,) = packed["s"]
        for word, head, relation in zip(*(tree["x"][i::3] for i in range(3)), strict=True):
            heads[word], relations[word] = head, data["relations"][relation]
        assert (heads, relations) == (system.heads, system.relations)


def test_sentences_won_are_those_with_more_right_words(tmp_path: Path) -> None:
    page = page_of(tmp_path / "page.html", "compare", GOLD, ALPHA, BETA)
    data, text = data_of(page), page.read_text(encoding="utf-8")
    languages = sorted(path.stem for path in GOLD.glob("*.conllu"))
    found = levelhead.trees(GOLD, {"alpha": ALPHA, "beta": BETA}).outputs
    assert [name for name, *_ in found] == languages
    for store, (_, _, _, gained, lost) in enumerate(found, 1):
        counts = {"more correct words": len(gained), "fewer correct words": len(lost)}
        assert totals_of(data["stores"][str(store)], "1") == counts
    every = [one for _, _, _, *both in found for some in both for one in some]
    joint = data["stores"]["0"]
    assert sum(joint["totals"]["1"]) == len(every)
    assert joint["words"][1::2].count(-1) == len(every)  # few enough to be all on the page
    assert "Sentences in which beta has fewer correct words" in text
    first = data["sentences"][joint["words"][0]]
    right = [tree["e"].count("o") for tree in first["s"]]
    assert abs(right[1] - right[0]) == max(abs(one.correct - one.baseline_correct) for one in every)


def differing_words(language: str) -> dict[tuple[str, int], str]:
    """The gold relations of words that only one of two systems gets right, in sentences where one gets more right."""
    alpha, gamma = (wrong_words(language, PARALLEL / "systems" / name) for name in ("alpha", "gamma"))
    balance = Counter(sentence for sentence, _ in alpha)
    balance.subtract(Counter(sentence for sentence, _ in gamma))
    both = {**alpha, **gamma}
    return {word: universal(both[word][0]) for word in alpha.keys() ^ gamma.keys() if balance[word[0]]}


@pytest.mark.parametrize("languages", [["de"], ["de", "fr"]])
def test_differences_open_the_words_that_only_one_system_gets_right(tmp_path: Path, languages: list[str]) -> None:
    """On a single treebank, on one of several, and on all of them together, where sums and means are not mixed."""
    for side in ("gold", "systems/alpha", "systems/gamma"):
        (tmp_path / side).mkdir(parents=True)
        for language in languages:
            shutil.copy(PARALLEL / side / f"{language}.conllu", tmp_path / side)
    sides = [tmp_path / side for side in ("gold", "systems/alpha", "systems/gamma")]
    page = page_of(tmp_path / "page.html", "compare", *sides)
    data, text = data_of(page), page.read_text(encoding="utf-8")
    rows = dict(re.findall(r'data-open="(\d relation 1 \w+)" data-title="Relation (\w+): words that only one', text))
    expected = {str(store): Counter(differing_words(one).values()) for store, one in enumerate(languages, 1)}
    if len(languages) > 1:
        expected["0"] = expected["1"] + expected["2"]
    opened: dict[str, Counter[str]] = {store: Counter() for store in expected}
    known = {word for language in languages for word in differing_words(language)}
    for address, relation in rows.items():
        words = opened_by(data, address)
        opened[address[0]][relation] = len(words)
        assert known.issuperset(words)
    assert opened == expected
    gains = text[text.index('<section id="gains"') : text.index('<section id="sentences"')]
    heads = [re.sub("<[^>]*>", "", head) for head in re.findall(r'<th scope="col" class="n">(?:.*?)</th>', gains)]
    assert ("Treebanks" in heads, heads.count("Words")) == (len(languages) > 1, 4 if len(languages) > 1 else 8)


def test_an_interval_that_says_nothing_is_not_shown() -> None:
    assert informative((-100.0, 100.0)) is None
    assert informative((-20.0, 70.0)) == (-20.0, 70.0)
    assert informative(None) is None
    assert informative((-50.0, 70.0)) is None
    assert informative((-50.0, 70.0), difference=True) == (-50.0, 70.0)
    assert informative((-100.0, 100.0), difference=True) is None


def tallied(output: OutputTrees, words: NDArray[np.int64], groups: dict[str, NDArray[np.int64]]) -> Examples:
    tally = ExampleTally(n_treebanks=1)
    tally.add(output, words, groups)
    return tally.examples({})


def test_what_does_not_fit_is_sampled_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, system = (levelhead.read(side / "de.conllu") for side in (GOLD, ALPHA))
    matches = match(gold, system, RULES["ud"])
    words = np.arange(0, gold.n_words, 2)
    groups = {"all": np.zeros(len(words), dtype=np.int64), "odd": np.where(words % 4, -1, words % 3)}
    whole = tallied(OutputTrees("alpha", matches), words, groups)
    assert len(whole.words) == len(words)
    monkeypatch.setattr(examples, "_FEWEST_WORDS", 60)
    monkeypatch.setattr(examples, "ALL_WORDS", 60)
    some = tallied(OutputTrees("alpha", matches), words, groups)
    assert 0 < sum(len(one["f"]) for one in some.sentences) <= 60
    counts = {kind: dict(Counter(map(str, numbers[numbers >= 0].tolist()))) for kind, numbers in groups.items()}
    assert some.totals == whole.totals == counts
    assert set(some.groups["odd"]) >= {"0", "1", "2"}  # every group has its turn


def test_every_universal_relation_is_explained() -> None:
    assert set(RELATIONS) == UD2


@pytest.fixture
def page(browser: Browser, score_page: Path) -> Page:
    opened = browser.new_page(viewport={"width": 400, "height": 800})
    opened.goto(score_page.as_uri())
    yield opened  # type: ignore[misc]
    opened.close()


def test_sentences_are_paged_through_by_keyboard(page: Page) -> None:
    row = page.locator("#costs .opens").first
    total = row.locator("xpath=ancestor::tr").locator("td.n").nth(2).text_content()
    row.focus()
    page.keyboard.press("Enter")
    where = page.locator(".opened .where")
    assert where.inner_text() == f"1 of {total}"
    assert row.get_attribute("aria-expanded") == "true"
    page.get_by_role("button", name="Next").press("ArrowRight")
    assert where.inner_text() == f"2 of {total}"
    page.keyboard.press("Escape")  # also at the last sentence, where there is no next one
    assert page.locator(".opened").count() == 0
    assert row.evaluate("node => node === document.activeElement")


def test_long_trees_are_folded_around_the_marked_word(browser: Browser, tmp_path: Path) -> None:
    """60 words, each below the one before it; word 31 hangs from word 51 instead."""
    rows = [(i, f"w{i}", i - 1, "root" if i == 1 else "dep") for i in range(1, 61)]
    for name, head in (("gold", 30), ("system", 51)):
        lines = [
            f"{i}\t{form}\t_\tX\t_\t_\t{head if i == 31 and name == 'system' else own}\t{relation}\t_\t_"
            for i, form, own, relation in rows
        ]
        if name == "system":  # without a cycle: word 51 is below word 1
            lines[50] = "51\tw51\t_\tX\t_\t_\t1\tdep\t_\t_"
        (tmp_path / f"{name}.conllu").write_text("\n".join([*lines, "", ""]))
    path = page_of(tmp_path / "page.html", "score", tmp_path / "gold.conllu", tmp_path / "system.conllu")
    page = browser.new_page(viewport={"width": 400, "height": 800})
    page.goto(path.as_uri())
    page.locator("#costs .opens").first.click()
    figure = page.locator(".opened figure")
    shown = figure.locator("svg > text").all_text_contents()
    assert {"w30", "w31", "w32", "w51"} <= set(shown)
    assert not {"w1", "w15", "w42", "w60"} & set(shown)
    assert figure.locator(".gap text").all_text_contents()[0] == "⋯ 27 words"
    box, marked = figure.locator(".tree").bounding_box(), figure.locator("rect.asked").bounding_box()
    assert box is not None
    assert marked is not None
    assert box["x"] <= marked["x"] <= box["x"] + box["width"]
    figure.get_by_role("button", name="Show all 60 words").press("Enter")
    assert set(figure.locator("svg > text").all_text_contents()) == {form for _, form, *_ in rows}
    marked = figure.locator("rect.asked").bounding_box()
    assert marked is not None
    assert box["x"] <= marked["x"] <= box["x"] + box["width"]  # scrolled into view
    page.close()


def test_terms_are_explained_by_keyboard(page: Page) -> None:
    term = page.get_by_role("button", name="LAS", exact=True).first
    term.press("Enter")
    meaning = page.locator("[popover]:popover-open")
    assert "correct head and universal relation" in meaning.inner_text()
    box = meaning.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 400
    page.keyboard.press("Escape")
    assert meaning.count() == 0


def test_a_row_of_the_forest_plot_goes_to_its_treebank(browser: Browser, tmp_path: Path) -> None:
    path = page_of(tmp_path / "page.html", "compare", GOLD, ALPHA, BETA)
    page = browser.new_page(viewport={"width": 400, "height": 800})
    page.goto(path.as_uri())
    rows = page.locator("#differences table.as-dot:visible").first.locator("tbody th")
    assert rows.all_inner_texts()[-2:] == ["macro-average", "micro-average"]
    page.get_by_role("button", name="fi", exact=True).first.click()
    assert page.locator("select[data-choice=treebank]").evaluate("node => node.selectedOptions[0].text") == "fi"
    assert page.locator("#gains .block:visible").count() == 1
    width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1]
    page.close()
