"""A folder of pages that link to each other, written completely or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from levelhead._version import VERSION
from levelhead.errors import OutputError, Place
from levelhead.progress import tracked
from levelhead.treebank.write import check_folder, output_errors

MARKER = "levelhead-report.json"
"""The file that marks a folder as a report and lists its files."""

INDEX = "index.html"
"""The start page."""

_KIND = "levelhead report"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 60
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether a report is written to a folder: an existing folder, or a name that ends in a slash."""
    name = os.fspath(path)
    return name.endswith(("/", os.sep)) or Path(name).is_dir()


def no_folder(*, partial: bool, from_scores: bool) -> str | None:
    """Return why a ranking cannot be reported to a folder; None if it can."""
    if partial:
        return "partial scores cannot be reported to a folder: give an HTML file as the report"
    if from_scores:
        return "a table of scores cannot be reported to a folder: give an HTML file as the report"
    return None


def file_names(names: Iterable[str]) -> Mapping[str, str]:
    """Return a unique file name for each name, which is valid on all operating systems and in URLs.

    ASCII letters, digits, periods, hyphens and underscores are kept. If other characters are replaced, or if names
    differ only in case, part of a hash makes the file names unique.
    """
    found: dict[str, str] = {}
    taken = {MARKER, INDEX}
    for name in dict.fromkeys(names):
        safe = _UNSAFE.sub("-", name)[:_LONGEST].strip("-.")
        safe = f"_{safe}" if _RESERVED.fullmatch(safe) else safe
        if safe != name or not safe or safe.lower() in taken:
            digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            safe = f"{safe}-{digest}" if safe else digest
        taken.add(safe.lower())
        found[name] = safe
    return found


def check_report_folder(path: str | os.PathLike[str]) -> None:
    """Check that a report can be written to a folder, without creating anything."""
    with output_errors(path):
        target = Path(os.fspath(path)).resolve()
        if target.exists():
            if not target.is_dir():
                raise OutputError("it is a file: name a folder", "output", Place(os.fspath(path)))
            _check_contents(target, path)
        check_folder(target.parent)


def _check_contents(folder: Path, path: str | os.PathLike[str]) -> None:
    """Raise an error if a folder has files that are not part of an older report."""
    own = _own_files(folder)
    known = {name.partition("/")[0] for name in own}
    entries = list(folder.iterdir())
    foreign = sorted(entry.name for entry in entries if entry.name not in known)
    if not foreign:  # otherwise do not search the folder, which might be a whole disk
        below = (one for entry in entries for one in (entry, *entry.rglob("*")))
        files = {one.relative_to(folder).as_posix() for one in below if one.is_symlink() or not one.is_dir()}
        foreign = sorted(files - own)
    if foreign:
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        message = f"the folder has files that are not part of an older report ({foreign[0]}{more}): name another folder"
        raise OutputError(message, "output", Place(os.fspath(path)))


def _own_files(folder: Path) -> set[str]:
    """The files of the report in a folder; none if it is not a report."""
    try:
        found: Any = json.loads((folder / MARKER).read_bytes())
    except (OSError, ValueError):
        return set()
    if not isinstance(found, dict) or found.get("kind") != _KIND or not isinstance(found.get("files"), list):
        return set()
    return {MARKER, *(text for text in found["files"] if isinstance(text, str))}


def write_report_folder(path: str | os.PathLike[str], pages: Mapping[str, Callable[[], bytes]]) -> None:
    """Write pages to a folder: completely to a temporary folder first, which then replaces the folder."""
    check_report_folder(path)
    with output_errors(path):
        target = Path(os.fspath(path)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=f".{target.name[:_LONGEST]}.", dir=target.parent))
        try:
            made = stage / "new"
            made.mkdir()
            with tracked(list(pages.items()), "writing") as items:
                for name, make in items:
                    (made / name).parent.mkdir(exist_ok=True)
                    (made / name).write_bytes(make())
            own = {"kind": _KIND, "version": VERSION, "files": sorted(pages)}
            (made / MARKER).write_text(json.dumps(own, indent=1) + "\n", encoding="utf-8")
            _exchange(made, target, stage / "old")
        finally:
            shutil.rmtree(stage, ignore_errors=True)


def _exchange(made: Path, target: Path, old: Path) -> None:
    """Replace a folder by another; if that fails, restore it."""
    if target.exists():
        target.rename(old)
    try:
        made.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
