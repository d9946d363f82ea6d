"""Averaged word dependency entropies as a file of weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from levelhead.errors import Fault, InputError, quoted
from levelhead.treebank.relations import UD1, UD2, ud_version_of
from levelhead.typology.entropy import averaged_entropy


def weights_text(entropies: Sequence[Mapping[str, float]]) -> str:
    """Return the averaged word dependency entropies of treebanks as a file of weights for WLAS.

    All relations of the treebanks' version of UD are listed; missing relations have the weight 0.5.
    """
    used = {relation for entropy in entropies for relation in entropy}
    invalid = sorted(name for name in used if name.split() != [name] or "," in name or name.startswith("#"))
    if invalid:
        raise InputError(Fault("cannot-hold", f"a file of weights cannot contain the relation {quoted(invalid[0])}"))
    listed = {1: UD1, 2: UD2, None: UD1 | UD2}[ud_version_of(used)]
    means = averaged_entropy(entropies, listed)
    heading = (
        f"# word dependency entropy averaged over {len(entropies)} treebanks; 0.5 if a treebank lacks the relation"
    )
    return "\n".join([heading, *(f"{relation}\t{value!r}" for relation, value in means.items()), ""])
