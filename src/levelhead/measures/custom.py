"""The decorator that makes a measure of a function of the aligned words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal

from levelhead.arguments import check, checked, refuse
from levelhead.immutable import name_of
from levelhead.measures.registry import STANDARD
from levelhead.scoring.measure import CustomMeasure, Definition, FunctionOfWords

_COLUMNS = {"upos": "upos", "xpos": "xpos", "feats": "feats", "lemma": "lemmas"}


def _name(argument: str, value: object) -> str:
    """Refuse names that `parse_measure` could not read."""
    if not isinstance(value, str) or not re.fullmatch("[A-Za-z]+", value):
        refuse(argument, value, "a name of ASCII letters, such as LongLAS")
    return value


def _version(argument: str, value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[\w.-]+", value):
        refuse(argument, value, 'a version of letters, digits, ".", "-" and "_"')
    return value


@checked(
    name=_name,
    counts=("one of", ("words",)),
    weight=("optional", "function"),
    by_gold="flag",
    columns=("list", ("one of", tuple(_COLUMNS), "column")),
    version=("optional", _version),
)
def measure(
    name: str,
    counts: Literal["words"] = "words",
    *,
    weight: FunctionOfWords | None = None,
    by_gold: bool = False,
    columns: Sequence[Literal["upos", "xpos", "feats", "lemma"]] = (),
    version: str | None = None,
) -> Callable[[FunctionOfWords], CustomMeasure]:
    """Return a decorator that makes a measure of a function, for `measures` of `score`, `compare`, `rank` and others.

    The function gets `WordColumns` of all gold words, and returns an array that says for each word whether it is
    correct, or from 0 to 1 how much. Words that are not aligned are never correct. Recall divides the sum by the number
    of gold words, precision by that of the system's words.

    A function computes the value of a word from its sentence only, and is called for several sentences at once. Such
    measures run in this process, without a store.

    Args:
        name: its name, of letters.
        counts: what it counts.
        weight: a function of the words of one side, called for gold and for the system's output. It returns which words
            count, or their weights, of which a pair of words has the smaller one. By default, all words count 1.
        by_gold: whether a system word has the weight of its aligned gold word instead of its own.
        columns: columns that gold must annotate besides heads and relations; without them, the measure has no value.
        version: a version of the functions; signatures have it after their names.

    Raises:
        InputError: an argument is invalid.
        MeasureError: levelhead has a measure with this name.
    """

    def decorated(function: FunctionOfWords) -> CustomMeasure:
        check("function", function, "function")
        meaning = (getattr(function, "__doc__", None) or f"The function {name_of(function)}.").strip().split("\n")[0]
        definition = Definition(
            name,
            meaning,
            "sum over aligned words / sum of weights of words" if weight else "sum over aligned words / words",
            name_of(function),
            counted_item=counts,
            columns=tuple(_COLUMNS[column] for column in columns),
            by_gold=by_gold,
            correct=function,
            weight=weight,
            version=version,
        )
        made = CustomMeasure(name, definition=definition)
        STANDARD.including([made])
        return made

    return decorated
