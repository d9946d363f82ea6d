"""The difficulty of test sets: tables, explanations, the command and its page."""

import json
import re

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES, library
from levelhead.errors import InputError
from levelhead.report.page.ranking import difficulty_page

SCORES, PROPERTIES = EXAMPLES / "difficulty/scores.tsv", EXAMPLES / "difficulty/properties.tsv"
GOLDS, SYSTEMS = EXAMPLES / "parallel/gold", EXAMPLES / "parallel/systems"


def exact(n_systems=6, n_test_sets=9) -> str:
    """A table without errors: test set j is harder the larger j is."""
    rows = [
        f"s{i}\tt{j}\t{100 / (1 + np.exp(-(2 - 0.25 * j - 0.2 * i))):.6f}"
        for i in range(n_systems)
        for j in range(n_test_sets)
        if (i + j) % 3
    ]
    return "\n".join(["system\ttreebank\tLAS", *rows, ""])


def test_difficulties_are_those_of_the_model(tmp_path):
    path = tmp_path / "scores.tsv"
    path.write_text(exact(), encoding="utf-8")
    found = levelhead.difficulty(scores=path)
    assert [row.treebank for row in found.test_sets] == [f"t{j}" for j in reversed(range(9))]
    assert [row.logits for row in found.test_sets] == pytest.approx(
        [0.25 * j - 1 for j in reversed(range(9))], abs=1e-4
    )
    expected = [100 / (1 + np.exp(-(1.5 - 0.25 * j))) for j in range(9)]
    assert [row.expected for row in reversed(found.test_sets)] == pytest.approx(expected, abs=1e-3)
    assert sum(row.difficulty for row in found.test_sets) == pytest.approx(0, abs=1e-9)
    assert [ability.ability for _, ability in found.systems] == pytest.approx(
        [0.5 - 0.2 * i for i in range(6)], abs=1e-4
    )
    assert max(abs(row.residual) for row in found.residuals) < 1e-3
    assert found.verdict.startswith("t8 is the hardest test set and t0 the easiest: an average system")


def test_intervals_surround_values():
    found = levelhead.difficulty(scores=SCORES)
    for row in found.test_sets:
        assert row.difficulty_interval[0] < row.difficulty < row.difficulty_interval[1]
        assert row.logits_interval[0] < row.logits < row.logits_interval[1]
        assert row.discrimination_interval[0] < row.discrimination < row.discrimination_interval[1]
    narrow = levelhead.difficulty(scores=SCORES, level=0.5)
    assert narrow.test_sets[0].difficulty_interval[0] > found.test_sets[0].difficulty_interval[0]


def test_scores_minus_expected_scores_are_residuals():
    found = levelhead.difficulty(scores=SCORES)
    n_scores = len(SCORES.read_text(encoding="utf-8").splitlines()) - 1
    assert len(found.residuals) == n_scores == sum(row.n_systems for row in found.test_sets)
    assert all(row.residual == pytest.approx(row.score - row.expected) for row in found.residuals)
    changed = SCORES.read_text(encoding="utf-8").replace("alpha\tde_one\t", "alpha\tde_one\t3")
    changed = re.sub(r"(alpha\tde_one\t3)[\d.]+", r"\g<1>0", changed)
    path = {"system": [], "treebank": [], "LAS": []}
    for line in changed.splitlines()[1:]:
        for name, cell in zip(path, line.split("\t")):
            path[name].append(float(cell) if name == "LAS" else cell)
    unusual = levelhead.difficulty(scores=library("pandas").DataFrame(path))
    worst = min(unusual.residuals, key=lambda row: row.residual)
    assert (worst.system, worst.treebank, worst.score) == ("alpha", "de_one", 30)
    assert worst.standardized < -2


def test_properties_explain_differences(tmp_path):
    scores, properties = tmp_path / "scores.tsv", tmp_path / "properties.tsv"
    scores.write_text(exact(), encoding="utf-8")
    noise = np.random.default_rng(1).normal(size=9)
    rows = [f"t{j}\t{j * j}\t{noise[j]}" for j in range(9)]
    properties.write_text("\n".join(["treebank\tsquare\tnoise", *rows, ""]), encoding="utf-8")
    found = levelhead.difficulty(scores=scores, explain=properties)
    square, noisy, every = (next(r for r in found.explained if r.column == name) for name in ("square", "noise", "all"))
    difficulty = {row.treebank: row.difficulty for row in found.test_sets}
    y = np.array([difficulty[f"t{j}"] for j in range(9)])
    r = np.corrcoef(y, np.arange(9) ** 2)[0, 1]
    assert (square.n, square.r) == (9, pytest.approx(r))
    assert square.explained == pytest.approx(100 * (1 - (1 - r**2) * 8 / 7))
    assert square.points == pytest.approx(np.sqrt(square.explained / 100) * y.std())
    assert noisy.explained < 50 < square.explained <= every.explained + 1
    assert square.p < 0.01 < noisy.p
    assert "square explains most" in found.verdict
    properties.write_text(
        "\n".join(["treebank\tnoise", *(f"t{j}\t{noise[j]}" for j in range(9)), ""]), encoding="utf-8"
    )
    found = levelhead.difficulty(scores=scores, explain=properties)
    assert found.verdict.endswith("No property explains the difficulty significantly.")


def rated(path, cells: dict[tuple[str, str], float]):
    path.write_text("\n".join(["system\ttreebank\tLAS", *(f"{s}\t{t}\t{v}" for (s, t), v in cells.items()), ""]))
    return levelhead.difficulty(scores=path)


def test_the_verdict_names_how_many_test_sets_may_be_as_hard(tmp_path):
    equal = {(f"s{i}", f"t{j}"): 70.0 for i in range(4) for j in range(5)}
    same = rated(tmp_path / "same.tsv", equal)
    assert "4 other test sets may be as hard and 4 other test sets may be as easy" in same.verdict
    noise = np.random.default_rng(2).normal(size=(4, 5))
    apart = rated(
        tmp_path / "apart.tsv", {(s, t): 90 - 15 * int(t[1]) + noise[int(s[1]), int(t[1])] / 10 for s, t in equal}
    )
    assert apart.verdict.startswith("t4 is the hardest")
    assert "as hard" not in apart.verdict


def test_without_degrees_of_freedom_no_test_set_has_an_interval(tmp_path):
    chain = {("a", "t1"): 80, ("b", "t1"): 70, ("b", "t2"): 60, ("c", "t2"): 65, ("c", "t3"): 50}
    assert [row.difficulty_interval for row in rated(tmp_path / "scores.tsv", chain).test_sets] == [None] * 3


def test_colors_of_the_map_are_not_those_of_one_disaster(tmp_path):
    noise = np.random.default_rng(3).normal(size=(6, 8))
    cells = {(f"s{i}", f"t{j}"): 80 - 2 * i - 3 * j + noise[i, j] for i in range(6) for j in range(8)}
    page = difficulty_page(rated(tmp_path / "scores.tsv", {**cells, ("s2", "t3"): 2.0}))
    heat = next(section for section in page.sections if section.name == "map").blocks[0].heat
    shades = [shade for row in heat.shades() for shade in row]
    assert min(shades) == 0
    assert max(shades) - sorted(shades)[4] > 0.3
    assert (heat.shades()[0][0] > 0.5) == (heat.rows[0][1][0] > 0)


def test_files_show_what_each_test_set_can_detect():
    found = levelhead.difficulty(GOLDS, SYSTEMS, explain=levelhead.profile(GOLDS))
    assert {row.column for row in found.explained} > {"depth"}
    rows = {row.treebank: row for row in found.detectable}
    english = rows["en"]
    assert (english.sentences, english.unit, english.n_units) == (20, "sentence", 20)
    order = sorted(
        ("alpha", "beta", "gamma"),
        key=lambda name: levelhead.score(GOLDS / "en.conllu", SYSTEMS / name / "en.conllu")["LAS"].value,
    )
    pairs = list(zip(order, order[1:]))
    by_pair = [
        levelhead.power(
            GOLDS / "en.conllu", {name: SYSTEMS / name / "en.conllu" for name in pair}, measures="LAS", units=[20]
        )
        for pair in pairs
    ]
    assert english.close == pytest.approx(np.median([result.rows[0].detectable for result in by_pair]))
    assert rows["tr"].distant is None  # two valid outputs
    ranked = levelhead.rank(GOLDS, SYSTEMS, measures="LAS", missing="adjust").to_dict()["tables"]["systems"]
    assert [row.adjusted_interval for row, _ in found.systems] == [
        (row["adjusted_low"], row["adjusted_high"]) for row in ranked
    ]


def test_the_command_prints_the_same_and_writes_a_page(tmp_path, run):
    page = tmp_path / "page.html"
    text = run("difficulty", "--scores", SCORES, "--report", page)[1]
    assert text.startswith("tr_one is the hardest test set")
    written = page.read_text(encoding="utf-8")
    assert "Better or worse than expected" in written
    assert re.search(r"darkest at \+\d", written)
    assert written.count("sv_one") > 2
    document = json.loads(run("difficulty", "--scores", SCORES, "--format", "json")[1])
    assert document == json.loads(json.dumps(levelhead.difficulty(scores=SCORES).to_dict()))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give GOLD and SYSTEMS, or --scores"),
        ((GOLDS,), "give GOLD and SYSTEMS, or --scores"),
        ((GOLDS, SYSTEMS, "--scores", SCORES), "give GOLD and SYSTEMS, or --scores"),
        (("--scores", SCORES, "--system", "alpha", "--system", "beta"), "requires 3 systems and 3 test sets"),
        (("--scores", SCORES, "-m", "LSA"), "LSA"),
        (("--scores", SCORES, "--explain", SCORES), "twice|several|second"),
    ],
)
def test_wrong_arguments(arguments, message, run):
    code, _, error = run("difficulty", *arguments)
    assert code == 2
    assert re.search(message, error)


def test_a_measure_must_be_a_percentage():
    with pytest.raises(InputError, match="percentages"):
        levelhead.difficulty(GOLDS, SYSTEMS, measure=f"DPPL({GOLDS / 'en.conllu'})")
