"""Kohita, Noji and Matsumoto (2017): what conversion to function heads changes, on UD 1.3 and on UD v2."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import product
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign import Results, check_valid, find_plan, score_plan
from levelhead.campaign.outputs import Output
from levelhead.conversion import backward, check_round_trip, default_targets, forward
from levelhead.errors import number_of
from levelhead.evaluation.pair import load
from levelhead.evaluation.setup import setup_of
from levelhead.report.charts.page_charts import panels
from levelhead.report.charts.point_charts import Named, cloud
from levelhead.scoring.measure_definitions import ATTACHED
from levelhead.scoring.rules import RULES
from levelhead.studies import verdicts
from levelhead.studies.request import (
    TRAINED_BRIEFLY,
    Parts,
    StudyRequest,
    format_of,
    outputs_of,
    parts_of,
    read_treebank,
    run_tasks,
)
from levelhead.studies.study import Claim, Study, StudySection, claim_by_parser, columns, printed, table_section
from levelhead.studies.verdicts import Cell, difference, mean
from levelhead.tables.table import Kind
from levelhead.treebank import Treebank
from levelhead.treebank.layouts.outputs import system_folders
from levelhead.treebank.relations import SCHEMES
from levelhead.typology import count_treebank, profile

NAME = "kohita-2017"
PRINTED = printed("kohita")
PARSERS = ("graph", "swap-lazy", "ensemble")
"""The parsers trained if no outputs are given: second-order, like the paper's; transition-based; and both combined."""

MEASURES = {"UAS": "UAS(nopunct)", "LAS": "LAS(nopunct)", "CNC": "CNC"}
RELATIONS = ("advmod", "amod", "conj", "dobj", "nmod", "nsubj", "case", "cc", "det", "mark")
# their counterparts in UD v2, which split `nmod` into `nmod` and `obl`
UD2_RELATIONS = ("advmod", "amod", "conj", "obj", "nmod", "obl", "nsubj", "case", "cc", "det", "mark")

_MEASURED = tuple(dict.fromkeys((*RELATIONS, *UD2_RELATIONS)))

# the trees from which a parser learned: as annotated, with content heads; or converted, with function heads
KINDS = ("UD", "CONV")

_SIGNATURE = {"rules": "ud", "scheme": "kohita", "variant": "paper"}
_ABOUT_SCORES = "Scores ignore punctuation. A word counts as converted if it swapped places with its head."

Row = Mapping[str, Any]
Rows = Mapping[str, Row]
Files = Mapping[str, Path]
Trees = Mapping[str, Treebank]


def reproduce(request: StudyRequest) -> Study:
    treebanks = parts_of(request, PRINTED["table_2"])
    described, measured = _results(NAME, treebanks, request)
    sections = (
        conversion(described), entropy(described, measured, printed_too=True),
        entropy_by_relation(described, measured), *score_tables(measured, printed_too=True),
        scores_by_relation(measured, printed_too=True), figure_2(measured),
    )  # fmt: skip
    trained = [code for code, parts in treebanks.items() if parts.train]
    of_paper = {code: row for code, row in described.items() if code != "ja"}  # the paper has another Japanese treebank
    claims = (*claims_on_scores(described, measured), *_claims_on_printed_gains(described),
              *_claims_on_conversion(of_paper, trained), *_printed_claims())  # fmt: skip
    setting = (
        (
            f"{number_of(len(treebanks), 'treebank')}. Training sets are available for {len(trained)}"
            f" ({', '.join(trained) or 'none'}). For the others, we use the development and test sets, so their"
            " entropies are based on less data."
        ),
        (
            f"Parsers trained on original trees (UD), and on converted trees with output converted back (CONV):"
            f" {', '.join(measured) or 'none'}. {_ABOUT_SCORES}"
        ),
        *([TRAINED_BRIEFLY] if request.systems is None else []),
        (
            "Do not use `ja`: the text of the Japanese treebank of UD 1.3 is not public, and in UD 1.4 none of its"
            " words is converted."
        ),
    )
    return Study(NAME, PRINTED["title"], PRINTED["source"], setting, sections, claims, _SIGNATURE)


def _results(name: str, treebanks: Mapping[str, Parts], request: StudyRequest) -> tuple[Rows, dict[str, Rows]]:
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
    return described, measured


def reproduce_ud2(request: StudyRequest) -> Study:
    name = "kohita-2017-ud2"
    available = parts_of(request)
    treebanks = {code: parts for code, parts in available.items() if parts.train} or available
    described, measured = _results(name, treebanks, request)
    sections = (conversion(described), entropy(described, measured), *score_tables(measured),
                scores_by_relation(measured), figure_2(measured))  # fmt: skip
    claims = (*claims_on_scores(described, measured, ud=2), *_claims_on_conversion(described))
    untrained = [code for code, parts in treebanks.items() if not parts.train]
    training = (
        "all with a training set" if not untrained
        else f"{len(untrained)} without a training set, which other parts replace ({', '.join(untrained)})"
    )  # fmt: skip
    setting = (
        (
            "The paper is about UD 1.3, as is the replication `kohita-2017`. UD 2.0 has different relations and"
            " treebanks, so its numbers cannot be expected to equal the printed ones."
        ),
        f"{number_of(len(treebanks), 'treebank')}, {training}.",
        (
            "Parsers trained on original trees (UD), and on converted trees with output converted back (CONV):"
            f" {', '.join(measured) or 'none'}. {_ABOUT_SCORES} Tests count each language once, with the mean of its"
            " treebanks."
        ),
        *([TRAINED_BRIEFLY] if request.systems is None else []),
    )
    return Study(
        name, "Replication of Kohita et al. (2017) on UD 2.0", PRINTED["source"], setting, sections, claims, _SIGNATURE
    )


def describe(*paths: Path) -> dict[str, Any]:
    """Return what forward conversion changes in a treebank, and its head-word entropies before and after."""
    treebanks = [read_treebank(path) for path in paths]
    trips = [check_round_trip(treebank) for treebank in treebanks]
    before, after = (
        profile(reduce(add, map(count_treebank, trees)), columns=["head_entropy", "head_entropy_by_relation"])
        for trees in (treebanks, list(map(forward, treebanks)))
    )
    old, new = (entropies.numbers("head_entropy_by_relation") for entropies in (before, after))

    def total(name: str) -> int:
        return sum(getattr(trip.counts, name) for trip in trips)

    words, sentences = total("words"), total("sentences")
    nonprojective = [100 * total(f"nonprojective_sentences_{when}") / sentences for when in ("before", "after")]
    return {
        "words": words,
        "converted": 100 * total("converted") / words,
        "failed": 100 * total("lost_heads") / words,
        "nonprojective before": nonprojective[0],
        "nonprojective after": nonprojective[1],
        "more sentences": nonprojective[1] - nonprojective[0],
        "more arcs": 100 * (total("nonprojective_after") - total("nonprojective_before")) / words,
        "sentences": sentences,
        "before": before["head_entropy"],
        "after": after["head_entropy"],
        "relations": {name: new[name] - old[name] for name in _MEASURED if name in old and name in new},
    }


def measure(golds: Files, original: Files, converted: Files, request: StudyRequest) -> dict[str, Row]:
    """Return for each treebank the scores after training on either kind of tree, and the effect of converting back."""
    gold, content, functional = (
        {code: load(files[code], RULES["ud"], format_of(files[code])) for code in golds}
        for files in (golds, original, converted)
    )

    def scored(test_sets: Trees, outputs: Iterable[Trees], measures: Iterable[str]) -> Results:
        plan, setup = find_plan(test_sets, dict(zip(KINDS, outputs))), setup_of(measures)
        results = score_plan(plan, setup, workers=request.workers, store=request.store, look=_right_words)
        return check_valid(results)

    measures = MEASURES.values()
    in_content_heads = scored(
        gold, (content, _each(backward, functional)), [*measures, *map("LAS@{}".format, _MEASURED)]
    )
    in_function_heads = scored(_each(forward, gold), (_each(forward, content), functional), measures)
    names = (*MEASURES, *_MEASURED)
    results = dict[str, Row]()
    for code, trees in gold.items():
        # functional arcs are those of target words; they can be correct before and after backward conversion
        members = default_targets().of(trees).astype(bool) | SCHEMES["kohita"].is_in("FUNCTION", trees.relations)
        was, now = (members & scored.looked[code]["CONV"] for scored in (in_function_heads, in_content_heads))
        arcs = {"functional": members, "correct before": was, "correct after": now, "broken": was & ~now,
                "fixed": ~was & now}  # fmt: skip
        scores, function_heads = (
            {
                kind: {name: score.value for name, score in zip(names, scored.results[kind, code].scores.values())}
                for kind in KINDS
            }
            for scored in (in_content_heads, in_function_heads)
        )
        counts = {name: int(flags.sum()) for name, flags in arcs.items()}
        results[code] = {"scores": scores, "function heads": function_heads, "arcs": counts}
    return results


def _each(convert: Callable[[Treebank], Treebank], trees: Trees) -> Trees:
    return {code: convert(treebank) for code, treebank in trees.items()}


def _right_words(_code: str, outputs: Sequence[Output]) -> dict[str, NDArray[np.bool_]]:
    """Which gold words have the right head and relation in each output, bool, shape (words,)."""
    words = np.arange(outputs[0].matches.gold.n_words)
    right = {output.name: output.matches.alignment.gold[output.matches.agree(ATTACHED)] for output in outputs}
    return {name: np.isin(words, attached) for name, attached in right.items()}


def change(row: Row) -> Cell:
    return difference(row["after"], row["before"])


def gain(code: str, parser: str) -> Cell:
    """Return the gain in LAS that the paper prints for a parser, in points; None for a treebank that is not printed."""
    row = PRINTED["table_2"].get(code)
    return None if row is None else row[f"LAS {parser} CONV"] - row[f"LAS {parser} UD"]


def own_gain(row: Row | None, name: str) -> Cell:
    return None if row is None else difference(row["scores"]["CONV"][name], row["scores"]["UD"][name])


def conversion(described: Rows) -> StudySection:
    names = ("words", "converted", "failed", "nonprojective before", "nonprojective after", "more sentences",
             "more arcs")  # fmt: skip
    cells = [(code, *(row[name] for name in names)) for code, row in described.items()]
    published = PRINTED["conversion"]
    averages = ("average", None, *(mean(column) for column in list(zip(*cells))[2:]))
    in_print = ("printed average", None, published["converted tokens"], published["failed, mean"], None, None,
                None, published["non-projective, increase"])  # fmt: skip
    return table_section(
        "Section 3.1: what conversion changes",
        columns(text="treebank", number="words", percent="converted")
        | columns(number="not restored (%)", percent=("non-projective sentences", "after"),
                  points=("increase", "increase, non-projective arcs")),
        [*cells, averages, in_print],
        "The paper prints only averages. It mentions non-projective arcs (page 2), but may mean sentences with"
        " such arcs. We show both.",
        rule_before=len(cells),
    )  # fmt: skip


def entropy(described: Rows, measured: Mapping[str, Rows], *, printed_too: bool = False) -> StudySection:
    """Return a section on entropies of treebanks and gains of parsers, with printed gains or with treebank sizes."""
    sizes, published = ((), ("MST", "RBG")) if printed_too else (("sentences", "words"), ())
    gains = {f"{parser} (printed)": {c: gain(c, parser) for c in described} for parser in published}
    gains |= {parser: {c: own_gain(rows.get(c), "LAS") for c in described} for parser, rows in measured.items()}
    points = [
        Named(code, less, points_of_las, series)
        for series, by_code in gains.items()
        for code, points_of_las in by_code.items()
        if points_of_las is not None and (less := change(described[code])) is not None
    ]
    names = (*sizes, "entropy (bits)", "after", "change", *(f"LAS gain, {parser}" for parser in gains))
    return table_section(
        "Figure 3: entropy and gain" if printed_too else "Entropy and gain",
        columns(text="treebank", number=names),
        [
            (code, *(row[size] for size in sizes), row["before"], row["after"], change(row),
             *(by_code[code] for by_code in gains.values()))
            for code, row in described.items()
        ],
        "Head-word vocabulary entropy, over tuples that occur at least five times. Gains in LAS are in points.",
        figure=cloud("Entropy and gain", points, "change of entropy (bits)", "LAS gain (points)") if points else None,
    )  # fmt: skip


def entropy_by_relation(described: Rows, measured: Mapping[str, Rows]) -> StudySection:
    """Return the upper panel of Figure 3: the entropies of relations and the gains in F1."""
    points = [
        Named(f"{name} {code}", less, gain, parser)
        for parser, rows in measured.items()
        for code, row in rows.items()
        for name, less in described[code]["relations"].items()
        if name in RELATIONS and (gain := own_gain(row, name)) is not None
    ]
    gains = ("F1 gain, RBG (printed)", *(f"F1 gain, {parser}" for parser in measured))
    return table_section(
        "Figure 3: entropy and gain by relation",
        columns(text="relation", number=("change of entropy (bits)", *gains)),
        [
            (name, mean(row["relations"].get(name) for row in described.values()),
             PRINTED["table_3"][name]["CONV"] - PRINTED["table_3"][name]["UD"],
             *(mean(own_gain(row, name) for row in rows.values()) for rows in measured.values()))
            for name in RELATIONS
        ],
        "Changes of entropy are averaged over all treebanks, gains over those with outputs. The paper prints only the"
        " mean gains (Table 3).",
        figure=cloud("Entropy and gain by relation", points, "change of entropy (bits)", "F1 gain (points)")
        if points else None,
    )  # fmt: skip


def score_tables(measured: Mapping[str, Rows], *, printed_too: bool = False) -> Iterator[StudySection]:
    """Yield the scores by each measure, with the printed ones if given, and the scores in function-head trees."""
    if not measured:
        missing = ("No outputs of parsers trained on both kinds of trees were given.",)
        yield StudySection("Table 2: scores" if printed_too else "Scores", missing)
        return
    for name in MEASURES:
        yield _scores_by(name, measured, printed_too=printed_too)
    names = list(product(("UAS", "LAS"), KINDS))
    yield table_section(
        "Scores in function-head trees",
        columns(text=("parser", "treebank"), percent=map(" ".join, names)),
        [
            (parser, code, *(row["function heads"][kind][name] for name, kind in names))
            for parser, rows in measured.items()
            for code, row in rows.items()
        ],
        "Both outputs are compared with converted gold trees: CONV without converting it back, UD after conversion.",
    )


def _scores_by(name: str, measured: Mapping[str, Rows], *, printed_too: bool) -> StudySection:
    averages, table = (PRINTED["average"]["row"], PRINTED["table_2"]) if printed_too else ({}, {})
    published = [parser for parser in ("MST", "RBG") if f"{name} {parser} UD" in averages]
    kinds = columns(text="treebank") | _score_columns(published, " (printed)") | _score_columns(measured)
    in_print = {
        code: [
            cell for parser in published for cell in _with_gain(*(row[f"{name} {parser} {kind}"] for kind in KINDS))
        ]
        for code, row in {**table, "": averages}.items()
    }  # fmt: skip
    codes = dict.fromkeys(code for rows in measured.values() for code in rows)
    cells: list[tuple[Cell | str, ...]] = [
        (code, *in_print.get(code, ()), *(cell for rows in measured.values() for cell in _pair(rows.get(code), name)))
        for code in table or codes
        if code in codes
    ]
    n = len(cells)
    means = map(mean, list(zip(*cells))[1:])
    cells.append(("average of the above" if cells and averages else "average", *means))
    if averages:
        cells.append(("average of all 19, printed", *in_print[""]))
    rows = [(*row, *[None] * (len(kinds) - len(row))) for row in cells]
    return table_section(f"Table 2: {name}" if averages else name, kinds, rows, rule_before=n)


def _pair(row: Row | None, name: str) -> tuple[Cell, Cell, Cell]:
    return (None, None, None) if row is None else _with_gain(*(row["scores"][kind][name] for kind in KINDS))


def _with_gain(original: Cell, converted: Cell) -> tuple[Cell, Cell, Cell]:
    return original, converted, difference(converted, original)


def scores_by_relation(measured: Mapping[str, Rows], *, printed_too: bool = False) -> StudySection:
    kinds = columns(text="relation") | (_score_columns([""], " (printed)") if printed_too else {})
    cells = []
    for name in RELATIONS if printed_too else UD2_RELATIONS:
        row: list[Cell | str] = [name]
        row += _with_gain(*(PRINTED["table_3"][name][kind] for kind in KINDS)) if printed_too else ()
        for rows in measured.values():
            pairs = [pair for scored in rows.values() if None not in (pair := _pair(scored, name))]
            row += [mean(column) for column in zip(*pairs)] or [None] * 3
        cells.append(row)
    title = "Table 3: F1 by relation" if printed_too else "F1 by relation"
    means = "Means over the treebanks that have the relation."
    return table_section(title, kinds | _score_columns(measured), cells, means)


def _score_columns(parsers: Iterable[str], mark: str = "") -> dict[str, Kind]:
    kinds: dict[str, Kind] = {"UD": "percent", "CONV": "percent", "gain": "points"}
    return {f"{parser} {name}{mark}".strip(): kind for parser in parsers for name, kind in kinds.items()}


def figure_2(measured: Mapping[str, Rows]) -> StudySection:
    names = ("correct before", "correct after", "broken", "fixed")
    arcs = {(parser, code): row["arcs"] for parser, rows in measured.items() for code, row in rows.items()}
    shares = {key: {name: 100 * one[name] / max(1, one["functional"]) for name in names} for key, one in arcs.items()}
    codes = list(dict.fromkeys(code for _, code in arcs))
    drawn = {
        f"{name}, {parser}": [shares.get((parser, code), {}).get(name) for code in codes]
        for name in ("broken", "fixed")
        for parser in measured
    }
    return table_section(
        "Figure 2: functional arcs that conversion breaks",
        columns(text=("parser", "treebank"), number="functional", percent=names),
        [(*key, one["functional"], *shares[key].values()) for key, one in arcs.items()],
        "The shares of functional arcs that are correct before, and after, the output is converted back. Broken arcs"
        " are correct only before, fixed arcs only after.",
        figure=panels("Functional arcs that conversion breaks", codes, drawn) if codes else None,
    )


def _claims_on_conversion(described: Rows, trained: Collection[str] = ()) -> list[Claim]:
    """Compare with the printed numbers about training sets of UD 1.3, given which of ours are from UD 1.3."""
    converted = [row["converted"] for row in described.values()]
    failed = {code: row["failed"] for code, row in described.items()}
    names = ("converted", "failed", "more sentences", "more arcs")
    average, lost, trees, arcs = (mean(row[name] for row in described.values()) or 0.0 for name in names)
    published = PRINTED["conversion"]
    worst = max(failed, key=failed.__getitem__)
    of_paper = {code: failed[code] <= published["failed, most"] for code in trained if code in failed}
    # each treebank of the paper can refute the claim about all of them; only all together confirm it
    held, is_whole = all(of_paper.values()), of_paper.keys() >= PRINTED["table_2"].keys() - {"ja"}
    restored: verdicts.Verdict = verdicts.verdict_of_fact(held) if is_whole or not held else "different data"
    among = f"on {number_of(len(described), 'treebank')}"
    return [
        Claim("On average, 6.3% of the tokens are converted (2.3% to 15.6%)", "page 3", "different data",
              f"{average:.1f}% ({min(converted):.1f}% to {max(converted):.1f}%) {among}"),
        Claim("Backward conversion fails for at most 0.01% of the tokens", "page 3", restored,
              f"at most {failed[worst]:.3g}% ({worst}), on average {lost:.3g}% (printed {published['failed, mean']}%)"
              + (f"; training sets of the paper: true for {verdicts.count_of_true(of_paper)}" if of_paper else "")),
        Claim("The share of non-projective arcs in training sets rises by 10 points on average", "page 2, Remarks",
              "different data", f"{arcs:+.2f} points of arcs and {trees:+.1f} points of sentences {among}"),
    ]  # fmt: skip


def _printed_claims() -> Iterator[Claim]:
    table = PRINTED["table_2"]
    in_print = PRINTED["average"]["row"]
    for parser, least, n, languages in (("MST", 1.0, 11, "11 of 19 languages"), ("RBG", 0.5, 10, "10 languages")):
        codes = [code for code in table if round(gain(code, parser) or 0.0, 2) > least]
        yield Claim(f"With {parser}, LAS rises by more than {least} in {languages} (printed numbers)", "page 3",
                    verdicts.verdict_of_fact(len(codes) == n), f"{len(codes)}: {', '.join(codes)}")  # fmt: skip
    averages = {name: mean(row[name] for row in table.values()) or 0.0 for name in in_print}
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


def _entropy_and_gain(pairs: Mapping[str, tuple[Cell, Cell]]) -> tuple[verdicts.Verdict, str]:
    r, n = verdicts.correlation(pairs)
    return verdicts.verdict_of_effects((r, -1)), f"r {verdicts.estimate_shown(r)}, {number_of(n, 'language')}"


# numbers computed from the results of one treebank, in points and in percent of functional arcs
_EFFECTS: Mapping[str, Callable[[Row], Cell]] = {
    **{name: partial(own_gain, name=name) for name in ("LAS", "CNC", "case", "mark", "nmod", "obl")},
    "CNC minus LAS": lambda row: difference(own_gain(row, "CNC"), own_gain(row, "LAS")),
    "LAS minus UAS": lambda row: difference(own_gain(row, "LAS"), own_gain(row, "UAS")),
    "broken minus fixed": lambda row: 100 * (row["arcs"]["broken"] - row["arcs"]["fixed"])
                         / max(1, row["arcs"]["functional"]),
}  # fmt: skip

# The paper's claims about scores: text, place, and the direction of mean effects. Figure 2 only shows an example of an
# arc that conversion breaks, and Table 3 a lower F1 of case and mark; neither is tested in the paper.
_CLAIMED_EFFECTS: tuple[tuple[str, str, Mapping[str, verdicts.Sign]], ...] = (
    ("Parsing through function heads improves LAS on average", "abstract, page 3", {"LAS": 1}),
    ("Function heads improve LAS more than UAS", "page 3", {"LAS minus UAS": 1}),
    ("Function heads improve CNC more than LAS", "page 5", {"CNC": 1, "CNC minus LAS": 1}),
    ("Function heads hurt case and mark, and improve nmod", "Table 3", {"case": -1, "mark": -1, "nmod": 1}),
    ("Backward conversion breaks more functional arcs than it fixes", "page 4, Figure 2",
     {"broken minus fixed": 1}),
)  # fmt: skip


def claims_on_scores(described: Rows, measured: Mapping[str, Rows], *, ud: int = 1) -> Iterator[Claim]:
    for text, place, signs in _CLAIMED_EFFECTS:
        split = ud == 2 and "nmod" in signs  # into nmod and obl
        effects = {**signs, "obl": signs["nmod"]} if split else signs
        judged = {parser: _judged(rows, effects) for parser, rows in measured.items()}
        yield claim_by_parser(text + " (in UD v2, nmod and obl)" * split, place, judged)
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
    verdict = verdicts.verdict_of_effects(*((effects[name], sign) for name, sign in signs.items()))
    return verdict, f"{verdicts.effects_shown(effects)} points"
