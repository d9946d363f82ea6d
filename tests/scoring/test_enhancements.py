"""Kinds of enhancement that are not scored: numbers of the official script, a second implementation, each kind by hand."""

import io
import json
import lzma
import subprocess
import sys
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from hypothesis import given, settings, strategies as st

import levelhead
from levelhead import compat
from levelhead.scoring.enhanced_edges import ENHANCEMENTS, switches_of
from oracle import measures
from oracle.document import Refused
from oracle.enhancements import strip
from result_rows import scores_in
from strategies import SEEDS, examples, pairs

DIGITS = st.sets(st.sampled_from("123456")).map(lambda digits: "".join(sorted(digits)))
LABELS = (
    "ref",
    "conj",
    "conj:and",
    "nsubj:xsubj",
    "obl:in",
    "obl:in:gen",
    "advcl:relcl",
    "nmod:of>conj:or",
    "ref>nsubj",
    "root",
)

# Printed by today's official script for the test set of English EWT 2.16 as gold, and as system the same file with its
# basic
# trees in the column DEPS: correct, gold and system edges of ELAS, correct ones of EULAS
EWT = {
    "": (22071, 26233, 25094, 24968),
    "1": (22071, 26233, 25094, 24968),
    "2": (22071, 25776, 25094, 24968),
    "4": (22071, 25919, 25094, 24968),
    "5": (21943, 26055, 24847, 24845),
    "6": (24871, 26233, 25094, 24968),
    "12456": (24743, 25289, 24847, 24845),
}


def edges(gold: str, system: str, digits: str) -> tuple[float, ...]:
    """Count edges with levelhead: correct, gold and system ones of ELAS, correct ones of EULAS."""
    switches = dict.fromkeys(switches_of(digits), 1)
    sides = [compat.load_conllu(io.StringIO(text), "file", switches) for text in (gold, system)]
    scores = compat.evaluate(*sides)
    elas = scores["ELAS"]
    return elas.correct, elas.gold_total, elas.system_total, scores["EULAS"].correct


def edges_by_oracle(gold: str, system: str, digits: str) -> tuple[float, ...]:
    """Count the same with the oracle."""
    matched = measures.match(gold, system, "udtools")
    for side in (matched.gold, matched.system):
        strip(side, digits)
    elas, eulas = (measures.enhanced(matched, simple) for simple in (str, measures.universal_steps))
    return elas.correct, elas.gold, elas.system, eulas.correct


def disturbed(text: str, draw: Random) -> str:
    """Give words more relations that switches are about, and other edges."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        cells = line.split("\t")
        if not cells[0].isdecimal():
            continue
        if draw.random() < 0.4:
            cells[7] = draw.choice(("acl", "acl:relcl", "xcomp", "conj", "aclx"))
        some = [
            f"{draw.choice((cells[6], cells[0], '1', '0'))}:{draw.choice((*LABELS, cells[7]))}"
            for _ in range(draw.randint(0, 4))
        ]
        cells[8] = "|".join(some) or "_"
        lines[i] = "\t".join(cells)
    return "\n".join(lines)


@settings(max_examples=examples(50))
@given(texts=pairs(), seed=SEEDS, digits=DIGITS)
def test_against_a_second_implementation(texts: tuple[str, str], seed: int, digits: str) -> None:
    draw = Random(seed)
    gold, system = (disturbed(text, draw) for text in texts)
    try:
        expected = edges_by_oracle(gold, system, digits)
    except Refused:
        return
    assert edges(gold, system, digits) == expected


@pytest.mark.parametrize("digits", EWT)
def test_the_numbers_of_the_official_script(data: Path, digits: str) -> None:
    path = data / "ud/r2.16/en_ewt-ud-test.conllu.xz"
    gold = lzma.decompress(path.read_bytes()).decode()
    rows = (line.split("\t") for line in gold.split("\n"))
    system = "\n".join(
        "\t".join([*row[:8], f"{row[6]}:{row[7]}", *row[9:]] if row[0].isdecimal() else row) for row in rows
    )
    assert edges(gold, system, digits) == EWT[digits]


ROWS = (
    # id, head, relation, DEPS: who said Ann and Bob | saw and wanted to leave the town
    ("1", "0", "root", "0:root"),
    ("2", "1", "nsubj", "1:nsubj|4:nsubj:xsubj|5:obj"),
    ("3", "2", "conj", "2:conj:and|1:nsubj|1:obl>dep"),
    ("4", "1", "xcomp", "1:xcomp"),
    ("5", "3", "acl:relcl", "3:acl:relcl"),
    ("6", "5", "mark", "3:ref|5:mark"),
    ("7", "5", "obl", "5:obl:in"),
)
TEXT = "".join(f"{n}\tw\t_\t_\t_\t_\t{head}\t{relation}\t{deps}\t_\n" for n, head, relation, deps in ROWS) + "\n"


def with_deps(word: int, deps: str) -> str:
    return "".join(
        f"{n}\tw\t_\t_\t_\t_\t{head}\t{relation}\t{deps if int(n) == word else given}\t_\n"
        for n, head, relation, given in ROWS
    ) + "\n"  # fmt: skip


@pytest.mark.parametrize(
    ("digits", "word", "same"),
    [
        # with the switch, the text scores as if the word had these edges and there were no switch
        ("1", 3, "2:conj:and|1:nsubj|2:conj"),
        ("2", 3, "2:conj:and"),
        ("3", 3, "2:conj:and|1:nsubj|1:obl>dep"),
        ("4", 2, "1:nsubj|5:obj"),
        ("5", 6, "5:mark|5:mark"),
        ("6", 7, "5:obl"),
    ],
)
def test_each_switch_by_hand(digits: str, word: int, same: str) -> None:
    other = with_deps(word, same)
    if digits == "6":  # it cuts the labels of all words
        other = other.replace("conj:and", "conj")
    assert edges(TEXT, other, digits) == edges(other, other, digits)
    assert edges(TEXT, TEXT, digits) == edges(other, other, "")
    assert digits == "3" or edges(TEXT, other, "") != edges(other, other, "")


def test_what_the_script_makes_of_relative_clauses() -> None:
    """The edge from a relative clause to its antecedent stays; one to the word after the antecedent goes."""
    to_antecedent, to_next = with_deps(3, "2:conj:and|5:nsubj"), with_deps(4, "1:xcomp|5:nsubj")
    assert edges(to_antecedent, TEXT, "5")[1] == 2 + edges(TEXT, TEXT, "5")[1] - 3
    assert edges(to_next, TEXT, "5")[1] == edges(TEXT, TEXT, "5")[1]


def test_a_path_at_the_root_agrees_with_nothing() -> None:
    """The script takes the basic head, of which the root has none, and finds that nothing is equal to it."""
    path = with_deps(1, "0:conj>root")
    assert edges(path, path, "1")[0] == edges(path, path, "1")[1] - 1


def test_switches_of_the_interface() -> None:
    one, other = (compat.load_conllu(io.StringIO(TEXT), "file", switches) for switches in ({}, {"no_control": 1}))
    with pytest.raises(compat.UDError, match="different"):
        compat.evaluate(one, other)
    with_node = TEXT.replace("7\tw", "6.1" + "\t_" * 9 + "\n7\tw")
    for text in (with_node, with_deps(7, "5:obl.x|6.1:obl")):
        compat.load_conllu(io.StringIO(text), "file", {"no_empty_nodes": 0})
        with pytest.raises(compat.UDError, match=r"file:7: .*empty nodes"):
            compat.load_conllu(io.StringIO(text), "file", {"no_empty_nodes": 1})
    dots = with_deps(7, "5:obl:e.g.").replace("\tw\t", "\tw.\t", 1).replace("1\t", "# a.b\tc\n1\t", 1)
    compat.load_conllu(io.StringIO(dots), "file", {"no_empty_nodes": 1})


def test_switches_of_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "file.conllu"
    path.write_text(TEXT)
    command = [sys.executable, "-m", "levelhead", "score", path, path, "--format", "json", "--enhancements", "246"]
    done = subprocess.run([*command, "--rules", "udtools"], capture_output=True, check=True)
    document = json.loads(done.stdout)
    assert document["provenance"]["signature"]["without"] == "+".join(sorted(switches_of("246")))
    elas = scores_in(document)["ELAS"]
    assert (elas["correct"], elas["gold"], elas["predicted"]) == edges(TEXT, TEXT, "246")[:3]
    arguments = SimpleNamespace(gold_file=path, system_file=path, enhancements="246", no_empty_nodes=False)
    assert compat.evaluate_wrapper(arguments)["ELAS"].gold_total == elas["gold"]
    for wrong in (command, [*command[:-1], "7", "--rules", "udtools"]):
        done = subprocess.run(wrong, capture_output=True, check=False)
        assert (done.returncode, b"nhancements" in done.stderr) == (2, True)


def test_names_are_in_the_order_of_the_digits() -> None:
    assert [switches_of(str(i)) for i in range(1, 7)] == [{name} for name in ENHANCEMENTS]
    assert switches_of("0") == frozenset()


def test_a_system_without_graphs_is_told_why_its_precision_has_no_value(tmp_path, run):
    """Gold has two edges, the output has none: recall and F1 are 0, and a note gives the reason."""
    row = "{}\t{}\t_\t_\t_\t_\t{}\t{}\t{}\t_\n"
    with_graph = row.format(1, "a", 0, "root", "0:root") + row.format(2, "b", 1, "dep", "1:dep") + "\n"
    without = with_graph.replace("0:root", "_").replace("1:dep", "_")
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(with_graph)
    system.write_text(without)
    note = "the system has no enhanced dependencies (column DEPS) to score: ELAS, EULAS.recall"
    code, out, messages = run("score", gold, system, "-m", "LAS", "-m", "ELAS", "-m", "EULAS.recall")
    assert (code, messages) == (0, "")
    assert f"\n{note}\n" in out
    evaluation = levelhead.score(gold, system, measures=["LAS", "ELAS", "EULAS.recall"])
    assert evaluation.notes == (note,)
    score = evaluation["ELAS"]
    assert (score.correct, score.gold, score.system, score.precision, score.value) == (0, 2, 0, None, 0.0)
    assert levelhead.score(gold, system, measures=["LAS"]).notes == ()
    assert levelhead.score(system, system, measures=["ELAS"]).notes == ()
