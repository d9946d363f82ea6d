"""Agreement between annotations of the same text; none of them counts as gold."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.campaign.plan import named_by_path
from levelhead.comparison.agreement_tables import Rows, agreement_document, agreement_table, agreement_text
from levelhead.comparison.annotated_words import (
    HEADS,
    AnnotatedWords,
    LabeledWords,
    common_words,
    empty_columns,
    labels_of,
    match_pairs,
)
from levelhead.evaluation.pair import Evaluation, Input, score_matches
from levelhead.evaluation.provenance import Provenance
from levelhead.evaluation.setup import Setup
from levelhead.measures.registry import STANDARD, parse_measure
from levelhead.scoring.matches import Matches
from levelhead.scoring.measure import Measure
from levelhead.scoring.measure_notes import annotation_of
from levelhead.scoring.score import count_by_sentence
from levelhead.significance.agreement import MISSING, Coefficients, Ratings, coefficients, interval_of
from levelhead.significance.estimates import Interval
from levelhead.significance.units import AUTO, Units, units_of
from levelhead.tables.table import Table
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank
from levelhead.treebank.contents import contents_of
from levelhead.treebank.provenance import joint_hash, short_hash

__all__ = ["Agreement", "BeyondChance", "Disagreement", "LabelAgreement"]

MEASURES = ("Tokens", "Sentences", "Words", "UPOS", "UFeats", "Lemmas", "UAS", "LAS", "LAS(full)", "CLAS", "LEM")
"""The kinds of labels that are compared."""


class BeyondChance(NamedTuple):
    """A coefficient of agreement.

    Args:
        value: the coefficient: 1 is full agreement, 0 is chance agreement; None if undefined.
        interval: its confidence interval; None with too few units.
    """

    value: float | None
    interval: Interval | None


class LabelAgreement(NamedTuple):
    """The agreement of annotators on one kind of label.

    Args:
        name: "heads", "relations", "UPOS", "XPOS" or the name of a feature.
        words: the number of words that at least two annotators labeled.
        n_units: the number of units with a label other than the most frequent; with fewer than 10, coefficients have no
            interval.
        observed: the share of words on which two annotators agree, averaged over pairs of annotators.
        expected: the expected chance agreement.
        cohen: Cohen's kappa, averaged over pairs of annotators.
        fleiss: Fleiss' kappa.
        krippendorff: Krippendorff's alpha.
    """

    name: str
    words: int
    n_units: int
    observed: float
    expected: float
    cohen: BeyondChance
    fleiss: BeyondChance
    krippendorff: BeyondChance


class Disagreement(NamedTuple):
    """Words on which two annotators disagree in the same way.

    Args:
        name: the kind of label.
        first: the label of the first annotator; for heads, the tag of the head. With more than two annotators, the
            label that comes first in alphabetical order.
        second: the label of the other annotator.
        n_words: the number of words; each pair of annotators counts.
        share: the share of all disagreements on this kind of label, 0 to 1.
        pair: the annotators of the first case: of the first label, and of the second.
        sentence: the index of the first case's sentence in the first of all annotations.
        form: the word of the first case.
    """

    name: str
    first: str
    second: str
    n_words: int
    share: float
    pair: tuple[str, str]
    sentence: int
    form: str


@dataclass(frozen=True, repr=False)
class Agreement(Tabular):
    """The agreement between annotations.

    Args:
        treebanks: the annotations by name.
        pairs: the symmetric F1 of each measure, for each pair of annotators.
        labels: agreement beyond chance on each kind of label.
        disagreements: the words on which annotators disagree, by pattern, most frequent first.
        differing: the indices of sentences of the first annotation that differ in another in span, words, heads or
            universal relations.
        units: the independent units of intervals.
        level: the confidence level of the intervals.
        provenance: the provenance of the numbers.
    """

    treebanks: Mapping[str, Treebank]
    pairs: Mapping[tuple[str, str], Evaluation]
    labels: tuple[LabelAgreement, ...]
    disagreements: tuple[Disagreement, ...]
    differing: tuple[int, ...]
    units: Units
    level: float
    provenance: Provenance

    @property
    def annotators(self) -> tuple[str, ...]:
        """The names of the annotations."""
        return tuple(self.treebanks)

    @property
    def f1(self) -> dict[str, float | None]:
        """The F1 of each measure, 0 to 1, averaged over pairs; None if a pair has no value."""
        found: dict[str, float | None] = {}
        for name in next(iter(self.pairs.values())):
            values = [evaluation[name].value for evaluation in self.pairs.values()]
            found[name] = None if None in values else math.fsum(filter(None, values)) / len(values)
        return found

    @property
    def reasons(self) -> dict[str, str]:
        """Why measures have no value."""
        every = [(name, score.reason) for pair in self.pairs.values() for name, score in pair.items()]
        return {name: reason for name, reason in every if reason}

    def __getitem__(self, name: str) -> LabelAgreement:
        """Return the agreement on one kind of label."""
        return {label.name: label for label in self.labels}[name]

    def table(self, *, by: Rows = "label", most: int | None = None) -> Table:
        """Return the result as a table.

        Args:
            by: what each row is.
            most: the largest number of rows.
        """
        return agreement_table(self, by, most)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return agreement_document(self)

    def __str__(self) -> str:
        return agreement_text(self).rstrip("\n")


def named(annotations: Sequence[Input]) -> list[str]:
    """Return a name for each annotation: the part in which their paths differ, or its number."""
    given = [
        annotation.source.path if isinstance(annotation, Treebank) else os.fspath(annotation)
        for annotation in annotations
    ]
    by_path = [
        path is not None and path != "-" and (not isinstance(one, Treebank) or given.count(path) == 1)
        for one, path in zip(annotations, given, strict=True)
    ]
    paths = [path for path, used in zip(given, by_path, strict=True) if used and path is not None]
    names = iter(named_by_path(paths) if len(paths) > 1 else [Path(path).name for path in paths])
    return [next(names) if used else f"annotation {number}" for number, used in enumerate(by_path, 1)]


def agreement(
    treebanks: Mapping[str, Treebank], setup: Setup, *, resample_by: str = AUTO, level: float = 0.95
) -> Agreement:
    """Return the agreement between annotations; their order does not affect the numbers.

    A missing lemma counts like any other value, and a column that an annotation lacks has no score, whatever the rules
    require of gold. One case is not symmetric: if multiword tokens are split into different words, the words are
    aligned by a longest common subsequence, and ties are broken from the side of the first annotation.
    """
    rules = replace(setup.rules, missing_lemma_counts=False, unannotated=True)
    rules.check_words()
    names = list(treebanks)
    matched = match_pairs([*treebanks.values()], rules)
    pairs = {(names[i], names[j]): _f1(matches) for (i, j), matches in matched.items()}
    differing = {sentence for (i, _), matches in matched.items() if i == 0 for sentence in _differing(matches)}
    words = common_words([*treebanks.values()], matched)
    units = units_of(treebanks[names[0]], resample_by)
    labeled = list(labels_of(words))
    of_word = units.of_sentence[words.sentences]
    found = tuple(_agreement_on(kind, of_word, units.n_units, level) for kind in labeled)
    patterns = tuple(sorted(_disagreements(words, labeled, names), key=_order))
    provenance = _provenance(
        treebanks, pairs, words, setup.rules.signature, {"resample-by": resample_by, "level": f"{level:g}"}
    )
    return Agreement(treebanks, pairs, found, patterns, tuple(sorted(differing)), units, level, provenance)


def _f1(matches: Matches) -> Evaluation:
    """Return the F1 of two annotations."""
    matches.check_trees()
    measures = tuple(parse_measure(name) for name in MEASURES if matches.rules.defines(name))
    evaluation = score_matches(matches, Setup(measures, matches.rules).single())
    scores = {name: replace(score, reason=_missing(score.measure, matches)) for name, score in evaluation.items()}
    return replace(evaluation, scores=scores)


def _differing(matches: Matches) -> list[int]:
    """Return the sentences of the first annotation in which the second differs."""
    exact = count_by_sentence(matches, parse_measure("LEM"), STANDARD.measures["LEM"])
    return np.flatnonzero(exact.correct == 0).tolist()


def _missing(measure: Measure, matches: Matches) -> str | None:
    """Return notes on columns that are annotated on only one side, or on neither."""
    chosen = [(measure, STANDARD.measures[measure.name])]
    columns = (annotation_of(side, chosen).columns for side in (matches.gold, matches.system))
    absent = chosen[0][1].absent(measure.argument, frozenset.intersection(*columns))
    return f"not annotated on both sides: {', '.join(absent)}" if absent else None


def _agreement_on(labeled: LabeledWords, units: NDArray[np.int64], n_units: int, level: float) -> LabelAgreement:
    beyond_chance: Coefficients = coefficients(Ratings(labeled.labels, units, n_units))
    each = (
        BeyondChance(None if math.isnan(estimate.value) else estimate.value, interval_of(estimate, level))
        for estimate in (beyond_chance.cohen, beyond_chance.fleiss, beyond_chance.krippendorff)
    )
    return LabelAgreement(
        labeled.name,
        beyond_chance.words,
        beyond_chance.cohen.n_units,
        beyond_chance.observed,
        beyond_chance.expected,
        *each,
    )


def _order(disagreement: Disagreement) -> tuple[int, str, str, str]:
    return -disagreement.n_words, disagreement.name, disagreement.first, disagreement.second


class _Case(NamedTuple):
    """Two labels of one word.

    Args:
        first: the number of one label.
        second: the number of the other label.
        row: the word.
        pair: the annotators who gave them.
    """

    first: int
    second: int
    row: int
    pair: tuple[int, int]


def _disagreements(
    words: AnnotatedWords, labeled: Sequence[LabeledWords], names: Sequence[str]
) -> Iterator[Disagreement]:
    """Group the words on which two annotators disagree by their labels; with more than two annotators, in any order."""
    for kind in labeled:
        shown = _tags_of_heads(words) if kind.name == HEADS else kind
        cases: dict[tuple[int, int], list[_Case]] = {}
        for case in _cases(kind, shown, ordered=len(names) == 2):
            cases.setdefault(case[:2], []).append(case)
        total = sum(map(len, cases.values()))
        for (first, second), some in cases.items():
            (_, _, row, pair), count = some[0], len(some)
            form = words.treebanks[pair[0]].forms[int(words.rows[row, pair[0]])]
            annotators = names[pair[0]], names[pair[1]]
            labels = shown.names[first], shown.names[second]
            yield Disagreement(kind.name, *labels, count, count / total, annotators, int(words.sentences[row]), form)


def _cases(compared: LabeledWords, shown: LabeledWords, *, ordered: bool) -> Iterator[_Case]:
    """Yield the words on which two annotators disagree, with their labels in the order of annotators or of names."""
    for i, j in combinations(range(compared.labels.shape[1]), 2):
        one, other = compared.labels[:, i], compared.labels[:, j]
        rows = np.flatnonzero((one != other) & (one != MISSING) & (other != MISSING))
        for row, first, second in zip(rows.tolist(), *shown.labels[rows][:, [i, j]].T.tolist(), strict=True):
            if ordered or shown.names[first] <= shown.names[second]:
                yield _Case(first, second, row, (i, j))
            else:
                yield _Case(second, first, row, (j, i))


def _tags_of_heads(words: AnnotatedWords) -> LabeledWords:
    """The tag of the head of each word, which is more informative than its distance."""
    names: dict[str, int] = {"root": 0}
    labels = np.full(words.rows.shape, MISSING, dtype=np.int64)
    for i, treebank in enumerate(words.treebanks):
        tags = [names.setdefault(tag, len(names)) for tag in treebank.upos]
        given = words.rows[:, i] != MISSING
        heads = treebank.heads[words.rows[given, i]]
        labels[given, i] = np.where(heads < 0, 0, np.array(tags)[heads])
    return LabeledWords(HEADS, list(names), labels)


def _provenance(
    treebanks: Mapping[str, Treebank],
    pairs: Mapping[tuple[str, str], Evaluation],
    words: AnnotatedWords,
    rules: str,
    parts: Mapping[str, str],
) -> Provenance:
    hashes = {name: short_hash(contents_of(treebank).sha256) for name, treebank in treebanks.items()}
    every = [pair.provenance for pair in pairs.values()]
    notes = [note for provenance in every for note in provenance.notes]
    if empty := empty_columns(words):
        notes.append(f"not annotated by all annotators: {', '.join(empty)}")
    signature = {
        "rules": rules,
        "annotations": joint_hash(hashes.values()),
        "unicode": every[0].signature["unicode"],
        "lemmas": "all",
    }
    signature |= {**parts, "version": VERSION}
    warnings = tuple(dict.fromkeys(fault for provenance in every for fault in provenance.warnings))
    return Provenance(signature, {"annotations": hashes}, warnings, tuple(dict.fromkeys(notes)))
