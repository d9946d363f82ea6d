"""External parsers: MaltParser, or any program by its command lines, and checks and repairs of all outputs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from levelhead.errors import Fault, InputError, number_of, quoted
from levelhead.parsing import udpipe
from levelhead.parsing.model import ExternalSettings
from levelhead.parsing.parser_input import is_relation, with_flat_trees
from levelhead.parsing.programs import filled, run_program, temporary_folder, written_file
from levelhead.treebank import Treebank, to_conllu
from levelhead.treebank.tokens import place_of

EXTERNAL_PARSERS = ("udpipe", "malt", "command")  # the external parsers of `levelhead train`


def train_external(parser: str, treebank: Treebank, external: ExternalSettings) -> bytes:
    if parser == "udpipe":
        return udpipe.train(treebank, external.options)
    if parser == "malt":
        with temporary_folder(train=plain_conllu(treebank)) as folder:
            # MaltParser's own default relation of roots, ROOT, is not a UD relation
            options = ("-m", "learn", "-i", "train", "-grl", "root", *external.options.split())
            return _malt(external, folder / "model.mco", *options)
    with temporary_folder(train=to_conllu(treebank)) as folder:
        return _run_command(external.train_command, "--train-cmd", [folder / name for name in ("train", "model")])


def parse_external(parser: str, model: bytes, treebank: Treebank, external: ExternalSettings) -> bytes:
    if parser == "udpipe":
        return udpipe.parse(model, treebank)
    words = plain_conllu(with_flat_trees(treebank))
    if parser == "malt":
        with temporary_folder(**{"words": words, "model.mco": model}) as folder:
            return _malt(external, folder / "parsed", "-m", "parse", "-i", "words", "-o", "parsed")
    with temporary_folder(model=model, input=words) as folder:
        paths = [folder / name for name in ("model", "input", "output")]
        return _run_command(external.parse_command, "--parse-cmd", paths)


def identity_of(parser: str, external: ExternalSettings) -> str | None:
    """Return the identity of an external parser, for the keys of stored results; None for our own parsers."""
    if parser == "udpipe":
        return udpipe.version()
    if parser == "malt":
        return hashlib.sha256(_jar(external).read_bytes()).hexdigest()
    if parser == "command":
        message = "results of `command` cannot be stored: its program may change unnoticed"
        raise InputError(Fault("not-repeatable", message))
    return None


def plain_conllu(treebank: Treebank) -> bytes:
    """Return CoNLL-U with words only: without comments, multiword tokens and empty nodes, which few parsers read."""
    numbers = np.arange(treebank.n_words) - treebank.sentence_starts[treebank.sentence_of_word] + 1
    words = (treebank.forms, treebank.lemmas, treebank.upos, treebank.xpos, treebank.feats)
    lines: list[str] = []
    for number, head, relation, *cells in zip(numbers.tolist(), treebank.local_heads(), treebank.relations, *words):
        plain = (cell.replace(" ", "_") for cell in cells)
        lines += [""] if number == 1 and lines else []
        lines.append("\t".join((str(number), *plain, str(head), relation, "_", "_")))
    return ("\n".join(lines) + "\n\n").encode()


def _malt(external: ExternalSettings, output: Path, *options: str) -> bytes:
    run_program(["java", "-jar", str(_jar(external)), "-c", "model", "-if", "conllu", *options], output.parent)
    return written_file(output, "MaltParser")


def _run_command(command: str | None, option: str, paths: Sequence[Path]) -> bytes:
    if command is None:
        raise InputError(Fault("invalid-command", f"command requires {option}"))
    run_program(filled(command, {path.name: path for path in paths}))
    return written_file(paths[-1], f"the command of {option}")


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


_TreeFault = tuple[int, str, str]  # a word of a sentence, counted from 0, and the slug and the message of its fault
_MISSING = -1  # a missing head
_NONE = {"", "_"}  # missing relations


def checked(output: bytes, words: Treebank, name: str, *, first: int = 1, repair: bool = False) -> ParsedTreebank:
    """Check an output, and return the parsed words with its trees; `root` is corrected even without `repair`."""
    sentences, forms, starts = rows_of(output), list(words.forms), words.sentence_starts.tolist()
    if len(sentences) != len(starts) - 1:
        message = f"the {name} has {number_of(len(sentences), 'sentence')} instead of {len(starts) - 1}"
        raise InputError(Fault("parser-words", message))
    heads, relations, faults = list[int](), list[str](), list[Fault]()
    for number, rows, start, end in zip(count(first), sentences, starts, starts[1:]):
        other_words = _other_words(rows, forms[start:end])
        local, wrong = ([], []) if other_words else _heads(rows)
        for word, slug, message in other_words or sorted([*wrong, *_wrong_relations(rows)], key=itemgetter(0)):
            # the place is in the parsed treebank, since the output no longer exists when users read the message
            place = place_of(words, start + word)._replace(sentence=number)
            faults.append(Fault(slug, f"sentence {number} in the {name}: {message}", place))
        if other_words:
            raise InputError(faults[-1])
        heads += [head + start - 1 if head else -1 for head in local]
        for row, head in zip(rows, local):
            invalid = row.relation in _NONE | {"root", "ROOT"} or not is_relation(row.relation)
            relations.append("root" if head == 0 else "dep" if invalid else row.relation)
    if faults and not repair:
        raise InputError(*faults)
    parsed = words.replace(heads=heads, relations=relations, deps=["_"] * words.n_words)
    return ParsedTreebank(parsed, tuple(replace(fault, severity="warning") for fault in faults))


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


def _other_words(rows: list[Row], forms: list[str]) -> list[_TreeFault]:
    for i, (row, form) in enumerate(zip(rows, forms)):
        if row.n_columns not in {8, 9, 10}:  # CoNLL-U has ten; the last two of CoNLL-X may be missing
            return [(i, "number-of-columns", f"{number_of(row.n_columns, 'column')} instead of 10")]
        if row.form.replace(" ", "_") != form.replace(" ", "_"):
            return [(i, "parser-words", f"the parser gave {quoted(row.form)} for {quoted(form)}")]
    if len(rows) != len(forms):
        return [(0, "parser-words", f"the parser gave {number_of(len(rows), 'word')} for {len(forms)}")]
    return []


def _heads(rows: list[Row]) -> tuple[list[int], list[_TreeFault]]:
    """The repaired heads, in which other roots, words without a valid head, and cycles depend on the root; faults."""
    wrong: list[_TreeFault] = []
    heads = [_MISSING] * len(rows)
    for i, row in enumerate(rows):
        digits = row.head.lstrip("0") or "0"
        if not (row.head.isascii() and row.head.isdigit()):
            wrong.append((i, "invalid-head", f"the head {quoted(row.head)} is not a number"))
        elif len(digits) > 9 or int(digits) > len(rows):
            message = f"the head {quoted(row.head)} is out of range: the sentence has {number_of(len(rows), 'word')}"
            wrong.append((i, "head-outside-sentence", message))
        elif int(digits) == i + 1:
            wrong.append((i, "cycle", "the word is its own head"))
        else:
            heads[i] = int(digits)
    roots = [i for i, head in enumerate(heads) if head == 0]
    if not roots:
        wrong.append((0, "no-root", "no word is the root"))
    if len(roots) > 1:
        wrong.append((roots[1], "several-roots", f"{len(roots)} words are roots"))
    # the first word with head 0; without one, the first word without a valid head; or else the first word
    root = (roots or [i for i, head in enumerate(heads) if head == _MISSING] or [0])[0]
    heads = [root + 1 if head <= 0 else head for head in heads]
    heads[root] = 0
    seen = {0}
    for start in range(1, len(heads) + 1):
        path = list[int]()
        word = start
        while word not in seen:
            seen.add(word)
            path.append(word)
            word = heads[word - 1]
        if word in path:
            first = min(path[path.index(word) :]) - 1
            wrong.append((first, "cycle", "the word is in a cycle"))
            heads[first] = root + 1
    return heads, wrong


def _wrong_relations(rows: list[Row]) -> Iterator[_TreeFault]:
    for i, row in enumerate(rows):
        if row.relation in _NONE:
            yield i, "empty-relation", f"the relation is {quoted(row.relation)}"
        elif not is_relation(row.relation):
            yield i, "invalid-relation", f"the relation {quoted(row.relation)} has white space or invisible characters"
