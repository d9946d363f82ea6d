"""Søgaard and Haulrich: string and derivation perplexities of treebanks, and what they say of parsers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from levelhead.report.page.plots import Named, cloud, curves
from levelhead.report.page.svg import Drawing
from levelhead.report.table import Column, Table
from levelhead.studies.numbers import pearson
from levelhead.studies.parses import outputs_of
from levelhead.studies.parts import Parts, format_of, parts_of
from levelhead.studies.printed_numbers import printed
from levelhead.studies.request import Request, Task, done, signature
from levelhead.studies.sogaard_haulrich_averages import TreebankPerplexities, correlations, group_averages
from levelhead.studies.sogaard_haulrich_claims import claims_on_parsers, claims_on_treebanks
from levelhead.studies.sogaard_haulrich_measures import (
    NAME,
    ORDER,
    PAIRS,
    PARSERS,
    SIZES,
    Row,
    averaged,
    judge_parsers,
    mean_correlation,
    perplexities,
    pooled,
)
from levelhead.studies.study import Section, Study


def reproduce(request: Request) -> Study:
    """Run the study.

    Args:
        request: treebanks with training sets; outputs of the four parsers on gold words in folders of their names.

    Raises:
        InputError: a file is not valid, or an output is not on gold words.
    """
    numbers = printed(NAME)
    treebanks = {
        code: parts for code, parts in parts_of(request).items()
        if (parts.train and parts.tested != parts.train) or request.quick
    }  # fmt: skip
    tasks = [Task(code, perplexities, (parts.training, parts.tested)) for code, parts in treebanks.items()]
    rows = done(NAME, tasks, request)
    listed = _listed(rows, numbers, treebanks)
    judged_parsers = _parsers(request, treebanks)
    sections = (
        _perplexities(listed, rows), _averages(listed, numbers), *_accuracies(listed, numbers),
        *_of_parsers(judged_parsers, numbers, request),
    )  # fmt: skip
    claims = (*claims_on_treebanks(listed, request), *claims_on_parsers(judged_parsers, numbers, request))
    signed = signature(request, order=ORDER, ngram="3", smoothing="modified-kneser-ney")
    setting = _setting(listed, treebanks, rows, request)
    return Study(NAME, numbers["title"], numbers["source"], setting, sections, claims, signed)


def _setting(
    listed: Sequence[TreebankPerplexities], treebanks: Mapping[str, Parts], rows: Mapping[str, Row], request: Request
) -> tuple[str, ...]:
    unswapped = ", and those that need no swap" if any(_UNSWAPPED in one.groups for one in listed) else ""
    return (
        (
            f"{_trained(listed, treebanks)}; perplexity of the test set (of the development set where"
            " there is none) under a trigram model of the training set, interpolated modified Kneser-Ney, without"
            " unknown words; derivation order of the swap-lazy oracle. Size is the words of the training set: the paper"
            " does not define it."
        ),
        (
            "The treebanks of 2006 and 2007 are not free. UD treebanks stand in, with the UAS of the best team and the"
            " mean of all teams in the official results of the CoNLL 2017 shared task (from raw text, on the same test"
            " sets) as accuracies; treebanks that are not in it have the results of 2018 if their code is there."
            f"{_conllx(treebanks, rows, request)}"
        ),
        (
            "The paper's groups do not exist for UD. Ours: treebanks by the size of their training set (halves)"
            f"{unswapped}."
        ),
    )


def _conllx(treebanks: Mapping[str, Parts], rows: Mapping[str, Row], request: Request) -> str:
    """What to say of treebanks in CoNLL-X, if there are any."""
    files = [code for code, parts in treebanks.items() if format_of(parts.tested) == "conllx"]
    rooted = {code: row["several roots"] for code, row in rows.items() if row["several roots"]}
    told = f" CoNLL-X files ({', '.join(files)}) have no accuracies: these are of UD." if files else ""
    if not rooted or request.trainer is None or request.systems is not None:
        return told
    n = sum(rooted.values())
    return (
        f"{told} Training sentences with several roots ({n:,} in all: {', '.join(rooted)}): our parsers learn from them"
        " with the other roots hung from the first; perplexities and test sets are of the trees as they are."
    )


def _trained(listed: Sequence[TreebankPerplexities], treebanks: Mapping[str, Parts]) -> str:
    """How many treebanks there are, and which of them have no training set."""
    other = [one.name for one in listed if treebanks[one.name].train is None]
    without = f" (another part, for want of one: {', '.join(other)})" if other else ""
    return f"{len(listed)} treebanks with training sets{without}"


def _reach(values: Iterable[float]) -> str:
    """The largest of some values over the smallest."""
    known = list(values)
    return f"{max(known) / min(known):.3g}" if known else "-"


_UNSWAPPED = "no swaps needed"


def _listed(
    rows: Mapping[str, Row], numbers: Mapping[str, Any], treebanks: Mapping[str, Parts]
) -> list[TreebankPerplexities]:
    """The treebanks with their groups and accuracies; those without a perplexity are left out.

    Accuracies are of UD treebanks: a CoNLL-X file of the same code (`de-test.conll`) is another treebank.
    """
    known = {code: row for code, row in rows.items() if row["string"] and row["derivation"]}
    middle = float(np.median([row["size"] for row in known.values()])) if known else 0.0
    found = []
    for code, row in known.items():
        size = "large" if row["size"] >= middle else "small"
        groups = (size, _UNSWAPPED) if not row["swaps"] else (size,)
        in_ud = format_of(treebanks[code].tested) == "conllu"
        official = (numbers["conll17"].get(code) or numbers["conll18"].get(code) or {}) if in_ud else {}
        accuracies = {name: official[name] for name in ("best", "average") if name in official}
        found.append(TreebankPerplexities(code, groups, row["size"], row["string"], row["derivation"], accuracies))
    return found


def _numbers(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, "number") for name in names)


def _perplexities(listed: Sequence[TreebankPerplexities], rows: Mapping[str, Row]) -> Section:
    columns = (Column("treebank", "text"), *_numbers("training words", "swaps", "string", "derivation"),
               Column("increase"), Column("unknown words"), *_numbers("best UAS", "average UAS"))  # fmt: skip
    cells = tuple(
        (one.name, one.size, rows[one.name]["swaps"], one.string, one.derivation, one.increase,
         rows[one.name]["oov"] / rows[one.name]["words"], one.accuracies.get("best"), one.accuracies.get("average"))
        for one in sorted(listed, key=lambda one: -one.size)
    )  # fmt: skip
    points = [Named(one.name, one.string, one.derivation) for one in listed]
    figure = cloud("String and derivation perplexity", points, "string", "derivation") if points else None
    return Section("Perplexities of treebanks", (), Table(columns, cells), figure)


def _averages(listed: Sequence[TreebankPerplexities], numbers: Mapping[str, Any]) -> Section:
    columns = (Column("group", "text"), *_numbers("treebanks", "string", "derivation"), Column("increase"),
               Column("mean increase"))  # fmt: skip
    theirs = [
        (f"{name} (printed)", None, row["string"], row["derivation"], row["increase"] / 100, None)
        for name, row in numbers["averages"].items()
    ]
    every = [one._replace(groups=("all", *one.groups)) for one in listed]
    ours = [
        (one.name, one.n_treebanks, one.string, one.derivation, one.increase_of_means, one.mean_increase)
        for one in group_averages(every)
    ]
    text = (
        (
            "The printed increases of the second and third group do not follow from the printed averages (58.9 and 61.0"
            " per cent would); they may be means over treebanks. Both are given for ours."
        ),
    )
    return Section("Section 5: average perplexities", text, Table(columns, (*theirs, *ours)))


_PREDICTORS = {
    "treebank size": "size",
    "string perplexity": "size_over_string",
    "deriv perplexity": "size_over_derivation",
}


def _accuracies(listed: Sequence[TreebankPerplexities], numbers: Mapping[str, Any]) -> tuple[Section, ...]:
    found = {one.accuracy: one for one in correlations(listed)}
    columns = (Column("treebank size over", "text"), *_numbers(*(f"{name} (printed)" for name in
               numbers["correlations"]["treebank size"])), *_numbers("UD best", "UD average"))  # fmt: skip
    cells = tuple(
        (name, *numbers["correlations"][name].values(),
         *(getattr(found[kind], field) if kind in found else None for kind in ("best", "average")))
        for name, field in _PREDICTORS.items()
    )  # fmt: skip
    n = max((one.n_treebanks for one in found.values()), default=0)
    known = [one for one in listed if one.accuracies]
    more = tuple(
        (
            name,
            *(pearson((function(one), one.accuracies.get(kind)) for one in known)[0] for kind in ("best", "average")),
        )
        for name, function in _OTHERS.items()
    )
    text = (f"Pearson's correlation with UAS over {n} UD treebanks; the first line is size alone.",)
    also = (
        (
            f"What the ratios hide: sizes differ by a factor of {_reach(one.size for one in listed)}, string"
            f" perplexities by one of {_reach(one.string for one in listed)}, derivation perplexities by one of"
            f" {_reach(one.derivation for one in listed)}. Where the first is by far the largest, size over either"
            " perplexity is mostly size."
        ),
    )
    return (
        Section("Section 5.1: perplexity and accuracy", text, Table(columns, cells), _ratios_figure(listed)),
        Section("The parts of the ratios", also,
                Table((Column("predictor", "text"), *_numbers("UD best", "UD average")), more)),
    )  # fmt: skip


def _ratios_figure(listed: Sequence[TreebankPerplexities]) -> Drawing | None:
    """The logarithm of size over perplexity, since sizes may differ by a factor of a hundred."""
    points = [
        Named(one.name, math.log10(one.size / one.derivation), value, f"{kind} UAS")
        for one in listed
        for kind, value in one.accuracies.items()
    ]
    what = "log10(size / perplexity)"
    return cloud("Size over derivation perplexity, and accuracy", points, what, "UAS") if points else None


_OTHERS: Mapping[str, Callable[[TreebankPerplexities], float]] = {
    "log of size": lambda one: math.log(one.size),
    "string perplexity alone": lambda one: one.string,
    "derivation perplexity alone": lambda one: one.derivation,
    "log of size over string perplexity": lambda one: math.log(one.size / one.string),
    "log of size over derivation perplexity": lambda one: math.log(one.size / one.derivation),
}


def _parsers(request: Request, treebanks: Mapping[str, Parts]) -> dict[str, Row]:
    outputs: dict[str, dict[str, Path]] = {}
    for parser in PARSERS:
        if request.systems is not None and not (request.systems / parser).is_dir():
            continue
        for code, path in outputs_of(request, parser, treebanks).items():
            outputs.setdefault(code, {})[parser] = path
    tasks = [
        Task(code, judge_parsers, (treebanks[code].training, treebanks[code].tested, *found.values()),
             (list(found), request.resamples // 4, request.seed))
        for code, found in outputs.items() if len(found) > 2
    ]  # fmt: skip
    return done(NAME, tasks, request)


def _of_parsers(parsers: Mapping[str, Row], numbers: Mapping[str, Any], request: Request) -> Iterable[Section]:
    title = "Section 5.2: perplexity as a metric for parsers"
    if not parsers:
        yield Section(title, ("No outputs of the four transition systems on gold words were given.",))
        return
    columns = (Column("pair", "text"), *_numbers("printed", "mean over treebanks", "from", "to", "pooled"),
               Column("p (printed)", "probability"), Column("p of pooled", "probability"))  # fmt: skip
    cells = []
    for name in PAIRS:
        r, p, _ = pooled(parsers, name)
        theirs = numbers["parsers"][name]
        estimate = mean_correlation(parsers, name, request.resamples, request.seed)
        bounds = (None, None) if estimate is None else estimate[1:]
        cells.append((name, theirs["r"], averaged(parsers, name), *bounds, r, theirs["p"], p))
    text = (
        (
            f"{len(parsers)} treebanks and {len(PARSERS)} parsers. The printed p-values are those of a one-sided test"
            " with 14 pairs, which is neither 4 (parsers) nor 28 (parsers of all treebanks). Pooled pairs are not"
            " independent: parsers of one treebank share its difficulty. The interval of the mean is that of 95%, from"
            " resampled treebanks."
        ),
    )
    yield Section(title, text, Table(columns, tuple(cells)))
    rows = []
    for size in SIZES:
        shares = [row["significant"][str(size)] for row in parsers.values() if str(size) in row["significant"]]
        if shares:
            rows.append((size, len(shares), *(float(value) for value in np.mean(shares, axis=0))))
    columns = (*_numbers("sentences", "treebanks"), Column("UAS"), Column("EM"), Column("P"))
    drawn = {name: [(row[0], 100 * row[i]) for row in rows] for i, name in ((2, "UAS"), (3, "EM"), (4, "P"))}
    figure = curves("Significant pairs", drawn, "sentences", "significant pairs (%)") if rows else None
    text = ("The share of pairs of parsers with p < .05 by paired approximate randomisation on random test sets.",)
    yield Section("Separating parsers on small test sets", text, Table(columns, tuple(rows)), figure)
