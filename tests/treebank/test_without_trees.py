"""Files in which no word has a head: read, scored for segmentation and tags, refused where trees are needed."""

import json
import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

import levelhead
from command_line import levelhead as run
from conftest import EXAMPLES, one_in
from levelhead import ConlluError, InputError, from_conllu
from levelhead.evaluation.epochs import EpochScorer
from levelhead.treebank import faults_of, input_bytes, to_conllu
from levelhead.treebank.input_bytes import PieceSizes
from oracle.damage import damaged_bytes
from oracle.measures import OF_TREES, score as oracle_score
from result_rows import rows_in, scores_in
from strategies import SEEDS, examples, pairs, treebanks

GOLD, SYSTEM = EXAMPLES / "parallel/gold/de.conllu", EXAMPLES / "parallel/systems/beta/de.conllu"
OTHER = EXAMPLES / "parallel/systems/alpha/de.conllu"
TINY = (PieceSizes(1 << 40, 1), *(PieceSizes(0, size) for size in (1, 300, *one_in(2, (5000,), 1))))
_HEAD = re.compile(r"(?m)^([1-9][0-9]*\t(?:[^\t\n]*\t){5})[^\t\n]*")


def headless(text: str) -> str:
    """Take the heads out of a file; the relations stay."""
    return _HEAD.sub(r"\1_", text)


@pytest.fixture
def bare(tmp_path: Path) -> tuple[Path, Path]:
    """Gold and an output without heads."""
    for name, path in (("gold", GOLD), ("system", SYSTEM)):
        (tmp_path / name).write_text(headless(path.read_text(encoding="utf-8")), encoding="utf-8")
    return tmp_path / "gold", tmp_path / "system"


@given(treebanks())
def test_round_trip(text: str) -> None:
    tb = from_conllu(headless(text))
    assert not tb.has_trees
    assert to_conllu(tb).decode() == headless(text)
    assert to_conllu(tb[::-1][::-1]).decode() == headless(text)
    assert all(head is None for sentence in tb for head in sentence.heads)
    (warning,) = (fault for fault in tb.warnings if fault.slug == "missing-trees")
    assert warning.count == tb.n_words


def test_some_heads_are_an_error() -> None:
    """As long as any word has a head, each that has none is an error."""
    first, second = "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n", "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    for text, lines in ((first + second, [1]), (second + first, [3]), (first * 3 + second + first, [1, 3, 5, 9])):
        with pytest.raises(ConlluError) as error:
            from_conllu(text)
        assert [(fault.place.line, fault.slug) for fault in error.value.faults] == [(n, "invalid-head") for n in lines]


@settings(max_examples=examples(10))
@given(treebanks(max_sentences=6), SEEDS, st.integers(0, 2), st.booleans())
def test_pieces_are_the_whole(
    tmp_path_factory: pytest.TempPathFactory, text: str, seed: int, n_edits: int, mixed: bool
) -> None:
    """Faults, warnings and scores are the same, however large the pieces are, also where only some heads are missing."""
    path = tmp_path_factory.mktemp("bare") / "f"
    data = headless(text) + (text if mixed else "") + headless(text)
    path.write_bytes(damaged_bytes(Random(seed), data, n_edits))
    found = []
    for sizes in TINY:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(input_bytes, "SIZES", sizes)
            found.append((faults_of(path), run("score", path, path, "--format", "json").stdout))
    assert all(one == found[0] for one in found)


@settings(max_examples=examples(30))
@given(pairs(), st.sampled_from(["gold", "system", "both"]))
def test_what_needs_no_trees_is_as_with_trees(texts: tuple[str, str], side: str) -> None:
    gold, system = texts
    whole = levelhead.score(from_conllu(gold), from_conllu(system))
    gold, system = headless(gold) if side != "system" else gold, headless(system) if side != "gold" else system
    found = levelhead.score(from_conllu(gold), from_conllu(system))
    expected = oracle_score(gold, system, "ud")
    where = "the system's output" if side == "system" else "gold"
    for name, score in found.items():
        if name in OF_TREES:
            assert score.value is None
            assert score.reason == f"not annotated in {where}: HEAD"
            assert name not in expected
        else:
            assert (score.correct, score.gold, score.system, score.reason) == (
                whole[name].correct, whole[name].gold, whole[name].system, whole[name].reason
            )  # fmt: skip
            if score.reason is None and not name.startswith("Empty"):  # another oracle counts empty nodes
                counted = expected[name]
                assert (score.correct, score.gold, score.system) == (counted.correct, counted.gold, counted.system)


NEED_TREES = "UAS LAS(full) LS CNC UEM LEM Roots UPOS@nsubj UPOS-punct LAS(nopunct) WeightedLAS(w)".split()


def test_measures_that_choose_words_by_relation_need_trees(bare: tuple[Path, Path]) -> None:
    weights = {"w": {"det": 0.5}}
    found = levelhead.score(GOLD, bare[1], measures=[*NEED_TREES, "Trees", "UPOS", "Words"], weights=weights)
    assert {name for name, score in found.items() if score.reason} == {*NEED_TREES, "Trees"}
    found = levelhead.score(bare[0], SYSTEM, measures=[*NEED_TREES, "Trees", "UPOS"], weights=weights)
    assert {name for name, score in found.items() if score.reason} == set(NEED_TREES)


def test_command_line(bare: tuple[Path, Path]) -> None:
    """No row but a note with the reason, null in JSON, exit code 0."""
    result = run("score", GOLD, bare[1])
    assert result.returncode == 0
    assert re.search(r"(?m)^UPOS +\| +95\.00 \| +92\.68 \| +93\.83 \| +100\.00$", result.stdout)
    assert not re.search(r"(?m)^LAS ", result.stdout)
    note = r"no UAS, LAS, .*: the system's output has no trees \(column\s+HEAD\)"
    assert re.search(note, result.stdout)
    assert f"{bare[1]}:3: missing-trees: the word has no head" in result.stderr
    las = scores_in(json.loads(run("score", *bare, "--format", "json").stdout))["LAS"]
    assert (las["f1"], las["value"], las["reason"]) == (None, None, "not annotated in gold: HEAD")


def test_official_scorers_refuse_them(bare: tuple[Path, Path]) -> None:
    for rules in ("conll17", "conll18", "udtools"):
        with pytest.raises(InputError, match="the HEAD '_' is not a number"):
            levelhead.score(GOLD, bare[1], rules=rules)


def test_compare_needs_measures_with_values(bare: tuple[Path, Path]) -> None:
    result = run("compare", GOLD, SYSTEM, bare[1])
    assert result.returncode == 2
    assert f"{bare[1]}: not-annotated: LAS: the system's output has no trees (column HEAD)" in result.stderr
    assert run("compare", GOLD, SYSTEM, bare[1], "-m", "UPOS").returncode == 0
    assert (
        f"{bare[0]}: not-annotated: LAS: the gold standard has no trees (column HEAD)"
        in run("compare", bare[0], SYSTEM).stderr
    )


def test_in_rank_an_output_without_trees_counts_as_0(bare: tuple[Path, Path]) -> None:
    """Leaving out trees must not pay; where gold has none, no system has a value."""
    systems = {"trees": {"de": OTHER}, "none": {"de": bare[1]}}
    found = levelhead.rank({"de": GOLD}, systems, measures=["LAS", "UPOS"], significance=True).to_dict()
    las, upos = (rows_in(found, "standings", measure=name) for name in ("LAS", "UPOS"))
    assert (las[1]["system"], las[1]["value"]) == ("none", 0)
    assert all(one["value"] > 90 for one in upos)
    found = levelhead.rank({"de": bare[0]}, systems, measures=["LAS", "UPOS"]).to_dict()
    assert [one["value"] for one in rows_in(found, "standings", measure="LAS")] == [None, None]


@pytest.mark.parametrize(
    "command",
    [
        "breakdown {gold} {system} --by deprel",
        "analyze {gold} {system} --show types",
        "confusion {gold} {system}",
        "trees {gold} {system} --show nsubj:obj",
        "trees {gold} {other} {system}",
        "agree {gold} {system}",
        "score {gold} {system} --report {folder}/x.html",
        "score {system} {system} --report {folder}/x.html",
        "compare {system} {gold} {other} --report {folder}/x.html",
        "profile {system}",
        "similarity {gold} {system}",
        "derive {system}",
        "perplexity {gold} {system} --order swap-lazy",
        "convert forward {system} {folder}/out",
        "convert --check {system}",
        "train baseline-left {system} {folder}/model",
        "crossval baseline-left {system} -o {folder}/out",
    ],
)
def test_what_needs_trees_says_so(bare: tuple[Path, Path], tmp_path: Path, command: str) -> None:
    words = [part.format(gold=GOLD, system=bare[1], other=OTHER, folder=tmp_path) for part in command.split()]
    result = run(*words)
    assert result.returncode == 2
    assert f"{bare[1]}: no-trees: no word has a head" in result.stderr
    assert "Traceback" not in result.stderr


def test_python_needs_trees_where_they_are_used(bare: tuple[Path, Path]) -> None:
    tb = levelhead.read(bare[1])
    for use in (levelhead.profile, levelhead.derive, EpochScorer, lambda one: one.local_heads()):
        with pytest.raises(InputError, match="no word has a head"):
            use(tb)
    counted = levelhead.sentences(GOLD, tb, measures=["LAS", "UPOS"])
    rows = counted.to_dict()["tables"]["sentences"]
    assert counted.provenance.notes[-1] == f"{GOLD.stem}: no LAS for system: not annotated in the system's output: HEAD"
    assert {row["LAS_correct"] for row in rows} == {None}
    assert sum(row["UPOS_correct"] for row in rows) == 152
    words = levelhead.words(GOLD, tb).to_dict()["tables"]["words"]
    assert {(row["system_head"], row["head_correct"], row["deprel_correct"]) for row in words} == {(None, None, None)}
    assert sum(row["upos_correct"] for row in words) == 152


@pytest.mark.parametrize("mixed", [False, True])
def test_profiles_of_large_files(bare: tuple[Path, Path], mixed: bool) -> None:
    """Whole or in pieces, a profile needs trees; where some words have heads, the others are listed."""
    path = bare[0]
    path.write_text(path.read_text(encoding="utf-8") + (GOLD.read_text(encoding="utf-8") if mixed else ""), "utf-8")
    found = []
    for sizes in TINY:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(input_bytes, "SIZES", sizes)
            found.append(run("profile", path))
    assert all((one.returncode, one.stderr) == (2, found[0].stderr) for one in found)
    assert ("invalid-head" if mixed else "no-trees") in found[0].stderr


def test_parsing_gives_trees(bare: tuple[Path, Path]) -> None:
    tb = levelhead.read(bare[0])
    parsed = levelhead.parse(levelhead.train(GOLD, "baseline-left"), tb)
    assert parsed.has_trees
    assert levelhead.score(GOLD, parsed)["UAS"].value is not None
