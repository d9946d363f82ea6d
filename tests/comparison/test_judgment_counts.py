"""What people choose is compared with the counts of the engine."""

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.comparison.judgment import Choices
from levelhead.correlation.human_agreement import compare_agreement, preferences
from levelhead.errors import InputError

PARALLEL = EXAMPLES / "parallel"
FILES = [PARALLEL / "gold/en.conllu", *(PARALLEL / f"systems/{name}/en.conllu" for name in ("alpha", "beta"))]
VOTES = Choices(np.arange(20) % 3 / 2, np.full(20, 2))
HOW = {"measures": "UAS"}


def interval(found):
    return found.measures["UAS"].agreement.correlation


def test_scores_are_those_of_sentences():
    found = levelhead.judge(*FILES, VOTES, measures=["LAS", "CLAS.recall"])
    for number, output in enumerate(FILES[1:]):
        rows = levelhead.sentences(FILES[0], output, measures=["LAS", "CLAS"]).to_dict()["tables"]["sentences"]
        las = [100 * (2 * row["LAS_correct"] / (row["LAS_gold"] + row["LAS_predicted"])) for row in rows]
        clas = [100 * (row["CLAS_correct"] / row["CLAS_gold"]) for row in rows]
        np.testing.assert_array_equal(found.measures["LAS"].scores[number], las)
        np.testing.assert_array_equal(found.measures["CLAS.recall"].scores[number], clas)


def test_intervals_are_the_same_with_subtypes_apart():
    """Heads do not change, so neither do UAS and its interval; hashes are those of the files."""
    one, apart = (levelhead.judge(*FILES, VOTES, **HOW, subtypes_apart=subtypes) for subtypes in (False, True))
    assert interval(one) == interval(apart)
    assert one.provenance.files == apart.provenance.files
    assert {name: apart.provenance.signature[name] for name in one.provenance.signature} == one.provenance.signature


def test_few_documents_have_intervals_by_sentence_and_no_p(tmp_path):
    """Under a label; `--resample-by sentence` decides. The p of three pairs is that of one, corrected."""
    sentences = FILES[0].read_text(encoding="utf-8").split("\n\n")
    marked = [f"# newdoc id = {i}\n{one}" if i % 4 == 0 else one for i, one in enumerate(sentences[:-1])]
    gold = tmp_path / "gold.conllu"
    gold.write_text("\n\n".join([*marked, ""]), encoding="utf-8")
    few, asked, unmarked = (
        levelhead.judge(path, *FILES[1:], VOTES, resample_by=unit)
        for path, unit in ((gold, "auto"), (gold, "sentence"), (FILES[0], "auto"))
    )
    assert few.measures["UAS"].agreement == asked.measures["UAS"].agreement == unmarked.measures["UAS"].agreement
    assert few.provenance.signature["resample-by"] == "few-documents"
    label = "new sentences of these documents, not for new documents"
    notes = ["\n".join(found.table().notes) for found in (few, asked, unmarked)]
    assert [label in text for text in notes] == [True, True, False]
    assert [", p = " in text for text in notes] == [False, True, True]
    for one, other, several in zip(few.comparisons, asked.comparisons, unmarked.comparisons, strict=True):
        assert one.comparison.p is None
        assert one.comparison.difference == other.comparison.difference
        assert other == several
        given = [preferences(*asked.measures[name].scores) for name in other[:2]]
        alone = compare_agreement(*given, VOTES.second).p
        assert other.comparison.p == pytest.approx(1 - (1 - alone) ** 3)
        assert other.comparison == compare_agreement(*given, VOTES.second, n_tests=3)


def test_all_faults_of_both_outputs_are_reported(tmp_path):
    broken = []
    for name in "ab":
        broken.append(tmp_path / f"{name}.conllu")
        broken[-1].write_text("1\ta\n\n")
    with pytest.raises(InputError) as caught:
        levelhead.judge(FILES[0], *broken, VOTES)
    assert {fault.place.file for fault in caught.value.faults} == {str(path) for path in broken}
