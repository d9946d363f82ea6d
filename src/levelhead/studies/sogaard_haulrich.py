"""Søgaard and Haulrich: how well the string and derivation perplexities of treebanks predict parsing accuracy."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from levelhead.campaign import OutputResult, check_valid
from levelhead.derivation import estimate, perplexity, sequences_of
from levelhead.derivation.perplexity import estimated_model
from levelhead.errors import Fault, InputError, Place, number_of
from levelhead.evaluation.setup import setup_of
from levelhead.report.charts.point_charts import Named, cloud, curves
from levelhead.significance import SystemCounts, separated_shares, spawned
from levelhead.studies.parsers import outputs_of
from levelhead.studies.request import (
    Parts,
    StudyRequest,
    counts_of,
    format_of,
    parts_of,
    read_treebank,
    run_tasks,
    score_files,
)
from levelhead.studies.study import Claim, Study, StudySection, columns, printed, table_section
from levelhead.studies.verdicts import (
    Cell,
    contrast_interval,
    estimate_shown,
    joint_verdict,
    mean,
    mean_interval,
    pearson,
    resampled_estimate,
    shown,
    verdict_of_effect,
)

NAME = "sogaard-haulrich"
PRINTED = printed("sogaard_haulrich")
ORDER = "swap-lazy"
PARSERS = ("arc-eager", "arc-standard", "swap-eager", "swap-lazy")
SIZES = (200, 500, 1000, 2000)
LEVEL = 0.025  # the significance level of the one-sided tests that separate two parsers

MODEL = "training"  # the name of the language model of the training set, as in `DPPL(training)`

COUNTED = {"UAS": "UAS", "EM": "UEM", "P": f"DPPL({MODEL})"}  # the measures, by the names that the paper uses

PAIRS = {"P/UAS": ("P", "UAS"), "P/EM": ("P", "EM"), "UAS/EM": ("UAS", "EM")}
ACCURACIES = ("best", "average")

Row = Mapping[str, Any]


class TreebankPerplexities(NamedTuple):
    """The perplexities of a treebank in both orders, its number of training words, and accuracies of parsers."""

    name: str
    groups: tuple[str, ...]
    size: int
    string: float
    derivation: float
    accuracies: Mapping[str, float]

    @property
    def increase(self) -> float:
        """The increase from string to derivation perplexity, as a share of string perplexity."""
        return self.derivation / self.string - 1


Predictors = Mapping[str, Callable[[TreebankPerplexities], float]]
# the predictors of accuracy, in the order of the printed table
PREDICTORS: Predictors = {
    "treebank size": lambda row: row.size,
    "size over string perplexity": lambda row: row.size / row.string,
    "size over derivation perplexity": lambda row: row.size / row.derivation,
}

_PARTS: Predictors = {
    "log of size": lambda row: math.log(row.size),
    "string perplexity alone": lambda row: row.string,
    "derivation perplexity alone": lambda row: row.derivation,
    "log of size over string perplexity": lambda row: math.log(row.size / row.string),
    "log of size over derivation perplexity": lambda row: math.log(row.size / row.derivation),
}

_UNSWAPPED = "no swaps needed"


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    treebanks = {
        code: parts for code, parts in parts_of(request).items()
        if (parts.train and parts.tested != parts.train) or request.quick
    }  # fmt: skip
    files = {code: (parts.training, parts.tested) for code, parts in treebanks.items()}
    rows = run_tasks(NAME, perplexities, files, request)
    known = {code: row for code, row in rows.items() if row["string"] and row["derivation"]}
    median = float(np.median([row["size"] for row in known.values()])) if known else 0.0
    listed = []
    for code, row in known.items():
        groups = ("large" if row["size"] >= median else "small", *([] if row["swaps"] else [_UNSWAPPED]))
        # only UD treebanks have accuracies: a CoNLL-X file with the same code (`de-test.conll`) is another treebank
        in_ud = format_of(treebanks[code].tested) == "conllu"
        official = (PRINTED["conll17"].get(code) or PRINTED["conll18"].get(code) or {}) if in_ud else {}
        accuracies = {name: official[name] for name in ACCURACIES if name in official}
        listed.append(TreebankPerplexities(code, groups, row["size"], row["string"], row["derivation"], accuracies))
    parsers = _parsers(request, treebanks)
    sections = (
        *_tables_of_perplexities(listed, rows), *_tables_of_accuracies(listed), *_tables_of_parsers(parsers, request),
    )  # fmt: skip
    claims = (*claims_on_treebanks(listed, request), *claims_on_parsers(parsers, request))
    signature = {"order": ORDER, "ngram": "3", "smoothing": "modified-kneser-ney"}
    setting = _setting(listed, treebanks, rows, request)
    return Study(NAME, PRINTED["title"], PRINTED["source"], setting, sections, claims, signature)


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


def perplexities(train: Path, test: Path) -> dict[str, float | int | None]:
    """Return sizes, perplexities without unknown words, swaps, and training sentences with several roots."""
    treebank, tested = read_treebank(train), read_treebank(test)
    values: dict[str, float | int | None] = {"size": treebank.n_words}
    for name, order in (("string", "string"), ("derivation", ORDER)):
        result = perplexity(estimate(sequences_of(treebank, order)), tested, order)
        values |= {name: result.excluding_oov, "oov": result.oov, "words": tested.n_words}
    roots = np.bincount(treebank.sentence_of_word[treebank.heads < 0], minlength=len(treebank))
    values["several roots"] = int((roots > 1).sum())
    values["swaps"] = int(sequences_of(treebank, ORDER).swaps.sum())
    return values


def _parsers(request: StudyRequest, treebanks: Mapping[str, Parts]) -> dict[str, Row]:
    outputs: dict[str, dict[str, Path]] = {}
    for parser in PARSERS:
        if request.systems is not None and not (request.systems / parser).is_dir():
            continue
        for code, path in outputs_of(request, parser, treebanks).items():
            outputs.setdefault(code, {})[parser] = path
    scored = {code: score_parsers(treebanks[code], files, request) for code, files in outputs.items() if len(files) > 2}
    draws = request.resamples // 4, request.seed
    arguments = {
        code: (counts_of(results.values(), COUNTED.values()).tolist(), *draws) for code, results in scored.items()
    }
    shares = run_tasks(f"{NAME}, pairs of parsers", separated, arguments, request)
    return {code: {**values_of(results), "separated": shares[code]} for code, results in scored.items()}


def score_parsers(parts: Parts, outputs: Mapping[str, Path], request: StudyRequest) -> dict[str, OutputResult]:
    weights = {MODEL: estimated_model(read_treebank(parts.training), ORDER)}
    files = {parser: {parts.code: path} for parser, path in outputs.items()}
    setup = setup_of(("Words", "Sentences", *COUNTED.values()), weights=weights)
    results = check_valid(score_files({parts.code: parts.tested}, files, setup, request, by_sentence=True)).results
    for parser, path in outputs.items():
        scores = results[parser, parts.code].scores
        if scores["Words"].value != 1 or scores["Sentences"].value != 1:
            message = "its words or sentences differ from the test set: perplexities require outputs on gold words"
            raise InputError(Fault("not-gold-words", message, Place(os.fspath(path))))
    return {parser: results[parser, parts.code] for parser in outputs}


def values_of(results: Mapping[str, OutputResult]) -> dict[str, list[float | None]]:
    return {name: [result.scores[text].value for result in results.values()] for name, text in COUNTED.items()}


def separated(parts: Sequence[Any], resamples: int, seed: int) -> dict[str, list[float]]:
    table = SystemCounts(("",) * len(parts[0]), tuple(COUNTED), np.array(parts), perplexities=(2,))
    shares_by_size: dict[str, list[float]] = {}
    for size, size_seed in zip(SIZES, spawned(seed, len(SIZES))):
        if size <= len(parts):
            shares = separated_shares(table, 0, size, min(10, len(parts) // size * 5), resamples, LEVEL, size_seed)
            if shares is not None:
                shares_by_size[str(size)] = shares.tolist()
    return shares_by_size


def group_averages(rows: Sequence[TreebankPerplexities]) -> list[tuple[str, int, float, float, float, float]]:
    """Return the size, average perplexities, the increase between them, and the mean increase of each group."""
    averages = []
    for name in dict.fromkeys(group for row in rows for group in row.groups):
        members = [(row.string, row.derivation, row.increase) for row in rows if name in row.groups]
        string, derivation, increase = (math.fsum(values) / len(members) for values in zip(*members))
        averages.append((name, len(members), string, derivation, derivation / string - 1, increase))
    return averages


def _tables_of_perplexities(listed: Sequence[TreebankPerplexities], rows: Mapping[str, Row]) -> Iterator[StudySection]:
    points = [Named(row.name, row.string, row.derivation) for row in listed]
    yield table_section(
        "Perplexities of treebanks",
        columns(text="treebank", number=("training words", "swaps", "string", "derivation"),
                ratio=("increase", "unknown words"))
        | columns(number=("best UAS", "average UAS")),
        [
            (row.name, row.size, rows[row.name]["swaps"], row.string, row.derivation, row.increase,
             rows[row.name]["oov"] / rows[row.name]["words"], *map(row.accuracies.get, ACCURACIES))
            for row in sorted(listed, key=lambda row: -row.size)
        ],
        figure=cloud("String and derivation perplexity", points, "string", "derivation") if points else None,
    )  # fmt: skip
    published = [
        (f"{name} (printed)", None, row["string"], row["derivation"], row["increase"] / 100, None)
        for name, row in PRINTED["averages"].items()
    ]
    yield table_section(
        "Section 5: average perplexities",
        columns(text="group", number=("treebanks", "string", "derivation"), ratio=("increase", "mean increase")),
        [*published, *group_averages([row._replace(groups=("all", *row.groups)) for row in listed])],
        "The printed increases of the second and third group do not follow from the printed averages, which would"
        " give 58.9% and 61.0%; they may be means over treebanks. For our groups, the table has both.",
    )


def correlations(
    rows: Sequence[TreebankPerplexities], accuracy: str, predictors: Predictors = PREDICTORS
) -> list[Cell]:
    """Return the correlation of each predictor with an accuracy (section 4.3), over the treebanks that have it."""
    accuracies = [row.accuracies.get(accuracy) for row in rows]
    return [pearson(zip(map(predict, rows), accuracies))[0] for predict in predictors.values()]


def _tables_of_accuracies(listed: Sequence[TreebankPerplexities]) -> Iterator[StudySection]:
    in_print = PRINTED["correlations"]
    points = [  # logarithms, since sizes may differ by a factor of a hundred
        Named(row.name, math.log10(row.size / row.derivation), value, f"{kind} UAS")
        for row in listed
        for kind, value in row.accuracies.items()
    ]
    ours = zip(*(correlations(listed, kind) for kind in ACCURACIES))
    n = max(sum(kind in row.accuracies for row in listed) for kind in ACCURACIES)
    title, ratio = "Size over derivation perplexity, and accuracy", "log10(size / perplexity)"
    yield table_section(
        "Section 5.1: perplexity and accuracy",
        columns(text="predictor",
                number=(*(f"{name} (printed)" for name in in_print["treebank size"]), "UD best", "UD average")),
        [(name, *row.values(), *pair) for name, row, pair in zip(PREDICTORS, in_print.values(), ours)],
        f"Pearson's correlation with UAS over {n} UD treebanks. The first row is size alone.",
        figure=cloud(title, points, ratio, "UAS") if points else None,
    )  # fmt: skip
    sizes, strings, derivations = (
        f"{max(values) / min(values):.3g}" if values else "-"
        for values in ([getattr(row, name) for row in listed] for name in ("size", "string", "derivation"))
    )
    yield table_section(
        "The parts of the ratios",
        columns(text="predictor", number=("UD best", "UD average")),
        zip(_PARTS, *(correlations(listed, kind, _PARTS) for kind in ACCURACIES)),
        f"The largest size is {sizes} times the smallest; for string perplexity, the factor is {strings}, and for"
        f" derivation perplexity {derivations}. If sizes vary much more than perplexities, size over either"
        " perplexity is mostly size.",
    )


def _over_parsers(parsers: Mapping[str, Row], pair: str) -> list[Cell]:
    """The correlation of two measures over parsers, for each treebank."""
    x, y = PAIRS[pair]
    return [pearson(zip(row[x], row[y]))[0] for row in parsers.values()]


def _tables_of_parsers(parsers: Mapping[str, Row], request: StudyRequest) -> Iterator[StudySection]:
    title = "Section 5.2: perplexity as a metric for parsers"
    if not parsers:
        yield StudySection(title, ("No outputs of the four transition systems on gold words were given.",))
        return
    cells = []
    for name, (x, y) in PAIRS.items():
        r, p, _ = pearson(pair for row in parsers.values() for pair in zip(row[x], row[y]))
        published = PRINTED["parsers"][name]
        by_treebank = _over_parsers(parsers, name)
        _, *bounds = mean_interval(by_treebank, *request.draws) or (None, None, None)
        cells.append((name, published["r"], mean(by_treebank), *bounds, r, published["p"], p))
    yield table_section(
        title,
        columns(
            text="pair",
            number=("printed", "mean over treebanks", "95% CI from", "95% CI to", "pooled"),
            probability=("p (printed)", "p (pooled)"),
        ),
        cells,
        f"{number_of(len(parsers), 'treebank')} and {len(PARSERS)} parsers. The printed p-values are those of a"
        " one-sided test with 14 pairs, which is neither the number of parsers (4) nor that of parsers times treebanks"
        " (28). Pooled pairs are not independent, since the parsers of a treebank share its difficulty. The 95%"
        " confidence interval of the mean comes from resampled treebanks.",
    )
    rows = []
    for size in SIZES:
        shares = [row["separated"][str(size)] for row in parsers.values() if str(size) in row["separated"]]
        if shares:
            rows.append((size, len(shares), *np.mean(shares, axis=0).tolist()))
    drawn = {name: [(row[0], 100 * row[i]) for row in rows] for i, name in enumerate(COUNTED, 2)}
    yield table_section(
        "Separating parsers on small test sets",
        columns(number=("sentences", "treebanks"), ratio=COUNTED),
        rows,
        "Shares of pairs of parsers that are separated on random test sets. A pair is separated if the parser with"
        " the higher UAS on the whole test set is significantly better on the random one, by one-sided paired"
        " randomization. All tests have a level of exactly 2.5%. An ordinary test of EM has a lower one, because many"
        " permutations tie. So ties at the critical value count as the fraction of a separation that makes the level"
        " exact (Lehmann and Romano 2005, section 15.2).",
        "Chance separates 2.5% of pairs by a measure that is independent of UAS, and more by one that correlates with"
        " UAS, since the random test sets are parts of the whole.",
        figure=curves("Separated pairs", drawn, "sentences", "separated pairs (%)") if rows else None,
    )


def claims_on_treebanks(listed: Sequence[TreebankPerplexities], request: StudyRequest) -> Iterator[Claim]:
    increases = [treebank.increase for treebank in listed]
    higher = mean_interval(increases, *request.draws)
    yield Claim("Derivation perplexity is higher than string perplexity", "section 5", verdict_of_effect(higher, 1),
                f"on {sum(value > 0 for value in increases)} of {len(increases)} treebanks; mean increase in percent:"
                f" {estimate_shown(higher, 1, 100)}")  # fmt: skip
    rows = [row for row in listed if row.accuracies]
    ours = "; ".join(
        f"{kind}: {', '.join(map(shown, correlations(rows, kind)))}"
        for kind in dict.fromkeys(kind for row in rows for kind in row.accuracies)
    )
    size, string, derivation = ([predict(row) for row in rows] for predict in PREDICTORS.values())
    for text, worse in (
        ("Size over derivation perplexity predicts accuracy better than size alone", size),
        ("Size over derivation perplexity predicts it better than size over string perplexity", string),
    ):
        estimates = {
            kind: contrast_interval([derivation, worse], [row.accuracies[kind] for row in rows],
                                    lambda r: r[:, 0] - r[:, 1], *request.draws)
            for kind in ACCURACIES
        }  # fmt: skip
        differences = ", ".join(f"{estimate_shown(value, 3)} ({kind})" for kind, value in estimates.items())
        yield Claim(text, "section 5.1", joint_verdict(verdict_of_effect(value, 1) for value in estimates.values()),
                    f"difference of r: {differences}; r of size, over string, over derivation: {ours or '-'}",
                    )  # fmt: skip


def claims_on_parsers(parsers: Mapping[str, Row], request: StudyRequest) -> Iterator[Claim]:
    texts = {
        "P/UAS": "Parsers with lower derivation perplexity have a higher UAS",
        "P/EM": "Parsers with lower derivation perplexity have more exact matches",
        "UAS/EM": "UAS and exact match correlate no better with each other than either does with perplexity",
    }
    missing = "no outputs of the four parsers"
    by_pair = {name: _over_parsers(parsers, name) for name in PAIRS}
    for name, text in texts.items():
        effect = mean_interval(by_pair[name], *request.draws)
        r = PRINTED["parsers"][name]["r"]
        evidence = f"mean r {name} {estimate_shown(effect)}, printed {r:.2f}"
        if name == "UAS/EM":
            known = np.array([row for row in zip(*by_pair.values()) if None not in row], dtype=np.float64)
            effect = resampled_estimate(  # how much more they correlate than either does with perplexity, sign reversed
                known.reshape(-1, 3), lambda r: r[..., 2] - np.maximum(-r[..., 0], -r[..., 1]), *request.draws
            )
            evidence += f"; minus the stronger of P/UAS and P/EM with reversed sign: {estimate_shown(effect)}"
        yield Claim(text, "section 5.2", verdict_of_effect(effect, -1), evidence if parsers else missing)
    text = "On small test sets, perplexity separates parsers that exact match does not separate"
    size = str(SIZES[0])
    shares = np.array([row["separated"][size] for row in parsers.values() if size in row["separated"]])
    if not len(shares):
        few = f"no test set has {size} or more sentences"
        yield Claim(text, "abstract and section 6", "no data", few if parsers else missing)
        return
    extra = mean_interval((shares[:, 2] - shares[:, 1]).tolist(), *request.draws)
    by_measure = ", ".join(f"{name} {value:.1%}" for name, value in zip(COUNTED, shares.mean(axis=0)))
    yield Claim(text, "abstract and section 6", verdict_of_effect(extra, 1),
                f"pairs separated in the direction of UAS with {size} sentences, {number_of(len(shares), 'treebank')}:"
                f" {by_measure}, by tests of exactly {LEVEL:.1%}; P minus EM in points"
                f" {estimate_shown(extra, 1, 100)}")  # fmt: skip
