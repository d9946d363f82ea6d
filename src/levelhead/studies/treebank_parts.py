"""Finds the parts of treebanks (train, dev, test) in folders, and the outputs of parsers for them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from levelhead.campaign.languages import languages
from levelhead.errors import Fault, InputError, Place
from levelhead.studies.request import StudyRequest
from levelhead.treebank import Treebank, read
from levelhead.treebank.input_bytes import SUFFIXES
from levelhead.treebank.layouts import gold_files, stem_of, system_folders, treebanks_in
from levelhead.treebank.reader import Format

_PART = re.compile(r"(?P<code>.+?)([-_.]ud)?[-_.](?P<split>train|dev|test)")
"""The file name of a part: `en-ud-train` (UD), `danish_ddt_train` (CoNLL-X) or `de-train`."""


class Parts(NamedTuple):
    """The files of one treebank.

    Args:
        code: the code of the treebank, for example `en` or `en_ewt`.
        train: the training set, or None.
        dev: the development set, or None.
        test: the test set, or None; a file whose name has no part counts as a test set.
    """

    code: str
    train: Path | None = None
    dev: Path | None = None
    test: Path | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of all available parts."""
        return tuple(path for path in (self.train, self.dev, self.test) if path is not None)

    @property
    def training(self) -> Path:
        """The training set; without one, the largest part that is usually available (dev, then test)."""
        return self.train or self.dev or self.files[0]

    @property
    def training_files(self) -> tuple[Path, ...]:
        """The training set; without one, all other parts."""
        return (self.train,) if self.train else self.files

    @property
    def tested(self) -> Path:
        """The test set; without one, the development set."""
        return self.test or self.dev or self.files[0]


def parts_of(request: StudyRequest, wanted: Iterable[str] = ()) -> dict[str, Parts]:
    """Return the treebanks of a request by code."""
    by_code: dict[str, Parts] = {}
    for folder in request.treebanks:
        for stem, path in _files_in(folder).items():
            named = _PART.fullmatch(stem)
            code, split = (named["code"], named["split"]) if named else (stem, "test")
            parts = by_code.get(code, Parts(code))
            if getattr(parts, split) is not None:
                message = f"{path} and {getattr(parts, split)} are both the {split} set of {code}"
                raise InputError(Fault("no-pairs", message, Place(os.fspath(folder))))
            by_code[code] = Parts(**{**parts._asdict(), split: path})
    known = {code: by_code[code] for code in wanted if code in by_code}
    return known or by_code


def _files_in(source: Path) -> dict[str, Path]:
    """The files of a folder (or a single file) by names without suffixes; in a TIRA folder, those in its metadata."""
    if source.is_file():
        return {stem_of(source.name) or source.name: source}
    if not (source / "metadata.json").is_file() and (files := treebanks_in(source)):
        return files
    return {gold.code: gold.path for gold in gold_files(source)}


def outputs_in(folder: Path | None, codes: Iterable[str]) -> dict[str, Path]:
    """Return the output files of one parser by the code of the treebank.

    A file is named after the code, the parsed part (`en-ud-test`, `danish_ddt_test`) or the language
    (`Old_Church_Slavonic`).
    """
    if folder is None or not folder.is_dir():
        return {}
    files = treebanks_in(folder)
    named = {code: _names(code) for code in codes}
    return {code: files[name] for code, names in named.items() for name in names[:1] if name in files} | {
        code: files[existing[0]] for code, names in named.items() if (existing := [n for n in names if n in files])
    }


def _names(code: str) -> list[str]:
    language = languages().get(code)
    parts = [f"{code}{mark}{split}" for split in ("test", "dev") for mark in ("-ud-", "-", "_")]
    return [code, *parts, *([language.name.replace(" ", "_")] if language else [])]


def format_of(path: str | os.PathLike[str]) -> Format:
    """Return the format of a file, judged by its name."""
    name = os.fspath(path)
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return "conllu" if name.lower().endswith((".conllu", ".conllup")) else "conllx"


def read_treebank(path: str | os.PathLike[str]) -> Treebank:
    """Return the treebank in a file, in the format of its name."""
    return read(path, format=format_of(path))


def check_outputs(folder: Path, codes: Iterable[str], patterns: Iterable[str]) -> None:
    """Raise an InputError unless a folder has an output for at least one treebank."""
    wanted = list(codes)
    inside = [path for pattern in patterns for path in (folder.glob(pattern) if pattern else [folder])]
    if not any(outputs_in(path, wanted) for path in inside):
        few = ", ".join(wanted[:6]) + (" and so on" if len(wanted) > 6 else "")
        message = f"no file in this folder is named after a treebank ({few})"
        raise InputError(Fault("missing-system-file", message, Place(os.fspath(folder))))


def systems_in(folder: Path | None, codes: Iterable[str]) -> Mapping[str, dict[str, Path]]:
    """Return the output files of several parsers, by parser and by the code of the treebank."""
    if folder is None:
        return {}
    wanted = list(codes)
    by_parser = {name: outputs_in(path, wanted) for name, path in system_folders(folder).items()}
    return {name: outputs for name, outputs in by_parser.items() if outputs}
