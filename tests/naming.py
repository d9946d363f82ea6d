"""Many small cases in one test: a failure names its case."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def naming(*case: object) -> Iterator[None]:
    """Note the case in whatever is raised within, also in failures of pytest's own."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"case: {', '.join(repr(one)[:200] for one in case)}")
        raise
