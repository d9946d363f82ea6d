"""Answers of a language model as CoNLL-U with the words of gold, and the repairs of each answer."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from levelhead._version import VERSION
from levelhead.errors import number_of
from levelhead.immutable import immutable
from levelhead.progress import tracked
from levelhead.recovery.answers import Answer, Layout, read_answers
from levelhead.recovery.recovered import (
    ANOTHER_TEXT,
    CLASSES,
    FITS_NEXT,
    FITS_PREVIOUS,
    STEPS,
    TREES,
    RecoveredAnswer,
    fits,
    gold_sentences,
    paired,
    recovered,
    sentence_text,
)
from levelhead.scoring.form_alignment import other_text_note
from levelhead.tables.documents import header, signature_line
from levelhead.tables.table import Cell, Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import TREEBANK, Provenance, contents_hash, short_hash
from levelhead.treebank.treebank import Treebank
from levelhead.treebank.write import replace_file

Answers = str | os.PathLike[str] | Sequence[str] | Mapping[str, str]
"""The path of answers; or the answers, by sent_id or in the order of the gold sentences."""


@immutable
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
        other_texts = [answer.steps for answer in self.answers if answer.category == ANOTHER_TEXT]
        shifts = (sum(name in steps for steps in other_texts) for name in (FITS_NEXT, FITS_PREVIOUS))
        return other_text_note(len(other_texts), *shifts) if other_texts else ""

    def __repr__(self) -> str:
        total = _counts(self.answers)
        recovered_words = f"{total['words_recovered']:,} of {number_of(total['words'], 'word')}"
        return f"<Recovery: {number_of(len(self.answers), 'sentence')}, {recovered_words}>"

    def table(self) -> Table:
        """Return the answers by class and by tree; rare classes are left out if they are empty."""
        rows = (
            _row(name.capitalize(), answers) for name, answers in self.classes.items() if answers or name not in _RARE
        )
        notes = (
            f"rows without a gold word: {_counts(self.answers)['extra_rows']:,} (dropped)",
            *([self.other_text] if self.other_text else []),
            signature_line(self.provenance.signature),
        )
        return Table(_COLUMNS, tuple(rows), notes, summary=(_row("All", self.answers),))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        steps = Counter(step for answer in self.answers for step in answer.steps)
        return {
            **header("recovery", self.provenance.signature),
            **_counts(self.answers),
            "classes": {_key(name): _counts(answers) for name, answers in self.classes.items()},
            "steps": {_key(step): steps[step] for step in STEPS},
        }


def recover_answers(answers: Answers, gold: Treebank, layout: Layout = Layout()) -> Recovery:  # noqa: B008 -- immutable
    """Return the answers of a language model with the words of gold.

    Args:
        answers: the path of answers, or answers.
        gold: the gold treebank; only its words are used.
        layout: the settings for finding answers in a file.

    Raises:
        InputError: the answers cannot be read, or do not match the gold sentences.
    """
    sentences, name = gold_sentences(gold), None
    if isinstance(answers, str | os.PathLike):
        unpaired, name = read_answers(answers, layout, len(gold)), os.fsdecode(answers)
    elif isinstance(answers, Mapping):
        unpaired = [Answer(text, sent_id) for sent_id, text in answers.items()]
    else:
        unpaired = list(map(Answer, answers))
    texts = paired(unpaired, [sentence.id for sentence in sentences], name)
    digest, results, parts = hashlib.sha256(), list[RecoveredAnswer](), list[bytes]()
    with tracked(list(zip(sentences, texts)), "recovering") as pairs:
        for sentence, answer in pairs:
            digest.update(b"\0" if answer is None else answer.text.encode("utf-8", "surrogatepass") + b"\n")
            result = recovered(answer and answer.text, sentence)
            if answer is not None and result.answer.category == ANOTHER_TEXT:
                near = ((FITS_NEXT, sentence.number), (FITS_PREVIOUS, sentence.number - 2))
                steps = tuple(
                    step for step, at in near if 0 <= at < len(sentences) and fits(answer.text, sentences[at].forms)
                )
                result = result._replace(answer=result.answer._replace(steps=steps))
            results.append(result.answer)
            parts.append(sentence_text(sentence, result).encode())
    signature = {"gold": short_hash(contents_hash(gold)), "answers": short_hash(digest.hexdigest()), "version": VERSION}
    files = {TREEBANK: {"gold": short_hash(gold.source.sha256)}}
    return Recovery(tuple(results), Provenance(signature, files, tuple(gold.warnings)), b"".join(parts))


_RARE = {ANOTHER_TEXT, "no answer"}
_COLUMNS = (
    Column("Class", "text"),
    Column("Answers", "number"),
    *(Column(tree.capitalize(), "number") for tree in TREES),
    Column("Words", "number"),
    Column("Recovered", "number", tidy_only=True),
    Column("Recovered %"),
    Column("Extra rows", "number", tidy_only=True),
)


def _row(name: str, answers: Sequence[RecoveredAnswer]) -> tuple[Cell, ...]:
    counts = _counts(answers)
    words, recovered = counts["words"], counts["words_recovered"]
    share = recovered / words if words else None
    return name, len(answers), *counts["trees"].values(), words, recovered, share, counts["extra_rows"]


_KEYS = (
    "sentence", "sent_id", "class", "tree", "steps", "words", "words_recovered", "extra_rows", "attempts",
    "forms_matched",
)  # fmt: skip
"""The fields of a recovered answer in JSON."""


def answer_documents(recovery: Recovery) -> list[dict[str, Any]]:
    """Return a document for each answer, for JSON lines."""
    documents = []
    for answer in recovery.answers:
        names = {"class": _key(answer.category), "tree": _key(answer.tree), "steps": list(map(_key, answer.steps))}
        documents.append({**header("recovered-answer"), **dict(zip(_KEYS, answer)), **names})
    return documents


def _counts(answers: Sequence[RecoveredAnswer]) -> dict[str, Any]:
    trees = Counter(answer.tree for answer in answers)
    return {
        "answers": sum(answer.category != "no answer" for answer in answers),
        "sentences": len(answers),
        "words": sum(answer.words for answer in answers),
        "words_recovered": sum(answer.recovered for answer in answers),
        "forms_matched": sum(answer.matched for answer in answers),
        "extra_rows": sum(answer.extra for answer in answers),
        "trees": {_key(name): trees[name] for name in TREES},
    }


def _key(name: str) -> str:
    return name.replace(" ", "_")
