"""Export of a closed task to an archive for publication."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from levelhead.errors import Fault, InputError, OutputError, Place
from levelhead.report import WRITERS, Column, Table
from levelhead.task.database import Database
from levelhead.task.description import SharedTask
from levelhead.task.submissions import primary_submissions, submission, submissions

_DATE = 0  # for every file in the archive, so that the same task gives the same bytes


def export_task(task: SharedTask, database: Database, target: Path, *, gold: bool = False) -> None:
    """Write outputs, scores, logs and signatures of a closed task to a tar.gz file, completely or not at all.

    `systems/TEAM/TREEBANK.conllu` are the outputs of primary submissions, as for `levelhead rank`;
    `submissions/TEAM/NUMBER/` has every submission; `final/` the ranking; `audit.tsv` the audit log; `SHA256SUMS` a
    hash of each file. Tokens, uploaded archives and addresses are not included.
    """
    if database.fact("final") is None:
        raise InputError(Fault("invalid-task", "no final ranking yet: run `levelhead task close` first"))
    temporary = target.with_name(f".{target.name}.part")
    try:
        with temporary.open("wb") as file:
            _write(file, task, database, gold=gold)
        temporary.replace(target)
    except OSError as error:
        raise OutputError(error.strerror or str(error), "output", Place(str(target))) from error
    finally:
        temporary.unlink(missing_ok=True)


def _write(file: IO[bytes], task: SharedTask, database: Database, *, gold: bool) -> None:
    import gzip

    def add(name: str, data: IO[bytes]) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mtime, info.mode = data.seek(0, io.SEEK_END), _DATE, 0o644
        data.seek(0)
        tar.addfile(info, data)

    sums = []
    with (
        gzip.GzipFile("", "wb", fileobj=file, mtime=_DATE) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name, contents in _files(task, database, gold=gold):
            with contents.open("rb") if isinstance(contents, Path) else io.BytesIO(contents) as data:
                sums.append(f"{hashlib.file_digest(data, 'sha256').hexdigest()}  {name}\n")
                add(name, data)
        add("SHA256SUMS", io.BytesIO("".join(sums).encode()))


def _files(task: SharedTask, database: Database, *, gold: bool) -> Iterator[tuple[str, Path | bytes]]:
    folder, primary = task.folder, primary_submissions(database)
    yield "task.toml", folder.description
    yield from _files_in("final", folder.final)
    yield from ((f"blind/{path.name}", path) for path in folder.inputs())
    if gold:
        yield from _files_in("gold", folder.gold)
    for best in primary:
        yield from _files_in(f"systems/{_folder_name(best.team_name)}", folder.runs / str(best.run) / "output")
    primary_ids = {best.id for best in primary}
    for brief in submissions(database):
        whole = submission(database, brief.id) or brief
        top = f"submissions/{_folder_name(whole.team_name)}/{whole.number}"
        document = {**whole._asdict(), "team": whole.team_name, "primary": whole.id in primary_ids}
        for name in ("team_name", "chosen", "run", "log"):  # this log is for the organizer
            del document[name]
        yield f"{top}/submission.json", json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"
        run = folder.runs / str(whole.run)
        if whole.run and (run / "log").is_file():
            yield f"{top}/log", run / "log"
        if whole.run and (run / "output").is_dir():
            yield from _files_in(f"{top}/output", run / "output")
    columns = tuple(Column(name, "text") for name in ("time", "actor", "action", "submission", "detail"))
    rows = database.rows("SELECT time, actor, action, submission, detail FROM audit ORDER BY id")
    yield "audit.tsv", WRITERS["tsv"](Table(columns, tuple(map(tuple, rows))), None).encode()


def _files_in(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    return ((f"{name}/{path.name}", path) for path in sorted(folder.iterdir()) if path.is_file())


def _folder_name(team: str) -> str:
    """Return a folder name for a team; different teams have different folders."""
    safe = team.replace("%", "%25").replace("/", "%2F").replace("\\", "%5C")
    return f"%2E{safe[1:]}" if safe.startswith(".") else safe
