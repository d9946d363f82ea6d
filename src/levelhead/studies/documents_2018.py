"""How wrong intervals and tests that resample sentences are on test sets that consist of documents."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from levelhead.campaign import Results
from levelhead.errors import Fault, InputError, number_of
from levelhead.evaluation.setup import setup_of
from levelhead.report.charts.page_charts import panels
from levelhead.significance import SystemCounts, Units, pairwise_randomization_p, resampled, resampled_rows, spawned
from levelhead.significance.estimates import Estimate
from levelhead.significance.jackknife import Spread, leave_out, spread_of
from levelhead.significance.resampling import Seed, Sums
from levelhead.significance.units import DOCUMENT
from levelhead.studies.request import StudyRequest, counts_of, parts_of, run_tasks, score_files, systems_in
from levelhead.studies.study import Claim, Study, StudySection, columns, table_section
from levelhead.studies.verdicts import LEVEL, verdict_of_fact
from levelhead.tables.table import Plain

NAME = "documents-2018"
MEASURES = ("LAS", "CLAS", "MLAS", "UEM")
# the compared intervals: the usual ones in the field, the same by document, and those of `compare`
METHODS = ("bootstrap, sentences", "bootstrap, documents", "jackknife and t, documents")

FEWEST_DOCUMENTS = 10  # the smallest number of documents of a test set that is used

NOMINAL = 0.93  # 95% intervals with a lower coverage than this in simulation count as too narrow

STAY = 0.9  # the expected share of significant pairs that stay significant

_LEVEL = 0.95
_EQUAL = 1e-12

# the results of `measure_documents` for each test set with enough documents, by its code
TestSetResults = Mapping[str, Any]


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    treebanks = parts_of(request)
    systems = systems_in(request.systems, treebanks)
    golds = {
        code: parts.tested
        for code, parts in treebanks.items()
        if sum(code in outputs for outputs in systems.values()) > 1
    }
    if not golds:
        raise InputError(Fault("missing-system-file", "no test set has outputs of two systems"))
    outputs = {name: {code: path for code, path in files.items() if code in golds} for name, files in systems.items()}
    scored = score_files(golds, outputs, setup_of(MEASURES), request, by_sentence=True)
    counted = {code: counts_of_test_set(scored, code) for code in golds}
    # samples of documents and resamples of each sample: fewer than usual, since they multiply
    draws = request.resamples // 4, request.resamples // 5
    enough = {code: (counts, *draws, *request.draws) for code, counts in counted.items() if "parts" in counts}
    known = run_tasks(NAME, measure_documents, enough, request)
    marked = table_section(
        "Test sets that mark documents",
        columns(text="test set", number=("documents", "sentences"), ratio="largest document")
        | columns(number="valid outputs"),
        [
            (code, counts["documents"], counts["sentences"], counts.get("largest"), len(counts["systems"]))
            for code, counts in counted.items()
        ],
        "A test set without `# newdoc` counts as one document. The size of the largest is a share of the words.",
    )
    title = "How wrong are intervals and tests that resample sentences?"
    source = "A study of our own, of the outputs of the CoNLL 2018 shared task (Zeman et al. 2018)"
    setting = _setting(len(counted), known, *draws, request.resamples)
    signature = {"rules": "ud", "test_sets": str(len(known)), "systems": str(len(systems))}
    return Study(NAME, title, source, setting, (marked, *_tables(known)), tuple(_claims(known)), signature)


def _setting(
    n_test_sets: int, known: Collection[str], samples: int, resamples: int, n_permutations: int
) -> tuple[str, ...]:
    parallel = sum(code.endswith("_pud") for code in known)
    few = (
        f"Few test sets can answer this question: {len(known)} of {n_test_sets} mark at least {FEWEST_DOCUMENTS}"
        " documents with `# newdoc` and have two valid outputs."
    )
    if parallel > 1:
        few += (
            f" {parallel} of them are translations of the same short news texts (PUD), so there are only"
            f" {len(known) - parallel + 1} independent collections. The numbers describe these test sets, not treebanks"
            " in general."
        )
    methods = (
        "We compare three 95% intervals. The percentile bootstrap over sentences is the usual one in the field. The"
        " percentile bootstrap over documents differs only in the unit. The third is the interval of `levelhead"
        " compare`: it leaves out one document at a time (jackknife), and Student's t accounts for few or uneven"
        " documents."
    )
    draws = (
        f"To estimate coverage, {samples} samples of documents, each as large as the test set, are drawn with"
        f" replacement. Each sample gets its own intervals; those of the bootstrap use {resamples} resamples. The true"
        " value is that of the whole test set. A coverage of 95% has a standard error of up to"
        f" {100 * (0.95 * 0.05 / samples) ** 0.5:.1f} points, so verdicts close to {NOMINAL:.0%} could change with"
        " another seed. All counts follow the rules `ud`."
    )
    tests = (
        f"Pairs of systems are tested two-sided at the 5% level, with {n_permutations} permutations and without a"
        " correction for multiple tests: with the usual paired randomization of sentences, and by document as in"
        " `levelhead compare` (the larger p of paired randomization and a t-test)."
    )
    return few, methods, draws, tests


def _covered(method: int, entries: Sequence[Mapping[str, Any]]) -> float:
    return float(np.mean([entry["covered"][method] for entry in entries]))


def _design_effect(entries: Sequence[Mapping[str, Any]]) -> float:
    """The design effect: the mean variance by documents over the mean variance by sentences."""
    by_sentences, by_documents = np.sum([entry["variances"] for entry in entries], axis=0)
    return float(by_documents / by_sentences)


def _significant(known: TestSetResults, name: str) -> tuple[int, int, int, int]:
    """The numbers of pairs: all, significant by sentences, also by documents, and only by documents."""
    p_values = [entry["p"] for result in known.values() for entry in result["differences"].get(name, ())]
    by_both = sum(max(pair) < LEVEL for pair in p_values)
    by_sentences, by_documents = (sum(pair[unit] < LEVEL for pair in p_values) for unit in (0, 1))
    return len(p_values), by_sentences, by_both, by_documents - by_both


def _tables(known: TestSetResults) -> Iterator[StudySection]:
    def by_measure(result: Mapping[str, Any], kind: str, value: Callable[[Any], float]) -> list[float | None]:
        return [value(result[kind][name]) if name in result[kind] else None for name in MEASURES]

    for kind, text in {
        "scores": "The variance of a score by document, divided by its variance by sentence (the design effect),"
        " averaged over systems. Both come from the jackknife, which slightly overestimates variances with few"
        " documents. The square root is the factor by which an interval by sentences is too narrow.",
        "differences": "The same for differences between two systems, averaged over pairs.",
    }.items():
        title = f"Design effects of {kind}"
        effects = {code: by_measure(result, kind, _design_effect) for code, result in known.items()}
        drawn = {name: [values[m] for values in effects.values()] for m, name in enumerate(MEASURES)}
        yield table_section(
            title,
            columns(text="test set", ratio=MEASURES),
            [(code, *(None if value is None else Plain(value) for value in row)) for code, row in effects.items()],
            text,
            figure=panels(title, list(effects), drawn, places=2) if effects else None,
        )
    for kind, text in {
        "scores": "The share of 95% intervals of scores that contain the true value when documents are drawn.",
        "differences": "The same for differences between two systems. The rest, up to 100%, is also how often a test"
        " based on these intervals rejects a true null hypothesis at the 5% level.",
    }.items():
        yield table_section(
            f"Coverage of intervals of {kind}",
            columns(text=("test set", "intervals"), ratio=MEASURES),
            [
                (code, method, *by_measure(result, kind, partial(_covered, at)))
                for code, result in known.items()
                for at, method in enumerate(METHODS)
            ],
            text,
        )
    counts = {name: _significant(known, name) for name in MEASURES}
    yield table_section(
        "Significant pairs",
        columns(text="measure", number=("pairs", "significant by sentences", "also by documents"), ratio="share")
        | columns(number="only by documents"),
        [
            (name, pairs, by_sentences, by_both, by_both / by_sentences if by_sentences else None, only)
            for name, (pairs, by_sentences, by_both, only) in counts.items()
        ],
        "Pairs of systems on all test sets. The systems of 2018 are far apart, so most pairs differ by any test;"
        " these shares say little about close competitors.",
    )


def _claims(known: TestSetResults) -> Iterator[Claim]:
    """Check our expectations; they are about these test sets only, so no significance test is needed."""
    scores, differences = (
        {code: _design_effect(row[kind]["LAS"]) for code, row in known.items() if "LAS" in row[kind]}
        for kind in ("scores", "differences")
    )
    _, by_sentences, by_both, _ = _significant(known, "LAS")
    yield _on_all("The variance of LAS is larger by documents than by sentences, on every test set",
                  scores, lambda value: value > 1, "{:.2f}")  # fmt: skip
    yield _on_all("Differences in LAS are affected less than LAS itself, on every test set",
                  {code: differences[code] - scores[code] for code in scores}, lambda value: value < 0,
                  "{:+.2f}")  # fmt: skip
    for kind, name in (("scores", "LAS"), ("differences", "differences in LAS")):
        by_method = [
            {code: _covered(at, row[kind]["LAS"]) for code, row in known.items()} for at in range(len(METHODS))
        ]
        yield _on_all(f"Percentile bootstrap intervals of {name} over sentences are too narrow (under {NOMINAL:.0%}) on"
                      " every test set", by_method[0], lambda value: value < NOMINAL, "{:.1%}")  # fmt: skip
        yield _on_all(f"Intervals of {name} by document, as in `levelhead compare`, contain the true value in at least"
                      f" {NOMINAL:.0%} of samples on every test set", by_method[2], lambda value: value >= NOMINAL,
                      "{:.1%}")  # fmt: skip
    yield Claim(f"At least {STAY:.0%} of the pairs that differ significantly in LAS by sentences still do by documents",
                "an expectation", verdict_of_fact(by_both / by_sentences >= STAY if by_sentences else None),
                f"{by_both} of {number_of(by_sentences, 'pair')}")  # fmt: skip


def _on_all(text: str, values: Mapping[str, float], holds: Callable[[float], bool], shown: str) -> Claim:
    verdict = verdict_of_fact(all(map(holds, values.values())) if values else None)
    evidence = ", ".join(f"{code} {shown.format(value)}" for code, value in values.items())
    return Claim(text, "an expectation", verdict, evidence or "no test set marks enough documents")


def counts_of_test_set(results: Results, code: str) -> dict[str, Any]:
    """Return the sizes of a test set and, with enough documents, the counts for `measure_documents`; plain JSON."""
    outputs = {name: results.results[name, code] for name in results.systems if (name, code) in results.results}
    valid = {name: output for name, output in outputs.items() if output.state == "valid"}
    units = next(output.units for output in outputs.values() if output.units is not None)
    n_documents = units.n_units if units.kind == DOCUMENT else 1
    sizes = {"documents": n_documents, "sentences": len(units.of_sentence), "systems": list(valid)}
    if n_documents < FEWEST_DOCUMENTS or len(valid) < 2:
        return sizes
    measures = [name for name in results.measures if all(name in output.sentences for output in valid.values())]
    counts = {"measures": measures, "parts": counts_of(valid.values(), measures).tolist()}
    return {**sizes, "largest": units.largest, "of_sentence": units.of_sentence.tolist(), **counts}


def measure_documents(
    counts: Mapping[str, Any], samples: int, resamples: int, permutations: int, seed: int
) -> dict[str, Any]:
    units = Units(DOCUMENT, np.array(counts["of_sentence"], dtype=np.int64))
    parts = np.array(counts["parts"], dtype=np.float64)
    valid = counts["systems"]
    sentences = SystemCounts(tuple(valid), tuple(counts["measures"]), parts)
    documents = sentences._replace(parts=units.sums(parts))
    spreads = [_spreads(counted) for counted in (sentences, documents)]
    covered = coverage(sentences, units, samples, resamples, seed)
    p_values = pair_p_values(sentences, documents, permutations, seed)
    scores, differences = {}, {}
    for m, name in enumerate(sentences.measures):
        entries: list[dict[str, Any]] = [
            {"variances": [by_unit[m].variance for by_unit in pair], "covered": shares.tolist()}
            for *pair, shares in zip(*spreads, covered[:, m], strict=True)
        ]
        scores[name] = entries[: len(valid)]
        differences[name] = [
            {**entry, "p": p.tolist()} for entry, p in zip(entries[len(valid) :], p_values[:, m], strict=True)
        ]
    return {"scores": scores, "differences": differences}


def coverage(sentences: SystemCounts, units: Units, samples: int, resamples: int, seed: int) -> Sums:
    """Return how often the intervals of each method contain the true value when documents are drawn."""
    true = _contrasts(sentences.values(sentences.parts.sum(axis=0)))
    of_document = [np.flatnonzero(units.of_sentence == number) for number in range(units.n_units)]
    drawing, *seeds = spawned(seed, 1 + 2 * samples)
    held = np.zeros((*true.shape, len(METHODS)))
    for i, rows in enumerate(resampled_rows(units.n_units, samples, drawing)):
        drawn = sentences._replace(parts=sentences.parts[np.concatenate([of_document[row] for row in rows])])
        whole = sentences._replace(parts=np.stack([sentences.parts[of_document[row]].sum(axis=0) for row in rows]))
        bootstraps = (_percentiles(table, resamples, seed) for table, seed in zip((drawn, whole), seeds[2 * i :]))
        by_t = [  # the intervals of `compare`, infinite if there are too few units
            [
                (estimate.score_interval if j < len(whole.systems) else estimate.interval)(_LEVEL) or (-np.inf, np.inf)
                for estimate in estimates
            ]
            for j, estimates in enumerate(_estimates(whole))
        ]
        for method, (low, high) in enumerate([*bootstraps, np.moveaxis(np.array(by_t), -1, 0)]):
            held[..., method] += (low <= true + _EQUAL) & (true <= high + _EQUAL)
    return held / samples


def _contrasts(values: Sums) -> Sums:
    """The scores of all runs, then the differences of all pairs; from (..., runs, measures) to (..., n, measures)."""
    first, second = np.triu_indices(values.shape[-2], 1)
    return np.concatenate([values, values[..., second, :] - values[..., first, :]], axis=-2)


def _percentiles(table: SystemCounts, resamples: int, seed: Seed) -> Sums:
    """The 95% percentile bootstrap intervals of scores and differences, shape (2, n, measures)."""
    sums = table.shaped(resampled(table.flat, resamples, seed))
    ends: Sums = np.quantile(_contrasts(table.values(sums)), [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2], axis=0)
    return ends


def _spreads(table: SystemCounts) -> list[list[Spread]]:
    strata = [leave_out(table)]
    n_runs = len(table.systems)
    compared = [*([[run]] for run in range(n_runs)), *([[j], [i]] for i, j in combinations(range(n_runs), 2))]
    return [[spread_of(strata, runs, m) for m in range(len(table.measures))] for runs in compared]


def _estimates(table: SystemCounts) -> list[list[Estimate]]:
    """The scores and differences by measure, with standard errors as in `compare`."""
    return [
        [
            Estimate(
                float(value), spread.variance + (0.0 if i < len(table.systems) else spread.observation),
                spread.freedom, spread.n_units,
            )
            for value, spread in zip(row, spreads, strict=True)
        ]
        for i, (row, spreads) in enumerate(zip(_contrasts(table.values(table.parts.sum(axis=0))), _spreads(table)))
    ]  # fmt: skip


def pair_p_values(sentences: SystemCounts, documents: SystemCounts, permutations: int, seed: int) -> Sums:
    """Return the p of pairs, shape (pairs, measures, 2): by sentence as is usual, by document as in `compare`."""
    by_sentence, by_document = (
        pairwise_randomization_p(counts, permutations, seed) for counts in (sentences, documents)
    )
    of_pairs = _estimates(documents)[len(documents.systems) :]
    by_t = np.array([[estimate.p() for estimate in by_measure] for by_measure in of_pairs], dtype=np.float64)
    return np.stack([by_sentence, np.maximum(by_document, by_t)], axis=-1)
