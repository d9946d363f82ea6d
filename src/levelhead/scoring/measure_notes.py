"""Notes on measures: relations of a different UD version than the scheme, outputs without enhanced graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from levelhead.immutable import immutable
from levelhead.scoring.measure import Definition, Measure
from levelhead.scoring.rules import Rules
from levelhead.scoring.selection import Schemes, is_class
from levelhead.treebank import StringColumn, Treebank
from levelhead.treebank.relations import UD1, UD2, UNKNOWN, Scheme, ud_version_of, universal

SYSTEM = "the system"
"""The name of the system in notes if its name is unknown."""

_MOST_NAMED = 50  # more than the number of relations in either version of UD


@immutable
class Annotation:
    """The properties of a treebank that notes are about."""

    relations: list[str]  # the universal relations that occur, in alphabetical order
    columns: frozenset[str]  # the columns with values, of those that measures require

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
    by_name: dict[str, Scheme] = {}
    users: dict[str, dict[str, None]] = {}
    unannotated: dict[str, list[str]] = {}
    for measure, definition in chosen:
        of_definition = [name for name in (definition.only, *definition.without) if name and is_class(name)]
        classes = [name for name in (measure.only, *measure.without) if name and is_class(name)]
        used = [schemes.find(name)[0] if ":" in name else rules.scheme for name in of_definition]
        for scheme in (*used, *(schemes.find(name)[0] for name in classes)):
            by_name[scheme.name] = scheme
            users.setdefault(scheme.name, {})[str(measure)] = None
        scores_anyway = not (rules.unannotated or rules.content)
        for column in definition.absent(measure.argument, gold.columns) if scores_anyway else ():
            unannotated.setdefault(column, []).append(str(measure))
    notes = _notes_on_schemes(
        gold.relations, system.relations, [(scheme, tuple(users[key])) for key, scheme in by_name.items()], name
    )
    of_columns = (
        f"not annotated in gold: {column}; the rules {rules.name} still score {', '.join(names)}"
        for column, names in unannotated.items()
    )
    of_graphs = [str(measure) for measure, definition in chosen if definition.unit == "edges"]
    without_graphs = of_graphs and "deps" in gold.columns and "deps" not in system.columns
    of_deps = f"{name} has no values in DEPS, so there are no enhanced edges to score: {', '.join(of_graphs)}"
    return (*notes, *of_columns, *([of_deps] if without_graphs else []))


def notes_on_schemes(
    gold: Treebank, system: Treebank, schemes: Iterable[tuple[Scheme, tuple[str, ...]]], name: str = SYSTEM
) -> tuple[str, ...]:
    """Return the notes on schemes, each with the measures or tables that use it."""
    of_gold, of_system = universal_relations_of(gold.relations), universal_relations_of(system.relations)
    return _notes_on_schemes(of_gold, of_system, schemes, name)


def _notes_on_schemes(
    gold: list[str], system: list[str], schemes: Iterable[tuple[Scheme, tuple[str, ...]]], name: str
) -> tuple[str, ...]:
    crosses = ud_version_of(system) != ud_version_of(gold)  # otherwise only labels that gold lacks are reported
    known = set(gold)  # a system can have as many relations as words
    added = system if crosses else [label for label in system if label not in known]
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
        more = f" and {len(unlisted) - _MOST_NAMED:,} more" if len(unlisted) > _MOST_NAMED else ""
        yield (
            f"{side} has relations that the scheme {scheme.name} does not list:"
            f" {', '.join(unlisted[:_MOST_NAMED])}{more}; left out of"
            f" {using}"
            f" (LAS-FUN-PUNCT looks up those of the other version of UD)"
        )


def universal_relations_of(relations: StringColumn) -> list[str]:
    """Return the universal relations that occur, in alphabetical order."""
    return sorted(set(map(universal, relations.distinct_texts)))
