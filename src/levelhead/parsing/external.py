"""External parsers: MaltParser, or any program by its command lines, and checks and repairs of all outputs."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import NamedTuple

from levelhead.errors import Fault, InputError, number_of, quoted
from levelhead.parsing import udpipe
from levelhead.parsing.parser_input import is_relation
from levelhead.parsing.programs import filled, run_program, written_file
from levelhead.treebank import Treebank, to_conllu
from levelhead.treebank.tokens import place_of

EXTERNAL_PARSERS = ("udpipe", "malt", "command")
"""The external parsers of `levelhead train`."""


class ExternalSettings(NamedTuple):
    """How to run external parsers. This is not part of models, so reading a model cannot start a program.

    Args:
        jar: the jar file of MaltParser.
        train_command: the command for training with `command`, with {train} and {model}.
        parse_command: the command for parsing with `command`, with {model}, {input} and {output}.
        options: additional training options of the parser, in its own syntax.
    """

    jar: str | None = None
    train_command: str | None = None
    parse_command: str | None = None
    options: str = ""


def train_external(parser: str, treebank: Treebank, external: ExternalSettings) -> bytes:
    """Train an external parser, and return the contents of its own model file."""
    if parser == "udpipe":
        return udpipe.train(treebank, external.options)
    if parser == "malt":
        with _folder(train=plain_conllu(treebank)) as folder:
            # MaltParser's own default relation of roots, ROOT, is not a UD relation
            _malt(external, "learn", ["-i", "train", "-grl", "root", *external.options.split()], folder)
            return written_file(folder / "model.mco", "MaltParser")
    if external.train_command is None:
        raise InputError(Fault("invalid-command", "command requires --train-cmd"))
    with _folder(train=to_conllu(treebank)) as folder:
        run_program(filled(external.train_command, {name: folder / name for name in ("train", "model")}))
        return written_file(folder / "model", "the command of --train-cmd")


def parse_external(parser: str, model: bytes, treebank: Treebank, external: ExternalSettings) -> bytes:
    """Return the output of an external parser for the words of a treebank: CoNLL-U, unchecked."""
    if parser == "udpipe":
        return udpipe.parse(model, treebank)
    words = plain_conllu(treebank, trees=False)
    if parser == "malt":
        with _folder(**{"words": words, "model.mco": model}) as folder:
            _malt(external, "parse", ["-i", "words", "-o", "parsed"], folder)
            return written_file(folder / "parsed", "MaltParser")
    if external.parse_command is None:
        raise InputError(Fault("invalid-command", "command requires --parse-cmd"))
    with _folder(model=model, input=words) as folder:
        run_program(filled(external.parse_command, {name: folder / name for name in ("model", "input", "output")}))
        return written_file(folder / "output", "the command of --parse-cmd")


def identity_of(parser: str, external: ExternalSettings) -> str:
    """Return the identity of an external parser, for the keys of stored results."""
    if parser == "udpipe":
        return udpipe.version()
    if parser == "malt":
        return hashlib.sha256(_jar(external).read_bytes()).hexdigest()
    message = "results of `command` cannot be stored: its program may change unnoticed"
    raise InputError(Fault("not-repeatable", message))


def plain_conllu(treebank: Treebank, *, trees: bool = True) -> bytes:
    """Return CoNLL-U with words only: without comments, multiword tokens and empty nodes, which few parsers read."""
    lines: list[str] = []
    heads = treebank.local_heads().tolist() if trees else []
    starts = set(treebank.sentence_starts.tolist())
    columns = (treebank.forms, treebank.lemmas, treebank.upos, treebank.xpos, treebank.feats, treebank.relations)
    number = 0
    for i, (*cells, relation) in enumerate(zip(*columns)):
        if i in starts:
            number = 0
            lines += [""] if i else []
        number += 1
        head = str(heads[i] if trees else min(1, number - 1))
        label = relation if trees else ("root" if number == 1 else "dep")
        lines.append("\t".join((str(number), *(cell.replace(" ", "_") for cell in cells), head, label, "_", "_")))
    return ("\n".join(lines) + "\n\n").encode()


@contextmanager
def _folder(**files: bytes) -> Iterator[Path]:
    """Create a temporary folder with files."""
    with tempfile.TemporaryDirectory(prefix="levelhead-") as folder:
        for name, data in files.items():
            Path(folder, name).write_bytes(data)
        yield Path(folder)


def _malt(external: ExternalSettings, mode: str, more: list[str], folder: Path) -> None:
    run_program(["java", "-jar", str(_jar(external)), "-c", "model", "-m", mode, "-if", "conllu", *more], folder)


def _jar(external: ExternalSettings) -> Path:
    """The absolute path of MaltParser's jar file, since it runs in another folder."""
    if external.jar is None:
        raise InputError(Fault("parser-failed", "malt requires --jar, MaltParser's jar file"))
    jar = Path(os.path.abspath(external.jar))  # noqa: PTH100 -- links stay as they are
    if not jar.is_file():
        raise InputError(Fault("unreadable-file", f"file not found: {external.jar}"))
    return jar


class Row(NamedTuple):
    """A word of an output: its form, head and relation as written, and the number of columns in its line."""

    form: str
    head: str
    relation: str
    n_columns: int = 10


class ParsedTreebank(NamedTuple):
    """A parsed treebank, and warnings of the repairs to trees of an external parser."""

    treebank: Treebank
    repairs: tuple[Fault, ...]


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


def checked(output: bytes, words: Treebank, name: str, *, first: int = 1, repair: bool = False) -> ParsedTreebank:
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
        for fault in sorted(wrong, key=lambda fault: fault.word):
            in_output = _in_output(fault, words, start, number, name)
            faults.append(replace(in_output, severity="warning") if repair else in_output)
        heads += [head + start - 1 if head else -1 for head in local]
        for row, head in zip(rows, local):
            invalid = row.relation in _NONE | {"root", "ROOT"} or not is_relation(row.relation)
            relations.append("root" if head == 0 else _DEFAULT_RELATION if invalid else row.relation)
    if faults and not repair:
        raise InputError(*faults)
    return ParsedTreebank(words.replace(heads=heads, relations=relations, deps=["_"] * words.n_words), tuple(faults))


def _in_output(fault: _TreeFault, words: Treebank, start: int, number: int, name: str) -> Fault:
    """The fault at its place in the parsed treebank, since the output no longer exists when users read the message."""
    place = place_of(words, start + fault.word)._replace(sentence=number)
    return Fault(fault.slug, f"sentence {number} in the {name}: {fault.message}", place)


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
            raise InputError(_in_output(fault, words, start, number, name))


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
