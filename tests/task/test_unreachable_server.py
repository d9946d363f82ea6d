"""An unreachable server: the message has the reason."""

import socket
from pathlib import Path

import pytest

from levelhead.cli import program


def test_the_reason_is_named_without_the_number_of_the_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "en.conllu").touch()
    monkeypatch.setenv("LEVELHEAD_TOKEN", "lvlh_x")
    monkeypatch.setattr("levelhead.task.client.time.sleep", lambda _: None)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # nobody listens
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
        assert program.run(["submit", address, str(tmp_path)]) == 2
    assert capsys.readouterr().err == "refused-submission: the server cannot be reached: Connection refused\n"
