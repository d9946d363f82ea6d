"""The options that choose measures, schemes of classes and training treebanks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.grouped import Decorator, grouped
from levelhead.immutable import immutable

if TYPE_CHECKING:
    from levelhead.measures.registry import Registry
    from levelhead.scoring.measure import Measure
    from levelhead.scoring.weights import Weights
    from levelhead.treebank.schemes import Scheme
    from levelhead.treebank.training_data import Training


@immutable(eq=True)
class Measuring:
    """The values of these options.

    Args:
        measures: the measures, as written on the command line.
        definitions: files with measures and schemes.
        scheme: the default scheme, or None.
        punct: which punctuation to leave out.
        train: training treebanks.
    """

    measures: tuple[str, ...]
    definitions: tuple[str, ...]
    scheme: str | None
    punct: str
    train: tuple[str, ...]

    @property
    def registry(self) -> Registry:
        """The available measures and schemes."""
        return registry_of(self.definitions, self.scheme)

    @property
    def default_scheme(self) -> Scheme:
        """The scheme of classes without a scheme."""
        schemes = self.registry.schemes
        return schemes.by_name[schemes.default]

    def names(self, *default: str) -> list[str]:
        """Return the full names of the measures, with the punctuation that they leave out."""
        return without_punctuation(self.measures or default, self.punct, self.registry)

    def single(self) -> str:
        """Return the single measure of a table, LAS by default."""
        names = self.names("LAS")
        if len(names) > 1:
            raise click.UsageError("this table shows a single measure: give only one -m")
        return names[0]

    def weights(self, measures: Iterable[str]) -> dict[str, Weights]:
        """Return the weights of WLAS(WDE) from the training treebanks; empty if no measure needs them."""
        return entropy_weights_of(self.train) if needs_entropy(measures) else {}

    def training(self) -> Training | None:
        """Return the contents of the training treebanks; None without training treebanks."""
        return training_of(self.train)

    def files(self) -> Iterator[str]:
        """Yield the files that are read."""
        yield from (*self.train, *self.definitions, *files_of_measures(self.measures))


def measuring_options(default: str, train: str) -> Decorator:
    """Return the options, passed to a command as the argument `measuring`."""
    training = click.option(
        "--train", multiple=True, type=options.PATH, help=f"Training treebank, for {train}; can be repeated"
    )
    chosen = (options.measure_option(default), options.definitions_option, options.scheme_option, options.punct_option)
    return grouped("measuring", Measuring, (*chosen, training))


def registry_of(definitions: Iterable[str], scheme: str | None) -> Registry:
    """Return the registry that --definitions and --scheme define."""
    from levelhead.measures.registry import STANDARD

    registry = STANDARD
    for path in definitions:
        from levelhead.measures.user_definitions import read_definitions

        registry = read_definitions(path, registry)
    return registry if scheme is None else registry.with_default(scheme)


def entropy_weights_of(train: Sequence[str]) -> dict[str, Weights]:
    """Return the weights of WLAS(WDE), averaged over the training treebanks; empty without training treebanks."""
    from levelhead.scoring.weights import ENTROPY
    from levelhead.treebank import read
    from levelhead.typology import entropy_weights

    return {ENTROPY: entropy_weights(read(path) for path in train)} if train else {}


def training_of(train: Sequence[str]) -> Training | None:
    """Return the contents of the training treebanks; None without training treebanks."""
    if not train:
        return None
    from levelhead.treebank import read
    from levelhead.treebank.training_data import Training

    return Training.of(read(path) for path in train)


def needs_entropy(measures: Iterable[str]) -> bool:
    """Return whether a measure needs weights from training treebanks: WLAS(WDE)."""
    from levelhead.measures.registry import REGISTRY
    from levelhead.scoring.measure import split
    from levelhead.scoring.weights import ENTROPY, key_of

    named = (split(text) for text in measures if f"({ENTROPY}" in text)
    return any(
        measure.name in REGISTRY and REGISTRY[measure.name].takes_weights and key_of(measure) == ENTROPY
        for measure in named
    )


def files_of_measures(measures: Iterable[str]) -> Iterator[str]:
    """Yield the files that measures name: weights and training treebanks."""
    from levelhead.measures.registry import REGISTRY
    from levelhead.scoring.measure import split
    from levelhead.scoring.weights import ENTROPY, path_of

    named = (split(text) for text in measures if "(" in text)
    paths = (path_of(measure) for measure in named if measure.name in REGISTRY and REGISTRY[measure.name].needs_file)
    return (path for path in paths if path != ENTROPY)


def without_punctuation(measures: Iterable[str], punct: str, registry: Registry) -> list[str]:
    """Return measures without punctuation, as --punct defines it."""
    from levelhead.measures.registry import parse_measure

    parsed = [parse_measure(text, registry) for text in measures]
    if punct == "keep":
        return [str(measure) for measure in parsed]
    option = "nopunct" if punct == "relation" else "nopunct=callin"
    return [str(_with_option(measure, option, registry)) for measure in parsed]


def _with_option(measure: Measure, option: str, registry: Registry) -> Measure:
    if not registry.measures[measure.name].takes_nopunct or "nopunct" in (measure.argument or ""):
        return measure
    return replace(measure, argument=f"{measure.argument},{option}" if measure.argument else option)
