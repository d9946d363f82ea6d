"""The options that choose measures, schemes of classes and training treebanks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.grouped import Decorator, grouped
from levelhead.immutable import immutable

if TYPE_CHECKING:
    from levelhead.measures.registry import Registry
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
        return options.registry_of(self.definitions, self.scheme)

    @property
    def default_scheme(self) -> Scheme:
        """The scheme of classes without a scheme."""
        schemes = self.registry.schemes
        return schemes.by_name[schemes.default]

    def names(self, *default: str) -> list[str]:
        """Return the full names of the measures, with the punctuation that they leave out.

        Args:
            default: the measures if none were given.
        """
        return options.without_punctuation(self.measures or default, self.punct, self.registry)

    def single(self) -> str:
        """Return the single measure of a table, LAS by default.

        Raises:
            click.UsageError: several measures are given.
        """
        names = self.names("LAS")
        if len(names) > 1:
            raise click.UsageError("this table shows a single measure: give only one -m")
        return names[0]

    def weights(self, measures: Iterable[str]) -> dict[str, Weights]:
        """Return the weights of WLAS(WDE) from the training treebanks; empty if no measure needs them.

        Args:
            measures: the measures that are counted.
        """
        return options.entropy_weights_of(self.train) if options.needs_entropy(measures) else {}

    def training(self) -> Training | None:
        """Return the contents of the training treebanks; None without training treebanks."""
        return options.training_of(self.train)

    def files(self) -> Iterator[str]:
        """Yield the files that are read."""
        yield from (*self.train, *self.definitions, *options.files_of_measures(self.measures))


def measuring_options(default: str, train: str) -> Decorator:
    """Return the options, passed to a command as the argument `measuring`.

    Args:
        default: the default measures, as shown in the help.
        train: the purpose of training treebanks, as shown in the help.
    """
    training = click.option(
        "--train", multiple=True, type=options.PATH, help=f"Training treebank, for {train}; can be repeated"
    )
    chosen = (options.measure_option(default), options.definitions_option, options.scheme_option, options.punct_option)
    return grouped("measuring", Measuring, (*chosen, training))
