"""`cluster=` in Python: the results of one process."""

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.errors import InputError
from levelhead.treebank import to_conllu

GOLD = EXAMPLES / "parallel" / "gold"


@pytest.mark.cluster
@pytest.mark.usefixtures("few")
def test_rank(scheduler: str) -> None:
    alone = levelhead.rank("gold", "systems").to_dict()
    assert levelhead.rank("gold", "systems", cluster=scheduler).to_dict() == alone


@pytest.mark.cluster
def test_crossval(scheduler: str) -> None:
    treebank = levelhead.read(GOLD / "en.conllu")
    alone = levelhead.crossval(treebank, "baseline-left", folds=2)
    found = levelhead.crossval(treebank, "baseline-left", folds=2, cluster=scheduler)
    assert to_conllu(found) == to_conllu(alone)


def test_a_bad_address_is_refused() -> None:
    with pytest.raises(InputError, match=r"invalid address '.*somewhere.*: use local, tcp://host:port"):
        levelhead.profile(GOLD, cluster="somewhere")
