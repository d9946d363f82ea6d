"""Sentences as rows of columns for other libraries, and errors for treebanks that a library cannot represent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from levelhead.errors import ConlluError, Fault, InputError, Place, quoted
from levelhead.treebank import Treebank, from_conllu, to_conllu


def fault_in(origin: str | None, sentence: int | None, slug: str, message: str, word: str | None = None) -> Fault:
    """Return a fault in an object that is not a file, so that the message names the sentence."""
    return Fault(slug, (f"sentence {sentence}: " if sentence else "") + message, Place(origin, None, sentence, word))


def cannot_hold(message: str, sentence: int | None = None, word: str | None = None) -> Fault:
    return fault_in(None, sentence, "cannot-hold", (f"word {word}: " if word else "") + message, word)


def raise_faults(treebank: Treebank, faults: Iterable[Fault]) -> None:
    located = [fault.in_file(treebank.source.path) for fault in faults]
    if located:
        raise InputError(*located)


_BREAK = re.compile("[\t\n\r]")
_LINE_END = re.compile("[\n\r]")
_LINE_OF_TEXT = re.compile(r" in the sentence that ends at line \d+$")


class SentenceBlock(NamedTuple):
    """A sentence: its comment lines, and the ten cells of each word, range and empty node."""

    comments: Sequence[str]
    rows: Sequence[Sequence[str]]


def blocks_of(treebank: Treebank) -> Iterator[SentenceBlock]:
    for text in to_conllu(treebank).decode().split("\n\n")[:-1]:
        lines = text.split("\n")
        rows = [line.split("\t") for line in lines if line[0] != "#"]
        yield SentenceBlock(lines[: len(lines) - len(rows)], rows)


def treebank_from_blocks(
    blocks: Iterable[SentenceBlock], origin: str, *, several_roots: bool = False, partial: bool = False
) -> Treebank:
    text = "".join(_text(number, block, origin) for number, block in enumerate(blocks, 1))
    try:
        treebank = from_conllu(text, allow_several_roots=several_roots, partial=partial)
    except ConlluError as error:
        raise ConlluError(*_named(error.faults, origin)) from None
    read = treebank.partial and treebank.partial._replace(faults=_named(treebank.partial.faults, origin))
    return replace(treebank, partial=read)


def _named(faults: Iterable[Fault], origin: str) -> tuple[Fault, ...]:
    """Return faults that name the sentence instead of the line, since the text is not a file."""
    found = []
    for fault in faults:
        place, message = fault.place, _LINE_OF_TEXT.sub("", fault.message)
        named = fault_in(origin, place.sentence, fault.slug, message, place.word)
        found.append(replace(fault, message=named.message, place=named.place))
    return tuple(found)


def _text(number: int, block: SentenceBlock, origin: str) -> str:
    if not block.rows:
        raise ConlluError(fault_in(origin, number, "empty-sentence", "the sentence has no words"))
    cells = [cell for row in block.rows for cell in row]
    for texts, forbidden in ((block.comments, _LINE_END), (cells, _BREAK)):
        broken = next(filter(forbidden.search, texts), None)
        if broken is not None:
            raise ConlluError(fault_in(origin, number, "invalid-columns", f"{quoted(broken)} has a tab or a line end"))
    return "".join(f"{line}\n" for line in (*block.comments, *map("\t".join, block.rows))) + "\n"
