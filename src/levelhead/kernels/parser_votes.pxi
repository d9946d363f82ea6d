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
