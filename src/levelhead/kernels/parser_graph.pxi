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
    cdef int64_t here = <int64_t>node * (n + 1)
    cdef int64_t there = <int64_t>into * (n + 1)
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
    cdef int32_t n_nodes = n + 1
    cdef int32_t m, node, above, depth
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
