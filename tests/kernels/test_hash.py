"""The hash of strings: nobody who does not know its keys can prepare strings that share slots."""

import subprocess
import sys
from itertools import product

import numpy as np
import pytest

from levelhead.kernels import pools, scan

BLOCK = b"abcdefgh"
SLOTS = 14
"""The slots of a new table, as a power of two: the upper bits of a hash choose one."""


def hashes(strings: list[bytes]) -> np.ndarray:
    pool = b"".join(string + b"\n" for string in strings)
    return pools.hashes(pool, np.cumsum([0, *(len(string) + 1 for string in strings)]))


def flipped(block: bytes, *bits: int) -> bytes:
    return (int.from_bytes(block, "little") ^ sum(1 << bit for bit in bits)).to_bytes(8, "little")


PAIRS = {  # two strings each; choices among them gave one hash with every start value of an earlier hash, or could give it
    "multiply and shift": (BLOCK * 2, flipped(BLOCK, 63) + flipped(BLOCK, 63, 34)),
    "upper bits": (BLOCK * 2, flipped(BLOCK, 63) * 2),
    "exchanged": (BLOCK + b"ijklmnop", b"ijklmnop" + BLOCK),
    "complements": (BLOCK, bytes(255 - byte for byte in BLOCK)),
    "in UTF-8": ("абвг".encode(), "бавг".encode()),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("n_pairs", [1, 2, 3, 11])
@pytest.mark.parametrize("before", [b"", b"x" * 250, b"x" * 1000])
def test_prepared_strings_are_spread(pair: tuple[bytes, bytes], n_pairs: int, before: bytes) -> None:
    found = hashes([before + b"".join(choices) for choices in product(pair, repeat=n_pairs)])
    assert len(set(found.tolist())) == 2**n_pairs
    in_slot = np.bincount((found.view(np.uint64) >> np.uint64(64 - SLOTS)).astype(np.int64))
    assert in_slot.max() < 12  # by chance: less than once in 10^12 runs


@pytest.mark.parametrize(
    "strings",
    [
        [b"%d" % number for number in range(4000)],
        [number.to_bytes(8, "big") for number in range(4000)],
        [b"x" * 9 + b"\0" * length for length in range(600)],
        [b"x" * length for length in range(600)],
        [bytes(i == place for i in range(700)) for place in range(700)],
    ],
)
def test_different_strings_have_different_hashes(strings: list[bytes]) -> None:
    assert len(set(hashes(strings).tolist())) == len(strings)


def test_hashes_of_processes_differ_and_results_do_not() -> None:
    code = (
        "import sys, numpy as np; from levelhead.kernels import pools, scan\n"
        "pool, offsets, columns, *_ = scan.arrays_of(scan.begin(sys.stdin.buffer.read()))\n"
        "print(pools.hashes(pool, offsets)[:9].tolist()); print(pool, offsets.tolist(), np.array(columns).tolist())"
    )
    text = "".join(
        f"1\tword{i % 700}\tlemma{i * 7 % 900}\t_\t_\tCase={i % 7}|{i % 99 * 'x'}\t0\troot\t_\t_\n\n"
        for i in range(3000)
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], input=text.encode(), capture_output=True, check=True).stdout
        for _ in range(2)
    ]
    (one, result), (other, same) = (run.split(b"\n", 1) for run in runs)
    assert one != other
    assert result == same


@pytest.mark.parametrize("cell", [1, 2, 5, 7, 9])
@pytest.mark.parametrize("word_id", [b"1", b"1-1", b"0.1"])
def test_cells_that_are_not_text_stop_the_scanner(cell: int, word_id: bytes) -> None:
    """At their line: they are checked when they are first met, not after all lines were read."""
    cells = [word_id, b"a", b"_", b"_", b"_", b"_", b"0", b"root", b"_", b"_"]
    good = b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    cells[cell] = b"a\xc3"
    line = b"\t".join(cells) + b"\n"
    data = good * 3 + line + (b"" if word_id == b"1" else good[:-1]) + b"\n" + b"nonsense\n"
    assert scan.begin(data) == 7
    assert scan.begin(data.replace(b"\xc3", "é".encode())) != 7
