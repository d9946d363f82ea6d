"""Training and running parsers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from levelhead.api.inputs import Input, PathLike, loaded, running
from levelhead.api.parameters import public
from levelhead.arguments import refuse
from levelhead.errors import Fault
from levelhead.jobs import Store, Workers
from levelhead.parsing import (
    ALL_PARSERS,
    AnyModel,
    ExternalSettings,
    ParsedTreebank,
    Recipe,
    Report,
    cross_validate,
    long_parsing_warnings,
    parse_any,
    parsing_warnings,
    read_model,
    read_words,
    train as train_parser,
    training_warnings,
)
from levelhead.parsing.model import Heads, Relations
from levelhead.progress import counting
from levelhead.treebank import Treebank
from levelhead.treebank.tokens import refuse_partial

_PARSER = ("one of", ALL_PARSERS, "parser")


@public(parser=_PARSER, progress=("optional", "function"))
def train(
    treebank: Input,
    parser: str = "swap-lazy",
    *,
    dev: Input | None = None,
    with_dev: bool = False,
    beam: int = 4,
    relations: Relations = "universal",
    heads: Heads = "content",
    seed: int = 0,
    external: ExternalSettings | None = None,
    progress: Callable[[Report], None] | None = None,
) -> AnyModel:
    """Return a parser trained on a treebank; `levelhead.parsing.write_model` writes it to a file.

    Args:
        treebank: the training treebank.
        parser: a transition system ("arc-eager", "arc-standard", "swap-eager", "swap-lazy"), "graph",
            "graph-first-order", "ensemble", a baseline ("baseline-left", "baseline-right", "baseline-random",
            "baseline-random-projective"), or an external parser ("udpipe", "malt", "command").
        dev: a development treebank for early stopping: the model with the best LAS is kept. Baselines and
            external parsers ignore `dev`.
        with_dev: after early stopping, train again on the training and development treebanks, with the best number of
            passes; requires `dev`.
        progress: a function to call after each pass, with a `levelhead.parsing.Report`.

    Raises:
        InputError: the parser is unknown, a file is invalid, or the training treebank is empty.
    """
    recipe = Recipe(parser, beam, seed, relations, heads, external or ExternalSettings())
    if with_dev and dev is None:
        refuse("with_dev", with_dev, "False without dev")
    held_out = None if dev is None else loaded(dev)
    return train_parser(loaded(treebank), recipe, dev=held_out, with_dev=with_dev, progress=progress)


@public(model=("either", "path", ("object", "Model Ensemble Baseline ExternalModel", "a model or its path")))
def parse(
    model: PathLike | AnyModel, treebank: Input, *, external: ExternalSettings | None = None, repair: bool = False
) -> Treebank:
    """Return a treebank with predicted trees; DEPS becomes empty.

    Args:
        model: a model returned by `train`, or its path.
        treebank: the treebank to parse, or its path; its heads and relations are ignored, and can be missing in a file.

    Raises:
        InputError: a file is invalid, or an external parser fails.
    """
    parser = model if isinstance(model, AnyModel) else read_model(model)
    words = refuse_partial(treebank) if isinstance(treebank, Treebank) else read_words(treebank)
    with counting("parsing", len(words)) as progress:
        output = parse_any(parser, words, external, repair=repair, progress=progress)
    return _warning(output, *parsing_warnings(words, parser))


@public(parser=_PARSER)
def crossval(
    treebank: Input,
    parser: str = "swap-lazy",
    *,
    folds: int = 10,
    beam: int = 4,
    relations: Relations = "universal",
    heads: Heads = "content",
    seed: int = 0,
    external: ExternalSettings | None = None,
    repair: bool = False,
    jobs: int | Workers = 1,
    cluster: str | None = None,
    store: PathLike | Store | None = None,
) -> Treebank:
    """Return a treebank with each fold parsed by a parser trained on the other folds (cross-validation, jackknifing).

    Args:
        treebank: the treebank to train on and to parse.
        parser: as in `train`.

    Raises:
        InputError: a file is invalid, there are fewer sentences than folds, or a parser fails.
    """
    recipe, trees = Recipe(parser, beam, seed, relations, heads, external or ExternalSettings()), loaded(treebank)
    with running(jobs, store, cluster) as how:
        output = cross_validate(trees, recipe, folds=folds, repair=repair, **how)
    return _warning(output, *training_warnings(trees, parser), *long_parsing_warnings(trees, parser, beam))


def _warning(output: ParsedTreebank, *warnings: Fault) -> Treebank:
    """The parsed treebank, with warnings about its words and with repairs among its warnings."""
    source = output.treebank.source
    return replace(output.treebank, source=replace(source, warnings=(*source.warnings, *warnings, *output.repairs)))
