"""One answer with the words of its gold sentence: pairing, matching, its class, its tree, and its CoNLL-U."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise, starmap
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from levelhead.errors import Fault, InputError, Place, number_of, quoted
from levelhead.kernels import trees
from levelhead.recovery.answers import Answer
from levelhead.recovery.rows import BEFORE_FIRST, COLUMNS, IDS, REMARKS, ROOT, SPACE, AnswerRow
from levelhead.recovery.tables import BLANK, FENCES, LIST, LONGEST_ANSWER, PIPES, PROSE, Attempt, tables_of
from levelhead.scoring.form_alignment import align_forms, is_other_text
from levelhead.treebank.tokens import FORM, MISC
from levelhead.treebank.treebank import Treebank

_KEPT = re.compile(r"#\s*(?:(?:sent_id|text)\s*=|newdoc|newpar)")
_SENT_ID = re.compile(r"#\s*sent_id\s*=(.*)")
_SENT_ID_IN_TEXT = re.compile(r"^[^\S\n]*#[^\S\n]*sent_id[^\S\n]*=([^\n]*)", re.MULTILINE)
_NO_SPACE = "SpaceAfter=No"


class GoldSentence(NamedTuple):
    """A gold sentence without its analysis."""

    forms: tuple[str, ...]
    number: int = 1
    id: str | None = None
    comments: str = ""  # sent_id, text, newdoc and newpar, each with its line feed
    spaces: tuple[str, ...] = ()  # for each word `SpaceAfter=No` or `_`
    # by the index of its first word the form, the last word's id and the spaces of each multiword token
    multiword: Mapping[int, tuple[str, int, str]] = MappingProxyType({})


def gold_sentences(gold: Treebank) -> list[GoldSentence]:
    """Return the sentences of a treebank without their analysis."""
    multiword: list[dict[int, tuple[str, int, str]]] = [{} for _ in range(len(gold))]
    tokens, texts = gold.multiword, gold.strings.texts
    for first, n_words, sentence, cells in zip(tokens.first, tokens.n_words, tokens.sentence, tokens.cells):
        local = int(first - gold.sentence_starts[sentence])
        multiword[sentence][local] = texts[cells[FORM]], local + int(n_words), _spaces(texts[cells[MISC]])
    forms, spaces, sentences = tuple(gold.forms), tuple(map(_spaces, gold.misc)), []
    slices = starmap(slice, pairwise(gold.sentence_starts))
    for number, (comments, words, ranges) in enumerate(zip(gold.comments, slices, multiword), 1):
        kept = [line for line in comments.split("\n") if _KEPT.match(line)]
        ids = (match[1].strip() for match in map(_SENT_ID.fullmatch, kept) if match)
        text = "".join(f"{line}\n" for line in kept)
        sentences.append(GoldSentence(forms[words], number, next(filter(None, ids), None), text, spaces[words], ranges))
    return sentences


def _spaces(misc: str) -> str:
    return _NO_SPACE if _NO_SPACE in misc.split("|") else "_"


class Matched(NamedTuple):
    """An attempt, and the row and the head of each gold word, None without one; heads are ids of the gold sentence.

    An attempt is `equal` if its rows are the gold words: a row for each, with its form, in their order.
    """

    attempt: Attempt
    rows: tuple[AnswerRow | None, ...]
    heads: tuple[int | None, ...]
    n_extra: int
    equal: bool
    n_matched: int

    @property
    def is_other_text(self) -> bool:
        """Whether the attempt is about another sentence."""
        return is_other_text(self.n_matched, len(self.rows), len(self.attempt.rows))

    @property
    def n_heads(self) -> int:
        """The number of gold words with a head."""
        return len(self.heads) - self.heads.count(None)


def best_match(attempts: Sequence[Attempt], forms: Sequence[str]) -> Matched | None:
    """Return the last complete attempt, or otherwise the attempt with the most heads; None without any.

    An attempt is complete if every gold word has a row of its form and a head. If no attempt is complete, attempts
    about the gold sentence are preferred, then those with the correct number of rows; the last wins ties.
    """
    for attempt in reversed(attempts):
        if _has_forms(attempt, forms) and (complete := match(attempt, forms)).n_heads == len(forms):
            return complete
    matches = (match(attempt, forms) for attempt in reversed(attempts))
    return max(
        matches, key=lambda it: (not it.is_other_text, it.attempt.n_rows == len(forms), it.n_heads), default=None
    )


def _has_forms(attempt: Attempt, forms: Sequence[str]) -> bool:
    return attempt.n_rows == len(forms) and [row.form for row in attempt.rows] == list(forms)


def match(attempt: Attempt, forms: Sequence[str]) -> Matched:
    """Match the rows of an attempt with gold words by form and edit distance, and convert heads to gold ids."""
    equal = _has_forms(attempt, forms)
    places = range(len(forms)) if equal else align_forms(forms, [row.form for row in attempt.rows])
    rows = tuple(attempt.rows[place] if place >= 0 else None for place in places)
    uses = Counter(row.id for row in attempt.rows)
    ids = {ROOT: 0, BEFORE_FIRST if 0 in uses else 0: 0}
    # a number of two rows is ambiguous and ignored
    ids |= {row.id: word for word, row in enumerate(rows, 1) if row and row.id is not None and uses[row.id] == 1}
    heads = tuple(None if row is None or row.head is None else ids.get(row.head) for row in rows)
    n_matched = sum(row is not None and row.form == form for row, form in zip(rows, forms))
    return Matched(attempt, rows, heads, attempt.n_rows - len(rows) + rows.count(None), equal, n_matched)


def paired(answers: Sequence[Answer], gold_ids: Sequence[str | None], name: str | None) -> list[Answer | None]:
    """Return the answer for each gold sentence, or None.

    Answers are paired by sent_id if all have a sent_id, from a field or from unique comments `# sent_id`. Otherwise the
    k-th answer belongs to the k-th sentence.
    """

    def mismatch(problem: str) -> InputError:
        sizes = f"{number_of(len(answers), 'answer')} for {number_of(len(gold_ids), 'gold sentence')}"
        return InputError(Fault("unpaired-answers", f"{sizes}, and {problem}", Place(name)))

    ids = [answer.id for answer in answers]
    if not any(sent_id is not None for sent_id in ids):
        comments = (_SENT_ID_IN_TEXT.search(answer.text) if "sent_id" in answer.text else None for answer in answers)
        ids = [(comment[1].strip() or None) if comment else None for comment in comments]
        are_gold = None not in ids and len(set(ids)) == len(ids) and set(ids) == set(gold_ids)
        if len(answers) == len(gold_ids) and not are_gold:
            return list(answers)
        if None in ids:
            raise mismatch(f"answer {ids.index(None) + 1} has no sent_id")
    expected, answers_by_id = set(gold_ids), dict[str | None, Answer]()
    if None in expected or len(expected) < len(gold_ids):
        raise mismatch("the gold sentences do not have unique sent_ids")
    for number, (sent_id, answer) in enumerate(zip(ids, answers), 1):
        if sent_id is None:
            raise mismatch(f"answer {number} has no sent_id")
        if sent_id not in expected:
            raise mismatch(f"answer {number} has the sent_id {quoted(sent_id)}, which is not in gold")
        if sent_id in answers_by_id:
            raise mismatch(f"answer {number} repeats the sent_id {quoted(sent_id)}")
        answers_by_id[sent_id] = answer
    return [answers_by_id.get(sent_id) for sent_id in gold_ids]


CLASSES = (
    "as is", "unpacked", "respaced", "repaired", "words changed", "rows missing or extra", "another text", "unreadable",
    "no answer",
)  # fmt: skip
"""The repairs that an answer needs, in increasing order; the last matching class counts."""

TREES = ("tree", "several roots", "no root", "cycle", "incomplete")
"""The validity of the tree of an answer; incomplete if a gold word has no head."""

ANOTHER_TEXT = "another text"
FITS_NEXT, FITS_PREVIOUS = "fits next", "fits previous"
"""Reasons of another text: the answer belongs to the next or previous gold sentence."""

RANGES, SEVERAL, TOO_LONG = "ranges", "attempts", "too long"
STEPS = (
    FENCES, PROSE, BLANK, PIPES, LIST, REMARKS, RANGES, SEVERAL, SPACE, IDS, COLUMNS, TOO_LONG,
    FITS_NEXT, FITS_PREVIOUS,
)  # fmt: skip
"""The repairs of an answer, in the order in which they are listed, or why there are none."""

_TREE_OF_CODE = ("tree", "incomplete", "no root", "several roots", "cycle")
"""The validity of a tree by its code from `kernels.trees.bad_sentences`."""


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
    recovered: int = 0
    extra: int = 0
    attempts: int = 0
    matched: int = 0


class Recovered(NamedTuple):
    """An answer, with the row and the head (as an id of the gold sentence) of each gold word; None without one."""

    answer: RecoveredAnswer
    rows: tuple[AnswerRow | None, ...]
    heads: tuple[int | None, ...]


def recovered(text: str | None, gold: GoldSentence) -> Recovered:
    """Return an answer with the gold words."""
    forms, nothing = gold.forms, (None,) * len(gold.forms)
    answer = RecoveredAnswer(gold.number, gold.id, "no answer", "incomplete", (), len(forms))
    if text is None:
        return Recovered(answer, nothing, nothing)
    attempts, steps = tables_of(text, forms)
    answer = answer._replace(category="unreadable", attempts=len(attempts))
    best = best_match(attempts, forms)
    if best is None or all(row.head is None for row in best.attempt.rows):
        return Recovered(answer._replace(steps=(TOO_LONG,) if len(text) > LONGEST_ANSWER else ()), nothing, nothing)
    answer = answer._replace(matched=best.n_matched)
    if best.is_other_text:
        return Recovered(answer._replace(category=ANOTHER_TEXT, extra=best.attempt.n_rows), nothing, nothing)
    steps |= _steps_of(best, gold) | ({SEVERAL} if answer.attempts > 1 else set())
    if not best.equal:
        category = "words changed" if not best.n_extra and None not in best.rows else "rows missing or extra"
    elif IDS in steps or COLUMNS in steps:
        category = "repaired"
    else:
        category = "respaced" if SPACE in steps else "unpacked" if steps else "as is"
    if None not in best.heads:
        heads, starts = (np.array(numbers, dtype=np.int32) for numbers in (best.heads, [0, len(forms)]))
        answer = answer._replace(tree=_TREE_OF_CODE[trees.bad_sentences(heads, starts, False)[0]])
    answer = answer._replace(
        category=category,
        steps=tuple(step for step in STEPS if step in steps),
        recovered=best.n_heads,
        extra=best.n_extra,
    )
    return Recovered(answer, best.rows, best.heads)


def fits(text: str, forms: Sequence[str]) -> bool:
    """Return whether an answer is about a sentence."""
    best = best_match(tables_of(text, forms)[0], forms)
    return best is not None and not best.is_other_text


def _steps_of(best: Matched, gold: GoldSentence) -> set[str]:
    """The repairs of the rows of the attempt that counts, and of its ranges if they differ from gold."""
    rows, ranges = best.attempt.rows, best.attempt.ranges
    steps = set[str]().union(*(row.steps for row in rows), *(row.steps for row in ranges))
    if [row.id for row in rows] != list(range(1, len(rows) + 1)):
        steps.add(IDS)
    expected = [(f"{first + 1}-{last}", form) for first, (form, last, _) in gold.multiword.items()]
    if [(row.id, row.cells[1]) for row in ranges] != expected:
        steps.add(RANGES)
    if any(len(row.cells) != 10 for row in ranges):
        steps.add(COLUMNS)
    return steps


def sentence_text(gold: GoldSentence, recovered: Recovered) -> str:
    """Return a sentence with the words, ranges and comments of gold, and the analysis of an answer.

    Lemmas, tags, features, heads and relations come from the answer. A word without a head has HEAD `_`. DEPS is empty,
    and MISC only has SpaceAfter=No from gold. A comment summarizes the repairs of the answer: `# recovery = unpacked
    (fences, prose), 5 of 5 forms, 5 of 5 words, tree`.
    """
    answer = recovered.answer
    steps = f" ({', '.join(answer.steps)})" if answer.steps else ""
    extra = f", {answer.extra} {'row' if answer.extra == 1 else 'rows'} dropped" if answer.extra else ""
    counts = f"{answer.matched} of {answer.words} forms, {answer.recovered} of {answer.words} words"
    lines = [gold.comments, f"# recovery = {answer.category}{steps}, {counts}{extra}, {answer.tree}\n"]
    for place, (form, space, row, head) in enumerate(zip(gold.forms, gold.spaces, recovered.rows, recovered.heads)):
        if place in gold.multiword:
            token, last, after = gold.multiword[place]
            lines.append(f"{place + 1}-{last}\t{token}\t_\t_\t_\t_\t_\t_\t_\t{after}\n")
        tags, relation = (("_",) * 4, "_") if row is None else (row.tags, row.relation)
        columns = (str(place + 1), form, *tags, "_" if head is None else str(head), relation, "_", space)
        lines.append("\t".join(columns) + "\n")
    return "".join([*lines, "\n"])
