"""The study of Kohita, Noji and Matsumoto (2017) on all treebanks of UD v2 with training sets."""

from __future__ import annotations

from collections.abc import Mapping

from levelhead.studies.built_in_parsers import TRAINED_BRIEFLY
from levelhead.studies.by_parser import verdicts_by_parser
from levelhead.studies.kohita.claims import (
    claim_on_falling_entropy,
    claims_by_parser,
    claims_on_conversion,
    claims_on_own_gains,
    claims_on_scores,
)
from levelhead.studies.kohita.measures import Rows, describe
from levelhead.studies.kohita.study import MAIN_CLAIM, measured_by_parser
from levelhead.studies.kohita.tables import conversion, figure_2, in_function_heads
from levelhead.studies.kohita_ud2.tables import entropy, scores, scores_by_relation
from levelhead.studies.printed_numbers import printed
from levelhead.studies.request import StudyRequest, StudyTask, run_tasks, signature
from levelhead.studies.study import Study
from levelhead.studies.treebank_parts import Parts, parts_of

NAME = "kohita-2017-ud2"


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    numbers = printed("kohita")
    available = parts_of(request)
    treebanks = {code: parts for code, parts in available.items() if parts.train} or available
    described = run_tasks(
        NAME, [StudyTask(code, describe, parts.training_files) for code, parts in treebanks.items()], request
    )
    measured = measured_by_parser(request, treebanks)
    sections = (
        conversion(described, numbers), entropy(described, measured), *scores(measured),
        *(in_function_heads(parser, rows) for parser, rows in measured.items()), scores_by_relation(measured),
        *figure_2(measured), verdicts_by_parser(claims_by_parser(described, measured, request, ud=2)),
    )  # fmt: skip
    claims = (
        *claims_on_conversion(described, numbers, among=""), claim_on_falling_entropy(described),
        *claims_on_own_gains(described, measured), *claims_on_scores(measured, request, ud=2),
    )  # fmt: skip
    signed = signature(request, rules="ud", scheme="kohita", variant="paper")
    setting = _setting(treebanks, measured, request)
    title = f"{numbers['title']}: the same questions on UD 2.0"
    return Study(NAME, title, numbers["source"], setting, sections, claims, signed, MAIN_CLAIM)


def _setting(treebanks: Mapping[str, Parts], measured: Mapping[str, Rows], request: StudyRequest) -> tuple[str, ...]:
    untrained = [code for code, parts in treebanks.items() if not parts.train]
    training = (
        "all with a training set" if not untrained
        else f"{len(untrained)} without a training set, which other parts replace ({', '.join(untrained)})"
    )  # fmt: skip
    return (
        (
            "This page is about UD 2.0. The paper is about UD 1.3, on which `kohita-2017` replicates it. Relations and"
            " treebanks differ, so printed numbers appear here only as part of the claims, and every verdict is about"
            " UD 2.0."
        ),
        f"{len(treebanks)} treebanks, {training}: {', '.join(treebanks)}.",
        (
            "Parsers with outputs from both kinds of training trees, on the test sets:"
            f" {', '.join(measured) or 'none'}. Scores ignore punctuation. A word counts as converted if it swapped"
            " places with its head. Treebanks of the same language count separately."
        ),
        *([TRAINED_BRIEFLY] if request.systems is None else []),
    )
