"""Conversion of treebanks: content heads to function heads, and back, also without loss by heads recorded in MISC."""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from levelhead.arguments import choice, optional
from levelhead.conversion.targets import Flags, Targets, default_targets
from levelhead.errors import Fault, InputError, Place, number_of
from levelhead.kernels import conversion as kernel
from levelhead.kernels import trees
from levelhead.treebank import StringColumn, Treebank, check_trees, relations
from levelhead.treebank.places import place_of
from levelhead.treebank.strings import UNDERSCORE, Codes
from levelhead.treebank.tokens import COLUMNS

Variant = Literal["paper", "frozen", "script"]

VARIANTS: tuple[Variant, ...] = get_args(Variant)
"""The interpretations of the paper, which `levelhead.convert` describes."""


class Words(NamedTuple):
    """Whether each word is a target, part of a fixed expression, or a root (or labeled as one); all uint8."""

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
    fixed = chosen.labeled(treebank, chosen.fixed.get(f"ud{ud or ud_version(treebank) or 2}", frozenset()))
    return Words(chosen.of(treebank), fixed, roots.astype(np.uint8), variant)


def raised(heads: Codes, words: Words) -> tuple[Codes, Flags]:
    """Move targets above their heads: Algorithm 1."""
    return kernel.forward(heads, kernel.visits(heads), words.targets, words.roots)


def _lowered(heads: Codes, words: Words) -> Codes:
    """Move targets below their children again: Algorithm 2.

    A target without a head is unchanged, since moving its children would give the sentence several roots.
    """
    order = kernel.visits(heads)
    if words.variant == "script":
        return _lowered_as_by_the_script(heads, order, words.targets, words.fixed)
    return kernel.backward(heads, order, words.targets, words.fixed, words.variant == "frozen")


def _lowered_as_by_the_script(heads: Codes, order: Codes, targets: Flags, fixed: Flags) -> Codes:
    """The heads with targets moved below their children, as by the published script (github.com/kohilin/MultiBFConv).

    The script keeps a list of each word's children on either side. If a child has meanwhile been attached to another
    word, the child's current head replaces it at the end of a list; other words that were attached to the word
    meanwhile are not in its lists. The first word of the left list and the last word of the right list become heads,
    usually the outermost words. The script visits words that move from the left list to the right list twice, and can
    then write cycles; here every word is visited once, and the result is always a tree.
    """
    is_target, is_fixed, current = targets.tolist(), fixed.tolist(), heads.tolist()
    children: defaultdict[tuple[int, bool], list[int]] = defaultdict(list)
    for word, head in enumerate(current):
        children[head, word < head].append(word)
    for step in order.tolist():
        word, left = (step, True) if step >= 0 else (-1 - step, False)
        for child in [child for child in children[word, left] if not is_fixed[child]]:
            head = current[child]
            if head != word:
                children[word, left].remove(child)
                children[word, head < word].append(head)
        movable, above = [child for child in children[word, left] if not is_fixed[child]], current[word]
        if is_target[word] and movable and above >= 0:
            for child in movable:
                current[child] = above
            current[word] = movable[0] if left else movable[-1]
    return np.array(current, dtype=np.int32)


ATTRIBUTE = "ContentHead"
"""The attribute in MISC with a word's head in the content-head tree, in the form of CoNLL-U.

On the first word with a record in a sentence, a checksum of the function-head tree and of the recorded tree follows
after a colon.
"""

_RECORD = re.compile(rf"{ATTRIBUTE}=([0-9]{{1,9}})(?::([0-9a-f]{{8}}))?")


class _Record(NamedTuple):
    """The record in a MISC: head and checksum, and the MISC without the record."""

    head: int
    checksum: str | None
    rest: str


def _with_records(treebank: Treebank, words: Words) -> Treebank:
    """Record in MISC the head of each word that forward conversion changes or backward conversion would not restore."""
    recorded, _ = _recorded_words(treebank)
    if len(recorded):
        place, lines = place_of(treebank, int(recorded[0])), treebank.source.lines
        line = int(lines[treebank.sentence_of_word[recorded[0]]]) if len(lines) else None
        message = f"word {place.word} of the sentence that starts here already has a recorded head"
        raise InputError(Fault("recorded-heads", message, place._replace(line=line)))
    heads = treebank.heads
    converted, _ = raised(heads, words)
    chosen = np.flatnonzero((converted != heads) | (_lowered(converted, words) != heads))
    records = [f"{ATTRIBUTE}={head}" for head in treebank.local_heads()[chosen].tolist()]
    sentences, first = np.unique(treebank.sentence_of_word[chosen], return_index=True)
    function = replace(treebank, heads=converted)
    for i, checksum in zip(first.tolist(), _checksums(function, treebank.local_heads(), sentences.tolist())):
        records[i] += f":{checksum}"
    cells = ((treebank.misc[word], record) for word, record in zip(chosen.tolist(), records))
    return _with_misc(treebank, chosen, [record if misc == "_" else f"{misc}|{record}" for misc, record in cells])


def _restored(treebank: Treebank, heads: Codes) -> tuple[Treebank, list[Fault]]:
    """The treebank with its recorded heads, without the records, and a warning about records that are not valid.

    Sentences whose records are incomplete, or made for another tree, get the given heads.
    """
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
    as_index = np.where(local == 0, -1, local - 1 + starts[sentences])
    chosen = np.where(valid[sentences], as_index, heads).astype(np.int32)
    n_recorded, n_changed = int(recorded.sum()), int((recorded & ~valid).sum())
    message = f"of {number_of(n_recorded, 'sentence')} with recorded heads, {n_changed} have changed trees or records"
    warnings = [_warning_about("outdated-record", message, treebank)] if n_changed else []
    return replace(_with_misc(treebank, words, [record.rest for record in records]), heads=chosen), warnings


def _checksums(treebank: Treebank, recorded: Codes, sentences: Iterable[int]) -> list[str]:
    """The checksums of the current and recorded heads of some sentences.

    Both are needed, since the current tree does not change if a record is lost or added.
    """
    both = np.stack([treebank.local_heads(), recorded]).astype("<i4")
    starts = treebank.sentence_starts.tolist()
    return [f"{zlib.crc32(both[:, starts[i] : starts[i + 1]].tobytes()):08x}" for i in sentences]


def _recorded_words(treebank: Treebank) -> tuple[NDArray[np.intp], list[_Record]]:
    """The words with a record, and their records; the last of several in a MISC counts."""
    by_code = {}
    for code in treebank.misc.distinct.tolist():
        parts = treebank.strings[code].split("|")
        records = [match for match in map(_RECORD.fullmatch, parts) if match]
        if records:
            rest = [part for part in parts if not _RECORD.fullmatch(part)]
            by_code[code] = _Record(int(records[-1][1]), records[-1][2], "|".join(rest) if rest else "_")
    words = np.flatnonzero(np.isin(treebank.misc.codes, list(by_code)))
    return words, [by_code[code] for code in treebank.misc.codes[words].tolist()]


def _with_misc(treebank: Treebank, chosen: NDArray[np.intp], texts: list[str]) -> Treebank:
    """The treebank in which these words have these values of MISC."""
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
        variant: the interpretation of the algorithm, one of `VARIANTS`.
        ud: the version of UD, 1 or 2; None to infer it from the relations (2 if they do not show it).
        exact: whether to record heads in MISC, so that `backward` restores the trees without loss.

    Raises:
        InputError: with `exact`, the treebank already has recorded heads.
    """
    words = words_of(treebank, targets or default_targets(), variant, ud)
    heads, _ = raised(treebank.heads, words)
    message = "DEPS is unchanged and no longer matches the heads"
    has_graphs = bool((treebank.deps.codes != UNDERSCORE).any())
    warnings = [_warning_about("enhanced-kept", message, treebank)] if has_graphs else []
    return _converted(_with_records(treebank, words) if exact else treebank, heads, warnings)


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
    heads = _lowered(treebank.heads, words)
    if exact:
        treebank, warnings = _restored(treebank, heads)
        return _converted(treebank, treebank.heads, warnings)
    n_words = len(_recorded_words(treebank)[0])
    message = f"{number_of(n_words, 'word')} with recorded heads, which are not used"
    return _converted(treebank, heads, [_warning_about("unused-record", message, treebank)] if n_words else [])


def _converted(treebank: Treebank, heads: Codes, warnings: Iterable[Fault]) -> Treebank:
    source = replace(treebank.source, sha256=None, warnings=(*treebank.source.warnings, *warnings))
    return replace(treebank, heads=heads, source=source)


def _warning_about(slug: str, message: str, treebank: Treebank) -> Fault:
    return Fault(slug, message, Place(treebank.source.path), "warning")
