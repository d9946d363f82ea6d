"""The replication of Søgaard and Haulrich."""

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

MAIN_CLAIM = "Parsers with lower derivation perplexity have a higher UAS"
"""The first words of the claim with which the page opens."""


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
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
    unswapped = ", and those that need no swaps" if any(_UNSWAPPED in row.groups for row in listed) else ""
    return (
        (
            f"{_treebanks_used(listed, treebanks)}. Perplexity is that of the test set (of the development set if there"
            " is none), without unknown words, under a trigram model of the training set with interpolated modified"
            " Kneser-Ney smoothing. The derivation order is that of the swap-lazy oracle. Size is the number of words"
            " in the training set; the paper does not define it."
        ),
        (
            "The treebanks of 2006 and 2007 are not free, so we use UD treebanks. Accuracies are the UAS of the best"
            " team and the mean UAS of all teams in the CoNLL 2017 shared task (official results, from raw text, on the"
            " same test sets); for treebanks that were not part of it, those of 2018 if"
            f" available.{_conllx(treebanks, rows, request)}"
        ),
        (
            "The paper's groups do not exist for UD. Our groups: treebanks by the size of their training set (halves)"
            f"{unswapped}."
        ),
    )


def _conllx(treebanks: Mapping[str, Parts], rows: Mapping[str, Row], request: StudyRequest) -> str:
    """The note on CoNLL-X treebanks; empty if there are none."""
    files = [code for code, parts in treebanks.items() if format_of(parts.tested) == "conllx"]
    rooted = {code: row["several roots"] for code, row in rows.items() if row["several roots"]}
    note = f" CoNLL-X files ({', '.join(files)}) have no accuracies, since the shared tasks used UD." if files else ""
    if not rooted or request.trainer is None or request.systems is not None:
        return note
    n = sum(rooted.values())
    return (
        f"{note} Some training sentences have several roots ({n:,} in all: {', '.join(rooted)}). For our parsers, the"
        " other roots are attached to the first one; perplexities and test sets use the trees as annotated."
    )


def _treebanks_used(listed: Sequence[TreebankPerplexities], treebanks: Mapping[str, Parts]) -> str:
    """How many treebanks are used, and which of them have no training set."""
    other = [row.name for row in listed if treebanks[row.name].train is None]
    without = f" (another part if there is none: {', '.join(other)})" if other else ""
    return f"{len(listed)} treebanks with training sets{without}"


def _treebank_perplexities(
    rows: Mapping[str, Row], numbers: Mapping[str, Any], treebanks: Mapping[str, Parts]
) -> list[TreebankPerplexities]:
    """The treebanks with their groups and accuracies; treebanks without a perplexity are left out.

    Only UD treebanks have accuracies: a CoNLL-X file with the same code (`de-test.conll`) is a different treebank.
    """
    known = {code: row for code, row in rows.items() if row["string"] and row["derivation"]}
    median = float(np.median([row["size"] for row in known.values()])) if known else 0.0
    listed = []
    for code, row in known.items():
        size = "large" if row["size"] >= median else "small"
        groups = (size, _UNSWAPPED) if not row["swaps"] else (size,)
        in_ud = format_of(treebanks[code].tested) == "conllu"
        official = (numbers["conll17"].get(code) or numbers["conll18"].get(code) or {}) if in_ud else {}
        accuracies = {name: official[name] for name in ("best", "average") if name in official}
        listed.append(TreebankPerplexities(code, groups, row["size"], row["string"], row["derivation"], accuracies))
    return listed


def _parsers(request: StudyRequest, treebanks: Mapping[str, Parts]) -> dict[str, Row]:
    outputs: dict[str, dict[str, Path]] = {}
    for parser in PARSERS:
        if request.systems is not None and not (request.systems / parser).is_dir():
            continue
        for code, path in outputs_of(request, parser, treebanks).items():
            outputs.setdefault(code, {})[parser] = path
    scored = {code: score_parsers(treebanks[code], files, request) for code, files in outputs.items() if len(files) > 2}
    tasks = [
        StudyTask(code, separated, (), (counts_of(results).tolist(), request.resamples // 4, request.seed))
        for code, results in scored.items()
    ]  # fmt: skip
    shares = run_tasks(f"{NAME}, pairs of parsers", tasks, request)
    return {code: {**values_of(results), "separated": shares[code]} for code, results in scored.items()}
