"""The Python interface of conll18_ud_eval.py, the scorer of the CoNLL 2018 shared task."""

from levelhead import compat
from levelhead.compat import *  # noqa: F403 -- the same names
from levelhead.compat.script import Script

_SCRIPT = Script("conll18")
__all__ = compat.__all__

load_conllu = _SCRIPT.load_conllu
load_conllu_file = _SCRIPT.load_conllu_file
evaluate = _SCRIPT.evaluate
evaluate_wrapper = _SCRIPT.evaluate_wrapper
build_evaluation_table = _SCRIPT.build_evaluation_table
