"""Pairs of layouts in one folder: refused, or clearly one of them; and what is ignored is said."""

import json
from pathlib import Path

import pytest

from conftest import EXAMPLES
from levelhead.campaign import find_plan, read_manifest
from levelhead.campaign.plan import named_by_path
from levelhead.errors import InputError
from levelhead.treebank.layouts.gold import extra_gold, gold_files
from levelhead.treebank.layouts.outputs import run_files, runs_of_one_file, system_folders, system_name
from result_rows import rows_in

PARALLEL = EXAMPLES / "parallel"
ENGLISH = (PARALLEL / "gold/en.conllu").read_bytes()
METADATA = [{"ltcode": "en", "goldfile": "en.conllu", "outfile": "en.conllu", "psegmorfile": "en-udpipe.conllu"}]

GOLD = {
    "files": ["en.conllu", "fr.conllu"],
    "release": ["UD_English-A/en_a-ud-test.conllu", "UD_French-B/fr_b-ud-test.conllu"],
    "metadata": ["metadata.json", "en.conllu", "en-udpipe.conllu"],
}
OUTPUTS = {
    "files": ["en.conllu"],
    "release": ["UD_English-A/en-ud-test.conllu"],
    "tira": ["output/en.conllu"],
    "runs": ["seed1/en.conllu", "seed2/en.conllu"],
    "tira runs": ["run1/output/en.conllu", "run2/output/en.conllu"],
}


def make(folder: Path, *names: str) -> Path:
    """Write the same treebank under several names, and the metadata of TIRA."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(json.dumps(METADATA).encode() if name == "metadata.json" else ENGLISH)
    return folder


@pytest.mark.parametrize(
    ("layouts", "words"),
    [
        ("files release", "folders of treebanks .*: name one of the folders, or write a manifest"),
        (
            "metadata release",
            "the folder has metadata.json and folders of treebanks .*UD_English-A.*: move one of them",
        ),
        ("metadata files release", "the folder has metadata.json and folders of treebanks"),
    ],
)
@pytest.mark.parametrize("command", ["score", "compare", "rank", "breakdown", "confusion", "profile", "languages"])
def test_gold_that_fits_two_layouts_is_refused(run, tmp_path, layouts, words, command):
    gold = make(tmp_path / "gold", *(name for layout in layouts.split() for name in GOLD[layout]))
    with pytest.raises(InputError, match=words) as caught:
        gold_files(gold)
    assert caught.value.slug == "ambiguous-layout"
    systems = [] if command == "profile" else [PARALLEL / "systems"] if command == "rank" else [PARALLEL / "gold"]
    by = ["--by", "class"] if command == "breakdown" else []
    if command != "profile" or "metadata" in layouts:  # profile takes every treebank of a folder
        code, out, err = run(command, gold, *systems, *by)
        assert (code, out) == (2, "")
        assert "ambiguous-layout" in err


def test_metadata_may_name_the_files_of_a_release(tmp_path):
    gold = make(tmp_path / "gold", "UD_English-A/en_a-ud-test.conllu")
    entry = {"ltcode": "en", "goldfile": "UD_English-A/en_a-ud-test.conllu", "outfile": "en.conllu"}
    (gold / "metadata.json").write_text(json.dumps([entry]))
    assert [one.code for one in gold_files(gold)] == ["en"]
    assert extra_gold(gold) == ()


def test_extra_treebanks_in_gold_are_reported_in_one_line(run, tmp_path):
    files = make(tmp_path / "files", "en.conllu", "old/en.conllu", "logs/notes.txt", "notes.txt")
    assert [path.name for path in extra_gold(files)] == ["old"]
    tira = make(tmp_path / "tira", *GOLD["metadata"], "fr.conllu", "old/en.conllu")
    assert [path.name for path in extra_gold(tira)] == ["fr.conllu", "old"]
    assert extra_gold(make(tmp_path / "r", *GOLD["release"], "UD_French-B/fr_b-ud-train.conllu")) == ()
    outputs = make(tmp_path / "alpha", "en.conllu")
    for command in (("score",), ("compare",), ("rank",), ("breakdown", "--by", "class")):
        code, _, err = run(command[0], tira, outputs, "-m", "LAS", *command[1:])
        assert code == 0
        assert "warning: extra treebanks in GOLD (ignored): fr.conllu, old/\n" in err
    assert "(ignored): fr.conllu, old/\n" in run("profile", tira)[2]
    (tmp_path / "m.toml").write_text('[campaign]\ngold = "tira"\nsystems = "alpha"\n')
    assert "(ignored): fr.conllu, old/\n" in run("rank", "--manifest", tmp_path / "m.toml", "-m", "LAS")[2]


@pytest.mark.parametrize("layout", OUTPUTS)
def test_a_single_system_is_named_after_its_folder(run, tmp_path, layout):
    """Also in the layout of TIRA, whose outputs are in a folder of that name."""
    gold = make(tmp_path / "gold", "en.conllu" if layout != "release" else "UD_English-A/en-ud-test.conllu")
    system = make(tmp_path / "alpha", *OUTPUTS[layout])
    (system / "run.prototext").write_text("x")
    expected = {"alpha"} if "runs" not in layout else {"seed1", "seed2", "run1", "run2"}
    assert {*system_folders(system)} <= expected
    code, out, err = run("rank", gold, system, "-m", "LAS", "--format", "json")
    assert (code, err) == (0, "")
    outputs = rows_in(json.loads(out), "outputs")
    assert {output["system"] for output in outputs} in (expected, {*system_folders(system)})
    assert all(output["state"] == "valid" for output in outputs)
    code, out, err = run("compare", gold, system, "-m", "LAS", "--format", "json")
    assert (code, [one["system"] for one in json.loads(out)["tables"]["results"]]) == (0, ["alpha"])


@pytest.mark.parametrize("one", OUTPUTS)
@pytest.mark.parametrize("other", OUTPUTS)
def test_pairs_of_layouts_of_a_system(tmp_path, one, other):
    """Outputs and runs are ambiguous; two places for outputs are too, where both have one for a test set."""
    gold = gold_files(make(tmp_path / "gold", "UD_English-A/en-ud-test.conllu"))
    system = make(tmp_path / "alpha", *OUTPUTS[one], *OUTPUTS[other])
    if one == other:
        assert {tuple(run.outputs) for run in run_files("s", system, gold)} == {("en",)}
    elif ("runs" in one) != ("runs" in other):
        with pytest.raises(InputError, match="name a single run"):
            run_files("s", system, gold)
    elif "runs" in one:
        assert {tuple(run.outputs) for run in run_files("s", system, gold)} == {("en",)}
    else:
        (run,) = run_files("s", system, gold)
        assert (run.outputs, "remove one of them" in run.faults["en"].message) == ({}, True)


def test_a_folder_of_outputs_next_to_systems_is_refused(run, tmp_path):
    """Neither a system called `output`, nor a single system whose neighbors are ignored."""
    gold = make(tmp_path / "gold", "en.conllu")
    for other in ("beta/en.conllu", "beta/seed1/en.conllu", "beta/output/en.conllu", "beta/seed1/output/en.conllu"):
        systems = make(tmp_path / other.replace("/", "-"), "output/en.conllu", other)
        code, out, err = run("rank", gold, systems)
        assert (code, out) == (2, "")
        assert "the folder has both outputs (output/en.conllu) and folders of systems: move one of them" in err


def test_outputs_of_tira_are_found_for_one_gold_file(tmp_path):
    (gold,) = gold_files(make(tmp_path, "en.conllu") / "en.conllu")
    for names, labels in (
        (["output/en.conllu", "output/fr.conllu"], ["s"]),
        (["run1/output/en.conllu", "run2/output/en.conllu"], ["s/run1", "s/run2"]),
    ):
        system = make(tmp_path / str(len(labels)), *names)
        assert [run.label for run in runs_of_one_file("s", system, gold)] == labels


def test_extra_outputs_of_tira_are_reported(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # long paths would be cut off
    gold = make(Path("gold"), "en.conllu")
    system = make(Path("alpha"), "output/en.conllu", "output/de.conllu")
    for command in ("score", "compare", "rank"):
        code, _, err = run(command, gold, system, "-m", "LAS")
        assert code == 0
        assert err.startswith("warning: 1 file with no matching ")
        assert "de.conllu" in err


def test_names_of_folders_that_tira_calls_output(tmp_path):
    assert system_name(Path("a/output")) == "a"
    assert [system_name(Path(name)) for name in ("output", "a/outputs", "a")] == ["output", "outputs", "a"]
    assert [*named_by_path(["a/output", "b"])] == ["a", "b"]
    assert [*named_by_path(["x/a/output", "y/a/output"])] == ["x", "y"]
    gold = make(tmp_path / "gold", "en.conllu")
    make(tmp_path / "alpha", "output/en.conllu")
    make(tmp_path / "beta", "output/en.conllu")
    outputs = [tmp_path / "alpha/output", tmp_path / "beta"]
    assert [system.label for system in find_plan(gold, outputs).systems] == ["alpha", "beta"]
    assert [system.label for system in find_plan(gold, tmp_path / "alpha/output").systems] == ["alpha"]
    (tmp_path / "m.toml").write_text('[campaign]\ngold = "gold"\n[[system]]\nfolder = "alpha/output"\n')
    assert [system.label for system in read_manifest(tmp_path / "m.toml").campaign().systems] == ["alpha"]
