"""The aligned words and the sentences of systems on one or several treebanks, as tables, found piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign import Plan, Results
from levelhead.campaign.outputs import VisitEach
from levelhead.comparison.systems import measures_part, score_outputs, sources_of_results
from levelhead.evaluation.fold import CountedPiece
from levelhead.evaluation.pieces import changed_file
from levelhead.evaluation.provenance import comparison_provenance
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.scoring.counts import count_words
from levelhead.scoring.form_alignment import sentence_ids
from levelhead.scoring.matches import Matches
from levelhead.scoring.measure import NOTHING
from levelhead.scoring.word_columns import AGREEMENT, NUMBERS, OF_TREES, TEXTS, texts_of
from levelhead.tables.data import TREEBANK_COLUMN, DataColumn, DataTable, Layout, columns_in
from levelhead.tables.frames import ColumnRows, Numbers, Piece, Texts, constant, none_of, numbered_texts
from levelhead.tables.table import Table, first_rows
from levelhead.tabular import Tabular
from levelhead.treebank import StringColumn, Treebank
from levelhead.treebank.documents import Documents
from levelhead.treebank.provenance import FileSummary, Provenance
from levelhead.treebank.relations import Scheme


def _text(name: str, about: str) -> DataColumn:
    return DataColumn(name, "text", about, optional=True)


def _number(name: str, about: str, *, optional: bool = True) -> DataColumn:
    return DataColumn(name, "integer", about, optional=optional, limits=(0,))


_ABOUT_SENTENCE = (
    "The number of the gold sentence; for an unaligned system word, of the sentence with its first character"
)
_PLACE = (
    TREEBANK_COLUMN,
    _text(
        "document",
        'The id of the document, or "#" and its number if it has none; null before the first mark (# newdoc)',
    ),
    _number("sentence", _ABOUT_SENTENCE, optional=False),
    _text("sent_id", "The id of the sentence"),
)
_SYSTEM = DataColumn("system", "text", "The system, with the run if there are several")
_IN_TREES = "Whether the heads are aligned or both words are roots, as in UAS; null without trees"
_SAME_RELATION = "Whether the universal relations are equal; for LAS, the head must be correct, too"

WORDS: Layout = (
    *_PLACE,
    _number("word", "The ID of the word; null, like all columns up to class, for a system word that is not aligned"),
    _text("form", 'The form; texts are as written, "_" if empty'),
    _text("lemma", "The lemma"),
    _text("upos", "The universal part of speech"),
    _text("xpos", "The language-specific part of speech"),
    _text("feats", "The features"),
    _text("deprel", "The relation with its subtype"),
    _text("relation", "The universal relation"),
    _number("head", "The ID of the head, 0 for roots; null without trees"),
    _text("head_form", "The form of the head; null for roots"),
    _text("head_upos", "The UPOS of the head; null for roots"),
    _number("distance", "The distance to the head in words; null for roots"),
    _number("depth", "The number of arcs from the word to the root"),
    _text("class", "Class of the gold relation in the default scheme"),
    _SYSTEM,
    _number("system_word", "The ID of the system's word in its own sentence; null if the gold word is not aligned"),
    _number("system_head", "The ID of the head of the system's word, 0 for roots"),
    _text("system_deprel", "Its relation with the subtype"),
    _text("system_upos", "Its UPOS"),
    _text("system_feats", "Its features"),
    _text("system_lemma", "Its lemma"),
    DataColumn("head_correct", "boolean", _IN_TREES, optional=True),
    DataColumn("deprel_correct", "boolean", _SAME_RELATION, optional=True),
    DataColumn("upos_correct", "boolean", "Whether UPOS is correct"),
    DataColumn("feats_correct", "boolean", "Whether the features that UFeats compares are equal"),
    DataColumn(
        "lemma_correct", "boolean", 'Whether the lemmas are equal, as in the measure Lemmas, or the gold lemma is "_"'
    ),
)

_ABOUT_CORRECT = "Correct items of the measure in the sentence, or the sum of their weights; null without a value"
_COUNTED = (
    DataColumn("{measure}_correct", "number", _ABOUT_CORRECT, optional=True),
    DataColumn("{measure}_gold", "number", "Items in gold", optional=True),
    DataColumn("{measure}_predicted", "number", "Items in the system's output", optional=True),
)
_SENTENCE = (
    *_PLACE,
    _SYSTEM,
    _number("length", "The number of words in gold", optional=False),
    _number("words_predicted", "The number of words of the system that start in the sentence", optional=False),
    _number("words_aligned", "The number of aligned words", optional=False),
)
SENTENCES: Layout = (*_SENTENCE, *_COUNTED)


class _Rows:
    """The rows of one output, which a visitor finds."""

    def start(self) -> None:
        self._documents = Documents()
        self._n_sentences = 0
        self._pieces = list[Piece]()

    def result(self, _: FileSummary, __: FileSummary) -> Sequence[Piece]:
        return self._pieces

    def _places(self, gold: Treebank) -> tuple[Texts, Numbers, Texts]:
        """The document, number and id of each sentence of the next piece."""
        documents = self._documents.add(gold)
        if self._documents.starts_unmarked:
            documents = np.where(documents == 0, -1, documents)
        numbers = np.arange(self._n_sentences + 1, self._n_sentences + len(gold) + 1)
        self._n_sentences += len(gold)
        ids = (None if data is None else data.decode() for data in sentence_ids(gold))
        codes, texts = numbered_texts(ids)
        return (
            Texts(documents.astype(np.int32), self._documents.ids),
            Numbers(numbers),
            Texts(np.array(codes, dtype=np.int32), texts),
        )


class WordRows(_Rows):
    """The visitor that finds the rows of words of one output; it keeps them, or passes them on."""

    def __init__(self, code: str, name: str, scheme: Scheme, each: Callable[[DataTable], object] | None) -> None:
        self._code, self._name, self._scheme, self._each = code, name, scheme, each
        self._n_passed = 0  # sentences whose rows were passed on

    def add(self, piece: CountedPiece) -> None:
        matches = piece.matches
        assert isinstance(matches, Matches)
        before = self._n_sentences
        places = self._places(matches.gold)
        sentences, columns = _columns_of_words(matches, places, self._scheme)
        rows = slice(int(np.searchsorted(sentences, self._n_passed - before)), None)
        n_rows = len(sentences)
        columns |= {"treebank": constant(self._code, n_rows), "system": constant(self._name, n_rows)}
        table = tuple(columns[column.name].part(rows) for column in _WORD_COLUMNS)
        if self._each is None:
            self._pieces.append(table)
        else:
            self._each(words_table([table]))
            self._n_passed = max(self._n_passed, self._n_sentences)


_WORD_COLUMNS = columns_in(WORDS)


def words_table(pieces: Iterable[Piece]) -> DataTable:
    """Return the table of rows of words."""
    return DataTable(_WORD_COLUMNS, ColumnRows(pieces))


def _columns_of_words(
    matches: Matches, places: tuple[Texts, Numbers, Texts], scheme: Scheme
) -> tuple[NDArray[Any], dict[str, Texts | Numbers]]:
    """Return the sentence of each row in this piece, from 0, and the columns, except the treebank and the system."""
    gold, system = matches.gold, matches.system
    alone = np.flatnonzero(matches.gold_of_system < 0)
    of_gold = np.concatenate([np.arange(gold.n_words), np.full(len(alone), -1)])
    in_system = np.full(gold.n_words, -1)
    in_system[matches.alignment.gold] = matches.alignment.system
    of_system = np.concatenate([in_system, alone])
    sentences = np.concatenate([gold.sentence_of_word, matches.row_of_system[alone]])
    if len(alone):  # after the gold words of their sentence
        order = np.argsort(sentences, kind="stable")
        of_gold, of_system, sentences = of_gold[order], of_system[order], sentences[order]
    document, number, sent_id = places
    columns: dict[str, Texts | Numbers] = {
        "document": Texts(document.codes[sentences], document.texts),
        "sentence": Numbers(number.array[sentences]),
        "sent_id": Texts(sent_id.codes[sentences], sent_id.texts),
    }
    columns |= {name: _numbers(gold, name, of_gold) for name in NUMBERS}
    columns |= {name: _texts(texts_of(gold, name, scheme), of_gold) for name in TEXTS}
    heads = (
        np.where(of_gold >= 0, np.append(gold.heads, -1)[of_gold], -1) if gold.has_trees else np.full_like(of_gold, -1)
    )
    columns |= {f"head_{name}": _texts(texts_of(gold, name, scheme), heads) for name in ("form", "upos")}
    columns |= {f"system_{name}": _numbers(system, name, of_system) for name in ("word", "head")}
    named = ("deprel", "upos", "feats", "lemma")
    columns |= {f"system_{name}": _texts(texts_of(system, name, scheme), of_system) for name in named}
    with_trees = gold.has_trees and system.has_trees
    for name, needs in AGREEMENT.items():
        correct = np.zeros(gold.n_words + 1, dtype=bool)
        correct[matches.alignment.gold] = matches.agree(needs)
        unknown = name in OF_TREES and not with_trees
        columns[name] = Numbers(correct[of_gold], np.ones(len(of_gold), dtype=bool) if unknown else None)
    return sentences, columns


def _numbers(side: Treebank, name: str, rows: NDArray[Any]) -> Numbers:
    values = np.append(NUMBERS[name](side), -1)[rows]
    return Numbers(values, values < (1 if name == "distance" else 0))


def _texts(column: StringColumn, rows: NDArray[Any]) -> Texts:
    return Texts(np.append(column.codes, np.int32(-1))[rows], column.strings.texts)


class SentenceRows(_Rows):
    """The visitor that finds the rows of the sentences of one output."""

    def __init__(self, code: str, name: str, measures: Sequence[str]) -> None:
        self._code, self._name, self._measures = code, name, measures

    def add(self, piece: CountedPiece) -> None:
        matches = piece.matches
        assert isinstance(matches, Matches)
        n = len(matches.gold)
        document, number, sent_id = self._places(matches.gold)
        words = count_words(matches, NOTHING, by_sentence=True)
        columns: list[Texts | Numbers] = [constant(self._code, n), document, number, sent_id, constant(self._name, n)]
        columns += [Numbers(values) for values in (words.gold, words.system, words.correct)]
        counted = piece.sentences
        for name in self._measures:
            of = counted[name][0] if name in counted else None
            columns += [none_of(n)] * 3 if of is None else map(Numbers, (of.correct, of.gold, of.system))
        self._pieces.append(tuple(columns))


def sentences_table(pieces: Iterable[Piece], measures: Sequence[str]) -> DataTable:
    """Return the table of rows of sentences; counts are integers unless a measure has weights."""
    rows = ColumnRows(pieces)
    columns = list(_SENTENCE)
    for measure in measures:
        for column in _COUNTED:
            arrays = [piece[len(columns)] for piece in rows.pieces]
            whole = all(isinstance(one, Numbers) and np.issubdtype(one.array.dtype, np.integer) for one in arrays)
            name = column.name.replace("{measure}", measure)
            columns.append(column._replace(name=name, type="integer" if whole else "number"))
    return DataTable(tuple(columns), rows)


def without_counts(piece: Piece, measures: Sequence[str], valueless: Iterable[str]) -> Piece:
    """Return rows of sentences without the counts of measures that have no value."""
    columns, n_rows = list(piece), len(piece[0][0])
    for name in valueless:
        first = len(piece) - len(_COUNTED) * (len(measures) - measures.index(name))
        columns[first : first + len(_COUNTED)] = [none_of(n_rows)] * len(_COUNTED)
    return tuple(columns)


Receive = Callable[[DataTable], object]


@immutable
class AlignedWords(Tabular):
    """A table of the words of gold and of each system, aligned.

    Args:
        words: the table of words.
        provenance: the settings and files behind the table.
    """

    KIND: ClassVar[str] = "words"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {"words": WORDS}

    words: DataTable
    provenance: Provenance

    def table(self) -> Table:
        """Return the first rows, for printing."""
        return first_rows(self.words).signed(self.provenance)


@immutable
class CountedSentences(Tabular):
    """A table of the counts of each measure by system and gold sentence.

    Args:
        sentences: the table of sentences.
        provenance: the settings and files behind the table.
    """

    KIND: ClassVar[str] = "sentences"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {"sentences": SENTENCES}

    sentences: DataTable
    provenance: Provenance

    def table(self) -> Table:
        """Return the first rows, for printing."""
        return first_rows(self.sentences).signed(self.provenance)


def words_of_outputs(plan: Plan, setup: Setup, each: Receive | None = None, **how: Any) -> AlignedWords:
    """Return the aligned words of all outputs; with `each`, pass them on instead."""
    schemes = setup.registry.schemes
    scheme = schemes.by_name[schemes.default]
    workers = how.get("workers")
    at_once = each if workers is None or workers.here else None  # other processes send their rows back
    start = partial(WordRows, scheme=scheme, each=at_once)
    look = VisitEach(start if at_once is None else _Once(start))
    results = score_outputs(plan, setup, look=look, **how)
    pieces = [piece for code, label in _outputs(results) for piece in results.looked[code][label]]
    if each is not None and at_once is None:
        for piece in pieces:
            each(words_table([piece]))
    provenance = _provenance(results, setup, {"scheme": scheme.signature})
    return AlignedWords(words_table(() if each else pieces), provenance)


class _Once:
    """Starts the visitor of each output once: an output that changes is scored again, but its rows were passed on."""

    def __init__(self, start: Callable[[str, str], WordRows]) -> None:
        self._start, self._started = start, set[tuple[str, str]]()

    def __call__(self, code: str, name: str) -> WordRows:
        if (code, name) in self._started:
            raise changed_file(f"{code} of {name}")
        self._started.add((code, name))
        return self._start(code, name)


def sentences_of_outputs(plan: Plan, setup: Setup, **how: Any) -> CountedSentences:
    """Return the counts of every measure in every sentence of all outputs."""
    results = score_outputs(plan, setup, look=VisitEach(partial(SentenceRows, measures=setup.names)), **how)
    pieces, notes = [], dict[str, None]()
    for code, label in _outputs(results):
        reasons = {name: score.reason for name, score in results.results[label, code].scores.items() if score.reason}
        notes |= dict.fromkeys(f"{code}: no {name} for {label}: {reason}" for name, reason in reasons.items())
        pieces += [without_counts(piece, results.measures, reasons) for piece in results.looked[code][label]]
    provenance = _provenance(results, setup, {})
    noted = replace(provenance, notes=(*provenance.notes, *notes))
    return CountedSentences(sentences_table(pieces, results.measures), noted)


def _outputs(results: Results) -> product[tuple[str, str]]:
    return product((test_set.code for test_set in results.test_sets), results.systems)


def _provenance(results: Results, setup: Setup, parts: Mapping[str, str]) -> Provenance:
    return comparison_provenance(sources_of_results(results), setup, {**measures_part(results), **parts})
