"""Kohita, Noji and Matsumoto (2017): what conversion to function heads changes, on UD 1.3 and on UD v2."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from levelhead.errors import number_of
from levelhead.studies.kohita_tables import (
    NAME,
    PARSERS,
    PRINTED,
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
from levelhead.studies.request import Parts, StudyRequest, parts_of, run_tasks
from levelhead.studies.study import Claim, Study, StudySection, verdicts_by_parser
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
from levelhead.treebank.layouts.outputs import system_folders


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    treebanks = parts_of(request, PRINTED["table_2"])
    described, measured, by_parser, claims_on_parsers = _results(NAME, treebanks, request, ud=1)
    of_paper = {code: row for code, row in described.items() if code != "ja"}  # the paper has another Japanese treebank
    sections = (
        conversion(described), entropy(described, measured, printed_too=True),
        entropy_by_relation(described, measured), *score_tables(measured, printed_too=True),
        scores_by_relation(measured), *figure_2(measured), by_parser,
    )  # fmt: skip
    claims = (
        *_claims_on_conversion(of_paper), *_printed_claims(), *claims_on_entropy(described), *claims_on_parsers,
    )  # fmt: skip
    trained = [code for code, parts in treebanks.items() if parts.train]
    setting = (
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
    return Study(NAME, PRINTED["title"], PRINTED["source"], setting, sections, claims, _SIGNATURE)


_SIGNATURE = {"rules": "ud", "scheme": "kohita", "variant": "paper"}


def _results(
    name: str, treebanks: Mapping[str, Parts], request: StudyRequest, *, ud: int
) -> tuple[Rows, dict[str, Rows], StudySection, list[Claim]]:
    """The results of `describe` by treebank, those of `measure` by parser and treebank, verdicts, and claims."""
    files = {code: (parts.train,) if parts.train else parts.files for code, parts in treebanks.items()}
    described = run_tasks(name, describe, files, request)
    parsers: Iterable[str] = PARSERS if request.systems is None else system_folders(request.systems)
    measured: dict[str, Rows] = {}
    for parser in parsers:
        original = outputs_of(request, parser, treebanks, heads="UD")
        converted = outputs_of(request, parser, treebanks, heads="CONV")
        golds = {code: treebanks[code].tested for code in original if code in converted}
        if golds:
            measured[parser] = measure(golds, original, converted, request)
    alone = {
        parser: [claim_on_own_gains(described, rows, ""), *claims_on_scores({parser: rows}, request, ud=ud)]
        for parser, rows in measured.items()
    }
    claims = [claim_on_own_gains(described, rows, f", {parser}") for parser, rows in measured.items()]
    return described, measured, verdicts_by_parser(alone), [*claims, *claims_on_scores(measured, request, ud=ud)]


def reproduce_ud2(request: StudyRequest) -> Study:
    """Run the study."""
    name = "kohita-2017-ud2"
    available = parts_of(request)
    treebanks = {code: parts for code, parts in available.items() if parts.train} or available
    described, measured, by_parser, claims_on_parsers = _results(name, treebanks, request, ud=2)
    sections = (
        conversion(described), entropy(described, measured), *score_tables(measured),
        ud2_scores_by_relation(measured), *figure_2(measured), by_parser,
    )  # fmt: skip
    claims = (
        *_claims_on_conversion(described, among=""), _claim_on_falling_entropy(described), *claims_on_parsers,
    )  # fmt: skip
    untrained = [code for code, parts in treebanks.items() if not parts.train]
    training = (
        "all with a training set" if not untrained
        else f"{len(untrained)} without a training set, which other parts replace ({', '.join(untrained)})"
    )  # fmt: skip
    setting = (
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
    title = f"{PRINTED['title']}: the same questions on UD 2.0"
    return Study(name, title, PRINTED["source"], setting, sections, claims, _SIGNATURE)


def _claims_on_conversion(described: Rows, among: str = " of 19") -> list[Claim]:
    rows = list(described.values())
    converted = [row["converted"] for row in rows]
    failed = [100 * row["failed"] for row in rows]
    more = [(row["nonprojective after"] - row["nonprojective before"]) / row["sentences"] for row in rows]
    average, lost, trees, arcs = (
        mean(values) or 0.0
        for values in (converted, failed, more, [row["arcs after"] - row["arcs before"] for row in rows])
    )
    published = PRINTED["conversion"]
    printed_loss, printed_rise = published["failed, mean"], published["non-projective, increase"]
    worst = max(described, key=lambda code: described[code]["failed"])
    as_share = (
        "; without its percent sign, the printed number would match ours"
        if abs(lost / 100 - printed_loss) < printed_loss / 2
        else ""
    )
    return [
        Claim("On average, 6.3% of the tokens are converted (2.3% to 15.6%)", "page 3",
              verdict_of_fact(abs(100 * average - published["converted tokens"]) < 1),
              f"{average:.1%} ({min(converted):.1%} to {max(converted):.1%}) on {len(rows)}{among} treebanks"),
        Claim("Backward conversion fails for at most 0.01% of the tokens", "page 3",
              verdict_of_fact(max(failed) <= published["failed, most"]),
              f"at most {max(failed):.3g}% ({worst}), on average {lost:.3g}% (printed {printed_loss}%){as_share}"),
        Claim("The share of non-projective arcs in training sets rises by 10 points on average", "page 2, Remarks",
              verdict_of_fact(abs(100 * arcs - printed_rise) < 1),
              f"{100 * arcs:+.2f} points of arcs; {100 * trees:+.1f} points of sentences"
              + (", which would match the printed number" if abs(100 * trees - printed_rise) < 1 else "")),
    ]  # fmt: skip


def _printed_claims() -> Iterator[Claim]:
    table = PRINTED["table_2"]
    in_print = PRINTED["average"]["row"]
    for parser, least, n, languages in (("MST", 1.0, 11, "11 of 19 languages"), ("RBG", 0.5, 10, "10 languages")):
        codes = [code for code in table if round(gain(code, parser) or 0.0, 2) > least]
        yield Claim(f"With {parser}, LAS rises by more than {least} in {languages} (printed numbers)", "page 3",
                    verdict_of_fact(len(codes) == n), f"{len(codes)}: {', '.join(codes)}")  # fmt: skip
    averages = {name: mean(row[name] for row in table.values()) or 0.0 for name in in_print}
    wrong = [name for name, value in averages.items() if abs(value - in_print[name]) > 0.01]
    evidence = f"all except {', '.join(wrong)}" if wrong else "all ten columns"
    yield Claim("The averages follow from the rows (printed numbers)", "Table 2", verdict_of_fact(not wrong), evidence)


def claims_on_entropy(described: Rows) -> Iterator[Claim]:
    for parser, left_out, sign in (("MST", ("ja",), "<"), ("RBG", ("ja", "hi"), "=")):
        codes = [code for code in described if code not in left_out]
        r, p, n = pearson((change(described[code]), gain(code, parser)) for code in codes)
        published = PRINTED["figure_3"][parser]
        yield Claim(f"The more entropy falls, the more LAS rises (our entropies, printed gains of {parser}, without"
                    f" {' and '.join(left_out)})", "page 5", verdict_of_correlation(r, p, -1),
                    f"r = {shown(r)} ({p_shown(p)}, {number_of(n, 'treebank')}); printed {published['r']}"
                    f" (p {sign} {published['p']})")  # fmt: skip
    yield _claim_on_falling_entropy(described)


def _claim_on_falling_entropy(described: Rows) -> Claim:
    """Check whether conversion lowers the entropy of every treebank; an unchanged entropy counts against the claim."""
    changes = {code: value for code, row in described.items() if (value := change(row)) is not None}
    rising = [code for code, value in changes.items() if value > 0]
    same = [code for code, value in changes.items() if value == 0]
    evidence = f"it rises on {len(rising)} of {len(changes)} treebanks" + (f" ({', '.join(rising)})" if rising else "")
    evidence += f" and does not change on {len(same)} ({', '.join(same)})" if same else ""
    holds = None if not changes else not (rising or same)
    return Claim("Conversion lowers the entropy of head words", "page 5, Figure 3", verdict_of_fact(holds), evidence)


def claim_on_own_gains(described: Rows, rows: Rows, whose: str) -> Claim:
    r, p, n = pearson((change(described[code]), own_gain(row, "LAS")) for code, row in rows.items())
    text = f"The more entropy falls, the more LAS rises (our entropies and gains{whose})"
    evidence = f"r = {shown(r)} ({p_shown(p)}, {number_of(n, 'treebank')})"
    return Claim(text, "page 5", verdict_of_correlation(r, p, -1), evidence)


# numbers computed from the results of one treebank, in points and in percent of functional arcs
_EFFECTS: Mapping[str, Callable[[Row], Cell]] = {
    **{name: partial(own_gain, name=name) for name in ("LAS", "CNC", "case", "mark", "nmod", "obl")},
    "CNC minus LAS": lambda row: difference(own_gain(row, "CNC"), own_gain(row, "LAS")),
    "wrong minus right": lambda row: 100 * (row["arcs"]["broken"] - row["arcs"]["fixed"])
                         / max(1, row["arcs"]["functional"]),
}  # fmt: skip

# A claim about scores: its text, its place, and the claimed direction of mean effects, for every parser
ClaimedEffects = tuple[str, str, Mapping[str, Sign]]

# The paper's claims about scores. Figure 2 only shows an example of an arc that conversion breaks, and Table 3 a lower
# F1 of case and mark; neither is tested in the paper.
_CLAIMED_EFFECTS: tuple[ClaimedEffects, ...] = (
    ("Parsing through function heads improves LAS on average", "page 3", {"LAS": 1}),
    ("It improves CNC more than LAS", "page 5", {"CNC": 1, "CNC minus LAS": 1}),
    ("It hurts case and mark, and improves nmod", "Table 3", {"case": -1, "mark": -1, "nmod": 1}),
    ("Backward conversion makes more functional arcs wrong than it makes right", "page 4, Figure 2",
     {"wrong minus right": 1}),
)  # fmt: skip

# claims whose text is different for UD v2, by place
_IN_UD2: Mapping[str, ClaimedEffects] = {
    "Table 3": ("It hurts case and mark, and improves nmod (in UD v2, nmod and obl)", "Table 3",
                {"case": -1, "mark": -1, "nmod": 1, "obl": 1}),
}  # fmt: skip


def claims_on_scores(measured: Mapping[str, Rows], request: StudyRequest, *, ud: int = 1) -> Iterator[Claim]:
    """Check the direction of mean effects over treebanks; every effect must show for every parser."""
    for claim in _CLAIMED_EFFECTS:
        text, place, signs = _IN_UD2.get(claim[1], claim) if ud == 2 else claim
        if not measured:
            yield Claim(text, place, "no data", "no outputs of parsers trained on both kinds of trees")
            continue
        estimates = {
            parser: {name: mean_interval(map(_EFFECTS[name], rows.values()), *request.draws) for name in signs}
            for parser, rows in measured.items()
        }
        verdict = joint_verdict(
            verdict_of_effect(estimate, signs[name])
            for effects in estimates.values()
            for name, estimate in effects.items()
        )
        evidence = "; ".join(
            f"{parser}: {', '.join(f'{name} {estimate_shown(estimate)}' for name, estimate in effects.items())}"
            for parser, effects in estimates.items()
        )
        yield Claim(text, place, verdict, f"{evidence}; in points, {max(map(len, measured.values()))} treebanks")
