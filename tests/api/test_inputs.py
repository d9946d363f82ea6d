"""What gold and systems can be: every function takes every form, with the same numbers as for paths."""

import json
import tempfile
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import levelhead
import stanza_stand_in
from conftest import EXAMPLES, library, one_in
from levelhead import InputError, Treebank, interop
from levelhead.comparison.judgment import Choices

PARALLEL = EXAMPLES / "parallel"
GOLDS, SYSTEMS = PARALLEL / "gold", PARALLEL / "systems"
GOLD, ALPHA, BETA = GOLDS / "en.conllu", SYSTEMS / "alpha/en.conllu", SYSTEMS / "beta/en.conllu"


def document_of_stanza(path: Path) -> Any:
    kind = type("Document", (stanza_stand_in.Document,), {"__module__": "stanza.models.common.doc"})
    blocks = list(interop.sentence_blocks.blocks_of(levelhead.read(path)))
    words = [[interop.stanza_library._entry(row) for row in block.rows if "." not in row[0]] for block in blocks]
    return kind(words, comments=[block.comments for block in blocks], empty_sentences=[[] for _ in blocks])


def docs_of_spacy(path: Path) -> Any:
    library("spacy")
    return interop.to_spacy(levelhead.read(path), rename_root=False)


def sentences_of(path: Path) -> list[Treebank]:
    treebank = levelhead.read(path)
    return [treebank[i : i + 1] for i in range(20)]


def frame(name: str) -> Callable[[Path], Any]:
    def convert(path: Path) -> Any:
        library(name)
        return getattr(interop, f"to_{name}")(levelhead.read(path))

    return convert


OBJECTS: dict[str, Callable[[Path], Any]] = {
    "text": str,
    "treebank": levelhead.read,
    "polars": frame("polars"),
    "pandas": frame("pandas"),
    "doc": docs_of_spacy,
    "docs": lambda path: [interop.to_spacy(one, held("doc", path).vocab) for one in sentences_of(path)],
    "stanza": document_of_stanza,
    "recovery": lambda path: levelhead.recover(path, levelhead.read(path)),
}
"""What holds a treebank, made from a file; some lose columns."""


@cache
def held(kind: str, path: Path) -> Any:
    return OBJECTS[kind](path)


@cache
def as_files(kind: str) -> tuple[Path, ...]:
    """Write what the objects of a kind hold, for gold and the two systems."""
    folder = Path(tempfile.mkdtemp(prefix="levelhead-"))
    paths = []
    for name, path in zip(("gold", "alpha", "beta"), (GOLD, ALPHA, BETA)):
        (folder / name).mkdir()
        paths.append(folder / name / "en.conllu")
        levelhead.write(levelhead.read(path) if kind == "text" else held(kind, path), paths[-1])
    return tuple(paths)


ONE: dict[str, Callable[[Any, Any], Any]] = {
    "score": lambda gold, system: levelhead.score(gold, system, measures="LAS,UPOS"),
    "compare": lambda gold, system: levelhead.compare(gold, system, measures="LAS"),
    "rank": lambda gold, system: levelhead.rank(gold, system, measures="LAS,UPOS"),
    "confusion": levelhead.confusion,
    "breakdown": lambda gold, system: levelhead.breakdown(gold, system, by="upos"),
    "analyze": levelhead.analyze,
    "trees": lambda gold, system: levelhead.trees(gold, system, show="nsubj:obj"),
}
"""Functions of test sets and one system."""

SEVERAL: dict[str, Callable[[Any, Any], Any]] = {
    "compare": lambda gold, systems: levelhead.compare(gold, systems, measures="LAS"),
    "rank": lambda gold, systems: levelhead.rank(gold, systems, measures="LAS"),
    "gains": lambda gold, systems: levelhead.breakdown(gold, systems, by="upos"),
    "contrasts": levelhead.trees,
    "power": lambda gold, systems: levelhead.power(gold, systems, measures="LAS", units=[50]),
}
"""Functions of test sets and several systems."""

VOTES = Choices(np.array([0.0, 1.0] * 10), np.ones(20, dtype=np.int64))
SINGLE: dict[str, Callable[[Any, Any, Any], Any]] = {
    "agree": lambda gold, one, _: levelhead.agree({"x": gold, "y": one}),
    "diff": lambda gold, one, _: levelhead.diff(gold, one),
    "explain": lambda gold, one, _: levelhead.explain(gold, one),
    "judge": lambda gold, one, other: levelhead.judge(gold, one, other, VOTES, measures="LAS"),
    "suspects": lambda gold, one, other: levelhead.suspects(gold, {"alpha": one, "beta": other}),
    "perplexity": lambda gold, one, other: levelhead.perplexity(gold, one, systems={"beta": other}),
    "profile": lambda gold, _, __: levelhead.profile(gold),
    "convert": lambda gold, _, __: levelhead.convert(gold, "forward"),
    "derive": lambda _, one, __: levelhead.derive(one),
    "recover": lambda _, one, __: levelhead.recover(ALPHA, one),
    "parse": lambda gold, one, _: levelhead.parse(levelhead.train(gold, "baseline-left"), one),
    "weights": lambda gold, one, _: levelhead.score(gold, one, measures="WLAS(WDE)", train=gold),
}
"""Functions of single treebanks."""

NAMES = {"alpha", "system", "en", "treebank", "gold", "treebank 1"}
LEFT_OUT = {
    "signature",
    "files",
    "path",
    "sha256",
    "file",
    "warnings",
    "notes",
    "provenance",
    "language",
    "genus",
    "family",
    "name",
    "iso_639_3",
    "glottocode",
    "verdict",
}


def numbers(value: Any) -> Any:
    """Return the document of a result without names and hashes of files, and notes."""
    if isinstance(value, Treebank):
        return value.heads.tolist()
    if isinstance(value, levelhead.Evaluation):
        return {name: (score.correct, score.gold, score.system) for name, score in value.items()}
    if hasattr(value, "to_dict"):
        return numbers(json.loads(json.dumps(value.to_dict())))
    if isinstance(value, dict):
        return {"*" if key in NAMES else key: numbers(one) for key, one in value.items() if key not in LEFT_OUT}
    if isinstance(value, list):
        return [numbers(one) for one in value]
    return "*" if isinstance(value, str) and value.rpartition("/")[2].partition(".")[0] in NAMES else value


def single(value: Any) -> Any:
    """Return the evaluation of the only test set."""
    return next(iter(value.treebanks.values())) if isinstance(value, levelhead.Evaluation) else value


@cache
def of_files(name: str, kind: str) -> Any:
    gold, *systems = as_files(kind)
    if name in SINGLE:
        return numbers(SINGLE[name](gold, *systems))
    if name in SEVERAL and name.partition(" ")[0] not in ONE:
        return numbers(SEVERAL[name](gold, systems))
    return numbers(ONE[name](gold, [systems[0]] if name == "rank" else systems[0]))


@pytest.mark.parametrize(("name", "kind"), one_in(3, list(product(ONE, OBJECTS))))
def test_objects(name: str, kind: str) -> None:
    gold, system = (held(kind, path) for path in (GOLD, ALPHA))
    if name == "rank" and kind == "text":
        system = [system]  # a path is a folder of systems there
    assert numbers(ONE[name](gold, system)) == of_files(name, kind)


FORMS: dict[str, Callable[[Any, Any], tuple[Any, Any]]] = {
    "codes": lambda gold, system: ({"en": gold}, {"en": system}),
    "codes of a named system": lambda gold, system: ({"en": gold}, {"alpha": {"en": system}}),
    "a name": lambda gold, system: (gold, {"alpha": system}),
    "a name and a code": lambda gold, system: ({"en": gold}, {"alpha": system}),
    "a code and a list": lambda gold, system: ({"en": gold}, system if isinstance(system, Treebank) else [system]),
}


MIXED = (str, str), (levelhead.read, str), (str, levelhead.read)


@pytest.mark.parametrize(("name", "form", "mixed"), one_in(2, list(product(ONE, FORMS, MIXED))))
def test_mappings(name: str, form: str, mixed: tuple[Callable[[Path], Any], ...]) -> None:
    gold, system = (make(path) for make, path in zip(mixed, (GOLD, ALPHA)))
    assert numbers(single(ONE[name](*FORMS[form](gold, system)))) == of_files(name, "text")


@pytest.mark.parametrize(("name", "kind"), one_in(3, list(product(SEVERAL, OBJECTS))))
def test_several_systems(name: str, kind: str) -> None:
    files = as_files(kind)
    expected = numbers(SEVERAL[name](files[0], {"alpha": files[1], "beta": files[2]}))
    gold, alpha, beta = (held(kind, path) for path in (GOLD, ALPHA, BETA))
    assert numbers(SEVERAL[name](gold, {"alpha": alpha, "beta": files[2]})) == expected
    assert numbers(SEVERAL[name]({"en": files[0]}, {"alpha": {"en": alpha}, "beta": beta})) == expected


@pytest.mark.parametrize(("name", "kind"), one_in(3, list(product(SINGLE, OBJECTS))))
def test_single_treebanks(name: str, kind: str) -> None:
    given = [held(kind, path) for path in (GOLD, ALPHA, BETA)]
    assert numbers(SINGLE[name](*given)) == of_files(name, kind)


CODES = ("de", "en", "tr")


@pytest.mark.parametrize("name", [*(name for name in ONE if name != "trees"), "languages"])
def test_one_system_on_several_test_sets(name: str) -> None:
    """As a folder, and as mappings of paths, of treebanks and of both."""
    call = ONE.get(name, lambda gold, system: levelhead.languages(gold, system, measures="LAS"))
    gold = {code: GOLDS / f"{code}.conllu" for code in CODES}
    system = {code: SYSTEMS / "alpha" / f"{code}.conllu" for code in CODES}
    expected = numbers(call(gold, {"alpha": SYSTEMS / "alpha"}))
    read = {code: levelhead.read(path) for code, path in system.items()}
    for outputs in (system, read, system | {"en": read["en"]}, {"alpha": read}):
        assert numbers(call(gold, outputs)) == expected


def test_real_treebanks(data: Path) -> None:
    """Outputs of 2018 as a folder, by code, and as frames."""
    codes = ("br_keb", "kmr_mg")
    golds = {code: data / f"conll18/gold/{code}.conllu.xz" for code in codes}
    systems = [f"conll18/systems/{name}" for name in ("HIT-SCIR-18", "Stanford-18")]
    paths = {name: {code: data / name / f"{code}.conllu.xz" for code in codes} for name in systems}
    expected = numbers(levelhead.rank(golds, [data / name for name in systems], measures="LAS,MLAS,BLEX"))
    read = {name: {code: levelhead.read(path) for code, path in of.items()} for name, of in paths.items()}
    frames = {name: {code: one.to_polars() for code, one in of.items()} for name, of in read.items()}
    for given in (paths, read, frames):
        found = numbers(
            levelhead.rank(golds, {Path(name).name: of for name, of in given.items()}, measures="LAS,MLAS,BLEX")
        )
        assert found == expected


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "an unknown code": (
        lambda: levelhead.compare({"de": GOLD, "en": GOLD}, {"en": ALPHA, "fr": ALPHA}),
        (
            "systems has the keys 'en', 'fr', but the codes of gold are 'de', 'en': give {code: output} for one system, or"
            " {name: {code: output}} or {name: folder} for several"
        ),
    ),
    "names for several test sets": (
        lambda: levelhead.score({"de": GOLD, "en": GOLD}, {"alpha": levelhead.read(ALPHA)}),
        "system has the keys 'alpha', but the codes of gold are 'de', 'en'",
    ),
    "a treebank for several test sets": (
        lambda: levelhead.confusion({"de": GOLD, "en": GOLD}, levelhead.read(ALPHA)),
        "system is a single treebank, but the codes of gold are 'de', 'en': give {code: output}",
    ),
    "an unknown code of a system": (
        lambda: levelhead.rank({"en": GOLD}, {"alpha": {"fr": ALPHA}}),
        "systems['alpha'] has the keys 'fr', but the codes of gold are 'en': give {code: output}",
    ),
    "a missing code": (
        lambda: levelhead.compare({"de": GOLD, "en": GOLD}, {"en": ALPHA}),
        "no output for 1 of 2 gold treebanks: de",
    ),
    "several systems": (
        lambda: levelhead.score({"en": GOLD}, {"a": {"en": ALPHA}, "b": {"en": ALPHA}}),
        "there are 2 systems (a, b): give one, or use compare or rank",
    ),
    "one system to contrast": (
        lambda: levelhead.trees(GOLD, ALPHA),
        "give at least two systems, or one system and what to show",
    ),
    "a list of numbers": (
        lambda: levelhead.score([1, 2], ALPHA),
        (
            "gold must be a path, a treebank, a data frame of words, a Recovery, or a document of spaCy or Stanza, or a"
            " mapping of codes to these, not a list of int"
        ),
    ),
    "a mapping for a single treebank": (
        lambda: levelhead.explain({"en": GOLD}, ALPHA),
        (
            "gold must be a path, a treebank, a data frame of words, a Recovery, or a document of spaCy or Stanza, not a"
            " mapping with the keys 'en'"
        ),
    ),
    "a number in a mapping": (lambda: levelhead.score({"en": 5}, ALPHA), "gold['en'] must be a path, a treebank"),
    "a list of numbers as systems": (lambda: levelhead.compare(GOLD, [ALPHA, 5]), "not a list of PosixPath, int"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_forms(what: str) -> None:
    """The error names the argument, what came, and what is expected."""
    call, message = WRONG[what]
    with pytest.raises(InputError) as caught:
        call()
    assert message in caught.value.message


def test_a_frame_of_something_else() -> None:
    polars = library("polars")
    with pytest.raises(InputError, match=r"no column sentence, head; it has form, relation"):
        levelhead.score(GOLD, polars.DataFrame({"form": ["a"], "relation": ["root"]}))
