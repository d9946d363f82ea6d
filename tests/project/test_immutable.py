"""Classes of immutable values behave as frozen dataclasses do."""

import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

import pytest

from levelhead.immutable import immutable


@immutable(eq=True)
class Value:
    """A value."""

    name: str
    size: int = 1
    parts: list[int] = field(default_factory=list, hash=False)


@dataclass(frozen=True)
class Frozen:
    """The same as a dataclass."""

    name: str
    size: int = 1
    parts: list[int] = field(default_factory=list, hash=False)


def test_they_are_made_changed_and_shown_like_frozen_dataclasses() -> None:
    """And listed by the same functions."""
    ours, theirs = Value("a", size=2), Frozen("a", size=2)
    assert repr(ours) == repr(theirs).replace("Frozen", "Value")
    assert hash(ours) == hash(theirs)
    assert [one.name for one in fields(ours)] == [one.name for one in fields(theirs)]
    assert (replace(ours, size=3).size, replace(ours, size=3).name) == (3, "a")
    assert inspect.signature(Value).parameters.keys() == inspect.signature(Frozen).parameters.keys()
    assert Value("a").parts is not Value("a").parts
    assert pickle.loads(pickle.dumps(ours)) == ours


def test_equality() -> None:
    """By fields where it is wanted, else by identity."""
    assert Value("a") == Value("a") != Value("b")
    assert Value("a") != Frozen("a")

    @immutable()
    class Other:
        """Equal to itself only."""

        name: str

    assert Other("a") != Other("a")


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
