"""Hostile input: whatever the files, names, streams and signals are, the command ends with a line that says why.

Each case sets up a folder, in which `gold.conllu` and `system.conllu` are, and says what is run there and what is
expected. In all of them there is no traceback, nothing unprintable is printed, and no file is changed but those named.
"""

import bz2
import contextlib
import gzip
import hashlib
import io
import json
import lzma
import os
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

import levelhead
from cases import AS_ANYONE, COMMAND, LISTENING, Case, check, contents, run_here, run_outside, same_but, waited_for
from conftest import EXAMPLES

GOLD = (EXAMPLES / "parallel/gold/en.conllu").read_bytes()
SYSTEM = (EXAMPLES / "parallel/systems/alpha/en.conllu").read_bytes()
SCORE = ["score", "-m", "LAS", "gold.conllu", "system.conllu"]
ONE = b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
EVIL = b"a\n\x1b[31m\xff\xc2\x9b\xe2\x80\xae.conllu"
"""A file name with a line feed, terminal escapes of both kinds, a byte that is not UTF-8, and an override of direction."""

Make = Callable[[Path], Case]
CASES: dict[str, Make] = {}


def case(make: Make) -> Make:
    """Enter a case under its name."""
    CASES[make.__name__.replace("_", " ")] = make
    return make


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    (tmp_path / "gold.conllu").write_bytes(GOLD)
    (tmp_path / "system.conllu").write_bytes(SYSTEM)
    return tmp_path


# Paths that are no files


@case
def a_folder_and_a_file(_: Path) -> Case:
    return Case(["score", ".", "system.conllu"], 2, says="must both be files or both be folders")


@case
def a_folder_to_validate(_: Path) -> Case:
    return Case(["validate", "."], 2, prints=".: unreadable-file: Is a directory\n")


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
    (folder / "outputs/gold.conllu").mkdir()
    return Case("$L score . outputs", 2, says="outputs: missing-system-file: there is no output for system")


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


@case
def an_empty_name(_: Path) -> Case:
    return Case(["score", "gold.conllu", ""], 2, says=": unreadable-file: No such file or directory")


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


for output_format in ("text", "tsv", "markdown", "latex", "json", "jsonl"):

    def a_name_in_a_table(folder: Path, output_format: str = output_format) -> Case:
        evil_folder(folder)
        says = "rules:ud" if output_format == "tsv" else ""
        return Case(["score", "-m", "LAS", "--format", output_format, ".", "."], 0, prints="a", says=says)

    CASES[f"a name with control characters in a table as {output_format}"] = a_name_in_a_table


@case
def a_name_with_control_characters_that_is_missing(folder: Path) -> Case:
    evil_folder(folder)
    (folder / "outputs").mkdir()
    return Case(["score", ".", "outputs"], 2, says="missing-system-file: there is no output for a\\n\\x1b[31m")


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
    return Case([*SCORE, EVIL[2:]], 2, says="unexpected extra argument (\\x1b[31m")


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
    "UTF-16 without a mark": (lambda: GOLD.decode().encode("utf-16-le"), 2, "control-character"),
    "a byte order mark": (lambda: b"\xef\xbb\xbf" + GOLD, 0, "byte-order-mark"),
    "old line ends": (lambda: GOLD.replace(b"\n", b"\r"), 0, "line-ends"),
    "a carriage return in a form": (lambda: GOLD.replace(b"dog", b"d\rog"), 2, "stray-carriage-return"),
    "a NUL": (lambda: GOLD.replace(b"dog", b"d\0og"), 2, "control-character"),
    "a program": (lambda: Path(sys.executable).resolve().read_bytes()[: 1 << 20], 2, "encoding"),
    "a line of 5 MB": (lambda: b"x" * 5_000_000, 2, "number-of-columns"),
    "a cell of 2 MB": (lambda: ONE.replace(b"a", b"a" * 2_000_000), 0, "long-cell"),
    "many faults": (lambda: b"x\n" * 50_000, 2, "number-of-columns"),
    "an id of thirty digits": (lambda: ONE.replace(b"1\t", b"1" + b"0" * 30 + b"\t", 1), 2, "invalid-id"),
    "a head of thirty digits": (lambda: ONE.replace(b"\t0\t", b"\t1" + b"0" * 30 + b"\t"), 2, "invalid-head"),
    "a range of thirty digits": (lambda: ONE.replace(b"1\t", b"1-1" + b"0" * 30 + b"\t", 1) + ONE, 2, "invalid-id"),
    "a sentence of 100,000 words": (lambda: sentence([0] + [1] * 99_999), 0, ""),
    "a chain of 100,000 heads": (lambda: sentence([*range(2, 100_001), 0]), 0, ""),
    "a circle of 100,000 heads": (lambda: sentence([99_999, *range(1, 99_999), 0]), 2, "cycle"),
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
    return Case([*SCORE, "--rules", "conll18"], 2, says="refused-by-rules: its recursion ends in sentence 1")


@case
def gold_and_system_swapped(_: Path) -> Case:
    """Nobody can tell; precision and recall trade places, and the signature says which file was which."""
    return Case(
        ["score", "-m", "CLAS", "system.conllu", "gold.conllu"], 0,
        prints="CLAS       |     80.00 |     80.90 |     80.45 |     80.90",
    )  # fmt: skip


# Files that change while the command runs: a named pipe holds it where it is


@case
def a_file_that_vanishes_after_it_was_listed(folder: Path) -> Case:
    os.mkfifo(folder / "weights")

    def remove(process: subprocess.Popen[bytes]) -> None:
        with waited_for(folder / "weights", process) as weights:  # which are read when the folders have been listed
            (folder / "system.conllu").unlink()
            weights.write(b"case 0\n")

    return Case(
        ["score", "-w", "weights", ".", "."], 2, says="missing-system-file: there is no output for system",
        writes=("system.conllu",), meanwhile=remove,
    )  # fmt: skip


@case
def a_file_that_changes_after_it_was_read(folder: Path) -> Case:
    """What is printed, the hash too, is of what was read."""
    (folder / "system.conllu").unlink()
    os.mkfifo(folder / "system.conllu")

    def change(process: subprocess.Popen[bytes]) -> None:
        with waited_for(folder / "system.conllu", process) as system:  # which is read after gold
            (folder / "gold.conllu").write_bytes(ONE)
            system.write(SYSTEM)

    return Case(
        SCORE, 0, prints=f"gold:{hashlib.sha256(GOLD).hexdigest()[:12]}|", writes=("gold.conllu",), meanwhile=change
    )


@case
def an_explanation_of_what_can_be_read_only_once(_: Path) -> Case:
    return Case("$L score --explain - system.conllu < gold.conllu", 0, prints="LAS        |   89.02 |   89.02")


# Output


@case
def a_full_disk(_: Path) -> Case:
    return Case("$L score gold.conllu system.conllu > /dev/full", 2, says="output: No space left on device\n")


@case
def a_full_disk_as_output(_: Path) -> Case:
    return Case([*SCORE, "-o", "/dev/full"], 2, says="/dev/full: output: No space left on device")


@case
def a_disk_that_is_full_before_the_output_is_whole(folder: Path) -> Case:
    (folder / "scores").write_text("old")
    return Case("ulimit -f 0; $L score gold.conllu system.conllu -o scores", 2, says="scores: output: File too large")


@case
def a_broken_pipe(_: Path) -> Case:
    return Case("exec 3> >(exit); wait $!; $L measures >&3; echo $?", 0, prints="141")


@case
def no_standard_output(_: Path) -> Case:
    return Case("$L score gold.conllu system.conllu >&-", 2, says="output: standard output is closed")


@case
def no_standard_error(_: Path) -> Case:
    return Case("$L score gold.conllu missing 2>&-", 2)


@case
def a_standard_error_that_is_full(_: Path) -> Case:
    return Case("$L score gold.conllu missing 2> /dev/full", 2)


@case
def no_standard_error_and_a_gate(_: Path) -> Case:
    return Case("$L score -m LAS --fail-under LAS=99 gold.conllu system.conllu 2>&-", 1, prints="89.02")


@case
def no_standard_input(_: Path) -> Case:
    return Case("$L score - system.conllu <&-", 2, says="-: unreadable-file: standard input is closed")


@case
def output_in_a_missing_folder(_: Path) -> Case:
    return Case([*SCORE, "-o", "missing/scores"], 2, says="missing/scores: output: No such file or directory\n")


@case
def output_in_a_folder_that_may_not_be_written_to(folder: Path) -> Case:
    (folder / "theirs").mkdir(mode=0o500)
    return Case([*SCORE, "-o", "theirs/scores"], 2, "theirs/scores: output: Permission denied", command=AS_ANYONE)


@case
def output_to_a_folder(folder: Path) -> Case:
    (folder / "outputs").mkdir()
    return Case([*SCORE, "-o", "outputs"], 2, says="outputs: output: Is a directory")


def links(folder: Path) -> None:
    (folder / "link").symlink_to("system.conllu")
    os.link(folder / "system.conllu", folder / "hard-link")


INPUTS = "a file that is read cannot be written"
for verb in (SCORE, ["validate", "system.conllu"], ["score", "--explain", "gold.conllu", "system.conllu"]):
    for target in ("system.conllu", "./system.conllu", "link", "hard-link"):

        def over_an_input(folder: Path, verb=verb, target: str = target) -> Case:
            links(folder)
            return Case([*verb, "-o", target], 2, says=INPUTS)

        CASES[f"output of {' '.join(verb)} to {target}, which is read"] = over_an_input


@case
def output_to_a_file_of_a_folder_that_is_read(_: Path) -> Case:
    return Case(["score", ".", ".", "-o", "gold.conllu"], 2, says=INPUTS)


@case
def output_to_the_weights_of_a_measure(folder: Path) -> Case:
    (folder / "weights").write_text("case 0\n")
    return Case([*SCORE, "-m", "WeightedLAS(weights)", "-o", "weights"], 2, says=INPUTS)


# Signals


def interrupted_while_reading(folder: Path, number: signal.Signals, code: int, says: str) -> Case:
    (folder / "gold.conllu").unlink()
    os.mkfifo(folder / "gold.conllu")
    (folder / "scores").write_text("old")

    def interrupt(process: subprocess.Popen[bytes]) -> None:
        with waited_for(folder / "gold.conllu", process) as gold:
            gold.write(GOLD[:1000])
            gold.flush()
            for _ in range(100):  # one that comes right before the process begins to wait is seen only at the next
                process.send_signal(number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=0.3)
                    break

    return Case([*SCORE, "-o", "scores"], code, says=says, command=LISTENING, meanwhile=interrupt)


@case
def an_interrupt(folder: Path) -> Case:
    return interrupted_while_reading(folder, signal.SIGINT, 130, "interrupted\n")


@case
def an_order_to_end(folder: Path) -> Case:
    return interrupted_while_reading(folder, signal.SIGTERM, 143, "terminated\n")


# Environments


@case
def a_locale_without_unicode(folder: Path) -> Case:
    (folder / "é.conllu").write_bytes(GOLD)
    plain = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    return Case(["score", "-m", "LAS", "é.conllu", "system.conllu"], 0, prints="89.02", environment=plain)


@case
def messages_in_a_locale_without_unicode(folder: Path) -> Case:
    (folder / "system.conllu").write_bytes(SYSTEM.replace(b"dog", "dög".encode()))
    plain = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    return Case(SCORE, 2, says="'d\\xf6g", environment=plain)


@case
def odd_settings_of_the_terminal(_: Path) -> Case:
    return Case(
        SCORE, 0, prints="89.02", environment={"COLUMNS": "0", "TERM": "no-such", "LINES": "x", "HOME": "/nowhere"}
    )


@pytest.mark.parametrize("name", CASES)
def test_hostile(name: str, folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The exit code, what is said, what is printed, and that no other file is changed."""
    wanted = CASES[name](folder)
    before = contents(folder)
    check(wanted, run_outside(wanted, folder) if wanted.needs_a_process else run_here(wanted, folder, capfdbinary))
    assert same_but(before, contents(folder), wanted.writes)


def test_json_is_the_same_with_control_characters_escaped(folder: Path) -> None:
    """Escapes are undone by whoever reads it."""
    (folder / os.fsdecode(EVIL)).write_bytes(GOLD)
    command = [*COMMAND, "score", "--format", "json", "-m", "LAS", os.fsdecode(EVIL), "system.conllu"]
    environment = {**os.environ, "PYTHONPATH": str(Path(levelhead.__file__).parent.parent)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
    assert json.loads(done.stdout)["gold"]["path"] == EVIL.decode("utf-8", "replace")
