"""Which measure agrees with people: Callin's numbers, a second implementation, laws, and bad input."""

import csv
import hashlib
import math
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import levelhead
from conftest import EXAMPLES
from levelhead.campaign import find_plan
from levelhead.comparison import compare as compare_systems, judgment
from levelhead.comparison.judgment import Choices, read_choices
from levelhead.correlation import Preferences
from levelhead.correlation.human_agreement import compare_agreement, human_agreement, preferences
from levelhead.derivation import sentence_sums, sequences_of
from levelhead.derivation.perplexity import load_model
from levelhead.errors import InputError
from levelhead.evaluation.setup import setup_of
from levelhead.scoring.selection import weights_of
from levelhead.significance import Units
from oracle import correlation as oracle

LANGUAGES = {"en": "English", "es": "Spanish"}
MEASURES = ("Content precision", "Content recall", "LAS", "WLAS")


@pytest.fixture(scope="session")
def callin_scores(data):
    """The scores of each sentence by Callin's four measures, from the second implementation."""
    with (data / "callin/expected/function_content_degree.wde.csv").open(encoding="utf-8") as file:
        weights = {relation: float(weight) for relation, weight in csv.reader(file)}
    return {code: oracle.callin_scores(data / "human-judgments" / code, weights) for code in LANGUAGES}


@pytest.fixture(scope="session")
def expected(data):
    with (data / "callin/expected/human_judgment_corr.csv").open(encoding="utf-8") as file:
        return {row[""]: {name: float(row[name]) for name in MEASURES} for row in csv.DictReader(file)}


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("measure", MEASURES)
def test_callins_table_4(code, measure, data, callin_scores, expected):
    """English and Spanish to 1e-9; what he calls Spearman is Pearson, and for two values a vector they are equal."""
    choices = read_choices(data / "human-judgments" / code / "prediction")
    first, second = map(np.array, callin_scores[code][measure])
    given = preferences(first, second)
    found = human_agreement(given, choices.second)
    assert found.correlation.value == pytest.approx(expected[LANGUAGES[code]][measure], abs=1e-9)
    assert stats.spearmanr(given.second, choices.second).statistic == pytest.approx(found.correlation.value, abs=1e-12)
    assert found.correlation.low < found.correlation.value < found.correlation.high


@pytest.mark.parametrize("code", LANGUAGES)
def test_scores_of_sentences(code, data):
    """LAS of whole sentences, read, aligned and counted, against the second implementation."""
    folder = data / "human-judgments" / code
    paths = [folder / f"{name}.conll" for name in ("gold", "parser1", "parser2")]
    found = levelhead.judge(*paths, folder / "prediction", measures=["LAS"], format="conllx")
    gold, *systems = map(oracle.sentences, paths)
    ratios = [np.array([oracle.las(g, s, set()) for g, s in zip(gold, system)]) for system in systems]
    for scores, expected in zip(found.measures["LAS"].scores, ratios, strict=True):
        assert scores.tolist() == (100 * expected).tolist()
    las = found.measures["LAS"].agreement
    differences = ratios[1] - ratios[0]
    assert las.spearman.value == pytest.approx(stats.spearmanr(differences, found.choices.second).statistic, abs=1e-12)


def test_subtypes_apart(data):
    """Relations are compared whole, and no class holds those with subtypes; files are still named by their bytes."""
    folder = data / "human-judgments/en"
    paths = [folder / f"{name}.conll" for name in ("gold", "parser1", "parser2")]
    both = [
        levelhead.judge(*paths, folder / "prediction", measures=[m], format="conllx", subtypes_apart=apart)
        for m, apart in (("LAS(full)", False), ("LAS", True))
    ]
    (whole,), (apart,) = (one.measures.values() for one in both)
    assert [s.tolist() for s in whole.scores] == [s.tolist() for s in apart.scores]
    assert both[0].provenance.signature["gold"] == both[1].provenance.signature["gold"]
    assert both[1].provenance.signature["subtypes"] == "apart"


CALLIN = {
    # his measures as texts, and whether he keeps subtypes apart
    "Content precision": ("LAS@callin-code:CONTENT.precision", True),
    "Content recall": ("LAS@callin-code:CONTENT.recall", True),
    "LAS": ("LAS(nopunct=callin)", False),
    "WLAS": ("CallinWLAS({weights})", False),
}


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("measure", MEASURES)
def test_callins_table_4_from_files(code, measure, data, expected):
    """The whole way, from files to his numbers."""
    folder = data / "human-judgments" / code
    text, apart = CALLIN[measure]
    text = text.format(weights=data / "callin/expected/function_content_degree.wde.csv")
    paths = [folder / f"{name}.conll" for name in ("gold", "parser1", "parser2")]
    found = levelhead.judge(*paths, folder / "prediction", measures=[text], format="conllx", subtypes_apart=apart)
    (judged,) = found.measures.values()
    assert judged.agreement.correlation.value == pytest.approx(expected[LANGUAGES[code]][measure], abs=1e-9)


def test_several_votes_a_sentence(data):
    """With all annotators' votes the choice of a sentence is the share of votes."""
    folder = data / "human-judgments/en"
    choices = read_choices(folder / "annotated.csv")
    assert len(choices.second) == 200
    assert choices.votes.tolist() == [4] * 200
    assert choices.second[:5].tolist() == [0, 0.25, 0, 0.25, 0.5]


# Laws

BITS = st.integers(min_value=5, max_value=12).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 1), min_size=n, max_size=n) for _ in range(3)))
)


def nan(value: float | None) -> float:
    return math.nan if value is None else value


@given(BITS)
def test_statistics_of_two_vectors(bits):
    """Accuracy, kappa and both correlations, from their definitions."""
    given, choices = bits[:2]
    scores = np.array(given, dtype=float)
    found = human_agreement(preferences(1 - scores, scores), np.array(choices, dtype=float))
    assert found.n == len(given)
    assert found.n_ties == 0
    assert nan(found.correlation.value) == pytest.approx(oracle.pearson(given, choices), abs=1e-9, nan_ok=True)
    assert nan(found.spearman.value) == pytest.approx(oracle.spearman(given, choices), abs=1e-9, nan_ok=True)
    assert found.accuracy.value == pytest.approx(100 * fmean(a == b for a, b in zip(given, choices)))
    assert nan(found.kappa.value) == pytest.approx(oracle.kappa(given, choices), abs=1e-9, nan_ok=True)


@given(BITS)
def test_systems_exchanged(bits):
    """Without ties, exchanging the systems and the votes changes nothing."""
    given, choices = (np.array(each, dtype=float) for each in bits[:2])
    one = human_agreement(preferences(1 - given, given), choices)
    other = human_agreement(preferences(given, 1 - given), 1 - choices)
    for name in ("correlation", "spearman", "accuracy", "kappa"):
        a, b = getattr(one, name).value, getattr(other, name).value
        assert nan(a) == pytest.approx(nan(b), abs=1e-9, nan_ok=True)


def test_ties():
    """Equal scores, and none: as Callin for the second, half for each, or left out."""
    first, second = np.array([0.5, 0.5, 0.2, math.nan]), np.array([0.5, 0.6, 0.1, 0.3])
    choices = np.array([0.0, 1.0, 0.0, 1.0])
    assert preferences(first, second).second.tolist() == [1, 1, 0, 1]
    assert preferences(first, second, "half").second.tolist() == [0.5, 1, 0, 0.5]
    left = human_agreement(preferences(first, second, "skip"), choices)
    assert (left.n, left.n_ties, left.accuracy.value, left.correlation.value) == (2, 2, 100.0, pytest.approx(1.0))
    assert human_agreement(preferences(first, second), choices).accuracy.value == 75
    assert human_agreement(preferences(first, second, "half"), choices).accuracy.value == 75


def test_equal_sums_of_weights_are_ties(tmp_path):
    """.1 + .2 is not .3 in floats, but a system that gets words of .1 and .2 right equals one that gets .3 right."""
    first, second = np.array([(0.1 + 0.2) / 0.6, 0.2]), np.array([0.3 / 0.6, 0.3])
    assert first[0] > second[0]
    given = preferences(first, second)
    assert (given.n_ties, given.differences.tolist()) == (1, [0, pytest.approx(0.1)])
    assert preferences(second, first).second.tolist() == [1, 0]
    line = "{}\tw\t_\tX\t_\t_\t{}\t{}\t_\t_\n"
    words = [(1, 0, "root"), (2, 1, "obj"), (3, 1, "obl"), (4, 1, "amod")]
    right = [{1, 2, 3, 4}, {1, 2, 3}, {1, 4}]
    for name, some in zip(("gold", "one", "two"), right):
        rows = [line.format(i, head, label if i in some else "dep") for i, head, label in words]
        text = "".join(rows) + "\n" + GOOD.replace("1\tdep", "1\tobj" if name != "two" else "1\tamod") + GOOD
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "weights").write_text("obj .1\nobl .2\namod .3\nroot 0\ndep 0\n", encoding="utf-8")
    (tmp_path / "choices").write_text("1\n1\n2\n", encoding="utf-8")
    name = f"WeightedLAS({tmp_path / 'weights'}).recall"
    found = levelhead.judge(*(tmp_path / file for file in ("gold", "one", "two", "choices")), measures=[name])
    scores = np.array(found.measures[name].scores)
    assert scores[0, 0] != scores[1, 0]
    assert scores[:, 0] == pytest.approx([50, 50])
    assert found.measures[name].agreement.n_ties == 2  # the last sentence has no weight at all


STATISTICS = {"r": "correlation", "spearman": "spearman", "accuracy": "accuracy", "kappa": "kappa"}
SAMPLES = st.integers(min_value=10, max_value=14).flatmap(
    lambda n: st.tuples(
        *(st.lists(st.integers(0, 1), min_size=n, max_size=n) for _ in range(3)),
        st.one_of(
            st.just(list(range(n))), st.lists(st.integers(0, 9), max_size=4).map(lambda more: [*range(10), *more])
        ),
        st.sampled_from([0.8, 0.9, 0.95, 0.99]),
    )
)


def sample(bits):
    """Preferences of two measures, choices and units of as many sentences."""
    *vectors, units, level = bits
    n = min(map(len, (*vectors, units)))
    one, other, choices = (np.array(vector[:n], dtype=float) for vector in vectors)
    return [preferences(1 - v, v) for v in (one, other)], choices, Units("document", np.array(units[:n])), level


@given(SAMPLES)
def test_intervals(bits):
    """Those of a second implementation; they hold the value and are never without width."""
    (one, _), choices, units, level = sample(bits)
    found = human_agreement(one, choices, units=units, level=level)
    expected = oracle.agreement_intervals(one.second.tolist(), choices.tolist(), units.of_sentence.tolist(), level)
    for name, attribute in STATISTICS.items():
        estimate = getattr(found, attribute)
        if math.isnan(expected[name][0]):
            assert estimate == (None, None, None)
            continue
        estimate = type(estimate)(*(value / 100 for value in estimate)) if name == "accuracy" else estimate
        assert list(estimate) == pytest.approx(expected[name], abs=1e-9)
        assert estimate.low - 1e-9 < estimate.value < estimate.high + 1e-9
        assert estimate.high - estimate.low > 0.05


@given(SAMPLES, st.integers(1, 6))
def test_differences(bits, n_tests):
    """Those of a second implementation, never without width; exchanged measures differ as much the other way."""
    both, choices, units, level = sample(bits)
    one, other = (given.second.tolist() for given in both)
    found = compare_agreement(*both, choices, units=units, level=level, n_tests=n_tests)
    if any(len(set(vector)) == 1 for vector in (one, other, choices.tolist())):
        assert found == ((None, None, None), None)
        return
    each = level ** (1 / n_tests)
    *expected, p = oracle.compared_agreement(one, other, choices.tolist(), units.of_sentence.tolist(), each)
    assert list(found.difference) == pytest.approx(expected, abs=1e-9)
    assert found.p == pytest.approx(1 - (1 - p) ** n_tests, abs=1e-9)
    assert found.difference.high - found.difference.low > 0.1
    back = compare_agreement(*reversed(both), choices, units=units, level=level, n_tests=n_tests)
    assert back.p == pytest.approx(found.p)
    assert list(back.difference) == pytest.approx([-found.difference[i] for i in (0, 2, 1)])


@given(SAMPLES, st.integers(1, 6))
def test_an_interval_and_its_p_agree(bits, n_tests):
    both, choices, units, level = sample(bits)
    (value, low, high), p = compare_agreement(*both, choices, units=units, level=level, n_tests=n_tests)
    if value is not None and abs(p - (1 - level)) > 1e-9:
        assert (p < 1 - level) == (not low <= 0 <= high)


def test_too_few_units_have_no_intervals():
    """Nine sentences, ten of which nine count, and ten in nine documents."""
    v, c = np.arange(10) % 2 * 1.0, np.arange(10) % 3 / 2
    given = preferences(1 - v, v)
    documents = Units("document", np.minimum(np.arange(10), 8))
    for some, choices, units in (
        (Preferences(*(part[:9] for part in given[:3]), 0), c[:9], None),
        (given._replace(counted=np.arange(10) > 0), c, None),
        (given, c, documents),
    ):
        agreement = human_agreement(some, choices, units=units)
        compared = compare_agreement(some, given if units else some, choices, units=units)
        assert {getattr(agreement, name)[1:] for name in STATISTICS.values()} == {(None, None)}
        assert agreement.accuracy.value is not None
        assert (compared.difference[1:], compared.p) == ((None, None), None)
    assert human_agreement(given, c).kappa.low is not None


def test_signature_keeps_the_names_of_measures(tmp_path):
    """Only what tells of the system has another name: not a measure whose file is called after systems."""
    for name, text in (("gold", GOOD + GOOD), ("one", GOOD + BAD), ("two", BAD + GOOD)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "system-weights").write_text("root 1\ndep 2\nobj 1\n", encoding="utf-8")
    (tmp_path / "choices").write_text("1\n2\n", encoding="utf-8")
    name = f"WeightedLAS({tmp_path / 'system-weights'})"
    files = [tmp_path / file for file in ("gold", "one", "two", "choices")]
    signed = levelhead.judge(*files, measures=[name]).provenance.signature
    digests = {file: hashlib.sha256((tmp_path / file).read_bytes()).hexdigest()[:12] for file in ("one", "two")}
    assert (signed["first"], signed["second"]) == (digests["one"], digests["two"])
    assert name in signed
    assert not {"system", "system-warnings"} & set(signed)


def test_weights_in_memory_are_those_of_a_file(tmp_path):
    """No file is read where weights are given."""
    for name, text in (("gold", GOOD + GOOD), ("one", GOOD + BAD), ("two", BAD + GOOD)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "weights").write_text("root 1\ndep 2\nobj 1\n", encoding="utf-8")
    (tmp_path / "choices").write_text("1\n2\n", encoding="utf-8")
    files = [tmp_path / file for file in ("gold", "one", "two", "choices")]
    weights = {"given": weights_of({"root": 1.0, "dep": 2.0, "obj": 1.0})}
    of_file = levelhead.judge(*files, measures=[f"WeightedLAS({tmp_path / 'weights'})"])
    votes = read_choices(files[3])
    setup = setup_of(["WeightedLAS(given)"], weights=weights)
    in_memory = judgment.judge(*files[:3], votes, setup, subtypes_apart=False)
    (one,), (other,) = of_file.measures.values(), in_memory.measures.values()
    assert np.array(one.scores).tolist() == np.array(other.scores).tolist()
    assert in_memory.provenance.signature["WeightedLAS(given)"] == weights["given"].sha256[:12]


def test_what_cannot_be_counted_is_refused_as_in_compare():
    """The slug and the words are those of `compare`."""
    gold = "1\ta\t_\t_\t_\t_\t0\troot\t{}\t_\n\n"
    whole, broken = (levelhead.from_conllu(gold.format(deps) * 2) for deps in ("0:root", "x"))
    choices = Choices(np.array([0.0, 1.0]), np.array([1, 1]))
    for measure, slug in (("ELAS", "unreadable-deps"), ("UPOS", "not-annotated")):
        refusals = []
        for refused in (
            lambda m=measure: levelhead.judge(whole, whole, broken, choices, measures=[m]),
            lambda m=measure: compare_systems(find_plan(whole, {"a": whole, "b": broken}), setup_of([m])),
        ):
            with pytest.raises(InputError) as refusal:
                refused()
            refusals.append(str(refusal.value))
            assert refusal.value.slug == slug
        assert refusals[0] == refusals[1]


def test_comparing_measures():
    """Equal measures do not differ; a measure that always agrees beats one that guesses."""
    rng = np.random.default_rng(0)
    choices, guess = rng.integers(0, 2, (2, 100)).astype(float)
    good, bad = preferences(1 - choices, choices), preferences(1 - guess, guess)
    same = compare_agreement(good, good, choices)
    assert (same.difference.value, same.p) == (0, 1)
    assert same.difference.low == -same.difference.high < 0
    better = compare_agreement(good, bad, choices)
    assert better.p < 1e-6
    assert better.difference.value > better.difference.low > 0.5


def test_measures_that_guess_are_seldom_found_to_differ():
    rng = np.random.default_rng(1)
    found = []
    for _ in range(200):
        choices, one, other = rng.integers(0, 2, (3, 40)).astype(float)
        found.append(compare_agreement(preferences(1 - one, one), preferences(1 - other, other), choices).p)
    assert 0.01 < fmean(p <= 0.1 for p in found) < 0.15
    assert 0.3 < fmean(p <= 0.5 for p in found) < 0.6


# Bad input

GOOD = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t1\tdep\t_\t_\n\n"
BAD = GOOD.replace("1\tdep", "1\tobj")

CHOICES = {
    "empty": ("", "the file is empty"),
    "another word": ("blue\nred\ngreen\n", "'green'"),
    "no vote": ("blue\n\nred\n", "2: invalid-judgments: the line has no vote"),
    "too few": ("blue\nred\n", "choices for 2 sentences, but gold has 3"),
    "all the same": ("blue\nblue\nblue\n", "all sentences have the same choice"),
}


@pytest.mark.parametrize("case", CHOICES)
def test_bad_judgments(case, tmp_path):
    text, message = CHOICES[case]
    for name, treebank in (("gold", GOOD + GOOD + GOOD), ("one", GOOD + BAD + GOOD), ("two", BAD + GOOD + GOOD)):
        (tmp_path / name).write_text(treebank, encoding="utf-8")
    (tmp_path / "choices").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        levelhead.judge(*(tmp_path / name for name in ("gold", "one", "two", "choices")), measures=["LAS"])


def test_a_measure_without_any_value(tmp_path):
    files = [tmp_path / name for name in "tuv"]
    for path in files:
        path.write_text(GOOD + GOOD, encoding="utf-8")
    (tmp_path / "choices").write_text("1\n2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"Tokens\.aligned_accuracy has no value in any sentence"):
        levelhead.judge(*files, tmp_path / "choices", measures=["Tokens.aligned_accuracy"])


def test_other_words(tmp_path):
    (tmp_path / "choices").write_text("malt MST malt\n", encoding="utf-8")
    assert read_choices(tmp_path / "choices", ("MALT", "mst")).second.tolist() == [pytest.approx(1 / 3)]
    with pytest.raises(InputError, match="--words"):
        read_choices(tmp_path / "choices")


def test_a_lower_perplexity_is_better():
    """People who choose what has the lower perplexity agree with it, whichever system that is."""
    gold, first, second = (
        EXAMPLES / "parallel" / name / "en.conllu" for name in ("gold", "systems/alpha", "systems/beta")
    )
    name = f"DPPL({gold})"
    trained = load_model(str(gold)).values
    sums = [sentence_sums(trained.model, sequences_of(levelhead.read(path), trained.order)) for path in (first, second)]
    one, other = (logs / events for logs, events in (each.sums(oov=False) for each in sums))
    better = (other > one).astype(float)
    assert 0 < better.sum() < len(better)
    choices = Choices(better, np.ones(len(better), dtype=np.int64))
    found = levelhead.judge(gold, first, second, choices, measures=[name], ties="skip")
    (judged,) = found.measures.values()
    # beta divides the text into other sentences; what begins in a gold sentence counts there
    assert judged.agreement.accuracy.value > 90
    assert judged.agreement.correlation.value > 0.8
    assert judged.scores[0].tolist() == pytest.approx(one.tolist())
