"""Kohita, Noji and Matsumoto (2017): what conversion to function heads changes, on UD 1.3 and on UD v2."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from levelhead.errors import number_of
from levelhead.studies.kohita_tables import (
    NAME,
    PARSERS,
    Row,
    Rows,
    change,
    conversion,
    describe,
    entropy,
    entropy_by_relation,
    figure_2,
    gain,
    measure,
    own_gain,
    score_tables,
    scores_by_relation,
    ud2_scores_by_relation,
)
from levelhead.studies.parsers import TRAINED_BRIEFLY, outputs_of
from levelhead.studies.request import Parts, StudyRequest, StudyTask, parts_of, run_tasks, signature
from levelhead.studies.study import Claim, Study, printed, verdicts_by_parser
from levelhead.studies.verdicts import (
    Cell,
    Sign,
    difference,
    estimate_shown,
    joint_verdict,
    mean,
    mean_interval,
    p_shown,
    pearson,
    shown,
    verdict_of_correlation,
    verdict_of_effect,
    verdict_of_fact,
)
from levelhead.treebank.layouts import system_folders

MAIN_CLAIM = "Parsing through function heads improves LAS"
"""The first words of the claim with which the page opens."""


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    numbers = printed("kohita")
    treebanks = parts_of(request, numbers["table_2"])
    described = run_tasks(
        NAME, [StudyTask(code, describe, parts.training_files) for code, parts in treebanks.items()], request
    )
    measured = _measured_by_parser(request, treebanks)
    of_paper = {code: row for code, row in described.items() if code != "ja"}  # the paper has another Japanese treebank
    sections = (
        conversion(described, numbers), entropy(described, measured, numbers),
        entropy_by_relation(described, numbers, measured), *score_tables(measured, numbers),
        scores_by_relation(measured, numbers), *figure_2(measured),
        verdicts_by_parser(_claims_by_parser(described, measured, request)),
    )  # fmt: skip
    claims = (
        *_claims_on_conversion(of_paper, numbers), *_printed_claims(numbers),
        *claims_on_entropy(described, numbers),
        *claims_on_own_gains(described, measured),
        *claims_on_scores(measured, request),
    )  # fmt: skip
    signed = signature(request, rules="ud", scheme="kohita", variant="paper")
    setting = _setting(treebanks, measured, request)
    return Study(NAME, numbers["title"], numbers["source"], setting, sections, claims, signed, MAIN_CLAIM)


def _measured_by_parser(request: StudyRequest, treebanks: Mapping[str, Parts]) -> dict[str, dict[str, Row]]:
    """The results of `measure` for each parser, by treebank."""
    parsers: Iterable[str] = PARSERS if request.systems is None else system_folders(request.systems)
    measured = {}
    for parser in parsers:
        original = outputs_of(request, parser, treebanks, heads="UD")
        converted = outputs_of(request, parser, treebanks, heads="CONV")
        golds = {code: treebanks[code].tested for code in original if code in converted}
        if golds:
            measured[parser] = measure(golds, original, converted, request)
    return measured


def _setting(treebanks: Mapping[str, Parts], measured: Mapping[str, Rows], request: StudyRequest) -> tuple[str, ...]:
    trained = [code for code, parts in treebanks.items() if parts.train]
    return (
        (
            f"{number_of(len(treebanks), 'treebank')}: {', '.join(treebanks)}. Training sets are available for"
            f" {len(trained)} ({', '.join(trained) or 'none'}); for the others, the development and test sets are"
            " used instead. These are smaller: fewer words occur five times, so entropies are based on less data."
        ),
        (
            f"Parsers with outputs from both kinds of training trees: {', '.join(measured) or 'none'}. Scores ignore"
            " punctuation. A word counts as converted if it swapped places with its head."
        ),
        *([TRAINED_BRIEFLY] if request.systems is None else []),
        (
            "The text of the Japanese treebank of UD 1.3 is not public. UD 1.4 has a different treebank, in which"
            " particles are part of words. Nothing in it is converted, so it is best to leave out `ja`."
        ),
    )


UD2_NAME = "kohita-2017-ud2"


def reproduce_ud2(request: StudyRequest) -> Study:
    """Run the study."""
    numbers = printed("kohita")
    available = parts_of(request)
    treebanks = {code: parts for code, parts in available.items() if parts.train} or available
    described = run_tasks(
        UD2_NAME, [StudyTask(code, describe, parts.training_files) for code, parts in treebanks.items()], request
    )
    measured = _measured_by_parser(request, treebanks)
    sections = (
        conversion(described, numbers), entropy(described, measured), *score_tables(measured),
        ud2_scores_by_relation(measured),
        *figure_2(measured), verdicts_by_parser(_claims_by_parser(described, measured, request, ud=2)),
    )  # fmt: skip
    claims = (
        *_claims_on_conversion(described, numbers, among=""), _claim_on_falling_entropy(described),
        *claims_on_own_gains(described, measured), *claims_on_scores(measured, request, ud=2),
    )  # fmt: skip
    signed = signature(request, rules="ud", scheme="kohita", variant="paper")
    setting = _ud2_setting(treebanks, measured, request)
    title = f"{numbers['title']}: the same questions on UD 2.0"
    return Study(UD2_NAME, title, numbers["source"], setting, sections, claims, signed, MAIN_CLAIM)


def _ud2_setting(
    treebanks: Mapping[str, Parts], measured: Mapping[str, Rows], request: StudyRequest
) -> tuple[str, ...]:
    untrained = [code for code, parts in treebanks.items() if not parts.train]
    training = (
        "all with a training set" if not untrained
        else f"{len(untrained)} without a training set, which other parts replace ({', '.join(untrained)})"
    )  # fmt: skip
    return (
        (
            "This page is about UD 2.0. The paper is about UD 1.3, on which `kohita-2017` replicates it. Relations and"
            " treebanks differ, so printed numbers appear here only as part of the claims, and every verdict is about"
            " UD 2.0."
        ),
        f"{number_of(len(treebanks), 'treebank')}, {training}: {', '.join(treebanks)}.",
        (
            "Parsers with outputs from both kinds of training trees, on the test sets:"
            f" {', '.join(measured) or 'none'}. Scores ignore punctuation. A word counts as converted if it swapped"
            " places with its head. Treebanks of the same language count separately."
        ),
        *([TRAINED_BRIEFLY] if request.systems is None else []),
    )


def _claims_on_conversion(described: Rows, numbers: Mapping[str, Any], among: str = " of 19") -> list[Claim]:
    rows = list(described.values())
    ratios = [row["converted"] for row in rows]
    failed = [100 * row["failed"] for row in rows]
    more = [(row["nonprojective after"] - row["nonprojective before"]) / row["sentences"] for row in rows]
    published = numbers["conversion"]
    lost, printed_loss, printed_rise = (
        mean(failed) or 0.0,
        published["failed, mean"],
        published["non-projective, increase"],
    )
    worst = max(described, key=lambda code: described[code]["failed"])
    average = mean(ratios) or 0.0
    trees = mean(more) or 0.0
    arcs = mean(row["arcs after"] - row["arcs before"] for row in rows) or 0.0
    return [
        Claim("On average, 6.3% of the tokens are converted (2.3% to 15.6%)", "page 3",
              verdict_of_fact(abs(100 * average - published["converted tokens"]) < 1),
              f"{average:.1%} ({min(ratios):.1%} to {max(ratios):.1%}) on {len(rows)}{among} treebanks"),
        Claim("Backward conversion fails for at most 0.01% of the tokens", "page 3",
              verdict_of_fact(max(failed) <= published["failed, most"]),
              f"at most {max(failed):.3g}% ({worst}), on average {lost:.3g}% (printed {published['failed, mean']}%)"
              + (_AS_SHARE if abs(lost / 100 - printed_loss) < printed_loss / 2 else "")),
        Claim("The share of non-projective arcs in training sets rises by 10 points on average", "page 2, Remarks",
              verdict_of_fact(abs(100 * arcs - printed_rise) < 1),
              f"{100 * arcs:+.2f} points of arcs; {100 * trees:+.1f} points of sentences"
              + (", which would match the printed number" if abs(100 * trees - printed_rise) < 1 else "")),
    ]  # fmt: skip


_AS_SHARE = "; without its percent sign, the printed number would match ours"
"""A remark if a printed percentage is close to our share."""


def _printed_claims(numbers: Mapping[str, Any]) -> list[Claim]:
    """Check the claims about Table 2 on the printed numbers."""
    table = numbers["table_2"]
    gains = {
        parser: {code: round(gain(numbers, code, parser) or 0.0, 2) for code in table} for parser in ("MST", "RBG")
    }
    over_one = [code for code, value in gains["MST"].items() if value > 1.0]
    over_half = [code for code, value in gains["RBG"].items() if value > 0.5]
    averages = {name: mean(row[name] for row in table.values()) or 0.0 for name in numbers["average"]["row"]}
    wrong = [name for name, value in averages.items() if abs(value - numbers["average"]["row"][name]) > 0.01]
    return [
        Claim("With MST, LAS rises by more than 1.0 in 11 of 19 languages (printed numbers)", "page 3",
              verdict_of_fact(len(over_one) == 11), f"{len(over_one)}: {', '.join(over_one)}"),
        Claim("With RBG, LAS rises by more than 0.5 in 10 languages (printed numbers)", "page 3",
              verdict_of_fact(len(over_half) == 10), f"{len(over_half)}: {', '.join(over_half)}"),
        Claim("The averages follow from the rows (printed numbers)", "Table 2", verdict_of_fact(not wrong),
              f"all except {', '.join(wrong)}" if wrong else "all ten columns"),
    ]  # fmt: skip


def claims_on_entropy(described: Rows, numbers: Mapping[str, Any]) -> list[Claim]:
    """Check the claims about entropies, with our entropies and the printed gains."""
    claims = []
    for parser, left_out in (("MST", {"ja"}), ("RBG", {"ja", "hi"})):
        codes = [code for code in described if code not in left_out]
        r, p, n = pearson((change(described[code]), gain(numbers, code, parser)) for code in codes)
        published = numbers["figure_3"][parser]
        sign = "<" if parser == "MST" else "="
        claims.append(
            Claim(f"The more entropy falls, the more LAS rises (our entropies, printed gains of {parser},"
                  f" without {' and '.join(sorted(left_out, reverse=True))})",
                  "page 5", verdict_of_correlation(r, p, -1),
                  f"r = {shown(r)} ({p_shown(p)}, {number_of(n, 'treebank')}); printed {published['r']}"
                  f" (p {sign} {published['p']})")
        )  # fmt: skip
    return [*claims, _claim_on_falling_entropy(described)]


def _claim_on_falling_entropy(described: Rows) -> Claim:
    """Check whether conversion lowers the entropy of every treebank; an unchanged entropy counts against the claim."""
    changes = {code: value for code, row in described.items() if (value := change(row)) is not None}
    rising = [code for code, value in changes.items() if value > 0]
    same = [code for code, value in changes.items() if value == 0]
    evidence = f"it rises on {len(rising)} of {len(changes)} treebanks" + (f" ({', '.join(rising)})" if rising else "")
    evidence += f" and does not change on {len(same)} ({', '.join(same)})" if same else ""
    holds = None if not changes else not (rising or same)
    return Claim("Conversion lowers the entropy of head words", "page 5, Figure 3", verdict_of_fact(holds), evidence)


def claims_on_own_gains(described: Rows, measured: Mapping[str, Rows]) -> list[Claim]:
    """Check the correlation of entropy and LAS with our own gains, parser by parser."""
    return [
        _claim_on_own_gains(described, rows, f"our entropies and gains, {parser}") for parser, rows in measured.items()
    ]


def _claim_on_own_gains(described: Rows, rows: Rows, whose: str) -> Claim:
    r, p, n = pearson((change(described[code]), own_gain(row, "LAS")) for code, row in rows.items())
    evidence = f"r = {shown(r)} ({p_shown(p)}, {number_of(n, 'treebank')})"
    return Claim(
        f"The more entropy falls, the more LAS rises ({whose})", "page 5", verdict_of_correlation(r, p, -1), evidence
    )


Effect = Callable[[Row], Cell]
"""A number computed from the results of one treebank."""


def _gain_of(name: str) -> Effect:
    return lambda row: own_gain(row, name)


def _cnc_over_las(row: Row) -> Cell:
    """The gain in CNC minus the gain in LAS, in points."""
    return difference(own_gain(row, "CNC"), own_gain(row, "LAS"))


def _broken_minus_fixed(row: Row) -> Cell:
    """How many more functional arcs are broken than fixed, in percent of functional arcs."""
    arcs = row["arcs"]
    return float(100 * (arcs["broken"] - arcs["fixed"]) / max(1, arcs["functional"]))


ClaimedEffects = tuple[str, str, Mapping[str, tuple[Sign, Effect]]]
"""A claim about scores: its text, its place, and the claimed direction of mean effects, for every parser."""

_CLAIMED_EFFECTS: tuple[ClaimedEffects, ...] = (
    ("Parsing through function heads improves LAS on average", "page 3", {"LAS": (1, _gain_of("LAS"))}),
    ("It improves CNC more than LAS", "page 5",
     {"CNC": (1, _gain_of("CNC")), "CNC minus LAS": (1, _cnc_over_las)}),
    ("It hurts case and mark, and improves nmod", "Table 3",
     {"case": (-1, _gain_of("case")), "mark": (-1, _gain_of("mark")), "nmod": (1, _gain_of("nmod"))}),
    ("Backward conversion makes more functional arcs wrong than it makes right", "page 4, Figure 2",
     {"wrong minus right": (1, _broken_minus_fixed)}),
)  # fmt: skip
"""The paper's claims about scores.

Figure 2 only shows an example of an arc that conversion breaks, and Table 3 a lower F1 of case and mark; neither is
tested in the paper.
"""


_IN_UD2: Mapping[str, ClaimedEffects] = {
    "Table 3": ("It hurts case and mark, and improves nmod (in UD v2, nmod and obl)", "Table 3",
                {"case": (-1, _gain_of("case")), "mark": (-1, _gain_of("mark")), "nmod": (1, _gain_of("nmod")),
                 "obl": (1, _gain_of("obl"))}),
}  # fmt: skip
"""Claims whose text is different for UD v2, by place."""


def claims_on_scores(measured: Mapping[str, Rows], request: StudyRequest, *, ud: int = 1) -> list[Claim]:
    """Check the claims about scores."""
    claimed = [_IN_UD2.get(claim[1], claim) if ud == 2 else claim for claim in _CLAIMED_EFFECTS]
    return [_claim_on_effects(*claim, measured, request) for claim in claimed]


def _claims_by_parser(
    described: Rows, measured: Mapping[str, Rows], request: StudyRequest, *, ud: int = 1
) -> dict[str, list[Claim]]:
    """Check the claims about gains and scores for each parser alone."""
    return {
        parser: [_claim_on_own_gains(described, rows, "our entropies and gains"),
                 *claims_on_scores({parser: rows}, request, ud=ud)]
        for parser, rows in measured.items()
    }  # fmt: skip


def _claim_on_effects(
    text: str,
    place: str,
    effects: Mapping[str, tuple[Sign, Effect]],
    measured: Mapping[str, Rows],
    request: StudyRequest,
) -> Claim:
    """Check the direction of mean effects over treebanks; every effect must show for every parser."""
    if not measured:
        return Claim(text, place, "no data", "no outputs of parsers trained on both kinds of trees")
    estimates = {
        parser: {name: mean_interval(map(effect, rows.values()), request.resamples, request.seed)
                 for name, (_, effect) in effects.items()}
        for parser, rows in measured.items()
    }  # fmt: skip
    verdict = joint_verdict(
        verdict_of_effect(by_effect[name], sign)
        for by_effect in estimates.values()
        for name, (sign, _) in effects.items()
    )
    evidence = (
        f"{parser}: " + ", ".join(f"{name} {estimate_shown(estimate)}" for name, estimate in by_effect.items())
        for parser, by_effect in estimates.items()
    )
    return Claim(
        text, place, verdict, f"{'; '.join(evidence)}; in points, {max(map(len, measured.values()))} treebanks"
    )
