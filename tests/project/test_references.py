"""Names of the package that documentation and docstrings mention exist."""

import importlib
import re
from functools import cache

import pytest

from conftest import ROOT

PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "src" / "levelhead").rglob("*.py")),
]
"""`docs/api` is made of docstrings."""

NAME = re.compile(r"(?<![/.\w])levelhead(?:\.[A-Za-z]\w*)+")
PATH = re.compile(r"(?<![/\w])(?:src/levelhead|tests|scripts|docs|examples)/[\w./-]*\w")
NOT_NAMES = {"css", "egg", "fish", "html", "ipynb", "toml"}
"""What follows `levelhead.` in names of files."""


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


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "changelog.md"], ids=lambda page: page.name)
def test_names_exist(page) -> None:
    text = page.read_text(encoding="utf-8")
    names = {name for name in NAME.findall(text) if name.split(".")[1] not in NOT_NAMES}
    assert [name for name in sorted(names) if not exists(name)] == []
    paths = {path for path in PATH.findall(text) if "NAME" not in path}
    assert [path for path in sorted(paths) if not (ROOT / path).exists() and not (page.parent / path).exists()] == []
