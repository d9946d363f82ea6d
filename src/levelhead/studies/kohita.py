"""Kohita, Noji and Matsumoto (2017): what conversion to function heads changes, and what it gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from levelhead.conversion import backward, check, default_targets, forward
from levelhead.conversion.round_trip import RoundTrip
from levelhead.evaluation import Evaluation, load, score
from levelhead.report.page.charts import panels
from levelhead.report.page.svg import Drawing
from levelhead.report.table import Column, Kind, Table
from levelhead.scoring.definitions import ATTACHED
from levelhead.scoring.matches import match
from levelhead.scoring.rules import RULES
from levelhead.studies.drawings import Named, cloud
from levelhead.studies.numbers import Cell, mean, pearson, shown
from levelhead.studies.parses import outputs_of
from levelhead.studies.parts import Parts, format_of, parts_of
from levelhead.studies.printed_numbers import printed
from levelhead.studies.request import Request, Task, done, signature
from levelhead.studies.study import Claim, Section, Study, judged
from levelhead.treebank import Treebank, read
from levelhead.treebank.schemes import SCHEMES
from levelhead.typology import count, profile

NAME = "kohita-2017"
PARSERS = ("graph", "swap-lazy")
"""What is trained where no outputs are given: one of second order, as theirs were, and a transition system."""

MEASURES = {"UAS": "UAS(nopunct)", "LAS": "LAS(nopunct)", "CNC": "CNC"}
RELATIONS = ("advmod", "amod", "conj", "dobj", "nmod", "nsubj", "case", "cc", "det", "mark")
LEVEL = 0.05

Row = Mapping[str, Any]
Rows = Mapping[str, Row]


def describe(*paths: str) -> dict[str, Any]:
    """Return what forward conversion changes in a treebank, and its head-word entropies before and after.

    Args:
        paths: the training set, or the parts that stand in for it.
    """
    treebanks = [read(path, format=format_of(path)) for path in paths]
    trips = [check(treebank) for treebank in treebanks]
    before, after = _entropies(treebanks), _entropies([forward(treebank) for treebank in treebanks])
    return {**_summed(trips), "before": before["head_entropy"], "after": after["head_entropy"],
            "relations": _changes(before["head_entropy_by_relation"], after["head_entropy_by_relation"])}  # fmt: skip


def _summed(trips: Sequence[RoundTrip]) -> dict[str, float]:
    words = sum(trip.words for trip in trips)
    return {
        "words": words,
        "converted": sum(trip.converted for trip in trips) / words,
        "failed": sum(len(trip.not_restored) for trip in trips) / words,
        "nonprojective before": sum(trip.nonprojective_sentences[0] for trip in trips),
        "nonprojective after": sum(trip.nonprojective_sentences[1] for trip in trips),
        "arcs before": sum(trip.nonprojective[0] for trip in trips) / words,
        "arcs after": sum(trip.nonprojective[1] for trip in trips) / words,
        "sentences": sum(trip.sentences for trip in trips),
    }


def _entropies(treebanks: Sequence[Treebank]) -> Mapping[str, Any]:
    counts = [count(treebank) for treebank in treebanks]
    return profile(sum(counts[1:], counts[0]), columns=["head_entropy", "head_entropy_by_relation"])


def _changes(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    return {name: after[name] - before[name] for name in RELATIONS if name in before and name in after}


def measure(gold: str, original: str, converted: str) -> dict[str, Any]:
    """Return the scores of two outputs of a parser, and what backward conversion does to the second.

    Args:
        gold: the path of the test set.
        original: the path of the output of the parser trained on content-head trees.
        converted: the path of the output, in function-head trees, of the parser trained on such.
    """
    rules = RULES["ud"]
    reference, plain, raised = (load(path, rules, format_of(path)) for path in (gold, original, converted))
    lowered, functional = backward(raised), forward(reference)
    by_relation = [f"LAS@{name}" for name in RELATIONS]
    wanted = [*MEASURES.values(), *by_relation]
    scores = {"UD": score(reference, plain, measures=wanted), "CONV": score(reference, lowered, measures=wanted)}
    heads = {
        "UD": score(functional, forward(plain), measures=list(MEASURES.values())),
        "CONV": score(functional, raised, measures=list(MEASURES.values())),
    }
    return {
        "scores": {kind: _values(one) for kind, one in scores.items()},
        "function heads": {kind: _values(one) for kind, one in heads.items()},
        "spoilt": _spoilt(reference, functional, raised, lowered),
    }


def _values(evaluation: Evaluation) -> dict[str, float | None]:
    names = (*MEASURES, *RELATIONS)
    return {name: one.value for name, one in zip(names, evaluation.values())}


def _spoilt(gold: Treebank, functional: Treebank, raised: Treebank, lowered: Treebank) -> dict[str, int]:
    """Functional arcs (of words that are targets) right before backward conversion, and what becomes of them."""
    rules = RULES["ud"]
    before, after = match(functional, raised, rules), match(gold, lowered, rules)
    targets = default_targets().of(gold).astype(bool)
    members = targets | SCHEMES["kohita"].is_in("FUNCTION", gold.relations)

    def right(matches: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
        found = np.zeros(gold.n_words, dtype=bool)
        found[matches.alignment.gold] = matches.agree(ATTACHED)
        return found & members

    was, now = right(before), right(after)
    return {"functional": int(members.sum()), "right before": int(was.sum()), "right after": int(now.sum()),
            "spoilt": int((was & ~now).sum()), "mended": int((~was & now).sum())}  # fmt: skip


def reproduce(request: Request) -> Study:
    """Run the study.

    Args:
        request: treebanks of UD 1.3; outputs as `SYSTEMS/PARSER/UD/xx.conllu` and `SYSTEMS/PARSER/CONV/xx.conllu`, the
            second in function-head trees; or a trainer.

    Raises:
        InputError: a file is not valid.
    """
    numbers = printed(NAME)
    treebanks = parts_of(request, numbers["table_2"])
    described = done(NAME, [Task(code, describe, parts.learnt) for code, parts in treebanks.items()], request)
    measured = _measured(request, treebanks)
    sections = (
        _conversion(described, numbers), _entropy(described, numbers, measured), *_scores(measured, numbers),
        _by_relation(measured, numbers), *_figure_2(measured),
    )  # fmt: skip
    claims = (
        *_claims_on_conversion(described, numbers), *_printed_claims(numbers), *_claims_on_entropy(described, numbers),
        *_claims_on_own_gains(described, measured),
        *_claims_on_scores(measured),
    )  # fmt: skip
    signed = signature(request, rules="ud", scheme="kohita", variant="paper")
    return Study(NAME, numbers["title"], numbers["source"], _setting(treebanks, measured), sections, claims, signed)


def _measured(request: Request, treebanks: Mapping[str, Parts]) -> dict[str, dict[str, Row]]:
    """What is measured of each parser, by treebank."""
    folder = request.systems
    parsers: Sequence[str] = PARSERS if folder is None else sorted(p.name for p in folder.iterdir() if p.is_dir())
    found = {}
    for parser in parsers:
        original = outputs_of(request, parser, treebanks, heads="UD")
        converted = outputs_of(request, parser, treebanks, heads="CONV")
        tasks = [
            Task(code, measure, (treebanks[code].tested, original[code], converted[code]))
            for code in original if code in converted
        ]  # fmt: skip
        if tasks:
            found[parser] = done(NAME, tasks, request)
    return found


def _setting(treebanks: Mapping[str, Parts], measured: Mapping[str, Rows]) -> tuple[str, ...]:
    trained = [code for code, parts in treebanks.items() if parts.train]
    return (
        (
            f"{len(treebanks)} treebanks: {', '.join(treebanks)}. Training sets are at hand for {len(trained)}"
            f" ({', '.join(trained) or 'none'}); elsewhere the development and test sets stand in for them, which are"
            " smaller: fewer words occur five times, so that entropies rest on less."
        ),
        (
            f"Outputs of parsers trained on both kinds of trees: {', '.join(measured) or 'none'}. Scores leave out"
            " punctuation. A word counts as converted if it changed places with its head."
        ),
        (
            "The text of the Japanese treebank of UD 1.3 is withheld. That of UD 1.4 is another treebank, of words with"
            " their particles: nothing in it is converted, so that `ja` is best left out."
        ),
    )


def _conversion(described: Rows, numbers: Mapping[str, Any]) -> Section:
    columns = (Column("treebank", "text"), Column("words", "number"), Column("converted"), Column("not restored (%)",
               "number"), Column("non-projective trees"), Column("after"), Column("more", "difference"),
               Column("more arcs", "difference"))  # fmt: skip
    cells: list[tuple[Any, ...]] = []
    for code, row in described.items():
        before, after = (row[f"nonprojective {when}"] / row["sentences"] for when in ("before", "after"))
        cells.append((code, row["words"], row["converted"], 100 * row["failed"], before, after, after - before,
                      row["arcs after"] - row["arcs before"]))  # fmt: skip
    theirs = numbers["conversion"]
    averages = tuple(mean(column) for column in list(zip(*(row[1:] for row in cells)))[1:])
    ours = ("average", None, *averages)
    last = ("printed average", None, theirs["converted tokens"] / 100, theirs["failed, mean"], None, None,
            theirs["non-projective, increase"] / 100, None)  # fmt: skip
    text = ("The paper gives averages only, and does not say whether it counts non-projective trees or arcs.",)
    rows = (*cells, ours, last)
    return Section("Section 3.1: what conversion changes", text, Table(columns, rows, (), frozenset({len(cells)})))


def _change(row: Row) -> Cell:
    return None if row["before"] is None or row["after"] is None else row["after"] - row["before"]


def _gain(numbers: Mapping[str, Any], code: str, parser: str, name: str = "LAS") -> Cell:
    row = numbers["table_2"].get(code)
    return None if row is None else row[f"{name} {parser} CONV"] - row[f"{name} {parser} UD"]


def _entropy(described: Rows, numbers: Mapping[str, Any], measured: Mapping[str, Rows]) -> Section:
    columns = (Column("treebank", "text"), *(Column(name, "number") for name in
               ("entropy (bits)", "after", "change", "LAS gain, MST (printed)", "LAS gain, RBG (printed)",
                *(f"LAS gain, {parser}" for parser in measured))))  # fmt: skip
    cells = tuple(
        (code, row["before"], row["after"], _change(row), _gain(numbers, code, "MST"), _gain(numbers, code, "RBG"),
         *(_own_gain(rows.get(code), "LAS") for rows in measured.values()))
        for code, row in described.items()
    )  # fmt: skip
    text = ("Head-word vocabulary entropy over tuples that occur at least five times; gains in points.",)
    return Section("Figure 3: entropy and gain", text, Table(columns, cells), _figure_3(described, numbers, measured))


def _figure_3(described: Rows, numbers: Mapping[str, Any], measured: Mapping[str, Rows]) -> Drawing | None:
    """Our change of entropy, and gains: those printed, and those of our parsers."""
    gains = {f"{parser} (printed)": {c: _gain(numbers, c, parser) for c in described} for parser in ("MST", "RBG")}
    gains |= {parser: {c: _own_gain(rows.get(c), "LAS") for c in described} for parser, rows in measured.items()}
    points = [
        Named(code, change, gain, series)
        for series, row in gains.items()
        for code, gain in row.items()
        if gain is not None and (change := _change(described[code])) is not None
    ]
    return cloud("Entropy and gain", points, "change of entropy (bits)", "LAS gain (points)") if points else None


def _own_gain(row: Row | None, name: str) -> Cell:
    if row is None:
        return None
    one, other = row["scores"]["UD"][name], row["scores"]["CONV"][name]
    return None if one is None or other is None else 100 * (other - one)


def _scores(measured: Mapping[str, Rows], numbers: Mapping[str, Any]) -> list[Section]:
    if not measured:
        return [Section("Table 2: scores", ("No outputs of parsers trained on both kinds of trees were given.",))]
    sections = [_table_2(name, measured, numbers) for name in MEASURES]
    return [*sections, *(_in_function_heads(parser, rows) for parser, rows in measured.items())]


def _table_2(name: str, measured: Mapping[str, Rows], numbers: Mapping[str, Any]) -> Section:
    """One measure: what is printed of both parsers, and ours, on content-head trees and by way of function heads."""
    theirs = [parser for parser in ("MST", "RBG") if f"{name} {parser} UD" in numbers["average"]["row"]]
    columns = [Column("treebank", "text")]
    for parser in (*theirs, *measured):
        told = " (printed)" if parser in theirs else ""
        columns += [Column(f"{parser} {kind}{told}") for kind in ("UD", "CONV")]
        columns.append(Column(f"gain{told}", "difference"))
    codes = [code for code in numbers["table_2"] if any(code in rows for rows in measured.values())]
    cells = [
        (code,
         *(cell for parser in theirs for cell in _printed_pair(numbers["table_2"][code], f"{name} {parser}")),
         *(cell for rows in measured.values() for cell in _own_pair(rows.get(code), name)))
        for code in codes
    ]  # fmt: skip
    average = ("average of these", *(mean(column) for column in list(zip(*cells))[1:])) if cells else ("average",)
    known = [cell for parser in theirs for cell in _printed_pair(numbers["average"]["row"], f"{name} {parser}")]
    whole = ("average of all 19", *known, *[None] * (3 * len(measured)))
    rows = tuple((*row, *[None] * (len(columns) - len(row))) for row in (*cells, average, whole))
    return Section(f"Table 2: {name}", (), Table(tuple(columns), rows, rules_before=frozenset({len(cells)})))


def _printed_pair(row: Mapping[str, float], name: str) -> tuple[Cell, Cell, Cell]:
    one, other = row[f"{name} UD"] / 100, row[f"{name} CONV"] / 100
    return one, other, other - one


def _own_pair(row: Row | None, name: str) -> tuple[Cell, Cell, Cell]:
    if row is None:
        return None, None, None
    one, other = row["scores"]["UD"][name], row["scores"]["CONV"][name]
    return one, other, None if one is None or other is None else other - one


def _in_function_heads(parser: str, rows: Rows) -> Section:
    names = [(name, kind) for name in ("UAS", "LAS") for kind in ("UD", "CONV")]
    columns = (Column("treebank", "text"), *(Column(f"{name} {kind}") for name, kind in names))
    cells = tuple((code, *(row["function heads"][kind][name] for name, kind in names)) for code, row in rows.items())
    text = ("Both outputs against gold as function-head trees: before CONV is converted back, after UD is converted.",)
    return Section(f"In function-head space: {parser}", text, Table(columns, cells))


def _by_relation(measured: Mapping[str, Rows], numbers: Mapping[str, Any]) -> Section:
    columns = [Column("relation", "text"), Column("UD (printed)"), Column("CONV (printed)"),
               Column("gain (printed)", "difference")]  # fmt: skip
    for parser in measured:
        columns += [Column(f"{parser} UD"), Column(f"{parser} CONV"), Column(f"{parser} gain", "difference")]
    cells = []
    for name in RELATIONS:
        theirs = numbers["table_3"][name]
        row: list[Cell | str] = [name, theirs["UD"] / 100, theirs["CONV"] / 100, (theirs["CONV"] - theirs["UD"]) / 100]
        for rows in measured.values():
            one, other = (mean(found["scores"][kind][name] for found in rows.values()) for kind in ("UD", "CONV"))
            row += [one, other, None if one is None or other is None else other - one]
        cells.append(tuple(row))
    return Section("Table 3: F1 by relation", (), Table(tuple(columns), tuple(cells)))


def _figure_2(measured: Mapping[str, Rows]) -> list[Section]:
    kinds: tuple[tuple[str, Kind], ...] = (
        ("functional", "number"), ("right before", "ratio"), ("right after", "ratio"), ("spoilt", "ratio"),
        ("mended", "ratio"),
    )  # fmt: skip
    sections = []
    for parser, rows in measured.items():
        cells = tuple(
            (code, row["spoilt"]["functional"],
             *(row["spoilt"][name] / max(1, row["spoilt"]["functional"]) for name, _ in kinds[1:]))
            for code, row in rows.items()
        )  # fmt: skip
        columns = (Column("treebank", "text"), *(Column(name, kind) for name, kind in kinds))
        text = (("Functional arcs of the output: right before it is converted back, right after, right then wrong"
                " (spoilt), wrong then right (mended), as shares."),)  # fmt: skip
        sections.append(
            Section(
                f"Figure 2: functional arcs that conversion spoils ({parser})",
                text,
                Table(columns, cells),
                _spoilt_figure(rows),
            )
        )
    return sections


def _spoilt_figure(rows: Rows) -> Drawing:
    """Shares of functional arcs, in percent."""
    shares = {
        name: [100 * row["spoilt"][name] / max(1, row["spoilt"]["functional"]) for row in rows.values()]
        for name in ("right before", "spoilt", "mended")
    }
    return panels("Functional arcs that conversion spoils", list(rows), shares)


def _claims_on_conversion(described: Rows, numbers: Mapping[str, Any]) -> list[Claim]:
    described = {code: row for code, row in described.items() if code != "ja"}  # another treebank than theirs
    rows = list(described.values())
    ratios = [row["converted"] for row in rows]
    failed = [100 * row["failed"] for row in rows]
    more = [(row["nonprojective after"] - row["nonprojective before"]) / row["sentences"] for row in rows]
    theirs = numbers["conversion"]
    worst = max(described, key=lambda code: described[code]["failed"])
    average = mean(ratios) or 0.0
    increase = mean(more) or 0.0
    return [
        judged("6.3% of the tokens are converted on average, 2.3 to 15.6%", "page 3",
               abs(100 * average - theirs["converted tokens"]) < 1,
               f"{average:.1%}, {min(ratios):.1%} to {max(ratios):.1%}, on {len(rows)} of 19 treebanks"),
        judged("Backward conversion fails for at most 0.01% of the tokens", "page 3",
               max(failed) <= theirs["failed, most"],
               f"at most {max(failed):.3f}% ({worst}), on average {mean(failed):.4f}% (printed 0.002%); the printed"
               " numbers are near ours as shares, as if the percent sign were one too many"),
        judged("Non-projectivity rises by 10 points on average", "page 2, Remarks", abs(increase - 0.10) < 0.05,
               f"{100 * increase:+.1f} points of trees"),
    ]  # fmt: skip


def _printed_claims(numbers: Mapping[str, Any]) -> list[Claim]:
    """Claims of the text about Table 2, judged on the printed numbers."""
    table = numbers["table_2"]
    gains = {
        parser: {code: round(_gain(numbers, code, parser) or 0.0, 2) for code in table} for parser in ("MST", "RBG")
    }
    large = [code for code, value in gains["MST"].items() if value > 1.0]
    half = [code for code, value in gains["RBG"].items() if value > 0.5]
    mine = {name: mean(row[name] for row in table.values()) or 0.0 for name in numbers["average"]["row"]}
    off = [name for name, value in mine.items() if abs(value - numbers["average"]["row"][name]) > 0.01]
    return [
        judged("With MST, LAS gains more than 1.0 in 11 of 19 languages (printed numbers)", "page 3", len(large) == 11,
               f"{len(large)}: {', '.join(large)}"),
        judged("With RBG, LAS gains more than 0.5 in 10 languages (printed numbers)", "page 3", len(half) == 10,
               f"{len(half)}: {', '.join(half)}"),
        judged("The averages follow from the rows (printed numbers)", "Table 2", not off,
               f"all but {', '.join(off)}" if off else "all ten columns"),
    ]  # fmt: skip


def _claims_on_entropy(described: Rows, numbers: Mapping[str, Any]) -> list[Claim]:
    claims = []
    for parser, left_out in (("MST", {"ja"}), ("RBG", {"ja", "hi"})):
        codes = [code for code in described if code not in left_out]
        r, p, n = pearson((_change(described[code]), _gain(numbers, code, parser)) for code in codes)
        theirs = numbers["figure_3"][parser]
        certain = None if r is None or p is None or p >= LEVEL else r < 0
        sign = "<" if parser == "MST" else "="
        claims.append(
            judged(f"Where entropy falls more, LAS gains more (our entropies, printed gains of {parser}, without ja)",
                   "page 5",
                   certain, f"r = {shown(r)} (p = {shown(p, 3)}, {n} treebanks); printed {theirs['r']} (p {sign}"
                   f" {theirs['p']})")
        )  # fmt: skip
    rising = [code for code, row in described.items() if (_change(row) or 0) > 0]
    text = "Conversion lowers the entropy of head words"
    return [
        *claims,
        judged(
            text,
            "page 5, Figure 3",
            not rising,
            f"it rises on {len(rising)} of {len(described)} treebanks" + (f" ({', '.join(rising)})" if rising else ""),
        ),
    ]


def _claims_on_own_gains(described: Rows, measured: Mapping[str, Rows]) -> list[Claim]:
    claims = []
    for parser, rows in measured.items():
        r, p, n = pearson((_change(described[code]), _own_gain(row, "LAS")) for code, row in rows.items())
        certain = None if r is None or p is None or p >= LEVEL else r < 0
        claims.append(judged(f"Where entropy falls more, LAS gains more (our entropies and gains, {parser})", "page 5",
                             certain, f"r = {shown(r)} (p = {shown(p, 3)}, {n} treebanks)"))  # fmt: skip
    return claims


def _claims_on_scores(measured: Mapping[str, Rows]) -> list[Claim]:
    texts = {
        "LAS": "Parsing through function heads improves LAS on average",
        "CNC": "It improves CNC more than LAS",
        "case": "It harms case and mark, and improves nmod",
        "spoilt": "Functional arcs are right before backward conversion and wrong after",
    }
    if not measured:
        return [
            judged(text, "pages 3 and 4", None, "no outputs of parsers trained on both kinds")
            for text in texts.values()
        ]
    gains = {
        (parser, name): mean(_own_gain(row, name) for row in rows.values()) or 0.0
        for parser, rows in measured.items()
        for name in ("LAS", "CNC", "case", "mark", "nmod")
    }
    told = (
        "; ".join(
            f"{parser}: "
            + ", ".join(f"{name} {gains[parser, name]:+.2f}" for name in ("LAS", "CNC", "case", "mark", "nmod"))
            for parser in measured
        )
        + f"; {max(map(len, measured.values()))} treebanks"
    )
    shares = [
        row["spoilt"]["spoilt"] / max(1, row["spoilt"]["right before"])
        for rows in measured.values()
        for row in rows.values()
    ]
    return [
        judged(texts["LAS"], "page 3", all(gains[parser, "LAS"] > 0 for parser in measured), told),
        judged(texts["CNC"], "page 5",
               all(gains[parser, "CNC"] > max(0.0, gains[parser, "LAS"]) for parser in measured), told),
        judged(texts["case"], "Table 3",
               all(max(gains[parser, "case"], gains[parser, "mark"]) < 0 < gains[parser, "nmod"]
               for parser in measured), told),
        judged(texts["spoilt"], "page 4, Figure 2", max(shares) > 0,
               f"{mean(shares) or 0.0:.2%} of those that are right before, on average"),
    ]  # fmt: skip
