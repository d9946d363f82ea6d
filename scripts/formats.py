"""The page on output formats: what results share, then the tables of each kind with their columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from levelhead import columns
from levelhead.api.results import kinds
from levelhead.tables.data import DataColumn
from levelhead.tables.documents import SCHEMA

ABOUT_FORMATS = f"""
`--format text` is for people; `markdown`, `latex` and `html` print the same tables. For programs, every result is also
one or more tables of data:

| form | of one table | of all tables |
| --- | --- | --- |
| TSV | `--format tsv` | |
| JSON Lines: a row per line | `--format jsonl` | |
| JSON | | `--format json`, `result.to_dict()` |
| data frames of polars or pandas | `result.to_frame()` | `result.tables` |

The page of a [command](commands/index.md) describes its tables. By default you get the first; `--table NAME` and
`to_frame("NAME")` choose another. `levelhead.columns("score")` returns the columns, `levelhead schema score` prints the
[JSON Schema](https://json-schema.org/draft/2020-12/json-schema-core).

- Join tables by `treebank`, `system` and `measure`.
- Sentences and words count from 1.
- Scores, shares and bounds are percentages at full precision. Differences of scores are in points. Tables state the
  unit of other numbers.
- A missing value is null in JSON and empty in TSV.
- TSV quotes a text with tabs, quotes or line breaks as CSV does. `read.delim(path)` in R and
  `pandas.read_csv(path, sep="\\t", keep_default_na=False)` read it correctly.

`--format prototext` is described in [rank](rank.md).

## JSON

| key | contents |
| --- | --- |
| `schema` | {SCHEMA}; the number changes when a column is removed or changes its meaning |
| `kind` | the kind of result, such as `score` |
| `verdict` | the answer in a sentence, or null |
| `tables` | the tables by name, each a list of rows |
| `provenance` | `signature`, `files`, `warnings` and `notes` |

`signature` names everything that determines the numbers. `files` has the SHA-256 of each file, and its name and
releases if it is [a file of UD releases](input.md#test-sets-by-name). The signature has the first
twelve digits of a file's hash, or of one hash for several files.

Terminals show a short signature, such as `ud | gold 251be5b1 | id 0370eef8 | levelhead 0.2.0`. `id` is a hash of the
whole signature: if two results of a command have the same `id`, their files, settings and versions are the same.

`levelhead.load(path)` reads a document again, with its tables, verdict and provenance, but without the treebanks.

## Shared columns

These columns mean the same in every table, unless the table describes them:
"""


SHARED = {
    "treebank": "code or name of the treebank",
    "system": "name of the system, with the run if it has several",
    "measure": "name of the measure, as in `-m`",
    "value": "score in percent, or perplexity",
    "low": "lower end of the confidence interval of the value",
    "high": "upper end",
    "difference": "score of the system minus that of the baseline, in points",
    "difference_low": "lower end of its confidence interval",
    "difference_high": "upper end",
    "correct": "correct items, or the sum of their weights",
    "gold": "items in gold",
    "predicted": "items in the output of the system",
    "precision": "100 * correct / predicted",
    "recall": "100 * correct / gold",
    "f1": "the harmonic mean of both",
    "n_units": "number of sentences, documents or other units behind intervals and tests",
    "sentence": "number of the sentence, from 1",
    "sent_id": "its sent_id",
    "word": "ID of the word in CoNLL-U",
    "form": "its form",
    "NAME_low": "lower end of the confidence interval of NAME; null with too few units, sentences or systems",
    "NAME_high": "upper end",
}
"""Columns that many tables have."""

OFTEN = {
    "sentences": "The number of sentences",
    "words": "The number of words",
    "swaps": "The number of swap transitions",
    "n_treebanks": "The number of treebanks",
    "unit": "The unit of the value",
    "reason": "Why the value is missing; null otherwise",
    "message": "What is wrong",
    "line": "The line of the first case",
    "aligned": "The number of aligned gold items; null for measures without alignment",
    "aligned_accuracy": "100 * correct / aligned; null for measures without alignment",
    "baseline": "The first system, with which the others are compared",
    "document": 'The id of the document, or "#" and its number; null before the first # newdoc',
    "uncertain": "Whether the interval is based on fewer than 20 units, or on very uneven ones",
}
"""What columns of several tables usually are; a table describes them if it has another meaning."""


KINDS_OF = {
    "correlate": ("correlate", "cumulative-variance"),
    "measures": ("measures", "schemes"),
    "profile": ("profile", "rarefy", "columns"),
    "task": ("leaderboard", "submissions"),
    "trees": ("examples", "contrasts"),
}
"""The kinds of results of commands that have several, or one with another name."""
NO_COMMAND = {"measurements": "`levelhead.measurements`", "cite": "`levelhead.cite` and `--cite`"}
"""Kinds of Python functions, or of an option of several commands."""
SHARED_TABLES = {"coverage": "score", "influence": "compare", "units": "agree"}
"""Tables of many kinds of results, each with a kind that has it."""


def kinds_of(command: str) -> tuple[str, ...]:
    """Return the kinds of results that are described on the page of a command."""
    return tuple(kind for kind in KINDS_OF.get(command, (command,)) if kind in kinds())


def address(kind: str) -> str:
    """Return where a kind is described, as an address on a page next to the folder of commands, such as `formats`."""
    if kind in NO_COMMAND:
        return f"formats.md#{kind}"
    command = next((command for command, listed in KINDS_OF.items() if kind in listed), kind)
    return f"commands/{command}.md#result-{kind}"


def formats() -> Iterator[str]:
    """Yield the columns and tables that many results have, then the kinds of results without a command."""
    often = {name: without_article(about) for name, about in OFTEN.items()}
    yield "\n".join(f"- `{name}`: {escaped(about)}" for name, about in {**SHARED, **often}.items())
    yield "## Shared tables"
    yield ABOUT_SHARED_TABLES
    for name, kind in SHARED_TABLES.items():
        yield from table_blocks(Described(kind, name, columns(kind)[name]), None, frozenset())
    for kind, made_by in NO_COMMAND.items():
        yield f"## {kind}"
        yield f"The result of {made_by}."
        yield from tables_of(kind)


ABOUT_SHARED_TABLES = "Each also has columns that identify its rows, such as `system`, `group` or `treebank_a`."


def tables_of(kind: str) -> Iterator[str]:
    """Yield the tables of a kind of result with the columns that are not described elsewhere."""
    in_kind = frozenset[DataColumn]()
    shared = [name for name in columns(kind) if name in SHARED_TABLES]
    for table, base in described_tables():
        if table.kind == kind and table.name not in SHARED_TABLES:
            known = base.own if base else in_kind
            yield from table_blocks(table, base, known)
            in_kind |= table.own
    if any(not one.always for some in columns(kind).values() for one in some):
        yield "[Columns of profiles](../profile-columns.md) lists those that can be added."
    if shared:
        yield f"[Shared tables](../formats.md#shared-tables): {', '.join(shared)}."


@cache
def described_tables() -> tuple[tuple[Described, Described | None], ...]:
    """Return the tables of all kinds, each with an earlier one whose columns it repeats."""
    found: list[tuple[Described, Described | None]] = []
    for kind in kinds():
        for name, some in columns(kind).items():
            table = Described(kind, name, some)
            found.append((table, next((one for one, _ in found if table.extends(one)), None)))
    return tuple(found)


def table_blocks(table: Described, base: Described | None, known: frozenset[DataColumn]) -> Iterator[str]:
    """Yield the name of a table, the columns that are described elsewhere, and the others."""
    yield f"**{table.name}**: {named_with(table, base, known)}".removesuffix(": ")
    yield from items(one for one in table.columns if one in table.own - known)


class Described(NamedTuple):
    """A table whose columns are described."""

    kind: str
    name: str
    columns: tuple[DataColumn, ...]

    @property
    def own(self) -> frozenset[DataColumn]:
        """The columns that not many tables have."""
        return frozenset(one for one in self.columns if one.always and not is_clear(one))

    def extends(self, other: Described) -> bool:
        """Whether it has all columns of another table that is about the same."""
        return len(other.own) > 1 and other.own <= self.own and (other.name == self.name or other.own == self.own)


def is_clear(column: DataColumn) -> bool:
    """Whether a column is described with the shared ones, or its name says what it is."""
    said = set(re.findall(r"[a-z]+", column.about.lower())) - WITHOUT_MEANING
    named = {form for part in column.name.lower().split("_") for form in (part, f"{part}s", part.removesuffix("s"))}
    shared = column.name in SHARED or OFTEN.get(column.name) == column.about or INTERVAL.search(column.about)
    return bool(shared) or said <= named


INTERVAL = re.compile(
    r"((Its|The) confidence interval( of the coefficient)?|The (lower|upper) end of the (confidence )?interval)"
    r"(; null with [\w ]+)?(: (lower|upper) end)?$"
)
"""What is said of `NAME_low` and `NAME_high` if there is nothing special about them."""
WITHOUT_MEANING = frozenset("a an column it its name number of the".split())


def named_with(table: Described, base: Described | None, known: frozenset[DataColumn]) -> str:
    """Return the columns that a table names without describing them."""
    where = f"`{base.name}` in [{base.kind}](../{address(base.kind)})" if base else ""
    if base and base.columns == table.columns:
        return f"as {where}"
    described = table.own if base else table.own - known
    names = [f"`{one.name}`" for one in table.columns if one.always and one not in described]
    return ", ".join([*names, *([f"and those of {where}"] if base else [])])


def items(found: Iterable[DataColumn]) -> Iterator[str]:
    """Yield columns as a list; the bounds of an interval are one item."""
    lines, before = list[str](), ""
    for column in found:
        about = column.about.removeprefix(f"{before}: ")
        if about.endswith(": upper end") and lines:
            names, text = lines[-1].split("`", 2)[1:]
            lines[-1] = f"- `{names}`, `{column.name}`{text.removesuffix(': lower end')}"
            continue
        if not column.name.endswith("_low"):
            before = column.about
        about = without_article(about)
        lines.append(f"- `{column.name}`{kind_of(column)}: {escaped(about)}")
    if lines:
        yield "\n".join(lines)


def without_article(about: str) -> str:
    """Return a description without its first article."""
    return re.sub(r"^(?:The|An?) (\w)", lambda first: first[1].upper(), about)


def kind_of(column: DataColumn) -> str:
    """Return the unit or type in parentheses, if the description does not say it."""
    if column.about.startswith(("The number of ", "Whether ")) and column.type in {"integer", "boolean"}:
        return ""
    kind = column.unit or ("" if column.type in {"text", "number"} else column.type)
    return f" ({kind})" if kind else ""


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is, but for `code`."""
    parts = text.split("`")
    parts[::2] = [part.replace("*", "\\*").replace("<", "&lt;") for part in parts[::2]]
    return "`".join(parts)
