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

from levelhead.parsing.model import Baseline, Recipe, training_record
from levelhead.parsing.training import restored
from levelhead.treebank import Treebank

_NO_RELATION = "dep"  # for words other than roots, if the training treebank only has roots


def train_baseline(source: Treebank, recipe: Recipe, function_head: int | None) -> Baseline:
    words = list(zip(source.upos, source.relations, (source.heads < 0).tolist()))
    by_tag: dict[str, Counter[str]] = {}
    for tag, relation, is_root in words:
        if not is_root:
            by_tag.setdefault(tag, Counter())[relation] += 1
    return Baseline(
        recipe.parser,
        _most_frequent(relation for _, relation, is_root in words if is_root),
        {tag: _most_frequent(counts) for tag, counts in by_tag.items()},
        _most_frequent(relation for _, relation, is_root in words if not is_root),
        recipe.seed,
        training_record(source, seed=recipe.seed),
        function_head,
    )


def _most_frequent(relations: Iterable[str]) -> str:
    """The most frequent relation; the first to occur, if several are equally frequent."""
    counts = Counter(relations)
    return max(counts, key=counts.__getitem__, default=_NO_RELATION)


def parse_baseline(model: Baseline, treebank: Treebank) -> Treebank:
    forms = list(treebank.forms)
    heads: list[int] = []
    for start, end in pairwise(treebank.sentence_starts.tolist()):
        heads += (head + start - 1 if head else -1 for head in _heads(model, forms[start:end]))
    relations = [
        model.relations.get(tag, model.other) if head >= 0 else model.root
        for tag, head in zip(treebank.upos, heads, strict=True)
    ]
    return restored(treebank.replace(heads=heads, relations=relations, deps=["_"] * len(heads)), model.function_head)


def _heads(model: Baseline, forms: Sequence[str]) -> Sequence[int]:
    n = len(forms)
    if model.parser == "baseline-left":
        return range(n)
    if model.parser == "baseline-right":
        return [*range(2, n + 1), 0]
    draw = random_tree if model.parser == "baseline-random" else random_projective_tree
    identity = hashlib.sha256(json.dumps([model.parser, model.seed, forms]).encode()).digest()
    # Python guarantees that `random()` returns the same numbers in all versions
    return draw(n, Random(int.from_bytes(identity, "big")))  # noqa: S311 -- no secrets


def random_tree(n_words: int, random: Random) -> list[int]:
    """Return a tree drawn uniformly from all trees with one root, projective or not, by its Prüfer code."""
    # the heads of words that are removed, each time the first one without dependents, until only the root is left
    code = [int(random.random() * n_words) for _ in range(n_words - 1)]
    waiting = [0] * n_words  # the number of dependents that have not been removed yet
    for head in code:
        waiting[head] += 1
    heads, first, leaf = [0] * n_words, 0, -1
    for head in code:
        if leaf < 0:
            while waiting[first]:
                first += 1
            leaf, first = first, first + 1
        heads[leaf] = head + 1
        waiting[head] -= 1
        # A head without remaining dependents is next only if the scan has already passed it.
        leaf = head if not waiting[head] and head < first else -1
    return heads


def random_projective_tree(n_words: int, random: Random) -> list[int]:
    """Return a tree drawn uniformly from the projective trees with one root (no arc covers the root)."""
    # The numbers of left and right dependents of each word, heads before dependents, describe a tree if the list is
    # complete at its end, and not before: by the cycle lemma, in exactly one of the n rotations of any list of 2n
    # numbers with sum n-1. The list is drawn as a random order of units, and of bars between the numbers.
    numbers = [0]
    units = n_words - 1
    for places in range(3 * n_words - 2, 0, -1):
        if random.random() * places < units:
            numbers[-1] += 1
            units -= 1
        else:
            numbers.append(0)
    pairs = list(zip(numbers[::2], numbers[1::2]))
    start, missing, least = 0, 0, 0
    for word, (left, right) in enumerate(pairs, 1):
        missing += left + right - 1
        if missing < least:
            start, least = word, missing
    parents = [-1] * n_words
    subtrees: list[tuple[int, list[int]]] = []  # each with its head, and its words in their order
    for node, (left, right) in reversed(list(enumerate(pairs[start:] + pairs[:start]))):
        children = [subtrees.pop() for _ in range(left + right)]
        for child, _ in children:
            parents[child] = node
        before, after = ([word for _, words in part for word in words] for part in (children[:left], children[left:]))
        subtrees.append((node, [*before, node, *after]))
    places_of_nodes = {node: place for place, node in enumerate(subtrees[0][1], 1)}
    return [places_of_nodes.get(parents[node], 0) for node in places_of_nodes]
