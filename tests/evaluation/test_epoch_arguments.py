"""Wrong arguments of EpochScorer."""

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead import InputError
from levelhead.evaluation.epochs import EpochScorer

GOLD = EXAMPLES / "recover" / "gold.conllu"


def test_a_path_instead_of_a_treebank() -> None:
    with pytest.raises(InputError, match=r"invalid-argument: gold must be a treebank, as levelhead\.read returns it"):
        EpochScorer(GOLD)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["no", 1, None])
def test_roots_neither_allowed_nor_not(value: object) -> None:
    with pytest.raises(InputError, match="invalid-argument: allow_several_roots must be True or False"):
        EpochScorer(levelhead.read(GOLD), allow_several_roots=value)  # type: ignore[arg-type]
