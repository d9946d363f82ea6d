"""The changes between two folders of treebanks, such as two releases of a treebank with several files."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from levelhead._version import VERSION
from levelhead.comparison.change_tables import Rows, changes_document, changes_table, changes_text
from levelhead.comparison.changed_cells import KINDS
from levelhead.comparison.changes import (
    MOST_EXAMPLES,
    ChangePattern,
    Changes,
    changes,
    changes_by_column,
    in_order,
)
from levelhead.errors import Fault, InputError, Place, number_of, printable
from levelhead.scoring.rules import Rules
from levelhead.tables.table import Table
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank
from levelhead.treebank.contents import contents_of
from levelhead.treebank.layouts import treebanks_in
from levelhead.treebank.provenance import Provenance, joint_hash, short_hash

Read = Callable[[Path], Treebank]


@dataclass(frozen=True, repr=False)
class ReleaseChanges(Tabular):
    """The changes between two folders of treebanks.

    Args:
        parts: the changes of each file, by its name without suffixes.
        only_old: the files that only OLD has: all their sentences were removed.
        only_new: the files that only NEW has: all their sentences were added.
        patterns: the changes of all files by column and pattern, most frequent first.
        n_refiled: the number of sentences that moved to another file with the same words.
        provenance: the provenance of the numbers.
    """

    of_folder: ClassVar[Literal[True]] = True

    parts: Mapping[str, Changes]
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    patterns: tuple[ChangePattern, ...]
    n_refiled: int
    provenance: Provenance

    @property
    def counts(self) -> dict[str, int]:
        """The number of changed sentences by kind; a sentence can have several kinds."""
        return {kind: sum(part.counts[kind] for part in self.parts.values()) for kind in KINDS}

    @property
    def by_column(self) -> dict[str, int]:
        """The number of changes in each column."""
        return changes_by_column(self.patterns)

    @property
    def n_kept(self) -> int:
        """The number of sentences in both versions of a file."""
        return sum(part.n_kept for part in self.parts.values())

    @property
    def n_unchanged(self) -> int:
        """The number of sentences that are identical line for line."""
        return sum(part.n_unchanged for part in self.parts.values())

    def table(self, *, by: Rows = "pattern", most: int | None = None) -> Table:
        """Return the result as a table.

        Args:
            by: what each row is.
            most: the largest number of rows.
        """
        return changes_table(self, by, most)

    def to_dict(self, *, most: int | None = None) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`.

        Args:
            most: the largest number of patterns.
        """
        return changes_document(self, most)

    def __str__(self) -> str:
        return changes_text(self).rstrip("\n")


def release_changes(old: Path, new: Path, rules: Rules, read: Read) -> ReleaseChanges:
    """Return the changes between two folders of treebanks, for each file."""
    rules.check_words()
    ours, theirs = treebanks_in(old), treebanks_in(new)
    if not ours.keys() & theirs.keys():
        message = f"no file has the same name as a file in {printable(str(new))}: files are paired by name"
        raise InputError(Fault("no-pairs", message, Place(file=str(old))))
    names = sorted(ours.keys() | theirs.keys())
    parts = {name: _changes(ours.get(name), theirs.get(name), rules, read) for name in names}
    only_old, only_new = sorted(ours.keys() - theirs.keys()), sorted(theirs.keys() - ours.keys())
    n_refiled = _n_refiled(parts)
    notes = tuple(_notes(only_old, only_new, n_refiled))
    return ReleaseChanges(
        parts, tuple(only_old), tuple(only_new), _patterns(parts), n_refiled, _provenance(parts, rules, notes)
    )


def _changes(old: Path | None, new: Path | None, rules: Rules, read: Read) -> Changes:
    """The changes of a file; if only one folder has it, all its sentences were removed or added."""
    given = [read(path) for path in (old, new) if path is not None]
    nothing = given[0].select([])
    return changes(nothing if old is None else given[0], nothing if new is None else given[-1], rules)


def _patterns(parts: Mapping[str, Changes]) -> tuple[ChangePattern, ...]:
    """The joint patterns of all files."""
    grouped: dict[tuple[str, str, str], list[ChangePattern]] = {}
    for name, part in parts.items():
        for pattern in part.patterns:
            examples = tuple(example._replace(file=name) for example in pattern.examples)
            grouped.setdefault((pattern.column, pattern.old, pattern.new), []).append(
                pattern._replace(examples=examples)
            )
    return in_order(_joined(some) for some in grouped.values())


def _joined(some: list[ChangePattern]) -> ChangePattern:
    examples = tuple(example for pattern in some for example in pattern.examples)[:MOST_EXAMPLES]
    sums = (sum(pattern.n_changes for pattern in some), sum(pattern.n_sentences for pattern in some))
    return ChangePattern(some[0].column, some[0].old, some[0].new, *sums, examples)


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


def _notes(only_old: list[str], only_new: list[str], n_refiled: int) -> Iterator[str]:
    if only_old:
        yield f"only in the old folder: {printable(', '.join(only_old))}"
    if only_new:
        yield f"only in the new folder: {printable(', '.join(only_new))}"
    if n_refiled:
        were = "was" if n_refiled == 1 else "were"
        yield f"{number_of(n_refiled, 'sentence')} {were} removed from one file and added to another"


def _provenance(parts: Mapping[str, Changes], rules: Rules, notes: tuple[str, ...]) -> Provenance:
    sides = {
        name: {
            side: contents_of(treebank) for side, treebank in (("old", part.old), ("new", part.new)) if len(treebank)
        }
        for name, part in parts.items()
    }
    hashes = {
        name: {side: short_hash(contents.sha256) for side, contents in some.items()} for name, some in sides.items()
    }
    joint = {side: joint_hash(some[side] for some in hashes.values() if side in some) for side in ("old", "new")}
    signature = {"rules": rules.signature, **joint, "unicode": unicodedata.unidata_version, "version": VERSION}
    warnings = dict.fromkeys(
        fault for some in sides.values() for contents in some.values() for fault in contents.warnings
    )
    return Provenance(signature, hashes, tuple(warnings), notes)
