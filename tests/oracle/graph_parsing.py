"""A slow graph-based parser: scores of trees straight from their parts, and all trees there are."""

from collections.abc import Iterator, Sequence
from itertools import product

from oracle.parsing import LEFTWARD, Configuration, Row, Seen, Slow

RIGHTWARD = 0x94D049BB133111EB
SIXTY_FOUR = (1 << 64) - 1


def trees(n: int) -> Iterator[list[int]]:
    """Every tree over n words with one root, as heads of words 1 to n."""
    for heads in product(range(n + 1), repeat=n):
        if heads.count(0) == 1 and all(reaches_root(heads, word) for word in range(1, n + 1)):
            yield list(heads)


def reaches_root(heads: Sequence[int], word: int) -> bool:
    seen: set[int] = set()
    while word and word not in seen:
        seen.add(word)
        word = heads[word - 1]
    return word == 0


def projective(heads: Sequence[int]) -> bool:
    """Does every arc span only words below its head?"""
    for word, head in enumerate(heads, 1):
        if head:
            for inner in range(min(word, head) + 1, max(word, head)):
                above = inner
                while above not in (0, head):
                    above = heads[above - 1]
                if above != head:
                    return False
    return True


def direction(head: int, dependent: int) -> int:
    if dependent < head:
        return LEFTWARD
    return RIGHTWARD if head > 0 else 0


class SlowGraph(Slow):
    """A graph-based model, with weights as they are in its tables."""

    def parts(self, heads: Sequence[int]) -> Iterator[tuple[str, int, int, int | None]]:
        """The kind of each part, head, dependent, and the third word: None where there is none."""
        for word, head in enumerate(heads, 1):
            yield "arcs", head, word, None
            if head and "first" in self.model.tables:
                inner = [
                    other
                    for other, above in enumerate(heads, 1)
                    if above == head and min(word, head) < other < max(word, head)
                ]
                nearest = min(inner, key=lambda other: abs(other - word)) if inner else None
                yield "siblings", head, word, nearest
                yield "grandparents", head, word, heads[head - 1]

    def tree_score(self, heads: Sequence[int], words: Sequence[Row]) -> int:
        """The score of a tree, as a whole number."""
        return sum(self.part_score(*part, words) for part in self.parts(heads))

    def part_score(self, kind: str, head: int, dependent: int, third: int | None, words: Sequence[Row]) -> int:
        whole, salt = self.part_view(kind, head, dependent, third, words)
        score = self.part_scores(kind, whole, words, salt)
        if kind == "arcs" and head and "relations" in self.model.tables:
            score += max(self.relation_scores(whole, words, salt))
        return score

    def part_view(
        self, kind: str, head: int, dependent: int, third: int | None, words: Sequence[Row]
    ) -> tuple[tuple, int]:
        """What the templates of a part see, and what its features are hashed with."""
        self.now = Configuration(len(words))
        view = {"h": Seen(head), "d": Seen(dependent)}
        for name in ("h", "d"):
            self.put_neighbors(self.now, view, name)
        salt = direction(head, dependent)
        if kind == "siblings":
            view["sib"] = Seen(third)
        elif kind == "grandparents":
            view["hh"] = Seen(third)
            salt ^= direction(third, head) << 1 & SIXTY_FOUR
        return (view, *self.near(head, dependent)), salt

    def part_row(self, kind: str, head: int, dependent: int, third: int | None, words: Sequence[Row]) -> int:
        """The row of the weight of a part, if there is one template."""
        view, salt = self.part_view(kind, head, dependent, third, words)
        (feature,) = self.features(self.model.templates[kind], view, words, salt)
        return feature >> (64 - (len(self.model.tables["parts"]).bit_length() - 1))

    def relation_scores(self, view: tuple, words: Sequence[Row], salt: int) -> list[int]:
        """The scores of the relations that an arc may have: not the root's, unless there is no other."""
        known = range(len(self.model.relations))
        scores = self.scores("relations", self.rows("relations", view, words, salt))
        return [scores[i] for i in known if i != self.model.root] or [scores[self.model.root]]

    def part_scores(self, kind: str, view: tuple, words: Sequence[Row], salt: int) -> int:
        table, total = self.model.tables["parts"], 0
        shift = 64 - (len(table).bit_length() - 1)
        for text in self.model.templates[kind].replace("\n", "|").split("|"):
            if text.strip():
                total += sum(
                    int(table[feature >> shift, 0]) for feature in self.features(text.strip(), view, words, salt)
                )
        return total
