"""Confusion of relations, example sentences, types of errors, and cascading errors."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.analysis.word_properties import PROPERTIES, PropertySettings
from levelhead.errors import Fault, InputError, MeasureError, quoted
from levelhead.scoring.matches import Agree, Matches
from levelhead.scoring.measure_definitions import ATTACHED
from levelhead.tables.data import NOT_A_COLUMN, Percent
from levelhead.treebank.relations import NIVRE_FANG, Scheme, universal
from levelhead.treebank.treebank import shapes_of

# the types of errors: see `error_types`
ERRORS = (
    "right",
    "wrong label",
    "wrong head inside the phrase",
    "wrong head outside the phrase",
    "wrongly the root",
    "root not found",
    "head not aligned",
    "no head",  # only in partial scores
)

MOST_RELATIONS = 1000  # in a confusion matrix, since files can have any number
OTHER = "(other)"  # the name for all other relations


class Confusion(NamedTuple):
    """The confusion matrix of gold and system relations, over aligned words.

    Args:
        names: the universal relations, most frequent first. If there are more than `MOST_RELATIONS`, the rarest ones
            are counted together as `OTHER`.
        counts: the number of words with each pair of gold relation (row) and system relation (column), int64, shape
            (names, names).
        right_heads: how many of the words in `counts` have the correct head, int64, shape (names, names).
        unaligned_gold: the number of unaligned gold words with each relation, int64, shape (names,).
        unaligned_system: the number of unaligned system words with each relation, int64, shape (names,).
    """

    names: tuple[str, ...]
    counts: NDArray[np.int64]
    right_heads: NDArray[np.int64]
    unaligned_gold: NDArray[np.int64]
    unaligned_system: NDArray[np.int64]

    def cells(self) -> Iterator[ConfusedWords]:
        """Yield the nonempty cells of the matrix, the largest first, then the unaligned words of each relation."""
        names, totals = self.names, self.counts.sum(axis=1).tolist()
        for g, s in sorted(np.argwhere(self.counts).tolist(), key=lambda cell: -int(self.counts[tuple(cell)])):
            n = int(self.counts[g, s])
            yield ConfusedWords(names[g], names[s], n, int(self.right_heads[g, s]), 100 * n / totals[g])
        for name, n in zip(names, self.unaligned_gold.tolist(), strict=True):
            if n:
                yield ConfusedWords(name, None, n, None, None)
        for name, n in zip(names, self.unaligned_system.tolist(), strict=True):
            if n:
                yield ConfusedWords(None, name, n, None, None)


class ConfusedWords(NamedTuple):
    """The words with a given gold and system relation.

    Args:
        gold_relation: the universal relation in gold; null for unaligned system words.
        system_relation: the universal relation in the system's output; null for unaligned gold words.
        words: the number of words.
        head_correct: the number of these words with the correct head; null for unaligned words.
        share: of all aligned words with this gold relation, the share with this system relation.
    """

    gold_relation: str | None
    system_relation: str | None
    words: int
    head_correct: int | None
    share: Percent | None


class Example(NamedTuple):
    """The positions of a gold word and the aligned system word.

    Args:
        gold_sentence: the index of the sentence in gold.
        gold_word: the index of the gold word in this sentence.
        system_sentence: the index of the sentence in the system's output.
        system_word: the index of the system word in this sentence.
    """

    gold_sentence: int
    gold_word: int
    system_sentence: int
    system_word: int


def count_confusions(matches: Matches) -> Confusion:
    """Return the confusion of universal relations."""
    relations = PROPERTIES["relation"].of(matches, PropertySettings(NIVRE_FANG))
    names = relations.names if len(relations.names) <= MOST_RELATIONS else (*relations.names[:MOST_RELATIONS], OTHER)
    size = len(names)
    of_gold, of_system = (side.clip(max=MOST_RELATIONS) for side in (relations.gold, relations.system))
    cells = of_gold[matches.alignment.gold] * size + of_system[matches.alignment.system]
    return Confusion(
        tuple(names),
        np.bincount(cells, minlength=size * size).reshape(size, size),
        np.bincount(cells[matches.agree(Agree.HEAD)], minlength=size * size).reshape(size, size),
        np.bincount(np.delete(of_gold, matches.alignment.gold), minlength=size),
        np.bincount(of_system[matches.gold_of_system < 0], minlength=size),
    )


def examples_of(matches: Matches, gold_relation: str, system_relation: str) -> Iterator[Example]:
    """Yield the words in a cell of the confusion."""
    # a relation without a subtype is found with any subtype
    of_gold = matches.gold.relations.mapped(lambda name: gold_relation in {name, universal(name)}, bool)
    of_system = matches.system.relations.mapped(lambda name: system_relation in {name, universal(name)}, bool)
    for pair in np.flatnonzero(of_gold[matches.alignment.gold] & of_system[matches.alignment.system]).tolist():
        gold, system = int(matches.alignment.gold[pair]), int(matches.alignment.system[pair])
        gold_sentence, system_sentence = (
            int(matches.gold.sentence_of_word[gold]),
            int(matches.system.sentence_of_word[system]),
        )
        starts = int(matches.gold.sentence_starts[gold_sentence]), int(matches.system.sentence_starts[system_sentence])
        yield Example(gold_sentence, gold - starts[0], system_sentence, system - starts[1])


def cells_named(matches: Matches, text: str) -> list[tuple[str, str]]:
    """Return the cells of the confusion that match `GOLD:SYSTEM`, by the relations that occur on either side."""
    relations = {*matches.gold.relations.distinct_texts, *matches.system.relations.distinct_texts}
    known = relations | {*map(universal, relations)}
    parts = text.split(":")  # `nsubj:pass:obj` is gold `nsubj:pass` and system `obj`, unless `pass:obj` occurs
    cells = [(":".join(parts[:i]), ":".join(parts[i:])) for i in range(1, len(parts))]
    named_cells = [cell for cell in cells if known.issuperset(cell)]
    if not named_cells:
        if text in known or not cells or not all(parts):
            example = f"{text}:{'nmod' if text == 'obl' else 'obl'}"
            single = f"is a single relation: add the system's relation, such as {example}"
            wrong = single if text in known else "is not GOLD:SYSTEM: write two relations, such as nsubj:obj"
            raise InputError(Fault("invalid-argument", f"{quoted(text)} {wrong}"))
        missing = next(name for cell in cells for name in cell if name not in known)
        near = ", ".join(difflib.get_close_matches(missing, sorted(known), n=3, cutoff=0.0))
        message = f"no word has the relation {quoted(missing)} in either treebank: similar relations are {near}"
        raise MeasureError(message, "not-there")
    return named_cells


def error_types(matches: Matches) -> Mapping[str, int]:
    """Return the number of aligned words with each type of error; the phrase of a word is all below its gold head."""
    return types_by_name(np.bincount(kinds_of_errors(matches), minlength=len(ERRORS)))


def types_by_name(n_words: NDArray[np.int64]) -> dict[str, int]:
    """Return the number of words with each of `ERRORS` by its name; "no head" only if it occurs."""
    return {name: n for name, n in zip(ERRORS, n_words.tolist(), strict=True) if n or name != "no head"}


def kinds_of_errors(matches: Matches) -> NDArray[np.int64]:
    """Return the type of error of each aligned word, as the index in `ERRORS`; shape (pairs,)."""
    gold, system = matches.alignment.gold, matches.alignment.system
    gold_heads, system_heads = matches.gold.heads[gold], matches.system.heads[system]
    aligned_heads = np.where(system_heads < 0, -1, matches.gold_of_system[system_heads])
    depths = shapes_of(matches.gold).depths
    up = np.append(matches.gold.heads, -1)  # the root's head is the root, at index -1
    # whether the gold head dominates the system's head: that climbs by the difference in depth, in jumps of 1, 2, 4 ...
    climb = np.where((gold_heads >= 0) & (aligned_heads >= 0), depths[aligned_heads] - depths[gold_heads], -1)
    at = aligned_heads.copy()
    for bit in range(max(1, int(climb.max(initial=0)).bit_length())):
        jumping = (climb >= 0) & ((climb >> bit) & 1 == 1)
        at[jumping] = up[at[jumping]]
        up = up[up]
    inside = (climb >= 0) & (at == gold_heads)
    right = matches.agree(Agree.HEAD)
    # the first that holds
    without_head = system_heads == system  # in partial scores, such a word is its own head
    kinds = [right & matches.agree(Agree.RELATION), right, without_head]
    kinds += [system_heads < 0, gold_heads < 0, aligned_heads < 0, inside]
    return np.select(kinds, [0, 1, 7, 4, 5, 6, 2], 3).astype(np.int64)


class Cascading(NamedTuple):
    """The wrong arcs for one class of gold relations.

    Args:
        name: the class of the gold relation.
        labeled: whether a correct arc must also have the correct relation.
        wrong: the number of aligned words in the class whose arc is wrong.
        parent_correct: the number of these words whose predicted head is itself attached correctly.
        share: `parent_correct` / `wrong`; a low share means that errors follow from errors higher in the tree.
    """

    name: Annotated[str, NOT_A_COLUMN]
    labeled: bool
    wrong: int
    parent_correct: int
    share: Percent | None


def cascading_errors(matches: Matches, scheme: Scheme) -> tuple[Cascading, ...]:
    """Return the wrong arcs of each class, and those whose system head (not 0, and aligned) is attached correctly."""
    gold, system = matches.alignment.gold, matches.alignment.system
    cascades = []
    for name, labeled in product(scheme.names, (True, False)):
        right = matches.agree(ATTACHED if labeled else Agree.HEAD)
        right_word = np.zeros(matches.system.n_words + 1, dtype=bool)  # the last element is the root
        right_word[system] = right
        wrong = scheme.is_in(name, matches.gold.relations)[gold] & ~right
        parents = matches.system.heads[system[wrong]]
        n_wrong, n_correct = int(wrong.sum()), int(right_word[parents].sum())
        share = 100 * n_correct / n_wrong if n_wrong else None
        cascades.append(Cascading(name, labeled, n_wrong, n_correct, share))
    return tuple(cascades)
