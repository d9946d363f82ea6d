"""The registry of all measures in groups, and custom measures and schemes, from TOML files or made of functions."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from levelhead.arguments import check, checked, refuse
from levelhead.errors import Fault, InputError, MeasureError, Place, unknown
from levelhead.immutable import digest_of, immutable, name_of
from levelhead.scoring.matches import Agree
from levelhead.scoring.measure import (
    CLASS_BY_GOLD,
    CustomMeasure,
    Definition,
    FunctionOfWords,
    Measure,
    Resource,
    split,
)
from levelhead.scoring.measure_definitions import GROUPS, MeasureGroup
from levelhead.scoring.selection import STANDARD as STANDARD_SCHEMES, Schemes, check_classes, keeps_nothing
from levelhead.treebank.input_bytes import parsed_toml, read_bytes
from levelhead.treebank.relations import SCHEMES, UNKNOWN, Scheme, universal

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
    "10 ** (- sum of log10 of the probability of words in the order of their attachment / words and ends of sentences);"
    " unknown words are left out",
    "Søgaard and Haulrich, section 3: a trigram model of the training treebank's derivations",
    counted_item="perplexity",
    needs=Agree.HEAD,
    argument="a training treebank (in its path, {treebank} is replaced by the code of each treebank); ,order=NAME:"
    " the transition system that defines the order of words (default: swap-lazy), or string",
    load=_load_model,
    counter=_count_surprise,
)

MEASURE_GROUPS = (
    *GROUPS,
    MeasureGroup(
        "Without gold trees",
        "Use it without gold trees, and compare only perplexities of the same model on the same text.",
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
        """Return the hashes of custom definitions: those of `measures`, their schemes and the default scheme.

        Definitions from a file have the hash of the file; other definitions have a hash of their contents.
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
        """Return the names of the `measures` that are Python functions, which cannot be hashed."""
        definitions = (self.measures[measure.name] for measure in measures)
        own = (definition for definition in definitions if definition != REGISTRY.get(definition.name))
        return tuple(sorted({function for each in own for function in each.functions}))

    def including(self, measures: Iterable[str | Measure]) -> Registry:
        """Return the registry with the custom measures among `measures` added; strings are ignored.

        Raises a MeasureError if another measure has the name of a custom measure.
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
        """Return the registry with the default `scheme` of this name; raises a `MeasureError` if it is unknown."""
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


# The properties that a custom measure can compare.
_NEEDS: Mapping[str, Agree] = MappingProxyType(
    {
        "head": Agree.HEAD,
        "relation": Agree.RELATION,
        "full-relation": Agree.FULL_RELATION,
        "upos": Agree.UPOS,
        "xpos": Agree.XPOS,
        "feats": Agree.FEATS,
        "all-feats": Agree.ALL_FEATS,
        "lemma": Agree.LEMMA,
        "function-words": Agree.CHILDREN,
    }
)

_MEASURE_KEYS = {"needs", "meaning", "formula", "source", "unit", "only", "without"}
_SCHEME_KEYS = {"source", "version", "classes", "otherwise"}


@checked(path="path", registry=("object", "Registry", "a registry, as read_definitions returns it"))
def read_definitions(path: str | os.PathLike[str], registry: Registry = STANDARD) -> Registry:
    """Return a copy of `registry` with the measures and schemes in a TOML file added.

    A table `[measure.NAME]` has a list `needs` of what must be correct: head, relation, full-relation, upos, xpos,
    feats, all-feats, lemma or function-words. If `needs` is empty, all aligned words are correct, as for Words.
    Optional keys are `unit` ("words", or "exact" for sentences without errors), `only` (a class), `without` (a list of
    classes and relations), `meaning`, `formula` and `source`.

    A table `[scheme.NAME]` has a table `classes` with a list of relations for each class. Optional keys are `version`,
    `otherwise` and `source`. `version` is the version of UD (1 or 2) that defines the relations; those of the other
    version then belong to the classes of their counterparts. `otherwise` is the class of unlisted relations, by default
    UNKNOWN.

    Raises:
        InputError: the file is not TOML, or a definition is invalid.
    """
    name = os.fspath(path)
    data = read_bytes(path)
    document = parsed_toml(data, name, "invalid-definitions")
    _check_keys(name, "the file", document, {"measure", "scheme"})
    schemes = {text: _scheme(name, text, table) for text, table in _tables(name, document, "scheme").items()}
    known = Schemes(MappingProxyType({**registry.schemes.by_name, **schemes}), registry.schemes.default)
    measures = {text: _measure(name, text, table, known) for text, table in _tables(name, document, "measure").items()}
    taken = {measure.lower(): measure for measure in registry.measures}
    for text in sorted({*schemes} & {*registry.schemes.by_name} | {own for own in measures if own.lower() in taken}):
        _refuse(name, f"{taken.get(text.lower(), text)} is already defined: choose another name")
    digest = hashlib.sha256(data).hexdigest()
    own: list[Definition | Scheme] = [*measures.values(), *schemes.values()]
    origins = {**registry.origins, **dict.fromkeys(map(digest_of, own), digest)}
    return Registry(MappingProxyType({**registry.measures, **measures}), known, MappingProxyType(origins))


def _refuse(path: str, message: str) -> NoReturn:
    raise InputError(Fault("invalid-definitions", message, Place(path)))


def _check_keys(path: str, what: str, table: Mapping[str, Any], keys: set[str]) -> None:
    for key in sorted(table.keys() - keys):
        _refuse(path, f"{what}: {unknown('key', key, sorted(keys))}")


def _tables(path: str, document: Mapping[str, Any], kind: str) -> Mapping[str, Mapping[str, Any]]:
    tables = document.get(kind, {})
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        _refuse(path, f"{kind} is not a table of tables: write [{kind}.NAME]")
    return tables


def _scheme(path: str, name: str, table: Mapping[str, Any]) -> Scheme:
    _check_keys(path, f"scheme {name}", table, _SCHEME_KEYS)
    classes = table.get("classes")
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name) or not isinstance(classes, dict) or not classes:
        _refuse(path, f"scheme {name} needs a name in lower case and a table of classes")
    listed = [relation for members in classes.values() for relation in _texts(path, f"scheme {name}", members)]
    for relation in listed:
        if listed.count(relation) > 1:
            _refuse(path, f"scheme {name} has {relation} in two classes")
        if universal(relation) != relation or not relation:
            _refuse(path, f"scheme {name}: {relation!r} is not a valid relation without subtype")
    if not all(re.fullmatch(r"[A-Z][A-Z0-9_]*", str(label)) for label in (*classes, table.get("otherwise", UNKNOWN))):
        _refuse(path, f"scheme {name}: classes are written in upper case")
    _check_texts(path, f"scheme {name}", table, ("source",))
    if "version" in table and (isinstance(table["version"], bool) or table["version"] not in (1, 2)):
        _refuse(path, f"scheme {name}: version is 1 or 2")
    members = {label: frozenset(relations) for label, relations in classes.items()}
    source = str(table.get("source", path))
    return Scheme(name, source, MappingProxyType(members), table.get("otherwise", UNKNOWN), table.get("version"))


def _measure(path: str, name: str, table: Mapping[str, Any], schemes: Schemes) -> Definition:
    _check_keys(path, f"measure {name}", table, _MEASURE_KEYS)
    needs = _texts(path, f"measure {name}: needs", table.get("needs"))
    if not re.fullmatch(r"[A-Za-z]+", name) or not {*needs} <= {*_NEEDS}:
        _refuse(path, f"measure {name} needs a name of letters, and `needs`, a list of {', '.join(_NEEDS)}")
    if table.get("unit", "words") not in ("words", "exact"):
        _refuse(path, f"measure {name}: unit is words or exact")
    _check_texts(path, f"measure {name}", table, ("meaning", "formula", "source"))
    compared = f"aligned words with equal {', '.join(needs)}" if needs else "aligned words"
    definition = Definition(
        name,
        str(table.get("meaning", f"defined in {path}")),
        str(table.get("formula", f"{compared} / words")),
        str(table.get("source", path)),
        counted_item=table.get("unit", "words"),
        needs=Agree(sum({_NEEDS[need] for need in needs})),
        only=None if table.get("only") is None else str(table["only"]),
        without=tuple(_texts(path, f"measure {name}: without", table.get("without", []))),
    )
    try:
        only = None if definition.only is None else _qualified(definition.only, schemes)
        own = replace(definition, only=only, without=tuple(_qualified(text, schemes) for text in definition.without))
    except MeasureError as error:
        _refuse(path, f"measure {name}: {error}")
    if keeps_nothing(own.only, own.without, schemes):
        _refuse(path, f"measure {name}: `only` and `without` exclude all relations")
    return own


def _qualified(text: str, schemes: Schemes) -> str:
    """Read a class or relation, and add the scheme to a class, so that it does not depend on the rules used later."""
    measure = split(f"LAS@{text}", schemes.by_name)
    if measure.only != text or measure.component:
        raise MeasureError(f"{text!r} is not a single class or relation", "unknown-measure")
    check_classes(measure, schemes)
    return schemes.qualified(text)


def _check_texts(path: str, what: str, table: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    for key in keys:
        if not isinstance(table.get(key, ""), str):
            _refuse(path, f"{what}: {key} is not a string")


def _texts(path: str, what: str, value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        _refuse(path, f"{what} is not a list of strings")
    return value


_COLUMNS = {"upos": "upos", "xpos": "xpos", "feats": "feats", "lemma": "lemmas"}


def _name(argument: str, value: object) -> str:
    """Refuse names that `parse_measure` could not read."""
    if not isinstance(value, str) or not re.fullmatch("[A-Za-z]+", value):
        refuse(argument, value, "a name of ASCII letters, such as LongLAS")
    return value


def _version(argument: str, value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[\w.-]+", value):
        refuse(argument, value, 'a version of letters, digits, ".", "-" and "_"')
    return value


@checked(
    name=_name,
    counts=("one of", ("words",)),
    weight=("optional", "function"),
    by_gold="flag",
    columns=("list", ("one of", tuple(_COLUMNS), "column")),
    version=("optional", _version),
)
def measure(
    name: str,
    counts: Literal["words"] = "words",
    *,
    weight: FunctionOfWords | None = None,
    by_gold: bool = False,
    columns: Sequence[Literal["upos", "xpos", "feats", "lemma"]] = (),
    version: str | None = None,
) -> Callable[[FunctionOfWords], CustomMeasure]:
    """Return a decorator that turns a function into a measure for `score`, `compare`, `rank` and others.

    The function gets the `WordColumns` of all gold words. It returns an array with a value for each word: whether it is
    correct, or a number from 0 to 1. Words that are not aligned are never correct. Recall is the sum divided by the
    number of gold words; precision is the sum divided by the number of system words.

    The function is called for several sentences at once, but the value of a word may only depend on its own sentence.
    Measures made from functions cannot be combined with `jobs`, `cluster` or `store`.

    Args:
        name: the name of the measure (letters only).
        counts: what the measure counts; only "words" is supported.
        weight: a function that gets the `WordColumns` of gold or of the system. It returns a weight for each word, or
            whether it counts. A pair of aligned words gets the smaller weight. By default, all weights are 1.
        by_gold: whether an aligned system word gets the weight of the gold word instead of its own weight.
        columns: columns that gold must annotate besides heads and relations; without them, the measure has no value.
        version: a version of the functions; signatures show it after the name of the measure.

    Raises:
        InputError: an argument is invalid.
        MeasureError: levelhead has a measure with this name.
    """

    def decorated(function: FunctionOfWords) -> CustomMeasure:
        check("function", function, "function")
        meaning = (getattr(function, "__doc__", None) or f"The function {name_of(function)}.").strip().split("\n")[0]
        definition = Definition(
            name,
            meaning,
            "sum over aligned words / sum of weights of words" if weight else "sum over aligned words / words",
            name_of(function),
            counted_item=counts,
            columns=tuple(_COLUMNS[column] for column in columns),
            by_gold=by_gold,
            correct=function,
            weight=weight,
            version=version,
        )
        made = CustomMeasure(name, definition=definition)
        STANDARD.including([made])
        return made

    return decorated
