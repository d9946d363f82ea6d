"""Arguments that cannot be right, and gates on measures without a value: the message says what is wrong and what to do."""

from pathlib import Path

import pytest

from conftest import EXAMPLES
from levelhead import compare, testing
from levelhead.errors import InputError, unknown

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA = PARALLEL / "gold/en.conllu", PARALLEL / "systems/alpha/en.conllu"
EMPTY = "the path is empty: name a file or folder"
UNREADABLE = "DEPS cannot be read: the head of an edge is not a node of its sentence"


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("score", "", ALPHA), "'GOLD'"),
        (("score", GOLD, ""), "'SYSTEM'"),
        (("validate", ""), "'FILES...'"),
        (("compare", GOLD, ALPHA, ""), "'SYSTEM...'"),
        (("profile", ""), "TREEBANK"),
        (("rank", "", PARALLEL), "[GOLD]"),
        (("rank", "--manifest", ""), "--manifest"),
        (("parse", "", GOLD), "'MODEL'"),
        (("score", GOLD, ALPHA, "--train", ""), "'--train'"),
        (("score", GOLD, ALPHA, "--definitions", ""), "'--definitions'"),
        (("reproduce", "conll17", "--treebanks", ""), "'--treebanks'"),
        (("task", "rank", ""), "'[DIR]'"),
    ],
)
def test_empty_paths(run, arguments: tuple[object, ...], what: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert EMPTY in err
    assert what in err.splitlines()[-1]


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """A manifest with one test set."""
    path = tmp_path / "m.toml"
    path.write_text(f'[[treebank]]\ncode = "en"\ngold = "{GOLD}"\n', encoding="utf-8")
    return path


@pytest.mark.parametrize("command", ["score", "compare", "confusion"])
def test_a_manifest_is_scored_with_folders(run, manifest: Path, command: str) -> None:
    code, out, err = run(command, manifest, ALPHA)
    assert (code, out) == (2, "")
    assert f"{ALPHA}: GOLD is a manifest, but this is a file: give a folder of outputs" in err
    assert run(command, manifest, ALPHA.parent)[0] == 0


def test_a_relation_with_a_subtype_is_not_a_pair_of_relations(run) -> None:
    code, out, err = run("trees", GOLD, ALPHA, "--show", "acl:relcl")
    assert (code, out) == (2, "")
    assert err == (
        "invalid-argument: 'acl:relcl' is a single relation: add the system's relation, such as acl:relcl:obl\n"
    )


@pytest.mark.parametrize("level", ["0.9999999999999999", "0.9999995"])
def test_levels_that_would_print_as_100_percent(run, level: str) -> None:
    code, out, err = run("compare", GOLD, ALPHA, "--level", level)
    assert (code, out) == (2, "")
    assert f"'{level}' is not a number above 0 and at most 0.999999" in err
    with pytest.raises(InputError, match=r"level must be at most 0\.999999, not 0\.99999"):
        compare(GOLD, [ALPHA], level=float(level))


def test_the_highest_level_has_all_its_digits(run) -> None:
    shown = run("compare", GOLD, ALPHA, "--level", "0.999999")[1]
    assert "99.9999% CI" in shown
    assert "|level:0.999999|" in shown


def test_commands_that_only_look_alike_are_not_suggested(run) -> None:
    assert "unknown command 'score': use close, export, init" in run("task", "score")[2]
    assert "unknown command 'clsoe': did you mean close?" in run("task", "clsoe")[2]
    assert unknown("letter", "abcde", ["abcxy"]).endswith("use abcxy")
    assert unknown("letter", "abcde", ["abcdx"]).endswith("did you mean abcdx?")


@pytest.fixture
def malformed(tmp_path: Path) -> Path:
    """A folder with an output for English, whose DEPS name a head that does not exist, and one for Finnish."""
    folder = tmp_path / "malformed"
    folder.mkdir()
    text = GOLD.read_text(encoding="utf-8")
    first = next(line for line in text.splitlines() if line.startswith("2\t"))
    cells = first.split("\t")
    changed = "\t".join([*cells[:8], "99:nsubj", cells[9]])
    (folder / "en.conllu").write_text(text.replace(first, changed, 1), encoding="utf-8")
    (folder / "fi.conllu").write_bytes((PARALLEL / "gold/fi.conllu").read_bytes())
    return folder


def test_gates_say_why_a_measure_has_no_value(run, malformed: Path) -> None:
    code, _, err = run("score", GOLD, malformed / "en.conllu", "-m", "LAS", "--fail-under", "ELAS=50")
    assert (code, err.splitlines()[-1]) == (1, f"ELAS has no value: {UNREADABLE}")
    with pytest.raises(AssertionError, match=f"ELAS has no value: {UNREADABLE}"):
        testing.assert_score(GOLD, malformed / "en.conllu", "ELAS", at_least=50)


def test_gates_on_averages_name_the_treebanks_without_a_value(run, malformed: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold"
    gold.mkdir()
    for name in ("en.conllu", "fi.conllu"):
        (gold / name).write_bytes((PARALLEL / "gold" / name).read_bytes())
    code, _, err = run("score", gold, malformed, "-m", "LAS", "--fail-under", "ELAS=50", "--fail-under", "LAS=99")
    reasons = f"{UNREADABLE} (en); not annotated in gold: DEPS (fi)"
    assert (code, err.splitlines()[-1]) == (1, f"ELAS has no value: {reasons}")


def test_gates_of_comparisons_give_the_error(run, malformed: Path) -> None:
    code, out, _ = run("compare", GOLD, ALPHA, malformed / "en.conllu", "-m", "LAS", "--fail-if-worse", "ELAS")
    assert code == 1
    assert f"gate not met: ELAS of malformed: 1 error in the output: ELAS: {UNREADABLE} " in " ".join(out.split())
