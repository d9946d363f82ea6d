"""The options that choose measures, schemes of classes and training treebanks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.grouped import Decorator, grouped
from levelhead.immutable import immutable

if TYPE_CHECKING:
    from levelhead.api.inputs import Punctuation
    from levelhead.measures.registry import Registry
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
    punct: Punctuation
    train: tuple[str, ...]

    @property
    def registry(self) -> Registry:
        """The available measures and schemes."""
        return registry_of(self.definitions, self.scheme)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of public functions; the function knows the default measures."""
        chosen = {"measures": list(self.measures)} if self.measures else {}
        return {**chosen, "registry": self.registry, "punct": self.punct, "train": list(self.train)}

    def check_single(self) -> None:
        """Refuse several measures for a table of a single one."""
        if len(self.measures) > 1:
            raise click.UsageError("this table shows a single measure: give only one -m")

    def names(self, *default: str) -> list[str]:
        """Return the full names of the measures, with the punctuation that they leave out."""
        from levelhead.measures.registry import parse_measure

        registry = self.registry
        names = [str(parse_measure(text, registry)) for text in self.measures or default]
        if self.punct == "keep":
            return names
        from levelhead.api.inputs import measure_names, without_punctuation

        return measure_names(without_punctuation(names, "ud", self.punct, registry) or ())

    def training(self) -> Training | None:
        """Return the contents of the training treebanks; None without training treebanks."""
        from levelhead.api.inputs import training_of

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


def files_of_measures(measures: Iterable[str]) -> Iterator[str]:
    """Yield the files that measures name: weights and training treebanks."""
    from levelhead.measures.registry import REGISTRY
    from levelhead.scoring.measure import split
    from levelhead.scoring.weights import ENTROPY, path_of

    named = (split(text) for text in measures if "(" in text)
    paths = (path_of(measure) for measure in named if measure.name in REGISTRY and REGISTRY[measure.name].needs_file)
    return (path for path in paths if path != ENTROPY)
