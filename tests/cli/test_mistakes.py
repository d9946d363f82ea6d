"""What people see who make a mistake: one or two lines that say what is wrong, where, and what to do."""

import gzip
import shutil
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES

WIDEST = 240
MISTAKES = {
    "score gold/en.conllu eight.conllu": (
        "eight.conllu:4: number-of-columns: 8 columns instead of 10: '1\\tthe\\tthe\\tDET\\tDT\\tDefinite=Def|PronType=A…'\n"
        "eight.conllu:5: number-of-columns: 8 columns instead of 10: '2\\tdog\\tdog\\tNOUN\\tNN\\tNumber=Sing\\t3\\tnsubj'\n"
        "eight.conllu:6: number-of-columns: 8 columns instead of 10: '3\\tchased\\tchase\\tVERB\\tVBD\\tMood=Ind|Number=…'"
        " (and 163 more such cases)"
    ),
    "score gold/en.conllu spaces.conllu": (
        "spaces.conllu:4: spaces-for-tabs: columns are separated by spaces instead of tabs:"
        " '1 the the DET DT Definite=Def|PronType=A…' (and 165 more such cases)"
    ),
    "score gold/en.conllu cut.conllu.gz": "cut.conllu.gz: damaged-compression: the file is cut off",
    "score gold/en.conllu damaged.conllu.gz": (
        "damaged.conllu.gz: damaged-compression: the compressed data is damaged"
    ),
    "score gold/en.conllu latin.conllu": "latin.conllu:1: encoding: byte 11 (0xfc) is not UTF-8",
    "explain gold systems/alpha": "gold: unreadable-file: this is a folder: name a file",
    "score gold systems": (
        "systems: ambiguous-layout: the folder has several systems (alpha, beta, gamma): name one, such as"
        " systems/alpha, or use levelhead rank or compare; if these are runs of one system, use compare --as-runs"
    ),
    "rank systems gold": "systems: no-pairs: this is a folder of systems: are gold and systems swapped? Gold comes first",
    "score gold/en.conllu gold/en.conllu gold/de.conllu gold/fr.conllu": (
        "unexpected argument 'gold/de.conllu' and 1 more: levelhead compare takes several systems"
    ),
    "analyze gold/en.conllu gold/en.conllu gold/de.conllu": (
        "unexpected argument 'gold/de.conllu': levelhead compare takes several systems"
    ),
    "score gold/en.conllu systems/alpha/de.conllu": (
        "systems/alpha/de.conllu:3: text-mismatch: the texts differ from the first character: is gold/en.conllu the"
        " right gold file? Gold begins with 'thedogchasedthecatfr', this file with 'derHundjagtedieKatze'"
        " (character 1 of the text)"
    ),
    "compare gold systems/alpha systems/beta --resample-by document": (
        "gold/ar.conllu: no-documents: the gold treebank does not mark two or more documents (# newdoc): use"
        " --resample-by sentence or auto (and 7 more such cases)"
    ),
    "score EN EN --resamples 9": "levelhead score has no option '--resamples' (see --help)",
    "score EN EN --formt json": "levelhead score has no option '--formt': did you mean --format?",
    "score EN EN --layout paper": "levelhead score has no option '--layout': it is an option of compare and rank",
    "score EN EN --places 99": "Invalid value for '--places': '99' is not a whole number from 0 to 15",
    "compare EN EN --level 95": "Invalid value for '--level': '95' is not a number above 0 and at most 0.999999",
    "compare EN EN --margin x": "Invalid value for '--margin': 'x' is not a number",
    "score EN EN --report x.pdf": "a page is HTML: use a name that ends in .html",
    "score EN EN --store eight.conllu": "eight.conllu: invalid-store: the file is not a store: name a new file",
    "score EN EN --fail-under LAS": "invalid-gate: --fail-under 'LAS' is not MEASURE=NUMBER, such as LAS=80",
    "score EN EN -m WLAS": (
        "unknown-measure: WLAS requires an argument, WLAS(...): a file with a universal relation and its weight on each"
        " line"
    ),
    "rank --scores short.tsv": "short.tsv:2: invalid-table: 1 column, but the header has 4",
    "task status": (
        ".: unreadable-file: the folder has no task.toml: name the folder of a task, or create one with levelhead task init"
    ),
    "convert forward EN": "give a direction (forward or backward), IN and OUT; or --check and files",
    "completion": "Missing argument 'SHELL'. Use bash, zsh, fish",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(EXAMPLES / "parallel", tmp_path, dirs_exist_ok=True)
    gold = (tmp_path / "gold/en.conllu").read_text(encoding="utf-8")
    lines = ["\t".join(line.split("\t")[:8]) for line in gold.split("\n")]
    (tmp_path / "eight.conllu").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "spaces.conllu").write_text(gold.replace("\t", " "), encoding="utf-8")
    packed = gzip.compress(gold.encode(), mtime=0)
    (tmp_path / "cut.conllu.gz").write_bytes(packed[:400])
    (tmp_path / "damaged.conllu.gz").write_bytes(packed[:200] + b"\xff" * 40 + packed[240:])
    (tmp_path / "latin.conllu").write_bytes("# text = abü\n".encode("latin-1"))
    (tmp_path / "short.tsv").write_text("system\ttreebank\tmeasure\tscore\nalpha\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_option_of_many_commands_is_told_with_the_first_five(run) -> None:
    _, _, err = run("score", "gold", "system", "--limit", "3")
    first = "no option '--limit': it is an option of breakdown, analyze, confusion, trees, difficulty and "
    assert err.partition(first)[2].split()[1:] == ["more"]


@pytest.mark.parametrize("command", MISTAKES)
@pytest.mark.usefixtures("folder")
def test_messages(run, command: str) -> None:
    code, out, err = run(*command.replace("EN", "gold/en.conllu").split())
    said = [line for line in err.splitlines() if not line.startswith("Usage: ")]
    assert (code, out, "\n".join(said)) == (2, "", MISTAKES[command])
    assert max(map(len, said)) <= WIDEST


def test_text_that_is_given_as_a_path_is_not_repeated(run, folder: Path) -> None:
    text = (folder / "gold/en.conllu").read_text(encoding="utf-8")
    _, _, err = run("score", text, "gold/en.conllu")
    assert err == (
        "'# sent_id = p01\\n# text = the dog chased …': unreadable-file: this is text, not a path:"
        " levelhead.from_conllu reads the text of a treebank\n"
    )


def test_errors_of_many_lines_are_all_in_the_error(folder: Path) -> None:
    with pytest.raises(levelhead.InputError) as caught:
        levelhead.read(folder / "eight.conllu")
    assert len(caught.value.faults) == 166
    assert len(str(caught.value).split("\n")) == 3
