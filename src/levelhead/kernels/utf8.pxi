"""Whether bytes are valid UTF-8; included by the scanner and by questions about text."""

cdef uint64_t HIGH_BITS = 0x8080808080808080


cdef inline bint is_ascii(Bytes at) noexcept nogil:
    """Whether the next 32 bytes are ASCII."""
    cdef uint64_t[4] words
    memcpy(words, at, 32)
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


cdef bint is_valid(Bytes data, int64_t size) noexcept nogil:
    """Whether bytes are valid UTF-8."""
    cdef int64_t at = 0
    cdef int64_t length
    while at < size:
        if data[at] < 0x80:
            at += 32 if size - at >= 32 and is_ascii(&data[at]) else 1
            continue
        length = length_of_character(&data[at], size - at)
        if length == 0:
            return False
        at += length
    return True
