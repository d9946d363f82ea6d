"""Is one treebank harder than another for a system, and how much of the difference is function words?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.comparison import Outputs, counts_of, read_outputs
from levelhead.evaluation import measures_for, weights_for
from levelhead.measures import STANDARD, Registry
from levelhead.scoring.measure import Measure
from levelhead.scoring.rules import Rules, rules_named
from levelhead.significance import STANDARD as STANDARD_TESTS
from levelhead.significance import Counted, Run, Settings, bootstrap_p, counted, holm, interval, resampled
from levelhead.treebank import Treebank
from levelhead.treebank.reader import Format


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


def compare_languages(
    outputs: Outputs,
    *,
    measures: Sequence[str | Measure] = ("LAS", "CLAS"),
    rules: str | Rules = "ud",
    format: Format = "conllu",  # noqa: A002
    gold_format: Format | None = None,
    registry: Registry = STANDARD,
    settings: Settings = STANDARD_TESTS,
) -> list[LanguagePair]:
    """Compare every two treebanks for every system.

    Treebanks with the same sent_ids are parallel: their sentences are drawn together. Others are drawn independently.

    Args:
        outputs: the files of at least two treebanks.
        measures: which measures.
        rules: as in `compare`.
        format: as in `compare`.
        gold_format: as in `compare`.
        registry: as in `compare`.
        settings: as in `compare`.

    Raises:
        InputError: a file is not valid.
    """
    chosen = rules_named(rules)
    asked = measures_for(chosen, measures, registry)
    weights = weights_for(asked, registry)
    tables, ids = {}, {}
    for name, found in read_outputs(outputs, chosen, format, gold_format):
        tables[name] = counted([Run(one.name, counts_of(one.matches, asked, registry, weights)) for one in found])
        ids[name] = _sent_ids(found[0].matches.gold)
    return _pairs(tables, _parallel(tables, ids), settings)


def _sent_ids(treebank: Treebank) -> tuple[str, ...] | None:
    """The ids of all sentences, if each has one of its own."""
    ids = [sentence.id for sentence in treebank]
    known = tuple(one for one in ids if one is not None)
    return known if len(set(known)) == len(ids) else None


Groups = Sequence[Mapping[str, NDArray[np.intp]]]


def _parallel(tables: Mapping[str, Counted], ids: Mapping[str, tuple[str, ...] | None]) -> Groups:
    """Group treebanks with the same ids, each with the order of its rows that makes them parallel."""
    groups: dict[object, dict[str, NDArray[np.intp]]] = {}
    for name, table in tables.items():
        own = ids[name]
        order = np.arange(len(table.parts)) if own is None else np.array(sorted(range(len(own)), key=own.__getitem__))
        groups.setdefault(name if own is None else frozenset(own), {})[name] = order
    return list(groups.values())


def _pairs(tables: Mapping[str, Counted], groups: Groups, settings: Settings) -> list[LanguagePair]:
    boot = _boot(tables, groups, settings)
    group_of = {name: number for number, group in enumerate(groups) for name in group}
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
    for group, seed in zip(groups, np.random.SeedSequence(settings.seed).spawn(len(groups))):
        side_by_side = np.concatenate([tables[name].flat[order] for name, order in group.items()], axis=1)
        sums = resampled(side_by_side, settings.resamples, np.random.default_rng(seed))
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
    p = bootstrap_p(drawn)
    between = interval(drawn, settings)
    return LanguagePair(system, measure, treebanks, (one, other), one - other, between, p, None, paired)
