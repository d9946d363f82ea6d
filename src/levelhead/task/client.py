"""The client of a shared task over HTTP, with only the standard library."""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, urlencode, urlsplit

from levelhead.errors import Fault, InputError, Place, quoted

_TRIES = 5
_SECONDS = 900  # a server accepts a few uploads at a time, and lets others wait
_MEGABYTE = 1 << 20
_LOCAL = {"localhost", "127.0.0.1", "::1"}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirects, so that a token is only sent to its server."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Client:
    """The connection of a team to the server of a task.

    Args:
        address: the address of the server, for example `https://task.example.org`.
        token: the token of the team.

    Raises:
        InputError: the address is invalid, or the token would be sent unencrypted.
    """

    def __init__(self, address: str, token: str) -> None:
        parts = urlsplit(address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise _failed(f"{address} is not a server address: it must start with https://")
        if parts.scheme == "http" and parts.hostname not in _LOCAL:
            raise _failed(f"{address} is not encrypted, so the token could be read by others: use https")
        if not token.isascii() or not token.isprintable() or not token:
            raise _failed("the token is invalid")
        self.top = address.rstrip("/") + "/api/v1"
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirects)

    def submit(self, archive: Path, kind: str, label: str = "") -> dict[str, Any]:
        """Upload an archive, or a folder, which is packed first; repeat the upload if the connection breaks."""
        with _packed(archive) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()  # which reads to the end: `tell` is the size
            headers = {
                "Content-Length": str(file.tell()),
                "Content-Type": "application/octet-stream",
                "Idempotency-Key": secrets.token_hex(16),  # if sent twice, it is accepted once
            }
            query = urlencode({"kind": kind, "label": label, "sha256": digest})
            task = self._response_of("GET", "/task")  # what the server would refuse after the upload
            megabytes = task["limits"]["upload_megabytes"]
            if file.tell() > megabytes * _MEGABYTE:
                raise _failed(f"the archive is larger than {megabytes} MB")
            if kind not in task["kinds"]:
                raise _failed(f"this task accepts only {' and '.join(task['kinds'])}")
            for attempt in range(1, _TRIES + 1):
                file.seek(0)
                try:
                    submission: dict[str, Any] = self._request("POST", f"/submissions?{query}", file, headers)
                except OSError as error:
                    if attempt == _TRIES:
                        raise _unreachable(error) from error
                    time.sleep(2**attempt)
                else:
                    return submission
        raise AssertionError

    def status(self, name: str) -> dict[str, Any]:
        """Return a submission with its results."""
        submission: dict[str, Any] = self._response_of("GET", f"/submissions/{quote(name, safe='')}")
        return submission

    def wait(self, name: str) -> dict[str, Any]:
        """Wait until a submission is finished."""
        pause = 0.2
        while (submission := self.status(name))["state"] in {"waiting", "running"}:
            time.sleep(pause)
            pause = min(10.0, 1.5 * pause)
        return submission

    def choose(self, name: str) -> None:
        """Make a submission the primary one."""
        self._response_of("PUT", f"/submissions/{quote(name, safe='')}/primary")

    def inputs(self) -> list[str]:
        """Return the names of the inputs, which are file names without folders."""
        try:
            names = [str(entry["name"]) for entry in self._response_of("GET", "/inputs")]
        except (KeyError, TypeError) as error:
            raise _failed("unexpected response: this is not a levelhead server") from error
        for name in names:
            if Path(name).name != name or name in {"", ".", ".."} or not name.isprintable():
                raise _failed(f"the server has an input with an invalid name: {quoted(name)}")
        return names

    def download(self, names: Sequence[str], folder: Path) -> None:
        """Write inputs into a folder; the server sends all of them in one archive."""
        folder.mkdir(parents=True, exist_ok=True)
        if not names:
            return
        data = io.BytesIO(self._response_of("GET", "/inputs.zip", raw=True))
        try:
            with zipfile.ZipFile(data) as archive:
                for name in names:
                    (folder / name).write_bytes(archive.read(name))
        except (zipfile.BadZipFile, zlib.error, KeyError, NotImplementedError) as error:
            raise _failed(f"the server sent an invalid archive of inputs: {error}") from error

    def _response_of(self, method: str, path: str, *, raw: bool = False) -> Any:
        try:
            return self._request(method, path, raw=raw)
        except OSError as error:
            raise _unreachable(error) from error

    def _request(
        self, method: str, path: str, body: IO[bytes] | None = None, headers: dict[str, str] | None = None, *,
        raw: bool = False,
    ) -> Any:  # fmt: skip
        request = urllib.request.Request(self.top + path, body, headers or {}, method=method)  # noqa: S310
        request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        try:
            with self._opener.open(request, timeout=_SECONDS) as answer:
                data = answer.read()
            return data if raw else json.loads(data)
        except urllib.error.HTTPError as error:
            with error:
                if error.code == 503:
                    raise _Busy(_error_message(error)) from error
                raise _failed(_error_message(error)) from error
        except ValueError as error:
            raise _failed("unexpected response: this is not a levelhead server") from error


class _Busy(OSError):
    """The server is busy: try again later."""


def _error_message(error: urllib.error.HTTPError) -> str:
    """Return the error message in a response."""
    if error.code == 401:
        return "unknown token"
    try:
        return str(json.loads(error.read(1 << 16))["error"])
    except (ValueError, KeyError, TypeError, OSError):
        return f"the server answers {error.code} {error.reason}"


@contextmanager
def _packed(archive: Path) -> Iterator[io.BufferedReader | io.BufferedRandom]:
    """Open an archive, or pack a folder; executable files stay executable."""
    try:
        if not archive.is_dir():
            with archive.open("rb") as file:
                yield file
            return
        with tempfile.TemporaryFile() as packed:
            with tarfile.open(fileobj=packed, mode="w:gz", dereference=True) as tar:
                for path in sorted(archive.iterdir()):
                    tar.add(path, path.name, filter=_without_owner)
            packed.seek(0)
            yield packed
    except FileNotFoundError as error:
        raise InputError(Fault("unreadable-file", error.strerror or str(error), Place(os.fspath(archive)))) from error


def _without_owner(info: tarfile.TarInfo) -> tarfile.TarInfo:
    """Remove the owner of a file."""
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info


def _unreachable(error: Exception) -> InputError:
    reason = getattr(error, "reason", error)
    return _failed(f"the server cannot be reached: {getattr(reason, 'strerror', None) or reason}")


def _failed(message: str) -> InputError:
    return InputError(Fault("refused-submission", message))
