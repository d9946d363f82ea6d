"""TOML files: definitions, manifests, descriptions of tasks, targets of conversion."""

from __future__ import annotations

import tomllib
from typing import Any

from levelhead.errors import Fault, InputError, Place


def parsed_toml(data: bytes, name: str, slug: str) -> dict[str, Any]:
    """Return the contents of a TOML file; a byte order mark is ignored."""
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        reason = "the file is not UTF-8 text: save it as UTF-8"
        raise InputError(Fault(slug, reason, Place(name))) from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(Fault(slug, f"not TOML: {error}", Place(name))) from error
    except RecursionError as error:
        raise InputError(Fault(slug, "not TOML: tables or lists are nested too deeply", Place(name))) from error
