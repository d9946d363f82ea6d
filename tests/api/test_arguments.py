"""Wrong arguments of public functions: each is refused with an error of levelhead that names the argument."""

import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES, one_in
from levelhead import LevelheadError
from levelhead.api.parameters import SHARED
from levelhead.errors import NOWHERE

PARALLEL = Path(__file__).parents[2] / "examples/parallel"
GOLDS, SYSTEMS = PARALLEL / "gold", PARALLEL / "systems"
GOLD, ALPHA, BETA = GOLDS / "en.conllu", SYSTEMS / "alpha/en.conllu", SYSTEMS / "beta/en.conllu"
ROWS = "treebank\ta\tb\n" + "".join(f"t{i}\t{i}\t{i * i % 7}\n" for i in range(9))

VALUES = {
    "an object": object(),
    "a class": str,
    "a function": len,
    "None": None,
    "true": True,
    "false": False,
    "minus one": -1,
    "zero": 0,
    "a fraction": 10.5,
    "not a number": float("nan"),
    "infinity": float("inf"),
    "a huge number": 10**400,
    "no text": "",
    "an unknown name": "no-such-name",
    "a text with NUL": "a\0b",
    "a missing path": Path("/no/such/file"),
    "a folder": GOLDS,
    "bytes": b"abc",
    "nothing": [],
    "no names": {},
    "a list of nothing": [None],
    "a list of numbers": [1.5, -2],
    "a list of empty texts": [""],
    "nested lists": [[], ["a"]],
    "a pair of numbers": (1, 2),
    "a mapping to None": {"a": None},
    "a mapping from numbers": {1: 2},
    "a mapping to numbers": {"a": {"b": float("nan")}},
    "a mapping to texts": {"a": {"det": "much"}},
    "an array": np.zeros((2, 2)),
    "an array without dimensions": np.array(3.5),
    "a generator": "made below",
}
"""Values of every kind; many are wrong for an argument, and some are right."""

OF_A_WRONG_TYPE = {
    "an object", "a class", "a function", "bytes", "a fraction", "not a number", "a list of nothing",
    "a list of numbers", "a mapping to None", "a mapping from numbers", "an array without dimensions",
}  # fmt: skip
READ = {"data", "judgments", "source"}
"""Arguments of which errors are about the contents."""

NOUNS = {"fail_if_worse": "measure", "judgments": "votes|choices", "show": "systems", "text": "measure"}
"""What messages call an argument, other than by its name in the singular."""


def names_the_argument(error: LevelheadError, parameter: str, what: str) -> bool:
    """Whether an error says which argument is wrong, what came and what is expected; in a file, which file is wrong."""
    if re.match(rf"(the )?{parameter}\b.* must be .+, not .+", error.message):
        return True
    if "unknown study" in error.message:  # so that no study is made
        return True
    if what in OF_A_WRONG_TYPE and parameter not in READ:
        return False
    value, noun = VALUES[what], NOUNS.get(parameter, parameter.replace("_", " ").removesuffix("s"))
    came = isinstance(value, str) and repr(value)[1:-1] in error.message
    return came or error.place != NOWHERE or bool(re.search(noun, error.message))


@cache
def rows_file(folder: str) -> Path:
    path = Path(folder) / "rows.tsv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def shortened(folder: Path) -> tuple[Path, Path]:
    """Write a folder of gold treebanks and one of systems: two treebanks of four sentences."""
    for path in (path for code in ("de", "en") for path in PARALLEL.glob(f"*/**/{code}.conllu")):
        target = folder / path.relative_to(PARALLEL)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n\n".join(path.read_text(encoding="utf-8").split("\n\n")[:4]) + "\n\n", encoding="utf-8")
    return folder / "gold", folder / "systems"


def calls(folder: Path) -> dict[str, tuple[tuple[Any, ...], dict[str, Any]]]:
    """Return valid and quick arguments of each public function."""
    votes = folder / "votes"
    votes.write_text("1\n2\n" * 10, encoding="utf-8")
    definitions = folder / "own.toml"
    definitions.write_text('[measure.Heads]\nneeds = ["head"]\n', encoding="utf-8")
    model = levelhead.train(GOLD, "arc-eager", beam=1)
    golds, systems = shortened(folder)
    gold, alpha = golds / "en.conllu", systems / "alpha/en.conllu"
    return {
        "agree": ((GOLD, ALPHA), {}),
        "analyze": ((GOLD, ALPHA), {}),
        "breakdown": ((GOLD, ALPHA), {"by": "upos"}),
        "sentences": ((GOLD, ALPHA), {"measures": "LAS"}),
        "words": ((GOLD, ALPHA), {}),
        "build": (([["a"]], [[0]], [["root"]]), {}),
        "cite": ((levelhead.score(GOLD, ALPHA, measures="LAS"),), {}),
        "columns": (("score",), {}),
        "compare": ((GOLD, [ALPHA, BETA]), {"measures": "LAS"}),
        "confusion": ((GOLD, ALPHA), {}),
        "convert": ((GOLD, "forward"), {}),
        "correlate": ((rows_file(str(folder)),), {"permutations": 5}),
        "crossval": ((gold, "arc-eager"), {"folds": 2, "beam": 1}),
        "derive": ((GOLD,), {}),
        "diff": ((GOLD, ALPHA), {}),
        "difficulty": ((GOLDS, SYSTEMS), {}),
        "explain": ((GOLD, ALPHA), {}),
        "faults_of": ((GOLD,), {}),
        "from_conllu": (("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n",), {}),
        "judge": ((GOLD, ALPHA, BETA, votes), {"measures": "LAS"}),
        "languages": (({"x": GOLD, "y": GOLD}, {"s": {"x": ALPHA, "y": BETA}}), {"measures": "LAS"}),
        "load": ((levelhead.score(GOLD, ALPHA, measures="LAS").to_dict(),), {}),
        "measure": (("Mine",), {}),
        "measurements": ((rows_file(str(folder)),), {}),
        "parse": ((model, ALPHA), {}),
        "parse_measure": (("LAS",), {}),
        "perplexity": ((GOLD, ALPHA), {}),
        "paper_table": ((levelhead.rank(GOLDS, SYSTEMS, measures="LAS"),), {}),
        "power": ((GOLD, [ALPHA, BETA]), {"measures": "LAS"}),
        "profile": ((GOLD,), {}),
        "rank": ((golds, systems), {"measures": "LAS"}),
        "read": ((GOLD,), {}),
        "read_definitions": ((definitions,), {}),
        "recover": ((EXAMPLES / "recover/answers.txt", EXAMPLES / "recover/gold.conllu"), {}),
        "reproduce": (("no-such-study",), {}),
        "score": ((GOLD, ALPHA), {"measures": "LAS"}),
        "select": ((GOLD,), {}),
        "similarity": ((GOLD, ALPHA), {}),
        "suspects": ((gold, [alpha]), {}),
        "testsets": (("eu_bdt",), {}),
        "train": ((gold, "arc-eager"), {"beam": 1}),
        "trees": ((GOLD, ALPHA), {"show": "nsubj:obj"}),
        "validate": ((GOLD,), {}),
        "write": ((levelhead.read(GOLD), folder / "written.conllu"), {}),
        "write_report": ((levelhead.diff(GOLD, ALPHA), folder / "page.html"), {}),
    }


FUNCTIONS = [name for name in levelhead.__all__ if inspect.isfunction(getattr(levelhead, name))]


def cases(name: str, given: tuple[tuple[Any, ...], dict[str, Any]]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Give calls of a function in which one argument has one of the values."""
    function = getattr(levelhead, name)
    positional, named = given
    parameters = inspect.signature(function).parameters
    names = list(parameters)
    for number, parameter in enumerate(names):
        for what, shown in VALUES.items():
            value = (one for one in [None]) if what == "a generator" else shown
            if parameter == "figures" and isinstance(value, str | Path):
                continue  # files would be written there
            arguments, keywords = list(positional), dict(named)
            if parameters[parameter].kind is inspect.Parameter.VAR_POSITIONAL:
                arguments = [value]
            elif number < len(positional) and parameters[parameter].kind is not inspect.Parameter.KEYWORD_ONLY:
                arguments[number] = value
            else:
                keywords[parameter] = value
            yield f"{parameter}: {what}", lambda a=arguments, k=keywords: function(*a, **k)


API = [name for name in FUNCTIONS if getattr(levelhead, name).__module__.startswith("levelhead.api.")]


@pytest.mark.parametrize("name", API)
def test_help_has_every_parameter_once(name: str) -> None:
    """In the order of the signature; the source documents a shared parameter in one place."""
    function = getattr(levelhead, name)
    args = inspect.getdoc(function).partition("Args:\n")[2].partition("Raises:\n")[0]
    entries = dict(re.findall(r"^ {4}(\w+): (.+)$", args, re.MULTILINE))
    assert list(entries) == list(inspect.signature(function).parameters)
    assert max(map(len, args.split("\n"))) <= 110
    own = function.__wrapped__.__doc__
    repeated = [one for one in SHARED if f"        {one}: {SHARED[one]}" in own]
    assert repeated == []


UNKNOWN = {
    "measure": (lambda: levelhead.score(GOLD, ALPHA, measures="LSA"), "did you mean LAS?"),
    "measure in any case": (lambda: levelhead.score(GOLD, ALPHA, measures="clsa"), "did you mean CLAS?"),
    "class": (lambda: levelhead.score(GOLD, ALPHA, measures="LAS@core"), "did you mean CORE?"),
    "rules": (lambda: levelhead.score(GOLD, ALPHA, rules="conl18"), "did you mean conll18?"),
    "format": (lambda: levelhead.read(GOLD, format="conlu"), "did you mean conllu?"),
    "property": (lambda: levelhead.breakdown(GOLD, ALPHA, by="deprl"), "did you mean deprel?"),
    "column": (lambda: levelhead.profile(GOLD, columns="wrds"), "did you mean words?"),
    "scheme": (lambda: levelhead.profile(GOLD, scheme="calin"), "did you mean callin?"),
    "parser": (lambda: levelhead.train(GOLD, "arceager"), "did you mean arc-eager?"),
    "transition system": (lambda: levelhead.derive(GOLD, "swap-lasy"), "did you mean swap-lazy?"),
    "study": (lambda: levelhead.reproduce("calin"), "did you mean callin?"),
    "ranking": (lambda: levelhead.rank(GOLDS, SYSTEMS, ranking="conl17"), "did you mean conll17?"),
    "group": (lambda: levelhead.rank(GOLDS, SYSTEMS, groups="famly:Uralic"), "did you mean family:NAME?"),
    "direction": (lambda: levelhead.convert(GOLD, "forwards"), "did you mean forward?"),
    "library": (lambda: levelhead.score(GOLD, ALPHA).to_frame(library="panda"), "did you mean pandas?"),
    "typical measure": (lambda: levelhead.power(measures="lsa"), "did you mean LAS?"),
}


@pytest.mark.parametrize("kind", UNKNOWN)
def test_unknown_names_get_a_suggestion(kind: str) -> None:
    call, hint = UNKNOWN[kind]
    with pytest.raises(LevelheadError, match="unknown") as caught:
        call()
    assert hint in caught.value.message


WRONG = {
    "no process": (lambda: levelhead.score(GOLDS, SYSTEMS / "alpha", jobs=0), "jobs must be a whole number from 1"),
    "part of a unit": (lambda: levelhead.power(units=[10.5]), "units must be a whole number"),
    "no property": (lambda: levelhead.breakdown(GOLD, ALPHA, by=[]), "by must be at least 1 value, not []"),
    "no measure": (lambda: levelhead.compare(GOLD, [ALPHA], measures=[]), "measures must be at least 1 value"),
    "a level of one": (lambda: levelhead.compare(GOLD, [ALPHA], level=1), "level must be a number above 0 and below 1"),
    "one system": (lambda: levelhead.power(GOLD, [ALPHA]), "give two systems"),
    "outputs without names": (lambda: levelhead.compare(GOLD, [levelhead.read(ALPHA)]), "give a mapping of names"),
    "several systems": (lambda: levelhead.score(GOLD, [ALPHA, BETA]), "system must be one system, not a list of"),
}


@pytest.mark.parametrize("what", WRONG)
def test_errors_say_what_is_wrong(what: str) -> None:
    call, message = WRONG[what]
    with pytest.raises(LevelheadError) as caught:
        call()
    assert message in caught.value.message


def test_lists_are_not_used_up_by_checks() -> None:
    """Generators, single values and treebanks in memory are as good as lists."""
    score = levelhead.score(GOLD, ALPHA, measures=(one for one in ["las, UAS", "clas"]))
    assert list(score) == ["LAS", "UAS", "CLAS"]
    weighted = [
        levelhead.score(GOLD, ALPHA, measures="WLAS(WDE)", train=train)["WLAS(WDE)"].value
        for train in ([GOLD], GOLD, str(GOLD), levelhead.read(GOLD), iter([GOLD]))
    ]
    assert len(set(weighted)) == 1
    assert repr(levelhead.power(measures="las,Uas")) == repr(levelhead.power(measures=["LAS", "UAS"]))


@pytest.fixture(scope="module")
def valid(tmp_path_factory) -> dict[str, tuple[tuple[Any, ...], dict[str, Any]]]:
    return calls(tmp_path_factory.mktemp("arguments"))


def test_every_function_has_a_call(valid) -> None:
    assert sorted(valid) == sorted(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_wrong_arguments_are_errors_of_levelhead(name: str, valid, tmp_path, monkeypatch) -> None:
    """They say what is wrong; no value leads to an error of Python's. Functions that are slow stop before they work.

    Each argument has a third of the values, and each value is one of a third of the arguments.
    """
    assert len(VALUES) % 3
    monkeypatch.chdir(tmp_path)
    wrong = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for what, call in one_in(3, list(cases(name, valid[name])), FUNCTIONS.index(name)):
            try:
                str(call())
            except LevelheadError as error:
                if "\n" in error.message or not names_the_argument(error, *what.split(": ")):
                    wrong[what] = f"message: {error.message}"
            except Exception as error:  # noqa: BLE001 -- none is expected
                wrong[what] = f"{type(error).__name__}: {error}"
    assert wrong == {}
