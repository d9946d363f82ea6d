"""IDs and heads with more digits than can be read are numbers, and too large."""

import pytest

from levelhead.cli import program

ROW = "{}\tx\t_\t_\t_\t_\t{}\troot\t_\t_\n\n"


@pytest.mark.parametrize(
    ("word", "head", "message"),
    [
        ("1", "9999999999", "invalid-head: the HEAD '9999999999' is too large"),
        ("1", "x", "invalid-head: the HEAD 'x' is not a number"),
        ("9999999999", "0", "invalid-id: the ID '9999999999' is too large"),
        ("1-9999999999", "_", "invalid-id: the ID '1-9999999999' is too large"),
        ("x", "0", "invalid-id: the ID 'x' is not a number or range"),
    ],
)
def test_messages_say_what_is_wrong_with_a_number(tmp_path, capfd, word, head, message):
    path = tmp_path / "file.conllu"
    path.write_text(ROW.format(word, head), encoding="utf-8")
    assert program.run(["score", str(path), str(path)]) == 2
    assert message in capfd.readouterr().err
