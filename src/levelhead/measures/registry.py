"""The registry of all measures, and the groups in which they are listed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from itertools import takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from levelhead.arguments import checked
from levelhead.errors import MeasureError, unknown
from levelhead.immutable import digest_of, immutable
from levelhead.scoring.matches import Agree
from levelhead.scoring.measure import (
    CLASS_BY_GOLD,
    CustomMeasure,
    Definition,
    Measure,
    Resource,
    split,
)
from levelhead.scoring.measure_definitions import GROUPS, MeasureGroup
from levelhead.scoring.selection import STANDARD as STANDARD_SCHEMES, Schemes, check_classes
from levelhead.treebank.relations import SCHEMES, Scheme

if TYPE_CHECKING:
    from levelhead.derivation.perplexity import Trained
    from levelhead.scoring import Counts, Matches


def _load_model(argument: str) -> Resource:
    from levelhead.derivation.perplexity import load_model  # loaded when needed: `score` starts faster without it

    return load_model(argument)


def _count_surprise(matches: Matches, trained: Trained, **how: Any) -> Counts:
    from levelhead.derivation.perplexity import count_surprise

    return count_surprise(matches, trained, **how)


# Derivation perplexity, which is computed in a higher room than the other measures.
DPPL = Definition(
    "DPPL",
    "Derivation perplexity of the system's trees; lower is better; gold heads are not needed.",
    "10 ** (-S / N): S is the sum of the log10 probabilities of words, in the order of attachment, and of ends of"
    " sentences, N their number; unknown words are left out",
    "Søgaard and Haulrich, section 3: a trigram model of the training treebank's derivations",
    counted_item="perplexity",
    needs=Agree.HEAD,
    argument="a training treebank (in its path, {treebank} is replaced by the code of each treebank);"
    " FILE,order=NAME: the order of words, string or that of a transition system (default: swap-lazy)",
    load=_load_model,
    counter=_count_surprise,
)

MEASURE_GROUPS = (
    *GROUPS,
    MeasureGroup(
        "Without gold trees",
        "For texts without gold trees. Compare only perplexities of the same model on the same text.",
        (DPPL,),
    ),
)

# All shipped measures by name.
REGISTRY: Mapping[str, Definition] = MappingProxyType(
    {definition.name: definition for group in MEASURE_GROUPS for definition in group.definitions}
)


@immutable
class Registry:
    """The available measures and schemes.

    Args:
        measures: a mapping from the name of each measure to the definition.
        schemes: all schemes, and the default scheme.
        origins: a mapping from the hash of a measure or scheme to the hash of the file from which it was read.
    """

    measures: Mapping[str, Definition] = field(default_factory=lambda: REGISTRY)
    schemes: Schemes = STANDARD_SCHEMES
    origins: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Registry: {len(self.measures)} measures, {len(self.schemes.by_name)} schemes>"

    def used(self, measures: Iterable[Measure]) -> tuple[str, ...]:
        """Return the hashes of all custom measures in `measures`, and of all custom schemes that are used.

        The used schemes are the default scheme and those that the measures name. The hash of a definition from a file
        is the hash of the file; for other definitions, it is a hash of their contents.
        """
        measures = tuple(measures)
        definitions = [self.measures[measure.name] for measure in measures]
        counted: list[Measure | Definition] = [*measures, *definitions]
        classes = [name for each in counted for name in (each.only, *each.without) if name]
        schemes = dict.fromkeys((self.schemes.default, *(name.rpartition(":")[0] for name in classes)))
        own: list[Definition | Scheme] = [each for each in definitions if each != REGISTRY.get(each.name)]
        own += [
            each for name, each in self.schemes.by_name.items() if name in schemes and each != SCHEMES.get(each.name)
        ]
        digests = {self.origins.get(digest, digest) for digest in map(digest_of, own)}
        files = [digest for digest in dict.fromkeys(self.origins.values()) if digest in digests]
        return (*files, *sorted(digests.difference(files)))

    def functions(self, measures: Iterable[Measure]) -> tuple[str, ...]:
        """Return the names of all Python functions that define the `measures`; functions cannot be hashed."""
        definitions = (self.measures[measure.name] for measure in measures)
        own = (definition for definition in definitions if definition != REGISTRY.get(definition.name))
        return tuple(sorted({function for each in own for function in each.functions}))

    def including(self, measures: Iterable[str | Measure]) -> Registry:
        """Return the registry with all custom measures in the list `measures` added; strings in the list are ignored.

        Raises a MeasureError if the name of a custom measure is taken.
        """
        known = dict(self.measures)
        names = {name.lower(): name for name in known}
        for definition in (measure.definition for measure in measures if isinstance(measure, CustomMeasure)):
            name = names.setdefault(definition.name.lower(), definition.name)
            if known.setdefault(name, definition) != definition:
                message = f"{definition.name} is already the name of a measure: choose another name"
                raise MeasureError(message, "invalid-measure")
        return self if len(known) == len(self.measures) else replace(self, measures=MappingProxyType(known))

    def with_default(self, scheme: str) -> Registry:
        """Return the registry with `scheme` as the default scheme; raises a `MeasureError` if this name is unknown."""
        if scheme not in self.schemes.by_name:
            raise MeasureError(unknown("scheme", scheme, self.schemes.by_name), "unknown-scheme")
        return replace(self, schemes=replace(self.schemes, default=scheme))


_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

STANDARD = Registry()  # the shipped measures and schemes


@checked(
    text=("object", "str", "the name of a measure"),
    registry=("object", "Registry", "a registry, as read_definitions returns it"),
)
def parse_measure(text: str, registry: Registry = STANDARD) -> Measure:
    """Return the measure that a text names; `parse_measure(str(m)) == m`.

    Args:
        text: for example `LAS`, `LAS(full)`, `CLAS.recall`, `LAS@CORE`, `LAS-FUN-PUNCT`. The case of measure
            names does not matter (`las`), but the case of arguments and classes does.
        registry: the available measures and schemes.

    Raises:
        MeasureError: the measure, class or relation is unknown; the message suggests a similar one.
    """
    measure = split(text, registry.schemes.by_name)
    definition = find_definition(measure.name, registry)
    name, argument, options = definition.name, measure.argument, definition.options()
    measure = replace(measure, name=name)
    if text.isalpha() and not definition.needs_file:  # most measures are a name alone
        return measure
    given = [] if argument is None or not options else argument.split(",")
    if not set(given) <= set(options):
        message = f"{unknown(f'option of {name}', str(argument), options)} (levelhead measures {name} explains them)"
        raise MeasureError(message, "unknown-measure")
    has_classes = bool(measure.only or measure.without)
    wanted = f"requires a class or relation, as in {name}({CLASS_BY_GOLD})@CORE"
    needed = str(definition.argument).partition(";")[0]
    problems = {
        f"{name} takes no argument": argument is not None and definition.argument is None,
        f"{name} requires an argument, {name}(...): {needed}": argument is None and definition.needs_file,
        f"{measure}: an option is given twice": len({option.partition("=")[0] for option in given}) < len(given),
        f"{measure}: {CLASS_BY_GOLD} {wanted}": CLASS_BY_GOLD in given and not has_classes,
        f"{name} does not count words, and has no classes": (
            has_classes and not (definition.selects_words or definition.counted_item == "exact")
        ),
        f"{name} has no {measure.component}": bool(measure.component) and definition.lower_is_better,
    }
    if message := next((message for message, applies in problems.items() if applies), ""):
        raise MeasureError(message, "unknown-measure")
    if has_classes:
        check_classes(measure, registry.schemes)
    return replace(measure, argument=",".join(option for option in options if option in given)) if given else measure


def qualified(measure: Measure, registry: Registry = STANDARD) -> Measure:
    """Return a measure with the scheme of each of its classes, so that it does not depend on a default."""
    schemes = registry.schemes
    without = tuple(sorted({schemes.qualified(each) for each in measure.without}))
    return replace(measure, only=schemes.qualified(measure.only) if measure.only else None, without=without)


def find_definition(name: str, registry: Registry = STANDARD) -> Definition:
    """Return the definition of a measure by its name, ignoring case."""
    by_lower = {known.lower(): definition for known, definition in registry.measures.items()}
    if name.lower() not in by_lower:
        raise MeasureError(unknown("measure", name, registry.measures), "unknown-measure")
    return registry.measures.get(name, by_lower[name.lower()])


def split_at_commas(text: str) -> list[str]:
    """Return the parts of a list between commas that are not in parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth = max(0, depth + (character == "(") - (character == ")"))
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def split_measures(text: str) -> list[str]:
    """Return the measures in a comma-separated list; commas in parentheses belong to arguments."""
    parts = split_at_commas(text)
    registered = {name.lower(): name for name in REGISTRY}
    measures = []
    for part in filter(None, map(str.strip, parts)):
        name = "".join(takewhile(_LETTERS.__contains__, part))
        measures.append(registered.get(name.lower(), name) + part[len(name) :])
    return measures or [text]


def lower_is_better(text: str, registry: Registry = STANDARD) -> bool:
    """Return whether lower values of a measure are better, as for perplexities; False for unknown names."""
    try:
        return registry.measures[parse_measure(text, registry).name].lower_is_better
    except MeasureError:
        return False


def group_of(name: str) -> MeasureGroup | None:
    return next((group for group in MEASURE_GROUPS if REGISTRY.get(name) in group.definitions), None)
