"""Partial scores from their definition, sentence by sentence: rows that can be read, pairs of sentences, counts."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from oracle import measures
from oracle.align import Pair, align
from oracle.document import DEPREL, FORM, HEAD, ID, Document, Range, Refused, without_spaces
from oracle.forms import aligned
from oracle.measures import FUNCTIONAL, Counted, Matched, functional_children, home_sentences
from oracle.strict import RANGE_ID, WORD_ID, blocks, read_strict

NO_HEAD = -5
"""The parent of a word whose HEAD cannot be read: no word, and not the root."""


@dataclass
class Sentence:
    """A sentence by itself: its sent_id, its words and tokens, and whether it is valid as it stands."""

    id: str | None
    document: Document
    valid: bool

    @property
    def n_heads(self) -> int:
        return sum(word.parent != NO_HEAD for word in self.document.words)


@dataclass
class Row:
    """What a gold sentence counts in a measure."""

    correct: int
    gold: int
    system: int
    aligned: int | None


@dataclass
class Scores:
    """The counts of every measure, with all readable rows and with valid trees only, and the coverage."""

    every: dict[str, Counted]
    valid_trees: dict[str, Counted]
    paired_by: str
    answered: int
    n_aligned: int
    n_equal: int = 0
    other_text: list[int] = field(default_factory=list)
    fits_next: int = 0
    fits_previous: int = 0


def id_of(block: Sequence[str]) -> str | None:
    found = [re.fullmatch(r"#[ \t]*sent_id[ \t]*=(.*)", line) for line in block if not {"\r", "\0"} & set(line)]
    return next((match[1].strip(" \t") for match in found if match and match[1].strip(" \t")), None)


def read_gold(text: str) -> list[Sentence]:
    return [Sentence(id_of(block), read_strict("\n".join(block) + "\n\n"), True) for block in blocks(text)]


def read_system(text: str) -> list[Sentence]:
    """Read all sentences with a readable row."""
    text = text.removeprefix("\ufeff")
    text = text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
    found = []
    for block in blocks(text):
        document = valid_document(block)
        valid = document is not None
        document = document or lenient([line.split("\t") for line in block if not line.startswith("#")])
        if document.words:
            found.append(Sentence(id_of(block), document, valid))
    return found


def valid_document(block: list[str]) -> Document | None:
    """Read a sentence that is valid by itself; one without any head is not.

    A comment goes before it, since a byte order mark is only skipped at the start of a file.
    """
    try:
        document = read_strict("\n".join(["# a comment", *block]) + "\n\n")
    except Refused:
        return None
    return document if document.has_trees else None


def is_row(cells: list[str]) -> bool:
    """A row has ten columns and a form; what no CoNLL-U file may hold makes a line unreadable."""
    return len(cells) == 10 and bool(without_spaces(cells[FORM], "ud")) and not {"\r", "\0"} & set("".join(cells))


def lenient(table: list[list[str]]) -> Document:
    """Read the rows of a sentence: words are numbered anew, and heads are ids that one row has."""
    table = [cells for cells in table if is_row(cells)]
    rows = [cells for cells in table if WORD_ID.fullmatch(cells[ID]) and len(cells[ID]) < 10]
    ids = [cells[ID] for cells in rows]
    document = Document("ud")
    covered = before = 0
    for cells in table:
        if RANGE_ID.fullmatch(cells[ID]):
            words = whole_range(cells[ID], ids)
            if words and before >= covered and words == list(range(before, before + len(words))):
                document.add_token(without_spaces(cells[FORM], "ud"), [rows[n] for n in words], in_multiword=True)
                covered = before + len(words)
        elif cells in rows:
            if before >= covered:
                document.add_token(without_spaces(cells[FORM], "ud"), [cells], in_multiword=False)
            before += 1
    for word, cells in zip(document.words, rows, strict=True):
        word.columns = [*cells[:DEPREL], cells[DEPREL] or "_", "_", "_"]
        known = ids.count(cells[HEAD]) == 1 and rows[ids.index(cells[HEAD])] is not cells
        word.parent = None if cells[HEAD] == "0" else ids.index(cells[HEAD]) if known else NO_HEAD
    document.sentences.append((0, len(document.characters)))
    return document


def whole_range(text: str, ids: list[str]) -> list[int]:
    """The places of the words in a range; none unless each has one row."""
    first, last = (int(end) for end in text.split("-"))
    numbers = [str(number) for number in range(first, min(last, first + len(ids)) + 1)]
    return [ids.index(number) for number in numbers] if all(ids.count(number) == 1 for number in numbers) else []


def joined(sentences: Sequence[Sentence]) -> Document:
    """All sentences as one text."""
    whole = Document("ud")
    for sentence in sentences:
        characters, words = len(whole.characters), len(whole.words)
        one = sentence.document
        whole.characters += one.characters
        whole.tokens += [moved(span, characters) for span in one.tokens]
        whole.sentences += [moved(span, characters) for span in one.sentences]
        for word in one.words:
            parent = word.parent + words if word.parent is not None and word.parent >= 0 else word.parent
            whole.words.append(
                type(word)(word.form, moved(word.span, characters), word.in_multiword, word.columns, parent)
            )
    return whole


def moved(span: Range, by: int) -> Range:
    return span[0] + by, span[1] + by


def pairing(gold: Sequence[Sentence], system: Sequence[Sentence]) -> tuple[str, list[int]]:
    """The system's sentence of each gold sentence, or -1, and how they were paired."""
    ids = [one.id for one in gold]
    known = None not in ids and len(set(ids)) == len(ids)
    first: dict[str | None, int] = {}
    for number, one in enumerate(system):
        place = first.setdefault(one.id, number)
        known = known and one.id in ids and system[place].document.characters == one.document.characters
    if known:
        return "sent_id", [first.get(one, -1) for one in ids]
    texts = [[one.document.characters for one in side] for side in (gold, system)]
    return "text", aligned(*texts)


def score(gold_text: str, system_text: str) -> Scores:
    """Count every measure of words, tokens and sentences."""
    gold, system = read_gold(gold_text), read_system(system_text)
    if not system:
        raise Refused("no readable row")
    ours, theirs = joined(gold), joined(system)
    if ours.characters == theirs.characters:
        return whole_score(ours, theirs, system)
    by, places = pairing(gold, system)
    pairs = [(one, system[place] if place >= 0 else None) for one, place in zip(gold, places, strict=True)]
    others = [n for n, (one, other) in enumerate(pairs) if other and is_other_text(one.document, other.document)]
    rows = [
        (row_of_pair(one, other), other is not None and other.valid and n not in others)
        for n, (one, other) in enumerate(pairs)
    ]
    answered = sum(other is not None and other.n_heads > 0 and n not in others for n, (_, other) in enumerate(pairs))
    near = {by: [n for n in others if 0 <= n + by < len(gold) and fits(gold[n + by], pairs[n][1])] for by in (1, -1)}
    return replace(
        summed(rows, by, answered),
        n_equal=sum(
            n_equal_forms(one.document, other.document)
            for n, (one, other) in enumerate(pairs)
            if other is not None and n not in others
        ),
        other_text=others,
        fits_next=len(near[1]),
        fits_previous=len(near[-1]),
    )


def n_equal_forms(gold: Document, system: Document) -> int:
    pairs = word_pairs(gold, system, same=gold.characters == system.characters)
    return sum(gold.words[one].columns[FORM] == system.words[other].columns[FORM] for one, other in pairs)


def is_other_text(gold: Document, system: Document) -> bool:
    """Whether texts differ and fewer than half of the forms of either are equal."""
    if gold.characters == system.characters:
        return False
    return n_equal_forms(gold, system) < min(len(gold.words), len(system.words)) / 2


def fits(gold: Sentence, system: Sentence | None) -> bool:
    assert system is not None
    ours, theirs = ([word.columns[FORM] for word in one.document.words] for one in (gold, system))
    places = aligned(ours, theirs)
    n_equal = sum(place >= 0 and form == theirs[place] for form, place in zip(ours, places, strict=True))
    return n_equal >= min(len(ours), len(theirs)) / 2


def summed(rows: list[tuple[dict[str, Row], bool]], by: str, answered: int) -> Scores:
    every, strict = {}, {}
    for name in rows[0][0]:
        each = [(row[name], valid) for row, valid in rows]
        gold, system = sum(row.gold for row, _ in each), sum(row.system for row, _ in each)
        n_aligned = None if each[0][0].aligned is None else sum(row.aligned or 0 for row, _ in each)
        every[name] = Counted(sum(row.correct for row, _ in each), gold, system, n_aligned)
        strict[name] = Counted(sum(row.correct for row, valid in each if valid), gold, system, n_aligned)
    return Scores(every, strict, by, answered, every["LAS"].aligned or 0)


def matched(gold: Document, system: Document, pairs: list[Pair]) -> Matched:
    gold_of: dict[int | None, int] = {s: g for g, s in pairs}
    return Matched(gold, system, pairs, gold_of, functional_children(gold), functional_children(system))


def row_of_pair(gold: Sentence, system: Sentence | None) -> dict[str, Row]:
    """The counts of one gold sentence with the sentence that answers it."""
    nothing = Document("ud")
    theirs = nothing if system is None else system.document
    same = gold.document.characters == theirs.characters
    other = is_other_text(gold.document, theirs)
    m = matched(gold.document, theirs, [] if other else word_pairs(gold.document, theirs, same=same))
    n_tokens = 0 if other else same_tokens(gold.document, theirs, same=same)
    rows = {
        "Tokens": Row(n_tokens, len(gold.document.tokens), len(theirs.tokens), None),
        "Sentences": Row(int(same), 1, 1, None),
    }
    unknown = children_unknown(theirs)
    for name, (agrees, counts) in measures.word_measures("ud").items():
        marks = measures.mark(m, agrees, counts)
        correct = 0 if name == "MLAS" and unknown else len(marks.correct)
        rows[name] = Row(correct, len(marks.gold), len(marks.system), None if name == "Words" else len(marks.aligned))
    if system is None or system.n_heads < len(gold.document.words):
        for row in rows.values():
            row.system = max(row.system, row.gold)
    return rows


def children_unknown(document: Document) -> bool:
    """Whether a function word has no HEAD: it could belong to any word."""
    return any(word.parent == NO_HEAD and word.relation in FUNCTIONAL for word in document.words)


def word_pairs(gold: Document, system: Document, *, same: bool) -> list[Pair]:
    if same:
        return align(gold, system)
    forms = [[word.columns[FORM] for word in side.words] for side in (gold, system)]
    return [(one, other) for one, other in enumerate(aligned(*forms)) if other >= 0]


def same_tokens(gold: Document, system: Document, *, same: bool) -> int:
    """Tokens with the same characters; where texts differ, aligned ones with the same form."""
    if same:
        return len(set(gold.tokens) & set(system.tokens))
    ours, theirs = ([side.characters[start:end] for start, end in side.tokens] for side in (gold, system))
    return sum(other >= 0 and form == theirs[other] for form, other in zip(ours, aligned(ours, theirs), strict=True))


def whole_score(gold: Document, system: Document, sentences: Sequence[Sentence]) -> Scores:
    """The counts where all characters agree: as usual, but by gold sentence."""
    m = matched(gold, system, align(gold, system))
    gold_home, system_home = home_sentences(gold, gold), home_sentences(system, gold)
    broken = {home for home, valid in zip(system_home, flags(sentences, lambda one: one.valid)) if not valid}
    unknown = flags(sentences, lambda one: children_unknown(one.document))
    lacking = {home for home, word in zip(system_home, system.words) if word.parent == NO_HEAD}
    answered = {home for home, word in zip(system_home, system.words) if word.parent != NO_HEAD}
    rows: list[dict[str, Row]] = [{} for _ in gold.sentences]
    starts = [start for start, _ in gold.sentences]
    for name, kind in (("Tokens", "tokens"), ("Sentences", "sentences")):
        ours, theirs = getattr(gold, kind), getattr(system, kind)
        homes = [Counter(home_of(span, starts) for span in spans) for spans in (set(ours) & set(theirs), ours, theirs)]
        for number, row in enumerate(rows):
            row[name] = Row(*(home[number] for home in homes), None)
    for name, (agrees, counts) in measures.word_measures("ud").items():
        marks = measures.mark(m, agrees, counts)
        if name == "MLAS":
            of_gold = dict(m.pairs)
            marks.correct = [word for word in marks.correct if not unknown[of_gold[word]]]
        homes = [Counter(gold_home[word] for word in some) for some in (marks.correct, marks.gold, marks.aligned)]
        own = Counter(system_home[word] for word in marks.system)
        for number, row in enumerate(rows):
            n_aligned = None if name == "Words" else homes[2][number]
            row[name] = Row(homes[0][number], homes[1][number], own[number], n_aligned)
    for number in lacking:
        for counted in rows[number].values():
            counted.system = max(counted.system, counted.gold)
    by_row = [(row, number not in broken) for number, row in enumerate(rows)]
    n_equal = sum(gold.words[one].columns[FORM] == system.words[other].columns[FORM] for one, other in m.pairs)
    return replace(summed(by_row, "characters", len(answered)), n_equal=n_equal)


def home_of(span: Range, starts: list[int]) -> int:
    return max(number for number, start in enumerate(starts) if start <= span[0])


def flags(sentences: Sequence[Sentence], say: Callable[[Sentence], bool]) -> list[bool]:
    """What is said of each sentence, for each of its words."""
    return [value for one in sentences for value in [say(one)] * len(one.document.words)]
