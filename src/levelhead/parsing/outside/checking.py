"""What other programs give back: the same words, and a tree of each sentence, or what is wrong; and repairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from levelhead.errors import Fault, InputError, Place
from levelhead.treebank import Treebank


class Row(NamedTuple):
    """A word of an output: its line, form, head and relation as they are written."""

    line: int
    form: str
    head: str
    relation: str


class Parsed(NamedTuple):
    """A treebank with the trees of an output, and what was wrong with them."""

    treebank: Treebank
    faults: tuple[Fault, ...]


_MISSING = -1  # no head that means anything
_UNTOLD = "dep"  # the relation of a word whose own is `root` or missing where it cannot be


def checked(output: bytes, words: Treebank, name: str, *, repair: bool = False) -> Parsed:
    """Check an output and put its trees onto the words that were parsed.

    Repairs, in this order: a head that is no word of the sentence, or the word itself, counts as missing. The root is
    the first word whose head is 0; if there is none, the first whose head is missing; if there is none, the first word
    of the sentence. Other words whose head is 0 or missing depend on the root. Of each cycle that is left, the first
    word depends on the root. The root gets the relation `root`; any other word that has it, or none, gets `dep`.

    Args:
        output: CoNLL-U or CoNLL-X; comments, multiword tokens and empty nodes are passed over.
        words: what was parsed.
        name: what to call the output in messages.
        repair: whether to repair trees; if not, wrong ones are errors.

    Raises:
        InputError: the words are not those that were parsed; or trees are wrong and `repair` is not asked for.
    """
    sentences = rows_of(output)
    _check_words(sentences, words, name)
    heads, relations, faults = list[int](), list[str](), list[Fault]()
    for number, rows in enumerate(sentences, 1):
        start = len(heads)
        local, slugs = _heads(rows)
        faults += [
            Fault(slug, message, Place(name, rows[i].line, number, str(i + 1)), "warning" if repair else "error")
            for i, slug, message in slugs
        ]
        heads += [head + start - 1 if head else -1 for head in local]
        relations += [_relation(row.relation, head) for row, head in zip(rows, local)]
    if faults and not repair:
        raise InputError(*faults)
    return Parsed(words.replace(heads=heads, relations=relations, deps=["_"] * words.n_words), tuple(faults))


def rows_of(output: bytes) -> list[list[Row]]:
    """Return the words of each sentence of an output."""
    sentences: list[list[Row]] = [[]]
    for number, line in enumerate(output.decode("utf-8", "replace").split("\n"), 1):
        cells = line.rstrip("\r").split("\t")
        if not line.strip():
            if sentences[-1]:
                sentences.append([])
        elif not line.startswith("#") and cells[0].isdigit():
            cells += [""] * (8 - len(cells))
            sentences[-1].append(Row(number, cells[1], cells[6], cells[7]))
    return sentences if sentences[-1] else sentences[:-1]


def _check_words(sentences: list[list[Row]], words: Treebank, name: str) -> None:
    sizes = np.diff(words.sentence_starts).tolist()
    if len(sentences) != len(sizes):
        message = f"the parser gave {len(sentences)} sentences for {len(sizes)}"
        raise InputError(Fault("parser-words", message, Place(name)))
    forms = iter(words.forms)
    for number, (rows, size) in enumerate(zip(sentences, sizes), 1):
        if len(rows) != size:
            message = f"the parser gave {len(rows)} words for {size}"
            raise InputError(Fault("parser-words", message, Place(name, rows[0].line, number)))
        for row, form in zip(rows, forms):
            if row.form.replace(" ", "_") != form.replace(" ", "_"):
                message = f"the parser gave {row.form!r} for {form!r}"
                raise InputError(Fault("parser-words", message, Place(name, row.line, number)))


def _heads(rows: list[Row]) -> tuple[list[int], list[tuple[int, str, str]]]:
    """Repaired heads, and what was wrong: the word, the slug and a sentence."""
    wrong: list[tuple[int, str, str]] = []
    heads = [_head(row, i, len(rows), wrong) for i, row in enumerate(rows)]
    roots = [i for i, head in enumerate(heads) if head == 0]
    if not roots:
        wrong.append((0, "no-root", "no word is the root"))
    if len(roots) > 1:
        wrong.append((roots[1], "several-roots", f"{len(roots)} words are roots"))
    missing = [i for i, head in enumerate(heads) if head == _MISSING]
    root = (roots or missing or [0])[0]
    heads = [root + 1 if head <= 0 else head for head in heads]
    heads[root] = 0
    for i in _first_of_cycles(heads):
        wrong.append((i, "cycle", "the word is below itself"))
        heads[i] = root + 1
    return heads, wrong


def _head(row: Row, i: int, n: int, wrong: list[tuple[int, str, str]]) -> int:
    head = int(row.head) if row.head.isascii() and row.head.isdigit() and len(row.head) < 9 else _MISSING
    if head == _MISSING:
        wrong.append((i, "invalid-head", f"the head {row.head!r} is no number"))
    elif head > n:
        wrong.append((i, "head-outside-sentence", f"the sentence has {n} words, the head is {head}"))
    elif head == i + 1:
        wrong.append((i, "cycle", "the word is its own head"))
    else:
        return head
    return _MISSING


def _first_of_cycles(heads: list[int]) -> list[int]:
    """The first word of each cycle."""
    seen = [0] * (len(heads) + 1)  # 0: not yet; otherwise the word from which it was reached
    firsts = []
    for start in range(1, len(heads) + 1):
        word = start
        while word and not seen[word]:
            seen[word] = start
            word = heads[word - 1]
        if word and seen[word] == start:
            cycle = [word]
            while heads[cycle[-1] - 1] != word:
                cycle.append(heads[cycle[-1] - 1])
            firsts.append(min(cycle) - 1)
    return firsts


def _relation(relation: str, head: int) -> str:
    if head == 0:
        return "root"
    return _UNTOLD if relation in {"", "_", "root", "ROOT"} else relation
