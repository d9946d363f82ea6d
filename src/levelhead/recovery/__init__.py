"""Answers of language models as CoNLL-U: find, unpack and repair them, and match them with gold words."""

from levelhead.recovery.answers import Layout
from levelhead.recovery.recovery import CLASSES, STEPS, TREES, RecoveredAnswer, Recovery, recover_answers

__all__ = ["CLASSES", "STEPS", "TREES", "Layout", "RecoveredAnswer", "Recovery", "recover_answers"]
