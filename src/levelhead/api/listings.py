"""Lists of what levelhead has: measures, class schemes, columns of profiles, and what is installed."""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import importlib.util
import platform
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from levelhead._version import VERSION
from levelhead.extras import LIBRARIES, install_command, installed
from levelhead.immutable import immutable
from levelhead.tables.data import DataColumn
from levelhead.tables.table import Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import Provenance

if TYPE_CHECKING:
    from levelhead.measures.registry import Registry
    from levelhead.tables.data import Layout
    from levelhead.typology.profile_columns import ProfileColumn


class _Listing(Tabular):
    """A list that does not depend on treebanks."""

    @property
    def provenance(self) -> Provenance:
        return Provenance({"version": VERSION}, {})


class MeasureRow(NamedTuple):
    """A measure.

    Args:
        name: its name.
        argument: the meaning of its argument; empty without an argument.
        meaning: its definition in a sentence.
        formula: correct items / all items.
        source: the publication that defines it.
        example: a command that prints it.
        group: the group of measures.
        advice: whether to report it.
    """

    name: str
    argument: str
    meaning: str
    formula: str
    source: str
    example: str
    group: str
    advice: str


@immutable
class MeasureList(_Listing):
    """Measures."""

    KIND: ClassVar[str] = "measures"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {"measures": (MeasureRow,)}

    measures: tuple[MeasureRow, ...]

    def table(self) -> Table:
        """Return a table with a row for each measure."""
        return Table(tuple(Column(name.capitalize(), "text") for name in MeasureRow._fields), self.measures)


def list_measures(registry: Registry, names: Iterable[str] = ()) -> MeasureList:
    """Return the named measures once each, or all if none is named, with a command for each as an example."""
    from levelhead.measures.registry import find_definition, group_of, split_measures
    from levelhead.scoring.measure import split
    from levelhead.scoring.rules import RULES, UD

    asked = list(names)
    definitions = [find_definition(split(text).name, registry) for name in asked for text in split_measures(name)]
    rows = []
    for definition in dict.fromkeys(definitions) if asked else registry.measures.values():
        if definition.needs_file:
            measure = f"'{definition.name}({'weights.tsv' if definition.takes_weights else 'train.conllu'})'"
        elif definition.options():
            measure = f"'{definition.name},{definition.name}({definition.options()[0]})'"
        else:
            measure = definition.name
        if definition.name in UD.lacks:  # the default rules do not define it
            measure += f" --rules {next(name for name, rules in RULES.items() if rules.defines(definition.name))}"
        group = group_of(definition.name)
        rows.append(
            MeasureRow(
                definition.name, definition.argument or "", definition.meaning, definition.formula, definition.source,
                f"levelhead score GOLD SYSTEM -m {measure}",
                group.title if group else "Custom", group.advice if group else "",
            )
        )  # fmt: skip
    return MeasureList(tuple(rows))


_SCHEME = DataColumn("scheme", "text", "The name of the scheme")
_RELATION = DataColumn("relation", "text", "The relation")


@immutable
class SchemeList(_Listing):
    """Schemes of classes."""

    KIND: ClassVar[str] = "schemes"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "relations": (_SCHEME, DataColumn("class_name", "text", "The class"), _RELATION),
        "schemes": (
            _SCHEME,
            DataColumn("source", "text", "Where it comes from"),
            DataColumn("ud_version", "text", "The version of UD whose relations it has; empty for all"),
            DataColumn("otherwise", "text", "The class of all other relations"),
        ),
        "counterparts": (
            _SCHEME, _RELATION, DataColumn("counterpart", "text", "The relation that it is looked up as"),
        ),
    }  # fmt: skip

    schemes: tuple[Any, ...]

    def _relations_rows(self) -> Iterator[tuple[str, str, str]]:
        for scheme in self.schemes:
            for label, members in scheme.classes.items():
                yield from ((scheme.name, label, relation) for relation in sorted(members))

    def _schemes_rows(self) -> Iterator[tuple[str, ...]]:
        return ((each.name, each.source, str(each.version or ""), each.otherwise) for each in self.schemes)

    def _counterparts_rows(self) -> Iterator[tuple[str, str, str]]:
        return ((scheme.name, *pair) for scheme in self.schemes for pair in scheme.counterparts.items())

    def table(self) -> Table:
        """Return a table with a row for each class of each scheme."""
        rows = tuple(
            (scheme.name, label, " ".join(sorted(members)))
            for scheme in self.schemes
            for label, members in scheme.classes.items()
        )
        return Table(tuple(Column(name, "text") for name in ("Scheme", "Class", "Relations")), rows)


@immutable
class ProfileColumnList(_Listing):
    """The columns of profiles."""

    KIND: ClassVar[str] = "columns"

    columns: tuple[ProfileColumn, ...]

    @classmethod
    def layouts(cls) -> Mapping[str, Layout]:
        from levelhead.typology.profile_columns import ProfileColumn

        return {"columns": (ProfileColumn,)}

    def table(self) -> Table:
        """Return a table with a row for each column of profiles; the units of the columns are left out."""
        from levelhead.typology.profile_columns import columns_table

        return columns_table()


class InstalledPart(NamedTuple):
    """A part of the installation.

    Args:
        part: a library or program, or levelhead itself.
        version: its version, "found", "compiled" or "missing".
        note: what it is for, and how to install it; empty for required parts.
    """

    part: str
    version: str
    note: str


@immutable
class Installation(_Listing):
    """What is installed."""

    KIND: ClassVar[str] = "doctor"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {"parts": (InstalledPart,)}

    parts: tuple[InstalledPart, ...]

    def table(self) -> Table:
        """Return a table with a row for each library or program."""
        return Table((Column("Part", "text"), Column("Version", "text"), Column("Note", "text")), self.parts)


PROGRAMS = {
    "bwrap": "running systems of a shared task in a sandbox (on Debian: apt-get install bubblewrap)",
    "java": "MaltParser, an external parser",
}
"""The optional programs, and their purpose."""

_KERNELS = (
    "scan pools memory layout agreement trees alignment oracles conversion transition_parser graph_parser".split()
)


def installation() -> Installation:
    kernels = [importlib.util.find_spec(f"levelhead.kernels.{name}") for name in _KERNELS]
    suffixes = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    compiled = all(spec is not None and spec.origin is not None and spec.origin.endswith(suffixes) for spec in kernels)
    rows = [
        ("levelhead", VERSION, ""),
        ("Python", platform.python_version(), sys.executable),
        *((name, _version(name), "") for name in ("numpy", "click", "rich")),
        ("kernels", "compiled" if compiled else "not compiled: slow", ""),  # the results are the same
        *((name, "found" if shutil.which(name) else "missing", f"for {use}") for name, use in PROGRAMS.items()),
    ]
    for name, library in LIBRARIES.items():
        missing = ("missing", f"for {library.purpose}: {install_command(library.extra)}")
        found = (_version(library.project), f"{library.purpose} (extra: {library.extra})")
        rows.append((name, *(found if installed(name) else missing)))
    return Installation(tuple(InstalledPart(*row) for row in rows))


def _version(project: str) -> str:
    try:
        return importlib.metadata.version(project)
    except importlib.metadata.PackageNotFoundError:
        return "missing"
