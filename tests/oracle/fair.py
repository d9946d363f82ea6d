"""Measures restricted to classes, weighted, of whole sentences, and by buckets, counted word by word from the papers."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from string import punctuation

from oracle.document import DEPREL, FORM, UPOS, Document, Word
from oracle.measures import (
    CONTENT,
    FUNCTION_2017,
    NOT_ALIGNED,
    Counted,
    Matched,
    Weighed,
    home_sentences,
    same_arc,
    same_column,
    same_full_arc,
    same_head,
)
from oracle.trees import is_nonprojective

NIVRE_FANG = {
    "FUN": "aux case cc clf cop det mark",
    "MWE": "compound fixed flat goeswith",
    "CORE": "ccomp csubj iobj nsubj obj xcomp",
    "NONCORE": """
        acl advcl advmod amod appos conj dep discourse dislocated expl list nmod nummod obl orphan parataxis reparandum
        root vocative
    """,
    "PUNCT": "punct",
}
"""Nivre and Fang, Table 1."""

CALLIN = {
    "CONTENT": """
        nsubj nsubjpass csubj csubjpass dobj iobj ccomp xcomp nmod advcl advmod amod acl appos nummod vocative
        dislocated root compound name conj parataxis remnant
    """,
    "FUNCTION": "aux auxpass cop mark case det expl neg cc mwe",
    "OTHER": "foreign list reparandum dep punct discourse goeswith",
}
"""Callin, Table 2; `list`, which stands under two heads there, where the text has it."""

KOHITA_LEFT_OUT = "aux auxpass case cc cop det mark neg"
"""Kohita, Noji and Matsumoto, note 7."""

V1_IN_V2 = {
    "dobj": "obj", "nsubjpass": "nsubj", "csubjpass": "csubj", "auxpass": "aux", "mwe": "fixed", "name": "flat",
    "foreign": "flat", "remnant": "orphan",
}  # fmt: skip
V2_IN_V1 = {"obj": "dobj", "obl": "nmod", "fixed": "mwe", "flat": "name", "orphan": "remnant"}

Keeps = Callable[[Word], bool]
Agreement = Callable[[Matched, int, int], bool]


@cache
def class_in(scheme: str, relation: str) -> str:
    """Give the class of a relation, through its counterpart in the other version of UD where that alone is listed."""
    label = relation.split(":", maxsplit=1)[0]
    if scheme == "kohita":
        return kohita(label)
    if scheme in {"conll17", "conll18"}:
        return of_shared_task(scheme, label)
    table, counterparts = (NIVRE_FANG, V1_IN_V2) if scheme == "nivre-fang" else (CALLIN, V2_IN_V1)
    for name in table:
        members = table[name].split()
        if scheme == "callin-code" and label == "list":
            return "CONTENT"
        if label in members:
            return name
    return class_in(scheme, counterparts[label]) if label in counterparts else "UNKNOWN"


def kohita(label: str) -> str:
    """Whatever is not left out is content, in any version of UD."""
    if label in KOHITA_LEFT_OUT.split():
        return "FUNCTION"
    return "PUNCT" if label == "punct" else "CONTENT"


def of_shared_task(script: str, label: str) -> str:
    """CLAS of 2017 leaves out a list, that of 2018 keeps one; MLAS of 2018 has the same list of function words."""
    if label in FUNCTION_2017:
        return "PUNCT" if label == "punct" else "FUNCTION"
    return "CONTENT" if script == "conll17" or label in CONTENT else "UNKNOWN"


def counts_in_cnc(word: Word) -> bool:
    """Kohita, Noji and Matsumoto, section 3.2: LAS without functional arcs (note 7); punctuation is left out of all."""
    return word.relation not in {"aux", "auxpass", "case", "cc", "cop", "det", "mark", "neg", "punct"}


def is_named(name: str) -> Keeps:
    """Make the test of a class (`scheme:CLASS`), a relation, or a relation with its subtype."""
    if name.isupper() or name.rsplit(":", maxsplit=1)[-1].isupper():
        scheme, _, label = name.rpartition(":")
        return lambda word: class_in(scheme or "nivre-fang", word.relation) == label
    return lambda word: (word.columns[DEPREL] if ":" in name else word.relation) == name


def kept(only: str | None, without: tuple[str, ...]) -> Keeps:
    return lambda word: (only is None or is_named(only)(word)) and not any(is_named(name)(word) for name in without)


AGREE: dict[str, Agreement] = {
    "UAS": same_head,
    "LAS": same_arc,
    "LAS(full)": same_full_arc,
    "LS": lambda m, g, s: m.gold.words[g].relation == m.system.words[s].relation,
    "UPOS": same_column(UPOS),
}


def restricted(m: Matched, agrees: Agreement, keeps: Keeps) -> Counted:
    """Count where each side keeps words by its own relation, and a pair is right only if both are kept."""
    ours = {g for g, word in enumerate(m.gold.words) if keeps(word)}
    theirs = {s for s, word in enumerate(m.system.words) if keeps(word)}
    aligned = [(g, s) for g, s in m.pairs if g in ours]
    correct = [(g, s) for g, s in aligned if s in theirs and agrees(m, g, s)]
    return Counted(len(correct), len(ours), len(theirs), len(aligned))


def kept_by_gold(m: Matched, agrees: Agreement, keeps: Keeps) -> Counted:
    """Count where gold words keep or leave out the words aligned to them; unaligned words go by their own relation."""
    gold_of = {s: g for g, s in m.pairs}
    in_gold = [keeps(word) for word in m.gold.words]
    in_system = [in_gold[gold_of[s]] if s in gold_of else keeps(word) for s, word in enumerate(m.system.words)]
    aligned = [(g, s) for g, s in m.pairs if in_gold[g]]
    return Counted(sum(agrees(m, *pair) for pair in aligned), sum(in_gold), sum(in_system), len(aligned))


def is_not_punctuation(m: Matched, rule: str) -> Keeps:
    left_out = {"punct"} | (callin_punctuation(m.gold) if rule == "callin" else set())
    return lambda word: word.relation not in left_out


def callin_punctuation(gold: Document) -> set[str]:
    """List the relations whose last word in the file is made of ASCII punctuation."""
    last = {word.relation: word.columns[FORM] for word in gold.words}
    return {relation for relation, form in last.items() if all(character in punctuation for character in form)}


def every_word(_word: Word) -> bool:
    return True


def weighted(m: Matched, weights: Mapping[str, float], *, by_gold: bool, keeps: Keeps = every_word) -> Weighed:
    """Weigh words by their own relations; or as Callin does: by the gold relation, without punct."""
    gold_of = {s: g for g, s in m.pairs}

    def weigh(word: Word) -> float:
        return 0.0 if not keeps(word) or (by_gold and word.relation == "punct") else weights[word.relation]

    def weigh_system(s: int) -> float:
        return weigh(m.gold.words[gold_of[s]] if by_gold and s in gold_of else m.system.words[s])

    return Weighed(
        sum(weigh(m.gold.words[g]) for g, s in m.pairs if same_arc(m, g, s)),
        sum(weigh(word) for word in m.gold.words),
        sum(weigh_system(s) for s in range(len(m.system.words))),
        sum(weigh(m.gold.words[g]) for g, _ in m.pairs),
    )


def sentence_of(document: Document) -> list[int]:
    """Number the sentence of each word; words inside one multiword token share their characters."""
    starts = [start for start, _ in document.sentences]
    return [bisect_right(starts, word.span[0]) - 1 for word in document.words]


def members_of(sentences: list[int]) -> dict[int, list[int]]:
    """List the words of each sentence."""
    members: dict[int, list[int]] = defaultdict(list)
    for word, sentence in enumerate(sentences):
        members[sentence].append(word)
    return members


def exact_matches(m: Matched, agrees: Agreement, keeps: Keeps) -> Counted:
    """Count sentences that have a kept word; right are those on both sides whose words are all aligned and kept alike."""
    ours, theirs = sentence_of(m.gold), sentence_of(m.system)
    with_kept = {sentence for sentence, word in zip(ours, m.gold.words) if keeps(word)}
    with_kept_system = {sentence for sentence, word in zip(theirs, m.system.words) if keeps(word)}
    system_of = dict(m.pairs)
    members, members_of_system = members_of(ours), members_of(theirs)
    correct = 0
    for number, span in enumerate(m.gold.sentences):
        if span not in m.system.sentences or number not in with_kept:
            continue
        words, others = members[number], members_of_system[m.system.sentences.index(span)]
        whole = [system_of.get(g) for g in words] == others
        correct += whole and all(
            not (keeps(m.gold.words[g]) or keeps(m.system.words[s]))
            or (keeps(m.gold.words[g]) and keeps(m.system.words[s]) and agrees(m, g, s))
            for g, s in zip(words, others)
        )
    return Counted(correct, len(with_kept), len(with_kept_system))


def roots(m: Matched) -> Counted:
    ours = [g for g, word in enumerate(m.gold.words) if word.parent is None]
    theirs = [s for s, word in enumerate(m.system.words) if word.parent is None]
    aligned = [(g, s) for g, s in m.pairs if m.gold.words[g].parent is None]
    return Counted(sum(m.system.words[s].parent is None for _, s in aligned), len(ours), len(theirs), len(aligned))


def is_tree(heads: list[int]) -> bool:
    """Say whether heads (counted from 1, 0 for the root) make a tree: one root, to which every word leads."""

    def leads_to_root(word: int) -> bool:
        for _ in heads:
            word = heads[word - 1]
            if word == 0:
                return True
        return False

    return heads.count(0) == 1 and all(leads_to_root(word) for word in range(1, len(heads) + 1))


# Where errors sit


def local_heads(document: Document, sentences: list[int]) -> list[tuple[int, list[int]]]:
    """Give for each word its place in its sentence, and the heads of that sentence, as CoNLL-U writes both."""
    members = members_of(sentences)
    found = []
    for number, sentence in enumerate(sentences):
        words = members[sentence]
        heads = [0 if document.words[w].parent is None else words.index(document.words[w].parent) + 1 for w in words]
        found.append((words.index(number) + 1, heads))
    return found


def depth(document: Document, number: int) -> int:
    steps = 0
    while document.words[number].parent is not None:
        number, steps = document.words[number].parent, steps + 1
    return steps


def in_range(number: int, ranges: str) -> str:
    """Find the range of a number: the last that starts at or below it."""
    return [name for name in ranges.split() if int(name.split("-")[0]) <= number][-1]


LENGTHS = "1 2 3-6 7-14 15-"
DEPTHS = "0 1 2 3 4 5-7 8-"
SENTENCE_LENGTHS = "1-10 11-20 21-30 31-40 41-50 51-"
FREQUENCIES = "0 1 2-5 6-20 21-100 101-"


def arcs_of(m: Matched) -> tuple[list[int | None], list[int | None]]:
    """Give head minus word of all words, None for roots; the system's in gold words where both ends are aligned."""
    gold = [None if word.parent is None else word.parent - g for g, word in enumerate(m.gold.words)]
    system: list[int | None] = []
    for s, word in enumerate(m.system.words):
        own, head = m.gold_of.get(s, NOT_ALIGNED), m.mapped(word.parent)
        if word.parent is None:
            system.append(None)
        elif own != NOT_ALIGNED and head not in {NOT_ALIGNED, None}:
            system.append(head - own)
        else:
            system.append(word.parent - s)
    return gold, system


def direction(offset: int | None) -> str:
    return "root" if offset is None else "head before" if offset < 0 else "head after"


def length(offset: int | None) -> str:
    return "root" if offset is None else in_range(abs(offset), LENGTHS)


BUCKETS = (
    *("deprel", "relation", "class", "upos", "direction", "length", "depth", "projective", "sentence-length"),
    *("frequency", "vocabulary"),
)
"""The properties of words that this module knows."""


def buckets(m: Matched, by: str, training: Counter[str]) -> tuple[list[str], list[str]]:
    """Name the bucket of every gold and every system word."""
    if by in {"direction", "length"}:
        name = direction if by == "direction" else length
        return tuple([name(offset) for offset in side] for side in arcs_of(m))
    if by in {"deprel", "relation", "class"}:
        return tuple([relation_bucket(word, by) for word in side.words] for side in (m.gold, m.system))
    return by_gold_word(m, *word_buckets(m, by, training))


def relation_bucket(word: Word, by: str) -> str:
    return {"relation": word.relation, "deprel": word.columns[DEPREL], "class": class_in("nivre-fang", word.relation)}[
        by
    ]


def by_gold_word(m: Matched, gold: list[str], own: list[str]) -> tuple[list[str], list[str]]:
    """A system word has its gold word's value, or its own if it has no gold word."""
    gold_of = {s: g for g, s in m.pairs}
    return gold, [gold[gold_of[s]] if s in gold_of else value for s, value in enumerate(own)]


def word_buckets(m: Matched, by: str, training: Counter[str]) -> tuple[list[str], list[str]]:
    sides = (m.gold, m.system)
    if by == "upos":
        return tuple([word.columns[UPOS] for word in side.words] for side in sides)
    if by == "depth":
        return tuple([in_range(depth(side, n), DEPTHS) for n in range(len(side.words))] for side in sides)
    if by == "projective":
        places = [local_heads(side, sentence_of(side)) for side in sides]
        return tuple(
            ["non-projective" if is_nonprojective(heads, word) else "projective" for word, heads in side]
            for side in places
        )
    if by == "sentence-length":
        homes = home_sentences(m.gold, m.gold), home_sentences(m.system, m.gold)
        sizes = Counter(sentence_of(m.gold))
        return tuple([in_range(sizes[home], SENTENCE_LENGTHS) for home in side] for side in homes)
    counts = [[training[word.columns[FORM]] for word in side.words] for side in sides]
    if by == "frequency":
        return tuple([in_range(n, FREQUENCIES) for n in side] for side in counts)
    return tuple(["in vocabulary" if n else "out of vocabulary" for n in side] for side in counts)


def breakdown(
    m: Matched, agrees: Agreement, by: tuple[str, ...], training: Counter[str]
) -> dict[tuple[str, ...], Counted]:
    """Count each combination of values; right in a bucket are pairs that are right and in it on both sides."""
    parts = [buckets(m, one, training) for one in by]
    gold = [tuple(part[0][g] for part in parts) for g in range(len(m.gold.words))]
    system = [tuple(part[1][s] for part in parts) for s in range(len(m.system.words))]
    in_gold, in_system = Counter(gold), Counter(system)
    aligned = Counter(gold[g] for g, _ in m.pairs)
    correct = Counter(gold[g] for g, s in m.pairs if gold[g] == system[s] and agrees(m, g, s))
    return {name: Counted(correct[name], in_gold[name], in_system[name], aligned[name]) for name in {*gold, *system}}


def confusion(m: Matched) -> dict[tuple[str, str], tuple[int, int]]:
    """Count the pairs of relations that meet, and those among them with the right head."""
    cells: dict[tuple[str, str], tuple[int, int]] = {}
    for g, s in m.pairs:
        cell = m.gold.words[g].relation, m.system.words[s].relation
        n, n_right = cells.get(cell, (0, 0))
        cells[cell] = n + 1, n_right + same_head(m, g, s)
    return cells


def error_type(m: Matched, g: int, s: int) -> str:
    """Say in which way an aligned word is wrong."""
    if same_head(m, g, s):
        return "right" if same_arc(m, g, s) else "wrong label"
    parent, found = m.gold.words[g].parent, m.mapped(m.system.words[s].parent)
    if found is None:
        return "wrongly the root"
    if parent is None:
        return "root not found"
    if found == NOT_ALIGNED:
        return "head not aligned"
    above: list[int | None] = [found]
    while above[-1] is not None:
        above.append(m.gold.words[above[-1]].parent)
    return f"wrong head {'inside' if parent in above else 'outside'} the phrase"


def cascading(m: Matched, scheme: str) -> dict[tuple[str, bool], tuple[int, int]]:
    """Count the wrong arcs by the class of the gold relation, and those whose system head is attached right."""
    gold_of = {s: g for g, s in m.pairs}
    cells: dict[tuple[str, bool], tuple[int, int]] = {}
    for labelled, agrees in ((True, same_arc), (False, same_head)):
        for g, s in m.pairs:
            if agrees(m, g, s):
                continue
            head = m.system.words[s].parent
            right = head is not None and head in gold_of and agrees(m, gold_of[head], head)
            key = class_in(scheme, m.gold.words[g].relation), labelled
            n, n_right = cells.get(key, (0, 0))
            cells[key] = n + 1, n_right + right
    return cells
