"""Derivations and perplexities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from levelhead.derivation.derive import Derivations
from levelhead.derivation.perplexity import Perplexities
from levelhead.report.by_result import View
from levelhead.report.derivation import (
    derivation_documents,
    derivations_document,
    perplexity_document,
    perplexity_table,
    sentence_table,
)
from levelhead.report.table import Column, Table

_DERIVATION = (
    Column("Sentence", "position"),
    Column("Transitions", "text"),
    Column("Words as attached", "text"),
    Column("Swaps", "number"),
)


def _derivations_table(derivations: Derivations, *, labeled: bool = False) -> Table:
    documents = derivation_documents(derivations, labeled=labeled)
    rows = (
        (document["sentence"], " ".join(document["transitions"]), " ".join(document["words"]), document["swaps"])
        for document in documents
    )
    return Table(_DERIVATION, tuple(rows))


def _derivations_document(derivations: Derivations, *, labeled: bool = False) -> dict[str, Any]:
    return derivations_document(derivations, labeled=labeled)


def _perplexities_table(perplexities: Perplexities, *, sentences: bool = False) -> Table:
    return (sentence_table if sentences else perplexity_table)(perplexities)


def _perplexities_document(perplexities: Perplexities, *, sentences: bool = False) -> dict[str, Any]:
    return perplexity_document(perplexities, sentences=sentences)


VIEWS: Mapping[type, View] = {
    Derivations: View(_derivations_table, _derivations_document),
    Perplexities: View(_perplexities_table, _perplexities_document),
}
