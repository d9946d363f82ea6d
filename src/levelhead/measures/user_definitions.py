"""Custom measures and schemes: from a TOML file, and measures made of functions of the aligned words."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal, NoReturn

from levelhead.arguments import check, checked, refuse
from levelhead.errors import Fault, InputError, MeasureError, Place, unknown
from levelhead.immutable import digest_of, name_of
from levelhead.measures.registry import STANDARD, Registry
from levelhead.scoring.matches import Agree
from levelhead.scoring.measure import CustomMeasure, Definition, FunctionOfWords, split
from levelhead.scoring.selection import Schemes, check_classes, keeps_nothing
from levelhead.treebank.input_bytes import parsed_toml, read_bytes
from levelhead.treebank.relations import UNKNOWN, Scheme, universal

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
    """Return a copy of `registry` with the measures and schemes of the TOML file `path` added.

    A table `[measure.NAME]` defines a measure. Its list `needs` names the properties in which a word must agree with
    gold: head, relation (without subtype), full-relation, upos, xpos, feats (the features that the rules compare),
    all-feats, lemma or function-words (as in MLAS). If the list is empty, all aligned words are correct. Optional keys
    are `unit`, `only` (a class), `without` (a list of classes and relations), `meaning`, `formula` and `source`. By
    default, the measure counts words. If `unit` is "exact", it counts sentences without errors.

    A table `[scheme.NAME]` defines a scheme. Its table `classes` has a list of relations for each class. Optional keys
    are `version`, `otherwise` and `source`. `version` is the version of UD to which the listed relations belong, 1 or
    2. Relations of the other version then get the class of the corresponding relation. For example, `dobj` in UD v1
    corresponds to `obj` in UD v2: if `version` is 2, `dobj` gets the class of `obj`; if `version` is 1, `obj` gets the
    class of `dobj`. All other relations get the class `otherwise`, by default UNKNOWN.

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
        _refuse(path, f"scheme {name}: write classes in upper case")
    _check_texts(path, f"scheme {name}", table, ("source",))
    if "version" in table and (isinstance(table["version"], bool) or table["version"] not in (1, 2)):
        _refuse(path, f"scheme {name}: version must be 1 or 2")
    members = {label: frozenset(relations) for label, relations in classes.items()}
    source = str(table.get("source", path))
    return Scheme(name, source, MappingProxyType(members), table.get("otherwise", UNKNOWN), table.get("version"))


def _measure(path: str, name: str, table: Mapping[str, Any], schemes: Schemes) -> Definition:
    _check_keys(path, f"measure {name}", table, _MEASURE_KEYS)
    needs = _texts(path, f"measure {name}: needs", table.get("needs"))
    if not re.fullmatch(r"[A-Za-z]+", name) or not {*needs} <= {*_NEEDS}:
        _refuse(path, f"measure {name} needs a name of letters, and `needs`, a list of {', '.join(_NEEDS)}")
    if table.get("unit", "words") not in ("words", "exact"):
        _refuse(path, f"measure {name}: unit must be words or exact")
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
    """Return a decorator that turns a function into a measure for `score`, `compare`, `rank` and other functions.

    The function gets the `WordColumns` of all gold words of some sentences, and returns an array with one element per
    word: whether the word is correct, or a number from 0 to 1. Words that are not aligned are never correct. Recall is
    the sum of the array divided by the number of gold words; precision is this sum divided by the number of system
    words.

    The element of a word may only depend on the sentence of this word, not on other sentences in the same call.
    Measures made from functions cannot be combined with `jobs`, `cluster` or `store`.

    Args:
        name: the name of the measure (letters only).
        counts: what the measure counts; only "words" is supported.
        weight: a function that gets the `WordColumns` of gold or of the system. It returns a weight for each word, or
            a bool (whether the word counts). A pair of aligned words counts with the smaller of its two weights. By
            default, all weights are 1.
        by_gold: whether an aligned system word gets the weight of the gold word instead of its own weight.
        columns: columns that gold must annotate besides heads and relations. If gold lacks one of these columns, the
            measure has no value.
        version: a version of the functions; signatures show it after the name of the measure.

    Raises:
        InputError: an argument is invalid.
        MeasureError: levelhead already has a measure with this name.
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
