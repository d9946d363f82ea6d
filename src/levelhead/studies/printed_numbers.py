"""The numbers that papers print, typed in as TOML with page and table."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def printed(name: str) -> Mapping[str, Any]:
    """Return the printed numbers of a paper.

    Args:
        name: the name of the study.
    """
    return tomllib.loads((files("levelhead.studies") / "printed" / f"{name}.toml").read_text(encoding="utf-8"))
