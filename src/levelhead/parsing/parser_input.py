"""What parsers learn from and parse: words, relations, and limits on the length of sentences, with warnings."""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np

from levelhead.errors import ConlluError, Fault, InputError, Place, number_of, quoted
from levelhead.parsing.model import BASELINES, ENSEMBLE, GRAPH_PARSERS, PARSERS, AnyModel, Model
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.reader import from_conllu, read_contents
from levelhead.treebank.scanner import ReaderSettings
from levelhead.treebank.strings import UNDERSCORE
from levelhead.treebank.tokens import place_of
from levelhead.treebank.treebank import Treebank

_TREE_FAULTS = {"invalid-head", "head-outside-sentence", "no-root", "several-roots", "cycle", "empty-relation"}


def read_words(path: str | os.PathLike[str]) -> Treebank:
    """Return the words of a CoNLL-U file; its heads and relations can be anything, such as `_`."""
    data, name = read_bytes(path), os.fsdecode(path)
    try:
        treebank = from_conllu(data, name=name)
    except ConlluError as error:
        if not any(fault.slug in _TREE_FAULTS for fault in error.faults):
            raise
        treebank = read_contents(data, name, ReaderSettings(ignores_trees=True))
    return treebank if treebank.has_trees else with_flat_trees(treebank)


def with_flat_trees(treebank: Treebank) -> Treebank:
    first = treebank.sentence_starts[treebank.sentence_of_word]
    is_root = np.arange(treebank.n_words) == first
    return treebank.replace(
        heads=np.where(is_root, -1, first).tolist(),
        relations=np.where(is_root, "root", "dep").tolist(),
        deps=["_"] * treebank.n_words,
    )


_REPLACEMENT = "\ufffd"  # stands for bytes that are not UTF-8


def is_relation(text: object) -> bool:
    """Return whether an object is one or more visible characters without white space; readers accept more."""
    return isinstance(text, str) and text != "" and text.isprintable() and not {" ", _REPLACEMENT} & set(text)


def check_relations(treebank: Treebank, names: Iterable[str]) -> None:
    names = list(names)
    for name in dict.fromkeys(names):
        if not is_relation(name):
            message = f"the relation {quoted(name)} is empty, or has white space or invisible characters"
            raise InputError(Fault("invalid-relation", message, place_of(treebank, names.index(name))))


_BY_PIECES = (*GRAPH_PARSERS, ENSEMBLE)
_LEARNERS = (*PARSERS, ENSEMBLE)

# words: graph-based parsers and ensembles do not learn from longer sentences, and parse them in pieces of this length
LONGEST_WHOLE = 500

# words: graph-based parsers parse even longer sentences in short pieces, since the time per word grows with the length
# of the piece: 100,000 words take seconds instead of a minute
LONGEST_IN_LONG_PIECES = 2000

SHORT_PIECE = 50  # words: the length of short pieces
# words: transition systems parse longer sentences greedily, since a wide beam would take minutes and much memory
LONGEST_SEARCHED = 5000

# Words times beam width: beyond this, sentences are parsed greedily. Otherwise the beam width in a model file could
# make parsing take any amount of memory.
MOST_SEARCHED = 200_000

# Words: transition systems do not learn from longer sentences, but parse them whole. A tree can need as many swaps as
# it has pairs of words, and after a mistake, training searches the whole stack for arcs that can still be built.
LONGEST_LEARNED = 2000


def _long_sentences(treebank: Treebank, longest: int, effect: str) -> tuple[Fault, ...]:
    """A warning about sentences longer than a number of words, if there are any; `{}` is the length of their pieces."""
    rows = np.flatnonzero(np.diff(treebank.sentence_starts) > longest)
    if not len(rows):
        return ()
    start, end = treebank.sentence_starts[int(rows[0]) : int(rows[0]) + 2].tolist()
    message = f"the sentence has {end - start} words{effect.format(piece_length(end - start))}"
    return (Fault("long-sentence", message, place_of(treebank, start), "warning", len(rows)),)


def long_parsing_warnings(treebank: Treebank, parser: str, beam: int) -> tuple[Fault, ...]:
    """Return a warning about sentences that are too long for the usual search of a parser, if there are any."""
    by_pieces = parser in _BY_PIECES
    if parser not in _LEARNERS or not (by_pieces or beam > 1):
        return ()
    longest = LONGEST_WHOLE if by_pieces else longest_with_beam(beam)
    how = "in pieces of {}" if by_pieces else "greedily, without its beam"
    return _long_sentences(treebank, longest, f", more than {longest}; {parser} parses it {how}")


def longest_with_beam(beam: int) -> int:
    return min(LONGEST_SEARCHED, MOST_SEARCHED // beam)


def piece_length(size: int) -> int:
    """Return the length of the pieces in which graph-based parsers and ensembles parse a sentence of this length."""
    return LONGEST_WHOLE if size <= LONGEST_IN_LONG_PIECES else SHORT_PIECE


def learnable(treebank: Treebank, parser: str) -> Treebank:
    long = np.diff(treebank.sentence_starts) > _longest(parser)
    if not long.any():
        return treebank
    if long.all():
        message = f"all sentences have more than {_longest(parser)} words: split them"
        raise InputError(Fault("nothing-to-train-on", message, Place(treebank.source.path)))
    return treebank.select(~long)


def _longest(parser: str) -> int:
    return LONGEST_WHOLE if parser in _BY_PIECES else LONGEST_LEARNED


# the parsers that learn from UPOS; nothing is known about the program of `command`
_USES_TAGS = (*PARSERS, ENSEMBLE, *BASELINES, "udpipe", "malt")


def training_warnings(treebank: Treebank, parser: str) -> tuple[Fault, ...]:
    """Return warnings about training words without UPOS, and about sentences that are too long to learn from."""
    untagged = _untagged(treebank, "parsers learn mostly from tags") if parser in _USES_TAGS else ()
    longest = _longest(parser)
    if parser not in _LEARNERS:
        return untagged
    return untagged + _long_sentences(treebank, longest, f"; {parser} does not learn from more than {longest}")


def parsing_warnings(treebank: Treebank, model: AnyModel) -> tuple[Fault, ...]:
    """Return warnings about words without UPOS if a model learned from tags, and about long sentences."""
    n_untagged = model.training.get("untagged")
    learned_tags = model.parser in _USES_TAGS and not (n_untagged and n_untagged == model.training.get("words"))
    untagged = _untagged(treebank, f"{model.parser} learned from tags") if learned_tags else ()
    return untagged + long_parsing_warnings(treebank, model.parser, model.beam if isinstance(model, Model) else 1)


def _untagged(treebank: Treebank, reason: str) -> tuple[Fault, ...]:
    words = np.flatnonzero(treebank.upos.codes == UNDERSCORE)
    if not len(words):
        return ()
    have = "has" if len(words) == 1 else "have"
    message = f"{len(words)} of {number_of(treebank.n_words, 'word')} {have} no UPOS tag, but {reason}"
    return (Fault("missing-tags", message, place_of(treebank, int(words[0])), "warning"),)
