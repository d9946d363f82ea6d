"""Where relations are of one version of UD and a scheme of the other: said, never guessed silently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from levelhead.scoring.measure import Definition, Measure
from levelhead.scoring.rules import Rules
from levelhead.scoring.selection import Schemes, is_class
from levelhead.treebank import Column, Treebank
from levelhead.treebank.relations import universal, version
from levelhead.treebank.schemes import UNKNOWN, Scheme


def notes_on(
    treebank: Treebank, measures: Iterable[tuple[Measure, Definition]], rules: Rules, schemes: Schemes
) -> tuple[str, ...]:
    """Say which version of UD a treebank's relations are of, where the classes of measures are of the other.

    Args:
        treebank: the gold treebank.
        measures: the measures with their definitions.
        rules: whose scheme definitions name.
        schemes: where the classes of measures are looked up.
    """
    found = version(distinct(treebank.relations))
    if found is None:
        return ()
    named = [(str(measure), scheme) for one in measures for measure, scheme in _schemes_of(*one, rules, schemes)]
    notes = []
    for scheme in {scheme.name: scheme for _, scheme in named}.values():
        using = ", ".join(dict.fromkeys(name for name, other in named if other.name == scheme.name))
        if scheme.version not in {None, found}:
            notes.append(
                f"gold has relations of UD v{found}; {using}: classes of {scheme.name} (UD v{scheme.version})"
                " are looked up by their counterparts (`levelhead measures --schemes`)"
            )
        unlisted = sorted({label for label in distinct(treebank.relations) if _unlisted(scheme, label)})
        if unlisted and scheme.version is None and scheme.otherwise == UNKNOWN:
            notes.append(
                f"gold has relations of UD v{found}; {using} leaves out those that the scheme {scheme.name} does not"
                f" list: {', '.join(unlisted)} (LAS-FUN-PUNCT looks them up by their counterparts)"
            )
    return tuple(notes)


def distinct(relations: Column) -> list[str]:
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


def _unlisted(scheme: Scheme, label: str) -> bool:
    return scheme.class_of(label) == UNKNOWN
