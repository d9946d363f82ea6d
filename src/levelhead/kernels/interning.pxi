"""Distinct strings and their numbers: a hash table, included by the scanner and by operations on pools."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy

import os
import sys

if sys.byteorder != "little":
    raise ImportError("strings are hashed eight bytes at a time, which requires a little-endian processor")

ctypedef const uint8_t* Bytes

cdef enum:
    NEWLINE = 10

# A random start value, so that nobody can prepare a file whose strings all have the same slot.
cdef uint64_t SEED = int.from_bytes(os.urandom(8), "little")
cdef uint64_t MULTIPLIER = 0x9E3779B97F4A7C15
cdef uint64_t[8] TAIL_MASK = [
    0x0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF,
]


cdef struct Slot:
    uint64_t hash
    int32_t code  # 1 + the string's number; 0 is an empty slot
    int32_t length


cdef struct Table:
    Slot* slots
    uint64_t mask
    int32_t n_strings
    int64_t capacity
    Bytes* starts
    int64_t* lengths


cdef inline uint64_t hash_bytes(Bytes start, int64_t length, Bytes end) noexcept nogil:
    """The hash of a string, eight bytes at a time; the rest is one masked load unless it would read past the buffer."""
    cdef uint64_t value = SEED ^ <uint64_t> length
    cdef uint64_t block
    while length >= 8:
        memcpy(&block, start, 8)
        value = (value ^ block) * MULTIPLIER
        value ^= value >> 29
        start += 8
        length -= 8
    if length:
        if start + 8 <= end:
            memcpy(&block, start, 8)
            block &= TAIL_MASK[length]
        else:
            block = 0
            memcpy(&block, start, length)
        value = (value ^ block) * MULTIPLIER
    value ^= value >> 32
    value *= MULTIPLIER
    return value ^ (value >> 29)


cdef bint table_init(Table* table, int64_t n_slots) noexcept nogil:
    table.slots = <Slot*> calloc(n_slots, sizeof(Slot))
    table.mask = n_slots - 1
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
            at = table.slots[old].hash & (n_slots - 1)
            while slots[at].code:
                at = (at + 1) & (n_slots - 1)
            slots[at] = table.slots[old]
    free(table.slots)
    table.slots = slots
    table.mask = n_slots - 1
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
    cdef uint64_t at = hashed & table.mask
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
