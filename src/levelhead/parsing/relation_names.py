"""Checks of the relations that a parser learns and assigns, which must be valid DEPREL in any file."""

from __future__ import annotations

from collections.abc import Iterable

from levelhead.errors import Fault, InputError, quoted
from levelhead.treebank import Treebank
from levelhead.treebank.places import place_of

_REPLACEMENT = "\ufffd"  # stands for bytes that are not UTF-8


def is_relation(text: str) -> bool:
    """Return whether a text is a valid relation: one or more visible characters without white space.

    This is stricter than the reader of treebanks, which only rejects what breaks the file. Here, control and format
    characters, any white space, lone surrogates and undecodable bytes are invalid.
    """
    return bool(text) and text.isprintable() and not {" ", _REPLACEMENT} & set(text)


def check_relations(treebank: Treebank, names: Iterable[str]) -> None:
    """Raise an InputError, placed at the first such word, if a relation to learn is invalid."""
    names = list(names)
    for name in dict.fromkeys(names):
        if not is_relation(name):
            message = f"the relation {quoted(name)} is empty, or has white space or invisible characters"
            raise InputError(Fault("invalid-relation", message, place_of(treebank, names.index(name))))
