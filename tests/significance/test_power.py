"""The difference that a test set can detect: variances, noncentral t, the command."""

import json
import math
import re
import shutil

import numpy as np
import pytest

from conftest import EXAMPLES
from levelhead.comparison.power import Design, detectable_rows, power, typical_power
from levelhead.errors import InputError
from levelhead.significance import SystemCounts, differences
from levelhead.significance.estimates import STANDARD, noncentrality
from levelhead.significance.power import (
    Target,
    Variances,
    checked_test,
    detectable_difference,
    difference_variances,
    typical_deviations,
)
from levelhead.significance.units import Units
from oracle import power as oracle

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA, BETA = PARALLEL / "gold", PARALLEL / "systems" / "alpha", PARALLEL / "systems" / "beta"
PAIR = tuple(folder / "en.conllu" for folder in (GOLD, ALPHA, BETA))


def table(systems, seed=0, n_units=40):
    """Make counts of runs whose chances of being right vary by unit, system and run."""
    rng = np.random.default_rng(seed)
    words = rng.integers(3, 40, n_units)
    easy = rng.normal(0, 0.08, n_units)
    parts = np.empty((n_units, len(systems), 1, 2))
    for run, system in enumerate(systems):
        chance = np.clip(0.8 + 0.02 * (system == "b") + easy + rng.normal(0, 0.02), 0, 1)
        parts[:, run, 0, 0] = 2 * rng.binomial(words, chance)
        parts[:, run, 0, 1] = 2 * words
    return SystemCounts(tuple(systems), ("LAS",), parts)


def runs_of(counts, system):
    """The pairs of numerator and denominator of each run of a system."""
    chosen = [i for i, name in enumerate(counts.systems) if name == system]
    return [[tuple(pair) for pair in counts.parts[:, i, 0].tolist()] for i in chosen]


@pytest.mark.parametrize("systems", [("a", "b"), ("a", "a", "a", "b", "b"), ("a", "b", "b", "b"), ("a", "b", "a", "b")])
def test_variances_are_those_of_the_definition(systems):
    counts = table(systems)
    (found,) = difference_variances(counts, "a", "b")
    expected = oracle.components(runs_of(counts, "a"), runs_of(counts, "b"))
    for own, wanted in zip(found, expected, strict=True):
        assert own == (None if wanted is None else pytest.approx(wanted, rel=1e-9))


@pytest.mark.parametrize("freedom", [1, 1.5, 4, 19.3, 400])
@pytest.mark.parametrize(("alpha", "share"), [(0.05, 0.8), (0.01, 0.99), (0.3, 0.31)])
def test_the_noncentral_t_has_the_power(freedom, alpha, share):
    shift = noncentrality(freedom, alpha, share)
    assert oracle.beyond(oracle.t.ppf(1 - alpha / 2, freedom), freedom, shift) == pytest.approx(share, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_units", "n_runs", "alpha"),
    [(10, 1, 0.05), (10, 5, 0.01), (31, 3, 0.05), (31, 5, 0.01), (2000, 1, 0.01), (2000, 3, 0.01), (2000, 5, 0.05)],
)
def test_detectable_differences_are_those_of_the_noncentral_t(n_units, n_runs, alpha):
    parts = (0.09, 0.01, 0.003, 0.4, 0.5)
    found = detectable_difference(Variances(*parts), n_units, n_runs, Target(alpha, 0.9))
    assert found == pytest.approx(oracle.detectable(parts, n_units, n_runs, alpha, 0.9), rel=1e-5)


@pytest.mark.parametrize("run_sd", [0.002, 0.005, 0.01])
@pytest.mark.parametrize("n_runs", [1, 3, 5, 10])
@pytest.mark.parametrize("n_units", [100, 1000])
def test_compare_finds_the_detectable_difference_in_four_of_five_cases(n_units, n_runs, run_sd):
    """The sum of several variances has slightly more power."""
    parts = (0.023, 0.0, 2 * run_sd**2, 0.8, 0.0)
    found = detectable_difference(Variances(*parts), n_units, n_runs)
    assert 0.795 <= oracle.power_of(found, parts, n_units, n_runs) <= 0.83


def test_compare_and_power_agree_on_the_present_runs():
    counts = table(("a", "a", "a", "b", "b", "b"), seed=3, n_units=400)
    (variances,) = difference_variances(counts, "a", "b")
    compared = differences({"x": counts}, STANDARD)[1].detectable
    assert 100 * detectable_difference(variances, 400, 3) == pytest.approx(compared, rel=1e-9)


def test_two_runs_detect_nothing():
    """`compare` calls no difference of two runs significant."""
    counts = table(("a", "a", "b", "b"))
    assert detectable_difference(Variances(0.04, runs=0.001), 50, 2) is None
    assert differences({"x": counts}, STANDARD)[1].detectable is None


def test_runs_of_several_test_sets_have_the_freedom_of_one():
    one = Variances(0.0, runs=0.0004)
    found = detectable_difference((one, one, one, one), 50, 3)
    assert found == pytest.approx(noncentrality(2, 0.05, 0.8) * math.sqrt(0.0004 / 3) / 2, rel=1e-9)


def test_with_many_units_the_multiple_is_that_of_the_normal_distribution():
    assert noncentrality(1e6, 0.05, 0.8) == pytest.approx(1.959964 + 0.841621, abs=1e-4)


def test_several_test_sets_are_averaged():
    """Equal ones divide the standard error by the root of their number, and have more degrees of freedom."""
    one = Variances(0.04)
    found = detectable_difference((one, one, one, one), 50)
    assert found == pytest.approx(noncentrality(4 * 49, 0.05, 0.8) * math.sqrt(0.04 / 50) / 2, rel=1e-9)


def test_the_variance_of_a_perplexity_is_that_of_its_power():
    """The value is 10^r."""
    rng = np.random.default_rng(3)
    words = rng.integers(3, 40, 400).astype(float)
    parts = np.stack([np.stack([words * rng.normal(mean, 0.1, 400), words], axis=-1) for mean in (1.0, 1.2)], axis=1)
    counts = SystemCounts(("a", "b"), ("DPPL",), parts[:, :, None], (0,))
    (found,) = difference_variances(counts, "a", "b")
    left = counts.parts.sum(axis=0) - counts.parts
    values = 10 ** (left[..., 0, 0] / left[..., 0, 1])
    assert found.units == pytest.approx(399**2 * np.var(values[:, 1] - values[:, 0], ddof=1), rel=0.02)
    assert found.observation == 0.0


def test_a_t_test_detects_the_detectable_difference_in_four_of_five_samples():
    """Units are drawn from counts whose true difference is the detectable one."""
    counts = table(("a", "b"), n_units=3000)
    (variances,) = difference_variances(counts, "a", "b")
    n_units, rng = 60, np.random.default_rng(1)
    wanted = detectable_difference(variances, n_units)
    sums = counts.parts.sum(axis=0)[:, 0]
    ratio = sums[:, 0] / sums[:, 1]
    counts.parts[:, 1, 0, 0] += (wanted - (ratio[1] - ratio[0])) * counts.parts[:, 1, 0, 1]
    found = 0
    for _ in range(1000):
        drawn = counts._replace(parts=counts.parts[rng.integers(0, 3000, n_units)])
        (own,) = difference_variances(drawn, "a", "b")
        whole = drawn.parts.sum(axis=0)[:, 0]
        change = whole[1, 0] / whole[1, 1] - whole[0, 0] / whole[0, 1]
        found += abs(change) / math.sqrt(own.units / n_units) > 2.001  # the quantile of t with 59 degrees of freedom
    assert 760 <= found <= 840


def test_what_cannot_be_estimated_has_no_value():
    assert difference_variances(table(("a", "b"), n_units=9), "a", "b") == (None,)
    counts = table(("a", "b"))
    equal = counts._replace(parts=np.repeat(counts.parts[:, :1], 2, axis=1))
    assert difference_variances(equal, "a", "b") == (None,)


@pytest.mark.parametrize(("alpha", "share"), [(0.0, 0.8), (0.05, 1.0), (0.5, 0.3), (0.8, 0.8), (float("nan"), 0.8)])
def test_impossible_tests_are_refused(alpha, share):
    with pytest.raises(InputError, match="level < power"):
        checked_test(alpha, share)


def test_typical_deviations_cover_both_units():
    found = typical_deviations()
    assert {one.unit for one in found} == {"sentence", "document"}
    assert {"UAS", "LAS", "CLAS", "MLAS", "BLEX", "UEM", "LEM"} == {one.measure for one in found}
    assert all(0 < one.low <= one.median <= one.high < 1 and one.n_test_sets > 1 for one in found)
    assert all(0 < one.evenness <= 1 for one in found)


def test_typical_power_is_that_of_the_typical_deviation():
    found = typical_power(("LAS",), Design(sizes=(300,)))
    sentence = next(one for one in typical_deviations() if (one.unit, one.measure) == ("sentence", "LAS"))
    row = found.rows[0]
    assert row.detectable == pytest.approx(
        100 * noncentrality(300 * sentence.evenness - 1, 0.05, 0.8) * sentence.median / math.sqrt(300)
    )
    assert row.lower_quartile < row.detectable < row.upper_quartile


def units_of_kind(kind, n_units=40):
    return Units(kind, np.arange(n_units))


def test_documents_are_units_as_sentences_are():
    """The macro-average needs one kind of unit for all test sets."""
    counts = {"x": table(("a", "b")), "y": table(("a", "b"), seed=1)}
    for kinds, treebanks in (
        (("document", "document"), ["x", "y", "macro-average"]),
        (("document", "sentence"), ["x", "y"]),
    ):
        units = {code: units_of_kind(kind) for code, kind in zip("xy", kinds, strict=True)}
        rows, notes = detectable_rows(counts, units, Design(sizes=(50,)))
        assert [(row.treebank, row.unit) for row in rows[:2]] == list(zip("xy", kinds, strict=True))
        assert [row.treebank for row in rows] == treebanks
        assert len(notes) == ("macro-average" not in treebanks)
        assert all("test sets have different units" in note for note in notes)


# The command


def document(run, *arguments):
    """The JSON of `levelhead power`: its tables and provenance."""
    code, out, err = run("power", *arguments, "--format", "json")
    assert code == 0, err
    found = json.loads(out)
    return found["tables"] | found["provenance"]


def test_the_command_agrees_with_the_definition(run, parts_of_pair):
    found = document(run, *PAIR, "-m", "LAS", "--units", "20,500")
    own = [(row["unit"], row["n_units"], row["n_runs"]) for row in found["results"]]
    assert own == [("sentence", 20, 1), ("sentence", 500, 1)]
    expected = oracle.components(*([side] for side in parts_of_pair))
    for row in found["results"]:
        assert row["detectable"] == pytest.approx(100 * oracle.detectable(expected, row["n_units"], 1), rel=1e-4)


@pytest.mark.parametrize("treebanks", ["one", "all"])
def test_compare_and_power_agree_on_the_present_test_set(run, treebanks):
    """All examples have 20 sentences, so the macro-average for 20 units is that of the present test sets."""
    files = PAIR if treebanks == "one" else (GOLD, ALPHA, BETA)
    _, out, _ = run("compare", *files, "-m", "LAS", "-m", "CLAS", "--format", "json")
    compared = {
        (one["treebank"], one["measure"]): one["detectable"]
        for one in json.loads(out)["tables"]["results"]
        if one["detectable"] is not None and one["average"] != "micro"
    }
    found = document(run, *files, "-m", "LAS", "-m", "CLAS", "--units", "20")
    planned = {(row["treebank"], row["measure"]): row["detectable"] for row in found["results"]}
    assert len(planned) == (2 if treebanks == "one" else 18)
    assert planned == {key: pytest.approx(value, rel=1e-9) for key, value in compared.items()}


def test_documents_of_gold_are_the_units(run, tmp_path):
    sentences = PAIR[0].read_text(encoding="utf-8").strip().split("\n\n")
    marks = (0, 1, 3, 6, 7, 8, 10, 11, 13, 15, 16, 18)
    marked = [f"# newdoc id = {i}\n{one}" if i in marks else one for i, one in enumerate(sentences)]
    gold = tmp_path / "en.conllu"
    gold.write_text("\n\n".join(marked) + "\n\n", encoding="utf-8")
    files = (gold, *PAIR[1:])
    found = document(run, *files, "-m", "LAS", "--units", "12")
    assert found["units"] == [{"treebank": "en", "unit": "document", "n_units": 12, "n_documents": 12}]
    assert [row["unit"] for row in found["results"]] == ["document"]
    _, out, _ = run("compare", *files, "-m", "LAS", "--format", "json")
    assert found["results"][0]["detectable"] == pytest.approx(
        json.loads(out)["tables"]["results"][1]["detectable"], rel=1e-9
    )
    by_sentence = document(run, *files, "-m", "LAS", "--units", "12", "--resample-by", "sentence")
    assert by_sentence["results"][0]["unit"] == "sentence"
    assert by_sentence["signature"]["resample-by"] == "sentence"
    _, out, _ = run("power", *files, "-m", "LAS", "--units", "12")
    assert "variances by document: 12 documents" in out


@pytest.fixture
def parts_of_pair(run):
    """Twice the right words and the words of both sides of each gold sentence, as `sentences` prints them."""
    sides = []
    for system in PAIR[1:]:
        out = run("sentences", PAIR[0], system, "-m", "LAS", "--format", "jsonl")[1]
        rows = [json.loads(line) for line in out.splitlines()]
        sides.append([(2 * row["LAS_correct"], row["LAS_gold"] + row["LAS_predicted"]) for row in rows])
    return sides


def test_the_own_size_of_a_test_set_is_among_the_sizes(run):
    assert [row["n_units"] for row in document(run, *PAIR, "-m", "LAS")["results"]][:2] == [20, 100]


def test_folders_have_a_macro_average_and_each_treebank(run):
    found = document(run, GOLD, ALPHA, BETA, "-m", "LAS", "--units", "100")
    own = {row["treebank"]: row["detectable"] for row in found["results"]}
    average = own.pop("macro-average")
    assert len(own) == 8
    assert average == pytest.approx(math.sqrt(sum(one**2 for one in own.values())) / 8, rel=0.02)
    for more, n_rows in (((), 1), (("--each",), 9)):
        _, out, _ = run("power", GOLD, ALPHA, BETA, "-m", "LAS", "--units", "100", *more)
        assert out.count(" sentence ") == n_rows


def test_runs_are_estimated_from_folders_of_runs(run, tmp_path):
    """Or taken from --run-sd; more runs detect smaller differences."""
    for name in ("a", "b"):
        for number, system in enumerate((ALPHA, BETA, ALPHA)):
            folder = tmp_path / name / f"seed{number}"
            folder.mkdir(parents=True)
            source = BETA if name == "b" and number == 0 else system
            shutil.copy(source / "en.conllu", folder / "en.conllu")
    (tmp_path / "gold").mkdir()
    shutil.copy(PAIR[0], tmp_path / "gold" / "en.conllu")
    paths = [tmp_path / name for name in ("gold", "a", "b")]
    found = document(run, *paths, "-m", "LAS", "--units", "100")
    several = [row for row in found["results"] if row["n_runs"] > 1]
    assert [row["n_runs"] for row in several] == [3, 5, 10]
    sizes = [row["detectable"] for row in several]
    assert sizes == sorted(sizes, reverse=True)
    known = document(run, *PAIR, "-m", "LAS", "--units", "1000000", "--runs", "3", "--run-sd", "0.5")
    (row,) = known["results"]
    pure = 100 * noncentrality(2, 0.05, 0.8) * math.sqrt(2 * 0.005**2 / 3)
    assert row["detectable"] == pytest.approx(pure, rel=0.01)
    two = document(run, *PAIR, "--units", "100", "--runs", "2", "--run-sd", "0.5")
    assert {row["detectable"] for row in two["results"]} == {None}
    assert "with 2 runs, compare marks no difference as significant: plan 3 or more" in two["notes"]


def test_figures_are_drawn(run, tmp_path):
    code, _, err = run("power", *PAIR, "--figure", tmp_path / "power.svg")
    assert code == 0, err
    drawn = (tmp_path / "power.svg").read_text(encoding="utf-8")
    assert [f">{name}<" in drawn for name in ("UAS", "LAS", "CLAS", "1000", "sentences")] == [True] * 5
    places = [float(x) for x in re.findall(r'<text class="mute small" x="([\d.]+)"[^>]*>(?:20|200|2000)<', drawn)]
    assert places[1] - places[0] == pytest.approx(places[2] - places[1], abs=0.2), "the axis is logarithmic"


@pytest.mark.parametrize("output_format", ["text", "tsv", "markdown", "latex", "jsonl"])
def test_every_format_holds_the_differences(run, output_format):
    code, out, err = run("power", "-m", "LAS", "--units", "300", "--format", output_format)
    assert code == 0, err
    assert "300" in out
    assert "LAS" in out


def test_few_and_equal_outputs_are_explained(run, tmp_path):
    shutil.copy(PAIR[1], tmp_path / "same.conllu")
    found = document(run, PAIR[0], PAIR[1], tmp_path / "same.conllu", "-m", "LAS", "--units", "100")
    assert [row["detectable"] for row in found["results"]] == [None]
    assert any("the outputs never differ" in note for note in found["notes"])
    few = []
    for name, path in (("gold", PAIR[0]), ("alpha", PAIR[1]), ("perfect", PAIR[0])):
        few.append(tmp_path / f"{name}.conllu")
        few[-1].write_text("\n\n".join(path.read_text(encoding="utf-8").split("\n\n")[:5]) + "\n\n", encoding="utf-8")
    found = document(run, *few, "-m", "LAS", "--units", "100")
    assert [row["detectable"] for row in found["results"]] == [None]
    assert any("fewer than 10 units, so no detectable differences" in note for note in found["notes"])


BAD = {
    str(GOLD): "give GOLD and two SYSTEMS",
    "-m LSA": "unknown measure 'LSA': did you mean LAS?",
    "-m Words": "for other measures, give a gold file and two outputs",
    "--units 9": "give at least 10 units",
    "--units 1.5": "not a list of whole numbers",
    "--runs 0": "'0' is not a whole number from 1 to 1,000,000,000",
    "--runs 3": "for several runs, the standard deviation between runs is required",
    "--power 1": "'1' is not a number above 0 and below 1",
    "--alpha nan": "'nan' is not a number",
    "--alpha 2": "'2' is not a number above 0 and below 1",
    "--figure x.gif": "the name of a figure must end in",
}


@pytest.mark.parametrize("arguments", BAD)
def test_bad_requests_are_refused(run, arguments):
    code, out, err = run("power", *arguments.split())
    assert (code, out) == (2, "")
    assert BAD[arguments] in " ".join(err.split())


def test_folders_of_outputs_need_a_folder_of_gold(run):
    code, out, err = run("power", PAIR[0], ALPHA, BETA)
    assert (code, out) == (2, "")
    assert "GOLD is a file, but this is a folder: give two files or two folders" in err


def test_python_takes_a_plan(run):  # noqa: ARG001 -- the same numbers as the command
    from levelhead.campaign.find import find_plan
    from levelhead.evaluation.setup import setup_of

    found = power(find_plan(PAIR[0], PAIR[1:]), setup_of(["LAS"]), Design(sizes=(100,)))
    assert [row.n_units for row in found.rows] == [100]
    assert found.provenance.files
