"""Averaged word dependency entropies as a file of weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from levelhead.errors import Fault, InputError, quoted
from levelhead.treebank.relations import UD1, UD2, ud_version_of
from levelhead.typology.entropy import averaged_entropy


def weights_text(entropies: Sequence[Mapping[str, float]]) -> str:
    """Return the word dependency entropies of treebanks, averaged, as the file of weights that WLAS reads.

    All relations of the version of UD that the treebanks follow are listed, and 0.5 is what an absent one counts.

    Args:
        entropies: the word dependency entropies of each treebank; at least one.

    Raises:
        InputError: a relation has white space or a comma or begins with `#`, so that the file cannot hold it.
    """
    found = {relation for one in entropies for relation in one}
    bad = sorted(name for name in found if name.split() != [name] or "," in name or name.startswith("#"))
    if bad:
        raise InputError(Fault("cannot-hold", f"a file of weights cannot hold the relation {quoted(bad[0])}"))
    listed = {1: UD1, 2: UD2, None: UD1 | UD2}[ud_version_of(found)]
    means = averaged_entropy(entropies, listed)
    heading = (
        f"# word dependency entropy averaged over {len(entropies)} treebanks; 0.5 if a treebank lacks the relation\n"
    )
    return heading + "".join(f"{relation}\t{value!r}\n" for relation, value in means.items())
