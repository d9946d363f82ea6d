"""Changed model files with valid checksums are read or rejected, with limited memory."""

import resource
import subprocess
import sys
import tracemalloc
import zlib
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from conftest import EXAMPLES, script
from levelhead import InputError, read
from levelhead.kernels.graph_parser import GraphParser
from levelhead.kernels.transition_parser import Parser
from levelhead.parsing import PARSERS, ExternalModel, Model, Recipe, Schedule, read_model, train
from levelhead.parsing.features import columns_of, compiled, templates_for
from levelhead.parsing.model import TABLES, table_shapes
from levelhead.parsing.model_file import model_bytes
from levelhead.parsing.training import MOST_BYTES, check_memory, check_shapes

GOLD = EXAMPLES / "parallel/gold/en.conllu"
EVERY_TABLE = [(parser, name) for parser in PARSERS for name in table_shapes(parser, 1, 1)]


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    """The script that makes mutants."""
    return script("full/fuzz_models.py")


def test_command_line_of_the_script() -> None:
    command = [sys.executable, EXAMPLES.parent / "scripts/full/fuzz_models.py", "1", "nonsense"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "unknown kind nonsense" in done.stderr


@pytest.fixture(scope="module")
def models() -> dict[str, Model]:
    """A quickly trained model of each parser."""
    treebank = read(GOLD)
    return {parser: train(treebank, Recipe(parser, beam=1, schedule=Schedule(1, 1, 1))) for parser in PARSERS}


def refusal(data: bytes, path: Path) -> str:
    """Write bytes to a file, read it as a model, and return the slug of the error."""
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_model(path)
    return caught.value.slug


@pytest.mark.parametrize(("parser", "name"), EVERY_TABLE)
@pytest.mark.parametrize("rows", [1, 3, 1 << 23])
def test_rows_are_a_power_of_two(parser: str, name: str, rows: int, models: dict[str, Model], tmp_path: Path) -> None:
    """From two to the number in training; tables that belong together have equally many."""
    twins = {"parts": "first", "first": "parts", "labels": "relations", "relations": "labels"}
    model = models[parser]
    changed = {each: model.tables[each] for each in (name, twins.get(name)) if each in model.tables}
    tables = {each: np.zeros((rows, table.shape[1] if rows < 9 else 1), np.int16) for each, table in changed.items()}
    assert refusal(model_bytes(replace(model, tables={**model.tables, **tables})), tmp_path / "m") == "damaged-model"


@pytest.mark.parametrize("parser", PARSERS)
def test_the_smallest_tables(parser: str, models: dict[str, Model], tmp_path: Path) -> None:
    """Two rows are enough for a kernel; tables with shared row numbers have equally many."""
    model = models[parser]
    tables = {name: np.ones((2, table.shape[1]), np.int16) for name, table in model.tables.items()}
    (tmp_path / "m").write_bytes(model_bytes(replace(model, tables=tables)))
    again = read_model(tmp_path / "m")
    assert {name: table.tolist() for name, table in again.tables.items()} == {
        name: table.tolist() for name, table in tables.items()
    }
    if "first" in tables:
        tables["first"] = np.ones((4, 1), np.int16)
        assert refusal(model_bytes(replace(model, tables=tables)), tmp_path / "m") == "damaged-model"


@pytest.mark.parametrize("names", [["actions", "labels"], [f"table {i}" for i in range(6)]])
def test_sizes_are_checked_before_anything_is_unpacked(
    names: list[str], fuzz: ModuleType, models: dict[str, Model], tmp_path: Path
) -> None:
    """A small file with large tables is rejected because of their names or sizes, without using memory for them."""
    parts = fuzz.taken_apart(model_bytes(models["swap-lazy"]))
    zeros = zlib.compress(bytes(1 << 19), 9)
    parts.description["tables"] = [[name, 1 << 22, 256, len(zeros)] for name in names]
    parts.description["relations"] = [f"r{i}" for i in range(256)]
    parts.contents[:] = [zeros] * len(names)
    data = fuzz.put_together(parts)
    tracemalloc.start()
    assert refusal(data, tmp_path / "m") == "damaged-model"
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()


@pytest.mark.parametrize("change", ["twice", "left over", "longer", "shorter"])
def test_every_byte_belongs_to_one_table(
    change: str, fuzz: ModuleType, models: dict[str, Model], tmp_path: Path
) -> None:
    """No table occurs twice, nothing follows the last, and the number of rows is that of the bit mask."""
    parts = fuzz.taken_apart(model_bytes(models["swap-lazy"]))
    entries, contents = parts.description["tables"], parts.contents
    if change == "twice":
        entries.append(entries[1])
        contents.append(contents[1])
    elif change == "left over":
        contents.append(b"x")
    else:
        raw = zlib.decompress(contents[1])
        contents[1] = zlib.compress(raw + bytes(2) if change == "longer" else raw[:-2])
        entries[1][3] = len(contents[1])
    assert refusal(fuzz.put_together(parts), tmp_path / "m") == "damaged-model"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["swap-lazy", "graph", "ensemble", "baseline", "command"])
def test_signed_mutants(kind: str, fuzz: ModuleType) -> None:
    """A small version of scripts/full/fuzz_models.py."""
    outcomes, peak = fuzz.batches(kind, model_bytes(fuzz.KINDS[kind]()), 20)
    assert sum(outcomes.values()) == 20
    assert not [outcome for outcome in outcomes if "finding" in outcome]
    assert {"parsed", "read"} & set(outcomes)
    assert 0 < peak < 1 << 20


def test_a_description_has_a_limit(fuzz: ModuleType, tmp_path: Path) -> None:
    """Python objects take much more memory than their JSON, so long descriptions are rejected."""
    parts = fuzz.taken_apart(model_bytes(ExternalModel("command", b"contents", {})))
    parts.description["training"] = {"words": [[]] * (1 << 19)}
    assert refusal(fuzz.put_together(parts), tmp_path / "m") == "damaged-model"
    with pytest.raises(InputError) as caught:
        model_bytes(ExternalModel("command", b"contents", parts.description["training"]))
    assert caught.value.slug == "model-too-large"


def test_models_that_could_not_be_read_are_not_trained() -> None:
    """Training rejects too many relations for the tables; every model that it returns can be read."""
    for parser in PARSERS:
        check_memory([parser], 10**9, 200)
        check_shapes(parser, 200, table_shapes(parser, 10**9, 200))
        with pytest.raises(InputError) as caught:
            check_memory([parser], 10**9, 600)
        assert caught.value.slug == "model-too-large"
        with pytest.raises(ValueError, match="too large"):
            check_shapes(parser, 600, table_shapes(parser, 10**9, 600))
    assert MOST_BYTES < 1 << 29


# The kernels themselves


def kernel(parser: str, shapes: dict[str, tuple[int, int]], labels: int = 5, root: int = 0, beam: int = 1) -> object:
    """A kernel with tables of these shapes."""
    tables = {name: np.zeros(shape, np.int16) for name, shape in shapes.items()}
    texts = templates_for(parser)
    templates = tuple(compiled(text, arcs=name != "actions") for name, text in texts.items())
    if "actions" in tables:
        return Parser(0, templates, (tables["actions"], tables["labels"]), (), labels, root, beam)
    as_floats = {"parts": lambda t: t[:, 0].astype(np.float32), "relations": lambda t: t.astype(np.float32)}
    as_floats["first"] = as_floats["parts"]
    given = tuple(as_floats.get(name, np.asarray)(tables[name]) for name in TABLES[parser])
    return GraphParser(templates, given, (), labels, root, 8)


@pytest.mark.parametrize("parser", ["arc-standard", "graph"])
def test_kernels_refuse_tables_that_they_would_read_beyond(parser: str) -> None:
    """A row number has at least one bit, and a row has all classes."""
    shapes = table_shapes(parser, 1, 5)
    kernel(parser, shapes)
    for name, (rows, classes) in shapes.items():
        for wrong in ((0, classes), (1, classes), (rows - 1, classes), *([(rows, classes - 1)] if classes > 1 else [])):
            with pytest.raises(ValueError, match=name):
                kernel(parser, {**shapes, name: wrong})
    for name, settings in (("root_label", {"root": 5}), ("root_label", {"root": -1}), ("labels", {"labels": 9})):
        with pytest.raises(ValueError, match=name):
            kernel(parser, shapes, **settings)
    if parser == "arc-standard":
        with pytest.raises(ValueError, match="beam"):
            kernel(parser, shapes, beam=0)


def memory() -> int:
    """The bytes of address space of this process."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system does not tell how large a process is")
def test_a_beam_that_there_is_no_memory_for_leaves_none_behind() -> None:
    """There is memory for the hypotheses (8 bytes each), but not for their successors (24 bytes each)."""
    beam, treebank = 1 << 24, read(GOLD)
    parser = kernel("arc-standard", table_shapes("arc-standard", 1, 5), beam=beam)
    columns = tuple(columns_of(treebank, templates_for("arc-standard").values()))
    before, limits = memory(), resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (before + 18 * beam, limits[1]))
    try:
        with pytest.raises(MemoryError):
            parser.parse(columns, treebank.sentence_starts)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    assert memory() - before < 6 * beam
