"""Callin: content and function relations, WLAS, and what they correlate with, over treebanks of UD 1.2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    claims_on_people,
    claims_on_scores,
    claims_on_treebanks,
)
from levelhead.studies.callin.measures import (
    CASCADING,
    MEASURES,
    NAME,
    SCHEME,
    Rows,
    agree,
    column_of,
    describe,
    measured_outputs,
    measured_rows,
    variances,
)
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
"""How the claim begins that the page opens with."""


def reproduce(request: StudyRequest) -> Study:
    """Run the study.

    Args:
        request: treebanks of UD 1.2; outputs by language; `judgements` with folders `en` and `es`; `weights`, a file
            with his averaged entropies, instead of those of the given treebanks.

    Raises:
        InputError: a file is not valid.
    """
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
    people = _judgements(request, averaged)
    sections = (
        _sizes(rows, numbers), _classes(numbers), _entropies(averaged, over, request), _scores(rows),
        _correlations(rows, numbers), _variances(rows), *_agreement(people, numbers), _cascading(rows, numbers),
    )  # fmt: skip
    claims = (
        *claims_on_treebanks(rows, treebanks, numbers), claim_on_classes(numbers),
        claim_on_entropies(averaged, known, over),
        *claims_on_scores(rows, request), *claims_on_correlations(rows, request),
        *claims_on_people(people), *claims_on_cascading(rows, numbers, given=given),
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
    origin = "given" if request.systems else "by our arc-eager parser"
    return (
        f"{len(treebanks)} treebanks; parser outputs, {origin}, for {len(outputs)}: {', '.join(outputs) or 'none'}.",
        (
            f"Training sets are available for {len(trained)} ({', '.join(trained) or 'none'}); elsewhere the type/token"
            f" ratio is that of the development set{_without_training(treebanks)}, and the sizes and shares of"
            " non-projective trees are those of the available parts."
        ),
        (
            "The paper speaks of 22 languages listed in its Table 1; the table has 20. Classes are those of his"
            " program, whose numbers the paper prints (`list` is content there, other in the text)."
        ),
    )


def _without_training(treebanks: Mapping[str, Parts]) -> str:
    """Which treebanks have neither a training set nor a development set."""
    neither = [code for code, parts in treebanks.items() if parts.train is None and parts.dev is None]
    return f" (of the test set, for want of one: {', '.join(neither)})" if neither else ""


def _numbers(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, "number") for name in names)


def _sizes(rows: Rows, numbers: Mapping[str, Any]) -> StudySection:
    columns = (Column("treebank", "text"), *_numbers("tokens, printed (K)", "tokens (K)"),
               *_numbers("non-projective, printed", "by his rule", "true"))  # fmt: skip
    cells = []
    for code, row in rows.items():
        theirs = numbers["table_1"].get(code, {})
        cells.append((code, theirs.get("tokens"), row["tokens"] / 1000, theirs.get("nonprojective"),
                      row["right_crossed_trees"], row["nonprojective_trees"]))  # fmt: skip
    text = (
        (
            "His program looks only at arcs whose head is to the right, so that true shares are higher. Tokens are cut"
            " to thousands in the paper."
        ),
    )
    return StudySection("Table 1: sizes and non-projective trees", text, Table(columns, tuple(cells)))


def _classes(numbers: Mapping[str, Any]) -> StudySection:
    printed_classes: dict[str, list[str]] = {}
    for name, members in numbers["table_2"].items():
        for relation in members.split():
            printed_classes.setdefault(relation, []).append(name)
    names = ("relation", "printed", "his program (scheme callin-code)", "his text (scheme callin)")
    cells = tuple(
        (text, " and ".join(theirs), SCHEMES[SCHEME].class_of(text), SCHEMES["callin"].class_of(text))
        for text, theirs in sorted(printed_classes.items())
    )
    return StudySection(
        "Table 2: classes of relations", (), Table(tuple(Column(name, "text") for name in names), cells)
    )


def _averaged_over(n: int, trained: int) -> str:
    return f"{n} training sets" if n == trained else f"{n} treebanks, {trained} of them with a training set"


def _entropies(averaged: Mapping[str, float], over: str, request: StudyRequest) -> StudySection:
    classes = SCHEMES[SCHEME]
    cells = tuple((relation, classes.class_of(relation), value) for relation, value in averaged.items())
    table = Table((Column("relation", "text"), Column("class", "text"), *_numbers("averaged WDE")), cells)
    averages = (
        f"Averaged over {over}; 0.5 where a treebank lacks a relation." if over else "There are no training sets."
    )
    text = ("From the file given." if request.weights else averages,)
    return StudySection("Figure 2: averaged word dependency entropy", text, table, _figure_2(averaged))


def _figure_2(averaged: Mapping[str, float]) -> Drawing | None:
    """A bar for each relation in the column of its class, lowest first."""
    order = sorted(averaged, key=averaged.__getitem__)
    classes = {text: SCHEMES[SCHEME].class_of(text) for text in order}
    kinds = {
        kind: [averaged[text] if classes[text] == kind else None for text in order]
        for kind in ("FUNCTION", "CONTENT", "OTHER")
    }
    return panels("Averaged word dependency entropy by relation", order, kinds, places=2) if order else None


def _scores(rows: Rows) -> StudySection:
    measured = {code: row for code, row in rows.items() if "LAS" in row}
    ordered = sorted(measured.items(), key=lambda item: -item[1]["LAS"])
    columns = (Column("treebank", "text"), *(Column(name) for name in MEASURES), Column("C freq"), Column("F freq"),
               Column("STTR", "number"))  # fmt: skip
    cells = tuple(
        (code, *(row[name] for name in MEASURES), row["C freq"], row["F freq"], row["sttr"]) for code, row in ordered
    )
    text = ("The paper draws these numbers and does not print them. Sorted by LAS.",)
    title = "Figures 3 and 4: scores, frequencies, type/token ratios"
    return StudySection(title, text, Table(columns, cells), _figures_3_and_4(dict(ordered)))


def _figures_3_and_4(rows: Rows) -> Drawing | None:
    names = {"STTR": "sttr", "C freq": "C freq", "F freq": "F freq", "LAS": "LAS", "WLAS": "WLAS", "C prec": "C prec"}
    values = {head: [row[name] for row in rows.values()] for head, name in names.items()}
    return panels("Scores, frequencies and type/token ratios", list(rows), values, places=2) if rows else None


def _pairs(numbers: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    table = numbers["table_3"]
    upper = [value for row in table["rows"] for value in row]
    return dict(zip(combinations(table["columns"], 2), upper))


def _correlations(rows: Rows, numbers: Mapping[str, Any]) -> StudySection:
    measured = measured_rows(rows)
    columns = (Column("x", "text"), Column("y", "text"), *_numbers("r, printed", "r"), Column("p", "probability"))
    cells = []
    for (x, y), theirs in _pairs(numbers).items():
        r, p, _ = pearson(zip(column_of(measured, x), column_of(measured, y)))
        cells.append((x, y, theirs, r, p))
    for name, theirs in numbers["figure_3"].items():
        r, p, _ = pearson(zip(column_of(rows, "sttr"), column_of(rows, name)))
        cells.append(("STTR", name, theirs, r, p))
    text = (
        (
            f"Pearson's correlations over {len(measured)} treebanks with outputs (his: 20), those with STTR over"
            f" {len(rows)}; p is two-sided, by Student's t, uncorrected."
        ),
    )
    return StudySection("Table 3 and Figure 3: correlations over treebanks", text, Table(columns, tuple(cells)))


def _variances(rows: Rows) -> StudySection:
    measured = measured_rows(rows)
    names = ("LAS", "WLAS", "C prec", "C rec")
    if len(measured) < 2:
        return StudySection("Figure 5: cumulative variance", ("Fewer than two treebanks have outputs.",))
    found = {name: variances(measured, name) for name in names}
    cells = tuple((k + 2, *(float(found[name][k]) for name in names)) for k in range(len(measured) - 1))
    text = ("Variance of the best 2, 3, ... treebanks, each measure in its own order; times 10,000.",)
    scaled = tuple((row[0], *(10_000 * value for value in row[1:])) for row in cells)
    drawn = {name: [(float(row[0]), row[i]) for row in scaled] for i, name in enumerate(names, 1)}
    figure = curves("Cumulative variance", drawn, "treebanks", "variance, times 10,000")
    return StudySection("Figure 5: cumulative variance", text, Table(_numbers("treebanks", *names), scaled), figure)


def _judgements(request: StudyRequest, weights: Mapping[str, float]) -> dict[str, dict[str, float | None]]:
    """How well his four measures agree with people, by language."""
    folder = request.judgements
    if folder is None:
        return {}
    codes = [code for code in ("en", "de", "es") if (folder / code).is_dir()]
    files = ("gold.conll", "parser1.conll", "parser2.conll", "prediction")
    tasks = [StudyTask(code, agree, tuple(folder / code / name for name in files), (dict(weights),)) for code in codes]
    return run_tasks(NAME, tasks, request)


def _agreement(people: Mapping[str, Mapping[str, Any]], numbers: Mapping[str, Any]) -> Sequence[StudySection]:
    title = "Table 4: correlation with human judgements"
    if not people:
        return (StudySection(title, ("No judgements were given.",)),)
    cells = [
        (code, name, theirs.get(name), people[code].get(name))
        for code, theirs in numbers["table_4"].items()
        if code in people
        for name in theirs
    ]
    columns = (Column("language", "text"), Column("measure", "text"), *_numbers("printed", "ours"))
    return (StudySection(title, (), Table(columns, tuple(cells))),)


def _cascading(rows: Rows, numbers: Mapping[str, Any]) -> StudySection:
    columns = (Column("treebank", "text"), *(_c for n in CASCADING for _c in _numbers(f"{n} printed", n)))
    cells = []
    for code, row in measured_rows(rows).items():
        theirs = numbers["table_5"].get(code, {})
        cells.append((code, *(cell for name in CASCADING for cell in (theirs.get(name), row[name]))))
    text = ("The share of wrong arcs whose head, in the output, is attached right itself.",)
    return StudySection("Table 5: cascading errors", text, Table(columns, tuple(cells)))
