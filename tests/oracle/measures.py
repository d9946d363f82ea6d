"""Every official measure, counted pair by pair straight from its definition."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from oracle.align import Pair, align
from oracle.conllu import read
from oracle.document import DEPREL, FEATS, LEMMA, UPOS, XPOS, Document, Edge, Word

FUNCTION_2017 = frozenset({"aux", "case", "cc", "clf", "cop", "det", "mark", "punct"})
FUNCTIONAL = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})
CONTENT = frozenset(
    """
    nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod acl
    amod conj fixed flat compound list parataxis orphan goeswith reparandum root dep
    """.split()
)
UNIVERSAL_FEATURES = frozenset(
    """
    PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm Mood Tense
    Aspect Voice Evident Polarity Person Polite
    """.split()
)

NOT_ALIGNED = -1


@dataclass(frozen=True)
class Counted:
    """What a measure's ratios are made of; `aligned` is None where the official scorer has no aligned accuracy."""

    correct: int
    gold: int
    system: int
    aligned: int | None = None


@dataclass(frozen=True)
class Weighed:
    """The same as real sums, in the order of addition of the words."""

    correct: float
    gold: float
    system: float
    aligned: float


@dataclass
class Matched:
    """Two documents over the same text, and which words of them stand for each other."""

    gold: Document
    system: Document
    pairs: list[Pair]
    gold_of: dict[int | None, int]
    gold_children: dict[int | None, list[int]]
    system_children: dict[int | None, list[int]]

    def mapped(self, system_parent: int | None) -> int | None:
        """Give the gold word a system parent stands for; the root stands for the root."""
        return None if system_parent is None else self.gold_of.get(system_parent, NOT_ALIGNED)


@dataclass
class Marks:
    """The words a measure counts, by number: gold words, but for `system`."""

    correct: list[int]
    gold: list[int]
    system: list[int]
    aligned: list[int]


Agreement = Callable[[Matched, int, int], bool]
Filter = Callable[[Word], bool]


def match(gold_text: str, system_text: str, rules: str, *, several_roots: bool = False) -> Matched:
    """Read and align two files."""
    gold, system = (read(text, rules, several_roots=several_roots) for text in (gold_text, system_text))
    pairs = align(gold, system)
    gold_of: dict[int | None, int] = {s: g for g, s in pairs}
    return Matched(gold, system, pairs, gold_of, functional_children(gold), functional_children(system))


def functional_children(document: Document) -> dict[int | None, list[int]]:
    """List each word's function words in the order of the text."""
    children: dict[int | None, list[int]] = {}
    for number, word in enumerate(document.words):
        if word.relation in FUNCTIONAL:
            children.setdefault(word.parent, []).append(number)
    return children


def features(word: Word, rules: str) -> list[str]:
    """List what is compared: in 2017 the column as it is, later the sorted pairs with one of 21 universal names."""
    if rules == "conll17":
        return [word.columns[FEATS]]
    return sorted(pair for pair in word.columns[FEATS].split("|") if pair.partition("=")[0] in UNIVERSAL_FEATURES)


def same_column(column: int) -> Agreement:
    """Make the agreement on one column as it is written."""
    return lambda m, g, s: m.gold.words[g].columns[column] == m.system.words[s].columns[column]


def same_features(m: Matched, g: int, s: int) -> bool:
    return features(m.gold.words[g], m.gold.rules) == features(m.system.words[s], m.gold.rules)


def same_tags(m: Matched, g: int, s: int) -> bool:
    return same_column(UPOS)(m, g, s) and same_column(XPOS)(m, g, s) and same_features(m, g, s)


def same_lemma(m: Matched, g: int, s: int) -> bool:
    """A lemma missing in gold is always right, except in 2017."""
    missing = m.gold.words[g].columns[LEMMA] == "_" and m.gold.rules != "conll17"
    return missing or same_column(LEMMA)(m, g, s)


def same_head(m: Matched, g: int, s: int) -> bool:
    """The system parent must be aligned to the gold parent, or both words be roots."""
    return m.gold.words[g].parent == m.mapped(m.system.words[s].parent)


def same_arc(m: Matched, g: int, s: int) -> bool:
    return same_head(m, g, s) and m.gold.words[g].relation == m.system.words[s].relation


def same_full_arc(m: Matched, g: int, s: int) -> bool:
    """The arc with the relation's subtype; no official scorer counts it."""
    return same_head(m, g, s) and same_column(DEPREL)(m, g, s)


def same_morphology(m: Matched, g: int, s: int) -> bool:
    """MLAS (CoNLL 2018): arc, UPOS, features, and the same function words below, themselves with relation and tags."""
    of_gold, of_system = m.gold_children.get(g, []), m.system_children.get(s, [])
    return (
        same_arc(m, g, s)
        and same_column(UPOS)(m, g, s)
        and same_features(m, g, s)
        and of_gold == [m.mapped(child) for child in of_system]
        and all(same_function(m, *children) for children in zip(of_gold, of_system, strict=True))
    )


def same_function(m: Matched, g: int, s: int) -> bool:
    same_relation = m.gold.words[g].relation == m.system.words[s].relation
    return same_relation and same_column(UPOS)(m, g, s) and same_features(m, g, s)


def same_arc_and_lemma(m: Matched, g: int, s: int) -> bool:
    """BLEX (CoNLL 2018): arc and lemma."""
    return same_arc(m, g, s) and same_lemma(m, g, s)


def any_word(_word: Word) -> bool:
    return True


def content_2017(word: Word) -> bool:
    """CLAS of 2017: whatever is not on the list of function relations, unknown relations too."""
    return word.relation not in FUNCTION_2017


def content(word: Word) -> bool:
    """CLAS since 2018: only what is on the list of content relations."""
    return word.relation in CONTENT


def word_measures(rules: str) -> dict[str, tuple[Agreement, Filter]]:
    """List the measures over aligned words: what must agree, and which words count."""
    is_2017 = rules == "conll17"
    measures: dict[str, tuple[Agreement, Filter]] = {
        "Words": (lambda _m, _g, _s: True, any_word),
        "UPOS": (same_column(UPOS), any_word),
        "XPOS": (same_column(XPOS), any_word),
        "Feats" if is_2017 else "UFeats": (same_features, any_word),
        "AllTags": (same_tags, any_word),
        "Lemmas": (same_lemma, any_word),
        "UAS": (same_head, any_word),
        "LAS": (same_arc, any_word),
        "LAS(full)": (same_full_arc, any_word),
        "CLAS": (same_arc, content_2017 if is_2017 else content),
    }
    if not is_2017:
        measures |= {"MLAS": (same_morphology, content), "BLEX": (same_arc_and_lemma, content)}
    return measures


def mark(m: Matched, agrees: Agreement, counts: Filter) -> Marks:
    """Go through the words. Gold words count by their own relation, and so do system words; pairs by that of gold."""
    aligned = [pair for pair in m.pairs if counts(m.gold.words[pair[0]])]
    return Marks(
        correct=[g for g, s in aligned if agrees(m, g, s)],
        gold=[g for g, word in enumerate(m.gold.words) if counts(word)],
        system=[s for s, word in enumerate(m.system.words) if counts(word)],
        aligned=[g for g, _ in aligned],
    )


OF_TREES = {"UAS", "LAS", "LAS(full)", "CLAS", "MLAS", "BLEX"}


def score(gold_text: str, system_text: str, rules: str, *, several_roots: bool = False) -> dict[str, Counted]:
    """Count every measure these rules know.

    Under `ud`, ELAS and EULAS are left out where a DEPS column of either file cannot be read, and measures of trees
    where either file has none.

    Raises:
        Refused: one of the files is not accepted.
        TextDiffers: the files do not have the same text.
    """
    m = match(gold_text, system_text, rules, several_roots=several_roots)
    have_trees = m.gold.has_trees and m.system.has_trees
    counted = {
        "Tokens": shared(m.gold.tokens, m.system.tokens),
        "Sentences": shared(m.gold.sentences, m.system.sentences),
    }
    for name, (agrees, counts) in word_measures(rules).items():
        if name in OF_TREES and not have_trees:
            continue
        marks = mark(m, agrees, counts)
        n_aligned = None if name == "Words" else len(marks.aligned)
        counted[name] = Counted(len(marks.correct), len(marks.gold), len(marks.system), n_aligned)
    if rules in {"udtools", "ud"} and not (m.gold.deps_are_broken or m.system.deps_are_broken):
        counted["ELAS"] = enhanced(m, lambda label: label)
        counted["EULAS"] = enhanced(m, universal_steps)
    return counted


def shared(gold: list[tuple[int, int]], system: list[tuple[int, int]]) -> Counted:
    """Count the stretches of characters both sides have."""
    return Counted(len(set(gold) & set(system)), len(gold), len(system))


def universal_steps(label: str) -> str:
    """Cut the subtype, case marker or lemma from each step of an enhanced label."""
    return ">".join(step.split(":")[0] for step in label.split(">"))


def enhanced(m: Matched, simplified: Callable[[str], str]) -> Counted:
    """Count enhanced edges of aligned words: parent and label must agree.

    `ud` matches edges one to one; udtools compares every gold edge of a word with every system edge of it, so that of
    two gold and two equal system edges four are correct.
    """
    correct = 0
    for g, s in m.pairs:
        gold = Counter(labeled(m.gold.words[g].edges, simplified))
        there = [(m.mapped(parent), label) for parent, label in m.system.words[s].edges]
        system = Counter(labeled(there, simplified))
        for edge in gold:
            n_gold, n_system = gold[edge], system[edge]
            correct += min(n_gold, n_system) if m.gold.rules == "ud" else n_gold * n_system
    n_gold_edges, n_system_edges = (sum(len(word.edges) for word in side.words) for side in (m.gold, m.system))
    return Counted(correct, n_gold_edges, n_system_edges)


def labeled(edges: list[Edge], simplified: Callable[[str], str]) -> list[Edge]:
    return [(parent, simplified(label)) for parent, label in edges]


def weighted_las(gold_text: str, system_text: str, weights: Mapping[str, float], rules: str) -> Weighed:
    """Count LAS with a weight for each relation (subtypes cut), 1 where none is given (CoNLL 2017, option -w).

    A pair weighs what its gold relation weighs, right or wrong.
    """
    m = match(gold_text, system_text, rules)
    marks = mark(m, same_arc, any_word)

    def weigh(document: Document, numbers: list[int]) -> float:
        total = 0.0
        for number in numbers:  # one by one in the order of the text: the sums are compared to the last bit
            total += weights.get(document.words[number].relation, 1.0)
        return total

    return Weighed(
        weigh(m.gold, marks.correct),
        weigh(m.gold, marks.gold),
        weigh(m.system, marks.system),
        weigh(m.gold, marks.aligned),
    )


def per_sentence(gold_text: str, system_text: str, rules: str) -> list[dict[str, Counted]]:
    """Split the counts of Words, UAS, LAS and CLAS by gold sentence.

    A system word belongs to the last gold sentence that starts at or before its first character (in a multiword token,
    the first character of the token). A pair belongs where its gold word does.
    """
    m = match(gold_text, system_text, rules)
    gold_home, system_home = home_sentences(m.gold, m.gold), home_sentences(m.system, m.gold)
    rows: list[dict[str, Counted]] = [{} for _ in m.gold.sentences]
    for name in ("Words", "UAS", "LAS", "CLAS"):
        marks = mark(m, *word_measures(rules)[name])
        correct, gold, aligned = (
            Counter(gold_home[g] for g in kind) for kind in (marks.correct, marks.gold, marks.aligned)
        )
        system = Counter(system_home[s] for s in marks.system)
        for i, row in enumerate(rows):
            row[name] = Counted(correct[i], gold[i], system[i], None if name == "Words" else aligned[i])
    return rows


def home_sentences(document: Document, gold: Document) -> list[int]:
    """Find for each word the last gold sentence that starts at or before it."""
    starts = [start for start, _ in gold.sentences]
    return [bisect_right(starts, word.span[0]) - 1 for word in document.words]
