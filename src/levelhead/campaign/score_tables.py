"""Campaigns for which only a table of scores is known, such as published tables."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from levelhead._version import VERSION
from levelhead.campaign.plan import TestSet
from levelhead.campaign.records import CANNOT_OPEN
from levelhead.campaign.results import OutputResult, Results, State
from levelhead.errors import Fault, InputError, Place, quoted
from levelhead.measures.registry import lower_is_better
from levelhead.tables.spreadsheet_cells import unescaped
from levelhead.treebank.input_bytes import read_bytes
from levelhead.typology.languages import language_of

_SYSTEM = ("system", "team")
_TEST_SET = ("treebank", "test set", "test_set", "ltcode")
_MEASURE = ("measure", "metric")
_SCORE = ("score", "value", "f1")
_STATE, _REASON = "state", "reason"
_TEXT = ("status", _REASON, "software", "rank", _STATE, "answered sentences", "aligned words")
"""Columns with other information."""

_MOST_DIGITS = 300

_Cells = dict[tuple[str, str, str], Fraction | None]
_Zeros = Mapping[tuple[str, str], tuple[State, str]]
"""The outputs marked as missing or invalid in a table, by system and test set, with the reason."""


def read_scores(path: str | os.PathLike[str]) -> Results:
    """Read a table of scores: tab-separated, with a header, scores in percent.

    It has a column `system` (or `team`) and a column `treebank`, and then either columns `measure` (or `metric`) and
    `score` (or `F1`), with one line per score; or one column per measure. A system without a score on a test set of the
    table counts as a missing output with score 0. The columns `state` and `reason` mark missing and invalid outputs.
    The apostrophe that `--format tsv` writes before `=`, `+`, `-` and `@` is removed.

    Args:
        path: the file; "-" is standard input.

    Raises:
        InputError: the table is invalid; the error lists all faults.
    """
    name = os.fsdecode(path)
    data = read_bytes(path)
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(Fault("invalid-table", "it is not UTF-8", Place(name))) from error
    rows = [[unescaped(cell) for cell in line.split("\t")] for line in lines]
    reading = _TableReader(name, rows[0] if rows else [])
    cells = reading.cells(rows[1:])
    if reading.faults or not any(value is not None for value in cells.values()):
        raise InputError(*(reading.faults or [Fault("invalid-table", "it has no scores", Place(name))]))
    return _results(cells, reading.zeros, {"table": hashlib.sha256(data).hexdigest()[:12], "version": VERSION})


def _results(cells: _Cells, zeros: _Zeros, signature: Mapping[str, str]) -> Results:
    systems, codes, measures = (tuple(dict.fromkeys(key[i] for key in cells)) for i in range(3))
    nothing = {measure: None if lower_is_better(measure) else Fraction(0) for measure in measures}
    results = {}
    for system in systems:
        for code in codes:
            known = {measure: cells.get((system, code, measure)) for measure in measures}
            values = {measure: nothing[measure] if value is None else value for measure, value in known.items()}
            lacking = tuple(measure for measure, value in known.items() if value is None)
            if (system, code) in zeros:
                state, reason = zeros[system, code]
                results[system, code] = OutputResult(state, values, CANNOT_OPEN, (reason,) if reason else ())
            elif len(lacking) == len(measures):
                results[system, code] = OutputResult("missing", values, CANNOT_OPEN, ("no score in the table",))
            else:
                reasons = (f"the table has no {', '.join(lacking)}",) if lacking else ()
                results[system, code] = OutputResult("valid", values, "OK", reasons)
    test_sets = tuple(TestSet(code, language=language_of(code)) for code in codes)
    return Results(test_sets, systems, measures, results, {}, signature)


class _TableReader:
    """Reads a table, and collects its errors."""

    def __init__(self, name: str, head: Sequence[str]) -> None:
        self.name, self.head = name, [column.strip() for column in head]
        self.faults: list[Fault] = []
        self.zeros: dict[tuple[str, str], tuple[State, str]] = {}
        lower = [column.lower() for column in self.head]
        self.system, self.test_set, self.measure, self.score = (
            next((lower.index(word) for word in words if word in lower), None)
            for words in (_SYSTEM, _TEST_SET, _MEASURE, _SCORE)
        )
        taken = {self.system, self.test_set}
        self.wide = [i for i, column in enumerate(lower) if i not in taken and column not in _TEXT]

    def cells(self, rows: Sequence[Sequence[str]]) -> _Cells:
        """The scores by system, test set and measure."""
        cells: _Cells = {}
        if self.system is None or self.test_set is None or len(set(self.head)) < len(self.head):
            self._wrong("its header lacks the columns system and treebank, or has a column twice", 1)
            return cells
        for number, row in enumerate(rows, 2):
            if len(row) != len(self.head):
                if row != [""]:
                    self._wrong(f"{len(row)} columns, but the header has {len(self.head)}", number)
                continue
            self._note_state(row[self.system], row[self.test_set], row)
            for measure, text in self._scores(row):
                key = (row[self.system], row[self.test_set], measure)
                value = self._value(text, number, perplexity=lower_is_better(measure))
                if not all(key):
                    self._wrong("the system, the treebank or the measure has no name", number)
                elif key in cells:
                    self._wrong(f"a second score for {', '.join(map(quoted, key))}", number)
                else:
                    cells[key] = value
        return cells

    def _note_state(self, system: str, code: str, row: Sequence[str]) -> None:
        """Record that an output is missing or invalid."""
        cells = {column.lower(): cell for column, cell in zip(self.head, row)}
        state, reason = cells.get(_STATE), cells.get(_REASON, "")
        if state == "missing":
            self.zeros[system, code] = ("missing", reason)
        elif state == "invalid":
            self.zeros[system, code] = ("invalid", reason or "the output is invalid")

    def _scores(self, row: Sequence[str]) -> list[tuple[str, str]]:
        """The measures of a row with their scores."""
        if self.measure is not None and self.score is not None:
            return [(row[self.measure], row[self.score])]
        return [(self.head[i], row[i]) for i in self.wide]

    def _value(self, text: str, number: int, *, perplexity: bool) -> Fraction | None:
        """A score as a ratio, or a perplexity unchanged; None for an empty cell."""
        if not text.strip() or text.strip() == "-":
            return None
        try:
            value = Decimal(text.strip())
            in_range = value.is_finite() and value >= 0 and (perplexity or value <= 100) and _is_short(value)
        except InvalidOperation:
            in_range = False
        if not in_range:
            self._wrong(f"{quoted(text)} is not a score from 0 to 100", number)
            return None
        return Fraction(value) / (1 if perplexity else 100)

    def _wrong(self, message: str, line: int) -> None:
        self.faults.append(Fault("invalid-table", message, Place(self.name, line)))


def _is_short(value: Decimal) -> bool:
    """Whether a number can be converted to a fraction: 1e-999999999 would take hours."""
    return abs(value.adjusted()) < _MOST_DIGITS
