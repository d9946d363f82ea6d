"""Agreement between annotations of the same text, on the words that they have in common; none counts as gold."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.campaign.plan import named_by_path
from levelhead.comparison.agreement_tables import Rows, agreement_document, agreement_table, agreement_text
from levelhead.evaluation.fold import score_matches
from levelhead.evaluation.pair import Evaluation, Input
from levelhead.evaluation.provenance import Provenance
from levelhead.evaluation.setup import Setup
from levelhead.measures.registry import STANDARD, parse_measure
from levelhead.scoring.matches import Matches, match
from levelhead.scoring.measure import Measure
from levelhead.scoring.measure_notes import annotation_of
from levelhead.scoring.rules import Rules
from levelhead.scoring.score import count_by_sentence
from levelhead.scoring.spans import Spans
from levelhead.significance.agreement import MISSING, Coefficients, Ratings, coefficients, interval_of
from levelhead.significance.estimates import Interval
from levelhead.significance.units import AUTO, Units, units_of
from levelhead.tables.table import Table
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank
from levelhead.treebank.contents import summary_of
from levelhead.treebank.provenance import joint_hash, short_hash
from levelhead.treebank.relations import universal
from levelhead.treebank.strings import StringColumn

__all__ = ["Agreement", "BeyondChance", "Disagreement", "LabelAgreement"]


Numbers = NDArray[np.int64]

HEADS = "heads"
NO_FEATURE = "-"


class AnnotatedWords(NamedTuple):
    """The words of a text in several annotations.

    Words that are aligned with each other, directly or through other annotations, are one word. If this joins several
    words of one annotation (only inside multiword tokens), the first counts.

    Args:
        treebanks: the annotations.
        rows: the word of each annotation, or `MISSING`, int64, shape (words, annotations), in the order of the text.
        numbers: the number of each word of each annotation among the rows, int64, shape (words of the annotation,).
    """

    treebanks: tuple[Treebank, ...]
    rows: Numbers
    numbers: tuple[Numbers, ...]

    @property
    def sentences(self) -> Numbers:
        """The sentence of the first annotation that contains each word, by its place in the text; int64."""
        first = self.rows[:, 0]
        of_word = np.append(self.treebanks[0].sentence_of_word, 0)
        last_known = np.maximum.accumulate(np.where(first == MISSING, -1, of_word[first]))
        result: Numbers = np.maximum(last_known, 0).astype(np.int64)
        return result


def match_pairs(treebanks: Sequence[Treebank], rules: Rules) -> dict[tuple[int, int], Matches]:
    """Return the aligned words of each pair of annotations, by their numbers."""
    numbers = combinations(range(len(treebanks)), 2)
    return {(i, j): match(treebanks[i], treebanks[j], rules) for i, j in numbers}


def common_words(treebanks: Sequence[Treebank], pairs: Mapping[tuple[int, int], Matches]) -> AnnotatedWords:
    """Return the words that annotations of a text have in common."""
    spans = [pairs[0, 1].gold_spans, *(pairs[0, j].system_spans for j in range(1, len(treebanks)))]
    starts = np.cumsum([0, *(treebank.n_words for treebank in treebanks)])
    groups = np.arange(starts[-1])
    links = [(pair.alignment.gold + starts[i], pair.alignment.system + starts[j]) for (i, j), pair in pairs.items()]
    before = np.zeros(0, dtype=np.int64)
    while not np.array_equal(before, groups):  # each word gets the number of the first of the words linked with it
        before = groups.copy()
        for first, second in links:
            least = np.minimum(groups[first], groups[second])
            np.minimum.at(groups, first, least)
            np.minimum.at(groups, second, least)
    return _in_text_order(tuple(treebanks), groups, starts, spans)


def _in_text_order(
    treebanks: tuple[Treebank, ...], groups: Numbers, starts: Numbers, spans: Sequence[Spans]
) -> AnnotatedWords:
    members, numbers = np.unique(groups, return_inverse=True)
    keys = (
        _number_forms(treebanks),
        np.concatenate([_places_in_tokens(span.starts) for span in spans]),
        np.concatenate([span.ends for span in spans]),
        np.concatenate([span.starts for span in spans]),
    )  # the last key is primary; the order of annotations has no influence
    order = np.lexsort([_least(key, numbers.reshape(-1), len(members)) for key in keys])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    numbers = rank[numbers.reshape(-1)]
    rows = np.full((len(members), len(treebanks)), MISSING, dtype=np.int64)
    each = [numbers[starts[i] : starts[i + 1]] for i in range(len(treebanks))]
    for i, of_annotation in enumerate(each):
        rows[of_annotation[::-1], i] = np.arange(len(of_annotation))[::-1]
    return AnnotatedWords(treebanks, rows, tuple(each))


def _least(key: Numbers, groups: Numbers, n_groups: int) -> Numbers:
    """Return the smallest value of each group."""
    least = np.full(n_groups, np.iinfo(np.int64).max)
    np.minimum.at(least, groups, key)
    return least


def _number_forms(treebanks: Sequence[Treebank]) -> Numbers:
    """Number the forms of all words in the order of their characters."""
    forms = sorted({form for treebank in treebanks for form in treebank.forms.distinct_texts})
    number = {form: i for i, form in enumerate(forms)}
    return np.array([number[form] for treebank in treebanks for form in treebank.forms], dtype=np.int64)


def _places_in_tokens(starts: Numbers) -> Numbers:
    """Return the place of each word in its token, from 0."""
    places = np.arange(len(starts))
    first = np.flatnonzero(np.diff(starts, prepend=-1))
    result: Numbers = places - np.repeat(first, np.diff(first, append=len(starts)))
    return result


class LabeledWords(NamedTuple):
    """The labels of one kind that annotators gave to words.

    Args:
        name: the kind of label: "heads", "relations", "UPOS", "XPOS", or the name of a feature.
        names: the label of each number.
        labels: the number of each label, or `MISSING` if an annotation lacks the word; int64, shape (words,
            annotations).
    """

    name: str
    names: Sequence[str]
    labels: Numbers


def labels_of(words: AnnotatedWords) -> Iterator[LabeledWords]:
    """Yield heads, relations, tags and each feature; columns that are empty in an annotation are left out.

    The label of a head is its distance from the word, in words of the text of all annotations.
    """
    yield _heads(words)
    yield _labeled(words, "relations", "relations", universal)
    for name in ("upos", "xpos"):
        if all(getattr(treebank, name).has_values for treebank in words.treebanks):
            yield _labeled(words, name.upper(), name, str)
    if all(treebank.feats.has_values for treebank in words.treebanks):
        yield from _features(words)


def _heads(words: AnnotatedWords) -> LabeledWords:
    root = len(words.rows)  # larger than any distance
    sides = [
        np.where(treebank.heads < 0, root, numbers[treebank.heads] - numbers)
        for treebank, numbers in zip(words.treebanks, words.numbers, strict=True)
    ]
    distances = np.unique(np.concatenate(sides))
    names = ["root" if distance == root else f"{distance:+d}" for distance in distances.tolist()]
    return LabeledWords(HEADS, names, _by_row(words, [np.searchsorted(distances, side) for side in sides]))


def _labeled(words: AnnotatedWords, name: str, column: str, value: Callable[[str], str]) -> LabeledWords:
    """Label each word with the value of its string in its treebank's column."""
    columns: list[StringColumn] = [getattr(treebank, column) for treebank in words.treebanks]
    names = sorted({value(text) for column in columns for text in column.distinct_texts})
    number = {label: i for i, label in enumerate(names)}
    sides = [column.mapped(lambda text: number[value(text)], np.int64) for column in columns]
    return LabeledWords(name, names, _by_row(words, sides))


def _features(words: AnnotatedWords) -> Iterator[LabeledWords]:
    texts = {text for treebank in words.treebanks for text in treebank.feats.distinct_texts}
    parsed = {text: dict(part.split("=", 1) for part in text.split("|") if "=" in part) for text in texts}
    for name in sorted({name for feats in parsed.values() for name in feats}):
        yield _labeled(words, name, "feats", partial(_feature, parsed, name))


def _feature(parsed: Mapping[str, Mapping[str, str]], name: str, text: str) -> str:
    return parsed[text].get(name, NO_FEATURE)


def _by_row(words: AnnotatedWords, sides: Sequence[Numbers]) -> Numbers:
    labels = np.full(words.rows.shape, MISSING, dtype=np.int64)
    for i, side in enumerate(sides):
        given = words.rows[:, i] != MISSING
        labels[given, i] = side[words.rows[given, i]]
    return labels


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
    with_first = [matches for (i, _), matches in matched.items() if i == 0]
    exact = [count_by_sentence(matches, parse_measure("LEM"), STANDARD.measures["LEM"]) for matches in with_first]
    differing = {sentence for counts in exact for sentence in np.flatnonzero(counts.correct == 0).tolist()}
    words = common_words([*treebanks.values()], matched)
    units = units_of(treebanks[names[0]], resample_by)
    labeled = list(labels_of(words))
    of_word = units.of_sentence[words.sentences]
    found = tuple(_agreement_on(kind, of_word, units.n_units, level) for kind in labeled)
    patterns = sorted(
        _disagreements(words, labeled, names), key=lambda found: (-found.n_words, found.name, found.first, found.second)
    )
    provenance = _provenance(
        treebanks, pairs, setup.rules.signature, {"resample-by": resample_by, "level": f"{level:g}"}
    )
    return Agreement(treebanks, pairs, found, tuple(patterns), tuple(sorted(differing)), units, level, provenance)


def _f1(matches: Matches) -> Evaluation:
    """Return the F1 of two annotations."""
    matches.check_trees()
    measures = tuple(parse_measure(name) for name in MEASURES if matches.rules.defines(name))
    evaluation = score_matches(matches, Setup(measures, matches.rules).for_pair())
    scores = {name: replace(score, reason=_missing(score.measure, matches)) for name, score in evaluation.items()}
    return replace(evaluation, scores=scores)


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


_Case = tuple[int, int, int, tuple[int, int]]
"""The numbers of two labels of one word, the word, and the annotators who gave them."""


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
        labels, others = compared.labels[:, i], compared.labels[:, j]
        rows = np.flatnonzero((labels != others) & (labels != MISSING) & (others != MISSING))
        for row, first, second in zip(rows.tolist(), *shown.labels[rows][:, [i, j]].T.tolist(), strict=True):
            if ordered or shown.names[first] <= shown.names[second]:
                yield first, second, row, (i, j)
            else:
                yield second, first, row, (j, i)


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
    rules: str,
    parts: Mapping[str, str],
) -> Provenance:
    hashes = {name: short_hash(summary_of(treebank).sha256) for name, treebank in treebanks.items()}
    every = [pair.provenance for pair in pairs.values()]
    notes = [note for provenance in every for note in provenance.notes]
    empty = [
        name
        for name in ("upos", "xpos", "feats")
        if not all(getattr(treebank, name).has_values for treebank in treebanks.values())
    ]
    if empty:
        notes.append(f"not annotated by all annotators: {', '.join(empty).upper()}")
    signature = {
        "rules": rules,
        "annotations": joint_hash(hashes.values()),
        "unicode": every[0].signature["unicode"],
        "lemmas": "all",
    }
    signature |= {**parts, "version": VERSION}
    warnings = tuple(dict.fromkeys(fault for provenance in every for fault in provenance.warnings))
    return Provenance(signature, {"annotations": hashes}, warnings, tuple(dict.fromkeys(notes)))
