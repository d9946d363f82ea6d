"""What a treebank is like, in plain loops, straight from the papers' formulas; rows are split lines of CoNLL-U."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from oracle import trees

FORM, LEMMA, UPOS, FEATS, HEAD, DEPREL = 1, 2, 3, 5, 6, 7


@dataclass
class Tree:
    """The words of a sentence and its surface tokens."""

    words: list[list[str]]
    tokens: list[str]
    n_ranges: int = 0
    n_empty: int = 0

    @property
    def heads(self) -> list[int]:
        return [int(word[HEAD]) for word in self.words]


def read(text: str) -> list[Tree]:
    """Read CoNLL-U."""
    found = []
    for block in text.split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line and not line.startswith("#")]
        if not rows:
            continue
        tree, covered = Tree([], []), 0
        for row in rows:
            if "-" in row[0]:
                covered = int(row[0].split("-")[1])
                tree.tokens.append(row[FORM])
                tree.n_ranges += 1
            elif "." in row[0]:
                tree.n_empty += 1
            else:
                tree.words.append(row)
                if int(row[0]) > covered:
                    tree.tokens.append(row[FORM])
        found.append(tree)
    return found


def universal(relation: str) -> str:
    return relation.split(":", maxsplit=1)[0]


def words_of(text: list[Tree]) -> list[list[str]]:
    return [word for tree in text for word in tree.words]


def entropy(counts: Iterable[int]) -> float:
    """H = - sum of p log2 p."""
    some = list(counts)
    return -sum(n / sum(some) * math.log2(n / sum(some)) for n in some)


def mean(values: Iterable[float]) -> float | None:
    some = list(values)
    return sum(some) / len(some) if some else None


# Callin


def word_dependency_entropy(text: list[Tree]) -> dict[str, float]:
    """WDE(r, t) = H(p(w | r, t)) / log n_w."""
    vocabulary = {word[FORM] for word in words_of(text)}
    forms: dict[str, list[str]] = defaultdict(list)
    for word in words_of(text):
        forms[universal(word[DEPREL])].append(word[FORM])
    if len(vocabulary) == 1:
        return dict.fromkeys(forms, 0.0)
    bits = {relation: entropy(Counter(some).values()) for relation, some in forms.items()}
    return {relation: value / math.log2(len(vocabulary)) for relation, value in bits.items()}


def averaged(tables: Sequence[dict[str, float]], relations: Iterable[str]) -> dict[str, float]:
    """Averaged WDE: 0.5 where a relation is absent."""
    return {relation: sum(table.get(relation, 0.5) for table in tables) / len(tables) for relation in relations}


def chunk_ratios(text: list[Tree], size: int, *, partial: bool) -> list[float]:
    """Types / tokens of each chunk."""
    tokens = [token for tree in text for token in tree.tokens]
    chunks = [tokens[start : start + size] for start in range(0, len(tokens), size)]
    return [len(set(chunk)) / len(chunk) for chunk in chunks if partial or len(chunk) == size]


def moving_ratio(text: list[Tree], window: int) -> float | None:
    """Mean types / tokens of all windows (Covington and McFall)."""
    tokens = [token for tree in text for token in tree.tokens]
    return mean(len(set(tokens[i : i + window])) / window for i in range(len(tokens) - window + 1))


# Kohita et al.


def head_entropy(text: list[Tree], least: int) -> tuple[float | None, dict[str, float]]:
    """H_l = sum over (p, w) of P(p, w | l) H(head | p, l, w); over all by P(p, l, w)."""
    heads: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for tree in text:
        for word in tree.words:
            if word[HEAD] != "0":
                key = (word[UPOS], universal(word[DEPREL]), word[FORM])
                heads[key][tree.words[int(word[HEAD]) - 1][FORM]] += 1
    kept = {key: counts for key, counts in heads.items() if sum(counts.values()) >= least}
    n = sum(sum(counts.values()) for counts in kept.values())
    by_relation = {}
    for relation in {key[1] for key in kept}:
        some = [counts for key, counts in kept.items() if key[1] == relation]
        total = sum(sum(counts.values()) for counts in some)
        by_relation[relation] = sum(sum(c.values()) / total * entropy(c.values()) for c in some)
    overall = sum(sum(c.values()) / n * entropy(c.values()) for c in kept.values()) if n else None
    return overall, by_relation


# Structure


def arcs(text: list[Tree]) -> list[tuple[Tree, int, int]]:
    """Give (tree, word, head) of all arcs between words."""
    return [(tree, word, head) for tree in text for word, head in enumerate(tree.heads, 1) if head]


def direction_entropy(text: list[Tree]) -> float | None:
    """H(direction | relation, UPOS of word, UPOS of head)."""
    directions: dict[tuple[str, str, str], Counter[bool]] = defaultdict(Counter)
    for tree, word, head in arcs(text):
        row = tree.words[word - 1]
        directions[universal(row[DEPREL]), row[UPOS], tree.words[head - 1][UPOS]][head < word] += 1
    n = len(arcs(text))
    return sum(sum(c.values()) / n * entropy(c.values()) for c in directions.values()) if n else None


def means_by_relation(text: list[Tree], value: Callable[[int, int], float]) -> dict[str, float]:
    """Average a value of each arc's word and head, for each relation."""
    values: dict[str, list[float]] = defaultdict(list)
    for tree, word, head in arcs(text):
        values[universal(tree.words[word - 1][DEPREL])].append(value(word, head))
    return {relation: sum(some) / len(some) for relation, some in values.items()}


def gap_degree(tree: Tree) -> int:
    return max(trees.gap_degree(words) for words in trees.yields(tree.heads).values())


def profile(text: list[Tree], chunk: int = 1000, window: int = 500, least: int = 5, *, partial: bool = False) -> dict:
    """Give the values of all columns of one number."""
    words, every = words_of(text), arcs(text)
    tokens = [token for tree in text for token in tree.tokens]
    n_ranges, n_empty = sum(tree.n_ranges for tree in text), sum(tree.n_empty for tree in text)
    features = [word[FEATS].split("|") if word[FEATS] != "_" else [] for word in words]
    lemmas = [word for word in words if word[LEMMA] != "_"]
    ratios = chunk_ratios(text, chunk, partial=partial)
    average = mean(ratios)
    arity = Counter((id(tree), head) for tree, _, head in every)
    distances = [abs(word - head) for _, word, head in every]
    roots = [tree.heads.count(0) for tree in text]
    expected = [(len(tree.words) - n) * (len(tree.words) + 1) / 3 for tree, n in zip(text, roots)]
    overall, _ = head_entropy(text, least)
    heads = Counter((w[UPOS], universal(w[DEPREL]), w[FORM]) for tree in text for w in tree.words if w[HEAD] != "0")
    depths = [max(trees.depth(tree.heads, word) for word in range(1, len(tree.words) + 1)) for tree in text]

    def share(rule) -> float:
        marked = [any(rule(tree.heads, word) for word in range(1, len(tree.words) + 1)) for tree in text]
        return 100 * sum(marked) / len(text)

    return {
        "sentences": len(text),
        "tokens": len(tokens),
        "words": len(words),
        "types": len({word[FORM] for word in words}),
        "lemmas": len({word[LEMMA] for word in lemmas}) or None,
        "sentence_length": len(words) / len(text),
        "sentence_length_max": max(len(tree.words) for tree in text),
        "multiword_tokens": n_ranges,
        "multiword_share": 100 * n_ranges / len(tokens),
        "empty_nodes": n_empty,
        "empty_share": 100 * n_empty / (len(words) + n_empty),
        "sttr": average,
        "sttr_sd": math.sqrt(sum((r - average) ** 2 for r in ratios) / (len(ratios) - 1)) if len(ratios) > 1 else None,
        "mattr": moving_ratio(text, window),
        "head_entropy": overall,
        "head_entropy_share": 100 * sum(n for n in heads.values() if n >= least) / len(every) if every else None,
        "features_per_word": mean(map(len, features)) if any(features) else None,
        "forms_per_lemma": len({w[FORM] for w in lemmas}) / len({w[LEMMA] for w in lemmas}) if lemmas else None,
        "words_per_token": len(words) / len(tokens) if n_ranges else None,
        "nonprojective_arcs": mean(100 * trees.is_nonprojective(tree.heads, word) for tree, word, _ in every),
        "nonprojective_trees": share(trees.is_nonprojective),
        "right_crossed_trees": share(trees.is_crossed_to_the_right),
        "distance": mean(distances),
        "random_distance": sum(expected) / len(every) if every else None,
        "depth": mean(depths),
        "depth_max": max(depths),
        "arity": mean(arity.values()),
        "arity_max": max(arity.values(), default=None),
        "right_branching": mean(100 * (head < word) for _, word, head in every),
        "direction_entropy": direction_entropy(text),
        "gap_degree": mean(map(gap_degree, text)),
        "gap_degree_max": max(map(gap_degree, text)),
        "gap_degree_over_1": mean(100 * (gap_degree(tree) > 1) for tree in text),
        "ill_nested_trees": mean(100 * trees.is_ill_nested(tree.heads) for tree in text),
    }


def shares(values: Iterable[str], whole: int) -> dict[str, float]:
    return {value: n / whole for value, n in Counter(values).items()}


def percentages(values: Iterable[str], whole: int) -> dict[str, float]:
    return {value: 100 * n / whole for value, n in Counter(values).items()}


def families(text: list[Tree], least: int = 5) -> dict[str, dict[str, float]]:
    """Give the values of the columns of many numbers, the classes of a scheme apart."""
    words = words_of(text)
    by_upos: dict[str, list[int]] = defaultdict(list)
    for word in words:
        by_upos[word[UPOS]].append(len(word[FEATS].split("|")) if word[FEATS] != "_" else 0)
    has_upos = any(word[UPOS] != "_" for word in words)
    has_feats = any(word[FEATS] != "_" for word in words)
    features = [one for word in words if word[FEATS] != "_" for one in set(word[FEATS].split("|"))]
    return {
        "relation": percentages((universal(word[DEPREL]) for word in words), len(words)),
        "deprel": percentages((word[DEPREL] for word in words), len(words)),
        "upos": percentages((word[UPOS] for word in words), len(words)) if has_upos else {},
        "feature": percentages(features, len(words)),
        "wde": word_dependency_entropy(text),
        "head_entropy_by_relation": head_entropy(text, least)[1],
        "distance_by_relation": means_by_relation(text, lambda word, head: abs(word - head)),
        "right_branching_by_relation": means_by_relation(text, lambda word, head: 100 * (head < word)),
        "features_per_upos": {upos: sum(n) / len(n) for upos, n in by_upos.items()} if has_upos and has_feats else {},
    }


# Similarity


def trigrams(text: list[Tree]) -> Counter[tuple[str | None, ...]]:
    """Count three UPOS in sequence, with None around sentences."""
    counts: Counter[tuple[str | None, ...]] = Counter()
    for tree in text:
        tags = [None, *(word[UPOS] for word in tree.words), None]
        counts.update(zip(tags, tags[1:], tags[2:]))
    return counts


def klcpos3(target: list[Tree], source: list[Tree]) -> float:
    """KLcpos3(tgt, src) = sum of f_tgt ln (f_tgt / f_src); a trigram unseen in the source counts once."""
    wanted, given = trigrams(target), dict(trigrams(source))
    for trigram in wanted:
        given.setdefault(trigram, 1)
    n, m = sum(wanted.values()), sum(given.values())
    return sum(count / n * math.log(count / n / (given[trigram] / m)) for trigram, count in wanted.items())


def jensen_shannon(one: list[Tree], other: list[Tree]) -> float:
    """JSD = (KL(p || m) + KL(q || m)) / 2, in bits, where m is the mean of p and q."""
    p, q = (shares((universal(w[DEPREL]) for w in words_of(text)), len(words_of(text))) for text in (one, other))
    middle = {name: (p.get(name, 0) + q.get(name, 0)) / 2 for name in {*p, *q}}
    return sum(sum(v * math.log2(v / middle[name]) for name, v in side.items()) for side in (p, q)) / 2


def vaserstein(one: list[Tree], other: list[Tree]) -> float:
    """Give the least mean distance by which displacements must move: those of equal rank are matched."""
    first, second = (sorted(head - word for _, word, head in arcs(text)) for text in (one, other))
    longer = [value for value in first for _ in second], [value for value in second for _ in first]
    return sum(abs(a - b) for a, b in zip(*longer)) / (len(first) * len(second))
