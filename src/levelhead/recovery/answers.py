"""The answers in a file or folder: JSON lines, CSV, or text separated by marker lines or blank lines."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from levelhead.errors import Fault, InputError, Place, UnreadableFile, listed, number_of, quoted, shortened, unknown
from levelhead.treebank.faults import UTF16, is_utf16
from levelhead.treebank.input_bytes import SUFFIXES, Limits, read_bytes, size_text


class Answer(NamedTuple):
    """The answer of a model for one sentence.

    Args:
        text: the answer; a list of rows is written as JSON.
        id: the sent_id of the sentence, if the file has it next to the answer.
    """

    text: str
    id: str | None = None


def _decoded(data: bytes, name: str, first_line: int = 1) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        known = first_line == 1 and is_utf16(data)
        message = UTF16 if known else f"the byte 0x{data[error.start]:02x} is not UTF-8"
        raise InputError(Fault("encoding", message, Place(name, line))) from error


_LONGEST_FIELD = 1 << 29


def _json_answers(data: bytes, name: str, field: str | None, id_field: str | None) -> Iterator[Answer]:
    for number, line in enumerate(io.BytesIO(data), 1):
        if not line.strip():
            continue
        place = Place(name, number)
        text = _decoded(line, name, number)
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(Fault("invalid-answers", f"the line is not JSON: {_reason(error)}", place)) from error
        if not isinstance(record, Mapping):
            raise InputError(Fault("invalid-answers", "the line is not a JSON object with named fields", place))
        value = _inside(record, _named(field, record, place), place)
        given = None if id_field is None else _inside(record, id_field, place)
        answer = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
        yield Answer(answer, None if given is None else str(given))


def _reason(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else getattr(error, "msg", str(error))


def _named(field: str | None, record: Mapping[str, Any], place: Place) -> str:
    """Return the field of answers; raise an error if it is not named."""
    if field is None:
        names = listed(list(map(shortened, record)), 20) if record else "none"
        raise InputError(Fault("invalid-answers", f"name the field of answers with --field: {names}", place))
    return field


def _inside(record: Mapping[str, Any], path: str, place: Place) -> Any:
    """Return a field of a record; dots lead into objects and lists."""
    if path in record:
        return record[path]
    value: Any = record
    for name in path.split("."):
        if isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        elif isinstance(value, Mapping) and name in value:
            value = value[name]
        else:
            raise InputError(Fault("invalid-answers", unknown("field", path, map(str, record)), place))
    return value


def _csv_answers(data: bytes, name: str, field: str | None, id_field: str | None, delimiter: str) -> list[Answer]:
    rows = csv.reader(io.StringIO(_decoded(data, name), newline=""), delimiter=delimiter, strict=True)
    with _long_fields():
        try:
            names = next(rows, [])
            column = names.index(_column(field, names, name))
            of_ids = None if id_field is None else names.index(_column(id_field, names, name))
            return [_of_row(row, column, of_ids, Place(name, rows.line_num)) for row in rows if row]
        except csv.Error as error:
            place = Place(name, rows.line_num)
            raise InputError(Fault("invalid-answers", f"the file is not CSV: {error}", place)) from error


@contextmanager
def _long_fields() -> Iterator[None]:
    """Allow fields longer than 128 KiB, as answers can be."""
    before = csv.field_size_limit(_LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _column(field: str | None, names: list[str], name: str) -> str:
    place = Place(name, 1)
    found = _named(field, dict.fromkeys(names), place)
    if found not in names:
        raise InputError(Fault("invalid-answers", unknown("field", found, names), place))
    return found


def _of_row(row: list[str], column: int, of_ids: int | None, place: Place) -> Answer:
    if max(column, of_ids or 0) >= len(row):
        raise InputError(Fault("invalid-answers", f"the row has only {number_of(len(row), 'field')}", place))
    return Answer(row[column], None if of_ids is None else row[of_ids])


_MOST_ANSWERS = 1_000_000
"""The maximum number of answers in a text."""

_MOST_RULES = 5
_RULE = re.compile(rb"(?m)^[ \t]*(?P<line>([=*#~_+-])\2{4,})[ \t]*$\n?")
_LONG_RULE = re.compile(rb"(?m)^[ \t]*([=*#~_+-])\1{9,}[ \t]*$\n?")
_ROW = re.compile(rb"\(?[0-9]+[.):]?\s|[0-9]+-[0-9]+\t|\|")
_COMMENT = re.compile(rb"#\s*(?:[\w.\[\]]+\s*=|newdoc|newpar)")
_BLANK = re.compile(rb"\n[ \t]*(?:\n[ \t]*)+")
_ROW_LINE = re.compile(rb"(?m)^[ \t|]*\(?[0-9]+[.):]?[ \t|]")
_START = re.compile(rb"(?m)^[ \t|]*\(?1[.):]?[ \t|]")


def _split_text(data: bytes, name: str, separator: str | None, n_gold: int) -> list[Answer]:
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
    matches = list(islice(pattern.finditer(data), _MOST_ANSWERS + 1))
    if len(matches) > _MOST_ANSWERS:
        raise InputError(Fault("no-answers", f"the file has more than {_MOST_ANSWERS:,} parts", Place(name)))
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
        _decoded(data[at:start], name, line)  # the text between them is dropped, but must be UTF-8 as well
        line += data.count(b"\n", at, start)
        answers.append(Answer(_decoded(data[start:end], name, line)))
        line += data.count(b"\n", start, end)
        at = end
    _decoded(data[at:], name, line)
    return answers


LIMITS = Limits(size=1 << 29)
"""The maximum decompressed size of a file of answers: half a GiB, several hundred thousand answers."""

_MOST_FILES = 1_000_000
_ARRAY = re.compile(rb"\s*\[\s*\{")
_JSON, _CSV, _TSV = (".jsonl", ".ndjson"), ".csv", ".tsv"


class Layout(NamedTuple):
    """The settings for finding answers in a file.

    Args:
        separator: the beginning of the lines between answers, or None to detect them.
        field: the field of JSON lines or CSV with the answer, or None.
        id_field: the field with the sent_id, or None.
    """

    separator: str | None = None
    field: str | None = None
    id_field: str | None = None


def read_answers(path: str | os.PathLike[str], layout: Layout, n_gold: int) -> list[Answer]:
    """Return the answers in a file or folder, in order."""
    name = os.fsdecode(path)
    if os.path.isdir(name):  # noqa: PTH112 -- a path can have bytes that pathlib refuses
        answers = _in_folder(Path(name))
    else:
        answers = _in_file(name, read_bytes(path, LIMITS).removeprefix(b"\xef\xbb\xbf"), layout, n_gold)
    if not answers:
        what = "the folder has no files" if os.path.isdir(name) else "the file has no answers"  # noqa: PTH112
        raise InputError(Fault("no-answers", what, Place(name)))
    return answers


def _in_file(name: str, data: bytes, layout: Layout, n_gold: int) -> list[Answer]:
    if not data.strip():
        raise InputError(Fault("no-answers", "the file is empty", Place(name)))
    data = data.replace(b"\r\n", b"\n")
    bare = next((name.removesuffix(suffix) for suffix in SUFFIXES if name.lower().endswith(suffix)), name).lower()
    if bare.endswith((_CSV, _TSV)):
        return _csv_answers(data, name, layout.field, layout.id_field, "\t" if bare.endswith(_TSV) else ",")
    if _is_array(data, bare, layout, n_gold):
        message = "the file is a JSON array, not JSON lines: write one object per line"
        raise InputError(Fault("invalid-answers", message, Place(name)))
    if bare.endswith(_JSON) or layout.field is not None:
        if not bare.endswith(_JSON) and not data.lstrip().startswith(b"{"):
            return _csv_answers(data, name, layout.field, layout.id_field, ",")
        return list(_json_answers(data, name, layout.field, layout.id_field))
    if layout.id_field is not None:
        raise InputError(Fault("no-answers", "--id-field requires JSON lines or CSV: add --field", Place(name)))
    return _split_text(data, name, layout.separator, n_gold)


def _is_array(data: bytes, name: str, layout: Layout, n_gold: int) -> bool:
    """Whether a file is a JSON array of records, not JSON lines, CSV, or answers that are lists."""
    if layout.field is not None:
        return not name.endswith(_JSON) and data.lstrip().startswith(b"[")
    return n_gold > 1 and name.endswith(".json") and bool(_ARRAY.match(data)) and b"\n\n" not in data.strip()


def _in_folder(folder: Path) -> list[Answer]:
    """Read one answer from each file of a folder, in natural order of names; hidden files are ignored."""
    try:
        paths = [path for path in folder.iterdir() if not path.name.startswith(".") and path.is_file()]
    except OSError as error:
        raise UnreadableFile(Fault("unreadable-file", error.strerror or str(error), Place(str(folder)))) from error
    return list(_read_each(sorted(paths, key=_natural)))


def _natural(path: Path) -> tuple[list[tuple[bool, int, str]], str]:
    """A key that sorts `answer2` before `answer10`."""
    parts = re.findall(r"([0-9]+)|([^0-9]+)", path.name)
    return [(not digits, int(digits or 0) if len(digits) < 4000 else 0, text) for digits, text in parts], path.name


def _read_each(paths: list[Path]) -> Iterator[Answer]:
    total = 0
    for path in paths:
        data = read_bytes(path, LIMITS).removeprefix(b"\xef\xbb\xbf")
        total += len(data)
        if total > LIMITS.size:
            message = f"the files have more than {size_text(LIMITS.size)} together"
            raise UnreadableFile(Fault("file-too-large", message, Place(str(path.parent))))
        yield Answer(_decoded(data.replace(b"\r\n", b"\n"), str(path)))
