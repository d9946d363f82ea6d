"""docs/validate.md: its sessions are run in a folder with the examples, and its numbers are counted again."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

import levelhead
from documentation import ROOT, page_in, text_of

PAGE = "docs/validate.md"


def test_sessions_print_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    assert page_in(PAGE, tmp_path) == text_of(PAGE)
    assert (tmp_path / "tidy.conllu").exists()


@pytest.mark.data
def test_what_the_validator_of_ud_refuses(data: Path) -> None:
    cases = data / "ud-validate-cases"
    noticed: Counter[str] = Counter()
    total: Counter[str] = Counter()
    refused = []
    for case in json.loads((cases / "expected.json").read_text()):
        level = case["file"].partition("/")[0]
        found = levelhead.validate(cases / case["file"])
        total[level] += 1
        noticed[level] += bool(found.faults)
        if level == "valid" and found.faults:
            refused.append(case["file"])
    assert refused == ["valid/empty-file.conllu"]
    invalid = [level for level in total if level != "valid"]
    higher = [level for level in invalid if level not in ("invalid-level1", "invalid-level2")]
    text = " ".join(text_of(PAGE).split())
    assert (
        f"The tests of UD's validator (udtools 0.2.9) have {sum(total[level] for level in invalid)} invalid files."
        in text
    )
    assert noticed["invalid-level1"] == total["invalid-level1"]
    for figure in (
        f"all {total['invalid-level1']} files of level 1",
        f"{noticed['invalid-level2']} of the {total['invalid-level2']} files of level 2",
        f"{sum(noticed[level] for level in higher)} of the {sum(total[level] for level in higher)} files of higher levels",
        f"Of the {total['valid']} valid files",
    ):
        assert figure in text
