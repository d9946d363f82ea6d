"""Outputs whose words are needed, not only their counts: in memory, or visited by the jobs that count them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from levelhead.campaign.job import JobSetup, count_output
from levelhead.campaign.plan import Plan, missing_outputs
from levelhead.campaign.records import Record, contents_in
from levelhead.campaign.sources import Source
from levelhead.errors import InputError
from levelhead.evaluation.pair import load, load_pair
from levelhead.evaluation.setup import Setup
from levelhead.progress import tracked
from levelhead.scoring.matches import Matches, TreebankPair, match

if TYPE_CHECKING:
    from levelhead.evaluation.fold import CountedPiece, Visitor
    from levelhead.treebank.provenance import FileSummary

    class VisitorWithResult(Visitor, Protocol):
        """Sees the pieces of one output, and returns a result."""

        def result(self, gold: FileSummary, system: FileSummary) -> Any:
            """Return the result."""


class Output(NamedTuple):
    """One output of a system, matched with gold.

    Args:
        system: the name of the system.
        name: the system, with the name of the run if there are several.
        matches: the aligned words.
    """

    system: str
    name: str
    matches: Matches


def read_outputs(
    plan: Plan, setup: Setup, *, trees: bool = True
) -> closing[Generator[tuple[str, list[Output]], None, None]]:
    """Return all outputs for `with`, matched with gold, one test set at a time; none is kept."""
    return closing(_read_outputs(plan, setup, trees=trees))


def _read_outputs(plan: Plan, setup: Setup, *, trees: bool) -> Generator[tuple[str, list[Output]], None, None]:
    faults = missing_outputs(plan)
    with tracked(plan.test_sets, "scoring") as test_sets:
        for test_set in test_sets:
            matched = []
            try:
                gold = load(test_set.treebank or test_set.gold or Path(), setup.rules, setup.format_of_gold)
            except InputError as error:
                faults += error.faults
                continue
            for system in plan.systems:
                output = system.treebanks.get(test_set.code) or system.outputs.get(test_set.code)
                if output is None:
                    continue
                try:
                    matches = match(*load_pair(gold, output, setup), setup.rules)
                    if trees:
                        matches.check_trees()
                    matched.append(Output(system.name, system.label, matches))
                except InputError as error:
                    faults += error.faults
            if not faults:
                yield test_set.code, matched
    if faults:
        raise InputError(*dict.fromkeys(faults))


Look = Callable[[str, Sequence[Output]], Any]
"""An additional function of the code of a test set and its matched outputs, such as for parts of a page."""

OutputSource = tuple[str, str, Source | None, JobSetup]
"""The system, its name with the run, the file, and the settings of an output."""


Looked = tuple[list[Record], Any]
"""The records of all outputs on a test set, and the result of the function."""


class VisitEach(NamedTuple):
    """An additional function of each valid output; unlike for `Look`, files can be read in pieces.

    Args:
        start: returns the visitor of an output; a function of the code of the test set and the name of the output.
    """

    start: Callable[[str, str], VisitorWithResult]


def count_and_look(
    code: str, gold: Source, outputs: Sequence[OutputSource], look: Look | VisitEach, look_at_valid: bool
) -> Looked:
    """Count all outputs on one test set and look at them; no file is read twice.

    Args:
        code: the code of the test set.
        gold: the gold treebank.
        outputs: the outputs.
        look: the additional function.
        look_at_valid: whether a `Look` is called even if an output is missing or invalid.
    """
    if not isinstance(look, VisitEach):
        records, matched = _records_and_outputs(gold, outputs)
        return records, look(code, matched) if look_at_valid or len(matched) == len(outputs) else None
    records, results = [], {}
    for _, name, file, settings in outputs:
        visitor = look.start(code, name)
        record = count_output(gold, file, settings, [visitor])
        records.append(record)
        if record.get("state") == "valid":
            results[name] = visitor.result(contents_in(record["gold"], None), contents_in(record["system"], None))
    return records, results


class _Keep:
    """The visitor that keeps the aligned words of whole files."""

    def start(self) -> None:
        """Forget all pieces."""
        self.matches: TreebankPair | None = None

    def add(self, piece: CountedPiece) -> None:
        """Keep the only piece."""
        self.matches = piece.matches


def _records_and_outputs(gold: Source, outputs: Sequence[OutputSource]) -> tuple[list[Record], list[Output]]:
    """The results of all outputs, and the aligned words of valid outputs."""
    records, matched = [], []
    for system, name, file, settings in outputs:
        kept = _Keep()
        record = count_output(gold, file, settings, [kept], whole=True)
        records.append(record)
        if record.get("state") == "valid" and isinstance(kept.matches, Matches):
            matched.append(Output(system, name, kept.matches))
    return records, matched
