"""The pages of a task on a phone, the archive of inputs, and the scores that a team sees."""

import io
import re
import urllib.error
import urllib.request
import zipfile

import pytest

from levelhead.cli.program import run
from levelhead.task.database import Database
from levelhead.task.description import TaskFolder
from task.task_server import make_task, outputs, serving, tar, token
from task.task_site import Site, in_process

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A served task, and the token of a team whose submission lacks an output."""
    folder = make_task(tmp_path_factory.mktemp("pages") / "task", task={"title": "Pages", "kinds": ["outputs"]})
    with serving(folder) as server:
        secret = token(folder, "A team with a name that is rather long for a phone")
        files = outputs("alpha")
        del files["tr.conllu"]
        found = server.submit(secret, tar(files))[1]
        server.wait(secret, found["id"])
        yield folder, server, secret, found["id"]
    assert "Traceback" not in (folder / "errors").read_text()


def downloaded(server, secret):
    """The status and the bytes of the archive of inputs."""
    request = urllib.request.Request(f"{server.address}/api/v1/inputs.zip")
    request.add_header("Authorization", f"Bearer {secret}")
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_all_inputs_in_one_archive(tmp_path, monkeypatch, capfd):
    """Two servers send the same bytes; a changed file is left out, and cannot be downloaded either."""
    folder = make_task(tmp_path / "task", task={"title": "t", "kinds": ["outputs"]})
    secret, blind = token(folder, "a"), folder / "blind"
    expected = {path.name: path.read_bytes() for path in blind.iterdir()}
    with serving(folder) as server:
        assert downloaded(server, "wrong")[0] == 401
        status, first = downloaded(server, secret)
        assert (status, downloaded(server, secret)[1]) == (200, first)
        with zipfile.ZipFile(io.BytesIO(first)) as archive:
            assert {name: archive.read(name) for name in archive.namelist()} == expected
        monkeypatch.setenv("LEVELHEAD_TOKEN", secret)
        assert run(["submit", server.address, "--inputs", str(tmp_path / "inputs")]) == 0
        assert {path.name: path.read_bytes() for path in (tmp_path / "inputs").iterdir()} == expected
        assert f"{len(expected)} inputs" in capfd.readouterr().err
    with serving(folder) as server:
        assert downloaded(server, secret)[1] == first
        (blind / "new.txt").write_text("not checked")
        (blind / "en.txt").write_text("changed")
        with zipfile.ZipFile(io.BytesIO(downloaded(server, secret)[1])) as archive:
            assert set(archive.namelist()) == set(expected) - {"en.txt"}
        for path in blind.iterdir():
            path.unlink()
        assert downloaded(server, secret)[0] == 404
    assert not list(folder.rglob("*.part"))


def test_an_input_that_changes_while_it_is_read_is_not_served(tmp_path):
    from levelhead.task.site import InputArchive
    from levelhead.task.submissions import Refused

    source = tmp_path / "a.txt"
    source.write_text("checked")
    answers = iter([{"a.txt": source}, {}])
    archive = InputArchive(tmp_path / "inputs.zip", lambda: next(answers))
    with pytest.raises(Refused, match="being changed"):
        archive.ready()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt"]


def test_a_team_sees_its_averages(served):
    _, server, secret, name = served
    one = server.ask("GET", f"/submissions/{name}", secret)[1]
    (average,) = (row for row in one["averages"] if (row["group"], row["measure"]) == ("all", "LAS"))
    values = [row["value"] for row in one["scores"] if row["measure"] == "LAS"]
    assert (len(values), values.count(0)) == (8, 1)
    assert average["value"] == pytest.approx(sum(values) / 8)
    assert average["low"] < average["value"] < average["high"]
    assert server.ask("GET", "/submissions", secret)[1][0]["averages"] == one["averages"]
    row = server.ask("GET", "/leaderboard")[1]["tables"]["standings"][0]
    assert [row["low"], row["high"]] == pytest.approx([average["low"], average["high"]])
    assert row["received"] == one["received"]


def test_submit_prints_the_average(tmp_path, monkeypatch, capfd):
    folder = make_task(tmp_path / "task", task={"title": "t", "kinds": ["outputs"]}, show={"own": "coarse"})
    (tmp_path / "alpha.tar.gz").write_bytes(tar(outputs("alpha")))
    monkeypatch.setenv("LEVELHEAD_TOKEN", token(folder, "a"))
    with serving(folder) as server:
        assert run(["submit", server.address, str(tmp_path / "alpha.tar.gz"), "--wait"]) == 0
    last = capfd.readouterr().out.strip().split("\n")[-1]
    assert re.split(r"\s*\|?\s+", last)[:2] == ["Average", "(all)"]
    assert set(re.findall(r"\d+\.\d+", last)) <= {f"{5 * n:.2f}" for n in range(21)}


def sign_in(page, server, secret):
    page.goto(f"{server.address}/sign-in")
    page.wait_for_function("document.activeElement.name === 'token'")  # a browser gives the focus a moment later
    page.keyboard.type(secret)
    page.keyboard.press("Enter")
    page.wait_for_url("**/submissions")


@pytest.mark.slow
def test_pages_on_a_phone(browser, served):
    """Nothing is wider than 400 px; state and reason come first; tables keep their roles as cards."""
    _, server, secret, name = served
    wrong = []
    context = browser.new_context(viewport={"width": 400, "height": 800}, color_scheme="dark")
    page = context.new_page()
    page.on("console", lambda said: wrong.append(said.text) if said.type in {"error", "warning"} else None)
    sign_in(page, server, secret)
    for path in ("/", "/submissions", f"/submissions/{name}", "/treebanks/en"):
        page.goto(server.address + path)
        assert page.evaluate(OVERFLOW) == 0, path
        assert page.locator("h1").count() == page.locator("main").count() == 1
        assert page.get_by_role("table").count() == page.locator("table").count()
        assert all(table.locator("caption").count() == 1 for table in page.locator("table").all())
    page.goto(f"{server.address}/submissions/{name}")
    assert page.locator("h1 + *").inner_text().startswith("Finished 20")
    assert "7 of 8 outputs are valid." in page.locator("main header").inner_text()
    assert page.locator("section[aria-labelledby=results] tbody th").first.inner_text() == "tr"
    assert page.get_by_role("rowheader", name="tr").count() == 1
    assert page.locator("time").first.get_attribute("datetime").endswith("Z")
    page.goto(server.address)
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.set_viewport_size({"width": 1400, "height": 900})
    assert page.evaluate(OVERFLOW) == 0
    with page.expect_download() as download:
        page.click("text=/Download all/")
    assert download.value.suggested_filename == "inputs.zip"
    context.close()
    assert wrong == []


def test_a_submission_without_an_output_says_so_and_does_not_replace_a_complete_one(served, capfd):
    folder, server, secret, name = served
    said = "finished, 7 of 8 outputs valid"
    site = Site.of(folder, server)
    cookie, _ = site.sign_in(secret)
    page = site.browse("GET", f"/submissions/{name}", cookie=cookie)[2]
    assert "7 of 8 outputs are valid." in page
    assert "Keep this as the primary submission" in page  # not "make", since it is
    assert said in site.browse("GET", "/submissions", cookie=cookie)[2]
    found = server.ask("GET", f"/submissions/{name}", secret)[1]
    assert (found["state"], found["n_valid"], found["n_outputs"], found["primary"]) == ("finished", 7, 8, True)
    assert run(["task", "status", str(folder), "--format", "markdown"]) == 0
    assert said in capfd.readouterr().out
    whole = server.submit(secret, tar(outputs("beta")))[1]["id"]
    server.wait(secret, whole)
    assert "A later one can replace it" in site.browse("GET", f"/submissions/{whole}", cookie=cookie)[2]
    again = server.submit(secret, tar({"en.conllu": outputs("alpha")["en.conllu"]}))[1]["id"]
    assert server.wait(secret, again)["primary"] is False
    assert "Make this the primary submission" in site.browse("GET", f"/submissions/{again}", cookie=cookie)[2]


def test_a_closed_task_shows_its_description_but_not_how_to_submit(tmp_path):
    text = "Parse <b>it</b>.\n\nRules: no\nother data."
    folder = make_task(tmp_path / "task", task={"title": "t", "kinds": ["outputs"], "description": text})
    secret = token(folder, "a")
    with in_process(folder) as server:
        site = Site.of(folder, server)
        cookie, _ = site.sign_in(secret)
        home = site.browse("GET", "/")[2]
        assert "<p>Parse &lt;b&gt;it&lt;/b&gt;.</p>\n<p>Rules: no other data.</p>" in home
        assert "Each team can submit outputs" in home
        assert "<button>Submit</button>" in site.browse("GET", "/submissions", cookie=cookie)[2]
        with Database(TaskFolder(folder).database) as database, database.transaction() as connection:
            connection.execute("INSERT INTO main.facts (name, value) VALUES ('closed', 'now')")
        home = site.browse("GET", "/")[2]
        assert "The task is closed." in home
        assert "can submit" not in home
        page = site.browse("GET", "/submissions", cookie=cookie)[2]
        assert "<button>Submit</button>" not in page
        assert "The task is closed." in page
        assert server.ask("GET", "/task")[1]["description"] == text
