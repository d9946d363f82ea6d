"""What the command line asks of `levelhead score`, checked and parsed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click

from levelhead.cli import idle
from levelhead.cli.shared import options

if TYPE_CHECKING:
    from levelhead.campaign.plan import Plan
    from levelhead.cli.shared.engine import EngineOptions
    from levelhead.measures import Registry
    from levelhead.scoring import Rules
    from levelhead.scoring.measure import Measure
    from levelhead.scoring.weights import Weights
    from levelhead.setup import Setup
    from levelhead.treebank.reader import Format


_SCHEMES = ("classes", "relations", "all-relations", "cascading")
"""Tables of the classes of the default scheme."""

_EXPLAINED = ("rules", "scheme", "definitions", "punct", "enhancements", "counts", "input_format", "gold_format")
"""Options that change nothing of an explanation."""

_OF_ALL_WORDS = ("confusion", "errors", "cascading")
"""Tables that are of arcs and labels themselves, not of a measure."""


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
        enhancements: digits of the kinds of enhancement that are not scored.
        explain: whether to explain the differences between rules.
        align_sentences: whether to score the sentences that agree.
        gates: lower bounds of measures, as they were written.
        ceilings: upper bounds of perplexities.
        table: which table to print.
        by: breakdowns: properties, several divided by commas.
        show: cells of the confusion whose sentences to print.
        train: training treebanks.
        report_file: where to write a page, or None.
        figures: the folder of its charts and tables, or None.
        input_format: the format of files.
        gold_format: that of gold, or None.
        output_format: how to print.
        places: digits after the point, or None.
        output: where to print, or None.
        engine: which split, who works, where results are kept.
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
    enhancements: str
    explain: bool
    align_sentences: bool
    gates: tuple[str, ...]
    ceilings: tuple[str, ...]
    table: str
    by: tuple[str, ...]
    show: tuple[str, ...]
    train: tuple[str, ...]
    report_file: str | None
    figures: str | None
    input_format: str
    gold_format: str | None
    output_format: str
    places: int | None
    output: str | None
    engine: EngineOptions

    @property
    def folders(self) -> bool:
        """Whether folders are scored, not two files."""
        return options.holds_test_sets(self.gold)

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
        if self.folders != os.path.isdir(self.system):  # noqa: PTH112
            options.check_inputs([self.gold, self.system])
            raise click.UsageError("GOLD and SYSTEM must both be files or both be folders")
        if self.folders and (self.counts or self.align_sentences or self.show):
            raise click.UsageError("--counts, --align-sentences and --show are for one pair of files")
        special = self.table != "scores" or self.by or self.show
        gated = self.gates or self.ceilings
        if special and (gated or self.counts or self.align_sentences or self.explain):
            others = "--fail-under, --fail-over, --counts, --align-sentences, --explain"
            raise click.UsageError(f"--table, --by and --show go with none of {others}")
        if (self.report_file or self.figures) and (special or self.align_sentences or self.explain):
            message = "--report and --figures go with none of --table, --by, --show, --align-sentences, --explain"
            raise click.UsageError(message)
        if self.explain and (self.folders or self.asked or gated or self.align_sentences or self.train):
            others = "-m, -w, --fail-under, --fail-over, --align-sentences, --train"
            raise click.UsageError(f"--explain is of one pair and of all measures: it goes with none of {others}")
        if bool(self.table != "scores") + bool(self.by) + bool(self.show) > 1:
            raise click.UsageError("give one of --table, --by and --show")
        if self.train and not self.by and not self._needs_entropy:
            raise click.UsageError("--train is for --by and for WLAS(WDE)")
        if self.asked and (self.show or self.table in _OF_ALL_WORDS):
            raise click.UsageError(
                "--show and the tables confusion, errors and cascading are of no measure: leave -m out"
            )
        self._refuse_idle()
        options.check_paths(self.inputs(), [self.output, self.report_file, self.engine.store])

    def _refuse_idle(self) -> None:
        """Refuse options that would do nothing."""
        if self.explain:
            idle.refuse(_EXPLAINED, "changes nothing of --explain, which sets all rules side by side")
            return
        if self.show:
            idle.refuse(["places"], "does nothing with --show")
        if self.align_sentences:
            idle.refuse(["input_format", "gold_format", "train"], "does nothing with --align-sentences")
        asked = list(self._counted())
        if self.counts or self.table == "sentences":
            idle.refuse_places(asked, "--counts" if self.counts else "--table sentences")
        if self.by and not self._needs_entropy:
            idle.refuse_training(name for text in self.by for name in text.split(","))
        by_class = any("class" in text.split(",") for text in self.by)
        page = bool(self.report_file or self.figures)
        idle.refuse_for_measures(asked, self.registry, by_scheme=by_class or page or self.table in _SCHEMES)

    def _counted(self) -> Iterator[str]:
        """Give the texts of all measures that are counted."""
        from levelhead.scoring.rules import RULES

        special = self.table != "scores" or self.by
        if not self.show and self.table not in _OF_ALL_WORDS:
            own = RULES[self.rules].measures if not (special or self.measures) else () if self.asked else ("LAS",)
            yield from (*own, *self.asked)
        yield from self._gated()

    def _gated(self) -> Iterator[str]:
        """Give the texts of the measures of gates."""
        from levelhead.measures import split_measures

        gated = (gate.rpartition("=")[0] for gate in (*self.gates, *self.ceilings))
        yield from (split_measures(measure)[0] for measure in gated)

    def inputs(self) -> Iterator[str]:
        """Give all files that are read: those of folders too, and the weights that measures name."""
        for path in (self.gold, self.system):
            yield path
            if os.path.isdir(path):  # noqa: PTH112
                with suppress(OSError):  # is told where the folder is read
                    yield from (entry.path for entry in os.scandir(path))
        yield from (*self.train, *self.definitions)
        yield from options.files_of_measures([*self.asked, *self._gated()])

    def registry(self) -> Registry:
        """Return the measures and schemes that there are."""
        return options.registry_of(self.definitions, self.scheme)

    def setup(self, measures: Iterable[str | Measure] | None) -> Setup:
        """Return the settings for some measures."""
        from levelhead.setup import setup_of

        return setup_of(
            measures,
            rules=self.chosen_rules(),
            format=cast("Format", self.input_format),
            gold_format=cast("Format | None", self.gold_format),
            registry=self.registry(),
            weights=self.entropy_weights(),
        )

    @property
    def _needs_entropy(self) -> bool:
        return options.needs_entropy([*self.asked, *self._gated()])

    def entropy_weights(self) -> dict[str, Weights]:
        """Return the weights of WLAS(WDE), averaged over the training treebanks; nothing if it was not asked for."""
        return options.entropy_weights_of(self.train) if self._needs_entropy else {}

    def chosen_rules(self) -> Rules:
        """Return the rules, with the kinds of enhancement that are not scored."""
        from levelhead.scoring.rules import RULES

        if not self.enhancements:
            return RULES[self.rules]
        from levelhead.scoring.enhancements import switches_of

        if self.rules != "udtools":
            raise click.UsageError("--enhancements needs --rules udtools")
        return RULES[self.rules]._replace(switches=switches_of(self.enhancements))

    def plan(self) -> Plan:
        """Return the test sets, and the output for each."""
        from pathlib import Path

        from levelhead.campaign.plan import find

        plan = find(self.gold, {self.name: Path(self.system)}, self.engine.split)
        options.print_unpaired(plan.ignored, "gold treebank")
        return plan

    @property
    def code(self) -> str:
        """The name of the test set where two files are scored."""
        from pathlib import Path

        from levelhead.treebank.finder import gold_files

        return gold_files(Path(self.gold))[0].code

    @property
    def wants_page(self) -> bool:
        """Whether a page, or its charts and tables, are written."""
        return self.report_file is not None or self.figures is not None

    @property
    def name(self) -> str:
        """The name of the system: its folder, or its file if that says more than the name of the gold file."""
        from pathlib import Path

        own = Path(self.system).resolve()
        name, gold = (Path(path).name.partition(".conll")[0] for path in (own, self.gold))
        return own.parent.name if name == gold and not self.folders else name

    def print(self, table: Any, document: Any) -> None:
        """Print a table, or its document where JSON is asked for; each is made only when it is needed.

        Args:
            table: makes the table.
            document: makes the document.
        """
        options.print_result(table, document, self.output_format, self.places, self.output)
