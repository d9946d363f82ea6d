"""Fuzz target: all of `levelhead score` on two files; an evaluation or an InputError, and laws that scores obey."""

import json
import sys
import tempfile
import zlib
from itertools import pairwise
from pathlib import Path
from random import Random

import atheris
from fuzz_inputs import mutate_pair, pair_of

with atheris.instrument_imports(include=["levelhead"]):
    from levelhead import Evaluation, score
    from levelhead.analysis.rule_differences import explain
    from levelhead.errors import InputError
    from levelhead.evaluation.pair import load
    from levelhead.evaluation.score_tables import score_table
    from levelhead.scoring.rules import UDTOOLS, WORD_RULES
    from levelhead.tables.writers import WRITERS

FOLDER = tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
GOLD, SYSTEM = Path(FOLDER.name, "gold"), Path(FOLDER.name, "system")
OFFICIAL = [name for name in WORD_RULES if name != "ud"]
GRAPHS = {"ELAS", "EULAS"}


def check(data: bytes) -> None:
    """Score two files under our rules and one scorer's; by turns print, swap, explain, score partially."""
    gold, system = pair_of(data)
    GOLD.write_bytes(gold)
    SYSTEM.write_bytes(system)
    turn = zlib.crc32(data)
    for rules in ("ud", OFFICIAL[turn % len(OFFICIAL)]):
        evaluation, itself = evaluated(GOLD, SYSTEM, rules), evaluated(GOLD, GOLD, rules)
        if itself is not None:
            check_perfect(itself, rules)
        if evaluation is not None:
            assert itself is not None, "gold is valid beside the system and invalid beside itself"
            check_scores(evaluation, rules)
            if turn % 5 == 0:
                check_print(evaluation)
    if turn % 5 == 1:
        check_swapped(evaluated(GOLD, SYSTEM, "ud"), evaluated(SYSTEM, GOLD, "ud"))
    if turn % 5 == 2:
        check_partial(evaluated(GOLD, SYSTEM, "ud"))
    if turn % 20 == 3:
        check_explained()


def check_explained() -> None:
    """What differs between the rules can be told, or one of the files is refused."""
    try:
        explanation = explain(GOLD, SYSTEM)
    except InputError as error:
        check_text(str(error))
        return
    json.dumps(explanation.to_dict())
    check_text(WRITERS["text"](explanation.table(), 2))


def check_partial(ours: Evaluation | None) -> None:
    """Of two files that can be scored, the partial score is the score; of others, valid trees score no more."""
    try:
        found = score(GOLD, SYSTEM, partial=True)
    except InputError as error:
        check_text(str(error))
        return
    check_scores(found, "ud")
    for name, one in found.items():
        assert found.valid_trees[name].correct <= one.correct
    if ours is not None:
        assert numbers(found) == numbers(ours), "the partial score of a file without differences is not its score"


def evaluated(gold: Path, system: Path, rules: str) -> Evaluation | None:
    """Score two files; None where one is refused or the texts differ."""
    try:
        return score(gold, system, rules=rules)
    except InputError as error:
        check_text(str(error))
        return None


def numbers(evaluation: Evaluation) -> dict[str, tuple[float | None, ...]]:
    """What is compared of scores."""
    return {name: (one.correct, one.gold, one.system, one.aligned) for name, one in evaluation.items()}


def check_scores(evaluation: Evaluation, rules: str) -> None:
    """Ratios are between 0 and 1 (but for udtools' edges), and who needs more agrees less."""
    for name, one in evaluation.items():
        assert one.correct >= 0
        if not (name in GRAPHS and rules == "udtools"):
            assert one.correct <= min(one.gold, one.system)
            assert one.value is None or 0 <= one.value <= 100
        assert one.aligned is None or one.correct <= one.aligned <= one.gold
    ascending = [name for name in ("MLAS", "CLAS", "LAS", "UAS", "Words") if name in evaluation]
    for lower, higher in pairwise(ascending):
        assert evaluation[lower].correct <= evaluation[higher].correct, f"{lower} has more right than {higher}"


def check_perfect(evaluation: Evaluation, rules: str) -> None:
    """A file against itself scores 100 in whatever has a value."""
    for name, one in evaluation.items():
        assert one.gold == one.system
        if name in GRAPHS and rules == "udtools":
            assert one.correct >= one.gold or any("." in deps for deps in load(GOLD, UDTOOLS).deps)
        elif one.reason is None and one.gold:
            assert one.precision == one.recall == one.f1 == 100, f"{name} of a file against itself is {one.f1}"


def check_swapped(evaluation: Evaluation | None, other: Evaluation | None) -> None:
    """Gold and system trade places: so do their totals, and segmentation agrees as much as before."""
    assert (evaluation is None) == (other is None)
    if evaluation is None or other is None:
        return
    for name, one in evaluation.items():
        if one.reason is None and other[name].reason is None:
            assert (one.gold, one.system) == (other[name].system, other[name].gold)
    for name in ("Tokens", "Sentences"):
        assert evaluation[name].correct == other[name].correct


def check_print(evaluation: Evaluation) -> None:
    """Every format can be written, and none lets control characters through."""
    json.dumps(evaluation.to_dict())
    for counts in (False, True):
        table = score_table(evaluation, counts=counts)
        for writer in WRITERS.values():
            check_text(writer(table, 2).replace("\t", " "))


def check_text(text: str) -> None:
    """A text for people is of printable lines."""
    assert text.replace("\n", "").isprintable(), "a control character in what is printed"


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Change bytes as the fuzzer thinks best, or the two files as parsers and people do."""
    draw = Random(seed)
    changed = mutate_pair(data, draw) if draw.random() < 0.8 else atheris.Mutate(data, len(data))
    return changed[:max_size]


if __name__ == "__main__":
    atheris.Setup(sys.argv, check, custom_mutator=mutate)
    atheris.Fuzz()
