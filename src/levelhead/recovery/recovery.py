"""Answers of a language model as CoNLL-U with the words of gold, and the repairs of each answer."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

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
    STEPS,
    TREES,
    Recovered,
    fits,
    recovered,
)
from levelhead.recovery.writing import sentence_text
from levelhead.scoring.form_alignment import other_text_note
from levelhead.tables.documents import header, signature_line
from levelhead.tables.table import Cell, Column, Table
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

    def table(self) -> Table:
        """Return the result as a table."""
        return recovery_table(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return recovery_document(self)


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


_NO_ANSWER = "no answer"
_RARE = {"another text", _NO_ANSWER}
_COLUMNS = (
    Column("Class", "text"),
    Column("Answers", "number"),
    *(Column(tree.capitalize(), "number") for tree in TREES),
    Column("Words", "number"),
    Column("Recovered", "number", tidy_only=True),
    Column("Recovered %"),
    Column("Extra rows", "number", tidy_only=True),
)


def recovery_table(recovery: Recovery) -> Table:
    """Return answers by class and by tree; rare classes are left out if they are empty."""
    every = recovery.answers
    shown = {name: some for name, some in recovery.classes.items() if some or name not in _RARE}
    rows = (_row(name.capitalize(), answers) for name, answers in shown.items())
    n_extra = sum(answer.extra for answer in every)
    notes = (
        f"rows without a gold word: {n_extra:,} (dropped)",
        *([recovery.other_text] if recovery.other_text else []),
        signature_line(recovery.provenance.signature),
    )
    return Table(_COLUMNS, tuple(rows), notes, summary=(_row("All", every),))


def _row(name: str, answers: Sequence[RecoveredAnswer]) -> tuple[Cell, ...]:
    words, recovered = sum(answer.words for answer in answers), sum(answer.recovered for answer in answers)
    n_extra = sum(answer.extra for answer in answers)
    return (
        name,
        len(answers),
        *trees_of(answers).values(),
        words,
        recovered,
        recovered / words if words else None,
        n_extra,
    )


def recovery_document(recovery: Recovery) -> dict[str, Any]:
    """Return numbers of answers by class, by tree and by steps of recovery for JSON."""
    steps = Counter(step for answer in recovery.answers for step in answer.steps)
    return {
        **header("recovery", recovery.provenance.signature),
        **_counts(recovery.answers),
        "classes": {_key(name): _counts(answers) for name, answers in recovery.classes.items()},
        "steps": {_key(step): steps[step] for step in STEPS},
    }


def answer_documents(recovery: Recovery) -> list[dict[str, Any]]:
    """Return a document for each answer, for JSON lines."""
    return [
        {
            **header("recovered-answer"),
            "sentence": answer.sentence,
            "sent_id": answer.sent_id,
            "class": _key(answer.category),
            "tree": _key(answer.tree),
            "steps": list(map(_key, answer.steps)),
            "words": answer.words,
            "words_recovered": answer.recovered,
            "extra_rows": answer.extra,
            "attempts": answer.attempts,
            "forms_matched": answer.matched,
        }
        for answer in recovery.answers
    ]


def _counts(answers: Sequence[RecoveredAnswer]) -> dict[str, Any]:
    return {
        "answers": sum(answer.category != _NO_ANSWER for answer in answers),
        "sentences": len(answers),
        "words": sum(answer.words for answer in answers),
        "words_recovered": sum(answer.recovered for answer in answers),
        "forms_matched": sum(answer.matched for answer in answers),
        "extra_rows": sum(answer.extra for answer in answers),
        "trees": {_key(name): count for name, count in trees_of(answers).items()},
    }


def _key(name: str) -> str:
    return name.replace(" ", "_")
