"""Files of UD releases: named by their contents, and found by their names."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["path_of"]


def path_of(name: str, download: Callable[[str], None] | None = None) -> str:
    """Return the path of a file of UD releases by its name, see `located`, or any other path unchanged."""
    if "@" not in name:
        return name
    from levelhead.treebank.releases.files import located  # slow to load

    return located(name, download=download)
