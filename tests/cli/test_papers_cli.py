"""`--layout paper` and `--cite` of score, compare and rank."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import levelhead as library
from conftest import ROOT
from result_rows import rows_in

EXAMPLES = ROOT / "examples" / "parallel"
GOLD, ALPHA, BETA = (EXAMPLES / part for part in ("gold", "systems/alpha", "systems/beta"))

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize("output_format", ["latex", "markdown", "html"])
def test_table_is_that_of_the_function(run: Run, output_format: str) -> None:
    code, out, _ = run("compare", GOLD, ALPHA, BETA, "--layout", "paper", "--format", output_format)
    assert code == 0
    comparison = library.compare(GOLD, {"alpha": ALPHA, "beta": BETA})
    assert out == library.paper_table(comparison, output_format)  # type: ignore[arg-type]


def test_ranking_by_treebank(run: Run) -> None:
    shown = ("-m", "LAS", "--layout", "paper", "--format", "markdown")
    code, out, _ = run("rank", GOLD, EXAMPLES / "systems", "--by-treebank", *shown)
    assert code == 0
    assert out.startswith("| Test set | alpha | gamma | beta |")
    assert "| Macro-average | **88.93**<sup>a</sup><br>" in out
    assert (
        run("rank", GOLD, EXAMPLES / "systems", "--group", "each", "--group", "all", *shown, "--significance")[1] == out
    )


def test_each_test_set_ranked_by_itself(run: Run) -> None:
    code, out, _ = run("rank", GOLD, EXAMPLES / "systems", "--group", "each", "-m", "LAS", "--format", "json")
    assert code == 0
    standings = json.loads(out)["tables"]["standings"]
    assert list(dict.fromkeys(row["group"] for row in standings)) == sorted(path.stem for path in GOLD.iterdir())


@pytest.mark.parametrize("command", ["score", "compare", "rank"])
def test_citation(run: Run, command: str) -> None:
    inputs = (GOLD, ALPHA) if command == "score" else (GOLD, ALPHA, BETA)
    inputs = (GOLD, EXAMPLES / "systems") if command == "rank" else inputs
    code, text, _ = run(command, *inputs, "--cite", "-m", "CLAS")
    assert code == 0
    (found,) = rows_in(json.loads(run(command, *inputs, "--cite", "-m", "CLAS", "--format", "json")[1]), "descriptions")
    assert text == f"{found['methods']}\n\n{found['bibtex']}"
    latex = run(command, *inputs, "--cite", "-m", "CLAS", "--format", "latex")[1]
    assert latex.startswith(found["latex"])
    assert latex.startswith("We report CLAS~\\citep{nivre-fang-2017-universal}")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--layout", "paper"), "--layout paper requires --format latex, markdown or html, not text"),
        (("--layout", "paper", "--format", "tsv"), "--layout paper requires --format latex, markdown or html, not tsv"),
        (("--cite", "--format", "tsv"), "--cite requires --format text, latex or json, not tsv"),
        (
            ("--cite", "--layout", "paper", "--format", "latex"),
            "--cite cannot be combined with --layout paper: it prints no table",
        ),
        (("--layout", "papers"), "papers"),
    ],
)
@pytest.mark.parametrize("command", ["compare", "rank"])
def test_what_cannot_be_printed(run: Run, command: str, options: tuple[str, ...], said: str) -> None:
    inputs = (GOLD, ALPHA, BETA) if command == "compare" else (GOLD, EXAMPLES / "systems")
    code, out, err = run(command, *inputs, *options)
    assert (code, out) == (2, "")
    assert said in err


def test_a_table_of_scores_has_no_rules(run: Run, tmp_path: Path) -> None:
    scores = tmp_path / "scores.tsv"
    scores.write_text("treebank\tsystem\tLAS\na\tx\t80\na\ty\t75\nb\tx\t70\nb\ty\t60\nc\tx\t71\nc\ty\t62\n")
    code, out, _ = run("rank", "--scores", scores, "--layout", "paper", "--format", "markdown")
    assert (code, f"levelhead {library.__version__}." in out, "rules" in out) == (0, True, False)
    code, out, _ = run("rank", "--scores", scores, "--cite")
    said = f", taken from a table of scores and averaged with levelhead {library.__version__}. Confidence intervals"
    assert (code, said in out) == (0, True)


def test_usual_tables_in_html(run: Run) -> None:
    code, out, _ = run("score", GOLD / "en.conllu", ALPHA / "en.conllu", "--format", "html")
    assert code == 0
    assert out.startswith("<table>")
