"""How wrong intervals and tests that resample sentences are on test sets that consist of documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from levelhead.campaign import Results
from levelhead.errors import number_of
from levelhead.evaluation.setup import setup_of
from levelhead.report.charts.page_charts import panels
from levelhead.significance.estimates import Sums
from levelhead.significance.jackknife import SystemCounts, leave_out
from levelhead.significance.resampling import Seed, resampled, resampled_rows, spawned
from levelhead.significance.units import DOCUMENT, FEWEST_UNITS, Units
from levelhead.studies import verdicts
from levelhead.studies.measures_2018 import groups_of, units_on, valid_outputs
from levelhead.studies.request import StudyRequest, compared_in, counts_of, parts_of, run_tasks, score_files
from levelhead.studies.study import Claim, Study, StudySection, columns, table_section

NAME = "documents-2018"
MEASURES = ("LAS", "CLAS", "MLAS", "UEM")
# the compared intervals: the usual ones in the field, the same by document, and those of `compare`
METHODS = ("bootstrap, sentences", "bootstrap, documents", "jackknife and t, documents")

NOMINAL = 0.93  # 95% intervals with a lower coverage than this in simulation count as too narrow

STAY = 0.9  # the expected share of significant pairs that stay significant

_EQUAL = 1e-12
_Z = 1.96  # the half-width of 95% intervals of coverage, in standard errors

# the results of `measure_documents` for each test set with enough documents, by its code
TestSetResults = Mapping[str, Any]


def reproduce(request: StudyRequest) -> Study:
    golds, systems = compared_in(request.systems, parts_of(request))
    scored = score_files(golds, systems, setup_of(MEASURES), request, by_sentence=True)
    counted = {code: counts_of_test_set(scored, code) for code in golds}
    # samples of documents and resamples of each sample: fewer than usual, since they multiply
    draws = request.resamples // 4, request.resamples // 5
    enough = {code: (counts, *draws, request.seed) for code, counts in counted.items() if "parts" in counts}
    known = run_tasks(NAME, measure_documents, enough, request)
    marked = table_section(
        "Test sets that mark documents",
        columns(text="test set", number=("documents", "sentences"), percent="largest document")
        | columns(number="valid outputs"),
        [
            (code, counts["documents"], counts["sentences"], counts.get("largest"), len(counts["systems"]))
            for code, counts in counted.items()
        ],
        "A test set without `# newdoc` counts as one document. Of the largest document, the table shows the share"
        " of words.",
    )  # fmt: skip
    title = "How wrong are intervals and tests that resample sentences?"
    source = "A study of our own, of the outputs of the CoNLL 2018 shared task (Zeman et al. 2018)"
    groups = groups_of(scored, known)
    setting = _setting(len(counted), known, groups, *draws)
    sizes = {"test_sets": str(len(known)), "systems": str(len(systems))}
    signature = {"resamples": str(request.resamples), "rules": "ud", **sizes}
    return Study(NAME, title, source, setting, (marked, *_tables(known)), tuple(_claims(known, groups)), signature)


def _setting(
    n_test_sets: int, known: Collection[str], groups: Sequence[Sequence[int]], samples: int, resamples: int
) -> tuple[str, ...]:
    parallel = max(map(len, groups), default=0)
    few = (
        f"Few test sets can answer this: {len(known)} of {n_test_sets} mark at least {FEWEST_UNITS} documents and have"
        " two valid outputs."
    )
    if parallel > 1:
        few += (
            f" {parallel} of them are translations of the same news texts (PUD), which leaves"
            f" {len(known) - parallel + 1} independent collections."
        )
    methods = (
        "We compare three 95% intervals: the percentile bootstrap over sentences, which is usual in the field; the"
        " same bootstrap over documents; and that of `levelhead compare` (jackknife over documents, Student's t)."
    )
    draws = (
        f"Coverage is estimated from {samples:,} samples of documents, drawn with replacement; the bootstrap has"
        f" {resamples} resamples of each. The true value is the score on the whole test set. Claims on coverage"
        " are tested over these samples, all others over documents. A claim holds if it is significant on every test"
        " set. It does not hold if the opposite is significant on at least one, corrected for the number of test sets."
    )
    return few, methods, draws


def _significant(known: TestSetResults, name: str) -> tuple[int, int, int, int]:
    """The numbers of pairs: all, significant by sentences, also by documents, and only by documents."""
    p_values = [pair for result in known.values() for pair in result["p"].get(name, ())]
    by_both = sum(max(pair) < verdicts.LEVEL for pair in p_values)
    by_sentences, by_documents = (sum(pair[unit] < verdicts.LEVEL for pair in p_values) for unit in (0, 1))
    return len(p_values), by_sentences, by_both, by_documents - by_both


def _tables(known: TestSetResults) -> Iterator[StudySection]:
    def by_measure(result: Mapping[str, Any], kind: str, value: Callable[[Any], float]) -> list[float | None]:
        values = [value(result[kind][name]) if name in result[kind] else math.nan for name in MEASURES]
        return [None if math.isnan(number) else number for number in values]

    def covered(method: int, shares: Sequence[Sequence[float]]) -> float:
        return 100 * shares[method][0]

    for kind, text in {
        "scores": "The variance of a score by document, divided by its variance by sentence, averaged over systems. The"
        " square root is the factor by which an interval by sentences is too narrow.",
        "differences": "The same for differences between two systems.",
    }.items():
        title = f"Design effects of {kind}"
        effects = {code: by_measure(result, kind, _design_effect) for code, result in known.items()}
        drawn = {name: [values[m] for values in effects.values()] for m, name in enumerate(MEASURES)}
        yield table_section(
            title,
            columns(text="test set", percent=MEASURES),
            [(code, *row) for code, row in effects.items()],
            text,
            figure=panels(title, list(effects), drawn, places=2) if effects else None,
        )
    for kind, text in {
        "scores": "The percentage of samples of documents in which the 95% interval contains the true value.",
        "differences": "The same for differences between two systems. In the other samples, a test rejects a true null"
        " hypothesis.",
    }.items():
        yield table_section(
            f"Coverage of intervals of {kind}",
            columns(text=("test set", "intervals"), percent=MEASURES),
            [
                (code, method, *by_measure(result, f"coverage of {kind}", partial(covered, at)))
                for code, result in known.items()
                for at, method in enumerate(METHODS)
            ],
            text,
        )
    counts = {name: _significant(known, name) for name in MEASURES}
    yield table_section(
        "Significant pairs",
        columns(text="measure", number=("pairs", "significant by sentences", "also by documents"), percent="share")
        | columns(number="only by documents"),
        [
            (name, pairs, by_sentences, by_both, 100 * by_both / by_sentences if by_sentences else None, only)
            for name, (pairs, by_sentences, by_both, only) in counts.items()
        ],
        "The test is that of `levelhead compare`, without a correction. The systems of 2018 are far apart, so most"
        " pairs differ by any test.",
    )


def _design_effect(by_document: Sequence[Sequence[float]]) -> float:
    """The variance by documents over the variance by sentences, given the part of each document in both; or nan."""
    of_documents, of_sentences = np.sum(by_document, axis=0)
    return float(of_documents / of_sentences) if of_sentences else math.nan


def _log_effect(scores: verdicts.Numbers, differences: verdicts.Numbers | None, rows: verdicts.RowNumbers) -> float:
    of_scores = float(np.log(_design_effect(scores[rows].tolist())))
    return of_scores if differences is None else float(np.log(_design_effect(differences[rows].tolist()))) - of_scores


def _claims(known: TestSetResults, groups: Sequence[Sequence[int]]) -> Iterator[Claim]:
    effects = dict[bool, dict[str, verdicts.Effect | None]]({False: {}, True: {}})
    for code, row in known.items():
        scores, differences = (np.array(row[kind]["LAS"]) for kind in ("scores", "differences"))
        for compared, tested in effects.items():
            effect = verdicts.jackknifed(partial(_log_effect, scores, differences if compared else None), len(scores))
            tested[code] = effect and effect.mapped(np.expm1)
    yield _on_all("The variance of LAS is larger by documents than by sentences, on every test set",
                  "the design effect minus 1", effects[False], 1)  # fmt: skip
    yield _on_all("Differences in LAS are affected less than LAS itself, on every test set",
                  "the design effect of differences over that of scores, minus 1", effects[True], -1)  # fmt: skip
    for kind, name in (("scores", "LAS"), ("differences", "differences in LAS")):
        usual, _, by_t = (
            {code: _coverage(*row[f"coverage of {kind}"]["LAS"][method]) for code, row in known.items()}
            for method in range(len(METHODS))
        )
        what = f"coverage minus {NOMINAL:.0%} (in points)"
        yield _on_all(f"Percentile bootstrap intervals of {name} over sentences are too narrow (under {NOMINAL:.0%}) on"
                      " every test set", what, usual, -1, 100)  # fmt: skip
        yield _on_all(f"Intervals of {name} by document, as in `levelhead compare`, contain the true value in at least"
                      f" {NOMINAL:.0%} of samples on every test set", what, by_t, 1, 100)  # fmt: skip
    counted = np.array([_significant({code: row}, "LAS") for code, row in known.items()], dtype=np.float64)
    stay = verdicts.jackknifed(lambda rows: float(np.divide(*counted[rows][:, [2, 1]].sum(axis=0))) - STAY, groups)
    _, by_sentences, by_both, _ = _significant(known, "LAS")
    yield Claim(f"At least {STAY:.0%} of the pairs whose LAS differs significantly by sentence also differ by document",
                "an expectation", verdicts.verdict_of_effects((stay, 1)),
                f"{by_both} of {number_of(by_sentences, 'pair')}; minus {STAY:.0%}, in points"
                f" {verdicts.estimate_shown(stay, 1, 100)}")  # fmt: skip


def _coverage(mean: float, error: float) -> verdicts.Effect:
    """The difference of a coverage from the nominal one, from its mean over samples and the standard error."""
    value = mean - NOMINAL
    p = math.erfc(abs(value) / error / math.sqrt(2)) if error else float(not value)
    return verdicts.Effect(value, value - _Z * error, value + _Z * error, p)


def _on_all(
    text: str, what: str, effects: Mapping[str, verdicts.Effect | None], sign: verdicts.Sign, scale: float = 1
) -> Claim:
    verdict = verdicts.verdict_of_effects(*((effect, sign) for effect in effects.values()))
    evidence = f"{what} on {verdicts.effects_shown(effects, 2 if scale == 1 else 1, scale)}"
    return Claim(text, "an expectation", verdict, evidence if effects else "no test set marks enough documents")


def counts_of_test_set(results: Results, code: str) -> dict[str, Any]:
    """Return the sizes of a test set and, with enough documents, the counts for `measure_documents`; plain JSON."""
    valid = valid_outputs(results, code)
    units = units_on(results, code) or Units(DOCUMENT, np.zeros(0, dtype=np.int64))
    n_documents = units.n_units if units.kind == DOCUMENT else 1
    sizes = {"documents": n_documents, "sentences": len(units.of_sentence), "systems": list(valid)}
    if n_documents < FEWEST_UNITS or len(valid) < 2:
        return sizes
    measures = [name for name in results.measures if all(name in output.sentences for output in valid.values())]
    counts = {"measures": measures, "parts": counts_of(valid.values(), measures).tolist()}
    return {**sizes, "largest": units.largest, "of_sentence": units.of_sentence.tolist(), **counts}


def measure_documents(counts: Mapping[str, Any], samples: int, resamples: int, seed: int) -> dict[str, Any]:
    """Return the variances by document and by sentence, the coverage of intervals, and p-values, by measure."""
    units = Units(DOCUMENT, np.array(counts["of_sentence"], dtype=np.int64))
    parts = np.array(counts["parts"], dtype=np.float64)
    sentences = SystemCounts(tuple(counts["systems"]), tuple(counts["measures"]), parts)
    documents = sentences._replace(parts=units.sums(parts))
    n_systems = len(sentences.systems)
    by_sentence, by_document = (_contrasts(leave_out(table).moves) ** 2 for table in (sentences, documents))
    variances = np.stack([by_document, units.sums(by_sentence)], axis=-1)  # (documents, contrasts, measures, 2)
    held = coverage(sentences, units, samples, resamples, seed)
    p_values = np.stack([verdicts.pair_p_values(table, 1) for table in (sentences, documents)], axis=-1)
    result: dict[str, Any] = {}
    for kind, chosen in (("scores", slice(n_systems)), ("differences", slice(n_systems, None))):
        means = held[:, chosen].mean(axis=1)
        errors = means.std(axis=0, ddof=1) / samples**0.5
        result[kind] = dict(zip(sentences.measures, variances[:, chosen].sum(axis=1).swapaxes(0, 1).tolist()))
        result[f"coverage of {kind}"] = dict(
            zip(sentences.measures, np.stack([means.mean(axis=0), errors], axis=-1).tolist())
        )
    return {**result, "p": dict(zip(sentences.measures, p_values.swapaxes(0, 1).tolist()))}


def coverage(sentences: SystemCounts, units: Units, samples: int, resamples: int, seed: int) -> Sums:
    """Return which intervals contain the true value, shape (samples, scores then differences, measures, methods)."""
    true = _contrasts(sentences.values(sentences.parts.sum(axis=0)))
    of_document = [np.flatnonzero(units.of_sentence == number) for number in range(units.n_units)]
    drawing, *seeds = spawned(seed, 1 + 2 * samples)
    held = np.zeros((samples, *true.shape, len(METHODS)))
    contrasts = [*([[run]] for run in range(len(sentences.systems))), *verdicts.pairs_of(sentences)]
    for i, rows in enumerate(resampled_rows(units.n_units, samples, drawing)):
        drawn = sentences._replace(parts=sentences.parts[np.concatenate([of_document[row] for row in rows])])
        whole = sentences._replace(parts=np.stack([sentences.parts[of_document[row]].sum(axis=0) for row in rows]))
        bootstraps = (_percentiles(table, resamples, seed) for table, seed in zip((drawn, whole), seeds[2 * i :]))
        by_t = [  # the intervals of `compare`, infinite if there are too few units
            [
                (estimate.score_interval if len(runs) == 1 else estimate.interval)(1 - verdicts.LEVEL)
                or (-np.inf, np.inf)
                for runs, estimate in zip(contrasts, of_measure)
            ]
            for of_measure in verdicts.estimates(whole, contrasts)
        ]
        for method, (low, high) in enumerate([*bootstraps, np.array(by_t).T]):
            held[i, ..., method] = (low <= true + _EQUAL) & (true <= high + _EQUAL)
    return held


def _contrasts(values: Sums) -> Sums:
    """The scores of all runs, then the differences of all pairs; from (..., runs, measures) to (..., n, measures)."""
    first, second = np.triu_indices(values.shape[-2], 1)
    return np.concatenate([values, values[..., second, :] - values[..., first, :]], axis=-2)


def _percentiles(table: SystemCounts, resamples: int, seed: Seed) -> Sums:
    """The 95% percentile bootstrap intervals of scores and differences, shape (2, n, measures)."""
    sums = resampled(table.parts, resamples, seed)
    ends: Sums = np.quantile(_contrasts(table.values(sums)), [verdicts.LEVEL / 2, 1 - verdicts.LEVEL / 2], axis=0)
    return ends
