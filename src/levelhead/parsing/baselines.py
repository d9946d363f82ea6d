"""Baselines, which any parser should beat.

The head of a word is the previous word, the next word, or its head in a random tree. Only relations are learned: the
most frequent relation of each part of speech. A random tree depends only on the seed and the forms of the sentence, so
the same sentence always gets the same tree, whatever else is parsed.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from random import Random

from levelhead.parsing.model import Baseline, training_record
from levelhead.parsing.random_trees import random_projective_tree, random_tree
from levelhead.parsing.training import Relations, Scheme, prepared, restored
from levelhead.treebank import Treebank

_NO_RELATION = "dep"  # for words other than roots, if the training treebank only has roots


def train_baseline(
    treebank: Treebank, parser: str, *, seed: int, relations: Relations = "universal", scheme: Scheme = "content-head"
) -> Baseline:
    """Return a baseline with the most frequent relation of each UPOS, of words with another UPOS, and of roots."""
    source = prepared(treebank, relations, scheme)
    words = list(zip(source.treebank.upos, source.treebank.relations, (source.treebank.heads < 0).tolist()))
    by_tag: dict[str, Counter[str]] = {}
    for tag, relation, is_root in words:
        if not is_root:
            by_tag.setdefault(tag, Counter())[relation] += 1
    return Baseline(
        parser,
        _most_frequent(relation for _, relation, is_root in words if is_root),
        {tag: _most_frequent(counts) for tag, counts in by_tag.items()},
        _most_frequent(relation for _, relation, is_root in words if not is_root),
        seed,
        training_record(treebank, seed=seed),
        source.function_head,
    )


def _most_frequent(relations: Iterable[str]) -> str:
    """The most frequent relation; the first to occur, if several are equally frequent."""
    counts = Counter(relations)
    return max(counts, key=counts.__getitem__, default=_NO_RELATION)


def parse_baseline(model: Baseline, treebank: Treebank) -> Treebank:
    """Return a treebank with the trees of a baseline; DEPS becomes empty."""
    forms = list(treebank.forms)
    heads: list[int] = []
    for start, end in pairwise(treebank.sentence_starts.tolist()):
        heads += (head + start - 1 if head else -1 for head in _heads(model, forms[start:end]))
    relations = [
        model.relations.get(tag, model.other) if head >= 0 else model.root
        for tag, head in zip(treebank.upos, heads, strict=True)
    ]
    parsed = treebank.replace(heads=heads, relations=relations, deps=["_"] * len(heads))
    return restored(parsed, model.function_head)


def _heads(model: Baseline, forms: Sequence[str]) -> Sequence[int]:
    """The head of each word of a sentence: 1-based, 0 for the root."""
    n = len(forms)
    if model.parser == "baseline-left":
        return range(n)
    if model.parser == "baseline-right":
        return [*range(2, n + 1), 0]
    draw = random_tree if model.parser == "baseline-random" else random_projective_tree
    return draw(n, _random_of(model, forms))


def _random_of(model: Baseline, forms: Sequence[str]) -> Random:
    """The random numbers of a sentence; Python guarantees that `random()` returns the same numbers in all versions."""
    identity = json.dumps([model.parser, model.seed, forms]).encode()
    return Random(int.from_bytes(hashlib.sha256(identity).digest(), "big"))  # noqa: S311 -- no secrets
