# Scores of transitions and labels, greedy and beam search.

cdef struct Candidate:
    double score
    State* state
    int32_t action, label

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


cdef inline int32_t action_rows(Machine* m, State* state) noexcept nogil:
    look(&m.view, state, &m.words, m.system)
    return features(&m.view, &m.actions, &m.words, 0, m.rows)


cdef inline int32_t label_rows(Machine* m, State* state, int32_t action) noexcept nogil:
    cdef Cell* head
    cdef Cell* dependent
    head_and_dependent(state, m.words.n, m.system, action, &m.arena, &head, &dependent)
    if m.arena.failed:
        return 0
    look_at_arc(&m.view, head, dependent, &m.words)
    return features(&m.view, &m.labels, &m.words,
                    <uint64_t>0xD1B54A32D192ED03ULL if dependent.word < head.word else 0, m.rows)


cdef inline void score_actions(Machine* m, int32_t count, int32_t* out) noexcept nogil:
    cdef int32_t i, c
    cdef const int16_t* row
    cdef int32_t[4] total
    total[0] = total[1] = total[2] = total[3] = 0
    for i in range(count):
        prefetch(m.action_table + <int64_t>m.rows[i] * 4)
    for i in range(count):
        add_four(total, m.action_table + <int64_t>m.rows[i] * 4)
    for c in range(4):
        out[c] = total[c]


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


cdef inline bint to_root(Machine* m, State* state, int32_t action) noexcept nogil:
    """Whether this arc makes a word the root."""
    if action != RIGHT:
        return False
    if m.system == ARC_EAGER and (state.back != NULL or state.next <= m.words.n):
        return state.stack.word == 0
    return state.stack.below.word == 0


cdef inline int32_t choose_label(Machine* m, State* state, int32_t action) noexcept nogil:
    if to_root(m, state, action):
        return m.root_label
    score_labels(m, label_rows(m, state, action))
    return best_label(m)


cdef inline int32_t best_action(const int32_t* scores, int32_t legal) noexcept nogil:
    cdef int32_t a, best = -1
    for a in range(N_ACTIONS):
        if legal >> a & 1 and (best < 0 or scores[a] > scores[best]):
            best = a
    return best


cdef State* parse_greedily(Machine* m) noexcept nogil:
    cdef State* state = first_state(&m.arena)
    cdef int32_t[4] scores
    cdef int32_t legal, action, label, n = m.words.n
    while not m.arena.failed and not state.done:
        legal = legal_actions(state, n, m.system, m.max_swaps)
        if legal & (legal - 1):
            score_actions(m, action_rows(m, state), scores)
            action = best_action(scores, legal)
        else:
            action = SHIFT if legal & 1 << SHIFT else RIGHT if legal & 1 << RIGHT else OTHER
        label = choose_label(m, state, action) if action == LEFT or action == RIGHT else -1
        state = successor(&m.arena, state, n, m.system, action, label)
    return state


cdef inline void offer(Candidate* kept, int32_t* count, int32_t most, double score, State* state, int32_t action,
                       int32_t label) noexcept nogil:
    """Insert into a list that is sorted, best first; of equal scores the earlier one stays first."""
    cdef int32_t i
    if count[0] == most:
        if score <= kept[most - 1].score:
            return
    else:
        count[0] += 1
    i = count[0] - 1
    while i > 0 and kept[i - 1].score < score:
        kept[i] = kept[i - 1]
        i -= 1
    kept[i].score, kept[i].state, kept[i].action, kept[i].label = score, state, action, label


cdef int32_t expand_beam(Machine* m, State** beam, int32_t size, Candidate* kept, int32_t most) noexcept nogil:
    """The best successors of all members; finished members remain."""
    cdef int32_t i, a, legal, label, count = 0
    cdef int32_t[4] scores
    cdef double score
    for i in range(size):
        if beam[i].done:
            offer(kept, &count, most, beam[i].score, beam[i], -1, -1)
            continue
        legal = legal_actions(beam[i], m.words.n, m.system, m.max_swaps)
        score_actions(m, action_rows(m, beam[i]), scores)
        for a in range(N_ACTIONS):
            if not legal >> a & 1:
                continue
            label, score = -1, beam[i].score + scores[a]
            if a == LEFT or a == RIGHT:
                label = choose_label(m, beam[i], a)
                if not to_root(m, beam[i], a):
                    score += m.scores[label]
            offer(kept, &count, most, score, beam[i], a, label)
    return count


cdef inline State* follow(Machine* m, Candidate* candidate) noexcept nogil:
    cdef State* state
    if candidate.action < 0:
        return candidate.state
    state = successor(&m.arena, candidate.state, m.words.n, m.system, candidate.action, candidate.label)
    if state != NULL:
        state.score = candidate.score
    return state


cdef State* parse_with_beam(Machine* m, State** beam, Candidate* kept, int32_t most) noexcept nogil:
    cdef int32_t i, size = 1
    cdef bint running = True
    beam[0] = first_state(&m.arena)
    while running and not m.arena.failed:
        size = expand_beam(m, beam, size, kept, most)
        running = False
        for i in range(size):
            beam[i] = follow(m, &kept[i])
            if m.arena.failed:
                return NULL
            running = running or not beam[i].done
    return beam[0]


cdef void read_off(Machine* m, State* state, int32_t* heads, int32_t* labels) noexcept nogil:
    """Write the heads (0 the root) and labels of words 1..n, at index word - 1."""
    cdef Cell* head
    cdef Cell* dependent
    while state.before != NULL:
        if state.action == LEFT or state.action == RIGHT:
            head_and_dependent(state.before, m.words.n, m.system, state.action, &m.arena, &head, &dependent)
            if m.arena.failed:
                return
            heads[dependent.word - 1] = head.word
            labels[dependent.word - 1] = state.label
        state = state.before
