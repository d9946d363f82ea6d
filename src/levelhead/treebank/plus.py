"""CoNLL-U Plus: files whose first line names their columns, in any order, including extra columns.

The text is rearranged into the ten columns of CoNLL-U before it is read, so that other files are not slowed down.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import ConlluError, Fault, Place, quoted
from levelhead.immutable import immutable
from levelhead.treebank.strings import UNDERSCORE, Codes, Strings
from levelhead.treebank.tokens import FIELDS, STRING_FIELDS

if TYPE_CHECKING:
    from levelhead.treebank.treebank import Treebank

_Cell = TypeVar("_Cell", str, bytes)


@immutable
class ColumnLayout:
    """The columns of a CoNLL-U Plus file, in order, and the comment that names them, without line feed."""

    names: tuple[str, ...]
    header: str

    @cached_property
    def has_trees(self) -> bool:
        return {"HEAD", "DEPREL"} <= set(self.names)

    @cached_property
    def extra(self) -> tuple[str, ...]:
        """The names of the columns that CoNLL-U does not have, and HEAD if the file has no DEPREL."""
        return tuple(name for name in self.names if name not in self._standard)

    @cached_property
    def _standard(self) -> tuple[str, ...]:
        return tuple(name for name in FIELDS if name in self.names and (name != "HEAD" or self.has_trees))

    @cached_property
    def ten(self) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
        """Selects the ten cells of CoNLL-U from the cells of a line, which are followed by an underscore."""
        return itemgetter(*(self.names.index(name) if name in self._standard else -1 for name in FIELDS))

    def is_comment(self, line: _Cell, mark: _Cell, tab: _Cell) -> bool:
        """Return whether a line above a sentence is a comment; "#" can also be the first cell of a word."""
        return line.startswith(mark) and (self.names[:1] == ("ID",) or line.count(tab) != len(self.names) - 1)

    def ten_columns(self, data: bytes) -> tuple[bytes, list[tuple[bytes, ...]]]:
        """Rearrange text into ten columns; a line with a wrong number of columns becomes an invalid line."""
        lines = data.split(b"\n")
        rows = []
        inside = False
        extra = [self.names.index(name) for name in self.extra]
        for number, line in enumerate(lines):
            if not line:
                inside = False
            elif inside or not self.is_comment(line, b"#", b"\t"):
                inside = True
                cells = line.split(b"\t")
                if len(cells) == len(self.names):
                    ten = self.ten([*cells, b"_"])
                    rows.append((ten[0], *(cells[place] for place in extra)))
                    lines[number] = b"\t".join(ten)
                else:
                    lines[number] = b"?"  # a single cell, which is invalid
        return b"\n".join(lines), rows


def layout_of(data: bytes, name: str | None = None) -> ColumnLayout | None:
    """Return the columns that the first line of a file names; None for CoNLL-U."""
    line = data[: data.find(b"\n") + 1]
    if b"\r" in line or not re.match(rb"#[ \t]*global\.columns[ \t]*=", line):
        return None
    header = line.rstrip(b"\n").decode("utf-8", "replace")
    names = tuple(header.partition("=")[2].split())
    repeated = dict.fromkeys(name for name in names if names.count(name) > 1)
    misspelled = [name for name in names if name.upper() in FIELDS and name not in FIELDS]
    faults = [f"global.columns does not name the column {name}" for name in ("ID", "FORM") if name not in names]
    faults += [f"global.columns names the column {quoted(name)} more than once" for name in repeated]
    faults += [f"global.columns names the column {quoted(name)}: write {name.upper()}" for name in misspelled]
    if faults:
        raise ConlluError(*(Fault("invalid-header", message, Place(name, 1)) for message in faults))
    return None if names == FIELDS else ColumnLayout(names, header)


@immutable
class ExtraColumns:
    """The extra columns of a CoNLL-U Plus file: codes of the shape (rows, extra columns)."""

    layout: ColumnLayout
    strings: Strings
    words: Codes
    multiword: Codes
    empty: Codes

    def take(
        self, words: NDArray[np.intp] | slice, multiword: NDArray[np.intp] | slice, empty: NDArray[np.intp] | slice
    ) -> ExtraColumns:
        return replace(self, words=self.words[words], multiword=self.multiword[multiword], empty=self.empty[empty])

    def texts(self) -> tuple[list[list[str]], list[list[str]], list[list[str]]]:
        texts = self.strings.texts
        words, multiword, empty = (
            [[texts[code] for code in row] for row in rows.tolist()]
            for rows in (self.words, self.multiword, self.empty)
        )
        return words, multiword, empty


def extra_columns(layout: ColumnLayout, rows: Sequence[tuple[bytes, ...]]) -> ExtraColumns:
    code_of: dict[bytes, int] = {b"_": 0}
    kinds: tuple[list[list[int]], ...] = ([], [], [])  # words, multiword tokens, empty nodes
    for number, *cells in rows:
        kind = 1 if b"-" in number else 2 if b"." in number else 0
        kinds[kind].append([code_of.setdefault(cell, len(code_of)) for cell in cells])
    shaped = (np.array(codes, dtype=np.int32).reshape(len(codes), len(layout.extra)) for codes in kinds)
    return ExtraColumns(layout, Strings.of(text.decode() for text in code_of), *shaped)


def plus_parts(treebank: Treebank, read: ColumnLayout, parts: Iterable[tuple[Treebank, str]]) -> Iterator[bytes]:
    """Yield a treebank as CoNLL-U Plus, with its first line."""
    columns = dict(zip(STRING_FIELDS, treebank.columns, strict=True))
    others = np.concatenate([treebank.multiword.cells, treebank.empty.cells])
    has_values = {
        name: column.has_values or bool((others[:, FIELDS.index(name) - 1] != UNDERSCORE).any())
        for name, column in columns.items()
    }
    has_values["HEAD"] = treebank.has_trees
    added = [name for name in FIELDS if name not in read.names and has_values.get(name, True)]
    names = (*read.names, *added)
    header = f"# global.columns = {' '.join(names)}" if added else read.header
    place_of = {name: place for place, name in enumerate((*FIELDS, *read.extra))}
    if treebank.has_trees:
        place_of["HEAD"] = FIELDS.index("HEAD")  # trees replace a HEAD without DEPREL in the file
    places = [place_of[name] for name in names]
    yield f"{header}\n".encode()
    for part, text in parts:
        words, multiword, empty = map(iter, ((), (), ()) if part.extra is None else part.extra.texts())
        lines = text.split("\n")
        for number, line in enumerate(lines):
            if line and not line.startswith("#"):
                cells = line.split("\t")
                cells += next(multiword if "-" in cells[0] else empty if "." in cells[0] else words)
                lines[number] = "\t".join([cells[place] for place in places])
        yield "\n".join(lines).encode()
