"""Layouts of treebanks and outputs on disk: which files are gold, and which are the outputs of a system."""

from levelhead.treebank.layouts.gold import (
    GoldFile,
    Split,
    bare_name,
    existing,
    extra_gold,
    files_at,
    gold_files,
    irregularity,
    name_of,
    splits_of,
    stem_of,
    treebank_of,
    treebanks_in,
    visible_entries,
)
from levelhead.treebank.layouts.outputs import (
    RunFiles,
    Runs,
    run_files,
    runs_of_one_file,
    system_folders,
    system_name,
)

__all__ = [
    "GoldFile",
    "RunFiles",
    "Runs",
    "Split",
    "bare_name",
    "existing",
    "extra_gold",
    "files_at",
    "gold_files",
    "irregularity",
    "name_of",
    "run_files",
    "runs_of_one_file",
    "splits_of",
    "stem_of",
    "system_folders",
    "system_name",
    "treebank_of",
    "treebanks_in",
    "visible_entries",
]
