"""The pages of annotations: agreement, changes between versions, and words whose annotation is probably wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from levelhead.comparison.agreement import Agreement, Disagreement
from levelhead.comparison.changes import Changes, ReleaseChanges
from levelhead.comparison.suspects import Suspect, Suspects
from levelhead.errors import names_or_number, number_of
from levelhead.report.charts.page_charts import plotted_row, spreads
from levelhead.report.page.blocks import Block, Page, Section, treebank_name
from levelhead.report.page.examples import OutputTrees, sentence
from levelhead.scoring.matches import align_sentences, compare_aligned, match, spans_of
from levelhead.scoring.rules import Rules, rules_named
from levelhead.tables.table import ALL_ROWS, Column, Table
from levelhead.treebank import Treebank
from levelhead.treebank.provenance import Provenance
from levelhead.treebank.tree_drawings import MOST_WORDS

_MOST_TREES = 40
_MOST_ROWS = 200  # of patterns or suspects


def agreement_page(agreement: Agreement) -> Page:
    first, *_ = agreement.annotators
    columns = (Column("Measure", "text"), *(Column(f"{one} and {other}", "percent") for one, other in agreement.pairs))
    f1 = tuple((name, *(evaluation[name].value for evaluation in agreement.pairs.values())) for name in agreement.f1)
    measures = [Block("f1", table=Table(columns, f1))]
    patterns = [_noted("patterns", agreement.table(by="pattern").cut(_MOST_ROWS, ALL_ROWS))]
    trees = f"An example of each pattern: the tree of {first} above, those of the other annotators below."
    alphas = [(label.name, label.krippendorff) for label in agreement.labels]
    rows = [plotted_row(name, alpha.value, alpha.interval) for name, alpha in alphas if alpha.value is not None]
    labels = [Block("alpha", drawing=spreads("Krippendorff's alpha", rows, "alpha"))] if rows else []
    labels.append(_noted("labels", agreement.table(), "Numbers"))
    sections = [
        Section(
            "labels",
            "Agreement beyond chance",
            "Krippendorff's alpha with confidence intervals: 1 is perfect agreement, 0 is chance level.",
            labels,
        ),
        Section("measures", "F1", "For each pair of annotators; the same in both directions.", measures),
        Section("patterns", "Disagreements", "The most frequent patterns first.", patterns),
        Section("sentences", "Sentences", trees, list(_disagreements(agreement))),
    ]
    facts = {"annotators": len(agreement.annotators), "sentences": len(agreement.treebanks[first])}
    facts |= {"sentences with differences": len(agreement.differing)}
    title = f"Agreement of {names_or_number(agreement.annotators, 'annotator')}"
    return _page(title, agreement.verdict, facts, sections, agreement.provenance)


def _page(
    title: str, lead: str, counts: Mapping[str, int], sections: Sequence[Section], provenance: Provenance
) -> Page:
    """A page without choices; empty sections are left out."""
    shown = [section for section in sections if any(block.has_contents for block in section.blocks)]
    facts = [(name, f"{n:,}") for name, n in counts.items()]
    return Page(title, lead, facts, {}, shown, provenance.notes, provenance.signature)


def _noted(name: str, table: Table, title: str = "") -> Block:
    """A table whose first note is the caption; a page leaves out the other notes."""
    return Block(name, title, table.notes[0], table=table._replace(notes=()))


def _disagreements(agreement: Agreement) -> Iterator[Block]:
    (_, gold), *others = agreement.treebanks.items()
    shown = [OutputTrees(name, match(gold, treebank, _rules(agreement))) for name, treebank in others]
    drawn: dict[int, Disagreement] = {}
    for disagreement in agreement.disagreements:
        drawn.setdefault(disagreement.sentence, disagreement)
    for number, (place, disagreement) in enumerate([*drawn.items()][:_MOST_TREES], 1):
        words = f"{disagreement.form}; {number_of(disagreement.words, 'word')}"
        title = f"{disagreement.name}: {disagreement.first} or {disagreement.second} ({words})"
        yield Block(f"pattern-{number}", title, sentences=[sentence(shown, place - 1, ("first", "other"))])


def _rules(result: Agreement | Changes) -> Rules:
    return rules_named(result.provenance.signature["rules"].partition("+")[0])


def changes_page(changes: Changes) -> Page:
    """Return the page of what changed, with the old trees above and the new ones below."""
    pairs = {
        name: (part.old.source.path or "old", part.new.source.path or "new") for name, part in changes.parts.items()
    }
    summary = [Block("summary", table=changes.summary_table())]
    if isinstance(changes, ReleaseChanges):
        summary.append(_noted("files", changes.table(by="file"), "Files"))
        both = [pair for name, pair in pairs.items() if name not in {*changes.only_old, *changes.only_new}]
        old, new = (os.path.commonpath([os.path.dirname(path) or "." for path in paths]) for paths in zip(*both))  # noqa: PTH120
    else:
        (old, new) = pairs[""]
    columns = Table((Column("Column", "text"), Column("Changes", "number")), tuple(changes.by_column.items()))
    patterns = changes.table().cut(_MOST_ROWS, ALL_ROWS)._replace(notes=())
    sections = [
        Section("sentences", "Sentences", "A sentence can change in several ways.", summary),
        Section("columns", "Changes by column", "", [Block("columns", table=columns)]),
        Section("patterns", "Patterns", "The most frequent changes first.", [Block("patterns", table=patterns)]),
        Section("trees", "Trees", "A sentence with each of the most frequent changes.", list(_trees(changes))),
    ]
    facts = {
        "unchanged sentences": changes.n_unchanged,
        **{f"{kind} sentences": changes.counts[kind] for kind in ("added", "removed")},
        "changed cells": sum(changes.by_column.values()),
    }
    parts = PurePath(old).parts, PurePath(new).parts
    ends = (["/".join(some[-n:]) for some in parts] for n in range(1, min(map(len, parts)) + 1))
    before, after = next((some for some in ends if some[0] != some[1]), (old, new))  # the shortest ends that differ
    return _page(f"Changes from {before} to {after}", changes.verdict, facts, sections, changes.provenance)


def _trees(changes: Changes) -> Iterator[Block]:
    """A short sentence for each of the most frequent patterns, no sentence twice."""
    rules = _rules(changes)
    drawn: set[tuple[str, int]] = set()
    for number, pattern in enumerate(changes.patterns[:_MOST_ROWS], 1):
        for at in pattern.examples if len(drawn) < _MOST_TREES else ():
            part = changes.parts[at.file]
            lengths = (len(part.old[at.old].forms), len(part.new[at.new].forms))
            drawable = part.old.has_trees and part.new.has_trees and max(lengths) <= MOST_WORDS
            if drawable and (at.file, at.new) not in drawn:
                drawn.add((at.file, at.new))
                old, new = part.old.select([at.old]), part.new.select([at.new])
                before, after = (spans_of(treebank, unicode_spaces=rules.unicode_spaces) for treebank in (old, new))
                pairs = align_sentences(old, new, before, after)
                matches = compare_aligned(old, new, rules, before, after, pairs)
                trees = sentence([OutputTrees("new", matches)], 0, ("old", "new"))
                yield Block(f"change-{number}", f"{pattern}: {at.form}", sentences=[trees])
                break


def suspects_page(suspects: Suspects) -> Page:
    """Return the page of suspects, with the annotation above and the systems below."""
    treebank, numbers = suspects.treebank, _noted("suspects", suspects.table().cut(_MOST_ROWS, ALL_ROWS))
    sections = [Section("suspects", "Suspects", "The most suspicious words first.", [numbers])]
    if suspects.outputs:
        shown = [OutputTrees(name, matches) for name, matches in zip(suspects.systems, suspects.outputs, strict=True)]
        blocks = [
            _suspect(f"suspect-{number}", treebank, suspect, shown)
            for number, suspect in enumerate(suspects.suspects[:_MOST_ROWS], 1)
        ]
        sections.append(Section("sentences", "Sentences", "The annotation above, the systems' trees below.", blocks))
    facts = {"suspects": len(suspects.suspects), "sentences": len(treebank), "words": treebank.n_words}
    return _page(f"Suspects in {treebank_name(treebank)}", suspects.verdict, facts, sections, suspects.provenance)


def _suspect(name: str, treebank: Treebank, suspect: Suspect, shown: Sequence[OutputTrees]) -> Block:
    """The sentence of a suspect, and a sentence in which the same words have the other annotation."""
    title = f"{treebank.forms[suspect.word]}: {suspect.gold}, probably {suspect.other}"
    drawn: dict[int, dict[str, Any]] = {}
    caption = ""
    variation = suspect.variation
    for word in (suspect.word, *([] if variation is None else [variation.place])):
        index = int(treebank.sentence_of_word[word])
        drawn.setdefault(
            index, sentence(shown, index, ("annotation", "system"), word - int(treebank.sentence_starts[index]))
        )
    if variation is not None:
        example = treebank[index].id or f"sentence {index + 1}"
        times = number_of(variation.n_other, "time")
        counts = f"{times} with the other annotation (for example in {example}), {variation.n_own} with this one"
        caption = f"The same words in the same context: {counts}."
    return Block(name, title, caption, sentences=list(drawn.values()))
