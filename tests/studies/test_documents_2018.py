"""The study of documents: its numbers equal their definitions, on examples with marked documents."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.campaign import find_plan, score_plan
from levelhead.errors import InputError
from levelhead.evaluation.setup import setup_of
from levelhead.significance import SystemCounts
from levelhead.significance.resampling import resampled_rows, spawned
from levelhead.studies import StudyRequest, reproduce
from levelhead.studies.documents_2018 import MEASURES, counts_of_test_set, measure_documents
from levelhead.studies.verdicts import pair_p_values
from oracle import documents as oracle
from result_rows import rows_in

PARALLEL = EXAMPLES / "parallel"
SYSTEMS = ("alpha", "beta")
OUTPUTS = [str(PARALLEL / "systems" / name / "en.conllu") for name in SYSTEMS]
SAMPLES, RESAMPLES, SEED = 12, 10, 7
MARKS = (0, 1, 4, 5, 8, 9, 11, 13, 16, 18, 19)  # sentences before which a document begins


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sentences = (PARALLEL / "gold" / "en.conllu").read_text(encoding="utf-8").strip().split("\n\n")
    marked = [f"# newdoc id = d{i}\n{one}" if i in MARKS else one for i, one in enumerate(sentences)]
    path = tmp_path_factory.mktemp("gold") / "en.conllu"
    path.write_text("\n\n".join(marked) + "\n\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def found(gold: Path) -> dict:
    results = score_plan(find_plan({"en": gold}, dict(zip(SYSTEMS, OUTPUTS))), setup_of(MEASURES), by_sentence=True)
    counts = counts_of_test_set(results, "en")
    return counts | measure_documents(counts, SAMPLES, RESAMPLES, SEED)


@pytest.fixture
def rows(run) -> list[list[float]]:
    """The correct and all words of both systems in each sentence, as printed by `sentences`."""
    columns = []
    for output in OUTPUTS:
        _, out, _ = run("sentences", PARALLEL / "gold/en.conllu", output, "-m", "LAS", "--format", "json")
        own = rows_in(json.loads(out), "sentences", treebank="en")
        columns += [[2 * row["LAS_correct"] for row in own], [row["LAS_gold"] + row["LAS_predicted"] for row in own]]
    return [list(row) for row in zip(*columns, strict=True)]


DOCUMENTS = [sum(i >= mark for mark in MARKS) - 1 for i in range(20)]


def test_variances_and_coverage_are_those_of_the_definitions(found, rows):
    assert (found["documents"], found["sentences"]) == (len(MARKS), 20)
    cases = {"scores": [[row[:2] for row in rows], [row[2:] for row in rows]], "differences": [rows]}
    for kind, every in cases.items():
        by_document = np.sum(found[kind]["LAS"], axis=0)
        expected = [
            sum(oracle.variance(one) for one in tables)
            for tables in ([oracle.summed(own, DOCUMENTS) for own in every], every)
        ]
        assert by_document == pytest.approx(expected, rel=1e-9)
        held = np.array([[oracle.covered(own, DOCUMENTS, *sample) for own in every] for sample in drawn_samples()])
        means = held.mean(axis=1)
        expected = np.stack([means.mean(axis=0), means.std(axis=0, ddof=1) / SAMPLES**0.5], axis=-1)
        assert found[f"coverage of {kind}"]["LAS"] == pytest.approx(expected)


def drawn_samples():
    """The documents of each sample, and the resamples of its sentences and documents."""
    drawing, *seeds = spawned(SEED, 1 + 2 * SAMPLES)
    sizes = np.bincount(DOCUMENTS)
    for i, rows in enumerate(resampled_rows(len(MARKS), SAMPLES, drawing)):
        by_sentence = resampled_rows(int(sizes[rows].sum()), RESAMPLES, seeds[2 * i])
        yield rows.tolist(), by_sentence.tolist(), resampled_rows(len(MARKS), RESAMPLES, seeds[2 * i + 1]).tolist()


def test_pairs_are_tested_as_in_compare():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        words = rng.integers(5, 60, (15, 1, 1))
        right = rng.binomial(words, [[0.7], [0.78]])
        table = SystemCounts(("a", "b"), ("LAS",), 2.0 * np.stack([right, words.repeat(2, axis=1)], axis=-1))
        every = oracle.influential(table.parts.reshape(15, 4).tolist())
        assert pair_p_values(table)[0, 0] == pytest.approx(max(map(oracle.student_p, every)), rel=1e-6)


def test_the_study_judges_test_sets_with_documents(gold, tmp_path):
    for name, output in zip(SYSTEMS, OUTPUTS, strict=True):
        (tmp_path / name).mkdir()
        os.symlink(output, tmp_path / name / "en.conllu")
    study = reproduce("documents-2018", StudyRequest((gold,), tmp_path, quick=True))
    tested = {"holds", "does not hold", "inconclusive"}
    *of_test_sets, of_pairs = study.claims
    assert {claim.verdict for claim in of_test_sets} <= tested
    assert of_pairs.verdict == "no data"  # one test set says nothing about others
    assert "1 of 1 mark at least 10 documents" in study.setting[0]
    assert [section.figure is not None for section in study.sections].count(True) == 2
    words = np.bincount(DOCUMENTS, weights=[len(sentence) for sentence in levelhead.read(gold)])
    (marked,) = study.sections[0].table.rows
    assert marked[:4] == ("en", len(MARKS), 20, pytest.approx(100 * words.max() / words.sum()))
    effects = study.sections[1].table.rows[0]
    assert effects[0] == "en"
    assert np.isfinite(effects[1:]).all()


def test_without_documents_nothing_is_judged(tmp_path):
    study = reproduce(
        "documents-2018", StudyRequest((PARALLEL / "gold" / "en.conllu",), PARALLEL / "systems", quick=True)
    )
    assert {claim.verdict for claim in study.claims} == {"no data"}
    with pytest.raises(InputError, match="no file in this folder"):
        reproduce("documents-2018", StudyRequest((PARALLEL / "gold" / "en.conllu",), tmp_path, quick=True))
