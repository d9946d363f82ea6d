"""Validation of files; kept apart from the other functions, which load measures and settings."""

from __future__ import annotations

import os
from collections.abc import Iterable

from levelhead.api.parameters import public
from levelhead.treebank.reader import Format
from levelhead.treebank.validation import CHECKED_RULES, Validation, validate as validate_files


@public(paths="path", rules=("one of", CHECKED_RULES), fix=("optional", "path"))
def validate(
    *paths: str | os.PathLike[str],
    format: Format = "conllu",
    rules: str = "ud",
    fix: str | os.PathLike[str] | None = None,
) -> Validation:
    """Return all errors and warnings of CoNLL-U files, each with its line.

    Consecutive blank lines are reported as one warning. To limit memory, at most 100,000 warnings of each kind are
    listed per file. All further warnings of this kind are added to the `count` of the last listed warning. Checking a
    file stops after 100,000 errors.

    Args:
        paths: files (also compressed), folders of files, or manifests (TOML) whose gold files are validated.
        rules: check files as CoNLL-U ("ud") or as files of morphosyntactic parsing ("msp25", "msp25-sorted").
        fix: write a repaired copy to this file, or copies of several inputs to this folder, and check the copies. Only
            white space, blank lines and empty columns are repaired.

    Raises:
        InputError: a folder has no CoNLL-U file, or a manifest is invalid.
        OutputError: a copy cannot be written, or would replace a file or another copy.
    """
    return validate_files(gold_of_manifests([os.fspath(path) for path in paths]), format, rules, fix)


def gold_of_manifests(paths: Iterable[str]) -> list[str]:
    """Return the gold files of manifests; other paths are unchanged."""
    files: list[str] = []
    for name in paths:
        if name.endswith(".toml"):
            from levelhead.campaign.find import listed_gold

            files += listed_gold(name)
        else:
            files.append(name)
    return files
