"""All TOML files are read by one function, which says what is wrong with them."""

import pytest

from levelhead.errors import InputError
from levelhead.treebank.input_bytes import parsed_toml


def test_a_file_with_a_byte_order_mark() -> None:
    assert parsed_toml("\ufeffa = 1\n".encode(), "a.toml", "invalid-task") == {"a": 1}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("a = 1\n".encode("utf-16"), "invalid-task: the file is not UTF-8 text: save it as UTF-8"),
        (b"\xff", "the file is not UTF-8 text"),
        (b"a = ", "not TOML: Invalid value"),
        (b"a = " + b"[" * 5000, "not TOML: tables or lists are nested too deeply"),
    ],
)
def test_errors(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parsed_toml(data, "a.toml", "invalid-task")
