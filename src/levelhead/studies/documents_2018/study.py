"""How wrong intervals and tests are that resample sentences where test sets consist of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from levelhead.errors import Fault, InputError, number_of
from levelhead.evaluation.setup import setup_of
from levelhead.report.charts.page_charts import panels
from levelhead.report.table import Cell, Column, Plain, Table
from levelhead.studies.documents_2018.measure import (
    FEWEST_DOCUMENTS,
    MEASURES,
    METHODS,
    counts_of_test_set,
    known_results,
    measure_documents,
)
from levelhead.studies.request import StudyRequest, StudyTask, run_tasks, signature
from levelhead.studies.scores import Outputs, score_files
from levelhead.studies.study import Claim, Study, StudySection
from levelhead.studies.treebank_parts import parts_of, systems_in
from levelhead.studies.verdicts import LEVEL, verdict_of_fact

NAME = "documents-2018"
TITLE = "How wrong are intervals and tests that resample sentences?"
SOURCE = "A study of our own, made for the outputs of the CoNLL 2018 shared task (Zeman et al. 2018)"

Results = Mapping[str, Any]
"""What was found, by the code of the test set."""

NOMINAL = 0.93
"""Intervals of 95% that cover less than this in simulation are called too narrow."""

STAY = 0.9
"""The share of significant pairs that should stay significant."""

MAIN_CLAIM = "Percentile bootstrap intervals of LAS over sentences"
"""How the claim begins that the page opens with."""


def reproduce(request: StudyRequest) -> Study:
    """Run the study.

    Args:
        request: test sets, and a folder of folders with the outputs of systems.

    Raises:
        InputError: a file is not valid, or no test set has outputs of two systems.
    """
    treebanks = parts_of(request)
    systems = systems_in(request.systems, treebanks)
    golds = {
        code: parts.tested
        for code, parts in treebanks.items()
        if sum(code in outputs for outputs in systems.values()) > 1
    }
    if not golds:
        raise InputError(Fault("missing-system-file", "no test set has outputs of two systems"))
    results = _measured(golds, systems, request)
    known = dict(known_results(results))
    signed = signature(request, rules="ud", test_sets=str(len(known)), systems=str(len(systems)))
    sections = (_sets(results), *_variances(known), *_coverage(known), _pairs(known))
    return Study(NAME, TITLE, SOURCE, _setting(results, known, request), sections, _claims(known), signed, MAIN_CLAIM)


def _measured(golds: Mapping[str, Path], systems: Outputs, request: StudyRequest) -> Results:
    """What is found for each test set: its sizes, and what `measure_documents` returns if it has enough documents."""
    outputs = {name: {code: path for code, path in files.items() if code in golds} for name, files in systems.items()}
    scored = score_files(golds, outputs, setup_of(MEASURES), request, by_sentence=True)
    counted = {code: counts_of_test_set(scored, code) for code in golds}
    draws = (*_draws(request), request.resamples, request.seed)
    tasks = [StudyTask(code, measure_documents, (), (one, *draws)) for code, one in counted.items() if "parts" in one]
    measured = run_tasks(NAME, tasks, request)
    sizes = ("documents", "sentences", "systems", "largest")
    return {
        code: {name: one[name] for name in sizes if name in one} | measured.get(code, {})
        for code, one in counted.items()
    }


def _draws(request: StudyRequest) -> tuple[int, int]:
    """The number of samples of documents, and of resamples in each of them: fewer, since they are multiplied."""
    return request.resamples // 4, request.resamples // 5


def _setting(results: Results, known: Results, request: StudyRequest) -> tuple[str, ...]:
    parallel = sum(code.endswith("_pud") for code in known)
    few = (
        f"Few test sets can answer the question: {len(known)} of {len(results)} mark at least {FEWEST_DOCUMENTS}"
        " documents with `# newdoc` and have two valid outputs."
    )
    if parallel > 1:
        few += (
            f" {parallel} of them are translations of the same short news texts (PUD), so there are"
            f" {len(known) - parallel + 1} independent collections. The numbers describe these test sets, not treebanks"
            " in general."
        )
    samples, resamples = _draws(request)
    methods = (
        "Three 95% intervals are compared. The percentile bootstrap over sentences is usual in the field. The"
        " percentile bootstrap over documents changes only the unit. The third is the interval of `levelhead compare`:"
        " documents are left out one at a time (jackknife), and Student's t accounts for few or uneven documents."
    )
    draws = (
        f"For coverage, as many documents as the test set has are drawn with replacement {samples} times; each sample"
        f" gets its own intervals, those of the bootstrap from {resamples} resamples. The true value is that of the"
        " whole test set. A share of 95% has a standard error of up to"
        f" {100 * (0.95 * 0.05 / samples) ** 0.5:.1f} points, so verdicts close to {NOMINAL:.0%} could change with"
        " other draws. Counts come from one scoring under the rules `ud`."
    )
    tests = (
        f"Pairs of systems are tested two-sided at the level of 5%, with {request.resamples} permutations and without a"
        " correction for the number of pairs: by paired randomization of sentences, as is usual, and by document as"
        " `levelhead compare` does (the larger p of paired randomization and of t)."
    )
    return few, methods, draws, tests


def _sets(results: Results) -> StudySection:
    rows = tuple(
        (code, result["documents"], result["sentences"], result.get("largest"), len(result["systems"]))
        for code, result in results.items()
    )
    columns = (Column("test set", "text"), Column("documents", "number"), Column("sentences", "number"),
               Column("largest document"), Column("valid outputs", "number"))  # fmt: skip
    text = ("A test set without marks counts as one document. The largest document is given as a share of the words.",)
    return StudySection("Which test sets mark documents", text, Table(columns, rows))


Numbers = Callable[[Mapping[str, Any]], float]


def _mean(entries: Sequence[Mapping[str, Any]], value: Numbers) -> float:
    return float(np.mean([value(entry) for entry in entries]))


def _effect(entries: Sequence[Mapping[str, Any]]) -> float:
    """The mean variance by documents over that by sentences."""
    by_sentences, by_documents = np.sum([entry["variances"] for entry in entries], axis=0)
    return float(by_documents / by_sentences)


def _by_measure(one: Mapping[str, Any], kind: str, value: Callable[[Any], float]) -> list[float | None]:
    """A value for each measure, of the scores or the differences of one test set."""
    return [value(one[kind][name]) if name in one[kind] else None for name in MEASURES]


def _variances(known: Results) -> Iterator[StudySection]:
    texts = {
        "scores": "The variance of a score when documents are drawn, as a multiple of the variance when sentences are"
        " drawn (the design effect); averaged over systems. Both come from the jackknife, which overestimates variances"
        " a little with few documents. An interval by sentences is too narrow by the square root.",
        "differences": "The same for the difference between two systems, averaged over pairs.",
    }
    for kind, text in texts.items():
        rows = {code: _by_measure(one, kind, _effect) for code, one in known.items()}
        cells: list[tuple[Cell, ...]] = [
            (code, *(None if value is None else Plain(value) for value in values)) for code, values in rows.items()
        ]
        columns = {name: [values[m] for values in rows.values()] for m, name in enumerate(MEASURES)}
        figure = panels(f"Design effects of {kind}", list(rows), columns, places=2) if rows else None
        table = Table((Column("test set", "text"), *map(Column, MEASURES)), tuple(cells))
        yield StudySection(f"Design effects of {kind}", (text,), table, figure)


def _coverage(known: Results) -> Iterator[StudySection]:
    texts = {
        "scores": "How many 95% intervals of scores hold the true value when documents are drawn.",
        "differences": "The same for differences between two systems. What is missing to 100% is also how often a test"
        " by these intervals rejects a true null hypothesis at the level of 5%.",
    }
    for kind, text in texts.items():
        rows: list[tuple[Cell, ...]] = []
        for code, one in known.items():
            for at, method in enumerate(METHODS):
                values = _by_measure(one, kind, lambda own, at=at: _mean(own, lambda entry: entry["covered"][at]))  # type: ignore[misc]
                rows.append((code, method, *values))
        columns = (Column("test set", "text"), Column("intervals", "text"), *map(Column, MEASURES))
        yield StudySection(f"Coverage of intervals of {kind}", (text,), Table(columns, tuple(rows)))


def _significant(known: Results, name: str) -> tuple[int, int, int, int]:
    """The numbers of pairs: all, significant by sentences, still significant by documents, only by documents."""
    every = [entry["p"] for one in known.values() for entry in one["differences"].get(name, ())]
    stay = sum(max(pair) < LEVEL for pair in every)
    by_sentences, by_documents = (sum(pair[unit] < LEVEL for pair in every) for unit in (0, 1))
    return len(every), by_sentences, stay, by_documents - stay


def _pairs(known: Results) -> StudySection:
    rows = []
    for name in MEASURES:
        pairs, by_sentences, stay, only = _significant(known, name)
        rows.append((name, pairs, by_sentences, stay, stay / by_sentences if by_sentences else None, only))
    columns = (
        Column("measure", "text"), Column("pairs", "number"), Column("significant by sentences", "number"),
        Column("of these by documents", "number"), Column("share"), Column("only by documents", "number"),
    )  # fmt: skip
    text = (
        "Pairs of systems, over all test sets. The systems of 2018 are far apart, so most pairs differ by any test:"
        " these shares say little about close competitors."
    )
    return StudySection("Significant pairs", (text,), Table(columns, tuple(rows)))


def _claims(known: Results) -> tuple[Claim, ...]:
    """Judge what one would expect; about these test sets, so that no test is needed."""
    scores, differences = ({code: _effect(one[kind]["LAS"]) for code, one in known.items() if "LAS" in one[kind]}
                           for kind in ("scores", "differences"))  # fmt: skip
    _, by_sentences, stay, _ = _significant(known, "LAS")
    return (
        _on_all("The variance of LAS is larger by documents than by sentences, on every test set",
                scores, lambda value: value > 1, "{:.2f}"),
        _on_all("Differences in LAS are affected less than LAS itself, on every test set",
                {code: differences[code] - scores[code] for code in scores}, lambda value: value < 0, "{:+.2f}"),
        *_claims_on_coverage(known),
        Claim(f"At least {STAY:.0%} of the pairs that differ significantly in LAS by sentences still do by documents",
              "an expectation", verdict_of_fact(stay / by_sentences >= STAY if by_sentences else None),
              f"{stay} of {number_of(by_sentences, 'pair')}"),
    )  # fmt: skip


def _claims_on_coverage(known: Results) -> Iterator[Claim]:
    for kind, name in (("scores", "LAS"), ("differences", "differences in LAS")):
        by_method = [
            {code: _mean(one[kind]["LAS"], lambda entry, at=at: entry["covered"][at]) for code, one in known.items()}  # type: ignore[misc]
            for at in range(len(METHODS))
        ]
        yield _on_all(f"Percentile bootstrap intervals of {name} over sentences are too narrow (under {NOMINAL:.0%}) on"
                      " every test set", by_method[0], lambda value: value < NOMINAL, "{:.1%}")  # fmt: skip
        yield _on_all(f"Intervals of {name} by document, as in `levelhead compare`, hold the true value in at least"
                      f" {NOMINAL:.0%} of samples on every test set", by_method[2], lambda value: value >= NOMINAL,
                      "{:.1%}")  # fmt: skip


def _on_all(text: str, values: Mapping[str, float], holds: Callable[[float], bool], shown: str) -> Claim:
    verdict = verdict_of_fact(all(map(holds, values.values())) if values else None)
    evidence = ", ".join(f"{code} {shown.format(value)}" for code, value in values.items())
    return Claim(text, "an expectation", verdict, evidence or "no test set marks enough documents")
