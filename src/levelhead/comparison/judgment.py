"""Agreement of measures with people who chose the better of two analyses of each sentence."""

from __future__ import annotations

import hashlib
import itertools
import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.arguments import is_list
from levelhead.campaign import Plan, find_plan
from levelhead.comparison.systems import score_outputs, sentence_counts, sources_of_results
from levelhead.correlation.human_agreement import (
    AgreementDifference,
    HumanAgreement,
    Ties,
    compare_agreement,
    human_agreement,
    preferences,
)
from levelhead.errors import Fault, InputError, Place, listed, quoted
from levelhead.evaluation.pair import Input, load
from levelhead.evaluation.provenance import Sources, pair_provenance
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.significance.jackknife import SystemCounts, ratios
from levelhead.significance.units import (
    AUTO,
    UNITS,
    Units,
    unit_line,
    unit_notes,
    unit_rows,
    units_signature,
    with_p_values,
)
from levelhead.tables.data import MEASURE_COLUMN, DataColumn, Layout
from levelhead.tables.frames import cells_of_frame, text_of_value
from levelhead.tables.table import Column, Table, formatted, level_text, p_text
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.provenance import TREEBANK, FileSummary, Provenance, contents_hash, short_hash, summary_of

Scores = NDArray[np.float64]

WORDS = (("blue", "red"), ("1", "2"), ("first", "second"), ("a", "b"))
"""The names of the first and the second system in votes; case is ignored."""

_SYSTEMS = ("the first system", "the second system")


class Choices(NamedTuple):
    """The choices of people."""

    second: Scores  # the share of votes for the second system in each sentence, float64, shape (sentences,)
    votes: NDArray[np.int64]  # the number of votes of each sentence, int64, shape (sentences,)
    sha256: str | None = None  # the hash of the file; None without a file


class Judged(NamedTuple):
    """The agreement of a measure with people."""

    # the scores of the first and the second system in each sentence, in percent, NaN if undefined; of perplexities,
    # the negative base-10 logarithm, so that higher is better
    scores: tuple[Scores, Scores]
    agreement: HumanAgreement


class ComparedMeasures(NamedTuple):
    """A comparison of two measures in their agreement with people."""

    one: str  # a measure
    other: str  # another measure
    # the difference of their correlations with the choices, corrected for all pairs of measures
    comparison: AgreementDifference


@immutable
class Judgment(Tabular):
    """How well measures agree with people.

    Args:
        choices: the choices of people.
        measures: a mapping from each measure to its scores and its agreement with people.
        comparisons: for every pair of measures, how much better the first agrees with people than the second.
        provenance: the settings and files behind the numbers.
        units: the sampling units (sentences or documents) on which confidence intervals are based.
    """

    KIND: ClassVar[str] = "judge"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "measures": (MEASURE_COLUMN, HumanAgreement),
        "comparisons": (
            MEASURE_COLUMN,
            DataColumn("other", "text", "The measure that is subtracted"),
            AgreementDifference,
        ),
        "sentences": (
            DataColumn("sentence", "integer", "The number of the sentence, from 1", limits=(0,)),
            DataColumn("n_votes", "integer", "The number of votes", limits=(0,)),
            DataColumn("share_of_second", "number", "The share of votes for the second system", "percent"),
        ),
        "units": UNITS,
    }

    choices: Choices
    measures: Mapping[str, Judged]
    comparisons: tuple[ComparedMeasures, ...]
    provenance: Provenance
    units: Units

    PLACES = 3

    @property
    def verdict(self) -> str:
        """A sentence with the measure that agrees best with people, and the measures not significantly worse."""
        known = {name: r for name, (_, each) in self.measures.items() if (r := each.correlation.value) is not None}
        if not known:
            return "No measure prefers a system in enough sentences."
        best = max(known, key=lambda name: known[name])
        value, low, high = (formatted(number, Column("", "number"), 3) for number in self.measures[best][1].correlation)
        level = self.provenance.signature["level"]
        numbers = f"r {value}" + f", {level_text(level)} CI {low} to {high}" * (low != "-")
        if len(known) == 1:
            return f"Correlation of {best} with people's choices: {numbers}."
        alpha = 1 - float(level)
        tied = {pair[:2] for pair in self.comparisons if pair.comparison.p is None or pair.comparison.p >= alpha}
        others = [name for name in known if {(best, name), (name, best)} & tied]
        than = f"but not significantly better than {listed(others)}" if others else "significantly better than others"
        return f"{best} agrees best with people's choices ({numbers}), {than}."

    def table(self, *, places: int | None = 3) -> Table:
        """Return a table with a row for each statistic of each measure, and notes that compare measures.

        Args:
            places: the number of decimal places of the numbers in notes; None to print all of them.
        """
        columns = (
            *(Column("Measure", "text"), Column("statistic", "text")),
            *(Column(name, "number") for name in ("n", "ties", "value", "low", "high")),
        )
        rows = tuple(
            (name, statistic, agreement.n, agreement.n_ties, *estimate)
            for name, (_, agreement) in self.measures.items()
            for statistic, estimate in (
                *(("r", agreement.correlation), ("Spearman", agreement.spearman)),
                *(("accuracy (%)", agreement.accuracy), ("kappa", agreement.kappa)),
            )
        )
        notes = list[str]()
        for one, other, (difference, p) in self.comparisons:
            value, low, high = (formatted(number, Column("", "number"), places) for number in difference)
            tested = "" if p is None else f", p {p_text(p)}"
            notes.append(f"r({one}) - r({other}) = {value} [{low}, {high}]{tested}")
        if any(agreement.correlation[1] is not None for _, agreement in self.measures.values()):
            results = with_p_values(comparison.p for _, _, comparison in self.comparisons)
            notes.append(unit_line({"": self.units}, results))
        return Table(columns, rows, tuple(notes), frozenset(range(4, len(rows), 4))).signed(self.provenance)

    def _measures_rows(self) -> Iterator[tuple[str, HumanAgreement]]:
        return ((measure, judged.agreement) for measure, judged in self.measures.items())

    def _sentences_rows(self) -> Iterator[tuple[int, int, float]]:
        return zip(itertools.count(1), self.choices.votes.tolist(), (100 * self.choices.second).tolist())

    def _units_rows(self) -> list[tuple[Any, ...]]:
        return unit_rows({"gold": self.units})


def read_choices(source: Any, words: tuple[str, str] | None = None) -> Choices:
    """Read the votes of each sentence: the lines of a file, a sequence, or the rows of a data frame."""
    if isinstance(source, str | os.PathLike):
        name, data = os.fspath(source), read_bytes(source)
    else:
        rows = zip(*cells_of_frame(source).values(), strict=True) if hasattr(source, "columns") else source
        texts = (" ".join(row.split()) if isinstance(row, str) else _joined(row) for row in rows)
        name, data = None, "".join(f"{line}\n" for line in texts).encode()
    text = data.decode("utf-8-sig", "replace").rstrip()
    if not text:
        raise InputError(Fault("invalid-judgments", f"the {'file is' if name else 'votes are'} empty", Place(name)))
    lines = [[vote.lower() for vote in re.split(r"[\s,;]+", line.strip()) if vote] for line in text.split("\n")]
    given = {vote for votes in lines for vote in votes}
    pairs = [words] if words else [pair for pair in WORDS if given <= set(pair)]
    if not pairs:
        known = ", ".join(" or ".join(pair) for pair in WORDS)
        message = f"the votes are {', '.join(map(quoted, sorted(given)[:5]))}: use {known}, or name yours with --words"
        raise InputError(Fault("invalid-judgments", message, Place(name)))
    value = {word.lower(): number for number, word in enumerate(pairs[0])}
    faults = [
        Fault("invalid-judgments", reason, Place(name, number))
        for number, votes in enumerate(lines, 1)
        for vote in votes or [""]
        if vote not in value
        for reason in [f"unknown vote {quoted(vote)}: use {' or '.join(value)}" if vote else "the line has no vote"]
    ]
    if faults:
        raise InputError(*faults)
    shares = [math.fsum(value[vote] for vote in votes) / len(votes) for votes in lines]
    return Choices(np.array(shares), np.array([len(votes) for votes in lines]), hashlib.sha256(data).hexdigest())


def _joined(votes: Any) -> str:
    """The votes of a sentence as a line, without missing values; the vote 1.0 is that of a column with such values."""
    texts = (text_of_value(vote).removesuffix(".0") for vote in (votes if is_list(votes) else [votes]))
    return " ".join(filter(None, texts))


def judge(
    gold: Input,
    first: Input,
    second: Input,
    votes: Choices,
    setup: Setup,
    ties: Ties = "callin",
    resample_by: str = AUTO,
    level: float = 0.95,
    *,
    subtypes_apart: bool,
) -> Judgment:
    """Return how well measures agree with people who chose the better of two analyses of each sentence."""
    setup = setup.for_pair()
    plan, originals = _planned(gold, first, second, setup, subtypes_apart=subtypes_apart)
    results = score_outputs(plan, setup, by_sentence=True, resample_by=resample_by)
    ((code, counts),) = sentence_counts(results, plan, setup).items()
    sources, units = sources_of_results(results)[code], results.units[code].own()
    if originals is not None:
        sources = replace(sources, gold=originals[0], systems=dict(zip(_SYSTEMS, originals[1:])))
    scores = _scores_of(counts, votes)
    verdict = {name: preferences(*pair, ties) for name, pair in scores.items()}
    scales = {name: 1 if m in counts.perplexities else 100 for m, name in enumerate(counts.measures)}
    judged = {
        name: Judged(
            (scales[name] * scores[name][0], scales[name] * scores[name][1]),
            human_agreement(given, votes.second, units=units, level=level),
        )
        for name, given in verdict.items()
    }
    pairs = list(itertools.combinations(verdict, 2))
    options: dict[str, Any] = {"units": units, "level": level, "n_tests": len(pairs)}
    compared = tuple(
        ComparedMeasures(one, other, compare_agreement(verdict[one], verdict[other], votes.second, **options))
        for one, other in pairs
    )
    parts = {"subtypes": "apart"} if subtypes_apart else {}
    parts |= {"ties": ties, "resample-by": units_signature({"": results.units[code]}), "level": repr(level)}
    provenance = _provenance(sources, setup, short_hash(votes.sha256)).with_parts(**parts)
    notes = (*provenance.notes, *unit_notes({"gold": results.units[code]}))
    return Judgment(votes, judged, compared, replace(provenance, notes=notes), units)


def _planned(
    gold: Input, first: Input, second: Input, setup: Setup, *, subtypes_apart: bool
) -> tuple[Plan, tuple[FileSummary, ...] | None]:
    """The plan of gold and two systems; with `subtypes_apart`, of modified treebanks, with the original files."""
    paths = [os.fspath(system) for system in (first, second) if not isinstance(system, Treebank)]
    if len(paths) == 2 and Path(paths[0]) == Path(paths[1]):
        raise InputError(Fault("invalid-argument", "this output is given twice", Place(paths[1])))
    given: list[Input] = [gold, first, second]
    originals = None
    if subtypes_apart:
        loaded = [load(source, setup.rules, setup.format) for source in given]
        originals = tuple(replace(summary_of(treebank), sha256=contents_hash(treebank)) for treebank in loaded)
        # relations with subtypes are written as one word, so that they are compared whole and belong to no class
        given = [side.replace(relations=[name.replace(":", "_") for name in side.relations]) for side in loaded]
    systems = {name: {"gold": output} for name, output in zip(_SYSTEMS, given[1:])}
    return find_plan({"gold": given[0]}, systems), originals


def _provenance(sources: Sources, setup: Setup, choices: str) -> Provenance:
    """The provenance of a score, with `first` instead of `system`, and the parts of the second system."""
    parts = setup.signature_of_measures() | {"choices": choices}
    first, second = (
        pair_provenance(sources.gold, system, setup, parts=parts).signature for system in sources.systems.values()
    )
    of_system = {"system", "system-warnings"}  # the name of a measure can contain the word
    signature = {name.replace("system", "first") if name in of_system else name: first[name] for name in first}
    signature |= {name.replace("system", "second"): second[name] for name in second if name in of_system}
    files = dict(zip(("gold", "first", "second"), sources.files.values()))
    return Provenance(signature, {TREEBANK: files}, sources.warnings, sources.notes)


def _scores_of(counts: SystemCounts, choices: Choices) -> dict[str, tuple[Scores, Scores]]:
    """The scores of both systems by each measure in every sentence; higher is better."""
    scores = ratios(counts.parts)  # shape (sentences, systems, measures)
    scores[..., list(counts.perplexities)] *= -1  # logarithms of perplexities
    undefined = np.isnan(scores.sum(axis=1)).all(axis=0)
    faults = [f"{name} has no value in any sentence" for name, none in zip(counts.measures, undefined) if none]
    if len(choices.second) != len(scores):
        faults = [f"there are choices for {len(choices.second)} sentences, but gold has {len(scores)}"]
    elif choices.second.max() == choices.second.min():
        faults = ["all sentences have the same choice: correlations are undefined"]
    if faults:
        raise InputError(*(Fault("invalid-judgments", message) for message in faults))
    return {name: (scores[:, 0, m], scores[:, 1, m]) for m, name in enumerate(counts.measures)}
