"""Two files read at the same time give the results and errors of reading one after the other."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from levelhead.treebank.input_bytes import are_large_files, in_two_threads, pipelined


def fail(name: str) -> None:
    """Raise an error."""
    raise ValueError(name)


def test_both_run_at_the_same_time() -> None:
    """Each waits for the other."""
    barrier = threading.Barrier(2, timeout=300)
    assert in_two_threads(lambda: (barrier.wait(), 1)[1], lambda: (barrier.wait(), 2)[1]) == (1, 2)


@pytest.mark.parametrize(
    ("first", "second", "error"),
    [(True, True, "first"), (True, False, "first"), (False, True, "second")],
)
def test_the_first_error_counts(first: bool, second: bool, error: str) -> None:
    """As if the second had been read after the first."""
    before = threading.active_count()  # other tests may have left some that end with the process
    with pytest.raises(ValueError, match=error):
        in_two_threads(
            lambda: fail("first") if first else 1,
            lambda: fail("second") if second else 2,
        )
    assert threading.active_count() == before


def test_items_are_used_in_order_while_the_next_are_computed() -> None:
    """The second item is computed before the first is used."""
    second_computed = threading.Event()
    used = []

    def items() -> Iterator[int]:
        for number in range(20):
            if number == 1:
                second_computed.set()
            yield number

    def use(number: int) -> None:
        assert second_computed.wait(300)
        used.append(number)

    pipelined(items(), use)
    assert used == [*range(20)]


@pytest.mark.parametrize("of_items", [True, False])
def test_errors_end_the_use_of_items(of_items: bool) -> None:
    """Those before the error are used; no thread is left."""
    used = []

    def items() -> Iterator[int]:
        yield from range(3)
        if of_items:
            fail("items")
        yield from range(3, 1000)

    def use(number: int) -> None:
        used.append(number)
        if number == 3:
            fail("use")

    before = threading.active_count()
    with pytest.raises(ValueError, match="items" if of_items else "use"):
        pipelined(items(), use)
    assert used == [*range(3 if of_items else 4)]
    assert threading.active_count() == before


def test_only_large_files_are_worth_a_thread(tmp_path: Path) -> None:
    """Neither standard input, nor a small file, a folder, a missing file or a treebank."""
    large, small = tmp_path / "large", tmp_path / "small"
    large.write_bytes(b"x" * (1 << 18))
    small.write_bytes(b"x")
    assert are_large_files(large, str(large))
    assert not any(are_large_files(large, other) for other in (small, "-", tmp_path, tmp_path / "none", object(), "\0"))
