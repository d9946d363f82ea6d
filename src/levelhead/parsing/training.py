"""Training of our own parsers, graph-based, transition-based and both combined, and parsing with them.

Graph-based parsers find the single-rooted tree with the best sum of scores of its arcs, or of pairs of arcs.

First order is Chu-Liu-Edmonds over all arcs (McDonald et al. 2005). Second order also scores neighboring siblings and
grandparents. First-order weights choose a few candidate heads for each word. Model 1 of Koo and Collins (2010) finds
the best projective tree over these. Then heads are changed as long as the score rises, which also allows crossing arcs
(McDonald and Pereira 2006; Zhang, Lei, Barzilay and Jaakkola 2014). In second order, the score of an arc includes that
of its best relation by features of the arc alone (McDonald, Crammer and Pereira 2005). Both learn by passive-aggressive
updates with a margin of 1 for each wrong head (Crammer et al. 2006), and average the weights. The final relations are
chosen bottom-up afterwards, by weights learned on gold trees, also with a margin.

Transition-based parsing: arc-standard, arc-eager and the two swap systems, greedy or with beam search. Greedy training
follows the oracle in the first pass, and later mostly the parser's own choices, so that it learns to recover from
mistakes (Goldberg and Nivre 2012). Beam training starts from greedy weights and makes max-violation updates (Huang,
Fayong and Guo 2012): the largest violation is taken from the steps at which the gold derivation is no longer in the
beam, and the last step.

All models are linear: averaged weights of hashed features (`parsing.features`). The averages of several runs in
different random orders are averaged or added up, which costs no time in parsing.

In the ensemble, transition parsers vote for arcs, and the graph-based parser finds the best tree of these arcs. Members
differ in their transition system, the order of training sentences, and the reading direction. Only heads that a member
predicts are considered. The score of an arc is its score in the graph-based parser, with siblings and grandparents,
plus a bonus for each vote: reparsing (Sagae and Lavie 2006) inside the search of another parser. This is faster than
the graph-based parser alone, which starts from all pairs of words. Relations are chosen by a vote of the graph-based
parser and the members, in which members with another head count less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.conversion import backward, forward, ud_version
from levelhead.errors import Fault, InputError, Place, unknown
from levelhead.kernels.graph_parser import GraphParser
from levelhead.kernels.oracles import projective_order
from levelhead.kernels.transition_parser import Parser
from levelhead.kernels.trees import lift
from levelhead.parsing.features import (
    Columns,
    Integers,
    Progress,
    columns_of,
    compiled_for,
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
    TRANSITION_SYSTEMS,
    Averages,
    Ensemble,
    Heads,
    Model,
    Recipe,
    Relations,
    Schedule,
    Trees,
    Weights,
    table_shapes,
    training_record,
)
from levelhead.parsing.parser_input import check_relations, learnable, longest_with_beam, piece_length
from levelhead.treebank import Treebank, check_trees, from_conllu, to_conllu
from levelhead.treebank.relations import universal

CANDIDATES = 8  # the number of heads that second order considers for a word
_TYPES = {"parts": np.float32, "labels": np.int16, "relations": np.float32, "first": np.float32}
_MARGIN = 1.0
_MOST_CHANGE = 0.1


def train_graph(trees: Trees, model: Model, schedule: Schedule, seed: int) -> Iterator[Averages]:
    """Train, and yield the averaged weights after each pass (averaged with those of earlier runs)."""
    second_order = model.parser == "graph"
    shapes = table_shapes(model.parser, len(trees.heads), len(model.relations))
    templates, columns = compiled_for(model.parser, model.templates), tuple(trees.columns)
    sentences = np.arange(len(trees.starts) - 1)
    done: Averages = ()
    for run in range(schedule.runs):
        random = np.random.default_rng((seed, run))
        weights = Weights(
            *(
                np.zeros(shape[0] if name == "parts" else shape, _TYPES[name])
                for name, shape in shapes.items()
                if name != "first"
            )
        )
        settings = (len(model.relations), model.root, CANDIDATES)
        kernel = GraphParser(templates, weights.tables, weights.sums, *settings)
        candidates = np.zeros((1, CANDIDATES), np.int32)
        first, averages = Averages(), Averages()
        for number in range(schedule.first + (schedule.second if second_order else 0)):
            if number == schedule.first:  # continue from the averaged weights of parts and relations
                average, _, relations = (table.astype(np.float32) for table in weights.averages())
                weights.tables[0][:], weights.tables[2][:] = average, relations
                weights = Weights(*weights.tables)
                first = (average,)
                kernel = GraphParser(templates, (*weights.tables, *first), weights.sums, *settings)
                candidates = kernel.candidates(columns, trees.starts, sentences)
            order = random.permutation(sentences).astype(np.int64)
            weights.step, _, _ = kernel.train(
                columns, trees.starts, trees.heads, trees.labels, order, candidates, weights.step, _MARGIN, _MOST_CHANGE
            )
            if first or not second_order:
                averages = (*weights.averages(), *first)
                if done:
                    averages = tuple((new + run * old) / (run + 1) for new, old in zip(averages, done))
                yield averages
        done = averages


def parse_graph(model: Model, columns: Columns, starts: Integers) -> tuple[Integers, Integers]:
    kernel = _kernel(model, CANDIDATES)
    return in_pieces(starts, lambda pieces: kernel.parse(tuple(columns), pieces))


def parse_voted(
    model: Model, columns: Columns, starts: Integers, heads: Integers, votes: NDArray[np.float32]
) -> tuple[Integers, Integers]:
    # The last table is for choosing candidates, which are given here.
    return _kernel(model, heads.shape[1]).parse(tuple(columns), starts, heads, votes * np.float32(model.margin))


def _kernel(model: Model, n_candidates: int) -> GraphParser:
    tables = [np.ascontiguousarray(model.tables[name], _TYPES[name]) for name in TABLES[model.parser]]
    flat = tuple(table[:, 0] if table.shape[1] == 1 else table for table in tables)
    return GraphParser(
        compiled_for(model.parser, model.templates), flat, (), len(model.relations), model.root, n_candidates
    )


def in_pieces(starts: Integers, parse: Callable[[Integers], tuple[Integers, Integers]]) -> tuple[Integers, Integers]:
    """Return the heads and labels of all words; long sentences are parsed in pieces."""
    starts_of_pieces = [np.arange(start, end, piece_length(end - start)) for start, end in pairwise(starts.tolist())]
    pieces = np.concatenate([*starts_of_pieces, starts[-1:]]).astype(np.int32)
    heads, labels = parse(pieces)
    if len(pieces) == len(starts):
        return heads, labels
    sentence = np.searchsorted(starts, pieces[:-1], side="right") - 1
    offsets = np.repeat(pieces[:-1] - starts[sentence], np.diff(pieces))
    heads = np.where(heads == 0, 0, heads + offsets).astype(np.int32)
    for start, end in pairwise(starts.tolist()):
        roots = start + np.flatnonzero(heads[start:end] == 0)
        if len(roots) > 1:  # the roots of later pieces become the last children of the first root
            labels[roots[1:]] = labels[start:end][heads[start:end] != 0][-1]
            heads[roots[1:]] = roots[0] - start + 1
    return heads, labels


_EXPLORATION = 0.9
_SCALE = 2.0  # of the greedy weights at the start of beam training, whose updates count 1
_MOST_LIFTS = 1 << 30


def train_transitions(trees: Trees, model: Model, schedule: Schedule, seed: int) -> Iterator[Averages]:
    """Train, and yield the averaged weights after each pass (added to those of earlier runs)."""
    system = TRANSITION_SYSTEMS.index(model.parser)
    heads = trees.heads
    if not model.parser.startswith("swap"):  # other systems only derive projective trees (Nivre and Nilsson 2005)
        heads, _ = lift(trees.heads, trees.starts, _MOST_LIFTS)
    gold = (heads, trees.labels, *projective_order(heads, trees.starts))
    templates = compiled_for(model.parser, model.templates)
    done: Averages = ()
    for run in range(schedule.runs):
        shapes = table_shapes(model.parser, len(heads), len(model.relations))
        weights = Weights(*(np.zeros(shape, np.int16) for shape in shapes.values()))
        random = np.random.default_rng((seed, run))
        averages: Averages = ()
        for number in range(schedule.first + (schedule.second if model.beam > 1 else 0)):
            if number == schedule.first:  # continue from the averaged weights
                for table, average in zip(weights.tables, weights.averages()):
                    table[:] = np.clip(np.rint(average * _SCALE), -30000, 30000)
                weights = Weights(*weights.tables)
            width = 1 if number < schedule.first else model.beam
            kernel = Parser(system, templates, weights.tables, weights.sums, len(model.relations), model.root, width)
            sentences = random.permutation(len(trees.starts) - 1).astype(np.int64)
            explore = _EXPLORATION if number else 0.0
            draw = int(random.integers(1, 1 << 63))
            weights.step, _ = kernel.train(
                tuple(trees.columns), trees.starts, *gold, sentences, weights.step, explore, draw
            )
            averages = weights.averages()
            if done:
                averages = tuple(new + old for new, old in zip(averages, done))
            yield averages
        done = averages


def parse_transitions(model: Model, columns: Columns, starts: Integers) -> tuple[Integers, Integers]:
    """Return heads (1-based, 0 for the root) and labels; sentences too long for the beam are parsed greedily."""
    system, templates = TRANSITION_SYSTEMS.index(model.parser), compiled_for(model.parser, model.templates)
    tables = (model.tables["actions"], model.tables["labels"])
    result = np.zeros((2, int(starts[-1])), np.int32)
    long = np.diff(starts) > longest_with_beam(model.beam)
    bounds = [0, *(np.flatnonzero(np.diff(long)) + 1).tolist(), len(long)]
    for first, last in pairwise(bounds):  # consecutive sentences that are all long, or all short
        beam = 1 if long[first] else model.beam
        kernel = Parser(system, templates, tables, (), len(model.relations), model.root, beam)
        parsed = kernel.parse(tuple(columns), starts[first : last + 1])
        result[:, starts[first] : starts[last]] = [column[starts[first] :] for column in parsed]
    return result[0], result[1]


_PATIENCE = 3


class Report(NamedTuple):
    """The progress of training.

    Args:
        done: the number of completed passes over the training data.
        passes: the total number of passes.
        uas: UAS on the development treebank; None without a development treebank.
        las: LAS on it, with universal relations; None without it.
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
    passes = (train_graph if graph_based else train_transitions)(trees, model, _schedule(recipe), recipe.seed)
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
    parse = parse_graph if model.parser in GRAPH_PARSERS else parse_transitions
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
        heads, labels = parse_voted(model.graph, columns, pieces, *candidates(voted, pieces, model.votes))
        # the relation with most votes; the graph-based parser counts more, and members with another head count less
        choices = np.vstack([labels[None], voted_labels])
        weights = np.vstack([np.full((1, len(heads)), _GRAPH_RELATION), np.where(voted == heads, 1.0, _OTHER_ARC)])
        totals = ((choices[:, None] == choices[None]) * weights[None]).sum(axis=1)
        return heads, np.take_along_axis(choices, totals.argmax(axis=0)[None], 0)[0]

    return in_pieces(starts, parsed)


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
