"""External parsers: an adapter for each, and checks of their outputs."""

from levelhead.parsing.external.adapters import (
    EXTERNAL_PARSERS,
    ExternalSettings,
    identity_of,
    parse_external,
    train_external,
)
from levelhead.parsing.external.output_checks import checked, rows_of

__all__ = [
    "EXTERNAL_PARSERS",
    "ExternalSettings",
    "checked",
    "identity_of",
    "parse_external",
    "rows_of",
    "train_external",
]
