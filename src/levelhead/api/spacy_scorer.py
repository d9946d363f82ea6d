"""A scorer of spaCy's parsers, which spaCy finds by the entry point `levelhead.parser_scorer.v1`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from levelhead.api.inputs import settings_for
from levelhead.evaluation.fold import score_treebanks
from levelhead.interop import from_spacy

if TYPE_CHECKING:
    from spacy.training import Example  # type: ignore[import-not-found,unused-ignore]


def parser_scorer(
    measures: Sequence[str] = ("UAS", "LAS", "CLAS"), rules: str = "ud"
) -> Callable[..., dict[str, float | None]]:
    """Return a scorer for spaCy's `[components.parser.scorer]`.

    The scorer returns the scores of spaCy's own parser scorer, and adds the score by each of the `measures`, from 0 to
    1, under the name of the measure. The added scores include punctuation, unlike spaCy's `dep_uas` and `dep_las`.

    Args:
        measures: the names of measures, as for `levelhead.score`.
        rules: the scoring rules, as for `levelhead.score`.

    Raises:
        MeasureError: a measure or the rules are unknown.
    """
    from spacy.pipeline.dep_parser import parser_score  # type: ignore[import-not-found,unused-ignore]

    setup = settings_for(list(measures), rules=rules).for_pair()
    names = [str(measure) for measure, _ in setup.defined]

    def score(examples: Iterable[Example], **given: object) -> dict[str, float | None]:
        pairs = [*examples]
        scores: dict[str, float | None] = parser_score(pairs, **given) | dict.fromkeys(names)
        annotated = [pair for pair in pairs if pair.reference.has_annotation("DEP", require_complete=True)]
        if annotated:
            gold, system = (
                from_spacy((getattr(pair, side) for pair in annotated), rename_root=True)
                for side in ("reference", "predicted")
            )
            found = score_treebanks(gold, system, setup)
            scores |= {name: f1.value and f1.value / 100 for name, f1 in found.items()}
        return scores

    return score
