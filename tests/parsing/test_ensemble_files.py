"""Damaged files of ensembles are always rejected with a message, whatever the damage."""

from pathlib import Path
from random import Random

import pytest

from levelhead import InputError, read
from levelhead.parsing import Recipe, Schedule, read_model, train
from levelhead.parsing.model_file import model_bytes
from parsed import GOLD

SLUGS = {"not-a-model", "model-version", "damaged-model"}


def flipped(data: bytes, draw: Random) -> bytes:
    """The bytes with one to twenty of them changed."""
    changed = bytearray(data)
    for place in draw.sample(range(len(data)), draw.choice([1, 1, 2, 20])):
        changed[place] ^= draw.randrange(1, 256)
    return bytes(changed)


def cut(data: bytes, draw: Random) -> bytes:
    """The bytes without a piece at the end, the beginning or in the middle."""
    start, end = sorted(draw.sample(range(len(data) + 1), 2))
    return draw.choice([data[:start], data[end:], data[:start] + data[end:]])


def swapped(data: bytes, draw: Random) -> bytes:
    """The bytes with two pieces of the same length swapped."""
    size = draw.choice([1, 8, 512, len(data) // 3])
    one, other = draw.randrange(len(data) // 2 - size // 2), draw.randrange(len(data) // 2, len(data) - size + 1)
    one = min(one, other - size)
    pieces = data[:one], data[other : other + size], data[one + size : other], data[one : one + size]
    return b"".join(pieces) + data[other + size :]


def longer(data: bytes, draw: Random) -> bytes:
    """The bytes with random bytes inserted somewhere."""
    place = draw.randrange(len(data) + 1)
    return data[:place] + draw.randbytes(draw.choice([1, 4, 100])) + data[place:]


@pytest.fixture(scope="module")
def data_of_ensemble() -> bytes:
    return model_bytes(train(read(GOLD), Recipe("ensemble", beam=1, schedule=Schedule(1, 1, 1))))


@pytest.mark.parametrize("damage", [flipped, cut, swapped, longer])
def test_damaged_ensembles_are_refused(damage: object, data_of_ensemble: bytes, tmp_path: Path) -> None:
    path, draw = tmp_path / "model", Random(22)
    assert callable(damage)
    for _ in range(60):
        mutant = damage(data_of_ensemble, draw)
        if mutant == data_of_ensemble:
            continue
        path.write_bytes(mutant)
        with pytest.raises(InputError) as caught:
            read_model(path)
        assert caught.value.slug in SLUGS, caught.value
        assert str(path) in str(caught.value)
