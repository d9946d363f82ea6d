"""Two folders of treebanks: pairs by file name, all scored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from levelhead.errors import Fault, InputError, Place, printable
from levelhead.evaluation import Evaluation, Needs, measures_for, score
from levelhead.measures import STANDARD, Registry
from levelhead.progress import tracked
from levelhead.scoring.rules import rules_named
from levelhead.treebank.files import treebanks_in

if TYPE_CHECKING:
    from levelhead.scoring import Measure, Rules
    from levelhead.scoring.weights import Weights
    from levelhead.treebank.reader import Format

Pairs = Mapping[str, tuple[Path, Path]]


def pairs_in(gold: str | os.PathLike[str], system: str | os.PathLike[str]) -> Pairs:
    """Pair the files of two folders by their names without `.conllu` and suffixes of compression.

    Args:
        gold: a folder of CoNLL-U files.
        system: a folder with a file of the same name for each; others (`unpaired_in`) are ignored.

    Raises:
        InputError: the gold folder has none, or two of one name.
    """
    golds, systems = treebanks_in(Path(gold)), treebanks_in(Path(system))
    if not golds:
        raise InputError(Fault("no-pairs", "there is no CoNLL-U file in this folder", Place(os.fspath(gold))))
    return {name: (path, systems.get(name, Path(system) / path.name)) for name, path in golds.items()}


def unpaired_in(treebanks: Iterable[str], folder: str | os.PathLike[str]) -> list[Path]:
    """Return the files of a folder of outputs that belong to no gold treebank.

    Args:
        treebanks: the names of the gold treebanks.
        folder: the outputs of a system.
    """
    known = set(treebanks)
    return [path for name, path in treebanks_in(Path(folder)).items() if name not in known]


def score_pairs(
    pairs: Pairs,
    *,
    measures: Iterable[str | Measure] | None = None,
    rules: str | Rules = "ud",
    format: Format = "conllu",  # noqa: A002
    gold_format: Format | None = None,
    registry: Registry = STANDARD,
    weights: Mapping[str, Weights] | None = None,
) -> dict[str, Evaluation]:
    """Score every pair, with a progress bar on terminals.

    Args:
        pairs: the paths of gold and system by treebank.
        measures: as in `score`.
        rules: as in `score`.
        format: as in `score`.
        gold_format: as in `score`.
        registry: as in `score`.
        weights: as in `score`.

    Raises:
        InputError: any file is missing or not valid; the error holds the faults of all.
    """
    asked = measures_for(rules_named(rules), measures, registry)
    needs = Needs(asked, registry, weights)
    formats: dict[str, Any] = {"format": format, "gold_format": gold_format}
    evaluations: dict[str, Evaluation] = {}
    faults: list[Fault] = []
    for name, (gold, system) in tracked(pairs.items(), "scoring"):
        if not os.path.isfile(system):  # noqa: PTH113 -- which never raises; nobody may ever write to a named pipe
            message = f"there is no output for {printable(name)}"
            faults.append(Fault("missing-system-file", message, Place(os.fspath(system.parent))))
            continue
        try:
            own = needs.of(name)
            evaluations[name] = score(
                gold, system, measures=asked, rules=rules, **formats, weights=own, registry=registry
            )
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(*faults)
    return evaluations


def macro_average(evaluations: Mapping[str, Evaluation]) -> dict[str, Fraction | None]:
    """Average the values of each measure over treebanks, exactly; None where any treebank has no value.

    Args:
        evaluations: one evaluation for each treebank, all of the same measures.
    """
    averages: dict[str, Fraction | None] = {}
    for name in next(iter(evaluations.values())):
        values = [evaluation[name].exact for evaluation in evaluations.values()]
        known = [value for value in values if value is not None]
        averages[name] = sum(known, Fraction(0)) / len(values) if len(known) == len(values) else None
    return averages
