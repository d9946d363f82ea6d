"""Agreement between annotations of the same text, on the words that they have in common; none counts as gold."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.campaign.plan import named_by_path
from levelhead.comparison.annotators import HEADS, AnnotatedWords, LabeledWords, common_words, labels_of, match_pairs
from levelhead.errors import InputError, number_of, printable
from levelhead.evaluation.fold import fold, matched_stream
from levelhead.evaluation.pair import Evaluation, Input
from levelhead.evaluation.provenance import annotation_of, notes_on_reasons
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.measures.registry import STANDARD, parse_measure
from levelhead.scoring.matches import Matches
from levelhead.scoring.score import count_by_sentence
from levelhead.significance.agreement import MISSING, Ratings, coefficients, interval_of
from levelhead.significance.estimates import Interval
from levelhead.significance.units import (
    AUTO,
    FEWEST_UNITS,
    UNITS,
    Units,
    unit_line,
    unit_notes,
    unit_rows,
    units_of,
    units_signature,
)
from levelhead.tables.data import MEASURE_COLUMN, DataColumn, Layout, Percent
from levelhead.tables.table import Column, Detail, Table, interval_head
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank
from levelhead.treebank.provenance import Provenance, joint_hash, summary_of

Rows = Literal["label", "measure", "pattern"]  # the rows of a table

_MOST_LISTED = 20

MEASURES = ("Tokens", "Sentences", "Words", "UPOS", "UFeats", "Lemmas", "UAS", "LAS", "LAS(full)", "CLAS", "LEM")
"""The kinds of labels that are compared."""


class BeyondChance(NamedTuple):
    """A coefficient of agreement.

    Args:
        value: the coefficient, where 1 is full agreement and 0 is chance agreement; None if undefined.
        interval: the confidence interval of the coefficient; None with fewer than 10 sentences or documents that have a
            label other than the most frequent label.
    """

    value: float | None
    interval: Interval | None


class LabelAgreement(NamedTuple):
    """The agreement of annotators on one kind of label.

    Args:
        name: "heads", "relations", "UPOS", "XPOS" or the name of a feature.
        words: the number of words that at least two annotators labeled.
        n_units: the number of sentences or documents in which some word has a label other than the most frequent label
            of all annotations. Confidence intervals require at least 10.
        observed: the percentage of words on which two annotators agree, averaged over pairs of annotators.
        expected: the percentage expected by chance.
        cohen: Cohen's kappa, averaged over pairs of annotators.
        fleiss: Fleiss' kappa.
        krippendorff: Krippendorff's alpha.
    """

    name: str
    words: int
    n_units: int
    observed: Percent
    expected: Percent
    cohen: BeyondChance
    fleiss: BeyondChance
    krippendorff: BeyondChance


class Disagreement(NamedTuple):
    """Words on which two annotators disagree in the same way.

    Args:
        name: the kind of label.
        first: the first annotator's label (for heads, the tag of the head); with more than two annotators, the
            alphabetically first label.
        second: the other annotator's label.
        words: the number of words, summed over pairs of annotators.
        share: `words` / all disagreements on this kind of label.
        first_annotator: the annotator who chose `first` for the first of these words.
        second_annotator: the annotator who chose `second` for this word.
        sentence: the number of this word's sentence in the first annotation, from 1.
        sent_id: the sent_id of this sentence.
        form: the form of this word.
    """

    name: str
    first: str
    second: str
    words: int
    share: Percent
    first_annotator: str
    second_annotator: str
    sentence: int
    sent_id: str | None
    form: str


_F1 = DataColumn("f1", "number", "F1 score, averaged over pairs; null without a value", "percent", True, (), (0, 100))


@immutable
class Agreement(Tabular):
    """The agreement between annotations.

    Args:
        treebanks: a mapping from the name of each annotator to the annotated treebank.
        pairs: a mapping from each pair of annotators to the scores of the second against the first; F1 is symmetric.
        labels: the agreement on each kind of label, with and without correction for chance.
        disagreements: the pairs of different labels that annotators chose, the most frequent first.
        differing: the sentences that at least one annotation segments or annotates differently (span, words, heads,
            universal relations, empty nodes), as indices into the first annotation.
        units: the sampling units (sentences or documents) on which confidence intervals are based.
        level: the confidence level of the intervals.
        provenance: the settings and files behind the numbers.
    """

    KIND: ClassVar[str] = "agree"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "labels": (LabelAgreement,),
        "measures": (
            *(MEASURE_COLUMN, _F1),
            DataColumn("reason", "text", "Why the value is missing; null otherwise", optional=True),
        ),
        "pairs": (
            *(DataColumn("first", "text", "The first annotator"), DataColumn("second", "text", "The other annotator")),
            *(MEASURE_COLUMN, _F1._replace(about="F1 score, the same in both directions")),
        ),
        "patterns": (Disagreement,),
        "differing": (
            DataColumn("sentence", "integer", "The number of the sentence, from 1", limits=(0,)),
            DataColumn("sent_id", "text", "Its sent_id", optional=True),
        ),
        "units": UNITS,
    }

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
        """The names of the annotators."""
        return tuple(self.treebanks)

    @property
    def f1(self) -> dict[str, float | None]:
        """The mean F1 of each measure over all pairs of annotators; None if a pair has no F1 score."""
        return {
            name: None if None in values else math.fsum(filter(None, values)) / len(values)
            for name in next(iter(self.pairs.values()))
            for values in [[evaluation[name].value for evaluation in self.pairs.values()]]
        }

    @property
    def reasons(self) -> dict[str, str]:
        """A mapping from each measure without a value to the reason why it has none."""
        return {name: score.reason for pair in self.pairs.values() for name, score in pair.items() if score.reason}

    @property
    def verdict(self) -> str:
        """A sentence with the percentages of words on which the annotators agree in heads and in relations."""
        n = len(self.annotators)
        known = (label for label in self.labels[:2] if label.observed is not None)
        shares = [f"the {label.name} of {label.observed:.1f}%" for label in known]
        who = "The annotators" if n == 2 else f"On average, two of the {n} annotators"
        return f"{who} agree on {' and '.join(shares)} of words." if shares else "No word has been annotated by both."

    def __getitem__(self, name: str) -> LabelAgreement:
        """Return the agreement on one kind of label."""
        return {label.name: label for label in self.labels}[name]

    def table(self, *, by: Rows = "label") -> Table:
        """Return the table chosen with `by`: agreement on labels, F1 scores, or patterns of disagreement."""
        if by != "label":
            return self._measures_table() if by == "measure" else self._patterns_table()
        columns = [Column("Label", "text"), Column("Words", "number")]
        columns += (Column(name, "percent") for name in ("Observed", "Expected"))
        names = ("Cohen", "Fleiss", "Alpha") if len(self.annotators) > 2 else ("Cohen", "Alpha")
        columns += (Column(head, "coefficient") for name in names for head in (name, interval_head(self.level)))
        rows = []
        for label, words, _, observed, expected, cohen, fleiss, alpha in self.labels:
            estimates = (cohen, fleiss, alpha) if len(self.annotators) > 2 else (cohen, alpha)
            numbers = [
                cell for value, between in estimates for cell in (None if value is None else value + 0.0, between)
            ]
            rows.append((label, words, observed, expected, *numbers))
        units = {self.annotators[0]: self.units}
        too_few = self.units.own().n_units >= FEWEST_UNITS and any(
            label.krippendorff.value is not None and label.krippendorff.interval is None for label in self.labels
        )
        few = f"fewer than {FEWEST_UNITS} documents or sentences have a minority label"
        meaning = f"Observed and Cohen: means over {len(self.pairs)} pairs of annotators"
        meaning = meaning if len(self.annotators) > 2 else "Observed: share of common words with the same label"
        notes = (
            Detail(f"{meaning}; Expected: by chance"),
            Detail("Cohen, Fleiss: kappa; Alpha: Krippendorff's alpha; 1 is perfect agreement, 0 is chance level"),
            unit_line(units, "confidence intervals"),
            *unit_notes(units, "intervals", marked_by="the first file"),
            *([f"-: no interval, since {few}"] if too_few else []),
        )
        return Table(tuple(columns), tuple(rows), notes).signed(self.provenance)

    def _measures_table(self) -> Table:
        ids = [printable(sent_id or str(number)) for number, sent_id in self._differing_rows()]
        listed = ": " * bool(ids) + " ".join(ids[:_MOST_LISTED]) + (" ..." if len(ids) > _MOST_LISTED else "")
        n_differing = f"{len(ids):,} of {number_of(len(self._first), 'sentence')}"
        has_nodes = any(len(treebank.empty) for treebank in self.treebanks.values())
        kinds = "heads, universal relations or empty nodes" if has_nodes else "heads or universal relations"
        notes = (
            Detail(f"{n_differing} differ in span, {kinds}{listed}"),
            *notes_on_reasons(self.reasons),
        )
        columns = (Column("Measure", "text"), Column("F1", "percent"))
        table = Table(columns, tuple(self.f1.items()), notes, explained=frozenset(self.reasons))
        return table.signed(self.provenance)

    def _patterns_table(self) -> Table:
        names = self.annotators if len(self.annotators) == 2 else ("First", "Second")
        columns = (
            Column("Label", "text"), *(Column(name, "text") for name in names),
            Column("Words", "number"), Column("Share", "percent"), Column("Example", "text"),
        )  # fmt: skip
        rows = tuple(
            (*row[:5], printable(f"{row.form} ({row.sent_id or f'sentence {row.sentence}'})"))
            for row in self.disagreements
        )
        note = "Share: of all disagreements on this label; for heads, the tag of each annotator's head is shown"
        return Table(columns, rows, (Detail(note),)).signed(self.provenance)

    def text_tables(self) -> tuple[Table, ...]:
        """Return tables of F1 scores, of coefficients of agreement, and if annotators disagree, of disagreements."""
        return self._measures_table(), self.table(), *[self._patterns_table()] * bool(self.disagreements)

    def _measures_rows(self) -> Iterator[tuple[str, float | None, str | None]]:
        return ((measure, f1, self.reasons.get(measure)) for measure, f1 in self.f1.items())

    def _pairs_rows(self) -> Iterator[tuple[Any, ...]]:
        return ((*pair, name, score.value) for pair, scores in self.pairs.items() for name, score in scores.items())

    def _patterns_rows(self) -> tuple[Disagreement, ...]:
        return self.disagreements

    def _differing_rows(self) -> Iterator[tuple[int, str | None]]:
        return ((i + 1, self._first[i].id) for i in self.differing)

    def _units_rows(self) -> list[tuple[Any, ...]]:
        return unit_rows({self.annotators[0]: self.units})

    @property
    def _first(self) -> Treebank:
        return self.treebanks[self.annotators[0]]


def named(annotations: Sequence[Input]) -> list[str]:
    """Return a name for each annotation: the part in which their paths differ, or its number."""
    given = [side.source.path if isinstance(side, Treebank) else os.fspath(side) for side in annotations]
    paths = [
        None if path == "-" or (isinstance(side, Treebank) and given.count(path) > 1) else path
        for side, path in zip(annotations, given, strict=True)
    ]
    by_path = [path for path in paths if path is not None]
    names = iter(named_by_path(by_path) if len(by_path) > 1 else [Path(path).name for path in by_path])
    return [f"annotation {number}" if path is None else next(names) for number, path in enumerate(paths, 1)]


def agreement(
    treebanks: Mapping[str, Treebank],
    setup: Setup,
    *,
    resample_by: str = AUTO,
    level: float = 0.95,
    notes: Sequence[str] = (),
) -> Agreement:
    """Return the agreement between annotations of the same text.

    If multiword tokens have several equally good alignments, the first annotation decides.
    """
    # a missing lemma is a value like others, whatever the rules say of gold
    rules = replace(setup.rules, missing_lemma_counts=False, unannotated=True)
    rules.check_words()
    names = list(treebanks)
    matched = match_pairs([*treebanks.values()], rules)
    of_nodes = rules.of_empty_nodes if any(len(treebank.empty) for treebank in treebanks.values()) else ()
    pairs = {(names[i], names[j]): _f1(matches, of_nodes) for (i, j), matches in matched.items()}
    equal = [_equal_sentences(matches, of_nodes) for (i, _), matches in matched.items() if i == 0]
    differing = np.flatnonzero(~np.all(equal, axis=0)).tolist()
    words = common_words([*treebanks.values()], matched)
    units = units_of(treebanks[names[0]], resample_by)
    own = units.own()
    labels: list[LabelAgreement] = []
    patterns: list[Disagreement] = []
    for labeled in labels_of(words):
        found = coefficients(Ratings(labeled.labels, own.of_sentence[words.sentences], own.n_units))
        estimates = (
            BeyondChance(None if math.isnan(estimate.value) else estimate.value, interval_of(estimate, level))
            for estimate in (found.cohen, found.fleiss, found.krippendorff)
        )
        counts = found.words, found.cohen.n_units
        labels.append(LabelAgreement(labeled.name, *counts, 100 * found.observed, 100 * found.expected, *estimates))
        patterns += _disagreements(words, labeled, names)
    patterns.sort(key=lambda kind: (-kind.words, *kind[:3]))
    files = {name: summary_of(treebank).id for name, treebank in treebanks.items()}
    provenances = [pair.provenance for pair in pairs.values()]
    notes = [*notes, *(note for provenance in provenances for note in provenance.notes)]
    columns = {name: [getattr(side, name) for side in treebanks.values()] for name in ("upos", "xpos", "feats")}
    if empty := [name for name, sides in columns.items() if not all(side.has_values for side in sides)]:
        notes.append(f"not annotated by all annotators: {', '.join(empty).upper()}")
    signature = {"rules": setup.rules.signature, "annotations": joint_hash(files.values())}
    signature |= {"unicode": provenances[0].signature["unicode"], "lemmas": "all"}
    signature |= {"resample-by": units_signature({"": units}), "level": f"{level:g}", "version": VERSION}
    warnings = tuple(dict.fromkeys(fault for provenance in provenances for fault in provenance.warnings))
    provenance = Provenance(signature, {"annotations": files}, warnings, tuple(dict.fromkeys(notes)))
    return Agreement(treebanks, pairs, tuple(labels), tuple(patterns), tuple(differing), units, level, provenance)


def _equal_sentences(matches: Matches, of_nodes: Sequence[str]) -> NDArray[np.bool_]:
    equal: NDArray[np.bool_] = count_by_sentence(matches, parse_measure("LEM"), STANDARD.measures["LEM"]).correct > 0
    if of_nodes:
        with suppress(InputError):  # DEPS cannot be read
            nodes = count_by_sentence(matches, parse_measure("EmptyDEPWO"), STANDARD.measures["EmptyDEPWO"])
            equal &= (nodes.correct == nodes.gold) & (nodes.correct == nodes.system)
    return equal


def _f1(matches: Matches, of_nodes: Sequence[str]) -> Evaluation:
    """Return the scores of two annotations; columns that are not annotated on both sides have no value."""
    matches.check_trees()
    measures = tuple(parse_measure(name) for name in (*MEASURES, *of_nodes) if matches.rules.defines(name))
    evaluation = fold(matched_stream(matches), Setup(measures, matches.rules).for_pair())
    scores = {}
    for name, score in evaluation.items():
        measure = score.measure
        definition = STANDARD.measures[score.measure.name]
        annotated = (annotation_of(side, [(measure, definition)]).columns for side in (matches.gold, matches.system))
        absent = definition.absent(measure.argument, frozenset.intersection(*annotated))
        reason = f"not annotated on both sides: {', '.join(absent)}" if absent else score.reason
        scores[name] = replace(score, reason=reason)
    return replace(evaluation, scores=scores)


def _disagreements(words: AnnotatedWords, labeled: LabeledWords, names: Sequence[str]) -> Iterator[Disagreement]:
    """Group the words on which two annotators disagree by their labels."""
    shown = labeled
    if labeled.name == HEADS:  # the tag of the head is more informative than its distance
        tags: dict[str, int] = {"root": 0}
        sides = []
        for treebank in words.treebanks:
            tag_of_word = treebank.upos.mapped(lambda tag: tags.setdefault(tag, len(tags)), np.int64)
            sides.append(np.where(treebank.heads < 0, 0, tag_of_word[treebank.heads]))
        shown = LabeledWords(HEADS, list(tags), words.by_row(sides))
    cases: dict[tuple[str, str], list[tuple[int, int, int]]] = {}  # by labels: the word, and the two annotators
    for i, j in combinations(range(len(names)), 2):
        labels, others = labeled.labels[:, i], labeled.labels[:, j]
        rows = np.flatnonzero((labels != others) & (labels != MISSING) & (others != MISSING))
        for row, *numbers in zip(rows.tolist(), *shown.labels[rows][:, [i, j]].T.tolist(), strict=True):
            first, second = (shown.names[number] for number in numbers)
            if len(names) == 2 or first <= second:
                cases.setdefault((first, second), []).append((row, i, j))
            else:
                cases.setdefault((second, first), []).append((row, j, i))
    total = sum(map(len, cases.values()))
    for both, ((row, i, j), *more) in cases.items():
        count = 1 + len(more)
        form = words.treebanks[i].forms[int(words.rows[row, i])]
        place = int(words.sentences[row])
        sentence = place + 1, words.treebanks[0][place].id
        yield Disagreement(labeled.name, *both, count, 100 * count / total, names[i], names[j], *sentence, form)
