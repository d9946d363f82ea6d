"""Morphosyntactic parsing on the command line: scores, rankings, comparisons, validation, and what is refused."""

import json
import re
import shutil
from pathlib import Path

import pytest

import levelhead
from command_line import levelhead as command
from conftest import EXAMPLES
from result_rows import rows_in, scores_in

GOLD, SYSTEMS = EXAMPLES / "msp/gold", EXAMPLES / "msp/systems"
PAIR = (GOLD / "en.conllu", SYSTEMS / "beta/en.conllu")
RULES = ("--rules", "msp25")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLES / "msp", tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_score_prints_three_measures() -> None:
    done = command("score", *PAIR, *RULES)
    assert done.returncode == 0
    assert done.stdout.splitlines()[2:5] == [
        "MSLAS      |     58.33 |     66.67 |     62.22 |     66.67",
        "LAS        |     62.50 |     71.43 |     66.67 |     71.43",
        "Feats      |     70.83 |     80.95 |     75.56 |     80.95",
    ]


@pytest.mark.parametrize("rules", ["msp25", "msp25-sorted"])
def test_json_has_the_numbers_unrounded(rules: str) -> None:
    """In the same keys as other measures."""
    document = json.loads(command("score", *PAIR, "--rules", rules, "--format", "json").stdout)
    assert document["provenance"]["signature"]["rules"] == rules
    assert list(scores_in(document)) == ["MSLAS", "LAS", "Feats"]
    correct = 3 + (2 * 2 / (3 + 3) + 1)  # sentence by sentence, in the order of gold
    of_json = scores_in(document)["MSLAS"]
    assert of_json["correct"] == correct
    assert (of_json["gold"], of_json["predicted"], of_json["aligned"]) == (7, 8, 7)
    assert (of_json["f1"], of_json["precision"]) == (100 * 2 * correct / 15, 100 * correct / 8)
    assert of_json["recall"] == 100 * correct / 7


def test_folders_and_rankings_average_over_treebanks() -> None:
    """The macro-average is the mean of both languages, in `score` and in `rank`."""
    scores = json.loads(command("score", GOLD, SYSTEMS / "beta", *RULES, "--format", "json").stdout)
    mean = sum(row["f1"] for row in rows_in(scores, "scores", measure="MSLAS")) / 2
    ranking = command("rank", GOLD, SYSTEMS, *RULES, "-q").stdout.splitlines()
    assert ranking[0].split(" | ")[2:4] == ["MSLAS", "  LAS"]
    assert [line.split(" | ")[1].strip() for line in ranking[2:4]] == ["alpha", "beta"]
    assert float(ranking[3].split(" | ")[2]) == round(mean, 2)


@pytest.mark.usefixtures("two_workers")
def test_a_store_and_two_processes_give_the_same_ranking(tmp_path: Path) -> None:
    plain = command("rank", GOLD, SYSTEMS, *RULES, "--significance").stdout
    for _ in range(2):
        again = command("rank", GOLD, SYSTEMS, *RULES, "--significance", "--store", tmp_path / "s", "--jobs", "2")
        assert again.stdout == plain


def test_a_manifest_names_the_rules(files: Path) -> None:
    (files / "task.toml").write_text('[campaign]\ngold = "gold"\nsystems = "systems"\nrules = "msp25"\n')
    assert command("rank", "--manifest", files / "task.toml").stdout == command("rank", GOLD, SYSTEMS, *RULES).stdout


def test_compare_tests_differences_in_its_own_measures() -> None:
    done = command("compare", GOLD, SYSTEMS / "alpha", SYSTEMS / "beta", *RULES, "--format", "json")
    found = json.loads(done.stdout)["tables"]
    assert {one["measure"] for one in found["results"]} == {"MSLAS", "LAS", "Feats"}
    (macro,) = (
        one for one in found["results"] if (one["average"], one["measure"], one["system"]) == ("macro", "LAS", "beta")
    )
    assert macro["difference"] == pytest.approx(83.3333 - 96.1538, abs=1e-3)


def test_an_output_with_other_sentences_counts_0(files: Path) -> None:
    """The reason has both numbers; a missing output counts 0, too."""
    system = files / "systems/beta/en.conllu"
    system.write_bytes(system.read_bytes().split(b"\n\n")[0] + b"\n\n")
    (files / "systems/beta/tr.conllu").unlink()
    done = command("rank", files / "gold", files / "systems", *RULES)
    assert done.returncode == 0
    assert "beta: 0 on en: sentence-mismatch: 1 sentence, but gold has 2" in done.stdout
    assert "beta: 0 on tr: no output" in done.stdout


def test_malformed_features_of_gold_are_an_error_of_gold(files: Path) -> None:
    """No system is to blame."""
    gold = files / "gold/en.conllu"
    gold.write_text(gold.read_text().replace("Case=Nom|", "Case|"))
    for arguments in (["rank", files / "gold", files / "systems"], ["score", gold, PAIR[1]]):
        done = command(*arguments, *RULES)
        assert done.returncode == 2
        assert re.search(r"gold/en\.conllu:14: refused-by-rules: 'Case' in FEATS is not Name=Value", done.stderr)


@pytest.mark.parametrize(
    ("change", "slug"),
    [
        (lambda data: data[:-1], "refused-by-rules"),
        (lambda data: data.replace(b"\n\n", b"\n\n\n"), "refused-by-rules"),
        (lambda data: data.replace(b"\t3\tobj", b"\t77\tobj"), "refused-by-rules"),
        (lambda data: data.replace(b"\t3\tobj", b"\t_\tobj"), "refused-by-rules"),
        (lambda data: data.replace(b"dog", b"\xff"), "refused-by-rules"),
        (lambda data: b"\xef\xbb\xbf" + data, "refused-by-rules"),
        (lambda data: data.partition(b"\n\n")[0] + b"\n\n", "sentence-mismatch"),
        (lambda _: b"", "empty-file"),
        (lambda _: b"# sent_id = 1\n", "empty-file"),
        (lambda _: b"x" * (1 << 24) + b"y\n", "line-too-long"),
    ],
)
def test_bad_input_ends_with_2(files: Path, change, slug: str) -> None:
    """And with one message that names the file."""
    system = files / "systems/beta/en.conllu"
    system.write_bytes(change(system.read_bytes()))
    done = command("score", GOLD / "en.conllu", system, *RULES)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.match(rf"{re.escape(str(system))}(:\d+)?: {slug}: ", done.stderr)


@pytest.mark.parametrize(
    "arguments",
    [
        ("breakdown", *PAIR, "--by", "relation"),
        ("sentences", *PAIR),
        ("confusion", *PAIR),
        ("trees", *PAIR, "--show", "nsubj:obj"),
        ("agree", *PAIR),
        ("score", *PAIR, "--report", "page.html"),
        ("score", GOLD, SYSTEMS / "beta", "--report", "page.html"),
        ("compare", *PAIR, SYSTEMS / "alpha/en.conllu", "--report", "page.html"),
        ("compare", *PAIR, SYSTEMS / "alpha/en.conllu", "--summary", "summary.md"),
    ],
    ids=lambda arguments: " ".join(map(str, arguments[:1])),
)
def test_what_shows_single_words_is_refused(arguments: tuple[object, ...], tmp_path, monkeypatch) -> None:
    """With one message, and without a page."""
    monkeypatch.chdir(tmp_path)
    done = command(*arguments, *RULES)
    assert done.returncode == 2
    assert done.stderr.startswith("unsupported-rules: the rules msp25 only score whole files")
    assert not list(tmp_path.iterdir())


def test_rank_writes_its_page(tmp_path: Path) -> None:
    """Which has no single words."""
    pytest.importorskip("jinja2")
    done = command("rank", GOLD, SYSTEMS, *RULES, "--report", tmp_path / "page.html")
    assert done.returncode == 0
    assert "MSLAS" in (tmp_path / "page.html").read_text()


def test_other_measures_formats_and_several_roots_are_refused() -> None:
    assert "do not define CLAS: use the rules conll17" in command("score", *PAIR, *RULES, "-m", "CLAS").stderr
    assert "use the rules msp25, msp25-sorted" in command("score", *PAIR, "-m", "MSLAS").stderr
    several = command("score", *PAIR, *RULES, "--allow-several-roots")
    assert (several.returncode, several.stdout) == (2, "")
    assert "the scorer of the rules msp25 rejects sentences with several roots" in several.stderr
    assert "the rules msp25 do not support partial scores" in command("score", *PAIR, *RULES, "--partial").stderr
    assert "does not read conllx" in command("score", *PAIR, *RULES, "--input-format", "conllx").stderr


def test_validate_lists_every_error_and_warning(tmp_path: Path) -> None:
    """Of every sentence, with lines; malformed features are a warning, since they matter only where compared."""
    rows = [
        "1\ta\t_\t_\t_\t|\t0\troot\t_\t_",
        "2\tb\t_\t_\t_\t|\t2\tx\t_\t_",
        "",
        "1\ta\t_\t_\t_\t|\t0\troot\t_",
        "2\t \t_\t_\t_\t|\t1\tx\t_\t_",
        "",
        "1\ta\t_\t_\t_\tCase\t0\troot\t_\t_",
        "",
    ]
    path = tmp_path / "x.conllu"
    path.write_text("\n".join(rows) + "\n")
    done = command("validate", path, *RULES, "--format", "jsonl")
    assert done.returncode == 2
    assert [(one["line"], one["slug"]) for one in map(json.loads, done.stdout.splitlines())] == [
        (3, "refused-by-rules"),
        (4, "refused-by-rules"),
        (5, "refused-by-rules"),
        (7, "invalid-feats"),
    ]
    path.write_text("\n".join(rows[-2:]) + "\n")
    warned = command("validate", path, *RULES)
    assert (warned.returncode, warned.stdout.count("\n")) == (0, 4)
    assert f"warning: {path}:1: invalid-feats: 'Case' in FEATS is not Name=Value" in warned.stdout
    assert command("validate", *PAIR, *RULES).stdout == "2 of 2 files are valid.\n"
    assert command("validate", *PAIR).returncode == 2
    assert "--fix repairs CoNLL-U" in command("validate", path, *RULES, "--fix", tmp_path / "y").stderr


def test_validate_in_python(files: Path) -> None:
    assert levelhead.validate(*PAIR, rules="msp25-sorted").valid
    with pytest.raises(levelhead.InputError):
        levelhead.validate(*PAIR, rules="msp25", fix=files / "copies")


def test_measures_shows_a_command_that_works() -> None:
    text = command("measures", "MSLAS").stdout
    example = re.search(r"Example: levelhead (.*)", text)
    assert example is not None
    arguments = example[1].replace("GOLD", str(PAIR[0])).replace("SYSTEM", str(PAIR[1])).split()
    assert command(*arguments).returncode == 0
    assert "Goldman et al. 2025" in text
