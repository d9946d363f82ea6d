"""Training a parser on a treebank, and parsing with it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError
from levelhead.parsing.columns import Columns, columns_of
from levelhead.parsing.model import PARSERS, Model
from levelhead.parsing.templates import ACTIONS, EAGER_ACTIONS, LABELS
from levelhead.parsing.transition import Averages, Schedule, Trees, parse_transitions, tables_of, train_transitions
from levelhead.treebank import Column, Treebank
from levelhead.treebank.relations import universal
from levelhead.treebank.strings import UNDERSCORE
from levelhead.treebank.treebank import COLUMNS

Relations = Literal["universal", "full"]

DEFAULT_BEAM = 4
_PATIENCE = 3


class Report(NamedTuple):
    """How far training is.

    Args:
        done: passes over the training data that are done.
        passes: how many there will be.
        uas: on the development treebank, if there is one.
        las: likewise; relations with subtypes count as their universal relation.
    """

    done: int
    passes: int
    uas: float | None = None
    las: float | None = None


def train(
    treebank: Treebank,
    parser: str = "swap-lazy",
    *,
    dev: Treebank | None = None,
    beam: int = DEFAULT_BEAM,
    seed: int = 0,
    relations: Relations = "universal",
    schedule: Schedule | None = None,
    progress: Callable[[Report], None] | None = None,
) -> Model:
    """Train a parser.

    Args:
        treebank: what to learn from.
        parser: a transition system.
        dev: a treebank to stop early by: the pass with the best LAS on it is kept.
        beam: how many hypotheses are kept in training and parsing; 1 is greedy.
        seed: of the order of sentences; the same seed gives the same model.
        relations: learn universal relations, or those with their subtypes.
        schedule: how many passes and runs.
        progress: called after each pass.

    Raises:
        InputError: there is no such parser, or the treebank is empty.
    """
    check_parser(parser)
    if not treebank.n_words:
        raise InputError(Fault("nothing-to-train-on", "the treebank has no words"))
    labels, names, root = _labels(treebank, relations)
    trees = Trees(columns_of(treebank), treebank.sentence_starts, treebank.local_heads(), labels)
    templates = {"actions": EAGER_ACTIONS if parser == "arc-eager" else ACTIONS, "labels": LABELS}
    chosen = schedule or default_schedule(beam)
    training: dict[str, str | int | float] = {
        "version": VERSION,
        "words": treebank.n_words,
        "sentences": len(treebank),
        "seed": seed,
    }
    model = Model(parser, names, root, templates, beam, {}, training)
    passes = train_transitions(trees, parser, beam, templates, len(names), root, chosen, seed)
    n_passes = chosen.runs * (chosen.greedy + (chosen.beam if beam > 1 else 0))
    return _best(model, passes, n_passes, dev, progress)


def default_schedule(beam: int) -> Schedule:
    """Return how long training lasts if nothing is said (docs/parsers.md has what else was tried)."""
    return Schedule(greedy=4, beam=4, runs=3) if beam > 1 else Schedule(greedy=5, beam=0, runs=2)


def check_parser(parser: str) -> None:
    """Raise an InputError, with the nearest names, if there is no such parser."""
    if parser not in PARSERS:
        near = difflib.get_close_matches(parser, PARSERS, 1, 0)
        raise InputError(Fault("unknown-parser", f"there is no parser {parser!r}; there is {near[0]}"))


def _best(
    model: Model,
    passes: Iterator[Averages],
    n_passes: int,
    dev: Treebank | None,
    progress: Callable[[Report], None] | None,
) -> Model:
    """The model after the last pass, or after the one that is best on the development treebank."""
    best, best_las, since = model, -1.0, 0
    averages: Averages = ()
    heard = _heard(dev)
    for done, averages in enumerate(passes, 1):
        report = Report(done, n_passes)
        if heard is not None:
            now = replace(model, tables=tables_of(averages))
            report = Report(done, n_passes, *heard.scores(now))
            since += 1
            if report.las is not None and report.las > best_las:
                best, best_las, since = now, report.las, 0
        if progress is not None:
            progress(report)
        if since > _PATIENCE:
            break
    return best if heard is not None else replace(model, tables=tables_of(averages))


class _Development(NamedTuple):
    """A development treebank, read once."""

    columns: Columns
    starts: NDArray[np.int32]
    heads: NDArray[np.int32]
    relations: Sequence[str]

    def scores(self, model: Model) -> tuple[float, float]:
        """UAS and LAS of a model."""
        heads, labels = parse_columns(model, self.columns, self.starts)
        names = [universal(relation) for relation in model.relations]
        agree = np.array([names[label] == own for label, own in zip(labels.tolist(), self.relations)], bool)
        right = heads == self.heads
        return float(right.mean()), float((right & agree).mean())


def _heard(dev: Treebank | None) -> _Development | None:
    if dev is None or not dev.n_words:
        return None
    own = [universal(relation) for relation in dev.relations]
    return _Development(columns_of(dev), dev.sentence_starts, dev.local_heads(), own)


def _labels(treebank: Treebank, relations: Relations) -> tuple[NDArray[np.int32], tuple[str, ...], int]:
    """The number of each word's relation, the relations most frequent first, and which one roots have."""
    texts = treebank.strings.texts
    names = [universal(text) for text in texts] if relations == "universal" else texts
    counts: dict[str, int] = {}
    for code, count in enumerate(np.bincount(treebank.relations.codes, minlength=len(texts)).tolist()):
        if count:
            counts[names[code]] = counts.get(names[code], 0) + count
    ordered = sorted(counts, key=lambda name: -counts[name])
    numbers = {name: number for number, name in enumerate(ordered)}
    labels = np.array([numbers.get(name, -1) for name in names], np.int32)[treebank.relations.codes]
    of_roots = np.bincount(labels[treebank.heads < 0], minlength=len(ordered))
    return labels, tuple(ordered), int(of_roots.argmax())


def parse_columns(
    model: Model, columns: Columns, starts: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the heads (1-based in the sentence, 0 for the root) and the numbers of the relations."""
    return parse_transitions(model, columns, starts)


def parse_treebank(model: Model, treebank: Treebank) -> Treebank:
    """Return a treebank with the heads and relations that a parser gives it; DEPS become empty.

    Args:
        model: the parser.
        treebank: what to parse; its heads and relations are not looked at.
    """
    if not treebank.n_words:
        return treebank
    local, labels = parse_columns(model, columns_of(treebank), treebank.sentence_starts)
    first_words = np.repeat(treebank.sentence_starts[:-1], np.diff(treebank.sentence_starts))
    heads = np.where(local == 0, -1, local - 1 + first_words).astype(np.int32)
    strings, codes = treebank.strings.with_texts(model.relations)
    columns: dict[str, Any] = {name: Column(getattr(treebank, name).codes, strings) for name in COLUMNS}
    columns["relations"] = Column(codes[labels], strings)
    columns["deps"] = Column(np.full(treebank.n_words, UNDERSCORE, np.int32), strings)
    return replace(treebank, **columns, heads=heads, source=replace(treebank.source, sha256=None))
