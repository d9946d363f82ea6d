"""ARPA files: the text format of n-gram models that KenLM and SRILM read and write."""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import compress, repeat
from typing import NoReturn

import numpy as np

from levelhead.derivation.ngram_model import BEGIN, SPECIAL, UNKNOWN, NgramModel, NgramTable
from levelhead.errors import Fault, InputError, Place, quoted
from levelhead.treebank import Strings
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.write import replace_file

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
