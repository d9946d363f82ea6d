"""A task served over HTTP, and its clients."""

import contextlib
import http.client
import re
import socket
import threading
import time
from urllib.parse import urlencode, urlsplit

from levelhead.task.database import Database
from levelhead.task.description import TaskFolder
from task.task_server import Server, outputs, tar, task_of, token

XSS = "<script>alert(1)</script>"
LABEL = '"><img src=x onerror=alert(1)>'
MEGABYTE = 1 << 20
NO_SYSTEMS = {"title": "Parsing <b>blind</b>", "contact": "<i>me</i>", "kinds": ["outputs"]}


class Site:
    """A task that is served, with two teams; one has a submission."""

    @classmethod
    def of(cls, folder, server: Server):
        """Return a site without teams."""
        site = cls.__new__(cls)
        site.folder, site.server, site.host = folder, server, urlsplit(server.address).netloc
        return site

    def __init__(self, folder, server: Server) -> None:
        self.folder, self.server = folder, server
        self.host = urlsplit(server.address).netloc
        self.alpha, self.beta = token(folder, "alpha"), token(folder, XSS)
        status, found = server.submit(self.alpha, tar(outputs("alpha")))
        assert status == 201
        self.first = server.wait(self.alpha, found["id"])
        label = urlencode({"kind": "outputs", "label": LABEL})
        self.second = server.ask("POST", f"/submissions?{label}", self.beta, tar(outputs("beta")))[1]
        server.wait(self.beta, self.second["id"])

    def browse(self, method, path, body=None, cookie=None, **headers):
        """Send a request as a browser would; return the status, the headers and the text of the response."""
        connection = http.client.HTTPConnection(self.host, timeout=300)
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        if cookie:
            names["Cookie"] = cookie
        if isinstance(body, dict):
            body = urlencode(body)
            names["Content-Type"] = "application/x-www-form-urlencoded"
        with contextlib.closing(connection):
            connection.request(method, path, body, names)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode(errors="replace")  # inputs.zip is no text

    def sign_in(self, secret):
        """Return a session's cookie and the secret of its forms."""
        status, headers, _ = self.browse("POST", "/sign-in", {"token": secret})
        assert status == 303
        cookie = headers["set-cookie"].partition(";")[0]
        page = self.browse("GET", "/submissions", cookie=cookie)[2]
        return cookie, re.search(r'name="form" value="([^"]+)"', page)[1]


def head(site, secret, *more):
    lines = ["POST /api/v1/submissions?kind=outputs HTTP/1.1", f"Host: {site.host}", f"Authorization: Bearer {secret}"]
    return "\r\n".join([*lines, *more, "", ""]).encode()


def connect(site):
    name, _, port = site.host.partition(":")
    return socket.create_connection((name, int(port)), 300)


@contextlib.contextmanager
def in_process(folder):
    """Serve a task in a thread, without a runner, so that its time limits can be shortened."""
    from levelhead.task.app import _Server, task_app

    with Database(TaskFolder(folder).database) as database:
        server = _Server(task_app(task_of(folder), database), "127.0.0.1", 0)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
                time.sleep(0.01)
            port = server.servers[0].sockets[0].getsockname()[1]
            yield Server(None, f"http://127.0.0.1:{port}")
        finally:
            server.should_exit = True
            thread.join()
