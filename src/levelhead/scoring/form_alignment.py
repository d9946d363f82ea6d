"""Alignment of words by their forms, and pairing of sentences, if the texts of gold and output differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence, Sized
from itertools import accumulate, chain, pairwise
from typing import Literal, NamedTuple

import numpy as np

from levelhead.errors import number_of
from levelhead.kernels import pools
from levelhead.treebank import Treebank
from levelhead.treebank.strings import Codes

# The maximum number of pairs of characters compared for a sentence: a few tenths of a second.
MOST_COMPARISONS = 100_000_000


def is_other_text(n_equal: int, n_gold: int, n_system: int) -> bool:
    """Return whether fewer than half of the forms of either version of a sentence are equal."""
    return 2 * n_equal < min(n_gold, n_system)  # a version can be cut off, so the shorter one decides


def other_text_note(n_answers: int, n_next: int, n_previous: int) -> str:
    near = ((n_next, "next"), (n_previous, "previous"))
    fitting = " and ".join(
        f"{n:,} of them {'fits' if n == 1 else 'fit'} the {name} gold sentence" for n, name in near if n
    )
    shifted = "the answers are shifted: " if 2 * max(n_next, n_previous) >= n_answers else ""
    end = f"; {shifted}{fitting}" if fitting else ""
    return f"{number_of(n_answers, 'answer')} to another text, not aligned: fewer than half of the forms match{end}"


def align_forms(gold: Sequence[str], system: Sequence[str]) -> list[int]:
    """Return the position of the system word aligned with each gold word, or -1, in order."""
    # At the lowest cost: the Levenshtein distance of paired forms, and the length of words that are left out. Ties are
    # broken to the left: each gold word in turn gets the first system word that a remaining alignment gives it.
    differing = (i for i, (form, other) in enumerate(zip(gold, system)) if form != other)
    shared = next(differing, min(len(gold), len(system)))
    rest, others = gold[shared:], system[shared:]
    if not rest or not others:
        aligned = [-1] * len(rest)
    elif _n_comparisons(rest, others) > MOST_COMPARISONS:
        paired = dict(common_subsequence(rest, others))
        aligned = [paired.get(word, -1) for word in range(len(rest))]
    else:
        from levelhead.kernels.alignment import align_forms

        aligned = align_forms(*_characters(rest), *_characters(others)).tolist()
    return [*range(shared), *(word + shared if word >= 0 else -1 for word in aligned)]


def _n_comparisons(gold: Sequence[Sized], system: Sequence[Sized]) -> int:
    return sum(map(len, gold)) * sum(map(len, system))


def _characters(forms: Sequence[str]) -> tuple[Codes, Codes]:
    """The characters of all forms as numbers, and where each form starts."""
    text = "".join(forms).encode("utf-32-le", "surrogatepass")
    starts = np.zeros(len(forms) + 1, dtype=np.int32)
    np.cumsum([len(form) for form in forms], out=starts[1:])
    return np.frombuffer(text, dtype=np.int32), starts


_BLOCK = 128


def common_subsequence(gold: Sequence[Hashable], system: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return pairs of equal items of two lists: as many as possible, in order.

    From the left, equal items are paired; otherwise the gold item is skipped if that loses no pair, otherwise the
    system item (the back-trace of the CoNLL 2017 evaluation). Rows have one bit per system item (Hyyrö 2004).
    """
    size, n_gold = len(system), len(gold)
    full = (1 << size) - 1
    where = dict[Hashable, int].fromkeys(gold, 0)  # the bits of the system items equal to each gold item
    for bit, item in enumerate(reversed(system)):
        if item in where:
            where[item] |= 1 << bit

    def next_row(row: int, g: int) -> int:  # bit i is 0 if the i + 1 last system items have a longer subsequence than i
        matches = row & where[gold[g]]
        return ((row + matches) | (row - matches)) & full

    every_row = accumulate(range(n_gold - 1, -1, -1), next_row, initial=full)  # from the shortest suffix of gold
    kept = {g: row for g, row in zip(range(n_gold, -1, -1), every_row) if g % _BLOCK == 0 or g == n_gold}
    pairs = []
    g = 0
    s = 0
    while g < n_gold and s < size:
        end = min(g + _BLOCK, n_gold)
        rows = dict(zip(range(end, g - 1, -1), accumulate(range(end - 1, g - 1, -1), next_row, initial=kept[end])))
        while g < end and s < size:
            if gold[g] == system[s]:
                pairs.append((g, s))
                g += 1
                s += 1
                continue
            rest = (1 << (size - s)) - 1
            if (rows[g] & rest).bit_count() == (rows[g + 1] & rest).bit_count():
                g += 1
            else:
                s += 1
    return pairs


PairedBy = Literal["characters", "sent_id", "text"]

_MOST_WORD_PAIRS = 10**11  # the maximum number of pairs of words for the longest common subsequence: several seconds


class SentencePairs(NamedTuple):
    """The system sentence paired with each gold sentence."""

    by: PairedBy  # how they were paired, "sent_id" or "text"
    system: Codes  # the system sentence of each gold sentence, or -1, int32, shape (gold sentences,)


def pair_sentences(gold: Treebank, system: Treebank, texts: tuple[_Texts, _Texts]) -> SentencePairs:
    """Pair sentences by `sent_id` if the ids are usable, otherwise by text.

    Ids are usable if every sentence has a unique id and all ids of the system are in gold. A sentence with the id and
    the text of an earlier sentence is a repeated answer: the first one counts.

    Texts (characters without spaces) are paired in order at the lowest cost, like words in `align_forms`: pairing two
    texts costs their Levenshtein distance, leaving out a text costs its length. If that takes too many comparisons, as
    many equal texts as possible are paired first, and only the texts between them are compared. If there are still too
    many, sentences with the most words in common are paired.
    """
    ids = sentence_ids(gold), sentence_ids(system)
    found = _by_id(*ids, texts[1])
    if found is not None:
        return SentencePairs("sent_id", np.array(found, dtype=np.int32))
    words = words_by_sentence(gold), words_by_sentence(system)
    return SentencePairs("text", np.array(pair_texts(texts, words), dtype=np.int32))


def sentence_ids(treebank: Treebank) -> list[bytes | None]:
    """Return the first sent_id of each sentence; None for sentences without one."""
    ids: list[bytes | None] = [None] * len(treebank)
    names, _, places = pools.sentence_ids(treebank.comments.text)
    sentences = np.searchsorted(treebank.comments.starts, places, side="right") - 1
    for sentence, name in zip(sentences.tolist(), names.split(b"\n")):
        ids[sentence] = ids[sentence] or name or None
    return ids


def _by_id(gold: Sequence[bytes | None], system: Sequence[bytes | None], texts: Sequence[bytes]) -> list[int] | None:
    """The system sentence of each gold sentence, or -1; None if ids are not usable."""
    known = set(gold)
    if None in known or len(known) < len(gold):
        return None
    first: dict[bytes | None, int] = {}
    for sentence, (data, text) in enumerate(zip(system, texts)):
        if data not in known or texts[first.setdefault(data, sentence)] != text:
            return None
    return [first.get(data, -1) for data in gold]


_Texts = Sequence[bytes]
_Words = Sequence[Sequence[str]]


def words_by_sentence(treebank: Treebank) -> list[list[str]]:
    forms = list(treebank.forms)
    return [forms[start:end] for start, end in pairwise(treebank.sentence_starts.tolist())]


def pair_texts(texts: tuple[_Texts, _Texts], words: tuple[_Words, _Words]) -> list[int]:
    """Return the system sentence of each gold sentence, or -1, by text; see `pair_sentences`."""
    gold, system = texts
    pairs: list[int] = []
    start = 0
    common = common_subsequence(gold, system) if _n_comparisons(gold, system) > MOST_COMPARISONS else []
    for end, system_end in [*common, (len(gold), len(system))]:
        part = slice(len(pairs), end)
        system_part = slice(start, system_end)
        between = gold[part], system[system_part]
        if _n_comparisons(*between) <= MOST_COMPARISONS:
            aligned = align_forms(*([text.decode() for text in side] for side in between))
        else:
            aligned = _most_in_common(words[0][part], words[1][system_part])
        pairs += (sentence + start if sentence >= 0 else -1 for sentence in aligned)
        if end < len(gold):
            pairs.append(system_end)
        start = system_end + 1
    return pairs


def _most_in_common(gold: _Words, system: _Words) -> list[int]:
    """Pair sentences in order so that the most words of the longest common subsequence are in pairs."""
    paired = [-1] * len(gold)
    if _n_comparisons(gold, system) > _MOST_WORD_PAIRS:
        return paired
    of_gold, of_system = ([number for number, words in enumerate(side) for _ in words] for side in (gold, system))
    common = common_subsequence(list(chain(*gold)), list(chain(*system)))
    counts = Counter((of_gold[word], of_system[other]) for word, other in common)
    steps = list(counts)  # pairs of sentences, ascending on both sides
    most, last = [0], [-1]  # for the first steps: words in pairs, and the last step that is a pair
    n_before = []  # for each step: the number of first steps that share no sentence with it
    for step, pair in enumerate(steps):
        n = step
        while n and (steps[n - 1][0] == pair[0] or steps[n - 1][1] == pair[1]):
            n -= 1
        n_before.append(n)
        taken = counts[pair] + most[n]
        most.append(max(taken, most[-1]))
        last.append(step if taken > most[step] else last[-1])
    n_steps = len(steps)
    while last[n_steps] >= 0:
        step = last[n_steps]
        sentence, answer = steps[step]
        paired[sentence] = answer
        n_steps = n_before[step]
    return paired
