"""Color on terminals only, and never where NO_COLOR is set; without color every line is the same."""

import re

import pytest

from conftest import ROOT
from levelhead.cli.shared.color import colored_message, colored_table, colored_trees
from terminal import on_terminal

PARALLEL = ROOT / "examples" / "parallel"
GOLD, ALPHA, BETA = (str(PARALLEL / part) for part in ("gold", "systems/alpha", "systems/beta"))
_COLOR = re.compile(r"\x1b\[[0-9;]*m")


def test_comparison_on_a_terminal() -> None:
    arguments = ("compare", GOLD, ALPHA, BETA, "-m", "LAS", "--jobs", "1")
    shown, plain = on_terminal(*arguments), on_terminal(*arguments, NO_COLOR="1")
    table = _COLOR.sub("", shown)
    assert table.endswith(plain[plain.index("Avg.") :])
    assert re.search(r"\x1b\[1mAvg\.", shown)
    assert re.search(r"\x1b\[31m *-\d+\.\d\d", shown)  # beta is significantly worse
    assert not _COLOR.search(plain[plain.index("Avg.") :])


def test_a_terminal_without_colors() -> None:
    arguments = ("score", GOLD + "/en.conllu", ALPHA + "/en.conllu", "-m", "LAS")
    assert _COLOR.search(on_terminal(*arguments))
    assert not _COLOR.search(on_terminal(*arguments, TERM="dumb"))
    assert not _COLOR.search(on_terminal(*arguments, NO_COLOR="1"))


def test_messages() -> None:
    assert colored_message("warning: a file") == "\x1b[33m\x1b[1mwarning:\x1b[0m a file"
    assert colored_message("note: this") == "\x1b[36m\x1b[1mnote:\x1b[0m this"
    assert colored_message("gold.conllu:5: cycle: ...") == "gold.conllu:5: cycle: ..."


TABLE = """\
Avg. | Score |  Diff. | p     |
-----+-------+--------+-------+----
a    | 90.00 |  +1.50 | .0010 | **
b    | 89.00 |  -0.50 | .0100 | *
c    | 88.00 |  +0.10 | .6000 |
"""


def test_only_significant_differences_have_a_color() -> None:
    colored = colored_table(TABLE)
    assert _COLOR.sub("", colored) == TABLE
    assert "\x1b[32m +1.50" in colored
    assert "\x1b[31m -0.50" in colored
    assert "| +0.10 |".replace("|", "| ", 1) in colored
    assert colored.count("\x1b[0m") == 3  # the heading and two differences


def test_lower_is_better_has_no_color() -> None:
    assert colored_table(TABLE + "DPPL: lower is better\n").count("\x1b[0m") == 1


@pytest.mark.parametrize("text", ["", "\n", "no table\n", "---\n", "one\n\ntwo\n---\nthree\n"])
def test_any_text_stays_as_it_is(text: str) -> None:
    assert _COLOR.sub("", colored_table(text)) == text
    assert colored_trees(text) == text
