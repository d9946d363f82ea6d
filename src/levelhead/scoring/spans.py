"""Spans: the characters of the text that each token, word and sentence covers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from levelhead.errors import Fault, Place, TextMismatch, printable, quoted
from levelhead.immutable import immutable
from levelhead.kernels import layout, pools
from levelhead.treebank import Treebank
from levelhead.treebank.strings import ANY_SPACE, PLAIN_SPACE
from levelhead.treebank.tokens import FORM, place_of, places_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Offsets: TypeAlias = "NDArray[np.int64]"
Bytes: TypeAlias = "NDArray[np.uint8]"

_SHOWN = 20
# The maximum number of bytes that a message about different texts shows on each side of the difference.
MOST_SHOWN = 4 * _SHOWN


@immutable
class Spans:
    """Positions in the text (all surface tokens without spaces), in bytes of UTF-8: equal if characters are."""

    text: Bytes  # the text, uint8
    token_starts: Offsets  # where each token starts, int64, shape (tokens,)
    token_ends: Offsets  # where each token ends, int64, shape (tokens,)
    starts: Offsets  # where each word's token starts, int64, shape (words,)
    ends: Offsets  # where each word's token ends, int64, shape (words,)
    inside: NDArray[np.uint8]  # whether a word is part of a multiword token, uint8, shape (words,)
    sentence_starts: Offsets  # where each sentence starts, then the size of the text; int64, shape (sentences + 1,)
    spaces: Mapping[int, None]  # the characters that count as spaces, a table for `str.translate`

    def sentence_texts(self) -> list[bytes]:
        text = self.text.tobytes()
        return [text[start:end] for start, end in pairwise(self.sentence_starts.tolist())]


def spans_of(treebank: Treebank, *, unicode_spaces: bool) -> Spans:
    multiword, strings = treebank.multiword, treebank.strings
    spaces = ANY_SPACE if unicode_spaces else PLAIN_SPACE
    pool = strings.pool
    begins = strings.offsets[:-1]
    lengths = np.diff(strings.offsets) - 1
    spaced = strings.with_spaces
    if len(spaced):  # of token forms only
        forms = np.concatenate([treebank.forms.codes, multiword.cells[:, FORM]])
        spaced = np.intersect1d(pools.distinct(forms, len(strings)), spaced, assume_unique=True)
    if len(spaced):  # their forms without spaces are appended to the pool
        bare = [strings[code].translate(spaces).encode() for code in spaced.tolist()]
        begins = begins.copy()
        lengths[spaced] = list(map(len, bare))
        begins[spaced] = len(pool) + np.cumsum(lengths[spaced]) - lengths[spaced]
        pool += b"".join(bare)
    of_tokens = (multiword.first, multiword.n_words, multiword.cells[:, FORM])
    text, token_starts, token_ends, starts, ends, inside = layout.lay_out(
        pool, begins, lengths, treebank.forms.codes, *map(np.ascontiguousarray, of_tokens)
    )
    first_tokens = treebank.sentence_starts[:-1]
    if len(multiword.first):  # the first token of a sentence has no word if an official scorer reads `2-1`
        earlier = np.searchsorted(multiword.sentence, np.arange(len(treebank), dtype=np.int32))
        first_tokens = first_tokens - np.concatenate([[0], np.cumsum(multiword.n_words - 1)])[earlier]
    sentence_starts = np.append(token_starts[first_tokens], len(text))
    return Spans(text, token_starts, token_ends, starts, ends, inside, sentence_starts, spaces)


def first_spans(spans: Spans, treebank: Treebank, size: int) -> Spans:
    """Return the spans of the first sentences of a treebank, sharing memory."""
    words, tokens = slice(treebank.n_words), slice(treebank.n_tokens)
    return Spans(
        spans.text[:size],
        spans.token_starts[tokens],
        spans.token_ends[tokens],
        spans.starts[words],
        spans.ends[words],
        spans.inside[words],
        spans.sentence_starts[: len(treebank) + 1],
        spans.spaces,
    )


def first_difference(one: Bytes, other: Bytes) -> int:
    """Return the byte of the first difference; the length of the shorter text if it is a prefix of the other."""
    common = min(len(one), len(other))
    differing = np.flatnonzero(one[:common] != other[:common])
    return int(differing[0]) if len(differing) else common


@immutable
class Surroundings:
    """The context of a difference in the text of a treebank."""

    path: str | None  # its file
    before: bytes  # the bytes of the text before the character
    after: bytes  # the bytes of the character and of the following text
    form: str | None  # the token with the character, or the last token; None without tokens
    place: Place  # the place of the token

    @property
    def text_after(self) -> str:
        """The first of the characters from here on."""
        return self.after.decode("utf-8", "ignore")[:_SHOWN]


def surroundings(treebank: Treebank, spans: Spans, at: int) -> Surroundings:
    path = treebank.source.path
    if not len(spans.token_starts):
        return Surroundings(path, b"", b"", None, Place(path))
    token = max(0, int(np.searchsorted(spans.token_starts, at, side="right")) - 1)
    while at and at < len(spans.text) and spans.text[at] & 0xC0 == 0x80:
        at -= 1  # to the start of the character
    before = spans.text[max(0, at - MOST_SHOWN) : at].tobytes()
    after = spans.text[at : at + MOST_SHOWN].tobytes()
    tokens = treebank.tokens
    if tokens.multiword[token]:
        row = np.array([np.count_nonzero(tokens.multiword[:token])])
        place = next(places_of(treebank, row, "ranges"))
    else:
        place = place_of(treebank, int(tokens.first[token]))
    return Surroundings(path, before, after, treebank.strings[int(tokens.forms[token])], place)


def text_mismatch(gold: Surroundings, system: Surroundings, offset: int) -> TextMismatch:
    if not offset and gold.after and system.after:  # the first characters differ
        name = printable(gold.path or "this")
        message = (
            f"the texts differ from the first character: is {name} the right gold file?"
            f" Gold begins with {quoted(gold.text_after)}, this file with {quoted(system.text_after)}"
            " (character 1 of the text)"
        )
        return TextMismatch(Fault("text-mismatch", message, system.place))
    return TextMismatch(_side("gold", gold, offset), _side("system", system, offset))


def _side(name: str, side: Surroundings, offset: int) -> Fault:
    """Describe one side of a difference: the token, and the text around it."""
    if side.form is None:
        return Fault("text-mismatch", f"{name} has no words", side.place)
    before = side.before.decode("utf-8", "ignore")[-_SHOWN:]
    continues = f"continues {quoted(side.text_after)}" if side.after else "ends"
    where = f"character {offset + 1} of the text, token {quoted(side.form)}"
    return Fault("text-mismatch", f"{name} {continues} after {quoted(before)} ({where})", side.place)
