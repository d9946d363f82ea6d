"""The options that choose how and where a result is printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from levelhead.cli.shared import options
from levelhead.cli.shared.grouped import Decorator, grouped
from levelhead.immutable import immutable

if TYPE_CHECKING:
    from levelhead.evaluation.provenance import Provenance
    from levelhead.report.table import Table


@immutable(eq=True)
class Printing:
    """The values of these options.

    Args:
        output_format: the output format.
        places: the number of decimal places, or None.
        output: the file, or None for standard output.
    """

    output_format: str
    places: int | None
    output: str | None

    def print(
        self,
        table: Callable[[], Table],
        document: Callable[[], object],
        *,
        lines: Callable[[], list[Any]] | None = None,
    ) -> None:
        """Print a table or its JSON document; only what is printed is computed.

        Args:
            table: returns the table.
            document: returns the document.
            lines: returns the documents of JSON lines; None for a single document.
        """
        options.print_result(table, document, self.output_format, self.places, self.output, lines=lines)


printing_options: Decorator = grouped(
    "printing", Printing, (options.format_option(), options.places_option, options.output_option)
)
"""The options that choose how a table is printed, passed to a command as the argument `printing`."""


def print_provenance(*provenances: Provenance) -> None:
    """Print the warnings and notes of results to standard error.

    Args:
        provenances: the provenance of each result.
    """
    options.print_warnings(dict.fromkeys(fault for provenance in provenances for fault in provenance.warnings))
    options.print_notes(note for provenance in provenances for note in provenance.notes)
