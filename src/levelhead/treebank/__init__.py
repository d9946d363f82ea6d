"""Trees in memory: CoNLL-U to columns and back, validity, relation inventories and class schemes."""

from levelhead.treebank.build import build
from levelhead.treebank.parts import Comments, EmptyNodes, MultiwordTokens, Source, Word
from levelhead.treebank.reader import faults_of, parse, read
from levelhead.treebank.sentence import Sentence
from levelhead.treebank.source import Limits
from levelhead.treebank.strings import Column, Strings
from levelhead.treebank.treebank import Treebank
from levelhead.treebank.write import to_conllu, write

__all__ = [
    "Column",
    "Comments",
    "EmptyNodes",
    "Limits",
    "MultiwordTokens",
    "Sentence",
    "Source",
    "Strings",
    "Treebank",
    "Word",
    "build",
    "faults_of",
    "parse",
    "read",
    "to_conllu",
    "write",
]
