"""Measures whose words are counted by functions of users: what the functions return, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from levelhead.errors import LevelheadError, MeasureError, Place
from levelhead.immutable import name_of
from levelhead.scoring.word_columns import WordColumns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.scoring.matches import Matches
    from levelhead.scoring.measure import Definition, FunctionOfWords, Measure
    from levelhead.scoring.selection import Schemes
    from levelhead.treebank import Treebank

_MOST_SENTENCES = 99  # that are counted again, to see whether a function looks beyond its sentence
_MOST_ALONE = 9  # that are counted one by one
_TOLERANCE = 1e-9
_LARGEST_WEIGHT = 1e9  # as in files of weights


def correct_pairs(matches: Matches, measure: Measure, definition: Definition, schemes: Schemes) -> NDArray[Any]:
    """Return the credit of each aligned pair of words, bool or float64 from 0 to 1, shape (pairs,)."""
    if definition.correct is None:
        return matches.agree(definition.needs_for(measure.argument))
    words = WordColumns(matches, schemes.by_name[schemes.default])
    call = _Call(definition.correct, str(measure), matches.system.source.path, most=1.0)
    return call.checked(words)[matches.alignment.gold]


def weights_of_words(treebank: Treebank, measure: Measure, definition: Definition, schemes: Schemes) -> NDArray[Any]:
    """Return the weight of each word of one side, bool or float64, shape (words,)."""
    words = WordColumns(treebank, schemes.by_name[schemes.default])
    function = cast("FunctionOfWords", definition.weight)
    return _Call(function, str(measure), treebank.source.path, most=_LARGEST_WEIGHT).checked(words)


class _Call:
    """A call of a function of a user, whose errors name the measure, the function and the file."""

    def __init__(self, function: FunctionOfWords, measure: str, path: str | None, *, most: float) -> None:
        self._function, self._most, self._place = function, most, Place(path)
        self._about = f"{measure}: the function {name_of(function)}"

    def checked(self, words: WordColumns) -> NDArray[Any]:
        """Return its values, which must be the same for the first sentences, the last, and a few of them alone."""
        if not len(words):
            return np.zeros(0, dtype=bool)
        values, n = self._values(words), words.n_sentences
        middle = n // 2 + n // 2 % 2 - 1  # odd, so that even sentences become odd ones
        first, last = slice(0, min(middle, _MOST_SENTENCES)), slice(max(middle, (n - _MOST_SENTENCES) | 1), n)
        alone = (slice(i, i + 1) for i in range(0, n, -(-n // _MOST_ALONE)))
        for part in map(words.part, (first, last, *alone) if n > 1 else ()):
            if len(part) and not np.allclose(self._values(part), values[part.rows], rtol=_TOLERANCE, atol=0):
                self._refuse(
                    f"looks beyond its sentence: it returns other values for {part.n_sentences} of {n} sentences alone;"
                    " compute the value of a word from its sentence only"
                )
        return values

    def _values(self, words: WordColumns) -> NDArray[Any]:
        try:
            returned = self._function(words)
            values = returned if returned is None else np.asarray(returned)
        except LevelheadError:
            raise
        except Exception as error:
            message = f"{self._about} failed: {type(error).__name__}: {error}"
            raise MeasureError(message, "invalid-measure", self._place) from error
        expected = f"return an array with a Boolean value or a number for each of the {len(words)} words"
        if values is None:
            self._refuse(f"returned None: {expected}")
        if values.shape != (len(words),):
            self._refuse(f"returned an array of the shape {values.shape}: {expected}")
        if values.dtype.kind == "b":
            return values
        if values.dtype.kind not in "iuf":
            self._refuse(f"returned an array of the type {values.dtype}: {expected}")
        numbers = values.astype(np.float64)
        wrong = ~((numbers >= 0) & (numbers <= self._most))
        if wrong.any():
            self._refuse(f"returned {numbers[wrong][0]:g} for a word: return numbers from 0 to {self._most:g}")
        return numbers

    def _refuse(self, what: str) -> NoReturn:
        raise MeasureError(f"{self._about} {what}", "invalid-measure", self._place)
