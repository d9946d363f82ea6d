"""Options that would change nothing, arguments that do not go together, and work that cannot end well: refused early."""

import json
import random
import warnings
from pathlib import Path

import pytest

from conftest import EXAMPLES
from levelhead.cli import program

EN = str(EXAMPLES / "parallel/gold/en.conllu")
HUGE = "treebank\ta\tb\nx\t1e308\t1\ny\t-1e308\t2\nz\t5\t3\nw\t1\t9\n"
TINY = "treebank\ta\tb\nx\t1e-200\t1\ny\t2e-200\t2\nz\t3e-200\t3\nw\t1e-200\t9\n"
GOOD = "treebank\ta\tb\nx\t1\t1\ny\t3\t2\nz\t5\t3\nw\t1\t9\n"

REFUSED = {
    # what follows `levelhead`, in a folder with good.tsv, huge.tsv and tiny.tsv, and what is said
    "convert forward EN out --check": "--check takes no direction",
    "convert backward EN out --check": "leave backward out",
    "convert forward EN out --places 3": "--places and --output go with --check",
    "derive EN --transitions --order": "give one of --transitions and --order",
    "correlate good.tsv --draw bars": "--draw says what --figure draws",
    "correlate good.tsv --cumulative-variance --method pearson": "--cumulative-variance does not go with --method",
    "correlate good.tsv --cumulative-variance --resamples 5": "--cumulative-variance does not go with --resamples",
    "correlate good.tsv --cumulative-variance --missing drop": "--cumulative-variance does not go with --missing",
    "correlate good.tsv --cumulative-variance --matrix": "--cumulative-variance does not go with --matrix",
    "correlate huge.tsv": "invalid-table: the column 'a' holds 1e+308; values may be 1e+150 at most",
    "correlate huge.tsv --diff a b": "invalid-table: the column 'a' holds 1e+308",
    "correlate huge.tsv --cumulative-variance": "invalid-table: the column 'a' holds 1e+308",
    "correlate tiny.tsv": "invalid-table: the values of the column 'a' differ by less than 1e-150",
    "profile --list-columns -c sizes": "--list-columns lists all columns: leave --columns out",
    "perplexity --treebanks list.tsv --order string": "--treebanks sets the string's order beside another",
    "perplexity EN EN --lift": "--lift changes nothing in the order of the string",
    "perplexity /no/train /no/test": "/no/test: unreadable-file",
    "crossval swap-lazy EN --cluster local --tls-ca a --tls-key c": "go together: give --tls-cert, too",
    "crossval swap-lazy EN --tls-ca a --tls-cert b --tls-key c": "are for --cluster",
    "reproduce conll17 --cluster local --tls-cert b": "go together: give --tls-ca and --tls-key, too",
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch, capsys):
    """Run the command in a folder with tables; gives the exit code, standard output and standard error."""
    for name, text in (("good", GOOD), ("huge", HUGE), ("tiny", TINY)):
        (tmp_path / f"{name}.tsv").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def command(text: str) -> tuple[int, str, str]:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            code = program.run([EN if word == "EN" else word for word in text.split()])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return command


@pytest.mark.parametrize("text", REFUSED)
def test_refused(run, text: str) -> None:
    code, out, err = run(text)
    assert (code, out) == (2, ""), err
    assert REFUSED[text] in err


def test_what_is_not_refused(run, tmp_path: Path) -> None:
    """The same without what is too much, and a file that is called as a direction is."""
    for text in ("correlate good.tsv", "correlate good.tsv --cumulative-variance", "derive EN --transitions"):
        assert run(text)[0] == 0
    (tmp_path / "forward").write_bytes(Path(EN).read_bytes())
    assert run("convert --check forward")[0] == 0
    order = run("derive EN --order")[1]
    assert order.splitlines()[0].split() != run("derive EN")[1].splitlines()[0].split()
    assert run("perplexity EN EN --order arc-eager --lift")[0] == 0


def test_a_document_is_one_line_of_json_lines(run, tmp_path: Path) -> None:
    header = "name\tgroup\ttrain\ttest\n"
    (tmp_path / "list.tsv").write_text(header + "".join(f"{i}\tg\t{EN}\t{EN}\n" for i in "abc"), encoding="utf-8")
    code, out, _ = run("perplexity --treebanks list.tsv --format jsonl")
    assert code == 0
    assert json.loads(out)["kind"] == "perplexities"
    assert out.count("\n") == 1


def test_lifting_that_would_take_too_long_is_not_begun(run, tmp_path: Path, monkeypatch) -> None:
    """A random tree of 20,000 words has nearly as many arcs to lift."""
    monkeypatch.setattr("levelhead.kernels.lifting.lift", None)  # cannot be called
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
