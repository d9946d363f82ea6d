"""Profiles of files read in pieces: the same values, warnings and errors as for whole files, to the last digit."""

import bz2
import gzip
import lzma
import os
import threading
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import levelhead
from conftest import one_in
from conllu_cases import VERDICTS
from levelhead.errors import LevelheadError
from levelhead.treebank import input_bytes
from levelhead.treebank.input_bytes import PieceSizes
from levelhead.typology import COLUMNS, Chunks, count_treebank, tally
from levelhead.typology.collection import similarities, survey
from levelhead.typology.counts import CountSum, RunningCounts, counts_from_bytes, counts_to_bytes
from naming import naming
from oracle import typology as oracle
from oracle.damage import damaged_bytes
from oracle.drawing import some_treebank
from result_rows import rows_in
from strategies import SEEDS, examples, treebanks

WHOLE = PieceSizes(1 << 40, 1)
TINY = tuple(PieceSizes(0, size) for size in (1, 300, *one_in(2, (5000,), 1)))

SIZES = st.lists(st.integers(1, 8), min_size=1, max_size=12)

Outcome = tuple[Any, ...]


def outcome(sizes: PieceSizes, *paths: Path, **given: Any) -> Outcome:
    """Return everything that a user sees of a profile or its error, without notes; and the notes."""
    names = {path.name: (str(path),) for path in paths}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(input_bytes, "SIZES", sizes)
        try:
            found = survey(names, **given)
        except LevelheadError as error:
            return (type(error), str(error), getattr(error, "faults", None)), ()
    document = found.to_dict()
    notes = tuple(document["provenance"].pop("notes"))
    return (document, found.table().rows, found.provenance.warnings), notes


def compare(*paths: Path, tiny: tuple[PieceSizes, ...] = TINY, **given: Any) -> Outcome:
    """Profile files whole and in pieces of several sizes, check that the results are equal, and return one."""
    whole, notes = outcome(WHOLE, *paths, **given)
    assert notes == ()
    for sizes in tiny:
        found, notes = outcome(sizes, *paths, **given)
        assert repr(found) == repr(whole)
        assert len(notes) == (len(paths) if isinstance(whole[0], dict) else 0)
    return whole


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pieces")


@settings(max_examples=examples(20))
@given(SEEDS, SIZES, st.integers(1, 9), st.integers(1, 9), st.booleans(), st.integers(1, 3))
def test_random_files(
    folder: Path, seed: int, sizes: list[int], chunk: int, window: int, partial: bool, least: int
) -> None:
    """All columns, with chunks and windows across the borders of pieces."""
    path = folder / "one"
    path.write_text(some_treebank(Random(seed), sizes))
    compare(path, chunks=Chunks(chunk, partial, window), least=least, total="all")


@settings(max_examples=examples(20))
@given(SEEDS, SIZES, st.integers(1, 2))
def test_damaged_files(folder: Path, seed: int, sizes: list[int], edits: int) -> None:
    """With any damage to a file, and to another file of the same treebank."""
    random = Random(seed)
    for name, n in (("one", edits), ("other", seed % 2)):
        (folder / name).write_bytes(damaged_bytes(random, some_treebank(random, sizes), n))
    compare(folder / "one", folder / "other", columns=["summary"])


def test_odd_files(tmp_path: Path) -> None:
    """Unusual files: alone, last, and in the middle."""
    for turn, case in enumerate(one_in(2, list(VERDICTS))):
        with naming(case):
            some = some_treebank(Random(1), [3, 1, 4]).encode()
            odd = VERDICTS[case][0].encode("utf-8", "surrogatepass")
            for data in one_in(3, (odd, some + odd, some + odd + some), turn):
                (path := tmp_path / "odd").write_bytes(data)
                compare(path, tiny=TINY[:1], columns=["summary"])


def test_conllx(tmp_path: Path) -> None:
    """Sentences with several roots, and no multiword tokens."""
    rows = [("1", "a", 0), ("2", "b", 0), ("3", "a", 2)]
    tree = "\n".join(f"{number}\t{form}\t_\tX\tX\t_\t{head}\tdep\t_\t_" for number, form, head in rows)
    (path := tmp_path / "x").write_text(f"{tree}\n\n" * 40)
    compare(path, format="conllx")


# Laws


@given(treebanks(max_sentences=12, max_words=6), st.integers(1, 9), st.integers(1, 9), st.booleans())
@settings(max_examples=examples(30))
def test_running_text_is_that_of_the_second_implementation(text: str, chunk: int, window: int, partial: bool) -> None:
    """Given sentence by sentence, with any chunks and windows."""
    treebank = levelhead.from_conllu(text)
    counts = RunningCounts(Chunks(chunk, partial, window))
    for number in range(len(treebank)):
        counts.add(treebank.select(np.arange(len(treebank)) == number))
    found = counts.total().lexical
    expected = oracle.profile(oracle.read(text), chunk, window, 5, partial=partial)
    for name, value in (("sttr", found.sttr), ("sttr_sd", found.sttr_deviation), ("mattr", found.mattr)):
        assert value == (None if expected[name] is None else pytest.approx(expected[name], abs=1e-9))
    whole = count_treebank(treebank, Chunks(chunk, partial, window)).lexical
    assert (found.sttr, found.sttr_deviation, found.mattr) == (whole.sttr, whole.sttr_deviation, whole.mattr)


@given(treebanks(max_sentences=4, max_words=8))
@settings(max_examples=examples(20))
def test_counts_travel_as_bytes(text: str) -> None:
    """Workers return exactly their counts, always as the same bytes."""
    counts = count_treebank(levelhead.from_conllu(text), Chunks(3, partial=True, window=2))
    data = counts_to_bytes(counts)
    again = counts_from_bytes(data)
    assert counts_to_bytes(again) == data
    assert repr(levelhead.typology.profile(again)) == repr(levelhead.typology.profile(counts))
    assert again.vocabulary == counts.vocabulary


@given(treebanks(max_sentences=8, max_words=8), st.integers(1, 40))
@settings(max_examples=examples(20))
def test_counts_are_added_and_looked_up_in_parts(text: str, rows: int) -> None:
    """With any number of rows at a time."""
    treebank = levelhead.from_conllu(text)
    whole = repr(levelhead.typology.profile(treebank, least=2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "_ROWS_AT_ONCE", rows)
        counts = RunningCounts(Chunks())
        for number in range(len(treebank)):
            counts.add(treebank.select(np.arange(len(treebank)) == number))
        assert repr(levelhead.typology.profile(counts.total(), least=2)) == whole


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 13])
def test_a_sum_adds_in_order(n: int) -> None:
    """For any number of summands; all but the last type/token ratios are integers."""
    parts = [count_treebank(levelhead.from_conllu(some_treebank(Random(seed), [4, 2]))) for seed in range(n)]
    total = CountSum()
    for part in parts:
        total.add(part)
    added, one_by_one = total.total(), sum(parts[1:], parts[0])
    assert repr(levelhead.typology.profile(added)) == repr(levelhead.typology.profile(one_by_one))


# Real treebanks


FILES = {
    "conll18/gold/en_ewt.conllu.xz": 90_000,
    "conll18/gold/he_htb.conllu.xz": 90_000,  # with many multiword tokens
    "ud/r1.2/el-ud-train.conllu.xz": 400_000,
    "ud/r2.0/hu-ud-train.conllu.xz": 60_000,
}
"""Files, and how large pieces are."""


@pytest.mark.parametrize("name", one_in(2, list(FILES), 1))
def test_real_treebanks(data: Path, name: str) -> None:
    """Compressed files; all columns, also with the settings of Callin's program."""
    assert len(COLUMNS) > 40
    tiny = (PieceSizes(0, FILES[name]),)
    document, *_ = compare(data / name, tiny=tiny, total="all")
    assert isinstance(document, dict), "or the test shows nothing"
    if one_in(2, [name], list(FILES).index(name) // 2):
        compare(data / name, tiny=tiny, columns=["vocabulary"], chunks=Chunks(1001, partial=True, window=777))


def test_similarity_of_large_files(data: Path) -> None:
    """Similarity is computed from the same counts."""
    names = {code: (str(data / "conll18" / "gold" / f"{code}.conllu.xz"),) for code in ("en_ewt", "hu_szeged")}
    whole = similarities(names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(input_bytes, "SIZES", PieceSizes(0, 50_000))
        pieces = similarities(names)
    assert pieces.pairs == whole.pairs


OPENERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


@pytest.mark.parametrize("kind", OPENERS)
def test_pipes(tmp_path: Path, kind: str) -> None:
    """A pipe can be read only once, compressed or not."""
    text = some_treebank(Random(3), [5] * 20).encode()
    (whole := tmp_path / "whole").write_bytes(text)
    os.mkfifo(pipe := tmp_path / "pipe")
    writer = threading.Thread(target=pipe.write_bytes, args=(OPENERS[kind](text),))
    writer.start()
    (found, _, _), notes = outcome(PieceSizes(0, 500), pipe)
    writer.join()
    (row,), (expected,) = rows_in(found, "treebanks"), rows_in(outcome(WHOLE, whole)[0][0], "treebanks")
    assert {**row, "treebank": "whole"} == expected
    assert len(notes) == 1


def test_the_note_says_how_large_the_vocabulary_is(
    tmp_path: Path, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below the table and in JSON; for a file that was read whole, only in JSON."""
    text = some_treebank(Random(3), [5] * 20)
    (path := tmp_path / "large.conllu").write_text(text)
    words = [word for tree in oracle.read(text) for word in oracle.words_of([tree])]
    forms = len({word[oracle.FORM] for word in words})
    assert "in pieces" not in run("profile", path)[1]
    monkeypatch.setattr(input_bytes, "SIZES", PieceSizes(0, 500))
    _, printed, errors = run("profile", path)
    assert "in pieces" not in errors
    assert "\nlarge was read in pieces; its vocabulary takes 0 MB: " in printed
    assert f"{forms} forms" in printed
    document = levelhead.profile(path).to_dict()
    assert document["provenance"]["notes"][0].startswith("large was read in pieces")
    assert document["tables"]["vocabularies"][0]["forms"] == forms


def test_memory_does_not_grow_with_repeated_text(tmp_path: Path) -> None:
    """Without new words, four times the text needs no more memory than a few pieces."""
    import tracemalloc

    text = some_treebank(Random(5), [6] * 50).encode()

    def peak(copies: int) -> int:
        (path := tmp_path / "text").write_bytes(text * copies)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(input_bytes, "SIZES", PieceSizes(0, len(text)))
            patch.setattr(input_bytes, "_CHUNK", len(text))
            tracemalloc.start()
            survey({"text": (str(path),)}, columns=["summary"])
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        return most

    peak(1)  # what is imported and kept
    assert peak(16) < 1.3 * peak(4)
