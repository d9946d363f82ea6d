"""The answers in a file or folder: JSON lines, CSV, or text separated by marker lines or blank lines."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from levelhead.errors import (
    Fault,
    InputError,
    Place,
    UnreadableFile,
    listed,
    number_of,
    quoted,
    reason_of,
    shortened,
    unknown,
)
from levelhead.treebank.faults import UTF16, is_utf16
from levelhead.treebank.input_bytes import SUFFIXES, Limits, read_bytes, size_text


class Answer(NamedTuple):
    """The answer of a model for one sentence (a list of rows as JSON), and the sent_id if it is next to the answer."""

    text: str
    id: str | None = None


def _decoded(data: bytes, name: str, first_line: int = 1) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        place = Place(name, first_line + data.count(b"\n", 0, error.start))
        message = f"the byte 0x{data[error.start]:02x} is not UTF-8"
        raise InputError(Fault("encoding", UTF16 if first_line == 1 and is_utf16(data) else message, place)) from error


_LONGEST_FIELD = 1 << 29  # answers can be longer than the 128 KiB of fields that csv allows


def _invalid(message: str, place: Place) -> InputError:
    return InputError(Fault("invalid-answers", message, place))


def _json_answers(data: bytes, name: str, field: str | None, id_field: str | None) -> Iterator[Answer]:
    for number, line in enumerate(io.BytesIO(data), 1):
        if not line.strip():
            continue
        place = Place(name, number)
        text = _decoded(line, name, number)
        try:
            record = json.loads(text)
        except RecursionError as error:
            raise _invalid("the line is not JSON: it is nested too deeply", place) from error
        except ValueError as error:
            raise _invalid(f"the line is not JSON: {getattr(error, 'msg', error)}", place) from error
        if not isinstance(record, Mapping):
            raise _invalid("the line is not a JSON object with named fields", place)
        value = _inside(record, _required(field, record, place), place)
        sent_id = None if id_field is None else _inside(record, id_field, place)
        answer = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
        yield Answer(answer, None if sent_id is None else str(sent_id))


def _required(field: str | None, names: Collection[str], place: Place) -> str:
    """Return the field of answers; raise an error if it is not given."""
    if field is None:
        every = listed(list(map(shortened, names)), 20) if names else "none"
        raise _invalid(f"name the field of answers with --field (available: {every})", place)
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
            raise _invalid(unknown("field", path, map(str, record)), place)
    return value


def _csv_answers(data: bytes, name: str, field: str | None, id_field: str | None, delimiter: str) -> list[Answer]:
    rows = csv.reader(io.StringIO(_decoded(data, name), newline=""), delimiter=delimiter, strict=True)
    limit = csv.field_size_limit(_LONGEST_FIELD)
    answers = []
    try:
        names = next(rows, [])
        first_line = Place(name, 1)
        places = {column: names.index(column) for column in names}
        fields = [_required(field, dict.fromkeys(names), first_line), *([] if id_field is None else [id_field])]
        columns = [_inside(places, column, first_line) for column in fields]
        for row in filter(None, rows):
            if max(columns) >= len(row):
                raise _invalid(f"the row has only {number_of(len(row), 'field')}", Place(name, rows.line_num))
            answers.append(Answer(*(row[column] for column in columns)))
    except csv.Error as error:
        raise _invalid("the file is not CSV: check its quotation marks", Place(name, rows.line_num)) from error
    finally:
        csv.field_size_limit(limit)
    return answers


_MOST_ANSWERS = 1_000_000  # the maximum number of answers in a text
_RULE = re.compile(rb"(?m)^[ \t]*(?P<line>([=*#~_+-])\2{4,})[ \t]*$\n?")
_LONG_RULE = re.compile(rb"(?m)^[ \t]*([=*#~_+-])\1{9,}[ \t]*$\n?")
_ROW = re.compile(rb"\(?[0-9]+[.):]?\s|[0-9]+-[0-9]+\t|\|")
_COMMENT = re.compile(rb"#\s*(?:[\w.\[\]]+\s*=|newdoc|newpar)")
_BLANK = re.compile(rb"\n[ \t]*(?:\n[ \t]*)+")
_ROW_LINE = re.compile(rb"(?m)^[ \t|]*\(?[0-9]+[.):]?[ \t|]")
_START = re.compile(rb"(?m)^[ \t|]*\(?1[.):]?[ \t|]")


def _split_text(data: bytes, name: str, separator: str | None, n_gold: int) -> list[tuple[int, int]]:
    """Return the positions of the answers in a text.

    Without a separator, lines of one repeated character (`=====`), or lines like the first or the last of the file, are
    markers if they separate as many answers as there are gold sentences; otherwise lines of ten or more `=`, `-`, `*`
    ... are markers; otherwise blank lines separate the answers. Digits in marker lines can differ.
    """
    if separator is not None:
        if not separator.strip():
            return _blocks(data, name)
        begin = re.escape(separator.strip().encode("utf-8", "surrogatepass"))
        marks = _matches(re.compile(rb"(?m)^[ \t]*" + begin + rb"[^\n]*$\n?"), data, name)
        if not marks:
            raise InputError(Fault("no-answers", f"no line starts with the separator {quoted(separator)}", Place(name)))
        return _between(data, marks, n_gold)
    for pattern in _markers(data):
        marks = _matches(pattern, data, name)
        spans = _between(data, marks, n_gold)
        if len(spans) == n_gold and len(marks) > (n_gold == 1):
            return spans
    long_rules = _matches(_LONG_RULE, data, name)
    if long_rules:
        return _between(data, long_rules, n_gold)
    blocks = _blocks(data, name)
    if n_gold == 1:
        # several blocks that start with the number 1, except for comments, are a file of sentences, as in CoNLL-U
        bare = (re.sub(rb"(?m)^#[^\n]*\n", b"", data[slice(*block)]) for block in blocks)
        if len(blocks) < 2 or not all(map(_START.match, bare)):
            return [(0, len(data))]
    with_rows = [block for block in blocks if _ROW_LINE.search(data, *block)]
    return blocks if len(blocks) == n_gold or not with_rows else with_rows


def _matches(pattern: re.Pattern[bytes], data: bytes, name: str) -> list[re.Match[bytes]]:
    """Find the separators of answers; a file with a million parts is not a file of answers."""
    matches = list(islice(pattern.finditer(data), _MOST_ANSWERS + 1))
    if len(matches) > _MOST_ANSWERS:
        raise InputError(Fault("no-answers", f"the file has more than {_MOST_ANSWERS:,} parts", Place(name)))
    return matches


def _markers(data: bytes) -> Iterator[re.Pattern[bytes]]:
    """Yield the patterns of possible marker lines, the most probable first."""
    for line, _ in Counter(mark["line"] for mark in _RULE.finditer(data)).most_common(5):
        yield re.compile(rb"(?m)^[ \t]*" + re.escape(line) + rb"[ \t]*$\n?")
    stripped = data.strip()
    for line in (stripped.partition(b"\n")[0].strip(), stripped.rpartition(b"\n")[2].strip()):
        if 0 < len(line) < 1000 and not _ROW.match(line) and not _COMMENT.match(line) and not line.startswith(b"```"):
            same = re.sub(rb"[0-9]+", rb"[0-9]+", re.escape(line))
            yield re.compile(rb"(?m)^[ \t]*" + same + rb"[ \t]*$\n?")


def _between(data: bytes, marks: list[re.Match[bytes]], n_gold: int) -> list[tuple[int, int]]:
    """Return the positions of answers: after each marker, before each, or between them; an answer can be empty."""
    spans = list(zip([0, *(mark.end() for mark in marks)], [*(mark.start() for mark in marks), len(data)]))
    blank_first, blank_last = (not data[slice(*span)].strip() for span in (spans[0], spans[-1]))
    if len(marks) == n_gold and (blank_first or blank_last):
        return spans[1:] if blank_first else spans[:-1]
    if len(marks) == n_gold - 1:
        return spans
    return spans[blank_first : len(spans) - blank_last]


def _blocks(data: bytes, name: str) -> list[tuple[int, int]]:
    blanks = _matches(_BLANK, data, name)
    spans = zip([0, *(blank.end() for blank in blanks)], [*(blank.start() for blank in blanks), len(data)])
    return [span for span in spans if data[slice(*span)].strip()]


def _answers(data: bytes, name: str, spans: list[tuple[int, int]]) -> list[Answer]:
    """Decode the answers separately, since text takes up to four times the memory of its bytes."""
    answers = []
    line = 1
    for number, (start, end) in enumerate(pairwise([0, *chain.from_iterable(spans), len(data)])):
        text = _decoded(data[start:end], name, line)
        line += text.count("\n")
        if number % 2:  # the text between the answers is dropped, but must be UTF-8 as well
            answers.append(Answer(text))
    return answers


LIMITS = Limits(size=1 << 29)
"""The maximum decompressed size of a file of answers: half a GiB, several hundred thousand answers."""

_ARRAY = re.compile(rb"\s*\[\s*\{")


class Layout(NamedTuple):
    """How to find a language model's answers in a file.

    Args:
        separator: the beginning of the lines that separate answers; None to detect it.
        field: the field of JSON lines or CSV that contains the answer; None for other files.
        id_field: the field of JSON lines or CSV that contains the sent_id; None without one.
    """

    separator: str | None = None
    field: str | None = None
    id_field: str | None = None


def read_answers(path: str | os.PathLike[str], layout: Layout, n_gold: int) -> list[Answer]:
    name = os.fsdecode(path)
    if os.path.isdir(name):  # noqa: PTH112 -- a path can have bytes that pathlib refuses
        answers, nothing = list(_in_folder(Path(name))), "the folder has no files"
    else:
        answers, nothing = _in_file(name, _contents(path), layout, n_gold), "the file has no answers"
    if not answers:
        raise InputError(Fault("no-answers", nothing, Place(name)))
    return answers


def _contents(path: str | os.PathLike[str]) -> bytes:
    return read_bytes(path, LIMITS).removeprefix(b"\xef\xbb\xbf")


def _in_file(name: str, data: bytes, layout: Layout, n_gold: int) -> list[Answer]:
    if not data.strip():
        raise InputError(Fault("no-answers", "the file is empty", Place(name)))
    data = data.replace(b"\r\n", b"\n")
    bare = next((name.removesuffix(suffix) for suffix in SUFFIXES if name.lower().endswith(suffix)), name).lower()
    if bare.endswith((".csv", ".tsv")):
        return _csv_answers(data, name, layout.field, layout.id_field, "\t" if bare.endswith(".tsv") else ",")
    is_json_lines = bare.endswith((".jsonl", ".ndjson"))
    if layout.field is not None:
        is_array = not is_json_lines and data.lstrip().startswith(b"[")
    else:  # unless answers are lists
        is_array = n_gold > 1 and bare.endswith(".json") and bool(_ARRAY.match(data)) and b"\n\n" not in data.strip()
    if is_array:
        raise _invalid("the file is a JSON array, not JSON lines: write one object per line", Place(name))
    if is_json_lines or (layout.field is not None and data.lstrip().startswith(b"{")):
        return list(_json_answers(data, name, layout.field, layout.id_field))
    if layout.field is not None:
        return _csv_answers(data, name, layout.field, layout.id_field, ",")
    if layout.id_field is not None:
        raise InputError(Fault("no-answers", "--id-field requires JSON lines or CSV: add --field", Place(name)))
    return _answers(data, name, _split_text(data, name, layout.separator, n_gold))


def _in_folder(folder: Path) -> Iterator[Answer]:
    """Read one answer from each file of a folder, in natural order of names; hidden files are ignored."""
    try:
        paths = [path for path in folder.iterdir() if not path.name.startswith(".") and path.is_file()]
    except OSError as error:
        raise UnreadableFile(Fault("unreadable-file", reason_of(error), Place(str(folder)))) from error
    total = 0
    for path in sorted(paths, key=_natural):
        data = _contents(path)
        total += len(data)
        if total > LIMITS.size:
            message = f"the files have more than {size_text(LIMITS.size)} together"
            raise UnreadableFile(Fault("file-too-large", message, Place(str(path.parent))))
        yield Answer(_decoded(data.replace(b"\r\n", b"\n"), str(path)))


def _natural(path: Path) -> tuple[list[tuple[bool, int, str]], str]:
    """A key that sorts `answer2` before `answer10`."""
    parts = re.findall(r"([0-9]+)|([^0-9]+)", path.name)
    return [(not digits, int(digits or 0) if len(digits) < 4000 else 0, text) for digits, text in parts], path.name
