"""Conversion of treebanks: content heads to function heads, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from levelhead.conversion import record
from levelhead.conversion.heads import Variant, lowered, raised, words_of
from levelhead.conversion.targets import Targets, default_targets
from levelhead.errors import Fault, Place, number_of
from levelhead.treebank import Treebank
from levelhead.treebank.strings import UNDERSCORE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from levelhead.treebank.strings import Codes


def forward(
    treebank: Treebank,
    *,
    targets: Targets | None = None,
    variant: Variant = "paper",
    ud: int | None = None,
    exact: bool = False,
) -> Treebank:
    """Return content-head trees converted to function-head trees: Kohita et al. (2017), Algorithm 1.

    The outermost target among a word's children on each side swaps places with the word, left side first; children of
    the root stay. Only heads change (and MISC if `exact`).

    Args:
        treebank: content-head trees, as in UD.
        targets: the words that swap places with their heads; None for those of the paper.
        variant: the interpretation of the algorithm, a key of `VARIANTS`.
        ud: the version of UD, 1 or 2; None to infer it from the relations (2 if they do not show it).
        exact: whether to record heads in MISC, so that `backward` restores the trees without loss.

    Raises:
        InputError: with `exact`, the treebank already has recorded heads.
    """
    words = words_of(treebank, targets or default_targets(), variant, ud)
    heads, _ = raised(treebank.heads, words)
    source = record.with_records(treebank, words) if exact else treebank
    return _converted(source, heads, _enhanced_kept(treebank))


def backward(
    treebank: Treebank,
    *,
    targets: Targets | None = None,
    variant: Variant = "paper",
    ud: int | None = None,
    exact: bool = False,
) -> Treebank:
    """Return function-head trees converted to content-head trees: Kohita et al. (2017), Algorithm 2.

    The children of a target on each side move to its head, left side first, and the innermost of them becomes its head;
    parts of fixed expressions stay. Only heads change (and MISC if `exact`). A target without a head is unchanged.
    Enhanced graphs that `forward` kept match the heads again, so there is no warning about them.

    Args:
        treebank: function-head trees: converted trees, or the output of a parser trained on them.
        targets: as in `forward`.
        variant: as in `forward`.
        ud: as in `forward`.
        exact: whether to restore the heads that `forward` recorded, and to remove the records. Sentences whose trees
            changed after recording are converted by the algorithm, with a warning; so is parser output.
    """
    words = words_of(treebank, targets or default_targets(), variant, ud)
    heads = lowered(treebank.heads, words)
    if not exact:
        return _converted(treebank, heads, _records_kept(treebank))
    warnings = []
    restored = record.restored(treebank)
    chosen = np.where(restored.valid[treebank.sentence_of_word], restored.heads, heads).astype(np.int32)
    n_changed = int((restored.recorded & ~restored.valid).sum())
    if n_changed:
        n_recorded = int(restored.recorded.sum())
        message = (
            f"of {number_of(n_recorded, 'sentence')} with recorded heads, {n_changed} have changed trees or records"
        )
        warnings.append(_warning_about("outdated-record", message, treebank))
    return _converted(record.without_records(treebank), chosen, warnings)


def _converted(treebank: Treebank, heads: Codes, warnings: Iterable[Fault]) -> Treebank:
    source = replace(treebank.source, sha256=None, warnings=(*treebank.source.warnings, *warnings))
    return replace(treebank, heads=heads, source=source)


def _enhanced_kept(treebank: Treebank) -> list[Fault]:
    """Return a warning if there are enhanced graphs, which are not converted."""
    if not (treebank.deps.codes != UNDERSCORE).any():
        return []
    return [_warning_about("enhanced-kept", "DEPS is unchanged and no longer matches the heads", treebank)]


def _records_kept(treebank: Treebank) -> list[Fault]:
    n_words = record.n_records(treebank)
    message = f"{number_of(n_words, 'word')} with recorded heads, which are not used"
    return [_warning_about("unused-record", message, treebank)] if n_words else []


def _warning_about(slug: str, message: str, treebank: Treebank) -> Fault:
    return Fault(slug, message, Place(treebank.source.path), "warning")
