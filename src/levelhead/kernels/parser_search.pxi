# Scores of transitions and labels, greedy and beam search.

cdef struct Candidate:
    double score
    State* state
    int32_t action, label


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


# Perceptron updates: local ones with exploration (Goldberg and Nivre 2012), structured ones at the maximum violation
# (Huang, Fayong and Guo 2012).

cdef void learn_labels(Machine* m, State* state, int32_t action, int32_t gold, double step) noexcept nogil:
    cdef int32_t count = label_rows(m, state, action), other
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


cdef int32_t train_greedily(Machine* m, Gold* gold, double* step, double explore, uint64_t* seed) noexcept nogil:
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
