"""Measures as values: their texts, the schemes they name, weights, and definitions from files."""

import json
import re
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import levelhead
from conftest import EXAMPLES
from levelhead.comparison.judgement import Choices, judge
from levelhead.errors import InputError, MeasureError
from levelhead.evaluation.epochs import EpochScorer
from levelhead.measures import REGISTRY, STANDARD, find_definition, parse_measure, split_measures
from levelhead.measures.user_definitions import read_definitions
from levelhead.scoring.matches import UNIVERSAL_FEATURES
from levelhead.scoring.measure import COMPONENTS, Measure, split
from levelhead.scoring.measure_notes import notes_on_schemes
from levelhead.scoring.weights import read_weights
from levelhead.treebank import schemes
from levelhead.treebank.relations import TO_UD1, TO_UD2, UD1, UD2, ud_version_of
from oracle import fair
from oracle import measures as oracle_measures
from strategies import pairs

CLASSES = [f"{scheme.name}:{label}" for scheme in schemes.SCHEMES.values() for label in scheme.names]
NAMES = st.sampled_from(
    [*CLASSES, *schemes.NIVRE_FANG.names, *sorted(UD1 | UD2), "acl:relcl", "nsubj:pass", "det:poss:x"]
)
WITH_CLASSES = [name for name, one in REGISTRY.items() if one.unit in {"words", "exact"}]


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
    "": "'' is not a measure: write NAME[(argument)]",
    "LAS@": "'LAS@' is not a measure",
    "LAS-": "'LAS-' is not a measure",
    "LAS@CORE@FUN": "'LAS@CORE@FUN' is not a measure",
    "LAS.f2": "unknown component 'f2': choose precision, recall, f1, aligned_accuracy",
    "LAS@CORE-FUN": "'CORE-FUN' in 'LAS@CORE-FUN' is neither a class",
    "LAS@Core": "'Core' in 'LAS@Core' is neither a class",
    "LAS--det": "'' in 'LAS--det' is neither",
    "LAS@KERN": "unknown class 'KERN' in the scheme nivre-fang: use CORE, NONCORE, FUN, MWE, PUNCT, UNKNOWN",
    "LAS@CONTENT": "did you mean callin:CONTENT or callin-code:CONTENT or kohita:CONTENT or conll17:CONTENT or conll18:CONTENT?",
    "LAS@callin:CORE": "unknown class 'CORE' in the scheme callin: use CONTENT, FUNCTION, OTHER, UNKNOWN; did you mean nivre-fang:CORE?",
    "LAS-det-calin:CONTENT": "unknown scheme 'calin': did you mean callin?",
    "LAS-dte": "unknown class or relation 'dte': did you mean det?",
    "LAS@nsubjj:pass": "unknown class or relation 'nsubjj:pass': did you mean nsubj",
    "LAS(half)": "LAS has no option 'half': full: relations are compared with their subtypes; nopunct",
    "LAS(full,full)": "an option is given twice",
    "LAS(nopunct,nopunct=callin)": "an option is given twice",
    "UAS(class=gold)": "UAS(class=gold): class=gold requires a class or relation, as in UAS(class=gold)@CORE",
    "LAS(nopunct,class=gold)": "LAS(nopunct,class=gold): class=gold requires a class or relation",
    "LAS(class=system)@CORE": "LAS has no option 'class=system'",
    "LAS()": "'LAS()' is not a measure",
    "CLAS(full)": "CLAS takes no argument",
    "WLAS": "WLAS requires an argument: a file with a universal relation and its weight on each line",
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
TWO = "1\ta\t_\t_\t_\t_\t2\tobj\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n3\tc\t_\t_\t_\t_\t2\tobl\t_\t_\n\n"


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
    assert wlas.value == 2 * 3 / 6.75
    assert (callin.correct, callin.gold, callin.system) == (2.0, 2.25, 2.25)
    assert callin.value == callin.precision == callin.recall == 2 / 2.25
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


# Schemes


@pytest.mark.parametrize("name", schemes.SCHEMES)
def test_the_class_of_every_relation_is_that_of_the_paper(name):
    """The tables of the papers and the lists of the scripts typed in a second time, and the same counterparts."""
    for relation in (*sorted(UD1 | UD2), "ROOT", "unk", "_", "foo"):
        scheme = schemes.SCHEMES[name]
        found = scheme.class_of(relation)
        assert found == scheme.class_of(f"{relation}:sub") == fair.class_in(name, relation), relation


@pytest.mark.parametrize("scheme", schemes.SCHEMES.values(), ids=lambda scheme: scheme.name)
def test_classes_are_disjoint_and_cover_their_version(scheme):
    listed = [relation for members in scheme.classes.values() for relation in members]
    assert len(listed) == len(set(listed))
    own = {1: UD1, 2: UD2}.get(scheme.version)
    if own is not None:
        assert set(listed) == own
    for relation in UD1 | UD2 | {"foo", "ROOT", "_", ""}:
        assert scheme.class_of(relation) in scheme.names
        assert sum(relation in members for members in scheme.classes.values()) <= 1
    assert scheme.otherwise in scheme.names


def test_what_belongs_to_no_class():
    """Relations without counterpart and unknown labels are UNKNOWN; conll17 and kohita take them for content."""
    unknown = {
        name: {relation for relation in UD1 | UD2 if scheme.class_of(relation) == "UNKNOWN"}
        for name, scheme in schemes.SCHEMES.items()
    }
    assert unknown == {
        "nivre-fang": {"neg"},
        "callin": {"clf"},
        "callin-code": {"clf"},
        "kohita": set(),
        "conll17": set(),
        "conll18": UD1 - UD2,
    }
    assert schemes.CONLL17.class_of("ROOT") == schemes.CONLL17.class_of("neg") == "CONTENT"
    assert schemes.KOHITA.class_of("ROOT") == schemes.KOHITA.class_of("clf") == "CONTENT"


def test_crossing_tables_lead_from_one_version_into_the_other():
    assert {*TO_UD2} == UD1 - UD2 - {"neg"}
    assert {*TO_UD1} == UD2 - UD1 - {"clf"}
    assert {*TO_UD2.values()} <= UD2
    assert {*TO_UD1.values()} <= UD1
    assert TO_UD2 == fair.V1_IN_V2
    assert TO_UD1 == fair.V2_IN_V1
    assert (len(UD1), len(UD2)) == (40, 37)


def test_the_lists_of_2018_are_those_of_the_script():
    """29 content relations, 7 functional ones and punct make up UD v2: no more, no less; and 21 features."""
    assert schemes.CONLL18.classes == {
        "CONTENT": oracle_measures.CONTENT,
        "FUNCTION": oracle_measures.FUNCTIONAL,
        "PUNCT": {"punct"},
    }
    assert (len(oracle_measures.CONTENT), len(oracle_measures.FUNCTIONAL)) == (29, 7)
    assert oracle_measures.CONTENT | oracle_measures.FUNCTIONAL | {"punct"} == UD2
    assert oracle_measures.UNIVERSAL_FEATURES == UNIVERSAL_FEATURES
    assert len(UNIVERSAL_FEATURES) == 21


@pytest.mark.parametrize(
    ("relations", "expected"),
    [
        ("nsubj det", None), ("nsubj dobj", 1), ("obj det", 2), ("dobj obj", None), ("dobj neg obj", 1), ("foo", None),
        ("nsubjpass:x nsubj", 1), ("flat:name fixed dobj", 2), ("", None),
    ],
)  # fmt: skip
def test_version_of_labels(relations, expected):
    assert ud_version_of(relations.split()) == expected


def test_notes_say_where_versions_cross():
    """Nothing is guessed silently: v1 labels under classes of v2, and the other way about."""
    old = levelhead.from_conllu(ONE.replace("\tdet\t", "\tdobj\t"))
    new = levelhead.from_conllu(ONE.replace("\tdet\t", "\tobj\t"))

    def notes(treebank: levelhead.Treebank, *asked: str, rules: str = "ud") -> tuple[str, ...]:
        return levelhead.score(treebank, treebank, measures=asked, rules=rules).notes

    assert (
        notes(old, "LAS", "LAS-det", "UEM") == notes(new, "LAS@CORE", "CLAS") == notes(old, "LAS@callin:CONTENT") == ()
    )
    (note,) = notes(old, "LAS@CORE", "UAS-FUN-PUNCT")
    assert note == (
        "gold has relations of UD v1; LAS@CORE, UAS-FUN-PUNCT: classes of nivre-fang (UD v2) are looked up by their"
        " counterparts (`levelhead measures --schemes`)"
    )
    assert notes(new, "CNC") == notes(old, "CNC") == (), "it lists what it leaves out, of both versions"
    (note,) = notes(old, "CLAS", "MLAS") if old.upos[0] != "_" else notes(old, "CLAS")
    assert note == (
        "gold has relations that the scheme conll18 does not list: dobj; left out of CLAS"
        " (LAS-FUN-PUNCT looks up those of the other version of UD)"
    )
    assert notes(old, "CLAS", rules="conll17") == ()


def test_notes_on_the_system():
    """Labels that only the system has are said: those of another version, and those of none."""
    text = TWO.replace("\tobl\t", "\tnmod\t")
    gold = levelhead.from_conllu(text)

    def notes(label: str) -> tuple[str, ...]:
        system = levelhead.from_conllu(text.replace("\tobj\t", f"\t{label}\t"))
        return levelhead.score(gold, system, measures=["CLAS", "LAS@CORE"]).notes

    assert notes("obj") == notes("iobj") == ()
    unlisted, crossing = notes("dobj")
    assert unlisted.startswith("the system has relations that the scheme conll18 does not list: dobj; left out of CLAS")
    assert crossing.startswith("the system has relations of UD v1; LAS@CORE: classes of nivre-fang (UD v2)")
    (note,) = notes("unk")
    assert note.startswith("the system has relations that the scheme conll18 does not list: unk; left out of CLAS")


def old_pair() -> tuple[str, str]:
    """Gold of UD v1, and an output with a relation that is none."""
    gold = TWO.replace("\tobj\t", "\tdobj\t").replace("\tobl\t", "\tnmod\t")
    return gold, gold.replace("\tnmod\t", "\tunk\t")


OLD_NOTES = [
    f"{side} has relations that the scheme conll18 does not list: {label}; left out of CLAS"
    " (LAS-FUN-PUNCT looks up those of the other version of UD)"
    for side, label in (("gold", "dobj"), ("the system", "unk"))
]


def test_notes_are_not_lost_on_the_way_to_a_ranking(tmp_path, run):
    """As a table, by treebank, as JSON, and from a store."""
    gold, output = old_pair()
    for name, text in (("gold", gold), ("systems/a", output), ("systems/b", gold)):
        (tmp_path / name).mkdir(parents=True)
        for code in ("x", "y"):
            (tmp_path / name / f"{code}.conllu").write_text(text)
    folders = (tmp_path / "gold", tmp_path / "systems")
    shown = [f"{OLD_NOTES[0]} (on x, y)", f"{OLD_NOTES[1].replace('the system', 'a')} (on x, y)"]
    for more in ((), ("--by-treebank",), ("--store", tmp_path / "s"), ("--store", tmp_path / "s")):
        code, printed, _ = run("rank", *folders, "-m", "CLAS", *more)
        assert [line for line in printed.splitlines() if "does not list" in line] == shown
        assert code == 0
    documents = json.loads(run("rank", *folders, "-m", "CLAS", "--format", "json")[1])["results"]
    assert [one.get("notes") for one in documents] == [OLD_NOTES, OLD_NOTES, OLD_NOTES[:1], OLD_NOTES[:1]]
    assert "does not list" not in "".join(run("rank", *folders, "-m", "LAS")[1:])
    assert "does not list" not in "".join(run("rank", *folders, "-m", "CLAS", "--rules", "conll17")[1:])


def test_python_shows_that_there_are_notes():
    gold, output = map(levelhead.from_conllu, old_pair())
    scores = levelhead.score(gold, output, measures=["CLAS"])
    assert list(scores.notes) == OLD_NOTES
    assert repr(scores).endswith("%; 2 notes in .notes>")
    assert repr(levelhead.score(gold, output, measures=["LAS"])).endswith("%>")


def test_scores_of_epochs_have_the_notes():
    gold, output = map(levelhead.from_conllu, old_pair())
    (note,) = EpochScorer(gold, labels=output.relations).notes
    assert note == OLD_NOTES[0].replace("gold", "the parser or gold").replace("dobj", "dobj, unk")
    assert EpochScorer(levelhead.from_conllu(TWO)).notes == EpochScorer(gold, rules="conll17").notes == ()


def test_judgements_have_the_notes():
    gold, first = (levelhead.from_conllu(2 * text) for text in old_pair())
    choices = Choices(np.array([0.0, 1.0]), np.ones(2, dtype=int))
    judged = judge(gold, first, gold, choices, measures=["CLAS"], resamples=10)
    expected = [OLD_NOTES[0], OLD_NOTES[1].replace("system", "first system")]
    assert list(judged.provenance.notes)[:2] == expected
    without = judge(gold, first, gold, choices, measures=["LAS"], resamples=10).provenance.notes
    assert not any(note in OLD_NOTES for note in without)


def test_notes_on_both_versions_in_one_treebank():
    mixed = levelhead.from_conllu(TWO.replace("\tobl\t", "\tdobj\t"))
    notes = levelhead.score(mixed, mixed, measures=["LAS@CORE"]).notes
    assert notes == ("gold has relations of UD v1 (dobj) and of UD v2 (obj)",)


# A user's own


GOOD = """
[scheme.mine]
version = 2
source = "here"
otherwise = "REST"
classes = { ARGUMENTS = ["nsubj", "obj"], ROOTS = ["root"] }

[measure.Heads]
needs = ["head", "upos"]
only = "mine:ARGUMENTS"
meaning = "Arguments with head and tag."

[measure.Exact]
needs = ["head", "relation"]
unit = "exact"
without = ["PUNCT", "det"]
"""


def definitions(folder: Path, text: str | bytes) -> Path:
    (folder / "own.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder / "own.toml"


def test_own_measures_and_schemes_are_like_shipped_ones(tmp_path):
    registry = read_definitions(definitions(tmp_path, GOOD))
    assert registry.measures["Heads"].meaning == "Arguments with head and tag."
    assert {*registry.measures} - {*REGISTRY} == {"Heads", "Exact"}
    assert {*registry.schemes.by_name} - {*schemes.SCHEMES} == {"mine"}
    assert registry.schemes.by_name["mine"].class_of("dobj") == "ARGUMENTS", "by its counterpart"
    assert registry.schemes.by_name["mine"].class_of("det") == "REST"
    for text in ("LAS@mine:ARGUMENTS", "LAS-det-mine:REST", "Heads.recall", "Exact-MWE", "Heads-mine:ROOTS"):
        assert str(parse_measure(text, registry)) == text
    with pytest.raises(MeasureError):
        parse_measure("Heads")
    assert STANDARD.measures is REGISTRY


@settings(max_examples=30)
@given(texts=pairs())
def test_own_measures_count_what_their_definition_says(tmp_path_factory, texts):
    """Against a second implementation, never against the shipped measure that they repeat."""
    path = tmp_path_factory.mktemp("own")
    registry = read_definitions(definitions(path, OWN))
    try:
        gold, system = (levelhead.from_conllu(text) for text in texts)
        matched = oracle_measures.match(*texts, "ud")
    except InputError:
        return
    arc, full = oracle_measures.same_arc, oracle_measures.same_full_arc
    expected = {
        "Arcs": fair.restricted(matched, arc, fair.every_word),
        "Content": fair.restricted(matched, arc, fair.is_named("callin:CONTENT")),
        "Rest": fair.restricted(matched, arc, fair.kept(None, ("FUN", "PUNCT"))),
        "Whole": fair.restricted(matched, full, fair.every_word),
        "All": fair.exact_matches(matched, arc, fair.every_word),
    }
    found = levelhead.score(gold, system, measures=[*expected], registry=registry)
    for name, score in found.items():
        assert oracle_measures.Counted(score.correct, score.gold, score.system, score.aligned) == expected[name], name


OWN = """
[measure.Arcs]
needs = ["head", "relation"]
[measure.Content]
needs = ["head", "relation"]
only = "callin:CONTENT"
[measure.Rest]
needs = ["head", "relation"]
without = ["FUN", "PUNCT"]
[measure.Whole]
needs = ["head", "full-relation"]
[measure.All]
needs = ["head", "relation"]
unit = "exact"
"""

BAD = {
    "a = ": "not TOML",
    "\udcff": "not TOML",
    "a = " + "[" * 5000: "not TOML",
    "measure = 3": "measure is not a table of tables: write [measure.NAME]",
    "[measure]\nX = 3": "measure is not a table of tables",
    "[scheme]\nx = []": "scheme is not a table of tables",
    "[measures.X]": "the file has the unknown key 'measures': choose measure, scheme",
    "[measure.X]": "measure X: needs is not a list of strings",
    "[measure.X]\nneeds = 'head'": "measure X: needs is not a list of strings",
    "[measure.X]\nneeds = ['heads']": "measure X needs a name of letters, and `needs`, a list of head,",
    "[measure.X1]\nneeds = ['head']": "measure X1 needs a name of letters",
    "[measure.LAS]\nneeds = ['head']": "LAS is already defined: choose another name",
    "[measure.las]\nneeds = ['head']": "LAS is already defined: choose another name",
    "[measure.X]\nneeds = ['head']\nunit = 'tokens'": "measure X: unit is words or exact",
    "[measure.X]\nneeds = ['head']\nunit = ['words']": "measure X: unit is words or exact",
    "[measure.X]\nneeds = ['head']\nweights = 1": "measure X has the unknown key 'weights': choose formula, meaning, needs",
    "[measure.X]\nneeds = ['head']\nonly = 'KERN'": "measure X: unknown-measure: unknown class 'KERN' in the scheme nivre-fang",
    "[measure.X]\nneeds = ['head']\nonly = ''": "measure X: unknown-measure",
    "[measure.X]\nneeds = ['head']\nonly = 5": "measure X: unknown-measure: '5' in",
    "[measure.X]\nneeds = ['head']\nonly = 'det.recall'": "'det.recall' is not a single class or relation",
    "[measure.X]\nneeds = ['head']\nonly = 'det.x'": "measure X: unknown-measure: unknown component 'x': choose precision",
    "[measure.X]\nneeds = ['head']\nwithout = 'det'": "measure X: without is not a list of strings",
    "[measure.X]\nneeds = ['head']\nwithout = ['det-case']": "'det-case' in 'LAS@det-case' is neither a class",
    "[measure.X]\nneeds = ['head']\nwithout = ['dte']": "unknown class or relation 'dte': did you mean det?",
    "[scheme.s]": "scheme s needs a name in lower case and a table of classes",
    "[scheme.S]\nclasses = { A = ['det'] }": "scheme S needs a name in lower case",
    "[scheme.callin]\nclasses = { A = ['det'] }": "callin is already defined",
    "[scheme.s]\nclasses = { A = 'det' }": "scheme s is not a list of strings",
    "[scheme.s]\nclasses = { a = ['det'] }": "scheme s: classes are written in upper case",
    "[scheme.s]\nclasses = { A = ['det'] }\notherwise = 5": "scheme s: classes are written in upper case",
    "[scheme.s]\nclasses = { A = ['det'], B = ['det'] }": "scheme s has det in two classes",
    "[scheme.s]\nclasses = { A = ['det', 'det'] }": "scheme s has det in two classes",
    "[scheme.s]\nclasses = { A = ['acl:relcl'] }": "scheme s: 'acl:relcl' is not a valid relation without subtype",
    "[scheme.s]\nclasses = { A = ['det'] }\nversion = 3": "scheme s: version is 1 or 2",
    "[scheme.s]\nclasses = { A = ['det'] }\nversion = [1]": "scheme s: version is 1 or 2",
    "[scheme.s]\nclasses = { A = ['det'] }\nversion = true": "scheme s: version is 1 or 2",
    "[scheme.s]\nclasses = { A = ['det'] }\nsource = 3": "scheme s: source is not a string",
    "[measure.X]\nneeds = ['head']\nmeaning = 3": "measure X: meaning is not a string",
    "[measure.X]\nneeds = ['head']\nsource = ['a']": "measure X: source is not a string",
    "[measure.X]\nneeds = ['head']\nonly = 'CORE'\nwithout = ['CORE']": "measure X: `only` and `without` exclude all relations",
    "[measure.X]\nneeds = ['head']\nonly = 'det'\nwithout = ['FUN']": "measure X: `only` and `without` exclude all relations",
    "[measure.X]\nneeds = ['head']\nonly = 'nmod:poss'\nwithout = ['nmod']": "measure X: `only` and `without` exclude all relations",
    "[scheme.s]\nclasses = {}": "scheme s needs a name in lower case and a table of classes",
}


@pytest.mark.parametrize("text", BAD, ids=lambda text: ascii(text[:40]))
def test_bad_definitions_are_told_with_their_file(tmp_path, text):
    path = definitions(tmp_path, text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=re.escape(BAD[text])) as refusal:
        read_definitions(path)
    assert refusal.value.slug == "invalid-definitions"
    assert refusal.value.place.file == str(path)


@pytest.mark.parametrize("rest", ["only = 'nmod'\nwithout = ['nmod:poss']", "only = 'UNKNOWN'\nwithout = ['CORE']"])
def test_definitions_that_leave_something_over(tmp_path, rest):
    assert "X" in read_definitions(definitions(tmp_path, f"[measure.X]\nneeds = ['head']\n{rest}")).measures


def test_a_measure_that_needs_nothing_counts_aligned_words(tmp_path):
    registry = read_definitions(definitions(tmp_path, "[measure.X]\nneeds = []"))
    assert registry.measures["X"].formula == "aligned words / words"
    pair = levelhead.from_conllu(TWO), levelhead.from_conllu(OTHER)
    one, other = levelhead.score(*pair, measures=["X", "Words"], registry=registry).values()
    assert (one.correct, one.gold, one.system) == (other.correct, other.gold, other.system) == (3, 3, 3)


def test_definitions_that_are_not_there(tmp_path):
    with pytest.raises(InputError) as refusal:
        read_definitions(tmp_path / "none.toml")
    assert refusal.value.slug == "unreadable-file"


def test_files_of_definitions_add_up_and_are_in_the_signature(tmp_path):
    first = read_definitions(definitions(tmp_path, GOOD))
    (tmp_path / "second.toml").write_text("[measure.More]\nneeds = ['lemma']\nonly = 'mine:REST'\n")
    both = read_definitions(tmp_path / "second.toml", first)
    assert {"Heads", "More"} < {*both.measures}
    gold = levelhead.from_conllu(ONE)
    signature = levelhead.score(gold, gold, measures=["More"], registry=both).signature
    assert signature["definitions"] == "+".join(digest[:12] for digest in both.sha256)
    assert len(both.sha256) == 2
    with pytest.raises(InputError, match="Exact is already defined"):
        read_definitions(definitions(tmp_path, GOOD), first)


def test_the_default_scheme_decides_what_a_class_means():
    gold = levelhead.from_conllu(ONE)
    registry = STANDARD.with_default("callin")
    scores = levelhead.score(gold, gold, measures=["LAS@CONTENT", "LAS@nivre-fang:FUN"], registry=registry)
    assert [score.gold for score in scores.values()] == [1, 1]
    assert scores.signature["classes"] == "callin:CONTENT+nivre-fang:FUN"
    assert levelhead.score(gold, gold, measures=["LAS@FUN"]).signature["classes"] == "nivre-fang:FUN"
    with pytest.raises(MeasureError, match="unknown class 'CORE' in the scheme callin"):
        parse_measure("LAS@CORE", registry)
    with pytest.raises(MeasureError, match="unknown scheme 'calin': did you mean callin"):
        STANDARD.with_default("calin")


def test_split_does_not_ask_what_there_is():
    assert split("Foo@nope:X") == Measure("Foo", only="nope:X")


def test_notes_take_linear_time_and_little_room():
    """A parser that gives every word a relation of its own; searching a list for each takes eight seconds here."""
    n = 20_000
    gold, system = (
        levelhead.build([["x"] * n], [[0] + [1] * (n - 1)], [["root", *(f"{side}{i}" for i in range(n - 1))]])
        for side in "ab"
    )
    start = time.perf_counter()
    notes = notes_on_schemes(gold, system, [(schemes.SCHEMES["conll18"], ("CLAS",))])
    assert time.perf_counter() - start < 2
    assert [f"and {n - 1 - 50:,} more; left out of CLAS" in note for note in notes] == [True, True]
    assert max(map(len, notes)) < 1000


@pytest.mark.parametrize("number", ["1_0", "\u0661", "nan", "inf", "-1"])
def test_weights_are_plain_numbers(tmp_path, number):
    """Python takes `1_0` for 10, and digits of other scripts."""
    path = tmp_path / "weights.tsv"
    path.write_text(f"nsubj {number}\n", encoding="utf-8")
    with pytest.raises(InputError, match="is not a relation and a weight from 0 to 1e9"):
        read_weights(path)


def test_weights_of_what_is_no_relation_of_ud_are_noted(tmp_path):
    path = tmp_path / "weights.tsv"
    path.write_text("nsubj 2\ndobj 2\nVocative 3\n", encoding="utf-8")
    treebank = levelhead.from_conllu("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    notes = levelhead.score(treebank, treebank, measures=[f"WLAS({path},default=1)"]).notes
    assert [note for note in notes if "'Vocative'" in note and "not a UD relation" in note] == list(notes) != []
    path.write_text("nsubj 2\ndobj 2\n", encoding="utf-8")
    assert levelhead.score(treebank, treebank, measures=[f"WLAS({path},default=1)"]).notes == ()
