"""Treebanks from lists, bytes and files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any, Literal, get_args

from levelhead.arguments import checked, is_list, refuse
from levelhead.errors import ConlluError, Fault
from levelhead.treebank.input_bytes import DEFAULT_LIMITS, Limits, read_bytes, refuse_long_lines, sha256_of
from levelhead.treebank.releases import path_of
from levelhead.treebank.scanner import ReaderSettings, scan_file
from levelhead.treebank.tokens import Source
from levelhead.treebank.treebank import Treebank

Nested = Sequence[Sequence[str]]


def _column(name: str, value: Any) -> list[list[Any]]:
    if not is_list(value):
        refuse(name, value, _COLUMN)
    sentences = list(value)
    for sentence in sentences:
        if not is_list(sentence):
            refuse(name, sentence, _COLUMN)
    return list(map(list, sentences))


_COLUMN = "a list of sentences, each of them a list with a value for each word"
_LISTS = ("forms", "lemmas", "upos", "xpos", "feats", "heads", "relations", "deps", "misc")


@checked(**dict.fromkeys(_LISTS, ("optional", _column)) | dict.fromkeys(("forms", "heads", "relations"), _column))
def build(
    forms: Nested,
    heads: Sequence[Sequence[int]],
    relations: Nested,
    *,
    lemmas: Nested | None = None,
    upos: Nested | None = None,
    xpos: Nested | None = None,
    feats: Nested | None = None,
    deps: Nested | None = None,
    misc: Nested | None = None,
) -> Treebank:
    """Return a treebank made from lists of forms, heads, relations and other columns.

    Each column is a list of sentences, and each sentence is a list with a value for each word. `forms`, `heads` and
    `relations` are required. Heads are as in CoNLL-U: 1-based in the sentence, 0 for the root. All values of the other
    columns (`lemmas`, `upos`, `xpos`, `feats`, `deps`, `misc`) are "_" by default.

    Raises:
        ConlluError: the lists differ in length, a value is not valid in CoNLL-U, or a sentence is not a tree.
    """
    columns = (forms, lemmas, upos, xpos, feats, heads, relations, deps, misc)
    sizes = [None if column is None else tuple(map(len, column)) for column in columns]
    for name, size in zip(_LISTS, sizes):
        if size is not None and (size != sizes[0] or 0 in size):
            message = f"{name} must have as many sentences and words as forms, and no sentence can be empty"
            raise ConlluError(Fault("invalid-columns", message))
    lines = []
    for sentence in zip(*(column if column is not None else repeat(None) for column in columns)):
        for number, row in enumerate(zip(*(column if column is not None else repeat("_") for column in sentence)), 1):
            cells = list(map(str, row))
            if any("\t" in cell or "\n" in cell or "\r" in cell for cell in cells):
                raise ConlluError(Fault("invalid-columns", f"a value of word {number} has a tab or a line end"))
            lines.append("\t".join([str(number), *cells]) + "\n")
        lines.append("\n")
    return from_conllu("".join(lines))


Format = Literal["conllu", "conllx"]


@checked(path="path", limits=("object", "Limits", "Limits"), allow_several_roots="flag", partial="flag")
def read(
    path: str | os.PathLike[str],
    *,
    format: Format = "conllu",  # noqa: A002 -- as the command line calls it
    limits: Limits = DEFAULT_LIMITS,
    allow_several_roots: bool = False,
    partial: bool = False,
) -> Treebank:
    """Read a treebank from a file, compressed or not.

    The treebank has no trees (`has_trees` is False) if HEAD is always "_", or if a CoNLL-U Plus file lacks HEAD or
    DEPREL.

    Args:
        path: the path of the file, "-" for standard input, or the name of a file in a UD release, such as
            "en_ewt-test@2.16".
        format: "conllu" or "conllx". CoNLL-X files have no multiword tokens, empty nodes or comments, and their
            sentences can have several roots.
        limits: the limits on the file's size.
        allow_several_roots: whether a sentence can have several words with HEAD 0.
        partial: whether to read the readable part of an invalid file instead of raising an error. `Treebank.partial`
            then lists the faults. Such a treebank can be written with `write`. It can also be scored, but only as a
            system's output and only if you call `score` with `partial=True`.

    Raises:
        UnreadableFile: the file cannot be opened or decompressed.
        ConlluError: no row is readable, or the file is invalid and `partial` is false. The error lists all faults.
    """
    name = path_of(os.fsdecode(path))
    data = read_bytes(name, limits)
    return from_conllu(data, name=name, format=format, allow_several_roots=allow_several_roots, partial=partial)


@checked(
    data=("object", "bytes str", "a string or bytes"),
    name=("optional", "text"),
    allow_several_roots="flag",
    format=("one of", get_args(Format)),
    partial="flag",
)
def from_conllu(
    data: bytes | str,
    *,
    name: str | None = None,
    format: Format = "conllu",  # noqa: A002
    allow_several_roots: bool = False,
    partial: bool = False,
) -> Treebank:
    """Read a treebank from bytes or a string.

    `data` is the contents of a CoNLL-U file, and `name` is the name of the file in messages. `format`,
    `allow_several_roots` and `partial` have the same meaning as in `read`.

    Raises:
        ConlluError: no row is readable, or the contents are invalid and `partial` is false. The error lists all faults.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    reading = ReaderSettings(format == "conllx", allow_several_roots)
    try:
        return read_contents(raw, name, reading)
    except ConlluError as error:
        if not partial:
            raise
        from levelhead.treebank.ud_reader import read_leniently

        treebank = read_leniently(raw, name, conllx=reading.conllx)
        read = treebank.partial and treebank.partial._replace(faults=error.faults)
        return replace(treebank, partial=read)


def read_contents(raw: bytes, name: str | None, reading: ReaderSettings) -> Treebank:
    treebank = read_if_valid(raw, name, reading)
    if treebank is not None:
        return treebank
    from levelhead.treebank.ud_reader import CheckedPieces

    error = CheckedPieces(iter([raw]), name, reading).error()
    raise error or AssertionError("the scanner refuses a file in which no fault is found")


def read_if_valid(raw: bytes, name: str | None, requested: ReaderSettings) -> Treebank | None:
    """Return the treebank in the contents of a file, or None if it is invalid, without looking for the reasons."""
    from levelhead.treebank.warning_checks import find_warnings  # loaded when needed: official rules do not need them

    refuse_long_lines(raw, name)
    reading, numbers = requested.of(raw, name), None
    treebank = scan_file(raw, reading)
    repairs: tuple[Fault, ...] = ()
    if treebank is None:
        from levelhead.treebank.faults import repair

        data, repairs, numbers = repair(raw)
        reading = requested.of(data, name)
        treebank = scan_file(data, reading)
        if treebank is None:
            return None
    lines = treebank.source.lines if numbers is None else numbers[treebank.source.lines - 1]
    source = Source(name, sha256_of(raw), lines)
    treebank = replace(treebank, source=source)
    warnings = (*repairs, *(() if reading.conllx else find_warnings(treebank)))
    return replace(treebank, source=replace(source, warnings=tuple(fault.in_file(name) for fault in warnings)))
