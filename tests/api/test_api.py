"""The public functions: one for each command, on paths and on treebanks in memory."""

import inspect
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead import InputError, MeasureError, Treebank
from levelhead.cli import program

PARALLEL = EXAMPLES / "parallel"
GOLDS, SYSTEMS = PARALLEL / "gold", PARALLEL / "systems"
GOLD, ALPHA, BETA = GOLDS / "en.conllu", SYSTEMS / "alpha" / "en.conllu", SYSTEMS / "beta" / "en.conllu"

NOT_FUNCTIONS = {"measures", "task", "submit", "schema", "doctor", "completion"}
"""Commands that are not functions of files."""


def test_each_command_is_a_function() -> None:
    """Under the name of the command."""
    commands = set(program.cli.list_commands(None)) - NOT_FUNCTIONS
    assert commands <= set(levelhead.__all__)
    assert {"read", "write", "from_conllu", "breakdown", "confusion", "trees", "explain"} <= set(levelhead.__all__)


@pytest.mark.parametrize("name", [name for name in levelhead.__all__ if inspect.isfunction(getattr(levelhead, name))])
def test_signatures_are_short(name: str) -> None:
    """No default is printed in full."""
    assert len(str(inspect.signature(getattr(levelhead, name)))) < 1200


def test_importing_is_fast() -> None:
    """Nothing heavy is loaded before it is used."""
    program_text = (
        "import sys, levelhead; print([n for n in ('numpy', 'click', 'levelhead.api.inputs') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program_text], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def numbers(result: object) -> object:
    """Return the document of a result without what tells files from treebanks in memory."""
    document = json.loads(json.dumps(result.to_dict()))
    return without_sources(document)


def without_sources(value: object) -> object:
    """Leave out names and hashes of files, and notes."""
    left_out = {"signature", "files", "path", "sha256", "file", "warnings", "notes"}
    if isinstance(value, dict):
        return {key: without_sources(one) for key, one in value.items() if key not in left_out}
    return [without_sources(one) for one in value] if isinstance(value, list) else value


CALLS = {
    "score": lambda three: levelhead.score(three[0], three[1]),
    "compare": lambda three: levelhead.compare({"en": three[0]}, {"a": {"en": three[1]}, "b": {"en": three[2]}}),
    "rank": lambda three: levelhead.rank({"en": three[0]}, {"a": {"en": three[1]}, "b": {"en": three[2]}}),
    "breakdown": lambda three: levelhead.breakdown({"en": three[0]}, {"s": {"en": three[1]}}, by=["relation", "upos"]),
    "gains": lambda three: levelhead.breakdown(
        {"en": three[0]}, {"a": {"en": three[1]}, "b": {"en": three[2]}}, by="upos"
    ),
    "sentences": lambda three: levelhead.sentences({"en": three[0]}, {"s": {"en": three[1]}, "t": {"en": three[2]}}),
    "words": lambda three: levelhead.words({"en": three[0]}, {"s": {"en": three[1]}, "t": {"en": three[2]}}),
    "analyze": lambda three: levelhead.analyze({"en": three[0]}, {"s": {"en": three[1]}}),
    "confusion": lambda three: levelhead.confusion({"en": three[0]}, {"s": {"en": three[1]}}),
    "trees": lambda three: levelhead.trees({"en": three[0]}, {"s": {"en": three[1]}}, show="nsubj:obj"),
    "contrasts": lambda three: levelhead.trees({"en": three[0]}, {"a": {"en": three[1]}, "b": {"en": three[2]}}),
    "explain": lambda three: levelhead.explain(three[0], three[1]),
    "agree": lambda three: levelhead.agree(three[0], three[1]),
    "diff": lambda three: levelhead.diff(three[0], three[1]),
    "suspects": lambda three: levelhead.suspects(three[0], {"a": three[1], "b": three[2]}),
    "languages": lambda three: levelhead.languages(
        {"x": three[0], "y": three[0]}, {"s": {"x": three[1], "y": three[2]}}
    ),
    "power": lambda three: levelhead.power(
        {"en": three[0]}, {"a": {"en": three[1]}, "b": {"en": three[2]}}, units=[50]
    ),
    "similarity": lambda three: levelhead.similarity(three[0], GOLDS / "de.conllu"),
    "select": lambda three: levelhead.select(three[0]),
    "profile": lambda three: levelhead.profile(three[0]),
    "derive": lambda three: levelhead.derive(three[0]),
    "perplexity": lambda three: levelhead.perplexity(three[0], three[1], systems={"b": three[2]}),
}
"""A call of each function that takes treebanks, by what it shows."""


@pytest.mark.parametrize("name", CALLS)
def test_paths_and_treebanks_give_the_same_numbers(name: str) -> None:
    paths = (GOLD, str(ALPHA), BETA)
    treebanks = [levelhead.read(path) for path in paths]
    assert numbers(CALLS[name](treebanks)) == numbers(CALLS[name](paths))


@pytest.mark.parametrize("name", CALLS)
def test_results_are_equal_by_what_they_hold(name: str) -> None:
    """Made again, read from a pickle, of other files: `==` is always True or False."""
    result = CALLS[name]((GOLD, ALPHA, BETA))
    assert (result == CALLS[name]((GOLD, ALPHA, BETA))) is True
    assert (result == pickle.loads(pickle.dumps(result))) is True
    assert (
        result == CALLS[name]((GOLDS / "tr.conllu", SYSTEMS / "alpha" / "tr.conllu", BETA.with_stem("tr")))
    ) is False


COMMANDS = {
    "score a pair": (["score", GOLD, ALPHA], lambda: levelhead.score(GOLD, ALPHA)),
    "score folders": (["score", GOLDS, SYSTEMS / "alpha"], lambda: levelhead.score(GOLDS, SYSTEMS / "alpha")),
    "compare": (["compare", GOLD, ALPHA, BETA], lambda: levelhead.compare(GOLD, [ALPHA, BETA])),
    "compare folders": (
        ["compare", GOLDS, SYSTEMS / "alpha", SYSTEMS / "beta"],
        lambda: levelhead.compare(GOLDS, [SYSTEMS / "alpha", SYSTEMS / "beta"]),
    ),
    "rank": (["rank", GOLDS, SYSTEMS], lambda: levelhead.rank(GOLDS, SYSTEMS)),
    "rank with tests": (
        ["rank", GOLDS, SYSTEMS, "--significance"],
        lambda: levelhead.rank(GOLDS, SYSTEMS, significance=True),
    ),
    "power": (["power", GOLD, ALPHA, BETA], lambda: levelhead.power(GOLD, [ALPHA, BETA])),
    "profile": (["profile", GOLDS], lambda: levelhead.profile(GOLDS)),
    "perplexity": (["perplexity", GOLD, ALPHA], lambda: levelhead.perplexity(GOLD, str(ALPHA))),
}
"""Commands, and the same in Python."""


@pytest.mark.parametrize("name", COMMANDS)
def test_texts_are_those_of_the_command(run, name: str) -> None:
    arguments, call = COMMANDS[name]
    code, output, _ = run(*arguments, *["--all-measures"] * (name == "score folders"))
    assert code == 0
    assert str(call()) == output.rstrip("\n")


def test_a_manifest_names_everything(tmp_path: Path) -> None:
    lines = ["[campaign]", f'gold = "{GOLDS}"', f'systems = "{SYSTEMS}"', 'measures = ["UAS"]']
    (tmp_path / "task.toml").write_text("\n".join(lines), encoding="utf-8")
    board = levelhead.rank(tmp_path / "task.toml")
    assert [one.measure for one in board.rankings] == ["UAS"]
    assert board["uas"].standings == levelhead.rank(GOLDS, SYSTEMS, measures="UAS")["UAS"].standings
    with pytest.raises(InputError, match="give gold and systems"):
        levelhead.rank(GOLDS)


def test_a_table_of_scores_is_ranked(tmp_path: Path) -> None:
    table = "system\ttreebank\tLAS\nx\tfr\t80\ny\tfr\t90\n"
    (tmp_path / "scores.tsv").write_text(table, encoding="utf-8")
    board = levelhead.rank(scores=tmp_path / "scores.tsv", measures="las")
    assert [(one.system, one.value) for one in board["LAS"].standings] == [("y", 90), ("x", 80)]
    with pytest.raises(MeasureError, match="unknown measure in this table 'UAS'"):
        levelhead.rank(scores=tmp_path / "scores.tsv", measures="UAS")


def test_weights_are_a_mapping(tmp_path: Path) -> None:
    """As in a file of weights; what a file may not have is refused in a mapping as well."""
    (tmp_path / "weights.tsv").write_text("det 0.1\nnsubj 1\n", encoding="utf-8")
    by_file = levelhead.score(GOLD, ALPHA, measures=f"WeightedLAS({tmp_path / 'weights.tsv'})")
    mapped = levelhead.score(GOLD, ALPHA, measures="WeightedLAS(mine)", weights={"mine": {"det": 0.1, "nsubj": 1}})
    assert mapped["WeightedLAS(mine)"].exact == next(iter(by_file.values())).exact
    for wrong in ({"nmod:poss": 1.0}, {"det": -1.0}, {"det": float("nan")}, {}):
        with pytest.raises(InputError) as caught:
            levelhead.score(GOLD, ALPHA, measures="WeightedLAS(mine)", weights={"mine": wrong})
        assert caught.value.slug == "invalid-weights"


def test_training_treebanks_give_weights() -> None:
    from_train = levelhead.score(GOLD, ALPHA, measures="WLAS(WDE)", train=[GOLD])
    weights = {"WDE": levelhead.profile(GOLD, columns="wde")["en"].numbers("wde")}
    assert from_train["WLAS(WDE)"].value == pytest.approx(
        levelhead.score(GOLD, ALPHA, measures="WLAS(WDE)", weights=weights)["WLAS(WDE)"].value
    )


def test_training_and_parsing(tmp_path: Path) -> None:
    """A model in memory and its file parse alike; cross-validation returns all sentences."""
    from levelhead.parsing import write_model

    model = levelhead.train(GOLD, "arc-eager", beam=1)
    write_model(model, str(tmp_path / "model"))
    parsed = levelhead.parse(model, GOLD)
    assert isinstance(parsed, Treebank)
    assert levelhead.parse(tmp_path / "model", levelhead.read(GOLD)).heads.tolist() == parsed.heads.tolist()
    assert len(levelhead.crossval(GOLD, "arc-eager", beam=1, folds=2)) == len(parsed)


def test_conversion_there_and_back() -> None:
    gold = levelhead.read(GOLD)
    there = levelhead.convert(GOLD, "forward", exact=True)
    assert there.heads.tolist() != gold.heads.tolist()
    assert levelhead.convert(there, "backward", exact=True).heads.tolist() == gold.heads.tolist()
    with pytest.raises(ValueError, match="unknown direction 'sideways'"):
        levelhead.convert(gold, "sideways")
    with pytest.raises(ValueError, match="unknown transition system 'x'"):
        levelhead.derive(gold, "x")


def test_validation() -> None:
    found = levelhead.validate(GOLDS, SYSTEMS / "gamma" / "tr.conllu")
    assert not found.valid
    assert len(found.files) == 9
    assert "tr.conllu:49: cycle: " in str(found)
    assert levelhead.validate(GOLD).valid


def test_validation_of_a_manifest(tmp_path: Path) -> None:
    manifest = tmp_path / "task.toml"
    manifest.write_text(f'[campaign]\ngold = "{GOLDS}"\n', encoding="utf-8")
    assert levelhead.validate(manifest) == levelhead.validate(GOLDS)


def test_what_a_function_cannot_do_is_refused() -> None:
    with pytest.raises(MeasureError, match="a single measure"):
        levelhead.breakdown(GOLD, ALPHA, by="relation", measures="LAS,UAS")
    with pytest.raises(InputError, match="is a single relation: add the system's relation"):
        levelhead.trees(GOLD, ALPHA, show="nsubj")
    with pytest.raises(InputError, match="at least two treebanks"):
        levelhead.languages(GOLD, ALPHA)
    with pytest.raises(InputError, match="at least two treebanks"):
        levelhead.similarity(GOLD)


def test_people_and_tables(tmp_path: Path) -> None:
    """Judgments and tables are paths; the result prints itself."""
    (tmp_path / "votes").write_text("1\n2\n" * 10, encoding="utf-8")
    judged = levelhead.judge(GOLD, ALPHA, levelhead.read(BETA), tmp_path / "votes", measures="LAS,UAS")
    assert list(judged.measures) == ["LAS", "UAS"]
    rows = "".join(f"t{i}\t{i}\t{i * i % 5}\n" for i in range(6))
    (tmp_path / "table.tsv").write_text("treebank\tA\tB\n" + rows, encoding="utf-8")
    found = levelhead.correlate(tmp_path / "table.tsv", differences=[("A", "B")], columns=["A", "B"])
    assert found.columns == ("A", "B", "diff(A,B)")
    table = levelhead.measurements(tmp_path / "table.tsv")
    assert levelhead.correlate(table)["A", "B"] == levelhead.correlate(tmp_path / "table.tsv")["A", "B"]
