"""`cluster=` in Python: the results of one process."""

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.errors import InputError
from levelhead.treebank import to_conllu

GOLD, SYSTEMS = EXAMPLES / "parallel" / "gold", EXAMPLES / "parallel" / "systems"


@pytest.mark.cluster
def test_rank() -> None:
    alone = levelhead.rank(GOLD, SYSTEMS).to_dict()
    assert levelhead.rank(GOLD, SYSTEMS, jobs=2, cluster="local").to_dict() == alone


@pytest.mark.cluster
def test_crossval() -> None:
    treebank = levelhead.read(GOLD / "en.conllu")
    alone = levelhead.crossval(treebank, "baseline-left", folds=2)
    found = levelhead.crossval(treebank, "baseline-left", folds=2, jobs=1, cluster="local")
    assert to_conllu(found) == to_conllu(alone)


def test_a_bad_address_is_refused() -> None:
    with pytest.raises(InputError, match=r"somewhere.* is not local, tcp://host:port"):
        levelhead.profile(GOLD, cluster="somewhere")
