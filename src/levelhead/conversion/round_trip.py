"""Round trips: the changes of a conversion, and the heads that it does not restore."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

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
from levelhead.tables.data import DataColumn, Layout, Percent
from levelhead.tables.documents import signed
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

    KIND: ClassVar[str] = "convert"

    @classmethod
    def layouts(cls) -> Mapping[str, Layout]:
        """Return the columns of each table."""
        return RoundTrips.LAYOUTS

    def records(self, name: str) -> Any:
        """Return the rows of a table."""
        return RoundTrips({TREEBANK: self}).records(name)

    def table(self, *, failures: bool = False) -> Table:
        """Return the result as a table or, with `failures`, the words that were not restored."""
        return RoundTrips({TREEBANK: self}).table(failures=failures)


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


class RoundTripRow(NamedTuple):
    """The round trip of a treebank.

    Args:
        treebank: the treebank.
        ud: the version of UD that was assumed.
        sentences: the number of sentences.
        words: the number of words.
        punctuation: the number of words with the relation punct.
        candidates: the number of words that are targets.
        converted: the number of targets that swapped places with their heads.
        converted_share: their share of the words.
        changed_heads: the number of words with a different head in the function-head tree.
        changed_heads_share: their share of the words.
        failed_sentences: the number of sentences that are not restored.
        failed_sentences_share: their share of the sentences.
        lost_heads: the number of words whose head is not restored.
        lost_heads_share: their share of the words.
        nonprojective_before: the number of non-projective arcs in the content-head tree.
        nonprojective_share_before: their share of the words.
        nonprojective_after: the number of non-projective arcs in the function-head tree.
        nonprojective_share_after: their share of the words.
        nonprojective_sentences_before: the number of sentences with such an arc in the content-head tree.
        nonprojective_sentences_share_before: their share of the sentences.
        nonprojective_sentences_after: the number of sentences with such an arc in the function-head tree.
        nonprojective_sentences_share_after: their share of the sentences.
        head_entropy_before: the head-word entropy of the content-head trees; null if no word is frequent enough.
        head_entropy_after: the head-word entropy of the function-head trees.
    """

    treebank: str
    ud: int
    sentences: int
    words: int
    punctuation: int
    candidates: int
    converted: int
    converted_share: Percent | None
    changed_heads: int
    changed_heads_share: Percent | None
    failed_sentences: int
    failed_sentences_share: Percent | None
    lost_heads: int
    lost_heads_share: Percent | None
    nonprojective_before: int
    nonprojective_share_before: Percent | None
    nonprojective_after: int
    nonprojective_share_after: Percent | None
    nonprojective_sentences_before: int
    nonprojective_sentences_share_before: Percent | None
    nonprojective_sentences_after: int
    nonprojective_sentences_share_after: Percent | None
    head_entropy_before: Annotated[float | None, "bits"]
    head_entropy_after: Annotated[float | None, "bits"]


@immutable
class RoundTrips(Mapping[str, RoundTrip], Tabular):
    """The round trips of several treebanks.

    Args:
        trips: the round trip of each treebank, by its name.
    """

    KIND: ClassVar[str] = "convert"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "treebanks": (RoundTripRow,),
        "not_restored": (DataColumn("treebank", "text", "The treebank"), NotRestored),
    }

    trips: Mapping[str, RoundTrip]

    def __getitem__(self, name: str) -> RoundTrip:
        return self.trips[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.trips)

    def __len__(self) -> int:
        return len(self.trips)

    @property
    def provenance(self) -> Provenance:
        """The provenance, with the joined signatures of all treebanks."""
        each = {name: trip.provenance for name, trip in self.items()}
        signatures = [provenance.signature for provenance in each.values()]
        joined = {key: "+".join(dict.fromkeys(one[key] for one in signatures)) for key in (signatures or [{}])[0]}
        return Provenance(joined, {name: provenance.files[TREEBANK] for name, provenance in each.items()})

    def _treebanks_rows(self) -> list[RoundTripRow]:
        return [_row(treebank, trip) for treebank, trip in self.items()]

    def _not_restored_rows(self) -> Iterator[tuple[str, NotRestored]]:
        return ((treebank, word) for treebank, trip in self.items() for word in trip.not_restored)

    def table(self, *, failures: bool = False) -> Table:
        """Return the round trips, with averages of shares; or, with `failures`, the words that were not restored."""
        if failures:
            return not_restored_table(self)
        rows = self._treebanks_rows()
        columns = {column: [getattr(row, name) for row in rows] for column, name in _COLUMNS.items()}
        means = (_mean(values) if column.kind == "percent" else None for column, values in columns.items())
        summary: tuple[tuple[Cell, ...], ...] = ((f"Average of {len(rows)}", *means),) if len(rows) > 1 else ()
        heads = (Column("Treebank", "text"), *columns)
        notes = signed(self.provenance.signature)
        return Table(heads, tuple(zip(self, *columns.values())), notes, summary=summary)


def _row(treebank: str, trip: RoundTrip) -> RoundTripRow:
    of_words = (trip.converted, trip.changed_heads), (len(trip.not_restored), *trip.nonprojective)
    of_sentences = (len(trip.failed_sentences),), trip.nonprojective_sentences
    (converted, changed), (lost, arcs, arcs_after) = ([(n, _share(n, trip.words)) for n in some] for some in of_words)
    (failed,), (crossing, crossing_after) = ([(n, _share(n, trip.sentences)) for n in some] for some in of_sentences)
    return RoundTripRow(
        treebank, trip.ud, trip.sentences, trip.words, trip.punctuation, trip.candidates,
        *converted, *changed, *failed, *lost, *arcs, *arcs_after, *crossing, *crossing_after, *trip.head_entropy,
    )  # fmt: skip


_COLUMNS: Mapping[Column, str] = {
    Column("UD", "number"): "ud",
    Column("Sentences", "number"): "sentences",
    Column("Words", "number"): "words",
    Column("Converted", "number"): "converted",
    Column("Converted %", "percent"): "converted_share",
    Column("Failed sentences", "number"): "failed_sentences",
    Column("Lost heads", "number"): "lost_heads",
    Column("Lost heads %", "percent"): "lost_heads_share",
    Column("Nonproj. arcs %", "percent"): "nonprojective_share_before",
    Column("Nonproj. arcs after %", "percent"): "nonprojective_share_after",
    Column("Nonproj. sent. %", "percent"): "nonprojective_sentences_share_before",
    Column("Nonproj. sent. after %", "percent"): "nonprojective_sentences_share_after",
    Column("Head entropy", "number"): "head_entropy_before",
    Column("Head entropy after", "number"): "head_entropy_after",
}


def not_restored_table(trips: RoundTrips) -> Table:
    headings = ("Treebank", "Line", "Sentence", "sent_id", "Word", "Form", "Head", "Restored")
    columns = tuple(Column(name, "text" if name in {"Treebank", "sent_id", "Form"} else "number") for name in headings)
    rows = (
        (name, w.line, w.sentence, w.sent_id, w.word, w.form, w.head, w.restored)
        for name, trip in trips.items()
        for w in trip.not_restored
    )
    return Table(columns, tuple(rows), signed(trips.provenance.signature))


def _share(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _mean(values: Sequence[Cell]) -> float | None:
    numbers = [value for value in values if isinstance(value, int | float)]
    return math.fsum(numbers) / len(numbers) if len(numbers) == len(values) else None
