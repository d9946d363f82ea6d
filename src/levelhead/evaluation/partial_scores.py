"""Partial scores: over the sentences that can be compared, if the files as a whole cannot.

Official rules give an output zero for one bad sentence or one changed character. These scores do not change that; they
scores say how good the rest is; they are labeled as what they are, and never mixed with official ones.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

from levelhead.errors import Fault, Place, TextMismatch
from levelhead.evaluation.pair import Evaluation, Input, score_treebanks
from levelhead.evaluation.provenance import TREEBANK, Provenance, short_hash
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.scoring.lcs import common_subsequence
from levelhead.scoring.rules import Rules
from levelhead.scoring.spans import spans_of
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank, from_conllu, read
from levelhead.treebank.input_bytes import read_bytes, refuse_long_lines
from levelhead.treebank.reader import scan_treebank
from levelhead.treebank.repair import repair


class Coverage(NamedTuple):
    """How many sentences a secondary score rests on.

    Args:
        scored: sentences on which both sides agree in text.
        gold: gold sentences.
        system: the system's sentences, invalid ones included.
        invalid: the system's sentences that are not valid CoNLL-U.
    """

    scored: int
    gold: int
    system: int
    invalid: int

    def __str__(self) -> str:
        """Return it in one line."""
        other = self.system - self.invalid - self.scored
        return (
            f"secondary score, not an official one: {self.scored} of {self.gold} gold sentences; of the system's"
            f" {self.system} sentences {self.invalid} are invalid and {other} have different text"
        )


@immutable(eq=True, repr=False)
class PartialEvaluation(Tabular):
    """Scores of the comparable sentences.

    Args:
        evaluation: the scores.
        coverage: on how many sentences they rest.
    """

    evaluation: Evaluation
    coverage: Coverage

    @property
    def provenance(self) -> Provenance:
        """Where the numbers come from."""
        return self.evaluation.provenance

    def __iter__(self) -> Iterator[Any]:
        yield from (self.evaluation, self.coverage)


def score_agreeing_sentences(gold: Input, system: Input, setup: Setup) -> PartialEvaluation:
    """Score the sentences that are valid and whose text is that of a gold sentence, in order.

    Args:
        gold: a treebank or the path of one.
        system: the system treebank or its path; sentences that are not valid are left out.
        setup: the settings; files are read with levelhead's own care under all rules.

    Raises:
        InputError: gold is not valid, or no sentence can be compared.
        MeasureError: the rules do not compare words by their characters.
    """
    setup.rules.check_words()
    gold_treebank = gold if isinstance(gold, Treebank) else read(gold)
    valid = (system, 0) if isinstance(system, Treebank) else read_valid_sentences(system)
    return score_valid_sentences(gold_treebank, *valid, setup)


def score_valid_sentences(gold: Treebank, system: Treebank, n_invalid: int, setup: Setup) -> PartialEvaluation:
    """Score the sentences whose text is that of a gold sentence, in order, of a system's valid ones.

    Args:
        gold: the gold treebank.
        system: the system's valid sentences.
        n_invalid: how many others there are.
        setup: the settings.

    Raises:
        TextMismatch: no sentence can be compared.
    """
    pairs = common_subsequence(_texts(gold, setup.rules), _texts(system, setup.rules))
    if not pairs:
        place = Place(system.source.path)
        raise TextMismatch(Fault("text-mismatch", "no sentence has the same text as a gold sentence", place))
    ours, theirs = (list(side) for side in zip(*pairs))
    evaluation = score_treebanks(gold.select(ours), system.select(theirs), setup)
    coverage = Coverage(len(pairs), len(gold), len(system) + n_invalid, n_invalid)
    files = {"gold": short_hash(gold.source.sha256), "system": short_hash(system.source.sha256)}
    provenance = evaluation.provenance._replace(files={TREEBANK: files})
    provenance = provenance.with_parts(sentences=f"{coverage.scored}/{coverage.gold}", **files)
    return PartialEvaluation(replace(evaluation, provenance=provenance), coverage)


def read_valid_sentences(path: str | os.PathLike[str]) -> tuple[Treebank, int]:
    """Read the sentences of a file that are valid.

    Args:
        path: its path, or "-" for standard input.

    Returns:
        The treebank of the valid sentences, and how many others there are.

    Raises:
        ConlluError: no sentence is valid; with every fault of the file.
        UnreadableFile: the file cannot be opened or decompressed.
    """
    return valid_sentences(read_bytes(path), os.fsdecode(path))


def valid_sentences(data: bytes, name: str | None = None) -> tuple[Treebank, int]:
    """Read the sentences that are valid in the contents of a file.

    Args:
        data: the contents, decompressed.
        name: what to call the file in messages.

    Returns:
        The treebank of the valid sentences, and how many others there are.

    Raises:
        ConlluError: no sentence is valid; with every fault of the file.
    """
    refuse_long_lines(data, name)
    blocks = [block + b"\n\n" for block in repair(data).data.split(b"\n\n") if block.strip(b"\n")]
    good = _valid(blocks)
    if not good:
        from_conllu(data, name=name)  # raises with every fault
    treebank = from_conllu(b"".join(good), name=name)
    source = replace(treebank.source, sha256=hashlib.sha256(data).hexdigest())
    return replace(treebank, source=source), len(blocks) - len(good)


def _valid(blocks: list[bytes]) -> list[bytes]:
    """Keep the blocks that are valid sentences: all at once, or otherwise each half separately."""
    waiting, good = [blocks], []
    while waiting:
        some = waiting.pop()
        if scan_treebank(b"".join(some)) is not None:
            good += some
        elif len(some) > 1:
            waiting += [some[len(some) // 2 :], some[: len(some) // 2]]
    return good


def _texts(treebank: Treebank, rules: Rules) -> list[bytes]:
    """The characters of each sentence, without spaces."""
    spans = spans_of(treebank, unicode_spaces=rules.unicode_spaces)
    text, starts = spans.text.tobytes(), spans.sentence_starts.tolist()
    return [text[start:end] for start, end in pairwise(starts)]
