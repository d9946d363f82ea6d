"""Scores of the valid sentences of an invalid output, which counts as 0 in a ranking."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import NamedTuple

from levelhead.errors import Fault, Place, TextMismatch
from levelhead.evaluation.fold import score_treebanks
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.setup import Setup
from levelhead.scoring.form_alignment import common_subsequence
from levelhead.scoring.rules import Rules
from levelhead.scoring.spans import spans_of
from levelhead.treebank import Treebank, from_conllu
from levelhead.treebank.faults import repair
from levelhead.treebank.input_bytes import refuse_long_lines
from levelhead.treebank.lenient_reader import sentence_blocks, valid_blocks
from levelhead.treebank.scanner import ReaderSettings


class Coverage(NamedTuple):
    """The numbers of sentences behind the scores of valid sentences."""

    scored: int  # the number of sentences with the same text on both sides
    gold: int  # the number of gold sentences
    system: int  # the number of the system's sentences, including invalid sentences
    invalid: int  # the number of the system's sentences that are not valid CoNLL-U


def score_valid_sentences(
    gold: Treebank, system: Treebank, n_invalid: int, setup: Setup
) -> tuple[Evaluation, Coverage]:
    """Score a system's valid sentences that have the text of a gold sentence, in order."""
    pairs = common_subsequence(_texts(gold, setup.rules), _texts(system, setup.rules))
    if not pairs:
        place = Place(system.source.path)
        raise TextMismatch(Fault("text-mismatch", "no sentence has the same text as a gold sentence", place))
    of_gold, of_system = (list(side) for side in zip(*pairs))
    evaluation = score_treebanks(gold.select(of_gold), system.select(of_system), setup)
    return evaluation, Coverage(len(pairs), len(gold), len(system) + n_invalid, n_invalid)


def valid_sentences(data: bytes, name: str | None = None) -> tuple[Treebank, int]:
    refuse_long_lines(data, name)
    blocks = sentence_blocks(repair(data).data)
    good = [block for block, valid in zip(blocks, valid_blocks(blocks, ReaderSettings())) if valid]
    if not good:
        from_conllu(data, name=name)  # raises with all errors
    treebank = from_conllu(b"".join(good), name=name)
    source = replace(treebank.source, sha256=hashlib.sha256(data).hexdigest())
    return replace(treebank, source=source), len(blocks) - len(good)


def _texts(treebank: Treebank, rules: Rules) -> list[bytes]:
    return spans_of(treebank, unicode_spaces=rules.unicode_spaces).sentence_texts()
