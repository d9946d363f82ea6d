"""levelhead doctor: what is installed."""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import importlib.util
import platform
import shutil
import sys

import click

from levelhead._version import VERSION
from levelhead.cli import options
from levelhead.cli.program import DONE
from levelhead.report.table import Column, Table

EXTRAS = {
    "zstandard": ("zstd", "files that end in .zst"),
    "scipy": ("stats", "p-values of partial correlations, Wilcoxon's test"),
    "jinja2": ("report", "pages of HTML"),
    "vl_convert": ("report", "figures as PNG, PDF and SVG"),
    "distributed": ("cluster", "many machines"),
    "polars": ("frames", "tables as data frames"),
    "ufal.udpipe": ("parsers", "models of UDPipe"),
    "starlette": ("server", "a shared task on the web"),
    "uvicorn": ("server", "a shared task on the web"),
}
"""The libraries that are optional: the extra that installs them, and what they are for."""

PROGRAMS = {
    "bwrap": "the sandbox of systems in a shared task (on Debian: apt-get install bubblewrap)",
    "java": "MaltParser, of parsers from elsewhere",
}
"""The programs that are optional, and what they are for."""

_PROJECTS = {"vl_convert": "vl-convert-python"}

_KERNELS = (
    "scan pools trees spans shapes oracles lifting transitions conversion arpa transition_parser graph_parser".split()
)


@click.command()
@options.format_option("text", "json", "tsv", "markdown")
@options.output_option
def doctor(output_format: str, output: str | None) -> int:
    """Say what is installed, and what installs what is not."""
    rows = [
        ("levelhead", VERSION, ""),
        ("Python", platform.python_version(), sys.executable),
        ("numpy", _version("numpy"), ""),
        ("click", _version("click"), ""),
        ("rich", _version("rich"), ""),
        ("kernels", "compiled" if _compiled() else "not compiled: slow", ""),
        *((name, *_program(name)) for name in PROGRAMS),
        *((name, *_extra(name)) for name in EXTRAS),
    ]
    if output_format == "json":
        document = {"schema": 1, "kind": "doctor", "installed": {name: version for name, version, _ in rows}}
        options.print_json(document, output)
    else:
        columns = (Column("part", "text"), Column("version", "text"), Column("note", "text"))
        options.print_table(Table(columns, tuple(rows)), output_format, None, output)
    return DONE


def _version(project: str) -> str:
    try:
        return importlib.metadata.version(project)
    except importlib.metadata.PackageNotFoundError:
        return "missing"


def _program(name: str) -> tuple[str, str]:
    """Whether a program is there, and what it is for."""
    return "missing" if shutil.which(name) is None else "found", f"for {PROGRAMS[name]}"


def _extra(name: str) -> tuple[str, str]:
    """The version of an optional library, and what it is for."""
    extra, purpose = EXTRAS[name]
    if not _found(name):
        return "missing", f"for {purpose}: pip install 'levelhead[{extra}]'"
    return _version(_PROJECTS.get(name, name)), f"{purpose} (extra: {extra})"


def _found(name: str) -> bool:
    """Whether there is a module of this name; for `ufal.udpipe` that takes looking into `ufal`, if there is one."""
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _compiled() -> bool:
    """Whether all kernels are compiled; as plain Python they give the same results, slowly."""
    found = [importlib.util.find_spec(f"levelhead.kernels.{name}") for name in _KERNELS]
    suffixes = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    return all(spec is not None and spec.origin is not None and spec.origin.endswith(suffixes) for spec in found)
