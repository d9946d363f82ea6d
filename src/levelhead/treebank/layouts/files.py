"""The names of treebank files, and the treebanks in a folder."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from levelhead.errors import Fault, InputError, Place, printable
from levelhead.treebank.input_bytes import SUFFIXES

_FORMATS = (".conllu", ".conllup", ".conllx", ".conll")
"""The suffixes of treebanks, without those of compressed files."""

_SPLITS = frozenset({"train", "dev", "test"})

_PREDICTED = {"pred", "preds", "predict", "predicted", "prediction", "predictions", "parse", "parsed"}

_ADDED = _SPLITS | _PREDICTED | {"ud", "sys", "system", "out", "output", "outputs"}
"""What parsers and shared tasks add to the name of a treebank (Stanza: `.test.pred`, IWPT: `-ud-test-sys`)."""

TIRA_OUTPUTS = "output"
"""The folder in which TIRA keeps the outputs of a run."""

MOST_NAMED = 5
"""The largest number of folders that an error names."""


def stem_of(file_name: str) -> str | None:
    """Return the name of a treebank's file without suffixes, None if it does not look like a treebank."""
    bare = bare_name(file_name)
    stem, dot, suffix = bare.rpartition(".")
    return stem if f"{dot}{suffix.lower()}" in _FORMATS else None


def bare_name(path: str) -> str:
    """Return a path without the suffix of a compressed file."""
    for suffix in SUFFIXES:
        path = path.removesuffix(suffix)
    return path


def treebank_of(stem: str) -> str:
    """Return the name of a file's treebank: without additions such as `-ud-train` or `.test.pred`."""
    words = re.split("([-_.])", stem)
    while len(words) > 2 and words[-1].lower() in _ADDED:
        del words[-2:]
    return "".join(words) or stem


def splits_of(stem: str) -> frozenset[str]:
    """Return the splits that the end of a file's name mentions."""
    return _SPLITS.intersection(re.split("[-_.]", stem[len(treebank_of(stem)) :].lower()))


def beginnings(stem: str) -> list[str]:
    """Return the name of a file, and what remains of it without its last additions, longest first."""
    shortest = len(treebank_of(stem))
    return [stem, *(stem[:end] for end in range(len(stem) - 1, shortest - 1, -1) if stem[end] in "-_.")]


def treebanks_in(folder: Path) -> dict[str, Path]:
    """Return the treebanks of a folder, and of its folders named `UD_*`, by name without suffixes."""
    return by_stem(treebank_files(folder))


def by_stem(files: Iterable[Path]) -> dict[str, Path]:
    """Return treebanks by name without suffixes."""
    paths: dict[str, Path] = {}
    for path in files:
        stem = stem_of(path.name) or path.name
        if stem in paths:
            both = f"{printable(path.name)} and {printable(paths[stem].name)}"
            raise layout_error("no-pairs", f"the folder has both {both}", path.parent)
        paths[stem] = path
    return paths


def files_at(path: str | os.PathLike[str]) -> list[str]:
    """Return a file itself, or the treebanks of a folder."""
    name = os.fspath(path)
    if not os.path.isdir(name):  # noqa: PTH112 -- a path may contain characters that pathlib refuses
        return [name]
    files = [os.fspath(file) for file in by_stem(output_files(Path(name))).values()]
    if not files:
        raise layout_error("no-pairs", "the folder has no CoNLL-U file", Path(name))
    return files


def existing(folder: Path, name: str) -> Path | None:
    """Return the regular file with a name in a folder, compressed or not, or None."""
    bare = bare_name(name)
    found = [path for suffix in ("", *SUFFIXES) if (path := folder / f"{bare}{suffix}").is_file()]
    if len(found) > 1:
        raise layout_error("no-pairs", f"the folder has both {found[0].name} and {found[1].name}", folder)
    return found[0] if found else None


def irregularity(path: Path) -> str | None:
    """Return why a path cannot be a treebank (a folder, a pipe, a broken link); None for a file."""
    if path.is_file():
        return None
    if path.is_dir():
        return "it is a folder"
    if path.exists():
        return "it is neither a file nor a folder"
    return "the link is broken" if path.is_symlink() else os.strerror(errno.ENOENT)


def visible_entries(folder: Path) -> list[Path]:
    """Return the files and folders in a folder that are not hidden, in alphabetical order."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise layout_error("unreadable-file", reason, folder) from error


def treebank_files(folder: Path) -> Iterator[Path]:
    """Yield the treebanks of a folder, and of the folders of a UD release in it."""
    return (path for path in named_as_treebanks(folder) if path.is_file())


def output_files(folder: Path) -> Iterator[Path]:
    """Yield the treebanks of a folder, of its folders `UD_*`, and of its folder `output`, as TIRA keeps outputs."""
    yield from treebank_files(folder)
    if (folder / TIRA_OUTPUTS).is_dir():
        yield from treebank_files(folder / TIRA_OUTPUTS)


def named_as_treebanks(folder: Path) -> Iterator[Path]:
    """Yield all paths with the name of a treebank, including folders, pipes and broken links."""
    for path in visible_entries(folder):
        if path.is_dir() and path.name.startswith("UD_"):
            yield from (entry for entry in visible_entries(path) if stem_of(entry.name) is not None)
        elif stem_of(path.name) is not None:
            yield path


def layout_error(slug: str, message: str, path: Path) -> InputError:
    """Return the error for a file or folder."""
    return InputError(Fault(slug, message, Place(os.fspath(path))))
