"""The search for gold trees in the files that a task serves, in any column, compression or archive."""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, NamedTuple

from levelhead.errors import Fault, InputError, LevelheadError, Place, quoted
from levelhead.task.archives import DAMAGED, UnsafeArchive
from levelhead.task.description import SharedTask, gold_of_task
from levelhead.treebank.input_bytes import Limits, decompressed, read_bytes

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


class _Column(NamedTuple):
    sizes: Counter[int]  # the number of words in each block of lines of the file, with or without a number here
    cells: list[Tree]
    blocks: list[int]  # the block of each cell


class GoldTrees:
    """The trees of gold treebanks, to compare files with; `treebanks` has the contents of each gold file, by code."""

    def __init__(self, treebanks: Mapping[str, bytes]) -> None:
        self._codes = {data: code for code, data in treebanks.items()}
        self._trees = [(code, counts) for code, data in treebanks.items() for counts in _trees(data)]
        self._prefixes: dict[int, Any] = {}
        for tree in dict.fromkeys(tree for _, counts in self._trees for tree in counts):
            node = self._prefixes
            for head in tree[: LEAST_WORDS - 1]:
                node = node.setdefault(head, {})
            node.setdefault(tree[LEAST_WORDS - 1], []).append(tree)

    def leak_in(self, data: bytes) -> str | None:
        """Return why a file is refused: a column with too many gold trees, in any order, or a copy of gold; or None."""
        leaks: list[tuple[int, int, str, str, str]] = []
        for where, column in _columns(data).items():
            if matches := list(self._matches(column.cells)):
                shared_trees = {tree for _, tree in matches}
                for code, counts in self._trees:
                    shared = sum(n for tree, n in counts.items() if tree in shared_trees)
                    leaks.append((shared, counts.total(), where, code, "gold treebank"))
                most_like, _ = max(self._trees, key=lambda pair: len(shared_trees & pair[1].keys()))
                shared, total = _sentences(column, matches)
                leaks += [(shared, total, where, most_like, "file")] if total >= _LEAST_SENTENCES else []
        for shared, total, where, code, whose in sorted(leaks, key=itemgetter(0), reverse=True):
            if shared > MOST_SHARED * total:
                return (
                    f"{where} contains the trees of gold treebank {code!r}: {shared} of the {total} sentences"
                    f" with {LEAST_WORDS} words or more in the {whose} ({100 * shared / total:.1f}%): replace the heads"
                    " by _, or remove the file"
                )
        return f"it is a copy of gold treebank {self._codes[data]!r}: remove the file" if data in self._codes else None

    def _matches(self, cells: list[Tree]) -> Iterator[tuple[int, Tree]]:
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
    """Return the number of gold trees between blank lines, which can also be inside them, and of all sentences."""
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
    for column in filter(None, map(_columns(data).get, ("column 7", "column 9"))):
        sentences = groupby(zip(column.blocks, column.cells), itemgetter(0))
        trees = (tuple(cell[0] for _, cell in cells) for _, cells in sentences)
        yield Counter(tree for tree in trees if len(tree) >= LEAST_WORDS)


def _add(columns: dict[str, _Column], name: str, sizes: Counter[int], block: int, rows: Iterable[Tree]) -> None:
    for place, numbers in enumerate(rows, 1):
        if numbers:
            column = columns.setdefault(name.format(place), _Column(sizes, [], []))
            column.cells.append(numbers[:_MOST_VALUES])
            column.blocks.append(block)


def _columns(data: bytes) -> dict[str, _Column]:
    """Return the numbers of every column of a file, of every named field, and of each line as a list."""
    columns: dict[str, _Column] = {}
    block = 0
    words, listed = Counter[int](), Counter[int]()  # the words of each block, and the numbers of each line

    numbers_in: Callable[[str], Tree] = cache(lambda text: tuple(map(int, _NUMBER.findall(text))))
    add = partial(_add, columns)
    for line_number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        is_row = "\t" in line
        if not line or line.isspace():
            block += 1
            continue
        if is_row and _NO_WORD.match(line):
            continue
        if is_row:
            words[block] += 1
            cells = list(map(numbers_in, line.split("\t")[:_MOST_COLUMNS]))
            add("column {}", words, block, cells)
            numbers = tuple(chain.from_iterable(cells))
        else:
            numbers = numbers_in(line)
        if len(numbers) >= LEAST_WORDS:  # the line may be a list of heads
            listed[line_number] = len(numbers)
            add("the list of numbers in each line", listed, line_number, ((number,) for number in numbers))
        if not is_row and not line.startswith("#"):
            words[block] += 1
            # columns are counted from both ends, since a word can contain a separator
            cells = [numbers_in(cell) for cell in _SEPARATOR.split(line) if cell]
            add("column {}", words, block, cells[:_MOST_COLUMNS])
            add("column {} from the right", words, block, cells[::-1][:_MOST_COLUMNS])
            for field, number in _FIELD.findall(line):
                add(f"field {field}", words, block, [(int(number),)])
    return columns


_DEEPEST = 5
_MOST_BYTES = 1 << 30


def unpacked_files(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield everything in a file, by its path in the archive: first its unpacked contents, then its own bytes."""
    left = _MOST_BYTES

    def contents(name: str, file: IO[bytes], depth: int) -> Iterator[tuple[str, bytes]]:
        nonlocal left
        if depth > _DEEPEST:
            raise UnsafeArchive(f"archives or compressed files are nested more than {_DEEPEST} deep")
        data = file.read(left + 1)
        left -= len(data)
        if left < 0:
            raise UnsafeArchive(f"more than {_MOST_BYTES >> 20} MB when unpacked")
        for part, opened in _files_inside(data, name, left):
            yield from contents("/".join(filter(None, (name, part))), opened, depth + 1)
        yield name, data  # also of archives, since text can precede or follow them

    try:
        with path.open("rb") as file:
            yield from contents("", file, 0)
    except LevelheadError:
        raise
    except DAMAGED as error:
        raise UnsafeArchive(str(error) or type(error).__name__) from error


def _files_inside(data: bytes, name: str, most: int) -> Iterator[tuple[str, IO[bytes]]]:
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                with archive.open(info) as file:
                    yield info.filename, file
        return
    try:
        tar = tarfile.open(fileobj=io.BytesIO(data), mode="r:")  # noqa: SIM115 -- closed below
    except tarfile.TarError:
        if (plain := decompressed(data, name, Limits(size=most))) is not data:
            yield "", io.BytesIO(plain)
        return
    with tar:
        for member in tar:
            if member.isreg() and (contents := tar.extractfile(member)) is not None:
                yield member.name, contents


def check_inputs(task: SharedTask) -> None:
    inputs = task.folder.inputs()
    faults = []
    if not inputs:
        raise InputError(Fault("invalid-task", "no inputs found", Place(str(task.folder.blind))))
    gold = GoldTrees({code: read_bytes(path) for code, path in gold_of_task(task).items()})
    for path in inputs:
        place = Place(str(path))
        try:
            for name, data in unpacked_files(path):
                if message := gold.leak_in(data):
                    faults.append(Fault("gold-in-input", f"in {quoted(name)}, {message}" if name else message, place))
                    break  # the bytes of an uncompressed archive contain the same trees again
        except LevelheadError as error:
            faults.append(Fault("unchecked-input", f"it cannot be checked for gold trees: {error.message}", place))
    if faults:
        raise InputError(*faults)
