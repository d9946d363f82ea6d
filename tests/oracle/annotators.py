"""Agreement of annotators, written from the definitions: item by item, in fractions."""

from collections import Counter
from fractions import Fraction
from itertools import combinations


def light(items):
    """Cohen's (1960) kappa, averaged over pairs of annotators; items are lists of labels, None where there is none."""
    kappas = []
    for i, j in combinations(range(len(items[0])), 2):
        pairs = [(item[i], item[j]) for item in items if item[i] is not None and item[j] is not None]
        if not pairs:
            return None
        observed = Fraction(sum(one == other for one, other in pairs), len(pairs))
        first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
        expected = sum(Fraction(first[label], len(pairs)) * Fraction(second[label], len(pairs)) for label in first)
        if expected == 1:
            return None
        kappas.append((observed - expected) / (1 - expected))
    return sum(kappas) / len(kappas)


def observation(items):
    """What one more disagreement of two annotators on a word does: 1 of the words on which chance does not agree."""
    shares = []
    for i, j in combinations(range(len(items[0])), 2):
        pairs = [(item[i], item[j]) for item in items if item[i] is not None and item[j] is not None]
        if not pairs:
            return 0
        first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
        shares.append(sum(Fraction(first[label] * second[label], len(pairs) ** 2) for label in first))
    words = sum(sum(label is not None for label in item) > 1 for item in items)
    left = words * (1 - sum(shares) / len(shares))
    return 1 / left if left else 0


def fleiss(items):
    """Fleiss (1971), equations 1 to 7, over the items that everybody labeled."""
    items = [item for item in items if None not in item]
    if not items:
        return None
    n = len(items[0])
    counts = [Counter(item) for item in items]
    agreeing = [Fraction(sum(k * (k - 1) for k in count.values()), n * (n - 1)) for count in counts]
    observed = sum(agreeing) / len(items)
    totals = sum(counts, Counter())
    expected = sum(Fraction(total, n * len(items)) ** 2 for total in totals.values())
    return None if expected == 1 else (observed - expected) / (1 - expected)


def krippendorff(items):
    """Krippendorff (2011): the matrix of coincidences, for nominal labels."""
    coincidences = Counter()
    for item in items:
        given = [label for label in item if label is not None]
        for i, one in enumerate(given):
            for j, other in enumerate(given):
                if i != j:
                    coincidences[one, other] += Fraction(1, len(given) - 1)
    totals = Counter()
    for (one, _), value in coincidences.items():
        totals[one] += value
    n = sum(totals.values())
    observed = sum(value for (one, other), value in coincidences.items() if one != other)
    expected = sum(totals[one] * totals[other] for one in totals for other in totals if one != other)
    return None if not expected else 1 - (n - 1) * observed / expected
