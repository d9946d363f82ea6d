"""The options for papers: a table with a caption, and what to cite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from levelhead.cli.shared.grouped import Decorator, grouped
from levelhead.cli.shared.printing import emit, print_json
from levelhead.cli.shared.values import Choice
from levelhead.immutable import immutable

if TYPE_CHECKING:
    from collections.abc import Callable

    from levelhead.cli.shared.printing import Printing
    from levelhead.report.citation import Cited
    from levelhead.report.paper import PaperTable

cite_option: Decorator = click.option(
    "--cite", is_flag=True,
    help="Instead of numbers, print a sentence on methods and the BibTeX entries of measures and tests (LaTeX with"
    " --format latex)",
)  # fmt: skip

_layout_option: Decorator = click.option(
    "--layout", type=Choice(["table", "paper"], "layout"), default="table", show_default=True,
    help="Print the usual table, or a table for a paper with best scores in bold, significance marks, intervals and a"
    " caption (requires --format latex, markdown or html)",
)  # fmt: skip


@immutable(eq=True)
class Papers:
    """The values of these options.

    Args:
        layout: "table" or "paper".
        cite: whether to print what to cite instead of numbers.
    """

    layout: str
    cite: bool

    @property
    def table(self) -> bool:
        """Whether a table for a paper is printed."""
        return self.layout == "paper"

    def check(self, output_format: str) -> None:
        """Refuse formats that do not support the requested layout."""
        check_cite(output_format, cite=self.cite)
        if self.cite and self.table:
            raise click.UsageError("--cite cannot be combined with --layout paper: it prints no table")
        if self.table:
            from levelhead.tables.writers import PAPER_FORMATS

            if output_format not in PAPER_FORMATS:
                *most, last = PAPER_FORMATS
                formats = f"{', '.join(most)} or {last}"
                raise click.UsageError(f"--layout paper requires --format {formats}, not {output_format}")

    def print(self, result: Cited, tables: Callable[[int], list[PaperTable]], printing: Printing) -> bool:
        """Print a table for a paper or a citation; return whether either was requested."""
        if self.cite:
            print_citation(result, printing)
        elif self.table:
            from levelhead.report.paper import papers_text

            made = tables(2 if printing.places is None else printing.places)
            emit(papers_text(made, printing.output_format), printing.output)
        return self.cite or self.table


papers_options: Decorator = grouped("papers", Papers, (_layout_option, cite_option))
"""The options for papers, passed to a command as the argument `papers`."""


def check_cite(output_format: str, *, cite: bool) -> None:
    """Refuse formats that do not support citations."""
    if cite and output_format not in {"text", "latex", "json"}:
        raise click.UsageError(f"--cite requires --format text, latex or json, not {output_format}")


def print_citation(result: Cited, printing: Printing) -> None:
    """Print a sentence on methods, and the BibTeX entries that it cites."""
    from levelhead.report.citation import citation
    from levelhead.tables.documents import header

    cited = citation(result)
    if printing.output_format == "json":
        texts = {"methods": cited.methods, "latex": cited.latex, "bibtex": cited.bibtex}
        print_json({**header("citation"), **texts}, printing.output)
        return
    methods = cited.latex if printing.output_format == "latex" else cited.methods
    emit(f"{methods}\n\n{cited.bibtex}", printing.output)
