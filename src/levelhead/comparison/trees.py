"""Sentences with their trees: those with an error, and those in which systems gain and lose most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.analysis.confusion import Example, cells_named, examples_of
from levelhead.campaign.outputs import Output
from levelhead.campaign.plan import Plan
from levelhead.comparison.system_errors import (
    BASELINE_COLUMN,
    COVERAGE_LAYOUT,
    Coverages,
    check_several,
    for_each_output,
    for_each_treebank,
    notes_on_coverage,
)
from levelhead.errors import Fault, InputError, MeasureError, number_of, quoted
from levelhead.evaluation.provenance import comparison_provenance
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.scoring import Counts, Matches, Measure
from levelhead.scoring.score import check_annotated, count_by_sentence
from levelhead.scoring.word_columns import correct_pairs
from levelhead.tables.data import MEASURE_COLUMN, NOT_A_COLUMN, SYSTEM_COLUMN, TREEBANK_COLUMN, DataColumn, Layout
from levelhead.tables.table import FILE, Cell, Column, Screen, Table
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank
from levelhead.treebank.provenance import Provenance
from levelhead.treebank.tree_drawings import draw, draw_both, indented, title

_EQUAL = 1e-9  # sums of weights with a smaller difference are equal


_ERROR_EXAMPLE: Layout = (
    TREEBANK_COLUMN,
    DataColumn("error", "text", "The error, such as `nsubj:obj`: gold relation, system relation"),
    DataColumn("sentence", "integer", "The number of the sentence in gold, from 1", limits=(0,)),
    DataColumn("sent_id", "text", "Its `sent_id`; null without one", optional=True),
    DataColumn("word", "integer", "The number of the word in the sentence, from 1, as in CoNLL-U", limits=(0,)),
    DataColumn("form", "text", "The word"),
    DataColumn("system_sentence", "integer", "The number of the sentence in the system's output", limits=(0,)),
    DataColumn("system_word", "integer", "The number of the word in it", limits=(0,)),
    DataColumn("text", "text", "The text of the sentence in gold"),
)
_TREE_WORD: Layout = (
    TREEBANK_COLUMN,
    DataColumn("role", "text", "Whether the tree is that of gold or of the system", choices=("gold", "system")),
    DataColumn("sentence", "integer", "The number of the sentence, from 1", limits=(0,)),
    DataColumn("word", "integer", "The number of the word in the sentence, from 1, as in CoNLL-U", limits=(0,)),
    DataColumn("form", "text", "The word"),
    DataColumn("head", "integer", "The number of its head; 0 for a root", optional=True, limits=(0,)),
    DataColumn("deprel", "text", "Its relation"),
)


class TreeExamples(Tabular):
    """Trees of sentences that have errors, or in which systems differ most.

    Args:
        provenance: the settings and files behind the numbers.
        coverage: for partial scores, the share of gold that each system covers on each treebank; otherwise empty.
    """

    provenance: Provenance
    coverage: Coverages

    def text(self, limit: int | None = None, screen: Screen = FILE) -> str:
        """Return the trees as text, at most `limit` under each heading, with notes in the layout of `screen`."""
        from levelhead.tables.writers import notes_text

        return f"{self._drawn(limit)}\n{notes_text([self.table()], screen)}"

    def _drawn(self, limit: int | None) -> str:
        raise NotImplementedError

    def _text(self) -> str:
        return self.text()

    def _table(self, columns: tuple[Column, ...], rows: Iterable[tuple[Cell, ...]]) -> Table:
        return Table(columns, tuple(rows), tuple(notes_on_coverage(self.coverage))).signed(self.provenance)


@immutable
class ErrorExamples(TreeExamples):
    """Words with a wrong relation, in their sentences.

    Args:
        system: the name of the system.
        treebank: the name of the treebank.
        matches: the aligned words of gold and the output.
        cells: a mapping from each error to the words with this error. For example, `nsubj:obj` is the error of words
            whose gold relation is nsubj and whose predicted relation is obj.
    """

    KIND: ClassVar[str] = "examples"
    _CHARTS_FIRST: ClassVar[bool] = True
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "examples": _ERROR_EXAMPLE, "words": _TREE_WORD, "coverage": COVERAGE_LAYOUT,
    }  # fmt: skip

    system: str
    treebank: str
    matches: Matches
    cells: Mapping[str, Sequence[Example]]
    provenance: Provenance
    coverage: Coverages = field(default_factory=dict)

    def _examples_rows(self) -> Iterator[tuple[Any, ...]]:
        for error, at in ((error, example) for error, examples in self.cells.items() for example in examples):
            gold = self.matches.gold[at.gold_sentence]
            place = at.gold_sentence + 1, gold.id, at.gold_word + 1, gold.forms[at.gold_word]
            system = at.system_sentence + 1, at.system_word + 1
            yield self.treebank, error, *place, *system, gold.text

    def _words_rows(self) -> Iterator[tuple[Any, ...]]:
        listed = [example for examples in self.cells.values() for example in examples]
        sides = (
            ("gold", self.matches.gold, {example.gold_sentence for example in listed}),
            ("system", self.matches.system, {example.system_sentence for example in listed}),
        )
        for role, side, numbers in sides:
            for sentence in map(side.__getitem__, sorted(numbers)):
                columns = zip(sentence.forms, sentence.heads, sentence.relations, strict=True)
                for word, cells in enumerate(columns, 1):
                    yield self.treebank, role, sentence.index + 1, word, *cells

    def table(self) -> Table:
        """Return a table with a row for each error."""
        columns = (
            *(Column("Error", "text"), Column("Sentence", "position"), Column("sent_id", "text")),
            *(Column("Word", "position"), Column("Form", "text")),
        )
        return self._table(columns, (row[1:6] for row in self._examples_rows()))

    def _drawn(self, limit: int | None) -> str:
        lines = []
        for cell, examples in self.cells.items():
            lines += [f"{cell}: {number_of(len(examples), 'word')}", ""]
            for example in examples[:limit]:
                gold, system = self.matches.gold[example.gold_sentence], self.matches.system[example.system_sentence]
                both = draw_both(gold, system, "system", {example.gold_word})
                lines.append(title(gold))
                if both is None:
                    lines += ["  gold", *indented(draw(gold, {example.gold_word})), "  system"]
                    both = draw(system, {example.system_word})
                lines += [*indented(both), ""]
            lines += more_lines(examples, limit)
        return "\n".join(lines)


def more_lines(some: Sequence[object], limit: int | None) -> list[str]:
    """Return a line on how many were left out."""
    left_out = len(some[limit or len(some) :])
    return [f"... {left_out:,} more (--limit 0)", ""] if left_out else []


def find_examples(plan: Plan, errors: Sequence[str], setup: Setup) -> ErrorExamples:
    """Return words whose relation a system confuses with another."""
    if len(plan.test_sets) != 1:
        raise InputError(Fault("no-pairs", "examples of errors require a single pair of files, not folders"))
    read, provenance, coverage = for_each_output(plan, setup, lambda matches: matches)
    ((treebank, matches),) = read.items()
    cells = {}
    for error in errors:
        relations, *others = cells_named(matches, error)
        if others:
            readings = " or ".join(f"{gold} confused with {system}" for gold, system in (relations, *others))
            raise InputError(Fault("invalid-argument", f"{quoted(error)} is ambiguous: {readings}"))
        cells[error] = tuple(examples_of(matches, *relations))
    return ErrorExamples(plan.systems[0].label, treebank, matches, cells, provenance, coverage)


class Contrast(NamedTuple):
    """One gold sentence on which two systems differ.

    Args:
        sentence: the index of the sentence.
        gold: the number of gold words; for weighted measures, the sum of their weights.
        baseline_correct: the number or weight of words that the baseline gets right.
        correct: the number or weight of words that the system gets right.
        more_correct: `correct` minus `baseline_correct`.
    """

    sentence: Annotated[int, NOT_A_COLUMN]
    gold: float
    baseline_correct: float
    correct: float
    more_correct: float


_SENTENCE: Layout = (
    DataColumn("sentence", "integer", "Its number in gold, from 1", limits=(0,)),
    DataColumn("sent_id", "text", "Its `sent_id`; null without one", optional=True),
)


@immutable
class Contrasts(TreeExamples):
    """Sentences in which systems differ most from the baseline.

    Args:
        measure: the measure.
        outputs: for each treebank and system, five elements: the name of the treebank, the output of the baseline, the
            output of the system, the sentences in which the system gains, and those in which it loses.
        setup: the settings with which the outputs were scored.
    """

    KIND: ClassVar[str] = "contrasts"
    _CHARTS_FIRST: ClassVar[bool] = True
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "sentences": (TREEBANK_COLUMN, SYSTEM_COLUMN, BASELINE_COLUMN, MEASURE_COLUMN, *_SENTENCE, Contrast),
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
                place = contrast.sentence + 1, baseline.matches.gold[contrast.sentence].id
                yield code, system.name, baseline.name, str(self.measure), *place, contrast

    def table(self) -> Table:
        """Return a table with a row for each sentence."""
        columns = (
            *(Column("Treebank", "text"), Column("System", "text")),
            *(Column("Sentence", "position"), Column("sent_id", "text")),
            *(Column(name, "number") for name in ("Baseline correct", "System correct", "Words")),
        )
        rows = (
            (code, system, *place, contrast.baseline_correct, contrast.correct, contrast.gold)
            for code, system, _, _, *place, contrast in self._sentences_rows()
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
    (measure,) = setup.measures

    def compared(outputs: Sequence[Output]) -> list[tuple[Output, Output, Sequence[Contrast], Sequence[Contrast]]]:
        first, *others = outputs
        return [(first, other, *contrasts(first.matches, other.matches, setup)) for other in others]

    found, sources, coverage = for_each_treebank(plan, setup, compared)
    pairs = [(code, *pair) for code, pairs in found.items() for pair in pairs]
    provenance = comparison_provenance(sources, setup, {"measure": str(measure), **setup.signature_of_measures()})
    return Contrasts(measure, pairs, provenance, setup, coverage)


def contrasts(baseline: Matches, system: Matches, setup: Setup) -> tuple[list[Contrast], list[Contrast]]:
    """Return the sentences in which a system gains and the sentences in which it loses, largest differences first."""
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
