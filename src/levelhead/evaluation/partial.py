"""Partial scores: every gold word counts, even if the text of the output differs or its trees are broken.

Such an output is invalid for the official scorers; partial scores are labeled as not official. Large files are read
twice: to decide how sentences are paired, and in pieces to count.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from levelhead.errors import Fault, InputError, MeasureError, Place, TextMismatch, UnreadableFile
from levelhead.evaluation.fold import PairStream, score_treebanks
from levelhead.evaluation.pair import Evaluation, Input, InputFile, load_gold, parse_as
from levelhead.evaluation.pieces import GoldFacts, Places, changed_file, open_pieces, paired_pieces, pieces_by_sentence
from levelhead.evaluation.score_data import PartialCoverage, total_coverage
from levelhead.evaluation.setup import Setup
from levelhead.scoring.form_alignment import SentencePairs, common_subsequence, sentence_ids
from levelhead.scoring.matches import spans_of
from levelhead.scoring.partial_matches import Flags, PartialMatches, ShiftedAnswers, match_partially
from levelhead.scoring.rules import Rules
from levelhead.treebank.faults import repair
from levelhead.treebank.input_bytes import OnlyWhole, in_two_threads, read_bytes, refuse_long_lines
from levelhead.treebank.pieces import Pieces
from levelhead.treebank.provenance import FileSummary, summary_of
from levelhead.treebank.reader import from_conllu, read_if_valid
from levelhead.treebank.scanner import ReaderSettings
from levelhead.treebank.treebank import Treebank
from levelhead.treebank.ud_reader import (
    LenientPieces,
    LenientTreebank,
    are_trees,
    as_they_are,
    of_treebank,
    read_leniently,
    sentence_blocks,
    valid_blocks,
)
from levelhead.treebank.warning_checks import Hashes

_NOTHING: Hashes = np.zeros(0, dtype=np.int64)

# Gold sentences, the system's sentences, and how they are paired (None if by their characters).
_Piece = tuple[Treebank, LenientTreebank, SentencePairs | None]


def coverage_of(partial: PartialMatches, shifted: ShiftedAnswers, unreadable: int = 0) -> PartialCoverage:
    """Return the share of gold that an output covers, of whose file so many lines could not be read."""
    fits_next, fits_previous = shifted.add(partial)
    matches = partial.matches
    return PartialCoverage(
        partial.by,
        answered=int(np.count_nonzero(partial.answered)),
        sentences=len(matches.gold),
        valid_trees=int(np.count_nonzero(partial.is_tree)),
        aligned=len(matches.alignment.gold),
        with_head=int(np.count_nonzero(partial.has_head[matches.alignment.system])),
        words=matches.gold.n_words,
        extra=partial.n_extra,
        unreadable=unreadable,
        forms_matched=int(np.count_nonzero(partial.equal_forms)),
        other_text=int(np.count_nonzero(partial.other_text)),
        fits_next=fits_next,
        fits_previous=fits_previous,
    )


def whole_partial_pair(gold: Input, system: Input | bytes, setup: Setup) -> PairStream:
    """Return a system's output, or its contents, aligned with gold even if texts differ or trees are broken."""
    reference = load_gold(gold, setup)
    rules = setup.rules
    conllx = setup.format == "conllx"
    if isinstance(system, Treebank):
        output = of_treebank(system, several_roots=_several_roots(setup))
    else:
        data, name = (system, None) if isinstance(system, bytes) else (read_bytes(system), os.fsdecode(system))
        treebank = None  # unless it passes the usual checks
        if rules.reading is None:
            treebank = read_if_valid(data, name, ReaderSettings(conllx, rules.several_roots))
        else:
            with suppress(InputError):
                treebank = parse_as(data, name, rules, setup.format)
        if treebank is None:
            output = of_treebank(read_leniently(data, name, conllx=conllx), several_roots=_several_roots(setup))
        else:
            output = of_treebank(treebank, np.full(len(treebank), treebank.has_trees))
    partial = match_partially(reference, output, rules)
    coverage = coverage_of(partial, ShiftedAnswers(), output.unreadable)
    return PairStream(
        (partial,), lambda piece: piece, lambda: (summary_of(reference), summary_of(output.treebank), coverage)
    )


def _several_roots(setup: Setup) -> bool:
    return setup.format == "conllx" or setup.rules.several_roots


@contextmanager
def partial_pair_in_pieces(
    gold: InputFile, system: InputFile, setup: Setup, size: int, facts: GoldFacts
) -> Iterator[PairStream]:
    """Yield two files in pieces, cut at the same characters or sentences; raise `OnlyWhole` if they cannot be cut."""
    of_gold, of_system = in_two_threads(
        lambda: _survey_gold(gold, setup, size, facts.summary), lambda: _survey_output(system, setup, size)
    )
    same_text = of_gold.text == of_system.text
    places = None if same_text else places_by_id(of_gold, of_system)
    if not (of_gold.summary.sentences and of_system.summary.sentences and (same_text or places is not None)):
        raise OnlyWhole
    facts.summary = of_gold.summary
    facts.find_punctuation(gold, setup, size)
    coverages, shifted = list[PartialCoverage](), ShiftedAnswers()

    def matched(piece: _Piece) -> PartialMatches:
        partial = match_partially(piece[0], piece[1], setup.rules, piece[2])
        coverages.append(coverage_of(partial, shifted))
        return partial._replace(matches=replace(partial.matches, punctuation=facts.punctuation))

    def summaries() -> tuple[FileSummary, FileSummary, PartialCoverage]:
        sides = ((reference, of_gold), (output, of_system))
        if changed := [pieces.name for pieces, first in sides if pieces.sha256 != first.summary.sha256]:
            raise changed_file(*changed)
        n_extra = 0 if places is None else int(np.count_nonzero(places < 0))
        coverage = total_coverage(coverages)._replace(extra=n_extra, unreadable=of_system.unreadable)
        return of_gold.summary, of_system.summary, coverage

    try:
        with (
            open_pieces(gold, setup, of_gold=True, known=of_gold.summary) as reference,
            _open_output(system, setup, of_system) as output,
        ):
            yield PairStream(_pairs(reference, output, of_system.is_tree, places, setup, size), matched, summaries)
    except MeasureError as error:
        raise OnlyWhole from error


def _pairs(
    gold: Pieces, system: Pieces, is_tree: Flags, places: Places | None, setup: Setup, size: int
) -> Iterator[_Piece]:
    """Yield the pieces of both files, cut at the same characters or, if places are known, at the same sentences."""
    try:
        if places is None:
            before = 0
            for pair in paired_pieces(gold, system, setup.rules, size):
                end = before + len(pair.system)
                yield pair.gold, of_treebank(pair.system, is_tree[before:end]), None
                before = end
            return
        for reference, output, pairs, before in pieces_by_sentence(gold, system, places, size):
            rows = np.flatnonzero(pairs.system >= 0)
            gold_ids, system_ids = sentence_ids(reference), sentence_ids(output)
            if any(gold_ids[row] != system_ids[n] for row, n in zip(rows.tolist(), pairs.system[rows].tolist())):
                raise OnlyWhole  # two ids have the same hash
            yield reference, of_treebank(output, is_tree[before : before + len(output)]), pairs
    except UnreadableFile:
        raise
    except InputError as error:  # the file has changed, since its first reading found no error
        raise changed_file(gold.name, system.name) from error


class _FirstReading(NamedTuple):
    """The results of the first reading of a file."""

    summary: FileSummary  # its sizes and warnings
    text: bytes  # a hash of all its characters
    ids: Hashes | None  # the hash of the sent_id of each sentence; None if a sentence has no sent_id
    texts: Hashes  # the hash of the characters of each sentence; empty for gold
    is_tree: Flags  # whether each sentence is valid, bool, shape (sentences,); empty for gold
    marks: bytes | None = None  # for an invalid output, the marks of `LenientPieces`; None for a valid file
    unreadable: int = 0  # the number of lines that could not be read


def _survey_gold(gold: InputFile, setup: Setup, size: int, known: FileSummary | None) -> _FirstReading:
    with open_pieces(gold, setup, of_gold=True, known=known) as pieces:
        return _survey(pieces, pieces.each(size), setup, of_gold=True)


def _survey_output(system: InputFile, setup: Setup, size: int) -> _FirstReading:
    """Read a system's output once; if it is invalid, read it again row by row."""
    with open_pieces(system, setup, of_gold=False) as pieces:
        survey = _survey(pieces, pieces.until_failure(size), setup)
    if not pieces.failed:
        return survey
    with _open_rows(system, setup, None) as rows:
        survey = _survey(rows, rows.each(size), setup)
    is_tree = survey.is_tree & as_they_are(rows.marks)
    return survey._replace(is_tree=is_tree, marks=bytes(rows.marks), unreadable=rows.unreadable)


@contextmanager
def _open_rows(system: InputFile, setup: Setup, marks: bytes | None) -> Iterator[LenientPieces]:
    """Yield a file for reading row by row, see `LenientPieces`, and close it."""
    with system.parts() as parts:
        yield LenientPieces(parts, system.name, conllx=setup.format == "conllx", known=marks)


def _open_output(system: InputFile, setup: Setup, first: _FirstReading) -> AbstractContextManager[Pieces]:
    """Return a system's output for reading in pieces: as a valid file, or row by row if it is known to be invalid."""
    if first.marks is None:
        return open_pieces(system, setup, of_gold=False, known=first.summary)
    return _open_rows(system, setup, first.marks)


def _survey(pieces: Pieces, treebanks: Iterable[Treebank], setup: Setup, *, of_gold: bool = False) -> _FirstReading:
    text = hashlib.sha256()
    ids: list[Hashes] | None = [_NOTHING]
    texts, trees = [_NOTHING], [np.zeros(0, dtype=bool)]
    for piece in treebanks:
        spans = spans_of(piece, unicode_spaces=setup.rules.unicode_spaces)
        text.update(spans.text.tobytes())
        names = [] if ids is None else [name for name in sentence_ids(piece) if name is not None]
        ids = [*ids, hashes_of(names)] if ids is not None and len(names) == len(piece) else None
        if of_gold:
            continue
        texts.append(hashes_of(spans.sentence_texts()))
        if isinstance(pieces, LenientPieces):
            trees.append(are_trees(piece, several_roots=_several_roots(setup)))
        else:
            trees.append(np.full(len(piece), piece.has_trees))
    every_id = None if ids is None else np.concatenate(ids)
    return _FirstReading(pieces.contents(), text.digest(), every_id, np.concatenate(texts), np.concatenate(trees))


def places_by_id(gold: _FirstReading, system: _FirstReading) -> Places | None:
    """Return the gold sentence of each system sentence by their ids; None if ids are ambiguous or in another order."""
    if gold.ids is None or system.ids is None:
        return None
    order = np.argsort(gold.ids, kind="stable")
    known = gold.ids[order]
    at = np.searchsorted(known, system.ids).clip(max=len(known) - 1)
    if (known[1:] == known[:-1]).any() or (known[at] != system.ids).any():
        return None
    _, first, answer = np.unique(at, return_index=True, return_inverse=True)
    if (system.texts[first[answer]] != system.texts).any():
        return None
    first.sort()
    places = np.full(len(at), -1, dtype=np.int64)
    places[first] = order[at[first]]
    return places if (np.diff(places[first]) > 0).all() else None


def hashes_of(names: list[bytes]) -> Hashes:
    """Return 64-bit hashes, which are others in every process."""
    return np.fromiter(map(hash, names), dtype=np.int64, count=len(names))


class Coverage(NamedTuple):
    """The numbers of sentences behind the scores of valid sentences."""

    scored: int  # the number of sentences with the same text on both sides
    gold: int  # the number of gold sentences
    system: int  # the number of the system's sentences, including invalid sentences
    invalid: int  # the number of the system's sentences that are not valid CoNLL-U


def score_valid_sentences(
    gold: Treebank, system: Treebank, n_invalid: int, setup: Setup
) -> tuple[Evaluation, Coverage]:
    """Score a system's valid sentences that have the text of a gold sentence, in order."""
    pairs = common_subsequence(_texts(gold, setup.rules), _texts(system, setup.rules))
    if not pairs:
        place = Place(system.source.path)
        raise TextMismatch(Fault("text-mismatch", "no sentence has the same text as a gold sentence", place))
    of_gold, of_system = (list(side) for side in zip(*pairs))
    evaluation = score_treebanks(gold.select(of_gold), system.select(of_system), setup)
    return evaluation, Coverage(len(pairs), len(gold), len(system) + n_invalid, n_invalid)


def valid_sentences(data: bytes, name: str | None = None) -> tuple[Treebank, int]:
    refuse_long_lines(data, name)
    blocks = sentence_blocks(repair(data).data)
    good = [block for block, valid in zip(blocks, valid_blocks(blocks, ReaderSettings())) if valid]
    if not good:
        from_conllu(data, name=name)  # raises with all errors
    treebank = from_conllu(b"".join(good), name=name)
    source = replace(treebank.source, sha256=hashlib.sha256(data).hexdigest())
    return replace(treebank, source=source), len(blocks) - len(good)


def _texts(treebank: Treebank, rules: Rules) -> list[bytes]:
    return spans_of(treebank, unicode_spaces=rules.unicode_spaces).sentence_texts()
