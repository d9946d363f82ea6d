"""The text of tokens and the places of words in it."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from levelhead.kernels import layout


def ints(*numbers: int) -> np.ndarray:
    """An array as the kernel takes it."""
    return np.array(numbers, dtype=np.int32)


@given(st.lists(st.binary(max_size=20), min_size=1, max_size=6), st.data())
def test_layout(strings: list[bytes], data: st.DataObject) -> None:
    """Forms are joined in the order of the tokens; words lie where their token does."""
    code = st.sampled_from(range(len(strings)))
    one_token = st.tuples(code, st.just(None)) | st.tuples(code, st.integers(0, 3))
    tokens = data.draw(st.lists(one_token, max_size=20))
    forms: list[int] = []
    multiword = []
    for form, n_words in tokens:
        if n_words is not None:
            multiword.append((len(forms), n_words, form))
        forms += [form] if n_words is None else [data.draw(code) for _ in range(n_words)]
    lengths = np.array([len(text) for text in strings], dtype=np.int64)
    pool = b"".join(strings) + data.draw(st.binary(max_size=20))
    of_multiword = (ints(*column) for column in zip(*multiword)) if multiword else (ints(), ints(), ints())
    text, *rest = layout.lay_out(pool, np.cumsum(lengths) - lengths, lengths, ints(*forms), *of_multiword)
    token_starts, token_ends, starts, word_ends, inside = (part.tolist() for part in rest)
    ends = [len(b"".join(strings[form] for form, _ in tokens[: i + 1])) for i in range(len(tokens))]
    spans_of_tokens = [(end - len(strings[form]), end) for (form, _), end in zip(tokens, ends)]
    assert text.tobytes() == b"".join(strings[form] for form, _ in tokens)
    assert list(zip(token_starts, token_ends)) == spans_of_tokens
    assert list(zip(starts, word_ends, inside)) == [
        (*span, n_words is not None)
        for span, (_, n_words) in zip(spans_of_tokens, tokens)
        for _ in range(1 if n_words is None else n_words)
    ]


@pytest.mark.parametrize(
    ("first", "n_words"), [([0, 1], [2, 1]), ([1, 0], [1, 1]), ([2], [2]), ([-1], [1]), ([0], [-1]), ([0], [2, 1])]
)
def test_multiword_tokens_that_do_not_fit(first: list[int], n_words: list[int]) -> None:
    """They overlap, or reach beyond the words: nothing is written outside the arrays."""
    one = np.zeros(1, dtype=np.int64)
    with pytest.raises(ValueError, match="in order"):
        layout.lay_out(b"ab", one, one + 2, ints(0, 0, 0), ints(*first), ints(*n_words), ints(*[0] * len(first)))
