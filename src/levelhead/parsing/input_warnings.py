"""Warnings about the input of training and parsing: words without UPOS, and long sentences."""

from __future__ import annotations

import numpy as np

from levelhead.errors import Fault, number_of
from levelhead.parsing.long_sentences import long_parsing_warnings, long_training_warnings
from levelhead.parsing.model import BASELINES, ENSEMBLE, PARSERS, AnyModel, Model
from levelhead.treebank import Treebank
from levelhead.treebank.places import place_of
from levelhead.treebank.strings import UNDERSCORE

_USES_TAGS = (*PARSERS, ENSEMBLE, *BASELINES, "udpipe", "malt")
"""The parsers that learn from UPOS; nothing is known about the program of `command`."""


def training_warnings(treebank: Treebank, parser: str) -> tuple[Fault, ...]:
    """Return warnings about words without UPOS, and about sentences that are too long to learn from.

    Args:
        treebank: the training treebank.
        parser: the parser.
    """
    untagged = _untagged(treebank, "parsers learn mostly from tags") if parser in _USES_TAGS else ()
    return (*untagged, *long_training_warnings(treebank, parser))


def parsing_warnings(treebank: Treebank, model: AnyModel) -> tuple[Fault, ...]:
    """Return warnings about words without UPOS if the model learned from tags, and about long sentences.

    Args:
        treebank: the treebank to parse.
        model: the trained parser.
    """
    untagged_training = model.training.get("untagged")
    all_untagged = bool(untagged_training) and untagged_training == model.training.get("words")
    learned_tags = model.parser in _USES_TAGS and not all_untagged
    untagged = _untagged(treebank, f"{model.parser} learned from tags") if learned_tags else ()
    beam = model.beam if isinstance(model, Model) else 1
    return (*untagged, *long_parsing_warnings(treebank, model.parser, beam))


def _untagged(treebank: Treebank, reason: str) -> tuple[Fault, ...]:
    """A warning with the number of words without UPOS, placed at the first one, if there are any."""
    words = np.flatnonzero(treebank.upos.codes == UNDERSCORE)
    if not len(words):
        return ()
    have = "has" if len(words) == 1 else "have"
    message = f"{len(words)} of {number_of(treebank.n_words, 'word')} {have} no UPOS tag, but {reason}"
    return (Fault("missing-tags", message, place_of(treebank, int(words[0])), "warning"),)
