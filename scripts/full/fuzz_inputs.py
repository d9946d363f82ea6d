"""What the fuzz targets start from, and how they change it: by lines and columns as well as by bytes."""

import bz2
import gzip
import lzma
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

HERE = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(HERE / "tests"))

from oracle.damage import damaged_bytes  # noqa: E402
from oracle.drawing import some_system, some_treebank  # noqa: E402

SEPARATOR = b"\n\0\n"
"""Stands between gold and system in one input."""

_LONGEST = 4096
_SENTENCES = 2


def pair_of(data: bytes) -> tuple[bytes, bytes]:
    """Take an input apart; without a separator the file stands for both sides."""
    gold, found, system = data.partition(SEPARATOR)
    return gold, system if found else gold


def mutate_file(data: bytes, draw: Random) -> bytes:
    """Damage a file in the ways that files are damaged (lines, ids, heads, DEPS, line ends).

    As often, begin anew with a valid file and damage it once or not at all: inputs that are kept collect damage, until
    nothing makes them valid again.
    """
    if draw.random() < 0.5:
        return damaged_bytes(draw, _drawn_file(draw), draw.choice((0, 1, 1, 1, 2)))
    return _damaged(data, draw)


def mutate_pair(data: bytes, draw: Random) -> bytes:
    """Damage one side or both, or draw two new files of one text and damage one of them once or not at all."""
    gold, system = pair_of(data)
    kind = draw.randrange(10)
    if kind < 5:
        text = _drawn_file(draw)
        gold, system = text.encode(), some_system(draw, text).encode()
    if kind in {1, 5}:
        gold = system = _damaged(gold, draw)
    elif kind in {2, 3, 6}:
        system = _damaged(system, draw)
    elif kind in {4, 7}:
        gold = _damaged(gold, draw)
    elif kind == 8:
        gold, system = system, gold
    elif kind == 9:
        system = _damaged(gold, draw)
    return gold + SEPARATOR + system


def _damaged(data: bytes, draw: Random) -> bytes:
    return damaged_bytes(draw, data.decode("utf-8", "replace"), draw.choice((1, 1, 2)))


def _drawn_file(draw: Random) -> str:
    return some_treebank(draw, [draw.randint(1, 8) for _ in range(draw.randint(1, 3))])


def _files() -> Iterator[bytes]:
    """The first sentences of each example, and, where there are real bad files, the small ones among them."""
    for path in sorted((HERE / "examples").rglob("*.conllu")):
        yield b"".join(block + b"\n\n" for block in path.read_bytes().split(b"\n\n")[:_SENTENCES])
    folder = os.environ.get("LEVELHEAD_DATA")
    for path in sorted(Path(folder, "bad-conllu").rglob("*")) if folder else ():
        if path.is_file() and path.suffix != ".py" and path.stat().st_size <= _LONGEST:
            yield path.read_bytes()


def _drawn() -> Iterator[tuple[bytes, bytes]]:
    for seed in range(50):
        draw = Random(seed)
        gold = _drawn_file(draw)
        yield gold.encode(), some_system(draw, gold).encode()


def write_seeds(folder: Path) -> None:
    """Write a corpus for each target.

    Args:
        folder: where; it gets a folder `fuzz_reader` and a folder `fuzz_score`.
    """
    files = [*_files(), *(file for pair in _drawn() for file in pair)]
    compressed = [compress(files[0]) for compress in (gzip.compress, bz2.compress, lzma.compress)]
    pairs = [gold + SEPARATOR + system for gold, system in _drawn()] + [file for file in files if SEPARATOR not in file]
    for target, seeds in (("fuzz_reader", [*files, *compressed]), ("fuzz_score", pairs)):
        (folder / target).mkdir(parents=True)
        for number, seed in enumerate(seeds):
            (folder / target / f"seed-{number:03}").write_bytes(seed)
        print(f"{target}: {len(seeds)} seeds")


if __name__ == "__main__":
    write_seeds(Path(sys.argv[1]))
