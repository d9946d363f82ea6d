"""Trains our own parsers on a treebank, and parses with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.conversion import backward, forward, ud_version
from levelhead.errors import Fault, InputError, Place, unknown
from levelhead.parsing.features import (
    Columns,
    Progress,
    columns_of,
    in_chunks,
    reading_backwards,
    reversed_columns,
    reversed_heads,
    templates_for,
)
from levelhead.parsing.graph import parse_graph, train_graph
from levelhead.parsing.model import (
    GRAPH_PARSERS,
    PARSERS,
    Averages,
    Integers,
    Model,
    Schedule,
    Trees,
    table_names,
    table_shapes,
    training_record,
)
from levelhead.parsing.parser_input import check_relations, learnable
from levelhead.parsing.transition import parse_transitions, train_transitions
from levelhead.treebank import StringColumn, Treebank, check_trees, from_conllu, to_conllu
from levelhead.treebank.relations import universal
from levelhead.treebank.strings import UNDERSCORE
from levelhead.treebank.tokens import COLUMNS

Relations = Literal["universal", "full"]
Scheme = Literal["content-head", "function-head"]

DEFAULT_BEAM = 4
_PATIENCE = 3


class Report(NamedTuple):
    """The progress of training.

    Args:
        done: the number of completed passes over the training data.
        passes: the number of all passes.
        uas: UAS on the development treebank; None without one.
        las: LAS on the development treebank, with universal relations; None without one.
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
    with_dev: bool = False,
    beam: int = DEFAULT_BEAM,
    seed: int = 0,
    relations: Relations = "universal",
    scheme: Scheme = "content-head",
    reverse: bool = False,
    schedule: Schedule | None = None,
    progress: Callable[[Report], None] | None = None,
) -> Model:
    """Return one of our own parsers, trained on a treebank.

    Args:
        treebank: the training treebank; sentences that are too long are left out (see `long_training_warnings`).
        parser: a transition system, "graph" or "graph-first-order".
        dev: a treebank for early stopping: the pass with the best LAS on it is kept.
        with_dev: then train on both treebanks, for the best number of passes.
        beam: the beam width of transition systems in training and parsing; 1 is greedy.
        seed: the random seed for the order of sentences; the same seed gives the same model.
        relations: learn universal relations, or full relations with subtypes.
        scheme: learn trees as annotated, or converted to function heads; parsing then converts back.
        reverse: read sentences from the last word to the first; the trees do not change.
        schedule: the number of passes and runs; None for the default of the parser.
        progress: called after each pass.

    Raises:
        InputError: the parser is unknown, the treebank has no words or too many relations, a relation is invalid, or
            the development treebank has no trees.
    """
    check_parser(parser, PARSERS)
    check_dev(dev, relations, learned=with_dev)
    chosen = schedule or default_schedule(parser, beam)
    if parser not in GRAPH_PARSERS and beam == 1:
        chosen = chosen._replace(second=0)  # greedy training has one phase
    n = n_passes(parser, chosen)
    learned = partial(
        _learned, parser=parser, beam=beam, seed=seed, relations=relations, scheme=scheme, reverse=reverse,
        schedule=chosen,
    )  # fmt: skip
    if dev is None or not with_dev:
        return learned(treebank, dev=dev, passes=n, progress=progress)[0]
    _, done = learned(treebank, dev=dev, passes=n, progress=part_of(progress, 0, 2 * n))
    return learned(joined(treebank, dev), dev=None, passes=done, progress=part_of(progress, n, 2 * n))[0]


def part_of(progress: Callable[[Report], None] | None, before: int, passes: int) -> Callable[[Report], None] | None:
    """Return a callback that reports the passes of one part of training as passes of the whole training."""
    if progress is None:
        return None
    return lambda report: progress(report._replace(done=before + report.done, passes=passes))


def _learned(
    treebank: Treebank,
    *,
    parser: str,
    beam: int,
    seed: int,
    relations: Relations,
    scheme: Scheme,
    reverse: bool,
    schedule: Schedule,
    dev: Treebank | None,
    passes: int,
    progress: Callable[[Report], None] | None,
) -> tuple[Model, int]:
    """A trained model, and the number of passes after which it was kept, at most `passes`."""
    treebank = learnable(treebank, parser)
    source, function_head = prepared(treebank, relations, scheme)
    labels, names, root = _labels(source)
    check_memory([parser], treebank.n_words, len(names))
    templates = templates_for(parser)
    columns, starts, heads = columns_of(treebank, templates.values()), treebank.sentence_starts, source.local_heads()
    if reverse:
        columns, heads = reversed_columns(columns, starts), reversed_heads(heads, starts)
        labels = labels[reading_backwards(starts)]
    graph_based = parser in GRAPH_PARSERS
    training = training_record(treebank, seed=seed)
    model = Model(parser, names, root, templates, 1 if graph_based else beam, {}, training, function_head, reverse)
    averages = (train_graph if graph_based else train_transitions)(
        Trees(columns, starts, heads, labels), model, schedule, seed
    )
    return _best(model, islice(averages, passes), passes, dev, progress)


def check_dev(dev: Treebank | None, relations: Relations, *, learned: bool) -> None:
    """Raise an InputError, placed in the development treebank, if it has no trees or invalid relations."""
    if dev is None or not dev.n_words:
        return
    if learned:
        prepared(dev, relations, "content-head")
    else:
        check_trees(dev)


def joined(treebank: Treebank, dev: Treebank) -> Treebank:
    """Return the sentences of both treebanks."""
    return from_conllu(to_conllu(treebank) + to_conllu(dev), name=treebank.source.path or "<treebank>")


def prepared(treebank: Treebank, relations: Relations, scheme: Scheme) -> tuple[Treebank, int | None]:
    """Return a treebank with the relations and trees that a parser learns.

    With it comes the version of UD used to convert its trees to function heads; None if they are not converted.
    """
    check_trees(treebank)
    if not treebank.n_words:
        raise InputError(Fault("nothing-to-train-on", "the treebank has no words", Place(treebank.source.path)))
    names = [universal(name) if relations == "universal" else name for name in treebank.relations]
    check_relations(treebank, names)
    if relations == "universal":
        treebank = treebank.replace(relations=names)
    if scheme == "content-head":
        return treebank, None
    version = ud_version(treebank) or 2
    return forward(treebank, ud=version), version


def default_schedule(parser: str, beam: int) -> Schedule:
    """Return the default schedule of a parser (docs/parser-experiments.md has the alternatives that were tried)."""
    if parser in GRAPH_PARSERS:
        return Schedule(first=2, second=6, runs=2) if parser == "graph" else Schedule(first=6, second=0, runs=2)
    return Schedule(first=4, second=4, runs=2) if beam > 1 else Schedule(first=4, second=0, runs=2)


def n_passes(parser: str, schedule: Schedule) -> int:
    """Return the number of reported passes; first-order passes before second order are not reported."""
    if parser in GRAPH_PARSERS:
        return schedule.runs * (schedule.second if parser == "graph" else schedule.first)
    return schedule.runs * (schedule.first + schedule.second)


def check_parser(parser: str, known: Sequence[str]) -> None:
    """Raise an InputError, with a suggestion, if a parser is unknown."""
    if parser not in known:
        raise InputError(Fault("unknown-parser", unknown("parser", parser, known)))


def _best(
    model: Model,
    passes: Iterable[Averages],
    n_passes: int,
    dev: Treebank | None,
    progress: Callable[[Report], None] | None,
) -> tuple[Model, int]:
    """The model after the last pass, or the best pass on the development treebank; and the number of that pass."""
    best, best_las, best_pass, done = model, -1.0, 0, 0
    averages: Averages = ()
    held_out = dev is not None and dev.n_words > 0
    gold = [universal(relation) for relation in dev.relations] if dev is not None else []
    for done, averages in enumerate(passes, 1):
        report = Report(done, n_passes)
        if dev is not None and held_out:
            now = _with_weights(model, averages)
            parsed = parse_treebank(now, dev)
            agree = np.array([universal(name) == expected for name, expected in zip(parsed.relations, gold)], bool)
            right = parsed.heads == dev.heads
            las = float((right & agree).mean())
            report = Report(done, n_passes, float(right.mean()), las)
            if las > best_las:
                best, best_las, best_pass = now, las, done
        if progress is not None:
            progress(report)
        if held_out and done - best_pass > _PATIENCE:
            break
    return (best, best_pass) if held_out else (_with_weights(model, averages), done)


def _labels(treebank: Treebank) -> tuple[NDArray[np.int32], tuple[str, ...], int]:
    """The number of each word's relation, the relations (most frequent first), and the number of the root relation."""
    counts = Counter(treebank.relations)
    ordered = sorted(counts, key=lambda name: -counts[name])
    numbers = {name: number for number, name in enumerate(ordered)}
    labels = np.array([numbers[name] for name in treebank.relations], np.int32)
    of_roots = np.bincount(labels[treebank.heads < 0], minlength=len(ordered))
    return labels, tuple(ordered), int(of_roots.argmax())


def parse_columns(model: Model, columns: Columns, starts: NDArray[np.int32]) -> tuple[Integers, Integers]:
    """Return the heads (1-based in the sentence, 0 for the root) and the numbers of the relations."""
    parse = parse_graph if model.parser in GRAPH_PARSERS else parse_transitions
    if not model.reverse:
        return parse(model, columns, starts)
    heads, labels = parse(model, reversed_columns(columns, starts), starts)
    return reversed_heads(heads, starts), labels[reading_backwards(starts)]


def parse_treebank(model: Model, treebank: Treebank, *, progress: Progress | None = None) -> Treebank:
    """Return a treebank parsed by one of our own parsers; DEPS becomes empty.

    Args:
        model: the parser.
        treebank: the treebank to parse; its heads and relations are ignored.
        progress: called with the number of sentences in each chunk that is parsed.
    """
    return parse_with(partial(parse_columns, model), [model], treebank, model.function_head, progress)


def parse_with(
    parse: Callable[[Columns, Integers], tuple[Integers, Integers]],
    models: Sequence[Model],
    treebank: Treebank,
    function_head: int | None,
    progress: Progress | None,
) -> Treebank:
    """Return a treebank parsed by a function that uses models with the same relations; DEPS becomes empty."""
    if not treebank.n_words:
        return treebank
    columns = columns_of(treebank, [text for model in models for text in model.templates.values()])
    heads, labels = in_chunks(columns, treebank.sentence_starts, parse, progress)
    return restored(_with_trees(treebank, heads, labels, models[0].relations), function_head)


def _with_trees(treebank: Treebank, local: Integers, labels: Integers, relations: Sequence[str]) -> Treebank:
    """Return a treebank with new trees; DEPS becomes empty."""
    first_words = np.repeat(treebank.sentence_starts[:-1], np.diff(treebank.sentence_starts))
    heads = np.where(local == 0, -1, local - 1 + first_words).astype(np.int32)
    strings, codes = treebank.strings.with_texts(relations)
    columns: dict[str, Any] = {name: StringColumn(getattr(treebank, name).codes, strings) for name in COLUMNS}
    columns["relations"] = StringColumn(codes[labels], strings)
    columns["deps"] = StringColumn(np.full(treebank.n_words, UNDERSCORE, np.int32), strings)
    return replace(treebank, **columns, heads=heads, has_trees=True, source=replace(treebank.source, sha256=None))


def restored(parsed: Treebank, function_head: int | None) -> Treebank:
    """Return a parser's output, converted back to content heads if the parser was trained on function heads."""
    return parsed if function_head is None else backward(parsed, ud=function_head)


Shapes = Mapping[str, tuple[int, int]]
"""The numbers of rows and classes of each table, by name."""

MOST_BYTES = 1 << 28
"""The largest size of all tables of a model in memory; parsing takes up to three times as much."""

MOST_BYTES_TOGETHER = 17 << 25
"""The largest size of the tables of all parsers of an ensemble in memory."""

MOST_MARGIN = 1 << 22
"""The largest margin, for models with tiny weights: the scores of arcs stay far below the penalty of a second root."""

_ENDLESS = 1 << 40  # words: more than any treebank has, so every table has its largest number of rows


def check_memory(parsers: Sequence[str], n_words: int, n_relations: int) -> None:
    """Raise an InputError if a model (of one parser) or an ensemble would be larger than `read_model` accepts."""
    size = sum(n_bytes(table_shapes(parser, n_words, n_relations)) for parser in parsers)
    limit = MOST_BYTES if len(parsers) == 1 else MOST_BYTES_TOGETHER
    if size > limit:
        message = f"tables for {n_relations} relations take {size} bytes, but at most {limit} are allowed"
        raise InputError(Fault("model-too-large", message))


def n_bytes(shapes: Shapes) -> int:
    """Return the size of tables of these shapes in memory, in bytes."""
    return 2 * sum(rows * classes for rows, classes in shapes.values())


def check_shapes(parser: str, n_relations: int, shapes: Shapes) -> None:
    """Raise a ValueError unless the kernels can use tables of these shapes, and their size is within the limit."""
    largest = table_shapes(parser, _ENDLESS, n_relations)
    if set(shapes) != set(largest):
        raise ValueError("unexpected tables")
    for name, (rows, classes) in shapes.items():
        most, expected = largest[name]
        # The top bits of a hash select a row: at least one bit.
        if not 2 <= rows <= most or rows & (rows - 1) or classes != expected:
            raise ValueError(name)
    for first, second in (("parts", "first"), ("labels", "relations")):  # trained with the same number of rows
        if second in shapes and shapes[first] != shapes[second]:
            raise ValueError(second)
    if n_bytes(shapes) > MOST_BYTES:
        raise ValueError("too large")


def _with_weights(model: Model, averages: Averages) -> Model:
    """A model with averaged weights as integers. Tables whose scores are added up share a scale.

    These are actions and labels (added up by a beam), and parts and relations.
    """
    graph_based = model.parser in GRAPH_PARSERS
    floats = dict(zip(table_names(model.parser), averages, strict=True))
    tables = {}
    margin = 1
    for together in (("parts", "relations"), ("labels",), ("first",)) if graph_based else (tuple(floats),):
        members = [name for name in together if name in floats]
        largest = max((float(np.abs(floats[name]).max()) for name in members), default=0.0)
        scale = 32000 / largest if largest else 1.0
        for name in members:
            integers = np.rint(floats[name] * scale).astype(np.int16)
            tables[name] = integers.reshape(len(integers), -1)
        if graph_based and "parts" in members:
            margin = min(max(1, round(scale)), MOST_MARGIN)
    return replace(model, tables={name: tables[name] for name in floats}, margin=margin)
