"""Options that an input makes irrelevant are accepted; arguments that do not go together, and work that cannot end well, are refused early."""

import hashlib
import json
import random
import warnings
from pathlib import Path

import pytest

from conftest import EXAMPLES
from levelhead.cli import program
from levelhead.treebank.relations import UD2
from result_rows import rows_in

EN = str(EXAMPLES / "parallel/gold/en.conllu")
HUGE = "treebank\ta\tb\nx\t1e308\t1\ny\t-1e308\t2\nz\t5\t3\nw\t1\t9\n"
TINY = "treebank\ta\tb\nx\t1e-200\t1\ny\t2e-200\t2\nz\t3e-200\t3\nw\t1e-200\t9\n"
GOOD = "treebank\ta\tb\nx\t1\t1\ny\t3\t2\nz\t5\t3\nw\t1\t9\n"

REFUSED = {
    # what follows `levelhead`, in a folder with good.tsv, huge.tsv and tiny.tsv, and what is said
    "convert forward EN out --check": "forward: unreadable-file",
    "convert forward EN out -o x": "--output requires --check",
    "correlate huge.tsv": "invalid-table: the column 'a' has the value 1e+308: the maximum is 1e+150",
    "correlate huge.tsv --diff a b": "invalid-table: the column 'a' has the value 1e+308",
    "correlate huge.tsv --cumulative-variance": "invalid-table: the column 'a' has the value 1e+308",
    "correlate tiny.tsv": "invalid-table: the values of the column 'a' differ by less than 1e-150",
    "perplexity /no/train /no/test": "/no/test: unreadable-file",
    "crossval swap-lazy EN --cluster local --tls-ca a --tls-key c": "must be used together: add --tls-cert",
    "crossval swap-lazy EN --tls-ca a --tls-cert b --tls-key c": "require --cluster",
    "reproduce conll17 --cluster local --tls-cert b": "must be used together: add --tls-ca and --tls-key",
    "judge EN A A --judgments votes": "invalid-argument: this output is given twice",
    "rank GOLDS SYSTEMS --scores scores.tsv": "--scores cannot be combined with GOLD and SYSTEMS",
    "rank GOLDS SYSTEMS --system alpah": "unknown system 'alpah': did you mean alpha?",
    "rank --scores scores.tsv --system y": "unknown system 'y': use x",
    "rank GOLDS SYSTEMS -m WLAS(WDE)": "In rank, use WLAS(FILE) with the weights of levelhead profile --wde-table FILE",
}

ACCEPTED = (
    # the same, where they change something
    "similarity GOLDS --merge",
    "rank GOLDS SYSTEMS -m LAS --format jsonl --ranking conll18",
    "rank GOLDS SYSTEMS -m LAS --format jsonl --ranking conll18 --group family:Uralic",
    "compare GOLDS SYSTEMS/alpha SYSTEMS/beta --each -m LAS",
    "compare EN A B --each --wilcoxon -m LAS -j 2 --store own --split dev",
    "breakdown EN A B --by frequency,relation --train EN",
    "breakdown EN A B --by class --scheme callin",
    "compare EN A B -m CLAS -m LAS --punct relation",
    "breakdown EN A --by vocabulary --train EN",
    "score EN A -m LAS@CONTENT --scheme callin",
    "score EN A -m LAS-FUNCTION --scheme callin",
    "score EN A -m LAS --fail-under LAS@CONTENT=2 --scheme callin",
    "breakdown EN A --by relation,class --scheme callin",
    "analyze EN A --show cascading --scheme callin",
    "breakdown EN A --by relation --scheme callin",
    "score EN A --punct relation",
    "score EN A -m UAS --punct relation",
    "breakdown EN A --by upos --punct relation",
    "score EN A --rules udtools --enhancements 1",
    "score EN A -m WLAS(weights,default=0.1) --counts --places 4",
    "score EN A -m WLAS(WDE.tsv)",
    "confusion EN A --rules conll18 --places 4",
    "score EN A -m LAS -j 2 --store own --split dev",
    "rank RELEASE SYSTEMS --split dev",
    "rank GOLDS SYSTEMS --split dev -m LAS",
    "rank --scores scores.tsv --split dev -j 2 --store own",
    "rank GOLDS SYSTEMS -m LAS --significance --level .9",
    "rank GOLDS SYSTEMS -m LAS@CONTENT --scheme callin",
    "rank GOLDS SYSTEMS -m WLAS(./WDE)",
)


WITHOUT_EFFECT = {
    # options that this input makes irrelevant, after the command that prints the same without them
    "convert --check EN": "--places 2",
    "derive EN --order": "--labeled",
    "correlate good.tsv": "--draw bars --permutations 5 --seed 3",
    "correlate good.tsv --cumulative-variance": "--method pearson --permutations 5 --missing drop --matrix --given a",
    "perplexity EN EN": "--lift",
    "judge EN A B --judgments votes": "--scheme callin",
    "compare EN A B -m CLAS": "--punct relation --each --votes family",
    "rank GOLDS SYSTEMS -m LAS": "--level .9 --scheme callin",
    "rank GOLDS SYSTEMS -m LAS --by-treebank --quiet": "--ranking conll18",
    "rank GOLDS SYSTEMS -m LAS --format jsonl --table scores": "--ranking conll18",
    "rank GOLDS SYSTEMS -m LAS --format json": "--by-treebank",
    "rank --scores scores.tsv": "--all-measures --rules conll18 --system x",
}

PARALLEL = EXAMPLES / "parallel"
WORDS = {"EN": EN, "GOLDS": str(PARALLEL / "gold"), "SYSTEMS": str(PARALLEL / "systems")}
WORDS |= {"A": str(PARALLEL / "systems/alpha/en.conllu"), "B": str(PARALLEL / "systems/beta/en.conllu")}


@pytest.fixture
def run(tmp_path: Path, monkeypatch, capsys):
    """Run the command in a folder with tables; gives the exit code, standard output and standard error."""
    for name, text in (("good", GOOD), ("huge", HUGE), ("tiny", TINY)):
        (tmp_path / f"{name}.tsv").write_text(text, encoding="utf-8")
    for name in ("weights", "WDE", "WDE.tsv"):
        (tmp_path / name).write_text("".join(f"{relation}\t0.3\n" for relation in sorted(UD2)), encoding="utf-8")
    (tmp_path / "scores.tsv").write_text("treebank\tsystem\tLAS\na\tx\t80\n", encoding="utf-8")
    (tmp_path / "RELEASE").mkdir()
    (tmp_path / "RELEASE/en-ud-dev.conllu").write_bytes(Path(EN).read_bytes())
    (tmp_path / "votes").write_text("1\n2\n" * 10, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def command(text: str) -> tuple[int, str, str]:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            parts = (word.partition("/") for word in text.split())
            code = program.run([WORDS.get(first, first) + slash + rest for first, slash, rest in parts])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return command


@pytest.mark.parametrize("text", REFUSED)
def test_refused(run, text: str) -> None:
    code, out, err = run(text)
    assert (code, out) == (2, ""), err
    assert REFUSED[text] in err


@pytest.mark.usefixtures("two_workers")
@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(run, text: str) -> None:
    code, out, err = run(text)
    assert (code, bool(out)) == (0, True), err


@pytest.mark.parametrize("text", WITHOUT_EFFECT)
def test_accepted_without_effect(run, text: str) -> None:
    code, out, err = run(text)
    assert (code, bool(out)) == (0, True), err
    assert run(f"{text} {WITHOUT_EFFECT[text]}") == (code, out, err)


def test_shares_among_percentages_are_warned_of(run) -> None:
    """A gate of at most 1, which nearly every score passes; 0 and perplexities are no such slip."""
    warned = run("score EN A -m LAS --fail-under LAS=0.99")
    assert warned[0] == 0
    assert warned[2].startswith("warning: --fail-under LAS=0.99: scores are percentages;")
    assert warned[2].endswith("if you meant a share, write LAS=99\n")
    assert "write LAS=100" in run("score EN A -m LAS --fail-under LAS=1")[2]
    assert "LAS=101: no score is above 100" in run("score EN A -m LAS --fail-under LAS=101")[2]
    for gate in ("--fail-under LAS=0", "--fail-under LAS=1.5", "--fail-over DPPL(RELEASE/en-ud-dev.conllu)=1"):
        assert "warning" not in run(f"score EN A -m LAS {gate}")[2]


def test_definitions_that_are_not_used_are_not_in_the_signature(run, tmp_path: Path) -> None:
    """A measure, a class of a scheme, a scheme by default, and a scheme that a measure of another file names."""
    scheme = '[scheme.own]\nclasses = { A = ["nsubj", "obj"] }\n'
    (tmp_path / "scheme.toml").write_text(scheme, encoding="utf-8")
    (tmp_path / "measure.toml").write_text('[measure.Heads]\nneeds = ["head"]\n', encoding="utf-8")
    (tmp_path / "both.toml").write_text('[measure.Own]\nneeds = ["head"]\nonly = "own:A"\n', encoding="utf-8")
    files = ("scheme", "measure", "both")
    digest = {name: hashlib.sha256((tmp_path / f"{name}.toml").read_bytes()).hexdigest()[:12] for name in files}
    given = " ".join(f"--definitions {name}.toml" for name in files)
    used = {
        "-m LAS": [],
        "-m LAS@CORE": [],
        "-m Heads": ["measure"],
        "-m LAS-own:A": ["scheme"],
        "-m LAS@A --scheme own": ["scheme"],
        "-m Own": ["scheme", "both"],
        "-m LAS -m Own -m Heads": ["scheme", "measure", "both"],
    }
    for asked, names in used.items():
        for command in (f"score EN A {given} {asked}", f"rank GOLDS SYSTEMS {given} {asked}"):
            signature = json.loads(run(f"{command} --format json")[1])["provenance"]["signature"]
            assert signature.get("definitions", "") == "+".join(digest[name] for name in names), command
    assert (
        "definitions"
        in json.loads(run(f"breakdown EN A {given} --scheme own --by class --format json")[1])["provenance"][
            "signature"
        ]
    )


def test_judging_by_measures_of_ones_own(run, tmp_path: Path) -> None:
    """--definitions and --scheme mean what they mean for `score`."""
    text = '[measure.Own]\nneeds = ["head", "relation"]\n[scheme.own]\nclasses = { NOUNS = ["nsubj", "obj", "obl"] }\n'
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    how = "judge EN A B --judgments votes --format json --definitions own.toml --scheme own"
    code, out, err = run(f"{how} -m Own -m LAS -m LAS@NOUNS -m LAS@own:NOUNS")
    assert code == 0, err
    found = json.loads(out)
    own, las, nouns, named = ({**row, "measure": None} for row in rows_in(found, "measures"))
    assert own == las
    assert nouns == named
    assert nouns != las
    signature = found["provenance"]["signature"]
    assert signature["classes"] == "own:NOUNS"
    assert signature["definitions"] == hashlib.sha256(text.encode()).hexdigest()[:12]


def test_what_is_not_refused(run, tmp_path: Path) -> None:
    """The same without what is too much, and a file that is called as a direction is."""
    for text in ("correlate good.tsv", "correlate good.tsv --cumulative-variance", "derive EN --transitions"):
        assert run(text)[0] == 0
    (tmp_path / "forward").write_bytes(Path(EN).read_bytes())
    assert run("convert --check forward")[0] == 0
    order = run("derive EN --order")[1]
    assert order.splitlines()[0].split() != run("derive EN")[1].splitlines()[0].split()
    assert run("perplexity EN EN --order arc-eager --lift")[0] == 0


def test_a_coefficient_is_one_line_of_json_lines(run) -> None:
    code, out, _ = run("correlate good.tsv --format jsonl")
    assert code == 0
    (row,) = rows_in(json.loads(run("correlate good.tsv --format json")[1]), "coefficients")
    assert json.loads(out) == row
    assert out.count("\n") == 1


def test_lifting_that_would_take_too_long_is_not_begun(run, tmp_path: Path, monkeypatch) -> None:
    """A random tree of 20,000 words has nearly as many arcs to lift."""
    monkeypatch.setattr("levelhead.kernels.trees.lift", None)  # cannot be called
    rng = random.Random(1)
    words = rng.sample(range(1, 20_001), 20_000)
    heads = {word: words[rng.randrange(i)] if i else 0 for i, word in enumerate(words)}
    rows = (
        f"{word}\tw\t_\t_\t_\t_\t{heads[word]}\t{'dep' if heads[word] else 'root'}\t_\t_\n" for word in sorted(heads)
    )
    (tmp_path / "random.conllu").write_text("".join(rows) + "\n", encoding="utf-8")
    code, _, err = run("derive random.conllu --system arc-eager --lift")
    assert code == 2
    assert err == "random.conllu:1: derivation-too-long: the sentence may need more than 200000000 steps\n"
