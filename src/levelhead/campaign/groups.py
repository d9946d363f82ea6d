"""Groups of test sets for averages."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from levelhead.campaign.plan import TestSet
from levelhead.errors import Fault, InputError, unknown

ALL = "all"
"""The group of all test sets of a campaign."""

EACH = "each"
"""The name for every test set as a separate group."""


class Group(NamedTuple):
    """A group of test sets for averages.

    Args:
        name: its name.
        codes: the codes of its test sets.
        lacks: the codes of its test sets that are not in this campaign.
    """

    name: str
    codes: tuple[str, ...]
    lacks: tuple[str, ...] = ()


@cache
def official_groups() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the groups of the shared tasks: by task, `conll17` or `conll18`, then by name."""
    return tomllib.loads((files("levelhead.campaign") / "groups.toml").read_text(encoding="utf-8"))


def groups_named(
    names: Iterable[str],
    test_sets: Sequence[TestSet],
    *,
    own: Mapping[str, Sequence[str]] | None = None,
    ranking: str = "exact",
) -> tuple[Group, ...]:
    """Return groups by name.

    A name is `all`; `each` (every test set separately); a group of the campaign; `language:Czech`, `family:Uralic` or
    `genus:Slavic`; or a group of a shared task, `conll18:pud`, or just `pud` if systems are ranked as in that task.

    Args:
        names: the names.
        test_sets: the test sets of the campaign.
        own: the groups of the campaign: the codes of their test sets by name.
        ranking: the rule of ranking.

    Raises:
        InputError: the group is unknown, or none of its test sets is in the campaign.
    """
    groups = (
        _each(test_sets) if name == EACH and EACH not in (own or {}) else [_group(name, test_sets, own or {}, ranking)]
        for name in dict.fromkeys(names)
    )
    return tuple(dict.fromkeys(itertools.chain.from_iterable(groups)))


def _each(test_sets: Sequence[TestSet]) -> list[Group]:
    return [Group(test_set.code, (test_set.code,)) for test_set in test_sets]


def _group(name: str, test_sets: Sequence[TestSet], own: Mapping[str, Sequence[str]], ranking: str) -> Group:
    members = _members(name, test_sets, own, ranking)
    if members is None:
        kinds = ("language:NAME", "family:NAME", "genus:NAME", "conll17:NAME", "conll18:NAME")
        known = [ALL, EACH, *own, *official_groups().get(ranking, {}), *kinds]
        raise InputError(Fault("unknown-group", unknown("group", name, known)))
    available = {test_set.code for test_set in test_sets}
    codes = tuple(code for code in dict.fromkeys(members) if code in available)
    if not codes:
        raise InputError(Fault("unknown-group", f"the group {name!r} contains no test set of this campaign"))
    return Group(name, codes, tuple(code for code in dict.fromkeys(members) if code not in available))


def _members(
    name: str, test_sets: Sequence[TestSet], own: Mapping[str, Sequence[str]], ranking: str
) -> Sequence[str] | None:
    if name in own:
        return own[name]
    if name == ALL:
        return [test_set.code for test_set in test_sets]
    kind, colon, value = name.partition(":")
    if colon and kind in {"language", "family", "genus"}:
        field = "name" if kind == "language" else kind
        return [test_set.code for test_set in test_sets if getattr(test_set.language, field) == value]
    task, wanted = (kind, value) if colon else (ranking, name)
    return official_groups().get(task, {}).get(wanted)
