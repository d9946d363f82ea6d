"""Two folders of treebanks: pairs by file name, all scored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from levelhead.errors import Fault, InputError, Place
from levelhead.evaluation import Evaluation, score
from levelhead.treebank.source import SUFFIXES

if TYPE_CHECKING:
    from levelhead.scoring import Measure, Rules
    from levelhead.treebank.reader import Format

Pairs = Mapping[str, tuple[Path, Path]]


def pairs_in(gold: str | os.PathLike[str], system: str | os.PathLike[str]) -> Pairs:
    """Pair the files of two folders by their names without `.conllu` and suffixes of compression.

    Args:
        gold: a folder of CoNLL-U files.
        system: a folder with a file of the same name for each.

    Raises:
        InputError: the gold folder has none, or files are missing in the system's.
    """
    golds, systems = _treebanks_in(Path(gold)), _treebanks_in(Path(system))
    if not golds:
        raise InputError(Fault("no-pairs", "there is no CoNLL-U file in this folder", Place(os.fspath(gold))))
    missing = [name for name in golds if name not in systems]
    if missing:
        raise InputError(*(
            Fault("missing-system-file", f"there is no output for {name}", Place(os.fspath(system))) for name in missing
        ))  # fmt: skip
    return {name: (path, systems[name]) for name, path in golds.items()}


def score_pairs(
    pairs: Pairs,
    *,
    measures: Iterable[str | Measure] | None = None,
    rules: str | Rules = "ud",
    format: Format = "conllu",  # noqa: A002
) -> dict[str, Evaluation]:
    """Score every pair, with a progress bar on terminals.

    Args:
        pairs: the paths of gold and system by treebank.
        measures: as in `score`.
        rules: as in `score`.
        format: as in `score`.

    Raises:
        InputError: any file is not valid; the error holds the faults of all.
    """
    from rich.console import Console
    from rich.progress import track

    asked = None if measures is None else list(measures)
    evaluations: dict[str, Evaluation] = {}
    faults: list[Fault] = []
    console = Console(stderr=True)
    for name, (gold, system) in track(
        pairs.items(), "scoring", console=console, disable=not console.is_terminal, transient=True
    ):
        try:
            evaluations[name] = score(gold, system, measures=asked, rules=rules, format=format)
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(*faults)
    return evaluations


def _treebanks_in(folder: Path) -> dict[str, Path]:
    """The CoNLL-U files of a folder by treebank, in alphabetical order."""
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(Fault("unreadable-file", error.strerror or str(error), Place(os.fspath(folder)))) from error
    return {name: path for path in paths if (name := _treebank_name(path.name))}


def _treebank_name(file_name: str) -> str | None:
    for suffix in SUFFIXES:
        file_name = file_name.removesuffix(suffix)
    for suffix in (".conllu", ".conllx", ".conll"):
        if file_name.endswith(suffix):
            return file_name.removesuffix(suffix)
    return None
