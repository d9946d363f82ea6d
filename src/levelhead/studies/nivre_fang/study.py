"""The study of Nivre and Fang (2017)."""

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
"""How the claim begins that the page opens with."""


def reproduce(request: StudyRequest) -> Study:
    """Run the study.

    Args:
        request: treebanks of UD 2.0; outputs for the parts that are parsed, or a trainer.

    Raises:
        InputError: a file is not valid.
    """
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
    """Ours; if outputs are given, the parser that they are of, and others that have a folder."""
    given = request.systems
    return [PARSER, *(name for name in OTHERS if given is None or (given / name).is_dir())]


def _rows(request: StudyRequest, parser: str, treebanks: Mapping[str, Parts], on: str) -> Rows:
    """The scores of a parser by treebank."""
    outputs = outputs_of(request, parser, treebanks, on=on)
    return scores({code: _parsed(treebanks[code], on) for code in outputs}, outputs, request)


def _by_parser(
    measured: Mapping[str, Rows], numbers: Mapping[str, Any], request: StudyRequest
) -> tuple[StudySection, ...]:
    """Whether findings depend on the parser; nothing where there is only one."""
    if len(measured) < 2 or not all(measured.values()):
        return ()
    claims = {parser: claims_on_scores(rows, numbers, request) for parser, rows in measured.items()}
    return by_treebank(measured, numbers), summary(measured, numbers), verdicts_by_parser(claims)


def _split(rows: Rows, treebanks: Mapping[str, Parts]) -> str:
    """What our parser was trained and run on; other parts replace missing ones."""
    untrained, undeveloped = (
        [code for code in rows if getattr(treebanks[code], part) is None] for part in ("train", "dev")
    )
    other = f" (another part, for want of one: {', '.join(untrained)})" if untrained else ""
    tested = f" (the test sets, for want of one: {', '.join(undeveloped)})" if undeveloped else ""
    return f"trained on the training sets{other} and run on the development sets{tested}"


def _parsed(parts: Parts, on: str) -> Path:
    return (parts.dev or parts.tested) if on == "dev" else parts.tested


def _setting(
    rows: Rows, treebanks: Mapping[str, Parts], request: StudyRequest, numbers: Mapping[str, Any]
) -> tuple[str, ...]:
    given = (
        "Outputs of another parser were given; numbers can agree in their pattern only."
        if request.systems is not None
        else f"Our parsers, with all features, {_split(rows, treebanks)}."
    )
    known = sum(code in numbers["languages"] for code in rows)
    among = "" if known == len(rows) else f"{len(rows)} treebanks, "
    return (
        (
            f"{among}{known} of the {len(numbers['languages'])} treebanks of the paper: {', '.join(rows) or 'none'}."
            f" {given}"
        ),
        (
            "Which treebank of a language is meant follows the languages of the paper's tables and its footnote 1 (page"
            " 89): the one whose code has no suffix, but PROIEL for Ancient Greek and Latin."
        ),
        (
            "Scores in percent, differences in points (restricted minus full). The paper's parser is MaltParser, with"
            " gold segmentation and tags, on the development sets of UD 2.0."
        ),
        *([_COMPARED, TRAINED_BRIEFLY] if request.systems is None else []),
    )


_COMPARED = "Claims and tables are about swap-lazy; the last sections compare it with graph and ensemble."
