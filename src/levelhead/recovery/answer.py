"""One answer of a language model, as text."""

from __future__ import annotations

from typing import NamedTuple

from levelhead.errors import Fault, InputError, Place
from levelhead.treebank.faults import UTF16, is_utf16


class Answer(NamedTuple):
    """The answer of a model for one sentence.

    Args:
        text: the answer; a list of rows is written as JSON.
        id: the sent_id of the sentence, if the file has it next to the answer.
    """

    text: str
    id: str | None = None


def decoded(data: bytes, name: str, first_line: int = 1) -> str:
    """Return bytes as text."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        known = first_line == 1 and is_utf16(data)
        message = UTF16 if known else f"the byte 0x{data[error.start]:02x} is not UTF-8"
        raise InputError(Fault("encoding", message, Place(name, line))) from error
