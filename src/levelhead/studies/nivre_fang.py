"""Nivre and Fang (2017): CLAS, LAS of each class of relations, and LAS without classes and relations."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from levelhead.campaign import check_valid, find_plan, score_plan
from levelhead.campaign.ranking import number
from levelhead.errors import number_of
from levelhead.evaluation.setup import setup_of
from levelhead.report.charts.page_charts import panels
from levelhead.studies import study, verdicts
from levelhead.studies.request import (
    TRAINED_BRIEFLY,
    Parts,
    StudyRequest,
    outputs_of,
    parts_of,
    read_treebank,
    run_tasks,
    score_files,
)
from levelhead.studies.verdicts import Cell
from levelhead.tables.svg import Drawing
from levelhead.tables.table import Kind
from levelhead.treebank import from_conllu
from levelhead.typology.languages import family_of

NAME = "nivre-fang-2017"
PRINTED = study.printed("nivre_fang")
_TABLES = (PRINTED["table_3"], PRINTED["table_2"])
PARSER = "swap-lazy"
OTHERS = ("graph", "ensemble")  # also trained if no outputs are given, to see whether the findings depend on the parser

CLASSES = ("CORE", "NONCORE", "FUN", "MWE")
WITHOUT = ("PUNCT", "FUN", "MWE")
RELATIONS = ("det", "clf", "case", "aux", "cop", "mark", "cc")
# the printed rows of both tables; empty for other treebanks
PUBLISHED = defaultdict[str, dict[str, float]](
    dict,
    {
        code: {name: value for table in _TABLES for name, value in table.get(code, {}).items()}
        for code in (key for table in _TABLES for key in table)
    },
)
DROPS = {"Table 2": "without FUN", "Table 3": "CLAS - LAS"}

Row = Mapping[str, float | None]
Rows = Mapping[str, Row]  # the columns of the paper, by treebank; "without FUN" is the difference to LAS


def reproduce(request: StudyRequest) -> study.Study:
    treebanks = parts_of(request, PRINTED["languages"])
    on = "test" if request.systems is not None else "dev"
    measured = {}
    for parser in (PARSER, *OTHERS):
        if parser == PARSER or request.systems is None or (request.systems / parser).is_dir():
            outputs = outputs_of(request, parser, treebanks, on=on)
            named = parser if request.systems is None or (request.systems / parser).is_dir() else "given outputs"
            measured[named] = scores({code: treebanks[code].parsed(on) for code in outputs}, outputs, request)
    rows, *others = measured.values()
    sizes = run_tasks(NAME, words, {code: (parts.train,) for code, parts in treebanks.items() if parts.train}, request)
    golds, systems = (
        {code: from_conllu(study.conllu(text[side]).encode(), name=side) for code, text in PRINTED["figure_1"].items()}
        for side in ("gold", "system")
    )
    plan = find_plan(golds, {"": systems})
    setup = setup_of(["LAS", "CLAS"])
    scored = check_valid(score_plan(plan, setup, workers=request.workers, store=request.store)).results
    examples = {code: {name: number(value) for name, value in scored["", code].values.items()} for code in golds}
    claims = (
        *claims_on_scores({parser: rows for parser, rows in measured.items() if rows}),
        *_printed_claims(sizes, examples),
    )
    sections = [
        study.table_section(
            "Figure 1: one mistake in English and in Finnish",
            study.columns(text="language", percent=("LAS", "CLAS")),
            [(code, row["LAS"], row["CLAS"]) for code, row in examples.items()],
            "The two sentences of the figure, with the same mistake: the locative is attached to the object (page 87).",
        ),
        *_tables(rows),
    ]
    if rows and others and all(others):
        sections.append(_other_parsers(measured))
    signature = {"rules": "ud", "scheme": "nivre-fang"}
    setting = _setting(rows, treebanks, request)
    return study.Study(NAME, PRINTED["title"], PRINTED["source"], setting, tuple(sections), claims, signature)


def _setting(rows: Rows, treebanks: Mapping[str, Parts], request: StudyRequest) -> tuple[str, ...]:
    untrained, undeveloped = (
        ", ".join(code for code in rows if getattr(treebanks[code], part) is None) for part in ("train", "dev")
    )
    other = f" (another part if there is none: {untrained})" if untrained else ""
    tested = f" (the test sets if there are none: {undeveloped})" if undeveloped else ""
    parsers = (
        "The outputs are from another parser than the paper's, so only patterns can be compared, not numbers."
        if request.systems is not None
        else f"Our parsers use all features. We trained them on the training sets{other} and ran them on the"
        f" development sets{tested}."
    )
    of_paper = sum(code in PRINTED["languages"] for code in rows)
    among = "" if of_paper == len(rows) else f"{number_of(len(rows), 'treebank')}, "
    compared = "The tables are based on swap-lazy; the last one compares it with graph and ensemble."
    return (
        (
            f"{among}{of_paper} of the {len(PRINTED['languages'])} treebanks of the paper: {', '.join(rows) or 'none'}."
            f" {parsers}"
        ),
        (
            "If a language has several treebanks, we use the one named in footnote 1 (page 89): PROIEL for Ancient"
            " Greek and Latin, otherwise the one without a suffix."
        ),
        (
            "The paper's parser is MaltParser, on the development sets of UD 2.0 with gold segmentation and tags."
            " Differences are in points: the score without some words, minus LAS of all words."
        ),
        *([compared, TRAINED_BRIEFLY] if request.systems is None else []),
    )


def words(train: Path) -> int:
    return read_treebank(train).n_words


def scores(golds: Mapping[str, Path], outputs: Mapping[str, Path], request: StudyRequest) -> Rows:
    """Return for each output LAS, CLAS, LAS of classes, LAS without classes and relations, and the share of FUN."""
    left_out = (*WITHOUT, *RELATIONS)
    setup = setup_of(["LAS", "CLAS", *(f"LAS@{name}" for name in CLASSES), *(f"LAS-{name}" for name in left_out)])
    results = check_valid(score_files(golds, {PARSER: outputs}, setup, request)).results
    rows = {}
    for code in outputs:
        counted = results[PARSER, code].scores
        row = {name: number(value) for name, value in results[PARSER, code].values.items()}
        las = row["LAS"]
        rows[code] = {
            "LAS": las, "CLAS": row["CLAS"], "CLAS - LAS": verdicts.difference(row["CLAS"], las),
            "share of FUN": 100 * counted["LAS@FUN"].gold / counted["LAS"].gold,
            **{name: row[f"LAS@{name}"] for name in CLASSES},
            **{f"without {name}": verdicts.difference(row[f"LAS-{name}"], las) for name in left_out},
        }  # fmt: skip
    return rows


FEWEST_WORDS = 30_000  # the claimed smallest size of a treebank


def _printed_claims(sizes: Mapping[str, int], examples: Rows) -> Iterator[study.Claim]:
    las = [examples[code]["LAS"] for code in ("en", "fi")]
    evidence = "; ".join(f"{code}: LAS {row['LAS']:.1f}%, CLAS {row['CLAS']:.1f}%" for code, row in examples.items())
    yield study.Claim("The same mistake results in a LAS of 87.5% in English and 75% in Finnish", "page 87",
                verdicts.verdict_of_fact(las == [87.5, 75]), evidence)  # fmt: skip
    for table, name in (("2", "without FUN"), ("3", "CLAS - LAS")):
        published = PRINTED[f"average_{table}"]["row"][name]
        average = verdicts.mean(row[name] for row in PRINTED[f"table_{table}"].values()) or 0.0
        yield study.Claim(f"The average of {name} follows from the printed rows", f"Table {table}",
                    verdicts.verdict_of_fact(abs(average - published) < 0.011),
                    f"{average:.3f}, printed {published:.2f}")  # fmt: skip
    for text, place, values, agrees in _claims_on_tables():
        evidence = f"{len(values)} ({', '.join(f'{code} {value:+.2f}' for code, value in values.items()) or 'none'})"
        yield study.Claim(f"{text} (printed numbers)", place, verdicts.verdict_of_fact(agrees), evidence)
    of_paper = {code: n for code, n in sizes.items() if code in PRINTED["languages"]}
    small = ", ".join(f"{code} {n}" for code, n in of_paper.items() if n < FEWEST_WORDS)
    yield study.Claim("Every treebank has at least 30,000 words (training set)", "page 89",
                verdicts.verdict_of_fact(not small if of_paper else None),
                f"of {len(of_paper)} available training sets, {small or 'none'} are smaller; the paper does not say"
                " whether it counts training sets or all parts")  # fmt: skip


def _claims_on_tables() -> Iterator[tuple[str, str, dict[str, float], bool]]:
    table_2, table_3 = PRINTED["table_2"], PRINTED["table_3"]
    most = len(table_2) / 2
    drops = {code: row["without FUN"] for code, row in table_2.items()}
    large = {code: drop for code, drop in drops.items() if drop < -5}
    yield "Without FUN, LAS drops by more than 5 points in 12 languages", "page 91", large, len(large) == 12
    small = {code: drop for code, drop in drops.items() if -2 < drop < 0}
    yield "Without FUN, LAS drops by less than 2 points in 7 languages", "page 91", small, len(small) == 7
    more = {code: row["CORE"] - row["NONCORE"] for code, row in table_2.items() if row["CORE"] > row["NONCORE"]}
    yield "Most languages have a higher LAS for CORE than for NONCORE", "page 89", more, len(more) > most
    near = {code: row["without PUNCT"] for code, row in table_2.items() if abs(row["without PUNCT"]) < 1}
    yield "For most languages, LAS changes by less than a point without PUNCT", "page 91", near, len(near) > most
    slavonic = {code: row["CLAS - LAS"] for code, row in table_3.items() if family_of(code) == "Slavic"}
    outside = {code: change for code, change in slavonic.items() if not -3 <= change <= -2}
    text = "Bulgarian is the exception among Slavonic languages, which mostly lose 2 to 3 points from LAS to CLAS"
    yield text, "page 93", outside, [*outside] == ["bg"]
    classical = {code: table_3[code]["without cc"] for code in ("grc_proiel", "got", "cu", "la_proiel")}
    rising = {code: change for code, change in classical.items() if change >= classical["got"]}
    text = "LAS rises noticeably without cc for two of the classical languages, Ancient Greek and Gothic"
    yield text, "page 93", rising, [*rising] == ["grc_proiel", "got"]


def claims_on_scores(measured: Mapping[str, Rows]) -> list[study.Claim]:
    def claim(
        text: str, place: str, test: Callable[[Rows], tuple[verdicts.Verdict, str]], more: str = ""
    ) -> study.Claim:
        return study.claim_by_parser(text, place, {parser: test(rows) for parser, rows in measured.items()}, more)

    drops = "; printed: -4.11 points, on 41 of 42", "; printed: -4.32 points, on 42 of 42"
    return [
        claim("LAS favors languages with many function words: it drops more without FUN", "abstract, page 89", _bias),
        claim("LAS drops when FUN is left out", "page 91", partial(_drop, "without FUN"), drops[0]),
        claim("CLAS is lower than LAS", "Table 3", partial(_drop, "CLAS - LAS"), drops[1]),
        claim("FUN is parsed more accurately than CORE and NONCORE on average", "page 89", _function_words),
        claim("det and case account for most of the drop", "page 93", _nominal_relations),
        claim("The order of languages by drop is as printed (rank correlation)", "Tables 2 and 3", _order),
    ]


def _effect(rows: Rows, name: str) -> verdicts.Effect | None:
    one, _, other = name.partition(" minus ")
    return verdicts.mean_effect(
        {code: verdicts.difference(row[one], row[other] if other else 0) for code, row in rows.items()}
    )


def _bias(rows: Rows) -> tuple[verdicts.Verdict, str]:
    r, n = verdicts.correlation({code: (row["share of FUN"], row["without FUN"]) for code, row in rows.items()})
    evidence = f"r of FUN share and LAS change {verdicts.estimate_shown(r)}, {number_of(n, 'language')}"
    return verdicts.verdict_of_effects((r, -1)), evidence


def _drop(name: str, rows: Rows) -> tuple[verdicts.Verdict, str]:
    drop = _effect(rows, name)
    on = verdicts.count_of_true({code: (row[name] or 0) < 0 for code, row in rows.items()})
    return verdicts.verdict_of_effects((drop, -1)), f"{verdicts.estimate_shown(drop)} points, on {on} treebanks"


def _function_words(rows: Rows) -> tuple[verdicts.Verdict, str]:
    effects = {name: _effect(rows, name) for name in ("FUN minus CORE", "FUN minus NONCORE")}
    verdict = verdicts.verdict_of_effects(*((effect, 1) for effect in effects.values()))
    return verdict, f"{verdicts.effects_shown(effects, 1)} points"


def _nominal_relations(rows: Rows) -> tuple[verdicts.Verdict, str]:
    """An undefined change counts 0 in sums."""
    two, five = (
        {code: math.fsum(row[f"without {name}"] or 0.0 for name in names) for code, row in rows.items()}
        for names in (("det", "case"), [name for name in RELATIONS if name not in {"det", "case"}])
    )
    changes = {"det and case": two, "minus the other five": {code: two[code] - five[code] for code in rows}}
    effects = {name: verdicts.mean_effect(by_code) for name, by_code in changes.items()}
    verdict = verdicts.verdict_of_effects(*((effect, -1) for effect in effects.values()))
    return verdict, f"{verdicts.effects_shown(effects)} points"


def _order(rows: Rows) -> tuple[verdicts.Verdict, str]:
    ranks = {
        f"{table} ({name})": verdicts.correlation(
            {code: (row[name], PUBLISHED[code].get(name)) for code, row in rows.items()}, "spearman"
        )[0]
        for table, name in DROPS.items()
    }
    return verdicts.verdict_of_effects(*((rank, 1) for rank in ranks.values())), verdicts.effects_shown(ranks)


def _tables(rows: Rows) -> Iterator[study.StudySection]:
    averages = {**PRINTED["average_2"]["row"], **PRINTED["average_3"]["row"]}

    def printed_and_ours(
        title: str, names: Sequence[str], *text: str, figure: Drawing | None = None
    ) -> study.StudySection:
        sources: dict[str, Rows] = {" printed": PUBLISHED, "": rows}
        cells: list[tuple[str | Cell, ...]] = [
            (code, *(source[code].get(name) for name in names for source in sources.values())) for code in rows
        ]
        means = [
            verdicts.mean(source[code].get(name) for code in rows) for name in names for source in sources.values()
        ]
        in_print = [cell for name in names for cell in (averages[name], None)]
        cells += [("average of the above", *means), ("average of all 42, printed", *in_print)]
        return study.table_section(title, _kinds(names, sources), cells, *text, figure=figure, rule_before=len(rows))

    yield printed_and_ours("Table 2: LAS, and LAS of each class", ("LAS", *CLASSES))
    order = sorted(rows, key=lambda code: rows[code]["without FUN"] or 0.0)
    drawn = {
        whose: [source[code].get("without FUN") for code in order]
        for whose, source in (("printed", PUBLISHED), ("ours", rows))
    }
    yield printed_and_ours(
        "Table 2: LAS without a class, minus LAS", [f"without {name}" for name in WITHOUT],
        "The figure shows the differences without FUN, largest drop first.",
        figure=panels("LAS without FUN, minus LAS, in points", order, drawn, signed=True) if order else None,
    )  # fmt: skip
    with_relations = ["CLAS", "CLAS - LAS", *(f"without {name}" for name in RELATIONS)]
    yield printed_and_ours("Table 3: CLAS, and LAS without a relation", with_relations)
    families: defaultdict[str, list[str]] = defaultdict(list)
    for code in rows:
        families[family_of(code)].append(code)
    yield study.table_section(
        "By language family",
        study.columns(text="family or branch", number="treebanks", points=("CLAS - LAS printed", "CLAS - LAS")),
        [
            (
                name,
                len(codes),
                *(verdicts.mean(source[code].get("CLAS - LAS") for code in codes) for source in (PUBLISHED, rows)),
            )
            for name, codes in sorted(families.items())
        ],
    )


def _kinds(names: Sequence[str], sources: Collection[str]) -> dict[str, Kind]:
    return study.columns(text="treebank") | {
        f"{name}{source}": "points" if "without" in name or " - " in name else "percent"
        for name in names
        for source in sources
    }


def _other_parsers(measured: Mapping[str, Rows]) -> study.StudySection:
    codes = dict.fromkeys(code for rows in measured.values() for code in rows)
    sources: dict[str, Rows] = {"printed": {code: PUBLISHED[code] for code in codes}, **measured}
    names = ("LAS", *DROPS.values())
    cells: list[tuple[str | Cell, ...]] = [
        (code, *(rows.get(code, {}).get(name) for name in names for rows in sources.values())) for code in codes
    ]
    cells.append(("average", *map(verdicts.mean, list(zip(*cells))[1:])))
    kinds = _kinds(names, [f" {whose}" for whose in sources])
    return study.table_section("Other parsers: LAS and the drops", kinds, cells, rule_before=len(codes))
