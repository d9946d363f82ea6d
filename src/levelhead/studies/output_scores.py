"""Scores of parsers' outputs in files of any format, counted by the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from levelhead.campaign import Result, check_valid, find, score_plan
from levelhead.setup import setup_of
from levelhead.studies.parts import format_of
from levelhead.studies.request import Request

Outputs = Mapping[str, Mapping[str, Path]]
"""The files of each parser by the code of the treebank."""


def scores_of_outputs(
    golds: Mapping[str, Path],
    outputs: Outputs,
    measures: Iterable[str],
    request: Request,
    *,
    by_sentence: bool = False,
    **settings: Any,
) -> dict[tuple[str, str], Result]:
    """Return the scores of each output by parser and treebank; files whose names differ in format are counted apart.

    Args:
        golds: the gold file of each treebank by its code.
        outputs: the outputs; parsers with outputs in one format have them for the same treebanks.
        measures: the texts of the measures.
        request: workers and store.
        by_sentence: whether the counts of every sentence are returned.
        settings: more settings of `setup_of`.

    Raises:
        InputError: a file is missing or invalid.
    """
    formats = {
        (parser, code): (format_of(path), format_of(golds[code]))
        for parser, files in outputs.items() for code, path in files.items()
    }  # fmt: skip
    names = list(measures)
    found: dict[tuple[str, str], Result] = {}
    for form in dict.fromkeys(formats.values()):
        chosen = {parser: {code: path for code, path in files.items() if formats[parser, code] == form}
                  for parser, files in outputs.items()}  # fmt: skip
        kept = {parser: files for parser, files in chosen.items() if files}
        plan = find({code: golds[code] for files in kept.values() for code in files}, kept)
        setup = setup_of(names, format=form[0], gold_format=form[1], **settings)
        results = score_plan(
            plan, setup, workers=request.workers, store=request.store, by_sentence=by_sentence
        )  # fmt: skip
        found |= check_valid(results).results
    return found
