"""The errors of all treebanks of a page together, so that means over treebanks can also open sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from levelhead.report.page.examples import Examples
from levelhead.report.page.treebank_errors import PROPERTY_TITLES, TreebankErrors

STORE = "0"
"""The store of all treebanks."""

_REPAIR = "repair"

Key = tuple[str, ...] | str


class JoinedErrors(NamedTuple):
    """The errors of all treebanks.

    Args:
        numbers: by kind of grouping (`repair` or a property), the group of each type of error or value in `examples`.
        kinds: the number of words with each kind of wrong head or relation.
        examples: the wrong words in the sentences of all treebanks.
    """

    numbers: Mapping[str, Mapping[Key, int]]
    kinds: Mapping[str, int]
    examples: Examples

    def n_errors(self, by: str, value: str) -> int:
        """Return the number of wrong words with a value."""
        return self.examples.totals[by].get(self.numbers[by].get(value, -1), 0)


def joined_errors(parts: Sequence[TreebankErrors]) -> JoinedErrors:
    """Return the errors of all treebanks together."""
    numbers: dict[str, dict[Key, int]] = {name: {} for name in (_REPAIR, *PROPERTY_TITLES)}
    groups: dict[str, list[int]] = {name: [] for name in (*numbers, "kind")}
    totals: dict[str, dict[int, int]] = {name: {} for name in groups}
    words: list[tuple[int, int]] = []
    kinds: dict[str, int] = {}
    start = 0
    for part in parts:
        words += [(start + sentence, word) for sentence, word in part.examples.words]
        start += len(part.examples.sentences)
        for kind, n in part.kinds.items():
            kinds[kind] = kinds.get(kind, 0) + n
        for name, own in groups.items():
            to = _renumbered(part, name, numbers)
            own += [to[number] if number >= 0 else -1 for number in part.examples.groups[name]]
            for number, n in part.examples.totals[name].items():
                totals[name][to[number]] = totals[name].get(to[number], 0) + n
    return JoinedErrors(numbers, kinds, Examples((), words, groups, totals))


def _renumbered(part: TreebankErrors, name: str, numbers: Mapping[str, dict[Key, int]]) -> Mapping[int, int]:
    """The group in all treebanks of each group in one treebank; kinds of errors have the same numbers everywhere."""
    if name not in numbers:
        return {number: number for number in part.examples.totals[name]}
    own: Mapping[Key, int] = part.numbers if name == _REPAIR else part.values[name]  # type: ignore[assignment]
    return {number: numbers[name].setdefault(key, len(numbers[name])) for key, number in own.items()}
