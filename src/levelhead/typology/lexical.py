"""How varied the vocabulary of running text is: standardized and moving-average type/token ratios."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from levelhead.typology.tally import Sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.treebank import Treebank


class Chunks(NamedTuple):
    """How running text is cut for type/token ratios.

    Args:
        size: the tokens of a chunk.
        partial: whether the last chunk counts where it is shorter.
        window: the tokens of a moving window.
    """

    size: int = 1000
    partial: bool = False
    window: int = 500

    def __add__(self, other: Chunks) -> Chunks:  # type: ignore[override]
        """Return what both have; counts made with different chunks do not add."""
        if self != other:
            raise ValueError(f"type/token ratios of {self} and {other} cannot be added")
        return self


CALLIN_CHUNKS = Chunks(size=1001, partial=True)
"""What Callin's program did: chunks of 1001 tokens, the last one counted though it is shorter."""


@dataclass(frozen=True, eq=False)
class Lexical(Sums):
    """Sums of type/token ratios; chunks and windows do not cross the borders of the treebanks that are added.

    Args:
        chunks: how the text was cut.
        n_chunks: how many chunks there are.
        ratios: the sum of their type/token ratios.
        squares: the sum of the squares of these.
        n_windows: how many windows there are.
        types: the sum of their numbers of types.
    """

    chunks: Chunks
    n_chunks: int
    ratios: float
    squares: float
    n_windows: int
    types: int

    @property
    def sttr(self) -> float | None:
        """The mean type/token ratio of chunks, None where there is none."""
        return self.ratios / self.n_chunks if self.n_chunks else None

    @property
    def sttr_deviation(self) -> float | None:
        """The standard deviation of chunks from it (n - 1 in the denominator), None for fewer than two."""
        if self.sttr is None or self.n_chunks < 2:
            return None
        return float(np.sqrt(max(0.0, self.squares - self.n_chunks * self.sttr**2) / (self.n_chunks - 1)))

    @property
    def mattr(self) -> float | None:
        """The mean type/token ratio of windows, None where there is none."""
        return self.types / (self.n_windows * self.chunks.window) if self.n_windows else None


def count_lexical(treebank: Treebank, chunks: Chunks) -> Lexical:
    """Sum type/token ratios over the surface tokens of a treebank, case kept, in their order.

    Args:
        treebank: the treebank.
        chunks: how to cut the text.
    """
    before = _previous(treebank.tokens.forms)
    ratios = _chunk_ratios(before, chunks)
    n_windows = max(0, before.size - chunks.window + 1)
    types = _window_types(before, chunks.window) if n_windows else 0
    return Lexical(chunks, ratios.size, float(ratios.sum()), float((ratios**2).sum()), n_windows, types)


def _previous(codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the last position of each token's form before it, -1 if none; int64, shape (tokens,)."""
    order = np.argsort(codes, kind="stable")
    again = np.flatnonzero(codes[order[1:]] == codes[order[:-1]]) + 1
    before = np.full(codes.size, -1, dtype=np.int64)
    before[order[again]] = order[again - 1]
    return before


def _chunk_ratios(before: NDArray[np.int64], chunks: Chunks) -> NDArray[np.float64]:
    """A token is a new type of its chunk if its form last occurred before the chunk."""
    places = np.arange(before.size)
    chunk = places // chunks.size
    types = np.bincount(chunk[before < chunk * chunks.size])
    sizes = np.bincount(chunk)
    whole = types.size if chunks.partial else before.size // chunks.size
    return types[:whole] / sizes[:whole]


def _window_types(before: NDArray[np.int64], window: int) -> int:
    """Sum the types of all windows: each token is new in windows that begin after its form last occurred."""
    places = np.arange(before.size)
    first = np.maximum(np.maximum(before + 1, places - window + 1), 0)
    last = np.minimum(places, before.size - window)
    return int(np.maximum(0, last - first + 1).sum())
