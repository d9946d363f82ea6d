"""Training and parsing: our own parsers, which train in seconds, baselines, external parsers, and model files."""

from levelhead.parsing.any_parser import ALL_PARSERS, ParsedTreebank, Recipe, parse_any, train_any
from levelhead.parsing.crossval import cross_validate
from levelhead.parsing.external import EXTERNAL_PARSERS, ExternalSettings
from levelhead.parsing.input_warnings import parsing_warnings, training_warnings
from levelhead.parsing.input_words import read_words
from levelhead.parsing.long_sentences import long_parsing_warnings
from levelhead.parsing.model import (
    BASELINES,
    ENSEMBLE,
    PARSERS,
    AnyModel,
    Baseline,
    Ensemble,
    ExternalModel,
    Model,
    Schedule,
)
from levelhead.parsing.model_file import read_model, write_model
from levelhead.parsing.training import Report, parse_treebank, train

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
    "train_any",
    "training_warnings",
    "write_model",
]
