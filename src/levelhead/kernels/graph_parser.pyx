# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Graph-based parsing with linear models: spanning trees, hill-climbing with parts of two arcs, training of both."""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.stdlib cimport abs
from libc.string cimport memcpy, memset

from levelhead.kernels.bounds import bits_of, check_range, check_shape

include "parser_machine.pxi"
include "parser_features.pxi"
include "parser_graph.pxi"
include "parser_relations.pxi"
include "parser_projective.pxi"


cdef void score_arcs(Graph* g, const float* table, const int32_t* gold, double margin) noexcept nogil:
    """Score all arcs; in training, wrong arcs score higher by a margin."""
    cdef int32_t h, m, n = g.words.n
    for m in range(1, n + 1):
        for h in range(n + 1):
            if h != m:
                g.scores[h * (n + 1) + m] = sum_of(g, table, arc_rows(g, h, m))
                if gold != NULL and gold[m] != h:
                    g.scores[h * (n + 1) + m] += margin


cdef void choose_candidates(Graph* g, int32_t* candidates) noexcept nogil:
    """Choose the best heads, best first, and the previous word, so that a projective tree always exists."""
    cdef int32_t h, m, i, count, n = g.words.n
    cdef int32_t* kept
    cdef double score
    for m in range(1, n + 1):
        kept = candidates + m * g.most
        count = 0
        for h in range(n + 1):
            if h == m:
                continue
            score = g.scores[h * (n + 1) + m]
            if count == g.most:
                if score <= g.scores[kept[count - 1] * (n + 1) + m]:
                    continue
            else:
                count += 1
            i = count - 1
            while i > 0 and g.scores[kept[i - 1] * (n + 1) + m] < score:
                kept[i] = kept[i - 1]
                i -= 1
            kept[i] = h
        for i in range(count, g.most):
            kept[i] = -1
        if not holds_head(kept, g.most, m - 1):
            kept[count - 1] = m - 1


cdef inline void admit_gold(Graph* g, const int32_t* gold) noexcept nogil:
    """Make gold heads candidates, instead of the worst ones."""
    cdef int32_t m, last
    for m in range(1, g.words.n + 1):
        if not holds_head(g.candidates + m * g.most, g.most, gold[m]):
            last = g.most - 1  # the list is full, or all heads were candidates
            if g.candidates[m * g.most + last] == m - 1:
                last -= 1
            g.candidates[m * g.most + last] = gold[m]


cdef double score_candidates(Graph* g, Chart* c, const int32_t* gold, const int32_t* labels,
                             double margin) noexcept nogil:
    """Score arcs with their best relations; return by how much these beat the gold relations in the gold tree."""
    cdef int32_t m, i, h, n = g.words.n
    cdef double score, gap = 0
    for m in range(1, n + 1):
        for i in range(g.most):
            h = g.candidates[m * g.most + i]
            if h < 0:
                break
            score = sum_of(g, g.table, arc_rows(g, h, m))
            if h > 0:
                score += score_relation(g, h, m, labels[m] if gold != NULL and gold[m] == h else -1, &gap)
            if gold != NULL and gold[m] != h:
                score += margin
            g.scores[h * (n + 1) + m] = c.arc_scores[m * g.most + i] = score
    return gap


cdef double decode(Graph* g, Chart* c, int32_t* heads, const int32_t* gold, const int32_t* labels,
                   double margin) noexcept nogil:
    """Find the best spanning tree or, for second order, climb from the best projective tree.

    Returns its score plus the amount by which the gold tree's score is too high, since it uses its best relations.
    """
    cdef double gap
    if not g.second_order:
        score_arcs(g, g.table, gold, margin)
        spanning_tree(&g.contraction, g.scores, g.words.n, heads)
        return tree_score(g, heads)
    gap = score_candidates(g, c, gold, labels, margin)
    projective_tree(g, c, heads)
    return climb(g, heads) + gap


cdef inline int32_t change(Graph* g, int32_t count, double rate, double step) noexcept nogil:
    """Change the weights of the features listed last; with rate 0, only count them."""
    cdef int32_t i
    if rate != 0:
        for i in range(count):
            g.table[g.rows[i]] += <float>rate
            g.sums[g.rows[i]] += <float>(rate * step)
    return count


cdef int64_t parts_but(Graph* g, const int32_t* heads, const int32_t* others, double rate, double step) noexcept nogil:
    """Change the weights of the parts of one tree that the other does not have; return the number of their features."""
    cdef int32_t m, h, near, n = g.words.n
    cdef int64_t count = 0
    for m in range(1, n + 1):
        h = heads[m]
        if others[m] != h:
            count += change(g, arc_rows(g, h, m), rate, step)
        if g.second_order and h > 0:
            near = inner(heads, h, m)
            if others[m] != h or inner(others, h, m) != near:
                count += change(g, sibling_rows(g, h, m, near), rate, step)
            if others[m] != h or others[h] != heads[h]:
                count += change(g, grandparent_rows(g, h, m, heads[h]), rate, step)
    return count


cdef bint learn_tree(Graph* g, const int32_t* gold, const int32_t* labels, const int32_t* found, double distance,
                     double most, double step) noexcept nogil:
    """Passive-aggressive (Crammer et al. 2006): the smallest update after which gold wins by its margin."""
    cdef int64_t count = parts_but(g, gold, found, 0, 0) + parts_but(g, found, gold, 0, 0)
    cdef double rate
    if g.second_order:
        count += relations_but(g, gold, found, labels, 0, 0)
    if count == 0 or distance <= 0:
        return False
    rate = min(most, distance / count)
    parts_but(g, gold, found, rate, step)
    parts_but(g, found, gold, -rate, step)
    if g.second_order:
        relations_but(g, gold, found, labels, rate, step)
    return True


cdef class GraphParser:
    """Templates and weights of a graph-based parser, and its working memory."""

    cdef Graph g
    cdef Machine m
    cdef Chart c
    cdef object kept
    cdef int32_t size
    cdef list room

    def __cinit__(self, tuple templates, tuple tables, tuple sums, int32_t n_labels, int32_t root_label, int32_t most):
        """Take the tables of parts and labels; for second order also of arcs with relations and, unless this is the
        first-order training before second order, of arcs for choosing candidates; `most` is their number per word.
        """
        cdef float[::1] parts = tables[0], first
        cdef int16_t[:, ::1] labels = tables[1]
        cdef float[::1] part_sums
        cdef float[:, ::1] label_sums, relations, relation_sums
        cdef int32_t bits = bits_of("parts", parts)
        memset(&self.m, 0, sizeof(Machine))
        memset(&self.g, 0, sizeof(Graph))
        memset(&self.c, 0, sizeof(Chart))
        check_range("root_label", root_label, 0, n_labels - 1)
        check_range("most", most, 2, 1 << 10)
        check_shape("labels", tables[1], (len(labels), padded_to(n_labels)))
        for table, total in zip(tables, sums):
            check_shape("sums", total, np.shape(table))
        self.kept = (templates, tables, sums)
        point(&self.g.arcs, templates[0], bits)
        point(&self.g.siblings, templates[1], bits)
        point(&self.g.grandparents, templates[2], bits)
        point(&self.m.labels, templates[3], bits_of("labels", labels))
        self.g.table, self.m.label_table = &parts[0], &labels[0, 0]
        self.g.second_order, self.g.most = len(tables) > 3, most
        if self.g.second_order:
            first = tables[3]
            check_shape("first", first, np.shape(parts))
            self.g.first = &first[0]
        if sums:
            part_sums, label_sums = sums[:2]
            self.g.sums, self.m.label_sums = &part_sums[0], &label_sums[0, 0]
        if len(tables) > 2:
            check_shape("relations", tables[2], (len(tables[2]), padded_to(n_labels)))
            relations = tables[2]
            point(&self.g.labelled, templates[4], bits_of("relations", relations))
            self.g.relations = &relations[0, 0]
            if sums:
                relation_sums = sums[2]
                self.g.relation_sums = &relation_sums[0, 0]
        self.m.n_labels, self.m.padded = n_labels, padded_to(n_labels)
        self.m.root_label = self.g.root_label = root_label
        self.g.n_labels, self.g.padded = n_labels, self.m.padded
        self.m.rows = <uint32_t*>malloc(MOST_FEATURES * sizeof(uint32_t))
        self.m.scores = <int32_t*>malloc(self.m.padded * sizeof(int32_t))
        self.g.relation_scores = <float*>malloc(self.m.padded * sizeof(float))
        if self.m.rows == NULL or self.m.scores == NULL or self.g.relation_scores == NULL:
            raise MemoryError
        self.g.rows = self.m.rows
        self.size = 0
        keys, values = np.zeros(1 << CACHE_BITS, np.uint64), np.zeros(1 << CACHE_BITS, np.float32)
        cdef uint64_t[::1] key_view = keys
        cdef float[::1] value_view = values
        self.g.keys, self.g.values = &key_view[0], &value_view[0]
        self.room = [keys, values]

    def __dealloc__(self):
        free(self.m.rows)
        free(self.m.scores)
        free(self.g.relation_scores)
        release(&self.m.arena)

    cdef void make_room(self, tuple columns, int32_t n):
        """Look at a treebank, and allocate memory for its sentences of up to n words."""
        see_columns(&self.m.words, columns)
        self.g.words = self.m.words
        if n <= self.size:
            return
        cdef int32_t arcs = (n + 1) * self.g.most
        cdef double[::1] doubles = np.zeros((n + 1) * (n + 1) + (2 * n + 2) * (n + 1))
        cdef int32_t[::1] integers = np.zeros((2 * n + 2) * (n + 1) + 6 * (2 * n + 2) + arcs, np.int32)
        cdef int64_t[::1] todo
        self.room = self.room[:2] + [doubles, integers]
        self.g.scores = &doubles[0]
        self.g.contraction.weights = self.g.scores + (n + 1) * (n + 1)
        self.g.contraction.enters = &integers[0]
        self.g.contraction.top = self.g.contraction.enters + (2 * n + 2) * (n + 1)
        self.g.contraction.parent = self.g.contraction.top + 2 * n + 2
        self.g.contraction.source = self.g.contraction.parent + 2 * n + 2
        self.g.contraction.entry = self.g.contraction.source + 2 * n + 2
        self.g.contraction.state = self.g.contraction.entry + 2 * n + 2
        self.g.contraction.path = self.g.contraction.state + 2 * n + 2
        self.g.candidates = self.g.contraction.path + 2 * n + 2
        self.size = n
        if self.g.second_order:
            doubles = np.zeros(<int64_t>arcs * (n + 2 + 2 * self.g.most))
            integers = np.zeros(2 * arcs + 2 * (n + 3) + (n + 1) * (n + 1), np.int32)
            todo = np.zeros(8 * n + 16, np.int64)
            self.room += [doubles, integers, todo]
            point_chart(&self.c, &doubles[0], &integers[0], &todo[0], n, self.g.most)
            self.g.best_relations = &integers[2 * arcs + 2 * (n + 3)]

    cdef inline void turn_to(self, const int32_t[::1] starts, int64_t i) noexcept nogil:
        """Select a sentence."""
        self.m.words.base = self.g.words.base = starts[i] + 1
        self.m.words.n = self.g.words.n = starts[i + 1] - starts[i]
        self.g.age += 1

    def candidates(self, tuple columns, const int32_t[::1] starts, const int64_t[::1] sentences):
        """Return the candidate heads of the words of some sentences, best first, filled up with -1."""
        cdef int32_t n_words = starts[starts.shape[0] - 1]
        cdef int64_t i
        chosen = np.zeros((n_words + 1, self.g.most), np.int32)
        cdef int32_t[:, ::1] out = chosen
        self.make_room(columns, int(np.max(np.diff(starts)[sentences])))
        with nogil:
            for i in sentences:
                with gil:
                    PyErr_CheckSignals()  # otherwise Ctrl-C and SIGTERM would wait for the end of the treebank
                self.turn_to(starts, i)
                score_arcs(&self.g, self.g.first, NULL, 0)
                choose_candidates(&self.g, &out[0, 0] + (<int64_t>starts[i] - 1) * self.g.most)
        return chosen[:n_words]

    def parse(self, tuple columns, const int32_t[::1] starts, const int32_t[:, ::1] candidates=None,
              const float[:, ::1] votes=None):
        """Return heads (1-based in the sentence, 0 the root) and labels of all words; sentences have at most 1000 words.

        If candidate heads are given, only these are considered, and their votes are added to their scores. Candidates
        must include the previous word (or 0), in any order; -1 ends them.
        """
        cdef int32_t n_words = starts[starts.shape[0] - 1], n, i, k, longest = int(np.max(np.diff(starts)))
        heads, labels = np.zeros(n_words + 1, np.int32), np.zeros(n_words + 1, np.int32)
        cdef int32_t[::1] out_heads = heads, out_labels = labels
        cdef int32_t[:, ::1] work = np.zeros((5, longest + 1), np.int32)
        cdef uint8_t[::1] of_cells = np.empty((longest + 1) * sizeof(Cell*), np.uint8)
        cdef Cell** cells = <Cell**>&of_cells[0]
        cdef int32_t* found
        cdef bint voted = candidates is not None
        if voted:
            check_shape("candidates", candidates, (n_words, self.g.most))
            check_shape("votes", votes, (n_words, self.g.most))
        self.make_room(columns, longest)
        with nogil:
            for i in range(starts.shape[0] - 1):
                with gil:
                    PyErr_CheckSignals()  # otherwise Ctrl-C and SIGTERM would wait for the end of the treebank
                self.turn_to(starts, i)
                n, found = self.g.words.n, &work[0, 0]
                if voted:
                    memcpy(self.g.candidates + self.g.most, &candidates[starts[i], 0],
                           n * self.g.most * sizeof(int32_t))
                    found = decode_votes(&self.g, &self.c, found, &work[4, 0], &votes[starts[i], 0] - self.g.most)
                else:
                    if self.g.second_order:
                        score_arcs(&self.g, self.g.first, NULL, 0)
                        choose_candidates(&self.g, self.g.candidates)
                    decode(&self.g, &self.c, found, NULL, NULL, 0)
                label_tree(&self.m, found, &work[1, 0], NULL, 0, cells, &work[2, 0], &work[3, 0])
                if self.m.arena.failed:
                    break
                forget(&self.m.arena)
                for k in range(n):
                    out_heads[starts[i] + k], out_labels[starts[i] + k] = found[k + 1], work[1, k + 1]
        if self.m.arena.failed:
            raise MemoryError
        return heads[:n_words], labels[:n_words]

    def train(self, tuple columns, const int32_t[::1] starts, const int32_t[::1] heads, const int32_t[::1] labels,
              const int64_t[::1] sentences, const int32_t[:, ::1] candidates, double step, double margin, double most):
        """Train on sentences once, in this order; return the numbers of steps, wrong trees and wrong labels."""
        cdef int32_t longest = int(np.max(np.diff(starts)[sentences]))
        cdef int32_t[:, ::1] work = np.zeros((4, longest + 1), np.int32)
        cdef uint8_t[::1] of_cells = np.empty((longest + 1) * sizeof(Cell*), np.uint8)
        cdef Cell** cells = <Cell**>&of_cells[0]
        cdef const int32_t* gold
        cdef const int32_t* relations
        cdef int64_t i, wrong = 0, mislabelled = 0
        cdef double found
        self.make_room(columns, longest)
        with nogil:
            for i in sentences:
                with gil:
                    PyErr_CheckSignals()  # otherwise Ctrl-C and SIGTERM would wait for the end of the treebank
                self.turn_to(starts, i)
                gold, relations = &heads[starts[i]] - 1, &labels[starts[i]] - 1
                if self.g.second_order:
                    memcpy(self.g.candidates + self.g.most, &candidates[starts[i], 0],
                           self.g.words.n * self.g.most * sizeof(int32_t))
                    admit_gold(&self.g, gold)
                elif self.g.relations != NULL:
                    learn_relations(&self.g, gold, relations, most, step)
                if margin >= 0:
                    found = decode(&self.g, &self.c, &work[0, 0], gold, relations, margin)
                    wrong += learn_tree(&self.g, gold, relations, &work[0, 0], found - tree_score(&self.g, gold), most,
                                    step)
                mislabelled += label_tree(&self.m, gold, &work[1, 0], relations, step, cells, &work[2, 0],
                                          &work[3, 0])
                step += 1
                if self.m.arena.failed:
                    break
                forget(&self.m.arena)
        if self.m.arena.failed:
            raise MemoryError
        return step, wrong, mislabelled
