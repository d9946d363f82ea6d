"""Round trips: the changes of a conversion, and the heads that it does not restore."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from levelhead.tables.data import TREEBANK_COLUMN, Layout, Percent, share
from levelhead.tables.table import Cell, Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank, nonprojective_arcs
from levelhead.treebank.provenance import TREEBANK, Provenance, file_id
from levelhead.treebank.tokens import place_of_sentence
from levelhead.typology.vocabulary import head_entropy_of


class NotRestored(NamedTuple):
    """A word whose head differs after forward and backward conversion. Words are numbered from 1; 0 is the root.

    Args:
        sentence: the number of the sentence in the file, from 1.
        line: the line number of the sentence's first word; None if the treebank was created in Python.
        sent_id: the sent_id of the sentence, or None.
        word: the number of the word in the sentence.
        form: the form of the word.
        head: the original head.
        restored: the head after both conversions.
    """

    sentence: int
    line: int | None
    sent_id: str | None
    word: int
    form: str
    head: int
    restored: int


class RoundTripCounts(NamedTuple):
    """The round trip of a treebank.

    Args:
        ud: the version of UD that was assumed.
        sentences: the number of sentences.
        words: the number of words.
        punctuation: the number of words with the relation punct.
        candidates: the number of words that are targets.
        converted: the number of targets that swapped places with their heads.
        converted_share: `converted` / all words.
        changed_heads: the number of words with a different head in the function-head tree.
        changed_heads_share: `changed_heads` / all words.
        failed_sentences: the number of sentences that are not restored.
        failed_sentences_share: `failed_sentences` / all sentences.
        lost_heads: the number of words whose head is not restored.
        lost_heads_share: `lost_heads` / all words.
        nonprojective_before: the number of non-projective arcs in the content-head tree.
        nonprojective_share_before: `nonprojective_before` / all words.
        nonprojective_after: the number of non-projective arcs in the function-head tree.
        nonprojective_share_after: `nonprojective_after` / all words.
        nonprojective_sentences_before: the number of sentences with a non-projective content-head tree.
        nonprojective_sentences_share_before: `nonprojective_sentences_before` / all sentences.
        nonprojective_sentences_after: the number of sentences with a non-projective function-head tree.
        nonprojective_sentences_share_after: `nonprojective_sentences_after` / all sentences.
        head_entropy_before: the head-word entropy of the content-head trees; null if no word is frequent enough.
        head_entropy_after: the head-word entropy of the function-head trees.
    """

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
class RoundTrip(Tabular):
    """What forward conversion changes in a treebank, and which heads backward conversion does not restore.

    Args:
        counts: the numbers of words, changed heads, non-projective arcs and so on.
        not_restored: the words whose heads differ after forward and backward conversion.
        variant: the interpretation of Kohita et al. (2017): "paper", "frozen" or "script".
        targets: the name of the `Targets` that were used.
        targets_sha256: the hash of these `Targets`.
        exact: whether the original heads were recorded in MISC.
        sha256: the hash of the treebank's file; None if the treebank was created in Python.
    """

    counts: RoundTripCounts
    not_restored: tuple[NotRestored, ...]
    variant: Variant
    targets: str
    targets_sha256: str
    exact: bool
    sha256: str | None

    @property
    def provenance(self) -> Provenance:
        """The settings and files behind the numbers."""
        file = file_id(self.sha256)
        signature = {
            "ud": str(self.counts.ud),
            "variant": self.variant,
            "targets": self.targets,
            "targets-hash": self.targets_sha256[:12],
            "exact": "yes" if self.exact else "no",
            "treebank": str(file),
            "version": VERSION,
        }
        return Provenance(signature, {TREEBANK: {"gold": file}})

    KIND: ClassVar[str] = "convert"

    @classmethod
    def layouts(cls) -> Mapping[str, Layout]:
        """Return the columns of each table."""
        return RoundTrips.LAYOUTS

    def records(self, name: str) -> Any:
        """Return the rows of the table `name`."""
        return RoundTrips({TREEBANK: self}).records(name)

    def table(self, *, failures: bool = False) -> Table:
        """Return a table of the counts or, if `failures` is true, a table of the words whose heads are not restored."""
        return RoundTrips({TREEBANK: self}).table(failures=failures)


def check_round_trip(
    treebank: Treebank,
    *,
    targets: Targets | None = None,
    variant: Variant = "paper",
    ud: int | None = None,
    exact: bool = False,
) -> RoundTrip:
    """Return the result of converting a treebank forward and back."""
    chosen, version = targets or default_targets(), ud or ud_version(treebank) or 2
    words = words_of(treebank, chosen, variant, version)
    heads, moved = raised(treebank.heads, words)
    converted = forward(treebank, targets=chosen, variant=variant, ud=version, exact=exact)
    back = backward(converted, targets=chosen, variant=variant, ud=version, exact=exact)
    before, after = nonprojective_arcs(treebank), nonprojective_arcs(converted)
    sentences = treebank.sentence_of_word
    local = treebank.local_heads()
    restored = back.local_heads()
    not_restored = []
    for word in np.flatnonzero(local != restored).tolist():
        sentence = int(sentences[word])
        number = word - int(treebank.sentence_starts[sentence]) + 1
        line = place_of_sentence(treebank, sentence).line
        place = (sentence + 1, line, treebank[sentence].id, number, treebank.forms[word])
        not_restored.append(NotRestored(*place, int(local[word]), int(restored[word])))

    def of_words(n: int) -> tuple[int, float | None]:
        return int(n), share(int(n), treebank.n_words)

    def of_sentences(numbers: Iterable[int]) -> tuple[int, float | None]:
        return (n := len(set(numbers))), share(n, len(treebank))

    counts = RoundTripCounts._make(
        (
            *(version, len(treebank), treebank.n_words),
            *(int(chosen.labeled(treebank, frozenset({"punct"})).sum()), int(words.targets.sum())),
            *(*of_words(moved.sum()), *of_words((heads != treebank.heads).sum())),
            *(*of_sentences(word.sentence for word in not_restored), *of_words(len(not_restored))),
            *(*of_words(before.sum()), *of_words(after.sum())),
            *(*of_sentences(sentences[before].tolist()), *of_sentences(sentences[after].tolist())),
            *(head_entropy_of(treebank).bits, head_entropy_of(converted).bits),
        )
    )
    source = treebank.source.sha256
    return RoundTrip(counts, tuple(not_restored), variant, chosen.name, chosen.sha256, exact, source)


@immutable
class RoundTrips(Mapping[str, RoundTrip], Tabular):
    """The round trips of several treebanks."""

    KIND: ClassVar[str] = "convert"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "treebanks": (TREEBANK_COLUMN, RoundTripCounts),
        "not_restored": (TREEBANK_COLUMN, NotRestored),
    }

    trips: Mapping[str, RoundTrip]  # the round trip of each treebank, by its name

    def __getitem__(self, name: str) -> RoundTrip:
        return self.trips[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.trips)

    def __len__(self) -> int:
        return len(self.trips)

    @property
    def provenance(self) -> Provenance:
        """The settings and files behind the numbers; the signature joins the signatures of all treebanks."""
        each = {name: trip.provenance for name, trip in self.items()}
        signatures = [provenance.signature for provenance in each.values()]
        joined = {key: "+".join(dict.fromkeys(one[key] for one in signatures)) for key in (signatures or [{}])[0]}
        return Provenance(joined, {name: provenance.files[TREEBANK] for name, provenance in each.items()})

    def _treebanks_rows(self) -> Iterator[tuple[str, RoundTripCounts]]:
        return ((treebank, trip.counts) for treebank, trip in self.items())

    def _not_restored_rows(self) -> Iterator[tuple[str, NotRestored]]:
        return ((treebank, word) for treebank, trip in self.items() for word in trip.not_restored)

    def table(self, *, failures: bool = False) -> Table:
        """Return a table of the round trips with averages; with `failures`, a table of the words not restored."""
        if failures:
            return not_restored_table(self)
        columns = {column: [getattr(trip.counts, name) for trip in self.values()] for column, name in _COLUMNS.items()}
        means = (_mean(values) if column.kind == "percent" else None for column, values in columns.items())
        summary: tuple[tuple[Cell, ...], ...] = ((f"Average of {len(self)}", *means),) if len(self) > 1 else ()
        heads = (Column("Treebank", "text"), *columns)
        return Table(heads, tuple(zip(self, *columns.values())), summary=summary).signed(self.provenance)


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
    return Table(columns, tuple(rows)).signed(trips.provenance)


def _mean(values: Sequence[Cell]) -> float | None:
    numbers = [value for value in values if isinstance(value, int | float)]
    return math.fsum(numbers) / len(numbers) if len(numbers) == len(values) else None
