"""Files of UD releases: found by their names on this machine or on the web, and listed."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path
from typing import ClassVar, NamedTuple

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, Place, quoted, unknown
from levelhead.immutable import immutable
from levelhead.tables.data import Layout
from levelhead.tables.documents import path_text
from levelhead.tables.table import Cell, Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank.input_bytes import DEFAULT_LIMITS, parts_of, parts_of_bytes
from levelhead.treebank.provenance import Provenance
from levelhead.treebank.releases.index import ReleasedFile, digest_of, index

ADDRESS = "https://raw.githubusercontent.com/UniversalDependencies/{repository}/{tag}/{file}"
"""Where files are downloaded, unless LEVELHEAD_UD_ADDRESS is another address or a folder with these placeholders."""

_NAME = re.compile(
    r"(?P<code>[\w*?\[\]]+)(-(?P<part>\*|(test|dev|train)[\w*?-]*))?(@(?P<release>\d+\.\d+)(-(?P<last>\d+\.\d+))?)?"
)
_PATTERN = re.compile(r"[*?\[]")
_TIMEOUT, _CHUNK = 60.0, 1 << 16


class WantedFile(NamedTuple):
    """A file of a release that was named."""

    file: ReleasedFile
    release: str

    def __str__(self) -> str:
        return f"{self.file.name}@{self.release}"

    @property
    def file_name(self) -> str:
        return self.file.names[self.release]

    def address(self, file: str | None = None) -> str:
        """Return the web address of this file, or of another `file` in the same repository."""
        address = os.environ.get("LEVELHEAD_UD_ADDRESS") or ADDRESS
        tag = "r2.0-test" if (self.release, self.file.part) == ("2.0", "test") else f"r{self.release}"
        names = {
            "repository": self.file.repository,
            "tag": tag,
            "release": self.release,
            "file": file or self.file_name,
        }
        for name, text in names.items():
            address = address.replace(f"{{{name}}}", text)
        return address


def located(name: str, *, download: Callable[[str], None] | None = None) -> str:
    """Return the path of a file of a release by its name, of a folder for a pattern, or any other path unchanged."""
    if "@" not in name or _NAME.fullmatch(name) is None or os.path.lexists(name):
        return name
    paths = [located_file(wanted, download) for wanted in wanted_files(name)]
    return _folder_of(name, paths) if _PATTERN.search(name) else str(paths[0])


def wanted_files(name: str) -> list[WantedFile]:
    """Return the files that a name means: a single one, unless it is a pattern."""
    code, part, release, last = _parts_of(name)
    if release is None:
        raise _unknown(name, "to download it, add a release, as in en_ewt@2.2")
    files = sorted(index().files(code, part, release), key=lambda file: (file.code, file.part))
    if not _PATTERN.search(code + part):  # the names of the release precede today's names
        files = [file for file in files if file.names[release].startswith(f"{code}-ud-")] or files
    if not files:
        raise _unknown(name, _why_unknown(code, part))
    if last is not None and any(last not in file.names for file in files):
        raise _unknown(name, f"the file changed between {release} and {last}, so name a single release")
    return [WantedFile(file, release) for file in files]


def files_named(name: str) -> list[ReleasedFile]:
    """Return the files that a name means, without a release those of all releases, ordered by name and release."""
    code, part, release, _ = _parts_of(name)
    if release is not None:
        return [wanted.file for wanted in wanted_files(name)]
    order = index().releases.index
    files = sorted(index().files(code, part), key=lambda file: (file.name, order(next(iter(file.names)))))
    if not files:
        raise _unknown(name, _why_unknown(code, part))
    return files


def _parts_of(name: str) -> tuple[str, str, str | None, str | None]:
    """Return the code, the part, and the first and last release of a name."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise _unknown(name, "write CODE@RELEASE or CODE-SPLIT@RELEASE, such as en_ewt@2.2 or en_ewt-dev@2.2")
    for release in filter(None, (match["release"], match["last"])):
        if release not in index().releases:
            raise _unknown(name, unknown("UD release", release, index().releases))
    return match["code"], match["part"] or "test", match["release"], match["last"]


def _why_unknown(code: str, part: str) -> str:
    known = index()
    if _PATTERN.search(code + part):
        return "no file matches"
    files = list(known.files(code))
    if not files:
        return unknown("treebank", code, known.codes)
    releases = {release for file in files if file.part == part for release in file.names}
    if not releases:
        return unknown("split", part, sorted({file.part for file in files}))
    listed = ", ".join(release for release in known.releases if release in releases)
    return f"its {part} file is in the releases {listed}"


def _unknown(name: str, reason: str) -> InputError:
    return InputError(Fault("unknown-test-set", f"{quoted(name)} is neither a file nor a file of a release: {reason}"))


def located_file(wanted: WantedFile, download: Callable[[str], None] | None = None) -> Path:
    """Return the path of a file of a release on this machine, verified, or download it to the cache."""
    others = []
    for path in local_paths(wanted):
        if digest_of(partial(parts_of, path), is_blob=wanted.file.is_blob) == wanted.file.digest:
            return path
        others.append(path)
    if download is not None:
        return _downloaded(wanted, download)
    if others:
        message = f"this is not {wanted}: its contents differ from the released file; use another copy or --download"
        raise InputError(Fault("changed-test-set", message, Place(str(others[0]))))
    message = (
        f"{wanted} is not on this machine: run levelhead testsets get {wanted}, give --download, or set LEVELHEAD_UD"
        " to the folder of an unpacked release"
    )
    raise InputError(Fault("missing-test-set", message))


def local_paths(wanted: WantedFile) -> Iterator[Path]:
    """Yield the files with the name in the folders of LEVELHEAD_UD and in the cache, not verified."""
    from levelhead.treebank.layouts.gold import existing

    roots = filter(None, os.environ.get("LEVELHEAD_UD", "").split(os.pathsep))
    for root in (*map(Path, roots), cache_folder()):
        for release in _folders_of(root, wanted.release):
            for folder in (release, *release.glob("UD_*")):
                if (path := existing(folder, wanted.file_name)) is not None:
                    yield path


def _folders_of(root: Path, release: str) -> Iterator[Path]:
    """Yield a folder that can be one of a release: by its name, or a folder in it by the name of the release."""
    names = re.compile(rf"(.*[^\d.])?{re.escape(release)}(-test)?")
    if names.fullmatch(root.name) or not re.search(r"\d\.\d", root.name):
        yield root
    if root.is_dir():
        yield from sorted(path for path in root.iterdir() if path.is_dir() and names.fullmatch(path.name))


def cache_folder() -> Path:
    """Return the folder of downloaded files: LEVELHEAD_CACHE, or levelhead in the user's cache (XDG_CACHE_HOME)."""
    given = os.environ.get("LEVELHEAD_CACHE")
    return Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "levelhead"


def _downloaded(wanted: WantedFile, tell: Callable[[str], None]) -> Path:
    """Download a file to the cache, completely or not at all."""
    from levelhead.treebank.write import replace_file

    address = wanted.address()
    tell(f"downloading {wanted}: {address}")
    tell(f"read the license of the treebank before use: {wanted.address('LICENSE.txt')}")
    data = _fetched(address, str(wanted))
    if digest_of(partial(parts_of_bytes, data, address), is_blob=wanted.file.is_blob) != wanted.file.digest:
        message = f"the download is not {wanted}: its contents differ from the released file"
        raise InputError(Fault("changed-test-set", message, Place(address)))
    target = cache_folder() / wanted.release / wanted.file_name
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_file(target, [data])
    return target


def _fetched(address: str, what: str) -> bytes:
    from http.client import HTTPException
    from urllib.error import URLError
    from urllib.request import urlopen

    from levelhead.progress import counting

    url = address if "://" in address else Path(address).absolute().as_uri()
    data = bytearray()
    try:
        with ExitStack() as stack:
            response = stack.enter_context(urlopen(url, timeout=_TIMEOUT))  # noqa: S310 -- the user's own address
            size = int(response.headers.get("Content-Length") or 0)
            advance = stack.enter_context(counting(f"{what} (bytes)", size))
            while (part := response.read(_CHUNK)) and len(data) <= DEFAULT_LIMITS.size:
                data += part
                if advance is not None:
                    advance(len(part))
    except (OSError, ValueError, HTTPException) as error:
        reason = str(error.reason if type(error) is URLError else error)
        raise InputError(Fault("download-failed", reason, Place(address))) from error
    return bytes(data)


def _folder_of(name: str, paths: list[Path]) -> str:
    """Return a folder in the cache with links to the files that a pattern means."""
    targets = sorted(os.path.abspath(path) for path in paths)  # noqa: PTH100 -- with the names of links
    key = hashlib.sha256("\n".join(targets).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    folder = cache_folder() / "patterns" / key / name
    folder.mkdir(parents=True, exist_ok=True)
    for target in targets:
        with suppress(FileExistsError):
            (folder / Path(target).name).symlink_to(target)
    return os.fspath(folder)


class ReleasedFileRow(NamedTuple):
    """A file of one or more releases.

    Args:
        name: the treebank and split.
        releases: the releases in which the file is the same.
        sentences: the number of sentences; null if unknown.
        words: the number of words; null if unknown.
        sha256: the SHA-256 of the contents; null if only the hash of its git blob is known.
        path: where the file is on this machine; null unless it was requested.
    """

    name: str
    releases: str
    sentences: int | None
    words: int | None
    sha256: str | None
    path: str | None


@immutable
class TestSets(Tabular):
    """Files of UD releases.

    Args:
        versions: the files, sorted by name and release.
        paths: the path of each file on this machine; empty unless paths were requested.
    """

    KIND: ClassVar[str] = "testsets"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {"versions": (ReleasedFileRow,)}

    versions: tuple[ReleasedFile, ...]
    paths: tuple[str, ...] = ()

    @property
    def provenance(self) -> Provenance:
        """The provenance, which is only the version of levelhead."""
        return Provenance({"version": VERSION}, {})

    def _versions_rows(self) -> Iterator[ReleasedFileRow]:
        for n, file in enumerate(self.versions):
            digest = None if file.is_blob else file.digest.hex()
            path = path_text(self.paths[n]) if self.paths else None
            yield ReleasedFileRow(file.name, file.releases, file.sentences, file.words, digest, path)

    def table(self) -> Table:
        """Return a table in which each row summarizes a test set over its releases.

        If all files belong to a single test set, or if each test set has a single file, each row describes a file
        instead. The column Changes has the number of times that a test set has changed from one release to the next.
        """
        rows: list[tuple[Cell, ...]]
        if len({file.name for file in self.versions}) in {1, len(self.versions)}:
            names = ["Name", "Sentences", "Words", *(["Path"] if self.paths else [])]
            rows = [(f"{r.name}@{r.releases}", r.sentences, r.words, r.path) for r in self._versions_rows()]
        else:
            names = ["Name", "First", "Last", "Releases", "Changes", "Sentences", "Words"]
            rows = [_summary(name, list(files)) for name, files in groupby(self.versions, lambda file: file.name)]
        columns = (Column(name, "text" if name in {"Name", "First", "Last", "Path"} else "number") for name in names)
        return Table(tuple(columns), tuple(row[: len(names)] for row in rows))


def _summary(name: str, files: list[ReleasedFile]) -> tuple[Cell, ...]:
    order = index().releases
    releases, versions = zip(*sorted((order.index(each), n) for n, file in enumerate(files) for each in file.names))
    changes, last = sum(a != b for a, b in pairwise(versions)), files[versions[-1]]
    return name, order[releases[0]], order[releases[-1]], len(releases), changes, last.sentences, last.words
