"""What people choose is compared with the counts of the engine, drawn with the seed of the test set."""

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.comparison.judgement import Choices
from levelhead.correlation import human_agreement, preferences
from levelhead.errors import InputError
from levelhead.significance import InferenceSettings, seeded
from levelhead.treebank.provenance import contents_hash

PARALLEL = EXAMPLES / "parallel"
FILES = [PARALLEL / "gold/en.conllu", *(PARALLEL / f"systems/{name}/en.conllu" for name in ("alpha", "beta"))]
VOTES = Choices(np.arange(20) % 3 / 2, np.full(20, 2))
HOW = {"measures": "UAS", "resamples": 100}


def interval(found):
    return found.measures["UAS"].agreement.correlation


def test_scores_are_those_of_sentences():
    found = levelhead.judge(*FILES, VOTES, measures=["LAS", "CLAS.recall"], resamples=5)
    for number, output in enumerate(FILES[1:]):
        (counts,) = levelhead.breakdown(FILES[0], output, by="sentence", measures=["LAS", "CLAS"]).treebanks.values()
        las, clas = counts.counts["LAS"], counts.counts["CLAS"]
        np.testing.assert_array_equal(found.measures["LAS"].scores[number], 2 * las.correct / (las.gold + las.system))
        np.testing.assert_array_equal(found.measures["CLAS.recall"].scores[number], clas.correct / clas.gold)


def test_the_seed_is_that_of_the_test_set():
    """`seed` and the hash of gold decide the draws, as in `compare`."""
    found = levelhead.judge(*FILES, VOTES, **HOW, seed=4)
    drawn = seeded(InferenceSettings(seed=4), contents_hash(levelhead.read(FILES[0])))
    expected = human_agreement(preferences(*found.measures["UAS"].scores), VOTES.second, resamples=100, seed=drawn)
    assert interval(found) == expected.correlation
    assert interval(levelhead.judge(*FILES, VOTES, **HOW, seed=5)) != interval(found)


def test_draws_depend_on_gold_and_not_on_how_it_is_given(tmp_path):
    expected = interval(levelhead.judge(*FILES, VOTES, **HOW))
    in_memory = levelhead.judge(*map(levelhead.read, FILES), VOTES, **HOW)
    assert interval(in_memory) == expected
    copy = tmp_path / "copy.conllu"
    copy.write_bytes(FILES[0].read_bytes())
    assert interval(levelhead.judge(copy, *FILES[1:], VOTES, **HOW)) == expected
    copy.write_bytes(b"# comment = other contents\n" + FILES[0].read_bytes())
    other = interval(levelhead.judge(copy, *FILES[1:], VOTES, **HOW))
    assert other.value == expected.value
    assert other != expected


def test_draws_are_the_same_with_subtypes_apart():
    """Heads do not change, so neither do UAS and its interval; hashes are those of the files."""
    one, apart = (levelhead.judge(*FILES, VOTES, **HOW, subtypes_apart=subtypes) for subtypes in (False, True))
    assert interval(one) == interval(apart)
    assert one.provenance.files == apart.provenance.files
    assert {name: apart.provenance.signature[name] for name in one.provenance.signature} == one.provenance.signature


def test_all_faults_of_both_outputs_are_reported(tmp_path):
    broken = []
    for name in "ab":
        broken.append(tmp_path / f"{name}.conllu")
        broken[-1].write_text("1\ta\n\n")
    with pytest.raises(InputError) as caught:
        levelhead.judge(FILES[0], *broken, VOTES)
    assert {fault.place.file for fault in caught.value.faults} == {str(path) for path in broken}
