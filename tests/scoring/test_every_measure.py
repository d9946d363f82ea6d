"""Every registered measure, however its files are read: whole, in pieces, partially, by sentence, and invalid ones."""

import hashlib
import json
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES, one_in
from levelhead import scoring
from levelhead.campaign.find import find_plan
from levelhead.campaign.outputs import JobSetup, count_output
from levelhead.campaign.records import File, json_of
from levelhead.comparison.word_tables import sentences_of_outputs
from levelhead.errors import LevelheadError, MeasureError
from levelhead.evaluation.files import score_files
from levelhead.evaluation.setup import Setup, setup_of
from levelhead.measures.registry import REGISTRY, STANDARD, Registry
from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import Agree, Matches
from levelhead.scoring.measure import COUNTED_ITEMS, Definition
from levelhead.scoring.rules import RULES
from levelhead.scoring.score import COUNTERS
from levelhead.treebank import input_bytes
from levelhead.treebank.input_bytes import PieceSizes
from oracle.drawing import some_system, some_treebank

SENTENCE_BY_SENTENCE = PieceSizes(0, 1)
_DEPTH = 2


def count_shallow(matches: Matches, _: object, *, by_sentence: bool = False, before: Counts | None = None) -> Counts:
    """Correct heads among the words at depth 2 or less, each side by its own tree."""
    of_pair = matches.alignment
    rows = [matches.gold.sentence_of_word, matches.row_of_system]
    shallow = [depths(side) <= _DEPTH for side in (matches.gold, matches.system)]
    pairs = shallow[0][of_pair.gold]
    right = pairs & shallow[1][of_pair.system] & (matches.flags & int(Agree.HEAD) > 0)

    def summed(row: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        return np.bincount(row[chosen], minlength=len(matches.gold)).astype(np.int64)

    gold_rows = rows[0][of_pair.gold]
    counts = Counts(
        summed(gold_rows, right), summed(rows[0], shallow[0]), summed(rows[1], shallow[1]), summed(gold_rows, pairs)
    )
    if by_sentence:
        return counts
    return (counts if before is None else before + counts).total()


def depths(treebank: levelhead.Treebank) -> np.ndarray:
    """The number of arcs from each word to the root; large if it does not reach the root."""
    heads, depth = treebank.heads, np.zeros(treebank.n_words, dtype=np.int64)
    for word in range(treebank.n_words):
        at = word
        while heads[at] >= 0 and depth[word] <= treebank.n_words:
            at, depth[word] = heads[at], depth[word] + 1
    return depth


SHALLOW = Definition(
    "Shallow", "Correct heads near the root.", "correct / words at depth 2 or less", "a test",
    counted_item="words near the root", needs=Agree.HEAD, counter=count_shallow,
)  # fmt: skip
WITH_SHALLOW = Registry({**STANDARD.measures, "Shallow": SHALLOW}, STANDARD.schemes)
NEAR_ROOT = levelhead.measure("NearRoot", weight=lambda words: words.depth <= _DEPTH)(lambda words: words.head_correct)
"""The same with functions of words instead of a counter, and so for single words."""


def test_every_counted_item_has_one_counter() -> None:
    assert set(COUNTERS) == COUNTED_ITEMS
    assert all(definition.counted_item in COUNTED_ITEMS or definition.counter for definition in REGISTRY.values())


@pytest.mark.parametrize("side", [0, 1])
def test_an_item_counts_alike_under_any_name(folder: Path, side: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in partial scores of an output in which sentences are missing."""
    monkeypatch.setattr(
        scoring.measure, "COUNTED_ITEMS", {*COUNTED_ITEMS, *(f"{item} again" for item in COUNTED_ITEMS)}
    )
    again = {f"{item} again": counter for item, counter in COUNTERS.items()}
    monkeypatch.setattr(scoring.score, "COUNTERS", {**COUNTERS, **again})
    listed = [one for one in REGISTRY.values() if RULES["ud"].defines(one.name) and not one.needs_file]
    copies = [replace(one, name=f"{one.name}Again", counted_item=f"{one.counted_item} again") for one in listed]
    registry = Registry({one.name: one for one in (*listed, *copies)}, STANDARD.schemes)
    files = pair_in(folder, 3)
    output = folder / "fewer"
    levelhead.write(levelhead.read(files[side]).select(range(13)), output)
    setup = setup_of([*registry.measures], registry=registry, partial=True)
    for sizes in (None, SENTENCE_BY_SENTENCE):
        counted = numbers(files[0], output, setup, sizes)
        assert {one.name: counted[one.name] for one in listed} == {
            one.name: counted[f"{one.name}Again"] for one in listed
        }
        assert side or {counted[name][:3] for name in ("Sentences", "Trees")} == {(13, 25, 25)}


def test_an_item_that_nothing_counts_is_refused_at_once() -> None:
    with pytest.raises(MeasureError, match="unknown counted item 'word': did you mean words"):
        Definition("Mine", "A share.", "some / all", "here", counted_item="word")


WEIGHTS = {"nsubj": 2.0, "obj": 1.5, "det": 0.1, "punct": 0.0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pairs")


def pair_in(folder: Path, seed: int) -> tuple[Path, Path]:
    draw = Random(seed)
    gold = some_treebank(draw, [draw.randrange(3, 12) for _ in range(25)])
    paths = folder / f"gold{seed}", folder / f"system{seed}"
    for path, text in zip(paths, (gold, some_system(draw, gold)), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def setup_for(gold: Path, **how: Any) -> Setup:
    """Every registered measure that the rules define, and one of a new kind."""
    measures = []
    for name, definition in WITH_SHALLOW.measures.items():
        argument = "(w,default=2)" if definition.takes_weights and definition.default_weight is None else ""
        argument = argument or ("(w)" if definition.takes_weights else f"({gold})" if definition.load else "")
        if RULES[how.get("rules", "ud")].defines(name) and not (how.get("partial") and definition.lower_is_better):
            measures.append(f"{name}{argument}")
    return setup_of(measures, registry=WITH_SHALLOW, weights={"w": WEIGHTS}, **how)


def numbers(gold: Path, system: Path, setup: Setup, sizes: PieceSizes | None = None) -> dict[str, tuple[object, ...]]:
    scores = score_files(gold, system, setup, sizes)
    return {name: (one.correct, one.gold, one.system, one.aligned, one.reason) for name, one in scores.items()}


HOW = {}, {"partial": True}, {"allow_several_roots": True}, {"rules": "conll17"}


@pytest.mark.parametrize(("how", "seed"), one_in(2, list(product(HOW, [5, 7, 11]))), ids=str)
def test_pieces_and_sentences_add_up(folder: Path, seed: int, how: dict[str, Any]) -> None:
    """These seeds are valid for all scorers, with readable DEPS."""
    gold, system = pair_in(folder, seed)
    if "allow_several_roots" in how:
        system = with_two_roots(system)
    setup = setup_for(gold, **how)
    whole = numbers(gold, system, setup)
    assert numbers(gold, system, setup, SENTENCE_BY_SENTENCE) == whole
    assert all(reason is None for *_, reason in whole.values())
    usual = setup_for(gold)
    if how.get("partial"):  # the text is the same and all trees are valid
        assert whole == {name: counts for name, counts in numbers(gold, system, usual).items() if name in whole}
    rows = sentences_of_outputs(find_plan(gold, [system]), setup).data()
    sums = dict(zip(rows.names, zip(*rows.rows, strict=True), strict=True))
    for name, counts in whole.items():
        parts = [sum(sums[f"{name}_{part}"]) for part in ("correct", "gold", "predicted")]
        assert parts == pytest.approx(counts[:3]), name


def with_two_roots(path: Path) -> Path:
    """A copy in which the second word of one sentence is a root, too."""
    treebank = levelhead.read(path)
    heads = treebank.heads.copy()
    starts = treebank.sentence_starts
    sentence = next(i for i in range(len(treebank)) if starts[i + 1] - starts[i] > 2)
    words = range(starts[sentence], starts[sentence + 1])
    heads[next(word for word in words if heads[word] >= 0)] = -1
    copy = path.with_name(f"{path.name}-roots")
    levelhead.write(treebank.replace(heads=heads, several_roots=True), copy)
    return copy


@pytest.mark.parametrize("kind", ["empty", "damaged", "other text", "half"])
@pytest.mark.parametrize("partial", [False, True])
def test_records_of_invalid_outputs(folder: Path, kind: str, partial: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """No measure is lost, and the record is the same whole and in pieces."""
    gold, system = pair_in(folder, 1)
    text = system.read_text(encoding="utf-8")
    invalid = {
        "empty": "",
        "damaged": text.replace("\t", " ", 3),
        "other text": text.replace("\ta", "\tb", 5),
        "half": text[: text.index("\n\n", len(text) // 2) + 2],
    }[kind]
    output = folder / "invalid"
    output.write_text(invalid, encoding="utf-8")
    files = [File(str(path), hashlib.sha256(path.read_bytes()).hexdigest()) for path in (gold, output)]
    settings = JobSetup(setup_for(gold, partial=partial).read(), resample_by="auto")
    whole = count_output(*files, settings)
    monkeypatch.setattr(input_bytes, "SIZES", SENTENCE_BY_SENTENCE)
    assert json_of(count_output(*files, settings)) == json_of(whole)
    assert whole["state"] == ("valid" if partial and kind != "empty" else "invalid")
    if whole["state"] == "valid":
        of_gold = numbers(gold, gold, setup_for(gold, partial=True))
        assert {name: counts[1] for name, counts in whole["scores"].items()} == pytest.approx(
            {name: counts[1] for name, counts in of_gold.items()}
        )


def test_no_two_measures_are_equal_by_accident(folder: Path) -> None:
    counted = [[*numbers(*pair_in(folder, seed), setup_for(pair_in(folder, seed)[0])).items()] for seed in (2, 31)]
    measures = [(first[0].partition("(")[0], first[1], other[1]) for first, other in zip(*counted, strict=True)]
    equal = [(one[0], other[0]) for one, other in combinations(measures, 2) if one[1:] == other[1:]]
    assert equal == []


def test_a_measure_of_a_new_kind_needs_one_definition_and_one_counter() -> None:
    """It works wherever scores are, and is not mistaken for a measure of words."""
    gold, systems = EXAMPLES / "parallel/gold", EXAMPLES / "parallel/systems"
    how = {"measures": ["Shallow", "UAS"], "registry": WITH_SHALLOW}
    pair = gold / "en.conllu", systems / "alpha/en.conllu"
    scores = levelhead.score(*pair, **how)
    expected = scores["Shallow"]
    assert 0 < expected.gold < scores["UAS"].gold
    assert levelhead.score(*pair, partial=True, **how)["Shallow"].f1 == expected.f1
    compared = levelhead.compare(pair[0], [pair[1], systems / "beta/en.conllu"], **how)
    shown = next(one.interval for one in compared.results if one.measure == "Shallow")
    on_page = levelhead.score(*pair, prepare="page", **how).looked.page.intervals["Shallow"]
    assert on_page == pytest.approx(shown)
    assert "Shallow" in json.dumps(levelhead.rank(gold, systems, **how).to_dict())
    for measure in ("Shallow@CORE", "Shallow-punct"):
        with pytest.raises(MeasureError, match="has no classes"):
            levelhead.score(*pair, measures=[measure], registry=WITH_SHALLOW)
    with pytest.raises(LevelheadError, match="cannot be broken down"):
        levelhead.breakdown(*pair, by="deprel", measures="Shallow", registry=WITH_SHALLOW)
    assert "Shallow_correct" in levelhead.sentences(*pair, **how).data().names


def test_a_measure_of_some_words_works_for_single_words() -> None:
    gold, systems = EXAMPLES / "parallel/gold", EXAMPLES / "parallel/systems"
    pair = gold / "en.conllu", systems / "alpha/en.conllu"
    both = WITH_SHALLOW.including([NEAR_ROOT])
    how = {"measures": ["NearRoot", "Shallow"], "registry": both}

    def equal(scores: levelhead.Evaluation) -> levelhead.Score:
        one, other = scores["NearRoot"], scores["Shallow"]
        assert [one.correct, one.gold, one.system, one.aligned] == [
            other.correct,
            other.gold,
            other.system,
            other.aligned,
        ]
        return one

    score = equal(levelhead.score(*pair, **how))
    equal(levelhead.score(*pair, partial=True, **how))
    setup = setup_of(["NearRoot", "Shallow"], registry=both)
    equal(score_files(*pair, setup, SENTENCE_BY_SENTENCE))
    compared = levelhead.compare(pair[0], [pair[1], systems / "beta/en.conllu"], **how).results
    by_measure = [one._replace(measure="") for measure in how["measures"] for one in compared if one.measure == measure]
    assert by_measure[:2] == by_measure[2:]
    assert "NearRoot" in json.dumps(levelhead.rank(gold, systems, **how).to_dict())
    broken_down = levelhead.breakdown(*pair, by="length", measures="NearRoot", registry=both).table()
    column = [one.name for one in broken_down.columns].index("Correct")
    assert sum(row[column] for row in broken_down.rows) == score.correct
    classes = levelhead.score(*pair, measures=["NearRoot@CORE", "NearRoot-CORE"], registry=both)
    assert 0 < sum(one.correct for one in classes.values()) <= score.correct  # each side by its own relation
    assert sum(one.gold for one in classes.values()) == score.gold
