"""compare --languages, --agreement, --by, --examples: against plain second implementations, by hand, on real data."""

import contextlib
import io
import json
import shutil
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import levelhead
from conftest import EXAMPLES
from levelhead.analysis import break_down
from levelhead.analysis.buckets import BucketSettings as Buckets
from levelhead.campaign import find
from levelhead.cli import program
from levelhead.comparison.agreement import agreement
from levelhead.comparison.contrasts import compare_by, contrasts
from levelhead.comparison.languages import _boot, _pairs, _parallel, compare_languages, only_count
from levelhead.errors import MeasureError
from levelhead.evaluation.setup import setup_of
from levelhead.measures import parse_measure
from levelhead.scoring.matches import match
from levelhead.scoring.rules import UD
from levelhead.significance import Counted, Settings
from levelhead.treebank.schemes import NIVRE_FANG
from oracle import resampling as oracle

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA, BETA = (PARALLEL / part / "en.conllu" for part in ("gold", "systems/alpha", "systems/beta"))
PART = st.tuples(st.integers(0, 6), st.integers(1, 3)).map(lambda part: (part[0], part[0] + part[1]))
PUD = ("cs_pud", "en_pud", "fi_pud", "sv_pud", "th_pud")


def run(*arguments: object) -> tuple[int, str, str]:
    """Run the command in this process; gives the exit code, standard output and standard error."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = program.run(["compare", *map(str, arguments)])
    out.flush()
    assert "Traceback" not in err.getvalue()
    return code, out.buffer.getvalue().decode("utf-8"), err.getvalue()


def document(*arguments: object) -> dict:
    code, out, err = run(*arguments, "--format", "json")
    assert code == 0, err
    return json.loads(out)


# Languages


def one_system(parts: list[tuple[int, int]], gold: str) -> Counted:
    return Counted(("s",), ("LAS",), np.array(parts, dtype=np.float64)[:, None, None, :], gold)


@pytest.mark.parametrize("paired", [True, False])
@settings(max_examples=15)
@given(rows=st.lists(st.tuples(PART, PART), min_size=2, max_size=3))
def test_both_bootstraps_against_all_samples(paired, rows):
    """Paired: both treebanks have the same draw; apart: every draw of one meets every draw of the other."""
    one, other = ([row[side] for row in rows] for side in (0, 1))
    tables = {"a": one_system(one, "gold a"), "b": one_system(other[::-1], "gold b")}
    names = tuple(f"id{i * i}" for i in range(len(rows)))
    groups = _parallel(tables, {"a": names, "b": names[::-1]} if paired else {"a": None, "b": None})
    drawn = _boot(tables, groups, Settings(4000))
    found = (drawn["a"] - drawn["b"])[:, 0, 0]
    expected = oracle.pairs_of_samples(one, other, paired=paired)
    (pair,) = _pairs(tables, groups, Settings(4000))
    assert pair.paired is paired
    values = sorted({float(value) for value in expected})
    for value in values:
        share = sum(one <= value + 1e-9 for one in map(float, expected)) / len(expected)
        assert abs(np.mean(found <= value + 1e-9) - share) <= 5 * (share * (1 - share) / 4000) ** 0.5 + 1e-9
    below, above = (sum(sign * one >= 0 for one in expected) / len(expected) for sign in (-1, 1))
    exact = min(1.0, 2 * min(below, above))
    assert abs(pair.p - exact) <= 10 * (exact / 2 * (1 - exact / 2) / 4000) ** 0.5 + 4 / 4000


def test_the_five_pud_sets(data):
    """Values are those of score; texts are parallel where the sent_ids are the same."""
    folder = data / "conll18"
    outputs = find(folder / "gold", [folder / "systems/UDPipe-Future"])
    chosen = outputs._replace(test_sets=tuple(one for one in outputs.test_sets if one.code in PUD))
    found = compare_languages(chosen, setup_of(["LAS", "CLAS"]), settings=Settings(300))
    assert len(found.pairs) == 2 * 10
    files = {name: [folder / f"{side}/{name}.conllu.xz" for side in ("gold", "systems/UDPipe-Future")] for name in PUD}
    golds = {name: levelhead.read(gold) for name, (gold, _) in files.items()}
    ids = {name: {sentence.id for sentence in gold} for name, gold in golds.items()}
    scores = {name: levelhead.score(golds[name], path, measures=["LAS", "CLAS"]) for name, (_, path) in files.items()}
    for pair in found.pairs:
        values = [scores[name][pair.measure].value for name in pair.treebanks]
        assert pair.values == pytest.approx(values)
        assert pair.difference == pytest.approx(values[0] - values[1])
        assert pair.paired == (ids[pair.treebanks[0]] == ids[pair.treebanks[1]])
    assert any(pair.paired for pair in found.pairs)


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["1", "2", "3"], True), (["p01", "p02", "p10", "p03"], False), ([f"p{i:02}" for i in range(1, 21)], True),
        (["test-s2", "test-s1"], True), (["n01001011", "n01001013", "w01001011"], False), (["a", "b"], False),
        (["x1"], True), (["d1-s1", "d1-s2", "d2-s1"], False),
    ],
)  # fmt: skip
def test_ids_that_only_count(ids, expected):
    assert only_count(ids) is expected


def test_pairs_need_evidence(tmp_path):
    _, out, err = run(PARALLEL / "gold", PARALLEL / "systems/alpha", "--languages", "--resamples", 50)
    assert "apart" in out
    assert "paired |" not in out
    (note,) = [line for line in err.splitlines() if "which only count" in line]
    assert note.startswith(
        "note: ar and cs; ar and de; ar and en (and 25 more pairs) have the same sent_ids, which only"
    )
    assert "with 28 pairs and 50 resamples no corrected p can be below 1: --resamples 2000 is enough" in err
    found = document(PARALLEL / "gold", PARALLEL / "systems/alpha", "--languages", "--resamples", 50, "--parallel")
    assert {pair["paired"] for pair in found["pairs"]} == {True}
    assert found["signature"]["parallel"] == "declared"
    for folder in ("gold", "system"):
        (tmp_path / folder).mkdir()
        text = GOLD.read_text(encoding="utf-8")
        (tmp_path / folder / "a.conllu").write_text(text, encoding="utf-8")
        (tmp_path / folder / "b.conllu").write_text("\n\n".join(text.split("\n\n")[:15]) + "\n\n", encoding="utf-8")
    _, _, err = run(tmp_path / "gold", tmp_path / "system", "--languages", "--resamples", 5, "--parallel")
    assert "note: a and b share 15 of 20 sent_ids: drawn apart, since not all sentences are in both" in err


def test_languages_say_what_decides_their_numbers(tmp_path):
    weights = tmp_path / "weights"
    weights.write_text("det 1\n")
    measure = f"WLAS({weights},default=1)"
    arguments = (PARALLEL / "gold", PARALLEL / "systems/alpha", "--languages", "--resamples", 30, "--level", "0.9")
    _, out, _ = run(*arguments, "-m", measure, "-m", "LAS@CORE")
    assert "90% from" in out
    assert "95%" not in out
    signature = document(*arguments, "-m", measure, "-m", "LAS@CORE")["signature"]
    assert list(signature) == [
        "rules",
        "gold",
        "systems",
        measure,
        "classes",
        "resamples",
        "seed",
        "level",
        "numpy",
        "version",
    ]
    assert (signature["seed"], signature["level"]) == ("0", "0.9")
    train = document(*arguments, "--train", GOLD)
    assert list(dict.fromkeys(pair["measure"] for pair in train["pairs"])) == ["LAS", "CLAS", "WLAS(WDE)"]
    assert "WLAS(WDE)" in train["signature"]


# Agreement


COLUMNS = ("Tokens", "Sentences", "Words", "UPOS", "UFeats", "Lemmas", "UAS", "LAS", "LAS(full)", "CLAS", "LEM")
ROW = "{}\t{}\t{}\t{}\t_\t{}\t{}\t{}\t_\t_"


def annotation(rows: list[tuple[str, str, str, int, str]]) -> levelhead.Treebank:
    lines = [ROW.format(i, f"w{i}", *row) for i, row in enumerate(rows, 1)]
    return levelhead.from_conllu("\n".join(lines) + "\n\n")


FIRST = annotation([("a", "DET", "X=1", 2, "det"), ("_", "NOUN", "_", 0, "root"), ("c", "VERB", "_", 2, "acl")])
SECOND = annotation([("_", "DET", "_", 2, "det"), ("b", "VERB", "Y=2", 0, "root"), ("c", "VERB", "_", 1, "obj")])


@pytest.mark.parametrize(("one", "other"), [(FIRST, SECOND), (GOLD, BETA), (ALPHA, BETA)])
def test_agreement_is_the_same_in_both_directions(one, other):
    one, other = (levelhead.read(side) if not isinstance(side, levelhead.Treebank) else side for side in (one, other))
    there, back = agreement(match(one, other, UD)), agreement(match(other, one, UD))
    for name in COLUMNS:
        assert there.evaluation[name].value == back.evaluation[name].value, name
    assert there.upos == pytest.approx(back.upos)
    assert there.relations == pytest.approx(back.relations)
    assert len(there.differing) == len(back.differing) or (one, other) != (FIRST, SECOND)


def test_a_lemma_or_column_that_one_side_lacks_is_no_agreement():
    found = agreement(match(FIRST, SECOND, UD))
    assert found.evaluation["Lemmas"].value == pytest.approx(1 / 3)
    bare = annotation([("a", "_", "_", 2, "det"), ("b", "_", "_", 0, "root"), ("c", "_", "_", 2, "acl")])
    for one, other in ((bare, FIRST), (FIRST, bare)):
        lacking = agreement(match(one, other, UD))
        assert lacking.evaluation["UPOS"].reason == "not annotated on both sides: UPOS"
        assert lacking.evaluation["UPOS"].value is None
        assert lacking.upos is None


def test_kappa_is_cohens():
    """Against the oracle; and by hand: DET NOUN VERB with DET VERB VERB, 2/3 agree, 1/9 + 0 + 2/9 by chance."""
    found = agreement(match(FIRST, SECOND, UD)).upos
    assert found == pytest.approx((2 / 3, 1 / 3, 1 / 2))
    gold, beta = levelhead.read(GOLD), levelhead.read(ALPHA)
    matches = match(gold, beta, UD)
    pairs = [(gold.upos[i], beta.upos[j]) for i, j in zip(matches.alignment.gold, matches.alignment.system)]
    expected = oracle.kappa([one for one, _ in pairs], [other for _, other in pairs])
    assert agreement(matches).upos.kappa == pytest.approx(float(expected))
    relations = [
        (gold.relations[i], beta.relations[j]) for i, j in zip(matches.alignment.gold, matches.alignment.system)
    ]
    first, second = ([pair[side].partition(":")[0] for pair in relations] for side in (0, 1))
    assert agreement(matches).relations.kappa == pytest.approx(float(oracle.kappa(first, second)))


def test_agreement_is_printed():
    _, out, err = run(GOLD, BETA, "--agreement")
    assert "sentences differ in span, heads or universal relations: p01" in out
    assert err == ""
    found = document(GOLD, GOLD, "--agreement")
    assert (found["f1"]["LEM"], found["kappa"]["upos"]["kappa"], found["differing"]) == (100.0, 1.0, [])


# Gains


def test_gains_are_those_of_breakdowns():
    outputs = find(GOLD, [ALPHA, BETA])
    found = compare_by(outputs, ["deprel", "direction"], Buckets(NIVRE_FANG), setup_of(["LAS"]))
    (gains,) = found.treebanks.values()
    gold = levelhead.read(GOLD)
    one, other = (
        dict(
            break_down(match(gold, levelhead.read(path), UD), parse_measure("LAS"), found.by, Buckets(NIVRE_FANG)).rows
        )
        for path in (ALPHA, BETA)
    )
    assert {gain.values for gain in gains} == one.keys() | other.keys()
    right = Counter()
    for gain in gains:
        ours, theirs = one.get(gain.values), other.get(gain.values)
        assert gain.more_correct == (theirs.correct if theirs else 0) - (ours.correct if ours else 0)
        right["alpha"] += gain.baseline.correct
        right["beta"] += gain.score.correct
    assert right == {
        name: levelhead.score(GOLD, path, measures=["LAS"])["LAS"].correct
        for name, path in (("alpha", ALPHA), ("beta", BETA))
    }
    assert [abs(gain.more_correct) for gain in gains] == sorted((abs(g.more_correct) for g in gains), reverse=True)


def test_every_mode_has_a_signature():
    train = ("--train", GOLD)
    found = document(GOLD, ALPHA, BETA, "--by", "vocabulary", *train)
    assert list(found["signature"]) == ["rules", "gold", "systems", "measure", "by", "train", "version"]
    assert found["baseline"] == "alpha"
    assert "measure:LAS|by:vocabulary|train:1df049534849|" in run(GOLD, ALPHA, BETA, "--by", "vocabulary", *train)[1]
    shown = document(GOLD, ALPHA, BETA, "--examples", 1, "-m", "WLAS(WDE)", *train)
    assert list(shown["signature"]) == ["rules", "gold", "systems", "measure", "WLAS(WDE)", "version"]
    assert run(GOLD, ALPHA, BETA, "--examples", 1)[1].splitlines()[-1].startswith("rules:ud|gold:1df049534849|systems:")
    assert "WLAS(WDE)" in document(GOLD, ALPHA, BETA, "-m", "WLAS(WDE)", *train, "--resamples", 5)["signature"]


def test_examples_are_weighted(tmp_path):
    """A weight of 0 for all but one relation: only sentences that differ in it are left."""
    weights = tmp_path / "weights"
    weights.write_text("nsubj 2.5\n")
    gold, alpha, beta = (levelhead.read(path) for path in (GOLD, ALPHA, BETA))
    one, other = (match(gold, side, UD) for side in (alpha, beta))
    gained, lost = contrasts(one, other, 50, setup_of([f"WLAS({weights},default=0)"]).single())
    plain = contrasts(one, other, 50, setup_of(["LAS@nsubj"]))
    assert lost
    for found, expected in zip((gained, lost), plain):
        assert {one.sentence: (one.baseline, one.system) for one in found} == {
            one.sentence: (2.5 * one.baseline, 2.5 * one.system) for one in expected
        }
    with pytest.raises(MeasureError, match="Sentences does not count words, and shows no sentences"):
        contrasts(one, other, 1, setup_of(["Sentences"]))
    code, out, err = run(GOLD, ALPHA, BETA, "--examples", 1, "-m", f"DPPL({GOLD})")
    assert (code, out) == (2, "")
    assert "Traceback" not in err


# What is said, and what is refused


def test_warnings_and_notes_in_all_modes(tmp_path):
    """A v1 relation that CLAS under the rules ud leaves out; a multiword token of one word."""
    text = "1-1\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\tab\t_\tX\t_\t_\t0\troot\t_\t_\n2\tc\t_\tX\t_\t_\t1\tdobj\t_\t_\n\n"
    for folder in ("gold", "one", "two"):
        (tmp_path / folder).mkdir()
        for name in ("a", "b"):
            (tmp_path / folder / f"{name}.conllu").write_text(text, encoding="utf-8")
    gold, one, two = (tmp_path / folder for folder in ("gold", "one", "two"))
    for mode in ((one, two), (one, two, "--by", "deprel"), (one, two, "--examples", 1), (one, "--languages")):
        measure = ("-m", "CLAS")
        _, _, err = run(gold, *mode, *measure, *(("--resamples", 5) if len(mode) == 2 else ()))
        assert "single-word-range" in err, mode
        assert "does not list: dobj; left out of CLAS" in err, mode
    _, _, err = run(gold / "a.conllu", one / "a.conllu", "--agreement")
    assert "single-word-range" in err
    assert "does not list: dobj; left out of CLAS" in err
    assert document(gold, one, two, "-m", "CLAS", "--resamples", 5)["notes"]


IDLE = {
    "--agreement -m LAS": "--agreement does nothing with --measure",
    "--agreement --power": "--agreement does nothing with --power",
    "--agreement --each --wilcoxon": "--agreement does nothing with --each, --wilcoxon",
    "--agreement --resamples 5": "--agreement does nothing with --resamples",
    "--agreement --seed 0": "--agreement does nothing with --seed",
    "--languages --power": "--languages does nothing with --power",
    "--languages --train x -m LAS": "--train is for WLAS(WDE), and -m asks for other measures",
    "--parallel": "--parallel is for --languages",
    "--train x": "--train is for --by, --languages and WLAS(WDE)",
    "-m WLAS(WDE)": "WLAS(WDE) needs training treebanks: --train FILE",
    "--agreement --languages": "give one of --languages, --agreement, --by, --examples",
    "--by deprel": "this needs two systems",
    "--languages": "--languages needs a folder of at least two treebanks",
}


@pytest.mark.parametrize("arguments", IDLE)
def test_options_that_do_nothing_are_refused(arguments):
    code, out, err = run(GOLD, ALPHA, *arguments.split())
    assert (code, out) == (2, "")
    assert IDLE[arguments] in " ".join(err.split())


@pytest.mark.parametrize("idle", ["--power", "--each", "--wilcoxon", "--resamples 9", "--level .9"])
@pytest.mark.parametrize("mode", ["by deprel", "examples 1"])
def test_options_of_tests_are_refused_without_tests(mode, idle):
    code, out, err = run(GOLD, ALPHA, BETA, *f"--{mode} {idle}".split())
    assert (code, out) == (2, "")
    assert f"--{mode.split()[0]} does nothing with {idle.split()[0]}" in " ".join(err.split())


def test_runs_are_told_in_table_and_signature(tmp_path):
    """One system with two runs: which p is from which test, and a plain warning."""
    for name, path in (("gold", GOLD), ("a", ALPHA), ("b", BETA), ("c/1", ALPHA), ("c/2", BETA)):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "en.conllu").write_bytes(path.read_bytes())
    paths = [tmp_path / name for name in ("gold", "a", "b", "c")]
    _, out, err = run(*paths, "-m", "LAS", "--resamples", 200)
    assert [line.split("|")[-1].strip() for line in out.splitlines()[2:5]] == ["", "randomisation", "bootstrap"]
    assert "|p:bootstrap+randomisation|" in out
    assert "note: c has 2 runs: its differences get no significance marks; give five or more" in err
    for system in "ab":
        assert f"note: {system} has one run: differences to systems with several runs get no significance" in err
    stars = [line.split("|")[-2].strip() for line in out.splitlines()[2:5]]
    assert stars == ["", "**", ""]


def test_treebanks_on_which_systems_are_equal_are_told(tmp_path):
    """The second is the first, but for English and Finnish, which are gold."""
    shutil.copytree(PARALLEL / "systems/alpha", tmp_path / "other")
    for name in ("en.conllu", "fi.conllu"):
        shutil.copy(PARALLEL / "gold" / name, tmp_path / "other" / name)
    command = (PARALLEL / "gold", PARALLEL / "systems/alpha", tmp_path / "other", "-m", "LAS", "--resamples", 50)
    printed = "".join(run(*command)[1:])
    assert "LAS: other is better than alpha on 2 of 8 treebanks (0 significant)" in printed
    assert ", worse on 0 (0 significant), equal on 6;" in printed
    (wins,) = document(*command)["wins"]
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
        document = json.loads(run("compare", *folders, "--resamples", 50, "--format", "json")[1])
        found.append(document)
        table = run("compare", *folders, "--resamples", 50)[1]
        assert len([line for line in table.splitlines() if line.startswith("m")]) == 12  # 2 averages x 3 x 2
        page = tmp_path / f"{name}.html"
        assert run("compare", *folders, "--resamples", 50, "--report", page)[0] == 0
    odd, plain = found
    assert odd["wins"] == plain["wins"]
    assert [sum(one[key] for key in ("won", "tied", "lost")) for one in odd["wins"]] == [2, 2, 2]
    numbers = [[(one["average"], one["measure"], one["system"], one["value"]) for one in d["results"]] for d in found]
    assert numbers[0] == numbers[1]
    assert [average for average, *_ in numbers[0]] == [None] * 12 + ["macro"] * 6 + ["micro"] * 6
