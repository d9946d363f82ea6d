"""Provenance of numbers: the signature, the hashes of files, warnings and notes of every result.

Notes are on relations of a different UD version than a scheme, on columns without values, and on missing values.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from levelhead._version import VERSION
from levelhead.errors import Fault
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.scoring.measure import Definition, Measure, annotates
from levelhead.scoring.rules import Rules
from levelhead.scoring.selection import Schemes, is_class
from levelhead.treebank import Treebank
from levelhead.treebank.provenance import TREEBANK, FileId, FileSummary, Provenance, joint_hash
from levelhead.treebank.relations import UD1, UD2, UNKNOWN, Scheme, ud_version_of, universal


@immutable
class Sources:
    """The files of one treebank."""

    gold: FileSummary  # the gold treebank
    systems: Mapping[str, FileSummary]  # the outputs by the name of the system (and run), in order
    notes: tuple[str, ...] = ()  # notes about the numbers

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """The warnings about all files, without duplicates."""
        return tuple(
            dict.fromkeys(
                fault
                for faults in (self.gold.faults, *(system.warnings for system in self.systems.values()))
                for fault in faults
            )
        )

    @property
    def files(self) -> dict[str, FileId]:
        """A mapping from "gold", or the name of a system (and run), to the hash of the file."""
        return {"gold": self.gold.id, **{name: system.id for name, system in self.systems.items()}}


def pair_provenance(
    gold: FileSummary,
    system: FileSummary,
    setup: Setup,
    notes: Iterable[str] = (),
    parts: Mapping[str, str] | None = None,
) -> Provenance:
    """Return the provenance of the numbers of one pair of treebanks."""
    sides = {"gold": gold, "system": system}
    files = {name: side.id for name, side in sides.items()}
    signature = {**setup.signature_of_rules(), **{name: str(file) for name, file in files.items()}}
    signature |= setup.signature_of_measures() if parts is None else parts
    for name, side in sides.items():
        if side.warnings:
            signature[f"{name}-warnings"] = "+".join(sorted({fault.slug for fault in side.warnings}))
    signature |= {"unicode": unicodedata.unidata_version, "version": VERSION}
    return Provenance(signature, {TREEBANK: files}, (*gold.faults, *system.warnings), tuple(notes))


def comparison_provenance(
    sources: Mapping[str, Sources], setup: Setup, parts: Mapping[str, str], notes: Iterable[str] = ()
) -> Provenance:
    """Return the provenance of results for several systems; the signature has one hash for all outputs."""
    every = sources.values()
    by_system = zip(*(source.systems.values() for source in every), strict=True)
    files = {
        "gold": joint_hash(source.gold.id for source in every),
        "systems": joint_hash(output.id for outputs in by_system for output in outputs),
    }
    return Provenance(
        {**setup.signature_of_rules(), **files, **parts, "version": VERSION},
        {code: source.files for code, source in sources.items()},
        tuple(dict.fromkeys(fault for source in every for fault in source.warnings)),
        (*dict.fromkeys(note for source in every for note in source.notes), *notes),
    )


def joint_provenance(provenances: Mapping[str, Provenance]) -> Provenance:
    """Return the joint provenance of pairs of many treebanks."""
    every = provenances.values()
    return Provenance(
        joint_signature(every),
        {code: files for code, provenance in provenances.items() for files in provenance.files.values()},
        tuple(dict.fromkeys(fault for provenance in every for fault in provenance.warnings)),
        tuple(dict.fromkeys(note for provenance in every for note in provenance.notes)),
        tuple(dict.fromkeys(message for provenance in every for message in provenance.about_files)),
    )


def joint_signature(provenances: Iterable[Provenance]) -> Mapping[str, str]:
    """Return the joint signature of pairs of treebanks, with one hash for the files of each kind, in order."""
    each = list(provenances)
    first, *others = (provenance.signature for provenance in each)
    if not others:
        return first
    shared = {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}
    files = [pair for provenance in each for pair in provenance.files.values()]
    hashes = {name: joint_hash(pair[name] for pair in files) for name in ("gold", "system")}
    return {name: {**shared, **hashes}[name] for name in first if name in shared or name in hashes}


SYSTEM = "the system"  # the name of the system in notes if its name is unknown

_MOST_NAMED = 50  # more than the number of relations in either version of UD


_ANNOTATION = {
    "UPOS": "universal tags", "XPOS": "language-specific tags", "FEATS": "features", "LEMMA": "lemmas", "HEAD": "trees",
    "DEPREL": "relations", "DEPS": "enhanced dependencies",
}  # fmt: skip
_WITHOUT = re.compile("not annotated (?:in|on) (gold|the system's output|both sides): ([A-Z]+(?:, [A-Z]+)*)")


def notes_on_reasons(reasons: Mapping[str, str]) -> Iterator[str]:
    """Yield a note for each reason why measures have no value, given the reason of each measure."""
    for reason in dict.fromkeys(reasons.values()):
        yield f"no {', '.join(name for name in reasons if reasons[name] == reason)}: {plain_reason(reason)}"


def plain_reason(reason: str) -> str:
    """Return why a measure has no value, with columns in plain words."""

    def without(found: re.Match[str]) -> str:
        side = {"gold": "the gold standard", "both sides": "an annotator"}.get(found[1], found[1])
        columns = found[2].split(", ")
        named = " and ".join(_ANNOTATION.get(column, "values") for column in columns)
        return f"{side} has no {named} (column {', '.join(columns)})"

    return _WITHOUT.sub(without, reason)


class Annotation(NamedTuple):
    """The properties of a treebank that notes are about."""

    relations: frozenset[str]  # the universal relations that occur
    columns: frozenset[str]  # the columns with values, of those that measures require


def annotation_of(
    treebank: Treebank, measures: Iterable[tuple[Measure, Definition]], *, partial: bool = False
) -> Annotation:
    """Return the annotation of a treebank; in a partial output, words that were not analyzed have no relation."""
    columns = {name for measure, definition in measures for name in definition.columns_for(measure.argument)}
    return Annotation(
        frozenset(map(universal, treebank.relations.distinct_texts if treebank.has_trees else ())).difference(
            "_" * partial
        ),
        frozenset(name for name in columns if annotates(treebank, name)),
    )


def named_note(note: str, name: str) -> str:
    """Return a note with the name of the system instead of `SYSTEM`."""
    return f"{name}{note.removeprefix(SYSTEM)}" if note.startswith(SYSTEM) else note


def notes_on(
    gold: Annotation,
    system: Annotation,
    measures: Sequence[tuple[Measure, Definition]],
    rules: Rules,
    schemes: Schemes,
    name: str = SYSTEM,
) -> tuple[str, ...]:
    """Return notes on measures whose classes belong to the other version of UD, or lack a relation."""
    users: dict[str, tuple[Scheme, dict[str, None]]] = {}  # the measures that use each scheme
    unannotated: dict[str, list[str]] = {}
    for measure, definition in measures:
        of_definition = [name for name in (definition.only, *definition.without) if name and is_class(name)]
        classes = [name for name in (measure.only, *measure.without) if name and is_class(name)]
        used = [schemes.find(name)[0] if ":" in name else rules.scheme for name in of_definition]
        for scheme in (*used, *(schemes.find(name)[0] for name in classes)):
            users.setdefault(scheme.name, (scheme, {}))[1][str(measure)] = None
        scores_anyway = not (rules.unannotated or rules.content)
        for column in definition.absent(measure.argument, gold.columns) if scores_anyway else ():
            unannotated.setdefault(column, []).append(str(measure))
    using = ((scheme, tuple(names)) for scheme, names in users.values())
    notes = notes_on_schemes(gold.relations, system.relations, using, name)
    of_columns = (
        f"{plain_reason(f'not annotated in gold: {column}')}; the rules {rules.name} still score {', '.join(names)}"
        for column, names in unannotated.items()
    )
    of_graphs = [str(measure) for measure, definition in measures if definition.counted_item == "edges"]
    without_graphs = of_graphs and "deps" in gold.columns and "deps" not in system.columns
    of_deps = f"{name} has no enhanced dependencies (column DEPS) to score: {', '.join(of_graphs)}"
    return (*notes, *of_columns, *([of_deps] if without_graphs else []))


def notes_on_schemes(
    gold: frozenset[str], system: frozenset[str], schemes: Iterable[tuple[Scheme, tuple[str, ...]]], name: str = SYSTEM
) -> tuple[str, ...]:
    """Return the notes on schemes, each with the measures or tables that use it, given the relations of both sides."""
    crosses = ud_version_of(system) != ud_version_of(gold)  # otherwise only labels that gold lacks are reported
    added = system if crosses else system - gold  # a system can have as many relations as words
    notes = [
        note
        for scheme, users in schemes
        for note in (
            *_notes_on_side("gold", gold, gold, scheme, ", ".join(users), crosses=True),
            *_notes_on_side(name, system, added, scheme, ", ".join(users), crosses=crosses),
        )
    ]
    return tuple(dict.fromkeys(notes))


def notes_on_labels(relations: Iterable[str], scheme: Scheme, using: str, side: str) -> tuple[str, ...]:
    """Return the notes on relations that are not in a treebank."""
    labels = frozenset(map(universal, relations))
    return tuple(_notes_on_side(side, labels, labels, scheme, using, crosses=True))


def _notes_on_side(
    side: str, labels: frozenset[str], news: frozenset[str], scheme: Scheme, using: str, *, crosses: bool
) -> Iterator[str]:
    """Yield the notes on one side, which only name new labels."""
    version = ud_version_of(labels)
    first, second = (sorted(labels & only) for only in (UD1 - UD2, UD2 - UD1))
    if first and second and {*first, *second} & news:
        yield f"{side} has relations of UD v1 ({', '.join(first)}) and of UD v2 ({', '.join(second)})"
    if crosses and version is not None and scheme.version not in {None, version}:
        yield (
            f"{side} has relations of UD v{version}, the scheme {scheme.name} those of UD v{scheme.version}: for"
            f" {using}, their counterparts are used (see `levelhead measures --schemes`)"
        )
    if scheme.version is not None or scheme.otherwise != UNKNOWN:
        return
    if unlisted := [label for label in sorted(news) if scheme.class_of(label) == UNKNOWN]:
        more = f" and {len(unlisted) - _MOST_NAMED:,} more" if len(unlisted) > _MOST_NAMED else ""
        yield (
            f"{side} has relations that the scheme {scheme.name} does not list:"
            f" {', '.join(unlisted[:_MOST_NAMED])}{more}; left out of"
            f" {using} (LAS-FUN-PUNCT includes those of the other version of UD)"
        )
