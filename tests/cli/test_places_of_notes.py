"""Notes are printed once: below a table, or on standard error for data."""

import pytest

from conftest import EXAMPLES
from levelhead.cli import program

GOLD, ALPHA = (str(EXAMPLES / "parallel" / name / "en.conllu") for name in ("gold", "systems/alpha"))
TABLE = "table.tsv"
NOTE_OF = {
    ("power", "-m", "LAS"): "with 1 run, the result does not apply",
    ("correlate", TABLE, "-c", "a", "-c", "b"): "left out",
    ("compare", GOLD, ALPHA, "-m", "LAS"): "gold marks no documents",
}


@pytest.fixture
def table(tmp_path, monkeypatch) -> None:
    """A treebank without a value is left out, and a note says so."""
    monkeypatch.chdir(tmp_path)
    rows = [f"t{i}\t{i}\t{i * i % 7}" for i in range(12)]
    (tmp_path / TABLE).write_text("\n".join(["treebank\ta\tb", *rows, "en\t1\t"]), encoding="utf-8")


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("output_format", ["text", "markdown", "tsv", "jsonl", "json"])
@pytest.mark.parametrize("arguments", NOTE_OF, ids=lambda arguments: arguments[0])
def test_notes_are_printed_once(arguments, output_format, capfd) -> None:
    """Tables for readers can have them below; data does not, and JSON also has them in its provenance."""
    assert program.run([*arguments, "--format", output_format]) == 0
    out, err = capfd.readouterr()
    is_below = output_format in {"text", "markdown"}
    note = NOTE_OF[arguments]
    assert (note in out.replace("\n  ", " "), note in err) == (is_below or output_format == "json", not is_below)
