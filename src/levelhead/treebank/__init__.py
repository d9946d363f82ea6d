"""Trees in memory: CoNLL-U to columns and back, validity, relation inventories and class schemes."""

from levelhead.treebank.build import build
from levelhead.treebank.checking import faults_of
from levelhead.treebank.input_bytes import Limits
from levelhead.treebank.parts import Comments, EmptyNodes, MultiwordTokens, Source, Word
from levelhead.treebank.reader import from_conllu, read
from levelhead.treebank.sentence import Sentence
from levelhead.treebank.strings import StringColumn, Strings
from levelhead.treebank.tree_shapes import Shapes, nonprojective_arcs, shapes_of
from levelhead.treebank.treebank import Treebank, check_trees
from levelhead.treebank.write import to_conllu, write

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
    "write",
]
