"""The sizes of a treebank, its warnings, and a hash of its contents."""

from __future__ import annotations

import hashlib

from levelhead.errors import Fault
from levelhead.immutable import immutable
from levelhead.treebank.sentence import conllu_parts
from levelhead.treebank.treebank import Treebank


@immutable
class FileSummary:
    """The sizes of a treebank and the warnings about its file.

    Args:
        sha256: the hash of the file after decompression; None if the treebank was not read from a file.
        sentences: the number of sentences.
        words: the number of syntactic words.
        tokens: the number of surface tokens.
        warnings: the warnings about the file.
        path: the path of the file, or None.
    """

    sha256: str | None
    sentences: int
    words: int
    tokens: int = 0
    warnings: tuple[Fault, ...] = ()
    path: str | None = None


def summary_of(treebank: Treebank) -> FileSummary:
    """Return the sizes of a treebank and the warnings about its file."""
    source = treebank.source
    sizes = len(treebank), treebank.n_words, treebank.n_tokens
    return FileSummary(source.sha256, *sizes, tuple(treebank.warnings), source.path)


def contents_hash(treebank: Treebank) -> str:
    """Return the SHA-256 of the decompressed file that a treebank was read from.

    For a treebank that was not read from a file, return the hash of its CoNLL-U text.
    """
    if treebank.source.sha256 is not None:
        return treebank.source.sha256
    digest = hashlib.sha256()
    for part in conllu_parts(treebank):
        digest.update(part)
    return digest.hexdigest()
