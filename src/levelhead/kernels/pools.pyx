# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Joining two treebanks' pools of strings."""

include "interning.pxi"


def translate(const uint8_t[::1] pool, const int64_t[::1] offsets, const uint8_t[::1] other,
              const int64_t[::1] other_offsets):
    """Find the strings of one pool in another.

    Args:
        pool: the strings to look in, each followed by a newline, uint8.
        offsets: where each starts, and the end, int64, shape (strings + 1,).
        other: the strings to look up, likewise.
        other_offsets: likewise.

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
