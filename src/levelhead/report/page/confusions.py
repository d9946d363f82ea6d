"""The confusion matrix of a page, and the cell of each word, of files of any size."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from levelhead.analysis.word_properties import PROPERTIES, PropertySettings
from levelhead.report.page.blocks import ConfusionMatrix
from levelhead.scoring.matches import Agree, Matches
from levelhead.treebank.schemes import NIVRE_FANG

_MOST_RELATIONS = 18
_SIZE = 1 << 31  # more than there are relations


class ConfusionTally:
    """Counts how often each gold relation is aligned with each relation of the system."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._frequency = Counter[str]()
        self._cells, self._right_heads = Counter[int](), Counter[int]()

    def add(self, matches: Matches) -> NDArray[np.int64]:
        """Count a piece, and return the cell of each aligned word, int64, shape (pairs,); see `renumbered`."""
        relations = PROPERTIES["deprel"].of(matches, PropertySettings(NIVRE_FANG))
        found = np.bincount(np.concatenate([relations.gold, relations.system]), minlength=len(relations.names))
        self._frequency.update(dict(zip(relations.names, found.tolist(), strict=True)))
        numbers = [self._numbers.setdefault(name, len(self._numbers)) for name in relations.names]
        of_name = np.array(numbers, dtype=np.int64)
        gold, system = of_name[relations.gold], of_name[relations.system]
        cells = gold[matches.alignment.gold] * _SIZE + system[matches.alignment.system]
        self._cells += _counted(cells)
        self._right_heads += _counted(cells[matches.agree(Agree.HEAD)])
        return cells

    def matrix(self) -> ConfusionMatrix:
        """Return the confusion matrix of the most frequent relations."""
        names = self._names()
        counts, right = (self._square(cells) for cells in (self._cells, self._right_heads))
        wrong = counts.copy()
        np.fill_diagonal(wrong, np.diag(counts - right))
        return ConfusionMatrix(names, counts.tolist(), wrong.tolist())

    def renumbered(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of cells in `matrix`, row by row, -1 for none."""
        names = self._names()
        of_relation = np.full(len(self._numbers) + 1, -1, dtype=np.int64)  # the last is -1 // _SIZE
        of_relation[[self._numbers[name] for name in names]] = np.arange(len(names))
        gold, system = of_relation[cells // _SIZE], of_relation[np.where(cells < 0, -1, cells % _SIZE)]
        return np.where((gold < 0) | (system < 0), -1, gold * len(names) + system)

    def _names(self) -> tuple[str, ...]:
        """The most frequent relations of gold and the system together."""
        every = sorted(self._frequency.items(), key=lambda pair: (-pair[1], pair[0]))
        return tuple(name for name, _ in every[:_MOST_RELATIONS])

    def _square(self, cells: Counter[int]) -> NDArray[np.int64]:
        n = len(self._names())
        numbers = self.renumbered(np.array([*cells], dtype=np.int64))
        counts = np.array([*cells.values()], dtype=np.int64)
        square = np.zeros(n * n, dtype=np.int64)
        np.add.at(square, numbers[numbers >= 0], counts[numbers >= 0])
        return square.reshape(n, n)


def _counted(cells: NDArray[np.int64]) -> Counter[int]:
    found, counts = np.unique(cells, return_counts=True)
    return Counter(dict(zip(found.tolist(), counts.tolist(), strict=True)))
