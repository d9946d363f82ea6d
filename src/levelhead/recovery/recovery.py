"""Answers of a language model as CoNLL-U with the words of gold, and the repairs of each answer."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from levelhead._version import VERSION
from levelhead.errors import number_of
from levelhead.progress import tracked
from levelhead.recovery.answer import Answer
from levelhead.recovery.answers import Layout, read_answers
from levelhead.recovery.gold import GoldSentence, gold_sentences
from levelhead.recovery.pairing import paired
from levelhead.recovery.recovered import (
    ANOTHER_TEXT,
    CLASSES,
    FITS_NEXT,
    FITS_PREVIOUS,
    TREES,
    Recovered,
    fits,
    recovered,
)
from levelhead.recovery.writing import sentence_text
from levelhead.scoring.form_alignment import other_text_note
from levelhead.tabular import Tabular
from levelhead.treebank.contents import contents_hash
from levelhead.treebank.provenance import TREEBANK, Provenance, short_hash
from levelhead.treebank.treebank import Treebank
from levelhead.treebank.write import replace_file

Answers = str | os.PathLike[str] | Sequence[str] | Mapping[str, str]
"""The path of answers; or the answers, by sent_id or in the order of the gold sentences."""


class RecoveredAnswer(NamedTuple):
    """The result of recovering the answer for a sentence.

    Args:
        sentence: the number of the gold sentence, from 1.
        sent_id: its sent_id, or None.
        category: the repairs that the answer needs, one of `levelhead.recovery.CLASSES`.
        tree: the validity of its tree, one of `levelhead.recovery.TREES`.
        steps: its repairs, from `levelhead.recovery.STEPS`; for another text, the neighboring sentences that it fits.
        words: the number of gold words.
        recovered: the number of gold words with a head.
        extra: the number of rows without a gold word.
        attempts: the number of tables of rows in the answer.
        matched: the number of gold words with a row of their form.
    """

    sentence: int
    sent_id: str | None
    category: str
    tree: str
    steps: tuple[str, ...]
    words: int
    recovered: int
    extra: int
    attempts: int
    matched: int


@dataclass(frozen=True, repr=False)
class Recovery(Tabular):
    """Answers with the words of gold.

    Args:
        answers: the result for each answer, in the order of the gold sentences.
        provenance: the provenance of the numbers; the hash of answers is the hash of their texts.
        conllu: the answers as CoNLL-U, in UTF-8; a word without a head has HEAD `_`.
    """

    answers: tuple[RecoveredAnswer, ...]
    provenance: Provenance
    conllu: bytes = field(compare=False)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the answers as CoNLL-U; the file is written completely or not at all.

        Args:
            path: the file, which is replaced if it exists.

        Raises:
            OutputError: the file cannot be written.
        """
        replace_file(path, [self.conllu])

    @property
    def classes(self) -> Mapping[str, tuple[RecoveredAnswer, ...]]:
        """The answers of each class, including empty classes."""
        return {name: tuple(answer for answer in self.answers if answer.category == name) for name in CLASSES}

    @property
    def other_text(self) -> str:
        """A sentence about the answers to another text; empty if there are none."""
        some = [answer.steps for answer in self.answers if answer.category == ANOTHER_TEXT]
        shifts = (sum(name in steps for steps in some) for name in (FITS_NEXT, FITS_PREVIOUS))
        return other_text_note(len(some), *shifts) if some else ""

    def __repr__(self) -> str:
        words, recovered_words = (
            sum(answer.words for answer in self.answers),
            sum(answer.recovered for answer in self.answers),
        )
        return (
            f"<Recovery: {number_of(len(self.answers), 'sentence')}, {recovered_words:,} of {number_of(words, 'word')}>"
        )


def trees_of(answers: Iterable[RecoveredAnswer]) -> dict[str, int]:
    """Return the number of answers with each kind of tree."""
    counts = Counter(answer.tree for answer in answers)
    return {name: counts[name] for name in TREES}


def recover_answers(answers: Answers, gold: Treebank, layout: Layout = Layout()) -> Recovery:  # noqa: B008 -- immutable
    """Return the answers of a language model with the words of gold.

    Args:
        answers: the path of answers, or answers.
        gold: the gold treebank; only its words are used.
        layout: the settings for finding answers in a file.

    Raises:
        InputError: the answers cannot be read, or do not match the gold sentences.
    """
    sentences = gold_sentences(gold)
    read, name = _answers(answers, layout, len(gold))
    texts = paired(read, [sentence.id for sentence in sentences], name)
    forms = [sentence.forms for sentence in sentences]
    digest = hashlib.sha256()
    done: list[RecoveredAnswer] = []
    parts: list[bytes] = []
    with tracked(list(zip(sentences, texts)), "recovering") as pairs:
        for number, (sentence, answer) in enumerate(pairs):
            digest.update(b"\0" if answer is None else answer.text.encode("utf-8", "surrogatepass") + b"\n")
            found = recovered(answer and answer.text, sentence.forms, sentence.ranges)
            if answer is not None and found.category == ANOTHER_TEXT:
                found = found._replace(steps=_neighbors(answer.text, forms, number))
            done.append(_record(number + 1, sentence, found))
            parts.append(sentence_text(sentence, found).encode())
    signature = {"gold": short_hash(contents_hash(gold)), "answers": short_hash(digest.hexdigest()), "version": VERSION}
    files = {TREEBANK: {"gold": short_hash(gold.source.sha256)}}
    return Recovery(tuple(done), Provenance(signature, files, tuple(gold.warnings)), b"".join(parts))


def _neighbors(text: str, forms: Sequence[Sequence[str]], place: int) -> tuple[str, ...]:
    """The neighbors of a gold sentence that the answer fits."""
    near = ((FITS_NEXT, place + 1), (FITS_PREVIOUS, place - 1))
    return tuple(name for name, at in near if 0 <= at < len(forms) and fits(text, forms[at]))


def _answers(answers: Answers, layout: Layout, n_gold: int) -> tuple[list[Answer], str | None]:
    """The answers, and the name of their file."""
    if isinstance(answers, str | os.PathLike):
        return read_answers(answers, layout, n_gold), os.fsdecode(answers)
    if isinstance(answers, Mapping):
        return [Answer(text, name) for name, text in answers.items()], None
    return list(map(Answer, answers)), None


def _record(number: int, sentence: GoldSentence, answer: Recovered) -> RecoveredAnswer:
    sizes = len(sentence.forms), answer.n_words, answer.n_extra, answer.n_attempts, answer.n_matched
    return RecoveredAnswer(number, sentence.id, answer.category, answer.tree, answer.steps, *sizes)
