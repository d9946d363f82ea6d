"""One pair of treebanks: read, align, match, score."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, MeasureError, Place
from levelhead.measures import REGISTRY, parse_measure
from levelhead.scoring.matches import match
from levelhead.scoring.measure import Measure
from levelhead.scoring.rules import RULES, Rules, rules_named
from levelhead.scoring.score import Score
from levelhead.scoring.score import score as score_one
from levelhead.scoring.weights import Weights, weights_of
from levelhead.treebank import Treebank, parse
from levelhead.treebank.source import read_bytes

if TYPE_CHECKING:
    from levelhead.treebank.reader import Format

Input = Treebank | str | os.PathLike[str]


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Mapping[str, Score]):
    """The scores of one system on one treebank, by the text of the measure.

    Args:
        scores: the scores, in the order asked for.
        gold: the gold treebank.
        system: the system's.
        signature: everything that decides the numbers.
    """

    scores: Mapping[str, Score]
    gold: Treebank
    system: Treebank
    signature: Mapping[str, str]

    def __getitem__(self, measure: str) -> Score:
        """Return the score of a measure."""
        if measure not in self.scores:
            raise KeyError(f"{measure!r} was not asked for; there are {', '.join(self.scores)}")
        return self.scores[measure]

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={'-' if s.value is None else f'{s.value:.2%}'}" for name, s in self.scores.items())
        return f"<Evaluation: {numbers}>"

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)


def score(
    gold: Input,
    system: Input,
    *,
    measures: Iterable[str | Measure] | None = None,
    rules: str | Rules = "ud",
    format: Format = "conllu",  # noqa: A002
    weights: Mapping[str, Weights] | None = None,
) -> Evaluation:
    """Score a system's output against gold.

    Args:
        gold: a treebank, or the path of one; only files are held to an official scorer's verdict on its input.
        system: likewise.
        measures: which measures; those that the rules' official scorer prints if None.
        rules: `ud`, `udtools`, `conll18` or `conll17`.
        format: of files, "conllu" or "conllx".
        weights: the weights that measures name, if they were read before.

    Raises:
        InputError: a file is not valid, or the texts differ; with every fault.
        MeasureError: there is no such measure, or no such rules.
    """
    chosen = rules_named(rules)
    asked = measures_for(chosen, measures)
    gold_treebank, system_treebank = (load(source, chosen, format) for source in (gold, system))
    return score_treebanks(gold_treebank, system_treebank, asked, chosen, weights)


def score_treebanks(
    gold: Treebank,
    system: Treebank,
    measures: Iterable[Measure],
    rules: Rules,
    weights: Mapping[str, Weights] | None = None,
) -> Evaluation:
    """Score one treebank against another.

    Args:
        gold: the gold treebank.
        system: the system's.
        measures: which measures.
        rules: whose decisions to follow.
        weights: the weights that measures name, if they were read before.

    Raises:
        TextMismatch: they do not have the same characters.
    """
    asked = tuple(measures)
    if weights is None:
        weights = weights_for(asked)
    signed = signature(gold, system, rules, {name: table.sha256 for name, table in weights.items()})
    matches = match(gold, system, rules)
    scores = {}
    for measure in asked:
        table = weights.get(str(measure))
        score = score_one(matches, measure, REGISTRY[measure.name], weights=table.values if table else None)
        scores[str(measure)] = replace(score, signature=signed)
    return Evaluation(scores, gold, system, signed)


def weights_for(measures: Iterable[Measure]) -> dict[str, Weights]:
    """Read the weights that measures name, each file once.

    Args:
        measures: any measures.

    Raises:
        InputError: a file is not one of weights.
    """
    return weights_of(measure for measure in measures if REGISTRY[measure.name].takes_weights)


def load(source: Input, rules: Rules, format: Format = "conllu") -> Treebank:  # noqa: A002
    """Return a treebank, read as the rules say if it is not in memory yet.

    Args:
        source: a treebank or the path of one.
        rules: whose verdict on files to follow.
        format: of the file, "conllu" or "conllx".

    Raises:
        InputError: the file is not valid; with every fault.
    """
    if isinstance(source, Treebank):
        return source
    return parse_as(read_bytes(source), os.fsdecode(source), rules, format)


def parse_as(data: bytes, name: str, rules: Rules, format: Format = "conllu") -> Treebank:  # noqa: A002
    """Read a treebank from bytes, as the rules say.

    Args:
        data: the contents of a file.
        name: what to call it in messages.
        rules: whose verdict on files to follow.
        format: "conllu" or "conllx".

    Raises:
        InputError: the file is not valid; with every fault.
    """
    if rules.reading is None:
        return parse(data, name=name, format=format)
    if format != "conllu":
        message = f"the scorer of the rules {rules.name} does not read {format}; use the rules ud"
        raise InputError(Fault("refused-by-rules", message, Place(name)))
    from levelhead.treebank.official import SCORERS, parse_officially

    return parse_officially(data, SCORERS[rules.reading], name)


def measures_for(rules: Rules, measures: Iterable[str | Measure] | None) -> tuple[Measure, ...]:
    """Return the measures asked for, or those that the rules' scorer prints.

    Raises:
        MeasureError: there is no such measure, or the rules have none of that name.
    """
    given = rules.measures if measures is None else [measures] if isinstance(measures, str) else measures
    asked = tuple(parse_measure(str(measure)) for measure in given)
    for measure in asked:
        if measure.name in rules.lacks:
            others = [name for name, other in RULES.items() if measure.name not in other.lacks]
            message = f"the rules {rules.name} have no {measure.name}; the rules {', '.join(others)} do"
            raise MeasureError(message, "unknown-measure")
    return asked


def signature(gold: Treebank, system: Treebank, rules: Rules, files: Mapping[str, str]) -> Mapping[str, str]:
    """Return everything that decides the numbers, by name: rules, files, repairs, Unicode, version.

    Args:
        gold: the gold treebank.
        system: the system's.
        rules: whose decisions are followed.
        files: the hash of each other file that decides, by the measure that names it.
    """
    parts = {"rules": rules.name}
    if rules.switches:
        parts["without"] = "+".join(sorted(rules.switches))
    for name, treebank in (("gold", gold), ("system", system)):
        parts[name] = (treebank.source.sha256 or "memory")[:12]
    parts |= {name: digest[:12] for name, digest in files.items()}
    for name, treebank in (("gold", gold), ("system", system)):
        if treebank.warnings:
            parts[f"{name}-warnings"] = "+".join(sorted({fault.slug for fault in treebank.warnings}))
    parts["unicode"] = unicodedata.unidata_version
    parts["version"] = VERSION
    return parts
