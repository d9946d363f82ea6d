"""Nivre and Fang (2017): CLAS, LAS of each class of relations, and LAS without classes and relations."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from levelhead.campaign import check_valid, find_plan, score_plan
from levelhead.errors import number_of
from levelhead.evaluation.setup import setup_of
from levelhead.report.charts.page_charts import panels
from levelhead.studies.parsers import TRAINED_BRIEFLY, outputs_of
from levelhead.studies.request import Parts, StudyRequest, parts_of, read_treebank, run_tasks, score_files
from levelhead.studies.study import (
    Claim,
    Study,
    StudySection,
    columns,
    conllu,
    printed,
    table_section,
    verdicts_by_parser,
)
from levelhead.studies.verdicts import (
    Cell,
    difference,
    estimate_shown,
    joint_verdict,
    mean,
    mean_interval,
    p_shown,
    pearson,
    points,
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
PRINTED = printed("nivre_fang")
_TABLES = (PRINTED["table_3"], PRINTED["table_2"])
PARSER = "swap-lazy"
OTHERS = ("graph", "ensemble")  # also trained if no outputs are given, to see whether the findings depend on the parser

CLASSES = ("CORE", "NONCORE", "FUN", "MWE")
WITHOUT = ("PUNCT", "FUN", "MWE")
RELATIONS = ("det", "clf", "case", "aux", "cop", "mark", "cc")
# the printed rows of both tables, as shares; empty for other treebanks
PUBLISHED = defaultdict[str, dict[str, float]](
    dict,
    {
        code: {name: value / 100 for table in _TABLES for name, value in table.get(code, {}).items()}
        for code in (key for table in _TABLES for key in table)
    },
)
DROPS = {"Table 2": "without FUN", "Table 3": "CLAS - LAS"}

Row = Mapping[str, float | None]
Rows = Mapping[str, Row]  # the columns of the paper as shares, by treebank; "without FUN" is the difference to LAS


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    treebanks = parts_of(request, PRINTED["languages"])
    on = "test" if request.systems is not None else "dev"
    measured = {}
    for parser in (PARSER, *OTHERS):
        if parser == PARSER or request.systems is None or (request.systems / parser).is_dir():
            outputs = outputs_of(request, parser, treebanks, on=on)
            measured[parser] = scores({code: treebanks[code].parsed(on) for code in outputs}, outputs, request)
    rows = measured[PARSER]
    sizes = run_tasks(NAME, words, {code: (parts.train,) for code, parts in treebanks.items() if parts.train}, request)
    golds, systems = (
        {code: from_conllu(conllu(text[side]).encode(), name=side) for code, text in PRINTED["figure_1"].items()}
        for side in ("gold", "system")
    )
    plan = find_plan(golds, {"": systems})
    setup = setup_of(["LAS", "CLAS"])
    scored = check_valid(score_plan(plan, setup, workers=request.workers, store=request.store)).results
    examples = {code: {name: ratio(value) for name, value in scored["", code].values.items()} for code in golds}
    claims = (*_printed_claims(sizes, examples), *claims_on_scores(rows, request))
    sections = [
        table_section(
            "Figure 1: one mistake in English and in Finnish",
            columns(text="language", ratio=("LAS", "CLAS")),
            [(code, row["LAS"], row["CLAS"]) for code, row in examples.items()],
            "The two sentences of the figure, with the same mistake: the locative is attached to the object (page 87).",
        ),
        *_tables(rows),
    ]
    if len(measured) > 1 and all(measured.values()):
        judged = {parser: claims_on_scores(rows, request) for parser, rows in measured.items()}
        sections += [*_other_parsers(measured), verdicts_by_parser(judged)]
    signature = {"rules": "ud", "scheme": "nivre-fang"}
    setting = _setting(rows, treebanks, request)
    return Study(NAME, PRINTED["title"], PRINTED["source"], setting, tuple(sections), claims, signature)


def _setting(rows: Rows, treebanks: Mapping[str, Parts], request: StudyRequest) -> tuple[str, ...]:
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
    of_paper = sum(code in PRINTED["languages"] for code in rows)
    among = "" if of_paper == len(rows) else f"{number_of(len(rows), 'treebank')}, "
    compared = "Verdicts and tables are based on swap-lazy; the last sections compare it with graph and ensemble."
    return (
        (
            f"{among}{of_paper} of the {len(PRINTED['languages'])} treebanks of the paper: {', '.join(rows) or 'none'}."
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
    return read_treebank(train).n_words


def scores(golds: Mapping[str, Path], outputs: Mapping[str, Path], request: StudyRequest) -> Rows:
    """Return LAS, CLAS, LAS of each class, and the changes of LAS without classes or relations, for each output."""
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


FEWEST_WORDS = 30_000  # the claimed smallest size of a treebank


def _printed_claims(sizes: Mapping[str, int], examples: Rows) -> Iterator[Claim]:
    """The claims in the text about the figure, the tables and the treebanks, which need no parser."""
    drops = {code: row["without FUN"] for code, row in PRINTED["table_2"].items()}
    las = [examples[code]["LAS"] for code in ("en", "fi")]
    evidence = "; ".join(f"{code}: LAS {row['LAS']:.1%}, CLAS {row['CLAS']:.1%}" for code, row in examples.items())
    yield Claim("The same mistake results in a LAS of 87.5% in English and 75% in Finnish", "page 87",
                verdict_of_fact(las == [0.875, 0.75]), evidence)  # fmt: skip
    for text, codes, n in (
        ("more than 5 points in 12", sorted(code for code, value in drops.items() if value < -5), 12),
        ("less than 2 points in 7", sorted(code for code, value in drops.items() if -2 < value < 0), 7),
    ):
        yield Claim(f"Without FUN, LAS drops by {text} languages (printed numbers)", "page 91",
                    verdict_of_fact(len(codes) == n), f"Table 2 prints {len(codes)}: {', '.join(codes)}")  # fmt: skip
    for table, name in (("2", "without FUN"), ("3", "CLAS - LAS")):
        published = PRINTED[f"average_{table}"]["row"][name]
        average = 100 * (mean(row[name] / 100 for row in PRINTED[f"table_{table}"].values()) or 0.0)
        yield Claim(f"The average of {name} follows from the printed rows", f"Table {table}",
                    verdict_of_fact(abs(average - published) < 0.011),
                    f"{average:.3f}, printed {published:.2f}")  # fmt: skip
    of_paper = {code: n for code, n in sizes.items() if code in PRINTED["languages"]}
    small = ", ".join(f"{code} {n}" for code, n in of_paper.items() if n < FEWEST_WORDS)
    yield Claim("Every treebank has at least 30,000 words (training set)", "page 89",
                verdict_of_fact(not small if of_paper else None),
                f"smaller: {small or 'none'}, of {len(of_paper)} available training sets; the paper does not say"
                " whether it counts training sets or all parts")  # fmt: skip


def claims_on_scores(rows: Rows, request: StudyRequest) -> list[Claim]:
    names = ("LAS", "CLAS", "CLAS - LAS", *CLASSES, *(f"without {name}" for name in (*WITHOUT, *RELATIONS)))
    values = {name: [row[name] for row in rows.values()] for name in names}
    means = {name: shown(mean(column), 2, 100) for name, column in values.items()}
    dropping, lower = (sum((value or 0) < 0 for value in values[name]) for name in DROPS.values())
    over_content = {
        name: mean_interval(map(difference, values["FUN"], values[name]), *request.draws)
        for name in ("CORE", "NONCORE")
    }
    more_than_content = ", ".join(
        f"FUN minus {name} {estimate_shown(more, 1, 100)}" for name, more in over_content.items()
    )
    two, five = (
        [
            math.fsum(known) if (known := [change for change in changes if change is not None]) else None
            for changes in zip(*(values[f"without {name}"] for name in names))
        ]
        for names in (("det", "case"), [name for name in RELATIONS if name not in {"det", "case"}])
    )  # sums, in which an undefined change counts 0
    drop = mean_interval(two, *request.draws)
    extra = mean_interval(map(difference, two, five), *request.draws)
    correlations = {
        f"{table} ({name})": spearman((row[name], PUBLISHED[code].get(name)) for code, row in rows.items())
        for table, name in DROPS.items()
    }
    order = ", ".join(f"{where}: Spearman {shown(r)} ({p_shown(p, 4)})" for where, (r, p, _) in correlations.items())
    claims = [
        Claim("FUN is parsed more accurately than CORE and NONCORE on average", "page 89",
              joint_verdict(verdict_of_effect(more, 1) for more in over_content.values()),
              f"in percent: {', '.join(f'{name} {means[name]}' for name in CLASSES[:3])}; {more_than_content}"),
        Claim("LAS drops when FUN is left out, in nearly every language", "page 91",
              verdict_of_fact(dropping >= 0.9 * len(rows)),
              f"{dropping} of {len(rows)} (printed: 41 of 42); on average {means['without FUN']} points,"
              " printed -4.11"),
        Claim("CLAS is lower than LAS in every language", "Table 3", verdict_of_fact(lower == len(rows)),
              f"{lower} of {len(rows)}; on average {means['CLAS - LAS']} points, printed -4.32"),
        Claim("det and case account for most of the drop", "page 93",
              joint_verdict(verdict_of_effect(effect, -1) for effect in (drop, extra)),
              f"in points: det and case together {estimate_shown(drop, 2, 100)}, the other five"
              f" {shown(mean(five), 2, 100)}; difference {estimate_shown(extra, 2, 100)}"),
        Claim("The order of languages by drop is as printed (rank correlation)", "Tables 2 and 3",
              joint_verdict(verdict_of_correlation(r, p, 1) for r, p, _ in correlations.values()),
              f"{order}; {number_of(len(rows), 'treebank')}"),
    ]  # fmt: skip
    if rows:
        return claims
    return [claim._replace(place="pages 89 to 93", verdict="no data", evidence="no outputs") for claim in claims]


def _tables(rows: Rows) -> Iterator[StudySection]:
    averages = {**PRINTED["average_2"]["row"], **PRINTED["average_3"]["row"]}

    def printed_and_ours(title: str, names: Sequence[str], *text: str, figure: Drawing | None = None) -> StudySection:
        sources: dict[str, Rows] = {" printed": PUBLISHED, "": rows}
        cells: list[tuple[str | Cell, ...]] = [
            (code, *(source[code].get(name) for name in names for source in sources.values())) for code in rows
        ]
        means = [mean(source[code].get(name) for code in rows) for name in names for source in sources.values()]
        in_print = [cell for name in names for cell in (averages[name] / 100, None)]
        cells += [("average of the above", *means), ("average of all 42, printed", *in_print)]
        return table_section(title, _kinds(names, sources), cells, *text, figure=figure, rule_before=len(rows))

    yield printed_and_ours("Table 2: LAS, and LAS of each class", ("LAS", *CLASSES))
    order = sorted(rows, key=lambda code: rows[code]["without FUN"] or 0.0)
    drawn = {
        whose: [points(source[code].get("without FUN")) for code in order]
        for whose, source in (("printed", PUBLISHED), ("ours", rows))
    }
    yield printed_and_ours(
        "Table 2: LAS without a class, minus LAS", [f"without {name}" for name in WITHOUT],
        "The figure shows the differences without FUN, largest drop first.",
        figure=panels("LAS without FUN, minus LAS, in points", order, drawn, signed=True) if order else None,
    )  # fmt: skip
    with_relations = ["CLAS", "CLAS - LAS", *(f"without {name}" for name in RELATIONS)]
    yield printed_and_ours("Table 3: CLAS, and LAS without a relation", with_relations)
    pairs_by_name = {
        name: [(row[name], PUBLISHED[code].get(name)) for code, row in rows.items()]
        for name in ("LAS", *CLASSES, *(f"without {name}" for name in (*WITHOUT, *RELATIONS)), "CLAS", "CLAS - LAS")
    }
    yield table_section(
        "Rank correlation with the printed columns",
        columns(text="column", number=("treebanks", "Spearman"), probability="p") | columns(number="Pearson"),
        [
            (name, n, rank, p, pearson(pairs)[0])
            for name, pairs in pairs_by_name.items()
            for rank, p, n in [spearman(pairs)]
        ],
        "The correlation of our column with the printed column over treebanks. p is for Spearman's correlation: from"
        " all permutations for up to 9 treebanks, and by Student's t for more.",
    )
    families: defaultdict[str, list[str]] = defaultdict(list)
    for code in rows:
        families[family_of(code)].append(code)
    yield table_section(
        "By language family",
        columns(text="family or branch", number="treebanks", difference=("CLAS - LAS printed", "CLAS - LAS")),
        [
            (
                name,
                len(codes),
                *(mean(source[code].get("CLAS - LAS") for code in codes) for source in (PUBLISHED, rows)),
            )
            for name, codes in sorted(families.items())
        ],
    )


def _kinds(names: Sequence[str], sources: Collection[str]) -> dict[str, Kind]:
    """The columns of a table by treebank: each name with each source's ending."""
    return columns(text="treebank") | {
        f"{name}{source}": "difference" if "without" in name or " - " in name else "ratio"
        for name in names
        for source in sources
    }


def _other_parsers(measured: Mapping[str, Rows]) -> tuple[StudySection, StudySection]:
    """LAS and both drops for each parser and treebank, next to the printed numbers; averages and rank correlations."""
    codes = dict.fromkeys(code for rows in measured.values() for code in rows)
    sources: dict[str, Rows] = {"printed": {code: PUBLISHED[code] for code in codes}, **measured}
    names = ("LAS", *DROPS.values())
    averaged = ("LAS", "CLAS", "CORE", "NONCORE", "FUN", "without FUN", "without det", "without case", "CLAS - LAS")
    averages: list[tuple[str | Cell, ...]] = [
        (f"average of {name}", *(points(mean(row.get(name) for row in rows.values())) for rows in sources.values()))
        for name in averaged
    ]
    ranks = [
        (f"Spearman with the printed {name}", None,
         *(spearman((row[name], PUBLISHED[code].get(name)) for code, row in rows.items())[0]
           for rows in measured.values()))
        for name in names[1:]
    ]  # fmt: skip
    return table_section(
        "Other parsers: LAS and the drops",
        _kinds(names, [f" {whose}" for whose in sources]),
        [(code, *(rows.get(code, {}).get(name) for name in names for rows in sources.values())) for code in codes],
    ), table_section(
        "Other parsers: averages and ranks",
        columns(text="number", number=("printed", *measured)),
        [*averages, *ranks],
        "In percent and points, over the treebanks for which the parser has outputs. The verdicts are based on these.",
    )
