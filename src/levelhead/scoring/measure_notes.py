"""Notes on measures: relations of a different UD version than the scheme, outputs without enhanced graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from levelhead.immutable import immutable
from levelhead.scoring.measure import Definition, Measure
from levelhead.scoring.rules import Rules
from levelhead.scoring.selection import Schemes, is_class
from levelhead.treebank import StringColumn, Treebank
from levelhead.treebank.relations import UD1, UD2, ud_version_of, universal
from levelhead.treebank.schemes import UNKNOWN, Scheme

SYSTEM = "the system"
"""The name of the system in notes if its name is unknown."""

_MOST_NAMED = 50  # more than the number of relations in either version of UD


@immutable(eq=True)
class Annotation:
    """The properties of a treebank that notes are about.

    Args:
        relations: the universal relations that occur, in alphabetical order.
        columns: the columns with values, of those that measures require.
    """

    relations: list[str]
    columns: frozenset[str]

    def of_analyzed_words(self) -> Annotation:
        """Return it without the relation of words that a system gave none."""
        return replace(self, relations=[name for name in self.relations if name != "_"])


def annotation_of(treebank: Treebank, measures: Iterable[tuple[Measure, Definition]]) -> Annotation:
    """Return the properties of a treebank that notes are about."""
    relations = universal_relations_of(treebank.relations) if treebank.has_trees else []
    columns = {name for measure, definition in measures for name in definition.columns_for(measure.argument)}
    return Annotation(relations, frozenset(name for name in columns if getattr(treebank, name).has_values))


def named_note(note: str, name: str) -> str:
    """Return a note with the name of the system instead of `SYSTEM`."""
    return f"{name}{note.removeprefix(SYSTEM)}" if note.startswith(SYSTEM) else note


def notes_on(
    gold: Treebank | Annotation,
    system: Treebank | Annotation,
    measures: Iterable[tuple[Measure, Definition]],
    rules: Rules,
    schemes: Schemes,
    name: str = SYSTEM,
) -> tuple[str, ...]:
    """Return notes on measures whose classes belong to the other version of UD, or lack a relation.

    Measures of enhanced graphs also have a note if the system's output has no enhanced edges, and official measures if
    gold does not annotate a column that they compare.
    """
    chosen = list(measures)
    gold = annotation_of(gold, chosen) if isinstance(gold, Treebank) else gold
    system = annotation_of(system, chosen) if isinstance(system, Treebank) else system
    used = [(str(measure), scheme) for pair in chosen for measure, scheme in _schemes_used(*pair, rules, schemes)]
    by_name = {scheme.name: scheme for _, scheme in used}
    users = {key: tuple(dict.fromkeys(user for user, scheme in used if scheme.name == key)) for key in by_name}
    schemes_used = [(by_name[key], users[key]) for key in by_name]
    of_versions = _notes_on_schemes(gold.relations, system.relations, schemes_used, name)
    return (*of_versions, *_unannotated(gold, chosen, rules), *_without_graphs(gold, system, chosen, name))


def _unannotated(gold: Annotation, measures: Iterable[tuple[Measure, Definition]], rules: Rules) -> Iterator[str]:
    """Note which measures official rules score although gold does not annotate a column."""
    users: dict[str, list[str]] = {}
    for measure, definition in () if rules.unannotated or rules.content else measures:
        for column in definition.absent(measure.argument, gold.columns):
            users.setdefault(column, []).append(str(measure))
    for column, names in users.items():
        yield f"not annotated in gold: {column}; the rules {rules.name} still score {', '.join(names)}"


def _without_graphs(
    gold: Annotation, system: Annotation, measures: Iterable[tuple[Measure, Definition]], name: str
) -> Iterator[str]:
    """Note why measures of enhanced graphs are 0 or have no value if only gold has graphs."""
    of_graphs = [str(measure) for measure, definition in measures if definition.unit == "edges"]
    if of_graphs and "deps" in gold.columns and "deps" not in system.columns:
        yield f"{name} has no values in DEPS, so there are no enhanced edges to score: {', '.join(of_graphs)}"


def notes_on_schemes(
    gold: Treebank, system: Treebank, schemes: Iterable[tuple[Scheme, tuple[str, ...]]], name: str = SYSTEM
) -> tuple[str, ...]:
    """Return the notes on schemes, each with the measures or tables that use it."""
    own, other = universal_relations_of(gold.relations), universal_relations_of(system.relations)
    return _notes_on_schemes(own, other, schemes, name)


def _notes_on_schemes(
    own: list[str], other: list[str], schemes: Iterable[tuple[Scheme, tuple[str, ...]]], name: str
) -> tuple[str, ...]:
    crosses = ud_version_of(other) != ud_version_of(own)  # otherwise only labels that gold lacks are reported
    known = set(own)  # a system can have as many relations as words
    added = other if crosses else [label for label in other if label not in known]
    notes = [
        note
        for scheme, users in schemes
        for note in (
            *_notes_on_side("gold", own, own, scheme, ", ".join(users), crosses=True),
            *_notes_on_side(name, other, added, scheme, ", ".join(users), crosses=crosses),
        )
    ]
    return tuple(dict.fromkeys(notes))


def notes_on_labels(relations: Iterable[str], scheme: Scheme, using: str, side: str) -> tuple[str, ...]:
    """Return the notes on relations that are not in a treebank."""
    labels = sorted(set(map(universal, relations)))
    return tuple(_notes_on_side(side, labels, labels, scheme, using, crosses=True))


def _notes_on_side(
    side: str, labels: list[str], news: list[str], scheme: Scheme, using: str, *, crosses: bool
) -> Iterator[str]:
    """Yield the notes on one side, which only name new labels."""
    version = ud_version_of(labels)
    first, second = (sorted(set(labels) & only) for only in (UD1 - UD2, UD2 - UD1))
    if first and second and {*first, *second} & set(news):
        yield f"{side} has relations of UD v1 ({', '.join(first)}) and of UD v2 ({', '.join(second)})"
    if crosses and version is not None and scheme.version not in {None, version}:
        yield (
            f"{side} has relations of UD v{version}; {using}: classes of {scheme.name} (UD v{scheme.version})"
            " are looked up by their counterparts (`levelhead measures --schemes`)"
        )
    unlisted = [label for label in news if scheme.class_of(label) == UNKNOWN]
    if unlisted and scheme.version is None and scheme.otherwise == UNKNOWN:
        yield (
            f"{side} has relations that the scheme {scheme.name} does not list: {_listed(unlisted)}; left out of"
            f" {using}"
            f" (LAS-FUN-PUNCT looks up those of the other version of UD)"
        )


def _listed(labels: list[str]) -> str:
    """Name labels, at most the first few dozen."""
    more = len(labels) - _MOST_NAMED
    named = ", ".join(labels[:_MOST_NAMED])
    return f"{named} and {more:,} more" if more > 0 else named


def universal_relations_of(relations: StringColumn) -> list[str]:
    """Return the universal relations that occur, in alphabetical order."""
    return sorted(set(map(universal, relations.distinct_texts)))


def _schemes_used(
    measure: Measure, definition: Definition, rules: Rules, schemes: Schemes
) -> Iterator[tuple[Measure, Scheme]]:
    for name in filter(None, (definition.only, *definition.without)):
        if is_class(name):
            yield measure, schemes.find(name)[0] if ":" in name else rules.scheme
    for name in filter(None, (measure.only, *measure.without)):
        if is_class(name):
            yield measure, schemes.find(name)[0]
