"""Derivations and perplexities as text, tables and JSON documents."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from levelhead.derivation import Derivations, Perplexity
from levelhead.derivation.perplexity import Perplexities, perplexity_of
from levelhead.report.documents import header, path_text
from levelhead.report.scores import signature_line
from levelhead.report.table import Column, Table

_NUMBERS = (
    "Perplexity",
    "With OOV",
    "Log10/sentence",
    "Events",
    "OOV",
    "Sentences",
    "Swaps",
    "Size/perplexity",
)


def transition_lines(derivations: Derivations, *, labeled: bool) -> str:
    """Return the transitions of each sentence as a line."""
    return "".join(f"{' '.join(row)}\n" for row in _transitions(derivations, labeled=labeled))


def _transitions(derivations: Derivations, *, labeled: bool) -> Iterator[list[str]]:
    for sentence in range(len(derivations)):
        actions = derivations.actions(sentence)
        yield [str(action if labeled else action.transition) for action in actions]


def order_lines(derivations: Derivations) -> str:
    """Return the words of each sentence as a line, in the order of attachment, with underscores for spaces."""
    return "".join(f"{' '.join(row)}\n" for row in _words(derivations))


def _words(derivations: Derivations) -> Iterator[list[str]]:
    forms = [form.replace(" ", "_") for form in derivations.treebank.forms]
    order = derivations.order.tolist()
    for begin, end in pairwise(derivations.treebank.sentence_starts.tolist()):
        yield [forms[word] for word in order[begin:end]]


def derivation_documents(derivations: Derivations, *, labeled: bool) -> list[dict[str, Any]]:
    """Return a document for each sentence: transitions, ids and forms of words in the order of attachment, swaps."""
    starts = derivations.treebank.sentence_starts.tolist()
    order = derivations.order.tolist()
    rows = zip(_transitions(derivations, labeled=labeled), _words(derivations), derivations.swaps.tolist())
    return [
        {
            **header("derivation"),
            "sentence": number + 1,
            "transitions": transitions,
            "order": [word - starts[number] + 1 for word in order[starts[number] : starts[number + 1]]],
            "words": words,
            "swaps": swaps,
        }
        for number, (transitions, words, swaps) in enumerate(rows)
    ]


def derivations_document(derivations: Derivations, *, labeled: bool) -> dict[str, Any]:
    """Return the derivations of a treebank for JSON."""
    return {
        **header("derivations"),
        "signature": dict(derivations.provenance.signature),
        "swaps": int(derivations.swaps.sum()),
        "lifted": derivations.n_lifted,
        "sentences": derivation_documents(derivations, labeled=labeled),
    }


def perplexity_table(perplexities: Perplexities) -> Table:
    """Return one row per file with its perplexity."""
    columns = (Column("File", "text"), *(Column(name, "number") for name in _NUMBERS))
    rows = tuple(
        (
            name,
            result.excluding_oov,
            result.including_oov,
            result.log10_per_sentence,
            result.events,
            result.oov,
            result.sentences,
            result.swaps,
            result.size_over_perplexity,
        )
        for name, result in perplexities.results.items()
    )
    return Table(columns, rows, (signature_line(perplexities.provenance.signature),))


def sentence_table(perplexities: Perplexities) -> Table:
    """Return one row per sentence of each file."""
    names = ("Sentence", "Perplexity", "Log10", "Events", "Log10 with OOV", "Events with OOV", "OOV", "Swaps")
    columns = (Column("File", "text"), *(Column(name, "number") for name in names))
    rows = tuple(
        (name, *(row[key] for key in _SENTENCE_KEYS))
        for name, result in perplexities.results.items()
        for row in sentence_documents(result)
    )
    return Table(columns, rows, (signature_line(perplexities.provenance.signature),))


_SENTENCE_KEYS = (
    "sentence",
    "perplexity_excluding_oov",
    "log10_excluding_oov",
    "events_excluding_oov",
    "log10_including_oov",
    "events",
    "oov",
    "swaps",
)


def sentence_documents(result: Perplexity) -> list[dict[str, Any]]:
    """Return the log probability, events and perplexity of each sentence for JSON."""
    (known, n_known), (every, n_every) = (result.sums.sums(oov=oov, ends=result.ends) for oov in (False, True))
    columns = (known, n_known, every, n_every, result.sums.n_unknown, result.sums.swaps)
    return [
        dict(zip(_SENTENCE_KEYS, (number, perplexity_of(log, n), _finite(log), n, _finite(log_all), *rest)))
        for number, (log, n, log_all, *rest) in enumerate(zip(*(column.tolist() for column in columns)), 1)
    ]


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def perplexity_documents(perplexities: Perplexities, *, sentences: bool) -> list[dict[str, Any]]:
    """Return the perplexity of each file for JSON."""
    return [_perplexity(name, result, sentences=sentences) for name, result in perplexities.results.items()]


def _perplexity(name: str, result: Perplexity, *, sentences: bool) -> dict[str, Any]:
    document = {
        **header("perplexity"),
        "file": path_text(name),
        "sha256": result.sha256,
        "order": result.order,
        "perplexity_excluding_oov": result.excluding_oov,
        "perplexity_including_oov": result.including_oov,
        "perplexity_per_sentence": result.per_sentence,
        "log10_perplexity_per_sentence": result.log10_per_sentence,
        "events": result.events,
        "oov": result.oov,
        "sentences": result.sentences,
        "swaps": result.swaps,
        "size_over_perplexity": result.size_over_perplexity,
    }
    return document | ({"per_sentence": sentence_documents(result)} if sentences else {})


def perplexity_document(perplexities: Perplexities, *, sentences: bool) -> dict[str, Any]:
    """Return the perplexity of a test set and of parser outputs for it, for JSON."""
    test, *systems = perplexity_documents(perplexities, sentences=sentences)
    model = perplexities.model
    return {
        "signature": dict(perplexities.provenance.signature),
        **test,
        "systems": systems,
        "model": {
            "order": model.order,
            "words": model.n_words,
            "vocabulary": len(model.words),
            "ngrams": [len(table.keys) for table in model.tables],
            "minimum_counts": list(model.minimum_counts),
            "discounts": [discounts._asdict() for discounts in model.discounts],
            "fallback_orders": list(model.fallback_orders),
        },
    }
