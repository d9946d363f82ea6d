"""Training of any parser (our own, a baseline or an external one), parsing with it, and cross-validation."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from random import Random

import numpy as np

from levelhead.errors import Fault, InputError, Place, number_of
from levelhead.jobs import Job, StaleInput, Store, Workers
from levelhead.jobs.running import job_key, run_long_jobs
from levelhead.parsing import training
from levelhead.parsing.external import (
    EXTERNAL_PARSERS,
    ParsedTreebank,
    checked,
    identity_of,
    parse_external,
    train_external,
)
from levelhead.parsing.features import Progress
from levelhead.parsing.model import (
    BASELINES,
    ENSEMBLE,
    PARSERS,
    AnyModel,
    Baseline,
    Ensemble,
    ExternalModel,
    ExternalSettings,
    Model,
    Recipe,
    training_record,
)
from levelhead.treebank import Treebank, check_trees, from_conllu, to_conllu
from levelhead.treebank.tokens import place_of

ALL_PARSERS = (*PARSERS, ENSEMBLE, *BASELINES, *EXTERNAL_PARSERS)  # every parser of `levelhead train`


def train(
    treebank: Treebank,
    recipe: Recipe = Recipe(),  # noqa: B008 -- immutable
    *,
    dev: Treebank | None = None,
    with_dev: bool = False,
    progress: training.Tell = None,
) -> AnyModel:
    """Return a parser trained on a treebank.

    Args:
        treebank: the training treebank; sentences that are too long are left out (see `training_warnings`).
        recipe: the parser and its settings.
        dev: a development treebank for early stopping, which keeps the model after the pass with the best LAS.
            Baselines and external parsers have no early stopping, and use `dev` only if `with_dev` is true.
        with_dev: whether to train again on both treebanks together, with the number of passes that was best on `dev`.
        progress: a function that is called after each pass.

    Raises:
        InputError: the parser is unknown, an external parser fails, `treebank` has no words or too many relations, a
            relation is invalid, or `dev` has no trees.
        LevelheadError: a library that the parser requires is not installed.
    """
    training.check_parser(recipe.parser, ALL_PARSERS)
    dev = dev if dev is not None and dev.n_words else None
    if dev is not None and with_dev:
        training.prepared(dev, recipe.relations, "content")
    elif dev is not None and recipe.parser in (*PARSERS, ENSEMBLE):
        check_trees(dev)
    if recipe.parser == ENSEMBLE:
        return training.train_ensemble(treebank, recipe, dev=dev, with_dev=with_dev, tell=progress)
    if recipe.parser in PARSERS:
        return training.train_single(treebank, recipe, dev=dev, with_dev=with_dev, tell=progress)
    trees = training.joined(treebank, dev) if dev is not None and with_dev else treebank
    source, function_head = training.prepared(trees, recipe.relations, recipe.heads)
    if recipe.parser in BASELINES:
        return train_baseline(source, recipe, function_head)
    contents = train_external(recipe.parser, source, recipe.external)
    return ExternalModel(recipe.parser, contents, training_record(source), function_head)


def parse_any(
    model: AnyModel,
    treebank: Treebank,
    external: ExternalSettings | None = None,
    *,
    repair: bool = False,
    first: int = 1,
    progress: Progress | None = None,
) -> ParsedTreebank:
    """Return a treebank parsed by any parser; DEPS becomes empty."""
    if not treebank.n_words:
        return ParsedTreebank(treebank, ())
    if isinstance(model, Model | Ensemble):
        return ParsedTreebank(training.parse_treebank(model, treebank, progress=progress), ())
    if isinstance(model, Baseline):
        return ParsedTreebank(parse_baseline(model, treebank), ())
    output = parse_external(model.parser, model.contents, treebank, external or ExternalSettings())
    parsed = checked(output, treebank, f"output of {model.parser}", first=first, repair=repair)
    return parsed._replace(treebank=training.restored(parsed.treebank, model.function_head))


_ANY_FOLD = "<treebank>"  # the name of the treebank on workers, which do not know its path


def cross_validate(
    treebank: Treebank,
    recipe: Recipe,
    *,
    folds: int = 10,
    repair: bool = False,
    workers: Workers | None = None,
    store: Store | None = None,
) -> ParsedTreebank:
    """Return the parsed treebank, each fold parsed by a model trained on the others, and the repairs.

    Folds are blocks of consecutive sentences, since neighboring sentences often come from the same text.
    """
    if len(treebank) < folds:
        message = f"{number_of(len(treebank), 'sentence')} cannot be divided into {folds} folds: use fewer folds"
        raise InputError(Fault("too-few-sentences", message, Place(treebank.source.path)))
    training.prepared(treebank, recipe.relations, "content")  # fails early if the treebank cannot be learned from
    program = None if store is None else identity_of(recipe.parser, recipe.external)
    data = to_conllu(treebank)
    # the key has the hash of the contents of the jar file instead of its path
    settings = hashlib.sha256(data).hexdigest(), recipe._replace(external=recipe.external._replace(jar=None)), program
    jobs = [
        Job(job_key("parsed fold", *settings, fold, folds, repair), parse_fold,
            (data, recipe, fold, folds, repair, program), f"fold {fold + 1}")
        for fold in range(folds)
    ]  # fmt: skip
    try:
        results = run_long_jobs("folds", jobs, workers, store)
    except InputError as error:
        raise InputError(*(_placed(fault, treebank) for fault in error.faults)) from error
    trees, repairs = list[str](), list[Fault]()
    for fold, parsed in enumerate(results, 1):
        trees.append(parsed["conllu"])
        for repair_of_fold in parsed["repairs"]:
            place = Place(*repair_of_fold["place"])
            message = f"fold {fold}, {repair_of_fold['message']}"
            repairs.append(_placed(Fault(**{**repair_of_fold, "place": place, "message": message}), treebank))
    whole = from_conllu("".join(trees).encode(), name=treebank.source.path or "<treebank>")
    return ParsedTreebank(whole, tuple(repairs))


def _placed(fault: Fault, treebank: Treebank) -> Fault:
    """A fault with the place of its word in the whole treebank; other faults are unchanged."""
    place = fault.place
    if place.file != _ANY_FOLD or place.sentence is None or place.word is None:
        return fault
    start = int(treebank.sentence_starts[place.sentence - 1])
    return replace(fault, place=place_of(treebank, start + int(place.word) - 1))


def parse_fold(data: bytes, recipe: Recipe, fold: int, folds: int, repair: bool, program: str | None) -> bytes:
    """Train on all folds except one, on a worker, and return that fold, parsed, and the repairs, as JSON."""
    if program is not None and identity_of(recipe.parser, recipe.external) != program:
        raise StaleInput(f"{recipe.parser} differs between workers, or has changed", "changing-file")
    treebank = from_conllu(data, name=_ANY_FOLD)
    inside = np.arange(len(treebank)) * folds // len(treebank) == fold
    model = train(treebank.select(~inside), recipe)
    first = int(np.flatnonzero(inside)[0]) + 1
    parsed = parse_any(model, treebank.select(inside), recipe.external, repair=repair, first=first)
    repairs = [asdict(fault) for fault in parsed.repairs]
    return json.dumps({"conllu": to_conllu(parsed.treebank).decode(), "repairs": repairs}).encode()


_NO_RELATION = "dep"  # for words other than roots, if the training treebank only has roots


def train_baseline(source: Treebank, recipe: Recipe, function_head: int | None) -> Baseline:
    words = list(zip(source.upos, source.relations, (source.heads < 0).tolist()))
    by_tag: dict[str, Counter[str]] = {}
    for tag, relation, is_root in words:
        if not is_root:
            by_tag.setdefault(tag, Counter())[relation] += 1
    return Baseline(
        recipe.parser,
        _most_frequent(relation for _, relation, is_root in words if is_root),
        {tag: _most_frequent(counts) for tag, counts in by_tag.items()},
        _most_frequent(relation for _, relation, is_root in words if not is_root),
        recipe.seed,
        training_record(source, seed=recipe.seed),
        function_head,
    )


def _most_frequent(relations: Iterable[str]) -> str:
    """The most frequent relation; the first to occur, if several are equally frequent."""
    counts = Counter(relations)
    return max(counts, key=counts.__getitem__, default=_NO_RELATION)


def parse_baseline(model: Baseline, treebank: Treebank) -> Treebank:
    forms = list(treebank.forms)
    heads: list[int] = []
    for start, end in pairwise(treebank.sentence_starts.tolist()):
        heads += (head + start - 1 if head else -1 for head in _heads(model, forms[start:end]))
    relations = [
        model.relations.get(tag, model.other) if head >= 0 else model.root
        for tag, head in zip(treebank.upos, heads, strict=True)
    ]
    return training.restored(
        treebank.replace(heads=heads, relations=relations, deps=["_"] * len(heads)), model.function_head
    )


def _heads(model: Baseline, forms: Sequence[str]) -> Sequence[int]:
    n = len(forms)
    if model.parser == "baseline-left":
        return range(n)
    if model.parser == "baseline-right":
        return [*range(2, n + 1), 0]
    draw = random_tree if model.parser == "baseline-random" else random_projective_tree
    identity = hashlib.sha256(json.dumps([model.parser, model.seed, forms]).encode()).digest()
    # Python guarantees that `random()` returns the same numbers in all versions
    return draw(n, Random(int.from_bytes(identity, "big")))  # noqa: S311 -- no secrets


def random_tree(n_words: int, random: Random) -> list[int]:
    """Return a tree drawn uniformly from all trees with one root, projective or not, by its Prüfer code."""
    # the heads of words that are removed, each time the first one without dependents, until only the root is left
    code = [int(random.random() * n_words) for _ in range(n_words - 1)]
    waiting = [0] * n_words  # the number of dependents that have not been removed yet
    for head in code:
        waiting[head] += 1
    heads, first, leaf = [0] * n_words, 0, -1
    for head in code:
        if leaf < 0:
            while waiting[first]:
                first += 1
            leaf, first = first, first + 1
        heads[leaf] = head + 1
        waiting[head] -= 1
        # A head without remaining dependents is next only if the scan has already passed it.
        leaf = head if not waiting[head] and head < first else -1
    return heads


def random_projective_tree(n_words: int, random: Random) -> list[int]:
    """Return a tree drawn uniformly from the projective trees with one root (no arc covers the root)."""
    # The numbers of left and right dependents of each word, heads before dependents, describe a tree if the list is
    # complete at its end, and not before: by the cycle lemma, in exactly one of the n rotations of any list of 2n
    # numbers with sum n-1. The list is drawn as a random order of units, and of bars between the numbers.
    numbers = [0]
    units = n_words - 1
    for places in range(3 * n_words - 2, 0, -1):
        if random.random() * places < units:
            numbers[-1] += 1
            units -= 1
        else:
            numbers.append(0)
    pairs = list(zip(numbers[::2], numbers[1::2]))
    start, missing, least = 0, 0, 0
    for word, (left, right) in enumerate(pairs, 1):
        missing += left + right - 1
        if missing < least:
            start, least = word, missing
    parents = [-1] * n_words
    subtrees: list[tuple[int, list[int]]] = []  # each with its head, and its words in their order
    for node, (left, right) in reversed(list(enumerate(pairs[start:] + pairs[:start]))):
        children = [subtrees.pop() for _ in range(left + right)]
        for child, _ in children:
            parents[child] = node
        before, after = ([word for _, words in part for word in words] for part in (children[:left], children[left:]))
        subtrees.append((node, [*before, node, *after]))
    places_of_nodes = {node: place for place, node in enumerate(subtrees[0][1], 1)}
    return [places_of_nodes.get(parents[node], 0) for node in places_of_nodes]
