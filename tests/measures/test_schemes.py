"""Schemes of relation classes: those of the papers, both versions of UD, and the notes where versions are mixed."""

import json

import numpy as np
import pytest

import levelhead
from levelhead.comparison.judgment import Choices
from levelhead.evaluation.epochs import EpochScorer
from levelhead.scoring.matches import UNIVERSAL_FEATURES
from levelhead.treebank import relations
from levelhead.treebank.relations import TO_UD1, TO_UD2, UD1, UD2, ud_version_of
from oracle import fair, measures as oracle_measures

ONE = "1\ta\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n3\tc\t_\t_\t_\t_\t2\tpunct\t_\t_\n\n"
TWO = "1\ta\t_\t_\t_\t_\t2\tobj\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n3\tc\t_\t_\t_\t_\t2\tobl\t_\t_\n\n"


@pytest.mark.parametrize("name", relations.SCHEMES)
def test_the_class_of_every_relation_is_that_of_the_paper(name):
    """The tables of the papers and the lists of the scripts typed in a second time, and the same counterparts."""
    for relation in (*sorted(UD1 | UD2), "ROOT", "unk", "_", "foo"):
        scheme = relations.SCHEMES[name]
        found = scheme.class_of(relation)
        assert found == scheme.class_of(f"{relation}:sub") == fair.class_in(name, relation), relation


@pytest.mark.parametrize("scheme", relations.SCHEMES.values(), ids=lambda scheme: scheme.name)
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
        for name, scheme in relations.SCHEMES.items()
    }
    assert unknown == {
        "nivre-fang": {"neg"},
        "callin": {"clf"},
        "callin-code": {"clf"},
        "kohita": set(),
        "conll17": set(),
        "conll18": UD1 - UD2,
    }
    assert relations.CONLL17.class_of("ROOT") == relations.CONLL17.class_of("neg") == "CONTENT"
    assert relations.KOHITA.class_of("ROOT") == relations.KOHITA.class_of("clf") == "CONTENT"


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
    assert relations.CONLL18.classes == {
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
        "gold has relations of UD v1, the scheme nivre-fang those of UD v2: for LAS@CORE, UAS-FUN-PUNCT, their"
        " counterparts are used (see `levelhead measures --schemes`)"
    )
    assert notes(new, "CNC") == notes(old, "CNC") == (), "it lists what it leaves out, of both versions"
    (note,) = notes(old, "CLAS", "MLAS") if old.upos[0] != "_" else notes(old, "CLAS")
    assert note == (
        "gold has relations that the scheme conll18 does not list: dobj; left out of CLAS"
        " (LAS-FUN-PUNCT includes those of the other version of UD)"
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
    assert crossing.startswith(
        "the system has relations of UD v1, the scheme nivre-fang those of UD v2: for LAS@CORE, "
    )
    (note,) = notes("unk")
    assert note.startswith("the system has relations that the scheme conll18 does not list: unk; left out of CLAS")


def old_pair() -> tuple[str, str]:
    """Gold of UD v1, and an output with a relation that is none."""
    gold = TWO.replace("\tobj\t", "\tdobj\t").replace("\tobl\t", "\tnmod\t")
    return gold, gold.replace("\tnmod\t", "\tunk\t")


OLD_NOTES = [
    f"{side} has relations that the scheme conll18 does not list: {label}; left out of CLAS"
    " (LAS-FUN-PUNCT includes those of the other version of UD)"
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
        assert [note for note in shown if note in " ".join(printed.split())] == shown
        assert code == 0
    document = json.loads(run("rank", *folders, "-m", "CLAS", "--format", "json")[1])
    assert document["provenance"]["notes"] == shown
    assert "does not list" not in "".join(run("rank", *folders, "-m", "LAS")[1:])
    assert "does not list" not in "".join(run("rank", *folders, "-m", "CLAS", "--rules", "conll17")[1:])


def test_python_shows_that_there_are_notes():
    gold, output = map(levelhead.from_conllu, old_pair())
    scores = levelhead.score(gold, output, measures=["CLAS"])
    assert list(scores.notes) == OLD_NOTES
    assert repr(scores).endswith("CLAS=66.67; 2 notes in .notes>")
    assert repr(levelhead.score(gold, output, measures=["LAS"])).endswith("LAS=66.67>")


def test_scores_of_epochs_have_the_notes():
    gold, output = map(levelhead.from_conllu, old_pair())
    (note,) = EpochScorer(gold, labels=output.relations).notes
    assert note == OLD_NOTES[0].replace("gold", "the parser or gold").replace("dobj", "dobj, unk")
    assert EpochScorer(levelhead.from_conllu(TWO)).notes == EpochScorer(gold, rules="conll17").notes == ()


def test_judgments_have_the_notes():
    gold, first = (levelhead.from_conllu(2 * text) for text in old_pair())
    choices = Choices(np.array([0.0, 1.0]), np.ones(2, dtype=int))
    judged = levelhead.judge(gold, first, gold, choices, measures=["CLAS"])
    expected = [OLD_NOTES[0], OLD_NOTES[1].replace("system", "first system")]
    assert list(judged.provenance.notes)[:2] == expected
    without = levelhead.judge(gold, first, gold, choices, measures=["LAS"]).provenance.notes
    assert not any(note in OLD_NOTES for note in without)


def test_notes_on_both_versions_in_one_treebank():
    mixed = levelhead.from_conllu(TWO.replace("\tobl\t", "\tdobj\t"))
    notes = levelhead.score(mixed, mixed, measures=["LAS@CORE"]).notes
    assert notes == ("gold has relations of UD v1 (dobj) and of UD v2 (obj)",)
