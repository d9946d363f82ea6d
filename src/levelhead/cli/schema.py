"""levelhead schema: print the JSON Schemas of JSON outputs."""

from __future__ import annotations

import click

from levelhead.cli.shared.command import command
from levelhead.cli.shared.option_types import Choice
from levelhead.cli.shared.options import output_option
from levelhead.cli.shared.printing import emit, print_json
from levelhead.report.json_schemas import json_schema, schema_names


@command()
@click.argument("kind", type=Choice(schema_names(), "schema"), metavar="[KIND]", required=False)
@output_option
def schema(kind: str | None, output: str | None) -> None:
    """Print the JSON Schema of a KIND of JSON output, such as score; without KIND, list the kinds.

    KIND is the value of "kind" in the output. If the lines of --format jsonl have no kind, their schema is under
    $defs/line.
    """
    if kind is None:
        titles = {name: json_schema(name)["title"] for name in schema_names()}
        width = max(map(len, titles))
        emit("".join(f"{name:{width}}  {title}\n" for name, title in titles.items()), output)
    else:
        print_json(json_schema(kind), output)
