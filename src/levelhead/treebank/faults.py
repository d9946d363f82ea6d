"""All faults of a CoNLL-U file, line by line, and unambiguous repairs of its bytes, each with a warning.

The scanner only reports that a file is invalid; this slower reading finds all errors. Both must agree on which files
are valid: a test compares them on damaged files.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from levelhead.errors import Fault, Place, add_fault, listed, number_of, quoted
from levelhead.kernels import pools, trees
from levelhead.treebank.scanner import ReaderSettings
from levelhead.treebank.strings import ANY_SPACE, Codes
from levelhead.treebank.tokens import FIELDS

_BOM = b"\xef\xbb\xbf"
_BLANK_LINES = {
    "blank-line-with-spaces": "the line has only white space",
    "extra-blank-line": "the blank line does not end a sentence",
}

REPAIRS = ("byte-order-mark", "line-ends", *_BLANK_LINES, "missing-final-blank-line")
"""The kinds of repairs, in the order in which they are reported."""


class Repaired(NamedTuple):
    """A file with a line feed after each line and a single blank line after each sentence."""

    data: bytes
    warnings: tuple[Fault, ...] = ()  # the repairs
    numbers: Codes | None = None  # the original number of each line; None if no line was removed

    def line(self, number: int) -> int:
        """Return the line number in the original file of line `number` of the repaired file."""
        return number if self.numbers is None or number > len(self.numbers) else int(self.numbers[number - 1])


def repair(data: bytes, *, start: bool = True, most: int = 1) -> Repaired:
    """Return a file without byte order mark and extra blank lines, with line feeds, and with a final blank line."""
    warnings: list[Fault] = []
    if start and data.startswith(_BOM):
        _warn(warnings, "byte-order-mark", "the byte order mark at the start is ignored", 1)
        data = data[len(_BOM) :]
    if start and b"\r" in data and b"\n" not in data:
        _warn(warnings, "line-ends", "lines end with carriage returns", 1, data.count(b"\r"))
        data = data.replace(b"\r", b"\n")
    elif pairs := data.count(b"\r\n"):
        first = data.count(b"\n", 0, data.index(b"\r\n")) + 1
        _warn(warnings, "line-ends", "lines end with a carriage return and a line feed", first, pairs)
        data = data.replace(b"\r\n", b"\n")
    numbers, n_lines = None, pools.count_lines(data)
    if pools.has_odd_lines(data):
        data, numbers = _with_single_blank_lines(data, warnings, most)
    if data and not data.endswith(b"\n\n"):
        last = data.rstrip(b"\n").rpartition(b"\n")[2]
        if last and not last.startswith(b"#"):  # otherwise there is no sentence to end
            _warn(warnings, "missing-final-blank-line", "no blank line follows the last sentence", n_lines + 1)
            data += b"\n" if data.endswith(b"\n") else b"\n\n"
    return Repaired(data, tuple(warnings), numbers)


def _warn(warnings: list[Fault], slug: str, message: str, line: int, count: int = 1) -> None:
    warnings.append(Fault(slug, message, Place(line=line), "warning", count))


def _with_single_blank_lines(data: bytes, warnings: list[Fault], most: int) -> tuple[bytes, Codes]:
    """Drop blank lines that do not end a sentence; lines with only white space are blank."""
    kept: list[bytes] = []
    numbers = [np.zeros(0, dtype=np.int32)]
    by_kind: dict[str, list[Fault]] = {}
    end, line = 0, 1  # of the blank lines before: their end, and the number of the next line
    for match in re.finditer(rb"(?m)^[ \t\n]*(?:\n|\Z)", data):  # consecutive blank lines
        blank, before = match[0], data[end : match.start()]
        if not blank or (blank == b"\n" and before):
            continue  # the usual blank line after a sentence, which is kept with the text before it
        first = line + pools.count_lines(before)
        n_lines = pools.count_lines(blank) + (not blank.endswith(b"\n"))
        n_kept = 1 if before else 0
        numbers.append(np.arange(line, first + n_kept, dtype=np.int32))
        kept += [before, b"\n" * n_kept]
        n_spaced = blank.count(b"\n ") + blank.count(b"\n\t") + (not blank.startswith(b"\n"))
        for slug, at, n in (
            ("blank-line-with-spaces", first + len(blank) - len(blank.lstrip(b"\n")), n_spaced),
            ("extra-blank-line", first + n_kept, n_lines - n_kept),
        ):
            if n:
                add_fault(by_kind, slug, Fault(slug, _BLANK_LINES[slug], Place(line=at), "warning", n), most)
        end, line = match.end(), first + n_lines
    last = data[end:]
    n_last = pools.count_lines(last) + (bool(last) and not last.endswith(b"\n"))
    numbers.append(np.arange(line, line + n_last, dtype=np.int32))
    warnings += [fault for slug in _BLANK_LINES for fault in by_kind.get(slug, ())]
    return b"".join([*kept, last]), np.concatenate(numbers)


_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_EMPTY_NODE = re.compile(r"(0|[1-9][0-9]{0,8})\.([1-9][0-9]{0,8})")
_TOO_LARGE = re.compile(r"[1-9][0-9]{9,}")
MOST = 1000  # the maximum number of faults of each kind that are reported individually
_TREE_SLUGS = {
    2: ("no-root", "no word has HEAD 0"),
    3: ("several-roots", "{} words have HEAD 0"),
    4: ("cycle", "the heads form a cycle ({})"),
}


@dataclass
class _Sentence:
    """The sentence up to the current line."""

    number: int
    first_line: int
    heads: list[int | None] = field(default_factory=list)
    head_lines: list[int] = field(default_factory=list)
    minor: int = 0
    range_end: int = 0
    range_line: int = 0
    range_pending: bool = False
    renumbered: bool = False


UTF16 = "the file is UTF-16, not UTF-8"


def is_utf16(data: bytes) -> bool:
    """Return whether a file starts with a byte order mark of UTF-16, or with four ASCII characters in UTF-16."""
    even, odd = data[:8:2], data[1:8:2]
    is_ascii = len(odd) == 4 and ((all(even) and not any(odd)) or (all(odd) and not any(even)))
    return is_ascii or data.startswith((b"\xff\xfe", b"\xfe\xff"))


def encoding_faults(data: bytes, line: Callable[[int], int] = int, start: int = 0, most: int = 1) -> list[Fault]:
    """Return the faults of bytes that are not text: invalid UTF-8 and NUL characters."""
    if start == 0 and is_utf16(data):
        return [Fault("encoding", UTF16, Place(line=line(1)))]
    try:
        _ = pools.is_utf8(data) or data.decode()
    except UnicodeDecodeError as error:
        at = error.start
        message = f"byte {start + at} (0x{data[at]:02x}) is not UTF-8"
        return [Fault("encoding", message, Place(line=line(data.count(b"\n", 0, at) + 1)))]
    nul_faults: list[Fault] = []
    number, before = 1, 0
    for match in islice(re.finditer(rb"\0", data), most):
        at = match.start()
        number, before = number + data.count(b"\n", before, at), at
        nul_faults.append(Fault("control-character", f"byte {start + at} is NUL", Place(line=line(number))))
    if nul_faults:  # the last counts the others
        nul_faults[-1] = replace(nul_faults[-1], count=1 + data.count(b"\0") - len(nul_faults))
    return nul_faults


EMPTY = Fault("empty-file", "the file has no sentences", Place(line=1))  # the error of a file without sentences
SOME_HEAD = Fault("invalid-head", "")
"""A marker, which is not reported: a word has a HEAD, so every HEAD "_" is an error."""


_ONE_CAUSE = frozenset({"spaces-for-tabs"})  # faults of many lines that are reported once in a file


def by_line(faults: Iterator[Fault], most: int = MOST) -> list[Fault]:
    """Return faults by line; the last of each kind counts the others, and so does the first with one cause."""
    kept = list[Fault]()
    numbers = Counter[str]()
    has_heads = False
    for fault in faults:
        has_heads |= fault is SOME_HEAD
        numbers[fault.slug] += fault is not SOME_HEAD
        if fault is not SOME_HEAD and numbers[fault.slug] <= (1 if fault.slug in _ONE_CAUSE else most):
            kept.append(fault)
    n_kept = Counter(fault.slug for fault in kept)
    for slug, last in {fault.slug: row for row, fault in enumerate(kept)}.items():
        kept[last] = replace(kept[last], count=numbers[slug] - n_kept[slug] + 1)
    if not has_heads:
        kept = [fault for fault in kept if fault.slug != SOME_HEAD.slug]
    return sorted(kept, key=lambda fault: fault.place.line or 0)


def walk(
    data: bytes, numbers: Iterator[int], reading: ReaderSettings, *, line_of: Callable[[int], int]
) -> Iterator[Fault]:
    sentence: _Sentence | None = None
    comments_from = 0
    several_roots = reading.conllx or reading.several_roots or reading.ignores_trees
    for position, content in enumerate(io.BytesIO(data), 1):
        number, line = line_of(position), content.removesuffix(b"\n").decode()
        if "\r" in line:
            yield Fault("stray-carriage-return", "a carriage return is inside the line", Place(line=number))
        if not line:
            if sentence is None:
                yield Fault("empty-sentence", "comments are not followed by words", Place(line=comments_from or number))
            else:
                yield from _end(sentence, number, several_roots=several_roots)
            sentence, comments_from = None, 0
        elif sentence is None and _is_comment(line, reading):
            comments_from = comments_from or number
        else:
            if sentence is None:
                sentence = _Sentence(next(numbers), number)
            yield from _line(sentence, number, line, reading)
    if sentence is not None:
        yield from _end(sentence, line_of(data.count(b"\n") + 1), several_roots=several_roots)
    elif comments_from:
        yield Fault("empty-sentence", "comments are not followed by words", Place(line=comments_from))


def _is_comment(line: str, reading: ReaderSettings) -> bool:
    layout = reading.layout
    return line.startswith("#") and not reading.conllx if layout is None else layout.is_comment(line, "#", "\t")


def _line(sentence: _Sentence, number: int, line: str, reading: ReaderSettings) -> Iterator[Fault]:
    cells = line.split("\t")
    place = Place(line=number, sentence=sentence.number, word=cells[0][:20])
    if _is_comment(line, reading):
        yield Fault("misplaced-comment", "a comment is inside a sentence", place)
        return
    layout = reading.layout
    n_columns = len(FIELDS if layout is None else layout.names)
    if len(cells) != n_columns:
        if len(cells) == 1 and len(line.split()) >= n_columns and line[0].isdigit():
            message = f"columns are separated by spaces instead of tabs: {quoted(line)}"
            yield Fault("spaces-for-tabs", message, place._replace(word=None))
        else:
            hint = " (CoNLL-X has no comments)" if reading.conllx and line[0] == "#" else ""
            message = f"{number_of(len(cells), 'column')} instead of {n_columns}{hint}: {quoted(line)}"
            yield Fault("number-of-columns", message, place)
        sentence.renumbered = True
        return
    if layout is not None:
        cells = [*layout.ten([*cells, "_"])]
        place = place._replace(word=cells[0][:20])
    if reading.ignores_trees:
        cells[6:8] = "0", "_"
    ranges = not reading.conllx
    if not cells[1].translate(ANY_SPACE):
        yield Fault("empty-form", "FORM is empty", place)
    yield from _node(sentence, number, cells, place, ranges=ranges)


def _node(sentence: _Sentence, number: int, cells: list[str], place: Place, *, ranges: bool) -> Iterator[Fault]:
    if _NUMBER.fullmatch(cells[0]):
        yield from _word(sentence, number, cells, place)
    elif ranges and (match := RANGE.fullmatch(cells[0])):
        first = int(match[1])
        last = int(match[2])
        expected_first = len(sentence.heads) + 1
        if last < first:
            yield Fault("reversed-range", f"the range {first}-{last} ends before it starts", place)
        elif first <= sentence.range_end or sentence.range_pending:
            yield Fault("overlapping-ranges", f"the range {first}-{last} overlaps the previous range", place)
        elif first != expected_first and not sentence.renumbered:
            yield Fault("misplaced-range", f"the range {first}-{last} is before word {expected_first}", place)
        sentence.range_end, sentence.range_line = max(last, sentence.range_end), number
        sentence.range_pending = True
    elif ranges and (match := _EMPTY_NODE.fullmatch(cells[0])):
        after, minor, expected = match[1], int(match[2]), f"{len(sentence.heads)}.{sentence.minor + 1}"
        if (f"{after}.{minor}" != expected or sentence.range_pending) and not sentence.renumbered:
            message = f"the empty node {after}.{minor} is in the position of {expected}"
            yield Fault("misplaced-empty-node", message, place)
        sentence.minor = minor
    else:
        sentence.renumbered = True
        problem = "is too large" if _TOO_LARGE.search(cells[0]) else f"is not a number{' or range' * ranges}"
        yield Fault("invalid-id", f"the ID {quoted(cells[0])} {problem}", place)


def _word(sentence: _Sentence, number: int, cells: list[str], place: Place) -> Iterator[Fault]:
    expected = len(sentence.heads) + 1
    if int(cells[0]) != expected and not sentence.renumbered:
        yield Fault("word-id-sequence", f"the ID is {cells[0]}, expected {expected}", place)
        sentence.renumbered = True  # reported once per sentence: the following IDs are shifted as well
    sentence.minor = 0
    sentence.range_pending = False
    head = int(cells[6]) if _NUMBER.fullmatch(cells[6]) else None
    if cells[6] != "_":
        yield SOME_HEAD
    if head is None:
        problem = "is too large" if _TOO_LARGE.fullmatch(cells[6]) else "is not a number"
        yield Fault("invalid-head", f"the HEAD {quoted(cells[6])} {problem}", place)
    if not cells[7]:
        yield Fault("empty-relation", "DEPREL is empty", place)
    sentence.heads.append(head)
    sentence.head_lines.append(number)


def _end(sentence: _Sentence, number: int, *, several_roots: bool) -> Iterator[Fault]:
    size = len(sentence.heads)
    place = Place(line=sentence.first_line, sentence=sentence.number)
    if not size:
        if not sentence.renumbered:
            yield Fault("empty-sentence", "the sentence has no words", place)
        return
    if sentence.range_end > size and not sentence.renumbered:
        message = f"the range ends at word {sentence.range_end} of {size}"
        yield Fault("range-past-end", message, place._replace(line=sentence.range_line))
    for word, (head, line) in enumerate(zip(sentence.heads, sentence.head_lines), 1):
        if head is not None and head > size:
            message = f"HEAD {head} in a sentence of {number_of(size, 'word')}"
            yield Fault("head-outside-sentence", message, place._replace(line=line, word=str(word)))
    if sentence.renumbered or not all(head is not None and head <= size for head in sentence.heads):
        return
    heads, starts = np.array(sentence.heads, dtype=np.int32), np.array([0, size], dtype=np.int32)
    verdicts = [int(trees.bad_sentences(heads, starts, several_roots)[0])]
    if verdicts == [3]:  # a cycle can hide behind several roots
        verdicts.append(int(trees.bad_sentences(heads, starts, True)[0]))
    for verdict in verdicts:
        if verdict:
            slug, message = _TREE_SLUGS[verdict]
            what = _first_cycle(heads) if slug == "cycle" else sentence.heads.count(0)
            message = f"{message.format(what)} in the sentence that ends at line {number}"
            yield Fault(slug, message, place)


def _first_cycle(heads: Codes) -> str:
    after = np.append(0, heads)
    for _ in range(len(heads).bit_length()):
        after = after[after]  # twice as many steps: as many as words end in a cycle, or at the root
    words = [int(after[after > 0].min())]
    while (head := int(heads[words[-1] - 1])) != words[0]:
        words.append(head)
    return f"word{'s' * (len(words) > 1)} {listed([*map(str, sorted(words))])}"
