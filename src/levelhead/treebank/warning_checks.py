"""Warnings about valid treebanks, most of them found quickly on distinct strings; checks of comments in pieces."""

from __future__ import annotations

import pickle
import re
import unicodedata
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from levelhead.errors import Fault, MalformedDeps, Place, is_joining, quoted
from levelhead.kernels import pools
from levelhead.treebank.enhanced_graph import BAD_DEPS, dangling, read_graph
from levelhead.treebank.relations import UD1, UD2, universal
from levelhead.treebank.strings import UNDERSCORE, Codes, StringColumn
from levelhead.treebank.tokens import (
    COLUMNS,
    DEPS,
    FORM,
    MISC,
    STRING_FIELDS,
    Lines,
    place_of,
    place_of_comment,
    places_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.treebank.treebank import Treebank

# White space other than the plain space, control characters, and invisible characters: zero-width space, word joiner,
# byte order mark. Bidirectional controls and the joiner are part of normal text, the non-joiner only inside words.
_UNUSUAL = (
    (0x1, 0x8), (0xB, 0x1F), (0x7F, 0xA0), (0x1680, 0x1680), (0x2000, 0x200B), (0x2028, 0x2029), (0x202F, 0x202F),
    (0x205F, 0x2060), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
_NON_JOINER = "\N{ZERO WIDTH NON-JOINER}"
_FEATURE = r"[^\s=|]+=[^\s=|]+"
_LONG_MESSAGE = "a cell has a million bytes or more"


Kind = tuple[int, ...]  # the key of a warning: its position among all warnings, its column, its slug
_Message: TypeAlias = "str | Callable[[int], str]"
_Rows: TypeAlias = "tuple[Kind, str, NDArray[np.intp], Lines, _Message]"
"""Rows with the same warning: its kind, its slug, the rows and what they are, and the message (of each)."""

_BAD_DEPS, _ODD_EMPTY_NODES, _NOWHERE, _SENT_IDS, _LONG = (2,), (6,), (7,), (8,), (9,)
TEXT_COMMENTS = (10,)
_ORDER = (
    "unusual-character", "empty-column", "surrounding-space", "not-normalized", "single-word-range",
    "long-multiword-token", "range-with-columns",
)  # fmt: skip
"""The order of slugs that rows of one kind can have."""


def find_warnings(treebank: Treebank) -> list[Fault]:
    """Return the warnings about a treebank: one per kind, at its first place."""
    names, _, places = pools.sentence_ids(treebank.comments.text)
    ids = names.split(b"\n")[:-1]
    first: dict[bytes, int] = {}
    repeated = [row for row, name in enumerate(ids) if first.setdefault(name, row) != row]
    repeated_ids = [
        _repeated_id(ids[row], place_of_comment(treebank, int(places[row])), len(repeated)) for row in repeated[:1]
    ]
    return in_order({kind: [fault] for kind, fault in warnings_by_kind(treebank)}, repeated_ids)


def warnings_by_kind(treebank: Treebank, most: int = 1) -> Iterator[tuple[Kind, Fault]]:
    """Yield the warnings about a treebank or a part of it with their kinds, except repeated sentence ids."""
    if not treebank.has_trees:
        fault = Fault("missing-trees", "the word has no head", place_of(treebank, 0), "warning", treebank.n_words)
        yield (4, len(_ORDER)), fault
    suspects = _suspects(treebank)
    for check in (
        _rows_of_words(treebank, suspects),
        _rows_of_multiword_tokens(treebank, suspects),
        _rows_of_edges(treebank, suspects, every=most > 1),
    ):
        for kind, slug, rows, lines, message in check:
            number = _ORDER.index(slug) if slug in _ORDER else len(_ORDER)
            for fault in warnings_of_rows(treebank, slug, rows, message, most, lines):
                yield (*kind, number), fault


def in_order(
    warnings: Mapping[Kind, Sequence[Fault]], repeated_ids: Sequence[Fault], *, every: bool = False
) -> list[Fault]:
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
    treebank: Treebank, slug: str, rows: NDArray[np.intp], message: _Message, most: int, lines: Lines = "words"
) -> Iterator[Fault]:
    """Yield a warning about each of the first rows; the last of them counts the others."""
    listed = rows[:most]
    for row, place in zip(listed.tolist(), places_of(treebank, listed, lines) if len(rows) else ()):
        n_rows = 1 + len(rows) - len(listed) if row == listed[-1] else 1
        yield Fault(slug, message if isinstance(message, str) else message(row), place, "warning", n_rows)


def _suspects(treebank: Treebank) -> dict[str, Codes]:
    """The codes of strings with unusual characters, by kind; usually none, so the whole pool is searched first."""
    strings = treebank.strings
    pool = b"\n" + strings.pool
    tests: dict[str, tuple[bool, Callable[[str], object]]] = {
        "empty-column": (b"\n\n" in pool, lambda text: not text),
        "surrounding-space": (b"\n " in pool or b" \n" in pool, lambda text: text[:1] == " " or text[-1:] == " "),
        "not-normalized": (
            not pool.isascii() and not unicodedata.is_normalized("NFC", strings.pool.decode()),
            lambda text: not unicodedata.is_normalized("NFC", text),
        ),
    }
    misplaced = [
        code
        for code in strings.codes_with((ord(_NON_JOINER), ord(_NON_JOINER))).tolist()
        if any(c == _NON_JOINER and not is_joining(strings[code], at) for at, c in enumerate(strings[code]))
    ]
    codes_of = {"unusual-character": np.append(strings.codes_with(*_UNUSUAL), np.array(misplaced, dtype=np.int32))}
    for slug, (anywhere, test) in tests.items():
        codes = [code for code, text in enumerate(strings.texts) if test(text)] if anywhere else []
        codes_of[slug] = np.array(codes, dtype=np.int32)
    codes_of["long-cell"] = np.flatnonzero(np.diff(strings.offsets) > 1_000_000).astype(np.int32)
    return {slug: codes for slug, codes in codes_of.items() if len(codes)}


def _rows_of_words(treebank: Treebank, suspects: Mapping[str, Codes]) -> Iterator[_Rows]:
    """Yield words with unusual characters, malformed values, or a relation that does not fit their head."""
    cells: list[tuple[Kind, str, int, Sequence[int] | Codes]] = [
        ((*_LONG, number) if slug == "long-cell" else (0, number), slug, number, codes)
        for number in range(len(COLUMNS))
        for slug, codes in suspects.items()
    ]
    for kind, slug, name, bad in _MALFORMED if treebank.has_trees else _MALFORMED[:2]:
        column = getattr(treebank, name)
        if re.search(bad, "\n".join(column.distinct_texts)):  # line by line only if something was found
            pairs = zip(column.distinct.tolist(), column.distinct_texts)
            cells.append((kind, slug, COLUMNS.index(name), [code for code, text in pairs if re.search(bad, text)]))
    for kind, slug, number, codes in cells:
        column = getattr(treebank, COLUMNS[number])
        field = STRING_FIELDS[number]
        chosen = np.zeros(len(column.strings), dtype=bool)
        chosen[codes] = True
        rows = np.flatnonzero(chosen[column.codes])
        if slug == "long-cell":
            yield kind, slug, rows, "words", _LONG_MESSAGE
        else:
            yield kind, slug, rows, "words", lambda row, column=column, field=field: f"{field} {quoted(column[row])}"  # type: ignore[misc]
    if treebank.has_trees:
        relations, heads = treebank.relations, treebank.heads
        is_root = relations.mapped(lambda relation: universal(relation) == "root", bool)
        rows = np.flatnonzero(is_root != (heads < 0))
        yield (
            *((4,), "root-relation", rows, "words"),
            lambda row: f"HEAD is {0 if heads[row] < 0 else 'not 0'}, but the relation is {quoted(relations[row])}",
        )


_MALFORMED: tuple[tuple[Kind, str, str, str], ...] = (
    ((1,), "invalid-feats", "feats", rf"(?m)^(?!(_?|{_FEATURE}(\|{_FEATURE})*)$).*"),
    (_BAD_DEPS, "invalid-deps", "deps", BAD_DEPS),
    ((3,), "unknown-relation", "relations", rf"(?m)^(?!({'|'.join(sorted(UD1 | UD2))})(:[^|\n]*)?$).*"),
)
"""Values with errors that are only warnings; the last requires trees."""


def _rows_of_multiword_tokens(treebank: Treebank, suspects: Mapping[str, Codes]) -> Iterator[_Rows]:
    multiword, strings = treebank.multiword, treebank.strings
    if not len(multiword):
        return
    cells = multiword.cells
    typo = [code for code in set(cells[:, 4].tolist()) if strings[code] not in {"_", "Typo=Yes"}]
    filled = (cells[:, [2, 3, 5, 6, 7]] != 0).any(axis=1) | np.isin(cells[:, 4], np.array(typo, dtype=np.int32))
    unusual = {slug: np.isin(cells[:, FORM], codes) for slug, codes in suspects.items() if slug != "long-cell"}
    if "long-cell" in suspects:
        rows = np.flatnonzero(np.isin(cells, suspects["long-cell"]).any(axis=1))
        yield (*_LONG, len(COLUMNS)), "long-cell", rows, "ranges", _LONG_MESSAGE
    for slug, which, message in (
        *((slug, which, "its form has unusual characters") for slug, which in unusual.items()),
        ("single-word-range", multiword.n_words == 1, "it has only one word"),
        ("long-multiword-token", multiword.n_words > 100, "it has more than 100 words"),
        ("range-with-columns", filled, "it has values in columns that only words may have"),
    ):
        yield (
            *((5,), slug, np.flatnonzero(which), "ranges"),
            lambda row, message=message: f"multiword token {quoted(strings[int(cells[row, FORM])])}: {message}",  # type: ignore[misc]
        )


def _rows_of_edges(treebank: Treebank, suspects: Mapping[str, Codes], *, every: bool) -> Iterator[_Rows]:
    """Yield empty nodes with unusual forms or malformed DEPS; words and empty nodes with edges from nowhere."""
    cells, strings = treebank.empty.cells, treebank.strings
    for slug, codes in suspects.items() if len(cells) else ():
        if slug not in {"empty-column", "long-cell"}:
            rows = np.flatnonzero(np.isin(cells[:, FORM], codes))
            yield _ODD_EMPTY_NODES, slug, rows, "empty nodes", "empty node: its form has unusual characters"
    bad = [code for code in set(cells[:, DEPS].tolist()) if re.search(BAD_DEPS, strings[code])]
    rows = np.flatnonzero(np.isin(cells[:, DEPS], np.array(bad, dtype=np.int32)))
    message = "empty node: its DEPS are not a list of heads and relations"
    yield _ODD_EMPTY_NODES, "invalid-deps", rows, "empty nodes", message
    try:
        words, nodes = dangling(treebank, treebank.graph)
    except MalformedDeps:
        if not every:
            return
        malformed = np.array([re.search(BAD_DEPS, text) is not None for text in strings.texts])
        codes = treebank.deps.codes
        cells = cells.copy()
        cells[:, DEPS] = np.where(malformed[cells[:, DEPS]], UNDERSCORE, cells[:, DEPS])
        deps = StringColumn(np.where(malformed[codes], UNDERSCORE, codes).astype(np.int32), strings)
        readable = replace(treebank, deps=deps, empty=replace(treebank.empty, cells=cells))
        words, nodes = dangling(readable, read_graph(readable))
    message = "the head of an enhanced edge is not a node of the sentence"
    yield (*_NOWHERE, 0), "invalid-deps", words, "words", message
    yield (*_NOWHERE, 1), "invalid-deps", nodes, "empty nodes", message


def _repeated_id(name: bytes, place: Place, count: int = 1) -> Fault:
    message = f"sent_id {quoted(name.decode().strip())} is used twice"
    return Fault("duplicate-sent-id", message, place, "warning", count)


_SHOWN = 20


def text_faults(treebank: Treebank) -> Iterator[Fault]:
    """Yield a warning for each sentence whose `# text` comment differs from the forms, with the first difference.

    Between two forms the text must have any amount of white space, or none after `SpaceAfter=No`. Spaces after the last
    form are ignored. Sentences without the comment are skipped.
    """
    tokens, strings, comments = treebank.tokens, treebank.strings, treebank.comments
    misc = treebank.misc.codes[tokens.first]
    misc[tokens.multiword] = treebank.multiword.cells[:, MISC]
    joined = StringColumn(misc, strings).mapped(lambda text: "SpaceAfter=No" in text.split("|"), bool)
    spaced = [*strings.texts, *(f"{text} " for text in strings.texts)]
    codes: list[int] = np.where(joined, tokens.forms, tokens.forms + len(strings)).tolist()
    starts = np.searchsorted(tokens.sentence, np.arange(len(treebank) + 1)).tolist()
    matches = list(re.finditer(rb"(?m)^#[ \t]*text[ \t]*=[ \t]*([^\n]*)", comments.text))
    sentences = np.searchsorted(comments.starts, [match.start() for match in matches], side="right") - 1
    for row in np.flatnonzero(np.diff(sentences, prepend=-1)).tolist():  # the first text of each sentence
        sentence, match = int(sentences[row]), matches[row]
        text = match[1].decode().rstrip()
        of_sentence = codes[starts[sentence] : starts[sentence + 1]]
        if text == "".join(map(spaced.__getitem__, of_sentence)).rstrip():
            continue
        forms = [(strings[code % len(strings)], code >= len(strings)) for code in of_sentence]
        if difference := _difference(text, forms):
            at, expected = difference
            shown = quoted(text[at:], _SHOWN) if at < len(text) else "the end"
            message = f"# text differs from the forms at character {at + 1}: it has {shown}, the forms give {expected}"
            yield Fault("text-comment", message, place_of_comment(treebank, match.start()), "warning")


def _difference(text: str, tokens: list[tuple[str, bool]]) -> tuple[int, str] | None:
    """Return where a text first differs from tokens with or without a space after them, and what they give there."""
    at = 0
    for number, (form, space) in enumerate(tokens):
        if not text.startswith(form, at):
            return at, quoted(form, _SHOWN)
        at += len(form)
        after = at
        while after < len(text) and text[after].isspace():
            after += 1
        if space and after == at and number < len(tokens) - 1:
            return at, f"a space after {quoted(form, _SHOWN)} (no SpaceAfter=No)"
        at = after if space else at
    return None if at == len(text) else (at, "the end")


Hashes: TypeAlias = "NDArray[np.int64]"


class SentenceIds:
    """The sentence ids of the pieces of a file, as 64-bit hashes; the ids themselves are in a temporary file."""

    def __init__(self) -> None:
        import tempfile

        self._hashes: list[Hashes] = []
        self._records = tempfile.SpooledTemporaryFile(1 << 20)  # noqa: SIM115 -- closed with this object
        weakref.finalize(self, self._records.close)

    def add(self, piece: Treebank, numbers: Sequence[int]) -> None:
        comments = piece.comments
        names, offsets, places = pools.sentence_ids(comments.text)
        sentences = np.searchsorted(comments.starts, places, side="right") - 1
        line_ends = np.flatnonzero(np.frombuffer(comments.text, dtype=np.uint8) == ord("\n"))
        below = np.searchsorted(line_ends, comments.starts[sentences + 1]) - np.searchsorted(line_ends, places)
        hashes = pools.hashes(names, offsets)
        self._hashes.append(hashes)
        lines = piece.source.lines[sentences] - below
        pickle.dump((names, offsets, hashes, lines, np.asarray(numbers)[sentences]), self._records)

    def repeated(self, path: str | None, most: int = 1) -> list[Fault]:
        """Return the warnings about repeated ids, found by reading the ids whose hashes are equal again."""
        all_hashes = np.concatenate([*self._hashes, np.zeros(0, dtype=np.int64)])
        self._hashes.clear()
        all_hashes.sort()
        suspects = np.unique(all_hashes[1:][all_hashes[1:] == all_hashes[:-1]])
        del all_hashes
        if not len(suspects):
            return []
        met = np.zeros(len(suspects), dtype=bool)
        faults: list[Fault] = []
        n_repeats = 0
        end = self._records.tell()
        self._records.seek(0)
        while self._records.tell() < end:
            names, offsets, hashes, lines, sentences = pickle.load(self._records)  # noqa: S301 -- written by `add`
            slots = np.searchsorted(suspects, hashes).clip(max=len(suspects) - 1)
            for row in np.flatnonzero(suspects[slots] == hashes).tolist():
                n_repeats += met[slots[row]]
                if met[slots[row]] and n_repeats <= most:
                    name = names[offsets[row] : offsets[row + 1] - 1]
                    faults.append(_repeated_id(name, Place(path, int(lines[row]), int(sentences[row]))))
                met[slots[row]] = True
        return [*faults[:-1], replace(faults[-1], count=1 + int(n_repeats) - len(faults))] if faults else []
