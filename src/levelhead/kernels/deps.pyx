# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The edges in distinct values of DEPS."""

import numpy as np

include "interning.pxi"

cdef enum:
    DOT = 46
    ZERO = 48
    COLON = 58
    UNDERSCORE = 95
    BAR = 124
    MAX_DIGITS = 9


cdef struct Edge:
    int64_t number
    int64_t minor
    Bytes label
    Bytes end


cdef inline int64_t digits(Bytes* at, Bytes end) noexcept nogil:
    """Read a number of at most nine digits without leading zeros, or -1."""
    cdef Bytes start = at[0]
    cdef int64_t value = 0
    while at[0] < end and ZERO <= at[0][0] <= ZERO + 9 and at[0] - start <= MAX_DIGITS:
        value = value * 10 + (at[0][0] - ZERO)
        at[0] += 1
    if at[0] == start or at[0] - start > MAX_DIGITS or (start[0] == ZERO and at[0] - start > 1):
        return -1
    return value


cdef inline bint read_edge(Bytes at, Bytes end, Edge* edge) noexcept nogil:
    """Read an edge such as `4:nsubj` or `4.1:nsubj`, up to a bar or the end; false if it is malformed."""
    edge.number = digits(&at, end)
    edge.minor = 0
    if edge.number >= 0 and at < end and at[0] == DOT:
        at += 1
        edge.minor = digits(&at, end)
        if edge.minor < 1:
            return False
    if edge.number < 0 or at == end or at[0] != COLON:
        return False
    edge.label = at + 1
    edge.end = <Bytes> memchr(edge.label, BAR, end - edge.label)
    if edge.end == NULL:
        edge.end = end
    return edge.end > edge.label


def parse(const uint8_t[::1] pool, const int64_t[::1] offsets, const int32_t[::1] codes):
    """Read the edges in some strings: lists of heads and relations, `_`, or nothing.

    Args:
        pool: all strings, each followed by a newline, uint8.
        offsets: where each starts, and the end, int64, shape (strings + 1,).
        codes: which of the strings to read, int32.

    Returns:
        None if one is malformed; otherwise the number of edges in each string, int64, shape (codes,); for each edge
        the number of its head before the dot, the number after it (0 without a dot) and that of its label, int64; and the labels,
        in the order of their first occurrence.
    """
    cdef int64_t n_codes = codes.shape[0]
    cdef int64_t n = 0
    cdef int64_t i
    cdef Bytes at, end
    cdef Edge edge
    cdef Table table
    cdef bint malformed = False
    sizes = np.zeros(n_codes, dtype=np.int64)
    cdef int64_t[::1] sizes_view = sizes
    cdef int64_t most = 1
    for i in range(n_codes):
        most += (offsets[codes[i] + 1] - offsets[codes[i]] + 3) // 4  # an edge has at least three bytes and a separator
    edges = np.empty((3, most), dtype=np.int64)
    cdef int64_t[:, ::1] view = edges
    if not table_init(&table, 1 << 8):
        table_free(&table)
        raise MemoryError
    try:
        with nogil:
            for i in range(n_codes):
                at = &pool[offsets[codes[i]]]
                end = &pool[offsets[codes[i] + 1] - 1]
                if at == end or (end - at == 1 and at[0] == UNDERSCORE):
                    continue
                while True:
                    malformed = not read_edge(at, end, &edge)
                    if malformed:
                        break
                    view[0, n], view[1, n] = edge.number, edge.minor
                    view[2, n] = intern(&table, edge.label, edge.end - edge.label, &pool[0] + pool.shape[0])
                    if view[2, n] < 0:
                        with gil:
                            raise MemoryError
                    n += 1
                    sizes_view[i] += 1
                    if edge.end == end:
                        break
                    at = edge.end + 1
                if malformed:
                    break
        if malformed:
            return None
        labels = [table.starts[i][: table.lengths[i]].decode() for i in range(table.n_strings)]
        return sizes, edges[0, :n], edges[1, :n], edges[2, :n], labels
    finally:
        table_free(&table)
