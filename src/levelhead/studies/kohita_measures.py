"""What is measured of conversion, and of parsers on both kinds of trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from levelhead.conversion import backward, check, default_targets, forward
from levelhead.conversion.round_trip import RoundTrip
from levelhead.evaluation import Evaluation, load, score
from levelhead.scoring.definitions import ATTACHED
from levelhead.scoring.matches import match
from levelhead.scoring.rules import RULES
from levelhead.studies.numbers import Cell
from levelhead.studies.parts import format_of
from levelhead.treebank import Treebank, read
from levelhead.treebank.schemes import SCHEMES
from levelhead.typology import count, profile

NAME = "kohita-2017"
PARSERS = ("graph", "swap-lazy")
"""What is trained where no outputs are given: one of second order, as theirs were, and a transition system."""

MEASURES = {"UAS": "UAS(nopunct)", "LAS": "LAS(nopunct)", "CNC": "CNC"}
RELATIONS = ("advmod", "amod", "conj", "dobj", "nmod", "nsubj", "case", "cc", "det", "mark")
LEVEL = 0.05

Row = Mapping[str, Any]
Rows = Mapping[str, Row]


def describe(*paths: str) -> dict[str, Any]:
    """Return what forward conversion changes in a treebank, and its head-word entropies before and after.

    Args:
        paths: the training set, or the parts that stand in for it.
    """
    treebanks = [read(path, format=format_of(path)) for path in paths]
    trips = [check(treebank) for treebank in treebanks]
    before, after = _entropies(treebanks), _entropies([forward(treebank) for treebank in treebanks])
    return {**_summed(trips), "before": before["head_entropy"], "after": after["head_entropy"],
            "relations": _changes(before["head_entropy_by_relation"], after["head_entropy_by_relation"])}  # fmt: skip


def _summed(trips: Sequence[RoundTrip]) -> dict[str, float]:
    words = sum(trip.words for trip in trips)
    return {
        "words": words,
        "converted": sum(trip.converted for trip in trips) / words,
        "failed": sum(len(trip.not_restored) for trip in trips) / words,
        "nonprojective before": sum(trip.nonprojective_sentences[0] for trip in trips),
        "nonprojective after": sum(trip.nonprojective_sentences[1] for trip in trips),
        "arcs before": sum(trip.nonprojective[0] for trip in trips) / words,
        "arcs after": sum(trip.nonprojective[1] for trip in trips) / words,
        "sentences": sum(trip.sentences for trip in trips),
    }


def _entropies(treebanks: Sequence[Treebank]) -> Mapping[str, Any]:
    counts = [count(treebank) for treebank in treebanks]
    return profile(sum(counts[1:], counts[0]), columns=["head_entropy", "head_entropy_by_relation"])


def _changes(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    return {name: after[name] - before[name] for name in RELATIONS if name in before and name in after}


def measure(gold: str, original: str, converted: str) -> dict[str, Any]:
    """Return the scores of two outputs of a parser, and what backward conversion does to the second.

    Args:
        gold: the path of the test set.
        original: the path of the output of the parser trained on content-head trees.
        converted: the path of the output, in function-head trees, of the parser trained on such.
    """
    rules = RULES["ud"]
    reference, plain, raised = (load(path, rules, format_of(path)) for path in (gold, original, converted))
    lowered, functional = backward(raised), forward(reference)
    by_relation = [f"LAS@{name}" for name in RELATIONS]
    wanted = [*MEASURES.values(), *by_relation]
    scores = {"UD": score(reference, plain, measures=wanted), "CONV": score(reference, lowered, measures=wanted)}
    heads = {
        "UD": score(functional, forward(plain), measures=list(MEASURES.values())),
        "CONV": score(functional, raised, measures=list(MEASURES.values())),
    }
    return {
        "scores": {kind: _values(one) for kind, one in scores.items()},
        "function heads": {kind: _values(one) for kind, one in heads.items()},
        "spoilt": _spoilt(reference, functional, raised, lowered),
    }


def _values(evaluation: Evaluation) -> dict[str, float | None]:
    names = (*MEASURES, *RELATIONS)
    return {name: one.value for name, one in zip(names, evaluation.values())}


def _spoilt(gold: Treebank, functional: Treebank, raised: Treebank, lowered: Treebank) -> dict[str, int]:
    """Functional arcs (of words that are targets) right before backward conversion, and what becomes of them."""
    rules = RULES["ud"]
    before, after = match(functional, raised, rules), match(gold, lowered, rules)
    targets = default_targets().of(gold).astype(bool)
    members = targets | SCHEMES["kohita"].is_in("FUNCTION", gold.relations)

    def right(matches: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
        found = np.zeros(gold.n_words, dtype=bool)
        found[matches.alignment.gold] = matches.agree(ATTACHED)
        return found & members

    was, now = right(before), right(after)
    return {"functional": int(members.sum()), "right before": int(was.sum()), "right after": int(now.sum()),
            "spoilt": int((was & ~now).sum()), "mended": int((~was & now).sum())}  # fmt: skip


def change(row: Row) -> Cell:
    """Return how much conversion changes the entropy, in bits."""
    return None if row["before"] is None or row["after"] is None else row["after"] - row["before"]


def gain(numbers: Mapping[str, Any], code: str, parser: str, name: str = "LAS") -> Cell:
    """Return the printed gain of a parser, in points; None if there is none."""
    row = numbers["table_2"].get(code)
    return None if row is None else row[f"{name} {parser} CONV"] - row[f"{name} {parser} UD"]


def own_gain(row: Row | None, name: str) -> Cell:
    """Return the gain of our parser, in points."""
    if row is None:
        return None
    one, other = row["scores"]["UD"][name], row["scores"]["CONV"][name]
    return None if one is None or other is None else 100 * (other - one)
