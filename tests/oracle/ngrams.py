"""Interpolated modified Kneser-Ney smoothing with dictionaries, from Chen & Goodman (1998); slow and plain."""

from collections import Counter
from collections.abc import Sequence
from math import log10


class PlainModel:
    """p(w | context) by the recursive formula; no back-off weights, no tries."""

    def __init__(self, sentences: Sequence[Sequence[str]], order: int) -> None:
        self.order = order
        self.vocabulary = {word for sentence in sentences for word in sentence} | {"</s>", "<unk>"}
        raw = Counter()
        for sentence in sentences:
            words = ("<s>", *sentence, "</s>")
            raw.update(words[i : i + n] for n in range(1, order + 1) for i in range(len(words) - n + 1))
        self.counts = {n: {} for n in range(1, order + 1)}
        for ngram, count in raw.items():
            if ngram != ("<s>",):
                n = len(ngram)
                is_raw = n == order or ngram[0] == "<s>"
                left = {longer[0] for longer in raw if len(longer) == n + 1 and longer[1:] == ngram}
                self.counts[n][ngram] = count if is_raw else len(left)
        self.followers: dict[tuple[str, ...], dict[str, int]] = {}
        for counts in self.counts.values():
            for ngram, count in counts.items():
                self.followers.setdefault(ngram[:-1], {})[ngram[-1]] = count
        self.discounts = {n: self.estimated(list(self.counts[n].values())) for n in self.counts}

    @staticmethod
    def estimated(counts: list[int]) -> tuple[float, ...]:
        """Equation 26, or what is documented where it gives nothing."""
        n = [counts.count(i) for i in range(5)]
        try:
            y = n[1] / (n[1] + 2 * n[2])
            found = [i - (i + 1) * y * n[i + 1] / n[i] for i in (1, 2, 3)]
        except ZeroDivisionError:
            found = [0, 0, 0]
        return tuple(found) if all(0 < d <= i for i, d in enumerate(found, 1)) else (0.5, 1.0, 1.5)

    def discount(self, n: int, count: int) -> float:
        return self.discounts[n][min(count, 3) - 1]

    def probability(self, word: str, context: tuple[str, ...]) -> float:
        """The probability of a word after at most order - 1 words."""
        n = len(context) + 1
        lower = self.probability(word, context[1:]) if context else 1 / len(self.vocabulary)
        after = self.followers.get(context, {})
        if not after:
            return lower
        total = sum(after.values())
        left = sum(self.discount(n, count) for count in after.values()) / total
        count = after.get(word, 0)
        return (count - self.discount(n, count) if count else 0) / total + left * lower

    def log10_of(self, sentence: Sequence[str]) -> list[float]:
        """log10 of the probability of each word and of the end."""
        words = ["<s>", *(word if word in self.vocabulary else "<unk>" for word in sentence), "</s>"]
        return [
            log10(self.probability(words[i], tuple(words[max(0, i - self.order + 1) : i])))
            for i in range(1, len(words))
        ]
