"""The columns that functions of custom measures get, word by word from their descriptions."""

from bisect import bisect_right
from typing import Any

from oracle.document import DEPREL, FEATS, FORM, LEMMA, UPOS, XPOS, Document
from oracle.measures import (
    Matched,
    match,
    same_column,
    same_features,
    same_head,
    same_lemma,
)

AGREEMENT = {
    "head_correct": same_head,
    "deprel_correct": lambda m, g, s: m.gold.words[g].relation == m.system.words[s].relation,
    "upos_correct": same_column(UPOS),
    "feats_correct": same_features,
    "lemma_correct": same_lemma,
}
TEXTS = {"form": FORM, "lemma": LEMMA, "upos": UPOS, "xpos": XPOS, "feats": FEATS, "deprel": DEPREL}


def starts_of(text: str) -> list[int]:
    """The number of the first word of each sentence."""
    starts, n_words = [], 0
    for block in text.split("\n\n"):
        words = [line for line in block.split("\n") if line.split("\t")[0].isdigit()]
        if words:
            starts.append(n_words)
            n_words += len(words)
    return starts


def of_word(document: Document, starts: list[int], number: int) -> dict[str, Any]:
    """The columns of one word of either side."""
    word, sentence = document.words[number], bisect_right(starts, number)
    first = starts[sentence - 1]
    depth, above = 0, word.parent
    while above is not None:
        depth, above = depth + 1, document.words[above].parent
    features = dict(reversed([pair.partition("=")[::2] for pair in word.columns[FEATS].split("|")]))
    return {
        **{name: word.columns[column] for name, column in TEXTS.items()},
        "relation": word.relation,
        "word": number - first + 1,
        "head": 0 if word.parent is None else word.parent - first + 1,
        "head_row": -1 if word.parent is None else word.parent,
        "distance": 0 if word.parent is None else abs(word.parent - number),
        "depth": depth,
        "feature:Case": features.get("Case", ""),
    }


def head_row(m: Matched, starts: list[int], g: int, s: int) -> int:
    """The gold word for the head of a system word, if it is in the sentence."""
    parent = m.system.words[s].parent
    if parent is None:
        return -1
    row = m.gold_of.get(parent, -2)
    return row if row >= 0 and bisect_right(starts, row) == bisect_right(starts, g) else -2


def columns(gold_text: str, system_text: str) -> list[dict[str, Any]]:
    """The row of each gold word."""
    m = match(gold_text, system_text, "ud")
    starts, system_starts = starts_of(gold_text), starts_of(system_text)
    system_of = dict(m.pairs)
    rows = []
    for g in range(len(m.gold.words)):
        row = of_word(m.gold, starts, g) | {"sentence": bisect_right(starts, g)}
        s = system_of.get(g)
        other = of_word(m.system, system_starts, 0 if s is None else s)
        if s is None:
            other = {name: "" if isinstance(value, str) else -1 for name, value in other.items()}
        row |= {f"system_{name}": value for name, value in other.items()}
        row["system_head_row"] = -2 if s is None else head_row(m, starts, g, s)
        row |= {name: s is not None and agrees(m, g, s) for name, agrees in AGREEMENT.items()}
        rows.append(row)
    return rows
