"""Reading words whose trees are missing or broken: what a parser is given."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from levelhead.errors import ConlluError
from levelhead.treebank import from_conllu
from levelhead.treebank.input_bytes import read_bytes

if TYPE_CHECKING:
    from levelhead.treebank import Treebank

_OF_TREES = {"invalid-head", "head-outside-sentence", "no-root", "several-roots", "cycle", "empty-relation"}
_WORD = re.compile(rb"^([0-9]+)((?:\t[^\t\n]*){5})\t[^\t\n]*\t[^\t\n]*\t[^\t\n]*\t", re.MULTILINE)


def read_words(path: str | os.PathLike[str]) -> Treebank:
    """Read a CoNLL-U file to be parsed: heads and relations may be anything, `_` for example.

    Args:
        path: the file, compressed or not; "-" is standard input.

    Raises:
        InputError: it cannot be read, or something other than its trees is not valid.
    """
    data, name = read_bytes(path), os.fsdecode(path)
    try:
        return from_conllu(data, name=name)
    except ConlluError as error:
        if not any(fault.slug in _OF_TREES for fault in error.faults):
            raise
    return from_conllu(_WORD.sub(_with_a_tree, data), name=name)


def _with_a_tree(line: re.Match[bytes]) -> bytes:
    """The line of a word with a place in some tree: the first word is the root of all others."""
    first = line[1] == b"1"
    return line[1] + line[2] + (b"\t0\troot\t_\t" if first else b"\t1\tdep\t_\t")
