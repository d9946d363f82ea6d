"""levelhead measures: the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from levelhead.cli import options
from levelhead.report.scores import SCHEMA
from levelhead.report.table import Column, Table

if TYPE_CHECKING:
    from levelhead.measures import Registry

_FIELDS = ("name", "argument", "meaning", "formula", "source")


@click.command()
@click.option("--schemes", is_flag=True, help="List the schemes: the classes of relations that measures can name.")
@options.definitions_option
@options.format_option()
@options.output_option
def measures(schemes: bool, definitions: tuple[str, ...], output_format: str, output: str | None) -> None:
    """List all measures: what each is, what is correct of what, and where it comes from.

    A measure is written NAME, NAME(argument), NAME@CLASS (one class or relation alone), NAME-CLASS-CLASS (without
    some), each with .precision, .recall, .f1 or .aligned_accuracy behind it if wanted: LAS-FUN-PUNCT.recall.
    """
    options.check_paths(definitions, [output])
    registry = options.registry_of(definitions, None)
    kind = "schemes" if schemes else "measures"
    documents = _schemes(registry) if schemes else _measures(registry)
    if output_format == "text":
        options.emit("\n".join(_scheme_text(one) if schemes else _measure_text(one) for one in documents), output)
    elif output_format == "jsonl":
        options.print_json(documents, output, lines=True)
    elif output_format == "json":
        options.print_json({"schema": SCHEMA, "kind": kind, kind: documents}, output)
    elif schemes:
        options.print_table(_classes_table(documents), output_format, None, output)
    else:
        columns = tuple(Column(field.capitalize(), "text") for field in _FIELDS)
        options.print_table(Table(columns, tuple(tuple(d.values()) for d in documents)), output_format, None, output)


def _measures(registry: Registry) -> list[dict[str, Any]]:
    return [{field: getattr(one, field) or "" for field in _FIELDS} for one in registry.measures.values()]


def _measure_text(document: dict[str, Any]) -> str:
    argument = f"  (...) {document['argument']}\n" if document["argument"] else ""
    return "{name}\n  {meaning}\n  = {formula}\n".format(**document) + argument + f"  {document['source']}\n"


def _schemes(registry: Registry) -> list[dict[str, Any]]:
    return [
        {
            "name": scheme.name,
            "source": scheme.source,
            "version": scheme.version,
            "classes": {label: sorted(members) for label, members in scheme.classes.items()},
            "otherwise": scheme.otherwise,
            "counterparts": dict(scheme.counterparts),
        }
        for scheme in registry.schemes.by_name.values()
    ]


def _scheme_text(document: dict[str, Any]) -> str:
    version = f" (UD v{document['version']})" if document["version"] else ""
    lines = [f"{document['name']}{version}", f"  {document['source']}"]
    lines += [f"  {label}: {' '.join(members)}" for label, members in document["classes"].items()]
    lines.append(f"  {document['otherwise']}: every other relation")
    crossed = " ".join(f"{one}={other}" for one, other in document["counterparts"].items())
    return "\n".join([*lines, *([f"  looked up as: {crossed}"] if crossed else [])]) + "\n"


def _classes_table(documents: list[dict[str, Any]]) -> Table:
    rows = [
        (document["name"], label, " ".join(members))
        for document in documents
        for label, members in document["classes"].items()
    ]
    return Table(tuple(Column(name, "text") for name in ("Scheme", "Class", "Relations")), tuple(rows))
