"""Arguments of public functions: treebanks, test sets and systems, settings, workers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, cast

from levelhead.arguments import is_list
from levelhead.errors import MeasureError
from levelhead.evaluation.setup import Setup, setup_of
from levelhead.measures.registry import STANDARD, Registry, parse_measure, split_measures
from levelhead.scoring.rules import Rules, rules_named
from levelhead.scoring.selection import ENTROPY, key_of
from levelhead.treebank import Treebank, read
from levelhead.treebank.tokens import refuse_partial

if TYPE_CHECKING:
    from levelhead.campaign.plan import Plan
    from levelhead.jobs import Store, Workers
    from levelhead.scoring.measure import Measure, Resource
    from levelhead.treebank.layouts.gold import Split
    from levelhead.treebank.reader import Format
    from levelhead.treebank.training_data import Training

PathLike = str | os.PathLike[str]

Input = Treebank | PathLike | Any  # data frames and documents are those of several libraries
"""A treebank, its path, or another object that holds it, which becomes a treebank when arguments are checked."""

Golds = Input | Mapping[str, Input]
"""The path of gold treebanks in any layout, a treebank in memory, or a mapping of codes of test sets to either."""

Treebanks = Input | Sequence[Input] | Mapping[str, Input]
"""A treebank or the path of one, a folder of them, several of these, or a mapping of names to treebanks or files."""

Systems = Sequence[PathLike] | Mapping[str, Golds]
"""The outputs of each system by name, or of one system by code; or a list of paths, from which names are taken."""

Measures = Union[str, "Measure", Iterable["str | Measure"]]
"""Measures as a string (`LAS,CLAS`), a measure, or several strings or measures."""

Punctuation = Literal["keep", "relation", "callin"]

MappedWeights = Mapping[str, "Resource | Mapping[str, float]"]
"""Weights by the name in parentheses: `{"mine": {"det": 0.1, "nsubj": 1}}` for `WLAS(mine)`."""

_Result = TypeVar("_Result")


def as_list(given: object) -> list[Any]:
    """Return a single value as a list, and several values unchanged."""
    return list(cast("Iterable[Any]", given)) if is_list(given) else [given]


def measure_names(measures: Measures) -> list[str]:
    """Return the names of measures; a string can have several names separated by commas."""
    return [text for given in as_list(measures) for text in split_measures(str(given))]


def check_single(measures: Sequence[str]) -> None:
    if len(measures) != 1:
        raise MeasureError(f"give a single measure, not {', '.join(measures)}", "invalid-argument")


def loaded(source: Input, format: Format = "conllu") -> Treebank:
    """Return a treebank in memory, reading it if a path is given."""
    return refuse_partial(source) if isinstance(source, Treebank) else read(source, format=format)


def plan_for(
    gold: Golds,
    systems: Systems | Golds,
    split: Split | None = None,
    *,
    as_runs: bool = False,
    argument: str = "systems",
) -> Plan:
    """Return the test sets and the outputs, all of which must exist."""
    from levelhead.campaign.find import find_plan

    if isinstance(systems, str | os.PathLike):
        systems = [systems]
    return find_plan(gold, systems, split, as_runs=as_runs, argument=argument)


def noting(result: _Result, gold: Golds, plan: Plan) -> _Result:
    """Return a result whose provenance also says which files were not used."""
    from levelhead.campaign.find import about_files

    found = about_files(gold, plan)
    if not found:
        return result
    return replace(result, provenance=replace(result.provenance, about_files=found))  # type: ignore[attr-defined, type-var]


def measures_or_default(measures: Measures | None, rules: str | Rules, *default: str) -> Measures:
    """Return the requested measures; None means the defaults, or all measures of rules that define only a few."""
    return rules_named(rules).measures_or_default(*default) if measures is None else measures


def settings_for(
    measures: Measures | None,
    *,
    rules: str | Rules = "ud",
    format: Format = "conllu",
    gold_format: Format | None = None,
    weights: MappedWeights | None = None,
    registry: Registry | None = None,
    train: Iterable[Input] = (),
    partial: bool = False,
    allow_several_roots: bool = False,
    punct: Punctuation = "keep",
) -> Setup:
    """Return the settings, with the weights of WLAS(WDE) from training treebanks if a measure needs them."""
    if punct != "keep":
        registry = registry_with(measures, registry)
        measures = without_punctuation(measures, rules, punct, registry)
    setup = setup_of(
        measures, rules=rules, format=format, gold_format=gold_format,
        registry=registry, weights=weights, partial=partial, allow_several_roots=allow_several_roots,
    )  # fmt: skip
    seen = list(train)
    if not seen or not any(
        definition.takes_weights and key_of(measure) == ENTROPY for measure, definition in setup.defined
    ):
        return setup
    from levelhead.typology import entropy_weights

    return replace(setup, weights={**setup.weights, ENTROPY: entropy_weights(map(loaded, seen))})


def registry_with(measures: Measures | None, registry: Registry | None) -> Registry:
    """Return the available measures and schemes: those of a registry, and the custom measures among those given."""
    return (registry or STANDARD).including(() if measures is None else as_list(measures))


def without_punctuation(
    measures: Measures | None, rules: str | Rules, punct: Punctuation, registry: Registry
) -> Measures | None:
    """Return the measures, by default those of the rules, without punctuation as far as they can leave it out."""
    if punct == "keep":
        return measures
    option = "nopunct" if punct == "relation" else "nopunct=callin"
    names = rules_named(rules).measures if measures is None else measure_names(measures)
    parsed = [parse_measure(name, registry) for name in names]
    return [
        str(measure)
        if not registry.measures[measure.name].takes_nopunct or "nopunct" in (measure.argument or "")
        else str(replace(measure, argument=f"{measure.argument},{option}" if measure.argument else option))
        for measure in parsed
    ]


def registry_of(definitions: Iterable[PathLike], scheme: str | None) -> Registry:
    """Return the measures and schemes of files of definitions, with a default scheme."""
    registry = STANDARD
    for path in definitions:
        from levelhead.measures.user_definitions import read_definitions

        registry = read_definitions(path, registry)
    return registry if scheme is None else registry.with_default(scheme)


def training_of(train: Iterable[Input]) -> Training | None:
    """Return the contents of training treebanks; None without training treebanks."""
    seen = [loaded(treebank) for treebank in train]
    if not seen:
        return None
    from levelhead.treebank.training_data import Training

    return Training.of(seen)


@contextmanager
def running(
    jobs: int | Workers, store: PathLike | Store | None, cluster: str | None = None
) -> Iterator[dict[str, Any]]:
    """Yield `workers` and `store` as the engine takes them; a store that is opened here is closed afterwards."""
    from levelhead.jobs import Store, cluster as cluster_at, processes

    workers = jobs
    if isinstance(jobs, int):
        workers = processes(jobs) if cluster is None else cluster_at(cluster, jobs)
    if store is None or isinstance(store, Store):
        yield {"workers": workers, "store": store}
        return
    with Store(os.fspath(store)) as opened:
        yield {"workers": workers, "store": opened}
