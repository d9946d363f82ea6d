# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""One pass over the bytes of a CoNLL-U file: every cell interned, every ID and head checked.

The scanner accepts only valid files that need no repair. It stops at the first other line and returns its number;
the plain Python of `treebank.faults` then finds and explains every fault of the file. So there are no error messages
here. A test checks that both agree on which files are valid.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_FromStringAndSize
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

include "interning.pxi"

cdef extern from *:
    int __builtin_ctzll(unsigned long long) noexcept nogil
    void __builtin_prefetch(const void*) noexcept nogil

ctypedef int32_t* Codes

cdef enum:
    ID = 0, FORM = 1, HEAD = 6, DEPREL = 7, N_FIELDS = 10
    FEW = 64

cdef uint64_t TABS = 0x0909090909090909
cdef uint64_t LOW_BITS = 0x7F7F7F7F7F7F7F7F


cdef inline object block(int64_t n_bytes):
    """A buffer for numpy, not initialized."""
    return PyByteArray_FromStringAndSize(NULL, n_bytes)


cdef object pool_of(const Table* table):
    """All strings, each followed by a newline, and where each starts, as a block of int64."""
    cdef int64_t total = 0, at = 0
    cdef int32_t code
    offsets = block(8 * (table.n_strings + 1))
    cdef int64_t* starts = <int64_t*> PyByteArray_AS_STRING(offsets)
    for code in range(table.n_strings):
        starts[code] = total
        total += table.lengths[code] + 1
    starts[table.n_strings] = total
    pool = PyBytes_FromStringAndSize(NULL, total)
    cdef uint8_t* target = <uint8_t*> PyBytes_AS_STRING(pool)  # a new bytes object: nothing else refers to it
    with nogil:
        for code in range(table.n_strings):
            memcpy(target + at, table.starts[code], table.lengths[code])
            at += table.lengths[code]
            target[at] = NEWLINE
            at += 1
    return pool, offsets


cdef inline int64_t number(Bytes start, int64_t length) noexcept nogil:
    """A decimal number of ASCII digits without leading zeros, or -1."""
    cdef int64_t value = 0, i
    if length == 0 or length > MAX_DIGITS or (start[0] == ZERO and length > 1):
        return -1
    for i in range(length):
        if start[i] < ZERO or start[i] > ZERO + 9:
            return -1
        value = value * 10 + (start[i] - ZERO)
    return value


cdef struct Sentence:
    int32_t n_words
    int32_t minor  # of the last empty node after the last word
    int32_t range_end  # last word of the last multiword token
    bint range_pending  # its first word is still to come


cdef struct Sizes:
    int64_t words
    int64_t multiword
    int64_t empty
    int64_t sentences
    int64_t lines


cdef struct Rows:
    int32_t* cells  # twelve for each row
    int64_t capacity


cdef struct Out:
    int32_t** columns  # eight: FORM LEMMA UPOS XPOS FEATS DEPREL DEPS MISC
    int32_t* heads  # in the sentence, 1-based, 0 is the root
    Rows multiword  # [first word, sentence, words, nine codes]
    Rows empty  # [word before, sentence, minor, nine codes]
    int32_t* sentence_starts
    int32_t* sentence_lines
    int64_t* comments  # pairs of [start, end) in the data


cdef inline int32_t* row_of(Rows* rows, int64_t n) noexcept nogil:
    """The n-th row, allocated if needed; NULL if memory ran out."""
    cdef int32_t* cells
    if n == rows.capacity:
        cells = <int32_t*> realloc(rows.cells, 2 * rows.capacity * 12 * sizeof(int32_t))
        if cells == NULL:
            return NULL
        rows.cells = cells
        rows.capacity *= 2
    return rows.cells + 12 * n


cdef inline bint split(Bytes line, Bytes end, Bytes* fields) noexcept nogil:
    """Find the ten cells of a line, fields[i] to fields[i + 1] - 1; ID and FORM must not be empty.

    Eight bytes at a time: a byte that is a tab becomes 0x80, any other 0.
    """
    cdef Bytes at = line
    cdef int field = 1
    cdef uint64_t block, tabs
    fields[0] = line
    while at + 8 <= end:
        memcpy(&block, at, 8)
        block ^= TABS
        tabs = ~(((block & LOW_BITS) + LOW_BITS) | block | LOW_BITS)
        while tabs:
            if field == N_FIELDS:
                return False
            fields[field] = at + (__builtin_ctzll(tabs) >> 3) + 1
            field += 1
            tabs &= tabs - 1
        at += 8
    while at < end:
        if at[0] == TAB:
            if field == N_FIELDS:
                return False
            fields[field] = at + 1
            field += 1
        at += 1
    fields[N_FIELDS] = end + 1
    return field == N_FIELDS and fields[FORM] - fields[ID] > 1 and fields[FORM + 1] - fields[FORM] > 1


cdef inline int32_t intern_text(Table* table, uint64_t hashed, Bytes start, int64_t length) noexcept nogil:
    """The code of a cell; -1 if it is new and not UTF-8, or memory ran out."""
    cdef int32_t n_strings = table.n_strings, code = intern_hashed(table, hashed, start, length)
    return -1 if code == n_strings and not is_valid(start, length) else code


cdef inline bint intern_all(Table* table, Bytes* fields, int32_t* codes, Bytes end) noexcept nogil:
    """The nine cells after ID of a multiword token or an empty node."""
    cdef int field
    cdef int64_t length
    for field in range(1, N_FIELDS):
        length = fields[field + 1] - fields[field] - 1
        codes[field - 1] = intern_text(table, hash_bytes(fields[field], length, end), fields[field], length)
        if codes[field - 1] < 0:
            return False
    return True


cdef inline bint read_word(
    Table* table, Bytes* fields, Out* out, Sizes* sizes, Sentence* sentence, Bytes end
) noexcept nogil:
    cdef int64_t head = number(fields[HEAD], fields[HEAD + 1] - fields[HEAD] - 1)
    cdef uint64_t[10] hashes
    cdef int64_t[10] lengths
    cdef int32_t code
    cdef int field, column = 0
    if head < 0 or fields[DEPREL + 1] - fields[DEPREL] == 1:
        return False
    for field in range(1, N_FIELDS):  # prefetch all slots of the line before the first is read
        lengths[field] = fields[field + 1] - fields[field] - 1
        if field == HEAD or (lengths[field] == 1 and fields[field][0] == UNDERSCORE):
            continue
        hashes[field] = hash_bytes(fields[field], lengths[field], end)
        __builtin_prefetch(&table.slots[hashes[field] >> table.shift])
    for field in range(1, N_FIELDS):
        if field == HEAD:
            continue
        code = 0
        if lengths[field] != 1 or fields[field][0] != UNDERSCORE:
            code = intern_text(table, hashes[field], fields[field], lengths[field])
            if code < 0:
                return False
        out.columns[column][sizes.words] = code
        column += 1
    out.heads[sizes.words] = <int32_t> head
    sizes.words += 1
    sentence.n_words += 1
    sentence.minor = 0
    sentence.range_pending = False
    return True


cdef inline bint read_range(
    Table* table, Bytes* fields, Out* out, Sizes* sizes, Sentence* sentence, int64_t first, int64_t last,
    Bytes end
) noexcept nogil:
    cdef int32_t* row = row_of(&out.multiword, sizes.multiword)
    if row == NULL or first != sentence.n_words + 1 or last < first or first <= sentence.range_end or sentence.range_pending:
        return False
    row[0] = <int32_t> sizes.words
    row[1] = <int32_t> sizes.sentences
    row[2] = <int32_t> (last - first + 1)
    sizes.multiword += 1
    sentence.range_end = <int32_t> last
    sentence.range_pending = True
    return intern_all(table, fields, row + 3, end)


cdef inline bint read_empty(
    Table* table, Bytes* fields, Out* out, Sizes* sizes, Sentence* sentence, int64_t after, int64_t minor,
    Bytes end
) noexcept nogil:
    cdef int32_t* row = row_of(&out.empty, sizes.empty)
    if row == NULL or after != sentence.n_words or minor != sentence.minor + 1 or sentence.range_pending:
        return False
    row[0] = <int32_t> sizes.words
    row[1] = <int32_t> sizes.sentences
    row[2] = <int32_t> minor
    sizes.empty += 1
    sentence.minor = <int32_t> minor
    return intern_all(table, fields, row + 3, end)


cdef inline bint read_line(
    Table* table, Bytes line, Bytes line_end, Out* out, Sizes* sizes, Sentence* sentence,
    bint ranges, Bytes end
) noexcept nogil:
    """Read a word, a multiword token or an empty node, depending on its ID; false if the line is invalid."""
    cdef Bytes[11] fields
    cdef Bytes mark
    cdef int64_t length, first, second
    if not split(line, line_end, fields):
        return False
    length = fields[1] - line - 1
    first = number(line, length)
    if first >= 0:
        return first == sentence.n_words + 1 and read_word(table, fields, out, sizes, sentence, end)
    if not ranges:
        return False
    mark = <Bytes> memchr(line, HYPHEN, length)
    if mark == NULL:
        mark = <Bytes> memchr(line, DOT, length)
    if mark == NULL:
        return False
    first = number(line, mark - line)
    second = number(mark + 1, length - (mark - line) - 1)
    if first < 0 or second < 1:
        return False
    if mark[0] == HYPHEN:
        return read_range(table, fields, out, sizes, sentence, first, second, end)
    return read_empty(table, fields, out, sizes, sentence, first, second, end)


cdef int64_t scan_lines(Bytes data, int64_t size, Table* table, Out* out, Sizes* sizes, bint ranges) noexcept nogil:
    """Read all lines; return 0, or the 1-based number of the first invalid line."""
    cdef Bytes end = data + size, line = data, line_end, comments = NULL
    cdef Sentence sentence = Sentence(0, 0, 0, False)
    cdef bint inside = False
    while line < end:
        sizes.lines += 1
        line_end = <Bytes> memchr(line, NEWLINE, end - line)
        if line_end == NULL:
            return sizes.lines
        if line_end == line:
            if not inside or sentence.n_words == 0 or sentence.range_end > sentence.n_words:
                return sizes.lines
            inside = False
            sizes.sentences += 1
            comments = NULL
        elif ranges and not inside and line[0] == HASH_MARK:
            if comments == NULL:
                comments = line
        else:
            if not inside:
                inside = True
                sentence = Sentence(0, 0, 0, False)
                out.sentence_starts[sizes.sentences] = <int32_t> sizes.words
                out.sentence_lines[sizes.sentences] = <int32_t> sizes.lines
                out.comments[2 * sizes.sentences] = (line if comments == NULL else comments) - data
                out.comments[2 * sizes.sentences + 1] = line - data
            if not read_line(table, line, line_end, out, sizes, &sentence, ranges, end):
                return sizes.lines
        line = line_end + 1
    return sizes.lines if inside or comments != NULL else 0


cdef object joined_comments(Bytes data, const int64_t* pairs, int64_t n_sentences):
    """All comment lines in one bytes object, and where each sentence's start, as a block of int64."""
    offsets = block(8 * (n_sentences + 1))
    cdef int64_t* starts = <int64_t*> PyByteArray_AS_STRING(offsets)
    cdef int64_t i
    starts[0] = 0
    for i in range(n_sentences):
        starts[i + 1] = starts[i] + pairs[2 * i + 1] - pairs[2 * i]
    joined = PyBytes_FromStringAndSize(NULL, starts[n_sentences])
    cdef uint8_t* target = <uint8_t*> PyBytes_AS_STRING(joined)  # a new bytes object: nothing else refers to it
    with nogil:
        for i in range(n_sentences):
            memcpy(target + starts[i], data + pairs[2 * i], pairs[2 * i + 1] - pairs[2 * i])
    return joined, offsets


cdef struct Survey:
    int64_t n_tokens  # lines that begin with a digit: words, multiword tokens and empty nodes
    uint8_t forbidden  # whether there is a NUL or a carriage return
    uint8_t every  # all bytes, or-ed


cdef Survey survey(Bytes data, int64_t size) noexcept nogil:
    """What must be known of all bytes before the lines are read.

    It counts 255 bytes at a time, so that the count fits into a byte and compilers can use vector instructions.
    """
    cdef Survey seen = Survey(1 if size and <uint8_t> (data[0] - ZERO) <= 9 else 0, 0, 0)
    cdef int64_t at = 0, end
    cdef uint8_t found, forbidden = 0, every = 0
    while at < size - 1:
        end = min(size - 1, at + 255)
        found = 0
        for at in range(at, end):
            found += (data[at] == NEWLINE) & (<uint8_t> (data[at + 1] - ZERO) <= 9)
            forbidden |= (data[at] == 0) | (data[at] == RETURN)
            every |= data[at]
        seen.n_tokens += found
        at = end
    seen.forbidden, seen.every = forbidden, every  # the last byte is a line feed, or the file is invalid
    return seen


def begin(const uint8_t[::1] data, bint ranges=True):
    """Read a CoNLL-U file of at most 2**31 - 1 bytes that needs no repair, and return the argument of `arrays_of`.

    `ranges` allows comments and IDs such as `1-2` and `1.1` (not in CoNLL-X). Works without numpy: loading numpy takes
    longer than reading most files.
    """
    cdef int64_t size = data.shape[0]
    cdef Bytes start = &data[0] if size else NULL
    cdef int64_t n_most, stopped
    cdef Survey seen
    cdef Codes[8] columns
    cdef Table table
    cdef Sizes sizes = Sizes(0, 0, 0, 0, 0)
    cdef Out out
    cdef int i
    with nogil:
        seen = survey(start, size)
    n_most = seen.n_tokens + 2  # an upper bound for words and sentences
    arrays = [block(4 * n_most) for _ in range(9)]
    for i in range(8):
        columns[i] = <int32_t*> PyByteArray_AS_STRING(arrays[i])
    starts, lines, comments = block(4 * n_most), block(4 * n_most), block(16 * n_most)
    out.columns, out.heads = columns, <int32_t*> PyByteArray_AS_STRING(arrays[8])
    out.sentence_starts = <int32_t*> PyByteArray_AS_STRING(starts)
    out.sentence_lines = <int32_t*> PyByteArray_AS_STRING(lines)
    out.comments = <int64_t*> PyByteArray_AS_STRING(comments)
    out.multiword = Rows(<int32_t*> malloc(FEW * 12 * sizeof(int32_t)), FEW)
    out.empty = Rows(<int32_t*> malloc(FEW * 12 * sizeof(int32_t)), FEW)
    try:
        if not table_init(&table, 1 << 14) or out.multiword.cells == NULL or out.empty.cells == NULL:
            raise MemoryError
        intern(&table, b"_", 1, NULL)
        with nogil:
            stopped = scan_lines(start, size, &table, &out, &sizes, ranges)
        if stopped:
            return stopped
        out.sentence_starts[sizes.sentences] = <int32_t> sizes.words
        numbers = sizes.words, sizes.sentences, not seen.forbidden, seen.every < 0x80
        multiword = PyByteArray_FromStringAndSize(<char*> out.multiword.cells, 12 * sizeof(int32_t) * sizes.multiword)
        empty = PyByteArray_FromStringAndSize(<char*> out.empty.cells, 12 * sizeof(int32_t) * sizes.empty)
        return (
            numbers, arrays, multiword, empty, starts, lines, pool_of(&table),
            joined_comments(start, out.comments, sizes.sentences),
        )
    finally:
        table_free(&table)
        free(out.multiword.cells)
        free(out.empty.cells)


def arrays_of(begun):
    """Return the arrays of a file that `begin` has read, or the 1-based number of the first invalid line."""
    import numpy as np

    if isinstance(begun, int):
        return begun
    (n_words, n_sentences, *_), columns, multiword, empty, starts, lines, pool, comments = begun
    *strings, heads = (np.frombuffer(column, np.int32, n_words) for column in columns)
    rows = (np.frombuffer(rows, np.int32).reshape(-1, 12) for rows in (multiword, empty))
    return (
        pool[0],
        np.frombuffer(pool[1], np.int64),
        strings,
        heads,
        *rows,
        np.frombuffer(starts, np.int32, n_sentences + 1),
        np.frombuffer(lines, np.int32, n_sentences),
        comments[0],
        np.frombuffer(comments[1], np.int64),
    )


def kinds_of_bytes(begun):
    """Return whether the bytes of a valid file are free of NUL and carriage returns, and whether all are ASCII."""
    return begun[0][2:]
