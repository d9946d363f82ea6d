"""Kohita, Noji and Matsumoto (2017): what conversion to function heads changes, on UD 1.3 and on UD v2."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial

from levelhead.errors import number_of
from levelhead.studies import kohita_tables as tables
from levelhead.studies import verdicts
from levelhead.studies.kohita_tables import NAME, PARSERS, PRINTED, Row, Rows, change, gain, own_gain
from levelhead.studies.request import TRAINED_BRIEFLY, Parts, StudyRequest, outputs_of, parts_of, run_tasks
from levelhead.studies.study import Claim, Study, claim_by_parser
from levelhead.treebank.layouts.outputs import system_folders


def reproduce(request: StudyRequest) -> Study:
    treebanks = parts_of(request, PRINTED["table_2"])
    described, measured = _results(NAME, treebanks, request)
    of_paper = {code: row for code, row in described.items() if code != "ja"}  # the paper has another Japanese treebank
    sections = (
        tables.conversion(described), tables.entropy(described, measured, printed_too=True),
        tables.entropy_by_relation(described, measured), *tables.score_tables(measured, printed_too=True),
        tables.scores_by_relation(measured), tables.figure_2(measured),
    )  # fmt: skip
    trained = [code for code, parts in treebanks.items() if parts.train]
    claims = (
        *claims_on_scores(described, measured), *_claims_on_printed_gains(described),
        *_claims_on_conversion(of_paper, trained), *_printed_claims(),
    )  # fmt: skip
    setting = (
        (
            f"{number_of(len(treebanks), 'treebank')}. Training sets are available for {len(trained)}"
            f" ({', '.join(trained) or 'none'}); the others use the development and test sets, so their entropies are"
            " based on less data."
        ),
        (
            f"Parsers with outputs from both kinds of training trees: {', '.join(measured) or 'none'}. Scores ignore"
            " punctuation. A word counts as converted if it swapped places with its head."
        ),
        *([TRAINED_BRIEFLY] if request.systems is None else []),
        (
            "Leave out `ja`: the text of the Japanese treebank of UD 1.3 is not public, and in UD 1.4 none of its words"
            " is converted."
        ),
    )
    return Study(NAME, PRINTED["title"], PRINTED["source"], setting, sections, claims, _SIGNATURE)


_SIGNATURE = {"rules": "ud", "scheme": "kohita", "variant": "paper"}


def _results(name: str, treebanks: Mapping[str, Parts], request: StudyRequest) -> tuple[Rows, dict[str, Rows]]:
    files = {code: (parts.train,) if parts.train else parts.files for code, parts in treebanks.items()}
    described = run_tasks(name, tables.describe, files, request)
    parsers: Iterable[str] = PARSERS if request.systems is None else system_folders(request.systems)
    measured: dict[str, Rows] = {}
    for parser in parsers:
        original = outputs_of(request, parser, treebanks, heads="UD")
        converted = outputs_of(request, parser, treebanks, heads="CONV")
        golds = {code: treebanks[code].tested for code in original if code in converted}
        if golds:
            measured[parser] = tables.measure(golds, original, converted, request)
    return described, measured


def reproduce_ud2(request: StudyRequest) -> Study:
    name = "kohita-2017-ud2"
    available = parts_of(request)
    treebanks = {code: parts for code, parts in available.items() if parts.train} or available
    described, measured = _results(name, treebanks, request)
    sections = (
        tables.conversion(described), tables.entropy(described, measured), *tables.score_tables(measured),
        tables.ud2_scores_by_relation(measured), tables.figure_2(measured),
    )  # fmt: skip
    claims = (*claims_on_scores(described, measured, ud=2), *_claims_on_conversion(described))
    untrained = [code for code, parts in treebanks.items() if not parts.train]
    training = (
        "all with a training set" if not untrained
        else f"{len(untrained)} without a training set, which other parts replace ({', '.join(untrained)})"
    )  # fmt: skip
    setting = (
        (
            "The paper is about UD 1.3, on which `kohita-2017` replicates it. Relations and treebanks of UD 2.0 differ,"
            " so printed numbers are about different data."
        ),
        f"{number_of(len(treebanks), 'treebank')}, {training}.",
        (
            "Parsers with outputs from both kinds of training trees, on the test sets:"
            f" {', '.join(measured) or 'none'}. Scores ignore punctuation. A word counts as converted if it swapped"
            " places with its head. Tests count each language once, with the mean of its treebanks."
        ),
        *([TRAINED_BRIEFLY] if request.systems is None else []),
    )
    return Study(
        name, "Replication of Kohita et al. (2017) on UD 2.0", PRINTED["source"], setting, sections, claims, _SIGNATURE
    )


def _claims_on_conversion(described: Rows, trained: Collection[str] = ()) -> list[Claim]:
    """Compare with the printed numbers about training sets of UD 1.3, given which of ours are from UD 1.3."""
    rows = list(described.values())
    converted = [row["converted"] for row in rows]
    failed = {code: row["failed"] for code, row in described.items()}
    more = [row["nonprojective after"] - row["nonprojective before"] for row in rows]
    average, lost, trees, arcs = (
        verdicts.mean(values) or 0.0
        for values in (converted, failed.values(), more, [row["arcs after"] - row["arcs before"] for row in rows])
    )
    published = PRINTED["conversion"]
    worst = max(failed, key=failed.__getitem__)
    of_paper = {code: failed[code] <= published["failed, most"] for code in trained if code in failed}
    among = f"on {number_of(len(rows), 'treebank')}"
    return [
        Claim("On average, 6.3% of the tokens are converted (2.3% to 15.6%)", "page 3", "different data",
              f"{average:.1f}% ({min(converted):.1f}% to {max(converted):.1f}%) {among}"),
        Claim("Backward conversion fails for at most 0.01% of the tokens", "page 3",
              _verdict_of_some(of_paper),
              f"at most {failed[worst]:.3g}% ({worst}), on average {lost:.3g}% (printed {published['failed, mean']}%)"
              + (f"; training sets of the paper: {verdicts.count_of_true(of_paper)}" if of_paper else "")),
        Claim("The share of non-projective arcs in training sets rises by 10 points on average", "page 2, Remarks",
              "different data", f"{arcs:+.2f} points of arcs and {trees:+.1f} points of sentences {among}"),
    ]  # fmt: skip


def _verdict_of_some(held: Mapping[str, bool]) -> verdicts.Verdict:
    """The verdict on a claim about all treebanks of the paper: each can refute it, only all together confirm it."""
    if all(held.values()) and not held.keys() >= PRINTED["table_2"].keys() - {"ja"}:
        return "different data"
    return verdicts.verdict_of_fact(all(held.values()))


def _printed_claims() -> Iterator[Claim]:
    table = PRINTED["table_2"]
    in_print = PRINTED["average"]["row"]
    for parser, least, n, languages in (("MST", 1.0, 11, "11 of 19 languages"), ("RBG", 0.5, 10, "10 languages")):
        codes = [code for code in table if round(gain(code, parser) or 0.0, 2) > least]
        yield Claim(f"With {parser}, LAS rises by more than {least} in {languages} (printed numbers)", "page 3",
                    verdicts.verdict_of_fact(len(codes) == n), f"{len(codes)}: {', '.join(codes)}")  # fmt: skip
    averages = {name: verdicts.mean(row[name] for row in table.values()) or 0.0 for name in in_print}
    wrong = [name for name, value in averages.items() if abs(value - in_print[name]) > 0.01]
    evidence = f"all except {', '.join(wrong)}" if wrong else "all ten columns"
    yield Claim(
        "The averages follow from the rows (printed numbers)", "Table 2", verdicts.verdict_of_fact(not wrong), evidence
    )


def _claims_on_printed_gains(described: Rows) -> Iterator[Claim]:
    for parser, left_out, sign in (("MST", ("ja",), "<"), ("RBG", ("ja", "hi"), "=")):
        codes = [code for code in described if code not in left_out]
        published = PRINTED["figure_3"][parser]
        verdict, evidence = _entropy_and_gain({code: (change(described[code]), gain(code, parser)) for code in codes})
        yield Claim(f"The more entropy falls, the more LAS rises (our entropies, printed gains of {parser}, without"
                    f" {' and '.join(left_out)})", "page 5", verdict,
                    f"{evidence}; printed {published['r']} (p {sign} {published['p']})")  # fmt: skip


def _entropy_and_gain(pairs: Mapping[str, tuple[verdicts.Cell, verdicts.Cell]]) -> tuple[verdicts.Verdict, str]:
    r, n = verdicts.correlation(pairs)
    return verdicts.verdict_of_effects((r, -1)), f"r {verdicts.estimate_shown(r)}, {number_of(n, 'language')}"


# numbers computed from the results of one treebank, in points and in percent of functional arcs
_EFFECTS: Mapping[str, Callable[[Row], verdicts.Cell]] = {
    **{name: partial(own_gain, name=name) for name in ("LAS", "CNC", "case", "mark", "nmod", "obl")},
    "CNC minus LAS": lambda row: verdicts.difference(own_gain(row, "CNC"), own_gain(row, "LAS")),
    "LAS minus UAS": lambda row: verdicts.difference(own_gain(row, "LAS"), own_gain(row, "UAS")),
    "broken minus fixed": lambda row: 100 * (row["arcs"]["broken"] - row["arcs"]["fixed"])
                         / max(1, row["arcs"]["functional"]),
}  # fmt: skip

# A claim about scores: its text, its place, and the claimed direction of mean effects
ClaimedEffects = tuple[str, str, Mapping[str, verdicts.Sign]]

# The paper's claims about scores. Figure 2 only shows an example of an arc that conversion breaks, and Table 3 a lower
# F1 of case and mark; neither is tested in the paper.
_CLAIMED_EFFECTS: tuple[ClaimedEffects, ...] = (
    ("Parsing through function heads improves LAS on average", "abstract, page 3", {"LAS": 1}),
    ("Function heads improve LAS more than UAS", "page 3", {"LAS minus UAS": 1}),
    ("Function heads improve CNC more than LAS", "page 5", {"CNC": 1, "CNC minus LAS": 1}),
    ("Function heads hurt case and mark, and improve nmod", "Table 3", {"case": -1, "mark": -1, "nmod": 1}),
    ("Backward conversion breaks more functional arcs than it fixes", "page 4, Figure 2",
     {"broken minus fixed": 1}),
)  # fmt: skip

# claims whose text is different for UD v2, by place
_IN_UD2: Mapping[str, ClaimedEffects] = {
    "Table 3": ("Function heads hurt case and mark, and improve nmod (in UD v2, nmod and obl)", "Table 3",
                {"case": -1, "mark": -1, "nmod": 1, "obl": 1}),
}  # fmt: skip


def claims_on_scores(described: Rows, measured: Mapping[str, Rows], *, ud: int = 1) -> Iterator[Claim]:
    for claim in _CLAIMED_EFFECTS:
        text, place, signs = _IN_UD2.get(claim[1], claim) if ud == 2 else claim
        yield claim_by_parser(text, place, {parser: _judged(rows, signs) for parser, rows in measured.items()})
    correlated = {
        parser: _entropy_and_gain({code: (change(described[code]), own_gain(row, "LAS")) for code, row in rows.items()})
        for parser, rows in measured.items()
    }
    yield claim_by_parser("The more entropy falls, the more LAS rises (our entropies and gains)", "page 5", correlated)
    changes = {code: change(row) for code, row in described.items()}
    fall = verdicts.mean_effect(changes)
    falling = verdicts.count_of_true({code: None if value is None else value < 0 for code, value in changes.items()})
    yield Claim("Conversion lowers the entropy of head words", "page 5, Figure 3",
                verdicts.verdict_of_effects((fall, -1)),
                f"{verdicts.estimate_shown(fall)} bits, lower on {falling} treebanks")  # fmt: skip


def _judged(rows: Rows, signs: Mapping[str, verdicts.Sign]) -> tuple[verdicts.Verdict, str]:
    effects = {name: verdicts.mean_effect({code: _EFFECTS[name](row) for code, row in rows.items()}) for name in signs}
    evidence = ", ".join(f"{name} {verdicts.estimate_shown(effect)}" for name, effect in effects.items())
    return verdicts.verdict_of_effects(*((effects[name], sign) for name, sign in signs.items())), f"{evidence} points"
