"""Søgaard and Haulrich: how well the string and derivation perplexities of treebanks predict parsing accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from levelhead.errors import number_of
from levelhead.studies.parsers import outputs_of
from levelhead.studies.request import Parts, StudyRequest, format_of, parts_of, run_tasks, signature
from levelhead.studies.sogaard_haulrich_tables import (
    COUNTED,
    LEVEL,
    NAME,
    ORDER,
    PAIRS,
    PARSERS,
    SIZES,
    Row,
    TreebankPerplexities,
    accuracy_tables,
    averages_of_groups,
    closest_pair,
    correlations,
    counts_of,
    mean_correlation,
    parser_tables,
    perplexities,
    perplexity_table,
    score_parsers,
    separated,
    values_of,
)
from levelhead.studies.study import Claim, Study, printed
from levelhead.studies.verdicts import (
    contrast_interval,
    estimate_shown,
    joint_verdict,
    mean_interval,
    shown,
    verdict_of_effect,
)

_UNSWAPPED = "no swaps needed"


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    numbers = printed("sogaard_haulrich")
    treebanks = {
        code: parts for code, parts in parts_of(request).items()
        if (parts.train and parts.tested != parts.train) or request.quick
    }  # fmt: skip
    files = {code: (parts.training, parts.tested) for code, parts in treebanks.items()}
    rows = run_tasks(NAME, perplexities, files, request)
    listed = _treebank_perplexities(rows, numbers, treebanks)
    judged_parsers = _parsers(request, treebanks)
    sections = (
        perplexity_table(listed, rows), averages_of_groups(listed, numbers), *accuracy_tables(listed, numbers),
        *parser_tables(judged_parsers, numbers, request),
    )  # fmt: skip
    claims = (*claims_on_treebanks(listed, request), *claims_on_parsers(judged_parsers, numbers, request))
    signed = signature(request, order=ORDER, ngram="3", smoothing="modified-kneser-ney")
    setting = _setting(listed, treebanks, rows, request)
    return Study(NAME, numbers["title"], numbers["source"], setting, sections, claims, signed)


def _setting(
    listed: Sequence[TreebankPerplexities],
    treebanks: Mapping[str, Parts],
    rows: Mapping[str, Row],
    request: StudyRequest,
) -> tuple[str, ...]:
    other = [row.name for row in listed if treebanks[row.name].train is None]
    without = f" (another part if there is none: {', '.join(other)})" if other else ""
    unswapped = ", and those that need no swaps" if any(_UNSWAPPED in row.groups for row in listed) else ""
    files = [code for code, parts in treebanks.items() if format_of(parts.tested) == "conllx"]
    conllx = f" CoNLL-X files ({', '.join(files)}) have no accuracies, since the shared tasks used UD." if files else ""
    rooted = {code: row["several roots"] for code, row in rows.items() if row["several roots"]}
    if rooted and request.trainer is not None and request.systems is None:
        conllx += (
            f" Some training sentences have several roots ({sum(rooted.values()):,} in all: {', '.join(rooted)}). For"
            " our parsers, the other roots are attached to the first one; perplexities and test sets use the trees as"
            " annotated."
        )
    return (
        (
            f"{number_of(len(listed), 'treebank')} with training sets{without}. Perplexity is that of the test set"
            " (of the development set if there is none), without unknown words, under a trigram model of the training"
            " set with interpolated modified Kneser-Ney smoothing. The derivation order is that of the swap-lazy"
            " oracle. Size is the number of words in the training set; the paper does not define it."
        ),
        (
            "The treebanks of 2006 and 2007 are not free, so we use UD treebanks. Accuracies are the UAS of the best"
            " team and the mean UAS of all teams in the CoNLL 2017 shared task (official results, from raw text, on the"
            f" same test sets); for treebanks that were not part of it, those of 2018 if available.{conllx}"
        ),
        (
            "The paper's groups do not exist for UD. Our groups: treebanks by the size of their training set (halves)"
            f"{unswapped}."
        ),
    )


def _treebank_perplexities(
    rows: Mapping[str, Row], numbers: Mapping[str, Any], treebanks: Mapping[str, Parts]
) -> list[TreebankPerplexities]:
    """The treebanks with their groups and accuracies; treebanks without a perplexity are left out.

    Only UD treebanks have accuracies: a CoNLL-X file with the same code (`de-test.conll`) is a different treebank.
    """
    known = {code: row for code, row in rows.items() if row["string"] and row["derivation"]}
    median = float(np.median([row["size"] for row in known.values()])) if known else 0.0
    listed = []
    for code, row in known.items():
        size = "large" if row["size"] >= median else "small"
        groups = (size, _UNSWAPPED) if not row["swaps"] else (size,)
        in_ud = format_of(treebanks[code].tested) == "conllu"
        official = (numbers["conll17"].get(code) or numbers["conll18"].get(code) or {}) if in_ud else {}
        accuracies = {name: official[name] for name in ("best", "average") if name in official}
        listed.append(TreebankPerplexities(code, groups, row["size"], row["string"], row["derivation"], accuracies))
    return listed


def _parsers(request: StudyRequest, treebanks: Mapping[str, Parts]) -> dict[str, Row]:
    outputs: dict[str, dict[str, Path]] = {}
    for parser in PARSERS:
        if request.systems is not None and not (request.systems / parser).is_dir():
            continue
        for code, path in outputs_of(request, parser, treebanks).items():
            outputs.setdefault(code, {})[parser] = path
    scored = {code: score_parsers(treebanks[code], files, request) for code, files in outputs.items() if len(files) > 2}
    draws = request.resamples // 4, request.seed
    arguments = {code: (counts_of(results).tolist(), *draws) for code, results in scored.items()}
    shares = run_tasks(f"{NAME}, pairs of parsers", separated, arguments, request)
    return {code: {**values_of(results), "separated": shares[code]} for code, results in scored.items()}


def claims_on_treebanks(listed: Sequence[TreebankPerplexities], request: StudyRequest) -> list[Claim]:
    """Check the claims about treebanks."""
    increases = [treebank.increase for treebank in listed]
    higher = mean_interval(increases, *request.draws)
    evidence = "; ".join(
        f"{row.accuracy}: {shown(row.size)}, {shown(row.size_over_string)}, {shown(row.size_over_derivation)}"
        for row in correlations(listed)
    )
    rows = [row for row in listed if row.accuracies]
    size, string, derivation = (
        [row.size / per(row) for row in rows]
        for per in (lambda _: 1, lambda row: row.string, lambda row: row.derivation)
    )
    return [
        Claim("Derivation perplexity is higher than string perplexity", "section 5", verdict_of_effect(higher, 1),
              f"on {sum(value > 0 for value in increases)} of {len(increases)} treebanks; mean increase in percent:"
              f" {estimate_shown(higher, 1, 100)}"),
        _compared("Size over derivation perplexity predicts accuracy better than size alone", derivation, size,
                  evidence, rows, request),
        _compared("Size over derivation perplexity predicts it better than size over string perplexity", derivation,
                  string, evidence, rows, request),
    ]  # fmt: skip


def _compared(
    text: str, better: Sequence[float], worse: Sequence[float], numbers_text: str,
    rows: Sequence[TreebankPerplexities], request: StudyRequest,
) -> Claim:  # fmt: skip
    """Check whether one predictor correlates more with both accuracies than another."""
    estimates = {
        kind: contrast_interval([better, worse], [row.accuracies[kind] for row in rows], lambda r: r[:, 0] - r[:, 1],
                                *request.draws)
        for kind in ("best", "average")
    }  # fmt: skip
    verdict = joint_verdict(verdict_of_effect(estimate, 1) for estimate in estimates.values())
    differences = ", ".join(f"{estimate_shown(value, 3)} ({kind})" for kind, value in estimates.items())
    evidence = f"difference of r: {differences}; r of size, over string, over derivation: {numbers_text or '-'}"
    return Claim(text, "section 5.1", verdict, evidence)


def claims_on_parsers(parsers: Mapping[str, Row], numbers: Mapping[str, Any], request: StudyRequest) -> list[Claim]:
    """Check the claims about parsers."""
    texts = {
        "P/UAS": "Parsers with lower derivation perplexity have a higher UAS",
        "P/EM": "Parsers with lower derivation perplexity have more exact matches",
        "UAS/EM": "UAS and exact match correlate no better with each other than either does with perplexity",
    }
    small, place = "On small test sets, perplexity separates parsers that exact match does not separate", "section 5.2"
    if not parsers:
        missing = "no outputs of the four parsers"
        claimed = [*((text, place) for text in texts.values()), (small, _SMALL)]
        return [Claim(text, place, "no data", missing) for text, place in claimed]
    means = {name: mean_correlation(parsers, name, *request.draws) for name in PAIRS}
    evidence = {
        name: f"mean r {name} {estimate_shown(means[name])}, printed {numbers['parsers'][name]['r']:.2f}"
        for name in PAIRS
    }
    closest = closest_pair(parsers, *request.draws)
    return [
        *(Claim(texts[name], place, verdict_of_effect(means[name], -1), evidence[name]) for name in ("P/UAS", "P/EM")),
        Claim(texts["UAS/EM"], place, verdict_of_effect(closest, -1),
              f"{evidence['UAS/EM']}; minus the stronger of P/UAS and P/EM with reversed sign:"
              f" {estimate_shown(closest)}"),
        _claim_on_small_sets(small, parsers, request),
    ]  # fmt: skip


_SMALL = "abstract and section 6"
"""The places where the paper discusses small test sets."""


def _claim_on_small_sets(text: str, parsers: Mapping[str, Row], request: StudyRequest) -> Claim:
    """Check whether perplexity separates more pairs of parsers than exact match on the smallest test sets."""
    size = str(SIZES[0])
    shares = np.array([row["separated"][size] for row in parsers.values() if size in row["separated"]])
    if not len(shares):
        return Claim(text, _SMALL, "no data", f"no test set has {size} or more sentences")
    extra = mean_interval((shares[:, 2] - shares[:, 1]).tolist(), *request.draws)
    by_measure = ", ".join(f"{name} {value:.1%}" for name, value in zip(COUNTED, shares.mean(axis=0)))
    evidence = (
        f"pairs separated in the direction of UAS with {size} sentences, {number_of(len(shares), 'treebank')}:"
        f" {by_measure}, by tests of exactly {LEVEL:.1%}; P minus EM in points {estimate_shown(extra, 1, 100)}"
    )
    return Claim(text, _SMALL, verdict_of_effect(extra, 1), evidence)
