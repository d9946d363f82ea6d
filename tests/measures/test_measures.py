"""Measures as values: their texts, the schemes they name, weights, and definitions from files."""

import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import levelhead
from conftest import EXAMPLES
from levelhead.errors import InputError, MeasureError
from levelhead.evaluation.provenance import annotation_of, notes_on_schemes
from levelhead.measures.registry import REGISTRY, find_definition, parse_measure, split_measures
from levelhead.scoring.measure import COMPONENTS, Measure
from levelhead.scoring.selection import read_weights
from levelhead.treebank import relations
from levelhead.treebank.relations import UD1, UD2

CLASSES = [f"{scheme.name}:{label}" for scheme in relations.SCHEMES.values() for label in scheme.names]
NAMES = st.sampled_from(
    [*CLASSES, *relations.NIVRE_FANG.names, *sorted(UD1 | UD2), "acl:relcl", "nsubj:pass", "det:poss:x"]
)


WITH_CLASSES = [name for name, one in REGISTRY.items() if one.counted_item in {"words", "exact"}]


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    """Draw a measure that there is."""
    name = draw(st.sampled_from(list(REGISTRY)))
    definition = REGISTRY[name]
    argument = None
    if definition.takes_weights or definition.load:
        path = draw(st.sampled_from(["w.tsv", "a/b-c.tsv", "x)y", "a(b)", "w@CORE", "w)-det", "w).recall", "ä,b"]))
        argument = path + draw(st.sampled_from(["", ",default=1", ",default=0.5"]))
    elif definition.options():
        argument = draw(st.sampled_from([None, *definition.options()]))
    only, without = None, ()
    if name in WITH_CLASSES:
        restricted = draw(st.sampled_from("@-" if argument == "class=gold" else "@- "))
        only = draw(NAMES) if restricted == "@" else None
        without = tuple(sorted(set(draw(st.lists(NAMES, min_size=1, max_size=4))))) if restricted == "-" else ()
    components = (None,) if definition.lower_is_better else (None, *COMPONENTS)
    return Measure(name, argument, only, without, draw(st.sampled_from(components)))


@given(measure=measures())
def test_the_text_of_a_measure_is_its_identity(measure):
    text = str(measure)
    assert parse_measure(text) == measure
    assert str(parse_measure(text)) == text
    assert parse_measure(f"  {text} ") == measure
    assert parse_measure(measure) == measure if isinstance(measure, str) else hash(measure) == hash(parse_measure(text))


@given(measure=measures(), other=measures())
def test_different_measures_have_different_texts(measure, other):
    assert (str(measure) == str(other)) == (measure == other)


@given(text=st.text(alphabet="LASFUNdet:@-().,=callin ", max_size=24) | st.text(max_size=10))
def test_any_text_is_a_measure_or_an_error(text):
    """Never anything else; and what is read is written back to the same measure."""
    try:
        measure = parse_measure(text)
    except MeasureError as error:
        assert error.slug == "unknown-measure"
    else:
        assert parse_measure(str(measure)) == measure


PARTS = {
    "LAS": Measure("LAS"),
    "CLAS.precision": Measure("CLAS", component="precision"),
    "LAS@CORE": Measure("LAS", only="CORE"),
    "LAS-PUNCT-FUN": Measure("LAS", without=("FUN", "PUNCT")),
    "LAS-FUN-FUN": Measure("LAS", without=("FUN",)),
    "UAS@callin:CONTENT.recall": Measure("UAS", only="callin:CONTENT", component="recall"),
    "UAS@callin-code:CONTENT": Measure("UAS", only="callin-code:CONTENT"),
    "LAS-nivre-fang:FUN-callin-code:OTHER-det": Measure("LAS", without=("callin-code:OTHER", "det", "nivre-fang:FUN")),
    "LAS-det-nivre-fang:FUN": Measure("LAS", without=("det", "nivre-fang:FUN")),
    "LAS-nivre-fang:FUN-nivre-fang:MWE": Measure("LAS", without=("nivre-fang:FUN", "nivre-fang:MWE")),
    "LAS@acl:relcl": Measure("LAS", only="acl:relcl"),
    "LAS(full)-acl:relcl-det": Measure("LAS", "full", without=("acl:relcl", "det")),
    "LAS(nopunct,full)": Measure("LAS", "full,nopunct"),
    "LAS(class=gold,full)@acl:relcl": Measure("LAS", "full,class=gold", "acl:relcl"),
    "UAS(class=gold)-FUN.recall": Measure("UAS", "class=gold", without=("FUN",), component="recall"),
    "WLAS(my weights.tsv,default=0.5)@CORE": Measure("WLAS", "my weights.tsv,default=0.5", "CORE"),
    "UEM-PUNCT": Measure("UEM", without=("PUNCT",)),
}


@pytest.mark.parametrize("text", PARTS)
def test_parts(text):
    """Exclusions are sorted, given once, and cut at their own hyphens only."""
    assert parse_measure(text) == PARTS[text]
    assert parse_measure(str(PARTS[text])) == PARTS[text]


SPELLINGS = {
    # a text, and the spelling that is printed and signed
    "las": "LAS",
    "Las(full)": "LAS(full)",
    "wlas(Weights/las.tsv)": "WLAS(Weights/las.tsv)",
    "clas.Recall": "CLAS.recall",
    "uas.F1": "UAS.f1",
    "las-punct-FUN": "LAS-FUN-punct",
    "feats": "Feats",
    "blex@callin:CONTENT": "BLEX@callin:CONTENT",
}


@pytest.mark.parametrize("text", SPELLINGS)
def test_names_of_measures_are_found_in_any_case(text):
    assert str(parse_measure(text)) == SPELLINGS[text]


LISTS = {
    "LAS": ["LAS"],
    "las,CLAS": ["LAS", "CLAS"],
    " las , clas.recall,": ["LAS", "CLAS.recall"],
    "LAS(full,nopunct),UAS": ["LAS(full,nopunct)", "UAS"],
    "WLAS(a,b(1).tsv,default=1),LAS": ["WLAS(a,b(1).tsv,default=1)", "LAS"],
    "WLAS(LAS,las),nothing": ["WLAS(LAS,las)", "nothing"],
    "LAS(full": ["LAS(full"],
    "": [""],
    ",": [","],
}


@pytest.mark.parametrize("text", LISTS)
def test_lists_are_cut_at_commas_outside_parentheses(text):
    assert split_measures(text) == LISTS[text]


@pytest.mark.parametrize("name", REGISTRY)
def test_no_two_measures_differ_in_case_only(name):
    assert [one for one in REGISTRY if one.lower() == name.lower()] == [name]
    assert find_definition(name.swapcase()) is REGISTRY[name]


def test_lists_and_cases_in_python():
    pair = EXAMPLES / "parallel/gold/en.conllu", EXAMPLES / "parallel/systems/alpha/en.conllu"
    expected = levelhead.score(*pair, measures=["LAS", "LAS(full,nopunct)", "CLAS.recall"])
    for measures in ("las,LAS(full,nopunct),clas.recall", ["las, las(full,nopunct)", "clas.Recall"]):
        found = levelhead.score(*pair, measures=measures)
        assert list(found) == ["LAS", "LAS(full,nopunct)", "CLAS.recall"]
        assert found.signature == expected.signature
        assert {name: score.value for name, score in found.items()} == {n: s.value for n, s in expected.items()}


ERRORS = {
    "LSA": "unknown measure 'LSA': did you mean LAS?",
    "xyz": "unknown measure 'xyz': use Tokens, Sentences, Words, UPOS",
    "las@core": "unknown class or relation 'core': did you mean CORE?",
    "": "'' is not a measure: write measures like LAS, CLAS.recall or LAS-FUN-PUNCT, with commas between them",
    "LAS@": "'LAS@' is not a measure",
    "LAS-": "'LAS-' is not a measure",
    "LAS@CORE@FUN": "'LAS@CORE@FUN' is not a measure",
    "LAS.f2": "unknown component 'f2': use precision, recall, f1, aligned_accuracy",
    "LAS@CORE-FUN": "'CORE-FUN' in 'LAS@CORE-FUN' is neither a class",
    "LAS@Core": "'Core' in 'LAS@Core' is neither a class",
    "LAS--det": "'' in 'LAS--det' is neither",
    "LAS@KERN": "unknown class 'KERN' in the scheme nivre-fang: use CORE, NONCORE, FUN, MWE, PUNCT, UNKNOWN",
    "LAS@CONTENT": "did you mean callin:CONTENT or callin-code:CONTENT or kohita:CONTENT or conll17:CONTENT or conll18:CONTENT?",
    "LAS@callin:CORE": "unknown class 'CORE' in the scheme callin: use CONTENT, FUNCTION, OTHER, UNKNOWN; did you mean nivre-fang:CORE?",
    "LAS-det-calin:CONTENT": "unknown scheme 'calin': did you mean callin?",
    "LAS-dte": "unknown class or relation 'dte': did you mean det?",
    "LAS@nsubjj:pass": "unknown class or relation 'nsubjj:pass': did you mean nsubj",
    "LAS(half)": "unknown option of LAS 'half': use full, nopunct, nopunct=callin, class=gold (levelhead measures LAS explains them)",
    "LAS(full,full)": "an option is given twice",
    "LAS(nopunct,nopunct=callin)": "an option is given twice",
    "UAS(class=gold)": "UAS(class=gold): class=gold requires a class or relation, as in UAS(class=gold)@CORE",
    "LAS(nopunct,class=gold)": "LAS(nopunct,class=gold): class=gold requires a class or relation",
    "LAS(class=system)@CORE": "unknown option of LAS 'class=system'",
    "LAS()": "'LAS()' is not a measure",
    "CLAS(full)": "CLAS takes no argument",
    "WLAS": "WLAS requires an argument, WLAS(...): a file with a universal relation and its weight on each line",
    "WeightedLAS": "WeightedLAS requires an argument",
    "Tokens@CORE": "Tokens does not count words, and has no classes",
    "ELAS-det": "ELAS does not count words",
    "Roots-det": "Roots does not count words",
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors_say_what_there_is(text):
    with pytest.raises(MeasureError, match=re.escape(ERRORS[text])) as refusal:
        parse_measure(text)
    assert refusal.value.slug == ("unknown-scheme" if "unknown scheme" in ERRORS[text] else "unknown-measure")


def test_a_default_that_is_no_number_is_an_error(tmp_path):
    (tmp_path / "w").write_text("nsubj 1\n")
    gold = levelhead.from_conllu("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    for default in ("x", "", "-1", "nan", "1e10"):
        with pytest.raises(MeasureError, match="the default is not a number"):
            levelhead.score(gold, gold, measures=[f"WLAS({tmp_path / 'w'},default={default})"])


# Weights


ONE = "1\ta\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n3\tc\t_\t_\t_\t_\t2\tpunct\t_\t_\n\n"
OTHER = ONE.replace("\t2\tdet", "\t2\tcase")


def weights_file(folder: Path, text: str) -> Path:
    (folder / "weights").write_text(text, encoding="utf-8")
    return folder / "weights"


def test_weights_by_hand(tmp_path):
    """One wrong word: WLAS weighs each side by its own relation, Callin by gold's, without punct."""
    path = weights_file(tmp_path, "# relation weight\ndet 0.25\n\ncase,0.5\nroot\t2\npunct 1\n")
    names = [f"{name}({path})" for name in ("WLAS", "CallinWLAS", "WeightedLAS")]
    wlas, callin, official = levelhead.score(
        levelhead.from_conllu(ONE), levelhead.from_conllu(OTHER), measures=names
    ).values()
    assert (wlas.correct, wlas.gold, wlas.system, wlas.aligned) == (3.0, 3.25, 3.5, 3.25)
    assert wlas.ratio("f1") == 2 * 3 / 6.75
    assert (callin.correct, callin.gold, callin.system) == (2.0, 2.25, 2.25)
    assert callin.value == callin.precision == callin.recall == 100 * 2 / 2.25
    assert (official.correct, official.gold, official.system) == (3.0, 3.25, 3.5)


@pytest.mark.parametrize("text", ["", "# relation weight\n\n"])
@pytest.mark.parametrize("name", ["WLAS", "WeightedLAS"])
def test_files_without_weights(tmp_path, name, text):
    treebank = levelhead.from_conllu(ONE)
    with pytest.raises(InputError, match="invalid-weights: the file has no weights") as refusal:
        levelhead.score(treebank, treebank, measures=[f"{name}({weights_file(tmp_path, text)})"])
    assert refusal.value.place.file == str(tmp_path / "weights")


@pytest.mark.parametrize("name", ["WLAS", "CallinWLAS", "WeightedLAS"])
def test_weights_of_subtypes_are_refused(tmp_path, name):
    """Words weigh what their universal relation weighs, so a weight of a subtype would never count."""
    treebank = levelhead.from_conllu(ONE.replace("\tdet\t", "\tdet:poss\t"))
    path = weights_file(tmp_path, "root 2\ndet 1\ndet:poss 1000\npunct 1\n")
    with pytest.raises(InputError, match=r"'det:poss' has a subtype: .* give one weight for 'det'") as refusal:
        levelhead.score(treebank, treebank, measures=[f"{name}({path})"])
    assert (refusal.value.slug, refusal.value.place.line) == ("invalid-weights", 3)
    path = weights_file(tmp_path, "root 2\ndet 1\npunct 1\n")
    score = levelhead.score(treebank, treebank, measures=[f"{name}({path})-root-punct"])
    assert [one.correct for one in score.values()] == [1.0]


def test_missing_weights(tmp_path):
    """An error, unless there is a default: 1 in WeightedLAS, as in the script of 2017; what is asked for in WLAS."""
    path = weights_file(tmp_path, "root 2\npunct 1\ncase 1\n")
    gold, system = levelhead.from_conllu(ONE), levelhead.from_conllu(OTHER)
    for name in ("WLAS", "CallinWLAS"):
        with pytest.raises(MeasureError, match="the relation det has no weight: add it, or give") as refusal:
            levelhead.score(gold, system, measures=[f"{name}({path})"])
        assert refusal.value.slug == "missing-weight"
    scores = levelhead.score(
        gold, system, measures=[f"WLAS({path},default=4)", f"WLAS({path},default=0)", f"WeightedLAS({path})"]
    )
    assert [score.gold for score in scores.values()] == [7.0, 3.0, 4.0]


def test_relations_that_a_measure_leaves_out_need_no_weight(tmp_path):
    """CallinWLAS leaves out punct, and WLAS-det det."""
    path = weights_file(tmp_path, "root 2\ndet 1\n")
    gold = levelhead.from_conllu(ONE)
    scores = levelhead.score(gold, gold, measures=[f"CallinWLAS({path})", f"WLAS({path})-punct"])
    assert [score.gold for score in scores.values()] == [3.0, 3.0]


def test_the_hash_of_weights_is_in_the_signature(tmp_path):
    path = weights_file(tmp_path, "root 2\ndet 1\npunct 1\n")
    gold = levelhead.from_conllu(ONE)
    before = levelhead.score(gold, gold, measures=[f"WLAS({path})"]).signature[f"WLAS({path})"]
    weights_file(tmp_path, "root 3\ndet 1\npunct 1\n")
    after = levelhead.score(gold, gold, measures=[f"WLAS({path})"]).signature[f"WLAS({path})"]
    assert len(before) == len(after) == 12
    assert before != after


def test_notes_take_linear_time_and_little_room():
    """A parser that gives every word a relation of its own; searching a list for each would take minutes."""
    n = 30_000
    gold, system = (
        levelhead.build([["x"] * n], [[0] + [1] * (n - 1)], [["root", *(f"{side}{i}" for i in range(n - 1))]])
        for side in "ab"
    )
    sides = (annotation_of(side, ()).relations for side in (gold, system))
    notes = notes_on_schemes(*sides, [(relations.SCHEMES["conll18"], ("CLAS",))])
    assert [f"and {n - 1 - 50:,} more; left out of CLAS" in note for note in notes] == [True, True]
    assert max(map(len, notes)) < 1000


@pytest.mark.parametrize("number", ["1_0", "\u0661", "nan", "inf", "-1"])
def test_weights_are_plain_numbers(tmp_path, number):
    """Python takes `1_0` for 10, and digits of other scripts."""
    path = tmp_path / "weights.tsv"
    path.write_text(f"nsubj {number}\n", encoding="utf-8")
    with pytest.raises(InputError, match="is not a relation with a weight from 0 to 1e9"):
        read_weights(path)


def test_weights_of_what_is_no_relation_of_ud_are_noted(tmp_path):
    path = tmp_path / "weights.tsv"
    path.write_text("nsubj 2\ndobj 2\nVocative 3\n", encoding="utf-8")
    treebank = levelhead.from_conllu("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    notes = levelhead.score(treebank, treebank, measures=[f"WLAS({path},default=1)"]).notes
    assert [note for note in notes if "'Vocative'" in note and "not a UD relation" in note] == list(notes) != []
    path.write_text("nsubj 2\ndobj 2\n", encoding="utf-8")
    assert levelhead.score(treebank, treebank, measures=[f"WLAS({path},default=1)"]).notes == ()
