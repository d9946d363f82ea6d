"""Hostile paths, names and contents: whatever they are, the command ends with a line that says why.

Each case sets up a folder, in which `gold.conllu` and `system.conllu` are, and says what is run there and what is
expected. In all of them there is no traceback, nothing unprintable is printed, and no file is changed but those named.
"""

import bz2
import contextlib
import csv
import gzip
import io
import json
import lzma
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

import levelhead
from cases import AS_ANYONE, COMMAND, GOLD, ONE, SCORE, SYSTEM, Case, Cases, waited_for
from levelhead.cli import program
from result_rows import rows_in
from terminal import on_terminal

EVIL = b"a\n\x1b[31m\xff\xc2\x9b\xe2\x80\xae.conllu"
"""A file name with a line feed, terminal escapes of both kinds, a byte that is not UTF-8, and an override of direction."""

CASES = Cases()
case = CASES.case


# Paths that are no files


@case
def a_folder_and_a_file(_: Path) -> Case:
    return Case(["score", ".", "system.conllu"], 2, says="GOLD is a folder, but this is a file")


@case
def a_named_pipe_with_somebody_at_the_other_end(folder: Path) -> Case:
    os.mkfifo(folder / "pipe")
    return Case(
        ["score", "-m", "LAS", "pipe", "system.conllu"], 0, prints="89.02",
        meanwhile=lambda process: fill(folder / "pipe", process),
    )  # fmt: skip


@case
def a_named_pipe_among_the_outputs_of_a_system(folder: Path) -> Case:
    """Nobody will ever write to it."""
    (folder / "outputs").mkdir()
    os.mkfifo(folder / "outputs/system.conllu")
    (folder / "outputs/gold.conllu").write_bytes(GOLD)
    return Case("$L score . outputs", 2, says="system.conllu: unreadable-file: it is neither a file nor a folder")


@case
def a_folder_among_the_outputs_of_a_system(folder: Path) -> Case:
    (folder / "outputs/gold.conllu").mkdir(parents=True)
    (folder / "outputs/system.conllu").write_bytes(SYSTEM)
    return Case("$L compare . outputs", 2, says="outputs/gold.conllu: unreadable-file: it is a folder")


def fill(pipe: Path, process: subprocess.Popen[bytes]) -> None:
    with waited_for(pipe, process) as file:
        file.write(GOLD)


@case
def a_device_without_contents(_: Path) -> Case:
    return Case(["score", "/dev/null", "system.conllu"], 2, says="/dev/null:1: empty-file")


@case
def a_file_that_opens_and_cannot_be_read(_: Path) -> Case:
    return Case(["score", "/proc/self/mem", "system.conllu"], 2, says="unreadable-file: Input/output error")


@case
def a_circle_of_links(folder: Path) -> Case:
    (folder / "loop").symlink_to("loop")
    return Case(["score", "gold.conllu", "loop"], 2, says="loop: unreadable-file: Too many levels of symbolic links")


@case
def a_name_that_is_too_long(_: Path) -> Case:
    return Case(["score", "gold.conllu", "x" * 300], 2, says="unreadable-file: File name too long")


for title, arguments in {
    "gold of rank": ["rank", "x" * 300, "."],
    "systems of compare": ["compare", "gold.conllu", "x" * 300, "system.conllu"],
    "an input of reproduce": ["reproduce", "nivre-fang-2017", "--treebanks", "x" * 300],
}.items():
    CASES[f"a name that is too long as {title}"] = lambda _, arguments=arguments: Case(
        arguments, 2, says=f"{'x' * 300}: unreadable-file: File name too long"
    )


@case
def an_empty_name(_: Path) -> Case:
    return Case(["score", "gold.conllu", ""], 2, says="the path is empty")


@case
def a_file_that_may_not_be_read(folder: Path) -> Case:
    (folder / "secret").touch(mode=0)
    return Case(
        ["score", "secret", "system.conllu"], 2, "secret: unreadable-file: Permission denied", command=AS_ANYONE
    )


@case
def a_folder_that_may_not_be_listed(folder: Path) -> Case:
    (folder / "secret").mkdir(mode=0o300)
    return Case(["score", "secret", "."], 2, "secret: unreadable-file: Permission denied", command=AS_ANYONE)


@case
def no_files(folder: Path) -> Case:
    (folder / "nothing").mkdir()
    return Case(["score", "nothing", "."], 2, says="nothing: no-pairs")


@case
def two_files_that_differ_only_in_compression(folder: Path) -> Case:
    (folder / "gold.conllu.gz").write_bytes(gzip.compress(GOLD))
    return Case(["score", ".", "."], 2, says="no-pairs: the folder has both gold.conllu.gz and gold.conllu")


@case
def two_files_that_differ_only_in_their_ending(folder: Path) -> Case:
    (folder / "gold.conllx").write_bytes(GOLD)
    return Case(["score", ".", "."], 2, says="no-pairs: the folder has both gold.conllx and gold.conllu")


@case
def gold_and_systems_that_are_swapped(folder: Path) -> Case:
    for name in ("gold/en", "systems/a/en", "systems/b/en"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.conllu").write_bytes(GOLD)
    return Case(["rank", "systems", "gold"], 2, says="systems: no-pairs: this is a folder of systems: are gold and")


@case
def a_task_that_is_elsewhere(_: Path) -> Case:
    return Case(
        ["task", "status"], 2, says=".: unreadable-file: the folder has no task.toml: name the folder of a task"
    )


# Names that would write on a terminal


@case
def a_name_with_control_characters_in_a_message(_: Path) -> Case:
    return Case(["score", "gold.conllu", EVIL], 2, says="a\\n\\x1b[31m\\udcff\\x9b\\u202e.conllu: unreadable-file")


@case
def a_name_with_control_characters_in_a_report(folder: Path) -> Case:
    (folder / os.fsdecode(EVIL)).write_bytes(ONE.replace(b"1\t", b"2\t", 1))
    return Case(["validate", EVIL], 2, prints="a\\n\\x1b[31m\\udcff\\x9b\\u202e.conllu:1: word-id-sequence")


@case
def a_name_with_control_characters_in_json(folder: Path) -> Case:
    (folder / os.fsdecode(EVIL)).write_bytes(ONE.replace(b"1\t", b"2\t", 1))
    return Case(["validate", "--format", "jsonl", EVIL], 2, prints='"file": "a\\n\\u001b[31m')


@case
def a_name_with_control_characters_in_annotations(folder: Path) -> Case:
    (folder / os.fsdecode(EVIL)).write_bytes(ONE.replace(b"1\t", b"2\t", 1))
    return Case(["validate", "--format", "github", EVIL], 2, prints="::error file=a\\n\\x1b[31m")


def evil_folder(folder: Path) -> None:
    for name in ("gold.conllu", "system.conllu"):
        (folder / name).rename(folder / name.removesuffix(".conllu"))
    (folder / os.fsdecode(EVIL)).write_bytes(GOLD)


for output_format in ("text", "markdown", "latex", "json", "jsonl"):

    def a_name_in_a_table(folder: Path, output_format: str = output_format) -> Case:
        evil_folder(folder)
        return Case(["score", "-m", "LAS", "--format", output_format, ".", "."], 0, prints="a")

    CASES[f"a name with control characters in a table as {output_format}"] = a_name_in_a_table


@case
def a_name_with_control_characters_that_is_missing(folder: Path) -> Case:
    evil_folder(folder)
    (folder / "outputs").mkdir()
    return Case(["score", ".", "outputs"], 2, says="gold treebank: a\\n\\x1b[31m")


@case
def a_name_with_control_characters_that_is_there_twice(folder: Path) -> Case:
    evil_folder(folder)
    (folder / os.fsdecode(EVIL + b".gz")).touch()
    return Case(["score", ".", "."], 2, says="no-pairs: the folder has both a\\n\\x1b[31m")


@case
def a_measure_with_control_characters(folder: Path) -> Case:
    (folder / os.fsdecode(EVIL)).write_text("case 0.5\n")
    measure = b"WeightedLAS(" + EVIL + b")"
    return Case([*SCORE, "-m", measure, "--fail-under", measure + b"=99"], 1, "is 88.", prints="(a\\n\\x1b[31m")


@case
def an_argument_with_control_characters(_: Path) -> Case:
    return Case([*SCORE, EVIL[2:]], 2, says="unexpected argument '\\x1b[31m")


@case
def forms_with_control_characters(folder: Path) -> Case:
    (folder / "system.conllu").write_bytes(SYSTEM.replace(b"\tdog\t", "\td\x1b[31mog\u202e\t".encode()))
    return Case(SCORE, 2, says="token 'd\\x1b[31mog\\u202e'")


# Contents

COMPRESSED = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
WORD = "{}\tw\t_\t_\t_\t_\t{}\t{}\t_\t_\n"


def sentence(heads: list[int]) -> bytes:
    rows = (WORD.format(i, head, "dep" if head else "root") for i, head in enumerate(heads, 1))
    return f"{''.join(rows)}\n".encode()


def tar(name: str, data: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return file.getvalue()


CONTENTS: dict[str, tuple[Callable[[], bytes], int, str]] = {
    # what makes the contents of both files, and the exit code and slug of scoring one against the other
    "nothing": (lambda: b"", 2, "empty-file"),
    "UTF-16": (lambda: GOLD.decode().encode("utf-16"), 2, "encoding"),
    "UTF-16 without a mark": (lambda: GOLD.decode().encode("utf-16-le"), 2, "encoding"),
    "a byte order mark": (lambda: b"\xef\xbb\xbf" + GOLD, 0, "byte-order-mark"),
    "old line ends": (lambda: GOLD.replace(b"\n", b"\r"), 0, "line-ends"),
    "a carriage return in a form": (lambda: GOLD.replace(b"dog", b"d\rog"), 2, "stray-carriage-return"),
    "a NUL": (lambda: GOLD.replace(b"dog", b"d\0og"), 2, "control-character"),
    "a program": (lambda: Path(sys.executable).resolve().read_bytes()[: 1 << 20], 2, "encoding"),
    "a line of 5 MB": (lambda: b"x" * 5_000_000, 2, "number-of-columns"),
    "a line of 17 MB": (lambda: b"x" * 17_000_000, 2, "line-too-long"),
    "a cell of 2 MB": (lambda: ONE.replace(b"a", b"a" * 2_000_000), 0, "long-cell"),
    "many faults": (lambda: b"x\n" * 50_000, 2, "number-of-columns"),
    "an id of thirty digits": (lambda: ONE.replace(b"1\t", b"1" + b"0" * 30 + b"\t", 1), 2, "invalid-id"),
    "a head of thirty digits": (lambda: ONE.replace(b"\t0\t", b"\t1" + b"0" * 30 + b"\t"), 2, "invalid-head"),
    "a range of thirty digits": (lambda: ONE.replace(b"1\t", b"1-1" + b"0" * 30 + b"\t", 1) + ONE, 2, "invalid-id"),
    "a sentence of 70,000 words": (lambda: sentence([0] + [1] * 69_999), 0, ""),
    "a chain of 100,000 heads": (lambda: sentence([*range(2, 100_001), 0]), 0, ""),
    "a circle of 30,000 heads": (lambda: sentence([29_999, *range(1, 29_999), 0]), 2, "cycle"),
    "a file that is cut off": (lambda: gzip.compress(GOLD)[:-100], 2, "damaged-compression"),
    "two compressed files in one": (lambda: gzip.compress(GOLD[:999]) + gzip.compress(GOLD[999:]), 0, ""),
    "a file compressed twice": (lambda: gzip.compress(gzip.compress(GOLD)), 2, "encoding"),
    "an archive": (lambda: tar("gold.conllu", GOLD), 2, "control-character"),
    "a compressed archive": (lambda: gzip.compress(tar("../gold.conllu", GOLD)), 2, "control-character"),
    "a zip archive": (lambda: b"PK\x03\x04" + GOLD, 2, "archive"),
    **{f"a bomb{suffix}": (lambda pack=pack: pack(bytes(20 << 20)), 2, "compression-bomb") for suffix, pack in COMPRESSED.items()},
}  # fmt: skip

for title, (make_contents, exit_code, slug) in CONTENTS.items():

    def of_contents(folder: Path, make=make_contents, code: int = exit_code, slug: str = slug) -> Case:
        data = make()
        for name in ("gold.conllu", "system.conllu"):
            (folder / name).write_bytes(data)
        return Case(SCORE, code, says=slug)

    CASES[f"{title} as contents"] = of_contents


@case
def a_chain_of_heads_that_ends_the_recursion_of_the_official_scorers(folder: Path) -> Case:
    for name in ("gold.conllu", "system.conllu"):
        (folder / name).write_bytes(sentence([*range(2, 100_001), 0]))
    return Case(
        [*SCORE, "--rules", "conll18"],
        2,
        says="refused-by-rules: the tree of sentence 1 is too deep",
    )


@case
def gold_and_system_swapped(_: Path) -> Case:
    """Nobody can tell; precision and recall trade places, and the signature says which file was which."""
    return Case(
        ["score", "-m", "CLAS", "system.conllu", "gold.conllu"], 0,
        prints="CLAS       |     80.00 |     80.90 |     80.45 |     80.90",
    )  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_hostile(name: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The exit code, what is said, what is printed, and that no other file is changed."""
    CASES.check(name, tmp_path, capfdbinary)


def test_json_is_the_same_with_control_characters_escaped(tmp_path: Path) -> None:
    """Escapes are undone by whoever reads it."""
    for name, data in (("gold", GOLD), ("system", SYSTEM)):
        (tmp_path / f"{name}.conllu").write_bytes(data)
    (tmp_path / os.fsdecode(EVIL)).write_bytes(GOLD)
    command = [*COMMAND, "score", "--format", "json", "-m", "LAS", os.fsdecode(EVIL), "system.conllu"]
    environment = {**os.environ, "PYTHONPATH": str(Path(levelhead.__file__).parent.parent)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
    (gold,) = rows_in(json.loads(done.stdout), "files", role="gold")
    assert gold["path"] == EVIL.decode("utf-8", "replace")


def test_tsv_is_data_in_a_file_and_printable_on_a_terminal(tmp_path: Path) -> None:
    """Whoever reads the file gets the name as it is."""
    for name, data in (("gold", GOLD), ("system", SYSTEM)):
        (tmp_path / name).mkdir()
        (tmp_path / name / os.fsdecode(EVIL)).write_bytes(data)
    arguments = ["score", "-m", "LAS", "--format", "tsv", "gold", "system"]
    _, _, shown = on_terminal(*arguments, folder=tmp_path).partition("treebank\t")  # after the progress
    assert '"a\n\\x1b[31m\\' in shown
    assert re.sub("[\n\t]", "", shown).isprintable()
    with contextlib.chdir(tmp_path):
        assert program.run([*arguments, "-o", "scores.tsv"]) == 0
        (treebank,) = levelhead.score("gold", "system", measures="LAS").treebanks
    with (tmp_path / "scores.tsv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file, delimiter="\t")
    assert row["treebank"] == treebank.encode("utf-8", "backslashreplace").decode()
    assert row["treebank"].startswith("a\n\x1b[31m")
