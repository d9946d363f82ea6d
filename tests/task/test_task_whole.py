"""Whole tasks from init to export: with commands, on real outputs, and in a real browser."""

import contextlib
import hashlib
import io
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

import command_line
from levelhead.cli.program import run
from levelhead.task.database import Database
from levelhead.task.description import TaskFolder
from levelhead.task.folders import _folder_name, create_task
from levelhead.task.submissions import accept, claim, finish, new_token, team_of_token
from result_rows import rows_in
from task.task_server import EXAMPLES, FREE, make_task, outputs, serving, tar, token, upload

CODES = ("hsb_ufal", "hy_armtdp", "th_pud")
COPY = b'#!/bin/sh\nset -e\nfor file in "$1"/*.txt; do\n  cp "/system/$(basename "$file" .txt).conllu" "$2"\ndone\n'


def levelhead(*arguments, code=0):
    done = command_line.levelhead(*arguments)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def of_2018(data, system):
    folder = data / "conll18" / "systems" / system
    return {
        f"{code}.conllu": lzma.decompress((folder / f"{code}.conllu.xz").read_bytes())
        for code in CODES
        if (folder / f"{code}.conllu.xz").exists()
    }


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, contents in files.items():
            archive.writestr(f"outputs/{name}", contents)
    return buffer.getvalue()


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_task_with_four_teams_ends_in_the_table_of_rank(data, tmp_path, browser, monkeypatch):
    """Two real systems of 2018 as outputs, an invalid one, and one that runs in the sandbox."""
    gold, folder = tmp_path / "their-gold", tmp_path / "task"
    gold.mkdir()
    for code in CODES:
        shutil.copy(data / "conll18" / "gold" / f"{code}.conllu.xz", gold)
    levelhead("task", "init", folder, "--gold", gold, "--title", "Four teams")
    path = folder / "task.toml"
    text = (
        path.read_text()
        .replace('rules = "ud"', 'rules = "conll18"')
        .replace('ranking = "exact"', 'ranking = "conll18"')
    )
    path.write_text(text.replace('# user = "levelhead-run" ', f'user = "{sandbox_user()}" '))
    broken = of_2018(data, "ONLP-lab")
    broken["hsb_ufal.conllu"] = broken["hsb_ufal.conllu"].replace(b"\t1\t", b"\t99\t", 5)
    teams = {
        "HIT-SCIR-18": tar(of_2018(data, "HIT-SCIR-18")),
        "UDPipe-Future": zipped(of_2018(data, "UDPipe-Future")),
        "ONLP-lab": tar(broken, "w:xz"),
        "baseline (system)": tar({"run": COPY, **of_2018(data, "conll18-baseline")}),
    }
    with serving(folder) as server:
        inputs = tmp_path / "inputs"
        for name, archive in teams.items():
            (tmp_path / "archive").write_bytes(archive)
            secret = levelhead("task", "token", name, "--dir", folder).split("\t")[1].strip()
            monkeypatch.setenv("LEVELHEAD_TOKEN", secret)
            kind = "system" if "system" in name else "outputs"
            found = levelhead(
                "submit", server.address, tmp_path / "archive", "--kind", kind, "--label", "a try", "--wait",
                "--primary", "--inputs", inputs, "--format", "json",
            )  # fmt: skip
            found = json.loads(found)
            assert (found["state"], found["primary"], found["reason"]) == ("finished", True, None)
            states = {row["treebank"]: row["state"] for row in found["outputs"]}
            assert states == dict.fromkeys(CODES, "valid") | expected_states(name)
            assert all(row["value"] % 5 == 0 for row in found["scores"])  # coarse: the nearest 5 %
            assert found["scores"]
        assert {p.name for p in inputs.iterdir()} == {"metadata.json", *(f"{code}.txt" for code in CODES)}
        assert server.ask("GET", "/leaderboard")[1]["tables"]["standings"] == []  # hidden
        levelhead("task", "export", folder, "-o", tmp_path / "export.tar.gz", code=2)
        closed = levelhead("task", "close", folder)
        assert server.submit(secret, teams["HIT-SCIR-18"])[0] == 403
        shown = server.ask("GET", "/leaderboard")[1]
        seen = in_the_browser(browser, server.address)
    levelhead("task", "export", folder, "-o", tmp_path / "export.tar.gz")
    with tarfile.open(tmp_path / "export.tar.gz") as archive:
        archive.extractall(tmp_path / "export", filter="data")
    again = levelhead(
        "rank", gold, tmp_path / "export" / "systems", "--rules", "conll18", "--ranking", "conll18", "--format", "json"
    )
    final = json.loads((tmp_path / "export" / "final" / "ranking.json").read_text())
    assert rows_in(json.loads(again), "standings") == rows_in(final, "standings")
    ranked = [[row["system"] for row in rows_in(one, "standings", measure="LAS")] for one in (shown, final)]
    assert ranked == [[row[1] for row in seen]] * 2
    first = next(line for line in closed.splitlines() if line.split("|")[0].strip() == "1")  # heads may be wrapped
    assert first.split("|")[1].strip() == "HIT-SCIR-18"
    official(data, final)
    whole_export(tmp_path / "export", gold)


def in_the_browser(browser, address):
    """The rows of the leaderboard in a browser, equal on the first page and in the report."""
    page = browser.new_page()
    page.goto(address)
    rows = [row.inner_text().split("\t") for row in page.locator("tbody").first.locator("tr").all()]
    page.click("text='Report'")
    report = [row.inner_text().split("\t") for row in page.locator("#leaderboard tbody").first.locator("tr").all()]
    assert [(row[0], row[1], row[2]) for row in rows] == [(row[0], row[1], row[2]) for row in report]
    page.close()
    return rows


def sandbox_user():
    from task.task_server import SANDBOX_USER

    return SANDBOX_USER


def expected_states(name):
    return {"hsb_ufal": "invalid", "th_pud": "missing"} if name == "ONLP-lab" else {}


def official(data, final):
    """The numbers of the official scorer, for unchanged systems."""
    lines = (data / "conll18" / "official" / "official_scores_share.tsv").read_text().splitlines()
    names = lines[0].split("\t")
    rows = [dict(zip(names, line.split("\t"))) for line in lines[1:]]
    las = {(row["system"], row["treebank"]): float(row["LAS_F1"]) for row in rows if row["status"] == "OK"}
    for one in rows_in(final, "standings", measure="LAS"):
        name = {"baseline (system)": "conll18-baseline"}.get(one["system"], one["system"])
        if name != "ONLP-lab":
            mean = sum(float(f"{100 * las[name, code]:.2f}") for code in CODES) / len(CODES)
            assert abs(one["value"] - mean) < 0.0051


def whole_export(folder, gold):
    """The export is complete with correct hashes, and without gold, tokens and uploads."""
    sums = dict(reversed(line.split("  ", 1)) for line in (folder / "SHA256SUMS").read_text().splitlines())
    files = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    del files["SHA256SUMS"]
    assert sums == {name: hashlib.sha256(contents).hexdigest() for name, contents in files.items()}
    tops = {name.partition("/")[0] for name in files}
    assert tops == {"task.toml", "final", "blind", "systems", "submissions", "audit.tsv"}
    assert "submissions/baseline (system)/1/log" in files
    one = json.loads(files["submissions/HIT-SCIR-18/1/submission.json"])
    assert one["signature"]["rules"] == "conll18"
    actions = [line.split(b"\t")[2] for line in files["audit.tsv"].splitlines()]
    assert actions.count(b"accepted") == actions.count(b"finished") == actions.count(b"chosen as primary") == 4
    assert actions[-1] == b"closed"
    trees = {
        line
        for path in gold.iterdir()
        for line in lzma.decompress(path.read_bytes()).split(b"\n")
        if line.count(b"\t") == 9
    }
    others = [contents for name, contents in files.items() if not name.startswith(("systems/", "submissions/"))]
    assert not any(line in trees for contents in others for line in contents.split(b"\n"))
    assert b"lvlh_" not in b"".join(files.values())


def organizer(*arguments, code=0):
    """Run the command line in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert run(list(map(os.fspath, arguments))) == code, err.getvalue()
    assert code != 2 or err.getvalue()
    out.flush()
    return out.buffer.getvalue().decode()


def test_the_organizer_sees_everything_and_is_told_what_is_wrong(tmp_path, monkeypatch):
    folder = make_task(tmp_path / "task", task={"title": "t", "kinds": ["outputs"]}, show={"own": "hidden"})
    for arguments in [("rank", folder), ("init", folder), ("token", "a\nb", "--dir", folder), ("serve", tmp_path)]:
        organizer("task", *arguments, code=2)
    name, secret = organizer("task", "token", "alpha", "--dir", folder).strip().split("\t")
    assert name == "alpha"
    organizer("task", "token", "alpha", "--dir", folder, code=2)  # the token stays valid
    archive = tmp_path / "outputs"
    shutil.copytree(EXAMPLES / "systems" / "alpha", archive)
    with serving(folder) as server:
        (tmp_path / "token").write_text(f"{secret}\n")
        organizer("submit", server.address, archive, "--wait", "--token-file", tmp_path / "token")
        organizer("submit", server.address, archive, code=2)
        monkeypatch.setenv("LEVELHEAD_TOKEN", secret)
        for arguments in [
            (server.address, archive, "--kind", "system"), (server.address, tmp_path / "nothing"), (server.address,),
            ("http://example.org", archive), ("ftp://x", archive), ("nonsense", archive),
        ]:  # fmt: skip
            organizer("submit", *arguments, code=2)
        monkeypatch.setenv("LEVELHEAD_TOKEN", "wrong")
        organizer("submit", server.address, archive, code=2)
    status = organizer("task", "status", folder)
    assert "alpha" in status
    assert "finished" in status
    measures = [part for name in ("LAS", "MLAS", "BLEX", "CLAS") for part in ("-m", name)]
    expected = organizer("rank", EXAMPLES / "gold", EXAMPLES / "systems", "--system", "alpha", *measures)
    assert organizer("task", "rank", folder) == expected
    organizer("task", "retry", "--dir", folder)
    organizer("task", "close", folder)
    organizer("task", "close", folder)  # again, for example with another rule of ranking
    organizer("task", "retry", "--dir", folder, code=2)
    organizer("task", "export", folder, "-o", tmp_path / "export.tar.gz", "--with-gold")
    with tarfile.open(tmp_path / "export.tar.gz") as archive:
        assert "gold/en.conllu" in archive.getnames()


def test_a_task_whose_inputs_have_gold_trees_is_not_served(tmp_path):
    folder = make_task(tmp_path / "task", task={"title": "t", "kinds": ["outputs"]})
    shutil.copy(EXAMPLES / "gold" / "en.conllu", folder / "blind" / "notes")
    command = [sys.executable, "-m", "levelhead", "task", "serve", str(folder), "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 2
    assert "column 7 contains the trees of gold treebank 'en'" in done.stderr


def test_the_raw_text_is_that_of_gold_and_no_more(tmp_path):
    folder = TaskFolder(make_task(tmp_path / "task"))
    for path in sorted((EXAMPLES / "gold").iterdir()):
        texts = [
            line.removeprefix("# text = ") for line in path.read_text().split("\n") if line.startswith("# text = ")
        ]
        raw = (folder.blind / f"{path.stem}.txt").read_text()
        assert "".join(raw.split()) == "".join("".join(texts).split())
        assert "\t" not in raw
    assert oct(folder.gold.stat().st_mode & 0o777) == "0o700"
    assert all(oct(path.stat().st_mode & 0o777) == "0o600" for path in folder.gold.iterdir())
    assert "gold" not in (folder.blind / "metadata.json").read_text()


def test_final_rankings_quote_no_gold_and_names_of_teams_are_names_of_folders(tmp_path):
    odd = ["..", ".", ".a", "%2Ea", "a/b", "a%2Fb", "a\\b", "a%5Cb", "a%252Fb"]
    assert len({_folder_name(name) for name in odd}) == len(odd)
    assert not any(
        _folder_name(name).startswith(".") or "/" in _folder_name(name) or "\\" in _folder_name(name) for name in odd
    )
    folder = TaskFolder(make_task(tmp_path / "task", task={"title": "t", "kinds": ["outputs"]}))
    with Database(folder.database) as database:
        for name in ("..", "a/b", "-ä ö"):
            team = team_of_token(database, new_token(database, name))
            found = accept(database, folder, team, upload(folder), FREE)
            output = shutil.copytree(EXAMPLES / "systems" / "alpha", folder.runs / found.id / "output")
            if name == "a/b":  # its text differs from gold's in a word, which rank quotes
                text = (output / "en.conllu").read_text().replace("\tbuy\tbuy\t", "\txxx\txxx\t", 1)
                (output / "en.conllu").write_text(text)
            claim(database, "outputs")
            finish(database, found.id, run=found.id, document={})
        new_token(database, "=HYPERLINK(1)")
    quoted = re.compile(r"text-mismatch: gold[^\n]*'buy")
    assert quoted.search(organizer("task", "rank", folder.path))
    assert not quoted.search(organizer("task", "close", folder.path))
    for path in folder.final.iterdir():
        text = path.read_text()
        assert not quoted.search(text)
        assert "differs from the input, first at character" in text or path.name == "ranking.tsv"
    organizer("task", "export", folder.path, "-o", tmp_path / "export.tar.gz")
    with tarfile.open(tmp_path / "export.tar.gz") as archive:
        archive.extractall(tmp_path / "out", filter="data")
    assert {path.name for path in (tmp_path / "out" / "systems").iterdir()} == {"%2E.", "a%2Fb", "-ä ö"}
    assert "\ttoken made\t\t'=HYPERLINK(1)\n" in (tmp_path / "out" / "audit.tsv").read_text()  # no formula


@pytest.mark.slow
def test_in_a_real_browser(browser, tmp_path):
    """A team signs in, submits, and chooses; scripts in names do not run; nothing is loaded from other sites."""
    folder = make_task(tmp_path / "task", task={"title": "Parsing <b>blind</b>", "kinds": ["outputs"]})
    secret = token(folder, "<script>document.title='owned'</script>")
    (tmp_path / "alpha.tar.gz").write_bytes(tar(outputs("alpha")))
    asked, wrong = [], []
    with serving(folder) as server:
        page = browser.new_context().new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda said: wrong.append(said.text) if said.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(server.address)
        page.click("text=Sign in")
        page.fill("input[name=token]", secret)
        page.click("main button")
        page.fill("input[name=label]", '"><img src=x onerror="document.title=1">')
        page.set_input_files("input[type=file]", tmp_path / "alpha.tar.gz")
        page.click("text=Submit")
        while page.locator("tbody .state").inner_text() != "finished":
            page.reload()
        page.click("tbody a")
        assert "86.82" in page.inner_text("main")
        page.click("text=Keep this as the primary submission")
        assert "This is your primary submission" in page.inner_text("main")
        page.goto(f"{server.address}/treebanks/en")
        assert "<script>document.title='owned'</script>" in page.inner_text("main")
        assert page.title() == "en · Parsing <b>blind</b>"
        levelhead("task", "close", folder)
        page.goto(server.address)
        assert "88.93" in page.inner_text("main")
        page.click("text='Report'")
        page.wait_for_load_state()
        assert "88.93" in page.inner_text("body")
        page.select_option("select", "MLAS")  # its script runs, though it is from a task's server
        assert "79.82" in page.inner_text("#leaderboard")
        page.goto(server.address)
        page.click("text=Sign out")
        page.goto(f"{server.address}/submissions")
        assert page.url.endswith("/sign-in")
    assert all(url.startswith(server.address) for url in asked)
    assert wrong == []


def contents(folder):
    """The bytes of all files of a folder, by name."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("verb", ["status", "rank", "export"])
@pytest.mark.parametrize(
    "target", ["task.toml", "gold/en.conllu", "blind/en.txt", "blind/new", "state/task.sqlite", "link/new"]
)
def test_no_output_goes_over_what_the_task_is_made_of(tmp_path, capfd, verb, target):
    folder = make_task(tmp_path / "task")
    (folder / "link").symlink_to(folder / "gold")
    before = contents(folder)
    with contextlib.chdir(folder):
        assert run(["task", verb, str(folder), "-o", target]) == 2
    assert "belongs to the task" in capfd.readouterr().err
    assert contents(folder) == before


def test_gold_that_is_elsewhere_is_not_written_over(tmp_path, capfd):
    folder, gold = make_task(tmp_path / "task"), tmp_path / "elsewhere"
    shutil.copytree(EXAMPLES / "gold", gold)
    description = folder / "task.toml"
    description.write_text(description.read_text().replace('gold = "gold"', f'gold = "{gold}"'))
    before = contents(gold)
    assert run(["task", "status", str(folder), "-o", str(gold / "en.conllu")]) == 2
    assert "is an input file" in capfd.readouterr().err
    assert contents(gold) == before


def test_what_init_refuses_it_leaves_as_it_was(tmp_path, capfd):
    """With an invalid gold file, or gold as an input, no folder is left, and in particular no gold."""
    gold = shutil.copytree(EXAMPLES / "gold", tmp_path / "gold")
    new, empty, full = tmp_path / "above" / "task", tmp_path / "empty", tmp_path / "full"
    empty.mkdir()
    full.mkdir()
    (full / "mine").write_text("x")
    for folder in (new, empty):  # gold as inputs is what check_inputs refuses, at the very end
        assert run(["task", "init", str(folder), "--gold", str(gold), "--inputs", str(gold)]) == 2
        assert "contains the trees of gold treebank" in capfd.readouterr().err
    (gold / "tr.conllu").write_text("1\tonly\n\n")
    for folder in (new, empty):
        assert run(["task", "init", str(folder), "--gold", str(gold)]) == 2
    assert not new.parent.exists()
    assert list(empty.iterdir()) == []
    capfd.readouterr()
    for folder, why in ((full, "already exists"), (full / "mine", "mine is not a folder")):
        assert run(["task", "init", str(folder), "--gold", str(EXAMPLES / "gold")]) == 2
        assert why in capfd.readouterr().err
    assert contents(tmp_path / "full") == {next(full.iterdir()).relative_to(full): b"x"}
    create_task(empty, EXAMPLES / "gold")
    assert (empty / "task.toml").is_file()


@pytest.mark.parametrize("lost", ["all", "database", "contents"])
def test_a_database_that_is_lost_is_not_made_anew(tmp_path, capfd, lost):
    folder = TaskFolder(make_task(tmp_path / "task", task={"title": "t", "kinds": ["outputs"]}))
    if lost == "all":
        shutil.rmtree(folder.state)
    elif lost == "database":
        folder.database.unlink()
    else:
        folder.database.write_bytes(b"")
    before = contents(folder.path)
    for arguments in [
        ("status", folder.path), ("rank", folder.path), ("close", folder.path), ("token", "x", "--dir", folder.path),
        ("export", folder.path, "-o", tmp_path / "export"), ("retry", "--dir", folder.path),
        ("serve", folder.path, "--port", "0"),
    ]:  # fmt: skip
        assert run(["task", *map(str, arguments)]) == 2
        said = capfd.readouterr().err
        assert "restore state/ from a backup" in said
        assert "Traceback" not in said
    assert contents(folder.path) == before
