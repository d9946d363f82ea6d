"""External parsers: an adapter for each, and checks of their outputs."""

from levelhead.parsing.external.adapters import OUTSIDE_PARSERS, Outside, identity_of, parse_outside, train_outside
from levelhead.parsing.external.output_checks import checked, rows_of

__all__ = ["OUTSIDE_PARSERS", "Outside", "checked", "identity_of", "parse_outside", "rows_of", "train_outside"]
