"""The parameters that public functions share: each is documented here, once, and checked by its annotation."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from inspect import cleandoc
from textwrap import fill
from types import MappingProxyType
from typing import Any

from levelhead.api import FUNCTIONS
from levelhead.arguments import DOCUMENTS, LIMITS, Kind, check, checked, is_instance, is_list, type_of_treebank
from levelhead.treebank.releases import path_of


def _either(forms: str) -> Callable[[str, Any], Any]:
    """Return the kind of a path or an object that holds a treebank; the forms are for messages."""

    def checked_source(name: str, value: Any) -> Any:
        if isinstance(value, str | os.PathLike):
            path = check(name, value, "path")
            return path_of(path) if isinstance(path, str) else path
        if is_instance(value, "Treebank"):
            return value
        from levelhead.interop.treebanks import OBJECTS, as_treebank

        return as_treebank(name, value, f"a path, {OBJECTS}{forms}")

    return checked_source


def _one_or_several(name: str, value: Any) -> Any:
    """A treebank or a list of treebanks; a list of documents of spaCy or Stanza is one treebank."""
    single = _either(", or a list or mapping of these")
    if not is_list(value):
        return single(name, value)
    items = list(value)
    if not all(isinstance(item, str | os.PathLike) or type_of_treebank(item) for item in items):
        single(name, items)
    if {type_of_treebank(item) for item in items} <= DOCUMENTS and items:
        return single(name, items)
    return [single(name, item) for item in items]


def _several(name: str, value: Any) -> list[Any]:
    given = _one_or_several(name, value)
    return given if isinstance(given, list) else [given]


TREEBANK: Kind = _either("")
"""A treebank in memory, or the path of one."""

TEST_SETS: Kind = (
    "either",
    ("mapping", TREEBANK, "a mapping of codes to treebanks"),
    _either(", or a mapping of codes to these"),
)
"""Test sets in any layout."""

TREEBANKS: Kind = _several
"""Several treebanks."""

SYSTEMS: Kind = ("either", ("mapping", TEST_SETS, "a mapping of names or codes to outputs"), _one_or_several)
"""The outputs of one system or of several."""

_FORMAT: Kind = ("one of", ("conllu", "conllx"))
_RULES: Kind = ("either", "text", ("object", "Rules", "the name of rules"))
_MEASURES = ("list", ("either", "text", ("object", "Measure", "the name of a measure")))
NO_OR_MEASURES: Kind = _MEASURES
_WEIGHTS: Kind = ("either", "any mapping", ("object", "Resource", "a mapping of relations to weights"))

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        **{name.replace("-", "_"): ("whole", *limits) for name, limits in LIMITS.items()},
        "level": "level",
        "resample_by": "unit",
        "jobs": ("either", ("object", "Workers", ""), ("whole", *LIMITS["jobs"])),
        "bool": "flag",
        "bool | None": ("optional", "flag"),
        "str": "text",
        "str | None": ("optional", "text"),
        "str | Iterable[str]": ("list", "text"),
        "str | Sequence[str]": ("list", "text"),
        "Iterable[str]": ("list", "text"),
        "PathLike | None": ("optional", "path"),
        "PathLike | Iterable[PathLike]": ("list", "path"),
        "PathLike | Store | None": ("optional", ("either", "path", ("object", "Store", "a path or a store"))),
        "Input": TREEBANK,
        "Input | None": ("optional", TREEBANK),
        "Iterable[Input]": TREEBANKS,
        "Treebanks": ("either", ("mapping", TREEBANK, "a mapping of names to treebanks or files"), TREEBANKS),
        "Golds": TEST_SETS,
        "Golds | None": ("optional", TEST_SETS),
        "Systems": SYSTEMS,
        "Golds | Systems": SYSTEMS,
        "Systems | Golds": SYSTEMS,
        "Systems | PathLike | None": ("optional", SYSTEMS),
        "Measures": (*_MEASURES, 1),
        "Measures | None": ("optional", (*_MEASURES, 1)),
        "MappedWeights | None": ("optional", ("mapping", _WEIGHTS, "a mapping of names to weights")),
        "str | Rules": _RULES,
        "str | Rules | None": ("optional", _RULES),
        "Registry | None": ("optional", ("object", "Registry", "a registry, as read_definitions returns it")),
        "Format": _FORMAT,
        "Format | None": ("optional", _FORMAT),
        "Split | None": ("optional", ("one of", ("train", "dev", "test"))),
        "Punctuation": ("one of", ("keep", "relation", "callin")),
        "Missing": ("one of", ("drop", "pairwise", "error")),
        "Relations": ("one of", ("universal", "full")),
        "Heads": ("one of", ("content", "function")),
        "ExternalSettings | None": (
            "optional", ("object", "ExternalSettings", "a levelhead.parsing.ExternalSettings"),
        ),
        "Origin | None": ("optional", ("object", "Origin", "an origin of pages")),
    }
)  # fmt: skip
"""What parameters can be, by their names and by their annotations; a function can say more about its own."""

SHARED: Mapping[str, str] = MappingProxyType(
    {
        "gold": (
            'one test set: a path, a name such as "en_ewt@2.16", a treebank, or another object (see'
            " `levelhead.interop`). Several test sets: a folder, manifest (TOML), or mapping of codes to treebanks."
        ),
        "system": "the system's output, in any form allowed for gold; or a mapping of the system's name to its output.",
        "systems": (
            "the output of one system, in any form allowed for gold; or the outputs of several systems, as a list of"
            " paths or a mapping of names to outputs."
        ),
        "measures": 'measures such as "LAS" or "CLAS.recall" (upper or lower case), separated by commas.',
        "rules": (
            'the scoring rules: those of levelhead ("ud"), or exactly those of an official scorer ("udtools",'
            ' "conll18", "conll17", "msp25" or "msp25-sorted").'
        ),
        "format": 'the format of the files, "conllu" or "conllx".',
        "gold_format": (
            "the format of gold, if different from `format`; if outputs are CoNLL-X and gold is CoNLL-U, multiword"
            " tokens are replaced by their words."
        ),
        "allow_several_roots": (
            'whether to accept sentences with several roots (words with HEAD 0); only for the rules "ud" and "udtools".'
        ),
        "punct": (
            'which words UAS, LAS and LS leave out: none ("keep"); words with gold relation punct ("relation"), as in'
            ' LAS(nopunct); or all punctuation by Callin\'s definition ("callin"), as in LAS(nopunct=callin).'
        ),
        "weights": (
            'weights of relations for weighted measures; for example, {"mine": {"det": 0.1, "nsubj": 1}} defines'
            ' "WLAS(mine)".'
        ),
        "registry": "the available measures and class schemes, from `read_definitions`; by default those of levelhead.",
        "partial": (
            "whether to also score outputs whose text differs from gold or whose trees are broken; missing words"
            " count as errors, and the scores are unofficial."
        ),
        "train": "training treebanks for WLAS(WDE).",
        "split": (
            'the split of UD releases to use as gold: "train", "dev" or "test"; by default "test", or the only'
            " split if test files are missing."
        ),
        "as_runs": (
            "whether to treat all folders in a system's folder as training runs (if gold is one file, all files too);"
            " by default only those named like run1 or seed42."
        ),
        "jobs": "the number of processes, or workers from `levelhead.jobs.cluster`.",
        "cluster": (
            'a dask cluster that runs the jobs: "local" (with `jobs` workers), or its address "tcp://host:port".'
        ),
        "store": "keep results in this file, and reuse them in later runs.",
        "resample_by": (
            'the units that confidence intervals and tests treat as independent: "sentence", "document" (marked by #'
            ' newdoc), "comment:NAME" (sentences with the same comment NAME), or "auto" (documents if there are at'
            " least ten, otherwise sentences)."
        ),
        "seed": "the random seed.",
        "level": "the confidence level of intervals.",
        "folds": "the number of cross-validation folds, which are blocks of consecutive sentences.",
        "treebank": "a treebank or its path.",
        "treebanks": "treebanks, files, folders, lists of these, or mappings of names to treebanks or files.",
        "merge": "whether to treat the train, dev and test files of a treebank as one treebank.",
        "external": "how to run an external parser.",
        "origin": "how the result was made, shown at the end of pages.",
        "repair": ("whether to repair invalid trees of external parsers, with a warning, instead of rejecting them."),
        "lift": "whether to lift non-projective arcs if the transition system needs projective trees.",
        "beam": "the beam width of transition-based parsers and of `ensemble`.",
        "heads": (
            'heads in learned trees: content words, as in UD ("content"), or function words ("function":'
            " training trees are converted, and parses converted back)."
        ),
        "relations": 'learn relations without subtypes ("universal") or with subtypes ("full").',
    }
)
"""The documentation of each shared parameter; a function can add to it or write its own."""


public = partial(checked, KINDS)
"""The decorator of public functions, which checks arguments by their names and annotations."""


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
    texts = dict(SHARED)
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

    statements = ast.parse(Path(__file__).with_name(f"{FUNCTIONS[name]}.py").read_bytes()).body
    functions = [node for node in statements if isinstance(node, ast.FunctionDef) and node.name == name]
    function = functions[-1]  # below its overloads
    arguments, texts = function.args, entries_of(ast.get_docstring(function) or "")
    positional = zip(reversed(arguments.args), reversed(arguments.defaults))
    defaults = [*positional, *zip(arguments.kwonlyargs, arguments.kw_defaults)]
    values = {argument.arg: ast.literal_eval(node) for argument, node in defaults if node is not None}
    return {name: (text, values.get(name)) for name, text in texts.items()}
