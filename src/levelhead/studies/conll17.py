"""The CoNLL 2017 shared task: tests of the statements on its evaluation page, and its result tables recomputed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from levelhead.campaign import Results, find_plan, groups_named, rank, read_scores, score_plan
from levelhead.campaign.ranking import official_groups
from levelhead.errors import InputError
from levelhead.evaluation.pair import parse_as
from levelhead.evaluation.setup import setup_of
from levelhead.scoring.matches import match
from levelhead.scoring.measure_definitions import ATTACHED
from levelhead.scoring.rules import RULES
from levelhead.studies.request import StudyRequest, signature
from levelhead.studies.study import (
    Claim,
    Study,
    StudySection,
    claim_on_all,
    columns,
    conllu,
    printed,
    table_section,
)
from levelhead.studies.verdicts import agrees, count_of_true, ratio, verdict_of_fact
from levelhead.tables.table import Cell
from levelhead.treebank import Treebank

NAME = "conll17"
MEASURES = ("LAS", "UAS", "CLAS")
BASELINE = "BASELINE"
"""The organizers' system in the official tables; the folder of its outputs must contain this name, in any case."""

_ROUNDED_TWICE = 0.01
"""How much an average of rounded scores may differ from the printed average: rounding changes both by up to 0.005."""

Numbers = Mapping[str, Any]


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    numbers = printed("conll17")
    examples = printed("conll17_examples")
    cases = [(case["says"], *_executed(case, examples["gold"])) for case in examples["case"]]
    results = _scored(request)
    published = read_scores(request.scores) if request.scores is not None else None
    sections = (
        table_section(
            "Tests of the statements on the page",
            columns(text=("statement", "expected", "result", "agree")),
            [(says, expected, result, "yes" if agree else "no") for says, expected, result, agree in cases],
        ),
        *(
            [StudySection("Scores from output files", ("No test sets with outputs were given.",))]
            if results is None
            else [_score_table(results, numbers["baseline"]), _average_table(results)]
        ),
        _rankings(published, numbers),
    )
    claims = (
        *(Claim(says, "the page", verdict_of_fact(agree), result) for says, _, result, agree in cases),
        _claim_on_scores(results, numbers),
        *_claims_on_ranking(published, numbers),
    )
    setting = (
        (
            "Every statement of the page that can be tested is tested: the alignment examples with the scorer, scores"
            " and rankings by the rules `conll17`."
        ),
        (
            f"Available test sets: {len(results.test_sets) if results else 0} of 81."
            f" Published scores were {'given' if published else 'not given'}."
        ),
    )
    return Study(
        NAME, numbers["title"], numbers["source"], setting, sections, claims, signature(request, rules="conll17")
    )  # fmt: skip


def _executed(case: Numbers, common_gold: str) -> tuple[str, str, bool]:
    """What the page says, what happens, and whether they agree."""
    rules = RULES["conll17"]
    gold = parse_as(conllu(case.get("gold", common_gold)).encode(), "gold", rules)
    expected = f"rejected: {case['rejected']}" if "rejected" in case else f"right: {_forms_of(gold, case['right'])}"
    try:
        system = parse_as(conllu(case["system"]).encode(), "system", rules)
        matches = match(gold, system, rules)
    except InputError as error:
        reason = "; ".join(fault.message for fault in error.faults)
        return expected, f"rejected: {reason}", "rejected" in case and case["rejected"] in reason
    right = matches.alignment.gold[matches.agree(ATTACHED)] + 1
    return expected, f"right: {_forms_of(gold, right.tolist())}", right.tolist() == case.get("right")


def _forms_of(gold: Treebank, words: Iterable[int]) -> str:
    return " ".join(gold.forms[word - 1] for word in words)


def _scored(request: StudyRequest) -> Results | None:
    if not request.treebanks or request.systems is None:
        return None
    plan = find_plan(request.treebanks[0], request.systems)
    return score_plan(plan, setup_of(MEASURES, rules="conll17"), workers=request.workers, store=request.store)


def _score_table(results: Results, official: Numbers) -> StudySection:
    return table_section(
        "Scores from output files",
        columns(
            text=("test set", "system"),
            ratio=[name for measure in MEASURES for name in (f"{measure} official", measure)],
        ),
        [
            (code, system, *(cell for name in MEASURES for cell in _pair(results, system, code, name, official)))
            for code in (test_set.code for test_set in results.test_sets)
            for system in results.systems
        ],
        "The official columns have the published scores of the organizers' baseline.",
    )


def _average_table(results: Results) -> StudySection:
    """Averages and ranks over each group with available test sets."""
    rows: list[tuple[Cell, ...]] = []
    for group in ("all", *official_groups()["conll17"]):
        try:
            (chosen,) = groups_named([f"conll17:{group}" if group != "all" else group], results.test_sets)
        except InputError:
            continue  # no test set of this group is available
        rows += [
            (group, len(chosen.codes), len(chosen.lacks), measure, place.rank, place.system, ratio(place.value))
            for measure in MEASURES
            for place in rank(results, measure, chosen, "conll17").standings
        ]
    return table_section(
        "Macro-averages and ranks",
        columns(text="group", number=("test sets", "missing")) | columns(text="measure", number="rank")
        | columns(text="system", ratio="average"),
        rows,
        "A missing or invalid output counts as 0.",
    )  # fmt: skip


def _pair(
    results: Results, system: str, code: str, measure: str, official: Numbers
) -> tuple[float | None, float | None]:
    known = official.get(code, {}).get(measure) if BASELINE.lower() in system.lower() else None
    return None if known is None else known / 100, ratio(results.results[system, code].values[measure])


def _claim_on_scores(results: Results | None, numbers: Numbers) -> Claim:
    text = "The baseline's outputs get the official scores, to two decimals"
    if results is None:
        return Claim(text, "official tables", "no data", "no test sets with outputs")
    equal = {}
    for system, test_set, measure in product(results.systems, results.test_sets, MEASURES):
        pair = _pair(results, system, test_set.code, measure, numbers["baseline"])
        official, ours = (None if value is None else 100 * value for value in pair)
        equal[f"{test_set.code} {measure}"] = agrees(ours, official)
    return claim_on_all(text, "official tables", equal)


def _rankings(published: Results | None, numbers: Numbers) -> StudySection:
    title = "The official ranking from published scores"
    if published is None:
        return StudySection(title, ("No table of scores was given.",))
    ranked = _ranked(published, "LAS", "all")
    missing = (None, None)
    return table_section(
        title,
        columns(text="team", number=("rank, official", "rank"), ratio=("LAS official", "LAS")),
        [
            (team, row["rank"], ranked.get(team, missing)[0], row["LAS"] / 100, ranked.get(team, missing)[1])
            for team, row in numbers["ranking"].items()
        ],
    )


def _ranked(published: Results, measure: str, group: str) -> dict[str, tuple[int | None, float]]:
    """The rank and average of each team over the test sets of a group; teams without an average are left out."""
    (chosen,) = groups_named([group if group == "all" else f"conll17:{group}"], published.test_sets)
    standings = rank(published, measure, chosen, "conll17").standings
    return {place.system: (place.rank, float(place.value)) for place in standings if place.value is not None}


def _claims_on_ranking(published: Results | None, numbers: Numbers) -> list[Claim]:
    texts = (
        "Systems are ranked by the macro-average over all test sets",
        "The averages are as published, within the rounding of scores to two decimals",
        "The averages of all groups by LAS, UAS and CLAS are as published",
    )
    if published is None:
        return [Claim(text, "official ranking", "no data", "no table of scores") for text in texts]
    ranked = _ranked(published, "LAS", "all")
    official = {team: row for team, row in numbers["ranking"].items() if team in ranked}
    if len(published.test_sets) != len(numbers["baseline"]) or not official:
        few = f"{len(published.test_sets)} of 81 test sets"
        return [Claim(text, "official ranking", "no data", few) for text in texts]
    values = {team: (100 * ranked[team][1], row["LAS"]) for team, row in official.items()}
    largest = max(abs(average - printed_average) for average, printed_average in values.values())
    equal = count_of_true({team: agrees(*pair) for team, pair in values.items()})
    groups: dict[str, bool | None] = {}
    for (group, teams), measure in product(numbers["groups"].items(), MEASURES):
        averages = _ranked(published, measure, group)
        groups |= {
            f"{group} {measure} {team}": abs(100 * averages[team][1] - row[measure]) <= _ROUNDED_TWICE
            for team, row in teams.items()
            if measure in row and team in averages
        }
    return [
        claim_on_all(
            texts[0], "official ranking", {team: ranked[team][0] == row["rank"] for team, row in official.items()}
        ),
        Claim(texts[1], "official ranking", verdict_of_fact(largest <= _ROUNDED_TWICE),
              f"equal to two decimals: {equal}; the largest difference is {largest:.4f} points, and"
              " rounding alone can cause a difference of 0.01"),
        claim_on_all(texts[2], "official tables", groups),
    ]  # fmt: skip
