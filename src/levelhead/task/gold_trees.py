"""The search for gold trees in the files that a task serves, in any column, compression or archive."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from levelhead.errors import Fault, InputError, Place, quoted
from levelhead.task.description import SharedTask, gold_of_task
from levelhead.task.unpacking import CannotUnpack, unpacked_files
from levelhead.treebank.input_bytes import read_bytes

LEAST_WORDS = 6
"""Shorter sentences have so few possible trees that parsers often find the gold tree."""

MOST_SHARED = 0.9
"""The maximum share of sentences with their gold tree in a served file."""

_LEAST_SENTENCES = 3  # a sample sentence in a README can have the tree of a gold sentence by chance
_MOST_COLUMNS = 64
_MOST_VALUES = 8  # the number of numbers in a cell that are tried as the head, as for enhanced graphs
_NUMBER = re.compile(r"(?<![\d.])\d{1,4}(?!\d|\.\d)")
_FIELD = re.compile(r"""\b([^\W\d]\w*+)["']?\s*[:=]\s*["']?(\d{1,4})(?!\w|\.\d)""")
_SEPARATOR = re.compile(r"[\s,;]+")
_NO_WORD = re.compile(r"\d+[-.]\d+\t")  # a multiword token or an empty node

Tree = tuple[int, ...]


class Leak(NamedTuple):
    """Gold trees in a file.

    Args:
        where: the column or field with them.
        code: the treebank whose trees they are.
        shared: the number of sentences with their gold tree.
        of: the total number of sentences.
        whose: whether sentences of the file or of the gold treebank are counted.
    """

    where: str
    code: str
    shared: int
    of: int
    whose: str

    def __str__(self) -> str:
        share = 100 * self.shared / self.of
        return (
            f"{self.where} contains the trees of gold treebank {self.code!r}: {self.shared} of {self.of} sentences of"
            f" {LEAST_WORDS} words or more of the {self.whose} ({share:.1f}%)"
        )


class _Column:
    """The numbers of one column, with the block of lines of each number.

    Args:
        sizes: the number of words in each block of the file, with or without a number in this column.
    """

    def __init__(self, sizes: Counter[int]) -> None:
        self.cells: list[Tree] = []
        self.blocks: list[int] = []
        self.sizes = sizes

    def add(self, numbers: Tree, block: int) -> None:
        """Add a cell and its block."""
        self.cells.append(numbers)
        self.blocks.append(block)


class GoldTrees:
    """The trees of gold treebanks, to compare files with.

    Args:
        treebanks: the contents of each gold file, by code.
    """

    def __init__(self, treebanks: Mapping[str, bytes]) -> None:
        self.codes = {data: code for code, data in treebanks.items()}
        self._trees = [(code, counts) for code, data in treebanks.items() for counts in _trees(data)]
        self._prefixes: dict[int, Any] = {}
        for tree in dict.fromkeys(tree for _, counts in self._trees for tree in counts):
            node = self._prefixes
            for head in tree[: LEAST_WORDS - 1]:
                node = node.setdefault(head, {})
            node.setdefault(tree[LEAST_WORDS - 1], []).append(tree)

    def leak_in(self, data: bytes) -> Leak | None:
        """Return the column of a file with more gold trees than allowed, or None.

        Sentences count anywhere in the file: only the sequence of numbers in a column is compared.
        """
        leaks = (self._leak(where, column) for where, column in _Reading(data).columns.items())
        return max(filter(None, leaks), key=lambda leak: leak.shared, default=None)

    def _leak(self, where: str, column: _Column) -> Leak | None:
        matches = list(self._matches(column.cells))
        if not matches:
            return None
        shared_trees = {tree for _, tree in matches}
        candidates = []
        for code, counts in self._trees:
            shared = sum(n for tree, n in counts.items() if tree in shared_trees)
            candidates.append(Leak(where, code, shared, counts.total(), "gold treebank"))
        most_like, _ = max(self._trees, key=lambda pair: len(shared_trees & pair[1].keys()))
        in_file = Leak(where, most_like, *_sentences(column, matches), "file")
        if in_file.of >= _LEAST_SENTENCES:
            candidates.append(in_file)
        leaks = [leak for leak in candidates if leak.shared > MOST_SHARED * leak.of]
        return max(leaks, key=lambda leak: leak.shared, default=None)

    def _matches(self, cells: list[Tree]) -> Iterator[tuple[int, Tree]]:
        """Yield every gold tree in a column, with its starting position."""
        for start in range(len(cells) - LEAST_WORDS + 1):
            nodes: list[Any] = [self._prefixes]
            for cell in cells[start : start + LEAST_WORDS]:
                nodes = [node[head] for node in nodes for head in cell if head in node]
                if not nodes:
                    break
            for tree in (tree for node in nodes for tree in node):
                rest = cells[start + LEAST_WORDS : start + len(tree)]
                if len(rest) == len(tree) - LEAST_WORDS and all(
                    head in cell for cell, head in zip(rest, tree[LEAST_WORDS:])
                ):
                    yield start, tree


def _sentences(column: _Column, matches: Iterable[tuple[int, Tree]]) -> tuple[int, int]:
    """Return the number of sentences of a column that are gold trees, and of all; blank lines separate them.

    A gold tree counts if it is between blank lines; blank lines inside it join its blocks into one sentence.
    """
    blocks = column.blocks
    sizes = column.sizes.copy()
    shared = 0
    for start, tree in matches:
        end = start + len(tree)
        begins = start == 0 or blocks[start - 1] != blocks[start]
        ends = end == len(blocks) or blocks[end - 1] != blocks[end]
        if begins and ends and blocks[start] in sizes:
            shared += 1
            for block in range(blocks[start], blocks[end - 1] + 1):
                sizes.pop(block, None)
    return shared, shared + sum(size >= LEAST_WORDS for size in sizes.values())


def _trees(data: bytes) -> Iterator[Counter[Tree]]:
    """Yield the trees of a gold file, by HEAD and by the first head in DEPS, which can differ slightly."""
    columns = _Reading(data).columns
    for name in ("column 7", "column 9"):
        if (column := columns.get(name)) is not None:
            sentences: dict[int, list[int]] = {}
            for cell, block in zip(column.cells, column.blocks):
                sentences.setdefault(block, []).append(cell[0])
            yield Counter(tuple(heads) for heads in sentences.values() if len(heads) >= LEAST_WORDS)


class _Numbers(dict[str, Tree]):
    """The numbers in texts, found once in each text."""

    def __missing__(self, text: str) -> Tree:
        self[text] = numbers = tuple(map(int, _NUMBER.findall(text)))
        return numbers


class _Reading:
    """The numbers of every column of a file, of every named field, and of each line as a list."""

    def __init__(self, data: bytes) -> None:
        self.columns: dict[str, _Column] = {}
        self._block = self._line = 0
        self._words: Counter[int] = Counter()  # by block
        self._listed: Counter[int] = Counter()  # by line
        self._numbers = _Numbers()
        for line in data.decode("utf-8", "replace").splitlines():
            self._add(line)

    def _add(self, line: str) -> None:
        self._line += 1
        if not line or line.isspace():
            self._block += 1
        elif "\t" in line:
            if not _NO_WORD.match(line):
                self._words[self._block] += 1
                self._list(self._cells("column {}", line.split("\t")))
        elif line.startswith("#"):
            self._list(self._numbers[line])
        else:
            self._words[self._block] += 1
            self._list(self._numbers[line])
            self._separated(line)

    def _cells(self, name: str, cells: list[str]) -> Tree:
        """Add cells to their columns, and return all their numbers."""
        numbers: Tree = ()
        for number, numbers_in_cell in enumerate(map(self._numbers.__getitem__, cells[:_MOST_COLUMNS]), 1):
            if numbers_in_cell:
                self._column(name.format(number), self._words).add(numbers_in_cell[:_MOST_VALUES], self._block)
                numbers += numbers_in_cell
        return numbers

    def _separated(self, line: str) -> None:
        """Add a line without tabs: columns are counted from both ends, since a word can contain a separator."""
        cells = [cell for cell in _SEPARATOR.split(line) if cell]
        self._cells("column {}", cells)
        self._cells("column {} from the right", cells[::-1])
        for field, number in _FIELD.findall(line):
            self._column(f"field {field}", self._words).add((int(number),), self._block)

    def _list(self, numbers: Tree) -> None:
        """Add a line that may be a list of heads."""
        if len(numbers) >= LEAST_WORDS:
            self._listed[self._line] = len(numbers)
            column = self._column("the list of numbers in each line", self._listed)
            for number in numbers:
                column.add((number,), self._line)

    def _column(self, name: str, sizes: Counter[int]) -> _Column:
        if name not in self.columns:
            self.columns[name] = _Column(sizes)
        return self.columns[name]


def check_inputs(task: SharedTask) -> None:
    """Refuse inputs with gold trees, in any column, compression or archive."""
    inputs = task.folder.inputs()
    if not inputs:
        raise InputError(Fault("invalid-task", "no inputs found", Place(str(task.folder.blind))))
    gold = GoldTrees({code: read_bytes(path) for code, path in gold_of_task(task).items()})
    faults = [fault for path in inputs for fault in _leaks(gold, path)]
    if faults:
        raise InputError(*faults)


def _leaks(gold: GoldTrees, path: Path) -> Iterator[Fault]:
    """Report the first place in a file with gold, or that the file cannot be checked."""
    place = Place(str(path))
    try:
        for name, data in unpacked_files(path):
            message = None
            if (leak := gold.leak_in(data)) is not None:
                message = f"{leak}: replace the heads by _, or remove the file"
            elif (code := gold.codes.get(data)) is not None:
                message = f"it is a copy of gold treebank {code!r}: remove the file"
            if message is not None:
                yield Fault("gold-in-input", f"in {quoted(name)}, {message}" if name else message, place)
                return  # the bytes of an uncompressed archive contain the same trees again
    except CannotUnpack as error:
        yield Fault("unchecked-input", f"it cannot be checked for gold trees: {error}", place)
