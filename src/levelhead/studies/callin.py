"""Callin: scores of content and function relations, WLAS, and their correlations over the treebanks of UD 1.2."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from levelhead.analysis.confusion import cascading_errors
from levelhead.campaign import check_valid
from levelhead.campaign.outputs import Output
from levelhead.comparison.judgment import judge, read_choices
from levelhead.correlation.coefficients import cumulative_variance
from levelhead.correlation.human_agreement import preferences
from levelhead.errors import number_of
from levelhead.evaluation.setup import setup_of
from levelhead.report.charts.page_charts import panels
from levelhead.report.charts.point_charts import curves
from levelhead.scoring.selection import read_weights, weights_of
from levelhead.studies import verdicts
from levelhead.studies.measures_2018 import LOG_ODDS, OF_ERROR, OF_SCORE, SCALES
from levelhead.studies.request import Parts, StudyRequest, outputs_of, parts_of, read_treebank, run_tasks, score_files
from levelhead.studies.study import Claim, Study, StudySection, claim_on_all, columns, printed, table_section
from levelhead.treebank.relations import SCHEMES, UD1
from levelhead.typology import CALLIN_CHUNKS, averaged_entropy, count_treebank, profile

NAME = "callin"
PRINTED = printed(NAME)
SCHEME = "callin-code"
class_of = SCHEMES[SCHEME].class_of
# the columns of the paper's tables, and their measures
MEASURES = {
    "WLAS": "CallinWLAS(wde,default=0.5)",
    "LAS": "LAS(nopunct=callin)",
    "C prec": f"LAS@{SCHEME}:CONTENT.precision",
    "C rec": f"LAS@{SCHEME}:CONTENT.recall",
    "F prec": f"LAS@{SCHEME}:FUNCTION.precision",
    "F rec": f"LAS@{SCHEME}:FUNCTION.recall",
}

# the columns of Table 5: the class, and whether an arc also needs the right relation to be correct
CASCADING = {
    "C lab.": ("CONTENT", True), "C unlab.": ("CONTENT", False),
    "F lab.": ("FUNCTION", True), "F unlab.": ("FUNCTION", False),
}  # fmt: skip

Row = Mapping[str, Any]
Rows = Mapping[str, Row]

FEWEST_TRAINING_SETS = 10  # for averaged entropies, since a relation missing from a training set counts 0.5


def reproduce(request: StudyRequest) -> Study:
    treebanks = parts_of(request, PRINTED["languages"])
    files = {
        code: (parts.training, *(path for path in parts.files if path != parts.tested), parts.tested)
        for code, parts in treebanks.items()
    }
    described = run_tasks(NAME, describe, files, request)
    entropies = [row["wde"] for code, row in described.items() if treebanks[code].train or request.quick]
    averaged = averaged_entropy(entropies, UD1) if entropies else {}
    n_averaged = len(entropies)
    if request.weights is not None:
        averaged, n_averaged = dict(read_weights(request.weights).values), 0
    outputs = outputs_of(request, "arc-eager", treebanks)
    golds = {code: treebanks[code].tested for code in outputs}
    setup = setup_of(MEASURES.values(), weights={"wde": weights_of(averaged)})
    scored = check_valid(score_files(golds, {NAME: outputs}, setup, request, look=cascading))
    scores = {code: scored.results[NAME, code].scores for code in golds}
    rows = {
        code: row | {name: scores[code][text].value for name, text in zip(MEASURES, setup.names)} | scored.looked[code]
        for code, row in described.items()
        if code in scores
    }
    trained = sum(parts.train is not None for parts in treebanks.values())
    over = number_of(n_averaged, "training set") if n_averaged else ""
    if n_averaged and n_averaged != trained:
        over = f"{number_of(n_averaged, 'treebank')}, {trained} with a training set"
    agreement: dict[str, dict[str, Any]] = {}
    if (people := request.judgments) is not None:
        names = ("gold.conll", "parser1.conll", "parser2.conll", "prediction")
        judged = {
            code: (*(people / code / name for name in names), dict(averaged))
            for code in ("en", "de", "es")
            if (people / code).is_dir()
        }
        agreement = run_tasks(NAME, human_agreement, judged, request)
    sections = (
        *_tables_of_treebanks(described, averaged, over, request),
        *_tables_of_scores(described, rows, agreement),
    )
    claims = (
        *claims_on_correlations(rows), *claims_on_scores(rows), *_claims_on_treebanks(described, treebanks),
        claim_on_entropies(averaged, n_averaged, over), *claims_on_judgments(agreement),
        *claims_on_printed_numbers(rows, request),
    )  # fmt: skip
    signature = {"scheme": SCHEME, "weights": "file" if request.weights else over or "none"}
    setting = _setting(treebanks, outputs, request)
    return Study(NAME, PRINTED["title"], PRINTED["source"], setting, sections, claims, signature)


def _setting(treebanks: Mapping[str, Parts], outputs: Mapping[str, Path], request: StudyRequest) -> tuple[str, ...]:
    trained = [code for code, parts in treebanks.items() if parts.train]
    neither = [code for code, parts in treebanks.items() if parts.train is None and parts.dev is None]
    without = f" (from the test set if there is none: {', '.join(neither)})" if neither else ""
    origin = "the given parser outputs" if request.systems else "outputs of our arc-eager parser"
    return (
        f"{number_of(len(treebanks), 'treebank')}, {len(outputs)} of them with {origin}.",
        (
            f"Training sets are available for {len(trained)} ({', '.join(trained) or 'none'}). For the others, we"
            f" use the type/token ratio of the development set{without}. Table 1 counts the available parts."
        ),
        (
            "We use the classes of Callin's program, which produced the printed numbers. In it, `list` is a content"
            " relation; in the paper, its class is other."
        ),
    )


def describe(training: Path, *parts: Path) -> dict[str, Any]:
    """Return the profile of a treebank: Table 1, class frequencies, type/token ratio and word dependency entropies."""
    counts = [count_treebank(read_treebank(path)) for path in parts]
    whole = profile(sum(counts[1:], counts[0]), columns=["tokens", "nonprojective_trees", "right_crossed_trees"])
    classes = profile(counts[-1], columns=["class"], scheme=SCHEME).numbers("class")
    vocabulary = profile(count_treebank(read_treebank(training), CALLIN_CHUNKS), columns=["wde", "sttr"])
    frequencies = {"C freq": classes["CONTENT"], "F freq": classes["FUNCTION"]}
    return {**whole.values_by_name, **vocabulary.values_by_name, **frequencies}


def cascading(_code: str, outputs: Sequence[Output]) -> dict[str, float | None]:
    errors = cascading_errors(outputs[0].matches, SCHEMES[SCHEME])
    ratios = {
        (error.name, error.labeled): error.parent_correct / error.wrong if error.wrong else None for error in errors
    }
    return {name: ratios[key] for name, key in CASCADING.items()}


def human_agreement(
    gold: Path, first: Path, second: Path, choices: Path, weights: Mapping[str, float]
) -> dict[str, Any]:
    correlations: dict[str, float | None] = {}
    preferred = dict[str, verdicts.Numbers]()
    votes = read_choices(choices)
    for apart, chosen in ((True, ("C prec", "C rec")), (False, ("LAS", "WLAS"))):
        measures = [MEASURES[name] for name in chosen]
        setup = setup_of(measures, format="conllx", weights={"wde": weights_of(weights)})
        result = judge(gold, first, second, votes, setup, subtypes_apart=apart)
        for name, judged in zip(chosen, result.measures.values()):
            correlations[name] = judged.agreement.correlation.value
            preferred[name] = preferences(*judged.scores).second
    changes = {
        f"{name} minus {other}": verdicts.correlation_change(
            np.stack([preferred[name], preferred[other], votes.second], axis=1)
        )
        for name in ("C prec", "C rec")
        for other in ("LAS", "WLAS")
    }
    return correlations | changes


# the classes of each relation in Table 2
_CLASSES = {
    relation: [name for name, names in PRINTED["table_2"].items() if relation in names.split()]
    for relation in sorted(set(" ".join(PRINTED["table_2"].values()).split()))
}


def _tables_of_treebanks(
    described: Rows, averaged: Mapping[str, float], over: str, request: StudyRequest
) -> Iterator[StudySection]:
    in_print = {code: PRINTED["table_1"].get(code, {}) for code in described}
    names = ("tokens (K), printed", "tokens (K)", "non-projective, printed", "by the paper's rule", "true")
    yield table_section(
        "Table 1: sizes and non-projective trees",
        columns(text="treebank", number=names),
        [
            (code, in_print[code].get("tokens"), row["tokens"] / 1000, in_print[code].get("nonprojective"),
             row["right_crossed_trees"] / 100, row["nonprojective_trees"] / 100)
            for code, row in described.items()
        ],
        "Callin's program only checks arcs whose head is to the right, so the true shares are higher.",
    )  # fmt: skip
    yield table_section(
        "Table 2: classes of relations",
        columns(text=("relation", "printed", "program (scheme callin-code)", "text (scheme callin)")),
        [
            (relation, " and ".join(classes), class_of(relation), SCHEMES["callin"].class_of(relation))
            for relation, classes in _CLASSES.items()
        ],
    )
    order = sorted(averaged, key=averaged.__getitem__)
    bars = {
        kind: [averaged[relation] if class_of(relation) == kind else None for relation in order]
        for kind in ("FUNCTION", "CONTENT", "OTHER")
    }
    source = f"Averaged over {over}; 0.5 where a treebank lacks a relation." if over else "There are no training sets."
    yield table_section(
        "Figure 2: averaged word dependency entropy",
        columns(text=("relation", "class"), number="averaged WDE"),
        [(relation, class_of(relation), value) for relation, value in averaged.items()],
        "The entropies are from the given file of weights." if request.weights else source,
        figure=panels("Averaged word dependency entropy by relation", order, bars, places=2) if order else None,
    )


def _tables_of_scores(described: Rows, rows: Rows, agreement: Rows) -> Iterator[StudySection]:
    ordered = dict(sorted(rows.items(), key=lambda item: -item[1]["LAS"]))
    shares = (*MEASURES, "C freq", "F freq")
    drawn = {name: column_of(ordered, name) for name in ("STTR", "C freq", "F freq", "LAS", "WLAS", "C prec")}
    drawn |= {name: [value and value / 100 for value in drawn[name]] for name in [*drawn][1:]}
    yield table_section(
        "Figures 3 and 4: scores, frequencies, type/token ratios",
        columns(text="treebank", percent=shares, number="STTR"),
        [(code, *(row[name] for name in shares), row["sttr"]) for code, row in ordered.items()],
        "Sorted by LAS. The paper shows these numbers only in figures.",
        figure=panels("Scores, frequencies and type/token ratios", list(ordered), drawn, places=2) if ordered else None,
    )
    upper = [value for row in PRINTED["table_3"]["rows"] for value in row]  # only this triangle is printed
    pairs = [(*pair, r, rows) for pair, r in zip(combinations(PRINTED["table_3"]["columns"], 2), upper)]
    pairs += [("STTR", name, r, described) for name, r in PRINTED["figure_3"].items()]
    yield table_section(
        "Table 3 and Figure 3: correlations over treebanks",
        columns(text=("x", "y"), number=("r, printed", "r", "95% CI from", "95% CI to")),
        [
            (x, y, r, *(ours[:3] if ours else [None] * 3))
            for x, y, r, among in pairs
            for ours in [_correlated(among, x, y)]
        ],
        f"Pearson's correlations over {len(rows)} treebanks with outputs (20 in the paper), or over {len(described)}"
        " for the standardized type/token ratio (STTR).",
    )
    if len(rows) < 2:
        yield StudySection("Figure 5: cumulative variance", ("Fewer than two treebanks have outputs.",))
    else:
        variances = {
            name: cumulative_variance(tuple(rows), np.array(column_of(rows, name), float)).variances.tolist()
            for name in ("LAS", "WLAS", "C prec", "C rec")
        }
        lines = {name: [(float(k), value) for k, value in enumerate(line, 2)] for name, line in variances.items()}
        yield table_section(
            "Figure 5: cumulative variance",
            columns(number=("treebanks", *variances)),
            [(k, *row) for k, row in enumerate(zip(*variances.values()), 2)],
            "The variance of the 2, 3, ... highest scores by each measure, times 10,000.",
            figure=curves("Cumulative variance", lines, "treebanks", "variance, times 10,000"),
        )
    judged = {code: row for code, row in PRINTED["table_4"].items() if code in agreement}
    kinds = columns(text=("language", "measure"), number=("printed", "ours"))
    cells = [(code, name, r, agreement[code].get(name)) for code, row in judged.items() for name, r in row.items()]
    title = "Table 4: correlation with human judgments"
    about = f"Languages without judgments: {', '.join(sorted(PRINTED['table_4'].keys() - judged.keys())) or 'none'}."
    yield table_section(title, kinds, cells, about) if agreement else StudySection(title, ("No judgments were given.",))
    yield table_section(
        "Table 5: cascading errors",
        columns(text="treebank", number=[head for name in CASCADING for head in (f"{name} printed", name)]),
        [
            (code, *(cell for name in CASCADING for cell in (PRINTED["table_5"].get(code, {}).get(name), row[name])))
            for code, row in rows.items()
        ],
        "The share of wrong arcs whose predicted head is itself attached correctly.",
    )


def column_of(rows: Rows, name: str) -> list[float | None]:
    """Return a column of the rows, by its name in the paper; None for a missing number."""
    return [row.get("sttr" if name == "STTR" else name) for row in rows.values()]


def _correlated(rows: Rows, x: str, y: str) -> verdicts.Effect | None:
    return verdicts.correlation(dict(zip(rows, zip(column_of(rows, x), column_of(rows, y)))))[0]


MOST_NONPROJECTIVE = 25  # the claimed limit of the share of non-projective trees, in percent


def _claims_on_treebanks(rows: Rows, treebanks: Mapping[str, Parts]) -> Iterator[Claim]:
    in_print = PRINTED["table_1"]
    whole = [code for code, parts in treebanks.items() if len(parts.files) == 3 and code in in_print]
    few = {code: rows[code]["nonprojective_trees"] < MOST_NONPROJECTIVE for code in whole}
    most = max(whole, key=lambda code: rows[code]["nonprojective_trees"], default=None)
    found = "" if most is None else f"; {most} has {rows[most]['nonprojective_trees']:.1f}%"
    found += "" if most is None else f" ({rows[most]['right_crossed_trees']:.1f}% by the paper's rule)"
    yield claim_on_all("Fewer than 25% of the trees of each treebank are non-projective", "section 3", few, found)
    by_rule = {
        code: verdicts.agrees(rows[code]["right_crossed_trees"], 100 * in_print[code]["nonprojective"], 0)
        for code in whole
    }
    yield claim_on_all(
        "The shares of non-projective trees by the paper's rule are as printed", "Table 1", by_rule,
        " treebanks with all three parts", before="equal to two decimals: ",
    )  # fmt: skip
    content, function = (_correlated(rows, "STTR", name) for name in ("C freq", "F freq"))
    yield Claim("The share of function relations falls with the type/token ratio", "Figure 3",
                verdicts.verdict_of_effects((function, -1)),
                f"r {verdicts.estimate_shown(function)}, {number_of(len(rows), 'language')}, printed -0.52;"
                f" content relations {verdicts.estimate_shown(content)}, printed 0.23")  # fmt: skip
    differing = [relation for relation, names in _CLASSES.items() if {class_of(relation)} != {*names}]
    twice = [relation for relation, names in _CLASSES.items() if len(names) > 1]
    yield Claim("Each relation is in only one class of Table 2", "Table 2", verdicts.verdict_of_fact(not twice),
                f"two classes for {', '.join(twice) or 'none'} ({sum(map(len, _CLASSES.values()))} entries in all);"
                f" {SCHEME} has other classes for {', '.join(differing) or 'none'}")  # fmt: skip


def claim_on_entropies(averaged: Mapping[str, float], n: int, over: str) -> Claim:
    functions, contents = (
        [value for relation, value in averaged.items() if class_of(relation) == name]
        for name in ("FUNCTION", "CONTENT")
    )
    highest, lowest = max(functions, default=None), min(contents, default=None)
    few = 0 < n < FEWEST_TRAINING_SETS
    apart = None if highest is None or lowest is None or few else highest < lowest
    source = over or ("from the given file" if averaged else "no training sets")
    needed = f"; at least {FEWEST_TRAINING_SETS} training sets are needed" if few else ""
    return Claim(
        "All function relations have a lower word dependency entropy than all content relations", "Figure 2",
        verdicts.verdict_of_fact(apart), f"highest function relation {verdicts.shown(highest, 3)}, lowest content"
        f" relation {verdicts.shown(lowest, 3)}; {source}{needed}",
    )  # fmt: skip


def claims_on_scores(rows: Rows) -> Iterator[Claim]:
    higher = {code: row["LAS"] > row["WLAS"] for code, row in rows.items()}
    yield claim_on_all("LAS is higher than WLAS for every language", "section 6", higher)
    lower = {code: max(row["C prec"], row["C rec"]) < row["LAS"] for code, row in rows.items()}
    yield claim_on_all("Content precision and recall are lower than LAS for every language", "section 6", lower)
    n = len(rows)
    for text, best in (
        ("WLAS varies less than LAS over the best languages", n // 2),
        ("WLAS and LAS vary equally over all languages", n),
    ):
        changes = {scale: relative_change(rows, best, scale) for scale in SCALES}
        equal = best == n
        verdict = verdicts.agreed_verdict(
            verdicts.verdict_of_equality(change) if equal else verdicts.verdict_of_effects((change, -1))
            for change in changes.values()
        )
        evidence = ", ".join(f"{verdicts.estimate_shown(change)} {scale}" for scale, change in changes.items())
        yield Claim(text, "section 6, Figure 5", verdict,
                    f"the variance of WLAS over that of LAS, minus 1, best {best} of {n}: {evidence}"
                    + (f"; equal means within {verdicts.MARGIN}" if equal else ""))  # fmt: skip


def relative_change(rows: Rows, best: int, scale: str) -> verdicts.Effect | None:
    """Return the variance of WLAS over that of LAS, minus 1, over the best treebanks by each; tested as a logarithm."""
    scores = verdicts.by_language({code: (row["LAS"] / 100, row["WLAS"] / 100) for code, row in rows.items()})

    @np.errstate(divide="ignore", invalid="ignore")
    def log_ratio(numbers: verdicts.RowNumbers) -> float:
        chosen = np.sort(scores[numbers], axis=0)[-best:]
        mean = chosen.mean(axis=0)
        values = np.log(chosen / (1 - chosen)) if scale == LOG_ODDS else chosen
        variance = values.var(axis=0, ddof=1) / {OF_SCORE: mean**2, OF_ERROR: (1 - mean) ** 2}.get(scale, 1.0)
        return float(np.log(variance[1] / variance[0]))

    found = verdicts.jackknifed(log_ratio, len(scores))
    return found and found.mapped(math.expm1)


def claims_on_correlations(rows: Rows) -> list[Claim]:
    over = number_of(len(rows), "language")
    correlations = {name: _correlated(rows, name, "F freq") for name in MEASURES}
    steps = {
        f"{names[0]} minus {' or '.join(names[1:])}": verdicts.correlation_change(
            verdicts.by_language({code: [row[name] for name in (*names, "F freq")] for code, row in rows.items()})
        )
        for names in (("LAS", "WLAS"), ("WLAS", "C prec", "C rec"))
    }
    return [
        Claim("Scores rise with the share of function relations", "Table 3, section 7, conclusion",
              verdicts.verdict_of_effects(*((r, 1) for r in correlations.values())),
              f"r {verdicts.effects_shown(correlations)}; {over}"),
        Claim("LAS correlates most with the share of function relations, then WLAS, then content precision and recall",
              "section 7", verdicts.verdict_of_effects(*((effect, 1) for effect in steps.values())),
              f"differences of r: {verdicts.effects_shown(steps)}; {over}"),
        Claim("Function words are parsed better in treebanks that have more of them", "section 7",
              verdicts.verdict_of_effects((correlations["F prec"], 1)),
              f"r {verdicts.estimate_shown(correlations['F prec'])}; printed 0.71"),
    ]  # fmt: skip


def claims_on_judgments(agreement: Rows) -> Iterator[Claim]:
    in_print = {(code, name): r for code, row in PRINTED["table_4"].items() for name, r in row.items()}
    equal = {
        f"{code} {name}": verdicts.agrees(agreement.get(code, {}).get(name), r) for (code, name), r in in_print.items()
    }
    missing = ", ".join(code for code in PRINTED["table_4"] if code not in agreement) or "none"
    yield claim_on_all("The correlations of Table 4 are as printed", "Table 4", equal, f"; no judgments of: {missing}")
    less = {
        f"{code} {name}": effect and verdicts.Effect(*effect)
        for code, row in agreement.items()
        for name, effect in row.items()
        if " minus " in name and (code, name.partition(" minus ")[0]) != ("en", "C rec")
    }
    yield Claim("Content precision and recall agree less with people than LAS and WLAS do, except recall in English",
                "Table 4", verdicts.verdict_of_effects(*((effect, -1) for effect in less.values())),
                "differences of r over sentences: "
                + (verdicts.effects_shown(less) or "none")
                + f"; no judgments of: {missing}")  # fmt: skip


def claims_on_printed_numbers(rows: Rows, request: StudyRequest) -> Iterator[Claim]:
    in_print = PRINTED["table_5"]
    given = request.systems is not None
    equal = {
        f"{code} {name}": verdicts.agrees(row[name], in_print.get(code, {}).get(name)) if given else None
        for code, row in rows.items()
        for name in CASCADING
    }
    yield claim_on_all("The ratios of Table 5 are as printed", "Table 5", equal)
    for kind, name in (("labeled", "lab."), ("unlabeled", "unlab.")):
        text = (
            f"In all languages, heads of wrong function arcs are wrong more often than of wrong content arcs ({kind})"
        )
        lower, ours = (
            {code: None if None in pair else pair[0] < pair[1] for code, pair in pairs.items()}
            for pairs in (
                {code: (row[f"F {name}"], row[f"C {name}"]) for code, row in table.items()}
                for table in (in_print, rows)
            )
        )
        yield claim_on_all(text, "Table 5", lower, f" in the printed table; ours {verdicts.count_of_true(ours)}")
    text, place = "Scores and frequencies equal those of Callin's program to six decimals", "Callin's program"
    equal = {
        f"{code} {name}": verdicts.agrees(row[name], 100 * number, 4)
        for code, row in rows.items()
        for name, number in PRINTED["program"].get(code, {}).items()
    }
    if given and request.weights is not None and equal:
        yield claim_on_all(text, place, equal)
    else:
        yield Claim(text, place, "no data", "requires Callin's outputs and weights")
