# Maximum spanning trees with one root.

cdef double ROOT_PENALTY = 1e9

cdef struct Contraction:
    double* weights      # (2n + 1, n + 1): of the best arc from each word into each node, as far as it is contracted
    int32_t* enters      # likewise: the word at which this arc ends
    int32_t* top         # (n + 1,): the node that holds each word now
    int32_t* parent      # (2n + 1,): the node into which each was contracted, or -1
    int32_t* source      # (2n + 1,): the chosen arc into each node: from which word
    int32_t* entry       # to which word
    int32_t* state       # 0 new, 1 on the path, 2 joined to the root
    int32_t* path


cdef inline int32_t best_arc(Contraction* c, int32_t node, int32_t n) noexcept nogil:
    """The head of the best arc into a node."""
    cdef int32_t u, best = -1
    cdef const double* row = c.weights + <int64_t>node * (n + 1)
    for u in range(n + 1):
        if c.top[u] != node and (best < 0 or row[u] > row[best]):
            best = u
    return best


cdef inline void merge(Contraction* c, int32_t node, int32_t into, int32_t n, bint first) noexcept nogil:
    """Add a node of a cycle to a new node: an arc into it is worth its difference from the chosen arc."""
    cdef int64_t here = <int64_t>node * (n + 1), there = <int64_t>into * (n + 1)
    cdef double chosen = c.weights[here + c.source[node]]
    cdef int32_t u
    c.parent[node] = into
    for u in range(n + 1):
        if first or c.weights[here + u] - chosen > c.weights[there + u]:
            c.weights[there + u] = c.weights[here + u] - chosen
            c.enters[there + u] = c.enters[here + u]
        if c.top[u] == node:
            c.top[u] = into


cdef int32_t contract_cycles(Contraction* c, int32_t n) noexcept nogil:
    """Choose the best arc into every node, and contract every cycle into a new node; return the number of nodes."""
    cdef int32_t n_nodes = n + 1, m, node, above, depth
    cdef bint first
    for m in range(1, n + 1):
        if c.state[c.top[m]] == 2:
            continue
        c.path[0] = c.top[m]
        c.state[c.top[m]] = 1
        depth = 1
        while True:
            node = c.path[depth - 1]
            c.source[node] = best_arc(c, node, n)
            c.entry[node] = c.enters[<int64_t>node * (n + 1) + c.source[node]]
            above = c.top[c.source[node]]
            if c.state[above] == 2:
                break
            if c.state[above] == 0:
                c.path[depth] = above
                c.state[above] = 1
                depth += 1
                continue
            first = True
            while True:  # the path from `above` on is a cycle
                depth -= 1
                node = c.path[depth]
                merge(c, node, n_nodes, n, first)
                first = False
                if node == above:
                    break
            c.state[n_nodes] = 1
            c.path[depth] = n_nodes
            depth += 1
            n_nodes += 1
        while depth:
            depth -= 1
            c.state[c.path[depth]] = 2
    return n_nodes


cdef void spanning_tree(Contraction* c, const double* scores, int32_t n, int32_t* heads) noexcept nogil:
    """The best tree with one root over words 1..n (Chu and Liu 1965; Edmonds 1967; dense as in Tarjan 1977).

    A constant is taken off every arc from the root, so that the best tree has as few of them as a tree can have, one.
    Scores are at head * (n + 1) + dependent; the heads are written at index dependent.
    """
    cdef int32_t h, m, node, child, inside, n_nodes
    for node in range(2 * n + 2):
        c.parent[node] = -1
        c.state[node] = 0
    c.state[0] = 2
    for m in range(n + 1):
        c.top[m] = m
        for h in range(n + 1):
            c.weights[m * (n + 1) + h] = scores[h * (n + 1) + m] - (ROOT_PENALTY if h == 0 else 0.0)
            c.enters[m * (n + 1) + h] = m
    n_nodes = contract_cycles(c, n)
    for node in range(n_nodes - 1, n, -1):  # the arc into a node opens its cycle where it ends
        inside = c.entry[node]
        while c.parent[inside] != node:
            inside = c.parent[inside]
        c.source[inside], c.entry[inside] = c.source[node], c.entry[node]
    for m in range(1, n + 1):
        heads[m] = c.source[m]


# Scores of trees as sums over arcs, pairs of neighboring siblings, and grandparents; and the way from a tree to a
# better one until there is none (Zhang et al. 2014); each head is chosen among a few candidates.

cdef enum:
    SIBLINGS = 1
    GRANDPARENT = 2
    CACHE_BITS = 17

cdef struct Graph:
    Templates arcs, siblings, grandparents, labelled
    float* relations            # (rows, padded): weights of arcs with a relation; NULL without them
    float* relation_sums
    float* relation_scores      # (padded,)
    int32_t* best_relations     # (n + 1, n + 1): of candidate arcs, head * (n + 1) + dependent
    int32_t n_labels, padded, root_label
    float* first                # weights of arcs by which candidates are chosen
    float* table
    float* sums
    Words words
    View view
    uint32_t* rows
    double* scores              # (n + 1, n + 1): of arcs, head * (n + 1) + dependent
    int32_t* candidates         # (n + 1, most): candidate heads, best first; -1 ends
    int32_t most
    uint64_t* keys              # of the scores of parts that are already known
    float* values
    uint64_t age                # of what is valid in there
    bint second_order
    Contraction contraction


cdef inline void see_arc(Graph* g, int32_t h, int32_t m) noexcept nogil:
    cdef View* view = &g.view
    put_word(view, H, h, &g.words)
    put_word(view, D, m, &g.words)
    put_word(view, HP, h - 1 if h > 1 else -1, &g.words)
    put_word(view, HN, h + 1 if h > 0 else -1, &g.words)
    put_word(view, DP, m - 1 if m > 1 else -1, &g.words)
    put_word(view, DN, m + 1, &g.words)
    if h == 0:
        view.distance = view.from_word = view.to_word = 0
    else:
        view.distance = bucket(h - m)
        view.from_word, view.to_word = min(h, m), max(h, m)


cdef inline uint64_t direction(int32_t h, int32_t m) noexcept nogil:
    return 0xD1B54A32D192ED03ULL if m < h else 0x94D049BB133111EBULL if h > 0 else 0


cdef inline int32_t arc_rows(Graph* g, int32_t h, int32_t m) noexcept nogil:
    see_arc(g, h, m)
    return features(&g.view, &g.arcs, &g.words, direction(h, m), g.rows)


cdef inline int32_t sibling_rows(Graph* g, int32_t h, int32_t m, int32_t s) noexcept nogil:
    """The features of a child and the one before it on the same side, -1 if it is the first."""
    see_arc(g, h, m)
    put_word(&g.view, SIB, s, &g.words)
    return features(&g.view, &g.siblings, &g.words, direction(h, m), g.rows)


cdef inline int32_t grandparent_rows(Graph* g, int32_t h, int32_t m, int32_t above) noexcept nogil:
    """The features of an arc and its head's head."""
    see_arc(g, h, m)
    put_word(&g.view, HH, above, &g.words)
    return features(&g.view, &g.grandparents, &g.words, direction(h, m) ^ direction(above, h) << 1, g.rows)


cdef inline double sum_of(Graph* g, const float* table, int32_t count) noexcept nogil:
    cdef int32_t i
    cdef float total = 0
    for i in range(count):
        prefetch(table + g.rows[i])
    for i in range(count):
        total += table[g.rows[i]]
    return total


cdef inline double part(Graph* g, int32_t kind, int32_t h, int32_t m, int32_t third) noexcept nogil:
    """The score of siblings or of a grandparent, cached; the third word is -1 without a sibling."""
    cdef uint64_t key = ((((g.age << 2 | kind) << 10 | h) << 10 | m) << 10 | (third + 1))
    cdef int64_t slot = <int64_t>(mixed(0, key) >> (64 - CACHE_BITS))
    if g.keys[slot] != key:
        g.keys[slot] = key
        if kind == SIBLINGS:
            g.values[slot] = <float>sum_of(g, g.table, sibling_rows(g, h, m, third))
        else:
            g.values[slot] = <float>sum_of(g, g.table, grandparent_rows(g, h, m, third))
    return g.values[slot]


cdef inline int32_t inner(const int32_t* heads, int32_t h, int32_t m) noexcept nogil:
    """The child of h between it and m that is nearest to m, or -1."""
    cdef int32_t i = m
    while True:
        i += 1 if m < h else -1
        if i == h:
            return -1
        if heads[i] == h:
            return i


cdef inline int32_t outer(const int32_t* heads, int32_t n, int32_t h, int32_t m) noexcept nogil:
    """The next child of h beyond m, or -1."""
    cdef int32_t i = m
    while True:
        i += -1 if m < h else 1
        if i < 1 or i > n:
            return -1
        if heads[i] == h:
            return i


cdef double gain(Graph* g, const int32_t* heads, int32_t h, int32_t m) noexcept nogil:
    """The gain in score if m, which has no head yet, becomes a child of h."""
    cdef int32_t n = g.words.n, c, near, far
    cdef double total = g.scores[h * (n + 1) + m]
    if not g.second_order:
        return total
    if h > 0:
        near, far = inner(heads, h, m), outer(heads, n, h, m)
        total += part(g, SIBLINGS, h, m, near)
        if far > 0:
            total += part(g, SIBLINGS, h, far, m) - part(g, SIBLINGS, h, far, near)
        total += part(g, GRANDPARENT, h, m, heads[h])
    for c in range(1, n + 1):
        if heads[c] == m:
            total += part(g, GRANDPARENT, m, c, h)
    return total


cdef double tree_score(Graph* g, const int32_t* heads) noexcept nogil:
    cdef int32_t m, n = g.words.n
    cdef double total = 0
    for m in range(1, n + 1):
        total += g.scores[heads[m] * (n + 1) + m]
        if g.second_order and heads[m] > 0:
            total += part(g, SIBLINGS, heads[m], m, inner(heads, heads[m], m))
            total += part(g, GRANDPARENT, heads[m], m, heads[heads[m]])
    return total


cdef inline bint is_above(const int32_t* heads, int32_t upper, int32_t lower) noexcept nogil:
    while lower > 0:
        if lower == upper:
            return True
        lower = heads[lower]
    return False


cdef inline bint holds_head(const int32_t* kept, int32_t most, int32_t h) noexcept nogil:
    cdef int32_t i
    for i in range(most):
        if kept[i] == h:
            return True
    return False


cdef bint better_root(Graph* g, int32_t* heads, int32_t m, double* score) noexcept nogil:
    """Make m the root and the old root its child, if that is better."""
    cdef int32_t root = 1, old = heads[m]
    cdef double now
    while heads[root] != 0:
        root += 1
    if root == m or not holds_head(g.candidates + root * g.most, g.most, m):
        return False
    heads[m], heads[root] = 0, m
    now = tree_score(g, heads)
    if now > score[0] + 1e-6:
        score[0] = now
        return True
    heads[m], heads[root] = old, 0
    return False


cdef double climb(Graph* g, int32_t* heads) noexcept nogil:
    """Improve a tree by changing single heads until no change helps; return its score."""
    cdef int32_t n = g.words.n, m, i, h, old, best, rounds = 0
    cdef double score = tree_score(g, heads), most, now
    cdef bint changed = True
    while changed and rounds < 50:
        changed = False
        rounds += 1
        for m in range(1, n + 1):
            if heads[m] == 0:
                continue
            old = best = heads[m]
            heads[m] = -1
            most = -1e300
            i = 0
            while i < g.most and g.candidates[m * g.most + i] >= 0:
                h = g.candidates[m * g.most + i]
                i += 1
                if h == 0 or (h != old and is_above(heads, m, h)):
                    continue
                now = gain(g, heads, h, m)
                if now > most + 1e-6:
                    most, best = now, h
            if best != old and most <= gain(g, heads, old, m) + 1e-6:
                best = old
            heads[m] = best
            if best != old:
                changed = True
                score = tree_score(g, heads)
            if holds_head(g.candidates + m * g.most, g.most, 0) and better_root(g, heads, m, &score):
                changed = True
    return score
