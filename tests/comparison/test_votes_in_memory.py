"""Votes of people as lists, columns and data frames; results of `score` lack what `judge` needs."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import levelhead
from conftest import EXAMPLES

FRAMES = [
    ["1", "2", "1 2", "1"] * 5,
    [1, 2, [1, 2], 1] * 5,
    pd.Series(["1", "2", "1, 2", "1"] * 5),
    pd.DataFrame({"p": [1, 2, 1, 1] * 5, "q": [np.nan, np.nan, 2, np.nan] * 5}),
    pd.DataFrame({"p": [1, 2, 1, 1] * 5, "q": pd.array([None, None, 2, None] * 5, dtype="Int64")}),
    pl.DataFrame({"p": ["1", "2", "1", "1"] * 5, "q": [None, None, "2", None] * 5}),
]


@pytest.mark.parametrize("votes", FRAMES)
def test_votes_in_memory_are_those_of_a_file(votes, tmp_path):
    files = [EXAMPLES / "parallel" / name / "en.conllu" for name in ("gold", "systems/alpha", "systems/beta")]
    (tmp_path / "votes").write_text("1\n2\n1 2\n1\n" * 5)
    expected = levelhead.judge(*files, tmp_path / "votes").to_dict()
    found = levelhead.judge(*files, votes).to_dict()
    assert found["tables"] == expected["tables"]
    if isinstance(votes, pd.Series):
        return
    assert found["provenance"] == expected["provenance"]


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (0, "score", "gold must be a treebank or a path, since the scores of its sentences are needed"),
        (2, "score", "second must be a treebank or a path, since the scores of its sentences are needed"),
        (3, "score", "judgments must be a path, the votes of each sentence, or a data frame"),
        (3, 5, "judgments must be a path, the votes of each sentence, or a data frame"),
        (3, [], "the votes are empty"),
        (3, [1, 2], "there are choices for 2 sentences, but gold has 20"),
        (3, [3, 4] * 10, "the votes are '3', '4'"),
    ],
)
def test_results_have_no_scores_of_sentences(place, value, message):
    files = [EXAMPLES / "parallel" / name / "en.conllu" for name in ("gold", "systems/alpha", "systems/beta")]
    given = [*files, ["1"] * 20]
    given[place] = levelhead.score(*files[:2]) if value == "score" else value
    with pytest.raises(levelhead.InputError, match=message):
        levelhead.judge(*given)
