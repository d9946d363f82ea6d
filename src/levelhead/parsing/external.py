"""External parsers: UDPipe 1, MaltParser, or any program by its command lines; checks and repairs of all outputs."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import metadata
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from levelhead.errors import Fault, InputError, number_of, quoted, reason_of, unknown
from levelhead.extras import require
from levelhead.parsing.model import ExternalSettings
from levelhead.parsing.parser_input import is_relation, with_flat_trees
from levelhead.treebank import Treebank, to_conllu
from levelhead.treebank.tokens import place_of

_LONGEST_WAIT = 0.1  # seconds; a pool kills workers that do not end within half a second, and their programs would stay
MOST_SHOWN = 800  # the number of characters of its output that are shown if a program fails


@contextmanager
def temporary_folder(**files: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="levelhead-") as folder:
        for name, data in files.items():
            Path(folder, name).write_bytes(data)
        yield Path(folder)


def filled(command: str, paths: Mapping[str, Path]) -> list[str]:
    """Return the words of a command, with placeholders such as {train} and {model} replaced by paths."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(Fault("invalid-command", f"{quoted(command)}: a quotation mark is not closed")) from error
    missing = [name for name in paths if not any(f"{{{name}}}" in word for word in words)]
    if missing or not words:
        message = f"{quoted(command)} lacks {{{missing[0]}}}" if missing else "the command is empty"
        raise InputError(Fault("invalid-command", message))
    for name, path in paths.items():
        words = [word.replace(f"{{{name}}}", str(path)) for word in words]
    return words


def run_program(words: Sequence[str], folder: Path | None = None) -> None:
    """Run a program to its end in a folder; its output is only shown if it fails."""
    if shutil.which(words[0]) is None:
        raise InputError(Fault("parser-failed", f"program not found: {words[0]}"))
    try:
        done = run_to_end(words, cwd=folder)
    except OSError as error:
        raise InputError(Fault("parser-failed", f"{words[0]} cannot be run: {reason_of(error)}")) from error
    if done.returncode:
        output = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-MOST_SHOWN:]
        raise InputError(Fault("parser-failed", f"{words[0]} ended with exit code {done.returncode}: {output}"))


def run_to_end(words: Sequence[str], **settings: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a program to its end, or kill it if this process is interrupted, even while the program starts."""
    pipe = subprocess.PIPE
    with (
        _held_interrupts() as release,
        subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, **settings) as process,  # noqa: S603
    ):
        try:
            release()
            while True:  # signals that come right before a wait begins are noticed when it is over
                with suppress(subprocess.TimeoutExpired):
                    output, errors = process.communicate(timeout=_LONGEST_WAIT)
                    break
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(words, process.returncode, output, errors)


@contextmanager
def _held_interrupts() -> Iterator[Callable[[], None]]:
    """Hold signals that raise errors until the yielded function is called: `Popen` would lose the program it starts."""
    held: list[int] = []
    handlers = {}
    if threading.current_thread() is threading.main_thread():  # the only thread that is interrupted
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        handlers = {number: handler for number, handler in handlers.items() if callable(handler)}

    def release() -> None:
        while handlers:
            signal.signal(*handlers.popitem())
        while held:
            signal.raise_signal(held.pop())

    try:
        for number in handlers:
            signal.signal(number, lambda number, _: held.append(number))
        yield release
    finally:
        release()


def written_file(path: Path, program: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            Fault("parser-failed", f"{program} succeeded, but did not write the file {path.name}")
        ) from error


# the options of UDPipe 1.3's parser, from its manual and from trainer_morphodita_parsito.cpp (some are only there)
_UDPIPE_OPTIONS = frozenset(
    "batch_size early_stopping embedding_deprel embedding_feats embedding_form embedding_form_file"
    " embedding_form_mincount embedding_lemma embedding_lemma_file embedding_lemma_mincount embedding_upostag"
    " embedding_xpostag from_model hidden_layer iterations l2 learning_rate learning_rate_final run single_root"
    " structured_interval transition_oracle transition_system use_gold_tags".split()
)

# bytes of address space for the library, and additional bytes for each byte of its model
_MEMORY, _MEMORY_FOR_A_BYTE = 1 << 30, 20

_UDPIPE_OPTION = re.compile(r"([^=;]+)(?:=(?:data:([0-9]{1,9}):|[^;]*))?", re.DOTALL)


def check_udpipe_options(options: str) -> None:
    """Raise an InputError for an option that UDPipe does not have, since UDPipe would silently ignore it."""
    at = 0
    while option := _UDPIPE_OPTION.search(options, at):
        if option[1] not in _UDPIPE_OPTIONS:
            raise InputError(Fault("unknown-option", unknown("option of UDPipe", option[1], sorted(_UDPIPE_OPTIONS))))
        at = option.end() + (
            len(options[option.end() :].encode()[: int(option[2])].decode("utf-8", "ignore")) if option[2] else 0
        )


def train_udpipe(treebank: Treebank, options: str) -> bytes:
    check_udpipe_options(options)
    library = _udpipe()
    sentences, error = library.Sentences(), library.ProcessingError()
    for sentence in _udpipe_sentences(library, to_conllu(treebank)):
        sentences.append(sentence)
    trainer, none = library.Trainer, library.Trainer.NONE
    model = trainer.train("morphodita_parsito", sentences, library.Sentences(), none, none, options, error)
    if error.occurred() or not model:
        raise InputError(Fault("parser-failed", f"UDPipe: {error.message.strip() or 'training produced no model'}"))
    return bytes(model)


def parse_udpipe(model: bytes, treebank: Treebank) -> bytes:
    """Return CoNLL-U with a model's trees, from another process: a damaged model can crash it or use up the memory."""
    _udpipe()
    with temporary_folder(model=model, words=to_conllu(treebank)) as folder:
        paths = [folder / name for name in ("model", "words", "output")]
        # -P: nothing is imported from the current folder.
        # -c instead of -m, which would warn that this module is already imported.
        command = [sys.executable, "-P", "-c", _PROGRAM, *map(str, paths)]
        done = run_to_end(command, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
        if done.returncode:  # 1 with a message if UDPipe fails
            output = done.stderr.decode("utf-8", "replace").strip()[-MOST_SHOWN:] if done.returncode > 0 else ""
            damaged = f"UDPipe ended with code {done.returncode}: its model is damaged, or needs too much memory"
            raise InputError(Fault("parser-failed", output or damaged))
        return paths[2].read_bytes()


_PROGRAM = f"import sys; from {__name__} import main; main(*sys.argv[1:])"


def main(model: str, words: str, output: str) -> None:
    """Parse with a model, in limited memory; an error ends the program with its message and exit code 1."""
    if sys.platform != "win32":
        import resource

        size = _MEMORY + _MEMORY_FOR_A_BYTE * Path(model).stat().st_size
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (size if most == resource.RLIM_INFINITY else min(size, most), most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    library = _udpipe()
    loaded = library.Model.load(model)
    if loaded is None:
        sys.exit("UDPipe cannot read its model")
    writer, parts = library.OutputFormat.newConlluOutputFormat(), []
    try:
        for sentence in _udpipe_sentences(library, Path(words).read_bytes()):
            error = library.ProcessingError()
            loaded.parse(sentence, "", error)
            if error.occurred():
                sys.exit(f"UDPipe: {error.message.strip()}")
            parts.append(writer.writeSentence(sentence))
    except InputError as error:
        sys.exit(error.faults[0].message)
    Path(output).write_bytes("".join(parts).encode())


def _udpipe() -> Any:
    require("ufal.udpipe", "UDPipe models")
    from ufal import udpipe

    return udpipe


def _udpipe_sentences(library: Any, data: bytes) -> Iterator[Any]:
    reader = library.InputFormat.newConlluInputFormat()
    reader.setText(data.decode())
    while True:
        sentence, error = library.Sentence(), library.ProcessingError()
        if not reader.nextSentence(sentence, error):
            if error.occurred():
                raise InputError(Fault("parser-failed", f"UDPipe cannot read the words: {error.message.strip()}"))
            return
        yield sentence


EXTERNAL_PARSERS = ("udpipe", "malt", "command")  # the external parsers of `levelhead train`


def train_external(parser: str, treebank: Treebank, external: ExternalSettings) -> bytes:
    if parser == "udpipe":
        return train_udpipe(treebank, external.options)
    if parser == "malt":
        with temporary_folder(train=plain_conllu(treebank)) as folder:
            # MaltParser's own default relation of roots, ROOT, is not a UD relation
            options = ("-m", "learn", "-i", "train", "-grl", "root", *external.options.split())
            return _malt(external, folder / "model.mco", *options)
    with temporary_folder(train=to_conllu(treebank)) as folder:
        return _run_command(external.train_command, "--train-cmd", [folder / name for name in ("train", "model")])


def parse_external(parser: str, model: bytes, treebank: Treebank, external: ExternalSettings) -> bytes:
    if parser == "udpipe":
        return parse_udpipe(model, treebank)
    words = plain_conllu(with_flat_trees(treebank))
    if parser == "malt":
        with temporary_folder(**{"words": words, "model.mco": model}) as folder:
            return _malt(external, folder / "parsed", "-m", "parse", "-i", "words", "-o", "parsed")
    with temporary_folder(model=model, input=words) as folder:
        paths = [folder / name for name in ("model", "input", "output")]
        return _run_command(external.parse_command, "--parse-cmd", paths)


def identity_of(parser: str, external: ExternalSettings) -> str | None:
    """Return the identity of an external parser, for the keys of stored results; None for our own parsers."""
    if parser == "udpipe":
        _udpipe()
        return metadata.version("ufal.udpipe")
    if parser == "malt":
        return hashlib.sha256(_jar(external).read_bytes()).hexdigest()
    if parser == "command":
        message = "results of `command` cannot be stored: its program may change unnoticed"
        raise InputError(Fault("not-repeatable", message))
    return None


def plain_conllu(treebank: Treebank) -> bytes:
    """Return CoNLL-U with words only: without comments, multiword tokens and empty nodes, which few parsers read."""
    numbers = np.arange(treebank.n_words) - treebank.sentence_starts[treebank.sentence_of_word] + 1
    words = (treebank.forms, treebank.lemmas, treebank.upos, treebank.xpos, treebank.feats)
    lines: list[str] = []
    for number, head, relation, *cells in zip(numbers.tolist(), treebank.local_heads(), treebank.relations, *words):
        plain = (cell.replace(" ", "_") for cell in cells)
        lines += [""] if number == 1 and lines else []
        lines.append("\t".join((str(number), *plain, str(head), relation, "_", "_")))
    return ("\n".join(lines) + "\n\n").encode()


def _malt(external: ExternalSettings, output: Path, *options: str) -> bytes:
    run_program(["java", "-jar", str(_jar(external)), "-c", "model", "-if", "conllu", *options], output.parent)
    return written_file(output, "MaltParser")


def _run_command(command: str | None, option: str, paths: Sequence[Path]) -> bytes:
    if command is None:
        raise InputError(Fault("invalid-command", f"command requires {option}"))
    run_program(filled(command, {path.name: path for path in paths}))
    return written_file(paths[-1], f"the command of {option}")


def _jar(external: ExternalSettings) -> Path:
    """The absolute path of MaltParser's jar file, since it runs in another folder."""
    if external.jar is None:
        raise InputError(Fault("parser-failed", "malt requires --jar, MaltParser's jar file"))
    jar = Path(os.path.abspath(external.jar))  # noqa: PTH100 -- links stay as they are
    if not jar.is_file():
        raise InputError(Fault("unreadable-file", f"file not found: {external.jar}"))
    return jar


class Row(NamedTuple):
    """A word of an output: its form, head and relation as written, and the number of columns in its line."""

    form: str
    head: str
    relation: str
    n_columns: int = 10


class ParsedTreebank(NamedTuple):
    """A parsed treebank, and warnings about repairs of an external parser's trees."""

    treebank: Treebank
    repairs: tuple[Fault, ...]


_TreeFault = tuple[int, str, str]  # a word of a sentence, counted from 0, and the slug and the message of its fault
_MISSING = -1  # a missing head
_NONE = {"", "_"}  # missing relations


def checked(output: bytes, words: Treebank, name: str, *, first: int = 1, repair: bool = False) -> ParsedTreebank:
    """Check an output, and return the parsed words with its trees; `root` is corrected even without `repair`."""
    sentences, forms, starts = rows_of(output), list(words.forms), words.sentence_starts.tolist()
    if len(sentences) != len(starts) - 1:
        message = f"the {name} has {number_of(len(sentences), 'sentence')} instead of {len(starts) - 1}"
        raise InputError(Fault("parser-words", message))
    heads, relations, faults = list[int](), list[str](), list[Fault]()
    for number, rows, start, end in zip(count(first), sentences, starts, starts[1:]):
        other_words = _other_words(rows, forms[start:end])
        local, wrong = ([], []) if other_words else _heads(rows)
        for word, slug, message in other_words or sorted([*wrong, *_wrong_relations(rows)], key=itemgetter(0)):
            # the place is in the parsed treebank, since the output no longer exists when users read the message
            place = place_of(words, start + word)._replace(sentence=number)
            faults.append(Fault(slug, f"sentence {number} in the {name}: {message}", place))
        if other_words:
            raise InputError(faults[-1])
        heads += [head + start - 1 if head else -1 for head in local]
        for row, head in zip(rows, local):
            invalid = row.relation in _NONE | {"root", "ROOT"} or not is_relation(row.relation)
            relations.append("root" if head == 0 else "dep" if invalid else row.relation)
    if faults and not repair:
        raise InputError(*faults)
    parsed = words.replace(heads=heads, relations=relations, deps=["_"] * words.n_words)
    return ParsedTreebank(parsed, tuple(replace(fault, severity="warning") for fault in faults))


def rows_of(output: bytes) -> list[list[Row]]:
    """Return the words of each sentence of an output; missing columns are empty."""
    sentences: list[list[Row]] = [[]]
    for line in output.decode("utf-8", "replace").split("\n"):
        cells = line.rstrip("\r").split("\t")
        if not line.strip():
            if sentences[-1]:
                sentences.append([])
        elif not line.startswith("#") and cells[0].isdigit():
            padded = cells + [""] * (8 - len(cells))
            sentences[-1].append(Row(padded[1], padded[6], padded[7], len(cells)))
    return sentences if sentences[-1] else sentences[:-1]


def _other_words(rows: list[Row], forms: list[str]) -> list[_TreeFault]:
    for i, (row, form) in enumerate(zip(rows, forms)):
        if row.n_columns not in {8, 9, 10}:  # CoNLL-U has ten; the last two of CoNLL-X may be missing
            return [(i, "number-of-columns", f"{number_of(row.n_columns, 'column')} instead of 10")]
        if row.form.replace(" ", "_") != form.replace(" ", "_"):
            return [(i, "parser-words", f"the parser gave {quoted(row.form)} for {quoted(form)}")]
    if len(rows) != len(forms):
        return [(0, "parser-words", f"the parser gave {number_of(len(rows), 'word')} for {len(forms)}")]
    return []


def _heads(rows: list[Row]) -> tuple[list[int], list[_TreeFault]]:
    """The repaired heads, in which other roots, words without a valid head, and cycles depend on the root; faults."""
    wrong: list[_TreeFault] = []
    heads = [_MISSING] * len(rows)
    for i, row in enumerate(rows):
        digits = row.head.lstrip("0") or "0"
        if not (row.head.isascii() and row.head.isdigit()):
            wrong.append((i, "invalid-head", f"the head {quoted(row.head)} is not a number"))
        elif len(digits) > 9 or int(digits) > len(rows):
            message = f"the head {quoted(row.head)} is out of range: the sentence has {number_of(len(rows), 'word')}"
            wrong.append((i, "head-outside-sentence", message))
        elif int(digits) == i + 1:
            wrong.append((i, "cycle", "the word is its own head"))
        else:
            heads[i] = int(digits)
    roots = [i for i, head in enumerate(heads) if head == 0]
    if not roots:
        wrong.append((0, "no-root", "no word is the root"))
    if len(roots) > 1:
        wrong.append((roots[1], "several-roots", f"{len(roots)} words are roots"))
    # the first word with head 0; without one, the first word without a valid head; or else the first word
    root = (roots or [i for i, head in enumerate(heads) if head == _MISSING] or [0])[0]
    heads = [root + 1 if head <= 0 else head for head in heads]
    heads[root] = 0
    seen = {0}
    for start in range(1, len(heads) + 1):
        path = list[int]()
        word = start
        while word not in seen:
            seen.add(word)
            path.append(word)
            word = heads[word - 1]
        if word in path:
            first = min(path[path.index(word) :]) - 1
            wrong.append((first, "cycle", "the word is in a cycle"))
            heads[first] = root + 1
    return heads, wrong


def _wrong_relations(rows: list[Row]) -> Iterator[_TreeFault]:
    for i, row in enumerate(rows):
        if row.relation in _NONE:
            yield i, "empty-relation", f"the relation is {quoted(row.relation)}"
        elif not is_relation(row.relation):
            yield i, "invalid-relation", f"the relation {quoted(row.relation)} has white space or invisible characters"
