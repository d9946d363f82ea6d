"""The drop-in interface: the ways in which code calls the official scripts."""

import io
from types import SimpleNamespace

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead import compat
from levelhead.compat import conll17, conll18

GOLD, SYSTEM = EXAMPLES / "parallel/gold/de.conllu", EXAMPLES / "parallel/systems/beta/de.conllu"
INVALID = EXAMPLES / "parallel/systems/gamma/tr.conllu"


@pytest.mark.parametrize(("module", "rules"), [(conll17, "conll17"), (conll18, "conll18"), (compat, "udtools")])
def test_files_are_loaded_and_evaluated(module, rules):
    scores = module.evaluate(module.load_conllu_file(GOLD), module.load_conllu_file(SYSTEM))
    ours = levelhead.score(GOLD, SYSTEM, rules=rules)
    assert list(scores) == list(ours)
    for name, score in scores.items():
        assert (score.correct, score.gold_total, score.system_total) == (
            ours[name].correct,
            ours[name].gold,
            ours[name].system,
        )
        assert (score.precision, score.recall, score.f1) == tuple(map(ours[name].ratio, ("precision", "recall", "f1")))
        assert score.aligned_accuracy == ours[name].ratio("aligned_accuracy")


def test_open_files_and_strings_are_loaded():
    with GOLD.open(encoding="utf-8") as gold, SYSTEM.open(encoding="utf-8") as system:
        scores = conll18.evaluate(conll18.load_conllu(gold), conll18.load_conllu(io.StringIO(system.read())))
    assert scores["LAS"].f1 == levelhead.score(GOLD, SYSTEM, rules="conll18")["LAS"].ratio("f1")


def test_refusals_are_ud_errors():
    with pytest.raises(compat.UDError, match="cycle"):
        compat.load_conllu_file(INVALID)
    with pytest.raises(conll18.UDError):
        conll18.evaluate(conll18.load_conllu_file(GOLD), conll18.load_conllu_file(EXAMPLES / "parallel/gold/en.conllu"))
    with pytest.raises(FileNotFoundError):
        conll17.load_conllu_file("no such file")


def test_several_roots_where_todays_script_is_told_to_allow_them():
    text = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    with pytest.raises(compat.UDError):
        compat.load_conllu(io.StringIO(text))
    loaded = compat.load_conllu(io.StringIO(text), "path", {"multiple_roots_okay": 1})
    assert compat.evaluate(loaded, loaded)["LAS"].f1 == 1.0


def test_weights_of_2017():
    gold, system = conll17.load_conllu_file(GOLD), conll17.load_conllu_file(SYSTEM)
    function_words = dict.fromkeys(("aux", "case", "cc", "clf", "cop", "det", "mark", "punct"), 0.0)
    scores = conll17.evaluate(gold, system, function_words)
    assert scores["WeightedLAS"].f1 == scores["CLAS"].f1
    assert conll17.load_deprel_weights(["# a\n", "\n", "case 0.5\n"]) == {"case": 0.5}
    with pytest.raises(ValueError, match="a b c"):
        conll17.load_deprel_weights(["a b c\n"])


def test_wrapper_and_table():
    arguments = SimpleNamespace(gold_file=GOLD, system_file=SYSTEM)
    evaluation = conll18.evaluate_wrapper(arguments)
    table = conll18.build_evaluation_table(evaluation, verbose=True, counts=False).split("\n")
    las = evaluation["LAS"]
    assert table[0] == "Metric     | Precision |    Recall |  F1 Score | AligndAcc"
    assert table[2 + list(evaluation).index("LAS")] == (
        f"LAS        |{100 * las.precision:10.2f} |{100 * las.recall:10.2f} |{100 * las.f1:10.2f}"
        f" |{100 * las.aligned_accuracy:10.2f}"
    )
    brief = conll18.build_evaluation_table(evaluation, verbose=False, counts=False)
    assert brief.split("\n")[0] == f"LAS F1 Score: {100 * las.f1:.2f}"


def test_words_are_linked_as_in_the_scripts():
    """Code that looks into what was loaded finds characters, tokens, words, heads and function words."""
    gold = conll18.load_conllu_file(GOLD)
    assert "".join(gold.characters[slice(*gold.tokens[0])]) == "der"
    assert gold.sentences[0].start == 0
    det, noun = gold.words[:2]
    assert det.columns[conll18.FORM] == "der"
    assert det.parent is noun
    assert noun.functional_children == [det]
    assert [word.parent for word in gold.words].count(None) == len(gold.sentences)
    multiword = [word for word in gold.words if word.is_multiword]
    assert "".join(gold.characters[slice(*multiword[0].span)]).lower() in {"zur", "zum", "im", "am", "vom"}


def test_all_names_of_the_scripts():
    """Names that code which carries a copy imports: the scripts' own, as their sources list them."""
    of_2017 = {
        "UDError",
        "load_conllu",
        "load_conllu_file",
        "evaluate",
        "evaluate_wrapper",
        "load_deprel_weights",
        "Score",
    }
    since_2018 = {"CONTENT_DEPRELS", "FUNCTIONAL_DEPRELS", "UNIVERSAL_FEATURES", "build_evaluation_table"}
    columns = set("ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC".split())
    assert of_2017 | columns <= set(conll17.__all__)
    for module in (compat, conll18):
        assert of_2017 - {"load_deprel_weights"} | since_2018 | columns <= set(module.__all__)
        assert (len(module.CONTENT_DEPRELS), len(module.UNIVERSAL_FEATURES)) == (29, 21)
        assert {"aux", "cop", "mark", "det", "clf", "case", "cc"} == module.FUNCTIONAL_DEPRELS
    det, noun = conll18.load_conllu_file(GOLD).words[:2]
    assert (det.is_content_deprel, det.is_functional_deprel) == (False, True)
    assert (noun.is_content_deprel, noun.is_functional_deprel) == (True, False)
