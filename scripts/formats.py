"""The page on output formats: what results share, then the tables of each kind with their columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from levelhead import columns
from levelhead.api.results import kinds
from levelhead.tables.data import DataColumn
from levelhead.tables.documents import SCHEMA

ABOUT_FORMATS = f"""
Look up how programs can read results. `--format text` is for people; `markdown`, `latex` and `html` print the same
tables. Every result is also one or more tables of data, the same in every form:

| form | of one table | of all tables |
| --- | --- | --- |
| TSV | `--format tsv` | |
| JSON Lines: a row per line | `--format jsonl` | |
| JSON | | `--format json`, `result.to_dict()` |
| data frames of polars or pandas | `result.to_frame()` | `result.tables` |

The first table of a kind is the default; `--table NAME` and `to_frame("NAME")` choose another.
`levelhead.columns("score")` returns the columns of a kind, `levelhead schema score` its
[JSON Schema](https://json-schema.org/draft/2020-12/json-schema-core).

Names are the same everywhere: tables are joined by `treebank`, `system` and `measure`. Sentences and words count from
1. Scores, shares and bounds are percentages at full precision, and differences of scores are points; the unit of
other numbers is stated. A missing value is null in JSON and empty in TSV. In TSV, a text with tabs, quotes or line
breaks is quoted as in CSV, so `pandas.read_csv(path, sep="\\t")` and R's `read.delim(path)` read back what was
written; pandas takes words such as `NA` and `null` for missing values unless `keep_default_na=False`.

A JSON document has `schema` ({SCHEMA}), `kind`, `verdict` (the answer in a sentence, or null), `provenance` and
`tables`. `provenance` has the `signature` (everything that determines the numbers, by name), `files` (the SHA-256
of each file, and its name and releases if it is [a file of UD releases](input.md#test-sets-by-name); in the signature,
several files have the joint hash of the first twelve digits), `warnings` and `notes`. Terminals show a short
signature, such as `ud | gold 251be5b1 | id 0370eef8 | levelhead 0.2.0`: results of a command with the same `id`, a hash
of the whole signature, have the same files, settings and versions.
`levelhead.load(path)` reads a document again: the result has its tables, verdict and provenance, but not the treebanks.
The number `schema` changes when a column changes its meaning or is removed.

`--format prototext` is described in [rank](rank.md).

## Kinds
"""


SHARED = {
    "treebank": "its code or name",
    "system": "its name, with the run if there are several",
    "measure": "as in `-m`",
    "value": "the score in percent, or the perplexity, if the table says nothing else",
    "low": "lower end of the confidence interval of the value",
    "high": "upper end",
    "difference": "a system minus the baseline, in points",
    "difference_low": "lower end of its confidence interval",
    "difference_high": "upper end",
    "correct": "correct items, or the sum of their weights",
    "gold": "items in gold",
    "predicted": "items in the output of the system",
    "precision": "100 * correct / predicted",
    "recall": "100 * correct / gold",
    "f1": "the harmonic mean of both",
    "n_units": "sentences, documents or other units that intervals and tests count",
    "sentence": "the number of the sentence, from 1",
    "sent_id": "its sent_id",
    "word": "the ID of the word in CoNLL-U",
    "form": "its form",
}
"""Columns that many tables have."""


def formats() -> Iterator[str]:
    """Yield the columns that many tables have, then each kind with its tables and their other columns."""
    yield "Columns that many tables have:"
    yield "\n".join(f"- `{name}`: {about}" for name, about in SHARED.items())
    yield (
        "Each table below first names the columns that are described above, in this list or with an earlier table of"
        " the same kind, then describes the others."
    )
    earlier: list[Described] = []
    for kind in kinds():
        yield f"### {kind}"
        in_kind = frozenset[DataColumn]()
        for name, some in columns(kind).items():
            table = Described(kind, name, some)
            base = next((one for one in earlier if table.extends(one)), None)
            known = base.own if base else in_kind
            yield f"**{name}**: {named_with(table, base, known)}".removesuffix(": ")
            yield from items(one for one in some if one in table.own - known)
            if not all(one.always for one in some):
                yield "Further columns are there if they are requested: see [profile](profile.md)."
            in_kind |= table.own
            earlier.append(table)


class Described(NamedTuple):
    """A table whose columns are described."""

    kind: str
    name: str
    columns: tuple[DataColumn, ...]

    @property
    def own(self) -> frozenset[DataColumn]:
        """The columns that not many tables have."""
        return frozenset(one for one in self.columns if one.name not in SHARED and one.always)

    def extends(self, other: Described) -> bool:
        """Whether it has all columns of another table that is about the same."""
        return len(other.own) > 1 and other.own <= self.own and (other.name == self.name or other.own == self.own)


def named_with(table: Described, base: Described | None, known: frozenset[DataColumn]) -> str:
    """Return the columns that a table names without describing them."""
    where = f"`{base.name}` in [{base.kind}](#{base.kind})" if base else ""
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
        about = re.sub(r"^(?:The|An?) (\w)", lambda first: first[1].upper(), about)
        lines.append(f"- `{column.name}`{kind_of(column)}: {escaped(about)}")
    if lines:
        yield "\n".join(lines)


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
