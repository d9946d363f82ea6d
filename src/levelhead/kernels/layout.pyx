# cython: language_level=3, boundscheck=False, wraparound=False
"""The text of tokens, and the position of each token and word in it."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

import numpy as np

ctypedef const int32_t[::1] Codes
ctypedef const int64_t[::1] Offsets

cdef enum:
    STEP = 16  # bytes that are copied at once, also for shorter forms, which nearly all are


cdef int64_t size_of_text(Codes forms, Codes first, Codes n_words, Codes multiword_forms, Offsets lengths) noexcept nogil:
    """The size of the text in bytes, or -1 if multiword tokens are not in order."""
    cdef int64_t n_forms = forms.shape[0], n_multiword = first.shape[0], size = 0, word = 0, i
    for i in range(n_multiword):
        if first[i] < word or n_words[i] < 0 or first[i] > n_forms - n_words[i]:
            return -1
        for word in range(word, first[i]):
            size += lengths[forms[word]]
        size += lengths[multiword_forms[i]]
        word = first[i] + n_words[i]
    for word in range(word, n_forms):
        size += lengths[forms[word]]
    return size


def lay_out(
    const uint8_t[::1] pool, Offsets begins, Offsets lengths, Codes forms, Codes first, Codes n_words,
    Codes multiword_forms,
):
    """Return the joined forms of tokens, starts and ends of tokens and of words, and which words are in multiword tokens.

    Starts and ends of words are those of tokens if no token has several words. Strings are given by where they begin in
    the pool, and their lengths; multiword tokens by their first words (ascending), numbers of words and strings.
    """
    cdef int64_t n_forms = forms.shape[0], n_multiword = first.shape[0]
    cdef int64_t size = size_of_text(forms, first, n_words, multiword_forms, lengths), pool_size = pool.shape[0]
    cdef int64_t at = 0, token = 0, word = 0, next_multiword = 0, i, source, length
    cdef int32_t form
    if size < 0 or n_words.shape[0] != n_multiword or multiword_forms.shape[0] != n_multiword:
        raise ValueError("multiword tokens must be in order and lie within the words")
    n_tokens = n_forms + n_multiword - int(np.asarray(n_words).sum())
    text = np.empty(size + STEP, dtype=np.uint8)
    token_starts, token_ends = np.empty(n_tokens, dtype=np.int64), np.empty(n_tokens, dtype=np.int64)
    starts, ends = token_starts, token_ends
    if n_multiword:
        starts, ends = np.empty(n_forms, dtype=np.int64), np.empty(n_forms, dtype=np.int64)
    inside = np.zeros(n_forms, dtype=np.uint8)
    cdef uint8_t[::1] text_view = text
    cdef int64_t[::1] token_starts_view = token_starts, token_ends_view = token_ends
    cdef int64_t[::1] starts_view = starts, ends_view = ends
    cdef uint8_t[::1] inside_view = inside
    with nogil:
        while word < n_forms or next_multiword < n_multiword:
            if next_multiword < n_multiword and first[next_multiword] == word:
                form = multiword_forms[next_multiword]
                length = lengths[form]
                for i in range(n_words[next_multiword]):
                    starts_view[word] = at
                    ends_view[word] = at + length
                    inside_view[word] = True
                    word += 1
                next_multiword += 1
            else:
                form = forms[word]
                length = lengths[form]
                starts_view[word] = at
                ends_view[word] = at + length
                word += 1
            token_starts_view[token] = at
            token_ends_view[token] = at + length
            token += 1
            source = begins[form]
            if length <= STEP and source + STEP <= pool_size:
                memcpy(&text_view[at], &pool[source], STEP)
            elif length:
                memcpy(&text_view[at], &pool[source], length)
            at += length
    return text[:size], token_starts, token_ends, starts, ends, inside
