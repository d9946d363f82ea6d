"""Reading CoNLL-U under one of four sets of rules: a verdict first, then the words."""

from oracle.document import RULES, Document, Refused
from oracle.official import read_official
from oracle.strict import read_strict


def read_bytes(data: bytes, rules: str) -> Document:
    """Read a file's bytes; what is not UTF-8 is refused under all rules."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused("not UTF-8") from error
    return read(text, rules)


def read(text: str, rules: str, *, several_roots: bool = False) -> Document:
    """Read a file's text, its line ends as they are in the file.

    Raises:
        Refused: these rules do not accept the file.
    """
    if rules not in RULES:
        raise KeyError(rules)
    if rules == "ud":
        return read_strict(text, several_roots=several_roots)
    return read_official(text, rules, several_roots=several_roots)
