"""Derivation perplexity as a measure: the numbers of `levelhead perplexity`, in score and compare."""

import math
from pathlib import Path

import numpy as np
import pytest

import levelhead
from levelhead.campaign import find_plan
from levelhead.comparison import compare
from levelhead.derivation.perplexity import load_model
from levelhead.errors import InputError, MeasureError
from levelhead.evaluation.setup import setup_of
from levelhead.measures.registry import REGISTRY, parse_measure
from levelhead.scoring import RULES, match
from levelhead.scoring.score import count
from oracle.derivation import derivation
from oracle.ngrams import PlainModel
from result_rows import rows_in

GOLD = "examples/parallel/gold/{}.conllu"
SYSTEM = "examples/parallel/systems/{}/{}.conllu"


@pytest.mark.parametrize("order", ["swap-lazy", "swap-eager", "string"])
@pytest.mark.parametrize("system", ["alpha", "beta"])
def test_the_value_is_the_perplexity_of_the_output(tmp_path: Path, order: str, system: str) -> None:
    """By definition: a trigram model of words in the order of attachment, without unknown words."""
    known, test = list(levelhead.read(GOLD.format("fr")))[:12], levelhead.read(SYSTEM.format(system, "fr"))
    levelhead.write(levelhead.from_conllu("".join(sentence.conllu for sentence in known)), tmp_path / "train.conllu")
    train = levelhead.read(tmp_path / "train.conllu")
    name = f"DPPL({tmp_path / 'train.conllu'},order={order})"
    score = levelhead.score(GOLD.format("fr"), test, measures=[name])[name]
    model = PlainModel([attached(sentence, order) for sentence in train], 3)
    events = [
        log10
        for sentence in test
        for word, log10 in zip([*attached(sentence, order), "</s>"], model.log10_of(attached(sentence, order)))
        if word in model.vocabulary
    ]
    assert score.value == pytest.approx(10 ** (-sum(events) / len(events)), rel=1e-9)
    assert score.gold == len(events) < test.n_words + len(test)
    assert (score.precision, score.recall, score.f1, score.aligned_accuracy) == (None, None, None, None)


def attached(sentence: levelhead.Sentence, order: str) -> list[str]:
    """List the forms in the order in which a transition system attaches them."""
    forms, heads = list(sentence.forms), tuple(int(head) for head in sentence.heads)
    return forms if order == "string" else [forms[word - 1] for word in derivation(heads, order)[1]]


def test_sentences_add_up_to_the_whole_under_another_segmentation() -> None:
    """Surprisal and events by gold sentence sum up to the total, as tests require."""
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
    """Values are perplexities, gold has the lowest, and the difference has an interval and a p-value."""
    gold = levelhead.read(GOLD.format("en"))
    systems = {"gold": gold, "beta": levelhead.read(SYSTEM.format("beta", "en"))}
    name = f"DPPL({GOLD.format('en')})"
    found = compare(find_plan(gold, systems), setup_of([name]))
    first, second = found.results
    assert found.perplexities == (name,)
    assert first.value < second.value
    assert second.difference == pytest.approx(second.value - first.value)
    assert second.difference_interval[0] <= second.difference <= second.difference_interval[1]
    assert 0 < second.p <= 1
    assert math.isfinite(second.detectable)


def test_bad_arguments() -> None:
    """A missing file, an unknown order, and no argument."""
    gold = GOLD.format("en")
    with pytest.raises(InputError, match="no-such"):
        levelhead.score(gold, gold, measures=["DPPL(no-such.conllu)"])
    with pytest.raises(MeasureError, match="swap-lazy"):
        levelhead.score(gold, gold, measures=[f"DPPL({gold},order=sideways)"])
    with pytest.raises(MeasureError, match="requires an argument"):
        parse_measure("DPPL")


def test_ranking_by_perplexity() -> None:
    """The lowest is first; a system with a missing output has no average, since 0 would be the best."""
    from levelhead.campaign import find_plan, groups_named, rank, score_plan

    name = f"DPPL({GOLD.format('en')})"
    campaign = find_plan("examples/parallel/gold", "examples/parallel/systems")
    results = score_plan(campaign, setup_of([name, "LAS"]))
    (group,) = groups_named(["all"], campaign.test_sets)
    ranking = rank(results, name, group)
    assert [(one.rank, one.system) for one in ranking.standings] == [(1, "alpha"), (2, "beta"), (None, "gamma")]
    first, second, last = ranking.standings
    assert first.value < second.value
    assert last.value is None
    assert [one.rank for one in rank(results, "LAS", group).standings] == [1, 2, 3]


def test_gates(capfd):
    """A perplexity has an upper limit, in its own unit; other measures have lower limits."""
    from levelhead.cli.program import run

    gold, system = GOLD.format("en"), SYSTEM.format("alpha", "en")
    name = f"DPPL({gold})"
    value = levelhead.score(gold, system, measures=[name])[name].value
    command = ["score", gold, system, "-m", name]
    assert run([*command, "--fail-over", f"{name}={value + 0.01}"]) == 0
    assert run([*command, "--fail-over", f"{name}={value - 0.01}"]) == 1
    assert f"{name} is {value:.4f}, over" in capfd.readouterr().err
    assert run([*command, "--fail-under", f"{name}=1"]) == 2
    assert run([*command, "--fail-over", "LAS=1"]) == 2
    assert capfd.readouterr().err.count("invalid-gate") == 2
    assert run(["score", gold, system, "-m", f"{name}.precision"]) == 2


def test_its_unit_is_perplexity(capfd):
    """A perplexity has no precision, recall, F1 or aligned accuracy, and no percentage is taken for one."""
    from levelhead.cli.program import run

    name = f"DPPL({GOLD.format('en')})"
    assert (
        run(["score", GOLD.format("en"), SYSTEM.format("alpha", "en"), "-m", name, "-m", "LAS", "--format", "tsv"]) == 0
    )
    head, *lines = (line.split("\t") for line in capfd.readouterr().out.splitlines())
    first, second = (dict(zip(head, line, strict=True)) for line in lines)
    value = levelhead.score(GOLD.format("en"), SYSTEM.format("alpha", "en"), measures=[name])[name].value
    assert (first["measure"], first["unit"]) == (name, "perplexity")
    assert [first[column] for column in ("precision", "recall", "f1", "aligned_accuracy")] == [""] * 4
    assert float(first["value"]) == pytest.approx(value, rel=1e-9)
    assert (second["measure"], second["unit"]) == ("LAS", "percent")
    assert second["value"] == second["f1"] != ""


def test_in_every_table_of_a_ranking(tmp_path, capfd):
    """The same unit in text, in JSON, and in a table that is read again."""
    import json

    from levelhead.cli.program import run

    name = f"DPPL({GOLD.format('en')})"
    folders = ["examples/parallel/gold", "examples/parallel/systems"]
    value = levelhead.score(GOLD.format("fi"), SYSTEM.format("alpha", "fi"), measures=[name])[name].value
    table = tmp_path / "scores.tsv"
    assert run(["rank", *folders, "-m", name, "--by-treebank", "--format", "tsv", "-o", str(table)]) == 0
    cells = [line.split("\t") for line in table.read_text(encoding="utf-8").splitlines()]
    (row,) = [row for row in cells if row[:2] == ["alpha", "fi"]]
    assert (float(row[3]), row[4]) == (pytest.approx(value, rel=1e-9), "perplexity")
    document = _json(capfd, run, ["rank", *folders, "-m", name])
    (row,) = rows_in(document, "scores", system="alpha", treebank="fi")
    assert (row["value"], row["unit"]) == (pytest.approx(value, rel=1e-9), "perplexity")
    again = _json(capfd, run, ["rank", "--scores", str(table), "-m", name])
    first, second = (rows_in(one, "standings") for one in (document, again))
    assert [one["system"] for one in first] == [one["system"] for one in second]
    assert first[0]["value"] == pytest.approx(second[0]["value"], rel=1e-9)
    assert json.dumps(again)


def _json(capfd, run, command: list[str]):
    import json

    capfd.readouterr()
    assert run([*command, "--format", "json"]) == 0
    return json.loads(capfd.readouterr().out)


def test_a_training_treebank_for_each_test_set(tmp_path):
    """`{treebank}` stands for the code; each test set has its own model."""
    import shutil

    from levelhead.campaign import find_plan, score_plan
    from levelhead.comparison.evaluations import score_and_look

    for folder in ("gold", "systems/alpha"):
        (tmp_path / folder).mkdir(parents=True)
        for code in ("en", "fi"):
            shutil.copy(f"examples/parallel/{folder}/{code}.conllu", tmp_path / folder)
    template = "DPPL(examples/parallel/gold/{treebank}.conllu,order=string)"
    expected = {
        code: levelhead.score(
            GOLD.format(code), SYSTEM.format("alpha", code), measures=[template.replace("{treebank}", code)]
        )
        for code in ("en", "fi")
    }
    results = score_plan(find_plan(tmp_path / "gold", tmp_path / "systems"), setup_of([template]))
    paired, *_ = score_and_look(find_plan(tmp_path / "gold", [tmp_path / "systems/alpha"]), setup_of([template]))
    for code, evaluation in expected.items():
        (score,) = evaluation.values()
        assert float(results.results["alpha", code].values[template]) == score.value
        assert paired[code][template].value == score.value
    outputs = find_plan(tmp_path / "gold", [tmp_path / "systems/alpha"])
    compared = compare(outputs, setup_of([template]))
    for code, evaluation in expected.items():
        (found,) = [one.value for one in compared.results if one.treebank == code]
        assert found == pytest.approx(next(iter(evaluation.values())).value)
    assert template in compared.provenance.signature
    with pytest.raises(MeasureError, match="requires several treebanks"):
        levelhead.score(GOLD.format("en"), SYSTEM.format("alpha", "en"), measures=[template])
    with pytest.raises(InputError, match=r"nowhere/en\.conllu"):
        score_plan(find_plan(tmp_path / "gold", tmp_path / "systems"), setup_of(["DPPL(nowhere/{treebank}.conllu)"]))


CROSSING = """1\ta\t_\t_\t_\t_\t3\tobj\t_\t_
2\tb\t_\t_\t_\t_\t4\tobl\t_\t_
3\tc\t_\t_\t_\t_\t0\troot\t_\t_
4\td\t_\t_\t_\t_\t3\txcomp\t_\t_

"""


def test_what_cannot_be_derived_has_no_perplexity_and_all_else(tmp_path):
    """Arc-eager only derives projective trees; other measures of the output still have values."""
    from levelhead.campaign import find_plan, score_plan

    name = f"DPPL({GOLD.format('en')},order=arc-eager)"
    for folder in ("gold", "systems/copy"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "en.conllu").write_text(CROSSING, encoding="utf-8")
    try:
        levelhead.score(GOLD.format("en"), GOLD.format("en"), measures=[name])
    except InputError:
        name = f"DPPL({GOLD.format('tr')},order=arc-eager)"
    scores = levelhead.score(tmp_path / "gold/en.conllu", tmp_path / "systems/copy/en.conllu", measures=[name, "LAS"])
    assert scores[name].value is None
    assert "projective" in scores[name].reason
    results = score_plan(find_plan(tmp_path / "gold", tmp_path / "systems"), setup_of([name, "LAS"]))
    result = results.results["copy", "en"]
    assert (result.state, result.values["LAS"], result.values[name]) == ("valid", 100, None)


def test_fallback_discounts_are_told() -> None:
    """With the model, as by the command `perplexity`."""
    found = load_model(GOLD.format("en") + ",order=swap-eager")
    orders = found.values.model.fallback_orders
    assert orders == (2, 3)
    assert [text.split(":")[0] for text in found.warnings] == [f"{GOLD.format('en')}, swap-eager order"] * len(orders)
    assert all("too few counts" in text for text in found.warnings)
