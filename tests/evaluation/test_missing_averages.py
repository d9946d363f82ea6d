"""A table of several treebanks says why a measure has no average."""

from conftest import EXAMPLES
from levelhead.cli import program

GOLD, ALPHA = EXAMPLES / "parallel" / "gold", EXAMPLES / "parallel" / "systems" / "alpha"


def notes_of(capfd, *options: str) -> list[str]:
    assert program.run(["score", str(GOLD), str(ALPHA), *options]) == 0
    return [line for line in capfd.readouterr().out.splitlines() if line.startswith("no average")]


def test_measures_without_an_average_name_the_treebanks(capfd):
    assert notes_of(capfd, "-m", "LAS,XPOS,ELAS,AllTags") == [
        "no average of XPOS and AllTags: not annotated in gold: XPOS (fr)",
        "no average of ELAS: not annotated in gold: DEPS (ar, cs, de, fi, fr and 2 more)",
    ]


def test_partial_scores_say_it_too(capfd):
    assert notes_of(capfd, "-m", "LAS,XPOS", "--partial") == ["no average of XPOS: not annotated in gold: XPOS (fr)"]


def test_measures_with_an_average_have_no_note(capfd):
    assert notes_of(capfd, "-m", "LAS,UPOS") == []
