"""Peak memory and time of `score` and `validate` on files of millions of words; results in docs/scale.md.

    python scripts/full/large_files.py GOLD SYSTEM [--million 1 20 100] [--graph docs/memory.svg]

The files are copies of one pair, in each of which all words, lemmas and sentence ids are new. They are read from pipes,
so that they need no disk. Every count must be that of one copy, times the number of copies.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from random import Random
from typing import NamedTuple

from levelhead import score
from levelhead.treebank.input_bytes import read_bytes

WORD = re.compile(rb"^(\d+(?:-\d+)?\t)([^\t\n]*\t[^\t\n]*)(\t.*)$", re.MULTILINE)
SENT_ID = re.compile(rb"^(# sent_id = .*)$", re.MULTILINE)
LETTERS = b"abcdefghijklmnopqrstuvwxyz"


class Text(NamedTuple):
    """A file whose forms and lemmas can be replaced: what is before, between and after them, and all of them."""

    rest: list[bytes]
    words: bytes

    def copy(self, number: int) -> bytes:
        """Return the file with new ids, and other letters in all words: the same ones in gold and in the output."""
        letters = bytes(Random(number).sample(LETTERS, 26))
        words = self.words.translate(bytes.maketrans(LETTERS + LETTERS.upper(), letters + letters.upper()))
        parts: list[bytes] = [b""] * (2 * len(self.rest) - 1)
        parts[::2], parts[1::2] = self.rest, words.split(b"\n")
        return b"".join(parts).replace(b"\x01", b"-%d" % number)


def text_of(path: Path) -> Text:
    """Read a file; it has a mark behind each sentence id."""
    marked = SENT_ID.sub(b"\\1\x01", read_bytes(path).replace(b"\r", b""))
    rest, words, end = [], [], 0
    for match in WORD.finditer(marked):
        rest.append(marked[end : match.start(2)])
        words.append(match[2])
        end = match.end(2)
    return Text([*rest, marked[end:]], b"\n".join(words))


def write(pipe: Path, text: Text, copies: int) -> None:
    """Write copies with new words to a pipe."""
    with pipe.open("wb") as file:
        for number in range(copies):
            file.write(text.copy(number))


def run(arguments: list[str], files: dict[Path, Text], copies: int) -> tuple[str, float, list[int]]:
    """Run the command on pipes; return its output, the seconds it took, and its memory in MB every half second."""
    for pipe in files:
        os.mkfifo(pipe)
    start, seen = time.perf_counter(), []
    process = subprocess.Popen([sys.executable, "-m", "levelhead", *arguments, *map(str, files)], stdout=-1)
    writers = [threading.Thread(target=write, args=(pipe, text, copies)) for pipe, text in files.items()]
    for writer in writers:
        writer.start()
    printed: list[bytes] = []
    reader = threading.Thread(target=lambda: printed.append(process.stdout.read()))
    reader.start()
    peak = 0
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        if found := re.search(r"VmRSS:\s+(\d+)", status):
            seen.append(int(found[1]) >> 10)
            peak = max(peak, int(re.search(r"VmHWM:\s+(\d+)", status)[1]) >> 10)
        time.sleep(0.5)
    reader.join()
    for pipe in files:
        pipe.unlink()
    if process.returncode:
        sys.exit(f"exit code {process.returncode}")
    return printed[0].decode(), time.perf_counter() - start, [*seen, peak]


def check(document: dict, expected: dict, copies: int) -> None:
    """Stop unless all counts are those of one copy, times their number."""
    rows = {row["measure"]: row for row in document["tables"]["scores"]}
    for name, one in expected.items():
        for part, column in (("correct",) * 2, ("gold",) * 2, ("system", "predicted"), ("aligned",) * 2):
            wanted, found = getattr(one, part), rows[name][column]
            if found != (wanted and wanted * copies):
                sys.exit(f"{name}: {part} is {found}, expected {wanted} x {copies}")


def draw(curves: dict[str, tuple[float, list[int]]], path: Path) -> None:
    """Draw memory against the share of the file that has been read."""
    most = max(max(memory) for _, memory in curves.values()) * 1.1
    lines = []
    for number, (label, (_, memory)) in enumerate(curves.items()):
        points = " ".join(
            f"{60 + 480 * i / max(len(memory) - 1, 1):.1f},{260 - 240 * one / most:.1f}" for i, one in enumerate(memory)
        )
        color = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")[number % 4]
        lines += [
            f'<polyline fill="none" stroke="{color}" stroke-width="2" points="{points}"/>',
            f'<text x="400" y="{180 + 18 * number}" fill="{color}">{label}</text>',
        ]
    for tick in range(0, int(most), 100):
        y = 260 - 240 * tick / most
        lines.append(f'<text x="52" y="{y + 4:.0f}" text-anchor="end">{tick}</text>')
    body = "\n".join(lines)
    path.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 560 300" font-family="sans-serif" font-size="13">\n'
        '<rect width="560" height="300" fill="white"/>\n<path d="M60 20V260H540" fill="none" stroke="black"/>\n'
        f'{body}\n<text x="300" y="285" text-anchor="middle">share of the file</text>\n'
        '<text x="64" y="14">memory, MB</text>\n</svg>\n'
    )


def main() -> None:
    """Measure all sizes and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("gold", type=Path)
    parser.add_argument("system", type=Path)
    parser.add_argument("--million", type=int, nargs="+", default=[1, 20])
    parser.add_argument("--graph", type=Path)
    given = parser.parse_args()
    expected = score(given.gold, given.system)
    texts = [text_of(given.gold), text_of(given.system)]
    curves = {}
    print(
        "| command | words | sentences | MB of text | peak memory, MB | s |\n| --- | ---: | ---: | ---: | ---: | ---: |"
    )
    with tempfile.TemporaryDirectory() as folder:
        pipes = [Path(folder) / name for name in ("gold", "system")]
        for million in given.million:
            copies = max(1, round(1_000_000 * million / expected.gold.words))
            size = sum(len(text.copy(0)) for text in texts) * copies >> 20
            sizes = f"{expected.gold.words * copies:,} | {expected.gold.sentences * copies:,}"
            printed, seconds, memory = run(["score", "--format", "json"], dict(zip(pipes, texts)), copies)
            check(json.loads(printed), expected, copies)
            curves[f"score, {million} million words"] = seconds, memory[:-1]
            print(f"| score | {sizes} | {size:,} | {memory[-1]} | {seconds:.0f} |", flush=True)
            printed, seconds, memory = run(["validate"], {pipes[0]: texts[0]}, copies)
            print(
                f"| validate | {sizes} | {len(texts[0].copy(0)) * copies >> 20:,} | {memory[-1]} | {seconds:.0f} |",
                flush=True,
            )
    if given.graph:
        draw(curves, given.graph)


if __name__ == "__main__":
    main()
