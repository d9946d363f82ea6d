"""Round trips: the changes of a conversion, and the heads that it does not restore."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from levelhead._version import VERSION
from levelhead.conversion.convert import Variant, backward, forward, raised, ud_version, words_of
from levelhead.conversion.targets import Targets, default_targets
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank, nonprojective_arcs
from levelhead.treebank.provenance import TREEBANK, Provenance, short_hash
from levelhead.treebank.strings import Codes
from levelhead.typology.entropy import head_entropy_of


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


@dataclass(frozen=True, repr=False)
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
        not_restored=tuple(_not_restored(treebank, back.local_heads())),
    )


def _not_restored(treebank: Treebank, restored: Codes) -> Iterator[NotRestored]:
    local, starts, lines = treebank.local_heads(), treebank.sentence_starts, treebank.source.lines
    for word in np.flatnonzero(local != restored).tolist():
        sentence = int(treebank.sentence_of_word[word])
        line = int(lines[sentence]) if len(lines) else None
        number = word - int(starts[sentence]) + 1
        place = (sentence + 1, line, treebank[sentence].id, number, treebank.forms[word])
        yield NotRestored(*place, int(local[word]), int(restored[word]))
