"""An unreachable or hostile server: the message has the reason."""

import socket
from pathlib import Path

import pytest

from levelhead.cli import program
from levelhead.errors import InputError
from levelhead.task.client import Client


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


@pytest.mark.parametrize("name", ["a\0b", "a\ud800", "../a", "", "a\nb", None])
def test_names_of_inputs_that_cannot_be_files_are_refused(monkeypatch: pytest.MonkeyPatch, name: str | None) -> None:
    client = Client("http://127.0.0.1:1", "lvlh_x")
    monkeypatch.setattr(client, "_response_of", lambda *_: [] if name is None else [{"name": name}])
    if name is None:
        assert client.inputs() == []
        monkeypatch.setattr(client, "_response_of", lambda *_: ["x"])
    with pytest.raises(InputError, match=r"invalid name|not a levelhead server") as refused:
        client.inputs()
    assert refused.value.message.isprintable()
