"""Notes on measures: relations of one version of UD under a scheme of the other, outputs without enhanced graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from levelhead.scoring.measure import Definition, Measure
from levelhead.scoring.rules import Rules
from levelhead.scoring.selection import Schemes, is_class
from levelhead.treebank import StringColumn, Treebank
from levelhead.treebank.relations import UD1, UD2, universal, version
from levelhead.treebank.schemes import UNKNOWN, Scheme

SYSTEM = "the system"
"""What notes call the system where its name is not known."""

_MOST_NAMED = 50  # more than there are relations in either version of UD


def named_note(note: str, name: str) -> str:
    """Return a note with the name of the system that it calls `SYSTEM`.

    Args:
        note: a note of `notes_on`.
        name: the name of the system.
    """
    return f"{name}{note.removeprefix(SYSTEM)}" if note.startswith(SYSTEM) else note


def notes_on(
    gold: Treebank,
    system: Treebank,
    measures: Iterable[tuple[Measure, Definition]],
    rules: Rules,
    schemes: Schemes,
    name: str = SYSTEM,
) -> tuple[str, ...]:
    """Say which version of UD relations are of, where the classes of measures are of the other or do not list them.

    Also say where a measure of enhanced graphs has nothing to count in the system's output.

    Args:
        gold: the gold treebank.
        system: the system's; what is true of gold too is said once.
        measures: the measures with their definitions.
        rules: whose scheme definitions name.
        schemes: where the classes of measures are looked up.
        name: what to call the system.
    """
    asked = list(measures)
    used = [(str(measure), scheme) for one in asked for measure, scheme in _schemes_of(*one, rules, schemes)]
    by_name = {scheme.name: scheme for _, scheme in used}
    users = {key: tuple(dict.fromkeys(user for user, one in used if one.name == key)) for key in by_name}
    of_versions = notes_of(gold, system, [(by_name[key], users[key]) for key in by_name], name)
    return (*of_versions, *_without_graphs(gold, system, asked, name))


def _without_graphs(
    gold: Treebank, system: Treebank, measures: Iterable[tuple[Measure, Definition]], name: str
) -> Iterator[str]:
    """Say why measures of enhanced graphs are 0 or have no value where only gold has graphs."""
    of_graphs = [str(measure) for measure, definition in measures if definition.unit == "edges"]
    if of_graphs and gold.deps.has_values and not system.deps.has_values:
        yield f"{name} has no values in DEPS, and so no enhanced edges to score: {', '.join(of_graphs)}"


def notes_of(
    gold: Treebank, system: Treebank, schemes: Iterable[tuple[Scheme, tuple[str, ...]]], name: str = SYSTEM
) -> tuple[str, ...]:
    """Say the same of schemes, each with the names of what uses it.

    Args:
        gold: the gold treebank.
        system: the system's.
        schemes: schemes, with the measures or tables that use them.
        name: what to call the system.
    """
    own, other = distinct(gold.relations), distinct(system.relations)
    crosses = version(other) != version(own)  # else only labels that gold does not have are news
    known = set(own)  # a system may give as many relations as it gives words
    added = other if crosses else [label for label in other if label not in known]
    notes = [
        note
        for scheme, users in schemes
        for note in (
            *_notes("gold", own, own, scheme, ", ".join(users), crosses=True),
            *_notes(name, other, added, scheme, ", ".join(users), crosses=crosses),
        )
    ]
    return tuple(dict.fromkeys(notes))


def notes_on_labels(relations: Iterable[str], scheme: Scheme, using: str, side: str) -> tuple[str, ...]:
    """Say the same of relations alone.

    Args:
        relations: the relations, with or without subtypes.
        scheme: where they are looked up.
        using: what uses the scheme, for example a measure.
        side: what to call the source of the relations.
    """
    labels = sorted(set(map(universal, relations)))
    return tuple(_notes(side, labels, labels, scheme, using, crosses=True))


def _notes(
    side: str, labels: list[str], news: list[str], scheme: Scheme, using: str, *, crosses: bool
) -> Iterator[str]:
    """Give the notes on one side; of its labels only the new ones are named."""
    found = version(labels)
    first, second = (sorted(set(labels) & only) for only in (UD1 - UD2, UD2 - UD1))
    if first and second and {*first, *second} & set(news):
        yield f"{side} has relations of UD v1 ({', '.join(first)}) and of UD v2 ({', '.join(second)})"
    if crosses and found is not None and scheme.version not in {None, found}:
        yield (
            f"{side} has relations of UD v{found}; {using}: classes of {scheme.name} (UD v{scheme.version})"
            " are looked up by their counterparts (`levelhead measures --schemes`)"
        )
    unlisted = [label for label in news if scheme.class_of(label) == UNKNOWN]
    if unlisted and scheme.version is None and scheme.otherwise == UNKNOWN:
        yield (
            f"{side} has relations that the scheme {scheme.name} does not list: {_listed(unlisted)}; left out of"
            f" {using} (LAS-FUN-PUNCT looks up those of the other version of UD)"
        )


def _listed(labels: list[str]) -> str:
    """Name labels; of very many, the first ones."""
    more = len(labels) - _MOST_NAMED
    named = ", ".join(labels[:_MOST_NAMED])
    return f"{named} and {more:,} more" if more > 0 else named


def distinct(relations: StringColumn) -> list[str]:
    """Return the universal relations that occur, in alphabetical order."""
    return sorted({universal(relations.strings[code]) for code in relations.distinct.tolist()})


def _schemes_of(
    measure: Measure, definition: Definition, rules: Rules, schemes: Schemes
) -> Iterator[tuple[Measure, Scheme]]:
    for name in filter(None, (definition.only, *definition.without)):
        if is_class(name):
            yield measure, schemes.find(name)[0] if ":" in name else rules.scheme
    for name in filter(None, (measure.only, *measure.without)):
        if is_class(name):
            yield measure, schemes.find(name)[0]
