"""Names of the package that documentation and docstrings mention exist."""

import importlib
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from conftest import ROOT

PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "development").glob("*.md")),
    *sorted((ROOT / "src" / "levelhead").rglob("*.py")),
]
"""`docs/api` is made of docstrings."""

NAME = re.compile(r"(?<![/.\w])levelhead(?:\.[A-Za-z]\w*)+")
PATH = re.compile(r"(?<![/\w])(?:src/levelhead|tests|scripts|docs|development|examples)/[\w./-]*\w")
NOT_NAMES = {"css", "egg", "fish", "html", "ipynb", "toml"}
"""What follows `levelhead.` in names of files."""
TYPES = {"levelhead.Recovery"}
"""Package and class, the names by which `arguments.type_of_treebank` knows types; only in code."""

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ENTRY_POINTS = {name for group in PROJECT["entry-points"].values() for name in group}
"""Names that other programs look up, such as that of the scorer for spaCy."""


@cache
def exists(name: str) -> bool:
    """Whether a dotted name can be imported."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:n]))
        except ImportError:
            continue
        for part in parts[n:]:
            found = getattr(found, part, None)
        return found is not None
    return False


@pytest.mark.parametrize("folder", sorted({page.parent.relative_to(ROOT).as_posix() for page in PAGES}))
def test_names_exist(folder: str) -> None:
    for page in PAGES:
        if page.parent == ROOT / folder and page.name != "changelog.md":
            check_names(page)


def check_names(page: Path) -> None:
    """Names and paths on a page or in a file exist."""
    text = page.read_text(encoding="utf-8")
    names = {name for name in NAME.findall(text) if name.split(".")[1] not in NOT_NAMES}
    names -= ENTRY_POINTS | (TYPES if page.suffix == ".py" else set())
    assert [name for name in sorted(names) if not exists(name)] == [], page
    paths = {path for path in PATH.findall(text) if "NAME" not in path}
    assert [path for path in sorted(paths) if not (ROOT / path).exists() and not (page.parent / path).exists()] == [], (
        page
    )
