"""levelhead measures: the registry."""

from __future__ import annotations

import click

from levelhead.cli import options
from levelhead.measures import REGISTRY
from levelhead.report.scores import SCHEMA
from levelhead.report.table import Column, Table


@click.command()
@options.format_option()
@options.output_option
def measures(output_format: str, output: str | None) -> None:
    """List all measures: what each is, what is correct of what, and where it comes from."""
    fields = ("name", "meaning", "formula", "source")
    documents = [{field: getattr(definition, field) for field in fields} for definition in REGISTRY.values()]
    if output_format == "text":
        options.emit(
            "\n".join("{name}\n  {meaning}\n  = {formula}\n  {source}\n".format(**d) for d in documents), output
        )
    elif output_format == "jsonl":
        options.print_json(documents, output, lines=True)
    elif output_format == "json":
        options.print_json({"schema": SCHEMA, "kind": "measures", "measures": documents}, output)
    else:
        columns = tuple(Column(field.capitalize(), "text") for field in fields)
        options.print_table(Table(columns, tuple(tuple(d.values()) for d in documents)), output_format, None, output)
