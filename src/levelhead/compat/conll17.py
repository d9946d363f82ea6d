"""The Python interface of conll17_ud_eval.py, the scorer of the CoNLL 2017 shared task."""

from levelhead.compat.script import COLUMNS, Score, Script, UDError, UDRepresentation, load_deprel_weights

load_conllu, load_conllu_file, evaluate, evaluate_wrapper, build_evaluation_table = Script("conll17").functions
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = COLUMNS

__all__ = [
    "DEPREL", "DEPS", "FEATS", "FORM", "HEAD", "ID", "LEMMA", "MISC", "UPOS", "XPOS", "Score", "UDError",
    "UDRepresentation", "build_evaluation_table", "evaluate", "evaluate_wrapper", "load_conllu", "load_conllu_file",
    "load_deprel_weights",
]  # fmt: skip
