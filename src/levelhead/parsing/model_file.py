"""Model files: a header, a description in JSON, compressed tables, and a checksum; no code is stored or executed."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, InputError, Place
from levelhead.parsing.external import EXTERNAL_PARSERS
from levelhead.parsing.features import compiled_for, templates_for
from levelhead.parsing.model import (
    BASELINES,
    ENSEMBLE,
    PARSERS,
    TRANSITION_SYSTEMS,
    AnyModel,
    Baseline,
    Ensemble,
    ExternalModel,
    Model,
)
from levelhead.parsing.parser_input import is_relation
from levelhead.parsing.training import MOST_BYTES_TOGETHER, MOST_MARGIN, check_shapes, n_bytes, require
from levelhead.treebank.input_bytes import Limits, read_bytes
from levelhead.treebank.write import replace_file

MAGIC = b"levelhead parser\n"
FORMAT = 4
_LENGTHS = struct.Struct("<II")  # the version of the format, the size of the description
_CHECKSUM = hashlib.sha256().digest_size
MOST_BEAM = 1024
_MOST_MEMBERS = 16
_MOST_DESCRIPTION = 1 << 20  # bytes; the Python objects take up to 50 times as much memory
_MOST_BYTES = 1 << 29  # of a file, after decompression
_AGAIN = "copy it again, or train it again"


def write_model(model: AnyModel, path: str | os.PathLike[str]) -> None:
    """Write a `model` to the file `path`, completely or not at all; the same model always gives the same file.

    Raises:
        InputError: the model is larger than `read_model` accepts.
        OutputError: the file cannot be written.
    """
    replace_file(path, [model_bytes(model)])


def model_bytes(model: AnyModel) -> bytes:
    """Return the contents of a model file: magic, version and size, description, tables, and SHA-256 of all these."""
    description: dict[str, Any] = {}
    contents: list[bytes] = []
    if isinstance(model, ExternalModel):
        contents = [model.contents]
    elif isinstance(model, Baseline):
        description = {"relations": dict(model.relations), "root": model.root, "other": model.other, "seed": model.seed}
    else:
        models = (model.graph, *model.members) if isinstance(model, Ensemble) else (model,)
        members = []
        for single in models:
            entries = []
            for name, table in single.tables.items():
                used = table.any(axis=1)  # a bit mask of the rows that are not zero, then these rows
                rows = np.packbits(used).tobytes() + np.ascontiguousarray(table[used], dtype="<i2").tobytes()
                contents.append(zlib.compress(rows, 1))
                entries.append([name, *table.shape, len(contents[-1])])
            settings = {name: getattr(single, name) for name in ("parser", "reverse", "beam")}
            members.append({**settings, "templates": dict(single.templates), "tables": entries})
        description = {"relations": models[0].relations, "root": models[0].root}
        if isinstance(model, Ensemble):
            description |= {"margin": model.graph.margin, "votes": model.votes, "members": members}
        else:
            description |= members[0]
    description |= {
        "parser": model.parser, "training": dict(model.training), "function_head": model.function_head,
    }  # fmt: skip
    text = json.dumps(description, ensure_ascii=False, sort_keys=True).encode()
    body = b"".join([MAGIC, _LENGTHS.pack(FORMAT, len(text)), text, *contents])
    if len(text) > _MOST_DESCRIPTION or len(body) + _CHECKSUM > _MOST_BYTES:
        message = f"the model has {len(body)} bytes, including {len(text)} for relations and templates"
        limits = f"at most {_MOST_BYTES} and {_MOST_DESCRIPTION} are allowed"
        raise InputError(Fault("model-too-large", f"{message}; {limits}"))
    return body + hashlib.sha256(body).digest()


def read_model(path: str | os.PathLike[str]) -> AnyModel:
    """Return the model in the file `path`, which `write_model` wrote.

    Raises:
        InputError: the file cannot be read, is not a model, has another version, or is damaged.
    """
    name = os.fsdecode(path)
    data = read_bytes(path, Limits(size=_MOST_BYTES))

    def not_read(slug: str, message: str) -> NoReturn:
        raise InputError(Fault(slug, message, Place(name)))

    if not data.startswith(MAGIC):
        not_read("not-a-model", "the file is not a model: give a file written by `levelhead train`")
    start = len(MAGIC) + _LENGTHS.size
    if len(data) < start + _CHECKSUM:
        not_read("damaged-model", f"the file is truncated: {_AGAIN}")
    version, size = _LENGTHS.unpack_from(data, len(MAGIC))
    if version != FORMAT:
        message = f"the model has version {version}, but this levelhead reads version {FORMAT}: train it again"
        not_read("model-version", message)
    body = memoryview(data)[:-_CHECKSUM]  # a view: large models are not copied
    if hashlib.sha256(body).digest() != data[-_CHECKSUM:]:
        not_read("damaged-model", f"the checksum is wrong: {_AGAIN}")
    try:
        require(size <= min(len(body) - start, _MOST_DESCRIPTION), size)
        return _model(json.loads(bytes(body[start : start + size])), body[start + size :])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, zlib.error):
        not_read("damaged-model", f"the contents are not a valid model: {_AGAIN}")


def _model(description: Mapping[str, Any], data: memoryview) -> AnyModel:
    """The model with a description; every part is checked before use, since kernels do not check their tables."""
    parser, training = description["parser"], dict(description["training"])
    function_head = description["function_head"]
    if function_head is not None:
        _check_range(function_head, 1, 2)
    if parser in EXTERNAL_PARSERS:
        return ExternalModel(parser, bytes(data), training, function_head)
    names, root = description["relations"], description["root"]
    if parser in BASELINES:
        by_tag = dict(names.items())
        other = description["other"]
        seed = description["seed"]
        valid = isinstance(seed, int) and all(map(is_relation, (root, other, *by_tag.values())))
        require(valid and not data, "baseline")
        return Baseline(parser, root, by_tag, other, seed, training, function_head)
    # without duplicates, and without characters that would break lines of the output
    valid = isinstance(names, list) and all(map(is_relation, names)) and len(set(names)) == len(names)
    require(valid, "relations")
    relations = tuple(names)
    _check_range(root, 0, len(relations) - 1)
    if parser == ENSEMBLE:
        kinds = [member["parser"] for member in description["members"]]
        require(2 <= len(kinds) <= _MOST_MEMBERS and kinds[0] == "graph", "members")
        require(set(kinds[1:]) <= set(TRANSITION_SYSTEMS), "members")
        _check_range(description["margin"], 1, MOST_MARGIN)
        graph, *members = _own_models(description["members"], data, relations, root)
        require(not graph.reverse, "reverse")
        votes = description["votes"]
        valid = isinstance(votes, list) and all(isinstance(vote, float) and 0 <= vote <= 1 for vote in votes)
        require(valid and len(votes) == len(members), "votes")  # a vote is at most one margin
        graph = replace(graph, margin=description["margin"])
        return Ensemble(graph, tuple(members), tuple(votes), training, function_head)
    (model,) = _own_models([description], data, relations, root)
    return replace(model, training=training, function_head=function_head)


def _own_models(
    descriptions: Sequence[Mapping[str, Any]], data: memoryview, relations: tuple[str, ...], root: int
) -> list[Model]:
    """The models with these descriptions; all tables are checked before the first one is unpacked."""
    models, in_memory, packed = [], 0, 0
    for description in descriptions:
        parser, beam, reverse = description["parser"], description["beam"], description["reverse"]
        _check_range(beam, 1, MOST_BEAM)
        require(parser in PARSERS and isinstance(reverse, bool), parser)
        templates = dict(description["templates"])
        require(set(templates) == set(templates_for(parser)), "templates")
        compiled_for(parser, templates)
        models.append(Model(parser, relations, root, templates, beam, {}, {}, reverse=reverse))
        for number in (number for _, *numbers in description["tables"] for number in numbers):
            _check_range(number, 0, _MOST_BYTES)
        shapes = {name: (rows, classes) for name, rows, classes, _ in description["tables"]}
        require(len(shapes) == len(description["tables"]), "tables")
        check_shapes(parser, len(relations), shapes)
        in_memory += n_bytes(shapes)
        packed += sum(size for *_, size in description["tables"])
    require(packed == len(data) and in_memory <= MOST_BYTES_TOGETHER, "tables")
    start = 0
    for number, description in enumerate(descriptions):
        tables = {}
        for name, rows, classes, size in description["tables"]:
            tables[name] = _unpacked(data[start : start + size], rows, classes)
            start += size
        models[number] = replace(models[number], tables=tables)
    return models


def _check_range(number: object, low: int, high: int) -> None:
    require(isinstance(number, int) and not isinstance(number, bool) and low <= number <= high, number)


def _unpacked(data: memoryview, rows: int, classes: int) -> NDArray[np.int16]:
    """A table, unpacked; decompression stops after the expected number of bytes."""
    stream = zlib.decompressobj()
    mask = stream.decompress(data, -(-rows // 8))
    used = np.unpackbits(np.frombuffer(mask, np.uint8), count=rows).astype(bool)
    expected = int(used.sum()) * classes * 2
    packed = stream.decompress(stream.unconsumed_tail, expected + 1)
    whole = len(mask) == -(-rows // 8) and len(packed) == expected and stream.eof and not stream.unused_data
    require(whole, "not the rows of a table")
    table = np.zeros((rows, classes), np.int16)
    table[used] = np.frombuffer(packed, "<i2").reshape(-1, classes)
    return table
