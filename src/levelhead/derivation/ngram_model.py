"""N-gram models: probabilities of words given the preceding words, their estimation, and their files.

Smoothing is interpolated modified Kneser-Ney (Chen & Goodman 1998), with minimum counts as in SRILM. ARPA files are the
text format that KenLM and SRILM read and write.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import compress, pairwise, repeat
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from levelhead.derivation.derive import Sequences, sequences_from
from levelhead.errors import Fault, InputError, Place, quoted
from levelhead.immutable import immutable
from levelhead.kernels import pools
from levelhead.treebank import Strings
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.write import replace_file

Indices = NDArray[np.int64]

UNKNOWN, BEGIN, END = range(3)  # the codes of `<unk>`, `<s>` and `</s>`; words follow
SPECIAL = ("<unk>", "<s>", "</s>")


class FramedTokens(NamedTuple):
    """The word, the place in its sentence (0 for `<s>`) and the sentence at each position, all int64."""

    codes: Indices
    places: Indices
    sentences: Indices


def framed(codes: NDArray[np.int32], starts: NDArray[np.int32]) -> FramedTokens:
    """Return sentences with `<s>` and `</s>` around them."""
    sizes = np.diff(starts).astype(np.int64) + 2
    ends = np.cumsum(sizes)
    sentences = np.repeat(np.arange(len(sizes)), sizes)
    places = np.arange(len(sentences)) - np.repeat(ends - sizes, sizes)
    words = np.full(len(sentences), BEGIN, dtype=np.int64)
    words[ends - 1] = END
    words[(places > 0) & (words != END)] = codes
    return FramedTokens(words, places, sentences)


class NgramCounts(NamedTuple):
    """The distinct n-grams of one order, ascending by key."""

    # index of the n-gram without its last word in the table of shorter n-grams, times the size of the vocabulary, plus
    # the code of the last word; for single words: the codes of all words
    keys: Indices
    suffixes: Indices  # index of the n-gram without its first word in the table of shorter n-grams; 0 for single words
    counts: Indices
    initial: NDArray[np.bool_]  # whether it starts with `<s>`


def count_ngrams(tokens: FramedTokens, vocabulary_size: int, order: int) -> list[NgramCounts]:
    words = np.arange(vocabulary_size)
    counts = np.bincount(tokens.codes, minlength=vocabulary_size)
    tables = [NgramCounts(words, np.zeros_like(words), counts, words == BEGIN)]
    index = tokens.codes
    for n in range(2, order + 1):
        positions = np.flatnonzero(tokens.places >= n - 1)
        keys = index[positions - 1] * vocabulary_size + tokens.codes[positions]
        sorting = np.argsort(keys)
        keys = keys[sorting]
        new = np.diff(keys, prepend=-1) != 0
        firsts = np.flatnonzero(new)
        examples = positions[sorting[firsts]]
        counts = np.diff(np.append(firsts, len(keys)))
        tables.append(NgramCounts(keys[firsts], index[examples], counts, tokens.places[examples] == n - 1))
        index = np.full(len(tokens.codes), -1, dtype=np.int64)
        index[positions[sorting]] = np.cumsum(new) - 1
    return tables


FALLBACK = (0.5, 1.0, 1.5)  # the discounts if they cannot be estimated, as in KenLM's `--discount_fallback`


class Discounts(NamedTuple):
    """The discounts of the n-grams of one order (Chen & Goodman 1998, equation 26).

    Args:
        one: the discount of n-grams counted once.
        two: the discount of n-grams counted twice.
        more: the discount of all other n-grams.
        estimated: whether the discounts were estimated; otherwise they are `FALLBACK`.
    """

    one: float
    two: float
    more: float
    estimated: bool

    def of(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the discount of each of some counts of n-grams."""
        return np.take([0.0, self.one, self.two, self.more], np.minimum(counts, 3))


def estimate_discounts(counts: NDArray[np.int64]) -> Discounts:
    """Return the discounts of one order, `FALLBACK` without counts of 1, 2 and 3, or if one is not in its range."""
    n1, n2, n3, n4 = np.bincount(np.minimum(counts, 5), minlength=5)[1:5].tolist()
    if n1 and n2 and n3:
        y = n1 / (n1 + 2 * n2)
        discounts = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
        if all(0 < discount <= count for count, discount in enumerate(discounts, 1)):
            return Discounts(*discounts, estimated=True)
    return Discounts(*FALLBACK, estimated=False)


Reals = NDArray[np.float64]


class NgramTable(NamedTuple):
    """The n-grams of one order, ascending by key."""

    keys: Indices  # as in `NgramCounts`
    log_probabilities: Reals  # log10 of the probability of the last word after the others
    backoffs: Reals  # log10 of the weight of shorter n-grams after this one; 0 without continuation


@immutable
class NgramModel:
    """A back-off n-gram model, as in ARPA files.

    Args:
        words: the vocabulary without `<unk>`, `<s>` and `</s>`; the code of a word is its index plus 3.
        tables: the n-grams of each order, single words first.
        discounts: the discounts of each order; empty for a model read from a file.
        minimum_counts: the minimum count of n-grams of each order; empty for a model read from a file.
        n_words: the number of words from which the model was estimated; 0 if it was read from a file.
        minimum_word_count: the minimum count of words, below which they are `<unk>`; 0 for a model read from a file.
        sha256: the hash of the file from which it was estimated or read; None without a file.
    """

    words: Strings
    tables: tuple[NgramTable, ...]
    discounts: tuple[Discounts, ...] = ()
    minimum_counts: tuple[int, ...] = ()
    n_words: int = 0
    minimum_word_count: int = 0
    sha256: str | None = None

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.tables)

    @property
    def vocabulary_size(self) -> int:
        """The number of words, including `<unk>`, `<s>` and `</s>`."""
        return len(self.words) + len(SPECIAL)

    @property
    def fallback_orders(self) -> tuple[int, ...]:
        """The orders whose discounts could not be estimated."""
        return tuple(n for n, discounts in enumerate(self.discounts, 1) if not discounts.estimated)

    @property
    def fallback_warnings(self) -> tuple[str, ...]:
        """A warning for each order whose discounts could not be estimated."""
        message = "too few counts to estimate the discounts of {}-grams: using 0.5, 1 and 1.5"
        return tuple(message.format(order) for order in self.fallback_orders)

    def __repr__(self) -> str:
        sizes = ", ".join(str(len(table.keys)) for table in self.tables)
        return f"<NgramModel of order {self.order}: {sizes} n-grams>"

    def encode(self, sequences: Sequences) -> NDArray[np.int32]:
        """Return the code of each word of some sentences, 0 for unknown ones; int32, shape (words,)."""
        strings = sequences.words.strings
        places = pools.translate(self.words.pool, self.words.offsets, strings.pool, strings.offsets)
        return np.where(places < 0, UNKNOWN, places + len(SPECIAL)).astype(np.int32)[sequences.words.codes]

    def log_probabilities(self, tokens: FramedTokens) -> Reals:
        """Return log10 of the probability at each position of `framed` sentences; 0 for `<s>`."""
        codes, places = tokens.codes, tokens.places
        index, result = codes, self.tables[0].log_probabilities[codes]
        for n, (shorter, table) in enumerate(pairwise(self.tables), 2):
            context = np.full(len(codes), -1, dtype=np.int64)
            context[1:] = np.where(places[1:] >= n - 1, index[:-1], -1)
            keys = np.where(context >= 0, context * self.vocabulary_size + codes, -1)
            rows = np.searchsorted(table.keys, keys)
            index = np.where(np.append(table.keys, -2)[rows] == keys, rows, -1)  # -2 behind the last key is no key
            backed_off = result + _where_found(shorter.backoffs, context, np.zeros(len(context)))
            result = _where_found(table.log_probabilities, index, backed_off)
        return np.where(places == 0, 0.0, result)

    def distribution(self, context: Sequence[str]) -> Reals:
        """Return the probability of each word after the first words of a sentence, by code; `<s>` has 0."""
        codes, size = [BEGIN, *self.encode(sequences_from([context])).tolist()], self.vocabulary_size
        words = np.column_stack([np.tile(codes, (size, 1)), np.arange(size)])
        places, sentences = np.arange(words.size) % words.shape[1], np.arange(words.size) // words.shape[1]
        logs = self.log_probabilities(FramedTokens(words.ravel(), places, sentences))
        probabilities: Reals = 10 ** logs.reshape(words.shape)[:, -1]
        probabilities[BEGIN] = 0.0
        return probabilities


def _where_found(values: Reals, index: Indices, otherwise: Reals) -> Reals:
    """The value at each index, or another value for index -1."""
    return np.where(index >= 0, values[index], otherwise) if len(values) else otherwise


LONGEST = 5  # the maximum length of n-grams
_DECIMALS = 12  # of logarithms, precise enough for perplexities, and short in ARPA files

SRILM_MINIMUM_COUNTS = (1, 1, 2, 2, 2)
"""SRILM's default minimum counts: 2 for trigrams and longer n-grams."""


def estimate(
    sequences: Sequences, order: int = 3, *, minimum_counts: Sequence[int] = (), minimum_word_count: int = 1
) -> NgramModel:
    """Return a model estimated from sentences.

    Args:
        sequences: the sentences.
        order: the length of the longest n-grams, 1 to 5.
        minimum_counts: the minimum (adjusted) count of n-grams of each order, by default 1.
            Discounts are still estimated from all counts, and probabilities are renormalized.
        minimum_word_count: the minimum count of words; rarer words are read as `<unk>`. With 1,
            `<unk>` only gets the probability of unseen words from smoothing.

    Raises:
        InputError: no sentence is given, or an argument is out of range.
    """
    least, message = tuple(minimum_counts) or (1,) * order, ""
    if not 1 <= order <= LONGEST:
        message = f"the order of a model must be from 1 to {LONGEST}, not {order}"
    elif len(least) != order or least[0] != 1 or any(count < 1 for count in least):
        message = f"minimum counts must be {order} numbers of at least 1, and the first must be 1, not {list(least)}"
    elif minimum_word_count < 1:
        message = f"the minimum count of words must be at least 1, not {minimum_word_count}"
    elif len(sequences.starts) < 2:
        message = "there are no sentences to estimate a model from"
    if message:
        raise InputError(Fault("invalid-model-settings", message))
    codes, texts = sequences.words.codes, sequences.words.strings.texts
    in_vocabulary = np.flatnonzero(np.bincount(codes, minlength=len(texts)) >= minimum_word_count)
    translation = np.zeros(len(texts), dtype=np.int32)
    translation[in_vocabulary] = np.arange(len(in_vocabulary)) + len(SPECIAL)
    words = Strings.of(texts[code] for code in in_vocabulary.tolist())
    size = len(words) + len(SPECIAL)
    tables = count_ngrams(framed(translation[codes], sequences.starts), size, order)
    # the counts of Kneser-Ney smoothing: numbers of distinct words to the left, except after `<s>`
    adjusted: list[Indices] = [
        *(
            np.where(table.initial, table.counts, np.bincount(longer.suffixes, minlength=len(table.keys)))
            for table, longer in pairwise(tables)
        ),
        tables[-1].counts,
    ]
    adjusted[0] = np.where(tables[0].initial, 0, adjusted[0])  # `<s>` is never predicted
    discounts = tuple(map(estimate_discounts, adjusted))
    ngrams = tuple(_smoothed(tables, adjusted, discounts, least, size))
    return NgramModel(words, ngrams, discounts, least, len(codes), minimum_word_count, sequences.sha256)


def _smoothed(
    tables: list[NgramCounts], adjusted: list[Indices], discounts: Sequence[Discounts], least: Sequence[int], size: int
) -> Iterator[NgramTable]:
    """The tables of the kept n-grams, renumbered."""
    # single words are interpolated with the uniform distribution over all but `<s>`
    discounted = discounts[0].of(adjusted[0])
    total = max(int(adjusted[0].sum()), 1)
    single_words = (adjusted[0] - discounted) / total + discounted.sum() / total / (size - 1)
    single_words[BEGIN] = 0.0
    probabilities = [single_words]
    weights = list[Reals]()
    for table, counts, discount, minimum in zip(tables[1:], adjusted[1:], discounts[1:], least[1:]):
        longer, context_weights = _interpolated(table, counts, discount, minimum, probabilities[-1], size)
        probabilities.append(longer)
        weights.append(context_weights)
    weights.append(np.ones(len(probabilities[-1])))
    kept = [counts >= minimum for counts, minimum in zip(adjusted, least)]
    kept[0][:] = True
    for n in reversed(range(1, len(tables))):  # so are the contexts of longer n-grams that are kept
        kept[n - 1][tables[n].keys[kept[n]] // size] = True
    keys = tables[0].keys
    for n, mask in enumerate(kept):
        with np.errstate(divide="ignore"):  # <s> has no probability
            logs: Reals = np.log10(probabilities[n][mask]).round(_DECIMALS)
        yield NgramTable(keys[mask], logs, np.log10(weights[n][mask]).round(_DECIMALS))
        if n + 1 < len(tables):
            contexts, words = np.divmod(tables[n + 1].keys, size)
            keys = (np.cumsum(mask) - 1)[contexts] * size + words


def _interpolated(
    table: NgramCounts, counts: Indices, discounts: Discounts, least: int, below: Reals, size: int
) -> tuple[Reals, Reals]:
    """Probabilities (discounted shares, plus weighted shorter n-grams: `below`), and the weight of each context."""
    contexts = table.keys // size
    n_contexts = len(below)
    discounted = discounts.of(counts)
    lower = below[table.suffixes]
    totals = np.maximum(np.bincount(contexts, weights=counts, minlength=n_contexts), 1)
    weights: Reals = np.bincount(contexts, weights=discounted, minlength=n_contexts) / totals
    weights[weights == 0] = 1.0  # no n-gram follows
    probabilities = (counts - discounted) / totals[contexts] + weights[contexts] * lower
    rare = counts < least
    if rare.any():  # n-grams are dropped: renormalize the remaining probability, divided by that of shorter n-grams
        left, left_below = (
            1 - np.bincount(contexts[~rare], weights=values[~rare], minlength=n_contexts)
            for values in (probabilities, lower)
        )
        touched = np.bincount(contexts[rare], minlength=n_contexts) > 0
        weights = np.where(touched, left / np.where(touched, left_below, 1.0), weights)
        probabilities = np.where(rare, weights[contexts] * lower, probabilities)
    return probabilities, weights


_NEVER = -99.0  # a probability of zero in ARPA files
_LARGEST = 9000  # so that sums are finite
_SEPARATORS = re.compile("[ \t\r\v\f]")  # and the line feed, which already separates words
_RESERVED = {*SPECIAL, "<UNK>"}  # KenLM accepts both spellings of the unknown word


def write_arpa(model: NgramModel, path: str | os.PathLike[str]) -> None:
    """Write a model; all numbers are read back exactly."""
    if not _RESERVED.isdisjoint(model.words.texts) or _SEPARATORS.search(model.words.text):
        word = next(word for word in model.words if word in _RESERVED or _SEPARATORS.search(word))
        raise InputError(Fault("reserved-word", f"an ARPA file cannot contain the word {quoted(word)}"))
    replace_file(path, _arpa_parts(model))


def _arpa_parts(model: NgramModel) -> Iterator[bytes]:
    """Yield the header and the n-grams of each order; Python's shortest decimals are read back as the same numbers."""
    first, *longer = model.tables
    single_words = np.isfinite(first.log_probabilities)
    single_words[BEGIN] = True  # it is written, although it is never predicted
    sizes = [np.count_nonzero(single_words), *(len(table.keys) for table in longer)]
    yield "".join(["\\data\\\n", *(f"ngram {n}={size}\n" for n, size in enumerate(sizes, 1))]).encode()
    words = [*SPECIAL, *model.words]
    ngrams = words
    for n, table in enumerate(model.tables, 1):
        if n > 1:
            contexts, last = np.divmod(table.keys, model.vocabulary_size)
            ngrams = [f"{ngrams[context]} {words[code]}" for context, code in zip(contexts.tolist(), last.tolist())]
        logs = np.where(np.isneginf(table.log_probabilities), _NEVER, table.log_probabilities).tolist()
        ends = [f"\t{weight!r}\n" for weight in table.backoffs.tolist()] if n < model.order else repeat("\n")
        lines = (f"{log!r}\t{ngram}{end}" for log, ngram, end in zip(logs, ngrams, ends))
        written = compress(lines, single_words.tolist()) if n == 1 else lines
        yield f"\n\\{n}-grams:\n{''.join(written)}".encode()
    yield b"\n\\end\\\n"


def read_arpa(path: str | os.PathLike[str]) -> NgramModel:
    """Read a model, compressed or not."""
    data = read_bytes(path)
    return replace(_Reader(data, os.fsdecode(path)).model(), sha256=hashlib.sha256(data).hexdigest())


class _Reader:
    """The lines of an ARPA file, read once from the top."""

    def __init__(self, data: bytes, name: str) -> None:
        self.lines = data.split(b"\n")
        self.name = name
        self.at = 0

    def model(self) -> NgramModel:
        self._expect(b"\\data\\", "an ARPA file starts with \\data\\")
        sizes: list[int] = []
        while match := re.fullmatch(rb"ngram\s+(\d{1,9})\s*=\s*(\d{1,18})", self._line()):
            if int(match[1]) != len(sizes) + 1:
                self._refuse("the orders of n-grams are not 1, 2, 3 ...")
            sizes.append(int(match[2]))
            self.at += 1
        if not sizes:
            self._refuse("expected the number of n-grams, as in `ngram 1=1000`")
        words, first, index = self._words(sizes[0])
        tables, codes = [first], {word: code for word, code in index.items() if word != b"<UNK>"}
        for n, size in enumerate(sizes[1:], 2):
            table, index = self._longer(n, size, codes, index, last=n == len(sizes))
            tables.append(table)
        self._expect(b"\\end\\", "expected \\end\\")
        return NgramModel(words, tuple(tables))

    def _refuse(self, message: str) -> NoReturn:
        raise InputError(Fault("invalid-arpa", message, Place(self.name, min(self.at, len(self.lines) - 1) + 1)))

    def _line(self) -> bytes:
        return self.lines[self.at].strip() if self.at < len(self.lines) else b""

    def _expect(self, line: bytes, message: str) -> None:
        while self.at < len(self.lines) and not self._line():
            self.at += 1
        if self._line() != line:
            self._refuse(message)
        self.at += 1

    def _entries(self, n: int, size: int) -> Iterator[tuple[list[bytes], float, float]]:
        """The section of one order: n-grams, log10 of their probabilities, and of their back-off weights."""
        self._expect(b"\\%d-grams:" % n, f"\\{n}-grams: is expected here")
        for read in range(size):
            parts = self.lines[self.at].split() if self.at < len(self.lines) else []
            if len(parts) not in {n + 1, n + 2}:
                self._refuse(f"expected a probability, {n} words and an optional back-off weight ({read} of {size})")
            try:
                log, backoff = float(parts[0]), float(parts[n + 1]) if len(parts) == n + 2 else 0.0
            except ValueError:
                self._refuse("the line must start with a number, and anything after the words must be a number")
            if not (-_LARGEST <= log <= 1e-5 and -_LARGEST <= backoff <= _LARGEST):  # NaN is outside every range
                ranges = f"from -{_LARGEST} to 0, back-off weights from -{_LARGEST} to {_LARGEST}"
                self._refuse(f"log-probabilities must be {ranges}")
            yield parts[1 : n + 1], log, backoff
            self.at += 1
        if self._line():
            self._refuse(f"there are more {n}-grams than the {size} in the header")

    def _words(self, size: int) -> tuple[Strings, NgramTable, dict[bytes, int]]:
        codes = {word.encode(): code for code, word in enumerate(SPECIAL)} | {b"<UNK>": UNKNOWN}
        texts: list[str] = []
        logs, backoffs = [-math.inf] * len(SPECIAL), [0.0] * len(SPECIAL)
        seen: set[int] = set()
        for (word,), log, backoff in self._entries(1, size):
            code = codes.setdefault(word, len(logs))
            if code in seen:
                self._refuse(f"the word {quoted(word.decode('utf-8', 'replace'))} occurs twice")
            seen.add(code)
            if code == len(logs):
                try:
                    texts.append(word.decode())
                except UnicodeDecodeError:
                    self._refuse("a word is not UTF-8")
            logs[code : code + 1] = [-math.inf if code == BEGIN else log]  # of a new word, at the end
            backoffs[code : code + 1] = [backoff]
        return Strings.of(texts), NgramTable(np.arange(len(logs)), np.array(logs), np.array(backoffs)), codes

    def _longer(
        self, n: int, size: int, codes: dict[bytes, int], above: dict[bytes, int], *, last: bool
    ) -> tuple[NgramTable, dict[bytes, int]]:
        """The n-grams of one order, ascending by key, and the index of each unless they are the last."""
        vocabulary_size = max(codes.values()) + 1
        keys, texts, logs, backoffs = dict[int, int](), list[bytes](), list[float](), list[float]()
        for words, log, backoff in self._entries(n, size):
            context = above.get(b" ".join(words[:-1]))
            code = codes.get(words[-1])
            if context is None or code is None:
                self._refuse(f"the first {n - 1} words, or the last, are not in the list of shorter n-grams")
            if keys.setdefault(context * vocabulary_size + code, len(logs)) < len(logs):
                self._refuse("the n-gram occurs twice")
            logs.append(log)
            backoffs.append(backoff)
            texts.append(b" ".join(words))
        array = np.fromiter(keys, dtype=np.int64, count=len(keys))
        sorting = np.argsort(array)
        table = NgramTable(array[sorting], np.array(logs)[sorting], np.array(backoffs)[sorting])
        return table, {} if last else {texts[row]: rank for rank, row in enumerate(sorting.tolist())}
