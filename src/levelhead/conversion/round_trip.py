"""Round trips: the changes of a conversion, and the heads that it does not restore."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from levelhead._version import VERSION
from levelhead.conversion.convert import (
    Targets,
    Variant,
    backward,
    default_targets,
    forward,
    raised,
    ud_version,
    words_of,
)
from levelhead.immutable import immutable
from levelhead.tables.documents import header, path_text, points, signature_line
from levelhead.tables.table import Cell, Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank, nonprojective_arcs
from levelhead.treebank.provenance import TREEBANK, Provenance, short_hash
from levelhead.typology.vocabulary import head_entropy_of


class NotRestored(NamedTuple):
    """A word with a different head after the round trip; sentences and words count from 1, head 0 is the root.

    Args:
        sentence: the number of its sentence in the file.
        line: the line of the sentence's first word; None if the treebank was created in Python.
        sent_id: the sentence's sent_id, or None.
        word: its number in the sentence.
        form: its form.
        head: its head before.
        restored: its head after.
    """

    sentence: int
    line: int | None
    sent_id: str | None
    word: int
    form: str
    head: int
    restored: int


@immutable
class RoundTrip(Tabular):
    """The changes of forward conversion in a treebank, and the heads that backward conversion does not restore.

    Args:
        ud: the version of UD that was assumed.
        variant: the interpretation of the algorithm.
        targets: the name of the targets.
        targets_sha256: a hash of the targets.
        exact: whether heads were recorded in MISC.
        sha256: the hash of the treebank's file; None if it was created in Python.
        sentences: the number of sentences.
        words: the number of words.
        punctuation: the number of words with the relation punct.
        candidates: the number of words that are targets.
        converted: the number of targets that swapped places with their heads.
        changed_heads: the number of words with a different head in the function-head tree; usually two per conversion.
        nonprojective: non-projective arcs, before and after forward conversion.
        nonprojective_sentences: sentences with at least one such arc, before and after.
        head_entropy: the head-word entropy before and after (`typology.head_entropy`), in bits; None if no word is
            frequent enough.
        not_restored: the words with a different head after the round trip.
    """

    ud: int
    variant: Variant
    targets: str
    targets_sha256: str
    exact: bool
    sha256: str | None
    sentences: int
    words: int
    punctuation: int
    candidates: int
    converted: int
    changed_heads: int
    nonprojective: tuple[int, int]
    nonprojective_sentences: tuple[int, int]
    head_entropy: tuple[float | None, float | None]
    not_restored: tuple[NotRestored, ...]

    @property
    def provenance(self) -> Provenance:
        """The provenance of the numbers."""
        file = short_hash(self.sha256)
        signature = {
            "ud": str(self.ud),
            "variant": self.variant,
            "targets": self.targets,
            "targets-hash": self.targets_sha256[:12],
            "exact": "yes" if self.exact else "no",
            "treebank": file,
            "version": VERSION,
        }
        return Provenance(signature, {TREEBANK: {"gold": file}})

    @property
    def failed_sentences(self) -> tuple[int, ...]:
        """The numbers of the sentences that are not restored, from 1."""
        return tuple(dict.fromkeys(word.sentence for word in self.not_restored))

    def table(self, *, failures: bool = False) -> Table:
        """Return the result as a table or, with `failures`, the words that were not restored."""
        return (not_restored_table if failures else round_trips_table)({TREEBANK: self})

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return round_trip_document(self)


def check_round_trip(
    treebank: Treebank,
    *,
    targets: Targets | None = None,
    variant: Variant = "paper",
    ud: int | None = None,
    exact: bool = False,
) -> RoundTrip:
    """Return the result of converting a treebank forward and back.

    Args:
        treebank: content-head trees, as in UD.
        targets: as in `forward`.
        variant: the interpretation of the algorithm.
        ud: the version of UD.
        exact: whether to record heads in MISC and restore them.

    Raises:
        InputError: with `exact`, the treebank already has recorded heads.
    """
    chosen, version = targets or default_targets(), ud or ud_version(treebank) or 2
    words = words_of(treebank, chosen, variant, version)
    heads, moved = raised(treebank.heads, words)
    converted = forward(treebank, targets=chosen, variant=variant, ud=version, exact=exact)
    back = backward(converted, targets=chosen, variant=variant, ud=version, exact=exact)
    before, after = nonprojective_arcs(treebank), nonprojective_arcs(converted)
    sentences = treebank.sentence_of_word
    lines = treebank.source.lines
    local = treebank.local_heads()
    restored = back.local_heads()
    not_restored = []
    for word in np.flatnonzero(local != restored).tolist():
        sentence = int(sentences[word])
        line = int(lines[sentence]) if len(lines) else None
        number = word - int(treebank.sentence_starts[sentence]) + 1
        place = (sentence + 1, line, treebank[sentence].id, number, treebank.forms[word])
        not_restored.append(NotRestored(*place, int(local[word]), int(restored[word])))
    return RoundTrip(
        ud=version,
        variant=variant,
        targets=chosen.name,
        targets_sha256=chosen.sha256,
        exact=exact,
        sha256=treebank.source.sha256,
        sentences=len(treebank),
        words=treebank.n_words,
        punctuation=int(chosen.labeled(treebank, frozenset({"punct"})).sum()),
        candidates=int(words.targets.sum()),
        converted=int(moved.sum()),
        changed_heads=int((heads != treebank.heads).sum()),
        nonprojective=(int(before.sum()), int(after.sum())),
        nonprojective_sentences=(len(np.unique(sentences[before])), len(np.unique(sentences[after]))),
        head_entropy=(head_entropy_of(treebank).bits, head_entropy_of(converted).bits),
        not_restored=tuple(not_restored),
    )


_RATIOS: Mapping[str, Callable[[RoundTrip], float | None]] = {
    "converted_share": lambda trip: _share(trip.converted, trip.words),
    "changed_heads_share": lambda trip: _share(trip.changed_heads, trip.words),
    "not_restored_share": lambda trip: _share(len(trip.not_restored), trip.words),
    "failed_sentences_share": lambda trip: _share(len(trip.failed_sentences), trip.sentences),
    "nonprojective_share_before": lambda trip: _share(trip.nonprojective[0], trip.words),
    "nonprojective_share_after": lambda trip: _share(trip.nonprojective[1], trip.words),
    "nonprojective_sentences_share_before": lambda trip: _share(trip.nonprojective_sentences[0], trip.sentences),
    "nonprojective_sentences_share_after": lambda trip: _share(trip.nonprojective_sentences[1], trip.sentences),
}


_COLUMNS: Mapping[Column, Callable[[RoundTrip], Cell]] = {
    Column("UD", "number"): lambda trip: trip.ud,
    Column("Sentences", "number"): lambda trip: trip.sentences,
    Column("Words", "number"): lambda trip: trip.words,
    Column("Converted", "number"): lambda trip: trip.converted,
    Column("Converted %"): _RATIOS["converted_share"],
    Column("Failed sentences", "number"): lambda trip: len(trip.failed_sentences),
    Column("Lost heads", "number"): lambda trip: len(trip.not_restored),
    Column("Lost heads %"): _RATIOS["not_restored_share"],
    Column("Nonproj. arcs %"): _RATIOS["nonprojective_share_before"],
    Column("Nonproj. arcs after %"): _RATIOS["nonprojective_share_after"],
    Column("Nonproj. sent. %"): _RATIOS["nonprojective_sentences_share_before"],
    Column("Nonproj. sent. after %"): _RATIOS["nonprojective_sentences_share_after"],
    Column("Head entropy", "number"): lambda trip: trip.head_entropy[0],
    Column("Head entropy after", "number"): lambda trip: trip.head_entropy[1],
}


def round_trips_table(trips: Mapping[str, RoundTrip]) -> Table:
    """Return round trips, one row per treebank; below several treebanks, the averages of their shares."""
    columns = {column: [of(trip) for trip in trips.values()] for column, of in _COLUMNS.items()}
    means = (_mean(values) if column.kind == "ratio" else None for column, values in columns.items())
    summary: tuple[tuple[Cell, ...], ...] = ((f"Average of {len(trips)}", *means),) if len(trips) > 1 else ()
    rows = tuple(zip(trips, *columns.values()))
    return Table((Column("Treebank", "text"), *columns), rows, _signature(trips), summary=summary)


def not_restored_table(trips: Mapping[str, RoundTrip]) -> Table:
    headings = ("Treebank", "Line", "Sentence", "sent_id", "Word", "Form", "Head", "Restored")
    columns = tuple(Column(name, "text" if name in {"Treebank", "sent_id", "Form"} else "number") for name in headings)
    rows = (
        (name, w.line, w.sentence, w.sent_id, w.word, w.form, w.head, w.restored)
        for name, trip in trips.items()
        for w in trip.not_restored
    )
    return Table(columns, tuple(rows), _signature(trips))


def round_trip_document(trip: RoundTrip, path: str | None = None) -> dict[str, Any]:
    """Return a round trip for JSON; shares are percentages at full precision."""
    counts = ("sentences", "words", "punctuation", "candidates", "converted", "changed_heads")
    return {
        **header("round-trip", trip.provenance.signature),
        **({} if path is None else {"path": path_text(path)}),
        **{name: getattr(trip, name) for name in counts},
        "failed_sentences": list(trip.failed_sentences),
        "nonprojective_before": trip.nonprojective[0],
        "nonprojective_after": trip.nonprojective[1],
        "nonprojective_sentences_before": trip.nonprojective_sentences[0],
        "nonprojective_sentences_after": trip.nonprojective_sentences[1],
        "head_entropy_before": trip.head_entropy[0],
        "head_entropy_after": trip.head_entropy[1],
        **{name: points(of(trip)) for name, of in _RATIOS.items()},
        "not_restored": list(map(NotRestored._asdict, trip.not_restored)),
    }


def round_trips_document(trips: Mapping[str, RoundTrip], paths: Mapping[str, str]) -> dict[str, Any]:
    documents = {name: round_trip_document(trip, paths.get(name)) for name, trip in trips.items()}
    averages = {name: _mean([document[name] for document in documents.values()]) for name in _RATIOS}
    return {**header("round-trips"), "treebanks": documents, **({"averages": averages} if len(trips) > 1 else {})}


def _signature(trips: Mapping[str, RoundTrip]) -> tuple[str, ...]:
    """The signature as a line; the hashes of several treebanks are joined."""
    signatures = [trip.provenance.signature for trip in trips.values()]
    joined = {name: "+".join(dict.fromkeys(each[name] for each in signatures)) for name in (signatures or [{}])[0]}
    return (signature_line(joined),) if joined else ()


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Sequence[Cell]) -> float | None:
    numbers = [value for value in values if isinstance(value, int | float)]
    return math.fsum(numbers) / len(numbers) if len(numbers) == len(values) else None
