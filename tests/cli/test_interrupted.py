"""Ctrl-C before a command has begun: one line instead of a traceback."""

import sys

import pytest

from levelhead.cli import main
from levelhead.cli.program import INTERRUPTED


@pytest.mark.parametrize("loaded", ["levelhead.cli.load_libraries", "levelhead.cli.program.main"])
def test_interrupted_while_loading(
    loaded: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(loaded, interrupt)
    monkeypatch.setattr(sys, "argv", ["levelhead", "score", "gold", "system"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == INTERRUPTED
    assert capsys.readouterr() == ("", "interrupted\n")
