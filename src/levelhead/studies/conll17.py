"""The CoNLL 2017 shared task: tests of the statements on its evaluation page, and its result tables recomputed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from levelhead.campaign import Results, find_plan, groups_named, rank, read_scores, score_plan
from levelhead.campaign.ranking import number, official_groups
from levelhead.errors import InputError
from levelhead.evaluation.pair import parse_as
from levelhead.evaluation.setup import setup_of
from levelhead.scoring import RULES, match
from levelhead.scoring.measure_definitions import ATTACHED
from levelhead.studies.request import StudyRequest
from levelhead.studies.study import Claim, Study, StudySection, claim_on_all, columns, conllu, printed, table_section
from levelhead.studies.verdicts import agrees, count_of_true, verdict_of_fact
from levelhead.tables.table import Cell

NAME = "conll17"
PRINTED = printed(NAME)
MEASURES = ("LAS", "UAS", "CLAS")
# the organizers' system in the official tables; the folder of its outputs must contain this name, in any case
BASELINE = "BASELINE"

# how much an average of rounded scores may differ from the printed average: rounding changes both by up to 0.005
_ROUNDED_TWICE = 0.01

Numbers = Mapping[str, Any]


def reproduce(request: StudyRequest) -> Study:
    examples = printed("conll17_examples")
    cases = [(case["says"], *_executed(case, examples["gold"])) for case in examples["case"]]
    results = None
    if request.treebanks and request.systems is not None:
        plan = find_plan(request.treebanks[0], request.systems)
        results = score_plan(plan, setup_of(MEASURES, rules="conll17"), workers=request.workers, store=request.store)
    published = read_scores(request.scores) if request.scores is not None else None
    sections = (
        table_section(
            "Tests of the statements on the page",
            columns(text=("statement", "expected", "result", "agree")),
            [(says, expected, result, "yes" if agree else "no") for says, expected, result, agree in cases],
        ),
        *_tables(results, published),
    )
    claims = (
        *claims_on_ranking(published), _claim_on_scores(results), _claim_on_invalid_files(examples["gold"]),
        *(Claim(says, "the page", verdict_of_fact(agree), result) for says, _, result, agree in cases),
    )  # fmt: skip
    setting = (
        (
            "We test every statement on the page that can be tested. For this, we score the alignment examples, and"
            " compute scores and rankings, by the rules `conll17`."
        ),
        (
            f"Available test sets: {len(results.test_sets) if results else 0} of 81."
            f" The published scores were {'available' if published else 'not available'}."
        ),
    )
    return Study(NAME, PRINTED["title"], PRINTED["source"], setting, sections, claims, {"rules": "conll17"})


def _executed(case: Numbers, common_gold: str) -> tuple[str, str, bool]:
    rules = RULES["conll17"]
    gold = parse_as(conllu(case.get("gold", common_gold)).encode(), "gold", rules)

    def right_words(words: Iterable[int]) -> str:
        return "right: " + " ".join(gold.forms[word - 1] for word in words)

    expected = f"rejected: {case['rejected']}" if "rejected" in case else right_words(case["right"])
    try:
        matches = match(gold, parse_as(conllu(case["system"]).encode(), "system", rules), rules)
    except InputError as error:
        reason = "; ".join(fault.message for fault in error.faults)
        return expected, f"rejected: {reason}", "rejected" in case and case["rejected"] in reason
    right = (matches.alignment.gold[matches.agree(ATTACHED)] + 1).tolist()
    return expected, right_words(right), right == case.get("right")


def _tables(results: Results | None, published: Results | None) -> Iterator[StudySection]:
    title = "Scores from output files"
    if results is None:
        yield StudySection(title, ("No test sets with outputs were given.",))
    else:
        yield table_section(
            title,
            columns(
                text=("test set", "system"), percent=[f"{name}{of}" for name in MEASURES for of in (" official", "")]
            ),
            [
                (code, system, *(cell for name in MEASURES for cell in _official_and_ours(results, system, code, name)))
                for code, system in product((test_set.code for test_set in results.test_sets), results.systems)
            ],
            "The official columns have the published scores of the organizers' baseline.",
        )
        rows: list[tuple[Cell, ...]] = []
        for group in official_groups()["conll17"]:
            try:
                (chosen,) = groups_named([f"conll17:{group}"], results.test_sets)
            except InputError:
                continue  # no test set of this group is available
            rows += [
                (group, len(chosen.codes), len(chosen.lacks), measure, place.rank, place.system, place.value)
                for measure in MEASURES
                for place in rank(results, measure, chosen, "conll17").standings
            ]
        yield table_section(
            "Macro-averages and ranks",
            columns(text="group", number=("test sets", "missing")) | columns(text="measure", number="rank")
            | columns(text="system", percent="average"),
            rows,
            "A missing or invalid output counts as 0. Unavailable test sets are left out, and counted as missing.",
        )  # fmt: skip
    title = "The official ranking from published scores"
    if published is None:
        yield StudySection(title, ("No table of scores was given.",))
        return
    ranked: Mapping[str, tuple[int | None, float | None]] = _ranked(published, "LAS", "all")
    yield table_section(
        title,
        columns(text="team", number=("rank, official", "rank"), percent=("LAS official", "LAS")),
        [
            (team, official["rank"], place, official["LAS"], average)
            for team, official in PRINTED["ranking"].items()
            for place, average in [ranked.get(team, (None, None))]
        ],
    )


def _official_and_ours(results: Results, system: str, code: str, measure: str) -> tuple[float | None, float | None]:
    official = PRINTED["baseline"].get(code, {}).get(measure) if BASELINE.lower() in system.lower() else None
    return official, number(results.results[system, code].values[measure])


def _claim_on_scores(results: Results | None) -> Claim:
    text = "The baseline's outputs get the official scores, to two decimals"
    if results is None:
        return Claim(text, "official tables", "no data", "no test sets with outputs")
    pairs = {
        f"{test_set.code} {measure}": _official_and_ours(results, system, test_set.code, measure)
        for system, test_set, measure in product(results.systems, results.test_sets, MEASURES)
    }
    equal = {name: agrees(ours, official) for name, (official, ours) in pairs.items()}
    return claim_on_all(text, "official tables", equal)


def _claim_on_invalid_files(words: str) -> Claim:
    """Rank a system with a valid output on one test set, and an invalid output on another."""
    gold = conllu(words)
    with TemporaryDirectory(prefix="levelhead-") as folder:
        files = {"valid": gold, "cyclic": gold.replace("\t3\tconj\t", "\t5\tconj\t")}
        paths = {name: Path(folder) / f"{name}.conllu" for name in files}
        for name, path in paths.items():
            path.write_text(files[name], encoding="utf-8")
        plan = find_plan(dict.fromkeys(paths, paths["valid"]), {"system": paths})
        results = score_plan(plan, setup_of(["LAS"], rules="conll17"))
    (place,) = rank(results, "LAS", groups_named(["all"], results.test_sets)[0], "conll17").standings
    las = {name: results.results["system", name].values["LAS"] for name in paths}
    zero = results.results["system", "cyclic"].state == "invalid" and las["valid"] == 100 and place.value == 50
    evidence = f"one valid file and one with a cycle: macro-average {place.value:.1f}%"
    text = "The LAS of an invalid file is 0, but the macro-average is still non-zero"
    return Claim(text, "the page", verdict_of_fact(zero), evidence)


def _ranked(published: Results, measure: str, group: str) -> dict[str, tuple[int | None, float]]:
    (chosen,) = groups_named([group if group == "all" else f"conll17:{group}"], published.test_sets)
    standings = rank(published, measure, chosen, "conll17").standings
    return {place.system: (place.rank, place.value) for place in standings if place.value is not None}


def claims_on_ranking(published: Results | None) -> list[Claim]:
    texts = (
        "Systems are ranked by the macro-average over all test sets",
        "The averages are as published, within the rounding of scores to two decimals",
        "The averages of all groups by LAS, UAS and CLAS are as published",
    )
    ranked = {} if published is None else _ranked(published, "LAS", "all")
    official = {team: row for team, row in PRINTED["ranking"].items() if team in ranked}
    if published is None or len(published.test_sets) != len(PRINTED["baseline"]) or not official:
        few = "no table of scores" if published is None else f"{len(published.test_sets)} of 81 test sets"
        return [Claim(text, "official ranking", "no data", few) for text in texts]
    values = {team: (ranked[team][1], row["LAS"]) for team, row in official.items()}
    largest = max(abs(average - printed_average) for average, printed_average in values.values())
    equal = count_of_true({team: agrees(*pair) for team, pair in values.items()})
    groups: dict[str, bool | None] = {}
    for (group, teams), measure in product(PRINTED["groups"].items(), MEASURES):
        averages = _ranked(published, measure, group)
        groups |= {
            f"{group} {measure} {team}": abs(averages[team][1] - row[measure]) <= _ROUNDED_TWICE
            for team, row in teams.items()
            if measure in row and team in averages
        }
    ranks = {team: ranked[team][0] == row["rank"] for team, row in official.items()}
    return [
        claim_on_all(texts[0], "official ranking", ranks, " teams have the official rank"),
        Claim(texts[1], "official ranking", verdict_of_fact(largest <= _ROUNDED_TWICE),
              f"equal to two decimals: {equal}; the largest difference is {largest:.4f} points, and"
              " rounding alone can cause a difference of 0.01"),
        claim_on_all(texts[2], "official tables", groups),
    ]  # fmt: skip
