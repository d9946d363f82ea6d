"""Kernels refuse what points outside their arrays, compiled and not: they read and write without looking."""

from types import ModuleType

import numpy as np
import pytest

from levelhead.kernels import arpa, conversion, oracles, trees
from uncompiled import uncompiled, views


def ints(*numbers: object) -> np.ndarray:
    """An array as kernels take it."""
    return np.array(numbers, dtype=np.int32)


BYTES = np.zeros(2, dtype=np.uint8)


def both(module: ModuleType) -> pytest.MarkDecorator:
    """A kernel as it is, and uncompiled."""
    name = module.__name__.rpartition(".")[2]
    return pytest.mark.parametrize("kernel", [module, uncompiled(name)], ids=["compiled", "uncompiled"])


@both(trees)
@pytest.mark.parametrize(
    ("heads", "starts"),
    [
        ([9999999], [0, 1]), ([-5], [0, 1]), ([1], [0, 1]), ([2, 1, 0], [0, 3]), ([0], [0, 5]), ([0], [0, 5, 1]),
        ([0, 0], [0, 1]), ([0], [1, 1]), ([0], []),
    ],
)  # fmt: skip
def test_shapes_of_what_is_no_tree(kernel: ModuleType, heads: list[int], starts: list[int]) -> None:
    """Heads outside, circles, sentences outside."""
    with pytest.raises(ValueError, match=r"not a tree|starts"):
        kernel.shapes(*views(ints(*heads), ints(*starts)))


@both(conversion)
def test_conversion_of_what_points_outside(kernel: ModuleType) -> None:
    """Heads, orders, and arrays that are too short."""
    good = [ints(-1, 0), ints(0, -1, 1, -2), BYTES, BYTES]
    for at, bad in (
        (0, ints(-1, 2)),
        (0, ints(-1, -2)),
        (1, ints(0, 2)),
        (1, ints(-3)),
        (2, BYTES[:1]),
        (3, BYTES[:1]),
    ):
        arrays = [*good]
        arrays[at] = bad
        with pytest.raises(ValueError, match=r"must be from|sizes differ"):
            kernel.forward(*views(*arrays))
        for frozen in (False, True):
            with pytest.raises(ValueError, match=r"must be from|sizes differ"):
                kernel.backward(*views(*arrays), frozen)
    for heads in (ints(5), ints(-7)):
        with pytest.raises(ValueError, match="must be from"):
            kernel.children_of(memoryview(heads))


@both(oracles)
def test_oracles_of_what_points_outside(kernel: ModuleType) -> None:
    """Sentences outside the words, and a system that there is not."""
    for starts, system in (([0, 9], 0), ([1, 1], 0), ([0, 1], 4), ([0, 1], -1)):
        with pytest.raises(ValueError, match=r"starts|must be from"):
            kernel.oracle(*views(ints(0), ints(*starts)), system, 10)


POOL, OFFSETS = np.frombuffer("é\nbc\n".encode(), dtype=np.uint8), np.array([0, 3, 6], dtype=np.int64)


@both(arpa)
def test_lines_of_arpa_files(kernel: ModuleType) -> None:
    """Numbers to the twelfth decimal, without zeros at the end."""
    logs = np.array([0, -1, -1_500_000_000_000, -99_000_000_000_000, 12_345_000_000_000_007 // 10], dtype=np.int64)
    words = ints(*([0, 1],) * 5)
    numbers = ["0", "-0.000000000001", "-1.5", "-99", "1234.5"]
    lines = kernel.lines(*views(POOL, OFFSETS, words, logs, logs), True)
    assert lines.decode() == "".join(f"{number}\té bc\t{number}\n" for number in numbers)
    assert kernel.lines(*views(POOL, OFFSETS, words[:1], logs[:1], logs[:1]), False).decode() == "0\té bc\n"


@both(arpa)
def test_lines_of_what_points_outside(kernel: ModuleType) -> None:
    """Words, offsets, numbers."""
    logs = np.zeros(1, dtype=np.int64)
    good = [POOL, OFFSETS, ints([0, 1]), logs, logs]
    for at, bad in ((1, OFFSETS + 1), (1, OFFSETS[::-1].copy()), (2, ints([0, 2])), (2, ints([0, -1])),
                    (3, logs + 10**16), (4, logs - 10**16), (4, logs[:0])):  # fmt: skip
        arrays = [*good]
        arrays[at] = bad
        with pytest.raises(ValueError, match=r"must be from|sizes differ"):
            kernel.lines(*views(*arrays), True)
