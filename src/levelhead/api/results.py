"""Results as data: their columns, their JSON Schemas, and reading them again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from levelhead.api.parameters import public
from levelhead.errors import Fault, InputError, Place, unknown
from levelhead.immutable import immutable
from levelhead.tables.data import DataColumn, DataTable, columns_in, data_of_documents, schema_of_rows
from levelhead.tables.documents import check_document, document_schema, object_schema
from levelhead.tables.table import Table, table_of_data
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import FileId, Provenance

if TYPE_CHECKING:
    from levelhead.api.inputs import PathLike
    from levelhead.tables.data import Layout

_CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "agree": "comparison.agreement:Agreement",
        "correlate": "correlation.correlate:Correlation",
        "cumulative-variance": "correlation.coefficients:CumulativeVariances",
        "judge": "comparison.judgment:Judgment",
        "measurements": "correlation.measurements:Measurements",
        "cite": "report.citation:Citation",
        "columns": "api.listings:ProfileColumnList",
        "convert": "conversion.round_trip:RoundTrips",
        "doctor": "api.listings:Installation",
        "measures": "api.listings:MeasureList",
        "reproduce": "studies.study:Study",
        "schemes": "api.listings:SchemeList",
        "derive": "derivation.derive:Derivations",
        "perplexity": "derivation.perplexity:Perplexities",
        "diff": "comparison.changes:Changes",
        "profile": "typology.collection:Survey",
        "rarefy": "typology.collection:Samples",
        "recover": "recovery.recovery:Recovery",
        "score": "evaluation.pair:Evaluation",
        "select": "typology.selection:SelectedTreebanks",
        "similarity": "typology.collection:Similarities",
        "rank": "campaign.ranked_systems:RankedSystems",
        "leaderboard": "task.standings:Leaderboard",
        "submissions": "task.documents:Submissions",
        "testsets": "treebank.releases.files:TestSets",
        "explain": "analysis.rule_differences:Explanation",
        "breakdown": "comparison.breakdowns:Breakdowns",
        "analyze": "comparison.system_errors:ErrorAnalysis",
        "confusion": "comparison.system_errors:Confusions",
        "examples": "comparison.trees:ErrorExamples",
        "contrasts": "comparison.trees:Contrasts",
        "sentences": "comparison.word_tables:CountedSentences",
        "suspects": "comparison.suspects:Suspects",
        "validate": "treebank.validation:Validation",
        "words": "comparison.word_tables:AlignedWords",
        "compare": "comparison.systems:Comparison",
        "languages": "comparison.evaluations:Languages",
        "power": "comparison.power:Power",
        "difficulty": "comparison.difficulty:Difficulty",
    }
)
"""The class of each kind of result."""

OF_TASKS = ("submission", "task")
"""The kinds of documents of shared tasks that are not results."""


def kinds() -> tuple[str, ...]:
    """Return the kinds of results, such as "score"."""
    return tuple(_CLASSES)


def _layouts(kind: str) -> Mapping[str, Layout]:
    if kind not in _CLASSES:
        raise InputError(Fault("unknown-table", unknown("kind of result", kind, _CLASSES)))
    result: type[Tabular] = resolve_name(f"levelhead.{_CLASSES[kind]}")
    return result.layouts()


@public()
def columns(kind: str) -> Mapping[str, tuple[DataColumn, ...]]:
    """Return the columns of each table in the result of a command.

    Args:
        kind: the kind of result, named after the command: "score", "compare" ...

    Raises:
        InputError: the kind is unknown.
    """
    return {name: columns_in(layout) for name, layout in _layouts(kind).items()}


def json_schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a kind of result.

    The `kind` is one of `kinds()`, or "submission" or "task", which are documents of shared tasks.

    Raises:
        InputError: the kind is unknown.
    """
    if kind in OF_TASKS:
        from levelhead.task.documents import SCHEMAS

        return SCHEMAS[kind]()
    layouts = _layouts(kind)
    text = {"type": "string"}
    warning = (
        DataColumn("slug", "text", "Name of the warning, as in the list of messages"),
        DataColumn("message", "text", "What is wrong"),
        DataColumn("file", "text", "Path of the file; null for a treebank in memory", optional=True),
        DataColumn("line", "integer", "Line of the first case", optional=True, limits=(1,)),
        DataColumn("count", "integer", "Number of occurrences", limits=(1,)),
    )
    file = schema_of_rows((FileId,))["items"]
    provenance = {
        "signature": {
            "type": "object",
            "description": "Everything that determines the numbers, by name: rules, hashes of files, options, version",
            "additionalProperties": text,
        },
        "files": {
            "type": "object",
            "description": "The contents of each file, by treebank, then by role, system or path",
            "additionalProperties": {"type": "object", "additionalProperties": file},
        },
        "warnings": {**schema_of_rows(warning), "description": "Warnings about the files"},
        "notes": {"type": "array", "description": "Notes on how to interpret the numbers", "items": text},
    }
    return document_schema(
        kind,
        f"Result of levelhead {kind}",
        {
            "verdict": {"type": ["string", "null"], "description": "The answer in a sentence"},
            "provenance": object_schema(provenance),
            "tables": object_schema({name: schema_of_rows(layout) for name, layout in layouts.items()}),
        },
    )


@immutable
class LoadedResult(Tabular):
    """A result that was read from a file: tables, verdict and provenance, but no treebanks or counts.

    Args:
        KIND: the kind of result, such as "score".
        verdict: the main finding in a sentence; None for a result without a verdict.
        provenance: the files, settings, warnings and notes behind the numbers.
        tables: the tables of data, by name; the first one is the main result.
    """

    KIND: str  # type: ignore[misc]
    verdict: str | None
    provenance: Provenance
    tables: Mapping[str, DataTable]  # type: ignore[assignment]

    def data(self, name: str | None = None) -> DataTable:
        """Return a table of data, by default the main table."""
        chosen = next(iter(self.tables)) if name is None else name
        if chosen not in self.tables:
            raise InputError(Fault("unknown-table", unknown("table", chosen, [*self.tables])))
        return self.tables[chosen]

    def table(self, name: str | None = None) -> Table:
        """Return a table for printing, by default the main table."""
        return table_of_data(self.data(name))

    def __getattr__(self, name: str) -> NoReturn:
        message = (
            f"a loaded {self.__dict__.get('KIND', 'result')} has only tables, verdict and provenance: {name!r} needs"
        )
        raise AttributeError(f"{message} the files, so compute the result again")


@public(source=("either", "any mapping", "path"))
def load(source: PathLike | Mapping[str, Any]) -> LoadedResult:
    """Return a result that was saved as JSON, with its tables, verdict and provenance.

    Args:
        source: the file that a command wrote with `--format json`, or the document that `to_dict` returns.

    Raises:
        InputError: the file cannot be read, or is not a result of this version.
    """
    path = None if isinstance(source, Mapping) else os.fspath(source)
    document = source if isinstance(source, Mapping) else _parsed(source)

    check_document(document, path)
    layouts = _layouts(str(document.get("kind")))
    try:
        tables = {name: data_of_documents(layout, document["tables"][name]) for name, layout in layouts.items()}
        provenance, verdict = Provenance.from_dict(document["provenance"]), document["verdict"]
        if isinstance(verdict, str | None):
            return LoadedResult(document["kind"], verdict, provenance, tables)
        reason = "its verdict is not a text"
    except KeyError as error:
        reason = f"it has no {error.args[0]}"
    except (TypeError, AttributeError):
        reason = "its provenance is malformed"
    except ValueError as error:
        reason = str(error)
    raise InputError(Fault("invalid-result", f"the document is incomplete or damaged: {reason}", Place(path)))


def _parsed(path: PathLike) -> Any:
    from levelhead.treebank.input_bytes import read_bytes

    data = read_bytes(path)
    try:
        return json.loads(data, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(
            Fault("invalid-result", "this is not JSON: write the result with --format json", Place(os.fspath(path)))
        ) from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")
