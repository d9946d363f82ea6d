"""The selection of treebanks to compare: Callin's criteria, and the reasons for excluding treebanks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from levelhead.errors import count_text, percent_text

if TYPE_CHECKING:
    from levelhead.typology.profile import Profile

NEEDED = ("tokens", "features_per_word", "nonprojective_trees", "right_crossed_trees")
"""The columns that a selection uses."""


class Criteria(NamedTuple):
    """The criteria of selection; the defaults are those of Callin, section 3.

    Args:
        features: whether a treebank must have morphological features.
        tokens: the minimum number of surface tokens.
        nonprojective: the upper limit (exclusive) of the share of non-projective trees.
        right_crossed: whether non-projective trees are counted as Callin's program did.
        one_per_language: whether to keep only the largest treebank of a language.
    """

    features: bool = True
    tokens: int = 30_000
    nonprojective: float = 0.25
    right_crossed: bool = True
    one_per_language: bool = True

    @property
    def signature(self) -> dict[str, str]:
        """All criteria, by name."""
        return {
            "features": "needed" if self.features else "any",
            "min-tokens": str(self.tokens),
            "max-nonprojective": f"{100 * self.nonprojective:g}%",
            "nonprojective": "callin" if self.right_crossed else "true",
            "per-language": "largest" if self.one_per_language else "all",
        }


CALLIN = Criteria()
"""Callin's criteria. He also preferred manually corrected treebanks to large ones, which files do not show."""


class SelectionDecision(NamedTuple):
    """Whether a treebank is selected.

    Args:
        name: the treebank.
        language: the code of its language.
        reasons: all reasons for excluding it; empty if it is selected.
    """

    name: str
    language: str
    reasons: tuple[str, ...]

    @property
    def selected(self) -> bool:
        """Whether the treebank is selected: no criterion excludes it."""
        return not self.reasons


def select(profiles: Mapping[str, Profile], criteria: Criteria = CALLIN) -> tuple[SelectionDecision, ...]:
    """Return whether each treebank is selected, with the reasons for excluding it.

    Args:
        profiles: profiles by the name of the treebank, with the columns `NEEDED`.
        criteria: what a treebank must have.
    """
    reasons_by_name = {name: _reasons(profile, criteria) for name, profile in profiles.items()}
    tokens = {name: profile.number("tokens") or 0 for name, profile in profiles.items()}
    largest: dict[str, str] = {}
    for name, reasons in reasons_by_name.items():
        best = largest.setdefault(language_code(name), name)
        if not reasons and (reasons_by_name[best] or tokens[name] > tokens[best]):
            largest[language_code(name)] = name
    decisions = []
    for name, reasons in reasons_by_name.items():
        best = largest[language_code(name)]
        if criteria.one_per_language and not reasons and best != name:
            reasons = (f"{best} of the same language has more tokens",)  # noqa: PLW2901
        decisions.append(SelectionDecision(name, language_code(name), reasons))
    return tuple(decisions)


def _reasons(profile: Profile, criteria: Criteria) -> tuple[str, ...]:
    tokens, trees = profile.number("tokens") or 0, profile.number(_nonprojective_column(criteria)) or 0.0
    reasons = []
    if criteria.features and profile.number("features_per_word") is None:
        reasons.append("no morphological features")
    if tokens < criteria.tokens:
        reasons.append(f"{tokens:,.0f} tokens, fewer than {count_text(criteria.tokens)}")
    if trees >= criteria.nonprojective:
        reasons.append(f"{percent_text(trees)} non-projective trees, at least {100 * criteria.nonprojective:g}%")
    return tuple(reasons)


def _nonprojective_column(criteria: Criteria) -> str:
    return "right_crossed_trees" if criteria.right_crossed else "nonprojective_trees"


def language_code(treebank: str) -> str:
    """Return the language code at the start of a treebank's name: `cs` for `cs_cac`."""
    code = re.match(r"[a-z]{2,3}(?=[_.-]|$)", treebank)
    return code[0] if code else treebank
