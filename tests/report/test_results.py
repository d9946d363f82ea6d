"""Results print themselves."""

import base64
import hashlib
import importlib
import json
import re
import sys
from functools import cache
from html import escape
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES, library
from levelhead._version import VERSION
from levelhead.api.listings import Installation, InstalledPart, ProfileColumnList, SchemeList, list_measures
from levelhead.comparison.judgment import Choices
from levelhead.conversion import check_round_trip
from levelhead.conversion.round_trip import RoundTrips
from levelhead.correlation import Measurements
from levelhead.correlation.coefficients import cumulative_variances
from levelhead.errors import LevelheadError
from levelhead.measures.registry import STANDARD
from levelhead.studies.study import Claim, Study
from levelhead.tables.table import MOST_ROWS, Table
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import Provenance
from levelhead.typology.collection import sampled
from levelhead.typology.profile import files_of
from levelhead.typology.profile_columns import COLUMNS
from naming import naming

PARALLEL = EXAMPLES / "parallel"
GOLDS, SYSTEMS = PARALLEL / "gold", PARALLEL / "systems"
GOLD, ALPHA, BETA = GOLDS / "en.conllu", SYSTEMS / "alpha" / "en.conllu", SYSTEMS / "beta" / "en.conllu"


def judgment() -> Tabular:
    votes = np.arange(20) % 2
    return levelhead.judge(GOLD, ALPHA, BETA, Choices(votes.astype(float), np.ones(20, int)))


def table_by_treebank() -> Measurements:
    return Measurements(tuple("abcde"), {"x": np.arange(5.0), "y": np.arange(5.0) ** 2})


RESULTS = {
    "Evaluation": lambda: levelhead.score(GOLD, ALPHA),
    "Evaluation of folders": lambda: levelhead.score(GOLDS, SYSTEMS / "alpha"),
    "Comparison": lambda: levelhead.compare(GOLD, [ALPHA, BETA]),
    "Difficulty": lambda: levelhead.difficulty(GOLDS, SYSTEMS),
    "Languages": lambda: levelhead.languages(GOLDS, SYSTEMS / "alpha"),
    "Agreement": lambda: levelhead.agree(GOLD, ALPHA),
    "TreebankChanges": lambda: levelhead.diff(GOLD, ALPHA),
    "ReleaseChanges": lambda: levelhead.diff(GOLDS, SYSTEMS / "alpha"),
    "Suspects": lambda: levelhead.suspects(GOLD, [ALPHA]),
    "RankedSystems": lambda: levelhead.rank(GOLDS, SYSTEMS),
    "Power": lambda: levelhead.power(GOLD, [ALPHA, BETA]),
    "Contrasts": lambda: levelhead.trees(GOLD, [ALPHA, BETA]),
    "ErrorExamples": lambda: levelhead.trees(GOLD, ALPHA, show=["nsubj:obj", "obl:nmod"]),
    "Breakdowns": lambda: levelhead.breakdown(GOLDS, SYSTEMS / "alpha", by="class"),
    "ErrorAnalysis": lambda: levelhead.analyze(GOLD, ALPHA),
    "CountedSentences": lambda: levelhead.sentences(GOLD, ALPHA),
    "AlignedWords": lambda: levelhead.words(GOLD, ALPHA),
    "Confusions": lambda: levelhead.confusion(GOLD, ALPHA),
    "Explanation": lambda: levelhead.explain(GOLD, ALPHA),
    "Survey": lambda: levelhead.profile(GOLDS),
    "Similarities": lambda: levelhead.similarity(GOLDS),
    "SelectedTreebanks": lambda: levelhead.select(GOLDS),
    "TestSets": lambda: levelhead.testsets("eu_bdt"),
    "Samples": lambda: sampled(files_of([GOLD]), [50], samples=2),
    "Correlation": lambda: levelhead.correlate(table_by_treebank()),
    "CumulativeVariances": lambda: cumulative_variances(table_by_treebank()),
    "Judgment": judgment,
    "Measurements": lambda: levelhead.measurements(EXAMPLES / "genera.csv"),
    "Derivations": lambda: levelhead.derive(GOLD),
    "Perplexities": lambda: levelhead.perplexity(GOLD, ALPHA),
    "Recovery": lambda: levelhead.recover(EXAMPLES / "recover" / "answers.txt", EXAMPLES / "recover" / "gold.conllu"),
    "RoundTrip": lambda: check_round_trip(levelhead.read(GOLD)),
    "Validation": lambda: levelhead.validate(GOLD, SYSTEMS / "gamma"),
    "RoundTrips": lambda: RoundTrips({"en": check_round_trip(levelhead.read(GOLD))}),
    "LoadedResult": lambda: levelhead.load(levelhead.score(GOLD, ALPHA).to_dict()),
    "Citation": lambda: levelhead.cite(levelhead.score(GOLD, ALPHA, measures="LAS")),
    "MeasureList": lambda: list_measures(STANDARD),
    "SchemeList": lambda: SchemeList(tuple(STANDARD.schemes.by_name.values())),
    "Installation": lambda: Installation((InstalledPart("levelhead", VERSION, ""),)),
    "ProfileColumnList": lambda: ProfileColumnList(tuple(COLUMNS.values())),
    "Study": lambda: Study("s", "T", "P", (), (), (Claim("c", "p", "holds", "e"),), {"seed": "1"}),
}
"""A result of each type."""


OF_TASKS = {"Leaderboard", "Submissions"}
"""Results of shared tasks: tests/task/test_task_schemas.py."""

OWN = {
    "ProfileColumnList", "Study", "Validation", "MeasureList", "SchemeList", "Installation", "Citation",
    "LoadedResult", "TestSets",
}  # fmt: skip
"""Results whose tables have no signature below."""


@cache
def result_of(name: str) -> Tabular:
    return RESULTS[name]()


def classes(parent: type) -> set[type]:
    return {one for child in parent.__subclasses__() for one in {child, *classes(child)}}


def test_every_result_is_here() -> None:
    root = Path(levelhead.__file__).parent
    for path in root.rglob("*.py"):
        if re.search(r"\((Changes|Tabular|TreeExamples|WithIntervals)", path.read_text("utf-8")):
            importlib.import_module(".".join(("levelhead", *path.relative_to(root).with_suffix("").parts)))
    own = {one.__name__ for one in classes(Tabular) if one.__module__.startswith("levelhead.")}
    assert {name.partition("[")[0] for name in own} - {
        "Changes",
        "TreeExamples",
        "PerTreebank",
        "WithIntervals",
        "_Listing",
        *OF_TASKS,
    } == {name.partition(" ")[0] for name in RESULTS}


@pytest.mark.parametrize("name", RESULTS)
def test_results_print_themselves(name: str) -> None:
    result = result_of(name)
    assert type(result).__name__ == name.partition(" ")[0]
    table = result.table()
    assert isinstance(table, Table)
    assert json.loads(json.dumps(result.to_dict()))["schema"] == 2
    assert str(result)
    html = result._repr_html_()
    sizes = len(table.rows), len(table.summary)
    n_rows = sum(min(size, MOST_ROWS) for size in sizes) + (max(sizes) > MOST_ROWS or bool(table.more))
    assert html.count("<tr") == (0 if name == "Citation" else n_rows + 1)
    assert (result.verdict is None) or html.startswith(f"<p><b>{escape(result.verdict)}</b></p>")
    short = repr(result)
    assert short.startswith(f"<{type(result).__name__}")
    assert len(short) < 200
    assert "\n" not in short


@pytest.mark.parametrize("frames", ["polars", "pandas"])
def test_results_become_frames(frames: Literal["polars", "pandas"]) -> None:
    library(frames)
    for name in RESULTS:
        with naming(name):
            result = result_of(name)
            for table, data in result.tables.items():
                frame = result.to_frame(table, library=frames)
                assert (list(frame.columns), len(frame)) == (data.names, len(data.rows))
    assert list(levelhead.score(GOLD, ALPHA, measures="LAS").to_frame(library=frames)["correct"]) == [146]


@pytest.mark.parametrize("name", [name for name in RESULTS if name not in OWN])
def test_results_say_where_they_come_from(name: str) -> None:
    """Signature, hashes of all files that were read, warnings and notes are one value; its signature is printed."""
    result = result_of(name)
    provenance = result.provenance
    assert type(provenance) is Provenance
    assert provenance.signature["version"] == VERSION
    hashes = {one.sha256 for files in provenance.files.values() for one in files.values()}
    assert (hashes == set()) == (name in {"Correlation", "CumulativeVariances"})  # the table is in memory
    known = {hashlib.sha256(path.read_bytes()).hexdigest() for path in EXAMPLES.rglob("*.*")}
    assert hashes <= known
    if name != "Measurements":  # which are read from tables with notes of their own
        assert not {"signature", "files", "warnings", "notes"} & set(getattr(type(result), "__dataclass_fields__", ()))
    if name not in {"Explanation", "Derivations"}:
        assert result.table().signature["version"] == provenance.signature["version"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (
            "Comparison",
            "<Comparison: 2 systems, 3 measures, 6 results. beta is worse than alpha in UAS (−12.80, p < .001), LAS (−17.20, p < .001), CLAS (−22.35, p < .001).>",
        ),
        (
            "Agreement",
            (
                "<Agreement: 2 treebanks, 1 pair, 19 labels, 26 disagreements. "
                "The annotators agree on the heads of 93.3% and the relations of 92.1% of words.>"
            ),
        ),
        ("ErrorExamples", "<ErrorExamples: 2 errors>"),
        ("AlignedWords", "<AlignedWords: 164 rows>"),
        ("Measurements", "<Measurements: 20 treebanks, 1 text>"),
        ("Study", "<Study: 1 claim. Of 1 claim, 1 holds.>"),
        ("Validation", "<Validation: 9 files, 2 errors and warnings>"),
    ],
)
def test_short_forms(name: str, shown: str) -> None:
    assert repr(RESULTS[name]()) == shown


def test_options_of_tables() -> None:
    """What the command offers is an argument of `table`."""
    scores = levelhead.score(GOLD, ALPHA, measures="LAS")
    assert scores.table(counts=True).rows[0][:4] == ("LAS", 146, 164, 164)
    assert len(levelhead.perplexity(GOLD, ALPHA).table(sentences=True).rows) == 20


def test_html_is_escaped(tmp_path: Path) -> None:
    path = tmp_path / "<i>&.conllu"
    path.write_bytes(GOLD.read_bytes())
    html = levelhead.profile(path)._repr_html_()
    assert "<i>" not in html
    assert "&lt;i&gt;&amp;" in html


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = levelhead.score(GOLD, ALPHA)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(LevelheadError, match="pip install 'polars'"):
        scores.to_frame(library="polars")
    with pytest.raises(ValueError, match="unknown library 'dask'"):
        scores.to_frame(library="dask")


def test_sentences_are_drawn() -> None:
    """Each word is in the drawing once, with the arc from its head."""
    sentence = levelhead.read(GOLD)[0]
    svg = sentence._repr_svg_()
    assert svg.startswith("<svg")
    assert base64.b64encode(svg.encode()).decode() in sentence._repr_html_()
    assert [svg.count(f">{form}</text>") for form in dict.fromkeys(sentence.forms)] == [
        sentence.forms.count(form) for form in dict.fromkeys(sentence.forms)
    ]
    arcs = [svg.count(f"<{shape} class") for shape in ("polygon", "path", "line")]
    assert arcs == [len(sentence), len(sentence) - 1, 1]  # tips, arcs and the root


def test_drawings_are_escaped() -> None:
    sentence = levelhead.from_conllu("1\t<script>&\t_\tX\t_\t_\t0\troot\t_\t_\n\n")[0]
    assert "<script>" not in sentence._repr_svg_()
