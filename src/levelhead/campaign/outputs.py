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
    """One output of a system, matched with gold."""

    system: str
    name: str  # with that of the run if there are several
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
    """A function of a test set's code and an output's name that returns a visitor; files can be read in pieces."""

    start: Callable[[str, str], VisitorWithResult]


def count_and_look(code: str, gold: Source, outputs: Sequence[OutputSource], look: Look | VisitEach) -> Looked:
    """Count all outputs on one test set and look at them, with a `Look` if all are valid; no file is read twice."""
    records: list[Record] = []
    results: dict[str, Any] = {}
    matched: list[Output] = []
    for system, name, file, settings in outputs:
        visitor = look.start(code, name) if isinstance(look, VisitEach) else _Keep()
        record = count_output(gold, file, settings, [visitor], whole=not isinstance(look, VisitEach))
        records.append(record)
        if record.get("state") != "valid":
            continue
        if not isinstance(visitor, _Keep):
            results[name] = visitor.result(contents_in(record["gold"], None), contents_in(record["system"], None))
        elif isinstance(visitor.matches, Matches):
            matched.append(Output(system, name, visitor.matches))
    if isinstance(look, VisitEach):
        return records, results
    return records, look(code, matched) if len(matched) == len(outputs) else None


class _Keep:
    """The visitor that keeps the aligned words of whole files."""

    def start(self) -> None:
        """Forget all pieces."""
        self.matches: TreebankPair | None = None

    def add(self, piece: CountedPiece) -> None:
        """Keep the only piece."""
        self.matches = piece.matches
