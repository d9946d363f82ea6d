"""Settings made in Python: their contents are in signatures and in the keys of stored results."""

from collections.abc import Callable
from dataclasses import fields, replace
from types import MappingProxyType

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.evaluation.setup import setup_of
from levelhead.measures import Registry
from levelhead.measures.registry import REGISTRY, STANDARD
from levelhead.measures.user_definitions import read_definitions
from levelhead.scoring import RULES, Agree, Counts
from levelhead.scoring.measure import Definition, Resource
from levelhead.scoring.selection import Schemes
from levelhead.treebank.relations import CALLIN, SCHEMES, Scheme

GOLD, SYSTEMS = EXAMPLES / "parallel/gold", EXAMPLES / "parallel/systems"
PAIR = (GOLD / "en.conllu", SYSTEMS / "alpha/en.conllu")
FEW, ALPHA, BETA = (
    {code: folder / f"{code}.conllu" for code in ("en", "fi")} for folder in (GOLD, SYSTEMS / "alpha", SYSTEMS / "beta")
)
SHIPPED = {"rules": "ud", "classes": "nivre-fang:CORE"}
MINE = Definition("Mine", "Heads.", "heads / words", "here", needs=Agree.HEAD)
SCHEME = Scheme("mine", "here", MappingProxyType({"A": frozenset({"nsubj"}), "B": frozenset({"obj"})}))
RESULTS = {
    "score": lambda **how: levelhead.score(*PAIR, **how),
    "scores": lambda **how: levelhead.score(FEW, ALPHA, **how).treebanks["en"],
    "compare": lambda **how: levelhead.compare(FEW, {"alpha": ALPHA, "beta": BETA}, **how),
    "languages": lambda **how: levelhead.languages(FEW, {"alpha": ALPHA}, **how),
    "breakdown": lambda **how: levelhead.breakdown(*PAIR, by="sentence-length", **how),
    "rank": lambda **how: levelhead.rank(FEW, {"alpha": ALPHA, "beta": BETA}, **how),
}
STORED = [name for name in RESULTS if name != "breakdown"]


def parts(setup):
    """The parts of the signature, and the key of stored results."""
    return setup.signature_of_rules() | setup.signature_of_measures(), setup.key


def other(value):
    """Another value of the same kind."""
    changes = {bool: lambda: not value, str: lambda: value + "x", int: lambda: value + 1, float: lambda: value + 1}
    changes |= {frozenset: lambda: value ^ {"det"}, tuple: lambda: (*value, "det"), Agree: lambda: value ^ Agree.LEMMA}
    changes |= {Scheme: lambda: replace(value, otherwise="REST"), MappingProxyType: lambda: {**value, "C": {"det"}}}
    return changes[type(value)]() if type(value) in changes else 1.0


@pytest.mark.parametrize("field", [field.name for field in fields(RULES["ud"])])
@pytest.mark.parametrize("name", RULES)
def test_each_field_of_rules_counts(name, field):
    rules = RULES[name]
    changed = replace(rules, **{field: other(getattr(rules, field)) if field != "reading" else "conll17x"})
    before, after = (parts(setup_of((), rules=each)) for each in (rules, changed))
    assert before[0] == {"rules": name}
    assert before[0] != after[0]
    assert before[1] != after[1]


@pytest.mark.parametrize("field", [field.name for field in fields(Definition)])
def test_each_field_of_a_definition_counts(field):
    value = getattr(MINE, field)
    values = {
        "counted_item": "exact",
        "variants": (("full", Agree.LEMMA),),
        "only": "CORE",
        "argument": "any",
        "columns": ["upos"],
    }
    values |= {"load": parts, "counter": parts, "correct": parts, "weight": parts, "version": "2", "name": "Other"}
    changed = replace(MINE, **{field: values.get(field) or other(value)})
    registries = (Registry({**REGISTRY, each.name: each}) for each in (MINE, changed))
    measures = [parts(setup_of([], registry=registry).with_measures([levelhead.Measure(each.name)]))
                if field not in ("load", "takes_weights") else (registry.used([levelhead.Measure(each.name)]), each)
                for registry, each in zip(registries, (MINE, changed))]  # fmt: skip
    (one, one_key), (two, two_key) = measures
    assert one != two
    assert one_key != two_key


@pytest.mark.parametrize("field", [field.name for field in fields(Scheme)])
@pytest.mark.parametrize("scheme", [SCHEME, CALLIN])
def test_each_field_of_a_scheme_counts(scheme, field):
    changed = replace(
        scheme, **{field: 1 if scheme is SCHEME and field == "version" else other(getattr(scheme, field))}
    )
    before, after = (Registry(schemes=Schemes({**SCHEMES, each.name: each}, each.name)) for each in (scheme, changed))
    for measures in ("LAS", f"LAS@{next(iter(scheme.classes))}"):
        (one, one_key), (two, two_key) = (parts(setup_of(measures, registry=each)) for each in (before, after))
        assert one != two
        assert one_key != two_key
        assert ("definitions" in one) == (scheme is SCHEME)


def test_profiles_name_schemes_with_their_contents():
    schemes = ("nivre-fang", SCHEME, replace(SCHEME, otherwise="REST"), replace(CALLIN, version=2), replace(CALLIN))
    names = [levelhead.profile(GOLD / "en.conllu", scheme=each).provenance.signature["scheme"] for each in schemes]
    assert [name.partition("+")[0] for name in names] == ["nivre-fang", "mine", "mine", "callin", "callin"]
    assert ["+" in name for name in names] == [False, True, True, True, False]
    assert names[1] != names[2]


def test_weights_count():
    weights = {"nsubj": 1.0, "obj": 0.5}
    made = [weights, {**weights, "obj": 0.6}, {"nsubj": 1.0}, MappingProxyType({**weights, "det": 0})]
    made += [replace(Resource(weights, "0" * 64), values={**weights, "obj": 0.7})]
    setups = [setup_of("WLAS(mine,default=1)", weights={"mine": each}) for each in made]
    assert len({setup.key for setup in setups}) == len({str(parts(setup)) for setup in setups}) == len(made)
    same = [setup_of("WLAS(mine,default=1)", weights={"mine": each}) for each in (weights, MappingProxyType(weights))]
    assert same[0].key == same[1].key == setups[0].key


def test_shipped_settings_have_no_hashes():
    equal = replace(RULES["ud"], scheme=replace(RULES["ud"].scheme))
    registry = Registry({name: replace(definition) for name, definition in REGISTRY.items()})
    setup = setup_of("LAS@CORE,DPPL(x)", rules=equal, registry=registry, weights={"x": Resource(None, "0" * 64)})
    assert parts(setup)[0] == SHIPPED | {"DPPL(x)": "0" * 12}
    assert setup == setup_of("LAS@CORE,DPPL(x)", weights={"x": Resource(None, "0" * 64)})


def test_a_changed_definition_of_a_file_has_another_hash(tmp_path):
    (tmp_path / "own.toml").write_text("[measure.Own]\nneeds = ['head']\n")
    registry = read_definitions(tmp_path / "own.toml")
    changed = replace(registry.measures["Own"], needs=Agree.LEMMA)
    after = replace(registry, measures={**registry.measures, "Own": changed})
    assert registry.used([levelhead.Measure("Own")]) != after.used([levelhead.Measure("Own")])


@pytest.mark.parametrize("name", RESULTS)
def test_definitions_rules_and_schemes_count_everywhere(name, tmp_path):
    """The same names with other contents, one after the other with one store: other results, other signatures."""
    clas = replace(REGISTRY["CLAS"], name="Mine", needs=Agree.HEAD)
    settings = [
        {"measures": ["Mine"], "registry": Registry({**REGISTRY, "Mine": MINE})},
        {"measures": ["Mine"], "registry": Registry({**REGISTRY, "Mine": clas})},
        {"measures": ["CLAS"]},
        {"measures": ["CLAS"], "rules": replace(RULES["ud"], scheme=SCHEMES["conll17"])},
        {"measures": ["CLAS"], "rules": replace(RULES["ud"], scheme=SCHEMES["callin"])},
        {"measures": ["CLAS"], "rules": replace(RULES["ud"], name="own", scheme=SCHEMES["callin"])},
    ]
    signatures = []
    for each in settings:
        stored = {"store": tmp_path / "store"} if name in STORED else {}
        result = RESULTS[name](**each, **stored)
        assert result.to_dict() == RESULTS[name](**each).to_dict()
        signatures.append(tuple(result.provenance.signature.items()))
    assert len(set(signatures)) == len(settings)


def shared(share: float) -> Callable[..., Counts]:
    """A counter by which a share of all words is correct."""

    def count_share(matches, _weights, *, by_sentence=False, **_):
        numbers = np.full(len(matches.gold) if by_sentence else 1, 10)
        return Counts((numbers * share).astype(int), numbers, numbers, numbers)

    return count_share


def test_workers_count_with_definitions_made_in_python():
    how = {"measures": ["Mine"], "registry": Registry({**REGISTRY, "Mine": MINE})}
    how["rules"] = replace(RULES["ud"], scheme=SCHEME)
    here, there = (levelhead.rank(GOLD, SYSTEMS, jobs=jobs, **how) for jobs in (1, 2))
    assert here.to_dict() == there.to_dict()


def test_settings_whose_functions_differ_are_different():
    """In-process caches compare settings."""
    one, two = (
        setup_of("Own", registry=Registry({**REGISTRY, "Own": replace(MINE, name="Own", counter=shared(share))}))
        for share in (0.1, 0.9)
    )
    assert one.key == two.key
    assert one != two
    assert one == replace(one, folder=".")
    assert STANDARD.functions(setup_of("LAS,DPPL(x)").measures) == ()
