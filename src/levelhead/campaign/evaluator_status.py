"""The status messages of the shared tasks' evaluators: conll17_tira_eval.py and conll18_tira_eval.py.

They are in the archives of the tasks, and other programs read them, so they are reproduced exactly.
"""

from __future__ import annotations

from collections.abc import Mapping

from levelhead.errors import InputError, UnreadableFile
from levelhead.scoring import Score
from levelhead.treebank.official_reader import Crash, CycleRefused, RootsRefused

CANNOT_OPEN = "Error: Cannot open generated CoNLL-U file"
EMPTY = "Error: The system file is empty"
_CYCLE = "Error: There is a cycle in generated CoNLL-U file"
_ROOTS = "Error: There are multiple roots in a sentence in generated CoNLL-U file"
_FORMAT = "Error: There is a format error (tabs, ID values, etc) in generated CoNLL-U file"
_OF_SLUG = {"cycle": _CYCLE, "no-root": _ROOTS, "several-roots": _ROOTS, "empty-file": EMPTY, "encoding": CANNOT_OPEN}
_SHOWN_2018 = ("LAS", "MLAS", "BLEX")


def status_of_refusal(error: InputError) -> str:
    """Return the status of an output that was refused when it was read."""
    if isinstance(error, CycleRefused):
        return _CYCLE
    if isinstance(error, RootsRefused):
        return _ROOTS
    if isinstance(error, Crash | UnreadableFile):
        return CANNOT_OPEN
    return _OF_SLUG.get(error.slug, _FORMAT)


def status_of_other_text(n_system: int, n_gold: int) -> str:
    """Return the status of an output whose characters differ from gold."""
    if n_system == 0:
        return EMPTY
    percent = int(100 * n_system / max(1, n_gold))
    return (
        "Error: The concatenation of tokens in gold file and in system file differ, system file has"
        f" {n_system} nonspace characters, which is approximately {percent}% of the gold file"
    )


def status_of_scores(scores: Mapping[str, Score], rules: str) -> str:
    """Return the status of a valid output: its nonzero LAS (2017), or its main scores rounded to 5% (since 2018)."""
    if rules == "conll17":
        las = scores.get("LAS")
        zero = las is not None and not las.value
        return "Error: Evaluated zero LAS F1 score" if zero else "OK: Evaluated non-zero LAS F1 score"
    shown = [(name, scores[name].f1 or 0.0) for name in _SHOWN_2018 if name in scores]
    numbers = " ".join(f"{name}={100 * _to_five_percent(f1):.0f}%" for name, f1 in shown)
    return f"OK: Result F1 scores rounded to 5% are {numbers}" if shown else "OK"


def _to_five_percent(ratio: float) -> float:
    return round(ratio * 20) / 20
