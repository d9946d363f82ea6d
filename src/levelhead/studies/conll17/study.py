"""The evaluation of the CoNLL 2017 shared task: the statements of its page executed, its tables from files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from levelhead.campaign import Results, groups_named, plan_in, rank, read_scores, score_plan
from levelhead.campaign.groups import official_groups
from levelhead.errors import InputError
from levelhead.evaluation.pair import parse_as
from levelhead.evaluation.setup import setup_of
from levelhead.report.table import Column, Table
from levelhead.scoring.matches import match
from levelhead.scoring.measure_definitions import ATTACHED
from levelhead.scoring.rules import RULES
from levelhead.studies.example_sentences import conllu
from levelhead.studies.printed_numbers import printed
from levelhead.studies.request import StudyRequest, signature
from levelhead.studies.statistics import agrees, counted, every
from levelhead.studies.study import Claim, Study, StudySection
from levelhead.studies.verdicts import verdict_of_fact
from levelhead.treebank import Treebank

NAME = "conll17"
MEASURES = ("LAS", "UAS", "CLAS")
BASELINE = "BASELINE"
"""How the official tables call the organizers' own system, and so the folder of its outputs must, in any case."""

_ROUNDED_TWICE = 0.01
"""How far an average of scores with two decimals may be from the printed average: both are rounded by at most 0.005."""

Numbers = Mapping[str, Any]

MAIN_CLAIM = "Systems are ranked by the macro-average"
"""How the claim begins that the page opens with."""


def reproduce(request: StudyRequest) -> Study:
    """Run the study.

    Args:
        request: gold test sets, a folder of systems' outputs, and a table of all published scores by test set; all may
            be missing, except for what depends on them.

    Raises:
        InputError: a file is not valid.
    """
    numbers = printed("conll17")
    examples = printed("conll17", "examples")
    cases = [(case["says"], *_executed(case, examples["gold"])) for case in examples["case"]]
    results = _campaign(request)
    published = read_scores(request.scores) if request.scores is not None else None
    sections = (_examples(cases), *_tables(results, numbers), *_rankings(published, numbers))
    claims = (
        *_claims_of_examples(cases),
        *_claims_on_scores(results, numbers),
        *_claims_on_ranking(published, numbers),
    )
    setting = (
        (
            "Every statement of the page that can be executed is: alignment examples with the scorer, scores and"
            " rankings by the rules `conll17`."
        ),
        (
            f"Test sets at hand: {len(results.test_sets) if results else 0} of 81;"
            f" published scores were {'given' if published else 'not given'}."
        ),
    )
    return Study(
        NAME, numbers["title"], numbers["source"], setting, sections, claims, signature(request, rules="conll17"),
        MAIN_CLAIM,
    )  # fmt: skip


def _executed(case: Numbers, common_gold: str) -> tuple[str, str, bool]:
    """What the page expects, what happens, and whether they agree."""
    rules = RULES["conll17"]
    gold = parse_as(conllu(case.get("gold", common_gold)).encode(), "gold", rules)
    expected = f"refused: {case['refused']}" if "refused" in case else f"right: {_forms_of(gold, case['right'])}"
    try:
        system = parse_as(conllu(case["system"]).encode(), "system", rules)
        matches = match(gold, system, rules)
    except InputError as error:
        reason = "; ".join(fault.message for fault in error.faults)
        return expected, f"refused: {reason}", "refused" in case and case["refused"] in reason
    right = matches.alignment.gold[matches.agree(ATTACHED)] + 1
    return expected, f"right: {_forms_of(gold, right.tolist())}", right.tolist() == case.get("right")


def _forms_of(gold: Treebank, words: Iterable[int]) -> str:
    return " ".join(f"{gold.forms[word - 1]}" for word in words)


def _examples(cases: list[tuple[str, str, str, bool]]) -> StudySection:
    columns = tuple(Column(name, "text") for name in ("the page says", "expected", "found", "agree"))
    cells = tuple((says, expected, found, "yes" if agree else "no") for says, expected, found, agree in cases)
    return StudySection("The statements of the page, executed", (), Table(columns, cells))


def _claims_of_examples(cases: list[tuple[str, str, str, bool]]) -> list[Claim]:
    return [Claim(says, "the page", verdict_of_fact(agree), found) for says, _, found, agree in cases]


def _campaign(request: StudyRequest) -> Results | None:
    if not request.treebanks or request.systems is None:
        return None
    campaign = plan_in(request.treebanks[0], request.systems)
    setup = setup_of(MEASURES, rules="conll17")
    return score_plan(campaign, setup, workers=request.workers, store=request.store)


def _tables(results: Results | None, numbers: Numbers) -> list[StudySection]:
    if results is None:
        return [StudySection("Scores from files", ("No test sets with outputs were given.",))]
    official = numbers["baseline"]
    columns = [Column("test set", "text"), Column("system", "text")]
    for measure in MEASURES:
        columns += [Column(f"{measure} official"), Column(measure)]
    cells = [
        (test_set.code, system,
         *(cell for name in MEASURES for cell in _pair(results, system, test_set.code, name, official)))
        for test_set in results.test_sets for system in results.systems
    ]  # fmt: skip
    rows = []
    for group in ("all", *official_groups()["conll17"]):
        try:
            (chosen,) = groups_named([f"conll17:{group}" if group != "all" else group], results.test_sets)
        except InputError:
            continue  # no test set of this group is at hand
        for measure in MEASURES:
            ranking = rank(results, measure, chosen, "conll17")
            rows += [
                (group, len(chosen.codes), len(chosen.lacks), measure, standing.rank, standing.system,
                 None if standing.value is None else float(standing.value)) for standing in ranking.standings
            ]  # fmt: skip
    averages = Table(
        (Column("group", "text"), Column("test sets", "number"), Column("missing", "number"), Column("measure", "text"),
         Column("rank", "number"), Column("system", "text"), Column("average")), tuple(rows),
    )  # fmt: skip
    text = ("The official columns are the published scores of the organizers' baseline.",)
    return [
        StudySection("Scores from files", text, Table(tuple(columns), tuple(cells))),
        StudySection("Macro-averages and ranks", ("A missing or invalid output counts 0.",), averages),
    ]


def _pair(
    results: Results, system: str, code: str, measure: str, official: Numbers
) -> tuple[float | None, float | None]:
    value = results.results[system, code].values[measure]
    known = official.get(code, {}).get(measure) if BASELINE.lower() in system.lower() else None
    return None if known is None else known / 100, None if value is None else float(value)


def _claims_on_scores(results: Results | None, numbers: Numbers) -> list[Claim]:
    text = "The official scores of the baseline follow from its files, to two decimals"
    if results is None:
        return [Claim(text, "official tables", "no data", "no test sets with outputs")]
    equal = {}
    for system in results.systems:
        for test_set in results.test_sets:
            for measure in MEASURES:
                theirs, ours = _pair(results, system, test_set.code, measure, numbers["baseline"])
                equal[f"{test_set.code} {measure}"] = agrees(
                    None if ours is None else 100 * ours, None if theirs is None else 100 * theirs
                )
    return [Claim(text, "official tables", verdict_of_fact(every(equal)), counted(equal))]


def _rankings(published: Results | None, numbers: Numbers) -> list[StudySection]:
    if published is None:
        return [StudySection("The official ranking from published scores", ("No table of scores was given.",))]
    found = _ranked(published)
    columns = (Column("team", "text"), Column("rank, official", "number"), Column("rank", "number"),
               Column("LAS official"), Column("LAS"))  # fmt: skip
    cells = tuple(
        (team, row["rank"], found[team][0] if team in found else None, row["LAS"] / 100,
         found[team][1] if team in found else None)
        for team, row in numbers["ranking"].items()
    )  # fmt: skip
    return [StudySection("The official ranking from published scores", (), Table(columns, cells))]


def _group_tables(published: Results | None, numbers: Numbers) -> dict[str, tuple[float, float]]:
    """The official average and ours, by group, measure and team."""
    if published is None:
        return {}
    found = {}
    for group, teams in numbers["groups"].items():
        (chosen,) = groups_named([group if group == "all" else f"conll17:{group}"], published.test_sets)
        for measure in MEASURES:
            ours = {
                standing.system: standing.value for standing in rank(published, measure, chosen, "conll17").standings
            }
            for team, row in teams.items():
                value = ours.get(team)
                if measure in row and value is not None:
                    found[f"{group} {measure} {team}"] = (row[measure], 100 * float(value))
    return found


def _ranked(published: Results) -> dict[str, tuple[int | None, float]]:
    (group,) = groups_named(["all"], published.test_sets)
    ranking = rank(published, "LAS", group, "conll17")
    return {standing.system: (standing.rank, float(standing.value or 0)) for standing in ranking.standings}


def _claims_on_ranking(published: Results | None, numbers: Numbers) -> list[Claim]:
    texts = (
        "Systems are ranked by the macro-average over all test sets",
        "The averages are as published, as far as scores with two decimals show",
        "So are the averages of all groups by LAS, UAS and CLAS",
    )
    if published is None:
        return [Claim(text, "official ranking", "no data", "no table of scores") for text in texts]
    found = _ranked(published)
    ranks = {team: found[team][0] == row["rank"] for team, row in numbers["ranking"].items() if team in found}
    values = {
        team: agrees(100 * found[team][1], row["LAS"]) for team, row in numbers["ranking"].items() if team in found
    }
    largest = max((abs(100 * found[team][1] - numbers["ranking"][team]["LAS"]) for team in values), default=np.nan)
    complete = len(published.test_sets) == len(numbers["baseline"]) and bool(ranks)
    groups = {
        name: abs(ours - theirs) <= _ROUNDED_TWICE for name, (theirs, ours) in _group_tables(published, numbers).items()
    } if complete else {}  # fmt: skip
    if not complete:
        few = f"{len(published.test_sets)} of 81 test sets"
        return [Claim(text, "official ranking", "no data", few) for text in texts]
    return [
        Claim(texts[0], "official ranking", verdict_of_fact(every(ranks)), counted(ranks)),
        Claim(texts[1], "official ranking", verdict_of_fact(bool(largest <= _ROUNDED_TWICE)),
              f"equal to two decimals: {counted(values)}; the largest difference is {largest:.4f} points, and averages"
              " of published scores, with two decimals, may be 0.01 from published averages"),
        Claim(texts[2], "official tables", verdict_of_fact(every(groups)), counted(groups)),
    ]  # fmt: skip
