"""Folders of pages or figures, written completely or not at all; files of other programs are never overwritten."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from levelhead._version import VERSION
from levelhead.errors import OutputError, Place
from levelhead.progress import tracked
from levelhead.treebank.write import check_folder, output_errors

MARKER = "levelhead-report.json"  # the file that marks a folder of pages or figures and lists its files
LONGEST_NAME = 60

_KIND = "levelhead report"


def check_report_folder(path: str | os.PathLike[str]) -> None:
    """Check that a folder is new, empty, or a report or figures of levelhead, without creating anything."""
    with output_errors(path):
        target = Path(os.fspath(path)).resolve()
        if target.exists():
            if not target.is_dir():
                raise OutputError("it is a file: name a folder", "output", Place(os.fspath(path)))
            of_report: set[str] = set()
            with contextlib.suppress(OSError, ValueError):
                marker: Any = json.loads((target / MARKER).read_bytes())
                if isinstance(marker, dict) and marker.get("kind") == _KIND and isinstance(marker.get("files"), list):
                    of_report = {MARKER, *(text for text in marker["files"] if isinstance(text, str))}
            tops = {name.partition("/")[0] for name in of_report}
            foreign = sorted({entry.name for entry in target.iterdir()} - tops)
            if not foreign:  # otherwise do not search the folder, which might be a whole disk
                files = (entry for entry in target.rglob("*") if entry.is_symlink() or not entry.is_dir())
                foreign = sorted({file.relative_to(target).as_posix() for file in files} - of_report)
            if foreign:
                first = f"{foreign[0]} and {len(foreign) - 1} more" if len(foreign) > 1 else foreign[0]
                message = f"the folder has files that are not from an older report or figures ({first})"
                message += ": name another folder"
                raise OutputError(message, "output", Place(os.fspath(path)))
    check_folder(path, replaced=True)


def refuse_inside(folder: str | os.PathLike[str], path: str | os.PathLike[str]) -> None:
    """Refuse another result in a folder of figures, which is replaced whole."""
    target, result = Path(os.fspath(folder)).resolve(), Path(os.fspath(path)).resolve()
    if target in {result, *result.parents}:
        message = "the folder of figures is replaced whole: write other results to another folder"
        raise OutputError(message, "output", Place(os.fspath(path)))


def write_report_folder(path: str | os.PathLike[str], files: Mapping[str, Callable[[], bytes]]) -> None:
    """Write pages, charts and tables to a temporary folder first, which then replaces the folder."""
    check_report_folder(path)
    with output_errors(path):
        target = Path(os.fspath(path)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=f".{target.name[:LONGEST_NAME]}.", dir=target.parent))
        try:
            made = stage / "new"
            made.mkdir()
            with tracked(list(files.items()), "writing") as items:
                for name, make in items:
                    (made / name).parent.mkdir(exist_ok=True)
                    (made / name).write_bytes(make())
            marker = {"kind": _KIND, "version": VERSION, "files": sorted(files)}
            (made / MARKER).write_text(json.dumps(marker, indent=1) + "\n", encoding="utf-8")
            old = stage / "old"
            if target.exists():
                target.rename(old)
            try:
                made.rename(target)
            except OSError:
                if old.exists():
                    old.rename(target)
                raise
        finally:
            shutil.rmtree(stage, ignore_errors=True)
