"""Every page says what it is about: its heading and title, the files, and the command that made it."""

import re
from html import unescape
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.cli import program

ALPHA, BETA, GAMMA = (f"systems/{name}" for name in ("alpha", "beta", "gamma"))
EN = [f"{folder}/en.conllu" for folder in ("gold", ALPHA, BETA, GAMMA)]


def facts(page: Path) -> tuple[str, str, str]:
    """The heading, the files and the command of a page."""
    text = unescape(page.read_text(encoding="utf-8"))
    (heading,) = re.findall("<h1><bdi>(.*)</bdi></h1>", text)
    assert f"<title>{heading} – levelhead</title>" in text
    (files,) = re.findall('<p class="files">(.*?)</p>', text)
    (command,) = re.findall("<details><summary>How this page was made</summary>\n<p><code>(.*)</code></p>", text)
    return heading, re.sub("<[^>]*>", " ", files).strip(), command


@pytest.mark.parametrize(("command", "title", "files"), [
    (["score", *EN[:2]], "alpha on en", "gold:  gold/en.conllu   system:  systems/alpha/en.conllu"),
    (["score", "gold", ALPHA], "alpha on 8 treebanks", "gold:  gold   system:  systems/alpha"),
    (["compare", *EN[:3]], "beta compared with alpha on en",
     "gold:  gold/en.conllu   systems:  systems/alpha/en.conllu, systems/beta/en.conllu"),
    (["rank", "gold", "systems", "--system", "alpha", "-m", "LAS"], "Ranking of alpha on 8 test sets",
     "gold:  gold   systems:  systems"),
    (["rank", "gold", "systems", "--group", "family:Uralic", "-m", "LAS", "--no-significance"],
     "Ranking of alpha, beta and gamma on fi", "gold:  gold   systems:  systems"),
    (["diff", *EN[1:3]], "Changes from alpha/en.conllu to beta/en.conllu",
     "old:  systems/alpha/en.conllu   new:  systems/beta/en.conllu"),
    (["diff", EN[0], EN[0]], "Changes from gold/en.conllu to gold/en.conllu", "old:  gold/en.conllu   new:  gold/en.conllu"),
    (["agree", *EN[1:3]], "Agreement of alpha and beta", "files:  systems/alpha/en.conllu, systems/beta/en.conllu"),
    (["suspects", *EN[:2]], "Suspects in en", "gold:  gold/en.conllu   systems:  systems/alpha/en.conllu"),
    (["profile", "gold"], "Profiles of 8 treebanks", "treebanks:  gold"),
])  # fmt: skip
def test_a_page_names_its_files_systems_test_sets_and_command(monkeypatch, tmp_path, command, title, files) -> None:
    monkeypatch.chdir(EXAMPLES / "parallel")
    page, out = tmp_path / "page.html", tmp_path / "out"
    given = [*command, "--report", str(page), "-o", str(out)]
    assert program.run(given) == 0
    assert facts(page) == (title, files, " ".join(["levelhead", *given]))
    assert program.run([*given, "--title", "What I did"]) == 0
    assert facts(page) == ("What I did", files, f"{' '.join(['levelhead', *given])} --title 'What I did'")


def test_pages_of_trees_and_studies_too(monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(EXAMPLES / "parallel")
    page = tmp_path / "page.html"
    assert program.run(["trees", *EN[:3], "--format", "html", "-o", str(page)]) == 0
    assert facts(page)[0] == "Dependency trees of alpha and beta on en"
    study = ["reproduce", "nivre-fang-2017", "--treebanks", "gold", "--systems", ALPHA, "--quick"]
    assert program.run([*study, "--report", str(page), "-o", str(tmp_path / "out")]) == 0
    assert facts(page)[1] == "treebanks:  gold   systems:  systems/alpha"


def test_what_does_not_change_a_page_is_not_on_it(monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(EXAMPLES / "parallel")
    page = tmp_path / "page.html"
    given = ["score", *EN[:2], "--report", str(page), "-o", str(tmp_path / "out")]
    for more in (["-j", "1"], ["-j2"], ["--jobs=1"], ["--store", str(tmp_path / "store"), "--jobs", "2"]):
        assert program.run([*given[:3], *more, *given[3:]]) == 0
        assert facts(page)[2] == " ".join(["levelhead", *given])


def test_pages_of_a_folder_name_their_own_files(monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(EXAMPLES / "parallel")
    ranked = levelhead.rank("gold", Path("systems"), measures=["LAS"], prepare="pages", significance=False, jobs=1)
    levelhead.write_report(ranked, tmp_path)
    call = "levelhead.rank(gold='gold', systems='systems', measures=['LAS'], significance=False, prepare=['pages'])"
    assert facts(tmp_path / "index.html")[1:] == ("gold:  gold   systems:  systems", call)
    files = "gold:  gold/en.conllu   system:  systems/beta/en.conllu"
    assert facts(tmp_path / "beta" / "en.html") == ("beta on en", files, call)


def test_a_title_requires_a_page(capfd) -> None:
    assert (
        program.run(
            ["score", str(EXAMPLES / "parallel/gold"), str(EXAMPLES / "parallel/systems/alpha"), "--title", "x"]
        )
        == 2
    )
    assert "--title requires --report" in capfd.readouterr().err
