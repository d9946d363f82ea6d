"""On a terminal, results end with the main notes and a short signature; `--notes` and `--signature` show the whole."""

import io
import json
import re
from collections.abc import Iterator
from contextlib import chdir
from itertools import dropwhile
from pathlib import Path

import pytest

import documentation
from conftest import EXAMPLES
from levelhead.cli import program
from levelhead.tables.documents import short_signature, signature_line
from levelhead.tables.table import Column, Detail, Screen, Table
from levelhead.tables.writers import to_markdown, to_text

PUD = EXAMPLES / "pud"
GOLD, (EAGER, GRAPH, SWAP) = (
    "gold/en_pud.conllu",
    (f"systems/{name}/en_pud.conllu" for name in ("eager", "graph", "swap")),
)
FOLDERS = ("gold", "systems/graph", "systems/swap")
COMMANDS = (
    ("score", GOLD, GRAPH), ("score", *FOLDERS[:2]), ("score", *FOLDERS[:2], "--partial"), ("compare", GOLD, GRAPH),
    ("compare", GOLD, GRAPH, SWAP, EAGER), ("compare", *FOLDERS), ("rank", "gold", "systems"),
    ("rank", "gold", "systems", "--significance"), ("rank", "gold", "systems", "--by-treebank"), ("languages", *FOLDERS),
    ("power", GOLD, GRAPH, SWAP), ("power",), ("agree", GRAPH, SWAP), ("diff", GRAPH, SWAP), ("breakdown", GOLD, GRAPH),
    ("breakdown", GOLD, GRAPH, "--by", "upos"), ("breakdown", GOLD, GRAPH, SWAP, "--by", "upos"),
    ("analyze", GOLD, GRAPH), ("confusion", GOLD, GRAPH), ("trees", GOLD, GRAPH, "--show", "nsubj:obj", "--limit", "1"),
    ("profile", "gold"), ("similarity", "gold"), ("select", "gold"), ("suspects", GOLD, EAGER, GRAPH, SWAP),
    ("convert", "--check", GOLD), ("perplexity", GOLD, GRAPH),
)  # fmt: skip
SHORT = r"((ud|gold|files|old|train|annotations|treebank) .*\| )?id [0-9a-f]{8} \| levelhead [0-9.]+"
TABLE = re.compile(r".*( \||[─│]|-\+-)|\.\.\. .* more |not shown: ")


@pytest.fixture(autouse=True)
def in_folder() -> Iterator[None]:
    with chdir(PUD):
        yield


def shown(arguments: list[str], width: int, monkeypatch) -> list[str]:
    terminal = documentation.Screen(io.BytesIO(), encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        patch.setenv("NO_COLOR", "1")
        patch.setattr("sys.stdout", terminal)
        program.run(arguments)
    terminal.seek(0)
    return terminal.read().splitlines()


def below(lines: list[str]) -> list[str]:
    """The lines below the table, and below those on rows and columns that are left out."""
    last = max(number for number, line in enumerate(lines[:-1]) if TABLE.match(line))
    return [*filter(str.strip, dropwhile(lambda line: line.startswith("  "), lines[last + 1 :]))]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_at_most_three_lines_and_a_short_signature(command, monkeypatch) -> None:
    lines = shown([*command], 80, monkeypatch)
    assert re.fullmatch(SHORT, lines[-1])
    assert len(lines[-1]) <= 60
    assert len(below(lines)) <= 3


@pytest.mark.parametrize("command", [COMMANDS[4], COMMANDS[7], COMMANDS[12]], ids=" ".join)
def test_the_whole_on_request_and_in_files(command, monkeypatch, capfd) -> None:
    signature = [line for line in shown([*command, "--signature"], 60, monkeypatch) if ":" in line][-1]
    notes = shown([*command, "--notes"], 80, monkeypatch)
    assert program.run([*command]) == 0
    out = capfd.readouterr().out
    assert out.splitlines()[-1] == signature
    assert re.fullmatch(r"rules:ud\|\S*\|version:[0-9.]+(\|\S*)?", signature)
    assert not any(line.endswith(": --notes") for line in notes)
    (hidden,) = [line for line in shown([*command], 80, monkeypatch) if line.endswith(": --notes")]
    assert " ".join(" ".join(below(notes)[:-1]).split()) in " ".join(out.split())
    assert len(below(notes)) > int(hidden.split()[0])


def test_json_has_notes_and_signature_in_any_case(capfd) -> None:
    """`--notes` is about text and standard error."""
    documents = []
    for more in ((), ("--notes",), ("--signature",)):
        assert program.run(["compare", *FOLDERS, "--format", "json", *more]) == 0
        out, err = capfd.readouterr()
        documents.append(json.loads(out))
        assert ("note: parallel test sets, whose units are paired: en_pud, fi_pud" in err) == (more == ("--notes",))
    assert documents[0] == documents[1] == documents[2]
    provenance = documents[0]["provenance"]
    assert "parallel test sets, whose units are paired: en_pud, fi_pud" in provenance["notes"]
    assert [*provenance["signature"]] == ["rules", "gold", "systems", "level", "resample-by", "version"]


def test_the_main_notes_come_first() -> None:
    """Notes that do not fit are hidden, and a line says how many there are."""

    def text(*notes: str, width: int = 80) -> list[str]:
        table = Table((Column("a", "text"),), (("b",),), notes, signature={"version": "1"})
        return to_text(table, 2, Screen(width, is_terminal=True, all_notes=False, whole_signature=False)).splitlines()[
            3:-1
        ]

    assert text() == []
    assert text("main", Detail("detail")) == ["main", "detail"]
    assert text(Detail("one"), "main", Detail("two")) == ["main", "2 more notes: --notes"]
    assert text("one", "two", "three") == ["one", "2 more notes: --notes"]
    assert text(*map(Detail, "abc")) == ["3 notes: --notes"]
    assert text("word " * 40 + "word", width=60)[-1] == "  " + " ".join(["word"] * 7)  # not "0 more notes"
    assert text("word " * 14 + "word", "two", width=60) == [
        ("word " * 12)[:-1],
        "  word word word",
        "1 more note: --notes",
    ]


def test_the_short_signature_identifies_the_whole() -> None:
    signature = {"rules": "ud", "gold": "0123456789ab", "level": "0.95", "version": "1.2.3"}
    short = short_signature(signature)
    assert re.fullmatch(r"ud \| gold 01234567 \| id [0-9a-f]{8} \| levelhead 1.2.3", short)
    assert short == short_signature({**signature})
    assert short_signature(signature | {"level": "0.9"}) != short
    long = short_signature(signature | {"rules": "a name of rules that is longer than any"})
    assert re.fullmatch(r"gold 01234567 \| id [0-9a-f]{8} \| levelhead 1.2.3", long)
    for name in ("en_ewt-test@2.2-2.3", "ff_adamawa-test@2.15-2.18"):
        short = short_signature(signature | {"gold": name})
        assert f"gold {name} | id " in short
        assert len(short) <= 60
    assert re.fullmatch(r"id [0-9a-f]{8} \| levelhead 1.2.3", short_signature(signature | {"gold": f"{60 * 'x'}@2.2"}))
    table = Table((Column("a", "text"),), (("b",),), (Detail("detail"),), signature=signature)
    assert to_markdown(table).endswith(f"\ndetail\n\n{signature_line(signature).replace('|', chr(92) + '|')}\n")


def test_warnings_about_files_are_never_hidden(tmp_path: Path, capfd) -> None:
    """Of `rank`, too."""
    text = (PUD / GOLD).read_text(encoding="utf-8")
    odd = re.sub(r"(?m)^1\t(\S+)\t", r"1-1\t\1\t_\t_\t_\t_\t_\t_\t_\t_\n1\t\1\t", text, count=1)
    for folder, content in (("gold", text), ("systems/a", odd)):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "en.conllu").write_text(content, encoding="utf-8")
    for command in (
        ("rank", tmp_path / "gold", tmp_path / "systems"),
        ("score", tmp_path / "gold", tmp_path / "systems/a"),
    ):
        assert program.run([*map(str, command)]) == 0
        assert "en.conllu:" in (err := capfd.readouterr().err)
        assert "single-word-range" in err


def test_one_system_has_a_table_of_scores_and_intervals(capfd) -> None:
    assert program.run(["compare", GOLD, GRAPH, "-m", "LAS"]) == 0
    head, rule, row = capfd.readouterr().out.splitlines()[2:5]
    assert [cell.strip() for cell in head.split("|")] == ["Measure", "Score", "95% CI"]
    assert [cell.strip() for cell in row.split("|")] == ["LAS", "83.21", "81.78-84.55"]
    assert set(rule) == {"-", "+"}


def test_measures_without_values_have_one_note_and_no_rows(capfd) -> None:
    assert program.run(["score", GOLD, GRAPH]) == 0
    *rows, note, _ = capfd.readouterr().out.splitlines()
    assert note == "no ELAS, EULAS: the gold standard has no enhanced dependencies (column DEPS)"
    assert not [row for row in rows if "ELAS" in row]
