"""ARPA files: the text format in which n-gram models are exchanged; KenLM and SRILM read and write it."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, NoReturn

import numpy as np

from levelhead.derivation.model import NgramModel, NgramTable, Reals
from levelhead.derivation.ngrams import BEGIN, SPECIAL, UNKNOWN
from levelhead.errors import Fault, InputError, Place, quoted
from levelhead.treebank import Strings
from levelhead.treebank.source import read_bytes
from levelhead.treebank.write import replace_file

_NEVER = "-99"  # what ARPA files have for a probability of zero
_SEPARATORS = re.compile("[ \t\n\r\v\f]")
_RESERVED = {*SPECIAL, "<UNK>"}  # KenLM reads both spellings as the unknown word


def write_arpa(model: NgramModel, path: str | os.PathLike[str]) -> None:
    """Write a model; every number is written so that it is read back exactly.

    Args:
        model: the model.
        path: the file, replaced whole or not at all; "-" is standard output.

    Raises:
        InputError: a word of the model is spelled like `<s>`, or has white space in it.
        OutputError: the file cannot be written.
    """
    _check_words(model.words)
    replace_file(path, (text.encode() for text in _arpa_parts(model)))


def _check_words(words: Iterable[str]) -> None:
    for word in words:
        if word in _RESERVED or _SEPARATORS.search(word):
            raise InputError(Fault("reserved-word", f"an ARPA file cannot hold the word {quoted(word)}"))


def _arpa_parts(model: NgramModel) -> Iterator[str]:
    sizes = [len(table.keys) for table in model.tables]
    sizes[0] = len(_written(model))
    yield "\\data\\\n" + "".join(f"ngram {n}={size}\n" for n, size in enumerate(sizes, 1))
    texts = [*SPECIAL, *model.words]
    above = texts
    for n, table in enumerate(model.tables, 1):
        if n > 1:
            contexts, last = np.divmod(table.keys, model.vocabulary_size)
            above = [f"{above[context]} {texts[word]}" for context, word in zip(contexts.tolist(), last.tolist())]
        rows = _written(model) if n == 1 else range(len(above))
        yield f"\n\\{n}-grams:\n"
        yield "".join(_lines(above, table, rows, with_backoffs=n < model.order))
    yield "\n\\end\\\n"


def _written(model: NgramModel) -> list[int]:
    """The words that are written: all but those that have no probability, `<s>` apart."""
    possible = np.isfinite(model.tables[0].log_probabilities)
    possible[BEGIN] = True
    found: list[int] = np.flatnonzero(possible).tolist()
    return found


def _lines(texts: list[str], table: NgramTable, rows: Iterable[int], *, with_backoffs: bool) -> Iterator[str]:
    logs = _numbers(table.log_probabilities)
    if not with_backoffs:
        return (f"{logs[row]}\t{texts[row]}\n" for row in rows)
    backoffs = _numbers(table.backoffs)
    return (f"{logs[row]}\t{texts[row]}\t{backoffs[row]}\n" for row in rows)


def _numbers(values: Reals) -> list[str]:
    """Numbers as text; many n-grams share one, so that each is written out once."""
    distinct, which = np.unique(values, return_inverse=True)
    texts = [_NEVER if math.isinf(value) else repr(value) for value in distinct.tolist()]
    return list(map(texts.__getitem__, which.tolist()))


def read_arpa(path: str | os.PathLike[str]) -> NgramModel:
    """Read a model, compressed or not.

    Args:
        path: the file; "-" is standard input.

    Raises:
        UnreadableFile: it cannot be opened, or its compression is damaged.
        InputError: it is no ARPA file, with the first line that shows it.
    """
    return _Reader(read_bytes(path), os.fsdecode(path)).model()


class _Entry(NamedTuple):
    """A line of an ARPA file: the n-gram in UTF-8, log10 of its probability and of its back-off weight."""

    words: list[bytes]
    log_probability: float
    backoff: float


class _Reader:
    """The lines of an ARPA file, read once from the top."""

    def __init__(self, data: bytes, name: str) -> None:
        self.lines = data.split(b"\n")
        self.name = name
        self.at = 0

    def model(self) -> NgramModel:
        """Read all of it."""
        sizes = self._sizes()
        words, first, index = self._words(sizes[0])
        tables = [first]
        codes = {word: code for word, code in index.items() if word != b"<UNK>"}
        for n, size in enumerate(sizes[1:], 2):
            table, index = self._longer(n, size, codes, index, last=n == len(sizes))
            tables.append(table)
        self._skip_blank()
        if self._line() != b"\\end\\":
            self._refuse("\\end\\ is expected here")
        return NgramModel(words, tuple(tables))

    def _refuse(self, message: str) -> NoReturn:
        line = min(self.at, len(self.lines) - 1) + 1
        raise InputError(Fault("invalid-arpa", message, Place(self.name, line)))

    def _line(self) -> bytes:
        return self.lines[self.at].strip() if self.at < len(self.lines) else b""

    def _skip_blank(self) -> None:
        while self.at < len(self.lines) and not self._line():
            self.at += 1

    def _sizes(self) -> list[int]:
        """The header: how many n-grams of each order there are."""
        self._skip_blank()
        if self._line() != b"\\data\\":
            self._refuse("an ARPA file starts with \\data\\")
        self.at += 1
        sizes: list[int] = []
        while match := re.fullmatch(rb"ngram\s+(\d{1,9})\s*=\s*(\d{1,18})", self._line()):
            if int(match[1]) != len(sizes) + 1:
                self._refuse("the orders of n-grams are not 1, 2, 3 ...")
            sizes.append(int(match[2]))
            self.at += 1
        if not sizes:
            self._refuse("the number of n-grams is expected here, as in `ngram 1=1000`")
        return sizes

    def _entries(self, n: int, size: int) -> Iterator[_Entry]:
        """The section of one order."""
        self._skip_blank()
        if self._line() != b"\\%d-grams:" % n:
            self._refuse(f"\\{n}-grams: is expected here")
        self.at += 1
        for read in range(size):
            parts = self.lines[self.at].split() if self.at < len(self.lines) else []
            if len(parts) not in {n + 1, n + 2}:
                self._refuse(f"a probability, {n} words and perhaps a back-off weight are expected ({read} of {size})")
            yield self._entry(parts, n)
            self.at += 1
        if self._line():
            self._refuse(f"there are more than the {size} {n}-grams that the header says")

    def _entry(self, parts: list[bytes], n: int) -> _Entry:
        try:
            log, backoff = float(parts[0]), float(parts[n + 1]) if len(parts) == n + 2 else 0.0
        except ValueError:
            self._refuse("a number is expected at the start, and after the words if anything is")
        if not (math.isfinite(log) and math.isfinite(backoff) and log <= 1e-5):
            self._refuse("log-probabilities are numbers up to 0, back-off weights finite numbers")
        return _Entry(parts[1 : n + 1], log, backoff)

    def _words(self, size: int) -> tuple[Strings, NgramTable, dict[bytes, int]]:
        """The single words, and the code of each."""
        codes = {word.encode(): code for code, word in enumerate(SPECIAL)} | {b"<UNK>": UNKNOWN}
        texts: list[str] = []
        logs, backoffs = [-math.inf] * len(SPECIAL), [0.0] * len(SPECIAL)
        seen: set[int] = set()
        for (word,), log, backoff in self._entries(1, size):
            code = codes.setdefault(word, len(logs))
            if code in seen:
                self._refuse(f"the word {quoted(word.decode('utf-8', 'replace'))} is there twice")
            seen.add(code)
            if code == len(logs):
                texts.append(self._decoded(word))
                logs.append(log)
                backoffs.append(backoff)
            else:
                logs[code], backoffs[code] = -math.inf if code == BEGIN else log, backoff
        return Strings.of(texts), NgramTable(np.arange(len(logs)), np.array(logs), np.array(backoffs)), codes

    def _decoded(self, word: bytes) -> str:
        try:
            return word.decode()
        except UnicodeDecodeError:
            self._refuse("a word is not UTF-8")

    def _longer(
        self, n: int, size: int, codes: dict[bytes, int], above: dict[bytes, int], *, last: bool
    ) -> tuple[NgramTable, dict[bytes, int]]:
        """The n-grams of one order, ascending by key, and the index of each unless they are the last."""
        vocabulary_size = max(codes.values()) + 1
        keys: dict[int, int] = {}
        logs: list[float] = []
        backoffs: list[float] = []
        texts: list[bytes] = []
        for words, log, backoff in self._entries(n, size):
            context = above.get(b" ".join(words[:-1]))
            code = codes.get(words[-1])
            if context is None or code is None:
                self._refuse(f"the first {n - 1} words, or the last, are not among the shorter n-grams")
            if keys.setdefault(context * vocabulary_size + code, len(logs)) < len(logs):
                self._refuse("the n-gram is there twice")
            logs.append(log)
            backoffs.append(backoff)
            texts.append(b" ".join(words))
        array = np.fromiter(keys, dtype=np.int64, count=len(keys))
        sorting = np.argsort(array)
        table = NgramTable(array[sorting], np.array(logs)[sorting], np.array(backoffs)[sorting])
        rank = dict(zip(map(texts.__getitem__, sorting.tolist()), range(len(texts)))) if not last else {}
        return table, rank
