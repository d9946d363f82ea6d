"""levelhead rank: what it prints, and no traceback whatever it is given."""

import json
import lzma
import os
import random
import shutil
import subprocess

import pytest
from click.testing import CliRunner

from command_line import levelhead
from conftest import EXAMPLES, ROOT
from levelhead.cli.ranking import rank
from levelhead.scoring.rules import RULES
from result_rows import rows_in, scores_in

GOLD, SYSTEMS = EXAMPLES / "parallel" / "gold", EXAMPLES / "parallel" / "systems"

LEADERBOARD = """\
Rank | System |   LAS |  CLAS | CLAS rank | Valid outputs | LAS of valid sentences
-----+--------+-------+-------+-----------+---------------+------------------------
   1 | alpha  | 88.93 | 81.24 |         2 | 8 of 8        |                  88.93
   2 | gamma  | 77.18 | 82.28 |         1 | 7 of 8        |                  88.90
   3 | beta   | 67.21 | 56.37 |         3 | 8 of 8        |                  67.21
gamma counts 0 on tr (cycle, line 49)
gamma: 0 on tr: line 49: cycle: the heads form a cycle (words 3, 4) in the sentence that ends at
  line 56 (and 1 more); 18 of 20 sentences can be compared
of valid sentences: invalid outputs are scored on their comparable sentences, not as 0; unofficial,
  does not affect ranks
rules:ud|gold:"""


def ran(*arguments: object):
    """Run the verb in this process; click turns errors of ours into exceptions here."""
    return CliRunner().invoke(rank, list(map(os.fspath, arguments)))


def ranked(*arguments: object, **settings: object) -> subprocess.CompletedProcess[str]:
    """Run the command; with settings, in a process of its own."""
    return levelhead("rank", *arguments, **settings)


def test_the_leaderboard():
    done = ranked(GOLD, SYSTEMS, "-m", "LAS", "-m", "CLAS", "-q")
    (warning,) = done.stderr.splitlines()
    assert warning.startswith("warning: ")
    assert warning.endswith("tr.conllu:149: single-word-range: multiword token 'çocuğundur': it has only one word")
    assert done.returncode == 0
    assert done.stdout.startswith(LEADERBOARD)


@pytest.mark.slow
@pytest.mark.cluster
@pytest.mark.usefixtures("two_workers")
def test_the_same_with_processes_store_and_cluster(tmp_path, scheduler):
    expected = ranked(GOLD, SYSTEMS, "-m", "LAS", "-m", "CLAS").stdout
    for more in (
        ["-j", "2"],
        ["--store", tmp_path / "s"],
        ["--store", tmp_path / "s"],
        ["--cluster", scheduler],
    ):
        done = ranked(GOLD, SYSTEMS, "-m", "LAS", "-m", "CLAS", *more)
        assert (done.returncode, done.stdout) == (0, expected), done.stderr


def test_zeros_are_listed_of_the_test_sets_shown():
    assert "gamma: 0 on tr" in ran(GOLD, SYSTEMS, "-m", "LAS", "--group", "family:Uralic", "--group", "all").stdout
    done = ran(GOLD, SYSTEMS, "-m", "LAS", "--group", "family:Uralic")
    assert done.exit_code == 0
    assert " 0 on " not in done.stdout


def test_groups_are_printed_one_below_the_other():
    done = ran(
        GOLD, SYSTEMS, "-m", "LAS", "--group", "all", "--group", "family:Uralic", "--group", "genus:Germanic", "-q"
    )
    lines = done.stdout.splitlines()
    assert [line.split(" | ")[0].strip() for line in lines[2:13]] == [
        *["all"] * 3, lines[1], *["family:Uralic"] * 3, lines[1], *["genus:Germanic"] * 3,
    ]  # fmt: skip
    assert "Valid outputs" in lines[0]
    assert lines[6].split("|")[-2].strip() == "1 of 1"
    assert lines[10].split("|")[-2].strip() == "2 of 2"


def test_groups_of_a_shared_task_that_are_here_in_part_are_noted(tmp_path):
    (tmp_path / "gold").mkdir()
    (tmp_path / "systems" / "x").mkdir(parents=True)
    for folder in ("gold", "systems/x"):
        shutil.copy(GOLD / "cs.conllu", tmp_path / folder / "cs_pud.conllu")
    done = ran(tmp_path / "gold", tmp_path / "systems", "--group", "pud", "--ranking", "conll18", "-m", "LAS")
    assert "pud: 1 of the group's 5 test sets is included" in done.stdout


def test_measures_without_a_value_are_explained():
    done = ran(GOLD, SYSTEMS, "-m", "LAS", "-m", "ELAS", "--group", "language:French", "-q")
    assert done.stdout.splitlines()[2].split("|")[3:5] == ["    - ", "         - "]
    assert "ELAS: no average, since gold has nothing to measure on fr" in done.stdout


def test_all_measures_are_ranked_by_las():
    head = ran(GOLD, SYSTEMS, "--all-measures", "--rules", "conll17", "--format", "markdown").stdout.splitlines()[0]
    columns = [column.strip() for column in head.split("|")]
    assert columns[3:7] == ["LAS", "Tokens", "Tokens rank", "Sentences"]


@pytest.mark.parametrize("output_format", ["text", "json", "jsonl", "tsv", "markdown", "latex"])
@pytest.mark.parametrize("more", [(), ("--by-treebank",)])
def test_every_format(output_format, more):
    done = ran(GOLD, SYSTEMS, "--format", output_format, *more)
    assert done.exit_code == 0, done.output
    assert "alpha" in done.stdout
    if output_format == "json":
        json.loads(done.stdout)
    if output_format == "jsonl":
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(rows) == len(RULES["ud"].main) * (24 if more else 3)


def test_json_has_ranks_values_reasons_and_counts():
    document = json.loads(ran(GOLD, SYSTEMS, "--format", "json", "-m", "LAS").stdout)
    assert (document["schema"], document["kind"]) == (2, "rank")
    assert document["verdict"].startswith("alpha ranks first (LAS 88.93), ahead of gamma (")
    assert document["provenance"]["signature"]["ranking"] == "exact"
    assert document["tables"]["treebanks"][3] | {"sha256": ""} == {
        "treebank": "en", "language": "English", "family": "Indo-European", "genus": "Germanic", "sha256": "",
        "sentences": 20, "words": 164,
    }  # fmt: skip
    first, *others = rows_in(document, "standings")
    assert [standing["system"] for standing in others] == ["gamma", "beta"]
    assert {name: value for name, value in first.items() if value is not None} | {"value": 0} == {
        "group": "all", "measure": "LAS", "system": "alpha", "rank": 1, "value": 0, "unit": "percent", "n_valid": 8,
        "n_treebanks": 8,
    }  # fmt: skip
    key = {"system": "gamma", "treebank": "tr"}
    (bad,), (score,) = rows_in(document, "outputs", **key), rows_in(document, "scores", **key)
    assert bad == key | {
        "state": "invalid", "status": "Error: There is a cycle in generated CoNLL-U file",
        "n_compared": 18, "n_sentences": 20, "n_invalid": 2,
    }  # fmt: skip
    assert (score["state"], score["value"], score["correct"]) == ("invalid", 0.0, None)
    assert score["value_of_valid_sentences"] > 80
    reasons = [row["reason"] for row in rows_in(document, "reasons", **key)]
    assert [reason.split(":")[0] for reason in reasons] == ["line 49", "line 108"]
    assert score["reason"] == reasons[0]
    assert rows_in(document, "scores", system="alpha", treebank="en")[0]["correct"] == 146


def test_published_scores_are_ranked_without_files(tmp_path):
    scores = tmp_path / "scores.tsv"
    scores.write_text("treebank\tmetric\tteam\tF1\na\tLAS\tx\t80.125\nb\tLAS\tx\t70\na\tLAS\ty\t75\n")
    done = ran("--scores", scores, "--ranking", "conll18", "-q")
    assert [line.split("|")[:3] for line in done.stdout.splitlines()[2:4]] == [
        ["   1 ", " x      ", " 75.06 "], ["   2 ", " y      ", " 37.50 "],
    ]  # fmt: skip
    assert "y: 0 on b: no score in the table" in done.stdout


def test_by_treebank_and_back(tmp_path):
    (tmp_path / "t.tsv").write_text(ran(GOLD, SYSTEMS, "--by-treebank", "--format", "tsv", "-m", "LAS").stdout)
    done = ran("--scores", tmp_path / "t.tsv", "-q")
    assert [line.split("|")[1:3] for line in done.stdout.splitlines()[2:5]] == [
        [" alpha  ", " 88.93 "], [" gamma  ", " 77.18 "], [" beta   ", " 67.21 "],
    ]  # fmt: skip


def test_a_manifest_decides_what_the_command_line_does_not_say(tmp_path):
    text = f"""
[campaign]
gold = "{GOLD}"
systems = "{SYSTEMS}"
measures = ["UAS"]
rules = "conll17"
ranking = "conll17"
show = ["few"]
[groups]
few = ["en", "fi"]
"""
    (tmp_path / "m.toml").write_text(text)
    done = ran("--manifest", tmp_path / "m.toml")
    assert "UAS" in done.stdout.splitlines()[0]
    assert "2 of 2" in done.stdout
    assert "rules:conll17|" in done.stdout
    assert done.stdout.splitlines()[-1].endswith("|ranking:conll17")
    done = ran("--manifest", tmp_path / "m.toml", "-m", "LAS", "--rules", "ud", "--group", "all", "--ranking", "exact")
    assert "LAS" in done.stdout.splitlines()[0]
    assert "rules:ud|" in done.stdout


def test_prototext_of_one_system_and_of_several(tmp_path):
    one = ran(GOLD, SYSTEMS, "--system", "gamma", "--rules", "conll17", "--format", "prototext")
    assert one.stdout.startswith('measure{\n  key: "total-Tokens-F1"\n  value: "87.50"\n}\nmeasure{\n')
    assert 'key: "tr-Status"\n  value: "Error: There is a cycle in generated CoNLL-U file"\n}\n' in one.stdout
    assert "tr-LAS-F1" not in one.stdout
    assert 'key: "en-Status"\n  value: "OK: Evaluated non-zero LAS F1 score"' in one.stdout
    done = ran(GOLD, SYSTEMS, "--rules", "conll17", "--format", "prototext", "-o", tmp_path / "runs")
    assert done.exit_code == 0
    assert (tmp_path / "runs" / "gamma" / "evaluation.prototext").read_text() == one.stdout
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["alpha", "beta", "gamma"]


def test_invalid_gold_is_bad_input(tmp_path):
    shutil.copytree(GOLD, tmp_path / "gold")
    shutil.copy(SYSTEMS / "gamma" / "tr.conllu", tmp_path / "gold" / "tr.conllu")
    done = ranked(tmp_path / "gold", SYSTEMS)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{tmp_path}/gold/tr.conllu:49: cycle: " in done.stderr


def test_files_of_nobody_are_warned_of(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # long paths would be cut off
    shutil.copytree(SYSTEMS, tmp_path / "systems")
    for number in range(8):
        shutil.copy(SYSTEMS / "beta" / "en.conllu", tmp_path / "systems" / "beta" / f"x{number}.conllu")
    done = ranked(GOLD, "systems", "-m", "LAS")
    assert done.returncode == 0
    (line,) = (
        line for line in done.stderr.splitlines() if line.startswith("warning: 8 files with no matching test set")
    )
    assert line.count("beta/x") == 5
    assert line.endswith("x4.conllu and 3 more")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give GOLD and SYSTEMS"),
        ((GOLD,), "give GOLD and SYSTEMS"),
        ((GOLD, "nowhere"), "unreadable-file: No such file"),
        (("nowhere", SYSTEMS), "unreadable-file: No such file"),
        ((GOLD, SYSTEMS, "-m", "LASS"), "unknown-measure: unknown measure 'LASS': did you mean LAS?"),
        ((GOLD, SYSTEMS, "-m", "MLAS", "--rules", "conll17"), "the rules conll17 do not define MLAS"),
        ((GOLD, SYSTEMS, "--group", "pud"), "unknown-group: unknown group 'pud': "),
        ((GOLD, SYSTEMS, "--system", "delta"), "unknown system 'delta': did you mean beta?"),
        ((GOLD, SYSTEMS, "--ranking", "best"), "unknown ranking 'best': use exact"),
        ((GOLD, SYSTEMS, "--jobs", "0"), "'0' is not a whole number from 1 to 1,024"),
        ((GOLD, SYSTEMS, "--store", "/nowhere/store"), "/nowhere/store: output: the folder /nowhere does not exist"),
        ((GOLD, SYSTEMS, "--store", GOLD / "en.conllu"), "invalid-store: "),
        ((GOLD, SYSTEMS, "--store", __file__), "invalid-store: "),
        ((GOLD, SYSTEMS, "--definitions", GOLD / "en.conllu"), "invalid-definitions: not TOML"),
        (("--scores", "x", "--definitions", "y"), "y: unreadable-file"),
        ((GOLD, SYSTEMS, "--cluster", "tcp://8.8.8.8:1"), "8.8.8.8 is a public address"),
        ((GOLD, SYSTEMS, "--tls-ca", "x"), "must be used together: add --tls-cert and --tls-key"),
        ((GOLD, SYSTEMS, "--tls-ca", "x", "--tls-cert", "y", "--tls-key", "z"), "require --cluster"),
        ((GOLD, SYSTEMS, "-m", "WLAS(/dev/zero)"), "/dev/zero: unreadable-file: it is neither a file nor a folder"),
        ((GOLD, SYSTEMS, "--manifest", "nowhere.toml"), "nowhere.toml: unreadable-file"),
        ((GOLD, SYSTEMS, "--manifest", GOLD / "en.conllu"), "invalid-manifest: not TOML"),
        (("--scores", GOLD / "en.conllu"), "invalid-table"),
        (("--scores", GOLD / "en.conllu", GOLD), "--scores cannot be combined with GOLD and SYSTEMS"),
        ((GOLD, SYSTEMS, "--format", "prototext"), "requires --output FOLDER"),
        (
            (GOLD, SYSTEMS, "--format", "prototext", "-o", GOLD.parent / "README.md"),
            "README.md is not a folder",
        ),
        ((GOLD, SYSTEMS, "-o", GOLD / "en.conllu"), "is an input file"),
        ((GOLD, SYSTEMS, "-o", "/nowhere/file"), "/nowhere/file: output: "),
    ],
)
def test_mistakes_are_told_in_a_line(arguments, said):
    done = ranked(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_table_without_the_measure_says_what_it_has(tmp_path):
    (tmp_path / "t").write_text("system\ttreebank\tLAS\nx\ten\t5\n")
    done = ranked("--scores", tmp_path / "t", "-m", "CLAS")
    assert (done.returncode, done.stdout) == (2, "")
    assert "unknown measure in this table 'CLAS': did you mean LAS?" in done.stderr


def test_names_from_files_cannot_hide_or_command(tmp_path):
    """A system's name is what a participant chose."""
    name = "=1+1\x1b[31m\u202e|<b>"
    shutil.copytree(SYSTEMS / "alpha", tmp_path / "systems" / name)
    for output_format, bad in (("text", "\x1b"), ("markdown", "<b>"), ("latex", "\x1b")):
        done = ranked(GOLD, tmp_path / "systems", "--format", output_format)
        assert done.returncode == 0
        assert bad not in done.stdout


def test_compressed_folders(tmp_path):
    for folder in ("gold", "systems/alpha"):
        (tmp_path / folder).mkdir(parents=True)
        for path in (GOLD.parent / folder).iterdir():
            (tmp_path / folder / f"{path.name}.xz").write_bytes(lzma.compress(path.read_bytes(), preset=0))
    ours, plain = ran(tmp_path / "gold", tmp_path / "systems"), ran(GOLD, SYSTEMS, "--system", "alpha")
    assert ours.stdout.splitlines()[:-1] == plain.stdout.splitlines()[:-1]  # hashes of the files differ


def test_the_manifest_in_the_documentation_is_one():
    """Every key that the page shows is known."""
    page = (ROOT / "docs" / "rank.md").read_text(encoding="utf-8")
    text = page.partition("```toml\n")[2].partition("```")[0]
    from levelhead.campaign.find import _CAMPAIGN, _SYSTEM, _TREEBANK

    assert text
    assert all(f"\n{key} = " in text for key in {*_CAMPAIGN, *_SYSTEM, *_TREEBANK})


SIGNIFICANT = """\
Rank | System |   LAS |      95% CI | Ranks | Letters | Valid outputs | LAS of valid sentences
-----+--------+-------+-------------+-------+---------+---------------+------------------------
   1 | alpha  | 88.93 | #####-##### | 1-2   | a       | 8 of 8        |                  88.93
   2 | gamma  | 77.18 | #####-##### | 1-2   | a       | 7 of 8        |                  88.90
-----+--------+-------+-------------+-------+---------+---------------+------------------------
   3 | beta   | 67.21 | #####-##### | 3     | b       | 8 of 8        |                  67.21
"""


@pytest.mark.usefixtures("two_workers")
def test_significance_has_lines_and_gives_sets_of_ranks():
    done = ran(GOLD, SYSTEMS, "-m", "LAS", "--significance", "-q")
    lines = done.stdout.splitlines()
    ends = [tuple(map(float, line.split("|")[3].split("-"))) for line in (lines[2], lines[3], lines[5])]
    for (low, high), value in zip(ends, (88.93, 77.18, 67.21)):
        assert low < value < high
        assert high - low < 8
    shown = "\n".join(lines[:6])
    for low, high in ends:
        shown = shown.replace(f"{low:.2f}-{high:.2f}", "#####-#####")
    assert shown + "\n" == SIGNIFICANT
    assert "|level:0.95|resample-by:sentence|ranking:exact" in lines[-1]
    assert lines[-7:-1] == [
        "confidence intervals and p-values by sentence: 160 sentences",
        "gold marks no documents, so sentences are treated as independent: ar, cs, de, en, fi and 3 more",
        "systems that share a letter do not differ significantly",
        "each interval is for one average only",
        "undecided ranks by LAS: 1-2 (alpha, gamma)",
        "a missing or invalid output alone never makes a difference significant",
    ]
    again = ran(GOLD, SYSTEMS, "-m", "LAS", "--significance", "-q", "-j", "2")
    assert again.stdout == done.stdout


def test_significance_in_json():
    done = ran(GOLD, SYSTEMS, "-m", "LAS", "--significance", "--format", "json")
    document = json.loads(done.stdout)
    standings = rows_in(document, "standings")
    assert [one["line_below"] for one in standings] == [False, True, None]
    assert [(one["rank_low"], one["rank_high"]) for one in standings] == [(1, 2), (1, 2), (3, 3)]
    assert [one["letters"] for one in standings] == ["a", "a", "b"]
    pairs = rows_in(document, "pairs")
    assert [(one["system"], one["other"], one["significant"], one["wins"], one["losses"]) for one in pairs] == [
        ("alpha", "gamma", False, 0, 0), ("alpha", "beta", True, 8, 0), ("gamma", "beta", True, 7, 0),
    ]  # fmt: skip
    values = {one["system"]: one["value"] for one in standings}
    for one in pairs:
        assert one["difference"] == pytest.approx(values[one["system"]] - values[one["other"]])
        assert (one["p"] < 0.05) is one["significant"]
    assert [(one["unit"], one["n_units"]) for one in rows_in(document, "units")] == [("sentence", 20)] * 8


@pytest.mark.parametrize("n_test_sets", [9, 10])
def test_a_table_of_scores_says_what_was_left_out(tmp_path, n_test_sets):
    table = tmp_path / "scores.tsv"
    draw = random.Random(1)
    scores = [
        (system, i, score + i + draw.random()) for system, score in (("a", 70), ("b", 60)) for i in range(n_test_sets)
    ]
    rows = "".join(f"{system}\tt{i}\t{score}\n" for system, i, score in scores)
    table.write_text(f"system\ttreebank\tLAS\n{rows}", encoding="utf-8")
    lines = ran("--scores", table, "--significance").stdout.splitlines()
    if n_test_sets == 9:
        assert lines[-2] == "fewer than 10 test sets, so no intervals or p-values"
        assert "low" not in lines[0]
    else:
        assert set(lines[3]) == {"-", "+"}
        assert "confidence intervals and p-values by test set: 10 test sets" in lines


def test_a_scheme_names_the_classes(tmp_path):
    named = ran(GOLD, SYSTEMS, "-m", "LAS@callin:CONTENT").stdout
    assert "LAS@callin:CONTENT" in named
    assert ran(GOLD, SYSTEMS, "-m", "LAS@CONTENT", "--scheme", "callin").stdout == named
    text = f'[campaign]\ngold = "{GOLD}"\nsystems = "{SYSTEMS}"\nscheme = "callin"\nmeasures = ["LAS@CONTENT"]\n'
    (tmp_path / "m.toml").write_text(text, encoding="utf-8")
    assert ran("--manifest", tmp_path / "m.toml").stdout == named
    (tmp_path / "m.toml").write_text(text.replace("callin", "calin"), encoding="utf-8")
    done = ranked("--manifest", tmp_path / "m.toml")
    assert done.returncode == 2
    assert "campaign.scheme: unknown scheme 'calin'" in done.stderr


OWN = """\
[scheme.nominal]
version = 2
classes = { ARGUMENTS = ["nsubj", "obj", "iobj", "obl"] }

[measure.ArgumentTags]
needs = ["head", "upos"]
only = "nominal:ARGUMENTS"
"""


@pytest.mark.usefixtures("two_workers")
def test_own_measures_are_those_of_score(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(OWN, encoding="utf-8")
    measures = ("-m", "ArgumentTags", "-m", "LAS@ARGUMENTS", "--scheme", "nominal", "--definitions", own)
    arguments = (GOLD, SYSTEMS, *measures, "--significance", "--format", "json")
    document = json.loads(ran(*arguments, "-j", "1").stdout)
    assert json.loads(ran(*arguments, "-j", "2", "--store", tmp_path / "s").stdout) == document
    assert document["provenance"]["signature"]["definitions"]
    for one in rows_in(document, "outputs"):
        output = SYSTEMS / one["system"] / f"{one['treebank']}.conllu"
        done = levelhead("score", GOLD / output.name, output, *measures, "--format", "json")
        if done.returncode:
            assert one["state"] == "invalid"
            continue
        scores = {name: score["value"] for name, score in scores_in(json.loads(done.stdout)).items()}
        rows = rows_in(document, "scores", system=one["system"], treebank=one["treebank"])
        found = {row["measure"].replace("nominal:", ""): row["value"] for row in rows}
        assert found == pytest.approx({name: scores[name] for name in ("ArgumentTags", "LAS@ARGUMENTS")})


def test_a_store_knows_own_measures_by_their_files(tmp_path):
    own = tmp_path / "own.toml"
    for needs, same in (("[]", "Words"), ('["head"]', "UAS")):
        own.write_text(f"[measure.Own]\nneeds = {needs}\n", encoding="utf-8")
        command = (GOLD, SYSTEMS, "-m", "Own", "-m", same, "--definitions", own, "--store", tmp_path / "s")
        document = json.loads(ran(*command, "--format", "json").stdout)
        own_values, same_values = (
            [row["value"] for row in rows_in(document, "scores", measure=name)] for name in ("Own", same)
        )
        assert len(own_values) == 24
        assert own_values == same_values


def test_a_manifest_names_own_measures(tmp_path):
    (tmp_path / "own.toml").write_text(OWN, encoding="utf-8")
    text = f'[campaign]\ngold = "{GOLD}"\nsystems = "{SYSTEMS}"\ndefinitions = ["own.toml"]\nscheme = "nominal"\n'
    (tmp_path / "m.toml").write_text(f'{text}measures = ["LAS@ARGUMENTS"]\n', encoding="utf-8")
    named = ran(GOLD, SYSTEMS, "-m", "LAS@nominal:ARGUMENTS", "--definitions", tmp_path / "own.toml").stdout
    assert "LAS@nominal:ARGUMENTS" in named
    assert ran("--manifest", tmp_path / "m.toml").stdout == named


def test_files_that_measures_of_a_manifest_name_are_relative_to_it(tmp_path):
    weights = tmp_path / "w.tsv"
    weights.write_text("nsubj 2\n", encoding="utf-8")
    measures = 'measures = ["WLAS(w.tsv,default=1)"]'
    text = f'[campaign]\ngold = "{GOLD.absolute()}"\nsystems = "{SYSTEMS.absolute()}"\n{measures}\n'
    (tmp_path / "m.toml").write_text(text, encoding="utf-8")
    found = ran("--manifest", tmp_path / "m.toml", "--format", "tsv").stdout
    expected = ran(GOLD, SYSTEMS, "-m", f"WLAS({weights},default=1)", "--format", "tsv").stdout
    assert "WLAS(w.tsv,default=1)" in found
    assert found.replace("WLAS(w.tsv", f"WLAS({weights}") == expected
    named = ("-m", f"WLAS({weights},default=1)", "--format", "tsv")
    assert ran("--manifest", tmp_path / "m.toml", *named).stdout == expected
    assert ranked("--manifest", tmp_path / "m.toml", "-o", weights).returncode == 2
    assert weights.read_text(encoding="utf-8") == "nsubj 2\n"


def test_scores_by_treebank_are_those_of_the_groups_asked_for():
    done = ran(GOLD, SYSTEMS, "-m", "LAS", "--by-treebank", "--group", "family:Uralic", "--format", "tsv")
    assert {line.split("\t")[1] for line in done.stdout.splitlines()[1:]} == {"fi"}


def test_all_measures_beside_those_asked_for():
    done = ran(GOLD, SYSTEMS, "-m", "LAS@CORE", "--all-measures", "--format", "markdown")
    head = [name.strip() for name in done.stdout.splitlines()[0].split("|")]
    assert head.index("LAS@CORE") < head.index("LAS") < head.index("UAS")
