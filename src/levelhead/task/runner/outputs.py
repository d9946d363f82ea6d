"""Collection of submitted outputs, with reasons for outputs that cannot be scored."""

from __future__ import annotations

import shutil
from pathlib import Path

from levelhead.campaign.plan import TestSet
from levelhead.task.model.campaign import test_sets_of
from levelhead.task.model.description import MEGABYTE, OUTPUTS, SharedTask
from levelhead.treebank.input_bytes import SUFFIXES, read_bytes
from levelhead.treebank.layouts import bare_name

_MAGIC = (b"\x1f\x8b", b"\xfd7zXZ\x00", b"BZh", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")
_NOT_THERE = "no {} at the top of the archive"
_TOO_LARGE = "{} has {} bytes, far more than an output for this test set needs"
_NOT_WRITTEN = "the system wrote no {} to the output folder"


def contents_folder(folder: Path) -> Path:
    """Return the folder with the contents of an archive: its only folder, or otherwise its top.

    Files that macOS adds (`__MACOSX`, `.DS_Store`, `._NAME`) are ignored.
    """
    inside = [path for path in folder.iterdir() if not _of_macos(path.name)]
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def _of_macos(name: str) -> bool:
    return name in {"__MACOSX", ".DS_Store"} or name.startswith("._")


def collect_outputs(task: SharedTask, outputs: Path, kind: str) -> dict[str, str]:
    """Move outputs to the top of their folder, and remove all other files."""
    top, reasons = contents_folder(outputs), {}
    kept = outputs.with_name("kept")
    kept.mkdir()
    for test_set in test_sets_of(task):
        path, compressed = _output(top, test_set)
        if path is not None and _is_too_large(path.stat().st_size, task, test_set):
            reasons[test_set.code] = _TOO_LARGE.format(path.name, path.stat().st_size)
        elif path is not None:
            path.rename(kept / f"{test_set.code}.conllu")
        elif compressed is not None:
            reasons[test_set.code] = f"{compressed} is compressed: only the archive itself can be compressed"
        else:
            reasons[test_set.code] = (_NOT_THERE if kind == OUTPUTS else _NOT_WRITTEN).format(test_set.outputs[0])
    shutil.rmtree(outputs)
    kept.rename(outputs)
    return reasons


def _is_too_large(n_bytes: int, task: SharedTask, test_set: TestSet) -> bool:
    """Whether an output is too large, since the memory and time of scoring grow with its size.

    Only features, enhanced graphs and MISC make an output larger than gold, but not by an order of magnitude.
    """
    if n_bytes <= MEGABYTE:  # gold is not read
        return False
    gold = 0 if test_set.gold is None else len(read_bytes(test_set.gold))  # without the suffix of a compressed file
    return n_bytes > task.limits.times_gold * gold


def _output(top: Path, test_set: TestSet) -> tuple[Path | None, str | None]:
    """Return the output of a test set, or the name of a compressed file instead."""
    compressed = None
    for name in test_set.outputs:
        for path in (top / f"{bare_name(name)}{suffix}" for suffix in ("", *SUFFIXES)):
            if not path.is_file():
                continue
            if not _is_compressed(path):
                return path, None
            compressed = compressed or path.name
    return None, compressed


def _is_compressed(path: Path) -> bool:
    with path.open("rb") as file:
        return path.name.endswith(SUFFIXES) or file.read(8).startswith(_MAGIC)
