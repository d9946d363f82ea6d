"""What is said when another library is missing, or cannot hold what a treebank has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from levelhead.errors import Fault, InputError, LevelheadError, Place


@contextmanager
def needed(package: str) -> Iterator[None]:
    """Say what to install where an import inside the `with` block fails.

    Args:
        package: what pip calls the library, with a version where it matters.

    Raises:
        LevelheadError: the library is not installed; its slug is `missing-extra`.
    """
    try:
        yield
    except ImportError as error:
        raise LevelheadError(f"this conversion needs: pip install '{package}'", "missing-extra") from error


def cannot_hold(message: str, sentence: int | None = None, word: str | None = None) -> Fault:
    """Return the fault that a library has no place for something.

    Args:
        message: what it is, in one sentence.
        sentence: the 1-based sentence.
        word: the id of the word.
    """
    where = "".join([f"sentence {sentence}, " if sentence else "", f"word {word}: " if word else ""])
    return Fault("cannot-hold", f"{where}{message}", Place(None, None, sentence, word))


def refuse(faults: Iterable[Fault]) -> None:
    """Raise all faults as one error, if there are any.

    Raises:
        InputError: there is a fault.
    """
    found = list(faults)
    if found:
        raise InputError(*found)
