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


def partial(x: Sequence[float], y: Sequence[float], *given: Sequence[float]) -> float:
    """The recursion for partial correlation: one held column at a time."""
    if not given:
        return pearson(x, y)
    *others, last = given
    xy, xz, yz = partial(x, y, *others), partial(x, last, *others), partial(y, last, *others)
    return (xy - xz * yz) / math.sqrt((1 - xz**2) * (1 - yz**2))


def fisher(
    columns: Sequence[Sequence[float]], coefficient: Callable[..., float], most: float, given: int = 0
) -> tuple[float, float]:
    """Fisher's z of a coefficient and its standard error: the jackknife's, but at least Bonett and Wright's (2000).

    A coefficient counts as at most the given largest one below 1.
    """
    n = len(columns[0])
    r = max(-most, min(most, coefficient(*columns)))
    without = [coefficient(*([v for k, v in enumerate(x) if k != i] for x in columns)) for i in range(n)]
    mean = math.fsum(without) / n
    jackknife = math.sqrt((n - 1) / n * math.fsum((v - mean) ** 2 for v in without)) / (1 - r**2)
    return math.atanh(r), max(jackknife, math.sqrt((1 + r**2 / 2) / (n - given - 3)))


def skewness(x: Sequence[float]) -> float:
    """The third central moment over the variance to the power of 3/2."""
    mean = math.fsum(x) / len(x)
    second, third = (math.fsum((v - mean) ** k for v in x) / len(x) for k in (2, 3))
    return third / second**1.5


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


def accuracy(one: Sequence[float], other: Sequence[float]) -> float:
    """How often two vectors are equal."""
    return sum(a == b for a, b in zip(one, other)) / len(one)


def kappa(one: Sequence[float], other: Sequence[float]) -> float:
    """Cohen's kappa from the table of two by two."""
    n = len(one)
    observed = sum(a == b for a, b in zip(one, other)) / n
    expected = sum(one.count(c) / n * (other.count(c) / n) for c in (0, 1))
    return (observed - expected) / (1 - expected) if expected != 1 else NAN


Row = tuple[float, ...]


def jackknife(
    statistic: Callable[[list[Row]], float], rows: list[Row], units: Sequence[int]
) -> tuple[float, float, float, int]:
    """A value, its variance by leaving out one unit at a time, the degrees of freedom, and the number of units."""
    value, variance = statistic(rows), 0.0
    for left_out in set(units):
        without = statistic([row for row, unit in zip(rows, units) if unit != left_out])
        variance += ((0.0 if math.isnan(without) else without) - value) ** 2
    sizes = [units.count(unit) for unit in set(units)]
    return value, variance, max(1.0, sum(sizes) ** 2 / sum(size**2 for size in sizes) - 1), len(sizes)


def wilson(share: float, variance: float, t: float, n_units: int) -> list[float]:
    """The shares p with (share - p)^2 = t^2 p (1 - p) / n, for the n whose variance is the given one."""
    a = t**2 / (share * (1 - share) / variance if variance and 0 < share < 1 else n_units)
    middle, product = (2 * share + a) / (2 + 2 * a), share**2 / (1 + a)  # of the roots of this quadratic
    half = math.sqrt(max(0.0, middle**2 - product))
    return [middle - half, middle + half]


def agreement_intervals(
    one: Sequence[float], choices: Sequence[float], units: Sequence[int], level: float
) -> dict[str, list[float]]:
    """The value and both ends of each statistic of two vectors; NaN without a value."""
    from scipy.stats import t as student

    rows, n = list(zip(one, choices)), len(one)
    expected = sum(math.fsum(c == v for v in one) * list(choices).count(c) for c in (0, 1)) / n**2
    found = {}
    for name, statistic in (("r", pearson), ("spearman", spearman), ("kappa", kappa), ("accuracy", accuracy)):
        value, variance, freedom, n_units = jackknife(
            lambda some, of=statistic: of([a for a, _ in some], [b for _, b in some]), rows, units
        )
        if name in {"r", "spearman"}:
            variance = max(variance, (1 - value**2) / n)
        elif name == "kappa" and expected != 1:
            variance += 1 / (n * (1 - expected)) ** 2
        t = student.ppf((1 + level) / 2, freedom)
        if name == "accuracy":
            found[name] = [value, *wilson(value, variance, t, n_units)]
        else:
            found[name] = [value, *(2 * end - 1 for end in wilson((1 + value) / 2, variance / 4, t, n_units))]
    return found


def compared_agreement(
    one: Sequence[float], other: Sequence[float], choices: Sequence[float], units: Sequence[int], level: float
) -> list[float]:
    """The difference of two correlations with the choices, both ends of its interval, and its p-value."""
    from scipy.stats import t as student

    def statistic(some: list[Row]) -> float:
        first, second = (pearson([row[i] for row in some], [row[2] for row in some]) for i in (0, 1))
        whole = len(some) == len(one)
        return first - second if whole else sum(s * (0 if math.isnan(r) else r) for s, r in ((1, first), (-1, second)))

    value, variance, freedom, _ = jackknife(statistic, list(zip(one, other, choices)), units)
    n = len(one)
    spread = min(math.fsum((v - math.fsum(x) / n) ** 2 for v in x) / n for x in (one, other))
    error = math.sqrt(variance + 1 / (n**2 * spread))
    half = error * student.ppf((1 + level) / 2, freedom)
    return [value, max(-2.0, value - half), min(2.0, value + half), 2 * student.sf(abs(value) / error, freedom)]


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
