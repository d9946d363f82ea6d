"""Rankings in which missing scores are predicted."""

import csv
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.errors import InputError

SCORES = EXAMPLES / "difficulty/scores.tsv"
PARALLEL = EXAMPLES / "parallel"
DATA = os.environ.get("LEVELHEAD_DATA")
OFFICIAL = "conll18/official/pertreebank_2018_LAS_MLAS_BLEX_UAS_Words.tsv"


def written(path: Path, scores: dict[tuple[str, str], object], more: str = "") -> Path:
    rows = [f"{system}\t{code}\t{value}" for (system, code), value in scores.items()]
    path.write_text("\n".join([f"system\ttreebank\tLAS{more}", *rows, ""]), encoding="utf-8")
    return path


def table(n_systems=6, n_test_sets=8) -> dict[tuple[str, str], object]:
    """Scores without errors on the logit scale."""
    return {
        (f"s{i}", f"t{j}"): round(100 / (1 + np.exp(-(1 + 0.3 * j - 0.4 * i))), 4)
        for i in range(n_systems)
        for j in range(n_test_sets)
    }


def systems_of(ranked) -> dict[str, dict]:
    return {row["system"]: row for row in ranked.to_dict()["tables"]["systems"]}


def test_zero_is_the_default_and_lists_no_predictions():
    ranked = levelhead.rank(scores=SCORES)
    assert ranked.to_dict() == levelhead.rank(scores=SCORES, missing="zero").to_dict()
    assert ranked.to_dict()["tables"]["systems"] == []
    assert "missing" not in ranked.provenance.signature


def test_a_system_is_ranked_by_what_is_expected_of_it(tmp_path):
    full = table()
    given = {key: value for key, value in full.items() if key[0] != "s1" or key[1] in {"t5", "t6", "t7"}}
    ranked = levelhead.rank(scores=written(tmp_path / "scores.tsv", given), missing="adjust")
    assert [standing.system for standing in ranked["LAS"].standings] == [f"s{i}" for i in range(6)]
    rows = systems_of(ranked)
    true = {f"s{i}": np.mean([full[f"s{i}", f"t{j}"] for j in range(8)]) for i in range(6)}
    assert {name: row["adjusted"] for name, row in rows.items()} == pytest.approx(true, abs=1e-3)
    assert {name: row["n_test_sets"] for name, row in rows.items()} == {**dict.fromkeys(true, 8), "s1": 3}
    assert all(row["adjusted_low"] <= row["adjusted"] <= row["adjusted_high"] for row in rows.values())
    raw = levelhead.rank(scores=tmp_path / "scores.tsv")
    assert raw["LAS"].standings[-1].system == "s1"
    assert any("fewer than 20 test sets" in note and "s1 (3)" in note for note in ranked.table().notes)
    assert any("leave out the test sets they are bad at" in note for note in ranked.table().notes)


@pytest.mark.parametrize("marked", [False, True])
def test_invalid_outputs_count_0_and_are_not_fitted(marked, tmp_path):
    full = table()
    given = {key: f"{value}\tvalid" for key, value in full.items() if key not in {("s2", "t0"), ("s0", "t5")}}
    path = written(tmp_path / "a.tsv", {**given, ("s0", "t3"): "0\tinvalid" if marked else "0\tvalid"}, "\tstate")
    rows = systems_of(levelhead.rank(scores=path, missing="adjust"))
    assert rows["s0"]["adjusted"] == pytest.approx(
        np.mean([full["s0", f"t{j}"] for j in range(8) if j != 3]) * 7 / 8, abs=1e-3
    )
    assert rows["s2"]["adjusted"] == pytest.approx(np.mean([full["s2", f"t{j}"] for j in range(8)]), abs=1e-3)
    assert rows["s0"]["n_test_sets"] == 7


def test_systems_that_share_no_test_set_are_named_and_not_ranked(tmp_path):
    given = {**table(), ("alone", "other"): 99.0, ("alone", "another"): 98.0}
    ranked = levelhead.rank(scores=written(tmp_path / "scores.tsv", given), missing="adjust")
    last = ranked["LAS"].standings[-1]
    assert (last.system, last.rank, last.value) == ("alone", None, None)
    notes = ranked.table().notes
    assert "not ranked, since they have no valid output on a test set of the other systems: alone" in notes
    assert "not in the averages, since no score can be predicted: other, another" in notes
    assert systems_of(ranked)["s0"]["adjusted"] == pytest.approx(
        np.mean([value for (system, _), value in table().items() if system == "s0"])
    )


def test_verdicts_claim_no_more_than_is_known(tmp_path):
    alone = {**table(), ("alone", "other"): 99.0}
    del alone["s5", "t0"]
    ranked = levelhead.rank(scores=written(tmp_path / "scores.tsv", alone), missing="adjust")
    assert ranked.verdict.startswith("s0 ranks first of 6 comparable systems (LAS ")
    noise = np.random.default_rng(1).normal(scale=4, size=(6, 8))
    unsure = {(s, t): 70 + noise[int(s[1]), int(t[1])] for s, t in table() if (int(s[1]) + int(t[1])) % 3}
    ranked = levelhead.rank(scores=written(tmp_path / "scores.tsv", unsure), missing="adjust")
    assert ranked.verdict.endswith(", but their intervals overlap.")
    once = {(s, t): value for (s, t), value in table().items() if s != "s0" or t == "t0"}
    ranked = levelhead.rank(scores=written(tmp_path / "scores.tsv", once), missing="adjust")
    assert ranked.verdict.endswith(", but the interval of s0 is unknown.")


def test_equal_predictions_are_tied(tmp_path):
    equal = {(s, t): 70 for s, t in table() if (s, t) != ("s0", "t0")}
    ranked = levelhead.rank(scores=written(tmp_path / "scores.tsv", equal), missing="adjust")
    assert [standing.rank for standing in ranked["LAS"].standings] == [1] * 6


def test_who_has_only_invalid_outputs_is_not_ranked_for_that(tmp_path):
    invalid = {**table(), **{(s, t): 0 for s, t in table() if s == "s5"}}
    del invalid["s5", "t0"]
    ranked = levelhead.rank(scores=written(tmp_path / "scores.tsv", invalid), missing="adjust")
    assert "not ranked, since they have no valid output on a test set of the other systems: s5" in ranked.table().notes


def test_a_measure_without_a_score_is_missing(tmp_path):
    text = SCORES.read_text(encoding="utf-8").splitlines()
    head, *rows = text
    path = tmp_path / "two.tsv"
    path.write_text("\n".join([f"{head}\tUAS", *(f"{row}\t90" for row in rows[:-1]), f"{rows[-1]}\t"]) + "\n", "utf-8")
    ranked = levelhead.rank(scores=path, missing="adjust", measures="UAS")
    assert [row["adjusted"] for row in systems_of(ranked).values()] == pytest.approx([90] * 8, abs=1e-6)
    assert systems_of(ranked)["theta"]["n_test_sets"] == 9


def test_files_have_intervals_of_both_kinds(tmp_path):
    shutil.copytree(PARALLEL / "gold", tmp_path / "gold")
    shutil.copytree(PARALLEL / "systems", tmp_path / "systems")
    for code in ("en", "de"):
        (tmp_path / "systems/alpha" / f"{code}.conllu").unlink()
    ranked = levelhead.rank(tmp_path / "gold", tmp_path / "systems", measures="LAS", missing="adjust")
    rows = systems_of(ranked)
    full = systems_of(levelhead.rank(PARALLEL / "gold", PARALLEL / "systems", measures="LAS", missing="adjust"))
    assert rows["alpha"]["n_test_sets"] == 6
    assert rows["alpha"]["adjusted_low"] < full["alpha"]["adjusted"] < rows["alpha"]["adjusted_high"]
    widths = [row["adjusted_high"] - row["adjusted_low"] for row in (full["alpha"], rows["alpha"])]
    assert widths[0] < widths[1]
    assert rows["beta"] == full["beta"]
    standing = next(each for each in ranked["LAS"].standings if each.system == "beta")
    assert standing.interval == (rows["beta"]["adjusted_low"], rows["beta"]["adjusted_high"])
    assert ranked["LAS"].pairs == ()
    assert all(each.letters is None for each in ranked["LAS"].standings)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"ranking": "conll18"}, "can only be predicted with the ranking exact, not conll18"),
        ({"missing": "drop"}, "missing"),
    ],
)
def test_what_is_refused(how, message):
    with pytest.raises(InputError, match=message):
        levelhead.rank(scores=SCORES, **{"missing": "adjust", **how})


def test_perplexities_are_refused():
    with pytest.raises(InputError, match="only be predicted for percentages"):
        levelhead.rank(
            PARALLEL / "gold", PARALLEL / "systems", measures=f"DPPL({PARALLEL / 'gold/en.conllu'})", missing="adjust"
        )


def test_the_command_prints_the_same(run):
    document = json.loads(run("rank", "--scores", SCORES, "--missing", "adjust", "--format", "json")[1])
    assert document == json.loads(json.dumps(levelhead.rank(scores=SCORES, missing="adjust").to_dict()))
    first = document["tables"]["systems"][0]
    assert [*first] == ["group", "measure", "system", "adjusted", "adjusted_low", "adjusted_high", "n_test_sets"]


@pytest.mark.skipif(not DATA, reason="the official scores are not here")
def test_official_order_is_found_from_a_third_of_the_test_sets(tmp_path):
    with (Path(DATA) / OFFICIAL).open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["metric"] == "LAS"]
    full = {(row["team"], row["treebank"]): float(row["F1"]) for row in rows}
    systems = sorted({system for system, _ in full})
    complete = [system for system in systems if all(v > 0 for (s, _), v in full.items() if s == system)]
    random = np.random.default_rng(1)
    codes = sorted({code for _, code in full})
    seen = {system: set(random.choice(codes, 25, replace=False)) for system in complete}
    given = {key: value for key, value in full.items() if key[1] in seen.get(key[0], ())}
    found = systems_of(levelhead.rank(scores=written(tmp_path / "part.tsv", given), missing="adjust"))
    true = {system: np.mean([full[system, code] for code in codes]) for system in complete}
    held = [found[s]["adjusted_low"] <= true[s] <= found[s]["adjusted_high"] for s in complete]
    pairs = [(a, b) for a in complete for b in complete if true[a] > true[b] + 1]
    wrong = [found[a]["adjusted"] < found[b]["adjusted"] for a, b in pairs]
    assert np.mean(held) >= 0.85
    assert np.mean(wrong) <= 0.02


def test_pages_papers_and_citations_say_what_was_predicted(tmp_path, run):
    shutil.copytree(PARALLEL / "systems", tmp_path / "systems")
    (tmp_path / "systems/alpha/en.conllu").unlink()
    page = tmp_path / "page.html"
    ranking = ("rank", PARALLEL / "gold", tmp_path / "systems", "-m", "LAS", "--missing", "adjust")
    run(*ranking, "--report", page)
    written = page.read_text(encoding="utf-8")
    assert "Scores of missing outputs are predicted; invalid outputs count as 0." in written
    assert "leave out the test sets they are bad at" in written
    assert "A missing or invalid output counts as 0." not in written
    paper = run(*ranking, "--layout", "paper", "--format", "latex")[1]
    assert "Scores of missing outputs are predicted" in paper
    assert "Missing and invalid outputs count as 0" not in paper
    cited = run(*ranking, "--cite")[1]
    assert "Missing scores were predicted" in cited
    assert "Differences were tested" not in cited
