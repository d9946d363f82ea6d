"""What takes part in a campaign: test sets and systems."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from levelhead.campaign.languages import UNKNOWN, Language


class TestSet(NamedTuple):
    """A gold treebank on which systems are tested.

    Args:
        code: its name in tables, for example `en_ewt`.
        gold: the gold file; None where only scores are known.
        outputs: where a system's output may be, relative to the system's folder; the first that exists is taken.
        language: its language.
    """

    code: str
    gold: Path | None = None
    outputs: tuple[str, ...] = ()
    language: Language = UNKNOWN


class System(NamedTuple):
    """One who takes part.

    Args:
        name: as printed.
        outputs: its output for each test set, by code; those that it did not hand in are not there.
    """

    name: str
    outputs: Mapping[str, Path]


class Campaign(NamedTuple):
    """Test sets and the systems tested on them.

    Args:
        test_sets: every test set of the list, each of which counts in every macro-average.
        systems: every system.
        ignored: files in the systems' folders that belong to no test set.
    """

    test_sets: tuple[TestSet, ...]
    systems: tuple[System, ...]
    ignored: tuple[Path, ...] = ()
