"""Warnings about valid treebanks, most of them found quickly on distinct strings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from levelhead.errors import Fault, MalformedDeps, Place, is_joining, quoted
from levelhead.kernels import pools
from levelhead.treebank.enhanced_graph import BAD_DEPS, dangling, read_graph
from levelhead.treebank.places import place_of, place_of_comment, places_of, places_of_empty_nodes, places_of_ranges
from levelhead.treebank.relations import UD1, UD2, universal
from levelhead.treebank.strings import UNDERSCORE, StringColumn, character_set
from levelhead.treebank.tokens import DEPS, FIELDS, FORM
from levelhead.treebank.treebank import COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.treebank.strings import Codes
    from levelhead.treebank.treebank import Treebank

# White space other than the plain space, control characters, and invisible characters: zero-width space, word joiner,
# byte order mark. Bidirectional controls and the joiner are part of normal text, the non-joiner only inside words.
_UNUSUAL = character_set(
    (0x1, 0x8), (0xB, 0x1F), (0x7F, 0xA0), (0x1680, 0x1680), (0x2000, 0x200B), (0x2028, 0x2029), (0x202F, 0x202F),
    (0x205F, 0x2060), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
_NON_JOINER = "\N{ZERO WIDTH NON-JOINER}"
_NON_JOINERS = character_set((ord(_NON_JOINER), ord(_NON_JOINER)))
_FEATURE = r"[^\s=|]+=[^\s=|]+"
_BAD_FEATS = rf"(?m)^(?!(_?|{_FEATURE}(\|{_FEATURE})*)$).*"
_KNOWN = "|".join(sorted(UD1 | UD2))
_BAD_RELATION = rf"(?m)^(?!({_KNOWN})(:[^|\n]*)?$).*"
_LONG_MULTIWORD = 100
_LONG_CELL = 1_000_000


_PlacesOf: TypeAlias = "Callable[[Treebank, NDArray[np.intp]], Iterator[Place]]"
Kind = tuple[int, ...]
"""The key of a warning: its position among all warnings, its column, its slug."""


def find_warnings(treebank: Treebank) -> Iterator[Fault]:
    """Return the warnings about a treebank: one per kind, at its first place."""
    warnings = {kind: [fault] for kind, fault in warnings_by_kind(treebank)}
    return iter(in_order(warnings, tuple(_sent_ids(treebank))))


def warnings_by_kind(treebank: Treebank, most: int = 1) -> Iterator[tuple[Kind, Fault]]:
    """Yield the warnings about a treebank or a part of it with their kinds, except repeated sentence ids."""
    suspects = _suspects(treebank)
    for number, name in enumerate(COLUMNS):
        column = getattr(treebank, name)
        for slug, codes in suspects.items():
            yield from _of_kind((0, number), _warn_column(treebank, slug, column, codes, most))
    yield from _of_kind((1,), _malformed(treebank, "invalid-feats", treebank.feats, _BAD_FEATS, most))
    yield from _of_kind(_BAD_DEPS, _malformed(treebank, "invalid-deps", treebank.deps, BAD_DEPS, most))
    if treebank.has_trees:
        yield from _of_kind((3,), _malformed(treebank, "unknown-relation", treebank.relations, _BAD_RELATION, most))
        yield from _of_kind((4,), _root_relations(treebank, most))
    else:
        fault = Fault("missing-trees", "the word has no head", place_of(treebank, 0), "warning", treebank.n_words)
        yield from _of_kind((4,), iter([fault]))
    yield from _of_kind((5,), _multiword(treebank, suspects, most))
    yield from _of_kind(_ODD_EMPTY_NODES, _empty_nodes(treebank, suspects, most))
    for number, edges in enumerate(_dangling_edges(treebank, most)):
        yield from _of_kind((*_NOWHERE, number), edges)
    for number, cells in enumerate(_long_cells(treebank, most)):
        yield from _of_kind((*_LONG, number), cells)


_BAD_DEPS, _ODD_EMPTY_NODES, _NOWHERE, _SENT_IDS, _LONG = (2,), (6,), (7,), (8,), (9,)
_ORDER = (
    "unusual-character", "empty-column", "surrounding-space", "not-normalized", "single-word-range",
    "long-multiword-token", "range-with-columns",
)  # fmt: skip
"""The order of slugs that several of the steps above can produce."""


def _of_kind(kind: Kind, faults: Iterator[Fault]) -> Iterator[tuple[Kind, Fault]]:
    for fault in faults:
        yield (*kind, _ORDER.index(fault.slug) if fault.slug in _ORDER else len(_ORDER)), fault


def in_order(
    warnings: Mapping[Kind, Sequence[Fault]], repeated_ids: Sequence[Fault], *, every: bool = False
) -> list[Fault]:
    """Return the warnings about a treebank in order."""
    slugs = {(kind[0], faults[0].slug) for kind, faults in warnings.items()}
    unreadable = bool({(*_BAD_DEPS, "invalid-deps"), (*_ODD_EMPTY_NODES, "invalid-deps")} & slugs)
    first: dict[Kind, Sequence[Fault]] = {}
    for kind in sorted(warnings):
        if not every and kind[:1] == _NOWHERE and unreadable:
            continue
        alone = not every and kind[:1] in {_NOWHERE, _LONG}
        first.setdefault(kind[:1] if alone else kind, warnings[kind])
    first[_SENT_IDS] = repeated_ids
    return [fault for kind in sorted(first) for fault in first[kind]]


def warnings_of_rows(
    treebank: Treebank, slug: str, rows: NDArray[np.intp], places: _PlacesOf, message: Callable[[int], str], most: int
) -> Iterator[Fault]:
    """Yield a warning about each of the first rows; the last of them counts the others."""
    listed = rows[:most]
    counts = [1] * len(listed)
    counts[-1:] = [len(rows) - len(listed) + 1] if counts else []
    for row, place, n in zip(listed.tolist(), places(treebank, listed), counts):
        yield Fault(slug, message(row), place, "warning", n)


def _suspects(treebank: Treebank) -> dict[str, Codes]:
    """The codes of strings with unusual characters, by kind; usually none, so the whole pool is searched first."""
    strings = treebank.strings
    pool = b"\n" + strings.pool
    tests: dict[str, tuple[bool, Callable[[str], object]]] = {
        "empty-column": (b"\n\n" in pool, lambda text: not text),
        "surrounding-space": (b"\n " in pool or b" \n" in pool, lambda text: text[:1] == " " or text[-1:] == " "),
        "not-normalized": (
            not strings.pool.isascii() and not unicodedata.is_normalized("NFC", strings.text),
            lambda text: not unicodedata.is_normalized("NFC", text),
        ),
    }
    misplaced = [code for code in strings.codes_with(_NON_JOINERS).tolist() if _has_misplaced_joiner(strings[code])]
    found = {"unusual-character": np.append(strings.codes_with(_UNUSUAL), np.array(misplaced, dtype=np.int32))}
    for slug, (anywhere, test) in tests.items():
        codes = [code for code, text in enumerate(strings.texts) if test(text)] if anywhere else []
        found[slug] = np.array(codes, dtype=np.int32)
    return {slug: codes for slug, codes in found.items() if len(codes)}


def _has_misplaced_joiner(text: str) -> bool:
    return any(c == _NON_JOINER and not is_joining(text, at) for at, c in enumerate(text))


def _warn_column(treebank: Treebank, slug: str, column: StringColumn, codes: Codes, most: int) -> Iterator[Fault]:
    rows = np.flatnonzero(_are_in(column, codes))
    name = next(field for of, field in zip(COLUMNS, _FIELD_NAMES) if getattr(treebank, of) is column)
    return warnings_of_rows(treebank, slug, rows, places_of, lambda row: f"{name} {quoted(column[row])}", most)


def _are_in(column: StringColumn, codes: Codes) -> NDArray[np.bool_]:
    """Return whether the code of each row is among the given codes."""
    chosen = np.zeros(len(column.strings), dtype=bool)
    chosen[codes] = True
    return chosen[column.codes]


_FIELD_NAMES = tuple(field for field in FIELDS if field not in {"ID", "HEAD"})


def _malformed(treebank: Treebank, slug: str, column: StringColumn, bad: str, most: int) -> Iterator[Fault]:
    """Search the distinct strings of a column all at once, and line by line only if something was found."""
    codes, texts = column.distinct.tolist(), column.distinct_texts
    if re.search(bad, "\n".join(texts)):
        codes_found = [code for code, text in zip(codes, texts) if re.search(bad, text)]
        yield from _warn_column(treebank, slug, column, np.array(codes_found, dtype=np.int32), most)


def _root_relations(treebank: Treebank, most: int) -> Iterator[Fault]:
    relations = treebank.relations
    texts = zip(relations.distinct.tolist(), relations.distinct_texts)
    roots = [code for code, text in texts if universal(text) == "root"]
    labeled = np.isin(relations.codes, np.array(roots, dtype=np.int32))
    rows = np.flatnonzero(labeled != (treebank.heads < 0))

    def message(row: int) -> str:
        return f"HEAD is {0 if treebank.heads[row] < 0 else 'not 0'}, the relation {quoted(relations[row])}"

    return warnings_of_rows(treebank, "root-relation", rows, places_of, message, most)


def _multiword(treebank: Treebank, suspects: dict[str, Codes], most: int) -> Iterator[Fault]:
    multiword, strings = treebank.multiword, treebank.strings
    if not len(multiword):
        return
    for slug, codes in suspects.items():
        unusual = np.isin(multiword.cells[:, FORM], codes)
        yield from _warn_multiword(treebank, slug, unusual, "its form has unusual characters", most)
    yield from _warn_multiword(treebank, "single-word-range", multiword.n_words == 1, "it has only one word", most)
    long = multiword.n_words > _LONG_MULTIWORD
    yield from _warn_multiword(treebank, "long-multiword-token", long, "it has more than 100 words", most)
    filled = (multiword.cells[:, [2, 3, 5, 6, 7]] != 0).any(axis=1)
    typo = [code for code in set(multiword.cells[:, 4].tolist()) if strings[code] not in {"_", "Typo=Yes"}]
    filled |= np.isin(multiword.cells[:, 4], np.array(typo, dtype=np.int32))
    yield from _warn_multiword(
        treebank, "range-with-columns", filled, "it has values in columns that only words may have", most
    )


def _warn_multiword(
    treebank: Treebank, slug: str, which: NDArray[np.bool_], message: str, most: int
) -> Iterator[Fault]:
    def of_row(row: int) -> str:
        return f"multiword token {quoted(treebank.strings[int(treebank.multiword.cells[row, FORM])])}: {message}"

    return warnings_of_rows(treebank, slug, np.flatnonzero(which), places_of_ranges, of_row, most)


def _empty_nodes(treebank: Treebank, suspects: dict[str, Codes], most: int) -> Iterator[Fault]:
    empty, strings = treebank.empty, treebank.strings
    if not len(empty):
        return
    for slug, codes in suspects.items():
        if slug != "empty-column":
            unusual = np.isin(empty.cells[:, FORM], codes)
            yield from _warn_empty_node(treebank, slug, unusual, "its form has unusual characters", most)
    bad = [code for code in set(empty.cells[:, DEPS].tolist()) if re.search(BAD_DEPS, strings[code])]
    which = np.isin(empty.cells[:, DEPS], np.array(bad, dtype=np.int32))
    yield from _warn_empty_node(treebank, "invalid-deps", which, "its DEPS are not a list of heads and relations", most)


def _warn_empty_node(
    treebank: Treebank, slug: str, which: NDArray[np.bool_], message: str, most: int
) -> Iterator[Fault]:
    rows = np.flatnonzero(which)
    return warnings_of_rows(treebank, slug, rows, places_of_empty_nodes, lambda _: f"empty node: {message}", most)


def _dangling_edges(treebank: Treebank, most: int) -> Iterator[Iterator[Fault]]:
    """Warn about enhanced edges whose head is not a node of the sentence: of words, then of empty nodes."""
    try:
        words, empty_nodes = dangling(treebank, treebank.graph)
    except MalformedDeps:
        if most == 1:
            return
        words, empty_nodes = dangling(treebank, read_graph(_without_malformed_deps(treebank)))
    message = "the head of an enhanced edge is not a node of the sentence"
    for rows, places in ((words, places_of), (empty_nodes, places_of_empty_nodes)):
        yield warnings_of_rows(treebank, "invalid-deps", rows, places, lambda _: message, most)


def _without_malformed_deps(treebank: Treebank) -> Treebank:
    strings = treebank.strings
    malformed = np.array([re.search(BAD_DEPS, text) is not None for text in strings.texts])
    codes, cells = treebank.deps.codes, treebank.empty.cells.copy()
    cells[:, DEPS] = np.where(malformed[cells[:, DEPS]], UNDERSCORE, cells[:, DEPS])
    deps = StringColumn(np.where(malformed[codes], UNDERSCORE, codes).astype(np.int32), strings)
    return replace(treebank, deps=deps, empty=replace(treebank.empty, cells=cells))


def _sent_ids(treebank: Treebank) -> Iterator[Fault]:
    names, _, places = pools.sentence_ids(treebank.comments.text)
    ids = names.split(b"\n")[:-1]
    if len(set(ids)) == len(ids):
        return
    first: dict[bytes, int] = {}
    repeated = [row for row, name in enumerate(ids) if first.setdefault(name, row) != row]
    place = place_of_comment(treebank, int(places[repeated[0]]))
    yield repeated_id(ids[repeated[0]], place, len(repeated))


def repeated_id(name: bytes, place: Place, count: int) -> Fault:
    """Return the warning about repeated sentence ids."""
    message = f"sent_id {quoted(name.decode().strip())} is used twice"
    return Fault("duplicate-sent-id", message, place, "warning", count)


def _long_cells(treebank: Treebank, most: int) -> Iterator[Iterator[Fault]]:
    """Warn about very long cells: of each column, then of multiword tokens."""
    lengths = treebank.strings.lengths
    if int(lengths.max()) < _LONG_CELL:
        return
    long = np.flatnonzero(lengths >= _LONG_CELL).astype(np.int32)
    message = "a cell has a million bytes or more"
    of_words = [(np.flatnonzero(_are_in(getattr(treebank, name), long)), places_of) for name in COLUMNS]
    of_ranges = np.flatnonzero(np.isin(treebank.multiword.cells, long).any(axis=1))
    for rows, places in (*of_words, (of_ranges, places_of_ranges)):
        yield warnings_of_rows(treebank, "long-cell", rows, places, lambda _: message, most)
