"""Derivation perplexity as a measure: the numbers of `levelhead perplexity`, in score and compare."""

import math

import numpy as np
import pytest

import levelhead
from levelhead.comparison import compare_treebanks
from levelhead.derivation import estimate, perplexity, sequences_of
from levelhead.derivation.measure import load_model
from levelhead.errors import InputError, MeasureError
from levelhead.measures import REGISTRY, parse_measure
from levelhead.scoring import RULES, match
from levelhead.scoring.score import count
from levelhead.significance import Settings

GOLD = "examples/parallel/gold/{}.conllu"
SYSTEM = "examples/parallel/systems/{}/{}.conllu"


@pytest.mark.parametrize("order", ["swap-lazy", "swap-eager", "string"])
@pytest.mark.parametrize("system", ["alpha", "beta"])
def test_the_value_is_the_perplexity_of_the_output(order: str, system: str) -> None:
    """As the language-model tools print it: unknown words left out, ends of sentences counted."""
    train, test = levelhead.read(GOLD.format("fr")), levelhead.read(SYSTEM.format(system, "fr"))
    name = f"DPPL({GOLD.format('fr')},order={order})"
    score = levelhead.score(GOLD.format("fr"), test, measures=[name])[name]
    expected = perplexity(estimate(sequences_of(train, order)), test, order)
    assert score.value == pytest.approx(expected.excluding_oov, rel=1e-12)
    assert (score.precision, score.recall, score.f1, score.aligned_accuracy) == (None, None, None, None)


def test_sentences_add_up_to_the_whole_under_another_segmentation() -> None:
    """Sums of surprise and events by gold sentence are those of all: tests draw from them."""
    gold, system = levelhead.read(GOLD.format("en")), levelhead.read(SYSTEM.format("beta", "en"))
    trained = load_model(GOLD.format("en")).values
    matches = match(gold, system, RULES["ud"])
    measure = parse_measure("DPPL(train)")
    rows = count(matches, measure, REGISTRY["DPPL"], weights=trained, by_sentence=True)
    total = count(matches, measure, REGISTRY["DPPL"], weights=trained)
    assert len(rows) == len(gold)
    assert np.isclose(rows.correct.sum(), total.correct[0])
    assert rows.gold.sum() == total.gold[0] == system.n_words + len(system) - _unknown(gold, system)


def _unknown(train: levelhead.Treebank, test: levelhead.Treebank) -> int:
    known = set(train.forms)
    return sum(form not in known for form in test.forms)


def test_comparison_by_perplexity() -> None:
    """Values are perplexities, gold against itself is least surprising, the difference has an interval and a p."""
    gold = levelhead.read(GOLD.format("en"))
    systems = {"gold": gold, "beta": levelhead.read(SYSTEM.format("beta", "en"))}
    name = f"DPPL({GOLD.format('en')})"
    found = compare_treebanks(gold, systems, measures=[name], settings=Settings(resamples=500))
    first, second = found.results
    assert found.perplexities == (name,)
    assert first.value < second.value
    assert second.difference == pytest.approx(second.value - first.value)
    assert second.difference_interval[0] <= second.difference <= second.difference_interval[1]
    assert 0 < second.p <= 1
    assert math.isfinite(second.detectable)


def test_bad_arguments() -> None:
    """A missing file, an order that there is not, and no argument at all."""
    gold = GOLD.format("en")
    with pytest.raises(InputError, match="no-such"):
        levelhead.score(gold, gold, measures=["DPPL(no-such.conllu)"])
    with pytest.raises(MeasureError, match="swap-lazy"):
        levelhead.score(gold, gold, measures=[f"DPPL({gold},order=sideways)"])
    with pytest.raises(MeasureError, match="needs an argument"):
        parse_measure("DPPL")


def test_ranking_by_perplexity() -> None:
    """The lowest is first; a system without an output somewhere has no average, since 0 would be the best."""
    from levelhead.campaign import campaign_in, groups_named, rank, score_campaign

    name = f"DPPL({GOLD.format('en')})"
    campaign = campaign_in("examples/parallel/gold", "examples/parallel/systems")
    results = score_campaign(campaign, measures=[name, "LAS"])
    (group,) = groups_named(["all"], campaign.test_sets)
    ranking = rank(results, name, group)
    assert [(one.rank, one.system) for one in ranking.standings] == [(1, "alpha"), (2, "beta"), (None, "gamma")]
    first, second, last = ranking.standings
    assert first.value < second.value
    assert last.value is None
    assert [one.rank for one in rank(results, "LAS", group).standings] == [1, 2, 3]
