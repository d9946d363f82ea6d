"""Scores as tables of data, with the share of gold that an output covers, which partial scores state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_args

from levelhead.errors import number_of
from levelhead.scoring import Score
from levelhead.scoring.form_alignment import PairedBy, other_text_note
from levelhead.scoring.measure import COMPONENTS
from levelhead.tables.data import MEASURE_COLUMN, TREEBANK_COLUMN, DataColumn, Field, Layout, Percent, share
from levelhead.tables.documents import path_text
from levelhead.treebank.provenance import FileSummary

if TYPE_CHECKING:
    from levelhead.evaluation.pair import Evaluation


class ScoreNumbers(NamedTuple):
    """A score with its ratios and counts; without an output, only the value.

    Args:
        value: the ratio that the measure names, by default F1; for perplexities, the perplexity.
        unit: the unit of the value.
        precision: 100 * correct / predicted.
        recall: 100 * correct / gold.
        f1: the harmonic mean of precision and recall.
        aligned_accuracy: 100 * correct / aligned; null for measures without alignment.
        correct: the number of correct items; a sum of weights for weighted measures, of logarithms for perplexities.
        gold: the number of items in gold.
        predicted: the number of items in the system's output.
        aligned: the number of aligned gold items; null for measures without alignment.
    """

    value: Annotated[float | None, Field("The ratio that the measure names, by default F1; or the perplexity", (0,))]
    unit: Literal["percent", "perplexity"]
    precision: Percent | None = None
    recall: Percent | None = None
    f1: Percent | None = None
    aligned_accuracy: Percent | None = None
    correct: float | None = None
    gold: float | None = None
    predicted: float | None = None
    aligned: float | None = None


def score_numbers(score: Score) -> ScoreNumbers:
    ratios = (score.percentage(component) for component in COMPONENTS)
    counts = score.correct, score.gold, score.system, score.aligned
    return ScoreNumbers._make((score.value, unit_of(score), *ratios, *counts))


class OtherValues(NamedTuple):
    """The value of a score on other data, its interval, and why it is missing.

    Args:
        value_of_valid_trees: for partial scores, the value if words of invalid trees count as wrong.
        value_on_new: with training treebanks, the value on sentences that share neither words nor heads with them.
        reason: why the value is missing; null otherwise.
        interval: with intervals, the confidence interval of the value.
    """

    value_of_valid_trees: Percent | None
    value_on_new: float | None
    reason: str | None
    interval: tuple[float, float] | None


class AverageRow(NamedTuple):
    """The macro-average of a measure over treebanks.

    Args:
        measure: the measure.
        value: the mean of the values on all treebanks; null if one is missing.
        unit: the unit of the value.
        value_of_valid_trees: for partial scores, the mean of `value_of_valid_trees`.
        value_on_new: with training treebanks, the mean of `value_on_new`.
        n_treebanks: the number of treebanks.
        reason: why the value is missing, and where; null otherwise.
        interval: with intervals, the confidence interval of the value.
    """

    measure: str
    value: float | None
    unit: Literal["percent", "perplexity"]
    value_of_valid_trees: Percent | None
    value_on_new: float | None
    n_treebanks: int
    reason: str | None
    interval: tuple[float, float] | None


class FileRow(NamedTuple):
    """A file that was read.

    Args:
        treebank: the treebank.
        role: whether it is gold or the output of the system.
        path: the path as given; null for a treebank in memory.
        sha256: the SHA-256 of the decompressed contents; null for a treebank in memory.
        sentences: the number of sentences.
        tokens: the number of surface tokens (a multiword token counts once).
        words: the number of syntactic words.
    """

    treebank: str
    role: Literal["gold", "system"]
    path: str | None
    sha256: str | None
    sentences: int
    tokens: int
    words: int


class PartialCoverage(NamedTuple):
    """The share of gold that a system's output covers.

    Args:
        paired_by: how gold and output sentences were paired: by "characters" if all texts agree, otherwise by
            "sent_id" or "text"; None for an unreadable output.
        answered: the number of gold sentences for which the output has a word with a HEAD.
        sentences: the number of gold sentences.
        valid_trees: the number of gold sentences with a valid tree in the output.
        aligned: the number of gold words that are aligned with a word of the output.
        with_head: the number of aligned words with a HEAD in the output.
        words: the number of gold words.
        extra: the number of output sentences without a gold sentence; these sentences do not count.
        unreadable: the number of unreadable lines of the output.
        forms_matched: the number of gold words that are aligned with a word of the same form.
        other_text: the number of output sentences whose text differs from gold: no word is aligned, and
            fewer than half of the forms are equal.
        fits_next: the number of `other_text` sentences that match the next gold sentence instead.
        fits_previous: the number of `other_text` sentences that match the previous gold sentence instead.
    """

    paired_by: PairedBy | None
    answered: int
    sentences: int
    valid_trees: int
    aligned: int
    with_head: int
    words: int
    extra: int
    unreadable: int
    forms_matched: int
    other_text: int
    fits_next: int
    fits_previous: int

    @property
    def other_text_note(self) -> str:
        """A sentence that describes the sentences in `other_text`; empty if there are none."""
        return other_text_note(self.other_text, self.fits_next, self.fits_previous) if self.other_text else ""

    def __str__(self) -> str:
        """Return the coverage in one line."""
        more = f"; {number_of(self.extra, 'sentence')} of the system without a gold sentence" if self.extra else ""
        lines = f"; {number_of(self.unreadable, 'unreadable line')}" if self.unreadable else ""
        other = f"; {self.other_text_note}" if self.other_text else ""
        words = number_of(self.words, "word")
        return (
            f"partial scores, not official: {self.answered:,} of {number_of(self.sentences, 'sentence')} answered,"
            f" {number_of(self.valid_trees, 'valid tree')}; {self.aligned:,} of {words} aligned,"
            f" {self.forms_matched:,} with the same form, {self.with_head:,} with a head{more}{lines}{other}"
        )


def no_coverage(gold: FileSummary) -> PartialCoverage:
    return PartialCoverage(None, 0, gold.sentences, 0, 0, 0, gold.words, 0, 0, 0, 0, 0, 0)


def total_coverage(coverages: Iterable[PartialCoverage]) -> PartialCoverage:
    paired_by, *numbers = zip(*coverages)
    loosest = next((way for way in reversed(get_args(PairedBy)) if way in paired_by), None)
    return PartialCoverage(loosest, *map(sum, numbers))


class LeakageRow(NamedTuple):
    """The gold sentences that occur in the training treebanks, by one definition.

    Args:
        sentences: the number of these sentences.
        share_of_sentences: `sentences` / all gold sentences.
        words: the number of words in these sentences.
        share_of_words: `words` / all gold words.
    """

    sentences: int
    share_of_sentences: Percent | None
    words: int
    share_of_words: Percent | None


_SAME = DataColumn(
    "same", "text", "What these sentences share with a training sentence; in new_scores, they are left out",
    choices=("words", "heads", "words or heads"),
)  # fmt: skip

LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "scores": (TREEBANK_COLUMN, MEASURE_COLUMN, ScoreNumbers, OtherValues),
        "averages": (AverageRow,),
        "files": (FileRow,),
        "coverage": (TREEBANK_COLUMN, PartialCoverage),
        "leakage": (TREEBANK_COLUMN, _SAME, LeakageRow),
        "new_scores": (TREEBANK_COLUMN, _SAME, MEASURE_COLUMN, ScoreNumbers),
    }
)
"""The tables of scores; averages only of several treebanks, coverage only of partial scores."""


def rows_of(name: str, evaluation: Evaluation) -> Iterator[Any]:
    """Yield the rows of a table of scores."""
    if name == "averages":
        yield from _average_rows(evaluation) if len(evaluation.parts) > 1 else ()
        return
    for code, one in evaluation.treebanks.items():
        yield from _ROWS[name](code, one)


def unit_of(score: Score) -> Literal["percent", "perplexity"]:
    return "perplexity" if score.perplexity else "percent"


def new_scores(evaluation: Evaluation) -> Mapping[str, Score]:
    """Return the scores on the sentences that share neither words nor heads with a training sentence."""
    return evaluation.leakage.occurring[-1].rest if evaluation.leakage else {}


def _score_rows(code: str, evaluation: Evaluation) -> Iterator[tuple[str, str, ScoreNumbers, OtherValues]]:
    return ((code, name, score_numbers(score), _other_values(evaluation, name)) for name, score in evaluation.items())


def _other_values(evaluation: Evaluation, name: str) -> OtherValues:
    strict, new = (
        some[name].value if name in some else None for some in (evaluation.valid_trees, new_scores(evaluation))
    )
    return OtherValues(strict, new, evaluation[name].reason, evaluation[name].interval)


def _average_rows(evaluation: Evaluation) -> Iterator[AverageRow]:
    for name, score in evaluation.items():
        strict, new, reason, interval = _other_values(evaluation, name)
        yield AverageRow(name, score.value, unit_of(score), strict, new, len(evaluation.parts), reason, interval)


def _file_rows(code: str, evaluation: Evaluation) -> Iterator[FileRow]:
    for role, file in (("gold", evaluation.gold), ("system", evaluation.system)):
        path = None if file.path is None else path_text(file.path)
        yield FileRow._make((code, role, path, file.sha256, file.sentences, file.tokens, file.words))


def _coverage_rows(code: str, evaluation: Evaluation) -> Iterator[tuple[str, PartialCoverage]]:
    if evaluation.coverage:
        yield code, evaluation.coverage


def _leakage_rows(code: str, evaluation: Evaluation) -> Iterator[tuple[str, str, LeakageRow]]:
    if leakage := evaluation.leakage:
        for seen in leakage.occurring:
            of_sentences, of_words = share(seen.sentences, leakage.sentences), share(seen.words, leakage.words)
            yield code, seen.same, LeakageRow(seen.sentences, of_sentences, seen.words, of_words)


def _new_score_rows(code: str, evaluation: Evaluation) -> Iterator[tuple[str, str, str, ScoreNumbers]]:
    for seen in evaluation.leakage.occurring if evaluation.leakage else ():
        yield from ((code, seen.same, name, score_numbers(score)) for name, score in seen.rest.items())


_ROWS: Mapping[str, Callable[[str, Evaluation], Iterator[Any]]] = MappingProxyType(
    {
        "scores": _score_rows, "files": _file_rows, "coverage": _coverage_rows, "leakage": _leakage_rows,
        "new_scores": _new_score_rows,
    }
)  # fmt: skip
