"""Models of derivation perplexity for `weights` of `setup_of`, without files."""

from random import Random

from levelhead import from_conllu
from levelhead.derivation.perplexity import Trained, estimated_model
from levelhead.scoring.measure import Resource
from oracle.drawing import some_treebank

_MODEL = estimated_model(from_conllu(some_treebank(Random(2), [4] * 20).encode())).values.model

MODELS = {f"d,order={order}": Resource(Trained(_MODEL, order), order) for order in ("swap-lazy", "arc-eager", "string")}
"""The models of DPPL(d,order=...). Trees that are not projective have no arc-eager derivation."""
