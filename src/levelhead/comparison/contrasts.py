"""The sentences in which systems gain and lose most compared with the first one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import field
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.outputs import Output, read_outputs
from levelhead.campaign.plan import Plan
from levelhead.comparison.gains import BASELINE_COLUMN, check_several
from levelhead.comparison.system_errors import (
    COVERAGE_LAYOUT,
    Coverages,
    TreeExamples,
    coverages_of,
    more_lines,
)
from levelhead.errors import MeasureError, number_of
from levelhead.evaluation.provenance import Provenance, comparison_provenance, sources_of
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.scoring import Counts, Matches, Measure
from levelhead.scoring.score import check_annotated, count_by_sentence
from levelhead.scoring.word_columns import correct_pairs
from levelhead.tables.data import MEASURE_COLUMN, NOT_A_COLUMN, SYSTEM_COLUMN, TREEBANK_COLUMN, Layout
from levelhead.tables.table import Column, Table
from levelhead.treebank import Treebank
from levelhead.treebank.tree_drawings import draw, draw_both, indented, title

_EQUAL = 1e-9  # sums of weights with a smaller difference are equal


class Contrast(NamedTuple):
    """One gold sentence on which two systems differ.

    Args:
        sentence: its index.
        gold: the number of gold words, or the sum of their weights.
        baseline_correct: the number of correct words of the baseline, or the sum of their weights.
        correct: the number of correct words of the system, or the sum of their weights.
        more_correct: `correct` minus `baseline_correct`.
    """

    sentence: Annotated[int, NOT_A_COLUMN]
    gold: float
    baseline_correct: float
    correct: float
    more_correct: float


class SentenceRow(NamedTuple):
    """A sentence.

    Args:
        sentence: its number in gold, from 1.
        sent_id: its `sent_id`; null without one.
    """

    sentence: int
    sent_id: str | None


@immutable
class Contrasts(TreeExamples):
    """Sentences in which systems gain or lose most.

    Args:
        measure: the measure.
        outputs: for each treebank and system: the outputs of the baseline and of the system, all gains, all losses.
        setup: the settings.
    """

    KIND: ClassVar[str] = "contrasts"
    _CHARTS_FIRST: ClassVar[bool] = True
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "sentences": (TREEBANK_COLUMN, SYSTEM_COLUMN, BASELINE_COLUMN, MEASURE_COLUMN, SentenceRow, Contrast),
        "coverage": COVERAGE_LAYOUT,
    }

    measure: Measure
    outputs: Sequence[tuple[str, Output, Output, Sequence[Contrast], Sequence[Contrast]]]
    provenance: Provenance
    setup: Setup
    coverage: Coverages = field(default_factory=dict)

    def _sentences_rows(self) -> Iterator[tuple[Any, ...]]:
        for code, baseline, system, gained, lost in self.outputs:
            for contrast in (*gained, *lost):
                row = SentenceRow(contrast.sentence + 1, baseline.matches.gold[contrast.sentence].id)
                yield code, system.name, baseline.name, str(self.measure), row, contrast

    def table(self) -> Table:
        """Return one row per sentence with a difference."""
        columns = (
            *(Column("Treebank", "text"), Column("System", "text")),
            *(Column("Sentence", "position"), Column("sent_id", "text")),
            *(Column(name, "number") for name in ("Baseline correct", "System correct", "Words")),
        )
        rows = (
            (code, system, *row, contrast.baseline_correct, contrast.correct, contrast.gold)
            for code, system, _, _, row, contrast in self._sentences_rows()
        )
        return self._table(columns, rows)

    def _drawn(self, limit: int | None) -> str:
        return "\n".join(
            f"{name}: {_drawn(baseline, system, gained, lost, self.setup, limit)}"
            for name, baseline, system, gained, lost in self.outputs
        )


def _drawn(
    baseline: Output,
    system: Output,
    gained: Sequence[Contrast],
    lost: Sequence[Contrast],
    setup: Setup,
    limit: int | None,
) -> str:
    """Draw the gold tree and both systems' trees of sentences on which they differ, with wrong words marked."""
    lines = []
    ((measure, definition),) = setup.defined
    right = {
        output.name: correct_pairs(output.matches, measure, definition, setup.registry.schemes) == 1
        for output in (baseline, system)
        if gained or lost
    }
    for heading, some in zip(contrast_titles(system.name, baseline.name), (gained, lost), strict=True):
        lines += [f"{heading}: {number_of(len(some), 'sentence') if some else 'none'}", ""]
        for contrast in some[:limit]:
            gold = baseline.matches.gold[contrast.sentence]
            lines.append(title(gold))
            drawn = []
            apart = False
            for output, correct in ((baseline, contrast.baseline_correct), (system, contrast.correct)):
                matches = output.matches
                numbers = matches.system.sentence_of_word[matches.row_of_system == contrast.sentence].tolist()
                analyses = [(matches.system[i], _wrong(output, "system", i, right)) for i in sorted(set(numbers))]
                both = draw_both(gold, analyses[0][0], output.name, analyses[0][1]) if len(analyses) == 1 else None
                if both is None:  # their words differ
                    apart = True
                    both = [line for sentence, marked in analyses for line in draw(sentence, marked)]
                drawn += [f"  {output.name}: {correct:g} of {contrast.gold:g} correct", *indented(both)]
            if apart:
                of_both = (_wrong(output, "gold", contrast.sentence, right) for output in (baseline, system))
                lines += ["  gold", *indented(draw(gold, around=set.union(*of_both)))]
            lines += [*drawn, ""]
        lines += more_lines(some, limit)
    return "\n".join(lines)


def contrast_titles(system: str, baseline: str) -> tuple[str, str]:
    """Return the titles of the sentences in which a system gains most, and in which it loses most."""
    return f"largest gains of {system} over {baseline}", f"largest losses of {system} against {baseline}"


def _wrong(
    output: Output, side: Literal["gold", "system"], sentence: int, right: Mapping[str, NDArray[np.bool_]]
) -> set[int]:
    treebank: Treebank = getattr(output.matches, side)
    first, last = treebank.sentence_starts[sentence : sentence + 2].tolist()
    correct = set(getattr(output.matches.alignment, side)[right[output.name]].tolist())
    return {word - first for word in range(first, last) if word not in correct}


def compare_sentences(plan: Plan, setup: Setup) -> Contrasts:
    """Return the sentences with the largest gains and losses of each system compared with the first."""
    check_several(plan)
    setup = setup.for_pair()
    pairs = []
    sources, coverage = {}, {}
    (measure,) = setup.measures
    with closing(read_outputs(plan, setup)) as outputs:
        for name, some in outputs:
            baseline, *others = some
            sources[name] = sources_of({output.name: (output.matches, output.summary) for output in some}, setup)
            if setup.partial:
                coverage[name] = coverages_of(some)
            pairs += [(name, baseline, other, *contrasts(baseline.matches, other.matches, setup)) for other in others]
    provenance = comparison_provenance(sources, setup, {"measure": str(measure), **setup.signature_of_measures()})
    return Contrasts(measure, pairs, provenance, setup, coverage)


def contrasts(baseline: Matches, system: Matches, setup: Setup) -> tuple[list[Contrast], list[Contrast]]:
    """Return the sentences in which a system gains, and those in which it loses, the largest differences first."""
    ((measure, definition),) = setup.defined
    if not definition.selects_words:
        raise MeasureError(f"{measure} does not count words, so it cannot select sentences", "unknown-measure")
    both = [_counts_by_sentence(matches, setup) for matches in (baseline, system)]
    change = both[1].correct - both[0].correct
    numbers = [counts.tolist() for counts in (both[0].gold, both[0].correct, both[1].correct, change)]
    every = [Contrast(i, *(column[i] for column in numbers)) for i in np.argsort(-change, kind="stable").tolist()]
    return (
        [contrast for contrast in every if change[contrast.sentence] > _EQUAL],
        [contrast for contrast in reversed(every) if change[contrast.sentence] < -_EQUAL],
    )


def _counts_by_sentence(matches: Matches, setup: Setup) -> Counts:
    """The counts of the only measure in every sentence."""
    ((measure, definition),) = setup.defined
    check_annotated(matches, measure, definition)
    how = {"schemes": setup.registry.schemes, "weights": setup.values_of(measure)}
    return count_by_sentence(matches, measure, definition, **how)


class WorseSentence(NamedTuple):
    """A sentence in which a system is worse than the first."""

    treebank: str
    system: str
    sentence: int  # from 1
    sent_id: str | None
    baseline: float  # the number of correct words (the mean of its runs), or the sum of their weights
    right: float  # the same for the system
    words: float
    text: str


def worst_sentences(treebank: str, outputs: Sequence[Output], *, setup: Setup) -> list[WorseSentence]:
    """Return the ten sentences in which each system loses most compared with the first; called by the engine."""
    counts: dict[str, list[Any]] = {}
    for output in outputs:
        counts.setdefault(output.system, []).append(_counts_by_sentence(output.matches, setup))
    correct = {name: np.mean([run.correct for run in runs], axis=0) for name, runs in counts.items()}
    baseline, *others = correct
    gold, words = outputs[0].matches.gold, counts[baseline][0].gold
    sentences = []
    for system in others:
        change = correct[system] - correct[baseline]
        for i in np.argsort(change, kind="stable")[:10].tolist():
            if change[i] < -_EQUAL:
                before, after, of_gold = (column[i].item() for column in (correct[baseline], correct[system], words))
                text = " ".join(gold[i].forms)
                sentences.append(WorseSentence(treebank, system, i + 1, gold[i].id, before, after, of_gold, text))
    return sentences
