# The best projective tree whose score is a sum over arcs, neighboring siblings and grandparents: Model 1 of Koo and
# Collins (2010), over the candidate arcs only.
#
# Arcs are numbered dependent * most + place among the dependent's candidates, so that an arc also stands for a word and
# the head it has. chains[q * most + i] is about arc q under the i-th candidate head of its head.

cdef struct Chart:
    double* closed       # [arc * (n + 1) + end]: the dependent with all its descendants up to there, either side
    double* open         # [arc * most + i]: from the head to the dependent, whose own descendants on the far side lack
    double* grand        # [arc * most + i]: scores of grandparents
    double* arc_scores
    int32_t* kids        # arcs by head, ascending
    int32_t* kid_starts  # (n + 2,)
    int32_t* by_width    # arcs by length
    int32_t* width_starts
    int64_t* todo        # what is yet to be read off

cdef double NEVER = -1e30


cdef inline void point_chart(Chart* c, double* doubles, int32_t* integers, int64_t* todo, int32_t n,
                             int32_t most) noexcept nogil:
    """Divide up memory: arcs * (n + 2 + 2 * most) doubles, 2 * arcs + 2 * (n + 3) and 8 * n + 16 integers."""
    cdef int64_t arcs = (n + 1) * most
    c.closed = doubles
    c.open = doubles + arcs * (n + 1)
    c.grand = c.open + arcs * most
    c.arc_scores = c.grand + arcs * most
    c.kids, c.by_width = integers, integers + arcs
    c.kid_starts, c.width_starts = integers + 2 * arcs, integers + 2 * arcs + n + 3
    c.todo = todo


cdef inline bint between(int32_t word, int32_t one, int32_t other) noexcept nogil:
    """Whether a word is between two others, or one of them."""
    return one <= word <= other or other <= word <= one


cdef void lay_out(Chart* c, const int32_t* candidates, int32_t most, int32_t n) noexcept nogil:
    """Sort the candidate arcs by head and by length."""
    cdef int32_t m, i, h, q
    for i in range(n + 3):
        c.kid_starts[i] = c.width_starts[i] = 0
    for m in range(1, n + 1):
        for i in range(most):
            h = candidates[m * most + i]
            if h < 0:
                break
            c.kid_starts[h + 2] += 1
            c.width_starts[abs(h - m) + 2] += 1
    for i in range(1, n + 3):
        c.kid_starts[i] += c.kid_starts[i - 1]
        c.width_starts[i] += c.width_starts[i - 1]
    for m in range(1, n + 1):
        for i in range(most):
            h, q = candidates[m * most + i], m * most + i
            if h < 0:
                break
            c.kids[c.kid_starts[h + 1]] = q
            c.kid_starts[h + 1] += 1
            c.by_width[c.width_starts[abs(h - m) + 1]] = q
            c.width_starts[abs(h - m) + 1] += 1


cdef inline double meeting(Chart* c, int32_t inside, int32_t outside, int32_t near, int32_t far, int32_t n,
                           int32_t* where) noexcept nogil:
    """The best split of the words between two neighboring children."""
    cdef int32_t step = 1 if far > near else -1, r = near
    cdef double* ours = c.closed + <int64_t>inside * (n + 1)
    cdef double* theirs = c.closed + <int64_t>outside * (n + 1)
    cdef double best = 2 * NEVER, score
    while r != far:
        score = ours[r] + theirs[r + step]
        if score > best:
            best = score
            where[0] = r
        r += step
    return best


cdef inline void open_arc(Graph* g, Chart* c, int32_t q) noexcept nogil:
    """The best span from a head to its outermost child so far, for each head that the head may have."""
    cdef int32_t n = g.words.n, most = g.most, m = q // most, h = g.candidates[q], i, j, s, above, where = 0
    cdef double own = c.closed[<int64_t>q * (n + 1) + (h + 1 if m > h else h - 1)] + c.arc_scores[q]
    cdef double* spans = c.open + <int64_t>q * most
    cdef double added, score
    own += part(g, SIBLINGS, h, m, -1)
    for i in range(most):
        above = g.candidates[h * most + i]
        if above < 0:
            break
        spans[i] = NEVER
        if not between(above, h, m):
            c.grand[q * most + i] = part(g, GRANDPARENT, h, m, above)
            spans[i] = own + c.grand[q * most + i]
    for j in range(c.kid_starts[h], c.kid_starts[h + 1]):
        s = c.kids[j] // most
        if s == m or s == h or not between(s, h, m):
            continue
        added = meeting(c, c.kids[j], q, s, m, n, &where) + c.arc_scores[q] + part(g, SIBLINGS, h, m, s)
        for i in range(most):
            above = g.candidates[h * most + i]
            if above < 0:
                break
            if not between(above, h, m):
                score = c.open[<int64_t>c.kids[j] * most + i] + added + c.grand[q * most + i]
                if score > spans[i]:
                    spans[i] = score


cdef inline double best_closing(Graph* g, Chart* c, int32_t h, int32_t i, int32_t end, int32_t* chosen) noexcept nogil:
    """The best span of a head from itself to an end, under its i-th candidate head, and its last child."""
    cdef int32_t j, q, m, n = g.words.n
    cdef double best = 2 * NEVER, score
    for j in range(c.kid_starts[h], c.kid_starts[h + 1]):
        q = c.kids[j]
        m = q // g.most
        if between(m, h, end):
            score = c.open[<int64_t>q * g.most + i] + c.closed[<int64_t>q * (n + 1) + end]
            if score > best:
                best = score
                chosen[0] = q
    return max(best, NEVER)


cdef void fill_chart(Graph* g, Chart* c) noexcept nogil:
    cdef int32_t n = g.words.n, most = g.most, w, k, q, h, i, end, side, chosen = 0
    lay_out(c, g.candidates, most, n)
    for h in range(1, n + 1):
        for i in range(most):
            c.closed[<int64_t>(h * most + i) * (n + 1) + h] = 0
    for w in range(1, n):
        for k in range(c.width_starts[w], c.width_starts[w + 1]):
            q = c.by_width[k]
            if g.candidates[q] > 0:
                open_arc(g, c, q)
        for h in range(1, n + 1):
            for side in range(2):
                end = h + w if side else h - w
                if end < 1 or end > n:
                    continue
                for i in range(most):
                    if g.candidates[h * most + i] < 0:
                        break
                    c.closed[<int64_t>(h * most + i) * (n + 1) + end] = (
                        NEVER if between(g.candidates[h * most + i], h, end)
                        else best_closing(g, c, h, i, end, &chosen))


cdef inline int32_t push(Chart* c, int32_t depth, int32_t kind, int32_t q, int32_t other) noexcept nogil:
    c.todo[2 * depth] = <int64_t>kind << 32 | q
    c.todo[2 * depth + 1] = other
    return depth + 1


cdef int32_t read_open(Graph* g, Chart* c, int32_t q, int32_t i, int32_t depth, int32_t* heads) noexcept nogil:
    """Recompute which parts form the best span of `open_arc`."""
    cdef int32_t n = g.words.n, most = g.most
    cdef int32_t m = q // most, h = g.candidates[q], j, s, where = 0, best_kid = -1, best_where = 0
    cdef double best = (c.closed[<int64_t>q * (n + 1) + (h + 1 if m > h else h - 1)] + c.arc_scores[q]
                        + part(g, SIBLINGS, h, m, -1) + c.grand[q * most + i])
    cdef double score
    heads[m] = h
    for j in range(c.kid_starts[h], c.kid_starts[h + 1]):
        s = c.kids[j] // most
        if s == m or s == h or not between(s, h, m):
            continue
        score = meeting(c, c.kids[j], q, s, m, n, &where) + c.arc_scores[q] + part(g, SIBLINGS, h, m, s)
        score = c.open[<int64_t>c.kids[j] * most + i] + score + c.grand[q * most + i]
        if score > best:
            best, best_kid, best_where = score, c.kids[j], where
    if best_kid < 0:
        return push(c, depth, 0, q, h + 1 if m > h else h - 1)
    depth = push(c, depth, 1, best_kid, i)
    depth = push(c, depth, 0, best_kid, best_where)
    return push(c, depth, 0, q, best_where + 1 if m > h else best_where - 1)


cdef void projective_tree(Graph* g, Chart* c, int32_t* heads) noexcept nogil:
    """The best projective tree with one root; it exists, since candidates include the previous word."""
    cdef int32_t n = g.words.n, most = g.most, j, q, end, depth = 0, chosen = -1
    cdef int64_t kind
    cdef double best = 4 * NEVER, score
    fill_chart(g, c)
    for j in range(c.kid_starts[0], c.kid_starts[1]):
        q = c.kids[j]
        score = (c.arc_scores[q] + c.closed[<int64_t>q * (n + 1) + 1] + c.closed[<int64_t>q * (n + 1) + n])
        if score > best:
            best, chosen = score, q
    heads[chosen // most] = 0
    depth = push(c, depth, 0, chosen, 1)
    depth = push(c, depth, 0, chosen, n)
    while depth:
        depth -= 1
        kind, q, end = c.todo[2 * depth] >> 32, <int32_t>c.todo[2 * depth], <int32_t>c.todo[2 * depth + 1]
        if kind == 1:
            depth = read_open(g, c, q, end, depth, heads)
        elif end != q // most:
            best_closing(g, c, q // most, q % most, end, &chosen)
            depth = push(c, depth, 0, chosen, end)
            depth = push(c, depth, 1, chosen, q % most)


# The best tree among arcs that other parsers voted for: their scores and votes, with siblings and grandparents.

cdef double NO_CANDIDATE = -1e10  # the score of arcs that are not candidates; sums with it are exact enough to compare


cdef int32_t* decode_votes(Graph* g, Chart* c, int32_t* heads, int32_t* others, const float* votes) noexcept nogil:
    """The better of two trees: climbing from the best projective tree and from the best spanning tree, with votes."""
    cdef int32_t m, i, h, n = g.words.n
    cdef double score
    for i in range((n + 1) * (n + 1)):
        g.scores[i] = NO_CANDIDATE
    score_candidates(g, c, NULL, NULL, 0)
    for m in range(1, n + 1):
        for i in range(g.most):
            h = g.candidates[m * g.most + i]
            if h < 0:
                break
            c.arc_scores[m * g.most + i] += votes[m * g.most + i]
            g.scores[h * (n + 1) + m] = c.arc_scores[m * g.most + i]
    projective_tree(g, c, heads)
    score = climb(g, heads)
    spanning_tree(&g.contraction, g.scores, n, others)
    if not has_one_root(others, n):  # an untrained model
        return heads
    return others if climb(g, others) > score + 1e-6 else heads


cdef inline bint has_one_root(const int32_t* heads, int32_t n) noexcept nogil:
    cdef int32_t m, count = 0
    for m in range(1, n + 1):
        count += heads[m] == 0
    return count == 1
