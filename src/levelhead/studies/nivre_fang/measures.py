"""The scores of outputs, named as the columns of the paper's tables."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from levelhead.campaign import check_valid, find_plan, score_plan
from levelhead.evaluation.setup import setup_of
from levelhead.studies.example_sentences import conllu
from levelhead.studies.request import StudyRequest
from levelhead.studies.scores import score_files
from levelhead.studies.statistics import Cell
from levelhead.studies.treebank_parts import read_treebank
from levelhead.treebank import from_conllu

NAME = "nivre-fang-2017"
PARSER = "swap-lazy"
OTHERS = ("graph", "ensemble")
"""Also trained if no outputs are given, to see whether the findings depend on the parser."""

CLASSES = ("CORE", "NONCORE", "FUN", "MWE")
WITHOUT = ("PUNCT", "FUN", "MWE")
RELATIONS = ("det", "clf", "case", "aux", "cop", "mark", "cc")

Row = Mapping[str, float | None]
Rows = Mapping[str, Row]


def words(train: str) -> int:
    """Return the number of words in a training set."""
    return read_treebank(train).n_words


def scores(golds: Mapping[str, Path], outputs: Mapping[str, Path], request: StudyRequest) -> Rows:
    """Return LAS, CLAS, LAS of each class, and the changes of LAS without classes or relations, for each output."""
    without = [f"LAS-{name}" for name in (*WITHOUT, *RELATIONS)]
    setup = setup_of(["LAS", "CLAS", *(f"LAS@{name}" for name in CLASSES), *without])
    results = check_valid(score_files(golds, {PARSER: outputs}, setup, request)).results
    return {code: _renamed(results[PARSER, code].values) for code in outputs}


def scores_of_examples(texts: Mapping[str, Mapping[str, str]], request: StudyRequest) -> Rows:
    """Return LAS and CLAS of the example sentences."""
    golds, outputs = (
        {code: from_conllu(conllu(text[side]).encode(), name=side) for code, text in texts.items()}
        for side in ("gold", "system")
    )
    plan, setup = find_plan(golds, {"": outputs}), setup_of(["LAS", "CLAS"])
    results = check_valid(score_plan(plan, setup, workers=request.workers, store=request.store)).results
    return {code: {name: _float(value) for name, value in results["", code].values.items()} for code in texts}


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _renamed(values: Mapping[str, Fraction | None]) -> Row:
    """Values by the names of the paper's columns; "without FUN" is the difference to LAS."""
    row = {name: _float(value) for name, value in values.items()}
    las = row["LAS"]
    return {
        "LAS": las, "CLAS": row["CLAS"], "CLAS - LAS": difference(row["CLAS"], las),
        **{name: row[f"LAS@{name}"] for name in CLASSES},
        **{f"without {name}": difference(row[f"LAS-{name}"], las) for name in (*WITHOUT, *RELATIONS)},
    }  # fmt: skip


def printed_row(numbers: Mapping[str, Any], code: str, name: str) -> float | None:
    """Return a printed number as a share; None if it is not printed."""
    for table in ("table_2", "table_3"):
        value: float | None = numbers[table].get(code, {}).get(name)
        if value is not None:
            return value / 100
    return None


def difference(x: Cell, y: Cell) -> Cell:
    """Return x - y; None if either is missing."""
    return None if x is None or y is None else x - y


def points(share: float | None) -> float | None:
    """Return a share in percentage points; None for None."""
    return None if share is None else 100 * share
