"""One function to train any parser (our own, a baseline or an external one), and one to parse with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from levelhead.errors import Fault
from levelhead.parsing.baselines import parse_baseline, train_baseline
from levelhead.parsing.chunks import Progress
from levelhead.parsing.ensemble import parse_with_ensemble, train_ensemble
from levelhead.parsing.external import EXTERNAL_PARSERS, ExternalSettings, checked, parse_external, train_external
from levelhead.parsing.model import (
    BASELINES,
    ENSEMBLE,
    PARSERS,
    AnyModel,
    Baseline,
    Ensemble,
    ExternalModel,
    Model,
    training_record,
)
from levelhead.parsing.training import (
    DEFAULT_BEAM,
    Relations,
    Report,
    Scheme,
    check_dev,
    check_parser,
    joined,
    parse_treebank,
    prepared,
    restored,
    train,
)
from levelhead.treebank import Treebank

ALL_PARSERS = (*PARSERS, ENSEMBLE, *BASELINES, *EXTERNAL_PARSERS)
"""Every parser of `levelhead train`."""


class Recipe(NamedTuple):
    """Which parser to train, and the settings.

    Args:
        parser: one of `ALL_PARSERS`.
        beam: as in `train`.
        seed: as in `train`; external parsers use their own.
        relations: as in `train`.
        scheme: as in `train`.
        external: how to run an external parser.
    """

    parser: str = "swap-lazy"
    beam: int = DEFAULT_BEAM
    seed: int = 0
    relations: Relations = "universal"
    scheme: Scheme = "content-head"
    external: ExternalSettings = ExternalSettings()


class ParsedTreebank(NamedTuple):
    """A parsed treebank, and warnings of the repairs to trees of an external parser."""

    treebank: Treebank
    repairs: tuple[Fault, ...]


def train_any(
    treebank: Treebank,
    recipe: Recipe,
    *,
    dev: Treebank | None = None,
    with_dev: bool = False,
    progress: Callable[[Report], None] | None = None,
) -> AnyModel:
    """Return any parser, trained on a treebank.

    Args:
        treebank: the training treebank.
        recipe: the parser and its settings.
        dev: as in `train`; baselines and external parsers do not use it for early stopping.
        with_dev: as in `train`; baselines and external parsers are trained once, on both treebanks.
        progress: as in `train`.

    Raises:
        InputError: the parser is unknown, the treebank has no words, or an external parser fails.
        LevelheadError: a library is not installed.
    """
    check_parser(recipe.parser, ALL_PARSERS)
    settings: dict[str, Any] = {"seed": recipe.seed, "relations": recipe.relations, "scheme": recipe.scheme}
    if recipe.parser in (*PARSERS, ENSEMBLE):
        settings |= {"dev": dev, "with_dev": with_dev, "beam": recipe.beam, "progress": progress}
    elif dev is not None and with_dev:
        check_dev(dev, recipe.relations, learned=True)
        treebank = joined(treebank, dev)
    if recipe.parser in PARSERS:
        return train(treebank, recipe.parser, **settings)
    if recipe.parser == ENSEMBLE:
        return train_ensemble(treebank, **settings)
    if recipe.parser in BASELINES:
        return train_baseline(treebank, recipe.parser, **settings)
    source = prepared(treebank, recipe.relations, recipe.scheme)
    contents = train_external(recipe.parser, source.treebank, recipe.external)
    return ExternalModel(recipe.parser, contents, training_record(treebank), source.function_head)


def parse_any(
    model: AnyModel,
    treebank: Treebank,
    external: ExternalSettings | None = None,
    *,
    repair: bool = False,
    first: int = 1,
    progress: Progress | None = None,
) -> ParsedTreebank:
    """Return a treebank parsed by any parser; DEPS becomes empty.

    Args:
        model: the parser.
        treebank: the treebank to parse; its heads and relations are ignored.
        external: how to run an external parser.
        repair: whether to repair the trees of an external parser (see `external.checked`).
        first: the number of the first sentence in messages.
        progress: as in `parse_treebank`; not called by baselines and external parsers.

    Raises:
        InputError: an external parser fails, changes the words, or returns invalid trees and `repair` is false.
        LevelheadError: a library is not installed.
    """
    if not treebank.n_words:
        return ParsedTreebank(treebank, ())
    if isinstance(model, Model):
        return ParsedTreebank(parse_treebank(model, treebank, progress=progress), ())
    if isinstance(model, Ensemble):
        return ParsedTreebank(parse_with_ensemble(model, treebank, progress=progress), ())
    if isinstance(model, Baseline):
        return ParsedTreebank(parse_baseline(model, treebank), ())
    output = parse_external(model.parser, model.contents, treebank, external or ExternalSettings())
    parsed, faults = checked(output, treebank, f"output of {model.parser}", first=first, repair=repair)
    return ParsedTreebank(restored(parsed, model.function_head), faults)
