"""Callin: scores of content and function relations, WLAS, and their correlations over the treebanks of UD 1.2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from levelhead.errors import number_of
from levelhead.report.charts.page_charts import panels
from levelhead.report.charts.point_charts import curves
from levelhead.scoring.weights import read_weights
from levelhead.studies.callin_measures import (
    CASCADING,
    MEASURES,
    NAME,
    SCHEME,
    Rows,
    claim_on_variances,
    column_of,
    describe,
    human_agreement,
    measured_outputs,
    variances,
)
from levelhead.studies.parsers import outputs_of
from levelhead.studies.request import Parts, StudyRequest, parts_of, run_tasks, signature
from levelhead.studies.study import (
    Claim,
    Study,
    StudySection,
    claim_on_all,
    columns,
    printed,
    table_section,
)
from levelhead.studies.verdicts import (
    Numbers,
    agrees,
    all_true,
    contrast_interval,
    count_of_true,
    estimate_shown,
    joint_verdict,
    p_shown,
    pearson,
    shown,
    verdict_of_correlation,
    verdict_of_effect,
    verdict_of_fact,
)
from levelhead.treebank.relations import SCHEMES, UD1
from levelhead.typology import averaged_entropy

FEWEST = 10
"""The smallest number of training sets for averaged entropies: a relation missing from a training set counts 0.5."""


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    numbers = printed("callin")
    treebanks = parts_of(request, numbers["languages"])
    parts_by_code = {
        code: (parts.training, *(path for path in parts.files if path != parts.tested), parts.tested)
        for code, parts in treebanks.items()
    }
    described = run_tasks(NAME, describe, parts_by_code, request)
    entropies = [row["wde"] for code, row in described.items() if treebanks[code].train or request.quick]
    averaged = averaged_entropy(entropies, UD1) if entropies else {}
    n_averaged = len(entropies)
    if request.weights is not None:
        averaged, n_averaged = dict(read_weights(request.weights).values), 0
    given = request.systems is not None
    outputs = outputs_of(request, "arc-eager", treebanks)
    scores = measured_outputs({code: treebanks[code].tested for code in outputs}, outputs, averaged, request)
    rows = {code: described[code] | scores[code] for code in described if code in scores}
    trained = sum(parts.train is not None for parts in treebanks.values())
    over = number_of(n_averaged, "training set") if n_averaged else ""
    if n_averaged and n_averaged != trained:
        over = f"{number_of(n_averaged, 'treebank')}, {trained} with a training set"
    agreement = _human_agreement(request, averaged)
    sections = (
        *_treebank_tables(described, numbers), _entropies(averaged, over, request), _scores(rows),
        _correlations(described, rows, numbers), _variances(rows), _agreement_table(agreement, numbers),
        _cascading(rows, numbers),
    )  # fmt: skip
    claims = (
        *_claims_on_treebanks(described, treebanks, numbers), claim_on_entropies(averaged, n_averaged, over),
        *claims_on_scores(rows, request), *claims_on_correlations(rows, request),
        *claims_on_judgments(agreement), *claims_on_cascading(rows, numbers, given=given),
        _claim_on_program(rows, numbers, given=given and request.weights is not None),
    )  # fmt: skip
    signed = signature(request, scheme=SCHEME, weights="file" if request.weights else over or "none")
    setting = _setting(treebanks, outputs, request)
    return Study(NAME, numbers["title"], numbers["source"], setting, sections, claims, signed)


def _setting(treebanks: Mapping[str, Parts], outputs: Mapping[str, Path], request: StudyRequest) -> tuple[str, ...]:
    trained = [code for code, parts in treebanks.items() if parts.train]
    neither = [code for code, parts in treebanks.items() if parts.train is None and parts.dev is None]
    without = f" (from the test set if there is none: {', '.join(neither)})" if neither else ""
    origin = "given" if request.systems else "from our arc-eager parser"
    return (
        (
            f"{number_of(len(treebanks), 'treebank')}; parser outputs, {origin}, for {len(outputs)}:"
            f" {', '.join(outputs) or 'none'}."
        ),
        (
            f"Training sets are available for {len(trained)} ({', '.join(trained) or 'none'}). For the others, the"
            f" type/token ratio comes from the development set{without}, and sizes and shares of"
            " non-projective trees come from the available parts."
        ),
        (
            "The paper mentions 22 languages listed in its Table 1; the table has 20. We use the classes of Callin's"
            " program, which produced the printed numbers: it counts `list` as content, and the paper's text counts it"
            " as other."
        ),
    )


def _printed_classes(numbers: Mapping[str, Any]) -> dict[str, list[str]]:
    """The classes of each relation in Table 2."""
    classes: dict[str, list[str]] = {}
    for name, members in numbers["table_2"].items():
        for relation in members.split():
            classes.setdefault(relation, []).append(name)
    return dict(sorted(classes.items()))


def _treebank_tables(described: Rows, numbers: Mapping[str, Any]) -> tuple[StudySection, StudySection]:
    in_print = {code: numbers["table_1"].get(code, {}) for code in described}
    names = ("tokens (K), printed", "tokens (K)", "non-projective, printed", "by the paper's rule", "true")
    sizes = table_section(
        "Table 1: sizes and non-projective trees",
        columns(text="treebank", number=names),
        [
            (code, in_print[code].get("tokens"), row["tokens"] / 1000, in_print[code].get("nonprojective"),
             row["right_crossed_trees"], row["nonprojective_trees"])
            for code, row in described.items()
        ],
        "Callin's program only checks arcs whose head is to the right, so the true shares are higher. The paper"
        " rounds tokens down to thousands.",
    )  # fmt: skip
    return sizes, table_section(
        "Table 2: classes of relations",
        columns(text=("relation", "printed", "program (scheme callin-code)", "text (scheme callin)")),
        [
            (relation, " and ".join(classes), *(SCHEMES[name].class_of(relation) for name in (SCHEME, "callin")))
            for relation, classes in _printed_classes(numbers).items()
        ],
    )


def _entropies(averaged: Mapping[str, float], over: str, request: StudyRequest) -> StudySection:
    """A row for each relation, and a bar in the panel of its class, in ascending order."""
    classes = {relation: SCHEMES[SCHEME].class_of(relation) for relation in averaged}
    order = sorted(averaged, key=averaged.__getitem__)
    bars = {
        kind: [averaged[relation] if classes[relation] == kind else None for relation in order]
        for kind in ("FUNCTION", "CONTENT", "OTHER")
    }
    averages = (
        f"Averaged over {over}; 0.5 where a treebank lacks a relation." if over else "There are no training sets."
    )
    return table_section(
        "Figure 2: averaged word dependency entropy",
        columns(text=("relation", "class"), number="averaged WDE"),
        [(relation, classes[relation], value) for relation, value in averaged.items()],
        "From the given file." if request.weights else averages,
        figure=panels("Averaged word dependency entropy by relation", order, bars, places=2) if order else None,
    )


def _scores(rows: Rows) -> StudySection:
    ordered = dict(sorted(rows.items(), key=lambda item: -item[1]["LAS"]))
    shares = (*MEASURES, "C freq", "F freq")
    drawn = {
        name: column_of(ordered, "sttr" if name == "STTR" else name)
        for name in ("STTR", "C freq", "F freq", "LAS", "WLAS", "C prec")
    }
    title = "Scores, frequencies and type/token ratios"
    return table_section(
        "Figures 3 and 4: scores, frequencies, type/token ratios",
        columns(text="treebank", ratio=shares, number="STTR"),
        [(code, *(row[name] for name in shares), row["sttr"]) for code, row in ordered.items()],
        "Sorted by LAS. The paper shows these numbers only in figures.",
        figure=panels(title, list(ordered), drawn, places=2) if ordered else None,
    )


def _correlations(described: Rows, rows: Rows, numbers: Mapping[str, Any]) -> StudySection:
    upper = [value for row in numbers["table_3"]["rows"] for value in row]  # only this triangle is printed
    pairs = [(*pair, r, rows) for pair, r in zip(combinations(numbers["table_3"]["columns"], 2), upper)]
    pairs += [("STTR", name, r, described) for name, r in numbers["figure_3"].items()]
    return table_section(
        "Table 3 and Figure 3: correlations over treebanks",
        columns(text=("x", "y"), number=("r, printed", "r"), probability="p"),
        [
            (x, y, r, *pearson(zip(column_of(among, "sttr" if x == "STTR" else x), column_of(among, y)))[:2])
            for x, y, r, among in pairs
        ],
        f"Pearson's correlations over {len(rows)} treebanks with outputs (20 in the paper); correlations with"
        f" STTR are over {len(described)}. p is two-sided, by Student's t, uncorrected.",
    )


def _variances(rows: Rows) -> StudySection:
    title = "Cumulative variance"
    if len(rows) < 2:
        return StudySection("Figure 5: cumulative variance", ("Fewer than two treebanks have outputs.",))
    scaled = {name: 10_000 * variances(rows, name) for name in ("LAS", "WLAS", "C prec", "C rec")}
    drawn = {name: [(float(k), float(value)) for k, value in enumerate(values, 2)] for name, values in scaled.items()}
    return table_section(
        "Figure 5: cumulative variance",
        columns(number=("treebanks", *scaled)),
        [(k, *map(float, row)) for k, row in enumerate(zip(*scaled.values()), 2)],
        "Variance over the best 2, 3, ... treebanks by each measure, times 10,000.",
        figure=curves(title, drawn, "treebanks", "variance, times 10,000"),
    )


def _human_agreement(request: StudyRequest, weights: Mapping[str, float]) -> dict[str, dict[str, float | None]]:
    """The correlations of four measures with human judgments, by language."""
    folder = request.judgements
    if folder is None:
        return {}
    codes = [code for code in ("en", "de", "es") if (folder / code).is_dir()]
    files = ("gold.conll", "parser1.conll", "parser2.conll", "prediction")
    arguments = {code: (*(folder / code / name for name in files), dict(weights)) for code in codes}
    return run_tasks(NAME, human_agreement, arguments, request)


def _agreement_table(agreement: Mapping[str, Mapping[str, Any]], numbers: Mapping[str, Any]) -> StudySection:
    title = "Table 4: correlation with human judgments"
    if not agreement:
        return StudySection(title, ("No judgments were given.",))
    rows = [
        (code, name, value, agreement[code].get(name))
        for code, row in numbers["table_4"].items()
        if code in agreement
        for name, value in row.items()
    ]
    return table_section(title, columns(text=("language", "measure"), number=("printed", "ours")), rows)


def _cascading(rows: Rows, numbers: Mapping[str, Any]) -> StudySection:
    return table_section(
        "Table 5: cascading errors",
        columns(text="treebank", number=[head for name in CASCADING for head in (f"{name} printed", name)]),
        [
            (code, *(cell for name in CASCADING for cell in (numbers["table_5"].get(code, {}).get(name), row[name])))
            for code, row in rows.items()
        ],
        "The share of wrong arcs whose predicted head is itself attached correctly.",
    )


def _claims_on_treebanks(rows: Rows, treebanks: Mapping[str, Parts], numbers: Mapping[str, Any]) -> list[Claim]:
    by_rule = {
        code: agrees(rows[code]["right_crossed_trees"], numbers["table_1"][code]["nonprojective"])
        for code, parts in treebanks.items()
        if len(parts.files) == 3 and code in numbers["table_1"]
    }
    content, p_content, n = pearson(zip(column_of(rows, "sttr"), column_of(rows, "C freq")))
    function, p_function, _ = pearson(zip(column_of(rows, "sttr"), column_of(rows, "F freq")))
    classes = _printed_classes(numbers)
    differing = [relation for relation, names in classes.items() if {SCHEMES[SCHEME].class_of(relation)} != {*names}]
    twice = [relation for relation, names in classes.items() if len(names) > 1]
    return [
        Claim("The shares of non-projective trees by the paper's rule are as printed", "Table 1",
              verdict_of_fact(all_true(by_rule)),
              f"equal to two decimals: {count_of_true(by_rule)} treebanks with all three parts"),
        Claim("The share of function relations falls with the type/token ratio", "Figure 3",
              verdict_of_correlation(function, p_function, -1),
              f"r = {shown(function)} ({p_shown(p_function)}, {number_of(n, 'treebank')}), printed -0.52;"
              f" content relations {shown(content)} ({p_shown(p_content)}), printed 0.23"),
        Claim("Each relation is in one class of Table 2", "Table 2", verdict_of_fact(not twice),
              f"in two classes: {', '.join(twice) or 'none'}; {sum(map(len, classes.values()))} entries; different in"
              f" the scheme {SCHEME}: {', '.join(differing) or 'none'}"),
    ]  # fmt: skip


def claim_on_entropies(averaged: Mapping[str, float], n: int, over: str) -> Claim:
    """Check the order of entropies; fewer than `FEWEST` training sets are not enough."""
    kinds = {name: [v for r, v in averaged.items() if SCHEMES[SCHEME].class_of(r) == name] for name in
             ("FUNCTION", "CONTENT")}  # fmt: skip
    highest, lowest = (max(kinds["FUNCTION"], default=None), min(kinds["CONTENT"], default=None))
    evidence = f"highest function relation {shown(highest, 3)}, lowest content relation {shown(lowest, 3)}"
    few = 0 < n < FEWEST
    apart = None if highest is None or lowest is None or few else highest < lowest
    source = f"; {over}" if over else "; from the given file" if averaged else "; no training sets"
    needed = f"; at least {FEWEST} training sets are needed" if few else ""
    text = "All function relations have a lower word dependency entropy than all content relations"
    return Claim(text, "Figure 2", verdict_of_fact(apart), evidence + source + needed)


def claims_on_scores(rows: Rows, request: StudyRequest) -> list[Claim]:
    """Check the claims about scores."""
    higher = {code: row["LAS"] > row["WLAS"] for code, row in rows.items()}
    lower = {code: max(row["C prec"], row["C rec"]) < row["LAS"] for code, row in rows.items()}
    return [
        claim_on_all("LAS is higher than WLAS for every language", "section 6", higher),
        claim_on_all("Content precision and recall are lower than LAS for every language", "section 6", lower),
        claim_on_variances(rows, request),
    ]


def claims_on_correlations(rows: Rows, request: StudyRequest) -> list[Claim]:
    """Check the claims about scores and frequencies."""
    correlations = {name: pearson(zip(column_of(rows, name), column_of(rows, "F freq"))) for name in MEASURES}
    evidence = ", ".join(f"{name} {shown(r)} ({p_shown(p)})" for name, (r, p, _) in correlations.items())
    f_prec = correlations["F prec"][:2]
    columns_of_scores = [[row[name] for row in rows.values()] for name in ("LAS", "WLAS", "C prec", "C rec")]
    shares = [row["F freq"] for row in rows.values()]
    steps = {
        name: contrast_interval(columns_of_scores, shares, contrast, *request.draws)
        for name, contrast in _STEPS.items()
    }
    differences = ", ".join(f"{name} {estimate_shown(estimate)}" for name, estimate in steps.items())
    return [
        Claim("Scores rise with the share of function relations", "Table 3 and section 7",
              joint_verdict(verdict_of_correlation(r, p, 1) for r, p, _ in correlations.values()),
              f"{evidence}; {number_of(len(rows), 'treebank')}"),
        Claim("LAS correlates with that share more than WLAS, and WLAS more than content precision and recall",
              "section 7", joint_verdict(verdict_of_effect(estimate, 1) for estimate in steps.values()),
              f"differences of correlations: {differences}; {number_of(len(rows), 'treebank')}"),
        Claim("Function words are parsed better in treebanks that have more of them", "section 7",
              verdict_of_correlation(*f_prec, 1),
              f"r = {shown(f_prec[0])} ({p_shown(f_prec[1])}); printed 0.71"),
    ]  # fmt: skip


_STEPS: Mapping[str, Callable[[Numbers], Numbers]] = {
    "LAS minus WLAS": lambda r: r[:, 0] - r[:, 1],
    "WLAS minus the higher of C prec and C rec": lambda r: r[:, 1] - np.maximum(r[:, 2], r[:, 3]),
}
"""The steps of the claimed order, as contrasts of the correlations of LAS, WLAS, C prec and C rec."""


def claims_on_judgments(agreement: Mapping[str, Mapping[str, Any]]) -> list[Claim]:
    """Check the claims about agreement with human judgments."""
    text = "Content precision and recall agree less with human judgments than LAS and WLAS, in all cases but one"
    if not agreement:
        return [Claim(text, "Table 4", "no data", "no judgments were given")]
    less = {
        f"{code} {name}": None
        if None in (row[name], row["LAS"], row["WLAS"])
        else row[name] < min(row["LAS"], row["WLAS"])
        for code, row in agreement.items()
        for name in ("C prec", "C rec")
    }
    exceptions = [case for case, value in less.items() if value is False]
    holds = None if None in less.values() else len(exceptions) == 1
    evidence = f"exceptions: {', '.join(exceptions) or 'none'}"
    undefined = [case for case, value in less.items() if value is None]
    evidence += f"; undefined: {', '.join(undefined)}" if undefined else ""
    return [Claim(text, "Table 4", verdict_of_fact(holds), evidence)]


def claims_on_cascading(rows: Rows, numbers: Mapping[str, Any], *, given: bool) -> list[Claim]:
    """Check the claims about cascading errors; equality with the paper only for given outputs."""
    printed_ratios = numbers["table_5"]
    equal = {
        f"{code} {name}": agrees(row[name], printed_ratios.get(code, {}).get(name)) if given else None
        for code, row in rows.items()
        for name in CASCADING
    }
    printed_too = {code: row["F unlab."] < row["C unlab."] for code, row in printed_ratios.items()}
    claims = [claim_on_all("The ratios of Table 5 are as printed", "Table 5", equal)]
    for kind, name, in_print in (
        ("labeled", "lab.", ""), ("unlabeled", "unlab.", f"; in the printed table {count_of_true(printed_too)}"),
    ):  # fmt: skip
        text = f"In all languages, the heads of wrong function relations are more often wrong themselves ({kind})"
        ratios_by_code = {code: (row[f"F {name}"], row[f"C {name}"]) for code, row in rows.items()}
        more = {code: None if None in pair else pair[0] < pair[1] for code, pair in ratios_by_code.items()}
        claims.append(claim_on_all(text, "Table 5", more, in_print))
    return claims


def _claim_on_program(rows: Rows, numbers: Mapping[str, Any], *, given: bool) -> Claim:
    """Check whether scores and frequencies equal what Callin's program printed for the same outputs and weights."""
    text, place = "Scores and frequencies equal those of Callin's program to six decimals", "Callin's program"
    equal = {
        f"{code} {name}": agrees(row[name], number, 6)
        for code, row in rows.items()
        for name, number in numbers["program"].get(code, {}).items()
    }
    if not given or not equal:
        return Claim(text, place, "no data", "requires Callin's outputs and weights")
    return claim_on_all(text, place, equal)
