"""languages, and compare, breakdown and trees of systems: against plain second implementations, by hand, on real data."""

import contextlib
import io
import json
import shutil
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import levelhead
from conftest import EXAMPLES, library
from fair_counts import broken_down
from levelhead.analysis.word_properties import PropertySettings as Buckets
from levelhead.campaign import find_plan
from levelhead.cli import program
from levelhead.comparison.breakdowns import break_down_outputs
from levelhead.comparison.evaluations import LanguagePair, _pairs, compare_languages
from levelhead.comparison.trees import contrasts
from levelhead.errors import MeasureError
from levelhead.evaluation.setup import setup_of
from levelhead.measures.registry import parse_measure
from levelhead.scoring.matches import match
from levelhead.scoring.rules import UD
from levelhead.significance import InferenceSettings, SystemCounts, Units, differences
from levelhead.significance.units import parallel_units
from levelhead.treebank.relations import NIVRE_FANG
from strategies import examples

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA, BETA = (PARALLEL / part / "en.conllu" for part in ("gold", "systems/alpha", "systems/beta"))
PART = st.tuples(st.integers(0, 6), st.integers(1, 3)).map(lambda part: (part[0], part[0] + part[1]))
PUD = ("cs_pud", "en_pud", "fi_pud", "sv_pud", "th_pud")


def run(*arguments: object) -> tuple[int, str, str]:
    """Run a command in this process, compare if none is named; gives the exit code and both outputs."""
    command = list(map(str, arguments))
    command = command if command[0] in program.COMMANDS else ["compare", *command]
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = program.run(command)
    out.flush()
    assert "Traceback" not in err.getvalue()
    return code, out.buffer.getvalue().decode("utf-8"), err.getvalue()


def document(*arguments: object) -> dict:
    code, out, err = run(*arguments, "--format", "json")
    assert code == 0, err
    return json.loads(out)


# Languages


def one_system(parts: list[tuple[int, int]]) -> SystemCounts:
    return SystemCounts(("s",), ("LAS",), np.array(parts, dtype=np.float64)[:, None, None, :])


def pair_of(one: list[tuple[int, int]], other: list[tuple[int, int]], *, paired: bool) -> LanguagePair:
    tables = {"a": one_system(one), "b": one_system(other)}
    units = {code: Units("sentence", np.arange(len(table.parts))) for code, table in tables.items()}
    joint = parallel_units(units, {}, {"a": "declared", "b": "declared"} if paired else {})
    (pair,) = _pairs(tables, joint, 0.95)
    assert pair.paired is paired
    return pair


ROWS = st.lists(st.tuples(PART, PART), min_size=10, max_size=25)


@settings(max_examples=examples(25))
@given(rows=ROWS)
def test_parallel_treebanks_are_compared_like_systems(rows):
    """A unit is left out of both: the same numbers as for two systems on one treebank."""
    one, other = ([row[side] for row in rows] for side in (0, 1))
    pair = pair_of(one, other, paired=True)
    counts = np.array([other, one], dtype=np.float64).swapaxes(0, 1)[:, :, None]
    expected = differences({"x": SystemCounts(("b", "a"), ("LAS",), counts)}, InferenceSettings())[1]
    assert pair.difference == pytest.approx(expected.difference, abs=1e-10)
    assert np.clip(pair.difference_interval, -100, 100) == pytest.approx(expected.difference_interval, abs=1e-7)
    assert pair.p == (None if expected.p is None else pytest.approx(expected.p, abs=1e-9))


@settings(max_examples=examples(25))
@given(rows=ROWS)
def test_other_pairs_are_those_of_the_second_implementation(rows):
    """From the intervals of both (Newcombe 1998), with and without units that cause a third of a variance."""
    library("scipy.stats")
    from oracle import intervals

    sides = [[[row[side]] for row in rows] for side in (0, 1)]
    every = []
    for side in sides:
        whole = intervals.estimate([side], {0: 1.0})
        rest = [side[:unit] + side[unit + 1 :] for unit in range(len(side))]
        shares = [(intervals.score(one, 0) - whole.value) ** 2 / (whole.variance or 1.0) for one in rest]
        assume(abs(max(shares) - 1 / 3) > 1e-6)
        without = rest[int(np.argmax(shares))]
        every.append([whole, intervals.estimate([without], {0: 1.0})] if max(shares) > 1 / 3 else [whole])
    enough = [[one for one in side if one.n_units >= 10] for side in every]

    def interval(level: float) -> tuple[float, float]:
        low, high = zip(*(intervals.unpaired_interval(*both, level) for both in product(*enough)))
        return min(low), max(high)

    pair = pair_of(*([unit[0] for unit in side] for side in sides), paired=False)
    assert pair.difference == pytest.approx(100 * (every[0][0].value - every[1][0].value), abs=1e-10)
    expected = [100 * end for end in interval(0.95)]
    assert pair.difference_interval == pytest.approx(expected, rel=1e-6, abs=1e-7)
    assert (pair.p is None) == (enough != every)
    if pair.p is not None and 1e-6 < pair.p < 0.999:
        assert interval(1 - pair.p * 0.99)[0] <= 0 <= interval(1 - pair.p * 0.99)[1]
        assert not interval(1 - pair.p * 1.01)[0] <= 0 <= interval(1 - pair.p * 1.01)[1]


def test_treebanks_with_fewer_than_ten_sentences_have_no_intervals():
    pair = pair_of([(1, 2)] * 40, [(1, 3)] * 9, paired=False)
    assert pair.difference == pytest.approx(100 / 6)
    assert (pair.difference_interval, pair.p) == (None, None)


def test_the_five_pud_sets(data):
    """Values are those of score; all five are parallel, also Thai, which marks no documents."""
    folder = data / "conll18"
    outputs = find_plan(folder / "gold", [folder / "systems/UDPipe-Future"])
    chosen = outputs._replace(test_sets=tuple(one for one in outputs.test_sets if one.code in PUD))
    found = compare_languages(chosen, setup_of(["LAS", "CLAS"]))
    assert len(found.pairs) == 2 * 10
    files = {name: [folder / f"{side}/{name}.conllu.xz" for side in ("gold", "systems/UDPipe-Future")] for name in PUD}
    golds = {name: levelhead.read(gold) for name, (gold, _) in files.items()}
    scores = {name: levelhead.score(golds[name], path, measures=["LAS", "CLAS"]) for name, (_, path) in files.items()}
    for pair in found.pairs:
        values = [scores[name][pair.measure].value for name in pair.treebanks]
        assert [pair.value_a, pair.value_b] == pytest.approx(values)
        assert pair.difference == pytest.approx(values[0] - values[1])
        assert pair.paired


def test_pairs_need_evidence(tmp_path):
    _, out, _ = run("languages", PARALLEL / "gold", PARALLEL / "systems/alpha")
    assert {line.split(" | ")[3].strip() for line in out.splitlines() if line.startswith("alpha")} == {"no"}
    assert "\ngold marks no documents, so sentences are treated as independent: ar, cs" in out
    found = document("languages", PARALLEL / "gold", PARALLEL / "systems/alpha", "--parallel")
    assert {pair["paired"] for pair in found["tables"]["pairs"]} == {True}
    assert found["provenance"]["signature"]["parallel"] == "declared"
    for folder in ("gold", "system"):
        (tmp_path / folder).mkdir()
        text = GOLD.read_text(encoding="utf-8")
        (tmp_path / folder / "a.conllu").write_text(text, encoding="utf-8")
        (tmp_path / folder / "b.conllu").write_text("\n\n".join(text.split("\n\n")[:15]) + "\n\n", encoding="utf-8")
    _, out, _ = run("languages", tmp_path / "gold", tmp_path / "system", "--parallel")
    assert "\nparallel test sets without common units, treated as independent: a, b" in out


@pytest.mark.usefixtures("few")
def test_languages_say_what_decides_their_numbers(tmp_path):
    weights = tmp_path / "weights"
    weights.write_text("det 1\n")
    measure = f"WLAS({weights},default=1)"
    arguments = ("languages", "gold", "systems/alpha", "--level", "0.9")
    _, out, _ = run(*arguments, "-m", measure, "-m", "LAS@CORE")
    assert "90% CI" in out
    assert "95%" not in out
    signature = document(*arguments, "-m", measure, "-m", "LAS@CORE")["provenance"]["signature"]
    assert list(signature) == [
        "rules",
        "gold",
        "systems",
        measure,
        "classes",
        "level",
        "resample-by",
        "version",
    ]
    assert signature["level"] == "0.9"
    train = document(*arguments, "--train", GOLD)
    assert list(dict.fromkeys(pair["measure"] for pair in train["tables"]["pairs"])) == ["LAS", "CLAS", "WLAS(WDE)"]
    assert "WLAS(WDE)" in train["provenance"]["signature"]


# Gains


def test_gains_are_those_of_breakdowns():
    outputs = find_plan(GOLD, [ALPHA, BETA])
    found = break_down_outputs(outputs, setup_of(["LAS"]), [["relation", "direction"]], Buckets(NIVRE_FANG))
    (gains,) = found.gains.values()
    gold, by = levelhead.read(GOLD), ("relation", "direction")
    one, other = (
        dict(broken_down(match(gold, levelhead.read(path), UD), parse_measure("LAS"), by, Buckets(NIVRE_FANG)).rows)
        for path in (ALPHA, BETA)
    )
    assert [(each.system, dict(each.rows)) for each in found.treebanks["en"]] == [("alpha", one), ("beta", other)]
    assert {gain.values for gain in gains} == one.keys() | other.keys()
    right = Counter()
    for gain in gains:
        ours, theirs = one.get(gain.values), other.get(gain.values)
        assert gain.more_correct == (theirs.correct if theirs else 0) - (ours.correct if ours else 0)
        assert (gain.baseline_value, gain.value) == (ours and ours.value, theirs and theirs.value)
        assert gain.gold == (ours or theirs).gold
        right["alpha"] += ours.correct if ours else 0
        right["beta"] += theirs.correct if theirs else 0
    assert right == {
        name: levelhead.score(GOLD, path, measures=["LAS"])["LAS"].correct
        for name, path in (("alpha", ALPHA), ("beta", BETA))
    }
    assert [abs(gain.more_correct) for gain in gains] == sorted((abs(g.more_correct) for g in gains), reverse=True)


def test_every_command_has_a_signature():
    train = ("--train", GOLD)
    found = document("breakdown", GOLD, ALPHA, BETA, "--by", "vocabulary", *train)
    parts = ["rules", "gold", "systems", "measure", "by", "train", "level", "resample-by", "version"]
    assert list(found["provenance"]["signature"]) == parts
    assert {row["baseline"] for row in found["tables"]["gains"]} == {"alpha"}
    assert (
        "measure:LAS|by:vocabulary|train:1df049534849|"
        in run("breakdown", GOLD, ALPHA, BETA, "--by", "vocabulary", *train)[1]
    )
    shown = document("trees", GOLD, ALPHA, BETA, "--limit", 1, "-m", "WLAS(WDE)", *train)
    assert list(shown["provenance"]["signature"]) == ["rules", "gold", "systems", "measure", "WLAS(WDE)", "version"]
    assert (
        run("trees", GOLD, ALPHA, BETA, "--limit", 1)[1]
        .splitlines()[-1]
        .startswith("rules:ud|gold:1df049534849|systems:")
    )
    assert "WLAS(WDE)" in document(GOLD, ALPHA, BETA, "-m", "WLAS(WDE)", *train)["provenance"]["signature"]


def test_examples_are_weighted(tmp_path):
    """A weight of 0 for all but one relation: only sentences that differ in it are left."""
    weights = tmp_path / "weights"
    weights.write_text("nsubj 2.5\n")
    gold, alpha, beta = (levelhead.read(path) for path in (GOLD, ALPHA, BETA))
    one, other = (match(gold, side, UD) for side in (alpha, beta))
    gained, lost = contrasts(one, other, setup_of([f"WLAS({weights},default=0)"]).for_pair())
    plain = contrasts(one, other, setup_of(["LAS@nsubj"]))
    assert lost
    for found, expected in zip((gained, lost), plain):
        assert {one.sentence: (one.baseline_correct, one.correct) for one in found} == {
            one.sentence: (2.5 * one.baseline_correct, 2.5 * one.correct) for one in expected
        }
    with pytest.raises(MeasureError, match="Sentences does not count words, so it cannot select sentences"):
        contrasts(one, other, setup_of(["Sentences"]))
    code, out, err = run("trees", GOLD, ALPHA, BETA, "--limit", 1, "-m", f"DPPL({GOLD})")
    assert (code, out) == (2, "")
    assert "Traceback" not in err


# What is said, and what is refused


def test_warnings_and_notes_of_all_commands(tmp_path):
    """A v1 relation that CLAS under the rules ud leaves out; a multiword token of one word."""
    text = "1-1\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\tab\t_\tX\t_\t_\t0\troot\t_\t_\n2\tc\t_\tX\t_\t_\t1\tdobj\t_\t_\n\n"
    for folder in ("gold", "one", "two"):
        (tmp_path / folder).mkdir()
        for name in ("a", "b"):
            (tmp_path / folder / f"{name}.conllu").write_text(text, encoding="utf-8")
    gold, one, two = (tmp_path / folder for folder in ("gold", "one", "two"))
    commands = (
        (gold, one, two),
        ("breakdown", gold, one, two, "--by", "relation"),
        ("trees", gold, one, two, "--limit", 1),
        ("languages", gold, one),
    )
    for command in commands:
        _, out, err = run(*command, "-m", "CLAS")
        assert "single-word-range" in err, command
        assert "does not list: dobj; left out of CLAS" in " ".join(out.split()), command
    _, out, err = run("agree", gold / "a.conllu", one / "a.conllu")
    assert "single-word-range" in err
    assert "does not list: dobj; left out of CLAS" in " ".join(out.split())
    assert document(gold, one, two, "-m", "CLAS")["provenance"]["notes"]


REFUSED = {
    # a command for files, and what is said
    "languages": "GOLD must be a folder of at least two treebanks",
    "compare -m WLAS(WDE)": "WLAS(WDE) requires training treebanks",
}


@pytest.mark.parametrize("command", REFUSED)
def test_refused(command):
    name, *options = command.split()
    code, out, err = run(name, GOLD, ALPHA, *options)
    assert (code, out) == (2, "")
    assert REFUSED[command] in " ".join(err.split())


def test_training_treebanks_without_a_measure_of_theirs_change_nothing():
    command = ("languages", PARALLEL / "gold", ALPHA.parent, "-m", "LAS")
    assert run(*command, "--train", GOLD) == run(*command)


@pytest.mark.usefixtures("few")
def test_tables_fit_a_hundred_columns():
    """Folders, or a margin; and the measures of languages one below the other."""
    folders = ("gold", "systems/alpha", "systems/beta")
    for command in (folders, (*folders, "--each"), (GOLD, ALPHA, BETA, "--margin", 1), ("languages", *folders[:3])):
        table = [line for line in run(*command)[1].splitlines() if "|" in line and not line.startswith("rules:")]
        assert max(map(len, table)) <= 100, command
        assert "95% CI" in table[0]


def test_systems_with_few_runs_have_no_stars(tmp_path):
    """One system with two runs: a plain note."""
    for name, path in (("gold", GOLD), ("a", ALPHA), ("b", BETA), ("c/run1", ALPHA), ("c/run2", BETA)):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "en.conllu").write_bytes(path.read_bytes())
    paths = [tmp_path / name for name in ("gold", "a", "b", "c")]
    _, out, _ = run(*paths, "-m", "LAS", "-q")
    assert "\nc has 2 runs: its differences get no significance marks; give three or more\n" in out
    for system in "ab":
        assert f"\n{system} has a single run: differences from systems with several runs get no significance" in out
    stars = [line.split("|")[-1].strip() for line in out.splitlines()[2:5]]
    assert stars == ["", "***", ""]


def test_treebanks_on_which_systems_are_equal_are_told(tmp_path):
    """The second is the first, but for English and Finnish, which are gold."""
    shutil.copytree(PARALLEL / "systems/alpha", tmp_path / "other")
    for name in ("en.conllu", "fi.conllu"):
        shutil.copy(PARALLEL / "gold" / name, tmp_path / "other" / name)
    command = (PARALLEL / "gold", PARALLEL / "systems/alpha", tmp_path / "other", "-m", "LAS")
    printed = " ".join("".join(run(*command)[1:]).split())
    assert "LAS: other is better than alpha on 2 of 8 treebanks (2 significant)" in printed
    assert ", worse on 0 (0 significant), equal on 6;" in printed
    (wins,) = document(*command)["tables"]["wins"]
    assert (wins["better"], wins["worse"], wins["won"] + wins["tied"] + wins["lost"]) == (2, 0, 8)


def test_treebanks_may_be_called_like_averages(tmp_path, run):
    """The same numbers whatever a treebank is called: rows of averages are told by what they are."""
    for names in (("macro-average", "micro-average"), ("x", "y")):
        for side in ("gold", "alpha", "beta"):
            source = PARALLEL / (side if side == "gold" else f"systems/{side}")
            (tmp_path / names[0] / side).mkdir(parents=True)
            for name, code in zip(names, ("cs", "en")):
                shutil.copy(source / f"{code}.conllu", tmp_path / names[0] / side / f"{name}.conllu")
    found = []
    for name in ("macro-average", "x"):
        folders = [tmp_path / name / side for side in ("gold", "alpha", "beta")]
        found.append(json.loads(run("compare", *folders, "--format", "json")[1])["tables"])
        table = run("compare", *folders)[1]
        assert len([line for line in table.splitlines() if line.startswith("m")]) == 12  # 2 averages x 3 x 2
        page = tmp_path / f"{name}.html"
        assert run("compare", *folders, "--report", page)[0] == 0
    odd, plain = found
    assert odd["wins"] == plain["wins"]
    assert [sum(one[key] for key in ("won", "tied", "lost")) for one in odd["wins"]] == [2, 2, 2]
    numbers = [[(one["average"], one["measure"], one["system"], one["value"]) for one in d["results"]] for d in found]
    assert numbers[0] == numbers[1]
    assert [average for average, *_ in numbers[0]] == [None] * 12 + ["macro"] * 6 + ["micro"] * 6
