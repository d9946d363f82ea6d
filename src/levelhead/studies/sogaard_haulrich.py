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
from levelhead.significance.jackknife import SystemCounts
from levelhead.significance.resampling import random_orders_within
from levelhead.studies import verdicts
from levelhead.studies.request import (
    Parts,
    StudyRequest,
    counts_of,
    format_of,
    outputs_of,
    parts_of,
    read_treebank,
    run_tasks,
    score_files,
)
from levelhead.studies.study import Claim, Study, StudySection, columns, printed, table_section
from levelhead.typology import count_treebank, profile

NAME = "sogaard-haulrich"
PRINTED = printed("sogaard_haulrich")
ORDER = "swap-lazy"
PARSERS = ("arc-eager", "arc-standard", "swap-eager", "swap-lazy")
SIZES = (200, 500, 1000, 2000)
MOST_SAMPLES = 10  # of each size from one test set
MODEL = "training"  # the name of the language model of the training set, as in `DPPL(training)`

COUNTED = {"UAS": "UAS", "EM": "UEM", "P": f"DPPL({MODEL})"}  # the measures, by the names that the paper uses

PAIRS = {"P/UAS": ("P", "UAS"), "P/EM": ("P", "EM"), "UAS/EM": ("UAS", "EM")}
ACCURACIES = ("best", "average")

Row = Mapping[str, Any]


class TreebankPerplexities(NamedTuple):
    """The perplexities of a treebank in both orders, its training words, accuracies of parsers, and vocabulary."""

    name: str
    groups: tuple[str, ...]
    size: int
    string: float
    derivation: float
    accuracies: Mapping[str, float]
    mattr: float | None = None  # the moving-average type/token ratio of the training set: higher with rich morphology

    @property
    def increase(self) -> float:
        return 100 * (self.derivation / self.string - 1)


Predictors = Mapping[str, Callable[[TreebankPerplexities], float]]
# the predictors of accuracy, in the order of the printed table
PREDICTORS: Predictors = {
    "treebank size": lambda row: row.size,
    "size over string perplexity": lambda row: row.size / row.string,
    "size over derivation perplexity": lambda row: row.size / row.derivation,
}

_UNSWAPPED = "no swaps needed"


def reproduce(request: StudyRequest) -> Study:
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
        numbers = row["size"], row["string"], row["derivation"]
        listed.append(TreebankPerplexities(code, groups, *numbers, accuracies, row["mattr"]))
    parsers = _parsers(request, treebanks)
    sections = (
        *_tables_of_perplexities(listed, rows), _table_of_accuracies(listed), *_tables_of_parsers(parsers),
    )  # fmt: skip
    claims = (*claims_on_treebanks(listed), *claims_on_parsers(parsers))
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
    unswapped = ", and the treebanks that need no swaps" if any(_UNSWAPPED in row.groups for row in listed) else ""
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
            f"{number_of(len(listed), 'treebank')} with training sets{without}. We train a trigram model on the"
            " training set and compute the perplexity of the test set (of the development set if there is none) without"
            " unknown words. The derivation order is that of swap-lazy. The paper does not define size; we use the"
            " number of words in the training set."
        ),
        (
            "The treebanks of 2006 and 2007 are not free, so we use UD. Accuracies are the UAS of the best team and the"
            " mean UAS of all teams in the CoNLL 2017 shared task on the same test sets, or else in the task of 2018."
            f"{conllx}"
        ),
        (
            f"Our groups are the half with smaller and the half with larger training sets{unswapped}. For"
            " morphology, which the paper does not measure, we use the moving-average type/token ratio (MATTR) of the"
            " training set."
        ),
    )


def perplexities(train: Path, test: Path) -> dict[str, Any]:
    treebank, tested = read_treebank(train), read_treebank(test)
    values: dict[str, Any] = {"size": treebank.n_words}
    values |= profile(count_treebank(treebank), columns=["mattr"]).values_by_name
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
    arguments = {
        code: (counts_of(results.values(), COUNTED.values()).tolist(), request.seed) for code, results in scored.items()
    }
    shares = run_tasks(f"{NAME}, pairs of parsers", shares_separated, arguments, request)
    return {code: {**values_of(results), "separated": shares[code]} for code, results in scored.items()}


def score_parsers(parts: Parts, outputs: Mapping[str, Path], request: StudyRequest) -> dict[str, OutputResult]:
    weights = {MODEL: estimated_model(read_treebank(parts.training), ORDER)}
    files = {parser: {parts.code: path} for parser, path in outputs.items()}
    setup = setup_of(("Words", "Sentences", *COUNTED.values()), weights=weights)
    results = check_valid(score_files({parts.code: parts.tested}, files, setup, request, by_sentence=True)).results
    for parser, path in outputs.items():
        scores = results[parser, parts.code].scores
        if scores["Words"].value != 100 or scores["Sentences"].value != 100:
            message = "its words or sentences differ from the test set: perplexities require outputs on gold words"
            raise InputError(Fault("not-gold-words", message, Place(os.fspath(path))))
    return {parser: results[parser, parts.code] for parser in outputs}


def values_of(results: Mapping[str, OutputResult]) -> dict[str, list[float | None]]:
    return {name: [result.scores[text].value for result in results.values()] for name, text in COUNTED.items()}


def shares_separated(parts: Sequence[Any], seed: int) -> dict[str, list[float]]:
    """Return the share of pairs of parsers that random samples of sentences separate by each measure, by their size."""
    table = SystemCounts(("",) * len(parts[0]), tuple(COUNTED), np.array(parts), perplexities=(2,))
    first, second = np.triu_indices(len(table.systems), 1)
    better = np.array([1, 1, -1])  # a lower perplexity is better

    def differences(sample: SystemCounts) -> verdicts.Numbers:
        values = sample.values(sample.parts.sum(axis=0)) * better
        return np.asarray(values[second] - values[first])

    signs = np.sign(differences(table)[:, :1])
    shares_by_size: dict[str, list[float]] = {}
    for size in SIZES if signs.any() else ():
        shares = []
        n_samples = min(MOST_SAMPLES, len(parts) // size * 5)
        for (order,) in random_orders_within([np.arange(len(parts))], n_samples, seed, 1):
            sample = table._replace(parts=table.parts[order[:size]])
            found = (verdicts.pair_p_values(sample, 1) < verdicts.LEVEL) & (np.sign(differences(sample)) == signs)
            shares.append(found[signs[:, 0] != 0].mean(axis=0))
        if shares:
            shares_by_size[str(size)] = np.mean(shares, axis=0).tolist()
    return shares_by_size


def group_averages(rows: Sequence[TreebankPerplexities]) -> list[tuple[str, int, float, float, float, float]]:
    averages = []
    for name in dict.fromkeys(group for row in rows for group in row.groups):
        members = [(row.string, row.derivation, row.increase) for row in rows if name in row.groups]
        string, derivation, increase = (math.fsum(values) / len(members) for values in zip(*members))
        averages.append((name, len(members), string, derivation, 100 * (derivation / string - 1), increase))
    return averages


def _tables_of_perplexities(listed: Sequence[TreebankPerplexities], rows: Mapping[str, Row]) -> Iterator[StudySection]:
    points = [Named(row.name, row.string, row.derivation) for row in listed]
    yield table_section(
        "Perplexities of treebanks",
        columns(text="treebank", number=("training words", "swaps", "string", "derivation"),
                percent=("increase", "unknown words"))
        | columns(number=("best UAS", "average UAS")),
        [
            (row.name, row.size, rows[row.name]["swaps"], row.string, row.derivation, row.increase,
             100 * rows[row.name]["oov"] / rows[row.name]["words"], *map(row.accuracies.get, ACCURACIES))
            for row in sorted(listed, key=lambda row: -row.size)
        ],
        figure=cloud("String and derivation perplexity", points, "string", "derivation") if points else None,
    )  # fmt: skip
    published = [
        (f"{name} (printed)", None, row["string"], row["derivation"], row["increase"], None)
        for name, row in PRINTED["averages"].items()
    ]
    yield table_section(
        "Section 5: average perplexities",
        columns(text="group", number=("treebanks", "string", "derivation"), percent=("increase", "mean increase")),
        [*published, *group_averages([row._replace(groups=("all", *row.groups)) for row in listed])],
        "The printed increases of the second and third group do not follow from the printed averages, which would"
        " give 58.9% and 61.0%. They may be means over treebanks.",
    )


def correlations(rows: Sequence[TreebankPerplexities], accuracy: str) -> list[verdicts.Cell]:
    accuracies = [row.accuracies.get(accuracy) for row in rows]
    return [_pearson(list(map(predict, rows)), accuracies) for predict in PREDICTORS.values()]


def _table_of_accuracies(listed: Sequence[TreebankPerplexities]) -> StudySection:
    in_print = PRINTED["correlations"]
    points = [  # logarithms, since sizes may differ by a factor of a hundred
        Named(row.name, math.log10(row.size / row.derivation), value, f"{kind} UAS")
        for row in listed
        for kind, value in row.accuracies.items()
    ]
    ours = zip(*(correlations(listed, kind) for kind in ACCURACIES))
    n = max(sum(kind in row.accuracies for row in listed) for kind in ACCURACIES)
    sizes, strings, derivations = (
        f"{max(values) / min(values):.3g}" if values else "-"
        for values in ([getattr(row, name) for row in listed] for name in ("size", "string", "derivation"))
    )
    title, ratio = "Size over derivation perplexity, and accuracy", "log10(size / perplexity)"
    return table_section(
        "Section 5.1: perplexity and accuracy",
        columns(text="predictor",
                number=(*(f"{name} (printed)" for name in in_print["treebank size"]), "UD best", "UD average")),
        [(name, *row.values(), *pair) for name, row, pair in zip(PREDICTORS, in_print.values(), ours)],
        f"Pearson's correlation with UAS over {n} UD treebanks. The first row is for size only. The largest size is"
        f" {sizes} times the smallest; for string perplexity, the factor is {strings}, and for derivation perplexity"
        f" {derivations}. So both ratios depend mostly on size.",
        figure=cloud(title, points, ratio, "UAS") if points else None,
    )  # fmt: skip


def _over_parsers(parsers: Mapping[str, Row], pair: str) -> dict[str, verdicts.Cell]:
    x, y = PAIRS[pair]
    return {code: _pearson(row[x], row[y]) for code, row in parsers.items()}


def _pearson(x: Sequence[verdicts.Cell], y: Sequence[verdicts.Cell]) -> verdicts.Cell:
    """Pearson's coefficient of complete pairs; None if it is undefined."""
    known = np.array([pair for pair in zip(x, y) if None not in pair], dtype=np.float64).reshape(-1, 2)
    return float(np.asarray(np.corrcoef(known.T))[0, 1]) if len(known) > 1 and np.ptp(known, axis=0).all() else None


def _tables_of_parsers(parsers: Mapping[str, Row]) -> Iterator[StudySection]:
    title = "Section 5.2: perplexity as a metric for parsers"
    if not parsers:
        yield StudySection(title, ("No outputs of the four transition systems on gold words were given.",))
        return
    cells = []
    for name in PAIRS:
        published, by_treebank = PRINTED["parsers"][name], _over_parsers(parsers, name)
        _, *bounds = (verdicts.mean_effect(by_treebank) or (None,) * 3)[:3]
        cells.append((name, published["r"], verdicts.mean(by_treebank.values()), *bounds, published["p"]))
    yield table_section(
        title,
        columns(
            text="pair",
            number=("printed", "mean over treebanks", "95% CI from", "95% CI to"),
            probability="p (printed)",
        ),
        cells,
        f"{number_of(len(parsers), 'treebank')} and {len(PARSERS)} parsers. The printed p-values are those of a"
        " one-sided test with 14 pairs, which is neither the number of parsers (4) nor that of parsers times treebanks"
        " (28).",
    )
    rows = []
    for size in SIZES:
        shares = [row["separated"][str(size)] for row in parsers.values() if str(size) in row["separated"]]
        if shares:
            rows.append((size, len(shares), *(100 * np.mean(shares, axis=0)).tolist()))
    drawn = {name: [(row[0], row[i]) for row in rows] for i, name in enumerate(COUNTED, 2)}
    yield table_section(
        "Separating parsers on small test sets",
        columns(number=("sentences", "treebanks"), percent=COUNTED),
        rows,
        "How often the parser with the higher UAS on the whole test set is significantly better on a random sample, at"
        " the one-sided level of 2.5%. By chance, a measure that is independent of UAS separates 2.5% of pairs; a"
        " measure that correlates with UAS separates more.",
        figure=curves("Separated pairs", drawn, "sentences", "separated pairs (%)") if rows else None,
    )


def claims_on_treebanks(listed: Sequence[TreebankPerplexities]) -> Iterator[Claim]:
    size, over_string, over_derivation = PREDICTORS.values()
    found = {
        kind: verdicts.correlation({row.name: (over_derivation(row), row.accuracies.get(kind)) for row in listed})[0]
        for kind in ACCURACIES
    }
    yield Claim("Size over derivation perplexity correlates with accuracy", "abstract, section 5.1",
                verdicts.verdict_of_effects(*((r, 1) for r in found.values())),
                ", ".join(f"r with {kind} UAS {verdicts.estimate_shown(r)}" for kind, r in found.items())
                + "; printed 0.47 and 0.51 (2006), 0.81 and 0.74 (2007)")  # fmt: skip
    orders: dict[str, Callable[[TreebankPerplexities], float]] = {
        "string": lambda row: math.log(row.string), "derivation": lambda row: math.log(row.derivation)
    }  # fmt: skip
    related = {
        name: verdicts.correlation({row.name: (predict(row), row.mattr, math.log(row.size)) for row in listed})[0]
        for name, predict in orders.items()
    }
    yield Claim("Perplexity is orthogonal to morphological complexity", "abstract, section 5.1",
                verdicts.agreed_verdict(map(verdicts.verdict_of_equality, related.values())),
                "r of log perplexity and MATTR, given log size: "
                + ", ".join(f"{verdicts.estimate_shown(r)} ({name})" for name, r in related.items())
                + f"; orthogonal means within {verdicts.MARGIN}")  # fmt: skip
    increases = {row.name: row.increase for row in listed}
    higher = verdicts.mean_effect(increases)
    on = verdicts.count_of_true({name: value > 0 for name, value in increases.items()})
    yield Claim("Derivation perplexity is higher than string perplexity", "section 5",
                verdicts.verdict_of_effects((higher, 1)),
                f"mean increase in percent {verdicts.estimate_shown(higher, 1)}, higher on {on} treebanks")  # fmt: skip
    rows = [row for row in listed if row.accuracies]
    for text, worse in (
        ("Size over derivation perplexity predicts accuracy better than size alone", size),
        ("Size over derivation perplexity predicts it better than size over string perplexity", over_string),
    ):
        changes = {
            kind: verdicts.correlation_change(
                verdicts.by_language(
                    {row.name: (over_derivation(row), worse(row), row.accuracies[kind]) for row in rows}
                )
            )
            for kind in ACCURACIES
        }
        yield Claim(text, "section 5.1", verdicts.verdict_of_effects(*((change, 1) for change in changes.values())),
                    "difference of r: "
                    + ", ".join(f"{verdicts.estimate_shown(change, 3)} ({kind})" for kind, change in changes.items()),
                    )  # fmt: skip


def claims_on_parsers(parsers: Mapping[str, Row]) -> Iterator[Claim]:
    missing = "no outputs of the four parsers"
    by_pair = {name: _over_parsers(parsers, name) for name in PAIRS}
    for name, text in (
        ("P/UAS", "Parsers with lower derivation perplexity have a higher UAS"),
        ("P/EM", "Parsers with lower derivation perplexity have more exact matches"),
    ):
        effect = verdicts.mean_effect(by_pair[name])
        evidence = f"mean r {name} {verdicts.estimate_shown(effect)}, printed {PRINTED['parsers'][name]['r']:.2f}"
        yield Claim(text, "section 5.2", verdicts.verdict_of_effects((effect, -1)), evidence if parsers else missing)
    for name in ("UAS", "EM"):
        apart = {
            code: None if r is None or (between := by_pair["UAS/EM"][code]) is None else -r - between
            for code, r in by_pair[f"P/{name}"].items()
        }
        effect = verdicts.mean_effect(apart)
        evidence = (
            f"mean -r P/{name} minus r UAS/EM {verdicts.estimate_shown(effect)}; equal means within {verdicts.MARGIN}"
        )
        yield Claim(f"Perplexity correlates with {name} as well as UAS and exact match with each other", "section 5.2",
                    verdicts.verdict_of_equality(effect), evidence if parsers else missing)  # fmt: skip
    text = "On small test sets, perplexity separates parsers that exact match does not separate"
    size = str(SIZES[0])
    shares = {code: row["separated"][size] for code, row in parsers.items() if size in row["separated"]}
    if not shares:
        few = f"no test set has {size} or more sentences"
        yield Claim(text, "abstract, section 6", "no data", few if parsers else missing)
        return
    extra = verdicts.mean_effect({code: of_p - of_em for code, (_, of_em, of_p) in shares.items()})
    by_measure = ", ".join(
        f"{name} {verdicts.mean(column):.1%}" for name, column in zip(COUNTED, zip(*shares.values()))
    )
    yield Claim(text, "abstract, section 6", verdicts.verdict_of_effects((extra, 1)),
                f"pairs separated in the direction of UAS with {size} sentences, {number_of(len(shares), 'treebank')}:"
                f" {by_measure}; P minus EM in points {verdicts.estimate_shown(extra, 1, 100)}")  # fmt: skip
