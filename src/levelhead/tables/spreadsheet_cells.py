"""Cells of TSV files that a spreadsheet would run as formulas: an apostrophe before them marks them as text.

Reading removes it. A cell that already starts with apostrophes gets another one, so that every text is restored.
"""

from __future__ import annotations

import re

_FORMULA = "'*[=+@-]"
_ESCAPED = "''*[=+@-]"


def escaped(text: str) -> str:
    """Return the text to write for a cell: `'+base` for `+base`."""
    return f"'{text}" if re.match(_FORMULA, text) else text


def unescaped(cell: str) -> str:
    """Return the original text of a written cell: `+base` for `'+base`."""
    return cell[1:] if re.match(_ESCAPED, cell) else cell
