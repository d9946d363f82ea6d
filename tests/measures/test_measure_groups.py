"""Advice on which measures to report: the groups have every shipped measure once, in order."""

from levelhead.cli import program
from levelhead.measures.registry import MEASURE_GROUPS, REGISTRY, group_of


def test_every_measure_is_in_one_group() -> None:
    """A measure is one entry, in its group: so none is listed as a custom measure, or left out of the documentation."""
    assert [definition for group in MEASURE_GROUPS for definition in group.definitions] == list(REGISTRY.values())
    assert all(group_of(each.name) is group for group in MEASURE_GROUPS for each in group.definitions)
    assert group_of("Own") is None


def test_advice_is_short() -> None:
    assert all(len(group.advice) < 250 and group.advice.endswith(".") for group in MEASURE_GROUPS)


def test_the_command_shows_the_advice_of_each_group_once(capfd) -> None:
    assert program.run(["measures"]) == 0
    out = " ".join(capfd.readouterr().out.split())
    assert [out.count(f"{group.title}: {group.advice}") for group in MEASURE_GROUPS] == [1] * len(MEASURE_GROUPS)
    assert program.run(["measures", "mlas", "--format", "tsv"]) == 0
    assert MEASURE_GROUPS[5].advice in capfd.readouterr().out
