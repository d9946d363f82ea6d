"""Nivre and Fang (2017): LAS by class of relations, LAS without classes and relations, CLAS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from levelhead.campaign import check_valid, find, score_plan
from levelhead.campaign.languages import family_of
from levelhead.exclusions import exclusions_of
from levelhead.report.page.charts import panels
from levelhead.report.table import Column, Table
from levelhead.setup import setup_of
from levelhead.studies.examples import conllu
from levelhead.studies.numbers import Cell, estimate_shown, mean, mean_interval, p_shown, pearson, shown, spearman
from levelhead.studies.output_scores import scores_of_outputs
from levelhead.studies.parses import outputs_of
from levelhead.studies.parts import Parts, format_of, parts_of
from levelhead.studies.printed_numbers import printed
from levelhead.studies.request import Request, Task, done, signature
from levelhead.studies.study import Claim, Section, Study
from levelhead.studies.verdicts import (
    joint_verdict,
    verdict_of_correlation,
    verdict_of_effect,
    verdict_of_fact,
)
from levelhead.treebank import parse, read

NAME = "nivre-fang-2017"
PARSER = "swap-lazy"
CLASSES = ("CORE", "NONCORE", "FUN", "MWE")
WITHOUT = ("PUNCT", "FUN", "MWE")
RELATIONS = ("det", "clf", "case", "aux", "cop", "mark", "cc")
LEAST_WORDS = 30_000

Row = Mapping[str, float | None]
Rows = Mapping[str, Row]


def words(train: str) -> int:
    """Return the words of a training set.

    Args:
        train: its path.
    """
    return read(train, format=format_of(train)).n_words


def reproduce(request: Request) -> Study:
    """Run the study.

    Args:
        request: treebanks of UD 2.0; outputs for the parts that are parsed, or a trainer.

    Raises:
        InputError: a file is not valid.
    """
    numbers = printed(NAME)
    treebanks = parts_of(request, numbers["languages"])
    on = "test" if request.systems is not None else "dev"
    outputs = outputs_of(request, PARSER, treebanks, on=on)
    rows = _scores({code: _parsed(treebanks[code], on) for code in outputs}, outputs, request)
    sizes = done(NAME, [Task(code, words, (parts.train,)) for code, parts in treebanks.items() if parts.train], request)
    examples = _examples(numbers["figure_1"])
    sections = (
        _figure_1(examples),
        _table_2(rows, numbers), _differences(rows, numbers), _relations(rows, numbers), _agreement(rows, numbers),
        _families(rows, numbers),
    )  # fmt: skip
    claims = (
        _claim_on_figure_1(examples), *_printed_claims(numbers, sizes), *_claims_on_scores(rows, numbers, request),
    )  # fmt: skip
    return Study(
        NAME, numbers["title"], numbers["source"], _setting(rows, treebanks, request, numbers), sections, claims,
        signature(request, rules="ud", scheme="nivre-fang"),
    )  # fmt: skip


def _scores(golds: Mapping[str, Path], outputs: Mapping[str, Path], request: Request) -> Rows:
    """LAS of each output, of each class alone, without classes and relations, and CLAS, by the paper's columns."""
    tables = [exclusions_of("LAS", kind) for kind in ("classes", "relations")]
    measures = dict.fromkeys(str(measure) for table in tables for measure in table.measures)
    found = scores_of_outputs(golds, {PARSER: outputs}, measures, request)
    return {code: _renamed(found[PARSER, code].values) for code in outputs}


def _examples(texts: Mapping[str, Mapping[str, str]]) -> Rows:
    """LAS and CLAS of the outputs of one sentence each."""
    golds, outputs = (
        {code: parse(conllu(text[side]).encode(), name=side) for code, text in texts.items()}
        for side in ("gold", "system")
    )
    results = check_valid(score_plan(find(golds, {"": outputs}), setup_of(["LAS", "CLAS"]))).results
    return {code: {name: _float(value) for name, value in results["", code].values.items()} for code in texts}


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _split(rows: Rows, treebanks: Mapping[str, Parts]) -> str:
    """What our parser was trained and run on; other parts stand in for those that are missing."""
    untrained, undeveloped = (
        [code for code in rows if getattr(treebanks[code], part) is None] for part in ("train", "dev")
    )
    other = f" (another part, for want of one: {', '.join(untrained)})" if untrained else ""
    tested = f" (the test sets, for want of one: {', '.join(undeveloped)})" if undeveloped else ""
    return f"trained on the training sets{other} and run on the development sets{tested}"


def _figure_1(examples: Rows) -> Section:
    columns = (Column("language", "text"), Column("LAS"), Column("CLAS"))
    cells = tuple((code, row["LAS"], row["CLAS"]) for code, row in examples.items())
    text = (
        "The two sentences of the figure, each parsed with one mistake: the locative attached to the object (page 87).",
    )
    return Section("Figure 1: one mistake in English and in Finnish", text, Table(columns, cells))


def _claim_on_figure_1(examples: Rows) -> Claim:
    las = [examples[code]["LAS"] for code in ("en", "fi")]
    told = "; ".join(f"{code}: LAS {row['LAS']:.1%}, CLAS {row['CLAS']:.1%}" for code, row in examples.items())
    text = "The same single mistake gives LAS 87.5% in English and 75% in Finnish"
    return Claim(text, "page 87", verdict_of_fact(las == [0.875, 0.75]), told)


def _parsed(parts: Parts, on: str) -> Path:
    return (parts.dev or parts.tested) if on == "dev" else parts.tested


def _renamed(values: Mapping[str, Fraction | None]) -> Row:
    """Values by the names of the paper's columns; "without FUN" is the difference to LAS."""
    row = {name: _float(value) for name, value in values.items()}
    las = row["LAS"]
    return {
        "LAS": las, "CLAS": row["CLAS"], "CLAS - LAS": _difference(row["CLAS"], las),
        **{name: row[f"LAS@{name}"] for name in CLASSES},
        **{f"without {name}": _difference(row[f"LAS-{name}"], las) for name in (*WITHOUT, *RELATIONS)},
    }  # fmt: skip


def _setting(
    rows: Rows, treebanks: Mapping[str, Parts], request: Request, numbers: Mapping[str, Any]
) -> tuple[str, ...]:
    given = (
        "Outputs of another parser were given; numbers can agree in their pattern only."
        if request.systems is not None
        else f"Our swap-lazy parser, with all features, {_split(rows, treebanks)}."
    )
    known = sum(code in numbers["languages"] for code in rows)
    among = "" if known == len(rows) else f"{len(rows)} treebanks, "
    return (
        (
            f"{among}{known} of the {len(numbers['languages'])} treebanks of the paper: {', '.join(rows) or 'none'}."
            f" {given}"
        ),
        (
            "Which treebank of a language is meant follows the languages of the paper's tables and its footnote 1 (page"
            " 89): the one whose code has no suffix, but PROIEL for Ancient Greek and Latin."
        ),
        (
            "Scores in percent, differences in points (restricted minus full). The paper's parser is MaltParser, with"
            " gold segmentation and tags, on the development sets of UD 2.0."
        ),
    )


def _printed_row(numbers: Mapping[str, Any], code: str, name: str) -> float | None:
    for table in ("table_2", "table_3"):
        value: float | None = numbers[table].get(code, {}).get(name)
        if value is not None:
            return value / 100
    return None


def _beside(rows: Rows, numbers: Mapping[str, Any], names: Sequence[str], average: str) -> Table:
    """Printed columns beside ours, and two last rows with averages."""
    kinds = {name: "difference" if "without" in name or " - " in name else "ratio" for name in names}
    columns = [Column("treebank", "text")]
    for name in names:
        columns += [Column(f"{name} printed", kinds[name]), Column(name, kinds[name])]  # type: ignore[arg-type]
    cells = [
        (code, *(cell for name in names for cell in (_printed_row(numbers, code, name), row[name])))
        for code, row in rows.items()
    ]
    averages = [
        (mean(_printed_row(numbers, code, name) for code in rows), mean(row[name] for row in rows.values()))
        for name in names
    ]
    same = ("average of these", *(cell for pair in averages for cell in pair))
    whole = ("average of all 42", *(cell for name in names for cell in (numbers[average]["row"][name] / 100, None)))
    return Table(tuple(columns), (*cells, same, whole), rules_before=frozenset({len(cells)}))


def _table_2(rows: Rows, numbers: Mapping[str, Any]) -> Section:
    return Section("Table 2: LAS and its classes", (), _beside(rows, numbers, ("LAS", *CLASSES), "average_2"))


def _differences(rows: Rows, numbers: Mapping[str, Any]) -> Section:
    names = [f"without {name}" for name in WITHOUT]
    order = sorted(rows, key=lambda code: rows[code]["without FUN"] or 0.0)
    drawn = {
        "printed": [_points(_printed_row(numbers, code, "without FUN")) for code in order],
        "ours": [_points(rows[code]["without FUN"]) for code in order],
    }
    figure = panels("LAS without FUN, minus LAS, in points", order, drawn, signed=True) if order else None
    text = ("The figure has the differences without FUN, largest drop first.",)
    table = _beside(rows, numbers, names, "average_2")
    return Section("Table 2: LAS without a class, minus LAS", text, table, figure)


def _points(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _relations(rows: Rows, numbers: Mapping[str, Any]) -> Section:
    names = ["CLAS", "CLAS - LAS", *(f"without {name}" for name in RELATIONS)]
    return Section("Table 3: CLAS, and LAS without a relation", (), _beside(rows, numbers, names, "average_3"))


def _agreement(rows: Rows, numbers: Mapping[str, Any]) -> Section:
    names = ("LAS", *CLASSES, *(f"without {name}" for name in (*WITHOUT, *RELATIONS)), "CLAS", "CLAS - LAS")
    cells = []
    for name in names:
        pairs = [(row[name], _printed_row(numbers, code, name)) for code, row in rows.items()]
        rank, p, n = spearman(pairs)
        cells.append((name, n, rank, p, pearson(pairs)[0]))
    columns = (Column("column", "text"), Column("treebanks", "number"), Column("Spearman", "number"),
               Column("p", "probability"), Column("Pearson", "number"))  # fmt: skip
    text = (
        "How well our column goes with the printed one over treebanks; p is that of Spearman's correlation, by all"
        " permutations of up to 9 treebanks, by Student's t of more."
    )
    return Section("Rank correlation with the printed columns", (text,), Table(columns, tuple(cells)))


def _families(rows: Rows, numbers: Mapping[str, Any]) -> Section:
    names = sorted({family_of(code) for code in rows})
    cells = []
    for name in names:
        members = [code for code in rows if family_of(code) == name]
        theirs = mean(_printed_row(numbers, code, "CLAS - LAS") for code in members)
        cells.append((name, len(members), theirs, mean(rows[code]["CLAS - LAS"] for code in members)))
    columns = (Column("family or branch", "text"), Column("treebanks", "number"),
               Column("CLAS - LAS printed", "difference"), Column("CLAS - LAS", "difference"))  # fmt: skip
    return Section("By family", (), Table(columns, tuple(cells)))


def _printed_claims(numbers: Mapping[str, Any], sizes: Mapping[str, int]) -> list[Claim]:
    """Claims of the text about the tables: judged on the printed numbers themselves."""
    drops = {code: row["without FUN"] for code, row in numbers["table_2"].items()}
    over_five = sorted(code for code, value in drops.items() if value < -5)
    under_two = sorted(code for code, value in drops.items() if -2 < value < 0)
    small = {code: n for code, n in sizes.items() if code in numbers["languages"] and n < LEAST_WORDS}
    claims = [
        Claim("12 languages drop by more than 5 points without FUN (printed numbers)", "page 91",
              verdict_of_fact(len(over_five) == 12), f"Table 2 prints {len(over_five)}: {', '.join(over_five)}"),
        Claim("7 languages drop by less than 2 points without FUN (printed numbers)", "page 91",
              verdict_of_fact(len(under_two) == 7), f"Table 2 prints {len(under_two)}: {', '.join(under_two)}"),
    ]  # fmt: skip
    for table, name in (("2", "without FUN"), ("3", "CLAS - LAS")):
        values = [row[name] / 100 for row in numbers[f"table_{table}"].values()]
        theirs = numbers[f"average_{table}"]["row"][name]
        ours = 100 * (mean(values) or 0.0)
        text, equal = f"The average of {name} follows from the printed rows", abs(ours - theirs) < 0.011
        claims.append(Claim(text, f"Table {table}", verdict_of_fact(equal), f"{ours:.3f}, printed {theirs:.2f}"))
    known = {code: n for code, n in sizes.items() if code in numbers["languages"]}
    told = ", ".join(f"{code} {n}" for code, n in small.items())
    claims.append(
        Claim("Every treebank has at least 30,000 words (training set)", "page 89",
              verdict_of_fact(not small if known else None),
              f"below: {told or 'none'}, of {len(known)} training sets at hand; the paper does not say"
              " whether it counts training sets or all parts")
    )  # fmt: skip
    return claims


def _claims_on_scores(rows: Rows, numbers: Mapping[str, Any], request: Request) -> list[Claim]:
    """Claims on scores: judged on ours."""
    if not rows:
        return [Claim(text, "pages 89 to 93", "no data", "no outputs") for text in _ON_SCORES]
    dropping = sum((row["without FUN"] or 0) < 0 for row in rows.values())
    lower = sum((row["CLAS - LAS"] or 0) < 0 for row in rows.values())
    means = {name: mean(row[name] for row in rows.values()) for name in ("without FUN", "CLAS - LAS")}
    return [
        _claim_on_classes(rows, request),
        Claim(_ON_SCORES[1], "page 91", verdict_of_fact(dropping >= 0.9 * len(rows)),
              f"{dropping} of {len(rows)} (printed: 41 of 42); on average"
              f" {shown(_points(means['without FUN']))} points, printed -4.11"),
        Claim(_ON_SCORES[2], "Table 3", verdict_of_fact(lower == len(rows)),
              f"{lower} of {len(rows)}; on average {shown(_points(means['CLAS - LAS']))} points, printed -4.32"),
        _claim_on_relations(rows, request),
        _claim_on_agreement(rows, numbers),
    ]  # fmt: skip


_ON_SCORES = (
    "FUN is parsed more accurately than CORE and NONCORE on average",
    "LAS drops when FUN is left out, for nearly every language",
    "CLAS is lower than LAS for every language",
    "det and case account for most of the drop",
    "Which languages drop most is as printed (rank correlation)",
)


def _claim_on_classes(rows: Rows, request: Request) -> Claim:
    """Judge the mean LAS of function relations against the means of both classes of content relations."""
    means = ", ".join(f"{name} {shown(_points(mean(row[name] for row in rows.values())))}" for name in CLASSES[:3])
    more = {
        name: mean_interval((_difference(row["FUN"], row[name]) for row in rows.values()), request.resamples,
                            request.seed)
        for name in ("CORE", "NONCORE")
    }  # fmt: skip
    told = ", ".join(f"FUN minus {name} {estimate_shown(estimate, 1, 100)}" for name, estimate in more.items())
    verdict = joint_verdict(verdict_of_effect(estimate, 1) for estimate in more.values())
    return Claim(_ON_SCORES[0], "page 89", verdict, f"in percent {means}; {told}")


def _claim_on_relations(rows: Rows, request: Request) -> Claim:
    """Judge whether LAS drops without det and case, and by more than without the other five together."""
    two = {code: _total(row, ("det", "case")) for code, row in rows.items()}
    five = {
        code: _total(row, [name for name in RELATIONS if name not in {"det", "case"}]) for code, row in rows.items()
    }
    drop = mean_interval(two.values(), request.resamples, request.seed)
    more = mean_interval((_difference(two[code], five[code]) for code in rows), request.resamples, request.seed)
    return Claim(
        _ON_SCORES[3], "page 93", joint_verdict(verdict_of_effect(estimate, -1) for estimate in (drop, more)),
        f"in points det and case together {estimate_shown(drop, 2, 100)}, the other five"
        f" {shown(_points(mean(five.values())))}; difference {estimate_shown(more, 2, 100)}",
    )  # fmt: skip


def _total(row: Row, relations: Sequence[str]) -> Cell:
    """The changes of LAS without each of some relations, added up; a change that is undefined counts 0."""
    known = [value for name in relations if (value := row[f"without {name}"]) is not None]
    return sum(known) if known else None


def _difference(one: Cell, other: Cell) -> Cell:
    return None if one is None or other is None else one - other


def _claim_on_agreement(rows: Rows, numbers: Mapping[str, Any]) -> Claim:
    """Judge whether the order of languages by both drops is as printed: Table 2 without FUN, and Table 3 CLAS."""
    found = {
        f"{table} ({name})": spearman((row[name], _printed_row(numbers, code, name)) for code, row in rows.items())
        for table, name in (("Table 2", "without FUN"), ("Table 3", "CLAS - LAS"))
    }
    told = ", ".join(f"{place}: Spearman {shown(rank)} ({p_shown(p, 4)})" for place, (rank, p, _) in found.items())
    verdict = joint_verdict(verdict_of_correlation(rank, p, 1) for rank, p, _ in found.values())
    return Claim(_ON_SCORES[4], "Tables 2 and 3", verdict, f"{told}; {len(rows)} treebanks")
