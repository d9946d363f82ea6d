"""Callin's study: scores of content and function relations, WLAS, and their correlations, over UD 1.2."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

from levelhead.report.charts.page_charts import panels
from levelhead.report.charts.study_charts import curves
from levelhead.report.charts.svg import Drawing
from levelhead.report.table import Column, Table
from levelhead.scoring.weights import read_weights
from levelhead.studies.callin.claims import (
    claim_on_classes,
    claim_on_entropies,
    claim_on_program,
    claims_on_cascading,
    claims_on_correlations,
    claims_on_judgments,
    claims_on_scores,
    claims_on_treebanks,
)
from levelhead.studies.callin.measures import (
    CASCADING,
    MEASURES,
    NAME,
    SCHEME,
    Rows,
    column_of,
    describe,
    human_agreement,
    measured_outputs,
    measured_rows,
    variances,
)
from levelhead.studies.columns import number_columns
from levelhead.studies.parser_outputs import outputs_of
from levelhead.studies.printed_numbers import printed
from levelhead.studies.request import StudyRequest, StudyTask, run_tasks, signature
from levelhead.studies.statistics import pearson
from levelhead.studies.study import Study, StudySection
from levelhead.studies.treebank_parts import Parts, parts_of
from levelhead.treebank.relations import UD1
from levelhead.treebank.schemes import SCHEMES
from levelhead.typology import averaged_entropy

MAIN_CLAIM = "LAS is higher than WLAS for every language"
"""The first words of the claim with which the page opens."""


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    numbers = printed("callin")
    treebanks = parts_of(request, numbers["languages"])
    described = run_tasks(NAME, [_description(parts) for parts in treebanks.values()], request)
    entropies = [row["wde"] for code, row in described.items() if treebanks[code].train or request.quick]
    averaged = averaged_entropy(entropies, UD1) if entropies else {}
    known = len(entropies)
    if request.weights is not None:
        averaged, known = dict(read_weights(request.weights).values), 0
    given = request.systems is not None
    outputs = outputs_of(request, "arc-eager", treebanks)
    measured = measured_outputs({code: treebanks[code].tested for code in outputs}, outputs, averaged, request)
    rows = {code: {**described[code], **measured.get(code, {})} for code in described}
    trained = sum(parts.train is not None for parts in treebanks.values())
    over = "" if request.weights or not known else _averaged_over(known, trained)
    agreement = _human_agreement(request, averaged)
    sections = (
        _sizes(rows, numbers), _classes(numbers), _entropies(averaged, over, request), _scores(rows),
        _correlations(rows, numbers), _variances(rows), _agreement_table(agreement, numbers), _cascading(rows, numbers),
    )  # fmt: skip
    claims = (
        *claims_on_treebanks(rows, treebanks, numbers), claim_on_classes(numbers),
        claim_on_entropies(averaged, known, over),
        *claims_on_scores(rows, request), *claims_on_correlations(rows, request),
        *claims_on_judgments(agreement), *claims_on_cascading(rows, numbers, given=given),
        claim_on_program(rows, numbers, given=given and request.weights is not None),
    )  # fmt: skip
    source = "file" if request.weights else over or "none"
    signed = signature(request, scheme=SCHEME, weights=source)
    setting = _setting(treebanks, outputs, request)
    return Study(NAME, numbers["title"], numbers["source"], setting, sections, claims, signed, MAIN_CLAIM)


def _description(parts: Parts) -> StudyTask:
    rest = [path for path in parts.files if path != parts.tested]
    return StudyTask(parts.code, describe, (parts.training, *rest, parts.tested))


def _setting(treebanks: Mapping[str, Parts], outputs: Mapping[str, Path], request: StudyRequest) -> tuple[str, ...]:
    trained = [code for code, parts in treebanks.items() if parts.train]
    origin = "given" if request.systems else "from our arc-eager parser"
    return (
        f"{len(treebanks)} treebanks; parser outputs, {origin}, for {len(outputs)}: {', '.join(outputs) or 'none'}.",
        (
            f"Training sets are available for {len(trained)} ({', '.join(trained) or 'none'}). For the others, the"
            f" type/token ratio comes from the development set{_without_training(treebanks)}, and sizes and shares of"
            " non-projective trees come from the available parts."
        ),
        (
            "The paper mentions 22 languages listed in its Table 1; the table has 20. We use the classes of Callin's"
            " program, which made the printed numbers (it counts `list` as content, the text as other)."
        ),
    )


def _without_training(treebanks: Mapping[str, Parts]) -> str:
    """Which treebanks have neither a training set nor a development set."""
    neither = [code for code, parts in treebanks.items() if parts.train is None and parts.dev is None]
    return f" (from the test set if there is none: {', '.join(neither)})" if neither else ""


def _sizes(rows: Rows, numbers: Mapping[str, Any]) -> StudySection:
    columns = (Column("treebank", "text"), *number_columns("tokens (K), printed", "tokens (K)"),
               *number_columns("non-projective, printed", "by the paper's rule", "true"))  # fmt: skip
    cells = []
    for code, row in rows.items():
        published = numbers["table_1"].get(code, {})
        cells.append((code, published.get("tokens"), row["tokens"] / 1000, published.get("nonprojective"),
                      row["right_crossed_trees"], row["nonprojective_trees"]))  # fmt: skip
    text = (
        (
            "Callin's program only checks arcs whose head is to the right, so the true shares are higher. The paper"
            " rounds tokens down to thousands."
        ),
    )
    return StudySection("Table 1: sizes and non-projective trees", text, Table(columns, tuple(cells)))


def _classes(numbers: Mapping[str, Any]) -> StudySection:
    printed_classes: dict[str, list[str]] = {}
    for name, members in numbers["table_2"].items():
        for relation in members.split():
            printed_classes.setdefault(relation, []).append(name)
    names = ("relation", "printed", "program (scheme callin-code)", "text (scheme callin)")
    cells = tuple(
        (text, " and ".join(classes), SCHEMES[SCHEME].class_of(text), SCHEMES["callin"].class_of(text))
        for text, classes in sorted(printed_classes.items())
    )
    return StudySection(
        "Table 2: classes of relations", (), Table(tuple(Column(name, "text") for name in names), cells)
    )


def _averaged_over(n: int, trained: int) -> str:
    return f"{n} training sets" if n == trained else f"{n} treebanks, {trained} with a training set"


def _entropies(averaged: Mapping[str, float], over: str, request: StudyRequest) -> StudySection:
    classes = SCHEMES[SCHEME]
    cells = tuple((relation, classes.class_of(relation), value) for relation, value in averaged.items())
    table = Table((Column("relation", "text"), Column("class", "text"), *number_columns("averaged WDE")), cells)
    averages = (
        f"Averaged over {over}; 0.5 where a treebank lacks a relation." if over else "There are no training sets."
    )
    text = ("From the given file." if request.weights else averages,)
    return StudySection("Figure 2: averaged word dependency entropy", text, table, _figure_2(averaged))


def _figure_2(averaged: Mapping[str, float]) -> Drawing | None:
    """A bar for each relation, in the panel of its class, in ascending order."""
    order = sorted(averaged, key=averaged.__getitem__)
    classes = {text: SCHEMES[SCHEME].class_of(text) for text in order}
    kinds = {
        kind: [averaged[text] if classes[text] == kind else None for text in order]
        for kind in ("FUNCTION", "CONTENT", "OTHER")
    }
    return panels("Averaged word dependency entropy by relation", order, kinds, places=2) if order else None


def _scores(rows: Rows) -> StudySection:
    ordered = sorted(measured_rows(rows).items(), key=lambda item: -item[1]["LAS"])
    columns = (Column("treebank", "text"), *(Column(name) for name in MEASURES), Column("C freq"), Column("F freq"),
               Column("STTR", "number"))  # fmt: skip
    cells = tuple(
        (code, *(row[name] for name in MEASURES), row["C freq"], row["F freq"], row["sttr"]) for code, row in ordered
    )
    text = ("Sorted by LAS. The paper shows these numbers only in figures.",)
    title = "Figures 3 and 4: scores, frequencies, type/token ratios"
    return StudySection(title, text, Table(columns, cells), _figures_3_and_4(dict(ordered)))


def _figures_3_and_4(rows: Rows) -> Drawing | None:
    names = {"STTR": "sttr", "C freq": "C freq", "F freq": "F freq", "LAS": "LAS", "WLAS": "WLAS", "C prec": "C prec"}
    values = {head: [row[name] for row in rows.values()] for head, name in names.items()}
    return panels("Scores, frequencies and type/token ratios", list(rows), values, places=2) if rows else None


def _printed_correlations(numbers: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """Table 3, which prints only the upper triangle, by pair of columns."""
    table = numbers["table_3"]
    upper = [value for row in table["rows"] for value in row]
    return dict(zip(combinations(table["columns"], 2), upper))


def _correlations(rows: Rows, numbers: Mapping[str, Any]) -> StudySection:
    measured = measured_rows(rows)
    columns = (Column("x", "text"), Column("y", "text"), *number_columns("r, printed", "r"), Column("p", "probability"))
    cells = []
    for (x, y), printed_r in _printed_correlations(numbers).items():
        r, p, _ = pearson(zip(column_of(measured, x), column_of(measured, y)))
        cells.append((x, y, printed_r, r, p))
    for name, printed_r in numbers["figure_3"].items():
        r, p, _ = pearson(zip(column_of(rows, "sttr"), column_of(rows, name)))
        cells.append(("STTR", name, printed_r, r, p))
    text = (
        (
            f"Pearson's correlations over {len(measured)} treebanks with outputs (20 in the paper); correlations with"
            f" STTR are over {len(rows)}. p is two-sided, by Student's t, uncorrected."
        ),
    )
    return StudySection("Table 3 and Figure 3: correlations over treebanks", text, Table(columns, tuple(cells)))


def _variances(rows: Rows) -> StudySection:
    measured = measured_rows(rows)
    names = ("LAS", "WLAS", "C prec", "C rec")
    if len(measured) < 2:
        return StudySection("Figure 5: cumulative variance", ("Fewer than two treebanks have outputs.",))
    variances_by_name = {name: variances(measured, name) for name in names}
    cells = tuple((k + 2, *(float(variances_by_name[name][k]) for name in names)) for k in range(len(measured) - 1))
    text = ("Variance over the best 2, 3, ... treebanks by each measure, times 10,000.",)
    scaled = tuple((row[0], *(10_000 * value for value in row[1:])) for row in cells)
    drawn = {name: [(float(row[0]), row[i]) for row in scaled] for i, name in enumerate(names, 1)}
    figure = curves("Cumulative variance", drawn, "treebanks", "variance, times 10,000")
    return StudySection(
        "Figure 5: cumulative variance", text, Table(number_columns("treebanks", *names), scaled), figure
    )


def _human_agreement(request: StudyRequest, weights: Mapping[str, float]) -> dict[str, dict[str, float | None]]:
    """The correlations of four measures with human judgments, by language."""
    folder = request.judgements
    if folder is None:
        return {}
    codes = [code for code in ("en", "de", "es") if (folder / code).is_dir()]
    files = ("gold.conll", "parser1.conll", "parser2.conll", "prediction")
    tasks = [
        StudyTask(code, human_agreement, tuple(folder / code / name for name in files), (dict(weights),))
        for code in codes
    ]
    return run_tasks(NAME, tasks, request)


def _agreement_table(agreement: Mapping[str, Mapping[str, Any]], numbers: Mapping[str, Any]) -> StudySection:
    title = "Table 4: correlation with human judgments"
    if not agreement:
        return StudySection(title, ("No judgments were given.",))
    cells = [
        (code, name, value, agreement[code].get(name))
        for code, row in numbers["table_4"].items()
        if code in agreement
        for name, value in row.items()
    ]
    columns = (Column("language", "text"), Column("measure", "text"), *number_columns("printed", "ours"))
    return StudySection(title, (), Table(columns, tuple(cells)))


def _cascading(rows: Rows, numbers: Mapping[str, Any]) -> StudySection:
    columns = (
        Column("treebank", "text"),
        *number_columns(*(head for name in CASCADING for head in (f"{name} printed", name))),
    )
    cells = []
    for code, row in measured_rows(rows).items():
        published = numbers["table_5"].get(code, {})
        cells.append((code, *(cell for name in CASCADING for cell in (published.get(name), row[name]))))
    text = ("The share of wrong arcs whose predicted head is itself attached correctly.",)
    return StudySection("Table 5: cascading errors", text, Table(columns, tuple(cells)))
