"""The formats of tables for papers."""

from __future__ import annotations

from typing import Literal, get_args

PaperFormat = Literal["latex", "markdown", "html"]

PAPER_FORMATS: tuple[PaperFormat, ...] = get_args(PaperFormat)
