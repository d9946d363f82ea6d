# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Questions about the bytes of a file, and operations on pools of strings."""

import numpy as np

include "interning.pxi"

cdef enum:
    BLOCK = 64
    LEAST_ID_LINE = 9  # the bytes of `#sent_id=`


def translate(const uint8_t[::1] pool, const int64_t[::1] offsets, const uint8_t[::1] other,
              const int64_t[::1] other_offsets):
    """Return the code in one pool of each string of another, or -1. In pools, each string is followed by a newline."""
    cdef Table table
    cdef int64_t n_strings = offsets.shape[0] - 1, n_others = other_offsets.shape[0] - 1, i, length, n_slots = 16
    cdef uint64_t slot, hashed
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
    """Return the codes that occur, ascending; an IndexError if a code is not below the number of strings."""
    cdef uint8_t[::1] present = np.zeros(n_strings, dtype=np.uint8)
    cdef int64_t n_found = 0, i
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
    """Return a 64-bit hash of each string, another one in every process."""
    cdef int64_t n_strings = offsets.shape[0] - 1, i
    found = np.empty(n_strings, dtype=np.int64)
    cdef int64_t[::1] view = found
    if n_strings == 0:
        return found
    with nogil:
        for i in range(n_strings):
            view[i] = hash_bytes(&pool[offsets[i]], offsets[i + 1] - offsets[i] - 1, &pool[0] + pool.shape[0])
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


def strings_with(const uint8_t[::1] pool, const int64_t[::1] offsets, const uint8_t[::1] characters):
    """Return the codes of strings, valid UTF-8, that have any of some characters, ascending.

    `characters` says which of those up to U+FFFF, none of them from "!" to "~". Those above U+FFFF count as U+FFFF.
    """
    cdef int64_t n_strings = offsets.shape[0] - 1, size = pool.shape[0], code = 0, n_found = 0, block, length
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


def is_utf8(const uint8_t[::1] data):
    """Return whether bytes are valid UTF-8, as `bytes.decode` does, without creating a string."""
    cdef bint valid = True
    if data.shape[0]:
        with nogil:
            valid = is_valid(&data[0], data.shape[0])
    return valid


def count_lines(const uint8_t[::1] data):
    """Count the line feeds of a file or of a part of it, several times as fast as `bytes.count`."""
    cdef int64_t size = data.shape[0], count = 0, at = 0, end
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
    """Return whether a line begins with a space or a tab, or a blank line does not end a sentence."""
    cdef int64_t size = data.shape[0]
    cdef Bytes at, end
    cdef bint after_blank = True, odd = False
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

    Returns the ids without white space around them, each followed by a line feed; where each starts, and the end; and
    where the line of each starts.
    """
    cdef int64_t size = comments.shape[0], n_ids = 0, total = 0
    cdef Bytes line, end, line_end, start
    places = np.empty(size // LEAST_ID_LINE + 1, dtype=np.int64)
    offsets = np.zeros(len(places) + 1, dtype=np.int64)
    pool = np.empty(size + 1, dtype=np.uint8)
    cdef int64_t[::1] places_view = places, offsets_view = offsets
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


def parse_edges(const uint8_t[::1] pool, const int64_t[::1] offsets, const int32_t[::1] codes):
    """Read the edges in the strings with these codes: lists of heads and relations, `_`, or nothing.

    Returns None if one is malformed; otherwise the number of edges in each string; for each edge the number of its head
    before the dot, the number after it (0 without a dot) and that of its label; and the labels, in the order of their
    first occurrence.
    """
    cdef int64_t n_codes = codes.shape[0], n = 0, i, most = 1
    cdef Bytes at, end
    cdef Edge edge
    cdef Table table
    sizes = np.zeros(n_codes, dtype=np.int64)
    cdef int64_t[::1] sizes_view = sizes
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
                    if not read_edge(at, end, &edge):
                        with gil:
                            return None
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
        labels = [table.starts[i][: table.lengths[i]].decode() for i in range(table.n_strings)]
        return sizes, edges[0, :n], edges[1, :n], edges[2, :n], labels
    finally:
        table_free(&table)
