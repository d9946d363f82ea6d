"""Tables whose header row names the columns: read by their names, in any order, and never by place."""

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from command_line import levelhead as run
from levelhead.recovery.recovery import GoldSentence, Recovered, recovered

FORMS = "The dog barked , .".split()
WORDS = [
    {"ID": "1", "FORM": "The", "UPOS": "DET", "HEAD": "2", "DEPREL": "det", "Reason": "1 noun"},
    {"ID": "2", "FORM": "dog", "UPOS": "NOUN", "HEAD": "3", "DEPREL": "nsubj", "Reason": "subject of 3"},
    {"ID": "3", "FORM": "barked", "UPOS": "VERB", "HEAD": "0", "DEPREL": "root", "Reason": "the main verb"},
    {"ID": "4", "FORM": ",", "UPOS": "PUNCT", "HEAD": "3", "DEPREL": "punct", "Reason": "-"},
    {"ID": "5", "FORM": ".", "UPOS": "PUNCT", "HEAD": "3", "DEPREL": "punct", "Reason": "_"},
]
ARCS = [(2, "det"), (3, "nsubj"), (0, "root"), (3, "punct"), (3, "punct")]
ALIASES = {
    "ID": ["Index", "Token ID", "#"],
    "FORM": ["Word", "**Token**"],
    "HEAD": ["Head ID", "parent"],
    "DEPREL": ["Relation", "dep_rel"],
}


def pipes(names: list[str], words: list[dict[str, str]] = WORDS, heads: list[str] | None = None) -> str:
    rows = [heads or names, ["---"] * len(names), *([word[name] for name in names] for word in words)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def separated(names: list[str], delimiter: str = ",") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(
        [names, *([word[one] for one in names] for word in WORDS)]
    )
    return text.getvalue()


def arcs(found: Recovered) -> list[tuple[int | None, str | None]]:
    return [(head, row.relation if row else None) for row, head in zip(found.rows, found.heads, strict=True)]


ORDERS = st.permutations(["FORM", "HEAD", "DEPREL", "ID", "UPOS", "Reason"])


@given(ORDERS, st.integers(0, 2), st.sampled_from(["pipes", ",", "\t", ";"]), st.booleans())
def test_columns_are_found_by_name(order: list[str], n_left_out: int, kind: str, prose: bool) -> None:
    """Whatever the order, with or without numbers, tags and further columns."""
    left_out = ["Reason", "UPOS"][:n_left_out]
    names = [name for name in order if name not in left_out]
    table = pipes(names) if kind == "pipes" else separated(names, kind)
    found = recovered(
        f"Here is the analysis:\n\n{table}\n\nI hope this helps." if prose else table, GoldSentence(FORMS)
    )
    assert arcs(found) == ARCS
    assert found.answer.category == "repaired"
    if "UPOS" in names:
        assert [row.tags[1] for row in found.rows if row] == [word["UPOS"] for word in WORDS]


@pytest.mark.parametrize("number", range(2))
def test_names_are_known_in_several_spellings(number: int) -> None:
    names = ["DEPREL", "FORM", "HEAD", "ID"]
    assert arcs(recovered(pipes(names, heads=[ALIASES[name][number] for name in names]), GoldSentence(FORMS))) == ARCS


def test_numbers_may_be_missing() -> None:
    assert arcs(recovered(separated(["HEAD", "DEPREL", "FORM"]), GoldSentence(FORMS))) == ARCS
    assert "ids" in recovered(separated(["HEAD", "DEPREL", "FORM"]), GoldSentence(FORMS)).answer.steps


def test_a_form_that_is_the_delimiter_needs_no_quotes() -> None:
    table = separated(["HEAD", "FORM", "DEPREL"]).replace('","', ",")
    assert arcs(recovered(table, GoldSentence(FORMS))) == ARCS


def test_a_row_that_does_not_fit_is_lost_and_not_guessed() -> None:
    """Read by place, `2 | 3 | nsubj` would have another head."""
    table = pipes(["DEPREL", "HEAD", "ID", "FORM"]).replace("| nsubj | 3 | 2 | dog |", "| nsubj | 3 | 2 |")
    found = recovered(table, GoldSentence(FORMS))
    assert arcs(found)[1] == (None, None)
    assert arcs(found)[2:] == ARCS[2:]
    assert found.answer.category == "rows missing or extra"


def test_a_head_that_is_a_word_is_no_number() -> None:
    """Nothing is made up where the column of heads has no numbers."""
    words = [{**word, "HEAD": "barked"} for word in WORDS]
    assert all(
        head is None for head, _ in arcs(recovered(pipes(["ID", "HEAD", "FORM", "DEPREL"], words), GoldSentence(FORMS)))
    )


def test_a_header_ends_with_its_table() -> None:
    """Rows after prose are read by place again."""
    plain = "\n".join("\t".join([w["ID"], w["FORM"], *"____", w["HEAD"], w["DEPREL"], "_", "_"]) for w in WORDS)
    wrong = pipes(["ID", "HEAD", "DEPREL", "FORM"]).replace("| 0 | root |", "| 1 | dep |")
    found = recovered(f"{wrong}\n\nThat is wrong. In CoNLL-U:\n\n{plain}", GoldSentence(FORMS))
    assert arcs(found) == ARCS


@pytest.mark.parametrize(
    "line", ["ID\tFORM\tLEMMA\tUPOS\tXPOS\tFEATS\tHEAD\tDEPREL\tDEPS\tMISC", "| id | word | head |", "a,b,c"]
)
def test_other_first_lines_change_nothing(line: str) -> None:
    """A header in the usual order, or one without relations in a table that is no row, is prose as before."""
    plain = "\n".join("\t".join([w["ID"], w["FORM"], *"____", w["HEAD"], w["DEPREL"], "_", "_"]) for w in WORDS)
    assert arcs(recovered(f"{line}\n{plain}", GoldSentence(FORMS))) == ARCS


def test_on_the_command_line(tmp_path: Path) -> None:
    gold, answers, out = (tmp_path / name for name in ("gold.conllu", "answers.jsonl", "out.conllu"))
    rows = ["\t".join([w["ID"], w["FORM"], *"____", w["HEAD"], w["DEPREL"], "_", "_"]) for w in WORDS]
    gold.write_text("\n".join(rows) + "\n\n", encoding="utf-8")
    answers.write_text(json.dumps({"text": pipes(["Reason", "DEPREL", "HEAD", "FORM", "ID"])}) + "\n", encoding="utf-8")
    result = run("recover", answers, "--gold", gold, "--field", "text", "-o", out)
    assert result.returncode == 0, result.stderr
    assert run("score", gold, out, "-m", "LAS", "--format", "tsv", "--fail-under", "LAS=100").returncode == 0
