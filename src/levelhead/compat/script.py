"""The functions of an official script, implemented with levelhead."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TextIO

import numpy as np

from levelhead.errors import InputError
from levelhead.evaluation.fold import score_treebanks
from levelhead.evaluation.setup import setup_of
from levelhead.immutable import immutable
from levelhead.scoring.counts import count_words
from levelhead.scoring.enhanced_edges import ENHANCEMENTS, switches_of
from levelhead.scoring.matches import match, spans_of, universal_features
from levelhead.scoring.measure_definitions import ATTACHED
from levelhead.scoring.rules import RULES, Rules
from levelhead.scoring.selection import weighted_selection
from levelhead.treebank import Treebank
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.official_reader import SCORERS, read_officially
from levelhead.treebank.relations import CONLL18, universal
from levelhead.treebank.tokens import FIELDS

COLUMNS = range(10)  # ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC

CONTENT_DEPRELS = CONLL18.classes["CONTENT"]
FUNCTIONAL_DEPRELS = CONLL18.classes["FUNCTION"]


class UDError(Exception):
    """Raised for invalid files, and for two files with different texts."""


class UDSpan(NamedTuple):
    """A range of characters of the text, excluding the end."""

    start: int
    end: int


@dataclass(eq=False)
class UDWord:
    """A word, like the class `UDWord` of the official scripts."""

    span: UDSpan
    columns: list[str]
    is_multiword: bool
    is_content_deprel: bool = False
    is_functional_deprel: bool = False
    parent: UDWord | None = None
    functional_children: list[UDWord] = field(default_factory=list)


@immutable
class Score:
    """The score of a measure, like the class `Score` of the official scripts."""

    gold_total: float
    system_total: float
    correct: float
    aligned_total: float | None = None

    @property
    def precision(self) -> float:
        """The number of correct items divided by the number of system items; 0.0 without system items."""
        return self.correct / self.system_total if self.system_total else 0.0

    @property
    def recall(self) -> float:
        """The number of correct items divided by the number of gold items; 0.0 without gold items."""
        return self.correct / self.gold_total if self.gold_total else 0.0

    @property
    def f1(self) -> float:
        """2 * correct / (system + gold), where all three are numbers of items; 0.0 without items."""
        total = self.system_total + self.gold_total
        return 2 * self.correct / total if total else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """The number of correct items divided by `aligned_total`; 0 if `aligned_total` is 0, and None if it is None."""
        return self.correct / self.aligned_total if self.aligned_total else self.aligned_total


@immutable
class UDRepresentation:
    """The contents of a file, as lists that are created when first used."""

    treebank: Treebank
    rules: Rules

    @cached_property
    def _ends(self) -> list[int]:
        """The number of characters for each number of bytes of the text."""
        starts = self._spans.text & 0xC0 != 0x80  # whether a character starts here
        return [*(np.cumsum(starts) - 1).tolist(), int(np.count_nonzero(starts))]

    @cached_property
    def _spans(self) -> Any:
        return spans_of(self.treebank, unicode_spaces=self.rules.unicode_spaces)

    def _ranges(self, starts: Iterable[int], ends: Iterable[int]) -> list[UDSpan]:
        return [UDSpan(self._ends[start], self._ends[end]) for start, end in zip(starts, ends)]

    @cached_property
    def characters(self) -> list[str]:
        """The characters of all tokens in order, without spaces."""
        return list(self._spans.text.tobytes().decode())

    @cached_property
    def tokens(self) -> list[UDSpan]:
        """The range of characters of each token."""
        return self._ranges(self._spans.token_starts.tolist(), self._spans.token_ends.tolist())

    @cached_property
    def sentences(self) -> list[UDSpan]:
        """The range of characters of each sentence."""
        bounds = self._spans.sentence_starts.tolist()
        return self._ranges(bounds[:-1], bounds[1:])

    @cached_property
    def words(self) -> list[UDWord]:
        """The words, each linked to its head and to its functional children."""
        spans = self._ranges(self._spans.starts.tolist(), self._spans.ends.tolist())
        words_in_order = (word for sentence in self.treebank for word in sentence)
        words = []
        for span, read, inside in zip(spans, words_in_order, self._spans.inside):
            columns = [str(getattr(read, field.lower())) for field in FIELDS]  # as modified by the scripts
            columns[1] = columns[1] if inside else columns[1].translate(self._spans.spaces)
            columns[5] = universal_features(columns[5]) if self.rules.universal_features else columns[5]
            columns[7] = universal(columns[7])
            words.append(UDWord(span, columns, bool(inside)))
        content, functional = (
            self.rules.scheme.is_in(name, self.treebank.relations).tolist() for name in ("CONTENT", "FUNCTION")
        )
        for i, (word, head) in enumerate(zip(words, self.treebank.heads.tolist())):
            word.is_content_deprel, word.is_functional_deprel = content[i], functional[i]
            word.parent = words[head] if head >= 0 else None
            if word.parent is not None and functional[i]:
                word.parent.functional_children.append(word)
        return words


class Script:
    """The functions of one official script."""

    def __init__(self, name: str) -> None:
        self._rules, self._reading = RULES[name], SCORERS[name]
        self.functions = (
            *(self.load_conllu, self.load_conllu_file, self.evaluate, self.evaluate_wrapper),
            self.build_evaluation_table,
        )

    def load_conllu(
        self, file: TextIO, path: str | None = None, treebank_type: Mapping[str, Any] | None = None
    ) -> UDRepresentation:
        """Read an open text file."""
        return self._load(file.read().encode("utf-8", "surrogatepass"), path, treebank_type)

    def load_conllu_file(
        self, path: str | os.PathLike[str], treebank_type: Mapping[str, Any] | None = None
    ) -> UDRepresentation:
        """Read a file, compressed or not."""
        if not os.path.exists(path):  # noqa: PTH110 -- any path-like, as open takes it
            raise FileNotFoundError(2, os.strerror(2), os.fspath(path))
        try:
            data = read_bytes(path)
        except InputError as error:
            raise UDError(str(error)) from error
        return self._load(data, os.fspath(path), treebank_type)

    def _load(self, data: bytes, path: str | None, treebank_type: Mapping[str, Any] | None) -> UDRepresentation:
        options = {name for name, value in (treebank_type or {}).items() if value}
        reading = replace(
            self._reading,
            several_roots="multiple_roots_okay" in options,
            empty_nodes="no_empty_nodes" not in options,
        )
        rules = replace(self._rules, switches=frozenset(options & set(ENHANCEMENTS)))
        try:
            return UDRepresentation(read_officially(data, reading, path), rules)
        except InputError as error:
            raise UDError(str(error)) from error

    def evaluate(
        self,
        gold_ud: UDRepresentation,
        system_ud: UDRepresentation,
        deprel_weights: Mapping[str, float] | None = None,
    ) -> dict[str, Score]:
        """Score a system by all measures of the script."""
        gold, system = gold_ud.treebank, system_ud.treebank
        rules = replace(self._rules, switches=gold_ud.rules.switches)
        if system_ud.rules.switches != rules.switches:
            raise UDError("gold and system were loaded with different kinds of enhancement")
        try:
            evaluation = score_treebanks(gold, system, setup_of(rules=rules))
        except InputError as error:
            raise UDError(str(error)) from error
        result = {
            name: Score(score.gold, score.system, score.correct, score.aligned) for name, score in evaluation.items()
        }
        if deprel_weights is not None:
            total = count_words(match(gold, system, rules), ATTACHED, weighted_selection(deprel_weights, 1.0)).total()
            numbers = (total.gold, total.system, total.correct, total.aligned)
            result["WeightedLAS"] = Score(*(float(number[0]) for number in numbers if number is not None))
        return result

    def evaluate_wrapper(self, args: Any) -> dict[str, Score]:
        """Score the files in parsed arguments: gold_file, system_file, and weights in 2017."""
        options = {name: getattr(args, name, False) for name in ("multiple_roots_okay", "no_empty_nodes")}
        options |= dict.fromkeys(switches_of(getattr(args, "enhancements", "0")), True)
        gold, system = (self.load_conllu_file(path, options) for path in (args.gold_file, args.system_file))
        return self.evaluate(gold, system, load_deprel_weights(getattr(args, "weights", None)))

    def build_evaluation_table(
        self,
        evaluation: Mapping[str, Score],
        verbose: bool = True,
        counts: bool = False,
        enhanced: bool = False,
    ) -> str:
        """Return the text that the script prints."""
        if not verbose and not counts:
            shown = {"LAS": "LAS F1 Score", "MLAS": "MLAS Score", "BLEX": "BLEX Score"}
            shown |= {"ELAS": "ELAS F1 Score", "EULAS": "EULAS F1 Score"} if enhanced else {}
            return "\n".join(
                f"{title}: {100 * evaluation[name].f1:.2f}" for name, title in shown.items() if name in evaluation
            )
        names = [name for name in evaluation if enhanced or name not in {"ELAS", "EULAS"}]
        heads = ("Precision", "   Recall", " F1 Score", "AligndAcc")
        if counts:
            heads = ("Correct  ", "     Gold", "Predicted", "Aligned")
        lines = [" | ".join(["Metric    ", *heads]), "+".join(["-" * 11] * 5)]
        for name in names:
            score = evaluation[name]
            numbers = [100 * score.precision, 100 * score.recall, 100 * score.f1]
            last = "" if score.aligned_accuracy is None else f"{100 * score.aligned_accuracy:10.2f}"
            row = "|".join(f"{number:10.2f} " for number in numbers)
            if counts:
                last = f"{score.aligned_total or (score.correct if name == 'Words' else ''):10}"
                row = "|".join(f"{number:10} " for number in (score.correct, score.gold_total, score.system_total))
            lines.append(f"{name:11}|{row}|{last}")
        return "\n".join(lines)


def load_deprel_weights(weights_file: Iterable[str] | None) -> dict[str, float] | None:
    """Return the weight of each relation in `weights_file`; None without a file.

    Raises:
        ValueError: a line does not have two columns.
    """
    if weights_file is None:
        return None
    rows = [line.split() for line in weights_file if line.strip() and not line.startswith("#")]
    wrong = [row for row in rows if len(row) != 2]
    if wrong:
        raise ValueError(f"expected a relation and a weight, got {' '.join(wrong[0])!r}")
    return {relation: float(weight) for relation, weight in rows}
