"""The adapters: UDPipe by its Python package, MaltParser in Java, and any program by its command lines."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from levelhead.errors import Fault, InputError
from levelhead.parsing.external import udpipe
from levelhead.parsing.external.programs import filled, run_program, written_file
from levelhead.treebank import Treebank, to_conllu

EXTERNAL_PARSERS = ("udpipe", "malt", "command")
"""The external parsers of `levelhead train`."""


class ExternalSettings(NamedTuple):
    """How to run external parsers. This is not part of models, so reading a model cannot start a program.

    Args:
        jar: the jar file of MaltParser.
        train_command: the command for training with `command`, with {train} and {model}.
        parse_command: the command for parsing with `command`, with {model}, {input} and {output}.
        options: additional training options of the parser, in its own syntax.
    """

    jar: str | None = None
    train_command: str | None = None
    parse_command: str | None = None
    options: str = ""


def train_external(parser: str, treebank: Treebank, external: ExternalSettings) -> bytes:
    """Train an external parser, and return the contents of its own model file."""
    if parser == "udpipe":
        return udpipe.train(treebank, external.options)
    return (_train_malt if parser == "malt" else _train_command)(treebank, external)


def parse_external(parser: str, model: bytes, treebank: Treebank, external: ExternalSettings) -> bytes:
    """Return the output of an external parser for the words of a treebank: CoNLL-U, unchecked."""
    if parser == "udpipe":
        return udpipe.parse(model, treebank)
    return (_parse_malt if parser == "malt" else _parse_command)(model, treebank, external)


def identity_of(parser: str, external: ExternalSettings) -> str:
    """Return the identity of an external parser, for the keys of stored results."""
    if parser == "udpipe":
        return udpipe.version()
    if parser == "malt":
        return hashlib.sha256(_jar(external).read_bytes()).hexdigest()
    message = "results of `command` cannot be stored: its program may change unnoticed"
    raise InputError(Fault("not-repeatable", message))


def plain_conllu(treebank: Treebank, *, trees: bool = True) -> bytes:
    """Return CoNLL-U with words only: without comments, multiword tokens and empty nodes, which few parsers read."""
    lines: list[str] = []
    heads = treebank.local_heads().tolist() if trees else []
    starts = set(treebank.sentence_starts.tolist())
    columns = (treebank.forms, treebank.lemmas, treebank.upos, treebank.xpos, treebank.feats, treebank.relations)
    number = 0
    for i, (*cells, relation) in enumerate(zip(*columns)):
        if i in starts:
            number = 0
            lines += [""] if i else []
        number += 1
        head = str(heads[i] if trees else min(1, number - 1))
        label = relation if trees else ("root" if number == 1 else "dep")
        lines.append("\t".join((str(number), *(cell.replace(" ", "_") for cell in cells), head, label, "_", "_")))
    return ("\n".join(lines) + "\n\n").encode()


@contextmanager
def _folder(**files: bytes) -> Iterator[Callable[[str], Path]]:
    """Create a temporary folder with files, and yield a function from the name of a file to its path."""
    with tempfile.TemporaryDirectory(prefix="levelhead-") as name:
        for file, data in files.items():
            (Path(name) / file).write_bytes(data)
        yield lambda file: Path(name) / file


def _malt(external: ExternalSettings, mode: str, more: list[str], folder: Path) -> None:
    run_program(["java", "-jar", str(_jar(external)), "-c", "model", "-m", mode, "-if", "conllu", *more], folder)


def _jar(external: ExternalSettings) -> Path:
    """The absolute path of MaltParser's jar file, since it runs in another folder."""
    if external.jar is None:
        raise InputError(Fault("parser-failed", "malt requires --jar, MaltParser's jar file"))
    jar = Path(os.path.abspath(external.jar))  # noqa: PTH100 -- links stay as they are
    if not jar.is_file():
        raise InputError(Fault("unreadable-file", f"file not found: {external.jar}"))
    return jar


def _train_malt(treebank: Treebank, external: ExternalSettings) -> bytes:
    """Train MaltParser with `root` as the default relation of roots; its own default, ROOT, is not a UD relation."""
    with _folder(train=plain_conllu(treebank)) as path:
        _malt(external, "learn", ["-i", "train", "-grl", "root", *external.options.split()], path("."))
        return written_file(path("model.mco"), "MaltParser")


def _parse_malt(model: bytes, treebank: Treebank, external: ExternalSettings) -> bytes:
    with _folder(words=plain_conllu(treebank, trees=False)) as path:
        path("model.mco").write_bytes(model)
        _malt(external, "parse", ["-i", "words", "-o", "parsed"], path("."))
        return written_file(path("parsed"), "MaltParser")


def _train_command(treebank: Treebank, external: ExternalSettings) -> bytes:
    if external.train_command is None:
        raise InputError(Fault("invalid-command", "command requires --train-cmd"))
    with _folder(train=to_conllu(treebank)) as path:
        run_program(filled(external.train_command, {"train": path("train"), "model": path("model")}))
        return written_file(path("model"), "the command of --train-cmd")


def _parse_command(model: bytes, treebank: Treebank, external: ExternalSettings) -> bytes:
    if external.parse_command is None:
        raise InputError(Fault("invalid-command", "command requires --parse-cmd"))
    with _folder(model=model, input=plain_conllu(treebank, trees=False)) as path:
        paths = {name: path(name) for name in ("model", "input", "output")}
        run_program(filled(external.parse_command, paths))
        return written_file(path("output"), "the command of --parse-cmd")
