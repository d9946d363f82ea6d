"""Words whose annotation is probably wrong: systems agree on another, or the same words are annotated differently."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.errors import number_of, printable
from levelhead.evaluation.provenance import Sources
from levelhead.immutable import immutable
from levelhead.scoring.matches import Matches
from levelhead.tables.data import Layout
from levelhead.tables.table import Cell, Column, Detail, Table
from levelhead.tabular import Tabular
from levelhead.treebank import Comments, Treebank
from levelhead.treebank.provenance import Provenance, joint_hash, summary_of
from levelhead.treebank.relations import universal

Numbers = NDArray[np.int64]

LONGEST = 8  # the maximum span of a pair of words


class Variation(NamedTuple):
    """A word whose annotation is not the most frequent in its context."""

    word: int  # its index
    kind: str  # "UPOS" or "relation"
    own: str  # its annotation: a tag, a relation, or "no relation" to the other word of the pair
    other: str  # the most frequent other annotation
    head: int  # for relations, the index of the head in the other annotation; -1 for tags
    n_own: int  # the frequency of its annotation in this context
    n_other: int  # the frequency of the other annotation
    place: int  # the index of the first word with the other annotation in this context


def variations(treebank: Treebank) -> Iterator[Variation]:
    """Yield words whose tag or relation is at most as frequent as another in the same context."""
    # Tags: between the same neighbors (Dickinson and Meurers 2003), to which the ends of sentences belong; relations:
    # also with the same words between both (Boyd, Dickinson and Meurers 2008).
    text = _Text(treebank)
    upos = treebank.upos
    if upos.has_values:
        starts, groups = text.windows(3)
        middle = text.word[starts + 1]
        words, groups = middle[middle >= 0], groups[middle >= 0]
        for row, place, other, n_own, n_other in _minorities(groups, upos.codes[words].astype(np.int64)):
            word = int(words[row])
            yield Variation(word, "UPOS", upos[word], upos.strings[other], -1, n_own, n_other, int(words[place]))
    heads = treebank.heads.astype(np.int64)
    relations = treebank.relations
    for n_words in range(2, LONGEST + 1):
        starts, groups = text.windows(n_words + 2)
        one = text.word[starts + 1]
        last = text.word[starts + n_words]
        inside = (one >= 0) & (last >= 0)
        one, last, groups = one[inside], last[inside], groups[inside]
        labels = np.where(heads[one] == last, 2 * relations.codes[one].astype(np.int64), -1)
        labels = np.where(heads[last] == one, 2 * relations.codes[last].astype(np.int64) + 1, labels)
        for row, place, label, n_own, n_other in _minorities(groups, labels):
            own = int(labels[row])
            words, others = (last, one) if (label if label >= 0 else own) % 2 else (one, last)
            word = int(words[row])
            head = int(others[row]) if label >= 0 else -1
            there = int(words[place])
            names = ["no relation" if code < 0 else relations.strings[code // 2] for code in (own, label)]
            yield Variation(word, "relation", names[0], names[1], head, n_own, n_other, there)


class _Text:
    """The words of a treebank with the start and end of each sentence, as numbers."""

    def __init__(self, treebank: Treebank) -> None:
        place = np.arange(treebank.n_words) + 2 * treebank.sentence_of_word.astype(np.int64) + 1
        size = treebank.n_words + 2 * len(treebank)
        self.word = np.full(size, -1, dtype=np.int64)
        self.word[place] = np.arange(treebank.n_words)
        self.sentence = np.repeat(np.arange(len(treebank)), np.diff(treebank.sentence_starts) + 2)
        self.numbers = np.zeros(size, dtype=np.int64)  # 0 for the start of a sentence, 1 for its end
        self.numbers[np.append(np.flatnonzero(np.diff(self.sentence)), size - 1) if size else []] = 1
        number: dict[str, int] = {}
        self.numbers[place] = treebank.forms.mapped(
            lambda form: number.setdefault(form.lower(), 2 + len(number)), np.int64
        )

    def windows(self, size: int) -> tuple[Numbers, Numbers]:
        """Return the starts of repeated n-grams, and a number for each distinct n-gram."""
        starts = np.arange(max(0, len(self.numbers) - size + 1))
        starts = starts[self.sentence[starts] == self.sentence[starts + size - 1]]
        keys = np.zeros(len(starts), dtype=np.uint64)
        for offset in range(size):
            keys = keys * np.uint64(0x9E3779B97F4A7C15) + (self.numbers[starts + offset] + 1).astype(np.uint64)
            keys ^= keys >> np.uint64(29)
        _, groups, counts = np.unique(keys, return_inverse=True, return_counts=True)
        repeated = counts[groups] > 1
        return starts[repeated], groups[repeated]


def _minorities(groups: Numbers, labels: Numbers) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield rows with a minority label, the first row of the group with a majority label, it, and both frequencies."""
    shifted = labels + 1
    size = int(shifted.max(initial=0)) + 1
    pairs, places, counts = np.unique(groups * size + shifted, return_index=True, return_counts=True)
    own_group, own_label = pairs // size, pairs % size - 1
    order = np.lexsort((own_label, -counts, own_group))
    first = np.flatnonzero(np.diff(own_group[order], prepend=-1))
    best, n_labels = order[first], np.diff(np.append(first, len(order)))
    second = order[np.minimum(first + 1, len(order) - 1)]
    rank = np.searchsorted(own_group[best], groups)
    rows = np.flatnonzero(n_labels[rank] > 1)
    mine = np.searchsorted(pairs, groups[rows] * size + shifted[rows])
    other = np.where(best[rank[rows]] == mine, second[rank[rows]], best[rank[rows]])
    rarer = counts[other] >= counts[mine]
    for row, own, against in zip(rows[rarer].tolist(), mine[rarer].tolist(), other[rarer].tolist(), strict=True):
        yield row, int(places[against]), int(own_label[against]), int(counts[own]), int(counts[against])


NONE = -1  # the analysis of a word that a system lacks

_PRIOR = 5.0  # the weight, in words, of a system's overall behavior relative to its behavior with a single label


def ballot(outputs: Sequence[Matches], *, of_tags: bool) -> tuple[Sequence[str], Numbers, Numbers]:
    """Return the names of labels, and the label and head of each gold word by gold, then by the systems (or `NONE`)."""
    # Both have the shape (1 + systems, gold words); the root is 0, and the heads of tags are all 0.
    gold = outputs[0].gold
    numbers = dict[str, int]()
    labels, heads = np.full((2, 1 + len(outputs), gold.n_words), NONE, dtype=np.int64)
    labels[0], heads[0] = _numbered(gold, numbers, of_tags=of_tags), 0 if of_tags else gold.heads + 1
    for row, matches in enumerate(outputs, 1):
        words = matches.alignment.system
        of_system = np.full(len(words), -1) if of_tags else matches.system.heads[words]
        mapped = np.where(of_system < 0, 0, matches.gold_of_system[of_system].astype(np.int64) + 1)
        known = (of_system < 0) | (mapped > 0)
        gold_words = matches.alignment.gold[known]
        labels[row, gold_words] = _numbered(matches.system, numbers, of_tags=of_tags)[words][known]
        heads[row, gold_words] = mapped[known]
    return list(numbers), labels, heads


def _numbered(treebank: Treebank, numbers: dict[str, int], *, of_tags: bool) -> Numbers:
    column, value = (treebank.upos, str) if of_tags else (treebank.relations, universal)
    return column.mapped(lambda text: numbers.setdefault(value(text), len(numbers)), np.int64)


def votes(labels: Numbers, heads: Numbers, least: int) -> Iterator[tuple[int, int, int, int, float]]:
    """Yield words where systems agree against gold: (word, first such system, its votes, votes for gold, weight)."""
    # The weight sums log-likelihood ratios over systems, estimated by comparison with gold, whose errors are rare: one
    # that often confuses `obl` with `nmod` has little weight when it does so again. Errors are taken to be independent
    # (Dawid and Skene 1979), so weights are only good for ranking.
    given = labels != NONE
    given[0] = False
    head_right = (heads == heads[0]).astype(np.int64)
    right = given & (labels == labels[0]) & (heads == heads[0])
    size = int(labels.max(initial=0)) + 1
    logs = [_log_shares(labels[0], *system, size) for system in zip(labels[1:], head_right[1:], given[1:], strict=True)]
    best = np.full(labels.shape[1], -np.inf)
    chosen, n_for = np.zeros((2, labels.shape[1]), dtype=np.int64)
    for row in range(1, len(labels)):
        same = given & (labels == labels[row]) & (heads == heads[row])
        count = same.sum(axis=0)
        words = np.flatnonzero(given[row] & ~right[row] & (count >= least))
        gold = labels[0, words]
        label = labels[row, words]
        correct = head_right[row, words]
        ratios = [
            np.where(
                same[system, words],
                log[label, 2 * label + 1] - log[gold, 2 * label + correct],
                np.where(right[system, words], log[label, 2 * gold + correct] - log[gold, 2 * gold + 1], 0.0),
            )
            for system, log in enumerate(logs, 1)
        ]
        weight = np.sum(ratios, axis=0)
        better = weight > best[words]
        words = words[better]
        best[words], chosen[words], n_for[words] = weight[better], row, count[words]
    for word in np.flatnonzero(np.isfinite(best)).tolist():
        yield word, int(chosen[word]), int(n_for[word]), int(right[:, word].sum()), float(best[word])


def _log_shares(
    gold: Numbers, labels: Numbers, head_right: Numbers, given: NDArray[np.bool_], size: int
) -> NDArray[np.float64]:
    """The logs of the shares of a system's labels for each gold label, each with a wrong and a correct head."""
    counts = np.zeros((size, 2 * size))
    np.add.at(counts, (gold[given], (2 * labels + head_right)[given]), 1.0)
    overall = counts.sum(axis=0) + 1
    smoothed = counts + _PRIOR * overall / overall.sum()
    logs: NDArray[np.float64] = np.log(smoothed) - np.log(counts.sum(axis=1, keepdims=True) + _PRIOR)
    return logs


class Suspect(NamedTuple):
    """A word whose annotation is probably wrong.

    Args:
        word: the index of the word in the treebank.
        kind: which annotation is suspect: "head" (possibly with the relation), "relation" or "UPOS".
        gold: the gold annotation of the word (a relation with a head, or a UPOS tag).
        other: the annotation that is probably correct.
        score: the evidence for `other`, as log-odds.
        n_for: the number of systems that predict `other`.
        n_gold: the number of systems that agree with gold.
        variation: how often the same words in the same context have the gold annotation, and how often they have
            another annotation; None if no other annotation is as frequent,
            or if `other` is a different annotation.
    """

    word: int
    kind: str
    gold: str
    other: str
    score: float
    n_for: int
    n_gold: int
    variation: Variation | None


class SuspectRow(NamedTuple):
    """A word whose annotation is probably wrong.

    Args:
        sentence: the number of the sentence, from 1.
        sent_id: its sent_id.
        line: the line of the sentence's first word; null if the treebank was not read from a file.
        word: the number of the word in the sentence.
        form: its form.
        problem: what is suspect.
        annotation: the annotation in gold.
        probably: the more probable annotation.
        score: for ranking: the higher, the more suspect.
        systems_against: the number of systems with the more probable annotation.
        systems_in_favor: the number of systems that agree with gold.
        elsewhere_other: the number of times that these words have another annotation in this context.
        elsewhere_same: the number of times that they have the annotation of gold.
        elsewhere_sentence: the number of the first sentence with the other annotation.
        elsewhere_sent_id: its sent_id.
        elsewhere_word: the number of the word in that sentence.
    """

    sentence: int
    sent_id: str | None
    line: int | None
    word: int
    form: str
    problem: Literal["head", "relation", "UPOS"]
    annotation: str
    probably: str
    score: float
    systems_against: int
    systems_in_favor: int
    elsewhere_other: int | None
    elsewhere_same: int | None
    elsewhere_sentence: int | None
    elsewhere_sent_id: str | None
    elsewhere_word: int | None


@immutable
class Suspects(Tabular):
    """Words whose annotation is probably wrong, the most suspicious first.

    Args:
        treebank: the gold treebank.
        systems: the names of the systems.
        suspects: the suspect words, the most suspicious first.
        outputs: the output of each system, aligned with gold.
        provenance: the settings and files behind the result.
    """

    KIND: ClassVar[str] = "suspects"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {"suspects": (SuspectRow,)}

    treebank: Treebank
    systems: tuple[str, ...]
    suspects: tuple[Suspect, ...]
    outputs: tuple[Matches, ...]
    provenance: Provenance

    @property
    def verdict(self) -> str:
        """A text that says how many words are suspect, and why."""
        if not self.suspects:
            return "No word is suspect."
        n_systems = len(self.systems)
        against = sum(suspect.n_for == n_systems for suspect in self.suspects) if n_systems > 1 else 0
        elsewhere = sum(suspect.variation is not None for suspect in self.suspects)
        every = "both" if n_systems == 2 else f"all {n_systems}"
        evidence = [f"in {against:,}, {every} systems agree on another annotation"] * bool(against)
        evidence += [f"in {elsewhere:,}, the same words are annotated differently elsewhere"] * bool(elsewhere)
        n, are = len(self.suspects), "is" if len(self.suspects) == 1 else "are"
        start = f"{n:,} of {number_of(self.treebank.n_words, 'word')} {are} suspect"
        return f"{start}{': ' * bool(evidence)}{'; '.join(evidence)}. Check each of them before you change it."

    def sentence_of(self, suspect: Suspect) -> int:
        """Return the index of the sentence that contains a suspect word."""
        return int(self.treebank.sentence_of_word[suspect.word])

    def to_treebank(self) -> Treebank:
        """Return the sentences that contain suspect words, the most suspicious first.

        Each suspect word adds a comment to its sentence: `# suspect = WORD KIND: GOLD -> OTHER`. WORD is the number of
        the word in the sentence. KIND, GOLD and OTHER are the fields `kind`, `gold` and `other` of the `Suspect`.
        """
        of_sentence: dict[int, str] = {}
        for suspect in self.suspects:
            place = self._place(suspect.word)
            known = of_sentence.get(self.sentence_of(suspect), "")
            line = f"# suspect = {place['word']} {suspect.kind}: {suspect.gold} -> {suspect.other}\n"
            of_sentence[place["sentence"] - 1] = known + line
        chosen = self.treebank.select(list(of_sentence))
        texts = [
            (comments + lines).encode() for comments, lines in zip(chosen.comments, of_sentence.values(), strict=True)
        ]
        return replace(chosen, comments=Comments(b"".join(texts), np.cumsum([0, *map(len, texts)], dtype=np.int64)))

    def table(self) -> Table:
        """Return one row per suspect word."""

        def sentence(sent_id: str | None, number: int | None) -> str:
            return printable(sent_id or str(number))

        rows: list[tuple[Cell, ...]] = []
        for row in self._suspects_rows():
            votes_of_systems = f"{row.systems_against} : {row.systems_in_favor}" if row.systems_against else ""
            place = sentence(row.elsewhere_sent_id, row.elsewhere_sentence)
            same = f"{row.elsewhere_other} : {row.elsewhere_same} ({place})" if row.elsewhere_sentence else ""
            texts = map(printable, (row.form, row.problem, row.annotation, row.probably))
            own = (sentence(row.sent_id, row.sentence), row.word)
            rows.append((*own, *texts, row.score, votes_of_systems, same))
        meanings = {
            "Systems": f"number with the other annotation : with this one (of {', '.join(self.systems)})",
            "Elsewhere": (
                "how often the same words in the same context have the other annotation : this one (and an example)"
            ),
        }
        shown = [i for i, column in enumerate(_COLUMNS) if column.name not in meanings or any(row[i] for row in rows)]
        names = {_COLUMNS[i].name for i in shown}
        notes = tuple(Detail(f"{column}: {text}") for column, text in meanings.items() if column in names)
        return Table(_COLUMNS, tuple(rows), notes).of_columns(shown).signed(self.provenance)

    def _suspects_rows(self) -> Iterator[SuspectRow]:
        lines = self.treebank.source.lines
        for suspect in self.suspects:
            place, variation = self._place(suspect.word), suspect.variation
            elsewhere: tuple[Any, ...] = (None,) * 5
            if variation is not None:
                elsewhere = (variation.n_other, variation.n_own, *self._place(variation.place).values())
            line = int(lines[place["sentence"] - 1]) if len(lines) else None
            form = self.treebank.forms[suspect.word]
            own = (place["sentence"], place["sent_id"], line, place["word"], form)
            yield SuspectRow._make((*own, *suspect[1:7], *elsewhere))

    def _place(self, word: int) -> dict[str, Any]:
        """The number of a word's sentence, its id, and the number of the word in it."""
        sentence = int(self.treebank.sentence_of_word[word])
        first = int(self.treebank.sentence_starts[sentence])
        return {"sentence": sentence + 1, "sent_id": self.treebank[sentence].id, "word": word - first + 1}


def find_suspects(outputs: Mapping[str, Matches], gold: Treebank, training: Mapping[str, str]) -> Suspects:
    """Return the worst entry of each word: log-odds of votes, of labels of the form elsewhere, and of variation."""
    matches = list(outputs.values())
    suspects = _by_votes(matches) if matches else {}
    for variation in variations(gold):
        suspect = _by_variation(gold, variation)
        known = suspects.setdefault((suspect.word, suspect.kind == "UPOS"), suspect)
        # if both agree, the evidence of variation is added to that of the systems
        if known.variation is None and (known.other == suspect.other or suspect.other.startswith("not ")):
            both = known._replace(score=known.score + suspect.score, variation=variation)
            suspects[suspect.word, suspect.kind == "UPOS"] = both
    best: dict[int, Suspect] = {}
    for suspect in sorted(suspects.values(), key=lambda suspect: (-suspect.score, suspect.word, suspect.kind)):
        best.setdefault(suspect.word, suspect)
    listed = tuple(suspect for suspect in best.values() if suspect.score > 0)
    sources = Sources(summary_of(gold), {name: summary_of(output.system) for name, output in outputs.items()})
    signature = {
        "rules": matches[0].rules.signature if matches else "ud",
        "gold": str(sources.files["gold"]),
        **({"systems": joint_hash(sources.files[name] for name in outputs)} if outputs else {}),
        **training,
        "version": VERSION,
    }
    provenance = Provenance(signature, {"gold": sources.files}, sources.warnings)
    return Suspects(gold, tuple(outputs), listed, tuple(matches), provenance)


def _by_votes(outputs: Sequence[Matches]) -> dict[tuple[int, bool], Suspect]:
    gold = outputs[0].gold
    with_tags = gold.upos.has_values and all(output.system.upos.has_values for output in outputs)
    forms = [form.lower() for form in gold.forms]
    least = min(2, len(outputs))  # systems that must agree
    suspects = {}
    for of_tags in (False, True) if with_tags else (False,):
        names, labels, heads = ballot(outputs, of_tags=of_tags)
        n_with = Counter(zip(forms, labels[0].tolist(), strict=True))
        for word, row, n_for, n_gold, weight in votes(labels, heads, least):
            label, other = labels[[0, row], word].tolist()
            n_same, n_other = (n_with[forms[word], number] for number in (label, other))
            score = weight + (math.log((n_other + 0.5) / (n_same - 0.5)) if label != other else 0.0)
            own_head, other_head = (heads[[0, row], word] - 1).tolist()
            kind = "UPOS" if of_tags else "relation" if own_head == other_head else "head"
            texts = _attachment(gold, names[label], own_head), _attachment(gold, names[other], other_head)
            suspects[word, of_tags] = Suspect(word, kind, *texts, score, n_for, n_gold, None)
    return suspects


def _by_variation(gold: Treebank, variation: Variation) -> Suspect:
    word = variation.word
    head = int(gold.heads[variation.word])
    score = math.log((variation.n_other + 0.5) / (variation.n_own + 0.5))
    if variation.kind == "UPOS":
        return Suspect(word, "UPOS", variation.own, variation.other, score, 0, 0, variation)
    same = _attachment(gold, universal(gold.relations[word]), head)
    other = _attachment(gold, universal(variation.other), variation.head) if variation.head >= 0 else f"not {same}"
    return Suspect(word, "relation" if variation.head == head else "head", same, other, score, 0, 0, variation)


def _attachment(gold: Treebank, relation: str, head: int) -> str:
    return f"{relation} of {gold.forms[head]}" if head >= 0 else relation


_COLUMNS = (
    Column("Sentence", "text"), Column("Word", "position"),
    Column("Form", "text", rank=1), Column("Kind", "text", rank=2), Column("Annotation", "text"),
    Column("Probably", "text"), Column("Score", "number", rank=3), Column("Systems", "text", rank=4),
    Column("Elsewhere", "text", rank=4),
)  # fmt: skip
