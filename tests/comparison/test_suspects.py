"""levelhead suspects: variation, votes, ranking, the command, and errors put into real gold."""

import contextlib
import io
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import levelhead
from conftest import EXAMPLES
from levelhead.cli import program
from levelhead.comparison.suspects import LONGEST, variations
from levelhead.errors import InputError
from levelhead.report.page.annotations import suspects_page
from oracle import variation as oracle
from strategies import examples

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA, BETA = (PARALLEL / part / "en.conllu" for part in ("gold", "systems/alpha", "systems/beta"))
WORD = st.tuples(st.sampled_from("aAb"), st.sampled_from("XY"), st.integers(0, 5), st.sampled_from(("p", "q")))
SENTENCES = st.lists(st.lists(WORD, min_size=1, max_size=6), min_size=1, max_size=12)


def run(*arguments: object) -> tuple[int, str, str]:
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = program.run(list(map(str, arguments)))
    out.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue()


def tree(words):
    """Words with heads that form a tree: each depends on an earlier word, the first on none."""
    return [
        (form, tag, choice % i if i else -1, label if i else "root")
        for i, (form, tag, choice, label) in enumerate(words)
    ]


def treebank(sentences) -> levelhead.Treebank:
    lines = []
    for words in sentences:
        for i, (form, tag, head, label) in enumerate(words, 1):
            lines.append(f"{i}\t{form}\t_\t{tag}\t_\t_\t{head + 1}\t{label}\t_\t_")
        lines.append("")
    return levelhead.from_conllu("\n".join(lines) + "\n")


@settings(max_examples=examples(50), deadline=None)
@given(SENTENCES)
def test_variations_are_those_of_the_definition(drawn):
    sentences = [tree(words) for words in drawn]
    found = treebank(sentences)
    starts = found.sentence_starts.tolist()
    tags, pairs = oracle.tags(sentences), oracle.pairs(sentences, LONGEST)
    seen_tags, n_relations = {}, 0
    for one in variations(found):
        sentence = int(found.sentence_of_word[one.word])
        assert found.forms[one.place].lower() == found.forms[one.word].lower()
        assert one.place != one.word
        if one.kind == "UPOS" or one.head >= 0:
            assert (found.upos if one.kind == "UPOS" else found.relations)[one.place] == one.other
        if one.kind == "UPOS":
            seen_tags[sentence, one.word - starts[sentence]] = (one.own, one.n_own, one.n_other, one.other)
        else:
            n_relations += 1
    assert seen_tags.keys() == tags.keys()
    for place, (own, n_own, n_other, others) in tags.items():
        assert seen_tags[place][:3] == (own, n_own, n_other)
        assert seen_tags[place][3] in others
    assert n_relations == len(pairs)


def test_a_tag_that_differs_from_three_others():
    words = [("a", "X", -1, "root"), ("b", "X", 0, "p"), ("c", "X", 0, "p")]
    odd = [("a", "X", -1, "root"), ("b", "Y", 0, "q"), ("c", "X", 0, "p")]
    gold = treebank([words, odd, words, words])
    found = levelhead.suspects(gold, [gold])
    by_kind = {(one.word, one.kind): one for one in found.suspects}
    assert list(by_kind) == [(4, "UPOS")] or list(by_kind) == [(4, "relation")]
    (one,) = found.suspects
    assert (one.variation.n_other, one.variation.n_own) == (3, 1)
    assert one.score == pytest.approx(math.log(3.5 / 1.5))


def test_systems_that_agree_against_gold_come_first():
    gold = levelhead.read(GOLD)
    relations = list(gold.relations)
    word = next(i for i, relation in enumerate(relations) if relation == "obj")
    relations[word] = "vocative"
    damaged = gold.replace(relations=relations)
    found = levelhead.suspects(damaged, {"one": gold, "two": gold, "three": gold})
    assert (found.suspects[0].word, found.suspects[0].kind) == (word, "relation")
    assert (found.suspects[0].n_for, found.suspects[0].n_gold) == (3, 0)
    assert found.suspects[0].other.startswith("obj of ")
    assert levelhead.suspects(gold, {"one": gold, "two": gold}).suspects == ()


def test_one_system_is_enough_if_there_is_only_one():
    assert levelhead.suspects(GOLD, [ALPHA]).suspects
    with pytest.raises(InputError):
        levelhead.suspects(GOLD, "examples")


def test_sentences_are_written_with_comments():
    found = levelhead.suspects(GOLD, [ALPHA, BETA])
    written = levelhead.from_conllu(levelhead.treebank.to_conllu(found.to_treebank()).decode())
    assert len(written) == len({found.sentence_of(one) for one in found.suspects})
    comments = "".join(written.comments)
    assert comments.count("# suspect = ") == len(found.suspects)
    one = found.suspects[0]
    assert f" {one.kind}: {one.gold} -> {one.other}\n" in comments


@pytest.mark.data
@pytest.mark.parametrize("code", ["en_ewt", "fi_tdt"])
def test_injected_errors_are_found(data, code):
    """Random relations at random places: most of the first 50 suspects are such words, where at random 1 in 100 is."""
    gold = levelhead.read(data / f"conll18/gold/{code}.conllu.xz")
    systems = [levelhead.read(path) for path in sorted((data / "conll18/systems").glob(f"*/{code}.conllu.xz"))[:3]]
    random = np.random.default_rng(0)
    words = random.choice(np.flatnonzero(gold.heads >= 0), size=gold.n_words // 100, replace=False)
    relations = list(gold.relations)
    for word, other in zip(words.tolist(), random.integers(gold.n_words, size=len(words)).tolist(), strict=True):
        relations[word] = gold.relations[other] if gold.relations[other] != relations[word] else "vocative"
    found = levelhead.suspects(gold.replace(relations=relations), systems)
    assert sum(one.word in set(words.tolist()) for one in found.suspects) >= 30


def test_parsers_are_trained_without_systems(tmp_path):
    code, out, err = run("suspects", GOLD, "--folds", 4, "--limit", 5, "--store", tmp_path / "store", "-j", 1)
    assert code == 0, err
    assert "(of arc-eager, swap-lazy, graph)" in out
    assert run("suspects", GOLD, "--folds", 4, "--limit", 5, "--store", tmp_path / "store", "-j", 1)[1] == out


def test_the_command_writes_a_table_json_a_page_and_sentences(tmp_path):
    page, conllu = tmp_path / "page.html", tmp_path / "suspects.conllu"
    code, out, _ = run("suspects", GOLD, ALPHA, BETA, "--report", page, "--sentences-to", conllu)
    assert code == 0
    lines, _, rest = out.partition("\n\n")
    assert lines.split(". ")[0] == "3 of 164 words are suspect: in 3, both systems agree on another annotation"
    assert rest.startswith("Sentence | Word")
    assert "Probably" in page.read_text(encoding="utf-8")
    assert "# suspect = " in conllu.read_text(encoding="utf-8")
    found = json.loads(run("suspects", GOLD, ALPHA, BETA, "--format", "json")[1])
    assert found == json.loads(json.dumps(levelhead.suspects(GOLD, [ALPHA, BETA]).to_dict()))
    assert found["tables"]["suspects"][0]["systems_against"] == 2


def test_what_is_refused():
    for arguments, text in (
        ((PARALLEL / "gold", ALPHA), "not folders"),
        ((GOLD, PARALLEL / "gold/fi.conllu"), "text-mismatch"),
        ((GOLD, "--folds", 1), "--folds"),
        ((GOLD, ALPHA, ALPHA), "twice"),
    ):
        code, out, err = run("suspects", *arguments)
        assert (code, out) == (2, ""), arguments
        assert text in err
        assert "Traceback" not in err


def test_the_signature_says_how_parsers_were_trained():
    given = levelhead.suspects(GOLD, [ALPHA], seed=3).provenance.signature
    trained = levelhead.suspects(GOLD, folds=2, seed=3).provenance.signature
    assert not {"trained", "folds", "seed"} & set(given)
    assert (trained["trained"], trained["folds"], trained["seed"]) == ("arc-eager+swap-lazy+graph", "2", "3")


@pytest.mark.parametrize(("n", "shown"), [(1, "1 sentence "), (3, "3 sentences ")])
def test_too_few_sentences_for_the_folds(tmp_path, n, shown):
    path = tmp_path / "few.conllu"
    path.write_text("\n\n".join(GOLD.read_text(encoding="utf-8").split("\n\n")[:n]) + "\n\n", encoding="utf-8")
    code, _, err = run("suspects", path, "--folds", 4)
    assert code == 2
    assert f"too-few-sentences: {shown}cannot be divided into 4 folds: use fewer folds" in err


def test_the_place_that_is_annotated_differently_is_named_and_drawn():
    words = [("a", "X", -1, "root"), ("b", "X", 0, "p"), ("c", "X", 0, "p")]
    odd = [("a", "X", -1, "root"), ("b", "Y", 0, "q"), ("c", "X", 0, "p")]
    gold = treebank([odd, words, words, words])
    found = levelhead.suspects(gold, [gold])
    (one,) = found.to_dict()["tables"]["suspects"]
    elsewhere = {name: one[f"elsewhere_{name}"] for name in ("other", "same", "sentence", "sent_id", "word")}
    assert elsewhere == {"other": 3, "same": 1, "sentence": 2, "sent_id": None, "word": 2}
    assert "3 : 1 (2)" in str(found)
    page = suspects_page(found)
    (block,) = page.sections[1].blocks
    assert [drawn["i"] for drawn in block.sentences] == ["sentence 1", "sentence 2"]
    assert "for example in sentence 2" in block.caption
