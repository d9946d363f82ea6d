"""The command line: formats, exit codes, and no traceback whatever it is given."""

import csv
import io
import json
import os
import shlex
import subprocess
import sys

import pytest
from hypothesis import given, settings, strategies as st

from command_line import levelhead
from conftest import EXAMPLES
from levelhead.measures.registry import REGISTRY, group_of, parse_measure, split_measures
from levelhead.tables.table import Column, Table
from levelhead.tables.writers import to_latex
from result_rows import rows_in, scores_in

GOLD, SYSTEM = EXAMPLES / "parallel/gold/en.conllu", EXAMPLES / "parallel/systems/alpha/en.conllu"
INVALID = EXAMPLES / "parallel/systems/gamma/tr.conllu"


def test_score_prints_the_official_table_and_a_signature():
    done = levelhead("score", GOLD, SYSTEM)
    lines = done.stdout.split("\n")
    assert done.returncode == 0
    assert lines[0] == "Metric     | Precision |    Recall |  F1 Score | AligndAcc"
    assert lines[1] == "-----------+-----------+-----------+-----------+-----------"
    assert lines[-2].startswith("rules:ud|gold:")
    assert done.stderr == ""


def test_counts_are_integers():
    done = levelhead("score", "--counts", "-m", "LAS", GOLD, SYSTEM)
    assert done.stdout.split("\n")[2].split() == ["LAS", "|", "146", "|", "164", "|", "164", "|", "164"]


def test_json_has_counts_ratios_and_files():
    document = json.loads(levelhead("score", "--format", "json", GOLD, SYSTEM).stdout)
    assert (document["schema"], document["kind"]) == (2, "score")
    assert document["verdict"] is None
    gold, system = document["tables"]["files"]
    assert (gold["sentences"], gold["tokens"], gold["words"]) == (20, 163, 164)
    assert [(one["treebank"], one["role"]) for one in (gold, system)] == [("en", "gold"), ("en", "system")]
    las = scores_in(document)["LAS"]
    assert (las["correct"], las["gold"], las["predicted"], las["aligned"]) == (146, 164, 164, 164)
    assert las["f1"] == 100 * 2 * 146 / 328
    assert scores_in(document)["Words"]["aligned"] is None


@pytest.mark.parametrize("output_format", ["text", "json", "jsonl", "tsv", "markdown", "latex"])
def test_every_format_of_pairs_and_folders(output_format):
    for paths in ((GOLD, SYSTEM), (GOLD.parent, SYSTEM.parent)):
        done = levelhead("score", "--format", output_format, "-m", "LAS", *paths)
        assert done.returncode == 0, done.stderr
        assert "89.0" in done.stdout
        if output_format == "json":
            json.loads(done.stdout)
        if output_format == "jsonl":
            assert all(json.loads(line)["measure"] == "LAS" for line in done.stdout.splitlines())


def test_tsv_is_at_full_precision_and_latex_has_rules():
    assert (
        f"en\tLAS\t{100 * 292 / 328}\tpercent"
        in levelhead("score", "--format", "tsv", "-m", "LAS", GOLD, SYSTEM).stdout
    )
    latex = levelhead("score", "--format", "latex", "-m", "LAS(full)", GOLD, SYSTEM).stdout
    assert "\\toprule" in latex
    assert "LAS(full) & 89.02" in latex


def test_one_ratio_is_shown_alone():
    """CLAS.recall under the heading Recall, and nothing in the other columns."""
    both = levelhead("score", "--format", "markdown", "-m", "CLAS", "-m", "CLAS.recall", GOLD, SYSTEM).stdout
    _, _, whole, recall = ([cell.strip() for cell in line.split("|")[1:-1]] for line in both.splitlines()[:4])
    assert all(whole)
    assert recall == ["CLAS.recall", "", whole[2], "", ""]


def test_first_cells_in_latex_are_no_arguments():
    """An asterisk or a bracket would be taken for an argument of the command before it."""
    rows = [("[a]",), ("*",), (" [b",), ("a[c]",)]
    lines = to_latex(Table((Column("*name", "text"),), tuple(rows))).splitlines()
    assert lines[3:9] == [r"{}*name \\", r"\midrule", r"{}[a] \\", r"{}* \\", r"{} [b \\", r"a[c] \\"]


def test_places():
    assert "89.0244" in levelhead("score", "--places", "4", "-m", "LAS", GOLD, SYSTEM).stdout


def test_output_is_written_whole(tmp_path):
    target = tmp_path / "scores.json"
    done = levelhead("score", "--format", "json", "--output", target, GOLD, SYSTEM)
    assert done.stdout == ""
    assert scores_in(json.loads(target.read_text(encoding="utf-8")))["LAS"]["correct"] == 146
    assert [path.name for path in tmp_path.iterdir()] == ["scores.json"]


@pytest.mark.parametrize(("gate", "code"), [("LAS=89", 0), ("LAS=89.0244", 1), ("CLAS.recall=80", 0), ("UAS=100", 1)])
def test_gates_compare_unrounded(gate, code):
    done = levelhead("score", "--fail-under", gate, "-m", "LAS", GOLD, SYSTEM)
    assert done.returncode == code
    assert (gate.partition("=")[0] in done.stderr) == (code == 1)


def test_measures_with_gates_are_shown_once():
    folders = EXAMPLES / "parallel/gold", EXAMPLES / "parallel/systems/alpha"
    lines = levelhead("score", "--fail-under", "LAS=2,UAS.recall=2", *folders).stdout.splitlines()
    head = next(line for line in lines if line.startswith("Treebank")).split()
    assert [head.count(measure) for measure in ("LAS", "UAS", "UAS.recall")] == [1, 1, 1]


@pytest.mark.parametrize("gate", ["LAS", "LAS=x", "LAS=", "=5"])
def test_a_gate_that_is_none_is_bad_input(gate):
    done = levelhead("score", "--fail-under", gate, GOLD, SYSTEM)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_weights_as_the_official_script_takes_them(tmp_path):
    weights = tmp_path / "weights"
    weights.write_text("# function words weigh nothing\ncase 0\ndet 0.0\nmark 0\naux 0\ncop 0\ncc 0\npunct 0\n")
    done = levelhead(
        "score", "--rules", "conll17", "-m", f"CLAS,WeightedLAS({weights})", "--format", "tsv", GOLD, SYSTEM
    )
    rows = {row["measure"]: row for row in csv.DictReader(io.StringIO(done.stdout), delimiter="\t")}
    numbers = ("value", "precision", "recall", "f1", "aligned_accuracy", "correct", "gold", "predicted", "aligned")
    weighted, clas = ([float(rows[name][key]) for key in numbers] for name in (f"WeightedLAS({weights})", "CLAS"))
    assert weighted == clas
    weights.write_text("case\n")
    done = levelhead("score", "-m", f"WeightedLAS({weights})", GOLD, SYSTEM)
    assert (done.returncode, done.stderr.split(": ")[0]) == (2, f"{weights}:1")


def test_invalid_files_are_refused_with_every_fault():
    done = levelhead("score", EXAMPLES / "parallel/gold/tr.conllu", INVALID)
    assert (done.returncode, done.stdout) == (2, "")
    *faults, hint = done.stderr.splitlines()
    assert [line.split(": ")[:2] for line in faults] == [
        [f"{INVALID}:49", "cycle"],
        [f"{INVALID}:108", "several-roots"],
    ]
    assert hint == "to score an output with such errors, add --partial"


def test_folders_with_an_invalid_file_have_no_average():
    done = levelhead("score", GOLD.parent, INVALID.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 3  # two faults, and what can be done


def test_folders_with_a_missing_file(tmp_path):
    (tmp_path / "en.conllu").write_bytes(SYSTEM.read_bytes())
    done = levelhead("score", GOLD.parent, tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        f"{tmp_path}: missing-system-file: no output for 7 of 8 gold treebanks: ar, cs, de, fi, fr and 2 more;"
        " use levelhead rank, which counts missing outputs as 0\n"
    )
    done = levelhead("score", tmp_path / "nothing", tmp_path)
    assert (done.returncode, done.stderr) == (2, f"{tmp_path}/nothing: unreadable-file: No such file or directory\n")


def test_a_misnamed_file_is_named_with_the_missing_one(tmp_path):
    for file in SYSTEM.parent.iterdir():
        (tmp_path / file.name.replace("tr", "tur")).write_bytes(file.read_bytes())
    for verb in ("score", "compare"):
        done = levelhead(verb, GOLD.parent, tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"{tmp_path}: missing-system-file: no output for 1 of 8 gold treebanks: tr;"
            " 1 file with no matching gold treebank (ignored): tur.conllu;"
            " use levelhead rank, which counts missing outputs as 0\n"
        )


def test_validate_text_and_json_lines():
    done = levelhead("validate", GOLD, INVALID)
    assert (done.returncode, done.stdout.count("\n")) == (2, 6)
    assert done.stdout.startswith(f"1 of 2 files is valid: 2 errors ({INVALID}).\n\n")
    assert done.stdout.endswith("  cycle: Break the cycle.\n  several-roots: Attach exactly one word to 0.\n")
    documents = [json.loads(line) for line in levelhead("validate", "--format", "jsonl", INVALID).stdout.splitlines()]
    assert [(d["slug"], d["line"], d["severity"]) for d in documents] == [
        ("cycle", 49, "error"),
        ("several-roots", 108, "error"),
    ]
    assert levelhead("validate", GOLD).returncode == 0


def test_standard_input_and_not_twice():
    done = levelhead("score", "-", SYSTEM, "-m", "LAS", input=GOLD.read_text(encoding="utf-8"))
    assert "LAS        |     89.02" in done.stdout
    assert levelhead("score", "-", "-", input="").returncode == 2


def test_unknown_measures_name_the_nearest():
    done = levelhead("score", "-m", "LSA", GOLD, SYSTEM)
    assert (done.returncode, done.stderr) == (
        2,
        "unknown-measure: unknown measure 'LSA': did you mean LAS?\n",
    )
    assert levelhead("score", "-m", "LAS.f2", GOLD, SYSTEM).returncode == 2
    assert levelhead("score", "-m", "MLAS", "--rules", "conll17", GOLD, SYSTEM).returncode == 2


def test_every_verb_has_help_and_an_entry_in_the_overview():
    from levelhead.cli.program import COMMANDS

    overview = levelhead("--help").stdout
    for verb, meaning in COMMANDS.items():
        assert f"{verb} " in overview
        assert meaning in overview
        assert levelhead(verb, "--help").stdout.startswith(f"Usage: levelhead {verb}")


def test_an_error_of_our_own_is_told_as_such(monkeypatch, capsys):
    from levelhead.cli import program

    monkeypatch.setattr("levelhead.cli.help.list_measures", None)
    assert program.run(["measures"]) == 3
    assert "please report it" in capsys.readouterr().err


@settings(max_examples=40)
@given(data=st.binary(max_size=300))
def test_any_bytes_end_without_a_traceback(tmp_path_factory, data):
    from levelhead.cli import program

    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(data)
    for rules in ("ud", "udtools", "conll18", "conll17"):
        assert program.run(
            ["score", os.fspath(path), os.fspath(path), "--rules", rules, "--output", os.fspath(path) + ".out"]
        ) in {0, 2}
    assert program.run(["validate", os.fspath(path), "--output", os.fspath(path) + ".out"]) in {0, 2}


def test_gates_are_exact_and_all_of_them_count():
    """89.0243902... is 146 of 164: a gate at just that fraction holds, and an earlier gate is not forgotten."""
    assert levelhead("score", "--fail-under", "LAS=36500/410", "-m", "LAS", GOLD, SYSTEM).returncode == 0
    assert (
        levelhead("score", "--fail-under", "LAS=99", "--fail-under", "LAS=1", "-m", "LAS", GOLD, SYSTEM).returncode == 1
    )
    assert levelhead("score", "--fail-under", "LAS=99,las=1", GOLD, SYSTEM).returncode == 1
    for gates, code in (("UAS=2,LAS(nopunct)=3", 0), ("LAS(nopunct=callin)=99,UAS=2", 1)):
        assert levelhead("score", "--fail-under", gates, GOLD, SYSTEM).returncode == code
    for gate in ("LAS=nan", "LAS=inf"):
        assert levelhead("score", "--fail-under", gate, GOLD, SYSTEM).returncode == 2


def test_edges_from_nowhere_have_no_value_under_any_route():
    import levelhead as lh

    text = "1\ta\t_\t_\t_\t_\t0\troot\t99:x\t_\n\n"
    tree = lh.from_conllu(text)
    for rules in ("udtools", "ud"):
        assert lh.score(tree, tree, rules=rules, measures="ELAS")["ELAS"].value is None


def test_conllx_under_official_rules_is_refused():
    done = levelhead("score", "--rules", "conll17", "--input-format", "conllx", GOLD, SYSTEM)
    assert (done.returncode, done.stderr.split(": ")[1]) == (2, "refused-by-rules")


def test_scores_of_several_weights_are_signed_each(tmp_path):
    paths = [tmp_path / name for name in ("one", "two(2)")]
    for number, path in enumerate(paths):
        path.write_text(f"punct {number}\n")
    arguments = [part for path in paths for part in ("-m", f"WeightedLAS({path})")]
    document = json.loads(levelhead("score", *arguments, "--format", "json", GOLD, SYSTEM).stdout)
    signature = document["provenance"]["signature"]
    assert len({signature[f"WeightedLAS({path})"] for path in paths}) == 2


def test_weights_are_read_once_for_all_treebanks(tmp_path):
    """A pipe can be read only once."""
    weights = tmp_path / "weights"
    weights.write_text("case 0\ndet 0\npunct 0\n")
    folders = f"{GOLD.parent} {SYSTEM.parent}"
    run = f"{sys.executable} -m levelhead score {folders} -m LAS --format tsv -w"
    one, other = (
        subprocess.run(["bash", "-c", f"{run} {source}"], capture_output=True, text=True, check=False).stdout
        for source in (weights, f"<(cat {weights})")
    )
    assert [line.split("\t")[1:] for line in one.splitlines()[1:]] == [
        line.split("\t")[1:] for line in other.splitlines()[1:]
    ]


@pytest.mark.parametrize("content", ["case 0\ncase 1\n", "case nan\n", "case -1\n", "nsubj 1e308\n", "a b c\n"])
def test_odd_weights_are_refused(tmp_path, content):
    weights = tmp_path / "weights"
    weights.write_text(content)
    done = levelhead("score", "-m", f"WeightedLAS({weights})", GOLD, SYSTEM)
    assert (done.returncode, "invalid-weights" in done.stderr) == (2, True)


def test_errors_and_evaluations_can_be_pickled():
    import pickle

    import levelhead as lh

    evaluation = lh.score(GOLD, SYSTEM, measures="LAS")
    assert pickle.loads(pickle.dumps(evaluation))["LAS"].correct == 146
    try:
        lh.read(INVALID)
    except lh.InputError as error:
        again = pickle.loads(pickle.dumps(error))
        assert (str(again), again.faults, again.slug) == (str(error), error.faults, "cycle")
    error = lh.MeasureError("message", "unknown-measure")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_hostile_graphs_end_without_a_value():
    """Layers of empty nodes whose paths multiply, and a chain of thousands."""
    import levelhead as lh

    layers = "".join(
        f"0.{2 * n + k + 1}\tx"
        + "\t_" * 6
        + "\t"
        + ("|".join(f"0.{2 * n - 1 + j}:a" for j in (0, 1)) if n else "0:a")
        + "\t_\n"
        for n in range(11)
        for k in (0, 1)
    )
    words = "".join(
        f"{i}\tw\t_\t_\t_\t_\t{int(i > 1)}\t{'dep' if i > 1 else 'root'}\t0.21:a|0.22:b\t_\n" for i in range(1, 400)
    )
    chain = "".join(f"0.{n}\tx" + "\t_" * 6 + f"\t{f'0.{n - 1}' if n > 1 else '0'}:a\t_\n" for n in range(1, 3000))
    last = "1\tw\t_\t_\t_\t_\t0\troot\t0.2999:a\t_\n"
    for text in (f"{layers}{words}\n", f"{chain}{last}\n"):
        tree = lh.from_conllu(text)
        assert lh.score(tree, tree, measures="ELAS")["ELAS"].reason


MEASURED = {
    # commands with -m, without measures
    "score": (GOLD, SYSTEM),
    "score folders": (GOLD.parent, SYSTEM.parent),
    "breakdown --by relation": (GOLD, SYSTEM),
    "sentences": (GOLD, SYSTEM),
    "compare": (GOLD, SYSTEM),
    "trees --limit 1": (GOLD, SYSTEM, SYSTEM.parent.parent / "beta/en.conllu"),
    "rank": (GOLD.parent, SYSTEM.parent.parent),
    "judge": (GOLD, SYSTEM, SYSTEM.parent.parent / "beta/en.conllu", "--judgments", "votes"),
}


@pytest.mark.parametrize("line", MEASURED)
def test_measures_in_any_case_and_with_commas(line, tmp_path, monkeypatch):
    """Every command prints the same bytes as for the registered spelling, one option for each measure."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes").write_text("blue\nred\n" * 10)
    words = [*line.replace(" folders", "").split(), *MEASURED[line]]
    single = line in {"breakdown --by relation", "trees --limit 1"}
    pair = (
        (["LAS(full,nopunct)"], "las(full,nopunct)")
        if single
        else (["LAS(full,nopunct)", "CLAS"], "las(full,nopunct),clas")
    )
    expected = levelhead(*words, *(part for measure in pair[0] for part in ("-m", measure)), "--format", "json")
    found = levelhead(*words, "-m", pair[1], "--format", "json")
    assert (expected.returncode, expected.stderr) == (found.returncode, found.stderr)
    assert expected.stdout
    assert found.stdout == expected.stdout
    unknown = levelhead(*words, "-m", "LSA")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert unknown.stderr.endswith("unknown measure 'LSA': did you mean LAS?\n")


def test_gates_take_measures_in_any_case():
    for measure in ("LAS", "las"):
        done = levelhead("score", "-m", "uas", "--fail-under", f"{measure}=99", GOLD, SYSTEM)
        assert (done.returncode, done.stderr) == (1, "LAS is 89.0244, under 99\n")


def test_a_ranked_table_of_scores_is_found_in_any_case(tmp_path):
    (tmp_path / "scores.tsv").write_text("system\ttreebank\tmeasure\tvalue\na\ten\tlas\t90\nb\ten\tlas\t80\n")
    for measure in ("LAS", "las", "Las"):
        done = levelhead("rank", "--scores", tmp_path / "scores.tsv", "-m", measure)
        assert done.returncode == 0, done.stderr


def measures_shown(*arguments):
    document = json.loads(levelhead("measures", *arguments, "--format", "json").stdout)
    return [row["name"] for row in rows_in(document, "measures")]


def test_measures_shows_those_that_are_named_in_any_case():
    everything = measures_shown()
    assert measures_shown("LAS") == ["LAS"]
    assert measures_shown("las", "LAS(full),clas.recall", "clas") == ["LAS", "CLAS"]
    assert measures_shown(*everything) == everything
    assert levelhead("measures", "ufeats").stdout.splitlines()[0] == "UFeats"
    out = levelhead("measures", "clas").stdout
    assert max(map(len, out.split("\n"))) <= 100
    assert out.replace("\n    ", " ") == (
        "CLAS\n"
        f"  {REGISTRY['CLAS'].meaning}\n"
        f"  Formula: {REGISTRY['CLAS'].formula}\n"
        f"  Source: {REGISTRY['CLAS'].source}\n"
        "  Example: levelhead score GOLD SYSTEM -m CLAS\n"
        f"  Advice: {group_of('CLAS').advice}\n"
    )
    for output_format in ("jsonl", "tsv", "markdown", "latex"):
        done = levelhead("measures", "clas", "--format", output_format)
        assert (done.returncode, "CLAS" in done.stdout, "MLAS" in done.stdout) == (0, True, False)


def test_measures_refuses_unknown_names():
    done = levelhead("measures", "LAS", "LSA")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "unknown-measure: unknown measure 'LSA': did you mean LAS?\n"
    done = levelhead("measures", "LAS", "--schemes")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--schemes cannot be combined with MEASUREs" in done.stderr


def test_examples_of_measures_can_be_parsed():
    for line in levelhead("measures").stdout.splitlines():
        if line.startswith("  Example: "):
            *command, measures = shlex.split(line.partition(": ")[2].partition(" --rules ")[0])
            assert command == ["levelhead", "score", "GOLD", "SYSTEM", "-m"]
            assert [parse_measure(text) for text in split_measures(measures)]


def on_a_terminal(*arguments):
    """Run the command with standard error on a terminal; return the exit code, what it prints, and what it says."""
    inside, outside = os.openpty()
    command = [sys.executable, "-m", "levelhead", *map(os.fspath, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=outside, check=False, encoding="utf-8")
    os.close(outside)
    try:
        said = os.read(inside, 4096).decode().replace("\r\n", "\n")
    except OSError:  # nothing was said
        said = ""
    os.close(inside)
    return done.returncode, done.stdout, said


def test_validate_sums_up(tmp_path):
    code, out, _ = on_a_terminal("validate", GOLD.parent)
    assert (code, out) == (0, "8 of 8 files are valid.\n")
    odd = tmp_path / "odd.conllu"
    odd.write_bytes(b"\xef\xbb\xbf" + GOLD.read_bytes() + b"\n\n")
    code, out, said = on_a_terminal("validate", odd)
    assert (code, out.count("\n"), said) == (0, 6, "")
    assert out.startswith("The file is valid: 3 warnings.\n")  # one of two faults occurs twice
    assert "(and 1 more such case)" in out
    code, out, said = on_a_terminal("validate", GOLD, INVALID)
    assert (code, out.split()) == (2, levelhead("validate", GOLD, INVALID).stdout.split())
    assert " ".join(out.partition("\n\n")[0].split()) == f"1 of 2 files is valid: 2 errors ({INVALID})."
    done = levelhead("validate", GOLD.parent, "--quiet")
    assert (done.stdout, done.stderr) == ("", "")
