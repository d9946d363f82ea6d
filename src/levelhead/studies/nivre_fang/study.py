"""The study of Nivre and Fang (2017)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from levelhead.studies.nivre_fang.claims import claim_on_figure_1, claims_on_scores, printed_claims
from levelhead.studies.nivre_fang.measures import NAME, PARSER, Rows, scores, scores_of_examples, words
from levelhead.studies.nivre_fang.tables import agreement, differences, families, figure_1, relations, table_2
from levelhead.studies.parser_outputs import outputs_of
from levelhead.studies.printed_numbers import printed
from levelhead.studies.request import StudyRequest, StudyTask, run_tasks, signature
from levelhead.studies.study import Study
from levelhead.studies.treebank_parts import Parts, parts_of


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
    outputs = outputs_of(request, PARSER, treebanks, on=on)
    rows = scores({code: _parsed(treebanks[code], on) for code in outputs}, outputs, request)
    sizes = run_tasks(
        NAME, [StudyTask(code, words, (parts.train,)) for code, parts in treebanks.items() if parts.train], request
    )
    examples = scores_of_examples(numbers["figure_1"], request)
    sections = (
        figure_1(examples),
        table_2(rows, numbers), differences(rows, numbers), relations(rows, numbers), agreement(rows, numbers),
        families(rows, numbers),
    )  # fmt: skip
    claims = (
        claim_on_figure_1(examples), *printed_claims(numbers, sizes), *claims_on_scores(rows, numbers, request),
    )  # fmt: skip
    return Study(
        NAME, numbers["title"], numbers["source"], _setting(rows, treebanks, request, numbers), sections, claims,
        signature(request, rules="ud", scheme="nivre-fang"),
    )  # fmt: skip


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
        else f"Our swap-lazy parser, with all features, {_split(rows, treebanks)}."
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
    )
