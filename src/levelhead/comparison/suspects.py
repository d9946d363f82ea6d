"""Words whose annotation is probably wrong: systems agree on another, or the same words are annotated differently."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.analysis.variation import Variation, variations
from levelhead.errors import printable
from levelhead.evaluation.provenance import Provenance, Sources
from levelhead.immutable import immutable
from levelhead.scoring.matches import Matches
from levelhead.tables.documents import header, signature_line
from levelhead.tables.table import Cell, Column, Plain, Table
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank
from levelhead.treebank.provenance import joint_hash, sources_document, summary_of
from levelhead.treebank.relations import universal
from levelhead.treebank.strings import StringColumn
from levelhead.treebank.tokens import Comments

__all__ = ["Suspect", "Suspects"]


Numbers = NDArray[np.int64]
Weights = NDArray[np.float64]
Flags = NDArray[np.bool_]

NONE = -1
"""The analysis of a word that a system lacks."""

_PRIOR = 5.0
"""The weight, in words, of a system's overall behavior relative to its behavior with a single label."""


class Ballot(NamedTuple):
    """The analyses of each gold word by gold and the systems.

    Args:
        gold: a number for gold's analysis, int64, shape (gold words,).
        systems: numbers for the analyses of the systems, `NONE` if a word is not aligned; int64, shape (systems, gold
            words).
        labels: the label of each analysis, for the weights; a number for gold, then for the systems; same shapes.
        rest: the rest of an analysis, the head, in the same form.
    """

    gold: Numbers
    systems: Numbers
    labels: tuple[Numbers, Numbers]
    rest: tuple[Numbers, Numbers]


class Vote(NamedTuple):
    """The analysis with the most evidence against gold.

    Args:
        word: the index of the gold word.
        analysis: the number of the other analysis.
        system: the first system with it.
        n_for: the number of systems with it.
        n_gold: the number of systems that agree with gold.
        weight: the log-odds of the other analysis against gold, assuming independent errors of systems.
    """

    word: int
    analysis: int
    system: int
    n_for: int
    n_gold: int
    weight: float


def attachments(outputs: Sequence[Matches]) -> Ballot:
    """Return the analyses of heads and universal relations by gold and systems."""
    gold, numbers_of = outputs[0].gold, _numbering(universal)
    relations = numbers_of(gold.relations)
    ours = gold.heads.astype(np.int64) + 1
    theirs, their_labels = [], []
    for matches in outputs:
        system, aligned = matches.system, matches.alignment
        rows = aligned.system
        heads = system.heads[rows].astype(np.int64)
        mapped = np.where(heads < 0, 0, matches.gold_of_system[heads].astype(np.int64) + 1)
        known = (heads < 0) | (mapped > 0)
        theirs.append(_spread(gold, aligned.gold[known], mapped[known]))
        their_labels.append(_spread(gold, aligned.gold[known], numbers_of(system.relations)[rows][known]))
    labels = np.array(their_labels)
    size, heads_of_systems = gold.n_words + 1, np.array(theirs)
    systems = np.where(labels == NONE, NONE, labels * size + heads_of_systems)
    return Ballot(relations * size + ours, systems, (relations, labels), (ours, heads_of_systems))


def tags(outputs: Sequence[Matches]) -> Ballot:
    """Return the analyses of parts of speech by gold and systems."""
    gold, numbers_of = outputs[0].gold, _numbering(str)
    ours = numbers_of(gold.upos)
    theirs = np.array(
        [
            _spread(gold, output.alignment.gold, numbers_of(output.system.upos)[output.alignment.system])
            for output in outputs
        ]
    )
    rest = np.zeros_like(ours), np.zeros_like(theirs)
    return Ballot(ours, theirs, (ours, theirs), rest)


def votes(ballot: Ballot, least: int) -> Iterator[Vote]:
    """Return the words on which systems agree on an analysis that differs from gold.

    The weight is a sum of log-likelihood ratios over systems: how much more probable the system's analysis is if the
    other analysis is correct than if gold is correct. A system that often confuses `obl` with `nmod` therefore has
    little weight when it does so again. The probabilities are estimated by comparison with gold, whose errors are too
    rare to matter. The errors of systems are assumed to be independent (Dawid and Skene 1979), so weights are only
    suitable for ranking.
    """
    given = ballot.systems != NONE
    right = given & (ballot.systems == ballot.gold)
    models = [_Confusions(ballot, i) for i in range(len(ballot.systems))]
    best = np.full(len(ballot.gold), -np.inf)
    chosen, n_for = np.zeros(len(ballot.gold), dtype=np.int64), np.zeros(len(ballot.gold), dtype=np.int64)
    for i in range(len(ballot.systems)):
        same = given & (ballot.systems == ballot.systems[i])
        count = same.sum(axis=0)
        words = np.flatnonzero(given[i] & ~right[i] & (count >= least))
        each = [model.weights(words, i, same[j], right[j]) for j, model in enumerate(models)]
        weight: Weights = np.sum(each, axis=0)
        better = weight > best[words]
        words = words[better]
        best[words], chosen[words], n_for[words] = weight[better], i, count[words]
    for word in np.flatnonzero(np.isfinite(best)).tolist():
        system = int(chosen[word])
        found = int(ballot.systems[system, word]), system, int(n_for[word]), int(right[:, word].sum())
        yield Vote(word, *found, float(best[word]))


class _Confusions:
    """The frequency of a system's labels for each gold label, with and without the correct rest of the analysis."""

    def __init__(self, ballot: Ballot, system: int) -> None:
        self._ballot = ballot
        gold, labels = ballot.labels[0], ballot.labels[1]
        given = ballot.systems[system] != NONE
        size = int(max(gold.max(initial=0), labels.max(initial=0))) + 1
        is_rest_right = ballot.rest[1][system] == ballot.rest[0]
        outcomes = 2 * labels[system] + is_rest_right
        counts = np.zeros((size, 2 * size))
        np.add.at(counts, (gold[given], outcomes[given]), 1.0)
        overall = counts.sum(axis=0) + 1
        self._log = np.log(counts + _PRIOR * overall / overall.sum()) - np.log(
            counts.sum(axis=1, keepdims=True) + _PRIOR
        )

    def weights(self, words: Numbers, other: int, agrees: Flags, with_gold: Flags) -> Weights:
        """Return the log-likelihood ratio of this system's analysis if another system, not gold, is correct."""
        ballot = self._ballot
        gold, label = ballot.labels[0][words], ballot.labels[1][other, words]
        same = (ballot.rest[1][other, words] == ballot.rest[0][words]).astype(np.int64)
        for_other = self._log[label, 2 * label + 1] - self._log[gold, 2 * label + same]
        for_gold = self._log[label, 2 * gold + same] - self._log[gold, 2 * gold + 1]
        weights: Weights = np.where(agrees[words], for_other, np.where(with_gold[words], for_gold, 0.0))
        return weights


def _numbering(value: Callable[[str], str]) -> Callable[[StringColumn], Numbers]:
    """Return a function that numbers the rows of columns of several treebanks by the part of a string that counts."""
    numbers: dict[str, int] = {}
    return lambda column: column.mapped(lambda text: numbers.setdefault(value(text), len(numbers)), np.int64)


def _spread(gold: Treebank, rows: NDArray[np.integer], values: Numbers) -> Numbers:
    spread = np.full(gold.n_words, NONE, dtype=np.int64)
    spread[rows] = values
    return spread


KINDS = ("head", "relation", "UPOS")
"""The kinds of suspects."""

_LEAST = 2
"""The number of systems that must agree, if there are enough systems."""

_GIVEN: Mapping[str, str] = MappingProxyType({})


class Suspect(NamedTuple):
    """A word whose annotation is probably wrong.

    Args:
        word: its index among all words.
        kind: "head" (the head, and perhaps the relation), "relation" or "UPOS".
        gold: its annotation: a relation with its head, or a tag.
        other: the annotation that is probably right.
        score: the evidence for the other annotation, as log-odds.
        n_for: the number of systems with the other annotation.
        n_gold: the number of systems that agree with gold.
        variation: the same words with another annotation elsewhere, or None.
    """

    word: int
    kind: str
    gold: str
    other: str
    score: float
    n_for: int
    n_gold: int
    variation: Variation | None


@immutable
class Suspects(Tabular):
    """Words whose annotation is probably wrong, the most suspicious first.

    Args:
        treebank: the annotation.
        systems: the names of the systems.
        suspects: the words.
        outputs: the outputs of the systems, matched with gold.
        provenance: the provenance of the result.
    """

    treebank: Treebank
    systems: tuple[str, ...]
    suspects: tuple[Suspect, ...]
    outputs: tuple[Matches, ...]
    provenance: Provenance

    def sentence_of(self, suspect: Suspect) -> int:
        """Return the index of a suspect's sentence."""
        return int(self.treebank.sentence_of_word[suspect.word])

    def to_treebank(self) -> Treebank:
        """Return the sentences of the suspects without duplicates, with a comment for each suspect.

        The comments are `# suspect = WORD KIND: ANNOTATION -> OTHER`, the most suspicious word first.
        """
        of_sentence: dict[int, list[str]] = {}
        for suspect in self.suspects:
            place = self._place(suspect.word)
            line = f"# suspect = {place['word']} {suspect.kind}: {suspect.gold} -> {suspect.other}\n"
            of_sentence.setdefault(place["sentence"] - 1, []).append(line)
        chosen = self.treebank.select(list(of_sentence))
        texts = [
            (comments + "".join(lines)).encode()
            for comments, lines in zip(chosen.comments, of_sentence.values(), strict=True)
        ]
        starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        return replace(chosen, comments=Comments(b"".join(texts), starts))

    def table(self) -> Table:
        """Return one row per suspect."""
        systems = ", ".join(self.systems) or "none"
        notes = (
            f"Systems: number with the other annotation : number with this one (of {systems})",
            "Elsewhere: same words in same context with the other annotation : with this one (first example)",
            signature_line(self.provenance.signature),
        )
        return Table(_COLUMNS, tuple(_row(self._document(suspect)) for suspect in self.suspects), notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return {
            **header("suspects", self.provenance.signature),
            "systems": list(self.systems),
            "suspects": [self._document(suspect) for suspect in self.suspects],
            **sources_document(self.provenance),
        }

    def _document(self, suspect: Suspect) -> dict[str, Any]:
        lines, place, elsewhere = self.treebank.source.lines, self._place(suspect.word), None
        if suspect.variation is not None:
            of_both = {"other": suspect.variation.n_other, "same": suspect.variation.n_own}
            elsewhere = of_both | self._place(suspect.variation.place)
        return {
            "sentence": place["sentence"],
            "sent_id": place["sent_id"],
            "line": int(lines[place["sentence"] - 1]) if len(lines) else None,
            "word": place["word"],
            "form": self.treebank.forms[suspect.word],
            "problem": suspect.kind,
            "annotation": suspect.gold,
            "probably": suspect.other,
            "score": suspect.score,
            "systems_against": suspect.n_for,
            "systems_in_favor": suspect.n_gold,
            "elsewhere": elsewhere,
        }

    def _place(self, word: int) -> dict[str, Any]:
        """The number of a word's sentence, its id, and the number of the word in it."""
        sentence = int(self.treebank.sentence_of_word[word])
        number = word - int(self.treebank.sentence_starts[sentence]) + 1
        return {"sentence": sentence + 1, "sent_id": self.treebank[sentence].id, "word": number}


def find_suspects(
    outputs: Mapping[str, Matches],
    gold: Treebank,
    most: int | None = None,
    *,
    training: Mapping[str, str] = _GIVEN,
) -> Suspects:
    """Return words whose annotation is probably wrong.

    The score is the sum of the log-odds of the systems' votes (see `votes`), of the form (how often it has the other
    label and this label elsewhere), and of variation: (n + 1/2) / (m + 1/2) if the same words in the same context have
    the other annotation n times and this annotation m times. Each word has one entry, its worst.
    """
    matches = list(outputs.values())
    found = _by_votes(matches) if matches else {}
    for variation in variations(gold):
        _add_variation(found, gold, variation)
    ranked = sorted(found.values(), key=lambda suspect: (-suspect.score, suspect.word, suspect.kind))
    best: dict[int, Suspect] = {}
    for suspect in ranked:
        best.setdefault(suspect.word, suspect)
    suspects = tuple(suspect for suspect in best.values() if suspect.score > 0)[:most]
    return Suspects(gold, tuple(outputs), suspects, tuple(matches), _provenance(gold, outputs, training))


_Found = dict[tuple[int, str], Suspect]


def _by_votes(outputs: Sequence[Matches]) -> _Found:
    found: _Found = {}
    least = min(_LEAST, len(outputs))
    gold = outputs[0].gold
    size = gold.n_words + 1
    relations = _OfForms(gold, [universal(relation) for relation in gold.relations])
    for vote in votes(attachments(outputs), least):
        system = outputs[vote.system].system
        label = universal(system.relations[_row_of(outputs[vote.system], vote.word)])
        head = vote.analysis % size - 1
        kind = "head" if head != gold.heads[vote.word] else "relation"
        ours = _attachment(gold, universal(gold.relations[vote.word]), int(gold.heads[vote.word]))
        texts = ours, _attachment(gold, label, head)
        score = vote.weight + relations.log_odds(vote.word, label)
        found[vote.word, "attachment"] = Suspect(vote.word, kind, *texts, score, vote.n_for, vote.n_gold, None)
    if gold.upos.has_values and all(output.system.upos.has_values for output in outputs):
        tags_of_forms = _OfForms(gold, gold.upos)
        for vote in votes(tags(outputs), least):
            tag = outputs[vote.system].system.upos[_row_of(outputs[vote.system], vote.word)]
            score = vote.weight + tags_of_forms.log_odds(vote.word, tag)
            texts = gold.upos[vote.word], tag
            found[vote.word, "UPOS"] = Suspect(vote.word, "UPOS", *texts, score, vote.n_for, vote.n_gold, None)
    return found


class _OfForms:
    """The frequency of each label for each form.

    Args:
        gold: the annotation.
        labels: the label of each word.
    """

    def __init__(self, gold: Treebank, labels: Sequence[str]) -> None:
        self._forms, self._labels = [form.lower() for form in gold.forms], list(labels)
        self._counts = Counter(zip(self._forms, self._labels, strict=True))

    def log_odds(self, word: int, other: str) -> float:
        """Return the log-odds of another label against a word's label for the same form elsewhere."""
        form, own = self._forms[word], self._labels[word]
        if other == own:
            return 0.0
        return math.log((self._counts[form, other] + 0.5) / (self._counts[form, own] - 0.5))


def _row_of(matches: Matches, word: int) -> int:
    """Return the system word that is aligned with a gold word."""
    place = int(np.searchsorted(matches.alignment.gold, word))
    return int(matches.alignment.system[place])


def _attachment(gold: Treebank, relation: str, head: int) -> str:
    return f"{relation} of {gold.forms[head]}" if head >= 0 else relation


def _add_variation(found: _Found, gold: Treebank, variation: Variation) -> None:
    """Return the suspects of systems with the evidence of variation added if both agree."""
    score = math.log((variation.n_other + 0.5) / (variation.n_own + 0.5))
    key = (variation.word, "UPOS" if variation.kind == "UPOS" else "attachment")
    known = found.get(key)
    if variation.kind == "UPOS":
        suspect = Suspect(variation.word, "UPOS", variation.own, variation.other, score, 0, 0, variation)
    else:
        ours = _attachment(gold, universal(gold.relations[variation.word]), int(gold.heads[variation.word]))
        other = _attachment(gold, universal(variation.other), variation.head) if variation.head >= 0 else f"not {ours}"
        kind = "relation" if variation.head == gold.heads[variation.word] else "head"
        suspect = Suspect(variation.word, kind, ours, other, score, 0, 0, variation)
    if known is None:
        found[key] = suspect
    elif known.variation is None and (known.other == suspect.other or suspect.other.startswith("not ")):
        found[key] = known._replace(score=known.score + score, variation=variation)


def _provenance(gold: Treebank, outputs: Mapping[str, Matches], training: Mapping[str, str]) -> Provenance:
    sources = Sources(summary_of(gold), {name: summary_of(output.system) for name, output in outputs.items()})
    systems = {"systems": joint_hash(sources.files[name] for name in outputs)} if outputs else {}
    rules = next(iter(outputs.values())).rules.signature if outputs else "ud"
    signature = {"rules": rules, "gold": sources.files["gold"], **systems, **training, "version": VERSION}
    return Provenance(signature, {"gold": sources.files}, sources.warnings)


_COLUMNS = (
    Column("Line", "position", tidy_only=True), Column("Sentence", "text"), Column("Word", "position"),
    Column("Form", "text"), Column("Kind", "text"), Column("Annotation", "text"), Column("Probably", "text"),
    Column("Score", "number"), Column("Systems", "text"), Column("Elsewhere", "text"),
)  # fmt: skip


def _row(document: Mapping[str, Any]) -> tuple[Cell, ...]:
    against, in_favor, elsewhere = (document[key] for key in ("systems_against", "systems_in_favor", "elsewhere"))
    return (
        *(document["line"], _name(document), document["word"], printable(document["form"]), document["problem"]),
        *(printable(document["annotation"]), printable(document["probably"]), Plain(document["score"])),
        f"{against} : {in_favor}" if against else "",
        f"{elsewhere['other']} : {elsewhere['same']} ({_name(elsewhere)})" if elsewhere else "",
    )


def _name(place: Mapping[str, Any]) -> str:
    return printable(place["sent_id"] or str(place["sentence"]))
