"""Measures and schemes of a user's own: read from files, like shipped ones, or refused."""

import hashlib
import re
from pathlib import Path

import pytest
from hypothesis import given, settings

import levelhead
from levelhead.errors import InputError, MeasureError
from levelhead.measures.registry import REGISTRY, STANDARD, parse_measure
from levelhead.measures.user_definitions import read_definitions
from levelhead.scoring.measure import Measure, split
from levelhead.treebank import relations
from oracle import fair, measures as oracle_measures
from strategies import examples, pairs

ONE = "1\ta\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n3\tc\t_\t_\t_\t_\t2\tpunct\t_\t_\n\n"
OTHER = ONE.replace("\t2\tdet", "\t2\tcase")
TWO = "1\ta\t_\t_\t_\t_\t2\tobj\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n3\tc\t_\t_\t_\t_\t2\tobl\t_\t_\n\n"
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
    assert {*registry.schemes.by_name} - {*relations.SCHEMES} == {"mine"}
    assert registry.schemes.by_name["mine"].class_of("dobj") == "ARGUMENTS", "by its counterpart"
    assert registry.schemes.by_name["mine"].class_of("det") == "REST"
    for text in ("LAS@mine:ARGUMENTS", "LAS-det-mine:REST", "Heads.recall", "Exact-MWE", "Heads-mine:ROOTS"):
        assert str(parse_measure(text, registry)) == text
    with pytest.raises(MeasureError):
        parse_measure("Heads")
    assert STANDARD.measures is REGISTRY


@settings(max_examples=examples(30))
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
    "\udcff": "not UTF-8 text",
    "a = " + "[" * 5000: "not TOML",
    "measure = 3": "measure is not a table of tables: write [measure.NAME]",
    "[measure]\nX = 3": "measure is not a table of tables",
    "[scheme]\nx = []": "scheme is not a table of tables",
    "[measures.X]": "the file: unknown key 'measures': did you mean measure?",
    "[measure.X]": "measure X: needs is not a list of strings",
    "[measure.X]\nneeds = 'head'": "measure X: needs is not a list of strings",
    "[measure.X]\nneeds = ['heads']": "measure X needs a name of letters, and `needs`, a list of head,",
    "[measure.X1]\nneeds = ['head']": "measure X1 needs a name of letters",
    "[measure.LAS]\nneeds = ['head']": "LAS is already defined: choose another name",
    "[measure.las]\nneeds = ['head']": "LAS is already defined: choose another name",
    "[measure.X]\nneeds = ['head']\nunit = 'tokens'": "measure X: unit must be words or exact",
    "[measure.X]\nneeds = ['head']\nunit = ['words']": "measure X: unit must be words or exact",
    "[measure.X]\nneeds = ['head']\nweights = 1": "measure X: unknown key 'weights'",
    "[measure.X]\nneeds = ['head']\nonly = 'KERN'": "measure X: unknown-measure: unknown class 'KERN' in the scheme nivre-fang",
    "[measure.X]\nneeds = ['head']\nonly = ''": "measure X: unknown-measure",
    "[measure.X]\nneeds = ['head']\nonly = 5": "measure X: unknown-measure: '5' in",
    "[measure.X]\nneeds = ['head']\nonly = 'det.recall'": "'det.recall' is not a single class or relation",
    "[measure.X]\nneeds = ['head']\nonly = 'det.x'": "measure X: unknown-measure: unknown component 'x': use precision",
    "[measure.X]\nneeds = ['head']\nwithout = 'det'": "measure X: without is not a list of strings",
    "[measure.X]\nneeds = ['head']\nwithout = ['det-case']": "'det-case' in 'LAS@det-case' is neither a class",
    "[measure.X]\nneeds = ['head']\nwithout = ['dte']": "unknown class or relation 'dte': did you mean det?",
    "[scheme.s]": "scheme s needs a name in lower case and a table of classes",
    "[scheme.S]\nclasses = { A = ['det'] }": "scheme S needs a name in lower case",
    "[scheme.callin]\nclasses = { A = ['det'] }": "callin is already defined",
    "[scheme.s]\nclasses = { A = 'det' }": "scheme s is not a list of strings",
    "[scheme.s]\nclasses = { a = ['det'] }": "scheme s: write classes in upper case",
    "[scheme.s]\nclasses = { A = ['det'] }\notherwise = 5": "scheme s: write classes in upper case",
    "[scheme.s]\nclasses = { A = ['det'], B = ['det'] }": "scheme s has det in two classes",
    "[scheme.s]\nclasses = { A = ['det', 'det'] }": "scheme s has det in two classes",
    "[scheme.s]\nclasses = { A = ['acl:relcl'] }": "scheme s: 'acl:relcl' is not a valid relation without subtype",
    "[scheme.s]\nclasses = { A = ['det'] }\nversion = 3": "scheme s: version must be 1 or 2",
    "[scheme.s]\nclasses = { A = ['det'] }\nversion = [1]": "scheme s: version must be 1 or 2",
    "[scheme.s]\nclasses = { A = ['det'] }\nversion = true": "scheme s: version must be 1 or 2",
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
    files = (tmp_path / name for name in ("own.toml", "second.toml"))
    assert signature["definitions"] == "+".join(hashlib.sha256(file.read_bytes()).hexdigest()[:12] for file in files)
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
