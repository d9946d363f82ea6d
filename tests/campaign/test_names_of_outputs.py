"""Outputs are found by the names that parsers give them, and folders of several systems are not averaged as runs."""

import json
import shutil
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.campaign import find_plan, read_manifest
from levelhead.errors import InputError
from levelhead.treebank.layouts.gold import gold_files, splits_of, treebank_of
from levelhead.treebank.layouts.outputs import run_files, runs_of_one_file

PARALLEL = EXAMPLES / "parallel"
ENGLISH = (PARALLEL / "gold/en.conllu").read_bytes()


def make(folder: Path, *names: str) -> Path:
    """Write the same treebank under several names."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(ENGLISH)
    return folder


def outputs(folder: Path, gold: Path) -> dict[str, str]:
    """The outputs in a folder by test set, as relative paths."""
    (run,) = run_files("s", folder, gold_files(gold))
    return {code: path.relative_to(folder).as_posix() for code, path in run.outputs.items()}


@pytest.mark.parametrize(
    "name",
    [
        "en_ewt.test.pred.conllu",
        "en_ewt-ud-test.predicted.conllu",
        "en_ewt-ud-test-sys.conllu",
        "UD_English-EWT.test.conllu",
        "UD_English-EWT.conllu",
        "en_ewt.Predictions.conllu.gz",
        "en_ewt_parsed.conllx.xz",
        "en_ewt-ud-test.parsed.conllu.zst",
        "output/en_ewt.test.pred.conllu",
        "UD_English-EWT/en_ewt-ud-test.out.conllu",
    ],
)
@pytest.mark.parametrize("code", ["UD_English-EWT/en_ewt-ud-test.conllu", "UD_English-EWT/en_ewt.conllu"])
def test_usual_names_of_outputs(tmp_path, name, code):
    gold, system = make(tmp_path / "gold", code), make(tmp_path / "s", name)
    assert outputs(system, gold) == {"en_ewt": name}
    (run,) = run_files("s", system, gold_files(gold))
    assert (run.similar, run.ignored) == (("en_ewt",), ())


@pytest.mark.parametrize(
    "name",
    ["en_ewt.dev.pred.conllu", "en_ewt-x.test.conllu", "en_ewt2.test.conllu", "en.test.conllu", "EWT.conllu",
     "en_ewt.test.train.conllu", "gold.test.conllu"],
)  # fmt: skip
def test_other_names_do_not_match(tmp_path, name):
    gold = make(tmp_path / "gold", "en_ewt-ud-test.conllu")
    assert outputs(make(tmp_path / "s", name), gold) == {}


def test_exact_names_win_and_the_longest_code(tmp_path):
    gold = make(tmp_path / "gold", "es.conllu", "es_ancora.conllu", "en.conllu", "en_test.conllu")
    system = make(
        tmp_path / "s", "es.test.conllu", "es_ancora.test.conllu", "en.conllu", "en.pred.conllu", "en_test.pred.conllu"
    )
    assert outputs(system, gold) == {
        "es": "es.test.conllu",
        "es_ancora": "es_ancora.test.conllu",
        "en": "en.conllu",
        "en_test": "en_test.pred.conllu",
    }
    (run,) = run_files("s", system, gold_files(gold))
    assert [path.name for path in run.ignored] == ["en.pred.conllu"]
    (system / "en.conllu").unlink()
    (system / "en.pred.conllu").unlink()  # en_test.pred would fit en, too, but belongs to en_test
    assert "en" not in outputs(system, gold)


def test_a_name_of_two_test_sets_belongs_to_neither(tmp_path):
    gold = make(tmp_path / "gold", "UD_English-A/en_a-ud-test.conllu", "UD_English-A/en_b-ud-test.conllu")
    assert outputs(make(tmp_path / "s", "UD_English-A.test.conllu"), gold) == {}


def test_two_outputs_with_longer_names_are_ambiguous(tmp_path):
    gold = gold_files(make(tmp_path / "gold", "en_ewt.conllu"))
    (run,) = run_files("s", make(tmp_path / "s", "en_ewt.test.pred.conllu", "en_ewt.dev.pred.conllu"), gold)
    message = "both en_ewt.dev.pred.conllu and en_ewt.test.pred.conllu match the test set en_ewt: remove one of them"
    assert (run.outputs, run.faults["en_ewt"].message) == ({}, message)
    (one,) = gold_files(tmp_path / "gold/en_ewt.conllu")
    (run,) = runs_of_one_file("s", tmp_path / "s", one)
    assert run.faults["en_ewt"].message == message


def test_a_gold_file_finds_its_output_among_others(tmp_path):
    (gold,) = gold_files(make(tmp_path, "en_ewt-ud-test.conllu") / "en_ewt-ud-test.conllu")
    system = make(tmp_path / "s", "en_ewt.test.pred.conllu", "fr_gsd.test.pred.conllu", "en_ewt.dev.pred.conllu")
    (run,) = runs_of_one_file("s", system, gold)
    assert [path.name for path in run.outputs.values()] == ["en_ewt.test.pred.conllu"]
    assert run.similar == (gold.code,)


@pytest.mark.parametrize(
    ("stem", "name", "splits"),
    [("en_ewt.test.pred", "en_ewt", {"test"}), ("fr-ud-train", "fr", {"train"}), ("test", "test", set()),
     ("en_ewt", "en_ewt", set()), ("x.dev.TEST", "x", {"dev", "test"})],
)  # fmt: skip
def test_names_of_treebanks_and_splits(stem, name, splits):
    assert (treebank_of(stem), splits_of(stem)) == (name, splits)


@pytest.fixture
def stanza(tmp_path):
    """Gold of a release, and two systems whose files are named as Stanza does."""
    for code in ("en", "cs", "de", "fi", "fr", "ar"):
        for path, source in {
            f"gold/{code}_x-ud-test.conllu": "gold",
            f"systems/alpha/{code}_x.test.pred.conllu": "systems/alpha",
            f"systems/beta/{code}_x-ud-test-sys.conllu": "systems/beta",
        }.items():
            make(tmp_path, path)
            shutil.copy(PARALLEL / source / f"{code}.conllu", tmp_path / path)
    return tmp_path


def test_rank_scores_outputs_with_longer_names_and_lists_the_pairs(run, stanza):
    code, out, err = run("rank", stanza / "gold", stanza / "systems", "-m", "LAS", "--format", "json")
    assert code == 0
    assert {one["state"] for one in json.loads(out)["tables"]["outputs"]} == {"valid"}
    pairs = ", ".join(f"alpha/{code}_x.test.pred.conllu ({code}_x)" for code in ("ar", "cs", "de", "en", "fi"))
    assert err == f"note: 12 outputs matched by the beginning of the file name: {pairs} and 7 more\n"
    for command in (["score"], ["compare"], ["languages"], ["breakdown", "--by", "class"], ["confusion"]):
        code, _, err = run(command[0], stanza / "gold", stanza / "systems/alpha", *command[1:])
        assert code == 0
        assert "note: 6 outputs matched by the beginning of the file name: alpha/ar_x.test.pred" in err


def test_rank_stops_at_a_system_without_any_matching_name(run, stanza):
    make(stanza / "systems/gamma", "english.conllu", "czech.conllu")
    code, out, err = run("rank", stanza / "gold", stanza / "systems", "-m", "LAS")
    assert (code, out) == (2, "")
    assert err == (
        f"{stanza}/systems/gamma: missing-system-file: none of its files matches a test set: expected ar_x.conllu,"
        " cs_x.conllu, de_x.conllu and 3 more, or these names with additions such as -ud-test or .test.pred; found"
        " czech.conllu, english.conllu\n"
    )
    with pytest.raises(InputError, match=r"found czech\.conllu, english\.conllu"):
        levelhead.rank(stanza / "gold", stanza / "systems", measures="LAS")
    assert run("rank", stanza / "gold", stanza / "systems", "-m", "LAS", "--system", "alpha")[0] == 0
    assert "none of its files matches" in run("score", stanza / "gold", stanza / "systems/gamma")[2]
    for path in (stanza / "systems/gamma").iterdir():
        path.rename(path.with_suffix(".out"))
    assert "found czech.out, english.out" in run("rank", stanza / "gold", stanza / "systems", "-m", "LAS")[2]
    for path in (stanza / "systems/gamma").iterdir():
        path.unlink()  # an empty folder is a system without outputs, which counts as 0
    assert run("rank", stanza / "gold", stanza / "systems", "-m", "LAS")[0] == 0


@pytest.mark.parametrize("command", ["score", "compare", "languages", "confusion"])
def test_a_folder_of_systems_is_not_a_folder_of_runs(run, command):
    code, out, err = run(command, PARALLEL / "gold", PARALLEL / "systems")
    assert (code, out) == (2, "")
    systems = PARALLEL / "systems"
    assert err == (
        f"{systems}: ambiguous-layout: the folder has several systems (alpha, beta, gamma): name one, such as"
        f" {systems}/alpha, or use levelhead rank or compare; if these are runs of one system, use compare --as-runs\n"
    )


@pytest.mark.parametrize(
    ("names", "runs"),
    [
        (["seed1", "seed2"], True),
        (["Run_01", "run_2"], True),
        (["xlm-seed-1", "xlm-seed-2"], True),
        (["a-seed1", "b-seed1"], False),
        (["alpha", "beta"], False),
        (["seed1", "best"], False),
        (["2018-05-01", "2018-05-02"], False),
        (["final"], True),
    ],
)
def test_names_of_runs(tmp_path, names, runs):
    gold = make(tmp_path / "gold", "en.conllu", "fr.conllu")
    system = make(tmp_path / "s", *(f"{name}/en.conllu" for name in names))
    if runs:
        assert [one.run for one in find_plan(gold, [system]).systems] == sorted(names)
    else:
        with pytest.raises(InputError, match="the folder has several systems"):
            find_plan(gold, [system])
    assert [one.run for one in find_plan(gold, [system], as_runs=True).systems] == sorted(names)


def test_files_for_one_gold_file_are_runs_only_if_named_so(run, tmp_path):
    gold, system = PARALLEL / "gold/en.conllu", make(tmp_path / "s", "alpha.conllu", "beta.conllu")
    code, out, err = run("compare", gold, system)
    assert (code, out) == (2, "")
    assert "the folder has several outputs, none of them named en.conllu (alpha.conllu, beta.conllu)" in err
    assert f"name one, such as {system}/alpha.conllu, or use levelhead compare; if" in err
    code, out, _ = run("compare", gold, system, "--as-runs", "-m", "LAS", "--format", "json")
    assert (code, json.loads(out)["tables"]["results"][0]["n_runs"]) == (0, 2)


def test_a_manifest_names_runs(run, tmp_path):
    make(tmp_path, "gold/en.conllu", "gold/fr.conllu")
    make(tmp_path / "s", *(f"{one}/{code}.conllu" for one in ("first", "second", "old") for code in ("en", "fr")))
    manifest = tmp_path / "m.toml"
    manifest.write_text('[campaign]\ngold = "gold"\n[[system]]\nfolder = "s"\nruns = ["first", "second"]\n')
    assert [one.label for one in read_manifest(manifest).campaign().systems] == ["s/first", "s/second"]
    manifest.write_text('[campaign]\ngold = "gold"\n[[system]]\nfolder = "s"\nruns = ["first", "third"]\n')
    code, _, err = run("rank", "--manifest", manifest)
    assert (code, "s/third: unreadable-file" in err) == (2, True)
    manifest.write_text('[campaign]\ngold = "gold"\n[[system]]\nfolder = "s"\n')
    assert "the folder has several systems" in run("rank", "--manifest", manifest)[2]
    code, out, _ = run("rank", "--manifest", manifest, "--as-runs", "-m", "LAS", "--format", "json")
    systems = [row["system"] for row in json.loads(out)["tables"]["standings"]]
    assert (code, sorted(systems)) == (0, ["s/first", "s/old", "s/second"])


def test_only_the_test_sets_of_the_groups_are_read(run, tmp_path):
    """Other gold files can even be invalid."""
    for kind in ("gold", "systems"):
        shutil.copytree(PARALLEL / kind, tmp_path / kind)
    settings = ("-m", "LAS", "--significance", "--group", "language:English", "--group", "genus:Romance")
    groups = ["language:English", "genus:Romance"]
    before = run("rank", PARALLEL / "gold", PARALLEL / "systems", *settings, "--format", "json")
    (tmp_path / "gold/cs.conllu").write_text("1\tx\n\n", encoding="utf-8")
    for found in (
        run("rank", tmp_path / "gold", tmp_path / "systems", *settings, "--format", "json"),
        run("rank", "--manifest", manifest_with(tmp_path, groups), *settings[:3], "--format", "json"),
    ):
        tables, expected = json.loads(found[1])["tables"], json.loads(before[1])["tables"]
        assert (found[0], tables) == (0, expected)
        assert [one["treebank"] for one in tables["treebanks"]] == ["en", "fr"]
    ranked = levelhead.rank(tmp_path / "gold", tmp_path / "systems", measures="LAS", groups=groups)
    assert [test_set.code for test_set in ranked.results.test_sets] == ["en", "fr"]
    assert run("rank", tmp_path / "gold", tmp_path / "systems", "-m", "LAS")[0] == 2
    paper = ("--group", "language:English", "--layout", "paper", "--format", "latex", "--by-treebank")
    code, out, _ = run("rank", tmp_path / "gold", tmp_path / "systems", "-m", "LAS", *paper)
    assert (code, "French" in out, "English" in out or "en" in out) == (0, False, True)
    assert "unknown-group" in run("rank", tmp_path / "gold", tmp_path / "systems", "--group", "family:Klingon")[2]


def manifest_with(folder: Path, groups: list[str]) -> Path:
    path = folder / "m.toml"
    path.write_text(f'[campaign]\ngold = "gold"\nsystems = "systems"\nshow = {json.dumps(groups)}\n', encoding="utf-8")
    return path


def test_profile_and_validate_find_the_same_files(run, tmp_path):
    make(
        tmp_path, "gold/en.conllu", "alpha/output/en.test.pred.conllu", "m/en-ud-train.conllu", "m/en.test.pred.conllu"
    )
    manifest = tmp_path / "m.toml"
    manifest.write_text('[campaign]\ngold = "gold"\n', encoding="utf-8")
    for source in (manifest, tmp_path / "alpha"):
        assert run("validate", source)[:2] == (0, "The file is valid.\n")
        assert run("profile", source, "--columns", "sentences")[0] == 0
    assert [*levelhead.profile(manifest)] == ["en"]
    assert [*levelhead.profile(tmp_path / "m", merge=True)] == ["en"]
    make(tmp_path / "m", "en.test.out.conllu")
    with pytest.raises(InputError, match="the same part of en"):
        levelhead.profile(tmp_path / "m", merge=True)


def test_plans_have_a_note_only_for_longer_names(stanza):
    assert find_plan(PARALLEL / "gold", PARALLEL / "systems").notes == ()
    (note,) = find_plan(stanza / "gold", stanza / "systems/alpha").notes
    assert note.startswith("6 outputs matched by the beginning of the file name: alpha/ar_x.test.pred.conllu (ar_x)")


def test_the_output_of_a_single_test_set_can_be_ranked():
    gold, system = PARALLEL / "gold/en.conllu", PARALLEL / "systems/alpha/en.conllu"
    assert levelhead.rank(gold, system) == levelhead.rank(gold, [system])
    with pytest.raises(InputError, match="GOLD is a folder, but this is a file"):
        levelhead.rank(PARALLEL / "gold", system)
