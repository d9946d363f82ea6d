"""The search for characters in a pool finds what a search string by string finds."""

from hypothesis import given, strategies as st

from levelhead.treebank.strings import SPACES, Strings

RANGES = (*SPACES, (0x1, 0x8), (0x7F, 0x9F), (0x200B, 0x200C), (0xFEFF, 0xFEFF))
ODD = [chr(point) for first, last in RANGES for point in range(first, last + 1)]

texts = st.text(
    st.characters(exclude_characters="\n", exclude_categories=["Cs"]) | st.sampled_from(["a", *ODD]), max_size=90
)


@given(st.lists(texts, max_size=9, unique=True))
def test_codes_with_are_those_of_the_strings_that_have_one_of_the_characters(some: list[str]) -> None:
    """Of any length, next to any other characters, at the start, at the end and alone."""
    strings = Strings.of(some)
    expected = [code for code, text in enumerate(some) if set(text) & set(ODD)]
    assert strings.codes_with(*RANGES).tolist() == expected
    spaces = [chr(point) for first, last in SPACES for point in range(first, last + 1)]
    assert strings.with_spaces.tolist() == [code for code, text in enumerate(some) if set(text) & set(spaces)]


@given(st.lists(texts, max_size=9, unique=True))
def test_one_string_is_decoded_like_all(some: list[str]) -> None:
    """Before and after all were decoded, counted from the start and from the end."""
    for position in range(-len(some), len(some)):
        assert Strings.of(some)[position] == some[position]
    strings = Strings.of(some)
    assert [strings[code] for code in range(len(some))] == strings.texts == some
