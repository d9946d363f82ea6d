"""Fuzz model files: signed mutants of every kind of model are read and parsed with, or refused.

    nice python scripts/full/fuzz_models.py [MUTANTS] [KIND ...]

trains a tiny model of each kind on `examples/parallel`, changes its description, its tables, their sizes and its bytes,
corrects the lengths and the SHA-256, and reads the result. A mutant that is read then parses three sentences, whose
trees must be valid. Mutants run in batches in a process of their own, which may use 1 GB of address space more than it
had before the first mutant. Findings are crashes, other errors than refusals, invalid trees and too much memory.
By default there are 10,000 mutants of each kind; the same numbers give the same mutants. A finding is repeated with

    python scripts/full/fuzz_models.py --batch KIND NUMBER 1

The exit code is 1 if there are findings. The parser udpipe needs `ufal.udpipe`; without it, it is left out.
"""

import argparse
import copy
import hashlib
import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from levelhead import InputError, Treebank, from_conllu, read
from levelhead.parsing import (
    AnyModel,
    ExternalModel,
    ExternalSettings,
    Model,
    Recipe,
    Schedule,
    parse_any,
    read_model,
    train,
)
from levelhead.parsing.features import templates_for
from levelhead.parsing.model_file import FORMAT, MAGIC, model_bytes
from levelhead.treebank import to_conllu

GOLD = Path(__file__).parents[2] / "examples/parallel/gold/en.conllu"
BATCH = 500
MORE_MEMORY = 1 << 30
SECONDS = 600  # of a batch
SENTENCES = 3
ODD = (
    0, 1, -1, 2, 3, 7, 2**15, 2**31 - 1, 2**31, 2**32, 2**63, -(2**63), 10**40, 0.5, 1e308, float("nan"), True, None,
    "", "x", "graph", "h.form", "\ud800", [], {}, [0], [[]], {"a": 1}, [["actions", 1, 4, 1]],
)  # fmt: skip
ROWS = (0, 1, 1, 1, 2, 3, 4, 8, 100, 1 << 14, 1 << 15, 1 << 19, 1 << 22, 1 << 26, -2)
CLASSES = (0, 1, 3, 4, 5, 8, 16, 24, 32, 255, 256, 4096, 65536)


class Parts(NamedTuple):
    """A model file taken apart: what its JSON says, and the compressed tables or an external parser's model."""

    description: dict[str, Any]
    contents: list[bytes]


def own_model(parser: str, beam: int = 1, heads: str = "content") -> Model:
    """A model of a parser of levelhead's, trained in a moment."""
    return train(read(GOLD), Recipe(parser, beam=beam, heads=heads, schedule=Schedule(2, 1, 1)))


def udpipe_model() -> AnyModel:
    """A model of UDPipe's, trained in a moment."""
    options = "iterations=1;hidden_layer=4;embedding_form=4;embedding_upostag=4;use_gold_tags=1"
    return train(read(GOLD), Recipe("udpipe", external=ExternalSettings(options=options)))


def quick_ensemble() -> AnyModel:
    """An ensemble trained in a moment."""
    return train(read(GOLD), Recipe("ensemble", beam=2, schedule=Schedule(2, 1, 1)))


KINDS: dict[str, Callable[[], AnyModel]] = {
    "arc-eager": lambda: own_model("arc-eager", beam=2),
    "arc-standard": lambda: own_model("arc-standard"),
    "swap-eager": lambda: own_model("swap-eager"),
    "swap-lazy": lambda: own_model("swap-lazy", beam=4),
    "graph": lambda: own_model("graph"),
    "graph-first-order": lambda: own_model("graph-first-order"),
    "ensemble": quick_ensemble,
    "function-head": lambda: own_model("swap-lazy", heads="function"),
    "baseline": lambda: train(read(GOLD), Recipe("baseline-random-projective")),
    "command": lambda: ExternalModel("command", b"contents of another program's model" * 20, {"words": 1}, 2),
    "udpipe": udpipe_model,
}


def taken_apart(data: bytes) -> Parts:
    """The parts of a model file."""
    start = len(MAGIC) + 8
    size = int.from_bytes(data[start - 4 : start], "little")
    description, at, contents = json.loads(data[start : start + size]), start + size, []
    for *_, length in tables_in(description) or [[len(data) - 32 - at]]:
        contents.append(data[at : at + length])
        at += length
    return Parts(description, contents)


def models_in(description: dict[str, Any]) -> list[dict[str, Any]]:
    """What is said of each parser of an ensemble, or of the one parser."""
    members: list[dict[str, Any]] = description.get("members", [description])
    return members


def tables_in(description: dict[str, Any]) -> list[list[Any]]:
    """The entries of all tables, which can be changed in place."""
    return [entry for model in models_in(description) for entry in model.get("tables", [])]


def put_together(parts: Parts, version: int = FORMAT, error: int = 0) -> bytes:
    """A model file with a correct checksum; its version, and the size of its JSON, can be wrong."""
    text = json.dumps(parts.description).encode()
    size = max(0, len(text) + error).to_bytes(8, "little")[:4]
    return signed(b"".join([MAGIC, version.to_bytes(4, "little"), size, text, *parts.contents]))


def signed(body: bytes) -> bytes:
    """A file with a correct checksum."""
    return body + hashlib.sha256(body).digest()


def packed(table: np.ndarray) -> bytes:
    """A table as model files hold it."""
    used = table.any(axis=1)
    return zlib.compress(np.packbits(used).tobytes() + table[used].astype("<i2").tobytes(), 1)


# Mutations: each changes the parts of a file in place.


def change_value(parts: Parts, draw: Random) -> None:
    """Put something odd in a random place of the description."""
    place: Any = parts.description
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = draw.choice(keys)
        if not (isinstance(place[key], dict | list) and place[key] and draw.random() < 0.8):
            break
        place = place[key]
    place[key] = draw.choice([*ODD, draw.randrange(1 << 20)])


def drop_or_add_key(parts: Parts, draw: Random) -> None:
    """Leave a key out, or add an unknown one."""
    if draw.random() < 0.7:
        del parts.description[draw.choice(list(parts.description))]
    else:
        parts.description[draw.choice(["", "extra", "first"])] = draw.choice(ODD)


def change_parser(parts: Parts, draw: Random) -> None:
    """Call it another parser's model, perhaps with that parser's templates."""
    parser = draw.choice(list(KINDS)[:6])
    changed = draw.choice([parts.description, *models_in(parts.description)])
    changed["parser"] = parser
    if draw.random() < 0.7:
        changed["templates"] = templates_for(parser)


def change_templates(parts: Parts, draw: Random) -> None:
    """Other atoms in other numbers; most are valid."""
    texts = draw.choice(models_in(parts.description)).get("templates")
    if not texts:
        return
    name = draw.choice(list(texts))
    atoms = texts[name].replace("|", " ").split() + ["between", "x.form", ""][: draw.choice([0, 0, 1, 3])]
    lines = [" ".join(draw.choices(atoms, k=draw.randrange(1, 9))) for _ in range(draw.choice([0, 1, 2, 40, 600]))]
    texts[name] = draw.choice([" | ", "\n"]).join(lines)


def change_tables(parts: Parts, draw: Random) -> None:
    """Other rows or classes of one table or of all, with contents of that size, of which most are zeros."""
    entries = tables_in(parts.description)
    rows, classes = draw.choice(ROWS), draw.choice(CLASSES)
    same = draw.random() < 0.5
    chosen = range(len(entries)) if same or not entries else [draw.randrange(len(entries))]
    for i in chosen:
        name, _, width, _ = entries[i]
        width = classes if draw.random() < 0.3 else width
        size = max(rows, 0) * width
        parts.contents[i] = packed(weights(draw, rows, width)) if 0 < size < 1 << 18 else zlib.compress(bytes(1 << 16))
        entries[i][:] = [name, rows, width, len(parts.contents[i])]


def weights(draw: Random, rows: int, classes: int) -> np.ndarray:
    """A table of random weights, some of them the largest that there are."""
    if rows * classes > 1 << 20:
        raise ValueError("the peak of memory is not to be that of making mutants")
    random = np.random.default_rng(draw.randrange(1 << 32))
    table = random.integers(-(2**15), 2**15, (rows, classes)).astype(np.int16)
    if draw.random() < 0.3:
        table[:] = random.choice(np.array([-(2**15), 2**15 - 1, 0], np.int16), (rows, classes))
    table[random.random(rows) < draw.choice([0, 0.9])] = 0
    return table


def bomb(parts: Parts, draw: Random) -> None:
    """Many tables, or large ones, which take little space when compressed."""
    model = draw.choice(models_in(parts.description))
    entries = model.get("tables")
    if entries is None:
        return
    contents = zeros(draw.choice([1, 4, 16]) << 20)
    names = [entry[0] for entry in entries] if draw.random() < 0.5 else [f"table {i}" for i in range(6)]
    width = draw.choice([entries[-1][2], 255, 4096])
    at = next(i for i, entry in enumerate(tables_in(parts.description)) if entry is entries[0])
    parts.contents[at : at + len(entries)] = [contents] * len(names)
    model["tables"] = [[name, 1 << 22, width, len(contents)] for name in names]
    parts.description["relations"] = [f"r{i}" for i in range(width)]


@cache
def zeros(n: int) -> bytes:
    """So many zeros as a table whose rows are all marked as used."""
    return zlib.compress(b"\xff" * (1 << 19) + bytes(n), 9)


def change_weights(parts: Parts, draw: Random) -> None:
    """Random weights in tables of the right shape."""
    for i, entry in enumerate(tables_in(parts.description)):
        parts.contents[i] = packed(weights(draw, entry[1], entry[2]))
        entry[3] = len(parts.contents[i])


def change_relations(parts: Parts, draw: Random) -> None:
    """Another number of relations, with tables to match or not."""
    n = draw.choice([0, 1, 2, 7, 8, 9, 64, 300])
    parts.description["relations"] = [f"r{i}" for i in range(n)]
    parts.description["root"] = draw.choice([0, n - 1, n, n // 2])
    for i, (name, rows, *rest) in enumerate(entries := tables_in(parts.description)):
        if rest and name in {"labels", "relations"} and draw.random() < 0.8:
            shape = min(rows, 1 << 11), max(1, -(-n // 8)) * 8
            parts.contents[i] = packed(weights(draw, *shape))
            entries[i][1:] = [*shape, len(parts.contents[i])]


def change_beam(parts: Parts, draw: Random) -> None:
    """Another width of the beam, direction, root or kind of heads."""
    changed = draw.choice(models_in(parts.description))
    changed["beam"] = draw.choice([1, 2, 3, 64, 1024, 1025, 0, -1])
    changed["reverse"] = draw.choice([True, False])
    parts.description["root"] = draw.randrange(30)
    parts.description["function_head"] = draw.choice([None, 1, 2, 3, 0])


def change_contents(parts: Parts, draw: Random) -> None:
    """Other bytes in a compressed table or in an external parser's model, or fewer, or more."""
    i = draw.randrange(len(parts.contents))
    changed = bytearray(parts.contents[i])
    for _ in range(draw.choice([1, 1, 3, 20])):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    end = draw.choice([len(changed), len(changed), draw.randrange(len(changed) + 1)])
    parts.contents[i] = bytes(changed[:end]) + draw.randbytes(draw.choice([0, 0, 5]))
    if (entries := tables_in(parts.description)) and draw.random() < 0.8:
        entries[i][3] = len(parts.contents[i])


def move_tables(parts: Parts, draw: Random) -> None:
    """Tables in another order, one of them twice, or one missing."""
    entries = models_in(parts.description)[0].get("tables", [])  # of an ensemble, the first tables
    if not entries:
        return
    i = draw.randrange(len(entries))
    entry, contents = entries.pop(i), parts.contents.pop(i)
    for _ in range(draw.choice([0, 1, 2])):
        j = draw.randrange(len(entries) + 1)
        entries.insert(j, list(entry))
        parts.contents.insert(j, contents)


MUTATIONS = (
    change_value, change_value, drop_or_add_key, change_parser, change_templates, change_tables, change_tables, bomb,
    change_weights, change_relations, change_beam, change_contents, change_contents, move_tables,
)  # fmt: skip


def mutant(parts: Parts, number: int) -> bytes:
    """The mutant of a number: a signed file."""
    draw = Random(number)
    changed = Parts(copy.deepcopy(parts.description), list(parts.contents))
    try:
        for _ in range(draw.choice([1, 1, 1, 2, 3])):
            draw.choice(MUTATIONS)(changed, draw)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, MemoryError):
        pass  # an earlier change left nothing for this one
    if draw.random() < 0.05:
        return put_together(
            changed, draw.choice([0, 1, FORMAT, FORMAT + 1, 2**32 - 1]), draw.choice([-9, -1, 1, 9, 2**31])
        )
    data = put_together(changed)
    if draw.random() < 0.1:  # any byte before the checksum, of the description most often
        at = draw.randrange(len(MAGIC), min(len(data) - 32, 20_000))
        data = signed(data[:at] + draw.randbytes(1) + data[at + 1 : -32])
    return data


def outcome(path: Path, words: Treebank) -> str:
    """What comes of a file: "refused", "parsed", or a finding."""
    try:
        model = read_model(path)
    except InputError as error:
        return f"refused: {error.slug}"
    if model.parser in {"malt", "command"}:
        return "read"  # reading starts no program
    try:
        parsed = parse_any(model, words).treebank
    except InputError as error:
        return f"refused: {error.slug}"
    again = from_conllu(to_conllu(parsed))  # an InputError if trees or relations are not valid
    return "parsed" if list(again.forms) == list(words.forms) else "finding: other words"


def run_batch(parts: Parts, kind: str, first: int, count: int, report: Callable[[str], None]) -> None:
    """Run some mutants; report the number of each before it is run, and what came of it."""
    words = read(GOLD)[:SENTENCES]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / kind
        for number in range(first, first + count):
            path.write_bytes(mutant(parts, number))
            report(f"{number} ")
            try:
                found = outcome(path, words)
            except Exception as error:  # noqa: BLE001 -- whatever it is, it is a finding
                found = f"finding: {type(error).__name__}: {str(error)[:100]}"
            report(found.replace("\n", " ") + "\n")


def own_peak() -> int:
    """Return the peak of this process in KiB; ru_maxrss would be that of the process which started it, if larger."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))


def batch(kind: str, first: int, count: int) -> None:
    """Run mutants in this process, in limited memory, and print what came of each, and the peak."""
    given = b"" if sys.stdin.isatty() else sys.stdin.buffer.read()
    parts = taken_apart(given or model_bytes(KINDS[kind]()))
    run_batch(parts, kind, 0, 0, lambda _: None)  # what is loaded once belongs to the baseline
    before = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (before + MORE_MEMORY,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    run_batch(parts, kind, first, count, lambda text: print(text, end="", flush=True))
    print(f"peak {max(own_peak(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)}")


def batches(kind: str, data: bytes, n: int) -> tuple[Counter[str], int]:
    """Run the mutants of a kind in other processes; return how often each outcome came, and the peak in KiB."""
    outcomes, peak, first = Counter[str](), 0, 0
    while first < n:
        count = min(BATCH, n - first)
        command = [sys.executable, __file__, "--batch", kind, str(first), str(count)]
        try:
            done = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS, check=False)
            output, how = done.stdout.decode(), f"exit code {done.returncode}"
        except subprocess.TimeoutExpired as late:
            output, how = (late.stdout or b"").decode(), f"more than {SECONDS} s"
        lines = output.splitlines()
        if lines and lines[-1].startswith("peak "):
            peak, how = max(peak, int(lines.pop()[5:])), ""
        outcomes.update(line.partition(" ")[2] for line in lines)
        if how:  # the last number has no outcome
            del outcomes[""]
            outcomes[f"finding: {how}"] += 1
        for line in lines:
            if "finding" in line or line.endswith(" "):
                print(f"{kind} {line} {how}", flush=True)
        first += max(len(lines), 1)
    return outcomes, peak


def available_kinds() -> list[str]:
    """The kinds whose programs are installed."""
    return [kind for kind in KINDS if kind != "udpipe" or importlib.util.find_spec("ufal")]


def main(n: int, kinds: list[str]) -> int:
    """Run all mutants, and print one line a kind."""
    n_findings = 0
    for kind in kinds:
        start = time.monotonic()
        outcomes, peak = batches(kind, model_bytes(KINDS[kind]()), n)
        findings = sum(count for what, count in outcomes.items() if what.startswith("finding"))
        n_findings += findings
        taken = time.monotonic() - start
        print(
            f"{kind}: {n} mutants in {taken:.0f} s, {findings} findings, peak {peak / 1024:.0f} MiB, {dict(outcomes)}"
        )
    return int(n_findings > 0)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mutants", nargs="?", type=int, default=10_000, help="how many of each kind (default: 10000)")
    parser.add_argument("kinds", nargs="*", metavar="kind", help=f"default: all of {', '.join(KINDS)}")
    parser.add_argument(
        "--batch", nargs=3, metavar=("KIND", "NUMBER", "COUNT"), help="run some mutants in this process"
    )
    given = parser.parse_args()
    unknown = {*given.kinds, *(given.batch or [])[:1]} - set(KINDS)
    if unknown:
        parser.error(f"unknown kind {min(unknown)}; there are {', '.join(KINDS)}")
    return given


if __name__ == "__main__":
    asked = arguments()
    if asked.batch:
        batch(asked.batch[0], int(asked.batch[1]), int(asked.batch[2]))
        sys.exit()
    sys.exit(main(asked.mutants, asked.kinds or available_kinds()))
