"""The pools of documents from which scripts/full/coverage.py draws samples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import levelhead
from levelhead.evaluation.by_sentence import counts_of
from levelhead.evaluation.pair import load
from levelhead.evaluation.setup import Setup
from levelhead.measures import parse_measure
from levelhead.parsing import Recipe, parse_treebank, train
from levelhead.scoring.matches import match
from levelhead.scoring.rules import CONLL18, UD, Rules
from levelhead.significance import Run, Units, system_counts
from levelhead.significance.units import DOCUMENT, units_of
from levelhead.treebank import Treebank, to_conllu

MEASURES = ("LAS", "CLAS", "UEM", "MLAS")
SYSTEMS = ("UDPipe-Future", "Stanford-18", "HIT-SCIR-18", "conll18-baseline")
OFFICIAL = ("en_ewt", "hy_armtdp", "el_gdt", "bg_btb")
PUD = ("cs_pud", "en_pud", "fi_pud", "sv_pud")
TRAINED = {"en_gum": "r2.16", "pt_bosque": "r2.16", "tr_imst": "r2.16", "uk_iu": "r2.18", "lt_alksnis": "r2.17"}
MARKS = {"pt_bosque": "comment:newdoc_id"}  # UD's mark is newdoc
PARSERS = (("arc-eager", 0), ("swap-lazy", 0), ("swap-lazy", 0), ("swap-lazy", 1))


class Pool(NamedTuple):
    """Sentences, and what four systems made of them; the first two are compared, and the last two.

    Args:
        name: of the pool.
        parts: the counts, float64, shape (sentences, 4, measures, 2).
        units: the documents.
    """

    name: str
    parts: np.ndarray
    units: Units

    @property
    def documents(self) -> np.ndarray:
        """The counts by document, shape (documents, 4, measures, 2)."""
        return self.units.sums(self.parts)


def _pool(name: str, gold: Treebank, outputs: Sequence[Treebank], rules: Rules) -> Pool:
    setup = Setup(tuple(map(parse_measure, MEASURES)), rules)
    runs = [Run(str(number), counts_of(match(gold, one, rules), setup)) for number, one in enumerate(outputs)]
    return Pool(name, system_counts(runs, name).parts, units_of(gold, MARKS.get(name, DOCUMENT)))


def _joined(name: str, pools: Sequence[Pool]) -> Pool:
    """Several pools as one; no document is in two of them."""
    first = np.cumsum([0, *(one.units.n_units for one in pools)])
    documents = [one.units.of_sentence + start for one, start in zip(pools, first, strict=False)]
    return Pool(name, np.concatenate([one.parts for one in pools]), Units(DOCUMENT, np.concatenate(documents)))


def official(data: Path, code: str) -> Pool:
    """Return a test set of the CoNLL 2018 shared task with four of its systems.

    Args:
        data: the folder of the shared task.
        code: of the test set.
    """
    gold = load(data / "gold" / f"{code}.conllu.xz", CONLL18)
    outputs = [load(data / "systems" / system / f"{code}.conllu.xz", CONLL18) for system in SYSTEMS]
    return _pool(code, gold, outputs, CONLL18)


def trained(data: Path, code: str, cache: Path) -> Pool:
    """Return the development and test sets of a treebank, each parsed by parsers trained on the other.

    Args:
        data: the folder of the releases of UD.
        code: of the treebank.
        cache: where parsed treebanks are kept.
    """
    files = [data / TRAINED[code] / f"{code}-ud-{part}.conllu.xz" for part in ("dev", "test")]
    golds = [levelhead.read(path) for path in files]
    halves = []
    for gold, other, part in zip(golds, golds[::-1], ("dev", "test"), strict=True):
        outputs = [_parsed(gold, other, *how, cache / f"{code}-{part}") for how in PARSERS]
        halves.append(_pool(code, gold, outputs, UD))
    return _joined(code, halves)


def _parsed(gold: Treebank, other: Treebank, parser: str, seed: int, stem: Path) -> Treebank:
    path = stem.with_name(f"{stem.name}-{parser}-{seed}.conllu")
    if not path.exists():
        parsed = parse_treebank(train(other, Recipe(parser, beam=1, seed=seed)), gold)
        path.write_bytes(to_conllu(parsed))
    return levelhead.read(path)


def pools(data: Path, cache: Path, names: Sequence[str]) -> list[Pool]:
    """Return pools.

    Args:
        data: the folder with `conll18` and `ud`.
        cache: where parsed treebanks are kept.
        names: of the pools.
    """
    cache.mkdir(parents=True, exist_ok=True)
    return [_named(name, data, cache) for name in names]


def _named(name: str, data: Path, cache: Path) -> Pool:
    if name == "pud":
        return _joined(name, [official(data / "conll18", code) for code in PUD])
    return trained(data / "ud", name, cache) if name in TRAINED else official(data / "conll18", name)
