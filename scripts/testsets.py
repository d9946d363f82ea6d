"""Write the index of the files of UD releases that levelhead ships, from tables of their hashes.

python scripts/testsets.py FOLDER, where FOLDER has `ud_files.tsv.xz` (columns release, repository, file, split, sha256,
sentences, words) and `ud_files_by_git.tsv.xz` (release, repository, file, split, git_blob). The first release of the
test sets of 2.0 is named 2.0-test in both.

The index has five lines (releases, splits, repositories, codes of today, codes of files), then the digests and the
records of all contents and names; see `levelhead.treebank.releases.index`.
"""

from __future__ import annotations

import argparse
import csv
import lzma
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from levelhead.treebank.releases.index import INDEX, RECORD

_LAST = "2.0-test"  # its treebanks also have the training data of 2.0, some of it corrected: not a release


def rows_of(path: Path) -> Iterator[dict[str, str]]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["release"] in {"2.0", _LAST}:
                if (row["split"] == "test") != (row["release"] == _LAST):
                    continue
                row["release"] = "2.0"
            yield row


def main(folder: Path, target: Path) -> None:
    rows = [*rows_of(folder / "ud_files.tsv.xz"), *rows_of(folder / "ud_files_by_git.tsv.xz")]
    releases = sorted({row["release"] for row in rows}, key=lambda release: [*map(int, release.split("."))])
    repositories = sorted({row["repository"] for row in rows})
    today: dict[str, tuple[str, int]] = {}
    records: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in rows:
        release = releases.index(row["release"])
        code, part = re.fullmatch(r"(\w+)-ud-(.+)\.conllu", row["file"]).groups()  # type: ignore[union-attr]
        today[row["repository"]] = max(
            today.get(row["repository"], ("", -1)), (code, release), key=lambda pair: pair[1]
        )
        record = records[row.get("sha256") or row["git_blob"], row["repository"], part, code]
        record[0] |= 1 << release
        record[1:] = int(row.get("sentences") or 0), int(row.get("words") or 0)
    parts = sorted({part for _, _, part, _ in records})
    codes = sorted({code for *_, code in records})
    packed, digests = bytearray(), bytearray()
    for (digest, repository, part, code), record in sorted(records.items(), key=lambda item: item[0][1:] + item[0][:1]):
        digests += bytes.fromhex(digest).ljust(32, b"\0")
        packed += RECORD.pack(repositories.index(repository), parts.index(part), codes.index(code), *record)
    lines = (releases, parts, repositories, [today[name][0] for name in repositories], codes)
    text = "".join(f"{' '.join(names)}\n" for names in lines)
    target.write_bytes(text.encode() + digests + packed)
    print(f"{len(records):,} records, {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    main(parser.parse_args().folder, Path(INDEX))
