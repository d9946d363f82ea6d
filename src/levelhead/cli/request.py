"""What the command line asks of `levelhead score`, checked and parsed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from levelhead.cli import options

if TYPE_CHECKING:
    from levelhead.folders import Pairs
    from levelhead.measures import Registry


class Request(NamedTuple):
    """The arguments and options of `levelhead score`.

    Args:
        gold: a file or a folder.
        system: likewise.
        measures: the measures asked for, as they were written.
        rules: the name of the rules.
        scheme: the default scheme, or None.
        definitions: files of measures and schemes.
        punct: what to leave out as punctuation.
        weights: a file of weights, or None.
        counts: whether to print numbers in place of ratios.
        explain: whether to explain the differences between rules.
        align_sentences: whether to score the sentences that agree.
        gates: gates, as they were written.
        table: which table to print.
        by: breakdowns: properties, several divided by commas.
        show: cells of the confusion whose sentences to print.
        train: training treebanks.
        input_format: the format of files.
        gold_format: that of gold, or None.
        output_format: how to print.
        places: digits after the point, or None.
        output: where to print, or None.
    """

    gold: str
    system: str
    measures: tuple[str, ...]
    rules: str
    scheme: str | None
    definitions: tuple[str, ...]
    punct: str
    weights: str | None
    counts: bool
    explain: bool
    align_sentences: bool
    gates: tuple[str, ...]
    table: str
    by: tuple[str, ...]
    show: tuple[str, ...]
    train: tuple[str, ...]
    input_format: str
    gold_format: str | None
    output_format: str
    places: int | None
    output: str | None

    @property
    def folders(self) -> bool:
        """Whether folders are scored, not two files."""
        return os.path.isdir(self.gold)  # noqa: PTH112 -- pathlib is slow to load

    @property
    def asked(self) -> list[str]:
        """The measures asked for."""
        return [*self.measures, *([f"WeightedLAS({self.weights})"] if self.weights is not None else [])]

    @property
    def json(self) -> bool:
        """Whether JSON is to be printed."""
        return self.output_format in {"json", "jsonl"}

    def check(self) -> None:
        """Refuse what does not go together."""
        inputs = [self.gold, self.system, *self.train, *([self.weights] if self.weights is not None else [])]
        if inputs.count("-") > 1:
            raise click.UsageError("only one file can be standard input")
        if self.output is not None and any(_same_file(self.output, path) for path in inputs):
            raise click.UsageError("--output names one of the files that are read")
        if os.path.isdir(self.gold) != os.path.isdir(self.system):  # noqa: PTH112
            raise click.UsageError("GOLD and SYSTEM must both be files or both be folders")
        if self.folders and (self.counts or self.align_sentences or self.show):
            raise click.UsageError("--counts, --align-sentences and --show are for one pair of files")
        special = self.table != "scores" or self.by or self.show
        if special and (self.gates or self.counts or self.align_sentences or self.explain):
            message = "--table, --by and --show go with none of --fail-under, --counts, --align-sentences, --explain"
            raise click.UsageError(message)
        if bool(self.table != "scores") + bool(self.by) + bool(self.show) > 1:
            raise click.UsageError("give one of --table, --by and --show")

    def registry(self) -> Registry:
        """Return the measures and schemes that there are."""
        return options.registry_of(self.definitions, self.scheme)

    def settings(self) -> dict[str, Any]:
        """Return what all functions that score take."""
        formats = {"format": self.input_format, "gold_format": self.gold_format}
        return {"rules": self.rules, **formats, "registry": self.registry()}

    def pairs(self) -> Pairs:
        """Return the pairs of two folders, or the one pair of files under the name of the gold file."""
        from pathlib import Path

        from levelhead.folders import pairs_in

        if self.folders:
            return pairs_in(self.gold, self.system)
        return {Path(self.gold).name.partition(".")[0] or self.gold: (Path(self.gold), Path(self.system))}

    def print(self, table: Any, document: Any) -> None:
        """Print a table, or its document where JSON is asked for; each is made only when it is needed.

        Args:
            table: makes the table.
            document: makes the document.
        """
        if self.json:
            options.print_json(document(), self.output, lines=self.output_format == "jsonl")
        else:
            options.print_table(table(), self.output_format, self.places, self.output)


def _same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other) and os.path.isfile(one)  # noqa: PTH113, PTH121
    except (OSError, ValueError):
        return False
