"""The selection of treebanks to compare: Callin's criteria, and the reasons for excluding treebanks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from levelhead.errors import count_text, percent_text
from levelhead.immutable import immutable
from levelhead.tables.documents import header
from levelhead.tables.table import Column, Table
from levelhead.treebank.provenance import Provenance
from levelhead.treebank.reader import Format
from levelhead.typology.collection import TreebankRows, signed_notes, survey
from levelhead.typology.languages import language_code
from levelhead.typology.profile import Files, Profile

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
    column = "right_crossed_trees" if criteria.right_crossed else "nonprojective_trees"
    reasons_by_name: dict[str, tuple[str, ...]] = {}
    for name, profile in profiles.items():
        tokens, trees = profile.number("tokens") or 0, profile.number(column) or 0.0
        share = f"{percent_text(trees)} non-projective trees, at least {100 * criteria.nonprojective:g}%"
        reasons_of_all = {
            "no morphological features": criteria.features and profile.number("features_per_word") is None,
            f"{tokens:,.0f} tokens, fewer than {count_text(criteria.tokens)}": tokens < criteria.tokens,
            share: trees >= criteria.nonprojective,
        }
        reasons_by_name[name] = tuple(reason for reason, applies in reasons_of_all.items() if applies)
    # among the treebanks of a language without reasons, the first of the largest
    by_size = sorted(profiles, key=lambda name: (bool(reasons_by_name[name]), -(profiles[name].number("tokens") or 0)))
    largest = {language_code(name): name for name in reversed(by_size)}
    decisions = []
    for name, reasons in reasons_by_name.items():
        best = largest[language_code(name)]
        if criteria.one_per_language and not reasons and best != name:
            reasons = (f"{best} of the same language has more tokens",)  # noqa: PLW2901
        decisions.append(SelectionDecision(name, language_code(name), reasons))
    return tuple(decisions)


@immutable
class SelectedTreebanks(TreebankRows):
    """The selection of treebanks that can be compared.

    Args:
        decisions: whether each treebank is selected, with all reasons for excluding it.
        criteria: the criteria.
        provenance: the provenance of the decisions.
    """

    _HEADER = header("selection")

    decisions: tuple[SelectionDecision, ...]
    criteria: Criteria
    provenance: Provenance

    @property
    def selected(self) -> tuple[str, ...]:
        """The names of the selected treebanks."""
        return tuple(decision.name for decision in self.decisions if decision.selected)

    def table(self) -> Table:
        """Return one row per treebank: whether it is selected, and all reasons against it."""
        columns = tuple(Column(name, "text") for name in ("Treebank", "Language", "Selected", "Reasons"))
        rows = (
            (decision.name, decision.language, "yes" if decision.selected else "no", "; ".join(decision.reasons))
            for decision in self.decisions
        )
        summary = f"{len(self.selected)} of {len(self.decisions)} selected"
        return Table(columns, tuple(rows), (summary, *signed_notes(self.provenance)))

    def _rows(self) -> Iterator[dict[str, Any]]:
        for decision in self.decisions:
            yield {
                "treebank": decision.name,
                "language": decision.language,
                "selected": decision.selected,
                "reasons": list(decision.reasons),
            }


def select_treebanks(files: Files, criteria: Criteria = CALLIN, *, format: Format = "conllu") -> SelectedTreebanks:  # noqa: A002
    """Return the treebanks that can be compared, and all reasons for excluding the others."""
    surveyed = survey(files, columns=NEEDED, format=format)
    of_files = {name: surveyed.provenance.signature[name] for name in ("files", "version")}
    provenance = replace(surveyed.provenance, signature={**criteria.signature, **of_files})
    return SelectedTreebanks(select(surveyed.profiles, criteria), criteria, provenance)
