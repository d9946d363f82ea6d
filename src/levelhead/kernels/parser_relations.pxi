# Relations that are scored together with their arcs: the score of an arc includes that of its best relation, so
# that relations influence the choice of arcs (as labelled arcs do in McDonald, Crammer and Pereira 2005).

cdef double RELATION_MARGIN = 0.5  # a wrong relation is not as bad as a wrong head


cdef inline int32_t relation_rows(Graph* g, int32_t h, int32_t m) noexcept nogil:
    see_arc(g, h, m)
    return features(&g.view, &g.labelled, &g.words, direction(h, m), g.rows)


cdef inline void score_relations(Graph* g, int32_t count) noexcept nogil:
    """The scores of all relations from the features listed last."""
    cdef int32_t i, c, padded = g.padded
    cdef const float* row
    for c in range(padded):
        g.relation_scores[c] = 0
    for i in range(count):
        row = g.relations + <int64_t>g.rows[i] * padded
        c = 0
        while c < padded:
            prefetch(row + c)
            c += 16
    for i in range(count):
        row = g.relations + <int64_t>g.rows[i] * padded
        for c in range(padded):
            g.relation_scores[c] += row[c]


cdef inline int32_t best_relation(Graph* g, int32_t gold, double margin) noexcept nogil:
    """The best relation except the root's; in training (gold >= 0), wrong relations score higher by a margin."""
    cdef int32_t c, best = -1
    for c in range(g.n_labels):
        if gold >= 0 and c != gold:
            g.relation_scores[c] += <float>margin
        if c != g.root_label and (best < 0 or g.relation_scores[c] > g.relation_scores[best]):
            best = c
    return best if best >= 0 else g.root_label


cdef double score_relation(Graph* g, int32_t h, int32_t m, int32_t gold, double* gap) noexcept nogil:
    """The score of an arc's best relation, which is stored; its advantage over gold is added to the gap."""
    cdef int32_t best
    score_relations(g, relation_rows(g, h, m))
    best = best_relation(g, gold, RELATION_MARGIN)
    g.best_relations[h * (g.words.n + 1) + m] = best
    if gold >= 0:
        gap[0] += g.relation_scores[best] - g.relation_scores[gold]
    return g.relation_scores[best]


cdef inline void change_relation(Graph* g, int32_t count, int32_t c, double rate, double step) noexcept nogil:
    cdef int32_t i
    cdef int64_t place
    for i in range(count):
        place = <int64_t>g.rows[i] * g.padded + c
        g.relations[place] += <float>rate
        g.relation_sums[place] += <float>(rate * step)


cdef void learn_relations(Graph* g, const int32_t* gold, const int32_t* labels, double most, double step) noexcept nogil:
    """Learn relations from the arcs of the gold tree alone, towards a margin of one."""
    cdef int32_t m, count, best
    cdef double rate
    for m in range(1, g.words.n + 1):
        if gold[m] == 0:
            continue
        count = relation_rows(g, gold[m], m)
        score_relations(g, count)
        best = best_relation(g, labels[m], 1)
        if best != labels[m]:
            rate = min(most, (g.relation_scores[best] - g.relation_scores[labels[m]]) / (2 * count))
            change_relation(g, count, labels[m], rate, step)
            change_relation(g, count, best, -rate, step)


cdef int64_t relations_but(Graph* g, const int32_t* gold, const int32_t* found, const int32_t* labels, double rate,
                           double step) noexcept nogil:
    """Change the weights of labelled arcs in which two trees differ; with rate 0, only count their features."""
    cdef int32_t m, count, other, n = g.words.n
    cdef int64_t total = 0
    for m in range(1, n + 1):
        other = g.best_relations[found[m] * (n + 1) + m]
        if gold[m] == found[m] and (gold[m] == 0 or labels[m] == other):
            continue
        if gold[m] > 0:
            count = relation_rows(g, gold[m], m)
            total += count
            if rate != 0:
                change_relation(g, count, labels[m], rate, step)
        if found[m] > 0:
            count = relation_rows(g, found[m], m)
            total += count
            if rate != 0:
                change_relation(g, count, other, -rate, step)
    return total


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
