"""`--partial`: both policies and the coverage in tables and documents; the engine, the store and workers."""

import json
import re
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES
from result_rows import rows_in, scores_in

PARALLEL = EXAMPLES / "parallel"
GOLD, SYSTEMS = PARALLEL / "gold", PARALLEL / "systems"
TR, INVALID = GOLD / "tr.conllu", SYSTEMS / "gamma/tr.conllu"  # two sentences of the output are no trees


def document(run, *arguments):
    code, out, err = run(*arguments, "--format", "json")
    assert code == 0, err
    return json.loads(out)


def test_scores_and_scores_of_valid_trees(run):
    found = document(run, "score", TR, INVALID, "--partial", "-m", "LAS")
    assert found["kind"] == "score"
    assert found["provenance"]["signature"]["partial"] == "yes"
    gold, system = levelhead.read(TR), INVALID.read_text().split("\n\n")
    broken = [i for i, block in enumerate(system[:-1]) if not is_valid(block)]
    lost = sum(len(gold[i]) for i in broken)
    las = scores_in(found)["LAS"]
    assert (las["gold"], las["predicted"], las["aligned"]) == (gold.n_words,) * 3
    assert las["value"] == 100 * las["correct"] / gold.n_words
    strict = las["value_of_valid_trees"] * gold.n_words / 100  # the number of correct words
    assert strict == pytest.approx(round(strict))
    assert len(broken) == 2
    assert 0 < las["correct"] - round(strict) <= lost
    (coverage,) = rows_in(found, "coverage")
    assert (coverage["answered"], coverage["valid_trees"], coverage["aligned"]) == (20, 18, gold.n_words)


def is_valid(block: str) -> bool:
    try:
        levelhead.from_conllu(block + "\n\n")
    except levelhead.InputError:
        return False
    return True


ADVICE = "add --partial"


def test_errors_about_trees_of_an_output_name_the_option(run):
    """Not for gold, nor in a command without the option."""
    for arguments in (
        ("score", TR, INVALID),
        ("compare", TR, TR, INVALID),
    ):
        code, _, err = run(*arguments, "-m", "LAS")
        assert code == 2
        assert ADVICE in err.splitlines()[-1]
    for arguments in (("score", INVALID, TR), ("profile", INVALID), ("score", TR, PARALLEL / "missing.conllu")):
        code, _, err = run(*arguments)
        assert code == 2
        assert ADVICE not in err


def test_outputs_with_another_text_name_the_option(run, tmp_path):
    """Unless the files have no common beginning, so that gold is probably the wrong file."""
    changed = tmp_path / "changed.conllu"
    changed.write_text(TR.read_text(encoding="utf-8").replace("\n2\t", "\n2\tx", 1), encoding="utf-8")
    for system, advised in ((changed, True), (PARALLEL / "gold/en.conllu", False)):
        code, _, err = run("score", TR, system)
        assert code == 2
        assert "text-mismatch" in err
        assert (ADVICE in err) == advised


def test_tables_are_labeled(run):
    assert "partial scores, not official" in run("rank", GOLD, SYSTEMS, "--partial", "--by-treebank", "-m", "LAS")[1]
    for arguments in (("score", TR, INVALID), ("score", GOLD, SYSTEMS / "gamma"), ("rank", GOLD, SYSTEMS)):
        code, out, _ = run(*arguments, "--partial", "-m", "LAS", "-q")
        head = out.splitlines()[0].lower()
        assert code == 0
        assert "partial scores, not official" in out
        assert all(word in head for word in ("valid", "answered", "aligned"))
    assert "partial scores, not official" in run("compare", TR, TR, INVALID, "--partial", "-m", "LAS")[1]
    assert "Valid trees" in run("score", TR, INVALID, "--partial", "--counts", "-m", "LAS")[1].splitlines()[0]


@pytest.mark.usefixtures("two_workers")
@pytest.mark.parametrize("options", [[], ["--jobs", "2"], ["--store", "store"], ["--counts"]])
def test_folders_have_the_scores_of_pairs(run, options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in options:  # with a store a second time, too
        found = document(run, "score", GOLD, SYSTEMS / "gamma", "--partial", "-m", "LAS", *options)
    found = document(run, "score", GOLD, SYSTEMS / "gamma", "--partial", "-m", "LAS", *options)
    rows = found["tables"]["scores"]
    for row, coverage in zip(rows, found["tables"]["coverage"], strict=True):
        files = GOLD / f"{row['treebank']}.conllu", SYSTEMS / "gamma" / f"{row['treebank']}.conllu"
        alone = document(run, "score", *files, "--partial", "-m", "LAS")["tables"]
        assert ([row], [coverage]) == (alone["scores"], alone["coverage"])
    (average,) = found["tables"]["averages"]
    for name in ("value", "value_of_valid_trees"):
        assert average[name] == pytest.approx(sum(row[name] for row in rows) / len(rows))


def test_a_store_tells_partial_scores_from_others(run, tmp_path):
    files = ("score", GOLD / "en.conllu", SYSTEMS / "alpha/en.conllu", "--store", tmp_path / "store", "-m", "LAS")
    covered = [
        len(document(run, *files, *more)["tables"]["coverage"]) for more in ([], ["--partial"], [], ["--partial"])
    ]
    assert covered == [0, 1] * 2


def test_compare_tests_on_the_same_gold_sentences(run, tmp_path):
    """An output with a sentence less has the same units, and that sentence counts as unanswered."""
    text = (SYSTEMS / "alpha/en.conllu").read_text()
    fewer = tmp_path / "fewer.conllu"
    fewer.write_text(text.split("\n\n", 1)[1])
    files = GOLD / "en.conllu", SYSTEMS / "alpha/en.conllu", fewer
    found = document(run, "compare", *files, "--partial", "-m", "LAS")["tables"]
    n_gold = len(levelhead.read(GOLD / "en.conllu"))
    assert [one["n_units"] for one in found["units"]] == [n_gold]
    alpha, other = found["results"]
    pair = document(run, "score", GOLD / "en.conllu", fewer, "--partial", "-m", "LAS")
    assert other["value"] == pytest.approx(scores_in(pair)["LAS"]["f1"])
    assert other["value"] < alpha["value"]
    assert other["low"] < other["value"] < other["high"]
    strict = found["results_of_valid_trees"][1]
    assert strict["value"] == pytest.approx(scores_in(pair)["LAS"]["value_of_valid_trees"])
    assert [(one["system"], one["answered"]) for one in found["coverage"]] == [("en", n_gold), ("fewer", n_gold - 1)]


def test_answers_to_another_text_are_noted_in_every_table(run, folders: Path):
    path = folders / "systems/alpha/en.conllu"
    texts = [re.sub("(?m)^#.*\n", "", text) for text in path.read_text(encoding="utf-8").strip().split("\n\n")]
    ids = [sentence.id for sentence in levelhead.read(folders / "gold/en.conllu")]
    shifted = zip(ids, (*texts[1:], texts[0]), strict=True)
    path.write_text("".join(f"# sent_id = {name}\n{text}\n\n" for name, text in shifted), encoding="utf-8")
    gold, systems, how = folders / "gold", folders / "systems", ("--partial", "-m", "LAS")
    note = "20 answers to another text, not aligned: fewer than half of the forms match; the answers are shifted: 19"
    for command in (
        ("score", gold, systems / "alpha"),
        ("compare", gold, systems / "beta", systems / "alpha"),
        ("rank", gold, systems),
        ("rank", gold, systems, "--by-treebank"),
    ):
        lines = " ".join(run(*command, *how)[1].split())
        assert note in lines
        assert (f"alpha: {note}" in lines) == (command[0] != "score")
    assert "answers are shifted" not in run("compare", gold, systems / "beta", systems / "gamma", *how)[1]


def test_rank_counts_invalid_outputs_and_missing_ones(run, folders: Path):
    (folders / "systems/alpha/en.conllu").unlink()
    found = document(run, "rank", folders / "gold", folders / "systems", "--partial", "-m", "LAS", "--significance")
    standings = {one["system"]: one for one in found["tables"]["standings"]}
    assert standings["gamma"]["n_valid"] == 8
    assert standings["gamma"]["value_of_valid_trees"] < standings["gamma"]["value"]
    assert standings["gamma"]["share_answered"] == 100
    assert standings["alpha"]["share_answered"] == pytest.approx(100 * 7 / 8)
    pair = document(run, "score", TR, INVALID, "--partial", "-m", "LAS")
    for name in ("scores", "coverage"):
        (row,), (expected,) = rows_in(found, name, system="gamma", treebank="tr"), rows_in(pair, name)
        same = (row.keys() & expected.keys()) - {"system"}
        assert {key: row[key] for key in same} == {key: expected[key] for key in same}
    table = levelhead.rank(folders / "gold", folders / "systems", partial=True, measures="LAS")
    assert {one.system: one.value for one in table["LAS"].standings} == {
        name: one["value"] for name, one in standings.items()
    }


def test_python_has_both_policies():
    found = levelhead.score(TR, INVALID, partial=True, measures="LAS")
    assert found.coverage.valid_trees == 18
    assert found.valid_trees["LAS"].correct < found["LAS"].correct
    assert found["LAS"].signature["partial"] == "yes"
    assert repr(found).startswith("<partial Evaluation: LAS=")
    several = levelhead.score(GOLD, SYSTEMS / "gamma", partial=True, measures="LAS")
    (average,) = several.records("averages")
    assert average.value == several["LAS"].value
    of_valid_trees = [one.valid_trees["LAS"].value for one in several.treebanks.values()]
    assert average.value_of_valid_trees == pytest.approx(sum(of_valid_trees) / len(of_valid_trees))
    assert average.value_of_valid_trees < average.value
    with pytest.raises(levelhead.InputError):
        levelhead.score(TR, INVALID, measures="LAS")


def test_treebanks_in_memory_may_have_broken_trees():
    gold = levelhead.read(TR)
    heads = gold.heads.tolist()
    heads[1], heads[2] = -1, -1
    system = gold.replace(heads=heads, several_roots=True)
    found = levelhead.score(gold, system, partial=True, measures="LAS")
    assert found.coverage.valid_trees == len(gold) - 1
    assert found.valid_trees["LAS"].correct == gold.n_words - len(gold[0])


@pytest.mark.parametrize(("arguments", "message"), [
    (("score", TR, INVALID, "--align-sentences"), "was replaced by --partial"),
    (("rank", "--scores", TR, "--partial"), "--scores cannot be combined with --partial"),
    (("score", TR, INVALID, "--partial", "-m", f"DPPL({TR})"), "no partial score"),
    (("rank", GOLD, SYSTEMS, "--partial", "--format", "prototext"), "--partial cannot be combined with --format prototext"),
    (("score", TR, INVALID, "--partial", "--rules", "msp25"), "msp25 do not support partial scores"),
])  # fmt: skip
def test_what_cannot_be_done_is_refused(run, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize(("contents", "message"), [
    (b"", "no readable row"), (b"\n\n", "no readable row"), (b"no rows here\n\n", "no readable row"), (b"\xff\xfe1\ta\n", "UTF-8"),
    (b"# sent_id = a\n\n", "no readable row"), (b"1 a _ _ _ _ 0 root _ _\n\n", "no readable row"),
])  # fmt: skip
def test_outputs_without_rows(run, tmp_path, contents, message):
    (tmp_path / "system.conllu").write_bytes(contents)
    code, out, err = run("score", TR, tmp_path / "system.conllu", "--partial")
    assert (code, out) == (2, "")
    assert message in err


def test_gold_is_read_strictly(run):
    code, _, err = run("score", INVALID, TR, "--partial")
    assert code == 2
    assert "cycle" in err


@pytest.mark.parametrize("rules", ["ud", "udtools", "conll18", "conll17"])
def test_rules_of_official_scorers(run, rules):
    options = ("--rules", rules, "-m", "LAS,CLAS")
    usual = document(run, "score", GOLD / "en.conllu", SYSTEMS / "alpha/en.conllu", *options)
    found = document(run, "score", GOLD / "en.conllu", SYSTEMS / "alpha/en.conllu", *options, "--partial")
    for name, row in scores_in(found).items():
        assert row | {"value_of_valid_trees": None} == scores_in(usual)[name]
        assert row["value_of_valid_trees"] == row["value"]
    broken = document(run, "score", TR, INVALID, *options, "--partial")
    assert scores_in(broken)["LAS"]["f1"] > scores_in(broken)["LAS"]["value_of_valid_trees"] > 0
