"""Answers as CoNLL-U with the words of their gold sentences."""

from __future__ import annotations

from levelhead.recovery.gold import GoldSentence
from levelhead.recovery.recovered import Recovered

_NOTHING = ("_", "_", "_", "_")


def sentence_text(gold: GoldSentence, recovered: Recovered) -> str:
    """Return a sentence with the words, ranges and comments of gold, and the analysis of an answer.

    Lemmas, tags, features, heads and relations come from the answer. A word without a head has HEAD `_`. DEPS is empty,
    and MISC only has SpaceAfter=No from gold.
    """
    lines = [gold.comments, f"# recovery = {_summary(recovered, len(gold.forms))}\n"]
    for place, (form, space, row, head) in enumerate(zip(gold.forms, gold.spaces, recovered.rows, recovered.heads)):
        if place in gold.multiword:
            token, last, after = gold.multiword[place]
            lines.append(f"{place + 1}-{last}\t{token}\t_\t_\t_\t_\t_\t_\t_\t{after}\n")
        tags = _NOTHING if row is None else row.tags
        relation = "_" if row is None else row.relation
        columns = (str(place + 1), form, *tags, "_" if head is None else str(head), relation, "_", space)
        lines.append("\t".join(columns) + "\n")
    return "".join([*lines, "\n"])


def _summary(recovered: Recovered, n_words: int) -> str:
    """A summary of the repairs of an answer: `unpacked (fences, prose), 5 of 5 words, tree`."""
    steps = f" ({', '.join(recovered.steps)})" if recovered.steps else ""
    extra = (
        f", {recovered.n_extra} rows dropped"
        if recovered.n_extra > 1
        else ", 1 row dropped"
        if recovered.n_extra
        else ""
    )
    found = f"{recovered.n_matched} of {n_words} forms, {recovered.n_words} of {n_words} words"
    return f"{recovered.category}{steps}, {found}{extra}, {recovered.tree}"
