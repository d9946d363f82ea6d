"""DEPS as the kernel reads them, against the pattern that describes them."""

import re

import numpy as np
from hypothesis import given, strategies as st

from levelhead.kernels import pools
from levelhead.treebank import Strings
from levelhead.treebank.enhanced_graph import BAD_DEPS

HEADS = st.sampled_from(["0", "1", "12", "999999999", "1.1", "0.3", "5.999999999"])
ODD_HEADS = st.sampled_from(["", "01", "-1", "1.0", "1.01", "1.", ".1", "1234567890", "1.1234567890", "+1", "1 ", "²"])
LABELS = st.text("ab:. é0", max_size=3)
EDGES = st.builds("{}:{}".format, HEADS, LABELS.filter(bool))
ODD_EDGES = st.builds("{}:{}".format, HEADS | ODD_HEADS, LABELS) | HEADS | st.just("")
VALUES = st.sampled_from(["_", ""]) | st.lists(EDGES, min_size=1, max_size=3).map("|".join)
ODD_VALUES = st.lists(EDGES | ODD_EDGES, min_size=1, max_size=3).map("|".join)


@given(st.lists(VALUES | VALUES | ODD_VALUES, unique=True, max_size=5))
def test_against_the_pattern(texts: list[str]) -> None:
    """What is malformed, and the edges of what is not."""
    strings = Strings.of(texts)
    found = pools.parse_edges(strings.pool, strings.offsets, np.arange(len(texts), dtype=np.int32))
    assert (found is None) == any(re.search(BAD_DEPS, text) for text in texts)
    if found is None:
        return
    edges = [edge.split(":", 1) for text in texts if text not in {"", "_"} for edge in text.split("|")]
    sizes, *columns, labels = found
    assert sizes.tolist() == [0 if text in {"", "_"} else text.count("|") + 1 for text in texts]
    assert labels == list(dict.fromkeys(label for _, label in edges))
    expected = [(*map(int, (*head.split("."), "0")[:2]), label) for head, label in edges]
    number, minor, label = (column.tolist() for column in columns)
    assert [(one, other, labels[third]) for one, other, third in zip(number, minor, label)] == expected
