"""What changed between two versions of a treebank, or between two folders of treebanks such as releases."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from levelhead._version import VERSION
from levelhead.comparison.change_tables import AnyChanges, column_order
from levelhead.comparison.changed_cells import (
    NO_WORD,
    SEGMENTATION,
    ChangedCell,
    PairedVersions,
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


def in_order(patterns: Iterable[ChangePattern]) -> tuple[ChangePattern, ...]:
    """Return patterns, most frequent first."""
    order = sorted(
        patterns, key=lambda pattern: (-pattern.n_changes, *column_order(pattern.column), pattern.old, pattern.new)
    )
    return tuple(order)


def changes(old: Treebank, new: Treebank, rules: Rules) -> Changes:
    """Return the changes between two versions of a treebank, or two outputs.

    A version with itself has no changes, and exchanging the versions exchanges "added" and "removed" and both sides of
    every pattern. See `pair_versions` for how sentences and words are paired.
    """
    rules.check_words()
    pairs = pair_versions(old, new, rules)
    cells = list(changed_cells(pairs))
    kept = list(_kept(pairs, cells))
    changed = [change for change in kept if change.kinds]
    removed, added = (
        sorted({*range(len(treebank))} - {*paired})
        for treebank, paired in ((old, pairs.rows[:, 0].tolist()), (new, pairs.rows[:, 1].tolist()))
    )
    changed += [SentenceChange(number, None, ("removed",)) for number in removed]
    changed += [SentenceChange(None, number, ("added",)) for number in added]
    sentences = _sentences_in_order(changed, kept)
    provenance = _provenance({TREEBANK: {"old": old, "new": new}}, rules)
    return Changes(old, new, sentences, _patterns(pairs, cells), provenance)


def _sentences_in_order(sentences: list[SentenceChange], kept: list[SentenceChange]) -> tuple[SentenceChange, ...]:
    """Sentences in the order of NEW; a removed sentence follows the sentence before it in OLD."""
    places = {change.old: change.new for change in kept}
    before = -1
    anchor = {}
    for sentence in sorted(change.old for change in (*sentences, *kept) if change.old is not None):
        place = places.get(sentence)
        before = before if place is None else place
        anchor[sentence] = before

    def order(change: SentenceChange) -> tuple[int, int]:
        if change.new is not None:
            return change.new, -1
        return (-1, -1) if change.old is None else (anchor[change.old], change.old)

    return tuple(sorted(sentences, key=order))


def _kept(pairs: PairedVersions, cells: Iterable[ChangedCell]) -> Iterator[SentenceChange]:
    """Each sentence that both versions have, with its changes."""
    by_sentence: dict[int, list[ChangedCell]] = {}
    for cell in cells:
        by_sentence.setdefault(cell.sentence, []).append(cell)
    ids = sentence_ids(pairs.old), sentence_ids(pairs.new)
    for pair, (one, other) in enumerate(pairs.rows.tolist()):
        own = by_sentence.get(pair, [])
        text = not pairs.same_text[pair]
        annotated = [cell for cell in own if cell.column not in SEGMENTATION and not (text and cell.column == "FORM")]
        changed = {
            "text": text,
            "tokens": not text and not pairs.same_tokens[pair],
            "annotation": bool(annotated),
            "id": ids[0][pair] != ids[1][pair],
            "comments": _comments(pairs.old, pair) != _comments(pairs.new, pair),
            "order": bool(pairs.moved[pair]),
        }
        words = {cell.word for cell in annotated if cell.word != NO_WORD}
        patterns = Counter((cell.column, cell.old, cell.new) for cell in own)
        yield SentenceChange(
            one, other, tuple(kind for kind, differs in changed.items() if differs), len(words), patterns
        )


def _comments(treebank: Treebank, sentence: int) -> str:
    """The comments of a sentence without its sent_id."""
    return _ID_LINE.sub("", treebank.comments[sentence])


def _patterns(pairs: PairedVersions, cells: Iterable[ChangedCell]) -> tuple[ChangePattern, ...]:
    grouped: dict[tuple[str, str, str], list[ChangedCell]] = {}
    for cell in cells:
        grouped.setdefault((cell.column, cell.old, cell.new), []).append(cell)
    return in_order(ChangePattern(*key, *_places(pairs, some)) for key, some in grouped.items())


def _places(pairs: PairedVersions, cells: list[ChangedCell]) -> tuple[int, int, tuple[ChangeExample, ...]]:
    first: dict[int, ChangedCell] = {}
    for cell in cells:
        first.setdefault(cell.sentence, cell)
    shown = sorted(first.items())[:MOST_EXAMPLES]
    examples = tuple(
        ChangeExample(int(pairs.rows[pair, 0]), int(pairs.rows[pair, 1]), cell.form) for pair, cell in shown
    )
    return len(cells), len(first), examples


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


Read = Callable[[Path], Treebank]


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


def release_changes(old: Path, new: Path, rules: Rules, read: Read) -> ReleaseChanges:
    """Return the changes between two folders of treebanks, for each file."""
    rules.check_words()
    ours, theirs = treebanks_in(old), treebanks_in(new)
    if not ours.keys() & theirs.keys():
        message = f"no file has the same name as a file in {printable(str(new))}: files are paired by name"
        raise InputError(Fault("no-pairs", message, Place(file=str(old))))
    names = sorted(ours.keys() | theirs.keys())
    parts = {name: _changes(ours.get(name), theirs.get(name), rules, read) for name in names}
    only_old, only_new = tuple(sorted(ours.keys() - theirs.keys())), tuple(sorted(theirs.keys() - ours.keys()))
    n_refiled = _n_refiled(parts)
    files = {
        name: {side: treebank for side, treebank in (("old", part.old), ("new", part.new)) if len(treebank)}
        for name, part in parts.items()
    }
    provenance = _provenance(files, rules, tuple(_notes(only_old, only_new, n_refiled)))
    return ReleaseChanges(parts, only_old, only_new, _joined_patterns(parts), n_refiled, provenance)


def _changes(old: Path | None, new: Path | None, rules: Rules, read: Read) -> Changes:
    """The changes of a file; if only one folder has it, all its sentences were removed or added."""
    given = [read(path) for path in (old, new) if path is not None]
    nothing = given[0].select([])
    return changes(nothing if old is None else given[0], nothing if new is None else given[-1], rules)


def _joined_patterns(parts: Mapping[str, Changes]) -> tuple[ChangePattern, ...]:
    """The joint patterns of all files."""
    joined: dict[tuple[str, str, str], ChangePattern] = {}
    for name, part in parts.items():
        for pattern in part.patterns:
            before = joined.setdefault(pattern[:3], ChangePattern(*pattern[:3], 0, 0, ()))
            examples = (*before.examples, *(example._replace(file=name) for example in pattern.examples))
            sums = before.n_changes + pattern.n_changes, before.n_sentences + pattern.n_sentences
            joined[pattern[:3]] = ChangePattern(*pattern[:3], *sums, examples[:MOST_EXAMPLES])
    return in_order(joined.values())


def _n_refiled(parts: Mapping[str, Changes]) -> int:
    """The number of sentences that were removed from one file and added to another with the same words."""
    removed: Counter[tuple[str, ...]] = Counter()
    added: Counter[tuple[str, ...]] = Counter()
    for part in parts.values():
        removed.update(_words(part.old, [sentence.old for sentence in part.sentences if sentence.new is None]))
        added.update(_words(part.new, [sentence.new for sentence in part.sentences if sentence.old is None]))
    return (removed & added).total()


def _words(treebank: Treebank, sentences: Iterable[int | None]) -> Iterator[tuple[str, ...]]:
    return (tuple(treebank[sentence].forms) for sentence in sentences if sentence is not None)


def _notes(only_old: Sequence[str], only_new: Sequence[str], n_refiled: int) -> Iterator[str]:
    if only_old:
        yield f"only in the old folder: {printable(', '.join(only_old))}"
    if only_new:
        yield f"only in the new folder: {printable(', '.join(only_new))}"
    if n_refiled:
        were = "was" if n_refiled == 1 else "were"
        yield f"{number_of(n_refiled, 'sentence')} {were} removed from one file and added to another"
