"""Results and data frames as tables by treebank: the same columns, numbers and hashes as the files that commands write."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.conversion.round_trip import RoundTrips, check_round_trip
from levelhead.correlation import Measurements
from levelhead.tables.writers import data_to_tsv, to_tsv

GOLD, ALPHA, BETA = (EXAMPLES / "parallel" / name for name in ("gold", "systems/alpha", "systems/beta"))
SMALL = ("br_keb", "fo_oft", "hsb_ufal", "hy_armtdp", "kk_ktb", "kmr_mg", "pcm_nsc", "bxr_bdt")


@pytest.fixture(scope="module")
def survey() -> Any:
    return levelhead.profile(GOLD, columns="words,head_entropy")


@pytest.fixture(scope="module")
def scores() -> dict[str, Any]:
    return {path.name: levelhead.score(GOLD, path, measures="LAS,CLAS") for path in (ALPHA, BETA)}


def check_same(found: Measurements, expected: Measurements) -> None:
    assert found.treebanks == expected.treebanks
    assert found.texts == expected.texts
    assert found.numbers.keys() == expected.numbers.keys()
    for name, column in found.numbers.items():
        np.testing.assert_array_equal(column, expected.numbers[name])


def written(result: Any, path: Path) -> Path:
    text = data_to_tsv(result.data()) if result.KIND else to_tsv(result.table())
    path.write_text(text, encoding="utf-8")
    return path


def test_results_are_the_tables_of_their_commands(
    run: Callable[..., Any], survey: Any, scores: Any, tmp_path: Path
) -> None:
    files = [tmp_path / name for name in ("survey.tsv", "scores.tsv")]
    assert run("profile", GOLD, "-c", "words,head_entropy", "--format", "tsv", "-o", files[0])[0] == 0
    assert run("score", GOLD, ALPHA, "-m", "LAS,CLAS", "--format", "tsv", "-o", files[1])[0] == 0
    found, expected = levelhead.measurements(survey, scores["alpha"]), levelhead.measurements(*files)
    check_same(found, expected)
    assert [*found.sources.values()] == [*expected.sources.values()]
    assert [*found.sources] == ["profile", "score"]
    one, other = (levelhead.correlate(*some) for some in ((survey, scores["alpha"]), files))
    assert one.table().rows == other.table().rows


def test_other_results_are_tables(scores: Any, tmp_path: Path) -> None:
    """Rankings of one system, conversions, and all results that were written and loaded."""
    ranked = levelhead.rank(GOLD, [ALPHA], measures="LAS,CLAS")
    trips = {path.stem: check_round_trip(levelhead.read(path)) for path in sorted(GOLD.iterdir())}
    converted = RoundTrips(trips)
    found = levelhead.measurements({"r": ranked, "c": converted}, scores["alpha"])
    np.testing.assert_allclose(found.number("r.LAS"), found.number("LAS"))
    assert found.number("c.lost_heads_share").tolist() == [
        row["lost_heads_share"] for row in converted.data().documents()
    ]
    for result in (ranked, converted, scores["alpha"]):
        check_same(levelhead.measurements(levelhead.load(result.to_dict())), levelhead.measurements(result))
        path = tmp_path / "result.json"
        path.write_text(json.dumps(result.to_dict()), encoding="utf-8")
        check_same(levelhead.measurements(path), levelhead.measurements(result))


@pytest.mark.slow
def test_real_results_are_the_tables_of_their_commands(data: Path, tmp_path: Path) -> None:
    golds = {code: data / f"conll18/gold/{code}.conllu.xz" for code in SMALL}
    outputs = {code: data / f"conll18/systems/UDPipe-Future/{code}.conllu.xz" for code in SMALL}
    present = {code for code, path in outputs.items() if path.exists()}
    assert len(present) >= 5
    found = levelhead.score(
        {code: golds[code] for code in present},
        {"UDPipe-Future": {code: outputs[code] for code in present}},
        rules="conll18",
    )
    survey = levelhead.profile(*(golds[code] for code in present), columns="words,nonprojective_arcs")
    files = [written(result, tmp_path / f"{n}.tsv") for n, result in enumerate((survey, found))]
    check_same(levelhead.measurements(survey, found), levelhead.measurements(*files))
    assert levelhead.correlate(survey, found, columns="LAS,words", votes="treebank").table().rows == (
        levelhead.correlate(*files, columns=["LAS", "words"], votes="treebank").table().rows
    )


FRAMES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas with an index": lambda columns: pd.DataFrame(columns).set_index("name"),
    "pandas with an index without a name": lambda columns: pd.DataFrame(columns).set_index("name").rename_axis(None),
    "pandas with its own types": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "polars": pl.DataFrame,
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_are_tables(kind: str, survey: Any, scores: Any) -> None:
    table = levelhead.measurements(survey, scores["alpha"])
    columns = {"name": [*table.treebanks], **{name: [*cells] for name, cells in table.texts.items()}}
    columns |= {name: column.tolist() for name, column in table.numbers.items()}
    check_same(levelhead.measurements(FRAMES[kind](columns)), table)
    columns["LAS"][2] = None
    missing = levelhead.measurements(FRAMES[kind](columns)).number("LAS")
    assert np.flatnonzero(np.isnan(missing)).tolist() == [2]


def test_frames_of_results_are_tables(survey: Any, scores: Any) -> None:
    """As `to_frame` returns them; Pearson's coefficient does not depend on the unit of scores."""
    columns = "LAS,CLAS,head_entropy"
    expected = [row[:5] for row in levelhead.correlate(survey, scores["alpha"], columns=columns).table().rows]
    for library in ("pandas", "polars"):
        frames = (result.to_frame(library=library) for result in (survey, scores["alpha"]))
        found = levelhead.correlate(*frames, columns=columns, methods=None).table().rows
        for row, other in zip(found, expected, strict=True):
            assert row[:4] == other[:4]
            assert row[4] == pytest.approx(other[4], abs=1e-12)


def test_a_mapping_names_tables(survey: Any, scores: Any, tmp_path: Path) -> None:
    files = {name: written(result, tmp_path / f"{name}.tsv") for name, result in scores.items()}
    found = levelhead.measurements(survey, scores)
    check_same(found, levelhead.measurements(survey, *(f"{name}={path}" for name, path in files.items())))
    check_same(found, levelhead.measurements(survey, files))
    check_same(found, levelhead.measurements(survey, {n: levelhead.measurements(one) for n, one in scores.items()}))
    assert [*found.sources] == ["profile", "alpha", "beta"]


def test_sources_of_one_type_have_names_of_their_own() -> None:
    las, clas = (levelhead.score(GOLD, path, measures=name) for path, name in ((ALPHA, "LAS"), (BETA, "CLAS")))
    assert [*levelhead.measurements(las, clas).sources] == ["score", "score 2"]


@pytest.mark.parametrize("columns", ["LAS,CLAS", "LAS, CLAS", ["LAS,CLAS"], ("LAS", "CLAS")])
def test_columns_are_separated_by_commas(
    columns: Any, survey: Any, scores: Any, run: Callable[..., Any], tmp_path: Path
) -> None:
    found = levelhead.correlate(survey, scores["alpha"], columns=columns)
    assert found.columns == ("LAS", "CLAS")
    path = written(scores["alpha"], tmp_path / "scores.tsv")
    given = [columns] if isinstance(columns, str) else columns
    code, out, err = run("correlate", path, *(text for one in given for text in ("-c", one)), "--format", "tsv")
    assert (code, out.splitlines()[1].split("\t")[:2]) == (0, ["LAS", "CLAS"]), err


def test_a_column_with_a_comma_keeps_its_name() -> None:
    frame = pd.DataFrame({"name": [*"abcdef"], "x,y": [1, 2, 3, 4, 6, 5], "z(a,b)": [3, 2, 1, 5, 4, 6]})
    assert levelhead.correlate(frame, columns=["x,y", "z(a,b)"], votes="treebank").columns == ("x,y", "z(a,b)")
    assert levelhead.correlate(frame, columns="x,y", votes="treebank").columns == ("x,y", "z(a,b)")


def invalid_tables() -> Iterable[tuple[Callable[[dict[str, Any]], Any], str]]:
    yield lambda _: 5, "tables must be a table"
    yield lambda _: {}, "tables must be a table"
    yield lambda _: {"a": [1]}, "tables must be a table"
    yield lambda _: [1, 2], "tables must be a table"
    yield lambda _: levelhead.agree(GOLD / "en.conllu", ALPHA / "en.conllu"), "the result has no values by treebank"
    yield lambda _: levelhead.rank(GOLD, [ALPHA, BETA], measures="LAS"), r"several systems \(2\)"
    yield lambda _: pd.DataFrame({"system": ["x", "y"], "treebank": "en", "LAS": [1, 2]}), r"several systems \(2\)"
    yield lambda _: pd.DataFrame({"x": [1, 2]}), "no text column or index has the names of treebanks"
    yield lambda _: pl.DataFrame({"t": ["a", "a"], "x": [1, 2]}), "'a' already has a row"
    yield lambda _: pd.DataFrame([["a", 1, 2]], columns=["t", "x", "x"]), "two columns of the data frame"
    yield lambda _: pl.DataFrame({"t": ["a", "b"], "x": ["1", "many"], "y": ["2", "3"]}), "'many' in the column 'x'"
    yield lambda _: pd.DataFrame({"t": ["a"]}), "requires a column of treebanks and a column of values"
    yield lambda _: pd.DataFrame({"t": ["a"], "x": [None]}), "no column has a value"


@pytest.mark.parametrize(("table", "message"), [*invalid_tables()])
def test_what_is_not_a_table_is_refused(table: Callable[[Any], Any], message: str, scores: Any) -> None:
    with pytest.raises(levelhead.InputError, match=message):
        levelhead.measurements(table(scores))


def test_the_key_of_a_frame_is_a_column_or_the_index() -> None:
    frame = pd.DataFrame({"family": ["x", "y"], "code": ["a", "b"], "n": [1, 2]})
    assert levelhead.measurements(frame, key="code").treebanks == ("a", "b")
    assert levelhead.measurements(frame.set_index("code"), key="code").treebanks == ("a", "b")
    assert levelhead.measurements(frame.set_index("code"), key="family").treebanks == ("x", "y")
    with pytest.raises(levelhead.InputError, match="unknown column 'cod'"):
        levelhead.measurements(frame, key="cod")


def test_two_results_with_the_same_columns_need_names(scores: Any) -> None:
    with pytest.raises(levelhead.InputError, match="both in score and in score 2: name the tables"):
        levelhead.measurements(scores["alpha"], scores["beta"])


@pytest.mark.parametrize(
    "result",
    [
        lambda *_: levelhead.rank(GOLD, [ALPHA, BETA], measures="LAS"),
        lambda *_: levelhead.agree(GOLD / "en.conllu", ALPHA / "en.conllu"),
        lambda survey, scores: levelhead.correlate(survey, scores["alpha"]),
        lambda survey, _: levelhead.measurements(survey),
    ],
)
def test_results_are_iterable_only_if_they_are_mappings(result: Callable[..., Any], survey: Any, scores: Any) -> None:
    with pytest.raises(TypeError, match="not iterable"):
        list(result(survey, scores))
    assert [*survey] == [*scores["alpha"].treebanks]
