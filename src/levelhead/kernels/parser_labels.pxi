# Labels of the arcs of a known tree: chosen bottom-up, and learned on gold trees.

cdef int32_t LABEL_MARGIN = 150  # by which a label must win in training; updates change weights by one


cdef void order_by_depth(const int32_t* heads, int32_t n, int32_t* depth, int32_t* order) noexcept nogil:
    """Order words such that all precede their heads."""
    cdef int32_t m, h, d, count, at
    for m in range(n + 1):
        depth[m] = -1
    depth[0] = 0
    for m in range(1, n + 1):
        h, d = m, 0
        while depth[h] < 0:
            h = heads[h]
            d += 1
        d += depth[h]
        h = m
        while depth[h] < 0:
            depth[h] = d
            d -= 1
            h = heads[h]
    at = n
    d = 0
    while at > 0:  # the shallowest last
        count = at
        for m in range(n + 1):
            if depth[m] == d:
                if m > 0:
                    at -= 1
                    order[at] = m
        d += 1


cdef inline void learn_label(Machine* m, int32_t count, int32_t gold, double step) noexcept nogil:
    """Update the weights of the features of one arc towards a margin; changes its scores."""
    cdef int32_t rival
    m.scores[gold] -= LABEL_MARGIN
    rival = best_label(m)
    if rival != gold:
        add(m.label_table, m.label_sums, m.padded, m.rows, count, gold, 1, step)
        add(m.label_table, m.label_sums, m.padded, m.rows, count, rival, -1, step)


cdef int32_t label_tree(Machine* m, const int32_t* heads, int32_t* labels, const int32_t* gold, double step,
                        Cell** cells, int32_t* depth, int32_t* order) noexcept nogil:
    """Label the arcs of a tree bottom-up, children of one head from the inside out; learn where gold labels are given.

    Returns the number of wrong labels.
    """
    cdef int32_t n = m.words.n, i, h, c, side, count, best, wrong = 0
    order_by_depth(heads, n, depth, order)
    for i in range(n):
        h = order[i]
        cells[h] = new_cell(&m.arena, h, NULL)
        for side in range(2):
            c = h
            while True:
                c += 1 if side else -1
                if c < 1 or c > n:
                    break
                if heads[c] != h or m.arena.failed:
                    continue
                look_at_arc(&m.view, cells[h], cells[c], &m.words)
                put_word(&m.view, HH, heads[h], &m.words)
                count = features(&m.view, &m.labels, &m.words, 0xD1B54A32D192ED03ULL if c < h else 0, m.rows)
                score_labels(m, count)
                best = best_label(m)
                if gold != NULL:
                    wrong += gold[c] != best
                    learn_label(m, count, gold[c], step)
                labels[c] = best
                cells[h] = with_child(&m.arena, cells[h], cells[c], best, NULL)
                if m.arena.failed:
                    return wrong
        if heads[h] == 0:
            labels[h] = m.root_label
    return wrong
