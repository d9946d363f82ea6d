"""Every line under a table says from which files its numbers come: gold, and the system or systems."""

import hashlib
import json
from pathlib import Path

import pytest

from conftest import EXAMPLES
from levelhead.cli import program

GOLD, SYSTEMS = EXAMPLES / "parallel" / "gold", EXAMPLES / "parallel" / "systems"
ALPHA, BETA = SYSTEMS / "alpha", SYSTEMS / "beta"


@pytest.fixture
def run(capsys):
    """Run the command in this process; gives standard output."""

    def command(*arguments: object) -> str:
        assert program.run([str(argument) for argument in arguments]) == 0
        return capsys.readouterr().out

    return command


def digits(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def joint(*folders: Path) -> str:
    """As docs/formats.md says, written down again."""
    digests = [digits(path) for folder in folders for path in sorted(folder.glob("*.conllu"))]
    return hashlib.sha256("".join(digests).encode()).hexdigest()[:12]


OF_FILES = [
    ["score"],
    ["breakdown", "--by", "class"],
    ["breakdown", "--by", "relation"],
    ["analyze"],
    ["analyze", "--show", "cascading"],
    ["confusion"],
    ["trees", "--show", "nsubj:obj"],
]


@pytest.mark.parametrize("command", OF_FILES, ids=" ".join)
def test_scores(run, command):
    """Files, and folders but for --show; in text and in JSON."""
    pairs = [(GOLD / "en.conllu", ALPHA / "en.conllu", digits(GOLD / "en.conllu"), digits(ALPHA / "en.conllu"))]
    pairs += [(GOLD, ALPHA, joint(GOLD), joint(ALPHA))] if "--show" not in command else []
    for gold, system, ours, theirs in pairs:
        signed = run(*command, gold, system).splitlines()[-1]
        assert signed.startswith(f"rules:ud|gold:{ours}|system:{theirs}|")
        document = json.loads(run(*command, gold, system, "--format", "json"))
        signature = document.get("provenance", document)["signature"]
        assert "|".join(f"{name}:{value}" for name, value in signature.items()) == signed


COMPARISONS = [["compare"], ["breakdown", "--by", "relation"], ["trees", "--limit", "1"]]


@pytest.mark.parametrize("command", COMPARISONS, ids=" ".join)
def test_comparisons(run, command):
    files = [folder / "en.conllu" for folder in (GOLD, ALPHA, BETA)]
    systems = hashlib.sha256("".join(map(digits, files[1:])).encode()).hexdigest()[:12]
    for paths, gold, expected in (
        (files, digits(files[0]), systems),
        ((GOLD, ALPHA, BETA), joint(GOLD), joint(ALPHA, BETA)),
    ):
        signed = run(*command, *paths).splitlines()[-1]
        assert signed.startswith(f"rules:ud|gold:{gold}|systems:{expected}|")
        document = json.loads(run(*command, *paths, "--format", "json"))
        signature = document.get("provenance", document)["signature"]
        assert (signature["gold"], signature["systems"]) == (gold, expected)


def test_comparisons_of_languages_and_rankings(run):
    """The same hashes as those of comparisons, whatever is done with the files."""
    start = f"rules:ud|gold:{joint(GOLD)}|systems:{joint(ALPHA, BETA)}|"
    assert run("languages", GOLD, ALPHA, BETA).splitlines()[-1].startswith(start)
    for more in ([], ["--by-treebank"]):
        ranked = run("rank", GOLD, SYSTEMS, "--system", "alpha", "--system", "beta", *more)
        assert ranked.splitlines()[-1].startswith(start)


def test_a_system_called_gold(run, tmp_path):
    """Its hash is not that of gold."""
    for name, source in (("gold", ALPHA), ("other", BETA)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "en.conllu").write_bytes((source / "en.conllu").read_bytes())
    paths = (GOLD / "en.conllu", tmp_path / "gold" / "en.conllu", tmp_path / "other" / "en.conllu")
    signed = run("compare", *paths).splitlines()[-1]
    assert signed.startswith(f"rules:ud|gold:{digits(paths[0])}|systems:")
