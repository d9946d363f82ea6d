"""The server and untrusted clients: no client gets access to data of others."""

import contextlib
import hashlib
import http.client
import json
import re
import socket
import sqlite3
from contextlib import closing
from urllib.parse import quote, urlencode, urlsplit

import pytest

from job_functions import wait_until
from levelhead.task.database import Database
from levelhead.task.description import TaskFolder
from levelhead.task.submissions import submissions
from naming import naming
from task.task_server import EXAMPLES, make_task, outputs, serving, tar, token
from task.task_site import LABEL, MEGABYTE, NO_SYSTEMS, Site, connect, head, in_process

GOLD = "".join(path.read_text() for path in sorted((EXAMPLES / "gold").iterdir()))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = make_task(
        tmp_path_factory.mktemp("site") / "task", task=NO_SYSTEMS, limits={"upload_megabytes": 1, "free_megabytes": 1,
        "submissions_a_day": 1000, "waiting": 1000},
    )  # fmt: skip
    with serving(folder) as server:
        yield Site(folder, server)
    assert "Traceback" not in (folder / "errors").read_text()


def has_gold(text):
    """Whether a text contains a line of a gold tree."""
    return any(line in text for line in GOLD.split("\n") if line.count("\t") == 9)


def test_whoever_has_no_token_sees_only_what_everybody_may(site):
    ask = site.server.ask
    assert ask("GET", "/task")[0] == ask("GET", "/leaderboard")[0] == 200
    for secret in ("", "x", "lvlh_" + "A" * 43, site.alpha[:-1], site.alpha + "x", "é".encode().decode("latin-1")):
        for path in ("/inputs", "/inputs/en.txt", "/inputs.zip", "/submissions", f"/submissions/{site.first['id']}"):
            assert ask("GET", path, secret) == (401, {"error": "Unauthorized"})
        assert ask("POST", "/submissions?kind=outputs", secret, b"x")[0] == 401
        assert ask("PUT", f"/submissions/{site.first['id']}/primary", secret)[0] == 401
    assert ask("GET", "/submissions", Authorization=f"Basic {site.alpha}")[0] == 401
    for path in ("/submissions", f"/submissions/{site.first['id']}", "/inputs/en.txt", "/inputs.zip"):
        for cookie in (None, "levelhead_session=x", f"levelhead_session={site.alpha}"):
            status, headers, _ = site.browse("GET", path, cookie=cookie)
            assert (status, headers["location"]) == (303, "/sign-in")
    assert site.browse("POST", "/sign-in", {"token": "wrong"})[0] == 403
    assert site.browse("POST", "/submissions", b"", Content_Type="multipart/form-data; boundary=x")[0] == 401


def test_submissions_of_others_are_not_there(site):
    cookie, form = site.sign_in(site.beta)
    name = site.first["id"]
    assert site.server.ask("GET", f"/submissions/{name}", site.alpha)[0] == 200
    for path in (f"/submissions/{name}", f"/submissions/{name}/log", "/submissions/1", f"/submissions/{name.upper()}"):
        assert site.server.ask("GET", path, site.beta) == (404, {"error": "Not Found"})
        assert site.browse("GET", path, cookie=cookie)[0] == 404
    assert site.server.ask("PUT", f"/submissions/{name}/primary", site.beta)[0] == 404
    assert site.browse("POST", f"/submissions/{name}/primary", {"form": form}, cookie)[0] == 404
    assert [one["id"] for one in site.server.ask("GET", "/submissions", site.beta)[1]] == [site.second["id"]]


TRAVERSALS = [
    "../gold/en.conllu", "..%2fgold%2fen.conllu", "%2e%2e/gold/en.conllu", "....//gold/en.conllu", "..%5cgold%5cen.conllu",
    "%2fetc%2fpasswd", "en.txt%00.conllu", "..;/gold/en.conllu", "%252e%252e%252fgold%252fen.conllu", "en.conllu", "..", ".",
    "../task.toml", "../state/task.sqlite", "\u2025/gold",
]  # fmt: skip


TO_A_PAGE = {("/treebanks/", "."), ("/submissions/", "."), ("/submissions/", ".."), ("/", "."), ("/", "..")}


@pytest.mark.parametrize("top", ["/inputs/", "/api/v1/inputs/", "/treebanks/", "/submissions/", "/", "/style.css/../"])
def test_no_path_leads_elsewhere(site, top):
    for name in TRAVERSALS:
        with naming(top, name):
            headers = {"Authorization": f"Bearer {site.alpha}", "Cookie": f"levelhead_session={site.alpha}"}
            connection = http.client.HTTPConnection(site.host, timeout=300)
            with contextlib.closing(connection):
                connection.request("GET", quote(top + name, safe="/%.;"), headers=headers)
                answer = connection.getresponse()
                text = answer.read().decode()
            assert not has_gold(text)
            assert "root:" not in text
            if (top, name) in TO_A_PAGE:
                assert answer.status in {303, 307, 404}
            else:
                assert answer.status in {303, 404}


def test_gold_is_nowhere_to_be_had(site):
    """Follow every link as a team and send every API request: no response contains a line of a gold tree."""
    cookie, _ = site.sign_in(site.alpha)
    seen, todo = set(), ["/", "/submissions", "/report", "/sign-in"]
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        _, _, text = site.browse("GET", path, cookie=cookie)
        assert not has_gold(text)
        todo += re.findall(r'href="(/[^"]*)"', text)
    assert {"/inputs/en.txt", "/treebanks/en", f"/submissions/{site.first['id']}"} <= seen
    for path in ("/task", "/leaderboard", "/inputs", "/submissions", f"/submissions/{site.first['id']}"):
        assert not has_gold(json.dumps(site.server.ask("GET", path, site.alpha)[1], ensure_ascii=False))


def test_reasons_quote_no_gold(site):
    """Outputs differ from gold in every way in which a reason could quote gold."""
    files = outputs("alpha")
    files["en.conllu"] = files["en.conllu"].replace(b"the\tthe", b"xxx\txxx", 1)
    files["cs.conllu"] = b"# text = no\n1\tno\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    files["de.conllu"] = files["de.conllu"][:300]
    files["fr.conllu"] = b""
    del files["fi.conllu"]
    _, found = site.server.submit(site.alpha, tar(files))
    document = site.server.wait(site.alpha, found["id"])
    states = {row["treebank"]: row["state"] for row in document["outputs"]}
    reasons = {row["treebank"]: row["reason"] for row in document["reasons"]}
    site.server.ask("PUT", f"/submissions/{site.first['id']}/primary", site.alpha)
    assert states["en"] == "invalid"
    assert ", first at character 1 of your output" in reasons["en"]
    assert states["fi"] == "missing"
    said = json.dumps([reasons[code] for code in ("en", "cs", "fr")], ensure_ascii=False)
    gold_words = {line.split("\t")[1] for line in GOLD.split("\n") if line.count("\t") == 9}
    quoted = set(re.findall(r"'([^']*)'", said))
    assert not quoted & gold_words
    bad = [row["value"] for row in document["scores"] if row["treebank"] in {"en", "cs", "de", "fr", "fi"}]
    assert len(bad) >= 5
    assert set(bad) == {0}


def test_text_of_people_is_text(site):
    cookie, _ = site.sign_in(site.beta)
    for path in (
        "/",
        "/submissions",
        f"/submissions/{site.second['id']}",
        "/treebanks/en",
        "/sign-in",
        "/nowhere<script>",
    ):
        _, headers, text = site.browse("GET", path, cookie=cookie)
        assert "<script" not in text
        assert "<img" not in text
        assert "<b>blind" not in text
        assert "<i>me" not in text
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers
    printed = site.browse("GET", f"/submissions/{site.second['id']}", cookie=cookie)[2]
    assert "&#34;&gt;&lt;img src=x onerror=alert(1)&gt;" in printed


def test_other_sites_cannot_post(site):
    cookie, form = site.sign_in(site.alpha)
    _, others = site.sign_in(site.beta)
    before = site.server.ask("GET", "/submissions", site.alpha)
    target = f"/submissions/{site.first['id']}/primary"
    hostile = [
        ({"form": form}, {"Origin": "https://evil.example"}), ({"form": form}, {"Origin": "null"}),
        ({"form": form}, {"Origin": f"http://{site.host}.evil.example"}), ({"form": form}, {"Sec_Fetch_Site": "cross-site"}),
        ({"form": form}, {"Sec_Fetch_Site": "same-site"}), ({"form": others}, {}), ({"form": "x"}, {}), ({}, {}),
    ]  # fmt: skip
    for body, headers in hostile:
        for path in (target, "/sign-out"):
            assert site.browse("POST", path, body, cookie, **headers)[0] == 403
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"}):
        assert site.browse("POST", "/sign-in", {"token": site.alpha}, **headers)[0] == 403
        assert upload_form(site, cookie, form, tar(outputs("beta")), **headers)[0] == 403
    assert upload_form(site, cookie, others, tar(outputs("beta")))[0] == 403
    assert upload_form(site, cookie, "", tar(outputs("beta")))[0] == 403
    assert site.server.ask("GET", "/submissions", site.alpha) == before
    assert site.browse("POST", target, {"form": form}, cookie, Origin=f"http://{site.host}")[0] == 303
    for method in ("GET", "HEAD"):
        assert site.browse(method, "/sign-out", cookie=cookie)[0] == 405
    assert site.browse("GET", "/submissions", cookie=cookie)[0] == 200


def upload_form(site, cookie, form, data, **headers):
    parts = [("form", form), ("kind", "outputs"), ("label", LABEL)]
    body = b"".join(f'--b\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n'.encode() for k, v in parts)
    body += (
        b'--b\r\nContent-Disposition: form-data; name="archive"; filename="../../x<b>"\r\n\r\n'
        + data
        + b"\r\n--b--\r\n"
    )
    return site.browse("POST", "/submissions", body, cookie, Content_Type="multipart/form-data; boundary=b", **headers)


def test_a_browser_submits_and_signs_out(site):
    cookie, form = site.sign_in(site.alpha)
    before = len(site.server.ask("GET", "/submissions", site.alpha)[1])
    assert upload_form(site, cookie, form, tar(outputs("beta")))[0] == 303
    found = site.server.ask("GET", "/submissions", site.alpha)[1]
    assert len(found) == before + 1
    assert found[-1]["label"] == LABEL
    status, _, text = upload_form(site, cookie, form, b"no archive")
    assert status == 400
    assert "archive refused" in text
    status, _, text = upload_form(site, cookie, form, bytes(2 * MEGABYTE))
    assert status == 413
    assert site.browse("POST", "/sign-out", {"form": form}, cookie)[0] == 303
    assert site.browse("GET", "/submissions", cookie=cookie)[0] == 303


def test_secrets_are_kept_as_hashes_and_printed_nowhere(site):
    cookie, form = site.sign_in(site.alpha)
    site.server.ask("GET", "/submissions", site.alpha + "wrong")
    secrets = [site.alpha, site.beta, cookie.partition("=")[2]]
    with Database(TaskFolder(site.folder).database) as database:  # folders of runs come and go until all have ended
        wait_until(lambda: all(one.state in {"finished", "failed"} for one in submissions(database)))
    kept = [path for path in (site.folder, *site.folder.rglob("*")) if path.is_file()]
    assert any(path.name == "task.sqlite" for path in kept)
    for path in kept:
        with contextlib.suppress(FileNotFoundError):  # an upload, or a journal of the database
            data = path.read_bytes()
            assert not any(secret.encode() in data for secret in secrets), path
    with closing(sqlite3.connect(TaskFolder(site.folder).database)) as database:
        rows = database.execute("SELECT token FROM teams").fetchall()
    assert {row[0] for row in rows} == {hashlib.sha256(one.encode()).hexdigest() for one in (site.alpha, site.beta)}
    assert site.alpha not in site.browse("GET", "/submissions", cookie=cookie)[2]
    assert form not in cookie


def test_cookies_are_not_for_scripts_or_other_sites(site, tmp_path):
    _, headers, _ = site.browse("POST", "/sign-in", {"token": site.alpha})
    flags = headers["set-cookie"].lower()
    assert "httponly" in flags
    assert "samesite=strict" in flags
    folder = make_task(tmp_path / "task", task={**NO_SYSTEMS, "address": "https://task.example.org"})
    with in_process(folder) as server:
        connection = http.client.HTTPConnection(urlsplit(server.address).netloc)
        body = urlencode({"token": token(folder, "a")})
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": "https://task.example.org"}
        connection.request("POST", "/sign-in", body, headers)
        answer = connection.getresponse()
        assert answer.status == 303
        assert "secure" in answer.headers["set-cookie"].lower()
        connection.close()


def test_a_new_token_ends_the_old_one_and_its_sessions(site):
    old = token(site.folder, "gamma")
    cookie, _ = site.sign_in(old)
    new = token(site.folder, "gamma")
    assert site.server.ask("GET", "/submissions", old)[0] == 401
    assert site.browse("GET", "/submissions", cookie=cookie)[0] == 303
    assert site.server.ask("GET", "/submissions", new)[0] == 200


def test_uploads_are_accepted_whole_or_refused(site):
    secret, good = token(site.folder, "delta"), tar(outputs("alpha"))
    digest = hashlib.sha256(good).hexdigest()
    submit = site.server.submit
    assert submit(secret, b"x" * (MEGABYTE + 1))[0] == 413
    assert site.server.ask("POST", f"/submissions?sha256={'0' * 64}", secret, good)[0] == 400
    assert submit(secret, tar({"../evil": b"x"}))[0] == 400
    assert submit(secret, good, kind="system")[0] == 400
    assert submit(secret, good, kind="x")[0] == 400
    assert submit(secret, good, Idempotency_Key="short")[0] == 400
    assert site.server.ask("GET", "/submissions", secret) == (200, [])
    refused = "SELECT actor, detail FROM audit WHERE action = 'refused' AND actor = 'team delta'"
    with closing(sqlite3.connect(TaskFolder(site.folder).database)) as database:
        (row,) = database.execute(refused)
    assert "'../evil' is not a relative path" in row[1]
    half_sent(site, secret, good)
    endless(site, secret)
    assert site.server.ask("GET", "/submissions", secret) == (200, [])
    assert list(TaskFolder(site.folder).incoming.iterdir()) == []
    status, found = site.server.ask("POST", f"/submissions?sha256={digest}", secret, good, Idempotency_Key="k" * 8)
    assert status == 201
    assert submit(secret, good, Idempotency_Key="k" * 8)[1]["id"] == found["id"]
    assert len(site.server.ask("GET", "/submissions", secret)[1]) == 1


def half_sent(site, secret, data):
    """Disconnect in the middle of an upload."""
    with connect(site) as connection:
        connection.sendall(head(site, secret, f"Content-Length: {len(data)}") + data[: len(data) // 2])
        wait_until(lambda: list(TaskFolder(site.folder).incoming.iterdir()))
    wait_until(lambda: not list(TaskFolder(site.folder).incoming.iterdir()))


def endless(site, secret):
    """Send an endless body without a length."""
    with connect(site) as connection:
        connection.sendall(head(site, secret, "Transfer-Encoding: chunked"))
        with contextlib.suppress(OSError):
            for _ in range(100):
                connection.sendall(b"10000\r\n" + bytes(0x10000) + b"\r\n")
            connection.sendall(b"0\r\n\r\n")
        assert b" 413 " in connection.recv(100)


def test_large_and_odd_requests_are_refused(site):
    secret = site.alpha
    assert (
        site.browse("POST", "/sign-in", b"token=" + b"x" * (1 << 17), Content_Type="application/x-www-form-urlencoded")[
            0
        ]
        == 413
    )
    many = "&".join(f"a{i}=1" for i in range(100))
    assert site.browse("POST", "/sign-in", many, Content_Type="application/x-www-form-urlencoded")[0] == 400
    assert site.browse("POST", "/sign-in", b"--", Content_Type="multipart/form-data; boundary=x")[0] in {400, 403}
    assert site.browse("POST", "/sign-in", b"token=\xff%ff%00")[0] in {400, 403}
    for method in ("DELETE", "PATCH", "TRACE", "PUT"):
        assert site.browse(method, "/submissions")[0] == 405
    odd = [
        b"\x16\x03\x01", b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"x: " + b"y" * 100_000 + b"\r\n\r\n", b"POST /sign-in HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        head(site, secret, "Content-Length: 1e3"), head(site, secret, "Content-Length: " + "9" * 30) + b"x",
    ]  # fmt: skip
    for data in odd:
        with connect(site) as connection:
            connection.settimeout(300)
            with contextlib.suppress(OSError):
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                answer = connection.recv(100)
                assert not answer or b" 4" in answer[:13], data[:50]
    assert site.server.ask("GET", "/task")[0] == 200


@pytest.mark.parametrize("order", [1, -1])
def test_a_request_with_two_lengths_is_refused_and_nothing_after_it_is_answered(site, order):
    """A proxy that uses the other length would see another end of the request."""
    lengths = "\r\n".join(["Content-Length: 5", "Transfer-Encoding: chunked"][::order])
    first = f"POST /sign-in HTTP/1.1\r\nHost: {site.host}\r\n{lengths}\r\n\r\n0\r\n\r\n"
    second = f"GET /api/v1/task HTTP/1.1\r\nHost: {site.host}\r\n\r\n"
    with connect(site) as connection:
        connection.settimeout(300)
        connection.sendall((first + second).encode())
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while part := connection.recv(10_000):
                answer += part
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1") == 1
    assert b"connection: close" in answer.lower()


def test_pages_say_times_inputs_and_which_submission_counts(site):
    """Readable times, links to the inputs, no empty table heads, and no empty tables."""
    assert '<a href="/inputs/en.txt">en.txt</a>' in site.browse("GET", "/")[2]
    cookie, _ = site.sign_in(site.beta)
    listed = site.browse("GET", "/submissions", cookie=cookie)[2]
    one = site.browse("GET", f"/submissions/{site.second['id']}", cookie=cookie)[2]
    kept = site.server.ask("GET", f"/submissions/{site.second['id']}", site.beta)[1]
    assert kept["primary"] is True
    assert [entry["primary"] for entry in site.server.ask("GET", "/submissions", site.beta)[1]] == [True]
    received = f"{kept['received'][:10]} {kept['received'][11:16]} UTC"
    for text in (listed, one):
        assert received in text
        assert kept["received"] not in text
        assert "the last with the most valid outputs" in text
        assert not re.search(r"<th[^>]*></th>", text)
    cookie, _ = site.sign_in(token(site.folder, "nothing yet"))
    empty = site.browse("GET", "/submissions", cookie=cookie)[2]
    assert "<table" not in empty
    assert '<a href="/inputs/en.txt">en.txt</a>' in empty
