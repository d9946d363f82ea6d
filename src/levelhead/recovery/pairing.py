"""Pairing of answers with gold sentences."""

from __future__ import annotations

from collections.abc import Sequence

from levelhead.errors import Fault, InputError, Place, number_of, quoted
from levelhead.recovery.answer import Answer
from levelhead.recovery.attempts import sent_id_of


def paired(answers: Sequence[Answer], gold_ids: Sequence[str | None], name: str | None) -> list[Answer | None]:
    """Return the answer for each gold sentence, or None.

    Answers are paired by sent_id if all have a sent_id, from a field or from unique comments `# sent_id`. Otherwise the
    k-th answer belongs to the k-th sentence.
    """
    if any(answer.id is not None for answer in answers):
        return _by_id([answer.id for answer in answers], answers, gold_ids, name)
    ids = [sent_id_of(answer.text) for answer in answers]
    if len(answers) == len(gold_ids):
        if None not in ids and len(set(ids)) == len(ids) and set(ids) == set(gold_ids):
            return _by_id(ids, answers, gold_ids, name)
        return list(answers)
    if None in ids:
        raise _mismatch(f"{_sizes(answers, gold_ids)}, and answer {ids.index(None) + 1} has no sent_id", name)
    return _by_id(ids, answers, gold_ids, name)


def _by_id(
    ids: Sequence[str | None], answers: Sequence[Answer], gold_ids: Sequence[str | None], name: str | None
) -> list[Answer | None]:
    sizes = _sizes(answers, gold_ids)
    known = {name for name in gold_ids if name is not None}
    if None in gold_ids or len(known) < len(gold_ids):
        raise _mismatch(f"{sizes}, and the gold sentences do not have unique sent_ids", name)
    found: dict[str, Answer] = {}
    for number, (text, answer) in enumerate(zip(ids, answers), 1):
        if text is None:
            raise _mismatch(f"{sizes}, and answer {number} has no sent_id", name)
        if text not in known:
            raise _mismatch(f"{sizes}, and answer {number} has the sent_id {quoted(text)}, which is not in gold", name)
        if text in found:
            raise _mismatch(f"{sizes}, and answer {number} repeats the sent_id {quoted(text)}", name)
        found[text] = answer
    return [found.get(name) for name in gold_ids if name is not None]


def _sizes(answers: Sequence[Answer], gold_ids: Sequence[str | None]) -> str:
    return f"{number_of(len(answers), 'answer')} for {number_of(len(gold_ids), 'gold sentence')}"


def _mismatch(message: str, name: str | None) -> InputError:
    return InputError(Fault("unpaired-answers", message, Place(name)))
