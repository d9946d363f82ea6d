"""The files of treebanks in folders."""

from __future__ import annotations

import os
import re
from pathlib import Path

from levelhead.errors import Fault, InputError, Place, printable
from levelhead.treebank.source import SUFFIXES


def treebanks_in(folder: Path) -> dict[str, Path]:
    """Return the CoNLL-U files of a folder by their names without suffixes, in alphabetical order.

    Args:
        folder: the folder; what is in its folders is not looked at.

    Raises:
        InputError: it cannot be read, or has two files of one name.
    """
    try:
        paths = sorted(path for path in folder.iterdir() if path.is_file())
    except OSError as error:
        raise InputError(Fault("unreadable-file", error.strerror or str(error), Place(os.fspath(folder)))) from error
    found: dict[str, Path] = {}
    for path in paths:
        name = treebank_name(path.name)
        if name is not None and name in found:
            message = f"the folder has both {printable(path.name)} and {printable(found[name].name)}"
            raise InputError(Fault("no-pairs", message, Place(os.fspath(folder))))
        if name is not None:
            found[name] = path
    return found


def treebank_name(file_name: str) -> str | None:
    """Return the name of a file without `.conllu` and suffixes of compression, None if it is no treebank by its name.

    Args:
        file_name: its name without folders.
    """
    for suffix in SUFFIXES:
        file_name = file_name.removesuffix(suffix)
    stem, _, suffix = file_name.rpartition(".")
    return stem if suffix.lower() in {"conllu", "conllx", "conll"} else None


def treebank_of(file: str) -> str:
    """Return the treebank that a file is of: its name without `-ud-train` and the like.

    Args:
        file: the name of a file without suffixes.
    """
    return re.sub(r"([-_.]ud)?[-_.](train|dev|test)$", "", file) or file
