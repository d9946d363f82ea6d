"""One pair of treebanks: read, align, match, score."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, MeasureError, Place, number_of
from levelhead.measures import STANDARD, Registry, parse_measure, split_measures
from levelhead.scoring.crossing import notes_on
from levelhead.scoring.matches import match
from levelhead.scoring.measure import Measure
from levelhead.scoring.rules import RULES, Rules, rules_named
from levelhead.scoring.score import Score
from levelhead.scoring.score import score as score_one
from levelhead.scoring.selection import is_class
from levelhead.scoring.weights import ENTROPY, TEMPLATE, Weights, file_of, for_treebank, key_of, read_weights, values_of
from levelhead.treebank import Treebank, parse
from levelhead.treebank.reader import check_format
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
        notes: what to know before the numbers are used, in sentences.
    """

    scores: Mapping[str, Score]
    gold: Treebank
    system: Treebank
    signature: Mapping[str, str]
    notes: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """What was odd in both files."""
        return (*self.gold.warnings, *self.system.warnings)

    def __getitem__(self, measure: str) -> Score:
        """Return the score of a measure, in any spelling of a shipped one, and as printed of others."""
        if measure in self.scores:
            return self.scores[measure]
        missing = KeyError(f"{measure!r} was not asked for; there are {', '.join(self.scores)}")
        try:
            text = str(parse_measure(measure.strip()))
        except MeasureError:
            raise missing from None
        if text not in self.scores:
            raise missing
        return self.scores[text]

    def __repr__(self) -> str:
        notes = f"; {number_of(len(self.notes), 'note')} in .notes" if self.notes else ""
        return f"<Evaluation: {', '.join(f'{name}={_shown(score)}' for name, score in self.scores.items())}{notes}>"

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)


def _shown(score: Score) -> str:
    if score.value is None:
        return "-"
    return f"{score.value:.2f}" if score.perplexity else f"{score.value:.2%}"


def score(
    gold: Input,
    system: Input,
    *,
    measures: Iterable[str | Measure] | None = None,
    rules: str | Rules = "ud",
    format: Format = "conllu",  # noqa: A002
    gold_format: Format | None = None,
    weights: Mapping[str, Weights] | None = None,
    registry: Registry = STANDARD,
) -> Evaluation:
    """Score a system's output against gold.

    Args:
        gold: a treebank, or the path of one; only files are held to an official scorer's verdict on its input.
        system: likewise.
        measures: which measures; those that the rules' official scorer prints if None.
        rules: `ud`, `udtools`, `conll18` or `conll17`.
        format: of files, "conllu" or "conllx".
        gold_format: of the gold file, if it is another. Gold in CoNLL-U for output in CoNLL-X has its multiword
            tokens taken apart, for CoNLL-X has none.
        weights: the weights that measures name, by path, if they were read before.
        registry: the measures and schemes that there are.

    Raises:
        InputError: a file is not valid, or the texts differ; with every fault.
        MeasureError: there is no such measure, or no such rules.
    """
    chosen = rules_named(rules)
    asked = measures_for(chosen, measures, registry)
    pair = load_pair(gold, system, chosen, format, gold_format)
    return score_treebanks(*pair, asked, chosen, weights, registry)


def score_treebanks(
    gold: Treebank,
    system: Treebank,
    measures: Iterable[Measure],
    rules: Rules,
    weights: Mapping[str, Weights] | None = None,
    registry: Registry = STANDARD,
) -> Evaluation:
    """Score one treebank against another.

    Args:
        gold: the gold treebank.
        system: the system's.
        measures: which measures.
        rules: whose decisions to follow.
        weights: the weights that measures name, by path, if they were read before.
        registry: the measures and schemes that there are.

    Raises:
        TextMismatch: they do not have the same characters.
    """
    asked = tuple(measures)
    weights = weights_for(asked, registry, weights)
    signed = signature(gold, system, rules, decisive(asked, weights, registry))
    matches = match(gold, system, rules)
    scores = {}
    for measure in asked:
        definition = registry.measures[measure.name]
        values = values_of(measure, definition, weights)
        score = score_one(matches, measure, definition, schemes=registry.schemes, weights=values)
        scores[str(measure)] = replace(score, signature=signed)
    defined = [(measure, registry.measures[measure.name]) for measure in asked]
    crossing = notes_on(gold, system, defined, rules, registry.schemes)
    needed = [one for one, definition in defined if definition.needs_file]
    odd = [f"{one}: {warning}" for one in needed for warning in file_of(one, weights).warnings]
    return Evaluation(scores, gold, system, signed, (*crossing, *odd))


def weights_for(
    measures: Iterable[Measure],
    registry: Registry = STANDARD,
    known: Mapping[str, Weights] | None = None,
    treebank: str | None = None,
    folder: str = "",
) -> dict[str, Weights]:
    """Read the weights and training treebanks that measures name, each once; by `scoring.weights.key_of`.

    Args:
        measures: any measures.
        registry: what they are.
        known: what was read or made before, by the same names; `WDE` is what `typology.entropy_weights` makes.
        treebank: the code to put for `{treebank}` in paths.
        folder: where relative paths start; the current folder if empty.

    Raises:
        InputError: a file is not what it should be.
    """
    read = dict(known or {})
    for measure in measures:
        definition = registry.measures[measure.name]
        key = key_of(measure)
        if key == ENTROPY and definition.takes_weights and key not in read:
            message = f"{measure} needs training treebanks: --train of score and compare; in Python"
            raise MeasureError(f"{message} weights={{'WDE': typology.entropy_weights(treebanks)}}", "missing-weight")
        if definition.needs_file and key not in read:
            path = os.path.join(folder, key_of(for_treebank(measure, treebank)))  # noqa: PTH118 - options may follow
            read[key] = definition.load(path) if definition.load else read_weights(path)
    return read


class Needs:
    """What measures need of files, for many treebanks: read once what is of all, and for each what is its own.

    Args:
        measures: the measures; `{treebank}` in a path stands for the code.
        registry: what they are.
        known: as in `weights_for`.
        folder: as in `weights_for`.
    """

    def __init__(
        self,
        measures: Iterable[Measure],
        registry: Registry,
        known: Mapping[str, Weights] | None = None,
        folder: str = "",
    ) -> None:
        self._measures, self._registry, self._folder = tuple(measures), registry, folder
        of_all = [measure for measure in self._measures if TEMPLATE not in (measure.argument or "")]
        self._shared = weights_for(of_all, registry, known, folder=folder)
        self._hashes: dict[str, list[str]] = {}

    def of(self, treebank: str) -> dict[str, Weights]:
        """Return what the measures need for a treebank, by `scoring.weights.key_of`.

        Args:
            treebank: its code.
        """
        own = weights_for(self._measures, self._registry, self._shared, treebank, self._folder)
        for key in own.keys() - self._shared.keys():
            self._hashes.setdefault(key, []).append(own[key].sha256)
        return own

    def joint(self) -> dict[str, Weights]:
        """Return what signatures need of all treebanks so far: one hash for the files of a measure."""
        hashes = {key: hashlib.sha256("".join(some).encode()).hexdigest() for key, some in self._hashes.items()}
        return {**self._shared, **{key: Weights(None, digest) for key, digest in hashes.items()}}


def decisive(measures: Iterable[Measure], weights: Mapping[str, Weights], registry: Registry) -> dict[str, str]:
    """Return what decides the meaning of measures beyond their text: hashes of files, schemes of classes.

    Args:
        measures: the measures.
        weights: what was read of the files that they name, by path.
        registry: what they are.
    """
    parts, classes, asked = {}, set(), tuple(measures)
    for measure in asked:
        definition = registry.measures[measure.name]
        if definition.needs_file:
            parts[str(measure)] = file_of(measure, weights).sha256[:12]
        named = (name for name in (measure.only, *measure.without) if name and is_class(name))
        classes |= {registry.schemes.qualified(name) for name in named}
    if used := registry.used(asked):
        parts["definitions"] = "+".join(digest[:12] for digest in used)
    if classes:
        parts["classes"] = "+".join(sorted(classes))
    return parts


def load_pair(
    gold: Input,
    system: Input,
    rules: Rules,
    format: Format = "conllu",  # noqa: A002
    gold_format: Format | None = None,
) -> tuple[Treebank, Treebank]:
    """Return gold and the system's output, read if they are not in memory yet.

    Args:
        gold: as in `score`.
        system: as in `score`.
        rules: whose verdict on files to follow.
        format: as in `score`.
        gold_format: as in `score`.

    Raises:
        InputError: a file is not valid; with every fault.
    """
    ours, theirs = load(gold, rules, gold_format or format), load(system, rules, format)
    taken_apart = format == "conllx" and (gold_format or format) == "conllu"
    return (ours.without_multiword_tokens() if taken_apart else ours), theirs


def load(source: Input, rules: Rules, format: Format = "conllu") -> Treebank:  # noqa: A002
    """Return a treebank, read as the rules say if it is not in memory yet.

    Args:
        source: a treebank or the path of one.
        rules: whose verdict on files to follow.
        format: of the file, "conllu" or "conllx".

    Raises:
        InputError: the file is not valid; with every fault.
        ValueError: the format is unknown.
    """
    check_format(format)
    if isinstance(source, Treebank):
        return source
    return parse_as(read_bytes(source), os.fsdecode(source), rules, format)


def parse_as(data: bytes, name: str | None, rules: Rules, format: Format = "conllu") -> Treebank:  # noqa: A002
    """Read a treebank from bytes, as the rules say.

    Args:
        data: the contents of a file.
        name: what to call it in messages, if anything.
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


def measures_for(
    rules: Rules, measures: Iterable[str | Measure] | None, registry: Registry = STANDARD
) -> tuple[Measure, ...]:
    """Return the measures asked for, or those that the rules' scorer prints.

    Args:
        rules: the rules.
        measures: the measures: a text such as `LAS,CLAS`, or several texts or measures; None for the rules' own.
        registry: the available measures and schemes.

    Raises:
        MeasureError: a measure is unknown, or the rules do not have it.
    """
    given = rules.measures if measures is None else [measures] if isinstance(measures, str) else measures
    texts = [text for one in given for text in (split_measures(one) if isinstance(one, str) else [str(one)])]
    asked = tuple(parse_measure(text, registry) for text in texts)
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
        files: what else decides: hashes of files by the measure that names them, schemes of classes.
    """
    parts = {"rules": rules.name}
    if rules.switches:
        parts["without"] = "+".join(sorted(rules.switches))
    for name, treebank in (("gold", gold), ("system", system)):
        parts[name] = (treebank.source.sha256 or "memory")[:12]
    parts |= files
    for name, treebank in (("gold", gold), ("system", system)):
        if treebank.warnings:
            parts[f"{name}-warnings"] = "+".join(sorted({fault.slug for fault in treebank.warnings}))
    parts["unicode"] = unicodedata.unidata_version
    parts["version"] = VERSION
    return parts


def joint_hash(hashes: Iterable[str]) -> str:
    """Return one hash for many files as signatures have it: of the starts of theirs, in order; that of one its own.

    Args:
        hashes: the hashes of the files, or their first twelve digits.
    """
    starts = [one[:12] for one in hashes]
    return starts[0] if len(starts) == 1 else hashlib.sha256("".join(starts).encode()).hexdigest()[:12]


def joint_signature(signatures: Iterable[Mapping[str, str]]) -> Mapping[str, str]:
    """Return one signature for many treebanks: what decides all, and one hash for the files of each kind, in order.

    Args:
        signatures: the signatures of the treebanks; at least one.
    """
    first, *others = every = list(signatures)
    if not others:
        return first
    shared = {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}
    hashes = {name: joint_hash(one[name] for one in every) for name in ("gold", "system")}
    return {name: {**shared, **hashes}[name] for name in first if name in shared or name in hashes}
