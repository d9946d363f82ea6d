"""Hostile surroundings: files that change while the command runs, outputs that cannot be written, signals, settings.

See test_hostile.py, which has hostile paths, names and contents.
"""

import contextlib
import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cases import AS_ANYONE, GOLD, LISTENING, ONE, SCORE, SYSTEM, Case, Cases, waited_for

CASES = Cases()
case = CASES.case


# Files that change while the command runs: a named pipe holds it where it is


@case
def a_file_that_vanishes_after_it_was_listed(folder: Path) -> Case:
    os.mkfifo(folder / "weights")

    def remove(process: subprocess.Popen[bytes]) -> None:
        with waited_for(folder / "weights", process) as weights:  # which are read when the folders have been listed
            (folder / "system.conllu").unlink()
            weights.write(b"case 0\n")

    return Case(
        ["score", "-m", "WeightedLAS(weights)", ".", "."], 2, says="system.conllu: unreadable-file: No such file or directory",
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


CHANGE = """
import builtins, os, sys
from levelhead.cli.program import main
from levelhead.treebank import input_bytes

class Half:
    '''A file of which a first read gives half; then somebody writes to it.'''
    def __init__(self, name, mode):
        self.file, self.name, self.changed = builtins.open(name, mode), name, name != "system.conllu"
        self.fileno = self.file.fileno
    def __enter__(self):
        return self
    def __exit__(self, *_):
        self.file.close()
    def read(self, size):
        if self.changed:
            return self.file.read(size)
        self.changed, part = True, self.file.read(size // 2)
        with builtins.open(self.name, "r+b") as other:
            CHANGES
        os.utime(self.name, (1, 1))  # whatever the clock of the file system
        return part

input_bytes.open = Half
main()
"""
"""The command, for which `system.conllu` changes between two reads."""


@case
def a_file_that_is_cut_off_while_it_is_read(_: Path) -> Case:
    return changing("other.truncate(len(part))")


@case
def a_file_that_is_written_anew_while_it_is_read(_: Path) -> Case:
    """What would be read is a valid file that nobody ever wrote."""
    return changing("other.write(builtins.open('gold.conllu', 'rb').read())")


@case
def a_file_that_grows_while_it_is_read(_: Path) -> Case:
    return changing("other.seek(0, 2), other.write(builtins.open('gold.conllu', 'rb').read())")


def changing(how: str) -> Case:
    command = [sys.executable, "-c", CHANGE.replace("CHANGES", how)]
    says = "system.conllu: changing-file: the file was changed while it was read\n"
    return Case(SCORE, 2, says=says, writes=("system.conllu",), command=command)


@case
def an_explanation_of_what_can_be_read_only_once(_: Path) -> Case:
    return Case("$L explain - system.conllu < gold.conllu", 0, prints="LAS        |   89.02 |   89.02")


# Output


@case
def a_full_disk(_: Path) -> Case:
    return Case("$L score gold.conllu system.conllu > /dev/full", 2, says="output: No space left on device\n")


@case
def a_full_disk_as_output(_: Path) -> Case:
    return Case([*SCORE, "-o", "/dev/full"], 2, says="/dev/full: output: No space left on device")


@case
def a_full_disk_as_output_of_many_parts(_: Path) -> Case:
    return Case("$L words gold.conllu system.conllu -o /dev/full", 2, says="/dev/full: output: No space left")


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
    return Case([*SCORE, "-o", "missing/scores"], 2, says="missing/scores: output: the folder missing does not exist\n")


@case
def output_in_a_folder_that_may_not_be_written_to(folder: Path) -> Case:
    (folder / "theirs").mkdir(mode=0o500)
    return Case([*SCORE, "-o", "theirs/scores"], 2, "theirs/scores: output: Permission denied", command=AS_ANYONE)


@case
def output_to_a_folder(folder: Path) -> Case:
    (folder / "outputs").mkdir()
    return Case([*SCORE, "-o", "outputs"], 2, says="outputs: output: this is the name of a folder")


def links(folder: Path) -> None:
    (folder / "link").symlink_to("system.conllu")
    os.link(folder / "system.conllu", folder / "hard-link")


INPUTS = "is an input file"
for verb in (SCORE, ["validate", "system.conllu"], ["explain", "gold.conllu", "system.conllu"]):
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


@case
def comparison_to_the_weights_of_a_measure(folder: Path) -> Case:
    (folder / "weights").write_text("case 0\n")
    compare = ["compare", "gold.conllu", "system.conllu", "system.conllu"]
    return Case([*compare, "-m", "WeightedLAS(weights)", "-o", "weights"], 2, says=INPUTS)


@case
def ranking_to_the_weights_of_a_measure(folder: Path) -> Case:
    (folder / "weights").write_text("case 0\n")
    for name in ("golds/x.conllu", "systems/a/x.conllu"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes(GOLD)
    return Case(["rank", "golds", "systems", "-m", "WeightedLAS(weights)", "-o", "weights"], 2, says=INPUTS)


TABLE = "treebank\ta\tb\nx\t1\t1\ny\t3\t2\nz\t5\t3\n"
LISTED = '[[treebank]]\ncode = "x"\ngold = "gold.conllu"\n'
OWN = '[measure.Own]\nneeds = ["head"]\n'
TWICE = "two results cannot be written to the same file"
VERBS = {
    # what follows `levelhead` where table.tsv, own.toml, votes, jar, systems/x.conllu are files: what is said
    "correlate table.tsv -o table.tsv": INPUTS,
    "correlate N=table.tsv -o ./table.tsv": INPUTS,
    "correlate table.svg -c a -c b --figure table.svg": INPUTS,
    "correlate table.tsv -c a -c b --figure f.svg -o ./f.svg": TWICE,
    "judge gold.conllu system.conllu systems/x.conllu --judgments votes -o votes": INPUTS,
    "judge gold.conllu system.conllu systems/x.conllu --judgments votes -o systems/x.conllu": INPUTS,
    "judge gold.conllu system.conllu systems/x.conllu --judgments votes --definitions own.toml -o own.toml": INPUTS,
    "measures --definitions own.toml -o own.toml": INPUTS,
    "measures --schemes --definitions own.toml -o own.toml": INPUTS,
    "profile gold.conllu --definitions own.toml -o own.toml": INPUTS,
    "profile gold.conllu --definitions own.toml --wde-table own.toml": INPUTS,
    "profile gold.conllu --wde-table q -o q": TWICE,
    "profile systems --wde-table systems/x.conllu": INPUTS,
    "convert forward gold.conllu votes --targets votes": INPUTS,
    "convert --check gold.conllu --targets votes -o votes": INPUTS,
    "derive gold.conllu -o gold.conllu": INPUTS,
    "perplexity gold.conllu system.conllu -o system.conllu": INPUTS,
    "perplexity gold.conllu system.conllu --write-arpa gold.conllu": INPUTS,
    "perplexity gold.conllu system.conllu --write-arpa q -o q": TWICE,
    "crossval malt gold.conllu --jar jar -o jar": INPUTS,
    "crossval graph gold.conllu --store q -o q": TWICE,
    "train malt gold.conllu jar --jar jar": INPUTS,
    "train graph gold.conllu system.conllu --dev system.conllu": INPUTS,
    "parse votes gold.conllu -o votes": INPUTS,
    "parse votes gold.conllu --jar jar -o jar": INPUTS,
    "rank --scores table.tsv -o table.tsv": INPUTS,
    "rank man.toml systems -o gold.conllu": INPUTS,
    "score man.toml systems --report gold.conllu": INPUTS,
    "select man.toml -o man.toml": INPUTS,
    "validate man.toml -o man.toml": INPUTS,
    "difficulty --scores table.tsv -m WeightedLAS(votes) -o votes": INPUTS,
    "reproduce conll17 --scores table.tsv -o table.tsv": INPUTS,
    "reproduce kohita-2017 --treebanks systems -o systems/x.conllu": INPUTS,
    "reproduce kohita-2017 --treebanks systems --report q.html -o q.html": TWICE,
    "reproduce kohita-2017 --treebanks systems --outputs ./systems": "systems is a folder of inputs: name another folder for the results",
}
for line, message in VERBS.items():

    def over_an_input_of_a_verb(folder: Path, line: str = line, message: str = message) -> Case:
        (folder / "systems").mkdir()
        for name, text in {
            "table.tsv": TABLE,
            "table.svg": TABLE,
            "own.toml": OWN,
            "man.toml": LISTED,
            "votes": "1\n",
            "jar": "",
        }.items():
            (folder / name).write_text(text)
        (folder / "systems/x.conllu").write_bytes(SYSTEM)
        return Case(line.split(), 2, says=message)

    CASES[line] = over_an_input_of_a_verb


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
                    process.wait(timeout=30)  # a second would end it while it ends
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
def test_hostile(name: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The exit code, what is said, what is printed, and that no other file is changed."""
    CASES.check(name, tmp_path, capfdbinary)
