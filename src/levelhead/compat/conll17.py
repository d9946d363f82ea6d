"""The Python interface of conll17_ud_eval.py, the scorer of the CoNLL 2017 shared task."""

from levelhead.compat.script import COLUMNS, Score, Script, UDError, UDRepresentation, load_deprel_weights

_SCRIPT = Script("conll17")

load_conllu = _SCRIPT.load_conllu
load_conllu_file = _SCRIPT.load_conllu_file
evaluate = _SCRIPT.evaluate
evaluate_wrapper = _SCRIPT.evaluate_wrapper
build_evaluation_table = _SCRIPT.build_evaluation_table
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = COLUMNS

__all__ = [
    "DEPREL", "DEPS", "FEATS", "FORM", "HEAD", "ID", "LEMMA", "MISC", "UPOS", "XPOS", "Score", "UDError",
    "UDRepresentation", "build_evaluation_table", "evaluate", "evaluate_wrapper", "load_conllu", "load_conllu_file",
    "load_deprel_weights",
]  # fmt: skip
