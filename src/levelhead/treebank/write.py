"""Treebank to CoNLL-U, byte for byte what was read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from levelhead.errors import OutputError, Place

if TYPE_CHECKING:
    from levelhead.treebank.treebank import Treebank

_SENTENCES_AT_ONCE = 5000


def to_conllu(treebank: Treebank) -> bytes:
    """Return the treebank as CoNLL-U."""
    return b"".join(conllu_parts(treebank))


def conllu_parts(treebank: Treebank) -> Iterator[bytes]:
    """Give the treebank as CoNLL-U, some thousand sentences at a time."""
    for start in range(0, len(treebank), _SENTENCES_AT_ONCE):
        part = treebank if len(treebank) <= _SENTENCES_AT_ONCE else treebank[start : start + _SENTENCES_AT_ONCE]
        yield _to_text(part).encode()


def write(treebank: Treebank, path: str | os.PathLike[str]) -> None:
    """Write a treebank as CoNLL-U; the file is there whole or not at all.

    Args:
        treebank: what to write.
        path: the file, which is replaced if it exists.

    Raises:
        OutputError: the file cannot be written.
    """
    replace_file(path, conllu_parts(treebank))


def replace_file(path: str | os.PathLike[str], parts: Iterator[bytes] | list[bytes]) -> None:
    """Write bytes beside a file, then put them in its place in one step.

    Raises:
        OutputError: the file cannot be written.
    """
    import tempfile
    from pathlib import Path

    target = Path(path)
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            try:
                file.writelines(parts)
                file.close()
                Path(file.name).chmod(0o666 & ~_umask())
                Path(file.name).replace(target)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise OutputError(error.strerror or str(error), "output", Place(os.fspath(path))) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _to_text(treebank: Treebank) -> str:
    blocks = []
    lines = _word_lines(treebank)
    before = _lines_before_words(treebank)
    starts = treebank.sentence_starts.tolist()
    for i, (start, end) in enumerate(pairwise(starts)):
        body = chain.from_iterable((*before.get((i, word), ()), lines[word]) for word in range(start, end))
        tail = before.get((i, end), ())
        blocks.append(f"{treebank.comments[i]}{''.join(chain(body, tail))}\n")
    return "".join(blocks)


def _word_lines(treebank: Treebank) -> list[str]:
    texts = treebank.strings.texts
    columns = [map(texts.__getitem__, column.codes.tolist()) for column in _string_columns(treebank)]
    local = treebank.local_heads().tolist()
    ids = chain.from_iterable(range(1, size + 1) for size in _sizes(treebank))
    form, lemma, upos, xpos, feats, relation, deps, misc = columns
    return [
        f"{i}\t{a}\t{b}\t{c}\t{d}\t{e}\t{head}\t{f}\t{g}\t{h}\n"
        for i, a, b, c, d, e, head, f, g, h in zip(
            ids, form, lemma, upos, xpos, feats, local, relation, deps, misc, strict=True
        )
    ]


def _string_columns(treebank: Treebank) -> list:  # type: ignore[type-arg]
    from levelhead.treebank.treebank import COLUMNS

    return [getattr(treebank, name) for name in COLUMNS]


def _sizes(treebank: Treebank) -> list[int]:
    starts = treebank.sentence_starts.tolist()
    return [end - start for start, end in pairwise(starts)]


def _lines_before_words(treebank: Treebank) -> dict[tuple[int, int], list[str]]:
    """The lines of empty nodes and multiword tokens, by the sentence and the word before which they stand."""
    texts = treebank.strings.texts
    starts = treebank.sentence_starts
    before: dict[tuple[int, int], list[str]] = {}
    empty = treebank.empty
    for position, sentence, minor, cells in zip(empty.position, empty.sentence, empty.minor, empty.cells):
        line = "\t".join([f"{position - starts[sentence]}.{minor}", *(texts[code] for code in cells)])
        before.setdefault((int(sentence), int(position)), []).append(line + "\n")
    multiword = treebank.multiword
    for first, n_words, sentence, cells in zip(multiword.first, multiword.n_words, multiword.sentence, multiword.cells):
        local = first - starts[sentence] + 1
        line = "\t".join([f"{local}-{local + n_words - 1}", *(texts[code] for code in cells)])
        before.setdefault((int(sentence), int(first)), []).append(line + "\n")
    return before
