"""The numbers in a file of the lines of a text from which lines were removed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from levelhead.kernels.text import count_lines

Lines = range | NDArray[np.int64]
"""The number in the file of each line of a text; a range if no line is missing."""


def lines_of(text: bytes) -> range:
    """Return the numbers of all lines of a text."""
    return range(1, count_lines(text) + 1 + bool(text and not text.endswith(b"\n")))


def later(lines: Lines, n_lines: int) -> Lines:
    """Return the numbers of lines after so many other lines."""
    if isinstance(lines, range):
        return range(lines.start + n_lines, lines.stop + n_lines)
    return lines + n_lines


def followed(lines: Lines, others: Lines) -> Lines:
    """Return the numbers of lines and of those that follow."""
    if not len(lines):
        return others
    if isinstance(lines, range) and isinstance(others, range) and lines.stop == others.start:
        return range(lines.start, others.stop)
    return np.concatenate([array_of(some, np.arange(len(some))) for some in (lines, others)])


def array_of(lines: Lines, rows: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return the numbers of some lines, int64."""
    return rows.astype(np.int64) + lines.start if isinstance(lines, range) else lines[rows]
