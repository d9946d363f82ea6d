"""The optional libraries: how to install each, and the error for a missing library."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from levelhead.errors import Fault, InputError, LevelheadError


class Library(NamedTuple):
    """An optional library: the extra that installs it, its purpose, and its name on PyPI."""

    extra: str
    purpose: str
    project: str


LIBRARIES: Mapping[str, Library] = MappingProxyType(
    {
        "zstandard": Library("zstd", "files that end in .zst", "zstandard"),
        "scipy": Library("stats", "Wilcoxon's test", "scipy"),
        "jinja2": Library("report", "HTML reports", "jinja2"),
        "vl_convert": Library("figures", "figures as PNG and PDF", "vl-convert-python"),
        "distributed": Library("cluster", "running on several machines", "distributed"),
        "polars": Library("frames", "tables as data frames", "polars"),
        "ufal.udpipe": Library("parsers", "UDPipe models", "ufal.udpipe"),
        "starlette": Library("server", "a shared task on the web", "starlette"),
        "uvicorn": Library("server", "a shared task on the web", "uvicorn"),
    }
)
"""The optional libraries by the names under which they are imported."""


def installed(module: str) -> bool:
    import importlib.util

    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # for `ufal.udpipe`, where `ufal` is missing
        return False


def install_command(extra: str) -> str:
    return f"pip install '.[{extra}]' in a checkout of levelhead, or pip install 'levelhead[{extra}]' with a release"


def missing_library(module: str, use: str) -> Fault:
    library = LIBRARIES[module]
    return Fault("missing-extra", f"{use} require {library.project}: {install_command(library.extra)}")


def require(module: str, use: str) -> None:
    if not installed(module):
        raise InputError(missing_library(module, use))


def imported(package: str, module: str | None = None) -> Any:
    """Return the module of a library that a conversion requires, by default the package itself."""
    from pkgutil import resolve_name  # slow to load

    try:
        return resolve_name(module or package)
    except (ImportError, AttributeError) as error:  # the package, or a module in it, is missing
        raise LevelheadError(f"this conversion requires: pip install '{package}'", "missing-extra") from error
