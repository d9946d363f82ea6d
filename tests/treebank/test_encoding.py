"""Files in other encodings: the error names UTF-16, wherever the file is read."""

from pathlib import Path

import pytest

from command_line import levelhead
from levelhead.errors import InputError
from levelhead.treebank import from_conllu

TEXT = "1\tcafé\tcafé\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
MESSAGE = "the file is UTF-16, not UTF-8"


@pytest.mark.parametrize("mark", ["\ufeff", ""], ids=["mark", "no mark"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("command", ["score", "score --partial", "validate"])
def test_utf16_is_named(tmp_path: Path, encoding: str, command: str, mark: str) -> None:
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(TEXT)
    system.write_bytes((mark + TEXT).encode(encoding))
    files = [str(system)] if command == "validate" else [str(gold), str(system)]
    result = levelhead(*command.split(), *files)
    assert result.returncode == 2
    output = result.stdout + result.stderr
    assert f"system.conllu:1: encoding: {MESSAGE}" in output
    assert "NUL" not in output


def test_bytes_of_utf16_later_in_a_file() -> None:
    with pytest.raises(InputError, match=r"2: encoding: byte \d+ \(0xff\) is not UTF-8"):
        from_conllu(b"# a\n\xff\xfe" + TEXT.encode())
