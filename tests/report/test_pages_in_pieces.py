"""Pages of files that are read in pieces: byte for byte those of files read whole."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import levelhead
from conftest import EXAMPLES, one_in
from levelhead.analysis.repairs import OTHER
from levelhead.report.page import examples
from levelhead.treebank import input_bytes
from levelhead.treebank.input_bytes import PieceSizes

Run = Callable[..., tuple[int, str, str]]

GOLD, SYSTEM = EXAMPLES / "parallel/gold/en.conllu", EXAMPLES / "parallel/systems/beta/en.conllu"
WHOLE = PieceSizes(1 << 40, 1)
SIZES = (1, 30_000, 200_000)
"""How many bytes a piece has."""


@pytest.fixture
def few_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page holds few sentences, so that they are chosen while files are read."""
    monkeypatch.setattr(examples, "ALL_WORDS", 3000)
    monkeypatch.setattr(examples, "_MOST_OF_GROUP", 3)


def page_of(run: Run, folder: Path, sizes: PieceSizes, *arguments: object) -> Any:
    """Return the exit code, everything that is printed, and the page."""
    page = folder / "page.html"
    page.unlink(missing_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(input_bytes, "SIZES", sizes)
        printed = run("score", *arguments, "--report", page)
    return *printed, page.read_bytes() if page.exists() else None


def check(run: Run, folder: Path, *arguments: object, sizes: tuple[int, ...] = SIZES) -> Any:
    """Check that pages of pieces are equal to the page of whole files, and return its exit code, text and bytes."""
    whole = page_of(run, folder, WHOLE, *arguments)
    for size in sizes:
        assert page_of(run, folder, PieceSizes(0, size), *arguments) == whole, size
    return whole


@pytest.mark.data
@pytest.mark.usefixtures("few_examples")
@pytest.mark.parametrize(
    ("treebank", "rules"),  # with documents, and without
    one_in(3, [("el_gdt", "ud"), *(("ug_udt", rules) for rules in ("conll18", "ud", "udtools", "conll17"))]),
)
def test_real_outputs(run: Run, data: Path, tmp_path: Path, treebank: str, rules: str) -> None:
    gold = data / f"conll18/gold/{treebank}.conllu.xz"
    system = data / f"conll18/systems/UDPipe-Future/{treebank}.conllu.xz"
    code, _, errors, page = check(run, tmp_path, gold, system, "--rules", rules, sizes=(30_000,))
    assert (code, page is not None) == (0, True), errors


@pytest.mark.data
@pytest.mark.parametrize("measure", one_in(2, ["LAS(nopunct=callin)", "UPOS-PUNCT.precision"]))
def test_a_page_that_holds_all_sentences(run: Run, data: Path, tmp_path: Path, measure: str) -> None:
    files = [data / f"conll18/{side}/vi_vtb.conllu.xz" for side in ("gold", "systems/HIT-SCIR-18")]
    assert check(run, tmp_path, *files, "-m", measure, sizes=(30_000,))[0] == 0


@pytest.mark.data
@pytest.mark.usefixtures("few_examples")
@pytest.mark.parametrize("by_id", [False, True])
def test_partial_scores(run: Run, data: Path, tmp_path: Path, *, by_id: bool) -> None:
    """Sentences are paired by their characters, or by their ids if sentences are missing; both files are read twice."""
    gold, system = (levelhead.read(data / f"conll18/{side}/el_gdt.conllu.xz") for side in ("gold", "systems/ONLP-lab"))
    if by_id:
        gold = gold[:300]
        others = set(random.Random(0).sample(range(len(gold)), 50))
        system = gold.replace(relations=["obj"] * gold.n_words)
        system = system.select([number for number in range(len(gold)) if number not in others])
    levelhead.write(gold, tmp_path / "gold.conllu")
    levelhead.write(system, tmp_path / "system.conllu")
    files = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    code, text, errors, _ = check(run, tmp_path, *files, "--partial", sizes=(50_000,))
    assert (code, "partial" in text + errors) == (0, True), errors


def broken(text: str) -> str:
    """Return a treebank with a cycle in a late sentence."""
    start, end = text[: len(text) * 3 // 4].rsplit("\n\n", 1), text[len(text) * 3 // 4 :]
    return start[0] + "\n\n1\ta\t_\t_\t_\t_\t2\tdep\t_\t_\n2\tb\t_\t_\t_\t_\t1\tdep\t_\t_\n\n" + start[1] + end


def few(folder: Path, copy: Path) -> Path:
    """A copy of a folder of treebanks with English and Turkish only."""
    return shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("[b-df-s]*.conllu", "ar.conllu"))


@pytest.mark.usefixtures("few_examples")
@pytest.mark.parametrize("options", [[], ["--partial"], ["--store", "store.sqlite"]])
def test_folders(run: Run, tmp_path: Path, options: list[str]) -> None:
    """The engine reads the outputs; every page of a folder has the errors of all treebanks."""
    options = [str(tmp_path / option) if "." in option else option for option in options]
    files = [few(EXAMPLES / "parallel" / name, tmp_path / name) for name in ("gold", "systems/alpha")]
    code, _, errors, page = check(run, tmp_path, *files, *options, "--jobs", "1", sizes=(3000,))
    assert (code, page is not None) == (0, True), errors


@pytest.mark.usefixtures("few_examples")
def test_pages_of_a_ranking(run: Run, tmp_path: Path) -> None:
    """A folder with the ranking and a page for each output, one of them invalid."""
    golds, systems = (few(EXAMPLES / "parallel" / name, tmp_path / name) for name in ("gold", "systems"))
    text = (systems / "beta/en.conllu").read_text(encoding="utf-8")
    (systems / "beta/en.conllu").write_text(broken(text), encoding="utf-8")
    found = []
    for sizes in (WHOLE, PieceSizes(0, 3000)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(input_bytes, "SIZES", sizes)
            folder = tmp_path / "report"
            code, text, errors = run("rank", golds, systems, "--jobs", "1", "--report", f"{folder}/")
        assert code == 0, errors
        pages = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.html")}
        found.append((text, errors, pages))
    assert len(found[0][2]) == 1 + 2 * 3 - 2  # without the invalid outputs of beta and gamma
    assert found[0] == found[1]


@pytest.mark.parametrize("changed", ["system", "gold", "text", "no trees"])
def test_invalid_files(run: Run, tmp_path: Path, changed: str) -> None:
    """The errors are those of reading whole files; no page is written."""
    gold, system = GOLD.read_text(encoding="utf-8"), SYSTEM.read_text(encoding="utf-8")
    if changed == "no trees":
        rows = [line.split("\t") for line in system.split("\n")]
        system = "\n".join("\t".join([*row[:6], "_", *row[7:]]) if len(row) > 1 else row[0] for row in rows)
    elif changed == "text":
        system = system.replace("the\t", "teh\t").replace("The\t", "Teh\t")
    (tmp_path / "gold.conllu").write_text(broken(gold) if changed == "gold" else gold, encoding="utf-8")
    (tmp_path / "system.conllu").write_text(broken(system) if changed == "system" else system, encoding="utf-8")
    code, _, errors, page = check(run, tmp_path, tmp_path / "gold.conllu", tmp_path / "system.conllu", sizes=(1, 5000))
    assert code != 0
    assert page is None
    assert errors


def test_files_that_cannot_be_cut(run: Run, tmp_path: Path) -> None:
    """A negative head late in the file counts back over sentences: the pieces before it do not count twice."""
    last = "1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t{}\tx\t_\t_\n\n"
    for path, name, head in ((GOLD, "gold", 1), (SYSTEM, "system", -2)):
        text = path.read_text(encoding="utf-8") + last.format(head)
        (tmp_path / f"{name}.conllu").write_text(text, encoding="utf-8")
    files = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    code, _, errors, _ = check(run, tmp_path, *files, "--rules", "conll17", sizes=(1, 3000))
    assert code == 0, errors


def test_many_relations(run: Run, tmp_path: Path) -> None:
    """The values of errors after the first hundred are joined, and only frequent relations are in the confusion."""
    gold = levelhead.read(GOLD)
    relations = [f"rel{i % 40}:{i % 120}" for i in range(gold.n_words)]
    levelhead.write(gold.replace(relations=relations), tmp_path / "gold.conllu")
    levelhead.write(gold.replace(relations=["obj"] * gold.n_words), tmp_path / "system.conllu")
    files = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    _, _, errors, page = check(run, tmp_path, *files, "--rules", "conll18", "-m", "LAS(full)", sizes=(1, 3000))
    assert page is not None, errors
    assert OTHER in page.decode()


@pytest.mark.parametrize("arguments", [(), ("--partial",), ("--rules", "conll18")])
def test_no_word_is_aligned(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """The page shows gold words that have no partner."""
    gold, system = tmp_path / "g.conllu", tmp_path / "s.conllu"
    for path, first, second in ((gold, "ab", "cd"), (system, "a", "bcd")):
        root, other = (f"{number}\t{form}\t_\tX\t_\t_" for number, form in ((1, first), (2, second)))
        path.write_text(f"# sent_id = 0\n{root}\t0\troot\t_\t_\n{other}\t1\tdep\t_\t_\n\n")
    code, _, errors, page = check(run, tmp_path, gold, system, *arguments)
    assert (code, page is not None) == (0, True), errors
    better = tmp_path / "t.conllu"
    better.write_text(gold.read_text())
    assert run("compare", gold, better, system, "--report", tmp_path / "c.html")[0] == 0
