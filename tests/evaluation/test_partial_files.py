"""What partial scores make of files without heads, with several roots, with more columns, and of sentences by text."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.evaluation import partial as partial_module
from levelhead.scoring import form_alignment
from levelhead.treebank import input_bytes
from levelhead.treebank.input_bytes import PieceSizes
from levelhead.treebank.scanner import scan_treebank
from levelhead.treebank.ud_reader import of_treebank, read_leniently

GOLD = EXAMPLES / "parallel/gold/en.conllu"
ALPHA = EXAMPLES / "parallel/systems/alpha/en.conllu"
ROW = "{}\t{}\t_\tX\t_\t_\t{}\t{}\t_\t_\n"


def text_of(*sentences: list[tuple[str, object, str]]) -> str:
    blocks = ("".join(ROW.format(n, *row) for n, row in enumerate(rows, 1)) for rows in sentences)
    return "".join(f"{block}\n" for block in blocks)


def scored(tmp_path: Path, gold: str, system: str, **more: object) -> levelhead.Evaluation:
    for name, text in (("gold", gold), ("system", system)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return levelhead.score(tmp_path / "gold", tmp_path / "system", partial=True, **more)


GOOD = [("a", 2, "det"), ("dog", 3, "nsubj"), ("barks", 0, "root")]


def numbers(score: levelhead.Score) -> tuple[float, ...]:
    return score.correct, score.gold, score.system, score.aligned


def test_by_hand(tmp_path):
    """A word is missing, one is changed, one has no head; the second sentence is answered twice, the third not."""
    other = [("cats", 2, "nsubj"), ("sleep", 0, "root")]
    gold = "".join(f"# sent_id = {n}\n{text_of(one)}" for n, one in enumerate([GOOD, other, GOOD, GOOD], 1))
    answer = text_of([("dogs", 2, "nsubj"), ("barks", 0, "root")])  # `a` is missing
    headless = text_of([("a", 2, "det"), ("dog", "_", "nsubj"), ("barks", 0, "root")])
    wrong = text_of([("cats", 0, "root"), ("sleep", 1, "dep")])
    blocks = [answer, text_of(other), wrong, headless]
    system = "".join(f"# sent_id = {n}\n{text}" for n, text in zip([1, 2, 2, 4], blocks))
    found = scored(tmp_path, gold, system, measures="UAS,LAS,CLAS,Tokens,Sentences,UEM")
    assert numbers(found["LAS"]) == (2 + 2 + 2, 11, 3 + 2 + 3 + 3, 2 + 2 + 3)
    assert numbers(found.valid_trees["LAS"]) == (2 + 2, 11, 11, 7)
    assert numbers(found["CLAS"]) == (2 + 2 + 1, 8, 2 + 2 + 2 + 2, 7 - 1)
    assert (found["Tokens"].correct, found["Tokens"].gold, found["Tokens"].system) == (1 + 2 + 3, 11, 11)
    assert (found["Sentences"].correct, found["Sentences"].system) == (2, 4)
    assert (found["UEM"].correct, found["UEM"].gold, found["UEM"].system) == (1, 4, 4)
    assert tuple(found.coverage) == ("sent_id", 3, 4, 2, 7, 6, 11, 1, 0, 6, 0, 0, 0)


@pytest.mark.parametrize("rules", ["ud", "udtools", "conll18"])
def test_an_output_without_heads_has_no_head_right(tmp_path, rules):
    bare = text_of([(form, "_", "_") for form, *_ in GOOD])
    found = scored(tmp_path, text_of(GOOD), bare, measures="UPOS,LAS", rules=rules)
    assert numbers(found["UPOS"]) == (3, 3, 3, 3)
    assert numbers(found["LAS"]) == (0, 3, 3, 3)
    assert found.valid_trees["UPOS"].correct == 0
    assert (found.coverage.answered, found.coverage.with_head, found.coverage.aligned) == (0, 0, 3)


def test_gold_without_heads_has_no_scores_of_trees(tmp_path):
    bare = text_of([(form, "_", "_") for form, *_ in GOOD])
    found = scored(tmp_path, bare, text_of(GOOD), measures="UPOS,LAS")
    assert found["LAS"].reason == found.valid_trees["LAS"].reason == "not annotated in gold: HEAD"
    assert numbers(found["UPOS"]) == (3, 3, 3, 3)


def test_several_roots_are_a_valid_tree_only_where_they_are_allowed(tmp_path):
    several = text_of([("a", 0, "det"), ("dog", 3, "nsubj"), ("barks", 0, "root")])
    for allowed, n_right in ((False, 0), (True, 2)):
        found = scored(tmp_path, text_of(GOOD), several, measures="LAS", allow_several_roots=allowed)
        assert (found["LAS"].correct, found.valid_trees["LAS"].correct) == (2, n_right)
        broken = several + text_of([("x", 2, "dep"), ("y", 1, "dep")])
        found = scored(tmp_path, text_of(GOOD), broken, measures="LAS", allow_several_roots=allowed)
        assert (found["LAS"].correct, found.valid_trees["LAS"].correct) == (2, n_right)
        assert found.coverage.extra == 1


def test_more_columns_are_left_out(tmp_path):
    rows = [line.split("\t") for line in text_of(GOOD).splitlines() if line]
    rows[0][6] = "_"
    table = "\n".join("\t".join([cells[0], "more", *cells[1:]]) for cells in rows)
    header = "# global.columns = ID X FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC\n"
    found = scored(tmp_path, text_of(GOOD), f"{header}{table}\n\n", measures="LAS")
    assert numbers(found["LAS"]) == (2, 3, 3, 3)


def test_conllx(tmp_path):
    broken = text_of([("a", 2, "det"), ("dog", 1, "nsubj"), ("barks", 0, "root")])
    found = scored(tmp_path, text_of(GOOD), broken, measures="LAS", format="conllx")
    assert numbers(found["LAS"]) == (2, 3, 3, 3)
    assert found.valid_trees["LAS"].correct == 0


def test_every_sentence_is_paired_in_large_files_with_other_texts(monkeypatch):
    """The three ways by text agree where each sentence has its own words: equal texts, closest texts, common words."""
    gold = levelhead.read(GOLD)
    changed = gold.replace(forms=[f"{form}x" if n % 7 == 0 else form for n, form in enumerate(gold.forms)])
    fewer = changed.select([n for n in range(len(changed)) if n % 5])
    plain = gold.replace(), fewer
    expected = [n - n // 5 - 1 if n % 5 else -1 for n in range(len(gold))]
    for most, most_words in ((10**8, 10**11), (3_000, 10**11), (0, 10**11)):
        monkeypatch.setattr(form_alignment, "MOST_COMPARISONS", most)
        monkeypatch.setattr(form_alignment, "_MOST_WORD_PAIRS", most_words)
        found = levelhead.score(*plain, partial=True, measures="LAS").coverage
        assert found.paired_by == "sent_id"
        spans = [levelhead.scoring.matches.spans_of(one, unicode_spaces=True) for one in plain]
        texts = [one.sentence_texts() for one in spans]
        words = [form_alignment.words_by_sentence(one) for one in plain]
        by_text = form_alignment.pair_texts((texts[0], texts[1]), (words[0], words[1]))
        right = sum(one == other for one, other in zip(by_text, expected))
        assert right >= len(gold) - 2, (most, by_text)
    monkeypatch.setattr(form_alignment, "_MOST_WORD_PAIRS", 0)
    assert form_alignment.pair_texts(([b"ab"], [b"ac"]), ([["ab"]], [["ac"]])) == [-1]


def test_unreadable_lines_are_counted():
    """Ranges that are not whole and rows with too few columns; comments are none."""
    text = "# sent_id = s\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\t_\t_\t_\t3\tx\t_\t_\n2 b\nprose\n3\tc\t_\t_\t_\t_\t0\troot\t_\t_\n\nprose\n\n"
    found = read_leniently(text.encode())
    assert list(found.forms) == ["a", "c"]
    assert found.partial is not None
    assert found.partial.unreadable == 4
    assert found[0].id == "s"
    assert (found.heads.tolist(), of_treebank(found).has_head.tolist()) == ([1, -1], [True, True])


@pytest.mark.parametrize("output", ["same", "broken", "missing", "without heads", "other text", "other order"])
def test_large_files_have_the_scores_of_small_ones(tmp_path, monkeypatch, output):
    """Piece by piece; whole where sentences are paired by their texts, or have another order than in gold."""
    text = ALPHA.read_text(encoding="utf-8")
    if output == "other order":
        text = GOLD.read_text(encoding="utf-8")
    system = {
        "same": text,
        "broken": text.replace("\t0\troot", "\t_\troot", 1),
        "missing": text.split("\n\n", 1)[1],
        "without heads": "".join(
            "\t".join([*cells[:6], "_", *cells[7:]]) if len(cells) == 10 and cells[0].isdigit() else line
            for line in text.splitlines(keepends=True)
            for cells in [line.split("\t")]
        ),
        "other text": text.replace("dog", "cow"),
        "other order": "\n\n".join(reversed(text.removesuffix("\n\n").split("\n\n"))) + "\n\n",
    }[output]
    path = tmp_path / "en.conllu"
    path.write_text(system, encoding="utf-8")

    def documents() -> list[dict[str, Any]]:
        found = levelhead.score(GOLD, path, partial=True)
        compared = levelhead.compare(GOLD, [ALPHA, path], partial=True, measures="LAS,UPOS")
        return [found.to_dict(), compared.to_dict()]

    expected = documents()
    read = []
    monkeypatch.setattr(input_bytes, "SIZES", PieceSizes(large=500, piece=700))
    whole = partial_module.whole_partial_pair
    monkeypatch.setattr(partial_module, "whole_partial_pair", lambda *given: read.append(given) or whole(*given))
    assert documents() == expected
    by_text = expected[0]["tables"]["coverage"][0]["paired_by"] == "text"
    assert bool(read) == (by_text or output == "other order")


def test_an_answer_of_a_hundred_thousand_rows(tmp_path):
    """It is aligned with its sentence in bounded time; its words count."""
    long = text_of([*GOOD, *[("word", 1, "dep")] * 100_000])
    ids = ("# sent_id = a\n", "# sent_id = b\n")
    gold = "".join(f"{one}{text_of(GOOD)}" for one in ids)
    found = scored(tmp_path, gold, ids[0] + long + ids[1] + text_of(GOOD), measures="LAS")
    assert numbers(found["LAS"]) == (6, 6, 100_006, 6)


def test_prose_is_not_scanned_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Text without rows is left out before sentences are scanned, in halves, for faults; its lines are counted."""
    scanned: list[int] = []

    def counted(data: bytes, **settings: bool) -> levelhead.Treebank | None:
        scanned.append(len(data))
        return scan_treebank(data, **settings)

    monkeypatch.setattr("levelhead.treebank.scanner.scan_treebank", counted)
    row = b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    prose = b"# a comment\nHere is the answer:\n1. the table\n\n" * 5000
    found = read_leniently(prose + row * 200 + prose)
    assert found.partial is not None
    assert (len(found), found.partial.unreadable) == (200, 20_000)
    assert sum(scanned) <= 2 * 200 * len(row)


def test_sentences_with_faults_are_found_wherever_they_are() -> None:
    """Also where they are the first or the last of the sentences that are scanned together."""
    row, bad = (f"1\ta\t_\t_\t_\t_\t{head}\troot\t_\t_\n\n".encode() for head in ("0", "7"))
    for places in ([0], [63], [64], [63, 64, 65], [127, 128, 199]):
        found = of_treebank(read_leniently(b"".join(bad if i in places else row for i in range(200))))
        assert np.flatnonzero(~found.is_tree).tolist() == places
        assert np.flatnonzero(~found.has_head).tolist() == places
