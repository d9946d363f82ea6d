"""An index of releases of made-up treebanks, instead of the one that is shipped."""

import hashlib
import lzma
from collections.abc import Iterable
from pathlib import Path

import pytest

from conftest import EXAMPLES, script
from levelhead.treebank.releases import index

OLD = (EXAMPLES / "parallel/gold/en.conllu").read_bytes()
NEW = OLD.replace(b"# text", b"# note = new\n# text")
GERMAN = (EXAMPLES / "parallel/gold/de.conllu").read_bytes()
TRAIN = (EXAMPLES / "leakage/train.conllu").read_bytes()

FILES: dict[tuple[str, str, str], bytes] = {
    ("2.0-test", "UD_English-Toy", "en-ud-test.conllu"): OLD,
    ("2.1", "UD_English-Toy", "en-ud-test.conllu"): OLD,
    ("2.2", "UD_English-Toy", "en_toy-ud-test.conllu"): OLD,
    ("2.3", "UD_English-Toy", "en_toy-ud-test.conllu"): NEW,
    ("2.2", "UD_English-Toy", "en_toy-ud-train.conllu"): TRAIN,
    ("2.2", "UD_German-Toy", "de_toy-ud-test.conllu"): GERMAN,
}
"""The contents of files by release, repository and name."""

LARGE = {"en_toy-ud-train.conllu"}
"""The names of files that are known by their git blob."""


def use_index(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Write the index, let levelhead use it, and give it an empty cache and no folders or addresses of the user."""
    rows = [(*key, key[2].split("-")[-1].split(".")[0], data) for key, data in FILES.items()]
    head = ["release", "repository", "file", "split"]
    small = [(*row, hashlib.sha256(data).hexdigest(), "20", "164") for *row, data in rows if row[2] not in LARGE]
    large = [(*row, blob(data)) for *row, data in rows if row[2] in LARGE]
    _write(folder / "ud_files.tsv.xz", [(*head, "sha256", "sentences", "words"), *small])
    _write(folder / "ud_files_by_git.tsv.xz", [(*head, "git_blob"), *large])
    script("testsets.py").main(folder, folder / "index.bin")
    patch.setattr(index, "INDEX", str(folder / "index.bin"))
    patch.setenv("LEVELHEAD_CACHE", str(folder / "cache"))
    for name in ("LEVELHEAD_UD", "LEVELHEAD_UD_ADDRESS"):
        patch.delenv(name, raising=False)
    forget()


def forget() -> None:
    index.index.cache_clear()
    index.released_as.cache_clear()


def blob(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _write(path: Path, rows: Iterable[Iterable[str]]) -> None:
    path.write_bytes(lzma.compress("".join("\t".join(row) + "\n" for row in rows).encode()))
