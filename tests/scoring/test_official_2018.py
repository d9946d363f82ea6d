"""The official scores of the CoNLL 2018 shared task: counts and ratios of 33 test sets by 6 systems."""

from pathlib import Path

import pytest

import levelhead
from conftest import one_in
from levelhead.scoring.rules import CONLL18
from official_2018 import SYSTEMS, official_rows

N_TREEBANKS = 33
N_MISSING = {"ArmParser": 11, "ONLP-lab": 1}

COUNTS = ("correct", "gold", "system", "aligned")
RATIOS = {"P": "precision", "R": "recall", "F1": "f1", "alignedacc": "aligned_accuracy"}
"""The end of each column of ratios in the official table, and what we call it."""


def scored(evaluation: levelhead.Evaluation) -> dict[str, str]:
    """Print our numbers as the official table does: integers and floats by their repr, None where there is none."""
    found = {}
    for measure, score in evaluation.items():
        found |= {f"{measure}_{name}": repr(getattr(score, name)) for name in COUNTS}
        found |= {f"{measure}_{end}": repr(score.ratio(name)) for end, name in RATIOS.items()}
    return found


def differences(data: Path, row: dict[str, str]) -> list[str]:
    """Compare one pair; a pair without a system file has no numbers to compare."""
    treebank = f"{row['treebank']}.conllu.xz"
    gold, system = data / "conll18" / "gold" / treebank, data / "conll18" / "systems" / row["system"] / treebank
    if row["status"] == "MISSING":
        return [f"{treebank}: is there, the official table has no numbers"] if system.exists() else []
    ours = scored(levelhead.score(gold, system, rules="conll18"))
    theirs = {name: value for name, value in row.items() if name not in {"system", "treebank", "status"}}
    assert ours.keys() == theirs.keys()
    return [f"{treebank} {name}: {ours[name]}, official {theirs[name]}" for name in ours if ours[name] != theirs[name]]


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_number_of_a_system_is_the_official_one(data: Path, system: str) -> None:
    """All 13 measures: four counts and four ratios each, to the last digit; each test set of two systems."""
    rows = official_rows(data, system)
    assert len(rows) == N_TREEBANKS
    assert sum(row["status"] == "MISSING" for row in rows) == N_MISSING.get(system, 0)
    found = [one for row in one_in(3, rows, SYSTEMS.index(system)) for one in differences(data, row)]
    assert not found, "\n".join(found)


def test_the_official_table_has_no_other_system(data: Path) -> None:
    """So that no row of the table goes unchecked."""
    rows = sum(len(official_rows(data, system)) for system in SYSTEMS)
    with (data / "conll18" / "official" / "official_scores_share.tsv").open(encoding="utf-8") as table:
        assert rows == sum(1 for _ in table) - 1


def test_a_missing_system_file_is_refused_by_name(data: Path) -> None:
    """Where no file was submitted there is an error that names it, never a score."""
    missing = data / "conll18" / "systems" / "ONLP-lab" / "th_pud.conllu.xz"
    with pytest.raises(levelhead.InputError) as refusal:
        levelhead.score(data / "conll18" / "gold" / "th_pud.conllu.xz", missing, rules="conll18")
    assert refusal.value.slug == "unreadable-file"
    assert refusal.value.place.file == str(missing)


def test_the_measures_are_those_of_the_official_script() -> None:
    """In its order, so that a table of ours reads like its output."""
    assert CONLL18.measures == (
        *("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"),
        *("UAS", "LAS", "CLAS", "MLAS", "BLEX"),
    )
