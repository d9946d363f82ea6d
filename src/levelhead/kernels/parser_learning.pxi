# Perceptron updates: local ones with exploration (Goldberg and Nivre 2012), structured ones at the maximum violation
# (Huang, Fayong and Guo 2012).

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


cdef void learn_labels(Machine* m, State* state, int32_t action, int32_t gold, double step) noexcept nogil:
    cdef int32_t count = label_rows(m, state, action)
    cdef int32_t other
    score_labels(m, count)
    other = best_label(m)
    if other != gold:
        add(m.label_table, m.label_sums, m.padded, m.rows, count, gold, 1, step)
        add(m.label_table, m.label_sums, m.padded, m.rows, count, other, -1, step)


cdef inline uint64_t draw(uint64_t* seed) noexcept nogil:
    seed[0] ^= seed[0] << 13
    seed[0] ^= seed[0] >> 7
    seed[0] ^= seed[0] << 17
    return seed[0]


cdef int32_t train_greedily(Machine* m, Gold* gold, double* step, double explore,
                            uint64_t* seed) noexcept nogil:
    """Train on one sentence; return the number of wrong transitions."""
    cdef State* state = first_state(&m.arena)
    cdef Cell* head
    cdef Cell* dependent
    cdef int32_t[4] scores
    cdef int32_t legal, action, best, wanted, count, label, wrong = 0, n = m.words.n
    cdef bint agrees
    begin(gold, n)
    while not m.arena.failed and not state.done:
        legal = legal_actions(state, n, m.system, m.max_swaps)
        wanted = oracle(state, gold, n, m.system, legal)
        action = wanted
        if legal & (legal - 1):
            count = action_rows(m, state)
            score_actions(m, count, scores)
            best = best_action(scores, legal)
            if best != wanted:
                add(m.action_table, m.action_sums, 4, m.rows, count, wanted, 1, step[0])
                add(m.action_table, m.action_sums, 4, m.rows, count, best, -1, step[0])
                wrong += 1
            if best != wanted and explore > 0 and (draw(seed) >> 11) * (1.0 / 9007199254740992.0) < explore:
                action = best
                gold.astray = True
        step[0] += 1
        label = -1
        if action == LEFT or action == RIGHT:
            label = m.root_label
            if not to_root(m, state, action):
                head_and_dependent(state, n, m.system, action, &m.arena, &head, &dependent)
                if m.arena.failed:
                    break
                if gold.heads[dependent.word] == head.word:
                    learn_labels(m, state, action, gold.labels[dependent.word], step[0])
                    label = gold.labels[dependent.word]
                if explore > 0 or gold.heads[dependent.word] != head.word:
                    label = choose_label(m, state, action)
        keep_up(state, gold, n, m.system, action)
        state = successor(&m.arena, state, n, m.system, action, label)
    return wrong


cdef void take_back(Machine* m, State* state, int32_t change, double step) noexcept nogil:
    """Change the weights of the transition that led to a state."""
    cdef int32_t count = action_rows(m, state.before)
    add(m.action_table, m.action_sums, 4, m.rows, count, state.action, change, step)
    if (state.action == LEFT or state.action == RIGHT) and not to_root(m, state.before, state.action):
        count = label_rows(m, state.before, state.action)
        add(m.label_table, m.label_sums, m.padded, m.rows, count, state.label, change, step)


cdef int32_t length(State* state) noexcept nogil:
    cdef int32_t steps = 0
    while state.before != NULL:
        steps += 1
        state = state.before
    return steps


cdef void contrast(Machine* m, State* best, State* gold, double step) noexcept nogil:
    """From the first difference on, reward the gold transitions and penalize those of the best state."""
    cdef int32_t i, k, n_best = length(best), n_gold = length(gold)
    cdef State** ours = <State**>take(&m.arena, (n_best + 1) * sizeof(State*)) if n_best < 100000 else NULL
    cdef State** theirs = <State**>take(&m.arena, (n_gold + 1) * sizeof(State*)) if n_gold < 100000 else NULL
    if ours == NULL or theirs == NULL:
        return
    i = n_best
    while best.before != NULL:
        i -= 1
        ours[i] = best
        best = best.before
    i = n_gold
    while gold.before != NULL:
        i -= 1
        theirs[i] = gold
        gold = gold.before
    k = 0
    while k < n_best and k < n_gold and ours[k].action == theirs[k].action and ours[k].label == theirs[k].label:
        k += 1
    for i in range(k, n_gold):
        take_back(m, theirs[i], 1, step)
    for i in range(k, n_best):
        take_back(m, ours[i], -1, step)


cdef double step_score(Machine* m, State* state, int32_t action, int32_t label) noexcept nogil:
    cdef int32_t[4] scores
    cdef double total
    score_actions(m, action_rows(m, state), scores)
    total = scores[action]
    if (action == LEFT or action == RIGHT) and not to_root(m, state, action):
        score_labels(m, label_rows(m, state, action))
        total += m.scores[label]
    return total


cdef int32_t train_with_beam(Machine* m, Gold* gold, State** beam, Candidate* kept, int32_t most, double step) noexcept nogil:
    """Train on one sentence by max-violation (Huang, Fayong and Guo 2012); return whether it was updated."""
    cdef State* right = first_state(&m.arena)
    cdef State* worst = NULL
    cdef State* worst_right = NULL
    cdef State* parent
    cdef double violation = -1
    cdef int32_t i, size = 1, place = 0, wanted, label, n = m.words.n, legal
    cdef bint running = True
    begin(gold, n)
    beam[0] = right
    while running and not m.arena.failed:
        size = expand_beam(m, beam, size, kept, most)
        if m.arena.failed:
            return 0
        wanted = label = -1
        parent = right
        if not right.done:
            legal = legal_actions(right, n, m.system, m.max_swaps)
            wanted = oracle(right, gold, n, m.system, legal)
            if wanted == LEFT or wanted == RIGHT:
                label = label_of(m, right, wanted, gold)
            keep_up(right, gold, n, m.system, wanted)
        place = -1
        running = False
        for i in range(size):
            if kept[i].state == parent and kept[i].action == wanted and kept[i].label == label:
                place = i
            beam[i] = follow(m, &kept[i])
            if m.arena.failed:
                return 0
            running = running or not beam[i].done
        if place >= 0:
            right = beam[place]
        elif wanted >= 0:
            right = successor(&m.arena, parent, n, m.system, wanted, label)
            if right == NULL:
                return 0
            right.score = parent.score + step_score(m, parent, wanted, label)
        running = running or not right.done
        if beam[0].score - right.score >= violation and (place < 0 or not running):
            violation = beam[0].score - right.score
            worst, worst_right = beam[0], right
    if worst == NULL or beam[0] == right:
        return 0
    contrast(m, worst, worst_right, step)
    return 1


cdef inline int32_t label_of(Machine* m, State* state, int32_t action, Gold* gold) noexcept nogil:
    cdef Cell* head
    cdef Cell* dependent
    if to_root(m, state, action):
        return m.root_label
    head_and_dependent(state, m.words.n, m.system, action, &m.arena, &head, &dependent)
    return gold.labels[dependent.word] if not m.arena.failed else 0
