"""The claims of Søgaard and Haulrich, and what our numbers say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from levelhead.derivation.averages import TreebankPerplexities, correlations
from levelhead.studies.numbers import decided, share_above, share_greater, shown
from levelhead.studies.request import Request
from levelhead.studies.sogaard_haulrich_measures import PAIRS, SIZES, Row, averaged, interval, share_closer
from levelhead.studies.study import Claim, judged


def claims_on_treebanks(listed: Sequence[TreebankPerplexities], request: Request) -> list[Claim]:
    """Judge what is said of treebanks."""
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


def _negative(parsers: Mapping[str, Row], name: str, request: Request) -> bool | None:
    """Whether the mean correlation is below 0: None where its interval holds 0."""
    bounds = interval(parsers, *PAIRS[name], request.resamples, request.seed)
    return None if bounds is None or bounds[0] <= 0 <= bounds[1] else bounds[1] < 0


def claims_on_parsers(parsers: Mapping[str, Row], numbers: Mapping[str, Any], request: Request) -> list[Claim]:
    """Judge what is said of parsers."""
    texts = {
        "P/UAS": "Parsers of lower derivation perplexity have a higher UAS",
        "P/EM": "Parsers of lower derivation perplexity have more exact matches",
        "UAS/EM": "UAS and exact match go together no better than either with perplexity",
    }
    small = "Perplexity separates parsers on small test sets where exact match does not"
    if not parsers:
        missing = "no outputs of the four parsers"
        return [judged(text, "section 5.2", None, missing) for text in (*texts.values(), small)]
    means = {name: averaged(parsers, x, y) or 0.0 for name, (x, y) in PAIRS.items()}
    theirs = {name: row["r"] for name, row in numbers["parsers"].items()}
    told = ", ".join(f"{name} {value:.2f} (printed {theirs[name]:.2f})" for name, value in means.items())
    better = share_closer(parsers, request.resamples, request.seed)
    shares = [row["significant"][str(SIZES[0])] for row in parsers.values() if str(SIZES[0]) in row["significant"]]
    separated = np.array(shares).reshape(-1, 3)
    share = share_above((separated[:, 2] - separated[:, 1]).tolist(), request.resamples, request.seed)
    told_small = (
        "no test set is as large"
        if not shares
        else ", ".join(f"{name} {value:.1%}" for name, value in zip(("UAS", "EM", "P"), separated.mean(axis=0)))
        + f", where chance alone gives 5%; P above EM in a share of {shown(share)} of resamples of treebanks"
    )
    return [
        judged(texts["P/UAS"], "section 5.2", _negative(parsers, "P/UAS", request), told),
        judged(texts["P/EM"], "section 5.2", _negative(parsers, "P/EM", request), told),
        judged(texts["UAS/EM"], "section 5.2", None if better is None else decided(1 - better),
               f"{told}; UAS/EM is the strongest of the three in a share of {shown(better)} of resamples of treebanks"),
        judged(small, "abstract and section 6", decided(share),
               f"significant pairs with {SIZES[0]} sentences, {len(shares)} treebanks: {told_small}"),
    ]  # fmt: skip
