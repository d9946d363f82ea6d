"""The Python interface of the official scorers, as a replacement for copies of their scripts.

`from levelhead import compat as ud_eval` replaces the current script (udtools), `from levelhead.compat import conll18`
the script of the 2018 task, and `conll17` that of 2017, with the same names, arguments, attributes, numbers and errors.
"""

from levelhead.compat.script import (
    COLUMNS,
    CONTENT_DEPRELS,
    FUNCTIONAL_DEPRELS,
    Score,
    Script,
    UDError,
    UDRepresentation,
    load_deprel_weights,
)
from levelhead.scoring.matches import UNIVERSAL_FEATURES

load_conllu, load_conllu_file, evaluate, evaluate_wrapper, build_evaluation_table = Script("udtools").functions
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = COLUMNS

__all__ = [
    "CONTENT_DEPRELS", "DEPREL", "DEPS", "FEATS", "FORM", "FUNCTIONAL_DEPRELS", "HEAD", "ID", "LEMMA", "MISC",
    "UNIVERSAL_FEATURES", "UPOS", "XPOS", "Score", "UDError", "UDRepresentation", "build_evaluation_table",
    "evaluate", "evaluate_wrapper", "load_conllu", "load_conllu_file", "load_deprel_weights",
]  # fmt: skip
