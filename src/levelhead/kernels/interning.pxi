"""Distinct strings and their numbers: a hash table; and whether bytes are valid UTF-8.

Included by the scanner and by operations on pools.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy

import os
import sys

if sys.byteorder != "little":
    raise ImportError("strings are hashed eight bytes at a time, which requires a little-endian processor")

ctypedef const uint8_t* Bytes

cdef enum:
    TAB = 9, NEWLINE = 10, RETURN = 13, SPACE = 32, HASH_MARK = 35, HYPHEN = 45, DOT = 46, ZERO = 48, COLON = 58
    EQUALS = 61, UNDERSCORE = 95, BAR = 124
    MAX_DIGITS = 9

cdef extern from *:
    """
    typedef unsigned __int128 uint128_t;
    """
    ctypedef unsigned long long uint128_t
    int __builtin_clzll(unsigned long long) noexcept nogil

cdef uint64_t[9] HEAD_MASK = [
    0x0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF,
]

cdef enum:
    LONG = 256  # bytes that are hashed at once
    N_KEYS = 2 * (2 + LONG // 8)

cdef uint64_t PRIME = (1 << 61) - 1

# Secret numbers, other ones in every process, so that nobody can prepare strings with the same slot. Any two strings of
# up to eight bytes share one of n slots with a probability of at most 2 / n, and longer ones about 1 / n, for any bytes:
# odd multipliers (Dietzfelbinger et al. 1997), sums of products with 128-bit keys, of which the upper half is kept
# (Thorup 2015, section 3), and for very long strings a polynomial modulo a prime (Carter and Wegman 1979).
cdef uint64_t[N_KEYS] KEYS
cdef uint64_t FIRST, SECOND, POINT


def _draw_keys():
    global FIRST, SECOND, POINT
    drawn = [int.from_bytes(os.urandom(8), "little") for _ in range(N_KEYS + 3)]
    for i in range(N_KEYS):
        KEYS[i] = drawn[i]
    FIRST, SECOND, POINT = drawn[N_KEYS] | 1, drawn[N_KEYS + 1] | 1, drawn[N_KEYS + 2] % PRIME


_draw_keys()


cdef struct Slot:
    uint64_t hash
    int32_t code  # 1 + the string's number; 0 is an empty slot
    int32_t length


cdef struct Table:
    Slot* slots
    uint64_t mask
    int shift  # of a hash, for its slot
    int32_t n_strings
    int64_t capacity
    Bytes* starts
    int64_t* lengths


cdef inline uint64_t first_block(Bytes start, int64_t length, Bytes end) noexcept nogil:
    """The first eight bytes; those after the end of the string are 0, and not read if they are past the buffer."""
    cdef uint64_t block = 0
    if start + 8 <= end:
        memcpy(&block, start, 8)
        return block & HEAD_MASK[min(length, 8)]
    memcpy(&block, start, min(length, 8))
    return block


cdef inline uint64_t sum_of_products(
    uint64_t size, uint64_t before, Bytes start, int64_t length, Bytes end
) noexcept nogil:
    """The upper half of the sum of two numbers and of the blocks of a string, each multiplied by its key."""
    cdef const uint64_t* key = &KEYS[4]
    cdef uint128_t low = <uint128_t> size * KEYS[0] + <uint128_t> before * KEYS[2]
    cdef uint64_t high = size * KEYS[1] + before * KEYS[3], block
    while length > 0:
        block = first_block(start, length, end)
        low += <uint128_t> block * key[0]
        high += block * key[1]
        key += 2
        start += 8
        length -= 8
    return <uint64_t> (low >> 64) + high


cdef uint64_t hash_long(Bytes start, int64_t length, Bytes end) noexcept nogil:
    """The hash of a string of any length; all but its end is a polynomial of the hashes of its parts."""
    cdef uint64_t size = length, before = 0
    cdef uint128_t value
    while length > LONG:
        value = <uint128_t> before * POINT + (sum_of_products(0, 0, start, LONG, end) >> 3)
        before = <uint64_t> (value & PRIME) + <uint64_t> (value >> 61)
        before -= PRIME if before >= PRIME else 0
        start += LONG
        length -= LONG
    return sum_of_products(size, before, start, length, end)


cdef inline uint64_t hash_bytes(Bytes start, int64_t length, Bytes end) noexcept nogil:
    """The hash of a string; its upper bits choose a slot. For strings of up to eight bytes it is a permutation."""
    cdef uint64_t value
    if length <= 8:
        value = first_block(start, length, end) * FIRST
    elif length <= LONG:
        value = sum_of_products(length, 0, start, length, end)
    else:
        value = hash_long(start, length, end)
    return (value ^ (value >> 32)) * SECOND


cdef bint table_init(Table* table, int64_t n_slots) noexcept nogil:
    table.slots = <Slot*> calloc(n_slots, sizeof(Slot))
    table.mask = n_slots - 1
    table.shift = __builtin_clzll(n_slots) + 1
    table.n_strings = 0
    table.capacity = n_slots // 2
    table.starts = <Bytes*> malloc(table.capacity * sizeof(uint8_t*))
    table.lengths = <int64_t*> malloc(table.capacity * sizeof(int64_t))
    return table.slots != NULL and table.starts != NULL and table.lengths != NULL


cdef void table_free(Table* table) noexcept nogil:
    free(table.slots)
    free(<void*> table.starts)
    free(table.lengths)


cdef bint table_grow(Table* table) noexcept nogil:
    """Double the number of slots, so that at most half are used; false if memory ran out."""
    cdef uint64_t n_slots = (table.mask + 1) * 2
    cdef Slot* slots = <Slot*> calloc(n_slots, sizeof(Slot))
    cdef Bytes* starts
    cdef int64_t* lengths
    cdef uint64_t old, at
    if slots == NULL:
        return False
    for old in range(table.mask + 1):
        if table.slots[old].code:
            at = table.slots[old].hash >> (table.shift - 1)
            while slots[at].code:
                at = (at + 1) & (n_slots - 1)
            slots[at] = table.slots[old]
    free(table.slots)
    table.slots = slots
    table.mask = n_slots - 1
    table.shift -= 1
    table.capacity = n_slots // 2
    starts = <Bytes*> realloc(<void*> table.starts, table.capacity * sizeof(uint8_t*))
    if starts == NULL:
        return False
    table.starts = starts
    lengths = <int64_t*> realloc(table.lengths, table.capacity * sizeof(int64_t))
    if lengths == NULL:
        return False
    table.lengths = lengths
    return True


cdef inline int32_t find(
    const Table* table, uint64_t hashed, Bytes start, int64_t length, uint64_t* slot
) noexcept nogil:
    """The code of a string, or -1 with the free slot where it belongs.

    Strings of the same length of up to eight bytes with equal hashes are equal.
    """
    cdef uint64_t at = hashed >> table.shift
    cdef Slot* here
    while True:
        here = &table.slots[at]
        if here.code == 0:
            break
        if here.hash == hashed and here.length == length:
            if length <= 8 or memcmp(table.starts[here.code - 1], start, length) == 0:
                return here.code - 1
        at = (at + 1) & table.mask
    slot[0] = at
    return -1


cdef inline int32_t intern(Table* table, Bytes start, int64_t length, Bytes end) noexcept nogil:
    """The code of a string, new or old; -1 if memory ran out."""
    return intern_hashed(table, hash_bytes(start, length, end), start, length)


cdef inline int32_t intern_hashed(Table* table, uint64_t hashed, Bytes start, int64_t length) noexcept nogil:
    """The code of a string with a known hash, new or old; -1 if memory ran out."""
    cdef uint64_t slot = 0
    cdef int32_t code = find(table, hashed, start, length, &slot)
    if code >= 0:
        return code
    if table.n_strings >= table.capacity - 1:
        if not table_grow(table):
            return -1
        find(table, hashed, start, length, &slot)
    code = table.n_strings
    table.slots[slot].hash = hashed
    table.slots[slot].code = code + 1
    table.slots[slot].length = <int32_t> length
    table.starts[code] = start
    table.lengths[code] = length
    table.n_strings += 1
    return code


cdef uint64_t HIGH_BITS = 0x8080808080808080


cdef inline bint is_ascii(Bytes at) noexcept nogil:
    """Whether the next 32 bytes are ASCII."""
    cdef uint64_t[4] words
    memcpy(words, at, 32)
    return ((words[0] | words[1] | words[2] | words[3]) & HIGH_BITS) == 0


cdef inline int64_t length_of_character(Bytes at, int64_t left) noexcept nogil:
    """The number of bytes of the character at a byte above 127; 0 if it is invalid (The Unicode Standard, table 3-7)."""
    cdef uint8_t lead = at[0], least = 0x80, most = 0xBF
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


cdef bint is_valid(Bytes data, int64_t size) noexcept nogil:
    """Whether bytes are valid UTF-8."""
    cdef int64_t at = 0, length
    while at < size:
        if data[at] < 0x80:
            at += 32 if size - at >= 32 and is_ascii(&data[at]) else 1
            continue
        length = length_of_character(&data[at], size - at)
        if length == 0:
            return False
        at += length
    return True
