"""Equivalence: whether a difference is shown to be within a margin."""

import json
import math

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES, library
from levelhead.campaign import find_plan
from levelhead.comparison import compare
from levelhead.errors import InputError
from levelhead.evaluation.setup import setup_of
from levelhead.significance import Estimate, InferenceSettings, SystemCounts, differences

PARALLEL = EXAMPLES / "parallel"
EN = tuple(PARALLEL / part / "en.conllu" for part in ("gold", "systems/alpha", "systems/beta"))
FOLDERS = (PARALLEL / "gold", PARALLEL / "systems/alpha", PARALLEL / "systems/beta")


@pytest.mark.parametrize("margin", [0.1, 0.5, 0.9, 1.3, 2.0, 5.0])
@pytest.mark.parametrize("middle", [-1.0, 0.0, 0.3, 2.5])
@pytest.mark.parametrize("several", [False, True])
def test_p_is_the_larger_of_two_one_sided_ones(margin, middle, several):
    """By Student's t, also where half of the variance is that of runs; the 90% interval says the same."""
    stats = library("scipy.stats")
    difference = Estimate(middle, 0.08, 12, 13, ((0.08, 12),)) if several else Estimate(middle, 0.16, 12, 13)
    expected = max(stats.t.sf((margin - middle) / 0.4, 12), stats.t.sf((margin + middle) / 0.4, 12))
    assert difference.p_within(margin) == pytest.approx(expected, abs=1e-9)
    low, high = difference.interval(0.9)
    assert (difference.p_within(margin) < 0.05) == (-margin < low and high < margin)


def test_no_interval_no_equivalence():
    assert Estimate(0.0, 0.1, 8, 9).p_within(0.5) is None


def two_systems(n: int, changed: int, powers: tuple[int, ...] = ()) -> SystemCounts:
    """Give two systems with 9 of 10 words correct in each sentence; one is better in some and worse in as many."""
    rows = np.full((n, 2, 1, 2), 10.0)
    rows[:, :, 0, 0] = 9
    rows[:changed, 1, 0, 0] = 10
    rows[changed : 2 * changed, 1, 0, 0] = 8
    return SystemCounts(("A", "B"), ("LAS",), rows, powers)


@pytest.mark.parametrize(("margin", "shown"), [(0.1, "not shown"), (1.0, "yes")])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_printed_interval_decides(margin, shown, level):
    table = {"x": two_systems(400, 20)}
    found = differences(table, InferenceSettings(level=level, margin=margin))[1]
    assert found.equivalent == shown
    low, high = found.difference_interval
    assert (-margin < low and high < margin) == (shown == "yes")
    assert (found.p_equivalent < 1 - level) == (shown == "yes")
    without = differences(table, InferenceSettings(level=0.9))[1]
    assert (without.equivalent, without.p_equivalent) == (None, None)


def test_a_difference_beyond_the_margin_is_not_equivalent():
    table = two_systems(400, 100)
    table.parts[:, 0, 0, 0] = 7
    found = differences({"x": table}, InferenceSettings(margin=5))[1]
    assert (found.equivalent, found.p_equivalent) == ("no", pytest.approx(1, abs=0.01))


def test_the_margin_of_perplexities_is_a_ratio():
    """Logarithms to base 10 of 0.9 on average: the ratio of perplexities is 10 to the difference of averages.

    Scores count one word more in their error, perplexities do not.
    """
    table = two_systems(400, 20, (0,))
    whole = table._replace(perplexities=())
    for margin in (1.001, 1.01, 1.02, 1.1):
        found = differences({"x": table}, InferenceSettings(margin=margin))[1]
        points = 100 * math.log10(margin)
        expected = differences({"x": whole}, InferenceSettings(margin=points))[1]
        assert found.equivalent == expected.equivalent
        assert found.p_equivalent == pytest.approx(expected.p_equivalent, abs=1.2e-2)


def test_the_margin_of_perplexities_with_runs():
    """Three runs each that fail in different sentences; some sentences are difficult for all runs of a system."""
    draw = np.random.default_rng(2)
    rows = np.full((50, 6, 1, 2), 1000.0)
    rows[:, :, 0, 0] = 900 + draw.normal(0, 60, (50, 6)) + np.repeat(draw.normal(0, 25, (50, 2)), 3, axis=1)
    table = SystemCounts(("A",) * 3 + ("B",) * 3, ("DPPL",), rows, (0,))
    plain = table._replace(perplexities=())
    found, expected = (
        differences({"x": one}, InferenceSettings(margin=margin))[1]
        for one, margin in ((table, 1.02), (plain, 100 * math.log10(1.02)))
    )
    assert 0.005 < expected.p_equivalent < 0.9
    assert found.p_equivalent == pytest.approx(expected.p_equivalent, abs=0.01)


def test_too_few_runs_show_no_equivalence():
    rows = np.full((50, 12, 1, 2), 10.0)
    rows[:, :, 0, 0] = 9
    table = SystemCounts(("A",) * 2 + ("B",) * 10, ("LAS",), rows)
    assert differences({"x": table}, InferenceSettings(margin=1))[1].equivalent == "not shown"


# The command


def test_columns_and_signature(run):
    out = run("compare", *EN, "-m", "LAS", "--margin", 40, "--format", "tsv")[1]
    head, *rows = [line.split("\t") for line in out.splitlines()]
    first, second = (dict(zip(head, row, strict=True)) for row in rows)
    assert (first["equivalent"], first["p_equivalent"]) == ("", "")
    assert (second["equivalent"], 0 < float(second["p_equivalent"]) < 0.05) == ("yes", True)
    text = run("compare", *EN, "-m", "LAS", "--margin", 40)[1]
    assert "|margin:40|" in text
    assert "Equivalent: whether the interval of the difference is between -40 and 40 points" in text
    assert "Equiv." in text
    plain = run("compare", *EN, "-m", "LAS", "--format", "tsv")[1]
    assert plain == out.replace(f"\tyes\t{second['p_equivalent']}\t", "\t\t\t")
    assert "Equiv." not in run("compare", *EN, "-m", "LAS")[1]


def test_json_of_treebanks_and_averages(run):
    _, out, _ = run("compare", *FOLDERS, "-m", "LAS", "--margin", 28, "--format", "json")
    document = json.loads(out)
    results = document["tables"]["results"]
    tested = [one for one in results if one["system"] == "beta"]
    assert len(tested) == 10
    assert {"yes", "not shown"} <= {one["equivalent"] for one in tested} <= {"yes", "no", "not shown"}
    assert document["provenance"]["signature"]["margin"] == "28"
    assert all(one["equivalent"] is None for one in results if one["system"] == "alpha")


def test_the_note_on_ratios():
    gold = levelhead.read(EN[0])
    measure = f"DPPL({EN[0]})"
    comparison = compare(
        find_plan(gold, {"a": gold, "b": gold}), setup_of([measure]), settings=InferenceSettings(margin=1.05)
    )
    assert comparison.results[1].equivalent == "yes"
    (note,) = [note for note in comparison.table().notes if note.startswith("Equivalent")]
    assert "the ratio is between 1/1.05 and 1.05" in note


def test_the_page_has_the_column(run, tmp_path):
    page = tmp_path / "page.html"
    run("compare", *EN, "-m", "LAS", "--margin", 40, "--report", page)
    assert ">Equiv.</button>" in page.read_text(encoding="utf-8")


BAD = {
    "-0.5": "the margin must be a number above 0, not -0.5",
    "0": "the margin must be a number above 0, not 0",
    "nan": "'nan' is not a number",
    "1e308": "the margin is in points and must be at most 100, not 1e+308",
    "inf": "'inf' is not a number",
    "half": "'half' is not a number",
}


@pytest.mark.parametrize("margin", BAD)
def test_bad_margins_are_refused(run, margin):
    code, out, err = run("compare", *EN, "-m", "LAS", "--margin", margin)
    assert (code, out) == (2, "")
    assert BAD[margin] in " ".join(err.split())


@pytest.mark.parametrize("name", ["nothing", "ratio", "both"])
def test_margins_without_a_meaning_are_refused(run, name):
    measures = {"nothing": ["LAS"], "ratio": [f"DPPL({EN[0]})"], "both": ["LAS", f"DPPL({EN[0]})"]}[name]
    paths = EN[:2] if name == "nothing" else EN
    code, out, err = run("compare", *paths, *(part for one in measures for part in ("-m", one)), "--margin", 0.5)
    assert (code, out) == (2, "")
    reason = {"nothing": "requires at least two systems", "ratio": "must be above 1, not 0.5",
              "both": "compare them separately"}[name]  # fmt: skip
    assert reason in " ".join(err.split())


def test_bad_margins_in_python():
    gold = levelhead.read(EN[0])
    with pytest.raises(InputError, match="above 0") as refusal:
        compare(find_plan(gold, {"a": gold, "b": gold}), setup_of(["LAS"]), settings=InferenceSettings(margin=-1))
    assert refusal.value.slug == "invalid-margin"
