"""Pairing of the sentences and words of two versions of a treebank, and their changes."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.comparison.changes import (
    ABSENT,
    WORDS,
    ChangeExample,
    ChangePattern,
    ReleaseChanges,
    SentenceChange,
    TreebankChanges,
    column_order,
)
from levelhead.errors import Fault, InputError, Place, number_of, printable
from levelhead.scoring.form_alignment import pair_texts, sentence_ids, words_by_sentence
from levelhead.scoring.matches import align_sentences, same_texts, spans_of
from levelhead.scoring.rules import Rules
from levelhead.treebank import EmptyNodes, MultiwordTokens, StringColumn, Treebank
from levelhead.treebank.layouts.gold import by_stem, treebank_files
from levelhead.treebank.provenance import TREEBANK, Provenance, joint_hash, summary_of
from levelhead.treebank.tokens import FIELDS, FORM

Numbers = NDArray[np.intp]

NO_WORD = -1
MOST_EXAMPLES = 3


class PairedVersions(NamedTuple):
    """The sentences that two versions of a treebank share, and their words."""

    rows: Numbers  # the sentences of OLD and NEW of each pair, shape (pairs, 2), ascending in OLD
    old: Treebank  # the paired sentences of OLD
    new: Treebank  # the paired sentences of NEW, in the order of OLD
    old_words: Numbers  # the word of `old` of each pair of aligned words, ascending, shape (aligned,)
    new_words: Numbers  # the word of `new` of each pair, the same shape
    new_names: Numbers  # the word of `old` aligned with each word of `new`; without one, another number below -1
    same_text: NDArray[np.bool_]  # whether each pair of sentences has the same characters without spaces
    same_tokens: NDArray[np.bool_]  # whether it also has the same tokens and words
    same_places: NDArray[np.bool_]  # whether each word of the pair is aligned with the word of the same number
    moved: NDArray[np.bool_]  # whether the pair has a different place in the order of NEW

    @property
    def sides(self) -> tuple[_Side, _Side]:
        """Both versions, each with a function that names its words; aligned words have the same name."""
        return (self.old, int), (self.new, lambda word: int(self.new_names[word]))


_Side = tuple[Treebank, Callable[[int], int]]


def pair_versions(old: Treebank, new: Treebank, rules: Rules) -> PairedVersions:
    """Return the paired sentences and aligned words of two versions of a treebank, in either order of versions."""
    texts = [spans_of(side, unicode_spaces=rules.unicode_spaces).sentence_texts() for side in (old, new)]
    words = [words_by_sentence(side) for side in (old, new)]
    step = -1 if (texts[1], words[1]) < (texts[0], words[0]) else 1
    pairs = _pair([sentence_ids(side) for side in (old, new)[::step]], texts[::step], words[::step])
    rows = np.array(sorted(pair[::step] for pair in pairs), dtype=np.intp).reshape(-1, 2)
    both = old.select(rows[:, 0].tolist()), new.select(rows[:, 1].tolist())
    spans = [spans_of(treebank, unicode_spaces=rules.unicode_spaces) for treebank in both]
    (one, other), (one_spans, other_spans) = both[::step], spans[::step]
    alignment = align_sentences(one, other, one_spans, other_spans)
    old_words, new_words = (side.astype(np.intp) for side in (alignment.gold, alignment.system)[::step])
    new_names = -2 - np.arange(both[1].n_words, dtype=np.intp)
    new_names[new_words] = old_words
    sizes, new_sizes = (np.diff(side.sentence_starts) for side in both)
    numbers, tokens = [], []  # of both words of each aligned pair: the number in the sentence, and the token
    for side, span, aligned in zip(both, spans, (old_words, new_words), strict=True):
        sentence = side.sentence_of_word[aligned]
        start = span.sentence_starts[sentence]
        numbers.append(aligned - side.sentence_starts[sentence])
        tokens.append(np.stack([span.starts[aligned] - start, span.ends[aligned] - start, span.inside[aligned]]))
    sentence = both[0].sentence_of_word[old_words]
    same_words = numbers[0] == numbers[1], (tokens[0] == tokens[1]).all(axis=0)
    in_place, with_tokens = (np.bincount(sentence[same], minlength=len(sizes)) == sizes for same in same_words)
    same_text = same_texts(*spans)
    same_places = in_place & (sizes == new_sizes)
    same_tokens = same_text & same_places & with_tokens
    moved = _moved(rows[:, ::step])
    return PairedVersions(rows, *both, old_words, new_words, new_names, same_text, same_tokens, same_places, moved)


def _pair(
    ids: list[list[bytes | None]], texts: list[list[bytes]], words: list[list[list[str]]]
) -> list[tuple[int, int]]:
    """The paired sentences: first by id, then by text in order, then by text anywhere."""
    pairs: list[tuple[int, int]] = []

    def add(candidates: Iterable[tuple[int, int]]) -> list[list[int]]:
        """Add the pairs that can be versions of the same sentence, and return the other sentences of both sides."""
        for i, j in candidates:
            some = words[0][i]
            others = words[1][j]
            same = texts[0][i] == texts[1][j]
            if same or 2 * (Counter(some) & Counter(others)).total() >= max(len(some), len(others)):
                pairs.append((i, j))
        return [sorted({*range(len(side))} - {pair[k] for pair in pairs}) for k, side in enumerate(texts)]

    counts, counts_of_other = map(Counter, ids)
    place = {name: j for j, name in enumerate(ids[1])}
    unique = ((i, name) for i, name in enumerate(ids[0]) if name is not None and counts[name] == 1)
    rest, others = add((i, place[name]) for i, name in unique if counts_of_other[name] == 1)
    some_texts = [texts[0][i] for i in rest], [texts[1][j] for j in others]
    some_words = [words[0][i] for i in rest], [words[1][j] for j in others]
    rest, others = add((rest[i], others[j]) for i, j in enumerate(pair_texts(some_texts, some_words)) if j >= 0)
    places: defaultdict[bytes, list[int]] = defaultdict(list)  # of the k-th sentences with the same text
    for j in reversed(others):
        places[texts[1][j]].append(j)
    add((i, places[texts[0][i]].pop()) for i in rest if places[texts[0][i]])
    return pairs


def _moved(rows: Numbers) -> NDArray[np.bool_]:
    """The pairs that are not in a longest sequence of pairs in order on both sides."""
    order = np.argsort(rows[:, 0])
    ends: list[int] = []  # the last value of the best sequence of each length
    last: list[int] = []  # its place
    before = []
    for place, value in enumerate(rows[order, 1].tolist()):
        at = bisect_left(ends, value)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1], last[at : at + 1] = [value], [place]
    moved = np.ones(len(rows), dtype=bool)
    place = last[-1] if last else -1
    while place >= 0:
        moved[order[place]] = False
        place = before[place]
    return moved


MULTIWORD, EMPTY = "multiword tokens", "empty nodes"

_COLUMNS = {
    "FORM": "forms", "LEMMA": "lemmas", "UPOS": "upos", "XPOS": "xpos", "DEPREL": "relations", "FEATS": "feats",
    "MISC": "misc",
}  # fmt: skip
"""The columns that are compared as text, without those of heads, with their names in treebanks."""


class ChangedCell(NamedTuple):
    """One change."""

    column: str  # or "words", "multiword tokens", "empty nodes"
    old: str
    new: str
    sentence: int  # the pair of sentences
    form: str
    word: int = NO_WORD  # the word of OLD, if the change belongs to a single aligned word


def changed_cells(pairs: PairedVersions) -> Iterator[ChangedCell]:
    yield from _other_words(pairs)
    for name, attribute in _COLUMNS.items():
        yield from _changed(pairs, name, attribute)
    yield from _heads(pairs)
    yield from _changed(pairs, "DEPS", "deps")
    for name, rows_of in ((MULTIWORD, _multiword_rows), (EMPTY, _empty_rows)):
        old, new = (rows_of(*side) for side in pairs.sides)
        for key in old | new:
            (sentence, cells), *others = (side[key] for side in (old, new) if key in side)
            old_form, new_form = (side[key][1][FORM] if key in side else ABSENT for side in (old, new))
            if not others or old_form != new_form:
                yield ChangedCell(name, old_form, new_form, sentence, cells[FORM])
            for _, after in others:
                for field, *values in list(zip(FIELDS[1:], cells, after, strict=True))[FORM + 1 :]:
                    for pattern in _differences(pairs, field, sentence, *values):
                        yield ChangedCell(field, *pattern, sentence, cells[FORM])


def changed_attributes(old: str, new: str) -> list[tuple[str, str]]:
    """Return the attributes in which two cells differ: `Number=Sing` and `Number=Plur`; `-` for a missing attribute."""
    parts: tuple[defaultdict[str, list[str]], ...] = defaultdict(list), defaultdict(list)
    for side, cell in zip(parts, (old, new), strict=True):
        for part in sorted(cell.split("|")) if cell != "_" else ():
            side[part.partition("=")[0]].append(part)
    values = [tuple("|".join(side.get(key, [ABSENT])) for side in parts) for key in sorted(parts[0] | parts[1])]
    return [(before, after) for before, after in values if before != after] or [(old, new)]


def _other_words(pairs: PairedVersions) -> Iterator[ChangedCell]:
    """Runs of words between aligned words that differ or exist in only one version."""
    old, new = pairs.old, pairs.new
    old_forms, new_forms = list(old.forms), list(new.forms)
    sentences = old.sentence_of_word[pairs.old_words]
    for pair in np.flatnonzero(~pairs.same_places).tolist():
        first, last = np.searchsorted(sentences, [pair, pair + 1])
        i, j = int(old.sentence_starts[pair]), int(new.sentence_starts[pair])
        ends = zip(pairs.old_words[first:last].tolist(), pairs.new_words[first:last].tolist(), strict=True)
        for k, m in [*ends, (int(old.sentence_starts[pair + 1]), int(new.sentence_starts[pair + 1]))]:
            if k > i or m > j:
                run, other = (" ".join(forms) or ABSENT for forms in (old_forms[i:k], new_forms[j:m]))
                yield ChangedCell(WORDS, run, other, pair, run if k > i else other)
            i, j = k + 1, m + 1


def _changed(pairs: PairedVersions, name: str, attribute: str) -> Iterator[ChangedCell]:
    columns: list[StringColumn] = [getattr(treebank, attribute) for treebank in (pairs.old, pairs.new)]
    number: dict[str, int] = {}
    old, new = (column.mapped(lambda text: number.setdefault(text, len(number)), np.intp) for column in columns)
    differ = old[pairs.old_words] != new[pairs.new_words]
    if name == "DEPS":  # the same text has other heads if words have other numbers
        differ |= ~pairs.same_places[pairs.old.sentence_of_word[pairs.old_words]]
    for place in np.flatnonzero(differ).tolist():
        word, new_word = int(pairs.old_words[place]), int(pairs.new_words[place])
        sentence = int(pairs.old.sentence_of_word[word])
        for values in _differences(pairs, name, sentence, columns[0][word], columns[1][new_word]):
            yield ChangedCell(name, *values, sentence, pairs.old.forms[word], word)


def _differences(pairs: PairedVersions, column: str, sentence: int, old: str, new: str) -> list[tuple[str, str]]:
    """The changes from one cell to another; none in DEPS if only the numbers of words differ."""
    if column == "DEPS" and not (old == new and pairs.same_places[sentence]):
        before, after = (_edges(cell, *side, sentence) for cell, side in zip((old, new), pairs.sides))
        if before != after:
            edges = (sorted(name for _, name in side) for side in (before - after, after - before))
            return [tuple("|".join(names) or ABSENT for names in edges)]  # type: ignore[list-item]
        return [(old, new)] if pairs.same_places[sentence] else []
    if old == new:
        return []
    return changed_attributes(old, new) if column in {"FEATS", "MISC"} else [(old, new)]


def _heads(pairs: PairedVersions) -> Iterator[ChangedCell]:
    old, new = pairs.old, pairs.new
    if not old.has_trees and not new.has_trees:
        return
    heads, others = old.heads[pairs.old_words].astype(np.intp), new.heads[pairs.new_words].astype(np.intp)
    differ = np.where(others < 0, -1, pairs.new_names[others]) != heads
    for place in np.flatnonzero(differ | (not old.has_trees) | (not new.has_trees)).tolist():
        ends = ((old, int(heads[place])), (new, int(others[place])))
        word = int(pairs.old_words[place])
        before, after = ("_" if not side.has_trees else "root" if head < 0 else side.upos[head] for side, head in ends)
        yield ChangedCell("HEAD", before, after, int(old.sentence_of_word[word]), old.forms[word], word)


def _edges(cell: str, treebank: Treebank, name: Callable[[int], int], sentence: int) -> set[tuple[Hashable, str]]:
    """The edges of a cell of DEPS: the names of their heads, and their relations."""
    start, end = treebank.sentence_starts[sentence : sentence + 2].tolist()
    edges: set[tuple[Hashable, str]] = set()
    for head, _, relation in (part.partition(":") for part in cell.split("|") if cell != "_"):
        number = int(head) if re.fullmatch("[0-9]{1,9}", head) else 0
        word = name(start + number - 1) if 0 < number <= end - start else ("no word", number or head)
        edges.add((word, relation or head))
    return edges


_Rows = dict[Hashable, tuple[int, tuple[str, ...]]]
"""The sentence of each multiword token or empty node, and its nine cells after the ID."""


def _multiword_rows(treebank: Treebank, name: Callable[[int], int]) -> _Rows:
    """The multiword tokens of one version by their first word."""
    seen: Counter[Hashable] = Counter()  # official scorers read tokens without words, before any word or at the end
    keyed: _Rows = {}
    for word, row in zip(treebank.multiword.first.tolist(), _cells(treebank, treebank.multiword), strict=True):
        first = (row[0], name(word) if word < treebank.n_words else "end")
        keyed[first, seen[first]] = row
        seen[first] += 1
    return keyed


def _empty_rows(treebank: Treebank, name: Callable[[int], int]) -> _Rows:
    """The empty nodes of one version by the preceding word and their number."""
    nodes, starts = treebank.empty, treebank.sentence_starts
    rows = zip(nodes.position.tolist(), nodes.minor.tolist(), _cells(treebank, nodes), strict=True)
    return {(row[0], "start" if word == starts[row[0]] else name(word - 1), minor): row for word, minor, row in rows}


def _cells(treebank: Treebank, part: MultiwordTokens | EmptyNodes) -> Iterator[tuple[int, tuple[str, ...]]]:
    for sentence, cells in zip(part.sentence.tolist(), part.cells.tolist(), strict=True):
        yield sentence, tuple(treebank.strings[code] for code in cells)


def _in_order(patterns: Iterable[ChangePattern]) -> tuple[ChangePattern, ...]:
    return tuple(sorted(patterns, key=lambda pattern: (-pattern.changes, *column_order(pattern.column), *pattern[1:3])))


def changes(old: Treebank, new: Treebank, rules: Rules) -> TreebankChanges:
    """Return the changes from the old to the new version of a treebank."""
    rules.check_words()
    pairs = pair_versions(old, new, rules)
    cells_of: defaultdict[int, list[ChangedCell]] = defaultdict(list)
    places: defaultdict[tuple[str, str, str], list[ChangedCell]] = defaultdict(list)
    for cell in changed_cells(pairs):
        cells_of[cell.sentence].append(cell)
        places[cell[:3]].append(cell)
    patterns = []
    rows = pairs.rows.tolist()
    for pattern, cells in places.items():
        first = {cell.sentence: cell.form for cell in reversed(cells)}
        examples = tuple(ChangeExample(rows[i][0], rows[i][1], first[i]) for i in sorted(first)[:MOST_EXAMPLES])
        patterns.append(ChangePattern(*pattern, len(cells), len(first), examples))
    ids, new_ids = sentence_ids(pairs.old), sentence_ids(pairs.new)
    sentences: dict[tuple[int, int], SentenceChange] = {}  # by their order: that of NEW
    new_of_old = dict(rows)
    previous = -1  # a removed sentence follows the sentence before it in OLD
    for number in range(len(old)):
        if number in new_of_old:
            previous = new_of_old[number]
        else:
            sentences[previous, number] = SentenceChange(number, None, ("removed",))
    for number in set(range(len(new))).difference(new_of_old.values()):
        sentences[number, -1] = SentenceChange(None, number, ("added",))
    for pair, (number, new_number) in enumerate(rows):
        text = not pairs.same_text[pair]
        ignored = {WORDS, MULTIWORD, *(["FORM"] if text else [])}  # consequences of different tokens, words or text
        annotated = [cell for cell in cells_of[pair] if cell.column not in ignored]
        both = pairs.old.comments[pair], pairs.new.comments[pair]
        kinds = {
            "text": text,
            "tokens": not text and not pairs.same_tokens[pair],
            "annotation": bool(annotated),
            "id": ids[pair] != new_ids[pair],
            "comments": len({re.sub(r"(?m)^#[ \t]*sent_id[ \t]*=.*\n?", "", text) for text in both}) > 1,
            "order": bool(pairs.moved[pair]),
        }
        if any(kinds.values()):
            words = {cell.word for cell in annotated} - {NO_WORD}
            counts = Counter(cell[:3] for cell in cells_of[pair])
            changed = tuple(kind for kind, differs in kinds.items() if differs)
            sentences[new_number, -1] = SentenceChange(number, new_number, changed, len(words), counts)
    provenance = _provenance({TREEBANK: {"old": old, "new": new}}, rules)
    in_order = tuple(sentences[key] for key in sorted(sentences))
    return TreebankChanges(old, new, in_order, _in_order(patterns), provenance)


def _provenance(files: Mapping[str, Mapping[str, Treebank]], rules: Rules, notes: tuple[str, ...] = ()) -> Provenance:
    ids = {name: {side: summary_of(treebank).id for side, treebank in sides.items()} for name, sides in files.items()}
    joint = {side: joint_hash(some[side] for some in ids.values() if side in some) for side in ("old", "new")}
    signature = {"rules": rules.signature, **joint, "unicode": unicodedata.unidata_version, "version": VERSION}
    faults = (fault for sides in files.values() for treebank in sides.values() for fault in treebank.warnings)
    return Provenance(signature, ids, tuple(dict.fromkeys(faults)), notes)


def release_changes(old: Path, new: Path, rules: Rules, read: Callable[[Path], Treebank]) -> ReleaseChanges:
    """Return the changes of each file; if only one folder has it, all its sentences were removed or added."""
    rules.check_words()
    old_files, new_files = by_stem(treebank_files(old)), by_stem(treebank_files(new))
    if not old_files.keys() & new_files.keys():
        message = f"no file has the same name as a file in {printable(str(new))}: files are paired by name"
        raise InputError(Fault("no-pairs", message, Place(file=str(old))))
    parts: dict[str, TreebankChanges] = {}
    files: dict[str, dict[str, Treebank]] = {}
    joined: dict[tuple[str, str, str], ChangePattern] = {}
    removed, added = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    for name in sorted(old_files.keys() | new_files.keys()):
        given = {side: read(paths[name]) for side, paths in (("old", old_files), ("new", new_files)) if name in paths}
        nothing = next(iter(given.values())).select([])
        part = parts[name] = changes(given.get("old", nothing), given.get("new", nothing), rules)
        files[name] = {side: treebank for side, treebank in given.items() if len(treebank)}
        for pattern in part.patterns:
            before = joined.get(pattern[:3], ChangePattern(*pattern[:3], 0, 0, ()))
            examples = (*before.examples, *(example._replace(file=name) for example in pattern.examples))
            sums = before.changes + pattern.changes, before.sentences + pattern.sentences
            joined[pattern[:3]] = ChangePattern(*pattern[:3], *sums, examples[:MOST_EXAMPLES])
        removed.update(tuple(part.old[at.old].forms) for at in part.sentences if at.old is not None and at.new is None)
        added.update(tuple(part.new[at.new].forms) for at in part.sentences if at.new is not None and at.old is None)
    only_old, only_new = sorted(old_files.keys() - new_files.keys()), sorted(new_files.keys() - old_files.keys())
    n_refiled = (removed & added).total()
    sides = (("old", only_old), ("new", only_new))
    notes = [f"only in the {side} folder: {printable(', '.join(names))}" for side, names in sides if names]
    if n_refiled:
        moved = f"{number_of(n_refiled, 'sentence')} {'was' if n_refiled == 1 else 'were'} removed from one file"
        notes.append(f"{moved} and added to another")
    provenance = _provenance(files, rules, tuple(notes))
    return ReleaseChanges(parts, tuple(only_old), tuple(only_new), _in_order(joined.values()), n_refiled, provenance)
