"""Variances by sentence and by document, and the coverage of their intervals, written out in plain Python."""

import math
import re

from scipy.stats import t


def documents_of(text):
    """The document of each sentence of a CoNLL-U file: its id, or the number of the mark without one."""
    found, document, n_marks = [], 0, 0
    for block in re.split(r"\n\n+", text.strip("\n")):
        for line in block.split("\n"):
            words = line.lstrip("#").replace("=", " = ").split()
            if line.startswith("#") and words[:1] in (["newdoc"], ["newdoc_id"]):
                n_marks += 1
                document = " ".join(words[words.index("=") + 1 :]) if "=" in words else ""
                document = document or n_marks
        found.append(document)
    return found


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
    """The variance of that value by leaving out one unit at a time, each row a unit."""
    return sum((value(rows[:i] + rows[i + 1 :]) - value(rows)) ** 2 for i in range(len(rows)))


def percentile(rows, resamples):
    """The interval from the values of resamples, given as lists of row numbers, with linear interpolation."""
    found = sorted(value([rows[i] for i in drawn]) for drawn in resamples)
    ends = []
    for share in (0.025, 0.975):
        place = share * (len(found) - 1)
        below = math.floor(place)
        above = min(below + 1, len(found) - 1)
        ends.append(found[below] + (place - below) * (found[above] - found[below]))
    return ends


def freedom(rows):
    """The effective number of units, by their sizes, minus one; with the sum of sizes."""
    sizes = [sum(row[1::2]) * 2 / len(row) for row in rows]
    return max(1.0, sum(sizes) ** 2 / sum(size**2 for size in sizes) - 1), sum(sizes)


def error(rows):
    """The standard error of a difference, with that of one more observation."""
    return math.sqrt(variance(rows) + (2 / freedom(rows)[1]) ** 2)


def skewness(rows):
    """The sum of the cubed influences of units over the variance of a difference to the power of 1.5, at most 1."""
    moves = [value(rows) - value(rows[:i] + rows[i + 1 :]) for i in range(len(rows))]
    return max(-1.0, min(1.0, sum(move**3 for move in moves) / error(rows) ** 3))


def student_p(rows):
    """The two-sided p of a difference by t, transformed for skewness (Hall 1992)."""
    tails = []
    for sign in (1, -1):
        size, k = sign * value(rows) / error(rows), sign * skewness(rows)
        tails.append(t.sf(size + k * size**2 / 3 + k**2 * size**3 / 27 + k / 6, freedom(rows)[0]))
    return 2 * min(tails)


def hall(rows):
    """The interval of a difference: the differences at which `student_p` is .05, by bisection of the transformation."""
    ends = []
    for sign in (1, -1):
        k, low, high = sign * skewness(rows), -50.0, 50.0
        for _ in range(200):
            size = (low + high) / 2
            over = size + k * size**2 / 3 + k**2 * size**3 / 27 + k / 6 > t.ppf(0.975, freedom(rows)[0])
            low, high = (low, size) if over else (size, high)
        ends.append(value(rows) - sign * high * error(rows))
    return ends


def influential(rows):
    """The rows, and those without a unit that causes more than a third of the variance."""
    without = [rows[:i] + rows[i + 1 :] for i in range(len(rows))]
    moves = [(value(rest) - value(rows)) ** 2 for rest in without]
    return [rows, without[moves.index(max(moves))]] if max(moves) > variance(rows) / 3 else [rows]


def student(rows):
    """The interval of a difference by t, or Wilson's interval of a score with the effective sample size.

    That of a difference includes the interval without an influential unit, if ten units are left.
    """
    center, quantile = value(rows), t.ppf(0.975, freedom(rows)[0])
    if len(rows[0]) == 4:
        lows, highs = zip(*(hall(own) for own in influential(rows) if len(own) >= 10))
        return min(lows), max(highs)
    n = center * (1 - center) / variance(rows)
    middle = (center + quantile**2 / (2 * n)) / (1 + quantile**2 / n)
    half = quantile / (1 + quantile**2 / n) * math.sqrt(center * (1 - center) / n + quantile**2 / (4 * n**2))
    return middle - half, middle + half


def covered(rows, of_document, drawn, of_sentences, of_documents):
    """Which of the three intervals of a sample of documents hold the true value.

    Args: the rows of sentences, the document of each, the documents of the sample, and the resamples of both
    bootstraps as lists of numbers.
    """
    sentences = [row for number in drawn for row, own in zip(rows, of_document, strict=True) if own == number]
    documents = [summed(rows, of_document)[number] for number in drawn]
    intervals = (percentile(sentences, of_sentences), percentile(documents, of_documents), student(documents))
    return [low - 1e-12 <= value(rows) <= high + 1e-12 for low, high in intervals]
