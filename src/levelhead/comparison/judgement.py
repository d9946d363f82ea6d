"""Agreement of measures with people who chose the better of two analyses of each sentence."""

from __future__ import annotations

import hashlib
import itertools
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.find import find_plan
from levelhead.campaign.plan import Plan
from levelhead.comparison.systems import score_outputs, sentence_counts, sources_of_results
from levelhead.correlation.human_agreement import (
    AgreementDifference,
    AgreementEstimate,
    HumanAgreement,
    Preferences,
    Ties,
    compare_agreement,
    human_agreement,
    preferences,
)
from levelhead.errors import Fault, InputError, Place, quoted
from levelhead.evaluation.pair import Input, load
from levelhead.evaluation.provenance import TREEBANK, Provenance, Sources, pair_provenance
from levelhead.evaluation.setup import Setup, setup_of
from levelhead.immutable import immutable
from levelhead.measures.registry import STANDARD, Registry
from levelhead.scoring.measure import Measure
from levelhead.scoring.rules import Rules
from levelhead.scoring.weights import Weights
from levelhead.significance import InferenceSettings, SystemCounts, Units, holm, seeded, unit_line, unit_notes
from levelhead.significance.jackknife import ratios
from levelhead.significance.units import AUTO
from levelhead.tables.documents import header, notes_of, signature_line
from levelhead.tables.table import Cell, Column, Table, formatted, p_text
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.provenance import FileSummary, contents_hash, short_hash, summary_of

if TYPE_CHECKING:
    from levelhead.treebank.reader import Format

__all__ = ["Choices", "ComparedMeasures", "Judged", "Judgement"]

Scores = NDArray[np.float64]

WORDS = (("blue", "red"), ("1", "2"), ("first", "second"), ("a", "b"))
"""The names of the first and the second system in votes; case is ignored."""

_GOLD = "gold"
_SYSTEMS = ("the first system", "the second system")


class Choices(NamedTuple):
    """The choices of people.

    Args:
        second: the share of votes for the second system in each sentence, float64, shape (sentences,).
        votes: the number of votes of each sentence, int64, shape (sentences,).
        sha256: the hash of the file; None without a file.
    """

    second: Scores
    votes: NDArray[np.int64]
    sha256: str | None = None


class Judged(NamedTuple):
    """The agreement of a measure with people.

    Args:
        scores: the scores of the first and the second system in each sentence, NaN if undefined; higher is better
            (perplexities are converted to their negative base-10 logarithm).
        agreement: the agreement.
    """

    scores: tuple[Scores, Scores]
    agreement: HumanAgreement


class ComparedMeasures(NamedTuple):
    """A comparison of two measures in their agreement with people.

    Args:
        one: a measure.
        other: another measure.
        comparison: the difference of their correlations with the choices.
        p_holm: its p-value, corrected for all pairs of measures by Holm's method.
    """

    one: str
    other: str
    comparison: AgreementDifference
    p_holm: float | None


@immutable
class Judgement(Tabular):
    """The agreement of measures with people.

    Args:
        choices: the choices of people.
        measures: the result of each measure, by its text.
        comparisons: the comparison of every pair of measures.
        provenance: the provenance of the numbers.
        units: the independent units.
    """

    choices: Choices
    measures: Mapping[str, Judged]
    comparisons: tuple[ComparedMeasures, ...]
    provenance: Provenance
    units: Units

    _PLACES = 3

    def table(self, *, places: int | None = 3) -> Table:
        """Return four rows per measure, one for each statistic, with comparisons of measures as notes.

        Args:
            places: digits after the point in notes.
        """
        names = (Column("Measure", "text"), Column("statistic", "text"))
        columns = (*names, *(Column(name, "number") for name in _NUMBERS))
        rows = tuple((name, *cells) for name, judged in self.measures.items() for cells in _cells(judged.agreement))
        starts = frozenset(range(len(_STATISTICS), len(rows), len(_STATISTICS)))
        compared = [_comparison_note(comparison, places) for comparison in self.comparisons]
        return Table(
            columns,
            rows,
            (*compared, unit_line({"": self.units}), signature_line(self.provenance.signature)),
            starts,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return {
            **header("judgement", self.provenance.signature),
            "sentences": len(self.choices.second),
            "votes": int(self.choices.votes.sum()),
            "units": {"unit": self.units.kind, "n": self.units.n_units},
            "measures": {name: _agreement(judged.agreement) for name, judged in self.measures.items()},
            "comparisons": [
                {
                    "one": comparison.one,
                    "other": comparison.other,
                    "difference": comparison.comparison.difference._asdict(),
                }
                | {"p": comparison.comparison.p, "p_holm": comparison.p_holm}
                for comparison in self.comparisons
            ],
            **notes_of(self.provenance.notes),
        }


def read_choices(path: str | os.PathLike[str], words: tuple[str, str] | None = None) -> Choices:
    """Read the choices of people: one line per sentence with votes separated by commas, tabs or spaces."""
    name, data = os.fspath(path), read_bytes(path)
    text = data.decode("utf-8-sig", "replace").rstrip()
    lines = [[vote for vote in re.split(r"[\s,;]+", line.strip()) if vote] for line in text.split("\n")]
    if not text:
        raise InputError(Fault("invalid-judgements", "the file is empty", Place(name)))
    first, second = words or _words({vote.lower() for votes in lines for vote in votes}, name)
    value = {first.lower(): 0, second.lower(): 1}
    faults = [
        Fault("invalid-judgements", message, Place(name, number))
        for number, votes in enumerate(lines, 1)
        for message in _complaints(votes, value)
    ]
    if faults:
        raise InputError(*faults)
    shares = [math.fsum(value[vote.lower()] for vote in votes) / len(votes) for votes in lines]
    return Choices(np.array(shares), np.array([len(votes) for votes in lines]), hashlib.sha256(data).hexdigest())


def _words(found: set[str], name: str) -> tuple[str, str]:
    for words in WORDS:
        if found <= set(words):
            return words
    known = "; ".join(" and ".join(words) for words in WORDS)
    message = f"the votes are {', '.join(map(quoted, sorted(found)[:5]))}; use {known}, or name others with --words"
    raise InputError(Fault("invalid-judgements", message, Place(name)))


def _complaints(votes: Sequence[str], value: Mapping[str, int]) -> list[str]:
    if not votes:
        return ["the line has no vote"]
    return [f"unknown vote {quoted(vote)}: use {' or '.join(value)}" for vote in votes if vote.lower() not in value]


def judge(
    gold: Input,
    first: Input,
    second: Input,
    choices: Choices | str | os.PathLike[str],
    *,
    measures: Iterable[str | Measure] = ("LAS", "UAS", "CLAS"),
    rules: str | Rules = "ud",
    format: Format = "conllu",  # noqa: A002 -- as the command line calls it
    ties: Ties = "callin",
    subtypes_apart: bool = False,
    resamples: int = 2000,
    resample_by: str = AUTO,
    level: float = 0.95,
    seed: int = 0,
    weights: Mapping[str, Weights] | None = None,
    registry: Registry = STANDARD,
) -> Judgement:
    """Return how well measures agree with people who chose the better of two analyses of each sentence."""
    setup = setup_of(measures, rules=rules, format=format, registry=registry, weights=weights).for_pair()
    _check_different(first, second)
    plan, originals = _planned(gold, first, second, setup, subtypes_apart=subtypes_apart)
    results = score_outputs(plan, setup, by_sentence=True, resample_by=resample_by)
    ((code, counts),) = sentence_counts(results, plan, setup).items()
    sources = sources_of_results(results)[code]
    if originals is not None:
        sources = replace(sources, gold=originals[0], systems=dict(zip(_SYSTEMS, originals[1:])))
    votes = choices if isinstance(choices, Choices) else read_choices(choices)
    _check(votes, sources.gold.sentences)
    scores = _scores_of(counts)
    units = results.units[code]
    drawn = seeded(
        InferenceSettings(seed=seed), results.seed_of(code) if originals is None else originals[0].sha256 or ""
    )
    options: dict[str, Any] = {"units": units, "resamples": resamples, "level": level, "seed": drawn}
    verdict = {name: preferences(*pair, ties) for name, pair in scores.items()}
    judged = {name: Judged(scores[name], human_agreement(verdict[name], votes.second, **options)) for name in scores}
    apart = {"subtypes": "apart"} if subtypes_apart else {}
    settings = {"resamples": str(resamples), "resample-by": resample_by, "level": repr(level), "seed": str(seed)}
    provenance = _provenance(sources, setup, short_hash(votes.sha256)).with_parts(**apart, ties=ties, **settings)
    notes = (*provenance.notes, *unit_notes({"gold": units}))
    compared = _compared(verdict, votes, options)
    return Judgement(votes, judged, compared, replace(provenance, notes=notes), units)


def _compared(
    verdict: Mapping[str, Preferences], votes: Choices, options: Mapping[str, Any]
) -> tuple[ComparedMeasures, ...]:
    pairs = list(itertools.combinations(verdict, 2))
    made = [compare_agreement(verdict[one], verdict[other], votes.second, **options) for one, other in pairs]
    corrected = holm([comparison.p for comparison in made])
    return tuple(ComparedMeasures(a, b, difference, p) for (a, b), difference, p in zip(pairs, made, corrected))


def _planned(
    gold: Input, first: Input, second: Input, setup: Setup, *, subtypes_apart: bool
) -> tuple[Plan, tuple[FileSummary, ...] | None]:
    """The plan of gold and two systems; with `subtypes_apart`, of modified treebanks."""
    given: tuple[Input, ...] = (gold, first, second)
    originals = None
    if subtypes_apart:
        loaded = [load(source, setup.rules, setup.format) for source in given]
        originals = tuple(replace(summary_of(treebank), sha256=contents_hash(treebank)) for treebank in loaded)
        given = tuple(_with_joined_subtypes(treebank) for treebank in loaded)
    of_gold, *outputs = given
    return find_plan({_GOLD: of_gold}, {name: {_GOLD: one} for name, one in zip(_SYSTEMS, outputs)}), originals


def _provenance(sources: Sources, setup: Setup, choices: str) -> Provenance:
    """The provenance of a score, with `first` instead of `system`, and the parts of the second system."""
    parts = {**setup.signature_of_measures(), "choices": choices}
    pairs = (pair_provenance(sources.gold, system, setup, parts=parts) for system in sources.systems.values())
    first, second = (pair.signature for pair in pairs)
    of_system = {"system", "system-warnings"}  # the name of a measure can contain the word
    signature = {name.replace("system", "first") if name in of_system else name: first[name] for name in first}
    signature |= {name.replace("system", "second"): second[name] for name in second if name in of_system}
    files = {name: signature[name] for name in ("gold", "first", "second")}
    return Provenance(signature, {TREEBANK: files}, sources.warnings, sources.notes)


def _with_joined_subtypes(treebank: Treebank) -> Treebank:
    """Write relations with subtypes as one word, so that they are compared whole and belong to no class."""
    return treebank.replace(relations=[relation.replace(":", "_") for relation in treebank.relations])


def _check_different(first: Input, second: Input) -> None:
    if isinstance(first, Treebank) or isinstance(second, Treebank):
        return
    if Path(os.fspath(first)) == Path(os.fspath(second)):
        raise InputError(Fault("no-pairs", "this output is given twice", Place(os.fspath(second))))


def _check(choices: Choices, n_sentences: int) -> None:
    if len(choices.second) != n_sentences:
        message = f"there are choices for {len(choices.second)} sentences, but gold has {n_sentences}"
        raise InputError(Fault("invalid-judgements", message))
    if choices.second.max() == choices.second.min():
        message = "all sentences have the same choice: correlations are undefined"
        raise InputError(Fault("invalid-judgements", message))


def _scores_of(counts: SystemCounts) -> dict[str, tuple[Scores, Scores]]:
    """The scores of both systems by each measure in every sentence; higher is better."""
    scores = ratios(counts.parts)  # shape (sentences, systems, measures)
    scores[..., list(counts.perplexities)] *= -1  # logarithms of perplexities
    scores_by_measure = {name: (scores[:, 0, m], scores[:, 1, m]) for m, name in enumerate(counts.measures)}
    faults = [
        Fault("invalid-judgements", f"{name} has no value in any sentence")
        for name, (first, second) in scores_by_measure.items()
        if np.isnan(first + second).all()
    ]
    if faults:
        raise InputError(*faults)
    return scores_by_measure


_STATISTICS = {"r": "correlation", "Spearman": "spearman", "accuracy": "accuracy", "kappa": "kappa"}
_NUMBERS = ("n", "ties", "value", "low", "high")
_PLAIN = Column("", "number")


def _cells(agreement: HumanAgreement) -> Iterator[tuple[Cell, ...]]:
    for name, field in _STATISTICS.items():
        estimate: AgreementEstimate = getattr(agreement, field)
        yield (name, agreement.n, agreement.n_ties, *estimate)


def _comparison_note(compared: ComparedMeasures, places: int | None) -> str:
    difference = compared.comparison
    value, low, high = (formatted(number, _PLAIN, places) for number in difference.difference)
    p, corrected = (p_text(number, 3) for number in (difference.p, compared.p_holm))
    return f"r({compared.one}) - r({compared.other}) = {value} [{low}, {high}], p {p}, Holm {corrected}"


def _agreement(agreement: HumanAgreement) -> dict[str, Any]:
    return {
        name: value._asdict() if isinstance(value, AgreementEstimate) else value
        for name, value in agreement._asdict().items()
    }
