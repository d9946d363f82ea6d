"""Partial scores of files read piece by piece: those of reading them whole, whatever differs and whatever is broken."""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from levelhead.campaign.outputs import JobSetup, count_output
from levelhead.campaign.records import File, json_of
from levelhead.errors import LevelheadError
from levelhead.evaluation import partial
from levelhead.evaluation.files import score_files
from levelhead.evaluation.setup import Setup, setup_of
from levelhead.treebank import from_conllu, input_bytes
from levelhead.treebank.input_bytes import PieceSizes
from levelhead.treebank.training_data import Training
from oracle.damage import damaged_bytes
from oracle.drawing import some_system, some_treebank
from oracle.strict import blocks as blocks_of
from result_rows import scores_in
from strategies import SEEDS, examples

RULES = ("ud", "udtools", "conll18", "conll17")
MORE = {
    "ud": ["UEM", "LEM", "Roots", "Trees", "LAS(nopunct)", "LAS(nopunct=callin)", "LAS@CORE", "WLAS(w)", "ELAS"],
    "udtools": ["WLAS(w)"],
    "conll18": ["UEM", "CallinWLAS(w)"],
    "conll17": ["WeightedLAS(w)"],
}
WEIGHTS = {"nsubj": 0.1, "det": 0.2, "root": 1 / 3, "punct": 0.7, "obj": 1e-9, "conj": 3.3}
WHOLE = PieceSizes(1 << 40, 1)
TINY = (PieceSizes(0, 1), PieceSizes(0, 400))

Outcome = tuple[Any, ...]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pieces")


@cache
def setup(**settings: Any) -> Setup:
    """Return the settings of a partial score, worked out once."""
    return setup_of(**settings, partial=True, weights={"w": WEIGHTS, "w,default=0.25": WEIGHTS})


def outcome(paths: Sequence[Path], sizes: PieceSizes, training: Training | None = None, **settings: Any) -> Outcome:
    """Return all that a user sees of a partial score, or of the error in its place."""
    try:
        found = score_files(*paths, setup(**settings), sizes, training)
    except LevelheadError as error:
        return type(error), str(error), getattr(error, "faults", None)
    scores = [repr(score) for one in (found, found.valid_trees) for score in one.values()]
    return found.to_dict(), found.warnings, found.coverage, scores, found.gold, found.system, found.leakage


def compare(
    folder: Path, gold: bytes, system: bytes, rules: str, *, default: bool = True, form: str = "conllu", **more: Any
) -> Outcome:
    """Score two files whole and in pieces, and require the same; return what was seen, and how often files were whole."""
    paths = folder / "gold", folder / "system"
    for path, data in zip(paths, (gold, system), strict=True):
        path.write_bytes(data)
    added = [one.replace("(w)", "(w,default=0.25)") if default else one for one in MORE[rules]]
    measures = (*setup_of(rules=rules).names, *added)
    whole = outcome(paths, WHOLE, rules=rules, measures=measures, format=form, **more)
    n_whole: list[object] = []
    read_whole = partial.whole_partial_pair
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partial, "whole_partial_pair", lambda *given: n_whole.append(given) or read_whole(*given))
        for sizes in TINY:
            assert outcome(paths, sizes, rules=rules, measures=measures, format=form, **more) == whole
    return *whole, len(n_whole)


def some_training(draw: Random, gold: list[list[str]]) -> dict[str, Training]:
    """Now and then the contents of training treebanks: one with some gold sentences."""
    if draw.random() < 0.5:
        return {}
    rows = [[line for line in lines if not line.startswith("#")] for lines in gold if draw.random() < 0.4]
    return {"training": Training.of([from_conllu(written(rows or gold[:1]).encode())])}


def renamed(text: str) -> list[list[str]]:
    """The lines of each sentence, with ids of their own."""
    return [[f"# sent_id = {n}", *(line for line in block if "sent_id" not in line)] for n, block in enumerate(blocks_of(text))]  # fmt: skip


def answered(draw: Random, gold: list[list[str]], n_changes: int) -> list[list[str]]:
    """Leave answers out, repeat them, and change words and heads; now and then ids or the order."""
    found = [list(lines) for lines in gold]
    for _ in range(n_changes):
        at = draw.randrange(len(found))
        kind = draw.choice(
            "leave leave repeat repeat-changed form form head head relation id order row other shift ".split()
        )
        rows = [n for n, line in enumerate(found[at]) if line.split("\t")[0].isdigit()]
        if kind == "leave" and len(found) > 1:
            del found[at]
        elif kind == "repeat":
            found.insert(draw.randrange(at + 1, len(found) + 1), list(found[at]))
        elif kind == "repeat-changed" and draw.random() < 0.2:
            found.insert(at, [*found[at][:-1]])
        elif kind == "id" and draw.random() < 0.2:
            found[at][0] = draw.choice(["# other", "# sent_id = x", "# sent_id = 1"])
        elif kind == "order" and draw.random() < 0.2:
            draw.shuffle(found)
        elif kind == "other":
            found[at] = ["\t".join([cells[0], "@@@@", *cells[2:]]) if len(cells := line.split("\t")) > 1 else line for line in found[at]]  # fmt: skip
        elif kind == "shift":
            ids, bodies = [lines[0] for lines in found], [lines[1:] for lines in found]
            found = [[one, *body] for one, body in zip(ids, [*bodies[1:], bodies[0]])]
        elif kind == "row" and len(rows) > 1:
            del found[at][draw.choice(rows)]
        elif kind in {"form", "head", "relation"} and rows:
            row = draw.choice(rows)
            cells = found[at][row].split("\t")
            column = {"form": 1, "head": 6, "relation": 7}[kind]
            values = ["ab", "x y"], ["_", "0", "1", "2", "9", "x"], ["det", "nsubj", "_", ""]
            if len(cells) == 10:
                cells[column] = draw.choice(dict(zip((1, 6, 7), values, strict=True))[column])
                found[at][row] = "\t".join(cells)
    return found


def written(sentences: Sequence[Sequence[str]]) -> str:
    return "".join("\n".join([*lines, "", ""]) for lines in sentences)


@settings(max_examples=examples(20))
@given(seed=SEEDS, sizes=st.lists(st.integers(1, 6), min_size=1, max_size=9), rules=st.sampled_from(RULES), n=st.integers(0, 6))  # fmt: skip
def test_answers_with_ids(folder: Path, seed: int, sizes: list[int], rules: str, n: int) -> None:
    """Sentences missing, repeated, changed and broken: only where texts decide must files be read whole."""
    draw = Random(seed)
    gold = renamed(some_treebank(draw, sizes))
    system = answered(draw, gold, n)
    more = {"allow_several_roots": rules[0] == "u" and draw.random() < 0.2, "default": draw.random() < 0.9}
    more |= some_training(draw, gold)
    *found, n_whole = compare(folder, written(gold).encode(), written(system).encode(), rules, **more)
    ids = [lines[0] for lines in system]
    first = list(dict.fromkeys(ids))
    in_order = first == sorted(first, key=lambda name: int(name.split()[-1]) if name[-1].isdigit() else -1)
    if len(found) == 7 and more["default"] and found[2].paired_by != "text" and in_order:
        assert n_whole == 0


@settings(max_examples=examples(30))
@given(seed=SEEDS, sizes=st.lists(st.integers(1, 6), min_size=1, max_size=9), rules=st.sampled_from(RULES), edits=st.tuples(st.sampled_from([0, 0, 0, 1]), st.integers(0, 3)))  # fmt: skip
def test_damaged_files(folder: Path, seed: int, sizes: list[int], rules: str, edits: tuple[int, int]) -> None:
    """Whatever is wrong with a file, scores and errors are those of reading it whole."""
    draw = Random(seed)
    gold = some_treebank(draw, sizes)
    system = some_system(draw, gold) if draw.random() < 0.5 else gold
    if draw.random() < 0.5:
        ours = renamed(gold)
        gold, system = written(ours), written(answered(draw, ours, draw.randrange(3)))
    training = some_training(draw, blocks_of(gold))
    damaged = (damaged_bytes(draw, text, n) for text, n in zip((gold, system), edits, strict=True))
    compare(folder, *damaged, rules, **training)


@settings(max_examples=examples(15))
@given(seed=SEEDS, n=st.integers(0, 5), resample_by=st.sampled_from([None, "auto"]))
def test_records_of_rankings(folder: Path, seed: int, n: int, resample_by: str | None) -> None:
    """What `compare` and `rank` keep of an output, with the counts of every sentence: the same bytes."""
    draw = Random(seed)
    gold = renamed(some_treebank(draw, [3, 2, 4, 1, 5]))
    system = damaged_bytes(draw, written(answered(draw, gold, n)), draw.randrange(2))
    job = JobSetup(setup_of(["LAS", "CLAS", "Sentences", "UEM", "ELAS"], partial=True), resample_by=resample_by)
    sides = []
    for name, data in (("gold", written(gold).encode()), ("system", system)):
        (folder / name).write_bytes(data)
        sides.append(File(str(folder / name), hashlib.sha256(data).hexdigest()))
    found = []
    for sizes in (WHOLE, *TINY):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(input_bytes, "SIZES", sizes)
            found.append(json_of(count_output(*sides, job)))
    assert found[1:] == found[:1] * len(TINY)


def of_gold(text: str, changes: dict[str, str]) -> tuple[bytes, bytes]:
    """A gold file with ids, and a copy with some texts replaced."""
    gold = written(renamed(text))
    system = gold
    for old, new in changes.items():
        assert old in system
        system = system.replace(old, new)
    return gold.encode(), system.encode()


TEXT = some_treebank(Random(3), [3, 2, 4, 1, 5])


def test_answers_to_other_texts(folder: Path) -> None:
    """Nothing is aligned, and shifted answers are found across the borders of pieces."""
    gold = renamed(some_treebank(Random(1), [5, 4, 6, 5, 3, 4]))
    gold = [[line.replace("\t", f"\tw{n}", 1) if line[0] != "#" else line for line in lines] for n, lines in enumerate(gold)]  # fmt: skip
    unlike = [["\t".join([*line.split("\t")[:1], "@@@@", *line.split("\t")[2:]]) if line[0] != "#" else line for line in lines] for lines in gold]  # fmt: skip
    _, _, coverage, *_, n_whole = compare(folder, written(gold).encode(), written(unlike).encode(), "ud")
    assert (coverage.paired_by, coverage.aligned, coverage.answered, coverage.valid_trees) == ("sent_id", 0, 0, 0)
    assert (coverage.other_text, coverage.fits_next, coverage.fits_previous, n_whole) == (6, 0, 0, 0)
    for by, counts in ((1, (6, 5, 0)), (-1, (6, 0, 5))):
        shifted = [[gold[n][0], *gold[(n + by) % 6][1:]] for n in range(6)]
        document, _, coverage, *_, n_whole = compare(folder, written(gold).encode(), written(shifted).encode(), "ud")
        assert (coverage.other_text, coverage.fits_next, coverage.fits_previous, n_whole) == (*counts, 0)
        assert {scores_in(document)[name]["f1"] for name in ("Words", "Tokens", "LAS", "Sentences", "Trees")} == {0}
        assert "the answers are shifted: 5 of them fit the" in str(coverage)


def test_ids_with_the_same_hash_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An id that gold does not have is found when the files are read again; equal hashes of gold ids at once."""
    gold, system = of_gold(TEXT, {"sent_id = 3\n": "sent_id = 3~\n", "\t0\t": "\t_\t"})
    hashes_of = partial.hashes_of
    for alike in (lambda name: name.rstrip(b"~"), len):
        monkeypatch.setattr(
            partial, "hashes_of", lambda names, alike=alike: hashes_of([b"%r" % alike(one) for one in names])
        )
        found = compare(tmp_path, gold, system.replace(b"a\t", b"ab\t"), "ud")
        assert (found[2].paired_by, found[-1]) == ("text", len(TINY))


@pytest.mark.parametrize("change", ["shorter", "longer", "other text", "no ids", "other characters"])
def test_files_that_change_between_two_readings_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:  # fmt: skip
    gold, system = of_gold(TEXT, {"sent_id = 3\n": "sent_id = 3\n# b\n", "\t0\t": "\t_\t"})
    system = gold if change == "other characters" else system.replace(b"a\t", b"ab\t", 1)
    paths = tmp_path / "gold", tmp_path / "system"
    for path, data in zip(paths, (gold, system), strict=True):
        path.write_bytes(data)
    second = {
        "shorter": system[: system.rindex(b"# sent_id")],
        "longer": system + system.replace(b"sent_id = ", b"sent_id = x"),
        "other text": system.replace(b"ab\t", b"abb\t"),
        "no ids": system.replace(b"sent_id", b"id"),
        "other characters": system.replace(b"a\t", b"ab\t"),
    }[change]
    second_reading = partial._open_output

    def changed(*given: Any) -> Any:
        paths[1].write_bytes(second)
        return second_reading(*given)

    monkeypatch.setattr(partial, "_open_output", changed)
    for sizes in TINY:
        paths[1].write_bytes(system)
        if change == "no ids":
            assert outcome(paths, sizes) == outcome(paths, WHOLE)
        else:
            assert "changed while it was read" in outcome(paths, sizes)[1]


HEADER = "# global.columns = ID X FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"


HEADERS = (HEADER, f"\ufeff{HEADER}", HEADER.replace("FORM", "form"), HEADER.replace("X ", "ID "), "# nothing")


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("damage", [(b"\t0\t", b"\t_\t"), (b"a\t", b"\xff\t")])
def test_more_columns(tmp_path: Path, header: str, damage: tuple[bytes, bytes]) -> None:
    """A broken CoNLL-U Plus file, with a header that names its columns or not."""
    gold = written(renamed(TEXT))
    rows = [line.split("\t") for line in gold.split("\n")]
    more = "\n".join("\t".join([cells[0], "x", *cells[1:]]) if len(cells) > 1 else cells[0] for cells in rows)
    for rules in ("ud", "udtools"):
        compare(tmp_path, gold.encode(), f"{header}\n{more}".encode().replace(*damage), rules)


def test_conllx(tmp_path: Path) -> None:
    gold = written([[line for line in lines if line.split("\t")[0].isdigit()] for lines in renamed(TEXT)])
    for system in (gold, gold.replace("\t0\t", "\t_\t"), gold.replace("a\t", "ab\t"), gold.replace("\n\n", "\nx\n\n")):
        compare(tmp_path, gold.encode(), system.encode(), "ud", form="conllx")


@pytest.mark.parametrize("side", ["gold", "system", "both"])
def test_without_heads(tmp_path: Path, side: str) -> None:
    """A valid file in which no word has a head, with the warning that says so."""
    rows = [line.split("\t") for line in TEXT.split("\n")]
    bare = "\n".join("\t".join([*cells[:6], "_", *cells[7:]] if cells[0].isdigit() else cells) for cells in rows)
    ours, theirs = (bare if side in {one, "both"} else TEXT for one in ("gold", "system"))
    training = Training.of([from_conllu(TEXT.encode())])
    for more in ({}, {"training": training}):  # which requires gold trees
        found = compare(tmp_path, ours.encode(), theirs.encode(), "ud", **more)
        assert found[-1] == 0
        assert ("no-trees" in str(found[1])) == (bool(more) and side != "system")
