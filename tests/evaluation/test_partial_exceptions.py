"""Where leaving out an answer may raise a partial score, as docs/partial.md says: the definition decides."""

import levelhead
from levelhead.evaluation.fold import fold
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.partial import whole_partial_pair
from levelhead.evaluation.setup import setup_of

SETUP = setup_of(["UAS", "LAS", "CLAS"], partial=True)
Answer = tuple[str, list[tuple[str, int, str]]]


def conllu(*answers: Answer) -> bytes:
    rows = (
        "".join(
            f"{n}\t{form}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_\n" for n, (form, head, relation) in enumerate(some, 1)
        )
        for _, some in answers
    )
    return "".join(f"# sent_id = {name}\n{text}\n" for (name, _), text in zip(answers, rows)).encode()


def scored(gold: list[Answer], answers: list[Answer]) -> Evaluation:
    return fold(whole_partial_pair(levelhead.from_conllu(conllu(*gold)), conllu(*answers), SETUP), SETUP)


GOLD: list[Answer] = [
    ("1", [("ab", 0, "root")]),
    ("2", [("cd", 0, "root"), ("e", 1, "obj")]),
    ("3", [("f", 0, "root")]),
]


def test_an_answer_with_more_words_than_gold_can_be_worse_than_none() -> None:
    """Its words count; recall is not raised."""
    long: Answer = ("1", [("ab", 0, "root"), *[("z", 1, "dep")] * 9])
    before, after = scored(GOLD, [long, *GOLD[1:]]), scored(GOLD, GOLD[1:])
    assert (before["LAS"].correct, before["LAS"].system) == (4, 13)
    assert (after["LAS"].correct, after["LAS"].system) == (3, 4)
    assert after["LAS"].f1 > before["LAS"].f1
    assert after["LAS"].recall < before["LAS"].recall


def test_an_answer_with_more_content_words_than_gold_can_be_worse_than_none_in_clas() -> None:
    gold: list[Answer] = [("1", [("a", 2, "det"), ("b", 0, "root"), ("c", 2, "case"), ("d", 2, "case")]), *GOLD[1:]]
    content: Answer = ("1", [("a", 2, "obj"), ("b", 1, "obj"), ("c", 2, "obj"), ("d", 2, "obj")])
    before, after = scored(gold, [content, *gold[1:]]), scored(gold, gold[1:])
    assert after["CLAS"].f1 > before["CLAS"].f1
    assert after["CLAS"].recall <= before["CLAS"].recall
    assert after["LAS"].f1 <= before["LAS"].f1


def test_without_an_answer_files_with_the_same_characters_are_paired_by_id() -> None:
    """Sentences that are cut differently have no word in common by characters, but similar words by their ids."""
    cut: list[Answer] = [("1", [("abc", 0, "root")]), ("2", [("d", 0, "root"), ("e", 1, "obj")]), GOLD[2]]
    before, after = scored(GOLD, cut), scored(GOLD, cut[:2])
    assert (before.coverage.paired_by, after.coverage.paired_by) == ("characters", "sent_id")
    assert (before["LAS"].correct, after["LAS"].correct) == (1, 2)


def test_where_sentences_have_the_text_of_gold_pairing_by_id_changes_nothing() -> None:
    """So the law holds for files whose characters agree, if their sentences do."""
    wrong: list[Answer] = [GOLD[0], ("2", [("cd", 2, "obj"), ("e", 0, "root")]), GOLD[2]]
    before, after = scored(GOLD, wrong), scored(GOLD, wrong[:2])
    assert (before.coverage.paired_by, after.coverage.paired_by) == ("characters", "sent_id")
    assert (before["LAS"].correct, after["LAS"].correct) == (2, 1)
    assert (before["LAS"].system, after["LAS"].system) == (4, 4)
