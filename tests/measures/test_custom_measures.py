"""Measures that are functions: equal to the shipped measures that they copy, whatever is computed with them."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import levelhead
from conftest import EXAMPLES, one_in
from levelhead import testing
from levelhead.errors import InputError, LevelheadError, MeasureError
from levelhead.evaluation.files import score_files
from levelhead.evaluation.fold import counts_by_sentence
from levelhead.evaluation.setup import setup_of
from levelhead.jobs import Store
from levelhead.measures.registry import REGISTRY
from levelhead.scoring.matches import match
from levelhead.scoring.measure import CustomMeasure
from levelhead.scoring.rules import RULES
from levelhead.scoring.word_columns import WordColumns
from levelhead.treebank.input_bytes import PieceSizes
from levelhead.treebank.relations import NIVRE_FANG
from oracle.custom import columns
from oracle.measures import CONTENT
from strategies import examples, pairs

GOLD, SYSTEMS = EXAMPLES / "parallel/gold", EXAMPLES / "parallel/systems"
PAIR = (GOLD / "en.conllu", SYSTEMS / "alpha/en.conllu")
OTHER = SYSTEMS / "beta/en.conllu"
SENTENCE_BY_SENTENCE = PieceSizes(0, 1)


def attached(words: WordColumns) -> Any:
    """Words with the correct head and relation."""
    return words.head_correct & words.deprel_correct


def is_content(words: WordColumns) -> Any:
    return np.isin(words.relation, sorted(CONTENT))


def near_root(words: WordColumns) -> Any:
    return 1 / (1 + words.depth)


OWN_LAS = levelhead.measure("OwnLAS")(attached)
OWN_CLAS = levelhead.measure("OwnCLAS", weight=is_content)(attached)
NEAR_ROOT = levelhead.measure("NearRoot", weight=near_root)(attached)
ALL = [OWN_LAS, "LAS", OWN_CLAS, "CLAS", NEAR_ROOT]
COPIES = {"OwnLAS": "LAS", "OwnCLAS": "CLAS"}


def counts(scores: levelhead.Evaluation) -> dict[str, tuple[float | None, ...]]:
    return {name: (one.correct, one.gold, one.system, one.aligned) for name, one in scores.items()}


def check_copies(values: dict[str, Any]) -> None:
    for own, shipped in COPIES.items():
        assert values[own] == values[shipped]


@settings(max_examples=examples(20))
@given(texts=pairs(max_sentences=5, max_words=10))
def test_copies_have_the_same_counts(texts: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whole, in pieces of a sentence, partially and by sentence, where systems split words and sentences otherwise."""
    folder = tmp_path_factory.mktemp("pair")
    files = folder / "gold", folder / "system"
    for path, text in zip(files, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    whole, partial = setup_of(ALL), setup_of(ALL, partial=True)
    expected = counts(score_files(*files, whole))
    check_copies(expected)
    assert counts(score_files(*files, whole, SENTENCE_BY_SENTENCE)) == expected
    assert counts(score_files(*files, partial)) == expected
    assert counts(score_files(*files, partial, SENTENCE_BY_SENTENCE)) == expected
    by_sentence = counts_by_sentence(match(*map(levelhead.read, files), RULES["ud"]), whole)
    check_copies({name: str(one) for name, one in by_sentence.items()})


@pytest.mark.parametrize("kind", ["cycle", "no HEAD", "fewer", "other words"])
def test_copies_have_the_same_partial_counts_of_broken_outputs(kind: str, tmp_path: Path) -> None:
    lines = OTHER.read_text(encoding="utf-8").split("\n")
    for i, line in enumerate(lines):
        cells = line.split("\t")
        if len(cells) == 10 and i % 7 == 0:
            cells[6] = {"cycle": cells[0], "no HEAD": "_"}.get(kind, cells[6])
            cells[1] += "x" if kind == "other words" else ""
            lines[i] = "\t".join(cells)
    output = tmp_path / "output.conllu"
    output.write_text("\n".join(lines[len(lines) // 2 if kind == "fewer" else 0 :]), encoding="utf-8")
    if kind == "fewer":
        text = output.read_text(encoding="utf-8")
        output.write_text(text[text.index("\n\n") + 2 :], encoding="utf-8")
    setup = setup_of(ALL, partial=True)
    scored = score_files(PAIR[0], output, setup)
    check_copies(counts(scored))
    check_copies({name: one.correct for name, one in scored.valid_trees.items()})
    for name, numbers in counts(score_files(PAIR[0], output, setup, SENTENCE_BY_SENTENCE)).items():
        assert numbers == pytest.approx(counts(scored)[name])


@pytest.mark.parametrize(
    ("code", "system"),
    one_in(
        2,
        [
            ("kk_ktb", "ONLP-lab"),
            *product(["en_ewt", "ja_gsd"], ["ONLP-lab", "UDPipe-Future"]),
            ("kk_ktb", "UDPipe-Future"),
        ],
    ),
)
def test_copies_on_real_outputs(data: Path, system: str, code: str) -> None:
    """Outputs of raw text, in which words and sentences differ from gold, in pieces as large as usual and smaller."""
    files = [data / f"conll18/{folder}/{code}.conllu.xz" for folder in ("gold", f"systems/{system}")]
    setup = setup_of(ALL, rules="conll18")
    expected = counts(score_files(*files, setup))
    check_copies(expected)
    assert counts(score_files(*files, setup, PieceSizes(0, 50_000))) == expected


def test_copies_are_compared_ranked_and_broken_down_alike() -> None:
    def by_measure(rows: list[dict[str, Any]]) -> dict[str, Any]:
        return {row["measure"]: {**row, "measure": ""} for row in rows if row.get("system", "beta") == "beta"}

    compared = levelhead.compare(PAIR[0], [PAIR[1], OTHER], measures=ALL)
    check_copies(by_measure(compared.to_dict()["tables"]["results"]))
    ranked = [
        json.dumps(levelhead.rank(GOLD, SYSTEMS, measures=[one], significance=True).to_dict()["tables"])
        for one in (OWN_CLAS, "CLAS")
    ]
    assert ranked[0].replace("OwnCLAS", "CLAS") == ranked[1]
    for by in ("upos", "length", "class"):
        rows = [levelhead.breakdown(*PAIR, by=by, measures=one).table().rows for one in (OWN_CLAS, "CLAS")]
        assert rows[0] == rows[1]
    both = [levelhead.languages(GOLD, SYSTEMS / "alpha", measures=one).table().rows for one in (OWN_LAS, "LAS")]
    assert [row[:3] + row[5:] for row in both[0]] == [row[:3] + row[5:] for row in both[1]]
    drawn = [str(levelhead.trees(PAIR[0], [PAIR[1], OTHER], measures=one)) for one in (OWN_LAS, "LAS")]
    assert drawn[0].rpartition("rules:")[0] == drawn[1].rpartition("rules:")[0]


def test_runs_gates_cross_validation_and_pages(tmp_path: Path) -> None:
    for run, output in (("run1", PAIR[1]), ("run2", OTHER)):
        (tmp_path / "mine" / run).mkdir(parents=True)
        (tmp_path / "mine" / run / "en.conllu").write_bytes(output.read_bytes())
    gates = levelhead.compare(
        GOLD / "en.conllu", [PAIR[1], tmp_path / "mine"], measures=ALL, fail_if_worse=OWN_LAS, as_runs=True
    )
    assert gates.systems == ("en", "mine")
    assert [gate.measure for gate in gates.gates] == ["OwnLAS"]
    of_runs = {
        one.measure: (one.n_runs, one.n_baseline_runs, one.value, one.difference)
        for one in gates.results
        if one.system == "mine"
    }
    assert of_runs["OwnLAS"][:2] == (2, 1)
    check_copies(of_runs)
    testing.assert_score(*PAIR, OWN_LAS, at_least=89)
    with pytest.raises(AssertionError, match=r"OwnLAS is 89\.0244, under 90"):
        testing.assert_score(*PAIR, OWN_LAS, at_least=90)
    outputs = levelhead.crossval(PAIR[0], folds=2)
    check_copies(counts(levelhead.score(PAIR[0], outputs, measures=ALL)))
    for n, result in enumerate(
        (
            levelhead.score(*PAIR, measures=[NEAR_ROOT], prepare="page"),
            levelhead.compare(PAIR[0], [PAIR[1], OTHER], measures=[OWN_LAS], prepare=["page", "summary"]),
            levelhead.rank(GOLD, SYSTEMS, measures=[OWN_LAS], prepare="page"),
        )
    ):
        levelhead.write_report(result, tmp_path / f"{n}.html")
        assert ("NearRoot" if n == 0 else "OwnLAS") in (tmp_path / f"{n}.html").read_text(encoding="utf-8")


NAMES = [
    "form",
    "lemma",
    "upos",
    "xpos",
    "feats",
    "deprel",
    "relation",
    "word",
    "head",
    "head_row",
    "distance",
    "depth",
]


@settings(max_examples=examples(40))
@given(texts=pairs())
def test_every_column_is_as_described(texts: tuple[str, str]) -> None:
    matches = match(*map(levelhead.from_conllu, map(str.encode, texts)), RULES["ud"])
    words, expected = WordColumns(matches, NIVRE_FANG), columns(*texts)
    assert len(words) == len(expected)
    for name in expected[0] if expected else ():
        assert words[name].tolist() == [row[name] for row in expected], name
    for side in (matches.gold, matches.system):
        own = WordColumns(side, NIVRE_FANG)
        itself = WordColumns(match(side, side, RULES["ud"]), NIVRE_FANG)
        for name in [*NAMES, "class", "sentence", "feature:Case"]:
            assert own[name].tolist() == itself[name].tolist()


@settings(max_examples=examples(30))
@given(texts=pairs())
def test_weights_are_summed_on_each_side(texts: tuple[str, str]) -> None:
    gold, system = (levelhead.from_conllu(text.encode()) for text in texts)
    rows, others = columns(*texts), columns(texts[1], texts[1])
    right = [row["head_correct"] and row["deprel_correct"] for row in rows]
    weights, of_system = ([1 / (1 + row["depth"]) for row in some] for some in (rows, others))
    correct = sum(min(1 / (1 + row["depth"]), 1 / (1 + row["system_depth"])) for row, ok in zip(rows, right) if ok)
    score = levelhead.score(gold, system, measures=NEAR_ROOT)["NearRoot"]
    assert (score.correct, score.gold, score.system) == pytest.approx((correct, sum(weights), sum(of_system)))
    assert score.f1 is None or max(score.precision or 0, score.recall or 0, score.f1) < 100 + 1e-9
    by_gold = levelhead.measure("NearRoot", weight=near_root, by_gold=True)(attached)
    other = levelhead.score(gold, system, measures=by_gold)["NearRoot"]
    alone = match(gold, system, RULES["ud"]).gold_of_system < 0
    aligned = sum(weight for weight, row in zip(weights, rows) if row["system_word"] > 0)
    assert other.system == pytest.approx(aligned + sum(w for w, is_alone in zip(of_system, alone) if is_alone))


def test_names_and_columns_of_the_parts() -> None:
    words = WordColumns(match(*map(levelhead.read, PAIR), RULES["ud"]), NIVRE_FANG)
    part = words.part(slice(3, 5))
    rows = part.rows
    assert part.sentence[0] == 1
    assert part.sentence[-1] == 2
    assert part.form.tolist() == words.form[rows].tolist()
    inside = words.head_row[rows]
    assert part.head_row.tolist() == np.where(inside < 0, inside, inside - rows.start).tolist()
    assert "system_head_row" in dir(words)
    with pytest.raises(AttributeError, match="unknown column 'hed': did you mean head"):
        words.hed  # noqa: B018
    with pytest.raises(KeyError, match="unknown column 'system_feature:'"):
        words["system_feature:"]
    with pytest.raises(AttributeError, match="unknown column 'head_correct'"):
        WordColumns(levelhead.read(PAIR[0]), NIVRE_FANG).head_correct  # noqa: B018
    with pytest.raises(ValueError, match="read-only"):
        words.depth[0] = 1


def test_classes_components_and_signatures() -> None:
    versioned = levelhead.measure("OwnLAS", version="2.1")(attached)
    scores = levelhead.score(*PAIR, measures=[versioned, "OwnLAS@CORE", "OwnLAS-punct.recall", "LAS@CORE", "LAS-punct"])
    assert counts(scores)["OwnLAS@CORE"] == counts(scores)["LAS@CORE"]
    assert counts(scores)["OwnLAS-punct.recall"] == counts(scores)["LAS-punct"]
    assert scores.signature["functions"] == f"{__name__}.attached@2.1"
    assert levelhead.score(*PAIR, measures=[OWN_LAS]).signature["functions"] == f"{__name__}.attached"
    assert replace(versioned, component="recall").definition is versioned.definition
    assert levelhead.score(*PAIR, measures=replace(versioned, component="recall")).keys() == {"OwnLAS.recall"}
    assert isinstance(versioned, CustomMeasure)
    assert versioned.definition.meaning == "Words with the correct head and relation."
    words = WordColumns(match(*map(levelhead.read, PAIR), RULES["ud"]), NIVRE_FANG)
    assert versioned(words).sum() == 146
    with pytest.raises(MeasureError, match="unknown measure 'OwnLAS'"):
        levelhead.score(*PAIR, measures="OwnLAS")


def test_names_must_be_free() -> None:
    with pytest.raises(MeasureError, match="las is already the name of a measure: choose another"):
        levelhead.measure("las")(attached)
    other = levelhead.measure("OWNLAS")(is_content)
    with pytest.raises(MeasureError, match="OWNLAS is already the name of a measure"):
        levelhead.score(*PAIR, measures=[OWN_LAS, other])
    assert len(levelhead.score(*PAIR, measures=[OWN_LAS, levelhead.measure("OwnLAS")(attached)])) == 1
    assert "OwnLAS" not in REGISTRY
    for wrong in ("", "My LAS", "LAS2", 3):
        with pytest.raises(InputError, match="name must be a name of ASCII letters, such as LongLAS"):
            levelhead.measure(wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="function must be a function, not 3"):
        levelhead.measure("Mine")(3)  # type: ignore[arg-type]
    for arguments in ({"counts": "trees"}, {"weight": 3}, {"columns": "form"}, {"version": "a|b"}, {"by_gold": 2}):
        with pytest.raises(InputError, match=next(iter(arguments)).rstrip("s")):
            levelhead.measure("Mine", **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (
            lambda _: None,
            "returned None: return an array with a Boolean value or a number for each of the 164 words",
        ),
        (lambda _: True, r"returned an array of the shape \(\): return"),
        (lambda words: words.head_correct[1:], r"returned an array of the shape \(163,\)"),
        (lambda words: words.form, "returned an array of the type object"),
        (lambda words: ["a"] * len(words), "returned an array of the type <U1"),
        (lambda words: np.full(len(words), np.nan), "returned nan for a word: return numbers from 0 to 1"),
        (lambda words: words.depth - 1, "returned -1 for a word: return numbers from 0 to 1"),
        (lambda words: words.depth, "returned [2-9] for a word: return numbers from 0 to 1"),
        (lambda words: words.hed, "failed: AttributeError: unknown column 'hed': did you mean head"),
        (lambda _: 1 / 0, "failed: ZeroDivisionError"),
        (
            lambda words: [word.head_correct for word in words],
            "failed: TypeError: columns have names, such as words.form",
        ),
        (
            lambda words: words.depth / words.depth.sum(),
            "looks beyond its sentence: it returns other values for 9 of 20",
        ),
        (lambda words: words.sentence % 2 == 0, "looks beyond its sentence"),
        (lambda words: np.arange(len(words)) % 2 == 0, "looks beyond its sentence: .* 1 of 20"),
    ],
)
@pytest.mark.parametrize("partial", [False, True])
def test_wrong_functions(returned: Callable[[WordColumns], Any], message: str, partial: bool) -> None:
    """The error names the measure, the function and the file."""
    mine = levelhead.measure("Mine")(returned)
    about = rf".*alpha/en.conllu: invalid-measure: Mine: the function {__name__}\.<lambda> "
    with pytest.raises(MeasureError, match=about + message) as raised:
        levelhead.score(*PAIR, measures=["LAS", mine], partial=partial)
    assert raised.value.slug == "invalid-measure"
    for scored in (
        lambda: score_files(*PAIR, setup_of([mine], partial=partial), PieceSizes(0, 1 << 20)),
        lambda: levelhead.compare(PAIR[0], [PAIR[1]], measures=mine, partial=partial),
        lambda: levelhead.rank(PAIR[0], [PAIR[1]], measures=mine, partial=partial),
    ):
        with pytest.raises(MeasureError, match=about):
            scored()


def test_wrong_weights() -> None:
    for weight, message in (
        (
            lambda words: words.depth - 1,
            "gold/en.conllu: invalid-measure: Mine: the function .* returned -1 for a word: return numbers from 0 to 1e\\+09",
        ),
        (
            lambda words: words.head_correct,
            "gold/en.conllu: invalid-measure: .* failed: AttributeError: unknown column 'head_correct'",
        ),
        (lambda words: words.depth / words.depth.max(), "looks beyond its sentence"),
        (lambda words: np.full(len(words), np.inf), "returned inf"),
        (lambda words: np.full(len(words), 1e300), r"returned 1e\+300"),
    ):
        mine = levelhead.measure("Mine", weight=weight)(attached)
        with pytest.raises(MeasureError, match=message):
            levelhead.score(*PAIR, measures=mine)


def test_treebanks_in_memory_have_no_names() -> None:
    mine = levelhead.measure("Mine")(lambda _: None)
    gold = levelhead.from_conllu(PAIR[0].read_bytes())
    with pytest.raises(MeasureError, match=r"^invalid-measure: Mine: .* returned None"):
        levelhead.score(gold, gold, measures=mine)


def test_what_gold_does_not_annotate() -> None:
    text = "".join(f"{n}\t{form}\t_\tNOUN\t_\t_\t_\t_\t_\t_\n" for n, form in enumerate("ab", 1)) + "\n"
    bare = levelhead.from_conllu(text.encode())
    tags = levelhead.measure("Tags")(lambda words: words.upos_correct)
    cases = levelhead.measure("Cases", columns="feats")(lambda words: words["feature:Case"] == "")
    scores = levelhead.score(bare, bare, measures=[tags, cases, OWN_LAS, OWN_CLAS, "Tags@CORE"])
    assert {name: one.reason for name, one in scores.items()} == {
        "Tags": None,
        "Cases": "not annotated in gold: FEATS",
        "OwnLAS": "not annotated in gold: HEAD",
        "OwnCLAS": "not annotated in gold: HEAD",
        "Tags@CORE": "not annotated in gold: HEAD",
    }
    none = levelhead.read(PAIR[0])[:0]
    assert counts(levelhead.score(none, none, measures=OWN_CLAS)) == {"OwnCLAS": (0, 0, 0, 0)}


def test_weighted_measures_and_repairs_are_not_broken_down() -> None:
    with pytest.raises(MeasureError, match="NearRoot is weighted: weighted measures cannot be broken down"):
        levelhead.breakdown(*PAIR, by="upos", measures=NEAR_ROOT)
    with pytest.raises(MeasureError, match="OwnLAS is a function, so the kinds of its errors are unknown: use LAS"):
        levelhead.analyze(*PAIR, measures=OWN_LAS)


def test_functions_run_in_one_process_without_a_store(tmp_path: Path) -> None:
    with Store(tmp_path / "store") as store:
        for how, what in (({"store": store}, "store="), ({"jobs": 2}, "jobs= and cluster=")):
            message = f"OwnLAS is a function, which only this process can run: leave out {what}"
            for call in (
                lambda how=how: levelhead.score(*PAIR, measures=OWN_LAS, **how),
                lambda how=how: levelhead.score(GOLD, SYSTEMS / "alpha", measures=[OWN_LAS, "LAS"], **how),
                lambda how=how: levelhead.compare(PAIR[0], [PAIR[1], OTHER], measures=OWN_LAS, **how),
                lambda how=how: levelhead.rank(GOLD, SYSTEMS, measures=OWN_LAS, prepare="page", **how),
            ):
                with pytest.raises(LevelheadError, match=message):
                    call()
        assert len(store) == 0
