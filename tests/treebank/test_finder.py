"""The finder: every layout of gold and outputs, and folders that fit two of them."""

import json
import os
from pathlib import Path

import pytest

from conftest import EXAMPLES
from levelhead.errors import InputError
from levelhead.treebank.layouts.gold import gold_files, stem_of
from levelhead.treebank.layouts.outputs import run_files, runs_of_one_file, system_folders
from result_rows import rows_in

PARALLEL = EXAMPLES / "parallel"
ENGLISH = (EXAMPLES / "parallel/gold/en.conllu").read_bytes()


def make(folder: Path, *names: str) -> Path:
    """Write the same treebank under several names."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(ENGLISH)
    return folder


def found(folder: Path, gold: Path) -> dict[str, dict[str, str]]:
    """The outputs of each run as relative paths."""
    runs = run_files("s", folder, gold_files(gold))
    return {
        run.label: {code: path.relative_to(folder).as_posix() for code, path in run.outputs.items()} for run in runs
    }


@pytest.mark.parametrize(
    ("name", "stem"),
    [("en.conllu", "en"), ("en.CONLLU", "en"), ("en.conllx.gz", "en"), ("en.conll.xz", "en"), ("a.b.conllu", "a.b"),
     ("en.txt", None), ("en", None), ("conllu", None)],
)  # fmt: skip
def test_names_of_treebanks(name, stem):
    assert stem_of(name) == stem


def test_a_file_is_one_test_set(tmp_path):
    gold = make(tmp_path, "en.test.conllu.gz") / "en.test.conllu.gz"
    assert [(one.code, one.path) for one in gold_files(gold)] == [("en", gold)]


def test_a_folder_of_files(tmp_path):
    gold = make(tmp_path / "gold", "fr.conllu", "en.conllu.xz", "notes.txt", ".hidden.conllu")
    assert [one.code for one in gold_files(gold)] == ["en", "fr"]
    outputs = make(tmp_path / "alpha", "en.conllu", "fr.conllx.gz", "de.conllu")
    assert found(outputs, gold) == {"s": {"en": "en.conllu", "fr": "fr.conllx.gz"}}
    (run,) = run_files("s", outputs, gold_files(gold))
    assert [path.name for path in run.ignored] == ["de.conllu"]


def test_a_ud_release(tmp_path):
    release = make(tmp_path / "r", *(f"UD_{one}-ud-{split}.conllu" for split in ("train", "dev", "test")
                                     for one in ("English-EWT/en_ewt", "Old_French-ALTM/fro_altm")))  # fmt: skip
    golds = gold_files(release)
    assert [(one.code, one.path.name, one.language) for one in golds] == [
        ("en_ewt", "en_ewt-ud-test.conllu", "English"),
        ("fro_altm", "fro_altm-ud-test.conllu", "Old French"),
    ]
    assert [one.path.name for one in gold_files(release, "dev")] == ["en_ewt-ud-dev.conllu", "fro_altm-ud-dev.conllu"]
    outputs = make(tmp_path / "o", "UD_English-EWT/en_ewt-ud-test.conllu", "fro_altm.conllu")
    assert found(outputs, release) == {
        "s": {"en_ewt": "UD_English-EWT/en_ewt-ud-test.conllu", "fro_altm": "fro_altm.conllu"}
    }


def test_the_only_split_is_taken(tmp_path):
    assert [one.code for one in gold_files(make(tmp_path, "en-ud-dev.conllu", "de.conllu"))] == ["de", "en"]


def test_runs(tmp_path):
    gold = make(tmp_path / "gold", "en.conllu", "fr.conllu")
    system = make(tmp_path / "alpha", "seed1/en.conllu", "seed1/fr.conllu", "seed2/en.conllu", "logs/run.txt")
    assert found(system, gold) == {
        "s/seed1": {"en": "seed1/en.conllu", "fr": "seed1/fr.conllu"},
        "s/seed2": {"en": "seed2/en.conllu"},
    }


def test_runs_of_one_file(tmp_path):
    (gold,) = gold_files(make(tmp_path, "gold.conllu") / "gold.conllu")
    flat, deep = make(tmp_path / "a", "run-1.conllu", "run-2.conllu"), make(tmp_path / "b", "seed1/x.conllu")
    assert [run.label for run in runs_of_one_file("s", flat, gold)] == ["s/run-1", "s/run-2"]
    assert [run.outputs["gold"].name for run in runs_of_one_file("s", deep, gold)] == ["x.conllu"]


def test_systems_are_folders_or_one_folder_of_outputs(tmp_path):
    systems = make(tmp_path / "systems", "alpha/en.conllu", "beta/en.conllu")
    assert [*system_folders(systems)] == ["alpha", "beta"]
    assert [*system_folders(systems / "alpha")] == ["alpha"]


@pytest.mark.parametrize(
    ("names", "find", "words"),
    [
        (["en.conllu", "UD_French-GSD/fr_gsd-ud-test.conllu"], "gold", "folders of treebanks"),
        (["en-ud-train.conllu", "en-ud-dev.conllu"], "gold", "--split"),
        (["en.conllu", "seed1/en.conllu"], "outputs", "name a single run"),
    ],
)
def test_a_folder_that_fits_two_layouts_is_refused(tmp_path, names, find, words):
    folder = make(tmp_path / "folder", *names)
    gold = gold_files(make(tmp_path / "gold", "en.conllu"))
    with pytest.raises(InputError, match=words) as caught:
        gold_files(folder) if find == "gold" else run_files("s", folder, gold)
    assert caught.value.slug == "ambiguous-layout"


@pytest.mark.parametrize(
    ("gold", "outputs"),
    [
        ("en.conllu", ["en.conllu", "en.conllu.gz"]),
        ("en_a-ud-test.conllu", ["en_a.conllu", "en_a-ud-test.conllu"]),
        ("UD_English-A/en_a-ud-test.conllu", ["en_a.conllu", "UD_English-A/en_a-ud-test.conllu"]),
    ],
)
def test_two_outputs_for_one_test_set_are_ambiguous(tmp_path, gold, outputs):
    (one,) = gold_files(make(tmp_path / "gold", gold, "UD_English-A/readme.txt" if "/" in gold else "notes.txt"))
    (run,) = run_files("s", make(tmp_path / "o", *outputs), [one])
    fault = run.faults[one.code]
    assert (fault.slug, fault.place.file) == ("ambiguous-layout", str(tmp_path / "o"))
    assert fault.message == f"both {outputs[0]} and {outputs[1]} match the test set {one.code}: remove one of them"
    assert (run.outputs, run.ignored) == ({}, ())


def test_two_gold_files_of_one_name_are_refused(tmp_path):
    with pytest.raises(InputError, match="which have the same name en"):
        gold_files(make(tmp_path / "g", "en.conllu", "en-ud-test.conllu"))


def test_outputs_that_are_not_files_say_what_they_are(tmp_path):
    gold = gold_files(make(tmp_path / "gold", "en.conllu", "fr.conllu", "sv.conllu", "de.conllu"))
    folder = make(tmp_path / "o", "de.conllu")
    os.mkfifo(folder / "en.conllu")
    (folder / "fr.conllu").mkdir()
    (folder / "sv.conllu").symlink_to("nowhere")
    (run,) = run_files("s", folder, gold)
    assert {code: fault.message for code, fault in run.faults.items()} == {
        "en": "it is neither a file nor a folder", "fr": "it is a folder", "sv": "the link is broken"
    }  # fmt: skip
    assert [*run.outputs] == ["de"]


def test_a_folder_without_treebanks_names_folders_that_have_some(tmp_path):
    with pytest.raises(InputError, match="name one of the folders in it: r1, r2"):
        gold_files(make(tmp_path, "r1/en.conllu", "r2/en.conllu", "r3/notes.txt"))


def test_gold_that_is_not_a_regular_file_is_refused(tmp_path):
    folder = make(tmp_path / "gold", "en.conllu")
    (folder / "sv.conllu").symlink_to(tmp_path / "nowhere.conllu")
    with pytest.raises(InputError, match="the link is broken"):
        gold_files(folder)
    (folder / "sv.conllu").unlink()
    os.mkfifo(folder / "sv.conllu")
    with pytest.raises(InputError, match="neither a file nor a folder"):
        gold_files(folder)


def test_one_gold_file_is_paired_with_the_outputs_of_its_name(run):
    """Folders of systems hold outputs for other test sets, too."""
    code, out, _ = run("rank", PARALLEL / "gold/en.conllu", PARALLEL / "systems", "-m", "LAS", "--format", "json")
    outputs = rows_in(json.loads(out), "outputs", treebank="en")
    assert (code, [one["system"] for one in outputs]) == (0, ["alpha", "beta", "gamma"])
    folders = [PARALLEL / "systems" / name for name in ("alpha", "beta")]
    files = [folder / "en.conllu" for folder in folders]
    gold = PARALLEL / "gold/en.conllu"
    found = [run("compare", gold, *some, "-m", "LAS", "--format", "json")[1] for some in (folders, files)]
    values = [[one["value"] for one in json.loads(text)["tables"]["results"]] for text in found]
    assert values[0] == values[1]


def test_a_folder_of_runs_for_one_gold_file(run, tmp_path):
    for name in ("seed1", "seed2", "seed3"):
        (tmp_path / f"{name}.conllu").write_bytes((PARALLEL / "systems/alpha/en.conllu").read_bytes())
    pair = (PARALLEL / "gold/en.conllu", PARALLEL / "systems/beta/en.conllu")
    code, out, _ = run("compare", *pair, tmp_path, "-m", "LAS", "--format", "json")
    result = json.loads(out)["tables"]["results"][1]
    assert (code, result["n_runs"], result["n_baseline_runs"]) == (0, 3, 1)


def test_outputs_next_to_folders_of_systems_are_refused(run, tmp_path):
    (tmp_path / "alpha").mkdir()
    for folder in (tmp_path, tmp_path / "alpha"):
        (folder / "en.conllu").write_bytes((PARALLEL / "systems/alpha/en.conllu").read_bytes())
    code, out, err = run("rank", PARALLEL / "gold", tmp_path, "-m", "LAS")
    assert (code, out) == (2, "")
    assert "ambiguous-layout: the folder has both outputs (en.conllu) and folders of systems" in err


def test_profile_reads_the_treebanks_of_a_manifest_and_of_metadata(run, tmp_path):
    (tmp_path / "m.toml").write_text(
        f'[campaign]\ngold = "{PARALLEL / "gold"}"\nsystems = "{PARALLEL / "systems"}"\n', encoding="utf-8"
    )
    listed, folder = (run("profile", path, "--format", "json") for path in (tmp_path / "m.toml", PARALLEL / "gold"))
    assert listed[0] == folder[0] == 0
    assert json.loads(listed[1])["tables"] == json.loads(folder[1])["tables"]


def test_invalid_outputs_are_reported_next_to_invalid_gold(run, tmp_path):
    """Every reason at once, whatever comes first."""
    for folder in ("gold", "alpha"):
        (tmp_path / folder).mkdir()
    good = (PARALLEL / "gold/en.conllu").read_bytes()
    for path in ("gold/a.conllu", "gold/b.conllu", "alpha/a.conllu", "alpha/b.conllu"):
        (tmp_path / path).write_bytes(good)
    (tmp_path / "gold/a.conllu").write_text("1\tx\n\n", encoding="utf-8")
    (tmp_path / "alpha/b.conllu").write_text("1\ty\n\n", encoding="utf-8")
    code, _, err = run("compare", tmp_path / "gold", tmp_path / "alpha", "-m", "LAS")
    assert code == 2
    assert "gold/a.conllu:1:" in err
    assert "alpha/b.conllu:1:" in err
