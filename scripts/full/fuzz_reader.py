"""Fuzz target: any bytes are a treebank or an error with its places; what is a treebank is written back as it was."""

import sys
from itertools import count
from random import Random

import atheris
from fuzz_inputs import mutate_file

with atheris.instrument_imports(include=["levelhead"]):
    from levelhead.errors import ConlluError, Fault, UnreadableFile
    from levelhead.messages import MESSAGES
    from levelhead.treebank import Limits, Treebank, faults, from_conllu, to_conllu
    from levelhead.treebank.faults import repair
    from levelhead.treebank.input_bytes import decompressed
    from levelhead.treebank.official_reader import SCORERS, read_officially
    from levelhead.treebank.scanner import ReaderSettings
    from levelhead.treebank.tokens import COLUMNS

REPAIRS = {
    *("byte-order-mark", "line-ends", "extra-blank-line", "blank-line-with-spaces", "missing-final-blank-line"),
}
LIMITS = Limits(size=1 << 20, harmless=1 << 16)


def check(data: bytes) -> None:
    """Read as each scorer does, and as CoNLL-X, and check what can be checked of the result."""
    try:
        data = decompressed(data, "file", LIMITS)
    except UnreadableFile as error:
        check_faults(error.faults, 0)
        return
    n_lines = data.count(b"\n") + data.count(b"\r") + 1
    check_conllu(data, n_lines)
    try:
        from_conllu(data, format="conllx")
    except ConlluError as error:
        check_faults(error.faults, n_lines)
    for scorer in SCORERS.values():
        try:
            check_columns(read_officially(data, scorer, "file"))
        except ConlluError as error:
            check_faults(error.faults, n_lines)


def check_conllu(data: bytes, n_lines: int) -> None:
    """Read with our own care: both implementations of validity agree, and nothing is lost."""
    repaired = repair(data)
    walked = faults.walk(repaired.data, count(1), ReaderSettings(), line_of=repaired.line)
    found = (
        faults.encoding_faults(repaired.data) or faults.by_line(walked) or [faults.EMPTY][: not repaired.data.strip()]
    )
    try:
        treebank = from_conllu(data, name="file")
    except ConlluError as error:
        check_faults(error.faults, n_lines)
        assert found
        return
    assert not found, "a fault in a file that was read"
    check_faults(treebank.warnings, n_lines)
    check_columns(treebank)
    written = to_conllu(treebank)
    if not REPAIRS & {fault.slug for fault in treebank.warnings}:
        assert written == data, "not written back byte for byte"
    assert to_conllu(from_conllu(written)) == written
    assert b"".join(to_conllu(treebank[i : i + 1]) for i in range(len(treebank))) == written
    assert sum(len(sentence) for sentence in treebank) == treebank.n_words


def check_columns(treebank: Treebank) -> None:
    """All columns have one length, and heads are words of the treebank."""
    assert {len(getattr(treebank, name).codes) for name in COLUMNS} == {treebank.n_words}
    assert len(treebank.heads) == treebank.n_words
    assert all(-1 <= head < treebank.n_words for head in treebank.heads.tolist())


def check_faults(found: tuple[Fault, ...], n_lines: int) -> None:
    """Each is explained, has a line of the file, and is printed in one line without control characters."""
    for fault in found:
        assert fault.slug in MESSAGES
        assert str(fault).isprintable(), "a control character in a message"
        assert fault.place.line is None or 1 <= fault.place.line <= n_lines + 1


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Change bytes as the fuzzer thinks best, or lines and columns as people do."""
    draw = Random(seed)
    changed = mutate_file(data, draw) if draw.random() < 0.7 else atheris.Mutate(data, len(data))
    return changed[:max_size]


if __name__ == "__main__":
    atheris.Setup(sys.argv, check, custom_mutator=mutate)
    atheris.Fuzz()
