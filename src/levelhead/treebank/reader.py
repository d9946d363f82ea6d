"""Bytes to treebank."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from levelhead.arguments import checked, choice, instance, optional, path
from levelhead.arguments import text as is_text
from levelhead.errors import ConlluError, Fault
from levelhead.kernels import scan, text, trees
from levelhead.treebank.input_bytes import DEFAULT_LIMITS, Limits, read_bytes, refuse_long_lines
from levelhead.treebank.parts import FORM, Comments, EmptyNodes, MultiwordTokens, Source
from levelhead.treebank.repair import Repaired, repair
from levelhead.treebank.strings import ANY_SPACE, Codes, Strings
from levelhead.treebank.treebank import Treebank, named_columns
from levelhead.treebank.warning_checks import find_warnings

Format = Literal["conllu", "conllx"]


@checked(path=path, limits=instance(lambda: Limits, "Limits"))
def read(
    path: str | os.PathLike[str],
    *,
    format: Format = "conllu",  # noqa: A002 -- as the command line calls it
    limits: Limits = DEFAULT_LIMITS,
) -> Treebank:
    """Read a treebank from a file, compressed or not.

    Args:
        path: its path, or "-" for standard input.
        format: "conllu", or "conllx" (ten columns, no ranges, empty nodes or comments; several roots allowed).
        limits: how large the file may be.

    Raises:
        UnreadableFile: the file cannot be opened or decompressed.
        ConlluError: it is not valid; the error holds every fault.
    """
    name = os.fsdecode(path)
    return from_conllu(read_bytes(path, limits), name=name, format=format)


@checked(data=instance(lambda: (bytes, str), "a text or bytes"), name=optional(is_text))
def from_conllu(data: bytes | str, *, name: str | None = None, format: Format = "conllu") -> Treebank:  # noqa: A002
    """Read a treebank from bytes or text.

    Args:
        data: the contents of a CoNLL-U file.
        name: what to call it in messages.
        format: "conllu" or "conllx".

    Raises:
        ConlluError: it is not valid; the error holds every fault.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    check_format(format)
    refuse_long_lines(raw, name)
    conllx = format == "conllx"
    repaired = Repaired(raw)
    treebank = scan_treebank(raw, conllx=conllx)
    if treebank is None:
        repaired = repair(raw)
        treebank = scan_treebank(repaired.data, conllx=conllx)
    if treebank is None:
        raise ConlluError(*(fault.in_file(name) for fault in _every_fault(repaired, conllx=conllx)))
    source = Source(name, hashlib.sha256(raw).hexdigest(), repaired.lines(treebank.source.lines))
    treebank = replace(treebank, source=source)
    found = () if conllx else find_warnings(treebank)
    warnings = tuple(fault.in_file(name) for fault in (*repaired.warnings, *found))
    return replace(treebank, source=replace(source, warnings=warnings))


def check_format(name: str) -> None:
    """Refuse a format of files that is unknown.

    Args:
        name: its name.

    Raises:
        InputError: the format is unknown.
    """
    choice(get_args(Format))("format", name)


def scan_treebank(data: bytes, *, conllx: bool = False, several_roots: bool = False) -> Treebank | None:
    """Return the treebank in a file that needs no repair, or None if anything is wrong with it."""
    if not data or b"\0" in data or b"\r" in data:
        return None
    scanned = scan.scan(data, not conllx)
    if isinstance(scanned, int):
        return None
    pool, offsets, codes, local_heads, multiword, empty, starts, lines, comments, comment_starts = scanned
    if not (text.is_utf8(pool) and text.is_utf8(comments)):
        return None
    if trees.bad_sentences(local_heads, starts, conllx or several_roots).any():
        return None
    strings = Strings(pool, offsets)
    first_words = np.repeat(starts[:-1], np.diff(starts))
    treebank = Treebank(
        **named_columns(codes, strings),
        heads=np.where(local_heads == 0, -1, local_heads - 1 + first_words).astype(np.int32),
        sentence_starts=starts,
        multiword=MultiwordTokens(*_columns(multiword)),
        empty=EmptyNodes(*_columns(empty)),
        comments=Comments(comments, comment_starts),
        source=Source(lines=lines),
    )
    return None if _has_empty_form(treebank) else treebank


def _columns(rows: Codes) -> tuple[Codes, Codes, Codes, Codes]:
    """Take rows of three numbers and nine codes apart."""
    return rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3:]


def _has_empty_form(treebank: Treebank) -> bool:
    used = (treebank.forms.codes, treebank.multiword.cells[:, FORM], treebank.empty.cells[:, FORM])
    strings = treebank.strings
    blank = [code for code in strings.with_spaces.tolist() if not strings[code].translate(ANY_SPACE)]
    return bool(blank) and any(np.isin(codes, blank).any() for codes in used)


def _every_fault(repaired: Repaired, *, conllx: bool) -> list[Fault]:
    from levelhead.treebank.faults import find_faults

    found = find_faults(repaired.data, ranges=not conllx, several_roots=conllx, line=repaired.line)
    if not found:
        raise AssertionError("the scanner refuses a file in which no fault is found")
    return found if found[0].slug == "encoding" else [*found, *repaired.warnings]
