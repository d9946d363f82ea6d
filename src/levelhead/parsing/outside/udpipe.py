"""UDPipe 1 (Straka and Straková 2017), by its Python package."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from levelhead.errors import Fault, InputError, LevelheadError
from levelhead.treebank import Treebank, to_conllu


def train(treebank: Treebank, options: str) -> bytes:
    """Return a model with a parser only.

    Args:
        treebank: what to learn from.
        options: of its parser, for example "iterations=20;transition_system=swap;transition_oracle=static_lazy".

    Raises:
        InputError: it refuses the options.
        LevelheadError: it is not installed.
    """
    library = _library()
    sentences, error = library.Sentences(), library.ProcessingError()
    for sentence in _sentences(library, to_conllu(treebank)):
        sentences.append(sentence)
    trainer, none = library.Trainer, library.Trainer.NONE
    model = trainer.train("morphodita_parsito", sentences, library.Sentences(), none, none, options, error)
    if error.occurred() or not model:
        raise InputError(Fault("parser-failed", f"UDPipe: {error.message.strip() or 'no model came of it'}"))
    return bytes(model)


def parse(model: bytes, treebank: Treebank) -> bytes:
    """Return CoNLL-U with the trees of a model.

    Raises:
        InputError: UDPipe cannot read the model.
        LevelheadError: it is not installed.
    """
    library = _library()
    with _file_of(model) as path:
        loaded = library.Model.load(path)
    if loaded is None:
        raise InputError(Fault("parser-failed", "UDPipe cannot read its model"))
    writer, parts = library.OutputFormat.newConlluOutputFormat(), []
    for sentence in _sentences(library, to_conllu(treebank)):
        error = library.ProcessingError()
        loaded.parse(sentence, "", error)
        if error.occurred():
            raise InputError(Fault("parser-failed", f"UDPipe: {error.message.strip()}"))
        parts.append(writer.writeSentence(sentence))
    return "".join(parts).encode()


def version() -> str:
    """Return the version of the package that is installed.

    Raises:
        LevelheadError: it is not installed.
    """
    from importlib import metadata

    _library()
    return metadata.version("ufal.udpipe")


def _library() -> Any:
    try:
        from ufal import udpipe
    except ImportError as error:
        raise LevelheadError("this parser needs: pip install 'levelhead[parsers]'", "missing-extra") from error
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


@contextmanager
def _file_of(data: bytes) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="levelhead-") as folder:
        path = Path(folder) / "model"
        path.write_bytes(data)
        yield str(path)
