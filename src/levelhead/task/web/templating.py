"""The templates of the pages. Whatever comes from people is escaped, and nothing is loaded from elsewhere."""

from __future__ import annotations

from importlib.resources import files
from typing import Any
from urllib.parse import quote

import jinja2

from levelhead.errors import printable
from levelhead.report.table import formatted
from levelhead.task.model.database import shown_time
from levelhead.task.model.submissions import why_primary


def page_templates() -> jinja2.Environment:
    """Return the templates, which escape text, and show characters that would hide or turn it around."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("levelhead.task.web"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_visible,
    )
    environment.filters |= {"in_address": _in_address, "shown_time": shown_time, "why_primary": why_primary}
    environment.globals |= {"formatted": formatted}
    return environment


def style_sheet() -> str:
    """Return the style sheet of the pages."""
    return (files("levelhead.task.web") / "templates" / "style.css").read_text(encoding="utf-8")


def _visible(value: Any) -> Any:
    return printable(value) if type(value) is str else value  # markup is a subclass, and ours


def _in_address(name: str) -> str:
    return quote(name, safe="", errors="surrogateescape")
