# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Checks of all bytes of a file: valid UTF-8 and line ends."""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memchr, memcpy

ctypedef const uint8_t* Bytes

cdef enum:
    TAB = 9
    NEWLINE = 10
    RETURN = 13
    SPACE = 32
    BLOCK = 32

cdef uint64_t HIGH_BITS = 0x8080808080808080


cdef inline bint is_ascii(Bytes at) noexcept nogil:
    """Whether the next 32 bytes are ASCII."""
    cdef uint64_t[4] words
    memcpy(words, at, BLOCK)
    return ((words[0] | words[1] | words[2] | words[3]) & HIGH_BITS) == 0


cdef inline int64_t length_of_character(Bytes at, int64_t left) noexcept nogil:
    """The number of bytes of the character at a byte above 127; 0 if it is invalid (The Unicode Standard, table 3-7)."""
    cdef uint8_t lead = at[0]
    cdef uint8_t least = 0x80
    cdef uint8_t most = 0xBF
    cdef int64_t length, i
    if lead < 0xC2 or lead > 0xF4:
        return 0
    if lead < 0xE0:
        length = 2
    elif lead < 0xF0:
        length = 3
        least = 0xA0 if lead == 0xE0 else 0x80
        most = 0x9F if lead == 0xED else 0xBF
    else:
        length = 4
        least = 0x90 if lead == 0xF0 else 0x80
        most = 0x8F if lead == 0xF4 else 0xBF
    if left < length or at[1] < least or at[1] > most:
        return 0
    for i in range(2, length):
        if at[i] & 0xC0 != 0x80:
            return 0
    return length


cdef bint is_valid(const uint8_t[::1] data) noexcept nogil:
    """Whether bytes are valid UTF-8."""
    cdef int64_t size = data.shape[0]
    cdef int64_t at = 0
    cdef int64_t length
    while at < size:
        if data[at] < 0x80:
            at += BLOCK if size - at >= BLOCK and is_ascii(&data[at]) else 1
            continue
        length = length_of_character(&data[at], size - at)
        if length == 0:
            return False
        at += length
    return True


def is_utf8(const uint8_t[::1] data):
    """Return whether bytes are valid UTF-8, as `bytes.decode` does, without creating a string.

    Args:
        data: the bytes, uint8.
    """
    cdef bint valid
    with nogil:
        valid = is_valid(data)
    return valid


def survey(const uint8_t[::1] data):
    """Return what an official scorer's reading depends on, in one pass over ASCII.

    Args:
        data: the bytes, uint8.

    Returns:
        The number of line feeds, whether there is a carriage return, and whether the bytes are valid UTF-8.
    """
    cdef int64_t size = data.shape[0]
    cdef int64_t n_lines = 0
    cdef int64_t at = 0
    cdef int64_t end
    cdef uint8_t found
    cdef uint8_t returns = 0
    cdef uint8_t high = 0
    cdef bint valid = True
    with nogil:
        while at < size:
            end = min(size, at + 255)  # as in `count_lines`
            found = 0
            for at in range(at, end):
                found += data[at] == NEWLINE
                returns |= data[at] == RETURN
                high |= data[at]
            n_lines += found
            at = end
        if high >= 0x80:
            valid = is_valid(data)
    return n_lines, bool(returns), valid


def count_lines(const uint8_t[::1] data):
    """Count the line feeds of a file or of a part of it, several times as fast as `bytes.count`.

    Args:
        data: the bytes, uint8.
    """
    cdef int64_t size = data.shape[0]
    cdef int64_t count = 0
    cdef int64_t at = 0
    cdef int64_t end
    cdef uint8_t found
    with nogil:
        while at < size:
            end = min(size, at + 255)  # the count fits into a byte, so that compilers can use vector instructions
            found = 0
            for at in range(at, end):
                found += data[at] == NEWLINE
            count += found
            at = end
    return count


def has_odd_lines(const uint8_t[::1] data):
    """Return whether a line begins with a space or a tab, or a blank line does not end a sentence.

    Args:
        data: the bytes of a file with line feeds, uint8.
    """
    cdef int64_t size = data.shape[0]
    cdef Bytes at
    cdef Bytes end
    cdef bint after_blank = True
    cdef bint odd = False
    if size == 0:
        return False
    at = &data[0]
    end = at + size
    with nogil:
        while at != NULL and at < end:
            if at[0] == SPACE or at[0] == TAB or (at[0] == NEWLINE and after_blank):
                odd = True
                break
            after_blank = at[0] == NEWLINE
            at = <Bytes> memchr(at, NEWLINE, end - at)
            if at != NULL:
                at += 1
    return odd
