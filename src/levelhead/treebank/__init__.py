"""Trees in memory: CoNLL-U to columns and back, validity, relation inventories and class schemes."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from levelhead.treebank.input_bytes import Limits
    from levelhead.treebank.reader import build, from_conllu, read
    from levelhead.treebank.sentence import Sentence, Word, to_conllu
    from levelhead.treebank.strings import StringColumn, Strings
    from levelhead.treebank.tokens import Comments, EmptyNodes, MultiwordTokens, Source, check_trees
    from levelhead.treebank.treebank import Shapes, Treebank, nonprojective_arcs, shapes_of
    from levelhead.treebank.validation import faults_of

__all__ = [
    "Comments",
    "EmptyNodes",
    "Limits",
    "MultiwordTokens",
    "Sentence",
    "Shapes",
    "Source",
    "StringColumn",
    "Strings",
    "Treebank",
    "Word",
    "build",
    "check_trees",
    "faults_of",
    "from_conllu",
    "nonprojective_arcs",
    "read",
    "shapes_of",
    "to_conllu",
]

_MODULES = {
    "input_bytes": ("Limits",),
    "reader": ("build", "from_conllu", "read"),
    "sentence": ("Sentence", "Word", "to_conllu"),
    "strings": ("StringColumn", "Strings"),
    "tokens": ("Comments", "EmptyNodes", "MultiwordTokens", "Source", "check_trees"),
    "treebank": ("Shapes", "Treebank", "nonprojective_arcs", "shapes_of"),
    "validation": ("faults_of",),
}
"""The modules of names, which need numpy."""


if not TYPE_CHECKING:  # so that type checkers report names that do not exist

    def __getattr__(name: str) -> Any:
        """Load a name on first use, so that files can be read while numpy is loaded."""
        from importlib import import_module

        for module, names in _MODULES.items():
            if name in names:
                globals()[name] = getattr(import_module(f"levelhead.treebank.{module}"), name)
                return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
