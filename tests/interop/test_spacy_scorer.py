"""spaCy's own evaluation gives CLAS: `nlp.evaluate` and `config.cfg` find the scorer by its entry point."""

import pytest

import levelhead
from conftest import library
from levelhead.api.spacy_scorer import parser_scorer
from levelhead.errors import MeasureError
from levelhead.interop import from_spacy, to_spacy

CONFIG = """
[nlp]
lang = "en"
pipeline = ["parser"]

[components]

[components.parser]
factory = "parser"

[components.parser.scorer]
@scorers = "levelhead.parser_scorer.v1"
measures = ["CLAS", "UAS", "LEM"]
"""
MEASURES = ("CLAS", "UAS", "LEM")


@pytest.fixture(scope="module")
def pipeline():
    """A parser made from a config, without training, and ten examples."""
    spacy = library("spacy")
    nlp = spacy.util.load_model_from_config(spacy.util.load_config_from_str(CONFIG), auto_fill=True)
    gold = levelhead.read("examples/parallel/gold/en.conllu")
    docs = [to_spacy(gold[i : i + 1], nlp.vocab, rename_root=True) for i in range(10)]
    examples = [spacy.training.Example(nlp.make_doc(doc.text), doc) for doc in docs]
    nlp.initialize(lambda: examples)
    return nlp, examples


def test_the_scores_are_those_of_levelhead(pipeline):
    nlp, examples = pipeline
    scores = nlp.evaluate(examples)
    gold = from_spacy([example.reference for example in examples], rename_root=True)
    system = from_spacy([nlp(example.reference.text) for example in examples], rename_root=True)
    expected = levelhead.score(gold, system, measures=MEASURES)
    assert {name: scores[name] for name in MEASURES} == {name: expected[name].value / 100 for name in MEASURES}
    assert 0 < scores["UAS"] < 1
    assert {"dep_uas", "dep_las", "sents_f"} <= {*scores}, "the scores of spaCy stay"


def test_documents_without_a_gold_parse_are_left_out(pipeline):
    nlp, examples = pipeline
    unparsed = library("spacy").training.Example(nlp.make_doc("No parse"), nlp.make_doc("No parse"))
    of_some, of_all = nlp.evaluate([*examples, unparsed]), nlp.evaluate(examples)
    assert [of_some[name] for name in MEASURES] == [of_all[name] for name in MEASURES]
    assert [nlp.evaluate([unparsed])[name] for name in MEASURES] == [None] * 3


def test_gold_itself_has_full_scores(pipeline):
    example = library("spacy").training.Example
    scores = parser_scorer()([example(pair.reference, pair.reference) for pair in pipeline[1]])
    assert [scores[name] for name in ("UAS", "LAS", "CLAS")] == [1, 1, 1]


def test_unknown_measures_are_refused():
    library("spacy")
    with pytest.raises(MeasureError, match="LSA"):
        parser_scorer(["LSA"])
