"""Jobs that count the outputs on a test set and look at their words, as for the parts of a page."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from levelhead.campaign.job import JobSetup, Source, record_and_matches, record_of_output
from levelhead.campaign.job_records import contents_in
from levelhead.campaign.outputs import Output
from levelhead.campaign.record_fields import json_of
from levelhead.scoring.matches import Matches

if TYPE_CHECKING:
    from levelhead.evaluation.pair import Looking
    from levelhead.treebank.contents import Contents

    class LookWithResult(Looking, Protocol):
        """Looks at one output, and returns a result."""

        def result(self, gold: Contents, system: Contents) -> Any:
            """Return the result."""


Look = Callable[[str, Sequence[Output]], Any]
"""An additional function of the code of a test set and its matched outputs, such as for parts of a page."""

OutputSource = tuple[str, str, Source | None, JobSetup]
"""The system, its name with the run, the file, and the settings of an output."""


class LookAtEach(NamedTuple):
    """An additional function of each valid output; unlike for `Look`, files can be read in pieces.

    Args:
        start: returns what looks at an output; a function of the code of the test set and the name of the output.
    """

    start: Callable[[str, str], LookWithResult]


def look_at_outputs(code: str, gold: Source, outputs: Sequence[OutputSource], look: Look) -> bytes:
    """Count all outputs on one test set and call a function with them; no file is read twice."""
    records, matched = _records_and_outputs(gold, outputs)
    return pickle.dumps((records, look(code, matched) if len(matched) == len(outputs) else None))


def look_at_valid_outputs(code: str, gold: Source, outputs: Sequence[OutputSource], look: Look) -> bytes:
    """Do the same as `look_at_outputs`, but call the function with all valid outputs."""
    records, matched = _records_and_outputs(gold, outputs)
    return pickle.dumps((records, look(code, matched)))


def look_at_each_output(code: str, gold: Source, outputs: Sequence[OutputSource], look: LookAtEach) -> bytes:
    """Do the same as `look_at_outputs`, but look at each valid output by itself."""
    records, results = [], {}
    for _, name, file, settings in outputs:
        looking = look.start(code, name)
        record = record_of_output(gold, file, settings, looking)
        records.append(json_of(record))
        if record.get("state") == "valid":
            results[name] = looking.result(contents_in(record["gold"], None), contents_in(record["system"], None))
    return pickle.dumps((records, results))


def _records_and_outputs(gold: Source, outputs: Sequence[OutputSource]) -> tuple[list[bytes], list[Output]]:
    """The results of all outputs, and the aligned words of valid outputs."""
    from levelhead.evaluation.partial import PartialOutput

    records, matched = [], []
    for system, name, file, settings in outputs:
        record, matches = record_and_matches(gold, file, settings)
        records.append(json_of(record))
        if isinstance(matches, Matches):
            matched.append(Output(system, name, matches))
        elif isinstance(matches, PartialOutput):
            matched.append(Output(system, name, matches.partial.matches, matches))
    return records, matched
