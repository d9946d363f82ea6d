"""Conversion to and from Stanza's Document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from levelhead.errors import ConlluError, Fault, InputError, quoted
from levelhead.extras import imported
from levelhead.interop.sentence_blocks import (
    SentenceBlock,
    blocks_of,
    cannot_hold,
    fault_in,
    raise_faults,
    treebank_from_blocks,
)
from levelhead.treebank.tokens import refuse_partial

if TYPE_CHECKING:
    from stanza.models.common.doc import Document  # type: ignore[import-not-found,import-untyped,unused-ignore]

    from levelhead.treebank import Treebank

_FIELDS = ("id", "text", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_KEPT_IN_MISC = ("start_char", "end_char", "ner")
_ATTRIBUTES = frozenset(
    "id text lemma upos xpos feats head deprel misc parent sent mexp words coref_chains multi_ner"
    " spaces_before spaces_after line_number morphemes".split()
)
"""Names in MISC that Stanza interprets as columns: head=3 would change the head."""


def to_stanza(treebank: Treebank) -> Document:
    """Return a treebank as Stanza's Document, with multiword tokens, empty nodes, comments and enhanced edges.

    A sentence that has no sent_id gets a number from Stanza (`# sent_id = 0`). SpaceAfter and SpacesAfter move from
    MISC to attributes of tokens. When Stanza writes CoNLL-U, it moves them back to MISC, and sorts MISC. Enhanced edges
    are sorted, and duplicate edges are removed. Multiword tokens only keep FORM and MISC, and the words inside a
    multiword token lose their spacing.

    Raises:
        InputError: MISC has an attribute that Stanza reads as a column (such as `head=3`), DEPS is not a list of
            head:relation, or a comment `# sentiment` or `# constituency` is not in Stanza's format.
        LevelheadError: Stanza is not installed.
    """
    stanza = imported("stanza", "stanza.models.common.doc")
    blocks = list(blocks_of(refuse_partial(treebank)))
    raise_faults(treebank, (fault for number, block in enumerate(blocks, 1) for fault in _faults(number, block)))
    words = [[_entry(row) for row in block.rows if "." not in row[0]] for block in blocks]
    empty = [[_entry(row) for row in block.rows if "." in row[0]] for block in blocks]
    try:
        comments = [list(block.comments) for block in blocks]
        document: Document = stanza.Document(words, comments=comments, empty_sentences=empty)
    except (ValueError, LookupError, TypeError, AssertionError) as error:
        fault = cannot_hold(f"Stanza refuses the treebank: {error}")
        raise InputError(fault.in_file(treebank.source.path)) from error
    return document


def from_stanza(documents: Any) -> Treebank:
    """Return a treebank made from one or more parsed Documents.

    MISC has the same contents as in Stanza's CoNLL-U: SpaceAfter=No and other spacing, start_char, end_char and ner.
    Features keep their order, and empty nodes inside multiword tokens keep their position. A word without a head is an
    error. (Stanza's `"{:C}".format(document)` sorts features, moves these empty nodes, and invents a head.) Entities
    are only kept as tags (`ner`). Sentiment and constituency trees are lost, unless comments of the Document have them.

    Args:
        documents: one or more Documents from a pipeline with the processor depparse.

    Raises:
        ConlluError: a Document is not parsed, or is not a valid treebank.
    """
    several = [documents] if hasattr(documents, "sentences") else documents
    sentences = (sentence for document in several for sentence in document.sentences)
    return treebank_from_blocks((_block(number, sentence) for number, sentence in enumerate(sentences, 1)), "Stanza")


def _entry(row: Sequence[str]) -> dict[str, Any]:
    separator = "-" if "-" in row[0] else "."
    entry: dict[str, Any] = {name: cell for name, cell in zip(_FIELDS, row) if cell != "_"}
    if separator == "-":
        entry = {name: cell for name, cell in entry.items() if name in {"id", "text", "misc"}}
    if row[1] == "_":
        entry |= {"text": "_", "lemma": row[2]}  # the word is an underscore
    if "head" in entry:
        entry["head"] = int(entry["head"])
    return entry | {"id": tuple(map(int, row[0].split(separator)))}


def _faults(number: int, block: SentenceBlock) -> Iterator[Fault]:
    for row in block.rows:
        for item in row[9].split("|"):
            name, equals, _ = item.partition("=")
            if equals and name in _ATTRIBUTES:
                yield cannot_hold(f"Stanza interprets {quoted(item)} in MISC as a column", number, row[0])


def _block(number: int, sentence: Any) -> SentenceBlock:
    empty: dict[int, list[list[str]]] = {}
    for node in getattr(sentence, "empty_words", None) or ():
        empty.setdefault(node.id[0], []).append(_row(node.to_dict(), f"{node.id[0]}.{node.id[1]}"))
    rows = empty.pop(0, [])
    for token in sentence.tokens:  # its range, if any, its words, and the empty nodes after each
        entries = token.to_dict()
        if len(token.id) > 1:
            rows.append(_row(entries[0], f"{token.id[0]}-{token.id[1]}"))
            entries = entries[1:]
        for word, entry in zip(token.words, entries):
            if entry.get("head") is None:
                message = f"word {word.id} ({quoted(word.text)}) has no head: the Document is not parsed"
                raise ConlluError(fault_in("Stanza", number, "invalid-head", message))
            rows += [_row(entry, str(word.id)), *empty.get(word.id, ())]
    return SentenceBlock(list(getattr(sentence, "comments", None) or ()), rows)


def _row(entry: Mapping[str, Any], identifier: str) -> list[str]:
    misc = [entry.get("misc"), *(f"{name}={entry[name]}" for name in _KEPT_IN_MISC if entry.get(name) is not None)]
    cells = {**entry, "id": identifier, "misc": "|".join(filter(None, misc)) or None}
    return ["_" if cells.get(name) is None else str(cells[name]) for name in _FIELDS]
