"""Checks that the output of an external parser has the same words and valid trees, and repairs trees."""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

from levelhead.errors import Fault, InputError, Place, Severity, number_of, quoted
from levelhead.parsing.relation_names import is_relation
from levelhead.treebank import Treebank
from levelhead.treebank.places import place_of


class Row(NamedTuple):
    """A word of an output: its form, head and relation as written, and the number of columns in its line."""

    form: str
    head: str
    relation: str
    n_columns: int = 10


class Parsed(NamedTuple):
    """A treebank with the trees of an output, and their faults."""

    treebank: Treebank
    faults: tuple[Fault, ...]


class _TreeFault(NamedTuple):
    """A fault at a word of a sentence, counted from 0."""

    word: int
    slug: str
    message: str


_MISSING = -1  # a missing head
_DEFAULT_RELATION = "dep"  # replaces a missing or invalid relation
_NONE = {"", "_"}  # missing relations
_COLUMNS = range(8, 11)  # CoNLL-U has ten; the last two of CoNLL-X may be missing
_LONGEST_HEAD = 9  # digits


def checked(output: bytes, words: Treebank, name: str, *, first: int = 1, repair: bool = False) -> Parsed:
    """Check an output, and return the parsed words with its trees.

    Repairs, in this order: a head that is not a word of the sentence, or is the word itself, counts as missing. The
    root is the first word with head 0; without one, the first word without a head; otherwise the first word of the
    sentence. Other words whose head is 0 or missing depend on the root. In each remaining cycle, the first word
    depends on the root. The root gets the relation `root`. Any other word gets `dep` if its relation is `root`,
    missing, or has white space or invisible characters. The relation `root` is always corrected, even without `repair`.
    """
    sentences = rows_of(output)
    _check_words(sentences, words, name, first)
    heads, relations, faults = list[int](), list[str](), list[Fault]()
    for number, rows in enumerate(sentences, first):
        start = len(heads)
        local, wrong = _heads(rows)
        wrong += _wrong_relations(rows)
        faults += [
            Fault(slug, _sentence_message(message, number, name), _place(words, start + i, number), _severity(repair))
            for i, slug, message in sorted(wrong, key=lambda fault: fault.word)
        ]
        heads += [head + start - 1 if head else -1 for head in local]
        relations += [_relation(row.relation, head) for row, head in zip(rows, local)]
    if faults and not repair:
        raise InputError(*faults)
    return Parsed(words.replace(heads=heads, relations=relations, deps=["_"] * words.n_words), tuple(faults))


def _severity(repair: bool) -> Severity:
    return "warning" if repair else "error"


def _sentence_message(message: str, number: int, name: str) -> str:
    return f"sentence {number} in the {name}: {message}"


def _place(words: Treebank, word: int, number: int) -> Place:
    """The place of a word in the parsed treebank, since the output no longer exists when users read the message."""
    return place_of(words, word)._replace(sentence=number)


def rows_of(output: bytes) -> list[list[Row]]:
    """Return the words of each sentence of an output; missing columns are empty."""
    sentences: list[list[Row]] = [[]]
    for line in output.decode("utf-8", "replace").split("\n"):
        cells = line.rstrip("\r").split("\t")
        if not line.strip():
            if sentences[-1]:
                sentences.append([])
        elif not line.startswith("#") and cells[0].isdigit():
            padded = cells + [""] * (8 - len(cells))
            sentences[-1].append(Row(padded[1], padded[6], padded[7], len(cells)))
    return sentences if sentences[-1] else sentences[:-1]


def _check_words(sentences: list[list[Row]], words: Treebank, name: str, first: int) -> None:
    """Raise an InputError if the output has other words, or lines with a wrong number of columns."""
    starts = words.sentence_starts.tolist()
    if len(sentences) != len(starts) - 1:
        message = f"the {name} has {number_of(len(sentences), 'sentence')} instead of {len(starts) - 1}"
        raise InputError(Fault("parser-words", message))
    forms = list(words.forms)
    for number, rows, start, end in zip(count(first), sentences, starts, starts[1:]):
        fault = _other_words(rows, forms[start:end])
        if fault is not None:
            message = _sentence_message(fault.message, number, name)
            raise InputError(Fault(fault.slug, message, _place(words, start + fault.word, number)))


def _other_words(rows: list[Row], forms: list[str]) -> _TreeFault | None:
    """The first fault in the words and columns of a sentence, if any."""
    for i, (row, form) in enumerate(zip(rows, forms)):
        if row.n_columns not in _COLUMNS:
            return _TreeFault(i, "number-of-columns", f"{number_of(row.n_columns, 'column')} instead of 10")
        if row.form.replace(" ", "_") != form.replace(" ", "_"):
            return _TreeFault(i, "parser-words", f"the parser gave {quoted(row.form)} for {quoted(form)}")
    if len(rows) != len(forms):
        return _TreeFault(0, "parser-words", f"the parser gave {number_of(len(rows), 'word')} for {len(forms)}")
    return None


def _heads(rows: list[Row]) -> tuple[list[int], list[_TreeFault]]:
    """The repaired heads, and the faults."""
    wrong: list[_TreeFault] = []
    heads = [_head(row, i, len(rows), wrong) for i, row in enumerate(rows)]
    roots = [i for i, head in enumerate(heads) if head == 0]
    if not roots:
        wrong.append(_TreeFault(0, "no-root", "no word is the root"))
    if len(roots) > 1:
        wrong.append(_TreeFault(roots[1], "several-roots", f"{len(roots)} words are roots"))
    missing = [i for i, head in enumerate(heads) if head == _MISSING]
    root = (roots or missing or [0])[0]
    heads = [root + 1 if head <= 0 else head for head in heads]
    heads[root] = 0
    for i in _first_of_cycles(heads):
        wrong.append(_TreeFault(i, "cycle", "the word is in a cycle"))
        heads[i] = root + 1
    return heads, wrong


def _head(row: Row, i: int, n: int, wrong: list[_TreeFault]) -> int:
    digits = row.head.lstrip("0") or "0"
    if not (row.head.isascii() and row.head.isdigit()):
        wrong.append(_TreeFault(i, "invalid-head", f"the head {quoted(row.head)} is not a number"))
    elif len(digits) > _LONGEST_HEAD or int(digits) > n:
        message = f"the head {quoted(row.head)} is out of range: the sentence has {number_of(n, 'word')}"
        wrong.append(_TreeFault(i, "head-outside-sentence", message))
    elif int(digits) == i + 1:
        wrong.append(_TreeFault(i, "cycle", "the word is its own head"))
    else:
        return int(digits)
    return _MISSING


def _wrong_relations(rows: list[Row]) -> list[_TreeFault]:
    """The faults of missing and invalid relations."""
    wrong: list[_TreeFault] = []
    for i, row in enumerate(rows):
        if row.relation in _NONE:
            wrong.append(_TreeFault(i, "empty-relation", f"the relation is {quoted(row.relation)}"))
        elif not is_relation(row.relation):
            message = f"the relation {quoted(row.relation)} has white space or invisible characters"
            wrong.append(_TreeFault(i, "invalid-relation", message))
    return wrong


def _first_of_cycles(heads: list[int]) -> list[int]:
    """The first word of each cycle."""
    seen = [0] * (len(heads) + 1)  # 0: not reached yet; otherwise the word from which it was reached
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
    return _DEFAULT_RELATION if relation in _NONE | {"root", "ROOT"} or not is_relation(relation) else relation
