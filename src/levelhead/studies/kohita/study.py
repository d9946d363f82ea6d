"""The replication of Kohita, Noji and Matsumoto (2017)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from levelhead.studies.built_in_parsers import TRAINED_BRIEFLY
from levelhead.studies.by_parser import verdicts_by_parser
from levelhead.studies.kohita.claims import (
    claims_by_parser,
    claims_on_conversion,
    claims_on_entropy,
    claims_on_own_gains,
    claims_on_scores,
    printed_claims,
)
from levelhead.studies.kohita.measures import (
    NAME,
    PARSERS,
    Row,
    Rows,
    describe,
    measure,
)
from levelhead.studies.kohita.tables import (
    conversion,
    entropy,
    entropy_by_relation,
    figure_2,
    score_tables,
    scores_by_relation,
)
from levelhead.studies.parser_outputs import outputs_of
from levelhead.studies.printed_numbers import printed
from levelhead.studies.request import StudyRequest, StudyTask, run_tasks, signature
from levelhead.studies.study import Study
from levelhead.studies.treebank_parts import Parts, parts_of
from levelhead.treebank.layouts import system_folders

MAIN_CLAIM = "Parsing through function heads improves LAS"
"""The first words of the claim with which the page opens."""


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    numbers = printed("kohita")
    treebanks = parts_of(request, numbers["table_2"])
    described = run_tasks(
        NAME, [StudyTask(code, describe, parts.training_files) for code, parts in treebanks.items()], request
    )
    measured = measured_by_parser(request, treebanks)
    sections = (
        conversion(described, numbers), entropy(described, numbers, measured),
        entropy_by_relation(described, numbers, measured), *score_tables(measured, numbers),
        scores_by_relation(measured, numbers), *figure_2(measured),
        verdicts_by_parser(claims_by_parser(described, measured, request)),
    )  # fmt: skip
    claims = (
        *claims_on_conversion(_without_ja(described), numbers), *printed_claims(numbers),
        *claims_on_entropy(described, numbers),
        *claims_on_own_gains(described, measured),
        *claims_on_scores(measured, request),
    )  # fmt: skip
    signed = signature(request, rules="ud", scheme="kohita", variant="paper")
    setting = _setting(treebanks, measured, request)
    return Study(NAME, numbers["title"], numbers["source"], setting, sections, claims, signed, MAIN_CLAIM)


def _without_ja(described: Rows) -> Rows:
    """All treebanks except the Japanese one, which is not the treebank of the paper."""
    return {code: row for code, row in described.items() if code != "ja"}


def measured_by_parser(request: StudyRequest, treebanks: Mapping[str, Parts]) -> dict[str, dict[str, Row]]:
    """Return the results of `measure` for each parser, by treebank."""
    parsers: Iterable[str] = PARSERS if request.systems is None else system_folders(request.systems)
    measured = {}
    for parser in parsers:
        original = outputs_of(request, parser, treebanks, heads="UD")
        converted = outputs_of(request, parser, treebanks, heads="CONV")
        golds = {code: treebanks[code].tested for code in original if code in converted}
        if golds:
            measured[parser] = measure(golds, original, converted, request)
    return measured


def _setting(treebanks: Mapping[str, Parts], measured: Mapping[str, Rows], request: StudyRequest) -> tuple[str, ...]:
    trained = [code for code, parts in treebanks.items() if parts.train]
    return (
        (
            f"{len(treebanks)} treebanks: {', '.join(treebanks)}. Training sets are available for {len(trained)}"
            f" ({', '.join(trained) or 'none'}); for the others, the development and test sets are used instead. These"
            " are smaller: fewer words occur five times, so entropies are based on less data."
        ),
        (
            f"Parsers with outputs from both kinds of training trees: {', '.join(measured) or 'none'}. Scores ignore"
            " punctuation. A word counts as converted if it swapped places with its head."
        ),
        *([TRAINED_BRIEFLY] if request.systems is None else []),
        (
            "The text of the Japanese treebank of UD 1.3 is not public. UD 1.4 has a different treebank, in which"
            " particles are part of words. Nothing in it is converted, so it is best to leave out `ja`."
        ),
    )
