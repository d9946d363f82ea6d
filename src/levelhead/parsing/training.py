"""Trains our own parsers on a treebank, and parses with them.

In the ensemble, transition parsers vote for arcs, and the graph-based parser finds the best tree of these arcs. Members
differ in their transition system, the order of training sentences, and the reading direction. Only heads that a member
predicts are considered. The score of an arc is its score in the graph-based parser, with siblings and grandparents,
plus a bonus for each vote: reparsing (Sagae and Lavie 2006) inside the search of another parser. This is faster than
the graph-based parser alone, which starts from all pairs of words. Relations are chosen by a vote of the graph-based
parser and the members, in which members with another head count less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.conversion import backward, forward, ud_version
from levelhead.errors import Fault, InputError, Place, unknown
from levelhead.parsing import search
from levelhead.parsing.features import (
    Columns,
    Integers,
    Progress,
    columns_of,
    in_chunks,
    of_words,
    reading_backwards,
    reversed_heads,
    templates_for,
)
from levelhead.parsing.model import (
    ENSEMBLE,
    GRAPH_PARSERS,
    TABLES,
    Averages,
    Ensemble,
    Heads,
    Model,
    Recipe,
    Relations,
    Schedule,
    Trees,
    table_shapes,
    training_record,
)
from levelhead.parsing.parser_input import check_relations, learnable
from levelhead.treebank import Treebank, check_trees, from_conllu, to_conllu
from levelhead.treebank.relations import universal

_PATIENCE = 3


class Report(NamedTuple):
    """The progress of training.

    Args:
        done: the number of completed passes over the training data.
        passes: the total number of passes.
        uas: UAS on the development treebank; None without a development treebank.
        las: LAS on the development treebank, with universal relations; None without a development treebank.
    """

    done: int
    passes: int
    uas: float | None = None
    las: float | None = None


Tell = Callable[[Report], None] | None  # called after each pass


def train_single(treebank: Treebank, recipe: Recipe, *, dev: Treebank | None, with_dev: bool, tell: Tell) -> Model:
    n = n_passes(recipe)
    if dev is None or not with_dev:
        return _learned(treebank, recipe, dev, n, tell)[0]
    _, done = _learned(treebank, recipe, dev, n, part_of(tell, 0, 2 * n))
    return _learned(joined(treebank, dev), recipe, None, done, part_of(tell, n, 2 * n))[0]


def part_of(tell: Tell, before: int, passes: int) -> Tell:
    """Return a callback that reports the passes of one part of training as passes of the whole training."""
    return tell and (lambda report: tell(report._replace(done=before + report.done, passes=passes)))


def _learned(treebank: Treebank, recipe: Recipe, dev: Treebank | None, n_passes: int, tell: Tell) -> tuple[Model, int]:
    """A trained model, and the number of passes after which it was kept, at most `n_passes`."""
    parser, graph_based = recipe.parser, recipe.parser in GRAPH_PARSERS
    treebank = learnable(treebank, parser)
    source, function_head = prepared(treebank, recipe.relations, recipe.heads)
    names = tuple(name for name, _ in Counter(source.relations).most_common())
    numbers = {name: number for number, name in enumerate(names)}
    labels = np.array([numbers[name] for name in source.relations], np.int32)
    root = int(np.bincount(labels[source.heads < 0]).argmax())
    check_memory([parser], treebank.n_words, len(names))
    templates = templates_for(parser)
    columns, starts, heads = columns_of(treebank, templates.values()), treebank.sentence_starts, source.local_heads()
    if recipe.reverse:
        order = reading_backwards(starts)
        columns, heads, labels = of_words(columns, order), reversed_heads(heads, starts), labels[order]
    training, beam = training_record(treebank, seed=recipe.seed), 1 if graph_based else recipe.beam
    model = Model(parser, names, root, templates, beam, {}, training, function_head, recipe.reverse)
    trees = Trees(columns, starts, heads, labels)
    passes = (search.train_graph if graph_based else search.train_transitions)(
        trees, model, _schedule(recipe), recipe.seed
    )
    best, best_las, best_pass, done, averages = model, -1.0, 0, 0, Averages()  # the best on the development treebank
    for done, averages in enumerate(islice(passes, n_passes), 1):
        report = Report(done, n_passes)
        if dev is not None:
            current = _with_weights(model, averages)
            parsed = parse_treebank(current, dev)
            same_relation = [universal(name) == universal(gold) for name, gold in zip(parsed.relations, dev.relations)]
            same_head = parsed.heads == dev.heads
            las = float((same_head & np.array(same_relation, bool)).mean())
            report = Report(done, n_passes, float(same_head.mean()), las)
            if las > best_las:
                best, best_las, best_pass = current, las, done
        if tell is not None:
            tell(report)
        if dev is not None and done - best_pass > _PATIENCE:
            break
    return (_with_weights(model, averages), done) if dev is None else (best, best_pass)


def joined(treebank: Treebank, dev: Treebank) -> Treebank:
    return from_conllu(to_conllu(treebank) + to_conllu(dev), name=treebank.source.path or "<treebank>")


def prepared(treebank: Treebank, relations: Relations, heads: Heads) -> tuple[Treebank, int | None]:
    """Return a treebank with what a parser learns, and the UD version for converting to function heads, if any."""
    check_trees(treebank)
    if not treebank.n_words:
        raise InputError(Fault("nothing-to-train-on", "the treebank has no words", Place(treebank.source.path)))
    names = [universal(name) if relations == "universal" else name for name in treebank.relations]
    check_relations(treebank, names)
    if relations == "universal":
        treebank = treebank.replace(relations=names)
    if heads == "content":
        return treebank, None
    version = ud_version(treebank) or 2
    return forward(treebank, ud=version), version


# development/parser-experiments.md has the alternatives that were tried
_SCHEDULES = {"graph": Schedule(first=2, second=6, runs=2), "graph-first-order": Schedule(first=6, second=0, runs=2)}


def _schedule(recipe: Recipe) -> Schedule:
    schedule = recipe.schedule or _SCHEDULES.get(recipe.parser, Schedule(first=4, second=4, runs=2))
    return schedule if recipe.parser in GRAPH_PARSERS or recipe.beam > 1 else schedule._replace(second=0)


def n_passes(recipe: Recipe) -> int:
    """Return the number of reported passes; first-order passes before second order are not reported."""
    first, second, runs = _schedule(recipe)
    return runs * {"graph": second, "graph-first-order": first}.get(recipe.parser, first + second)


def check_parser(parser: str, known: Sequence[str]) -> None:
    if parser not in known:
        raise InputError(Fault("unknown-parser", unknown("parser", parser, known)))


def parse_columns(model: Model, columns: Columns, starts: NDArray[np.int32]) -> tuple[Integers, Integers]:
    """Return the heads (1-based in the sentence, 0 for the root) and the numbers of the relations."""
    parse = search.parse_graph if model.parser in GRAPH_PARSERS else search.parse_transitions
    if not model.reverse:
        return parse(model, columns, starts)
    order = reading_backwards(starts)
    heads, labels = parse(model, of_words(columns, order), starts)
    return reversed_heads(heads, starts), labels[order]


def parse_treebank(model: Model | Ensemble, treebank: Treebank, *, progress: Progress | None = None) -> Treebank:
    """Return a treebank parsed by one of our own parsers; DEPS becomes empty."""
    if not treebank.n_words:
        return treebank
    if isinstance(model, Ensemble):
        models, parse = (model.graph, *model.members), partial(_parsed_by_ensemble, model)
    else:
        models, parse = (model,), partial(parse_columns, model)
    columns = columns_of(treebank, [text for single in models for text in single.templates.values()])
    heads, labels = in_chunks(columns, treebank.sentence_starts, parse, progress)
    first_words = np.repeat(treebank.sentence_starts[:-1], np.diff(treebank.sentence_starts))
    global_heads = np.where(heads == 0, -1, heads - 1 + first_words).astype(np.int32)
    names = np.array(models[0].relations, dtype=object)[labels]
    parsed = treebank.replace(relations=names, deps=["_"] * treebank.n_words)
    return restored(replace(parsed, heads=global_heads, has_trees=True), model.function_head)


def restored(parsed: Treebank, function_head: int | None) -> Treebank:
    """Return a parser's output, converted back to content heads if the parser was trained on function heads."""
    return parsed if function_head is None else backward(parsed, ud=function_head)


_GRAPH_RELATION = 3.0  # votes of the graph-based parser for its relation
_OTHER_ARC = 0.1  # votes of a member with another head for its relation


def train_ensemble(treebank: Treebank, recipe: Recipe, *, dev: Treebank | None, with_dev: bool, tell: Tell) -> Ensemble:
    treebank = learnable(treebank, ENSEMBLE)
    # A member has a single run, since two members are worth more than the average of two runs.
    schedule = recipe.schedule or Schedule(first=4, second=4, runs=1)
    parts = [recipe._replace(parser="graph")]
    parts += [recipe._replace(parser=part.parser, reverse=part.reverse, schedule=schedule) for part in recipe.members]
    passes = [n_passes(part) * (1 + with_dev) for part in parts]
    models: list[Model] = []
    for number, part in enumerate(parts):
        part_tell = part_of(tell, sum(passes[:number]), sum(passes))
        seeded = part._replace(seed=recipe.seed * len(parts) + number)
        models.append(train_single(treebank, seeded, dev=dev, with_dev=with_dev, tell=part_tell))
        if not number:
            check_memory([part.parser for part in parts], int(models[0].training["words"]), len(models[0].relations))
    graph, *members = (replace(model, training={}, function_head=None) for model in models)
    training = {**models[0].training, "seed": recipe.seed}
    votes = tuple(member.vote for member in recipe.members)
    return Ensemble(graph, tuple(members), votes, training, models[0].function_head)


def _parsed_by_ensemble(model: Ensemble, columns: Columns, starts: Integers) -> tuple[Integers, Integers]:
    def parsed(pieces: Integers) -> tuple[Integers, Integers]:
        outputs = [parse_columns(member, columns, pieces) for member in model.members]
        voted, voted_labels = (np.array(columns_of_members, np.int32) for columns_of_members in zip(*outputs))
        heads, labels = search.parse_voted(model.graph, columns, pieces, *candidates(voted, pieces, model.votes))
        # the relation with most votes; the graph-based parser counts more, and members with another head count less
        choices = np.vstack([labels[None], voted_labels])
        weights = np.vstack([np.full((1, len(heads)), _GRAPH_RELATION), np.where(voted == heads, 1.0, _OTHER_ARC)])
        totals = ((choices[:, None] == choices[None]) * weights[None]).sum(axis=1)
        return heads, np.take_along_axis(choices, totals.argmax(axis=0)[None], 0)[0]

    return search.in_pieces(starts, parsed)


def candidates(voted: Integers, starts: Integers, votes: Sequence[float]) -> tuple[Integers, NDArray[np.float32]]:
    """Return the candidate heads of each word, -1 for none, and the weight of their votes, (words, members + 1)."""
    # the previous word is always a candidate, so that there is a projective tree
    previous = np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts))
    heads = np.vstack([voted, previous[None]]).astype(np.int32)
    same = heads[:, None] == heads[None]
    weights = (same[:, :-1] * np.array(votes, np.float32).astype(float)[:, None]).sum(axis=1)
    repeated = np.tril(same.transpose(2, 0, 1), -1).any(axis=2).T
    heads[repeated] = -1
    order = np.argsort(np.where(repeated, 1, -weights), axis=0, kind="stable")
    return (
        np.ascontiguousarray(np.take_along_axis(heads, order, 0).T),
        np.ascontiguousarray(np.take_along_axis(weights, order, 0).T, np.float32),
    )


Shapes = Mapping[str, tuple[int, int]]  # the numbers of rows and classes of each table, by name
MOST_BYTES = 1 << 28  # the largest size of all tables of a model in memory; parsing takes up to three times as much
MOST_BYTES_TOGETHER = 17 << 25  # the largest size of the tables of all parsers of an ensemble in memory
# the largest margin, for models with tiny weights: the scores of arcs stay far below the penalty of a second root
MOST_MARGIN = 1 << 22

_ENDLESS = 1 << 40  # words: more than any treebank has, so every table has its largest number of rows


def check_memory(parsers: Sequence[str], n_words: int, n_relations: int) -> None:
    """Raise an InputError if a model (of one parser) or an ensemble would be larger than `read_model` accepts."""
    size = sum(n_bytes(table_shapes(parser, n_words, n_relations)) for parser in parsers)
    limit = MOST_BYTES if len(parsers) == 1 else MOST_BYTES_TOGETHER
    if size > limit:
        message = f"tables for {n_relations} relations take {size} bytes, but at most {limit} are allowed"
        raise InputError(Fault("model-too-large", message))


def n_bytes(shapes: Shapes) -> int:
    return 2 * sum(rows * classes for rows, classes in shapes.values())


def require(valid: bool, what: object) -> None:
    if not valid:
        raise ValueError(what)


def check_shapes(parser: str, n_relations: int, shapes: Shapes) -> None:
    """Raise a ValueError unless the kernels can use tables of these shapes, and their size is within the limit."""
    largest = table_shapes(parser, _ENDLESS, n_relations)
    require(set(shapes) == set(largest), "unexpected tables")
    for name, (rows, classes) in shapes.items():
        most, expected = largest[name]
        # The top bits of a hash select a row: at least one bit.
        require(2 <= rows <= most and not rows & (rows - 1) and classes == expected, name)
    for first, second in (("parts", "first"), ("labels", "relations")):  # trained with the same number of rows
        require(second not in shapes or shapes[first] == shapes[second], second)
    require(n_bytes(shapes) <= MOST_BYTES, "too large")


def _with_weights(model: Model, averages: Averages) -> Model:
    """A model with averaged weights as integers; tables whose scores are added up share a scale."""
    graph_based = model.parser in GRAPH_PARSERS
    floats, scales = dict(zip(TABLES[model.parser], averages, strict=True)), dict[str, float]()
    for together in (("parts", "relations"), ("labels",), ("first",)) if graph_based else (tuple(floats),):
        largest = max((float(np.abs(floats[name]).max()) for name in together if name in floats), default=0.0)
        scales |= dict.fromkeys(together, 32000 / largest if largest else 1.0)
    integers = {name: np.rint(table * scales[name]).astype(np.int16) for name, table in floats.items()}
    tables = {name: table.reshape(len(table), -1) for name, table in integers.items()}
    return replace(model, tables=tables, margin=min(max(1, round(scales["parts"])), MOST_MARGIN) if graph_based else 1)
