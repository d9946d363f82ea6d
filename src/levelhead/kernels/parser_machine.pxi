# Configurations of transition systems as linked, unchanging cells: a transition is one small allocation, whatever the
# length of the sentence, so that a beam shares everything its members have in common.
#
# Arc-standard and its swap variants: the stack has the artificial root 0 at its bottom; arcs join the two top items.
# Arc-eager: the same stack; arcs join the top of the stack and the first word of the buffer.

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

cdef enum:
    SHIFT = 0, LEFT, RIGHT, OTHER, N_ACTIONS  # other: SWAP, or REDUCE in arc-eager

cdef enum:
    ARC_STANDARD = 0, SWAP_EAGER, SWAP_LAZY, ARC_EAGER

cdef struct Cell:
    Cell* below    # the next item of the stack, or of the part of the buffer that came back by SWAP
    Cell* left     # outermost child on the left
    Cell* left2    # the one attached before it
    Cell* right
    Cell* right2
    int32_t word
    int32_t left_label, left2_label, right_label, right2_label
    int32_t n_left, n_right
    int32_t head, label             # arc-eager: known while the word is still on the stack; -1 if none
    uint32_t left_set, right_set    # hashes of the sets of the children's labels

cdef struct State:
    State* before
    Cell* stack
    Cell* back     # words that SWAP put back (arc-eager: the first word of the buffer, if it has children)
    double score
    int32_t next   # the first word never seen, 1-based
    int32_t swaps
    int32_t action, label
    int32_t done

cdef struct Block:
    Block* before
    size_t used

cdef struct Arena:
    Block* top
    Block* spare
    bint failed

cdef size_t BLOCK = 1 << 20


cdef inline void* take(Arena* arena, size_t size) noexcept nogil:
    """Allocate memory until the next `forget`."""
    cdef Block* block = arena.top
    if block == NULL or block.used + size > BLOCK:
        if arena.spare != NULL:
            block = arena.spare
            arena.spare = block.before
        else:
            block = <Block*>malloc(BLOCK)
        if block == NULL:
            arena.failed = True
            return NULL
        block.before = arena.top
        block.used = sizeof(Block)
        arena.top = block
    block.used += size
    return <char*>block + block.used - size


cdef inline void forget(Arena* arena) noexcept nogil:
    cdef Block* block
    while arena.top != NULL:
        block = arena.top
        arena.top = block.before
        block.before = arena.spare
        arena.spare = block


cdef inline void release(Arena* arena) noexcept nogil:
    cdef Block* block
    forget(arena)
    while arena.spare != NULL:
        block = arena.spare
        arena.spare = block.before
        free(block)


cdef inline Cell* new_cell(Arena* arena, int32_t word, Cell* below) noexcept nogil:
    cdef Cell* cell = <Cell*>take(arena, sizeof(Cell))
    if cell == NULL:
        return NULL
    cell.below = below
    cell.left = cell.left2 = cell.right = cell.right2 = NULL
    cell.word = word
    cell.left_label = cell.left2_label = cell.right_label = cell.right2_label = -1
    cell.n_left = cell.n_right = 0
    cell.head = cell.label = -1
    cell.left_set = cell.right_set = 0
    return cell


cdef inline Cell* copy_cell(Arena* arena, Cell* old, Cell* below) noexcept nogil:
    cdef Cell* cell = <Cell*>take(arena, sizeof(Cell))
    if cell == NULL:
        return NULL
    cell[0] = old[0]
    cell.below = below
    return cell


cdef inline Cell* with_child(Arena* arena, Cell* head, Cell* child, int32_t label, Cell* below) noexcept nogil:
    """The head with one more child, on top of `below`."""
    cdef Cell* cell = copy_cell(arena, head, below)
    cdef uint32_t mark = (<uint32_t>label + 1) * <uint32_t>2654435761
    if cell == NULL:
        return NULL
    if child.word < head.word:
        if cell.left == NULL or child.word < cell.left.word:
            cell.left2, cell.left2_label = cell.left, cell.left_label
            cell.left, cell.left_label = child, label
        elif cell.left2 == NULL or child.word < cell.left2.word:
            cell.left2, cell.left2_label = child, label
        cell.n_left += 1
        cell.left_set |= mark
    else:
        if cell.right == NULL or child.word > cell.right.word:
            cell.right2, cell.right2_label = cell.right, cell.right_label
            cell.right, cell.right_label = child, label
        elif cell.right2 == NULL or child.word > cell.right2.word:
            cell.right2, cell.right2_label = child, label
        cell.n_right += 1
        cell.right_set |= mark
    return cell


cdef inline State* first_state(Arena* arena) noexcept nogil:
    cdef State* state = <State*>take(arena, sizeof(State))
    if state == NULL:
        return NULL
    state.before = NULL
    state.stack = new_cell(arena, 0, NULL)
    state.back = NULL
    state.score = 0
    state.next = 1
    state.swaps = 0
    state.action = state.label = -1
    state.done = False
    return state


cdef inline int32_t first_of_buffer(State* state, int32_t n) noexcept nogil:
    """The first word of the buffer, or -1."""
    if state.back != NULL:
        return state.back.word
    return state.next if state.next <= n else -1


cdef inline int32_t legal_actions(State* state, int32_t n, int32_t system, int32_t max_swaps) noexcept nogil:
    """The legal transitions, as bits; at least one before the end."""
    cdef Cell* top = state.stack
    cdef Cell* second = top.below
    cdef int32_t legal = 0
    cdef bint words_left = state.back != NULL or state.next <= n
    if system == ARC_EAGER:
        if not words_left:
            # The tree is completed: words with a head leave, others go to the item below them (Nivre and
            # Fernandez-Gonzalez 2014 need one such arc too); the last one goes to the root.
            return (1 << OTHER) if top.head >= 0 else (1 << RIGHT)
        if top.word == 0:
            # One child of the root only: nothing may come to lie on the bare root after it had one.
            return (1 << SHIFT) | (1 << RIGHT)
        legal = 1 << SHIFT | 1 << RIGHT
        if top.head < 0:
            legal |= 1 << LEFT
        elif top.head > 0:
            legal |= 1 << OTHER
        return legal
    if words_left:
        legal = 1 << SHIFT
    if second != NULL:
        if second.word != 0:
            legal |= 1 << LEFT | 1 << RIGHT
            if system != ARC_STANDARD and second.word < top.word and state.swaps < max_swaps:
                legal |= 1 << OTHER
        elif not words_left:
            legal |= 1 << RIGHT
    return legal


cdef inline void head_and_dependent(State* state, int32_t n, int32_t system, int32_t action, Arena* arena,
                                    Cell** head, Cell** dependent) noexcept nogil:
    """The two ends of the arc that LEFT or RIGHT would add."""
    cdef Cell* first = state.stack
    cdef Cell* second = state.stack.below
    if system == ARC_EAGER:
        if state.back != NULL:
            first, second = state.back, state.stack
        elif state.next <= n:
            first, second = new_cell(arena, state.next, NULL), state.stack
    if action == LEFT:
        head[0], dependent[0] = first, second
    else:
        head[0], dependent[0] = second, first


cdef inline State* successor(Arena* arena, State* old, int32_t n, int32_t system, int32_t action,
                             int32_t label) noexcept nogil:
    """The state after a legal transition."""
    cdef State* state = <State*>take(arena, sizeof(State))
    cdef Cell* top = old.stack
    cdef Cell* word
    cdef Cell* kept
    if state == NULL:
        return NULL
    state[0] = old[0]
    state.before = old
    state.action, state.label = action, label
    if system == ARC_EAGER:
        if old.back != NULL:
            word = old.back
        elif old.next <= n:
            word = new_cell(arena, old.next, NULL)
        else:
            word = NULL
        if action == SHIFT:
            state.stack = copy_cell(arena, word, top)
        elif action == OTHER:
            state.stack = top.below
        elif word == NULL:  # completion: the top goes to the item below it
            state.stack = with_child(arena, top.below, top, label, top.below.below)
        elif action == LEFT:
            state.stack = top.below
            state.back = with_child(arena, word, top, label, NULL)
        else:
            kept = with_child(arena, top, word, label, top.below)
            if kept == NULL:
                arena.failed = True
                return NULL
            state.stack = copy_cell(arena, word, kept)
            if state.stack != NULL:
                state.stack.head, state.stack.label = top.word, label
        if word != NULL and (action == SHIFT or action == RIGHT):
            state.back = NULL
            state.next += 1
        if not arena.failed:
            state.done = state.next > n and state.stack.below == NULL
        return state
    if action == SHIFT:
        if old.back != NULL:
            state.stack = copy_cell(arena, old.back, top)
            state.back = old.back.below
        else:
            state.stack = new_cell(arena, old.next, top)
            state.next += 1
    elif action == LEFT:
        state.stack = with_child(arena, top, top.below, label, top.below.below)
    elif action == RIGHT:
        state.stack = with_child(arena, top.below, top, label, top.below.below)
    else:
        state.back = copy_cell(arena, top.below, old.back)
        state.stack = copy_cell(arena, top, top.below.below)
        state.swaps += 1
    state.done = state.stack != NULL and state.stack.below == NULL and state.back == NULL and state.next > n
    return state


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


cdef inline int32_t rescue(State* state, Gold* gold, bint to_left, bint to_right) noexcept nogil:
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
            best = rescue(state, gold, to_left, to_right)
            if best >= 0:
                return best
    if legal & 1 << SHIFT:
        return SHIFT
    if not legal & 1 << LEFT:  # the last word goes to the root
        return RIGHT
    if to_left or to_right:
        return LEFT if to_left else RIGHT
    return LEFT if gold.pending[second.word] <= gold.pending[top.word] else RIGHT


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
    """The transition that makes the fewest gold arcs impossible (Goldberg and Nivre 2012); on a tie an arc, then SHIFT."""
    cdef int32_t[4] costs, preference = [LEFT, RIGHT, SHIFT, OTHER]
    cdef int32_t i, head, lost, best = -1, top = state.stack.word, first = first_of_buffer(state, n)
    if first < 0:
        return RIGHT if legal & 1 << RIGHT else OTHER
    head, lost = gold.heads[first], gold.stacked[first]
    if head < first and not gold.gone[head]:
        lost += 1
    costs[OTHER] = costs[LEFT] = gold.pending[top]
    if top > 0 and gold.heads[top] > first:
        costs[LEFT] += 1
    costs[SHIFT] = lost
    costs[RIGHT] = lost + (head > first) - (head == top)
    if top == 0 and head != 0:  # the root has one child only
        costs[RIGHT] += gold.pending[0]
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
