"""The replication of Nivre and Fang (2017)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from levelhead.studies.built_in_parsers import TRAINED_BRIEFLY
from levelhead.studies.by_parser import verdicts_by_parser
from levelhead.studies.nivre_fang.claims import claim_on_figure_1, claims_on_scores, printed_claims
from levelhead.studies.nivre_fang.measures import NAME, OTHERS, PARSER, Rows, scores, scores_of_examples, words
from levelhead.studies.nivre_fang.parsers import by_treebank, summary
from levelhead.studies.nivre_fang.tables import agreement, differences, families, figure_1, relations, table_2
from levelhead.studies.parser_outputs import outputs_of
from levelhead.studies.printed_numbers import printed
from levelhead.studies.request import StudyRequest, StudyTask, run_tasks, signature
from levelhead.studies.study import Study, StudySection
from levelhead.studies.treebank_parts import Parts, parts_of

MAIN_CLAIM = "LAS drops when FUN is left out"
"""The first words of the claim with which the page opens."""


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    numbers = printed("nivre_fang")
    treebanks = parts_of(request, numbers["languages"])
    on = "test" if request.systems is not None else "dev"
    measured = {parser: _rows(request, parser, treebanks, on) for parser in _parsers(request)}
    rows = measured[PARSER]
    sizes = run_tasks(
        NAME, [StudyTask(code, words, (parts.train,)) for code, parts in treebanks.items() if parts.train], request
    )
    examples = scores_of_examples(numbers["figure_1"], request)
    sections = (
        figure_1(examples),
        table_2(rows, numbers), differences(rows, numbers), relations(rows, numbers), agreement(rows, numbers),
        families(rows, numbers), *_by_parser(measured, numbers, request),
    )  # fmt: skip
    claims = (
        claim_on_figure_1(examples), *printed_claims(numbers, sizes), *claims_on_scores(rows, numbers, request),
    )  # fmt: skip
    return Study(
        NAME, numbers["title"], numbers["source"], _setting(rows, treebanks, request, numbers), sections, claims,
        signature(request, rules="ud", scheme="nivre-fang"), MAIN_CLAIM,
    )  # fmt: skip


def _parsers(request: StudyRequest) -> list[str]:
    """Our parsers; if outputs are given, the main parser, and the others that have a folder."""
    given = request.systems
    return [PARSER, *(name for name in OTHERS if given is None or (given / name).is_dir())]


def _rows(request: StudyRequest, parser: str, treebanks: Mapping[str, Parts], on: str) -> Rows:
    """The scores of a parser by treebank."""
    outputs = outputs_of(request, parser, treebanks, on=on)
    return scores({code: _parsed(treebanks[code], on) for code in outputs}, outputs, request)


def _by_parser(
    measured: Mapping[str, Rows], numbers: Mapping[str, Any], request: StudyRequest
) -> tuple[StudySection, ...]:
    """The sections on whether the findings depend on the parser; none with a single parser."""
    if len(measured) < 2 or not all(measured.values()):
        return ()
    claims = {parser: claims_on_scores(rows, numbers, request) for parser, rows in measured.items()}
    return by_treebank(measured, numbers), summary(measured, numbers), verdicts_by_parser(claims)


def _data_split(rows: Rows, treebanks: Mapping[str, Parts]) -> str:
    """The parts on which our parser was trained and run; other parts replace missing ones."""
    untrained, undeveloped = (
        [code for code in rows if getattr(treebanks[code], part) is None] for part in ("train", "dev")
    )
    other = f" (another part if there is none: {', '.join(untrained)})" if untrained else ""
    tested = f" (the test sets if there are none: {', '.join(undeveloped)})" if undeveloped else ""
    return f"trained on the training sets{other} and run on the development sets{tested}"


def _parsed(parts: Parts, on: str) -> Path:
    return (parts.dev or parts.tested) if on == "dev" else parts.tested


def _setting(
    rows: Rows, treebanks: Mapping[str, Parts], request: StudyRequest, numbers: Mapping[str, Any]
) -> tuple[str, ...]:
    given = (
        "The outputs are from another parser than the paper's, so only patterns can be compared, not numbers."
        if request.systems is not None
        else f"Our parsers, with all features, {_data_split(rows, treebanks)}."
    )
    known = sum(code in numbers["languages"] for code in rows)
    among = "" if known == len(rows) else f"{len(rows)} treebanks, "
    return (
        (
            f"{among}{known} of the {len(numbers['languages'])} treebanks of the paper: {', '.join(rows) or 'none'}."
            f" {given}"
        ),
        (
            "For languages with several treebanks, we follow footnote 1 of the paper (page 89): the treebank whose code"
            " has no suffix, except PROIEL for Ancient Greek and Latin."
        ),
        (
            "Scores are in percent, differences in points (restricted minus full). The paper's parser is MaltParser,"
            " with gold segmentation and tags, on the development sets of UD 2.0."
        ),
        *([_COMPARED, TRAINED_BRIEFLY] if request.systems is None else []),
    )


_COMPARED = "Verdicts and tables are based on swap-lazy; the last sections compare it with graph and ensemble."
