"""Morphosyntactic parsing: 77 pairs and 74 edge cases with the numbers of both official programs."""

import csv
from functools import cache
from pathlib import Path

import pytest

import levelhead
from conftest import one_in
from levelhead.errors import InputError
from oracle import content

TABLES = {
    "msp25": ("official.tsv", "edge/manifest.tsv"),
    "msp25-sorted": ("official_sorted_values.tsv", "edge/manifest_sorted_values.tsv"),
}
MEASURES = ("MSLAS", "LAS", "Feats")
EVERY_RULES = pytest.mark.parametrize("rules", TABLES)

NOT_PAIRED = {
    "more-sentences": "sentence-mismatch",
    "split-sentence": "sentence-mismatch",
    "comments-only": "empty-file",
    "double-blank-line": "refused-by-rules",
    "double-blank-line-shift": "refused-by-rules",
    "empty-sentence-system": "refused-by-rules",
}
"""Pairs that the program scores although sentences do not match up, with numbers that mean nothing: refused here."""

TOO_DEEP = {"chain-left-1500"}
"""What ends the program in a RecursionError, and is scored here."""


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


def official(row: dict[str, str]) -> dict[str, tuple[float, ...]]:
    """The seven numbers of each measure, at full precision."""
    parts = ("correct", "gold_total", "system_total", "aligned_total", "precision", "recall", "f1")
    return {name: tuple(float(row[f"{name}_{part}"]) for part in parts) for name in MEASURES}


def ours(gold: Path, system: Path, rules: str) -> dict[str, tuple[float | None, ...]]:
    scores = levelhead.score(gold, system, rules=rules)
    assert tuple(scores) == MEASURES
    return {
        name: (one.correct, one.gold, one.system, one.aligned, *map(one.ratio, ("precision", "recall", "f1")))
        for name, one in scores.items()
    }


@cache
def slug_of(gold: Path, system: Path, rules: str) -> str:
    with pytest.raises(InputError) as refusal:
        levelhead.score(gold, system, rules=rules)
    return refusal.value.slug


@EVERY_RULES
def test_every_number_of_every_pair_is_that_of_the_program(data: Path, rules: str) -> None:
    """Counts, precision, recall and F1 of 74 pairs to the last digit; the other three are refused by both.

    Of one pair in six, and with sorted values of fewer: what they change is in the edge cases.
    """
    table = rows(data / "msp" / TABLES[rules][0])
    assert len(table) == 77
    for row in one_in(6, table) if rules == "msp25" else one_in(12, table, 1):
        gold = data / f"msp/gold/{row['gold']}.conllu.xz"
        system = data / f"msp/systems/{row['system']}/{row['gold']}.conllu.xz"
        if row["verdict"] == "ok":
            assert ours(gold, system, rules) == official(row), (row["gold"], row["system"])
        else:
            assert slug_of(gold, system, rules) == "refused-by-rules", (row["gold"], row["system"])


@EVERY_RULES
def test_every_edge_case_has_the_numbers_of_the_program_or_is_refused(data: Path, rules: str) -> None:
    """What the program refuses or crashes on is refused, but for long chains; so are pairs that do not match up."""
    table = rows(data / "msp" / TABLES[rules][1])
    assert len(table) == 74
    for row in table:
        name = row["name"]
        gold, system = (data / f"msp/edge/{name}.{side}.conllu" for side in ("gold", "system"))
        if name in TOO_DEEP:
            assert ours(gold, system, rules) == dict.fromkeys(MEASURES, (1500, 1500, 1500, 1500, 1.0, 1.0, 1.0))
        elif name in NOT_PAIRED:
            assert row["verdict"] == "ok"
            assert slug_of(gold, system, rules) == NOT_PAIRED[name], name
        elif row["verdict"] == "ok":
            assert ours(gold, system, rules) == official(row), name
        else:
            assert slug_of(gold, system, rules) in {"refused-by-rules", "sentence-mismatch", "empty-file"}, name


@EVERY_RULES
def test_the_second_implementation_agrees_with_the_program(data: Path, rules: str) -> None:
    """The oracle of the random tests has the official numbers and verdicts of all edge cases itself."""
    for row in rows(data / "msp" / TABLES[rules][1]):
        name = row["name"]
        gold, system = ((data / f"msp/edge/{name}.{side}.conllu").read_bytes() for side in ("gold", "system"))
        if name in NOT_PAIRED or row["verdict"] != "ok":
            if name not in TOO_DEEP:
                with pytest.raises(content.Refused):
                    content.score(gold, system, rules)
            continue
        found = content.score(gold, system, rules)
        assert {one: (*found[one], found[one].f1) for one in found} == {
            one: (*numbers[:4], numbers[6]) for one, numbers in official(row).items()
        }, name
