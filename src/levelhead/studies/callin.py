"""Callin: content and function relations, WLAS, and what they go with, over treebanks of UD 1.2."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from levelhead.analysis import cascading_errors
from levelhead.correlation import cumulative_variance
from levelhead.correlation.coefficients import correlations
from levelhead.evaluation import load_pair, measures_for, score_treebanks
from levelhead.report.table import Column, Table
from levelhead.scoring.matches import match
from levelhead.scoring.rules import RULES
from levelhead.scoring.weights import Weights, read_weights
from levelhead.studies.numbers import agrees, counted, pearson, shown
from levelhead.studies.parses import outputs_of
from levelhead.studies.parts import Parts, format_of, parts_of
from levelhead.studies.printed_numbers import printed
from levelhead.studies.request import Request, Task, done, signature
from levelhead.studies.study import Claim, Section, Study, judged
from levelhead.treebank import read
from levelhead.treebank.relations import UD1
from levelhead.treebank.schemes import SCHEMES
from levelhead.typology import averaged_entropy, count, profile
from levelhead.typology.lexical import CALLIN_CHUNKS

NAME = "callin"
SCHEME = "callin-code"
MEASURES = {
    "WLAS": "CallinWLAS(wde,default=0.5)",
    "LAS": "LAS(nopunct=callin)",
    "C prec": f"LAS@{SCHEME}:CONTENT.precision",
    "C rec": f"LAS@{SCHEME}:CONTENT.recall",
    "F prec": f"LAS@{SCHEME}:FUNCTION.precision",
    "F rec": f"LAS@{SCHEME}:FUNCTION.recall",
}
"""His columns, and the measures that are them."""

CASCADING = {
    "C lab.": ("CONTENT", True), "C unlab.": ("CONTENT", False),
    "F lab.": ("FUNCTION", True), "F unlab.": ("FUNCTION", False),
}  # fmt: skip
"""The columns of his Table 5: the class, and whether arcs must have the right relation."""

LEVEL, CLEAR, FEWEST = 0.05, 0.95, 10

Row = Mapping[str, Any]
Rows = Mapping[str, Row]


def describe(training: str, *parts: str) -> dict[str, Any]:
    """Return what a treebank is like: his Table 1, frequencies, type/token ratio, word dependency entropies.

    Args:
        training: the path from which entropies and the type/token ratio are taken.
        parts: the paths of all parts, the one that frequencies are taken from last.
    """
    counts = [count(read(path, format=format_of(path))) for path in parts]
    total = sum(counts[1:], counts[0])
    whole = profile(total, columns=["tokens", "nonprojective_trees", "right_crossed_trees"])
    classes = profile(counts[-1], columns=["class"], scheme=SCHEME).numbers("class")
    lexical = count(read(training, format=format_of(training)), CALLIN_CHUNKS)
    vocabulary = profile(lexical, columns=["wde", "sttr"])
    return {
        **whole.values_by_name, **vocabulary.values_by_name,
        "C freq": classes["CONTENT"], "F freq": classes["FUNCTION"],
    }  # fmt: skip


def measure(gold: str, system: str, weights: Mapping[str, float]) -> dict[str, Any]:
    """Return his measures of an output, and the ratios of his Table 5.

    Args:
        gold: the path of the test set.
        system: the path of the output.
        weights: the weight of each relation for WLAS.
    """
    rules = RULES["ud"]
    pair = load_pair(gold, system, rules, format_of(system), format_of(gold))
    table = Weights(weights, hashlib.sha256(repr(sorted(weights.items())).encode()).hexdigest())
    scores = score_treebanks(*pair, measures_for(rules, MEASURES.values()), rules, {"wde": table})
    found = cascading_errors(match(*pair, rules), SCHEMES[SCHEME])
    ratios = {(one.name, one.labelled): one.ratio for one in found}
    return {
        **{name: score.value for name, score in zip(MEASURES, scores.values())},
        **{name: ratios[key] for name, key in CASCADING.items()},
    }


def reproduce(request: Request) -> Study:
    """Run the study.

    Args:
        request: treebanks of UD 1.2; outputs by language; `judgements` with folders `en` and `es`; `weights`, a file
            with his averaged entropies, in place of those of the treebanks at hand.

    Raises:
        InputError: a file is not valid.
    """
    numbers = printed(NAME)
    treebanks = parts_of(request, numbers["languages"])
    described = done(NAME, [_description(parts) for parts in treebanks.values()], request)
    entropies = [row["wde"] for code, row in described.items() if treebanks[code].train or request.quick]
    averaged = averaged_entropy(entropies, UD1) if entropies else {}
    known = len(entropies)
    if request.weights is not None:
        averaged, known = dict(read_weights(request.weights).values), 0
    weights = averaged
    outputs = outputs_of(request, "arc-eager", treebanks)
    tasks = [Task(code, measure, (treebanks[code].tested, path), (weights,)) for code, path in outputs.items()]
    measured = done(NAME, tasks, request)
    rows = {code: {**described[code], **measured.get(code, {})} for code in described}
    people = _judgements(request, weights)
    sections = (
        _sizes(rows, numbers), _entropies(averaged, known), _scores(rows), _correlations(rows, numbers),
        _variances(rows), *_agreement(people, numbers), _cascading(rows, numbers),
    )  # fmt: skip
    claims = (
        *_claims_on_treebanks(rows, treebanks, numbers), _claim_on_entropies(averaged, known),
        *_claims_on_scores(rows), *_claims_on_correlations(rows, request),
        *_claims_on_people(people), *_claims_on_cascading(rows, numbers),
    )  # fmt: skip
    source = "file" if request.weights else f"{known} training sets"
    signed = signature(request, scheme=SCHEME, weights=source)
    setting = _setting(treebanks, outputs, request)
    return Study(NAME, numbers["title"], numbers["source"], setting, sections, claims, signed)


def _description(parts: Parts) -> Task:
    rest = [path for path in parts.files if path != parts.tested]
    return Task(parts.code, describe, (parts.training, *rest, parts.tested))


def _setting(treebanks: Mapping[str, Parts], outputs: Mapping[str, Path], request: Request) -> tuple[str, ...]:
    trained = [code for code, parts in treebanks.items() if parts.train]
    told = "given" if request.systems else "of our arc-eager parser"
    return (
        f"{len(treebanks)} treebanks; outputs of a parser, {told}, for {len(outputs)}: {', '.join(outputs) or 'none'}.",
        (
            f"Training sets are at hand for {len(trained)} ({', '.join(trained) or 'none'}); elsewhere the type/token"
            " ratio is that of the development set, and the sizes and shares of non-projective trees are those of the"
            " parts at hand."
        ),
        (
            "The paper speaks of 22 languages listed in its Table 1; the table has 20. Classes are those of his"
            " program, whose numbers the paper prints (`list` is content there, other in the text)."
        ),
    )


def _numbers(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, "number") for name in names)


def _sizes(rows: Rows, numbers: Mapping[str, Any]) -> Section:
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
    return Section("Table 1: sizes and non-projective trees", text, Table(columns, tuple(cells)))


def _entropies(averaged: Mapping[str, float], n: int) -> Section:
    classes = SCHEMES[SCHEME]
    cells = tuple((relation, classes.class_of(relation), value) for relation, value in averaged.items())
    table = Table((Column("relation", "text"), Column("class", "text"), *_numbers("averaged WDE")), cells)
    text = (
        f"Averaged over {n} training sets, 0.5 where a treebank lacks a relation." if n else "From the file given.",
    )
    return Section("Figure 2: averaged word dependency entropy", text, table)


def _scores(rows: Rows) -> Section:
    measured = {code: row for code, row in rows.items() if "LAS" in row}
    ordered = sorted(measured.items(), key=lambda item: -item[1]["LAS"])
    columns = (Column("treebank", "text"), *(Column(name) for name in MEASURES), Column("C freq"), Column("F freq"),
               Column("STTR", "number"))  # fmt: skip
    cells = tuple(
        (code, *(row[name] for name in MEASURES), row["C freq"], row["F freq"], row["sttr"]) for code, row in ordered
    )
    text = ("The paper draws these numbers and does not print them. Sorted by LAS.",)
    return Section("Figures 3 and 4: scores, frequencies, type/token ratios", text, Table(columns, cells))


def _columns(rows: Rows, name: str) -> list[float | None]:
    return [row.get(name) for row in rows.values()]


def _measured(rows: Rows) -> Rows:
    return {code: row for code, row in rows.items() if "LAS" in row}


def _pairs(numbers: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    table = numbers["table_3"]
    upper = [value for row in table["rows"] for value in row]
    return dict(zip(combinations(table["columns"], 2), upper))


def _correlations(rows: Rows, numbers: Mapping[str, Any]) -> Section:
    measured = _measured(rows)
    columns = (Column("x", "text"), Column("y", "text"), *_numbers("r, printed", "r"), Column("p", "probability"))
    cells = []
    for (x, y), theirs in _pairs(numbers).items():
        r, p, _ = pearson(zip(_columns(measured, x), _columns(measured, y)))
        cells.append((x, y, theirs, r, p))
    for name, theirs in numbers["figure_3"].items():
        r, p, _ = pearson(zip(_columns(rows, "sttr"), _columns(rows, name)))
        cells.append(("STTR", name, theirs, r, p))
    text = (
        (
            f"Pearson's correlations over {len(measured)} treebanks with outputs (his: 20), those with STTR over"
            f" {len(rows)}; p is two-sided, uncorrected."
        ),
    )
    return Section("Table 3 and Figure 3: correlations over treebanks", text, Table(columns, tuple(cells)))


def _variances(rows: Rows) -> Section:
    measured = _measured(rows)
    names = ("LAS", "WLAS", "C prec", "C rec")
    if len(measured) < 2:
        return Section("Figure 5: cumulative variance", ("Fewer than two treebanks have outputs.",))
    found = {name: _variance(measured, name) for name in names}
    cells = tuple((k + 2, *(float(found[name][k]) for name in names)) for k in range(len(measured) - 1))
    text = ("Variance of the best 2, 3, ... treebanks, each measure in its own order; times 10,000.",)
    scaled = tuple((row[0], *(10_000 * value for value in row[1:])) for row in cells)
    return Section("Figure 5: cumulative variance", text, Table(_numbers("treebanks", *names), scaled))


def _variance(rows: Rows, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    values = np.array([np.nan if value is None else value for value in _columns(rows, name)])
    return cumulative_variance(tuple(rows), values).variances


def _judgements(request: Request, weights: Mapping[str, float]) -> dict[str, dict[str, float | None]]:
    """How well his four measures agree with people, by language."""
    folder = request.judgements
    if folder is None:
        return {}
    codes = [code for code in ("en", "de", "es") if (folder / code).is_dir()]
    files = ("gold.conll", "parser1.conll", "parser2.conll", "prediction")
    tasks = [Task(code, agree, tuple(folder / code / name for name in files), (dict(weights),)) for code in codes]
    return done(NAME, tasks, request)


def agree(gold: str, first: str, second: str, choices: str, weights: Mapping[str, float]) -> dict[str, float | None]:
    """Return the correlations of his Table 4 for one language.

    Args:
        gold: the path of the gold trees.
        first: that of the first parser's.
        second: that of the second's.
        choices: that of the people's choices.
        weights: the weight of each relation for WLAS.
    """
    import tempfile

    from levelhead.judgement import judge

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wde"
        path.write_text("".join(f"{name}\t{value!r}\n" for name, value in weights.items()), encoding="utf-8")
        found: dict[str, float | None] = {}
        for apart, chosen in ((True, ("C prec", "C rec")), (False, ("LAS", "WLAS"))):
            texts = [MEASURES[name].replace("(wde,", f"({path},") for name in chosen]
            result = judge(
                gold, first, second, choices, measures=texts, format="conllx", subtypes_apart=apart, resamples=50
            )
            values = (one.agreement.correlation.value for one in result.measures.values())
            found |= dict(zip(chosen, values))
    return found


def _agreement(people: Mapping[str, Mapping[str, Any]], numbers: Mapping[str, Any]) -> Sequence[Section]:
    title = "Table 4: correlation with human judgements"
    if not people:
        return (Section(title, ("No judgements were given.",)),)
    cells = [
        (code, name, theirs.get(name), people[code].get(name))
        for code, theirs in numbers["table_4"].items()
        if code in people
        for name in theirs
    ]
    columns = (Column("language", "text"), Column("measure", "text"), *_numbers("printed", "ours"))
    return (Section(title, (), Table(columns, tuple(cells))),)


def _cascading(rows: Rows, numbers: Mapping[str, Any]) -> Section:
    columns = (Column("treebank", "text"), *(_c for n in CASCADING for _c in _numbers(f"{n} printed", n)))
    cells = []
    for code, row in _measured(rows).items():
        theirs = numbers["table_5"].get(code, {})
        cells.append((code, *(cell for name in CASCADING for cell in (theirs.get(name), row[name]))))
    text = ("The share of wrong arcs whose head, in the output, is attached right itself.",)
    return Section("Table 5: cascading errors", text, Table(columns, tuple(cells)))


def _claims_on_treebanks(rows: Rows, treebanks: Mapping[str, Parts], numbers: Mapping[str, Any]) -> list[Claim]:
    theirs = {code: row["nonprojective"] for code, row in numbers["table_1"].items()}
    whole = [code for code, parts in treebanks.items() if len(parts.files) == 3 and code in theirs]
    by_rule = {code: agrees(rows[code]["right_crossed_trees"], theirs[code]) for code in whole}
    content, p_content, n = pearson(zip(_columns(rows, "sttr"), _columns(rows, "C freq")))
    function, p_function, _ = pearson(zip(_columns(rows, "sttr"), _columns(rows, "F freq")))
    return [
        judged("Shares of non-projective trees by his rule are as printed", "Table 1",
               all(by_rule.values()) if whole else None,
               f"equal to two digits: {counted(by_rule)} of the treebanks with all parts at hand"),
        judged("The share of function relations falls with the type/token ratio", "Figure 3",
               _certain([(function, p_function)], sign=-1),
               f"r = {shown(function)} (p = {shown(p_function, 3)}, {n} treebanks), his -0.52; content relations"
               f" {shown(content)} (p = {shown(p_content, 3)}), his 0.23"),
    ]  # fmt: skip


def _claim_on_entropies(averaged: Mapping[str, float], n: int) -> Claim:
    """From a handful of training sets nothing is said: most relations are absent in some, and count 0.5."""
    kinds = {name: [v for r, v in averaged.items() if SCHEMES[SCHEME].class_of(r) == name] for name in
             ("FUNCTION", "CONTENT")}  # fmt: skip
    highest, lowest = (max(kinds["FUNCTION"], default=None), min(kinds["CONTENT"], default=None))
    told = f"highest function relation {shown(highest, 3)}, lowest content relation {shown(lowest, 3)}"
    apart = None if highest is None or lowest is None or 0 < n < FEWEST else highest < lowest
    where = f"; {n} training sets" if n else "; from the file given"
    text = "Word dependency entropy puts all function relations below all content relations"
    return judged(text, "Figure 2", apart, told + where)


def _certain(found: Sequence[tuple[float | None, float | None]], sign: int) -> bool | None:
    """Whether correlations have a sign: yes or no only where all have p < .05, or one of them has the other sign."""
    known = [(sign * r, p) for r, p in found if r is not None and p is not None]
    if any(r < 0 and p < LEVEL for r, p in known):
        return False
    return True if len(known) == len(found) and all(r > 0 and p < LEVEL for r, p in known) else None


def _claims_on_scores(rows: Rows) -> list[Claim]:
    measured = _measured(rows)
    if not measured:
        return [judged("LAS is higher than WLAS for every language", "section 6", None, "no outputs")]
    higher = {code: row["LAS"] > row["WLAS"] for code, row in measured.items()}
    lower = {code: max(row["C prec"], row["C rec"]) < row["LAS"] for code, row in measured.items()}
    claims = [
        judged("LAS is higher than WLAS for every language", "section 6", all(higher.values()), counted(higher)),
        judged("Content precision and recall are lower than LAS for every language", "section 6", all(lower.values()),
               counted(lower)),
    ]  # fmt: skip
    if len(measured) < 3:
        return claims
    las, wlas = _variance(measured, "LAS"), _variance(measured, "WLAS")
    below = int((wlas[:-1] < las[:-1]).sum())
    ratio = float(wlas[-1] / las[-1])
    text = f"below in {below} of {len(las) - 1} steps; over all treebanks {wlas[-1]:.4f} against {las[-1]:.4f}"
    claims.append(
        judged("WLAS varies less than LAS among the best languages, and equally over all", "section 6, Figure 5",
               below > (len(las) - 1) / 2 and abs(ratio - 1) < 0.1, f"{text} (his: 0.0045 both)")
    )  # fmt: skip
    return claims


def _claims_on_correlations(rows: Rows, request: Request) -> list[Claim]:
    measured = _measured(rows)
    found = {name: pearson(zip(_columns(measured, name), _columns(measured, "F freq"))) for name in MEASURES}
    told = ", ".join(f"{name} {shown(r)} (p = {shown(p, 3)})" for name, (r, p, _) in found.items())
    told += f"; {len(measured)} treebanks"
    share = _share_in_order(measured, request)
    f_prec = found["F prec"][:2]
    return [
        judged("Scores rise with the share of function relations", "Table 3 and section 7",
               _certain([(r, p) for r, p, _ in found.values()], sign=1), told),
        judged("LAS goes with that share more than WLAS, and WLAS more than content precision and recall", "section 7",
               None if share is None or 1 - CLEAR < share < CLEAR else share >= CLEAR,
               f"in {shown(share)} of resamples of treebanks; {told}"),
        judged("Function words are parsed better where there are more", "section 7", _certain([f_prec], sign=1),
               f"r = {shown(f_prec[0])} (p = {shown(f_prec[1], 3)}); his 0.71"),
    ]  # fmt: skip


def _share_in_order(rows: Rows, request: Request) -> float | None:
    """In which share of bootstrap samples of treebanks the correlations stand in the order that the paper gives."""
    if len(rows) < 4:
        return None
    table = np.array([[row[name] for name in ("LAS", "WLAS", "C prec", "C rec", "F freq")] for row in rows.values()])
    weights = np.random.default_rng(request.seed).multinomial(
        len(table), np.full(len(table), 1 / len(table)), size=request.resamples
    )
    las, wlas, precision, recall = correlations(table.astype(np.float64), weights.astype(np.float64))[:, 4, :4].T
    return float(np.mean((las > wlas) & (wlas > np.maximum(precision, recall))))


def _claims_on_people(people: Mapping[str, Mapping[str, Any]]) -> list[Claim]:
    text = "Content precision and recall agree less with people than LAS and WLAS, in all cases but one"
    if not people:
        return [judged(text, "Table 4", None, "no judgements were given")]
    better = [
        f"{code} {name}"
        for code, row in people.items()
        for name in ("C prec", "C rec")
        if (row[name] or 0) >= min(row["LAS"] or 0, row["WLAS"] or 0)
    ]
    return [judged(text, "Table 4", len(better) == 1, f"the exceptions are {', '.join(better) or 'none'}")]


def _less(one: float | None, other: float | None) -> bool | None:
    return None if one is None or other is None else one < other


def _claims_on_cascading(rows: Rows, numbers: Mapping[str, Any]) -> list[Claim]:
    measured = _measured(rows)
    theirs = numbers["table_5"]
    equal = {
        f"{code} {name}": agrees(row[name], theirs.get(code, {}).get(name))
        for code, row in measured.items()
        for name in CASCADING
    }
    known = any(value is not None for value in equal.values())
    printed_too = {code: row["F unlab."] < row["C unlab."] for code, row in theirs.items()}
    claims = [
        judged("The ratios are as printed", "Table 5",
               all(v is not False for v in equal.values()) if known else None, counted(equal)),
    ]  # fmt: skip
    for kind, name in (("labelled", "lab."), ("unlabelled", "unlab.")):
        more = {code: _less(row[f"F {name}"], row[f"C {name}"]) for code, row in measured.items()}
        beside = f"; of the printed rows {counted(printed_too)}" if name == "unlab." else ""
        claims.append(
            judged(f"In all languages wrong function relations more often have wrong heads ({kind})", "Table 5",
                   all(v is not False for v in more.values()) if more else None, counted(more) + beside)
        )  # fmt: skip
    return claims
