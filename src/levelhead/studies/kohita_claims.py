"""The claims of Kohita et al., and what our numbers say of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from levelhead.studies.kohita_measures import LEVEL, Rows, change, gain, own_gain
from levelhead.studies.numbers import all_decided, mean, p_shown, pearson, share_above, shown
from levelhead.studies.request import Request
from levelhead.studies.study import Claim, judged


def claims_on_conversion(described: Rows, numbers: Mapping[str, Any]) -> list[Claim]:
    """Judge what is said of conversion."""
    described = {code: row for code, row in described.items() if code != "ja"}  # another treebank than theirs
    rows = list(described.values())
    ratios = [row["converted"] for row in rows]
    failed = [100 * row["failed"] for row in rows]
    more = [(row["nonprojective after"] - row["nonprojective before"]) / row["sentences"] for row in rows]
    theirs = numbers["conversion"]
    lost, printed_rise = mean(failed) or 0.0, theirs["non-projective, increase"]
    worst = max(described, key=lambda code: described[code]["failed"])
    average = mean(ratios) or 0.0
    trees = mean(more) or 0.0
    arcs = mean(row["arcs after"] - row["arcs before"] for row in rows) or 0.0
    return [
        judged("6.3% of the tokens are converted on average, 2.3 to 15.6%", "page 3",
               abs(100 * average - theirs["converted tokens"]) < 1,
               f"{average:.1%}, {min(ratios):.1%} to {max(ratios):.1%}, on {len(rows)} of 19 treebanks"),
        judged("Backward conversion fails for at most 0.01% of the tokens", "page 3",
               max(failed) <= theirs["failed, most"],
               f"at most {max(failed):.3g}% ({worst}), on average {lost:.3g}% (printed {theirs['failed, mean']}%)"
               + _as_shares(lost / 100, theirs["failed, mean"])),
        judged("The share of non-projective arcs in training sets rises by 10 points on average", "page 2, Remarks",
               abs(100 * arcs - printed_rise) < 1,
               f"{100 * arcs:+.2f} points of arcs; {100 * trees:+.1f} points of sentences"
               + (", which the printed number would fit" if abs(100 * trees - printed_rise) < 1 else "")),
    ]  # fmt: skip


def _as_shares(ours: float, printed: float) -> str:
    """A remark where a printed percentage is near our share."""
    near = abs(ours - printed) < printed / 2
    return "; the printed number is near ours as a share, as if its percent sign were one too many" if near else ""


def printed_claims(numbers: Mapping[str, Any]) -> list[Claim]:
    """Judge what the text says of Table 2, on the printed numbers."""
    table = numbers["table_2"]
    gains = {
        parser: {code: round(gain(numbers, code, parser) or 0.0, 2) for code in table} for parser in ("MST", "RBG")
    }
    large = [code for code, value in gains["MST"].items() if value > 1.0]
    half = [code for code, value in gains["RBG"].items() if value > 0.5]
    mine = {name: mean(row[name] for row in table.values()) or 0.0 for name in numbers["average"]["row"]}
    off = [name for name, value in mine.items() if abs(value - numbers["average"]["row"][name]) > 0.01]
    return [
        judged("With MST, LAS gains more than 1.0 in 11 of 19 languages (printed numbers)", "page 3", len(large) == 11,
               f"{len(large)}: {', '.join(large)}"),
        judged("With RBG, LAS gains more than 0.5 in 10 languages (printed numbers)", "page 3", len(half) == 10,
               f"{len(half)}: {', '.join(half)}"),
        judged("The averages follow from the rows (printed numbers)", "Table 2", not off,
               f"all but {', '.join(off)}" if off else "all ten columns"),
    ]  # fmt: skip


def claims_on_entropy(described: Rows, numbers: Mapping[str, Any]) -> list[Claim]:
    """Judge what is said of entropies, with printed gains."""
    claims = []
    for parser, left_out in (("MST", {"ja"}), ("RBG", {"ja", "hi"})):
        codes = [code for code in described if code not in left_out]
        r, p, n = pearson((change(described[code]), gain(numbers, code, parser)) for code in codes)
        theirs = numbers["figure_3"][parser]
        certain = None if r is None or p is None or p >= LEVEL else r < 0
        sign = "<" if parser == "MST" else "="
        claims.append(
            judged(f"Where entropy falls more, LAS gains more (our entropies, printed gains of {parser},"
                   f" without {' and '.join(sorted(left_out, reverse=True))})",
                   "page 5",
                   certain, f"r = {shown(r)} ({p_shown(p)}, {n} treebanks); printed {theirs['r']} (p {sign}"
                   f" {theirs['p']})")
        )  # fmt: skip
    rising = [code for code, row in described.items() if (change(row) or 0) > 0]
    text = "Conversion lowers the entropy of head words"
    return [
        *claims,
        judged(
            text,
            "page 5, Figure 3",
            not rising,
            f"it rises on {len(rising)} of {len(described)} treebanks" + (f" ({', '.join(rising)})" if rising else ""),
        ),
    ]


def claims_on_own_gains(described: Rows, measured: Mapping[str, Rows]) -> list[Claim]:
    """Judge the same with our gains."""
    claims = []
    for parser, rows in measured.items():
        r, p, n = pearson((change(described[code]), own_gain(row, "LAS")) for code, row in rows.items())
        certain = None if r is None or p is None or p >= LEVEL else r < 0
        claims.append(judged(f"Where entropy falls more, LAS gains more (our entropies and gains, {parser})", "page 5",
                             certain, f"r = {shown(r)} ({p_shown(p)}, {n} treebanks)"))  # fmt: skip
    return claims


def _gaining(
    measured: Mapping[str, Rows], signs: Mapping[str, int], request: Request, beside: str | None = None
) -> bool | None:
    """Whether mean gains have these signs (and exceed another measure's) for every parser, by resampled treebanks."""
    columns = []
    for rows in measured.values():
        for name, sign in signs.items():
            gains = [own_gain(row, name) for row in rows.values()]
            columns.append([None if gain is None else sign * gain for gain in gains])
            if beside is not None:
                pairs = zip(gains, (own_gain(row, beside) for row in rows.values()))
                columns.append([None if one is None or other is None else one - other for one, other in pairs])
    return all_decided(share_above(column, request.resamples, request.seed) for column in columns)


def claims_on_scores(measured: Mapping[str, Rows], request: Request) -> list[Claim]:
    """Judge what is said of scores."""
    texts = {
        "LAS": "Parsing through function heads improves LAS on average",
        "CNC": "It improves CNC more than LAS",
        "case": "It harms case and mark, and improves nmod",
        "spoilt": "Backward conversion makes more functional arcs wrong than it makes right",
    }
    if not measured:
        return [
            judged(text, "pages 3 and 4", None, "no outputs of parsers trained on both kinds")
            for text in texts.values()
        ]
    gains = {
        (parser, name): mean(own_gain(row, name) for row in rows.values()) or 0.0
        for parser, rows in measured.items()
        for name in ("LAS", "CNC", "case", "mark", "nmod")
    }
    told = (
        "; ".join(
            f"{parser}: "
            + ", ".join(f"{name} {gains[parser, name]:+.2f}" for name in ("LAS", "CNC", "case", "mark", "nmod"))
            for parser in measured
        )
        + f"; {max(map(len, measured.values()))} treebanks"
    )
    return [
        judged(texts["LAS"], "page 3", _gaining(measured, {"LAS": 1}, request), told),
        judged(texts["CNC"], "page 5", _gaining(measured, {"CNC": 1}, request, beside="LAS"), told),
        judged(texts["case"], "Table 3", _gaining(measured, {"case": -1, "mark": -1, "nmod": 1}, request), told),
        _on_functional_arcs(texts["spoilt"], measured, request),
    ]  # fmt: skip


def _on_functional_arcs(text: str, measured: Mapping[str, Rows], request: Request) -> Claim:
    """Judge whether backward conversion spoils more functional arcs than it mends, by resampled treebanks.

    Figure 2 shows a spoilt arc, and Table 3 a lower F1 of case and mark; the paper counts neither.
    """
    spoilt, mended = (
        {parser: [row["spoilt"][kind] / max(1, row["spoilt"]["functional"]) for row in rows.values()]
         for parser, rows in measured.items()}
        for kind in ("spoilt", "mended")
    )  # fmt: skip
    more = {parser: [one - other for one, other in zip(spoilt[parser], mended[parser])] for parser in measured}
    holds = all_decided(share_above(column, request.resamples, request.seed) for column in more.values())
    values = [value for column in more.values() for value in column]
    told = ", ".join(
        f"{kind} {min(shares):.1%} to {max(shares):.1%}"
        for kind, found in (("spoilt", spoilt), ("mended", mended))
        for shares in [[share for column in found.values() for share in column]]
    )
    counted = f"more are mended than spoilt in {sum(value < 0 for value in values)} of {len(values)} outputs"
    return judged(text, "page 4, Figure 2", holds, f"of functional arcs {told}; {counted}")
