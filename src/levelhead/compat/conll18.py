"""The Python interface of conll18_ud_eval.py, the scorer of the CoNLL 2018 shared task."""

from levelhead import compat
from levelhead.compat import *  # noqa: F403 -- the same names
from levelhead.compat.script import Script

__all__ = compat.__all__

load_conllu, load_conllu_file, evaluate, evaluate_wrapper, build_evaluation_table = Script("conll18").functions
