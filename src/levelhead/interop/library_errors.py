"""Errors for treebanks that a library cannot represent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from levelhead.errors import Fault, InputError, Place

if TYPE_CHECKING:
    from levelhead.treebank import Treebank


def fault_in(origin: str | None, sentence: int | None, slug: str, message: str, word: str | None = None) -> Fault:
    """Return a fault in an object that is not a file, so that the message names the sentence."""
    where = f"sentence {sentence}: " if sentence else ""
    return Fault(slug, f"{where}{message}", Place(origin, None, sentence, word))


def cannot_hold(message: str, sentence: int | None = None, word: str | None = None) -> Fault:
    """Return the fault for something that a library cannot represent."""
    of_word = f"word {word}: " if word else ""
    return fault_in(None, sentence, "cannot-hold", f"{of_word}{message}", word)


def raise_faults(treebank: Treebank, faults: Iterable[Fault]) -> None:
    """Raise all faults as one error, if there are any."""
    located = [fault.in_file(treebank.source.path) for fault in faults]
    if located:
        raise InputError(*located)
