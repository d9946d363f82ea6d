"""The settings: everything that determines a number, except the treebanks."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from levelhead.errors import MeasureError
from levelhead.immutable import immutable
from levelhead.measures.registry import STANDARD, Registry, parse_measure, split_measures
from levelhead.scoring.measure import Definition, Measure, Resource
from levelhead.scoring.rules import RULES, Rules, rules_named, with_several_roots
from levelhead.scoring.selection import (
    ENTROPY,
    TEMPLATE,
    checked_weights,
    for_treebank,
    is_class,
    key_of,
    path_of,
    read_weights,
    weights_of,
)
from levelhead.treebank.input_bytes import is_stream
from levelhead.treebank.reader import Format


@immutable
class Setup:
    """All settings that determine scores; `setup_of` creates them.

    Args:
        measures: the measures, in the order in which they are printed.
        rules: the scoring rules.
        registry: the available measures and schemes.
        format: the format of files.
        gold_format: the format of gold files; None if gold files and outputs have the same `format`.
        weights: the weights and language models that have been read; the keys come from `scoring.selection.key_of`.
        folder: the folder to which paths in measures are relative; "" is the current folder.
        partial: whether to also score outputs whose text differs from gold or whose trees are broken.
    """

    measures: tuple[Measure, ...]
    rules: Rules
    registry: Registry = STANDARD
    format: Format = "conllu"
    gold_format: Format | None = None
    weights: Mapping[str, Resource] = field(default_factory=dict)
    folder: str = ""
    partial: bool = False

    @property
    def format_of_gold(self) -> Format:
        """The format of gold files."""
        return self.gold_format or self.format

    @cached_property
    def key(self) -> str:
        """A hash of everything that determines the numbers; equal settings have equal keys."""
        import json

        parts = [
            *(self.rules.signature, sorted(self.rules.switches), self.names, self.registry.schemes.default),
            *(["several roots"] if self.rules.several_roots else []),
            *(self.registry.used(self.measures), self.format, self.gold_format, self.partial),
            {name: weights.sha256 for name, weights in self.weights.items()},
        ]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        # the key has only the names of functions
        return isinstance(other, Setup) and self.key == other.key and self.defined == other.defined

    def __hash__(self) -> int:
        return hash(self.key)

    @cached_property
    def defined(self) -> tuple[tuple[Measure, Definition], ...]:
        """The measures with their definitions."""
        return tuple((measure, self.registry.measures[measure.name]) for measure in self.measures)

    @property
    def _unread(self) -> list[tuple[Measure, Definition]]:
        return [
            (measure, definition)
            for measure, definition in self.defined
            if definition.needs_file and key_of(measure) not in self.weights
        ]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the measures."""
        return tuple(map(str, self.measures))

    @property
    def perplexities(self) -> tuple[str, ...]:
        """The names of the measures for which lower values are better."""
        return tuple(str(measure) for measure, definition in self.defined if definition.lower_is_better)

    @property
    def needs_punctuation(self) -> bool:
        """Whether a measure leaves out punctuation by Callin's definition, which depends on the whole gold file."""
        return any(definition.punctuation_for(measure.argument) == "callin" for measure, definition in self.defined)

    def values_of(self, measure: Measure) -> Any:
        """Return the weights or the model for a measure; None if it needs neither."""
        needs_file = self.registry.measures[measure.name].needs_file
        return self.weights[key_of(measure)].values if needs_file else None

    def with_measures(self, measures: Iterable[Measure]) -> Setup:
        """Return the same settings for other measures of the registry."""
        return replace(self, measures=tuple(measures))

    def read(self, treebank: str | None = None) -> Setup:
        """Return the settings after reading all files of weights and models that measures name, each file once.

        In paths, `{treebank}` is replaced by the code `treebank`. If `treebank` is None, files whose path contains
        `{treebank}` are not read.
        """
        self.check_entropies()
        read = dict(self.weights)
        for measure, definition in self._unread:
            key = key_of(measure)
            if key not in read and not (treebank is None and TEMPLATE in (measure.argument or "")):
                path = self.place_of(key_of(for_treebank(measure, treebank)))
                read[key] = definition.load(path) if definition.load else read_weights(path)
        return replace(self, weights=read)

    def check_entropies(self) -> None:
        """Raise a MeasureError if a measure such as WLAS(WDE) lacks its weights, the word dependency entropies."""
        for measure, definition in self._unread:
            if key_of(measure) == ENTROPY and definition.takes_weights:
                message = (
                    f"{measure} requires training treebanks: give --train FILE. In rank, use {measure.name}(FILE) with"
                    " the weights of levelhead profile --wde-table FILE"
                )
                raise MeasureError(message, "missing-weight")

    def check_functions(self, *, elsewhere: bool, stored: bool) -> None:
        """Raise a MeasureError if a measure is a function, but results are `stored`, or computed in other processes."""
        for what, given in (("store=", stored), ("jobs= and cluster=", elsewhere)):
            for measure in self.measures if given else ():
                if self.registry.functions([measure]):
                    message = f"{measure} is a function, which only this process can run: leave out {what}"
                    raise MeasureError(message, "invalid-measure")

    def with_pipes(self) -> Setup:
        """Return the settings after reading weights and models from named pipes, which can be read only once."""
        pipes = [measure for measure, _ in self._unread if is_stream(self.place_of(path_of(measure)))]
        return replace(self, weights=self.with_measures(pipes).read().weights) if pipes else self

    def place_of(self, path: str) -> str:
        """Return `folder` joined with the `path` in a measure's argument; options after the path are kept."""
        return os.path.join(self.folder, path)  # noqa: PTH118

    def for_pair(self) -> Setup:
        """Return the settings for a single pair of treebanks, after reading the files of weights and models."""
        for measure, _ in self._unread:
            for_treebank(measure, None)  # refuses a file for each treebank
        return self.read() if self._unread else self

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the weights and models that measures name."""
        return tuple(
            f"{measure}: {warning}"
            for measure, definition in self.defined
            if definition.needs_file
            for warning in self.weights[key_of(measure)].warnings
        )

    def signature_of_rules(self) -> dict[str, str]:
        """Return the parts of the signature about rules: name, modifications, and whether scores are partial."""
        parts = {"rules": self.rules.signature} | ({"partial": "yes"} if self.partial else {})
        parts |= {"without": "+".join(sorted(self.rules.switches))} if self.rules.switches else {}
        return parts | ({"roots": "several"} if self.rules.several_roots else {})

    def signature_of_measures(self, files: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
        """Return the parts of the signature about measures: hashes of weights and definitions, functions, and classes.

        For measures in the mapping `files`, the hashes in this mapping are used instead of the hashes of `weights`.
        """
        parts = {
            str(measure): files.get(str(measure)) or self.weights[key_of(measure)].sha256[:12]
            for measure, definition in self.defined
            if definition.needs_file
        }
        names = {name for measure in self.measures for name in (measure.only, *measure.without) if name}
        joined = {
            "definitions": [digest[:12] for digest in self.registry.used(self.measures)],
            "functions": self.registry.functions(self.measures),
            "classes": sorted({self.registry.schemes.qualified(name) for name in names if is_class(name)}),
        }
        return parts | {name: "+".join(values) for name, values in joined.items() if values}


def setup_of(
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    rules: str | Rules = "ud",
    format: Format = "conllu",  # noqa: A002
    gold_format: Format | None = None,
    registry: Registry | None = None,
    weights: Mapping[str, Resource | Mapping[str, float]] | None = None,
    folder: str = "",
    partial: bool = False,
    allow_several_roots: bool = False,
) -> Setup:
    """Return the settings that determine scores.

    Args:
        measures: a string such as `LAS,CLAS`, or a list of strings or measures; by default, the measures that the
            official scorer for these rules prints.
        rules: `ud`, `udtools`, `conll18`, `conll17`, `msp25` or `msp25-sorted`.
        format: the format of files, "conllu" or "conllx".
        gold_format: the format of gold files, if it differs from `format`. If gold is CoNLL-U and outputs are CoNLL-X,
            the multiword tokens of gold are split, since CoNLL-X has no multiword tokens.
        registry: the available measures and schemes; by default the shipped ones.
        weights: a mapping from name to weights, such as `{"mine": {"det": 0.1, "nsubj": 1}}` for `WLAS(mine)`. The name
            `WDE` is reserved for word dependency entropies of training treebanks.
        folder: the folder to which paths in measures are relative, by default the current folder.
        partial: whether to also score outputs whose text differs from gold or whose trees are broken.
        allow_several_roots: whether a sentence can have several words with HEAD 0.

    Raises:
        MeasureError: a measure or the rules are unknown, the rules do not define the measure, or the rules do
            not allow several roots.
    """
    chosen = with_several_roots(rules) if allow_several_roots else rules_named(rules)
    listed = (
        [measures] if isinstance(measures, str | Measure) else list(chosen.measures if measures is None else measures)
    )
    known = (registry or STANDARD).including(listed)
    texts = [text for given in listed for text in (split_measures(given) if isinstance(given, str) else [str(given)])]
    parsed = tuple(parse_measure(text, known) for text in texts)
    for measure in parsed:
        if not chosen.defines(measure.name):
            others = [name for name, other in RULES.items() if other.defines(measure.name)]
            advice = f"use the rules {', '.join(others)}" if others else f"use {', '.join(chosen.measures)}"
            message = f"the rules {chosen.name} do not define {measure.name}: {advice}"
            raise MeasureError(message, "unknown-measure")
        if chosen.content and replace(measure, component=None) != Measure(measure.name):
            message = f"{measure}: under the rules {chosen.name}, {measure.name} has neither arguments nor classes"
            raise MeasureError(message, "unknown-measure")
    named = (weights or {}).items()
    resources = {name: each if isinstance(each, Resource) else checked_weights(each) for name, each in named}
    for name, resource in resources.items():
        if isinstance(resource.values, Mapping):  # the hash of their values, which may differ from those of a file
            resources[name] = replace(resource, sha256=weights_of(resource.values).sha256)
    if partial and chosen.content:
        raise MeasureError(f"the rules {chosen.name} do not support partial scores", "no-partial-score")
    setup = Setup(parsed, chosen, known, format, gold_format, resources, folder, partial)
    if partial and setup.perplexities:
        raise MeasureError(f"{setup.perplexities[0]} requires valid trees: it has no partial score", "no-partial-score")
    return setup
