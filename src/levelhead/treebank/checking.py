"""All errors of a file of any size or, if it is valid, its warnings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import get_args

from levelhead.arguments import checked, choice, path
from levelhead.errors import Fault, InputError
from levelhead.treebank import blocks
from levelhead.treebank.blocks import contents_or_parts
from levelhead.treebank.input_bytes import parts_of
from levelhead.treebank.reader import Format, from_conllu
from levelhead.treebank.text_comments import text_faults

CHECKED_RULES = ("ud", "msp25", "msp25-sorted")
"""The rules for checking files: CoNLL-U with levelhead's checks, or files of morphosyntactic parsing."""


@checked(path=path, format=choice(get_args(Format)), rules=choice(CHECKED_RULES))
def faults_of(
    path: str | os.PathLike[str],
    *,
    format: Format = "conllu",  # noqa: A002
    rules: str = "ud",
) -> tuple[Fault, ...]:
    """Return all errors of a file or, if it is valid, its warnings.

    In addition to the warnings of `read`, `# text` comments are compared with the forms. Large files are read in
    pieces.

    Args:
        path: its path, or "-" for standard input.
        format: "conllu" or "conllx".
        rules: one of `CHECKED_RULES`; under the last two, the format has no effect.
    """
    if rules != "ud":
        return _content_faults_of(path)
    name = os.fsdecode(path)
    try:
        with contents_or_parts(path, blocks.SIZES.large) as contents:
            if not isinstance(contents, bytes):
                return _faults_of_parts(contents, name, format, blocks.SIZES.piece)
            treebank = from_conllu(contents, name=name, format=format)
    except InputError as error:
        return error.faults
    return (*treebank.warnings, *text_faults(treebank))


def _content_faults_of(path: str | os.PathLike[str]) -> tuple[Fault, ...]:
    from levelhead.treebank.content_reader import content_faults

    try:
        with parts_of(path) as parts:
            return content_faults(parts, os.fsdecode(path), blocks.SIZES.piece)
    except InputError as error:
        return error.faults


def _faults_of_parts(parts: Iterator[bytes], name: str, form: Format, size: int) -> tuple[Fault, ...]:
    from levelhead.treebank.pieces import OwnPieces

    pieces = OwnPieces(parts, name, conllx=form == "conllx", texts=True)
    for _ in pieces.each(size):
        pass
    return pieces.warnings()
