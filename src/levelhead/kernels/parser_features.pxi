# From a configuration to the rows of the weight tables: templates are data (levelhead.parsing.features), a feature is
# the hash of its template and the values of its atoms.

cdef extern from *:
    """
    typedef int16_t levelhead_shorts __attribute__((vector_size(8), aligned(2), may_alias));
    typedef int32_t levelhead_ints __attribute__((vector_size(16), aligned(4), may_alias));
    static inline void levelhead_add_four(int32_t* total, const int16_t* row) {
        *(levelhead_ints*)total += __builtin_convertvector(*(const levelhead_shorts*)row, levelhead_ints);
    }
    static inline void levelhead_add_row(int32_t* total, const int16_t* row, int32_t width) {
        for (int32_t c = 0; c < width; c += 4) levelhead_add_four(total + c, row + c);
    }
    """
    void add_row "levelhead_add_row" (int32_t* total, const int16_t* row, int32_t width) noexcept nogil
    void add_four "levelhead_add_four" (int32_t* total, const int16_t* row) noexcept nogil
    void prefetch "__builtin_prefetch" (const void* address) noexcept nogil

cdef enum:  # positions, in the order of levelhead.parsing.features
    S0 = 0
    S1, S2, S3, B0, B1, B2, B3
    S0L, S0L2, S0R, S0R2, S1L, S1L2, S1R, S1R2, S2L, S2R, B0L, B0L2
    S0LL, S0RR, S1LL, S1RR, S0P, S0N, S1P, S1N, B0P, B0N, S0H
    H, D, HL, HL2, HR, HR2, DL, DL2, DR, DR2, HP, HN, DP, DN, SIB, SIB2, HH
    N_POSITIONS

cdef enum:  # attributes, in the order of levelhead.parsing.features; the first are columns
    N_COLUMNS = 16
    LABEL = 16
    N_LEFT, N_RIGHT, LEFT_SET, RIGHT_SET, DISTANCE, NEXT_TO, N_ATTRIBUTES

cdef enum:  # kinds of templates
    PLAIN = 0
    EACH = 1      # once for each morphological feature of one word
    AGREE = 2     # once for each morphological feature that both words have
    BETWEEN = 3   # once for each part of speech between two words

cdef enum:
    MOST_ATOMS = 256
    MOST_FEATURES = 131072  # 512 templates, each of at most 16 x 16
    MOST_BETWEEN = 40

cdef struct Words:
    const int32_t* values        # (rows, N_COLUMNS); row 0 is no word, row 1 the root
    const int32_t* feat_starts   # (rows + 1,)
    const int32_t* feat_names    # sorted in each row
    const int32_t* feat_values
    const int32_t* tags          # (rows,), below 64
    int32_t base                 # the row of word i is base + i
    int32_t n

cdef struct Templates:
    int32_t n_atoms
    const int32_t* positions     # of each atom
    const int32_t* attributes
    int32_t n
    const int32_t* starts        # (n + 1,) into atoms
    const int32_t* atoms
    const int32_t* kinds         # (n, 3): kind and two positions
    const uint64_t* seeds
    int32_t bits                 # of the row numbers

cdef struct Place:
    int32_t row                  # -1 until looked up
    int32_t label
    int32_t word                 # -1 if there is none
    Cell* cell

cdef struct View:                # what the templates look at
    Place at[N_POSITIONS]
    int32_t distance
    int32_t from_word, to_word   # between which words BETWEEN looks


cdef inline void put_word(View* view, int32_t position, int32_t word, Words* words) noexcept nogil:
    cdef Place* place = &view.at[position]
    place.word = word if 0 <= word <= words.n else -1
    place.row = place.word + 1 if place.word <= 0 else words.base + place.word
    place.label = -1
    place.cell = NULL


cdef inline void put_cell(View* view, int32_t position, Cell* cell, int32_t label, Words* words) noexcept nogil:
    put_word(view, position, cell.word if cell != NULL else -1, words)
    view.at[position].cell = cell
    view.at[position].label = label


cdef inline void put_children(View* view, int32_t left, int32_t right, Cell* cell, Words* words) noexcept nogil:
    """Four positions: the two outermost children on each side."""
    if cell == NULL:
        put_word(view, left, -1, words)
        put_word(view, left + 1, -1, words)
        put_word(view, right, -1, words)
        put_word(view, right + 1, -1, words)
        return
    put_cell(view, left, cell.left, cell.left_label, words)
    put_cell(view, left + 1, cell.left2, cell.left2_label, words)
    put_cell(view, right, cell.right, cell.right_label, words)
    put_cell(view, right + 1, cell.right2, cell.right2_label, words)


cdef inline int32_t bucket(int32_t distance) noexcept nogil:
    if distance < 0:
        distance = -distance
    if distance <= 5:
        return distance
    return 6 if distance <= 7 else 7 if distance <= 10 else 8 if distance <= 20 else 9


cdef inline void outermost(View* view, int32_t position, Cell* cell, bint left, Words* words) noexcept nogil:
    if cell == NULL:
        put_word(view, position, -1, words)
    elif left:
        put_cell(view, position, cell.left, cell.left_label, words)
    else:
        put_cell(view, position, cell.right, cell.right_label, words)


cdef inline void look(View* view, State* state, Words* words, int32_t system) noexcept nogil:
    """The view for choosing a transition."""
    cdef Cell* top = state.stack
    cdef Cell* second = top.below
    cdef Cell* third = second.below if second != NULL else NULL
    cdef Cell* back = state.back
    cdef int32_t position, word, pair, next = state.next
    put_cell(view, S0, top, top.label, words)
    put_cell(view, S1, second, second.label if second != NULL else -1, words)
    put_cell(view, S2, third, -1, words)
    put_cell(view, S3, third.below if third != NULL else NULL, -1, words)
    put_cell(view, B0, back, -1, words)
    put_children(view, S0L, S0R, top, words)
    put_children(view, S1L, S1R, second, words)
    outermost(view, S2L, third, True, words)
    outermost(view, S2R, third, False, words)
    if back != NULL:
        put_cell(view, B0L, back.left, back.left_label, words)
        put_cell(view, B0L2, back.left2, back.left2_label, words)
    else:
        put_word(view, B0L, -1, words)
        put_word(view, B0L2, -1, words)
    if system == ARC_EAGER and back != NULL:
        next += 1
        back = NULL
        position = B1
    else:
        position = B0
    while position <= B3:
        if back != NULL:
            put_cell(view, position, back, -1, words)
            back = back.below
        else:
            put_word(view, position, next if next <= words.n else -1, words)
            next += 1
        position += 1
    outermost(view, S0LL, view.at[S0L].cell, True, words)
    outermost(view, S0RR, view.at[S0R].cell, False, words)
    outermost(view, S1LL, view.at[S1L].cell, True, words)
    outermost(view, S1RR, view.at[S1R].cell, False, words)
    word = top.word
    put_word(view, S0P, word - 1 if word > 1 else -1, words)
    put_word(view, S0N, word + 1 if word > 0 else -1, words)
    word = view.at[B0].word
    put_word(view, B0P, word - 1 if word > 1 else -1, words)
    put_word(view, B0N, word + 1 if word > 0 else -1, words)
    word = second.word if second != NULL else 0
    put_word(view, S1P, word - 1 if word > 1 else -1, words)
    put_word(view, S1N, word + 1 if word > 0 else -1, words)
    put_word(view, S0H, top.head, words)
    pair = view.at[B0].word if system == ARC_EAGER else view.at[S1].word
    if top.word <= 0 or pair <= 0:
        view.distance = 0
        view.from_word = view.to_word = 0
    else:
        view.distance = bucket(top.word - pair)
        view.from_word, view.to_word = min(top.word, pair), max(top.word, pair)


cdef inline void look_at_arc(View* view, Cell* head, Cell* dependent, Words* words) noexcept nogil:
    """The view for choosing the label of an arc."""
    cdef bint left = dependent.word < head.word
    put_cell(view, H, head, head.label, words)
    put_cell(view, D, dependent, -1, words)
    put_children(view, HL, HR, head, words)
    put_children(view, DL, DR, dependent, words)
    put_word(view, HP, head.word - 1 if head.word > 1 else -1, words)
    put_word(view, HN, head.word + 1 if head.word > 0 else -1, words)
    put_word(view, DP, dependent.word - 1 if dependent.word > 1 else -1, words)
    put_word(view, DN, dependent.word + 1, words)
    if left:
        put_cell(view, SIB, head.left, head.left_label, words)
        put_cell(view, SIB2, head.right, head.right_label, words)
    else:
        put_cell(view, SIB, head.right, head.right_label, words)
        put_cell(view, SIB2, head.left, head.left_label, words)
    put_word(view, HH, head.head, words)
    view.distance = bucket(head.word - dependent.word)
    view.from_word, view.to_word = min(head.word, dependent.word), max(head.word, dependent.word)


cdef inline uint64_t value_of(View* view, int32_t position, int32_t attribute, Words* words) noexcept nogil:
    cdef Place* place = &view.at[position]
    if attribute < N_COLUMNS:
        return <uint32_t>words.values[<int64_t>place.row * N_COLUMNS + attribute]
    if attribute == LABEL:
        return place.label + 2
    if attribute == DISTANCE:
        return view.distance + 1
    if attribute == NEXT_TO:
        return 1 if view.to_word - view.from_word == 1 else 2
    if place.cell == NULL:
        return 1
    if attribute == N_LEFT:
        return 2 + min(place.cell.n_left, 4)
    if attribute == N_RIGHT:
        return 2 + min(place.cell.n_right, 4)
    if attribute == LEFT_SET:
        return place.cell.left_set
    return place.cell.right_set


cdef inline uint64_t mixed(uint64_t hash, uint64_t value) noexcept nogil:
    return (hash ^ value) * <uint64_t>0x9E3779B97F4A7C15ULL


cdef inline int32_t expand(View* view, Templates* templates, int32_t t, uint64_t hash, Words* words,
                           uint32_t* rows) noexcept nogil:
    """The features of a template that yields several."""
    cdef int32_t kind = templates.kinds[3 * t], row = view.at[templates.kinds[3 * t + 1]].row
    cdef int32_t other = view.at[templates.kinds[3 * t + 2]].row, shift = 64 - templates.bits
    cdef int32_t i, j, k, last, count = 0
    cdef uint64_t seen = 0
    if kind == BETWEEN:
        last = min(view.to_word, view.from_word + MOST_BETWEEN)
        for i in range(view.from_word + 1, last):
            seen |= <uint64_t>1 << words.tags[words.base + i]
        i = 0
        while seen:
            if seen & 1:
                rows[count] = <uint32_t>(mixed(hash, i + 1) >> shift)
                count += 1
            seen >>= 1
            i += 1
        return count
    i = words.feat_starts[row]
    last = words.feat_starts[row + 1]
    if kind == EACH:
        while i < last:
            rows[count] = <uint32_t>(mixed(hash, <uint32_t>words.feat_values[i]) >> shift)
            count += 1
            i += 1
        return count
    j = words.feat_starts[other]
    while i < last:  # names ascend on both sides
        while j < words.feat_starts[other + 1] and words.feat_names[j] < words.feat_names[i]:
            j += 1
        k = j
        while k < words.feat_starts[other + 1] and words.feat_names[k] == words.feat_names[i]:
            rows[count] = <uint32_t>(mixed(mixed(hash, <uint32_t>words.feat_values[i]),
                                           <uint32_t>words.feat_values[k]) >> shift)
            count += 1
            k += 1
        i += 1
    return count


cdef inline int32_t features(View* view, Templates* templates, Words* words, uint64_t salt,
                             uint32_t* rows) noexcept nogil:
    """Write the rows of all features, and return how many there are."""
    cdef uint64_t[MOST_ATOMS] values
    cdef int32_t i, t, count = 0, shift = 64 - templates.bits
    cdef uint64_t hash
    for i in range(templates.n_atoms):
        values[i] = value_of(view, templates.positions[i], templates.attributes[i], words)
    for t in range(templates.n):
        hash = templates.seeds[t] ^ salt
        for i in range(templates.starts[t], templates.starts[t + 1]):
            hash = mixed(hash, values[templates.atoms[i]])
        if templates.kinds[3 * t] == PLAIN:
            rows[count] = <uint32_t>(hash >> shift)
            count += 1
        else:
            count += expand(view, templates, t, hash, words, rows + count)
    return count


cdef void point(Templates* templates, tuple arrays, int32_t bits):
    cdef const int32_t[::1] positions = arrays[0], attributes = arrays[1], starts = arrays[2], atoms = arrays[3]
    cdef const int32_t[::1] kinds = arrays[4]
    cdef const uint64_t[::1] seeds = arrays[5]
    templates.n_atoms = len(positions)
    templates.positions = &positions[0]
    templates.attributes = &attributes[0]
    templates.n = len(seeds)
    templates.starts = &starts[0]
    templates.atoms = &atoms[0]
    templates.kinds = &kinds[0]
    templates.seeds = &seeds[0]
    templates.bits = bits


cdef void see_columns(Words* words, tuple columns):
    """Point at the columns of a treebank; the caller keeps them alive."""
    cdef const int32_t[:, ::1] values = columns[0]
    cdef const int32_t[::1] feat_starts = columns[1], feat_names = columns[2], feat_values = columns[3]
    cdef const int32_t[::1] tags = columns[4]
    words.values, words.tags = &values[0, 0], &tags[0]
    words.feat_starts, words.feat_names, words.feat_values = &feat_starts[0], &feat_names[0], &feat_values[0]


# The scores of labels, and changes of weights in training.

cdef struct Machine:
    int32_t system, n_labels, padded, root_label
    Templates actions, labels
    int16_t* action_table
    int16_t* label_table
    float* action_sums        # for averaging; NULL after training
    float* label_sums
    Words words
    Arena arena
    View view
    uint32_t* rows
    int32_t* scores
    int32_t max_swaps


cdef inline int32_t padded_to(int32_t n_labels) noexcept nogil:
    """The number of weights for labels in a row."""
    return (n_labels + 7) // 8 * 8


cdef inline void score_labels(Machine* m, int32_t count) noexcept nogil:
    cdef int32_t i, c
    cdef const int16_t* row
    cdef int32_t* total = m.scores
    cdef int32_t padded = m.padded
    for c in range(padded):
        total[c] = 0
    for i in range(count):
        row = m.label_table + <int64_t>m.rows[i] * padded
        c = 0
        while c < padded:
            prefetch(row + c)
            c += 32
    for i in range(count):
        add_row(total, m.label_table + <int64_t>m.rows[i] * padded, padded)


cdef inline int32_t best_label(Machine* m) noexcept nogil:
    cdef int32_t c, best = -1
    for c in range(m.n_labels):
        if c != m.root_label and (best < 0 or m.scores[c] > m.scores[best]):
            best = c
    return best if best >= 0 else m.root_label


cdef inline void add(int16_t* table, float* sums, int32_t width, const uint32_t* rows, int32_t count, int32_t c,
                     int32_t change, double step) noexcept nogil:
    """Change the weights of one class, and the sums for averaging."""
    cdef int32_t i
    cdef int64_t place
    for i in range(count):
        place = <int64_t>rows[i] * width + c
        if -32000 < table[place] < 32000:
            table[place] += change
            sums[place] += <float>(change * step)
