"""Nivre and Fang (2017): CLAS, LAS of each class of relations, and LAS without classes and relations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from levelhead.campaign import check_valid, find_plan, score_plan
from levelhead.errors import number_of
from levelhead.evaluation.setup import setup_of
from levelhead.report.charts.page_charts import panels
from levelhead.studies.parsers import TRAINED_BRIEFLY, outputs_of
from levelhead.studies.request import Parts, StudyRequest, parts_of, read_treebank, run_tasks, score_files, signature
from levelhead.studies.study import (
    Claim,
    Study,
    StudySection,
    columns,
    conllu,
    printed,
    table_section,
    verdicts_by_parser,
)  # fmt: skip
from levelhead.studies.verdicts import (
    Cell,
    difference,
    estimate_shown,
    joint_verdict,
    mean,
    mean_interval,
    p_shown,
    pearson,
    ratio,
    shown,
    spearman,
    verdict_of_correlation,
    verdict_of_effect,
    verdict_of_fact,
)
from levelhead.tables.svg import Drawing
from levelhead.tables.table import Kind
from levelhead.treebank import from_conllu
from levelhead.typology.languages import family_of

NAME = "nivre-fang-2017"
PARSER = "swap-lazy"
OTHERS = ("graph", "ensemble")
"""Also trained if no outputs are given, to see whether the findings depend on the parser."""

CLASSES = ("CORE", "NONCORE", "FUN", "MWE")
WITHOUT = ("PUNCT", "FUN", "MWE")
RELATIONS = ("det", "clf", "case", "aux", "cop", "mark", "cc")

Row = Mapping[str, float | None]
Rows = Mapping[str, Row]


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    numbers = printed("nivre_fang")
    treebanks = parts_of(request, numbers["languages"])
    on = "test" if request.systems is not None else "dev"
    measured = {}
    for parser in (PARSER, *OTHERS):
        if parser == PARSER or request.systems is None or (request.systems / parser).is_dir():
            outputs = outputs_of(request, parser, treebanks, on=on)
            golds = {code: treebanks[code].parsed(on) for code in outputs}
            measured[parser] = scores(golds, outputs, request)
    rows = measured[PARSER]
    others: tuple[StudySection, ...] = ()
    if len(measured) > 1 and all(measured.values()):
        judged = {parser: claims_on_scores(rows, numbers, request) for parser, rows in measured.items()}
        others = *_other_parsers(measured, numbers), verdicts_by_parser(judged)
    sizes = run_tasks(NAME, words, {code: (parts.train,) for code, parts in treebanks.items() if parts.train}, request)
    examples = _scores_of_examples(numbers["figure_1"], request)
    with_relations = ["CLAS", "CLAS - LAS", *(f"without {name}" for name in RELATIONS)]
    sections = (
        table_section(
            "Figure 1: one mistake in English and in Finnish",
            columns(text="language", ratio=("LAS", "CLAS")),
            [(code, row["LAS"], row["CLAS"]) for code, row in examples.items()],
            "The two sentences of the figure, with the same mistake: the locative is attached to the object (page 87).",
        ),
        _printed_and_ours("Table 2: LAS, and LAS of each class", rows, numbers, ("LAS", *CLASSES)),
        _differences(rows, numbers),
        _printed_and_ours("Table 3: CLAS, and LAS without a relation", rows, numbers, with_relations),
        _agreement(rows, numbers), _families(rows, numbers), *others,
    )  # fmt: skip
    claims = (*_printed_claims(numbers, sizes, examples), *claims_on_scores(rows, numbers, request))
    signed = signature(request, rules="ud", scheme="nivre-fang")
    setting = _setting(rows, treebanks, request, numbers)
    return Study(NAME, numbers["title"], numbers["source"], setting, sections, claims, signed)


def _setting(
    rows: Rows, treebanks: Mapping[str, Parts], request: StudyRequest, numbers: Mapping[str, Any]
) -> tuple[str, ...]:
    untrained, undeveloped = (
        ", ".join(code for code in rows if getattr(treebanks[code], part) is None) for part in ("train", "dev")
    )
    other = f" (another part if there is none: {untrained})" if untrained else ""
    tested = f" (the test sets if there are none: {undeveloped})" if undeveloped else ""
    parsers = (
        "The outputs are from another parser than the paper's, so only patterns can be compared, not numbers."
        if request.systems is not None
        else f"Our parsers, with all features, trained on the training sets{other} and run on the development"
        f" sets{tested}."
    )
    of_paper = sum(code in numbers["languages"] for code in rows)
    among = "" if of_paper == len(rows) else f"{number_of(len(rows), 'treebank')}, "
    compared = "Verdicts and tables are based on swap-lazy; the last sections compare it with graph and ensemble."
    return (
        (
            f"{among}{of_paper} of the {len(numbers['languages'])} treebanks of the paper: {', '.join(rows) or 'none'}."
            f" {parsers}"
        ),
        (
            "For languages with several treebanks, we follow footnote 1 of the paper (page 89): the treebank whose code"
            " has no suffix, except PROIEL for Ancient Greek and Latin."
        ),
        (
            "Scores are in percent, differences in points (restricted minus full). The paper's parser is MaltParser,"
            " with gold segmentation and tags, on the development sets of UD 2.0."
        ),
        *([compared, TRAINED_BRIEFLY] if request.systems is None else []),
    )


def words(train: Path) -> int:
    """Return the number of words in a training set."""
    return read_treebank(train).n_words


def scores(golds: Mapping[str, Path], outputs: Mapping[str, Path], request: StudyRequest) -> Rows:
    """Return LAS, CLAS, LAS of each class, and the changes of LAS without classes or relations, for each output.

    The names are those of the paper's columns; "without FUN" is the difference to LAS.
    """
    left_out = (*WITHOUT, *RELATIONS)
    setup = setup_of(["LAS", "CLAS", *(f"LAS@{name}" for name in CLASSES), *(f"LAS-{name}" for name in left_out)])
    results = check_valid(score_files(golds, {PARSER: outputs}, setup, request)).results
    rows = {}
    for code in outputs:
        row = {name: ratio(value) for name, value in results[PARSER, code].values.items()}
        las = row["LAS"]
        rows[code] = {
            "LAS": las, "CLAS": row["CLAS"], "CLAS - LAS": difference(row["CLAS"], las),
            **{name: row[f"LAS@{name}"] for name in CLASSES},
            **{f"without {name}": difference(row[f"LAS-{name}"], las) for name in left_out},
        }  # fmt: skip
    return rows


def _scores_of_examples(texts: Mapping[str, Mapping[str, str]], request: StudyRequest) -> Rows:
    """LAS and CLAS of the example sentences."""
    golds, outputs = (
        {code: from_conllu(conllu(text[side]).encode(), name=side) for code, text in texts.items()}
        for side in ("gold", "system")
    )
    plan, setup = find_plan(golds, {"": outputs}), setup_of(["LAS", "CLAS"])
    results = check_valid(score_plan(plan, setup, workers=request.workers, store=request.store)).results
    return {code: {name: ratio(value) for name, value in results["", code].values.items()} for code in texts}


def _printed_row(numbers: Mapping[str, Any], code: str, name: str) -> float | None:
    """A printed number as a share; None if it is not printed."""
    for table in ("table_2", "table_3"):
        value: float | None = numbers[table].get(code, {}).get(name)
        if value is not None:
            return value / 100
    return None


def points(share: float | None) -> float | None:
    """Return a share in percentage points; None for None."""
    return None if share is None else 100 * share


FEWEST_WORDS = 30_000
"""The claimed smallest size of a treebank."""


def _printed_claims(numbers: Mapping[str, Any], sizes: Mapping[str, int], examples: Rows) -> list[Claim]:
    """Check the claims in the text about the figure, the tables and the treebanks, which need no parser."""
    drops = {code: row["without FUN"] for code, row in numbers["table_2"].items()}
    las = [examples[code]["LAS"] for code in ("en", "fi")]
    evidence = "; ".join(f"{code}: LAS {row['LAS']:.1%}, CLAS {row['CLAS']:.1%}" for code, row in examples.items())
    claims = [
        Claim("The same mistake results in a LAS of 87.5% in English and 75% in Finnish", "page 87",
              verdict_of_fact(las == [0.875, 0.75]), evidence)
    ]  # fmt: skip
    for text, codes, n in (
        ("more than 5 points in 12", sorted(code for code, value in drops.items() if value < -5), 12),
        ("less than 2 points in 7", sorted(code for code, value in drops.items() if -2 < value < 0), 7),
    ):
        claims.append(
            Claim(f"Without FUN, LAS drops by {text} languages (printed numbers)", "page 91",
                  verdict_of_fact(len(codes) == n), f"Table 2 prints {len(codes)}: {', '.join(codes)}")
        )  # fmt: skip
    for table, name in (("2", "without FUN"), ("3", "CLAS - LAS")):
        published = numbers[f"average_{table}"]["row"][name]
        average = 100 * (mean(row[name] / 100 for row in numbers[f"table_{table}"].values()) or 0.0)
        text, equal = f"The average of {name} follows from the printed rows", abs(average - published) < 0.011
        claims.append(Claim(text, f"Table {table}", verdict_of_fact(equal), f"{average:.3f}, printed {published:.2f}"))
    of_paper = {code: n for code, n in sizes.items() if code in numbers["languages"]}
    small = ", ".join(f"{code} {n}" for code, n in of_paper.items() if n < FEWEST_WORDS)
    claims.append(
        Claim("Every treebank has at least 30,000 words (training set)", "page 89",
              verdict_of_fact(not small if of_paper else None),
              f"smaller: {small or 'none'}, of {len(of_paper)} available training sets; the paper does not say"
              " whether it counts training sets or all parts")
    )  # fmt: skip
    return claims


def claims_on_scores(rows: Rows, numbers: Mapping[str, Any], request: StudyRequest) -> list[Claim]:
    """Check the claims about scores on our scores."""
    if not rows:
        return [Claim(text, "pages 89 to 93", "no data", "no outputs") for text in _ON_SCORES]
    dropping = sum((row["without FUN"] or 0) < 0 for row in rows.values())
    lower = sum((row["CLAS - LAS"] or 0) < 0 for row in rows.values())
    means = {name: mean(row[name] for row in rows.values()) for name in ("without FUN", "CLAS - LAS")}
    return [
        _claim_on_classes(rows, request),
        Claim(_ON_SCORES[1], "page 91", verdict_of_fact(dropping >= 0.9 * len(rows)),
              f"{dropping} of {len(rows)} (printed: 41 of 42); on average"
              f" {shown(points(means['without FUN']))} points, printed -4.11"),
        Claim(_ON_SCORES[2], "Table 3", verdict_of_fact(lower == len(rows)),
              f"{lower} of {len(rows)}; on average {shown(points(means['CLAS - LAS']))} points, printed -4.32"),
        _claim_on_relations(rows, request),
        _claim_on_agreement(rows, numbers),
    ]  # fmt: skip


_ON_SCORES = (
    "FUN is parsed more accurately than CORE and NONCORE on average",
    "LAS drops when FUN is left out, in nearly every language",
    "CLAS is lower than LAS in every language",
    "det and case account for most of the drop",
    "The order of languages by drop is as printed (rank correlation)",
)


def _claim_on_classes(rows: Rows, request: StudyRequest) -> Claim:
    """Check the mean LAS of function relations against the means of both classes of content relations."""
    means = ", ".join(f"{name} {shown(points(mean(row[name] for row in rows.values())))}" for name in CLASSES[:3])
    differences = {
        name: mean_interval((difference(row["FUN"], row[name]) for row in rows.values()), *request.draws)
        for name in ("CORE", "NONCORE")
    }
    evidence = ", ".join(
        f"FUN minus {name} {estimate_shown(estimate, 1, 100)}" for name, estimate in differences.items()
    )
    verdict = joint_verdict(verdict_of_effect(estimate, 1) for estimate in differences.values())
    return Claim(_ON_SCORES[0], "page 89", verdict, f"in percent: {means}; {evidence}")


def _claim_on_relations(rows: Rows, request: StudyRequest) -> Claim:
    """Check whether LAS drops without det and case, and more than without the other five together."""
    two, five = (
        {
            code: _total(row, [name for name in RELATIONS if (name in {"det", "case"}) == are_two])
            for code, row in rows.items()
        }
        for are_two in (True, False)
    )
    drop = mean_interval(two.values(), *request.draws)
    extra = mean_interval((difference(two[code], five[code]) for code in rows), *request.draws)
    return Claim(
        _ON_SCORES[3], "page 93", joint_verdict(verdict_of_effect(estimate, -1) for estimate in (drop, extra)),
        f"in points: det and case together {estimate_shown(drop, 2, 100)}, the other five"
        f" {shown(points(mean(five.values())))}; difference {estimate_shown(extra, 2, 100)}",
    )  # fmt: skip


def _total(row: Row, relations: Sequence[str]) -> Cell:
    """The sum of the changes of LAS without each of the relations; an undefined change counts 0."""
    known = [value for name in relations if (value := row[f"without {name}"]) is not None]
    return math.fsum(known) if known else None


def _claim_on_agreement(rows: Rows, numbers: Mapping[str, Any]) -> Claim:
    """Check whether languages are ranked as in the paper, by the drop without FUN (Table 2) and to CLAS (Table 3)."""
    correlations = {
        f"{table} ({name})": spearman((row[name], _printed_row(numbers, code, name)) for code, row in rows.items())
        for table, name in (("Table 2", "without FUN"), ("Table 3", "CLAS - LAS"))
    }
    evidence = ", ".join(
        f"{place}: Spearman {shown(rank)} ({p_shown(p, 4)})" for place, (rank, p, _) in correlations.items()
    )
    verdict = joint_verdict(verdict_of_correlation(rank, p, 1) for rank, p, _ in correlations.values())
    return Claim(_ON_SCORES[4], "Tables 2 and 3", verdict, f"{evidence}; {number_of(len(rows), 'treebank')}")


def _printed_and_ours(
    title: str, rows: Rows, numbers: Mapping[str, Any], names: Sequence[str], *text: str, figure: Drawing | None = None
) -> StudySection:
    """A table of printed columns next to ours, with averages in the last two rows."""
    kinds = columns(text="treebank")
    for name in names:
        kinds |= dict.fromkeys((f"{name} printed", name), _kind_of(name))
    cells = [
        (code, *(cell for name in names for cell in (_printed_row(numbers, code, name), row[name])))
        for code, row in rows.items()
    ]
    means = [
        (mean(_printed_row(numbers, code, name) for code in rows), mean(row[name] for row in rows.values()))
        for name in names
    ]
    averages = {**numbers["average_2"]["row"], **numbers["average_3"]["row"]}
    in_print = ((averages[name] / 100, None) for name in names)
    last = [
        (label, *(cell for pair in pairs for cell in pair))
        for label, pairs in (("average of the above", means), ("average of all 42, printed", in_print))
    ]
    return table_section(title, kinds, [*cells, *last], *text, figure=figure, rule_before=len(cells))


def _kind_of(name: str) -> Kind:
    return "difference" if "without" in name or " - " in name else "ratio"


def _differences(rows: Rows, numbers: Mapping[str, Any]) -> StudySection:
    """The changes of LAS without a class, printed and ours."""
    order = sorted(rows, key=lambda code: rows[code]["without FUN"] or 0.0)
    drawn = {
        "printed": [points(_printed_row(numbers, code, "without FUN")) for code in order],
        "ours": [points(rows[code]["without FUN"]) for code in order],
    }
    return _printed_and_ours(
        "Table 2: LAS without a class, minus LAS", rows, numbers, [f"without {name}" for name in WITHOUT],
        "The figure shows the differences without FUN, largest drop first.",
        figure=panels("LAS without FUN, minus LAS, in points", order, drawn, signed=True) if order else None,
    )  # fmt: skip


def _agreement(rows: Rows, numbers: Mapping[str, Any]) -> StudySection:
    """The rank correlations of our columns with the printed columns."""
    cells = []
    for name in ("LAS", *CLASSES, *(f"without {name}" for name in (*WITHOUT, *RELATIONS)), "CLAS", "CLAS - LAS"):
        pairs = [(row[name], _printed_row(numbers, code, name)) for code, row in rows.items()]
        rank, p, n = spearman(pairs)
        cells.append((name, n, rank, p, pearson(pairs)[0]))
    return table_section(
        "Rank correlation with the printed columns",
        columns(text="column", number=("treebanks", "Spearman"), probability="p") | columns(number="Pearson"),
        cells,
        "The correlation of our column with the printed column over treebanks. p is for Spearman's correlation: from"
        " all permutations for up to 9 treebanks, and by Student's t for more.",
    )


def _families(rows: Rows, numbers: Mapping[str, Any]) -> StudySection:
    """CLAS minus LAS in each language family."""
    cells = []
    for name in sorted({family_of(code) for code in rows}):
        members = [code for code in rows if family_of(code) == name]
        published = mean(_printed_row(numbers, code, "CLAS - LAS") for code in members)
        cells.append((name, len(members), published, mean(rows[code]["CLAS - LAS"] for code in members)))
    kinds = columns(text="family or branch", number="treebanks", difference=("CLAS - LAS printed", "CLAS - LAS"))
    return table_section("By language family", kinds, cells)


def _other_parsers(measured: Mapping[str, Rows], numbers: Mapping[str, Any]) -> tuple[StudySection, StudySection]:
    """LAS and both drops for each parser and treebank, next to the printed numbers; averages and rank correlations."""
    codes = list(dict.fromkeys(code for rows in measured.values() for code in rows))
    names, kinds = ("LAS", "without FUN", "CLAS - LAS"), columns(text="treebank")
    for name in names:
        kinds |= dict.fromkeys((f"{name} {whose}" for whose in ("printed", *measured)), _kind_of(name))
    by_treebank = [
        (code, *(cell for name in names for cell in (_printed_row(numbers, code, name),
                 *(rows[code][name] if code in rows else None for rows in measured.values()))))
        for code in codes
    ]  # fmt: skip
    averaged = ("LAS", "CLAS", "CORE", "NONCORE", "FUN", "without FUN", "without det", "without case", "CLAS - LAS")
    cells: list[tuple[str | Cell, ...]] = [
        (f"average of {name}", points(mean(_printed_row(numbers, code, name) for code in codes)),
         *(points(mean(row[name] for row in rows.values())) for rows in measured.values()))
        for name in averaged
    ]  # fmt: skip
    cells += [
        (f"Spearman with the printed {name}", None,
         *(spearman((row[name], _printed_row(numbers, code, name)) for code, row in rows.items())[0]
           for rows in measured.values()))
        for name in names[1:]
    ]  # fmt: skip
    summary = table_section(
        "Other parsers: averages and ranks",
        columns(text="number", number=("printed", *measured)),
        cells,
        "In percent and points, over the treebanks for which the parser has outputs. The verdicts are based on these.",
    )
    return table_section("Other parsers: LAS and the drops", kinds, by_treebank), summary
