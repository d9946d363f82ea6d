"""Partial scores of files read piece by piece: those of reading them whole, whatever differs and whatever is broken."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levelhead.errors import LevelheadError
from levelhead.evaluation import partial
from levelhead.evaluation.files import score_files
from levelhead.evaluation.setup import setup_of
from levelhead.report.scores import score_document
from levelhead.treebank.blocks import PieceSizes
from oracle.damage import damaged_bytes
from oracle.drawing import some_system, some_treebank
from oracle.strict import blocks as blocks_of
from strategies import SEEDS

RULES = ("ud", "udtools", "conll18", "conll17")
MORE = {
    "ud": ["UEM", "LEM", "Roots", "Trees", "LAS(nopunct)", "LAS@CORE", "WLAS(w)", "ELAS"],
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


def outcome(paths: Sequence[Path], sizes: PieceSizes, **settings: Any) -> Outcome:
    """Return all that a user sees of a partial score, or of the error in its place."""
    try:
        setup = setup_of(**settings, partial=True, weights={"w": WEIGHTS, "w,default=0.25": WEIGHTS})
        found = score_files(*paths, setup, sizes)
    except LevelheadError as error:
        return type(error), str(error), getattr(error, "faults", None)
    scores = [repr(score) for one in (found, found.valid_trees) for score in one.values()]
    return score_document(found), found.warnings, found.coverage, scores, found.gold, found.system


def compare(
    folder: Path, gold: bytes, system: bytes, rules: str, *, default: bool = True, form: str = "conllu", **more: Any
) -> Outcome:
    """Score two files whole and in pieces, and require the same; return what was seen, and how often files were whole."""
    paths = folder / "gold", folder / "system"
    for path, data in zip(paths, (gold, system), strict=True):
        path.write_bytes(data)
    added = [one.replace("(w)", "(w,default=0.25)") if default else one for one in MORE[rules]]
    measures = [*setup_of(rules=rules).names, *added]
    whole = outcome(paths, WHOLE, rules=rules, measures=measures, format=form, **more)
    n_whole: list[object] = []
    read_whole = partial.score_partially
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partial, "score_partially", lambda *given: n_whole.append(given) or read_whole(*given))
        for sizes in TINY:
            assert outcome(paths, sizes, rules=rules, measures=measures, format=form, **more) == whole
    return *whole, len(n_whole)


def renamed(text: str, draw: Random) -> list[list[str]]:
    """The lines of each sentence, with ids of their own."""
    return [[f"# sent_id = {n}", *(line for line in block if "sent_id" not in line)] for n, block in enumerate(blocks_of(text))]  # fmt: skip


def answered(draw: Random, gold: list[list[str]], n_changes: int) -> list[list[str]]:
    """Leave answers out, repeat them, and change words and heads; now and then ids or the order."""
    found = [list(lines) for lines in gold]
    for _ in range(n_changes):
        at = draw.randrange(len(found))
        kind = draw.choice("leave leave repeat repeat-changed form form head head relation id order row ".split())
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


@settings(max_examples=70)
@given(seed=SEEDS, sizes=st.lists(st.integers(1, 6), min_size=1, max_size=9), rules=st.sampled_from(RULES), n=st.integers(0, 6))  # fmt: skip
def test_answers_with_ids(folder: Path, seed: int, sizes: list[int], rules: str, n: int) -> None:
    """Sentences missing, repeated, changed and broken: only where texts decide must files be read whole."""
    draw = Random(seed)
    gold = renamed(some_treebank(draw, sizes), draw)
    system = answered(draw, gold, n)
    more = {"allow_several_roots": draw.random() < 0.2, "default": draw.random() < 0.9}
    *found, n_whole = compare(folder, written(gold).encode(), written(system).encode(), rules, **more)
    ids = [lines[0] for lines in system]
    first = list(dict.fromkeys(ids))
    in_order = first == sorted(first, key=lambda name: int(name.split()[-1]) if name[-1].isdigit() else -1)
    if len(found) == 6 and more["default"] and found[2].paired_by != "text" and in_order:
        assert n_whole == 0


@settings(max_examples=60)
@given(seed=SEEDS, sizes=st.lists(st.integers(1, 6), min_size=1, max_size=9), rules=st.sampled_from(RULES), edits=st.tuples(st.sampled_from([0, 0, 0, 1]), st.integers(0, 3)))  # fmt: skip
def test_damaged_files(folder: Path, seed: int, sizes: list[int], rules: str, edits: tuple[int, int]) -> None:
    """Whatever is wrong with a file, scores and errors are those of reading it whole."""
    draw = Random(seed)
    gold = some_treebank(draw, sizes)
    system = some_system(draw, gold) if draw.random() < 0.5 else gold
    if draw.random() < 0.5:
        ours = renamed(gold, draw)
        gold, system = written(ours), written(answered(draw, ours, draw.randrange(3)))
    compare(folder, *(damaged_bytes(draw, text, n) for text, n in zip((gold, system), edits, strict=True)), rules)
