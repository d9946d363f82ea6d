"""`validate` and `derive` print tables, too."""

import csv
import json

import pytest
from click.testing import CliRunner

from conftest import EXAMPLES
from levelhead.cli.program import cli

GOLD, INVALID = EXAMPLES / "parallel" / "gold" / "en.conllu", EXAMPLES / "parallel" / "systems" / "gamma" / "tr.conllu"


def printed(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(cli, list(map(str, arguments)), standalone_mode=False)
    return done.return_value or 0, done.stdout


def test_errors_as_json_and_table() -> None:
    code, text = printed("validate", INVALID, "--format", "json")
    document = json.loads(text)
    (file,) = document["tables"]["files"]
    assert (code, document["kind"], file["valid"]) == (2, "validate", False)
    code, text = printed("validate", INVALID, GOLD, "--format", "tsv")
    lines = csv.DictReader(text.splitlines(), delimiter="\t")
    assert [(line["severity"], line["slug"]) for line in lines] == [
        (one["severity"], one["slug"]) for one in document["tables"]["faults"]
    ]


@pytest.mark.parametrize("output_format", ["markdown", "latex", "tsv"])
def test_derivations_as_tables(output_format: str) -> None:
    code, text = printed("derive", GOLD, "--labeled", "--format", output_format)
    assert (code, "LEFT-ARC:det" in text) == (0, True)
    if output_format == "tsv":
        assert len(text.splitlines()) == 21
