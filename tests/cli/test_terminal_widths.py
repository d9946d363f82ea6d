"""Every command in a pseudo-terminal of 60 to 200 columns, on real files: what a reader sees.

The commands run in one process for each width, and a few in a process of their own.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.cells import cell_len

from conftest import EXAMPLES, one_in
from levelhead.cli.program import BAD_INPUT, COMMANDS, DONE, INTERNAL
from terminal import all_on_terminal, on_terminal

ON_EXAMPLES = """
score en en.graph
score gold swap
score gold swap --all-measures
score gold eager --partial --train train
score gold eager
score en en.swap --train train -m LAS,DPPL(en)
score en en.swap --counts
score en en.swap --intervals
score gold swap --intervals
testsets it_*
score en en.swap --cite
score en en.swap --measures LSA
breakdown gold graph
breakdown gold graph --by relation --by upos,head-relation
breakdown gold graph swap --by length
breakdown en en.graph --by feature:Case -m LAS.precision
analyze gold graph
analyze en en
confusion gold graph
trees en en.graph --show obl:nmod --limit 2
trees en en.graph en.swap --limit 2
words en en.graph
sentences en en.graph
explain en en.graph
compare en en.graph
compare en en.graph en.swap en.eager
compare gold graph swap
compare gold graph eager --partial --margin 1
compare en en.graph missing
rank gold systems
rank gold systems --significance --group each
rank gold systems --partial
rank systems gold
rank --scores some.tsv --missing adjust
difficulty --scores some.tsv
languages gold swap
agree anna ben clara
agree anna ben --by pattern
power
power en en.graph en.swap
validate untidy gold eager
validate gold
validate untidy --fix fixed
diff old new
profile gold
profile en
profile gold -c all --total
profile gold -c wde,deprel
profile en --rarefy 50,100
profile --list-columns
similarity gold parallel
suspects en en.graph en.swap en.eager
suspects en en
select gold parallel
correlate scores.tsv
correlate scores.tsv --matrix --method spearman
correlate scores.tsv --cumulative-variance -c LAS
judge en en.graph en.swap --judgments votes
convert forward en converted
convert --check gold
derive en
perplexity en en.swap
recover answers --gold answered -o recovered
train baseline-left en model
parse model en -o parsed
crossval baseline-left en -o parsed -j 1
reproduce sogaard-haulrich --treebanks gold
task init shared
task status shared
submit http://localhost:9 shared
measures
measures LAS
measures --schemes
schema score
doctor
completion bash
""".strip().splitlines()
ON_TREEBANKS = """
rank gold systems
score zh zh.系统
suspects zh zh.系统 zh.سامانه
agree zh zh.系统
diff fa fa.سامانه
validate fa fa.سامانه
explain zh zh.系统
compare zh zh.系统 zh.سامانه --resample-by sentence
profile gold
breakdown zh zh.系统 --by lemma
confusion fa fa.سامانه
""".strip().splitlines()

NOT_FOLDED = {"trees", "words", "sentences", "schema", "completion"}
"""Drawings, and what programs read: TSV, JSON and a script."""

ESCAPE = re.compile(r"\x1b\[[?0-9;]*[A-Za-z]")
PROGRESS = re.compile(r"^.* \d+ of \d+ [-:\d]{7}.*\n", re.MULTILINE)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the commands on examples."""
    tmp_path = tmp_path_factory.mktemp("t")
    pud = EXAMPLES / "pud"
    targets = {name: pud / f"systems/{name}" for name in ("graph", "swap", "eager")}
    targets |= {f"en.{name}": folder / "en_pud.conllu" for name, folder in targets.items()}
    targets |= {name: EXAMPLES / f"agreement/{name}.conllu" for name in ("anna", "ben", "clara")}
    targets |= {name: EXAMPLES / f"diff/{name}.conllu" for name in ("old", "new")}
    targets |= {
        "gold": pud / "gold",
        "en": pud / "gold/en_pud.conllu",
        "systems": pud / "systems",
        "parallel": EXAMPLES / "parallel/gold",
        "train": EXAMPLES / "leakage/train.conllu",
        "untidy": EXAMPLES / "untidy/en.conllu",
        "some.tsv": EXAMPLES / "difficulty/scores.tsv",
        "answers": EXAMPLES / "recover/answers.txt",
        "answered": EXAMPLES / "recover/gold.conllu",
    }
    for name, target in targets.items():
        (tmp_path / name).symlink_to(target)
    rows = [f"t{i}\t{i}\t{i * i % 7}\t{2**i}\tf{i // 3}\n" for i in range(12)]
    (tmp_path / "scores.tsv").write_text("treebank\tLAS\tMLAS\twords\tFamily\n" + "".join(rows))
    (tmp_path / "votes").write_text("1\n2\n" * 150)
    return tmp_path


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Path:
    """A folder with Chinese, Japanese and Persian treebanks and systems with Chinese and Arabic names."""
    tmp_path = tmp_path_factory.mktemp("t")
    for name, source in {
        "gold": "gold",
        "systems/系统": "systems/UDPipe-Future",
        "systems/سامانه": "systems/HIT-SCIR-18",
    }.items():
        (tmp_path / name).mkdir(parents=True)
        for code in ("zh_gsd", "ja_gsd", "fa_seraji"):
            (tmp_path / name / f"{code}.conllu.xz").symlink_to(data / f"conll18/{source}/{code}.conllu.xz")
    for code in ("zh_gsd", "fa_seraji"):
        for name in ("gold", "systems/系统", "systems/سامانه"):
            label = ".".join([code[:2], *name.split("/")[1:]])
            (tmp_path / label).symlink_to(tmp_path / name / f"{code}.conllu.xz")
    return tmp_path


def run_all(lines: Sequence[str], folder: Path, width: int, **environment: str) -> dict[str, tuple[int, str]]:
    """Return the exit code of each command and its text without color and progress."""
    shown = all_on_terminal([line.split() for line in lines], folder, width, **environment)
    return {line: (code, PROGRESS.sub("", ESCAPE.sub("", text)).lstrip()) for line, (code, text) in zip(lines, shown)}


def too_long(shown: dict[str, tuple[int, str]], width: int) -> list[str]:
    """Return the lines that are wider than the terminal, but not paths and signatures, which have no spaces."""
    return [
        f"{command}: {line}"
        for command, (_, text) in shown.items()
        if command.split()[0] not in NOT_FOLDED
        for line in text.split("\n")
        if cell_len(line) > width and len(line.split()) > 1
    ]


@pytest.mark.parametrize(("width", "first"), [(60, None), (100, 1), (200, 2)])
def test_no_line_is_longer_than_the_terminal(width: int, first: int | None, files: Path) -> None:
    """All commands where the lines are shortest, and at each other width a third of them."""
    shown = run_all(ON_EXAMPLES if first is None else one_in(3, ON_EXAMPLES, first), files, width)
    assert [command for command, (code, _) in shown.items() if code == INTERNAL] == []
    assert too_long(shown, width) == []


def test_every_command_is_shown() -> None:
    assert {line.split()[0] for line in ON_EXAMPLES} == set(COMMANDS)


def test_wide_characters(treebanks: Path) -> None:
    shown = run_all(ON_TREEBANKS, treebanks, 60)
    assert [command for command, (code, _) in shown.items() if code not in {DONE, BAD_INPUT}] == []
    assert too_long(shown, 60) == []


COLORED = """
score gold eager
compare gold graph swap
rank gold systems
breakdown gold graph swap --by length
trees en en.graph --show obl:nmod --limit 2
diff old new
validate untidy gold eager
perplexity en en.swap
""".strip().splitlines()


def test_color_informs_nobody_alone(files: Path) -> None:
    """Logs and screen readers get the same text."""
    colored = run_all(COLORED, files, 80)
    for first, setting in enumerate(({"NO_COLOR": "1"}, {"TERM": "dumb"})):
        plain = run_all(one_in(2, COLORED, first), files, 80, **setting)
        assert plain == {line: colored[line] for line in plain}


@pytest.mark.parametrize("command", ["score gold swap", "compare en en.graph en.swap", "profile gold"])
def test_a_process_of_its_own(command: str, files: Path) -> None:
    text = ESCAPE.sub("", on_terminal(*command.split(), folder=files, width=60))
    assert too_long({command: (0, PROGRESS.sub("", text))}, 60) == []
    assert max(map(cell_len, text.split("\n"))) > 40
