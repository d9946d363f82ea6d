"""Jobs that count the outputs on a test set and look at their words, as for the parts of a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from levelhead.campaign.gold import Source
from levelhead.campaign.job import JobSetup, count_output
from levelhead.campaign.outputs import Output
from levelhead.campaign.records import Record, contents_in
from levelhead.scoring.matches import Matches, TreebankPair

if TYPE_CHECKING:
    from levelhead.evaluation.fold import CountedPiece, Visitor
    from levelhead.treebank.contents import FileSummary

    class VisitorWithResult(Visitor, Protocol):
        """Sees the pieces of one output, and returns a result."""

        def result(self, gold: FileSummary, system: FileSummary) -> Any:
            """Return the result."""


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


def look_at_outputs(code: str, gold: Source, outputs: Sequence[OutputSource], look: Look) -> Looked:
    """Count all outputs on one test set and call a function with them; no file is read twice."""
    records, matched = _records_and_outputs(gold, outputs)
    return records, look(code, matched) if len(matched) == len(outputs) else None


def look_at_valid_outputs(code: str, gold: Source, outputs: Sequence[OutputSource], look: Look) -> Looked:
    """Do the same as `look_at_outputs`, but call the function with all valid outputs."""
    records, matched = _records_and_outputs(gold, outputs)
    return records, look(code, matched)


def visit_each_output(code: str, gold: Source, outputs: Sequence[OutputSource], visit: VisitEach) -> Looked:
    """Do the same as `look_at_outputs`, but visit each valid output by itself."""
    records, results = [], {}
    for _, name, file, settings in outputs:
        visitor = visit.start(code, name)
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
