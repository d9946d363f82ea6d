"""What the kernel says of bytes, against Python's own answers."""

from itertools import product

from hypothesis import given, strategies as st

from levelhead.kernels import pools

LEADS = [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF]
LEADS += [0xE0, 0xE1, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF]
"""The bytes at which the rules of UTF-8 change."""


def is_text(data: bytes) -> bool:
    """Whether Python can decode bytes."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_short_sequences() -> None:
    """All of up to three such bytes, and all of four that begin as a character of four bytes does."""
    lengths = [product(LEADS, repeat=n) for n in range(4)]
    for sequence in (*lengths[1], *lengths[2], *lengths[3], *product(LEADS[-5:], LEADS, LEADS, LEADS)):
        assert pools.is_utf8(bytes(sequence)) == is_text(bytes(sequence)), sequence


@given(st.integers(0, 80), st.lists(st.sampled_from(LEADS), max_size=5).map(bytes), st.text(max_size=80))
def test_within_other_text(before: int, middle: bytes, after: str) -> None:
    """Whatever stands before and after."""
    data = b"a" * before + middle + after.encode("utf-8", "ignore")
    assert pools.is_utf8(data) == is_text(data)


@given(st.text("a\n", max_size=1000).map(str.encode))
def test_line_feeds(data: bytes) -> None:
    """As many as `bytes.count` finds."""
    assert pools.count_lines(data) == data.count(b"\n")
    assert pools.count_lines(data * 40) == data.count(b"\n") * 40


@given(st.text("ab \t\n", max_size=12).map(str.encode))
def test_odd_lines(data: bytes) -> None:
    """Lines that begin with white space, and blank lines that end no sentence."""
    odd = (b"\n ", b"\n\t", b"\n\n\n")
    assert pools.has_odd_lines(data) == (data.startswith((b" ", b"\t", b"\n")) or any(one in data for one in odd))
