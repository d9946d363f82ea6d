"""The parameters that public functions share: each is documented and checked here, once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from inspect import cleandoc
from textwrap import fill
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from levelhead.arguments import (  # fmt: skip
    Check,
    checked,
    choice,
    confidence_level,
    either,
    flag,
    instance,
    is_instance,
    is_list,
    is_path,
    limited,
    mapping,
    optional,
    path,
    resampling_unit,
    several,
    text,
)

_Function = TypeVar("_Function", bound=Callable[..., Any])


class Parameter(NamedTuple):
    """A parameter of several functions.

    Args:
        text: its documentation.
        check: the check of its values.
    """

    text: str
    check: Check


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)


def _are_several(value: object) -> bool:
    return is_list(value) and not is_instance(value, "Treebank")  # which is a sequence of sentences


def _is_text(value: object) -> bool:
    return isinstance(value, str)


TREEBANK = either([(is_path, path)], instance("Treebank", "a treebank or a path"))
"""A treebank in memory, or the path of one."""

TEST_SETS = either(
    [(_is_mapping, mapping(TREEBANK, "a mapping of codes to treebanks or paths")), (is_path, path)],
    instance("Treebank", "a treebank, a path, or a mapping of codes to treebanks or paths"),
)
"""Test sets in any layout."""

SYSTEMS = either(
    [(_is_mapping, mapping(TEST_SETS, "a mapping of names to outputs")), (_are_several, several(TREEBANK))], TREEBANK
)
"""The outputs of one system or of several."""

RULES = either([(_is_text, text)], instance("Rules", "the name of rules"))
"""Scoring rules, or their name."""

TREEBANKS = either([(_are_several, several(TREEBANK))], lambda name, value: [TREEBANK(name, value)])
"""One treebank or several, as a list."""

_MEASURE = either([(_is_text, text)], instance("Measure", "the name of a measure"))

_WEIGHTS = either([(_is_mapping, lambda _, value: value)], instance("Resource", "a mapping of relations to weights"))

MEASURES = several(_MEASURE, 1)
"""Measures."""

NO_OR_MEASURES = several(_MEASURE)
"""Measures, or none."""

PATH = optional(path)
"""A path, or None."""

SHARED: Mapping[str, Parameter] = MappingProxyType(
    {
        "gold": Parameter(
            "a treebank or its path; or many: a folder, a manifest (TOML), or a mapping of codes to treebanks or"
            " paths.",
            TEST_SETS,
        ),
        "system": Parameter("the system's output, in the same form.", SYSTEMS),
        "systems": Parameter(
            "the outputs of each system by its name, in the same form; or a list of paths.", SYSTEMS
        ),
        "measures": Parameter(
            'names of measures in any case, such as "LAS" or "LAS,CLAS.recall", or a list of names or measures.',
            MEASURES,
        ),
        "rules": Parameter(
            '"ud" (the default), or an official scorer: "udtools", "conll18", "conll17", "msp25" or "msp25-sorted".',
            RULES,
        ),
        "format": Parameter('the format of files, "conllu" or "conllx".', choice(("conllu", "conllx"))),
        "gold_format": Parameter(
            "the format of gold files, if different; if only gold is CoNLL-U, its multiword tokens are split.",
            optional(choice(("conllu", "conllx"), "format")),
        ),
        "allow_several_roots": Parameter(
            'whether sentences of files can have several roots (words with HEAD 0); for the rules "ud" and "udtools".',
            flag,
        ),
        "punct": Parameter(
            'which punctuation to leave out of UAS, LAS and LS: words with the gold "relation" punct, or punctuation as'
            ' defined by "callin"; or "keep" all.',
            choice(("keep", "relation", "callin")),
        ),
        "weights": Parameter(
            'weights of relations by the name in parentheses: {"mine": {"det": 0.1, "nsubj": 1}} for "WLAS(mine)".',
            optional(mapping(_WEIGHTS, "a mapping of names to weights")),
        ),
        "registry": Parameter(
            "the available measures and schemes, as `read_definitions` returns them; by default the shipped ones.",
            optional(instance("Registry", "a registry, as read_definitions returns it")),
        ),
        "partial": Parameter(
            "whether to score outputs with different text or broken trees as well, over all gold words; these scores"
            " are not official.",
            flag,
        ),
        "train": Parameter("training treebanks or their paths, for WLAS(WDE).", TREEBANKS),
        "split": Parameter(
            'which files of UD releases are gold: "train", "dev" or "test"; by default "test", or the only split.',
            optional(choice(("train", "dev", "test"))),
        ),
        "as_runs": Parameter(
            "whether all folders in the folder of a system (for a single gold file, all files) are its runs; by default"
            " only those named run or seed with a number.",
            flag,
        ),
        "jobs": Parameter(
            "the number of processes, or workers as `levelhead.jobs.cluster` returns them.",
            either([(lambda value: is_instance(value, "Workers"), lambda _, value: value)], limited("jobs")),
        ),
        "cluster": Parameter(
            'a dask cluster that runs the jobs: "local" (with `jobs` workers), "tcp://host:port", or None; for an'
            " encrypted cluster, pass `levelhead.jobs.cluster(...)` as `jobs`.",
            optional(text),
        ),
        "store": Parameter(
            "a file in which results are kept for the next run.",
            optional(either([(is_path, path)], instance("Store", "a path or a store"))),
        ),
        "resamples": Parameter("the number of random resamples or permutations.", limited("resamples")),
        "resample_by": Parameter(
            'the independent units of intervals and tests: "sentence", "document", "comment:NAME" (sentences with the'
            ' same comment), or "auto" (documents if gold marks two or more, otherwise sentences).',
            resampling_unit,
        ),
        "seed": Parameter("the random seed.", limited("seed")),
        "level": Parameter("the confidence level of intervals.", confidence_level),
        "treebank": Parameter("a treebank or its path.", TREEBANK),
        "treebanks": Parameter("treebanks, paths of treebanks, or folders of them.", TREEBANK),
        "merge": Parameter("whether to count the train, dev and test file of a treebank as one treebank.", flag),
        "external": Parameter(
            "how to run an external parser.",
            optional(instance("ExternalSettings", "a levelhead.parsing.ExternalSettings")),
        ),
        "origin": Parameter(
            "how the result was made, for the end of pages.", optional(instance("Origin", "an origin of pages"))
        ),
        "repair": Parameter(
            "whether to repair invalid trees of external parsers; repairs are among the warnings of the treebank.", flag
        ),
        "lift": Parameter("whether to lift non-projective arcs if the system needs projective trees.", flag),
        "beam": Parameter("the beam width of transition systems.", limited("beam")),
        "relations": Parameter(
            'learn "universal" relations (without subtypes) or "full" relations (with subtypes).',
            choice(("universal", "full")),
        ),
    }
)  # fmt: skip
"""The documentation and the check of each shared parameter; a function can define its own."""


def public(**own: Check) -> Callable[[_Function], _Function]:
    """Return the decorator of a public function: it checks arguments, and documents shared parameters."""

    def decorate(function: _Function) -> _Function:
        """Return the function with its checks and the full list of its parameters."""
        names = parameters_of(function)
        checks = {name: SHARED[name].check for name in names if name in SHARED} | own
        decorated = checked(**checks)(function)
        decorated.__doc__ = documented(function.__doc__, names)
        return decorated

    return decorate


def parameters_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a function's parameters, in the order of its signature."""
    code = function.__code__
    n_named = code.co_argcount + code.co_kwonlyargcount
    variable = code.co_varnames[n_named : n_named + 1] if code.co_flags & 4 else ()
    return (*variable, *code.co_varnames[:n_named])


_ENTRY = re.compile(r"^ {4}(\w+): ", re.MULTILINE)


def documented(docstring: str | None, names: tuple[str, ...]) -> str | None:
    """Return a docstring in which all parameters are documented, in the order of the signature."""
    if docstring is None:
        return None
    text = cleandoc(docstring)  # from Python 3.13 on, docstrings have lost their indentation already
    about, head, rest = text.partition("Args:\n")
    own, raises, errors = rest.partition("\nRaises:\n")
    if not head:
        about, raises, errors = text.partition("Raises:\n")
        raises = f"\n{raises}"
    entries = dict(_entries(own))
    lines = (entries.get(name) or f"{name}: {SHARED[name].text}" for name in names)
    listed = "\n".join(fill(line, 106, initial_indent=" " * 4, subsequent_indent=" " * 8) for line in lines) + "\n"
    return f"{about}Args:\n{listed}{raises}{errors}"


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """The entries of a section by the name of the parameter."""
    parts = _ENTRY.split(text)
    for name, rest in zip(parts[1::2], parts[2::2]):
        yield name, f"{name}: {' '.join(rest.split())}"
