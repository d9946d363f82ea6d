"""Models as files: a header, a description in JSON, compressed tables, and a checksum; nothing in them is executed."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, InputError, Place
from levelhead.parsing.model import PARSERS, Model, OutsideModel
from levelhead.parsing.outside import OUTSIDE_PARSERS
from levelhead.parsing.relation_names import is_relation
from levelhead.parsing.tables import n_classes, table_names
from levelhead.parsing.templates import compiled, templates_for
from levelhead.treebank.source import Limits, read_bytes
from levelhead.treebank.write import replace_file

MAGIC = b"levelhead parser\n"
FORMAT = 2
_LENGTHS = struct.Struct("<II")  # the format's version, the size of the description
_CHECKSUM = hashlib.sha256().digest_size
MOST_BEAM = 1024
_MOST_ROWS = 1 << 26
_MOST_CLASSES = 1 << 16
_MOST_BYTES = 1 << 31


def write_model(model: Model | OutsideModel, path: str | os.PathLike[str]) -> None:
    """Write a model; the file is there whole or not at all, and the same for the same model.

    Args:
        model: what to write.
        path: the file, which is replaced if it exists.

    Raises:
        OutputError: the file cannot be written.
    """
    replace_file(path, [model_bytes(model)])


def model_bytes(model: Model | OutsideModel) -> bytes:
    """Return a model as it is written: magic, version and size, description, contents, SHA-256 of all that."""
    shared = {"parser": model.parser, "training": dict(model.training), "function_head": model.function_head}
    if isinstance(model, OutsideModel):
        return _signed(shared, [model.contents])
    packed = {name: _packed(table) for name, table in model.tables.items()}
    description = {
        **shared,
        "relations": model.relations,
        "root": model.root,
        "templates": dict(model.templates),
        "beam": model.beam,
        "tables": [[name, *model.tables[name].shape, len(data)] for name, data in packed.items()],
    }
    return _signed(description, packed.values())


def _signed(description: Mapping[str, Any], contents: Iterable[bytes]) -> bytes:
    text = json.dumps(description, ensure_ascii=False, sort_keys=True).encode()
    body = b"".join([MAGIC, _LENGTHS.pack(FORMAT, len(text)), text, *contents])
    return body + hashlib.sha256(body).digest()


def _packed(table: NDArray[np.int16]) -> bytes:
    """Which rows are not empty, then these."""
    used = table.any(axis=1)
    return zlib.compress(np.packbits(used).tobytes() + np.ascontiguousarray(table[used], dtype="<i2").tobytes(), 1)


def read_model(path: str | os.PathLike[str]) -> Model | OutsideModel:
    """Read a model.

    Args:
        path: a file that `write_model` wrote.

    Raises:
        InputError: it cannot be read, is no model, is of another version, or is damaged.
    """
    name = os.fsdecode(path)
    data = read_bytes(path, Limits(size=_MOST_BYTES))
    if not data.startswith(MAGIC):
        _not_read("not-a-model", "this is no model of levelhead", name)
    start = len(MAGIC) + _LENGTHS.size
    if len(data) < start + _CHECKSUM:
        _not_read("damaged-model", "the file is cut off", name)
    version, size = _LENGTHS.unpack(data[len(MAGIC) : start])
    if version != FORMAT:
        _not_read("model-version", f"the file has version {version}, this levelhead reads {FORMAT}", name)
    if hashlib.sha256(data[:-_CHECKSUM]).digest() != data[-_CHECKSUM:]:
        _not_read("damaged-model", "its checksum is wrong", name)
    try:
        return _model(json.loads(data[start : start + size]), data[start + size : -_CHECKSUM])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, zlib.error):
        _not_read("damaged-model", "its contents are not those of a model", name)


def _not_read(slug: str, message: str, name: str) -> NoReturn:
    raise InputError(Fault(slug, message, Place(name)))


def _model(description: Mapping[str, Any], data: bytes) -> Model | OutsideModel:
    """The model of a description, every part of which is checked: kernels trust their tables."""
    function_head = description["function_head"]
    if function_head not in {None, 1, 2}:
        raise ValueError
    if description["parser"] in OUTSIDE_PARSERS:
        return OutsideModel(description["parser"], data, dict(description["training"]), function_head)
    tables, start = {}, 0
    for name, rows, classes, size in description["tables"]:
        tables[str(name)] = _unpacked(data[start : start + size], rows, classes)
        start += size
    relations = _relations(description["relations"])
    templates = {str(name): str(text) for name, text in description["templates"].items()}
    root, beam, parser = description["root"], description["beam"], description["parser"]
    if not (parser in PARSERS and 0 <= root < len(relations) and 1 <= beam <= MOST_BEAM):
        raise ValueError
    if set(templates) != set(templates_for(parser)) or set(tables) != set(table_names(parser)):
        raise ValueError
    for name, text in templates.items():
        compiled(text, arcs=name != "actions")
    model = Model(
        parser, relations, int(root), templates, int(beam), tables, dict(description["training"]), function_head
    )
    _check_shapes(model)
    return model


def _relations(names: object) -> tuple[str, ...]:
    """The relations, which go into outputs as they are: none that could break a line, and no two alike."""
    if not (isinstance(names, list) and all(isinstance(name, str) and is_relation(name) for name in names)):
        raise ValueError
    if len(set(names)) != len(names):
        raise ValueError
    return tuple(names)


def _check_shapes(model: Model) -> None:
    """Raise a ValueError if the tables do not have the classes that the kernel will look for."""
    for name, table in model.tables.items():
        if table.shape[1] != n_classes(name, len(model.relations)):
            raise ValueError(name)
    if "first" in model.tables and model.tables["first"].shape != model.tables["parts"].shape:
        raise ValueError("first")


def _unpacked(data: bytes, rows: int, classes: int) -> NDArray[np.int16]:
    if not (0 < rows <= _MOST_ROWS and rows & (rows - 1) == 0 and 0 < classes <= _MOST_CLASSES):
        raise ValueError(rows)
    if rows * classes * 2 > _MOST_BYTES:
        raise ValueError(rows)
    decompressor = zlib.decompressobj()
    raw = decompressor.decompress(data, rows * classes * 2 + rows)
    mask = np.frombuffer(raw[: -(-rows // 8)], np.uint8)
    used = np.unpackbits(mask, count=rows).astype(bool)
    table = np.zeros((rows, classes), np.int16)
    table[used] = np.frombuffer(raw[len(mask) :], "<i2").reshape(-1, classes)
    return table
