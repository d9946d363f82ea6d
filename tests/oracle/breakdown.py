"""Breakdowns and repairs of LAS in plain Python: word by word, sentence by sentence."""

from collections import Counter
from collections.abc import Callable

from oracle.document import Document
from oracle.measures import Matched, home_sentences, match, same_arc

LEMMA, UPOS, FEATS = 2, 3, 5
Value = Callable[[Document, int], str]


def upos(document: Document, number: int) -> str:
    return document.words[number].columns[UPOS]


def lemma(document: Document, number: int) -> str:
    return document.words[number].columns[LEMMA]


def feature(name: str) -> Value:
    def of(document: Document, number: int) -> str:
        pairs = [pair.split("=", 1) for pair in document.words[number].columns[FEATS].split("|") if "=" in pair]
        return dict(pairs).get(name, "-")

    return of


def head_relation(document: Document, number: int) -> str:
    parent = document.words[number].parent
    return "-" if parent is None else document.words[parent].relation


def relation(document: Document, number: int) -> str:
    return document.words[number].relation


def parts(gold_text: str, system_text: str, values: list[Value]) -> dict[tuple[str, ...], list[tuple[float, float]]]:
    """Numerator and denominator of the F1 of LAS in each gold sentence, by bucket; values of words, not of arcs."""
    m = match(gold_text, system_text, "ud")
    gold_of = {s: g for g, s in m.pairs}
    of_gold = [tuple(value(m.gold, g) for value in values) for g in range(len(m.gold.words))]
    of_system = [
        of_gold[gold_of[s]] if s in gold_of else tuple(value(m.system, s) for value in values)
        for s in range(len(m.system.words))
    ]
    correct: Counter[tuple[tuple[str, ...], int]] = Counter()
    whole: Counter[tuple[tuple[str, ...], int]] = Counter()
    gold_home, system_home = home_sentences(m.gold, m.gold), home_sentences(m.system, m.gold)
    for g, bucket in enumerate(of_gold):
        whole[bucket, gold_home[g]] += 1
    for s, bucket in enumerate(of_system):
        whole[bucket, system_home[s]] += 1
    for g, s in m.pairs:
        if same_arc(m, g, s):
            correct[of_gold[g], gold_home[g]] += 2
    n = len(m.gold.sentences)
    buckets = dict.fromkeys([*of_gold, *of_system])
    return {one: [(correct[one, i], whole[one, i]) for i in range(n)] for one in buckets}


def repaired(gold_text: str, system_text: str) -> dict[tuple[str, str], tuple[int, list[list[tuple[float, float]]]]]:
    """By kind of error: its words, and for each sentence numerator and denominator before and after the repair."""
    m = match(gold_text, system_text, "ud")
    gold_home, system_home = home_sentences(m.gold, m.gold), home_sentences(m.system, m.gold)
    kinds = {(g, s): kind_of(m, g, s) for g, s in m.pairs if not same_arc(m, g, s)}
    found: dict[tuple[str, str], tuple[int, list[list[tuple[float, float]]]]] = {}
    missed = {*range(len(m.gold.words))} - {g for g, _ in m.pairs}
    extra = {*range(len(m.system.words))} - {s for _, s in m.pairs}
    for kind in dict.fromkeys([*kinds.values(), *([("words not aligned", "")] if missed or extra else [])]):
        alone = kind[0] == "words not aligned"
        right = {g for g, s in m.pairs if same_arc(m, g, s)}
        fixed = {g for (g, _), own in kinds.items() if own == kind} | (missed if alone else set())
        units = []
        for i in range(len(m.gold.sentences)):
            gold = [g for g in range(len(m.gold.words)) if gold_home[g] == i]
            system = [s for s in range(len(m.system.words)) if system_home[s] == i]
            after = [s for s in system if not (alone and s in extra)]
            more = [g for g in gold if alone and g in missed]
            units.append(
                [
                    (2 * len(right & {*gold}), len(gold) + len(system)),
                    (2 * len((right | fixed) & {*gold}), len(gold) + len(after) + len(more)),
                ]
            )
        found[kind] = (len(fixed), units)
    return found


def kind_of(m: Matched, g: int, s: int) -> tuple[str, str]:
    """What is wrong with an aligned word."""
    ours, theirs = m.gold.words[g], m.system.words[s]
    head = m.mapped(theirs.parent) != ours.parent
    relations = ours.relation != theirs.relation
    wrong = ["head"] * head + ["relation"] * relations
    return ", ".join(wrong), f"{ours.relation} -> {theirs.relation}" if relations else ours.relation


def causes(gold_text: str, system_text: str) -> dict[tuple[str, str], tuple[int, int]]:
    """By kind of error of LAS: its gold words, and how many of them are causes.

    An error is a consequence if its gold head is itself attached wrongly, or is not aligned.
    """
    m = match(gold_text, system_text, "ud")
    of_gold = dict(m.pairs)
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for g, word in enumerate(m.gold.words):
        if g in of_gold and same_arc(m, g, of_gold[g]):
            continue
        kind = kind_of(m, g, of_gold[g]) if g in of_gold else ("words not aligned", "")
        words, roots = found.get(kind, (0, 0))
        found[kind] = words + 1, roots + (word.parent is None or is_attached(m, of_gold, word.parent))
    return found


def is_attached(m: Matched, of_gold: dict[int, int], g: int) -> bool:
    return g in of_gold and m.mapped(m.system.words[of_gold[g]].parent) == m.gold.words[g].parent
