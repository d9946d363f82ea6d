"""Relations that a parser may assign: those that are valid in the column DEPREL of any file."""

from __future__ import annotations

from collections.abc import Iterable

from levelhead.errors import Fault, InputError, quoted
from levelhead.treebank import Treebank
from levelhead.treebank.places import place_of

_REPLACEMENT = "\ufffd"  # replaces bytes that are not UTF-8


def is_relation(text: str) -> bool:
    """Return whether a text can be a relation: at least one character, all visible, without white space.

    This is stricter than the reader of treebanks, which takes all that does not break the file: control and format
    characters, white space of any kind, lone surrogates and undecodable bytes are refused, too.
    """
    return bool(text) and text.isprintable() and not {" ", _REPLACEMENT} & set(text)


def check_relations(treebank: Treebank, names: Iterable[str]) -> None:
    """Raise an InputError, placed at its first word, if a relation that is to be learned is none.

    Args:
        treebank: what is learned from.
        names: the relation to learn of each of its words.
    """
    names = list(names)
    for name in dict.fromkeys(names):
        if not is_relation(name):
            message = f"the relation {quoted(name)} is empty, or has white space or invisible characters"
            raise InputError(Fault("invalid-relation", message, place_of(treebank, names.index(name))))
