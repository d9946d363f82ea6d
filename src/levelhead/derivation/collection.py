"""Lists of treebanks with the accuracies of parsers on them, and their perplexities in two orders."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, NoReturn

from levelhead._version import VERSION
from levelhead.derivation.averages import TreebankPerplexities
from levelhead.derivation.estimate import estimate
from levelhead.derivation.model import NgramModel
from levelhead.derivation.perplexity import Ends, Perplexity, perplexity
from levelhead.derivation.sequences import sequences_of
from levelhead.errors import Fault, InputError, Place, quoted
from levelhead.treebank import Treebank, read
from levelhead.treebank.source import read_bytes

COLUMNS = ("name", "group", "train", "test")
"""The columns that a list of treebanks starts with; accuracies follow."""


class ListedTreebank(NamedTuple):
    """A line of a list of treebanks.

    Args:
        name: its name.
        groups: the groups it belongs to.
        train: the path of its training set.
        test: the path of its test set.
        accuracies: accuracies of parsers on it, by the heads of their columns.
    """

    name: str
    groups: tuple[str, ...]
    train: str
    test: str
    accuracies: Mapping[str, float]


def read_treebank_list(path: str) -> list[ListedTreebank]:
    """Read a table separated by tabs: name, group (several with commas between), train, test, then accuracies.

    Args:
        path: the file; the paths in it are relative to its folder.

    Raises:
        UnreadableFile: it cannot be opened.
        InputError: it is no such table, with the line.
    """
    data = read_bytes(path)
    try:
        lines = data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        _refuse(path, 1, "the file is not UTF-8")
    rows = [(number, line.rstrip("\r").split("\t")) for number, line in enumerate(lines, 1) if line.strip()]
    if not rows or tuple(rows[0][1][:4]) != COLUMNS:
        _refuse(path, 1, f"the first line has the columns {', '.join(COLUMNS)}, then one for each accuracy")
    names = rows[0][1][4:]
    if len(set(names)) < len(names) or not all(names):
        _refuse(path, rows[0][0], "two columns have the same name, or one has none")
    if len(rows) == 1:
        _refuse(path, rows[0][0], "there is no treebank")
    folder = "" if path == "-" else os.path.dirname(path)  # noqa: PTH120 -- pathlib is slow to load
    return [_listed(cells, names, folder, path, number) for number, cells in rows[1:]]


def _refuse(path: str, line: int, message: str) -> NoReturn:
    raise InputError(Fault("invalid-treebank-list", message, Place(path, line)))


def _listed(cells: list[str], names: list[str], folder: str, path: str, line: int) -> ListedTreebank:
    if len(cells) != len(names) + len(COLUMNS) or not all(cells[:4]):
        _refuse(path, line, f"{len(names) + len(COLUMNS)} columns are expected, the first four of them not empty")
    name, groups, train, test = cells[:4]
    return ListedTreebank(
        name,
        tuple(dict.fromkeys(filter(None, map(str.strip, groups.split(","))))),
        os.path.join(folder, train),  # noqa: PTH118
        os.path.join(folder, test),  # noqa: PTH118
        {name: _number(cell, path, line) for name, cell in zip(names, cells[4:]) if cell.strip()},
    )


def _number(cell: str, path: str, line: int) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        _refuse(path, line, f"{quoted(cell)} is no accuracy")
    return number


def perplexities_of(
    treebanks: Sequence[ListedTreebank],
    order: str,
    *,
    ngram_order: int = 3,
    minimum_counts: Sequence[int] = (),
    ends: Ends = "in",
    lift: bool = False,
) -> Iterator[TreebankPerplexities]:
    """Give the string perplexity and the derivation perplexity of each treebank, without unknown words.

    Args:
        treebanks: the treebanks.
        order: the derivation order, one of `ORDERS`.
        ngram_order: the length of the longest n-grams.
        minimum_counts: as in `estimate`.
        ends: how the ends of sentences count.
        lift: whether non-projective arcs are lifted.

    Raises:
        InputError: a file is no treebank, or has no words that its training set knows.
    """
    for listed in treebanks:
        train, test = read(listed.train), read(listed.test)
        found: dict[str, Perplexity] = {}
        models: dict[str, NgramModel] = {}
        for one in ("string", order):
            models[one] = estimate(sequences_of(train, one, lift=lift), ngram_order, minimum_counts=minimum_counts)
            found[one] = perplexity(models[one], test, one, ends=ends, lift=lift)
        yield _row(listed, train, test, models, (found["string"], found[order]))


def _row(
    listed: ListedTreebank,
    train: Treebank,
    test: Treebank,
    models: Mapping[str, NgramModel],
    found: tuple[Perplexity, Perplexity],
) -> TreebankPerplexities:
    string, derivation = (one.excluding_oov for one in found)
    if string is None or derivation is None:
        message = "no word is known from training: there is no perplexity"
        raise InputError(Fault("invalid-treebank-list", message, Place(listed.test)))
    told = [str(fault) for fault in (*train.warnings, *test.warnings)]
    told += [f"{listed.name}, {one} order: {text}" for one, model in models.items() for text in model.fallback_warnings]
    return TreebankPerplexities(
        listed.name,
        listed.groups,
        train.n_words,
        string,
        derivation,
        listed.accuracies,
        found[0].log10_per_sentence,
        found[1].log10_per_sentence,
        train.source.sha256,
        test.source.sha256,
        {one: model.fallback_orders for one, model in models.items()},
        tuple(told),
    )


def collection_signature(
    rows: Sequence[TreebankPerplexities],
    order: str,
    *,
    ngram_order: int = 3,
    minimum_counts: Sequence[int] = (),
    ends: Ends = "in",
    lift: bool = False,
) -> dict[str, str]:
    """Return what decided the perplexities of a list of treebanks; all files together have one hash.

    Args:
        rows: what `perplexities_of` gave.
        order: as it was given there, and so for the rest.
        ngram_order: the length of the longest n-grams.
        minimum_counts: as in `estimate`.
        ends: how the ends of sentences count.
        lift: whether non-projective arcs are lifted.
    """
    files = "".join(f"{row.train_sha256 or ''} {row.test_sha256 or ''}\n" for row in rows)
    return {
        "order": order,
        "ngram": str(ngram_order),
        "smoothing": "interpolated-modified-kneser-ney",
        "minimum-counts": ",".join(map(str, minimum_counts or (1,) * ngram_order)),
        "minimum-word-count": "1",
        "ends": ends,
        **({"lift": "yes"} if lift else {}),
        "files": hashlib.sha256(files.encode()).hexdigest()[:12],
        "version": VERSION,
    }
