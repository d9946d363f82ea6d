"""Breakdowns and examples on the command line: whose value a word has, and what is refused because it is nowhere.

Figure 1 of Nivre and Fang and the parallel examples: every number can be counted by hand.
"""

import csv
import io
import json
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.analysis.word_properties import BY_ARCS, BY_SENTENCES, BY_WORDS, PROPERTIES
from levelhead.task.scoring import public_reason

EN = [str(EXAMPLES / "nivre-fang" / side / "en.conllu") for side in ("gold", "system")]
PARALLEL = EXAMPLES / "parallel"
WORD = "{}\t{}\t_\t{}\t_\t_\t{}\t{}\t_\t_\n"


def written(path: Path, *sentences: str) -> Path:
    """Write sentences, words between spaces: FORM/UPOS/HEAD/DEPREL."""
    rows = ([word.split("/") for word in sentence.split(" ")] for sentence in sentences)
    texts = ("".join(WORD.format(i, *cells) for i, cells in enumerate(row, 1)) for row in rows)
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


@pytest.fixture(name="pair")
def _pair(tmp_path: Path) -> tuple[Path, Path]:
    """Relations with subtypes, one part of speech wrong."""
    gold = "a/NOUN/2/nsubj:pass b/VERB/0/root c/NOUN/2/obj d/NOUN/2/nsubj"
    system = "a/VERB/2/obj b/VERB/0/root c/NOUN/2/nsubj d/NOUN/2/obj:x"
    return written(tmp_path / "gold.conllu", gold), written(tmp_path / "system.conllu", system)


def rows(out: str, column: str) -> dict[str, tuple[int, int]]:
    """The words of gold and system in each bucket."""
    return {row[column]: (row["gold"], row["predicted"]) for row in json.loads(out)["tables"]["scores"]}


def without_signature(out: str) -> str:
    """The table and the note on properties: what is left without the notes on intervals and the signature."""
    return out[: out.index("no intervals, since each row")]


def test_whose_value_a_word_has(run, pair) -> None:
    """The note says it, and the numbers agree with it: the word that the system calls a verb is gold's noun."""
    _, out, _ = run("breakdown", "--by", "upos", *pair)
    assert without_signature(out).endswith(f"LAS, {BY_WORDS}\n")
    _, out, _ = run("breakdown", "--by", "deprel", *pair)
    assert without_signature(out).endswith(f"LAS, {BY_ARCS}\n")
    _, out, _ = run("breakdown", "--by", "document", "--by", "upos,length", *pair)
    assert without_signature(out).endswith(f"LAS\ndocument: {BY_SENTENCES}\nupos: {BY_WORDS}\nlength: {BY_ARCS}\n")
    assert rows(run("breakdown", "--by", "upos", "--format", "json", *pair)[1], "by_upos") == {
        "NOUN": (3, 3),
        "VERB": (1, 1),
    }
    by_relation = rows(run("breakdown", "--by", "deprel", "--format", "json", *pair)[1], "by_deprel")
    assert by_relation == {"obj": (1, 1), "obj:x": (0, 1), "nsubj": (1, 1), "nsubj:pass": (1, 0), "root": (1, 1)}


@pytest.mark.parametrize("name", PROPERTIES)
def test_what_is_said_of_a_property_is_so(name: str, tmp_path: Path) -> None:
    """A system word that is wrong in all ways has gold's value, unless the property is said to be of arcs."""
    from levelhead.analysis.word_properties import PropertySettings
    from levelhead.scoring.matches import match
    from levelhead.scoring.rules import rules_named
    from levelhead.treebank.relations import NIVRE_FANG
    from levelhead.treebank.training_data import Training

    gold = levelhead.read(written(tmp_path / "g.conllu", "a/NOUN/2/nsubj b/VERB/0/root c/DET/4/det d/NOUN/2/obj"))
    system = levelhead.read(written(tmp_path / "s.conllu", "a/X/0/root b/X/3/aux c/X/1/dep d/X/1/punct"))
    matches = match(gold, system, rules_named("ud"))
    buckets = PROPERTIES[name].of(matches, PropertySettings(NIVRE_FANG, Training.of([gold])))
    assert (buckets.gold.tolist() == buckets.system.tolist()) == (PROPERTIES[name].whose != BY_ARCS)


def test_weighted_measures_cannot_be_broken_down(run, tmp_path: Path) -> None:
    (tmp_path / "weights").write_text("case 0.5\n")
    code, _, err = run("breakdown", "--by", "upos", "-m", f"WLAS({tmp_path}/weights,default=1)", *EN)
    assert code == 2
    assert err.startswith("not-broken-down: WLAS(")
    assert err.endswith(") is weighted: weighted measures cannot be broken down\n")


# Cells and comments


def cells(out: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in json.loads(out)["tables"]["examples"]:
        found.setdefault(row["error"], []).append(row["form"])
    return found


def test_relations_with_subtypes(run, pair) -> None:
    """The colon between the two is where both sides are relations that occur."""
    shown = {"nsubj:pass:obj": ["a"], "nsubj:obj": ["a", "d"], "nsubj:obj:x": ["d"], "obj:nsubj": ["c"]}
    options = [option for cell in [*shown, "obj:root"] for option in ("--show", cell)]
    code, out, err = run("trees", "--format", "json", *options, *pair)
    assert (code, cells(out), err) == (0, shown, "")
    assert run("trees", "--show", "obj:nsubj", *pair)[1].startswith("obj:nsubj: 1 word\n")
    assert run("trees", "--show", "nsubj:obj", *pair)[1].startswith("nsubj:obj: 2 words\n")


def test_a_cell_that_can_be_read_in_two_ways(run, tmp_path: Path) -> None:
    gold = written(tmp_path / "g.conllu", "a/X/0/root b/X/1/acl c/X/1/acl:x")
    system = written(tmp_path / "s.conllu", "a/X/0/root b/X/1/x:y c/X/1/y")
    code, _, err = run("trees", "--show", "acl:x:y", gold, system)
    assert code == 2
    assert "'acl:x:y' is ambiguous: acl confused with x:y or acl:x confused with y" in err


@pytest.mark.parametrize(
    ("cell", "says"),
    {
        "foo:bar": "not-there: no word has the relation 'foo' in either treebank: similar relations are r",
        "nsubj:ob": "not-there: no word has the relation 'ob' in either treebank: similar relations are obl, obj",
        "nsubj:pass:obj": "not-there: no word has the relation 'pass:obj'",
        "obl::obl": "invalid-argument: 'obl::obl' is not GOLD:SYSTEM: write two relations, such as nsubj:obj",
        ":": "':' is not GOLD:SYSTEM: write two relations",
        "obl": "invalid-argument: 'obl' is a single relation: add the system's relation, such as obl:nmod",
        "nmodd": "'nmodd' is not GOLD:SYSTEM: write two relations",
    }.items(),
)
def test_relations_that_are_nowhere(run, cell: str, says: str) -> None:
    code, out, err = run("trees", "--show", cell, *EN)
    assert (code, out) == (2, "")
    assert says in err


def test_comments_that_are_nowhere(run, tmp_path: Path) -> None:
    """One of two treebanks may lack a comment."""
    says = "not-there: no gold sentence has the comment 'foo'; available: sent_id, text\n"
    assert run("breakdown", "--by", "upos,comment:foo", *EN) == (2, "", says)
    assert run("breakdown", "--by", "comment:foo", *EN, EN[0]) == (2, "", says)
    for side in ("gold", "system"):
        (tmp_path / side).mkdir()
        written(tmp_path / side / "a.conllu", "a/X/0/root")
        (tmp_path / side / "b.conllu").write_text("# genre = x\n" + (tmp_path / side / "a.conllu").read_text())
    code, out, _ = run("breakdown", "--by", "comment:genre", "--format", "tsv", tmp_path / "gold", tmp_path / "system")
    assert code == 0
    rows = csv.DictReader(io.StringIO(out), delimiter="\t")
    assert [(row["treebank"], row["by_comment_genre"], row["gold"]) for row in rows] == [
        ("a", "-", "1"),
        ("b", "x", "1"),
    ]
    one = tmp_path / "gold/a.conllu"
    assert run("breakdown", "--by", "comment:x", one, one)[2].endswith("available: none\n")


# Trees


def test_sentences_that_are_no_trees(run, tmp_path: Path) -> None:
    """CoNLL-X allows several roots, and one of these two sentences has them; CoNLL-U is refused."""
    gold = written(tmp_path / "g.conllx", "a/X/0/root b/X/1/obj", "a/X/0/root b/X/1/obj")
    system = written(tmp_path / "s.conllx", "a/X/0/root b/X/1/obj", "a/X/0/root b/X/0/root")
    code, out, _ = run("score", "-m", "Trees", "--input-format", "conllx", "--format", "tsv", gold, system)
    assert (code, [row["f1"] for row in csv.DictReader(io.StringIO(out), delimiter="\t")]) == (0, ["50.0"])
    assert "several-roots" in run("score", "-m", "Trees", gold, system)[2]


# Texts


def test_files_without_a_common_first_character(run, tmp_path: Path) -> None:
    """The question is whether these files belong together; later differences are shown with what is before them."""
    gold = written(tmp_path / "g.conllu", "Öl/X/0/root b/X/1/obj")
    for form, start in (("Ül", "Ülb"), ("x\x1b", "x\\x1bb")):  # the first of these begins with the same byte
        system = written(tmp_path / "s.conllu", f"{form}/X/0/root b/X/1/obj")
        code, out, err = run("score", gold, system)
        assert (code, out) == (2, "")
        assert err == (
            f"{system}:1: text-mismatch: the texts differ from the first character: is {gold} the right gold file?"
            f" Gold begins with 'Ölb', this file with '{start}' (character 1 of the text)\n"
        )
        assert public_reason(err.partition(": ")[2].strip()).endswith(
            "differs from the input, first at character 1 of your output (not counting spaces)"
        )
    later = written(tmp_path / "s.conllu", "Öl/X/0/root c/X/1/obj")
    assert (
        f"{gold}:2: text-mismatch: gold continues 'b' after 'Öl' (character 3 of the text"
        in run("score", gold, later)[2]
    )


# Folders


def test_outputs_that_belong_to_no_gold_treebank(run, tmp_path: Path, monkeypatch) -> None:
    """Both commands report them in one line, in each run; no more than five by name."""
    monkeypatch.chdir(tmp_path)  # long paths would be cut off
    gold, one, two = (Path(name) for name in ("gold", "one", "two"))
    for folder in (gold, one, two / "seed1"):
        folder.mkdir(parents=True)
        written(folder / "a.conllu", "a/X/0/root")
    for i in range(7):
        written(one / f"other{i}.conllu", "a/X/0/root")
    written(two / "seed1/b.conllu", "a/X/0/root")
    five = [f"{one}/other{i}.conllu" for i in range(5)]
    warning = "files with no matching gold treebank (ignored):"
    code, out, err = run("score", "-m", "LAS", gold, one)
    assert (code, err.splitlines()) == (0, [f"warning: 7 {warning} {', '.join(five)} and 2 more"])
    assert "other" not in out
    code, _, err = run("compare", gold, two, one)
    named = [f"{two}/seed1/b.conllu", *five[:4]]
    warnings = [line for line in err.splitlines() if not line.startswith("note: ")]
    assert (code, warnings) == (0, [f"warning: 8 {warning} {', '.join(named)} and 3 more"])
    assert run("compare", gold, gold, two / "seed1")[2].count("1 file with no matching") == 1


def test_a_missing_output_is_told_where_it_is_missing(run, tmp_path: Path) -> None:
    for folder in ("gold", "one", "two/seed1", "two/seed2"):
        (tmp_path / folder).mkdir(parents=True)
        written(tmp_path / folder / "a.conllu", "a/X/0/root")
    written(tmp_path / "gold/b.conllu", "a/X/0/root")
    code, _, err = run("compare", tmp_path / "gold", tmp_path / "one", tmp_path / "two")
    places = [tmp_path / place for place in ("one", "two/seed1", "two/seed2")]
    assert code == 2
    assert err.splitlines() == [
        f"{place}: missing-system-file: no output for 1 of 2 gold treebanks: b;"
        " use levelhead rank, which counts missing outputs as 0"
        for place in places
    ]


def test_folders_are_validated_file_by_file(run, tmp_path: Path) -> None:
    written(tmp_path / "a.conllu", "a/X/0/root")
    written(tmp_path / "b.conllu", "a/X/0/root b/X/0/root")
    (tmp_path / "notes.txt").write_text("1")
    code, out, _ = run("validate", tmp_path, tmp_path / "a.conllu")
    assert code == 2
    verdict, _, errors = out.partition("\n\n")
    assert " ".join(verdict.split()) == f"1 of 2 files is valid: 1 error ({tmp_path}/b.conllu)."
    assert errors.startswith(f"{tmp_path}/b.conllu:1: several-roots")
    assert run("validate", PARALLEL / "gold")[:2] == (0, "8 of 8 files are valid.\n")
    (tmp_path / "empty").mkdir()
    assert "no-pairs: the folder has no CoNLL-U file" in run("validate", tmp_path / "empty")[2]
    code, _, err = run("validate", "-o", tmp_path / "a.conllu", tmp_path)
    assert (code, "is an input file" in err) == (2, True)


def test_long_sentences_are_listed_around_the_marked_word(run, tmp_path: Path) -> None:
    """At most 200 words are drawn as a tree; that takes time by the square of their number, and no page holds it."""

    def chain(name: str, n_words: int, wrong: tuple[int, ...]) -> Path:
        words = (f"w{i}/X/{i + 1}/{'obj' if i in wrong else 'nsubj'}" for i in range(1, n_words))
        return written(tmp_path / name, " ".join([*words, f"w{n_words}/X/0/root"]))

    drawn = run("trees", chain("g", 200, ()), chain("s", 200, (3,)), "--show", "nsubj:obj")[1].splitlines()
    assert drawn[2].startswith("sentence 1: w1 w2 w3")
    assert len([line for line in drawn if "►" in line]) == 199
    gold, system = chain("g", 10_000, ()), chain("s", 10_000, (3, 5000))
    code, out, err = run("trees", gold, system, "--show", "nsubj:obj")
    assert (code, err) == (0, "")
    assert out.count("sentence 1: 10000 words, too long to draw\n") == 2
    window = [
        f"    {'*' if i == 5000 else ' '} {i:>5} w{i}  {'obj' if i == 5000 else 'nsubj'} <- {i + 1}"
        for i in range(4997, 5004)
    ]
    assert out.splitlines()[-11:-2] == ["          ...", *window, "          ..."]
    code, out, err = run("trees", gold, system, gold, "--limit", 1)
    assert (code, err) == (0, "")
    assert "too long to draw" in out
    assert [line.split()[1:3] for line in out.splitlines() if line.startswith("    *")] == [
        ["3", "w3"],
        ["5000", "w5000"],
    ]
    assert out.count(" w5000  nsubj <- 5001\n") == 1  # of gold; nothing is wrong in the other system
    every = chain("s", 10_000, tuple(range(1, 10_000)))
    out = run("trees", gold, every, gold, "--limit", 1)[1]
    assert out.count("and around 9,979 more words") == 2


@pytest.mark.parametrize(
    "line",
    ["score", "breakdown --by class", "sentences", "words", "breakdown --by relation", "compare"],
)
def test_warnings_of_many_files_are_summed_up(run, tmp_path: Path, line: str) -> None:
    """One line a kind, where more files have it than a pair has; `validate` lists all."""
    for side in ("gold", "system"):
        (tmp_path / side).mkdir()
        for name in "abc":
            written(
                tmp_path / side / f"{name}.conllu", "x/X/0/root y/X/1/obj" if side == "gold" else "x/X/0/obj y/X/1/obj"
            )
    written(tmp_path / "gold" / "b.conllu", "x/X/0/root y/X/1/strange")
    code, _, err = run(*line.split(), tmp_path / "gold", tmp_path / "system")
    fault = "HEAD is 0, but the relation is 'obj'"
    first, strange = tmp_path / "system" / "a.conllu", tmp_path / "gold" / "b.conllu"
    assert code == 0
    assert sorted(line for line in err.splitlines() if not line.startswith("note: ")) == sorted(
        [
            f"warning: root-relation in 3 files, first {first}:1: {fault}; run levelhead validate to list all",
            f"warning: {strange}:2: unknown-relation: DEPREL 'strange'",
        ]
    )
    assert run("validate", tmp_path / "system")[1].count(":1: root-relation: ") == 3
