"""The engine: every command gets the same counts from it, whoever works, in every layout."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.analysis.word_properties import PropertySettings as Buckets
from levelhead.campaign import check_valid, find_plan, score_plan
from levelhead.cli.program import run as run_command
from levelhead.comparison import compare
from levelhead.comparison.breakdowns import break_down_outputs
from levelhead.comparison.evaluations import score_and_look
from levelhead.errors import InputError
from levelhead.evaluation import pair
from levelhead.evaluation.setup import setup_of
from levelhead.jobs import Store, processes
from levelhead.treebank.relations import NIVRE_FANG
from result_rows import rows_in

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA, BETA = PARALLEL / "gold", PARALLEL / "systems/alpha", PARALLEL / "systems/beta"
SETUP = setup_of(["LAS", "CLAS", "LAS@CORE"])


def run(capfd: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run_command(list(map(str, arguments)))
    out, err = capfd.readouterr()
    return code, out, err


def count_sentences(_: str, outputs: object) -> int:
    """Look at outputs: workers import this."""
    return len(outputs[0].matches.gold)


def test_results_do_not_depend_on_workers_stores_or_looks(tmp_path):
    plan = find_plan(GOLD, [ALPHA, BETA])
    alone = score_plan(plan, SETUP, by_sentence=True)
    with Store(tmp_path / "store") as store:
        looked = score_plan(plan, SETUP, by_sentence=True, store=store, look=count_sentences)
        kept = len(store)
        from_store = score_plan(plan, SETUP, by_sentence=True, store=store, workers=processes(2))
        assert len(store) == kept == 16
    assert looked.looked == dict.fromkeys((one.code for one in plan.test_sets), 20)
    for other in (looked, from_store):
        assert repr(other._replace(looked={})) == repr(alone)


def test_score_compare_and_rank_count_the_same(capfd):
    _, scored, _ = run(capfd, "score", GOLD, ALPHA, "-m", "LAS,CLAS", "--format", "json")
    _, compared, _ = run(capfd, "compare", GOLD, ALPHA, BETA, "-m", "LAS,CLAS", "--format", "json")
    _, ranked, _ = run(capfd, "rank", GOLD, PARALLEL / "systems", "-m", "LAS,CLAS", "--format", "json")
    values = {(row["treebank"], row["measure"]): row["f1"] for row in json.loads(scored)["tables"]["scores"]}
    results = [
        one for one in json.loads(compared)["tables"]["results"] if one["system"] == "alpha" and not one["average"]
    ]
    assert {(one["treebank"], one["measure"]): one["value"] for one in results} == pytest.approx(values)
    own = rows_in(json.loads(ranked), "scores", system="alpha")
    found = {(row["treebank"], row["measure"]): row["f1"] for row in own}
    assert found == pytest.approx(values)


@pytest.mark.parametrize(
    "command",
    ["score gold systems/alpha", "compare gold systems/alpha systems/beta", "languages gold systems/alpha systems/beta",
     "rank gold systems --significance"],
)  # fmt: skip
@pytest.mark.usefixtures("few")
def test_jobs_and_stores_change_nothing(capfd, tmp_path, command):
    """Neither what is printed nor the page."""
    report, store = tmp_path / "page.html", tmp_path / "store"
    page = [] if command.startswith("languages") else ["--report", report]
    found = []
    for more in (["-j", 1], ["-j", 2, "--store", store], ["--store", store]):
        printed = run(capfd, *command.split(), "-m", "LAS", "--format", "json", *page, *more)
        found.append((printed, report.read_bytes() if page else b""))
    assert found[1:] == found[:1] * 2


@pytest.mark.parametrize("systems", [[ALPHA], [ALPHA, BETA]], ids=len)
def test_jobs_and_stores_change_nothing_of_a_single_test_set(capfd, tmp_path, systems):
    files = [folder / "en.conllu" for folder in (GOLD, *systems)]
    arguments = ("score" if len(systems) == 1 else "compare", *files, "-m", "LAS", "--format", "json")
    assert run(capfd, *arguments, "-j", 2, "--store", tmp_path / "own") == run(capfd, *arguments)


def release(folder: Path, gold: Path) -> Path:
    """Copy treebanks into the layout of a UD release."""
    for code, language in (("en", "English"), ("fi", "Finnish")):
        place = folder / f"UD_{language}-X"
        place.mkdir(parents=True)
        for split in ("dev", "test"):
            shutil.copy(gold / f"{code}.conllu", place / f"{code}_x-ud-{split}.conllu")
    return folder


def test_a_ud_release_is_scored_compared_and_ranked(capfd, tmp_path):
    gold, alpha = release(tmp_path / "gold", GOLD), release(tmp_path / "systems/alpha", ALPHA)
    expected, *_ = score_and_look(find_plan(GOLD, [ALPHA]), setup_of(["LAS"]))
    found, *_ = score_and_look(find_plan(gold, [alpha]), setup_of(["LAS"]))
    assert {code: one["LAS"].f1 for code, one in found.items()} == {
        f"{code}_x": expected[code]["LAS"].f1 for code in ("en", "fi")
    }
    assert run(capfd, "compare", gold, alpha, release(tmp_path / "beta", BETA), "--split", "dev")[0] == 0
    code, out, _ = run(capfd, "rank", gold, tmp_path / "systems", "-m", "LAS", "--format", "jsonl", "--table", "scores")
    assert code == 0
    assert {json.loads(line)["treebank"] for line in out.splitlines()} == {"en_x", "fi_x"}


def test_a_manifest_lists_the_test_sets_of_every_command(capfd, tmp_path):
    manifest = tmp_path / "task.toml"
    manifest.write_text(f'[campaign]\ngold = "{GOLD}"\n[[treebank]]\ncode = "fi"\n[[treebank]]\ncode = "en"\n')
    for command in ("score", "compare"):
        code, out, _ = run(capfd, command, manifest, ALPHA, "-m", "LAS", "--format", "json")
        assert code == 0
        assert "fi" in out
        assert '"cs"' not in out


def test_runs_are_compared_and_ranked_and_one_is_scored(capfd, tmp_path):
    system = tmp_path / "systems/gamma"
    for number, source in enumerate((ALPHA, BETA), 1):
        shutil.copytree(source, system / f"seed{number}")
    code, _, err = run(capfd, "score", GOLD, system)
    assert code == 2
    assert "ambiguous-layout" in err
    assert "give one" in err
    (las,) = [
        one
        for one in compare(find_plan(GOLD, [ALPHA, system]), setup_of(["LAS"])).results
        if (one.average, one.system) == ("macro", "gamma")
    ]
    assert las.spread is not None
    code, out, _ = run(capfd, "rank", GOLD, tmp_path / "systems", "-m", "LAS", "--format", "jsonl")
    assert code == 0
    assert {json.loads(line)["system"] for line in out.splitlines()} == {"seed1", "seed2"} or "gamma/seed1" in out


def test_all_reasons_are_given_where_an_output_is_invalid():
    plan = find_plan(GOLD, [PARALLEL / "systems/gamma"])
    with pytest.raises(InputError) as caught:
        check_valid(score_plan(plan, SETUP))
    assert [(fault.slug, fault.place.line) for fault in caught.value.faults] == [("cycle", 49), ("several-roots", 108)]
    assert {Path(fault.place.file).name for fault in caught.value.faults} == {"tr.conllu"}


def test_rank_counts_ambiguous_outputs_as_0_with_the_reason(capfd, tmp_path):
    gold, systems = tmp_path / "gold", tmp_path / "systems"
    for folder, source in ((gold, GOLD), (systems / "alpha", ALPHA)):
        folder.mkdir(parents=True)
        for code in ("en", "fi"):
            shutil.copy(source / f"{code}.conllu", folder / f"{code}-ud-test.conllu")
    shutil.copy(ALPHA / "en.conllu", systems / "alpha/en.conllu")
    for command in ("score", "compare"):
        code, _, err = run(capfd, command, gold, systems / "alpha")
        assert (code, "both en.conllu and en-ud-test.conllu match the test set en" in err) == (2, True)
        assert "fi-ud" not in err
    code, out, _ = run(capfd, "rank", gold, systems, "-m", "LAS", "--format", "json")
    found = {row["treebank"]: row for row in rows_in(json.loads(out), "outputs")}
    assert (code, found["en"]["state"], found["fi"]["state"]) == (0, "missing", "valid")
    (reason,) = rows_in(json.loads(out), "reasons")
    assert (reason["system"], reason["treebank"]) == ("alpha", "en")
    assert "ambiguous-layout" in reason["reason"]


def test_all_missing_files_of_weights_are_reported(tmp_path):
    (tmp_path / "en").write_text("case 0.5\n")
    setup = setup_of([f"WeightedLAS({tmp_path}/{{treebank}})"])
    with pytest.raises(InputError) as caught:
        score_plan(find_plan(GOLD, [ALPHA]), setup)
    codes = [Path(fault.place.file).name for fault in caught.value.faults]
    assert codes == ["ar", "cs", "de", "fi", "fr", "ja", "tr"]


@pytest.mark.parametrize(
    ("source", "command"),
    [
        ("<(gzip -c {gold})", "compare -j 2"),
        ("<(cat {gold})", "breakdown --by relation"),
        ("- < {gold}", "compare --level 0.9"),
    ],
)
def test_gold_from_a_pipe_is_compared(capfd, source, command):
    gold, *systems = (folder / "en.conllu" for folder in (GOLD, ALPHA, BETA))
    more = [*systems, "-m", "LAS", "--format", "json"]
    name, _, standard_input = source.format(gold=gold).partition(" < ")
    line = f"{sys.executable} -m levelhead {command} {name} {' '.join(map(str, more))}"
    line += f" < {standard_input}" if standard_input else ""
    found = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True).stdout
    named = re.sub(r'(?<=["\s])(-|6[0-9])(?=[":])', "en", found)  # the test set is called as its file
    assert named == run(capfd, *command.replace(" -j 2", "").split(), gold, *more)[1]


def test_gains_take_treebanks_in_memory_and_read_gold_once(monkeypatch):
    paths = {"alpha": ALPHA / "en.conllu", "beta": BETA / "en.conllu"}
    how = setup_of(["LAS"]), [["upos"]], Buckets(NIVRE_FANG)
    expected = break_down_outputs(find_plan(GOLD / "en.conllu", paths), *how)
    treebanks = {name: levelhead.read(path) for name, path in paths.items()}
    found = break_down_outputs(find_plan(levelhead.read(GOLD / "en.conllu"), treebanks), *how)
    assert found.treebanks["treebank"] == expected.treebanks["en"]
    assert found.gains["treebank"] == expected.gains["en"]
    read: list[object] = []
    monkeypatch.setattr(pair, "read_bytes", lambda path: read.append(path) or Path(path).read_bytes())
    break_down_outputs(find_plan(GOLD / "en.conllu", paths), *how)
    assert read == [GOLD / "en.conllu", *paths.values()]


def test_treebanks_in_memory_and_mappings_take_the_same_path():
    golds = {code: levelhead.read(GOLD / f"{code}.conllu") for code in ("en", "fi")}
    outputs = {code: levelhead.read(ALPHA / f"{code}.conllu") for code in golds}
    paths = {code: BETA / f"{code}.conllu" for code in golds}
    results = compare(find_plan(golds, {"alpha": outputs, "beta": paths}), SETUP).results
    gold_paths = {code: GOLD / f"{code}.conllu" for code in golds}
    assert compare(find_plan(gold_paths, {"alpha": ALPHA, "beta": BETA}), SETUP).results == results
    (folders,) = {len(find_plan(GOLD, {"alpha": ALPHA}).test_sets)}
    assert folders == 8
    changed = golds["en"].replace(heads=list(golds["en"].heads))
    found = score_plan(find_plan(changed, {"alpha": outputs["en"]}), SETUP).results["alpha", "treebank"]
    expected = levelhead.score(changed, outputs["en"], measures=SETUP.measures)
    assert {name: one.correct for name, one in found.scores.items()} == {n: one.correct for n, one in expected.items()}
