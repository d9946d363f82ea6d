"""Counts of fair measures by both implementations, on texts of either version of UD."""

from hypothesis import settings, strategies as st

import levelhead
from levelhead.analysis import Breakdown
from levelhead.analysis.breakdown import break_down
from levelhead.analysis.word_properties import PropertySettings
from levelhead.measures.registry import REGISTRY, parse_measure
from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import Matches, match
from levelhead.scoring.measure import Measure
from levelhead.scoring.rules import RULES
from levelhead.scoring.score import count
from levelhead.significance import units_of
from levelhead.significance.jackknife import IntervalSettings
from oracle.document import Refused
from oracle.measures import Matched, match as oracle_match
from strategies import examples, pairs

EXAMPLES = settings(max_examples=examples(30))
OLD = {"obj": "dobj", "flat": "name", "obl": "remnant", "aux": "auxpass", "clf": "neg", "conj": "list", "cc": "mwe"}
"""Relations of UD v1 in the place of others, so that counterparts are needed."""


@st.composite
def both(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a pair; in some, gold, the system or both have relations of UD v1."""
    texts = draw(pairs(max_sentences=5, max_words=10))
    old = draw(st.tuples(st.booleans(), st.booleans()))
    return tuple(aged(text) if yes else text for text, yes in zip(texts, old))


def aged(text: str) -> str:
    for new, old in OLD.items():
        text = text.replace(f"\t{new}\t", f"\t{old}\t")
    return text


def matched(texts: tuple[str, str], rules: str = "ud") -> tuple[Matches, Matched] | None:
    """Match by both implementations; None where the rules refuse one of the files."""
    try:
        theirs = oracle_match(*texts, rules)
    except Refused:
        return None
    return match(*(levelhead.from_conllu(text) for text in texts), RULES[rules]), theirs


def counts_of(matches: Matches, text: str, *, by_sentence: bool = False) -> Counts:
    measure = parse_measure(text)
    return count(matches, measure, REGISTRY[measure.name], by_sentence=by_sentence)


def broken_down(matches: Matches, measure: Measure, by: list[str], properties: PropertySettings) -> Breakdown:
    """The breakdown with the usual intervals."""
    return break_down(matches, measure, by, properties, IntervalSettings(units_of(matches.gold, "auto")))
