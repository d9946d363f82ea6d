"""Answers of a language model as CoNLL-U with the words of gold, and the repairs of each answer."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import pairwise, starmap
from types import MappingProxyType
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, Place, number_of, quoted
from levelhead.immutable import immutable
from levelhead.kernels import trees
from levelhead.progress import tracked
from levelhead.recovery.answers import Answer, Layout, read_answers
from levelhead.recovery.rows import BEFORE_FIRST, COLUMNS, IDS, REMARKS, ROOT, SPACE, AnswerRow
from levelhead.recovery.tables import BLANK, FENCES, LIST, LONGEST_ANSWER, PIPES, PROSE, Attempt, tables_of
from levelhead.scoring.form_alignment import align_forms, is_other_text, other_text_note
from levelhead.tables import data
from levelhead.tables.data import NOT_A_COLUMN, Percent
from levelhead.tables.table import Cell, Column, Detail, Table
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank, from_conllu
from levelhead.treebank.provenance import TREEBANK, Provenance, contents_hash, short_hash, summary_of
from levelhead.treebank.tokens import FORM, MISC
from levelhead.treebank.write import replace_file

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
    """An attempt, and the row and the head of each gold word, None without one; heads are ids of the gold sentence."""

    attempt: Attempt
    rows: tuple[AnswerRow | None, ...]
    heads: tuple[int | None, ...]
    equal: bool
    n_heads: int
    n_extra: int
    n_matched: int
    is_other_text: bool  # whether the attempt is about another sentence


def best_match(attempts: Sequence[Attempt], forms: Sequence[str]) -> Matched | None:
    """Return the last attempt in which every gold word has its form and a head, otherwise the best attempt, or None."""
    for attempt in reversed(attempts):
        if _has_forms(attempt, forms) and (complete := match(attempt, forms)).n_heads == len(forms):
            return complete
    matches = (match(attempt, forms) for attempt in reversed(attempts))  # the last wins ties
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
    n_heads = len(heads) - heads.count(None)
    n_extra = attempt.n_rows - len(rows) + rows.count(None)
    is_other = is_other_text(n_matched, len(rows), len(attempt.rows))
    return Matched(attempt, rows, heads, equal, n_heads, n_extra, n_matched, is_other)


def paired(answers: Sequence[Answer], gold_ids: Sequence[str | None], name: str | None) -> list[Answer | None]:
    """Return the answer for each gold sentence, by sent_id (field or unique comment) if all have one, or by order."""

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
    """How the answer for a gold sentence was repaired.

    Args:
        sentence: the number of the gold sentence, from 1.
        sent_id: the sent_id of the gold sentence, or None.
        category: the class of repairs that the answer needs, one of `levelhead.recovery.CLASSES`.
        tree: the validity of the answer's tree, one of `levelhead.recovery.TREES`.
        steps: the repairs of the answer, from `levelhead.recovery.STEPS`. If the answer has the text of another
            sentence, `steps` says instead whether this is the next or the previous gold sentence.
        words: the number of gold words.
        recovered: the number of gold words that get a head.
        extra: the number of rows that match no gold word.
        attempts: the number of parses in the answer, each a table of words.
        matched: the number of gold words for which a row has the same form.
    """

    sentence: int
    sent_id: str | None
    category: str
    tree: str
    steps: Annotated[tuple[str, ...], NOT_A_COLUMN]
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
    rows, ranges = best.attempt.rows, best.attempt.ranges
    expected = [(f"{first + 1}-{last}", form) for first, (form, last, _) in gold.multiword.items()]
    repairs = {
        IDS: [row.id for row in rows] != list(range(1, len(rows) + 1)),
        RANGES: [(row.id, row.cells[1]) for row in ranges] != expected,
        COLUMNS: any(len(row.cells) != 10 for row in ranges),
        SEVERAL: answer.attempts > 1,
    }
    steps.update(*(row.steps for row in rows), *(row.steps for row in ranges))
    steps.update(step for step, needed in repairs.items() if needed)
    if not best.equal:
        category = "words changed" if not best.n_extra and None not in best.rows else "rows missing or extra"
    elif IDS in steps or COLUMNS in steps:
        category = "repaired"
    else:
        category = "respaced" if SPACE in steps else "unpacked" if steps else "as is"
    if None not in best.heads:
        heads, starts = (np.array(numbers, dtype=np.int32) for numbers in (best.heads, [0, len(forms)]))
        answer = answer._replace(tree=_TREE_OF_CODE[trees.bad_sentences(heads, starts, False)[0]])
    listed = tuple(step for step in STEPS if step in steps)
    answer = answer._replace(category=category, steps=listed, recovered=best.n_heads, extra=best.n_extra)
    return Recovered(answer, best.rows, best.heads)


def fits(text: str, forms: Sequence[str]) -> bool:
    best = best_match(tables_of(text, forms)[0], forms)
    return best is not None and not best.is_other_text


def sentence_text(gold: GoldSentence, recovered: Recovered) -> str:
    """A sentence with the words, ranges, comments and spaces of gold, and the analysis and repairs of an answer."""
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


Answers = str | os.PathLike[str] | Sequence[str] | Mapping[str, str]
"""The path of answers; or the answers, by sent_id or in the order of the gold sentences."""


class ClassRow(NamedTuple):
    """The answers of a class.

    Args:
        category: the class of repairs that the answers need, one of `levelhead.recovery.CLASSES`.
        answers: the number of answers.
        tree: the number of answers with a valid tree.
        several_roots: the number of answers with several roots.
        no_root: the number of answers without a root.
        cycle: the number of answers with a cycle.
        incomplete: the number of answers in which a gold word has no head.
        words: the number of gold words.
        recovered: the number of gold words that get a head.
        recovered_share: `recovered` / `words`.
        matched: the number of gold words for which a row has the same form.
        extra_rows: the number of rows that match no gold word.
    """

    category: str
    answers: int
    tree: int
    several_roots: int
    no_root: int
    cycle: int
    incomplete: int
    words: int
    recovered: int
    recovered_share: Percent | None
    matched: int
    extra_rows: int


_STEP = "The repair, one of `levelhead.recovery.STEPS`, or the sentence that the answer's text fits"


@immutable
class Recovery(Tabular):
    """The answers of a language model as CoNLL-U.

    Args:
        answers: for each gold sentence, a description of how its answer was repaired.
        provenance: the settings and files behind the numbers, with a hash of the texts of all answers.
        conllu: the answers as CoNLL-U, in UTF-8; a word without a head has HEAD `_`.
    """

    KIND: ClassVar[str] = "recover"
    LAYOUTS: ClassVar[Mapping[str, data.Layout]] = {
        "classes": (ClassRow,), "answers": (RecoveredAnswer,),
        "steps": (*data.columns_of(RecoveredAnswer)[:2], data.DataColumn("step", "text", _STEP)),
    }  # fmt: skip

    answers: tuple[RecoveredAnswer, ...]
    provenance: Provenance
    conllu: bytes = field(compare=False)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the answers as CoNLL-U to `path`, completely or not at all; raises an `OutputError` if this fails."""
        replace_file(path, [self.conllu])

    @property
    def treebank(self) -> Treebank:
        """The answers as a treebank; scoring it requires `partial=True` if a head is missing or a tree is invalid."""
        return from_conllu(self.conllu, partial=True)

    @property
    def classes(self) -> Mapping[str, tuple[RecoveredAnswer, ...]]:
        """A mapping from each class of repairs to the answers in this class (possibly none)."""
        return {name: tuple(answer for answer in self.answers if answer.category == name) for name in CLASSES}

    @property
    def other_text(self) -> str:
        """A note on the answers whose text differs from gold; empty without such answers."""
        other_texts = [answer.steps for answer in self.answers if answer.category == ANOTHER_TEXT]
        shifts = (sum(name in steps for steps in other_texts) for name in (FITS_NEXT, FITS_PREVIOUS))
        return other_text_note(len(other_texts), *shifts) if other_texts else ""

    @property
    def verdict(self) -> str:
        """A sentence that says how many words have a head, and how many answers have a valid tree."""
        total = _row("all", self.answers)
        words, answers = number_of(total.words, "word"), number_of(total.answers, "answer")
        return f"{total.recovered:,} of {words} have a head; {total.tree:,} of {answers} have a valid tree."

    def __repr__(self) -> str:
        return f"<Recovery: {self.verdict}>"

    def _classes_rows(self) -> Iterator[ClassRow]:
        return (_row(category, answers) for category, answers in self.classes.items())

    def _steps_rows(self) -> Iterator[tuple[int, str | None, str]]:
        return ((answer.sentence, answer.sent_id, step) for answer in self.answers for step in answer.steps)

    def table(self) -> Table:
        """Return a table with the numbers of answers and of valid trees in each class of repairs."""
        rows = (
            _cells(name.capitalize(), _row(name, answers))
            for name, answers in self.classes.items()
            if answers or name not in {ANOTHER_TEXT, "no answer"}
        )
        total = _row("all", self.answers)
        dropped = f"rows without a gold word: {total.extra_rows:,} (dropped)"
        notes = (dropped if total.extra_rows else Detail(dropped), *([self.other_text] if self.other_text else []))
        return Table(_COLUMNS, tuple(rows), notes, summary=(_cells("All", total),)).signed(self.provenance)


def recover_answers(answers: Answers, gold: Treebank, layout: Layout = Layout()) -> Recovery:  # noqa: B008 -- immutable
    """Return the answers of a language model with the words of gold."""
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
    file = summary_of(gold).id
    signature = {
        "gold": str(file._replace(sha256=contents_hash(gold))),
        "answers": short_hash(digest.hexdigest()),
        "version": VERSION,
    }
    files = {TREEBANK: {"gold": file}}
    return Recovery(tuple(results), Provenance(signature, files, tuple(gold.warnings)), b"".join(parts))


_COLUMNS = (
    Column("Class", "text"),
    Column("Answers", "number"),
    *(Column(tree.capitalize(), "number") for tree in TREES),
    Column("Words", "number"),
    Column("Recovered %", "percent"),
)


def _row(category: str, answers: Sequence[RecoveredAnswer]) -> ClassRow:
    of_trees = Counter(answer.tree for answer in answers)
    n_words, n_recovered = (sum(getattr(answer, name) for answer in answers) for name in ("words", "recovered"))
    others = (sum(getattr(answer, name) for answer in answers) for name in ("matched", "extra"))
    trees_of = (of_trees[name] for name in TREES)
    return ClassRow._make(
        (category, len(answers), *trees_of, n_words, n_recovered, data.share(n_recovered, n_words), *others)
    )


def _cells(name: str, row: ClassRow) -> tuple[Cell, ...]:
    return name, row.answers, *row[2:7], row.words, row.recovered_share
