"""Answers in one text file, separated by marker lines or blank lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from levelhead.errors import Fault, InputError, Place, quoted
from levelhead.recovery.answer import Answer, decoded

MOST_ANSWERS = 1_000_000
"""The maximum number of answers in a text."""

_MOST_RULES = 5
_RULE = re.compile(rb"(?m)^[ \t]*(?P<line>([=*#~_+-])\2{4,})[ \t]*$\n?")
_LONG_RULE = re.compile(rb"(?m)^[ \t]*([=*#~_+-])\1{9,}[ \t]*$\n?")
_ROW = re.compile(rb"\(?[0-9]+[.):]?\s|[0-9]+-[0-9]+\t|\|")
_COMMENT = re.compile(rb"#\s*(?:[\w.\[\]]+\s*=|newdoc|newpar)")
_BLANK = re.compile(rb"\n[ \t]*(?:\n[ \t]*)+")
_ROW_LINE = re.compile(rb"(?m)^[ \t|]*\(?[0-9]+[.):]?[ \t|]")
_START = re.compile(rb"(?m)^[ \t|]*\(?1[.):]?[ \t|]")


def split_text(data: bytes, name: str, separator: str | None, n_gold: int) -> list[Answer]:
    """Return the answers in a text.

    Without a separator, lines of one repeated character (`=====`), or lines like the first or the last of the file, are
    markers if they separate as many answers as there are gold sentences; otherwise lines of ten or more `=`, `-`, `*`
    ... are markers; otherwise blank lines separate the answers. Digits in marker lines can differ.
    """
    if separator is not None:
        if not separator.strip():
            return _answers(data, name, _blocks(data, name))
        begin = re.escape(separator.strip().encode("utf-8", "surrogatepass"))
        marks = _found(re.compile(rb"(?m)^[ \t]*" + begin + rb"[^\n]*$\n?"), data, name)
        if not marks:
            message = f"no line starts with the separator {quoted(separator)}"
            raise InputError(Fault("no-answers", message, Place(name)))
        return _answers(data, name, _between(data, marks, n_gold))
    for pattern in _markers(data):
        marks = _found(pattern, data, name)
        spans = _between(data, marks, n_gold)
        if len(spans) == n_gold and len(marks) > (n_gold == 1):
            return _answers(data, name, spans)
    long_rules = _found(_LONG_RULE, data, name)
    if long_rules:
        return _answers(data, name, _between(data, long_rules, n_gold))
    blocks = _blocks(data, name)
    if n_gold == 1 and not _is_file_of_sentences(data, blocks):
        return _answers(data, name, [(0, len(data))])
    with_rows = [block for block in blocks if _ROW_LINE.search(data, *block)]
    return _answers(data, name, blocks if len(blocks) == n_gold or not with_rows else with_rows)


def _found(pattern: re.Pattern[bytes], data: bytes, name: str) -> list[re.Match[bytes]]:
    """Find the separators of answers; a file with a million parts is not a file of answers."""
    matches = list(islice(pattern.finditer(data), MOST_ANSWERS + 1))
    if len(matches) > MOST_ANSWERS:
        raise InputError(Fault("no-answers", f"the file has more than {MOST_ANSWERS:,} parts", Place(name)))
    return matches


def _markers(data: bytes) -> Iterator[re.Pattern[bytes]]:
    """Yield the patterns of possible marker lines, the most probable first."""
    for line, _ in Counter(mark["line"] for mark in _RULE.finditer(data)).most_common(_MOST_RULES):
        yield re.compile(rb"(?m)^[ \t]*" + re.escape(line) + rb"[ \t]*$\n?")
    stripped = data.strip()
    for line in (stripped.partition(b"\n")[0].strip(), stripped.rpartition(b"\n")[2].strip()):
        if 0 < len(line) < 1000 and not _ROW.match(line) and not _COMMENT.match(line) and not line.startswith(b"```"):
            same = re.sub(rb"[0-9]+", rb"[0-9]+", re.escape(line))
            yield re.compile(rb"(?m)^[ \t]*" + same + rb"[ \t]*$\n?")


def _between(data: bytes, marks: list[re.Match[bytes]], n_gold: int) -> list[tuple[int, int]]:
    """Yield the positions of answers: after each marker, before each, or between them; an answer can be empty."""
    ends = [mark.start() for mark in marks] + [len(data)]
    starts = [0] + [mark.end() for mark in marks]
    spans = list(zip(starts, ends))
    blank_first, blank_last = (not data[slice(*span)].strip() for span in (spans[0], spans[-1]))
    if len(marks) == n_gold and blank_last and not blank_first:
        return spans[:-1]
    if len(marks) == n_gold and blank_first:
        return spans[1:]
    if len(marks) == n_gold and blank_last:
        return spans[:-1]
    if len(marks) == n_gold - 1:
        return spans
    return spans[blank_first : len(spans) - blank_last]


def _blocks(data: bytes, name: str) -> list[tuple[int, int]]:
    """Yield the blocks between blank lines."""
    spans, start = [], 0
    for blank in _found(_BLANK, data, name):
        spans.append((start, blank.start()))
        start = blank.end()
    return [span for span in [*spans, (start, len(data))] if data[slice(*span)].strip()]


def _is_file_of_sentences(data: bytes, blocks: list[tuple[int, int]]) -> bool:
    """Whether each of several blocks starts with the number 1, except for comments, as in CoNLL-U."""
    if len(blocks) < 2:
        return False
    bare = (re.sub(rb"(?m)^#[^\n]*\n", b"", data[slice(*block)]) for block in blocks)
    return all(_START.match(block) for block in bare)


def _answers(data: bytes, name: str, spans: list[tuple[int, int]]) -> list[Answer]:
    """Decode the answers separately, since text takes up to four times the memory of its bytes."""
    answers, line, at = [], 1, 0
    for start, end in spans:
        decoded(data[at:start], name, line)  # the text between them is dropped, but must be UTF-8 as well
        line += data.count(b"\n", at, start)
        answers.append(Answer(decoded(data[start:end], name, line)))
        line += data.count(b"\n", start, end)
        at = end
    decoded(data[at:], name, line)
    return answers
