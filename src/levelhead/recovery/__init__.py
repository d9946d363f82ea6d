"""Answers of language models as CoNLL-U: finding, unpacking and repairing them, and matching them with gold words."""

from levelhead.recovery.answers import Layout
from levelhead.recovery.recovered import CLASSES, STEPS, TREES
from levelhead.recovery.recovery import RecoveredAnswer, Recovery, recover_answers

__all__ = ["CLASSES", "STEPS", "TREES", "Layout", "RecoveredAnswer", "Recovery", "recover_answers"]
