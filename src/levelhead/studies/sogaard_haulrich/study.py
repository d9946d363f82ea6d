"""The study of Søgaard and Haulrich."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from levelhead.studies.parser_outputs import outputs_of
from levelhead.studies.printed_numbers import printed
from levelhead.studies.request import StudyRequest, StudyTask, run_tasks, signature
from levelhead.studies.sogaard_haulrich.averages import TreebankPerplexities
from levelhead.studies.sogaard_haulrich.claims import claims_on_parsers, claims_on_treebanks
from levelhead.studies.sogaard_haulrich.measures import (
    NAME,
    ORDER,
    PARSERS,
    Row,
    counts_of,
    perplexities,
    score_parsers,
    separated,
    values_of,
)
from levelhead.studies.sogaard_haulrich.tables import (
    accuracy_tables,
    averages_of_groups,
    parser_tables,
    perplexity_table,
)
from levelhead.studies.study import Study
from levelhead.studies.treebank_parts import Parts, format_of, parts_of

_UNSWAPPED = "no swaps needed"

MAIN_CLAIM = "Parsers of lower derivation perplexity have a higher UAS"
"""How the claim begins that the page opens with."""


def reproduce(request: StudyRequest) -> Study:
    """Run the study.

    Args:
        request: treebanks with training sets; outputs of the four parsers on gold words in folders of their names.

    Raises:
        InputError: a file is not valid, or an output is not on gold words.
    """
    numbers = printed("sogaard_haulrich")
    treebanks = {
        code: parts for code, parts in parts_of(request).items()
        if (parts.train and parts.tested != parts.train) or request.quick
    }  # fmt: skip
    tasks = [StudyTask(code, perplexities, (parts.training, parts.tested)) for code, parts in treebanks.items()]
    rows = run_tasks(NAME, tasks, request)
    listed = _treebank_perplexities(rows, numbers, treebanks)
    judged_parsers = _parsers(request, treebanks)
    sections = (
        perplexity_table(listed, rows), averages_of_groups(listed, numbers), *accuracy_tables(listed, numbers),
        *parser_tables(judged_parsers, numbers, request),
    )  # fmt: skip
    claims = (*claims_on_treebanks(listed, request), *claims_on_parsers(judged_parsers, numbers, request))
    signed = signature(request, order=ORDER, ngram="3", smoothing="modified-kneser-ney")
    setting = _setting(listed, treebanks, rows, request)
    return Study(NAME, numbers["title"], numbers["source"], setting, sections, claims, signed, MAIN_CLAIM)


def _setting(
    listed: Sequence[TreebankPerplexities],
    treebanks: Mapping[str, Parts],
    rows: Mapping[str, Row],
    request: StudyRequest,
) -> tuple[str, ...]:
    unswapped = ", and those that need no swap" if any(_UNSWAPPED in one.groups for one in listed) else ""
    return (
        (
            f"{_trained(listed, treebanks)}; perplexity of the test set (of the development set where"
            " there is none) under a trigram model of the training set, interpolated modified Kneser-Ney, without"
            " unknown words; derivation order of the swap-lazy oracle. Size is the words of the training set: the paper"
            " does not define it."
        ),
        (
            "The treebanks of 2006 and 2007 are not free. UD treebanks are used instead, with the UAS of the best team"
            " and the mean of all teams in the official results of the CoNLL 2017 shared task (from raw text, on the"
            " same test sets) as accuracies; treebanks that are not in it have the results of 2018 if available."
            f"{_conllx(treebanks, rows, request)}"
        ),
        (
            "The paper's groups do not exist for UD. Ours: treebanks by the size of their training set (halves)"
            f"{unswapped}."
        ),
    )


def _conllx(treebanks: Mapping[str, Parts], rows: Mapping[str, Row], request: StudyRequest) -> str:
    """The note on treebanks in CoNLL-X, if there are any."""
    files = [code for code, parts in treebanks.items() if format_of(parts.tested) == "conllx"]
    rooted = {code: row["several roots"] for code, row in rows.items() if row["several roots"]}
    note = f" CoNLL-X files ({', '.join(files)}) have no accuracies: these are of UD." if files else ""
    if not rooted or request.trainer is None or request.systems is not None:
        return note
    n = sum(rooted.values())
    return (
        f"{note} Training sentences with several roots ({n:,} in all: {', '.join(rooted)}): our parsers learn from them"
        " with the other roots hung from the first; perplexities and test sets are of the trees as they are."
    )


def _trained(listed: Sequence[TreebankPerplexities], treebanks: Mapping[str, Parts]) -> str:
    """How many treebanks there are, and which of them have no training set."""
    other = [one.name for one in listed if treebanks[one.name].train is None]
    without = f" (another part, for want of one: {', '.join(other)})" if other else ""
    return f"{len(listed)} treebanks with training sets{without}"


def _treebank_perplexities(
    rows: Mapping[str, Row], numbers: Mapping[str, Any], treebanks: Mapping[str, Parts]
) -> list[TreebankPerplexities]:
    """The treebanks with their groups and accuracies; those without a perplexity are left out.

    Accuracies are of UD treebanks: a CoNLL-X file of the same code (`de-test.conll`) is another treebank.
    """
    known = {code: row for code, row in rows.items() if row["string"] and row["derivation"]}
    middle = float(np.median([row["size"] for row in known.values()])) if known else 0.0
    found = []
    for code, row in known.items():
        size = "large" if row["size"] >= middle else "small"
        groups = (size, _UNSWAPPED) if not row["swaps"] else (size,)
        in_ud = format_of(treebanks[code].tested) == "conllu"
        official = (numbers["conll17"].get(code) or numbers["conll18"].get(code) or {}) if in_ud else {}
        accuracies = {name: official[name] for name in ("best", "average") if name in official}
        found.append(TreebankPerplexities(code, groups, row["size"], row["string"], row["derivation"], accuracies))
    return found


def _parsers(request: StudyRequest, treebanks: Mapping[str, Parts]) -> dict[str, Row]:
    outputs: dict[str, dict[str, Path]] = {}
    for parser in PARSERS:
        if request.systems is not None and not (request.systems / parser).is_dir():
            continue
        for code, path in outputs_of(request, parser, treebanks).items():
            outputs.setdefault(code, {})[parser] = path
    scored = {code: score_parsers(treebanks[code], found, request) for code, found in outputs.items() if len(found) > 2}
    tasks = [
        StudyTask(code, separated, (), (counts_of(results).tolist(), request.resamples // 4, request.seed))
        for code, results in scored.items()
    ]  # fmt: skip
    shares = run_tasks(f"{NAME}, pairs of parsers", tasks, request)
    return {code: {**values_of(results), "separated": shares[code]} for code, results in scored.items()}
