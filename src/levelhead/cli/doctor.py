"""levelhead doctor: installed dependencies."""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import importlib.util
import platform
import shutil
import sys

from levelhead._version import VERSION
from levelhead.cli.shared.command import command
from levelhead.cli.shared.printing import Printing, printing_options
from levelhead.extras import LIBRARIES, install_command, installed
from levelhead.tables.documents import header
from levelhead.tables.table import Column, Table

PROGRAMS = {
    "bwrap": "running systems of a shared task in a sandbox (on Debian: apt-get install bubblewrap)",
    "java": "MaltParser, an external parser",
}
"""The optional programs, and their purpose."""

_KERNELS = (
    "scan pools memory layout agreement trees alignment shapes oracles conversion arpa transition_parser graph_parser"
).split()


@command()
@printing_options("text", "json", "tsv", "markdown", places=False)
def doctor(printing: Printing) -> None:
    """Show which optional dependencies are installed, and how to install the others."""
    rows = [
        ("levelhead", VERSION, ""),
        ("Python", platform.python_version(), sys.executable),
        ("numpy", _version("numpy"), ""),
        ("click", _version("click"), ""),
        ("rich", _version("rich"), ""),
        ("kernels", "compiled" if _compiled() else "not compiled: slow", ""),
        *((name, "found" if shutil.which(name) else "missing", f"for {use}") for name, use in PROGRAMS.items()),
        *((name, *_extra(name)) for name in LIBRARIES),
    ]
    columns = (Column("Part", "text"), Column("Version", "text"), Column("Note", "text"))
    document = {**header("doctor"), "installed": {name: version for name, version, _ in rows}}
    printing.print(lambda: Table(columns, tuple(rows)), lambda: document)


def _version(project: str) -> str:
    try:
        return importlib.metadata.version(project)
    except importlib.metadata.PackageNotFoundError:
        return "missing"


def _extra(name: str) -> tuple[str, str]:
    """The version of an optional library, and its purpose."""
    library = LIBRARIES[name]
    if not installed(name):
        return "missing", f"for {library.purpose}: {install_command(library.extra)}"
    return _version(library.project), f"{library.purpose} (extra: {library.extra})"


def _compiled() -> bool:
    """Whether all kernels are compiled; without compiling, results are the same but slow."""
    kernels = [importlib.util.find_spec(f"levelhead.kernels.{name}") for name in _KERNELS]
    suffixes = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    return all(spec is not None and spec.origin is not None and spec.origin.endswith(suffixes) for spec in kernels)
