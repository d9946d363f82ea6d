"""Results that cannot go where they are sent: a second result on standard output, a name that says compressed."""

import pytest

from conftest import EXAMPLES

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA, BETA = (PARALLEL / part / "en.conllu" for part in ("gold", "systems/alpha", "systems/beta"))
SECOND = {
    "score": (GOLD, ALPHA, "--report", "-"),
    "compare": (GOLD, ALPHA, BETA, "--summary", "-"),
    "suspects": (GOLD, ALPHA, "--sentences-to", "-"),
    "diff": (GOLD, ALPHA, "--changelog", "-"),
    "agree": (GOLD, ALPHA, "--report", "-"),
}


@pytest.mark.parametrize("command", SECOND)
def test_a_table_and_another_result_are_not_mixed(run, tmp_path, command):
    code, out, err = run(command, *SECOND[command])
    assert (code, out) == (2, "")
    assert "the table goes to standard output: use --output to write it to a file" in " ".join(err.split())
    table = tmp_path / "table.txt"
    assert run(command, *SECOND[command], "--output", table)[0] == 0
    assert table.stat().st_size > 0


def test_the_other_result_can_go_to_standard_output(run, tmp_path):
    code, out, _ = run("suspects", GOLD, ALPHA, BETA, "--sentences-to", "-", "--output", tmp_path / "table.txt")
    assert code == 0
    assert out.startswith("# ")
    assert all(line.startswith("#") or not line or line.count("\t") == 9 for line in out.splitlines())


@pytest.mark.parametrize("suffix", ["gz", "xz", "bz2", "zst", "GZ"])
@pytest.mark.parametrize(
    ("command", "option"), [("suspects", "--sentences-to"), ("validate", "--fix"), ("crossval", "--output")]
)
def test_treebanks_are_not_written_under_the_name_of_a_compressed_file(run, tmp_path, command, option, suffix):
    target = tmp_path / f"x.conllu.{suffix}"
    words = {"suspects": (GOLD, ALPHA), "validate": (GOLD,), "crossval": ("arc-eager", GOLD)}[command]
    code, out, err = run(command, *words, option, target)
    assert (code, out) == (2, "")
    assert "output cannot be compressed: use a name without .gz, .bz2, .xz or .zst" in " ".join(err.split())
    assert not target.exists()
