"""The page of what changed between two versions of a treebank: numbers, patterns and trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from levelhead.comparison.change_tables import AnyChanges, changes_table, summary_table
from levelhead.comparison.changes import ChangeExample, ChangePattern, Changes, ReleaseChanges
from levelhead.comparison.tree_text import MOST_WORDS
from levelhead.errors import number_of
from levelhead.report.page.blocks import Block, Page, Section, plain_page
from levelhead.report.page.examples import OutputTrees, sentence
from levelhead.scoring.matches import Matches, align_sentences, compare_aligned
from levelhead.scoring.rules import Rules
from levelhead.scoring.spans import spans_of
from levelhead.tables.table import Column, Table

_MOST_SENTENCES = 40
_MOST_PATTERNS = 200


def changes_page(changes: AnyChanges, rules: Rules, old: str, new: str) -> Page:
    """Return the page of what changed, with the old trees above and the new ones below."""
    patterns = changes_table(changes, "pattern", _MOST_PATTERNS)._replace(notes=())
    sections = [
        Section("sentences", "Sentences", "A sentence can change in several ways.", list(_summary(changes))),
        Section("columns", "Changes by column", "", [Block("columns", table=_columns_table(changes))]),
        Section("patterns", "Patterns", "The most frequent changes first.", [Block("patterns", table=patterns)]),
        Section("trees", "Trees", "A sentence with each of the most frequent changes.", list(_trees(changes, rules))),
    ]
    facts = [("unchanged sentences", f"{changes.n_unchanged:,}"), *((name, f"{n:,}") for name, n in _facts(changes))]
    title = "Changes from {} to {}".format(*_different_ends(old, new))
    return plain_page(title, _lead(changes), facts, sections, changes.provenance)


def _different_ends(*paths: str) -> Sequence[str]:
    """The shortest ends of paths that differ, the whole paths if they are equal."""
    parts = [PurePath(path).parts for path in paths]
    ends = (["/".join(some[-n:]) for some in parts] for n in range(1, min(map(len, parts)) + 1))
    return next((some for some in ends if len(set(some)) == len(some)), paths)


def _lead(changes: AnyChanges) -> str:
    if not changes.patterns:
        return "No word has changed."
    return f"Most frequent change: {_title(changes.patterns[0])}."


def _facts(changes: AnyChanges) -> Iterator[tuple[str, int]]:
    yield "added sentences", changes.counts["added"]
    yield "removed sentences", changes.counts["removed"]
    yield "changed cells", sum(changes.by_column.values())


def _summary(changes: AnyChanges) -> Iterator[Block]:
    yield Block("summary", table=summary_table(changes))
    if isinstance(changes, ReleaseChanges):
        table = changes_table(changes, "file")
        yield Block("files", "Files", table.notes[0], table=table._replace(notes=()))


def _columns_table(changes: AnyChanges) -> Table:
    return Table((Column("Column", "text"), Column("Changes", "number")), tuple(changes.by_column.items()))


def _title(pattern: ChangePattern) -> str:
    return f"{pattern.column}: {pattern.old} → {pattern.new} ({number_of(pattern.n_changes, 'change')})"


def _trees(changes: AnyChanges, rules: Rules) -> Iterator[Block]:
    """A short sentence for each of the most frequent patterns, no sentence twice."""
    drawn: set[tuple[str, int]] = set()
    for number, pattern in enumerate(changes.patterns[:_MOST_PATTERNS], 1):
        others = [at for at in pattern.examples if (at.file, at.new) not in drawn]
        fresh = [at for at in others if _can_be_drawn(changes.parts[at.file], at)]
        if fresh and len(drawn) < _MOST_SENTENCES:
            drawn.add((fresh[0].file, fresh[0].new))
            shown = OutputTrees("new", _matched(changes.parts[fresh[0].file], fresh[0], rules))
            yield Block(
                f"change-{number}",
                f"{_title(pattern)}: {fresh[0].form}",
                sentences=[sentence([shown], 0, ("old", "new"))],
            )


def _can_be_drawn(part: Changes, at: ChangeExample) -> bool:
    lengths = [len(side[number].forms) for side, number in ((part.old, at.old), (part.new, at.new))]
    return part.old.has_trees and part.new.has_trees and max(lengths) <= MOST_WORDS


def _matched(part: Changes, at: ChangeExample, rules: Rules) -> Matches:
    """The words of one sentence, aligned as the versions are."""
    old, new = part.old.select([at.old]), part.new.select([at.new])
    spans = [spans_of(treebank, unicode_spaces=rules.unicode_spaces) for treebank in (old, new)]
    return compare_aligned(old, new, rules, spans[0], spans[1], align_sentences(old, new, spans[0], spans[1]))
