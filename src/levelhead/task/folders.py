"""The folder of a task: its creation, with inputs without gold annotation, and its export for publication."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from levelhead.campaign.find import find_test_sets
from levelhead.campaign.plan import TestSet
from levelhead.errors import Fault, InputError, OutputError, Place, reason_of
from levelhead.tables.data import DataColumn, DataTable
from levelhead.tables.writers import data_to_tsv
from levelhead.task.database import Database
from levelhead.task.description import OPEN, SharedTask, TaskFolder, read_task
from levelhead.task.documents import submission_document, without_formulas
from levelhead.task.gold_trees import check_inputs
from levelhead.task.standings import own_averages, own_results
from levelhead.task.submissions import primary_submissions, submission, submissions
from levelhead.treebank import Treebank, read
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.tokens import MISC
from levelhead.treebank.write import replace_file

_DESCRIPTION = """\
# A shared task. All keys are explained in docs/task-reference.md.

[task]
title = {title}
description = ""                    # shown on the first page: what to do, and the rules
contact = ""
# opens = 2027-03-01T12:00:00Z
# closes = 2027-03-08T12:00:00Z
kinds = ["outputs", "system"]       # what can be submitted
# address = "https://task.example.org"

[show]                              # hidden, coarse (to the nearest 5%) or open
own = "coarse"
leaderboard = "hidden"
after = "open"
inputs = true                       # whether participants can download the inputs
logs = true

[limits]
submissions_a_day = 5
upload_megabytes = 100
unpacked_megabytes = 500

[sandbox]
# user = "levelhead-run"            # needed if the server runs as root, and only then
seconds = 3600
memory_megabytes = 4000
processes = 64

[campaign]                          # as in a manifest of `levelhead rank`
gold = "gold"
measures = ["LAS", "MLAS", "BLEX", "CLAS"]
rules = "ud"
ranking = "exact"
"""


def create_task(
    folder: Path, gold: Path | None, *, title: str = "A shared task", inputs: Path | None = None
) -> TaskFolder:
    test_sets = find_test_sets(gold) if gold is not None else ()
    with _whole_or_nothing(folder):
        task = TaskFolder(folder)
        task.gold.mkdir(mode=0o700)
        task.blind.mkdir()
        entries = [_prepare(task, test_set, inputs) for test_set in test_sets]
        replace_file(task.blind / "metadata.json", [json.dumps(entries, indent=2).encode() + b"\n"])
        description = _DESCRIPTION.format(title=json.dumps(title, ensure_ascii=False))
        for test_set in test_sets:
            description += f"\n[[treebank]]\ncode = {json.dumps(test_set.code)}\n"
            if test_set.language.name:
                description += f"language = {json.dumps(test_set.language.name, ensure_ascii=False)}\n"
        replace_file(task.description, [description.encode()])
        task.prepare()
        Database(task.database).close()  # a task without a database is damaged
        if test_sets:
            check_inputs(read_task(folder))
    return task


@contextmanager
def _whole_or_nothing(folder: Path) -> Iterator[None]:
    """Create a folder; if filling it fails, remove it with the folders above that were created."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            message = "it already exists and is not an empty folder: name a new folder"
            raise OutputError(message, "output", Place(str(folder)))  # noqa: TRY301
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            yield
        except BaseException:
            for path in folder.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            raise
    except BaseException as error:
        for path in new:
            with suppress(OSError):  # files added by others meanwhile are kept
                path.rmdir()
        if isinstance(error, OSError) and not isinstance(error, OutputError):
            raise OutputError(reason_of(error), "output", Place(str(folder))) from error
        raise


def _prepare(folder: TaskFolder, test_set: TestSet, inputs: Path | None) -> Mapping[str, Any]:
    code = test_set.code
    gold = folder.gold / f"{code}.conllu"
    replace_file(gold, [read_bytes(test_set.gold or Path())])
    gold.chmod(0o600)
    replace_file(folder.blind / f"{code}.txt", [_raw_text(read(test_set.gold or Path())).encode()])
    language, _, rest = code.partition("_")
    entry = {"lcode": language, "tcode": rest, "rawfile": f"{code}.txt", "outfile": f"{code}.conllu"}
    if inputs is not None:
        given = inputs / f"{code}.conllu"
        if not given.is_file():
            raise InputError(Fault("unreadable-file", "input not found", Place(str(given))))
        shutil.copyfile(given, folder.blind / f"{code}.conllu")
        entry["psegmorfile"] = f"{code}.conllu"
    return entry


def _raw_text(treebank: Treebank) -> str:
    """The raw text of a treebank: paragraphs between blank lines, without sentence boundaries."""
    tokens, strings, ranges = treebank.tokens, treebank.strings, treebank.multiword
    of_ranges = dict(zip(ranges.first.tolist(), (cells[MISC] for cells in ranges.cells)))
    paragraphs = {i for i, text in enumerate(treebank.comments) if i and ("# newpar" in text or "# newdoc" in text)}
    parts = list[str]()
    before = 0
    columns = (tokens.forms, tokens.sentence, tokens.first, tokens.multiword)
    for form, sentence, first, several in zip(*(column.tolist() for column in columns)):
        parts.append("\n\n" * (sentence != before and sentence in paragraphs))
        misc = strings[int(of_ranges[first])] if several else treebank.misc[first]
        parts.append(strings[form] + " " * ("SpaceAfter=No" not in misc.split("|")))
        before = sentence
    return "".join(parts).rstrip(" ") + "\n"


_EXPORT_DATE = 0  # for every file in the archive, so that the same task gives the same bytes


def export_task(task: SharedTask, database: Database, target: Path, *, gold: bool = False) -> None:
    """Write the public parts of a closed task (docs/task.md, Closing) to a tar.gz file, completely or not at all."""
    if database.fact("final") is None:
        raise InputError(Fault("invalid-task", "no final ranking yet: run `levelhead task close` first"))
    sums = list[str]()
    temporary = target.with_name(f".{target.name}.part")

    def add(name: str, data: IO[bytes]) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mtime, info.mode = data.seek(0, io.SEEK_END), _EXPORT_DATE, 0o644
        data.seek(0)
        tar.addfile(info, data)

    try:
        with (
            temporary.open("wb") as file,
            gzip.GzipFile("", "wb", fileobj=file, mtime=_EXPORT_DATE) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
        ):
            for name, contents in _files(task, database, gold=gold):
                with contents.open("rb") if isinstance(contents, Path) else io.BytesIO(contents) as data:
                    sums.append(f"{hashlib.file_digest(data, 'sha256').hexdigest()}  {name}\n")
                    add(name, data)
            add("SHA256SUMS", io.BytesIO("".join(sums).encode()))
        temporary.replace(target)
    except OSError as error:
        raise OutputError(reason_of(error), "output", Place(str(target))) from error
    finally:
        temporary.unlink(missing_ok=True)


def _files(task: SharedTask, database: Database, *, gold: bool) -> Iterator[tuple[str, Path | bytes]]:
    folder = task.folder
    primary = primary_submissions(database)
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
        document = submission_document(
            whole, own_results(whole, OPEN), own_averages(task, whole, OPEN),
            primary=whole.id in primary_ids, signature=(whole.document or {}).get("signature", {}),
        )  # fmt: skip
        yield f"{top}/submission.json", json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"
        run = folder.runs / str(whole.run)
        if whole.run and (run / "log").is_file():
            yield f"{top}/log", run / "log"
        if whole.run and (run / "output").is_dir():
            yield from _files_in(f"{top}/output", run / "output")
    columns = tuple(DataColumn(name, "text", "") for name in ("time", "actor", "action", "submission", "detail"))
    rows = database.rows("SELECT time, actor, action, submission, detail FROM audit ORDER BY id")
    yield "audit.tsv", data_to_tsv(without_formulas(DataTable(columns, rows))).encode()


def _files_in(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    return ((f"{name}/{path.name}", path) for path in sorted(folder.iterdir()) if path.is_file())


def _folder_name(team: str) -> str:
    """Return a folder name for a team; different teams have different folders."""
    safe = team.replace("%", "%25").replace("/", "%2F").replace("\\", "%5C")
    return f"%2E{safe[1:]}" if safe.startswith(".") else safe
