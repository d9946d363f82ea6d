# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Questions about the bytes of a file: valid UTF-8, line ends, sentence ids."""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy

import numpy as np

ctypedef const uint8_t* Bytes

cdef enum:
    TAB = 9
    NEWLINE = 10
    RETURN = 13
    SPACE = 32
    HASH_MARK = 35
    EQUALS = 61
    LEAST_ID_LINE = 9  # the bytes of `#sent_id=`

include "utf8.pxi"


def is_utf8(const uint8_t[::1] data):
    """Return whether bytes are valid UTF-8, as `bytes.decode` does, without creating a string.

    Args:
        data: the bytes, uint8.
    """
    cdef bint valid = True
    if data.shape[0]:
        with nogil:
            valid = is_valid(&data[0], data.shape[0])
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
            valid = is_valid(&data[0], size)
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


cdef inline Bytes after_blanks(Bytes at, Bytes end) noexcept nogil:
    """The first byte that is neither a space nor a tab."""
    while at < end and (at[0] == SPACE or at[0] == TAB):
        at += 1
    return at


cdef inline bint is_white(uint8_t byte) noexcept nogil:
    """Whether `bytes.strip` removes a byte."""
    return byte == SPACE or TAB <= byte <= RETURN


cdef Bytes id_in_line(Bytes line, Bytes end) noexcept nogil:
    """Where the value of `# sent_id = VALUE` starts; NULL in any other line."""
    cdef Bytes at
    if line == end or line[0] != HASH_MARK:
        return NULL
    at = after_blanks(line + 1, end)
    if end - at < 7 or memcmp(at, b"sent_id", 7) != 0:
        return NULL
    at = after_blanks(at + 7, end)
    return at + 1 if at < end and at[0] == EQUALS else NULL


def sentence_ids(const uint8_t[::1] comments):
    """Find the comments `# sent_id = ID`.

    Args:
        comments: comment lines, uint8.

    Returns:
        The ids without white space around them, each followed by a line feed; where each starts, and the end, int64,
        shape (ids + 1,); and where the line of each starts, int64, shape (ids,).
    """
    cdef int64_t size = comments.shape[0]
    cdef int64_t n_ids = 0
    cdef int64_t total = 0
    cdef Bytes line, end, line_end, start
    places = np.empty(size // LEAST_ID_LINE + 1, dtype=np.int64)
    offsets = np.zeros(len(places) + 1, dtype=np.int64)
    pool = np.empty(size + 1, dtype=np.uint8)
    cdef int64_t[::1] places_view = places
    cdef int64_t[::1] offsets_view = offsets
    cdef uint8_t[::1] pool_view = pool
    if size == 0:
        return b"", offsets[:1], places[:0]
    with nogil:
        line = &comments[0]
        end = line + size
        while line < end:
            line_end = <Bytes> memchr(line, NEWLINE, end - line)
            if line_end == NULL:
                line_end = end
            start = id_in_line(line, line_end)
            if start != NULL:
                places_view[n_ids] = line - &comments[0]
                n_ids += 1
                total += copy_stripped(start, line_end, &pool_view[total])
                offsets_view[n_ids] = total
            line = line_end + 1
    return pool[:total].tobytes(), offsets[: n_ids + 1], places[:n_ids]


cdef int64_t copy_stripped(Bytes start, Bytes end, uint8_t* target) noexcept nogil:
    """Copy bytes without white space around them, and a line feed after them; return the number of bytes written."""
    while start < end and is_white(start[0]):
        start += 1
    while end > start and is_white(end[-1]):
        end -= 1
    memcpy(target, start, end - start)
    target[end - start] = NEWLINE
    return end - start + 1
