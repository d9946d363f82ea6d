"""Kernels refuse what points outside their arrays, compiled and not: they read and write without looking."""

from types import ModuleType

import numpy as np
import pytest

from levelhead.kernels import conversion, oracles, trees
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
