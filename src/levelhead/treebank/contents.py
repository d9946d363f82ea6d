"""What is in a treebank, as one hash."""

from __future__ import annotations

import hashlib

from levelhead.treebank.treebank import Treebank
from levelhead.treebank.write import conllu_parts


def contents_hash(treebank: Treebank) -> str:
    """Return the SHA-256 of the decompressed file that a treebank was read from.

    A treebank that never was a file has the hash of its CoNLL-U text.

    Args:
        treebank: any treebank.
    """
    if treebank.source.sha256 is not None:
        return treebank.source.sha256
    digest = hashlib.sha256()
    for part in conllu_parts(treebank):
        digest.update(part)
    return digest.hexdigest()
