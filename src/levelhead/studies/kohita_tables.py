"""Statistics of conversion, scores of parsers trained on both kinds of trees, and their tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import product
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign import check_valid, find_plan, score_plan
from levelhead.campaign.outputs import Output
from levelhead.conversion import backward, check_round_trip, default_targets, forward
from levelhead.evaluation.pair import load
from levelhead.evaluation.setup import setup_of
from levelhead.report.charts.page_charts import panels
from levelhead.report.charts.point_charts import Named, cloud
from levelhead.scoring.measure_definitions import ATTACHED
from levelhead.scoring.rules import RULES
from levelhead.studies.request import StudyRequest, format_of, read_treebank
from levelhead.studies.study import StudySection, columns, printed, table_section
from levelhead.studies.verdicts import Cell, difference, mean
from levelhead.tables.table import Column, Kind, Table
from levelhead.treebank import Treebank
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

Row = Mapping[str, Any]
Rows = Mapping[str, Row]
Files = Mapping[str, Path]


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
    return {
        "words": words,
        "converted": 100 * total("converted") / words,
        "failed": 100 * total("lost_heads") / words,
        "nonprojective before": 100 * total("nonprojective_sentences_before") / sentences,
        "nonprojective after": 100 * total("nonprojective_sentences_after") / sentences,
        "arcs before": 100 * total("nonprojective_before") / words,
        "arcs after": 100 * total("nonprojective_after") / words,
        "sentences": sentences,
        "before": before["head_entropy"],
        "after": after["head_entropy"],
        "relations": {name: new[name] - old[name] for name in _MEASURED if name in old and name in new},
    }


def measure(golds: Files, original: Files, converted: Files, request: StudyRequest) -> dict[str, Row]:
    """Return the scores after training on both kinds of trees, and the effect of backward conversion, by treebank."""
    gold, content, functional = (
        {code: load(files[code], RULES["ud"], format_of(files[code])) for code in golds}
        for files in (golds, original, converted)
    )
    in_content_heads, in_function_heads = (
        check_valid(
            score_plan(
                find_plan(test_sets, dict(zip(KINDS, outputs))), setup_of(measures.values()), workers=request.workers,
                store=request.store, look=_right_words,
            )
        )
        for test_sets, outputs, measures in (
            (gold, (content, _each(backward, functional)), {**MEASURES, **{name: f"LAS@{name}" for name in _MEASURED}}),
            (_each(forward, gold), (_each(forward, content), functional), MEASURES),
        )
    )  # fmt: skip
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


def _each(convert: Callable[[Treebank], Treebank], trees: Mapping[str, Treebank]) -> dict[str, Treebank]:
    return {code: convert(treebank) for code, treebank in trees.items()}


def _right_words(_code: str, outputs: Sequence[Output]) -> dict[str, NDArray[np.bool_]]:
    """Which gold words have the right head and relation in each output, bool, shape (words,)."""
    right = {output.name: np.zeros(output.matches.gold.n_words, dtype=bool) for output in outputs}
    for output in outputs:
        right[output.name][output.matches.alignment.gold] = output.matches.agree(ATTACHED)
    return right


def change(row: Row) -> Cell:
    return difference(row["after"], row["before"])


def gain(code: str, parser: str) -> Cell:
    """Return the printed gain of a parser in LAS, in points; None if it is not printed."""
    row = PRINTED["table_2"].get(code)
    return None if row is None else row[f"LAS {parser} CONV"] - row[f"LAS {parser} UD"]


def own_gain(row: Row | None, name: str) -> Cell:
    return None if row is None else difference(row["scores"]["CONV"][name], row["scores"]["UD"][name])


def conversion(described: Rows) -> StudySection:
    cells: list[tuple[Any, ...]] = []
    for code, row in described.items():
        before, after = (row[f"nonprojective {when}"] for when in ("before", "after"))
        cells.append((code, row["words"], row["converted"], row["failed"], before, after, after - before,
                      row["arcs after"] - row["arcs before"]))  # fmt: skip
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
    """Return the entropies of treebanks and the gains of parsers; with printed gains, or else with sizes."""
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
        "Head-word vocabulary entropy of tuples that occur at least five times; gains in points.",
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
    title = "Entropy and gain by relation"
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
        "Changes of entropy are means over all treebanks, gains over those with outputs. The paper prints only the"
        " mean gains (Table 3).",
        figure=cloud(title, points, "change of entropy (bits)", "F1 gain (points)") if points else None,
    )  # fmt: skip


def score_tables(measured: Mapping[str, Rows], *, printed_too: bool = False) -> Iterator[StudySection]:
    """Yield the scores by each measure, with the printed ones if given, and the scores in function-head trees."""
    if not measured:
        title = "Table 2: scores" if printed_too else "Scores"
        yield StudySection(title, ("No outputs of parsers trained on both kinds of trees were given.",))
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
        "Both outputs against gold function-head trees: CONV before it is converted back, and UD after conversion.",
    )


def _scores_by(name: str, measured: Mapping[str, Rows], *, printed_too: bool) -> StudySection:
    averages, table = (PRINTED["average"]["row"], PRINTED["table_2"]) if printed_too else ({}, {})
    published = [parser for parser in ("MST", "RBG") if f"{name} {parser} UD" in averages]
    heads = [Column("treebank", "text")]
    for parser, mark in (*((parser, " (printed)") for parser in published), *((parser, "") for parser in measured)):
        heads += [Column(f"{parser} {kind}{mark}", "percent") for kind in KINDS]
        heads.append(Column(f"{parser} gain" if not printed_too else f"gain{mark}", "points"))
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
    means = tuple(mean(column) for column in list(zip(*cells))[1:])
    cells.append(("average of the above" if cells and averages else "average", *means))
    if averages:
        cells.append(("average of all 19, printed", *in_print[""]))
    rows = tuple((*row, *[None] * (len(heads) - len(row))) for row in cells)
    title = f"Table 2: {name}" if averages else name
    return StudySection(title, (), Table(tuple(heads), rows, rules_before=frozenset({n})))


def _pair(row: Row | None, name: str) -> tuple[Cell, Cell, Cell]:
    return (None, None, None) if row is None else _with_gain(*(row["scores"][kind][name] for kind in KINDS))


def _with_gain(original: Cell, converted: Cell) -> tuple[Cell, Cell, Cell]:
    return original, converted, difference(converted, original)


def scores_by_relation(measured: Mapping[str, Rows]) -> StudySection:
    cells = []
    for name in RELATIONS:
        pairs = [[PRINTED["table_3"][name][kind] for kind in KINDS]] + [
            [mean(row["scores"][kind][name] for row in rows.values()) for kind in KINDS] for rows in measured.values()
        ]
        cells.append((name, *(cell for pair in pairs for cell in _with_gain(*pair))))
    in_print = columns(text="relation", percent=("UD (printed)", "CONV (printed)"), points="gain (printed)")
    return table_section("Table 3: F1 by relation", in_print | _score_columns(measured), cells)


def ud2_scores_by_relation(measured: Mapping[str, Rows]) -> StudySection:
    cells = []
    for name in UD2_RELATIONS:
        row: list[Cell | str] = [name]
        for rows in measured.values():
            pairs = [pair for scored in rows.values() if None not in (pair := _pair(scored, name))]
            row += [mean(column) for column in zip(*pairs)] or [None] * 3
        cells.append(row)
    kinds = columns(text="relation") | _score_columns(measured)
    return table_section("F1 by relation", kinds, cells, "Means over the treebanks that have the relation.")


def _score_columns(parsers: Iterable[str]) -> dict[str, Kind]:
    kinds: dict[str, Kind] = {"UD": "percent", "CONV": "percent", "gain": "points"}
    return {f"{parser} {name}": kind for parser in parsers for name, kind in kinds.items()}


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
        "Shares of functional arcs: correct before the output is converted back, correct after, broken (correct only"
        " before) and fixed (correct only after).",
        figure=panels("Functional arcs that conversion breaks", codes, drawn) if codes else None,
    )
