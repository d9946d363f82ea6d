"""Files of morphosyntactic parsing have the same scores, records and errors whole and piece by piece."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from levelhead.campaign.outputs import JobSetup, OutputJob, count_output
from levelhead.campaign.records import File, json_of
from levelhead.errors import InputError
from levelhead.evaluation.files import score_files
from levelhead.evaluation.setup import setup_of
from levelhead.scoring.rules import RULES
from levelhead.treebank import input_bytes
from levelhead.treebank.input_bytes import PieceSizes
from levelhead.treebank.morphosyntactic_reader import READING
from levelhead.treebank.official_reader import SCORERS, OfficialPieces, OfficialReading, read_officially
from oracle.content_drawing import draw_pair
from result_rows import scores_in
from strategies import SEEDS, examples

WHOLE = PieceSizes()
TINY = [PieceSizes(1, 1), PieceSizes(1, 200)]
CONTENT_RULES = st.sampled_from([name for name, rules in RULES.items() if rules.content])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pieces")


def outcome(gold: Path, system: Path, rules: str, sizes: PieceSizes) -> Any:
    """The scores, with everything that is reported of the files, or the error."""
    try:
        found = score_files(gold, system, setup_of(rules=rules), sizes)
    except InputError as error:
        return str(error)
    return found.to_dict(), found.notes


def written(folder: Path, *data: bytes) -> tuple[Path, Path]:
    gold, system = folder / "gold", folder / "system"
    for path, one in zip((gold, system), data, strict=True):
        path.write_bytes(one)
    return gold, system


@settings(max_examples=examples(40))
@given(seed=SEEDS, rules=CONTENT_RULES)
def test_sound_pairs(folder: Path, seed: int, rules: str) -> None:
    """Also of files with several sentences in a piece on one side only."""
    gold, system = draw_pair(seed)
    paths = written(folder, gold * 3, system * 3)
    whole = outcome(*paths, rules, WHOLE)
    for sizes in TINY:
        assert outcome(*paths, rules, sizes) == whole


@settings(max_examples=examples(60))
@given(seed=SEEDS, rules=CONTENT_RULES)
def test_pairs_with_errors(folder: Path, seed: int, rules: str) -> None:
    """The errors are those of reading both files whole."""
    paths = written(folder, *draw_pair(seed, errors=True))
    whole = outcome(*paths, rules, WHOLE)
    for sizes in TINY:
        assert outcome(*paths, rules, sizes) == whole


ROW = "1\t{}\t_\t_\t_\t|\t{}\t{}\t_\t_\n"
GOLD = (ROW.format("a", 0, "root") + ROW.format("b", 1, "obj") + "\n").encode()
SYSTEM = (ROW.format("c", 2, "dep") + ROW.format("a", 0, "root") + ROW.format("b", 2, "obj") + "\n").encode()
"""One word more at the start, so that words are only right if they are aligned from the end."""


@pytest.mark.parametrize("sizes", [WHOLE, *TINY])
def test_blank_lines_at_the_end(folder: Path, sizes: PieceSizes) -> None:
    """The script reads sentences without words: gold must not have more; it only uses those of gold to reach the end."""

    def feats(n_gold: int, n_system: int) -> Any:
        found = outcome(*written(folder, GOLD * 2 + b"\n" * n_gold, SYSTEM * 2 + b"\n" * n_system), "msp25", sizes)
        return (
            found if isinstance(found, str) else [scores_in(found[0])["LAS"][part] for part in ("correct", "aligned")]
        )

    plain = feats(0, 0)
    assert feats(1, 1) == feats(1, 2) == feats(2, 2) == plain
    assert feats(0, 1) == feats(0, 2) != plain
    for n_gold, n_system in ((1, 0), (2, 1)):
        assert f"{n_system} blank line" in feats(n_gold, n_system)


def file_of(path: Path, data: bytes) -> File:
    path.write_bytes(data)
    return File(str(path), hashlib.sha256(data).hexdigest())


def record_of(gold: File, system: File | None, setup: JobSetup, sizes: PieceSizes) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(input_bytes, "SIZES", sizes)
        return json.loads(json_of(count_output(gold, system, setup)))


@settings(max_examples=examples(50))
@given(seed=SEEDS, rules=CONTENT_RULES, errors=st.booleans())
def test_records_of_the_engine(folder: Path, seed: int, rules: str, errors: bool) -> None:
    """With the counts of every sentence; a valid output is counted in pieces."""
    gold, system = draw_pair(seed, errors=errors)
    files = file_of(folder / "g", gold), file_of(folder / "s", system)
    setup = JobSetup(setup_of(rules=rules), resample_by="auto")
    whole = record_of(*files, setup, WHOLE)
    for sizes in TINY:
        assert record_of(*files, setup, sizes) == whole
    blank = (
        any(read_officially(data, READING).source.n_blank for data in (gold, system))
        if whole.get("state") == "valid"
        else None
    )
    if blank is False:  # files that end with blank lines are read whole
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(input_bytes, "SIZES", PieceSizes(0, 1))
            assert OutputJob(*files, setup.setup, "auto").record_in_pieces() is not None
    assert record_of(files[0], None, setup, TINY[0]) == record_of(files[0], None, setup, WHOLE)


@pytest.mark.parametrize("official", [*SCORERS.values(), READING], ids=lambda one: one.name)
def test_comments_at_the_end_do_not_hide_a_sentence(official: OfficialReading) -> None:
    """The sentences that were not taken wait, all of them."""
    text = "".join(f"# c\n1\t{form}\t_\t_\t_\t|\t0\troot\t_\t_\n\n" for form in "abcdef") + "# end\n"
    pieces = OfficialPieces(iter([text.encode()]), "f", official)
    pieces.read(len(text))
    pieces.parse()
    assert list(pieces.take(2).forms) == ["a", "b"]
    pieces.parse()
    assert pieces.treebank is not None
    assert list(pieces.treebank.forms) == ["c", "d", "e", "f"]
    assert pieces.error() is None
