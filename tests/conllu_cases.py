"""Odd CoNLL-U files, which rules accept each, and the faults that are found line by line."""

from itertools import count

from levelhead.errors import Fault
from levelhead.treebank.faults import EMPTY, by_line, encoding_faults, walk
from levelhead.treebank.scanner import ReaderSettings


def row(identifier: str, form: str, head: str = "_", relation: str = "_", **columns: str) -> str:
    """Write one row; `lemma`, `upos`, `feats` and `deps` may be given."""
    lemma, upos, feats, deps = (columns.get(name, "_") for name in ("lemma", "upos", "feats", "deps"))
    return f"{identifier}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t{head}\t{relation}\t{deps}\t_"


def sentence(*rows: str) -> str:
    return "".join(f"{line}\n" for line in rows) + "\n"


A = row("1", "a", "0", "root")
LONG = [row(str(i), "a", str(i + 1), "dep") for i in range(1, 995)]
MULTIWORD = (row("1-2", "ab"), row("7", "a", "0", "root"), row("9", "b", "1", "dep"))
VERDICTS: dict[str, tuple[str, str]] = {
    "plain": (sentence(A), "17 18 ut ud"),
    "empty file": ("", "17 18 ut"),
    "comments alone": ("# a\n", "17 18 ut"),
    "comment and blank line": ("# a\n\n", ""),
    "comment before, comment after": ("# a\n" + sentence(A), "17 18 ut ud"),
    "comment after the last sentence": (sentence(A) + "# a\n", "17 18 ut"),
    "comment inside": (sentence(A, "# a"), ""),
    "no final blank line": (A + "\n", "ud"),
    "no final line end": (A, "ud"),
    "two blank lines": (sentence(A) + "\n", "ud"),
    "leading blank line": ("\n" + sentence(A), "ud"),
    "blank line of spaces": (A + "\n \t\n", "ud"),
    "byte order mark": ("\ufeff" + sentence(A), "ud"),
    "CR LF": (sentence(A).replace("\n", "\r\n"), "17 18 ut ud"),
    "CR for every line end": (sentence(A).replace("\n", "\r"), "17 18 ut ud"),
    "CR in a form": (sentence(A.replace("a", "a\rb")), ""),
    "NUL in a form": (sentence(A.replace("a", "a\0b")), "17 18 ut"),
    "line separator in a form": (sentence(A.replace("a", "a\u2028\u0085b")), "17 18 ut ud"),
    "nine columns": (sentence(A.removesuffix("\t_")), ""),
    "form of a space": (sentence(row("1", " ", "0", "root")), ""),
    "form of a no-break space": (sentence(row("1", "\u00a0", "0", "root")), "17"),
    "empty relation": (sentence(row("1", "a", "0", "")), "17 18 ut"),
    "unknown relation": (sentence(row("1", "a", "0", "foo")), "17 18 ut ud"),
    "id 01": (sentence(row("01", "a", "0", "root")), "17 18 ut"),
    "id in full-width digits": (sentence(row("１", "a", "0", "root")), "17 18 ut"),
    "head 0_0": (sentence(row("1", "a", "0_0", "root")), "17 18 ut"),
    "head -0": (sentence(row("1", "a", "-0", "root")), "17 18 ut"),
    "head outside": (sentence(A, row("2", "a", "3", "dep")), ""),
    "head below zero": (sentence(A, row("2", "a", "-1", "dep")), ""),
    "ids out of order": (sentence(A, row("3", "a", "1", "dep")), ""),
    "two roots": (sentence(A, row("2", "a", "0", "root")), ""),
    "cycle": (sentence(A, row("2", "a", "3", "dep"), row("3", "a", "2", "dep")), ""),
    "own head": (sentence(A, row("2", "a", "2", "dep")), ""),
    "walk of 994": (sentence(*LONG[:-1], row("994", "a", "0", "root")), "17 18 ut ud"),
    "walk of 995": (sentence(*LONG, row("995", "a", "0", "root")), "ud"),
    "ids not checked in a multiword token": (sentence(*MULTIWORD), "17 18 ut"),
    "negative head in a multiword token": (
        sentence(row("1-2", "ab"), A, row("2", "b", "-1", "dep")),
        "17",
    ),
    "negative head before the file": (sentence(row("1-2", "ab"), A, row("2", "b", "-2", "dep")), ""),
    "empty node in a multiword token": (
        sentence(row("1-2", "ab"), A, row("1.1", "_"), row("2", "b", "1", "dep")),
        "ut ud",
    ),
    "empty nodes": (sentence(row("0.1", "_"), A, row("1.1", "_"), row("1.2", "_")), "17 18 ut ud"),
    "empty nodes out of order": (sentence(A, row("1.2", "_"), row("0.1", "_")), "17 18 ut"),
    "only an empty node": (sentence(row("0.1", "_")), ""),
    "reversed range": (sentence(row("2-1", "x"), A), "17 18 ut"),
    "reversed range alone": (sentence(row("2-1", "x")), ""),
    "range too long": (sentence(row("1-2", "a"), A), ""),
    "range of one word": (sentence(row("1-1", "x"), A), "17 18 ut ud"),
    "range after its word": (sentence(A, row("1-1", "x"), row("2", "b", "1", "dep")), "17 18 ut"),
    "ranges that overlap": (sentence(row("1-2", "x"), A, row("2-2", "y", "1"), row("2", "b", "1", "dep")), ""),
    "empty node between range and word": (sentence(row("1-1", "x"), row("0.1", "_"), A), "ut"),
    "empty node before a range": (sentence(row("0.1", "_"), row("1-1", "x"), A), "17 18 ut ud"),
    "broken DEPS": (sentence(row("1", "a", "0", "root", deps="root")), "17 18 ud"),
    "DEPS outside": (sentence(row("1", "a", "0", "root", deps="2:a")), "17 18 ud"),
    "DEPS below zero": (sentence(A, row("2", "a", "1", "dep", deps="-1:a")), "17 18 ut ud"),
    "DEPS before the file": (sentence(A, row("2", "a", "1", "dep", deps="-2:a")), "17 18 ud"),
    "DEPS to any dot": (sentence(row("1", "a", "0", "root", deps="x.y:a")), "17 18 ut ud"),
}


def find_faults(data: bytes, reading: ReaderSettings) -> list[Fault]:
    """Return the faults of a repaired file, found without the scanner."""
    faults = encoding_faults(data) or by_line(walk(data, count(1), reading, line_of=int))
    return faults if faults or data.strip() else [EMPTY]
