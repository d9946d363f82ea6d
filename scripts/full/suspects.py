"""How many injected errors `levelhead suspects` finds; means in docs/suspects.md.

    python scripts/full/suspects.py DATA [TEST_SET ...] [--systems 3]

DATA has `conll18`: gold and outputs of the CoNLL 2018 shared task. In 1% of the words of a test set, an error is put
in, a third each in heads, relations and tags. `random` errors are any other head, relation or tag; `likely` ones are
what people do: the head's head or another of its dependents, a relation or tag that is often confused. Precision is the
share of injected errors among the first 50 and 200 suspects. Gold has errors of its own, which count as wrong: the
second number leaves out words that are among the first 200 without any injected error.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from levelhead.comparison.suspects import find_suspects
from levelhead.scoring.matches import Matches, match
from levelhead.scoring.rules import UD
from levelhead.treebank import Treebank, read
from levelhead.treebank.relations import universal

SHARE = 0.01
FIRST = (50, 200)
RELATIONS = (
    "obl nmod|nsubj obj|advcl acl|xcomp ccomp|amod compound|flat compound|parataxis conj|case mark|cop aux|det nmod"
)
TAGS = "NOUN PROPN|VERB AUX|ADP SCONJ|ADJ VERB|ADV ADJ|DET PRON|PART ADV|CCONJ ADV"


def main() -> None:
    """Print a line for each test set, kind of errors and method."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("codes", nargs="*", default=["en_ewt", "fi_tdt", "tr_imst", "zh_gsd", "de_gsd"])
    parser.add_argument("--systems", type=int, default=3)
    given = parser.parse_args()
    print("test set, errors, number: method precision at 50, at 200 (without what was suspicious before)")
    for code in given.codes:
        of_test_set(given.data / "conll18", code, given.systems)


def of_test_set(folder: Path, code: str, n_systems: int) -> None:
    """Print the precision of each method on one test set."""
    gold = read(folder / f"gold/{code}.conllu.xz")
    outputs = [read(path) for path in sorted((folder / "systems").glob(f"*/{code}.conllu.xz"))[:n_systems]]
    clean = rankings(gold, outputs)
    for kind in ("random", "likely"):
        damaged, wrong = inject(gold, likely=kind == "likely", random=np.random.default_rng(0))
        for name, words in rankings(damaged, outputs).items():
            before = set(clean[name][: FIRST[-1]])
            rest = [word for word in words if word in wrong or word not in before]
            shares = [f"{precision(words, wrong, n):.0f} ({precision(rest, wrong, n):.0f})" for n in FIRST]
            print(code, kind, len(wrong), name, *shares, flush=True)


def precision(words: Sequence[int], wrong: Mapping[int, str], first: int) -> float:
    """Return the percentage of wrong words among the first."""
    return 100 * sum(word in wrong for word in words[:first]) / first


def rankings(gold: Treebank, outputs: Sequence[Treebank]) -> dict[str, list[int]]:
    """Return the words that each method suspects, the worst first."""
    matches = {str(number): match(gold, output, UD) for number, output in enumerate(outputs)}
    return {
        "suspects": [one.word for one in find_suspects(matches, gold, {}).suspects],
        "variation alone": [one.word for one in find_suspects({}, gold, {}).suspects],
        "rare for the form": list(by_frequency(gold)),
        "systems against": list(by_count(gold, list(matches.values()))),
    }


def by_frequency(gold: Treebank) -> Iterator[int]:
    """Give words by how rare their tag and relation are for their form: the first baseline."""
    labels = [(form.lower(), tag, universal(rel)) for form, tag, rel in zip(gold.forms, gold.upos, gold.relations)]
    forms = Counter(form for form, _, _ in labels)
    tags = Counter((form, tag) for form, tag, _ in labels)
    relations = Counter((form, relation) for form, _, relation in labels)
    rarity = [
        max(math.log(forms[form] / tags[form, tag]), math.log(forms[form] / relations[form, rel]))
        for form, tag, rel in labels
    ]
    yield from sorted(range(len(labels)), key=lambda word: (-rarity[word], word))


def by_count(gold: Treebank, outputs: Sequence[Matches]) -> Iterator[int]:
    """Give words by how many systems differ from gold in head, relation or tag: the second baseline."""
    against = np.zeros(gold.n_words)
    for one in outputs:
        rows, others = one.alignment.gold, one.alignment.system
        heads = one.system.heads[others]
        mapped = np.where(heads < 0, -1, one.gold_of_system[heads])
        tags = np.array([gold.upos[a] != one.system.upos[b] for a, b in zip(rows.tolist(), others.tolist())])
        relations = np.array(
            [universal(gold.relations[a]) != universal(one.system.relations[b]) for a, b in zip(rows, others)]
        )
        against[rows] += (mapped != gold.heads[rows]).astype(float) + tags + relations
    yield from np.argsort(-against, kind="stable").tolist()


def inject(gold: Treebank, *, likely: bool, random: np.random.Generator) -> tuple[Treebank, dict[int, str]]:
    """Return a treebank with errors, and the kind of error of each wrong word."""
    heads, relations, tags = gold.heads.copy(), list(gold.relations), list(gold.upos)
    wrong: dict[int, str] = {}
    for word in random.permutation(gold.n_words).tolist():
        if len(wrong) >= SHARE * gold.n_words:
            break
        kind = ("head", "relation", "UPOS")[len(wrong) % 3]
        if heads[word] < 0:
            continue
        if kind == "head":
            found = new_head(gold, heads, word, likely, random)
            if found is None:
                continue
            heads[word] = found
        else:
            column, pairs = (relations, RELATIONS) if kind == "relation" else (tags, TAGS)
            label = new_label(column, column[word], pairs if likely else None, random)
            if label is None or (kind == "relation" and label == "root"):
                continue
            column[word] = label
        wrong[word] = kind
    return gold.replace(heads=heads, relations=relations, upos=tags), wrong


def new_head(gold: Treebank, heads: np.ndarray, word: int, likely: bool, random: np.random.Generator) -> int | None:
    """Return another head that leaves the tree a tree, or None."""
    sentence = gold.sentence_of_word[word]
    start, end = gold.sentence_starts[sentence : sentence + 2].tolist()
    own = int(heads[word])
    near = [int(heads[own]), *(other for other in range(start, end) if heads[other] == own and other != word)]
    head = int(random.choice(near if likely else np.arange(start, end)))
    above = head
    while above >= 0 and above != word:
        above = int(heads[above])
    return None if head < 0 or head == own or above == word else head


def new_label(column: list[str], own: str, pairs: str | None, random: np.random.Generator) -> str | None:
    """Return another label: the one that is often confused with it, or one as often as it occurs."""
    if pairs is not None:
        other = {one: another for pair in pairs.split("|") for one, another in (pair.split(), pair.split()[::-1])}
        return other.get(universal(own))
    label = column[int(random.integers(len(column)))]
    return None if universal(label) == universal(own) else label


if __name__ == "__main__":
    main()
