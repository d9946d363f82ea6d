"""What changed between two versions of a treebank, or between two folders of treebanks such as releases."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from levelhead._version import VERSION
from levelhead.comparison.change_tables import AnyChanges, column_order
from levelhead.comparison.changed_cells import (
    NO_WORD,
    SEGMENTATION,
    ChangedCell,
    changed_cells,
    pair_versions,
)
from levelhead.errors import Fault, InputError, Place, number_of, printable
from levelhead.immutable import immutable
from levelhead.scoring.form_alignment import sentence_ids
from levelhead.scoring.rules import Rules
from levelhead.treebank import Treebank
from levelhead.treebank.layouts import treebanks_in
from levelhead.treebank.provenance import TREEBANK, Provenance, joint_hash, short_hash

__all__ = ["ChangeExample", "ChangePattern", "Changes", "SentenceChange"]


MOST_EXAMPLES = 3

_ID_LINE = re.compile(r"(?m)^#[ \t]*sent_id[ \t]*=.*\n?")


class SentenceChange(NamedTuple):
    """A sentence that differs between the versions.

    Args:
        old: its index in OLD; None if it was added.
        new: its index in NEW; None if it was removed.
        kinds: the kinds of changes, from `KINDS`.
        n_words: the number of its words that are annotated differently in both versions.
        patterns: the frequency of each change (column, old value, new value).
    """

    old: int | None
    new: int | None
    kinds: tuple[str, ...]
    n_words: int = 0
    patterns: Mapping[tuple[str, str, str], int] = MappingProxyType({})


class ChangeExample(NamedTuple):
    """One place of a change.

    Args:
        old: the index of the sentence in OLD.
        new: its index in NEW.
        form: the word, as written in OLD.
        file: the name of the file if folders are compared; otherwise empty.
    """

    old: int
    new: int
    form: str
    file: str = ""


class ChangePattern(NamedTuple):
    """Changes of one kind.

    Args:
        column: the column, "words", "multiword tokens" or "empty nodes".
        old: the value in OLD; for HEAD, the tag of the head.
        new: the value in NEW.
        n_changes: the number of changes.
        n_sentences: the number of sentences with this change.
        examples: the first places, at most three, each in another sentence.
    """

    column: str
    old: str
    new: str
    n_changes: int
    n_sentences: int
    examples: tuple[ChangeExample, ...]


@immutable
class Changes(AnyChanges):
    """The changes between two versions of a treebank.

    Args:
        old: the old version.
        new: the new version.
        sentences: the sentences that changed, in the order of NEW; removed sentences follow the sentences before them
            in OLD.
        patterns: the changes by column and pattern, most frequent first.
        provenance: the provenance of the numbers.
    """

    old: Treebank
    new: Treebank
    sentences: tuple[SentenceChange, ...]
    patterns: tuple[ChangePattern, ...]
    provenance: Provenance

    @property
    def parts(self) -> Mapping[str, Changes]:  # type: ignore[override]
        """The changes of each file by its name; for a single file, these changes."""
        return {"": self}


def _in_order(patterns: Iterable[ChangePattern]) -> tuple[ChangePattern, ...]:
    """Patterns, most frequent first."""
    return tuple(
        sorted(patterns, key=lambda pattern: (-pattern.n_changes, *column_order(pattern.column), *pattern[1:3]))
    )


def changes(old: Treebank, new: Treebank, rules: Rules) -> Changes:
    """Return the changes between two versions of a treebank, or two outputs.

    A version with itself has no changes, and exchanging the versions exchanges "added" and "removed" and both sides of
    every pattern. See `pair_versions` for how sentences and words are paired.
    """
    rules.check_words()
    pairs = pair_versions(old, new, rules)
    cells_of: defaultdict[int, list[ChangedCell]] = defaultdict(list)
    places: defaultdict[tuple[str, str, str], list[ChangedCell]] = defaultdict(list)
    for cell in changed_cells(pairs):
        cells_of[cell.sentence].append(cell)
        places[cell[:3]].append(cell)
    patterns = []
    for pattern, cells in places.items():
        first = {cell.sentence: cell.form for cell in reversed(cells)}
        examples = (ChangeExample(*pairs.rows[pair].tolist(), first[pair]) for pair in sorted(first)[:MOST_EXAMPLES])
        patterns.append(ChangePattern(*pattern, len(cells), len(first), tuple(examples)))
    ids = sentence_ids(pairs.old), sentence_ids(pairs.new)
    sentences: dict[tuple[int, int], SentenceChange] = {}  # by their order: that of NEW
    new_of_old = dict(pairs.rows.tolist())
    previous = -1  # a removed sentence follows the sentence before it in OLD
    for number in range(len(old)):
        if number in new_of_old:
            previous = new_of_old[number]
        else:
            sentences[previous, number] = SentenceChange(number, None, ("removed",))
    for number in set(range(len(new))).difference(new_of_old.values()):
        sentences[number, -1] = SentenceChange(None, number, ("added",))
    for pair, (number, new_number) in enumerate(pairs.rows.tolist()):
        text = not pairs.same_text[pair]
        annotated = [
            cell for cell in cells_of[pair] if cell.column not in SEGMENTATION and not (text and cell.column == "FORM")
        ]
        old_comments, new_comments = (_ID_LINE.sub("", side.comments[pair]) for side in (pairs.old, pairs.new))
        kinds = {
            "text": text,
            "tokens": not text and not pairs.same_tokens[pair],
            "annotation": bool(annotated),
            "id": ids[0][pair] != ids[1][pair],
            "comments": old_comments != new_comments,
            "order": bool(pairs.moved[pair]),
        }
        if any(kinds.values()):
            words = {cell.word for cell in annotated} - {NO_WORD}
            counts = Counter(cell[:3] for cell in cells_of[pair])
            changed = tuple(kind for kind, differs in kinds.items() if differs)
            sentences[new_number, -1] = SentenceChange(number, new_number, changed, len(words), counts)
    provenance = _provenance({TREEBANK: {"old": old, "new": new}}, rules)
    return Changes(old, new, tuple(sentences[key] for key in sorted(sentences)), _in_order(patterns), provenance)


def _provenance(files: Mapping[str, Mapping[str, Treebank]], rules: Rules, notes: tuple[str, ...] = ()) -> Provenance:
    """The provenance of the old and the new version of each file."""
    hashes = {
        name: {side: short_hash(treebank.source.sha256) for side, treebank in sides.items()}
        for name, sides in files.items()
    }
    joint = {side: joint_hash(some[side] for some in hashes.values() if side in some) for side in ("old", "new")}
    signature = {"rules": rules.signature, **joint, "unicode": unicodedata.unidata_version, "version": VERSION}
    faults = (fault for sides in files.values() for treebank in sides.values() for fault in treebank.warnings)
    return Provenance(signature, hashes, tuple(dict.fromkeys(faults)), notes)


@immutable
class ReleaseChanges(AnyChanges):
    """The changes between two folders of treebanks.

    Args:
        parts: the changes of each file, by its name without suffixes.
        only_old: the files that only OLD has: all their sentences were removed.
        only_new: the files that only NEW has: all their sentences were added.
        patterns: the changes of all files by column and pattern, most frequent first.
        n_refiled: the number of sentences that moved to another file with the same words.
        provenance: the provenance of the numbers.
    """

    of_folder = True

    parts: Mapping[str, Changes]
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    patterns: tuple[ChangePattern, ...]
    n_refiled: int
    provenance: Provenance


def release_changes(old: Path, new: Path, rules: Rules, read: Callable[[Path], Treebank]) -> ReleaseChanges:
    """Return the changes of each file; if only one folder has it, all its sentences were removed or added."""
    rules.check_words()
    old_files, new_files = treebanks_in(old), treebanks_in(new)
    if not old_files.keys() & new_files.keys():
        message = f"no file has the same name as a file in {printable(str(new))}: files are paired by name"
        raise InputError(Fault("no-pairs", message, Place(file=str(old))))
    parts: dict[str, Changes] = {}
    files: dict[str, dict[str, Treebank]] = {}
    joined: dict[tuple[str, str, str], ChangePattern] = {}
    removed: Counter[tuple[str, ...]] = Counter()
    added: Counter[tuple[str, ...]] = Counter()
    for name in sorted(old_files.keys() | new_files.keys()):
        given = {side: read(paths[name]) for side, paths in (("old", old_files), ("new", new_files)) if name in paths}
        nothing = next(iter(given.values())).select([])
        part = parts[name] = changes(given.get("old", nothing), given.get("new", nothing), rules)
        files[name] = {side: treebank for side, treebank in given.items() if len(treebank)}
        for pattern in part.patterns:
            before = joined.get(pattern[:3], ChangePattern(*pattern[:3], 0, 0, ()))
            examples = (*before.examples, *(example._replace(file=name) for example in pattern.examples))
            sums = before.n_changes + pattern.n_changes, before.n_sentences + pattern.n_sentences
            joined[pattern[:3]] = ChangePattern(*pattern[:3], *sums, examples[:MOST_EXAMPLES])
        for change in part.sentences:
            if change.new is None and change.old is not None:
                removed[tuple(part.old[change.old].forms)] += 1
            elif change.old is None and change.new is not None:
                added[tuple(part.new[change.new].forms)] += 1
    only_old, only_new = sorted(old_files.keys() - new_files.keys()), sorted(new_files.keys() - old_files.keys())
    n_refiled = (removed & added).total()
    notes = [f"only in the old folder: {printable(', '.join(only_old))}"] if only_old else []
    notes += [f"only in the new folder: {printable(', '.join(only_new))}"] if only_new else []
    if n_refiled:
        were = "was" if n_refiled == 1 else "were"
        notes.append(f"{number_of(n_refiled, 'sentence')} {were} removed from one file and added to another")
    provenance = _provenance(files, rules, tuple(notes))
    return ReleaseChanges(parts, tuple(only_old), tuple(only_new), _in_order(joined.values()), n_refiled, provenance)
