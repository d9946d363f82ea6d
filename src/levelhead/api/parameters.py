"""The parameters that public functions share: each is documented and checked here, once."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import cache
from inspect import cleandoc
from textwrap import fill
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from levelhead.api import FUNCTIONS
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
            'measures such as "LAS" or "CLAS.recall", in any case, separated by commas.',
            MEASURES,
        ),
        "rules": Parameter(
            'scoring rules: those of levelhead ("ud"), or an exact emulation of an official scorer ("udtools",'
            ' "conll18", "conll17", "msp25" or "msp25-sorted").',
            RULES,
        ),
        "format": Parameter('the format of the files, "conllu" or "conllx".', choice(("conllu", "conllx"))),
        "gold_format": Parameter(
            "the format of gold, if different; if only gold is CoNLL-U, its multiword tokens are split.",
            optional(choice(("conllu", "conllx"), "format")),
        ),
        "allow_several_roots": Parameter(
            'whether to accept sentences of files with several roots (words with HEAD 0) under the rules "ud"'
            ' and "udtools".',
            flag,
        ),
        "punct": Parameter(
            '"keep" all punctuation, or leave out of UAS, LAS and LS words with the gold "relation" punct, or'
            ' punctuation as defined by "callin"; the measures are then named LAS(nopunct) or'
            ' LAS(nopunct=callin).',
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
            "whether to score outputs with different text or broken trees as well, over all gold words; these"
            " scores are not official.",
            flag,
        ),
        "train": Parameter("training treebanks, for WLAS(WDE).", TREEBANKS),
        "split": Parameter(
            'which files of UD releases are gold ("train", "dev" or "test"); by default "test", or the only split.',
            optional(choice(("train", "dev", "test"))),
        ),
        "as_runs": Parameter(
            "whether to treat all folders in the folder of a system (for a single gold file, also all files)"
            " as its runs; by default only those named run or seed with a number.",
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
            "keep results in this file, and resume from it in the next run.",
            optional(either([(is_path, path)], instance("Store", "a path or a store"))),
        ),
        "resamples": Parameter("the number of bootstrap resamples and of random permutations.", limited("resamples")),
        "resample_by": Parameter(
            'the independent units of intervals and tests: "sentence", "document" (# newdoc), "comment:NAME"'
            ' (sentences with the same comment), or "auto" (documents if gold marks two or more, otherwise'
            ' sentences).',
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
            "whether to repair invalid trees of external parsers instead of rejecting them; repairs are among the"
            " warnings.",
            flag,
        ),
        "lift": Parameter("whether to lift non-projective arcs if the transition system needs projective trees.", flag),
        "beam": Parameter("the beam width (transition systems, ensemble).", limited("beam")),
        "relations": Parameter(
            'learn relations without subtypes ("universal") or with subtypes ("full").',
            choice(("universal", "full")),
        ),
    }
)  # fmt: skip
"""The documentation and the check of each shared parameter; a function can define its own."""


def public(**own: Check) -> Callable[[_Function], _Function]:
    """Return the decorator of a public function, which checks arguments."""

    def decorate(function: _Function) -> _Function:
        """Return the function with its checks."""
        shared = {name: SHARED[name].check for name in parameters_of(function) if name in SHARED}
        decorated = checked(**shared | own)(function)
        decorated.checks = shared | own  # type: ignore[attr-defined]
        return decorated

    return decorate


def parameters_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a function's parameters, in the order of its signature."""
    code = function.__code__
    n_named = code.co_argcount + code.co_kwonlyargcount
    variable = code.co_varnames[n_named : n_named + 1] if code.co_flags & 4 else ()
    return (*variable, *code.co_varnames[:n_named])


_ENTRY = re.compile(r"^ {4}(\w+): ", re.MULTILINE)


def documented(function: Any) -> str:
    """Return the docstring of a public function with all parameters, in the order of the signature."""
    docstring = cleandoc(function.__wrapped__.__doc__)
    about, raises, errors = docstring.partition("Raises:\n")
    about, entries = about.partition("Args:\n")[0], entries_of(docstring)
    lines = (f"{name}: {entries[name]}" for name in parameters_of(function.__wrapped__))
    listed = "\n".join(fill(line, 106, initial_indent=" " * 4, subsequent_indent=" " * 8) for line in lines)
    return f"{about}Args:\n{listed}\n\n{raises}{errors}"


def entries_of(docstring: str) -> dict[str, str]:
    """Return what a docstring says about each parameter, and what all functions say about shared parameters.

    An entry that begins with "by default" follows the text of the shared parameter.
    """
    texts = {name: parameter.text for name, parameter in SHARED.items()}
    parts = _ENTRY.split(docstring.partition("Args:\n")[2].partition("\nRaises:\n")[0])
    for name, words in zip(parts[1::2], parts[2::2]):
        entry = " ".join(words.split())
        texts[name] = f"{texts[name].removesuffix('.')}; {entry}" if entry.startswith("by default ") else entry
    return texts


@cache
def settings_of(name: str) -> Mapping[str, tuple[str, Any]]:
    """Return the text and the default of each parameter of a public function.

    They are read from its source: loading it would take `--help` three times as long.
    """
    from pathlib import Path  # slow to load

    file = next(file for file, names in FUNCTIONS.items() if name in names)
    statements = ast.parse(Path(__file__).with_name(f"{file}.py").read_bytes()).body
    function = next(node for node in statements if isinstance(node, ast.FunctionDef) and node.name == name)
    arguments, texts = function.args, entries_of(ast.get_docstring(function) or "")
    positional = zip(reversed(arguments.args), reversed(arguments.defaults))
    defaults = [*positional, *zip(arguments.kwonlyargs, arguments.kw_defaults)]
    values = {argument.arg: ast.literal_eval(node) for argument, node in defaults if node is not None}
    return {name: (text, values.get(name)) for name, text in texts.items()}
