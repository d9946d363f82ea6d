"""The errors of one system on one or several treebanks: confusions, examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import field, replace
from typing import ClassVar, Generic, Literal, NamedTuple, TypeVar

from levelhead.analysis import Confusion
from levelhead.analysis.confusion import MOST_RELATIONS, OTHER, ConfusedWords, Example, cells_named, examples_of
from levelhead.campaign.outputs import Output, read_outputs
from levelhead.campaign.plan import Plan
from levelhead.comparison.evaluations import single_run
from levelhead.errors import Fault, InputError, listed, number_of, quoted
from levelhead.evaluation.provenance import Provenance, joint_provenance, notes_on_output, pair_provenance
from levelhead.evaluation.score_data import PartialCoverage
from levelhead.evaluation.score_tables import coverage_notes
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.scoring import Matches
from levelhead.scoring.measure_notes import annotation_of, notes_on_schemes
from levelhead.significance import (
    ENOUGH_UNITS,
    FEWEST_UNITS,
    InferenceSettings,
    Units,
    unit_line,
    unit_notes,
    units_of,
)
from levelhead.significance.jackknife import BucketEstimate, IntervalSettings
from levelhead.significance.units import UnitRow, parallel_groups, unit_rows, units_signature
from levelhead.tables.data import SYSTEM_COLUMN, TREEBANK_COLUMN, Layout, Value, columns_of
from levelhead.tables.table import FILE, Cell, Column, Detail, Screen, Table, interval_head
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank
from levelhead.treebank.provenance import summary_of
from levelhead.treebank.relations import Scheme
from levelhead.treebank.tree_drawings import draw, draw_both, indented, title

Found = TypeVar("Found")

UsedScheme = tuple[Scheme, str]  # a scheme of classes in addition to those of measures, and what uses it

Coverages = Mapping[str, Mapping[str, PartialCoverage]]  # by treebank and system
COVERAGE_LAYOUT: Layout = (TREEBANK_COLUMN, SYSTEM_COLUMN, PartialCoverage)


@immutable
class PerTreebank(Tabular, Generic[Found]):
    """Results for the output of one system on each treebank."""

    treebanks: Mapping[str, Found]  # the results, by the code of the treebank
    provenance: Provenance  # the provenance of the numbers
    # for partial scores, the share of gold that each system covers, by treebank and system
    coverage: Coverages = field(default_factory=dict)

    def _table(
        self, columns: Iterable[Column], rows: Callable[[Found], Iterable[tuple[Cell, ...]]], *notes: str
    ) -> Table:
        """Return the rows of all treebanks, which start with the treebank if there are several."""
        several = len(self.treebanks) > 1
        cells = [(*(name,) * several, *row) for name, result in self.treebanks.items() for row in rows(result)]
        heads = (*[Column("Treebank", "text")] * several, *columns)
        return Table(heads, tuple(cells), (*notes, *notes_on_coverage(self.coverage))).signed(self.provenance)


class Confusions(PerTreebank[Confusion]):
    """Confusions of relations on each treebank."""

    KIND: ClassVar[str] = "confusion"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "confusions": (TREEBANK_COLUMN, ConfusedWords), "coverage": COVERAGE_LAYOUT,
    }  # fmt: skip

    @property
    def verdict(self) -> str:
        """The most frequent confusion on all treebanks."""
        of_gold, confused = Counter[str](), Counter[tuple[str, str]]()
        for _, cell in self._confusions_rows():
            if cell.gold_relation is not None and cell.system_relation is not None:
                of_gold[cell.gold_relation] += cell.words
                if cell.gold_relation != cell.system_relation:
                    confused[cell.gold_relation, cell.system_relation] += cell.words
        if not confused:
            return "No aligned word has a wrong relation."
        (((gold, system), n),) = confused.most_common(1)
        share = f"{n / of_gold[gold]:.1%} of all {gold}"
        return f"The most frequent error: gold {gold} is {system} in the output, in {number_of(n, 'word')} ({share})."

    def _confusions_rows(self) -> Iterator[tuple[str, ConfusedWords]]:
        """Return the pairs of relations, with those that are equal or not aligned."""
        return ((code, cell) for code, confusion in self.treebanks.items() for cell in confusion.cells())

    def table(self) -> Table:
        """Return one row per pair of confused relations, the most frequent first, then relations of unaligned words."""
        columns = (
            *(Column("Gold", "text"), Column("System", "text"), Column("Words", "number")),
            *(Column("Head correct", "number"), Column("of gold", "percent")),
        )
        rest = f"{OTHER}: all but the {MOST_RELATIONS} most frequent relations; errors among them are not shown"
        notes = [rest] if any(OTHER in confusion.names for confusion in self.treebanks.values()) else []
        first = Detail("only errors are shown; of gold: share of the aligned words with this gold relation")

        def rows(confusion: Confusion) -> Iterator[tuple[Cell, ...]]:
            for gold, system, *numbers in confusion.cells():
                if gold != system:
                    yield gold or "not aligned", system or "not aligned", *numbers

        return self._table(columns, rows, first, *notes)


def coverages_of(outputs: Iterable[Output]) -> dict[str, PartialCoverage]:
    """Return the coverage of each system; empty unless scores are partial."""
    return {output.name: output.coverage for output in outputs if output.coverage is not None}


def notes_on_coverage(coverage: Coverages) -> list[str]:
    """Return what each system covers on all treebanks."""
    pairs = [pair for some in coverage.values() for pair in some.items()]
    several = len({system for system, _ in pairs}) > 1
    return coverage_notes((system if several else "", own) for system, own in pairs)


def for_each_output(
    plan: Plan, setup: Setup, function: Callable[[Matches], Found], scheme: UsedScheme | None = None
) -> tuple[dict[str, Found], Provenance, Coverages]:
    """Return the result of a function for the output on each treebank, by its code, the provenance and the coverage."""
    results, provenances, coverage = {}, {}, {}
    parts = setup.signature_of_measures() | ({"scheme": scheme[0].name} if scheme else {})
    with closing(read_outputs(single_run(plan), setup)) as outputs:
        for code, (output,) in outputs:
            results[code] = function(output.matches)
            if setup.partial:
                coverage[code] = coverages_of([output])
            gold, notes = output.matches.gold, notes_on_output(output.matches, setup)
            if scheme:
                sides = annotation_of(gold, ()), annotation_of(output.matches.system, (), partial=setup.partial)
                notes += notes_on_schemes(sides[0].relations, sides[1].relations, [(scheme[0], (scheme[1],))])
            provenances[code] = pair_provenance(summary_of(gold), output.summary, setup, notes, parts)
    return results, joint_provenance(provenances), coverage


class ErrorExample(NamedTuple):
    """A word with a wrong relation.

    Args:
        treebank: the treebank.
        error: the error, such as `nsubj:obj`: gold relation, system relation.
        sentence: the number of the sentence in gold, from 1.
        sent_id: its `sent_id`; null without one.
        word: the number of the word in the sentence, from 1, as in CoNLL-U.
        form: the word.
        system_sentence: the number of the sentence in the system's output.
        system_word: the number of the word in it.
        text: the text of the sentence in gold.
    """

    treebank: str
    error: str
    sentence: int
    sent_id: str | None
    word: int
    form: str
    system_sentence: int
    system_word: int
    text: str


class TreeWord(NamedTuple):
    """A word in a sentence of the examples.

    Args:
        treebank: the treebank.
        role: whether the tree is that of gold or of the system.
        sentence: the number of the sentence, from 1.
        word: the number of the word in the sentence, from 1, as in CoNLL-U.
        form: the word.
        head: the number of its head; 0 for a root.
        deprel: its relation.
    """

    treebank: str
    role: Literal["gold", "system"]
    sentence: int
    word: int
    form: str
    head: int | None
    deprel: str


class TreeExamples(Tabular):
    """Sentences whose trees are shown: those with an error, or those in which systems differ most.

    Args:
        provenance: the provenance of the numbers.
        coverage: for partial scores, the share of gold that each system covers, by treebank and system.
    """

    provenance: Provenance
    coverage: Coverages

    def text(self, limit: int | None = None, screen: Screen = FILE) -> str:
        """Return the trees as text, at most `limit` below each heading, with notes and the signature for a `screen`."""
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
    """Words with the wrong relation, with their sentences.

    Args:
        system: the name of the system.
        treebank: the name of the treebank.
        matches: the aligned words.
        cells: all words with each error, such as `nsubj:obj` (gold relation, system relation).
    """

    KIND: ClassVar[str] = "examples"
    _CHARTS_FIRST: ClassVar[bool] = True
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "examples": (ErrorExample,), "words": (TreeWord,), "coverage": COVERAGE_LAYOUT,
    }  # fmt: skip

    system: str
    treebank: str
    matches: Matches
    cells: Mapping[str, Sequence[Example]]
    provenance: Provenance
    coverage: Coverages = field(default_factory=dict)

    def _examples_rows(self) -> Iterator[ErrorExample]:
        for error, at in ((error, example) for error, examples in self.cells.items() for example in examples):
            gold = self.matches.gold[at.gold_sentence]
            place = at.gold_sentence + 1, gold.id, at.gold_word + 1, gold.forms[at.gold_word]
            system = at.system_sentence + 1, at.system_word + 1
            yield ErrorExample(self.treebank, error, *place, *system, gold.text)

    def _words_rows(self) -> Iterator[TreeWord]:
        listed = [example for examples in self.cells.values() for example in examples]
        sides: tuple[tuple[Literal["gold", "system"], Treebank, set[int]], ...] = (
            ("gold", self.matches.gold, {example.gold_sentence for example in listed}),
            ("system", self.matches.system, {example.system_sentence for example in listed}),
        )
        for role, side, numbers in sides:
            for number in sorted(numbers):
                sentence = side[number]
                columns = zip(sentence.forms, sentence.heads, sentence.relations, strict=True)
                for word, (form, head, deprel) in enumerate(columns, 1):
                    yield TreeWord(self.treebank, role, number + 1, word, form, head, deprel)

    def table(self) -> Table:
        """Return one row per example."""
        columns = (
            *(Column("Error", "text"), Column("Sentence", "position"), Column("sent_id", "text")),
            *(Column("Word", "position"), Column("Form", "text")),
        )
        rows = ((row.error, row.sentence, row.sent_id, row.word, row.form) for row in self._examples_rows())
        return self._table(columns, rows)

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


@immutable
class WithIntervals(PerTreebank[Found]):
    """Results with confidence intervals."""

    units: Mapping[str, Units] = field(default_factory=dict)  # the units of each treebank
    measure: str = ""

    def _units_rows(self) -> list[UnitRow]:
        return unit_rows(self.units)


ESTIMATE_COLUMNS = tuple(column._replace(optional=True) for column in columns_of(BucketEstimate))


def _of_points(prefix: str, lowest: float) -> Layout:
    interval = (
        column._replace(name=f"{prefix}_{column.name}", unit="points", limits=(lowest, 100))
        for column in ESTIMATE_COLUMNS[:2]
    )
    return *interval, *ESTIMATE_COLUMNS[2:]


DIFFERENCE_COLUMNS, GAIN_COLUMNS = _of_points("difference", -100), _of_points("gain", 0)


MARK = "?"
UNCERTAIN = f"{MARK}: uncertain: fewer than {ENOUGH_UNITS} documents or sentences, or very uneven ones"


def estimate_columns(
    level: str | float, estimates: Iterable[BucketEstimate], kind: Literal["percent", "points"] = "percent"
) -> tuple[Column, ...]:
    """Return the columns of `estimate_cells`; none if no row has an interval."""
    if all(estimate.interval is None for estimate in estimates):
        return ()
    return Column(interval_head(level), kind), Column("", "text")


def estimate_notes(estimates: Sequence[BucketEstimate], units: Mapping[str, Units]) -> list[str]:
    """Return notes on the intervals of rows: on what they are based, and whether some are uncertain."""
    if estimates and all(estimate.interval is None for estimate in estimates):
        return [f"no intervals, since each row is based on fewer than {FEWEST_UNITS} documents or sentences"]
    uncertain = [UNCERTAIN] if any(estimate.uncertain for estimate in estimates) else []
    return [*uncertain, *([unit_line(units, "confidence intervals")] if units else [])]


def estimate_cells(estimate: BucketEstimate | None) -> tuple[Cell, Cell]:
    """Return the interval, and a mark if it is uncertain."""
    if estimate is None:
        return None, ""
    return estimate.interval, MARK if estimate.uncertain else ""


def estimate_values(estimate: BucketEstimate | None) -> tuple[Value, ...]:
    """Return the values of `ESTIMATE_COLUMNS`, or of those of differences or gains."""
    if estimate is None:
        return (None,) * len(ESTIMATE_COLUMNS)
    return *(estimate.interval or (None, None)), estimate.n_units, estimate.uncertain


def with_intervals(
    plan: Plan,
    setup: Setup,
    function: Callable[[Matches, IntervalSettings], Found],
    tests: InferenceSettings,
    scheme: UsedScheme | None = None,
) -> tuple[dict[str, Found], Provenance, Coverages, dict[str, Units]]:
    """Return the result of a function for each output, the provenance, the coverage, and the units of each treebank."""
    every: list[Units] = []

    def with_units(matches: Matches) -> Found:
        every.append(units_of(matches.gold, tests.resample_by))
        return function(matches, IntervalSettings(every[-1], tests.level))

    results, provenance, coverage = for_each_output(plan, setup, with_units, scheme)
    units = dict(zip(results, every, strict=True))
    provenance = provenance.with_parts(level=f"{tests.level:g}", **{"resample-by": units_signature(units)})
    contents = {code: str(files["gold"]) for code, files in provenance.files.items()}
    declared = {test_set.code: test_set.parallel for test_set in plan.test_sets}
    notes = [*provenance.notes, *unit_notes(units, "intervals")]
    if groups := parallel_groups(units, contents, declared):
        notes.append(f"intervals of averages treat parallel test sets as independent: {listed([*groups])}")
    return results, replace(provenance, notes=tuple(notes)), coverage, units
