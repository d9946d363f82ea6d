"""Scores on pages: their intervals are those of compare, and a missing or surprising value has its reason."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

from conftest import EXAMPLES
from levelhead.cli import program
from levelhead.significance.units import LABEL

GOLD, SYSTEMS = EXAMPLES / "parallel" / "gold", EXAMPLES / "parallel" / "systems"
MEASURES = "Words,Sentences,UPOS,LAS,LAS.precision,CLAS,MLAS,UEM,ELAS,LAS(nopunct)"


def rows(page: Path) -> dict[str, list[str]]:
    """The cells of each row of the first chart."""
    chart = page.read_text(encoding="utf-8").partition("<tbody>")[2].partition("</tbody>")[0]
    plain = (re.sub("<[^>]*>", "", unescape(line)) for line in re.findall('<th scope="row">(.*?)</th>', chart))
    cells = [re.findall(r'<td class="n(?: wide)?">(.*?)</td>', row) for row in chart.split("</tr>")]
    return dict(zip(plain, cells))


def compared(*arguments: object) -> dict[tuple[str, str], str]:
    """The intervals that compare prints, by measure and treebank."""
    out = Path(str(arguments[-1]))
    assert program.run(["compare", *map(str, arguments[:-1]), "--format", "json", "-o", str(out)]) == 0
    found = json.loads(out.read_text())["tables"]["results"]
    return {(one["measure"], one["treebank"]): f"{one['low']:.2f}–{one['high']:.2f}" for one in found}


@pytest.mark.parametrize("n_documents", [0, 4, 10])
def test_intervals_are_those_of_compare(tmp_path: Path, n_documents: int) -> None:
    """With few documents, of compare by sentence."""
    gold, system, page = tmp_path / "en.conllu", SYSTEMS / "beta" / "en.conllu", tmp_path / "page.html"
    text = (GOLD / "en.conllu").read_text(encoding="utf-8")
    number = iter(range(100))
    if n_documents:
        mark = lambda match: f"# newdoc id = {next(number) % n_documents}\n{match[0]}"  # noqa: E731
        text = re.sub("^# sent_id", mark, text, flags=re.MULTILINE)
    gold.write_text(text, encoding="utf-8")
    shared = [gold, system, "-m", MEASURES]
    assert program.run(["score", *map(str, shared), "--report", str(page), "-o", str(tmp_path / "out")]) == 0
    unit = ("--resample-by", "document" if n_documents >= 10 else "sentence")
    intervals = {measure: interval for (measure, _), interval in compared(*shared, *unit, tmp_path / "json").items()}
    assert {name: cells[1] for name, cells in rows(page).items()} == intervals
    assert (LABEL in page.read_text(encoding="utf-8")) is (n_documents == 4)


def test_each_treebank_has_its_interval(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    shared = [GOLD, SYSTEMS / "alpha", "-m", "LAS", "-j", "1"]
    assert program.run(["score", *map(str, shared), "--report", str(page), "-o", str(tmp_path / "out")]) == 0
    intervals = {code: interval for (_, code), interval in compared(*shared, "--each", tmp_path / "json").items()}
    shown = {code: cells[1] for code, cells in rows(page).items()}
    assert len(shown) == 8
    assert shown == {code: intervals[code] for code in shown}


@pytest.mark.parametrize(("code", "system", "rules", "reason"), [
    ("ar", "alpha", "ud", "No ELAS, EULAS: the gold standard has no enhanced dependencies (column DEPS)."),
    ("ar", "alpha", "udtools", "The gold standard has no enhanced dependencies (column DEPS); the rules udtools still score ELAS, EULAS."),
    ("en", "beta", "ud", "The system has no enhanced dependencies (column DEPS) to score: ELAS, EULAS."),
])  # fmt: skip
def test_a_page_says_why_there_are_no_graphs_to_score(tmp_path, capfd, code, system, rules, reason) -> None:
    page, files = tmp_path / "page.html", [str(folder / f"{code}.conllu") for folder in (GOLD, SYSTEMS / system)]
    assert program.run(["score", *files, "--rules", rules, "--report", str(page)]) == 0
    assert reason in page.read_text(encoding="utf-8")
    assert "DEPS" in "".join(capfd.readouterr())
