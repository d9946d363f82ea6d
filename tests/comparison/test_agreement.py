"""levelhead agree: annotations of one text as equals."""

import contextlib
import io
import json
import re
from itertools import permutations

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.cli import program
from levelhead.comparison.annotators import common_words, labels_of, match_pairs
from levelhead.errors import InputError
from levelhead.scoring.rules import UD
from levelhead.significance.agreement import MISSING
from oracle import annotators as oracle
from result_rows import rows_in

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA, BETA = (PARALLEL / part / "en.conllu" for part in ("gold", "systems/alpha", "systems/beta"))
MEASURES = ("Tokens", "Sentences", "Words", "UPOS", "UFeats", "Lemmas", "UAS", "LAS", "LAS(full)", "CLAS", "LEM")
ROW = "{}\t{}\t{}\t{}\t_\t{}\t{}\t{}\t_\t_"


def run(*arguments: object) -> tuple[int, str, str]:
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = program.run(list(map(str, arguments)))
    out.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue()


def annotation(rows: list[tuple[str, str, str, int, str]]) -> levelhead.Treebank:
    lines = [ROW.format(i, f"w{i}", *row) for i, row in enumerate(rows, 1)]
    return levelhead.from_conllu("\n".join(lines) + "\n\n")


FIRST = annotation([("a", "DET", "X=1", 2, "det"), ("_", "NOUN", "_", 0, "root"), ("c", "VERB", "_", 2, "acl")])
SECOND = annotation([("_", "DET", "_", 2, "det"), ("b", "VERB", "Y=2", 0, "root"), ("c", "VERB", "_", 1, "obj")])


NODE = "5.1\tdrinks\tdrink\tVERB\tVBZ\tMood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin\t_\t_\t0:root|2:conj:and"


@pytest.mark.parametrize(
    ("node", "wrong"),
    [
        (NODE, set()),
        (NODE.replace("0:root", "1:root"), {"EmptyARC", "EmptyDEP", "EmptyWO", "EmptyFORM", "EmptyUPOS"}),
        (NODE.replace("0:root", "0:x"), {"EmptyDEP"}),
        (NODE.replace("drinks", "drink").replace("VERB", "X"), {"EmptyFORM", "EmptyUPOS"}),
        (None, None),
    ],
)
def test_empty_nodes_are_compared(node, wrong, tmp_path):
    text = GOLD.read_text(encoding="utf-8")
    line = next(line for line in text.split("\n") if line.startswith(NODE))
    other = tmp_path / "other.conllu"
    other.write_text(text.replace(f"{line}\n", f"{node}\t_\n" if node else ""), encoding="utf-8")
    found = levelhead.agree(GOLD, other)
    if node is None:
        assert {found.reasons[f"Empty{name}"] for name in ("ARC", "DEP", "WO", "FORM", "UPOS")} == {
            "not annotated on both sides: empty nodes"
        }
    else:
        assert {name for name, value in found.f1.items() if value != 100} == wrong
    moved = node is None or bool({"EmptyARC", "EmptyDEP"} & wrong)
    assert [levelhead.read(GOLD)[i].id for i in found.differing] == ["p11"] * moved


@pytest.mark.parametrize(("one", "other"), [(FIRST, SECOND), (GOLD, BETA), (ALPHA, BETA)])
def test_two_agree_the_same_in_both_directions(one, other):
    there, back = levelhead.agree(one, other), levelhead.agree(other, one)
    assert there.f1 == back.f1
    of_nodes = [name for name in there.f1 if name.startswith("Empty")]
    assert list(there.f1) == [*MEASURES, *of_nodes]
    assert (len(of_nodes) == 5) == (GOLD in (one, other))  # it has an empty node
    for ours, theirs in zip(there.labels, back.labels, strict=True):
        assert (ours.name, ours.words, ours.observed) == (theirs.name, theirs.words, theirs.observed)
        for name in ("cohen", "fleiss", "krippendorff"):
            assert getattr(ours, name).value == pytest.approx(getattr(theirs, name).value)


def test_several_agree_the_same_in_any_order():
    first = levelhead.agree(GOLD, ALPHA, BETA)
    for order in permutations((GOLD, ALPHA, BETA)):
        found = levelhead.agree(*order)
        for name, value in first.f1.items():
            assert found.f1[name] == pytest.approx(value), name
        for one in first.labels:
            other = found[one.name]
            assert other.words == one.words
            assert other.krippendorff.value == pytest.approx(one.krippendorff.value)
            assert other.fleiss.value == pytest.approx(one.fleiss.value)
            assert other.cohen.value == pytest.approx(one.cohen.value)
        assert patterns(found) == patterns(first)


def patterns(found):
    return {(one.name, one.first, one.second): (one.words, one.share) for one in found.disagreements}


def test_patterns_of_several_are_counted_whoever_gave_which_label():
    """obl by the first and nmod by the second on one word, the reverse on another: one pattern, two words."""
    rows = [[(form, "X", "_", head, relation) for form, head, relation in zip("abc", (0, 1, 1), relations)]
            for relations in (("root", "obl", "nmod"), ("root", "nmod", "obl"), ("root", "nmod", "nmod"))]  # fmt: skip
    one, two, three = map(annotation, rows)
    several = levelhead.agree(one, two, three)
    assert patterns(several) == {("relations", "nmod", "obl"): (4, 100)}
    first = several.disagreements[0]
    assert (first.first_annotator, first.second_annotator) == ("annotation 2", "annotation 1")
    assert patterns(levelhead.agree(one, two)) == {
        ("relations", "obl", "nmod"): (1, 50),
        ("relations", "nmod", "obl"): (1, 50),
    }


def test_a_lemma_or_column_that_one_side_lacks_is_no_agreement():
    assert levelhead.agree(FIRST, SECOND).f1["Lemmas"] == pytest.approx(100 / 3)
    bare = annotation([("a", "_", "_", 2, "det"), ("b", "_", "_", 0, "root"), ("c", "_", "_", 2, "acl")])
    for one, other in ((bare, FIRST), (FIRST, bare)):
        lacking = levelhead.agree(one, other)
        assert lacking.reasons["UPOS"] == "not annotated on both sides: UPOS"
        assert lacking.f1["UPOS"] is None
        assert "UPOS" not in {one.name for one in lacking.labels}
        assert "not annotated by all annotators: UPOS, XPOS, FEATS" in lacking.provenance.notes


def test_by_hand():
    """DET NOUN VERB with DET VERB VERB: 2/3 agree, 1/9 + 0 + 2/9 by chance. Heads: +1 root -1 with +1 root -2."""
    found = levelhead.agree(FIRST, SECOND)
    tags = found["UPOS"]
    assert (tags.observed, tags.expected, tags.cohen.value) == pytest.approx((200 / 3, 100 / 3, 1 / 2))
    heads = found["heads"]
    assert (heads.observed, heads.expected, heads.cohen.value) == pytest.approx((200 / 3, 200 / 9, 4 / 7))
    assert [one.name for one in found.labels] == ["heads", "relations", "UPOS", "X", "Y"]
    assert found["X"].observed == pytest.approx(200 / 3)
    patterns = {(one.name, one.first, one.second): (one.words, one.form) for one in found.disagreements}
    assert patterns == {
        ("heads", "NOUN", "DET"): (1, "w3"),
        ("relations", "acl", "obj"): (1, "w3"),
        ("UPOS", "NOUN", "VERB"): (1, "w2"),
        ("X", "1", "-"): (1, "w1"),
        ("Y", "-", "2"): (1, "w2"),
    }


def test_coefficients_are_the_definitions_on_examples():
    treebanks = [levelhead.read(path) for path in (GOLD, ALPHA, BETA)]
    found = levelhead.agree(*treebanks)
    for one in labels_of(common_words(treebanks, match_pairs(treebanks, UD))):
        items = [[None if label == MISSING else label for label in row] for row in one.labels.tolist()]
        assert found[one.name].cohen.value == pytest.approx(float(oracle.light(items)))
        assert found[one.name].fleiss.value == pytest.approx(float(oracle.fleiss(items)))
        assert found[one.name].krippendorff.value == pytest.approx(float(oracle.krippendorff(items)))


def test_a_treebank_agrees_with_itself():
    found = levelhead.agree(GOLD, levelhead.read(GOLD), levelhead.read(GOLD))
    assert set(found.f1.values()) == {100}
    assert {one.krippendorff.value for one in found.labels} == {1.0}
    assert (found.disagreements, found.differing) == ((), ())


def test_words_of_split_tokens_are_one_word_where_they_are_aligned():
    whole = levelhead.from_conllu("1\tzum\t_\tX\t_\t_\t0\troot\t_\t_\n2\tEnde\t_\tX\t_\t_\t1\tdep\t_\t_\n\n")
    split = levelhead.from_conllu(
        "1-2\tzum\t_\t_\t_\t_\t_\t_\t_\t_\n1\tzu\t_\tX\t_\t_\t3\tcase\t_\t_\n2\tdem\t_\tX\t_\t_\t3\tdet\t_\t_\n"
        "3\tEnde\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    )
    for treebanks in ([whole, split], [split, whole], [split, whole, split]):
        words = common_words(treebanks, match_pairs(treebanks, UD))
        assert len(words.rows) == 4
        joint = words.rows[(words.rows != MISSING).all(axis=1)]
        assert joint.tolist() == [[one.n_words - 1 for one in treebanks]]


@pytest.mark.data
def test_real_annotations_with_other_tokens(data):
    gold = data / "conll18/gold/el_gdt.conllu.xz"
    systems = sorted((data / "conll18/systems").glob("*/el_gdt.conllu.xz"))[:3]
    found = levelhead.agree(gold, *systems)
    assert found.units.kind == "document"
    assert len(found.pairs) == 6
    for one in ("heads", "relations", "UPOS"):
        low, high = found[one].krippendorff.interval
        assert low < found[one].krippendorff.value < high
    pair = levelhead.agree(gold, systems[0])
    score = levelhead.score(gold, systems[0], measures=["UAS", "LAS"])
    assert pair.f1["LAS"] == pytest.approx(score["LAS"].f1)
    aligned = score["UAS"].aligned
    assert pair["heads"].words == aligned
    assert round(pair["heads"].observed / 100 * aligned) == score["UAS"].correct


def test_the_command_prints_three_tables_or_one():
    code, out, err = run("agree", GOLD, BETA)
    assert code == 0
    assert "sentences differ in span, heads, universal relations or empty nodes: p01" in out
    assert re.search(r"Label +\| gold +\| beta", out)
    assert err == ""
    _, measures, _ = run("agree", GOLD, BETA, "--by", "measure", "-q")
    assert measures.startswith("Measure   |")
    assert "Cohen" not in measures
    _, tidy, _ = run("agree", GOLD, ALPHA, BETA, "--format", "tsv")
    assert tidy.splitlines()[0].split("\t") == [
        "name", "words", "n_units", "observed", "expected",
        *(f"{name}{part}" for name in ("cohen", "fleiss", "krippendorff") for part in ("", "_low", "_high")),
    ]  # fmt: skip
    _, patterns, _ = run("agree", GOLD, BETA, "--by", "pattern", "--format", "tsv")
    assert len(patterns.splitlines()) == 1 + len(levelhead.agree(GOLD, BETA).disagreements)


def test_json_has_everything():
    found = json.loads(run("agree", GOLD, GOLD.with_name("en.conllu"), ALPHA, "--format", "json")[1] or "null")
    assert found is None  # a path twice
    found = json.loads(run("agree", GOLD, ALPHA, BETA, "--format", "json")[1])
    assert found == json.loads(json.dumps(levelhead.agree(GOLD, ALPHA, BETA).to_dict()))
    assert [(one["first"], one["second"]) for one in rows_in(found, "pairs", measure="LAS")] == [
        ("gold", "alpha"), ("gold", "beta"), ("alpha", "beta"),
    ]  # fmt: skip
    assert rows_in(found, "units") == [{"treebank": "gold", "unit": "sentence", "n_units": 20, "n_documents": None}]
    assert [one["name"] for one in rows_in(found, "labels")][:3] == ["heads", "relations", "UPOS"]


def test_a_page_is_written(tmp_path):
    assert run("agree", GOLD, ALPHA, BETA, "--report", tmp_path / "page.html")[0] == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for text in ("Agreement beyond chance", "Disagreements", "alpha and beta", "<svg"):
        assert text in page


def test_what_is_refused():
    assert run("agree", GOLD)[0] == 2
    assert "requires two files" in run("agree", GOLD)[2]
    assert "or one folder" in run("agree", PARALLEL / "gold", GOLD)[2]
    code, out, err = run("agree", GOLD, PARALLEL / "gold/fi.conllu")
    assert (code, out) == (2, "")
    assert "text-mismatch" in err
    assert f"is {GOLD} the right file to compare with? It begins with" in err
    assert "gold" not in err.replace(str(GOLD), "").replace(str(PARALLEL / "gold/fi.conllu"), "").lower()
    assert run("agree", GOLD, ALPHA, PARALLEL / "gold/fi.conllu")[0] == 2
    assert "no-documents" in run("agree", GOLD, ALPHA, "--resample-by", "document")[2]
    for arguments in ((), (GOLD,), (GOLD, 3), (GOLD, ALPHA, None), (GOLD, GOLD)):
        with pytest.raises(InputError):
            levelhead.agree(*arguments)
    with pytest.raises(InputError):
        levelhead.agree(GOLD, ALPHA, level=1.5)
    with pytest.raises(InputError):
        levelhead.agree(GOLD, ALPHA, resample_by="word")


def test_labels_with_too_few_cases_have_no_interval_and_a_note():
    found = levelhead.agree(GOLD, ALPHA)
    assert {one.name for one in found.labels if one.n_units < 10} >= {"Degree", "Voice"}
    with pytest.raises(KeyError):
        found["no such label"]
    for one in found.labels:
        assert (one.krippendorff.interval is None) == (one.n_units < 10)
    notes = found.table().notes
    assert any(note.startswith("-: no interval, since fewer than 10 documents or sentences") for note in notes)
    assert any(note.startswith("the first file marks no documents") for note in notes)
    heads = levelhead.agree(FIRST, SECOND).table().notes
    assert not any(note.startswith("-:") for note in heads)  # of 1 sentence: another note says so


def test_the_example_of_three_annotators():
    folder = EXAMPLES / "agreement"
    found = levelhead.agree(*(folder / f"{name}.conllu" for name in ("anna", "ben", "clara")))
    assert found.annotators == ("anna", "ben", "clara")
    assert ("UPOS", "ADP", "PART", 4) in [(one.name, one.first, one.second, one.words) for one in found.disagreements]
