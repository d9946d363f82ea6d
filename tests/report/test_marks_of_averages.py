"""Means over treebanks on the page of a system: if a value is marked as uncertain, the page explains the mark."""

import pytest

from command_line import levelhead
from conftest import EXAMPLES
from levelhead.comparison.system_errors import MARK, UNCERTAIN

PARALLEL = EXAMPLES / "parallel"


@pytest.mark.parametrize("section", ["costs", "breakdowns"])
def test_marks_are_explained(tmp_path, section):
    report = tmp_path / "page.html"
    ran = levelhead("score", PARALLEL / "gold", PARALLEL / "systems/alpha", "--report", report)
    assert ran.returncode == 0, ran.stderr
    part = report.read_text(encoding="utf-8").partition(f'<section id="{section}"')[2].partition("</section>")[0]
    blocks = part.split('<div class="block"')[1:]
    marked = [block for block in blocks if f" {MARK}</bdi>" in block]
    assert len(marked) > 1
    assert all(f"{UNCERTAIN}." in block for block in marked)
