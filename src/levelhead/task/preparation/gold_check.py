"""The check that no input of a task contains gold trees."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from levelhead.errors import Fault, InputError, Place, quoted
from levelhead.task.model.campaign import gold_of_task
from levelhead.task.model.description import SharedTask
from levelhead.task.preparation.gold_trees import GoldTrees
from levelhead.task.preparation.unpacking import CannotUnpack, unpacked_files
from levelhead.treebank.input_bytes import read_bytes


def check_inputs(task: SharedTask) -> None:
    """Refuse inputs with gold trees, in any column, compression or archive."""
    inputs = task.folder.inputs()
    if not inputs:
        raise InputError(Fault("invalid-task", "no inputs found", Place(str(task.folder.blind))))
    gold = GoldTrees({code: read_bytes(path) for code, path in gold_of_task(task).items()})
    faults = [fault for path in inputs for fault in _leaks(gold, path)]
    if faults:
        raise InputError(*faults)


def _leaks(gold: GoldTrees, path: Path) -> Iterator[Fault]:
    """Report the first place in a file with gold, or that the file cannot be checked."""
    place = Place(str(path))
    try:
        for name, data in unpacked_files(path):
            if (message := _leak(gold, data)) is not None:
                yield Fault("gold-in-input", f"in {quoted(name)}, {message}" if name else message, place)
                return  # the bytes of an uncompressed archive contain the same trees again
    except CannotUnpack as error:
        yield Fault("unchecked-input", f"it cannot be checked for gold trees: {error}", place)


def _leak(gold: GoldTrees, data: bytes) -> str | None:
    if (leak := gold.leak_in(data)) is not None:
        return f"{leak}: replace the heads by _, or remove the file"
    code = gold.copied(data)
    return None if code is None else f"it is a copy of gold treebank {code!r}: remove the file"
