"""The page on output formats: what results share, then the tables of each kind with their columns."""

from collections.abc import Iterator

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
`tables`. `provenance` has the `signature` (everything that determines the numbers, by name), `files` (the first twelve
digits of the SHA-256 of each file; in the signature, several files have the joint hash of these), `warnings` and
`notes`. `levelhead.load(path)` reads a document again: the result has its tables, verdict and provenance, but not the
treebanks. The number `schema` changes when a column changes its meaning or is removed.

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
    described_in: dict[tuple[DataColumn, ...], str] = {}
    for kind in kinds():
        yield f"### {kind}"
        for name, some in columns(kind).items():
            first = described_in.setdefault(some, kind)
            if first != kind:
                yield f"**{name}**: as in [{first}](#{first})"
                continue
            shared = ", ".join(f"`{column.name}`" for column in some if column.name in SHARED)
            own = [column for column in some if column.name not in SHARED and column.always]
            yield f"**{name}**{': ' if shared else ''}{shared}"
            yield from ["\n".join(map(described, own))] * bool(own)
            if not all(column.always for column in some):
                yield "Further columns are there if they are requested: see [profile](profile.md)."


def described(column: DataColumn) -> str:
    """Return a column as an item of a list."""
    kind = column.unit or ("" if column.type in {"text", "number"} else column.type)
    shown = f" ({kind})" if kind else ""
    return f"- `{column.name}`{shown}: {escaped(column.about)}"


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is, but for `code`."""
    parts = text.split("`")
    parts[::2] = [part.replace("*", "\\*").replace("<", "&lt;") for part in parts[::2]]
    return "`".join(parts)
