"""Make a large file of real text in which words and sentence ids never stop being new.

    python benchmarks/new_words.py FILE COPIES > LARGE

Copies of one file would flatter a program that keeps each distinct string once. So every copy has its own order of the
letters A to Z, which is applied to FORM, LEMMA and the comments, and its own sent_ids. The same letters are replaced in
gold and in systems' outputs, so that the copies of a pair have the scores of the pair.
"""

import random
import re
import string
import sys
from collections.abc import Iterator
from pathlib import Path

_SENT_ID = re.compile(rb"^(# *sent_id *=.*)$", re.MULTILINE)


def letters_of_copy(copy: int) -> bytes:
    """Return a table for `bytes.translate`: the letters of a copy, lower and upper case alike."""
    order = list(string.ascii_lowercase)
    if copy:
        random.Random(copy).shuffle(order)
    lower = "".join(order)
    every = string.ascii_lowercase + string.ascii_uppercase
    return bytes.maketrans(every.encode(), (lower + lower.upper()).encode())


def with_new_words(data: bytes, copy: int) -> bytes:
    """Return a copy of a CoNLL-U file with other words and sentence ids; the first copy (0) is the file itself.

    Args:
        data: the contents of the file.
        copy: which copy.
    """
    letters = letters_of_copy(copy)
    lines = []
    for line in data.split(b"\n"):
        cells = line.split(b"\t")
        if len(cells) == 10:
            cells[1:3] = (cell.translate(letters) for cell in cells[1:3])
            lines.append(b"\t".join(cells))
        else:
            key, equals, value = line.partition(b"=")
            lines.append(key + equals + value.translate(letters))
    return _SENT_ID.sub(rb"\1-%d" % copy, b"\n".join(lines))


def copies(path: Path, n: int) -> Iterator[bytes]:
    """Give the copies of a file."""
    data = path.read_bytes()
    return (with_new_words(data, copy) for copy in range(n))


if __name__ == "__main__":
    for part in copies(Path(sys.argv[1]), int(sys.argv[2])):
        sys.stdout.buffer.write(part)
