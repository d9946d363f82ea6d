"""Classes of immutable values behave as frozen dataclasses do."""

import inspect
import math
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from types import MappingProxyType

import numpy as np
import pytest

from levelhead.immutable import immutable


@immutable
class Value:
    """A value."""

    name: str
    size: int = 1
    parts: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Frozen:
    """The same as a dataclass."""

    name: str
    size: int = 1
    parts: list[int] = field(default_factory=list)


def test_they_are_made_changed_and_shown_like_frozen_dataclasses() -> None:
    """And listed by the same functions."""
    ours, theirs = Value("a", size=2), Frozen("a", size=2)
    assert repr(ours) == repr(theirs).replace("Frozen", "Value")
    assert hash(ours) == hash(Value("a", size=2))
    assert [one.name for one in fields(ours)] == [one.name for one in fields(theirs)]
    assert (replace(ours, size=3).size, replace(ours, size=3).name) == (3, "a")
    assert inspect.signature(Value).parameters.keys() == inspect.signature(Frozen).parameters.keys()
    assert Value("a").parts is not Value("a").parts
    assert pickle.loads(pickle.dumps(ours)) == ours


def test_equality() -> None:
    """By the class and the fields, arrays among them, in lists and in mappings: always True or False."""
    assert Value("a") == Value("a") != Value("b")
    assert Value("a") != Frozen("a")
    assert (Value("a") == 1) is False
    for of in (list, lambda array: {"key": array}, lambda array: ([array], "a")):
        one, same, other = (Value("a", parts=of(np.array(row))) for row in ([1.0, np.nan], [1.0, np.nan], [1.0, 2.0]))
        assert one == same
        assert one != other
        assert one != Value("a", parts=of(np.array([1.0])))
    assert Value("a", math.nan) == Value("a", float("nan")) != Value("a", 0)
    assert Value("a", parts=np.array(["b"])) == Value("a", parts=np.array(["b"]))


@pytest.mark.parametrize(("one", "other", "equal"), [
    (None, np.zeros(2), False),
    ([0.0, 0.0], np.zeros(2), False),
    (0.0, np.zeros(()), False),
    (np.float64(0), np.zeros(()), False),
    ({"key": np.zeros(2)}, MappingProxyType({"key": np.zeros(2)}), True),
    ({"key": np.zeros(2)}, MappingProxyType({"key": None}), False),
    ([np.zeros(2)], (np.zeros(2),), False),
    ({1}, frozenset({1}), False),
    (math.nan, float("nan"), True),
    (np.float64("nan"), math.nan, True),
    ((1, [2], math.nan, {"key": 3}), (1, [2], float("nan"), MappingProxyType({"key": 3})), True),
    (np.int64(3), 3, True),
    (Value("b", math.nan), Value("b", float("nan")), True),
])  # fmt: skip
def test_values_of_any_types_are_equal_or_not(one: object, other: object, equal: bool) -> None:
    """In both directions, without an error; equal values have equal hashes."""
    first, second = (Value("a", parts=parts) for parts in (one, other))
    assert ((first == second), (second == first)) == (equal, equal)
    assert not equal or hash(first) == hash(second)


def test_nothing_can_be_changed() -> None:
    """No attribute is set or deleted."""
    with pytest.raises(FrozenInstanceError):
        Value("a").name = "b"
    with pytest.raises(FrozenInstanceError):
        del Value("a").name


@pytest.mark.parametrize(("arguments", "named"), [((), {}), (("a", 1, [], 2), {}), (("a",), {"length": 1})])
def test_wrong_arguments_are_refused(arguments: tuple, named: dict) -> None:
    """Missing, too many, unknown."""
    with pytest.raises(TypeError):
        Value(*arguments, **named)


def test_a_required_field_can_follow_defaults_as_a_keyword() -> None:
    """As in dataclasses, also after the fields of a base class."""

    @immutable
    class Longer(Value):
        """A value with two more fields."""

        weight: float = field(kw_only=True)
        unit: str = field(default="g", kw_only=True)

    assert repr(Longer("a", 2, weight=0.5)).endswith("Longer(name='a', size=2, parts=[], weight=0.5, unit='g')")
    assert Longer("a", weight=1) != Longer("a", weight=1, unit="kg")
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'weight'"):
        Longer("a")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        Longer("a", 2, [], 0.5)  # type: ignore[misc, call-arg]
