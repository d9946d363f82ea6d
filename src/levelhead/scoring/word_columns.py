"""The words of whole sentences as columns, for the functions of custom measures, and what these return, checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from levelhead.errors import Fault, InputError, LevelheadError, MeasureError, Place, unknown
from levelhead.immutable import name_of
from levelhead.scoring.matches import Agree, Matches
from levelhead.treebank import StringColumn, Treebank
from levelhead.treebank.relations import Scheme, universal
from levelhead.treebank.strings import Strings
from levelhead.treebank.tokens import has_head, heads_in_sentences

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.scoring.measure import Definition, FunctionOfWords, Measure
    from levelhead.scoring.selection import Schemes


NO_VALUE = -1  # of numbers


def _positions(treebank: Treebank) -> NDArray[Any]:
    return np.arange(treebank.n_words) - treebank.sentence_starts[treebank.sentence_of_word] + 1


def _written_heads(treebank: Treebank) -> NDArray[Any]:
    return np.where(has_head(treebank), heads_in_sentences(treebank).astype(np.int64), NO_VALUE)


def _distances(treebank: Treebank) -> NDArray[Any]:
    distances = np.where(treebank.heads < 0, 0, abs(treebank.heads - np.arange(treebank.n_words)))
    return np.where(has_head(treebank), distances, NO_VALUE)


def _depths(treebank: Treebank) -> NDArray[Any]:
    n = treebank.n_words
    above = np.append(np.where(treebank.heads < 0, n, treebank.heads), n)
    depths = (above < n).astype(np.int32)
    for _ in range(int(np.diff(treebank.sentence_starts).max(initial=0)).bit_length()):  # twice as far each time
        depths, above = depths + depths[above], above[above]
    return np.where(has_head(treebank) & (above[:-1] == n), depths[:-1], NO_VALUE)


NUMBERS: Mapping[str, Callable[[Treebank], NDArray[Any]]] = MappingProxyType(
    {
        "word": _positions,  # from 1 in each sentence
        "head": _written_heads,  # 0 for roots
        "distance": _distances,  # from the word to its head, 0 for roots
        "depth": _depths,  # arcs to the root, 0 for roots; no value in cycles, which partial scores can have
    }
)
"""The columns of numbers of a treebank; `NO_VALUE` for words without a head."""

TEXTS: Mapping[str, tuple[str, Callable[[str, Scheme], str] | None]] = MappingProxyType(
    {
        "form": ("forms", None),
        "lemma": ("lemmas", None),
        "upos": ("upos", None),
        "xpos": ("xpos", None),
        "feats": ("feats", None),
        "deprel": ("relations", None),
        "relation": ("relations", lambda relation, _: universal(relation)),
        "class": ("relations", lambda relation, scheme: scheme.class_of(relation)),
    }
)
"""The columns of texts of a treebank: the column that they come from, and what a text and a scheme make of it."""

AGREEMENT: Mapping[str, Agree] = MappingProxyType(
    {
        "head_correct": Agree.HEAD,
        "deprel_correct": Agree.RELATION,
        "upos_correct": Agree.UPOS,
        "feats_correct": Agree.FEATS,
        "lemma_correct": Agree.LEMMA,
    }
)
"""The columns of what agrees in aligned words: what UAS, LS, UPOS, UFeats and Lemmas count."""

OF_TREES = frozenset({"head_correct", "deprel_correct"})  # the columns that need trees on both sides


def texts_of(treebank: Treebank, name: str, scheme: Scheme) -> StringColumn:
    """Return one of the columns of `TEXTS`."""
    source, function = TEXTS[name]
    column: StringColumn = getattr(treebank, source)
    if function is None:
        return column
    numbers: dict[str, int] = {}
    values = [numbers.setdefault(function(text, scheme), len(numbers)) for text in column.distinct_texts]
    of_code = np.zeros(len(column.strings), dtype=np.int32)
    of_code[column.distinct] = values
    return StringColumn(of_code[column.codes], Strings.of(numbers))


_NO_HEAD = -2
_FEATURE, _SYSTEM = "feature:", "system_"
_ROWS = frozenset({"head_row", "system_head_row"})
_OF_TREES = OF_TREES | {"deprel", "relation", "class", "head", "head_row", "distance", "depth"}
_SIDE = ("sentence", *NUMBERS, "head_row", *TEXTS)
_BOTH_SIDES = (*_SIDE, *(f"{_SYSTEM}{name}" for name in _SIDE if name != "sentence"), *AGREEMENT)


def feature_value(feats: str, name: str) -> str:
    """Return the value of a feature in FEATS, the first if there are several; "" without it."""
    return dict(pair.partition("=")[::2] for pair in reversed(feats.split("|"))).get(name, "")


def _head_rows(treebank: Treebank) -> NDArray[Any]:
    return np.where(has_head(treebank), treebank.heads, _NO_HEAD)


class WordColumns:
    """Columns with one value per word, which the functions of a `measure` get as their argument.

    Columns are read-only NumPy arrays, such as `words.upos`. Names that are not valid in Python need brackets:
    `words["class"]`, `words["feature:Case"]`.

        sentence                        the number of the sentence, 1 for the first in these columns
        word                            the number of the word in its sentence, from 1
        form, lemma, upos, xpos, feats  as written
        deprel, relation                the relation with and without its subtype
        class                           the class of the relation in the default scheme
        head                            HEAD as written, 0 for roots
        head_row                        the index of the head in these columns, -1 for roots
        distance                        absolute distance to the head, 0 for roots
        depth                           arcs to the root, 0 for roots
        feature:NAME                    the value of the feature NAME, or ""

    A `weight` function gets only these columns. The measure's function gets all gold words, with additional columns:

        system_word, system_form ...    the columns above for the aligned system word; "" or -1 if unaligned
        system_head_row                 the index of the gold word aligned with the system's head;
                                        -1 for roots, -2 if the head is not aligned in this sentence
        head_correct, deprel_correct,   whether the word is correct by the measure
        upos_correct, feats_correct,    UAS, LS, UPOS, UFeats or Lemmas
        lemma_correct
    """

    head_correct: NDArray[np.bool_]
    deprel_correct: NDArray[np.bool_]
    upos_correct: NDArray[np.bool_]
    feats_correct: NDArray[np.bool_]
    lemma_correct: NDArray[np.bool_]

    def __init__(self, source: Treebank | Matches, scheme: Scheme) -> None:
        """Take the words of one side, or all gold words with the aligned words."""
        self._source, self._scheme = source, scheme
        self._gold = source if isinstance(source, Treebank) else source.gold
        self._known: dict[str, NDArray[Any]] = {}
        self._sentences = slice(0, len(self._gold))

    @property
    def n_sentences(self) -> int:
        """The number of sentences in these columns."""
        return int(self._sentences.stop - self._sentences.start)

    @property
    def rows(self) -> slice:
        """The slice of the treebank's words that these columns contain."""
        ends = self._gold.sentence_starts[[self._sentences.start, self._sentences.stop]]
        return slice(*ends.tolist())

    def part(self, sentences: slice) -> WordColumns:
        """Return the columns of only those sentences whose indices are in the slice `sentences`."""
        part = WordColumns(self._source, self._scheme)
        part._known, part._sentences = self._known, sentences
        return part

    def __len__(self) -> int:
        return int(self.rows.stop - self.rows.start)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._names]

    @property
    def _names(self) -> tuple[str, ...]:
        return _SIDE if isinstance(self._source, Treebank) else _BOTH_SIDES

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(*error.args) from None

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column, also if its name is not a Python name."""
        if not isinstance(name, str):
            raise TypeError(f"columns have names, such as words.form: {name!r}")
        if name not in self._known:
            self._known[name] = self._computed(name)
        rows = self.rows
        column = self._known[name][rows]
        if name in _ROWS:
            column = np.where(column < 0, column, column - rows.start)
        elif name == "sentence":
            column = column - self._sentences.start
        column.flags.writeable = False
        return column

    def _computed(self, name: str) -> NDArray[Any]:
        plain = name.removeprefix(_SYSTEM)
        is_feature = plain.startswith(_FEATURE) and len(plain) > len(_FEATURE)
        if name not in self._names and not (is_feature and (plain == name or isinstance(self._source, Matches))):
            raise KeyError(unknown("column", name, [*self._names, f"{_FEATURE}NAME"]))
        if plain in _OF_TREES:
            self._check_trees(gold=plain == name, system=plain != name or name in AGREEMENT)
        if isinstance(self._source, Treebank) or (plain == name and name not in AGREEMENT):
            return self._of_side(self._gold, plain)
        matches = self._source
        of_pairs, of_gold = matches.alignment.system, matches.alignment.gold
        if name in AGREEMENT:
            values = matches.agree(AGREEMENT[name])
        elif name == "system_head_row":
            values = self._rows_of_heads(matches)[of_pairs]
        else:
            values = self._of_side(matches.system, plain)[of_pairs]
        empty = {"b": False, "O": ""}.get(values.dtype.kind, _NO_HEAD if name in _ROWS else NO_VALUE)
        column = np.full(matches.gold.n_words, empty, dtype=values.dtype)
        column[of_gold] = values
        return column

    def _of_side(self, side: Treebank, name: str) -> NDArray[Any]:
        if name == "sentence":
            return side.sentence_of_word + 1
        if name == "head_row":
            return _head_rows(side)
        if name == "depth":
            depths, sizes = NUMBERS[name](side), np.diff(side.sentence_starts)
            return np.where(depths < 0, sizes[side.sentence_of_word], depths)  # 1 / (1 + depth) is a number
        if name in NUMBERS:
            return NUMBERS[name](side)
        if name in TEXTS:
            return texts_of(side, name, self._scheme).mapped(str, object)
        return side.feats.mapped(partial(feature_value, name=name.removeprefix(_FEATURE)), object)

    @staticmethod
    def _rows_of_heads(matches: Matches) -> NDArray[Any]:
        """The gold word aligned with the head of each system word, if it is in the sentence of the word itself."""
        heads, of_system = _head_rows(matches.system), matches.gold_of_system
        gold, of_sentence = of_system[heads.clip(min=0)], matches.gold.sentence_of_word
        inside = (heads >= 0) & (gold >= 0) & (of_sentence[gold] == of_sentence[of_system])
        return np.where(inside, gold, np.where(heads == -1, -1, _NO_HEAD))

    def _check_trees(self, *, gold: bool, system: bool) -> None:
        """Refuse a side without trees, whose heads have no meaning."""
        sides = [(self._gold, "gold")] if gold else []
        if system and isinstance(self._source, Matches):
            sides.append((self._source.system, "the system's output"))
        for side, name in sides:
            if not side.has_trees:
                raise InputError(Fault("not-annotated", f"not annotated in {name}: HEAD", Place(side.source.path)))


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
