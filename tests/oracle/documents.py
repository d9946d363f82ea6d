"""Variances by sentence and by document, and the coverage of their intervals, written out in plain Python."""

import math


def summed(rows, documents):
    """Add the rows of each document; a row is a list of numbers."""
    found = [[0.0] * len(rows[0]) for _ in range(max(documents) + 1)]
    for row, document in zip(rows, documents, strict=True):
        found[document] = [one + other for one, other in zip(found[document], row, strict=True)]
    return found


def value(rows):
    """The ratio of a system, or the second system's minus the first's, from (right, whole) or two of these a row."""
    sums = [sum(column) for column in zip(*rows, strict=True)]
    ratios = [sums[i] / sums[i + 1] for i in range(0, len(sums), 2)]
    return ratios[-1] - (ratios[0] if len(ratios) > 1 else 0.0)


def variance(rows):
    """The variance of that value by linearization, each row a unit."""
    sums = [sum(column) for column in zip(*rows, strict=True)]
    terms = [
        [(row[i] - sums[i] / sums[i + 1] * row[i + 1]) / sums[i + 1] for i in range(0, len(sums), 2)] for row in rows
    ]
    changes = [term[-1] - (term[0] if len(term) > 1 else 0.0) for term in terms]
    return sum(change**2 for change in changes) * len(rows) / (len(rows) - 1)


def coverage(rows, documents, draws):
    """The shares of intervals by sentences and by documents that hold the true value; draws count each document."""
    true, by_document = value(rows), summed(rows, documents)
    held = [0, 0]
    for drawn in draws:
        sentences = [row for row, document in zip(rows, documents, strict=True) for _ in range(drawn[document])]
        repeated = [row for row, times in zip(by_document, drawn, strict=True) for _ in range(times)]
        for unit, sample in enumerate((sentences, repeated)):
            held[unit] += abs(value(sample) - true) <= 1.959963984540054 * math.sqrt(variance(sample)) + 1e-12
    return [one / len(draws) for one in held]
