"""`task init --gold`: compressed gold and CoNLL-U Plus."""

import gzip
import lzma
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.errors import InputError
from levelhead.task.folders import create_task

GOLD = EXAMPLES / "parallel" / "gold"


def plus(text: str) -> str:
    """CoNLL-U Plus with HEAD and DEPREL first, and a custom column."""
    rows = []
    for line in text.splitlines():
        cells = line.split("\t")
        rows.append(
            line if len(cells) != 10 else "\t".join([*cells[:2], cells[6], cells[7], *cells[2:6], *cells[8:], "x"])
        )
    return "# global.columns = ID FORM HEAD DEPREL LEMMA UPOS XPOS FEATS DEPS MISC OWN:EXTRA\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize("kind", ["gz", "xz", "plus", "plus gz", "conllup"])
def test_gold_is_copied_and_its_text_is_written(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "gold"
    folder.mkdir()
    text = (GOLD / "en.conllu").read_text()
    data = (plus(text) if "plus" in kind or kind == "conllup" else text).encode()
    name = "en.conllup" if kind == "conllup" else "en.conllu"
    if "gz" in kind:
        name, data = f"{name}.gz", gzip.compress(data)
    elif kind == "xz":
        name, data = f"{name}.xz", lzma.compress(data)
    (folder / name).write_bytes(data)
    made, usual = create_task(tmp_path / "task", folder), create_task(tmp_path / "usual", GOLD)
    assert [path.name for path in made.gold.iterdir()] == ["en.conllu"]
    ours, theirs = (levelhead.read(one.gold / "en.conllu") for one in (made, usual))
    assert [list(sentence.heads) for sentence in ours] == [list(sentence.heads) for sentence in theirs]
    assert (made.blind / "en.txt").read_bytes() == (usual.blind / "en.txt").read_bytes()


def test_gold_in_other_columns_is_found_among_the_inputs(tmp_path: Path) -> None:
    gold, inputs = tmp_path / "gold", tmp_path / "inputs"
    for folder in (gold, inputs):
        folder.mkdir()
        (folder / "en.conllu").write_text(plus((GOLD / "en.conllu").read_text()))
    with pytest.raises(InputError, match="gold-in-input"):
        create_task(tmp_path / "task", gold, inputs=inputs)
    assert not (tmp_path / "task").exists()


def test_folders_of_conllu_plus_are_ranked(run, tmp_path: Path) -> None:
    """Outputs are found by the name of the gold file, with any suffix."""
    for folder in ("gold", "systems/same"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "gold/en.conllup").write_text(plus((GOLD / "en.conllu").read_text()))
    (tmp_path / "systems/same/en.conllu").write_text((GOLD / "en.conllu").read_text())
    code, out, err = run("rank", tmp_path / "gold", tmp_path / "systems", "-m", "LAS")
    assert (code, err) == (0, "")
    assert "100.00" in out
