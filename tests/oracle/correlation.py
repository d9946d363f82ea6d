"""Correlations and agreement with people, written a second time: sums over lists, straight from the definitions."""

import math
import string
from collections.abc import Callable, Sequence
from itertools import permutations, product
from pathlib import Path

NAN = math.nan


def pearson(x: Sequence[float], y: Sequence[float]) -> float:
    """Covariance over the product of standard deviations."""
    n = len(x)
    mean_x, mean_y = math.fsum(x) / n, math.fsum(y) / n
    covariance = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
    spread_x = math.fsum((a - mean_x) ** 2 for a in x)
    spread_y = math.fsum((b - mean_y) ** 2 for b in y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        return NAN
    return covariance / math.sqrt(spread_x * spread_y)


def ranks(x: Sequence[float]) -> list[float]:
    """How many are smaller, and half of those that are equal."""
    return [sum(b < a for b in x) + (sum(b == a for b in x) + 1) / 2 for a in x]


def spearman(x: Sequence[float], y: Sequence[float]) -> float:
    """Pearson's coefficient of ranks."""
    return pearson(ranks(x), ranks(y))


def permutation_p(x: Sequence[float], y: Sequence[float], coefficient: Callable[..., float]) -> float:
    """The share of all orders of y whose coefficient is at least as far from 0 as that of the sample."""
    found = abs(coefficient(x, y)) - 1e-9
    reached = [abs(coefficient(x, order)) >= found for order in permutations(y)]
    return sum(reached) / len(reached)


def partial(x: Sequence[float], y: Sequence[float], *given: Sequence[float]) -> float:
    """The recursion for partial correlation: one held column at a time."""
    if not given:
        return pearson(x, y)
    *others, last = given
    xy, xz, yz = partial(x, y, *others), partial(x, last, *others), partial(y, last, *others)
    return (xy - xz * yz) / math.sqrt((1 - xz**2) * (1 - yz**2))


def holm(p: Sequence[float]) -> list[float]:
    """Each p is the greatest of its own and all smaller ones, times how many are not smaller."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    return [
        min(1.0, max((len(p) - k) * p[order[k]] for k in range(order.index(i) + 1)))
        for i in range(len(p))
    ]  # fmt: skip


def variance(x: Sequence[float]) -> float:
    """With n - 1, as pandas has it."""
    mean = math.fsum(x) / len(x)
    return math.fsum((a - mean) ** 2 for a in x) / (len(x) - 1)


def cumulative_variance(scores: Sequence[float]) -> list[float]:
    """Of the best two, three, ..."""
    best = sorted(scores, reverse=True)
    return [variance(best[:k]) for k in range(2, len(best) + 1)]


def within(x: Sequence[float], y: Sequence[float], families: Sequence[str]) -> tuple[float, float]:
    """The coefficient of values centered by family, and its exact p: every way to shuffle y inside families."""

    def centered(values: Sequence[float]) -> list[float]:
        means = {f: math.fsum(v for v, g in zip(values, families) if g == f) / families.count(f) for f in set(families)}
        return [v - means[f] for v, f in zip(values, families)]

    a = centered(x)
    scale = math.sqrt(math.fsum(v * v for v in a) * math.fsum(v * v for v in centered(y)))
    found = math.fsum(u * v for u, v in zip(a, centered(y))) / scale
    places = {f: [i for i, g in enumerate(families) if g == f] for f in dict.fromkeys(families)}
    reached = []
    for orders in product(*(permutations(rows) for rows in places.values())):
        shuffled = list(y)
        for rows, order in zip(places.values(), orders):
            for row, other in zip(rows, order):
                shuffled[row] = y[other]
        value = math.fsum(u * v for u, v in zip(a, centered(shuffled))) / scale
        reached.append(abs(value) >= abs(found) - 1e-9)
    return found, sum(reached) / len(reached)


def swapped_p(one: Sequence[float], other: Sequence[float], choices: Sequence[float]) -> float:
    """The share of all ways to swap two vectors, row by row, whose correlations with the choices differ as much.

    A swap that leaves either vector constant has no correlation and counts as one that differs as much.
    """
    found = abs(pearson(one, choices) - pearson(other, choices)) - 1e-9
    reached = 0
    for swaps in product([False, True], repeat=len(one)):
        pairs = [(b, a) if swap else (a, b) for a, b, swap in zip(one, other, swaps)]
        difference = pearson([a for a, _ in pairs], choices) - pearson([b for _, b in pairs], choices)
        reached += math.isnan(difference) or abs(difference) >= found
    return reached / 2 ** len(one)


def kappa(one: Sequence[int], other: Sequence[int]) -> float:
    """Cohen's kappa from the table of two by two."""
    n = len(one)
    observed = sum(a == b for a, b in zip(one, other)) / n
    expected = sum(one.count(c) / n * (other.count(c) / n) for c in (0, 1))
    return (observed - expected) / (1 - expected) if expected != 1 else NAN


# Callin's experiment with the data of Plank et al. (2015)

CONTENT = frozenset(
    """
    acl advcl advmod amod appos ccomp compound conj csubj csubjpass dislocated dobj iobj list name nmod nsubj
    nsubjpass nummod parataxis remnant root vocative xcomp
    """.split()
)

Word = tuple[str, str, str]
"""Form, head, relation."""


def sentences(path: Path) -> list[list[Word]]:
    """Read the columns that matter of a file in CoNLL-X."""
    blocks = path.read_text(encoding="utf-8").strip().split("\n\n")
    rows = [[line.split("\t") for line in block.split("\n")] for block in blocks]
    return [[(row[1], row[6], row[7]) for row in block] for block in rows]


def coarse(relation: str) -> str:
    return relation.split(":", maxsplit=1)[0]


def ignored(gold: list[list[Word]]) -> set[str]:
    """`punct`, and relations whose last word in the file is ASCII punctuation."""
    last = {relation: all(c in string.punctuation for c in form) for words in gold for form, _, relation in words}
    return {relation for relation, is_punctuation in last.items() if is_punctuation} | {"punct"}


def las(gold: list[Word], system: list[Word], leave_out: set[str], weights: dict[str, float] | None = None) -> float:
    """Weights of right words over weights of words, without punctuation; subtypes do not matter."""
    right, wrong = 0.0, 0.0
    for (_, head, relation), (_, guess, label) in zip(gold, system):
        if coarse(relation) in leave_out:
            continue
        weight = 1 if weights is None else weights[coarse(relation)]
        if head == guess and coarse(relation) == coarse(label):
            right += weight
        else:
            wrong += weight
    return right / (right + wrong) if right + wrong else NAN


def content(gold: list[Word], system: list[Word], *, precision: bool) -> float:
    """Precision or recall of content relations; with their subtypes, and relations that have one are no content."""
    right = sum(g[1:] == s[1:] and s[2] in CONTENT for g, s in zip(gold, system))
    whole = sum((s if precision else g)[2] in CONTENT for g, s in zip(gold, system))
    return right / whole if whole else NAN


def callin_scores(folder: Path, weights: dict[str, float]) -> dict[str, tuple[list[float], list[float]]]:
    """His four measures of each sentence, for both parsers."""
    gold, *systems = (sentences(folder / f"{name}.conll") for name in ("gold", "parser1", "parser2"))
    leave_out = ignored(gold)
    measures = {
        "Content precision": lambda g, s: content(g, s, precision=True),
        "Content recall": lambda g, s: content(g, s, precision=False),
        "LAS": lambda g, s: las(g, s, leave_out),
        "WLAS": lambda g, s: las(g, s, leave_out, weights),
    }
    return {
        name: tuple([measure(g, s) for g, s in zip(gold, system)] for system in systems)
        for name, measure in measures.items()
    }
