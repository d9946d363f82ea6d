"""Sentence ids and hashes of strings, against plain code."""

import re

import numpy as np
from hypothesis import given, strategies as st

from levelhead.kernels import pools
from levelhead.treebank.strings import Strings

PIECES = [
    b"#",
    b" ",
    b"\t",
    b"sent_id",
    b"=",
    b"\n",
    b"a",
    b"\x0b",
    b"\r",
    b"# sent_id = b \n",
    b"#sent_id=\n",
    b"\xc3",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join))
def test_ids_are_those_of_a_regular_expression(comments: bytes) -> None:
    """With the place of each."""
    expected = [*re.finditer(rb"(?m)^#[ \t]*sent_id[ \t]*=([^\n]*)", comments)]
    names, offsets, places = pools.sentence_ids(comments)
    assert [names[start : end - 1] for start, end in zip(offsets, offsets[1:])] == [m[1].strip() for m in expected]
    assert names == b"".join(m[1].strip() + b"\n" for m in expected)
    assert places.tolist() == [m.start() for m in expected]


@given(st.lists(st.text("abé", max_size=20), unique=True))
def test_hashes(texts: list[str]) -> None:
    """Equal strings have equal hashes, wherever they stand; others have other hashes."""
    one, other = Strings.of(texts), Strings.of(["x", *texts])
    hashes = pools.hashes(one.pool, one.offsets)
    assert hashes.dtype == np.int64
    assert len(set(hashes.tolist())) == len(texts)
    assert pools.hashes(other.pool, other.offsets)[1:].tolist() == hashes.tolist()
