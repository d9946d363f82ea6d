"""A table of several treebanks says why a measure has no average."""

from conftest import EXAMPLES
from levelhead.cli import program

GOLD, ALPHA = EXAMPLES / "parallel" / "gold", EXAMPLES / "parallel" / "systems" / "alpha"


def notes_of(capfd, *options: str) -> list[str]:
    assert program.run(["score", str(GOLD), str(ALPHA), *options]) == 0
    return [line for line in capfd.readouterr().out.splitlines() if line.startswith("no average")]


def test_measures_without_an_average_name_the_treebanks(capfd):
    assert notes_of(capfd, "-m", "LAS,XPOS,ELAS,AllTags") == [
        "no average of XPOS and AllTags: the gold standard has no language-specific tags (column XPOS) (fr)",
        "no average of ELAS: the gold standard has no enhanced dependencies (column DEPS) (ar, cs, de, fi, fr",
    ]


def test_partial_scores_say_it_too(capfd):
    note = "no average of XPOS: the gold standard has no language-specific tags (column XPOS) (fr)"
    assert notes_of(capfd, "-m", "LAS,XPOS", "--partial") == [note]


def test_measures_with_an_average_have_no_note(capfd):
    assert notes_of(capfd, "-m", "LAS,UPOS") == []
