"""Cells of TSV files that a spreadsheet would run as formulas: an apostrophe before them keeps them text.

Reading undoes it. A cell that has apostrophes before the sign already gets one more, so that every text comes back.
"""

from __future__ import annotations

import re

_FORMULA = "'*[=+@-]"
_ESCAPED = "''*[=+@-]"


def escaped(text: str) -> str:
    """Return the text of a cell as it is written: `'+base` for `+base`.

    Args:
        text: the cell.
    """
    return f"'{text}" if re.match(_FORMULA, text) else text


def unescaped(cell: str) -> str:
    """Return the text of a cell as it was before it was written: `+base` for `'+base`.

    Args:
        cell: what the file has.
    """
    return cell[1:] if re.match(_ESCAPED, cell) else cell
