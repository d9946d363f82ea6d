"""Two folders of treebanks: pairs by file name, all scored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from levelhead.errors import Fault, InputError, Place, listed, number_of
from levelhead.evaluation import Evaluation, Needs, measures_for, score
from levelhead.measures import STANDARD, Registry
from levelhead.progress import tracked
from levelhead.scoring.rules import rules_named
from levelhead.treebank.finder import treebanks_in

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
        InputError: the gold folder has none or two of one name, or the system's folder lacks a file.
    """
    golds, systems = treebanks_in(Path(gold)), treebanks_in(Path(system))
    if not golds:
        raise InputError(Fault("no-pairs", "there is no CoNLL-U file in this folder", Place(os.fspath(gold))))
    missing = missing_outputs(golds, systems, system)
    if missing is not None:
        raise InputError(missing)
    return {name: (path, systems[name]) for name, path in golds.items()}


def missing_outputs(
    golds: Mapping[str, Path], outputs: Mapping[str, Path], folder: str | os.PathLike[str]
) -> Fault | None:
    """Return one error for all gold treebanks without an output, None if there are none.

    It also names files that match no gold treebank: one of them may be a missing output with another name.

    Args:
        golds: the gold files by treebank.
        outputs: the system's files by treebank.
        folder: the system's folder.
    """
    missing = [name for name in golds if name not in outputs]
    if not missing:
        return None
    others = [path.name for name, path in outputs.items() if name not in golds]
    misnamed = f"; {unmatched(others, 'gold treebank')}" if others else ""
    message = f"no output for {len(missing)} of {number_of(len(golds), 'gold treebank')}: {listed(missing)}{misnamed}"
    remedy = "; use levelhead rank, which counts missing outputs as 0"
    return Fault("missing-system-file", message + remedy, Place(os.fspath(folder)))


def unmatched(files: Sequence[str], of: str) -> str:
    """Return a note about files without a matching treebank.

    Args:
        files: at least one file.
        of: what they match none of: "gold treebank".
    """
    return f"{number_of(len(files), 'file')} with no matching {of} (ignored): {listed(files)}"


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
