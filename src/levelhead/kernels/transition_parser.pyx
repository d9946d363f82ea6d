# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Transition-based parsing with linear models: greedy and beam search, training of both."""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.string cimport memset

from levelhead.kernels.bounds import bits_of, check_range, check_shape

include "parser_machine.pxi"
include "parser_features.pxi"
include "parser_search.pxi"


cdef class Parser:
    """A transition system, its templates and its weights."""

    cdef Machine m
    cdef object kept  # the arrays that pointers refer to
    cdef int32_t beam

    def __cinit__(self, int32_t system, tuple templates, tuple tables, tuple sums, int32_t n_labels,
                  int32_t root_label, int32_t beam):
        cdef int16_t[:, ::1] actions = tables[0], labels = tables[1]
        cdef float[:, ::1] action_sums, label_sums
        memset(&self.m, 0, sizeof(Machine))
        check_range("system", system, 0, ARC_EAGER)
        check_range("root_label", root_label, 0, n_labels - 1)
        check_range("beam", beam, 1, 1 << 24)
        check_shape("actions", tables[0], (len(actions), N_ACTIONS))
        check_shape("labels", tables[1], (len(labels), padded_to(n_labels)))
        for table, total in zip(tables, sums):
            check_shape("sums", total, np.shape(table))
        self.kept = (templates, tables, sums)
        point(&self.m.actions, templates[0], bits_of("actions", actions))
        point(&self.m.labels, templates[1], bits_of("labels", labels))
        self.m.system = system
        self.m.action_table, self.m.label_table = &actions[0, 0], &labels[0, 0]
        if sums:
            action_sums, label_sums = sums
            self.m.action_sums, self.m.label_sums = &action_sums[0, 0], &label_sums[0, 0]
        self.m.n_labels = n_labels
        self.m.padded = padded_to(n_labels)
        self.m.root_label = root_label
        self.beam = beam
        self.m.rows = <uint32_t*>malloc(MOST_FEATURES * sizeof(uint32_t))
        self.m.scores = <int32_t*>malloc(self.m.padded * sizeof(int32_t))
        if self.m.rows == NULL or self.m.scores == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.m.rows)
        free(self.m.scores)
        release(&self.m.arena)

    def parse(self, tuple columns, const int32_t[::1] starts):
        """Return heads (1-based in the sentence, 0 the root) and labels of all words."""
        cdef int32_t n_words = starts[len(starts) - 1]
        heads, labels = np.zeros(n_words + 1, np.int32), np.zeros(n_words + 1, np.int32)
        cdef int32_t[::1] out_heads = heads, out_labels = labels
        cdef int32_t i, n, most
        cdef State* state
        cdef uint8_t[::1] states = np.empty((self.beam + 1) * sizeof(State*), np.uint8)
        cdef uint8_t[::1] successors = np.empty((self.beam + 1) * sizeof(Candidate), np.uint8)
        cdef State** beam = <State**>&states[0]
        cdef Candidate* candidates = <Candidate*>&successors[0]
        see_columns(&self.m.words, columns)
        with nogil:
            for i in range(starts.shape[0] - 1):
                with gil:
                    PyErr_CheckSignals()  # otherwise Ctrl-C and SIGTERM would wait for the end of the treebank
                n = starts[i + 1] - starts[i]
                self.m.words.base, self.m.words.n = starts[i] + 1, n
                self.m.max_swaps = 4 * n + 20
                most = self.beam
                if most > 1:
                    state = parse_with_beam(&self.m, beam, candidates, most)
                else:
                    state = parse_greedily(&self.m)
                if not self.m.arena.failed:
                    read_off(&self.m, state, &out_heads[starts[i]], &out_labels[starts[i]])
                if self.m.arena.failed:
                    break
                forget(&self.m.arena)
        if self.m.arena.failed:
            raise MemoryError
        return heads[:n_words], labels[:n_words]

    def train(self, tuple columns, const int32_t[::1] starts, const int32_t[::1] heads, const int32_t[::1] labels,
              const int32_t[::1] order, const int32_t[::1] components, const int64_t[::1] sentences, double step,
              double explore, uint64_t seed):
        """Train on sentences once, in this order; return the numbers of steps so far and of errors."""
        cdef int32_t longest = int(np.max(np.diff(starts))) + 1
        cdef int32_t[::1] pending = np.zeros(longest + 1, np.int32), stacked = np.zeros(longest + 1, np.int32)
        cdef uint8_t[::1] gone = np.zeros(longest + 1, np.uint8)
        cdef double time = step
        cdef int32_t n
        cdef int64_t i, wrong = 0
        cdef Gold gold
        cdef uint8_t[::1] states = np.empty((self.beam + 1) * sizeof(State*), np.uint8)
        cdef uint8_t[::1] successors = np.empty((self.beam + 1) * sizeof(Candidate), np.uint8)
        cdef State** beam = <State**>&states[0]
        cdef Candidate* candidates = <Candidate*>&successors[0]
        gold.pending, gold.stacked, gold.gone = &pending[0], &stacked[0], &gone[0]
        see_columns(&self.m.words, columns)
        with nogil:
            for i in sentences:
                with gil:
                    PyErr_CheckSignals()  # otherwise Ctrl-C and SIGTERM would wait for the end of the pass
                n = starts[i + 1] - starts[i]
                self.m.words.base, self.m.words.n = starts[i] + 1, n
                self.m.max_swaps = 4 * n + n * n  # an upper bound for any tree; sentences have at most 2,000 words
                gold.heads = &heads[starts[i]] - 1
                gold.labels = &labels[starts[i]] - 1
                gold.order = &order[starts[i]] - 1
                gold.components = &components[starts[i]] - 1
                if self.beam > 1:
                    wrong += train_with_beam(&self.m, &gold, beam, candidates, self.beam, time)
                    time += 1
                else:
                    wrong += train_greedily(&self.m, &gold, &time, explore, &seed)
                if self.m.arena.failed:
                    break
                forget(&self.m.arena)
        if self.m.arena.failed:
            raise MemoryError
        return time, wrong
