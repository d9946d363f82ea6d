"""Functions that take any number of treebanks or tables, without one."""

import pytest

import levelhead


@pytest.mark.parametrize("function", ["profile", "similarity", "select", "correlate", "measurements"])
def test_nothing_is_bad_input(function: str) -> None:
    with pytest.raises(levelhead.InputError, match=r"at least (one|two)"):
        getattr(levelhead, function)()
