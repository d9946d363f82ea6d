"""All errors and warnings of a file of any size."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import get_args

from levelhead.arguments import checked, choice, path
from levelhead.errors import Fault, InputError
from levelhead.treebank import blocks
from levelhead.treebank.input_bytes import parts_of
from levelhead.treebank.reader import Format

MOST_LISTED = 100_000
"""The largest number of errors and warnings of each kind that are kept in memory."""

CHECKED_RULES = ("ud", "msp25", "msp25-sorted")
"""The rules for checking files: CoNLL-U with levelhead's checks, or files of morphosyntactic parsing."""


@checked(path=path, format=choice(get_args(Format)), rules=choice(CHECKED_RULES))
def faults_of(
    path: str | os.PathLike[str],
    *,
    format: Format = "conllu",  # noqa: A002
    rules: str = "ud",
) -> tuple[Fault, ...]:
    """Return all errors and warnings of a file, each with its line.

    In addition to the warnings of `read`, `# text` comments are compared with the forms. Consecutive blank lines are
    one warning with their number. Beyond 100,000 warnings of a kind, the last counts the others; after 100,000 errors,
    the rest of the file is not checked. The file is read in pieces.

    Args:
        path: its path, or "-" for standard input.
        format: "conllu" or "conllx".
        rules: one of `CHECKED_RULES`; under the last two, the format has no effect.
    """
    with parts_of(path) as parts:
        try:
            if rules != "ud":
                return _content_faults(parts, os.fsdecode(path))
            return _faults(parts, os.fsdecode(path), format)
        except InputError as error:
            return error.faults


def _faults(parts: Iterator[bytes], name: str, form: Format) -> tuple[Fault, ...]:
    from levelhead.treebank.pieces import OwnPieces

    pieces = OwnPieces(parts, name, conllx=form == "conllx", most=MOST_LISTED)
    for _ in pieces.each(blocks.SIZES.piece):
        pass
    return pieces.warnings()


def _content_faults(parts: Iterator[bytes], name: str) -> tuple[Fault, ...]:
    from levelhead.treebank.content_reader import content_faults

    return content_faults(parts, name, blocks.SIZES.piece, MOST_LISTED)
