"""Is one treebank harder than another for a system, and how much of the difference is function words?"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.outputs import Output
from levelhead.campaign.plan import Plan
from levelhead.comparison import counts_and_sources, measures_part, score_outputs
from levelhead.provenance import Provenance, comparison_provenance, signature_of_draws
from levelhead.setup import Setup
from levelhead.significance import STANDARD as STANDARD_TESTS
from levelhead.significance import Counted, Settings, bootstrap_p, holm, interval, resampled, seeded
from levelhead.treebank import Treebank

_MOST_NAMED = 3
_SIGNIFICANT = 0.05


class LanguagePair(NamedTuple):
    """One system and one measure on two treebanks.

    Args:
        system: the system.
        measure: the measure.
        treebanks: the two treebanks.
        values: the system's values on them; None where there is nothing to count.
        difference: the first minus the second.
        interval: of the difference.
        p: of no difference, by the bootstrap.
        p_holm: corrected for the number of pairs of treebanks.
        paired: whether both have the same sentences (by sent_id), which are then drawn together.
    """

    system: str
    measure: str
    treebanks: tuple[str, str]
    values: tuple[float | None, float | None]
    difference: float | None
    interval: tuple[float, float] | None
    p: float | None
    p_holm: float | None
    paired: bool


class Languages(NamedTuple):
    """Every two treebanks compared, for every system.

    Args:
        pairs: one for each system, measure and two treebanks.
        provenance: where the numbers come from.
        perplexities: the measures whose values are perplexities.
    """

    pairs: tuple[LanguagePair, ...]
    provenance: Provenance
    perplexities: tuple[str, ...] = ()


def compare_languages(
    plan: Plan, setup: Setup, *, settings: Settings = STANDARD_TESTS, parallel: bool = False, **how: Any
) -> Languages:
    """Compare every two treebanks for every system.

    Treebanks with the same sent_ids are parallel: their sentences are drawn together. Others are drawn independently.
    Ids that only count the sentences (1 to n after a common beginning) are no evidence: unrelated treebanks share them.

    Args:
        plan: at least two test sets, and systems.
        setup: the settings.
        settings: how many resamples, which seed, which level of intervals.
        parallel: whether to believe ids that only count the sentences, too.
        how: `workers` and `store`, as in `score_plan`.

    Raises:
        InputError: an output is missing or a file is invalid.
    """
    results = score_outputs(plan, setup, by_sentence=True, look=_ids_of_gold, **how)
    counts, sources = counts_and_sources(results, plan, setup)
    labels = tuple(system.label for system in plan.systems)
    tables = {code: one._replace(systems=labels) for code, one in counts.items()}
    ids: dict[str, tuple[str, ...] | None] = dict(results.looked)
    believed = {name: own if own is None or parallel or not only_count(own) else None for name, own in ids.items()}
    pairs = tuple(_pairs(tables, _parallel(tables, believed), settings))
    parts = {**measures_part(results), **signature_of_draws(settings)}
    notes = (*_not_paired(ids, believed), *_hopeless(pairs, settings))
    provenance = comparison_provenance(sources, setup, parts, notes)
    if parallel:
        provenance = provenance.with_parts(parallel="declared")
    return Languages(pairs, provenance, setup.perplexities)


def _ids_of_gold(_: str, outputs: Sequence[Output]) -> tuple[str, ...] | None:
    return sent_ids(outputs[0].matches.gold)


def sent_ids(treebank: Treebank) -> tuple[str, ...] | None:
    """Return the ids of all sentences, None unless each has one of its own.

    Args:
        treebank: the treebank.
    """
    ids = [sentence.id for sentence in treebank]
    known = tuple(one for one in ids if one is not None)
    return known if len(set(known)) == len(ids) else None


def only_count(ids: Sequence[str]) -> bool:
    """Say whether ids are but a common beginning and the numbers of the sentences, without a gap: s1, s2, s3.

    Args:
        ids: the ids of all sentences.
    """
    found = [_NUMBERED.fullmatch(one) for one in ids]
    if len({one and one[1] for one in found}) > 1:
        return False
    numbers = {int(one[2]) for one in found if one}
    return len(numbers) == len(ids) > 0 and max(numbers) - min(numbers) + 1 == len(ids)


_NUMBERED = re.compile(r"(.*?)([0-9]{1,18})", re.DOTALL)


def _not_paired(ids: Mapping[str, tuple[str, ...] | None], believed: Mapping[str, object]) -> Iterator[str]:
    """Say of treebanks that look parallel why they are drawn apart."""
    counting, partly = [], []
    for one, other in combinations(ids, 2):
        ours, theirs = set(ids[one] or ()), set(ids[other] or ())
        both, most = len(ours & theirs), max(len(ours), len(theirs))
        if both == most and both and not (believed[one] and believed[other]):
            counting.append(f"{one} and {other}")
        elif both < most and 2 * both >= most:
            partly.append(f"{one} and {other} share {both} of {most} sent_ids")
    if counting:
        yield f"{_named(counting)} have the same sent_ids, which only count: drawn apart unless --parallel is given"
    if partly:
        yield f"{_named(partly)}: drawn apart, since not all sentences are in both"


def _named(pairs: Sequence[str]) -> str:
    """Some pairs of treebanks, and how many more there are."""
    more = len(pairs) - _MOST_NAMED
    return "; ".join(pairs[:_MOST_NAMED]) + (f" (and {more} more pairs)" if more > 0 else "")


def _hopeless(pairs: Sequence[LanguagePair], settings: Settings) -> Iterator[str]:
    """Say that too few resamples were drawn for any of so many differences to be significant."""
    tested = max(Counter((one.system, one.measure) for one in pairs if one.p is not None).values(), default=0)
    lowest = 2 / (settings.resamples + 1)  # of a two-sided test by the bootstrap
    if tested * lowest > _SIGNIFICANT:
        enough = math.ceil(2 * tested / _SIGNIFICANT / 1000) * 1000
        drawn = f"with {tested} pairs and {settings.resamples} resamples"
        yield f"{drawn} no corrected p can be below {min(1, tested * lowest):.2g}: --resamples {enough} is enough"


Groups = Mapping[str, Mapping[str, NDArray[np.intp]]]
"""By what tells a group from others: its treebanks, each with the order of its rows that makes them parallel."""


def _parallel(tables: Mapping[str, Counted], ids: Mapping[str, tuple[str, ...] | None]) -> Groups:
    """Group treebanks with the same ids; a group's key is its ids, or the contents of a treebank by itself."""
    groups: dict[str, dict[str, NDArray[np.intp]]] = {}
    for name, table in tables.items():
        own = ids[name]
        order = np.arange(len(table.parts)) if own is None else np.array(sorted(range(len(own)), key=own.__getitem__))
        groups.setdefault(table.gold if own is None else "\n".join(sorted(own)), {})[name] = order
    return groups


def _pairs(tables: Mapping[str, Counted], groups: Groups, settings: Settings) -> list[LanguagePair]:
    boot = _boot(tables, groups, settings)
    group_of = {name: number for number, group in enumerate(groups.values()) for name in group}
    first = next(iter(tables.values()))
    found = []
    for s, system in enumerate(first.systems):
        for m, measure in enumerate(first.measures):
            rows = []
            for one, other in combinations(tables, 2):
                values = [float(tables[name].values(tables[name].parts.sum(axis=0))[s, m]) for name in (one, other)]
                drawn = boot[one][:, s, m] - boot[other][:, s, m]
                rows.append(
                    _pair(system, measure, (one, other), values, drawn, group_of[one] == group_of[other], settings)
                )
            adjusted = holm([row.p for row in rows])
            found += [row._replace(p_holm=p) for row, p in zip(rows, adjusted, strict=True)]
    return found


def _boot(tables: Mapping[str, Counted], groups: Groups, settings: Settings) -> dict[str, NDArray[np.float64]]:
    """The values of every treebank in every resample, shape (resamples, systems, measures)."""
    values = {}
    for key, group in groups.items():
        side_by_side = np.concatenate([tables[name].flat[order] for name, order in group.items()], axis=1)
        sums = resampled(side_by_side, settings.resamples, seeded(settings, key))
        for name, part in zip(group, np.split(sums, len(group), axis=1), strict=True):
            values[name] = tables[name].values(tables[name].shaped(part))
    return values


def _pair(
    system: str,
    measure: str,
    treebanks: tuple[str, str],
    values: list[float],
    drawn: NDArray[np.float64],
    paired: bool,
    settings: Settings,
) -> LanguagePair:
    one, other = (None if np.isnan(value) else value for value in values)
    if one is None or other is None:
        return LanguagePair(system, measure, treebanks, (one, other), None, None, None, None, paired)
    p = float(bootstrap_p(drawn))
    between = interval(drawn, settings)
    return LanguagePair(system, measure, treebanks, (one, other), one - other, between, p, None, paired)
