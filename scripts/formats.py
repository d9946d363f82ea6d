"""The page on output formats: what documents share, then the keys of each kind as its JSON Schema has them."""

from collections.abc import Iterator, Mapping
from typing import Any

from levelhead.report import schema_names
from levelhead.report.json_schemas import schema_file
from levelhead.tables.documents import SCHEMA

ABOUT_FORMATS = f"""
Look up how programs can read the results of a command. `--format text` is for people; `markdown`, `latex` and `html`
print the same tables; `tsv`, `json` and `jsonl` are for programs.

## TSV

TSV has a line of unique column names, then a row for each treebank, system, word or pair, at full precision. Averages
and totals are left out.

## JSON

Every JSON document has `"schema": {SCHEMA}` and a `"kind"`. levelhead contains a
[JSON Schema](https://json-schema.org/draft/2020-12/json-schema-core) for each kind, with descriptions, units and
ranges:

```sh
levelhead schema                # lists the kinds and the commands that print them
levelhead schema score          # prints the schema of one
```

In Python, `levelhead.report.json_schema("score")` returns it. A schema describes exactly what this version prints:
there are no other keys, and keys that may be missing are marked *optional* below. The number `schema` changes when a
field changes its meaning or is removed. A new version may add fields without a new number, so validate a document with
the schemas of the version that wrote it.

Scores and shares are percentages at full precision, and differences of scores are points; exceptions say so. `null` is
a missing value. `signature` has everything that determines the numbers, by name. Its `gold` and `system`
(`systems` if there can be several) are the first twelve digits of the SHA-256 of a file; for several files, of the
SHA-256 of their digits one after another, system by system.

## JSON lines

`--format jsonl` prints one document per line. If a kind contains a list of other documents (`scores`, `profiles`,
`derivations`, `round-trips`) or of rows (`similarity`, `selection`, `rarefied`, `measures`, `schemes`, the files of
`perplexity`, the `results` of `ranking`), each of these is a line, with the name of the treebank among its keys. If
such lines have no kind of their own, their schema is under `$defs/line`. Any other document is a single line.

`--format prototext` is described in [rank](rank.md).

## Kinds
"""


def formats() -> Iterator[str]:
    """Yield each kind with the command that prints it, and its keys as nested lists; below, what several share."""
    common = schema_file("common")["$defs"]
    for name in schema_names():
        schema = schema_file(name)
        yield f"### {name}"
        title = escaped(schema["title"])
        yield f"`{title.removeprefix('levelhead ')}`" if title.startswith("levelhead ") else f"{title}."
        yield "\n".join(keys(schema, {**common, **schema.get("$defs", {})}))
    yield "## Shared parts"
    for name in filter(common.get, SHARED):
        inner, _ = innermost(common[name], common)
        yield f"### Shared: {name}"
        yield escaped(common[name].get("description", ""))
        yield "\n".join(keys(inner, common))


SHARED = ("score", "contents", "leakage", "coverage", "table", "units", "paths")
"""The definitions in common.json that have keys."""


def keys(schema: Mapping[str, Any], definitions: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    """Yield a line for each key of an object, those of objects in it below."""
    required = schema.get("required", ())
    for name, part in schema.get("properties", {}).items():
        if name == "schema" or "const" in part or (name, depth) == ("signature", 0):
            continue
        inner, link = innermost(part, definitions)
        optional = "" if name in required else " *(optional)*"
        about = f": {escaped(inner['description'])}" if inner.get("description") else ""
        yield f"{'    ' * depth}- `{name}`{optional}{about}{link}"
        yield from () if link else keys(inner, definitions, depth + 1)


def innermost(part: Mapping[str, Any], definitions: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """Return the object in a list or mapping, with the first description, and a link if it is described elsewhere."""
    link = ""
    while not link:
        reference = part.get("$ref", "")
        name = reference.rpartition("/")[2].removesuffix(".json")
        if reference.endswith(".json"):
            link, inner = f" ([{name}](#{name}))", {}
        elif name in SHARED:
            link, inner = f" ([{name}](#shared-{name}))", definitions[name]
        elif reference:
            inner = definitions[name]
        elif isinstance(part.get("additionalProperties"), dict) and "properties" not in part:
            inner = part["additionalProperties"]
        elif "items" in part:
            inner = part["items"]
        else:
            break
        part = {**inner, **{key: part[key] for key in ("description",) if key in part}}
    return part, link


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is, but for `code`."""
    parts = text.split("`")
    parts[::2] = [part.replace("*", "\\*").replace("<", "&lt;") for part in parts[::2]]
    return "`".join(parts)
