"""Sentences as comments and rows of ten cells, the common form of libraries for CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from levelhead.errors import ConlluError, Fault, quoted
from levelhead.interop.library_errors import fault_in
from levelhead.treebank import Treebank, from_conllu, to_conllu

_BREAK = re.compile("[\t\n\r]")
_LINE_END = re.compile("[\n\r]")
_LINE_OF_TEXT = re.compile(r" in the sentence that ends at line \d+$")


class SentenceBlock(NamedTuple):
    """One sentence.

    Args:
        comments: its comment lines, without line ends.
        rows: the ten cells of each word, range and empty node, in the order of CoNLL-U.
    """

    comments: Sequence[str]
    rows: Sequence[Sequence[str]]


def blocks_of(treebank: Treebank) -> Iterator[SentenceBlock]:
    """Yield the sentences of a treebank."""
    for text in to_conllu(treebank).decode().split("\n\n")[:-1]:
        lines = text.split("\n")
        rows = [line.split("\t") for line in lines if line[0] != "#"]
        yield SentenceBlock(lines[: len(lines) - len(rows)], rows)


def treebank_from_blocks(blocks: Iterable[SentenceBlock], origin: str) -> Treebank:
    """Return a treebank made of sentences."""
    text = "".join(_text(number, block, origin) for number, block in enumerate(blocks, 1))
    try:
        return from_conllu(text)
    except ConlluError as error:
        raise ConlluError(*(_without_line(fault, origin) for fault in error.faults)) from None


def _text(number: int, block: SentenceBlock, origin: str) -> str:
    if not block.rows:
        raise ConlluError(fault_in(origin, number, "empty-sentence", "the sentence has no words"))
    for text, forbidden in _pieces(block):
        if forbidden.search(text):
            raise ConlluError(fault_in(origin, number, "invalid-columns", f"{quoted(text)} has a tab or a line end"))
    lines = [*block.comments, *("\t".join(row) for row in block.rows)]
    return "".join(f"{line}\n" for line in lines) + "\n"


def _pieces(block: SentenceBlock) -> Iterator[tuple[str, re.Pattern[str]]]:
    yield from ((comment, _LINE_END) for comment in block.comments)
    yield from ((cell, _BREAK) for row in block.rows for cell in row)


def _without_line(fault: Fault, origin: str) -> Fault:
    """Name the sentence instead of the line, since the text is not a file."""
    place = fault.place
    named = fault_in(origin, place.sentence, fault.slug, _LINE_OF_TEXT.sub("", fault.message), place.word)
    return replace(fault, message=named.message, place=named.place)
