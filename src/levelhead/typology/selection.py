"""The selection of treebanks to compare: Callin's criteria, and the reasons for excluding treebanks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, ClassVar, NamedTuple

from levelhead.errors import count_text, number_of
from levelhead.immutable import immutable
from levelhead.tables.data import NOT_A_COLUMN, DataColumn, Layout, Percent
from levelhead.tables.table import Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import Provenance
from levelhead.treebank.reader import Format
from levelhead.typology.collection import survey
from levelhead.typology.languages import TREEBANK_COLUMNS, language_code
from levelhead.typology.profile import Files, Profile

NEEDED = ("tokens", "features_per_word", "nonprojective_trees", "right_crossed_trees")


class Criteria(NamedTuple):
    """The criteria of selection; the defaults are those of Callin, section 3.

    Args:
        features: whether a treebank must have morphological features.
        tokens: the minimum number of surface tokens.
        nonprojective: the percentage of non-projective trees at which a treebank is excluded.
        right_crossed: whether to count only the non-projective trees that Callin's program finds. Such trees
            have a crossed arc whose head is on the right.
        one_per_language: whether to keep only the largest treebank of each language.
    """

    features: bool = True
    tokens: int = 30_000
    nonprojective: float = 25.0
    right_crossed: bool = True
    one_per_language: bool = True

    @property
    def signature(self) -> dict[str, str]:
        """All criteria, by name."""
        return {
            "features": "needed" if self.features else "any",
            "min-tokens": str(self.tokens),
            "max-nonprojective": f"{self.nonprojective:g}%",
            "nonprojective": "callin" if self.right_crossed else "true",
            "per-language": "largest" if self.one_per_language else "all",
        }


CALLIN = Criteria()
"""Callin's criteria. He also preferred manually corrected treebanks to large ones, which files do not show."""


class SelectionDecision(NamedTuple):
    """Whether a treebank is selected.

    Args:
        treebank: the treebank.
        language_code: the code of its language.
        tokens: the number of surface tokens.
        features_per_word: the mean number of features per word; None without features.
        nonprojective_trees: the share of non-projective trees, counted as the criteria define; None without trees.
        reasons: all reasons for excluding the treebank; empty if it is selected.
    """

    treebank: str
    language_code: str
    tokens: int
    features_per_word: float | None
    nonprojective_trees: Percent | None
    reasons: Annotated[tuple[str, ...], NOT_A_COLUMN]

    @property
    def selected(self) -> bool:
        """Whether the treebank is selected, that is, no criterion excludes it."""
        return not self.reasons


def select(profiles: Mapping[str, Profile], criteria: Criteria = CALLIN) -> tuple[SelectionDecision, ...]:
    """Return for each treebank whether it is selected, and the reasons if it is excluded."""
    column = "right_crossed_trees" if criteria.right_crossed else "nonprojective_trees"
    reasons_by_name: dict[str, tuple[str, ...]] = {}
    for name, profile in profiles.items():
        tokens, trees = profile.number("tokens") or 0, profile.number(column) or 0.0
        share = f"{trees:.1f}% non-projective trees, at least {criteria.nonprojective:g}%"
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
        profile = profiles[name]
        measured = int(profile.number("tokens") or 0), profile.number("features_per_word"), profile.number(column)
        decisions.append(SelectionDecision(name, language_code(name), *measured, reasons))
    return tuple(decisions)


@immutable
class SelectedTreebanks(Tabular):
    """The selection of comparable treebanks.

    Args:
        decisions: for each treebank, whether it is selected, and all reasons if it is excluded.
        criteria: the criteria of selection.
        provenance: the settings and files behind the decisions.
    """

    KIND: ClassVar[str] = "select"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "treebanks": (
            SelectionDecision,
            DataColumn("selected", "boolean", "Whether the treebank is selected: no criterion excludes it"),
        ),
        "reasons": (TREEBANK_COLUMNS[0], DataColumn("reason", "text", "A reason for excluding the treebank")),
    }

    decisions: tuple[SelectionDecision, ...]
    criteria: Criteria
    provenance: Provenance

    @property
    def selected(self) -> tuple[str, ...]:
        """The names of the selected treebanks."""
        return tuple(decision.treebank for decision in self.decisions if decision.selected)

    @property
    def verdict(self) -> str:
        """A sentence that says how many treebanks are selected."""
        n, n_treebanks = len(self.selected), len(self.decisions)
        return f"{n} of {number_of(n_treebanks, 'treebank')} {'is' if 1 in {n, n_treebanks} else 'are'} selected."

    def table(self) -> Table:
        """Return a table with one row per treebank: whether it is selected and, if it is excluded, all reasons."""
        columns = tuple(Column(name, "text") for name in ("Treebank", "Language", "Selected", "Reasons"))
        rows = (
            (each.treebank, each.language_code, "yes" if each.selected else "no", "; ".join(each.reasons))
            for each in self.decisions
        )
        return Table(columns, tuple(rows)).signed(self.provenance)

    def _treebanks_rows(self) -> Iterator[tuple[SelectionDecision, bool]]:
        return ((decision, decision.selected) for decision in self.decisions)

    def _reasons_rows(self) -> Iterator[tuple[str, str]]:
        return ((decision.treebank, reason) for decision in self.decisions for reason in decision.reasons)


def select_treebanks(files: Files, criteria: Criteria = CALLIN, *, format: Format = "conllu") -> SelectedTreebanks:  # noqa: A002
    surveyed = survey(files, columns=NEEDED, format=format)
    of_files = {name: surveyed.provenance.signature[name] for name in ("files", "version")}
    provenance = replace(surveyed.provenance, signature={**criteria.signature, **of_files})
    return SelectedTreebanks(select(surveyed.profiles, criteria), criteria, provenance)
