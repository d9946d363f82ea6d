"""Parsers that train in seconds, and the files that their models are kept in."""

from levelhead.parsing.model import PARSERS, Model, Schedule
from levelhead.parsing.model_file import read_model, write_model
from levelhead.parsing.training import Report, parse_treebank, train
from levelhead.parsing.unparsed import read_words

__all__ = [
    "PARSERS",
    "Model",
    "Report",
    "Schedule",
    "parse_treebank",
    "read_model",
    "read_words",
    "train",
    "write_model",
]
