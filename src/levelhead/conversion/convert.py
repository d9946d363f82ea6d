"""Conversion of treebanks: content heads to function heads, and back, also without loss by heads recorded in MISC."""

from __future__ import annotations

import hashlib
import json
import os
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from levelhead.arguments import check
from levelhead.errors import Fault, InputError, Place, number_of, unknown
from levelhead.kernels import conversion as kernel, trees
from levelhead.treebank import StringColumn, Treebank, check_trees, relations
from levelhead.treebank.input_bytes import parsed_toml, read_bytes
from levelhead.treebank.relations import universal
from levelhead.treebank.strings import UNDERSCORE, Codes
from levelhead.treebank.tokens import COLUMNS, place_of, place_of_sentence

Flags = NDArray[np.uint8]

Labels = Mapping[str, frozenset[str]]

_DEFAULT_FIXED: Labels = {"ud1": frozenset({"mwe"}), "ud2": frozenset({"fixed"})}
_KEYS = {"name", "subtypes", "targets", "fixed"}


class Targets(NamedTuple):
    """Words that swap places with their heads, by UPOS and relation (the set T of Kohita et al. 2017).

    Args:
        name: the name of the set.
        relations: for each UPOS, the relations that make a word with this UPOS a target.
        fixed: a mapping from "ud1" and "ud2" to the relations inside fixed expressions. Backward conversion does not
            move words with these relations.
        subtypes: whether a relation written without a subtype matches all its subtypes.
    """

    name: str
    relations: Labels
    fixed: Labels = _DEFAULT_FIXED
    subtypes: bool = True

    @property
    def sha256(self) -> str:
        """A hash of everything except the name; different targets have different hashes."""
        tables = [{key: sorted(labels) for key, labels in table.items()} for table in (self.relations, self.fixed)]
        return hashlib.sha256(json.dumps([*tables, self.subtypes], sort_keys=True).encode()).hexdigest()

    def matches(self, upos: str, relation: str) -> bool:
        """Return whether words with this UPOS and this relation are targets."""
        return self._is_in(relation, self.relations.get(upos, frozenset()))

    def of(self, treebank: Treebank) -> Flags:
        """Return whether each word of a `treebank` is a target, uint8, shape (words,)."""
        targets = np.zeros(treebank.n_words, dtype=np.uint8)
        for code in treebank.upos.distinct.tolist():
            if relations := self.relations.get(treebank.strings[code]):
                targets |= (treebank.upos.codes == code) & self.labeled(treebank, relations)
        return targets

    def labeled(self, treebank: Treebank, relations: frozenset[str]) -> Flags:
        """Return whether each word of a `treebank` has one of these `relations`, uint8, shape (words,)."""
        member = np.zeros(len(treebank.strings), dtype=np.uint8)
        for code in treebank.relations.distinct.tolist():
            member[code] = self._is_in(treebank.strings[code], relations)
        return member[treebank.relations.codes]

    def _is_in(self, relation: str, listed: frozenset[str]) -> bool:
        return relation in listed or (self.subtypes and universal(relation) in listed)


@cache
def default_targets() -> Targets:
    """Return the targets of Kohita et al. (2017), Table 1."""
    return read_targets(Path(__file__).with_name("targets.toml"))


def read_targets(path: str | os.PathLike[str]) -> Targets:
    """Read targets from a TOML file such as `levelhead/conversion/targets.toml`.

    It has a table `targets` with a list of relations for each UPOS, and optionally a table `fixed` with lists for `ud1`
    and `ud2`, a `name`, and `subtypes = false` if relations do not include their subtypes.
    """
    name = os.fspath(path)
    document = parsed_toml(read_bytes(path), name, "invalid-targets")
    if extra := sorted(set(document) - _KEYS):
        raise _invalid(name, unknown("key", extra[0], sorted(_KEYS)))
    subtypes, title = document.get("subtypes", True), document.get("name", Path(name).stem)
    if not isinstance(subtypes, bool) or not isinstance(title, str):
        raise _invalid(name, "`subtypes` must be true or false, and `name` a string")
    fixed = _labels(document.get("fixed", {}), name, "fixed")
    if not set(fixed) <= {"ud1", "ud2"}:
        raise _invalid(name, "`fixed` can only have lists for ud1 and ud2")
    targets = _labels(document.get("targets", {}), name, "targets")
    if not any(targets.values()):
        raise _invalid(name, "the table `targets` has no relations")
    return Targets(title, targets, {**_DEFAULT_FIXED, **fixed}, subtypes)


def _labels(table: object, name: str, key: str) -> Labels:
    lists = table.values() if isinstance(table, dict) else [None]
    if not all(isinstance(value, list) and all(isinstance(item, str) for item in value) for value in lists):
        raise _invalid(name, f"`{key}` must be a table of lists of relations")
    return {tag: frozenset(relations) for tag, relations in table.items()}  # type: ignore[attr-defined]


def _invalid(name: str, message: str) -> InputError:
    return InputError(Fault("invalid-targets", message, Place(name)))


Variant = Literal["paper", "frozen", "script"]

VARIANTS: tuple[Variant, ...] = get_args(Variant)
"""The interpretations of the paper, which `levelhead.convert` describes."""


class Words(NamedTuple):
    """Which words are targets, parts of fixed expressions, and roots (or labeled `root`); arrays of uint8."""

    targets: Flags
    fixed: Flags
    roots: Flags
    variant: Variant


def ud_version(treebank: Treebank) -> int | None:
    """Return the version of UD of a treebank's relations: 1, 2, or None if they do not show it."""
    labels = treebank.relations
    return relations.ud_version_of(labels.strings[code] for code in labels.distinct.tolist())


def words_of(treebank: Treebank, targets: Targets, variant: Variant, ud: int | None) -> Words:
    check_trees(treebank)
    check("variant", variant, ("one of", get_args(Variant)))
    check("ud", ud, ("optional", ("one of", (1, 2))))
    chosen = targets._replace(subtypes=False) if variant == "script" else targets
    roots = chosen.labeled(treebank, frozenset({"root"})) | (treebank.heads < 0)
    fixed = chosen.labeled(treebank, chosen.fixed.get(f"ud{ud or ud_version(treebank) or 2}", frozenset()))
    return Words(chosen.of(treebank), fixed, roots.astype(np.uint8), variant)


def raised(heads: Codes, words: Words) -> tuple[Codes, Flags]:
    """Move targets above their heads: Algorithm 1."""
    return kernel.forward(heads, kernel.visits(heads), words.targets, words.roots)


def _lowered(heads: Codes, words: Words) -> Codes:
    """Move targets below their children again (Algorithm 2), unless they have no head: the children would be roots."""
    order = kernel.visits(heads)
    if words.variant != "script":
        return kernel.backward(heads, order, words.targets, words.fixed, words.variant == "frozen")
    # The published script (github.com/kohilin/MultiBFConv) keeps a list of each word's children on either side. If a
    # child has meanwhile been attached to another word, the child's current head replaces it at the end of a list;
    # other words that were attached to the word meanwhile are not in its lists. The first word of the left list and the
    # last word of the right list become heads, usually the outermost words. The script visits words that move from the
    # left list to the right list twice, and can then write cycles; here every word is visited once, and the result is
    # always a tree.
    is_target = words.targets.tolist()
    is_fixed = words.fixed.tolist()
    current = heads.tolist()
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


def _with_records(treebank: Treebank, words: Words, converted: Codes) -> Treebank:
    """Record in MISC the head of each word that forward conversion changes or backward conversion would not restore."""
    recorded, _ = _recorded_words(treebank)
    if len(recorded):
        word = place_of(treebank, int(recorded[0])).word
        message = f"word {word} of the sentence that starts here already has a recorded head"
        place = place_of_sentence(treebank, int(treebank.sentence_of_word[recorded[0]]))
        raise InputError(Fault("recorded-heads", message, place._replace(word=word)))
    chosen = np.flatnonzero((converted != treebank.heads) | (_lowered(converted, words) != treebank.heads))
    records = [f"{ATTRIBUTE}={head}" for head in treebank.local_heads()[chosen].tolist()]
    sentences, first = np.unique(treebank.sentence_of_word[chosen], return_index=True)
    checksums = _checksums(replace(treebank, heads=converted), treebank.local_heads(), sentences.tolist())
    for i, checksum in zip(first.tolist(), checksums):
        records[i] += f":{checksum}"
    cells = ((treebank.misc[word], record) for word, record in zip(chosen.tolist(), records))
    return _with_misc(treebank, chosen, [record if misc == "_" else f"{misc}|{record}" for misc, record in cells])


def _restored(treebank: Treebank, heads: Codes) -> Treebank:
    """The treebank with its recorded heads, without the records; sentences without valid records get other heads."""
    starts, sentences = treebank.sentence_starts, treebank.sentence_of_word
    words, records = _recorded_words(treebank)
    local = treebank.local_heads()
    local[words] = [head for head, _, _ in records]
    recorded, valid = np.zeros(len(treebank), dtype=bool), np.zeros(len(treebank), dtype=bool)
    recorded[sentences[words]] = True
    sums = {i: checksum for i, (_, checksum, _) in zip(sentences[words].tolist(), records) if checksum}
    valid[list(sums)] = [stored == now for stored, now in zip(sums.values(), _checksums(treebank, local, sums))]
    # a treebank read as CoNLL-X can have several roots in a sentence
    valid &= trees.bad_sentences(local, starts, True) == 0
    as_index = np.where(local == 0, -1, local - 1 + starts[sentences])
    chosen = np.where(valid[sentences], as_index, heads).astype(np.int32)
    n_recorded, n_changed = int(recorded.sum()), int((recorded & ~valid).sum())
    message = (
        f"{n_changed} of {number_of(n_recorded, 'sentence')} with recorded heads have changed since the conversion"
    )
    restored = _with_misc(treebank, words, [rest for *_, rest in records])
    return _converted(restored, chosen, "outdated-record", message if n_changed else "")


def _checksums(treebank: Treebank, recorded: Codes, sentences: Iterable[int]) -> list[str]:
    """The checksums of the current and recorded heads of some sentences."""
    # both are needed, since the current tree does not change if a record is lost or added
    both = np.stack([treebank.local_heads(), recorded]).astype("<i4")
    starts = treebank.sentence_starts.tolist()
    return [f"{zlib.crc32(both[:, starts[i] : starts[i + 1]].tobytes()):08x}" for i in sentences]


def _recorded_words(treebank: Treebank) -> tuple[NDArray[np.intp], list[tuple[int, str | None, str]]]:
    """The words with a record, and for each its head, the checksum, and the MISC without records; the last counts."""
    by_code = {}
    for code in treebank.misc.distinct.tolist():
        parts = treebank.strings[code].split("|")
        if records := [match for match in map(_RECORD.fullmatch, parts) if match]:
            rest = [part for part in parts if not _RECORD.fullmatch(part)]
            by_code[code] = (int(records[-1][1]), records[-1][2], "|".join(rest) if rest else "_")
    words = np.flatnonzero(np.isin(treebank.misc.codes, list(by_code)))
    return words, [by_code[code] for code in treebank.misc.codes[words].tolist()]


def _with_misc(treebank: Treebank, chosen: NDArray[np.intp], texts: list[str]) -> Treebank:
    misc = treebank.misc.codes.copy()
    strings, misc[chosen] = treebank.strings.with_texts(texts)
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

    A word swaps places with the outermost target among its left children, then with the outermost target among its
    right children. Children of a root (or of a word labeled `root`) stay. Only heads change, and MISC if `exact`.
    """
    words = words_of(treebank, targets or default_targets(), variant, ud)
    heads, _ = raised(treebank.heads, words)
    message = "DEPS is unchanged and no longer matches the heads" if (treebank.deps.codes != UNDERSCORE).any() else ""
    return _converted(_with_records(treebank, words, heads) if exact else treebank, heads, "enhanced-kept", message)


def backward(
    treebank: Treebank,
    *,
    targets: Targets | None = None,
    variant: Variant = "paper",
    ud: int | None = None,
    exact: bool = False,
) -> Treebank:
    """Return function-head trees converted to content-head trees: Kohita et al. (2017), Algorithm 2.

    The left children of a target move to the target's head, and the innermost left child becomes the target's new head.
    The right children follow in the same way. Parts of fixed expressions stay. A target without a head is unchanged.
    Only heads change, and MISC if `exact`. There is no warning about DEPS: the enhanced graphs that `forward` kept
    match the heads again.
    """
    heads = _lowered(treebank.heads, words_of(treebank, targets or default_targets(), variant, ud))
    if exact:
        return _restored(treebank, heads)
    n_words = len(_recorded_words(treebank)[0])
    message = f"the recorded heads of {number_of(n_words, 'word')} are not used" if n_words else ""
    return _converted(treebank, heads, "unused-record", message)


def _converted(treebank: Treebank, heads: Codes, slug: str, message: str) -> Treebank:
    """Return the treebank with other heads, and with a warning unless its message is empty."""
    source = treebank.source
    warnings = [Fault(slug, message, Place(source.path), "warning")] if message else []
    return replace(treebank, heads=heads, source=replace(source, sha256=None, warnings=(*source.warnings, *warnings)))
