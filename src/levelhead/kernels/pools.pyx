# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Operations on pools of strings."""

import numpy as np

include "interning.pxi"


def translate(const uint8_t[::1] pool, const int64_t[::1] offsets, const uint8_t[::1] other,
              const int64_t[::1] other_offsets):
    """Return the code in one pool of each string of another.

    Args:
        pool: the strings to look in, each followed by a newline, uint8.
        offsets: where each starts, and the end, int64, shape (strings + 1,).
        other: the strings to look up, in the same form.
        other_offsets: where each of them starts, and the end, int64, shape (other strings + 1,).

    Returns:
        The code in `pool` of each string of `other`, or -1; int32, shape (other strings,).
    """
    cdef Table table
    cdef int64_t n_strings = offsets.shape[0] - 1
    cdef int64_t n_others = other_offsets.shape[0] - 1
    cdef int64_t i, length
    cdef uint64_t slot, hashed
    cdef int64_t n_slots = 16
    cdef Bytes start
    found = np.full(n_others, -1, dtype=np.int32)
    cdef int32_t[::1] found_view = found
    if n_strings == 0 or n_others == 0:
        return found
    while n_slots < 2 * n_strings + 4:
        n_slots *= 2
    if not table_init(&table, n_slots):
        table_free(&table)
        raise MemoryError
    with nogil:
        for i in range(n_strings):
            intern(&table, &pool[offsets[i]], offsets[i + 1] - offsets[i] - 1, &pool[0] + pool.shape[0])
        for i in range(n_others):
            start = &other[other_offsets[i]]
            length = other_offsets[i + 1] - other_offsets[i] - 1
            hashed = hash_bytes(start, length, &other[0] + other.shape[0])
            found_view[i] = find(&table, hashed, start, length, &slot)
        table_free(&table)
    return found


def distinct(const int32_t[::1] codes, int64_t n_strings):
    """Return the codes that occur.

    Args:
        codes: codes of strings, int32.
        n_strings: the number of strings.

    Returns:
        The codes, ascending, int32.

    Raises:
        IndexError: a code is negative, or not below the number of strings.
    """
    cdef uint8_t[::1] present = np.zeros(n_strings, dtype=np.uint8)
    cdef int64_t n_found = 0
    cdef int64_t i
    cdef bint outside = False
    with nogil:
        for i in range(codes.shape[0]):
            outside |= codes[i] < 0 or codes[i] >= n_strings
    if outside:
        raise IndexError("codes must be from 0 to below the number of strings")
    with nogil:
        for i in range(codes.shape[0]):
            n_found += 1 - present[codes[i]]
            present[codes[i]] = 1
    found = np.empty(n_found, dtype=np.int32)
    cdef int32_t[::1] view = found
    with nogil:
        n_found = 0
        for i in range(n_strings):
            if present[i]:
                view[n_found] = <int32_t> i
                n_found += 1
    return found


def hashes(const uint8_t[::1] pool, const int64_t[::1] offsets):
    """Return a 64-bit hash of each string, another one in every process.

    Args:
        pool: the strings, each followed by a newline, uint8.
        offsets: where each starts, and the end, int64, shape (strings + 1,).

    Returns:
        The hashes, int64, shape (strings,).
    """
    cdef int64_t n_strings = offsets.shape[0] - 1
    cdef int64_t i
    found = np.empty(n_strings, dtype=np.int64)
    cdef int64_t[::1] view = found
    if n_strings == 0:
        return found
    with nogil:
        for i in range(n_strings):
            view[i] = <int64_t> hash_bytes(
                &pool[offsets[i]], offsets[i + 1] - offsets[i] - 1, &pool[0] + pool.shape[0]
            )
    return found


cdef inline int32_t decoded(Bytes at, Bytes end, int64_t* length) noexcept nogil:
    """The character at a byte that is not ASCII, and how many bytes it has; those above U+FFFF count as U+FFFF."""
    if at[0] < 0xE0:
        length[0] = 2
        return ((at[0] & 0x1F) << 6) | (at[1] & 0x3F) if end - at >= 2 else 0xFFFF
    if at[0] < 0xF0:
        length[0] = 3
        return ((at[0] & 0x0F) << 12) | ((at[1] & 0x3F) << 6) | (at[2] & 0x3F) if end - at >= 3 else 0xFFFF
    length[0] = 4
    return 0xFFFF


cdef inline bint is_odd(Bytes at, int64_t length) noexcept nogil:
    """Whether any byte is neither from "!" to "~" nor a line feed; compilers can use vector instructions."""
    cdef uint8_t odd = 0
    cdef int64_t i
    for i in range(length):
        odd |= (<uint8_t> (at[i] - 0x21) > 0x5D) & (at[i] != NEWLINE)
    return odd


cdef enum:
    BLOCK = 64


def strings_with(const uint8_t[::1] pool, const int64_t[::1] offsets, const uint8_t[::1] characters):
    """Find the strings that have any of some characters.

    Args:
        pool: the strings, each followed by a newline, valid UTF-8, uint8.
        offsets: where each starts, and the end, int64, shape (strings + 1,).
        characters: which of the characters up to U+FFFF, none of them from "!" to "~"; uint8, shape (65536,). Those
            above U+FFFF count as U+FFFF.

    Returns:
        Their codes, ascending, int32.
    """
    cdef int64_t n_strings = offsets.shape[0] - 1
    cdef int64_t size = pool.shape[0]
    cdef int64_t code = 0
    cdef int64_t n_found = 0
    cdef int64_t block, length
    cdef Bytes at, end, block_end
    found = np.empty(n_strings, dtype=np.int32)
    cdef int32_t[::1] view = found
    if characters.shape[0] != 1 << 16:
        raise ValueError("the table of characters must have 65536 rows")
    if n_strings <= 0 or size == 0 or offsets[n_strings] != size:
        return found[:0]
    with nogil:
        end = &pool[0] + size
        at = &pool[0]
        while at < end:
            length = min(BLOCK, end - at)
            if not is_odd(at, length):
                at += length
                continue
            block_end = at + length
            while at < block_end:
                length = 1
                if characters[at[0] if at[0] < 0x80 else decoded(at, end, &length)] and at[0] != NEWLINE:
                    while offsets[code + 1] <= at - &pool[0]:
                        code += 1
                    if n_found == 0 or view[n_found - 1] != code:
                        view[n_found] = <int32_t> code
                        n_found += 1
                at += length
    return found[:n_found].copy()
