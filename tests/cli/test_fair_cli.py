"""Tables, breakdowns and comparisons on the command line: what is printed, as text and as data, and what is refused."""

import csv
import io
import json
import re
import shutil

import pytest

from conftest import EXAMPLES
from levelhead.tables.table import Column, formatted, p_text
from result_rows import rows_in

FIGURE = EXAMPLES / "nivre-fang"
PARALLEL = EXAMPLES / "parallel"
EN = (FIGURE / "gold/en.conllu", FIGURE / "system/en.conllu")
GOLD, ALPHA, BETA = (
    PARALLEL / part for part in ("gold/en.conllu", "systems/alpha/en.conllu", "systems/beta/en.conllu")
)


def scrubbed(text: str) -> str:
    return re.sub(r"(unicode|numpy|version|gold|system):[0-9a-f.]+", r"\1:*", text)


GOLDEN = {
    "breakdown --by class": """\
Treebank     | class   | Gold | System | Correct | Precision | Recall |     F1 | Without |  Diff.
-------------+---------+------+--------+---------+-----------+--------+--------+---------+--------
en           | CORE    |    2 |      2 |       2 |    100.00 | 100.00 | 100.00 |   83.33 |  -4.17
en           | NONCORE |    2 |      2 |       1 |     50.00 |  50.00 |  50.00 |  100.00 | +12.50
en           | FUN     |    4 |      4 |       4 |    100.00 | 100.00 | 100.00 |   75.00 | -12.50
-------------+---------+------+--------+---------+-----------+--------+--------+---------+--------
fi           | CORE    |    2 |      2 |       2 |    100.00 | 100.00 | 100.00 |   50.00 | -25.00
fi           | NONCORE |    2 |      2 |       1 |     50.00 |  50.00 |  50.00 |  100.00 | +25.00
-------------+---------+------+--------+---------+-----------+--------+--------+---------+--------
Average of 2 | CORE    |    - |      - |       - |    100.00 | 100.00 | 100.00 |   66.67 | -14.58
Average of 2 | NONCORE |    - |      - |       - |     50.00 |  50.00 |  50.00 |  100.00 | +18.75
Average of 1 | FUN     |    - |      - |       - |    100.00 | 100.00 | 100.00 |   75.00 |  -6.25
LAS, gold and system words by their own arcs
Without: LAS of all other words; Diff.: Without minus LAS of all words
no intervals, since each row is based on fewer than 10 documents or sentences
rules:ud|gold:*|system:*|scheme:nivre-fang|unicode:*|version:*|level:0.95|resample-by:sentence
""",
    "confusion": """\
Treebank | Gold | System | Words | Head correct | of gold
---------+------+--------+-------+--------------+---------
only errors are shown; of gold: share of the aligned words with this gold relation
rules:ud|gold:*|system:*|unicode:*|version:*
""",
    "analyze --show types": """\
Treebank | Error                         | Words | Share
---------+-------------------------------+-------+-------
en       | right                         |     7 | 87.50
en       | wrong label                   |     0 |  0.00
en       | wrong head inside the phrase  |     1 | 12.50
en       | wrong head outside the phrase |     0 |  0.00
en       | wrongly the root              |     0 |  0.00
en       | root not found                |     0 |  0.00
en       | head not aligned              |     0 |  0.00
fi       | right                         |     3 | 75.00
fi       | wrong label                   |     0 |  0.00
fi       | wrong head inside the phrase  |     1 | 25.00
fi       | wrong head outside the phrase |     0 |  0.00
fi       | wrongly the root              |     0 |  0.00
fi       | root not found                |     0 |  0.00
fi       | head not aligned              |     0 |  0.00
rules:ud|gold:*|system:*|scheme:nivre-fang|unicode:*|version:*|level:0.95|resample-by:sentence
""",
    "analyze --show cascading": """\
Treebank | Class   | Arcs      | Wrong | Parent correct |  Share
---------+---------+-----------+-------+----------------+--------
en       | NONCORE | labeled   |     1 |              1 | 100.00
en       | NONCORE | unlabeled |     1 |              1 | 100.00
fi       | NONCORE | labeled   |     1 |              1 | 100.00
fi       | NONCORE | unlabeled |     1 |              1 | 100.00
class by the gold relation; a low share means that wrong arcs depend on other wrong arcs
rules:ud|gold:*|system:*|scheme:nivre-fang|unicode:*|version:*|level:0.95|resample-by:sentence
""",
}


FEW_UNITS = """\
gold marks no documents, so sentences are treated as independent: en, fi
fewer than 10 units, so no intervals: en, fi
"""


@pytest.mark.parametrize("table", GOLDEN)
def test_tables_of_figure_1(run, table):
    """English and Finnish, one wrong arc each; every number can be counted by hand."""
    code, out, err = run(*table.split(), "-q", FIGURE / "gold", FIGURE / "system")
    with_intervals = table.startswith("analyze") or table == "breakdown --by class"
    expected = GOLDEN[table].replace("\nrules:", f"\n{FEW_UNITS if with_intervals else ''}rules:")
    assert (code, scrubbed(out), err) == (0, expected, "")


@pytest.mark.parametrize("table", GOLDEN)
@pytest.mark.parametrize("output_format", ["json", "jsonl", "tsv", "markdown", "latex"])
def test_tables_in_every_format(run, table, output_format):
    code, out, _ = run(*table.split(), "--format", output_format, *EN)
    assert code == 0
    if output_format == "jsonl":
        assert {row["treebank"] for row in map(json.loads, out.splitlines())} == {"en"}
    elif output_format == "json":
        document = json.loads(out)
        assert document["kind"] == table.split()[0]
    elif output_format == "tsv":
        assert out.startswith("treebank\t")
    else:
        head = GOLDEN[table].partition("\n")[0].split("|")[1].strip()
        assert out.startswith({"markdown": f"| {head} |", "latex": "% \\usepackage"}[output_format])
        assert out.count("\\begin{tabular}") == (output_format == "latex")


def test_documents(run):
    def tables(*options: object) -> dict:
        code, out, _ = run(*options, "--format", "json", *EN)
        assert code == 0
        return json.loads(out)["tables"]

    confusion = tables("confusion")["confusions"]
    assert {(row["gold_relation"], row["system_relation"]): row["words"] for row in confusion} == {
        (name, name): 3 if name == "det" else 1 for name in ("det", "case", "nsubj", "obj", "obl", "root")
    }
    assert sum(row["head_correct"] for row in confusion) == 7
    assert {row["share"] for row in confusion} == {100.0}
    assert tables("analyze")["cascading"][2] == {
        "treebank": "en", "class": "NONCORE", "labeled": True, "wrong": 1, "parent_correct": 1, "share": 100.0,
    }  # fmt: skip
    rows = tables("breakdown", "--by", "class", "--by", "class,direction")["scores"]
    by_class, by_both = ([row for row in rows if row["by"] == by] for by in ("class", "class,direction"))
    assert by_class[1] == {
        "treebank": "en", "system": "system", "by": "class", "by_class": "NONCORE", "by_direction": None,
        "measure": "LAS", "value": 50.0, "precision": 50.0, "recall": 50.0, "f1": 50.0, "correct": 1, "gold": 2,
        "predicted": 2, "without": 100.0, "difference": 12.5, "low": None, "high": None, "n_units": 1,
        "uncertain": True,
    }  # fmt: skip
    assert by_both[0]["without"] is None
    assert [(row["by_class"], row["by_direction"], row["gold"]) for row in by_both] == [
        ("CORE", "head before", 1), ("CORE", "head after", 1), ("NONCORE", "root", 1), ("NONCORE", "head before", 1),
        ("FUN", "head after", 4),
    ]  # fmt: skip


def test_breakdowns(run):
    code, out, _ = run("breakdown", "--by", "length", "--by", "upos", "-q", *EN)
    assert (code, scrubbed(out)) == (
        0,
        """\
by     |      | Gold | System | Correct | Precision | Recall |     F1
-------+------+------+--------+---------+-----------+--------+--------
length | root |    1 |      1 |       1 |    100.00 | 100.00 | 100.00
length | 1    |    4 |      4 |       4 |    100.00 | 100.00 | 100.00
length | 2    |    2 |      2 |       2 |    100.00 | 100.00 | 100.00
length | 3-6  |    1 |      1 |       0 |      0.00 |   0.00 |   0.00
-------+------+------+--------+---------+-----------+--------+--------
upos   | DET  |    3 |      3 |       3 |    100.00 | 100.00 | 100.00
upos   | NOUN |    3 |      3 |       2 |     66.67 |  66.67 |  66.67
upos   | ADP  |    1 |      1 |       1 |    100.00 | 100.00 | 100.00
upos   | VERB |    1 |      1 |       1 |    100.00 | 100.00 | 100.00
LAS
length: gold and system words by their own arcs
upos: system words by their aligned gold word, or by their own value if unaligned
no intervals, since each row is based on fewer than 10 documents or sentences
gold marks no documents, so sentences are treated as independent: en
fewer than 10 units, so no intervals: en
rules:ud|gold:*|system:*|unicode:*|version:*|level:0.95|resample-by:sentence
""",
    )


def test_breakdowns_by_what_was_seen_in_training(run):
    """Of the eight words the training sentence has all but `room`; its tree is another."""
    train = FIGURE / "gold/en.conllu"

    def gold_words(by: str, *train: object) -> dict[str, str]:
        trained = (option for file in train for option in ("--train", file))
        code, out, _ = run("breakdown", "--format", "tsv", "--by", by, *trained, *EN)
        assert code == 0
        rows = csv.DictReader(io.StringIO(out), delimiter="\t")
        return {row[f"by_{by.replace('-', '_')}"]: row["gold"] for row in rows}

    assert gold_words("vocabulary", train, train) == {"in vocabulary": "8"}
    assert gold_words("frequency", train, train) == {"2-5": "5", "6-20": "3"}  # two copies; `the` three times in each
    assert gold_words("seen-sentence", train, train) == {"sentence seen in training": "8"}
    assert gold_words("seen-tree", train, train) == {"tree seen in training": "8"}
    assert gold_words("seen-tree", EN[1]) == {"new tree": "8"}
    assert gold_words("vocabulary", FIGURE / "gold/fi.conllu") == {"out of vocabulary": "8"}


def test_comments_are_held_until_the_next_document(run, tmp_path):
    """Whatever stands in a comment, tabs included; sentences before any have a dash."""
    sentence = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    heads = ["", "# newdoc id = d1\n# genre = new\ts\n", "", "# newdoc\n", "# genre = fiction\n", "# newdoc id = d2\n"]
    (tmp_path / "gold.conllu").write_text("".join(head + sentence for head in heads), encoding="utf-8")
    paths = (tmp_path / "gold.conllu", tmp_path / "gold.conllu")
    code, out, _ = run("breakdown", "--format", "json", "--by", "comment:genre", "--by", "document", *paths)
    rows = json.loads(out)["tables"]["scores"]
    assert [(row["by_comment_genre"], row["gold"]) for row in rows if row["by"] == "comment:genre"] == [
        ("-", 3),
        ("new\ts", 2),
        ("fiction", 1),
    ]
    assert [(row["by_document"], row["gold"]) for row in rows if row["by"] == "document"] == [
        ("#1", 1),
        ("d1", 2),
        ("#3", 2),
        ("d2", 1),
    ]
    assert code == 0


def test_sentences_behind_a_cell(run):
    code, out, _ = run("trees", "--show", "obl:obl", *EN)
    assert (code, scrubbed(out)) == (
        0,
        """\
obl:obl: 1 word

figure-1-en: the dog chased the cat from the room
                        gold   system
          ┌─►   the     det           ◄─┐
        ┌─┴─►   dog     nsubj         ◄─┴─┐
    ┌─┬─┴────   chased  root          ────┴─┐
    │ │   ┌─►   the     det           ◄─┐   │
    │ └───┴─►   cat     obj           ◄─┴───┴─┐
    │   ┌───►   from    case          ◄───┐   │
    │   │ ┌─►   the     det           ◄─┐ │   │
    └───┴─┴─► * room    obl           ◄─┴─┴───┘

rules:ud|gold:*|system:*|unicode:*|version:*
""",
    )
    code, out, _ = run("trees", "--show", "obl:nmod", "--show", "det:punct", "--format", "json", GOLD, ALPHA)
    tables = json.loads(out)["tables"]
    examples, words = tables["examples"], tables["words"]
    assert {row["error"] for row in examples} == {"obl:nmod"}
    assert [row["sent_id"] for row in examples] == ["p01", "p08", "p10"]
    assert [row["form"] for row in examples] == ["room", "1902", "garden"]
    first = [row for row in words if (row["sentence"], row["word"]) == (1, examples[0]["word"])]
    assert [(row["role"], row["word"], row["form"]) for row in first] == [("gold", 8, "room"), ("system", 8, "room")]
    assert (first[0]["head"], first[0]["deprel"], first[1]["deprel"]) == (3, "obl", "nmod")


def test_punctuation_schemes_and_definitions(run, tmp_path):
    _, out, err = run(
        "score", "--punct", "relation", "-m", "LAS", "-m", "CLAS", "-m", "UAS(nopunct=callin)", GOLD, ALPHA
    )
    assert [line.split(" | ")[0].strip() for line in out.splitlines()[2:5]] == [
        "LAS(nopunct)",
        "CLAS",
        "UAS(nopunct=callin)",
    ]
    _, out, err = run("score", "--scheme", "callin", "-m", "LAS@CONTENT", "--format", "json", *EN)
    assert json.loads(out)["provenance"]["signature"]["classes"] == "callin:CONTENT"
    assert err.startswith("note: gold has relations of UD v2, the scheme callin those of UD v1: for LAS@CONTENT, ")
    _, out, err = run("breakdown", "--scheme", "callin", "--by", "class", "--format", "tsv", *EN)
    assert [line.split("\t")[3] for line in out.splitlines()] == ["by_class", "CONTENT", "FUNCTION"]
    own = tmp_path / "own.toml"
    own.write_text(
        '[measure.Nouns]\nneeds = ["head", "upos"]\nonly = "CORE"\n[scheme.own]\nclasses = { A = ["det"] }\n'
    )
    _, out, err = run("score", "--definitions", own, "--scheme", "own", "-m", "Nouns", "-m", "LAS@A", "--counts", *EN)
    assert [line.split("|")[1].strip() for line in out.splitlines()[2:4]] == ["2", "3"]
    _code, out, err = run("measures", "--definitions", own, "--format", "json")
    assert "Nouns" in {row["name"] for row in rows_in(json.loads(out), "measures")}


def test_measures_lists_schemes_and_their_crossing_tables(run):
    code, out, _ = run("measures", "--schemes")
    assert code == 0
    assert "nivre-fang (UD v2)\n  Nivre and Fang (2017), Table 1\n  CORE: ccomp csubj iobj nsubj obj xcomp\n" in out
    assert "  looked up as: fixed=mwe flat=name obj=dobj obl=nmod orphan=remnant\n" in out
    code, out, _ = run("measures", "--schemes", "--format", "json")
    document = json.loads(out)
    names = ["nivre-fang", "callin", "callin-code", "kohita", "conll17", "conll18"]
    assert [row["scheme"] for row in rows_in(document, "schemes")] == names
    pairs = {row["relation"]: row["counterpart"] for row in rows_in(document, "counterparts", scheme="nivre-fang")}
    assert pairs["dobj"] == "obj"
    core = rows_in(document, "relations", scheme="nivre-fang", class_name="CORE")
    assert [row["relation"] for row in core] == "ccomp csubj iobj nsubj obj xcomp".split()
    for output_format in ("tsv", "markdown", "latex"):
        assert run("measures", "--schemes", "--format", output_format)[0] == 0


def test_compare(run):
    code, out, err = run("compare", "-m", "LAS", "--level", "0.9", GOLD, ALPHA, BETA)
    verdict, _, head, _, first, second, *notes = out.splitlines()
    assert verdict == "beta is worse than alpha in LAS (\N{MINUS SIGN}17.20, p < .001)."
    assert head.split(" | ")[:4] == ["Measure", "System", "Score", "     90% CI"]
    assert first.split(" | ")[:3] == ["LAS    ", "alpha ", "89.02"]
    cells = [cell.strip() for cell in second.split("|")]
    assert (cells[1], cells[2], cells[4], cells[7]) == ("beta", "71.83", "-17.20", "***")
    assert cells[6] == "< .001"
    assert notes[0] == "differences from alpha: * p < .05, ** p < .01, *** p < .001; wins and gates: p < 0.1"
    assert notes[1] == "each interval is for one score: to compare systems, use their differences"
    assert notes[2] == "confidence intervals and p-values by sentence: 20 sentences"
    assert notes[3] == "gold marks no documents, so sentences are treated as independent: en"
    assert notes[4].startswith("sentence 5 causes 46% of the variance of the difference in LAS of beta on en: without")
    assert "|level:0.9|resample-by:sentence|" in notes[-1]
    assert (code, err) == (0, "")
    again = run("compare", "-m", "LAS", "--level", "0.9", GOLD, ALPHA, BETA)
    assert again[1] == out


def test_compare_folders_and_formats(run):
    folders = (PARALLEL / "gold", PARALLEL / "systems/alpha", PARALLEL / "systems/beta")
    _, out, _ = run("compare", "-m", "LAS", "--format", "tsv", *folders)
    head, *rows = [line.split("\t") for line in out.splitlines()]
    averages = [dict(zip(head, row, strict=True))["average"] for row in rows]
    assert averages == [""] * 16 + ["macro", "macro", "micro", "micro"]
    text = " ".join(run("compare", "-m", "LAS", *folders)[1].split())
    assert "LAS: beta is better than alpha on 0 of 8 treebanks (0 significant), worse on 8" in text
    _, out, _ = run("compare", "-m", "LAS", "--each", "--format", "json", *folders)
    document = json.loads(out)
    assert document["verdict"] == (
        "By macro-averages, beta is worse than alpha in LAS (\N{MINUS SIGN}21.72, p < .001)."
        " LAS: beta is better than alpha on 0 of 8 treebanks (0 significant), worse on 8 (8 significant)."
    )
    results = document["tables"]["results"]
    assert (document["kind"], len(results), len(document["provenance"]["files"])) == ("compare", 20, 8)
    assert [one["baseline"] for one in results] == [None, "alpha"] * 10
    assert document["tables"]["wins"][0]["sign_p"] == 2 / 2**8
    english = next(one for one in results if (one["treebank"], one["system"]) == ("en", "beta"))
    assert english["difference"] == pytest.approx(100 * (2 * 116 / 323 - 146 / 164))
    for output_format in ("markdown", "latex", "jsonl", "text"):
        assert run("compare", "--format", output_format, "--each", *folders)[0] == 0
    _code, out, _ = run("compare", "--punct", "relation", GOLD, ALPHA)
    assert "\nMeasure      | Score |      95% CI\n" in out, "a single system has no differences"
    assert "\nLAS(nopunct) | 87.50 | " in out


BROKEN = "1\ta\t_\t_\t_\t_\t0\troot\tx\t_\n\n"
REFUSED = {
    # arguments after the verb, code, what is said; GOLD ALPHA come last unless there are paths
    "breakdown --by class -m LAS -m UAS": "invalid-argument: give a single measure, not LAS, UAS",
    "breakdown --by class -m Words": "Words does not count words, so it cannot be broken down",
    "breakdown --by tree": "unknown property 'tree': did you mean seen-tree?",
    "breakdown --by relation,": "unknown property '': use relation",
    "breakdown --by comment:": "unknown property 'comment:': did you mean comment:NAME?",
    "breakdown --by vocabulary": "a breakdown by vocabulary requires the training treebank: give --train FILE",
    "breakdown --by relation -m Sentences": "Sentences does not count words, so it cannot be broken down",
    "breakdown --by relation -m UEM": "UEM does not count words, so it cannot be broken down",
    "breakdown --by vocabulary --train /no/such/file": "/no/such/file: unreadable-file",
    "breakdown --by class --rules conll17 -m MLAS": "the rules conll17 do not define MLAS",
    "trees": "for one system, give --show GOLD:SYSTEM, such as --show nsubj:obj",
    "trees --show det": "'det' is a single relation: add the system's relation, such as det:obl",
    "trees --show det:det --format csv": "unknown format 'csv': did you mean tsv?",
    "trees --show det:det --limit -1": "'-1' is not a whole number of at least 0",
    "score --train /no/such/file": "/no/such/file: unreadable-file",
    "score --counts --fail-under": "requires an argument",
    "score --scheme none": "unknown scheme 'none': use nivre-fang",
    "score --scheme callin -m LAS@CORE": "unknown class 'CORE' in the scheme callin",
    "score --definitions /no/such/file": "/no/such/file: unreadable-file",
    "score --punct all": "unknown value 'all': did you mean callin?",
    "score -m WLAS": "WLAS requires an argument",
    "score -m WLAS(/no/such/file)": "/no/such/file: unreadable-file",
    "compare -m LSA": "unknown measure 'LSA': did you mean LAS?",
    "compare --level 1": "'1' is not a number above 0 and at most 0.999999",
    "compare --scheme none": "unknown scheme 'none'",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_bad_usage(run, arguments):
    verb, *options = arguments.split(" ")
    paths = () if options[-1:] == ["--fail-under"] else (GOLD, ALPHA)
    code, out, err = run(verb, *options, *paths)
    assert (code, out) == (2, "")
    assert REFUSED[arguments] in " ".join(err.split())


def test_bad_input(run, tmp_path):
    """Files that are none, texts that differ, weights that are missing, DEPS that cannot be read."""
    broken, weights = tmp_path / "broken.conllu", tmp_path / "weights"
    broken.write_text(BROKEN)
    weights.write_text("det 1\n")
    by_sentence = ("sentences",)
    for command in (
        ("analyze",),
        by_sentence,
        ("words",),
        ("breakdown", "--by", "relation"),
        ("trees", "--show", "det:det"),
        ("confusion",),
    ):
        code, out, err = run(*command, GOLD, FIGURE / "gold/fi.conllu")
        assert (code, out) == (2, "")
        assert "text-mismatch" in err
        assert run(*command, GOLD, "/no/such/file")[0] == 2
    for verb in (("score",), ("compare",), by_sentence):
        code, out, err = run(*verb, "-m", f"WLAS({weights})", *EN)
        assert (code, out) == (2, "")
        assert "missing-weight: the relation nsubj has no weight" in err
    code, out, err = run("compare", "-m", "EULAS", broken, broken)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith("unreadable-deps: EULAS: DEPS of")
    code, out, err = run("compare", GOLD)
    assert (code, out) == (2, "")
    code, out, err = run("compare", GOLD, ALPHA, ALPHA)
    assert (code, err) == (2, f"{ALPHA}: invalid-argument: this output is given twice\n")
    code, out, err = run("compare", PARALLEL / "gold", ALPHA)
    assert (code, out) == (2, "")
    assert f"{ALPHA}: GOLD is a folder, but this is a file: give two files or two folders" in err
    code, out, err = run("compare", PARALLEL / "gold", PARALLEL / "systems/alpha", PARALLEL / "systems/gamma")
    assert (code, out) == (2, "")
    *faults, hint = err.splitlines()
    assert hint.endswith("add --partial")
    assert [line.rsplit("/", 1)[1].split(": ")[:2] for line in faults] == [
        ["tr.conllu:49", "cycle"],
        ["tr.conllu:108", "several-roots"],
    ]


def test_every_property_has_a_golden_test_or_an_oracle():
    """A new property needs a test; these are all there are."""
    from levelhead.analysis.word_properties import PROPERTIES
    from oracle.fair import BUCKETS as COMPARED

    tested_here = {"seen-sentence", "seen-tree", "document"}
    tested_with_intervals, tested_with_leakage = {"lemma", "head-relation"}, {"seen-heads"}
    assert {*PROPERTIES} == {*COMPARED} | tested_here | tested_with_intervals | tested_with_leakage


def test_a_probability_is_never_printed_as_zero():
    """Three digits, as in papers."""
    column = Column("p", "probability")
    assert [formatted(p, column) for p in (1 / 1_000_001, 0.00006, 0.0, 1.0)] == [
        "< .001",
        "< .001",
        "< .001",
        "1.000",
    ]
    assert formatted(1 / 1_000_001, column, None) == repr(1 / 1_000_001)
    assert [formatted(p, column) for p in (0.0009, 0.0011, 0.05)] == ["< .001", ".001", ".050"]
    assert [p_text(p) for p in (0.00001, 0.05, None)] == ["< .001", "= .050", "= -"]


def test_percentages_have_the_digits_of_their_ratios(run):
    """UEM of alpha is 87/160 on average: 54.375 exactly, in TSV as in JSON; 100 * .54375 would be 54.37499999999999."""
    score = ["score", PARALLEL / "gold", PARALLEL / "systems/alpha", "-m", "UEM"]
    rank = ["rank", PARALLEL / "gold", PARALLEL / "systems", "-m", "UEM"]
    for command in ([*score, "--format", "json"], [*rank, "--format", "json"], [*rank, "--format", "tsv"]):
        assert "54.375" in re.findall(r"[0-9.]+", run(*command)[1])


def test_runs_of_a_system_are_not_taken_for_systems(run, tmp_path):
    for name, system in {"R/run1": "alpha", "R/run2": "beta", "S/run1": "gamma"}.items():
        (tmp_path / name).mkdir(parents=True)
        shutil.copy(EXAMPLES / f"parallel/systems/{system}/en.conllu", tmp_path / name)
    gold = tmp_path / "gold"
    gold.mkdir()
    shutil.copy(GOLD, gold)
    for command in (["breakdown", "--by", "relation"], ["trees", "--limit", "1"]):
        code, _, err = run(*command, gold, tmp_path / "R", tmp_path / "S")
        assert code == 2
        assert "name one run of each system" in err


def test_a_file_is_not_compared_with_folders(run):
    code, _, err = run("score", GOLD, PARALLEL / "systems/beta")
    assert code == 2
    assert "GOLD is a file, but this is a folder: give two files or two folders" in err
