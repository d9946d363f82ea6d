# The next transition, given the gold tree: on the gold path, from the static oracles of Nivre (2008, 2009) and Nivre,
# Kuhlmann and Hall (2009); elsewhere, the one towards the gold tree of the words that are still in play.

cdef struct Gold:
    const int32_t* heads        # of words 1..n, at index word; 0 the root
    const int32_t* labels
    const int32_t* order        # place of each word in the projective order
    const int32_t* components   # maximal projective component of each word
    int32_t* pending            # words in play whose nearest gold ancestor in play is this one
                                # (arc-eager: gold dependents still in the buffer)
    int32_t* stacked            # arc-eager: gold dependents on the stack that have no head yet
    uint8_t* gone               # attached already (arc-eager: no longer on the stack, or the root with its one child),
                                # hence out of play
    bint astray                 # another transition was taken than the oracle's


cdef inline int32_t target(Gold* gold, int32_t word) noexcept nogil:
    """The nearest gold ancestor still in play."""
    cdef int32_t head = gold.heads[word]
    while head > 0 and gold.gone[head]:
        head = gold.heads[head]
    return head


cdef inline void begin(Gold* gold, int32_t n) noexcept nogil:
    cdef int32_t word
    gold.astray = False
    for word in range(n + 1):
        gold.pending[word] = gold.stacked[word] = 0
        gold.gone[word] = False
    for word in range(1, n + 1):
        gold.pending[gold.heads[word]] += 1


cdef inline void leave(Gold* gold, int32_t word) noexcept nogil:
    """Take an attached word out of play: pending words now wait for its nearest ancestor."""
    gold.pending[target(gold, word)] += gold.pending[word] - 1
    gold.gone[word] = True


cdef inline int32_t waiting_below(Cell* cell, Gold* gold, int32_t word) noexcept nogil:
    """The number of stack items, from this one down, that wait for the word."""
    cdef int32_t count = 0
    while cell != NULL and cell.word != 0:
        count += target(gold, cell.word) == word
        cell = cell.below
    return count


cdef inline bint holds(Cell* cell, int32_t word) noexcept nogil:
    while cell != NULL:
        if cell.word == word:
            return True
        cell = cell.below
    return False


cdef inline int32_t rescue(State* state, Gold* gold, bint to_left, bint to_right, int32_t legal) noexcept nogil:
    """The best arc after an earlier mistake, or -1: gold arcs deeper in the stack are given up."""
    cdef Cell* top = state.stack
    cdef Cell* second = top.below
    if second.word == 0:
        return -1
    if to_left and waiting_below(second.below, gold, second.word) == gold.pending[second.word]:
        return LEFT
    if to_right and waiting_below(second.below, gold, top.word) == gold.pending[top.word]:
        return RIGHT
    if not to_left and not to_right and gold.pending[top.word] == 0 and holds(second.below, target(gold, top.word)):
        return LEFT if holds(second.below, target(gold, second.word)) and gold.pending[second.word] == 0 else RIGHT
    return -1


cdef inline int32_t stack_oracle(State* state, Gold* gold, int32_t n, int32_t system, int32_t legal) noexcept nogil:
    """The transition of the arc-standard systems: arcs first, then SWAP, then SHIFT."""
    cdef Cell* top = state.stack
    cdef Cell* second = top.below
    cdef int32_t first, best
    cdef bint to_left = False, to_right = False
    if second != NULL:
        to_left = second.word != 0 and target(gold, second.word) == top.word
        to_right = target(gold, top.word) == second.word
        if to_left and gold.pending[second.word] == 0:
            return LEFT
        if to_right and gold.pending[top.word] == 0 and legal & 1 << RIGHT:
            return RIGHT
        if legal & 1 << OTHER and gold.order[second.word] > gold.order[top.word]:
            first = first_of_buffer(state, n)
            if system == SWAP_EAGER or first < 0 or gold.components[first] != gold.components[top.word]:
                return OTHER
        elif gold.astray:
            best = rescue(state, gold, to_left, to_right, legal)
            if best >= 0:
                return best
    if legal & 1 << SHIFT:
        return SHIFT
    if not legal & 1 << LEFT:  # the last word goes to the root
        return RIGHT
    if to_left or to_right:
        return LEFT if to_left else RIGHT
    return LEFT if gold.pending[second.word] <= gold.pending[top.word] else RIGHT


cdef inline void eager_costs(State* state, Gold* gold, int32_t first, int32_t* costs) noexcept nogil:
    """The number of gold arcs that each legal transition of arc-eager makes impossible (Goldberg and Nivre 2012)."""
    cdef int32_t top = state.stack.word
    cdef int32_t head = gold.heads[first]
    cdef int32_t lost = gold.stacked[first]
    if head < first and not gold.gone[head]:
        lost += 1
    costs[OTHER] = gold.pending[top]
    costs[LEFT] = gold.pending[top]
    if top > 0 and gold.heads[top] > first:
        costs[LEFT] += 1
    costs[SHIFT] = lost
    costs[RIGHT] = lost + (head > first) - (head == top)
    if top == 0 and head != 0:  # the root has one child only
        costs[RIGHT] += gold.pending[0]


cdef inline void eager_follow(State* state, Gold* gold, int32_t first, int32_t action) noexcept nogil:
    """Update the gold arcs after a transition of arc-eager; the buffer must not be empty."""
    cdef int32_t top = state.stack.word
    if action == SHIFT or action == RIGHT:
        gold.pending[gold.heads[first]] -= 1
        gold.stacked[gold.heads[first]] += action == SHIFT
        if top == 0 and action == RIGHT:
            gold.gone[0] = True
    else:
        gold.gone[top] = True
        gold.stacked[gold.heads[top]] -= action == LEFT


cdef inline int32_t eager_oracle(State* state, Gold* gold, int32_t n, int32_t legal) noexcept nogil:
    """The cheapest transition; on a tie an arc, then SHIFT."""
    cdef int32_t[4] costs
    cdef int32_t[4] preference
    cdef int32_t i, best = -1, first = first_of_buffer(state, n)
    if first < 0:
        return RIGHT if legal & 1 << RIGHT else OTHER
    preference[0], preference[1], preference[2], preference[3] = LEFT, RIGHT, SHIFT, OTHER
    eager_costs(state, gold, first, costs)
    for i in range(4):
        if legal & 1 << preference[i] and (best < 0 or costs[preference[i]] < costs[best]):
            best = preference[i]
    return best


cdef inline int32_t oracle(State* state, Gold* gold, int32_t n, int32_t system, int32_t legal) noexcept nogil:
    if system == ARC_EAGER:
        return eager_oracle(state, gold, n, legal)
    return stack_oracle(state, gold, n, system, legal)


cdef inline void keep_up(State* state, Gold* gold, int32_t n, int32_t system, int32_t action) noexcept nogil:
    """Update the state of the gold tree after a transition."""
    cdef int32_t first
    if system == ARC_EAGER:
        first = first_of_buffer(state, n)
        if first > 0:
            eager_follow(state, gold, first, action)
    elif action == LEFT or action == RIGHT:
        leave(gold, state.stack.below.word if action == LEFT else state.stack.word)
