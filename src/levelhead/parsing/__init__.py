"""Training and parsing: our own parsers, which train in seconds, baselines, external parsers, and model files."""

from levelhead.parsing.any_parser import ALL_PARSERS, cross_validate, parse_any, train
from levelhead.parsing.external import EXTERNAL_PARSERS, ParsedTreebank
from levelhead.parsing.model import (
    BASELINES,
    ENSEMBLE,
    PARSERS,
    AnyModel,
    Baseline,
    Ensemble,
    ExternalModel,
    ExternalSettings,
    Model,
    Recipe,
    Schedule,
)
from levelhead.parsing.model_file import read_model, write_model
from levelhead.parsing.parser_input import long_parsing_warnings, parsing_warnings, read_words, training_warnings
from levelhead.parsing.training import Report, parse_treebank

__all__ = [
    "ALL_PARSERS",
    "BASELINES",
    "ENSEMBLE",
    "EXTERNAL_PARSERS",
    "PARSERS",
    "AnyModel",
    "Baseline",
    "Ensemble",
    "ExternalModel",
    "ExternalSettings",
    "Model",
    "ParsedTreebank",
    "Recipe",
    "Report",
    "Schedule",
    "cross_validate",
    "long_parsing_warnings",
    "parse_any",
    "parse_treebank",
    "parsing_warnings",
    "read_model",
    "read_words",
    "train",
    "training_warnings",
    "write_model",
]
