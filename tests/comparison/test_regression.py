"""Regression gates: verdicts, exit codes, invalid outputs, runs needed to decide, the summary."""

import json
import shutil

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES, library
from levelhead.comparison.regression import gate_results
from levelhead.errors import InputError
from levelhead.significance import InferenceSettings, SystemCounts, differences
from levelhead.significance.power import Variances, detectable_difference, runs_to_detect

PARALLEL, GATE = EXAMPLES / "parallel", EXAMPLES / "gate"
GOLD, ALPHA, BETA, GAMMA = (
    PARALLEL / part / "en.conllu" for part in ("gold", "systems/alpha", "systems/beta", "systems/gamma")
)
RUNS = (GATE / "gold.conllu", GATE / "baseline", GATE / "candidate")


def verdicts(parts, *, margin=None, level=0.95, perplexities=(), systems=("A", "B")):
    """The verdicts on counts of units: shape (units, runs, 1, 2)."""
    table = SystemCounts(systems, ("LAS",), np.asarray(parts, dtype=float), perplexities)
    settings = InferenceSettings(level, margin)
    return list(gate_results({"x": table}, differences({"x": table}, settings), ["LAS"], settings, {}))


def outputs(*right, n=60):
    """Runs that get so many of 100 words right in each unit, give or take two."""
    draw = np.random.default_rng(1)
    rows = np.full((n, len(right), 1, 2), 100.0)
    rows[:, :, 0, 0] = np.array(right) + draw.integers(-2, 3, size=(n, len(right)))
    return rows


@pytest.mark.parametrize(
    ("right", "margin", "verdict", "reason"),
    [
        ((90, 88), None, "not met", "worse"),
        ((90, 92), None, "met", "not worse"),
        ((90, 90), None, "met", "not worse"),
        ((90, 88), 4, "met", "within margin"),
        ((90, 88), 1, "not met", "margin not shown"),
        ((90, 92), 0.1, "met", "within margin"),
    ],
)
def test_the_verdict_follows_the_p_value_or_the_interval(right, margin, verdict, reason):
    (found,) = verdicts(outputs(*right), margin=margin)
    assert (found.verdict, found.reason) == (verdict, reason)


@pytest.mark.parametrize("margin", [None, 1, 3, 8, 20, 40])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_verdicts_on_real_outputs_are_those_of_the_plain_rule(margin, level):
    from oracle import gates as oracle

    measures = ["UAS", "LAS", "CLAS"]
    systems = {"alpha": ALPHA, "beta": BETA, "gamma": GAMMA}
    found = levelhead.compare(GOLD, systems, measures=measures, fail_if_worse=measures, margin=margin, level=level)
    rows = {(one.measure, one.system): one for one in found.results}
    assert len(found.gates) == 6
    for one in found.gates:
        row = rows[one.measure, one.system]
        assert (one.difference, one.difference_interval) == (row.difference, row.difference_interval)
        expected = oracle.verdict(row.difference, row.p, row.difference_interval, margin, level=round(level, 6))
        assert one.verdict == expected


def test_significance_is_that_of_the_level():
    """A p-value between 1% and 5% fails a gate at 95%, and not at 99%."""
    rows = outputs(90, 90)
    rows[:, 1, 0, 0] = rows[:, 0, 0, 0]
    rows[:7, 1, 0, 0] -= 1
    assert 0.01 < differences({"x": SystemCounts(("A", "B"), ("LAS",), rows)}, InferenceSettings())[1].p < 0.05
    assert [verdicts(rows, level=level)[0].verdict for level in (0.95, 0.99)] == ["not met", "met"]


def test_lower_perplexities_are_better():
    """The value is 10 to the ratio: that of 0.88 is lower than that of 0.90."""
    better, worse = outputs(90, 88), outputs(88, 90)
    assert verdicts(better, perplexities=(0,))[0].verdict == "met"
    assert verdicts(worse, perplexities=(0,))[0].reason == "worse"
    ratio = 10**0.02
    for margin, verdict in ((ratio * 1.03, "met"), (ratio * 1.005, "not met"), (1.001, "not met")):
        (found,) = verdicts(worse, margin=margin, perplexities=(0,))
        assert found.verdict == verdict
        low, high = found.ratio_interval
        assert low < ratio < high
        assert (high < margin) == (verdict == "met")
    assert verdicts(better, margin=1.001, perplexities=(0,))[0].verdict == "met"


@pytest.mark.parametrize(("margin", "verdict"), [(None, "undecided"), (50, "not met")])
def test_too_few_units_or_runs_decide_nothing(margin, verdict):
    (units,) = verdicts(outputs(90, 70, n=9), margin=margin)
    (runs,) = verdicts(outputs(90, 90, 70, 70), margin=margin, systems=("A", "A", "B", "B"))
    (one_side,) = verdicts(outputs(90, 70, 70, 70), margin=margin, systems=("A", "B", "B", "B"))
    assert (units.verdict, units.reason) == (verdict, "too few units")
    assert (runs.verdict, runs.reason) == (verdict, "too few runs")
    assert (one_side.verdict, one_side.reason) == (verdict, "too few runs")
    assert (units.decided, runs.decided) == (False, False)


# How many runs would suffice


def pairs_of(folder, gold):
    """Numerators and denominators of LAS in every sentence, for each run."""
    return [
        [(2 * row["LAS_correct"], row["LAS_predicted"] + row["LAS_gold"]) for row in sentences_of(gold, path)]
        for path in sorted(folder.iterdir())
    ]


def sentences_of(gold, path):
    return levelhead.sentences(gold, path, measures="LAS").to_dict()["tables"]["sentences"]


@pytest.mark.parametrize("margin", [None, 2.5, 6.5])
def test_runs_needed_are_the_fewest_that_decide(margin):
    library("scipy.stats")
    from oracle import gates as oracle

    systems = {"a": RUNS[1], "b": RUNS[2]}
    found = levelhead.compare(RUNS[0], systems, measures="LAS", fail_if_worse="LAS", margin=margin)
    (gate,) = found.gates
    both = [pairs_of(folder, RUNS[0]) for folder in RUNS[1:]]
    distance = abs(gate.difference + (margin or 0)) / 100
    assert not gate.decided
    if gate.n_runs_needed is None:
        assert not oracle.runs_decide(*both, 1000, distance)
    else:
        assert oracle.runs_decide(*both, gate.n_runs_needed, distance)
        assert gate.n_runs_needed == 3 or not oracle.runs_decide(*both, gate.n_runs_needed - 1, distance)


def test_runs_needed_of_several_test_sets_count_the_units_of_each():
    """As if each had its own error: with the same number of units everywhere it is that of `detectable_difference`."""
    one = Variances(0.02, 0.03, 0.0004, 0.8, 0.3)
    other = Variances(0.05, 0.01, 0.0002, 0.9, 0.2)
    found = runs_to_detect(0.05, [one, other], [100, 100])
    assert detectable_difference([one, other], 100, found) <= 0.05 < detectable_difference([one, other], 100, found - 1)
    tenfold = other._replace(units=0.5, interaction=0.1, evenness=0.09, observation=20.0)  # the same error from 1,000
    for difference in (0.038, 0.04, 0.045, 0.05, 0.08):
        expected = runs_to_detect(difference, [one, other], [100, 100])
        assert runs_to_detect(difference, [one, tenfold], [100, 1000]) == expected
    assert runs_to_detect(1e-6, [one, other], [100, 100]) is None


def test_decided_gates_and_single_outputs_need_no_runs():
    assert verdicts(outputs(90, 90, 90, 80, 80, 80), systems=("A",) * 3 + ("B",) * 3)[0].n_runs_needed is None
    (single,) = verdicts(outputs(90, 90))
    assert (single.decided, single.n_runs_needed) == (False, None)


def test_equal_parsers_are_never_decided(run, tmp_path):
    shutil.copytree(RUNS[1], tmp_path / "copy")
    code, out, _ = run("compare", *RUNS[:2], tmp_path / "copy", "-m", "LAS", "--fail-if-worse", "LAS")
    assert (code, "even 1,000 runs of each would not suffice" in " ".join(out.split())) == (0, True)


# The command


CASES = {
    "not worse": ((GOLD, ALPHA, GAMMA), (), 0, "gate met: LAS of gamma: -1.83", ""),
    "better": ((GOLD, BETA, ALPHA), (), 0, "significantly better than beta", ""),
    "worse": ((GOLD, ALPHA, BETA), (), 1, "significantly worse than alpha", "gate not met: LAS of beta"),
    "one of two": ((GOLD, ALPHA, GAMMA, BETA), (), 1, "gate met: LAS of gamma", "gate not met: LAS of beta"),
    "inside": ((GOLD, ALPHA, GAMMA), ("--margin", 8), 0, "the lower end is above -8", ""),
    "outside": ((GOLD, ALPHA, GAMMA), ("--margin", 7), 1, "the lower end is not above -7", "gate not met: LAS of gamma"),
    "runs": (RUNS, (), 0, "; 12 runs of each would suffice", ""),
    "runs with a margin": (RUNS, ("--margin", 3), 1, "the lower end is not above -3", "gate not met"),
    "folders": (
        tuple(PARALLEL / part for part in ("gold", "systems/alpha", "systems/beta")), (), 1,
        "gate not met: LAS of beta (macro-average): -21.72", "gate not met: LAS of beta (macro-average)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_exit_codes(run, case):
    paths, more, code, printed, said = CASES[case]
    done, out, err = run("compare", *paths, "-m", "LAS", "--fail-if-worse", "las", *more)
    assert done == code
    assert printed in " ".join(out.split())
    assert said in err
    assert ("gate not met" in err) == (code == 1)


def test_measures_of_gates_are_computed_too(run):
    _, out, _ = run("compare", GOLD, ALPHA, GAMMA, "-m", "LAS", "--fail-if-worse", "CLAS,UPOS", "--format", "json")
    tables = json.loads(out)["tables"]
    assert [one["measure"] for one in tables["gates"]] == ["CLAS", "UPOS"]
    assert {one["measure"] for one in tables["results"]} == {"LAS", "CLAS", "UPOS"}


@pytest.fixture
def broken(tmp_path):
    """Gold, a baseline, a candidate, an invalid file, and one without relations."""
    shutil.copy(GOLD, tmp_path / "gold.conllu")
    shutil.copy(ALPHA, tmp_path / "good.conllu")
    text = ALPHA.read_text(encoding="utf-8")
    (tmp_path / "bad.conllu").write_text(text.replace("\t0\troot", "\t99\troot", 1), encoding="utf-8")
    (tmp_path / "other.conllu").write_text(text.replace("\tdog\t", "\tcat\t", 1), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("files", "code"),
    [
        (("gold", "good", "bad"), 1),
        (("gold", "good", "other"), 1),
        (("gold", "bad", "good"), 2),
        (("gold", "other", "good"), 2),
        (("bad", "good", "good"), 2),
        (("gold", "bad", "bad"), 2),
        (("gold", "good", "absent"), 2),
    ],
)
def test_invalid_files(run, broken, files, code):
    """An invalid candidate does not meet the gate; an invalid gold file or baseline, or an absent file, is bad input."""
    paths = [broken / f"{name}.conllu" for name in files]
    done, out, err = run("compare", *paths, "-m", "LAS", "--fail-if-worse", "LAS")
    assert done == code
    assert (" in the output" in out) == (code == 1)
    assert ("gate not met: LAS of" in err) == (code == 1)
    assert ".conllu" in err


def test_the_other_candidates_are_compared(run, broken):
    page, summary = broken / "page.html", broken / "summary.md"
    paths = [broken / f"{name}.conllu" for name in ("gold", "good", "bad")]
    more = ("--report", page, "--summary", summary, "--format", "json")
    code, out, err = run("compare", *paths, BETA, "-m", "LAS", "--fail-if-worse", "LAS", *more)
    tables = json.loads(out)["tables"]
    assert code == 1
    assert {one["system"]: one["reason"] for one in tables["gates"]} == {"en": "worse", "bad": "invalid"}
    assert [one["system"] for one in tables["results"]] == ["good", "en"]
    (error,) = tables["invalid_outputs"]
    assert (error["system"], error["file"]) == ("bad", str(broken / "bad.conllu"))
    assert error["line"] > 1
    assert "bad.conllu:" in summary.read_text(encoding="utf-8")
    assert "bad.conllu:" in err
    assert page.exists()


def test_a_missing_output_in_a_folder_is_an_invalid_candidate(run, broken):
    for folder, names in {"g": ["a", "b"], "base": ["a", "b"], "cand": ["a"]}.items():
        (broken / folder).mkdir()
        for name in names:
            shutil.copy(
                broken / ("gold.conllu" if folder == "g" else "good.conllu"), broken / folder / f"{name}.conllu"
            )
    folders = [broken / name for name in ("g", "base", "cand")]
    code, _, err = run("compare", *folders, "-m", "LAS", "--fail-if-worse", "LAS")
    assert code == 1
    assert "no output for 1 of 2 gold treebanks: b" in err
    assert run("compare", *folders, "-m", "LAS")[0] == 2
    assert run("compare", broken / "g", broken / "cand", broken / "base", "--fail-if-worse", "LAS")[0] == 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((GOLD, ALPHA, "--fail-if-worse", "LAS"), "requires a baseline and at least one other SYSTEM"),
        ((GOLD, ALPHA, BETA, "--fail-if-worse", "LSA"), "unknown measure 'LSA'"),
        ((GOLD, ALPHA, BETA, "--fail-if-worse", ""), "must be a non-empty string"),
        ((GOLD, ALPHA, BETA, "--fail-if-worse", "LAS", "--margin", -1), "must be a number above 0"),
        ((GOLD, ALPHA, BETA, "--fail-if-worse", "LAS", "--summary", GOLD), "is an input file"),
    ],
)
def test_bad_usage(run, arguments, reason):
    code, out, err = run("compare", *arguments)
    assert (code, out) == (2, "")
    assert reason in " ".join(err.split())


def test_too_few_units_are_bad_input(run, tmp_path):
    for name, path in (("gold", GOLD), ("a", ALPHA), ("b", GAMMA)):
        blocks = path.read_text(encoding="utf-8").split("\n\n")
        (tmp_path / f"{name}.conllu").write_text("\n\n".join(blocks[:9]) + "\n\n", encoding="utf-8")
    paths = [tmp_path / f"{name}.conllu" for name in ("gold", "a", "b")]
    code, out, err = run("compare", *paths, "-m", "LAS", "--fail-if-worse", "LAS")
    assert code == 2
    assert "too few units for a test (fewer than 10" in out
    assert "gate undecided: LAS of b" in err
    assert run("compare", *paths, "-m", "LAS", "--fail-if-worse", "LAS", "--margin", 90)[0] == 1


# Python


def test_one_system_in_python():
    with pytest.raises(InputError, match="at least one other system"):
        levelhead.compare(GOLD, {"alpha": ALPHA}, fail_if_worse="LAS")


def test_an_invalid_output_is_an_error_without_a_gate(broken):
    systems = {"good": broken / "good.conllu", "bad": broken / "bad.conllu"}
    with pytest.raises(InputError):
        levelhead.compare(broken / "gold.conllu", systems)
    found = levelhead.compare(broken / "gold.conllu", systems, fail_if_worse=["LAS"])
    assert list(found.invalid) == ["bad"]
    assert found.systems == ("good",)
    assert "1 error in the output" in str(found)


# The summary


def test_the_summary_has_the_ten_sentences_that_got_worse_most(run, tmp_path):
    """Counted here by `levelhead.sentences` for each run."""
    path = tmp_path / "summary.md"
    run("compare", *RUNS, "-m", "UAS", "--fail-if-worse", "LAS", "--summary", path)
    text = path.read_text(encoding="utf-8")
    assert "gate met: LAS of candidate: -2.85 (95% CI -6.76 to +1.07)" in text
    assert "| LAS | candidate | 84.55 |" in text
    rows = [line.split(" | ") for line in text.partition("(LAS)")[2].splitlines() if " | candidate | " in line]
    sums = [
        np.sum([[row["LAS_correct"] for row in sentences_of(RUNS[0], file)] for file in folder.iterdir()], axis=0) / 3
        for folder in RUNS[1:]
    ]
    losses = sorted(sums[1] - sums[0])
    assert [round(float(row[5]) - float(row[4]), 1) for row in rows] == [round(loss, 1) for loss in losses[:10]]
    gold = {sentence.id: number for number, sentence in enumerate(levelhead.read(RUNS[0]), 1)}
    assert [gold[row[2]] for row in rows] == [int(row[3]) for row in rows]


def test_no_sentence_got_worse(run, tmp_path):
    path = tmp_path / "summary.md"
    assert run("compare", GOLD, ALPHA, GOLD, "--fail-if-worse", "LAS", "--summary", path)[0] == 0
    assert "None." in path.read_text(encoding="utf-8")


def test_text_of_sentences_cannot_break_the_table(run, tmp_path):
    text = GOLD.read_text(encoding="utf-8").replace("\tchased\tchase\t", "\tcha|<b>sed\tchase\t")
    files = [tmp_path / name for name in ("gold.conllu", "a.conllu", "b.conllu")]
    for file in files:
        file.write_text(text, encoding="utf-8")
    files[2].write_text(text.replace("\tobj\t", "\tobl\t", 1), encoding="utf-8")
    run("compare", *files, "--fail-if-worse", "LAS", "--summary", tmp_path / "s.md")
    assert "cha\\|&lt;b>sed" in (tmp_path / "s.md").read_text(encoding="utf-8")
