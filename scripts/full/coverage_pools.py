"""The pools of documents from which scripts/full/coverage.py draws samples."""

from __future__ import annotations

import tarfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import levelhead
from levelhead.evaluation.fold import counts_by_sentence
from levelhead.evaluation.pair import load
from levelhead.evaluation.setup import Setup
from levelhead.measures.registry import parse_measure
from levelhead.parsing import Recipe, parse_treebank, train
from levelhead.scoring.matches import match
from levelhead.scoring.rules import CONLL18, UD, Rules
from levelhead.significance import Run, system_counts
from levelhead.significance.jackknife import ratios
from levelhead.significance.units import AUTO, units_of
from levelhead.treebank import Treebank, to_conllu

MEASURES = ("LAS", "CLAS", "MLAS", "UEM")
PUD = ("cs_pud", "en_pud", "fi_pud", "sv_pud", "th_pud")
OFFICIAL = {**{code: (code,) for code in ("bg_btb", "el_gdt", "hy_armtdp", "en_ewt", "fi_pud")}, "pud": PUD}
TRAINED = {
    **dict.fromkeys(("ro", "sl", "pt", "grc_proiel"), ("r2.0", "r2.0-test")),
    **dict.fromkeys(("en_gum", "tr_imst"), ("r2.16", "r2.16")),
}
"""The releases of UD with the development set, for training, and with the test set."""
PARSERS = (
    *((parser, 0, 1) for parser in ("graph-first-order", "swap-lazy", "swap-eager", "arc-standard", "arc-eager")),
    ("swap-lazy", 1, 1),
    ("swap-lazy", 0, 4),
    ("arc-eager", 0, 16),
)
"""Parser, seed, and the part of the training data: all, or the first fourth or sixteenth."""


class Pool(NamedTuple):
    """Sentences, and what systems made of them.

    Args:
        name: of the pool.
        systems: the best LAS first; none made the same of all sentences as another.
        parts: the counts, float64, shape (sentences, systems, measures, 2).
        documents: the number of the document of each sentence.
        test_sets: the number of the test set of each sentence; a document may be in several.
    """

    name: str
    systems: tuple[str, ...]
    parts: np.ndarray
    documents: np.ndarray
    test_sets: np.ndarray

    def chosen(self, pairs: Iterable[tuple[int, int]]) -> Pool:
        """Return the pool with pairs of systems, by number, one after the other."""
        systems = [system for pair in pairs for system in pair]
        return self._replace(systems=tuple(self.systems[s] for s in systems), parts=self.parts[:, systems])

    def by_document(self) -> np.ndarray:
        """The counts by document, shape (documents, systems, measures, 2)."""
        return self.by_test_set().sum(axis=0)

    def by_test_set(self) -> np.ndarray:
        """The counts by test set and document, shape (test sets, documents, systems, measures, 2)."""
        sums = np.zeros((self.test_sets.max() + 1, self.documents.max() + 1, *self.parts.shape[1:]))
        np.add.at(sums, (self.test_sets, self.documents), self.parts)
        return sums


def pools(data: Path, cache: Path, names: Iterable[str]) -> list[Pool]:
    """Return pools.

    Args:
        data: the folder with `conll18` and `ud`.
        cache: where pools are kept, and what they are made of.
        names: of the pools.
    """
    cache.mkdir(parents=True, exist_ok=True)
    return [_kept(name, data, cache) for name in names]


def _kept(name: str, data: Path, cache: Path) -> Pool:
    path = cache / f"{name}.npz"
    if not path.exists():
        pool = _trained(name, data / "ud", cache) if name in TRAINED else _official(name, data / "conll18", cache)
        np.savez_compressed(path, **pool._replace(systems=np.array(pool.systems))._asdict())
    with np.load(path) as kept:
        return Pool(name, tuple(kept["systems"].tolist()), *(kept[key] for key in Pool._fields[2:]))


def _official(name: str, data: Path, cache: Path) -> Pool:
    """Test sets of the CoNLL 2018 shared task with all systems that have outputs of all of them."""
    codes, of_team = OFFICIAL[name], {}
    for code in codes:
        with tarfile.open(data / "more" / f"{code}.tar.xz") as archive:
            archive.extractall(cache, filter="data")
        for path in (*cache.glob(f"systems/*/{code}.conllu"), *data.glob(f"systems/*/{code}.conllu.xz")):
            of_team.setdefault(path.parent.name, {})[code] = path
    golds = [load(data / "gold" / f"{code}.conllu.xz", CONLL18) for code in codes]
    outputs = {
        team: [load(paths[code], CONLL18) for code in codes]
        for team, paths in sorted(of_team.items())
        if len(paths) == len(codes)
    }
    return _pool(name, golds, outputs, CONLL18)


def _trained(name: str, data: Path, cache: Path) -> Pool:
    """A test set parsed by parsers trained on the development set."""
    dev, test = (
        levelhead.read(data / release / f"{name}-ud-{part}.conllu.xz")
        for release, part in zip(TRAINED[name], ("dev", "test"), strict=True)
    )
    outputs = {}
    for parser, seed, share in PARSERS:
        system = f"{parser}-{seed}-{share}"
        path = cache / f"{name}-{system}.conllu"
        if not path.exists():
            some = dev.select(range(len(dev) // share))
            path.write_bytes(to_conllu(parse_treebank(train(some, Recipe(parser, beam=1, seed=seed)), test)))
        outputs[system] = [levelhead.read(path)]
    return _pool(name, [test], outputs, UD)


def _pool(name: str, golds: Sequence[Treebank], outputs: Mapping[str, Sequence[Treebank]], rules: Rules) -> Pool:
    setup, numbers = Setup(tuple(map(parse_measure, MEASURES)), rules), dict[str, int]()
    parts, documents = [], []
    for gold, *given in zip(golds, *outputs.values(), strict=True):
        counted = (counts_by_sentence(match(gold, one, rules), setup) for one in given)
        components = {str(measure): measure.component or "f1" for measure in setup.measures}
        runs = [
            Run(name, {measure: (some, components[measure]) for measure, some in counts.items()})
            for name, counts in zip(outputs, counted, strict=True)
        ]
        parts.append(system_counts(runs).parts)
        units = units_of(gold, AUTO)
        document = np.array([numbers.setdefault(one, len(numbers)) for one in units.ids])
        documents.append(document[units.of_sentence])
    counts, sets = np.concatenate(parts), np.repeat(np.arange(len(golds)), list(map(len, golds)))
    best = np.argsort(-ratios(counts.sum(axis=0))[:, 0], kind="stable").tolist()
    kept = [s for n, s in enumerate(best) if not any((counts[:, s] == counts[:, better]).all() for better in best[:n])]
    systems = tuple(list(outputs)[s] for s in kept)
    return Pool(name, systems, counts[:, kept], np.concatenate(documents), sets)
