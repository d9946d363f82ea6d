"""Conversion of treebanks: content heads to function heads, and back, also without loss by heads recorded in MISC."""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from levelhead.arguments import choice, optional
from levelhead.conversion.targets import Flags, Targets, default_targets
from levelhead.errors import Fault, InputError, Place, number_of
from levelhead.kernels import conversion as kernel
from levelhead.kernels import trees
from levelhead.treebank import StringColumn, Treebank, check_trees, relations
from levelhead.treebank.strings import UNDERSCORE, Codes
from levelhead.treebank.treebank import COLUMNS

Variant = Literal["paper", "frozen", "script"]

VARIANTS: Mapping[str, str] = MappingProxyType(
    {
        "paper": "Algorithms 1 and 2; going back, a word's children are determined after its descendants are converted",
        "frozen": "the same, but a word's children are always those of the input tree",
        "script": "the published script: whole relations are compared, and the first child of its list, not the"
        " innermost, becomes the head",
    }
)
"""The interpretations of the paper, with a description of each."""


class Words(NamedTuple):
    """The words that take part in a conversion.

    Args:
        targets: whether each word is a target, uint8, shape (words,).
        fixed: whether each word is a part of a fixed expression, uint8, shape (words,).
        roots: whether each word is a root or labeled as root: its children stay in forward conversion; uint8, (words,).
        variant: the interpretation of the algorithm.
    """

    targets: Flags
    fixed: Flags
    roots: Flags
    variant: Variant


def ud_version(treebank: Treebank) -> int | None:
    """Return the version of UD of a treebank's relations: 1, 2, or None if they do not show it."""
    labels = treebank.relations
    return relations.ud_version_of(labels.strings[code] for code in labels.distinct.tolist())


def words_of(treebank: Treebank, targets: Targets, variant: Variant, ud: int | None) -> Words:
    """Return the words that take part."""
    check_trees(treebank)
    choice(get_args(Variant))("variant", variant)
    optional(choice((1, 2)))("ud", ud)
    chosen = targets._replace(subtypes=False) if variant == "script" else targets
    roots = chosen.labeled(treebank, frozenset({"root"})) | (treebank.heads < 0)
    fixed = chosen.fixed_in(treebank, ud or ud_version(treebank) or 2)
    return Words(chosen.of(treebank), fixed, roots.astype(np.uint8), variant)


def raised(heads: Codes, words: Words) -> tuple[Codes, Flags]:
    """Move targets above their heads: Algorithm 1."""
    return kernel.forward(heads, kernel.visits(heads), words.targets, words.roots)


def lowered(heads: Codes, words: Words) -> Codes:
    """Move targets below their children again: Algorithm 2.

    A target without a head is unchanged, since moving its children would give the sentence several roots.
    """
    order = kernel.visits(heads)
    if words.variant == "script":
        return lowered_as_by_the_script(heads, order, words.targets, words.fixed)
    return kernel.backward(heads, order, words.targets, words.fixed, words.variant == "frozen")


def lowered_as_by_the_script(heads: Codes, order: Codes, targets: Flags, fixed: Flags) -> Codes:
    """Return heads with targets moved below their children."""
    lists = _Lists(heads, fixed)
    is_target = targets.astype(bool).tolist()
    for step in order.tolist():
        word, left = (step, True) if step >= 0 else (-1 - step, False)
        lists.renew(word, left=left)
        if is_target[word]:
            lists.lower(word, left=left)
    return np.array(lists.heads, dtype=np.int32)


class _Lists:
    """The script's lists of children, and the current heads."""

    def __init__(self, heads: Codes, fixed: Flags) -> None:
        self.heads = heads.tolist()
        self.fixed = fixed.astype(bool).tolist()
        self.left: defaultdict[int, list[int]] = defaultdict(list)
        self.right: defaultdict[int, list[int]] = defaultdict(list)
        for word, head in enumerate(self.heads):
            if head >= 0:
                self._side(head, word).append(word)

    def _side(self, head: int, word: int) -> list[int]:
        return self.left[head] if word < head else self.right[head]

    def _movable(self, word: int, *, left: bool) -> list[int]:
        children = (self.left if left else self.right).get(word, ())
        return [child for child in children if not self.fixed[child]]

    def renew(self, word: int, *, left: bool) -> None:
        """Replace children that are attached to another word by that word."""
        for child in self._movable(word, left=left):
            head = self.heads[child]
            if head != word:
                self._side(word, child).remove(child)
                self._side(word, head).append(head)

    def lower(self, target: int, *, left: bool) -> None:
        """Move a target's children on one side to its head, and make one of them its head."""
        children, above = self._movable(target, left=left), self.heads[target]
        if children and above >= 0:
            for child in children:
                self.heads[child] = above
            self.heads[target] = children[0] if left else children[-1]


ATTRIBUTE = "ContentHead"
"""The attribute in MISC with a word's head in the content-head tree, in the form of CoNLL-U.

On the first word with a record in a sentence, a checksum of the function-head tree and of the recorded tree follows
after a colon.
"""

_RECORD = re.compile(rf"{ATTRIBUTE}=([0-9]{{1,9}})(?::([0-9a-f]{{8}}))?")


class Restored(NamedTuple):
    """The heads restored from the records of a treebank.

    Args:
        heads: the recorded heads, or the current heads without a record.
        valid: whether the records of each sentence are complete, and made for its current tree.
        recorded: whether each sentence has records.
    """

    heads: Codes
    valid: NDArray[np.bool_]
    recorded: NDArray[np.bool_]


class _Record(NamedTuple):
    """The record in a MISC: head and checksum, and the MISC without the record."""

    head: int
    checksum: str | None
    rest: str


def with_records(treebank: Treebank, words: Words) -> Treebank:
    """Record in MISC the head of each word that forward conversion changes or backward conversion would not restore."""
    _refuse_records(treebank)
    heads = treebank.heads
    converted, _ = raised(heads, words)
    chosen = np.flatnonzero((converted != heads) | (lowered(converted, words) != heads))
    records = [f"{ATTRIBUTE}={head}" for head in treebank.local_heads()[chosen].tolist()]
    sentences, first = np.unique(treebank.sentence_of_word[chosen], return_index=True)
    function = replace(treebank, heads=converted)
    sums = _checksums(function, treebank.local_heads(), sentences.tolist())
    for i, checksum in zip(first.tolist(), sums):
        records[i] += f":{checksum}"
    texts = [_added(treebank.misc[word], record) for word, record in zip(chosen.tolist(), records)]
    return _with_misc(treebank, chosen, texts)


def without_records(treebank: Treebank) -> Treebank:
    """Remove all records from MISC."""
    words, records = _recorded_words(treebank)
    return _with_misc(treebank, words, [record.rest for record in records])


def n_records(treebank: Treebank) -> int:
    """Return the number of words with records."""
    return len(_recorded_words(treebank)[0])


def recorded_heads(treebank: Treebank) -> Restored:
    """Read the records, and check in which sentences they are valid."""
    starts, sentences = treebank.sentence_starts, treebank.sentence_of_word
    words, records = _recorded_words(treebank)
    local = treebank.local_heads()
    local[words] = [record.head for record in records]
    recorded, valid = np.zeros(len(treebank), dtype=bool), np.zeros(len(treebank), dtype=bool)
    recorded[sentences[words]] = True
    sums = {i: record.checksum for i, record in zip(sentences[words].tolist(), records) if record.checksum}
    valid[list(sums)] = [stored == now for stored, now in zip(sums.values(), _checksums(treebank, local, sums))]
    # a treebank read as CoNLL-X can have several roots in a sentence
    valid &= trees.bad_sentences(local, starts, True) == 0
    as_index = np.where(local == 0, -1, local - 1 + starts[sentences]).astype(np.int32)
    return Restored(as_index, valid, recorded)


def _checksums(treebank: Treebank, recorded: Codes, sentences: Iterable[int]) -> list[str]:
    """Return a checksum of the current and recorded heads of each of some sentences.

    Both are needed, since the current tree does not change if a record is lost or added.
    """
    both = np.stack([treebank.local_heads(), recorded]).astype("<i4")
    starts = treebank.sentence_starts.tolist()
    return [f"{zlib.crc32(both[:, starts[i] : starts[i + 1]].tobytes()):08x}" for i in sentences]


def _refuse_records(treebank: Treebank) -> None:
    words, _ = _recorded_words(treebank)
    if len(words):
        word = int(words[0])
        sentence = int(treebank.sentence_of_word[word])
        number = str(word - int(treebank.sentence_starts[sentence]) + 1)
        line = int(treebank.source.lines[sentence]) if len(treebank.source.lines) else None
        message = f"word {number} of the sentence that starts here already has a recorded head"
        raise InputError(Fault("recorded-heads", message, Place(treebank.source.path, line, sentence + 1, number)))


def _recorded_words(treebank: Treebank) -> tuple[NDArray[np.intp], list[_Record]]:
    """Return the words with a record, and their records."""
    by_code = _records_in(treebank)
    words = np.flatnonzero(np.isin(treebank.misc.codes, list(by_code)))
    return words, [by_code[code] for code in treebank.misc.codes[words].tolist()]


def _records_in(treebank: Treebank) -> dict[int, _Record]:
    """Return the record of each code of a MISC with a record; the last of several counts."""
    by_code = {}
    for code in treebank.misc.distinct.tolist():
        parts = treebank.strings[code].split("|")
        records = [match for match in map(_RECORD.fullmatch, parts) if match]
        if records:
            rest = [part for part in parts if not _RECORD.fullmatch(part)]
            by_code[code] = _Record(int(records[-1][1]), records[-1][2], "|".join(rest) if rest else "_")
    return by_code


def _added(misc: str, record: str) -> str:
    return record if misc == "_" else f"{misc}|{record}"


def _with_misc(treebank: Treebank, chosen: NDArray[np.intp], texts: list[str]) -> Treebank:
    """Return a treebank in which these words have these values of MISC."""
    strings, codes = treebank.strings.with_texts(texts)
    misc = treebank.misc.codes.copy()
    misc[chosen] = codes
    columns: dict[str, Any] = {name: StringColumn(getattr(treebank, name).codes, strings) for name in COLUMNS}
    return replace(treebank, **{**columns, "misc": StringColumn(misc, strings)})


def forward(
    treebank: Treebank,
    *,
    targets: Targets | None = None,
    variant: Variant = "paper",
    ud: int | None = None,
    exact: bool = False,
) -> Treebank:
    """Return content-head trees converted to function-head trees: Kohita et al. (2017), Algorithm 1.

    The outermost target among a word's children on each side swaps places with the word, left side first; children of
    the root stay. Only heads change (and MISC if `exact`).

    Args:
        treebank: content-head trees, as in UD.
        targets: the words that swap places with their heads; None for those of the paper.
        variant: the interpretation of the algorithm, a key of `VARIANTS`.
        ud: the version of UD, 1 or 2; None to infer it from the relations (2 if they do not show it).
        exact: whether to record heads in MISC, so that `backward` restores the trees without loss.

    Raises:
        InputError: with `exact`, the treebank already has recorded heads.
    """
    words = words_of(treebank, targets or default_targets(), variant, ud)
    heads, _ = raised(treebank.heads, words)
    source = with_records(treebank, words) if exact else treebank
    return _converted(source, heads, _enhanced_kept(treebank))


def backward(
    treebank: Treebank,
    *,
    targets: Targets | None = None,
    variant: Variant = "paper",
    ud: int | None = None,
    exact: bool = False,
) -> Treebank:
    """Return function-head trees converted to content-head trees: Kohita et al. (2017), Algorithm 2.

    The children of a target on each side move to its head, left side first, and the innermost of them becomes its head;
    parts of fixed expressions stay. Only heads change (and MISC if `exact`). A target without a head is unchanged.
    Enhanced graphs that `forward` kept match the heads again, so there is no warning about them.

    Args:
        treebank: function-head trees: converted trees, or the output of a parser trained on them.
        targets: as in `forward`.
        variant: as in `forward`.
        ud: as in `forward`.
        exact: whether to restore the heads that `forward` recorded, and to remove the records. Sentences whose trees
            changed after recording are converted by the algorithm, with a warning; so is parser output.
    """
    words = words_of(treebank, targets or default_targets(), variant, ud)
    heads = lowered(treebank.heads, words)
    if not exact:
        return _converted(treebank, heads, _records_kept(treebank))
    warnings = []
    restored = recorded_heads(treebank)
    chosen = np.where(restored.valid[treebank.sentence_of_word], restored.heads, heads).astype(np.int32)
    n_changed = int((restored.recorded & ~restored.valid).sum())
    if n_changed:
        n_recorded = int(restored.recorded.sum())
        message = f"of {n_recorded} sentences with recorded heads, {n_changed} have changed trees or records"
        warnings.append(_warning_about("outdated-record", message, treebank))
    return _converted(without_records(treebank), chosen, warnings)


def _converted(treebank: Treebank, heads: Codes, warnings: Iterable[Fault]) -> Treebank:
    source = replace(treebank.source, sha256=None, warnings=(*treebank.source.warnings, *warnings))
    return replace(treebank, heads=heads, source=source)


def _enhanced_kept(treebank: Treebank) -> list[Fault]:
    """Return a warning if there are enhanced graphs, which are not converted."""
    if not (treebank.deps.codes != UNDERSCORE).any():
        return []
    return [_warning_about("enhanced-kept", "DEPS is unchanged and no longer matches the heads", treebank)]


def _records_kept(treebank: Treebank) -> list[Fault]:
    n_words = n_records(treebank)
    message = f"{number_of(n_words, 'word')} with recorded heads, which are not used"
    return [_warning_about("unused-record", message, treebank)] if n_words else []


def _warning_about(slug: str, message: str, treebank: Treebank) -> Fault:
    return Fault(slug, message, Place(treebank.source.path), "warning")
