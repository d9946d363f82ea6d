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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, urlencode, urlsplit

from levelhead.errors import Fault, InputError, Place, quoted, reason_of
from levelhead.tables.documents import SCHEMA

_TRIES = 5
_SECONDS = 900  # a server accepts a few uploads at a time, and lets others wait


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirects, so that a token is only sent to its server."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Client:
    """The connection of a team to the server of a task at an address such as `https://task.example.org`."""

    def __init__(self, address: str, token: str) -> None:
        parts = urlsplit(address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise _failed(f"{address} is not a server address: it must start with https://")
        if parts.scheme == "http" and parts.hostname not in {"localhost", "127.0.0.1", "::1"}:
            raise _failed(f"{address} is not encrypted, so the token could be read by others: use https")
        if not token.isascii() or not token.isprintable() or not token:
            raise _failed("the token is invalid")
        self.top = address.rstrip("/") + "/api/v1"
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirects)

    def submit(self, archive: Path, kind: str, label: str = "") -> dict[str, Any]:
        """Upload an archive, or pack and upload a folder; repeat the upload if the connection breaks."""
        with _packed(archive) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()  # which reads to the end: `tell` is the size
            headers = {
                "Content-Length": str(file.tell()),
                "Content-Type": "application/octet-stream",
                "Idempotency-Key": secrets.token_hex(16),  # if sent twice, it is accepted once
            }
            query = urlencode({"kind": kind, "label": label, "sha256": digest})
            task = self._response_of("GET", "/task")  # what the server would refuse after the upload
            if task["schema"] != SCHEMA:
                raise _failed("the server runs a version of levelhead with a different format: install that version")
            megabytes = task["limits"]["upload_megabytes"]
            if file.tell() > megabytes << 20:
                raise _failed(f"the archive is larger than {megabytes} MB")
            if kind not in task["kinds"]:
                raise _failed(f"this task accepts only {' and '.join(task['kinds'])}")
            submission: dict[str, Any] = self._response_of("POST", f"/submissions?{query}", file, headers)
        return submission

    def status(self, name: str) -> dict[str, Any]:
        submission: dict[str, Any] = self._response_of("GET", f"/submissions/{quote(name, safe='')}")
        return submission

    def wait(self, name: str) -> dict[str, Any]:
        pause = 0.2
        while (submission := self.status(name))["state"] in {"waiting", "running"}:
            time.sleep(pause)
            pause = min(10.0, 1.5 * pause)
        return submission

    def choose(self, name: str) -> None:
        self._response_of("PUT", f"/submissions/{quote(name, safe='')}/primary")

    def inputs(self) -> list[str]:
        try:
            names = [str(entry["name"]) for entry in self._response_of("GET", "/inputs")]
        except (KeyError, TypeError) as error:
            raise _failed("unexpected response: this is not a levelhead server") from error
        for name in names:
            if Path(name).name != name or name in {"", ".", ".."} or not name.isprintable():
                raise _failed(f"the server has an input with an invalid name: {quoted(name)}")
        return names

    def download(self, names: Sequence[str], folder: Path) -> None:
        """Download the inputs with these names into a folder, from one archive with all inputs."""
        folder.mkdir(parents=True, exist_ok=True)
        if not names:
            return
        try:
            with zipfile.ZipFile(io.BytesIO(self._response_of("GET", "/inputs.zip", raw=True))) as archive:
                for name in names:
                    (folder / name).write_bytes(archive.read(name))
        except (zipfile.BadZipFile, zlib.error, KeyError, NotImplementedError) as error:
            raise _failed(f"the server sent an invalid archive of inputs: {error}") from error

    def _response_of(
        self, method: str, path: str, body: IO[bytes] | None = None, headers: Mapping[str, str] | None = None, *,
        raw: bool = False,
    ) -> Any:  # fmt: skip
        """Return the JSON, or the bytes, of a response; an upload is repeated if the connection breaks."""
        for attempt in range(1 if body is None else _TRIES, 0, -1):
            if body is not None:
                body.seek(0)
            request = urllib.request.Request(self.top + path, body, dict(headers or {}), method=method)  # noqa: S310
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
            try:
                with self._opener.open(request, timeout=_SECONDS) as answer:
                    data = answer.read()
                return data if raw else json.loads(data)
            except ValueError as error:
                raise _failed("unexpected response: this is not a levelhead server") from error
            except OSError as error:
                reason = getattr(error, "reason", error)
                if isinstance(error, urllib.error.HTTPError):
                    reason = _error_message(error)
                    if error.code != 503:  # otherwise it is busy: try again later
                        raise _failed(reason) from error
                if attempt == 1:
                    reason = getattr(reason, "strerror", None) or reason
                    raise _failed(f"the server cannot be reached: {reason}") from error
                time.sleep(2 ** (_TRIES + 1 - attempt))
        raise AssertionError


def _error_message(error: urllib.error.HTTPError) -> str:
    with error:
        if error.code == 401:
            return "unknown token"
        try:
            return str(json.loads(error.read(1 << 16))["error"])
        except (ValueError, KeyError, TypeError, OSError):
            return f"the server answers {error.code} {error.reason}"


@contextmanager
def _packed(archive: Path) -> Iterator[io.BufferedReader | io.BufferedRandom]:
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
        raise InputError(Fault("unreadable-file", reason_of(error), Place(os.fspath(archive)))) from error


def _without_owner(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid, info.gid, info.uname, info.gname = 0, 0, "", ""
    return info


def _failed(message: str) -> InputError:
    return InputError(Fault("refused-submission", message))
