"""The study of documents: its numbers against their definitions, on examples with documents marked."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from conftest import EXAMPLES
from levelhead.errors import InputError
from levelhead.significance import spawned
from levelhead.significance.resampling import resampled_weights
from levelhead.studies import Request, reproduce
from levelhead.studies.documents_2018.documents import document_of_sentence
from levelhead.studies.documents_2018.measure import measure_documents
from levelhead.treebank import parse
from oracle import documents as oracle

PARALLEL = EXAMPLES / "parallel"
SYSTEMS = ("alpha", "beta")
OUTPUTS = [str(PARALLEL / "systems" / name / "en.conllu") for name in SYSTEMS]
RESAMPLES = 60
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
    return measure_documents(str(gold), *OUTPUTS, list(SYSTEMS), RESAMPLES, 7)


@pytest.fixture
def rows(run) -> list[list[float]]:
    """Right and all words of both systems in each sentence, as `score` prints them."""
    columns = []
    for output in OUTPUTS:
        _, out, _ = run(
            "score", PARALLEL / "gold/en.conllu", output, "--table", "sentences", "-m", "LAS", "--format", "json"
        )
        own = json.loads(out)["treebanks"]["en"]
        columns += [[2 * one for one in own["LAS.correct"]], list(map(sum, zip(own["LAS.gold"], own["LAS.system"])))]
    return [list(row) for row in zip(*columns, strict=True)]


DOCUMENTS = [sum(i >= mark for mark in MARKS) - 1 for i in range(20)]


def test_variances_and_coverage_are_those_of_the_definitions(found, rows):
    draws = resampled_weights(len(MARKS), RESAMPLES, spawned(7, 3)[0]).astype(int).tolist()
    assert (found["documents"], found["sentences"]) == (len(MARKS), 20)
    cases = {"scores": ([row[:2] for row in rows], [row[2:] for row in rows]), "differences": (rows,)}
    for kind, every in cases.items():
        for entry, own in zip(found[kind]["LAS"], every, strict=True):
            expected = [oracle.variance(own), oracle.variance(oracle.summed(own, DOCUMENTS))]
            assert entry["variances"] == pytest.approx(expected, rel=1e-9)
            assert entry["covered"] == pytest.approx(oracle.coverage(own, DOCUMENTS, draws))


def test_pairs_have_a_p_by_sentences_and_by_documents(found):
    (entry,) = found["differences"]["LAS"]
    assert all(1 / (RESAMPLES + 1) <= p <= 1 for p in entry["p"])


@pytest.mark.parametrize(
    ("comments", "documents"),
    [
        (("", "", ""), [0, 0, 0]),
        (("# newdoc\n", "", "# newdoc id = 2\n"), [0, 0, 1]),
        (("", "# newdoc\n", ""), [0, 1, 1]),
        (("# newdocument\n", "# newpar\n", "# text = newdoc\n"), [0, 0, 0]),
    ],
)
def test_documents_begin_at_marks(comments, documents):
    """Sentences before the first mark form a document; other comments are no marks."""
    word = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    treebank = parse("".join(comment + word for comment in comments))
    assert document_of_sentence(treebank).tolist() == documents


def test_the_study_judges_test_sets_with_documents(gold, tmp_path):
    for name, output in zip(SYSTEMS, OUTPUTS, strict=True):
        (tmp_path / name).mkdir()
        os.symlink(output, tmp_path / name / "en.conllu")
    study = reproduce("documents-2018", Request((gold,), tmp_path, quick=True))
    assert {claim.verdict for claim in study.claims} <= {"holds", "does not hold"}
    assert "1 of 1 mark at least 10 documents" in study.setting[0]
    assert [section.figure is not None for section in study.sections].count(True) == 2
    effects = study.sections[1].table.rows[0]
    assert effects[0] == "en"
    assert np.isfinite(effects[1:]).all()


def test_without_documents_nothing_is_judged(tmp_path):
    study = reproduce("documents-2018", Request((PARALLEL / "gold" / "en.conllu",), PARALLEL / "systems", quick=True))
    assert {claim.verdict for claim in study.claims} == {"no data"}
    with pytest.raises(InputError, match="no file in this folder"):
        reproduce("documents-2018", Request((PARALLEL / "gold" / "en.conllu",), tmp_path, quick=True))
