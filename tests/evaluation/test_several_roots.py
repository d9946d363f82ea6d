"""--allow-several-roots: sentences with several words that have HEAD 0, on both sides, in commands and in Python."""

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import levelhead
from command_line import levelhead as run
from conftest import EXAMPLES
from levelhead import ConlluError, InputError, MeasureError
from levelhead.compat import load_conllu_file
from levelhead.evaluation.epochs import EpochScorer
from levelhead.evaluation.files import score_files
from levelhead.evaluation.setup import setup_of
from levelhead.treebank.input_bytes import PieceSizes
from oracle.measures import score as oracle_score
from strategies import SEEDS, examples, pairs

GOLD, SYSTEM = EXAMPLES / "parallel/gold/de.conllu", EXAMPLES / "parallel/systems/beta/de.conllu"
_ARC = re.compile(r"(?m)^([1-9][0-9]*\t(?:[^\t\n]*\t){5})[1-9][0-9]*\t[^\t\n]*")
OPTION = "--allow-several-roots"


def with_roots(text: str, draw: Random, share: float = 0.3) -> str:
    """Make roots of some words; it stays a forest."""
    return _ARC.sub(lambda found: f"{found[1]}0\troot" if draw.random() < share else found[0], text)


@pytest.fixture
def forests(tmp_path: Path) -> tuple[Path, Path]:
    """Gold and an output with several roots."""
    for number, (name, path) in enumerate((("gold", GOLD), ("system", SYSTEM))):
        (tmp_path / name).write_text(with_roots(path.read_text(encoding="utf-8"), Random(number)), encoding="utf-8")
    return tmp_path / "gold", tmp_path / "system"


def counts(scores: Any) -> dict[str, tuple[float, ...]]:
    return {name: (one.correct, one.gold, one.system) for name, one in scores.items()}


@settings(max_examples=examples(25))
@given(pairs(), SEEDS, st.sampled_from(["ud", "udtools"]))
def test_counts_of_the_oracle(
    tmp_path_factory: pytest.TempPathFactory, texts: tuple[str, str], seed: int, rules: str
) -> None:
    folder, draw = tmp_path_factory.mktemp("roots"), Random(seed)
    gold, system = (with_roots(text, draw, draw.random()) for text in texts)
    for name, text in (("gold", gold), ("system", system)):
        (folder / name).write_text(text, encoding="utf-8")
    paths = folder / "gold", folder / "system"
    found = levelhead.score(*paths, rules=rules, allow_several_roots=True)
    expected = oracle_score(gold, system, rules, several_roots=True)
    valued = [name for name in found if found[name].reason is None and not name.startswith("Empty")]  # another oracle
    assert {name: found[name].correct for name in valued} == {name: expected[name].correct for name in valued}
    setup = setup_of([*found], rules=rules, allow_several_roots=True)
    whole = found.to_dict()
    for size in (1, 300):
        assert score_files(*paths, setup, PieceSizes(0, size)).to_dict() == whole


@given(pairs())
def test_the_option_changes_no_number(tmp_path_factory: pytest.TempPathFactory, texts: tuple[str, str]) -> None:
    """Files with one root in each sentence have the same scores."""
    folder = tmp_path_factory.mktemp("trees")
    for name, text in zip(("gold", "system"), texts, strict=True):
        (folder / name).write_text(text, encoding="utf-8")
    with_option, without = (
        levelhead.score(folder / "gold", folder / "system", allow_several_roots=allowed) for allowed in (True, False)
    )
    assert counts(with_option) == counts(without)
    assert with_option.signature == {"rules": "ud", "roots": "several", **without.signature}


def test_todays_script_with_its_own_option(forests: tuple[Path, Path]) -> None:
    """The rules udtools with the option are the script with --multiple-roots-okay, as `levelhead.compat` runs it."""
    from levelhead import compat

    loaded = [load_conllu_file(path, {"multiple_roots_okay": True}) for path in forests]
    expected = compat.evaluate(*loaded)
    found = levelhead.score(*forests, rules="udtools", allow_several_roots=True)
    assert counts(found) == {name: (one.correct, one.gold_total, one.system_total) for name, one in expected.items()}
    assert (found["LAS"].correct, found["LAS"].gold, found["LAS"].system) == (87, 164, 160)  # what that script prints


def test_without_the_option_they_are_errors(forests: tuple[Path, Path]) -> None:
    for rules in ("ud", "udtools"):
        with pytest.raises(ConlluError, match="root"):
            levelhead.score(*forests, rules=rules)
    with pytest.raises(ConlluError, match="words have HEAD 0"):
        levelhead.read(forests[0])
    tb = levelhead.read(forests[0], allow_several_roots=True)
    assert (np.bincount(tb.sentence_of_word[tb.heads < 0]) > 1).any()
    result = run("score", *forests)
    assert result.returncode == 2
    assert "several-roots: 2 words have HEAD 0" in result.stderr


def test_a_sentence_without_root_and_cycles_stay_errors(tmp_path: Path) -> None:
    cycle = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n3\tc\t_\t_\t_\t_\t3\tx\t_\t_\n\n"
    for text, slug in ((cycle, "cycle"), (cycle.replace("\t0\troot", "\t3\tx"), "no-root")):
        (tmp_path / "f").write_text(text, encoding="utf-8")
        result = run("score", tmp_path / "f", tmp_path / "f", OPTION)
        assert (result.returncode, result.stdout) == (2, "")
        assert slug in result.stderr


@pytest.mark.parametrize("rules", ["conll17", "conll18"])
@pytest.mark.parametrize("command", ["score", "compare"])
def test_the_scorers_of_shared_tasks_refuse_them(forests: tuple[Path, Path], command: str, rules: str) -> None:
    result = run(command, *forests, OPTION, "--rules", rules)
    assert result.returncode == 2
    assert f"the scorer of the rules {rules} rejects sentences with several roots: use the rules ud" in result.stderr
    with pytest.raises(MeasureError, match="rejects sentences with several roots"):
        levelhead.score(*forests, rules=rules, allow_several_roots=True)


def test_score_on_the_command_line(forests: tuple[Path, Path]) -> None:
    result = run("score", *forests, OPTION, "-m", "UAS,LAS,CLAS,Roots,Trees", "-c")
    assert result.returncode == 0, result.stderr
    assert result.stdout.split("rules:")[0] == (
        "Metric     |   Correct |      Gold | Predicted |   Aligned\n"
        "-----------+-----------+-----------+-----------+-----------\n"
        "UAS        |        92 |       164 |       160 |       152\n"
        "LAS        |        87 |       164 |       160 |       152\n"
        "CLAS       |        50 |       105 |       104 |        99\n"
        "Roots      |        32 |        57 |        63 |        51\n"
        "Trees      |         5 |        21 |        21 |\n"
    )
    assert "\nrules:ud|roots:several|" in result.stdout


def test_compare_and_rank(forests: tuple[Path, Path], tmp_path: Path) -> None:
    """Both have the option, and say so in the signature; in rank, outputs that are refused count as 0."""
    gold, system = forests
    arguments = ("compare", gold, GOLD, system, "-m", "LAS", "--format", "json")
    assert run(*arguments).returncode == 2
    found = json.loads(run(*arguments, OPTION).stdout)
    assert found["provenance"]["signature"]["roots"] == "several"
    assert found["tables"]["results"][1]["value"] == pytest.approx(100 * 2 * 87 / (164 + 160))
    for name, path in (("a", GOLD), ("b", system)):
        (tmp_path / "systems" / name).mkdir(parents=True)
        (tmp_path / "systems" / name / "de.conllu").write_bytes(path.read_bytes())
    (tmp_path / "golds").mkdir()
    (tmp_path / "golds" / "de.conllu").write_bytes(GOLD.read_bytes())
    arguments = ("rank", tmp_path / "golds", tmp_path / "systems", "-m", "LAS", "--format", "json")
    without, allowed = json.loads(run(*arguments).stdout), json.loads(run(*arguments, OPTION).stdout)
    assert without["tables"]["standings"][1]["value"] == 0
    assert allowed["tables"]["standings"][1]["value"] > 40
    assert allowed["provenance"]["signature"]["roots"] == "several"
    assert "roots" not in without["provenance"]["signature"]
    assert run(*arguments, OPTION, "--rules", "conll18").returncode == 2
    ranked = levelhead.rank(tmp_path / "golds", tmp_path / "systems", measures="LAS", allow_several_roots=True)
    assert ranked.to_dict()["tables"] == allowed["tables"]
    compared = levelhead.compare(gold, {"a": GOLD, "b": system}, measures="LAS", allow_several_roots=True)
    assert compared.provenance.signature["roots"] == "several"


def test_a_store_keeps_both_apart(forests: tuple[Path, Path], tmp_path: Path) -> None:
    """A result without the option is not taken for one with it."""
    store = tmp_path / "store"
    with pytest.raises(InputError):
        levelhead.score(*forests, store=store)
    assert levelhead.score(*forests, store=store, allow_several_roots=True)["LAS"].correct == 87
    with pytest.raises(InputError):
        levelhead.score(*forests, store=store)


def test_rank_of_a_table_has_no_use_for_it(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("system\ttreebank\tmeasure\tscore\na\tde\tLAS\t50\n", encoding="utf-8")
    result = run("rank", "--scores", tmp_path / "t.tsv", OPTION)
    assert result.returncode == 2
    assert "--allow-several-roots has no effect with --scores" in result.stderr


def test_epoch_scorer(forests: tuple[Path, Path]) -> None:
    """What `score` gives, with the option in the signature of every score."""
    gold = levelhead.read(forests[0], allow_several_roots=True)
    system = levelhead.read(forests[1], allow_several_roots=True)
    with pytest.raises(ConlluError, match="allow_several_roots=True") as error:
        EpochScorer(gold)
    assert (error.value.slug, error.value.place.file) == ("several-roots", str(forests[0]))
    scorer = EpochScorer(gold, labels=system.relations, allow_several_roots=True)
    found = scorer.score(gold.local_heads(), scorer.ids(gold.relations))
    assert counts(found) == counts(levelhead.score(gold, gold, measures=list(found)))
    assert all(one.signature == {"rules": "ud", "roots": "several"} for one in found.values())
    assert EpochScorer(levelhead.read(GOLD)).score(*[np.zeros(164, dtype=int)] * 2)["LAS"].signature == {"rules": "ud"}
    with pytest.raises(MeasureError):
        EpochScorer(gold, rules="conll17", allow_several_roots=True)


@pytest.mark.data
def test_real_outputs(data: Path, tmp_path: Path) -> None:
    """The counts of the rules ud are those of today's script, on a real output with roots added."""
    folder = data / "conll18"
    (system,) = sorted(folder.glob("systems/HIT-SCIR-18/br_keb.conllu*"))
    (gold,) = sorted(folder.glob("gold/br_keb.conllu*"))
    for name, path in (("gold", gold), ("system", system)):
        text = levelhead.treebank.to_conllu(levelhead.read(path)).decode()
        (tmp_path / name).write_text(with_roots(text, Random(7), 0.1), encoding="utf-8")
    ours, todays = (
        levelhead.score(tmp_path / "gold", tmp_path / "system", rules=rules, allow_several_roots=True)
        for rules in ("ud", "udtools")
    )
    shared = [name for name in todays if name in ours and ours[name].reason is None]
    assert {"UAS", "LAS", "CLAS", "MLAS", "BLEX"} <= set(shared)
    assert {name: counts(ours)[name] for name in shared} == {name: counts(todays)[name] for name in shared}
