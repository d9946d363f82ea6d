"""Søgaard and Haulrich: string and derivation perplexities of treebanks, and what they say of parsers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from levelhead.derivation import estimate, perplexity, sentence_sums, sequences_of
from levelhead.derivation.averages import TreebankPerplexities, correlations, group_averages
from levelhead.errors import Fault, InputError, Place
from levelhead.report.page.svg import Drawing
from levelhead.report.table import Column, Table
from levelhead.studies.drawings import Named, cloud, curves
from levelhead.studies.numbers import decided, mean, pearson, share_greater, shown
from levelhead.studies.parses import outputs_of
from levelhead.studies.parts import Parts, format_of, parts_of
from levelhead.studies.printed_numbers import printed
from levelhead.studies.request import Request, Task, done, signature
from levelhead.studies.study import Claim, Section, Study, judged
from levelhead.treebank import Treebank, read

NAME = "sogaard-haulrich"
ORDER = "swap-lazy"
PARSERS = ("arc-eager", "arc-standard", "swap-eager", "swap-lazy")
SIZES = (200, 500, 1000, 2000)
LEVEL = 0.05

Row = Mapping[str, Any]
Numbers = NDArray[np.float64]


def _read(path: str) -> Treebank:
    return read(path, format=format_of(path))


def perplexities(train: str, test: str) -> dict[str, float | int | None]:
    """Return the size of a treebank, its two perplexities without unknown words, and how many words are unknown.

    Args:
        train: the path of the training set.
        test: that of the test set.
    """
    treebank, tested = _read(train), _read(test)
    found: dict[str, float | int | None] = {"size": treebank.n_words}
    for name, order in (("string", "string"), ("derivation", ORDER)):
        result = perplexity(estimate(sequences_of(treebank, order)), tested, order)
        found |= {name: result.excluding_oov, "oov": result.oov, "words": tested.n_words}
    found["swaps"] = int(sequences_of(treebank, ORDER).swaps.sum())
    return found


def judge_parsers(train: str, test: str, *arguments: Any) -> dict[str, Any]:
    """Return UAS, exact match and derivation perplexity of parsers, and how many pairs differ by test sets of a size.

    Args:
        train: the path of the training set.
        test: that of the test set.
        arguments: the paths of the outputs; then the names of the parsers, how many resamples, the seed.
    """
    *paths, names, resamples, seed = arguments
    gold, outputs = _read(test), [_read(path) for path in paths]
    for output, path in zip(outputs, paths):
        if not np.array_equal(output.sentence_starts, gold.sentence_starts):
            message = "its sentences are not the words of the test set: perplexities need outputs on gold words"
            raise InputError(Fault("not-gold-words", message, Place(path)))
    model = estimate(sequences_of(_read(train), ORDER))
    table = np.stack([_parts(model, gold, output) for output in outputs], axis=1)
    rng = np.random.default_rng(seed)
    values = _values(table.sum(axis=0))
    return {
        "parsers": list(names),
        **{name: values[:, m].tolist() for m, name in enumerate(("UAS", "EM", "P"))},
        "significant": {str(size): _significant(table, size, resamples, rng) for size in SIZES if size <= len(table)},
    }


def _parts(model: Any, gold: Treebank, output: Treebank) -> Numbers:
    """What the three measures are made of: right heads, words; exact, 1; minus log10 P, events; (sentences, 3, 2)."""
    right = output.local_heads() == gold.local_heads()
    n_words = np.diff(gold.sentence_starts)
    heads = np.add.reduceat(right.astype(np.float64), gold.sentence_starts[:-1])
    logs, events = sentence_sums(model, sequences_of(output, ORDER)).sums()
    rows = [(heads, n_words), (heads == n_words, np.ones(len(n_words))), (-logs, events)]
    return np.stack([np.stack(row, axis=1).astype(np.float64) for row in rows], axis=1)


def _values(sums: Numbers) -> Numbers:
    """UAS, exact match, perplexity, from sums over sentences; shape (..., 3)."""
    values: Numbers = sums[..., 0] / sums[..., 1]
    values[..., 2] = 10 ** values[..., 2]
    return values


def _significant(table: Numbers, size: int, resamples: int, rng: np.random.Generator) -> list[float]:
    """The share of pairs of parsers that differ with p < .05 on random test sets of a size, for each measure."""
    draws = max(1, min(10, len(table) // size * 5))
    found = []
    for _ in range(draws):
        rows = table[rng.permutation(len(table))[:size]]
        for one, other in combinations(range(table.shape[1]), 2):
            found.append(_p(rows[:, one], rows[:, other], resamples, rng) < LEVEL)
    return [float(share) for share in np.mean(found, axis=0)]


def _p(one: Numbers, other: Numbers, resamples: int, rng: np.random.Generator) -> Numbers:
    """Two-sided p of three measures by paired approximate randomisation."""
    change = (other - one).reshape(len(one), -1)
    moved = (rng.random((resamples, len(one))) < 0.5).astype(np.float64) @ change
    moved = moved.reshape(resamples, *one.shape[1:])
    first, second = one.sum(axis=0), other.sum(axis=0)
    observed = _values(second) - _values(first)
    permuted = _values(second - moved) - _values(first + moved)
    extreme: Numbers = (np.abs(permuted) >= np.abs(observed) * (1 - 1e-12)).sum(axis=0)
    return (1 + extreme) / (1 + resamples)


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
    listed = _listed(rows, numbers)
    judged_parsers = _parsers(request, treebanks)
    sections = (
        _perplexities(listed, rows), _averages(listed, numbers), *_accuracies(listed, numbers),
        *_of_parsers(judged_parsers, numbers),
    )  # fmt: skip
    claims = (*_claims_on_treebanks(listed, request), *_claims_on_parsers(judged_parsers, numbers, request))
    setting = (
        (
            f"{len(listed)} treebanks with training sets; perplexity of the test set (of the development set where"
            " there is none) under a trigram model of the training set, interpolated modified Kneser-Ney, without"
            " unknown words; derivation order of the swap-lazy oracle. Size is the words of the training set: the paper"
            " does not define it."
        ),
        (
            "The treebanks of 2006 and 2007 are not free. UD treebanks stand in, with the UAS of the best team and the"
            " mean of all teams in the official results of the CoNLL 2017 shared task (from raw text, on the same test"
            " sets) as accuracies; treebanks that are not in it have the results of 2018 if their code is there."
        ),
        (
            "The paper's groups do not exist for UD. Ours: treebanks by the size of their training set (halves), and"
            " those that need no swap."
        ),
    )
    signed = signature(request, order=ORDER, ngram="3", smoothing="modified-kneser-ney")
    return Study(NAME, numbers["title"], numbers["source"], setting, sections, claims, signed)


def _listed(rows: Mapping[str, Row], numbers: Mapping[str, Any]) -> list[TreebankPerplexities]:
    """The treebanks with their groups and accuracies; those without a perplexity are left out."""
    known = {code: row for code, row in rows.items() if row["string"] and row["derivation"]}
    middle = float(np.median([row["size"] for row in known.values()])) if known else 0.0
    found = []
    for code, row in known.items():
        size = "large" if row["size"] >= middle else "small"
        groups = (size, "no swaps needed") if not row["swaps"] else (size,)
        official = numbers["conll17"].get(code) or numbers["conll18"].get(code) or {}
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
            "What the ratios hide: sizes differ by a factor of a hundred, perplexities by far less, so that size over"
            " either perplexity is mostly size."
        ),
    )
    return (
        Section("Section 5.1: perplexity and accuracy", text, Table(columns, cells), _ratios_figure(listed)),
        Section("The parts of the ratios", also,
                Table((Column("predictor", "text"), *_numbers("UD best", "UD average")), more)),
    )  # fmt: skip


def _ratios_figure(listed: Sequence[TreebankPerplexities]) -> Drawing | None:
    """The logarithm of size over perplexity, since sizes differ by a factor of a hundred."""
    points = [
        Named(one.name, math.log10(one.size / one.derivation), value, f"{kind} UAS")
        for one in listed
        for kind, value in one.accuracies.items()
    ]
    what = "log10 of size over derivation perplexity"
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


_PAIRS = {"P/UAS": ("P", "UAS"), "P/EM": ("P", "EM"), "UAS/EM": ("UAS", "EM")}


def _averaged(parsers: Mapping[str, Row], x: str, y: str) -> float | None:
    return mean(pearson(zip(row[x], row[y]))[0] for row in parsers.values())


def _pooled(parsers: Mapping[str, Row], x: str, y: str) -> tuple[float | None, float | None, int]:
    return pearson(pair for row in parsers.values() for pair in zip(row[x], row[y]))


def _of_parsers(parsers: Mapping[str, Row], numbers: Mapping[str, Any]) -> Iterable[Section]:
    title = "Section 5.2: perplexity as a metric for parsers"
    if not parsers:
        yield Section(title, ("No outputs of the four transition systems on gold words were given.",))
        return
    columns = (Column("pair", "text"), *_numbers("printed", "mean over treebanks", "pooled"),
               Column("p (printed)", "probability"), Column("p of pooled", "probability"))  # fmt: skip
    cells = []
    for name, (x, y) in _PAIRS.items():
        r, p, _ = _pooled(parsers, x, y)
        theirs = numbers["parsers"][name]
        cells.append((name, theirs["r"], _averaged(parsers, x, y), r, theirs["p"], p))
    text = (
        (
            f"{len(parsers)} treebanks and {len(PARSERS)} parsers. The printed p-values are those of a one-sided test"
            " with 14 pairs, which is neither 4 (parsers) nor 28 (parsers of all treebanks). Pooled pairs are not"
            " independent: parsers of one treebank share its difficulty."
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


def _claims_on_treebanks(listed: Sequence[TreebankPerplexities], request: Request) -> list[Claim]:
    increases = [one.increase for one in listed]
    higher = sum(value > 0 for value in increases)
    told = "; ".join(
        f"{one.accuracy}: {shown(one.size)}, {shown(one.size_over_string)}, {shown(one.size_over_derivation)}"
        for one in correlations(listed)
    )
    size, string, derivation = (_columns(listed, field) for field in ("size", "string", "derivation"))
    return [
        judged("Derivation perplexity is higher than string perplexity", "section 5",
               higher > len(increases) / 2 if increases else None, f"on {higher} of {len(increases)} treebanks"),
        _compared("Size over derivation perplexity predicts accuracy better than size alone", derivation, size, told,
                  listed, request),
        _compared("Size over derivation perplexity predicts it better than size over string perplexity", derivation,
                  string, told, listed, request),
    ]  # fmt: skip


def _columns(listed: Sequence[TreebankPerplexities], field: str) -> list[float]:
    """Size, alone or over a perplexity, of the treebanks with accuracies."""
    return [one.size / (1 if field == "size" else getattr(one, field)) for one in listed if one.accuracies]


def _compared(
    text: str, one: Sequence[float], other: Sequence[float], told: str, listed: Sequence[TreebankPerplexities],
    request: Request,
) -> Claim:  # fmt: skip
    shares = {}
    for kind in ("best", "average"):
        target = [row.accuracies[kind] for row in listed if row.accuracies]
        shares[kind] = share_greater(one, other, target, request.resamples, request.seed)
    verdicts = [decided(share) for share in shares.values()]
    holds = False if False in verdicts else None if None in verdicts else True
    share = ", ".join(f"{shown(value)} ({kind})" for kind, value in shares.items())
    evidence = f"in a share of {share} of resamples of treebanks; r of size, over string, over derivation: {told}"
    return judged(text, "section 5.1", holds, evidence)


def _share_of_resamples(values: Numbers, request: Request) -> float | None:
    """In which share of bootstrap samples of treebanks a mean is above 0; None with fewer than four treebanks."""
    if len(values) < 4:
        return None
    draws = np.random.default_rng(request.seed).integers(0, len(values), size=(request.resamples, len(values)))
    return float(np.mean(values[draws].mean(axis=1) > 0))


def _claims_on_parsers(parsers: Mapping[str, Row], numbers: Mapping[str, Any], request: Request) -> list[Claim]:
    texts = {
        "P/UAS": "Parsers of lower derivation perplexity have a higher UAS",
        "P/EM": "Parsers of lower derivation perplexity have more exact matches",
        "UAS/EM": "UAS and exact match go together no better than either with perplexity",
    }
    small = "Perplexity separates parsers on small test sets where exact match does not"
    if not parsers:
        missing = "no outputs of the four parsers"
        return [judged(text, "section 5.2", None, missing) for text in (*texts.values(), small)]
    means = {name: _averaged(parsers, x, y) or 0.0 for name, (x, y) in _PAIRS.items()}
    theirs = {name: row["r"] for name, row in numbers["parsers"].items()}
    told = ", ".join(f"{name} {value:.2f} (printed {theirs[name]:.2f})" for name, value in means.items())
    no_better = means["UAS/EM"] <= max(-means["P/UAS"], -means["P/EM"])
    shares = [row["significant"][str(SIZES[0])] for row in parsers.values() if str(SIZES[0]) in row["significant"]]
    separated = np.array(shares).reshape(-1, 3)
    share = _share_of_resamples(separated[:, 2] - separated[:, 1], request)
    told_small = (
        "no test set is as large"
        if not shares
        else ", ".join(f"{name} {value:.1%}" for name, value in zip(("UAS", "EM", "P"), separated.mean(axis=0)))
    )
    return [
        judged(texts["P/UAS"], "section 5.2", means["P/UAS"] < 0, told),
        judged(texts["P/EM"], "section 5.2", means["P/EM"] < 0, told),
        judged(texts["UAS/EM"], "section 5.2", no_better, told),
        judged(small, "abstract and section 6", decided(share),
               f"significant pairs with {SIZES[0]} sentences, {len(shares)} treebanks: {told_small}, where chance alone"
               f" gives 5%; P above EM in a share of {shown(share)} of resamples of treebanks"),
    ]  # fmt: skip
