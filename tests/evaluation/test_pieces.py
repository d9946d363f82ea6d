"""Files read piece by piece: the scores, warnings and errors of reading them whole, under all rules."""

import bz2
import gzip
import lzma
import os
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from conftest import EXAMPLES, one_in
from conllu_cases import VERDICTS
from levelhead.cli import program
from levelhead.errors import LevelheadError
from levelhead.evaluation.files import score_files
from levelhead.evaluation.setup import Setup, setup_of
from levelhead.treebank import faults_of, from_conllu, input_bytes
from levelhead.treebank.input_bytes import PieceSizes
from levelhead.treebank.training_data import Training
from models import MODELS
from naming import naming
from oracle.damage import damaged_bytes
from oracle.drawing import some_system, some_treebank
from strategies import SEEDS, examples

RULES = ("ud", "udtools", "conll18", "conll17")
MEASURES = {
    "ud": (
        "UAS(nopunct) UAS(nopunct=callin) LAS-FUN-PUNCT LAS(class=gold)@CORE UEM LEM@CORE Roots Trees WLAS(w)"
        " DPPL(d,order=arc-eager) DPPL(d,order=swap-lazy)"
    ).split(),
    "udtools": ["LAS(nopunct=callin)", "WLAS(w)", "CNC", "DPPL(d,order=swap-lazy)"],
    "conll18": ["CallinWLAS(w)", "UEM", "LAS", "DPPL(d,order=arc-eager)"],  # LAS twice
    "conll17": ["WeightedLAS(w)", "DPPL(d,order=string)"],
}
WEIGHTS = {"nsubj": 0.1, "det": 0.2, "root": 1 / 3, "punct": 0.7, "obj": 1e-9, "conj": 3.3}
WHOLE = PieceSizes(1 << 40, 1)
TINY = tuple(PieceSizes(0, size) for size in (1, 300, 5000))

Outcome = tuple[Any, ...]


@cache
def setup(**settings: Any) -> Setup:
    """Return the settings of a score, worked out once."""
    return setup_of(**settings, weights={"w": WEIGHTS, "w,default=0.25": WEIGHTS, **MODELS})


def outcome(gold: Path, system: Path, sizes: PieceSizes, training: Training | None = None, **settings: Any) -> Outcome:
    """Return all that a user sees of a score, or of the error in its place."""
    try:
        found = score_files(gold, system, setup(**settings), sizes, training)
    except LevelheadError as error:
        return type(error), str(error), getattr(error, "faults", None)
    return found.to_dict(), found.warnings, [repr(score) for score in found.values()], found.leakage


def check_validate(path: Path, tiny: tuple[PieceSizes, ...], form: str) -> None:
    """Validate a file whole and in pieces, and require the same."""
    found = []
    for sizes in (WHOLE, *tiny):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(input_bytes, "SIZES", sizes)
            found.append(faults_of(path, format=form))
    assert all(one == found[0] for one in found)


def compare(
    folder: Path,
    gold: bytes,
    system: bytes,
    rules: str,
    *,
    form: str = "conllu",
    tiny: tuple[PieceSizes, ...] = TINY,
    validate: bool = True,
    **more: Any,
) -> Outcome:
    """Score two files whole and in pieces of several sizes, and require the same; return what was seen."""
    for name, data in (("gold", gold), ("system", system)):
        (folder / name).write_bytes(data)
    names = [one.replace("(w)", "(w,default=0.25)") for one in MEASURES[rules]]
    measures = (*setup(rules=rules).names, *names)
    paths = (folder / "gold", folder / "system")
    if rules == "ud" and validate:
        for path in paths if gold != system else paths[:1]:
            check_validate(path, tiny, form)
    whole = outcome(*paths, WHOLE, rules=rules, measures=measures, format=form, **more)
    for sizes in tiny:
        assert outcome(*paths, sizes, rules=rules, measures=measures, format=form, **more) == whole
    return whole


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pieces")


@given(seed=SEEDS, sizes=st.lists(st.integers(1, 8), min_size=1, max_size=12), rules=st.sampled_from(RULES))
def test_random_pairs(folder: Path, seed: int, sizes: list[int], rules: str) -> None:
    """Valid pairs with other tokens, multiword tokens and sentences on the two sides."""
    gold = some_treebank(Random(seed), sizes)
    compare(folder, gold.encode(), some_system(Random(seed + 1), gold).encode(), rules)


@settings(max_examples=examples(40))
@example(seed=4, sizes=[4, 6, 4, 2, 5, 4, 5], rules="udtools", edits=(2, 1))  # empty nodes that the scorer skips
@given(
    seed=SEEDS,
    sizes=st.lists(st.integers(1, 8), min_size=1, max_size=12),
    rules=st.sampled_from(RULES),
    edits=st.tuples(st.integers(0, 2), st.integers(0, 2)),
)
def test_damaged_pairs(folder: Path, seed: int, sizes: list[int], rules: str, edits: tuple[int, int]) -> None:
    """Whatever is wrong with one file or both, the errors are those of reading them whole."""
    random = Random(seed)
    gold = some_treebank(random, sizes)
    system = some_system(random, gold)
    compare(folder, *(damaged_bytes(random, text, n) for text, n in zip((gold, system), edits, strict=True)), rules)


def around(case: str, seed: int) -> Iterator[bytes]:
    """Give files that have a case alone, at the end, and in the middle."""
    some = some_treebank(Random(seed), [3, 1, 4]).encode()
    odd = case.encode("utf-8", "surrogatepass")
    yield from (odd, some + odd, some + odd + some)


@pytest.mark.parametrize("rules", RULES)
def test_odd_files(tmp_path: Path, rules: str) -> None:
    """Every odd file, against itself, and as gold or as output against a valid one of several pieces.

    Each under `ud`, and under one of the rules whose readers are official, by turns; and in one of the places and on one
    of the sides, by turns.
    """
    for turn, case in enumerate(VERDICTS if rules == "ud" else one_in(3, list(VERDICTS), RULES.index(rules))):
        with naming(case):
            plain = some_treebank(Random(1), [3, 1, 4]).encode()
            places = list(around(VERDICTS[case][0], 1))
            for one in one_in(3, places, turn):
                compare(tmp_path, one, one, rules, tiny=TINY[1:2])
            for gold, system in one_in(2, [(places[-1], plain), (plain, places[-1])], turn):
                compare(tmp_path, gold, system, rules, tiny=TINY[:1], validate=False)


@pytest.mark.parametrize("form", ["conllx", "conllu to conllx"])
def test_conllx(tmp_path: Path, form: str) -> None:
    """CoNLL-X, and gold in CoNLL-U whose multiword tokens are taken apart."""
    gold = some_treebank(Random(5), [4] * 12)
    words = [line for line in gold.split("\n") if not line.startswith("#") and "-" not in line.partition("\t")[0]]
    system = "\n".join(line for line in words if "." not in line.partition("\t")[0])
    gold_format = "conllu" if "to" in form else None
    compare(
        tmp_path,
        (gold if gold_format else system).encode(),
        system.encode(),
        "ud",
        form="conllx",
        gold_format=gold_format,
    )


@pytest.mark.parametrize("differs", [False, True])
@pytest.mark.parametrize("training", [None, Training.of([from_conllu(some_treebank(Random(3), [3, 4]).encode())])])
@pytest.mark.parametrize("side", ["gold", "system", "both"])
def test_without_heads(tmp_path: Path, side: str, training: Training | None, differs: bool) -> None:
    """Files in which no word has a head; leakage requires gold trees, but that the texts differ is reported first."""
    text = some_treebank(Random(3), [3, 2, 4, 1, 5])
    texts = {"gold": text, "system": text + "1\tmore\t_\t_\t_\t_\t0\troot\t_\t_\n\n" * differs}
    for name in texts if side == "both" else [side]:
        rows = [line.split("\t") for line in texts[name].split("\n")]
        bare = ["\t".join([*cells[:6], "_", *cells[7:]] if cells[0].isdigit() else cells) for cells in rows]
        texts[name] = "\n".join(bare)
    texts = [text.encode() for text in texts.values()]
    compare(tmp_path, *texts, "ud", training=training, tiny=TINY[1:2], validate=not training and not differs)


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
}


_PAIRS = (("en", "gamma"), ("cs", "beta"))
OF_COMMAND = [(_PAIRS[turn % 2], rules) for first in (0, 1) for turn, rules in enumerate(RULES, first)]
"""All rules with both pairs; in the first half, the pairs take turns."""


@pytest.mark.parametrize(
    ("pair", "rules"),
    OF_COMMAND[: len(one_in(2, OF_COMMAND))],
    ids=lambda given: given if isinstance(given, str) else "-".join(given),
)
def test_the_command(
    tmp_path: Path,
    pair: tuple[str, str],
    rules: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Output, messages and exit codes of `score` and `validate`, for plain and compressed files and for pipes."""
    gold, system = (EXAMPLES / f"parallel/{name}/{pair[0]}.conllu" for name in ("gold", f"systems/{pair[1]}"))
    packed = one_in(2, list(PACKED.items()))
    for kind, pack in packed if (pair[0], rules) == ("en", "ud") else packed[:1]:  # same for all rules
        seen = []
        for sizes in (WHOLE, *(TINY[:2] if kind == "plain" else TINY[1:2])):
            monkeypatch.setattr(input_bytes, "SIZES", sizes)
            seen.append([])
            more = (["-c"], ["--fail-under", "LAS=99"]) if (kind, rules) == ("plain", "ud") else ()
            for options in (["--format", "json"], *more):
                (tmp_path / "gold").write_bytes(pack(gold.read_bytes()))
                pipe = tmp_path / "system"
                pipe.unlink(missing_ok=True)
                os.mkfifo(pipe)
                writer = threading.Thread(target=pipe.write_bytes, args=(pack(system.read_bytes()),))
                writer.start()
                code = program.run(["score", "--rules", rules, *options, str(tmp_path / "gold"), str(pipe)])
                writer.join()
                seen[-1].append((code, *capfd.readouterr()))
            code = program.run(["validate", str(tmp_path / "gold"), str(system)])
            seen[-1].append((code, *capfd.readouterr()))
        assert all(one == seen[0] for one in seen), kind
