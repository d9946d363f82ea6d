"""Systems without any valid output have a score of 0, but no confidence interval: there is no sample."""

import shutil
from pathlib import Path

import levelhead
from conftest import EXAMPLES

PARALLEL = EXAMPLES / "parallel"


def test_a_system_without_outputs_has_no_interval(tmp_path: Path) -> None:
    shutil.copytree(PARALLEL / "systems" / "alpha", tmp_path / "alpha")
    (tmp_path / "none").mkdir()
    for name in ("en.conllu", "de.conllu"):
        (tmp_path / "none" / name).write_text("1\tx\n\n")
    ranked = levelhead.rank(PARALLEL / "gold", tmp_path, measures="LAS", significance=True)
    first, last = ranked.rankings[0].standings
    assert (first.system, last.system) == ("alpha", "none")
    assert first.interval is not None
    assert (last.value, last.n_valid, last.interval) == (0, 0, None)
