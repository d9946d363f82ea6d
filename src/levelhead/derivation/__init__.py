"""Transition systems and their oracles, derivation orders of words, n-gram models, perplexity."""

from levelhead.derivation.arpa import read_arpa, write_arpa
from levelhead.derivation.derive import ORDERS, Derivations, Sequences, derive, sequences_from, sequences_of
from levelhead.derivation.ngram_model import SRILM_MINIMUM_COUNTS, Discounts, NgramModel, estimate
from levelhead.derivation.perplexity import Ends, Perplexities, Perplexity, SentenceSums, perplexity, sentence_sums
from levelhead.derivation.transition_systems import (
    ARC_EAGER,
    ARC_STANDARD,
    SWAP_EAGER,
    SWAP_LAZY,
    SYSTEMS,
    Action,
    Configuration,
    Transition,
    TransitionSystem,
)

__all__ = [
    "ARC_EAGER",
    "ARC_STANDARD",
    "ORDERS",
    "SRILM_MINIMUM_COUNTS",
    "SWAP_EAGER",
    "SWAP_LAZY",
    "SYSTEMS",
    "Action",
    "Configuration",
    "Derivations",
    "Discounts",
    "Ends",
    "NgramModel",
    "Perplexities",
    "Perplexity",
    "SentenceSums",
    "Sequences",
    "Transition",
    "TransitionSystem",
    "derive",
    "estimate",
    "perplexity",
    "read_arpa",
    "sentence_sums",
    "sequences_from",
    "sequences_of",
    "write_arpa",
]
