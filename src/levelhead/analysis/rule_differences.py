"""The differences between the four sets of rules for two files: one decision at a time, with the words it affects."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import InputError, Place, listed, printable
from levelhead.evaluation.fold import score_treebanks
from levelhead.evaluation.pair import Evaluation, Input, parse_as
from levelhead.evaluation.setup import Setup, setup_of
from levelhead.immutable import immutable
from levelhead.measures.registry import parse_measure
from levelhead.scoring.matches import Agree, Matches, match
from levelhead.scoring.rules import CONLL17, UD, WORD_RULES, Rules
from levelhead.tables.data import MEASURE_COLUMN, DataColumn, Layout, columns_of
from levelhead.tables.documents import FaultInFile, fault_in_file, file_text
from levelhead.tables.table import Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.provenance import Provenance
from levelhead.treebank.strings import ANY_SPACE, PLAIN_SPACE
from levelhead.treebank.tokens import place_of

_MEASURES = tuple(parse_measure(name) for name in dict.fromkeys((*UD.measures, *CONLL17.measures)) if name != "Feats")


@immutable
class Difference:
    """One decision on which the rules disagree, and its effect on the two files."""

    decision: str
    choices: Mapping[str, str]  # the choice of each set of rules, by name
    # by measure, its F1 score in percent under `ud` and with the other choice; empty if nothing changes
    changes: Mapping[str, tuple[float | None, float | None]]
    words: tuple[tuple[Place, str], ...]  # the first words that are affected: place and form
    n_words: int  # the number of affected words


_DECISION, _RULES = DataColumn("decision", "text", "The decision"), DataColumn("rules", "text", "The set of rules")
_F1 = DataColumn("f1", "number", "The F1 score", "percent", optional=True, limits=(0, 100))


@immutable
class Explanation(Tabular):
    """The scores under each set of rules, and causes of differences.

    Args:
        evaluations: a mapping from the name of each set of rules to the scores, or to the error if the rules reject
            the files.
        differences: all decisions on which the rules differ, if they change a score or affect a word.
    """

    KIND: ClassVar[str] = "explain"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "scores": (_RULES, MEASURE_COLUMN, _F1),
        "rejections": (_RULES, FaultInFile),
        "decisions": (
            _DECISION, DataColumn("words", "integer", "The number of words that are affected", limits=(0,)),
        ),
        "choices": (_DECISION, _RULES, DataColumn("choice", "text", "Its choice")),
        "changes": (
            *(_DECISION, MEASURE_COLUMN, _F1._replace(about="The F1 score with the choice of `ud`")),
            _F1._replace(name="other_f1", about="The F1 score with the other choice"),
        ),
        "words": (
            *(_DECISION, columns_of(FaultInFile)[2], DataColumn("line", "integer", "Its line", "", True, (), (0,))),
            DataColumn("form", "text", "The word"),
        ),
    }  # fmt: skip

    evaluations: Mapping[str, Evaluation | InputError]
    differences: tuple[Difference, ...]

    @property
    def accepted(self) -> dict[str, Evaluation]:
        """A mapping from the name of each set of rules that accepts the files to the scores under these rules."""
        return {name: scores for name, scores in self.evaluations.items() if isinstance(scores, Evaluation)}

    @property
    def verdict(self) -> str:
        """A text that says which rules reject the files, and on which decisions scores depend."""
        rejecting = [name for name in self.evaluations if name not in self.accepted]
        parts = [f"The files are rejected by {listed(rejecting)}."] if rejecting else []
        changing = [each for each in self.differences if each.changes]
        measures = dict.fromkeys(itertools.chain(*(each.changes for each in changing)))
        if not changing:
            return " ".join([*parts, "No score depends on the choice of rules."])
        depend = "depends" if len(measures) == 1 else "depend"
        return " ".join([*parts, f"{listed([*measures])} {depend} on {'; '.join(each.decision for each in changing)}."])

    @property
    def provenance(self) -> Provenance:
        """The settings and files behind the scores, with the names of all rules that accept the files."""
        first = next(iter(self.accepted.values())).provenance
        return replace(first, signature={**first.signature, "rules": "+".join(self.accepted)})

    def _scores_rows(self) -> Iterator[tuple[Any, ...]]:
        return ((rules, name, score.f1) for rules, scores in self.accepted.items() for name, score in scores.items())

    def _rejections_rows(self) -> Iterator[tuple[str, FaultInFile]]:
        for rules, error in self.evaluations.items():
            if isinstance(error, InputError):
                yield from ((rules, fault_in_file(fault)) for fault in error.faults)

    def _decisions_rows(self) -> Iterator[tuple[str, int]]:
        return ((each.decision, each.n_words) for each in self.differences)

    def _choices_rows(self) -> Iterator[tuple[str, str, str]]:
        for each in self.differences:
            for names, choice in each.choices.items():
                yield from ((each.decision, rules, choice) for rules in names.split(", "))

    def _changes_rows(self) -> Iterator[tuple[Any, ...]]:
        return ((each.decision, name, *values) for each in self.differences for name, values in each.changes.items())

    def _words_rows(self) -> Iterator[tuple[Any, ...]]:
        for each in self.differences:
            yield from ((each.decision, file_text(place), place.line, form) for place, form in each.words)

    def table(self) -> Table:
        """Return the result as a table."""
        scores = {
            name: {measure: score.f1 for measure, score in scores.items()} for name, scores in self.accepted.items()
        }
        rows = tuple(
            (measure, *(scores.get(name, {}).get(measure, "") for name in self.evaluations))
            for measure in dict.fromkeys(itertools.chain(*scores.values()))
        )
        every = self.evaluations.items()
        notes = [f"rejected by {name}: {error.faults[0]}" for name, error in every if isinstance(error, InputError)]
        for difference in self.differences:
            notes += ["", f"{difference.decision[0].upper()}{difference.decision[1:]}:"]
            notes += [f"  {names}: {choice}" for names, choice in difference.choices.items()]
            for measure, pair in difference.changes.items():
                ours, other = ("no value" if value is None else f"{value:.2f}" for value in pair)
                notes.append(f"  {measure}: {ours} with the decision of ud, {other} with the other")
            notes += [f"  {place}: {printable(form)}" for place, form in difference.words]
            more = difference.n_words - len(difference.words)
            notes += [f"  and {more} more words"] if more > 0 else []
        columns = Column("Metric", "text", 10), *(Column(name, "percent") for name in self.evaluations)
        return Table(columns, rows, tuple(notes or ["No differences."]))


def explain(gold: Input, system: Input) -> Explanation:
    """Return which differences between the four sets of rules change the scores of two files."""
    sides = [side if isinstance(side, Treebank) else (read_bytes(side), os.fsdecode(side)) for side in (gold, system)]
    evaluations: dict[str, Evaluation | InputError] = {}
    for name, rules in WORD_RULES.items():
        try:
            evaluations[name] = score_treebanks(*_read(sides, rules), setup_of(rules=rules))
        except InputError as error:
            evaluations[name] = error
    of_ud = evaluations["ud"]
    if isinstance(of_ud, InputError):
        raise of_ud
    both = _read(sides, UD)
    differences = []
    # all measures are compared, including those that the rules do not define
    matches = match(*both, UD)
    before = score_treebanks(*both, Setup(_MEASURES, UD))
    for decision, choices, other, affected in _DECISIONS:
        try:
            after: Evaluation | None = score_treebanks(*both, Setup(_MEASURES, replace(UD, **other)))
        except InputError:
            after = None
        pairs = {name: (before[name].f1, after[name].f1 if after else None) for name in before}
        changes = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
        words = list(affected(matches))
        if changes or words:
            shown = tuple((place_of(treebank, word), treebank.forms[word]) for treebank, word in words[:5])
            differences.append(Difference(decision, choices, changes, shown, len(words)))
    return Explanation(evaluations, tuple(differences))


def _read(sides: Sequence[Treebank | tuple[bytes, str]], rules: Rules) -> tuple[Treebank, Treebank]:
    gold, system = (side if isinstance(side, Treebank) else parse_as(*side, rules) for side in sides)
    return gold, system


class _Decision(NamedTuple):
    """A field of `Rules`, described; the choices of the rules; the words it affects."""

    decision: str
    choices: Mapping[str, str]
    other: Mapping[str, Any]
    affected: Callable[[Matches], Iterable[tuple[Treebank, int]]]


def _spaced(matches: Matches) -> Iterator[tuple[Treebank, int]]:
    """Tokens whose forms have spaces other than U+0020."""
    for treebank in (matches.gold, matches.system):
        tokens = treebank.tokens
        spaced_forms = {
            code
            for code in np.unique(tokens.forms).tolist()
            if treebank.strings[code].translate(ANY_SPACE) != treebank.strings[code].translate(PLAIN_SPACE)
        }
        yield from ((treebank, word) for word in tokens.first[np.isin(tokens.forms, [*spaced_forms])].tolist())


def _words(matches: Matches, test: Callable[[Treebank], NDArray[np.bool_]]) -> Iterator[tuple[Treebank, int]]:
    for treebank in (matches.gold, matches.system):
        yield from ((treebank, word) for word in np.flatnonzero(test(treebank)).tolist())


def _with_edges(matches: Matches, test: Callable[[list[str]], bool]) -> Iterator[tuple[Treebank, int]]:
    return _words(matches, lambda treebank: treebank.deps.mapped(lambda edges: test(edges.split("|")), bool))


def _gold_words(matches: Matches, pairs: NDArray[np.bool_]) -> list[tuple[Treebank, int]]:
    return [(matches.gold, word) for word in matches.alignment.gold[pairs].tolist()]


_DECISIONS = (
    _Decision(
        "which characters of a form are spaces, not part of the text",
        {"conll17": "U+0020 only", "conll18, udtools, ud": "all of the category Zs"},
        {"unicode_spaces": False},
        _spaced,
    ),
    _Decision(
        "whether CLAS, MLAS and BLEX count words with unlisted relations",
        {"conll17": "counted as content words", "conll18, udtools, ud": "left out, on each side by its own label"},
        {"scheme": CONLL17.scheme},
        # words that are content words in only one of the two schemes
        lambda matches: _words(
            matches,
            lambda treebank: (
                UD.scheme.is_in("CONTENT", treebank.relations) != CONLL17.scheme.is_in("CONTENT", treebank.relations)
            ),
        ),
    ),
    _Decision(
        "which features are compared",
        {"conll17": "the whole FEATS", "conll18, udtools, ud": "21 universal features without layers"},
        {"universal_features": False},
        # gold words with correct universal features, but other features or layers that are not
        lambda matches: _gold_words(matches, matches.agree(Agree.FEATS) & ~matches.agree(Agree.ALL_FEATS)),
    ),
    _Decision(
        "which lemmas are correct if gold has none",
        {"conll17": "only an underscore", "conll18, udtools, ud": "anything"},
        {"missing_lemma_counts": False},
        # gold words without a lemma for which the system has one
        lambda matches: _gold_words(
            matches,
            (matches.gold.lemmas.codes[matches.alignment.gold] == 0)
            & matches.system.lemmas.mapped(lambda lemma: lemma != "_", bool)[matches.alignment.system],
        ),
    ),
    _Decision(
        "how enhanced edges to the same head with the same universal label are matched",
        {"udtools": "every matching pair counts", "ud": "one to one"},
        {"edges_one_to_one": False},
        partial(_with_edges, test=lambda edges: len({":".join(edge.split(":")[:2]) for edge in edges}) < len(edges)),
    ),
    _Decision(
        "how enhanced edges from empty nodes are treated",
        {"udtools": "dropped", "ud": "paths through empty nodes become edges"},
        {"collapse": False},
        partial(_with_edges, test=lambda edges: any("." in edge.partition(":")[0] for edge in edges)),
    ),
    _Decision(
        "how columns without gold values, and ratios with nothing to count, are reported",
        {"conll17, conll18, udtools": "scored anyway, 0.00 without values", "ud": "no value"},
        {"unannotated": False, "undefined": 0.0},
        lambda _: (),  # a whole column is affected, not single words
    ),
)
