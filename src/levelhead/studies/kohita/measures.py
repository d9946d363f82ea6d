"""Statistics of conversion, and scores of parsers trained on content-head and on function-head trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign import Results, check_valid, find_plan, score_plan
from levelhead.campaign.outputs import Output
from levelhead.conversion import backward, check_round_trip, default_targets, forward
from levelhead.conversion.round_trip import RoundTrip
from levelhead.evaluation.pair import load
from levelhead.evaluation.setup import setup_of
from levelhead.scoring.measure_definitions import ATTACHED
from levelhead.scoring.rules import RULES
from levelhead.studies.request import StudyRequest
from levelhead.studies.statistics import Cell
from levelhead.studies.treebank_parts import format_of, read_treebank
from levelhead.treebank import Treebank
from levelhead.treebank.schemes import SCHEMES
from levelhead.typology import count_treebank, profile

NAME = "kohita-2017"
PARSERS = ("graph", "swap-lazy", "ensemble")
"""The parsers trained if no outputs are given: second-order, like the paper's; transition-based; and both combined."""

MEASURES = {"UAS": "UAS(nopunct)", "LAS": "LAS(nopunct)", "CNC": "CNC"}
RELATIONS = ("advmod", "amod", "conj", "dobj", "nmod", "nsubj", "case", "cc", "det", "mark")
UD2_RELATIONS = ("advmod", "amod", "conj", "obj", "nmod", "obl", "nsubj", "case", "cc", "det", "mark")
"""Their counterparts in UD v2, which split `nmod` into `nmod` and `obl`."""

_MEASURED = tuple(dict.fromkeys((*RELATIONS, *UD2_RELATIONS)))

Row = Mapping[str, Any]
Rows = Mapping[str, Row]
Files = Mapping[str, Path]
Flags = NDArray[np.bool_]


def describe(*paths: str) -> dict[str, Any]:
    """Return what forward conversion changes in a treebank, and its head-word entropies before and after."""
    treebanks = [read_treebank(path) for path in paths]
    trips = [check_round_trip(treebank) for treebank in treebanks]
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
    counts = [count_treebank(treebank) for treebank in treebanks]
    return profile(sum(counts[1:], counts[0]), columns=["head_entropy", "head_entropy_by_relation"])


def _changes(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    return {name: after[name] - before[name] for name in _MEASURED if name in before and name in after}


class ParsedTestSet(NamedTuple):
    """A test set and two outputs of a parser, all as content-head trees or all as function-head trees.

    Args:
        gold: the gold trees.
        original: the output of the parser trained on content-head trees.
        converted: the output of the parser trained on function-head trees.
    """

    gold: Treebank
    original: Treebank
    converted: Treebank


def measure(golds: Mapping[str, Path], original: Files, converted: Files, request: StudyRequest) -> dict[str, Row]:
    """Return the scores of two outputs, and the effect of backward conversion on the second, by treebank."""
    loaded = {code: ParsedTestSet(*(_loaded(files[code]) for files in (golds, original, converted))) for code in golds}
    content = {code: trees._replace(converted=backward(trees.converted)) for code, trees in loaded.items()}
    functional = {
        code: trees._replace(gold=forward(trees.gold), original=forward(trees.original))
        for code, trees in loaded.items()
    }
    by_relation = [f"LAS@{name}" for name in _MEASURED]
    in_content_heads = _scored(content, [*MEASURES.values(), *by_relation], request)
    in_function_heads = _scored(functional, list(MEASURES.values()), request)
    return {
        code: {
            "scores": _values(in_content_heads, code),
            "function heads": _values(in_function_heads, code),
            "arcs": _functional_arcs(
                trees.gold, in_function_heads.looked[code]["CONV"], in_content_heads.looked[code]["CONV"]
            ),
        }
        for code, trees in loaded.items()
    }


def _loaded(path: Path) -> Treebank:
    return load(path, RULES["ud"], format_of(path))


def _scored(trees: Mapping[str, ParsedTestSet], measures: Sequence[str], request: StudyRequest) -> Results:
    """The results of both outputs on each test set, with the words that are right."""
    outputs = {
        "UD": {code: tree.original for code, tree in trees.items()},
        "CONV": {code: tree.converted for code, tree in trees.items()},
    }
    plan = find_plan({code: tree.gold for code, tree in trees.items()}, outputs)
    return check_valid(
        score_plan(plan, setup_of(measures), workers=request.workers, store=request.store, look=right_words)
    )


def right_words(code: str, outputs: Sequence[Output]) -> dict[str, Flags]:
    """Return which gold words have the right head and relation in each output, bool, shape (words,)."""
    del code
    right_by_output = {}
    for output in outputs:
        matches = output.matches
        right = np.zeros(matches.gold.n_words, dtype=bool)
        right[matches.alignment.gold] = matches.agree(ATTACHED)
        right_by_output[output.name] = right
    return right_by_output


def _values(results: Results, code: str) -> dict[str, dict[str, float | None]]:
    names = (*MEASURES, *_MEASURED)
    return {
        kind: {name: score.value for name, score in zip(names, results.results[kind, code].scores.values())}
        for kind in results.systems
    }


def _functional_arcs(gold: Treebank, before: Flags, after: Flags) -> dict[str, int]:
    """How many functional arcs (arcs of target words) are right before and after backward conversion."""
    targets = default_targets().of(gold).astype(bool)
    members = targets | SCHEMES["kohita"].is_in("FUNCTION", gold.relations)
    was, now = before & members, after & members
    return {"functional": int(members.sum()), "right before": int(was.sum()), "right after": int(now.sum()),
            "broken": int((was & ~now).sum()), "fixed": int((~was & now).sum())}  # fmt: skip


def change(row: Row) -> Cell:
    """Return the change of entropy by conversion, in bits."""
    return None if row["before"] is None or row["after"] is None else row["after"] - row["before"]


def gain(numbers: Mapping[str, Any], code: str, parser: str, name: str = "LAS") -> Cell:
    """Return the printed gain of a parser, in points; None if it is not printed."""
    row = numbers["table_2"].get(code)
    return None if row is None else row[f"{name} {parser} CONV"] - row[f"{name} {parser} UD"]


def own_gain(row: Row | None, name: str) -> Cell:
    """Return the gain of our parser, in points; None without scores."""
    if row is None:
        return None
    original, converted = row["scores"]["UD"][name], row["scores"]["CONV"][name]
    return None if original is None or converted is None else 100 * (converted - original)
