"""Parsers that train in seconds, the files that their models are kept in, and parsers that are other programs."""

from levelhead.parsing.any_parser import ALL_PARSERS, ParsedTreebank, Recipe, parse_any, train_any
from levelhead.parsing.crossval import cross_validate
from levelhead.parsing.external import OUTSIDE_PARSERS, Outside
from levelhead.parsing.input_words import read_words
from levelhead.parsing.long_sentences import left_out, parsed_in_haste
from levelhead.parsing.model import PARSERS, Model, OutsideModel, Schedule
from levelhead.parsing.model_file import read_model, write_model
from levelhead.parsing.training import Report, parse_treebank, train

__all__ = [
    "ALL_PARSERS",
    "OUTSIDE_PARSERS",
    "PARSERS",
    "Model",
    "Outside",
    "OutsideModel",
    "ParsedTreebank",
    "Recipe",
    "Report",
    "Schedule",
    "cross_validate",
    "left_out",
    "parse_any",
    "parse_treebank",
    "parsed_in_haste",
    "read_model",
    "read_words",
    "train",
    "train_any",
    "write_model",
]
