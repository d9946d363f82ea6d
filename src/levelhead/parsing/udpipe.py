"""The adapter of UDPipe 1 (Straka and Straková 2017), with its Python package."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from levelhead.errors import Fault, InputError, unknown
from levelhead.extras import missing_library
from levelhead.parsing.programs import MOST_SHOWN, run_to_end, temporary_folder
from levelhead.treebank import Treebank, to_conllu

# the options of UDPipe 1.3's parser, from its manual and from trainer_morphodita_parsito.cpp (some are only there)
_OPTIONS = frozenset(
    "batch_size early_stopping embedding_deprel embedding_feats embedding_form embedding_form_file"
    " embedding_form_mincount embedding_lemma embedding_lemma_file embedding_lemma_mincount embedding_upostag"
    " embedding_xpostag from_model hidden_layer iterations l2 learning_rate learning_rate_final run single_root"
    " structured_interval transition_oracle transition_system use_gold_tags".split()
)

# bytes of address space for the library, and additional bytes for each byte of its model
_MEMORY, _MEMORY_FOR_A_BYTE = 1 << 30, 20

_OPTION = re.compile(r"([^=;]+)(?:=(?:data:([0-9]{1,9}):|[^;]*))?", re.DOTALL)


def check_options(options: str) -> None:
    """Raise an InputError for an option that UDPipe does not have, since UDPipe would silently ignore it."""
    at = 0
    while option := _OPTION.search(options, at):
        if option[1] not in _OPTIONS:
            raise InputError(Fault("unknown-option", unknown("option of UDPipe", option[1], sorted(_OPTIONS))))
        at = option.end() + (
            len(options[option.end() :].encode()[: int(option[2])].decode("utf-8", "ignore")) if option[2] else 0
        )


def train(treebank: Treebank, options: str) -> bytes:
    check_options(options)
    library = _library()
    sentences, error = library.Sentences(), library.ProcessingError()
    for sentence in _sentences(library, to_conllu(treebank)):
        sentences.append(sentence)
    trainer, none = library.Trainer, library.Trainer.NONE
    model = trainer.train("morphodita_parsito", sentences, library.Sentences(), none, none, options, error)
    if error.occurred() or not model:
        raise InputError(Fault("parser-failed", f"UDPipe: {error.message.strip() or 'training produced no model'}"))
    return bytes(model)


def parse(model: bytes, treebank: Treebank) -> bytes:
    """Return CoNLL-U with a model's trees, from another process: a damaged model can crash it or use up the memory."""
    _library()
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
    library = _library()
    loaded = library.Model.load(model)
    if loaded is None:
        sys.exit("UDPipe cannot read its model")
    writer, parts = library.OutputFormat.newConlluOutputFormat(), []
    try:
        for sentence in _sentences(library, Path(words).read_bytes()):
            error = library.ProcessingError()
            loaded.parse(sentence, "", error)
            if error.occurred():
                sys.exit(f"UDPipe: {error.message.strip()}")
            parts.append(writer.writeSentence(sentence))
    except InputError as error:
        sys.exit(error.faults[0].message)
    Path(output).write_bytes("".join(parts).encode())


def version() -> str:
    from importlib import metadata

    _library()
    return metadata.version("ufal.udpipe")


def _library() -> Any:
    try:
        from ufal import udpipe
    except ImportError as error:
        raise InputError(missing_library("ufal.udpipe", "UDPipe models")) from error
    return udpipe


def _sentences(library: Any, data: bytes) -> Iterator[Any]:
    reader = library.InputFormat.newConlluInputFormat()
    reader.setText(data.decode())
    while True:
        sentence, error = library.Sentence(), library.ProcessingError()
        if not reader.nextSentence(sentence, error):
            if error.occurred():
                raise InputError(Fault("parser-failed", f"UDPipe cannot read the words: {error.message.strip()}"))
            return
        yield sentence
