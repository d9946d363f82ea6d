"""The numbers printed in papers, copied to TOML files with their pages and tables."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def printed(folder: str, name: str = "printed") -> Mapping[str, Any]:
    """Return the printed numbers of a paper."""
    return tomllib.loads((files("levelhead.studies") / folder / f"{name}.toml").read_text(encoding="utf-8"))
