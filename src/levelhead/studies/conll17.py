"""The CoNLL 2017 shared task: tests of the statements on its evaluation page, and its result tables recomputed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from levelhead.campaign import Results, groups_named, plan_in, rank, read_scores, score_plan
from levelhead.campaign.ranking import official_groups
from levelhead.errors import InputError
from levelhead.evaluation.pair import parse_as
from levelhead.evaluation.setup import setup_of
from levelhead.scoring.matches import match
from levelhead.scoring.measure_definitions import ATTACHED
from levelhead.scoring.rules import RULES
from levelhead.studies.request import StudyRequest, signature
from levelhead.studies.study import Claim, Study, StudySection, conllu, printed
from levelhead.studies.verdicts import agrees, all_true, count_of_true, ratio, verdict_of_fact
from levelhead.tables.table import Column, Table
from levelhead.treebank import Treebank

NAME = "conll17"
MEASURES = ("LAS", "UAS", "CLAS")
BASELINE = "BASELINE"
"""The organizers' system in the official tables; the folder of its outputs must contain this name, in any case."""

_ROUNDED_TWICE = 0.01
"""How much an average of rounded scores may differ from the printed average: rounding changes both by up to 0.005."""

Numbers = Mapping[str, Any]

MAIN_CLAIM = "Systems are ranked by the macro-average"
"""The first words of the claim with which the page opens."""


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    numbers = printed("conll17")
    examples = printed("conll17_examples")
    cases = [(case["says"], *_executed(case, examples["gold"])) for case in examples["case"]]
    results = _scored(request)
    published = read_scores(request.scores) if request.scores is not None else None
    columns = tuple(Column(name, "text") for name in ("statement", "expected", "result", "agree"))
    cells = tuple((says, expected, result, "yes" if agree else "no") for says, expected, result, agree in cases)
    sections = (
        StudySection("Tests of the statements on the page", (), Table(columns, cells)),
        *(
            [StudySection("Scores from output files", ("No test sets with outputs were given.",))]
            if results is None
            else [_score_table(results, numbers["baseline"]), _average_table(results)]
        ),
        _rankings(published, numbers),
    )
    claims = (
        *(Claim(says, "the page", verdict_of_fact(agree), result) for says, _, result, agree in cases),
        *_claims_on_scores(results, numbers),
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
        NAME, numbers["title"], numbers["source"], setting, sections, claims, signature(request, rules="conll17"),
        MAIN_CLAIM,
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
    return " ".join(f"{gold.forms[word - 1]}" for word in words)


def _scored(request: StudyRequest) -> Results | None:
    if not request.treebanks or request.systems is None:
        return None
    plan = plan_in(request.treebanks[0], request.systems)
    setup = setup_of(MEASURES, rules="conll17")
    return score_plan(plan, setup, workers=request.workers, store=request.store)


def _score_table(results: Results, official: Numbers) -> StudySection:
    columns = [Column("test set", "text"), Column("system", "text")]
    for measure in MEASURES:
        columns += [Column(f"{measure} official"), Column(measure)]
    cells = [
        (test_set.code, system,
         *(cell for name in MEASURES for cell in _pair(results, system, test_set.code, name, official)))
        for test_set in results.test_sets for system in results.systems
    ]  # fmt: skip
    text = ("The official columns have the published scores of the organizers' baseline.",)
    return StudySection("Scores from output files", text, Table(tuple(columns), tuple(cells)))


def _average_table(results: Results) -> StudySection:
    """Averages and ranks over each group with available test sets."""
    rows = []
    for group in ("all", *official_groups()["conll17"]):
        try:
            (chosen,) = groups_named([f"conll17:{group}" if group != "all" else group], results.test_sets)
        except InputError:
            continue  # no test set of this group is available
        for measure in MEASURES:
            ranking = rank(results, measure, chosen, "conll17")
            rows += [
                (group, len(chosen.codes), len(chosen.lacks), measure, standing.rank, standing.system,
                 ratio(standing.value)) for standing in ranking.standings
            ]  # fmt: skip
    columns = (
        Column("group", "text"), Column("test sets", "number"), Column("missing", "number"), Column("measure", "text"),
        Column("rank", "number"), Column("system", "text"), Column("average"),
    )  # fmt: skip
    text = ("A missing or invalid output counts as 0.",)
    return StudySection("Macro-averages and ranks", text, Table(columns, tuple(rows)))


def _pair(
    results: Results, system: str, code: str, measure: str, official: Numbers
) -> tuple[float | None, float | None]:
    known = official.get(code, {}).get(measure) if BASELINE.lower() in system.lower() else None
    return None if known is None else known / 100, ratio(results.results[system, code].values[measure])


def _claims_on_scores(results: Results | None, numbers: Numbers) -> list[Claim]:
    text = "The baseline's outputs get the official scores, to two decimals"
    if results is None:
        return [Claim(text, "official tables", "no data", "no test sets with outputs")]
    equal = {}
    for system in results.systems:
        for test_set in results.test_sets:
            for measure in MEASURES:
                pair = _pair(results, system, test_set.code, measure, numbers["baseline"])
                published, ours = (None if value is None else 100 * value for value in pair)
                equal[f"{test_set.code} {measure}"] = agrees(ours, published)
    return [Claim(text, "official tables", verdict_of_fact(all_true(equal)), count_of_true(equal))]


def _rankings(published: Results | None, numbers: Numbers) -> StudySection:
    if published is None:
        return StudySection("The official ranking from published scores", ("No table of scores was given.",))
    ranked = _ranked(published)
    columns = (Column("team", "text"), Column("rank, official", "number"), Column("rank", "number"),
               Column("LAS official"), Column("LAS"))  # fmt: skip
    cells = tuple(
        (team, row["rank"], ranked[team][0] if team in ranked else None, row["LAS"] / 100,
         ranked[team][1] if team in ranked else None)
        for team, row in numbers["ranking"].items()
    )  # fmt: skip
    return StudySection("The official ranking from published scores", (), Table(columns, cells))


def _group_averages(published: Results | None, numbers: Numbers) -> dict[str, tuple[float, float]]:
    """The official average and ours, by group, measure and team, in percent."""
    if published is None:
        return {}
    averages = {}
    for group, teams in numbers["groups"].items():
        (chosen,) = groups_named([group if group == "all" else f"conll17:{group}"], published.test_sets)
        for measure in MEASURES:
            ours = {
                standing.system: standing.value for standing in rank(published, measure, chosen, "conll17").standings
            }
            for team, row in teams.items():
                value = ours.get(team)
                if measure in row and value is not None:
                    averages[f"{group} {measure} {team}"] = (row[measure], 100 * float(value))
    return averages


def _ranked(published: Results) -> dict[str, tuple[int | None, float]]:
    """The rank and average LAS of each team over all test sets."""
    (group,) = groups_named(["all"], published.test_sets)
    ranking = rank(published, "LAS", group, "conll17")
    return {standing.system: (standing.rank, float(standing.value or 0)) for standing in ranking.standings}


def _claims_on_ranking(published: Results | None, numbers: Numbers) -> list[Claim]:
    texts = (
        "Systems are ranked by the macro-average over all test sets",
        "The averages are as published, within the rounding of scores to two decimals",
        "The averages of all groups by LAS, UAS and CLAS are as published",
    )
    if published is None:
        return [Claim(text, "official ranking", "no data", "no table of scores") for text in texts]
    ranked = _ranked(published)
    ours = {team: ranked[team] for team in numbers["ranking"] if team in ranked}
    if len(published.test_sets) != len(numbers["baseline"]) or not ours:
        few = f"{len(published.test_sets)} of 81 test sets"
        return [Claim(text, "official ranking", "no data", few) for text in texts]
    ranks = {team: rank == numbers["ranking"][team]["rank"] for team, (rank, _) in ours.items()}
    values = {team: agrees(100 * average, numbers["ranking"][team]["LAS"]) for team, (_, average) in ours.items()}
    largest = max(abs(100 * average - numbers["ranking"][team]["LAS"]) for team, (_, average) in ours.items())
    groups = {
        name: abs(average - official) <= _ROUNDED_TWICE
        for name, (official, average) in _group_averages(published, numbers).items()
    }
    return [
        Claim(texts[0], "official ranking", verdict_of_fact(all_true(ranks)), count_of_true(ranks)),
        Claim(texts[1], "official ranking", verdict_of_fact(largest <= _ROUNDED_TWICE),
              f"equal to two decimals: {count_of_true(values)}; the largest difference is {largest:.4f} points, and"
              " rounding alone can cause a difference of 0.01"),
        Claim(texts[2], "official tables", verdict_of_fact(all_true(groups)), count_of_true(groups)),
    ]  # fmt: skip
