"""levelhead derive and levelhead perplexity: what they print, and what they refuse."""

import csv
import hashlib
import json
from pathlib import Path

import pytest

from conftest import EXAMPLES
from heads import sentence_of
from levelhead.cli.program import run
from levelhead.derivation import read_arpa
from oracle.derivation import derivation
from result_rows import rows_in

GOLD, SYSTEM = EXAMPLES / "parallel/gold/en.conllu", EXAMPLES / "parallel/systems/alpha/en.conllu"
CROSSING = EXAMPLES / "parallel/gold/de.conllu"

Output = tuple[int, str, str]


@pytest.fixture
def levelhead(capfdbinary: pytest.CaptureFixture[bytes]):
    """Run the command in this process: exit code, standard output, standard error."""

    def command(*arguments: object) -> Output:
        code = run([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return command


def test_transitions_of_the_first_sentence(levelhead) -> None:
    """`the dog chased the cat from the room`, by hand."""
    code, out, err = levelhead("derive", GOLD, "--labeled")
    assert (code, err) == (0, "")
    assert out.split("\n")[0] == (
        "SHIFT SHIFT LEFT-ARC:det SHIFT LEFT-ARC:nsubj SHIFT SHIFT LEFT-ARC:det RIGHT-ARC:obj"
        " SHIFT SHIFT SHIFT LEFT-ARC:det LEFT-ARC:case RIGHT-ARC:obl RIGHT-ARC:root"
    )
    assert len(out.splitlines()) == 20
    eager = levelhead("derive", GOLD, "--system", "arc-eager")[1].split("\n")[0]
    assert eager == (
        "SHIFT LEFT-ARC SHIFT LEFT-ARC RIGHT-ARC SHIFT LEFT-ARC RIGHT-ARC SHIFT SHIFT LEFT-ARC LEFT-ARC REDUCE RIGHT-ARC"
    )


def test_orders(levelhead) -> None:
    """Words as they are attached, one sentence a line."""
    out = levelhead("derive", GOLD, "--order")[1]
    assert out.split("\n")[0] == "the dog the cat the from room chased"
    out = levelhead("derive", GOLD, "--order", "--system", "arc-eager")[1]
    assert out.split("\n")[0] == "the dog chased the cat the from room"


def test_json_of_derivations(levelhead, tmp_path: Path) -> None:
    """The same in every format; a crossing tree takes swaps."""
    path = tmp_path / "t.conllu"
    path.write_text(sentence_of([2, 0]) + sentence_of([3, 4, 0, 1]), encoding="utf-8")
    document = json.loads(levelhead("derive", path, "--format", "json")[1])
    lines = [json.loads(line) for line in levelhead("derive", path, "--format", "jsonl")[1].splitlines()]
    assert document["tables"]["sentences"] == lines
    steps, order = derivation((3, 4, 0, 1), "swap-lazy")
    assert lines[1]["transitions"].split() == steps
    assert [row["word"] for row in rows_in(document, "words", sentence=2)] == order
    assert (document["kind"], lines[1]["swaps"]) == ("derive", steps.count("SWAP"))
    assert document["provenance"]["signature"]["system"] == "swap-lazy"


def test_trees_that_cannot_be_derived(levelhead) -> None:
    """One line that says where and what to do, or lifting."""
    code, out, err = levelhead("derive", CROSSING, "--system", "arc-standard")
    assert (code, out) == (2, "")
    assert f"{CROSSING}:180: not-derivable: arc-standard only derives projective trees" in err
    code, out, err = levelhead("derive", CROSSING, "--system", "arc-standard", "--lift")
    assert (code, len(out.splitlines()), err) == (0, 20, "1 arcs lifted\n")


def test_perplexity_as_a_table(levelhead) -> None:
    """The numbers are those of KenLM for the same lines (lmplz -o 3 --discount_fallback, query)."""
    code, out, err = levelhead(
        "perplexity", GOLD, GOLD, "--order", "swap-lazy", "--system", SYSTEM, "--places", 4,
        "--format", "markdown",
    )  # fmt: skip
    assert code == 0
    header, _, gold, system, *notes, signature = out.splitlines()
    assert [cell.strip() for cell in header.strip("| ").split("|")] == [
        *(
            "File",
            "Perplexity",
            "With OOV",
            "Log10/sentence",
            "Events",
            "OOV",
            "Sentences",
            "Swaps",
            "Size/perplexity",
        ),
    ]
    assert [cell.strip() for cell in gold.strip("| ").split("|")][
        1:
    ] == "2.1510 2.1510 3.0603 184 0 20 0 76.2443".split()
    assert [cell.strip() for cell in system.strip("| ").split("|")][
        1:
    ] == "5.1511 5.1511 6.5495 184 0 20 2 31.8378".split()
    assert signature.replace("\\|", "|").startswith(
        "order:swap-lazy|ngram:3|smoothing:interpolated-modified-kneser-ney|minimum-counts:1,1,1"
    )
    assert err == ""
    assert [note for note in notes if note] == [
        f"too few counts to estimate the discounts of {n}-grams: using 0.5, 1 and 1.5" for n in (2, 3)
    ]


def test_perplexity_as_json(levelhead) -> None:
    """All keys, of the test set and of systems, and sums of sentences."""
    _, out, _ = levelhead("perplexity", GOLD, GOLD, "--system", SYSTEM, "--format", "json")
    document = json.loads(out)
    test, system = document["tables"]["treebanks"]
    assert (document["kind"], test["order"]) == ("perplexity", "string")
    assert (test["file"], test["role"], system["role"]) == (str(GOLD), "test", "system")
    rows = rows_in(document, "sentences", file=str(GOLD))
    log, events = (sum(row[key] for row in rows) for key in ("log10_excluding_oov", "events_excluding_oov"))
    assert test["perplexity_excluding_oov"] == pytest.approx(10 ** (-log / events))
    assert events == test["events"] == 184
    assert test["perplexity_per_sentence"] == pytest.approx(10 ** (-log / 20))
    assert test["log10_perplexity_per_sentence"] == pytest.approx(-log / 20)
    assert test["size_over_perplexity"] == pytest.approx(164 / test["perplexity_excluding_oov"])
    assert [(row["n"], row["estimated"]) for row in document["tables"]["model"]] == [(n, False) for n in (1, 2, 3)]


@pytest.mark.parametrize("output_format", ["text", "markdown", "latex"])
def test_tables_of_sentences(levelhead, output_format: str) -> None:
    code, out, _ = levelhead("perplexity", GOLD, GOLD, "--sentences", "--format", output_format)
    assert code == 0
    assert "Log10" in out
    assert len(out.splitlines()) >= 21


def test_settings_change_numbers_and_signature(levelhead) -> None:
    """Each option is in the signature, and does something."""
    seen = set()
    options = [
        (), ("--ngram", 2), ("--minimum-counts", "srilm"), ("--minimum-word-count", 2), ("--ends", "out"),
        ("--ends", "ppl1"), ("--order", "arc-standard"), ("--ngram", 5, "--minimum-counts", "1,1,1,1,2"),
    ]  # fmt: skip
    for option in options:
        code, out, _ = levelhead("perplexity", GOLD, GOLD, "--format", "tsv", "--ends", "in", *option)
        assert code == 0
        (row,) = csv.DictReader(out.splitlines(), delimiter="\t")
        seen.add(row["perplexity_excluding_oov"])
    assert len(seen) == len(options)
    _, out, _ = levelhead("perplexity", GOLD, GOLD, *options[-1])
    assert "ngram:5|" in out
    assert "minimum-counts:1,1,1,1,2" in out


def test_a_written_model_gives_the_same(levelhead, tmp_path: Path) -> None:
    """In place of the training set; it is the library's."""
    path = tmp_path / "model.arpa"
    first = json.loads(levelhead("perplexity", GOLD, SYSTEM, "--write-arpa", path, "--format", "json")[1])
    again = json.loads(levelhead("perplexity", path, SYSTEM, "--format", "json")[1])
    same = ("perplexity_excluding_oov", "perplexity_including_oov", "events", "oov")
    (one,), (other,) = first["tables"]["treebanks"], again["tables"]["treebanks"]
    assert [one[key] for key in same] == [other[key] for key in same]
    assert other["size_over_perplexity"] is None
    assert {len(read_arpa(path).words)} == {row["vocabulary"] for row in first["tables"]["model"]}
    for option in (("--minimum-counts", "srilm"), ("--ngram", 2), ("--minimum-word-count", 2)):
        assert json.loads(levelhead("perplexity", path, SYSTEM, *option, "--format", "json")[1]) == again


def test_systems_have_hashes(levelhead) -> None:
    """In the signature, and in JSON beside their numbers."""
    _, out, _ = levelhead("perplexity", GOLD, GOLD, "--system", SYSTEM, "--format", "json")
    document, digest = json.loads(out), hashlib.sha256(SYSTEM.read_bytes()).hexdigest()
    test, system = document["tables"]["treebanks"]
    assert test["sha256"] == hashlib.sha256(GOLD.read_bytes()).hexdigest()
    assert (document["provenance"]["signature"]["system"], system["sha256"]) == (digest[:12], digest)


def test_bad_usage(levelhead, tmp_path: Path) -> None:
    """Exit code 2, one complaint, nothing on standard output, and what is read stays as it is."""
    arpa = tmp_path / "bad.arpa"
    arpa.write_text("no model")
    before = GOLD.read_bytes()
    for arguments in (
        ("derive", "no such file"),
        ("derive", GOLD, "--system", "none"),
        ("derive", EXAMPLES / "parallel/systems/gamma/tr.conllu"),
        ("derive", GOLD, "--output", GOLD),
        ("perplexity", GOLD),
        ("perplexity", "-", "-"),
        ("perplexity", GOLD, GOLD, "--write-arpa", GOLD),
        ("perplexity", GOLD, GOLD, "--write-arpa", arpa, "--output", arpa),
        ("perplexity", GOLD, GOLD, "--ngram", 6),
        ("perplexity", GOLD, GOLD, "--minimum-counts", "1,x"),
        ("perplexity", GOLD, GOLD, "--minimum-counts", "1,2"),
        ("perplexity", GOLD, CROSSING, "--order", "arc-eager"),
        ("perplexity", arpa, GOLD),
    ):
        code, out, err = levelhead(*arguments)
        assert (code, out) == (2, ""), arguments
        assert "internal error" not in err, err
    assert GOLD.read_bytes() == before


def test_values_that_are_infinite_are_null(levelhead, tmp_path: Path) -> None:
    """A model without <unk> or </s>."""
    path = tmp_path / "m.arpa"
    path.write_text("\\data\\\nngram 1=1\n\n\\1-grams:\n-1\tthe\n\n\\end\\\n")
    code, out, _ = levelhead("perplexity", path, GOLD, "--format", "json")
    (test,) = json.loads(out, parse_constant=pytest.fail)["tables"]["treebanks"]
    assert code == 0
    assert test["perplexity_excluding_oov"] is test["perplexity_including_oov"] is None
